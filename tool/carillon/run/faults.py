# SPDX-License-Identifier: Apache-2.0
"""What a fault of the processor has left in memory (``carillon_fault`` of the ports), in words.

Standards: ARMv7-M Architecture Reference Manual, B3.2.15; The RISC-V Instruction Set Manual, volume 2, mcause.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from pathlib import Path

from carillon.elf import ARM, read_elf
from carillon.image import Image
from carillon.run.memory import Saved
from carillon.trace import Fault

_FORM = "<5I"
_ARM_SOURCES, _ARM_HARD = 16, 3
_ARM = {
    9: "access to {address} (no memory there)",
    10: "a store to where no memory is, some instructions before",
    8: "execution where no memory is",
    12: "no memory where the stack pointer is",
    11: "no memory where the stack pointer is",
    0: "execution where none is allowed",
    1: "access to {address}, which is not allowed",
    4: "the stack pointer is where no access is allowed",
    16: "an undefined instruction",
    17: "a jump to an address without the bit of Thumb",
    18: "a return from an exception that is none",
    19: "an instruction of a coprocessor that is off",
    24: "access to an address that is not aligned",
    25: "a division by zero",
}
"""By the bit of the fault status (CFSR)."""
_RISCV = {
    0: "a jump to {address}, which is not aligned",
    1: "execution at {address} (no memory there)",
    2: "an illegal instruction",
    3: "a breakpoint",
    4: "load from {address}, which is not aligned",
    5: "load from {address} (no memory there)",
    6: "store to {address}, which is not aligned",
    7: "store to {address} (no memory there)",
    8: "a call of the supervisor",
    11: "a call of the supervisor",
}
_INTERRUPT = 1 << 31
LOCKUP = "Lockup: can't escalate"
"""What QEMU says when Cortex-M locks up, before the registers."""


def locked_up(said: str) -> str:
    """The cause for a message; ``said``: what QEMU did."""
    sp = re.search(r"\bR13=([0-9a-f]+)", said)
    where = f"; the stack pointer was {int(sp[1], 16):#x}" if sp is not None else ""
    return f"the processor has locked up: a fault came while another one was handled{where}"


def fault_of(image: Image, elf: Path, memory: Saved) -> Fault | None:
    """What a fault has left; None if the emulator does not tell, or the port records none."""
    content = memory.content.get(memory.fault[0]) if memory.fault is not None else None
    if content is None or len(content) < struct.calcsize(_FORM):
        return None
    cause, address, status, sp, pc = struct.unpack_from(_FORM, content)
    arm = read_elf(elf).machine == ARM
    words = (_arm(cause, status) if arm else _riscv(cause)).format(address=f"{address:#x}")
    where = _place(elf, pc, re.sub("objcopy$", "addr2line", image.system.board.build.objcopy)) if pc else ""
    own = [(stack.name, stack.address, stack.size, dict(memory.used()).get(stack.name, 0)) for stack in memory.stacks]
    return Fault(words, pc, where, sp, tuple(own))


def _arm(cause: int, status: int) -> str:
    if cause >= _ARM_SOURCES:
        return f"interrupt {cause}, which nobody serves"
    if not cause:
        return "the kernel has called carillon_port_unexpected"
    found = [words for bit, words in _ARM.items() if status >> bit & 1]
    return found[0] if found else f"exception {cause}" + (" (HardFault)" if cause == _ARM_HARD else "")


def _riscv(cause: int) -> str:
    if cause & _INTERRUPT:
        return f"interrupt {cause & ~_INTERRUPT}, which nobody serves"
    return _RISCV.get(cause, f"exception {cause}")


def _place(elf: Path, pc: int, addr2line: str) -> str:
    """The function at an address, and its file and line as far as the toolchain tells; empty where no code is."""
    symbols = (s for s in read_elf(elf).symbols if s.function and s.address <= pc < s.address + max(s.size, 2))
    name = next((s.name for s in symbols), "")
    if not name or shutil.which(addr2line) is None:
        return name
    done = subprocess.run([addr2line, "-e", str(elf), f"{pc:#x}"], capture_output=True, text=True, check=False)
    found = re.match(r"([^?:][^:]*):(\d+)", done.stdout)
    return f"{name} ({Path(found[1]).name}:{found[2]})" if found is not None else name
