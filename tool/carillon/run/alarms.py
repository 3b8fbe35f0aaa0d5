# SPDX-License-Identifier: Apache-2.0
"""When alarms expire in a run that activate tasks: as far as the schedule says it, and nothing in the run changes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from carillon.image import Image
from carillon.model.osek import ActivateTask, Alarm, CounterKind
from carillon.run.entries import Code, Record
from carillon.trace import Event, Kind

STEERING = ("SetRelAlarm", "SetAbsAlarm", "CancelAlarm")
"""The services that change when an alarm expires; their calls are recorded where an emulator can."""


def expiries(
    image: Image, symbols: Mapping[str, tuple[int, int]], records: Iterable[Record], origin: int, length: int
) -> list[Event]:
    """The expiries of a run of ``length`` ticks, of alarms that StartOS sets in every application mode.

    They are known until a service changes an alarm: of which one nothing tells, so that from then on those of static alarms alone
    are known.  Virtual boards do not record the calls; there the services must not be in the image.  Beneath rounds nothing is
    known, as StartOS may begin in any tick.
    """
    if image.osek is None or image.modes:
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
            n = at if native else at * per_tick
            if alarm.static or n < until:
                events += [Event(at, n, Kind.EXPIRY, task) for task in activated]
    return events


def _times(image: Image, alarm: Alarm, length: int) -> range:
    """The ticks at which an alarm expires that StartOS sets, before the end of the run."""
    osek, start = image.system.osek, alarm.autostart
    assert osek is not None
    counter = osek.counter(alarm.counter)
    if start is None or counter.kind is not CounterKind.HARDWARE or set(start.modes) != set(osek.modes):
        return range(0)
    first = (start.time or counter.max_allowed + 1) * counter.tick  # StartOS finds the counter at 0
    return range(first, length, start.cycle * counter.tick or max(length, 1))
