# SPDX-License-Identifier: Apache-2.0
"""``carillon/ostream.hpp`` prints what EPOS's stream prints, on every board: held against a model of it in Python."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from laboratory import MPS, Laboratory

from carillon.build import build
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan
from runnable import runnable
from sample import DRAW

TYPES = {"char": (8,), "short": (16,), "int": (16, 32), "long": (32, 64), "long long": (64,)}
SIZES = ("int", "long", "void *")
SHOW = """
#include "carillon/ostream.hpp"
#include "carillon_port.h"
#include "os.h"
using namespace carillon;
static OStream cout;
template <typename Number> __attribute__((noinline)) static void show(Number number)
{
    cout << number << " " << hex << number << ' ' << oct << number << ' ' << bin << number << ' ' << dec << number << endl;
}
static void point(uintptr_t address)
{
    cout << oct << reinterpret_cast<void *>(address) << endl;
}
"""
BASES = {10: ("d", ""), 16: ("x", "0x"), 8: ("o", "0"), 2: ("b", "")}


def in_base(number: int, base: int) -> str:
    """The digits of a number, as EPOS writes them."""
    kind, prefix = BASES[base]
    return ("-" if number < 0 else "") + (prefix if abs(number) > 256 else "") + format(abs(number), kind)


def kept(bits: int, width: int, signed: bool) -> int:
    """What a type of this width keeps of 64 bits."""
    value = bits % (1 << width)
    return value - (1 << width) if signed and value >> (width - 1) else value


def written(folder: Path, code: str) -> Path:
    """An application of one task that prints."""
    schedule = '[system]\nname = "app"\nsources = ["main.cpp"]\n[osek]\n[osek.task.Print]\npriority = 1\nautostart = true\n'
    (folder / "schedule.toml").write_text(schedule, encoding="utf-8")
    (folder / "main.cpp").write_text(SHOW + f"TASK(Print)\n{{\n{code}\ncarillon_port_halt();\n}}\n", encoding="utf-8")
    return folder / "schedule.toml"


@pytest.mark.parametrize("board", runnable())
def test_numbers_are_printed_as_the_model_prints_them(lab: Laboratory, board: str, tmp_path: Path) -> None:
    rng = random.Random(f"{DRAW} {board} ostream")
    shown: list[tuple[str, bool, int]] = []
    for name, widths in TYPES.items():
        for signed in (True, False):
            ends = [end % (1 << 64) for w in widths for end in ((1 << w) - 1, 1 << (w - 1), (1 << (w - 1)) - 1)]
            small = [0, 1, 255, 256, 257, (1 << 64) - 256, (1 << 64) - 257]
            drawn = [rng.getrandbits(64) for _ in range(2)]
            shown += [(name, signed, bits) for bits in (*ends, *small, *drawn)]
    pointers = [0, 1, 0xABC, 0xFFFF, rng.getrandbits(16)]
    code = "".join(f"cout << sizeof({name}) << endl;\n" for name in SIZES)
    code += "".join(f"show(static_cast<{'' if s else 'un'}signed {n}>({b:#x}ull));\n" for n, s, b in shown)
    code += "".join(f"point({address}u);\n" for address in pointers)
    lines = lab.run_file(written(tmp_path, code), board, ticks=60_000_000).trace.output.splitlines()
    size = dict(zip(SIZES, map(int, lines), strict=False))
    width = {"char": 8, "short": 16, "int": 8 * size["int"], "long": 8 * size["long"], "long long": 64}
    numbers = [kept(bits, width[name], signed) for name, signed, bits in shown]
    expected = [" ".join(in_base(number, base) for base in (10, 16, 8, 2, 10)) for number in numbers]
    expected += [f"0x{address:0{2 * size['void *']}x}" for address in pointers]
    assert lines[len(SIZES) :] == expected


@pytest.mark.parametrize("board", [MPS, "atmega2560"])
def test_text_characters_and_the_base_after_a_line(lab: Laboratory, board: str, tmp_path: Path) -> None:
    code = """char own[] = "own";
    cout << "text " << own << ' ' << 'c' << true << static_cast<unsigned char>('c') << hex << 255 << endl;
    cout << 300 << hex << 300 << dec << -300 << hex << -300 << endl << -1L << endl;"""
    output = lab.run_file(written(tmp_path, code), board, ticks=4_000_000).trace.output
    assert output == "text own c199ff\n3000x12c-300-0x12c\n-1\n"


def test_a_number_with_a_fraction_does_not_compile(tmp_path: Path) -> None:
    diagnostics = Diagnostics()
    planned = plan(written(tmp_path, "cout << 1.5;"), diagnostics, MPS)
    assert build(planned.image, tmp_path / "built", diagnostics) is None
    assert any(d.code == "C091" and "deleted" in str(d) and "no fractions" in str(d) for d in diagnostics.reported)
