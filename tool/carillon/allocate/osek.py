# SPDX-License-Identifier: Apache-2.0
"""What an allocation of the event-triggered system is: levels, interrupt sources, and cells for counters and alarms.

Tasks get the lowest levels in the order of their priorities, ISRs of category 2 those above, the kernel's own
interrupts (counters, alarms that are no task's activation) the highest of these, category 1 the next.  Whatever is
time-triggered is above all of them (Sloth on Time, section IV-C).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum

from carillon.allocate.base import Base
from carillon.allocate.clock import ClockCell
from carillon.allocate.cursors import Cursor, cursors
from carillon.allocate.queue import QueueTimes, queue_times
from carillon.allocate.result import Carrier
from carillon.model.osek import (
    RES_SCHEDULER,
    ActivateTask,
    Alarm,
    AlarmAction,
    Counter,
    CounterKind,
    Isr,
    Osek,
    OsekTask,
    Property,
    ScheduleTable,
    SetEvent,
)


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


@dataclass(frozen=True, slots=True)
class AlarmCell:
    """An alarm that a cell carries.

    ``direct``: its expiry is the activation itself.  ``level``: the level of its task, where its handler acts (:mod:`.claims`);
    0 if the handler is on the kernel's level.  ``runs_level``: its handler goes on as that level's handler (:mod:`.tasks`).
    """

    alarm: Alarm
    carrier: Carrier
    direct: bool
    level: int = 0
    runs_level: bool = False


@dataclass(frozen=True, slots=True)
class TableCell:
    """The cell that carries equally spaced points of a schedule table that have an action.

    ``offsets``: of these points, in ticks of the counter.  ``direct``, ``level``, ``runs_level``: as of an alarm.  ``action`` is
    None of the cell at the end of a table, or at the half of one that may be followed, which has the kernel's level.
    """

    table: ScheduleTable
    action: AlarmAction | None
    offsets: range
    carrier: Carrier
    direct: bool
    level: int = 0
    runs_level: bool = False


@dataclass(frozen=True, slots=True)
class CounterPart:
    """A part of a hardware counter's queue, and the cell that ticks it (:mod:`.parts`).

    A carrier without a cell is a source that the handler of the counter's first part requests when the part is due.
    ``level``: the level of the tasks that all its alarms wake, where its handler serves them; 0 if it is on the kernel's level.
    ``number``: of the part in the kernel's table of counters.  A counter's first part has the counter's own.
    """

    counter: Counter
    carrier: Carrier
    level: int
    number: int


@dataclass(frozen=True, slots=True)
class OsekAllocation:
    """Everything about the event-triggered system's hardware.

    Levels are logical: the controller's own with hardware dispatch; with software dispatch :meth:`hardware` gives
    the controller's.  ``top`` is the level of ISRs of category 2 and of the kernel's own interrupts, ``all`` that of category 1.
    ``counters``: the parts of those that tick, the first part of each, then the others.  ``ceilings``: resource -> level.
    ``proved``: no other shares of the cells leave a better whole.  ``dispatcher``: the source of the software
    dispatcher, 0 without.  ``tables``: the cells of schedule tables, table by table.  ``turns``: of each level whose threads take
    turns by hardware, from the highest down, the source that ends their slices, just above the level.  ``machine_units``: of the
    time base in a tick of the machine that carries out microcode; 0 if the time base does not count it.
    """

    osek: Osek
    levels: tuple[TaskLevel, ...]
    isrs: tuple[tuple[Isr, int], ...]
    top: int
    all: int
    software: bool
    dispatcher: int
    counters: tuple[CounterPart, ...]
    alarms: tuple[AlarmCell, ...]
    ceilings: dict[str, int] = field(hash=False)
    reasons: tuple[str, ...] = ()
    clock: ClockCell | None = None
    slices: Carrier | None = None
    base: Base | None = None
    budgets: Carrier | None = None
    frames: Carrier | None = None
    proved: bool = True
    tables: tuple[TableCell, ...] = ()
    turns: dict[int, int] = field(default_factory=dict, hash=False)
    machine_units: int = 0

    def hardware(self, level: int) -> int:
        """The controller's level for a logical one above the tasks."""
        return level if not self.software else level - len(self.levels) + 1

    @property
    def hardware_levels(self) -> int:
        """How many of the controller's levels the system takes, from the lowest."""
        return self.hardware(self.locked if self.budgets is not None else self.all)

    @property
    def locked(self) -> int:
        """The level that the kernel's lock masks: ``top``, or that of the cell of budgets, which is above ``all``."""
        return self.budgets.level if self.budgets is not None else self.top

    def level_of(self, task: OsekTask) -> TaskLevel:
        """The level of a task."""
        return next(level for level in self.levels if task in level.tasks)

    @property
    def joined(self) -> dict[int, list[AlarmCell]]:
        """By source, the alarms of those that have several, those of the highest tasks first: so their handler asks the cells."""
        found: dict[int, list[AlarmCell]] = {}
        for it in self.alarms:
            found.setdefault(it.carrier.source, []).append(it)
        level = {task.name: level.number for level in self.levels for task in level.tasks}
        return {
            source: sorted(own, key=lambda it: -level.get(it.carrier.action.object, 0))
            for source, own in found.items()
            if len(own) > 1
        }

    @property
    def named_resources(self) -> list[str]:
        """The resources that services can name, in the order of their numbers."""
        names = [r.name for r in self.osek.resources if r.property is not Property.INTERNAL and r.name != RES_SCHEDULER]
        return names + ([RES_SCHEDULER] if self.osek.scheduler_resource else [])

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
    def carriers(self) -> tuple[Carrier, ...]:
        """Every cell's carrier: counters, alarms, the clock, and what ends slices."""
        services = [self.clock.carrier] if self.clock is not None else []
        services += [self.slices] if self.slices is not None else []
        services += [self.budgets] if self.budgets is not None else []
        services += [self.frames] if self.frames is not None else []
        return (*(c.carrier for c in self.counters), *(a.carrier for a in self.alarms), *services)

    @property
    def ticking(self) -> tuple[Carrier, ...]:
        """The carriers whose ticks the time base counts."""
        clock = [self.clock.carrier] if self.clock is not None and self.clock.based else []
        machine = [self.slices] if self.slices is not None and self.machine_units else []
        return (*(c.carrier for c in self.counters if c.carrier.cells), *clock, *machine)

    def first_part(self, part: CounterPart) -> CounterPart:
        """The first part of the same counter."""
        return next(p for p in self.counters if p.counter == part.counter)

    def requested(self, part: CounterPart) -> list[CounterPart]:
        """The parts that the handler of a part requests, from the highest level down."""
        own = [p for p in self.counters if p.counter == part.counter and not p.carrier.cells]
        return sorted(own, key=lambda p: -p.level) if part == self.first_part(part) else []

    @property
    def queue(self) -> QueueTimes | None:
        """The times of the event queue; None if nothing uses it."""
        held = max((self.held(c.counter) for c in self.counters), default=0)
        return queue_times(self.osek, self.clock.services if self.clock is not None else None, held, self.cursors)

    def is_advanced(self, counter: Counter) -> bool:
        """Whether something advances a counter, so that its alarms can be set at run time and stand in its queue."""
        return counter.kind is CounterKind.SOFTWARE or any(c.counter == counter for c in self.counters)

    @property
    def parts(self) -> tuple[Counter, ...]:
        """The counter of each entry of the kernel's table: of all counters, then of their further parts."""
        further = sorted((p for p in self.counters if p.number >= len(self.osek.counters)), key=lambda p: p.number)
        return (*self.osek.counters, *(p.counter for p in further))

    def part_of(self, counter: str, action: AlarmAction) -> int:
        """The number of the part in which an action stands while it is queued: its task's level's, or else the first."""
        task = action.object if isinstance(action, ActivateTask | SetEvent) else ""
        level = next((x.number for x in self.levels if any(t.name == task for t in x.tasks)), 0)
        own = (p.number for p in self.counters if level and p.level == level and p.counter.name == counter)
        return next(own, [c.name for c in self.osek.counters].index(counter))

    @property
    def cursors(self) -> tuple[Cursor, ...]:
        """The cursors of all schedule tables that stand in queues, table by table."""
        return cursors(self.osek, self.part_of, self.on_cells)

    @property
    def on_cells(self) -> tuple[ScheduleTable, ...]:
        """The schedule tables that cells carry."""
        return tuple(t for t in self.osek.schedule_tables if any(c.table is t for c in self.tables))

    def cells_of(self, table: ScheduleTable) -> list[TableCell]:
        """The cells of a schedule table, in the order of their first points; empty if it stands in the queue."""
        return sorted((c for c in self.tables if c.table is table), key=lambda c: c.offsets.start)

    @property
    def handled(self) -> tuple[TableCell, ...]:
        """The cells of schedule tables that have handlers."""
        return tuple(c for c in self.tables if not c.direct)

    @property
    def at_levels(self) -> list[AlarmCell | TableCell]:
        """The cells of alarms and of schedule tables whose handlers are at the levels of their tasks."""
        return [*(a for a in self.alarms if a.level), *(c for c in self.handled if c.action is not None)]

    def alarms_of(self, part: CounterPart) -> list[Alarm]:
        """The alarms that can stand in a part of a counter's queue."""
        return [a for a in queued(self.osek, part.counter, self.alarms) if self.part_of(a.counter, a.action) == part.number]

    def only_alarm(self, part: CounterPart) -> Alarm | None:
        """What can stand in a part, if that is one alarm; None if it is more, a schedule table, or nothing."""
        own = self.alarms_of(part)
        return own[0] if len(own) == 1 and all(c.part != part.number for c in self.cursors) else None

    def held(self, counter: Counter) -> int:
        """For how many of its ticks a ticking counter may be held back, and still know the time; 0 without a time base."""
        return self.base.most // self.base_units(counter) if self.base is not None else 0

    @property
    def held_clock(self) -> int:
        """The same of a periodic clock, whose times must hold these ticks too."""
        if self.base is None or self.clock is None or not self.clock.based:
            return 0
        return min(self.base.most // self.clock.base_units, self.clock.latest)

    @property
    def held_machine(self) -> int:
        """The same of the machine's tick."""
        return self.base.most // self.machine_units if self.base is not None and self.machine_units else 0

    def base_units(self, counter: Counter) -> int:
        """Units of the time base in a tick of a counter; 0 if it is not counted by that."""
        ticking = any(c.counter == counter for c in self.counters)
        return counter.tick if ticking and self.base is not None else 0

    @property
    def direct(self) -> bool:
        """Whether any task is its own vector."""
        return any(level.kind is TaskKind.DIRECT for level in self.levels)


def queued(osek: Osek, counter: Counter, carried: Iterable[AlarmCell]) -> list[Alarm]:
    """The alarms that can stand in a counter's queue: all but those that have a cell for good."""
    for_good = [a.alarm for a in carried if a.alarm.static]
    return [a for a in osek.alarms if a.counter == counter.name and a not in for_good]
