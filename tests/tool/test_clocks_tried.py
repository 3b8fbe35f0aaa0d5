# SPDX-License-Identifier: Apache-2.0
"""The clock that the tool takes is one at which the board can keep the schedule, and ``check`` says what ``build`` would say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from carillon.cli import app
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan

LONG = '[task.a]\nperiod = "10ms"\nwcet = "10us"\n'  # 160,000 ticks at the first clock of an AVR: more than 16 bits

DUE = 'deadline = "9ms"\n'  # no turns are counted to a deadline


def write(folder: Path, text: str) -> Path:
    path = folder / "schedule.toml"
    path.write_text(text, encoding="utf-8")
    return path


def carillon(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    return result.exit_code, result.output


@pytest.mark.parametrize("board", ["atmega128", "atmega128-xmem", "atmega2560"])
def test_the_first_clock_whose_ticks_and_range_fit_is_taken(tmp_path: Path, board: str) -> None:
    diagnostics = Diagnostics()
    assert plan(write(tmp_path, LONG), diagnostics, board).system.clock_hz == 2_000_000
    assert not diagnostics.errors


def test_a_clock_that_the_schedule_names_is_kept_and_the_message_names_one_that_would_do(tmp_path: Path) -> None:
    path = write(tmp_path, '[system]\nclock = "16MHz"\n' + LONG + DUE)
    with pytest.raises(CarillonError) as refused:
        plan(path, Diagnostics(), "atmega128")
    error = refused.value.diagnostics[0]
    assert error.code == "C061"
    assert error.remedy.startswith('write clock = "2MHz" in [system], at which all of it can be kept; or ')


def test_where_no_clock_would_do_no_message_speaks_of_another(tmp_path: Path) -> None:
    path = write(tmp_path, '[task.a]\nperiod = "400000s"\n')  # more turns of the slowest timer than are counted
    with pytest.raises(CarillonError) as refused:
        plan(path, Diagnostics(), "atmega128")
    assert "clock" not in refused.value.diagnostics[0].remedy


def test_where_no_clock_would_do_the_nearest_one_s_refusal_is_told(tmp_path: Path) -> None:
    """At 16 MHz deadlines of a round of 21 ms cannot be kept in 16 bits; at 2 MHz they fit, and something else would do."""
    task = '[task.{}]\nperiod = "{}ms"\noffset = "{}us"\ndeadline = "1ms"\nwcet = "50us"\n'
    path = write(tmp_path, "".join(task.format(name, period, at) for name, period, at in (("a", 7, 0), ("b", 21, 500))))
    with pytest.raises(CarillonError) as refused:
        plan(path, Diagnostics(), "arduino-uno")
    (error,) = refused.value.diagnostics
    assert (error.code, error.cause.partition(": mode")[0]) == ("C060", "at 2MHz, the clock that comes nearest")
    assert error.remedy.startswith("write start_within in [system]")
    willing = path.read_text(encoding="utf-8").replace("wcet =", 'start_within = "100us"\nwcet =')
    assert plan(write(tmp_path, willing), Diagnostics(), "arduino-uno").system.clock_hz == 2_000_000


def test_check_says_what_build_would_say(tmp_path: Path) -> None:
    tasks = "".join(f'[task.t{k}]\nperiod = "1ms"\noffset = "{k}us"\nwcet = "1us"\n' for k in range(3))
    path = write(tmp_path, tasks)
    code, said = carillon("check", str(path), "--board", "virtual-tiny")
    assert code == 1
    assert "error C060" in said
    assert said == carillon("build", str(path), "--board", "virtual-tiny")[1]
    code, said = carillon("check", str(path), "--board", "virtual-tiny", "--quick")
    assert code == 0
    assert "whether the board's cells and levels suffice was not looked at (--quick)" in said


def test_check_says_in_json_whether_it_allocated(tmp_path: Path) -> None:
    path = write(tmp_path, LONG)
    for options, allocated in (((), True), (("--quick",), False)):
        code, said = carillon("check", str(path), "--board", "virtual-256", "--json", *options)
        assert code == 0
        assert json.loads(said)["allocated"] is allocated


@pytest.mark.parametrize("command", ["check", "plan", "build", "run", "show"])
def test_every_command_that_plans_takes_a_limit(tmp_path: Path, command: str) -> None:
    code, said = carillon(command, str(tmp_path / "gone.toml"), "--time-limit", "5")
    assert code == 1
    assert "C010" in said
    assert carillon(command, str(tmp_path / "gone.toml"), "--time-limit", "0")[0] == 2


@pytest.mark.parametrize(
    "board", ["ast1030-evb", "atmega128", "atmega128-xmem", "atmega2560", "mps2-an385", "tc1796", "virtual-256"]
)
def test_what_new_makes_can_be_planned_on_the_board(tmp_path: Path, board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert carillon("new", "my-app")[0] == 0
    assert carillon("check", "my-app", "--board", board)[0] == 0


@pytest.mark.parametrize(("tick", "severity"), [("40ns", "error"), ("80ns", "warning"), ("120ns", "warning"), ("160ns", "")])
def test_ticks_that_take_the_processor_are_refused_or_warned_of(tmp_path: Path, tick: str, severity: str) -> None:
    """The handler of a tick takes 9 instructions of 8 ns, with a time base."""
    text = '[system]\nboard = "ast1030-evb"\nclock = "125MHz"\n[osek.task.A]\npriority = 1\n'
    text += f'[osek.counter.C]\ntick = "{tick}"\nmax_allowed = 65535\n'
    text += '[osek.alarm.L]\ncounter = "C"\nactivate = "A"\n'
    diagnostics = Diagnostics()
    try:
        plan(write(tmp_path, text), diagnostics)
    except CarillonError:
        assert severity == "error"
    found = [(d.code, d.severity.value) for d in diagnostics.reported]
    assert found == ([("C247", severity)] if severity else [])


def test_the_clock_is_taken_at_which_the_fewest_turns_are_counted(tmp_path: Path) -> None:
    """A turn of 4.2 s, at the slowest clock, is shorter than both periods; the offset is no whole number of its ticks."""
    path = write(tmp_path, '[task.a]\nperiod = "20s"\n[task.b]\nperiod = "7s"\noffset = "2ms"\n')
    planned = plan(path, Diagnostics(), "arduino-uno")
    assert planned.system.clock_hz == 62_500
    assert planned.image.laps == 7 * (20_000_000 // 16 // 65_536) + 20 * (7_000_000 // 16 // 65_536)
