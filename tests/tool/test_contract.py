# SPDX-License-Identifier: Apache-2.0
"""``kernel/contract`` has types and no code, and among them every one of which the tool writes constants."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from carillon.allocate.table_cells import TABLE_AHEAD
from carillon.diagnostics import Diagnostics
from carillon.emit import emit
from carillon.pipeline import plan

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "kernel" / "contract"
WRITTEN = re.compile(r"^(?:static |extern )?const struct (\w+) \*?\w+\[?", re.MULTILINE)


def code(path: Path) -> str:
    """A header without comments and directives."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"^ *#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.MULTILINE)


def functions(text: str) -> list[str]:
    return re.findall(r"(\w+)\([^()]*\)\s*[;{]", text)


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_the_contract_has_no_functions(path: Path) -> None:
    assert functions(code(path)) == []


def test_functions_are_found() -> None:
    assert functions(code(ROOT / "kernel" / "osektime" / "table.h")) == ["carillon_table_dispatch"]


@pytest.mark.parametrize(
    ("example", "kernel"), [("mixed-mode", "carillon"), ("osek-blinky", "carillon"), ("three-tasks", "conventional")]
)
def test_what_the_tool_writes_is_of_the_contracts_types(example: str, kernel: str) -> None:
    defined = {name for path in FOLDER.iterdir() for name in re.findall(r"^struct (\w+) \{", code(path), re.MULTILINE)}
    planned = plan(ROOT / "examples" / example / "schedule.toml", Diagnostics(), kernel=kernel)
    written = {name for file, text in emit(planned.image).items() if file.endswith(".c") for name in WRITTEN.findall(text)}
    assert len(written) > 3
    assert written <= defined


def test_all_agree_for_how_long_a_start_of_a_table_may_be_held_back() -> None:
    found = []
    for file, name in (("kernel/counters/table.h", "BEHIND"), ("cells/array/cell.h", "ARRAY_AHEAD")):
        text = (ROOT / file).read_text(encoding="utf-8")
        found += [int(value, 16) for value in re.findall(rf"#define {name} (?:UINT32_C\()?(0x[0-9A-F]+)", text)]
    assert found == [TABLE_AHEAD] * 2
