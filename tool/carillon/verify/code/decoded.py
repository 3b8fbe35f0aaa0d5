# SPDX-License-Identifier: Apache-2.0
"""What the architectures share whose instructions capstone decodes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from capstone import Cs

from carillon.elf import UnreadableError
from carillon.verify.code import Effect, State, frame, known
from carillon.verify.elf import Elf

OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "or": operator.or_,
    "and": operator.and_,
    "bic": lambda a, b: a & ~b,
    "xor": operator.xor,
    "sll": lambda a, b: a << (b & 31),
    "srl": lambda a, b: a >> (b & 31),
}


class Decoded:
    """An architecture, by its registers' names."""

    arguments: ClassVar[tuple[str, ...]]
    """Those of the first arguments of a call."""
    lost: ClassVar[tuple[str, ...]]
    """Those that a call may change."""
    pointer: ClassVar[str]
    """That of the stack."""

    def __init__(self, elf: Elf, architecture: int, mode: int) -> None:
        self.elf = elf
        self.first: Mapping[str, Any] = frame.first(self.pointer)
        self.keeping: frozenset[int] = frozenset()
        self._decoder = Cs(architecture, mode)
        self._known: dict[tuple[int, bytes], tuple[int, str, str]] = {}  # paths meet the same instructions again and again

    def decoded(self, code: bytes, place: int) -> tuple[int, str, str]:
        """The size, the name and the operands of the instruction there; UnreadableError if there is none."""
        known = self._known.get((place, code))
        if known is not None:
            return known
        instruction = next(self._decoder.disasm_lite(code, place), None)
        if instruction is None:
            raise UnreadableError(f"no instruction at {place:#x}")
        _, size, name, operands = instruction
        self._known[place, code] = size, name, operands
        return size, name, operands

    @staticmethod
    def put(registers: dict[str, int], name: str, value: int | None) -> None:
        """Let a register hold a value, or what is not known."""
        registers.pop(f"loaded {name}", None)
        registers.pop(frame.FRAME + name, None)
        if value is None:
            registers.pop(name, None)
        else:
            registers[name] = value

    def jump(self, state: State, target: int | None, place: int, end: Callable[[int], bool]) -> list[State]:
        """A jump; a call that does not return, if the target is unknown or outside of this function."""
        if target is None or end(target):
            self.call(state, target, place)
            return []
        state.pc = target
        return [state]

    def branch(self, state: State, target: int | None, place: int, end: Callable[[int], bool]) -> list[State]:
        """The same of a jump that is taken or not."""
        assert target is not None
        away = state.fork(target)
        if end(target):
            self.call(away, target, place)
        return [state, away]

    def call(self, state: State, target: int | None, place: int) -> None:
        """A call of a function, whose address is perhaps not known."""
        arguments = known(state.registers, self.arguments)
        state.effects.append(Effect("call", target if target is not None else -1, arguments=arguments, place=place))
        frame.show(state.registers, self.arguments)
        frame.lose(state.registers)
        for register in self.lost if target not in self.keeping else ():
            self.put(state.registers, register, None)
