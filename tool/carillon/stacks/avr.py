# SPDX-License-Identifier: Apache-2.0
"""AVR (AVR Instruction Set Manual, Atmel 0856).  A call pushes the return address itself, of two bytes or three."""

from __future__ import annotations

import re

from carillon.stacks.code import Code, Instruction, Paths, Unknown, Value, Walk

_ADDRESS = re.compile(r"^0x([0-9a-f]+)")
_SKIPS = ("cpse", "sbrc", "sbrs", "sbic", "sbis")
_SP_LOW, _SP_HIGH = "0x3d", "0x3e"
_FRAME = "frame"
"""The pair r29:r28, by which functions have variables on the stack."""
_LOW_PART = "low"
"""What ``subi r28`` takes, until ``sbci r29`` says the rest."""
_ZERO = "r1"
"""The register that the compiler keeps at 0."""
_STORES = ("st", "std", "sts", "out", "push", "cp", "cpc", "cpi", "tst", "cpse", "sbi", "cbi", "sbrc", "sbrs")


class Avr(Code):
    """See above."""

    remark = ";"
    address_size = exception = first = 2
    """Bytes of a return address."""
    context = 2 + 18

    def step(self, walk: Walk, it: Instruction, depth: int, known: dict[str, Value]) -> Paths:
        """See Code."""
        name, parts = it.name, [part.strip() for part in it.operands.split(",")]
        if name in ("push", "pop"):
            if parts[0] in ("r28", "r29"):
                known = known if name == "push" else {}
            return [(it.following, (max(depth + (1 if name == "push" else -1), 0), known))]
        if name in ("ret", "reti", "break"):
            return []
        if name in ("call", "rcall", "icall", "eicall"):
            if name == "rcall" and parts[0] == ".+0":  # room on the stack
                return [(it.following, (depth + self.address_size, known))]
            target = None if name in ("icall", "eicall") else self.target(it)
            walk.call(target, depth + self.address_size, it.address)
            return walk.after_call(it, depth, known)
        if name in ("jmp", "rjmp"):
            return walk.jump(self.target(it), depth, known, it.address)
        if name in ("ijmp", "eijmp"):
            walk.jumps = True
            walk.call(None, depth, it.address)
            return []
        on: Paths = [(it.following, (depth, known))]
        if name.startswith("br"):
            return [*walk.jump(self.target(it), depth, known, it.address), *on]
        if name in _SKIPS:
            skipped = self.code.get(it.following)
            return [*on, *([(skipped.following, (depth, dict(known)))] if skipped is not None else [])]
        if name == "out" and parts[0] == _SP_HIGH:
            return on  # the low byte follows
        if name == "out" and parts[0] == _SP_LOW:
            place = known.get(_FRAME) if parts[1] == "r28" else None
            if place is None and not (parts[1] == "r28" and walk.is_reset):
                return walk.stack_lost(it)
            return [(it.following, (max(-place[1], 0) if place is not None else 0, known))]
        return [(it.following, (depth, self._changed(name, parts, depth, known)))]

    @staticmethod
    def _changed(name: str, parts: list[str], depth: int, known: dict[str, Value]) -> dict[str, Value]:
        """What is known of the pair afterwards."""
        frame, first = known.get(_FRAME), parts[0]
        if name in _STORES or first not in ("r28", "r29"):
            return known if first != "Y" else {}
        if name == "in" and parts[1] == _SP_LOW:
            return {_FRAME: ("stack", -depth)}
        if name == "in" and parts[1] == _SP_HIGH and frame is not None:
            return known
        if name in ("sbiw", "adiw") and frame is not None:
            number = int(parts[1], 0)
            return {_FRAME: ("stack", frame[1] + (number if name == "adiw" else -number))}
        if name == "subi" and first == "r28" and frame is not None:
            return {_FRAME: frame, _LOW_PART: ("number", int(parts[1], 0))}
        if name in ("sbci", "sbc") and first == "r29" and parts[1] != "r29" and frame is not None and _LOW_PART in known:
            high = int(parts[1], 0) if name == "sbci" else 0 if parts[1] == _ZERO else None
            if high is None:
                return {}
            number = high << 8 | known[_LOW_PART][1]
            return {_FRAME: ("stack", frame[1] - (number - 0x10000 if number >= 0x8000 else number))}
        return {}

    @staticmethod
    def target(it: Instruction) -> int:
        """Where a jump or a call goes."""
        found = _ADDRESS.match(it.comment) or _ADDRESS.match(it.operands)
        if found is None:
            raise Unknown(f"it jumps to nowhere, at {it.address:#x}")
        return int(found[1], 16)


class WideAvr(Avr):
    """The same with a program counter of 22 bits."""

    address_size = exception = first = 3
    context = 3 + 18
