# SPDX-License-Identifier: Apache-2.0
"""How much longer than its budget a job runs before it is ended, and what its end takes.

A task or an ISR without a WCET may use up its budget.  Nobody sees that at once: the tables of docs/SPEC.md, "Execution budgets",
say when.  What preempts a job may put that off (``kernel/levels/budget.h``, 6 and 15), so a job's lateness depends on how often
it is preempted.  That follows from the length of the job, with its lateness, and from what is above it: a fixed point, level by
level from the highest down.  Where there is none, nothing bounds the job.

An overrun's end is asked of ``ProtectionHook``, whose length is ``hook_wcet``.  Without the hook the system shuts down, and
nothing follows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from carillon.image.devices import PATIENCE, RETRY, STEP
from carillon.model.osek import Hook, Isr, Osek, OsekTask
from carillon.model.time import ClockKind
from carillon.timing.arrivals import Arrivals, Work
from carillon.timing.prices import Prices
from carillon.timing.response import MOST_STEPS, Flow, seen_by

LATE = 1
"""As of :mod:`carillon.timing.analysis`."""
FINE = 8
"""Where a unit of what keeps budgets is longer than so many instructions, a service of a lock may pass over whole ones."""
Sections = tuple[tuple[int, int], ...]


def rests_on_budget(item: OsekTask | Isr) -> bool:
    """Whether nothing but its execution budget says how long a job takes."""
    return bool(item.budget) and not item.declared.wcet


def resting(osek: Osek) -> tuple[OsekTask | Isr, ...]:
    """The tasks and ISRs whose jobs may use up their budgets, as nothing says that they do not."""
    every: tuple[OsekTask | Isr, ...] = (*osek.tasks, *osek.isrs)
    return tuple(item for item in every if rests_on_budget(item))


def followed(osek: Osek) -> frozenset[str]:
    """Those whose overruns the bounds allow for: it is known how long the hook takes which ends the job."""
    known = Hook.PROTECTION in osek.hooks and osek.hook_wcet
    return frozenset(item.name for item in resting(osek)) if known else frozenset()


@dataclass(frozen=True, slots=True)
class Keeper:
    """What keeps the budgets, in units of which ``prices.scale`` are a tick.

    ``unit``: what it counts in.  ``clock``: of which kind, None: a cell.
    """

    prices: Prices
    unit: int
    clock: ClockKind | None

    @staticmethod
    def of(prices: Prices) -> Keeper | None:
        """That of a system; None if it has no budgets."""
        allocation = prices.allocation
        if allocation.budgets is not None:
            return Keeper(prices, math.ceil(prices.scale / allocation.budgets.cells[0].units_per_tick), None)
        if allocation.osek.queued_budgets and allocation.clock is not None:
            return Keeper(prices, math.ceil(allocation.clock.tick * prices.scale), allocation.clock.services.clock)
        return None

    def lateness(self, budget: int, preempted: int, interrupted: int, locks: bool) -> int:
        """How much longer than a budget of so many units a job runs at most, until it is seen that this is used up.

        ``preempted``: how often a handler pauses the budget meanwhile.  ``interrupted``: by how many ISRs of category 1.
        ``locks``: whether the job has lock budgets.  Source: docs/SPEC.md, "Execution budgets", "when an overrun is seen" and
        "how exact it is", and "Lock budgets", "what it costs".

        * A cell: a tick after it reads 0, and what of its unit had gone.  In the instructions in which a handler pauses or
          resumes the budget, it is not seen.  Then the cell asks again after 64 instructions, and each time 4 sooner: those of
          16 preemptions are 544.  In an ISR of category 1 it asks again after 512.
        * A one-shot or compare clock: the budget is rounded up to its units, as is what is left where a job goes on.
        * A periodic clock: a budget of n ticks is used up with tick n + 1, and a tick counts that comes while the job runs.  So
          between two preemptions a tick may be lost.

        Each: a service ends before, with its hooks (the kernel's lock), and what sees the overrun is entered.  Services of locks
        with budgets read what is left and set it anew, and what is between does not count.  That is a third of a job that does
        nothing else, at most, as tests/response measures it; a half is taken for it.
        """
        seen = self.prices.lock + self.prices.of("isr") + (budget if locks and self.prices.counts_code else 0)
        if self.clock is None:
            retry, step, patience = (-(-n // self.prices.scale) * self.prices.scale for n in (RETRY, STEP, PATIENCE))
            cycle = range(step, retry + 1, step)
            looks = min(retry * (preempted + 1), sum(cycle) * (1 + preempted // len(cycle))) * self.prices.counts_code
            return 2 * self.unit - 1 + preempted * (self.unit - 1) + looks + (patience + self.unit - 1) * interrupted + seen
        rounded = -(-budget // self.unit) * self.unit - budget
        if self.clock is ClockKind.PERIODIC:
            return rounded + self.unit * (1 + preempted) + self.prices.clock + seen
        return rounded + (self.unit - 1) * (1 + preempted) + self.prices.clock + seen

    def pauses(self, other: Flow) -> bool:
        """Whether what preempts a job pauses its budget: a periodic clock's own handler does not (``budget.h``, 17)."""
        return not (self.clock is ClockKind.PERIODIC and other.kind == "handler" and other.name.startswith("the clock"))

    @property
    def passes_over(self) -> bool:
        """Whether whole units may pass in services of locks, of which nothing bounds how many there are."""
        return self.prices.counts_code and (self.clock is ClockKind.PERIODIC or self.unit > FINE)

    @property
    def each(self) -> Fraction:
        """By how much a preemption makes a job later in the long run, at most."""
        if self.clock is None:
            return Fraction(self.unit - 1 + (RETRY + STEP) // 2 * self.prices.counts_code)
        return Fraction(self.unit if self.clock is ClockKind.PERIODIC else self.unit - 1)

    @property
    def end(self) -> int:
        """What ends a job: the hook is asked."""
        hooked = Hook.PROTECTION in self.prices.allocation.osek.hooks
        return self.prices.of("isr") + self.prices.hook * hooked


@dataclass(frozen=True, slots=True)
class Unseen:
    """Why nothing bounds how late an overrun is seen, and up to which level the job then keeps others out (-1: its own)."""

    flow: Flow
    why: str
    reach: int


@dataclass(slots=True)
class Late:
    """The flows of items with budgets, with how late their overruns are seen; ``unseen``: of which that is not bounded."""

    flows: list[Flow] = field(default_factory=list)
    unseen: list[Unseen] = field(default_factory=list)


def let_be_late(prices: Prices, known: Iterable[Flow], items: dict[str, tuple[OsekTask | Isr, list[tuple[int, int]]]]) -> Late:
    """The flows again; ``items``: what may keep others out for how many ticks (0: for all of its time), by name."""
    keeper, late = Keeper.of(prices), Late(list(known))
    if keeper is None:
        return late
    isrs = frozenset(isr.name for isr in prices.allocation.osek.isrs if isr.category == 1)
    for flow in sorted(late.flows, key=lambda flow: -flow.level):
        item, sections = items.get(flow.name, (None, []))
        if item is None or not flow.cost or not (rests_on_budget(item) or (isinstance(item, OsekTask) and item.has_locks)):
            continue
        found = _later(keeper, flow, late.flows, item, tuple(sections), isrs)
        if isinstance(found, Unseen):
            late.unseen.append(found)
        elif found is not None:
            late.flows = [found if other is flow else other for other in late.flows]
    if resting(prices.allocation.osek):
        holds = ((prices.allocation.locked, prices.lock + keeper.end),)
        late.flows.append(Flow("protection hook", "lock", -1, -1, 0, Arrivals(()), holds))
    return late


def _later(
    keeper: Keeper, flow: Flow, flows: list[Flow], item: OsekTask | Isr, sections: Sections, isrs: frozenset[str]
) -> Flow | Unseen | None:
    """The flow with its lateness, or why that has no bound; None if there is more load than there is, which is said elsewhere."""
    prices, rests = keeper.prices, rests_on_budget(item)
    wcet = item.declared.wcet * prices.scale
    reach = max(flow.runs_at if flow.runs_at > flow.level else -1, *(level for level, _ in sections), -1)
    if rests and keeper.clock is not None and reach > len(prices.allocation.levels):
        return Unseen(flow, "the clock does not see that its budget is used up while it holds interrupts back", reach)

    def unseen(why: str) -> Flow | Unseen:
        if not rests:  # a lock of a job that has a WCET is no longer than that
            return replace(flow, holds=tuple((level, wcet) for level, _ in sections))
        return Unseen(flow, f"nothing bounds how late it is seen that its budget is used up: {why}", reach)

    above = [other for other in seen_by(flow, flows) if other.level > flow.level]
    pausing = [other for other in above if keeper.pauses(other)]
    load = sum((other.load for other in above), Fraction(0))
    if load >= 1:
        return unseen("more load than there is") if reach > flow.level else None
    own = [other for other in above if other.name in isrs]
    more = sum((_rate(other.arrivals) * keeper.each for other in pausing), Fraction(0))
    more += sum((other.arrivals.rate * PATIENCE for other in own if keeper.clock is None), Fraction(0))
    if load + more >= 1:
        return unseen("what preempts it may come too often")

    def late(length: int) -> tuple[int, int]:
        return sum(_often(it.arrivals, length) for it in pausing), sum(it.arrivals.most(length) for it in own)

    locks = isinstance(item, OsekTask) and item.has_locks
    if locks and keeper.passes_over:
        return unseen("services of locks that have budgets may pass over each tick")
    budget = item.budget * prices.scale if rests else 0
    length = flow.cost
    for _ in range(MOST_STEPS):
        lateness = keeper.lateness(budget, *late(length + LATE), locks)
        needed = flow.cost + lateness + keeper.end + sum(it.arrivals.most(length + LATE) * it.cost for it in above)
        if needed <= length:
            break
        length = needed
    else:
        return unseen("what preempts it may come too often")
    often = late(length + LATE)
    cost = flow.cost + (keeper.lateness(budget, *often, locks) + keeper.end if rests else 0)

    def held(ticks: int) -> int:
        longest = cost if rests else wcet
        units = ticks * prices.scale
        return min(longest, units + keeper.lateness(units, *often, locks) + keeper.end) if ticks else longest

    return replace(flow, cost=cost, holds=tuple((level, held(ticks)) for level, ticks in sections))


def _often(arrivals: Arrivals, length: int) -> int:
    """How many arrivals there are; of work, how many of its points."""
    counts: Iterator[int] = (
        len(part.points) * (length // part.period + 2) if isinstance(part, Work) else part.most(length) for part in arrivals.parts
    )
    return sum(counts)


def _rate(arrivals: Arrivals) -> Fraction:
    parts = (Fraction(len(part.points), part.period) if isinstance(part, Work) else part.rate for part in arrivals.parts)
    return sum(parts, Fraction(0))
