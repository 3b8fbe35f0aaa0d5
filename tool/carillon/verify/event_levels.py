# SPDX-License-Identifier: Apache-2.0
"""What the kernel looks up by a level or by a source, and the order of levels.

Queues of activations, slices, who interrupts, ISRs and ceilings; and the interrupts at the levels of the tasks that they wake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from carillon import c_names
from carillon.diagnostics import Span
from carillon.model.osek import RES_SCHEDULER, ActivateTask, Alarm, Osek, OsekTask, Property, ScheduleTable, SetEvent
from carillon.verify.contract import Store, store
from carillon.verify.controllers import named
from carillon.verify.meaning import Step

if TYPE_CHECKING:
    from carillon.verify.events import Events
    from carillon.verify.layout import Row
    from carillon.verify.meaning import Service

TASK, ISR1, ISR2 = 0x100, 0x200, 0x400
"""Bits of a source's context (kernel/contract/osek.h), beside its level."""


@dataclass(frozen=True, slots=True)
class TaskLevel:
    """Where the table of tasks has a task: its number, its level, and the request and the source of that.

    ``ceiling`` is the level at which it runs once it has begun.
    """

    number: int
    task: OsekTask
    level: int
    request: Store
    source: int
    ceiling: int


def check_levels(events: Events) -> None:
    """Check the queue of each level: activations of all its tasks wait in it, each in its own place."""
    tasks, rows = events.leveled, events.elf.rows("carillon_osek_levels")
    rings: dict[int, int] = {}
    for level in sorted({t.level for t in tasks}) if rows else ():
        members = [t for t in tasks if t.level == level]
        events.report.tables += 1
        if not 0 < level < len(rows):
            events.error("C205", f"the table of levels has no level {level}", members[0].task.span)
            continue
        row = rows[level]
        wrong = _queue(events, row, [t.task for t in members])
        if not wrong and row["task"] not in {t.number for t in members}:
            wrong = f"is that of task {row['task']}"
        if not wrong and any(row.row("request").values() != (t.request.address, t.request.value) for t in members):
            wrong = "is not requested by the store that requests its tasks"
        if not wrong and any(row["source"] != t.source for t in members):
            wrong = f"is said to have source {row['source']}"
        for place in (row["ring"], row["state"]) if row["capacity"] and not wrong else ():
            if place in rings:
                wrong = f"has its queue where that of level {rings[place]} is"
            rings[place] = level
        if wrong:
            names = ", ".join(f"'{t.task.name}'" for t in members)
            events.error("C205", f"the level {level}, of {names}, {wrong}", members[0].task.span)

    used = {t.level for t in tasks}
    for level, row in enumerate(rows):
        turn = row.row("end_slice").values() if "end_slice" in row else ()
        filled = (*turn, *row.row("request").values(), *(row[name] for name in ("ring", "state", "capacity", "source")))
        if level not in used and any(filled):
            events.error("C205", f"the table of levels has a level {level}, which is no task's")
    for level, handler in enumerate(events.elf.values("carillon_software_handlers")):
        own_handler = events.elf.symbols.get(c_names.level(level))
        wanted = own_handler.address if level in used and own_handler is not None else 0
        events.report.tables += 1
        if handler != wanted:
            events.error("C205", f"the handler of level {level} is said to be '{events.elf.name_of(handler)}'")


def check_turns(events: Events) -> None:
    """Each level of which several threads take turns has an interrupt that ends its slices (docs/guide/time.md).

    It is above the level, and not above what is next, so the controller keeps its request while anything above the level runs.
    That of the highest is the cell's, if there are slices.  A server's level has one, too.  Where software dispatches there are
    none.
    """
    rows = events.elf.rows("carillon_osek_levels")
    if events.system.giotto or all("end_slice" not in row for row in rows):
        return
    tasks = events.leveled
    levels = sorted({t.level for t in tasks}, reverse=True)
    time = events.system.time
    slices = time is not None and time.slice is not None
    served = {t.level for t in tasks if t.task.server is not None}
    sharing = {t.level for t in tasks if slices and t.task.thread and sum(other.level == t.level for other in tasks) > 1}
    shared = sorted(sharing | served, reverse=True)
    used: set[int] = set()
    for level in levels:
        events.report.tables += 1
        row = rows[level] if 0 < level < len(rows) else None
        named = ", ".join(f"'{t.task.name}'" for t in tasks if t.level == level)
        span = next(t.task.span for t in tasks if t.level == level)
        if row is None or "end_slice" not in row:
            continue
        end_slice = store(row.row("end_slice"))
        requests = events.hardware.controller.store(end_slice.address, end_slice.value)
        if level not in shared:
            if (end_slice.address, end_slice.value) != (0, 0):
                events.error("C205", f"the level {level}, of {named}, has slices, and no threads that take turns", span)
            continue
        source = min(requests[1], default=-1) if requests is not None else -1
        used.add(source)
        if requests is None or requests[0] != "pend" or len(requests[1]) != 1:
            events.error("C205", f"the level {level}, of {named}, is not told of the end of a slice by a request", span)
            continue
        celled = level == max(sharing, default=0) and level not in served
        service, wanted = events.services.get(source), "slices" if celled else "turn"
        if service is None or service.kind != wanted:
            serves = service.kind if service is not None else "nothing"
            events.error("C205", f"the slices of {named} are to end at source {source}, whose vector serves {serves}", span)
        highest = min([n for n in events.sources.values() if n > level], default=level + 1)
        next_one = min([t.level for t in tasks if t.level > level], default=highest)
        if not level < events.sources.get(source, 0) <= next_one:
            cause = f"the slices of {named}, at level {level}, end at source {source} of level {events.sources.get(source, 0)}"
            events.error("C207", cause, span)
    for source in sorted(events.of_kind("turn").keys() - used):
        events.error("C205", f"source {source} ends the slices of no level")


def _mutex_levels(osek: Osek, levels: dict[str, int]) -> dict[str, int]:
    """The ceiling of each mutex: of those that one thread names, one; and the highest of all these threads."""
    found = {mutex.name: 0 for mutex in osek.mutexes}
    for _ in found:  # as often as it may take to get from one mutex to each other one
        for task in osek.tasks:
            level = max([levels[task.name], *(found[name] for name in task.mutexes)])
            found |= dict.fromkeys(task.mutexes, level)
    return found


def check_ceilings(events: Events) -> None:
    """Check the ceiling of each resource, and each task's running level (OSEK OS 2.2.3, sections 4.6.2, 8.5 and 8.7)."""
    osek, levels = events.osek, events.task_levels
    highest = max(levels.values(), default=0)
    above = highest - 1 if events.software else 0  # software's levels are those of tasks, and above them those of ISRs
    users: dict[str, list[int]] = {}
    mutexes = _mutex_levels(osek, levels)
    takers = [(t.resources, max([levels[t.name], *(mutexes[m] for m in t.mutexes)])) for t in osek.tasks]
    takers += [(isr.resources, events.sources.get(isr.source, 0) + above) for isr in osek.isrs]
    for resources, level in takers:
        for name in (n for n in resources if n != RES_SCHEDULER):
            users.setdefault(osek.resource(name).name, []).append(level)
    for row in events.leveled:
        inner = [
            r for r in (osek.resource(n) for n in row.task.resources if n != RES_SCHEDULER) if r.property is Property.INTERNAL
        ]
        wanted = max([row.level, *(max(users[r.name]) for r in inner)]) if row.task.preemptable else highest
        if row.ceiling != wanted:
            events.error(
                "C207", f"the task '{row.task.name}' runs at level {row.ceiling}, and is to run at {wanted}", row.task.span
            )
    ceilings = dict(enumerate(events.elf.values("carillon_osek_ceilings")))
    named_ones = [r for r in osek.resources if r.property is not Property.INTERNAL and r.name != RES_SCHEDULER]
    every = [(r.name, max(users.get(osek.resource(r.name).name, [0])), r.span) for r in named_ones]
    every += [(RES_SCHEDULER, highest, osek.span)] if osek.scheduler_resource else []
    for number, (name, level, span) in enumerate(every if ceilings else ()):
        ceiling = ceilings.get(number, -1)
        events.report.tables += 1
        if ceiling != level:
            events.error("C207", f"the resource '{name}' has level {ceiling}, and the highest of its users is {level}", span)
    ceilings = dict(enumerate(events.elf.values("carillon_osek_mutex_ceilings")))
    for number, mutex in enumerate(osek.mutexes if ceilings else ()):
        level = mutexes[mutex.name]
        events.report.tables += 1
        if ceilings.get(number, -1) != level:
            cause = f"the mutex '{mutex.name}' has level {ceilings.get(number, -1)}, and is to have {level}"
            events.error("C207", cause, mutex.span)


def _queue(events: Events, row: Row, tasks: list[OsekTask]) -> str:
    """What is wrong with the queue of a level with these tasks."""
    most = sum(t.activations for t in tasks)
    wanted = most if len(tasks) > 1 or most > 1 or tasks[0].server is not None else 0
    ring_at, state_at, capacity = row["ring"], row["state"], row["capacity"]
    if capacity != wanted:
        return f"has a queue of {capacity} activations, and not of {wanted}"
    if not wanted:
        return "has a queue, and no activation of it waits" if ring_at or state_at else ""
    ring, state = events.elf.around(ring_at), events.elf.around(state_at)
    if ring is None or ring_at != ring.address or ring.size < wanted:
        return f"has no room for {wanted} activations at '{events.elf.name_of(ring_at)}'"
    if state is None or state_at != state.address or state.size < row.target("state").size:
        return f"keeps its queue's state at '{events.elf.name_of(state_at)}'"
    return ""


def check_contexts(events: Events) -> None:
    """Check the context of each source, and the source of each ISR."""
    symbol = events.elf.symbols.get("carillon_osek_contexts")
    levels, services = events.task_levels, events.services
    if symbol is not None:
        cleared = events.elf.is_cleared(symbol.address)
        contexts = [0] * (symbol.size // 2) if cleared else events.elf.values(symbol.name)
        for source, context in enumerate(contexts):
            service = services.get(source)
            if source in services and service is None:  # reported already
                continue
            wanted = _context(events, source, service, levels) if service is not None else 0
            if events.software and wanted & (ISR1 | ISR2) and context & 0xFF > max(levels.values(), default=0):
                wanted = wanted & ~0xFF | context & 0xFF  # the kernel's own levels, those of tasks and above them those of ISRs
            events.report.tables += 1
            if context != wanted:
                events.error("C205", f"{named([source])} is taken for {_said(context)}, and is {_said(wanted)}")
    sources = dict(enumerate(events.elf.values("carillon_osek_isr_sources")))
    for number, isr in enumerate(events.osek.isrs if sources else ()):
        source = sources.get(number, -1)
        events.report.tables += 1
        if source != isr.source:
            events.error("C205", f"the ISR '{isr.name}' is said to have source {source}", isr.span)


def _context(events: Events, source: int, service: Service, levels: Mapping[str, int]) -> int:
    """What a source is to be said to be."""
    level = events.sources.get(source, 0)
    if service.kind == "dispatcher":  # the kernel never asks for the dispatcher's context: it is beneath all others
        return 0
    if service.kind == "isr":
        isr = next((i for i in events.osek.isrs if i.name == service.name), None)
        return (ISR1 if isr is not None and isr.category == 1 else ISR2) | level
    if service.kind == "task":
        return TASK | levels.get(service.name, level)
    if service.kind == "level":
        return TASK | service.number
    ends = {s.name for vectors in events.vectors for s in events.meanings.of(vectors[source]).every("call")}
    if c_names.level(level) in ends:  # the handler goes on as that of the level's tasks
        return TASK | level
    return ISR2 | level


def _said(context: int) -> str:
    kinds = {TASK: "a task's", ISR1: "an ISR's of category 1", ISR2: "an ISR's of category 2", 0: "nobody's"}
    kind = kinds.get(context & ~0xFF, f"what {context & ~0xFF:#x} is")
    return f"{kind} of level {context & 0xFF}" if context else "nobody's"


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
        tasks = {c_names.task(t.name): t for t in events.osek.tasks}
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
            runs = {s.name for s in meaning.every("call") if s.name.startswith(c_names.LEVEL)}
            if runs != {c_names.level(level)} and (runs or {s.sources for s in meaning.every("pend")} != {requests}):
                cause = f"'{meaning.symbol}', the vector of source {source}, does not run level {level}"
                events.error("C205", cause, asks.span)
        symbol = events.elf.symbols.get(c_names.cells(level))
        paths = events.meanings.of(symbol.address).some_paths if symbol is not None else []
        if not any(_takes(path, source, requests) for path in paths):
            cause = f"no service serves source {source}, of the {subject} at level {level}, before its handler"
            events.error("C205", cause, asks.span)


def _counter(events: Events, source: int, number: int) -> None:
    """Check a counter at its tasks' level: services that look at such a task first serve what is due."""
    counter, level = events.parts.counter(number), events.sources[source]
    symbol = events.elf.symbols.get(c_names.cells(level))
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
