# SPDX-License-Identifier: Apache-2.0
"""Rounds that are synchronised can be: something may be corrected (C231), and the board's cells can be moved (C243)."""

from __future__ import annotations

from carillon.diagnostics import Diagnostics
from carillon.model import System
from carillon.model.board import Role

LONGEST = 2**31


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report ``[sync]`` without effect, rounds that are too long for it, and boards whose cells cannot be moved."""
    sync = system.sync
    if sync is None or diagnostics.errors:
        return
    long = next((m for m in system.modes if m.round_length >= LONGEST), None)
    code, span = "C231", sync.span
    if not system.modes:
        cause, remedy = "there is no round that [sync] could change", "give a task a period, or remove [sync]"
    elif not sync.lengthen and not sync.shorten:
        cause = "[sync] allows no round to be made longer or shorter"
        remedy = "write lengthen and shorten, more than what the oscillators of two nodes run apart in a round"
    elif long is not None:
        span = long.span
        cause = f"the round of mode '{long.name}' has {long.round_length} ticks, and [sync] wants less than {LONGEST}"
        remedy = "choose a slower clock or a shorter round"
    elif not any(cells.serves(Role.SYNC) for cells in system.board.cells):
        families = ", ".join(f"'{name}'" for name in dict.fromkeys(cells.family.name for cells in system.board.cells))
        code = "C243"
        cause = f"no cell of board '{system.board.name}' can be moved while it runs: its families are {families}"
        remedy = 'choose a board with cells of a family that can "synchronise", such as ast1030-evb, or remove [sync]'
    else:
        return
    diagnostics.error(code, span, cause, remedy)
