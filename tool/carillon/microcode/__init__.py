# SPDX-License-Identifier: Apache-2.0
"""Microcode: programs of the integrated E and S machine, in memory, as bytes (``binary``) and as text (``text``).

The machine is that of C. Kirsch, M. Sanvido and T. Henzinger, *A Programmable Microkernel for Real-Time Systems*, VEE 2005.

Tasks, drivers, guards and triggers are functions outside of the machine.  A program names them, and names the ports that
each of them reads and writes, so that a machine can tell when a driver touches a task that has not finished.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, unique

from carillon.microcode.instructions import FORMS, LONGEST_TIME, S_CODE, Field, Form, Instruction, Opcode

__all__ = [
    "FORMS",
    "LONGEST_TIME",
    "MOST",
    "NAME",
    "S_CODE",
    "Field",
    "Form",
    "Function",
    "Instruction",
    "Kind",
    "Opcode",
    "Program",
    "faults",
]

NAME = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_.:@]*[A-Za-z0-9_.@])?", re.ASCII)
"""What names an object or a label of microcode; it may have points and colons within, as no C function has."""
LONGEST_NAME = 1000
MOST = 0xFFFF
"""The most instructions, and the most objects of a kind."""
_LONGEST_TICK = 0xFFFF_FFFF


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

    def functions(self, kind: Kind) -> tuple[Function, ...]:
        """The table of a kind; ports have none."""
        return {Kind.TASK: self.tasks, Kind.DRIVER: self.drivers, Kind.GUARD: self.guards, Kind.TRIGGER: self.triggers}[kind]

    def names(self, kind: Kind) -> tuple[str, ...]:
        """The names of a kind, in the order of their numbers."""
        return self.ports if kind is Kind.PORT else tuple(function.name for function in self.functions(kind))


def faults(program: Program) -> list[tuple[int | None, str]]:
    """What is wrong with a program: the address of an instruction, or None, and a text.

    Everything is in its range, every operand is in its table, and no instruction is followed by nothing.
    """
    found: list[tuple[int | None, str]] = []
    size = len(program.code)
    if not 1 <= program.tick_ns <= _LONGEST_TICK:
        found.append((None, f"the tick of {program.tick_ns} ns is not in 1 to {_LONGEST_TICK}"))
    if not 1 <= size <= MOST:
        found.append((None, f"{size} instructions are not in 1 to {MOST}"))
    if not 0 <= program.entry < size:
        found.append((None, f"the entry {program.entry} is no address of the code"))
    for kind in Kind:
        names = program.names(kind)
        if len(names) > MOST:
            found.append((None, f"more than {MOST} {kind.value}s"))
        found.extend((None, f"{_shown(name)} is no name") for name in names if not _is_name(name))
        if len(set(names)) < len(names):
            found.append((None, f"two {kind.value}s have one name"))
    for kind in (Kind.TASK, Kind.DRIVER, Kind.GUARD, Kind.TRIGGER):
        for function in program.functions(kind):
            ports = (*function.reads, *function.writes)
            if any(not 0 <= port < len(program.ports) for port in ports) or len(ports) > MOST:
                found.append((None, f"the {kind.value} {function.name} has a port that is none"))
            if function.writes and kind in (Kind.GUARD, Kind.TRIGGER):
                found.append((None, f"the {kind.value} {function.name} writes a port"))
    found += _labels(program, size)
    tables = {kind: len(program.names(kind)) for kind in Kind}
    for address, instruction in enumerate(program.code):
        found.extend((address, text) for text in _instruction(instruction, tables, size))
    if program.code and FORMS[program.code[-1].opcode].goes_on:
        found.append((size - 1, "nothing follows the last instruction"))
    return found


def _is_name(name: str) -> bool:
    return len(name) <= LONGEST_NAME and NAME.fullmatch(name) is not None


def _shown(name: str) -> str:
    return ascii(name if len(name) <= 40 else name[:40] + "...")


def _labels(program: Program, size: int) -> list[tuple[int | None, str]]:
    found: list[tuple[int | None, str]] = []
    found.extend((None, f"{_shown(name)} is no name") for _, name in program.labels if not _is_name(name))
    if any(not 0 <= address < size for address, _ in program.labels):
        found.append((None, "a label is no address of the code"))
    if len({name for _, name in program.labels}) < len(program.labels):
        found.append((None, "two labels have one name"))
    if list(program.labels) != sorted(program.labels) or len(program.labels) > MOST:
        found.append((None, f"the labels do not ascend, or are more than {MOST}"))
    return found


def _instruction(instruction: Instruction, tables: dict[Kind, int], size: int) -> list[str]:
    found = []
    form = FORMS[instruction.opcode]
    for field in Field:
        value = getattr(instruction, field.value)
        use = form.fields.get(field)
        if use is None:
            if value != 0:
                found.append(f"{field.value} of {form.word} must be 0")
        elif use == "ticks":
            if not form.least <= value <= LONGEST_TIME:
                found.append(f"{value} ticks of {form.word} are not in {form.least} to {LONGEST_TIME}")
        elif use == "address":
            if not 0 <= value < size:
                found.append(f"{form.word} to {value}, which is no address of the code")
        elif not 0 <= value < tables[Kind(use)]:
            found.append(f"{form.word} has the {use} {value}, which there is not")
    return found
