# SPDX-License-Identifier: Apache-2.0
"""An action is one thing: one class of the tool, one number of the kernel, one piece of it."""

from __future__ import annotations

import re
from pathlib import Path

from carillon.actions.every import ACTIONS, of
from carillon.model.osek import ALARM_ACTIONS, ActivateTask, AlarmAction, Callback, IncrementCounter, SetEvent
from carillon.model.several import Several, SeveralThenIncrement, composed

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = {
    name: int(number)
    for name, number in re.findall(
        r"#define CARILLON_ACTION_(\w+) (\d+)u", (ROOT / "kernel/contract/action.h").read_text(encoding="utf-8")
    )
}
NEW = "<!-- begin: files of a new action -->", "<!-- end: files of a new action -->"


def test_no_two_actions_have_one_number() -> None:
    assert sorted(NUMBERS.values()) == list(range(len(NUMBERS)))


def test_a_delay_that_is_over_has_the_number_that_is_asked_for_fastest() -> None:
    assert NUMBERS["WAKE"] == 0


def test_the_kernel_knows_every_action_that_a_table_can_have() -> None:
    named = {c.constant for c in ACTIONS.values() if c.constant}
    assert named <= set(NUMBERS)
    assert {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", n).upper(): c.constant for n, c in ACTIONS.items() if c.constant} == {
        c: c for c in named
    }


def test_what_verify_expects_of_an_alarm_is_what_the_kernel_calls_it() -> None:
    """``verify`` imports none of the actions, so that the model has the number for it."""
    said = {c.says: c for c in ACTIONS.values() if c.says is not None}
    every: tuple[type[AlarmAction], ...] = (*ALARM_ACTIONS, Several, SeveralThenIncrement)
    assert set(said) == set(every)
    assert {a: a.number for a in every} == {a: NUMBERS[said[a].constant] for a in every}


def test_an_alarms_action_is_what_its_table_says() -> None:
    assert of(SetEvent("Control", "Ready")).phrase == "sets Ready of Control"
    assert of(Callback("Toggle")).phrase == "calls Toggle"


def test_several_actions_are_one_that_knows_the_others() -> None:
    wakes, calls, counts = ActivateTask("A"), Callback("Toggle"), IncrementCounter("C")
    assert composed([wakes]) is wakes
    assert of(composed([wakes, calls])).phrase == "activates A, then calls Toggle"
    assert of(composed([calls, counts])).phrase == "calls Toggle, then increments C"
    assert composed([wakes, calls, counts]).each == (wakes, calls, counts)
    assert isinstance(composed([wakes, counts]), IncrementCounter)


def test_the_kernel_does_an_action_in_one_place() -> None:
    """Who has an action done asks for nothing but what it does in a frame of its own: the file that DESIGN names."""
    asks = re.compile(r"CARILLON_ACTION_(\w+)")
    shared = {"ACTIVATE", "SET_EVENT", "GIVE"}
    folders = ("levels", "jobs", "counters", "run")
    files = [*(path for name in folders for path in (ROOT / "kernel" / name).glob("*.c")), ROOT / "kernel/time/due.c"]
    pieces = set(re.findall(r"carillon_is_action\(\w+, action, CARILLON_ACTION_(\w+)\)", _text("kernel/jobs/act.h")))
    assert pieces == shared
    for path in files:
        found = set(asks.findall(path.read_text(encoding="utf-8"))) & shared
        assert found <= ({"ACTIVATE"} if path.name == "error.c" else set()), path.name  # whose service an error is told of


def test_a_new_action_touches_five_files_or_fewer() -> None:
    lists = _text("docs/DESIGN.md").split(NEW[0])[1].split(NEW[1])[0].strip().splitlines()
    rows = [re.findall(r"`([\w/.]+)`", line) for line in lists if line.startswith("| ") and "`" in line]
    assert len(rows) == 2
    for files in rows:
        assert 1 <= len(files) <= 5
        for file in files:
            assert (ROOT / file.replace("NNN", "activate")).is_file(), file


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")
