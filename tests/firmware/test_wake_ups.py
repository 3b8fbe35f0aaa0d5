# SPDX-License-Identifier: Apache-2.0
"""What a plan says of wake-ups and of currents holds in a run."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from bench.papers.made import Application, made
from carillon.diagnostics import Diagnostics
from carillon.resources import data_root
from carillon.show.plan import plan_json
from carillon.trace.timeline import IDLE

ROOT = data_root()
TASKS = """
[task.x]
period = "100ms"
wcet = "1ms"
[task.y]
period = "50ms"
offset = "20ms"
wcet = "1ms"
"""
CODE = '#include "carillon/osektime.h"\nttTASK(x) {}\nttTASK(y) {}\n'


@pytest.mark.parametrize(
    ("schedule", "board", "rounds"),
    [
        ("docs/guide/hello/schedule.toml", "atmega128", 5),
        ("examples/engine/schedule.toml", "virtual-ast1030-evb", 2),
        ("examples/three-tasks/schedule.toml", "microbit", 5),
    ],
)
def test_a_run_has_as_many_interrupts_as_the_plan_says_and_idles_for_as_long_at_least(
    schedule: str, board: str, rounds: int, tmp_path: Path
) -> None:
    check(made(ROOT / schedule, tmp_path, Diagnostics(), board), rounds)


@pytest.mark.parametrize(
    ("board", "head"),
    [("qemu-rv32-virt", 'start_within = "1ms"'), ("virtual-256", ""), ("atmega128", 'clock = "2MHz"')],
    ids=["table", "cells", "turns"],
)
def test_the_interrupts_of_a_table_and_those_that_count_turns_are_wake_ups_too(board: str, head: str, tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(CODE, encoding="utf-8")
    (tmp_path / "schedule.toml").write_text(f"[system]\n{head}\n{TASKS}", encoding="utf-8")
    check(made(tmp_path / "schedule.toml", tmp_path / "build", Diagnostics(), board), 5)


def check(application: Application, rounds: int) -> None:
    """The plan's wake-ups are a run's interrupts, and its figures those of how long the run idled."""
    system = application.planned.system
    (mode,) = plan_json(application.planned)["energy"]["modes"]
    summary = application.analysed(rounds)
    seconds = Fraction(rounds * system.modes[0].round_length, system.clock_hz)
    assert summary.totals.interrupts == pytest.approx(mode["wakeups"] * float(seconds))
    assert summary.totals.idle_share >= mode["idle_share"]
    energy = summary.totals.energy
    assert (energy is None) == (system.board.currents is None)
    if energy is not None:
        idled = sum(s.end.n - s.begin.n for s in summary.segments if s.lane is IDLE)
        cycles = 16_000_000 * seconds
        assert energy.seconds == seconds
        assert energy.joules == (34 * (cycles - idled) + 16 * idled) / 16_000_000 * 5 / 1000
        assert float(energy.estimate.current * 1000) <= mode["current_ma"]


def test_an_idle_task_that_spins_takes_the_active_current_all_the_time(tmp_path: Path) -> None:
    text = (ROOT / "docs/guide/hello/schedule.toml").read_text(encoding="utf-8")
    source = (ROOT / "docs/guide/hello/main.c").read_text(encoding="utf-8")
    (tmp_path / "main.c").write_text(source, encoding="utf-8")
    path = tmp_path / "schedule.toml"
    path.write_text(text.replace("[system]\n", '[system]\nidle = "spin"\n'), encoding="utf-8")
    totals = made(path, tmp_path / "build", Diagnostics(), "atmega128").analysed(3).totals
    assert totals.idle_share > 0.9
    assert totals.energy is not None
    assert totals.energy.estimate.current == Fraction(34, 1000)
