# SPDX-License-Identifier: Apache-2.0
"""Microcode: programs of the integrated E and S machine, in memory, as bytes (``binary``) and as text (``text``).

The machine is that of C. Kirsch, M. Sanvido and T. Henzinger, *A Programmable Microkernel for Real-Time Systems*, VEE 2005.

Tasks, drivers, guards and triggers are functions outside of the machine.  A program names them, and names the ports that each of
them reads and writes.  So a machine can tell when a driver touches a task that has not finished.

An instruction is two words of 32 bits, little endian: the opcode (8 bits) and ``time`` (24 bits), then ``x`` and ``y``
(16 bits each).  What an instruction does not use is 0.  One table says what its operands are, for bytes, text and checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, IntEnum, unique

NAME = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_.:@]*[A-Za-z0-9_.@])?", re.ASCII)
"""What names an object or a label of microcode; it may have points and colons within, as no C function has."""
LONGEST_NAME = 1000
MOST = 0xFFFF
"""The most instructions, and the most objects of a kind."""
_LONGEST_TICK = 0xFFFF_FFFF
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
    least number of ticks.  ``goes_on``: the next instruction may follow it.  ``short``: without an address, that is the next
    instruction's.
    """

    word: str
    fields: dict[Field, str] = field(default_factory=dict)
    least: int = 0
    released: Field | None = None
    goes_on: bool = True
    short: bool = False


FORMS = {
    Opcode.CALL: Form("call", {Field.X: "driver"}),
    Opcode.RELEASE: Form("release", {Field.X: "task", Field.TIME: "ticks"}),
    Opcode.FUTURE: Form("future", {Field.TIME: "ticks", Field.Y: "address"}, 1),
    Opcode.FUTURE_EVENT: Form("future", {Field.X: "trigger", Field.Y: "address"}),
    Opcode.DISPATCH: Form("dispatch", {Field.X: "task"}),
    Opcode.DISPATCH_TIME: Form("dispatch", {Field.X: "task", Field.TIME: "ticks", Field.Y: "address"}, 1, short=True),
    Opcode.DISPATCH_RELEASE: Form(
        "dispatch", {Field.X: "task", Field.TIME: "task", Field.Y: "address"}, released=Field.TIME, short=True
    ),
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

    @property
    def leads(self) -> bool:
        """Whether ``y`` is the address of a possible next instruction."""
        return FORMS[self.opcode].fields.get(Field.Y) == "address"

    def following(self, address: int) -> Iterator[tuple[bool, int]]:
        """The instructions that may follow this one at ``address``: whether each needs a branch, and its address."""
        if FORMS[self.opcode].goes_on:
            yield False, address + 1
        if self.leads:
            yield True, self.y


@unique
class Kind(Enum):
    """The tables of a program, in their order in its bytes."""

    PORT = "port"
    TASK = "task"
    DRIVER = "driver"
    GUARD = "guard"
    TRIGGER = "trigger"


@dataclass(frozen=True, slots=True)
class Function:
    """A task, a driver, a guard or a trigger, and the numbers of the ports that it reads and writes.

    Guards and triggers write none.
    """

    name: str
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()

    def touches(self, task: Function) -> bool:
        """Whether this function conflicts with a task's ports: a machine drops its call until the task has ended."""
        return bool({*self.reads} & {*task.writes} or {*self.writes} & {*task.reads, *task.writes})


@dataclass(frozen=True, slots=True)
class Program:
    """A program: ``tick_ns`` is the length of the machine's tick, ``entry`` the address at which it begins.

    ``labels`` are addresses and their names, ascending; they are for people, and a machine does not need them.
    """

    tick_ns: int
    entry: int
    code: tuple[Instruction, ...]
    ports: tuple[str, ...] = ()
    tasks: tuple[Function, ...] = ()
    drivers: tuple[Function, ...] = ()
    guards: tuple[Function, ...] = ()
    triggers: tuple[Function, ...] = ()
    labels: tuple[tuple[int, str], ...] = ()
    late: tuple[tuple[int, int], ...] = ()
    """Numbers of tasks, ascending, and the address of what is carried out where each is found late."""
    shared: int | None = None
    """The address of what a thread carries out whose dispatch is dropped, since another thread dispatches another task."""

    @property
    def handlers(self) -> tuple[int | None, ...]:
        """That of ``shared``, and of each task; empty if there are none."""
        late = dict(self.late)
        return (self.shared, *(late.get(task) for task in range(len(self.tasks)))) if late or self.shared is not None else ()

    @property
    def functions(self) -> dict[Kind, tuple[Function, ...]]:
        """The tables of functions, in their order in its bytes."""
        return {Kind.TASK: self.tasks, Kind.DRIVER: self.drivers, Kind.GUARD: self.guards, Kind.TRIGGER: self.triggers}

    def names(self, kind: Kind) -> tuple[str, ...]:
        """The names of a kind, in the order of their numbers."""
        return self.ports if kind is Kind.PORT else tuple(function.name for function in self.functions[kind])

    def touched(self, driver: int) -> list[int]:
        """The tasks that a driver touches."""
        return [number for number, task in enumerate(self.tasks) if self.drivers[driver].touches(task)]


def faults(program: Program) -> list[tuple[int | None, str]]:
    """What is wrong with a program: the address of an instruction, or None, and a text.

    Everything is in its range, every operand is in its table, and no instruction is followed by nothing.
    """
    faults: list[tuple[int | None, str]] = []
    size = len(program.code)
    if not 1 <= program.tick_ns <= _LONGEST_TICK:
        faults.append((None, f"the tick of {program.tick_ns} ns is not in 1 to {_LONGEST_TICK}"))
    if not 1 <= size <= MOST:
        faults.append((None, f"{size} instructions are not in 1 to {MOST}"))
    if not 0 <= program.entry < size:
        faults.append((None, f"the entry {program.entry} is no address of the code"))
    for kind in Kind:
        names = program.names(kind)
        if len(names) > MOST:
            faults.append((None, f"more than {MOST} {kind.value}s"))
        faults.extend((None, f"{_shown(name)} is no name") for name in names if not _is_name(name))
        if len(set(names)) < len(names):
            faults.append((None, f"two {kind.value}s have one name"))
    for kind, functions in program.functions.items():
        for function in functions:
            ports = (*function.reads, *function.writes)
            if any(not 0 <= port < len(program.ports) for port in ports) or len(ports) > MOST:
                faults.append((None, f"the {kind.value} {function.name} has a port that is none"))
            if function.writes and kind in (Kind.GUARD, Kind.TRIGGER):
                faults.append((None, f"the {kind.value} {function.name} writes a port"))
    faults += _labels(program, size)
    if any(not 0 <= task < len(program.tasks) for task, _ in program.late):
        faults.append((None, "a handler is of a task that there is not"))
    if list(program.late) != sorted(dict(program.late).items()):
        faults.append((None, "the tasks with handlers do not ascend"))
    if any(address is not None and not 0 <= address < size for address in program.handlers):
        faults.append((None, "a handler is no address of the code"))
    tables = {kind: len(program.names(kind)) for kind in Kind}
    for address, instruction in enumerate(program.code):
        faults.extend((address, text) for text in _instruction(instruction, tables, size))
    if program.code and FORMS[program.code[-1].opcode].goes_on:
        faults.append((size - 1, "nothing follows the last instruction"))
    return faults


def _is_name(name: str) -> bool:
    return len(name) <= LONGEST_NAME and NAME.fullmatch(name) is not None


def _shown(name: str) -> str:
    return ascii(name if len(name) <= 40 else f"{name[:20]}...{name[-20:]}")


def _labels(program: Program, size: int) -> list[tuple[int | None, str]]:
    faults: list[tuple[int | None, str]] = []
    faults.extend((None, f"{_shown(name)} is no name") for _, name in program.labels if not _is_name(name))
    if any(not 0 <= address < size for address, _ in program.labels):
        faults.append((None, "a label is no address of the code"))
    if len({name for _, name in program.labels}) < len(program.labels):
        faults.append((None, "two labels have one name"))
    if list(program.labels) != sorted(program.labels) or len(program.labels) > MOST:
        faults.append((None, f"the labels do not ascend, or are more than {MOST}"))
    return faults


def _instruction(instruction: Instruction, tables: dict[Kind, int], size: int) -> list[str]:
    faults = []
    form = FORMS[instruction.opcode]
    for operand in Field:
        value = getattr(instruction, operand.value)
        use = form.fields.get(operand)
        if use is None:
            if value != 0:
                faults.append(f"{operand.value} of {form.word} must be 0")
        elif use == "ticks":
            if not form.least <= value <= LONGEST_TIME:
                faults.append(f"{value} ticks of {form.word} are not in {form.least} to {LONGEST_TIME}")
        elif use == "address":
            if not 0 <= value < size:
                faults.append(f"{form.word} to {value}, which is no address of the code")
        elif not 0 <= value < tables[Kind(use)]:
            faults.append(f"{form.word} has the {use} {value}, which there is not")
    return faults
