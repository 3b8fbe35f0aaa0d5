# SPDX-License-Identifier: Apache-2.0
"""The order of the event-triggered system's levels, and the interrupts at the levels of the tasks that they wake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from carillon.diagnostics import Span
from carillon.model.osek import ActivateTask, Alarm, ScheduleTable, SetEvent
from carillon.verify.controllers import named
from carillon.verify.meaning import Step

if TYPE_CHECKING:
    from carillon.verify.events import Events
    from carillon.verify.service import Service

KERNELS_OWN = {"counter", "alarm", "joined", "point", "half", "end", "adjust", "clock", "frames"}
"""What the kernel's own interrupts serve, which are at one level."""


def check_order(events: Events) -> None:
    """Check the order: higher priority, higher level; ISRs above tasks, category 1 above category 2."""
    board = events.system.board
    if board.nesting != "levels":
        return
    levels = {source: level for source, level in events.sources.items() if source not in events.of_kind("round budgets")}
    for source, level in sorted(levels.items()):
        if not 1 <= level <= board.levels:
            events.error("C207", f"{named([source])} has level {level} of {board.levels}")
        elif level > board.levels - board.unmaskable_levels or source in board.unmaskable_sources:
            events.error("C207", f"{named([source])} has level {level}, and no mask of levels holds it back")
    known = [
        (0, t.priority, level, f"task '{t.name}'", t.span) for t in events.osek.tasks if (level := level_of(events, t.name)) >= 0
    ]
    known += _run(events)
    known += [
        ((i.category == 2 and 1) or 3, i.priority, levels.get(i.source, 0), f"ISR '{i.name}'", i.span) for i in events.osek.isrs
    ]
    kernel_kinds = KERNELS_OWN | ({"slices"} if events.software or events.system.giotto else set())
    for source, service in events.services.items():
        if service is None or _has_own_level(events, source, service):
            continue
        if service.kind in kernel_kinds:
            known.append((2, 0, levels[source], f"{service.kind} at source {source}", events.osek.span))
        if service.kind == "budgets":  # above all that the application can mask
            known.append((4, 0, levels[source], "cell of budgets", events.osek.span))
    ordered = sorted(known, key=lambda x: (x[0], x[1]))
    for low, high in pairwise(ordered):
        if low[:2] == high[:2]:
            wrong = high[2] != low[2] and low[0] in (0, 2)
        elif (low[0], high[0]) == (1, 2):  # the kernel's own are on the level of the highest ISR that its lock masks
            wrong = high[2] != low[2]
        else:
            wrong = high[2] <= low[2]
        if wrong:
            events.error("C207", f"the {high[3]} has level {high[2]}, and the {low[3]} has level {low[2]}", high[4])


def _run(events: Events) -> Iterator[tuple[int, int, int, str, Span]]:
    """Each task that a source's vector runs, with the level of that source: that of a task with several cells, each time."""
    if events.software:
        return
    for source, service in events.services.items():
        if service is None or service.kind not in ("task", "level"):
            continue
        level = events.sources[source]
        if service.kind == "level" and service.number != level:
            cause = f"{named([source])} has level {level}, and its vector is the handler of level {service.number}"
            events.error("C207", cause, events.osek.span)
        runs = {run for vectors in events.vectors for run in events.meanings.of(vectors[source]).runs}
        tasks = {f"carillon_task_{t.name}": t for t in events.osek.tasks}
        for task in (tasks[run] for run in sorted(runs & tasks.keys())):
            yield 0, task.priority, level, f"task '{task.name}', run at source {source},", task.span


def _asks(events: Events, service: Service) -> Alarm | ScheduleTable | None:
    """The alarm or the schedule table that a cell expires for."""
    osek = events.osek
    if service.kind == "point":
        return next((t for t in osek.schedule_tables if t.name == service.name and service.number < len(t.actions)), None)
    return osek.alarms[service.number] if service.kind == "alarm" and service.number < len(osek.alarms) else None


def _woken(events: Events, service: Service) -> str | None:
    """The task that a cell's alarm, or its action of a schedule table, wakes; None without a task."""
    asking = _asks(events, service)
    if asking is None:
        return None
    action = asking.action if isinstance(asking, Alarm) else asking.actions[service.number]
    return action.object if isinstance(action, ActivateTask | SetEvent) else None


def _has_own_level(events: Events, source: int, service: Service) -> bool:
    """Whether a vector has the level of the tasks that its alarm or its queue wakes, and not the kernel's level."""
    if events.software:
        return False
    if service.kind == "counter":
        return is_at_its_tasks(events, service.number)
    task = _woken(events, service)
    return task is not None and events.sources[source] == level_of(events, task)


def _queued(events: Events, number: int) -> set[str | None]:
    """The tasks that the entries of a part may wake; None stands for another action of an alarm."""
    alarms = [a for a in events.osek.alarms if events.parts.of.get(a.name) == number]
    actions = [a.action for a in alarms if not (a.static and a.name in events.carried)]
    woken = {one.object if isinstance(one, ActivateTask | SetEvent) else None for a in actions for one in a.each}
    cursors = [c for c in events.parts.cursors if c.part == number]
    tasks = {act[1] for c in cursors for _, acts in c.steps for act in acts}
    return woken | {t.name for k, t in enumerate(events.osek.tasks) if k in tasks}


def is_at_its_tasks(events: Events, part: int) -> bool:
    """Whether a part is served at the level of the tasks that it wakes."""
    woken = _queued(events, part)
    return not events.software and bool(woken) and all(t and events.ticked.get(part) == level_of(events, t) for t in woken)


def level_of_alarm(events: Events, alarm: Alarm) -> int:
    """The level of the tasks that an alarm wakes; -1 without a task, if they have several, or if it does something else, too."""
    levels = {level_of(events, one.object) if isinstance(one, ActivateTask | SetEvent) else -1 for one in alarm.action.each}
    return levels.pop() if len(levels) == 1 else -1


def check_at_tasks(events: Events) -> None:
    """Check alarms at their tasks' levels: a vector requests the task, and services first serve what is due."""
    for source, service in events.services.items():
        if service is None or not _has_own_level(events, source, service):
            continue
        if service.kind == "counter":
            _counter(events, source, service.number)
            continue
        asks, level = _asks(events, service), events.sources[source]
        assert asks is not None
        subject = f"{'alarm' if isinstance(asks, Alarm) else 'schedule table'} '{asks.name}'"
        requests = frozenset({source_of(events, _woken(events, service) or "")})
        for vectors in events.vectors:
            meaning = events.meanings.of(vectors[source])
            runs = {s.name for s in meaning.every("call") if s.name.startswith("carillon_level_")}
            if runs != {f"carillon_level_{level}"} and (runs or {s.sources for s in meaning.every("pend")} != {requests}):
                cause = f"'{meaning.symbol}', the vector of source {source}, does not run level {level}"
                events.error("C205", cause, asks.span)
        symbol = events.elf.symbols.get(f"carillon_cells_{level}")
        paths = events.meanings.of(symbol.address).some_paths if symbol is not None else []
        if not any(_takes(path, source, requests) for path in paths):
            cause = f"no service serves source {source}, of the {subject} at level {level}, before its handler"
            events.error("C205", cause, asks.span)


def _counter(events: Events, source: int, number: int) -> None:
    """Check a counter at its tasks' level: services that look at such a task first serve what is due."""
    counter, level = events.parts.counter(number), events.sources[source]
    symbol = events.elf.symbols.get(f"carillon_cells_{level}")
    calls = events.meanings.of(symbol.address).every("call") if symbol is not None else []
    if not any(s.name == "carillon_osek_tick" and s.number is not None and s.number & 0xFF == number for s in calls):
        assert counter is not None
        cause = f"no service serves the counter '{counter.name}' at level {level} before its handler"
        events.error("C205", cause, counter.span)


def _takes(path: Sequence[Step], source: int, requests: frozenset[int]) -> bool:
    """Whether a path withdraws the request of ``source`` and then requests ``requests``."""
    taken = next((k for k, s in enumerate(path) if s.kind == "unpend" and source in s.sources), len(path))
    return any(s.kind == "pend" and s.sources == requests for s in path[taken:])


def level_of(events: Events, task: str) -> int:
    """The level of a task's source; -1 where it has none."""
    source = source_of(events, task)
    return events.sources.get(source, 0) if source >= 0 else -1


def source_of(events: Events, task: str) -> int:
    """The source of a task; -1 where it has none, or where nothing says which."""
    if events.software:
        return -1
    sources = [it.source for it in events.leveled if it.task.name == task]
    if not events.leveled:  # nothing asks the table of tasks: the linker has left it out
        sources += [source for source, it in events.of_kind("task").items() if it.name == task]
    return next(iter(sources), -1)
