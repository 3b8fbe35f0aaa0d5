# SPDX-License-Identifier: Apache-2.0
"""x86-64 of short functions, each instruction of it (System V ABI, AMD64 supplement, 3.2)."""

from __future__ import annotations

import operator
import re
from functools import cache

from capstone import CS_ARCH_X86, CS_MODE_64, Cs

from carillon.verify.code.exact import STACK, At, Exact, Value

_MASK = 0xFFFF_FFFF
_WIDE = ("rax", "rdx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "rbx", "rbp", "r12", "r13", "r14", "r15")
_NARROW = {(f"{n}d" if n[1:].isdigit() else f"e{n[1:]}"): n for n in _WIDE}
"""The lower halves of registers."""
_MEMORY = re.compile(r"(dword|qword) ptr \[(rip|rsp)(?: ([+-]) (\w+))?\]$")
_OPERATIONS = {"add": operator.add, "sub": operator.sub, "or": operator.or_, "and": operator.and_, "xor": operator.xor}
_OPERATIONS |= {"shl": lambda a, b: a << (b & 31), "shr": lambda a, b: a >> (b & 31)}


@cache
def _decoded(code: bytes, place: int) -> tuple[int, str, str] | None:
    """The size, the name and the operands of an instruction; None if there is none."""
    found = next(Cs(CS_ARCH_X86, CS_MODE_64).disasm_lite(code, place), None)
    return found[1:] if found is not None else None


class Code(Exact):
    """See above."""

    pointer = "rsp"
    kept = ("rbx", "rbp", "r12", "r13", "r14", "r15", "rsp")
    lost = _WIDE[:9]
    arguments = ("rdi", "rsi")
    word = 8
    called = 8, 16

    def step(self, at: At) -> list[At]:
        """See Exact."""
        place = at.pc
        length = min(15, self.high - place)
        decoded = _decoded(self.elf.bytes_at(place, length), place)
        if decoded is None:
            raise self.unknown(place)
        size, name, operands = decoded
        at.pc = place + size
        parts = [p.strip() for p in operands.split(",")] if operands else []
        registers = at.registers
        if name in ("nop", "endbr64") or (name == "xchg" and operands in ("ax, ax", "eax, eax")):
            return [at]
        if name == "ret" and not parts:
            self._returns(at)
        elif name == "push" and parts[0] in _WIDE:
            self.move(at, -8)
            self.store(at, registers["rsp"], registers[parts[0]], 8, place)
        elif name == "pop" and parts[0] in _WIDE:
            registers[parts[0]] = self.load(at, registers["rsp"], 8, place)
            self.move(at, 8)
        elif name in ("add", "sub") and parts[0] == "rsp" and _is_number(parts[1]):
            self.move(at, int(parts[1], 0) if name == "add" else -int(parts[1], 0))
            at.flag = None
        elif name == "call":
            self.call(at, self._target(at, operands), place)
        elif name in ("jmp", "je", "jne"):
            return self._jump(at, name, operands, place)
        elif name in ("mov", "lea", "cmp", "test", *_OPERATIONS) and len(parts) == 2:
            self._two(at, name, parts[0], parts[1], place)
        else:
            raise self.unknown(place)
        return [at]

    def _two(self, at: At, name: str, to: str, of: str, place: int) -> None:
        """An instruction with two operands, of 32 bits, or a move of 64."""
        if name == "lea":
            target = self._address(at, "qword ptr " + of, place)
            if not isinstance(target, int) or to not in _WIDE + tuple(_NARROW):
                raise self.unknown(place)
            at.registers[_NARROW.get(to, to)] = target
        elif name == "mov" and to in _WIDE and (of in _WIDE or _is_number(of)):
            at.registers[to] = at.registers[of] if of in _WIDE else int(of, 0) & (1 << 64) - 1
        elif name == "mov":
            self._put(at, to, self._get(at, of, place), place)
        elif name in ("test", "cmp"):
            left, right = self._get(at, to, place), self._get(at, of, place)
            at.flag = (left,) if (name == "test" and to == of) or (name == "cmp" and right == 0) else None
        else:
            at.flag = None
            if to not in _NARROW:
                raise self.unknown(place)
            same = name == "xor" and to == of
            value = 0 if same else self.combined(_OPERATIONS[name], self._get(at, to, place), self._get(at, of, place), place)
            self._put(at, to, value, place)

    def _address(self, at: At, text: str, place: int) -> Value:
        match = _MEMORY.match(text)
        if match is None:
            raise self.unknown(place)
        offset = int(match[4] or "0", 0) * (-1 if match[3] == "-" else 1)
        if match[2] == "rip":
            return at.pc + offset
        return STACK, (self.offset(at.registers["rsp"]) or 0) + offset

    def _get(self, at: At, text: str, place: int) -> Value:
        if _is_number(text):
            return int(text, 0) & _MASK
        if text in _NARROW:
            value = at.registers[_NARROW[text]]
            whole = isinstance(value, tuple) and value[0] != "held"  # of which the lower half is something else
            return ("left", text) if whole else self.low_word(value)
        if not text.startswith("dword"):
            raise self.unknown(place)
        return self.load(at, self._address(at, text, place), 4, place)

    def _put(self, at: At, text: str, value: Value, place: int) -> None:
        if text in _NARROW:
            at.registers[_NARROW[text]] = value
        elif text.startswith("dword"):
            self.store(at, self._address(at, text, place), value, 4, place)
        else:
            raise self.unknown(place)

    def _target(self, at: At, text: str) -> Value:
        return int(text, 0) if _is_number(text) else at.registers.get(text, ("left", text))

    def _jump(self, at: At, name: str, operands: str, place: int) -> list[At]:
        target = self._target(at, operands)
        inside = isinstance(target, int) and self.low <= target < self.high
        if name != "jmp":
            if at.flag is None or not inside or not isinstance(target, int):
                raise self.unknown(place)
            return self.branch(at, at.flag[0], target, zero=name == "je")
        if inside and isinstance(target, int):
            at.pc = target
            return [at]
        self.call(at, target, place, last=True)
        self._returns(at)
        return [at]

    def _returns(self, at: At) -> None:
        moved = at.registers["rsp"] != (STACK, 0)
        at.registers["rsp"] = ("left", "rsp") if moved else ("first", "rsp")
        self.returns(at)


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", text))
