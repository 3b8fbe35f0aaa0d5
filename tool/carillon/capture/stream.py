# SPDX-License-Identifier: Apache-2.0
"""The stream of starts and ends that a running chip sends: ``kernel/core/stream.c`` says what its bytes are.

1. Whatever bytes come, the top bit shows where a frame may begin, and the CRC whether it is one.
2. A frame is believed if its number follows that of the one before it.  Where it does not, the next frame must follow it in turn,
   or a place stand before it.  So a damaged frame would have to meet CRC and number, 24 bits, to be taken for an event.
3. Events behind a gap wait until a place says their number, as every 64th has one.  If the next gap comes first, their number is
   the least that they may have.  What a place says later then makes the next gap longer.
"""

from __future__ import annotations

import binascii
from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import NamedTuple

from carillon.capture import UNFIT, Capture, Highs, refuse
from carillon.capture.swo import Swo
from carillon.diagnostics import Span
from carillon.image.words import Words, identity, numbered
from carillon.model import System
from carillon.trace import Unseen

LINE, PAYLOAD = 8, 7
PLACE = 1
"""The first byte of a place."""
NUMBERS = 1 << 30
"""Events are counted modulo this."""
TURNS = 1 << 16
_SEED = 0xFFFF
MOST_GAPS = 1000
"""Gaps that are listed at most, the last ones."""


class Happened(NamedTuple):
    """An event; ``time`` is in units of the counter, from the start of the image."""

    number: int
    time: int
    function: int
    begins: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """``length`` events from ``number`` on are not known; ``exact``: else there may be 256 more, or a multiple of that.

    ``dropped``: of them, those for which the chip had no room.  ``since`` and ``until``: the times of the events around it;
    None before the first.
    """

    number: int
    length: int
    exact: bool
    dropped: int
    since: int | None
    until: int


@dataclass(frozen=True, slots=True)
class Restarted:
    """The image began anew; its numbers and times do, too."""


Item = Happened | Gap | Restarted


class _Place(NamedTuple):
    number: int
    turns: int
    lost: int


def unpacked(line: bytes) -> bytes:
    """The payload of a frame's bytes, a multiple of eight."""
    payload = bytearray()
    for at in range(0, len(line), LINE):
        tops = line[at + PAYLOAD]
        payload += bytes((line[at + n] & 0x7F) | ((tops >> n & 1) << 7) for n in range(PAYLOAD))
    return bytes(payload)


class Decoder:
    """Reads a stream, in pieces of any size."""

    def __init__(self, file: str, words: Words, functions: int, schedule: int) -> None:
        self._span = Span(file)
        self._words, self._functions, self._schedule = words, functions, schedule
        self._rest = b""
        self._items: list[Item] = []
        self._place: _Place | None = None  # that the next event has
        self._run: list[tuple[int, int, int, bool]] = []  # number's low byte, stamp, function, begins: whose place is not known
        self._follows: int | None = None  # low byte of the number that a run's next event has; None: no run
        self._known = False  # where the run is
        self._next: int | None = None  # number of the event behind the last one that was told
        self._time = self._lost = 0
        self.damaged = 0
        """Bytes that were of no event."""
        self.foreign = 0
        """Places of another schedule, since the last one of this one."""
        self.places = 0

    def feed(self, data: bytes) -> list[Item]:
        """What these bytes tell, with what was read before them.

        Raises CarillonError (C302) where two places in turn are those of another schedule.
        """
        buffer, at = self._rest + data, 0
        while at < len(buffer):
            size = LINE
            piece = buffer[at : at + size]
            if piece[0] >= 0x80 and len(piece) == size and piece[1:].isascii():
                payload = unpacked(piece)
                if payload[0] == PLACE:
                    size = 2 * LINE
                    piece = buffer[at : at + size]
                    payload = unpacked(piece) if len(piece) == size and piece[1:].isascii() else b""
            else:
                payload = b""
            if not payload and piece[0] >= 0x80 and len(piece) < size and piece[1:].isascii():
                break  # the rest is still to come
            if payload and binascii.crc_hqx(payload[:-2], _SEED) == int.from_bytes(payload[-2:], "little"):
                (self._take if size == LINE else self._take_place)(payload)
                at += size
                continue
            step = next((n for n in range(1, len(piece)) if piece[n] >= 0x80), len(piece))
            self._damage(step)
            at += step
        self._rest = buffer[at:]
        return self._told()

    def finish(self) -> list[Item]:
        """What is left at the end.  Raises CarillonError (C302) if all of it was another schedule's."""
        if self._rest:
            self._damage(len(self._rest))
            self._rest = b""
        if self._next is None and len(self._run) > 1:  # too short for a place
            self._tell(self._run[0][0], exact=False)
        self._end_run()
        if self.foreign and not self.places:
            self._refuse()
        return self._told()

    def _told(self) -> list[Item]:
        items, self._items = self._items, []
        return items

    def _refuse(self) -> None:
        remedy = "give the schedule of the image that runs, or build that image again"
        refuse(UNFIT, self._span, "the stream is of an image that was made of another schedule", remedy)

    def _damage(self, count: int) -> None:
        self.damaged += count
        self._place = None
        self._end_run()

    def _take_place(self, payload: bytes) -> None:
        number, turns, lost = (int.from_bytes(payload[a:b], "little") for a, b in ((1, 5), (8, 10), (10, 12)))
        if int.from_bytes(payload[5:8], "little") != self._schedule:
            self.foreign += 1
            if self.foreign > 1:
                self._refuse()
            self._damage(2 * LINE)
            return
        self.foreign = 0
        self.places += 1
        self._place = _Place(number % NUMBERS, turns, lost)

    def _take(self, payload: bytes) -> None:
        stamp, function, begins = self._words.read(int.from_bytes(payload[:4], "little"))
        low, place = payload[4], self._place
        self._place = None
        if not 0 <= function < self._functions or (place is not None and place.number & 0xFF != low):
            self._damage(LINE)
            return
        if low != self._follows or (place is not None and self._known and place.number != self._next):
            self._end_run()
        self._follows = (low + 1) & 0xFF
        if self._known:
            assert self._next is not None
            self._time += (stamp - self._time) % (1 << self._words.stamp_bits)
            self._items.append(Happened(self._next, self._time, function, begins))
            self._next = (self._next + 1) % NUMBERS
            return
        self._run.append((low, stamp, function, begins))
        if place is not None:
            self._tell((place.number - len(self._run) + 1) % NUMBERS, exact=True, place=place)
            self._known = True

    def _end_run(self) -> None:
        """The next event does not follow the last one.  One alone that no place has told of is not believed."""
        if len(self._run) > 1 and self._next is not None:
            self._tell((self._next + (self._run[0][0] - self._next) % 256) % NUMBERS, exact=False)
        self._run, self._follows, self._known = [], None, False

    def _tell(self, number: int, *, exact: bool, place: _Place | None = None) -> None:
        """Tell of the run, whose first event has that number; ``place`` is that of its last one."""
        turn = 1 << self._words.stamp_bits
        times = [self._time + (self._run[0][1] - self._time) % turn]
        for _, stamp, _, _ in self._run[1:]:
            times.append(times[-1] + (stamp - times[-1]) % turn)
        distance = (number - (self._next or 0)) % NUMBERS
        if self._next is not None and distance and (number == 0 or distance >= NUMBERS // 2):
            self._items.append(Restarted())
            self._next, self._lost, self._time, distance = None, 0, 0, number
        if place is not None:  # its turns are those of the last event
            last = place.turns * turn + self._run[-1][1]
            base = self._time if self._next is not None else 0
            last = base + (last - base) % (TURNS * turn)
            times = [time - times[-1] + last for time in times]
        dropped = min(distance, (place.lost - self._lost) % TURNS) if place is not None else 0
        self._lost = place.lost if place is not None else self._lost
        if distance:
            since = self._time if self._next is not None else None
            self._items.append(Gap(self._next or 0, distance, exact, dropped, since, times[0]))
        self._items += [Happened((number + k) % NUMBERS, times[k], *event[2:]) for k, event in enumerate(self._run)]
        self._next, self._time = (number + len(self._run)) % NUMBERS, times[-1]
        self._run = []


class Recording:
    """What a stream has told since the chip's last start, of the last ``most`` events."""

    def __init__(self, file: str, system: System, most: int) -> None:
        counter = system.board.trace
        if system.tracing is None or system.tracing.stream is None or counter is None:
            refuse(
                UNFIT, Span(file), "the schedule has no stream", 'write [trace], ring = 256 and stream = "uart", "rtt" or "itm"'
            )
        self.numbers = numbered(system)
        self.names = [it.name for it in self.numbers]
        """Whose each number is."""
        self.system = system
        self.file, self.unit, self._most = file, Fraction(1, counter.hz or system.clock_hz), most
        self.decoder = Decoder(file, Words.of(system, counter), len(self.names), identity(system))
        self.swo = Swo(system.tracing.itm_port) if system.tracing.stream == "itm" else None
        """What takes the stream out of packets."""
        self.starts = dict.fromkeys(self.names, 0)
        self._waiting: set[str] = set()
        self.gaps: deque[Gap] = deque(maxlen=MOST_GAPS)
        self.gap_count = self.lost = self.dropped = self.restarts = self.events = self.left_out = 0
        self.items: deque[Happened | Gap] = deque()

    def feed(self, data: bytes | None) -> None:
        """Take bytes; None at the end of the stream."""
        if self.swo is not None and data is not None:
            data = self.swo.feed(data)
        for item in self.decoder.feed(data) if data is not None else self.decoder.finish():
            if isinstance(item, Restarted):
                self.restarts += 1
                self._waiting.clear()
                self.items.clear()
                self.left_out = 0
                continue
            if isinstance(item, Happened):
                self.events += 1
                self._count(item)
            else:
                self._waiting.clear()
                self.gaps.append(item)
                self.gap_count += 1
                self.lost += item.length
                self.dropped += item.dropped
            self.items.append(item)
            if len(self.items) > self._most:
                self.items.popleft()
                self.left_out += 1

    def _count(self, item: Happened) -> None:
        """Count a start; what goes on that has waited has not started."""
        told = self.numbers[item.function]
        if not item.begins:
            (self._waiting.add if told.waits else self._waiting.discard)(told.name)
        elif told.name not in self._waiting:
            self.starts[told.name] += 1

    def capture(self, last: int | None = None) -> Capture:
        """The events as signals, all or the last ones; what had begun before them, or ended behind a gap, is left out."""
        shown = list(islice(self.items, max(0, len(self.items) - last), None)) if last is not None else list(self.items)
        own = {name: Highs(name) for name in self.names}
        blind: list[Unseen] = []
        first = now = next((item.until if isinstance(item, Gap) else item.time for item in shown), 0)
        for item in shown:
            if isinstance(item, Gap):
                for highs in own.values():
                    highs.lose()
                blind += [Unseen(now, item.until, item.length, item.exact)] if item.until > now else []
                now = item.until
                continue
            now, told = item.time, self.numbers[item.function]
            if item.begins:
                own[told.name].begin(now)
            else:
                own[told.name].end(now, waits=told.waits)
        return Capture(self.file, self.unit, first, now, tuple(highs.signal() for highs in own.values()), tuple(blind))
