# SPDX-License-Identifier: Apache-2.0
"""Uploads that were changed: the frames of one, for a challenge that the target has just given."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

from carillon.microcode.upload import DATA_BYTES, Kind, framed, siphash

WAYS = 12
EDF = 1
Siphash = Callable[[bytes, bytes], int]


def frames_of(
    content: bytes, challenge: int, key: bytes, scheduler: int = EDF, version: int = 1, keyed: Siphash = siphash
) -> list[bytes]:
    """A program's bytes, and the frame that ends its upload."""
    parts = [
        framed(Kind.DATA, k & 0xFF, struct.pack("<I", at) + content[at : at + DATA_BYTES], version)
        for k, at in enumerate(range(0, len(content), DATA_BYTES))
    ]
    whole = struct.pack("<QII", challenge, len(content), scheduler) + content
    end = struct.pack("<IBQ", len(content), scheduler, keyed(key, whole))
    return [*parts, framed(Kind.END, 99, end, version)]


def flipped(chance: random.Random, content: bytes) -> bytes:
    """With one bit changed."""
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]


def changed(
    way: int, chance: random.Random, right: bytes, right_key: bytes, begun: int, stale: int, keyed: Siphash = siphash
) -> list[bytes]:
    """The frames of an upload that is wrong in one of so many ways; ``begun`` is its challenge, ``stale`` one that was used."""
    challenge, key, content, version, scheduler = begun, right_key, right, 1, EDF
    if way == 0:
        key = flipped(chance, key)
    elif way == 1:
        challenge = stale
    elif way == 2:
        version = chance.choice((0, 2, 255))
    elif way == 3:  # a program that was cut, and is sealed as such
        content = content[: chance.randrange(len(content))]
    elif way == 4:  # changed where its checksum sees it
        content = flipped(chance, content)
    elif way == 5:
        scheduler = chance.randrange(3, 256)
    frames = frames_of(content, challenge, key, scheduler, version, keyed)
    at = chance.randrange(len(frames))
    if way == 6:  # cut on the line
        frames = frames[:at]
    elif way == 7:
        frames[at] = frames[at][: chance.randrange(1, len(frames[at]) - 2)] + b"\0"
    elif way == 8:
        frames[at] = b"\0" + flipped(chance, frames[at][1:-1]) + b"\0"
    elif way == 9:  # in another order
        del frames[chance.randrange(len(frames) - 1)]
    elif way == 10:  # a seal for other bytes
        frames[-1] = frames_of(flipped(chance, content), challenge, key, keyed=keyed)[-1]
    elif way == 11:  # repeated, after one that fails
        frames = [framed(Kind.END, 0, struct.pack("<IBQ", len(content), EDF, 0)), *frames]
    return frames
