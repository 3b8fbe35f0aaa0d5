# SPDX-License-Identifier: Apache-2.0
"""Thumb-2, as far as handlers use it (ARMv7-M Architecture Reference Manual, A7.7)."""

from __future__ import annotations

import re
from collections.abc import Callable

from capstone import CS_ARCH_ARM, CS_MODE_MCLASS, CS_MODE_THUMB

from carillon.verify.code import Effect, State
from carillon.verify.code.decoded import OPERATIONS, Decoded
from carillon.verify.elf import Elf

_REGISTER = re.compile(r"\b(?:r\d+|sb|sl|fp|ip|sp|lr|pc)\b")
_NAMES = {"sb": "r9", "sl": "r10", "fp": "r11", "ip": "r12"}
_CONDITIONS = ("eq", "ne", "hs", "lo", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le")
_MEMORY = re.compile(r"\[(\w+)(?:, #(-?\w+))?\](!)?(?:, #(-?\w+))?$")
_ONE_RESULT = {
    *("adc", "add", "addw", "and", "asr", "bic", "clz", "eor", "lsl", "lsr", "mla", "mls", "mov", "movt", "movw", "mrs", "mul"),
    *("mvn", "neg", "orn", "orr", "rbit", "rev", "ror", "rsb", "sbc", "sbfx", "sdiv", "sub", "subw", "sxtb", "sxth", "ubfx"),
    *("udiv", "uxtb", "uxth"),
}
"""What changes its first operand, and no other register."""
_OPERATIONS = {
    "add": "add",
    "addw": "add",
    "sub": "sub",
    "subw": "sub",
    "lsl": "sll",
    "lsr": "srl",
    "orr": "or",
    "and": "and",
    "bic": "bic",
    "eor": "xor",
}
_MASK = 0xFFFF_FFFF
LOADED = "loaded "
"""Before a register's name: where its value was loaded from, while it has that value, perhaps shifted to the right.  How far
is what stands above the address's 32 bits."""


class Code(Decoded):
    """See above."""

    arguments = ("r0", "r1", "r2", "r3")
    lost = ("r0", "r1", "r2", "r3", "r12", "lr")

    def __init__(self, elf: Elf) -> None:
        super().__init__(elf, CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS)

    def step(self, state: State, end: Callable[[int], bool]) -> list[State]:
        """See Processor."""
        raw = self.elf.bytes_at(state.pc, 2)
        wide = raw[1] >> 3 in (0x1D, 0x1E, 0x1F)
        size, mnemonic, operands = self.decoded(self.elf.bytes_at(state.pc, 4 if wide else 2), state.pc)
        after = state.pc + size
        name = mnemonic.removesuffix(".w").removesuffix(".n")
        arguments = [_NAMES.get(a.strip(), a.strip()) for a in re.split(r",\s*(?![^\[{]*[\]}])", operands)] if operands else []
        conditional = state.registers.get("it", 0)
        if conditional and not name.startswith("it"):
            state.registers["it"] = conditional - 1
            if name[-2:] in _CONDITIONS:
                skipped = state.fork(after)
                return [*self._do(state, name[:-2], arguments, operands, after, end), skipped]
        return self._do(state, name, arguments, operands, after, end)

    def _do(
        self, state: State, name: str, arguments: list[str], operands: str, after: int, end: Callable[[int], bool]
    ) -> list[State]:
        registers, place = state.registers, state.pc
        state.pc = after
        if name in ("b", "bl", "bx", "blx", "cbz", "cbnz") or (name[:1] == "b" and name[1:] in _CONDITIONS):
            return self._branch(state, name, arguments, place, end)
        if name.startswith("it") and set(name[1:]) <= {"t", "e"}:
            registers["it"] = len(name) - 1
        elif name in ("pop", "ldm") and "pc" in operands:
            return []
        elif name in ("tst", "lsls") and self._tests(state, name, arguments, place):
            self.put(registers, arguments[0], registers.get(arguments[0]) if name == "tst" else None)
        elif name in ("push", "nop", "svc", "cmp", "cmn", "tst", "teq", "stm", "stmdb", "msr"):
            if name == "msr" and "primask" in operands:
                state.effects.append(Effect("on", place=place))
        elif name in ("isb", "dmb"):
            pass
        elif name == "dsb":
            state.effects.append(Effect("settle", place=place))
        elif name in ("cpsid", "cpsie"):
            state.effects.append(Effect("off" if name == "cpsid" else "on", place=place))
        elif name.rstrip("bhsd") in ("str", "ldr") or name in ("ldrsb", "ldrsh"):
            self._memory(state, name, operands, arguments, place)
        else:
            plain = name if name in _ONE_RESULT else name.removesuffix("s")  # with or without flags
            value = self._value(registers, plain, arguments, place)
            shifted = self._shifted(registers, plain, arguments)
            changed = self._named(operands)[: 1 if plain in _ONE_RESULT else None]
            if plain == "and":
                self._tests(state, name, arguments, place)
            for register in changed:
                registers.pop(LOADED + register, None)
            for register in changed if value is None else ():
                registers.pop(register, None)
            if value is not None:
                registers[arguments[0]] = value & _MASK
            if shifted is not None:
                registers[LOADED + arguments[0]] = shifted
        return [state]

    def _shifted(self, registers: dict[str, int], name: str, arguments: list[str]) -> int | None:
        """What is known of a loaded value that an instruction shifts to the right; None: it does something else."""
        if name != "lsr" or len(arguments) < 2:
            return None
        loaded, by = registers.get(LOADED + arguments[-2]), self._get(registers, arguments[-1])
        return loaded + (by << 32) if loaded is not None and by is not None and (loaded >> 32) + by < 32 else None

    def _tests(self, state: State, name: str, arguments: list[str], place: int) -> bool:
        """Tell of a test of one bit, or of several, of a register of a device that was loaded."""
        if name == "lsls":
            loaded, shift = state.registers.get(LOADED + arguments[-2]), self._get(state.registers, arguments[-1])
            mask = 1 << (31 - shift) if shift is not None and shift < 32 else None
        else:
            left, right = arguments[-2], arguments[-1]
            loaded, mask = state.registers.get(LOADED + left), self._get(state.registers, right)
            if loaded is None:
                loaded, mask = state.registers.get(LOADED + right), self._get(state.registers, left)
        if loaded is None or mask is None:
            return False
        state.effects.append(Effect("bit", loaded & _MASK, mask << (loaded >> 32), place=place))
        return True

    def _named(self, operands: str) -> list[str]:
        return [_NAMES.get(r, r) for r in _REGISTER.findall(operands)]

    def _get(self, registers: dict[str, int], text: str) -> int | None:
        return int(text[1:], 0) & _MASK if text.startswith("#") else registers.get(text)

    def _value(self, registers: dict[str, int], name: str, arguments: list[str], place: int) -> int | None:
        if not arguments or not arguments[0].startswith("r"):
            return None
        first = arguments[1] if len(arguments) > 2 else arguments[0]
        left, right = self._get(registers, first), self._get(registers, arguments[-1])
        if len(arguments) > 3 or right is None:  # a shifted operand
            return None
        if name in ("mov", "movw", "mv"):
            return right if len(arguments) == 2 else None
        if name == "mvn":
            return ~right
        if name == "movt":
            low = registers.get(arguments[0])
            return low & 0xFFFF | right << 16 if low is not None else None
        if name == "adr":
            return (place + 4 & ~3) + right
        if left is None:
            return None
        operation = OPERATIONS.get(_OPERATIONS.get(name, ""))
        return operation(left, right) if operation is not None else None

    def _memory(self, state: State, name: str, operands: str, arguments: list[str], place: int) -> None:
        registers = state.registers
        targets = [a for a in arguments if not a.startswith(("[", "#"))][: 2 if name.endswith("d") else 1]
        match = _MEMORY.search(operands)
        address: int | None = None
        if match is not None:
            base = _NAMES.get(match[1], match[1])
            offset = int(match[2] or "0", 0)
            start = (place + 4 & ~3) if base == "pc" else registers.get(base)
            address = start + offset & _MASK if start is not None else None
            if match[3] or match[4]:
                moved = (start + (offset or int(match[4] or "0", 0)) & _MASK) if start is not None else None
                if match[4]:
                    address = start
                self.put(registers, base, moved)
        size = {"b": 1, "h": 2}.get(name[-1], 4)
        for k, target in enumerate(targets):
            at = address + 4 * k if address is not None else None
            if name.startswith("str"):
                if at is not None:
                    state.effects.append(Effect("write", at, registers.get(target), place=place))
                continue
            value: int | None = None
            if at is not None and "pc" in operands:
                value = self.elf.number(at, size)
            elif at is not None:
                state.read(at, place)
            self.put(registers, target, value)
            if at is not None and value is None and size == 4:
                registers[LOADED + target] = at

    def _branch(self, state: State, name: str, arguments: list[str], place: int, end: Callable[[int], bool]) -> list[State]:
        registers = state.registers
        if name == "bx" and arguments[0] == "lr":
            return []
        last = arguments[-1]
        target = int(last[1:], 0) if last.startswith("#") else registers.get(last)
        if target is not None:
            target &= ~1
        if name in ("bl", "blx"):
            self.call(state, target, place)
            return [state]
        return (self.jump if name in ("b", "bx") else self.branch)(state, target, place, end)
