# SPDX-License-Identifier: Apache-2.0
"""AVR, as far as handlers use it (AVR Instruction Set Manual).

A register holds a number, or what a load and a constant make of a device register: ("read", address), ("set", address, bits) or
("clear", address, bits). So the store that follows is known to set or clear bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from carillon.elf import UnreadableError
from carillon.verify.code import Effect, State
from carillon.verify.elf import Elf

_CALLER = (0, *range(18, 28), 30, 31)
_STATUS = 0x5F
_FIRST_DATA = 0x800000
_FIRST_RAM = 0x100
_THROUGH = (1, 2, 9, 10, 12, 13, 14)
"""The low bits of loads and stores through X, Y and Z, before or after which the pointer may move."""


class Code:
    """See above."""

    first: Mapping[str, Any] = {}  # the compiler makes a constant anew rather than that it keeps it on the stack

    def __init__(self, elf: Elf) -> None:
        self.elf = elf

    def step(self, state: State, end: Callable[[int], bool]) -> list[State]:
        """See Processor."""
        place = state.pc
        word = self.elf.number(place, 2)
        state.pc += 2
        registers = state.registers
        registers.setdefault("1", 0)  # the ABI's zero
        if word & 0xFE0E in (0x940C, 0x940E):  # jmp, call
            target = 2 * (((word & 0x1F0) >> 3 | word & 1) << 16 | self.elf.number(place + 2, 2))
            state.pc += 2
            return self._go(state, target, word & 0xFE0E == 0x940E, place, end)
        if word >> 12 in (0xC, 0xD):  # rjmp, rcall
            offset = ((word & 0xFFF) ^ 0x800) - 0x800
            return self._go(state, place + 2 + 2 * offset, word >> 12 == 0xD, place, end)
        if word >> 11 == 0x1E:  # brbs, brbc
            target = place + 2 + 2 * (((word >> 3 & 0x7F) ^ 0x40) - 0x40)
            away = state.fork(target)
            if end(target):
                self._call(away, target, place)
            return [state, away]
        if word in (0x9508, 0x9518):  # ret, reti
            return []
        if word == 0x9509:  # icall
            self._call(state, self._through(registers), place)
            return [state]
        if word == 0x9409:  # ijmp
            self._call(state, self._through(registers), place)
            return []
        if word >> 10 == 4 or word & 0xFC00 == 0xFC00 or word & 0xFD00 == 0x9900:  # cpse; sbrc, sbrs; sbic, sbis: skip
            after = self.elf.number(place + 2, 2)
            longer = after & 0xFE0C == 0x940C or after & 0xFC0F == 0x9000
            return [state, state.fork(place + (6 if longer else 4))]
        self._work(state, word, place)
        return [state]

    def _work(self, state: State, word: int, place: int) -> None:
        """Carry out an instruction that the next instruction follows."""
        registers = state.registers
        upper, lower = 16 + (word >> 4 & 15), (word >> 8 & 15) << 4 | word & 15
        wide = word >> 4 & 31
        if word in (0x9478, 0x94F8):  # sei, cli
            state.effects.append(Effect("on" if word == 0x9478 else "off", place=place))
        elif word >> 12 == 0xE:  # ldi
            registers[str(upper)] = lower
        elif word & 0xFC0F == 0x9000:  # lds, sts
            address = self.elf.number(place + 2, 2)
            state.pc += 2
            self._move(state, bool(word & 0x200), wide, address, place)
        elif word >> 11 in (0x16, 0x17):  # in, out
            address = 0x20 + (word >> 5 & 0x30 | word & 15)
            self._move(state, word >> 11 == 0x17, wide, address, place)
        elif word & 0xFD00 == 0x9800:  # cbi, sbi
            kind = "set" if word & 0x200 else "clear"
            state.effects.append(Effect(kind, 0x20 + (word >> 3 & 31), 1 << (word & 7), place=place))
        elif word >> 12 in (6, 7):  # ori, andi
            self._bits(registers, upper, "set" if word >> 12 == 6 else "clear", lower)
        elif word >> 12 in (4, 5):  # sbci, subi
            registers.pop(str(upper), None)
        elif word >> 10 in (8, 10):  # and, or
            self._combine(registers, word)
        elif word >> 10 == 11:  # mov
            self._copy(registers, wide, word >> 5 & 16 | word & 15)
        elif word >> 10 == 9:  # eor
            source = word >> 5 & 16 | word & 15
            if source == wide:
                registers[str(wide)] = 0
            else:
                registers.pop(str(wide), None)
        elif word >> 8 == 1:  # movw
            for k in (0, 1):
                self._copy(registers, 2 * (word >> 4 & 15) + k, 2 * (word & 15) + k)
        elif word >> 12 == 3 or word >> 10 in (1, 5) or word & 0xFE0F == 0x920F or word == 0:  # cpi; cpc, cp; push; nop
            pass
        elif word & 0xD200 == 0x8200 or word & 0xFE00 == 0x9200:  # a store through a pointer
            self._indirect(state, word, wide, place)
        elif word & 0xD200 == 0x8000 or word & 0xFE00 == 0x9000:  # a load through one, pop
            pointed = self._pointer(registers, word) if word & 0xD200 == 0x8000 or word & 15 in _THROUGH else None
            self._moved(registers, word)
            registers.pop(str(wide), None)
            if pointed is not None:
                state.read(_FIRST_DATA + pointed if pointed >= _FIRST_RAM else pointed, place)
                registers[str(wide)] = ("read", pointed)
        elif word >> 9 == 0x4B:  # adiw, sbiw
            pair = 24 + 2 * (word >> 4 & 3)
            registers.pop(str(pair), None)
            registers.pop(str(pair + 1), None)
        else:
            registers.pop(str(wide), None)

    @staticmethod
    def _copy(registers: dict[str, Any], to: int, source: int) -> None:
        if str(source) in registers:
            registers[str(to)] = registers[str(source)]
        else:
            registers.pop(str(to), None)

    @staticmethod
    def _bits(registers: dict[str, Any], register: int, kind: str, mask: int) -> None:
        before = registers.pop(str(register), None)
        if isinstance(before, int):
            registers[str(register)] = before | mask if kind == "set" else before & mask
        elif isinstance(before, tuple) and before[0] == "read":
            registers[str(register)] = (kind, before[1], mask if kind == "set" else ~mask & 0xFF)

    def _combine(self, registers: dict[str, Any], word: int) -> None:
        to, source = word >> 4 & 31, word >> 5 & 16 | word & 15
        kind = "set" if word >> 10 == 10 else "clear"
        left, right = registers.get(str(to)), registers.get(str(source))
        if to == source:
            return
        if isinstance(left, int) and isinstance(right, tuple):
            left, right = right, left
        if isinstance(right, int):
            registers[str(to)] = left
            if left is None:
                registers.pop(str(to), None)
            self._bits(registers, to, kind, right)
        else:
            registers.pop(str(to), None)

    @staticmethod
    def _pair(registers: dict[str, Any], low: int) -> int | None:
        one, two = registers.get(str(low)), registers.get(str(low + 1))
        return one | two << 8 if isinstance(one, int) and isinstance(two, int) else None

    def _through(self, registers: dict[str, Any]) -> int | None:
        """Where a call or jump through Z goes, which counts words."""
        words = self._pair(registers, 30)
        return 2 * words if words is not None else None

    def _pointer(self, registers: dict[str, Any], word: int) -> int | None:
        if word & 0xD000 == 0x8000:
            base = self._pair(registers, 28 if word & 8 else 30)
            offset = word >> 8 & 0x20 | word >> 7 & 0x18 | word & 7
            return base + offset if base is not None else None
        return self._pair(registers, {0xC: 26, 0x8: 28}.get(word & 0xC, 30))

    def _moved(self, registers: dict[str, Any], word: int) -> None:
        """A pointer that a load or a store moves on is not known any more."""
        if word & 0xD000 != 0x8000 and word & 3 in (1, 2):
            low = {0xC: 26, 0x8: 28}.get(word & 0xC, 30)
            pair = self._pair(registers, low)
            for k in (0, 1):
                registers.pop(str(low + k), None)
            if pair is not None and word & 3 == 1:
                registers[str(low)], registers[str(low + 1)] = pair + 1 & 0xFF, (pair + 1) >> 8 & 0xFF

    def _indirect(self, state: State, word: int, wide: int, place: int) -> None:
        address = self._pointer(state.registers, word)
        if address is not None:
            self._store(state, wide, address, place)
        self._moved(state.registers, word)

    def _move(self, state: State, stores: bool, register: int, address: int, place: int) -> None:
        registers = state.registers
        if stores:
            if address == _STATUS:
                state.effects.append(Effect("on", place=place))
            else:
                self._store(state, register, address, place)
            return
        state.read(_FIRST_DATA + address if address >= _FIRST_RAM else address, place)
        registers[str(register)] = ("read", address)

    @staticmethod
    def _store(state: State, register: int, address: int, place: int) -> None:
        value = state.registers.get(str(register))
        if isinstance(value, tuple) and len(value) == 3 and value[1] == address:
            state.effects.append(Effect(value[0], address, value[2], place=place))
        else:
            state.effects.append(Effect("write", address, value if isinstance(value, int) else None, place=place))

    def _call(self, state: State, target: int | None, place: int) -> None:
        registers = state.registers
        arguments = []
        for k in range(4):
            low = registers.get(str(24 - 2 * k))
            value = self._pair(registers, 24 - 2 * k)
            if isinstance(low, int):  # an argument of one byte has its own register
                arguments.append((k, low if value is None else value))
        pointer = self._pair(registers, 30)
        if pointer is not None:
            arguments.append((8, pointer))
        state.effects.append(Effect("call", target if target is not None else -1, arguments=tuple(arguments), place=place))
        for register in _CALLER:
            registers.pop(str(register), None)

    def _go(self, state: State, target: int, links: bool, place: int, end: Callable[[int], bool]) -> list[State]:
        if target < 0:
            raise UnreadableError(f"a jump to nowhere at {place:#x}")
        if links or end(target):
            self._call(state, target, place)
            return [state] if links else []
        state.pc = target
        return [state]
