# SPDX-License-Identifier: Apache-2.0
"""RV32IMAC (The RISC-V Instruction Set Manual, volume 1)."""

from __future__ import annotations

import re

from carillon.stacks.code import Code, Instruction, Paths, Unknown, Value, Walk

_TARGET = re.compile(r"\b([0-9a-f]+) <")
_LOST = {*(f"a{k}" for k in range(8)), *(f"t{k}" for k in range(7)), "ra"}
"""What a call may change."""
_ENDS = ("ret", "mret", "unimp", "ebreak", "c.unimp")
_STORES = ("sw", "sh", "sb", "fence", "fence.i", "nop", "wfi", "ecall")


class RiscV(Code):
    """See above."""

    remark = "#"
    context = 8
    first = 8

    def step(self, walk: Walk, it: Instruction, depth: int, known: dict[str, Value]) -> Paths:
        """See Code."""
        name, parts = it.name, [part.strip() for part in it.operands.split(",")]
        if name in _ENDS or (name == "jr" and parts == ["ra"]):
            return []
        if name in ("j", "jal", "jr", "jalr", "call", "tail") or (name.startswith("b") and name[1:2] in "engl"):
            return self._flow(walk, it, parts, depth, known)
        if parts[0] == "sp" and name not in _STORES:
            value = self._value(name, parts, depth, known)
            if value is None or value[0] != "stack":
                if walk.is_reset and name in ("addi", "auipc", "lui", "mv", "li"):
                    return [(it.following, (0, known))]
                return walk.stack_lost(it)
            return [(it.following, (max(-value[1], 0), known))]
        if name not in _STORES and parts[0]:
            value = self._value(name, parts, depth, known)
            known.pop(parts[0], None)
            if value is not None:
                known[parts[0]] = value
        return [(it.following, (depth, known))]

    @staticmethod
    def _value(name: str, parts: list[str], depth: int, known: dict[str, Value]) -> Value | None:
        def get(text: str) -> Value | None:
            if text == "sp":
                return "stack", -depth
            return ("number", int(text, 0)) if re.match(r"-?\d", text) else known.get(text)

        if name in ("mv", "li"):
            return get(parts[1])
        if name == "lui":
            number = int(parts[1], 0) << 12
            return "number", number - 2**32 if number >= 2**31 else number
        if name in ("addi", "add", "sub") and len(parts) == 3:
            one, two = get(parts[1]), get(parts[2])
            if one is not None and two is not None and "number" in (one[0], two[0]):
                if name == "sub" and two[0] != "number":
                    return None
                kind = one[0] if two[0] == "number" else two[0]
                return kind, one[1] + (-two[1] if name == "sub" else two[1])
        return None

    def _flow(self, walk: Walk, it: Instruction, parts: list[str], depth: int, known: dict[str, Value]) -> Paths:
        found = _TARGET.search(f"{it.operands} {it.comment}")
        target = int(found[1], 16) if found is not None else None
        if it.name in ("jal", "jalr", "call") and parts[0] != "zero":
            walk.call(target, depth, it.address)
            return walk.after_call(it, depth, {name: value for name, value in known.items() if name not in _LOST})
        if it.name in ("j", "jr", "jal", "jalr", "tail"):
            if target is None:
                walk.call(None, depth, it.address)
                walk.jumps = True
                return []
            return walk.jump(target, depth, known, it.address)
        if target is None:
            raise Unknown(f"it jumps to nowhere, at {it.address:#x}")
        return [*walk.jump(target, depth, known, it.address), (it.following, (depth, known))]
