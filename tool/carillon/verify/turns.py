# SPDX-License-Identifier: Apache-2.0
"""Slices with dispatch by hardware: what ends those of each level of which several threads take turns (docs/guide/time.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carillon.verify.event_contexts import LevelRow

if TYPE_CHECKING:
    from carillon.verify.events import Events


def check_turns(events: Events, rows: list[LevelRow]) -> None:
    """Each such level has an interrupt that ends its slices: above the level, and not above what is next.

    So the controller keeps its request while anything above the level runs.  That of the highest is the cell's.
    """
    if events.system.giotto or all(row.end_slice is None for row in rows):
        return
    tasks = events.leveled
    levels = sorted({t.level for t in tasks}, reverse=True)
    shared = [level for level in levels if sum(t.level == level and t.task.thread for t in tasks) > 1]
    used: set[int] = set()
    for level in levels:
        events.report.tables += 1
        row = rows[level] if 0 < level < len(rows) else None
        named = ", ".join(f"'{t.task.name}'" for t in tasks if t.level == level)
        span = next(t.task.span for t in tasks if t.level == level)
        if row is None or row.end_slice is None:
            continue
        requests = events.hardware.controller.store(row.end_slice.address, row.end_slice.value)
        if level not in shared:
            if (row.end_slice.address, row.end_slice.value) != (0, 0):
                events.error("C205", span, f"the level {level}, of {named}, has slices, and no threads that take turns")
            continue
        source = min(requests[1], default=-1) if requests is not None else -1
        used.add(source)
        if requests is None or requests[0] != "pend" or len(requests[1]) != 1:
            events.error("C205", span, f"the level {level}, of {named}, is not told of the end of a slice by a request")
            continue
        service, wanted = events.services.get(source), "slices" if level == shared[0] else "turn"
        if service is None or service.kind != wanted:
            serves = service.kind if service is not None else "nothing"
            events.error("C205", span, f"the slices of {named} are to end at source {source}, whose vector serves {serves}")
        highest = min([n for n in events.sources.values() if n > level], default=level + 1)
        next_one = min([t.level for t in tasks if t.level > level], default=highest)
        if not level < events.sources.get(source, 0) <= next_one:
            events.error(
                "C207",
                span,
                f"the slices of {named}, at level {level}, end at source {source} of level {events.sources.get(source, 0)}",
            )
    for source in sorted(events.of_kind("turn").keys() - used):
        events.error("C205", None, f"source {source} ends the slices of no level")
