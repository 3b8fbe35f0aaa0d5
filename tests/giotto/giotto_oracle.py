# SPDX-License-Identifier: Apache-2.0
"""What a Giotto program means, played millisecond by millisecond from its modes: neither units nor blocks, and no code of the
tool.  The rules are those of T. Henzinger, B. Horowitz and C. Kirsch, *Giotto*, Proceedings of the IEEE 91 (2003), section IV.
"""

from __future__ import annotations

import itertools
import random
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


def mixed(*parts: object) -> int:
    """A number that depends on all parts."""
    return zlib.crc32(repr(parts).encode())


@dataclass
class Driver:
    """A driver; of ``share`` values of its guard, one is false.  With 0 it is always true."""

    name: str
    sources: list[str]
    destinations: list[str]
    share: int

    def guard(self, values: dict[str, int]) -> bool:
        return self.share == 0 or mixed("guard", self.name, [values[s] for s in self.sources]) % self.share != 0

    def moved(self, values: dict[str, int]) -> list[int]:
        read = [values[s] for s in self.sources]
        return [mixed("move", self.name, k, read) for k in range(len(self.destinations))]


@dataclass
class Task:
    name: str
    inputs: int
    outputs: list[str]
    states: int

    def computed(self, inputs: list[int], states: list[int]) -> tuple[list[int], list[int]]:
        """Outputs and new states."""
        outputs = [mixed("out", self.name, k, inputs, states) for k in range(len(self.outputs))]
        return outputs, [mixed("state", self.name, k, inputs, states) for k in range(self.states)]


@dataclass
class Mode:
    period: int
    updates: list[tuple[int, str, Driver]] = field(default_factory=list)
    switches: list[tuple[int, int, Driver]] = field(default_factory=list)
    invocations: list[tuple[int, Task, Driver | None]] = field(default_factory=list)


@dataclass
class Spec:
    """A program: its ports, tasks and modes.  Sensors that have no device are not read by a driver."""

    sensors: dict[str, bool]
    actuators: dict[str, bool]
    outputs: list[str]
    tasks: list[Task]
    modes: list[Mode]
    start: int = 0

    def text(self, wcet_us: Mapping[str, int] | None = None) -> str:
        """As Giotto; with the execution times of tasks, in microseconds."""
        lines = ["sensor"]
        lines += [f"  int {s}{f' uses get_{s}' if device else ''};" for s, device in self.sensors.items()]
        lines += ["actuator"]
        lines += [f"  int {a}{f' uses put_{a}' if device else ''};" for a, device in self.actuators.items()]
        lines += ["output", *(f"  int {o} := init_{o};" for o in self.outputs)]
        for task in self.tasks:
            inputs = [f"i{k}" for k in range(task.inputs)]
            states = [f"s{k}" for k in range(task.states)]
            lines.append(f"task {task.name} ({', '.join(f'int {i}' for i in inputs)}) output ({', '.join(task.outputs)})")
            lines.append(f"  state ({', '.join(f'int {s} := state_{task.name}_{s}' for s in states)})")
            lines.append(f"{{ schedule run_{task.name}({', '.join([*inputs, *task.outputs, *states])}) }}")
            if wcet_us is not None:
                lines.append(f"[wcet {wcet_us[task.name]}us]")
        modes = []
        drivers: dict[str, Driver] = {}
        for number, mode in enumerate(self.modes):
            modes.append(f"  mode m{number} () period {mode.period} {{")
            for update in mode.updates:
                drivers[update[2].name] = update[2]
                modes.append(f"    actfreq {update[0]} do {update[1]}({update[2].name});")
            for switch in mode.switches:
                drivers[switch[2].name] = switch[2]
                modes.append(f"    exitfreq {switch[0]} do m{switch[1]}({switch[2].name});")
            for frequency, task, driver in mode.invocations:
                if driver is not None:
                    drivers[driver.name] = driver
                modes.append(f"    taskfreq {frequency} do {task.name}({driver.name if driver else ''});")
            modes.append("  }")
        for driver in drivers.values():
            sources = ", ".join(driver.sources)
            lines.append(f"driver {driver.name} ({sources}) output ({', '.join(f'int {d}' for d in driver.destinations)}) {{")
            moved = ", ".join([*driver.sources, *driver.destinations])
            lines.append(f"  if guard_{driver.name}({sources}) then move_{driver.name}({moved})")
            lines.append("}")
        return "\n".join([*lines, f"start m{self.start} {{", *modes, "}", ""])


@dataclass
class Seen:
    """What is seen at an instant."""

    outputs: dict[str, int]
    actuators: dict[str, int]
    devices: dict[str, int]
    """What the devices that are called get."""
    released: dict[str, tuple[list[int], list[int]]]


class Oracle:
    """Plays a program."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.values = {name: mixed("init", name) for name in spec.outputs}
        self.actuators = dict.fromkeys(spec.actuators, 0)
        self.states = {t.name: [mixed("first", t.name, k) for k in range(t.states)] for t in spec.tasks}
        self.inputs = {t.name: [0] * t.inputs for t in spec.tasks}
        self.pending: dict[str, list[int]] = {}
        """What each task that was invoked will put out."""
        self.counts: Counter[str] = Counter()

    def run(self, until: int) -> list[Seen]:
        """What is seen at each millisecond."""
        found = []
        mode, time = self.spec.modes[self.spec.start], 0
        for now in range(until):
            mode, time = self.instant(mode, time % mode.period, now, found)
            time += 1
        return found

    def instant(self, mode: Mode, time: int, now: int, found: list[Seen]) -> tuple[Mode, int]:
        def due(frequency: int, mode: Mode, time: int) -> bool:
            return time % (mode.period // frequency) == 0

        for frequency, task, _ in mode.invocations:
            if due(frequency, mode, time) and task.name in self.pending:
                self.values.update(zip(task.outputs, self.pending.pop(task.name), strict=True))
        devices = {}
        for frequency, actuator, driver in mode.updates:
            if due(frequency, mode, time):
                self.counts["updates"] += 1
                devices[actuator] = 0
                if driver.guard(self.values):
                    (self.actuators[actuator],) = driver.moved(self.values)
        devices = {name: self.actuators[name] for name in devices if self.spec.actuators[name]}
        self.values.update({sensor: mixed("sensor", sensor, now) for sensor in self.spec.sensors})
        for frequency, target, driver in mode.switches:
            if due(frequency, mode, time) and driver.guard(self.values):
                new = self.spec.modes[target]
                time = self.entered(mode, time, new)
                self.values.update(zip(driver.destinations, driver.moved(self.values), strict=True))
                mode = new
                self.counts["switches"] += 1
                break
        released = {}
        for frequency, task, reader in mode.invocations:
            if not due(frequency, mode, time):
                continue
            if reader is not None:
                if not reader.guard(self.values):
                    self.counts["skipped"] += 1
                    continue
                self.inputs[task.name] = reader.moved(self.values)
            assert task.name not in self.pending
            released[task.name] = self.inputs[task.name], self.states[task.name]
            self.pending[task.name], self.states[task.name] = task.computed(*released[task.name])
            self.counts["invocations"] += 1
        found.append(Seen({o: self.values[o] for o in self.spec.outputs}, dict(self.actuators), devices, released))
        return mode, time

    def entered(self, mode: Mode, time: int, target: Mode) -> int:
        """The time in the target: what is interrupted ends there when it would have, next together at the round's end."""
        periods = [mode.period // f for f, _, _ in mode.invocations if time % (mode.period // f) != 0]
        if not periods:
            return 0
        left = 1
        while any((time + left) % period != 0 for period in periods):
            left += 1
        self.counts["interrupting"] += 1
        entered = target.period - left
        every = [target.period // a[0] for a in (*target.updates, *target.switches, *target.invocations)]
        if all(entered % period != 0 for period in every):
            self.counts["into nothing"] += 1
        return entered


def random_spec(chance: random.Random) -> Spec:
    """A program without errors, with several modes, whose tasks may be interrupted by switches."""
    names = itertools.count()
    base = chance.choice([6, 8, 12, 20, 24, 30])
    sensors = {f"sensor{k}": chance.random() < 0.8 for k in range(chance.randint(1, 3))}
    actuators = {f"act{k}": chance.random() < 0.8 for k in range(chance.randint(1, 2))}
    outputs = [f"out{k}" for k in range(chance.randint(1, 5))]
    tasks = [
        Task(f"t{k}", chance.randint(0, 2), chance.sample(outputs, chance.randint(0, min(2, len(outputs)))), chance.randint(0, 2))
        for k in range(chance.randint(1, 5))
    ]
    usual = {task.name: chance.choice(_divisors(base)) for task in tasks}
    modes = []
    for _ in range(chance.randint(1, 4)):
        mode = Mode(base * chance.randint(1, 3))
        taken: set[str] = set()
        for task in chance.sample(tasks, chance.randint(0, len(tasks))):
            if taken & set(task.outputs):
                continue
            taken |= set(task.outputs)
            period = usual[task.name] if chance.random() < 0.8 else chance.choice(_divisors(mode.period))
            driver = None
            if task.inputs or chance.random() < 0.3:
                driver = _driver(chance, names, [*sensors, *outputs], [f"d{k}" for k in range(task.inputs)], (0, 0, 3))
            mode.invocations.append((mode.period // period, task, driver))
        for actuator in chance.sample(list(actuators), chance.randint(0, len(actuators))):
            driver = _driver(chance, names, outputs, ["to"], (0, 0, 2, 3))
            mode.updates.append((chance.choice(_divisors(mode.period)), actuator, driver))
        modes.append(mode)
    for mode in modes:
        for _ in range(chance.randint(0, 3)):
            target = chance.randrange(len(modes))
            there = {task.name: modes[target].period // f for f, task, _ in modes[target].invocations}
            bound = [f for f, task, _ in mode.invocations if there.get(task.name) != mode.period // f]
            possible = [f for f in _divisors(mode.period) if all(b % f == 0 for b in bound)]
            driver = _driver(
                chance, names, [*sensors, *outputs], chance.sample(outputs, chance.randint(0, len(outputs))), (2, 2, 3)
            )
            mode.switches.append((chance.choice(possible), target, driver))
    return Spec(sensors, actuators, outputs, tasks, modes)


def _divisors(number: int) -> list[int]:
    return [k for k in range(1, number + 1) if number % k == 0]


def _driver(
    chance: random.Random, names: Iterator[int], sources: list[str], destinations: list[str], shares: tuple[int, ...]
) -> Driver:
    possible = [source for source in sources if source not in destinations]
    read = chance.sample(possible, chance.randint(0, min(3, len(possible))))
    return Driver(f"drv{next(names)}", read, destinations, chance.choice(shares))
