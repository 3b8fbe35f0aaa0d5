# SPDX-License-Identifier: Apache-2.0
"""Do several things at one expiry, then advance a counter by one."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import Action, CostTable, EventTriggered, Served
from carillon.actions.count import Count
from carillon.model.several import SeveralThenIncrement


@dataclass(frozen=True, slots=True)
class SeveralThenCount(EventTriggered):
    """The other actions are done before the alarms of the counter, its object, expire."""

    actions: tuple[Action, ...]

    word = "list"
    subject = "counter"
    mark = "◆"
    counts = True
    constant = "SEVERAL_THEN_COUNT"
    says = SeveralThenIncrement

    @property
    def each(self) -> tuple[Action, ...]:
        """What is done, one thing after the other."""
        return (*self.actions, Count(self.object))

    @property
    def phrase(self) -> str:
        """What an alarm does that has them."""
        return ", then ".join(action.phrase for action in self.each)

    def price(self, served: Served, costs: CostTable) -> int:
        """At most what alarms with one of them each take."""
        return sum(action.price(served, costs) for action in self.each)
