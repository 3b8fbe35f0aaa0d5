# SPDX-License-Identifier: Apache-2.0
"""Reading: the tables of a schedule become the model, or diagnostics that name the place of every error."""

from __future__ import annotations

from carillon.diagnostics import Diagnostics
from carillon.model import System
from carillon.read.build import Builder
from carillon.read.shape import Tables


def build_system(tables: Tables, diagnostics: Diagnostics, board: str | None = None, clock: int | None = None) -> System | None:
    """The system of a file that was read."""
    return Builder(tables, diagnostics).build(board, clock)
