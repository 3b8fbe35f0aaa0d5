# SPDX-License-Identifier: Apache-2.0
"""The ring of starts and ends in a chip's memory, as a debugger has written it to a file."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path

from carillon.capture import BROKEN, UNFIT, Capture, Highs, refuse
from carillon.diagnostics import Span
from carillon.elf import UnreadableError, read_elf
from carillon.image.words import NEXT, RING, Words, numbered
from carillon.model import System


def read_ring(data: bytes, file: str, system: System, elf: Path | None, base: int | None) -> Capture:
    """The ring's events as signals of tasks.

    ``base``: the address of the first byte of ``data``, which is more than the ring alone; ``elf`` then says where the ring is.
    Raises CarillonError: C301 for what no ring has, C302 where the schedule, the image and the file do not belong together.
    """
    span, counter, tracing = Span(file), system.board.trace, system.tracing
    if tracing is None or tracing.ring is None or counter is None:
        refuse(UNFIT, span, "the schedule has no ring of events", "write [trace] and ring = 1024, and build the image with it")
    words, size, following = Words.of(system, counter), 4 * tracing.ring, None
    if elf is not None:
        address, next_at = _places(elf, size)
        if base is not None:
            begin = address - base
            if begin < 0 or begin + size > len(data):
                cause = f"the ring is at {address:#x} in '{elf}', and the file has {base:#x} to {base + len(data):#x}"
                refuse(UNFIT, span, cause, "give the address of the file's first byte by --base")
            if 0 <= next_at - base <= len(data) - 4:
                (following,) = struct.unpack_from("<I", data, next_at - base)
                following = following // 4 % tracing.ring
            data = data[begin : begin + size]
    if len(data) != size:
        cause = f"the file has {len(data)} bytes, and a ring of {tracing.ring} events has {size}"
        remedy = f"dump binary memory ring.bin &{RING}[0] &{RING}[{tracing.ring}]; of more memory, say --elf and --base"
        refuse(UNFIT, span, cause, remedy)
    listed = _in_order(struct.unpack(f"<{tracing.ring}I", data), words, following, file)
    hz = counter.hz or system.clock_hz
    return _capture(listed, file, system, Fraction(1, hz))


def _places(elf: Path, size: int) -> tuple[int, int]:
    """Where the ring is in an image, and where the variable that says what comes next."""
    try:
        symbols = {symbol.name: symbol for symbol in read_elf(elf).symbols}
    except UnreadableError as error:
        refuse(UNFIT, Span(str(elf)), str(error), "name the image that runs on the chip")
    if RING not in symbols or NEXT not in symbols or symbols[RING].size != size:
        cause = f"the image has no ring of {size // 4} events"
        refuse(UNFIT, Span(str(elf)), cause, "name the image that was built of this schedule, and runs on the chip")
    return symbols[RING].address, symbols[NEXT].address


def _in_order(ring: tuple[int, ...], words: Words, following: int | None, file: str) -> list[tuple[int, int, bool]]:
    """(time, number, whether it starts), in order of time, which begins with 0.

    A ring that was filled begins where the next event is to be written.  If that is not known, it begins behind the longest time
    between two words: the time that all the others leave of a turn of the counter.
    """
    if 0 in ring:
        kept = ring[: ring.index(0)]
        if any(ring[len(kept) :]):
            refuse(
                BROKEN, Span(file), f"word {len(kept)} of the ring is empty, and others after it are not", "dump the ring again"
            )
    else:
        turn = (1 << words.stamp_bits) - 1
        stamps = [words.read(word)[0] for word in ring]
        gaps = [(stamps[k] - stamps[k - 1]) & turn for k in range(len(ring))]
        first = following if following is not None and 0 <= following < len(ring) else gaps.index(max(gaps))
        kept = ring[first:] + ring[:first]
    found: list[tuple[int, int, bool]] = []
    now = before = 0
    for word in kept:
        stamp, number, begins = words.read(word)
        now += (stamp - before) & ((1 << words.stamp_bits) - 1) if found else 0
        before = stamp
        found.append((now, number, begins))
    return found


def _capture(listed: list[tuple[int, int, bool]], file: str, system: System, unit: Fraction) -> Capture:
    """The events as signals; a task that had started before the first event is left out up to its end."""
    numbers = numbered(system)
    own = {it.name: Highs(it.name) for it in numbers}
    for place, (time, number, begins) in enumerate(listed):
        if not 0 <= number < len(numbers):
            cause = f"event {place} of the ring is of no task of the schedule"
            refuse(BROKEN, Span(file), cause, "give the schedule of the image that runs on the chip, and dump the ring again")
        told, highs = numbers[number], own[numbers[number].name]
        if (begins and highs.active) or (not begins and highs.known and not highs.active):
            what = "starts while it is active" if begins else "ends twice"
            cause = f"event {place} of the ring: '{told.name}' {what}"
            refuse(BROKEN, Span(file), cause, "stop the processor while the ring is dumped")
        if begins:
            highs.begin(time)
        else:
            highs.end(time, waits=told.waits)
    end = listed[-1][0] if listed else 0
    return Capture(file, unit, 0, end, tuple(highs.signal() for highs in own.values()))
