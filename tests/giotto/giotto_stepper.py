# SPDX-License-Identifier: Apache-2.0
"""An E and S machine with one processor, moved on by a tenth of a millisecond at a time, which writes down who ran.

What it says of a run is read off that record.  It shares no code with the tool's own player.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from giotto_machine import C, Instant, Machine

from carillon.microcode import Function, Instruction, Opcode
from carillon.microcode.compiled import Compiled

STEPS = 10
"""So many steps make a millisecond."""


class LateError(Exception):
    """A task is unfinished at its deadline, or when a driver or its release touches it."""


class SharedError(Exception):
    """Two threads dispatch two tasks."""


class EndlessError(Exception):
    """Threads go on without time, or become too many."""


@dataclass
class Thread:
    """What waits: a task or idle, until a step, or until another task runs; and where it goes on."""

    task: int | None
    done: int
    until: float
    other: int | None
    out: int
    reference: int


@dataclass(eq=False)
class Invocation:
    task: int
    begin: int
    deadline: int
    need: int
    ran: list[int] = field(default_factory=list)

    @property
    def ended(self) -> float:
        """The step behind its last one."""
        return self.ran[-1] + 1 if len(self.ran) == self.need else float("inf")


class Stepper(Machine):
    """Tasks take ``times`` steps at most: exactly so many, or, with ``shorter``, any number from 1 on.

    Without ``scheduler``, nothing runs that no thread dispatches.  ``by_period``: it goes by periods, not by deadlines.
    """

    scheduler = True
    by_period = False

    def __init__(
        self, compiled: Compiled, functions: Mapping[str, C], times: dict[str, int], chance: random.Random, *, shorter: bool
    ) -> None:
        super().__init__(compiled, functions, chance)
        self.times = times
        self.shorter = shorter
        self.threads: list[Thread] = []
        self.unfinished: dict[int, Invocation] = {}
        self.all: list[Invocation] = []
        self.ran: list[int | None] = []
        self.step = 0
        self.reference = 0

    def run(self, until: int) -> dict[int, Instant]:
        found: dict[int, Instant] = {}
        for self.step in range(until * STEPS):
            self.instant(found)
            task = self.chosen()
            self.ran.append(task)
            if task is not None:
                invocation = self.unfinished[task]
                invocation.ran.append(self.step)
                if len(invocation.ran) == invocation.need:
                    del self.unfinished[task]
                    binding = self.bindings["task"][task]
                    assert binding.function is not None
                    self.functions[binding.function](self.ports, binding.arguments, 0)
        return found

    def instant(self, found: dict[int, Instant]) -> None:
        moves = 0
        while True:
            moves += 1
            if moves > 5000:
                raise EndlessError
            ended = [t for t in self.threads if t.task is not None and t.task not in self.unfinished]
            due = [entry for entry in self.queue if entry[0] * STEPS <= self.step]
            if ended:
                self.threads.remove(ended[0])
                self.reference = ended[0].reference
                self.go(ended[0].done, Instant({}))
            elif due:
                self.queue.remove(due[0])
                self.reference = self.step
                instant = found.setdefault(self.step // STEPS, Instant({}))
                self.go(due[0][1], instant)
                instant.ports = dict(self.ports)
            else:
                if any(invocation.deadline <= self.step for invocation in self.unfinished.values()):
                    raise LateError
                out = [t for t in self.threads if t.until <= self.step or t.other in self.unfinished]
                if not out:
                    break
                self.threads.remove(out[0])
                self.reference = out[0].reference
                self.go(out[0].out, Instant({}))
        if len({t.task for t in self.threads if t.task is not None}) > 1:
            raise SharedError

    def go(self, address: int, instant: Instant) -> None:
        try:
            self.interpret(address, self.step // STEPS, instant)
        except AssertionError as error:
            if "no time" in str(error):
                raise EndlessError from error
            raise

    def chosen(self) -> int | None:
        for thread in self.threads:
            if thread.task is not None:
                return thread.task
        if self.threads or not self.unfinished or not self.scheduler:
            return None

        def urgency(task: int) -> tuple[int, int]:
            it = self.unfinished[task]
            return it.deadline - (it.begin if self.by_period else 0), task

        return min(self.unfinished, key=urgency)

    def interpret(self, address: int, now: int, instant: Instant) -> None:
        super().interpret(address, now, instant)
        for task in list(self.running):
            deadline = self.running.pop(task)[1]
            need = self.times[self.program.tasks[task].name]
            need = self.chance.randint(1, need) if self.shorter else need
            self.unfinished[task] = Invocation(task, self.step, deadline * STEPS, need)
            self.all.append(self.unfinished[task])

    def untouched(self, function: Function) -> None:
        for task in self.unfinished:
            own = self.program.tasks[task]
            if set(function.reads) & set(own.writes) or set(function.writes) & {*own.reads, *own.writes}:
                raise LateError

    def scheduled(self, i: Instruction, following: int, now: int) -> bool:
        never = float("inf")
        match i.opcode:
            case Opcode.DISPATCH:
                thread = Thread(i.x, following, never, None, 0, self.reference)
            case Opcode.DISPATCH_TIME:
                thread = Thread(i.x, following, self.reference + i.time * STEPS, None, i.y, self.reference)
            case Opcode.DISPATCH_RELEASE:
                thread = Thread(i.x, following, never, i.time, i.y, self.reference)
            case Opcode.IDLE:
                thread = Thread(None, 0, self.reference + i.time * STEPS, None, following, self.reference)
            case Opcode.IDLE_RELEASE:
                thread = Thread(None, 0, never, i.x, following, self.reference)
            case Opcode.FORK:
                if len(self.threads) == 16:
                    raise EndlessError
                self.threads.append(Thread(None, 0, 0, None, i.y, self.step))
                return True
            case _:
                raise AssertionError(i, now)
        self.threads.append(thread)
        return False

    # What the record says

    def nonpreemptive(self) -> bool:
        """No task's first step lies between another invocation's first and last."""
        return not any(a.ran and b.ran and a is not b and b.ran[0] < a.ran[0] < b.ended for a in self.all for b in self.all)

    def edf(self) -> bool:
        """At each step, what runs has the earliest deadline of all that is unfinished."""
        for step, task in enumerate(self.ran):
            there = [i for i in self.all if i.begin <= step < i.ended]
            if there and min(i.deadline for i in there) != min((i.deadline for i in there if i.task == task), default=None):
                return False
        return True

    def synchronous(self) -> bool:
        """Nothing is unfinished when something is released."""
        return not any(a.begin < b.begin < a.ended for a in self.all for b in self.all)
