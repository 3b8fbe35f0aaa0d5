# SPDX-License-Identifier: Apache-2.0
"""Stimuli of a run: what a board's emulator can do of them, and the file that tells it (``emulators/stimuli.h``)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from carillon.diagnostics import Diagnostics, Span, suggestion
from carillon.emit import text
from carillon.image import Image
from carillon.model.board import Board
from carillon.model.stimuli import Stimuli, Stimulus, StimulusKind
from carillon.units import shorten

MOST = 1_000_000
"""Stimuli of a run, repetitions counted."""
MOST_PINS = 64
"""Pins of a run; ``STIMULI_PINS`` of ``emulators/stimuli.h``."""
NO_ROW = 0xFFFF_FFFF

CAN: Mapping[str, Collection[StimulusKind]] = {
    "simavr": tuple(StimulusKind),
    "rp2040js": tuple(StimulusKind),
    "rigless": tuple(StimulusKind),
    "native": (StimulusKind.SOURCE,),
}
"""The stimuli that an emulator can carry out at an exact time, by its kind."""

_WORDS = {
    StimulusKind.PIN: "levels of pins",
    StimulusKind.ADC: "voltages",
    StimulusKind.UART: "received bytes",
    StimulusKind.SOURCE: "requests of interrupts",
}


@dataclass(frozen=True, slots=True)
class Prepared:
    """Stimuli of a run that its emulator can do: the file's lines, the pins and the rows, by their numbers in records."""

    lines: tuple[str, ...]
    pins: tuple[str, ...]
    rows: tuple[Stimulus, ...]


def fits(stimuli: Stimuli, board: Board, diagnostics: Diagnostics) -> bool:
    """Whether the board's emulator can do all that; reports C296, once of each kind of stimulus that it cannot do at all."""
    known = len(diagnostics.errors)
    used = [(row.kind, row.span) for row in stimuli.rows] + [(StimulusKind.PIN, span) for _, span in stimuli.watch]
    for kind, span in {kind: span for kind, span in reversed(used) if kind not in _can(board)}.items():
        _refuse(kind, board, span, diagnostics)
    for row in stimuli.rows:
        if row.kind in _can(board):
            _check(row, board, diagnostics)
    for name, span in stimuli.watch if StimulusKind.PIN in _can(board) else ():
        _check_pin(name, board, span, diagnostics)
    return len(diagnostics.errors) == known


def prepare(
    stimuli: Stimuli, image: Image, symbols: Mapping[str, tuple[int, int]], lead: int, ticks: int, diagnostics: Diagnostics
) -> Prepared | None:
    """What the emulator is told for a run of ``ticks``; None after C296 or C298.

    The stimuli fit the board (:func:`fits`).  ``lead``: units of the emulator's time from the start's first store to tick 0.
    Warns of what comes after the run (C297).
    """
    board = image.system.board
    vendors = board.run.pin_names if board.run is not None else {}
    given = [row.name for row in stimuli.rows if row.kind is StimulusKind.PIN]
    shown = tuple(dict.fromkeys((*given, *(name for name, _ in stimuli.watch))))
    chips = tuple(dict.fromkeys(vendors.get(name, name) for name in shown))
    if len(chips) > MOST_PINS:
        where = next((span for _, span in stimuli.watch), None)
        diagnostics.error("C296", where, f"a run has {len(chips)} pins", f"use at most {MOST_PINS} of them")
        return None
    happening = _happenings(stimuli, ticks, vendors, diagnostics)
    if happening is None:
        return None
    per_tick = max(1, board.clock(image.system.clock_hz).instructions_per_tick)
    starts = [symbols[name] for name in (f"{text.stem(image, mode)}_start" for mode in image.modes) if name in symbols]
    lines = [f"B {begin:x} {begin + max(size, 1):x}" for begin, size in starts]
    lines += [f"P {name}" for name in chips]
    for tick, number in happening:
        row = stimuli.rows[number]
        at = -1 if tick < 0 else lead + tick * per_tick
        head = f"S {at} {number}"
        if row.kind is StimulusKind.PIN:
            lines.append(f"{head} p {chips.index(vendors.get(row.name, row.name))} {row.value}")
        elif row.kind is StimulusKind.ADC:
            lines.append(f"{head} a {row.name} {row.value}")
        elif row.kind is StimulusKind.SOURCE:
            lines.append(f"{head} i 0 {board.named_sources[row.name]}")
        else:
            sent = str(row.value).encode()
            line = board.console.data if board.console is not None else 0
            lines += [f"S {at} {NO_ROW if place else number} u {line} {byte}" for place, byte in enumerate(sent)]
    names = {chip: name for name in reversed(shown) for chip in (vendors.get(name, name),)}
    return Prepared(tuple(lines), tuple(names[chip] for chip in chips), stimuli.rows)


def write(prepared: Prepared, path: Path) -> Path:
    """Write the file that the emulator reads."""
    path.write_text("".join(f"{line}\n" for line in prepared.lines), encoding="ascii")
    return path


def _happenings(
    stimuli: Stimuli, ticks: int, vendors: Mapping[str, str], diagnostics: Diagnostics
) -> list[tuple[int, int]] | None:
    """(tick, row) of all that happens, in its order; -1 is from reset on."""
    found: list[tuple[int, int]] = []
    for number, row in enumerate(stimuli.rows):
        if row.at is not None and row.at >= ticks:
            cause = f"{shorten(str(row))} comes in tick {row.at}, and the run ends before tick {ticks}"
            diagnostics.warning("C297", row.span, cause, "let the run last longer: --for")
            continue
        times = _times(row, ticks)
        if len(times) + len(found) > MOST:
            cause = f"more than {MOST} stimuli happen in the run"
            diagnostics.error("C296", row.span, cause, "write a longer 'every', or 'count', or run for a shorter time")
            return None
        found += [(tick, number) for tick in times]
    levels: dict[tuple[str, int], Stimulus] = {}
    for tick, number in sorted(found):
        row = stimuli.rows[number]
        if row.kind in (StimulusKind.PIN, StimulusKind.ADC):
            before = levels.setdefault((f"{row.kind.value} {vendors.get(row.name, row.name)}", tick), row)
            if before.value != row.value:
                when = "at reset" if tick < 0 else f"in tick {tick}"
                cause = f"{shorten(str(row))} contradicts {shorten(str(before))} of line {before.span.line}, both {when}"
                diagnostics.error("C298", row.span, cause, "let one of the two happen later, or remove it")
                return None
    return sorted(found)


def _times(row: Stimulus, ticks: int) -> range:
    if row.at is None:
        return range(-1, 0)
    if not row.every:
        return range(row.at, row.at + 1)
    end = min(ticks, row.at + row.every * (row.count or MOST + 1))  # more than MOST are refused
    return range(row.at, end, row.every)


def _can(board: Board) -> Collection[StimulusKind]:
    return CAN.get(board.run.kind if board.run is not None else "", ())


def _refuse(kind: StimulusKind, board: Board, span: Span, diagnostics: Diagnostics) -> None:
    how = "a program of this machine" if board.native else f"run by {board.run.kind}" if board.run is not None else "not run"
    can = ", ".join(_WORDS[one] for one in _can(board)) or "no stimuli at all"
    cause = f"board '{board.name}' is {how}, which cannot do {_WORDS[kind]} at a time of the run"
    remedy = f"it can do {can}: choose a board that is run by simavr, rp2040js or rigless, such as arduino-uno, or remove them"
    diagnostics.error("C296", span, cause, remedy)


def _check(row: Stimulus, board: Board, diagnostics: Diagnostics) -> None:
    """Report C296 if the board's emulator cannot do a stimulus."""
    assert board.run is not None
    if row.kind is StimulusKind.PIN:
        _check_pin(row.name, board, row.span, diagnostics)
    elif row.kind is StimulusKind.ADC and int(row.name) >= board.run.adc:
        cause = f"board '{board.name}' has no channel {row.name} of a converter"
        remedy = f"its channels are 0 to {board.run.adc - 1}" if board.run.adc else "it has none at all"
        diagnostics.error("C296", row.span, cause, remedy)
    elif row.kind is StimulusKind.UART and board.run.kind == "rigless" and board.console is None:
        cause = f"board '{board.name}' does not say which serial line receives"
        diagnostics.error("C296", row.span, cause, "write the registers of its UART in [console] of the board's file")
    elif row.kind is StimulusKind.SOURCE and row.name not in board.named_sources:
        cause = f"board '{board.name}' has no interrupt source {shorten(row.name)}"
        diagnostics.error("C296", row.span, cause, suggestion(row.name, list(board.named_sources)))


def _check_pin(name: str, board: Board, span: Span, diagnostics: Diagnostics) -> None:
    assert board.run is not None
    pins = list(_pins(board))
    if name not in pins and name not in board.run.pin_names:
        cause = f"board '{board.name}' has no pin {shorten(name)}"
        diagnostics.error("C296", span, cause, suggestion(name, [*pins, *board.run.pin_names]))


def _pins(board: Board) -> Iterator[str]:
    assert board.run is not None
    for prefix, count in board.run.pins.items():
        yield from (f"{prefix}{number}" for number in range(count))
