# SPDX-License-Identifier: Apache-2.0
"""No task of a Giotto program takes longer from the begin of its period than ``carillon analyse`` says: the examples, and random
programs with several modes, whose tasks take all that they may."""

from __future__ import annotations

import random
import sys
from dataclasses import replace

import pytest
from laboratory import AST, ROOT, VIRTUAL, Laboratory
from test_giotto_runs import Hashed, compiled, written

import asked
from carillon import pipeline
from carillon.model.giotto import Machine
from carillon.trace.analyse import analyse
from carillon.trace.bounds import Bounds, broken
from carillon.trace.executions import exceeded

sys.path.append(str(ROOT / "tests" / "giotto"))
from giotto_oracle import Spec, random_spec

PROGRAMS = asked.tries(6)
FUNCTION = 150
"""Instructions that a function takes beside its work, at most."""
MACHINES = [(Machine.MICROCODE, AST), (Machine.TICKS, AST)]
MACHINES += [(machine, VIRTUAL) for machine in Machine]


def drawn(chance: random.Random) -> tuple[Spec, dict[str, int]]:
    """A program and execution times in us, with which no mode has a load above 0.9."""
    while True:
        spec = random_spec(chance)
        times = {task.name: chance.randint(200, 4000) for task in spec.tasks}
        load = max(sum(f * times[task.name] for f, task, _ in mode.invocations) / mode.period / 1000 for mode in spec.modes)
        if spec.modes[0].invocations:
            scale = chance.uniform(0.3, 0.85) / max(load, 0.01)
            return spec, {name: max(100, min(int(time * scale), 50_000)) for name, time in times.items()}


def held(planned: pipeline.Planned) -> Bounds:
    """The bounds of Giotto tasks with those that ``carillon run`` leaves out, as drivers have no WCETs: here, they are short."""
    found: dict[str, int] = {}
    for bound in pipeline.analyse(planned):
        if bound.ticks is not None:
            found[bound.name] = max(bound.ticks, found.get(bound.name, 0))
    return replace(pipeline.bounds_of(planned), responses=found)


@pytest.mark.parametrize(("machine", "board"), MACHINES)
@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_no_response_of_a_random_program_is_above_its_bound(lab: Laboratory, seed: int, machine: Machine, board: str) -> None:
    chance = random.Random(f"responses {seed}")
    spec, times = drawn(chance)
    text = spec.text(times)
    per_us = 15.625 if board == AST else 1
    work = {name: int(time * per_us) - (FUNCTION if board == AST else 0) for name, time in times.items()}
    functions = Hashed(compiled(text), work, reports=False)
    folder = written(lab, f"responses{seed}{board}{machine.value}", text, functions.source)
    outcome = lab.run_file(next(folder.glob("*.giotto")), board, machine=machine, ticks=int(400_000 * per_us))
    bounds = held(outcome.planned)
    summary = analyse(outcome.trace, [])
    assert not list(exceeded(outcome.planned.system, outcome.trace, summary))
    assert not list(broken(outcome.trace, summary, bounds))


@pytest.mark.parametrize("board", [AST, VIRTUAL])
@pytest.mark.parametrize("name", ["flight", "helicopter"])
def test_no_response_of_an_example_is_above_its_bound(lab: Laboratory, name: str, board: str) -> None:
    planned, _ = lab.firmware(ROOT / "examples" / name / f"{name}.giotto", board)
    outcome = lab.run_file(ROOT / "examples" / name / f"{name}.giotto", board, ticks=planned.system.clock_hz)
    bounds = held(planned)
    summary = analyse(outcome.trace, [])
    assert not list(broken(outcome.trace, summary, bounds))
    worst = {job.lane: max(j.response for j in outcome.trace.invoked if j.lane == job.lane) for job in outcome.trace.invoked}
    assert worst.keys() <= bounds.responses.keys() and len(worst) >= 2
    for lane, response in worst.items():  # a bound below what came is told
        tight = replace(bounds, responses={lane: response - 1})
        assert [(one.name, one.came) for one in broken(outcome.trace, summary, tight)] == [(lane, f"it took {response}")]
