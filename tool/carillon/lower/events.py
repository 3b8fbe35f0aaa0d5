# SPDX-License-Identifier: Apache-2.0
"""Lowers the event-triggered system: alarms, counters, the clock and slices become demands, as rounds do.

An allocation then chooses the carrier of each: a cell of its own, or the queue of a counter or of the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from carillon.actions import Action
from carillon.actions.adjust_table import AdjustTable
from carillon.actions.count import Count
from carillon.actions.count_turns import CountTurns
from carillon.actions.end_slice import EndSlice
from carillon.actions.end_table import EndTable
from carillon.actions.every import of
from carillon.actions.keep_budget import KeepBudget
from carillon.actions.keep_round_budget import KeepRoundBudget
from carillon.actions.keep_task_budget import KeepTaskBudget
from carillon.actions.serve_clock import ServeClock
from carillon.diagnostics import Span
from carillon.lower import Demand, ExpiryPoint, Named, When
from carillon.model import System
from carillon.model.board import Cells
from carillon.model.giotto import Machine
from carillon.model.keeper import budget_range, round_budget_turn
from carillon.model.osek import Alarm, AlarmAction, Counter, CounterKind, Hook, Osek, ScheduleTable
from carillon.model.time import ClockKind, TimeServices

FRAME_TURN = 1 << 24
"""In how many ticks the cell of time frames counts down once (``kernel/jobs/frame.h``)."""
TABLE_REST = 1 << 24
"""How many ticks after its end a schedule table's cells would begin anew if they were not stopped (``schedule_table.c``)."""


@dataclass(frozen=True, slots=True)
class Series:
    """Equally spaced points of a schedule table on cells that have an action, at ``offsets`` in ticks of its counter.

    ``action`` is None of the end of a table that does not repeat, or of the half and the end of one that may be followed.  So it
    is of the last point of one that is synchronised explicitly, where that is adjusted.  ``part`` says which of them it is.
    """

    table: ScheduleTable
    counter: Counter
    action: AlarmAction | None
    offsets: range
    part: str

    @property
    def name(self) -> str:
        """The name to show."""
        return f"{self.table.name}.{self.part}"

    @property
    def ends(self) -> bool:
        """Whether it is the half or the end of its table."""
        return self.action is None and self.part != "adjust"

    @property
    def adjusts(self) -> bool:
        """Whether its table is adjusted there."""
        return self.action is None and self.part == "adjust"


W = TypeVar("W")


def of_whom(demands: Iterable[Demand], kind: type[W]) -> list[tuple[W, Demand]]:
    """The demands of alarms, or of series, each with who wants it."""
    return [(demand.whose, demand) for demand in demands if isinstance(demand.whose, kind)]


def to_do(demands: Iterable[Demand], kind: type[Action]) -> list[Demand]:
    """The demands of an action of this kind that belong to no alarm and no series."""
    return [demand for demand in demands if isinstance(demand.action, kind) and demand.whose is None]


@dataclass(frozen=True, slots=True)
class LoweredEvents:
    """What the event-triggered system demands.

    Demands are those of counters of the hardware, of the clock, of what ends slices, and of the cells of budgets and of time
    frames.  Then come those of series of schedule tables, and of alarms.  They are in this order, and each kind in that of the
    file.

    ``services``: what the clock serves.  ``ticking``: counters that must tick, whatever carries alarms, as they have schedule
    tables or are read.  ``machine``: what ends slices is the tick of the machine that carries out microcode.  ``told``: an error
    hook hears of each expiry that fails, so that a time base is to tell how often a cell has expired that was held back.
    """

    demands: tuple[Demand, ...] = ()
    services: TimeServices | None = None
    ticking: frozenset[str] = frozenset()
    machine: bool = False
    told: bool = False

    @property
    def counters(self) -> list[Demand]:
        """The ticks of the counters that something needs."""
        return to_do(self.demands, Count)

    @property
    def alarms(self) -> list[tuple[Alarm, Demand]]:
        """All alarms."""
        return of_whom(self.demands, Alarm)

    @property
    def series(self) -> list[tuple[Series, Demand]]:
        """Of the schedule tables that are to be on cells, table by table."""
        return of_whom(self.demands, Series)

    @property
    def ticker(self) -> Demand | None:
        """What ticks beside the counters, and is a time: the machine's tick, or the periodic clock; None if neither is there."""
        found = to_do(self.demands, EndSlice if self.machine else ServeClock)
        return next((demand for demand in found if demand.when is When.SYSTEM), None)

    @property
    def turns(self) -> tuple[int, ...]:
        """Of the counters that have schedule tables on cells, the turns in ticks: the time base is to tell their values."""
        return tuple(sorted({turn_of(series.counter) for series, _ in self.series}))


def is_woken(system: System) -> bool:
    """Whether the clock wakes the machine of microcode when something is due, and no cell ticks for it."""
    if system.giotto is None or system.machine is not Machine.MICROCODE or system.time is None or system.time.slice is None:
        return False
    return any(can_wake(array, system.clock_hz, system.time.clock, system.time.slice) for array in system.board.cells)


def can_wake(array: Cells, clock_hz: int, kind: ClockKind, tick: int) -> bool:
    """Whether an array's cells, as such a clock, can wake the machine of microcode.

    They have to be set without being loaded anew, so that nothing adds up.  A tick is a whole number of their units, and they
    reach two (``kernel/microcode/tasks.c``).
    """
    driver, unit = array.clocks.get(kind), 1 / array.units(1, clock_hz, array.prescalers[0])
    whole = tick % unit == 0
    return driver is not None and not driver.restarts and whole and (3 << driver.bits) // 4 > 2 * (tick // unit)


def lower_events(system: System, one_timer: bool = False, each: bool = False) -> LoweredEvents:
    """The demands of a checked system's event-triggered part; it must have one.

    ``one_timer``: of a conventional kernel, whose time services have a tick, of a millisecond if the schedule has none, and whose
    alarms are all in queues.  ``each`` of the rounds' tasks with an execution budget has a cell for it.
    """
    osek = system.osek
    assert osek is not None
    hardware = [c for c in osek.counters if c.kind is CounterKind.HARDWARE]
    tickless = bool(hardware) and system.time is not None and system.time.tickless and not one_timer
    hardware = [] if tickless else hardware
    on_cells = () if one_timer else tuple(t for t in osek.schedule_tables if t.cells)
    tables = {table.counter for table in osek.schedule_tables if table not in on_cells}
    ticking = frozenset(c.name for c in hardware if c.readable or c.name in tables)
    needed = {alarm.counter for alarm in osek.alarms} | ticking
    demands = [_periodic(Count(c.name), c.tick, c.tick, c.span) for c in hardware if c.name in needed]
    services = system.time
    if services is not None:
        if one_timer:
            tick = services.tick if services.tick is not None else max(1, system.clock_hz // 1000)
            services = replace(services, clock=ClockKind.PERIODIC, tick=tick)
        services = replace(services, tickless=tickless, now=services.now or tickless)
        services = replace(services, beat=services.slice, slice=None) if is_woken(system) else services
        if services.clock is ClockKind.PERIODIC:
            assert services.tick is not None
            demands.append(_periodic(ServeClock("clock"), services.tick, services.tick, services.span))
        else:
            demands.append(_run_time(ServeClock("clock"), services.span))
        if services.slice is not None:
            demands.append(_periodic(EndSlice("slices"), services.slice, services.slice, services.span))
    keeps = budget_range(system.board)
    if osek.celled_budgets:
        first = osek.bounded[0]
        demands.append(_periodic(KeepBudget("budgets"), keeps, keeps, first.span))
    if each:
        demands += [_periodic(KeepTaskBudget(task.name), keeps, keeps, task.span) for task in system.bounded]
    elif system.bounded:
        keeps, turn = budget_range(system.board, rounds=True), round_budget_turn(system.board)
        demands.append(_periodic(KeepRoundBudget("budgets of the rounds"), keeps, turn, system.bounded[0].span))
    if osek.framed:
        demands.append(_periodic(CountTurns("frames"), FRAME_TURN, FRAME_TURN, osek.framed[0].span))
    demands += [demand for table in on_cells for demand in _series(table, osek)]
    demands += [_alarm(system, alarm, one_timer) for alarm in osek.alarms]
    machine = system.giotto is not None and system.machine.interprets
    told = Hook.ERROR in osek.hooks and any(d.when is When.SYSTEM for _, d in of_whom(demands, Alarm))
    return LoweredEvents(tuple(demands), services, ticking, machine, told)


def turn_of(counter: Counter) -> int:
    """How many ticks of the system clock a counter of the hardware takes to begin anew."""
    return (counter.max_allowed + 1) * counter.tick


def _series(table: ScheduleTable, osek: Osek) -> Iterator[Demand]:
    """Demands of a table: equally spaced points of an action together.  A first point at 0 is moved on by a period."""
    counter = osek.counter(table.counter)
    tick = counter.tick
    rest = table.duration * tick + TABLE_REST
    for action in table.actions:
        for own in table.series(action):
            first, apart = own.start * tick, own.step * tick if table.repeating else rest
            series = Series(table, counter, action, own, action.object)
            yield _periodic(of(action), first or apart, apart, table.span, series)
    apart = table.duration * tick if table.repeating else rest
    ends = [(table.half, "half")] * table.followed + [(table.duration, "end")] * (table.followed or not table.repeating)
    for at, what in ends:
        series = Series(table, counter, None, range(at, at + 1), what)
        yield _periodic(EndTable(table.name), at * tick, apart, table.span, series)
    if table.shifted:
        at = table.points[-1].offset
        series = Series(table, counter, None, range(at, at + 1), "adjust")
        yield _periodic(AdjustTable(table.name), at * tick or apart, apart, table.span, series)


def _alarm(system: System, alarm: Alarm, one_timer: bool) -> Demand:
    """An alarm's demand: of known times where every start sets it, to recur, on a counter of the hardware, and none counts.

    A first expiry with the counter at 0 comes when that comes around, which is no time from the start.
    """
    assert system.osek is not None
    counter, start, action = system.osek.counter(alarm.counter), alarm.autostart, of(alarm.action)
    why = ""
    if counter.kind is not CounterKind.HARDWARE:
        why = "its counter is no timer's"
    elif start is None:
        why = "it is set at run time"
    elif any(one.counts for one in action.each) and not one_timer:
        why = "its calls and counts are not to be lost, which a tick can catch up with"
    elif start.cycle == 0:
        why = "it expires once"
    elif set(start.modes) != set(system.osek.modes):
        why = "not every application mode sets it"
    elif start.time == 0:
        why = "it begins with a value that comes around"
    elif one_timer:
        why = "the conventional kernel has one timer"
    if start is None or why:
        return replace(_run_time(action, alarm.span, alarm), untimed=why)
    return _periodic(action, start.time * counter.tick, start.cycle * counter.tick, alarm.span, alarm)


def _periodic(action: Action, first: int, period: int, span: Span, whose: Named | None = None) -> Demand:
    point = ExpiryPoint(first, action, first, span)
    return Demand(action, (point,), required=whose is None, bounded=True, when=When.SYSTEM, period=period, whose=whose)


def _run_time(action: Action, span: Span, whose: Named | None = None) -> Demand:
    point = ExpiryPoint(0, action, 0, span)
    return Demand(action, (point,), required=whose is None, bounded=True, when=When.RUN_TIME, whose=whose)
