# SPDX-License-Identifier: Apache-2.0
"""Response times of threads that run on the budget of a server (R. Davis and A. Burns, 2005); interrupts use up budgets, too.

A server has a budget ``B`` in each period ``P`` while its threads are ready (``kernel/time/server.c``).

1. ``f(c)`` is the longest time in which the threads run for ``c`` if their budget suffices.  It begins at any instant at which
   they may run, and has all in it that is above, and the longest section from below.  If ``f(B)`` is ``P`` at most, no period
   ends before its budget has been used, as long as a thread is ready.  Else there is no bound here.
2. A job may come when the budget has just been used up, as early as it can be.  So it waits for ``P - B`` at first.
3. The job and all that is before it need a time ``D``, of which interrupts are a part that are charged to the server.  They use
   up ``q`` whole budgets, each of which takes a period, and a rest ``r``, which takes ``f(r)``.
4. What is owed from before the window is an interrupt that came at the end of a budget, or the longest lock.  So interrupts count
   from a period before the window on, and the longest section counts once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from carillon.timing.arrivals import Sporadic
from carillon.timing.response import REST, SERVER, Flow, Others, Response, Term

UNCHARGED = frozenset({"task", "thread", SERVER})
"""Kinds of flows that are not charged to a server which they preempt."""
_MOST_STEPS = 1000


@dataclass(frozen=True, slots=True)
class Served:
    """A thread of a server, and the flows around it: ``above`` without the server's rests.

    ``budget`` and ``period`` of the server.
    """

    others: Others
    above: tuple[Flow, ...]
    budget: int
    period: int

    @staticmethod
    def of(others: Others) -> Served:
        """From the flows around a thread, of which one is its server's rests."""
        rest = next(other for other in others.above if other.kind == REST)
        (apart,) = rest.arrivals.parts
        assert isinstance(apart, Sporadic)
        period = apart.interval
        return Served(others, tuple(o for o in others.above if o is not rest), period - rest.cost, period)

    @property
    def charged(self) -> tuple[Flow, ...]:
        """What uses up the budget beside the threads."""
        return tuple(other for other in self.above if other.kind not in UNCHARGED)

    @property
    def suffices(self) -> bool:
        """Whether the budget is enough in the long run."""
        takers = (self.others.flow, *self.others.mates, *self.charged)
        return sum((taker.load for taker in takers), Fraction(0)) * self.period <= self.budget

    def within(self, work: int, late: int) -> int | None:
        """``f`` of some work; None if it takes more than a period."""
        length = work + self.others.blocking
        while length <= self.period:
            needed = work + self.others.blocking + _demand(self.above, length + late)
            if needed <= length:
                return length
            length = needed
        return None

    def finish(self, own: int, late: int) -> tuple[int, int, int] | None:
        """When work is done, from the begin of a busy window on: the length, the whole budgets, and how long the last part is."""
        length = 0
        for _ in range(_MOST_STEPS):
            work = own + self.others.blocking + _demand(self.charged, length + late + self.period)
            whole = -(-work // self.budget) - 1
            last = self.within(work - whole * self.budget, late)
            if last is None:
                return None
            needed = self.period - self.budget + whole * self.period + last
            if needed <= length:
                return length, whole, last
            length = needed
        return None


def served_response(others: Others, late: int = 1) -> Response | None:
    """The bound of a thread that runs on a server's budget; None if that is too small, or is not to be had in each period."""
    served, flow = Served.of(others), others.flow
    if not served.suffices or served.within(served.budget, late) is None:
        return None
    window = 1
    for _ in range(_MOST_STEPS):
        found = served.finish(_before(others, window), late)
        if found is None or found[0] <= window:
            break
        window = found[0]
    else:
        return None
    if found is None:
        return None
    steps = {0, *flow.arrivals.steps(window)}
    for mate in others.mates:
        steps.update(mate.arrivals.steps(window))
    best: tuple[int, int, tuple[int, int, int]] | None = None
    for at in sorted(steps):
        ends = served.finish(_before(others, at + 1), late)
        if ends is None:
            return None
        if best is None or ends[0] - at > best[0]:
            best = ends[0] - at, at, ends
    assert best is not None
    bound, at, ends = best
    terms = tuple(term for term in _terms(served, at, ends, late) if term.total)
    return Response(bound, terms, flow.arrivals.most(bound + late))


def _demand(flows: Iterable[Flow], length: int) -> int:
    return sum(other.arrivals.most(length) * other.cost for other in flows)


def _before(others: Others, length: int) -> int:
    """What a job that arrives at the end of such an interval needs, with the jobs of its level that come before it."""
    return _demand((others.flow, *others.mates), length)


def _terms(served: Served, at: int, ends: tuple[int, int, int], late: int) -> Iterator[Term]:
    others, flow = served.others, served.others.flow
    length, whole, last = ends
    yield Term("execution", flow.name, 1, flow.cost)
    yield Term("queued", flow.name, flow.arrivals.most(at + 1) - 1, flow.cost)
    yield Term("blocking", others.blocker, 2, others.blocking)
    for mate in others.mates:
        yield Term("mate", mate.name, mate.arrivals.most(at + 1), mate.cost)
    for other in served.charged:
        yield Term("charged", other.name, other.arrivals.most(length + late + served.period), other.cost)
    for other in served.above:
        yield Term("preemption", other.name, other.arrivals.most(last + late), other.cost)
    yield Term("rest", flow.server, whole + 1, served.period - served.budget)
    yield Term("elapsed", "", -1, at)
