# SPDX-License-Identifier: Apache-2.0
"""What a function of a linked image takes of the stack, and where it calls what: read of the toolchain's disassembly.

The stack pointer is followed along every path: what is pushed, made room for, and given back.  A register that has a place of the
stack, or a constant, is known as long as the code says so.  Paths that meet go on with the deeper stack.  A file for each
architecture says what an instruction does.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from carillon.verify.elf import Elf

_LINE = re.compile(r"^\s*([0-9a-f]+):\t(\S+)\s*(.*)$")
_FILLS = ("nop", "unimp", "c.unimp", "c.nop")
"""What stands between functions."""
MOST_TURNS = 8
"""So often may a path come back to an instruction with a deeper stack than before."""


class Unknown(Exception):  # noqa: N818 - it is an answer, and no error
    """Code that this does not understand: why, and where."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """``comment``: what the disassembly adds; ``following``: where the next one is."""

    address: int
    name: str
    operands: str
    comment: str
    following: int


@dataclass(frozen=True, slots=True)
class Call:
    """``target``: None where an address is called; ``depth``: what the function called finds taken by its caller."""

    target: int | None
    depth: int
    place: int


@dataclass(slots=True)
class Use:
    """What a function does with the stack: ``most`` bytes by itself, and its calls; ``unknown``: why that is not all."""

    most: int = 0
    calls: list[Call] = field(default_factory=list)
    unknown: str = ""


Value = tuple[str, int]
"""What a register has: a place on the "stack", counted from where it was when the function began, or a "number"."""
State = tuple[int, dict[str, Value]]
"""Bytes of the stack that are taken, and what is known of registers."""
Paths = list[tuple[int, State]]
"""Where paths go on."""


def disassembly(path: Path, objdump: str) -> str:
    """What the toolchain's disassembler says of an image."""
    command = [objdump, "-d", "--no-show-raw-insn", "-z", str(path)]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=True).stdout


class Code:
    """The code of an image, by a listing of objdump."""

    remark: ClassVar[str]
    """Characters with which a remark begins."""
    exception: ClassVar[int] = 0
    """Bytes that the processor pushes before a handler."""
    context: ClassVar[int]
    """Bytes that a context has on its stack before its first resume (``carillon_port_context``)."""
    first: ClassVar[int] = 0
    """Bytes above those of a task's function on its own stack: a return address, or what aligns the stack."""

    def __init__(self, elf: Elf, listing: str) -> None:
        self.elf = elf
        found = [match for line in listing.splitlines() if (match := _LINE.match(line)) is not None]
        following = [*(int(match[1], 16) for match in found[1:]), 0]
        remark = re.compile(rf"[{self.remark}]")
        self.code: dict[int, Instruction] = {}
        for match, after in zip(found, following, strict=True):
            if not match[2].startswith("."):
                address, (operands, *comment) = int(match[1], 16), remark.split(match[3], maxsplit=1)
                self.code[address] = Instruction(address, match[2], operands.strip(), "".join(comment).strip(), after)
        self._entries = {s.address for s in elf.symbols.values() if s.function and s.size}
        self._known: dict[int, Use] = {}

    def name_of(self, address: int) -> str:
        """The function that an address is in."""
        around = self.elf.around(address)
        return self.elf.name_of(around.address if around is not None else address)

    def use(self, entry: int) -> Use:
        """What the function there does.  A function of the port that loads the stack pointer goes on on another stack."""
        if entry not in self._known:
            walk = Walk(self, entry, self.name_of(entry))
            walk.walk()
            self._known[entry] = walk.use
        return self._known[entry]

    def is_entry(self, address: int) -> bool:
        """Whether a function begins there."""
        return address in self._entries

    def next_entry(self, address: int) -> int:
        """Where the next function with a size begins, or where the code ends."""
        return min((entry for entry in self._entries if entry > address), default=max(self.code, default=address) + 1)

    def step(self, walk: Walk, it: Instruction, depth: int, known: dict[str, Value]) -> Paths:
        """Carry an instruction out."""
        raise NotImplementedError


class Walk:
    """The paths of one function."""

    def __init__(self, code: Code, entry: int, name: str) -> None:
        self.code, self.entry = code, entry
        self.is_reset = name == "carillon_port_reset"
        self.switches = name.startswith("carillon_port_")
        self.use = Use()
        self.jumps = False  # to an address, which may be a call, or by a table
        self._calls: dict[int, Call] = {}
        here = code.elf.around(entry)
        end = here.address + here.size if here is not None else code.next_entry(entry)
        self.range = range(here.address if here is not None else entry, end)

    def walk(self) -> None:
        """Follow every path."""
        met: dict[int, tuple[int, dict[str, Value], int]] = {}
        waiting: Paths = [(self.entry, (0, {}))]
        try:
            while waiting:
                address, (depth, known) = waiting.pop()
                if address in met:
                    before, other, turns = met[address]
                    joined = {name: value for name, value in other.items() if known.get(name) == value}
                    if depth <= before and joined == other:
                        continue
                    turns += depth > before
                    if turns > MOST_TURNS:
                        raise Unknown(f"it takes more of the stack in each turn of a loop, at {address:#x}")
                    depth, known = max(depth, before), joined
                    met[address] = depth, known, turns
                else:
                    met[address] = depth, known, 0
                self.use.most = max(self.use.most, depth)
                instruction = self.code.code.get(address)
                if instruction is None and address in self.range:
                    continue  # data, behind a call that does not return
                if instruction is None:
                    raise Unknown(f"there is no instruction at {address:#x}")
                waiting += self.code.step(self, instruction, depth, dict(known))
            if self.jumps:
                left = [a for a in self.range if a not in met and a in self.code.code and self.code.code[a].name not in _FILLS]
                if left:
                    raise Unknown(f"it jumps by a table, or has code that is never reached, at {left[0]:#x}")
        except Unknown as unknown:
            self.use.unknown = str(unknown)
        self.use.calls = [self._calls[place] for place in sorted(self._calls)]

    def call(self, target: int | None, depth: int, place: int) -> None:
        """Note a call."""
        before = self._calls.get(place)
        if before is not None and before.target != target:
            target = None
        self._calls[place] = Call(target, max(depth, before.depth if before is not None else 0), place)

    def jump(self, target: int, depth: int, known: dict[str, Value], place: int) -> Paths:
        """Where a jump goes on: nowhere if it is a call in the place of a return."""
        if target not in self.range and self.code.is_entry(target):
            self.call(target, depth, place)
            return []
        return [(target, (depth, dict(known)))]

    def after_call(self, it: Instruction, depth: int, known: dict[str, Value]) -> Paths:
        """Where a call comes back; a function that does not return may be called last."""
        beyond = it.following not in self.code.code or it.following not in self.range
        return [] if beyond else [(it.following, (depth, known))]

    def stack_lost(self, it: Instruction) -> Paths:
        """The stack pointer has what is not known: another stack, of a function that may do so."""
        if not self.switches:
            raise Unknown(f"it changes the stack pointer by what is not known, at {it.address:#x}")
        return []
