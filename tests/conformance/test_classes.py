# SPDX-License-Identifier: Apache-2.0
"""What each board reaches of the conformance classes (OSEK OS 2.2.3, section 3.2.2, table of minimum requirements).

BCC1 asks for 8 tasks that are not suspended, each with a priority of its own.  BCC2 adds several tasks of one priority and
several activations of a basic task.  ECC1 and ECC2 ask for 16 tasks of any kind and 16 priorities, and events.  Every class
has RES_SCHEDULER, the classes above BCC1 8 resources with it, an alarm, and an application mode.

The guide's table (docs/guide/osek.md) says what is found here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan
from carillon.resources import board_names

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "osek.md"
CLASSES = ("BCC1", "BCC2", "ECC1", "ECC2")
DISPATCHES = ("hardware", "software")
DOES_NOT_FIT = {"C160", "C161", "C162"}
EVENTS_OF_A_TASK = 8
RESOURCES = 7
"""Beside RES_SCHEDULER."""


def requirements(name: str, dispatch: str) -> str:
    """A schedule with what a class demands at least."""
    extended, several = name.startswith("E"), name.endswith("2")
    priorities = 16 if extended else 8
    text = f'[osek]\ndispatch = "{dispatch}"\n'
    for number in range(priorities):
        text += f"[osek.task.T{number}]\npriority = {number}\n"
        if extended and number % 2:
            events = ", ".join(f'"E{bit}"' for bit in range(EVENTS_OF_A_TASK))
            text += f"events = [{events}]\nstack = 128\n"
        elif several:
            text += "activations = 2\n"
        if name != "BCC1" and number < RESOURCES + 1:
            text += f'resources = ["R{number % RESOURCES}"]\n'
    if several:
        text += "[osek.task.Second]\npriority = 0\n"
    if extended:
        text += "".join(f"[osek.event.E{bit}]\n" for bit in range(EVENTS_OF_A_TASK))
    if name != "BCC1":
        text += "".join(f"[osek.resource.R{number}]\n" for number in range(RESOURCES))
    return text + '[osek.counter.C]\ntick = "1ms"\n[osek.alarm.A]\ncounter = "C"\nactivate = "T0"\n'


def reaches(name: str, board: str, dispatch: str, folder: Path) -> bool:
    """Whether the board takes a schedule with all that the class demands."""
    path = folder / "classes.toml"
    path.write_text(requirements(name, dispatch), encoding="utf-8")
    try:
        plan(path, Diagnostics(), board)
    except CarillonError as error:
        codes = {d.code for d in error.diagnostics if d.severity.value == "error"}
        assert codes <= DOES_NOT_FIT, error
        return False
    return True


def documented() -> dict[str, dict[str, list[str]]]:
    """The guide's table: board -> dispatch -> classes."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in GUIDE.read_text(encoding="utf-8").splitlines()]
    start = rows.index(["board", "levels", "dispatch in hardware", "in software"])
    found: dict[str, dict[str, list[str]]] = {}
    for boards, _, *cells in rows[start + 2 :]:
        classes = {dispatch: [] if cell == "none" else cell.split(", ") for dispatch, cell in zip(DISPATCHES, cells, strict=True)}
        found |= {board.strip("`"): classes for board in boards.split(", ")}
        if len(found) == len(board_names()):
            break
    return found


@pytest.mark.parametrize("board", board_names())
def test_the_guide_says_which_conformance_classes_a_board_reaches(board: str, tmp_path: Path) -> None:
    found = {dispatch: [n for n in CLASSES if reaches(n, board, dispatch, tmp_path)] for dispatch in DISPATCHES}
    assert found == documented()[board]


def test_every_board_is_in_the_guide() -> None:
    assert sorted(documented()) == sorted(board_names())
