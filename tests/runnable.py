# SPDX-License-Identifier: Apache-2.0
"""Which boards a test may run.

The emulator rigless is built on the first run of such a board, which takes minutes.  So its boards are tested where it is built,
and skipped elsewhere.  rp2040js is fetched in seconds: its boards are tested where Node and npm are.
"""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from carillon.model.board import Board
from carillon.read.board import load_board
from carillon.resources import board_names, data_root
from carillon.run.emulators import built_rigless

RIGLESS = pytest.mark.skipif(not built_rigless().is_file(), reason="rigless is not built: see CONTRIBUTING.md")
NODE = pytest.mark.skipif(not (shutil.which("node") and shutil.which("npm")), reason="needs node and npm")
MARKS = {"rigless": RIGLESS, "rp2040js": NODE}


def _board(name: str) -> Board:
    return load_board(data_root() / "boards" / name / "board.toml")


def runnable() -> list[Any]:
    """All boards as parameters of a test; those whose emulator is not here are skipped."""
    kinds = {name: run.kind if (run := _board(name).run) is not None else "" for name in board_names()}
    return [pytest.param(name, marks=MARKS[kind]) if kind in MARKS else name for name, kind in kinds.items()]
