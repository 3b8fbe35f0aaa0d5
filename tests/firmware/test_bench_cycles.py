# SPDX-License-Identifier: Apache-2.0
"""What README and the guide show of the board in RTL, in cycles: each the same in every round, and at most what it may be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.papers import autosar
from bench.papers.latency import data_lines, latencies
from bench.papers.osek import Applications
from bench.papers.paper import TABLES
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


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "papers.md").read_text(encoding="utf-8")


def test_the_guides_tables_ii_and_iii_are_what_the_board_in_rtl_takes(tmp_path: Path) -> None:
    metrics = [line.metric for table in TABLES[1:] for line in table.lines]
    shown = {metric: re.findall(rf"`{metric}` .* (\d+) \| (\d+) \|$", PAGE, re.MULTILINE) for metric in metrics}
    found = {metric: [] for metric in metrics}
    with measured_on(IN_CYCLES):
        applications = Applications(tmp_path, Diagnostics(), "autosar")
        for column in ("carillon", "conventional"):
            rows = autosar.tables(applications, column, 12, lambda _: None)
            found |= {row.metric: [*found[row.metric], (row.minimum, row.maximum)] for row in rows if row.metric in found}
    assert found == {metric: [(int(figure), int(figure)) for figure in figures] for metric, (figures,) in shown.items()}
