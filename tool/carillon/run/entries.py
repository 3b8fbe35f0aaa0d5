# SPDX-License-Identifier: Apache-2.0
"""The kinds of records of a run, and the vector to which a handler's entry belongs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from carillon.elf import WRAP
from carillon.emit import text
from carillon.emit.library import MARK, vendors
from carillon.image import Image
from carillon.image.operations import Vector

ENTRIES = "carillon_port_entries"
"""Where the processor enters handlers, if not at the functions that vectors name: a jump for each source, from 0."""


class Code(IntEnum):
    """Kinds of records, as in ``emulators/trace_records.h``."""

    BEGIN = 0  # the first start store of a mode comes next; value: address of its start list
    ENTER = 1  # a handler's first instruction; value: what entry_values says
    EXIT = 2  # the first instruction after it
    EXPIRY = 3  # virtual boards: a cell expired
    CALL = 4  # a watched function's first instruction
    RETURN = 5  # its last one
    HALT = 6  # the run ended
    RESUME = 7  # an extended task begins or goes on; value: address of its context
    SUSPEND = 8  # it waits
    LEAVE = 9  # it ends
    MARK = 10  # a marked instruction; value: its address
    STEP = 11  # a step of a schedule table is served; value: the address that was read of it
    TABLE_STARTS = 12  # a table's status is written where it is started; value: the status's address
    TABLE_STOPS = 13  # where it is stopped
    TABLE_NEXT = 14  # where it is named as the next one, or no longer
    TABLE_GOES = 15  # where points are served: a table ends, and the next one goes on
    REQUEST = 16  # a source is requested that was not; value: the source.  Virtual boards: by no cell; simavr: of those of ISRs
    FAULT = 17  # virtual boards: the fault of a campaign happens; value: its kind there
    CLOCK = 18  # rigless: a clock has changed: three of them, the processor's and those of each bus's timers; value: hertz
    STIMULUS = 32  # a stimulus happens; value: its row (these two as in ``emulators/stimuli.h``)
    LEVEL = 33  # a pin has another level, bit 0 of the value; the bits above are its number


class Record(NamedTuple):
    """One record."""

    time: int
    code: int
    value: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A vector, and whether its function is the application's own and begins unseen with the handler."""

    vector: Vector
    begins: bool


def own_vectors(image: Image, symbols: Mapping[str, tuple[int, int]]) -> list[Vector]:
    """Handlers that the schedule does not name: the project's, beside a library, and where vectors are code avr-libc's ISR().

    Start-up code has one function for all that nobody serves.
    """
    board = image.system.board
    beside = MARK in symbols
    if board.vectors == "table" and not beside:
        return []
    names = {f"{text.HANDLER}{s}": s for s in range(board.system_vectors, board.sources)}
    names = {name: s for name, s in (vendors(image) if beside else names).items() if name in symbols}
    nobodys = {symbols[text.UNEXPECTED][0]} if text.UNEXPECTED in symbols else set()
    nobodys |= {address for address, count in Counter(symbols[name][0] for name in names).items() if beside and count > 1}
    own = {s: name for name, s in names.items() if symbols[name][0] not in nobodys}
    return [Vector(s, n, f"vector {s}" if board.vectors == "code" else n, None, n) for s, n in own.items()]


def entry_values(image: Image, symbols: dict[str, tuple[int, int]], vectors: Collection[Vector]) -> dict[int, int]:
    """What a record of a handler's entry has as its value: by source.

    It is the source, except where the processor enters the functions that vectors name: their address then.
    """
    kind = image.system.board.run.kind if image.system.board.run is not None else ""
    by_source = kind in ("native", "simavr") or ENTRIES in symbols
    return {v.source: v.source if by_source else place(v.entry, symbols) for v in vectors}


def place(function: str, symbols: Mapping[str, tuple[int, int]]) -> int:
    """Where a vector that names a function leads: to what stands in its place, if anything does (``[trace]``)."""
    return symbols.get(WRAP + function, symbols[function])[0]


def called(entries: list[Entry], records: Sequence[Record], place: int, functions: Mapping[int, Collection[str]]) -> list[Entry]:
    """Of the objects that have the source entered at ``place`` together, the one whose function the handler calls.

    All of them if it calls none of theirs.  ``functions``: the names of objects, by their functions' addresses.
    """
    names = {e.vector.object for e in entries if e.vector.runs}
    if len(names) <= 1:
        return entries
    depth = 0
    for k in range(place + 1, len(records)):
        record = records[k]
        if record.code == Code.ENTER:
            depth += 1
        elif record.code == Code.EXIT:
            depth -= 1
            if depth < 0:
                break
        elif record.code == Code.CALL and not depth and names.intersection(functions.get(record.value, ())):
            return [e for e in entries if e.vector.object in functions[record.value]]
    return entries
