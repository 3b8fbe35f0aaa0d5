# SPDX-License-Identifier: Apache-2.0
"""Export as a Value Change Dump for GTKWave, PulseView and logic-analyser software.

A scope per trace and per lane.  A pin has the wire ``level``.  All others have the wire ``running`` (of a schedule table: it is
started).  Tasks and interrupts have
the wire ``active`` (started, not ended).  Lanes have the events that :mod:`.marks` names.  What is event-triggered has the wire
``waiting`` instead of the deadlines.  No date, so the same run gives the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import IO, Any

from vcd import VCDWriter

from carillon.show.marks import REAL
from carillon.show.scene import Panel
from carillon.trace.timeline import LaneKind

UNITS = ((0, "s"), (3, "ms"), (6, "us"), (9, "ns"), (12, "ps"))


def timescale_of(units_per_second: int) -> tuple[str, Fraction]:
    """The coarsest VCD timescale in which a unit is a whole number, and that number.

    Where none down to 1 ps divides the unit, 1 ps with a fraction; times are then rounded, not accumulated.
    """
    for exponent, unit in UNITS:
        for power in (2, 1, 0):
            count = Fraction(10 ** max(0, exponent - power), units_per_second) / (10**power if exponent < power else 1)
            if count.denominator == 1 and count >= 1:
                return f"{10**power} {unit}", count
    return "1 ps", Fraction(10**12, units_per_second)


def write(stream: IO[str], panels: Sequence[Panel]) -> None:
    """Write the changes of every lane of every panel in order of time."""
    finest = math.lcm(*(panel.scale for panel in panels))
    timescale, count = timescale_of(panels[0].trace.clock_hz * finest)
    origin = min(0, *(panel.summary.begin.u * finest // panel.scale for panel in panels))
    changes: list[tuple[int, int, int, Any, bool]] = []  # time, order within it, sequence, variable, value
    comment = f"{panels[0].trace.application}; time 0 is tick {Fraction(origin, finest)}"
    with VCDWriter(stream, timescale=timescale, date="", comment=comment, version="Carillon") as writer:
        for panel in panels:
            factor = finest // panel.scale

            def at(time: int, factor: int = factor) -> int:
                return round((time * factor - origin) * count)

            def held(variable: Any, intervals: Iterable[tuple[int, ...]], at: Callable[[int], int] = at) -> None:
                """A wire that is 1 in each of the intervals."""
                for begin, end, *_ in intervals:
                    changes.append((at(begin), 1, len(changes), variable, True))
                    changes.append((at(end), 0, len(changes), variable, False))

            for lane in panel.summary.lanes:
                scope = (panel.trace.kernel, lane.name)
                if lane.kind is LaneKind.PIN:
                    first = any(begin == panel.summary.begin.u for begin, _, _ in panel.running[lane])
                    level = writer.register_var(scope, "level", "wire", size=1, init=int(first))
                    held(level, panel.running[lane])
                    continue
                running = writer.register_var(scope, "running", "wire", size=1, init=0)
                held(running, (interval for interval in panel.running[lane] if interval[1] > interval[0]))
                real, event_triggered = lane.kind in REAL, lane.name in panel.trace.event_triggered
                if real:
                    active = writer.register_var(scope, "active", "wire", size=1, init=0)
                    spans: dict[int, tuple[int, int]] = {}
                    for begin, end, owner in (*panel.running[lane], *panel.preempted[lane], *panel.waiting[lane]):
                        known = spans.get(owner, (begin, end))
                        spans[owner] = (min(known[0], begin), max(known[1], end))
                    held(active, spans.values())
                for mark, times in panel.marks_in(lane):
                    if mark.vcd and not (mark.verdict and event_triggered):
                        event = writer.register_var(scope, mark.vcd, "event")
                        changes.extend((at(time), 2, len(changes), event, True) for time in times)
                if real and event_triggered:
                    held(writer.register_var(scope, "waiting", "wire", size=1, init=0), panel.waiting[lane])
        for time, _, _, variable, value in sorted(changes, key=lambda change: change[:3]):
            writer.change(variable, time, value)
        writer.close(max(round((panel.summary.end.u * finest // panel.scale - origin) * count) for panel in panels))
