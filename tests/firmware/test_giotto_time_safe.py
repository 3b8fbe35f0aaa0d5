# SPDX-License-Identifier: Apache-2.0
"""A Giotto program that is called time-safe misses nothing: random programs whose tasks and drivers take 90 to 105 %.

Each task and each driver takes its whole execution time.  ``CARILLON_TRIES=N`` tries N programs on each board, from another seed
each time; the programs that are called time-safe must miss no deadline, in any mode.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from laboratory import AN505, AST, MPS, Laboratory
from test_giotto_runs import Hashed, compiled, random_spec, written

import asked
from carillon import pipeline
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.model.giotto import Machine
from carillon.trace import Kind
from sample import turn

if TYPE_CHECKING:
    from giotto_oracle import Driver, Mode, Spec

BOARDS = [(Machine.MICROCODE, AST), (Machine.MICROCODE, MPS), (Machine.CELLS, AN505)]
PER_US = {AST: 15.625, MPS: 25, AN505: 20}
"""Instructions."""
AROUND = {AST: 40, MPS: 40, AN505: 40}
"""Instructions of a function beside its loop, about."""


def drawn(chance: random.Random) -> tuple[Spec, dict[str, int], dict[str, int]]:
    """A program and execution times of its tasks and drivers in us, with which its fullest mode has 90 to 105 %."""
    while True:
        spec = random_spec(chance)
        if not all(mode.invocations for mode in spec.modes) or (len(spec.modes) > 1 and chance.random() < 0.7):
            continue  # of several modes, a switch often leaves the answer open
        times = {task.name: chance.randint(200, 4000) for task in spec.tasks}
        drivers = {d.name: chance.choice((0, chance.randint(20, 800))) for mode in spec.modes for d in driven(mode)}
        load = max(share(mode, times, drivers) for mode in spec.modes)
        scale = chance.uniform(0.9, 1.05) / load
        times = {name: max(60, int(time * scale)) for name, time in times.items()}
        drivers = {name: int(time * scale) for name, time in drivers.items()}
        if all(time == 0 or time >= 20 for time in drivers.values()):
            return spec, times, drivers


def driven(mode: Mode) -> list[Driver]:
    return [d for _, _, d in (*mode.updates, *mode.invocations) if d is not None]


def share(mode: Mode, times: dict[str, int], drivers: dict[str, int]) -> float:
    tasks = sum(f * times[task.name] for f, task, _ in mode.invocations)
    moved = sum(f * drivers[d.name] for f, _, d in (*mode.updates, *mode.invocations) if d is not None)
    return (tasks + moved) / mode.period / 1000


def text_of(spec: Spec, times: dict[str, int], drivers: dict[str, int]) -> str:
    text = spec.text(times)
    for name, time in drivers.items():
        if time:
            text = re.sub(rf"(then move_{name}\(.*\)\n\}})", rf"\1 [wcet {time}us]", text)
    return text


def try_program(chance: random.Random, lab: Laboratory, machine: Machine, board: str, tally: Counter[str]) -> str:
    """Run a drawn program; what it misses although all its deadlines are called met."""
    spec, times, drivers = drawn(chance)
    text = text_of(spec, times, drivers)
    try:
        found = compiled(text)
    except AssertionError:
        tally["not compiled"] += 1
        return ""
    long = {t: times[t] for t in times} | {f"move_{d}": time for d, time in drivers.items()}
    every = [*found.drivers, *found.guards, *found.tasks]
    took = {b.name: long.get(b.function, long.get(b.name, 0)) for b in every if b.function is not None}
    work = {name: max(0, int(time * PER_US[board]) - AROUND[board]) for name, time in took.items() if time}
    folder = written(lab, f"safe{chance.getrandbits(32)}", text, Hashed(found, work, reports=False).source)
    path, diagnostics = next(folder.glob("*.giotto")), Diagnostics()
    try:
        planned = pipeline.plan(path, diagnostics, board, machine=machine)
    except CarillonError:
        tally.update({d.code for d in diagnostics.errors})
        return ""
    warned = {d.code for d in diagnostics.reported}
    bounds = pipeline.analyse(planned)
    met = {bound.met for bound in bounds if bound.kind != "interrupt"}
    tally[f"met {met} {'C246' if 'C246' in warned else ''}"] += 1
    outcome = lab.run_file(path, board, machine=machine, ticks=planned.system.clock_hz * 4 // 10)
    missed = [e for e in outcome.trace.events if e.kind is Kind.DEADLINE_MISSED]
    if not missed:
        return ""
    if met != {True}:
        tally["missed"] += 1
        return ""
    return f"{missed[0].object} misses its deadline at {missed[0].t}:\n{text}"


@pytest.mark.parametrize(("machine", "board"), BOARDS)
def test_what_is_called_time_safe_misses_nothing(
    lab: Laboratory, machine: Machine, board: str, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = asked.seed(turn("time-safe", 10**6))
    tally: Counter[str] = Counter()
    for number in range(asked.tries(3)):
        wrong = try_program(random.Random(f"{board} {seed} {number}"), lab, machine, board, tally)
        assert not wrong, f"seed {seed}, program {number}: {wrong}"
    if asked.searches():
        with capsys.disabled():
            print(f"\nseed {seed}, {board}: {dict(tally)}")
