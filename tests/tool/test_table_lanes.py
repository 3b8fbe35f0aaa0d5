# SPDX-License-Identifier: Apache-2.0
"""Schedule tables are lanes of the timeline: their points, and when they are started or named as the next one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from random import Random

import pytest

from carillon import show
from carillon.build import build
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan
from carillon.run import run
from carillon.show import scene, terminal
from carillon.trace import Kind, TableState, Trace

ROOT = Path(__file__).resolve().parents[2]
TASKS = """
[system]
board = "virtual-256"
sources = ["main.c"]
[osek.task.Low]
priority = 1
[osek.task.High]
priority = 2
[osek.counter.Time]
tick = "10 ticks"
max_allowed = 99
"""
TABLES = """
[osek.schedule_table.Again]
counter = "Time"
duration = 20
repeating = true
autostart = { at = 3 }
point = [{ offset = 1, activate = ["High", "Low"] }, { offset = 8, activate = ["Low"] }]
[osek.schedule_table.Once]
counter = "Time"
duration = 30
autostart = { at = 50, absolute = true }
point = [{ offset = 0, activate = ["High"] }]
"""
BROWSER = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
CODE = """
#include "os.h"
TASK(Low)
{
    TerminateTask();
}
TASK(High)
{
    TerminateTask();
}
"""


def traced(folder: Path, schedule: str, code: str, ticks: int) -> Trace:
    """The trace of a run of that application."""
    (folder / "schedule.toml").write_text(schedule, encoding="utf-8")
    (folder / "main.c").write_text(code, encoding="utf-8")
    diagnostics = Diagnostics()
    planned = plan(folder / "schedule.toml", diagnostics)
    firmware = build(planned.image, folder / "build", diagnostics)
    assert firmware is not None, [str(d) for d in diagnostics.reported]
    trace = run(planned.image, firmware, ticks, diagnostics)
    assert trace is not None, [str(d) for d in diagnostics.reported]
    return trace


def due(trace: Trace, name: str) -> list[int]:
    """When points of a table, or activations of a task, are due."""
    return [e.t for e in trace.events if e.kind is Kind.EXPIRY and e.object == name]


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """A run of two tables, on a board on which code takes no time."""
    return traced(tmp_path_factory.mktemp("tables"), TASKS + TABLES, CODE, 1000)


def test_the_points_are_due_when_their_tasks_start(trace: Trace) -> None:
    assert trace.tables == (TableState("Again", 0, 1000), TableState("Once", 0, 800))
    turns = range(30, 1000, 200)
    assert due(trace, "Again") == [turn + offset for turn in turns for offset in (10, 80) if turn + offset < 1000]
    assert due(trace, "Once") == [500]
    starts = {name: [e.t for e in trace.events if e.kind is Kind.START and e.object == name] for name in ("Low", "High")}
    assert due(trace, "Low") == starts["Low"]
    assert due(trace, "High") == sorted(starts["High"])


def test_an_absolute_start_at_the_counters_begin_is_a_turn_of_it_later(tmp_path: Path) -> None:
    found = traced(tmp_path, TASKS + TABLES.replace("at = 50", "at = 0"), CODE, 1300)
    assert found.tables[1] == TableState("Once", 0, 1300)
    assert due(found, "Once") == [1000]
    assert due(found, "High") == [e.t for e in found.events if e.kind is Kind.START and e.object == "High"]


@pytest.mark.parametrize(
    ("schedule", "code"),
    [
        (TASKS + TABLES, CODE.replace("TASK(High)\n{", "TASK(High)\n{\n    (void)StopScheduleTable(Again);")),
        (
            TASKS.replace("[system]", '[osek]\nmodes = ["A", "B"]\n[system]') + TABLES.replace(" }\np", ', modes = ["A"] }\np'),
            CODE,
        ),
        ((TASKS + TABLES).replace('tick = "10 ticks"', 'kind = "software"'), CODE),
    ],
    ids=["a service", "an application mode", "a software counter"],
)
def test_of_other_tables_the_trace_says_nothing(schedule: str, code: str, tmp_path: Path) -> None:
    found = traced(tmp_path, schedule, code, 1000)
    assert found.tables == ()
    assert due(found, "Again") == due(found, "Low") == []


def test_the_terminal_draws_what_a_table_does(trace: Trace) -> None:
    panel = scene.panel_of(trace, ())
    lines = [line.plain for line in terminal.timeline([panel], (0, 1000), 109)]
    again = ("Again   ───" + "─◇──────◇───────────" * 5)[:108]
    assert [line for line in lines if line.startswith(("Again", "Once"))] == [again, f"Once    {'─' * 50}◇{'─' * 29}"]
    ascii_lines = [line.plain for line in terminal.timeline([panel], (0, 1000), 109, terminal.ASCII)]
    assert f"Once    {'-' * 50}*{'-' * 29}" in ascii_lines


def test_every_picture_has_the_points(trace: Trace, tmp_path: Path) -> None:
    svg, perfetto, vcd = (tmp_path / f"run.{name}" for name in ("svg", "json", "vcd"))
    points = len(due(trace, "Again")) + len(due(trace, "Once"))
    show.write("svg", svg, scene.panels_of(trace, ()))
    assert sum(e.get("d", "").endswith("l5 5l-5 5l-5 -5z") for e in ET.parse(svg).iter()) == points + 1  # and the legend's
    show.write("perfetto", perfetto, scene.panels_of(trace, ()))
    events = json.loads(perfetto.read_text(encoding="utf-8"))["traceEvents"]
    assert sum(e["name"] == "expiry point" for e in events) == points
    assert [e["dur"] for e in events if e["name"] == "Once is started"] == [800]
    show.write("vcd", vcd, scene.panels_of(trace, ()))
    text = vcd.read_text(encoding="utf-8")
    sign = text[: text.index(" point $end")].split()[-1]
    assert text.splitlines().count(f"1{sign}") == len(due(trace, "Again"))


@pytest.mark.skipif(BROWSER is None, reason="no Chromium")
@pytest.mark.parametrize(("fragment", "lanes"), [("", 6), ("#q=once", 3), ("#fold=tables", 4)])
def test_the_page_has_a_group_of_tables(trace: Trace, tmp_path: Path, fragment: str, lanes: int) -> None:
    path = tmp_path / "run.html"
    show.write("html", path, scene.panels_of(trace, ()))
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
    options += ["--disable-component-update", "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    command = [str(BROWSER), *options, path.as_uri() + fragment]
    dom = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    found = re.search(r'data-lanes="(\d+)/(\d+)"', dom)
    assert found
    assert int(found[2]) == lanes


@pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="qemu-system-arm is not installed")
@pytest.mark.parametrize(("kernel", "interruptions"), [("carillon", 0), ("conventional", 2)])
def test_a_task_is_not_interrupted_by_points_for_lower_tasks(kernel: str, interruptions: int, tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    planned = plan(ROOT / "examples" / "priority-inversion" / "schedule.toml", diagnostics, None, kernel)
    firmware = build(planned.image, tmp_path, diagnostics)
    assert firmware is not None
    found = run(planned.image, firmware, 60_000, diagnostics)
    assert found is not None
    upper = [r for r in scene.panel_of(found, ()).summary.runs if r.lane.name == "Task3"]
    assert [r.preemptions for r in upper] == [interruptions] * 4
    for each in upper:
        begin = max(t for t in due(found, "Task3") if t <= each.begin.t)
        assert each.end is not None
        assert [t - begin for name in ("Task1", "Task2") for t in due(found, name) if begin < t < each.end.t] == [2500, 5000]


DRIVEN = """
[system]
board = "{board}"
sources = ["main.c"]
[osek]
dispatch = "{dispatch}"
[osek.task.Drive]
priority = 1
[osek.task.A]
priority = 2
[osek.task.B]
priority = 3
[osek.counter.Time]
tick = "{tick} ticks"
max_allowed = 29
[osek.alarm.Cycle]
counter = "Time"
activate = "Drive"
static = true
autostart = {{ at = 1, cycle = 1 }}
[osek.schedule_table.T0]
counter = "Time"
duration = 7
repeating = true
autostart = {{ at = 2 }}
point = [{{ offset = 0, activate = ["A"] }}, {{ offset = 3, activate = ["B"] }}]
[osek.schedule_table.T1]
counter = "Time"
duration = 5
point = [{{ offset = 2, activate = ["A"] }}]
[osek.schedule_table.T2]
counter = "Time"
duration = 6
repeating = true
point = [{{ offset = 1, activate = ["B"] }}]
[osek.schedule_table.T3]
counter = "Time"
duration = 9
point = [{{ offset = 0, activate = ["B"] }}, {{ offset = 4, activate = ["A"] }}, {{ offset = 5, activate = ["B"] }}]
"""
OPERATIONS = (
    "StartScheduleTableRel(T{0}, {2}u)",
    "StartScheduleTableAbs(T{0}, {2}u)",
    "StopScheduleTable(T{0})",
    "NextScheduleTable(T{0}, T{1})",
)
SAYS = {"0": "stopped", "1": "next", "3": "started"}


def _driver(seed: int, turns: int) -> str:
    """An application whose lowest task calls a service of schedule tables in most ticks, and says each table's status."""
    random = Random(seed)
    cases = []
    for turn in range(turns):
        if random.random() < 0.6:
            operation = random.choice(OPERATIONS).format(random.randrange(4), random.randrange(4), random.randint(1, 12))
            cases.append(f"    case {turn}u: (void){operation}; break;\n")
    return f"""
#include "os.h"
#include "carillon/console.h"
TASK(A)
{{
    TerminateTask();
}}
TASK(B)
{{
    TerminateTask();
}}
TASK(Drive)
{{
    static uint32_t turn;
    static char said[] = "0000";
    switch (turn) {{
{"".join(cases)}    default: break;
    }}
    for (ScheduleTableType table = 0; table < 4u; table++) {{
        ScheduleTableStatusType status = 9u;
        (void)GetScheduleTableStatus(table, &status);
        said[table] = (char)('0' + status);
    }}
    carillon_say(said, turn);
    turn++;
    TerminateTask();
}}
"""


@pytest.mark.parametrize(
    ("board", "program", "dispatch", "kernel"),
    [
        ("ast1030-evb", "qemu-system-arm", "hardware", "carillon"),
        ("ast1030-evb", "qemu-system-arm", "software", "conventional"),
        ("mps2-an385", "qemu-system-arm", "hardware", "carillon"),
        ("qemu-rv32-virt", "qemu-system-riscv32", "software", "carillon"),
    ],
)
def test_what_the_trace_says_of_tables_is_what_they_say_of_themselves(
    board: str, program: str, dispatch: str, kernel: str, tmp_path: Path
) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    turns, tick = 200, 10_000
    (tmp_path / "main.c").write_text(_driver(7, turns), encoding="utf-8")
    (tmp_path / "schedule.toml").write_text(DRIVEN.format(board=board, dispatch=dispatch, tick=tick), encoding="utf-8")
    diagnostics = Diagnostics()
    planned = plan(tmp_path / "schedule.toml", diagnostics, None, kernel)
    firmware = build(planned.image, tmp_path / "build", diagnostics)
    assert firmware is not None, [str(d) for d in diagnostics.reported]
    found = run(planned.image, firmware, (turns + 1) * tick, diagnostics)
    assert found is not None, [str(d) for d in diagnostics.reported]
    said = [line.split()[0] for line in found.output.splitlines()][:turns]
    drives = [e.t for e in found.events if e.kind is Kind.END and e.object == "Drive"][:turns]
    assert len(said) == len(drives) == turns
    assert {status for line in said for status in line} == set(SAYS)
    for statuses, t in zip(said, drives, strict=True):
        now = {s.name: "next" if s.next else "started" for s in found.tables if s.begin <= t < s.end}
        assert [now.get(f"T{k}", "stopped") for k in range(4)] == [SAYS[status] for status in statuses], t
    points = [e for e in found.events if e.kind is Kind.POINT]
    starts = [e for e in found.events if e.kind is Kind.START and e.object in ("A", "B")]
    assert len(starts) > turns // 4
    assert len(points) >= len(starts)  # an activation may be one too many
    assert all(any(p.n <= s.n < p.n + tick for p in points) for s in starts)


def test_a_table_on_cells_that_services_start_and_stop_is_shown_when_it_runs(tmp_path: Path) -> None:
    """One stop stands in the application, without a call; the other one calls the service."""
    schedule = """
[system]
board = "ast1030-evb"
sources = ["main.c"]
[osek.task.Main]
priority = 1
autostart = true
[osek.task.Work]
priority = 2
[osek.counter.Time]
tick = "1000 ticks"
max_allowed = 99
[osek.schedule_table.Drive]
counter = "Time"
duration = 10
repeating = true
cells = true
point = [{ offset = 1, activate = ["Work"] }]
"""
    code = """
#include "os.h"
TASK(Work)
{
    TerminateTask();
}
TASK(Main)
{
    carillon_work(500u);
    (void)StartScheduleTableRel(Drive, 1u);
    carillon_work(20000u);
    (void)StopScheduleTable(Drive);
    carillon_work(20000u);
    (void)StartScheduleTableRel(Drive, 1u);
    carillon_work(20000u);
    (void)(StopScheduleTable)(Drive);
    TerminateTask();
}
"""
    found = traced(tmp_path, schedule, code, 80_000)
    assert [(table.name, table.begin // 1000, table.end // 1000) for table in found.tables] == [
        ("Drive", 0, 20),
        ("Drive", 40, 60),
    ]
    assert len([e for e in found.events if e.kind is Kind.START and e.object == "Work"]) == 4
