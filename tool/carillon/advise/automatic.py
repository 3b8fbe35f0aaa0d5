# SPDX-License-Identifier: Apache-2.0
"""``clock = "auto"``: the clock that the advice recommends, of those with which everything can be allocated.

The advice looks at a whole allocation, so the system is planned with one clock first.  What the advice recommends then is planned
in its turn, until the advice on a plan recommends the plan's own clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Generic, Protocol, TypeVar

from carillon.advise import Advice, advise, best_clock
from carillon.advise.periods import tick_choices
from carillon.allocate.allocation import Allocation
from carillon.allocate.fit import Fitter
from carillon.allocate.groups import cell_sources, cell_use
from carillon.allocate.result import Progression
from carillon.diagnostics import CarillonError, Diagnostic, Diagnostics
from carillon.mends import Mend
from carillon.model import System
from carillon.model.time import ClockKind, TimeServices


class Planned(Protocol):
    """A plan, as far as it is looked at here."""

    @property
    def system(self) -> System:
        """With the clock of the plan."""
        ...

    @property
    def allocation(self) -> Allocation:
        """Of that system."""
        ...


P = TypeVar("P", bound=Planned)

Clock = tuple[ClockKind, int | None]
"""A kind, with the tick of a periodic clock in ticks of the system clock."""


def choose(system: System, diagnostics: Diagnostics, planned_with: Callable[[System, Diagnostics], P]) -> P:
    """The plan with the chosen clock; raises CarillonError, and reports C278 if no kind of clock is possible."""
    choice = _Choice(system, diagnostics, planned_with)
    found = choice.first()
    if found is None:
        choice.refuse()
    assert found is not None
    while True:
        advice = advise(found.system, found.allocation)
        better = choice.better(advice, found) if advice is not None else None
        if better is None:
            break
        found = better
    diagnostics.reported[:] = choice.reports[_clock(found.system)]
    return found


def why(services: TimeServices, advice: Advice | None) -> str:
    """Why the clock of a plan was chosen."""
    if advice is not None:
        if advice.configured is advice.clock:
            return advice.clock_reason
        return f"with {advice.clock.name}, which would be better, not everything can be allocated"
    nothing = "no periods are declared, and "
    if services.clock is ClockKind.ONE_SHOT:
        return f"one-shot: {nothing}a one-shot clock is possible"
    if services.clock is ClockKind.COMPARE:
        return f"compare: {nothing}a compare clock is possible, but no one-shot clock"
    return f"periodic: {nothing}no other clock is possible than one with this tick"


def _clock(system: System) -> Clock:
    assert system.time is not None
    return system.time.clock, system.time.tick


class _Choice(Generic[P]):
    def __init__(self, system: System, diagnostics: Diagnostics, planned_with: Callable[[System, Diagnostics], P]) -> None:
        assert system.time is not None and system.time.automatic is not None
        self.system = system
        self.services = system.time
        self.written = system.time.automatic.tick
        self.diagnostics = diagnostics
        self.planned_with = planned_with
        self.plans: dict[Clock, P] = {}
        self.reports: dict[Clock, list[Diagnostic]] = {}
        self.refused: dict[Clock, Diagnostics] = {}

    def first(self) -> P | None:
        """With the first clock that is possible; None if none is."""
        plans = (self._attempt(clock) for clock in self._candidates())
        return next((found for found in plans if found is not None), None)

    def better(self, advice: Advice, found: P) -> P | None:
        """With a clock that the advice on a plan prefers to that of the plan; None if that is the best."""
        here = _clock(found.system)
        left = [p for p in advice.predictions if p.kind is not None and not (self._is_set() and p.kind is ClockKind.PERIODIC)]
        while left:
            best = best_clock(left)
            assert best.kind is not None
            clock = best.kind, int(best.tick) if best.kind is ClockKind.PERIODIC and best.tick is not None else None
            if clock == here or clock in self.plans:
                return None
            planned = self._attempt(clock)
            if planned is not None:
                return planned
            left.remove(best)
        return None

    def refuse(self) -> None:
        """Report why no clock is possible: what no other clock would mend, or C278; raises CarillonError."""
        for diagnostics in self.refused.values():
            if any(Mend.SERVICES not in d.mended_by for d in diagnostics.errors):
                self.diagnostics.reported[:] = diagnostics.reported
                self.diagnostics.stop_on_errors()
        causes = [f"{clock[0].value}: {diagnostics.errors[0].cause}" for clock, diagnostics in self.refused.items()]
        if not any(kind is ClockKind.PERIODIC for kind, _ in self.refused):
            causes.append(
                "periodic: tickless counters need another"
                if self._is_set()
                else "periodic: there is no tick"
                if self.written is None and not self.services.periods
                else "periodic: no free cell can keep a tick for the declared periods"
            )
        remedy = "declare 'periods', or the tick of a periodic clock (tick = \"1ms\"), use fewer cells, or choose another board"
        self.diagnostics.error("C278", self.services.spans["clock"], "no clock is possible. " + "; ".join(causes), remedy)
        self.diagnostics.stop_on_errors()

    def _is_set(self) -> bool:
        """Whether the clock has to be one that is set."""
        return self.services.tickless

    def _candidates(self) -> Iterator[Clock]:
        yield ClockKind.ONE_SHOT, None
        yield ClockKind.COMPARE, None
        if self._is_set():
            return
        if self.written is not None:
            yield ClockKind.PERIODIC, self.written
        elif self.services.periods:
            sources = cell_sources(self.system.board, frozenset())
            fitter = Fitter(self.system.board, self.system.clock_hz)

            def can_tick(tick: int) -> bool:
                uses = (cell_use(fitter, s, Progression(tick, tick), readable=False, pended=False) for s in sources)
                return any(use is not None for use in uses)

            periods = [Fraction(period.ticks) for period in self.services.periods]
            for choice in tick_choices(periods, can_tick)[:1]:
                yield ClockKind.PERIODIC, choice.tick

    def _attempt(self, clock: Clock) -> P | None:
        """The plan with a clock; None if there is none."""
        if clock in self.refused:
            return None
        kind, tick = clock
        tried = Diagnostics(list(self.diagnostics.reported), self.diagnostics.speak)
        try:
            planned = self.planned_with(replace(self.system, time=replace(self.services, clock=kind, tick=tick)), tried)
        except CarillonError:
            self.refused[clock] = tried
            return None
        self.plans[clock], self.reports[clock] = planned, tried.reported
        return planned
