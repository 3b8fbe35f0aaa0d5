# SPDX-License-Identifier: Apache-2.0
"""A device of a known family is one TOML, on a Cortex-M with a linker script: no line of C, none of the tool's.

``boards/atmega1284p`` has timers of two channels, other vectors and other pins than the AVR boards that come with Carillon.
``boards/mps2-an505`` is a Cortex-M33 whose timers are elsewhere, in another order and with other interrupts; they are on
no power of two of its tick.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from laboratory import Laboratory, task

from building import build
from carillon.diagnostics import Diagnostics
from carillon.model.board import Board
from carillon.pipeline import plan
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
        timer = next(t for t in (*found.timers, *found.small) if array.sources[0] in t.matches)
        assert array.width == (16 if timer in found.timers else 8)
        assert array.registers["match"] == tuple(timer.matches[s] for s in array.sources)
        places = {"control_a": timer.control_a, "control_b": timer.control_b, "count": timer.count, "length": timer.top}
        for key, address in places.items():
            assert set(array.registers[key]) == {address}
    assert sum(len(a.names) for a in board.cells if a.width == 16) == sum(len(t.matches) for t in found.timers)


SAYS = {
    "RAMEND": lambda board: board.defines["CARILLON_RAM_END"],
    "_VECTORS_SIZE / 4": lambda board: board.sources,
    "FLASHEND + 1L": lambda board: board.run.code_bytes if board.run is not None else 0,
}
"""What avr-libc says of a device beside its timers, and where a board's file says it."""

PLACES = {"SMCR", "MCUCR", "EICRA", "EICRB"}  # that a start may store to


@pytest.mark.parametrize("board", AVRS, ids=lambda board: board.name)
def test_the_c_library_has_the_same_memory_vectors_and_ports(board: Board, tmp_path: Path) -> None:
    """As assertions that the device's compiler checks; the library's macros are addresses then."""
    says = [f"({name}) == {value(board)}" for name, value in SAYS.items()]
    known = [f"CARILLON_{name}" for name in ("GTCCR", "SFIOR", *sorted(PLACES))]
    lines = ["#define _SFR_ASM_COMPAT 1", "#include <avr/io.h>"]
    for name in known:  # a device has only some of them
        lines += [f"#ifdef {name[9:]}", f"#define {name} {name[9:]}", "#else", f"#define {name} (-1)", "#endif"]
    reset = board.defines["CARILLON_PRESCALER_RESET"]
    says.append(f"CARILLON_GTCCR == {reset} || CARILLON_SFIOR == {reset}")
    says += [" || ".join(f"CARILLON_{name} == {store.address}" for name in sorted(PLACES)) for store in board.startup]
    for pins in (group.pins for group in board.requests if group.pins is not None):
        ports = [f"#ifdef PORT{x}\n(PORT{x} == {pins.output} && DDR{x} == {pins.direction}) ||\n#endif" for x in "ABCDEFGHJKL"]
        says.append("\n" + "\n".join(ports) + "\n0")
    lines += [f'_Static_assert({said}, "of {board.name}");' for said in says]
    source = tmp_path / "says.c"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [board.build.compiler, *board.build.cflags, "-std=c11", "-fsyntax-only", str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


ROUND = '[system]\nname = "app"\n[task.Fast]\nperiod = "10ms"\n'
APPLICATION = '#include "carillon/osektime.h"\nttTASK(Fast) { }\n'
HZ = {
    "stm32f4-discovery": 84_000_000,
    "mps2-an505": 20_000_000,
    "raspberry-pi-pico": 1_000_000,
    "qemu-rv32-virt": 10_000_000,
}


def application_on(base: str, per_tick: int, tmp_path: Path, more: str = "") -> tuple[object | None, list[str]]:
    """A round on a board of one's own with so many instructions in a tick: its firmware, and what is said."""
    clock = f"[[clocks]]\nhz = {HZ[base]}\ninstructions_per_tick = {per_tick}\n"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/board.toml").write_text(f'base = "{base}"\nname = "mine"\n{more}{clock}', encoding="utf-8")
    (tmp_path / "schedule.toml").write_text(ROUND, encoding="utf-8")
    (tmp_path / "main.c").write_text(APPLICATION, encoding="utf-8")
    diagnostics = Diagnostics()
    planned = plan(tmp_path / "schedule.toml", diagnostics, str(tmp_path / "mine"))
    return build(planned.image, tmp_path / "o", diagnostics), [str(d) for d in diagnostics.reported]


@pytest.mark.parametrize("per_tick", [1, 2, 3, 4, 5, 7, 16, 17, 18, 19, 1000])
@pytest.mark.parametrize("base", HZ)
def test_a_board_of_ones_own_has_any_number_of_instructions_in_a_tick(base: str, per_tick: int, tmp_path: Path) -> None:
    if base == "mps2-an505" and per_tick < 4:
        pytest.skip("a store of the start takes four instructions, and start_spacing is a tick")
    firmware, said = application_on(base, per_tick, tmp_path)
    assert firmware is not None, said


def test_a_board_whose_start_spacing_is_too_short_says_so(tmp_path: Path) -> None:
    firmware, said = application_on("mps2-an505", 3, tmp_path)
    assert firmware is None
    assert "start_spacing of the board's file is too short: a store of the start takes 4 instructions" in said[0]
