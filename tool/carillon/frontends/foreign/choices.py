# SPDX-License-Identifier: Apache-2.0
"""What files of other tools leave to the implementation, and Carillon therefore chooses and says.

An application's name, the tick of a counter (C152), and the interrupt source of an ISR (C153, C154).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from carillon.diagnostics import Span
from carillon.frontends.foreign.converted import Converted
from carillon.read.interrupt_sources import free
from carillon.read.spans import Path
from carillon.units import SECONDS, format_number

DEFAULT_TICK = "1ms"
Report = Callable[[str, Span, str, str], None]
"""Takes a code, a place, a cause and a remedy."""


def application_name(stem: str) -> str:
    """An application's name from that of a file: other characters than letters, digits, '-' and '_' become '_'."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", stem)
    return name if re.match(r"[A-Za-z]", name) else f"app_{name}"


def duration(seconds: Fraction | int) -> str:
    """A time as a schedule writes it, in the largest unit that gives at least 1."""
    unit = next((unit for unit in ("s", "ms", "us") if seconds >= SECONDS[unit]), "ns")
    return format_number(Fraction(seconds) / SECONDS[unit]) + unit


def incremented(osek: Mapping[str, Any]) -> set[str]:
    """The counters that alarms increment: they are software counters, unless the file gives their kind."""
    return {table["increment"] for table in osek.get("alarm", {}).values() if "increment" in table}


def choose_tick(result: Converted, path: Path, span: Span, counter: str, remedy: str, warn: Report) -> None:
    """Give the counter at ``path`` a tick, as the file has none; ``counter``: the counter's name in messages."""
    result.store((*path, "tick"), DEFAULT_TICK)
    result.places.put((*path, "tick"), span, span)
    result.notes[*path, "tick"] = f"{result.language} does not say; chosen by Carillon"
    warn("C152", span, f"nothing says how long a tick of {counter} is: Carillon takes {DEFAULT_TICK}", remedy)


def sources_of(result: Converted, sources: Callable[[str | None], list[str] | None]) -> list[str] | None:
    """The application sources of the board that a file names; None if the board cannot be read."""
    refused = ("system", "board") in result.broken
    return None if refused else sources(result.data["system"].get("board"))


def assign_sources(
    result: Converted,
    written: Mapping[str, str | None],
    known: list[str] | None,
    more: str,
    naming: Callable[[str, str], str],
    error: Report,
    warn: Report,
) -> None:
    """Give every ISR without a source one of the board's that is free, in their order.

    ``written`` says what the file has for each of them that is no source of the board, if anything.  ``known`` are the board's
    sources, None if there is no board: then it is the board that is reported.  ``more`` is what to do if the board has too few,
    in the language's words, and ``naming`` says how the source of an ISR is named.
    """
    isrs: dict[str, dict[str, Any]] = result.data["osek"].get("isr", {})
    without = [name for name, table in isrs.items() if "source" not in table]
    if known is None:
        result.broken.update(("osek", "isr", name, "source") for name in without)
        return
    taken = {table.get("source") for table in isrs.values()}
    left = free(known, taken)
    given = dict(zip(without, left, strict=False))
    for name, source in given.items():
        isrs[name]["source"] = source
        instead = written.get(name)
        result.notes["osek", "isr", name, "source"] = f"chosen by Carillon{f' instead of {instead}' if instead else ''}"
    for name in without[len(left) :]:
        result.broken.add(("osek", "isr", name, "source"))
        cause = f"there is no interrupt source left for ISR {name}: the board has {len(known)} for applications"
        error("C154", result.places.key(("osek", "isr", name)), cause, more)
    if given:
        first = next(iter(given))
        listed = ", ".join(f"{name} gets {source}" for name, source in given.items())
        cause = f"the file names no interrupt source that the board has: {listed}"
        warn("C153", result.places.key(("osek", "isr", first)), cause, f"name them: {naming(first, given[first])}")
