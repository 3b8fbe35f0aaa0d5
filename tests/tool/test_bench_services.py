# SPDX-License-Identifier: Apache-2.0
"""``python -m bench.papers services``: the guide shows its figures, and none of them gets worse."""

from __future__ import annotations

import io
import re
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from bench.papers import services as benchmark
from bench.papers.benchmarks import render
from bench.papers.rows import Row
from carillon.diagnostics import Diagnostics

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "measuring.md"
BLOCK = re.compile(
    r"<!-- begin: python -m bench.papers services -->\n```console\n\$ python -m bench.papers services\n(.*?)```\n<!-- end -->",
    re.DOTALL,
)
ITEM = re.compile(r"^- .*(?:\n  .*)*", re.MULTILINE)
ROUNDS = 1000
WIDTH = 100
"""Columns of the guide's outputs."""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="qemu-system-arm is not installed"),
    pytest.mark.skipif(shutil.which("avr-gcc") is None, reason="avr-gcc is not installed"),
]


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    """The figures, by metric."""
    return {r.metric: r for r in benchmark.services(ROUNDS, Diagnostics(), lambda _: None)}


def test_the_guide_shows_every_figure_as_it_is_measured(rows: dict[str, Row]) -> None:
    console = Console(width=WIDTH, file=io.StringIO(), color_system=None, highlight=False)
    render(console, "services", list(rows.values()))
    assert isinstance(console.file, io.StringIO)
    text = "\n".join(line.rstrip() for line in console.file.getvalue().split("\n")).strip("\n")
    (shown,) = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    assert f"{text}\n" == shown


@pytest.mark.parametrize("metric", benchmark.FIGURES)
def test_the_guide_says_what_a_figure_is(metric: str) -> None:
    assert any(f"`{metric}`" in item for item in ITEM.findall(GUIDE.read_text(encoding="utf-8")))


@pytest.mark.parametrize(("application", "begin", "end"), [("mutex", "hand", "handed"), ("messages", "wake", "woken")])
def test_a_thread_goes_on_once_for_each_time_another_lets_it(application: str, begin: str, end: str, tmp_path: Path) -> None:
    places = [f"bench_{begin}", f"bench_{end}"]
    marks = benchmark.Applications(tmp_path, Diagnostics()).run(f"{application}/schedule.toml", 100_000, places).marks
    passed = sorted((time, place) for place in places for time in marks.times(place))
    assert len(passed) >= 40
    assert [place for _, place in passed] == [places[number % 2] for number in range(len(passed))]


@pytest.mark.parametrize("metric", benchmark.FIGURES)
def test_bound(rows: dict[str, Row], metric: str) -> None:
    found = rows[metric]
    assert found.must is not None
    assert found.maximum <= found.must
    assert found.samples == (1 if "flash" in metric else ROUNDS // 10 if "100" in metric else ROUNDS)
