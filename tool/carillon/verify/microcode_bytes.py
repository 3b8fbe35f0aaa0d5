# SPDX-License-Identifier: Apache-2.0
"""The instructions of microcode, decoded as SPEC says (section "Microcode"): eight bytes each."""

from __future__ import annotations

import struct
from dataclasses import dataclass

CALL, RELEASE, FUTURE, FUTURE_EVENT = 1, 2, 3, 4
DISPATCH, DISPATCH_TIME, DISPATCH_RELEASE, IDLE, IDLE_RELEASE, FORK = 5, 6, 7, 8, 9, 10
IF, JUMP, RETURN, TERMINATE = 11, 12, 13, 14
WORDS = (
    *("", "call", "release", "future", "future", "dispatch", "dispatch", "dispatch", "idle", "idle"),
    *("fork", "if", "jump", "return", "terminate"),
)
S_CODE = (DISPATCH, DISPATCH_TIME, DISPATCH_RELEASE, IDLE, IDLE_RELEASE, FORK)
OPERANDS = {  # x, time, y
    CALL: ("driver", "", ""),
    RELEASE: ("task", "ticks", ""),
    FUTURE: ("", "wait", "address"),
    FUTURE_EVENT: ("trigger", "", "address"),
    DISPATCH: ("task", "", ""),
    DISPATCH_TIME: ("task", "wait", "address"),
    DISPATCH_RELEASE: ("task", "task", "address"),
    IDLE: ("", "wait", ""),
    IDLE_RELEASE: ("task", "", ""),
    FORK: ("", "", "address"),
    IF: ("guard", "", "address"),
    JUMP: ("", "", "address"),
    RETURN: ("", "", ""),
    TERMINATE: ("task", "", ""),
}


@dataclass(frozen=True, slots=True)
class Instruction:
    """An opcode with its operands, as numbers; SPEC says which operands it uses."""

    opcode: int
    x: int
    time: int
    y: int

    def __str__(self) -> str:
        named = zip(OPERANDS[self.opcode], (self.x, self.time, self.y), strict=True)
        operands = ", ".join(f"{use.replace('wait', 'ticks')} {value}" for use, value in named if use)
        return f"'{WORDS[self.opcode]}{' ' if operands else ''}{operands}'"


def decoded(raw: bytes, counts: dict[str, int]) -> tuple[Instruction, str]:
    """An instruction of 8 bytes, and its fault; ``counts``: how many objects of each kind operands may name."""
    word, x, y = struct.unpack("<IHH", raw)
    instruction = Instruction(word & 0xFF, x, word >> 8, y)
    if instruction.opcode not in OPERANDS:
        return instruction, f"is number {instruction.opcode}, which is none"
    for use, value in zip(OPERANDS[instruction.opcode], (instruction.x, instruction.time, instruction.y), strict=True):
        if not use and value:
            return instruction, f"has an operand {value} that it does not use"
        if use == "wait" and not value:
            return instruction, "waits for no time"
        if use in counts and value >= counts[use]:
            return instruction, f"names the {use} {value}, which there is not"
    return instruction, ""
