# SPDX-License-Identifier: Apache-2.0
"""Random applications are the same in a schedule and in ARXML, and whatever a file holds, only diagnostics come of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from test_arxml import BAD, EXAMPLES_FOLDER, GOOD, bare, exported, imported, system, write

import asked
from carillon.check import check_system
from carillon.diagnostics import Diagnostics
from carillon.frontends import read_foreign, read_schedule
from carillon.frontends.foreign.converted import Converted
from carillon.frontends.foreign.places import Places
from carillon.frontends.foreign.write import schedule_text

TICKS = ("1ms", "250us", "0.25ms", "320ns", "0.00064ms", "1s", "1000 ticks", "1 tick")
SETTINGS = settings(max_examples=asked.tries(30), deadline=None, suppress_health_check=list(HealthCheck))


def declare(table: dict[str, Any], maybe: Callable[..., None]) -> None:
    """What the analysis of response times is told, in the words of the schedule."""
    times = st.sampled_from([*TICKS, "200us", "1.5ms"])
    maybe(table, "wcet", times)
    maybe(table, "deadline", times)
    maybe(table, "min_interval", times)
    if "min_interval" in table:
        maybe(table, "jitter", times)


@st.composite
def applications(draw: st.DrawFn) -> dict[str, Any]:
    """The tables of a schedule with an event-triggered system, whose values are often those that are rare."""

    def maybe(table: dict[str, Any], key: str, values: st.SearchStrategy[Any]) -> None:
        if draw(st.booleans()):
            table[key] = draw(values)

    def some(names: list[str]) -> st.SearchStrategy[list[str]]:
        return st.lists(st.sampled_from(names), unique=True) if names else st.just([])

    def named(stem: str, least: int, most: int) -> list[str]:
        return [f"{stem}{n}" for n in range(draw(st.integers(least, most)))]

    modes, events, resources = named("Mode", 0, 3), named("Event", 0, 4), named("Resource", 0, 4)
    tasks, counters, alarms, isrs = named("Task", 1, 5), named("Counter", 1, 3), named("Alarm", 0, 5), named("Isr", 0, 3)
    truth = st.booleans()
    osek: dict[str, Any] = {}
    maybe(osek, "status", st.sampled_from(["standard", "extended"]))
    maybe(osek, "dispatch", st.sampled_from(["hardware", "software"]))
    maybe(
        osek,
        "hooks",
        st.lists(st.sampled_from(["startup", "shutdown", "error", "pretask", "posttask", "protection"]), unique=True),
    )
    for switch in ("get_service_id", "parameter_access", "stack_check"):
        maybe(osek, switch, truth)
    if modes:
        osek["modes"] = draw(st.permutations(modes))
    owned: dict[str, list[str]] = {task: [] for task in tasks}
    for event in events:
        owned[draw(st.sampled_from(tasks))].append(event)
    properties = {name: draw(st.sampled_from(["standard", "standard", "linked", "internal"])) for name in resources}
    plain = [name for name in resources if properties[name] == "standard"]
    osek["resource"] = {}
    for name in resources:
        table = osek["resource"][name] = {"property": properties[name]}
        if properties[name] == "linked":
            assume(bool(plain))
            table["linked"] = draw(st.sampled_from(plain))
    takeable = [name for name in resources if properties[name] != "internal"]
    osek["task"] = {}
    for name in tasks:
        table = osek["task"][name] = {"priority": draw(st.sampled_from([0, 1, 7, 65535]))}
        maybe(table, "schedule", st.sampled_from(["full", "non"]))
        maybe(table, "autostart", st.one_of(truth, some(modes)))
        maybe(table, "resources", some([*takeable, "RES_SCHEDULER"]))
        maybe(table, "budget", st.sampled_from(TICKS))
        maybe(table, "time_frame", st.sampled_from(TICKS))
        maybe(table, "overrun", st.sampled_from(["guarded", "never"]))
        maybe(table, "all_interrupts_lock", st.sampled_from(TICKS))
        maybe(table, "os_interrupts_lock", st.sampled_from(TICKS))
        declare(table, maybe)
        held = table.get("resources", [])
        if held and draw(st.booleans()):
            table["resource_lock"] = [{"resource": r, "budget": draw(st.sampled_from(TICKS))} for r in held]
        if owned[name]:
            table["events"] = owned[name]
            maybe(table, "stack", st.integers(128, 4096))
        else:
            maybe(table, "activations", st.integers(1, 255))
    osek["event"] = {name: {} for name in events}
    osek["counter"] = {}
    hardware = []
    for name in counters:
        table = osek["counter"][name] = {}
        maybe(table, "max_allowed", st.sampled_from([1, 10, 65535, 0xFFFF_FFFF]))
        maybe(table, "ticks_per_base", st.sampled_from([1, 2]))
        maybe(table, "readable", truth)
        if draw(truth):
            table["kind"] = "software"
        else:
            table["tick"] = draw(st.sampled_from(TICKS))
            hardware.append(name)
    software = [name for name in counters if name not in hardware]
    osek["isr"] = {}
    for number, name in enumerate(isrs):
        table = osek["isr"][name] = {"source": f"soft{number}"}
        maybe(table, "category", st.sampled_from([1, 2]))
        maybe(table, "priority", st.integers(0, 65535))
        declare(table, maybe)
        if table.get("category", 2) == 2:
            maybe(table, "resources", some(takeable))
            maybe(table, "time_frame", st.sampled_from(TICKS))
    osek["alarm"] = {}
    waiting = [(task, event) for task in tasks for event in owned[task]]
    for name in alarms:
        counter = draw(st.sampled_from(counters))
        table = osek["alarm"][name] = {"counter": counter}
        kind = draw(st.sampled_from(["activate", "set_event", "callback", "increment"]))
        if kind == "set_event" and waiting:
            task, event = draw(st.sampled_from(waiting))
            table["set_event"] = {"task": task, "event": event}
        elif kind == "increment" and software and counter in hardware:
            table["increment"] = draw(st.sampled_from(software))
        elif kind == "callback":
            table["callback"] = f"Call{name}"
        else:
            table["activate"] = draw(st.sampled_from(tasks))
        if draw(truth):
            start: dict[str, Any] = {}
            maybe(start, "at", st.sampled_from([1, 2]))
            maybe(start, "cycle", st.sampled_from([0, 1, 10]))
            maybe(start, "absolute", truth)
            if modes:
                maybe(start, "modes", st.lists(st.sampled_from(modes), min_size=1, unique=True))
            table["autostart"] = start
        maybe(table, "static", truth)
    osek["schedule_table"] = {}
    settable = [{"task": task, "event": event} for task, event in waiting]
    for name in named("Table", 0, 2):
        counter = draw(st.sampled_from(counters))
        most = osek["counter"][counter].get("max_allowed", 10)
        delays = draw(st.lists(st.integers(1, min(most, 9)), min_size=1, max_size=3))
        table = osek["schedule_table"][name] = {"counter": counter, "duration": sum(delays) + min(most, 2)}
        maybe(table, "repeating", truth)
        explicit = draw(truth)
        if explicit:
            table["sync"] = "explicit"
            maybe(table, "precision", st.just(1))
        table["point"] = []
        for number in range(len(delays)):
            point: dict[str, Any] = {"offset": sum(delays[: number + 1])}
            point["activate"] = draw(st.lists(st.sampled_from(tasks), unique=True, min_size=1))
            maybe(point, "set_event", st.lists(st.sampled_from(settable), max_size=1) if settable else st.just([]))
            if explicit and number:
                maybe(point, "max_shorten", st.integers(0, delays[number] - 1))
            table["point"].append(point)
        if draw(truth):
            kind = draw(st.sampled_from(["relative", "absolute", "synchron"] if explicit else ["relative", "absolute"]))
            table["autostart"] = {"synchron": True} if kind == "synchron" else {"at": 1, "absolute": kind == "absolute"}
            if modes:
                maybe(table["autostart"], "modes", st.lists(st.sampled_from(modes), min_size=1, unique=True))
    if hardware:  # what can be on cells is easily drawn as what cannot
        tasked = [{"offset": 1, "activate": [tasks[0]]}]
        table = {"counter": hardware[0], "duration": 2, "repeating": True, "point": tasked}
        maybe(osek["schedule_table"], "OnCells", st.just({**table, "cells": True}))
        maybe(osek["schedule_table"], "Followed", st.just({**table, "cells": True, "followed": True}))
    data: dict[str, Any] = {"system": {"name": draw(st.sampled_from(["engine", "my-app", "A1"]))}, "osek": osek}
    maybe(data["system"], "board", st.sampled_from(["mps2-an385", "virtual-ast1030-evb"]))
    return data


@SETTINGS
@given(data=applications())
def test_an_application_is_the_same_in_a_schedule_and_in_arxml(data: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "main.c").touch()
    text = schedule_text(Converted("a test", data, Places("schedule.toml")), tmp_path / "schedule.toml", tmp_path)
    schedule = write(tmp_path, text, "schedule.toml")
    diagnostics = Diagnostics()
    wanted = read_schedule(schedule, diagnostics)
    assume(not diagnostics.errors)
    first = write(tmp_path, exported(schedule), "first.arxml")
    assert system(first) == bare(wanted)
    again = write(tmp_path, imported(first), "again.toml")
    assert system(again) == bare(wanted)
    assert exported(again) == first.read_text(encoding="utf-8")
    quiet = Diagnostics()
    read_foreign(first, quiet)
    assert not quiet.reported, "what Carillon wrote leaves nothing open"


# Whatever a file holds

FILES = sorted([*GOOD.glob("*.arxml"), *BAD.glob("*.arxml"), *EXAMPLES_FOLDER.glob("arxml-*/*.arxml")])
PIECES = [
    *b"< > </ /> & ; ' <!-- --> <![CDATA[ ]]> <? ?> \x00 \xff \xef\xbb\xbf".split(b" "),
    *b"<!DOCTYPE x [ ]> <!ENTITY &a; &#0; &#x41;".split(b" "),
    *b"-1 0 1.5 1e9 0x 4294967296 true FULL CATEGORY_1 OsTask OsAlarm OsOS / // ../ <VALUE/> <SHORT-NAME/>".split(b" "),
    b"<CONTAINER><SHORT-NAME>a</SHORT-NAME>",
    b"<ECUC-CONTAINER-VALUE>",
    b"</ECUC-CONTAINER-VALUE>",
    b"http://autosar.org/3.1.4",
    b"http://autosar.org/schema/r4.0",
]


def damaged(seed: int) -> bytes:
    """A file of the corpus with some of it lost, doubled, moved or replaced."""
    dice = random.Random(seed)
    content = dice.choice(FILES).read_bytes()
    lines = content.split(b"\n")
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(lines))
        match dice.randrange(5):
            case 0:
                del lines[at : at + dice.randint(1, 3)]
            case 1:
                lines[at:at] = lines[at : at + dice.randint(1, 12)]
            case 2:
                lines[at] = lines[dice.randrange(len(lines))]
            case 3:
                cut = dice.randint(0, len(lines[at]))
                lines[at] = lines[at][:cut] + dice.choice(PIECES) + lines[at][cut:]
            case 4:
                lines[at] = lines[at].replace(dice.choice([b"Os", b"<", b"/", b">", b"OsTask", b"VALUE"]), dice.choice(PIECES))
        lines = lines or [b""]
    return b"\n".join(lines)


@pytest.mark.parametrize("part", range(4))
def test_only_diagnostics_come_of_a_damaged_file(part: int, tmp_path: Path) -> None:
    path = tmp_path / "fuzz.arxml"
    for seed in range(part * 60, part * 60 + 60):
        content = damaged(seed)
        path.write_bytes(content)
        diagnostics = Diagnostics()
        found = read_schedule(path, diagnostics)
        if found is not None:
            check_system(found, diagnostics)
        lines = content.split(b"\n")
        for diagnostic in diagnostics.reported:
            if diagnostic.span is not None:
                assert diagnostic.span.file == str(path), seed
                assert 1 <= diagnostic.span.line <= len(lines) + content.count(b"\r"), seed
        assert found is not None or diagnostics.errors, seed
        if not diagnostics.errors:
            imported(path)
