# SPDX-License-Identifier: Apache-2.0
"""Whether an image has set up the clocks that its schedule has chosen."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from carillon.diagnostics import Diagnostics
from carillon.image import Image
from carillon.run.entries import Code, Record
from carillon.units import format_frequency, format_number


def clocks_fit(image: Image, records: Sequence[Record], diagnostics: Diagnostics) -> bool:
    """Whether the clocks were as [clock] says when the first cells were started, or at the end if none was; C363 if not.

    What an emulator does not tell of fits.
    """
    chosen = image.system.board.chosen
    begin = next((k for k, record in enumerate(records) if record.code == Code.BEGIN), len(records))
    seen = [record.value for record in records[:begin] if record.code == Code.CLOCK]
    if chosen is None or not seen:
        return True
    wanted = {"the processor": chosen.core_hz} | {f"the timers of {bus}": hz for bus, hz in chosen.timers.items()}
    found = dict(zip(wanted, seen[-len(wanted) :], strict=True))
    wrong = [_said(who, found[who], hz) for who, hz in wanted.items() if found[who] != hz]
    if not wrong:
        return True
    core, *timers = (f'"{format_frequency(hz)}"' for hz in found.values())
    pairs = ", ".join(f"{bus} = {hz}" for bus, hz in zip(chosen.timers, timers, strict=True))
    remedy = f"set the clocks so, or write what the image sets: core = {core}, timers = {{ {pairs} }}"
    diagnostics.error("C363", chosen.span, "; ".join(wrong), remedy)
    return False


def how_fast(found: int, wanted: int) -> str:
    """By which factor a clock is wrong, in hertz."""
    ratio = Fraction(found, wanted)
    factor, how = (ratio, "fast") if ratio >= 1 or not ratio else (1 / ratio, "slowly")
    return f"{format_number(factor, 2)} times as {how}" if found else "not at all"


def _said(who: str, found: int, wanted: int) -> str:
    verb = "runs" if who == "the processor" else "count"
    has = "has" if who == "the processor" else "have"
    it = "it" if who == "the processor" else "they"
    where = f"where [clock] says {format_frequency(wanted)}"
    return f"{who} {has} {format_frequency(found)}, {where}: {it} {verb} {how_fast(found, wanted)}"
