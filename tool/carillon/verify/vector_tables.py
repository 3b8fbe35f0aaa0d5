# SPDX-License-Identifier: Apache-2.0
"""Whole vector tables, with what no schedule names: the processor's own entries, and those of sources that nobody uses.

A table of Arm begins with the stack pointer and the reset handler, and each of its functions has bit 0 set. A processor that has
only Thumb code faults without it (ARMv7-M Architecture Reference Manual, B1.5.3).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from carillon.elf import ARM, AVR
from carillon.model.board import Board
from carillon.verify.elf import Elf

UNEXPECTED = "carillon_port_unexpected"
SYSTEM = {0: "carillon_stack_top", 1: "carillon_port_reset", 11: "carillon_port_supervisor_call"}
"""The processor's own entries of Arm; all others of them lead to UNEXPECTED."""
LIBRARY = "carillon_library"
"""The symbol that a library brings."""
LOWERS = "carillon_library_lowers"
"""The symbol that it brings beside that if tasks run lowered."""


def supervisor(elf: Elf, table: int) -> Iterator[str]:
    """The fault of the vector of the supervisor's call in an image with a library that takes it."""
    symbol = elf.symbols.get(SYSTEM[11])
    if LOWERS in elf.symbols and (symbol is None or elf.number(table + 11 * elf.pointer, elf.pointer) != symbol.address | 1):
        yield f"vector 11 is not '{SYSTEM[11]}'"


def unused(elf: Elf, source: int, address: int) -> bool:
    """Whether a vector leads where an unused source's vector must: nowhere, or to the application's own ISR().

    Beside a vendor's start-up code it may lead anywhere but to a function of the kernel's.
    """
    if in_library(elf):
        return not any(s.name.startswith("carillon_") and s.name != UNEXPECTED for s in elf.by_address.get(address, ()))
    return any(s is not None and s.address == address for s in (elf.symbols.get(UNEXPECTED), elf.symbols.get(_own(source))))


def _own(source: int) -> str:
    """What avr-libc's ISR() calls the handler of a vector."""
    return f"__vector_{source}"


def own_handlers(elf: Elf, vectors: Iterable[Mapping[int, int]]) -> list[str]:
    """What is not verified: handlers of the application's own."""
    nowhere = elf.symbols.get(UNEXPECTED) if not in_library(elf) else None
    handlers = ((source, address, elf.symbols.get(_own(source))) for table in vectors for source, address in table.items())
    found = {s for s, at, it in handlers if it is not None and nowhere is not None and at == it.address != nowhere.address}
    return [f"what the application's own handlers do, of vectors {', '.join(map(str, sorted(found)))}"] if found else []


def in_library(elf: Elf) -> bool:
    """Whether the start-up code is another's: the image has a library of ``carillon build --library``."""
    return LIBRARY in elf.symbols


def table_of(elf: Elf, table: int, board: Board) -> int:
    """Where a mode's vector table is: beside a library of one mode, that of the start-up code (the board's [run])."""
    return table if table or not in_library(elf) or board.run is None else board.run.code_base + board.run.table_offset


def differences(elf: Elf, table: int, board: Board, used: Iterable[int]) -> Iterator[str]:
    """The faults of vectors of sources that are not ``used``, and of the Thumb bit of all vectors."""
    used_sources = set(used)
    nowhere = elf.symbols.get(UNEXPECTED)
    if elf.machine == AVR or nowhere is None or in_library(elf):
        return
    size = elf.pointer
    for number in range(board.sources):
        value = elf.number(table + size * number, size)
        subject = f"vector {number}"
        if elf.machine == ARM and number < board.system_vectors:
            name = SYSTEM.get(number, UNEXPECTED)
            symbol = elf.symbols.get(name)
            if symbol is not None and value != (symbol.address if number == 0 else symbol.address | 1):
                yield f"{subject} is {value:#x}, and not '{name}'"
            continue
        if elf.machine == ARM and not value & 1:
            yield f"{subject} is {value:#x}, whose bit 0, of Thumb code, is not set"
        elif number >= board.system_vectors and not any(s.function for s in elf.by_address.get(elf.code(value), ())):
            yield f"{subject} is {value:#x}, where no function begins"
        elif number >= board.system_vectors and number not in used_sources and elf.code(value) != nowhere.address:
            yield f"nothing asks for source {number}, but its vector is '{elf.name_of(elf.code(value))}'"
