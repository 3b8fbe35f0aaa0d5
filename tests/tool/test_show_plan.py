# SPDX-License-Identifier: Apache-2.0
"""The plan of an event-triggered system.

After a change that is meant: ``CARILLON_GOLDEN=write pytest tests/tool/test_show_plan.py``.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from carillon.cli import app
from carillon.diagnostics import Diagnostics
from carillon.pipeline import Planned, plan
from carillon.show.plan import plan_json, render_plan

GOLDEN = Path(__file__).parent / "golden"
EVENTS = """\
# SPDX-License-Identifier: Apache-2.0
[system]
name = "events"
board = "ast1030-evb"
[osek]
dispatch = "{dispatch}"
modes = ["normal", "test"]
[osek.task.Low]
priority = 10
autostart = true
resources = ["Bus"]
[osek.task.Server]
priority = 20
events = ["Go"]
stack = 500
resources = ["Alias"]
[osek.task.Pair]
priority = 30
[osek.task.Twice]
priority = 30
activations = 2
schedule = "non"
[osek.task.Blink]
priority = 40
[osek.isr.Button]
source = "soft0"
[osek.isr.Fault]
source = "soft1"
category = 1
[osek.event.Go]
[osek.resource.Bus]
[osek.resource.Alias]
property = "linked"
linked = "Bus"
[osek.counter.Clock]
tick = "1ms"
max_allowed = 1000
[osek.counter.Still]
tick = "10ms"
[osek.counter.Clicks]
kind = "software"
[osek.alarm.Cyclic]
counter = "Clock"
activate = "Blink"
autostart = {{ at = 1, cycle = 5 }}
[osek.alarm.Fixed]
counter = "Still"
activate = "Server"
static = true
autostart = {{ at = 1, cycle = 1 }}
[osek.alarm.Called]
counter = "Clock"
callback = "OnFixed"
autostart = {{ at = 1, cycle = 1 }}
[osek.alarm.Once]
counter = "Clock"
activate = "Low"
autostart = {{ at = 1 }}
[osek.alarm.InTest]
counter = "Clock"
activate = "Low"
autostart = {{ at = 1, cycle = 2, modes = ["test"] }}
[osek.alarm.Free]
counter = "Clock"
set_event = {{ task = "Server", event = "Go" }}
[osek.alarm.Counted]
counter = "Clicks"
activate = "Pair"
autostart = {{ at = 3, cycle = 3 }}
[osek.alarm.Step]
counter = "Clock"
increment = "Clicks"
"""
TABLES = """\
# SPDX-License-Identifier: Apache-2.0
[system]
name = "tables"
board = "{board}"
[osek]
modes = ["normal", "test"]
[osek.task.Low]
priority = 10
[osek.task.Server]
priority = 20
events = ["Go"]
[osek.task.High]
priority = 30
[osek.event.Go]
[osek.counter.Clock]
tick = "1ms"
max_allowed = 99
[osek.counter.Teeth]
kind = "software"
[osek.counter.Read]
tick = "4ms"
readable = true
[osek.counter.Even]
tick = "1ms"
[osek.alarm.Free]
counter = "Clock"
activate = "High"
[osek.schedule_table.Engine]
counter = "Clock"
duration = 50
repeating = true
sync = "explicit"
precision = 2
autostart = {{ synchron = true }}
[[osek.schedule_table.Engine.point]]
offset = 0
activate = ["Low", "High"]
set_event = [{{ task = "Server", event = "Go" }}]
max_lengthen = 3
max_shorten = 2
[[osek.schedule_table.Engine.point]]
offset = 20
activate = ["Low"]
max_shorten = 1
[osek.schedule_table.Limp]
counter = "Clock"
duration = 10
sync = "explicit"
point = [{{ offset = 10, set_event = [{{ task = "Server", event = "Go" }}] }}]
[osek.schedule_table.Crank]
counter = "Teeth"
duration = 60
repeating = true
autostart = {{ at = 1, modes = ["test"] }}
point = [{{ offset = 6, activate = ["High"] }}, {{ offset = 30, activate = ["Low"] }}]
[osek.schedule_table.Even2]
counter = "Even"
duration = 20
repeating = true
autostart = {{ at = 10, absolute = true }}
point = [{{ offset = 10, activate = ["High"] }}]
"""
ROUNDS = """
[task.Timed]
[mode.normal]
round = "10ms"
points = [{ at = "1ms", activate = "Timed" }]
"""


def schedule(folder: Path, dispatch: str = "hardware", more: str = "") -> Path:
    path = folder / "schedule.toml"
    (folder / "main.c").write_text("/* SPDX-License-Identifier: Apache-2.0 */\n", encoding="utf-8")
    path.write_text(EVENTS.format(dispatch=dispatch) + more, encoding="utf-8")
    return path


def planned(path: Path, kernel: str = "carillon") -> Planned:
    return plan(path, Diagnostics(), kernel=kernel)


def named(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in rows}


def rendered(planned: Planned) -> str:
    """The plan as a terminal of 100 columns shows it."""
    console = Console(file=io.StringIO(), width=100, no_color=True, force_terminal=False, legacy_windows=False)
    render_plan(console, planned)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"  # type: ignore[attr-defined]


def golden(name: str, text: str) -> str:
    """What it should be; it is ``text`` where that is asked for."""
    path = GOLDEN / name
    if os.environ.get("CARILLON_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_the_plan_of_an_event_triggered_system(tmp_path: Path, dispatch: str) -> None:
    text = rendered(planned(schedule(tmp_path, dispatch)))
    assert text == golden(f"plan-osek-{dispatch}.txt", text)


@pytest.mark.parametrize("board", ["ast1030-evb", "atmega2560"])
def test_the_plan_of_schedule_tables(tmp_path: Path, board: str) -> None:
    (tmp_path / "main.c").write_text("/* SPDX-License-Identifier: Apache-2.0 */\n", encoding="utf-8")
    path = tmp_path / "schedule.toml"
    path.write_text(TABLES.format(board=board), encoding="utf-8")
    text = rendered(planned(path))
    assert text == golden(f"plan-tables-{board}.txt", text)


TIMES = """\
[system]
name = "times"
[time]
clock = "one-shot"
slice = "10ms"
periods = ["7.001ms"]
[thread.Control]
priority = 2
period = "5ms"
[thread.Left]
priority = 1
[thread.Right]
priority = 1
stack = 512
"""


def test_the_plan_of_time_services(tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    (tmp_path / "main.c").touch()
    path.write_text(TIMES, encoding="utf-8")
    text = rendered(planned(path))
    assert text == golden("plan-time.txt", text)


def test_the_plan_of_time_services_as_json(tmp_path: Path) -> None:
    path = tmp_path / "schedule.toml"
    (tmp_path / "main.c").touch()
    path.write_text(TIMES, encoding="utf-8")
    found = plan_json(planned(path))["time"]
    assert (found["clock"]["kind"], found["clock"]["tick"], found["slices"]["tick"]) == ("one-shot", 1, 156_250)
    assert found["clock"]["cell"] != found["slices"]["cell"]
    assert [(t["name"], t["priority"], t["stack_bytes"], t["period"]) for t in found["threads"]] == [
        ("Control", 2, 1024, "5ms"), ("Left", 1, 1024, None), ("Right", 1, 512, None),
    ]  # fmt: skip
    advice = found["advice"]
    assert advice["periods"] == ["7.001ms", "5ms"]
    assert [(c["clock"], c["configured"], c["recommended"]) for c in advice["clocks"]] == [
        ("periodic", False, False), ("one-shot", True, True),
    ]  # fmt: skip
    assert len(advice["ticks"]) > 1
    assert [r["clock"] for r in advice["refused"]] == ["compare", "cells"]


@pytest.mark.parametrize(("at", "cycle", "ends"), [(10, 5, "; one every 5 ticks would do"), (3, 5, "its queue")])
def test_the_plan_says_if_a_counter_ticks_too_often(tmp_path: Path, at: int, cycle: int, ends: str) -> None:
    path = tmp_path / "schedule.toml"
    (tmp_path / "main.c").touch()
    table = '[system]\nname = "queue"\n[osek]\nmodes = ["one", "other"]\n[osek.task.T]\npriority = 1\n'
    table += '[osek.counter.C]\ntick = "1ms"\n[osek.alarm.A]\ncounter = "C"\nactivate = "T"\n'
    path.write_text(f'{table}autostart = {{ at = {at}, cycle = {cycle}, modes = ["one"] }}\n', encoding="utf-8")
    (counter,) = plan_json(planned(path))["osek"]["counters"]
    assert counter["why"].endswith(ends)


def test_the_plan_says_how_each_level_is_served(tmp_path: Path) -> None:
    found = plan_json(planned(schedule(tmp_path)))["osek"]
    assert (found["conformance"], found["stacks_bytes"]) == ("ECC2", 504)
    assert [(level["priority"], level["direct"], level["queue"]) for level in found["levels"]] == [
        *((40, True, 0), (30, False, 3), (20, False, 0), (10, True, 0)),
    ]
    assert all(level["source"] for level in found["levels"])
    blink = found["levels"][0]
    assert blink["cell"] == named(found["alarms"])["Cyclic"]["cell"]
    twice = named([task for level in found["levels"] for task in level["tasks"]])["Twice"]
    assert (twice["activations"], twice["runs_at"], twice["preemptable"]) == (2, 4, False)
    assert [(isr["name"], isr["level"]) for isr in found["isrs"]] == [("Fault", 6), ("Button", 5)]
    assert {name: row["ceiling"] for name, row in named(found["resources"]).items()} == {
        "Bus": 2,
        "Alias": 2,
        "RES_SCHEDULER": 4,
    }


def test_the_plan_says_why_an_alarm_is_in_the_queue(tmp_path: Path) -> None:
    found = plan_json(planned(schedule(tmp_path)))["osek"]
    why = {name: row["why"] for name, row in named(found["alarms"]).items()}
    assert why == {
        "Cyclic": "its expiry is the activation; in the queue once it has been cancelled",
        "Fixed": "its handler acts, on its task's level",
        "Called": "its calls and counts are not to be lost, which a tick can catch up with",
        "Once": "it expires once",
        "InTest": "not every application mode sets it",
        "Free": "it is set at run time",
        "Counted": "its counter is no timer's",
        "Step": "it is set at run time",
    }
    cells = {name: row["cell"] for name, row in named(found["counters"]).items()}
    assert cells["Clock"] is not None
    assert (cells["Still"], cells["Clicks"]) == (None, None)
    conventional = plan_json(planned(schedule(tmp_path), "conventional"))["osek"]
    assert named(conventional["alarms"])["Cyclic"]["why"] == "the conventional kernel has one timer"


def test_a_board_whose_cells_are_used_up_says_so(tmp_path: Path) -> None:
    many = "".join(
        f'[osek.task.T{n}]\npriority = {n}\n[osek.alarm.A{n}]\ncounter = "C"\nactivate = "T{n}"\n'
        f"autostart = {{ at = 1, cycle = {n + 1} }}\n"
        for n in range(12)
    )
    path = tmp_path / "schedule.toml"
    (tmp_path / "main.c").write_text("/* SPDX-License-Identifier: Apache-2.0 */\n", encoding="utf-8")
    head = '[system]\nname = "many"\nboard = "ast1030-evb"\n[osek]\ndispatch = "software"\n[osek.counter.C]\ntick = "1ms"\n'
    path.write_text(head + many, encoding="utf-8")
    why = [row["why"] for row in plan_json(planned(path))["osek"]["alarms"]]
    assert "no cell is left that can" in why
    assert "its handler acts; in the queue once it has been cancelled" in why


def test_a_mixed_plan_has_both(tmp_path: Path) -> None:
    found = plan_json(planned(schedule(tmp_path, more=ROUNDS)))
    assert [mode["mode"] for mode in found["modes"]] == ["normal"]
    assert not any(level["direct"] for level in found["osek"]["levels"])
    time_triggered = [carrier["level"] for carrier in found["modes"][0]["carriers"]]
    assert min(time_triggered) > max(isr["level"] for isr in found["osek"]["isrs"])


@pytest.mark.parametrize(
    ("more", "counted"),
    [
        ("", "events: 5 tasks, 2 ISRs, 8 alarms; no errors"),
        (ROUNDS, "events: 1 task, 1 mode, 1 activation in all rounds; event-triggered: 5 tasks, 2 ISRs, 8 alarms; no errors"),
    ],
)
def test_check_counts_event_triggered_objects(tmp_path: Path, more: str, counted: str) -> None:
    result = CliRunner().invoke(app, ["check", str(schedule(tmp_path, more=more))], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    assert counted in result.output


def test_the_drawing_looks_at_each_carriers_points_as_often_however_many_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from carillon.show import plan as module

    calls = []
    for count in (300, 1200):
        entries = "\n".join(f'    {{ at = "{20 * k + k * k % 7} ticks", activate = "T" }},' for k in range(count))
        path = tmp_path / f"{count}.toml"
        path.write_text(
            f'[system]\nname = "many"\nboard = "virtual-256"\n[task.T]\nwcet = "5 ticks"\n'
            f'[mode.m]\nround = "{20 * count} ticks"\nwindow = "wcet"\npoints = [\n{entries}\n]\n',
            encoding="utf-8",
        )
        planned = plan(path, Diagnostics())
        (carrier,) = planned.allocation.modes[0].carriers
        assert len(carrier.demand.points) == count
        looked: list[int] = []
        points = module._points
        with monkeypatch.context() as patch:
            patch.setattr(module, "_points", lambda c, n, p=points, seen=looked: seen.append(1) or p(c, n))
            render_plan(Console(file=io.StringIO(), width=100), planned)
        calls.append(len(looked))
    assert calls[0] == calls[1] < 10
