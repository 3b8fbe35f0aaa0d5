# SPDX-License-Identifier: Apache-2.0
"""Response times of jobs that fixed levels order: bounds, each with the terms that it is made of.

A flow's jobs ask for the processor at ``level``, and run at ``runs_at`` once they have begun: a preemption threshold (Y. Wang
and M. Saksena, 1999).  With ``runs_at`` at the level, the analysis is the busy-window analysis of J. Lehoczky (1990), with the
release jitter of K. Tindell et al. (1994).  With ``runs_at`` above all, it is that of R. Davis et al. (2007) of jobs that nothing
preempts.
Jobs of one level are served in the order of their arrivals (OSEK/VDX OS 2.2.3, chapter 4.5).

Where the times of all arrivals are known, each job of two hyperperiods is looked at (:func:`_phased`), which is exact without
blocking.  Where some are known, each of them may begin the busy window (J. Palencia and M. González Harbour, 1998).

Times are integers of one unit, in which all that happens is discrete.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate

from carillon.timing.arrivals import Arrival, Arrivals, Pattern

SERVER, REST = "server", "rest"
"""The kinds of flows that stand for a server: to others for its threads, and to its threads for the time in which they rest."""
MOST_RELEASES = 20_000
"""So many releases are looked at one by one for a flow; with more, the bound takes the worst phases for granted."""
MOST_STEPS = 50_000
"""So many jobs of busy windows are looked at for a flow, and so many steps lead to the end of one; else there is no bound."""


@dataclass(frozen=True, slots=True)
class Flow:
    """What takes the processor: jobs of one task, interrupt or handler.

    ``cost``: the longest time that a job takes.  ``holds``: (level, length) of each section in which it keeps out what is at that
    level or below.  ``takes_turns``: with all others of its level that do.  ``server``: of a thread that runs on a server's
    budget, and of what stands for the server (:mod:`carillon.timing.services`).
    """

    name: str
    kind: str
    level: int
    runs_at: int
    cost: int
    arrivals: Arrivals
    holds: tuple[tuple[int, int], ...] = ()
    takes_turns: bool = False
    server: str = ""

    @property
    def load(self) -> Fraction:
        """The part of the processor that it takes in the long run, at most."""
        return self.arrivals.rate * self.cost


@dataclass(frozen=True, slots=True)
class Term:
    """A part of a bound: ``often`` times ``each``.  ``why``: execution, queued, blocking, preemption, mate or elapsed."""

    why: str
    name: str
    often: int
    each: int

    @property
    def total(self) -> int:
        """The whole term."""
        return self.often * self.each


@dataclass(frozen=True, slots=True)
class Response:
    """The longest response time of a flow's jobs, to which its terms add up; ``jobs``: how many of them wait or run at once."""

    bound: int
    terms: tuple[Term, ...] = field(compare=False, default=())
    jobs: int = 1


@dataclass(frozen=True, slots=True)
class Others:
    """The flows around one flow: those above it, those at its level (itself left out), and how long one below holds it back."""

    flow: Flow
    above: tuple[Flow, ...]
    mates: tuple[Flow, ...]
    blocking: int
    blocker: str = ""

    @property
    def load(self) -> Fraction:
        """The load of all that runs before a job of the flow, and of the flow."""
        return sum((other.load for other in (*self.above, *self.mates)), self.flow.load)


def seen_by(flow: Flow, flows: Iterable[Flow]) -> Iterator[Flow]:
    """What the others are to one flow: the threads of its server, and of other servers what stands for all their threads.

    A thread that takes turns with others of its level may be preempted by them, as if they were above it.
    """
    for other in flows:
        if other.server and (other.kind == SERVER) == (other.server == flow.server):
            yield _as_holder(other)
        elif flow.takes_turns and other.takes_turns and other.level == flow.level and other is not flow:
            yield replace(other, level=other.level + 1)
        else:
            yield other


def _as_holder(flow: Flow) -> Flow:
    """A flow of which nothing counts but what it keeps out."""
    whole = ((flow.runs_at, flow.cost),) if flow.runs_at > flow.level else ()
    return replace(flow, cost=0, arrivals=Arrivals(()), holds=(*flow.holds, *whole))


def around(flow: Flow, flows: Iterable[Flow], late: int = 1) -> Others:
    """The flows around one flow.

    ``late``: 1 if what arrives in the unit in which a job ends preempts it; and then, what begins in the unit of an arrival
    precedes that (:mod:`carillon.check.simulation` says why).  Else 0.
    """
    above, mates = [], []
    longest, blocker = 0, ""
    for other in seen_by(flow, flows):
        if other is flow:
            continue
        if other.level > flow.level:
            above.append(other)
        elif other.level == flow.level:
            mates.append(other)
        else:
            held = other.cost if other.runs_at >= flow.level else 0
            held = max(held, *(length for level, length in other.holds if level >= flow.level), 0)
            if held > longest:
                longest, blocker = held, other.name
    return Others(flow, tuple(above), tuple(mates), max(0, longest - 1 + late), blocker)


def response(others: Others, late: int = 1, releases: int = MOST_RELEASES) -> Response | None:
    """The bound of a flow; None if its jobs may pile up without end, or a busy window is too long to be looked at.

    ``releases``: how many known ones are looked at.
    """
    if others.load > 1:
        return None
    demand = _Demand((*others.above, *others.mates, others.flow))
    window = _least(lambda x: others.blocking + demand(x + late), max(1, others.blocking + demand(1)))
    if window is None:
        return None
    found = _critical(others, window, late)
    exact = _phased(others, window, late, releases)
    return exact if exact is not None and (found is None or exact.bound < found.bound) else found


class _Demand:
    """What some flows ask for in an interval; flows that arrive alike are one."""

    __slots__ = ("parts",)

    def __init__(self, flows: Iterable[Flow]) -> None:
        costs: dict[Arrival, int] = {}
        for flow in flows:
            for part in flow.arrivals.parts:
                costs[part] = costs.get(part, 0) + flow.cost
        self.parts = tuple(costs.items())

    def __call__(self, length: int) -> int:
        return sum(part.most(length) * cost for part, cost in self.parts)


def _critical(others: Others, window: int, late: int) -> Response | None:
    """The bound if all arrive together, and as soon again as they can."""
    flow, ends = others.flow, _Ends(others, late)
    steps: set[int] = set()
    for arrivals in (flow.arrivals, *(mate.arrivals for mate in others.mates)):
        steps.update(arrivals.steps(window))
        if len(steps) > MOST_STEPS:
            return None
    best: tuple[int, int, int, int] | None = None
    for at in sorted(steps):
        found = ends.of(at)
        if found is None:
            return None
        start, end = found
        if best is None or end - at > best[0]:
            best = end - at, at, start, end
    assert best is not None
    bound, at, start, end = best
    return Response(bound, _that_count(_critical_terms(others, at, start, end, late)), flow.arrivals.most(bound + late))


def _that_count(terms: Iterator[Term]) -> tuple[Term, ...]:
    """The terms that are not 0: where code takes no time, handlers take none."""
    return tuple(term for term in terms if term.total)


class _Ends:
    """When the last job that has arrived ``at`` so long after the begin of a busy window begins, and ends."""

    def __init__(self, others: Others, late: int) -> None:
        self.others, self.late, self.flow = others, late, others.flow
        self.above = _Demand(others.above)
        self.beyond = _Demand([other for other in others.above if other.level > self.flow.runs_at])

    def of(self, at: int) -> tuple[int, int] | None:
        """In units from the window's begin; 0 for a begin that changes nothing.  None: too many steps lead there."""
        flow, own = self.flow, self.flow.arrivals.most(at + 1)
        before = self.others.blocking + (own - 1) * flow.cost
        before += sum(mate.arrivals.most(at + 1) * mate.cost for mate in self.others.mates)
        if flow.runs_at <= flow.level:
            end = _least(lambda x: before + flow.cost + self.above(x + self.late), 1)
            return (0, end) if end is not None else None
        start = _least(lambda x: before + 1 + self.above(x), 1)
        if start is None:
            return None
        begun, kept = start, self.beyond(start)
        end = _least(lambda x: begun - 1 + flow.cost + max(0, self.beyond(x + self.late) - kept), begun)
        return (start, end) if end is not None else None


def _critical_terms(others: Others, at: int, start: int, end: int, late: int) -> Iterator[Term]:
    flow, own = others.flow, others.flow.arrivals.most(at + 1)
    yield Term("execution", flow.name, 1, flow.cost)
    if own > 1:
        yield Term("queued", flow.name, own - 1, flow.cost)
    if others.blocking:
        yield Term("blocking", others.blocker, 1, others.blocking)
    for mate in others.mates:
        yield Term("mate", mate.name, mate.arrivals.most(at + 1), mate.cost)
    for other in others.above:
        often = other.arrivals.most(end + late)
        if start and other.level <= flow.runs_at:
            often = other.arrivals.most(start)
        yield Term("preemption", other.name, often, other.cost)
    if at:
        yield Term("elapsed", "", -1, at)


def _least(function: Callable[[int], int], at: int) -> int | None:
    """The least fixed point from ``at`` upwards of a function that never falls; None if too many steps lead there."""
    for _ in range(MOST_STEPS):
        found = function(at)
        if found <= at:
            return at
        at = found
    return None


# Where times are known.


def _known(flow: Flow, end: int) -> Iterator[int]:
    """The arrivals of a flow that is phased before ``end``, part by part."""
    for part in flow.arrivals.parts:
        if isinstance(part, Pattern):
            yield from part.until(end)


@dataclass(frozen=True, slots=True)
class _Known:
    """Releases at known times: ``times`` ascending, and what those up to each one ask for together."""

    times: Sequence[int]
    sums: Sequence[int]

    @staticmethod
    def of(flows: Iterable[Flow], end: int) -> _Known:
        """Those before ``end``."""
        both = sorted((at, flow.cost) for flow in flows for at in _known(flow, end))
        return _Known([at for at, _ in both], [0, *accumulate(cost for _, cost in both)])

    def between(self, begin: int, end: int) -> int:
        """What is asked for in ``[begin, end)``."""
        return self.sums[bisect_left(self.times, end)] - self.sums[bisect_left(self.times, begin)]


def _phased(others: Others, window: int, late: int, releases: int) -> Response | None:
    """The bound by the known times; None if there are none, or they are too many."""
    flow = others.flow
    if not flow.arrivals.phased:
        return None
    ahead = (*others.above, *others.mates)
    known = [other for other in ahead if other.arrivals.phased]
    if len(known) < len(ahead) and not known:
        return None  # nothing to gain
    end = _horizon([flow, *known], releases)
    if end is None:
        return None
    unknown = [other for other in ahead if not other.arrivals.phased]
    higher = _Known.of([other for other in known if other.level > flow.level], end + window)
    equal = _Known.of([flow, *(other for other in known if other.level == flow.level)], end + window)
    own = sorted(set(_known(flow, end + window)))
    if unknown:
        found = _windows(others, _Unknown(flow, unknown), higher, equal, own, (end, window), late)
    else:
        found = _each(others, higher, equal, own, late)
    if found is None:
        return None
    bound, begin, at = found
    return Response(bound, _that_count(_phased_terms(others, known, begin, at, bound, late)), flow.arrivals.most(bound + late))


def _horizon(flows: Iterable[Flow], most: int) -> int | None:
    """Until when releases are looked at: two hyperperiods after all have begun; None if these are too many."""
    parts = [part for flow in flows for part in flow.arrivals.parts if isinstance(part, Pattern)]
    hyperperiod, begin = 1, 0
    for part in parts:
        hyperperiod = math.lcm(hyperperiod, part.period or 1)
        begin = max(begin, part.times[-1])
    end = begin + 2 * hyperperiod
    releases = sum(len(part.times) * (end // part.period + 1) if part.period else len(part.times) for part in parts)
    return end if releases <= most else None


def _each(others: Others, higher: _Known, equal: _Known, own: Sequence[int], late: int) -> tuple[int, int, int] | None:
    """The longest response, when its busy window begins, and when its job arrives: all times are known.

    What is left to do is followed from release to release.  Blocking may begin before any of them: where jobs take less than they
    may, the processor idles, or runs what is below, sooner.
    """
    both = sorted({*higher.times, *equal.times})
    arrivals = set(own)
    left, before, begin = 0, 0, 0
    best: tuple[int, int, int] | None = None
    for at in both:
        left -= at - before
        if left <= others.blocking:
            left, begin = others.blocking, at
        left += higher.between(at, at + 1) + equal.between(at, at + 1)
        before = at
        if at in arrivals:
            length = _until_done(higher, at, left, late)
            if best is None or length > best[0]:
                best = length, begin, at
    return best


def _until_done(higher: _Known, at: int, left: int, late: int) -> int:
    """How long from ``at`` until what is left, and what arrives above from then on, is done."""
    number, length = bisect_right(higher.times, at), left
    while number < len(higher.times) and higher.times[number] < at + length + late:
        length += higher.sums[number + 1] - higher.sums[number]
        number += 1
    return length


class _Unknown:
    """What the flows ask for whose times are not known, in a busy window that is ``length`` long."""

    def __init__(self, flow: Flow, flows: Sequence[Flow]) -> None:
        self.above = _Demand([other for other in flows if other.level > flow.level])
        self.mates = [other for other in flows if other.level == flow.level]

    def before(self, at: int) -> int:
        """Those that a job has before it which arrives ``at`` so long after the window's begin."""
        return sum(mate.arrivals.most(at + 1) * mate.cost for mate in self.mates)


def _windows(
    others: Others, unknown: _Unknown, higher: _Known, equal: _Known, own: Sequence[int], horizon: tuple[int, int], late: int
) -> tuple[int, int, int] | None:
    """The same where some times are not known: each known release may begin the busy window, with all the unknown ones.

    ``horizon``: until when known releases are looked at as such begins, and the longest busy window.
    """
    until, window = horizon
    best: tuple[int, int, int] | None = None
    steps = 0

    def needed(begin: int, fixed: int) -> Callable[[int], int]:
        return lambda x: fixed + higher.between(begin, begin + x + late) + unknown.above(x + late)

    for begin in sorted(at for at in {*higher.times, *equal.times} if at < until):
        for at in own[bisect_left(own, begin) : bisect_left(own, begin + window)]:
            steps += 1
            fixed = others.blocking + equal.between(begin, at + 1) + unknown.before(at - begin)
            end = _least(needed(begin, fixed), max(1, at - begin)) if steps <= MOST_STEPS else None
            if end is None:
                return None
            if best is None or end - (at - begin) > best[0]:
                best = end - (at - begin), begin, at
    return best


def _phased_terms(others: Others, known: Sequence[Flow], begin: int, at: int, bound: int, late: int) -> Iterator[Term]:
    flow, end = others.flow, at + bound
    yield Term("execution", flow.name, 1, flow.cost)
    own = _within(flow, begin, at + 1) - 1
    if own:
        yield Term("queued", flow.name, own, flow.cost)
    if others.blocking:
        yield Term("blocking", others.blocker, 1, others.blocking)
    for other in (*others.mates, *others.above):
        mate = other.level == flow.level
        if other in known:
            often = _within(other, begin, at + 1 if mate else end + late)
        else:
            often = other.arrivals.most(at - begin + 1 if mate else end - begin + late)
        if often:
            yield Term("mate" if mate else "preemption", other.name, often, other.cost)
    if at > begin:
        yield Term("elapsed", "", -1, at - begin)


def _within(flow: Flow, begin: int, end: int) -> int:
    """How many known arrivals a flow has in ``[begin, end)``."""
    return sum(begin <= at for at in _known(flow, end))
