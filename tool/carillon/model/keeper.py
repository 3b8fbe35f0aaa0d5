# SPDX-License-Identifier: Apache-2.0
"""The cells that can keep execution and lock budgets."""

from __future__ import annotations

from carillon.model.board import Board
from carillon.model.family import Capability

BUDGET_BITS = 24
"""How far a cell of budgets counts down before it begins anew (``kernel/levels/budget.h``)."""
NEEDED = frozenset({Capability.REMAINING, Capability.LOAD})
"""The kernel reads and sets it while it runs."""


def keeps_budgets(board: Board) -> bool:
    """Whether some cell of a board can keep budgets, however many others need cells.

    The way to its first expiry is longer by the lead of the start, so as many bits as a turn needs are too few.
    """
    return any(set(cells.family.can) >= NEEDED and cells.width > BUDGET_BITS for cells in board.cells)
