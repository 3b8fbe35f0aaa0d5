# SPDX-License-Identifier: Apache-2.0
"""All that a short function does on AVR (AVR Instruction Set Manual): :mod:`.executed` says how, and runs other processors' code.

Memory is read and written byte by byte.  Two bytes that follow one another are one access.  Of a device register of 16 bits the
low byte is read first, and the high byte written first: the two share a byte of the device (data sheets, Accessing 16-bit
Registers).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from carillon.elf import UnreadableError
from carillon.verify.code.done import MOST, Done, Value
from carillon.verify.elf import Elf

DATA, STATUS, FLAGS = 0x800000, 0x5F, "CZNVSHTI"
"""Where the file has data; the status register, and its bits, of which I lets interrupts come."""
KEPT, LOST = (*range(2, 18), 28, 29), (0, *range(18, 28), 30, 31)


class _Byte(NamedTuple):
    kind: str
    at: int
    value: int
    locked: bool


class Execution:
    """One run; ``seed``: of all numbers that nobody knows.  ``on``: whether interrupts may come when it begins."""

    def __init__(
        self, elf: Elf, address: int, holds: Mapping[int, int], seed: int, counts: Mapping[int, Sequence[int]], on: bool
    ) -> None:
        symbol = elf.around(address)
        if symbol is None or symbol.address != address:
            raise UnreadableError(f"no function begins at {address:#x}")
        self.elf, self.holds, self.pc, self.on = elf, holds, address, on
        self.low, self.high, self.name = address, address + symbol.size, f"'{elf.name_of(address)}'"
        self.random = random.Random(seed)
        self.ram = elf.symbol("__data_start").address - DATA
        self.registers = [self.random.getrandbits(8) for _ in range(32)]
        self.registers[1] = 0
        self.flags = dict.fromkeys(FLAGS, False) | {"I": on}
        self.memory = {at + k: held >> 8 * k & 0xFF for at, held in holds.items() for k in range(2)}
        self.counts = {at: list(values) for at, values in counts.items()}
        self.stack: list[int] = []
        self.bytes: list[_Byte | Done] = []

    def run(self, arguments: Sequence[int]) -> tuple[Done, ...]:
        for k, value in enumerate(arguments):
            self.registers[24 - 2 * k : 26 - 2 * k] = [value & 0xFF, value >> 8 & 0xFF]
        kept = [self.registers[n] for n in KEPT]
        for _ in range(MOST):
            if not self._step():
                break
        else:
            raise UnreadableError(f"{self.name} does not end where it is to")
        if kept != [self.registers[n] for n in KEPT] or self.registers[1] or self.stack:
            raise UnreadableError(f"{self.name} does not give back its caller's registers, or its stack")
        if self.flags["I"] != self.on:
            raise UnreadableError(f"{self.name} does not give back what masks interrupts")
        return tuple(self._joined())

    # What it does.

    def _joined(self) -> list[Done]:
        """The accesses, of whole registers and variables."""
        found: list[Done] = []
        run: list[_Byte] = []
        for it in [*self.bytes, None]:
            if isinstance(it, _Byte) and run and self._continues(run, it):
                run.append(it)
                continue
            if run:
                found.append(self._access(run))
            run = [it] if isinstance(it, _Byte) else []
            found += [it] if isinstance(it, Done) else []
        return found

    def _continues(self, run: Sequence[_Byte], it: _Byte) -> bool:
        device, steps = it.at < DATA, (-1 if it.kind == "write" else 1,)
        follows = it.at - run[-1].at in (steps if device else (-1, 1))
        return follows and it.kind == run[0].kind and len(run) < 2

    def _access(self, run: Sequence[_Byte]) -> Done:
        ordered = sorted(run, key=lambda it: it.at)
        if len(run) != 2 and ordered[0].at >= DATA:
            raise UnreadableError(f"{self.name} {run[0].kind}s a byte at {ordered[0].at:#x}")
        number = sum(it.value << 8 * k for k, it in enumerate(ordered))
        known: Value = next(
            (("held", at) for at, held in self.holds.items() if held & 0xFFFF == number and held > 0xFFFF), number
        )
        return Done(run[0].kind, ordered[0].at, known if run[0].kind == "write" else 0, locked=all(it.locked for it in run))

    def _load(self, at: int) -> int:
        if at == STATUS:
            return sum(self.flags[flag] << k for k, flag in enumerate(FLAGS))
        place = at + DATA if at >= self.ram else at
        if place in self.counts:
            count = self.counts[place].pop(0) if self.counts[place] else self.random.getrandbits(16)
            self.memory[place], self.memory[place + 1] = count & 0xFF, count >> 8
        value = self.memory.setdefault(place, self.random.getrandbits(8))
        self.bytes.append(_Byte("read", place, value, not self.flags["I"]))
        return value

    def _store(self, at: int, value: int) -> None:
        if at == STATUS:
            self.flags = {flag: bool(value >> k & 1) for k, flag in enumerate(FLAGS)}
            return
        place = at + DATA if at >= self.ram else at
        self.memory[place] = value
        self.bytes.append(_Byte("write", place, value, not self.flags["I"]))

    def _call(self, target: int) -> None:
        """A function is called, and not run: it leaves other numbers in the registers that it may change."""
        given = tuple(self.registers[n] | self.registers[n + 1] << 8 for n in (24, 22, 20, 18))
        self.bytes.append(Done("call", target, arguments=given))
        for n in LOST:
            self.registers[n] = self.random.getrandbits(8)
        self.flags |= {flag: bool(self.random.getrandbits(1)) for flag in FLAGS[:-1]}

    # Instructions.

    def _step(self) -> bool:
        """Carry out an instruction; False: the function has ended."""
        if not self.low <= self.pc < self.high:
            raise UnreadableError(f"{self.name} runs into what follows it")
        word, place = self.elf.number(self.pc, 2), self.pc
        self.pc += 2
        if word & 0xFE0C == 0x940C:  # jmp, call
            target = 2 * (((word & 0x1F0) >> 3 | word & 1) << 16 | self.elf.number(self.pc, 2))
            self.pc += 2
            return self._go(target, bool(word & 2))
        if word >> 12 in (0xC, 0xD):  # rjmp, rcall
            return self._go(place + 2 + 2 * (((word & 0xFFF) ^ 0x800) - 0x800), word >> 12 == 0xD)
        if word == 0x9508:  # ret
            return False
        if word >> 11 == 0x1E:  # brbs, brbc
            flag = self._flag(word & 7)
            if flag != bool(word & 0x400):
                self.pc += 2 * (((word >> 3 & 0x7F) ^ 0x40) - 0x40)
            return True
        if word & 0xFC0F == 0x9000:  # lds, sts
            at, register = self.elf.number(self.pc, 2), word >> 4 & 31
            self.pc += 2
            if word & 0x200:
                self._store(at, self.registers[register])
            else:
                self.registers[register] = self._load(at)
            return True
        self._work(word)
        return True

    def _go(self, target: int, links: bool) -> bool:
        if not links and self.low <= target < self.high:
            self.pc = target
            return True
        self._call(target)
        return links

    def _flag(self, number: int) -> bool:
        flag = FLAGS[number]
        if flag in "SH":
            raise UnreadableError(f"{self.name} asks for a flag that no rule knows")
        return self.flags[flag]

    def _work(self, word: int) -> None:
        registers, to, other = self.registers, word >> 4 & 31, word >> 5 & 16 | word & 15
        upper, constant = 16 + (word >> 4 & 15), word >> 4 & 0xF0 | word & 15
        if word & 0xFF0F == 0x9408:  # bset, bclr
            self.flags[FLAGS[word >> 4 & 7]] = not word & 0x80
        elif word & 0xFE08 == 0xF800:  # bld
            registers[to] = registers[to] & ~(1 << (word & 7)) | self.flags["T"] << (word & 7)
        elif word == 0:  # nop
            pass
        elif word >> 12 == 0xE:  # ldi
            registers[upper] = constant
        elif word >> 12 in (3, 4, 5):  # cpi, sbci, subi
            found = self._less(registers[upper], constant, word >> 12 == 4)
            registers[upper] = registers[upper] if word >> 12 == 3 else found
        elif word >> 12 in (6, 7):  # ori, andi
            registers[upper] = self._logic(registers[upper] | constant if word >> 12 == 6 else registers[upper] & constant)
        elif word >> 8 == 1:  # movw
            pair, source = 2 * (word >> 4 & 15), 2 * (word & 15)
            registers[pair : pair + 2] = registers[source : source + 2]
        elif word >> 10 in (1, 2, 5, 6):  # cpc, sbc, cp, sub
            found = self._less(registers[to], registers[other], word >> 10 in (1, 2))
            registers[to] = registers[to] if word >> 10 in (1, 5) else found
        elif word >> 10 in (3, 7):  # add, adc
            registers[to] = self._more(registers[to], registers[other], word >> 10 == 7)
        elif word >> 10 in (8, 9, 10):  # and, eor, or
            one, two = registers[to], registers[other]
            registers[to] = self._logic((one & two, one ^ two, one | two)[(word >> 10) - 8])
        elif word >> 10 == 11:  # mov
            registers[to] = registers[other]
        elif word >> 11 in (0x16, 0x17):  # in, out
            at = 0x20 + (word >> 5 & 0x30 | word & 15)
            if word >> 11 == 0x17:
                self._store(at, registers[to])
            else:
                registers[to] = self._load(at)
        elif word & 0xFE0F in (0x920F, 0x900F):  # push, pop
            if word & 0x200:
                self.stack.append(registers[to])
            elif self.stack:
                registers[to] = self.stack.pop()
            else:
                raise UnreadableError(f"{self.name} takes from its caller's stack")
        elif word >> 9 == 0x4B:  # adiw, sbiw
            self._pair(24 + 2 * (word >> 4 & 3), word >> 2 & 0x30 | word & 15, bool(word & 0x100))
        else:
            raise UnreadableError(f"no rule reads the instruction {word:#06x} of {self.name}")

    def _pair(self, low: int, constant: int, less: bool) -> None:
        one, two = self.registers[low : low + 2]
        before = one | two << 8
        whole = before - constant if less else before + constant
        self.registers[low : low + 2] = [whole & 0xFF, whole >> 8 & 0xFF]
        negative, was = bool(whole & 0x8000), bool(before & 0x8000)
        over = was and not negative if less else negative and not was
        self.flags |= {"Z": not whole & 0xFFFF, "N": negative, "V": over, "C": not 0 <= whole <= 0xFFFF}

    def _logic(self, value: int) -> int:
        self.flags |= {"Z": not value, "N": bool(value & 0x80), "V": False}
        return value

    def _more(self, one: int, two: int, carried: bool) -> int:
        whole = one + two + (carried and self.flags["C"])
        value = whole & 0xFF
        over = bool(~(one ^ two) & (one ^ value) & 0x80)
        self.flags |= {"Z": not value, "N": bool(value & 0x80), "V": over, "C": whole > 0xFF}
        return value

    def _less(self, one: int, two: int, carried: bool) -> int:
        whole = one - two - (carried and self.flags["C"])
        value = whole & 0xFF
        zero = not value and (self.flags["Z"] or not carried)  # a chain is 0 if each of its bytes is
        over = bool((one ^ two) & (one ^ value) & 0x80)
        self.flags |= {"Z": zero, "N": bool(value & 0x80), "V": over, "C": whole < 0}
        return value
