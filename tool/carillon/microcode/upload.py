# SPDX-License-Identifier: Apache-2.0
"""Programs for a running target: the protocol of SPEC, section 'Microcode at run time', as the host speaks it."""

from __future__ import annotations

import struct
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

VERSION = 1
DATA_BYTES = 64
"""Bytes of a program in a frame."""
NO_KEY = bytes(16)
"""The key of an image for which none was configured."""
JOINS = 0x80
"""Beside a scheduler's number: the program that runs goes on, as the first part of the one that is sent."""
STOPS = 0x40
"""In the place of a scheduler's number, without a program: the machine has nothing to do any more."""
REPEATS = 5
"""How often a frame is sent until it is answered."""
BROKEN = 200
"""How often it is sent at most where answers come that a task has printed into."""
_PAUSE_S = 0.02
_PAUSES = 250
"""So often a target is asked again whose scheduler decides nothing new."""
_STATUS = struct.Struct("<BBBBHHHIQIIIIBBB?")
_TICKS = struct.Struct("<I")
_DECISION = struct.Struct("<IHH")
_LOGGED = struct.Struct("<II")
_ENTRY = struct.Struct("<IHH")
_DECISIONS = 5
"""Of these in an answer, at most."""
_MASK = (1 << 64) - 1
ANSWERS = ["ok", "another version", "unknown", "busy", "closed", "place"]
RESULTS = [
    "nothing",
    "accepted",
    "incomplete",
    "wrong seal",
    "no such scheduler",
    "refused",
    "it does not begin with the program that runs",
]
WHY = {
    "length": "it is shorter or longer than it says",
    "format": "it does not begin as microcode does, or is of another version",
    "checksum": "its checksum is wrong",
    "tick": "it has another tick",
    "tables": "it was made for another program: its tables are not those of the image",
    "labels": "it has labels",
    "room": "it has no instruction, or too many",
    "opcode": "there is no such instruction",
    "operand": "an operand is out of range",
    "address": "it goes on at an address that is none of its code",
    "end": "nothing follows its last instruction",
    "loop": "it may go round without taking time",
    "bindings": "it may have more triggers waiting than the image has room for",
    "threads": "it may have more threads waiting than the image has room for",
    "handler": "a handler waits, begins something, has a loop or is none of its code",
    "untimed": "the execution time of a task that it releases is not known to the target",
    "uncounted": "its load cannot be counted: a loop releases tasks as often as something happens, or is too long",
    "load": "its tasks need more of the processor than they may take",
}
"""What each reason means; an instruction is named for those from opcode to loop, and from handler on."""
REASONS = ("ok", *WHY)


class Kind(IntEnum):
    """What the host asks for."""

    STATUS = 1
    BEGIN = 2
    DATA = 3
    END = 4
    RECORD = 5
    LOG = 6


class UploadError(Exception):
    """A target's failure; the text gives the reason."""


class LoadError(UploadError):
    """The target cannot keep the program, as far as it knows."""


class Line(Protocol):
    """A serial line."""

    def write(self, content: bytes) -> None:
        """Send bytes."""

    def read(self) -> bytes:
        """The bytes that have come; none if none come within the line's patience."""


@dataclass(frozen=True, slots=True)
class Status:
    """What a target says of itself: the fields of an answer, in their order."""

    answer: str
    open: bool
    waiting: bool
    result: str
    reason: str
    address: int
    uploads: int
    dropped: int
    received: int
    challenge: int
    running: int
    tick_ns: int
    interface: int
    room: int
    triggers: int
    threads: int
    scheduler: int
    lost: bool
    checks: bool
    stopped: bool
    generated: bool
    unable: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """What a target's scheduler has decided: which task runs behind the block that ends before an address.

    ``order`` is the least first, and of equal ones the first task.
    """

    order: int
    block: int
    task: int


LOST = 0xFFFF
"""The kind of an entry that stands for those that were overwritten."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a target's machine has done, at a time in its ticks."""

    time: int
    task: int
    kind: int


def siphash(key: bytes, content: bytes) -> int:
    """SipHash-2-4 (Aumasson and Bernstein, INDOCRYPT 2012) with a key of 16 bytes."""
    k0, k1 = struct.unpack("<QQ", key)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def turned(value: int, bits: int) -> int:
        return (value << bits | value >> (64 - bits)) & _MASK

    def mix() -> None:
        for a, b, c, d, first, second in ((0, 1, 2, 3, 13, 16), (2, 1, 0, 3, 17, 21)):
            v[a] = (v[a] + v[b]) & _MASK
            v[c] = (v[c] + v[d]) & _MASK
            v[b] = turned(v[b], first) ^ v[a]
            v[d] = turned(v[d], second) ^ v[c]
            v[a] = turned(v[a], 32)

    padded = content + bytes(7 - len(content) % 8) + bytes([len(content) & 0xFF])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        mix()
        mix()
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(4):
        mix()
    result: int = v[0] ^ v[1] ^ v[2] ^ v[3]
    return result


def seal(key: bytes, challenge: int, scheduler: int, content: bytes) -> int:
    """The proof, by a holder of the key, that a program answers a target's challenge."""
    return siphash(key, struct.pack("<QII", challenge, len(content), scheduler) + content)


def framed(kind: int, number: int, body: bytes = b"", version: int = VERSION) -> bytes:
    """A frame as it is sent, between zeros."""
    content = bytes([version, kind, number]) + body
    content += struct.pack("<I", zlib.crc32(content))
    return b"\0" + b"".join(bytes([len(block) + 1]) + block for block in content.split(b"\0")) + b"\0"


def unframed(coded: bytes) -> bytes | None:
    """The bytes of a frame between two zeros, without the checksum; None if they are no frame."""
    content = bytearray()
    at = 0
    while at < len(coded):
        block = coded[at]
        if at + block > len(coded) or block == 0:
            return None
        content += coded[at + 1 : at + block] + (b"\0" if block < 0xFF else b"")
        at += block
    whole = bytes(content[:-1])
    if len(whole) < 7 or struct.unpack("<I", whole[-4:])[0] != zlib.crc32(whole[:-4]):
        return None
    return whole[:-4]


Answer = tuple[int, int, Status, bytes]
"""The kind and number of a frame that is answered, what its answer says, and what besides."""


def _answer(frame: bytes) -> Answer | None:
    """What a frame says; None if it is no answer.  :class:`UploadError` if it is of another version."""
    if len(frame) < 3 + _STATUS.size or not frame[1] & 0x80:
        return None
    if frame[0] != VERSION:
        raise UploadError(f"the target speaks version {frame[0]} of the protocol, and this is version {VERSION}")
    said, state, result, reason, *rest = _STATUS.unpack_from(frame, 3)
    fields = (
        ANSWERS[said],
        bool(state & 1),
        bool(state & 2),
        RESULTS[result],
        REASONS[reason],
        *rest,
        bool(state & 4),
        bool(state & 8),
        bool(state & 16),
        bool(state & 32),
    )
    return frame[1] & 0x7F, frame[2], Status(*fields), frame[3 + _STATUS.size :]


class Heard:
    """What a target sends: answers, and the text of tasks between them.

    A task that prints while an answer is sent prints into it, as the loader is below all tasks.
    """

    def __init__(self) -> None:
        self._piece = b""
        self._inside = False
        """Whether the last 0 began a frame."""

    def more(self, content: bytes) -> Iterator[Answer | None]:
        """Each answer that ends with these bytes; None for what is between the zeros of a frame, and is none."""
        *pieces, self._piece = (self._piece + content).split(b"\0")
        for piece in pieces:
            frame = unframed(piece)
            if frame is not None:
                self._inside = False
                if (said := _answer(frame)) is not None:
                    yield said
            elif self._inside and piece:
                self._inside = False
                yield None
            else:
                self._inside = True


def answers(content: bytes) -> Iterator[Answer]:
    """The whole answers in what a target sends.  Text is passed over."""
    return (said for said in Heard().more(content) if said is not None)


def refusal(status: Status) -> str:
    """Why the verifier has refused the last upload; nothing if it has not."""
    if status.result != "refused":
        return ""
    reason = REASONS.index(status.reason)
    named = REASONS.index("opcode") <= reason <= REASONS.index("loop") or reason >= REASONS.index("handler")
    return f" ({WHY[status.reason]}" + (f": instruction {status.address})" if named else ")")


class Target:
    """A running target on a line."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.heard = Heard()
        self.number = 0
        self.repeated = False
        """Whether the last frame was sent more than once, so that the target may carry it out again later."""

    def ask(self, kind: Kind, body: bytes = b"") -> Status:
        """Send a frame until it is answered; :class:`UploadError` if nothing answers.

        It is sent again at once where an answer is broken, and else when the line's patience is over.
        """
        return self._ask(kind, body)[0]

    def _ask(self, kind: Kind, body: bytes) -> tuple[Status, bytes]:
        self.number = (self.number + 1) & 0xFF
        sent = silent = 0
        while silent < REPEATS and sent < BROKEN:
            self.repeated = sent > 0
            self.line.write(framed(kind, self.number, body))
            sent += 1
            broken = False
            while not broken and (content := self.line.read()):
                for said in self.heard.more(content):
                    broken = broken or said is None
                    if said is not None and said[:2] == (kind, self.number):
                        return said[2:]
            silent += not broken
        raise UploadError("the target does not answer" if silent else "tasks print into each answer: let them print less often")

    def status(self) -> Status:
        """The target's status."""
        return self.ask(Kind.STATUS)

    def decisions(self, ticks: int) -> tuple[Status, list[Decision]]:
        """What its scheduler has decided since its program began, at least so many ticks ago.

        :class:`UploadError` if it does not record, or has no room for all, or decides nothing any more.
        """
        first = self.status()
        seen, pauses = -1, 0
        while True:
            decisions: list[Decision] = []
            while True:
                status, more = self._ask(Kind.RECORD, struct.pack("<H", len(decisions)))
                if status.answer != "ok":
                    raise UploadError("the target does not record: its image has no record = NUMBER in its NAME.upload")
                if status.running != first.running:
                    raise UploadError("another program has begun meanwhile: try again")
                if status.lost:
                    raise UploadError("the target has no room for all decisions: write a greater record in its NAME.upload")
                got = [Decision(*fields) for fields in _DECISION.iter_unpack(more[_TICKS.size :])]
                decisions += got
                if len(got) < _DECISIONS:
                    break
            (passed,) = _TICKS.unpack_from(more)
            if passed >= ticks:
                return status, decisions
            pauses = pauses + 1 if passed == seen else 0
            seen = passed
            if pauses == _PAUSES:
                raise UploadError(f"its scheduler has decided nothing for long: the last was {passed} ticks after the begin")
            time.sleep(_PAUSE_S)

    def upload(self, content: bytes, scheduler: int, key: bytes, times: Sequence[int] = ()) -> Status:
        """Send a program; what the target says of it.  :class:`UploadError` if it refuses, or does not answer.

        ``scheduler`` is EDF's number or another one's, and with ``JOINS`` the program that runs goes on as a part of this one.
        ``times`` are the execution times of its tasks in nanoseconds, 0 for one that is not known.  They are sent behind the
        program if the target looks at the load.  :class:`LoadError` if it refuses the program for that.
        """
        begun = self.ask(Kind.BEGIN)
        if begun.answer != "ok":
            raise UploadError("the program that was sent last has not begun yet: try again")
        if self.repeated:
            begun = self.status()  # each copy that arrived has drawn a challenge; behind this answer none is under way
        if begun.checks:
            content += struct.pack(f"<{len(times)}I", *times)
        if len(content) > begun.room:
            raise UploadError(f"the program has {len(content)} bytes, and the target has room for {begun.room}")
        for place in range(0, len(content), DATA_BYTES):
            self._need(self.ask(Kind.DATA, struct.pack("<I", place) + content[place : place + DATA_BYTES]), begun)
        sealed = seal(key, begun.challenge, scheduler, content)
        ended = self.ask(Kind.END, struct.pack("<IBQ", len(content), scheduler, sealed))
        if ended.answer != "closed":  # closed: it was carried out, and its answer was lost
            self._need(ended, begun)
        if ended.uploads != begun.uploads or ended.challenge != begun.challenge:
            raise UploadError("another upload has taken the place of this one")
        if ended.result != "accepted":
            refused = LoadError if REASONS.index(ended.reason) >= REASONS.index("untimed") else UploadError
            raise refused(f"the target says: {ended.result}" + refusal(ended))
        return ended

    def log(self) -> tuple[int, list[Entry]]:
        """What its machine has done: how many entries of before it has overwritten, and those that follow.

        An entry that is overwritten while the others are read is one of kind ``LOST`` with their number in ``time``.
        :class:`UploadError` if it keeps none.
        """
        found: list[Entry] = []
        following, most = 0, None
        while True:
            status, more = self._ask(Kind.LOG, struct.pack("<I", following))
            if status.answer != "ok":
                raise UploadError("the target keeps no log: its image has no log = NUMBER in its NAME.upload")
            first, count = _LOGGED.unpack_from(more)
            most = count if most is None else most
            got = [Entry(*fields) for fields in _ENTRY.iter_unpack(more[_LOGGED.size :])]
            if first > following:
                found.append(Entry(first - following, 0, LOST))
            found += got
            following = first + len(got)
            if following >= most or not got:
                break
        before = found.pop(0).time if found and found[0].kind == LOST else 0
        return before, found

    def shutdown(self, key: bytes) -> Status:
        """Shut the machine down: what the target says when it is, or has been before.

        :class:`UploadError` if it does not, or a task stays unfinished for long.
        """
        for _ in range(_PAUSES):
            now = self.status()
            if now.stopped:
                return now
            begun = now if now.waiting else self.ask(Kind.BEGIN)
            if not begun.waiting:
                begun = self.status() if self.repeated else begun
                ended = self.ask(Kind.END, struct.pack("<IBQ", 0, STOPS, seal(key, begun.challenge, STOPS, b"")))
                if ended.result == RESULTS[4]:
                    raise UploadError("the target does not shut down: its image has no shutdown = true in its NAME.upload")
                if ended.challenge == begun.challenge and ended.result != "accepted":
                    raise UploadError(f"the target says: {ended.result}")
            time.sleep(_PAUSE_S)
        raise UploadError("the target has not shut down yet: some task stays unfinished")

    @staticmethod
    def _need(found: Status, begun: Status) -> None:
        if found.answer != "ok" or found.challenge != begun.challenge:
            raise UploadError(f"the target says: {found.answer}")
