# SPDX-License-Identifier: Apache-2.0
"""Compiled Giotto programs do what the language means: at each instant, all ports are what a simulator of the modes says.

``CARILLON_GIOTTO=10000 pytest tests/giotto`` tries so many random programs.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from giotto_machine import C, Instant, Machine, Ports
from giotto_oracle import Driver, Oracle, Spec, Task, mixed, random_spec

from carillon.check.giotto import check_giotto
from carillon.diagnostics import Diagnostics
from carillon.giotto import Compiled, compile_giotto
from carillon.microcode.binary import decode, encode
from carillon.microcode.text import assembled
from carillon.read.giotto import parse_giotto

PROGRAMS = int(os.environ.get("CARILLON_GIOTTO", "60"))
LONGEST = 300


def compiled(text: str) -> Compiled:
    diagnostics = Diagnostics()
    program = parse_giotto(text, "random.giotto", diagnostics)
    assert program is not None, "\n".join(map(str, diagnostics.found)) + text
    check_giotto(program, diagnostics)
    assert not diagnostics.errors, "\n".join(map(str, diagnostics.errors)) + text
    found = compile_giotto(program, diagnostics)
    assert found is not None, diagnostics.errors
    return found


def functions(spec: Spec) -> dict[str, C]:
    """The C functions of a program, as its ``text`` names them."""
    found: dict[str, C] = {}

    def constant(*parts: object) -> C:
        return lambda ports, names, _: ports.update({names[0]: mixed(*parts)})

    for sensor in spec.sensors:
        found[f"get_{sensor}"] = lambda ports, names, now: ports.update({names[0]: mixed("sensor", names[0], now)})
    for actuator in spec.actuators:
        found[f"put_{actuator}"] = lambda *_: None
    for output in spec.outputs:
        found[f"init_{output}"] = constant("init", output)
    for task in spec.tasks:
        for k in range(task.states):
            found[f"state_{task.name}_s{k}"] = constant("first", task.name, k)
        found[f"run_{task.name}"] = task_function(task)
    for mode in spec.modes:
        for activity in (*mode.updates, *mode.switches, *mode.invocations):
            driver: Any = activity[2]
            if driver is not None:
                found[f"guard_{driver.name}"] = guard_function(driver)
                found[f"move_{driver.name}"] = move_function(driver)
    return found


def task_function(task: Task) -> C:
    def run(ports: Ports, names: tuple[str, ...], _: int) -> None:
        values = [ports[name] for name in names]
        first = task.inputs + len(task.outputs)
        outputs, states = task.computed(values[: task.inputs], values[first:])
        ports.update(zip(names[task.inputs :], [*outputs, *states], strict=True))

    return run


def guard_function(driver: Driver) -> C:
    return lambda ports, names, _: driver.guard({s: ports[n] for s, n in zip(driver.sources, names, strict=True)})


def move_function(driver: Driver) -> C:
    def move(ports: Ports, names: tuple[str, ...], _: int) -> None:
        read = {s: ports[n] for s, n in zip(driver.sources, names, strict=False)}
        ports.update(zip(names[len(driver.sources) :], driver.moved(read), strict=True))

    return move


def compare(spec: Spec, chance: random.Random, until: int) -> Counter[str]:
    """Plays a program on both, and returns what happened."""
    found = compiled(spec.text())
    without_device = [sensor for sensor, device in spec.sensors.items() if not device]

    class World(Machine):
        """Sensors without a device follow the time."""

        def interpret(self, address: int, now: int, instant: Instant) -> None:
            self.ports.update({sensor: mixed("sensor", sensor, now) for sensor in without_device})
            super().interpret(address, now, instant)

    seen = World(found, functions(spec), chance).run(until)
    oracle = Oracle(spec)
    ports: Ports = {}
    for now, expected in enumerate(oracle.run(until)):
        instant = seen.get(now, Instant(ports))
        ports = instant.ports
        assert {o: ports[o] for o in spec.outputs} == expected.outputs, now
        assert {a: ports[a] for a in spec.actuators} == expected.actuators, now
        released = {
            task.name: (
                [ports[f"{task.name}:i{k}"] for k in range(task.inputs)],
                [ports[f"{task.name}:s{k}"] for k in range(task.states)],
            )
            for task in spec.tasks
            if task.name in instant.released
        }
        assert released == expected.released, now
        assert all(number == 1 for number in instant.calls.values()), (now, instant.calls)
    assert assembled(found.listing(), "listing", Diagnostics()) == found.program
    assert decode(encode(found.program)) == found.program
    return oracle.counts


def test_random_programs_have_the_same_values_at_the_same_instants(record_property: Callable[[str, object], None]) -> None:
    counts: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        chance = random.Random(seed)
        try:
            counts.update(compare(random_spec(chance), chance, chance.randint(100, LONGEST)))
        except AssertionError as error:
            error.add_note(f"program {seed}")
            raise
    record_property("giotto", dict(counts))
    assert all(counts[what] > PROGRAMS / 10 for what in ("switches", "interrupting", "into nothing", "skipped", "updates"))
