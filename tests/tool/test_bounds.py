# SPDX-License-Identifier: Apache-2.0
"""What is printed before a run is held against the run; a run above it is an error with its place."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import carillon.pipeline as pipeline
from carillon.cli import app
from carillon.read.board import load_board
from carillon.trace.bounds import Bounds, ModeBounds

BOARDS = Path(__file__).parents[2] / "boards"

SCHEDULE = """
[system]
name = "app"
board = "{board}"
{keys}
[task.A]
wcet = "300 ticks"
[task.B]
wcet = "300 ticks"
[mode.normal]
round = "8000 ticks"
points = [
    {{ at = "500 ticks", activate = "A", deadline_at = "1500 ticks" }},
    {{ at = "3000 ticks", activate = "B", deadline_at = "4000 ticks" }},
]
"""
CODE = '#include "carillon/osektime.h"\nttTASK(A) { carillon_work(100u); }\nttTASK(B) { carillon_work(200u); }\n'


SOURCES = {"tc1796": "srn64", "virtual-256": "ext0"}
SWITCHES = """
[system]
name = "app"
board = "{board}"
{keys}
[task.A]
wcet = "300 ticks"
[task.B]
wcet = "300 ticks"
[interrupt.I]
source = "{source}"
priority = "below-tasks"
[mode.first]
round = "8000 ticks"
points = [
    {{ at = "0 ticks", enable = "I" }},
    {{ at = "500 ticks", activate = "A", deadline_at = "1500 ticks" }},
]
[mode.second]
round = "9000 ticks"
points = [
    {{ at = "500 ticks", activate = "B", deadline_at = "1500 ticks" }},
]
"""
SWITCHING = """#include "carillon/osektime.h"
#include "carillon_port.h"
ttTASK(A) { carillon_port_pend(SOURCEu); (void)ttSwitchAppMode(ttAppMode_second); }
ttTASK(B) { carillon_work(20u); }
void I(void);
void I(void) { carillon_work(50u); }
"""


def ran(folder: Path, board: str, keys: str = "", schedule: str = SCHEDULE, code: str = "") -> tuple[int, list[str]]:
    """The exit code, and what a run says with C309."""
    (folder / "schedule.toml").write_text(
        schedule.format(board=board, keys=keys, source=SOURCES.get(board, "soft0")), encoding="utf-8"
    )
    (folder / "main.c").write_text(code or CODE, encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(folder / "schedule.toml"), "--rounds", "3", "--json"])
    found = json.loads(done.stdout)["diagnostics"]
    return done.exit_code, [d["cause"] for d in found if d["code"] == "C309"]


@pytest.mark.parametrize("board", ["virtual-256", "ast1030-evb", "atmega128"])
def test_a_run_within_what_is_printed_is_no_error(tmp_path: Path, board: str) -> None:
    assert ran(tmp_path, board) == (0, [])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"starts": {"A": 0, "B": 0}}, "task 'A' starts at most 0 ticks late, as plan says; it started 6 ticks late"),
        ({"kernel": 1}, "kernel code takes at most 1 instructions in a round of mode 'normal', as plan says; it took 20"),
        ({"interrupts": 1}, "a round of mode 'normal' has 1 interrupts, as plan says; it had 2"),
        ({"idle": 7990}, "the processor idles for 7990 ticks at least in a round of mode 'normal', as plan says; it idled for"),
    ],
)
def test_a_run_above_what_is_printed_is_an_error_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: dict[str, object], said: str
) -> None:
    known = pipeline.bounds_of

    def other(planned: pipeline.Planned) -> Bounds:
        bounds = known(planned)
        own = {name: value for name, value in changed.items() if name != "starts"}
        modes = {name: replace(mode, **own) for name, mode in bounds.modes.items()} if own else bounds.modes  # type: ignore[arg-type]
        return replace(bounds, modes=modes, starts=changed.get("starts", bounds.starts))  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "bounds_of", other)
    code, (cause, *_) = ran(tmp_path, "ast1030-evb")
    assert code == 1
    assert cause.startswith(said), cause
    assert "from tick " in cause
    assert " of the run on" in cause


def test_a_person_sees_the_error_too_and_the_command_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "bounds_of", lambda _: Bounds({"A": 0, "B": 0}))
    ran(tmp_path, "ast1030-evb")
    done = CliRunner().invoke(app, ["run", str(tmp_path / "schedule.toml"), "--rounds", "3"])
    assert done.exit_code == 1
    assert "error C309: task 'A' starts at most 0 ticks late, as plan says" in done.stderr


@pytest.mark.parametrize("board", ["tc1796", "virtual-ast1030-evb", "virtual-256", "ast1030-evb", "mps2-an385"])
def test_what_is_not_of_a_round_is_not_held_against_it(tmp_path: Path, board: str) -> None:
    """A re-enable point of the mode that is left, on the tick of the switch, and the interrupt that it lets through."""
    assert ran(tmp_path, board, "", SWITCHES, switching(board)) == (0, [])


def test_a_mode_that_begins_at_another_time_than_is_printed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = pipeline.bounds_of

    def other(planned: pipeline.Planned) -> Bounds:
        bounds = known(planned)
        return replace(bounds, modes={name: replace(m, gap=(m.gap or 0) + 1) for name, m in bounds.modes.items()})

    monkeypatch.setattr(pipeline, "bounds_of", other)
    code, (cause, *_) = ran(tmp_path, "ast1030-evb", "", SWITCHES, switching("ast1030-evb"))
    assert code == 1
    assert "ticks after the end of a round of mode 'first', as plan says; mode 'second' began" in cause


def switching(board: str) -> str:
    """The code of two modes, of which the first asks for the second."""
    return SWITCHING.replace(
        "SOURCE", str(load_board(BOARDS / board / "board.toml").application_sources[SOURCES.get(board, "soft0")])
    )


def test_nothing_is_judged_of_a_run_that_refutes_the_schedule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    none = Bounds({"A": 0, "B": 0}, {"normal": ModeBounds(0, 0, 8000)})
    monkeypatch.setattr(pipeline, "bounds_of", lambda _: none)
    monkeypatch.setattr("test_bounds.CODE", CODE.replace("100u", "400u"))
    code, causes = ran(tmp_path, "ast1030-evb")
    assert (code, causes) == (0, [])


def test_a_table_is_priced_as_its_cell_is_rearmed(tmp_path: Path) -> None:
    """The dual timer takes longer than others: once, starts came 11 ticks late where plan said 10."""
    points = 'start_within = "20us"\n'
    text = SCHEDULE.format(board="mps2-an385", keys=points).replace('[task.B]\nwcet = "300 ticks"\n', "").replace('"B"', '"A"')
    (tmp_path / "schedule.toml").write_text(text.replace('"4000 ticks"', '"4500 ticks"'), encoding="utf-8")
    (tmp_path / "main.c").write_text(CODE.replace("ttTASK(B) { carillon_work(200u); }\n", ""), encoding="utf-8")
    done = CliRunner().invoke(app, ["run", str(tmp_path / "schedule.toml"), "--rounds", "3", "--json"])
    assert done.exit_code == 0, done.output
    (task,) = json.loads(done.stdout)["runs"][0]["summary"]["tasks"]
    assert task["start_delay"]["max"] <= task["start_bound"]
