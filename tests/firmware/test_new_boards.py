# SPDX-License-Identifier: Apache-2.0
"""A device of a known family is one TOML, on a Cortex-M with a linker script: no line of C, none of the tool's.

``boards/atmega1284p`` has timers of two channels, other vectors and other pins than the AVR boards that come with Carillon.
``boards/mps2-an505`` is a Cortex-M33 whose timers are elsewhere, in another order and with other interrupts; they are on
no power of two of its tick.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from laboratory import Laboratory, task

from carillon.model.board import Board
from carillon.read.board import load_board
from carillon.resources import board_names, data_root
from carillon.trace import Kind
from carillon.verify.avr_device import device

OWN = Path(__file__).parent / "boards"
AVR, ARM = str(OWN / "atmega1284p"), str(OWN / "mps2-an505")

SCHEDULE = """
[interrupt.Line]
source = "{first}"
[interrupt.Other]
source = "{second}"
[task.Fast]
period = "2ms"
deadline = "1ms"
[task.Slow]
period = "4ms"
offset = "500us"
deadline = "1ms"
"""
CODE = (
    (
        '#include "carillon/console.h"\nstatic volatile unsigned count;\n'
        + task("Fast", 'carillon_port_pend({first}u);\nif (++count == 10u) {{ carillon_print("ten\\n"); }}')
        + task("Slow", "carillon_port_pend({second}u);")
        + task("Line")
        + task("Other")
    )
    .replace("{\n", "{{\n")
    .replace("\n}\n", "\n}}\n")
)


def files(board: str) -> set[str]:
    return {path.suffix for path in Path(board).iterdir()}


@pytest.mark.parametrize(("board", "sources", "numbers"), [(AVR, ("line", "other"), (1, 2)), (ARM, ("soft0", "soft1"), (80, 81))])
def test_a_new_device_of_a_known_family_runs_a_round(
    lab: Laboratory, board: str, sources: tuple[str, str], numbers: tuple[int, int]
) -> None:
    assert files(board) <= {".toml", ".ld"}
    names = dict(zip(("first", "second"), sources, strict=True))
    code = CODE.format(first=numbers[0], second=numbers[1])
    outcome = lab.run(SCHEDULE.format(**names), code, board, rounds=6)
    assert outcome.trace.output == "ten\n"
    for name, count in (("Fast", 12), ("Slow", 6)):
        assert len(outcome.delays(name)) == 1, "every start is as late as the others"
        assert max(outcome.delays(name)) < 100
        assert len(outcome.events(Kind.START, of=name)) == count
    assert len(outcome.events(Kind.START, of="Line")) == 12
    assert len(outcome.events(Kind.START, of="Other")) == 6
    assert outcome.summary.totals.deadlines_missed == 0
    assert outcome.firmware.verified is not None
    assert outcome.firmware.verified.modes[0].deadlines == 2
    assert outcome.firmware.verified.unverified == ()


CONVENTIONAL = '[task.A]\nperiod = "3ms"\n[task.B]\nperiod = "4ms"\noffset = "100us"\ndeadline = "1ms"\n'


@pytest.mark.parametrize("board", [AVR, ARM])
def test_a_cell_of_a_new_device_is_re_armed(lab: Laboratory, board: str) -> None:
    outcome = lab.run(CONVENTIONAL, task("A") + task("B"), board, kernel="conventional", rounds=2)
    assert len(outcome.events(Kind.START, of="A")) == 8
    assert len(outcome.events(Kind.START, of="B")) == 6
    assert all(max(outcome.delays(name)) < 800 * outcome.per_tick for name in "AB")


BOARDS = [load_board(data_root() / "boards" / name / "board.toml") for name in board_names()]
AVRS = [board for board in BOARDS if board.port == "avr"] + [load_board(OWN / "atmega1284p" / "board.toml")]


@pytest.mark.parametrize("board", AVRS, ids=lambda board: board.name)
def test_an_avr_board_says_what_the_c_library_says_of_its_device(board: Board) -> None:
    found = device(board)
    assert found is not None
    bits = {s: (*pair, bit) for pair, sources in found.requests.items() for bit, s in sources.items()}
    for source, (enable, flags, bit) in board.requested.items():
        assert bits[source] == (enable, flags, 1 << bit)
    for array in board.cells:
        timer = next(t for t in found.timers if array.sources[0] in t.matches)
        assert array.registers["match"] == tuple(timer.matches[s] for s in array.sources)
        places = {"control_a": timer.control_a, "control_b": timer.control_b, "count": timer.count, "length": timer.top}
        for key, address in places.items():
            assert set(array.registers[key]) == {address}
    assert sum(len(array.names) for array in board.cells) == sum(len(t.matches) for t in found.timers)
