# SPDX-License-Identifier: Apache-2.0
"""The guide's page ``papers.md``: its figures are those that the benchmarks' outputs in the guide show, and the papers'."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.papers import papers
from bench.papers.benchmarks import BENCHMARKS
from bench.papers.epos import EPOS_PERIODS, PERIODS_US
from bench.papers.paper import FOOTPRINTS, TABLES
from bench.papers.papers import EXPERIMENTS, PAPERS
from bench.papers.rows import Result, row
from bench.papers.timers import PARTS
from carillon.diagnostics import Diagnostics

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide"
PAGE = (GUIDE / "papers.md").read_text(encoding="utf-8")
FIGURE = re.compile(r"(?<![\w.,])-?\d[\d,]*(?:\.\d+)?(?![\w.]|,\d)")


def _numbers(text: str) -> list[str]:
    return FIGURE.findall(text)


def _shown() -> dict[str, list[str]]:
    """The figures of every metric in the guide's outputs, in their order: the first table that has it."""
    found: dict[str, list[str]] = {}
    for name in ("measuring.md", "timers.md"):
        _, _, benchmarks = (GUIDE / name).read_text(encoding="utf-8").rpartition("\n## The repository's benchmarks\n")
        for line in benchmarks.splitlines():
            if match := re.match(r" ([a-z][A-Za-z_0-9]+) {2,}(\S.*)", line):
                found.setdefault(match[1], _numbers(match[2]))
    return found


ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if re.match(r"\| [^|]*\| `[a-zA-Z_0-9]+` \|", line)
]
TABLE = {line.metric: [f"{line.sloth:,}", f"{line.commercial:,}"] for table in TABLES for line in table.lines} | {
    metric: [f"{figure:,}" for figure in figures.values()] for metric, figures in FOOTPRINTS.items()
}


IN_CYCLES = {line.metric for table in TABLES[1:] for line in table.lines}
"""Rows whose last two figures are cycles (tests/firmware/test_bench_cycles.py)."""


@pytest.mark.parametrize("cells", ROWS, ids=lambda cells: cells[1].strip("`"))
def test_a_row_has_the_figures_of_its_benchmark_and_of_its_paper(cells: list[str]) -> None:
    metric, figures = cells[1].strip("`"), cells[2:]
    shown = _shown()[metric]
    if metric in TABLE:
        assert figures[:2] == TABLE[metric]
        figures = figures[2 : 4 if metric in IN_CYCLES else None]
        assert figures[0] == shown[0]
    assert [figure for figure in figures if figure not in shown] == []


def test_the_page_has_every_row_of_the_papers_tables() -> None:
    metrics = [cells[1].strip("`") for cells in ROWS]
    assert len(metrics) == len(set(metrics))
    assert {*TABLE} <= {*metrics}
    assert sum(metric.startswith("period_") for metric in metrics) == len(EPOS_PERIODS) * len(PERIODS_US) - 3
    for n in range(2, 7):
        assert f"threads_{n}_maximum" in metrics


@pytest.mark.parametrize(("suffix", "gained"), [("", 53), ("_deadline_1", 43)])
def test_what_an_activation_gains_is_the_difference_of_table_i(suffix: str, gained: int) -> None:
    shown = _shown()
    ours, conventional = (sum(int(shown[f"{what}{suffix}"][k]) for what in ("dispatch", "terminate")) for k in (0, 1))
    assert conventional - ours == gained
    assert re.search(rf"\b{gained}\b", PAGE)


def test_the_benchmark_runs_what_repeats_the_paper_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def measured(rounds: int, _diagnostics: Diagnostics, _progress: object, parts: tuple[str, ...] = ()) -> Result:
        asked.append([rounds, *parts])
        return Result([row("figure", "carillon", "board", "us", [1])])

    monkeypatch.setattr(papers, "timers", measured)
    monkeypatch.setattr(papers, "autosar", lambda *_: [row(m, "carillon", "board", "bytes", [1]) for m in ("dispatch", "ram")])
    monkeypatch.setattr(papers, "dispatch", lambda *_: [row(m, "carillon", "board", "bytes", [2]) for m in ("dispatch", "ram")])
    benchmark = BENCHMARKS["papers"]
    assert benchmark.parts == PAPERS
    found = benchmark.run(20, Diagnostics(), lambda _: None, ())
    assert asked == [[20, *(part for parts in EXPERIMENTS.values() for part in parts)]]
    assert {part for parts in EXPERIMENTS.values() for part in parts} <= {*PARTS}
    of_memory = {r.kernel: r.median for r in found.rows if r.metric == "ram"}
    assert of_memory == {"carillon": 2, **FOOTPRINTS["ram"]}
    assert [r.median for r in found.rows if r.metric == "dispatch"] == [1]
    assert [r.metric for r in benchmark.run(20, Diagnostics(), lambda _: None, ["one-shot"]).rows] == ["figure"]
    assert asked[-1] == [20, *EXPERIMENTS["one-shot"]]


def test_the_highest_rates_of_dispatch_are_those_of_table_iii() -> None:
    shown = _shown()
    ours, conventional = (
        sum(int(shown[metric][column]) for metric in ("tt_dispatch_idle_basic", "terminate_basic_idle")) for column in (0, 2)
    )
    (row,) = re.findall(r"^\| section VI-B.*$", PAGE, re.M)
    assert f"{1000 / ours:,.0f} dispatches in 1,000 instructions, and {1000 / conventional:.1f} in the conventional kernel" in row


def test_the_queue_has_as_many_lines_as_the_page_says() -> None:
    files = [GUIDE.parents[1] / "kernel" / "clock" / name for name in ("queue.c", "queue.h", "queue_steps.h", "queue_types.h")]
    code = [re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL) for path in files]
    lines = sum(bool(line.strip()) for text in code for line in text.splitlines())
    assert f"Ours has {lines} lines of C" in PAGE
