# SPDX-License-Identifier: Apache-2.0
"""Captures of a chip: reading them, finding their phase and the error of their clock, and showing them."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
import show_traces as traces
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from carillon import show
from carillon.capture import Capture
from carillon.capture.btf import read_btf
from carillon.capture.csv import read_csv
from carillon.capture.ring import read_ring
from carillon.capture.trace import Captured, lanes_of, trace_of
from carillon.capture.vcd import read_vcd
from carillon.cli import app
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.image.words import Words
from carillon.model import System
from carillon.pipeline import read_and_check
from carillon.show import btf, scene, vcd
from carillon.show.steps import steps
from carillon.trace import Kind, Trace
from carillon.trace.analyse import analyse

ROOT = Path(__file__).parents[2]
SCHEDULE = """\
[system]
name = "paper"
board = "virtual-256"
clock = "1MHz"
[task.Task1]
[task.Task2]
[task.Task3]
[mode.normal]
round = "1000 ticks"
points = [
    { at = "100 ticks", activate = "Task1", deadline_at = "700 ticks" },
    { at = "250 ticks", activate = "Task2", deadline_at = "600 ticks" },
    { at = "400 ticks", activate = "Task3", deadline_at = "900 ticks" },
]
"""
TASKS = ("Task1", "Task2", "Task3")


@pytest.fixture
def system(tmp_path: Path) -> System:
    path = tmp_path / "schedule.toml"
    path.write_text(SCHEDULE, encoding="utf-8")
    return read_and_check(path, Diagnostics())


def changes(rounds: int, clock: float = 1.0, since: float = 0.0, jitter: float = 0.0) -> list[tuple[float, int, int]]:
    """(seconds, lane, level) of the paper's round at 1 MHz, by a clock that is fast by a factor."""
    known = random.Random(1)
    found = []
    for number in range(rounds):
        for lane, (begin, end) in enumerate(((100, 280), (310, 420), (500, 640))):
            late = known.uniform(0, jitter)
            found += [(number * 1000 + at + late, lane, level) for at, level in ((begin, 1), (end, 0))]
    return sorted(((at - since) * clock * 1e-6, lane, level) for at, lane, level in found if at >= since)


def listed(key: str) -> set[str]:
    """The keys that the specification lists for an object."""
    (row,) = re.findall(
        rf"^\| `{re.escape(key)}` \| (.*) \|$", (ROOT / "docs" / "SPEC.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    return set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", row)))


def table(edges: Sequence[tuple[float, int, int]], names: Sequence[str] = TASKS) -> str:
    """As Logic 2 writes it."""
    levels = [0] * len(names)
    lines = [f"Time [s],{','.join(names)}", "0.000000000,0,0,0"]
    for time, lane, level in edges:
        levels[lane] = level
        lines.append(f"{time:.9f},{','.join(map(str, levels))}")
    return "\n".join(lines) + "\n"


def captured(capture: Capture, system: System) -> Captured:
    return trace_of(capture, lanes_of(capture, {}, TASKS), system, 0)


def starts(trace: Trace) -> list[tuple[str, int]]:
    return [(event.object, event.t) for event in trace.events if event.kind is Kind.START]


def test_a_table_of_logic_2_gives_the_starts_of_its_tasks(system: System) -> None:
    found = captured(read_csv(table(changes(2)), "x.csv", None), system)
    assert starts(found.trace)[:3] == [("Task1", 100), ("Task2", 310), ("Task3", 500)]
    assert found.fit.ppm == pytest.approx(0, abs=1e-6)
    assert not found.fit.corrected


def test_a_capture_that_begins_within_a_round_finds_the_round(system: System) -> None:
    found = captured(read_csv(table(changes(4, since=450.0)), "x.csv", None), system)
    assert starts(found.trace)[:2] == [("Task3", 500), ("Task1", 1100)]
    assert found.first == 450
    assert [r.at for r in found.seen(traces.releases(2))] == [400, 1100, 1250, 1400]


@pytest.mark.parametrize("ppm", [-400, 35, 5000])
def test_the_error_of_the_captures_clock_is_found_and_corrected(ppm: int, system: System) -> None:
    found = captured(read_csv(table(changes(400, 1 + ppm * 1e-6, jitter=2.0)), "x.csv", None), system)
    assert found.fit.ppm is not None
    assert found.fit.uncertainty is not None
    assert abs(found.fit.ppm - ppm) < 2 * found.fit.uncertainty < 2
    assert found.fit.corrected
    assert abs(starts(found.trace)[-1][1] - (399_500)) <= 4


def test_an_error_within_its_uncertainty_is_not_corrected(system: System) -> None:
    found = captured(read_csv(table(changes(5, jitter=20.0)), "x.csv", None), system)
    assert found.fit.second == 1


def test_late_starts_are_reported_against_the_plan(system: System) -> None:
    edges = [(at + (2e-6 if 0.002 < at < 0.0023 else 0), lane, level) for at, lane, level in changes(10)]
    found = captured(read_csv(table(edges), "x.csv", None), system)
    releases = [r for r in traces.releases(10) if r.at >= found.first]
    summary = analyse(found.trace, releases)
    assert [task.jitter for task in summary.tasks] == [2, 0, 0]
    assert [task.activations for task in summary.tasks] == [10, 10, 10]


def test_sigroks_samples_and_its_names_are_read(system: System) -> None:
    rows = ["; CSV generated by libsigrok", "; Channels (3/8): Task1, TASK2, Task3", "; Samplerate: 1 MHz", "logic,logic,logic"]
    level = [0, 0, 0]
    edges = {round(at * 1e6): (lane, to) for at, lane, to in changes(3)}
    for sample in range(3000):
        if sample in edges:
            level[edges[sample][0]] = edges[sample][1]
        rows.append(",".join(map(str, level)))
    found = captured(read_csv("\n".join(rows), "x.csv", None), system)
    assert starts(found.trace)[-1] == ("Task3", 2500)


def test_sigroks_rounded_period_is_made_exact() -> None:
    text = "; Samplerate: 24 MHz\nnanoseconds,a\n" + "".join(f"{41 * n},{n % 2}\n" for n in range(1, 5))
    capture = read_csv(text, "x.csv", None)
    assert (capture.end - capture.begin) * capture.unit == Fraction(3, 24_000_000)


def test_what_the_tool_writes_as_vcd_is_read_back_alike(system: System) -> None:
    run = traces.trace(rounds=3)
    panel = scene.panels_of(run, traces.releases(3))
    stream = io.StringIO()
    vcd.write(stream, panel)
    found = captured(read_vcd(stream.getvalue(), "x.vcd"), system)
    shown, again = (analyse(trace, traces.releases(3)) for trace in (run, found.trace))
    delay = min(r.begin.t - r.release.at for r in shown.runs if r.release is not None)
    for one, other in zip(shown.runs, again.runs, strict=True):
        assert one.lane == other.lane
        assert one.begin.t - delay == other.begin.t
        assert one.end is not None
        assert other.end is not None
        assert abs(one.end.t - delay - other.end.t) <= 1
        assert one.preemptions == other.preemptions


def test_what_the_tool_writes_as_btf_is_read_back_alike(system: System) -> None:
    run = traces.trace(rounds=3)
    stream = io.StringIO()
    btf.write(stream, scene.panels_of(run, traces.releases(3)))
    assert stream.getvalue().splitlines()[3] == "#timeScale ns"
    found = captured(read_btf(stream.getvalue(), "x.btf"), system)
    delay = min(r.begin.t - r.release.at for r in analyse(run, traces.releases(3)).runs if r.release is not None)
    assert [(name, t + delay) for name, t in starts(found.trace)] == starts(run)


def test_a_btf_file_that_begins_within_a_run_leaves_it_out(system: System) -> None:
    stream = io.StringIO()
    btf.write(stream, scene.panels_of(traces.trace(rounds=3), traces.releases(3)))
    lines = stream.getvalue().splitlines(keepends=True)
    first = next(k for k, line in enumerate(lines) if ",Task1,0,start" in line)
    found = captured(read_btf("".join([*lines[:4], *lines[first + 1 :]]), "x.btf"), system)
    assert [name for name, _ in starts(found.trace)].count("Task1") == 2


@pytest.mark.skipif(shutil.which("babeltrace") is None, reason="babeltrace is not installed")
def test_babeltrace_reads_from_ctf_what_happened_and_when(tmp_path: Path) -> None:
    panels = scene.panels_of([traces.carillon(rounds=2)], traces.releases(2))
    show.write("ctf", tmp_path / "ctf", panels)
    command = ["babeltrace", "--clock-cycles", "--no-delta", str(tmp_path / "ctf")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not result.stderr
    form = r'\[(\d+)\] (\w+): { kernel = "carillon", task = "(\w+)", activation = (\d+) }'
    found = [(int(time), event, task, int(number)) for time, event, task, number in re.findall(form, result.stdout)]
    assert found == [(h.time, h.step.value, h.lane.name, h.number) for h in steps(panels[0], 0)]
    assert len(found) > 20


BROKEN = {
    "btf back": ("x.btf", "2,C,0,T,Task1,0,start\n1,C,0,T,Task1,0,terminate\n", "C301"),
    "btf cut": ("x.btf", "2,C,0,T\n", "C301"),
    "btf empty": ("x.btf", "#timeScale ns\n", "C301"),
    "btf scale": ("x.btf", "#timeScale days\n", "C301"),
    "no levels": ("x.csv", "", "C301"),
    "back": ("x.csv", "Time [s],Task1\n0.5,0\n0.4,1\n", "C301"),
    "cut": ("x.csv", "Time [s],Task1,Task2\n0.5,0,0\n0.6,1\n", "C301"),
    "analog": ("x.csv", "Time [s],Task1\n0.5,3.3\n", "C301"),
    "no rate": ("x.csv", "Task1,Task2\n0,1\n", "C301"),
    "no edges": ("x.csv", "Time [s],Task1\n0,0\n1,0\n", "C303"),
    "short": ("x.csv", "Time [s],Task1\n0,0\n0.0001,1\n0.0002,0\n", "C303"),
    "names": ("x.csv", "Time [s],CH0\n0,0\n0.1,1\n", "C302"),
    "overlap": (
        "x.csv",
        "Time [s],Task1,Task2\n0,0,0\n0.0001,1,0\n0.00025,1,1\n0.0003,0,1\n0.0004,0,0\n0.01,0,0\n",
        "C302",
    ),
    "endless": ("x.csv", "Time [s],Task1\n0,0\n0.0001,1\n9999999999999,0\n", "C301"),
    "unended": ("x.vcd", "$timescale 1 ns", "C301"),
    "no time": ("x.vcd", "$timescale 1 ns $end $enddefinitions $end #x", "C301"),
    "vcd back": ("x.vcd", "$timescale 1 ns $end $enddefinitions $end #2 #1", "C301"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_with_a_capture_is_said(case: str, tmp_path: Path) -> None:
    name, text, code = BROKEN[case]
    (tmp_path / "schedule.toml").write_text(SCHEDULE, encoding="utf-8")
    (tmp_path / name).write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["show", str(tmp_path / "schedule.toml"), "--from", str(tmp_path / name), "--json"])
    assert result.exit_code == 1
    assert [d["code"] for d in json.loads(result.stdout)["diagnostics"] if d["severity"] == "error"] == [code]


@pytest.mark.parametrize(
    ("title", "cause"),
    [
        ("Time", "x.csv:2: the column 'Time' does not say its unit"),
        ("x-axis", "x.csv:2: 'x-axis' begins an oscilloscope's table, of voltages and not of levels"),
        ("Time [as]", "x.csv:2: 'as' is no unit of time"),
    ],
)
def test_what_is_wrong_with_the_column_of_times_is_said_with_its_place(title: str, cause: str) -> None:
    with pytest.raises(CarillonError) as error:
        read_csv(f"; exported\n{title},Task1\n0,0\n", "x.csv", None)
    (found,) = error.value.diagnostics
    assert found.span is not None
    assert f"{found.span.file}:{found.span.line}: {found.cause}" == cause


@pytest.mark.parametrize(("unit", "each"), [("ns", 10**9), ("ps", 10**12), ("fs", 10**15), ("femtoseconds", 10**15)])
def test_units_shorter_than_a_nanosecond_are_read(unit: str, each: int) -> None:
    assert read_csv(f"Time [{unit}],Task1\n0,0\n5,1\n9,0\n", "x.csv", None).unit == Fraction(1, each)


def test_the_command_shows_a_capture_and_names_its_lanes(tmp_path: Path) -> None:
    (tmp_path / "schedule.toml").write_text(SCHEDULE, encoding="utf-8")
    (tmp_path / "c.csv").write_text(table(changes(3), ("CH0", "CH1", "task3")), encoding="utf-8")
    command = ["show", str(tmp_path / "schedule.toml"), "--from", str(tmp_path / "c.csv"), "--lane", "CH0=Task1"]
    result = CliRunner().invoke(app, [*command, "--html", str(tmp_path / "c.html"), "--svg", str(tmp_path / "c.svg")])
    assert result.exit_code == 0, result.output
    assert "Captured: min/median/max in ticks" in result.stdout
    assert "Without a signal: Task2." in result.stdout
    assert (tmp_path / "c.html").is_file()
    result = CliRunner().invoke(app, [*command, "--json"])
    run = json.loads(result.stdout)["runs"][0]
    assert set(run) == listed("show --from`: `runs")
    assert set(run["clock"]) == listed("show --from`: `runs.clock")
    tasks = json.loads(result.stdout)["runs"][0]["summary"]["tasks"]
    assert [(task["name"], task["activations"]) for task in tasks] == [("Task1", 3), ("Task3", 3)]


def _vcd() -> str:
    stream = io.StringIO()
    vcd.write(stream, scene.panels_of(traces.trace(rounds=2), traces.releases(2)))
    return stream.getvalue()


def _btf() -> str:
    stream = io.StringIO()
    btf.write(stream, scene.panels_of(traces.trace(rounds=2), traces.releases(2)))
    return stream.getvalue()


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_damaged_ring_is_refused_or_read_and_never_more(data: st.DataObject) -> None:
    schedule = _system("ast1030-evb", "\n[trace]\nring = 16\n")
    events = [(now, number, begins) for k in range(9) for number in range(3) for now, begins in _pair(k, number)]
    words = [((-now & ((1 << 29) - 1)) << 3) | Words.event(number, begins=begins) for now, number, begins in events[-16:]]
    for _ in range(data.draw(st.integers(0, 3))):
        words[data.draw(st.integers(0, 15))] = data.draw(st.integers(0, 2**32 - 1) | st.sampled_from([0, *words]))
    raw = struct.pack("<16I", *words)[: data.draw(st.integers(60, 64))]
    try:
        found = captured(read_ring(raw, "x.bin", schedule, None, None), schedule)
        scene.panels_of(found.trace, found.seen(traces.releases(2)))
    except CarillonError as error:
        assert all(d.code in ("C301", "C302", "C303") for d in error.diagnostics)


def _pair(k: int, number: int) -> list[tuple[int, bool]]:
    """A start and an end of a task in a round."""
    begin = 1000 * k + 150 * number + 100
    return [(begin, True), (begin + 60, False)]


def test_signals_of_other_periods_are_refused(system: System) -> None:
    every = "".join(f"{k * 1e-4:.6f},{k % 2},0,0\n" for k in range(400))
    with pytest.raises(CarillonError, match=r"rises 200 times, and 'Task1' is due 41 times"):
        captured(read_csv(f"Time [s],Task1,Task2,Task3\n{every}", "x.csv", None), system)


def test_starts_that_know_nothing_of_the_plan_are_refused(system: System) -> None:
    known, rows = random.Random(3), []
    for number in range(200):
        begin = number * 1000 + known.uniform(0, 800)
        rows += [f"{begin * 1e-6:.9f},1,0,0", f"{(begin + 50) * 1e-6:.9f},0,0,0"]
    text = "\n".join(["Time [s],Task1,Task2,Task3", "0,0,0,0", *rows])
    with pytest.raises(CarillonError, match="nowhere near the points of mode 'normal'"):
        captured(read_csv(text, "x.csv", None), system)


def test_a_schedule_without_rounds_has_no_captures() -> None:
    with pytest.raises(CarillonError) as caught:
        lanes_of(read_csv(table(changes(1)), "x.csv", None), {}, ())
    assert caught.value.diagnostics[0].code == "C303"


WHOLE = {
    "x.btf": _btf(),
    "x.vcd": _vcd(),
    "x.csv": table(changes(2)),
    "s.csv": "; Samplerate: 1 MHz\nsamples,Task1\n" + "1,0\n2,1\n3,0\n",
}
PIECES = [
    "",
    ",",
    "\n",
    "$end",
    "$var",
    "#",
    "#9999999999999999999999999999",
    "1e99",
    "-1",
    "0.5",
    "b",
    "r1",
    "\0",
    "é",
    "1",
    "x!",
]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_damaged_capture_is_refused_or_read_and_never_more(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(WHOLE)))
    text = WHOLE[name]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        gone = data.draw(st.integers(0, 12))
        text = text[:at] + data.draw(st.sampled_from(PIECES)) + text[at + gone :]
    schedule = _system()
    try:
        readers = {"vcd": read_vcd, "btf": read_btf, "csv": lambda text, name: read_csv(text, name, None)}
        capture = readers[name[-3:]](text, name)
        found = captured(capture, schedule)
        scene.panels_of(found.trace, found.seen(traces.releases(2)))
    except CarillonError as error:
        assert all(d.code in ("C301", "C302", "C303") for d in error.diagnostics)


@cache
def _system(board: str = "virtual-256", more: str = "") -> System:
    text = SCHEDULE.replace("virtual-256", board) + more
    if board != "virtual-256":
        text = text.replace('clock = "1MHz"\n', "")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "schedule.toml"
        path.write_text(text, encoding="utf-8")
        return read_and_check(path, Diagnostics())
