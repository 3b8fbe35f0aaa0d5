# SPDX-License-Identifier: Apache-2.0
"""Which boards have cells for schedule tables, as the guide says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from carillon.allocate.table_cells import carries_tables, is_set
from carillon.read.board import load_board

ROOT = Path(__file__).parents[2]
BOARDS = sorted(path.parent.name for path in (ROOT / "boards").glob("*/board.toml"))
GUIDE = (ROOT / "docs" / "guide" / "schedule-tables.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", BOARDS)
def test_the_guide_says_how_many_cells_of_a_board_carry_points(name: str) -> None:
    board = load_board(ROOT / "boards" / name / "board.toml")
    hz = board.clocks[0].hz
    able = [array for array in board.cells if carries_tables(board, hz, array)]
    cells = sum(len(array.names) for array in able)
    row = next((line for line in GUIDE.splitlines() if line.startswith("|") and f"`{name}`" in line), "")
    if name.startswith("virtual") or name == "tc1796":
        assert able and not any(is_set(array) for array in able)
        return
    if not able:
        assert row == ""
        return
    (said,) = re.findall(r"\| (\d+) \|", row)
    assert int(said) == cells - (0 if is_set(able[0]) else 1)  # the base of cells that one store starts is one of them
