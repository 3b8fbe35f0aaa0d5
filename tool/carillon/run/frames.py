# SPDX-License-Identifier: Apache-2.0
"""How much of its stack a task's function takes by itself, read of the code with which it begins."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

from carillon import c_names
from carillon.elf import read_elf
from carillon.image import Image

_BEGINNING = 24
"""Instructions within which a function has made its frame."""
_PORTS = ("armv6m", "armv7m")
"""Ports whose instructions this reads."""


def frames(image: Image, elf: Path) -> tuple[tuple[str, int, int | None], ...]:
    """Of each task with a stack of its own: its name, the bytes of the stack, and those that its function takes; None: not known.

    What the function calls, and what interrupts it, takes more.
    """
    if image.osek is None:
        return ()
    found, content = [], read_elf(elf)
    symbols = {symbol.name: symbol for symbol in content.symbols}
    for task in image.osek.model.tasks:
        stack, function = symbols.get(c_names.stack(task.name)), symbols.get(c_names.task(task.name))
        if stack is None or function is None:
            continue
        takes = None
        if image.system.board.port in _PORTS and find_spec("capstone") is not None:
            begin = function.address & ~1
            section = next(s for s in content.sections if s.address <= begin < s.address + s.size)
            at = section.start + begin - section.address
            takes = _thumb(content.data[at : at + max(function.size, 2)])
        found.append((task.name, stack.size, takes))
    return tuple(found)


def _thumb(code: bytes) -> int | None:
    """Bytes that a function's first instructions take of the stack; None if a register says how many."""
    from capstone import CS_ARCH_ARM, CS_MODE_MCLASS, CS_MODE_THUMB, Cs

    total = 0
    for number, instruction in enumerate(Cs(CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS).disasm(code, 0)):
        name, operands = instruction.mnemonic.partition(".")[0], instruction.op_str
        if number == _BEGINNING or (name.startswith(("b", "cb")) and name not in ("bic", "bfi", "bfc")):
            break
        if name == "push" or (name == "stmdb" and operands.startswith("sp!")):
            total += 4 * len(_registers(operands))
        elif name in ("sub", "subw") and re.match(r"sp\b", operands):
            amount = re.search(r"#(0x[0-9a-f]+|\d+)$", operands)
            if amount is None:
                return None
            total += int(amount[1], 0)
    return total


def _registers(operands: str) -> list[str]:
    inside = operands[operands.index("{") + 1 : operands.index("}")]
    names: list[str] = []
    for part in inside.split(","):
        first, dash, last = (word.strip() for word in part.partition("-"))
        names += [f"r{k}" for k in range(int(first[1:]), int(last[1:]) + 1)] if dash else [first]
    return names
