# SPDX-License-Identifier: Apache-2.0
"""An E machine: it carries out the E code of a compiled Giotto program, on integers, and checks that it is time-safe.

Drivers take no time.  Each released task ends at some time before its deadline, which is chosen at random, and computes then
from its ports as they are then.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from carillon.microcode import Function, Instruction, Opcode
from carillon.microcode.compiled import Binding, Compiled

Ports = dict[str, int]
C = Callable[[Ports, tuple[str, ...], int], object]
"""A function: it gets all ports, the names of its arguments, and the time, and changes its arguments; a guard gives a truth."""


@dataclass
class Instant:
    """What is seen at an instant: all ports after it, and what was released with which inputs."""

    ports: Ports
    released: dict[str, dict[str, int]] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    woken: bool = True


class Machine:
    """A machine that has just been reset."""

    def __init__(self, compiled: Compiled, functions: Mapping[str, C], chance: random.Random) -> None:
        self.program = compiled.program
        self.bindings = {"driver": compiled.drivers, "guard": compiled.guards, "task": compiled.tasks}
        self.functions = functions
        self.chance = chance
        self.ports: Ports = dict.fromkeys(self.program.ports, 0)
        self.queue: list[tuple[int, int]] = [(0, self.program.entry)]
        self.running: dict[int, tuple[int, int]] = {}
        """Of each released task that has not ended: when it does, and its deadline."""
        self.fresh: set[str] = set()

    def run(self, until: int) -> dict[int, Instant]:
        """What is seen at each instant at which the machine wakes, before ``until``."""
        found: dict[int, Instant] = {}
        while self.queue:
            now = min(time for time, _ in self.queue)
            if now >= until:
                break
            self.advance(now)
            instant = found.setdefault(now, Instant({}))
            due = [entry for entry in self.queue if entry[0] <= now]
            self.queue = [entry for entry in self.queue if entry[0] > now]
            for _, address in due:
                self.interpret(address, now, instant)
            instant.ports = dict(self.ports)
        return found

    def advance(self, now: int) -> None:
        """End the tasks that end until now, the first one first."""
        for task, (end, deadline) in sorted(self.running.items(), key=lambda item: item[1]):
            assert now <= deadline, f"nothing touched task {task} at its deadline"
            if end <= now:
                self.complete(task)

    def complete(self, task: int) -> None:
        del self.running[task]
        binding = self.bindings["task"][task]
        assert binding.function is not None
        self.functions[binding.function](self.ports, binding.arguments, 0)

    def untouched(self, function: Function) -> None:
        """A driver neither reads what an unfinished task writes nor writes what it reads."""
        for task in self.running:
            own = self.program.tasks[task]
            assert not set(function.reads) & set(own.writes), f"{function.name} reads what {own.name} writes"
            assert not set(function.writes) & {*own.reads, *own.writes}, f"{function.name} writes what {own.name} uses"

    def interpret(self, address: int, now: int, instant: Instant) -> None:
        steps = 0
        while True:
            steps += 1
            assert steps <= 2 * len(self.program.code), "a loop that takes no time"
            i = self.program.code[address]
            address += 1
            if i.opcode is Opcode.CALL:
                self.untouched(self.program.drivers[i.x])
                self.call(self.bindings["driver"][i.x], now, instant)
            elif i.opcode is Opcode.RELEASE:
                assert i.x not in self.running, "released while it runs"
                task = self.program.tasks[i.x]
                self.running[i.x] = now + self.chance.randint(1, i.time), now + i.time
                self.fresh.add(task.name)
                instant.released[task.name] = {self.program.ports[p]: self.ports[self.program.ports[p]] for p in task.reads}
            elif i.opcode is Opcode.FUTURE:
                self.queue.append((now + i.time, i.y))
            elif i.opcode is Opcode.IF:
                binding = self.bindings["guard"][i.x]
                assert binding.function is not None
                if not self.functions[binding.function](self.ports, binding.arguments, now):
                    address = i.y
            elif i.opcode is Opcode.JUMP:
                address = i.y
            elif i.opcode is Opcode.RETURN or not self.scheduled(i, address, now):
                return

    def scheduled(self, i: Instruction, following: int, now: int) -> bool:
        """An instruction of S code, which an E machine does not have; whether the next one follows at once."""
        raise AssertionError((i, following, now))

    def call(self, binding: Binding, now: int, instant: Instant) -> None:
        kind, _, rest = binding.name.partition(":")
        instant.calls[binding.name] += 1
        if binding.function is None:
            assert kind == "copy"
            if rest in self.fresh:
                self.fresh.remove(rest)
                for source, target in zip(binding.arguments, binding.targets, strict=True):
                    self.ports[target] = self.ports[source]
        elif kind == "init":
            for port in binding.arguments:
                self.functions[binding.function](self.ports, (port,), now)
        else:
            self.functions[binding.function](self.ports, binding.arguments, now)
