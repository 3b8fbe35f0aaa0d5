# SPDX-License-Identifier: Apache-2.0
"""Memory and registers of the chip that a run saves when it ends: its stacks, and what says of a fault what it was.

QEMU saves them itself, asked at its monitor by the tracing plugin; the runner on simavr has the memory.  Others do not tell.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

from carillon.build.symbols import symbols
from carillon.elf import ARM, LOAD, read_elf
from carillon.image import Image
from carillon.run.refusal import refusal_place
from carillon.stacks.places import FILL, MAIN, StackPlace, stack_places

STATUS = (0xE000ED28, 20)
"""Registers of Cortex-M from CFSR up to BFAR (ARMv7-M Architecture Reference Manual, B3.2.2)."""
_LONGEST_SOCKET = 100
"""A little less than the name of a socket may be long."""
_MOST = 32768
"""Bytes of a main stack that are looked at; of one that has used more, it is not known how much."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What is saved: ``stacks``, each with its place, and ``status``, the address and the bytes of registers of faults.

    ``others``: the address and the bytes of what else is.
    After the run: ``content`` by address, ``found``: "registers", as the emulator words them, and "frame", what lies at the stack
    pointer.  Both are empty if the emulator does not tell.
    """

    stacks: tuple[StackPlace, ...] = ()
    status: tuple[int, int] | None = None
    others: tuple[tuple[int, int], ...] = ()
    content: dict[int, bytes] = field(default_factory=dict)
    found: dict[str, bytes] = field(default_factory=dict, compare=False)

    @property
    def regions(self) -> list[tuple[int, int]]:
        """The address and the bytes of each."""
        status = [self.status] if self.status is not None else []
        return [*((stack.address, stack.size) for stack in self.stacks), *status, *self.others]

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
        if len(str(socket)) > _LONGEST_SOCKET:
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
        for what in ("registers", "frame"):
            file = scratch / f"memory.{what}"
            if file.is_file():
                self.found[what] = file.read_bytes()


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
    places = stack_places(image, elf)
    stacks = tuple(_end_of(place) if place.name == MAIN else place for place in places if main or place.name != MAIN)
    return Saved(stacks, STATUS if read_elf(elf).machine == ARM else None, tuple(refusal_place(symbols(elf))))


def _end_of(stack: StackPlace) -> StackPlace:
    """What is looked at of a main stack, to which all is left that nothing else needs: the end where it begins."""
    size = min(stack.size, _MOST)
    return StackPlace(stack.name, stack.address + stack.size - size, size)
