# SPDX-License-Identifier: Apache-2.0
"""When the jobs of an event-triggered system are released, as far as its schedule says: by alarms, schedule tables, StartOS.

What the schedule declares of an object (``min_interval``) counts before all this, since services may release it too.  Times are
in ticks of the system clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from carillon.model import System
from carillon.model.declared import Declared
from carillon.model.osek import (
    ActivateTask,
    Alarm,
    AlarmAction,
    CounterKind,
    IncrementCounter,
    Osek,
    OsekTask,
    ScheduleTable,
    SetEvent,
    Synchronisation,
    TableStart,
)
from carillon.timing.arrivals import Arrival, Arrivals, Pattern, Sporadic


class UnknownError(Exception):
    """Nothing bounds how often something is released; the message says what, and what to write."""


def declared_arrivals(declared: Declared) -> Arrivals | None:
    """What the schedule itself says; None if it says nothing."""
    return Arrivals((Sporadic(declared.min_interval, declared.jitter),)) if declared.min_interval else None


def task_arrivals(system: System, osek: Osek, task: OsekTask) -> Arrivals:
    """The releases of a task or thread: its activations, and of one that waits, what it goes on from.

    Raises :class:`UnknownError` if they are not bounded, or if there is none.
    """
    declared = declared_arrivals(task.declared)
    if declared is not None:
        return declared
    parts: list[Arrival] = []
    if task.thread and system.time is not None:
        parts += [Sporadic(int(p.ticks)) for p in system.time.periods if p.thread == task.name]
    if task.autostart and not parts:
        parts.append(Pattern((0,), 0))
    if task.offset and not parts:
        parts.append(Pattern((task.offset,), 0))
    for alarm in osek.alarms:
        if _acts_on(alarm.action.each, task):
            parts.append(alarm_arrivals(osek, alarm))
    for table in osek.schedule_tables:
        offsets = [point.offset for point in table.points if _acts_on(point.actions, task)]
        if offsets:
            parts.append(_table(osek, table, offsets))
    if not parts:
        raise UnknownError(
            f"no alarm, no schedule table and not StartOS activates {_kind(task)} '{task.name}': write its min_interval"
        )
    return Arrivals(tuple(parts))


def _kind(task: OsekTask) -> str:
    return "thread" if task.thread else "task"


def _acts_on(actions: Iterable[AlarmAction], task: OsekTask) -> bool:
    return any(isinstance(action, ActivateTask | SetEvent) and action.object == task.name for action in actions)


def alarm_arrivals(osek: Osek, alarm: Alarm) -> Arrival:
    """The expiries of an alarm that StartOS sets; raises :class:`UnknownError` of others."""
    start = alarm.autostart
    if start is None:
        raise UnknownError(f"alarm '{alarm.name}' is set at run time: write the min_interval of what it activates")
    tick, phased = counter_tick(osek, alarm.counter)
    turn = (osek.counter(alarm.counter).max_allowed + 1) * tick
    first = start.time * tick or turn
    return Pattern((first,), start.cycle * tick, phased=phased)


def counter_tick(osek: Osek, name: str) -> tuple[int, bool]:
    """Ticks of the system clock in a tick of a counter, and whether its ticks come at multiples of that.

    A software counter has a tick if one alarm that recurs advances it, and nothing else: what services do is not known.
    """
    counter = osek.counter(name)
    if counter.kind is CounterKind.HARDWARE:
        return counter.tick, True
    advances = [a for a in osek.alarms if any(isinstance(x, IncrementCounter) and x.object == name for x in a.action.each)]
    if len(advances) != 1:
        raise UnknownError(
            f"nothing says how often software counter '{name}' advances: write the min_interval of what it activates"
        )
    by = alarm_arrivals(osek, advances[0])
    if not isinstance(by, Pattern) or not by.period:
        raise UnknownError(
            f"software counter '{name}' does not advance at known times: write the min_interval of what it activates"
        )
    return by.period, by.times == (by.period,)


def _table(osek: Osek, table: ScheduleTable, offsets: list[int]) -> Arrival:
    """The points of a schedule table at these offsets."""
    tick, phased = counter_tick(osek, table.counter)
    start = table.autostart
    if table.sync is Synchronisation.EXPLICIT:
        raise UnknownError(f"schedule table '{table.name}' is synchronised, which moves its points: write the min_interval")
    if start is None and not table.repeating:
        raise UnknownError(f"schedule table '{table.name}' is started at run time: write the min_interval of what it activates")
    begin = start.at * tick if start is not None and start.kind is not TableStart.SYNCHRON else 0
    known = (
        phased
        and start is not None
        and start.kind is not TableStart.SYNCHRON
        and (start.at > 0 or start.kind is TableStart.RELATIVE)
    )
    return Pattern(
        tuple(begin + offset * tick for offset in offsets), table.duration * tick if table.repeating else 0, phased=known
    )


@dataclass(frozen=True, slots=True)
class Step:
    """A point of a schedule table: what it does, and when it comes."""

    actions: tuple[AlarmAction, ...]
    arrivals: Arrival


def table_arrivals(osek: Osek, table: ScheduleTable) -> Iterator[Step]:
    """The points of a schedule table; none if nothing bounds how often they come: then what they activate is unknown, too."""
    try:
        yield from [Step(point.actions, _table(osek, table, [point.offset])) for point in table.points]
    except UnknownError:
        return


def counters_of(osek: Osek, task: OsekTask) -> frozenset[str]:
    """The hardware counters whose ticks release a task, unless the schedule itself says how often it is released."""
    if task.declared.min_interval:
        return frozenset()
    found = {alarm.counter for alarm in osek.alarms if _acts_on(alarm.action.each, task)}
    found |= {t.counter for t in osek.schedule_tables if any(_acts_on(point.actions, task) for point in t.points)}
    for alarm in osek.alarms:
        if any(isinstance(action, IncrementCounter) and action.object in found for action in alarm.action.each):
            found.add(alarm.counter)
    return frozenset(name for name in found if osek.counter(name).kind is CounterKind.HARDWARE)
