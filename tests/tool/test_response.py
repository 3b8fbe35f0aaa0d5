# SPDX-License-Identifier: Apache-2.0
"""Response times: against the analyses that PROSA has verified, and against a scheduler that is played unit by unit."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
from response_time_analysis import fp
from response_time_analysis.model import (
    WCET,
    FloatingNonPreemptive,
    FullyNonPreemptive,
    FullyPreemptive,
    IdealProcessor,
    LimitedPreemptive,
    Periodic,
    PeriodicWithJitter,
    Priority,
    Task,
    taskset,
)

from carillon.timing.arrivals import Arrivals, Once, Pattern, Sporadic
from carillon.timing.response import Flow, Response, around, response

ABOVE_ALL = 1000
PERIODS = (4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40, 60, 120)


def bound(flow: Flow, flows: list[Flow], late: int = 0) -> Response | None:
    found = response(around(flow, flows, late), late)
    if found is not None:
        assert sum(term.total for term in found.terms) == found.bound, "the terms add up to the bound"
    return found


# PROSA's.


def drawn_set(rng: random.Random, kind: str) -> list[Flow]:
    """1 to 50 flows of different levels, whose load is rarely more than 0.98, and 1 at most."""
    number, left, flows = rng.randint(1, 50), rng.uniform(0.3, 1.0), []
    for level in range(number):
        interval = rng.choice((10, 20, 50, 100, 200, 1000)) * rng.choice((1, 10)) if rng.random() < 0.7 else rng.randint(8, 3000)
        cost = max(1, int(interval * left * rng.uniform(0, 2) / number))
        arrivals = Sporadic(interval, rng.randint(0, interval) if rng.random() < 0.3 else 0)
        runs_at, holds = (ABOVE_ALL, ()) if kind == "non-preemptive" else (level, ())
        if kind == "limited":
            holds = ((ABOVE_ALL, rng.randint(1, cost)),)
        flows.append(Flow(f"F{level}", "task", level, runs_at, cost, Arrivals((arrivals,)), holds))
    while sum(flow.load for flow in flows) > (1 if rng.random() < 0.1 else 0.98):
        flows.pop(rng.randrange(len(flows)))
    return flows


def as_task(flow: Flow, kind: str) -> Task:
    (part,) = flow.arrivals.parts
    assert isinstance(part, Sporadic)
    arrivals = PeriodicWithJitter(part.interval, part.jitter) if part.jitter else Periodic(part.interval)
    cost = WCET(flow.cost)
    execution = {
        "preemptive": lambda: FullyPreemptive(cost),
        "non-preemptive": lambda: FullyNonPreemptive(cost),
        "limited": lambda: FloatingNonPreemptive(cost, flow.holds[0][1]),
    }[kind]()
    return Task(arrivals, execution, None, Priority(flow.level))


@pytest.mark.parametrize("kind", ["preemptive", "non-preemptive", "limited"])
@pytest.mark.parametrize("seed", range(20))
def test_bounds_are_those_of_prosa(kind: str, seed: int) -> None:
    for number in range(34):  # 3 kinds, 20 seeds: 2,040 sets
        flows = drawn_set(random.Random(1000 * seed + number), kind)
        tasks = {flow.name: as_task(flow, kind) for flow in flows}
        rng = random.Random(number)
        for flow in rng.sample(flows, min(len(flows), 2)):
            verified = fp.rta(taskset(tasks.values()), tasks[flow.name], IdealProcessor(), horizon=1_000_000)
            found = bound(flow, flows)
            if verified.response_time_bound is None or found is None:
                assert sum(f.load for f in flows if f.level >= flow.level) > 0.98, "only a full load may have no bound"
                continue
            assert found.bound == verified.response_time_bound


def test_last_segment_as_threshold_is_that_of_prosa() -> None:
    """A job that nothing preempts once it has begun is one whose last segment is all of it."""
    flows = drawn_set(random.Random(5), "non-preemptive")
    tasks = {
        f.name: Task(as_task(f, "preemptive").arrivals, LimitedPreemptive(WCET(f.cost), f.cost, f.cost), None, Priority(f.level))
        for f in flows
    }
    for flow in flows:
        verified = fp.rta(taskset(tasks.values()), tasks[flow.name], IdealProcessor(), horizon=1_000_000)
        found = bound(flow, flows)
        assert found is not None
        assert found.bound == verified.response_time_bound


# A scheduler that is played.


@dataclass
class Job:
    flow: Flow
    arrival: int
    left: int
    order: int
    begun: bool = False
    section: tuple[int, int, int] = (0, 0, 0)  # the level, and between which units of its execution it is held
    done: int = 0

    @property
    def level(self) -> int:
        if not self.begun:
            return self.flow.level
        level, begin, end = self.section
        return max(self.flow.runs_at, level if begin < self.done < end else 0)


@dataclass
class Played:
    """The longest response of each flow, and how many of its jobs waited or ran at once."""

    longest: dict[str, int] = field(default_factory=dict)
    jobs: dict[str, int] = field(default_factory=dict)


def play(flows: list[Flow], arrivals: dict[str, list[int]], rng: random.Random, length: int, exact: bool) -> Played:
    due: dict[int, list[Flow]] = {}
    for flow in flows:
        for at in arrivals[flow.name]:
            due.setdefault(at, []).append(flow)
    ready: list[Job] = []
    current: Job | None = None
    played, order = Played(), 0
    for now in range(length):
        arriving = due.get(now, [])
        rng.shuffle(arriving)
        for flow in arriving:
            order += 1
            cost = flow.cost if exact or rng.random() < 0.5 else rng.randint(1, flow.cost)
            job = Job(flow, now, cost, order)
            if flow.holds:
                level, longest = rng.choice(flow.holds)
                longest = min(longest, cost)
                begin = rng.randint(0, cost - longest)
                job.section = (level, begin, begin + longest)
            ready.append(job)
            own = sum(j.flow is flow for j in ready)
            played.jobs[flow.name] = max(played.jobs.get(flow.name, 0), own)
        if not ready:
            continue
        best = max(ready, key=lambda job: (job.level, job.begun, -job.order))
        if current is None or current not in ready or best.level > current.level:
            current = best
        current.begun = True
        if current.section[1] == current.done:
            current.section = (current.section[0], current.done - 1, current.section[2])  # it is held from this unit on
        current.done += 1
        current.left -= 1
        if current.left == 0:
            ready.remove(current)
            took = now + 1 - current.arrival
            name = current.flow.name
            played.longest[name] = max(played.longest.get(name, 0), took)
            current = None
    return played


def drawn_flows(rng: random.Random, phased: int, thresholds: bool) -> list[Flow]:
    flows: list[Flow] = []
    number = rng.randint(1, 6)
    left = rng.uniform(0.4, 1.0)
    for k in range(number):
        level = rng.randint(1, number)
        interval = rng.choice(PERIODS)
        cost = max(1, int(interval * left * rng.uniform(0, 2) / number))
        kind = rng.randrange(100)
        if kind < phased:
            times = tuple(sorted(rng.sample(range(interval), rng.choice((1, 1, 2)))))
            part: Sporadic | Pattern | Once = Pattern(times, interval)
            cost = max(1, cost // len(times))
        elif kind < 97:
            part = Sporadic(interval, rng.randint(0, 2 * interval) if rng.random() < 0.3 else 0)
        else:
            part = Once()
        runs_at = rng.randint(level, number) if thresholds and rng.random() < 0.4 else level
        holds = ((rng.randint(level, number), rng.randint(1, cost)),) if thresholds and rng.random() < 0.3 else ()
        flows.append(Flow(f"F{k}", "task", level, runs_at, cost, Arrivals((part,)), holds))
    return flows


def drawn_arrivals(flow: Flow, rng: random.Random, length: int, worst: bool) -> list[int]:
    (part,) = flow.arrivals.parts
    if isinstance(part, Pattern):
        return list(part.until(length))
    if isinstance(part, Once):
        return [rng.randrange(length)]
    found, at = [], rng.randint(0, 30)
    while at < length:
        late = part.jitter if worst and not found else rng.randint(0, part.jitter) if rng.random() < 0.7 else 0
        found.append(at + late)
        at += part.interval + (0 if worst or rng.random() < 0.8 else rng.randint(1, part.interval))
    return [at for at in found if at < length]


@pytest.mark.parametrize("thresholds", [False, True])
@pytest.mark.parametrize("phased", [0, 60, 100])
@pytest.mark.parametrize("seed", range(30))
def test_no_job_that_is_played_takes_longer(seed: int, phased: int, thresholds: bool) -> None:
    for number in range(10):
        rng = random.Random(f"{seed} {phased} {thresholds} {number}")
        flows = drawn_flows(rng, phased, thresholds)
        bounds = {flow.name: bound(flow, flows) for flow in flows}
        for run in range(6):
            length = 500
            arrivals = {flow.name: drawn_arrivals(flow, rng, length, run % 2 == 0) for flow in flows}
            played = play(flows, arrivals, rng, length, exact=run < 2)
            for flow in flows:
                found = bounds[flow.name]
                if found is not None:
                    assert played.longest.get(flow.name, 0) <= found.bound, (flow, flows)
                    assert played.jobs.get(flow.name, 0) <= found.jobs, (flow, flows)


@pytest.mark.parametrize("seed", range(40))
def test_known_times_without_blocking_are_exact(seed: int) -> None:
    for number in range(10):
        rng = random.Random(f"{seed} exact {number}")
        flows = drawn_flows(rng, 100, thresholds=False)
        if any(not isinstance(part, Pattern) for flow in flows for part in flow.arrivals.parts):
            continue
        length = 130 * 6
        arrivals = {flow.name: drawn_arrivals(flow, rng, length, worst=True) for flow in flows}
        longest: dict[str, int] = {}
        for _ in range(8):  # which mate is first at one instant is drawn
            for name, took in play(flows, arrivals, rng, length, exact=True).longest.items():
                longest[name] = max(longest.get(name, 0), took)
        for flow in flows:
            found = bound(flow, flows)
            alone = all(flow.level != other.level for other in flows if other is not flow)
            if found is not None and alone:
                assert longest[flow.name] == found.bound


@pytest.mark.parametrize("seed", range(30))
def test_curves_count_what_arrives(seed: int) -> None:
    rng = random.Random(f"curves {seed}")
    for _ in range(10):
        period = rng.choice((*PERIODS, 0))
        times = tuple(sorted(rng.choices(range(period or 50), k=rng.randint(1, 4))))
        part = Pattern(times, period, rng.choice((0, 0, 3, 30)))
        own = list(part.until(400))
        assert part.most(0) == 0
        steps = Arrivals((part,)).steps(200)
        assert steps == [x for x in range(200) if part.most(x) < part.most(x + 1)]
        for length in rng.sample(range(1, 130), 12):  # each arrival may be seen anywhere in its jitter
            most = max(sum(at < begin + length and at + part.jitter >= begin for at in own) for begin in range(170))
            assert part.most(length) == most
