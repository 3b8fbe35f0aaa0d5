# SPDX-License-Identifier: Apache-2.0
"""A task is activated once more, by any of its sources, in each cycle of its handler and of itself, in simavr.

The rule is that of ``tests/spin/activation.pml``: each activation is followed by a begin of the task, or absorbed by one that
waits and is followed by a begin; no two jobs of the task run at one time; and the rounds that follow are as ever.
"""

from __future__ import annotations

import random
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import asked
from building import build
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan
from carillon.run.campaign import Program, planned
from carillon.run.injection import FaultKind, Injected
from sample import DRAW

ENTER, EXPIRY, CALL, RETURN, REQUEST = 1, 3, 4, 5, 16
ROUND = 160_000
"""Cycles of 10 ms."""
SCHEDULES = {
    "one source": """
[task.A]
period = "10ms"
""",
    "two sources": """
[mode.only]
round = "10ms"
points = [
    { at = "1ms", activate = "A" },
    { at = "1700us", activate = "A" },
    { at = "5ms", activate = "B" },
]
[task.A]
[task.B]
""",
    "preempted": """
[task.A]
period = "10ms"
deadline = "4ms"
[task.B]
period = "10ms"
offset = "30us"
deadline = "2ms"
""",
}
HEAD = '[system]\nname = "again"\nboard = "atmega128"\nsources = ["main.c"]\n'
CODE = """
#include "carillon/osektime.h"
void A(void) { for (volatile uint8_t k = 0u; k < 12u; k++) { } }
void B(void) { for (volatile uint8_t k = 0u; k < 3u; k++) { } }
"""
STEP = 1 if asked.all_cases() else 31
"""In CI one cycle in 31, from a place on that turns with the commit."""
Records = list[tuple[int, int, int]]


class Again:
    """An image, and its records when a source is requested at a time; nothing of the tool reads these."""

    def __init__(self, schedule: str, folder: Path) -> None:
        diagnostics = Diagnostics()
        (folder / "main.c").write_text(CODE if "B" in schedule else CODE[: CODE.index("void B")], encoding="utf-8")
        (folder / "schedule.toml").write_text(HEAD + schedule, encoding="utf-8")
        image = plan(folder / "schedule.toml", diagnostics).image
        firmware = build(image, folder / "build", diagnostics)
        assert firmware is not None, [str(d) for d in diagnostics.reported]
        made = planned(image, firmware, 4 * ROUND // 8, ROUND // 8, 1, diagnostics)
        assert made is not None
        self._out, self._program = folder, made[0].program
        self._command = Program.put_into(self._program, folder)
        names = made[0].reference.names
        (self.task,) = [address for address, name in names.items() if name == "A" and address > 200]
        self.sources = [source for source, name in made[0].targets.sources if name == "A"]

    def records(self, at: int | None = None, source: int = 0) -> Records:
        told = [*Injected(FaultKind.SPURIOUS, at, source).arguments(100_000), "20"] if at is not None else []
        subprocess.run([*self._command, *told], check=True, capture_output=True)
        return list(struct.iter_unpack("<QII", (self._out / "records").read_bytes()))


@pytest.mark.parametrize("name", SCHEDULES)
def test_an_activation_in_each_cycle_of_an_activation_is_followed_by_a_begin(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    made = Again(SCHEDULES[name], tmp_path)
    whole = made.records()
    begins = [t for t, k, v in whole if k == CALL and v == made.task]
    ends = [t for t, k, v in whole if k == RETURN and v == made.task]
    jobs = len(begins) // 4
    first, last = begins[jobs] - 160, ends[2 * jobs - 1] + 160
    assert 300 < last - first < 20_000
    begin = first + random.Random(DRAW).randrange(STEP)
    more = absorbed = 0
    for source in made.sources:
        if not any(k == ENTER and v == source for _, k, v in whole):
            continue  # of a deadline, which is met
        for at in range(begin, last, STEP):
            records = made.records(at, source)
            (requested,) = [t for t, k, _ in records if k == REQUEST]
            assert requested - at < 8
            running = 0
            for _, kind, value in records:
                running += (kind == CALL and value == made.task) - (kind == RETURN and value == made.task)
                assert running in (0, 1), (name, source, at)
            found = [t for t, k, v in records if k == CALL and v == made.task]
            usual = next((t for t in begins if t >= requested), None)
            assert usual is not None
            if len(found) == len(begins):  # one that waits, or begins later, has absorbed it
                absorbed += 1
                assert next(t for t in found if t >= requested) - requested < 1000, (name, source, at)
            else:
                more += 1
                assert len(found) == len(begins) + 1, (name, source, at)
            tail = [t for t in found if t > last + ROUND // 2]
            wanted = [t for t in begins if t > last + ROUND // 2]
            assert [abs(a - b) <= 16 for a, b in zip(tail, wanted, strict=True)] == [True] * len(wanted), (name, source, at)
    assert more > 0
    record_property("activations", {"positions": more + absorbed, "absorbed": absorbed, "jobs more": more})
