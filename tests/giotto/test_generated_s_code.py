# SPDX-License-Identifier: Apache-2.0
"""S code that a target makes of its scheduler's decisions lets tasks run as the scheduler did, however long they take."""

from __future__ import annotations

import ctypes
import dataclasses
import random
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from giotto_machine import Instant
from giotto_stepper import STEPS
from loader_target import Loaded
from native_machine import Scheduler, _Program, laid_out, native
from test_machine import _TICKS, UNTIL, OnNative, Recorded
from test_microcode_loader import CONTENT, EDF, KEY, PROGRAM, TEXT
from test_recording import drawn_program
from test_s_code import PROGRAMS
from verifier import bare

from carillon.diagnostics import Diagnostics
from carillon.microcode import Instruction, Opcode
from carillon.microcode.binary import checksum_of
from carillon.microcode.text import assembled
from carillon.microcode.upload import Decision, Kind, Target

HALF = UNTIL * STEPS // 2
"""The S code is made in this step or up to SPREAD later, at an instant or between two."""
SPREAD = 100


class Generating(OnNative):
    """Goes on with S code of what was decided up to a step; a period later, nothing runs but what it dispatches.

    ``alone``: if so.
    """

    at: int
    first: _Program
    then: _Program | None = None
    period: int
    alone: bool
    recorded: list[Decision]

    def instant(self, found: dict[int, Instant]) -> None:
        if self.step == self.at:
            self.then = self.machine.generated(self.first)
            if self.then is not None:
                self.machine.go_on(self.then)
        if self.step == self.at + 1:
            self.recorded = self.machine.decisions()
        if self.step == self.at + self.period and self.alone and self.then is not None:
            self.then.scheduler = Scheduler.NONE
        super().instant(found)


class Growing(random.Random):
    """Tasks take the least time up to a step of a run, and all of it then."""

    def __init__(self, of: Recorded, at: int) -> None:
        super().__init__(0)
        self.of, self.at = of, at

    def randint(self, a: int, b: int) -> int:
        return a if self.of.step < self.at else b


def releases(played: Recorded, at: int, period: int, *, later: bool) -> set[tuple[int, int]]:
    """Which tasks were released when in a period, before the S code was made or later."""
    return {(it.task, it.begin % period) for it in played.all if (it.begin >= at) == later}


@pytest.mark.parametrize("scheduler", [Scheduler.EDF, Scheduler.RM])
def test_generated_s_code_does_what_the_scheduler_does(
    scheduler: Scheduler, record_property: Callable[[str, object], None]
) -> None:
    counts: Counter[str] = Counter()
    for seed in range(PROGRAMS * 2):
        chance = random.Random(seed)
        found = drawn_program(chance, switches=seed % 2 == 0)
        if found is None:
            continue
        spec, source, times, compiled = found
        switches = any(mode.switches for mode in spec.modes)
        shorter = chance.randrange(3) > 0
        early = shorter and chance.randrange(2) > 0
        at = HALF + chance.randrange(SPREAD)
        before = Recorded(spec, compiled, times, shorter=shorter)
        before.by_period = scheduler is Scheduler.RM
        if early:
            before.chance = Growing(before, at)
        before.played()
        if before.broken is not None:
            continue
        after = Generating(spec, compiled, times, shorter=shorter)
        after.at = at
        if early:
            after.chance = Growing(after, at)
        after.period = max(mode.period for mode in source.modes) * STEPS
        after.alone = not switches
        code = [dataclasses.replace(i, time=i.time * STEPS) if i.opcode in _TICKS else i for i in compiled.program.code]
        with native(after.answer) as machine:
            after.machine = machine
            after.first = laid_out(code, compiled.program.entry, scheduler=scheduler)
            machine.touches(compiled.program.drivers, compiled.program.tasks)
            machine.start(after.first)
            after.played()
            if after.then is not None:
                assert machine.decisions() == after.recorded, "it records nothing of what was made of the record"
        if after.then is None:
            assert not {it.task for it in before.all if it.begin < at}, seed
            counts["nothing to do"] += 1
            continue
        same = (after.ran, after.ports_then, after.broken) == (before.ran, before.ports_then, None)
        if switches and not same:
            counts["another order behind a switch"] += 1
        elif not same:
            new = releases(before, at, after.period, later=True) - releases(before, at, after.period, later=False)
            assert new, seed
            counts["another order behind a guard"] += 1
        else:
            counts["with switches" if switches else "one mode"] += 1
            counts["instructions"] += after.then.size - after.first.size
    record_property(f"generated {scheduler.name}", dict(counts))
    assert counts["one mode"] > PROGRAMS / 6
    assert counts["with switches"] > 4 * counts["another order behind a switch"]
    assert counts["one mode"] > 10 * counts["another order behind a guard"]


RETURN, JUMP, DISPATCH = Opcode.RETURN, Opcode.JUMP, Opcode.DISPATCH_TIME
DECIDED = [(5, 1, 10, 0), (5, 0, 20, 0), (9, 0, 10, 10), (9, 1, 10, 10), (5, 1, 10, 20), (5, 0, 20, 20)]
"""Block, task, order and time: of the program that is sent, behind its two blocks, t2 before t1 and, for equal deadlines, t1
before t2."""


def decided(loaded: Loaded, until: int, length: int = 10) -> None:
    """The first decisions, and those of the first block again every 20 ticks up to a time."""
    for block, task, order, now in DECIDED:
        loaded.decided(block, task, order, now, length)
    for now in range(40, until + 1, 20):
        for task, order in ((1, 10), (0, 20)):
            loaded.decided(5, task, order, now, length)


def started(record: int = 16, content: bytes = CONTENT, **room: int) -> tuple[Loaded, Target]:
    """A target that runs the program and has decided nothing yet."""
    loaded = Loaded(PROGRAM, KEY, record=record, generate=100)
    if room:
        loaded.room(**room)
    target = Target(loaded)
    assert target.upload(content, EDF, KEY).result == "accepted"
    loaded.begin_next()
    loaded.forget(0)
    loaded.idle()
    return loaded, target


def test_the_s_code_dispatches_in_order_up_to_the_next_block() -> None:
    loaded, target = started()
    decided(loaded, 109)  # what was decided last was new at 10, and the last at 100
    loaded.idle()
    assert loaded.continued == 0
    decided(loaded, 120)
    before = target.status()
    loaded.idle()
    assert loaded.continued == 1
    size, until = len(PROGRAM.code), 10 << 8
    expected = [(i.opcode | i.time << 8, i.x, i.y) for i in PROGRAM.code]
    expected[4] = (JUMP, 0, size)
    expected[8] = (JUMP, 0, size + 3)
    expected += [(DISPATCH | until, 1, size + 2), (DISPATCH | until, 0, size + 2), (RETURN, 0, 0)]
    expected += [(DISPATCH | until, 0, size + 5), (DISPATCH | until, 1, size + 5), (RETURN, 0, 0)]
    assert loaded.code() == expected
    assert target.status().waiting
    loaded.begin_next()
    after = target.status()
    assert (after.generated, after.unable, after.waiting) == (True, False, False)
    assert after.running == before.running == checksum_of(replace(PROGRAM, labels=()))
    loaded.idle()
    assert loaded.continued == 1
    assert target.upload(CONTENT, EDF, KEY).result == "accepted"
    assert not target.status().generated


def test_it_has_the_name_of_what_it_was_made_of_in_either_buffer() -> None:
    loaded, target = started()
    for entry in (5, 0, 5):
        content = bare(replace(PROGRAM, entry=entry, labels=()))
        assert target.upload(content, EDF, KEY).result == "accepted"
        loaded.begin_next()
        name = target.status().running
        assert name == struct.unpack_from("<I", content, 12)[0]
        loaded.forget(0)
        decided(loaded, 200)
        before = loaded.continued
        loaded.idle()
        assert loaded.continued == before + 1
        loaded.begin_next()
        assert (target.status().running, target.status().generated) == (name, True)


def test_it_may_carry_out_as_many_instructions_as_if_it_had_been_received() -> None:
    loaded, target = started()
    decided(loaded, 200)
    loaded.idle()
    steps = loaded.steps()
    code = tuple(Instruction(Opcode(word & 0xFF), x, word >> 8, y) for word, x, y in loaded.code())
    loaded.begin_next()
    assert target.upload(bare(replace(PROGRAM, code=code, labels=())), EDF, KEY).result == "accepted"
    assert loaded.steps() == steps


@pytest.mark.parametrize(
    "beside",
    ["c:\nfuture 7, c\nreturn\ne:\nfuture 1, a\nfuture 3, c\nreturn\n", "e:\nfuture 1, a\nfork c\nreturn\nc:\nidle 3\nreturn\n"],
    ids=["a trigger", "a thread"],
)
def test_none_is_made_of_a_program_beside_which_something_else_waits(beside: str) -> None:
    text = TEXT.replace(".entry a", ".entry e") + beside
    both = assembled(text, "text", Diagnostics())
    assert both is not None
    loaded, target = started(content=bare(both), bindings=2, threads=9)
    decided(loaded, 200)
    loaded.idle()
    assert (loaded.continued, target.status().unable) == (0, True)


def test_none_is_made_while_an_upload_is_under_way_or_waits() -> None:
    loaded, target = started()
    decided(loaded, 200)
    target.ask(Kind.BEGIN)
    loaded.idle()
    assert loaded.continued == 0
    target.ask(Kind.END, struct.pack("<IBQ", 0, EDF, 0))
    assert target.upload(CONTENT, EDF, KEY).result == "accepted"
    loaded.idle()
    assert loaded.continued == 0


@pytest.mark.parametrize(
    ("record", "length", "room"),
    [(3, 10, {}), (16, 0, {}), (16, 10, {"bindings": 1, "threads": 1})],
    ids=["a record that is full", "an unknown length", "no room for threads"],
)
def test_what_cannot_be_is_said_and_changes_nothing(record: int, length: int, room: dict[str, int]) -> None:
    loaded, target = started(record, **room)
    decided(loaded, 200, length)
    for _ in range(3):
        loaded.idle()
        assert loaded.continued == 0
        found = target.status()
        assert (found.generated, found.unable) == (False, True)


def test_what_has_no_room_is_not_written() -> None:
    loaded = Loaded(PROGRAM, KEY, record=16, generate=100)
    decided(loaded, 20)
    code = laid_out(PROGRAM.code)
    needed = len(PROGRAM.code) + 6
    for room in range(needed + 2):
        to = (ctypes.c_uint64 * (needed + 4))(*[7] * (needed + 4))
        made = int(loaded.library.carillon_generate(ctypes.byref(code), to, ctypes.c_uint32(room))) & 0xFFFF
        assert made == (needed if room >= needed else 0)
        assert set(to[room:]) == {7} or room > needed
