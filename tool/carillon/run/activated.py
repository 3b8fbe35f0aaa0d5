# SPDX-License-Identifier: Apache-2.0
"""Activations of the event-triggered system that no expiry tells: when each came, as far as a board says it.

1. StartOS activates what has ``autostart`` in every application mode: at tick 0, or before the first job if that begins earlier.
   Beneath rounds nothing tells when StartOS was called.
2. A virtual board records each request of a source, and simavr those of the sources of ISRs.  The request of an ISR's source is
   its activation.  So is that of a task that has a source of its own, if no alarm and no schedule table activates it: else its
   expiries say more.
3. Of other boards, a stimulus that requests a source tells it of the ISR with that source.

A request of a source that is requested already is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from carillon.allocate.osek import TaskKind
from carillon.image import Image
from carillon.model.osek import ActivateTask, Osek
from carillon.model.stimuli import StimulusKind
from carillon.run.entries import Code, Record
from carillon.run.stimuli import Prepared
from carillon.trace import Event, Kind


def activated(
    image: Image, records: Iterable[Record], origin: int, seen: Iterable[Event], stimuli: Prepared | None
) -> list[Event]:
    """An event for each known activation; ``seen``: the events of handlers and jobs, in their order."""
    osek = image.system.osek
    if osek is None:
        return []
    native, how = image.system.board.native, image.system.board.run
    per_tick = max(1, image.system.board.clock(image.system.clock_hz).instructions_per_tick)
    begun: dict[str, int] = {}
    entries: list[tuple[int, str]] = []
    for event in seen:
        if event.kind is Kind.START:
            begun.setdefault(event.object, event.n)
        elif event.kind is Kind.ENTER:
            entries.append((event.n, event.object))
    isrs = {isr.source: isr.name for isr in osek.isrs}
    served = isrs | (_direct(image, osek) if native else {})
    if native or (how is not None and how.kind == "simavr"):
        found = [(r.time - origin, served[r.value]) for r in records if r.code == Code.REQUEST and r.value in served]
    else:
        found = list(_requests(image, records, origin, entries, isrs, stimuli))
    if not image.modes:
        everywhere = set(osek.modes)
        started = [task.name for task in osek.tasks if set(task.autostart) == everywhere and not task.offset]
        found += [(-1, name) for name in started if name not in served.values()]
    # What was requested before tick 0 waits until then, or begins before it.
    found = sorted((n if n >= 0 else min(0, begun.get(name, 0)), name) for n, name in found)
    return [Event(n // per_tick, n, Kind.ACTIVATION, name) for n, name in found]


def _direct(image: Image, osek: Osek) -> dict[int, str]:
    """The tasks that have a source of their own, by it, and are activated by services alone."""
    assert image.osek is not None
    doing = [one for alarm in osek.alarms for one in alarm.action.each]
    doing += [one for table in osek.schedule_tables for one in table.actions]
    timed = {one.object for one in doing if isinstance(one, ActivateTask)}
    direct = (level for level in image.osek.allocation.levels if level.kind is TaskKind.DIRECT)
    return {level.source: level.tasks[0].name for level in direct if level.tasks[0].name not in timed}


def _requests(
    image: Image,
    records: Iterable[Record],
    origin: int,
    entries: Iterable[tuple[int, str]],
    isrs: dict[int, str],
    stimuli: Prepared | None,
) -> Iterator[tuple[int, str]]:
    """(n, ISR) of each stimulus that requests an ISR's source, and does not find it requested."""
    if stimuli is None:
        return
    named = image.system.board.named_sources
    sources = [named.get(row.name) if row.kind is StimulusKind.SOURCE else None for row in stimuli.rows]
    asked = [(r.time - origin, sources[r.value]) for r in records if r.code == Code.STIMULUS]
    entered: dict[str, list[int]] = {}
    for n, name in entries:
        entered.setdefault(name, []).append(n)
    for source, name in isrs.items():
        entries_of, taken = iter(entered.get(name, ())), -math.inf  # when the handler began that was asked for last
        for n in (n for n, it in asked if it == source):
            if n >= taken:
                yield n, name
                taken = next((at for at in entries_of if at >= n), math.inf)
