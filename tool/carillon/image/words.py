# SPDX-License-Identifier: Apache-2.0
"""The words of the ring of events: the low bits of a counter, and below them what happened.

An event is 2 n + 3 where what has number n starts, and 2 n + 2 where it ends.  None is 0, which the ring has where nothing was
written yet.  The numbers are those of :func:`numbered`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from carillon import c_names
from carillon.model import System
from carillon.model.registers import TraceCounter

RING = "carillon_trace_ring"
NEXT = "carillon_trace_next"
"""The ring, and the variable that says where the next event is written."""


def identity(system: System) -> int:
    """24 bits by which a stream tells whose it is: of all by which its reader knows tasks and times."""
    known = [system.name, system.board.name, system.clock_hz, system.board.trace, system.traced]
    known += [task.name for task in system.noted]
    known += [(mode.name, mode.round_length, [(a.task, a.at) for a in mode.activations]) for mode in system.modes]
    return int.from_bytes(hashlib.sha256(repr(known).encode()).digest()[:3], "little")


@dataclass(frozen=True, slots=True)
class Numbered:
    """Whose events have a number.  ``waits``: their ends are waits; it goes on where it starts next."""

    name: str
    waits: bool = False


def numbered(system: System) -> tuple[Numbered, ...]:
    """What the numbers mean: the functions of :attr:`System.traced`, event-triggered tasks, and if any waits, these again."""
    names = {task.entry: task.name for task in system.tasks} | {i.handler: i.name for i in system.interrupts}
    names |= {c_names.isr(isr.name): isr.name for isr in system.osek.isrs} if system.osek is not None else {}
    tasks = [Numbered(task.name) for task in system.noted]
    waiting = [Numbered(task.name, waits=True) for task in tasks] if any(task.extended for task in system.noted) else []
    return (*(Numbered(names[function]) for function in system.traced), *tasks, *waiting)


@dataclass(frozen=True, slots=True)
class Words:
    """How many bits of a word say what happened, and how many when, by a counter that may count down."""

    event_bits: int
    stamp_bits: int
    down: bool

    @staticmethod
    def of(system: System, counter: TraceCounter) -> Words:
        """The words of a system's ring."""
        event_bits = Words.event(len(numbered(system)) - 1, begins=True).bit_length()
        return Words(event_bits, min(counter.bits, 32 - event_bits), counter.down)

    @staticmethod
    def event(number: int, *, begins: bool) -> int:
        """What stands for the start or the end of what has a number."""
        return 2 * number + 2 + begins

    def read(self, word: int) -> tuple[int, int, bool]:
        """(stamp, which counts up; its number, -1 for no event; whether it starts)."""
        event = word & ((1 << self.event_bits) - 1)
        stamp = (word >> self.event_bits) & ((1 << self.stamp_bits) - 1)
        if self.down:
            stamp = -stamp & ((1 << self.stamp_bits) - 1)
        return stamp, event // 2 - 1, bool(event & 1)
