# SPDX-License-Identifier: Apache-2.0
"""The model of a Giotto program (T. Henzinger, B. Horowitz, C. Kirsch, *Giotto*, Proceedings of the IEEE 91, 2003).

``read`` builds it as it is written, ``check`` says what is wrong with it, and the compiler takes what has no errors.
Periods are whole milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import count

from carillon.diagnostics import Span
from carillon.units import Time

TICK_NS = 1_000_000
"""Giotto's unit of time, in nanoseconds."""
LOADER = "microcode_loader"
"""The thread that receives programs."""


def free_name(name: str, names: Collection[str]) -> str:
    """The name, or with a number behind it, the first that is not among those."""
    return name if name not in names else next(n for k in count(2) if (n := f"{name}_{k}") not in names)


class Machine(Enum):
    """What carries a program out on a chip: the interpreter of microcode, or expiry points and interrupts alone.

    The interpreter is woken when something is due, or asked in each tick of a millisecond.
    """

    MICROCODE = "microcode"
    TICKS = "ticks"
    CELLS = "cells"

    @property
    def interprets(self) -> bool:
        """Whether it is the interpreter."""
        return self is not Machine.CELLS


@dataclass(frozen=True, slots=True)
class Upload:
    """How an image receives other programs: the most bytes of one, room for triggers and threads that wait, and a key.

    The key has 16 bytes; they are zeros if none is configured.  ``record`` is the most decisions of the scheduler that the
    image keeps for who asks; 0: none.  ``generate``: after so many milliseconds without a new one, the target makes S code of
    them; 0: it makes none.  ``load`` is how much of the processor a program's tasks may take, per cent; 0: it is not
    looked at.  ``log`` is how many entries its log keeps.  ``resets`` is the application's function whose number no reset
    repeats; empty: none.  ``stops``: it is shut down on command.
    """

    room: int
    triggers: int
    threads: int
    record: int
    generate: int
    load: int
    log: int
    key: bytes
    resets: str = ""
    stops: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """A name and where it stands."""

    text: str
    span: Span

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Annotation:
    """What stands in brackets: a word, and the rest as written."""

    word: str
    rest: str
    span: Span


@dataclass(frozen=True, slots=True)
class Typed:
    """A parameter of a task or a driver; ``init`` is the function that sets a state at the start."""

    type: Name
    name: Name
    init: Name | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A C function and the ports that it gets."""

    function: Name
    arguments: tuple[Name, ...]


class PortKind(Enum):
    """What a global port is for."""

    SENSOR = "sensor"
    ACTUATOR = "actuator"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class Port:
    """A global port.

    ``function`` reads a sensor or sets an actuator (None: nothing has to), or sets an output at the start (never None).
    """

    kind: PortKind
    type: Name
    name: Name
    function: Name | None
    annotations: tuple[Annotation, ...] = ()

    @property
    def interrupt(self) -> Annotation | None:
        """Says from which interrupt source the sensor's events come; None if it has none."""
        return next((annotation for annotation in self.annotations if annotation.word == "interrupt"), None)


@dataclass(frozen=True, slots=True)
class Alias:
    """``name`` is another name of the type ``meant``."""

    name: Name
    meant: Name


@dataclass(frozen=True, slots=True)
class Task:
    """A task: its inputs and states are its own, its outputs are global ports."""

    name: Name
    inputs: tuple[Typed, ...]
    outputs: tuple[Name, ...]
    states: tuple[Typed, ...]
    call: Call
    annotations: tuple[Annotation, ...] = ()
    wcet: Time | None = None


@dataclass(frozen=True, slots=True)
class Watched:
    """An operand of a trigger: a port as it is (``now``) or as it was when the trigger was armed, or a number (``constant``)."""

    text: str
    now: bool = False
    constant: bool = False


@dataclass(frozen=True, slots=True)
class Trigger:
    """What E code can wait for: ``operands`` in C's comparison ``operator``, or as arguments of ``function``.

    ``completed``: the task one of whose invocations has to end, if it is that.
    """

    name: Name
    operands: tuple[Watched, ...] = ()
    operator: str = ""
    function: Name | None = None
    completed: str = ""

    @property
    def ports(self) -> tuple[str, ...]:
        """Its ports, each once."""
        return tuple(dict.fromkeys(operand.text for operand in self.operands if not operand.constant))

    @property
    def looked(self) -> tuple[str, ...]:
        """Those of them that it looks at as they are."""
        return tuple(dict.fromkeys(operand.text for operand in self.operands if operand.now))


@dataclass(frozen=True, slots=True)
class Driver:
    """A guarded driver: if ``guard`` is true of the sources, ``call`` sets the destinations."""

    name: Name
    sources: tuple[Name, ...]
    destinations: tuple[Typed, ...]
    guard: Call
    call: Call
    annotations: tuple[Annotation, ...] = ()
    wcet: Time | None = None


@dataclass(frozen=True, slots=True)
class Activity:
    """What a mode does ``frequency`` times in its period: to an actuator, a mode or a task ``target``, with a driver."""

    frequency: int
    span: Span
    target: Name
    driver: Name | None
    annotations: tuple[Annotation, ...] = ()
    wcet: Time | None = None


@dataclass(frozen=True, slots=True)
class Mode:
    """A mode; ``ports`` are the outputs that it has, none if it does not say."""

    name: Name
    ports: tuple[Name, ...]
    period: int
    period_span: Span
    updates: tuple[Activity, ...]
    switches: tuple[Activity, ...]
    invocations: tuple[Activity, ...]
    annotations: tuple[Annotation, ...] = ()

    @property
    def activities(self) -> tuple[Activity, ...]:
        """All of them."""
        return (*self.updates, *self.switches, *self.invocations)

    @property
    def units(self) -> int:
        """Into how many units the period is divided: the least common multiple of all frequencies."""
        return math.lcm(*(activity.frequency for activity in self.activities))

    @property
    def unit(self) -> Fraction:
        """The length of a unit; a whole number in a program without errors."""
        return Fraction(self.period, self.units)

    def interrupted(self, at: int) -> tuple[Activity, ...]:
        """The invocations that have begun and not ended in the ``at``-th unit, when it begins.

        An invocation lasts as long as its period, whether or not its driver's guard let its task run.
        """
        return tuple(a for a in self.invocations if a.frequency * at % self.units != 0)


@dataclass(frozen=True, slots=True)
class Giotto:
    """A program, as it is written."""

    file: str
    modules: tuple[Name, ...]
    types: tuple[Alias, ...]
    ports: tuple[Port, ...]
    tasks: tuple[Task, ...]
    drivers: tuple[Driver, ...]
    start: Name
    modes: tuple[Mode, ...]
    triggers: tuple[Trigger, ...] = ()

    @property
    def thread_names(self) -> tuple[str, ...]:
        """What the threads of the tasks are called: as the tasks are, with `_` for points."""
        found: list[str] = []
        for task in self.tasks:
            found.append(free_name(task.name.text.replace(".", "_"), found))
        return tuple(found)

    @property
    def interrupts(self) -> tuple[tuple[str, Port, Annotation], ...]:
        """What the interrupt service routine is called of each sensor that has an interrupt, the sensor, and what says so."""
        found: dict[str, tuple[str, Port, Annotation]] = {}
        for port in self.ports:
            if port.interrupt is not None:
                name = free_name(f"{port.name.text.replace('.', '_')}_interrupt", {*self.thread_names, LOADER, *found})
                found[name] = name, port, port.interrupt
        return tuple(found.values())

    def ports_of(self, mode: Mode) -> tuple[str, ...]:
        """The outputs that a mode has: those that it lists, and those of the tasks that it invokes; all if it lists none.

        T. Henzinger, B. Horowitz and C. Kirsch, "Giotto", Proceedings of the IEEE 91, 2003: tasks' outputs are ports of the mode.
        """
        if not mode.ports:
            return tuple(port.name.text for port in self.ports if port.kind is PortKind.OUTPUT)
        invoked = {activity.target.text for activity in mode.invocations}
        own = [output.text for task in self.tasks if task.name.text in invoked for output in task.outputs]
        return tuple(dict.fromkeys([*(port.text for port in mode.ports), *own]))

    def set_by_switch(self, driver: Driver, target: Mode) -> tuple[str, ...] | None:
        """The outputs that the driver of a switch to a mode sets; None if its destinations do not say.

        Those of the destinations' names; or, if some name is no output's, those that the mode lists, in their order, as Giotto's
        reference compiler has it.
        """
        outputs = {port.name.text for port in self.ports if port.kind is PortKind.OUTPUT}
        names = tuple(typed.name.text for typed in driver.destinations)
        if outputs.issuperset(names):
            return names
        return tuple(port.text for port in target.ports) if len(target.ports) == len(names) else None
