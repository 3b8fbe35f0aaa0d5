# SPDX-License-Identifier: Apache-2.0
"""The deadlines that the kernel found missed: records name the handler, but not the task."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from carillon.groups import grouped
from carillon.trace import Event, Kind


@dataclass(frozen=True, slots=True)
class Deadline:
    """A deadline of ``task`` that came due at tick ``t``, ``n``; ``end``: the end of its activation (None: no end)."""

    task: str
    t: int
    n: int
    end: int | None
    watched: bool


def attributed(
    misses: Iterable[tuple[Event, frozenset[str] | None]], deadlines: Sequence[Deadline], events: Iterable[Event]
) -> dict[int, Event]:
    """For each deadline that the kernel found missed, by its identity, the entry of the handler that did.

    ``misses``: the entries, each with the tasks whose deadlines they may be; None: anyone's.  A deadline that is meant is the
    latest one due by then.  A handler that checks the deadlines of all tasks finds those that ended last, of several that are
    due in one tick.  One that comes late finds several ticks' since it came last: first of all those whose tasks had not ended.
    """
    order = sorted(deadlines, key=lambda d: (d.n, d.end is None, d.end or 0))
    queues: dict[frozenset[str] | None, list[Deadline]] = {None: order}
    entered = grouped((event.object, event.n) for event in events if event.kind is Kind.ENTER)
    handler_of: dict[int, Event] = {}
    for handler, tasks in misses:
        if tasks is not None and tasks not in queues:
            queues[tasks] = [deadline for deadline in order if deadline.task in tasks]
        meant = _meant(queues[tasks], handler.n, entered[handler.object], handler_of)
        if meant is not None:
            handler_of[id(meant)] = handler
    return handler_of


def _meant(queue: Sequence[Deadline], now: int, entered: Sequence[int], attributed: dict[int, Event]) -> Deadline | None:
    """The deadline not yet found that a handler means at ``now``; ``entered``: the times of the handler's entries."""
    before = bisect_left(entered, now) - 1
    since = entered[before] if before >= 0 else 0
    latest: Deadline | None = None
    for k in range(bisect_right(queue, now, key=lambda d: d.n) - 1, -1, -1):
        deadline = queue[k]
        if id(deadline) in attributed:
            continue
        if latest is not None and deadline.n < since:
            break
        latest = latest or deadline
        if deadline.end is None or deadline.end >= deadline.n:
            return deadline
    return latest
