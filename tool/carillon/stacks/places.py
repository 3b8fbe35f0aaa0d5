# SPDX-License-Identifier: Apache-2.0
"""Where the stacks of a linked image are, how many bytes each has, and how many of them a run has used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from carillon import c_names
from carillon.elf import ALLOC, WRITE, ElfFile, Symbol, UnreadableError, read_elf
from carillon.image import Image
from carillon.image.osek import GUARD_WORDS

MAIN = "main"
"""The stack on which handlers, and tasks without a stack of their own, run."""
TOP = "carillon_stack_top"
FILL = b"\xde\xc0"
"""What a stack is filled with before it is used (``FILL`` of ``kernel/jobs/stop.h``)."""


@dataclass(frozen=True, slots=True)
class StackPlace:
    """A stack: of a task or a thread, or ``main``; its lowest address, and its bytes.  Guard words are no part of it."""

    name: str
    address: int
    size: int

    def used(self, content: bytes) -> int:
        """How many bytes have been used at most; ``content``: of the stack, when the run has ended."""
        fill = FILL * (len(content) // 2 + 1)
        low, high = 0, len(content)
        while low < high:  # the longest beginning that is as it was filled
            middle = (low + high + 1) // 2
            low, high = (middle, high) if content[:middle] == fill[:middle] else (low, middle - 1)
        return self.size - low


def stack_places(image: Image, path: Path, top: int = 0) -> tuple[StackPlace, ...]:
    """The stacks of tasks and threads in the order of the file, then the main one; those that the image has.

    ``top``: where the main one begins, if the linker script does not say.
    """
    try:
        elf = read_elf(path)
    except UnreadableError:
        return ()
    symbols = {symbol.name: symbol for symbol in elf.symbols}
    found = []
    if image.osek is not None:
        guard = 8 * GUARD_WORDS if image.osek.model.stack_check else 0
        for task in image.osek.model.tasks:
            symbol = symbols.get(c_names.stack(task.name))
            if task.extended and symbol is not None:
                found.append(StackPlace(task.name, symbol.address + guard, symbol.size - guard))
    main = _main(elf, symbols, symbols[TOP].address if TOP in symbols else top)
    return (*found, main) if main.size > 0 else tuple(found)


def _main(elf: ElfFile, symbols: dict[str, Symbol], top: int) -> StackPlace:
    """Between the variables and where the stack begins; with a heap, the stack has half of it."""
    ends = [s.address + s.size for s in elf.sections if s.flags & ALLOC and s.flags & WRITE and s.address < top]
    left = top - max(ends, default=top)
    size = left // 2 if "_sbrk" in symbols else left
    return StackPlace(MAIN, top - size, size)
