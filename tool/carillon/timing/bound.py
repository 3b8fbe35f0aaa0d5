# SPDX-License-Identifier: Apache-2.0
"""The bound of a response time, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from carillon.diagnostics import Span
from carillon.timing.response import Term


@dataclass(frozen=True, slots=True)
class Bound:
    """The longest response of a task, thread, ISR or interrupt, in units of which ``scale`` are a tick.

    ``mode``: of a task of the rounds, or of a Giotto program with several.  ``bound`` is None if there is none, and ``why`` says
    why.  ``jobs``: how many of its activations wait or run at once at most, and ``takes`` how many it takes: with more, some are
    lost.  It is 0 of what has none, as a task that waits for events, which are set once or several times alike.  ``deadline`` in
    ticks, None if it has none; of a task of the rounds, what is left to its nearest one is ``slack``.  Of a Giotto task that may
    be late, it is negative.  ``load``: its part of the processor in the long run.  ``rests_on``: what the bound takes for granted
    beside what is declared, so that no run is held against it; empty: nothing.
    """

    name: str
    kind: str
    span: Span
    scale: int
    bound: int | None
    why: str = ""
    terms: tuple[Term, ...] = ()
    jobs: int = 1
    takes: int = 0
    deadline: int | None = None
    slack: int | None = None
    load: Fraction | None = None
    mode: str = ""
    rests_on: str = ""

    @property
    def ticks(self) -> int | None:
        """The bound in ticks, rounded up."""
        return None if self.bound is None else -(-self.bound // self.scale)

    @property
    def met(self) -> bool | None:
        """Whether each deadline is met; None if it has none, or there is no bound."""
        if self.slack is not None:
            return self.slack >= 0
        return None if self.deadline is None or self.bound is None else self.bound <= self.deadline * self.scale

    @property
    def loses(self) -> bool:
        """Whether activations may be lost."""
        return bool(self.takes) and self.bound is not None and self.jobs > self.takes
