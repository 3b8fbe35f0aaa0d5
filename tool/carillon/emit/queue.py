# SPDX-License-Identifier: Apache-2.0
"""The event queue as C: macros of ``carillon_config.h`` (``kernel/time/queue.h``)."""

from __future__ import annotations

from carillon.image import Image
from carillon.model.time import QueueKind, TimedKind

_ALARMS = frozenset(TimedKind) - {TimedKind.DELAY, TimedKind.TIMEOUT}
"""The kinds of events that are repeated."""


def configuration(image: Image) -> dict[str, object]:
    """The macros of the queue; none if nothing uses it."""
    allocation = image.osek.allocation if image.osek is not None else None
    if allocation is None or allocation.queue is None:
        return {}
    clock, counters = allocation.clock, image.allocation.counters
    tree = clock is not None and clock.services.queue is QueueKind.TREE
    return {
        "CARILLON_TIME_BITS": allocation.queue.bits,
        "CARILLON_DISTANCE_BITS": allocation.queue.distance_bits,
        "CARILLON_QUEUE_TREE": int(tree and not counters),
        "CARILLON_QUEUE_COUNTERS": int(counters),
        "CARILLON_QUEUE_MOVES": int(clock is not None and bool(clock.services.uses & _ALARMS)),
    }
