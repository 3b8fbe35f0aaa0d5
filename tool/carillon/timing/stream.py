# SPDX-License-Identifier: Apache-2.0
"""The UART of the stream, or the pin SWO, carries all starts and ends while the processor idles (C304).

What the schedule says of how often something comes counts: activations of rounds, alarms, schedule tables, ``min_interval``,
re-enable points, and else the stimuli of a run.  What comes as often as it likes is named.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from carillon.check.utilisation import demand
from carillon.diagnostics import Diagnostics, some
from carillon.model import Interrupt, Mode, System
from carillon.model.declared import Declared
from carillon.model.osek import Isr
from carillon.model.registers import EVERY
from carillon.model.stimuli import StimulusKind
from carillon.timing.releases import UnknownError, declared_arrivals, task_arrivals

EVENT = Fraction(8) + Fraction(16, EVERY)
"""Bytes of an event in the stream, with its part of the place that is told every so many events."""
MOST = 511
"""Numbers that leave the time 22 bits of a word."""
BITS = 10
"""Of a byte on the line."""
PACKET = Fraction(5, 4)
"""Bytes on the pin SWO for each byte of the stream: four are a packet, which has a header."""


@dataclass(frozen=True, slots=True)
class Load:
    """What is told.

    ``mode``: None without rounds.  ``events`` in a tick; ``idle``: part of the time; ``uncounted``: what nothing bounds.
    """

    mode: Mode | None
    events: Fraction
    idle: Fraction
    uncounted: tuple[str, ...]

    def needed(self, system: System) -> Fraction:
        """Bytes a second of the stream."""
        return self.events * EVENT * system.clock_hz

    def carried(self, line: Line) -> Fraction:
        """Bytes a second of the stream that a line carries while nothing else runs."""
        return self.idle * line.baud / (BITS * line.each)


@dataclass(frozen=True, slots=True)
class Line:
    """What carries the stream: its rate, how many bytes it has for one of the stream, what it is and how it gets faster."""

    baud: int
    each: Fraction
    name: str
    faster: str


def line_of(system: System) -> Line | None:
    """The line of the stream; None if it has none with a rate of its own."""
    tracing, counter = system.tracing, system.board.trace
    if tracing is not None and tracing.stream == "itm":
        return Line(tracing.swo_baud, PACKET, "the pin SWO", "swo_baud a higher rate, if the debugger has it")
    if tracing is not None and tracing.stream == "uart" and counter is not None and counter.uart is not None:
        return Line(counter.uart.baud, Fraction(1), "the line", "[trace.uart] of a board of your own a higher baud")
    return None


def loads(system: System) -> list[Load]:
    """Of each mode, or of a system without modes; none if there is no ring."""
    if system.tracing is None or system.tracing.ring is None:
        return []
    return [_load(system, mode) for mode in system.modes or (None,)]


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report a ring of too many tasks, and a line that does not carry what is counted; tasks without a WCET take no time."""
    if system.tracing is not None and system.tracing.ring is not None and system.recorded > MOST:
        cause = f"a ring tells {MOST} tasks and interrupts apart, and these are {system.recorded}, two of each task if one waits"
        diagnostics.error("C304", system.tracing.span, cause, "leave the ring out, and set pins by a header")
    line = line_of(system)
    if diagnostics.errors or system.tracing is None or line is None:
        return
    for load in loads(system):
        needed, carried = load.needed(system), load.carried(line)
        if needed > carried:
            what = f"mode '{load.mode.name}'" if load.mode is not None else "the schedule"
            cause = f"{what} has starts and ends of {round(needed)} bytes a second, and in what its tasks leave idle "
            cause += f"{line.name} of board '{system.board.name}', at {line.baud} baud, carries {int(carried)}"
            cause += f"; not counted: {some(load.uncounted, 6)}" if load.uncounted else ""
            remedy = f'write stream = "rtt"; or give {line.faster}; or lengthen the periods'
            diagnostics.error("C304", load.mode.span if load.mode is not None else system.tracing.span, cause, remedy)


def _load(system: System, mode: Mode | None) -> Load:
    """What a mode, and all that is below and above it, tells."""
    osek, uncounted = system.osek, list[str]()
    jobs, busy = Fraction(0), Fraction(0)
    if mode is not None:
        jobs = Fraction(len(mode.activations), mode.round_length)
        busy = Fraction(sum(demand(mode, system).values()), mode.round_length)

    def add(what: str, rate: Fraction | None, declared: Declared) -> None:
        nonlocal jobs, busy
        if rate is None:
            uncounted.append(what)
        else:
            jobs, busy = jobs + rate, busy + rate * declared.wcet

    for interrupt in system.interrupts:
        add(f"interrupt '{interrupt.name}'", _interrupt_rate(system, mode, interrupt), interrupt.declared)
    for isr in osek.isrs if osek is not None else ():
        add(f"ISR '{isr.name}'", _rate(system, isr), isr.declared)
    for task in system.noted:
        assert osek is not None
        try:
            rate: Fraction | None = task_arrivals(system, osek, task).rate
        except UnknownError:
            rate = None
        known = rate if rate or not task.extended else None  # one that begins once may go on as often as it likes
        add(f"{'thread' if task.thread else 'task'} '{task.name}'", known, task.declared)
    if system.time is not None and system.time.slice:
        shared = Counter(task.priority for task in system.noted if task.thread)
        jobs += Fraction(sum(count > 1 for count in shared.values()), system.time.slice)
    return Load(mode, 2 * jobs, max(Fraction(0), 1 - busy), tuple(uncounted))


def _interrupt_rate(system: System, mode: Mode | None, interrupt: Interrupt) -> Fraction | None:
    """How often an interrupt comes in a tick at most: it waits for the round's re-enable points, if it has any."""
    if interrupt.reenabled and mode is not None:
        return Fraction(sum(it.interrupt == interrupt.name for it in mode.enables), mode.round_length)
    return _rate(system, interrupt)


def _rate(system: System, interrupt: Interrupt | Isr) -> Fraction | None:
    """The same of any other: by what is declared of it, or by the stimuli that request its source; None if neither says it."""
    declared = declared_arrivals(interrupt.declared)
    if declared is not None:
        return declared.rate
    rows = system.stimuli.rows if system.stimuli is not None else ()
    own = [
        row for row in rows if row.kind is StimulusKind.SOURCE and system.board.named_sources.get(row.name) == interrupt.source
    ]
    return sum((Fraction(1, row.every) for row in own if row.every and not row.count), Fraction(0)) if own else None
