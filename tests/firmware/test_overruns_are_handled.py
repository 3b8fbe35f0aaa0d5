# SPDX-License-Identifier: Apache-2.0
"""Handlers of exceptions on firmware in QEMU: of a program's own S code, and of a program that is sent to it."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from test_uploads import carillon, running

from carillon.microcode.binary import decode, encode

PROGRAM = """\
output long o := zero; long p := zero;
task t () output (o) state () { schedule work(o) } [wcet 8]
task u () output (p) state () { schedule other(p) } [wcet 1]
start m { mode m () period 20 { taskfreq 1 do t(); taskfreq 1 do u(); } }
"""
CODE = """\
#include "giotto.h"
#include "carillon/work.h"
#include "carillon_config.h"
#include <stdio.h>
void zero(long *o) { *o = 0; }
void work(long *o)
{
    static unsigned begun;
    begun++;
    carillon_work((uint32_t)((begun % 4u == 0u ? 25000ull : 5000ull) * CARILLON_CLOCK_HZ / 1000000u));
    *o += 1;
    printf("t %ld\\n", *o);
}
void other(long *o) { *o += 1; }
"""
MS = 15_625
"""Ticks of the board's clock in a millisecond."""
BOARD = "ast1030-evb"


def made(folder: Path, handlers: str) -> None:
    (folder / "over.giotto").write_text(PROGRAM, encoding="ascii")
    (folder / "over.c").write_text(CODE, encoding="ascii")
    if handlers:
        (folder / "over.scode").write_text(f".scheduler edf\n{handlers}", encoding="ascii")


def missed(folder: Path) -> list[int]:
    """When t was late, in milliseconds."""
    events = [json.loads(line) for line in (folder / "events").read_text(encoding="utf-8").splitlines()]
    return [e["t"] // MS for e in events if (e["event"], e["object"]) == ("deadline_missed", "t")]


# Each fourth invocation of t takes 25 ms of its 20.  At its deadline, `copy:t` and its next release touch it.
CASES = {
    "": [81, 161],  # it is terminated, and released anew
    ".late t\nreturn\n": [81, 81, 181, 181],  # it goes on, and puts out 20 ms later: what it put out before stays until then
    ".late t\nterminate t\nrelease t, 20\n": [81, 81, 161, 161],  # it begins anew at once, and again in place of the release
    # u has waited for t, and is late as well: in place of its release, the driver touches t, which was released just before.
    ".late t\nterminate t\n.late u\ncall copy:t\n": [81, 81, 181, 181],
}


@pytest.mark.parametrize("handler", CASES)
def test_a_task_that_overruns_is_handled_as_its_program_says(tmp_path: Path, handler: str) -> None:
    made(tmp_path, handler)
    run = carillon(tmp_path, "run", "over.giotto", "--board", BOARD, "--for", "200ms", "--events", "events")
    assert run.returncode == 0, run.stderr
    assert missed(tmp_path) == CASES[handler]
    lines = [line for line in run.stdout.splitlines() if line[:2] == "t " and line[2:].isdigit()]
    assert lines == [f"t {k}" for k in range(1, 7 if "call" in handler else 9)]


def test_an_upload_brings_its_handlers_and_one_that_waits_in_them_is_refused(tmp_path: Path) -> None:
    made(tmp_path, "")
    (tmp_path / "over.upload").touch()
    (tmp_path / "other.scode").write_text(".scheduler edf\n.late t\nreturn\n", encoding="ascii")
    assert carillon(tmp_path, "giotto", "over.giotto", "--s-code", "other.scode", "-o", "other.microcode").returncode == 0
    good = decode((tmp_path / "other.microcode").read_bytes())
    bad = replace(good, late=((0, good.entry),), labels=())  # the program's begin, which has a `future`
    (tmp_path / "bad.microcode").write_bytes(encode(bad))
    # A target waits for its first connection alone, so that each upload has a target of its own, and comes at its begin.
    with running(tmp_path, "over.giotto", BOARD, "--for", "9s", "--events", "events") as target:
        said = carillon(tmp_path, "microcode", "upload", "bad.microcode", "--to", "line")
        assert "refused (a handler waits, begins something, has a loop or is none of its code: instruction 0)" in said.stderr
        assert target.wait(300) == 0
    kept = missed(tmp_path)
    assert {b - a for a, b in pairwise(kept)} == {80}
    (tmp_path / "line").unlink(missing_ok=True)
    with running(tmp_path, "over.giotto", BOARD, "--for", "9s", "--events", "events") as target:
        said = carillon(tmp_path, "microcode", "upload", "other.microcode", "--to", "line")
        assert "last upload: accepted" in said.stdout, said.stderr
        assert target.wait(300) == 0
    late = missed(tmp_path)
    twice = [k for k in range(len(late) - 1) if late[k] == late[k + 1]]
    taken = late[twice[0] :]  # a miss before is the program's own
    assert taken[::2] == taken[1::2]
    assert {b - a for a, b in pairwise(taken[::2])} == {100}
    assert min(len(kept), len(taken)) > 3
