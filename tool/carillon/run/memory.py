# SPDX-License-Identifier: Apache-2.0
"""Memory of the chip that a run saves when it ends: its stacks, and what a fault has left.

QEMU saves it itself, asked at its monitor by the tracing plugin; the runner on simavr has it.  Others do not tell.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

from carillon.build.symbols import symbols
from carillon.elf import LOAD
from carillon.image import Image
from carillon.stacks.places import FILL, MAIN, StackPlace, stack_places

FAULT = "carillon_fault"
_LONGEST_SOCKET = 100
"""A little less than the name of a socket may be long."""
_MOST = 32768
"""Bytes of a main stack that are looked at; of one that has used more, it is not known how much."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What is saved: ``stacks``, each with its place, and ``fault``, the address and the bytes of what a fault leaves."""

    stacks: tuple[StackPlace, ...] = ()
    fault: tuple[int, int] | None = None
    content: dict[int, bytes] = field(default_factory=dict)
    """By address, after the run; empty if the emulator does not tell."""

    @property
    def regions(self) -> list[tuple[int, int]]:
        """The address and the bytes of each."""
        return [(stack.address, stack.size) for stack in self.stacks] + ([self.fault] if self.fault is not None else [])

    @property
    def lines(self) -> list[str]:
        """Of the map of what an emulator watches."""
        return [f"{address:x} Z {size:x}" for address, size in self.regions]

    def used(self) -> tuple[tuple[str, int], ...]:
        """Of each stack, the bytes that were used at most."""
        known = [(s, s.used(self.content[s.address])) for s in self.stacks if s.address in self.content]
        return tuple((stack.name, used) for stack, used in known if used < _MOST or stack.name != MAIN)

    def monitored(self, scratch: Path, machine: int) -> tuple[list[str], str]:
        """Options of QEMU and of the plugin by which it is saved; none where the name of the monitor's socket is too long.

        ``machine``: the processor's family, as in its ELF files.
        """
        socket = scratch / "monitor"
        if not self.regions or len(str(socket)) > _LONGEST_SOCKET:
            return [], ""
        options = ["-qmp", f"unix:{socket},server=on,wait=off"]
        for stack in self.stacks:
            if stack.name == MAIN:  # the kernel fills the others
                fill = scratch / "fill"
                fill.write_bytes(_filled(stack, machine))
                options += ["-device", f"loader,file={fill}"]
        return options, f",monitor={socket},memory={scratch / 'memory'}"

    def read(self, scratch: Path) -> None:
        """Read what was saved."""
        for number, (address, _) in enumerate(self.regions):
            file = scratch / f"memory.{number}"
            if file.is_file():
                self.content[address] = file.read_bytes()


def _filled(stack: StackPlace, machine: int) -> bytes:
    """An ELF file that fills a stack: some of QEMU's boards do not take as much as plain bytes."""
    identity, headers = b"\x7fELF\1\1\1".ljust(16, b"\0"), 52 + 32
    file = struct.pack("<2H5I6H", 2, machine, 1, 0, 52, 0, 0, 52, 32, 1, 40, 0, 0)
    segment = struct.pack("<8I", LOAD, headers, stack.address, stack.address, stack.size, stack.size, 6, 4)
    return identity + file + segment + (FILL * (stack.size // 2 + 1))[: stack.size]


def saved(image: Image, elf: Path, main: bool) -> Saved:
    """What is saved of an image; ``main``: the main stack, too, which may be much."""
    if image.system.board.native:
        return Saved()
    found = symbols(elf).get(FAULT)
    places = stack_places(image, elf)
    return Saved(tuple(_end_of(place) if place.name == MAIN else place for place in places if main or place.name != MAIN), found)


def _end_of(stack: StackPlace) -> StackPlace:
    """What is looked at of a main stack, to which all is left that nothing else needs: the end where it begins."""
    size = min(stack.size, _MOST)
    return StackPlace(stack.name, stack.address + stack.size - size, size)
