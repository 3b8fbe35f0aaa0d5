# SPDX-License-Identifier: Apache-2.0
"""What the event-triggered system claims of the board's cells, and in which ways each claim can be met.

A claim is one demand, or the time base of all that tick.  A way is a class of groups that can carry it, with what that costs;
or the queue of its counter, which then ticks; or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from carillon.actions import Action, Served
from carillon.actions.costs import cost_table
from carillon.actions.count_turns import CountTurns
from carillon.actions.end_slice import EndSlice
from carillon.actions.every import of
from carillon.actions.keep_budget import KeepBudget
from carillon.actions.keep_round_budget import KeepRoundBudget
from carillon.actions.keep_task_budget import KeepTaskBudget
from carillon.actions.serve_clock import ServeClock
from carillon.allocate.base import Base, base_on, counts_alone, is_held
from carillon.allocate.clock import counting_cell
from carillon.allocate.fit import Fitter, Source
from carillon.allocate.groups import GroupClass, cell_use, group_classes, spare_sources
from carillon.allocate.osek import TaskKind
from carillon.allocate.result import Form, Progression
from carillon.allocate.table_cells import carries_tables, table_refusal, tells_tables
from carillon.allocate.tasks import TaskPlan
from carillon.lower import Demand, When
from carillon.lower.events import LoweredEvents, Series, to_do
from carillon.model import System
from carillon.model.board import Board, Cells, Role, Service
from carillon.model.family import Capability
from carillon.model.keeper import NEEDED, PAUSED, keeps_round_budgets
from carillon.model.osek import Alarm

CLOCK = "the clock"
"""Among the names of counters that tick, what ticks beside them, if the time base is to count it.  No counter has it."""
SECONDS = 1000
"""Kernel code is counted in instructions in so many seconds, so that what is rare counts too."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to meet a claim.

    ``group``: the class of its cell's group, -1 of none; ``place``: which source of the group.  ``rate``: instructions of
    kernel code in :data:`SECONDS`.  ``missing``: 1 if something is worse off than the schedule's author wants.  ``rank``: of
    ways that cost the same, the lowest goes first.
    """

    form: Form
    group: int = -1
    place: int = 0
    rate: int = 0
    cells: int = 0
    missing: int = 0
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim and its ways, the best first.

    ``level``: of an alarm that wakes a task, that task's; 0 of others.  ``does``: what it does there: those that do the same
    may share the level.  ``counter``: in whose queue it waits; of a counter, itself.  ``must``: it cannot do without a way.
    """

    name: str
    demand: Demand | None
    ways: tuple[Way, ...]
    must: bool
    counter: str = ""
    level: int = 0
    does: str = ""

    def left_out(self) -> Claim:
        """The same claim, which takes nothing."""
        vector = any(way.form is Form.VECTOR for way in self.ways)
        ways = (Way(Form.CELL), Way(Form.VECTOR)) if vector else (Way(Form.CELL),)
        return Claim(self.name, None, ways, False, level=self.level)


@dataclass(frozen=True, slots=True)
class Claims:
    """All claims, in the order in which they get groups.

    ``counters``, ``clock``, ``slices``, ``base``, ``alarms``: the indices of those claims.  ``sources``: of how many task levels
    each needs an interrupt source, unless a cell's serves it.  ``plain`` sources have no cells.  ``usable`` says how many of a
    group's sources a task level may have.  ``alone``: what ticks cost more, as ``rate``, without a time base.  ``held``: what
    ticks beside counters may be held back for longer than its tick.  ``told``: what is on a cell at the level of its task needs a
    time base (:attr:`.LoweredEvents.told`).  ``base_fits``: whether a group of that class can be the time base of what ticks.
    If it can for some counters, then it can for fewer, and for that tick beside any of them.
    """

    groups: tuple[GroupClass, ...]
    all: tuple[Claim, ...]
    counters: tuple[int, ...]
    alarms: tuple[int, ...]
    base: int | None
    sources: int
    plain: int
    usable: tuple[int, ...]
    alone: dict[str, int]
    base_fits: Callable[[int, frozenset[str]], bool]
    held: bool
    told: bool = False

    def only(self, kept: Iterable[int], sources: bool) -> Claims:
        """The same problem with fewer claims: those that need not be met, and of the others ``kept``.

        What is left out costs nothing and takes nothing.  An alarm that could be the vector of its task's level still can, so
        that less is asked for without it.  A counter that need not tick stays: alarms may wait in its queue.
        """
        keep = set(kept) | {k for k, claim in enumerate(self.all) if not claim.must and k != self.base}
        every = tuple(c if k in keep else c.left_out() for k, c in enumerate(self.all))
        alarms = tuple(k for k in self.alarms if k in keep or len(every[k].ways) > 1)
        return replace(self, all=every, alarms=alarms, base=None, sources=self.sources * sources, alone={})


def base_for(
    board: Board, clock_hz: int, events: LoweredEvents, ticking: frozenset[str], source: Source | None
) -> tuple[Base | None, bool]:
    """The time base of those that tick, on a source, or with None on what counts alone; and whether it counts the ticker's ticks.

    A cell that is too short for the counters and the ticker together counts those of the counters.
    """
    turns = events.turns

    def base_on_source(ticks: list[int]) -> Base | None:
        if not ticks and not turns and not events.told:
            return None
        return counts_alone(board, clock_hz) if source is None else base_on(board, clock_hz, ticks, source, turns)

    counters = [demand.period for demand in events.counters if demand.name in ticking]
    if CLOCK in ticking and events.ticker is not None:
        tick = events.ticker.period
        base = base_on_source([*counters, tick])
        if base is not None and base.most >= 2 * tick:  # the time base must tell two ticks from one
            return base, True
    return base_on_source(counters), False


def task_refusal(plan: TaskPlan, series: Series, every: Sequence[Series]) -> str:
    """Why a task keeps cells from carrying an action of a schedule table: the task itself, or others of its level."""
    if series.action is None:
        return ""
    level, task = plan.level_of(series.action.object), series.action.object
    others = [s.action for s in every if s.action is not None and plan.level_of(s.action.object) is level]
    if level.kind is TaskKind.DIRECT:
        return ""
    if not can_wake(plan, task):
        kind = (
            "with software dispatch"
            if plan.software
            else "that is a thread, may be activated more than once, or has a time frame"
        )
        return f"a task {kind} is not woken by a cell at its level, which keeps one expiry of several; '{task}' is one"
    other = next((action for action in others if does(of(action)) != does(of(series.action))), None)
    if other is not None:
        return (
            f"cells that say '{of(series.action).phrase}' and '{of(other).phrase}' would have one level, and if a "
            "higher task holds both back, nothing says which came first"
        )
    return ""


def does(action: Action) -> str:
    """A key: actions with the same key may be done in any order."""
    return f"{type(action).__name__} {action.object}"


def can_wake(plan: TaskPlan, name: str) -> bool:
    """Whether a cell's handler may have the level of the managed task that it wakes.

    There it takes nothing from higher tasks, and they hold it back.  That may be for so long that the cell expires again, so
    no activation that counts may be lost.  Threads of a level take turns, and nobody serves cells then.
    Whether one comes too early is looked at on the kernel's level.
    """
    level = plan.level_of(name)
    task = next(t for t in level.tasks if t.name == name)
    plain = task.activations <= 1 and not task.time_frame
    return not plan.software and plain and not any(t.thread for t in level.tasks)


def counted_in(system: System, demand: Demand) -> int:
    """The tick of the counter in which a cell is read that carries an alarm, or a table's points; 0 of other cells."""
    whose, osek = demand.whose, system.osek
    if isinstance(whose, Alarm) and osek is not None:
        return osek.counter(whose.counter).tick
    return whose.counter.tick if isinstance(whose, Series) else 0


class ClaimBuilder:
    """Works out the claims of one system on one board."""

    def __init__(self, system: System, events: LoweredEvents, plan: TaskPlan, taken: frozenset[int] = frozenset()) -> None:
        self.system, self.events, self.plan = system, events, plan
        self.board, self.hz = system.board, system.clock_hz
        self.taken = taken | plan.sources
        self.fitter = Fitter(self.board, self.hz)
        self.costs = cost_table(self.board.port)
        self.ticks = Fitter(self.board, self.hz, ticks=True)
        self.groups = tuple(group_classes(self.board, self.taken | self.board.unmaskable_sources))
        self.bases: tuple[Way, ...] = ()
        ticker = events.ticker
        self.held = ticker is not None and (events.machine or is_held(system, ticker.period))

    def build(self) -> Claims:
        """All claims."""
        events = self.events
        queued = {alarm.counter for alarm, demand in events.alarms if not alarm.static or not self._alarm_ways(demand)}
        queued |= events.ticking
        claims: list[Claim] = []
        for demand in events.counters:
            ways = self._on_cells(demand, self.fitter, self._least_capable(None))
            claims.append(Claim(demand.name, demand, ways, demand.name in queued, demand.name))
        counters = tuple(range(len(claims)))
        for kind, name, ways_of in (
            (ServeClock, "clock", self._clock),
            (EndSlice, "slices", self._slices),
            (KeepBudget, "budgets", self._budgets),
            (KeepRoundBudget, "budgets of the rounds", self._round_budgets),
            (KeepTaskBudget, "budgets of the rounds", self._own_budgets),
            (CountTurns, "time frames", self._frames),
        ):
            claims += [Claim(name, demand, ways_of(demand), True) for demand in to_do(events.demands, kind)]
        base = None
        if (events.counters or self.held or events.series or events.told) and not counts_alone(self.board, self.hz):
            base = len(claims)
            self.bases = self._base()
            without = () if events.series else (Way(Form.NOTHING, missing=1),)
            claims.append(Claim("time base", None, (*self.bases, *without), bool(events.series)))
        first = len(claims)
        claims += [self._series(series, demand) for series, demand in events.series]
        for alarm, demand in events.alarms:
            claims.append(self._alarm(alarm, demand))
        software = self.plan.software
        dispatcher = int(software and self.board.dispatcher_source is None and self.board.dispatch != "software")
        spare = set(spare_sources(self.board, self.taken))
        celled = {s.number for g in self.groups for group in g.groups for s in group}
        return Claims(
            self.groups,
            tuple(claims),
            counters,
            tuple(range(first, len(claims))),
            base,
            dispatcher if software else len(self.plan.levels) + len(self.plan.turns) - bool(self.plan.celled_turn),
            len(spare - celled - self.board.mates(self.taken)),
            tuple(sum(s.number in spare for s in g.groups[0]) for g in self.groups),
            {d.name: self._rate(self.costs.tick_alone - self.costs.tick, d.period) for d in events.counters},
            self._base_fits,
            self.held,
            events.told and base is not None,
        )

    def _series(self, series: Series, demand: Demand) -> Claim:
        """An action of a schedule table: cells that can begin at any time, with the task's vector or level.

        The handler of one at a table's end is on the kernel's level.
        """
        level = self.plan.level_of(series.action.object) if series.action is not None else None
        ways: tuple[Way, ...] = ()
        why = table_refusal(self.system, series.table)
        if not why and not task_refusal(self.plan, series, [other for other, _ in self.events.series]):
            form = Form.CELL if level is None else Form.VECTOR if level.kind is TaskKind.DIRECT else Form.OWN
            every = self._on_cells(demand, self.fitter, self._ranked(lambda _: 0), form, alarm=True)
            ways = tuple(w for w in every if carries_tables(self.board, self.hz, self._source(w).array))
        if level is None or series.action is None:
            return Claim(demand.name, demand, ways, True)
        return Claim(demand.name, demand, ways, True, "", level.number, does(of(series.action)))

    def _source(self, way: Way) -> Source:
        return self.groups[way.group].groups[0][way.place]

    def _rate(self, instructions: int, period: int) -> int:
        """Instructions in :data:`SECONDS`, rounded up, of so many in each ``period`` ticks."""
        return -(-instructions * self.hz * SECONDS // period) if period else 0

    def _ranked(self, key: Callable[[Source], object]) -> list[tuple[int, int, Source]]:
        """Rank, class and source of every source of the first group of each class, in the order of ``key``."""
        every = [(g, source) for g, kind in enumerate(self.groups) for source in kind.groups[0]]
        every.sort(key=lambda it: key(it[1]))  # type: ignore[arg-type,return-value]
        return [(rank, g, source) for rank, (g, source) in enumerate(every)]

    def _least_capable(self, service: Service | None) -> list[tuple[int, int, Source]]:
        """Sources in this order: first the sources that the board prefers for ``service``, then the least capable."""
        return self._ranked(lambda s: (s.array.prefer is not service, len(s.array.roles), s.array.rearm.value != "none"))

    def _on_cells(
        self, demand: Demand, fitter: Fitter, ranked: list[tuple[int, int, Source]], form: Form = Form.CELL, alarm: bool = False
    ) -> tuple[Way, ...]:
        """The ways to carry a demand of known times by a cell, one for each class."""
        point = demand.points[0].at
        progression = Progression(point, demand.period)
        fitter = replace(fitter, whole=counted_in(self.system, demand))
        handled = alarm and form is not Form.VECTOR
        instructions = demand.action.price(Served(1, 1, False, handled=handled, apart=form is Form.CELL), self.costs)
        ways: dict[int, Way] = {}
        for rank, g, source in ranked:
            use = cell_use(fitter, source, progression, readable=alarm, pended=form is Form.VECTOR)
            if use is None or g in ways:
                continue
            more = self.costs.acknowledge if source.array.acknowledge and demand.action.acknowledged else 0
            place = self.groups[g].groups[0].index(source)
            ways[g] = Way(form, g, place, self._rate(instructions + more, demand.period), use.cell.count, rank=rank)
        return tuple(ways.values())

    def _protects(self, demand: Demand, needed: AbstractSet[Capability]) -> tuple[Way, ...]:
        """Ways on cells that have the ``needed`` capabilities, and a unit that the kernel knows."""
        return self._on_able_cells(demand, lambda array: needed <= array.family.can)

    def _on_able_cells(self, demand: Demand, is_able: Callable[[Cells], bool]) -> tuple[Way, ...]:
        able = [it for it in self._least_capable(None) if is_able(it[2].array)]
        ranked = [it for it in able if self.board.request_base <= it[2].number and self._counts_ticks(demand, it[2])]
        return self._on_cells(demand, self.fitter, ranked)

    def _slices(self, demand: Demand) -> tuple[Way, ...]:
        return self._on_cells(demand, self.ticks, self._least_capable(Service.SLICES))

    def _budgets(self, demand: Demand) -> tuple[Way, ...]:
        return self._protects(demand, NEEDED)

    def _round_budgets(self, demand: Demand) -> tuple[Way, ...]:
        return self._on_able_cells(demand, keeps_round_budgets)

    def _own_budgets(self, demand: Demand) -> tuple[Way, ...]:
        return self._protects(demand, PAUSED)

    def _frames(self, demand: Demand) -> tuple[Way, ...]:
        return self._protects(demand, {Capability.REMAINING})

    def _counts_ticks(self, demand: Demand, source: Source) -> bool:
        """Whether any number of ticks is a whole number of units of a cell that carries the demand."""
        progression = Progression(demand.points[0].at, demand.period)
        use = cell_use(self.fitter, source, progression, readable=False, pended=False)
        return use is not None and use.units_per_tick.denominator == 1

    def _clock(self, demand: Demand) -> tuple[Way, ...]:
        """The ways to carry the clock: a clock that ticks takes a cell as other demands do."""
        ranked = self._least_capable(Service.CLOCK)
        if demand.when is When.SYSTEM:
            return self._on_cells(demand, self.ticks, ranked)
        services = self.events.services
        assert services is not None
        ways: dict[int, Way] = {}
        # The schedule's own ticks first, if the choice is free: other cells count in other units of time.
        for rank, (_, g, source) in enumerate(sorted(ranked, key=lambda it: it[2].array.hz is not None)):
            driver = source.array.clocks.get(services.clock)
            if driver is None or (self.system.modes and driver.locks) or g in ways:
                continue
            if counting_cell(self.system, services, self.plan.top, [source], demand) is not None:
                ways[g] = Way(Form.CELL, g, self.groups[g].groups[0].index(source), 0, 1, rank=rank)
        return tuple(ways.values())

    def _base(self) -> tuple[Way, ...]:
        """The cells that could be the time base of ticking claims, cells that the kernel can stop last."""
        every = [demand.period for demand in self.events.counters]
        every += [self.events.ticker.period] if self.held and self.events.ticker is not None else []
        turns = self.events.turns
        ways: dict[int, Way] = {}
        for rank, g, source in self._ranked(lambda s: Role.CONTROL in s.array.roles):
            if turns and not tells_tables(self.board, self.hz, source.array):
                continue  # the kernel reads the time base in the units in which the cells of tables count
            periods = [[tick] for tick in every] or [[]]
            if g not in ways and any(base_on(self.board, self.hz, ticks, source, turns) for ticks in periods):
                ways[g] = Way(Form.CELL, g, self.groups[g].groups[0].index(source), 0, 1, rank=rank)
        return tuple(ways.values())

    def _base_fits(self, group: int, ticking: frozenset[str]) -> bool:
        """Whether a cell of that class is long enough for these counters together."""
        place = next(w.place for w in self.bases if w.group == group)
        source = self.groups[group].groups[0][place]
        return base_for(self.board, self.hz, self.events, ticking, source)[0] is not None

    def _alarm_ways(self, demand: Demand) -> tuple[Way, ...]:
        """The ways to carry an alarm by a cell.

        Its times must be known, and no single expiry may count: a cell that is held back for longer than its period keeps one of
        several.  Activations that are too many are lost by the standard's own rule, and an event is set but once.
        """
        action = demand.action
        if demand.when is not When.SYSTEM:
            return ()
        board_order = self._ranked(lambda _: 0)
        ways = list(self._on_cells(demand, self.fitter, board_order, Form.CELL, alarm=True))
        if action.subject != "task":  # several: a list is done on the kernel's level
            return tuple(ways)
        level = self.plan.level_of(action.object)
        if level.kind is TaskKind.DIRECT:
            ways += self._on_cells(demand, self.fitter, board_order, Form.VECTOR, alarm=True)
        elif can_wake(self.plan, demand.action.object) and self._is_told(demand):
            ways += self._on_cells(demand, self.fitter, board_order, Form.OWN, alarm=True)
        return tuple(ways)

    def _is_told(self, demand: Demand) -> bool:
        """Whether an error hook hears of each expiry of a cell that is held back; true without one.

        The time base tells them apart if it counts further than two cycles, and than the time to the first expiry.
        """
        if not self.events.told:
            return True
        alone = counts_alone(self.board, self.hz)
        found = [base_on(self.board, self.hz, [], self._source(way)) for way in self._base()] if alone is None else [alone]
        return any(base is not None and 2 * max(demand.period, demand.points[0].at) <= base.most for base in found)

    def _joined_ways(self, demand: Demand, ways: Sequence[Way]) -> list[Way]:
        """The ways to carry a static alarm by one of several cells of a source."""
        asked = [(w, self.groups[w.group].asked) for w in ways if w.form is Form.CELL]
        return [
            replace(way, form=Form.JOINED, rate=way.rate + self._rate(self.costs.ask * cells, demand.period))
            for way, cells in asked
            if cells > 1
        ]

    def _alarm(self, alarm: Alarm, demand: Demand) -> Claim:
        period = demand.period  # an alarm that is set at run time expires at an unknown rate
        price = demand.action.price(Served(1, 1, False, queued=True), self.costs)
        ways = self._alarm_ways(demand)
        ways += tuple(self._joined_ways(demand, ways)) if alarm.static else ()
        at_level = bool(ways) and demand.action.subject == "task"
        # The queue is never cheaper than a cell: the alarm is exact on a cell, however rare it is.
        queue = Way(Form.QUEUE, rate=max([self._rate(price, period), *(w.rate + 1 for w in ways)]))
        return Claim(
            alarm.name,
            demand,
            (*sorted(ways, key=lambda w: (w.rate, w.cells, w.rank)), queue),
            True,
            alarm.counter,
            self.plan.level_of(demand.action.object).number if at_level else 0,
            does(demand.action) if at_level else "",
        )
