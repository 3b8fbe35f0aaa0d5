# SPDX-License-Identifier: Apache-2.0
"""What schedule tables cost: the figures of ``python -m bench.papers autosar``, their bounds, and the paper's tables.

The guide shows them as they are measured here.  ``CARILLON_SUITES=all`` measures the other kernels, too, with the guide's
thousand samples; else the guide's figures of Carillon's own kernel are compared.
"""

from __future__ import annotations

import io
import re
import shutil
from pathlib import Path

import pytest
from rich.console import Console

import asked
from bench.papers import autosar as benchmark
from bench.papers import paper
from bench.papers.benchmarks import render
from bench.papers.osek import COLUMNS, Applications
from bench.papers.rows import Row
from carillon.diagnostics import Diagnostics

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "measuring.md"
BLOCK = re.compile(
    r"<!-- begin: (COLUMNS=\d+ python -m bench.papers autosar \| sed '/\^table I of/,\$d') -->\n"
    r"```console\n\$ \1\n(.*?)```\n<!-- end -->",
    re.DOTALL,
)
"""What comes before the paper's tables, which are on the page papers.md (test_papers_page.py)."""
ALL = asked.all_cases()
ROUNDS = 1000 if ALL else 20
WIDTH = 110
"""Columns of the guide's output."""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="qemu-system-arm is not installed"),
    pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="arm-none-eabi-gcc is not installed"),
]


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """The figures."""
    return benchmark.autosar(ROUNDS, Diagnostics(), lambda _: None, tuple(COLUMNS) if ALL else ("carillon",))


@pytest.fixture(scope="module")
def shown() -> str:
    """The guide's output."""
    ((_, text),) = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    assert isinstance(text, str)
    return text


def _cells(text: str, first: str) -> list[list[str]]:
    """The cells of the lines of tables that begin with this word or these words."""
    return [re.split(r" {2,}", line.strip()) for line in text.splitlines() if re.match(rf" ?{re.escape(first)}  ", line)]


def test_the_guide_shows_every_figure_as_it_is_measured(rows: list[Row], shown: str) -> None:
    if ALL:
        console = Console(width=WIDTH, file=io.StringIO(), color_system=None, highlight=False)
        render(console, "autosar", rows)
        assert isinstance(console.file, io.StringIO)
        text = "\n".join(line.rstrip() for line in console.file.getvalue().split("\n")).split("\ntable I of", 1)[0].strip("\n")
        assert f"{text}\n" == shown
    for r in rows:
        (cells,) = (c for c in _cells(shown, r.metric) if c[1] == r.unit)
        if r.kernel == "carillon":
            assert cells[2].split(" (")[0] == f"{r.median:,}", r.metric


@pytest.mark.parametrize("metric", [m for m, f in benchmark.FIGURES.items() if f.must is not None])
def test_bound(rows: list[Row], metric: str) -> None:
    (found,) = (r for r in rows if r.metric == metric and r.kernel == "carillon")
    assert found.must is not None
    assert found.maximum <= found.must
    if metric == "sync_offset":
        assert found.samples == max(ROUNDS, benchmark.SYNCHRONISED)
    else:
        assert found.samples == ROUNDS
        assert found.minimum == found.maximum


def test_a_bound_of_budgets_where_software_dispatches(tmp_path: Path) -> None:
    applications = Applications(tmp_path / "autosar", Diagnostics(), "autosar")
    most = {r.metric: r.maximum for r in benchmark.budgets(applications, "software", ROUNDS, lambda _: None)}
    assert most["budget_dispatch"] <= 43
    assert most["budget_terminate"] <= 32
    assert most["budget_dispatch_by_clock"] <= 82
    assert most["budget_terminate_by_clock"] <= 56
    assert most["budget_detection_latency_by_clock"] <= 0


@pytest.mark.skipif(not ALL, reason="CARILLON_SUITES=all measures the other kernels")
def test_every_metric_has_every_kernel(rows: list[Row]) -> None:
    for metric, figure in benchmark.FIGURES.items():
        without = {"conventional"} if metric.startswith("budget_") else set()  # which keeps no budgets
        without |= {"carillon"} if metric.endswith("_by_clock") else set()  # which dispatches by hardware
        kernels = {r.kernel for r in rows if r.metric == metric}
        assert kernels == ({"carillon"} if figure.alone else set(COLUMNS) - without), metric
    for line in paper.TABLES[0].lines:
        assert {r.kernel for r in rows if r.metric == line.metric} == set(benchmark.KERNELS)
    lower = {r.kernel: r for r in rows if r.metric == "interruptions_by_lower"}
    assert lower["carillon"].maximum == 0 < lower["conventional"].minimum
