# SPDX-License-Identifier: Apache-2.0
"""Faults of a campaign: what may go wrong in a run, and which fault a run has.

A fault depends on the seed, the run's number, the kinds and what the firmware has, and on nothing else.  The virtual controller
or the runner on simavr carries it out (``emulators/fault.h``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from carillon.build import Firmware
from carillon.elf import ALLOC, AVR, EXECUTED, WRITE, read_elf


class FaultKind(Enum):
    """What happens once in a run."""

    LATE = "late"  # an interrupt of a cell comes later
    LOST = "lost"  # it never comes
    DOUBLED = "doubled"  # it comes again
    SPURIOUS = "spurious"  # a source that nothing has requested interrupts
    JUMP = "jump"  # the counter of a cell jumps
    DRIFT = "drift"  # a cell counts slower or faster from then on
    TABLE = "table"  # a bit of a constant of the kernel or of the generated tables
    VARIABLE = "variable"  # a bit of a variable of the kernel, of the generated code, or of the application
    STACK = "stack"  # a bit of the stack that is in use


MOST_DRIFT = 100_000
"""Millionths: a tenth.  Most that are drawn are much smaller."""
_BITS_OF_STACK = 1 << 23
"""The controller divides by what is in use."""
_OWN = ("kernel_", "generated_", "application_")
"""How the objects of a build begin that a chip would have, too."""


@dataclass(frozen=True, slots=True)
class Injected:
    """A fault: when it is, as the expiry's number from 1 or a time since power-up, of what, and how much."""

    kind: FaultKind
    at: int
    what: int = 0
    amount: int = 0
    name: str = ""

    def arguments(self, most: int) -> list[str]:
        """Of what carries it out, which ends the run at more than ``most`` records."""
        kind = "flip" if self.kind in (FaultKind.TABLE, FaultKind.VARIABLE) else self.kind.value
        return ["--fault", kind, *map(str, (self.at, self.what, self.amount, most))]


@dataclass(frozen=True, slots=True)
class Targets:
    """What faults may hit; all times as in the records.

    ``expiries``: numbers of those whose interrupts are taken.  ``begin`` and ``end``: the times since power-up between which
    all faults are.  ``cells``: what may jump; ``drifting``: what may drift.  ``tables`` and ``variables``: name, address and
    bytes.  ``longest``: the longest delay and jump.
    """

    expiries: tuple[int, ...]
    begin: int
    end: int
    sources: tuple[tuple[int, str], ...]
    cells: tuple[int, ...]
    drifting: tuple[int, ...]
    tables: tuple[tuple[str, int, int], ...]
    variables: tuple[tuple[str, int, int], ...]
    longest: int

    def kinds(self) -> tuple[FaultKind, ...]:
        """Those that have something to hit."""
        needs: dict[FaultKind, object] = dict.fromkeys((FaultKind.LATE, FaultKind.LOST, FaultKind.DOUBLED), self.expiries)
        needs |= {FaultKind.JUMP: self.cells, FaultKind.DRIFT: self.drifting}
        needs |= {FaultKind.SPURIOUS: self.sources, FaultKind.TABLE: self.tables, FaultKind.VARIABLE: self.variables}
        return tuple(kind for kind in FaultKind if needs.get(kind, True))


class _Chance:
    """Numbers that follow from the seed and the run's number alone."""

    def __init__(self, seed: int, number: int) -> None:
        self._of = f"{seed} {number}"
        self._drawn = 0

    def below(self, most: int) -> int:
        self._drawn += 1
        digest = hashlib.sha256(f"{self._of} {self._drawn}".encode()).digest()
        return int.from_bytes(digest[:16], "little") % most

    def magnitude(self, most: int) -> int:
        """From 1 to ``most``, as many below 2 as from 2 to 4, from 4 to 8 and so on."""
        least = 1 << self.below(most.bit_length())
        return min(most, least + self.below(least))

    def signed(self, most: int) -> int:
        return self.magnitude(most) * (1 - 2 * self.below(2))


def draw(seed: int, number: int, kinds: Sequence[FaultKind], targets: Targets) -> Injected:
    """The fault of a run; runs have the kinds in turn."""
    kind, chance = kinds[number % len(kinds)], _Chance(seed, number)
    if kind in (FaultKind.LATE, FaultKind.LOST, FaultKind.DOUBLED):
        late = chance.magnitude(targets.longest) if kind is FaultKind.LATE else 0
        return Injected(kind, targets.expiries[chance.below(len(targets.expiries))], 0, late)
    at = targets.begin + chance.below(targets.end - targets.begin)
    if kind is FaultKind.SPURIOUS:
        source, name = targets.sources[chance.below(len(targets.sources))]
        return Injected(kind, at, source, 0, name)
    if kind in (FaultKind.JUMP, FaultKind.DRIFT):
        cells = targets.cells if kind is FaultKind.JUMP else targets.drifting
        cell = cells[chance.below(len(cells))]
        return Injected(kind, at, cell, chance.signed(targets.longest if kind is FaultKind.JUMP else MOST_DRIFT))
    if kind is FaultKind.STACK:
        return Injected(kind, at, 0, chance.below(_BITS_OF_STACK))
    objects = targets.tables if kind is FaultKind.TABLE else targets.variables
    byte = chance.below(sum(size for _, _, size in objects))
    for name, address, size in objects:
        if byte < size:
            return Injected(kind, at, address + byte, chance.below(8), name)
        byte -= size
    raise AssertionError


def objects_of(firmware: Firmware, unused: Collection[str]) -> tuple[list[tuple[str, int, int]], list[tuple[str, int, int]]]:
    """Constants and variables that a chip has, too: neither those of the virtual controller nor of a library.

    ``unused``: what is no variable: the stacks of tasks, in whose place a virtual board has the host's.
    """
    own, others = set[str](), set(unused)
    for path in sorted((firmware.folder / "objects").glob("*.o")):
        names = {symbol.name for symbol in read_elf(path).symbols if not symbol.function}
        (own if path.name.startswith(_OWN) else others).update(names)
    return _objects(firmware.elf, own - others)


def _objects(elf: Path, names: set[str]) -> tuple[list[tuple[str, int, int]], list[tuple[str, int, int]]]:
    """Those of some names.  AVR's constants may lie between functions."""
    image = read_elf(elf)
    found = sorted((s.address, s.size, s.name) for s in image.symbols if s.size and not s.function and s.name in names)
    constant = WRITE if image.machine == AVR else WRITE | EXECUTED

    def within(fits: Callable[[int], bool]) -> list[tuple[str, int, int]]:
        parts = [(s.address, s.address + s.size) for s in image.sections if s.flags & ALLOC and fits(s.flags)]
        return [(n, at, size) for at, size, n in found if any(begin <= at and at + size <= end for begin, end in parts)]

    return within(lambda flags: not flags & constant), within(lambda flags: bool(flags & WRITE))
