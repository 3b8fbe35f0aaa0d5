# SPDX-License-Identifier: Apache-2.0
"""When alarms expire in a run that activate tasks: as far as the schedule says it, and nothing in the run changes it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping

from carillon.groups import grouped
from carillon.image import Image
from carillon.model.osek import ActivateTask, Alarm, CounterKind, Hook
from carillon.run.entries import Code, Record
from carillon.trace import Event, Kind

STEERING = ("SetRelAlarm", "SetAbsAlarm", "CancelAlarm")
"""The services that change when an alarm expires; their calls are recorded where an emulator can."""


def expiries(
    image: Image, symbols: Mapping[str, tuple[int, int]], records: Iterable[Record], origin: int, length: int
) -> list[tuple[str, Event]]:
    """The expiries of a run of ``length`` ticks, of alarms that StartOS sets in every application mode, each with its alarm.

    They are known until a service changes an alarm: of which one nothing tells, so that from then on those of static alarms alone
    are known.  Virtual boards do not record the calls; there the services must not be in the image.  Beneath rounds, the times
    count from the start of the event-triggered system's cells, which is recorded as the rounds' is.
    """
    records = list(records)
    begin = begins(image, symbols, records, origin) if image.osek is not None else None
    if begin is None:
        return []
    osek, native = image.system.osek, image.system.board.native
    assert osek is not None
    per_tick = max(1, image.system.board.clock(image.system.clock_hz).instructions_per_tick)
    steering = {symbols[name][0] for name in STEERING if name in symbols}
    calls = (record.time - origin for record in records if record.code == Code.CALL and record.value in steering)
    until = 0 if native and steering else min(calls, default=length * per_tick)
    events = []
    for alarm in osek.alarms:
        activated = [one.object for one in alarm.action.each if isinstance(one, ActivateTask)]
        for at in _times(image, alarm, length) if activated else ():
            n = begin + at * per_tick
            if 0 <= n < length * per_tick and (alarm.static or n < until):
                events += [(alarm.name, Event(n // per_tick, n, Kind.EXPIRY, task)) for task in activated]
    return events


def merged(image: Image, found: Iterable[tuple[str, Event]], seen: Iterable[Event]) -> Counter[Event]:
    """The expiries that nothing tells of: of a cell that had asked for its handler already, which does its action once.

    That is so without an error hook, for which a time base tells how often a cell has expired (SPEC, alarms with cells).
    ``seen``: the events of handlers.
    """
    if image.osek is None or Hook.ERROR in image.osek.allocation.osek.hooks:
        return Counter()
    above = {alarm.name for alarm, carrier in image.osek.allocation.alarms if not carrier.task_level}
    entered = grouped((event.object, event.n) for event in seen if event.kind is Kind.ENTER and event.object in above)
    waits: dict[tuple[str, str], int] = {}
    told: Counter[Event] = Counter()
    for alarm, event in sorted(found, key=lambda it: it[1].n):
        if alarm not in entered:  # it is its task's own vector, in a queue, or at its task's level, where services find it done
            continue
        place = bisect_left(entered[alarm], event.n)
        told[event] += waits.get((alarm, event.object)) == place  # no handler since the one that waits
        waits[alarm, event.object] = place
    return told


def begins(image: Image, symbols: Mapping[str, tuple[int, int]], records: Iterable[Record], origin: int) -> int | None:
    """When the counters of the event-triggered system begin, from tick 0 on, in units of ``n``; None if they do not."""
    assert image.osek is not None
    if not image.modes:
        return 0
    place, size = symbols.get("carillon_osek_start", (-1, 0))
    own = (r.time for r in records if r.code == Code.BEGIN and place <= r.value < place + max(size, 1))
    begun = next(own, None)
    per_tick = max(1, image.system.board.clock(image.system.clock_hz).instructions_per_tick)
    return None if begun is None else begun + image.osek.lead * per_tick - origin


def _times(image: Image, alarm: Alarm, length: int) -> range:
    """The ticks at which an alarm expires that StartOS sets, before the end of the run."""
    osek, start = image.system.osek, alarm.autostart
    assert osek is not None
    counter = osek.counter(alarm.counter)
    if start is None or counter.kind is not CounterKind.HARDWARE or set(start.modes) != set(osek.modes):
        return range(0)
    first = (start.time or counter.max_allowed + 1) * counter.tick  # StartOS finds the counter at 0
    return range(first, 2 * length, start.cycle * counter.tick or max(2 * length, 1))
