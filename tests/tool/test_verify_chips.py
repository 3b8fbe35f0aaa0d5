# SPDX-License-Identifier: Apache-2.0
"""``carillon verify`` compares where a board's file says that timers are with a table of the chip."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from verified_images import SOURCES, Images, carillon

from carillon.diagnostics import Diagnostics
from carillon.model.board import Board
from carillon.read.board import load_board
from carillon.verify.chips import compare
from carillon.verify.elf import Elf
from carillon.verify.hardware import Hardware

ROOT = Path(__file__).parents[2]
CHIPS = {  # board: its file, and an image for the same port
    "ast1030-evb": (ROOT / "boards/ast1030-evb", "ast"),
    "mps2-an385": (ROOT / "boards/mps2-an385", "mps2"),
    "mps2-an505": (ROOT / "tests/firmware/boards/mps2-an505", "mps2"),
    "qemu-rv32-virt": (ROOT / "boards/qemu-rv32-virt", "rv32"),
    "microbit": (ROOT / "boards/microbit", "nrf"),
    "raspberry-pi-pico": (ROOT / "boards/raspberry-pi-pico", "pico"),
    **{name: (ROOT / "boards" / name, "stm32") for name in ("stm32f4-discovery", "nucleo-f429zi", "blackpill-f411")},
    **{
        name: (ROOT / "boards" / name, "avr")  # whose timers the device's header of avr-libc says
        for name in ("atmega128", "atmega2560", "arduino-uno", "arduino-leonardo", "arduino-mega")
    },
}
ASPEED_COUNTERS = """[
    0x7E782000, 0x7E782010, 0x7E782020, # the control registers lie in between
    0x7E782040, 0x7E782050, 0x7E782060, 0x7E782070, 0x7E782080,
]"""
ASPEED_EVEN = "{ first = 0x7E782000, stride = 0x10 }"
WRONG_SITES = {  # board, in its file, instead: what is found
    ("ast1030-evb", "0x7E782010,", "0x7E782014,"): ["C204 TMR2: counter 0x7e782014, TMR2 0x7e782010"],
    ("ast1030-evb", "control = 0x7E782030", "control = 0x7E782034"): [
        f"C204 TMR{n}: control 0x7e782034, TMR{n} 0x7e782030" for n in range(1, 9)
    ],
    ("ast1030-evb", ASPEED_COUNTERS, ASPEED_EVEN): [
        f"C204 TMR{n}: counter {0x7E781FF0 + 16 * n:#x}, TMR{n} {0x7E782000 + 16 * n:#x}" for n in range(4, 9)
    ],
    ("ast1030-evb", "[32, 33,", "[33, 32,"): ["C205 TMR1: source 33, TMR1 32", "C205 TMR2: source 32, TMR2 33"],
    ("mps2-an385", "first = 0x40000000", "first = 0x40004000"): [
        "C204 TIMER0: base 0x40004000, TIMER0 0x40000000",
        "C204 TIMER1: base 0x40005000, TIMER1 0x40001000",
    ],
    ("mps2-an385", "stride = 0x1000", "stride = 0x2000"): ["C204 TIMER1: base 0x40002000, TIMER1 0x40001000"],
    ("mps2-an385", "stride = 0x20 }", "stride = 0x40 }"): ["C204 DUAL2: base 0x40002040, DUAL2 0x40002020"],
    ("mps2-an385", "sources = [26, 26]", "sources = [26, 27]"): ["C205 DUAL2: source 27, DUAL2 26"],
    ("mps2-an385", "sources = [15]", "sources = [12]"): ["C205 SysTick: source 12, SysTick 15"],
    ("mps2-an505", "[0x50001000,", "[0x40001000,"): ["C204 TIMER1: base 0x40001000, TIMER1 0x50001000"],
    ("mps2-an505", "sources = [20, 19]", "sources = [19, 20]"): [
        "C205 TIMER0: source 20, TIMER0 19",
        "C205 TIMER1: source 19, TIMER1 20",
    ],
    ("qemu-rv32-virt", "CLINT = 0x2000000", "CLINT = 0x2000004"): [
        "C204 mtimecmp: mtime 0x200bffc, mtimecmp 0x200bff8",
        "C204 mtimecmp: mtimecmp 0x2004004, mtimecmp 0x2004000",
    ],
    ("qemu-rv32-virt", "sources = [7]", "sources = [11]"): ["C205 mtimecmp: source 11, mtimecmp 7"],
    ("arduino-uno", "sources = [11, 12]", "sources = [12, 11]"): [
        "C205 OC1A: source 12, OCR1A 11",
        "C205 OC1B: source 11, OCR1B 12",
    ],
    ("arduino-uno", "length = 0x86", "length = 0x8A"): [
        "C204 OC1A: length 0x8a, OCR1A 0x86",
        "C204 OC1B: length 0x8a, OCR1B 0x86",
    ],
    ("arduino-uno", "registers.bit = 2", "registers.bit = 1"): ["C204 OC0B: bit 1, OCR0B 2"],
    ("arduino-leonardo", "flags = 0x36", "flags = 0x37"): [f"C204 OC1{x}: flags 0x37, OCR1{x} 0x36" for x in "ABC"],
}


def own_board(folder: Path, name: str, *changes: tuple[str, str]) -> Path:
    """A copy of a board whose file says something else."""
    path = shutil.copytree(CHIPS[name][0], folder / "own") / "board.toml"
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


def compared(images: Images, image: str, board: Board) -> tuple[Diagnostics, list[str]]:
    """What is wrong with where a board's cells are, and what no table says."""
    system, elf = images.get(image)
    system = replace(system, board=board, clock_hz=board.clocks[0].hz)
    diagnostics = Diagnostics()
    return diagnostics, compare(system, Hardware(system, Elf(elf)), diagnostics)


def sites(images: Images, image: str, board: Board) -> tuple[list[str], list[str]]:
    """The same in short."""
    diagnostics, unknown = compared(images, image, board)
    form = rf"cell '(\w+)' of board '{board.name}' has (\w+ \w+), but the chip's (\w+) has (\w+)"
    return sorted(re.sub(form, rf"{d.code} \1: \2, \3 \4", d.cause) for d in diagnostics.errors), unknown


@pytest.mark.parametrize("change", WRONG_SITES, ids=lambda change: f"{change[0]}: {change[2]}")
def test_a_cell_that_is_elsewhere_than_on_its_chip_is_found(change: tuple[str, str, str], images: Images, tmp_path: Path) -> None:
    board, old, new = change
    own = load_board(own_board(tmp_path, board, (old, new)))
    assert sites(images, CHIPS[board][1], own) == (WRONG_SITES[change], [])


ELSEWHERE = [  # board, in its file, instead: what is found of which key
    ("arduino-uno", "registers.count = 0x84", "registers.count = 0x83", "C204 cell 'OC1A' of board 'arduino-uno' has count 0x83"),
    ("arduino-uno", "sources = [11, 12]", "sources = [11, 13]", "C205 cell 'OC1B' of board 'arduino-uno' has source 13"),
    ("mps2-an385", "first = 0x40000000", "first = 0x40004000", "C204 cell 'TIMER0' of board 'mps2-an385' has base 0x40004000"),
    (
        "arduino-uno",
        "enable = 0x3D",
        "enable = 0x3E",
        "C204 [[requests]] of board 'arduino-uno' has enable 0x3e for source 1, but the chip has 0x3d",
    ),
    (
        "arduino-uno",
        "bits = [0, 1]\n",
        "bits = [0, 2]\n",
        "C204 [[requests]] of board 'arduino-uno' has bit 2 for source 2, but the chip has 1",
    ),
    (
        "atmega128",
        "sources = [1, 2, 3, 4]\nenable = 0x59\nflags = 0x58\nbits = [0, 1, 2, 3]",
        "sources = [1, 2, 3, 4, 40]\nenable = 0x59\nflags = 0x58\nbits = [0, 1, 2, 3, 4]",
        "C205 [[requests]] of board 'atmega128' has source 40, which is no interrupt of the chip that has a bit of its own",
    ),
]


@pytest.mark.parametrize("change", ELSEWHERE, ids=lambda change: f"{change[0]}: {change[2]}")
def test_where_a_board_is_wrong_is_the_line_of_its_key(change: tuple[str, str, str, str], images: Images, tmp_path: Path) -> None:
    board, old, new, said = change
    path = own_board(tmp_path, board, (old, new))
    diagnostics, _ = compared(images, CHIPS[board][1], load_board(path))
    lines = path.read_text(encoding="utf-8").splitlines()
    assert f"{diagnostics.errors[0].code} {diagnostics.errors[0].cause}".startswith(said)
    for d in diagnostics.errors:
        assert d.span is not None and d.span.file == str(path)
        assert new.splitlines()[0] in lines[d.span.line - 1], d


@pytest.mark.parametrize("name", CHIPS)
def test_no_register_and_no_source_of_a_known_chip_can_be_another(name: str, images: Images) -> None:
    """Each number for itself; nor do names matter, nor cells that are left out."""
    folder, image = CHIPS[name]
    board = load_board(folder / "board.toml")
    assert sites(images, image, board) == ([], [])

    def changed(which: int, **update: object) -> tuple[list[str], list[str]]:
        arrays = [a.model_copy(update=update) if k == which else a for k, a in enumerate(board.cells)]
        return sites(images, image, board.model_copy(update={"cells": tuple(arrays)}))

    def other(values: tuple[int, ...], k: int) -> tuple[int, ...]:
        return (*values[:k], values[k] + 4, *values[k + 1 :])

    for which, array in enumerate(board.cells):
        for k, cell in enumerate(array.names):
            assert changed(which, sources=other(array.sources, k))[0][0].startswith(f"C205 {cell}: source")
            for register, values in array.registers.items():
                found, _ = changed(which, registers={**array.registers, register: other(values, k)})
                assert found[0].startswith(f"C204 {cell}: {register}")
        assert changed(which, names=tuple(f"Own{k}" for k in range(len(array.names)))) == ([], [])
        parts = {"names": array.names[:-1], "sources": array.sources[:-1]}
        assert changed(which, **parts, registers={key: v[:-1] for key, v in array.registers.items()}) == ([], [])


def test_a_cell_is_the_timer_whose_bits_it_has_of_a_register_of_all(images: Images, tmp_path: Path) -> None:
    path = own_board(
        tmp_path,
        "ast1030-evb",
        ('["TMR1", "TMR2",', '["TMR2", "TMR1",'),
        ("[32, 33,", "[33, 32,"),
        ("0x7E782000, 0x7E782010,", "0x7E782010, 0x7E782000,"),
    )
    assert sites(images, "ast", load_board(path))[0] == ["C204 TMR1: number 1, TMR1 0", "C204 TMR2: number 0, TMR2 1"]


def test_a_cell_more_than_the_chip_has_timers_is_found(images: Images, tmp_path: Path) -> None:
    names = '"TMR6", "TMR7", "TMR8"]', "38, 39]", "0x7E782070, 0x7E782080,"
    more = '"TMR6", "TMR7", "TMR8", "TMR9"]', "38, 39, 39]", "0x7E782070, 0x7E782080, 0x7E782090,"
    found, _ = sites(images, "ast", load_board(own_board(tmp_path, "ast1030-evb", *zip(names, more, strict=True))))
    assert found == [
        "cell 'TMR9' of board 'ast1030-evb' has counter 0x7e782090 and control 0x7e782030 and number 8 and source 39, which no "
        "timer of the chip has that is not another cell's"
    ]


@pytest.mark.parametrize("command", [("-M", "other"), ("-M", "ast1030-evb,more=on"), ("-cpu", "ast1030-evb"), None])
def test_of_another_chip_it_is_said_that_nothing_is_known(command: tuple[str, str] | None, images: Images) -> None:
    board = load_board(CHIPS["ast1030-evb"][0] / "board.toml")
    assert board.run is not None
    run = board.run.model_copy(update={"command": ("qemu-system-arm", *command)}) if command else None
    names = ", ".join(f"TMR{n}" for n in range(1, 9))
    said = f"where the chip has {names}: no table in the verifier says it, so the board's file is believed"
    assert sites(images, "ast", board.model_copy(update={"run": run})) == ([], [said])


def test_a_build_for_a_board_whose_timer_is_elsewhere_leaves_no_image(tmp_path: Path) -> None:
    """Schedule and image agree: it is the board's file that differs, and only from the chip."""
    board = own_board(tmp_path, "mps2-an385", ("stride = 0x20 }", "stride = 0x40 }"))
    schedule = shutil.copytree(SOURCES, tmp_path / "app") / "reload.toml"
    code, _, err = carillon("build", str(schedule), "--board", str(board), "--out", str(tmp_path / "out"))
    assert code == 1
    assert err.startswith(
        f"{board}:43:18: error C204: cell 'DUAL2' of board 'mps2-an385' has base 0x40002040, "
        "but the chip's DUAL2 has 0x40002020\n"
        "  help: correct the board's file; where its timers are is in CMSIS's CMSDK_CM3.h and QEMU's hw/arm/mps2.c\n1 error;"
    ), err
    assert not list(tmp_path.glob("out/*.elf"))
