# SPDX-License-Identifier: Apache-2.0
"""What ``check`` says of response times, by how much WCETs may grow, and that terms add up."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from carillon import pipeline
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.timing.analysis import analyse_system
from carillon.timing.arrivals import Work

EXAMPLES = Path(__file__).parents[2] / "examples"
HEAD = '[system]\nname = "app"\nboard = "virtual-256"\n'
COUNTER = '[osek.counter.Time]\ntick = "10us"\n'


def task(name: str, priority: int, wcet: int, more: str = "", every: int = 0) -> str:
    text = f'[osek.task.{name}]\npriority = {priority}\nwcet = "{wcet}us"\n{more}\n'
    if every:
        text += f'[osek.alarm.{name}s]\ncounter = "Time"\nactivate = "{name}"\nautostart = {{ at = 1, cycle = {every // 10} }}\n'
    return text


def planned(text: str, folder: Path) -> tuple[pipeline.Planned | None, list[str]]:
    (folder / "schedule.toml").write_text(HEAD + text, encoding="utf-8")
    diagnostics = Diagnostics()
    try:
        found = pipeline.plan(folder / "schedule.toml", diagnostics)
    except CarillonError:
        found = None
    return found, [f"{d.severity.value} {d.code}: {d.cause}" for d in diagnostics.in_order()]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            COUNTER
            + task("Low", 1, 300, 'deadline = "450us"', 1000)
            + task("High", 2, 100, "", 500)
            + task("Mid", 1, 80, "", 2000),
            "error C342: task 'Low' may miss its deadline of 450us: it may take 480us, of which 300us are its own, "
            "'High' preempts it for 100us, 'Mid' comes before it for 80us",
        ),
        (
            task("Log", 1, 200, 'min_interval = "400us"\njitter = "300us"'),
            "warning C343: task 'Log' may lose activations: 2 of them may wait or run at once, and it takes 1; it may take 300us "
            "to answer one",
        ),
        (
            COUNTER + task("A", 1, 80, "", 100) + task("B", 2, 50, "", 200),
            "error C344: what runs needs 105.0% of the processor: 'A' 80.0%, 'B' 25.0%",
        ),
        (
            task("A", 1, 80, 'deadline = "1ms"'),
            "error C341: task 'A' has a deadline and no release that it would be of: no alarm, no schedule table and not StartOS "
            "activates task 'A': write its min_interval",
        ),
        (
            COUNTER + task("A", 1, 80, 'deadline = "1ms"', 1000) + '[osek.isr.I]\nsource = "ext0"\n',
            "warning C346: whether task 'A' meets its deadline is not known: ISR 'I' runs before it: ISR 'I' has no wcet",
        ),
        (
            '[task.Loop]\nperiod = "100us"\nwcet = "40us"\ndeadline = "90us"\n'
            '[interrupt.Adc]\nsource = "ext0"\nwcet = "20us"\nmin_interval = "40us"\n',
            "error C342: task 'Loop' may miss its deadline of 90us: it may take 100us, of which 'Adc' preempts it for 60us, "
            "40us are its own",
        ),
        (
            '[task.Loop]\nperiod = "1ms"\nwcet = "40us"\n'
            '[interrupt.Adc]\nsource = "ext0"\nwcet = "20us"\nmin_interval = "400us"\ndeadline = "15us"\n',
            "error C342: interrupt 'Adc' may miss its deadline of 15us: it may take 20us, of which 20us are its own",
        ),
    ],
)
def test_what_bounds_mean_is_said_with_the_terms(text: str, found: str, tmp_path: Path) -> None:
    assert planned(text, tmp_path)[1] == [found]


def test_what_is_in_time_is_not_mentioned(tmp_path: Path) -> None:
    text = (
        COUNTER + task("Low", 1, 300, 'deadline = "480us"', 1000) + task("High", 2, 100, "", 500) + task("Mid", 1, 80, "", 2000)
    )
    assert planned(text, tmp_path)[1] == []


@pytest.mark.parametrize("seed", range(4))
def test_a_wcet_may_grow_until_something_is_missed(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    text = COUNTER
    for number in range(rng.randint(2, 4)):
        every = rng.choice((400, 500, 1000))
        due = rng.choice((every, every // 2))
        text += task(f"T{number}", number + 1, rng.randint(10, 60), f'deadline = "{due}us"', every)
    plan, told = planned(text, tmp_path)
    assert plan is not None, told

    def sound(grown: dict[str, int]) -> bool:
        bounds = analyse_system(plan.system, plan.image, plan.kernel_times, grown)
        return all(bound.met and not bound.loses for bound in bounds)

    for name, ticks in pipeline.growths(plan).items():
        assert ticks is not None
        assert sound({name: ticks})
        assert not sound({name: ticks + 1})


@pytest.mark.parametrize("example", ["engine", "mixed-mode", "three-tasks", "schedule-tables", "button"])
def test_terms_of_the_examples_add_up(example: str) -> None:
    plan = pipeline.plan(EXAMPLES / example / "schedule.toml", Diagnostics())
    for bound in pipeline.analyse(plan):
        if bound.bound is None:
            assert bound.why
        else:
            assert sum(term.total for term in bound.terms) == bound.bound


@pytest.mark.parametrize("seed", range(10))
def test_the_work_of_rounds_is_counted_from_where_it_is_most(seed: int) -> None:
    rng = random.Random(seed)
    period = rng.randint(10, 60)
    points = tuple(sorted((rng.randrange(period), rng.randint(1, 9)) for _ in range(rng.randint(1, 6))))
    work = Work(points, period)
    every = [(at + turn * period, length) for turn in range(8) for at, length in points]
    for length in range(4 * period):
        most = max(sum(n for at, n in every if begin <= at < begin + length) for begin in range(2 * period))
        assert work.most(length) == most
