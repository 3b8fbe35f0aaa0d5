# SPDX-License-Identifier: Apache-2.0
"""RTIC and Embassy beside Carillon's services: how records become figures, and what is said where there are none."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from bench.papers import commands, peers
from bench.papers.benchmarks import BENCHMARKS, Benchmark, render
from bench.papers.peers import PACKAGES, Course, Rust, UnmeasuredError
from bench.papers.rows import Peer, Result, Row
from carillon.run.entries import Code, Record

CLOCK, DISPATCHER, WOKEN, BLOCK = 0x100, 0x200, 0x300, 0x310
MARKS = {"bench_woken": WOKEN, "bench_block": BLOCK}
RECORDS = [
    Record(1000, Code.ENTER, CLOCK),
    Record(1040, Code.EXIT, 0),  # the dispatcher follows at once: that is not idle
    Record(1040, Code.ENTER, DISPATCHER),
    Record(1060, Code.MARK, WOKEN),
    Record(1080, Code.MARK, BLOCK),
    Record(1090, Code.ENTER, CLOCK),  # pended by the dispatcher: no tick
    Record(1110, Code.EXIT, 0),
    Record(1130, Code.EXIT, 0),
    Record(2000, Code.ENTER, CLOCK),
    Record(2021, Code.EXIT, 0),
    Record(3000, Code.ENTER, CLOCK),
    Record(3044, Code.EXIT, 0),
    Record(3044, Code.ENTER, DISPATCHER),
    Record(3066, Code.MARK, WOKEN),
]
RUST = Rust(Path("cargo"), Path("rustc"), "1.96.0")


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


def rust_in(folder: Path, source: bool) -> None:
    """A compiler that says its root and version, with or without its library's source."""
    program(folder / "bin/cargo", "exit 0")
    program(folder / "bin/rustc", f'[ "$1" = --version ] && echo "rustc 1.96.0 (built)" || echo {folder}')
    if source:
        (folder / peers.LIBRARY).mkdir(parents=True)


def output_of(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().split("\n"))


def test_a_wake_up_counts_from_the_tick_that_came_from_idle() -> None:
    assert Course(RECORDS, MARKS, CLOCK).since_tick("woken") == [60, 66]


def test_a_block_counts_to_idle_and_not_to_a_handler_that_follows_at_once() -> None:
    assert Course(RECORDS, MARKS, CLOCK).until_idle("block") == [50]
    chained = [(20, Code.MARK, BLOCK), (30, Code.EXIT, 0), (30, Code.ENTER, CLOCK), (45, Code.EXIT, 0)]
    records = [Record(10, Code.ENTER, DISPATCHER), *(Record(*fields) for fields in chained)]
    assert Course(records, MARKS, CLOCK).until_idle("block") == [25]


def test_a_tick_is_empty_if_no_task_begins_before_the_next_one() -> None:
    assert Course(RECORDS, MARKS, CLOCK).empty_ticks("woken") == [21]


def test_what_lies_between_two_marks_is_counted_from_each_first_one() -> None:
    course = Course(RECORDS, MARKS, CLOCK)
    assert course.between("block", "woken") == [1986]
    assert course.between("block", "nothing") == []


def test_a_window_counts_as_stolen_from_only_if_the_lower_task_ran_in_it() -> None:
    names = ("quiet_begin", "quiet_end", "window_begin", "window_end", "low")
    marks = {f"bench_{name}": number for number, name in enumerate(names)}
    first = [(0, 0), (100, 1), (200, 2), (330, 3), (340, 4)]
    second = [(50_000, 0), (50_100, 1), (50_200, 2), (50_999, 3), (90_000, 4)]
    course = Course([Record(time, Code.MARK, mark) for time, mark in (*first, *second)], marks, CLOCK)
    assert peers.PROGRAMS["stolen"][1]["stolen_by_lower_thread"](course) == [30]


def test_without_rust_a_peer_says_what_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    peer = peers.measured(PACKAGES[0], 10, lambda _: None)
    assert peer.told() == "RTIC: not measured: Rust is not installed: scripts/setup.sh peers"
    assert not peer.rows


def test_rust_without_its_librarys_source_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rust_in(tmp_path / "without", source=False)
    monkeypatch.setenv("PATH", f"{tmp_path}/without/bin:/nowhere")
    with pytest.raises(UnmeasuredError, match=r"without/bin/rustc' has no source of its library: scripts/setup\.sh peers"):
        peers.installed_rust()
    rust_in(tmp_path / "with", source=True)
    monkeypatch.setenv("PATH", f"{tmp_path}/without/bin:{tmp_path}/with/bin")
    assert peers.installed_rust() == Rust(tmp_path / "with/bin/cargo", tmp_path / "with/bin/rustc", "1.96.0")


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("echo 'warning: x' >&2; echo 'error: no network' >&2; echo more >&2; exit 101", "error: no network"),
        ("exit 3", "nothing was said"),
    ],
)
def test_a_build_that_fails_says_what_cargo_said_and_how_to_see_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, told: str
) -> None:
    rust_in(tmp_path, source=True)
    program(tmp_path / "bin/cargo", says)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/bin:/usr/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    peer = peers.measured(PACKAGES[1], 10, lambda _: None)
    assert peer.why_not.startswith(f"cargo does not build 'embassy-peer': {told}; to see more: cd ")
    assert peer.why_not.endswith(f"{tmp_path}/bin/cargo build --release --locked -p embassy-peer")


def test_a_build_that_makes_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rust_in(tmp_path, source=True)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert "delay" in peers.measured(PACKAGES[0], 10, lambda _: None).why_not


def test_too_few_samples_are_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "recorded", lambda *_: Course(RECORDS, MARKS, CLOCK))
    with pytest.raises(UnmeasuredError, match="its program 'delay' has 1 of 10 samples of 'thread_wake'"):
        peers.figures(PACKAGES[0], Path(), 10, lambda _: None)


def test_a_table_has_a_column_for_each_peer_and_a_line_of_versions_and_flags() -> None:
    def row(metric: str, kernel: str, value: float) -> Row:
        return Row(metric, kernel, "board", "instructions", value, value, value, 7)

    ours = [row("wake", "carillon", 35), row("other", "carillon", 1), row("hand", "carillon", 135)]
    first = Peer("RTIC", {"rtic": "2.4.0", "rustc": "1.96.0"}, "opt-level 3", (row("wake", "RTIC", 127),))
    second = Peer("Embassy", {"embassy-sync": "0.8.0"}, "opt-level 3", (row("wake", "Embassy", 147), row("hand", "Embassy", 99)))
    absent = Peer("Third", {}, "", (), "Rust is not installed: scripts/setup.sh peers")
    console = Console(width=100, file=io.StringIO(), color_system=None, highlight=False)
    render(console, "services", [*ours, *first.rows, *second.rows], (first, second, absent))
    lines = output_of(console).split("\n")
    assert lines[0] == "services on board: median, and minimum to maximum where they differ"
    assert [line.split() for line in lines if line][1] == ["metric", "unit", "carillon", "RTIC", "Embassy", "samples"]
    cells = [line.split() for line in lines if "instructions" in line]
    assert [line[2:] for line in cells] == [["35", "127", "147", "7"], ["1", "-", "-", "7"], ["135", "-", "99", "7"]]
    assert lines[-4:] == [
        "RTIC: rtic 2.4.0, rustc 1.96.0; opt-level 3",
        "Embassy: embassy-sync 0.8.0; opt-level 3",
        "Third: not measured: Rust is not installed: scripts/setup.sh peers",
        "",
    ]


def test_the_peers_are_in_what_is_printed_for_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = (Row("thread_wake", kernel, "board", "instructions", 1, 2, 3, 4) for kernel in ("carillon", "RTIC"))
    found = (Peer("RTIC", {"rtic": "2.4.0"}, "opt-level 3", (theirs,)), Peer("Embassy", {}, "", (), "no Rust"))
    monkeypatch.setitem(BENCHMARKS, "services", Benchmark(lambda *_: Result([ours, theirs], peers=found)))
    output = json.loads(CliRunner().invoke(commands.app, ["services", "--json"]).stdout)
    assert [row["kernel"] for row in output["rows"]] == ["carillon", "RTIC"]
    assert output["peers"] == [
        {"name": "RTIC", "versions": {"rtic": "2.4.0"}, "flags": "opt-level 3"},
        {"name": "Embassy", "versions": {}, "flags": "", "why_not": "no Rust"},
    ]
    listed = Path(peers.BENCH / "README.md").read_text(encoding="utf-8")
    assert all(f"`{key}`" in listed for peer in output["peers"] for key in peer)


def test_versions_and_flags_are_those_that_the_project_holds() -> None:
    assert PACKAGES[0].versions()["rtic"].startswith("2.")
    assert peers.flags().startswith("thumbv7em-none-eabi, opt-level 3, ")


def test_each_package_has_a_program_for_each_figure() -> None:
    for package in PACKAGES:
        folder = peers.FOLDER / package.name.removesuffix("-peer") / "src/bin"
        assert {file.stem for file in folder.glob("*.rs")} == {*peers.PROGRAMS, peers.SIZE[0]}
