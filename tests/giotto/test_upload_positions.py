# SPDX-License-Identifier: Apache-2.0
"""The machine goes on with an accepted program at each position of what comes over the line.

The rule is that of ``tests/spin/upload.pml``: bytes are never put where the program lies that runs, or that was accepted and
waits; and each accepted program begins, and is whole then.  A position is a basic block of the loader and of all that it
calls, where the machine preempts it.  The loader is the kernel's own, compiled for the development machine.
"""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from loader_target import Loaded
from test_microcode_loader import KEY, PROGRAM
from verifier import bare

import asked
from carillon.microcode.upload import Kind, Target, seal
from sample import DRAW

EDF = 1
STEP = 1 if asked.all_cases() else 61
"""In CI one position in 61, from a place on that turns with the commit."""
A, B = (bare(replace(PROGRAM, entry=entry)) for entry in (0, 5))
"""Two programs that differ in where they begin."""


def sum_of(content: bytes) -> int:
    """What the machine carries out of a program, as ``Loaded.running`` says it."""
    return zlib.crc32(content[36 : 36 + 8 * len(PROGRAM.code)], 5 if content == B else 0)


def frames(target: Target, content: bytes) -> Iterator[str]:
    """Send all frames of an upload, whatever is answered: what is said of each."""
    begun = target.ask(Kind.BEGIN)
    yield begun.answer
    for place in range(0, len(content), 64):
        yield target.ask(Kind.DATA, struct.pack("<I", place) + content[place : place + 64]).answer
    sealed = seal(KEY, begun.challenge, EDF, content)
    yield target.ask(Kind.END, struct.pack("<IBQ", len(content), EDF, sealed)).answer


def uploaded(before: int, at: int) -> tuple[str, int, int]:
    """After so many programs, one is accepted, and begins at a position of its last frame or of another upload's frames.

    What is said of the other upload; how often the first has begun; and how many positions there were.
    """
    loaded = Loaded(PROGRAM, KEY, positions=1)
    try:
        return _uploaded(loaded, before, at)
    finally:
        loaded.close()


def _uploaded(loaded: Loaded, before: int, at: int) -> tuple[str, int, int]:
    target = Target(loaded)
    for number in range(before):
        assert set(frames(target, (A, B)[number % 2])) == {"ok"}
        loaded.begin_next()
    one, other = (A, B) if before % 2 == 0 else (B, A)
    ran = loaded.running()
    sending = frames(target, one)
    for _ in range(1 + -(-len(one) // 64)):
        assert next(sending) == "ok"
    loaded.begin_at(at)
    begin = loaded.position
    assert set(sending) == {"ok"}
    said = []
    for answer in frames(target, other):
        said.append(answer)
        assert loaded.running() == (sum_of(one) if loaded.begun else ran)
    positions = loaded.position - begin
    begun = loaded.begun
    if said[0] == "ok":
        assert set(said) == {"ok"}
        assert begun == 1
    else:
        assert said == ["busy", *["closed"] * (len(said) - 1)]
        loaded.begin_next()
        assert loaded.running() == sum_of(one)
        assert set(frames(target, other)) == {"ok"}
    assert loaded.running() == sum_of(one)
    loaded.begin_next()
    assert loaded.running() == sum_of(other)
    return said[0], begun, positions


@pytest.mark.parametrize("before", [0, 1, 2])
def test_a_program_that_begins_at_each_position_of_another_upload_is_whole(before: int) -> None:
    """Where it has not been accepted yet it does not begin.  Once it is too late for the other upload, it stays too late."""
    *_, count = uploaded(before, 10**9)
    found = [uploaded(before, at)[:2] for at in range(random.Random(DRAW).randrange(STEP), count, STEP)]
    kinds = [found[0], *(after for former, after in pairwise(found) if after != former)]
    assert kinds == [("busy", 0), ("ok", 1), ("busy", 1)], kinds
