# SPDX-License-Identifier: Apache-2.0
"""What a vector of RISC-V leaves as it was, where vectors are handlers of a kind of their own: it is carried out.

Such a vector saves for itself what it changes.  Unicorn runs the bytes of the image, from the first instruction to `mret`.  What
the vector preempts must then find its registers, its stack and its place as they were.  Called functions are not run: they leave
other numbers in registers that they may change.  While interrupts are on, others may come: they overwrite what the processor says
of the interrupt, and what is below the stack pointer.

Which way a branch takes, follows from memory: that of the image, and zeros or random numbers elsewhere.  So not every path is
run.
"""

from __future__ import annotations

import random
from collections.abc import Container, Mapping
from dataclasses import dataclass

import unicorn
from unicorn import Uc, UcError, riscv_const

from carillon import c_names
from carillon.elf import UnreadableError
from carillon.verify.elf import Elf

MOST = 5000
"""Instructions of the longest vector."""
PAGE, STACK, RETURN, LAST = 0x1000, 0x7A5A_8800, 0x6A5A_A000, 0xFFFF_F000
MRET, NOTHING, ENABLED, SYSTEM = 0x3020_0073, 0x13, 8, 0x73
RA, SP, T0, T1 = 1, 2, 5, 6
LOST = (1, 5, 6, 7, *range(10, 18), *range(28, 32))
"""Numbers of the registers that a called function may change (RISC-V ABI)."""
WORD = 0xFFFF_FFFF
OF_INTERRUPT = ("MEPC", "MCAUSE")
KNOWN = ("MSTATUS", "MEPC", "MCAUSE", "MSCRATCH")
NUMBERS = (0x300, 0x341, 0x342, 0x340)
END = "carillon_port_frame_end"


@dataclass(frozen=True, slots=True)
class Vector:
    """A vector: ``tasks`` are the application's functions, ``lets`` whether any interrupt may preempt it."""

    address: int
    tasks: Container[int]
    lets: bool


@dataclass(frozen=True, slots=True)
class Rearmed:
    """A cell with several steps: ``variable`` leads to the step that is due, the first of ``steps``: addresses and intervals.

    ``register`` reads how long the cell counts yet, and adds what is stored; ``reload`` is another register and what it reads.
    """

    variable: int
    register: int
    reload: tuple[int, int]
    steps: tuple[tuple[int, int], ...]


def unlike(elf: Elf, vector: Vector) -> str:
    """What a vector does not leave as it was; empty if nothing of this kind is found."""
    for seed in (0, 1):
        if fault := _Run(elf, vector, seed).fault():
            return fault
    return ""


def unmoved(elf: Elf, vector: Vector, cell: Rearmed) -> str:
    """What a vector does otherwise than to move its cell on, and what is due next; empty if it does that.

    It moves the cell by one step, or by so many that the point that it expires at has not passed.
    """
    moved = cell.steps[0][1]
    if fault := _moved_by(elf, vector, cell, 1 - moved, moved, 1):
        return fault
    for skipped, (_, interval) in enumerate([*cell.steps[1:3], cell.steps[0]][:2], 1):
        left = -moved  # so that the point before is just now
        moved += interval + cell.reload[1]
        if fault := _moved_by(elf, vector, cell, left, moved, skipped + 1):
            return f"{fault}, where {skipped} {'point has' if skipped == 1 else 'points have'} passed"
    return ""


def _moved_by(elf: Elf, vector: Vector, cell: Rearmed, left: int, moved: int, steps: int) -> str:
    run = _Run(elf, vector, 0, {cell.variable: cell.steps[0][0], cell.register: left & WORD, cell.reload[0]: cell.reload[1]})
    run.fault()
    stored = [value for at, value in run.stored if at == cell.register]
    if stored != [moved & WORD]:
        told = ", ".join(map(str, stored)) or "nothing"
        return f"stores {told} to re-arm its cell, and to move it to the point that is due takes {moved & WORD}"
    due, following = int.from_bytes(run.cpu.mem_read(cell.variable, 4), "little"), cell.steps[steps % len(cell.steps)][0]
    return "" if due == following else f"leaves the step at {due:#x} due, and the one that follows is at {following:#x}"


class _Run:
    """One run; of ``seed`` 0, memory that the image does not fill is 0, but for what is held."""

    def __init__(self, elf: Elf, vector: Vector, seed: int, holds: Mapping[int, int] | None = None) -> None:
        self.elf, self.vector, self.seed = elf, vector, seed
        self.stored: list[tuple[int, int]] = []
        self.random = random.Random(seed)
        self.found: str | None = None
        self.pages: set[int] = set()
        self.last = (0, 0)
        """Where the last instruction was, and what follows it."""
        self.cpu = Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV32)
        for at in (STACK - 1, STACK, RETURN, vector.address, LAST):  # the last page of all cannot be added while it runs
            self._map(at)
        self.cpu.mem_write(RETURN, NOTHING.to_bytes(4, "little"))
        self.cpu.hook_add(
            unicorn.UC_HOOK_MEM_UNMAPPED, lambda _cpu, _access, at, size, *_: self._map(at) and self._map(at + size - 1)
        )
        self.cpu.hook_add(unicorn.UC_HOOK_CODE, self._code)
        self.cpu.hook_add(unicorn.UC_HOOK_MEM_WRITE, lambda _cpu, _access, at, _size, value, *_: self._store(at, value))
        for at, value in (holds or {}).items():
            self._map(at)
            self.cpu.mem_write(at, value.to_bytes(4, "little"))

    # The processor.

    def _csr(self, name: str) -> int:
        value: int = self.cpu.reg_read(getattr(riscv_const, f"UC_RISCV_REG_{name}"))
        return value

    def _put(self, name: str, value: int) -> None:
        self.cpu.reg_write(getattr(riscv_const, f"UC_RISCV_REG_{name}"), value)

    def _all(self) -> list[int]:
        return [self._csr(f"X{k}") for k in range(32)]

    def _map(self, address: int) -> bool:
        page = address & 0xFFFF_FFFF & ~(PAGE - 1)
        if page in self.pages:
            return True
        self.pages.add(page)
        self.cpu.mem_map(page, PAGE)
        if self.seed:
            self.cpu.mem_write(page, self.random.randbytes(PAGE))
        for at, content in self.elf.contents(page, page + PAGE):
            self.cpu.mem_write(at, content)
        return True

    def _store(self, at: int, value: int) -> None:
        self.stored.append((at & 0xFFFF_FFFF, value & 0xFFFF_FFFF))

    def _stop(self, fault: str) -> None:
        self.found = fault if self.found is None else self.found
        self.cpu.emu_stop()

    def fault(self) -> str:
        """Run the vector."""
        for k in range(1, 32):
            self._put(f"X{k}", self.random.getrandbits(31) & ~1)
        self._put(f"X{RA}", RETURN)
        self._put(f"X{SP}", STACK)
        if (around := self.elf.symbols.get("__global_pointer$")) is not None:
            self._put("X3", around.address)
        self._put("MSTATUS", 0x1880)
        for name in KNOWN[1:]:
            self._put(name, self.random.getrandbits(24) << 2)
        self.before = [*self._all(), *map(self._csr, KNOWN[1:])]
        try:
            self.cpu.emu_start(self.vector.address, 0, count=MOST)
        except UcError as error:
            if self.found is not None:
                return self.found
            raise UnreadableError(f"'{self.elf.name_of(self.vector.address)}' cannot be carried out: {error}") from error
        return self.found if self.found is not None else "does not end"

    # What it does.

    def _own(self, address: int) -> bool:
        """Whether an address belongs to the vector, and not to a function that it calls."""
        here = self.elf.around(address)
        if here is None:
            return False
        names = [s.name for s in self.elf.by_address.get(here.address, ())]
        more = (c_names.BODY, END)
        return here.address == self.vector.address or any(".cold" in n or n.startswith(more) for n in names)

    def _is_frame(self) -> bool:
        """Whether the vector does nothing but to save registers for the function that it calls."""
        return any(symbol.name.startswith(c_names.FRAME) for symbol in self.elf.by_address.get(self.vector.address, ()))

    def _code(self, _cpu: Uc, at: int, size: int, _data: object) -> None:
        """An instruction is about to begin."""
        came, after = self.last
        self.last = at, at + size
        if at == RETURN:
            self._stop("returns as a function does, and not as a vector")
        elif not self._own(at):
            self._called(at, came, after)
        elif (code := int.from_bytes(self.cpu.mem_read(at, size), "little")) == MRET:
            self._ended()
        elif size == 4 and code & 0x7F == SYSTEM and code >> 12 & 7 and code >> 20 not in NUMBERS:  # a register of the CLIC
            self._put(f"X{code >> 7 & 31}", 0)
            self._put("PC", at + 4)

    def _called(self, at: int, came: int, after: int) -> None:
        back = self._csr(f"X{RA}")
        if after == at and at in self.vector.tasks:  # which follows in memory, and is a handler's body
            self._entered(at)
            return
        if back != after or not came:
            self._stop(f"goes on as '{self.elf.name_of(at)}'")
            return
        on = bool(self._csr("MSTATUS") & ENABLED)
        task = at in self.vector.tasks
        if (task or self._is_frame()) and self.vector.lets and not on:
            self._stop(f"runs '{self.elf.name_of(at)}' while no other interrupt can come")
            return
        for k in LOST if not task else ():
            self._put(f"X{k}", self.random.getrandbits(32))
        if on:
            for name in OF_INTERRUPT:
                self._put(name, self.random.getrandbits(24) << 2)
            pointer = self._csr(f"X{SP}")
            self._map(pointer - 64)
            self.cpu.mem_write(pointer - 64, self.random.randbytes(64))
        self._put("PC", back)
        self.last = at, back

    def _entered(self, at: int) -> None:
        """A task follows that is a handler's body itself: it ends with what takes words from the stack (``CARILLON_END``)."""
        pointer = self._csr(f"X{SP}")
        linked = self._csr("MSCRATCH") == pointer  # then a word leads to the handler that was preempted
        words = [int.from_bytes(self.cpu.mem_read(pointer + k, 4), "little") for k in range(0, 20 if linked else 16, 4)]
        before, now = self.before[:32], self._all()
        before[SP] -= 32 if linked else 16
        saved = [self.before[T0], self.before[32 + 1], self.before[32], *[self.before[32 + 2]] * linked, self.before[T1]]
        now[T0] = before[T0]
        if now != before or words != saved:
            self._stop(f"does not save what '{self.elf.name_of(at)}' takes back at its end")
        self._stop("" if self._csr("MSTATUS") & ENABLED else f"runs '{self.elf.name_of(at)}' while no other interrupt can come")

    def _ended(self) -> None:
        names = [*(f"x{k}" for k in range(32)), *(n.lower() for n in KNOWN[1:])]
        now = [*self._all(), *map(self._csr, KNOWN[1:])]
        changed = [n for n, old, new in zip(names, self.before, now, strict=True) if old != new]
        if changed:
            self._stop(f"does not leave {', '.join(changed)} as {'it was' if len(changed) == 1 else 'they were'}")
        self._stop("lets interrupts come while it ends" if self._csr("MSTATUS") & ENABLED else "")
