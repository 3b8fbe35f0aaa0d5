# SPDX-License-Identifier: Apache-2.0
"""What became of a run with a fault, compared with the run without: docs/SPEC.md, Campaigns, defines the outcomes."""

from __future__ import annotations

import signal
import struct
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from carillon import c_names
from carillon.groups import grouped
from carillon.image import Image
from carillon.image.misses import compute_lanes, deadline_misses, late_threads
from carillon.run.entries import Code, Record
from carillon.run.records import DELIVER, MISSED, OVERRUNS, lead_of
from carillon.trace import Kind, Trace

_RECORD = struct.Struct("<QII")
_KIND = slice(8, None, _RECORD.size)
"""The lowest byte of each record's kind."""
_CALLS = frozenset(map(int, (Code.CALL, Code.RETURN, Code.RESUME, Code.SUSPEND, Code.LEAVE)))
_HANDLERS = frozenset(map(int, (Code.ENTER, Code.EXIT)))
_BEGINS = (Code.CALL, Code.RESUME, Code.ENTER)
_ENDS_OF_JOBS = (Code.RETURN, Code.EXIT)
ERRORS = ("carillon_osek_fail", "carillon_osek_ask_protection")
_ENDS = {3: "no cell runs", 4: "interrupts storm", 8: "the processor sleeps for ever"}
"""By the exit code (``emulators/fault.h``), of a run that hangs."""
_ASTRAY = 7
_UNEXPECTED = 5
_ENDLESS = (signal.SIGXCPU, signal.SIGXFSZ, signal.SIGALRM)
_Fields = tuple[int, int, int]


PHASE = 16
"""By so many cycles times may differ on an emulated board, and count as the same: an interrupt waits for the instruction's end.

Several may wait one for another.
"""


class Outcome(Enum):
    """What became of a fault."""

    TOLERATED = "tolerated"
    DETECTED = "detected"
    LOST = "lost"
    HUNG = "hung"


class UnrepeatableError(Exception):
    """A run differs from the one without fault before its fault has happened."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome, why it is that, and after which ticks all was as without the fault; of tolerated faults alone."""

    outcome: Outcome
    why: str = ""
    recovery: int | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """How the process of a run has ended: its exit code, or a signal's number below 0, its records and its output."""

    status: int
    records: bytes
    output: bytes


@dataclass(frozen=True, slots=True)
class Reference:
    """The run without fault, and what its records mean.

    ``said``: the functions by which the kernel says that something is wrong, each with a word for it.  ``names``: the objects
    whose functions or contexts stand at addresses, and by their sources, ``direct``, those whose functions are vectors.
    ``aside``: functions that are no jobs.  ``limits``: of the functions of tasks with deadlines, of each job the place of its
    end among the records, and the time before which it is to end.  ``recovery``: the time after which all must be as without
    the fault, but for ``phase``.
    """

    records: bytes
    output: bytes
    said: Mapping[int, str]
    names: Mapping[int, str]
    direct: frozenset[int]
    aside: frozenset[int]
    limits: Mapping[int, tuple[tuple[int, int], ...]]
    recovery: int
    phase: int

    def words(self, calls: Sequence[_Fields]) -> Counter[str]:
        """What the kernel has said."""
        return Counter(self.said[value] for _, code, value in calls if code == Code.CALL and value in self.said)

    def jobs(self, calls: Sequence[_Fields]) -> list[_Fields]:
        """Begins, waits and ends of what the application runs."""
        return [r for r in calls if r[2] not in self.said and r[2] not in self.aside]


def _calls(records: bytes, direct: frozenset[int]) -> list[_Fields]:
    return [r for r in _RECORD.iter_unpack(records) if r[1] in _CALLS or (r[1] in _HANDLERS and r[2] in direct)]


@lru_cache(2)
def _placed(records: bytes, direct: frozenset[int]) -> tuple[list[int], list[_Fields]]:
    """The same of the run without fault, which many runs are compared with, and the place of each."""
    every = enumerate(_RECORD.iter_unpack(records))
    found = [(k, r) for k, r in every if r[1] in _CALLS or (r[1] in _HANDLERS and r[2] in direct)]
    return [k for k, _ in found], [r for _, r in found]


def unit_of(image: Image) -> int:
    """What a tick has in the times of the records: 1 on a virtual board, and else cycles or instructions."""
    return max(1, image.system.board.clock(image.system.clock_hz).instructions_per_tick)


def whole(records: bytes) -> bytes:
    """Without a last record that is not whole."""
    return records[: len(records) - len(records) % _RECORD.size]


def expiries(records: bytes) -> int:
    """How many cells have expired."""
    return records[_KIND].count(Code.EXPIRY)


def taken(records: Collection[Record], sources: Mapping[int, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers of the expiries whose interrupts were taken, from 1, and the ticks that they were at.

    ``sources``: that of each cell.
    """
    number, waits, found = 0, dict[int, tuple[int, int]](), list[tuple[int, int]]()
    for record in records:
        if record.code == Code.EXPIRY:
            number += 1
            waits[sources[record.value]] = number, record.time
        elif record.code == Code.ENTER and record.value in waits:
            found.append(waits.pop(record.value))
    found.sort()
    return tuple(n for n, _ in found), tuple(t for _, t in found)


def reference(
    image: Image, table: Mapping[str, tuple[int, int]], records: list[Record], trace: Trace, output: bytes, recovery: int
) -> Reference:
    """The run without fault, of its records and of what they mean; ``table``: the firmware's symbols."""
    words = {MISSED: "a deadline was missed"} | dict.fromkeys(OVERRUNS, "a budget was used up")
    words |= dict.fromkeys(ERRORS, "an error hook was called")
    words |= dict.fromkeys(late_threads(image), "a thread was late")
    words |= {miss.symbol: "a task of the program was late" for miss in deadline_misses(image)}
    system = image.system
    functions = [(t.entry, t.name) for t in system.tasks] + [(i.handler, i.name) for i in system.interrupts]
    if system.osek is not None:
        functions += [(c_names.extended(t.name) if t.extended else c_names.task(t.name), t.name) for t in system.osek.tasks]
        functions += [(c_names.isr(i.name), i.name) for i in system.osek.isrs]
    functions += list(compute_lanes(image).items())
    names = grouped((table[function][0], name) for function, name in functions if function in table)
    vectors = [v for mode in image.vectors for v in mode if v.runs in table and table[v.runs][0] == table[v.symbol][0]]
    direct = grouped((vector.source, str(vector.object)) for vector in vectors)
    begin, unit = next((r.time for r in records if r.code == Code.BEGIN), 0), unit_of(image)
    return Reference(
        b"".join(_RECORD.pack(*record) for record in records),
        output,
        {table[name][0]: word for name, word in words.items() if name in table},
        {address: " or ".join(dict.fromkeys(own)) for address, own in (names | direct).items()},
        frozenset(direct),
        frozenset(table[name][0] for name in DELIVER if name in table),
        _limits(names | direct, records, trace, begin + lead_of(image), unit),
        recovery,
        0 if system.board.native else PHASE,
    )


def _limits(
    names: Mapping[int, Collection[str]], records: Collection[Record], trace: Trace, origin: int, unit: int
) -> dict[int, tuple[tuple[int, int], ...]]:
    """Of each job, the place of its end, and the first deadline of its task after that; in the units of records."""
    ends = grouped((r.value, (place, r.time)) for place, r in enumerate(records) if r.code in _ENDS_OF_JOBS)
    due = grouped((e.object, e.t * unit + origin) for e in trace.events if e.kind in (Kind.DEADLINE_MET, Kind.DEADLINE_MISSED))
    found = {}
    for address, own in names.items():
        deadlines = sorted(t for name in own for t in due.get(name, ()))
        places = [(place, bisect_right(deadlines, end)) for place, end in ends.get(address, ())]
        if deadlines:
            found[address] = tuple((place, deadlines[k]) for place, k in places if k < len(deadlines))
    return found


def _same_end(one: bytes, other: bytes) -> int:
    """Bytes of the longest end that both have, of whole records."""
    least, most = 0, min(len(one), len(other)) // _RECORD.size
    while least < most:
        middle = (least + most + 1) // 2
        size = middle * _RECORD.size
        least, most = (middle, most) if one[-size:] == other[-size:] else (least, middle - 1)
    return least * _RECORD.size


def judge(ended: Ended, of: Reference) -> Verdict:
    """What became of a run.  Raises UnrepeatableError."""
    if -ended.status in _ENDLESS:  # what it has recorded says nothing: it stands in a buffer
        return Verdict(Outcome.HUNG, "the program runs without end")
    if ended.status < 0:
        return Verdict(Outcome.DETECTED, "a fault of the processor")
    before = ended.records[_KIND].find(Code.FAULT)
    begin = before * _RECORD.size
    if before < 0 or ended.records[:begin] != of.records[:begin]:
        raise UnrepeatableError
    at = int(_RECORD.unpack_from(ended.records, begin)[0])
    mine, theirs = ended.records[begin + _RECORD.size :], of.records[begin:]
    end = _same_end(mine, theirs)
    places, whole_run = _placed(of.records, of.direct)
    last = (len(of.records) - end) // _RECORD.size
    calls, others = _calls(mine[: len(mine) - end], of.direct), whole_run[bisect_left(places, before) : bisect_left(places, last)]
    said = of.words(calls) - of.words(others)
    if said:
        return Verdict(Outcome.DETECTED, min(said))
    if ended.status == _UNEXPECTED:
        return Verdict(Outcome.DETECTED, "an interrupt that nobody serves")
    if ended.status in _ENDS or (not ended.status and _ended_early(mine, theirs, of)):
        return Verdict(Outcome.HUNG, _ENDS.get(ended.status, "the system has ended"))
    if ended.status == _ASTRAY:
        return Verdict(Outcome.LOST, "the processor has gone astray")
    if of.phase and not _serves(mine, theirs, of):
        return Verdict(Outcome.HUNG, "no interrupt is served any more")
    if ended.status:
        return Verdict(Outcome.LOST, f"the program has ended with {ended.status}")
    verdict = _compared(of.jobs(calls), of.jobs(others), before, of, at)
    other = verdict.outcome is Outcome.TOLERATED and ended.output != of.output
    return Verdict(Outcome.LOST, "other output") if other else verdict


def _ended_early(mine: bytes, theirs: bytes, of: Reference) -> bool:
    """Whether the last record, which is that of the end, comes before its time, or is another one."""
    if not mine:
        return True
    one, other = (_RECORD.unpack(records[-_RECORD.size :]) for records in (mine, theirs))
    return one[1:] != other[1:] or abs(one[0] - other[0]) > of.phase


def _serves(mine: bytes, theirs: bytes, of: Reference) -> bool:
    """Whether handlers begin within the recovery before the end, if any does without the fault."""
    begin = _RECORD.unpack(theirs[-_RECORD.size :])[0] - of.recovery

    def some(records: bytes) -> bool:
        return any(code == Code.ENTER and time >= begin for time, code, _ in _RECORD.iter_unpack(records))

    return some(mine) or not some(theirs)


def _compared(mine: list[_Fields], theirs: list[_Fields], before: int, of: Reference, at: int) -> Verdict:
    """What became of the jobs that differ; ``before``: the number of records that both runs have before these."""
    counts, wanted = (Counter(r[1:] for r in jobs) for jobs in (mine, theirs))
    for code, value in sorted(counts.keys() | wanted.keys()):
        if counts[code, value] != wanted[code, value]:
            many = "fewer" if counts[code, value] < wanted[code, value] else "more"
            kind = "jobs" if code in _BEGINS else "ends"
            return Verdict(Outcome.LOST, f"{many} {kind} of {of.names.get(value, hex(value))}")
    for address, ends in grouped((value, time) for time, code, value in mine if code in _ENDS_OF_JOBS).items():
        limits = [limit for place, limit in of.limits.get(address, ()) if place >= before]
        if any(end >= limit for end, limit in zip(ends, limits, strict=False)):
            return Verdict(Outcome.LOST, f"a deadline of {of.names[address]} passed")
    both = zip(reversed(mine), reversed(theirs), strict=True)
    other = next((max(a[0], b[0]) for a, b in both if a[1:] != b[1:] or abs(a[0] - b[0]) > of.phase), at)
    recovery = max(0, other - at)
    if recovery > of.recovery:
        return Verdict(Outcome.LOST, "times do not come back")
    return Verdict(Outcome.TOLERATED, "", recovery)
