# SPDX-License-Identifier: Apache-2.0
"""In which order a trace has what is event-triggered."""

from __future__ import annotations

from carillon.groups import grouped
from carillon.model.osek import Osek


def by_priority(osek: Osek | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """ISRs and tasks, the most urgent first; none if nothing is event-triggered."""
    if osek is None:
        return (), ()
    isrs = sorted(osek.isrs, key=lambda i: (i.category, -i.priority))
    return tuple(i.name for i in isrs), tuple(t.name for t in sorted(osek.tasks, key=lambda t: -t.priority))


def equals(osek: Osek | None) -> tuple[tuple[str, ...], ...]:
    """The ISRs of one category, and the tasks, that have the same priority."""
    if osek is None:
        return ()
    isrs = grouped(((i.category, i.priority), i.name) for i in osek.isrs)
    tasks = grouped((t.priority, t.name) for t in osek.tasks)
    return tuple(tuple(names) for names in (*isrs.values(), *tasks.values()) if len(names) > 1)
