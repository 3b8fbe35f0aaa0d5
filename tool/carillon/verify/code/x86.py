# SPDX-License-Identifier: Apache-2.0
"""x86-64, as far as handlers of virtual boards use it (System V ABI: arguments in edi, esi, edx, ecx)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from capstone import CS_ARCH_X86, CS_MODE_64

from carillon.elf import UnreadableError
from carillon.verify.code import Effect, State, frame
from carillon.verify.code.decoded import Decoded
from carillon.verify.elf import Elf

_WORD = re.compile(r"\b[a-z]\w*\b")
_MEMORY = re.compile(r"\[(?:(\w+)(?: ([+-]) (\w+))?|(0x\w+|\d+))\]$")
_SIZE = re.compile(r"(qword|dword|word|byte) ptr ")
_SIZES = {"qword": 8, "dword": 4, "word": 2, "byte": 1}
_OLD = {"ax": "rax", "bx": "rbx", "cx": "rcx", "dx": "rdx", "si": "rsi", "di": "rdi", "bp": "rbp", "sp": "rsp"}


@cache
def _register(name: str) -> str | None:
    if name in _OLD:
        return _OLD[name]
    if len(name) == 3 and name[0] in "re" and name[1:] in _OLD:
        return "r" + name[1:]
    if len(name) == 2 and name[1] in "lh" and name[0] in "abcd":
        return f"r{name[0]}x"
    if len(name) == 3 and name[2] == "l" and name[:2] in _OLD:
        return _OLD[name[:2]]
    found = re.match(r"r(\d+)[dwb]?$", name)
    return f"r{found[1]}" if found else None


_ONE_RESULT = {
    *("adc", "add", "and", "dec", "imul", "inc", "movsx", "movsxd", "movzx", "neg", "not", "or", "sar", "sbb", "shl", "shr"),
    *("sub", "xor"),
}
"""What changes its first operand, and no other register; imul with one operand is in _WIDE, too."""
_WIDE = frozenset({"cdq", "cdqe", "cmpxchg", "cqo", "cwd", "cwde", "div", "idiv", "imul", "mul", "xchg"})
_IMPLIED = ("rax", "rdx")


class Code(Decoded):
    """See above."""

    arguments = ("rdi", "rsi", "rdx", "rcx")
    lost = ("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11")
    pointer = "rsp"

    def __init__(self, elf: Elf) -> None:
        super().__init__(elf, CS_ARCH_X86, CS_MODE_64)

    def step(self, state: State, end: Callable[[int], bool]) -> list[State]:
        """See Processor."""
        part = b""
        for length in (15, 8, 4, 2, 1):
            try:
                part = self.elf.bytes_at(state.pc, length)
                break
            except UnreadableError:
                continue
        size, name, operands = self.decoded(part, state.pc)
        place, after = state.pc, state.pc + size
        state.pc = after
        registers = state.registers
        if name.startswith("ret"):
            return []
        if name == "call" or name.startswith("j"):
            return self._branch(state, name, operands, place, end)
        if name in ("nop", "endbr64", "cmp", "test"):
            if name in ("cmp", "test"):
                self._read(state, operands, after, place)
            return [state]
        parts = [p.strip() for p in operands.split(",")] if operands else []
        if self._frame(state.registers, name, parts):
            return [state]
        if name in ("push", "pop", "leave") or name.startswith(("pushf", "popf")):
            # The stack's pointer is not known, or what it becomes is not.
            changed = {"pop": _register("".join(parts)), "leave": "rbp"}.get(name)
            for register in (self.pointer, changed or self.pointer):
                self.put(registers, register, None)
            return [state]
        target = _register(parts[0]) if parts else None
        if name in ("mov", "movabs") and len(parts) == 2:
            value = self._operand(state, parts[1], after, place)
            if target is None:
                frame.show(registers, [_register(parts[1]) or ""])
            if target is not None:
                self.put(registers, target, value)
            else:
                address = self._address(registers, parts[0], after)
                if address is not None:
                    state.effects.append(Effect("write", address, value, place=place))
                else:
                    frame.meddle(registers, self._registers(parts[0]))
                    frame.lose(registers)
            return [state]
        if name == "lea" and target is not None:
            frame.meddle(registers, self._registers(parts[1]))
            self.put(registers, target, self._address(registers, parts[1], after))
            return [state]
        if name == "xor" and len(parts) == 2 and parts[0] == parts[1] and target is not None:
            self.put(registers, target, 0)
            return [state]
        self._read(state, operands, after, place)
        named = self._registers(operands)
        alone = target is not None and name.startswith(("mov", "set"))
        frame.meddle(registers, self._registers(",".join(parts[1:])) if alone else named)
        if name in _ONE_RESULT or name.startswith(("cmov", "set")):
            named = [target] if target is not None else []
        for register in (*named, *_IMPLIED) if name in _WIDE else named:
            self.put(registers, register, None)
        return [state]

    @staticmethod
    def _registers(operands: str) -> list[str]:
        return [register for word in _WORD.findall(operands) if (register := _register(word)) is not None]

    def _frame(self, registers: dict[str, int], name: str, parts: list[str]) -> bool:
        """Carry an instruction out that moves an address of the stack, or a value between there and the processor."""
        at = frame.points(registers, self.pointer)
        if name in ("push", "pop") and at is not None and len(parts) == 1 and "[" not in parts[0]:
            register = _register(parts[0])
            if name == "pop" and register is not None:
                self.put(registers, register, frame.kept(registers, at, 8))
                frame.point(registers, self.pointer, at + 8, self.pointer)
            else:
                frame.show(registers, [register or ""])
                frame.point(registers, self.pointer, at - 8, self.pointer)
                frame.keep(registers, at - 8, 8, registers.get(register) if register is not None else None, self.pointer)
            return True
        if len(parts) != 2 or name not in ("add", "sub", "lea", "mov"):
            return False
        target, source = _register(parts[0]), _register(parts[1])
        if name == "lea" and target is not None:
            address = self._place(registers, parts[1])
        elif name == "mov" and target is not None and source is not None and parts[1] == source:
            address = frame.points(registers, source)
        elif name in ("add", "sub") and target is not None and parts[1][:1].isdigit():
            base, by = frame.points(registers, target), int(parts[1], 0)
            by -= 1 << 64 if by >> 63 else 0
            address = None if base is None else base + by if name == "add" else base - by
        else:
            return name == "mov" and self._kept(registers, parts, target, source)
        if address is None:
            return False
        assert target is not None
        frame.point(registers, target, address, self.pointer)
        return True

    def _kept(self, registers: dict[str, int], parts: list[str], target: str | None, source: str | None) -> bool:
        """A load or a store, if its address is on the function's own stack."""
        memory = parts[0] if target is None else parts[1]
        at, named = self._place(registers, memory), _SIZE.match(memory)
        if at is None or named is None:
            return False
        size = _SIZES[named[1]]
        if target is not None:
            self.put(registers, target, frame.kept(registers, at, size) if size >= 4 else None)
            return True
        frame.show(registers, [source or ""])
        value = registers.get(source) if source is not None else int(parts[1], 0) if re.match(r"-?\d", parts[1]) else None
        high = source is not None and parts[1][-1:] == "h"
        frame.keep(registers, at, size, None if value is None or high else value & (1 << 8 * size) - 1, self.pointer)
        return True

    @staticmethod
    def _place(registers: dict[str, int], text: str) -> int | None:
        """The offset of an address on the function's own stack; None if it is none."""
        match = _MEMORY.search(text)
        if match is None or match[4] or (match[3] and not match[3][0].isdigit()):
            return None
        base = frame.points(registers, _register(match[1]) or "")
        by = int(match[3] or "0", 0)
        return None if base is None else base - by if match[2] == "-" else base + by

    def _address(self, registers: dict[str, int], text: str, after: int) -> int | None:
        match = _MEMORY.search(text)
        if match is None:
            return None
        if match[4]:
            return int(match[4], 0)
        base = after if match[1] == "rip" else registers.get(_register(match[1]) or "")
        offset = int(match[3] or "0", 0) if not match[3] or match[3][0].isdigit() else None
        if base is None or offset is None:
            return None
        return base + (offset if match[2] != "-" else -offset)

    def _operand(self, state: State, text: str, after: int, place: int) -> int | None:
        register = _register(text)
        if register is not None:
            value: int | None = state.registers.get(register)
            return value
        if "[" in text:
            self._read(state, text, after, place)
            return None
        return int(text, 0)

    def _read(self, state: State, operands: str, after: int, place: int) -> None:
        for part in operands.split(","):
            address = self._address(state.registers, part, after) if "[" in part else None
            if address is not None:
                state.read(address, place)

    def _branch(self, state: State, name: str, operands: str, place: int, end: Callable[[int], bool]) -> list[State]:
        target: int | None = None
        if operands[:1].isdigit():
            target = int(operands, 0)
        elif _register(operands) is not None:
            target = state.registers.get(_register(operands) or "")
        if name == "call":
            self.call(state, target, place)
            return [state]
        return (self.jump if name == "jmp" else self.branch)(state, target, place, end)
