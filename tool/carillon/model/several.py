# SPDX-License-Identifier: Apache-2.0
"""What an alarm with several actions does: one action of its own, which has the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from carillon.model.osek import AlarmAction, IncrementCounter


@dataclass(frozen=True, slots=True)
class Several(AlarmAction):
    """``actions`` one after the other, at one expiry; none increments a counter.  ``object`` is empty."""

    actions: tuple[AlarmAction, ...]

    key: ClassVar[str] = ""
    subject: ClassVar[str] = "list"
    number: ClassVar[int] = 10

    @property
    def each(self) -> tuple[AlarmAction, ...]:
        """What is done, one thing after the other."""
        return self.actions


@dataclass(frozen=True, slots=True)
class SeveralThenIncrement(IncrementCounter):
    """``actions`` one after the other, as of :class:`Several`; at last the counter advances."""

    actions: tuple[AlarmAction, ...]

    number: ClassVar[int] = 11

    @property
    def each(self) -> tuple[AlarmAction, ...]:
        """What is done, one thing after the other."""
        return (*self.actions, IncrementCounter(self.object))


def composed(actions: Sequence[AlarmAction]) -> AlarmAction:
    """One action that does ``actions`` in their order, of which a counter's increment can be but the last."""
    *others, last = actions
    if not others:
        return last
    if isinstance(last, IncrementCounter):
        return SeveralThenIncrement(last.object, tuple(others))
    return Several("", tuple(actions))
