# SPDX-License-Identifier: Apache-2.0
"""All that a short function does, for code of which each bit counts: no instruction is passed over, and no value is guessed.

The other files of this folder say what a handler does as far as they know its instructions.  Here, an instruction that is not
known ends the reading (UnreadableError).  Values are numbers, or things that a number is not known of: what a register held at
the function's start, what a variable holds, what a call has left.  A sum of one of these is unknown, and an unknown address is
not stored to.  Where such a thing is compared with 0, both ways are followed.

When the function ends, it must have kept what its caller needs: the stack, the registers of the caller, and where to return.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import ClassVar

from carillon.elf import ARM, X86_64, UnreadableError
from carillon.verify.elf import Elf

Thing = tuple[str, int | str]
"""What no number is known of: "first" (a register at the start), "held" (at an address), "left" (by a call), "stack"."""
Value = int | Thing
STACK = "stack"
_READ = ("carillon_port_current", "carillon_port_write")
"""The port's functions that are read as what they do."""
MOST = 200


@dataclass(frozen=True, slots=True)
class Done:
    """One thing that a function does: "read" (of 4 bytes), "write" (of a value, of 4 bytes), or "call" (with arguments)."""

    kind: str
    address: Value
    value: Value = 0
    arguments: tuple[Value, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Way:
    """A way through a function: what it does in order, and for which things it goes by being 0 or not."""

    done: tuple[Done, ...]
    zero: tuple[tuple[Value, bool], ...]


@dataclass(slots=True)
class At:
    """A way so far."""

    pc: int
    registers: dict[str, Value]
    stack: dict[int, Value] = field(default_factory=dict)
    done: list[Done] = field(default_factory=list)
    zero: dict[Value, bool] = field(default_factory=dict)
    flag: tuple[Value] | None = None
    """What was compared with 0 last."""
    steps: int = 0
    over: bool = False

    def fork(self) -> At:
        """The same, going on by itself."""
        return replace(self, registers=dict(self.registers), stack=dict(self.stack), done=list(self.done), zero=dict(self.zero))


class Exact:
    """An architecture; ``current``: the source that runs; ``calls``: functions of the port that are read as what they do."""

    pointer: ClassVar[str]
    kept: ClassVar[tuple[str, ...]]
    """Registers that a function gives back as it got them."""
    lost: ClassVar[tuple[str, ...]]
    """Those that a call may change."""
    arguments: ClassVar[tuple[str, ...]]
    word: ClassVar[int]
    """Bytes of a pointer."""
    called: ClassVar[tuple[int, int]]
    """Where the stack is when a function is called: an offset, modulo a number, of the stack at this function's start."""

    def __init__(self, elf: Elf, address: int, current: int) -> None:
        self.elf, self.address, self.current = elf, address, current
        symbol = elf.around(address)
        if symbol is None or symbol.address != address:
            raise UnreadableError(f"no function begins at {address:#x}")
        self.low, self.high = address, address + symbol.size
        self.named = {name: elf.symbols[name].address for name in _READ if name in elf.symbols}

    def step(self, at: At) -> list[At]:
        """Carry the instruction at ``at.pc`` out; the ways that follow."""
        raise NotImplementedError

    def start(self) -> dict[str, Value]:
        """The registers at the function's start."""
        registers: dict[str, Value] = {name: ("first", name) for name in (*self.kept, *self.lost)}
        registers[self.pointer] = STACK, 0
        return registers

    def returns(self, at: At) -> None:
        """The function ends; where to is for the architecture to say."""
        for name in self.kept:
            if at.registers[name] != ("first", name):
                raise UnreadableError(f"'{self.elf.name_of(self.address)}' does not give back {name}")
        at.over = True

    def ways(self) -> list[Way]:
        """All ways through the function."""
        waiting, found = [At(self.address, self.start())], []
        while waiting:
            at = waiting.pop()
            at.steps += 1
            if at.steps > MOST or not self.low <= at.pc < self.high:
                raise UnreadableError(f"'{self.elf.name_of(self.address)}' does not end where it is to")
            for following in self.step(at):
                if following.over:
                    found.append(Way(tuple(following.done), tuple(sorted(following.zero.items(), key=str))))
                else:
                    waiting.append(following)
        return found

    def code(self, address: int, size: int) -> int:
        """A number of the function's code, or of the constants in it."""
        if not self.low <= address <= self.high - size:
            raise UnreadableError(f"'{self.elf.name_of(self.address)}' reads {address:#x} as its code")
        return self.elf.number(address, size)

    def unknown(self, place: int, what: str = "") -> UnreadableError:
        """What to raise at an instruction that is not known, or does what is not told."""
        what = what or "no rule reads"
        return UnreadableError(f"'{self.elf.name_of(self.address)}' has an instruction at {place:#x} that {what}")

    def branch(self, at: At, value: Value, target: int, *, zero: bool) -> list[At]:
        """Go on at a target if a value is 0, or is not 0, and else behind."""
        if isinstance(value, int) or value in at.zero:
            is_zero = value == 0 if isinstance(value, int) else at.zero[value]
            at.pc = target if is_zero == zero else at.pc
            return [at]
        if value[0] != "held":
            raise self.unknown(at.pc, "compares what no number is known of")
        away = at.fork()
        away.pc = target
        at.zero[value], away.zero[value] = not zero, zero
        return [at, away]

    def load(self, at: At, address: Value, size: int, place: int) -> Value:
        """What is at an address: of the stack, what was stored there."""
        offset = self.offset(address)
        if offset is not None and offset in at.stack and size == self.word:
            return at.stack[offset]
        if not isinstance(address, int) or size != 4 or address % size:
            raise self.unknown(place, "loads from where is not known")
        at.done.append(Done("read", address))
        return "held", address

    def store(self, at: At, address: Value, value: Value, size: int, place: int) -> None:
        """Store a value; of 4 bytes, or to the stack as much as a pointer has."""
        offset, low = self.offset(address), self.offset(at.registers[self.pointer])
        if offset is not None and low is not None and low <= offset < 0 and offset % size == 0 and size == self.word:
            at.stack[offset] = value
            return
        if not isinstance(address, int) or size != 4 or address % 4:
            raise self.unknown(place, "stores to where is not known")
        at.done.append(Done("write", address, self.low_word(value)))

    def move(self, at: At, by: int) -> None:
        """Move the stack pointer; what is below it is lost."""
        offset = (self.offset(at.registers[self.pointer]) or 0) + by
        at.registers[self.pointer] = STACK, offset
        at.stack = {k: v for k, v in at.stack.items() if k >= offset}

    @staticmethod
    def offset(value: Value) -> int | None:
        """Where on the stack an address is, if it is."""
        return value[1] if isinstance(value, tuple) and value[0] == STACK and isinstance(value[1], int) else None

    def call(self, at: At, target: Value, place: int, *, last: bool = False) -> None:
        """A call of a function whose address is known; two of the port's are read as what they do.

        ``last``: it is a jump, and the function returns to this one's caller.
        """
        offset = self.offset(at.registers[self.pointer])
        fits = offset == 0 if last else offset is not None and offset % self.called[1] == self.called[0]
        if not isinstance(target, int) or not fits:
            raise self.unknown(place, "calls what is not known, or with a stack that is not aligned")
        given = tuple(at.registers[name] for name in self.arguments)
        if target == self.named.get("carillon_port_write"):
            self.store(at, self.low_word(given[0]), self.low_word(given[1]), 4, place)
        elif target != self.named.get("carillon_port_current"):
            at.done.append(Done("call", target, arguments=given))
        for name in self.lost:
            at.registers[name] = ("left", f"{name} {at.steps}")
        if target == self.named.get("carillon_port_current"):
            at.registers[self.lost[0]] = self.current
        at.flag = None

    @staticmethod
    def low_word(value: Value) -> Value:
        """The 32 bits of an argument."""
        return value & 0xFFFF_FFFF if isinstance(value, int) else value

    def combined(self, operation: Callable[[int, int], int], left: Value, right: Value, place: int) -> Value:
        """A sum, or the like; of what is not a number, unknown."""
        if isinstance(left, int) and isinstance(right, int):
            return operation(left, right) & 0xFFFF_FFFF
        return "left", f"{place}"


_FILES = {ARM: "exact_arm", X86_64: "exact_x86"}


def exact(elf: Elf, address: int, current: int = 0) -> Exact:
    """The reader of a function, which begins at ``address``; UnreadableError where the architecture has none."""
    name = _FILES.get(elf.machine)
    if name is None:
        raise UnreadableError(f"no rule reads each instruction of machine {elf.machine}")
    found: Exact = import_module(f"carillon.verify.code.{name}").Code(elf, address, current)
    return found
