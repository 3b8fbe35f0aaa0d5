# SPDX-License-Identifier: Apache-2.0
"""Triggers over ports: the machine of kernel/microcode reacts when a model of algorithms 1 and 2 does, on random E code.

The model evaluates all triggers after each block, at each end of a task and at each tick, and shares no code with the machine.
``CARILLON_GIOTTO=10000 pytest tests/giotto`` tries so many random programs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from native_machine import ROOM, Asked, Scheduler, laid_out, native
from test_s_code import PROGRAMS

from carillon.microcode import Function, Instruction, Opcode

PORTS, DRIVERS, TASKS, TRIGGERS = 4, 5, 3, 4
STEPS = 300
Ports = tuple[int, ...]


@dataclass
class World:
    """Ports and functions: the first tasks' ports come behind the drivers', and the counts of their ends behind those."""

    seed: int
    ports: list[int] = field(default_factory=lambda: [0] * (PORTS + 2 * TASKS))
    calls: int = 0

    def __post_init__(self) -> None:
        chance = random.Random(self.seed)
        self.kinds = [chance.choice(["rises", "differs", "third", "above", "completed"]) for _ in range(TRIGGERS)]
        self.watched = [(chance.randrange(PORTS + TASKS), chance.randrange(PORTS + TASKS)) for _ in range(TRIGGERS)]
        self.changes = [(chance.randrange(PORTS), chance.choice([-1, 0, 1, 2]), chance.randint(1, 3)) for _ in range(DRIVERS)]

    def call(self, driver: int) -> None:
        port, more, every = self.changes[driver]
        self.calls += 1
        self.ports[port] += more if self.calls % every == 0 else 0

    def end(self, task: int) -> None:
        self.calls += 1
        self.ports[PORTS + task] += self.calls % 3 - 1
        self.ports[PORTS + TASKS + task] += 1

    def holds(self, trigger: int, then: Ports) -> bool:
        one, other = self.watched[trigger]
        now = self.ports
        if self.kinds[trigger] == "completed":
            return now[PORTS + TASKS + one % TASKS] != then[PORTS + TASKS + one % TASKS]
        if now[one] == then[one]:
            return False
        return {
            "rises": now[one] > then[one],
            "differs": True,
            "third": now[one] % 3 == 0,
            "above": now[one] > then[other],
        }[self.kinds[trigger]]


@dataclass
class Model:
    """Algorithms 1 and 2, without threads; ``log`` is what is done, and when."""

    code: list[Instruction]
    world: World
    now: int = 0
    queue: list[tuple[Instruction, int, Ports]] = field(default_factory=list)
    unfinished: dict[int, int] = field(default_factory=dict)
    log: list[tuple[str, int]] = field(default_factory=list)
    left: int = 0
    reacted: Counter[str] = field(default_factory=Counter)

    def enabled(self, waiting: tuple[Instruction, int, Ports]) -> bool:
        future, since, then = waiting
        if future.opcode is Opcode.FUTURE:
            return self.now - since >= future.time
        return self.world.holds(future.x, then)

    def instant(self) -> None:
        self.left, cause = STEPS, "to ends"
        while self.left > 0:
            first = next((waiting for waiting in self.queue if self.enabled(waiting)), None)
            if first is None:
                return
            self.queue.remove(first)
            self.reacted[cause] += first[0].opcode is Opcode.FUTURE_EVENT
            cause = "to drivers"
            self.block(first[0].y)

    def block(self, at: int) -> None:
        while True:
            i = self.code[at]
            at += 1
            self.left -= 1
            if i.opcode is Opcode.CALL:
                self.log.append(("CALL", i.x))
                self.world.call(i.x)
            elif i.opcode is Opcode.RELEASE:
                self.log.append(("RELEASED", i.x))
                self.unfinished[i.x] = self.now + i.time
            elif i.opcode is Opcode.TERMINATE:
                if i.x in self.unfinished:
                    self.log.append(("TERMINATED", i.x))
                    del self.unfinished[i.x]
            elif i.opcode is Opcode.RETURN:
                return
            elif len(self.queue) == ROOM["BINDINGS"]:
                self.log.append(("FULL", 0))
            else:
                self.queue.append((i, self.now, tuple(self.world.ports)))

    def running(self) -> int | None:
        return min(self.unfinished, key=lambda task: (self.unfinished[task], task), default=None)


def random_code(chance: random.Random) -> list[Instruction]:
    blocks = chance.randint(2, 6)
    bodies: list[list[tuple[Opcode, int, int, int]]] = []
    for number in range(blocks):
        body: list[tuple[Opcode, int, int, int]] = []
        for _ in range(chance.randint(1, 4)):
            kind = chance.choice(["call", "call", "call", "release", "release", "terminate", "event"])
            if kind == "call":
                body.append((Opcode.CALL, chance.randrange(DRIVERS), 0, -1))
            elif kind == "release":
                task = chance.randrange(TASKS)
                body += [(Opcode.TERMINATE, task, 0, -1), (Opcode.RELEASE, task, chance.randint(1, 9), -1)]
            elif kind == "terminate":
                body.append((Opcode.TERMINATE, chance.randrange(TASKS), 0, -1))
            else:
                body.append((Opcode.FUTURE_EVENT, chance.randrange(TRIGGERS), 0, chance.randrange(blocks)))
        if number == 0:
            body.append((Opcode.FUTURE, 0, chance.randint(1, 3), 0))
        bodies.append([*body, (Opcode.RETURN, 0, 0, -1)])
    begins = [sum(map(len, bodies[:number])) for number in range(blocks)]
    return [Instruction(op, x, time, begins[to] if to >= 0 else 0) for body in bodies for op, x, time, to in body]


class Played:
    """The machine's surroundings: the same world, and what it was told."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.kept: dict[int, Ports] = {}
        self.log: list[tuple[str, int]] = []

    def answer(self, what: Asked, number: int, more: int) -> int:
        if what is Asked.ARM:
            self.kept[more] = tuple(self.world.ports)
        elif what is Asked.ENABLED:
            return self.world.holds(number, self.kept[more])
        else:
            self.log.append((what.name, 0 if what is Asked.FULL else number))
            if what is Asked.CALL:
                self.world.call(number)
        return 0


def compared(seed: int, counts: Counter[str]) -> None:
    chance = random.Random(seed)
    code = random_code(chance)
    model, found = Model(code, World(seed)), Played(World(seed))
    model.queue.append((Instruction(Opcode.FUTURE), 0, ()))
    with native(found.answer) as machine:
        machine.touches([Function(f"d{k}") for k in range(DRIVERS)], [])
        machine.start(laid_out(code, steps=STEPS, scheduler=Scheduler.EDF))
        for _ in range(40):
            ending = [task for task in sorted(model.unfinished) if chance.random() < 0.4]
            chance.shuffle(ending)
            for task in ending:
                for world in (model.world, found.world):
                    world.end(task)
                del model.unfinished[task]
            if not ending:
                model.now += chance.choice([0, 1, 1])
            model.instant()
            if ending:
                for task in ending[:-1]:
                    machine.end(task)
                running = machine.ended(ending[-1], model.now)
            else:
                running = machine.instant(model.now)
            if model.left <= 0:
                assert "ENDLESS" in {what for what, _ in found.log}
                counts["endless"] += 1
                return
            assert (found.log, running) == (model.log, model.running()), (seed, model.now)
            assert found.world.ports == model.world.ports
            counts["FULL"] += ("FULL", 0) in model.log
            counts["steps"] += len(model.log)
            counts.update(model.reacted)
            model.reacted.clear()
            found.log, model.log = [], []
    counts["kept"] += 1


def test_the_machine_reacts_to_drivers_ends_of_tasks_and_time_when_the_model_does(
    record_property: Callable[[str, object], None],
) -> None:
    counts: Counter[str] = Counter()
    for seed in range(PROGRAMS * 10):
        compared(seed, counts)
    record_property("triggers", dict(counts))
    assert min(counts[what] for what in ("kept", "to drivers", "to ends", "FULL")) > PROGRAMS / 2, counts
    assert counts["endless"]
