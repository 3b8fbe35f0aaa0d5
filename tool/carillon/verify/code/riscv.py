# SPDX-License-Identifier: Apache-2.0
"""RV32IMC, as far as handlers use it (The RISC-V Instruction Set Manual, volume 1)."""

from __future__ import annotations

import re
from collections.abc import Callable

from capstone import CS_ARCH_RISCV, CS_MODE_RISCV32, CS_MODE_RISCVC

from carillon.verify.code import Effect, State, frame
from carillon.verify.code.decoded import OPERATIONS, Decoded
from carillon.verify.elf import Elf

_WORD = re.compile(r"\b[a-z]+\d*\b")
_MEMORY = re.compile(r"(-?\w+)\((\w+)\)$")
_BRANCHES = ("beq", "bne", "blt", "bge", "bltu", "bgeu", "beqz", "bnez", "blez", "bgez", "bltz", "bgtz")
_FROM_ONE = ("mv", "li", "lui", "auipc", "neg", "not", "seqz", "snez", "sltz", "sgtz", "csrr")
"""What has two operands, and does not read the first."""
_MASK = 0xFFFF_FFFF


class Code(Decoded):
    """See above."""

    arguments = ("a0", "a1", "a2", "a3")
    lost = (*(f"a{k}" for k in range(8)), *(f"t{k}" for k in range(7)), "ra")
    pointer = "sp"

    def __init__(self, elf: Elf) -> None:
        super().__init__(elf, CS_ARCH_RISCV, CS_MODE_RISCV32 | CS_MODE_RISCVC)
        around = elf.symbols.get("__global_pointer$")  # which the start-up code loads, and nothing changes (psABI)
        if around is not None:
            self.first = {**self.first, "gp": around.address}

    def step(self, state: State, end: Callable[[int], bool]) -> list[State]:
        """See Processor."""
        wide = self.elf.bytes_at(state.pc, 1)[0] & 3 == 3
        size, mnemonic, operands = self.decoded(self.elf.bytes_at(state.pc, 4 if wide else 2), state.pc)
        name = mnemonic.removeprefix("c.")
        place = state.pc
        state.pc += size
        parts = [p.strip() for p in operands.split(",")] if operands else []
        registers = state.registers
        registers["zero"] = 0
        if name in ("ret", "mret") or (name == "jr" and parts == ["ra"]):
            return []
        if name in ("j", "jal", "jr", "jalr") or name in _BRANCHES:
            return self._branch(state, name, parts, place, end)
        if name in ("sw", "sh", "sb", "swsp", "lw", "lh", "lb", "lhu", "lbu", "lwsp"):
            self._memory(state, name, parts, place)
            return [state]
        if name.startswith("fence"):
            state.effects.append(Effect("settle", place=place))
            return [state]
        if name.startswith("csr") and "mstatus" in operands:
            state.effects.append(Effect("off" if name.startswith("csrrc") or name == "csrc" else "on", place=place))
        if self._frame(registers, name, parts):
            return [state]
        frame.meddle(registers, _WORD.findall(operands)[1 if len(parts) > 2 or name in _FROM_ONE else 0 :])
        value = self._value(registers, name, parts, place)
        for word in _WORD.findall(operands)[:1]:
            self.put(registers, word, value & _MASK if value is not None else None)
        return [state]

    def _frame(self, registers: dict[str, int], name: str, parts: list[str]) -> bool:
        """Carry out what makes an address of the stack of another one."""
        if name not in ("addi", "add", "addi16sp", "addi4spn", "mv"):
            return False
        base = frame.points(registers, parts[0] if len(parts) == 2 and name != "mv" else parts[1])
        by = "0" if name == "mv" else parts[-1]
        if base is None or not re.match(r"-?\d", by):
            return False
        frame.point(registers, parts[0], base + int(by, 0), self.pointer)
        return True

    def _value(self, registers: dict[str, int], name: str, parts: list[str], place: int) -> int | None:
        def get(text: str) -> int | None:
            return int(text, 0) if re.match(r"-?\d", text) else registers.get(text)

        if name == "lui":
            return int(parts[1], 0) << 12
        if name == "auipc":
            return place + (int(parts[1], 0) << 12)
        if name in ("li", "mv"):
            return get(parts[1])
        if name not in ("addi", "add", "or", "ori", "and", "andi", "xor", "sub", "slli"):
            return None
        one, two = get(parts[1] if len(parts) > 2 else parts[0]), get(parts[-1])
        return OPERATIONS[name.removesuffix("i")](one, two) if one is not None and two is not None else None

    def _memory(self, state: State, name: str, parts: list[str], place: int) -> None:
        found = _MEMORY.search(parts[-1])
        size = {"b": 1, "h": 2}.get(name[1], 4)
        start = frame.points(state.registers, found[2]) if found is not None else None
        if name[0] == "s":
            frame.show(state.registers, parts[:1])
        if found is not None and start is not None:
            at = start + int(found[1], 0)
            if name[0] == "s":
                value = state.registers.get(parts[0])
                value = value & (1 << 8 * size) - 1 if value is not None else None
                frame.keep(state.registers, at, size, value, self.pointer)
            else:
                self.put(state.registers, parts[0], frame.kept(state.registers, at, size) if size == 4 else None)
            return
        base = state.registers.get(found[2]) if found is not None else None
        address = base + int(found[1], 0) & _MASK if base is not None and found is not None else None
        if name[0] == "s":
            if address is not None:
                state.effects.append(Effect("write", address, state.registers.get(parts[0]), place=place))
            else:
                frame.lose(state.registers)
            return
        if address is not None:
            state.read(address, place)
        self.put(state.registers, parts[0], None)

    def _branch(self, state: State, name: str, parts: list[str], place: int, end: Callable[[int], bool]) -> list[State]:
        registers = state.registers
        last = parts[-1]
        indirect = name in ("jr", "jalr")
        target: int | None
        if indirect:
            found = _MEMORY.search(last)
            base = registers.get(found[2] if found else next((p for p in reversed(parts) if not re.match(r"-?\d", p)), ""))
            offset = int(found[1], 0) if found else int(last, 0) if re.match(r"-?\d", last) else 0
            target = base + offset & _MASK & ~1 if base is not None else None
        else:
            target = place + int(last, 0) & _MASK
        links = name in ("jal", "jalr") and parts[0] != "zero"
        if links:
            self.call(state, target, place)
            return [state]
        return (self.jump if name in ("j", "jr", "jal", "jalr") else self.branch)(state, target, place, end)
