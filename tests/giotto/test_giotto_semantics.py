# SPDX-License-Identifier: Apache-2.0
"""Compiled Giotto programs do what the language means: at each instant, all ports are what a simulator of the modes says.

``CARILLON_TRIES=10000 pytest tests/giotto`` tries so many random programs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from giotto_machine import C, Instant, Machine, Ports
from giotto_oracle import Driver, Oracle, Spec, Task, mixed, random_spec

import asked
from carillon.diagnostics import Diagnostics
from carillon.frontends.giotto.compile import compile_giotto
from carillon.frontends.giotto.load import loads
from carillon.frontends.giotto.reading import parse_giotto
from carillon.frontends.giotto.rules import check_giotto
from carillon.microcode.binary import decode, encode
from carillon.microcode.compiled import Compiled
from carillon.microcode.text import assembled
from carillon.model.giotto import Giotto

PROGRAMS = asked.tries(60)
LONGEST = 300


def parsed(text: str) -> Giotto:
    diagnostics = Diagnostics()
    program = parse_giotto(text, "random.giotto", diagnostics)
    assert program is not None, "\n".join(map(str, diagnostics.reported)) + text
    check_giotto(program, diagnostics)
    assert not diagnostics.errors, "\n".join(map(str, diagnostics.errors)) + text
    return program


def compiled(text: str) -> Compiled:
    diagnostics = Diagnostics()
    found = compile_giotto(parsed(text), diagnostics)
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
        found[f"put_{actuator}"] = lambda ports, names, now: ports.update(
            {f"{names[0]} got": ports[names[0]], f"{names[0]} at": now}
        )
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


class Processor(Machine):
    """One processor, on which each task takes exactly its time, in microseconds; the least ``urgency`` runs."""

    def __init__(self, spec: Spec, found: Compiled, times: dict[str, int], urgency: Callable[[int, int], int]) -> None:
        super().__init__(found, functions(spec), random.Random(0))
        self.times = times
        self.urgency = urgency
        self.left: dict[int, int] = {}
        self.periods: dict[int, int] = {}
        self.now = 0

    def advance(self, now: int) -> None:
        budget, self.now = (now - self.now) * 1000, now
        while self.left and budget > 0:
            task = min(self.left, key=lambda t: (self.urgency(self.running[t][1], self.periods[t]), t))
            used = min(budget, self.left[task])
            budget -= used
            self.left[task] -= used
            if self.left[task] == 0:
                del self.left[task]
                self.complete(task)
        for task in self.running:
            assert self.running[task][1] > now, f"task {task} is late at {now}"

    def interpret(self, address: int, now: int, instant: Instant) -> None:
        super().interpret(address, now, instant)
        for task, (_, deadline) in self.running.items():
            if task not in self.left:
                self.left[task] = self.times[self.program.tasks[task].name]
                self.periods[task] = deadline - now


def full(spec: Spec, chance: random.Random) -> dict[str, int]:
    """Execution times with which the mode that asks for most takes the whole processor, or nearly."""
    weights = {task.name: Fraction(chance.randint(1, 20)) for task in spec.tasks}
    load = max(sum((weights[t.name] * f / m.period for f, t, _ in m.invocations), Fraction(0)) for m in spec.modes)
    return {name: max(1, int(weight * 1000 / load)) if load else 1 for name, weight in weights.items()}


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
        called = [a for a in spec.actuators if ports.get(f"{a} at") == now]
        assert {a: ports[f"{a} got"] for a in called} == expected.devices, now
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


def test_programs_that_pass_the_analysis_are_never_late_with_a_full_processor_and_switches() -> None:
    counts: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        chance = random.Random(seed)
        spec = random_spec(chance)
        times = full(spec, chance)
        text = spec.text(times)
        found = loads(parsed(text)).values()
        if any(load.share is not None and load.share > 1 for load in found):
            continue  # a time was less than a microsecond
        try:
            Processor(spec, compiled(text), times, lambda deadline, _: deadline).run(LONGEST)
            counts["edf"] += 1
            if all(load.rate_monotonic for load in found) and not any(mode.switches for mode in spec.modes):
                Processor(spec, compiled(text), times, lambda _, period: period).run(LONGEST)
                counts["rate-monotonic"] += 1
        except AssertionError as error:
            error.add_note(f"program {seed}")
            raise
    assert counts["edf"] > PROGRAMS / 2
    assert counts["rate-monotonic"] > 0


def test_a_mode_that_only_edf_can_keep_is_told_from_one_that_both_can() -> None:
    text = """output int o := zero;
    task t () output () state () { schedule f() } [wcet %s]
    task u () output () state () { schedule g() } [wcet %s]
    start m { mode m () period 12 { taskfreq 3 do t(); taskfreq 2 do u(); } }"""
    (load,) = loads(parsed(text % (2, 3))).values()
    assert (load.share, load.edf, load.rate_monotonic) == (1, True, False)
    (load,) = loads(parsed(text % (2, 2))).values()
    assert (load.share, load.edf, load.rate_monotonic) == (Fraction(5, 6), True, True)
    (load,) = loads(parsed(text % (2, "2001us"))).values()
    assert (load.edf, load.rate_monotonic) == (True, False)
    (load,) = loads(parsed(text % (2, 4))).values()
    assert (load.edf, load.rate_monotonic) == (False, False)
    (load,) = loads(parsed((text % (2, 4)).replace("[wcet 4]", ""))).values()
    assert (load.share, load.edf, load.rate_monotonic) == (None, None, None)


def test_the_driver_of_a_switch_sets_the_ports_of_its_target_by_their_order() -> None:
    """If one destination is no output's name; else by their names."""
    text = """\
sensor int key uses read_key;
output int a := zero; int b := zero;
task t () output (a) state () { schedule one(a) }
task u () output (b) state () { schedule one(b) }
driver go (key) output (int X, int Y) { if pressed(key) then set(key, X, Y) }
start slow {
  mode slow (a, b) period 60 { exitfreq 1 do fast(go); taskfreq 1 do t(); taskfreq 1 do u(); }
  mode fast (b, a) period 30 { taskfreq 1 do t(); taskfreq 1 do u(); }
}
"""
    for names, order in ((("x", "y"), ["b", "a"]), (("a", "b"), ["a", "b"]), (("b", "a"), ["b", "a"]), (("a", "y"), ["b", "a"])):
        compiled = compile_giotto(parsed(text.replace("X", names[0]).replace("Y", names[1])), Diagnostics())
        assert compiled is not None
        (moved,) = [binding for binding in compiled.drivers if binding.name == "switch:fast:go"]
        assert list(moved.arguments) == ["key", *order]
