# SPDX-License-Identifier: Apache-2.0
"""Allocation of the event-triggered system: levels, interrupt sources, and cells for counters and alarms.

Tasks get the lowest levels in the order of their priorities, ISRs of category 2 those above, the kernel's own
interrupts (counters, alarms that are no task's activation) the highest of these, category 1 the next.  Whatever is
time-triggered is above all of them (Sloth on Time, section IV-C).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction

from carillon.actions.activate import Activate
from carillon.allocate.base import Base, choose_base, longest_stretch
from carillon.allocate.clock import ClockCell, longest_without_laps
from carillon.allocate.fit import Fitter, Source, source_classes
from carillon.allocate.queue import QueueTimes, queue_times
from carillon.allocate.result import Carrier, Cell, CellUse, Progression, Style
from carillon.diagnostics import Diagnostics, Span
from carillon.lower import Demand, ExpiryPoint
from carillon.model import System
from carillon.model.board import Board, Role, Service
from carillon.model.family import Driver
from carillon.model.osek import (
    RES_SCHEDULER,
    ActivateTask,
    Alarm,
    Callback,
    Counter,
    CounterKind,
    Dispatch,
    Hook,
    IncrementCounter,
    Isr,
    Osek,
    OsekTask,
    Property,
    SetEvent,
    Status,
)
from carillon.model.time import ClockKind, TimeServices
from carillon.units import format_duration


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

    ``direct``: its expiry is the activation itself.  ``level``: the level of its task, where its handler acts (``_own_level``);
    0 if the handler is on the kernel's level.  ``runs_level``: its handler goes on as that level's handler (``_runs_level``).
    """

    alarm: Alarm
    carrier: Carrier
    direct: bool
    level: int = 0
    runs_level: bool = False


@dataclass(frozen=True, slots=True)
class CounterCell:
    """The cell that ticks a hardware counter."""

    counter: Counter
    carrier: Carrier


@dataclass(frozen=True, slots=True)
class OsekAllocation:
    """Everything about the event-triggered system's hardware.

    Levels are logical: the controller's own with hardware dispatch; with software dispatch :meth:`hardware` gives
    the controller's.  ``top`` is the level that the kernel's lock masks, ``all`` that of category 1.
    ``ceilings``: resource -> level.  ``dispatcher``: the source of the software dispatcher, 0 without.
    """

    osek: Osek
    levels: tuple[TaskLevel, ...]
    isrs: tuple[tuple[Isr, int], ...]
    top: int
    all: int
    software: bool
    dispatcher: int
    counters: tuple[CounterCell, ...]
    alarms: tuple[AlarmCell, ...]
    ceilings: dict[str, int] = field(hash=False)
    reasons: tuple[str, ...] = ()
    clock: ClockCell | None = None
    slices: Carrier | None = None
    base: Base | None = None

    def hardware(self, level: int) -> int:
        """The controller's level for a logical one above the tasks."""
        return level if not self.software else level - len(self.levels) + 1

    @property
    def hardware_levels(self) -> int:
        """How many of the controller's levels the system takes, from the lowest."""
        return self.hardware(self.all)

    def level_of(self, task: OsekTask) -> TaskLevel:
        """The level of a task."""
        return next(level for level in self.levels if task in level.tasks)

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
        return (*(c.carrier for c in self.counters), *(a.carrier for a in self.alarms), *services)

    @property
    def ticking(self) -> tuple[Carrier, ...]:
        """The carriers whose ticks the time base counts."""
        return tuple(c.carrier for c in self.counters)

    @property
    def queue(self) -> QueueTimes | None:
        """The times of the event queue; None if nothing uses it."""
        held = max((self.held(c.counter) for c in self.counters), default=0)
        return queue_times(self.osek, self.clock.services if self.clock is not None else None, held)

    def held(self, counter: Counter) -> int:
        """For how many of its ticks a ticking counter may be held back, and still know the time; 0 without a time base."""
        return self.base.most // self.base_units(counter) if self.base is not None else 0

    def base_units(self, counter: Counter) -> int:
        """Units of the time base in a tick of a counter; 0 if it is not counted by that."""
        ticking = any(c.counter == counter for c in self.counters)
        return counter.tick if ticking and self.base is not None else 0

    @property
    def direct(self) -> bool:
        """Whether any task is its own vector."""
        return any(level.kind is TaskKind.DIRECT for level in self.levels)


@dataclass(frozen=True, slots=True)
class OsekPlan:
    """What is known before the rounds are allocated: everything but the cells of alarms."""

    levels: tuple[TaskLevel, ...]
    isr_levels: dict[str, int]
    top: int
    all: int
    software: bool
    counters: tuple[CounterCell, ...]
    taken: frozenset[int]
    conventional: bool
    clock: ClockCell | None = None
    slices: Carrier | None = None

    @property
    def hardware_levels(self) -> int:
        """As :attr:`OsekAllocation.hardware_levels`."""
        return self.all - len(self.levels) + 1 if self.software else self.all


def plan_osek(system: System, diagnostics: Diagnostics, kernel: str = "carillon") -> OsekPlan | None:
    """Levels, sources and the counters' cells; None after an error.

    Errors: C160 more levels than the board can give, C161 more tasks than spare sources, C162 no cell for a counter, and
    of the time services C171, C172, C174 and C178.
    """
    osek, board = system.osek, system.board
    assert osek is not None
    conventional = kernel != "carillon"
    software = conventional or osek.dispatch is Dispatch.SOFTWARE or board.dispatch == "software"
    if system.modes and board.nesting == "time":
        diagnostics.error(
            "C160",
            min([t.span for t in osek.tasks] or [system.modes[0].span]),
            f"board '{board.name}' has no priority levels, so that nothing keeps the event-triggered system below the rounds",
            "use rounds or an event-triggered system, not both, or choose a board with priority levels",
        )
        return None
    priorities = sorted({t.priority for t in osek.tasks})
    isr_levels, top, highest = _isr_levels(osek, len(priorities), system.time is not None)
    taken = {i.source for i in osek.isrs} | {i.source for i in system.interrupts}
    used = highest - len(priorities) + 1 if software else highest
    room = board.levels - board.unmaskable_levels
    if used > room:
        _too_many_levels(system, len(priorities), used, room, software, diagnostics)
        return None
    counters = _counter_cells(system, osek, top, taken, diagnostics, conventional)
    if counters is None:
        return None
    taken |= board.mates(c.carrier.source for c in counters)
    clock = slices = None
    if system.time is not None:
        services = _ticking(system, system.time) if conventional else system.time
        clock = _clock_cell(system, services, top, taken, diagnostics)
        if clock is None:
            return None
        taken |= board.mates([clock.carrier.source])
        if system.time.slice is not None:
            slices = _slice_cell(system, system.time, top, taken, diagnostics)
            if slices is None:
                return None
            taken |= board.mates([slices.source])
    levels = []
    spare = [] if software else _spare_sources(board, frozenset(taken))
    for number, priority in enumerate(priorities, 1):
        tasks = tuple(t for t in osek.tasks if t.priority == priority)
        several = len(tasks) > 1 or tasks[0].activations > 1
        capacity = sum(t.activations for t in tasks) if several else 0
        kind = TaskKind.DIRECT if not software and _is_direct(system, osek, tasks) else TaskKind.MANAGED
        levels.append(TaskLevel(number, tasks, 0, capacity, kind))
    if len(spare) < len(levels) and not software:
        candidates = sum(level.kind is TaskKind.DIRECT and _cell_alarm(osek, level.tasks[0]) is not None for level in levels)
        if len(spare) + candidates < len(levels):
            diagnostics.error(
                "C161",
                levels[len(spare)].tasks[0].span,
                f"the tasks need {len(levels)} interrupt sources, one for each priority, and board '{board.name}' has "
                f"{len(spare)} to spare",
                'give tasks the same priority, use dispatch = "software", or choose a board with more sources',
            )
            return None
    return OsekPlan(tuple(levels), isr_levels, top, highest, software, counters, frozenset(taken), conventional, clock, slices)


def allocate_osek(system: System, plan: OsekPlan, busy: frozenset[int], diagnostics: Diagnostics) -> OsekAllocation | None:
    """Cells for alarms from those that the rounds leave (``busy`` sources are taken), and a source for every level.

    An alarm that gets none goes to the queue of its counter, which then ticks: the counter's cell goes before the alarms'.

    Errors: C161 more tasks than spare sources, C185 no cell for an alarm nor for a tick of its counter.
    """
    osek, board = system.osek, system.board
    assert osek is not None
    ticking = {c.counter.name for c in plan.counters}
    late: dict[str, Alarm] = {}  # counters that were not to tick, each with an alarm for which they do
    while True:  # once more for each such counter
        dealt = _deal(system, plan, busy, late, diagnostics)
        if dealt is None:
            return None
        queued = [a for a in dealt.queued if a.counter not in ticking]
        if not queued:
            break
        ticking.add(queued[0].counter)
        late[queued[0].counter] = queued[0]
    levels, carried, counters, reasons = dealt.levels, dealt.carried, dealt.counters, dealt.reasons
    if not plan.software:
        cells = {c.carrier.source for c in counters} | {c.carrier.source for c in carried}
        cells |= {dealt.base.source} if dealt.base is not None else set()
        spare = _spare_sources(board, plan.taken | busy | frozenset(cells))
        for k, level in enumerate(levels):
            if level.source == 0:
                if not spare:
                    diagnostics.error(
                        "C161",
                        level.tasks[0].span,
                        f"board '{board.name}' has no interrupt source to spare for priority {level.tasks[0].priority}",
                        'give tasks the same priority, use dispatch = "software", or choose a board with more sources',
                    )
                    return None
                levels[k] = TaskLevel(level.number, level.tasks, spare.pop(0), level.capacity, level.kind)
    dispatcher = board.dispatcher_source
    if plan.software and dispatcher is None and board.dispatch == "hardware":
        dispatcher = next(iter(_spare_sources(board, plan.taken | busy)), None)
    isrs = tuple((isr, plan.isr_levels[isr.name]) for isr in osek.isrs)
    allocation = OsekAllocation(
        osek,
        tuple(levels),
        isrs,
        plan.top,
        plan.all,
        plan.software,
        dispatcher or 0 if plan.software else 0,
        counters,
        tuple(carried),
        _ceilings(osek, levels, dict(plan.isr_levels)),
        tuple(reasons),
        plan.clock,
        plan.slices,
        dealt.base,
    )
    _warn_of_lost_ticks(system, allocation, diagnostics)
    return allocation


def _warn_of_lost_ticks(system: System, allocation: OsekAllocation, diagnostics: Diagnostics) -> None:
    """C196 for each ticking counter, and the periodic clock, that the rounds' tasks hold back for longer than is counted."""
    stretch = longest_stretch(system)
    if not stretch:
        return
    ticking = [
        (
            f"counter '{c.counter.name}'",
            c.counter.span,
            c.counter.tick,
            max(allocation.held(c.counter), 1) * c.counter.tick,
            "leave a cell for a time base" if allocation.base is None else "choose a board whose time base counts further",
        )
        for c in allocation.counters
    ]
    clock = allocation.clock
    if clock is not None and clock.services.clock is ClockKind.PERIODIC:
        tick = int(clock.tick)
        ticking.append(("the periodic clock", clock.services.span, tick, tick, 'take clock = "one-shot" or "compare"'))
    for what, span, tick, counted, remedy in ticking:
        if stretch > counted:
            diagnostics.warning(
                "C196",
                span,
                f"{what} loses ticks: tasks of the rounds hold its tick of {format_duration(tick, system.clock_hz)} back for up "
                f"to {format_duration(stretch, system.clock_hz)}, and {format_duration(counted, system.clock_hz)} is counted",
                f"{remedy}, lengthen the tick, or shorten the tasks' stretch",
            )


@dataclass(frozen=True, slots=True)
class _Deal:
    """The cells of counters and alarms; ``queued``: the alarms that could have had a cell and got none."""

    counters: tuple[CounterCell, ...]
    levels: list[TaskLevel]
    carried: list[AlarmCell]
    queued: list[Alarm]
    reasons: list[str]
    base: Base | None


def _deal(system: System, plan: OsekPlan, busy: frozenset[int], late: dict[str, Alarm], diagnostics: Diagnostics) -> _Deal | None:
    """Deal out the cells that are left: to the counters of ``late``, the time base, then to alarms; None after C185."""
    osek, board = system.osek, system.board
    assert osek is not None
    fitter = Fitter(board, system.clock_hz)
    free = cell_sources(board, plan.taken | busy)
    counters = list(plan.counters)
    if late:
        free = _least_capable(board, set(plan.taken | busy))
        for name, alarm in late.items():
            counter = osek.counter(name)
            found = _counter_cell(fitter, free, counter, plan.top)
            if found is None:
                diagnostics.error(
                    "C185",
                    alarm.span,
                    f"board '{board.name}' has no cell left for alarm '{alarm.name}', nor one that ticks its counter "
                    f"'{name}' every {counter.tick} ticks",
                    "use fewer cells for other alarms, counters or the rounds' tasks, or choose a board with more cells",
                )
                return None
            counters.append(found)
        left = {s.number for s in free}
        free = [s for s in cell_sources(board, plan.taken | busy) if s.number in left]
    ticks = [c.counter.tick for c in counters]
    base = choose_base(board, system.clock_hz, ticks, free) if ticks else None
    levels = list(plan.levels)
    carried: list[AlarmCell] = []
    queued: list[Alarm] = []
    reasons: list[str] = []
    wanted = [] if plan.conventional else [a for a in osek.alarms if _fits_a_cell(osek, a)]
    # Activations of direct tasks first: their cells run no code at all.
    wanted.sort(key=lambda a: _direct_level(levels, a) is None)
    for alarm in wanted:
        counter = osek.counter(alarm.counter)
        assert alarm.autostart is not None
        progression = Progression(alarm.autostart.time * counter.tick, alarm.autostart.cycle * counter.tick)
        direct = _direct_level(levels, alarm)
        taken = take_cell(fitter, free, progression, readable=True, pended=direct is not None)
        if taken is None:
            reasons.append(f"alarm {alarm.name} is carried by the queue of counter {counter.name}: no cell is left that can")
            queued.append(alarm)
            continue
        source, use = taken
        own = _own_level(plan, levels, alarm, carried)
        number = levels[direct].number if direct is not None else own or plan.top
        carrier = _carrier(alarm.name, source, use, progression, number, alarm.span)
        carried.append(AlarmCell(alarm, carrier, direct is not None, own, own > 0 and _runs_level(plan, osek, levels[own - 1])))
        if direct is not None:
            old = levels[direct]
            levels[direct] = TaskLevel(old.number, old.tasks, source.number, old.capacity, old.kind, carrier)
    return _Deal(tuple(counters), levels, carried, queued, reasons, base)


def _counter_cell(fitter: Fitter, free: list[Source], counter: Counter, level: int) -> CounterCell | None:
    """Take a cell that ticks a counter; None if none can."""
    progression = Progression(counter.tick, counter.tick)
    found = take_cell(fitter, free, progression, readable=False, pended=False)
    if found is None:
        return None
    return CounterCell(counter, _carrier(counter.name, *found, progression, level, counter.span))


def _isr_levels(osek: Osek, tasks: int, services: bool) -> tuple[dict[str, int], int, int]:
    """The level of each ISR, of the kernel's lock, and the highest."""
    result: dict[str, int] = {}
    level = tasks
    second = [i for i in osek.isrs if i.category == 2]
    for priority in sorted({i.priority for i in second}):
        level += 1
        result.update({i.name: level for i in second if i.priority == priority})
    kernel = services or any(c.kind is CounterKind.HARDWARE for c in osek.counters)
    if not second and kernel:
        level += 1
    top = level
    first = [i for i in osek.isrs if i.category == 1]
    for priority in sorted({i.priority for i in first}):
        level += 1
        result.update({i.name: level for i in first if i.priority == priority})
    return result, top, level


def _too_many_levels(system: System, tasks: int, used: int, room: int, software: bool, diagnostics: Diagnostics) -> None:
    osek, board = system.osek, system.board
    assert osek is not None
    beyond = used - room
    isrs = sorted((i for i in osek.isrs), key=lambda i: (i.category == 1, i.priority))
    where = isrs[-1].span if isrs else sorted(osek.tasks, key=lambda t: t.priority)[-1].span
    what = f"{tasks} task priorities and " if not software else "the dispatcher and "
    kept = ", the highest of which cannot be masked" if board.unmaskable_levels else ""
    diagnostics.error(
        "C160",
        where,
        f"{what}the ISRs need {used} levels, and board '{board.name}' has {board.levels}{kept}",
        f"use {beyond} priorities fewer" + ("" if software else ', or dispatch = "software"') + ", or a board with more levels",
    )


def _is_direct(system: System, osek: Osek, tasks: tuple[OsekTask, ...]) -> bool:
    """Whether a level's one task asks for nothing but its vector.

    In mixed mode none is: chaining a higher task from a direct one masks every interrupt for some instructions, and
    no time-triggered task may wait for the event-triggered system.
    """
    if system.modes or osek.status is Status.EXTENDED or len(tasks) > 1:
        return False
    task = tasks[0]
    hooks = osek.hooks & {Hook.ERROR, Hook.PRETASK, Hook.POSTTASK}
    internal = any(osek.resource(r).property is Property.INTERNAL for r in task.resources if r != RES_SCHEDULER)
    return not (hooks or task.extended or task.activations > 1 or not task.preemptable or internal)


def _cell_alarm(osek: Osek, task: OsekTask) -> Alarm | None:
    return next(
        (a for a in osek.alarms if a.action == ActivateTask(task.name) and _fits_a_cell(osek, a)),
        None,
    )


def _fits_a_cell(osek: Osek, alarm: Alarm) -> bool:
    """Whether a cell can carry an alarm: set by every start, cyclic, on a counter of the hardware.

    A cell that is held back for longer than a cycle keeps one expiry of several.  Activations that are too many are lost by
    the standard's own rule, and an event is set but once; calls and counts are not to be lost, and need a tick that catches up.
    """
    if isinstance(alarm.action, (Callback, IncrementCounter)):
        return False
    start = alarm.autostart
    if start is None or start.cycle == 0 or set(start.modes) != set(osek.modes):
        return False
    counter = osek.counter(alarm.counter)
    return counter.kind is CounterKind.HARDWARE and start.time > 0


def _direct_level(levels: list[TaskLevel], alarm: Alarm) -> int | None:
    """The level whose direct task the alarm activates and which has no cell yet."""
    if not isinstance(alarm.action, ActivateTask):
        return None
    for k, level in enumerate(levels):
        if level.kind is TaskKind.DIRECT and level.cell is None and level.tasks[0].name == alarm.action.task:
            return k
    return None


def _own_level(plan: OsekPlan, levels: list[TaskLevel], alarm: Alarm, carried: list[AlarmCell]) -> int:
    """The level of the managed task that an alarm's handler wakes, if the handler may have that level; otherwise 0.

    There the handler takes nothing from higher tasks, and they hold it back.  That may be for so long that the cell expires
    again, so no activation that counts may be lost, and several cells may expire in one order and be served in another, so
    all of a level do the same to the same task.  Threads of a level take turns, and nobody serves cells then.
    """
    if plan.software or not isinstance(alarm.action, ActivateTask | SetEvent):
        return 0
    task = next(t for x in levels for t in x.tasks if t.name == alarm.action.task)
    level = next(x for x in levels if task in x.tasks)
    if level.kind is not TaskKind.MANAGED or task.activations > 1 or any(t.thread for t in level.tasks):
        return 0

    def does(it: Alarm) -> tuple[type, str]:
        assert isinstance(it.action, ActivateTask | SetEvent)
        return type(it.action), it.action.task

    others = [it.alarm for it in carried if it.level == level.number]
    return level.number if all(does(it) == does(alarm) for it in others) else 0


def _runs_level(plan: OsekPlan, osek: Osek, level: TaskLevel) -> bool:
    """Whether the handler of an alarm that has its task's level goes on as that level's handler.

    Not where a queue of activations says which task is next, nor where the kernel asks for the level's own source: for task
    hooks and for slices.
    """
    return not level.capacity and not osek.hooks & {Hook.PRETASK, Hook.POSTTASK} and plan.slices is None


def _needs_tick(board: Board, osek: Osek, counter: Counter) -> bool:
    """Whether an alarm of the counter stands in its queue: it may be set at run time, or no cell of the board can carry it."""
    readable = any(Role.CONTROL in array.roles for array in board.cells)
    return any(a.counter == counter.name and not (a.static and readable and _fits_a_cell(osek, a)) for a in osek.alarms)


def _counter_cells(
    system: System, osek: Osek, top: int, taken: set[int], diagnostics: Diagnostics, conventional: bool
) -> tuple[CounterCell, ...] | None:
    """A cell for each hardware counter that has an alarm which may be set at run time, the least capable that can."""
    fitter = Fitter(system.board, system.clock_hz)
    free = _least_capable(system.board, taken)
    result = []
    for counter in osek.counters:
        if counter.kind is not CounterKind.HARDWARE or not (conventional or _needs_tick(system.board, osek, counter)):
            continue
        if not any(a.counter == counter.name for a in osek.alarms):
            continue
        found = _counter_cell(fitter, free, counter, top)
        if found is None:
            diagnostics.error(
                "C162",
                counter.span,
                f"no cell of board '{system.board.name}' can tick counter '{counter.name}' every {counter.tick} ticks",
                "choose another tick, or a board with more cells",
            )
            return None
        result.append(found)
    return tuple(result)


def _ticking(system: System, services: TimeServices) -> TimeServices:
    """The time services of a conventional kernel: on a tick, of a millisecond if the schedule has none."""
    tick = services.tick if services.tick is not None else max(1, system.clock_hz // 1000)
    return replace(services, clock=ClockKind.PERIODIC, tick=tick)


def _clock_cell(system: System, services: TimeServices, top: int, taken: set[int], diagnostics: Diagnostics) -> ClockCell | None:
    """The cell of the time services' clock, the least capable that can; None after C171, C172 or C178."""
    board, kind = system.board, services.clock
    fitter = Fitter(board, system.clock_hz, ticks=True)
    free = _least_capable(board, taken, Service.CLOCK)
    clock = None
    if kind is ClockKind.PERIODIC:
        assert services.tick is not None
        progression = Progression(services.tick, services.tick)
        found = take_cell(fitter, free, progression, readable=False, pended=False)
        if found is not None:
            carrier = _carrier("clock", *found, progression, top, services.span)
            clock = ClockCell(services, carrier, Driver(), Fraction(services.tick))
    else:
        able = [s for s in free if kind in s.array.clocks]
        gentle = [s for s in able if not (system.modes and s.array.clocks[kind].locks)]
        if able and not gentle:
            diagnostics.error(
                "C178",
                services.spans["clock"],
                f"setting a {kind.value} clock on board '{board.name}' locks interrupts, for which the rounds' tasks would wait",
                'use a clock that is set by nobody: clock = "periodic", with a tick',
            )
            return None
        clock = counting_cell(system, services, top, gentle)
    if clock is None:
        diagnostics.error("C171", *_no_clock(system, services))
        return None
    most = longest_without_laps(services.bits, clock.latest)
    if clock.longest is not None and clock.longest > most:
        diagnostics.error(
            "C172",
            services.spans["longest"],
            f"the longest time, {clock.longest} ticks of the clock, is more than the {most} that {services.bits} bits can hold",
            "leave 'longest' out: then times may be of any length, for a little more code and memory"
            + (", or write bits = 32" if services.bits == 16 else ", or choose a longer tick"),
        )
        return None
    return clock


def _no_clock(system: System, services: TimeServices) -> tuple[Span, str, str]:
    """Where, why and what would be right, if no cell can be the clock."""
    board, kind = system.board, services.clock
    nobody = f"no free cell of board '{board.name}' can"
    if not _can_be(board, kind):
        narrow = [a for a in board.cells if kind in a.family.clock]
        if narrow:
            array, bits = narrow[0], narrow[0].family.clock[kind].bits
            nobody = f"the {array.family.name} cells of board '{board.name}' are too narrow, {array.width} bits of {bits}, to"
        fitting = [f'"{k.value}"' for k in ClockKind if k is not kind and _can_be(board, k)]
        return services.spans["clock"], f"{nobody} be a {kind.value} clock", f"write clock = {' or '.join(fitting)}"
    tick = _duration(services.tick, system) if services.tick is not None else ""
    if kind is ClockKind.PERIODIC:
        return services.spans["tick"], f"{nobody} tick every {tick}", "choose another tick, or a board with more cells"
    if tick:
        remedy = "choose another tick, or none: then it is what the timer counts"
        return services.spans["tick"], f"{nobody} be a {kind.value} clock that counts units of {tick}", remedy
    return services.spans["clock"], f"{nobody} be a {kind.value} clock", "choose a board with more cells"


def _duration(ticks: int, system: System) -> str:
    return f"{ticks} tick{'s' if ticks != 1 else ''} ({format_duration(ticks, system.clock_hz)})"


def _can_be(board: Board, kind: ClockKind) -> bool:
    """Whether the board has cells that can be a clock of this kind."""
    if kind is ClockKind.PERIODIC:
        return any(Role.ACTIVATION in a.roles for a in board.cells)
    return any(kind in a.clocks for a in board.cells)


def counting_cell(system: System, services: TimeServices, top: int, free: list[Source]) -> ClockCell | None:
    """A cell that counts units of the tick, or its own if there is none, for a one-shot or a compare clock."""
    board = system.board
    free = sorted(free, key=lambda s: s.array.hz is not None)  # the schedule's own ticks, if it does not matter
    for source in free:
        array = source.array
        driver = array.clocks[services.clock]
        if driver.requests and source.number < board.request_base:
            continue
        for prescaler in array.prescalers:
            unit = 1 / array.units(1, system.clock_hz, prescaler)
            if services.tick is not None and unit != services.tick:
                continue
            period = unit * (1 << driver.bits)
            if period.denominator != 1:
                continue
            # It starts with a whole range ahead.
            progression = Progression(int(period) - board.lead_at(system.clock_hz), int(period))
            cell = Cell(array, source.slots(Role.ACTIVATION)[0], array.needed(Role.ACTIVATION))
            use = CellUse(cell, progression, prescaler, array.units(1, system.clock_hz, prescaler))
            return ClockCell(services, _carrier("clock", source, use, progression, top, services.span), driver, unit)
    return None


def _slice_cell(system: System, services: TimeServices, top: int, taken: set[int], diagnostics: Diagnostics) -> Carrier | None:
    """The cell that ends the slices of threads; None after C174."""
    assert services.slice is not None
    fitter = Fitter(system.board, system.clock_hz, ticks=True)
    free = _least_capable(system.board, taken, Service.SLICES)
    progression = Progression(services.slice, services.slice)
    found = take_cell(fitter, free, progression, readable=False, pended=False)
    if found is None:
        diagnostics.error(
            "C174",
            services.spans["slice"],
            f"no free cell of board '{system.board.name}' can end slices of {_duration(services.slice, system)}",
            "choose another slice, or a board with more cells",
        )
        return None
    return _carrier("slices", *found, progression, top, services.span)


def _carrier(name: str, source: Source, use: CellUse, progression: Progression, level: int, span: Span) -> Carrier:
    point = ExpiryPoint(progression.offset, Activate(name), progression.offset, span)
    return Carrier(Demand(Activate(name), (point,), True, True), source.number, (use,), Style.DIRECT, level, False)


def cell_sources(board: Board, taken: frozenset[int]) -> list[Source]:
    """Sources with cells, without 0, which where the virtual board numbers them means that nothing runs."""
    return [s for group in source_classes(board, taken | {0}) for s in group.sources]


def _least_capable(board: Board, taken: set[int], service: Service | None = None) -> list[Source]:
    """Free sources with cells: those that the board keeps for a service, then the least capable."""
    free = cell_sources(board, frozenset(taken))
    free.sort(key=lambda s: (s.array.prefer is not service, len(s.array.roles), s.array.rearm.value != "none"))
    return free


def take_cell(
    fitter: Fitter, free: list[Source], progression: Progression, *, readable: bool, pended: bool
) -> tuple[Source, CellUse] | None:
    """Take the first source whose first cell keeps the progression.

    ``readable``: the kernel reads its counter and stops it, as it can with those that can be a control cell.
    ``pended``: software requests its source too, which the controller must be able to.
    """
    for source in free:
        array = source.array
        if Role.ACTIVATION not in array.roles or (readable and Role.CONTROL not in array.roles):
            continue
        if pended and source.number < fitter.board.request_base:
            continue
        answer = fitter.direct(array, progression)
        if isinstance(answer, int):
            mates = fitter.board.mates([source.number])
            free[:] = [s for s in free if s.number not in mates]
            cell = Cell(array, source.slots(Role.ACTIVATION)[0], array.needed(Role.ACTIVATION))
            return source, CellUse(cell, progression, answer, array.units(1, fitter.clock_hz, answer))
    return None


def _spare_sources(board: Board, taken: frozenset[int]) -> list[int]:
    """Sources that tasks may have: those that no device of the application uses, then cells' that nobody uses."""
    named = [s for s in board.application_sources.values() if s not in taken]
    spare = [s for s in board.software_sources if s not in taken]
    return [*spare, *(s for s in named if s not in spare and s != 0)]


def _ceilings(osek: Osek, levels: list[TaskLevel], isr_levels: dict[str, int]) -> dict[str, int]:
    """The ceiling of every resource: the highest level of those that take it, or what it is linked to."""
    own = {task.name: level.number for level in levels for task in level.tasks}
    highest = max((level.number for level in levels), default=0)
    ceilings = {RES_SCHEDULER: highest}
    behind: dict[str, list[int]] = {}
    users = [(task.resources, own[task.name]) for task in osek.tasks]
    users += [(isr.resources, isr_levels[isr.name]) for isr in osek.isrs]
    for names, level in users:
        for name in names:
            if name != RES_SCHEDULER:
                behind.setdefault(osek.resource(name).name, []).append(level)
    for resource in osek.resources:
        if resource.name != RES_SCHEDULER:
            ceilings[resource.name] = max(behind.get(osek.resource(resource.name).name, [0]))
    return ceilings
