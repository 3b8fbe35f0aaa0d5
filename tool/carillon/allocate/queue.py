# SPDX-License-Identifier: Apache-2.0
"""The width of the event queue's times, which the alarms of counters and the time services share.

With time services, the width is theirs: it is that of a type which their users see.  Without, it is the least in which
a turn of every counter fits, since that is the furthest that an alarm is set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from carillon.allocate.clock import longest_without_laps
from carillon.allocate.cursors import Cursor
from carillon.model.osek import CounterKind, Osek, Synchronisation
from carillon.model.time import TimeServices

WIDTHS = (8, 16, 32, 64)
"""Of a time in C, in bits."""


@dataclass(frozen=True, slots=True)
class QueueTimes:
    """``bits`` of a time, ``distance_bits`` of a distance; ``far_alarms``: a counter's alarms may need the latter."""

    bits: int
    distance_bits: int
    far_alarms: bool


def queue_times(osek: Osek, services: TimeServices | None, held: int = 0, cursors: Sequence[Cursor] = ()) -> QueueTimes | None:
    """The times of the queue; None if nothing uses it.

    An alarm is set from the last tick that has been counted, which ``held`` more may have followed.  ``cursors``: of schedule
    tables, the first point of which may be a turn and more away when they are started.
    """
    read = {c.name for c in osek.counters if c.readable and c.kind is CounterKind.HARDWARE}
    turns = [osek.counter(name).max_allowed + 1 for name in {a.counter for a in osek.alarms} | read]
    for cursor in cursors:
        table = cursor.table
        begin = osek.counter(table.counter).max_allowed + 1
        begin = max(begin, table.duration) if table.sync is Synchronisation.EXPLICIT else begin
        turns.append(max(begin + cursor.steps[0].delay, cursor.longest, cursor.turn))
    turn = max(turns, default=0)
    if services is None and not turn:
        return None
    near = [bits for bits in WIDTHS if turn <= longest_without_laps(bits, latest=held)]
    bits = services.bits if services is not None else min(near)
    return QueueTimes(bits, 64 if bits >= 32 or turn.bit_length() > 32 else 32, bits not in near)
