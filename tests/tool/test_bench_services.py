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
from bench.papers.peers import PACKAGES, Package, UnmeasuredError, flags, installed_rust, measured
from bench.papers.rows import BOARD, Peer, Row, row
from carillon.diagnostics import Diagnostics

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "measuring.md"
BLOCK = re.compile(
    r"<!-- begin: COLUMNS=110 python -m bench.papers services -->\n"
    r"```console\n\$ COLUMNS=110 python -m bench.papers services\n(.*?)```\n<!-- end -->",
    re.DOTALL,
)
ITEM = re.compile(r"^- .*(?:\n  .*)*", re.MULTILINE)
ROUNDS = 1000
WIDTH = 110
"""Columns of the guide's output."""
LINE = re.compile(r"^ (\w+) +(instructions|bytes) +[\d,]+ +(-|[\d,]+) +(-|[\d,]+) +(\d+)\b", re.MULTILINE)

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="qemu-system-arm is not installed"),
    pytest.mark.skipif(shutil.which("avr-gcc") is None, reason="avr-gcc is not installed"),
]


@pytest.fixture(scope="module")
def rows() -> dict[str, Row]:
    """The figures, by metric."""
    return {r.metric: r for r in benchmark.services(ROUNDS, Diagnostics(), lambda _: None)}


@pytest.fixture(scope="module")
def shown() -> str:
    """The guide's output."""
    (block,) = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    return str(block)


@pytest.fixture(scope="module")
def peers(shown: str) -> list[Peer]:
    """The kernels in Rust with the figures that the guide has of them."""
    compilers = re.findall(r"rustc ([\d.]+)", shown)
    lines = LINE.findall(shown.partition("\nservices on")[0])
    found = []
    for place, (package, compiler) in enumerate(zip(PACKAGES, compilers, strict=True)):
        rows = [
            row(metric, package.kernel, BOARD, unit, [int(cells[place].replace(",", ""))] * int(cells[2]))
            for metric, unit, *cells in lines
            if cells[place] != "-"
        ]
        found.append(Peer(package.kernel, package.versions() | {"rustc": compiler}, flags(), tuple(rows)))
    return found


def test_the_guide_shows_every_figure_as_it_is_measured(rows: dict[str, Row], peers: list[Peer], shown: str) -> None:
    console = Console(width=WIDTH, file=io.StringIO(), color_system=None, highlight=False)
    render(console, "services", [*rows.values(), *(r for peer in peers for r in peer.rows)], peers)
    assert isinstance(console.file, io.StringIO)
    text = "\n".join(line.rstrip() for line in console.file.getvalue().split("\n")).strip("\n")
    assert f"{text}\n" == shown


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.kernel)
def test_the_guide_shows_the_kernels_in_rust_as_they_are_measured(package: Package, peers: list[Peer]) -> None:
    (shown,) = (peer for peer in peers if peer.name == package.kernel)
    try:
        rust = installed_rust()
    except UnmeasuredError as error:
        pytest.skip(str(error))
    if rust.version != shown.versions["rustc"]:
        pytest.skip(f"the guide's figures are those of Rust {shown.versions['rustc']}, and this is {rust.version}")
    found = measured(package, ROUNDS, lambda _: None)
    assert not found.why_not
    assert {r.metric: r for r in found.rows} == {r.metric: r for r in shown.rows}


@pytest.mark.parametrize("metric", benchmark.FIGURES)
def test_the_guide_says_what_a_figure_is(metric: str) -> None:
    text = GUIDE.read_text(encoding="utf-8") + (GUIDE.parents[2] / "bench" / "README.md").read_text(encoding="utf-8")
    assert any(f"`{metric}`" in item for item in ITEM.findall(text))


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
    once = "flash" in metric or "ram" in metric
    assert found.samples == (1 if once else ROUNDS // 10 if "100" in metric else ROUNDS)
