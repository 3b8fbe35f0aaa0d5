# SPDX-License-Identifier: Apache-2.0
"""Threads on a server's budget: bounds against a deferrable server that is played unit by unit."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from carillon import pipeline
from carillon.diagnostics import Diagnostics
from carillon.timing.arrivals import Arrivals, Sporadic
from carillon.timing.response import REST, Flow, around
from carillon.timing.served import served_response

SERVED, ABOVE, HANDLER = 1, 3, 4


@dataclass
class Job:
    flow: Flow
    came: int
    left: int


def systems(rng: random.Random) -> tuple[list[Flow], int, int]:
    """One or two threads on a server, a task above them, and a handler above that; the budget and the period."""
    period = rng.randint(6, 20)
    budget = rng.randint(2, max(2, period * 2 // 3))
    threads = [_flow(f"S{k}", "thread", SERVED, rng.randint(1, 6), rng.randint(25, 90), "S") for k in range(rng.randint(1, 2))]
    others = [_flow("A", "task", ABOVE, rng.randint(1, 4), rng.randint(10, 40), "")] if rng.random() < 0.7 else []
    others += [_flow("H", "handler", HANDLER, 1, rng.randint(8, 40), "")] if rng.random() < 0.7 else []
    rest = Flow("rests", REST, SERVED + 1, SERVED + 1, period - budget, Arrivals((Sporadic(period),)), server="S")
    return [*threads, *others, rest], budget, period


def _flow(name: str, kind: str, level: int, cost: int, interval: int, server: str) -> Flow:
    return Flow(name, kind, level, level, cost, Arrivals((Sporadic(interval),)), server=server)


def played(flows: list[Flow], budget: int, period: int, rng: random.Random, units: int = 3000) -> dict[str, int]:
    """The longest response of each thread.  Work is as long as it may be, or less."""
    real = [flow for flow in flows if flow.kind != REST]
    comes = {flow.name: rng.randint(0, 2 * period) for flow in real}
    ready: list[Job] = []
    longest: dict[str, int] = {}
    left = owed = 0
    was_served = False
    for now in range(units):
        if now % period == 0:
            left, owed = max(0, budget - owed), max(0, owed - budget)
        for flow in real:
            if comes[flow.name] == now:
                ready.append(Job(flow, now, flow.cost if rng.random() < 0.7 else rng.randint(1, flow.cost)))
                (apart,) = flow.arrivals.parts
                assert isinstance(apart, Sporadic)
                comes[flow.name] = now + apart.interval + (rng.randint(0, 3) if rng.random() < 0.3 else 0)
        able = [job for job in ready if job.flow.level != SERVED or left > 0 or (was_served and job.flow.level > SERVED)]
        if not able:
            was_served = False
            continue
        job = max(able, key=lambda j: (j.flow.level, -j.came))
        beneath = max(
            (j.flow.level for j in ready if j.flow.kind != "handler" and (j.flow.level != SERVED or left > 0)), default=0
        )
        was_served = job.flow.level == SERVED or (job.flow.kind == "handler" and beneath == SERVED)
        if was_served and left > 0:
            left -= 1
        elif was_served:
            owed += 1
        job.left -= 1
        if not job.left:
            ready.remove(job)
            longest[job.flow.name] = max(longest.get(job.flow.name, 0), now + 1 - job.came)
    return longest


@pytest.mark.parametrize("seed", range(40))
def test_no_thread_of_a_server_takes_longer_than_its_bound(seed: int) -> None:
    rng, judged = random.Random(f"served {seed}"), 0
    for _ in range(10):
        flows, budget, period = systems(rng)
        bounds = {flow.name: served_response(around(flow, flows, 1), 1) for flow in flows if flow.kind == "thread"}
        for found in (it for it in bounds.values() if it is not None):
            assert sum(term.total for term in found.terms) == found.bound
        for _ in range(3):
            for name, took in played(flows, budget, period, rng).items():
                known = bounds.get(name)
                if known is not None:
                    judged += 1
                    assert took <= known.bound, f"{name} took {took}, not {known.bound}: {flows}, {budget} of {period}"
    assert judged


def test_a_bound_by_hand() -> None:
    """5 units on a budget of 2 in 10: at worst the budget has just gone, then two whole ones and a unit of a third."""
    thread = _flow("S0", "thread", SERVED, 5, 100, "S")
    rest = Flow("rests", REST, SERVED + 1, SERVED + 1, 8, Arrivals((Sporadic(10),)), server="S")
    found = served_response(around(thread, [thread, rest], 1), 1)
    assert found is not None
    assert found.bound == 8 + 10 + 10 + 1
    assert [(term.why, term.often, term.each) for term in found.terms] == [("execution", 1, 5), ("rest", 3, 8)]


def test_a_budget_that_does_not_suffice_has_no_bound() -> None:
    thread = _flow("S0", "thread", SERVED, 5, 20, "S")
    rest = Flow("rests", REST, SERVED + 1, SERVED + 1, 8, Arrivals((Sporadic(10),)), server="S")
    assert served_response(around(thread, [thread, rest], 1), 1) is None


CARRIED = """\
[system]
board = "virtual-256"
[time]
clock = "%s"
%s
uses = ["delays"]
[server.S]
budget = "60 ticks"
period = "100 ticks"
[thread.H]
priority = 2
wcet = "60 ticks"
period = "940 ticks"
server = "S"
[osek.task.L]
priority = 1
wcet = "370 ticks"
min_interval = "9700 ticks"
"""


@pytest.mark.parametrize(("clock", "tick", "bounded"), [("one-shot", "", True), ("periodic", 'tick = "10 ticks"', False)])
def test_what_is_below_a_server_has_a_bound_only_if_the_clock_charges_exactly(
    clock: str, tick: str, bounded: bool, tmp_path: Path
) -> None:
    # Of nine such threads, eight rested when L came, and came before it, as did two jobs of the next period: 970 ticks, not 910.
    path = tmp_path / "schedule.toml"
    path.write_text(CARRIED % (clock, tick), encoding="utf-8")
    found = {bound.name: bound for bound in pipeline.analyse(pipeline.plan(path, Diagnostics()))}
    assert (found["L"].bound is not None) is bounded
    assert bounded or "is charged whole ticks" in found["L"].why
