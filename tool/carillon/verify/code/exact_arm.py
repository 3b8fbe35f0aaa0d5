# SPDX-License-Identifier: Apache-2.0
"""Thumb-2 of short functions, each bit of it (ARMv7-M Architecture Reference Manual, A5 and A7.7)."""

from __future__ import annotations

import operator
from collections.abc import Callable

from carillon.verify.code.exact import STACK, At, Exact, Value

_MASK = 0xFFFF_FFFF
_IPSR = 0xF3EF, 0x8005
_OPERATIONS: dict[int, Callable[[int, int], int]] = {
    0b0000: operator.and_,
    0b0001: lambda a, b: a & ~b,
    0b0010: operator.or_,
    0b0100: operator.xor,
    0b1000: operator.add,
    0b1101: operator.sub,
}
"""Of instructions with a modified constant or a shifted register (A5.3.1 and A5.3.11)."""
_SHORT: dict[int, Callable[[int, int], int]] = {0b0000: operator.and_, 0b0001: operator.xor, 0b1100: operator.or_}
_BAD = ("sp", "pc")


def _register(number: int) -> str:
    return {13: "sp", 14: "lr", 15: "pc"}.get(number, f"r{number}")


def _constant(i: int, imm3: int, imm8: int) -> int:
    """ThumbExpandImm (A5.3.2)."""
    code = i << 11 | imm3 << 8 | imm8
    if code >> 10:
        value, by = 0x80 | code & 0x7F, code >> 7
        return (value >> by | value << 32 - by) & _MASK
    return (code & 0xFF) * (1, 0x0001_0001, 0x0100_0100, 0x0101_0101)[code >> 8]


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


class Code(Exact):
    """See above."""

    pointer = "sp"
    kept = (*(f"r{n}" for n in range(4, 12)), "sp")
    lost = ("r0", "r1", "r2", "r3", "r12", "lr")
    arguments = ("r0", "r1", "r2", "r3")
    word = 4
    called = 0, 8

    def step(self, at: At) -> list[At]:
        """See Exact."""
        place = at.pc
        first = self.code(place, 2)
        if first >> 11 in (0x1D, 0x1E, 0x1F):
            at.pc = place + 4
            return self._long(at, first, self.code(place + 2, 2), place)
        at.pc = place + 2
        return self._short(at, first, place)

    def _put(self, at: At, register: str, value: Value, place: int) -> None:
        if register in _BAD:
            raise self.unknown(place)
        at.registers[register] = value

    def _get(self, at: At, register: str, place: int) -> Value:
        if register == "pc":
            raise self.unknown(place)
        return at.registers[register]

    def _short(self, at: At, word: int, place: int) -> list[At]:
        low, middle, high = (f"r{word & 7}", f"r{word >> 3 & 7}", f"r{word >> 8 & 7}")
        registers = at.registers
        five = word >> 6 & 31
        if word == 0xBF00:
            return [at]
        if word >> 9 in (0x5A, 0x5E):  # push, pop
            names = [f"r{n}" for n in range(8) if word >> n & 1]
            if word >> 9 == 0x5A:
                self._push(at, [*names, *(["lr"] if word >> 8 & 1 else [])], place)
            else:
                self._pop(at, [*names, *(["pc"] if word >> 8 & 1 else [])], place)
        elif word >> 12 == 0xB and word >> 8 & 5 == 1:  # cbz, cbnz
            target = place + 4 + ((word >> 9 & 1) << 6 | (word >> 3 & 31) << 1)
            return self.branch(at, registers[low], target, zero=not word >> 11 & 1)
        elif word >> 11 == 0b11100:
            return self._jump(at, place + 4 + _signed((word & 0x7FF) << 1, 12), place)
        elif word >> 9 == 0b1101000:  # beq, bne
            if at.flag is None:
                raise self.unknown(place)
            return self.branch(at, at.flag[0], place + 4 + _signed((word & 0xFF) << 1, 9), zero=not word >> 8 & 1)
        elif word & 0xFF87 == 0x4700:  # bx
            self._returns(at, registers[_register(word >> 3 & 15)] if word >> 3 & 15 != 15 else 0, place)
        elif word >> 8 == 0b01000110:  # mov
            self._put(at, _register(word & 7 | word >> 4 & 8), self._get(at, _register(word >> 3 & 15), place), place)
        elif word >> 11 == 0b01001:  # ldr, of a constant
            registers[high] = self.code((place + 4 & ~3) + 4 * (word & 0xFF), 4)
        elif word >> 11 in (0b01100, 0b01101):  # str, ldr
            self._access(at, low, self._sum(at, middle, 4 * five, place), word >> 11 & 1, place)
        elif word >> 11 in (0b10010, 0b10011):
            self._access(at, high, self._sum(at, "sp", 4 * (word & 0xFF), place), word >> 11 & 1, place)
        elif word >> 8 == 0b10110000:
            self.move(at, (-4 if word >> 7 & 1 else 4) * (word & 0x7F))
        elif word >> 11 == 0b00101:  # cmp
            at.flag = (registers[high],) if not word & 0xFF else None
        else:
            at.flag = None
            if word >> 11 == 0b00100:
                registers[high] = word & 0xFF
            elif word >> 11 in (0b00110, 0b00111):
                does = operator.sub if word >> 11 & 1 else operator.add
                registers[high] = self.combined(does, registers[high], word & 0xFF, place)
            elif word >> 10 == 0b000111:
                does = operator.sub if word >> 9 & 1 else operator.add
                registers[low] = self.combined(does, registers[middle], word >> 6 & 7, place)
            elif word >> 10 == 0b000110:
                does = operator.sub if word >> 9 & 1 else operator.add
                registers[low] = self.combined(does, registers[middle], registers[f"r{word >> 6 & 7}"], place)
            elif word >> 11 == 0b00000:
                registers[low] = self.combined(operator.lshift, registers[middle], five, place) if five else registers[middle]
            elif word >> 11 == 0b00001:
                registers[low] = self.combined(operator.rshift, registers[middle], five or 32, place)
            elif word >> 10 == 0b010000 and (operation := _SHORT.get(five & 15)) is not None:
                registers[low] = self.combined(operation, registers[low], registers[middle], place)
            elif word >> 6 in (0b1011001010, 0b1011001011):  # uxth, uxtb
                registers[low] = self.combined(operator.and_, registers[middle], 0xFF if word >> 6 & 1 else 0xFFFF, place)
            else:
                raise self.unknown(place)
        return [at]

    def _long(self, at: At, first: int, second: int, place: int) -> list[At]:
        one, to = _register(first & 15), _register(second >> 8 & 15)
        imm3, imm8 = second >> 12 & 7, second & 0xFF
        if first == _IPSR[0] and second & 0xF0FF == _IPSR[1]:
            self._put(at, to, self.current, place)
        elif first >> 11 == 0x1E and second >> 15:
            return self._far(at, first, second, place)
        elif first >> 11 == 0x1E and not second >> 15 and not first >> 9 & 1:  # a modified constant
            value = _constant(first >> 10 & 1, imm3, imm8)
            self._operation(at, first, to, value, place)
        elif first & 0xFB70 == 0xF240 and not second >> 15:  # movw, movt
            half = (first & 15) << 12 | (first >> 10 & 1) << 11 | imm3 << 8 | imm8
            upper = self.combined(lambda a, b: a & 0xFFFF | b << 16, self._get(at, to, place), half, place)
            self._put(at, to, upper if first >> 7 & 1 else half, place)
        elif first >> 9 == 0b1110101 and not second >> 15 and not second >> 4 & 3:  # a register that is shifted left
            by = imm3 << 2 | second >> 6 & 3
            right = self._get(at, _register(second & 15), place)
            self._operation(at, first, to, self.combined(operator.lshift, right, by, place) if by else right, place)
        elif first & 0xFFF0 == 0xF3C0 and not second & 0x8020:  # ubfx
            low, width = imm3 << 2 | second >> 6 & 3, (second & 31) + 1
            self._put(at, to, self.combined(lambda a, _: a >> low & (1 << width) - 1, self._get(at, one, place), 0, place), place)
        elif first == 0xF8DF or first == 0xF85F:
            offset = second & 0xFFF if first >> 7 & 1 else -(second & 0xFFF)
            self._put(at, _register(second >> 12), self.code((place + 4 & ~3) + offset, 4), place)
        elif first >> 4 in (0xF8C, 0xF8D) and one != "pc":
            self._access(at, _register(second >> 12), self._sum(at, one, second & 0xFFF, place), first >> 4 & 1, place)
        elif first >> 4 in (0xE92, 0xE8B) and one == "sp":  # push, pop
            names = [_register(n) for n in range(16) if second >> n & 1]
            if "sp" in names or len(names) < 2 or ("pc" in names and (first >> 4 == 0xE92 or "lr" in names)):
                raise self.unknown(place)
            (self._push if first >> 4 == 0xE92 else self._pop)(at, names, place)
        elif (first, second & 0xFFF) == (0xF84D, 0xD04) and second >> 12 not in (13, 15):
            self._push(at, [_register(second >> 12)], place)
        elif (first, second & 0xFFF) == (0xF85D, 0xB04) and second >> 12 != 13:
            self._pop(at, [_register(second >> 12)], place)
        else:
            raise self.unknown(place)
        return [at]

    def _operation(self, at: At, first: int, to: str, right: Value, place: int) -> None:
        """An instruction with a modified constant or a shifted register; flags are not told."""
        number, one = first >> 5 & 15, _register(first & 15)
        if first >> 4 & 1:
            at.flag = None
        if number == 0b0010 and one == "pc":
            self._put(at, to, right, place)
            return
        operation = _OPERATIONS.get(number)
        if operation is None or to == "pc" or one in _BAD:
            raise self.unknown(place)
        self._put(at, to, self.combined(operation, at.registers[one], right, place), place)

    def _far(self, at: At, first: int, second: int, place: int) -> list[At]:
        """Calls and jumps of 25 bits (A7.7.12, T4, and A7.7.18)."""
        s, j1, j2 = first >> 10 & 1, second >> 13 & 1, second >> 11 & 1
        offset = s << 24 | (1 - (j1 ^ s)) << 23 | (1 - (j2 ^ s)) << 22 | (first & 0x3FF) << 12 | (second & 0x7FF) << 1
        target = place + 4 + _signed(offset, 25)
        if second & 0xD000 == 0xD000:
            self.call(at, target, place)
            return [at]
        if second & 0xD000 == 0x9000:
            return self._jump(at, target, place)
        raise self.unknown(place)

    def _jump(self, at: At, target: int, place: int) -> list[At]:
        if self.low <= target < self.high:
            at.pc = target
            return [at]
        back = at.registers["lr"]
        self.call(at, target, place, last=True)
        self._returns(at, back, place)
        return [at]

    def _returns(self, at: At, target: Value, place: int) -> None:
        if target != ("first", "lr"):
            raise self.unknown(place, "returns to another place than the caller")
        at.registers["sp"] = ("first" if at.registers["sp"] == (STACK, 0) else "left", "sp")
        self.returns(at)

    def _sum(self, at: At, register: str, offset: int, place: int) -> Value:
        value = self._get(at, register, place)
        if (on_stack := self.offset(value)) is not None:
            return STACK, on_stack + offset
        return self.combined(operator.add, value, offset, place)

    def _access(self, at: At, register: str, address: Value, loads: int, place: int) -> None:
        if loads:
            self._put(at, register, self.load(at, address, 4, place), place)
        else:
            self.store(at, address, self._get(at, register, place), 4, place)

    def _push(self, at: At, names: list[str], place: int) -> None:
        self.move(at, -4 * len(names))
        for k, name in enumerate(names):
            self.store(at, self._sum(at, "sp", 4 * k, place), at.registers[name], 4, place)

    def _pop(self, at: At, names: list[str], place: int) -> None:
        values = [self.load(at, self._sum(at, "sp", 4 * k, place), 4, place) for k in range(len(names))]
        self.move(at, 4 * len(names))
        for name, value in zip(names, values, strict=True):
            if name == "pc":
                self._returns(at, value, place)
            else:
                at.registers[name] = value
        if not names:
            raise self.unknown(place)
