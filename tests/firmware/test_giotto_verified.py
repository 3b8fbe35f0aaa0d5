# SPDX-License-Identifier: Apache-2.0
"""``verify`` compares an image of Giotto on cells with the program: periods, and who computes what."""

from __future__ import annotations

import re
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from laboratory import AST, ROOT, Laboratory

from carillon.build import Firmware
from carillon.diagnostics import Diagnostics
from carillon.model.giotto import Machine
from carillon.pipeline import Planned
from carillon.verify import verify

HELICOPTER = ROOT / "examples" / "helicopter" / "helicopter.giotto"
ESTIMATE, CONTROL, CLIMB, DESCEND = (struct.pack("<IHH", *row) for row in ((10, 0, 2), (20, 1, 1), (100, 2, 0), (100, 3, 0)))


@pytest.fixture
def built(lab: Laboratory) -> tuple[Planned, Firmware]:
    return lab.firmware(HELICOPTER, AST, machine=Machine.CELLS)


def said(planned: Planned, elf: Path) -> list[tuple[str, str]]:
    found = Diagnostics()
    verify(planned.system, elf, found)
    return [(it.code, it.cause) for it in found.errors]


def test_an_image_as_it_was_built_has_no_difference(built: tuple[Planned, Firmware]) -> None:
    planned, firmware = built
    assert said(planned, firmware.elf) == []


@pytest.mark.parametrize(
    ("row", "changed", "expected"),
    [
        (
            CLIMB,
            (50, 2, 0),
            [
                ("C205", "the image does not compute the task climb for 100 ms"),
                ("C205", "the image computes the task climb for 50 ms, which no mode does"),
                ("C207", "what is invoked every 50 ms is no more urgent than what is invoked every 100 ms"),
            ],
        ),
        (
            DESCEND,
            (100, 9, 0),
            [
                ("C205", "the image does not compute the task descend for 100 ms"),
                ("C205", "the image computes the task number 9 for 100 ms, which no mode does"),
            ],
        ),
        (ESTIMATE, (10, 0, 1), [("C207", "what is invoked every 10 ms is no more urgent than what is invoked every 20 ms")]),
        (CONTROL, (20, 1, 0), [("C207", "what is invoked every 20 ms is no more urgent than what is invoked every 100 ms")]),
        (DESCEND, (100, 3, 1), [("C207", "what is invoked every 100 ms has two tasks of the kernel")]),
        (CONTROL, (20, 1, 7), [("C205", "what is invoked every 20 ms is computed by task 7 of the kernel, which there is not")]),
    ],
)
def test_a_wrong_row_is_found(
    built: tuple[Planned, Firmware],
    tmp_path: Path,
    row: bytes,
    changed: tuple[int, int, int],
    expected: list[tuple[str, str]],
) -> None:
    planned, firmware = built
    image = firmware.elf.read_bytes()
    table = image.index(CONTROL)
    at = min((it.start() for it in re.finditer(re.escape(row), image)), key=lambda place: abs(place - table))
    assert abs(at - table) < 64, "the rows stand together"
    wrong = tmp_path / "wrong.elf"
    wrong.write_bytes(image[:at] + struct.pack("<IHH", *changed) + image[at + len(row) :])
    assert sorted(said(planned, wrong)) == sorted(expected)


def test_a_tick_at_which_no_block_is_due_is_found(built: tuple[Planned, Firmware]) -> None:
    planned, firmware = built
    assert planned.system.time is not None
    assert planned.system.time.tick is not None
    time = replace(planned.system.time, tick=planned.system.time.tick * 3)
    found = said(replace(planned, system=replace(planned.system, time=time)), firmware.elf)
    assert ("C204", "the clock ticks every 30 ms, at which not all blocks are due") in found
