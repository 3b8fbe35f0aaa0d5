# SPDX-License-Identifier: Apache-2.0
"""All that a short function does, for code of which each bit counts: the function is carried out, instruction by instruction.

The other files of this folder say what a handler does as far as they know its instructions.  Here, Unicorn (the processors of
QEMU as a library) runs the bytes of the image.  What the function loads, stores and calls outside of its own code and stack is
written down.  Called functions are not run; they leave other numbers in the registers that they may change.  Each function runs
twice, and all that its caller leaves in registers and on the stack differs.  What it does must be the same.

When the function ends, it must have kept what its caller needs: the stack, the registers of the caller, the masks of interrupts.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import unicorn
from unicorn import Uc, UcError, arm_const, riscv_const, x86_const

from carillon.elf import ARM, AVR, RISCV, X86_64, UnreadableError
from carillon.verify.code.done import MOST, Done, Value
from carillon.verify.code.executed_avr import Execution
from carillon.verify.elf import Elf

PAGE = 0x1000
STACK, RETURN, ROOM = 0x5A5A_8808, 0x1A5A_A000, 0x800
LAST = 0xFFFF_F000
FRAME, CAUSE_AT = 0x6A5A_8800, 4
"""Of RISC-V, the frame of the handler that runs, and where the number of its source is in it."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """How a processor is set up: ``kept`` and ``masks`` must be at the end what they were, ``lost`` may be anything."""

    machine: tuple[int, int]
    prefix: str
    pointer: str
    kept: tuple[str, ...]
    masks: tuple[str, ...]
    lost: tuple[str, ...]
    arguments: tuple[str, ...]
    registers: object
    counter: str
    result: str
    back: int = 0  # the bytes on the stack that say where to return


ARCHITECTURES = {
    ARM: Architecture(
        (unicorn.UC_ARCH_ARM, unicorn.UC_MODE_THUMB | unicorn.UC_MODE_MCLASS),
        "UC_ARM_REG_",
        "SP",
        tuple(f"R{n}" for n in range(4, 12)),
        ("PRIMASK", "BASEPRI", "FAULTMASK", "CONTROL"),
        ("R0", "R1", "R2", "R3", "R12"),
        ("R0", "R1", "R2", "R3"),
        arm_const,
        "PC",
        "R0",
    ),
    RISCV: Architecture(
        (unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32),
        "UC_RISCV_REG_",
        "SP",
        tuple(f"X{n}" for n in (8, 9, *range(18, 28))),
        ("MSTATUS",),
        tuple(f"X{n}" for n in (5, 6, 7, *range(10, 18), *range(28, 32))),
        tuple(f"X{n}" for n in range(10, 14)),
        riscv_const,
        "PC",
        "X10",
    ),
    X86_64: Architecture(
        (unicorn.UC_ARCH_X86, unicorn.UC_MODE_64),
        "UC_X86_REG_",
        "RSP",
        ("RBX", "RBP", "R12", "R13", "R14", "R15"),
        (),
        ("RAX", "RDI", "RSI", "RDX", "RCX", "R8", "R9", "R10", "R11"),
        ("RDI", "RSI", "RDX", "RCX"),
        x86_const,
        "RIP",
        "RAX",
        8,
    ),
}


def executed(
    elf: Elf,
    address: int,
    holds: Mapping[int, int],
    current: int = 0,
    arguments: Sequence[int] = (),
    counts: Mapping[int, Sequence[int]] | None = None,
) -> tuple[Done, ...]:
    """What a function does, in order.

    ``holds``: what variables hold.  ``current``: the source in whose handler it runs.  ``arguments``: its first ones.
    ``counts``: what registers read, one time after the other.  Raises UnreadableError for a function that does not end, does not
    keep what its caller needs, or whose doings follow from what its caller has left.
    """
    runs = [_run_of(elf, address, holds, current, seed, counts or {}).run(arguments) for seed in (1, 2)]
    if runs[0] != runs[1]:
        raise UnreadableError(f"what '{elf.name_of(address)}' does follows from what its caller has left in registers")
    return runs[0]


def _run_of(
    elf: Elf, address: int, holds: Mapping[int, int], current: int, seed: int, counts: Mapping[int, Sequence[int]]
) -> _Execution | Execution:
    """One run on the image's processor; Unicorn has no AVR."""
    if elf.machine != AVR:
        return _Execution(elf, address, holds, current, seed, counts)
    return Execution(elf, address, holds, seed, counts, on=seed == 1)


class _Execution:
    """One run; ``seed``: of all numbers that nobody knows."""

    def __init__(
        self, elf: Elf, address: int, holds: Mapping[int, int], current: int, seed: int, counts: Mapping[int, Sequence[int]]
    ) -> None:
        of = ARCHITECTURES.get(elf.machine)
        if of is None:
            raise UnreadableError(f"no rule reads each instruction of machine {elf.machine}")
        symbol = elf.around(address)
        if symbol is None or symbol.address != address:
            raise UnreadableError(f"no function begins at {address:#x}")
        self.elf, self.of, self.holds, self.current = elf, of, holds, current
        self.low, self.high = address, address + symbol.size
        self.random = random.Random(seed)
        self.counts = {at: list(values) for at, values in counts.items()}
        self.done: list[Done] = []
        self.fault = ""
        self.port = {
            elf.symbols[name].address: name for name in ("carillon_port_current", "carillon_port_write") if name in elf.symbols
        }
        self.stack = STACK & -16 if elf.machine == RISCV else STACK
        self.cpu = Uc(*of.machine)
        self.pages: set[int] = set()
        for at in (STACK, RETURN, FRAME, LAST, self.low, *holds, *counts):  # the last page of all cannot be added while it runs
            self._map(at)
        for at, value in holds.items():
            self.cpu.mem_write(at, value.to_bytes(4, "little"))
        self.cpu.hook_add(unicorn.UC_HOOK_MEM_UNMAPPED, lambda _cpu, _access, at, *_rest: self._map(at))
        self.cpu.hook_add(unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, self._access)
        self.cpu.hook_add(unicorn.UC_HOOK_CODE, self._code)
        self.cpu.hook_add(unicorn.UC_HOOK_INTR, lambda *_: self._stop("raises an exception"))

    def _register(self, name: str) -> int:
        number: int = getattr(self.of.registers, self.of.prefix + name)
        return number

    def _get(self, name: str) -> int:
        value: int = self.cpu.reg_read(self._register(name))
        return value

    def _set(self, name: str, value: int) -> None:
        self.cpu.reg_write(self._register(name), value)

    def _map(self, address: int) -> bool:
        page = address & ~(PAGE - 1) & (0xFFFF_FFFF if self.elf.machine == RISCV else -1)
        if page not in self.pages:
            self.pages.add(page)
            self.cpu.mem_map(page, PAGE)
            self.cpu.mem_write(page, self.random.randbytes(PAGE))
        low, high = max(page, self.low), min(page + PAGE, self.high)
        if low < high:
            self.cpu.mem_write(low, self.elf.bytes_at(low, high - low))
        return True

    def _stop(self, fault: str) -> None:
        self.fault = self.fault or fault
        self.cpu.emu_stop()

    def run(self, arguments: Sequence[int]) -> tuple[Done, ...]:
        kept = {name: self.random.getrandbits(32) for name in self.of.kept}
        for name in (*self.of.lost, *kept):
            self._set(name, kept.get(name, self.random.getrandbits(32)))
        for name, value in zip(self.of.arguments, arguments, strict=False):
            self._set(name, value)
        if self.elf.machine == ARM:
            self._set("XPSR", self.random.getrandbits(4) << 28 | 1 << 24 | self.current)
            self._set("LR", RETURN | 1)
        elif self.elf.machine == RISCV:
            cause = self.random.getrandbits(20) << 12 | self.current
            self.cpu.mem_write(FRAME + CAUSE_AT, cause.to_bytes(4, "little"))
            self._set("MSCRATCH", FRAME)
            self._set("RA", RETURN)
            if (around := self.elf.symbols.get("__global_pointer$")) is not None:
                self._set("GP", around.address)
        else:
            self._set("EFLAGS", self.random.getrandbits(32) & 0x8D5 | 2)
            self.cpu.mem_write(STACK, RETURN.to_bytes(8, "little"))
        self._set(self.of.pointer, self.stack)
        masks = [self._get(name) for name in self.of.masks]
        try:
            self.cpu.emu_start(self.low | (self.elf.machine == ARM), RETURN, count=MOST)
        except UcError as error:
            self._stop(f"cannot be carried out ({error})")
        name = f"'{self.elf.name_of(self.low)}'"
        at, end = self._get(self.of.counter), self.stack + self.of.back
        if not self.fault and (at != RETURN or self._get(self.of.pointer) != end):
            self.fault = "does not end where it is to"
        changed = next((register for register, value in kept.items() if self._get(register) != value), None)
        if not self.fault and (changed or masks != [self._get(mask) for mask in self.of.masks]):
            self.fault = f"does not give back {changed or 'what masks interrupts'}"
        if self.fault:
            raise UnreadableError(f"{name} {self.fault}")
        return tuple(self.done)

    def _access(self, _cpu: Uc, access: int, at: int, size: int, value: int, _data: object) -> None:
        written = access == unicorn.UC_MEM_WRITE
        back = 0 if written else self.of.back
        at &= 0xFFFF_FFFF if self.elf.machine == RISCV else at
        if not written and at == FRAME + CAUSE_AT:
            return
        if STACK - ROOM <= at < self.stack + back or (self.low <= at < self.high and not written):
            return
        if size != 4 or at % 4 or self.stack <= at < STACK + ROOM:
            self._stop(f"{'stores to' if written else 'loads from'} where is not known, {at:#x}")
        if not written and self.counts.get(at):
            self.cpu.mem_write(at, self.counts[at].pop(0).to_bytes(4, "little"))
        locked = self.elf.machine == ARM and bool(self._get("PRIMASK"))
        self.done.append(Done("write" if written else "read", at, self._known(value) if written else 0, locked=locked))

    def _known(self, value: int) -> Value:
        value &= 0xFFFF_FFFF
        return next((("held", at) for at, held in self.holds.items() if held == value and held > 0xFFFF), value)

    def _code(self, _cpu: Uc, at: int, _size: int, _data: object) -> None:
        """An instruction is about to begin: outside of the function, it is a call, from which it returns at once."""
        if self.low <= at < self.high or at == RETURN:
            return
        pointer = self._get(self.of.pointer)
        if self.elf.machine != X86_64:
            back = self._get("LR" if self.elf.machine == ARM else "RA")
            aligned = pointer % (8 if self.elf.machine == ARM else 16) == 0
        else:
            back, aligned = int.from_bytes(self.cpu.mem_read(pointer, 8), "little"), pointer % 16 == 8
            self._set(self.of.pointer, pointer + 8)
        if not aligned or not (self.low < back < self.high or (back & ~1 == RETURN and pointer == self.stack)):
            self._stop("calls with a stack that is not aligned, or does not return")
            return
        given = tuple(self._get(name) for name in self.of.arguments)
        name = self.port.get(at)
        if name == "carillon_port_write":
            self.done.append(Done("write", given[0] & 0xFFFF_FFFF, self._known(given[1])))
        elif name is None:
            self.done.append(Done("call", at, arguments=given))
        for lost in self.of.lost:
            self._set(lost, self.random.getrandbits(32))
        if name == "carillon_port_current":
            self._set(self.of.result, self.current)
        self._set(self.of.counter, back)
