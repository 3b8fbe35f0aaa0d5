# SPDX-License-Identifier: Apache-2.0
"""Do several things at one expiry, then advance a counter by one."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.actions import Action
from carillon.actions.count import Count
from carillon.actions.several import Several
from carillon.model.several import SeveralThenIncrement


@dataclass(frozen=True, slots=True)
class SeveralThenCount(Several):
    """The other actions are done before the alarms of the counter, its object, expire."""

    subject = "counter"
    counts = True
    constant = "SEVERAL_THEN_COUNT"
    says = SeveralThenIncrement

    @property
    def each(self) -> tuple[Action, ...]:
        """What is done, one thing after the other."""
        return (*self.actions, Count(self.object))
