# SPDX-License-Identifier: Apache-2.0
"""Whatever a schedule file holds, only diagnostics come out of reading and checking it."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from carillon.check import check_system
from carillon.diagnostics import Diagnostics
from carillon.frontends import read_schedule
from carillon.lower.lower import lower

BAD = Path(__file__).parent / "bad"
VALID = b"""\
[system]
name = "engine"
board = "virtual-tiny"
clock = "1MHz"
sources = []
start_mode = "limp"
on_deadline_miss = "continue"
inexact_times = "round"
idle = "spin"

[task.fuel]
entry = "fuel_step"
wcet = "10us"
period = "1ms"
offset = "0.5ms"
deadline = ["100us", "200us"]
monitor = "if-cells-allow"

[task.spark]

[interrupt.can_rx]
source = "ext0"
handler = "can_isr"
priority = "below-tasks"

[mode.run]
round = "2ms"
tasks = ["fuel"]
window = "deadline"
points = [
    { at = "1000 ticks", activate = "spark", deadline_at = "1200 ticks" },
    { at = "1000 ticks", enable = "can_rx" },
]

[mode.limp]
points = [{ at = "100us", enable = "can_rx" }]
"""
EVENTS = b"""\
[system]
board = "virtual-tiny"
sources = []

[osek]
status = "extended"
hooks = ["startup", "error"]
parameter_access = true
modes = ["normal", "test"]

[osek.task.Blink]
priority = 3
autostart = true
events = ["Go", "Stop"]
resources = ["Bus", "RES_SCHEDULER"]
stack = 512

[osek.task.Log]
priority = 1
schedule = "non"
activations = 2
autostart = ["test"]
resources = ["Link"]

[osek.isr.Button]
source = "ext0"
category = 2
resources = ["Bus"]

[osek.resource.Bus]
property = "standard"

[osek.resource.Link]
property = "linked"
linked = "Bus"

[osek.event.Go]
mask = 4

[osek.event.Stop]

[osek.counter.Timer]
tick = "1ms"
max_allowed = 65535
min_cycle = 2

[osek.counter.Soft]
kind = "software"

[osek.alarm.Tick]
counter = "Timer"
activate = "Log"
autostart = { at = 1, cycle = 10, modes = ["normal"] }

[osek.alarm.Event]
counter = "Soft"
set_event = { task = "Blink", event = "Go" }

[osek.alarm.Call]
counter = "Timer"
callback = "OnTick"

[osek.alarm.Chain]
counter = "Timer"
increment = "Soft"

[osek.schedule_table.Plan]
counter = "Timer"
duration = 100
repeating = true
sync = "explicit"
precision = 2
autostart = { at = 5, modes = ["test"] }

[[osek.schedule_table.Plan.point]]
offset = 10
activate = ["Log"]
set_event = [{ task = "Blink", event = "Go" }]
max_lengthen = 3

[[osek.schedule_table.Plan.point]]
offset = 20
activate = ["Blink"]
max_shorten = 2
"""
SCHEDULES = [VALID, EVENTS]
TOKENS = [
    *(b"[ ] { } = , . # \" ' \\ \n [[ ]] \xff \x00 \xef\xbb\xbf true 1e9 -1 0 nan 1979-05-27 \"\" [] {} '''".split(b" ")),
    *(b'"1us" "0us" "-1us" "1" "99999999999999999999s" "0.3us" "fuel" "spark" "can_rx" "ext0" "run" "sleep" "wcet"'.split()),
    *(b"system task interrupt mode points at activate enable deadline_at round period offset [task.fuel] [mode.run]".split()),
    *b"[osek] [osek.task.Blink] [osek.task] [osek.alarm.Call] [osek.counter.Soft] osek osek.task.A.priority = true".split(),
    *b"autostart set_event increment callback events resources linked property category mask tick kind modes".split(),
    *b"[[osek.schedule_table.Plan.point]] schedule_table point duration offset sync precision synchron max_shorten".split(),
    *b'"Blink" "Log" "Go" "Bus" "Link" "Timer" "Soft" "internal" "linked" "software" "RES_SCHEDULER" "normal" ["Go"] 3'.split(),
]
SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def only_diagnostics(tmp_path: Path) -> Callable[[bytes], Diagnostics]:
    def run(content: bytes) -> Diagnostics:
        path = tmp_path / "fuzz.toml"
        path.write_bytes(content)
        diagnostics = Diagnostics()
        system = read_schedule(path, diagnostics)
        if system is not None:
            check_system(system, diagnostics)
        assert system is not None or diagnostics.errors, "refused without a reason"
        if system is not None and not diagnostics.errors:
            lower(system)
        lines = content.split(b"\n")
        for diagnostic in diagnostics.reported:
            assert diagnostic.cause
            assert diagnostic.remedy
            assert "\n" not in diagnostic.cause
            if diagnostic.span is not None:
                assert diagnostic.span.file == str(path)
                assert 1 <= diagnostic.span.line <= len(lines)
                width = len(lines[diagnostic.span.line - 1].decode("utf-8", "replace"))
                assert 1 <= diagnostic.span.column <= width + 1
        return diagnostics

    return run


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_schedule_that_is_mutated_below_is_valid(only_diagnostics: Callable[[bytes], Diagnostics], schedule: bytes) -> None:
    assert not only_diagnostics(schedule).reported


@SETTINGS
@given(st.binary(max_size=300))
def test_any_bytes(only_diagnostics: Callable[[bytes], Diagnostics], content: bytes) -> None:
    only_diagnostics(content)


@SETTINGS
@given(st.text(max_size=300))
def test_any_text(only_diagnostics: Callable[[bytes], Diagnostics], content: str) -> None:
    only_diagnostics(content.encode("utf-8", "surrogatepass"))


@SETTINGS
@given(st.lists(st.sampled_from(TOKENS), max_size=60), st.sampled_from([b"", b" ", b"\n"]))
def test_any_sequence_of_tokens(only_diagnostics: Callable[[bytes], Diagnostics], tokens: list[bytes], between: bytes) -> None:
    only_diagnostics(between.join(tokens))


@SETTINGS
@given(st.sampled_from(SCHEDULES), st.lists(st.tuples(st.integers(0), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_valid_schedule_with_some_bytes_changed(
    only_diagnostics: Callable[[bytes], Diagnostics], schedule: bytes, changes: list[tuple[int, int]]
) -> None:
    content = bytearray(schedule)
    for place, byte in changes:
        content[place % len(content)] = byte
    only_diagnostics(bytes(content))


@SETTINGS
@given(st.sampled_from(SCHEDULES), st.integers(0, 2**16), st.integers(0, 2**16))
def test_a_valid_schedule_with_a_part_cut_out(
    only_diagnostics: Callable[[bytes], Diagnostics], schedule: bytes, one: int, other: int
) -> None:
    first, last = sorted((one % (len(schedule) + 1), other % (len(schedule) + 1)))
    only_diagnostics(schedule[:first] + schedule[last:])


def mutated(seed: int) -> bytes:
    """A valid schedule, some of its words and lines replaced by tokens, or by one another."""
    chance = random.Random(seed)
    source = chance.choice([*SCHEDULES, chance.choice(sorted(BAD.glob("*.toml"))).read_bytes()[:2000]])
    lines = source.split(b"\n")
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(lines))
        words = lines[place].split(b" ")
        match chance.randrange(5):
            case 0:
                words[chance.randrange(len(words))] = chance.choice(TOKENS)
            case 1:
                words.insert(chance.randrange(len(words) + 1), chance.choice(TOKENS))
            case 2:
                del words[chance.randrange(len(words))]
            case 3:
                words = lines[chance.randrange(len(lines))].split(b" ")
            case _:
                words[-1] = chance.choice(TOKENS)
        lines[place] = b" ".join(words)
    return b"\n".join(lines)


@SETTINGS
@given(st.integers(0, 2**32))
def test_a_schedule_with_some_words_changed(only_diagnostics: Callable[[bytes], Diagnostics], seed: int) -> None:
    only_diagnostics(mutated(seed))


@pytest.mark.parametrize(
    "content",
    [
        b"a = " + b"[" * 100_000,
        b"a = " + b"[" * 100_000 + b"]" * 100_000,
        b"a = " + b"{a=" * 20_000 + b"1" + b"}" * 20_000,
        b"a" + b".a" * 200_000 + b" = 1",
        b"[" + b"a." * 200_000 + b"a]",
        b"a = " + b"9" * 100_000,
        b'a = "' + b"\\" * 100_001,
        b'"' * 100_000,
        b"[a]\n" * 20_000,
        b"[[task]]\n" * 20_000,
        b"=\n" * 20_000,
        b"#" + b".a" * 100_000,
    ],
    ids=lambda content: repr(content[:12]),
)
def test_a_hostile_file_is_refused_in_bounded_time_and_memory(
    only_diagnostics: Callable[[bytes], Diagnostics], content: bytes
) -> None:
    assert 0 < len(only_diagnostics(content).reported) < 200
