# SPDX-License-Identifier: Apache-2.0
"""The UART of the stream carries the starts and ends of each round while the processor idles (C304)."""

from __future__ import annotations

from fractions import Fraction

from carillon.check.utilisation import demand
from carillon.diagnostics import Diagnostics
from carillon.model import Mode, System
from carillon.model.registers import EVERY

EVENT = Fraction(8) + Fraction(16, EVERY)
"""Bytes of an event in the stream, with its part of the place that is told every so many events."""
MOST = 511
"""Numbers that leave the time 22 bits of a word."""
BITS = 10
"""Of a byte on the line."""


def held(system: System) -> dict[str, Fraction]:
    """For how many ticks of each mode's rounds the ring has room, interrupts apart."""
    ring = system.tracing.ring if system.tracing is not None else None
    if ring is None:
        return {}
    return {m.name: Fraction(ring * m.round_length, 2 * len(m.activations)) for m in system.modes if m.activations}


def check(system: System, diagnostics: Diagnostics) -> None:
    """Report a ring of too many tasks, and modes with more events than the line carries.

    Tasks without a WCET, and interrupts, count as nothing.
    """
    if system.tracing is not None and system.tracing.ring is not None and system.recorded > MOST:
        cause = f"a ring tells {MOST} tasks and interrupts apart, and these are {system.recorded}, two of each task if one waits"
        diagnostics.error("C304", system.tracing.span, cause, "leave the ring out, and set pins by a header")
    uart = system.board.trace.uart if system.board.trace is not None else None
    if diagnostics.errors or system.tracing is None or system.tracing.stream != "uart" or uart is None:
        return
    for mode in system.modes:
        needed, carried = _rates(mode, system, uart.baud)
        if needed > carried:
            cause = f"mode '{mode.name}' has starts and ends of {round(needed)} bytes a second, and in what its tasks leave idle "
            cause += f"the line of board '{system.board.name}', at {uart.baud} baud, carries {int(carried)}"
            remedy = 'write stream = "rtt"; or give [trace.uart] of a board of your own a higher baud; or lengthen the periods'
            diagnostics.error("C304", mode.span, cause, remedy)


def _rates(mode: Mode, system: System, baud: int) -> tuple[Fraction, Fraction]:
    """Bytes a second that a mode's rounds have, and that the line carries while no task runs."""
    seconds = Fraction(mode.round_length, system.clock_hz)
    idle = max(Fraction(0), 1 - Fraction(sum(demand(mode, system).values()), mode.round_length))
    return 2 * len(mode.activations) * EVENT / seconds, idle * baud / BITS
