# SPDX-License-Identifier: Apache-2.0
"""A round that a timer of the application starts can be started so (C365)."""

from __future__ import annotations

from carillon.diagnostics import Diagnostics
from carillon.model import System

LONGEST = 2**32


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report ``[start]`` on boards where it cannot be, and where the round would not keep the timer's pace."""
    start, board = system.start, system.board
    if start is None or diagnostics.errors:
        return
    triggers, modes = board.triggers, system.modes
    long = modes[0].round_length if modes else 0
    span = start.span
    if not triggers:
        cause = f"the file of board '{board.name}' has no [starter]: no timer can start the one that starts its cells"
        remedy = "choose a board that has one, such as stm32f4-discovery; or let ttSyncEdge ([sync] phase) move the rounds"
    elif start.by not in triggers:
        span = start.named
        cause = f"'{start.by}' cannot start the cells of board '{board.name}'"
        remedy = "write by = " + " or ".join(f'"{name}"' for name in triggers)
    elif len(modes) != 1:
        cause = f"[start] is for one mode, and there are {len(modes)}" if modes else "there is no round that [start] could start"
        remedy = "leave one mode, or remove [start]" if modes else "give a task a period, or remove [start]"
    elif start.period >= LONGEST:
        span = start.timed
        cause, remedy = f"a period of {start.period} ticks does not fit into 32 bits", "write a shorter period"
    elif long % start.period:
        span = start.timed
        cause = f"the round of {long} ticks is no multiple of {start.period}, after which {start.by} triggers again"
        remedy = "choose a round that is one, or another period of the timer"
    elif start.phase >= start.period:
        span = start.phased
        cause = f"the round begins {start.phase} ticks behind a trigger, and the next comes after {start.period}"
        remedy = f'write a phase of less than "{start.period} ticks"'
    else:
        return
    diagnostics.error("C365", span, cause, remedy)
