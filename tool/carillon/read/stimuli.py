# SPDX-License-Identifier: Apache-2.0
"""Reads stimuli: the table ``[stimuli]`` of a schedule, or a file of its own in TOML or CSV (SPEC, section 'Stimuli')."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from carillon.diagnostics import Diagnostics, Span
from carillon.model import System
from carillon.model.stimuli import Stimuli, Stimulus, StimulusKind
from carillon.read.schema import StimuliTable, StimulusTable
from carillon.read.shape import Broken, fit
from carillon.read.spans import SpanIndex
from carillon.read.text import parse_toml, read_text
from carillon.read.ticks import Ticks
from carillon.units import MalformedError, parse_time, shorten

COLUMNS = ["time", "what", "value"]
LONGEST_TEXT = 32
"""Bytes that arrive at one time: the shortest of the emulators' buffers."""
MOST_VOLTS = 100
_ONE = "write one of pin, adc, uart and source in a row"

Row = tuple[StimulusTable, Span]


def stimuli_of(table: StimuliTable, places: SpanIndex, broken: Broken, ticks: Ticks, diagnostics: Diagnostics) -> Stimuli:
    """The stimuli of a table; what is broken was reported."""
    sound = [
        (row, places.value(("stimuli", "rows", k))) for k, row in enumerate(table.rows) if not broken.under("stimuli", "rows", k)
    ]
    rows = tuple(_converted(sound, ticks, diagnostics))
    watch = tuple((name, places.value(("stimuli", "watch", k))) for k, name in enumerate(table.watch))
    return Stimuli(rows, watch)


def read_stimuli(path: Path, system: System, diagnostics: Diagnostics) -> Stimuli:
    """The stimuli of a file, in ticks of the system's clock: TOML with ``[stimuli]`` alone, or CSV by the file's name.

    Reports what the file has wrong, with its line.  Never raises for anything that a file can hold.
    """
    text = read_text(path, diagnostics, "stimuli")
    if text is None:
        return Stimuli()
    ticks = Ticks(system.board, system.clock_hz, True, diagnostics)
    if path.suffix.lower() == ".csv":
        return Stimuli(tuple(_converted(_csv_rows(text.content, str(path), diagnostics), ticks, diagnostics)))
    parsed = parse_toml(text, str(path), diagnostics)
    if parsed is None:
        return Stimuli()
    for key in [key for key in parsed.data if key != "stimuli"]:
        cause = f"{shorten(key)} does not belong in a file of stimuli"
        diagnostics.error("C295", parsed.places.key((key,)), cause, "write the table [stimuli] alone")
        del parsed.data[key]
    file, broken = fit(parsed.data, parsed.places, diagnostics)
    if file.stimuli is None:
        if not diagnostics.errors:
            diagnostics.error("C295", Span(str(path)), "the file has no stimuli", "begin it with [stimuli]")
        return Stimuli()
    return stimuli_of(file.stimuli, parsed.places, broken, ticks, diagnostics)


def _csv_rows(content: str, file: str, diagnostics: Diagnostics) -> Iterator[Row]:
    """The rows of a CSV file, whose first line has the names of its columns."""
    lines = csv.reader(content.splitlines())
    first = True
    while True:
        try:
            cells = next(lines)
        except StopIteration:
            break
        except csv.Error as error:
            diagnostics.error("C295", Span(file, max(1, lines.line_num)), f"no line of CSV: {error}", "write time,what,value")
            return
        span = Span(file, lines.line_num, 1)
        cells = [cell.strip() for cell in cells]
        if first:
            first = False
            if cells != COLUMNS:
                cause = "the first line does not name the columns"
                diagnostics.error("C295", span, cause, f"begin the file with the line {','.join(COLUMNS)}")
                return
        elif any(cells) and not cells[0].startswith("#"):
            row = _csv_row(cells, span, diagnostics)
            if row is not None:
                yield row, span


def _csv_row(cells: list[str], span: Span, diagnostics: Diagnostics) -> StimulusTable | None:
    if len(cells) not in (2, 3) or not cells[1]:
        cause = f"a line has {len(cells)} columns" if cells[1:2] != [""] else "a line does not say what it is for"
        diagnostics.error("C295", span, cause, "write time,what,value: 10ms,PD2,1")
        return None
    what, value = cells[1], cells[2] if len(cells) == 3 else ""
    data: dict[str, object] = {}
    try:
        if cells[0]:
            data["at"] = parse_time(cells[0])
    except MalformedError as wrong:
        diagnostics.error("C016", span, wrong.cause, wrong.remedy)
        return None
    if what.lower() == "uart":
        data["uart"] = value
    elif what.upper().startswith("ADC") and what[3:].isascii() and what[3:].isdigit() and len(what) < 6:
        try:
            data |= {"adc": int(what[3:]), "volts": float(value)}
        except ValueError:
            diagnostics.error("C295", span, f"{shorten(value)} is no voltage", "write the volts as a number: 2.5")
            return None
    elif value in ("0", "1"):
        data |= {"pin": what, "level": int(value)}
    elif value:
        cause = f"{shorten(value)} is no level of a pin"
        diagnostics.error("C295", span, cause, "write 0 or 1, or nothing to request the interrupt of that name")
        return None
    else:
        data["source"] = what
    return StimulusTable.model_construct(None, **data)


def _converted(rows: Iterable[Row], ticks: Ticks, diagnostics: Diagnostics) -> Iterator[Stimulus]:
    """Rows with times in ticks; reports C295, C298, and what times can have wrong."""
    given: dict[tuple[StimulusKind, str, int | None], Stimulus] = {}
    for row, span in rows:
        found = _stimulus(row, span, ticks, diagnostics)
        if found is None:
            continue
        before = given.setdefault((found.kind, found.name, found.at), found)
        if before.value != found.value and found.kind in (StimulusKind.PIN, StimulusKind.ADC):
            when = "at reset" if found.at is None else f"in tick {found.at}"
            cause = f"{shorten(str(found))} contradicts {shorten(str(before))} of line {before.span.line}, both {when}"
            diagnostics.error("C298", span, cause, "let one of the two happen later, or remove it")
        yield found


def _stimulus(row: StimulusTable, span: Span, ticks: Ticks, diagnostics: Diagnostics) -> Stimulus | None:
    def wrong(cause: str, remedy: str) -> None:
        diagnostics.error("C295", span, cause, remedy)

    kinds = [kind for kind in StimulusKind if getattr(row, kind.value) is not None]
    if len(kinds) != 1:
        named = " and ".join(f"'{kind.value}'" for kind in kinds)
        wrong(f"a stimulus has {named}" if kinds else "a stimulus does not say what it is for", _ONE)
        return None
    (kind,) = kinds
    value: int | str = 0
    for key, owner in (("level", StimulusKind.PIN), ("volts", StimulusKind.ADC)):
        if getattr(row, key) is not None and kind is not owner:
            wrong(f"'{key}' belongs to '{owner.value}', and the stimulus has '{kind.value}'", f"remove '{key}'")
            return None
        if getattr(row, key) is None and kind is owner:
            wrong(f"a stimulus with '{kind.value}' has no '{key}'", f"write '{key}', too")
            return None
    if kind is StimulusKind.PIN:
        value = int(row.level or 0)
    elif kind is StimulusKind.ADC:
        volts = float(row.volts or 0)
        if not 0 <= volts <= MOST_VOLTS:
            wrong(f"a voltage is not between 0 and {MOST_VOLTS} V", "write what the pin has, in volts: 2.5")
            return None
        value = round(volts * 1_000_000)
    elif kind is StimulusKind.UART:
        value = str(row.uart)
        if not 1 <= len(value.encode()) <= LONGEST_TEXT:
            wrong(
                f"a text has {len(value.encode())} bytes",
                f"write 1 to {LONGEST_TEXT} bytes, and what follows later in a row of its own",
            )
            return None
    if row.count is not None and row.every is None:
        wrong("a stimulus has 'count' and no 'every'", 'write after which time it happens again: every = "20ms"')
        return None
    if row.at is None and (row.every is not None or kind in (StimulusKind.UART, StimulusKind.SOURCE)):
        wrong("a stimulus does not say when it happens", 'write at = "10ms"; only a level or a voltage may hold from reset on')
        return None
    at = None if row.at is None else ticks.exact(row.at, "'at' of a stimulus", span)
    every = None if row.every is None else ticks.exact(row.every, "'every' of a stimulus", span, recurs=True)
    if (row.at is not None and (at is None or at.denominator != 1)) or (
        row.every is not None
        and (every is None or ticks.vanishes(every, "'every' of a stimulus", span) or every.denominator != 1)
    ):
        return None
    name = str(row.adc) if kind is StimulusKind.ADC else "" if kind is StimulusKind.UART else str(getattr(row, kind.value))
    return Stimulus(kind, name, value, None if at is None else int(at), int(every or 0), row.count or 0, span)
