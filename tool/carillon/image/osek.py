# SPDX-License-Identifier: Apache-2.0
"""The levels of event-triggered tasks: the cells that services serve, and the ends of tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from carillon.actions.every import of
from carillon.allocate.clock import ClockCell
from carillon.allocate.osek import OsekAllocation, TaskKind, TaskLevel
from carillon.allocate.result import Carrier
from carillon.image import DirectTask, EventCall, EventHandler, OsekImage, ServedLevel, Unsigned, Value, names
from carillon.image.levels import controlled
from carillon.lower.events import Series
from carillon.model.board import Board
from carillon.model.family import Capability
from carillon.model.osek import ActivateTask, Alarm, SetEvent
from carillon.model.time import ClockKind, TimedKind

GUARD_WORDS = 4
"""Words of eight bytes below a stack that is checked (``CARILLON_OSEK_GUARD``): an overflow into them is found."""
INTERRUPT_LOCKS = ("disabled", "all suspended", "OS suspended")
"""The locks behind those of the resources (``kernel/contract/osek.h``)."""
NO_CELL = 0xFFFF
"""Stands for the source of a task's end that takes nothing back."""


def with_levels(osek: OsekImage, microcode: bool, board: Board) -> OsekImage:
    """The image with what stands on the levels of tasks; ``microcode``: the machine's tick ends slices."""
    served = _served_levels(osek)
    direct = _direct_tasks(osek, served, board.handlers == "own")
    osek = replace(osek, slices_rest=_slices_rest(osek, board))
    folded, contexts = _folded(osek.allocation, direct), _contexts(osek.allocation)
    return replace(osek, served=served, direct=direct, handlers=_handlers(osek, microcode), folded=folded, contexts=contexts)


def _level_call(osek: OsekImage, carrier: Carrier) -> EventCall:
    """The call, at a task's level, of an alarm's cell or of a cell with a schedule table's points."""
    model, cell, runs, whose = osek.model, osek.cell(carrier), carrier.level if carrier.runs_level else 0, carrier.demand.whose
    source = Unsigned(carrier.source)
    if isinstance(whose, Alarm):
        number = Unsigned(model.alarms.index(whose))
        return EventCall(cell, "carillon_osek_level_alarm", (number,), runs, (number, source))
    assert isinstance(whose, Series) and whose.action is not None
    task = Unsigned([t.name for t in model.tasks].index(whose.action.object))
    event = model.event(whose.action.event).mask if isinstance(whose.action, SetEvent) else 0
    what = (f"CARILLON_ACTION_{of(whose.action).constant}", task, f"{event:#x}u")
    return EventCall(cell, "carillon_osek_level_point", what, runs, (source,))


def _only_direct(allocation: OsekAllocation, number: int) -> Value:
    """The direct task that a cursor activates and does nothing else; INVALID_TASK if there is none."""
    actions = {a for step in allocation.cursors[number].steps for a in step.actions}
    direct = {t.name for level in allocation.levels if level.kind is TaskKind.DIRECT for t in level.tasks}
    if len(actions) != 1 or not all(isinstance(a, ActivateTask) and a.object in direct for a in actions):
        return "INVALID_TASK"
    return Unsigned([t.name for t in allocation.osek.tasks].index(actions.pop().object))


def _handlers(osek: OsekImage, microcode: bool) -> tuple[EventHandler, ...]:
    """The handlers of all cells of the event-triggered system, unless they are functions of the kernel."""
    allocation, model = osek.allocation, osek.model
    handlers, pauses = [], model.budgets
    lone = allocation.lone
    for part in allocation.counters:
        only = allocation.only_alarm(part)
        alarm = Unsigned(model.alarms.index(only)) if only is not None else "CARILLON_OSEK_NO_ALARM"
        function = "carillon_osek_level_tick" if part.task_level else "carillon_osek_tick_over"
        call = EventCall(osek.cell(part) if part.cells else None, function, (Unsigned(part.part), alarm))
        if part.part in lone:
            cursor = Unsigned(lone[part.part])
            what = (cursor, _only_direct(allocation, lone[part.part])) if part.task_level else (cursor,)
            call = EventCall(call.cell, function.replace("_osek_", "_osek_lone_"), (Unsigned(part.part), *what))
        by = names.part(allocation, allocation.first_part(part))
        requests = tuple((p.part, p.source) for p in allocation.requested(part))
        leads = ((part.source, part.demand.name),)
        handlers.append(EventHandler(names.part(allocation, part), leads, (call,), pauses, requests=requests, by=by))
    own = [[it] for it in allocation.alarms if not it[1].direct and it[1].source not in allocation.joined]
    for alarms in (*own, *allocation.joined.values()):
        calls = (_expired(osek, a, c) if len(alarms) > 1 or not c.task_level else _level_call(osek, c) for a, c in alarms)
        leads = ((alarms[0][1].source, " and ".join(alarm.name for alarm, _ in alarms)),)
        handlers.append(EventHandler(names.alarm(allocation, *alarms[0]), leads, tuple(calls), pauses))
    tables: dict[str, list[tuple[Series, Carrier]]] = {}
    for series, carrier in allocation.handled:
        answers = carrier.cells[0].cell.array.acknowledge  # what a handler answers is its own cell
        tables.setdefault(names.point(series, answers), []).append((series, carrier))
    for name, its in tables.items():
        (series, carrier), *others = its
        number = Unsigned(model.schedule_tables.index(series.table))
        end = EventCall(osek.cell(carrier), f"carillon_osek_{series.part}_table", (number,))
        call = end if series.action is None else _level_call(osek, carrier)
        sources = tuple((c.source, s.name) for s, c in its)
        handlers.append(EventHandler(name, sources, (call,), pauses, tuple(osek.cell(other) for _, other in others)))
    return (*handlers, *_services(osek, microcode))


def _services(osek: OsekImage, microcode: bool) -> Iterator[EventHandler]:
    """The handlers of the clock, of slices, of budgets and of time frames."""
    allocation, time = osek.allocation, "carillon/time.h"
    clock, slices, budgets, frames = allocation.clock, allocation.slices, allocation.budgets, allocation.frames
    if clock is not None and osek.tick_frame is None and is_wrapped(clock):
        function, header = (TICK, "kernel/time/due_steps.h") if has_tick(clock) else (serve(clock), time)
        call = EventCall(osek.cell(clock.carrier), function, ())
        leads = ((clock.carrier.source, clock.carrier.demand.name),)
        yield EventHandler("carillon_clock_vector", leads, (call,), budgets is not None and has_tick(clock), header=header)
    looks = (EventCall(None, "carillon_slices_look", ()),) * (osek.slices_rest and not allocation.software)
    if slices is not None and allocation.software:
        call = EventCall(osek.cell(slices), "carillon_slice_over", ("NULL",))
        yield EventHandler("carillon_slice_timer", ((slices.source, slices.demand.name),), (*looks, call), False, header=time)
    elif slices is not None:
        cell = osek.cell(slices) if not allocation.wakes else None  # the clock's own operations acknowledge it
        below = [level for level in allocation.sliced if allocation.turns[level] != slices.source]
        done: list[tuple[str, tuple[Value, ...]]] = [("carillon_slice_over_below", (Unsigned(level),)) for level in below]
        if microcode or slices.source in allocation.turns.values():
            done.append(("carillon_microcode_tick" if microcode else "carillon_slice_over", ("frame",)))
        cells = [*[None] * (len(done) - 1), cell]
        calls = (*looks, *(EventCall(own, *call) for own, call in zip(cells, done, strict=True)))
        ends = slices.source in allocation.turns.values() and not allocation.wakes
        leads = ((slices.source, "slices" if ends else slices.demand.name),)
        header = "kernel/microcode/tasks.h" if microcode else time
        if len(done) > len(below):
            yield EventHandler("carillon_slice_vector", leads, calls, False, vector="carillon_port_slice_vector", header=header)
        else:  # it asks for what makes threads give way, and preempts none that does
            yield EventHandler("carillon_slice_timer", leads, calls, False, header=header)
    if budgets is not None:
        call = EventCall(osek.cell(budgets), "carillon_budget_strikes", ("frame",))
        leads = ((budgets.source, budgets.demand.name),)
        yield EventHandler("carillon_budget_vector", leads, (call,), False, vector="carillon_port_budget_vector")
    shared, each = allocation.round_budgets, allocation.task_budgets
    rounds = [shared] if shared is not None else list(each.values())
    if rounds:
        kind = "task" if each else "round"
        call = EventCall(osek.cell(rounds[0]), f"carillon_{kind}_budget_strikes", ("frame",))
        sources, header = tuple((it.source, it.demand.name) for it in rounds), f"kernel/core/{kind}_budget.h"
        vector = "carillon_port_round_budget_vector"
        yield EventHandler("carillon_round_budget_vector", sources, (call,), False, vector=vector, header=header)
    if frames is not None:
        call = EventCall(osek.cell(frames), "carillon_frame_turns", ())
        yield EventHandler("carillon_frame_vector", ((frames.source, frames.demand.name),), (call,), osek.model.budgets)


def _slices_rest(osek: OsekImage, board: Board) -> bool:
    """Whether the interrupt that ends slices can be disabled.

    The interrupt controller has it, it does nothing else, no other cell has its source, and its cell goes on without a handler: a
    match is moved by one.
    """
    allocation = osek.allocation
    slices, other = allocation.slices, allocation.machine or allocation.wakes or osek.model.servers
    if slices is None or other or not controlled(board, slices.source):
        return False
    cells = [cell for cell in osek.cells if cell.carrier.source == slices.source]
    return len(cells) == 1 and not (Capability.MATCH in cells[0].family.can and cells[0].use.cell.array.acknowledge)


TICK = "carillon_time_tick_inline"
"""The kernel's function that a handler of a clock's tick has in it: a call would be a third of the tick on ARMv6-M."""


def is_wrapped(clock: ClockCell) -> bool:
    """Whether the clock's handler is more than the kernel's function: a periodic clock's cell needs acknowledging."""
    return clock.services.clock is ClockKind.PERIODIC and clock.carrier.cells[0].cell.array.acknowledge


def has_tick(clock: ClockCell) -> bool:
    """Whether the clock's handler has the kernel's tick in it."""
    return clock.counted and is_wrapped(clock)


def serve(clock: ClockCell) -> str:
    """The kernel's function that serves the clock.  The clock's level masks everything else that uses the clock."""
    return "carillon_time_tick" if clock.counted else "carillon_clock_interrupt"


def _expired(osek: OsekImage, alarm: Alarm, carrier: Carrier) -> EventCall:
    return EventCall(osek.cell(carrier), "carillon_osek_alarm_expired", (Unsigned(osek.model.alarms.index(alarm)),))


def _served_levels(osek: OsekImage) -> tuple[ServedLevel, ...]:
    """The levels with cells that services serve, from the lowest up."""
    allocation, served = osek.allocation, []
    counters = {part.level: part for part in allocation.counters if part.task_level}
    for level in sorted({it.level for it in allocation.at_levels} | counters.keys()):
        carriers = [it for it in allocation.at_levels if it.level == level]
        cells = tuple(_level_call(osek, it) for it in carriers)
        part = counters.get(level)
        carriers += [part] if part is not None else []
        if part is not None and not part.cells:  # the handler that requests the part may itself be held back
            carriers.append(allocation.first_part(part))
        served.append(ServedLevel(level, part, cells, tuple(carrier.source for carrier in carriers)))
    return tuple(served)


def _direct_tasks(osek: OsekImage, served: tuple[ServedLevel, ...], own: bool) -> tuple[DirectTask, ...]:
    """The tasks that are their vectors; ``own``: handlers of this board are functions of a kind of their own."""
    levels, direct = {it.level for it in served}, []
    for level in (x for x in osek.allocation.levels if x.kind is TaskKind.DIRECT):
        cell = osek.cell(level.cell) if level.cell is not None else None
        asks = cell if cell is not None and cell.use.cell.array.acknowledge else None
        back = cell is not None and level.tasks[0].guarded
        body = own and asks is None and level.number not in levels
        direct.append(DirectTask(level, asks, level.number in levels, back, body))
    return tuple(direct)


def _contexts(allocation: OsekAllocation) -> dict[int, tuple[str, int]]:
    """The kind of each source, and its level: an ISR with its category, or a task that runs in its handler."""
    contexts = {isr.source: (f"ISR{isr.category}", level) for isr, level in allocation.isrs}
    contexts |= {carrier.source: ("ISR2", min(carrier.level, 255)) for carrier in allocation.carriers}  # a level has 8 bits
    contexts |= {source: ("ISR2", level + 1) for level, source in allocation.turns.items()}
    contexts |= {it.source: ("TASK", it.level) for it in allocation.at_levels if it.runs_level}
    return contexts | {level.source: ("TASK", level.number) for level in allocation.levels if level.source}


def _lone_locker(allocation: OsekAllocation, level: TaskLevel) -> int:
    """The number of a level's task, plus 1, if that locks mutexes and is alone there; else 0."""
    task = level.tasks[0]
    return allocation.osek.tasks.index(task) + 1 if task.mutexes and not level.capacity else 0


def _folded(allocation: OsekAllocation, direct: tuple[DirectTask, ...]) -> dict[str, tuple[int, ...]]:
    """What is known of tasks where services are called; nothing with software dispatch, or without tasks."""
    if allocation.software or not allocation.osek.tasks:
        return {}
    tasks = [(task, allocation.level_of(task)) for task in allocation.osek.tasks]
    suspends = allocation.services is not None and TimedKind.SUSPENSION in allocation.services.uses
    ends = {it.level.number: it.level.source if it.takes_back and it.cell is None else NO_CELL for it in direct}
    return {
        # Whether an activation comes too early, or resumes a thread, is not looked at where a service is called.
        "known_tasks": tuple(
            int(not level.capacity and not task.time_frame and not (task.thread and suspends)) for task, level in tasks
        ),
        # A thread that locks mutexes may go on at another level than its own, which services in place do not know.
        "in_place": tuple(int(task.extended and not task.mutexes) for task, _ in tasks),
        "mutex_callers": (0, *(_lone_locker(allocation, level) for level in allocation.levels)),
        "known_levels": tuple(level.number for _, level in tasks),
        "direct_sources": tuple(level.source if level.kind is TaskKind.DIRECT else 0 for _, level in tasks),
        "direct_ends": tuple(ends.get(number, 0) for number in range(len(allocation.levels) + 1)),
        "known_requests": tuple(level.source for _, level in tasks),
    }
