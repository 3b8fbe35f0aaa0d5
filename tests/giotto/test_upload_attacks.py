# SPDX-License-Identifier: Apache-2.0
"""What else comes over a line: noise, two hosts at once, frames while an accepted program waits, and after a reset."""

from __future__ import annotations

import os
import random
import struct
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from changed_uploads import frames_of
from loader_target import ROOM, Loaded
from test_microcode_loader import CONTENT, KEY, PROGRAM
from verifier import bare

from carillon.microcode.upload import Kind, Target, answers, framed

OTHER = bare(replace(PROGRAM, entry=5))
EDF = 1


def sum_of(content: bytes) -> int:
    """What the machine carries out of a program, as ``Loaded.running`` says it."""
    entry, size = struct.unpack_from("<HH", content, 20)
    return zlib.crc32(content[36 : 36 + 8 * size], entry)


def test_noise_between_frames_does_not_keep_an_upload_from_being_accepted() -> None:
    chance = random.Random(23)

    class Noisy(Loaded):
        def write(self, content: bytes) -> None:
            super().write(chance.randbytes(chance.choice((0, 1, 5, 99, 300))) + content)

    for _ in range(20):
        loaded = Noisy(PROGRAM, KEY)
        assert Target(loaded).upload(CONTENT, EDF, KEY).result == "accepted"
        loaded.begin_next()
        assert loaded.running() == sum_of(CONTENT)


def test_of_two_hosts_at_once_none_gets_a_mixture_accepted() -> None:
    chance = random.Random(29)
    seen = set()
    for _ in range(150):
        loaded = Loaded(PROGRAM, KEY)
        waiting: list[list[bytes]] = [[framed(Kind.BEGIN, 1)], [framed(Kind.BEGIN, 1)]]
        begun = [False, False]
        while any(waiting):
            host = chance.choice([k for k in (0, 1) if waiting[k]])
            loaded.write(waiting[host].pop(0))
            for kind, _, status, _ in answers(loaded.read()):
                for other in (host, *([1 - host] if chance.random() < 0.3 else [])):  # the line is one
                    if kind == Kind.BEGIN and not begun[other]:
                        begun[other] = True
                        waiting[other] = frames_of((CONTENT, OTHER)[other], status.challenge, KEY)
        assert loaded.replaced <= 1
        if loaded.replaced:
            loaded.begin_next()
            assert loaded.running() in (sum_of(CONTENT), sum_of(OTHER))
            seen.add(loaded.running())
    assert len(seen) == 2


def test_whatever_comes_while_an_accepted_program_waits_changes_neither() -> None:
    chance = random.Random(31)
    loaded = Loaded(PROGRAM, KEY)
    target = Target(loaded)
    for content in (OTHER, CONTENT, OTHER):
        begun = target.ask(Kind.BEGIN)
        upload = frames_of(content, begun.challenge, KEY)
        loaded.write(b"".join(upload))
        before, replaced = loaded.running(), loaded.replaced
        for _ in range(50):
            again = [framed(Kind.BEGIN, 1), *upload, *frames_of(CONTENT, begun.challenge, KEY)]
            chance.shuffle(again)
            loaded.write(b"".join(again))
            assert {said.answer for kind, _, said, _ in answers(loaded.read()) if kind == Kind.BEGIN} == {"busy"}
        assert (loaded.replaced, loaded.running(), target.status().waiting) == (replaced, before, True)
        loaded.begin_next()
        assert loaded.running() == sum_of(content)
        loaded.write(b"".join(upload))  # and no more when it runs
        assert loaded.replaced == replaced


def test_a_frame_that_was_lost_when_its_host_gave_up_may_be_carried_out_later_and_once() -> None:
    """As on a target that had no time: the bytes lay in the UART.  The host asks for the status to know."""
    loaded = Loaded(PROGRAM, KEY)
    begun = Target(loaded).ask(Kind.BEGIN)
    kept = frames_of(CONTENT, begun.challenge, KEY)
    for _ in range(3):
        for frame in kept:
            loaded.write(frame)
    assert loaded.replaced == 1
    assert Target(loaded).status().result == "accepted"


def test_random_bytes_and_random_frames_are_never_an_upload() -> None:
    chance = random.Random(37)
    loaded = Loaded(PROGRAM, bytes(16))
    for _ in range(3000):
        if chance.random() < 0.3:
            loaded.write(chance.randbytes(chance.randrange(200)))
            continue
        body = chance.randbytes(chance.choice((0, 4, 5, 12, 13, 14, 68, 89, 90)))
        if chance.random() < 0.5 and len(body) > 4:  # a place that may be one
            body = struct.pack("<I", chance.choice((0, 0, 64, 1023, 1024, 0xFFFF_FFFF))) + body[4:]
        loaded.write(framed(chance.choice((1, 2, 3, 4, chance.randrange(256))), chance.randrange(256), body))
    assert loaded.replaced == 0
    assert Target(loaded).upload(CONTENT, EDF, bytes(16)).result == "accepted"


def test_bytes_beyond_the_room_are_not_taken() -> None:
    for slot in (0, 1):
        loaded = Loaded(PROGRAM, KEY)
        target = Target(loaded)
        if slot:
            target.upload(CONTENT, EDF, KEY)
            loaded.begin_next()
        target.ask(Kind.BEGIN)
        found = [
            target.ask(Kind.DATA, struct.pack("<I", place) + bytes(count))
            for place, count in (*((at, 64) for at in range(0, ROOM - 64, 64)), (ROOM - 64, 65), (ROOM - 64, 64), (ROOM, 1))
        ]
        assert [said.answer for said in found[-3:]] == ["place", "ok", "place"]
        assert found[-1].received == ROOM


@pytest.mark.skipif("CARILLON_ADDRESS" in os.environ, reason="this is that run")
def test_the_address_sanitizer_finds_nothing_in_these_and_the_other_tests_of_the_loader() -> None:
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout.strip()
    own = {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0", "CARILLON_ADDRESS": "1", "CARILLON_TRIES": "60"}
    here = Path(__file__).parent
    files = [str(here / name) for name in ("test_upload_attacks.py", "test_microcode_loader.py")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files]
    ran = subprocess.run(command, env=os.environ | own, cwd=here, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-3000:]
