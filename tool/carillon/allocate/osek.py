# SPDX-License-Identifier: Apache-2.0
"""What an allocation of the event-triggered system is: levels, interrupt sources, and cells for counters and alarms.

Tasks get the lowest levels in the order of their priorities, and ISRs of category 2 those above.  The kernel's own interrupts
(counters, alarms that are no task's activation) get the highest of these, and category 1 the next.  Whatever is time-triggered is
above all of them (Sloth on Time, section IV-C).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from carillon.actions import Action
from carillon.actions.count_turns import CountTurns
from carillon.actions.end_slice import EndSlice
from carillon.actions.keep_budget import KeepBudget
from carillon.actions.keep_round_budget import KeepRoundBudget
from carillon.actions.keep_task_budget import KeepTaskBudget
from carillon.actions.serve_clock import ServeClock
from carillon.allocate.base import Base
from carillon.allocate.clock import ClockCell
from carillon.allocate.cursors import Cursor, cursors
from carillon.allocate.queue import QueueTimes, queue_times
from carillon.allocate.result import Carrier, of_whom
from carillon.lower.events import Series
from carillon.model.osek import (
    RES_SCHEDULER,
    ActivateTask,
    Alarm,
    AlarmAction,
    Counter,
    CounterKind,
    Hook,
    Isr,
    Osek,
    OsekTask,
    Property,
    ScheduleTable,
    SetEvent,
    Synchronisation,
)
from carillon.model.time import TimeServices


class TaskKind(Enum):
    """How a task is served."""

    DIRECT = "direct"  # its vector is its function
    MANAGED = "managed"  # its level's handler keeps its state


@dataclass(frozen=True, slots=True)
class TaskLevel:
    """One task priority: level ``number`` (from 1), its tasks in the order of the file, and what raises it.

    ``capacity`` is the length of its queue of activations, 0 where its one task has one activation.
    ``source`` is 0 with software dispatch.  ``cell`` is a cell whose expiry is the activation of a direct task.
    """

    number: int
    tasks: tuple[OsekTask, ...]
    source: int
    capacity: int
    kind: TaskKind
    cell: Carrier | None = None

    @property
    def is_shared_by_thread(self) -> bool:
        """Whether a thread is to make way, when its slice is over, for another thread or a task of the level."""
        return len(self.tasks) > 1 and any(task.thread for task in self.tasks)


@dataclass(frozen=True, slots=True)
class OsekAllocation:
    """The event-triggered system's hardware: its levels, and the list of what carries each of its demands.

    Levels are logical: the controller's own with hardware dispatch; with software dispatch :meth:`hardware` gives the
    controller's.  ``top`` is the level of ISRs of category 2 and of the kernel's own interrupts, ``all`` that of category 1.
    ``carriers``: of counters, the first part of each that ticks, then the other parts.  Then of alarms, first those whose vector
    is their task.  Then of the clock, slices, budgets and time frames, and of schedule tables, table by table.

    ``ceilings``: resource -> level.  ``queued``: the alarms that no cell carries, each with the reason.  ``services``: what the
    clock serves.  ``proved``: no other shares of the cells leave a better whole.  ``dispatcher``: the source of the software
    dispatcher, 0 without.  ``turns``: of each level whose threads take turns by hardware, from the highest down, the source that
    ends their slices, just above the level.  ``based``: the time base counts the ticks of the periodic clock, or (``machine``)
    of the machine that carries out microcode.  ``why``: of a board that dispatches either way, what asks for software.
    """

    osek: Osek
    levels: tuple[TaskLevel, ...]
    isrs: tuple[tuple[Isr, int], ...]
    top: int
    all: int
    software: bool
    dispatcher: int
    carriers: tuple[Carrier, ...]
    ceilings: dict[str, int] = field(hash=False)
    queued: dict[str, str] = field(default_factory=dict, hash=False)
    services: TimeServices | None = None
    base: Base | None = None
    based: bool = False
    machine: bool = False
    proved: bool = True
    turns: dict[int, int] = field(default_factory=dict, hash=False)
    why: str = ""

    # The carrier of each demand.

    def to_do(self, kind: type[Action]) -> Carrier | None:
        """The carrier of an action of this kind that belongs to no alarm and no series; None if there is none."""
        return next((c for c in self.carriers if isinstance(c.action, kind) and c.demand.whose is None), None)

    @property
    def counters(self) -> list[Carrier]:
        """The parts of the counters that tick: the first part of each, then the others."""
        return [c for c in self.carriers if c.part >= 0]

    @property
    def alarms(self) -> list[tuple[Alarm, Carrier]]:
        """The alarms that cells carry."""
        return of_whom(self.carriers, Alarm)

    @property
    def series(self) -> list[tuple[Series, Carrier]]:
        """The cells of schedule tables, table by table."""
        return of_whom(self.carriers, Series)

    @property
    def clock(self) -> ClockCell | None:
        """The clock of the time services."""
        carrier = self.to_do(ServeClock)
        if carrier is None or self.services is None:
            return None
        return ClockCell(self.services, carrier, self.based and not self.machine)

    @property
    def tickless(self) -> bool:
        """Whether the clock tells the ticks of the hardware counters."""
        return self.services is not None and self.services.tickless

    @property
    def slices(self) -> Carrier | None:
        """What ends slices, is the machine's tick, or wakes the machine."""
        return self.to_do(EndSlice if self.beat is None else ServeClock)

    @property
    def beat(self) -> int | None:
        """A tick of the microcode machine in ticks of the system clock, if the clock wakes it."""
        return self.services.beat if self.services is not None else None

    @property
    def wakes(self) -> int:
        """The same in units of the clock; 0 if a cell ticks, or there is no such machine."""
        return int(self.beat / self.clock.tick) if self.beat is not None and self.clock is not None else 0

    @property
    def budgets(self) -> Carrier | None:
        """The cell of execution budgets."""
        return self.to_do(KeepBudget)

    @property
    def round_budgets(self) -> Carrier | None:
        """The cell of the execution budgets of the rounds' tasks."""
        return self.to_do(KeepRoundBudget)

    @property
    def task_budgets(self) -> dict[str, Carrier]:
        """The cell of the execution budget of each of the rounds' tasks, where each has one."""
        return {c.demand.object: c for c in self.carriers if isinstance(c.action, KeepTaskBudget)}

    @property
    def frames(self) -> Carrier | None:
        """The cell that measures time frames."""
        return self.to_do(CountTurns)

    # Levels.

    def hardware(self, level: int) -> int:
        """The controller's level for a logical one above the tasks."""
        return level if not self.software else level - len(self.levels) + 1

    @property
    def hardware_levels(self) -> int:
        """How many of the controller's levels the system takes, from the lowest."""
        return self.hardware(self.locked if self.budgets is not None else self.all)

    @property
    def locked(self) -> int:
        """The level that the kernel's lock masks: with budgets the level of their cell, above ``all``; else ``top``."""
        return self.budgets.level if self.budgets is not None else self.top

    def level_of(self, task: OsekTask) -> TaskLevel:
        """The level of a task."""
        return next(level for level in self.levels if task in level.tasks)

    @property
    def joined(self) -> dict[int, list[tuple[Alarm, Carrier]]]:
        """Per source with several alarms, its alarms in the order in which the handler asks: the highest task first."""
        by_source: dict[int, list[tuple[Alarm, Carrier]]] = {}
        for alarm, carrier in self.alarms:
            by_source.setdefault(carrier.source, []).append((alarm, carrier))
        level = {task.name: level.number for level in self.levels for task in level.tasks}
        return {
            source: sorted(pairs, key=lambda pair: -max(level.get(one.object, 0) for one in pair[1].action.each))
            for source, pairs in by_source.items()
            if len(pairs) > 1
        }

    @property
    def named_resources(self) -> list[str]:
        """The resources that services can name, in the order of their numbers."""
        names = [r.name for r in self.osek.resources if r.property is not Property.INTERNAL and r.name != RES_SCHEDULER]
        return names + ([RES_SCHEDULER] if self.osek.scheduler_resource else [])

    @property
    def mutex_ceilings(self) -> list[int]:
        """The level at which a thread that holds each mutex runs."""
        return [max(self.level_of(task).number for task in self.osek.lockers(mutex.name)) for mutex in self.osek.mutexes]

    @property
    def sliced(self) -> list[int]:
        """The levels whose threads take turns, from the highest down."""
        return [x.number for x in reversed(self.levels) if self.slices is not None and x.is_shared_by_thread]

    @property
    def turn_requests(self) -> dict[int, int]:
        """Of :attr:`turns` those whose source is no cell's: it is requested alone."""
        return {level: source for level, source in self.turns.items() if self.slices is None or source != self.slices.source}

    @property
    def served_levels(self) -> list[int]:
        """The level of the threads of each server that has any, in the order of the servers' numbers."""
        own = ([task for task in self.osek.tasks if task.server == server.name] for server in self.osek.servers)
        return [self.level_of(tasks[0]).number for tasks in own if tasks]

    def running_level(self, task: OsekTask) -> int:
        """The level that a task runs at once it has begun.

        That of its internal resource, or of RES_SCHEDULER if no task may preempt it (standard, sections 4.6.2 and 8.7).
        """
        if not task.preemptable:
            return self.ceilings[RES_SCHEDULER]
        taken = [self.osek.resource(r) for r in task.resources if r != RES_SCHEDULER]
        internal = [self.ceilings[r.name] for r in taken if r.property is Property.INTERNAL]
        return max([self.level_of(task).number, *internal])

    @property
    def ticking(self) -> list[Carrier]:
        """The carriers whose ticks the time base counts."""
        ticker = self.to_do(EndSlice if self.machine else ServeClock) if self.based else None
        return [c for c in self.counters if c.cells] + ([ticker] if ticker is not None else [])

    def first_part(self, part: Carrier) -> Carrier:
        """The first part of the same counter."""
        return next(p for p in self.counters if p.action == part.action)

    def requested(self, part: Carrier) -> list[Carrier]:
        """The parts that the handler of a part requests, from the highest level down."""
        own = [p for p in self.counters if p.action == part.action and not p.cells]
        return sorted(own, key=lambda p: -p.task_level) if part == self.first_part(part) else []

    @property
    def queue(self) -> QueueTimes | None:
        """The times of the event queue; None if nothing uses it."""
        held = max((self.held(c.name) for c in self.osek.counters if self.base_units(c.name)), default=0)
        return queue_times(self.osek, self.services if self.clock is not None else None, held, self.cursors)

    @property
    def told(self) -> bool:
        """Whether the time base tells how often an alarm's cell has expired: an error hook hears of each that fails."""
        return Hook.ERROR in self.osek.hooks and self.base is not None and bool(self.alarms)

    def is_advanced(self, counter: Counter) -> bool:
        """Whether something advances a counter, so that its alarms can be queued and set at run time."""
        ticks = self.tickless or any(c.action.object == counter.name for c in self.counters)
        return counter.kind is CounterKind.SOFTWARE or ticks

    @property
    def parts(self) -> tuple[Counter, ...]:
        """The counter of each entry of the kernel's table: of all counters, then of their further parts."""
        further = sorted((p for p in self.counters if p.part >= len(self.osek.counters)), key=lambda p: p.part)
        return (*self.osek.counters, *(self.osek.counter(p.action.object) for p in further))

    def part_of(self, counter: str, action: AlarmAction) -> int:
        """The number of the part that queues an action: the part of its task's level, or else the counter's first part."""
        tasks = {one.object if isinstance(one, ActivateTask | SetEvent) else "" for one in action.each}
        level = next((x.number for x in self.levels if tasks <= {t.name for t in x.tasks}), 0)
        own = (p.part for p in self.counters if level and p.task_level == level and p.action.object == counter)
        return next(own, [c.name for c in self.osek.counters].index(counter))

    @property
    def cursors(self) -> tuple[Cursor, ...]:
        """The cursors of all schedule tables that stand in queues, table by table."""
        return cursors(self.osek, self.part_of, self.on_cells)

    @property
    def on_cells(self) -> tuple[ScheduleTable, ...]:
        """The schedule tables that cells carry."""
        return tuple(t for t in self.osek.schedule_tables if self.cells_of(t))

    @property
    def adjusts(self) -> bool:
        """Whether a table in a queue is synchronised explicitly."""
        return any(t.sync is Synchronisation.EXPLICIT and not self.cells_of(t) for t in self.osek.schedule_tables)

    def cells_of(self, table: ScheduleTable) -> list[tuple[Series, Carrier]]:
        """The cells of a schedule table, in the order of their first points; empty if it stands in the queue."""
        return sorted((it for it in self.series if it[0].table is table), key=lambda it: it[0].offsets.start)

    @property
    def handled(self) -> list[tuple[Series, Carrier]]:
        """The cells of schedule tables that have handlers."""
        return [it for it in self.series if not it[1].direct]

    @property
    def at_levels(self) -> list[Carrier]:
        """The cells of alarms and of schedule tables whose handlers are at the levels of their tasks."""
        return [carrier for _, carrier in (*self.alarms, *self.handled) if carrier.task_level]

    def alarms_of(self, part: Carrier) -> list[Alarm]:
        """The alarms that can stand in a part of a counter's queue."""
        own = queued(self.osek, part.action.object, self.alarms)
        return [a for a in own if self.part_of(a.counter, a.action) == part.part]

    def only_alarm(self, part: Carrier) -> Alarm | None:
        """The only alarm that can be queued in a part; None if there is none, or anything else can be queued."""
        own = self.alarms_of(part)
        return own[0] if len(own) == 1 and all(c.part != part.part for c in self.cursors) else None

    @property
    def lone(self) -> dict[int, int]:
        """The parts in which nothing but one cursor can wait, each with the cursor's number, which is less than 255.

        The kernel has a short way for these where it looks ahead on a time base, adjusts no table, and all times fit into the
        queue's (``kernel/counters/table_queue.h``).
        """
        if self.software or self.tickless or self.base is None or not self.base.ahead or self.queue is None:
            return {}
        if self.queue.far_alarms or self.adjusts:
            return {}
        parts = [cursor.part for cursor in self.cursors]
        served = {p.part for p in self.counters if self.base_units(p.action.object) and not self.alarms_of(p)}
        return {part: number for number, part in enumerate(parts[:255]) if parts.count(part) == 1 and part in served}

    def has_lone_parts(self, table: ScheduleTable) -> bool:
        """Whether all cursors of a table are alone in their parts, and 32 bits hold a turn of its counter and one of its own.

        There is room left for what has passed since the counter's last tick that has been counted.
        """
        lone, parts = self.lone, [c.part for c in self.cursors if c.table is table]
        turns = self.osek.counter(table.counter).max_allowed + table.duration
        return bool(parts) and all(part in lone for part in parts) and turns < 15 << 28

    def held(self, counter: str) -> int:
        """For how many of its ticks a ticking counter may be held back, and still know the time; 0 without a time base."""
        if self.tickless and self.clock is not None:
            return self.clock.latest // self.base_units(counter)
        return self.base.most // self.base_units(counter) if self.base is not None else 0

    @property
    def held_clock(self) -> int:
        """The same of a periodic clock, whose times must hold these ticks too."""
        clock = self.clock
        return min(self.base.most // clock.base_units, clock.latest) if self.base is not None and clock and clock.based else 0

    @property
    def machine_units(self) -> int:
        """Units of the time base in a tick of the microcode machine; 0 if the time base does not count these."""
        return self.slices.demand.period if self.based and self.machine and self.slices is not None else 0

    @property
    def held_machine(self) -> int:
        """For how many of its ticks the machine may be held back, and still know the time."""
        return self.base.most // self.machine_units if self.base is not None and self.machine_units else 0

    def base_units(self, counter: str) -> int:
        """Units of the time base, or of a tickless clock, in a tick of a counter; 0 if neither counts its ticks."""
        if self.tickless and self.clock is not None:
            return int(self.osek.counter(counter).tick / self.clock.tick)
        ticking = any(c.action.object == counter for c in self.counters)
        return self.osek.counter(counter).tick if ticking and self.base is not None else 0

    @property
    def direct(self) -> bool:
        """Whether any task is its own vector."""
        return any(level.kind is TaskKind.DIRECT for level in self.levels)


def queued(osek: Osek, counter: str, carried: Iterable[tuple[Alarm, Carrier]]) -> list[Alarm]:
    """The alarms that can be queued at a counter: all its alarms except static alarms on cells."""
    for_good = [alarm for alarm, _ in carried if alarm.static]
    return [a for a in osek.alarms if a.counter == counter and a not in for_good]
