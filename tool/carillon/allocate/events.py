# SPDX-License-Identifier: Apache-2.0
"""From shares of the board to the allocation of the event-triggered system; and why there is none.

Tasks get the lowest levels in the order of their priorities, and ISRs of category 2 those above.  The kernel's own interrupts
(counters, alarms that are no task's activation) get the highest of these, and category 1 the next.  Whatever is time-triggered is
above all of them (Sloth on Time, section IV-C).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from carillon.actions import Action
from carillon.actions.costs import cost_table
from carillon.actions.end_slice import EndSlice
from carillon.actions.keep_budget import KeepBudget
from carillon.actions.keep_round_budget import KeepRoundBudget
from carillon.actions.keep_task_budget import KeepTaskBudget
from carillon.actions.serve_clock import ServeClock
from carillon.allocate.base import Base, longest_stretch
from carillon.allocate.claims import Claim, Claims, Way, base_for, counted_in
from carillon.allocate.clock import ClockCell, cannot_keep, cannot_tell, counting_cell
from carillon.allocate.fit import Fitter, Source
from carillon.allocate.groups import cell_use, spare_sources
from carillon.allocate.osek import OsekAllocation, TaskLevel
from carillon.allocate.parts import split
from carillon.allocate.result import Carrier, Form, Progression, Style, of_whom
from carillon.allocate.share import Shares
from carillon.allocate.tasks import TaskPlan, ceilings
from carillon.diagnostics import Diagnostics
from carillon.lower import Demand, When
from carillon.lower.events import LoweredEvents, Series
from carillon.model import System
from carillon.model.osek import Alarm
from carillon.model.time import ClockKind
from carillon.units import format_duration


class EventPlacer:
    """Places one system's claims on the sources of its board."""

    def __init__(self, system: System, events: LoweredEvents, plan: TaskPlan, claims: Claims) -> None:
        self.system, self.events, self.plan, self.claims = system, events, plan, claims
        self.board = system.board
        self.fitter = Fitter(system.board, system.clock_hz)

    def hidden(self, shares: Shares) -> frozenset[int]:
        """The sources that rounds may not have, so that each class keeps as many groups as are taken.

        Counters, the clock and slices get the first of their classes, and all others what the rounds leave.
        """
        early = [way.group for claim, way in zip(self.claims.all, shares.ways, strict=True) if self._early(claim, way)]
        hidden: set[int] = set()
        for g, (kind, taken) in enumerate(zip(self.claims.groups, shares.taken, strict=True)):
            first = early.count(g)
            groups = kind.groups[:first] + kind.groups[len(kind.groups) - (taken - first) :]
            hidden |= {s.number for group in groups for s in group}
        return frozenset(hidden)

    @staticmethod
    def _early(claim: Claim, way: Way) -> bool:
        return way.group >= 0 and claim.demand is not None and claim.demand.whose is None

    def place(self, shares: Shares, busy: frozenset[int], diagnostics: Diagnostics) -> OsekAllocation | None:
        """The allocation; the rounds have the sources in ``busy``.  None after C172."""
        system, plan, claims, osek = self.system, self.plan, self.claims, self.system.osek
        assert osek is not None
        used = self._sources(shares, busy)
        base, based = base_for(self.board, system.clock_hz, self.events, shares.ticking, None)
        levels, queued = list(plan.levels), {}
        placed: list[Carrier] = []
        for k, (claim, way) in enumerate(zip(claims.all, shares.ways, strict=True)):
            source, slot = used.get(k, (None, 0))
            demand = claim.demand
            if demand is None:
                if source is not None:
                    base, based = base_for(self.board, system.clock_hz, self.events, shares.ticking, source)
            elif source is not None:
                carrier = self._carried(claim, demand, way.form, source, slot)
                if carrier.direct:
                    levels[claim.level - 1] = replace(levels[claim.level - 1], source=source.number, cell=carrier)
                placed.append(carrier)
            elif demand.whose is not None:
                queued[claim.name] = demand.untimed or "no cell is left that can"
        services = self.events.services
        clock = next((c for c in placed if isinstance(c.action, ServeClock)), None)
        if clock is not None and services is not None:
            cell = ClockCell(services, clock)
            if cannot_keep(cell, system, diagnostics) or cannot_tell(cell, system, diagnostics):
                return None
        taken = plan.sources | busy | self.board.mates(s.number for s, _ in used.values())
        dispatcher = self._level_sources(levels, taken)
        taken |= {level.source for level in levels} | {dispatcher}
        ends = ServeClock if services is not None and services.beat is not None else EndSlice
        turns = self._turns(next((c for c in placed if isinstance(c.action, ends)), None), taken)
        ticking = [c for c in placed if c.part >= 0]
        # Those whose vector is their task first: they run no code at all.
        alarms = sorted(of_whom(placed, Alarm), key=lambda it: not it[1].direct)
        series = [c for _, c in of_whom(placed, Series)]
        on_levels = [c.task_level for c in series]
        parts = self._parts(ticking, alarms, on_levels, base, taken | set(turns.values()))
        others = [c for c in placed if c.demand.whose is None and c.part < 0]
        return OsekAllocation(
            osek,
            tuple(levels),
            tuple((isr, plan.isr_levels[isr.name]) for isr in osek.isrs),
            plan.top,
            plan.all,
            plan.software,
            dispatcher,
            (*parts, *(c for _, c in alarms), *others, *series),
            ceilings(osek, levels, dict(plan.isr_levels)),
            queued,
            services,
            base,
            based,
            self.events.machine,
            turns=turns,
            why=plan.why,
        )

    def _carried(self, claim: Claim, demand: Demand, form: Form, source: Source, slot: int) -> Carrier:
        """A demand on a cell of a source."""
        plan, osek = self.plan, self.system.osek
        assert osek is not None
        if isinstance(demand.action, ServeClock):
            return self._clock(demand, source)
        at_task_level = form in (Form.OWN, Form.VECTOR)
        above: dict[type[Action], int] = {EndSlice: plan.slice_level, KeepBudget: plan.all + 1}
        above |= dict.fromkeys((KeepRoundBudget, KeepTaskBudget), plan.above_rounds)
        level = claim.level if at_task_level else above.get(type(demand.action), plan.top)
        goes_on = form is Form.OWN and plan.runs_level(osek, plan.levels[claim.level - 1])
        part = [c.name for c in osek.counters].index(claim.name) if claim.counter == claim.name and demand.whose is None else -1
        carrier = self._carrier(demand, source, level, slot)
        return replace(carrier, form=form, runs_level=goes_on, part=part)

    def _parts(
        self,
        ticking: list[Carrier],
        alarms: list[tuple[Alarm, Carrier]],
        levels: list[int],
        base: Base | None,
        taken: frozenset[int],
    ) -> list[Carrier]:
        """The parts of the counters' queues, on the sources that are not ``taken``."""
        assert self.system.osek is not None
        gone = set(taken)
        claims = {claim.name: claim for claim in (self.claims.all[k] for k in self.claims.counters)}

        def cell(demand: Demand, level: int) -> Carrier | None:
            for way in claims[demand.name].ways:
                for group in self.claims.groups[way.group].groups:
                    if gone.isdisjoint(s.number for s in group):
                        gone.update(self.board.mates([group[way.place].number]))
                        return self._carrier(demand, group[way.place], level)
            return None

        def requested(demand: Demand, level: int) -> Carrier | None:
            left = spare_sources(self.board, frozenset(gone))
            if not left:
                return None
            gone.update(self.board.mates([left[0]]))
            return Carrier(demand, left[0], (), Style.DIRECT, level, False)

        return split(self.system.osek, self.plan, ticking, alarms, levels, base, [cell, requested])

    def _sources(self, shares: Shares, busy: frozenset[int]) -> dict[int, tuple[Source, int]]:
        """The source of each claim with a cell, the first free one of its class, and the cell's index in the source."""
        ways, claims = shares.ways, self.claims
        free = [[group for group in kind.groups if busy.isdisjoint(s.number for s in group)] for kind in claims.groups]

        def turn(k: int) -> tuple[bool, bool, bool]:
            alarm = k in claims.alarms
            return not self._early(claims.all[k], ways[k]), alarm, alarm and ways[k].form is not Form.VECTOR

        placed = sorted((k for k, way in enumerate(ways) if way.group >= 0), key=turn)
        sources: dict[int, tuple[Source, int]] = {}
        joining: dict[int, list[tuple[Source, int]]] = {}  # cells of sources that are begun, by class
        for k in placed:
            g, place = ways[k].group, ways[k].place
            if ways[k].form is not Form.JOINED:
                sources[k] = free[g].pop(0)[place], 0
                continue
            if not joining.get(g):
                source = free[g].pop(0)[place]
                joining[g] = [(source, slot) for slot in range(claims.groups[g].asked)]
            sources[k] = joining[g].pop(0)
        return sources

    def _level_sources(self, levels: list[TaskLevel], taken: frozenset[int]) -> int:
        """Give every level that has none a source; return the dispatcher's, 0 without."""
        spare = spare_sources(self.board, taken)
        if not self.plan.software:
            for k, level in enumerate(levels):
                if level.source == 0:
                    levels[k] = replace(level, source=spare.pop(0))
            return 0
        if self.board.dispatcher_source is not None or self.board.dispatch == "software":
            return self.board.dispatcher_source or 0
        return spare[0]

    def _turns(self, slices: Carrier | None, taken: frozenset[int]) -> dict[int, int]:
        """What makes the threads of each level give way: the cell of slices for :attr:`TaskPlan.celled_turn`, spare ones else."""
        own = {self.plan.celled_turn: slices.source} if slices is not None and self.plan.celled_turn else {}
        others = [level for level in self.plan.turns if level not in own]
        return own | dict(zip(others, spare_sources(self.board, taken), strict=False))

    def _carrier(self, demand: Demand, source: Source, level: int, slot: int = 0) -> Carrier:
        progression = Progression(demand.points[0].at, demand.period)
        ticks = isinstance(demand.action, ServeClock | EndSlice)  # which no round waits for
        fitter = replace(self.fitter, ticks=ticks, whole=counted_in(self.system, demand))
        use = cell_use(fitter, source, progression, readable=demand.whose is not None, pended=False, slot=slot)
        assert use is not None, (demand, source)
        return Carrier(demand, source.number, (use,), Style.DIRECT, level, False)

    def _clock(self, demand: Demand, source: Source) -> Carrier:
        services = self.events.services
        assert services is not None
        if demand.when is When.SYSTEM:
            return self._carrier(demand, source, self.plan.top)
        cell = counting_cell(self.system, services, self.plan.top, [source], demand)
        assert cell is not None
        return cell.carrier


def warn_of_lost_ticks(system: System, allocation: OsekAllocation, diagnostics: Diagnostics) -> None:
    """C196 for each ticking counter, and the periodic clock, that the rounds' tasks hold back for longer than is counted."""
    stretch = longest_stretch(system)
    if not stretch:
        return
    ticking = [
        (
            f"counter '{c.demand.name}'",
            c.demand.span,
            c.demand.period,
            max(allocation.held(c.demand.name), 1) * c.demand.period,
            "leave a cell for a time base" if allocation.base is None else "choose a board whose time base counts further",
        )
        for c in allocation.counters
    ]
    clock = allocation.clock
    if clock is not None and clock.services.clock is ClockKind.PERIODIC:
        tick = int(clock.tick)
        remedy = 'take clock = "one-shot" or "compare"'
        remedy += ", or leave a cell for a time base" if allocation.base is None else ""
        ticking.append(("the periodic clock", clock.services.span, tick, max(allocation.held_clock, 1) * tick, remedy))
    for name, span, tick, counted, remedy in ticking:
        if stretch > counted:
            diagnostics.warning(
                "C196",
                span,
                f"{name} loses ticks: tasks of the rounds hold its tick of {format_duration(tick, system.clock_hz)} back for up "
                f"to {format_duration(stretch, system.clock_hz)}, and {format_duration(counted, system.clock_hz)} is counted",
                f"{remedy}, lengthen the tick, or shorten the tasks' stretch",
            )


def warn_of_lost_turns(system: System, allocation: OsekAllocation, diagnostics: Diagnostics) -> None:
    """C196: the tasks of the rounds, or a lock of the declared length, hold a one-shot or compare clock back for too long."""
    clock = allocation.clock
    if clock is None or clock.services.clock is ClockKind.PERIODIC:
        return
    lock, stretch = clock.services.longest_lock or 0, longest_stretch(system) or 0
    if lock + stretch <= clock.held_back:
        return
    most, turn, held = (format_duration(t, system.clock_hz, 3) for t in (clock.held_back, clock.turn, lock + stretch))
    who = " and ".join(["tasks of the rounds"] * (stretch > 0) + ["locks of longest_lock"] * (lock > 0))
    diagnostics.warning(
        "C196",
        clock.services.spans["longest_lock"] if not stretch else clock.services.span,
        f"the {clock.services.clock.value} clock may lose a turn of {turn}: {who} hold its interrupt back for up to {held}, and "
        f"{most} is counted",
        "shorten them, take a slower clock or one with a wider counter, or a periodic clock with a time base",
    )


def warn_of_long_handler(system: System, allocation: OsekAllocation, diagnostics: Diagnostics) -> None:
    """C196: a periodic clock's handler may lock interrupts for longer than ``longest_lock`` says."""
    clock = allocation.clock
    if clock is None or clock.services.clock is not ClockKind.PERIODIC:
        return  # only a periodic clock uses longest_lock
    per_tick = system.board.clock(system.clock_hz).instructions_per_tick
    lock, locked = clock.services.longest_lock, clock.locked(system)
    if lock is None or locked is None or not per_tick or locked <= lock * per_tick:
        return
    length = format_duration(Fraction(locked, per_tick), system.clock_hz, 3)
    diagnostics.warning(
        "C196",
        clock.services.spans["longest_lock"],
        f"with the declared periods, the clock's own handler holds interrupts back for up to {length}, longer than longest_lock, "
        f"{format_duration(lock, system.clock_hz)}",
        f"write longest_lock of at least {length}",
    )


def check_ticks(system: System, allocation: OsekAllocation, diagnostics: Diagnostics) -> None:
    """C247 for each counter whose ticks leave nothing, or less than half, of the processor.

    What counts is the handler of a tick in which nothing is due.
    """
    per_tick = system.board.clock(system.clock_hz).instructions_per_tick
    if not per_tick:
        return  # code takes no time
    costs = system.board.costs.get(ClockKind.PERIODIC)
    table = cost_table(system.board.port)
    price = max(table.tick if allocation.base is not None else table.tick_alone, costs.interrupt if costs is not None else 0)
    ticking = [(f"counter '{c.demand.name}'", c.demand.span, c.demand.period) for c in allocation.counters if c.cells]
    for name, span, tick in dict.fromkeys(ticking):
        if tick * per_tick >= 2 * price:
            continue
        report = diagnostics.error if tick * per_tick <= price else diagnostics.warning
        share = "no time for anything else" if tick * per_tick <= price else "less than half of the processor"
        least = format_duration(Fraction(2 * price, per_tick), system.clock_hz, 3)
        report(
            "C247",
            span,
            f"{name} ticks each {format_duration(tick, system.clock_hz)}, and the handler of a tick takes at least "
            f"{format_duration(Fraction(price, per_tick), system.clock_hz, 3)}: it leaves {share}",
            f"write a longer tick, and fewer ticks where they are counted: with {least} half of the processor is left",
        )
