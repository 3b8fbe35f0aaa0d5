# SPDX-License-Identifier: Apache-2.0
"""Shutdown over the line (algorithm 4 of the programmable microkernel): sealed, in order, and as often as it is asked."""

from __future__ import annotations

import random
import struct

import pytest
from loader_target import FIRST, Loaded
from test_microcode_loader import CONTENT, EDF, KEY, PROGRAM

import asked
from carillon.microcode.upload import STOPS, Kind, Target, UploadError, answers, framed, seal

MANY = asked.tries(2000)


class Prompt(Loaded):
    """Its machine goes on with what it was given at once, unless it is told to wait."""

    waits = False

    def write(self, content: bytes) -> None:
        before = self.replaced
        super().write(content)
        if self.replaced > before and not self.waits:
            self.begin_next()


def test_a_target_is_shut_down_once_however_often_it_is_asked_and_takes_another_program_then() -> None:
    loaded = Prompt(PROGRAM, KEY, stops=1)
    target = Target(loaded)
    for _ in range(3):
        found = target.shutdown(KEY)
        assert (found.stopped, found.running, found.waiting) == (True, 0, False)
        assert loaded.replaced == 1
    assert target.upload(CONTENT, EDF, KEY).result == "accepted"
    found = target.status()
    assert (found.stopped, found.running) == (False, struct.unpack_from("<I", CONTENT, 12)[0])


def test_it_waits_for_what_was_accepted_before_and_says_if_a_task_stays_unfinished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carillon.microcode.upload._PAUSE_S", 0)
    loaded = Prompt(PROGRAM, KEY, stops=1)
    loaded.waits = True
    Target(loaded).upload(CONTENT, EDF, KEY)
    with pytest.raises(UploadError, match="some task stays unfinished"):
        Target(loaded).shutdown(KEY)
    assert loaded.replaced == 1
    loaded.begin_next()
    loaded.waits = False
    assert Target(loaded).shutdown(KEY).stopped


def test_without_the_key_or_the_switch_nothing_happens() -> None:
    loaded = Prompt(PROGRAM, KEY, stops=1)
    with pytest.raises(UploadError, match="wrong seal"):
        Target(loaded).shutdown(bytes(16))
    assert (loaded.replaced, Target(loaded).status().running) == (0, FIRST)
    plain = Prompt(PROGRAM, KEY)
    with pytest.raises(UploadError, match="no shutdown = true"):
        Target(plain).shutdown(KEY)
    assert plain.replaced == 0


def frames(challenge: int, content: bytes = b"") -> bytes:
    sealed = seal(KEY, challenge, STOPS, content)
    return framed(Kind.END, 2, struct.pack("<IBQ", len(content), STOPS, sealed))


def test_a_command_that_is_cut_changed_or_repeated_does_nothing() -> None:
    loaded = Prompt(PROGRAM, KEY, stops=1)
    target = Target(loaded)
    chance = random.Random(47)
    length = len(frames(0))
    for turn in range(length + MANY // 4):
        begun = target.ask(Kind.BEGIN)
        whole = frames(begun.challenge)
        if turn < length:
            sent = whole[: min(turn, len(whole) - 1)] + b"\0" if turn < len(whole) - 1 else whole[:-3] + b"\0"
        else:
            at = chance.randrange(1, len(whole) - 1)
            sent = whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :]
        loaded.write(sent)
        loaded.read()
        assert loaded.replaced == 0, turn
    begun = target.ask(Kind.BEGIN)
    loaded.write(frames(begun.challenge))
    assert loaded.replaced == 1
    loaded.read()
    target.upload(CONTENT, EDF, KEY)
    loaded.write(frames(begun.challenge))  # recorded
    assert [status.answer for _, _, status, _ in answers(loaded.read())] == ["closed"]
    assert not target.status().stopped


def test_a_program_in_its_place_is_refused() -> None:
    loaded = Prompt(PROGRAM, KEY, stops=1)
    with pytest.raises(UploadError, match="no such scheduler"):
        Target(loaded).upload(CONTENT, STOPS, KEY)
    assert loaded.replaced == 0
