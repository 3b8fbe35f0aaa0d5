# SPDX-License-Identifier: Apache-2.0
"""What the kernel looks up by a level or by a source: queues of activations, slices, who interrupts, ISRs, ceilings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from carillon.model.osek import RES_SCHEDULER, Osek, OsekTask, Property
from carillon.verify.contract import Store, store
from carillon.verify.controllers import named

if TYPE_CHECKING:
    from carillon.verify.events import Events
    from carillon.verify.layout import Row
    from carillon.verify.service import Service

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
        own_handler = events.elf.symbols.get(f"carillon_level_{level}")
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
        cleared = events.elf.is_cleared(symbol)
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
    if f"carillon_level_{level}" in ends:  # the handler goes on as that of the level's tasks
        return TASK | level
    return ISR2 | level


def _said(context: int) -> str:
    kinds = {TASK: "a task's", ISR1: "an ISR's of category 1", ISR2: "an ISR's of category 2", 0: "nobody's"}
    kind = kinds.get(context & ~0xFF, f"what {context & ~0xFF:#x} is")
    return f"{kind} of level {context & 0xFF}" if context else "nobody's"
