# SPDX-License-Identifier: Apache-2.0
"""The log of a target (algorithm 4: "send logging information to host"): what is lost is marked, and never silent."""

from __future__ import annotations

import random
import struct

import pytest
from loader_target import Loaded
from test_microcode_loader import KEY, PROGRAM

import asked
from carillon.microcode.logged import KINDS, lines
from carillon.microcode.upload import LOST, Entry, Kind, Target, UploadError, answers, framed

MANY = asked.tries(2000)
ROOM = 16


class Busy(Loaded):
    """Its machine does something before each answer, as often as ``chance`` says."""

    chance = random.Random(53)
    most = 0
    count = 0

    def note(self, number: int) -> None:
        for _ in range(number):
            self.noted(self.count % 5, self.count % 7, self.count)
            self.count += 1

    def write(self, content: bytes) -> None:
        self.note(self.chance.randint(0, self.most))
        super().write(content)


def check(loaded: Busy, before: int, found: list[Entry]) -> int:
    """Each entry is there once, in order, or is counted as lost; how many were lost."""
    at, lost = before, before
    for entry in found:
        if entry.kind == LOST:
            at, lost = at + entry.time, lost + entry.time
        else:
            assert (entry.time, entry.task, entry.kind) == (at, at % 7, at % 5)
            at += 1
    assert at <= loaded.count
    return lost


def test_a_log_that_has_room_loses_nothing() -> None:
    for number in range(ROOM):
        loaded = Busy(PROGRAM, KEY, log=ROOM)
        loaded.note(number)
        before, found = Target(loaded).log()
        assert (before, len(found)) == (0, number)
        assert check(loaded, before, found) == 0


def test_of_each_entry_the_host_has_it_or_knows_that_it_was_overwritten() -> None:
    lost = kept = 0
    for _ in range(MANY // 10):
        loaded = Busy(PROGRAM, KEY, log=ROOM)
        loaded.note(loaded.chance.randint(0, 60))
        loaded.most = loaded.chance.choice((0, 1, 3, 9, 40))
        before, found = Target(loaded).log()
        lost += check(loaded, before, found)
        kept += len(found)
    assert min(lost, kept) > 100


def test_what_is_overwritten_is_said() -> None:
    loaded = Busy(PROGRAM, KEY, log=ROOM)
    loaded.note(40)
    before, found = Target(loaded).log()
    assert before == 40 - (ROOM - 1)  # the next entry may be half written
    assert lines(before, found, ["t1", "t2"])[:3] == [
        "25 overwritten before these",
        "        25  a program begins",
        "        26  released",
    ]
    assert lines(0, [Entry(3, 0, LOST), Entry(9, 1, 4)], ["t1", "t2"]) == [
        "3 overwritten while this was read",
        f"{9:>10}  t2 is late",
    ]
    assert lines(0, [], []) == ["the log is empty"]
    assert len(KINDS) == 5


def test_a_target_without_a_log_says_so_and_frames_of_another_length_are_unknown() -> None:
    with pytest.raises(UploadError, match="keeps no log"):
        Target(Loaded(PROGRAM, KEY)).log()
    loaded = Busy(PROGRAM, KEY, log=ROOM)
    loaded.note(3)
    for length in (0, 1, 3, 5, 80):
        loaded.write(framed(Kind.LOG, 1, bytes(length)))
        assert [status.answer for _, _, status, _ in answers(loaded.read())] == ["unknown"]
    for first in (3, 4, 1 << 31, (1 << 32) - 1):  # behind the last one
        loaded.write(framed(Kind.LOG, 1, struct.pack("<I", first)))
        ((_, _, status, more),) = answers(loaded.read())
        assert (status.answer, more) == ("ok", struct.pack("<II", first, 3))
