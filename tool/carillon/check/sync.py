# SPDX-License-Identifier: Apache-2.0
"""Rounds that are synchronised can be.

Something may be corrected (C231), the board's cells can be moved (C243), and between edges that rounds follow are whole ticks
(C364).
"""

from __future__ import annotations

from carillon.diagnostics import Diagnostics
from carillon.model import Synchronisation, System
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
        _edges(system, sync, diagnostics)
        return
    diagnostics.error(code, span, cause, remedy)


def _edges(system: System, sync: Synchronisation, diagnostics: Diagnostics) -> None:
    """Edges are at the same places of each round, and a round begins behind one of its own."""
    for mode in system.modes:
        length, between = mode.round_length, mode.round_length // sync.edges
        if sync.phase is None and sync.edges > 1:
            cause, remedy = f"a round has {sync.edges} edges, and no phase to them", 'write phase = "0us", or more'
        elif sync.phase is None:
            return
        elif length % sync.edges:
            cause = f"the round of mode '{mode.name}' has {length} ticks, which are not {sync.edges} edges' whole ticks"
            remedy = "choose another number of edges, or a round that they divide"
        elif sync.phase >= between:
            cause = f"a round of mode '{mode.name}' begins {sync.phase} ticks behind an edge, and the next comes after {between}"
            remedy = f'write a phase of less than "{between} ticks"'
        else:
            continue
        diagnostics.error("C364", sync.phased, cause, remedy)
        return
