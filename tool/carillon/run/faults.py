# SPDX-License-Identifier: Apache-2.0
"""What a fault of the processor has left in its registers, in words.

The run has ended at the first instruction of ``carillon_port_unexpected``.  So the firmware has no code for this, and nothing of
the fault has been overwritten.

Standards: ARMv7-M Architecture Reference Manual, B3.2.15; The RISC-V Instruction Set Manual, volume 2, mcause.
"""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from carillon.elf import ARM, read_elf
from carillon.image import Image
from carillon.run.memory import Saved
from carillon.trace import Fault

_ARM_SOURCES, _ARM_HARD = 16, 3
_ARM_EXCEPTION = 0x1FF
"""Of the program status."""
_ARM_NO_FRAME = 1 << 12 | 1 << 4
"""Bits of the fault status: the frame could not be pushed."""
_ARM_NOT_ALLOWED = 1
"""A bit of the fault status: what was accessed is in another register."""
_ARM_PC = 24
"""Of the frame."""
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


@dataclass(frozen=True, slots=True)
class _Registers:
    """What is known of a fault: its cause, as the processor numbers it, an address, a status, and pointers; 0: not known."""

    cause: int
    address: int
    status: int
    sp: int
    pc: int


def fault_of(image: Image, elf: Path, memory: Saved) -> Fault | None:
    """What a fault has left; None if the emulator does not tell."""
    said = memory.found.get("registers")
    if said is None or not said.endswith(b"}\r\n"):  # an answer that is longer than the plugin reads is no answer
        return None
    text = str(json.loads(said)["return"])
    arm = read_elf(elf).machine == ARM
    found = _of_arm(text, memory) if arm else _of_riscv(text)
    if found is None:
        return None
    words = (_arm(found.cause, found.status) if arm else _riscv(found.cause)).format(address=f"{found.address:#x}")
    where = _place(elf, found.pc, re.sub("objcopy$", "addr2line", image.system.board.build.objcopy)) if found.pc else ""
    own = [(stack.name, stack.address, stack.size, dict(memory.used()).get(stack.name, 0)) for stack in memory.stacks]
    return Fault(words, found.pc, where, found.sp, tuple(own))


def _register(text: str, name: str) -> int | None:
    found = re.search(rf"(?<![\w/]){name}[= ]\s*([0-9a-f]{{8}})", text)
    return int(found[1], 16) if found is not None else None


def _of_arm(text: str, memory: Saved) -> _Registers | None:
    sp, program = _register(text, "R13"), _register(text, "XPSR")
    content = memory.content.get(memory.status[0], b"") if memory.status is not None else b""
    if sp is None or program is None or len(content) < struct.calcsize("<5I"):
        return None
    status, _, _, not_allowed, no_memory = struct.unpack_from("<5I", content)  # CFSR, HFSR, DFSR, MMFAR, BFAR
    address = not_allowed if status >> _ARM_NOT_ALLOWED & 1 else no_memory
    frame = memory.found.get("frame", b"")
    pc = int.from_bytes(frame[_ARM_PC : _ARM_PC + 4], "little") if not status & _ARM_NO_FRAME else 0
    return _Registers(program & _ARM_EXCEPTION, address, status, sp, pc)


def _of_riscv(text: str) -> _Registers | None:
    cause, address, sp, pc = (_register(text, name) for name in ("mcause", "mtval", "x2/sp", "mepc"))
    return None if cause is None or sp is None else _Registers(cause, address or 0, 0, sp, pc or 0)


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
