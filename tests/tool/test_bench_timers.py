# SPDX-License-Identifier: Apache-2.0
"""``python -m bench.papers timers``: its figures are there, and keep what the papers' experiments ask for and show."""

from __future__ import annotations

import io
import re
import subprocess
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

import asked
from bench.papers import timers as benchmark
from bench.papers.benchmarks import render
from bench.papers.commands import app
from bench.papers.epos import EPOS_PHILOSOPHERS, EPOS_THREADS_US, SCENARIOS, WRAPPED
from bench.papers.periods import best_tick
from bench.papers.plots import write
from bench.papers.rows import Curve, Plot, Result, Row
from carillon.diagnostics import Diagnostics

pytestmark = pytest.mark.long

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "timers.md"
BLOCK = re.compile(r"<!-- begin: (python -m bench.papers timers [^\n]+) -->\n```console\n\$ \1\n(.*?)```\n", re.DOTALL)
LONG = ("delays", "interference", "many", "periods", "philosophers", "threads")
SLOW = () if asked.all_cases() else LONG
"""Parts that take most of the time."""


def needs(part: str) -> pytest.MarkDecorator:
    """A test of figures of this part."""
    return pytest.mark.skipif(part in SLOW, reason="CARILLON_SUITES=all measures it")


WIDTH = 100
"""Columns of the guide's outputs."""


@dataclass(frozen=True)
class Block:
    """An output that the guide shows, and what its command gives now."""

    command: str
    shown: str
    result: Result


@pytest.fixture(scope="module")
def blocks() -> list[Block]:
    """Every ``python -m bench.papers timers`` of the guide."""
    found = []
    for command, shown in BLOCK.findall(GUIDE.read_text(encoding="utf-8")):
        words = command.split()
        if any(part in words for part in SLOW):
            continue
        parts = [after for word, after in pairwise(words) if word == "--part"]
        rounds = next((int(after) for word, after in pairwise(words) if word == "-n"), 1000)
        found.append(Block(command, shown, benchmark.timers(rounds, Diagnostics(), lambda _: None, parts)))
    return found


@pytest.fixture(scope="module")
def result(blocks: list[Block]) -> Result:
    return Result([r for block in blocks for r in block.result.rows], tuple(p for block in blocks for p in block.result.plots))


def test_the_guide_shows_every_part_as_it_is_measured(blocks: list[Block]) -> None:
    for block in blocks:
        console = Console(width=WIDTH, file=io.StringIO(), color_system=None, highlight=False)
        render(console, "timers", block.result.rows)
        assert isinstance(console.file, io.StringIO)
        text = "\n".join(line.rstrip() for line in console.file.getvalue().split("\n")).strip("\n")
        if pipe := block.command.partition(" | ")[2]:
            text = subprocess.run(
                ["bash", "-c", pipe], input=f"{text}\n", capture_output=True, text=True, check=True
            ).stdout.strip("\n")
        assert f"{text}\n" == block.shown, block.command
    assert {part for block in blocks for part in block.command.split() if part in benchmark.PARTS} == {*benchmark.PARTS} - {*SLOW}


def test_the_guides_pictures_are_those_of_the_figures(result: Result, tmp_path: Path) -> None:
    for picture in write(result.plots, tmp_path):
        assert picture.read_bytes() == (GUIDE.parent / picture.name).read_bytes(), picture.name


@pytest.fixture(scope="module")
def rows(result: Result) -> dict[tuple[str, str], Row]:
    return {(r.metric, r.kernel): r for r in result.rows}


@pytest.mark.parametrize(
    "metric", ["tick_only", "release_one_alarm", "one_shot_release", "compare_release", "avr_tt_dispatch", "wake_from_delay"]
)
def test_bound(rows: dict[tuple[str, str], Row], metric: str) -> None:
    found = rows[metric, "carillon"]
    assert found.must is not None
    assert found.maximum <= found.must
    assert found.samples >= 100


@pytest.mark.parametrize("suffix", ["", "_one_shot"])
def test_waking_does_not_depend_on_how_many_wait(rows: dict[tuple[str, str], Row], suffix: str) -> None:
    alone, beside = (rows[f"wake_from_delay{suffix}{others}", "carillon"] for others in ("", f"_of_{benchmark.WAKING + 1}"))
    assert (alone.minimum, alone.maximum) == (beside.minimum, beside.maximum)


@needs("periods")
@pytest.mark.parametrize("kind", ["periodic", "one_shot", "compare"])
def test_every_interval_is_off_by_less_than_a_tick_and_nothing_adds_up(rows: dict[tuple[str, str], Row], kind: str) -> None:
    found = [r for (metric, _), r in rows.items() if f"_error_{kind}_" in metric]
    assert len(found) == 2 * (16 if kind == "periodic" else 17)  # 100 us are shorter than a tick of some
    assert [r.metric for r in found if r.maximum >= 1] == []


@needs("delays")
def test_the_tick_costs_the_same_however_many_wait_but_with_a_counter_for_each(rows: dict[tuple[str, str], Row]) -> None:
    for kernel in ("carillon", "conventional"):
        assert {rows[f"tick_at_{events}_events", kernel].minimum for events in benchmark.EVENTS} == {35}
    counted = [rows[f"tick_at_{events}_events", "counter-per-task"].minimum for events in benchmark.EVENTS]
    steps = {(b - a) / (m - n) for a, b, n, m in zip(counted, counted[1:], benchmark.EVENTS, benchmark.EVENTS[1:], strict=False)}
    assert steps == {23}
    assert rows["tick_mean_at_59_events", "counter-per-task"].median >= 10 * rows["tick_mean_at_59_events", "carillon"].median


@needs("delays")
def test_the_lowest_task_is_answered_sooner_at_every_number_of_events(result: Result) -> None:
    plot = next(p for p in result.plots if p.name == "response")
    ours, counters = (next(c for c in plot.curves if c.label == kernel) for kernel in ("carillon", "counter-per-task"))
    assert ours.xs == counters.xs == tuple(range(benchmark.EVENTS[-1] + 1))
    assert all(our < counter for our, counter in zip(ours.ys, counters.ys, strict=True))


@needs("interference")
def test_a_turn_of_the_loop_varies_by_interrupts_alone(result: Result) -> None:
    plot = next(p for p in result.plots if p.name == "interference")
    turns = {curve.label: {round(y * 8) for y in curve.ys} for curve in plot.curves}  # in cycles
    assert {label: len(found) for label, found in turns.items()} == {"1000Hz": 3, "500Hz": 3, "50Hz": 2, "one-shot": 2}
    assert len({min(found) for found in turns.values()}) == 1


@needs("threads")
def test_all_threads_are_released_together_among_the_samples(rows: dict[tuple[str, str], Row]) -> None:
    longest = [rows[f"threads_{count}_maximum", "carillon"].median for count in range(2, 7)]
    assert all(25 <= b - a <= 40 for a, b in pairwise(longest))


@needs("threads")
def test_releasing_threads_takes_no_longer_than_in_the_paper(rows: dict[tuple[str, str], Row]) -> None:
    for count, (_, theirs, *_) in EPOS_THREADS_US.items():
        assert rows[f"threads_{count}_maximum", "carillon"].median <= theirs


@needs("philosophers")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_one_shot_clock_interrupts_philosophers_once_a_delay(rows: dict[tuple[str, str], Row], scenario: int) -> None:
    periodic, one_shot = (rows[f"philosophers_interrupts_{scenario}", kind] for kind in ("periodic", "one-shot"))
    delays = 2 * benchmark.TURNS * len(benchmark.PHILOSOPHERS)
    assert delays * 0.9 <= one_shot.median <= delays
    took = rows[f"philosophers_time_{scenario}", "periodic"].median
    assert periodic.median == pytest.approx(took * 0.72, abs=2)  # a tick of 10/7200 s


@needs("philosophers")
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("kind", ["periodic", "one-shot"])
def test_the_dinner_takes_the_least_number_of_turns(rows: dict[tuple[str, str], Row], scenario: int, kind: str) -> None:
    think, eat = SCENARIOS[scenario]
    least = think + benchmark.TURNS * len(benchmark.PHILOSOPHERS) * eat // 2
    took = rows[f"philosophers_time_{scenario}", kind].median
    assert least <= took <= least + 10
    threads = rows[f"philosophers_thread_{scenario}", kind]
    assert threads.samples == len(benchmark.PHILOSOPHERS)
    assert threads.maximum == round(took / 1000, 2)


def test_the_papers_dinner_is_long_enough_in_one_reading_alone() -> None:
    needed = {n: think + 25 * eat for n, (think, eat) in SCENARIOS.items()}
    counted = {n: EPOS_PHILOSOPHERS[n]["interrupts"][0] * 10 / 7.2 for n in SCENARIOS}
    assert [n for n in SCENARIOS if counted[n] < needed[n]] == [1]
    assert needed[1] <= counted[1] + WRAPPED * 10 / 7.2 <= 1.02 * needed[1]


@needs("philosophers")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_periodic_clock_interrupts_no_more_often_than_the_papers(rows: dict[tuple[str, str], Row], scenario: int) -> None:
    paper = EPOS_PHILOSOPHERS[scenario]["interrupts"][0] + (WRAPPED if scenario == 1 else 0)
    assert rows[f"philosophers_interrupts_{scenario}", "periodic"].median <= paper


@pytest.mark.parametrize(("number", "most", "tick"), [(360, 100, 90), (72_000, 65_536, 36_000), (7, 3, 1), (97, 96, 1)])
def test_the_longest_tick_divides_the_period(number: int, most: int, tick: int) -> None:
    from fractions import Fraction

    assert best_tick(Fraction(number), 1, most) == tick
    assert best_tick(Fraction(number) + Fraction(1, 2), 5, most) == 5


def test_plots_are_the_same_for_the_same_figures(tmp_path: Path) -> None:
    plot = Plot("one", "A title", "x", "y", (Curve("first", (1, 2, 3), (4, 5, 6)), Curve("second", (1, 2), (9, 8), dashed=True)))
    first, second = write([plot], tmp_path / "a"), write([plot], tmp_path / "b")
    assert [p.name for p in first] == ["one.svg"]
    assert first[0].read_bytes() == second[0].read_bytes()
    assert "A title" in first[0].read_text(encoding="utf-8")


def test_a_part_that_is_none_is_refused_before_anything_runs() -> None:
    runner = CliRunner()
    refused = runner.invoke(app, ["timers", "--part", "handler"])
    assert refused.exit_code == 2
    assert "no part 'handler': it has handlers, dispatch," in refused.output
    refused = runner.invoke(app, ["osek", "--part", "handlers"])
    assert refused.exit_code == 2
    assert "'osek' has no part 'handlers': it is measured as a whole" in refused.output


@needs("philosophers")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_one_shot_clock_wakes_the_processor_less_often_and_takes_less_power(
    rows: dict[tuple[str, str], Row], scenario: int
) -> None:
    wakes, power, energy, took, interrupts, slices = (
        [rows[f"philosophers_{what}_{scenario}", kind].median for kind in ("periodic", "one-shot")]
        for what in ("wakeups", "power", "energy", "time", "interrupts", "slices")
    )
    asleep, awake = (current * 0.9216 * 5 for current in (8, 17))  # mW at 7.3728 MHz
    for k in range(2):
        assert wakes[k] == pytest.approx((interrupts[k] + slices[k]) / took[k] * 1000, abs=0.01)
        assert power[k] == pytest.approx(energy[k] / took[k] * 1000, abs=0.01)
        handlers = rows[f"philosophers_handlers_{scenario}", ("periodic", "one-shot")[k]].median / took[k]
        assert asleep + (awake - asleep) * handlers <= power[k] <= asleep * 1.05
    assert wakes[1] < wakes[0] / 6
    assert power[1] < power[0]
