# SPDX-License-Identifier: Apache-2.0
"""Thumb (ARMv7-M Architecture Reference Manual, A7.7)."""

from __future__ import annotations

import re
from dataclasses import replace

from carillon.stacks.code import Code, Instruction, Paths, Unknown, Value, Walk

_LITERAL = re.compile(r"\(([0-9a-f]+) <")
_TARGET = re.compile(r"^([0-9a-f]+) <")
_NUMBER = re.compile(r"#(0x[0-9a-f]+|-?\d+)")
_CONDITIONS = {"eq", "ne", "hs", "lo", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"}
_NAMES = {"sb": "r9", "sl": "r10", "fp": "r11", "ip": "r12", "r13": "sp", "r14": "lr", "r15": "pc"}
_FLOW = {"b", "bl", "blx", "bx", "cbz", "cbnz", "tbb", "tbh", "svc", "udf", "bkpt"}
_STACK = {
    "push",
    "pop",
    "vpush",
    "vpop",
    "stmdb",
    "ldmia",
    "add",
    "adds",
    "addw",
    "sub",
    "subs",
    "subw",
    "mov",
    "movs",
    "movw",
    "ldr",
}
_STORES = {"str", "strb", "strh", "strd", "stm", "stmia", "stmdb", "push", "vpush", "vstr", "vstmia", "cmp", "cmn", "tst", "teq"}
_SWITCHES = {"uqi": (1, False), "sqi": (1, True), "uhi": (2, False), "shi": (2, True)}
"""The tables of libgcc's helpers for jumps in Thumb-1, which follow the call: bytes of an entry, and whether it has a sign."""
_CASES = "__gnu_thumb1_case_"
_POPPED = ("popped", 0)
_SUPERVISED = 36
"""What a call of the supervisor pushes."""
_LOST = {"r0", "r1", "r2", "r3", "r12", "lr"}
"""What a call may change."""


class Thumb(Code):
    """See above."""

    remark = ";@"
    exception = 36
    """With the word that aligns it (B1.5.7)."""
    context = 40

    def step(self, walk: Walk, it: Instruction, depth: int, known: dict[str, Value]) -> Paths:
        """See Code."""
        on = [(it.following, (depth, known))]
        base, conditional = _base(it.name)
        it = replace(it, name=base)
        if base in _FLOW:
            return self._flow(walk, it, conditional, depth, known)
        if it.name in ("push", "vpush", "stmdb") and (it.name != "stmdb" or it.operands.startswith("sp!")):
            return [(it.following, (depth + _bytes(_listed(it.operands)), known))]
        if it.name in ("pop", "vpop", "ldmia") and (it.name != "ldmia" or it.operands.startswith("sp!")):
            registers = _listed(it.operands)
            known |= dict.fromkeys(registers, _POPPED)
            after = (it.following, (max(depth - _bytes(registers), 0), known))
            return ([] if "pc" in registers else [after]) + (on if conditional else [])
        moved = re.search(r"\[sp, #(-\d+)\]!", it.operands)
        if moved is not None and it.name.startswith("str"):
            return [(it.following, (depth - int(moved[1]), known))]
        taken = re.search(r"\[sp\], #(\d+)$", it.operands)
        if taken is not None and it.name.startswith("ldr"):
            depth -= int(taken[1])
            if it.operands.startswith("pc"):
                return on if conditional else []
        parts = _parts(it.operands)
        to = parts[0] if parts else ""
        value = self._value(it, parts, depth, known)
        if parts and to.endswith("!"):
            known.pop(to[:-1], None)
        if to == "sp" and it.name not in _STORES and not it.name.startswith(("ldm", "stm", "vldm", "vstm")):
            if value is None or value[0] != "stack":
                return walk.stack_lost(it)
            return [(it.following, (max(-value[1], depth if conditional else 0), known)), *(on if conditional else [])]
        if to == "pc":
            raise Unknown(f"it jumps through a register, at {it.address:#x}")
        if it.name.startswith("ldm"):
            for name in _listed(it.operands):
                known.pop(name, None)
            known.pop(to.rstrip("!"), None)
        elif it.name not in _STORES and not it.name.startswith("it"):
            for name in parts[: 2 if it.name in ("ldrd", "umull", "smull", "umlal", "smlal") else 1]:
                known.pop(name, None)
            if value is not None and not conditional:
                known[to] = value
        for written in re.findall(r"\[(\w+)[^\]]*\](?:!|, #)", it.operands):
            known.pop(_register(written), None)
        return [(it.following, (max(depth, 0), known))]

    def _value(self, it: Instruction, parts: list[str], depth: int, known: dict[str, Value]) -> Value | None:
        """What an instruction puts in its first operand, if that is known: a place on the stack, from its begin, or a number."""

        def get(name: str) -> Value | None:
            if name == "sp":
                return "stack", -depth
            number = _number(name) if name.startswith("#") else None
            return ("number", number) if number is not None else known.get(name)

        if it.name in ("mov", "movs", "movw") and len(parts) == 2:
            return get(parts[1])
        literal = _LITERAL.search(it.comment)
        if it.name == "ldr" and literal is not None and "[pc" in it.operands:
            return "number", self.elf.number(int(literal[1], 16), 4)
        if it.name in ("add", "adds", "addw", "sub", "subs", "subw") and len(parts) in (2, 3):
            one, two = get(parts[-2]), get(parts[-1])
            if one is None or two is None or two[0] != "number":
                return None
            number = two[1] - 2**32 if two[1] >= 2**31 else two[1]
            return one[0], one[1] + (number if it.name.startswith("add") else -number)
        return None

    def _flow(self, walk: Walk, it: Instruction, conditional: bool, depth: int, known: dict[str, Value]) -> Paths:
        parts = _parts(it.operands)
        on = [(it.following, (depth, known))]
        back = on if conditional else []
        found = _TARGET.search(parts[-1])
        target = int(found[1], 16) if found is not None else None
        if it.name in ("cbz", "cbnz", "b"):
            if target is None:
                raise Unknown(f"it jumps to nowhere, at {it.address:#x}")
            return [*walk.jump(target, depth, known, it.address), *(on if conditional or it.name != "b" else [])]
        value = known.get(parts[0])
        number = value[1] & ~1 if value is not None and value[0] == "number" else None
        if it.name in ("bl", "blx"):
            name = self.name_of(target) if target is not None else ""
            if name.startswith(_CASES):
                return self._table(walk, *_SWITCHES.get(name.removeprefix(_CASES), (4, True)), it, depth, known)
            walk.call(target if target is not None else number, depth, it.address)
            return walk.after_call(it, depth, {name: value for name, value in known.items() if name not in _LOST})
        if it.name == "bx":
            if number is not None:
                return [*walk.jump(number, depth, known, it.address), *back]
            if parts[0] != "lr" and value != _POPPED:  # what was popped is where it returns to
                walk.call(None, depth, it.address)
        elif it.name in ("tbb", "tbh"):
            return self._table(walk, 1 if it.name == "tbb" else 2, False, it, depth, known)
        elif it.name == "svc":
            walk.use.most = max(walk.use.most, depth + _SUPERVISED)
        return back

    def _table(self, walk: Walk, width: int, signed: bool, it: Instruction, depth: int, known: dict[str, Value]) -> Paths:
        """The cases of a jump by a table, which follows the instruction, and ends where the first case begins."""
        base = it.address + 4
        scale = 1 if width == 4 else 2
        targets: set[int] = set()
        place = base
        while place < min([t for t in targets if t > base], default=base + 2048) and place in range(base, walk.range.stop):
            number = int.from_bytes(self.elf.bytes_at(place, width), "little", signed=signed)
            target = base + scale * number
            if target in walk.range and target in self.code:
                targets.add(target)
            place += width
        if not targets:
            raise Unknown(f"it jumps by a table that is not known, at {it.address:#x}")
        kept = {name: value for name, value in known.items() if name not in _LOST}
        return [(target, (depth, dict(kept))) for target in sorted(targets)]


class ThumbWithFloats(Thumb):
    """The same with a floating-point unit, whose registers are pushed too."""

    exception = 108
    context = 48


def _base(mnemonic: str) -> tuple[str, bool]:
    """The name of an instruction without its width, and whether it is carried out on a condition."""
    name = mnemonic.partition(".")[0]
    name = {"stmfd": "stmdb", "ldmfd": "ldmia", "ldm": "ldmia"}.get(name, name)
    if name in _FLOW | _STACK or name[-2:] not in _CONDITIONS or name[:-2] not in _FLOW | _STACK | {"ldm", "str"}:
        return name, False
    return {"ldm": "ldmia"}.get(name[:-2], name[:-2]), True


def _register(name: str) -> str:
    return _NAMES.get(name, name)


def _parts(operands: str) -> list[str]:
    return [_register(part.strip()) for part in operands.split(",")]


def _listed(operands: str) -> list[str]:
    """The registers between braces."""
    found: list[str] = []
    for part in operands[operands.index("{") + 1 : operands.index("}")].split(","):
        first, dash, last = (_register(word.strip()) for word in part.partition("-"))
        kind = first[0]
        found += [f"{kind}{k}" for k in range(int(first[1:]), int(last[1:]) + 1)] if dash else [first]
    return found


def _bytes(registers: list[str]) -> int:
    return sum(8 if name.startswith("d") else 4 for name in registers)


def _number(text: str) -> int | None:
    found = _NUMBER.search(text)
    return int(found[1], 0) if found is not None else None
