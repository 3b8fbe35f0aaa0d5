# SPDX-License-Identifier: Apache-2.0
"""Lowers the event-triggered system: alarms, counters, the clock and slices become demands, as rounds do.

An allocation decides what carries each: a cell of its own, or the queue of a counter or of the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from carillon.actions import Action
from carillon.actions.count import Count
from carillon.actions.count_turns import CountTurns
from carillon.actions.end_slice import EndSlice
from carillon.actions.end_table import EndTable
from carillon.actions.every import of
from carillon.actions.keep_budget import KeepBudget
from carillon.actions.serve_clock import ServeClock
from carillon.diagnostics import Span
from carillon.lower import Demand, ExpiryPoint, When
from carillon.model import System
from carillon.model.giotto import Machine
from carillon.model.osek import Alarm, AlarmAction, Counter, CounterKind, Osek, ScheduleTable
from carillon.model.time import ClockKind, TimeServices

BUDGET_RANGE = 1 << 24
"""In how many ticks the cell of budgets counts down once.  A budget is at most half of that (``kernel/osek/budget.h``)."""
FRAME_TURN = 1 << 24
"""In how many ticks the cell of time frames counts down once (``kernel/osek/frame.h``)."""
TABLE_REST = 1 << 24
"""How many ticks after its end a schedule table's cells would begin anew if they were not stopped (``schedule_table.c``)."""


@dataclass(frozen=True, slots=True)
class Series:
    """Equally spaced points of a schedule table on cells that have an action, at ``offsets`` in ticks of its counter.

    ``action`` is None of the end of a table that does not repeat, or of the half and the end of one that may be followed.
    """

    table: ScheduleTable
    counter: Counter
    action: AlarmAction | None
    offsets: range
    demand: Demand


@dataclass(frozen=True, slots=True)
class LoweredEvents:
    """What the event-triggered system demands, in the order of the file.

    ``counters``: of the counters of the hardware that something needs, each with its tick; ``ticking``: of those that must tick,
    whatever carries alarms, as they have schedule tables or are read.  ``alarms``: of all alarms, each with what it is in the
    schedule.  ``clock``, with the services that it serves, ``slices``, ``budgets`` and ``frames``: None where nothing asks for
    them.  ``series``: of the schedule tables that are to be on cells, table by table.  ``machine``: what ends slices is
    the tick of the machine that carries out microcode.
    """

    counters: tuple[tuple[Counter, Demand], ...] = ()
    alarms: tuple[tuple[Alarm, Demand], ...] = ()
    services: TimeServices | None = None
    clock: Demand | None = None
    slices: Demand | None = None
    budgets: Demand | None = None
    frames: Demand | None = None
    ticking: frozenset[str] = frozenset()
    series: tuple[Series, ...] = ()
    machine: bool = False

    @property
    def ticker(self) -> Demand | None:
        """What ticks beside the counters, and is a time: the machine's tick, or the periodic clock; None if neither is there."""
        if self.machine:
            return self.slices
        return self.clock if self.clock is not None and self.clock.when is When.SYSTEM else None

    @property
    def turns(self) -> tuple[int, ...]:
        """Of the counters that have schedule tables on cells, the turns in ticks: the time base is to tell their values."""
        return tuple(sorted({turn_of(s.counter) for s in self.series}))


def lower_events(system: System, one_timer: bool = False) -> LoweredEvents:
    """The demands of a checked system's event-triggered part; it must have one.

    ``one_timer``: of a conventional kernel, whose time services have a tick, of a millisecond if the schedule has none, and whose
    alarms are all in queues.
    """
    osek = system.osek
    assert osek is not None
    hardware = [c for c in osek.counters if c.kind is CounterKind.HARDWARE]
    on_cells = () if one_timer else tuple(t for t in osek.schedule_tables if t.cells)
    tables = {table.counter for table in osek.schedule_tables if table not in on_cells}
    ticking = frozenset(c.name for c in hardware if c.readable or c.name in tables)
    needed = {alarm.counter for alarm in osek.alarms} | ticking
    counters = tuple(
        (counter, _periodic(Count(counter.name), counter.tick, counter.tick, counter.span))
        for counter in hardware
        if counter.name in needed
    )
    alarms = tuple((alarm, _alarm(system, alarm, one_timer)) for alarm in osek.alarms)
    services, clock, slices = system.time, None, None
    if services is not None:
        if one_timer:
            tick = services.tick if services.tick is not None else max(1, system.clock_hz // 1000)
            services = replace(services, clock=ClockKind.PERIODIC, tick=tick)
        if services.clock is ClockKind.PERIODIC:
            assert services.tick is not None
            clock = _periodic(ServeClock("clock"), services.tick, services.tick, services.span)
        else:
            clock = _run_time(ServeClock("clock"), services.span)
        if services.slice is not None:
            slices = _periodic(EndSlice("slices"), services.slice, services.slice, services.span)
    budgets = None
    if osek.budgets:
        first = next(t for t in osek.tasks if t.timed)
        budgets = _periodic(KeepBudget("budgets"), BUDGET_RANGE, BUDGET_RANGE, first.span)
    frames = None
    if osek.framed:
        frames = _periodic(CountTurns("frames"), FRAME_TURN, FRAME_TURN, osek.framed[0].span)
    series = tuple(s for table in on_cells for s in _series(table, osek))
    machine = system.giotto is not None and system.machine is Machine.MICROCODE
    return LoweredEvents(counters, alarms, services, clock, slices, budgets, frames, ticking, series, machine)


def turn_of(counter: Counter) -> int:
    """How many ticks of the system clock a counter of the hardware takes to begin anew."""
    return (counter.max_allowed + 1) * counter.tick


def _series(table: ScheduleTable, osek: Osek) -> Iterator[Series]:
    """Each action's points, as many as are equally far apart together; a cell that begins with one at 0 has it a period later."""
    counter = osek.counter(table.counter)
    tick = counter.tick
    rest = table.duration * tick + TABLE_REST
    for action in table.actions:
        for own in table.series(action):
            first, apart = own.start * tick, own.step * tick if table.repeating else rest
            demand = _periodic(of(action), first or apart, apart, table.span, f"{table.name}.{action.object}")
            yield Series(table, counter, action, own, demand)
    apart = table.duration * tick if table.repeating else rest
    if table.followed:
        demand = _periodic(EndTable(table.name), table.half * tick, apart, table.span, f"{table.name}.half")
        yield Series(table, counter, None, range(table.half, table.half + 1), demand)
    if table.followed or not table.repeating:
        demand = _periodic(EndTable(table.name), table.duration * tick, apart, table.span, f"{table.name}.end")
        yield Series(table, counter, None, range(table.duration, table.duration + 1), demand)


def _alarm(system: System, alarm: Alarm, one_timer: bool) -> Demand:
    """An alarm's demand: of known times where every start sets it, to recur, on a counter of the hardware.

    A first expiry with the counter at 0 comes when that comes around, which is no time from the start.
    """
    assert system.osek is not None
    counter, start, action = system.osek.counter(alarm.counter), alarm.autostart, of(alarm.action)
    known = start is not None and start.cycle > 0 and start.time > 0 and set(start.modes) == set(system.osek.modes)
    if start is None or not known or one_timer or counter.kind is not CounterKind.HARDWARE:
        return _run_time(action, alarm.span, alarm.name)
    return _periodic(action, start.time * counter.tick, start.cycle * counter.tick, alarm.span, alarm.name)


def _periodic(action: Action, first: int, period: int, span: Span, asker: str = "") -> Demand:
    point = ExpiryPoint(first, action, first, span)
    return Demand(action, (point,), required=not asker, bounded=True, when=When.SYSTEM, period=period, asker=asker)


def _run_time(action: Action, span: Span, asker: str = "") -> Demand:
    point = ExpiryPoint(0, action, 0, span)
    return Demand(action, (point,), required=not asker, bounded=True, when=When.RUN_TIME, asker=asker)
