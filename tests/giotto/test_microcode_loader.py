# SPDX-License-Identifier: Apache-2.0
"""Uploads: one that is right is accepted; every one that was changed, cut, repeated or is stale is refused.

``CARILLON_TRIES`` is the number of changed uploads; 2000 without it.
"""

from __future__ import annotations

import random
import struct
import zlib
from dataclasses import replace

import pytest
from changed_uploads import EDF, WAYS, changed
from loader_target import FIRST, ROOM, Loaded
from verifier import bare, image_of, sealed

import asked
from carillon.diagnostics import Diagnostics
from carillon.microcode import Instruction, Opcode, Program
from carillon.microcode.text import assembled
from carillon.microcode.upload import Kind, Status, Target, UploadError, answers, framed, seal, siphash

MANY = asked.tries(2000)
KEY = bytes(range(16))
RM = 2
TEXT = """.tick 1000
.port p
.task t1
.task t2
.driver d
.guard g
.entry a
a:
call d
release t1, 20
release t2, 10
future 10, b
return
b:
if g, a
release t2, 10
future 10, a
return
"""


def program() -> Program:
    found = assembled(TEXT, "text", Diagnostics())
    assert found is not None
    return found


PROGRAM = program()
CONTENT = bare(PROGRAM)


@pytest.mark.parametrize(
    ("length", "expected"),  # J.-P. Aumasson and D. Bernstein: the vectors of their implementation
    [
        (0, 0x726FDB47DD0E0E31),
        (1, 0x74F839C593DC67FD),
        (7, 0xAB0200F58B01D137),
        (8, 0x93F5F5799A932462),
        (15, 0xA129CA6149BE45E5),
    ],
)
def test_seals_are_those_of_the_publication(length: int, expected: int) -> None:
    content = bytes(range(length))
    assert siphash(KEY, content) == expected
    assert Loaded(PROGRAM, KEY).siphash(KEY, content) == expected


def test_a_program_is_accepted_and_runs_on() -> None:
    loaded = Loaded(PROGRAM, KEY)
    target = Target(loaded)
    assert target.status().running == FIRST
    found = target.upload(CONTENT, RM, KEY)
    assert (found.result, found.waiting, loaded.replaced) == ("accepted", True, 1)
    loaded.begin_next()
    found = target.status()
    assert (found.waiting, found.running, found.scheduler) == (False, struct.unpack_from("<I", CONTENT, 12)[0], RM)


def test_a_status_says_what_the_image_offers_and_nothing_behind_it() -> None:
    own = image_of(PROGRAM, 1, 2)
    for settings in ({}, {"record": 16, "log": 8, "load": 100, "stops": 1}):
        loaded = Loaded(PROGRAM, KEY, **settings)
        loaded.write(framed(Kind.STATUS, 1))
        ((_, _, said, more),) = answers(loaded.read())
        assert more == b""
        assert (said.answer, said.open, said.waiting, said.result) == ("ok", False, False, "nothing")
        assert (said.uploads, said.dropped, said.received) == (0, 0, 0)
        assert (said.tick_ns, said.interface, said.room, said.triggers, said.threads) == (own.tick_ns, own.interface, ROOM, 1, 2)
        assert (said.running, said.scheduler, said.lost) == (FIRST, EDF, False)
        assert (said.checks, said.stopped, said.generated, said.unable) == ("load" in settings, False, False, False)
        for number, kind in enumerate((Kind.BEGIN, Kind.BEGIN, Kind.STATUS)):
            loaded.write(framed(kind, number))
            ((_, _, said, more),) = answers(loaded.read())
            assert (said.answer, said.open, said.uploads, more) == ("ok", True, min(number + 1, 2), b"")


def test_what_was_recorded_is_only_behind_an_answer_to_the_question_for_it() -> None:
    loaded = Loaded(PROGRAM, KEY, record=16, log=8)
    loaded.forget(3)
    loaded.decided(5, 1, 10, 7)
    loaded.noted(1, 1, 7)
    told = {Kind.RECORD: struct.pack("<IIHH", 4, 10, 5, 1), Kind.LOG: struct.pack("<IIIHH", 0, 1, 7, 1, 1)}
    for kind in Kind:
        for length in (0, 2, 3, 4, 13):
            loaded.write(framed(kind, 1, bytes(length)))
            ((_, _, said, more),) = answers(loaded.read())
            assert more == (told.get(kind, b"") if said.answer == "ok" else b""), (kind, length)


def test_a_third_program_leaves_the_one_that_runs_where_it_is() -> None:
    loaded = Loaded(PROGRAM, KEY)
    target = Target(loaded)
    for entry in (0, 5, 0, 5):
        target.upload(bare(replace(PROGRAM, entry=entry)), EDF, KEY)
        with pytest.raises(UploadError, match="not begun"):  # the other buffer has what runs
            target.upload(CONTENT, EDF, KEY)
        loaded.begin_next()
        before = loaded.running()
        assert before == zlib.crc32(CONTENT[36 : 36 + 8 * len(PROGRAM.code)], entry)
        target.ask(Kind.BEGIN)
        target.ask(Kind.DATA, struct.pack("<I", 0) + bytes(64))
        assert loaded.running() == before


def test_a_frame_whose_answer_is_lost_is_sent_again() -> None:
    class Lossy(Loaded):
        chance = random.Random(5)

        def write(self, content: bytes) -> None:
            if self.chance.random() < 0.3:
                content = content[: self.chance.randrange(len(content))]
            super().write(content)

        def read(self) -> bytes:
            got = super().read()
            return got if self.chance.random() < 0.7 else b""

    loaded = Lossy(PROGRAM, KEY)
    accepted = 0
    for _ in range(20):
        before = loaded.replaced
        try:
            Target(loaded).upload(CONTENT, EDF, KEY)
        except UploadError:
            accepted += loaded.replaced - before
            continue
        assert loaded.replaced == before + 1
        accepted += 1
        loaded.begin_next()
    assert accepted == loaded.replaced > 3


def test_text_between_frames_is_passed_over() -> None:
    loaded = Loaded(PROGRAM, KEY)
    loaded.write(b"hello\n" + framed(Kind.STATUS, 9))
    found = list(answers(b"altitude 17\n" + loaded.read() + b"altitude 18\n"))
    assert [(kind, number, status.dropped) for kind, number, status, _ in found] == [(Kind.STATUS, 9, 1)]


def test_an_answer_into_which_a_task_prints_is_asked_for_again_at_once() -> None:
    """The last of a frame's zeros may come with the next text; a line that falls silent would end the upload."""

    class Printing(Loaded):
        chance_of = random.Random(3)
        most, broken, rest = 0.3, 0, b""

        def read(self) -> bytes:
            got = self.rest + super().read()
            chance = self.chance_of
            if len(got) > 1 and chance.random() < self.most:
                at = chance.randrange(1, len(got))
                got = got[:at] + b"t %d\n" % chance.randrange(1000) + got[at:]
                self.broken += 1
            cut = chance.choice([len(got), len(got), max(len(got) - 1, 0), chance.randint(0, len(got))])
            got, self.rest = got[:cut], got[cut:]
            assert got or self.rest, "the host waits for what will not come"
            return b"x\n" + got if chance.random() < 0.3 else got or self.read()

    loaded = Printing(PROGRAM, KEY)
    for number in range(1, 60):
        assert Target(loaded).upload(CONTENT, EDF, KEY).result == "accepted"
        assert loaded.replaced == number
        loaded.begin_next()
    assert loaded.broken > 50
    loaded.most = 1.0
    loaded.chance_of = random.Random(4)
    with pytest.raises(UploadError, match="tasks print into each answer"):
        for _ in range(100):
            Target(loaded).status()


def test_what_does_not_follow_or_has_no_room_is_refused_and_what_is_repeated_changes_nothing() -> None:
    loaded = Loaded(PROGRAM, KEY)
    target = Target(loaded)

    def put(place: int, count: int) -> tuple[str, int]:
        status = target.ask(Kind.DATA, struct.pack("<I", place) + bytes(count))
        return status.answer, status.received

    assert put(0, 1) == ("closed", 0)
    target.ask(Kind.BEGIN)
    for place in range(0, ROOM - 4, 20):
        assert put(place + 1, 20) == ("place", place)
        assert put(place, 20) == ("ok", place + 20)
        assert put(place, 20) == put(0, 9) == ("ok", place + 20)
    assert ROOM % 20 == 4
    for place, count in (
        (ROOM - 4, 5),
        (ROOM - 4, 80),
        (ROOM - 3, 1),
        (ROOM, 1),
        (ROOM + 1, 1),
        (1 << 31, 1),
        ((1 << 32) - 1, 1),
    ):
        assert put(place, count) == ("place", ROOM - 4)
    assert put(ROOM - 24, 25) == ("place", ROOM - 4)
    assert put(ROOM - 4, 4) == ("ok", ROOM)
    assert put(ROOM, 1) == ("place", ROOM)


def refused(content: bytes, expected: str, scheduler: int = EDF, key: bytes = KEY) -> None:
    loaded = Loaded(PROGRAM, KEY)
    with pytest.raises(UploadError, match=expected):
        Target(loaded).upload(content, scheduler, key)
    assert loaded.replaced == 0


def test_refusals_say_why() -> None:
    refused(CONTENT, "wrong seal", key=bytes(16))
    refused(CONTENT, "no such scheduler", scheduler=3)
    refused(sealed(CONTENT[:4] + b"\2" + CONTENT[5:]), r"refused \(it does not begin as microcode")
    refused(bare(replace(PROGRAM, tick_ns=999)), r"refused \(it has another tick\)")
    refused(bare(replace(PROGRAM, ports=("q",))), r"refused \(it was made for another program")
    endless = (*PROGRAM.code[:-1], Instruction(Opcode.JUMP, y=len(PROGRAM.code) - 1))
    refused(bare(replace(PROGRAM, code=endless)), r"refused \(it may go round without taking time: instruction 8\)")
    refused(bytes(1025), "room for 1024")


def test_another_version_of_the_protocol_is_told_apart() -> None:
    loaded = Loaded(PROGRAM, KEY)
    loaded.write(framed(Kind.BEGIN, 1, version=2))
    assert [status.answer for _, _, status, _ in answers(loaded.read())] == ["another version"]


def test_a_recorded_upload_is_refused_also_after_a_reset() -> None:
    class Recorded(Loaded):
        sent = b""

        def write(self, content: bytes) -> None:
            self.sent += content
            super().write(content)

    loaded = Recorded(PROGRAM, KEY, chance=1)
    Target(loaded).upload(CONTENT, EDF, KEY)
    loaded.begin_next()
    Loaded.write(loaded, loaded.sent)
    assert loaded.replaced == 1
    again = Loaded(PROGRAM, KEY, chance=2)
    again.write(loaded.sent)
    assert Target(again).status().result == "wrong seal"
    assert again.replaced == 0


def test_no_changed_upload_is_accepted() -> None:
    chance = random.Random(11)
    loaded = Loaded(PROGRAM, KEY)
    target = Target(loaded)
    target.upload(CONTENT, EDF, KEY)
    loaded.begin_next()
    before = loaded.running()
    stale = 0
    ends: set[tuple[str, str]] = set()
    for number in range(MANY):
        begun = target.ask(Kind.BEGIN)
        assert begun.answer == "ok", number
        frames = changed(number % WAYS, chance, CONTENT, KEY, begun.challenge, stale, loaded.siphash)
        loaded.write(b"".join(frames))
        last: Status | None = None
        for _, _, status, _ in answers(loaded.read()):
            last = status
        if last is not None:
            ends.add((last.answer, last.result))
        stale = begun.challenge
        assert loaded.replaced == 1, number
        assert loaded.running() == before, number
    assert len(ends) >= 6
    target.upload(CONTENT, EDF, KEY)  # and the next one that is right
    assert loaded.replaced == 2
    assert seal(KEY, 1, EDF, CONTENT) == loaded.siphash(KEY, struct.pack("<QII", 1, len(CONTENT), EDF) + CONTENT)


class Late:
    """A line to a loader whose answer to one frame comes when the frame has been sent so many times more."""

    def __init__(self, loaded: Loaded, frame: int, times: int) -> None:
        self.loaded, self.frame, self.times, self.sent = loaded, frame, times, 0

    def write(self, content: bytes) -> None:
        self.loaded.write(content)
        self.sent += 1

    def read(self) -> bytes:
        return b"" if self.frame < self.sent <= self.frame + self.times else self.loaded.read()


@pytest.mark.parametrize("times", [1, 2, 4])
@pytest.mark.parametrize("frame", range(3 + len(CONTENT) // 64))
def test_an_answer_that_comes_late_does_no_harm_whichever_it_is(frame: int, times: int) -> None:
    """A host that is slow sends a frame again that the target carries out twice: each BEGIN draws another challenge."""
    loaded = Loaded(PROGRAM, KEY)
    found = Target(Late(loaded, frame, times)).upload(CONTENT, EDF, KEY)
    assert (found.result, loaded.replaced) == ("accepted", 1)


class Recorded:
    """A line that keeps what the host sends."""

    def __init__(self, loaded: Loaded) -> None:
        self.loaded, self.sent = loaded, b""

    def write(self, content: bytes) -> None:
        self.sent += content
        self.loaded.write(content)

    def read(self) -> bytes:
        return self.loaded.read()


def test_a_recorded_upload_is_refused_after_a_reset_if_the_number_of_resets_is_another() -> None:
    line = Recorded(Loaded(PROGRAM, KEY, resets=7))
    assert Target(line).upload(CONTENT, EDF, KEY).result == "accepted"
    again = Loaded(PROGRAM, KEY, resets=7)
    again.write(line.sent)
    assert again.replaced == 1  # the reset is as the earlier one: by nothing else are the two told apart
    for resets in (0, 6, 8, 7 + (1 << 31)):
        for chance in range(50):
            after = Loaded(PROGRAM, KEY, chance, resets=resets)
            after.write(line.sent)
            assert after.replaced == 0
            *_, (_, _, last, _) = answers(after.read())
            assert last.result == "its seal is wrong" or "seal" in last.result
