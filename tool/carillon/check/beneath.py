# SPDX-License-Identifier: Apache-2.0
"""What is event-triggered runs on boards whose port has more than rounds (C351)."""

from __future__ import annotations

from carillon.diagnostics import Diagnostics
from carillon.model import System


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report tasks, ISRs, counters and time services on a board that has rounds alone."""
    if system.board.dispatch == "none" and (system.osek is not None or system.time is not None):
        cause = f"the port of board '{system.board.name}' has rounds, and nothing event-triggered yet"
        remedy = "choose another board (carillon boards), or take [osek] and [time] away"
        diagnostics.error("C351", None, cause, remedy)
