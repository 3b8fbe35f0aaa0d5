# SPDX-License-Identifier: Apache-2.0
"""What the kernel's handlers took in a run: from the records of the event-triggered system's interrupts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from carillon.pipeline import Planned
from carillon.run.entries import Code, Record, entry_values
from carillon.run.records import DELIVER

ENTRY = 4
"""Cycles of an AVR's entry to an interrupt, which simavr does not charge (ATmega128 data sheet, Interrupt Response Time)."""


@dataclass(frozen=True, slots=True)
class Handler:
    """An interrupt: when it was entered, when its handler had done its own work, and what it took, the entry included.

    ``end`` comes before what the handler dispatches, where that runs within it.  Instructions, cycles or ticks, as the
    board counts.
    """

    begin: int
    end: int
    length: int

    def has(self, times: Sequence[int]) -> bool:
        """Did one of these instructions follow its first, up to the next after its last?"""
        k = bisect_left(times, self.begin)
        return k < len(times) and times[k] <= self.end


def handlers_of(
    planned: Planned, table: dict[str, tuple[int, int]], records: Iterable[Record], sources: Collection[int]
) -> list[Handler]:
    """The handlers of some sources, in order; above them is nothing.  ``table`` has the firmware's symbols."""
    kind = planned.system.board.run.kind if planned.system.board.run is not None else ""
    below = [v for v in planned.image.vectors[0] if v.source in sources]
    entries = set(entry_values(planned.image, table, below).values())
    deliver = {table[name][0] for name in DELIVER if name in table}
    entry = ENTRY if kind == "simavr" else 0
    handlers: list[Handler] = []
    began: int | None = None
    for time, code, value in records:
        delivers = code == Code.CALL and value in deliver
        if began is not None and (code in (Code.ENTER, Code.EXIT) or delivers):
            handlers.append(Handler(began, time, time - began + entry))
            began = None
        if code == Code.ENTER and value in entries:
            began = time
    return handlers
