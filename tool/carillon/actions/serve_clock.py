# SPDX-License-Identifier: Apache-2.0
"""Serve what is due in the queue of the time services."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import CostTable, EventTriggered, Served


@dataclass(frozen=True, slots=True)
class ServeClock(EventTriggered):
    """Delays and time-outs end, alarms expire (RELTEQ, section 3)."""

    word = "tick"
    subject = "clock"
    mark = "·"
    named = False

    def price(self, served: Served, costs: CostTable) -> int:
        """What a tick takes in which nothing is due; a clock that is set for what is due has none."""
        return costs.tick * served.points
