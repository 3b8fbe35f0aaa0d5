# SPDX-License-Identifier: Apache-2.0
"""What Giotto on cells costs in the paper's benchmark, and that preempting costs nothing."""

from __future__ import annotations

from pathlib import Path

from carillon.bench.cells import loaded, overhead

HZ = 206_000_000
"""The paper's clock."""


def test_a_hundred_tasks_take_less_than_a_thousandth_of_the_processor(tmp_path: Path) -> None:
    ten, fifty, hundred = (overhead(tmp_path, tasks) for tasks in (10, 50, 100))
    assert hundred.average <= HZ // 1000 // 1000
    assert hundred.average == hundred.blocks + hundred.tasks
    assert hundred.least == 0  # nothing is due, and nothing ticks
    # Each task costs the same, however many there are.
    assert (
        abs((hundred.average - fifty.average) / 50 - (fifty.average - ten.average) / 40) < (hundred.average - ten.average) / 900
    )
    assert ten.peak < fifty.peak < hundred.peak


def test_what_preempts_costs_what_it_costs_on_an_idle_processor(tmp_path: Path) -> None:
    short, long = 15_600, 54_600
    few, many = loaded(tmp_path, 4, short), loaded(tmp_path, 4, long)
    assert few.preemptions == 0
    assert many.preemptions == 2
    calls = 1 + 2 + 3 + 6
    assert many.busy - few.busy == calls * (long - short)
    assert 0.65 < many.utilisation < 0.75
