# SPDX-License-Identifier: Apache-2.0
"""``carillon wcet``: what it prints of a run, and what it writes."""

from __future__ import annotations

import json
import tomllib
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from carillon.cli import app
from carillon.show.longest import as_written
from carillon.units import parse_time

SCHEDULE = """\
# what runs
[system]
name = "waiting"
board = "virtual-256"
clock = "1MHz"
sources = ["main.c"]

[stimuli]
rows = [{ at = "100us", every = "400us", source = "ext0" }]

[osek.task.Slow]   # no wcet
priority = 1

[osek.task]
Fast = { priority = 3 }  # inline
Never.priority = 2

[osek.isr.Rx]
source = "ext0"
wcet = "1us" # too short

[osek.counter.C]
tick = "1us"

[osek.alarm]
a = { counter = "C", activate = "Slow", autostart = { at = 1000, cycle = 1000 } }
b = { counter = "C", activate = "Fast", autostart = { at = 200, cycle = 300 } }
c = { counter = "C", set_event = { task = "W", event = "e" }, autostart = { at = 50, cycle = 500 } }

[osek.event.e]

[osek.task.W]
priority = 5
wcet = "8us"
autostart = true
events = ["e"]
"""
CODE = """\
#include "os.h"
static int often;
TASK(Slow) { carillon_work(150u); TerminateTask(); }
TASK(Fast) { carillon_work(often++ == 3 ? 40u : 20u); TerminateTask(); }
TASK(Never) { TerminateTask(); }
ISR(Rx) { carillon_work(5u); }
TASK(W)
{
    for (;;) {
        carillon_work(7u);
        WaitEvent(e);
        ClearEvent(e);
    }
}
"""
ROUND = """\
[system]
name = "round"
board = "ast1030-evb"
sources = ["main.c"]

[task.A]
period = "1ms"
deadline = "800us"

[task.B]
period = "2ms"
offset = "500us"
wcet = "400us"

[interrupt.I]
source = "soft0"
"""
ROUND_CODE = """\
#include "carillon/osektime.h"
static unsigned often;
ttTASK(A) { carillon_work(++often % 3u * 1000u); }
ttTASK(B) { carillon_work(5000u); }
void I(void) {}
"""
OIL = """\
OIL_VERSION = "2.5";
CPU app {
  CARILLON_BOARD = "virtual-256";
  OS os { STATUS = EXTENDED; };
  TASK T { PRIORITY = 1; SCHEDULE = FULL; ACTIVATION = 1; AUTOSTART = TRUE; };
  TASK U { PRIORITY = 2; SCHEDULE = FULL; ACTIVATION = 1; AUTOSTART = TRUE; CARILLON_WCET = "1ms"; };
};
"""
OIL_CODE = '#include "os.h"\nTASK(T) { carillon_work(50u); TerminateTask(); }\nTASK(U) { TerminateTask(); }\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("main.c").write_text(CODE, encoding="utf-8")
    Path("schedule.toml").write_text(SCHEDULE, encoding="utf-8")


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["wcet", *arguments], env={"COLUMNS": "200"}, prog_name="carillon")


def shown(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return "".join(f"{line.rstrip()}\n" for line in result.stdout.splitlines())


def test_the_longest_executions_of_a_run_and_that_longer_ones_may_exist() -> None:
    assert shown("--for", "10ms") == (
        "waiting on virtual-256: the longest executions, in ticks; 1 tick = 1us\n"
        "name   kind  declared       longest seen         of jobs  in tick  to write, with 20%\n"
        "Slow   task  -              150           150us  9        1000     180us\n"
        "Fast   task  -              40            40us   33       1100     48us\n"
        "Never  task  -              never ran            0        -        -\n"
        "W      task  8         8us  7             7us    21       0        -\n"
        "Rx     ISR   1         1us  5             5us    25       100      6us\n"
        "Each is the longest of so many jobs of a run of 10ms on virtual-256; a longer one may exist.\n"
        "A run proves no WCET. On a virtual board, code takes no time, but for calls of carillon_work.\n"
        "  · task 'Never' never ran: the run says nothing of it\n"
        "  · ISR 'Rx' executed for longer than its declared wcet\n"
        "Nothing was written; --write writes the last column into the schedule.\n"
    )
    assert Path("schedule.toml").read_text(encoding="utf-8") == SCHEDULE


def test_what_is_written_is_written_once_and_nothing_else_changes() -> None:
    said = shown("--for", "10ms", "--write", "--margin", "50%")
    assert said.endswith(
        'wrote schedule.toml:\n  task Slow: wcet = "225us"\n  task Fast: wcet = "60us"\n  ISR Rx: wcet = "7.5us"\n'.replace(
            "7.5us", "8us"
        )
        + "carillon check says whether the schedule holds with that.\n"
    )
    expected = SCHEDULE.replace("[osek.task.Slow]   # no wcet\npriority = 1\n", "[osek.task.Slow]   # no wcet\npriority = 1\n@")
    expected = expected.replace("@", 'wcet = "225us"\n').replace("{ priority = 3 }", '{ priority = 3, wcet = "60us" }')
    expected = expected.replace('wcet = "1us" # too short', 'wcet = "8us" # too short')
    written = Path("schedule.toml").read_text(encoding="utf-8")
    assert written == expected
    again = shown("--for", "10ms", "--write", "--margin", "90%")
    assert again.endswith("Nothing was written: all that ran have a wcet that the run does not refute.\n")
    assert Path("schedule.toml").read_text(encoding="utf-8") == expected


def test_a_file_with_other_line_ends_keeps_them() -> None:
    Path("schedule.toml").write_bytes(SCHEDULE.replace("\n", "\r\n").encode())
    shown("--for", "10ms", "--write")
    content = Path("schedule.toml").read_bytes()
    assert content.count(b"\n") == content.count(b"\r\n") == SCHEDULE.count("\n") + 1


def test_an_emulated_board_counts_instructions() -> None:
    Path("schedule.toml").write_text(ROUND, encoding="utf-8")
    Path("main.c").write_text(ROUND_CODE, encoding="utf-8")
    table = (
        "round on ast1030-evb: the longest executions, in ticks; 1 tick = 8ns\n"
        "name  kind       declared         longest seen            of jobs  in tick  to write, with 20%\n"
        "A     task       -                2013          16.104us  20       125016   19.328us\n"
        "B     task       50000     400us  5001          40.008us  10       62500    -\n"
        "I     interrupt  -                never ran               0        -        -\n"
        "Each is the longest of so many jobs of a run of 20ms on ast1030-evb; a longer one may exist.\n"
        "A run proves no WCET. The emulator counts instructions, 1 a tick. A chip may take longer for them.\n"
        "  · interrupt 'I' never ran: the run says nothing of it\n"
    )
    assert shown("--for", "20ms", "--write") == table + (
        'wrote schedule.toml:\n  task A: wcet = "19.328us"\ncarillon check says whether the schedule holds with that.\n'
    )
    assert tomllib.loads(Path("schedule.toml").read_text(encoding="utf-8"))["task"]["A"]["wcet"] == "19.328us"
    output = json.loads(run("--for", "20ms", "--json").stdout)
    assert [d["code"] for d in output["diagnostics"]] == ["C310"]  # of the interrupt, whose load is not known
    assert output["tasks"][0] == {
        "name": "A",
        "kind": "task",
        "line": 6,
        "wcet": 2416,
        "longest": 2013,
        "jobs": 20,
        "at": 125016,
        "ended": True,
        "exceeded": False,
        "stopped": None,
        "write": None,
        "write_ticks": None,
    }


def test_what_a_run_of_another_board_writes_holds_on_both() -> None:
    """125 MHz and 62.5 MHz would be whole; mps2-an385 has 25 MHz, so that ticks of both are whole only in 40 ns."""
    Path("schedule.toml").write_text(ROUND, encoding="utf-8")
    Path("main.c").write_text(ROUND_CODE, encoding="utf-8")
    shown("--board", "mps2-an385", "--for", "20ms", "--write")
    wcet = parse_time(tomllib.loads(Path("schedule.toml").read_text(encoding="utf-8"))["task"]["A"]["wcet"])
    for hz in (125_000_000, 25_000_000):
        assert wcet.ticks(hz).denominator == 1
    shown("--for", "20ms")


def test_a_job_that_had_not_ended_is_no_measure() -> None:
    Path("main.c").write_text(CODE.replace("150u", "1000000u"), encoding="utf-8")
    said = shown("--for", "10ms", "--write")
    assert "  · task 'Slow': its longest job had not ended when the run did, so that a part of it was seen\n" in said
    data = tomllib.loads(Path("schedule.toml").read_text(encoding="utf-8"))
    assert "wcet" not in data["osek"]["task"]["Slow"]
    assert data["osek"]["task"]["Fast"]["wcet"] == "48us"


@pytest.mark.parametrize("foreign", ["oil", "arxml"])
def test_files_of_other_tools_are_not_written(foreign: str) -> None:
    Path("app.oil").write_text(OIL, encoding="utf-8")
    Path("main.c").write_text(OIL_CODE, encoding="utf-8")
    if foreign == "arxml":
        assert CliRunner().invoke(app, ["export", "app.oil", "-o", "app.arxml"]).exit_code == 0
    before = Path(f"app.{foreign}").read_text(encoding="utf-8")
    result = run(f"app.{foreign}", "--board", "virtual-256", "--for", "10ms", "--write")
    assert result.exit_code == 1
    key = "CARILLON_WCET" if foreign == "oil" else "CarillonWcet"
    error = (
        f"error C350: carillon wcet writes into schedules (TOML), and 'app.{foreign}' is none\n"
        f'  help: write by hand: {key} = "60us" of task T\n1 error; carillon explain C350 says more\n'
    )
    assert result.stderr.endswith(error)
    assert "T     task  -" in result.stdout
    assert Path(f"app.{foreign}").read_text(encoding="utf-8") == before


def test_a_file_that_changes_during_the_run_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    import carillon.cli.runs as runs

    real = runs.build_and_run

    def changing(*arguments: Any, **named: Any) -> Any:
        Path("schedule.toml").write_text(SCHEDULE + "# mine\n", encoding="utf-8")
        return real(*arguments, **named)

    monkeypatch.setattr(runs, "build_and_run", changing)
    result = run("--for", "10ms", "--write")
    assert result.exit_code == 1
    assert result.stderr == (
        "error C350: 'schedule.toml' has changed during the run, and was not written\n"
        "  help: run the command again\n1 error; carillon explain C350 says more\n"
    )
    assert Path("schedule.toml").read_text(encoding="utf-8") == SCHEDULE + "# mine\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--margin", "20"], "usage: --margin '20': write a part of what was seen, such as 20%"),
        (["--margin=-5%"], "usage: --margin '-5%': write a part of what was seen, such as 20%"),
        (["--margin", "1001%"], "usage: --margin '1001%' is more than 1000%"),
        (["--for", "0ms"], "usage: --for '0ms' is less than a tick"),
        (
            ["a.giotto"],
            "usage: a Giotto program says the WCETs of its tasks in annotations; carillon run says which of them are too short",
        ),
    ],
)
def test_a_wrong_command_line_is_refused(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", message + "\n")


@given(st.integers(1, 10**12), st.sampled_from([1, 32_768, 1_000_000, 3_000_000, 3_579_545, 15_625_000, 16_000_000, 125_000_000]))
def test_a_written_time_reads_back_to_at_least_the_ticks(ticks: int, hz: int) -> None:
    read = parse_time(as_written(ticks, hz)).ticks(hz)
    assert read.denominator == 1
    assert ticks <= read <= ticks + ticks // 100


@given(st.integers(1, 10**9), st.sampled_from([32_768, 3_000_000, 15_625_000]), st.sampled_from([62_500, 16_000_000, 7_000_000]))
def test_a_time_for_two_clocks_is_whole_in_both(ticks: int, hz: int, other: int) -> None:
    time = parse_time(as_written(ticks, hz, other))
    assert time.unit != "ticks"
    assert time.ticks(hz).denominator == time.ticks(other).denominator == 1
    assert ceil(time.ticks(hz)) >= ticks
    assert time.ticks(other) >= Fraction(ticks * other, hz)


STOPPED = """\
[system]
name = "stopped"
board = "virtual-256"
sources = ["main.c"]
[time]
clock = "one-shot"
uses = ["delays"]
%s
[thread.A]
priority = 1
%s
[thread.B]
priority = %d
"""
STOPPED_CODE = """\
#include "carillon/time.h"
THREAD(A) { for (;;) { carillon_work(700u); carillon_delay(5000u); } }
THREAD(B) { for (;;) { carillon_work(700u); carillon_delay(5000u); } }
"""


@pytest.mark.parametrize(
    ("time", "thread", "priority", "by"),
    [
        ("", 'server = "S"\n[server.S]\nbudget = "300us"\nperiod = "1ms"', 2, "server 'S'"),
        ('slice = "200us"', "", 1, "the end of a slice"),
    ],
    ids=["server", "slices"],
)
def test_a_part_of_a_job_that_is_stopped_is_no_measure(time: str, thread: str, priority: int, by: str) -> None:
    Path("main.c").write_text(STOPPED_CODE, encoding="utf-8")
    Path("schedule.toml").write_text(STOPPED % (time, thread, priority), encoding="utf-8")
    said = shown("--for", "20ms", "--write")
    assert f"  · thread 'A': {by} may stop it within a job, so that parts of its jobs were seen\n" in said
    threads = tomllib.loads(Path("schedule.toml").read_text(encoding="utf-8"))["thread"]
    assert "wcet" not in threads["A"]
    assert threads["B"].get("wcet") == ("840us" if priority == 2 else None)
