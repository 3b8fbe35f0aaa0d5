# SPDX-License-Identifier: Apache-2.0
"""Do several things at one expiry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from carillon.actions import Action, CostTable, EventTriggered, Served
from carillon.model.osek import AlarmAction
from carillon.model.several import Several as SeveralActions


@dataclass(frozen=True, slots=True)
class Several(EventTriggered):
    """All are done in one handler, one after the other, before any task that they start runs."""

    actions: tuple[Action, ...]

    word = "list"
    subject = "list"
    mark = "◆"
    constant = "SEVERAL"
    says: ClassVar[type[AlarmAction] | None] = SeveralActions

    @property
    def each(self) -> tuple[Action, ...]:
        """What is done, one thing after the other."""
        return self.actions

    @property
    def phrase(self) -> str:
        """What an alarm does that has them."""
        return ", then ".join(action.phrase for action in self.each)

    def price(self, served: Served, costs: CostTable) -> int:
        """At most what alarms with one of them each take."""
        return sum(action.price(served, costs) for action in self.each)
