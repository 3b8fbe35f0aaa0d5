# SPDX-License-Identifier: Apache-2.0
"""An allocation: one part per mode, and one for the event-triggered system beneath."""

from __future__ import annotations

from dataclasses import dataclass

from carillon.allocate.osek import OsekAllocation
from carillon.allocate.result import ModeAllocation
from carillon.model.time import QueueKind, TimedKind


@dataclass(frozen=True, slots=True)
class Allocation:
    """All modes' allocations, in the order of the file; ``kernel`` is one of :data:`carillon.pipeline.KERNELS`."""

    kernel: str
    modes: tuple[ModeAllocation, ...]
    osek: OsekAllocation | None = None

    @property
    def conventional(self) -> bool:
        """Whether one timer ticks for everything, and software dispatches."""
        return self.kernel != "carillon"

    @property
    def counters(self) -> bool:
        """Whether each event has a counter, which every tick decrements, instead of a queue."""
        return self.kernel == "counter-per-task"

    @property
    def mates(self) -> bool:
        """Whether tasks whose delays end in one tick become ready together: a level has several, and delays use a list."""
        clock = self.osek.clock if self.osek is not None else None
        if self.osek is None or clock is None or self.counters or not any(level.capacity for level in self.osek.levels):
            return False
        if self.osek.osek.mutexes:
            return False  # a thread that holds one goes on at another level
        return TimedKind.DELAY in clock.services.uses and clock.services.queue is QueueKind.LIST
