# SPDX-License-Identifier: Apache-2.0
"""``carillon/console.h`` prints on every board, the C library's printf where there is one; who prints nothing has none of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from laboratory import AST, MPS, ROOT, RV32, VIRTUAL_AST, Laboratory

from carillon.build import build
from carillon.build.symbols import symbols
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan
from runnable import runnable

SCHEDULE = '[task.Print]\nperiod = "8ms"\n'
PRINT = """
#include "carillon/console.h"
ttTASK(Print)
{
    carillon_print("numbers ");
    carillon_print_number(0u), carillon_print(" "), carillon_print_number(UINT32_MAX), carillon_print("\\n");
    carillon_say("name", 10u);
}
"""
PRINTF = """
#include <stdio.h>
ttTASK(Print)
{
    printf("%s %ld 0x%lx\\n", "printf", -12L, 0xBEEFL);
    puts("puts");
}
"""
HEAP = """
#include <stdio.h>
#include <stdlib.h>
ttTASK(Print)
{
    unsigned count = 0;
    while (malloc(0x8000) != NULL) {
        count++;
    }
    printf("blocks %u\\n", count);
}
"""


@pytest.mark.parametrize("board", runnable())
def test_the_console_prints_on_every_board(lab: Laboratory, board: str) -> None:
    assert lab.run(SCHEDULE, PRINT, board).trace.output == "numbers 0 4294967295\nname 10\n"


@pytest.mark.parametrize("board", [AST, MPS, RV32, VIRTUAL_AST, "atmega128", "atmega2560"])
def test_printf_prints_where_the_c_library_is_linked(lab: Laboratory, board: str) -> None:
    assert lab.run(SCHEDULE, PRINTF, board).trace.output == "printf -12 0xbeef\nputs\n"


@pytest.mark.parametrize("board", [AST, MPS, RV32])
def test_the_heap_ends_before_the_stack(lab: Laboratory, board: str) -> None:
    outcome = lab.run(SCHEDULE.replace("8ms", "80ms"), HEAP, board)
    table = symbols(outcome.firmware.elf)
    half = (table["carillon_stack_top"][0] - table["end"][0]) // 2
    name, count = outcome.trace.output.split()
    assert name == "blocks"
    assert half - 0x10000 < int(count) * 0x8000 < half


@pytest.mark.parametrize("board", [AST, MPS, RV32, "atmega128", "atmega2560"])
def test_an_application_that_prints_nothing_has_nothing_of_the_console(lab: Laboratory, board: str) -> None:
    firmware = lab.firmware(lab.write(SCHEDULE, "ttTASK(Print)\n{\n}\n"), board)[1]
    console = {"carillon_console_put", "_write", "_sbrk", "__iob", "console", "put", "errno", "_impure_ptr", "stdout", "sbrk"}
    assert console & symbols(firmware.elf).keys() == set()


@pytest.mark.parametrize("board", [AST, "atmega128", VIRTUAL_AST])
def test_an_application_may_have_a_console_of_its_own(lab: Laboratory, board: str) -> None:
    own = "\nstatic uint32_t bytes;\nvoid carillon_console_put(char byte)\n{\n    (void)byte;\n    bytes++;\n}\n"
    code = PRINT.replace("ttTASK", own + "ttTASK").replace('("name", 10u);', '("name", 10u);\n    report("bytes", bytes);')
    assert lab.run(SCHEDULE, code, board).reported == [("bytes", 29)]


def test_a_board_without_a_console_is_named_where_the_application_prints(lab: Laboratory, tmp_path: Path) -> None:
    folder = shutil.copytree(ROOT / "boards" / AST, tmp_path / "chip")
    text = (folder / "board.toml").read_text(encoding="utf-8")
    before, after = text[: text.index("[console]")], text[text.index("[build]") :]
    (folder / "board.toml").write_text(before + after, encoding="utf-8")
    for code, expected in ((PRINT, "C194"), (PRINTF, "C194"), ("ttTASK(Print)\n{\n}\n", "")):
        diagnostics = Diagnostics()
        planned = plan(lab.write(SCHEDULE, code), diagnostics, str(folder))
        built = build(planned.image, tmp_path / "out", diagnostics)
        assert [d.code for d in diagnostics.errors] == ([expected] if expected else [])
        assert (built is None) == bool(expected)
        if expected:
            assert diagnostics.errors[0].cause == "the application prints, and nothing says how board 'ast1030-evb' does"


ERRORS = """
#include <errno.h>
#include <stdlib.h>
#include <string.h>
struct Table {
    uint32_t row[64];
};
struct Table from, to;
ttTASK(Print)
{
    report("none", (uint32_t)errno);
    from.row[63] = 7;
    to = from;
    report("copied", to.row[63]);
    report("most", strtol("99999999999999999999", NULL, 10) == 2147483647L);
    report("range", errno == ERANGE);
}
"""


@pytest.mark.parametrize("board", [AST, RV32])
def test_the_c_library_copies_and_counts_its_errors(lab: Laboratory, board: str) -> None:
    assert lab.run(SCHEDULE, ERRORS, board).reported == [("none", 0), ("copied", 7), ("most", 1), ("range", 1)]


def test_a_c_library_that_is_not_installed_is_named(lab: Laboratory, tmp_path: Path) -> None:
    folder = shutil.copytree(ROOT / "boards" / RV32, tmp_path / "chip")
    board = folder / "board.toml"
    board.write_text(board.read_text(encoding="utf-8").replace("picolibc.specs", "nowhere.specs"), encoding="utf-8")
    diagnostics = Diagnostics()
    planned = plan(lab.write(SCHEDULE, PRINTF), diagnostics, str(folder))
    assert build(planned.image, tmp_path / "out", diagnostics) is None
    (found,) = diagnostics.reported
    assert (found.code, found.remedy) == (
        "C092",
        "on Debian: apt-get install gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf",
    )
    assert found.cause.endswith("needs a C library that is not installed: the compiler misses its 'nowhere.specs'")
