# SPDX-License-Identifier: Apache-2.0
"""Thumb-2, as far as handlers use it (ARMv7-M Architecture Reference Manual, A7.7)."""

from __future__ import annotations

import re
from collections.abc import Callable

from capstone import CS_ARCH_ARM, CS_MODE_MCLASS, CS_MODE_THUMB

from carillon.verify.code import Effect, State, frame
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
_FROM_ONE = {"clz", "mov", "movw", "mrs", "mvn", "neg", "rbit", "rev", "sxtb", "sxth", "uxtb", "uxth"}
"""What has two operands, and does not read the first."""
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
"""Before a register's name: where its value was loaded from, and how far it was shifted right since, while it has that value."""


class Code(Decoded):
    """See above."""

    arguments = ("r0", "r1", "r2", "r3")
    lost = ("r0", "r1", "r2", "r3", "r12", "lr")
    pointer = "sp"

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
        elif self._frame(registers, name, arguments, operands):
            pass
        elif name in ("tst", "lsls") and self._tests(state, name, arguments, place):
            self.put(registers, arguments[0], registers.get(arguments[0]) if name == "tst" else None)
        elif name in ("push", "nop", "svc", "cmp", "cmn", "tst", "teq", "stm", "stmdb", "msr"):
            if name == "msr" and "primask" in operands:
                state.effects.append(Effect("on", place=place))
            if name in ("stm", "stmdb"):
                self._many(registers, arguments[0], operands)
            elif name in ("msr", "push"):  # of the stack's pointer, or where it is not known
                self.put(registers, self.pointer, None)
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
            changed = self._named(operands)[: 1 if plain in _ONE_RESULT else None]
            stack = [self.pointer] if name == "mrs" and operands.endswith("sp") else []
            alone = plain in _ONE_RESULT and (len(arguments) > 2 or plain in _FROM_ONE)
            frame.meddle(registers, self._named(operands)[1 if alone else 0 :] + stack)
            if name in ("vpush", "vpop"):
                changed.append(self.pointer)
            if plain == "and":
                self._tests(state, name, arguments, place)
            loaded, shift = (
                registers.get(LOADED + arguments[-2]) if len(arguments) > 1 else None,
                self._get(registers, arguments[-1]),
            )
            for register in changed:
                registers.pop(LOADED + register, None)
                registers.pop(frame.FRAME + register, None)
            if plain == "lsr" and loaded is not None and shift is not None:
                registers[LOADED + arguments[0]] = loaded[0], loaded[1] + shift
            for register in changed if value is None else ():
                registers.pop(register, None)
            if value is not None:
                registers[arguments[0]] = value & _MASK
        return [state]

    def _tests(self, state: State, name: str, arguments: list[str], place: int) -> bool:
        """Tell of a test of one bit, or of several, of a register of a device that was loaded, and perhaps shifted right."""
        registers = state.registers
        left, right = registers.get(LOADED + arguments[-2]), registers.get(LOADED + arguments[-1])
        if name == "lsls":
            loaded, shift = left, self._get(registers, arguments[-1])
            mask = 1 << (31 - shift) if shift is not None and shift < 32 else None
        else:
            loaded = left if left is not None else right
            mask = self._get(registers, arguments[-1] if left is not None else arguments[-2])
        if loaded is None or mask is None:
            return False
        address, shifted = loaded
        state.effects.append(Effect("bit", address, mask << shifted & _MASK, place=place))
        return True

    def _frame(self, registers: dict[str, int], name: str, arguments: list[str], operands: str) -> bool:
        """Carry an instruction out that moves an address of the stack, or registers between there and the processor."""
        at = frame.points(registers, self.pointer)
        if name in ("push", "pop") and at is not None:
            moved = self._named(operands)
            if name == "push":
                at -= 4 * len(moved)
                frame.point(registers, self.pointer, at, self.pointer)
                frame.show(registers, moved)
            for k, register in enumerate(moved):
                if name == "push":
                    frame.keep(registers, at + 4 * k, 4, registers.get(register), self.pointer)
                else:
                    self.put(registers, register, frame.kept(registers, at + 4 * k, 4))
            if name == "pop":
                frame.point(registers, self.pointer, at + 4 * len(moved), self.pointer)
            return True
        plain = name.removesuffix("s")
        if plain not in ("add", "addw", "sub", "subw", "mov") or not 2 <= len(arguments) <= 3:
            return False
        source = arguments[1] if plain == "mov" or len(arguments) == 3 else arguments[0]
        base, by = frame.points(registers, source), 0 if plain == "mov" else self._get(registers, arguments[-1])
        if base is None or by is None or (plain == "mov" and len(arguments) == 3):
            return False
        by -= 1 << 32 if by >> 31 else 0
        frame.point(registers, arguments[0], base - by if plain.startswith("sub") else base + by, self.pointer)
        return True

    def _many(self, registers: dict[str, int], base: str, operands: str) -> None:
        """A store of several registers, where the base may move on."""
        frame.meddle(registers, self._named(operands))
        frame.lose(registers)
        if base.endswith("!"):
            self.put(registers, base.removesuffix("!"), None)

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
        if match is not None and self._on_stack(registers, name, targets, match):
            return
        if name.startswith("str"):
            frame.show(registers, targets)
        if match is None:
            frame.meddle(registers, self._named(operands))
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
                else:
                    frame.lose(registers)
                continue
            value: int | None = None
            if at is not None and "pc" in operands:
                value = self.elf.number(at, size)
            elif at is not None:
                state.read(at, place)
            self.put(registers, target, value)
            if at is not None and value is None and size == 4:
                registers[LOADED + target] = at, 0

    def _on_stack(self, registers: dict[str, int], name: str, targets: list[str], match: re.Match[str]) -> bool:
        """Carry a load or a store out, if its address is on the function's own stack."""
        base = _NAMES.get(match[1], match[1])
        start = frame.points(registers, base)
        if start is None:
            return False
        offset, behind = int(match[2] or "0", 0), int(match[4] or "0", 0)
        plain = name.removesuffix("d")
        size = {"b": 1, "h": 2}.get(plain[-1], 4)
        if match[3]:
            frame.point(registers, base, start + offset, self.pointer)
        for k, target in enumerate(targets):
            at = start + offset + 4 * k
            if name.startswith("str"):
                frame.show(registers, [target])
                value = registers.get(target)
                frame.keep(registers, at, size, value & (1 << 8 * size) - 1 if value is not None else None, self.pointer)
            else:
                self.put(registers, target, frame.kept(registers, at, size) if plain in ("ldr", "ldrb", "ldrh") else None)
        if match[4]:
            frame.point(registers, base, start + behind, self.pointer)
        return True

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
