# SPDX-License-Identifier: Apache-2.0
"""The instructions of microcode and what their operands are: one table for bytes, text and checks.

An instruction is two words of 32 bits, little endian: the opcode (8 bits) and ``time`` (24 bits), then ``x`` and ``y``
(16 bits each).  What an instruction does not use is 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum, unique

LONGEST_TIME = 0xFF_FFFF
"""The longest time of an instruction, in ticks."""


@unique
class Opcode(IntEnum):
    """Numbers of instructions; 0 is none, so that empty memory is no program."""

    CALL = 1
    RELEASE = 2
    FUTURE = 3
    FUTURE_EVENT = 4
    DISPATCH = 5
    DISPATCH_TIME = 6
    DISPATCH_RELEASE = 7
    IDLE = 8
    IDLE_RELEASE = 9
    FORK = 10
    IF = 11
    JUMP = 12
    RETURN = 13
    TERMINATE = 14


@unique
class Field(Enum):
    """The operands that an instruction has room for, in their order in text."""

    X = "x"
    TIME = "time"
    Y = "y"


@dataclass(frozen=True, slots=True)
class Form:
    """How an instruction is written and what it uses.

    ``fields`` says what an operand is: ``ticks``, ``address`` or the table of which it is a number.  ``text`` are the
    operands in their order in text; one in ``release(...)`` is a task whose release ends the time.  ``least`` is the
    least number of ticks.  ``goes_on``: the next instruction may follow it.
    """

    word: str
    fields: dict[Field, str] = field(default_factory=dict)
    least: int = 0
    released: Field | None = None
    goes_on: bool = True


FORMS = {
    Opcode.CALL: Form("call", {Field.X: "driver"}),
    Opcode.RELEASE: Form("release", {Field.X: "task", Field.TIME: "ticks"}),
    Opcode.FUTURE: Form("future", {Field.TIME: "ticks", Field.Y: "address"}, 1),
    Opcode.FUTURE_EVENT: Form("future", {Field.X: "trigger", Field.Y: "address"}),
    Opcode.DISPATCH: Form("dispatch", {Field.X: "task"}),
    Opcode.DISPATCH_TIME: Form("dispatch", {Field.X: "task", Field.TIME: "ticks", Field.Y: "address"}, 1),
    Opcode.DISPATCH_RELEASE: Form("dispatch", {Field.X: "task", Field.TIME: "task", Field.Y: "address"}, released=Field.TIME),
    Opcode.IDLE: Form("idle", {Field.TIME: "ticks"}, 1),
    Opcode.IDLE_RELEASE: Form("idle", {Field.X: "task"}, released=Field.X),
    Opcode.FORK: Form("fork", {Field.Y: "address"}),
    Opcode.IF: Form("if", {Field.X: "guard", Field.Y: "address"}),
    Opcode.JUMP: Form("jump", {Field.Y: "address"}, goes_on=False),
    Opcode.RETURN: Form("return", goes_on=False),
    Opcode.TERMINATE: Form("terminate", {Field.X: "task"}),
}


S_CODE = frozenset(
    {Opcode.DISPATCH, Opcode.DISPATCH_TIME, Opcode.DISPATCH_RELEASE, Opcode.IDLE, Opcode.IDLE_RELEASE, Opcode.FORK}
)
"""What only S code has."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction and its operands, in ticks, numbers of tables and addresses."""

    opcode: Opcode
    x: int = 0
    time: int = 0
    y: int = 0
