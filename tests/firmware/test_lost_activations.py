# SPDX-License-Identifier: Apache-2.0
"""A run tells of each activation that no job answers: an event, a column, a warning, and 3 with ``--strict``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from laboratory import AST, MPS, RV32, VIRTUAL, Laboratory
from typer.testing import CliRunner

from carillon.cli import app
from runnable import NODE

BOARDS = [VIRTUAL, AST, MPS, RV32, "atmega128", "microbit", pytest.param("raspberry-pi-pico", marks=NODE)]
HEAD = "#define US(n) ((uint32_t)((uint64_t)CARILLON_CLOCK_HZ * (n) / 1000000u))\n"
CODE = HEAD + "TASK(Fast) { TerminateTask(); }\nTASK(Slow) { carillon_work(US(3500u)); TerminateTask(); }\n"
SCHEDULE = """
[osek]
[osek.task.Fast]
priority = 3
[osek.task.Slow]
priority = 1
schedule = "non"
[osek.counter.K]
tick = "1ms"
[osek.alarm.F]
counter = "K"
activate = "Fast"
autostart = {{ at = 1, cycle = {cycle} }}
[osek.alarm.S]
counter = "K"
activate = "Slow"
autostart = {{ at = 3, cycle = 20 }}
"""


def run(lab: Laboratory, board: str, schedule: str, code: str, folder: Path, *options: str) -> tuple[int, dict[str, object]]:
    path = lab.write(schedule, code)
    arguments = ["run", str(path), "--board", board, "--out", str(folder / "out"), "--json", *options]
    done = CliRunner().invoke(app, arguments)
    return done.exit_code, json.loads(done.stdout)


def lost(said: dict[str, object]) -> dict[str, int]:
    summary = said["runs"][0]["summary"]  # type: ignore[index]
    return {task["name"]: task["lost"] for task in summary["tasks"] if task["lost"]}


@pytest.mark.parametrize("board", BOARDS)
def test_activations_that_are_lost_are_told(lab: Laboratory, board: str, tmp_path: Path) -> None:
    events = tmp_path / "events"
    options = ("--for", "99500us", "--strict", "--events", str(events))
    code, said = run(lab, board, SCHEDULE.format(cycle=1), CODE, tmp_path, *options)
    assert code == 3
    counted = lost(said)["Fast"]
    assert counted >= 10  # of five jobs of Slow each holds three or more back, and one of these waits
    (warning,) = [d for d in said["diagnostics"] if d["code"] == "C311"]  # type: ignore[attr-defined]
    assert warning["cause"].startswith(f"task 'Fast' lost {counted} activations, the first at ")
    found = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    assert sum(e["event"] == "lost" and e["object"] == "Fast" for e in found) == counted


@pytest.mark.parametrize("board", BOARDS)
def test_a_run_without_lost_activations_says_nothing(lab: Laboratory, board: str, tmp_path: Path) -> None:
    code, said = run(lab, board, SCHEDULE.format(cycle=10), CODE, tmp_path, "--for", "99500us", "--strict")
    assert (code, lost(said)) == (0, {})
    assert not [d for d in said["diagnostics"] if d["code"] == "C311"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("board", [VIRTUAL, AST, "atmega128"])
def test_an_activation_of_a_round_that_is_absorbed_is_lost(lab: Laboratory, board: str, tmp_path: Path) -> None:
    """A job of 7 ms is activated each 2 ms: one activation waits, and the others are lost."""
    schedule = '[task.T]\nperiod = "2ms"\nmonitor = "never"\n'
    code = HEAD + "ttTASK(T) { carillon_work(US(7000u)); }\n"
    said = run(lab, board, schedule, code, tmp_path, "--for", "28ms", "--strict")
    assert said[0] == 3, said[1]
    assert 7 <= lost(said[1])["T"] <= 9  # 14 activations, of which four or five begin, and one waits


def test_an_activation_that_waits_stands_in_btf_where_it_came(lab: Laboratory, tmp_path: Path) -> None:
    path, file = lab.write(SCHEDULE.format(cycle=1), CODE), tmp_path / "run.btf"
    arguments = ["show", str(path), "--board", AST, "--out", str(tmp_path / "out"), "--for", "20ms", "--btf", str(file)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    rows = [row.split(",") for row in file.read_text(encoding="utf-8").splitlines() if ",Fast," in row]
    came = [int(row[0]) for row in rows if "activate" in row]
    begun = [int(row[0]) for row in rows if "start" in row]
    assert all(late >= 0 for late in (b - a for a, b in zip(came, begun, strict=True)))
    assert max(b - a for a, b in zip(came, begun, strict=True)) > 2_000_000  # ns: one waits for Slow
    assert all(at % 1_000_000 < 1000 for at in came)
