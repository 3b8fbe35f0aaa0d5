# SPDX-License-Identifier: Apache-2.0
"""What README shows of the board in RTL, in cycles: each the same in every round, and within the most that it may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.papers.latency import data_lines, latencies
from bench.papers.rows import IN_CYCLES, MUST, measured_on
from carillon.diagnostics import Diagnostics

STARTS = {"start_alone": 6, "start": 14, "start_deadline_1": 14, "start_deadline_2": 14}
ENDS = {"end_alone": 2, "end": 13, "end_deadline_1": 13, "end_deadline_2": 13}


def test_a_start_and_an_end_take_the_same_cycles_in_every_round(tmp_path: Path) -> None:
    with measured_on(IN_CYCLES):
        rows = latencies("carillon", 12, tmp_path, Diagnostics())
    assert {row.metric: (row.minimum, row.maximum) for row in rows} == {
        metric: (cycles, cycles) for metric, cycles in (STARTS | ENDS).items()
    }
    assert all(row.maximum <= MUST.get(row.metric, row.maximum) for row in rows)
    assert STARTS.keys() <= MUST.keys()


@pytest.mark.parametrize(("kernel", "lines"), [("carillon", 1), ("conventional", 5)])
def test_a_round_touches_few_lines_of_data(kernel: str, lines: int, tmp_path: Path) -> None:
    with measured_on(IN_CYCLES):
        row = data_lines(kernel, tmp_path, Diagnostics())
    assert (row.minimum, row.maximum) == (lines, lines)
