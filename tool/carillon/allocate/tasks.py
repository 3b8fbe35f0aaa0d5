# SPDX-License-Identifier: Apache-2.0
"""The levels of the event-triggered system's tasks, ISRs and kernel, which no choice of cells changes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from carillon.allocate.explain import count
from carillon.allocate.groups import spare_sources
from carillon.allocate.osek import TaskKind, TaskLevel
from carillon.diagnostics import Diagnostics
from carillon.model import System
from carillon.model.keeper import budget_range, keeps_budgets, keeps_round_budgets, paused_by_a_store
from carillon.model.osek import RES_SCHEDULER, CounterKind, Dispatch, Hook, Isr, Osek, OsekTask, Property, Status

LONGEST_FRAME = (1 << 32) - 1
"""In ticks of the system clock."""


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """Levels, without sources; and the interrupt ``sources`` that the application itself has.

    ``top``, ``all``, ``software``, ``why``: as in :class:`~carillon.allocate.osek.OsekAllocation`.
    ``slices``: threads take turns.  ``served``: the levels of servers, whose threads rest when the budget is used up.
    ``controller_levels``: how many the controller has.
    """

    levels: tuple[TaskLevel, ...]
    isr_levels: dict[str, int]
    top: int
    all: int
    software: bool
    slices: bool
    sources: frozenset[int]
    budgets: bool = False
    served: tuple[int, ...] = ()
    why: str = ""
    controller_levels: int = 0

    @property
    def above_rounds(self) -> int:
        """The level of the cell that keeps the budgets of the rounds' tasks: the controller's highest."""
        return self.controller_levels + (len(self.levels) - 1 if self.software else 0)

    @property
    def hardware_levels(self) -> int:
        """How many of the controller's levels the system takes, from the lowest."""
        needed = self.all + self.budgets
        return needed - len(self.levels) + 1 if self.software else needed

    @property
    def turns(self) -> tuple[int, ...]:
        """The levels whose threads give way by interrupts just above them, from the highest down; none in software."""
        return tuple(sorted({*self.sliced, *self.served}, reverse=True)) if not self.software else ()

    @property
    def sliced(self) -> tuple[int, ...]:
        """The levels whose threads take turns, from the highest down."""
        return tuple(x.number for x in reversed(self.levels) if self.slices and x.is_shared_by_thread)

    @property
    def celled_turn(self) -> int:
        """The level whose threads give way by the interrupt of the cell of slices itself; 0 if none does.

        That is the highest whose threads take turns, unless a server's budget ends there, too.
        """
        return next((level for level in self.sliced[:1] if level not in self.served and not self.software), 0)

    @property
    def slice_level(self) -> int:
        """The level of the cell that ends slices.

        Just above the highest threads that take turns, so that the controller keeps its request while anything above them runs.
        """
        return self.sliced[0] + 1 if self.sliced and not self.software else self.top

    def level_of(self, task: str) -> TaskLevel:
        """The level of the task of that name."""
        return next(level for level in self.levels if any(t.name == task for t in level.tasks))

    def runs_level(self, osek: Osek, level: TaskLevel) -> bool:
        """Whether the handler of an alarm that has its task's level goes on as that level's handler.

        Not where a queue of activations says which task is next, nor where the kernel asks for the level's own source: for
        task hooks and where threads give way.
        """
        return not level.capacity and not osek.hooks & {Hook.PRETASK, Hook.POSTTASK} and not (self.slices or self.served)


def plan_tasks(system: System, diagnostics: Diagnostics, kernel: str = "carillon") -> TaskPlan | None:
    """Levels of tasks in the order of their priorities, and of ISRs above them; None after C160: the board has too few."""
    osek, board = system.osek, system.board
    assert osek is not None
    if system.bounded and not _keeps_round_budgets(system, kernel, diagnostics):
        return None
    if system.modes and board.nesting == "time" and _has_more_than_budgets(system):
        diagnostics.error(
            "C160",
            min([t.span for t in osek.tasks] or [system.modes[0].span]),
            f"board '{board.name}' has no priority levels, so that nothing keeps the event-triggered system below the rounds",
            "use rounds or an event-triggered system, not both, or choose a board with priority levels, such as ast1030-evb",
        )
        return None
    priorities = sorted({t.priority for t in osek.tasks})
    isr_levels, top, highest = _isr_levels(osek, len(priorities), system.time is not None)
    if osek.budgets and not _keeps_budgets(system, kernel, diagnostics):
        return None
    if osek.framed and not _keeps_frames(system, kernel, diagnostics):
        return None
    sources = frozenset({i.source for i in osek.isrs} | {i.source for i in system.interrupts})
    needed = highest + osek.celled_budgets  # the cell of budgets has a level of its own
    room = board.levels - board.unmaskable_levels
    software = kernel != "carillon" or osek.dispatch is Dispatch.SOFTWARE or board.dispatch == "software"
    software = software or osek.queued_budgets  # the dispatcher ends the jobs
    spare = len(spare_sources(board, sources))
    either = board.dispatch == "either" and not software and needed > 0  # 0: there is nothing to dispatch
    why = _keeps_from_hardware(system, needed, room, spare) if either else ""
    software = software or bool(why)
    used = needed - len(priorities) + 1 if software else needed
    if used > room:
        _too_many_levels(system, len(priorities), used, room, software, diagnostics)
        return None
    levels = []
    for number, priority in enumerate(priorities, 1):
        tasks = tuple(t for t in osek.tasks if t.priority == priority)
        several = len(tasks) > 1 or tasks[0].activations > 1 or tasks[0].server is not None
        capacity = sum(t.activations for t in tasks) if several else 0
        kind = TaskKind.DIRECT if not software and _is_direct(system, osek, tasks) else TaskKind.MANAGED
        levels.append(TaskLevel(number, tasks, 0, capacity, kind))
    slices = system.time is not None and system.time.slice is not None
    served = tuple(level.number for level in levels if level.tasks[0].server is not None)
    kept = osek.celled_budgets
    return TaskPlan(tuple(levels), isr_levels, top, highest, software, slices, sources, kept, served, why, board.levels)


def _has_more_than_budgets(system: System) -> bool:
    """Whether there is an event-triggered system beneath the rounds, and not a cell of their tasks' budgets alone."""
    osek = system.osek
    assert osek is not None
    return not system.bounded or any((osek.tasks, osek.isrs, osek.counters, osek.schedule_tables, system.time))


def _keeps_from_hardware(system: System, needed: int, room: int, spare: int) -> str:
    """Why a controller that dispatches few levels, and says of no handler whether it is active, cannot dispatch; or nothing."""
    osek, time = system.osek, system.time
    assert osek is not None
    priorities = len({t.priority for t in osek.tasks})
    reasons = (
        (bool(system.modes), "there are rounds, too"),
        (needed > room, f"the controller has {room} levels for them, and they take {needed}"),
        (priorities > spare, f"each of the {priorities} priorities needs a source, and the board has {spare} to spare"),
        (osek.celled_budgets, "there are execution budgets"),
        (bool(osek.hooks & {Hook.PRETASK, Hook.POSTTASK}), "there are hooks of tasks"),
        (time is not None and time.slice is not None, "threads take turns"),
        (any(t.server is not None for t in osek.tasks), "threads have a server"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def _keeps_budgets(system: System, kernel: str, diagnostics: Diagnostics) -> bool:
    """Whether budgets can be kept; else C184: another kernel, or the clock and rounds, or C188: a budget is too long."""
    assert system.osek is not None
    osek = system.osek
    queued, isrs = osek.queued_budgets, osek.bounded_isrs
    first = osek.bounded[0]
    kind = "a lock" if isinstance(first, OsekTask) and not first.budget else "an execution"
    whose = f"task '{first.name}' has {kind} budget" if isinstance(first, OsekTask) else f"ISR '{first.name}' has a budget"
    cells = "choose a board with a cell that can be read and set while it runs, such as ast1030-evb"
    cells = 'write budgets = "cell" in [osek]' if keeps_budgets(system.board) else cells
    own, alone = "build with Carillon's own kernel", "and the clock keeps those of tasks alone"
    reasons: list[tuple[bool, OsekTask | Isr, str, str]] = [
        (kernel != "carillon", first, f"{whose}, and budgets are not kept by the conventional kernel", own),
        (queued and bool(system.modes), first, f"{whose}, and budgets are not kept by the clock beneath rounds", cells),
    ]
    reasons += [(queued, isr, f"ISR '{isr.name}' has a budget, {alone}", cells) for isr in isrs]
    for holds, item, cause, remedy in reasons:
        if holds:
            diagnostics.error("C184", item.span, cause, f"leave the budget{'s' if item is first else ''} out, or {remedy}")
            return False
    if queued:
        return True  # how far the clock counts is known when it has a cell
    every: list[tuple[OsekTask | Isr, int, str, str]] = []
    every += [(t, t.timed, "the" if t.timed == t.budget else "a lock", "task") for t in osek.tasks]
    every += [(isr, isr.budget, "the", "ISR") for isr in isrs]
    longest = budget_range(system.board) // 2
    long = [it for it in every if it[1] > longest]
    for item, ticks, which, what in long:
        diagnostics.error(
            "C188",
            item.span,
            f"{which} budget of {what} '{item.name}', {ticks} ticks, is more than the {longest} that are counted",
            "shorten the budget, or choose a clock with longer ticks",
        )
    return not long


def budgets_apart(system: System) -> bool:
    """Whether each of the rounds' tasks with an execution budget may have a cell for it: no other task runs its function."""
    runs = Counter(task.entry for task in system.tasks)
    return paused_by_a_store(system.board) and all(runs[task.entry] == 1 for task in system.bounded)


def _keeps_round_budgets(system: System, kernel: str, diagnostics: Diagnostics) -> bool:
    """Whether budgets of the rounds' tasks can be kept; else C183, C184 or C188."""
    board, first = system.board, system.bounded[0]
    whose = f"task '{first.name}' of the rounds has an execution budget, and"
    if kernel != "carillon":
        cause = f"{whose} budgets are not kept by the conventional kernel"
        diagnostics.error("C184", first.span, cause, "leave the budget out, or build with Carillon's own kernel")
        return False
    most = budget_range(board, rounds=True)
    if not any(keeps_round_budgets(cells) for cells in board.cells):
        cause = f"{whose} no cell of board '{board.name}' can be read and set while it runs, and counts {most} ticks"
        diagnostics.error(
            "C183", first.span, cause, "leave the budget out, or choose a board with such a cell, such as ast1030-evb"
        )
        return False
    sound = True
    for task in system.bounded:
        if task.budget > (longest := most // 2):
            cause = f"the budget of task '{task.name}', {task.budget} ticks, is more than the {longest} that are counted"
            diagnostics.error("C188", task.span, cause, "shorten the budget, or choose a clock with longer ticks")
            sound = False
    return sound


def _keeps_frames(system: System, kernel: str, diagnostics: Diagnostics) -> bool:
    """Whether time frames can be kept; else C184: another kernel, or C188: a time frame is too long."""
    assert system.osek is not None
    framed = system.osek.framed
    if kernel != "carillon":
        diagnostics.error(
            "C184",
            framed[0].span,
            f"'{framed[0].name}' has a time frame, and time frames are not kept by the conventional kernel",
            "leave the time frames out, or build with Carillon's own kernel",
        )
        return False
    long = [task for task in framed if task.time_frame > LONGEST_FRAME]
    for task in long:
        diagnostics.error(
            "C188",
            task.span,
            f"the time frame of '{task.name}', {task.time_frame} ticks, is more than the {LONGEST_FRAME} that are counted",
            "shorten the time frame, or choose a clock with longer ticks",
        )
    return not long


def _isr_levels(osek: Osek, tasks: int, services: bool) -> tuple[dict[str, int], int, int]:
    """The level of each ISR, of the kernel's lock, and the highest."""
    result: dict[str, int] = {}
    level = tasks
    second = [i for i in osek.isrs if i.category == 2]
    for priority in sorted({i.priority for i in second}):
        level += 1
        result.update({i.name: level for i in second if i.priority == priority})
    kernel = services or bool(osek.framed) or any(c.kind is CounterKind.HARDWARE for c in osek.counters)
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
    needed = f"{tasks} task priorities and " if not software else "the dispatcher and "
    kept = ", the highest of which cannot be masked" if board.unmaskable_levels else ""
    diagnostics.error(
        "C160",
        where,
        f"{needed}the ISRs need {used} levels, and board '{board.name}' has {board.levels}{kept}",
        f"give {'ISRs' if software else 'tasks or ISRs'} the same priority, to save {count(beyond, 'level')}"
        + (', or use dispatch = "software"' if not software and used - tasks < room else "")
        + ", or choose a board with more levels, such as stm32f4-discovery",
    )


def _is_direct(system: System, osek: Osek, tasks: tuple[OsekTask, ...]) -> bool:
    """Whether a level's one task asks for nothing but its vector.

    In mixed mode none is: chaining a higher task from a direct one masks every interrupt for some instructions, and
    no time-triggered task may wait for the event-triggered system.
    """
    if system.modes or osek.status is Status.EXTENDED or len(tasks) > 1 or osek.budgets or osek.servers:
        return False
    if system.board.dispatch != "hardware":
        return False  # nobody can be asked whether its handler runs
    task = tasks[0]
    if sum(len(t.series(a)) for t in osek.schedule_tables if t.cells for a in t.actions if a.object == task.name) > 1:
        return False  # several cells activate the task, and its vector is the source of only one
    hooks = osek.hooks & {Hook.ERROR, Hook.PRETASK, Hook.POSTTASK}
    internal = any(osek.resource(r).property is Property.INTERNAL for r in task.resources if r != RES_SCHEDULER)
    return not (task.time_frame or hooks or task.extended or task.activations > 1 or not task.preemptable or internal)


def ceilings(osek: Osek, levels: list[TaskLevel], isr_levels: dict[str, int]) -> dict[str, int]:
    """The ceiling of every resource: the highest level of the tasks and ISRs that use it, or a resource linked to it.

    A thread that holds a mutex may go on at the mutex's ceiling, above another one that has taken the resource.
    """
    task_levels = {task.name: level.number for level in levels for task in level.tasks}
    highest = max((level.number for level in levels), default=0)
    ceilings = {RES_SCHEDULER: highest}
    behind: dict[str, list[int]] = {}
    mutexes = {m.name: max(task_levels[task.name] for task in osek.lockers(m.name)) for m in osek.mutexes}
    users = [(t.resources, max([task_levels[t.name], *(mutexes[m] for m in t.mutexes)])) for t in osek.tasks]
    users += [(isr.resources, isr_levels[isr.name]) for isr in osek.isrs]
    for names, level in users:
        for name in names:
            if name != RES_SCHEDULER:
                behind.setdefault(osek.resource(name).name, []).append(level)
    for resource in osek.resources:
        if resource.name != RES_SCHEDULER:
            ceilings[resource.name] = max(behind.get(osek.resource(resource.name).name, [0]))
    return ceilings
