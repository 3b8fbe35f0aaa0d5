# SPDX-License-Identifier: Apache-2.0
"""The longest executions of a run, beside the declared WCETs, and what a margin makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, gcd
from typing import TYPE_CHECKING, Any

from carillon.show.table import Table
from carillon.trace import Trace
from carillon.trace.longest import Longest
from carillon.units import format_duration, format_number, parse_time

if TYPE_CHECKING:
    from rich.console import Console

    from carillon.model import System

LENGTHENED = 100
"""A duration is rounded upwards to one that a decimal number says, if that adds at most a part in so many."""


def as_written(ticks: int, clock_hz: int, other_hz: int | None = None) -> str:
    """A time of at least ``ticks`` that is a whole number of ticks, of the other clock, too.

    It is a duration, if it has one that a decimal number says and that is not much longer; else it is in ticks, but for two
    clocks.
    """
    both = clock_hz if other_hz is None else gcd(clock_hz, other_hz)
    least = ceil(Fraction(ticks * both, clock_hz))
    step = both
    for factor in (2, 5):
        while step % factor == 0:
            step //= factor
    rounded = -(-least // step) * step
    text = format_duration(rounded, both, 30)
    exact = parse_time(text).ticks(both) == rounded
    if exact and (other_hz is not None or rounded - least <= least // LENGTHENED):
        return text
    return f"{ticks} ticks"


def with_margin(items: Sequence[Longest], margin: Fraction, clock_hz: int, other_hz: int | None = None) -> dict[str, str]:
    """What is to be written, by name: of all that ran and have no WCET, or one that the run refutes.

    Of what had not ended, or is stopped in the middle of jobs, only a part of its longest execution is known, and nothing is
    written.
    """
    return {
        item.name: as_written(max(1, ceil(item.ticks * (1 + margin))), clock_hz, other_hz)
        for item in items
        if item.ticks is not None and item.ended and not item.stopped and (item.declared is None or item.exceeds)
    }


def longest_json(
    system: System, trace: Trace, items: Sequence[Longest], margin: Fraction, texts: Mapping[str, str], written: str | None
) -> dict[str, Any]:
    """The form that ``--json`` prints: times in ticks."""
    return {
        "system": system.name,
        "board": system.board.name,
        "clock_hz": system.clock_hz,
        "length": trace.length,
        "stopped": trace.stopped,
        "margin": float(margin),
        "file": written,
        "tasks": [_item_json(item, texts.get(item.name), system.clock_hz) for item in items],
    }


def _item_json(item: Longest, text: str | None, hz: int) -> dict[str, Any]:
    return {
        "name": item.name,
        "kind": item.kind,
        "line": item.span.line,
        "wcet": item.declared,
        "longest": None if item.ticks is None else ceil(item.ticks),
        "jobs": item.jobs,
        "at": item.at,
        "ended": None if item.ticks is None else item.ended,
        "exceeded": item.exceeds,
        "stopped": item.stopped or None,
        "write": text,
        "write_ticks": None if text is None else ceil(parse_time(text).ticks(hz)),
    }


def render_longest(
    console: Console, system: System, trace: Trace, items: Sequence[Longest], margin: Fraction, texts: Mapping[str, str]
) -> None:
    """Print the table, how it was found, and what is missing in it."""
    hz = system.clock_hz
    length = format_duration(trace.length, hz, 3)
    tick = format_duration(1, hz, 3)
    console.print(f"{system.name} on {system.board.name}: the longest executions, in ticks; 1 tick = {tick}", markup=False)
    percent = format_number(margin * 100, 3)
    rows = Table("name", "kind", "declared", "", "longest seen", "", "of jobs", "in tick", f"to write, with {percent}%")
    for item in items:
        cells = [item.name, item.kind, *_time(item.declared, hz)]
        cells += ["never ran", ""] if item.ticks is None else _time(ceil(item.ticks), hz)
        cells += [str(item.jobs), "-" if item.at is None else str(item.at), texts.get(item.name, "-")]
        rows.add_row(*cells)
    rows.print(console)
    found = f"Each is the longest of so many jobs of a run of {length} on {system.board.name}; a longer one may exist."
    console.print(found, markup=False)
    console.print(f"A run proves no WCET. {_what_counts(trace)}", markup=False)
    for item in items:
        who = f"{item.kind} '{item.name}'"
        if item.ticks is None:
            console.print(f"  · {who} never ran: the run says nothing of it", markup=False)
        if item.exceeds:
            console.print(f"  · {who} executed for longer than its declared wcet", markup=False)
        if item.stopped and item.ticks is not None:
            console.print(
                f"  · {who}: {item.stopped} may stop it within a job, so that parts of its jobs were seen", markup=False
            )
        if not item.ended:
            console.print(
                f"  · {who}: its longest job had not ended when the run did, so that a part of it was seen", markup=False
            )
    if trace.stopped:
        console.print(f"The run ended in tick {trace.length - 1}: {trace.stopped}.", markup=False)


def _what_counts(trace: Trace) -> str:
    if not trace.instructions_per_tick:
        return "On a virtual board, code takes no time, but for calls of carillon_work."
    return f"The emulator counts {trace.unit}, {trace.instructions_per_tick} a tick. A chip may take longer for them."


def _time(ticks: int | None, hz: int) -> tuple[str, str]:
    return ("-", "") if ticks is None else (str(ticks), format_duration(ticks, hz, 3))
