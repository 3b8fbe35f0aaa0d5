# SPDX-License-Identifier: Apache-2.0
"""Every switch of the kernel is in each image; what is compiled without the tool has the same values for what it lacks."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from carillon.diagnostics import Diagnostics
from carillon.emit.text import value
from carillon.image import Image, Value
from carillon.image.registry import FILES, OFF, OPTIONAL, OSEK_OFF, Kind, Switch, of_file
from carillon.image.switches import switches
from carillon.pipeline import plan

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "tests" / "config" / "carillon_off.h"
PAGE = ROOT / "docs" / "guide" / "switches.md"
ALL = [switch for file in FILES for switch in of_file(file)]


def off() -> str:
    """A header that gives each switch that is not defined the value that the tool writes of an image without its part."""
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0",
        " *",
        " * What switches are in an image without their part, for what is compiled without the tool: tests/tool/test_switches.py",
        " * writes it (CARILLON_GOLDEN=write). */",
        "#ifndef CARILLON_OFF_H",
        "#define CARILLON_OFF_H",
        "",
    ]
    for name, said in (OFF | OSEK_OFF).items():
        plain, _, argument = name.partition("(")
        comment = f"    (void)({argument[:-1]})" if argument and "level" not in argument else ""
        lines += [f"#ifndef {plain}", f"#define {name} {value(said, name)}{comment}", "#endif"]
    return "\n".join([*lines, "", "#endif", ""])


def test_what_is_compiled_without_the_tool_has_the_values_that_the_tool_writes() -> None:
    if os.environ.get("CARILLON_GOLDEN") == "write":
        HEADER.write_text(off(), encoding="ascii")
    assert HEADER.read_text(encoding="ascii") == off()


def table() -> str:
    """The part of the page behind its introduction."""
    lines: list[str] = []
    for file, parts in FILES.items():
        for part, of_part in parts.items():
            lines += [f"## {part}", "", f"In `{file}`:", "", "| switch | kind | without | asked for by | what it says |"]
            lines += ["|---|---|---|---|---|", *(row(switch) for switch in of_part), ""]
    return "\n".join(lines[:-1]) + "\n"


def row(switch: Switch) -> str:
    without = "–" if switch.off is None else f"`{value(switch.off, switch.name)}`"
    return f"| `{switch.name}` | {switch.kind.value} | {without} | {switch.asks} | {switch.says} |"


def test_the_page_of_the_guide_has_all_switches() -> None:
    head = PAGE.read_text(encoding="utf-8").partition("\n## ")[0].rstrip("\n")
    page = f"{head}\n\n{table()}"
    if os.environ.get("CARILLON_GOLDEN") == "write":
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page


def test_each_switch_is_there_once_and_says_what_it_is_in_short_sentences() -> None:
    assert len({switch.name for switch in ALL}) == len(ALL)
    for switch in ALL:
        assert switch.says.endswith("."), switch
        assert all(len(sentence.split()) <= 30 for sentence in switch.says.split(". ")), switch
        assert switch.asks, switch
        assert switch.off is None or fits(switch.kind, switch.off), switch


def fits(kind: Kind, said: Value) -> bool:
    """Whether a value is of a kind."""
    match kind:
        case Kind.FLAG:
            return isinstance(said, int) and said in (0, 1)
        case Kind.NUMBER:
            return isinstance(said, int)
        case Kind.NAME:
            return isinstance(said, str) and said.isidentifier()
        case Kind.EXPRESSION:
            return True


def agrees(image: Image) -> None:
    """That an image has the switches of the table, and no others but those of its board."""
    system = image.system
    own = {*system.board.defines, *system.board.clock(system.clock_hz).defines}
    for file, said in switches(image).items():
        table = {switch.name: switch for switch in of_file(file)}
        assert set(said) - own <= set(table)
        assert set(table) - OPTIONAL <= set(said) or (file == "carillon_osek.h" and image.osek is None)
        assert [name for name in table.keys() & said.keys() if not fits(table[name].kind, said[name])] == []


@pytest.mark.parametrize("schedule", sorted(ROOT.glob("examples/*/schedule.toml")), ids=lambda path: path.parent.name)
def test_an_image_has_each_switch_of_the_table_and_no_other(schedule: Path) -> None:
    agrees(plan(schedule, Diagnostics()).image)


@pytest.mark.parametrize("board", ["arduino-uno", "qemu-rv32-virt", "raspberry-pi-pico"])
@pytest.mark.parametrize("name", ["button", "osek-blinky", "producer-consumer", "schedule-tables"])
def test_an_image_for_another_board_does_too(name: str, board: str) -> None:
    agrees(plan(ROOT / "examples" / name / "schedule.toml", Diagnostics(), board).image)


@pytest.mark.parametrize("kernel", ["conventional", "counter-per-task"])
@pytest.mark.parametrize("name", ["engine", "messages"])
def test_an_image_of_another_kernel_does_too(name: str, kernel: str) -> None:
    agrees(plan(ROOT / "examples" / name / "schedule.toml", Diagnostics(), kernel=kernel).image)


def test_the_kernel_asks_for_values_and_never_whether_a_switch_is_there() -> None:
    known = {switch.name.partition("(")[0] for switch in ALL} - OPTIONAL
    for path in sorted(
        [*(ROOT / "kernel").rglob("*.[ch]"), *(ROOT / "ports").rglob("*.[ch]"), *(ROOT / "cells").rglob("*.[ch]")]
    ):
        asked = set(re.findall(r"(?:#ifn?def +|defined\()(CARILLON_\w+)", path.read_text(encoding="utf-8")))
        assert not asked & known, path
