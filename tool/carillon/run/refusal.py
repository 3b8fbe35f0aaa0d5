# SPDX-License-Identifier: Apache-2.0
"""A library whose start refuses: what the project has not left to it as it must (``ports/armv7m/carillon_library.h``)."""

from __future__ import annotations

import struct
from collections.abc import Collection, Mapping, Sequence

from carillon.diagnostics import Diagnostics
from carillon.run.clocks import how_fast
from carillon.run.entries import Code, Record
from carillon.units import format_frequency

REFUSES, REFUSED = "carillon_start_refuse", "carillon_refused"
"""The function that stops the processor then, and what says why."""
_SAID = struct.Struct("<B3x3I")
_REASONS = (
    "a handler, that of exception {where}, calls it",
    "{mask} holds interrupts back",
    "AIRCR has PRIGROUP {where}: not all bits of a priority are of preemption",
    "a priority of all ones reads {where:#x}: the processor has fewer levels than the board's file says",
    "the table of vectors has another handler for exception {where}",
    "the timer's register at {where:#x} is not as after reset, or its clock is off",
    "the timer whose counter is at {where:#x} counts {hz} a second, where [clock] says {expected}: it counts {factor}",
)
"""What is wrong, by the reason less one."""
_MASKS = ("", "PRIMASK", "FAULTMASK", "BASEPRI")


def refusal_mark(symbols: Mapping[str, tuple[int, int]]) -> tuple[str, ...]:
    """What a run marks to see that."""
    return (REFUSES,) if symbols.keys() >= {REFUSES, REFUSED} else ()


def starts(
    symbols: Mapping[str, tuple[int, int]], records: Sequence[Record], memory: Mapping[int, bytes], diagnostics: Diagnostics
) -> bool:
    """Whether the start has not refused for good; C366 if it has, with the reason where the emulator has saved ``memory``."""
    if not refusal_mark(symbols) or any(record.code == Code.BEGIN for record in records):
        return True  # a hook may have put it right
    at = symbols[REFUSES][0] & ~1
    if not any(record.code == Code.MARK and record.value & ~1 == at for record in records):
        return True
    said = memory.get(symbols[REFUSED][0], b"")
    cause = f"the start refuses: {_reason(said)}" if len(said) == _SAID.size else "the start refuses; carillon_refused says why"
    diagnostics.error("C366", None, cause, "leave to the system what carillon_library.txt says")
    return False


def _reason(said: bytes) -> str:
    reason, where, hz, expected = _SAID.unpack(said)
    return _REASONS[reason - 1].format(
        where=where,
        mask=_MASKS[where % len(_MASKS)],
        hz=format_frequency(hz),
        expected=format_frequency(expected),
        factor=how_fast(hz, expected) if expected else "",
    )


def refusal_place(symbols: Mapping[str, tuple[int, int]]) -> Collection[tuple[int, int]]:
    """Where memory says why."""
    return [symbols[REFUSED]] if refusal_mark(symbols) else []
