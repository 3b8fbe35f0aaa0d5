# SPDX-License-Identifier: Apache-2.0
"""Advance a counter by one."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import CostTable, EventTriggered, Served
from carillon.model.osek import IncrementCounter


@dataclass(frozen=True, slots=True)
class Count(EventTriggered):
    """A tick of a counter of the hardware, or what an alarm does to one of software (OSEK OS 2.2.3, section 9.1).

    No count may be lost, as no :class:`~carillon.actions.call.Call` may.
    """

    word = "tick"
    subject = "counter"
    mark = "·"
    counts = True
    constant = "COUNT"
    says = IncrementCounter
    does = "increments {object}"

    def price(self, served: Served, costs: CostTable) -> int:
        """Of a counter of the hardware, what a tick takes in which nothing is due; else what a handler takes."""
        return served.by_handler(costs) if served.queued else costs.tick * served.points
