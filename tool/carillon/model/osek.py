# SPDX-License-Identifier: Apache-2.0
"""The model of an event-triggered application: the objects of OSEK/VDX OS 2.2.3.

Like :mod:`carillon.model`, frozen after ``read``.  Names are those of the application; priorities are those of
the file, where only their order matters.  Times of alarms are in ticks of their counter; a counter's ``tick`` is
in ticks of :attr:`carillon.model.System.clock_hz`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import ClassVar

from carillon.diagnostics import Span
from carillon.model.declared import NOTHING_DECLARED, Declared
from carillon.model.named import named


class Status(Enum):
    """How much the services check (standard, section 2.3.5)."""

    STANDARD = "standard"
    EXTENDED = "extended"


class Dispatch(Enum):
    """Who orders the tasks: the interrupt controller, or a software one for chips without priorities."""

    HARDWARE = "hardware"
    SOFTWARE = "software"


class Hook(Enum):
    """Routines of the application that the kernel calls (chapter 11)."""

    STARTUP = "startup"
    SHUTDOWN = "shutdown"
    ERROR = "error"
    PRETASK = "pretask"
    POSTTASK = "posttask"
    PROTECTION = "protection"


RES_SCHEDULER = "RES_SCHEDULER"
"""The resource that every task may take."""


class Property(Enum):
    """Kinds of resources (OSEK OS 2.2.3, chapter 8)."""

    STANDARD = "standard"
    INTERNAL = "internal"
    LINKED = "linked"


class CounterKind(Enum):
    """What drives a counter: a timer cell, or IncrementCounter."""

    HARDWARE = "hardware"
    SOFTWARE = "software"


@dataclass(frozen=True, slots=True)
class Mutex:
    """A mutex: what the threads that name it lock.  ``span``: where the first of them does."""

    name: str
    span: Span


class ServerKind(Enum):
    """When the budget of a server comes back (``kernel/time/server.c``)."""

    DEFERRABLE = "deferrable"
    CONSTANT = "constant-bandwidth"


@dataclass(frozen=True, slots=True)
class Server:
    """A server of threads, which share ``budget`` in each ``period``, both in ticks of the system clock, and a level."""

    name: str
    kind: ServerKind
    budget: int
    period: int
    span: Span


@dataclass(frozen=True, slots=True)
class OsekTask:
    """A task, defined in C by ``TASK(name)``.

    ``priority`` as written, the higher the more urgent.  ``activations`` >= 1.  ``autostart`` names application modes.
    ``events`` makes it extended.  ``resources`` include internal ones, at most one of them.  ``stack`` in bytes, of an extended
    task, None for the default of the port.  A ``thread`` is extended too, by what it can wait for: times and semaphores.
    ``mutexes`` that a thread locks; ``server``: whose budget it uses, None if none.  ``offset``: how long after the start it is
    activated.  ``deadline``: how long after its release it is to be done, which the kernel watches.  Both in ticks, 0: none.
    ``new``: ``new Thread(&f)`` takes it.  ``budget``: how long a job may run, in ticks of the system clock; 0: for ever.
    ``time_frame``: how long after an activation, or a release from waiting for events, the next may come; 0: at once.
    ``guarded``: whether its end takes back what its cell has asked for while it ran, if it is direct.  ``resource_locks``,
    ``all_interrupts_lock``, ``os_interrupts_lock``: lock budgets, by resource, in ticks; 0: none.
    """

    name: str
    priority: int
    preemptable: bool
    activations: int
    autostart: tuple[str, ...]
    events: tuple[str, ...]
    resources: tuple[str, ...]
    stack: int | None
    span: Span
    thread: bool = False
    budget: int = 0
    time_frame: int = 0
    guarded: bool = True
    resource_locks: tuple[tuple[str, int], ...] = ()
    all_interrupts_lock: int = 0
    os_interrupts_lock: int = 0
    mutexes: tuple[str, ...] = ()
    server: str | None = None
    offset: int = 0
    deadline: int = 0
    new: bool = False
    declared: Declared = NOTHING_DECLARED

    @property
    def has_locks(self) -> bool:
        """Whether it has any lock budget."""
        return bool(self.resource_locks or self.all_interrupts_lock or self.os_interrupts_lock)

    @property
    def timed(self) -> int:
        """The longest of its budgets, of execution and of locks; 0: it has none."""
        return max(self.budget, self.all_interrupts_lock, self.os_interrupts_lock, *(t for _, t in self.resource_locks), 0)

    @property
    def extended(self) -> bool:
        """Whether it can wait, so that it has a stack of its own."""
        return bool(self.events) or self.thread


@dataclass(frozen=True, slots=True)
class Isr:
    """An interrupt of the application, defined in C by ``ISR(name)``.

    ``category`` 1 or 2; ``source`` a number of the board's controller; ``priority`` orders ISRs among themselves:
    every one is above every task, category 1 above category 2.  ``time_frame``: how long after a run the next may come, in ticks
    of the system clock; 0: at once.  ``budget``: how long a run may take, likewise; 0: as long as it likes.
    """

    name: str
    category: int
    source: int
    priority: int
    resources: tuple[str, ...]
    span: Span
    time_frame: int = 0
    budget: int = 0
    declared: Declared = NOTHING_DECLARED


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource; ``linked`` names the one behind a LINKED resource."""

    name: str
    property: Property
    linked: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class OsekEvent:
    """An event: one bit (a written mask may have several) of an extended task's events."""

    name: str
    mask: int
    span: Span


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter: 0 to ``max_allowed``, then 0 again.  ``tick`` is 0 for a software counter.

    ``readable``: the application asks for its value, so that it ticks although nothing else needs that.
    """

    name: str
    kind: CounterKind
    tick: int
    max_allowed: int
    ticks_per_base: int
    min_cycle: int
    span: Span
    readable: bool = False


@dataclass(frozen=True, slots=True)
class AlarmAction:
    """What an alarm does to an object, as the schedule says it."""

    object: str

    key: ClassVar[str]
    """How an alarm's table names it."""
    subject: ClassVar[str]
    """What its object is: a task, a counter, or a function of the application."""
    number: ClassVar[int]
    """How the image says it (``kernel/contract/action.h``)."""

    @property
    def each(self) -> tuple[AlarmAction, ...]:
        """What is done, one thing after the other."""
        return (self,)


@dataclass(frozen=True, slots=True)
class ActivateTask(AlarmAction):
    """Activate a task."""

    key: ClassVar[str] = "activate"
    subject: ClassVar[str] = "task"
    number: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class SetEvent(AlarmAction):
    """Set an event of an extended task."""

    event: str

    key: ClassVar[str] = "set_event"
    subject: ClassVar[str] = "task"
    number: ClassVar[int] = 5


@dataclass(frozen=True, slots=True)
class Callback(AlarmAction):
    """Call a function defined in C by ``ALARMCALLBACK(function)``."""

    key: ClassVar[str] = "callback"
    subject: ClassVar[str] = "function"
    number: ClassVar[int] = 6


@dataclass(frozen=True, slots=True)
class IncrementCounter(AlarmAction):
    """Advance a software counter."""

    key: ClassVar[str] = "increment"
    subject: ClassVar[str] = "counter"
    number: ClassVar[int] = 7


ALARM_ACTIONS: tuple[type[AlarmAction], ...] = (ActivateTask, SetEvent, Callback, IncrementCounter)
"""Those that an alarm's table has keys for, in the order of a message, and in which an alarm with several does them."""


@dataclass(frozen=True, slots=True)
class Autostart:
    """An alarm that StartOS sets: relative to the start, or absolute; ``cycle`` 0: once."""

    modes: tuple[str, ...]
    time: int
    cycle: int
    absolute: bool


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm of a counter; ``static``: the application never cancels it nor sets it anew."""

    name: str
    counter: str
    action: AlarmAction
    autostart: Autostart | None
    span: Span
    static: bool = False


class Synchronisation(Enum):
    """What keeps a schedule table with a global time (AUTOSAR OS R4, 7.3.3)."""

    NONE = "none"
    IMPLICIT = "implicit"  # its counter is that time
    EXPLICIT = "explicit"  # the application says what the time is


@dataclass(frozen=True, slots=True)
class TablePoint:
    """An expiry point of a schedule table, ``offset`` ticks of the counter after the table's begin.

    ``actions`` are done in their order: tasks are activated before events are set.  The delay to the point, from the one
    before it, may be made ``max_lengthen`` ticks longer or ``max_shorten`` shorter to keep with the global time.
    """

    offset: int
    actions: tuple[AlarmAction, ...]
    max_lengthen: int
    max_shorten: int
    span: Span


class TableStart(Enum):
    """How StartOS starts a schedule table."""

    RELATIVE = "relative"
    ABSOLUTE = "absolute"
    SYNCHRON = "synchron"


@dataclass(frozen=True, slots=True)
class TableAutostart:
    """A schedule table that StartOS starts; ``at`` is 0 of one that waits for the global time."""

    modes: tuple[str, ...]
    kind: TableStart
    at: int


@dataclass(frozen=True, slots=True)
class ScheduleTable:
    """A schedule table of a counter, ``duration`` ticks from its begin to its end (AUTOSAR OS R4, 7.3.2).

    ``points`` in ascending order of their offsets, at least one.  ``precision``: of one that is synchronised explicitly, the
    deviation in ticks that is none.
    """

    name: str
    counter: str
    duration: int
    repeating: bool
    points: tuple[TablePoint, ...]
    sync: Synchronisation
    precision: int
    autostart: TableAutostart | None
    span: Span
    cells: bool = False
    """Cells carry its points: it stands in no queue."""
    followed: bool = False
    """Of one on cells that repeats: another may follow it."""

    @property
    def half(self) -> int:
        """Ticks from the begin of one on cells that may be followed to where the cells of earlier points are stopped."""
        return self.duration // 2

    @property
    def shifted(self) -> bool:
        """Whether cells are to carry it, and are shifted to keep it with the global time."""
        return self.cells and self.sync is Synchronisation.EXPLICIT

    @property
    def initial_offset(self) -> int:
        """Ticks from the begin to the first point."""
        return self.points[0].offset

    @property
    def actions(self) -> tuple[AlarmAction, ...]:
        """What it does, each once, in the order of their first points."""
        return tuple(dict.fromkeys(a for p in self.points for a in p.actions))

    def nearest(self, action: AlarmAction) -> int:
        """How many ticks apart its points with an action are at least, also over the end if it repeats."""
        at = [p.offset for p in self.points if action in p.actions]
        again = [at[0] + self.duration] if self.repeating else []
        return min((after - before for before, after in pairwise([*at, *again])), default=self.duration)

    def series(self, action: AlarmAction) -> tuple[range, ...]:
        """The offsets of its points with an action, as series that go on over its end at the same distance.

        The series with the most points are taken first.  Each point is one of a table that does not repeat, or
        that another may follow.
        """
        left = {p.offset for p in self.points if action in p.actions}
        if not self.repeating:
            return tuple(range(offset, offset + 1) for offset in sorted(left))
        if self.followed:
            return tuple(range(offset, offset + self.duration, self.duration) for offset in sorted(left))
        series = []
        for count in range(len(left), 0, -1):
            apart = self.duration // count
            for first in sorted(left) if self.duration % count == 0 else ():
                offsets = range(first, first + self.duration, apart)
                if left.issuperset(offsets):
                    series.append(offsets)
                    left.difference_update(offsets)
        return tuple(sorted(series, key=lambda offsets: offsets.start))


@dataclass(frozen=True, slots=True)
class Osek:
    """A whole event-triggered application.

    ``modes`` are its application modes, the first is OSDEFAULTAPPMODE.  Tuples are in the order of the file, which
    is the order of the numbers that C sees (TaskType and the like).  ``scheduler_resource``: RES_SCHEDULER exists.
    ``clock_keeps``: the clock of the time services keeps budgets, and no cell.  ``hook_wcet``: of an error or task hook; 0: none.
    """

    status: Status
    dispatch: Dispatch
    hooks: frozenset[Hook]
    service_id: bool
    parameter_access: bool
    scheduler_resource: bool
    stack_check: bool
    modes: tuple[str, ...]
    tasks: tuple[OsekTask, ...] = ()
    isrs: tuple[Isr, ...] = ()
    resources: tuple[Resource, ...] = ()
    events: tuple[OsekEvent, ...] = ()
    counters: tuple[Counter, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    schedule_tables: tuple[ScheduleTable, ...] = ()
    mutexes: tuple[Mutex, ...] = ()
    servers: tuple[Server, ...] = ()
    span: Span = field(default_factory=lambda: Span(""))
    clock_keeps: bool = False
    hook_wcet: int = 0

    def task(self, name: str) -> OsekTask:
        """The task of that name; KeyError if there is none."""
        return named(self.tasks, name)

    def event(self, name: str) -> OsekEvent:
        """The event of that name; KeyError if there is none."""
        return named(self.events, name)

    def isr(self, name: str) -> Isr:
        """The ISR of that name; KeyError if there is none."""
        return named(self.isrs, name)

    def counter(self, name: str) -> Counter:
        """The counter of that name; KeyError if there is none."""
        return named(self.counters, name)

    def lockers(self, mutex: str) -> list[OsekTask]:
        """The threads that give a mutex its ceiling: those that name it, or another mutex that one of these names, and so on.

        A thread may wait for a mutex while it has another one.  Who has what it waits for must not run below the other's ceiling.
        """
        names, before = {mutex}, 0
        while len(names) > before:
            before = len(names)
            names.update(name for task in self.tasks if names.intersection(task.mutexes) for name in task.mutexes)
        return [task for task in self.tasks if names.intersection(task.mutexes)]

    def resource(self, name: str) -> Resource:
        """The resource that ``name`` names, behind all links; KeyError if there is none."""
        resource = named(self.resources, name)
        while resource.linked is not None:
            resource = named(self.resources, resource.linked)
        return resource

    @property
    def budgets(self) -> bool:
        """Whether any task has a budget, of execution or of a lock, or an ISR one of execution."""
        return bool(self.bounded)

    @property
    def bounded(self) -> tuple[OsekTask | Isr, ...]:
        """The tasks with budgets, of execution or of locks, and the ISRs with budgets."""
        return (*(t for t in self.tasks if t.timed), *self.bounded_isrs)

    @property
    def bounded_isrs(self) -> tuple[Isr, ...]:
        """The ISRs with execution budgets."""
        return tuple(isr for isr in self.isrs if isr.budget)

    @property
    def celled_budgets(self) -> bool:
        """Whether a cell keeps budgets."""
        return self.budgets and not self.clock_keeps

    @property
    def queued_budgets(self) -> bool:
        """Whether the clock's queue keeps budgets."""
        return self.budgets and self.clock_keeps

    @property
    def lock_budgets(self) -> bool:
        """Whether any task has a lock budget."""
        return any(t.has_locks for t in self.tasks)

    @property
    def framed(self) -> tuple[OsekTask | Isr, ...]:
        """The tasks and ISRs that have time frames."""
        every: tuple[OsekTask | Isr, ...] = (*self.tasks, *self.isrs)
        return tuple(it for it in every if it.time_frame)

    @property
    def conformance(self) -> str:
        """The least conformance class (chapter 3.2) that the application needs."""
        family = "ECC" if any(t.extended for t in self.tasks) else "BCC"
        priorities = [t.priority for t in self.tasks]
        several = len(set(priorities)) < len(priorities) or any(t.activations > 1 for t in self.tasks)
        return family + ("2" if several else "1")
