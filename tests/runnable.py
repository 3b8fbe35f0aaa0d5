# SPDX-License-Identifier: Apache-2.0
"""Which boards a test may run.

The emulator rigless is built once a machine, which takes minutes of processor time.  So the boards that it runs are tested where
CARILLON_RIGLESS is set, and skipped elsewhere.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from carillon.model.board import Board
from carillon.read.board import load_board
from carillon.resources import board_names, data_root

RIGLESS = pytest.mark.skipif(not os.environ.get("CARILLON_RIGLESS"), reason="rigless is built for minutes: set CARILLON_RIGLESS")


def _board(name: str) -> Board:
    return load_board(data_root() / "boards" / name / "board.toml")


def runnable() -> list[Any]:
    """All boards as parameters of a test; those that rigless runs are skipped by default."""
    names = {name: (run := _board(name).run) is not None and run.kind == "rigless" for name in board_names()}
    return [pytest.param(name, marks=RIGLESS) if rigless else name for name, rigless in names.items()]
