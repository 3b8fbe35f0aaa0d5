# SPDX-License-Identifier: Apache-2.0
"""A loader that counts loads, logs, and is shut down on command, on a line with noise, cuts and a machine that runs."""

from __future__ import annotations

import random
import struct

import pytest
from changed_uploads import EDF, WAYS, changed, frames_of
from loader_target import Loaded
from test_microcode_loader import CONTENT, KEY, PROGRAM

import asked
from carillon.microcode.upload import STOPS, Kind, Target, answers, framed

MANY = asked.tries(2000)
TIMES = struct.pack("<2I", 4_900, 0)
WHOLE = CONTENT + TIMES


def loaded() -> Loaded:
    """With times by which the program needs 99 % of the processor."""
    return Loaded(PROGRAM, KEY, load=100, times=[1, 5_000], stops=1, log=8)


def test_the_program_of_these_tests_is_one_that_the_target_can_keep() -> None:
    assert Target(loaded()).upload(CONTENT, EDF, KEY, [4_900, 0]).result == "accepted"


def test_a_link_that_is_cut_at_any_byte_changes_nothing_and_the_next_upload_is_accepted() -> None:
    it = loaded()
    target = Target(it)
    length = len(b"".join(frames_of(WHOLE, 0, KEY)))
    for at in range(length - 2):
        begun = target.ask(Kind.BEGIN)
        it.write(b"".join(frames_of(WHOLE, begun.challenge, KEY))[:at])
        it.read()
        it.write(b"\0")  # the next host's frame begins so
        assert it.replaced == 0, at
        it.read()
    assert target.upload(CONTENT, EDF, KEY, [4_900, 0]).result == "accepted"


def test_random_bytes_and_frames_of_random_bytes_change_nothing() -> None:
    chance = random.Random(59)
    it = loaded()
    for _ in range(MANY):
        kind = chance.choice((*Kind, 0, 7, 255))
        body = chance.randbytes(chance.choice((0, 2, 4, 5, 13, 40)))
        it.write(chance.choice((chance.randbytes(chance.randrange(200)), framed(kind, chance.randrange(256), body))) + b"\0")
        it.noted(chance.randrange(5), chance.randrange(3), chance.randrange(1 << 32))  # the machine runs
        it.read()
        assert it.replaced == 0
    assert Target(it).status().answer == "ok"


def test_no_upload_with_times_that_was_changed_is_accepted() -> None:
    chance = random.Random(61)
    it = loaded()
    target = Target(it)
    stale = 0
    seen = set()
    for number in range(MANY):
        begun = target.ask(Kind.BEGIN)
        it.write(b"".join(changed(number % WAYS, chance, WHOLE, KEY, begun.challenge, stale, it.siphash)))
        for _, _, status, _ in answers(it.read()):
            seen.add(status.result)
        if it.replaced:  # whoever has the key may seal other times, or none
            assert number % WAYS in (3, 4), number
            it = loaded()
            target = Target(it)
        stale = begun.challenge
    assert {"wrong seal", "refused", "incomplete"} <= seen


@pytest.mark.parametrize("how", [STOPS | 0x80, STOPS + 1, 0x20, 0xC0])
def test_no_other_number_shuts_a_target_down(how: int) -> None:
    it = loaded()
    begun = Target(it).ask(Kind.BEGIN)
    it.write(b"".join(frames_of(b"", begun.challenge, KEY, how)))
    ((_, _, status, _),) = answers(it.read())
    assert (status.result, it.replaced) == ("no such scheduler", 0)
