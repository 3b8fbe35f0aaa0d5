# SPDX-License-Identifier: Apache-2.0
"""The engine example: its numbers are derived from the paper's, and it runs as planned."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from carillon.allocate.result import Style
from carillon.build import build
from carillon.check.simulation import completions
from carillon.diagnostics import Diagnostics
from carillon.model import System
from carillon.model.board import Role
from carillon.pipeline import Planned, plan, read_and_check, releases
from carillon.run import run
from carillon.trace.analyse import analyse
from carillon.trace.summary import Summary

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "engine"
SCHEDULE = EXAMPLE / "schedule.toml"

# Kramer, Ziegenbein, Hamann, WATERS 2015: period in ms: share in percent, then of a runnable the average in us and
# the least and greatest factors of BCET and WCET.
PAPER = {
    1: (3, "5.00", ("0.19", "0.92"), ("1.30", "29.11")),
    2: (2, "4.20", ("0.12", "0.89"), ("1.54", "19.04")),
    5: (2, "11.04", ("0.17", "0.94"), ("1.13", "18.44")),
    10: (25, "10.09", ("0.05", "0.99"), ("1.06", "30.03")),
    20: (25, "8.74", ("0.11", "0.98"), ("1.06", "15.61")),
    50: (3, "17.56", ("0.32", "0.95"), ("1.13", "7.76")),
    100: (20, "10.53", ("0.09", "0.99"), ("1.02", "8.88")),
    200: (1, "2.56", ("0.45", "0.98"), ("1.03", "4.90")),
    1000: (4, "0.43", ("0.68", "0.80"), ("1.84", "4.75")),
}
JOBS = sum(1000 // period for period in PAPER)

QEMU = pytest.mark.skipif(
    not all(map(shutil.which, ("qemu-system-arm", "arm-none-eabi-gcc", "cc"))), reason="no qemu-system-arm or arm-none-eabi-gcc"
)
COMPILER = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
BOARDS = [
    pytest.param("virtual-ast1030-evb", marks=COMPILER),
    pytest.param("virtual-256", marks=COMPILER),
    pytest.param("tc1796", marks=COMPILER),
    pytest.param("ast1030-evb", marks=QEMU),
]


def _derive() -> ModuleType:
    spec = importlib.util.spec_from_file_location("engine_derive", EXAMPLE / "derive.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


derive = _derive()
TASKS = derive.derive()


def planned(board: str, kernel: str = "carillon", schedule: Path = SCHEDULE) -> Planned:
    diagnostics = Diagnostics()
    result = plan(schedule, diagnostics, board, kernel)
    assert not diagnostics.reported
    return result


def ran(what: Planned, folder: Path) -> Summary:
    diagnostics = Diagnostics()
    firmware = build(what.image, folder, diagnostics)
    assert firmware is not None, diagnostics.reported
    trace = run(what.image, firmware, what.system.modes[0].round_length, diagnostics, rounds=1)
    assert trace is not None, diagnostics.reported
    assert not diagnostics.reported
    assert trace.length == what.system.modes[0].round_length
    return analyse(trace, releases(what.system, trace))


def worst_responses(system: System) -> dict[str, int]:
    worst: dict[str, int] = {}
    for completion in completions(system.modes[0], system):
        task = completion.activation.task
        worst[task] = max(worst.get(task, 0), completion.end - completion.activation.at)
    return worst


def assert_runs_as_planned(summary: Summary, system: System) -> None:
    assert len(summary.runs) == JOBS
    assert summary.totals.deadlines_met == JOBS
    assert summary.totals.deadlines_missed == 0
    worst = worst_responses(system)
    for task in summary.tasks:
        wcet = system.task(task.lane.name).wcet
        assert wcet is not None
        assert task.unstarted == 0
        assert task.execution is not None
        assert task.response is not None
        per_tick = max(1, system.board.clock(system.clock_hz).instructions_per_tick)
        assert task.execution.maximum <= wcet * per_tick
        assert task.response.maximum <= worst[task.lane.name]


def assert_every_start_is_exact(summary: Summary, system: System) -> None:
    per_tick = max(1, system.board.clock(system.clock_hz).instructions_per_tick)
    for each in summary.runs:
        assert each.release is not None
        assert each.begin.t == each.release.at
        assert each.begin.n == each.release.at * per_tick


def test_the_files_are_what_is_derived() -> None:
    command = [sys.executable, str(EXAMPLE / "derive.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_a_stale_file_is_reported(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "engine", ignore=shutil.ignore_patterns("build"))
    schedule = tmp_path / "engine" / "schedule.toml"
    schedule.write_text(schedule.read_text(encoding="utf-8").replace('"2544us"', '"2536us"'), encoding="utf-8")
    command = [sys.executable, str(tmp_path / "engine" / "derive.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr == "schedule.toml is not what derive.py derives: run it\n"


def test_the_statistics_are_the_papers() -> None:
    def text(factors: tuple[Fraction, Fraction]) -> tuple[str, ...]:
        return tuple(f"{float(f):.2f}" for f in factors)

    assert {r.period_ms: (r.share, f"{float(r.average):.2f}", text(r.best), text(r.worst)) for r in derive.PAPER} == PAPER
    assert sum(share for share, *_ in PAPER.values()) == 85


def test_the_tasks_have_the_papers_shares_and_times() -> None:
    total = derive.choose_runnables()
    for task in TASKS:
        share, average, best, worst = PAPER[task.row.period_ms]
        assert task.runnables == Fraction(share * total, 100)
        assert task.average == task.runnables * Fraction(average)
        low, high = (Fraction(f) for f in best)
        assert task.best == task.average * (low + high) / 2
        low, high = (Fraction(f) for f in worst)
        assert task.worst == task.average * (low * 19 + high) / 20
        assert task.best < task.average < task.worst
        assert 8 <= task.wcet - task.worst < 16


def test_the_utilisation_is_realistic() -> None:
    assert Fraction(60, 100) <= derive.utilisation(TASKS) <= Fraction(75, 100)
    more = [derive.task_of(row, derive.choose_runnables() + 100) for row in derive.PAPER]
    assert derive.utilisation(more) > Fraction(75, 100)


def test_the_readme_has_the_derived_numbers() -> None:
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    for task in TASKS:
        share, average, best, worst = PAPER[task.row.period_ms]
        columns = [
            *(f"{task.row.period_ms} ms", f"{share} %", f"{average} us", " – ".join(best), " – ".join(worst)),
            *(task.row.name, str(task.runnables), f"{task.wcet} us", f"{task.offset} us"),
        ]
        assert f"| {' | '.join(columns)} |" in text
    assert derive.percent(derive.utilisation(TASKS)) in text
    assert derive.percent(derive.mean_utilisation(TASKS)) in text
    assert f"**{derive.choose_runnables()} runnables**" in text


def test_no_activation_comes_while_a_faster_task_may_run() -> None:
    system = planned("virtual-256").system
    order = [task.row.name for task in TASKS]
    runs = [(order.index(c.activation.task), c.activation.at, c.end) for c in completions(system.modes[0], system)]
    for rank, at, _ in runs:
        assert not [1 for other, begin, end in runs if other < rank and begin <= at < end]


def test_the_deadline_is_the_end_of_the_period() -> None:
    for hz, board in ((15_625_000, "ast1030-evb"), (50_000_000, "tc1796"), (25_000_000, "mps2-an385")):
        diagnostics = Diagnostics()
        system = read_and_check(SCHEDULE, diagnostics, board)
        assert not diagnostics.reported
        assert system.clock_hz == hz
        assert not system.drifts
        periods = {task.row.name: task.row.period_ms * hz // 1000 for task in TASKS}
        for activation in system.modes[0].activations:
            period = periods[activation.task]
            assert activation.deadlines == ((activation.at // period + 1) * period,)


def test_the_reference_board_carries_each_task_by_one_cell() -> None:
    what = planned("ast1030-evb")
    board, mode = what.system.board, what.allocation.modes[0]
    assert len(mode.carriers) == len(TASKS) == board.cell_count
    assert {c.demand.object for c in mode.carriers} == {task.row.name for task in TASKS}
    for carrier in mode.carriers:
        assert carrier.role is Role.ACTIVATION
        assert carrier.style is Style.DIRECT
        assert len(carrier.cells) == 1
        assert not carrier.lowered
    assert (mode.overhead, mode.optimal) == (0, True)
    assert mode.levels <= board.levels - board.lowered_levels
    assert len(mode.unmonitored) == len(TASKS)


@pytest.mark.parametrize("board", ["tc1796", "virtual-256"])
def test_a_board_with_more_cells_watches_the_deadlines(board: str) -> None:
    mode = planned(board).allocation.modes[0]
    assert not mode.unmonitored
    assert len(mode.carriers) == 2 * len(TASKS)
    assert not any(c.lowered for c in mode.carriers)
    assert all(c.style is Style.DIRECT for c in mode.carriers)


@pytest.mark.parametrize("board", BOARDS)
def test_a_second_runs_as_planned(board: str, tmp_path: Path) -> None:
    what = planned(board)
    summary = ran(what, tmp_path)
    assert_runs_as_planned(summary, what.system)
    assert_every_start_is_exact(summary, what.system)
    if what.system.board.clock(what.system.clock_hz).instructions_per_tick:
        assert summary.totals.kernel_n == 0
    # Execution times vary about the average.
    for task, found in zip(TASKS, summary.tasks, strict=True):
        assert found.execution is not None
        per_us = Fraction(what.system.clock_hz, 1_000_000)
        assert found.execution.minimum >= derive.tenths(task.best) * per_us // 10
        if found.activations >= 100:
            assert found.execution.minimum < task.average * per_us < found.execution.maximum
            mean = Fraction(sum(r.executed for r in summary.runs if r.lane == found.lane), found.activations)
            assert abs(mean / per_us / task.average - 1) < Fraction(1, 10)


@pytest.mark.parametrize("board", BOARDS)
def test_the_offsets_hold_if_every_job_takes_its_worst_case(board: str, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "engine", ignore=shutil.ignore_patterns("build"))
    times = tmp_path / "engine" / "execution_times.h"

    def worst(match: re.Match[str]) -> str:
        most = int(match[2])
        return f"TASK({match[1]}, {most - 2}, {most - 1}, {most})"

    text, count = re.subn(r"TASK\((\w+), +\d+, +\d+, +(\d+)\)", worst, times.read_text(encoding="utf-8"))
    assert count == len(TASKS)
    times.write_text(text, encoding="utf-8")
    what = planned(board, schedule=tmp_path / "engine" / "schedule.toml")
    summary = ran(what, tmp_path / "build")
    assert_runs_as_planned(summary, what.system)
    assert_every_start_is_exact(summary, what.system)


@pytest.mark.parametrize("board", [pytest.param("virtual-256", marks=COMPILER), pytest.param("ast1030-evb", marks=QEMU)])
def test_the_conventional_kernel_runs_the_same_source(board: str, tmp_path: Path) -> None:
    summary = ran(planned(board, "conventional"), tmp_path)
    assert len(summary.runs) == JOBS
    assert summary.totals.deadlines_met == JOBS
    assert summary.totals.deadlines_missed == 0
