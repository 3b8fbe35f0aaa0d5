# SPDX-License-Identifier: Apache-2.0
"""What the event-triggered kernel costs: the figures of ``python -m bench.papers osek`` and the bounds that they keep.

The guide shows them as they are measured here.
"""

from __future__ import annotations

import io
import random
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import asked
from bench.papers import osek as benchmark
from bench.papers.benchmarks import render
from bench.papers.rows import Row
from carillon.build import build
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan
from carillon.run import run
from carillon.trace.summary import Summary
from carillon.trace.timeline import LaneKind

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "guide" / "measuring.md"
BLOCK = re.compile(
    r"<!-- begin: python -m bench.papers osek -->\n```console\n\$ python -m bench.papers osek\n(.*?)```\n<!-- end -->", re.DOTALL
)
EVERYTHING = asked.all_cases()
ROUNDS = 1000 if EVERYTHING else 100
"""With fewer, only the numbers of samples are others: every cycle costs the same."""
WIDTH = 100
"""Columns of the guide's outputs."""

BOUNDED = (
    "activate_by_alarm",
    "activate_higher",
    "terminate_basic",
    "activate_lower",
    "get_resource",
    "release_resource",
    "activate_higher_8",
    "activate_higher_32",
    "activate_higher_100",
    "preempt_basic_by_extended",
    "preempt_basic_by_waiting",
    "set_event_extended",
    "terminate_extended",
    "stolen_by_lower",
    "tt_dispatch_over_bcc1",
    "tt_terminate_over_bcc1",
    "tt_jitter_over_bcc1",
    "tt_dispatch_over_ecc1",
    "tt_terminate_over_ecc1",
    "tt_jitter_over_ecc1",
    "flash_bcc1",
    "ram_bcc1",
)
ALONE = tuple(f"stolen_by_lower_{variant}" for variant in benchmark.STOLEN)
"""What is measured with Carillon's own kernel alone."""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="qemu-system-arm is not installed"),
    pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="arm-none-eabi-gcc is not installed"),
]


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, str], Row]:
    """The figures, by metric and kernel."""
    found = benchmark.osek(ROUNDS, Diagnostics(), lambda _: None)
    return {(r.metric, r.kernel): r for r in found}


def test_the_guide_shows_every_figure_as_it_is_measured(rows: dict[tuple[str, str], Row]) -> None:
    console = Console(width=WIDTH, file=io.StringIO(), color_system=None, highlight=False)
    often = 1000 // ROUNDS
    published = [replace(r, samples=r.samples * often) if r.samples >= ROUNDS else r for r in rows.values()]
    render(console, "osek", published)
    assert isinstance(console.file, io.StringIO)
    text = "\n".join(line.rstrip() for line in console.file.getvalue().split("\n")).strip("\n")
    (shown,) = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    assert f"{text}\n" == shown


def test_every_metric_has_every_kernel(rows: dict[tuple[str, str], Row]) -> None:
    assert {kernel for _, kernel in rows} == set(benchmark.COLUMNS)
    for metric, _ in rows:
        kernels = {"carillon"} if metric in ALONE else set(benchmark.COLUMNS)
        assert {kernel for other, kernel in rows if other == metric} == kernels, metric
    assert {metric for (metric, _), r in rows.items() if r.must is not None} == {*BOUNDED, *ALONE}


@pytest.mark.parametrize("metric", [*BOUNDED, *ALONE])
def test_bound(rows: dict[tuple[str, str], Row], metric: str) -> None:
    found = rows[metric, "carillon"]
    assert found.must is not None
    assert found.maximum <= found.must


@pytest.mark.parametrize("kernel", benchmark.COLUMNS)
def test_activation_does_not_depend_on_the_number_of_tasks(rows: dict[tuple[str, str], Row], kernel: str) -> None:
    found = [rows[f"activate_higher_{count}", kernel] for count in benchmark.MANY]
    assert len({(r.minimum, r.maximum) for r in found}) == 1


@pytest.mark.parametrize(
    "metric", [m for m in (*BOUNDED, *ALONE) if m.startswith(("activate", "terminate", "stolen", "set", "preempt"))]
)
def test_every_sample_is_the_same(rows: dict[tuple[str, str], Row], metric: str) -> None:
    found = rows[metric, "carillon"]
    assert found.minimum == found.maximum
    assert found.samples == ROUNDS * (2 if metric == "terminate_extended" else 1)  # over a basic task, and over an extended one


@pytest.mark.parametrize("metric", [m for m in BOUNDED if not m.startswith("tt_")])
def test_conventional_is_never_better(rows: dict[tuple[str, str], Row], metric: str) -> None:
    assert rows[metric, "conventional"].minimum >= rows[metric, "carillon"].maximum


def _interrupted(summary: Summary) -> set[str]:
    """What had the processor when Time's interrupt came: a task's name, "kernel" or "idle" (StartOS)."""
    entered = {h.begin.n for h in summary.handlers if h.object == "Time"}
    return {
        before.lane.name for before, now in zip(summary.segments, summary.segments[1:], strict=False) if now.begin.n in entered
    }


@pytest.mark.parametrize("name", ["mixed-bcc1", "mixed-ecc1"])
def test_time_triggered_tasks_interrupt_everything(name: str, tmp_path: Path) -> None:
    summary = benchmark.Applications(tmp_path, Diagnostics()).built(name, "carillon").analysed(500)
    assert _interrupted(summary) >= {"Busy", "Timed", "Upper", LaneKind.KERNEL.value}


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_a_hundred_priorities(tmp_path: Path, dispatch: str) -> None:
    """A hundred tasks of as many priorities, made ready in any order, run from the highest to the lowest."""
    count = 100
    order = list(range(1, count))
    random.Random(3).shuffle(order)
    tables = [f'[system]\nname = "hundred"\nboard = "virtual-256"\n[osek]\ndispatch = "{dispatch}"\n']
    tables += [f"[osek.task.T{k}]\npriority = {k}\n" + ("autostart = true\n" if k == 0 else "") for k in range(count)]
    activate = "".join(f"    (void)ActivateTask(T{k});\n" for k in order)
    one_by_one = "".join(f"    (void)ActivateTask(T{k});\n" for k in range(1, count))
    code = '#include "os.h"\n#include "report.h"\n'
    code += f"TASK(T0)\n{{\n{one_by_one}    (void)GetResource(RES_SCHEDULER);\n{activate}"
    code += (
        '    report("released", 0);\n    (void)ReleaseResource(RES_SCHEDULER);\n    report("end", 0);\n    ShutdownOS(E_OK);\n}\n'
    )
    code += "".join(f'TASK(T{k})\n{{\n    report("T", {k});\n    TerminateTask();\n}}\n' for k in range(1, count))
    shutil.copy(ROOT / "tests/firmware/report.h", tmp_path)
    (tmp_path / "schedule.toml").write_text("".join(tables), encoding="utf-8")
    (tmp_path / "main.c").write_text(code, encoding="utf-8")
    diagnostics = Diagnostics()
    planned = plan(tmp_path / "schedule.toml", diagnostics)
    firmware = build(planned.image, tmp_path / "build", diagnostics)
    assert firmware is not None, [str(d) for d in diagnostics.reported]
    trace = run(planned.image, firmware, 1000, diagnostics)
    assert trace is not None, [str(d) for d in diagnostics.reported]
    upwards = [f"T {k}" for k in range(1, count)]
    assert trace.output.splitlines() == [*upwards, "released 0", *reversed(upwards), "end 0"]
