# SPDX-License-Identifier: Apache-2.0
"""The cells that can keep execution and lock budgets."""

from __future__ import annotations

from carillon.model.board import Board, Cells
from carillon.model.family import Capability

NEEDED = frozenset({Capability.REMAINING, Capability.LOAD})
"""The kernel reads and sets a cell of budgets while it runs."""
_BITS, _FEWEST = 24, 16
"""How far such a cell counts down before it begins anew (``kernel/levels/budget.h``), in bits; and how many it has at least."""


def keeps_round_budgets(array: Cells) -> bool:
    """Whether a cell can keep the budgets of the rounds' tasks: as any other, or by the match of a counter that runs freely."""
    return array.width >= _FEWEST and (Capability.BUDGET in array.family.can or array.family.can >= NEEDED)


def budget_range(board: Board, rounds: bool = False) -> int:
    """How many ticks a cell of budgets, or of those of ``rounds``, counts before it begins anew; a budget is at most half.

    The way to its first expiry is longer by the lead of the start, so as many bits as a turn needs are too few.
    """
    able = (it for it in board.cells if it.family.can >= NEEDED or (rounds and keeps_round_budgets(it)))
    bits = max((cells.width for cells in able), default=0)
    return 1 << (min(_BITS, bits - 1) if bits >= _FEWEST else _BITS)


def round_budget_turn(board: Board) -> int:
    """In how many ticks the demand of a cell of the rounds' budgets comes again.  A channel has its timer to itself."""
    ticks = budget_range(board, rounds=True)
    return ticks if ticks == 1 << _BITS or keeps_budgets(board) else 2 * ticks


def prefers_cells(board: Board) -> bool:
    """Whether a cell keeps budgets unless the schedule says otherwise: one that counts as far as any budget needs."""
    return keeps_budgets(board) and budget_range(board) == 1 << _BITS


PAUSED = frozenset({*NEEDED, Capability.PAUSE})
"""A cell of each task's own is stopped where the task is preempted, and keeps its count."""


def paused_by_a_store(board: Board) -> bool:
    """Whether some cell of a board can keep the budget of one task, so that its counter is never read."""
    return any(set(cells.family.can) >= PAUSED and cells.width >= _FEWEST for cells in board.cells)


def keeps_budgets(board: Board) -> bool:
    """Whether some cell of a board can keep budgets, however many others need cells."""
    return any(set(cells.family.can) >= NEEDED and cells.width >= _FEWEST for cells in board.cells)
