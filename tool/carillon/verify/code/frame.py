# SPDX-License-Identifier: Apache-2.0
"""What a function keeps on its own stack: numbers for which it had no register left.

Offsets are bytes from where the stack pointer is when the function begins.  What is known stands among the registers of a path:
"frame R", the offset to which register R points, and "slot N", the number at an offset with its size.

1. Only what the function itself has stored is kept, below offset 0: above is its caller's, or what the processor has put there.
2. A store replaces all that it overlaps, by a number of the same size that is known, or else by nothing.
3. What the stack pointer has left behind is lost: an interrupt may take its place.
4. An address of the stack may go where nobody follows it: into a variable, to a called function, through an instruction that is
   not known.  From then on, a call or a store to an unknown address may change all that is kept.  Before that, none can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

FRAME, SLOT = "frame ", "slot "
_SHOWN = "shown"
"""Whether an address of the stack went where nobody follows it."""

Registers = dict[str, Any]


def first(pointer: str) -> Registers:
    """What is known when a function begins."""
    return {FRAME + pointer: 0}


def points(registers: Registers, name: str) -> int | None:
    """The offset to which a register points; None if to no known one."""
    found: int | None = registers.get(FRAME + name)
    return found


def point(registers: Registers, name: str, offset: int, pointer: str) -> None:
    """Let a register point to an offset; ``pointer`` is the stack's."""
    for old in (name, f"loaded {name}"):
        registers.pop(old, None)
    registers[FRAME + name] = offset
    if name == pointer:
        _drop(registers, lambda at, _: at < offset)


def keep(registers: Registers, offset: int, size: int, value: int | None, pointer: str) -> None:
    """A store to an offset."""
    _drop(registers, lambda at, long: at < offset + size and offset < at + long)
    low = points(registers, pointer)
    if value is not None and low is not None and low <= offset <= -size:
        registers[f"{SLOT}{offset}"] = value, size


def kept(registers: Registers, offset: int, size: int) -> int | None:
    """What a load from an offset gives, if it is known."""
    value, stored = registers.get(f"{SLOT}{offset}", (None, 0))
    return value if stored == size else None


def show(registers: Registers, names: Iterable[str]) -> bool:
    """Registers go where nobody follows them; whether one of them points to the stack."""
    shown = any(FRAME + name in registers for name in names)
    if shown:
        registers[_SHOWN] = True
    return shown


def lose(registers: Registers) -> None:
    """A call, or a store to an unknown address: all that is kept may be another, if it may have the address."""
    if registers.get(_SHOWN):
        _drop(registers, lambda *_: True)


def meddle(registers: Registers, names: Iterable[str]) -> None:
    """An instruction that is not known, with its registers: it may store to the stack, and hand its address on."""
    if show(registers, names):
        lose(registers)


def _drop(registers: Registers, lost: Callable[[int, int], bool]) -> None:
    for name in [n for n in registers if n.startswith(SLOT) and lost(int(n.removeprefix(SLOT)), registers[n][1])]:
        del registers[name]
