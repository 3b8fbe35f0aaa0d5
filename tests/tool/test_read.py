# SPDX-License-Identifier: Apache-2.0
"""What a schedule file means: defaults, clocks, rounds, points, rounding."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from carillon.check import check_system
from carillon.diagnostics import Diagnostics, Span
from carillon.frontends import read_schedule
from carillon.frontends.toml.jsonschema import json_schema, json_schema_text
from carillon.model import Idle, Monitor, OnDeadlineMiss, System, Window
from carillon.read.network import NetworkFile
from carillon.read.schema import ScheduleFile
from carillon.resources import board_names, data_root, find_board

TINY = '[system]\nboard = "virtual-tiny"\n'
TASK = '[task.a]\nperiod = "1ms"\n'


def read(tmp_path: Path, text: str, board: str | None = None) -> System:
    path = tmp_path / "engine.toml"
    path.write_text(text, encoding="utf-8")
    diagnostics = Diagnostics()
    system = read_schedule(path, diagnostics, board)
    assert not diagnostics.errors, diagnostics.errors
    assert system is not None
    return system


def codes(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "engine.toml"
    path.write_text(text, encoding="utf-8")
    diagnostics = Diagnostics()
    system = read_schedule(path, diagnostics)
    if system is not None:
        check_system(system, diagnostics)
    return [d.code for d in diagnostics.in_order()]


def test_defaults(tmp_path: Path) -> None:
    (tmp_path / "b.c").touch()
    (tmp_path / "a.c").touch()
    system = read(tmp_path, TASK)
    assert system.name == "engine"
    assert system.board.name == "ast1030-evb"
    assert system.clock_hz == 15_625_000
    assert system.sources == (tmp_path / "a.c", tmp_path / "b.c")
    assert system.digest == hashlib.sha256(TASK.encode()).hexdigest()
    assert system.start_mode == "default"
    assert system.on_deadline_miss is OnDeadlineMiss.SHUTDOWN
    assert system.idle is Idle(system.board.idle)
    (mode,) = system.modes
    assert (mode.name, mode.round_length, mode.window) == ("default", 15_625, Window.DEADLINE)
    (activation,) = mode.activations
    assert (activation.task, activation.at, activation.deadlines, activation.monitor) == ("a", 0, (), Monitor.ALWAYS)
    assert system.task("a").entry == "a"
    assert system.task("a").wcet is None


def test_everything_written(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.c").touch()
    text = """
[system]
name = "V8-engine"
board = "virtual-ast1030-evb"
clock = "125 MHz"
sources = ["src/main.c"]
start_mode = "limp"
on_deadline_miss = "continue"
idle = "spin"

[task.fuel]
entry = "fuel_step"
wcet = "8ns"
period = "1ms"
offset = "0.5ms"
deadline = ["100us", "200us"]
monitor = "if-cells-allow"

[task.spare]

[interrupt.can_rx]
source = "soft1"
handler = "can_isr"
priority = "below-tasks"

[interrupt.tick]
source = "soft0"

[mode.run]
round = "2ms"
tasks = ["fuel"]
window = "deadline"
points = [
    { at = "1000 ticks", activate = "spare", deadline_at = "2000 ticks" },
    { at = "1000 ticks", enable = "can_rx" },
]

[mode.limp]
"""
    system = read(tmp_path, text)
    assert (system.name, system.clock_hz, system.start_mode) == ("V8-engine", 125_000_000, "limp")
    assert system.sources == (tmp_path / "src" / "main.c",)
    assert (system.on_deadline_miss, system.idle) == (OnDeadlineMiss.CONTINUE, Idle.SPIN)
    assert (system.task("fuel").entry, system.task("fuel").wcet) == ("fuel_step", 1)
    can, tick = system.interrupts
    assert (can.source, can.handler, can.above_tasks, can.reenabled) == (17, "can_isr", False, True)
    assert (tick.source, tick.handler, tick.above_tasks, tick.reenabled) == (16, "tick", True, False)
    run, limp = system.modes
    assert run.round_length == 250_000
    assert [(a.task, a.at, a.deadlines) for a in run.activations] == [
        ("spare", 1000, (2000,)),
        ("fuel", 62_500, (75_000, 87_500)),
        ("fuel", 187_500, (200_000, 212_500)),
    ]
    assert [(e.interrupt, e.at) for e in run.enables] == [("can_rx", 1000)]
    assert (limp.round_length, len(limp.activations)) == (125_000, 1)
    assert run.activations[0].span == Span(str(tmp_path / "engine.toml"), 34, 5)


@pytest.mark.parametrize(
    ("period", "clock"), [("64us", 15_625_000), ("8us", 15_625_000), ("8ns", 125_000_000), ("1ns", 15_625_000)]
)
def test_the_clock_is_the_first_into_which_every_time_divides_else_the_first(tmp_path: Path, period: str, clock: int) -> None:
    path = tmp_path / "engine.toml"
    path.write_text(f'[system]\ninexact_times = "round"\n[task.a]\nperiod = "1ms"\ndeadline = "{period}"\n')
    system = read_schedule(path, Diagnostics())
    assert system is not None
    assert system.clock_hz == clock


@pytest.mark.parametrize(("wcet", "ticks"), [("1ns", 1), ("64ns", 1), ("65ns", 2), ("50us", 782), ("0.5 ticks", 1)])
@pytest.mark.parametrize("times", ["refuse", "round"])
def test_a_wcet_is_rounded_up_and_decides_no_clock(tmp_path: Path, wcet: str, ticks: int, times: str) -> None:
    path = tmp_path / "engine.toml"
    path.write_text(f'[system]\ninexact_times = "{times}"\n[task.a]\nperiod = "1ms"\nwcet = "{wcet}"\n')
    diagnostics = Diagnostics()
    system = read_schedule(path, diagnostics)
    assert system is not None
    assert not diagnostics.reported
    assert (system.clock_hz, system.task("a").wcet) == (15_625_000, ticks)


def test_the_round_is_the_least_common_multiple_of_the_periods_of_its_own_tasks(tmp_path: Path) -> None:
    text = TINY + '[task.a]\nperiod = "4us"\n[task.b]\nperiod = "6us"\noffset = "1us"\n[task.c]\nperiod = "7us"\n'
    assert read(tmp_path, text).modes[0].round_length == 84
    assert read(tmp_path, text + '[mode.m]\ntasks = ["a", "b"]\n').modes[0].round_length == 12


def test_rounded_activations_stay_within_half_a_tick_of_their_time_and_the_drift_is_reported(tmp_path: Path) -> None:
    text = TINY + 'inexact_times = "round"\n[task.a]\nperiod = "100.3us"\n[task.b]\nperiod = "1003us"\noffset = "10.4us"\n'
    system = read(tmp_path, text)
    (mode,) = system.modes
    assert mode.round_length == 1003
    assert [a.at for a in mode.activations if a.task == "a"] == [round(100.3 * k) for k in range(10)]
    assert [(drift.written, drift.ticks) for drift in system.drifts] == [("100.3us", 100), ("10.4us", 10)]
    assert [drift.error_ticks for drift in system.drifts] == pytest.approx([-0.3, -0.4])


def test_a_round_that_must_be_rounded_is_reported_with_its_drift(tmp_path: Path) -> None:
    path = tmp_path / "engine.toml"
    path.write_text(TINY + 'inexact_times = "round"\n[task.a]\nperiod = "100.3us"\n')
    diagnostics = Diagnostics()
    system = read_schedule(path, diagnostics)
    assert system is not None
    assert system.modes[0].round_length == 100
    assert any("a drift of 258.425s a day" in d.cause for d in diagnostics.reported)  # 0.3 / 100.3 of 86,400 s


def test_a_wcet_is_rounded_upwards(tmp_path: Path) -> None:
    assert read(tmp_path, TINY + 'inexact_times = "round"\n[task.a]\nperiod = "1ms"\nwcet = "1.1us"\n').task("a").wcet == 2


def test_the_board_is_a_path_relative_to_the_schedule(tmp_path: Path) -> None:
    own = tmp_path / "boards" / "mine"
    own.mkdir(parents=True)
    source = find_board("virtual-tiny")
    assert source is not None
    (own / "board.toml").write_text(source.read_text().replace('"virtual-tiny"', '"mine"'))
    for written in ("boards/mine", "boards/mine/board.toml", str(own)):
        assert read(tmp_path, f'[system]\nboard = "{written}"\n{TASK}').board.name == "mine"


def test_a_wrong_board_file_is_reported_beside_the_errors_of_the_schedule(tmp_path: Path) -> None:
    (tmp_path / "board.toml").write_text("levels = 3\n")
    found = codes(tmp_path, '[system]\nboard = "board.toml"\n[task.a]\nperiod = "1 parsec"\n')
    assert "C050" in found
    assert "C016" in found


def test_every_board_that_comes_with_the_tool_is_found() -> None:
    assert {"ast1030-evb", "mps2-an385", "tc1796", "virtual-tiny"} <= set(board_names())
    assert find_board("no-such-board") is None
    assert find_board("") is None
    assert find_board("\0") is None


@pytest.mark.parametrize("mode", ["", '[mode.m]\ntasks = ["a"]\n', '[mode.m]\nround = "2ms"\n'])
def test_a_wrong_time_hides_no_error_elsewhere_and_causes_none(tmp_path: Path, mode: str) -> None:
    text = TINY + '[task.a]\nperiod = "1 parsec"\n[task.b]\nperiod = "1ms"\nmonitor = "yes"\n' + mode
    assert codes(tmp_path, text) == ["C016", "C015"]


def test_a_misspelt_key_causes_no_second_error(tmp_path: Path) -> None:
    assert codes(tmp_path, TINY + '[task.a]\nperiode = "1ms"\noffset = "1us"\n[mode.m]\ntasks = ["a"]\n') == ["C013"]
    assert codes(tmp_path, TINY + TASK + '[interrupt.i]\nsorce = "ext0"\n') == ["C013"]
    assert codes(tmp_path, TINY + TASK + '[mode.m]\npoints = [{ att = "1us", activate = "a" }]\n') == ["C013"]


def test_a_processor_may_be_used_entirely(tmp_path: Path) -> None:
    assert codes(tmp_path, TINY + '[task.a]\nperiod = "10us"\nwcet = "10us"\n') == []
    assert codes(tmp_path, TINY + '[task.a]\nperiod = "10us"\nwcet = "11us"\n') == ["C042"]


@pytest.mark.parametrize(("last", "found"), [(1312, ["C040"]), (1313, [])])
def test_points_that_need_a_cell_each_are_counted_within_the_shortest_period(tmp_path: Path, last: int, found: list[str]) -> None:
    # 8 cells serve deadlines, each with a period of at least 313 ticks: the ninth deadline must be 313 ticks later.
    deadlines = [f'"{at} ticks"' for at in (*range(1000, 1008), last)]
    text = f"""
[system]
board = "virtual-ast1030-evb"
[task.a]
[mode.m]
round = "10000 ticks"
points = [{{ at = "0 ticks", activate = "a", deadline_at = [{", ".join(deadlines)}] }}]
"""
    assert codes(tmp_path, text) == found


@pytest.mark.parametrize(("first", "found"), [(304, ["C040"]), (305, [])])
def test_the_interval_across_the_end_of_the_round_counts_too(tmp_path: Path, first: int, found: list[str]) -> None:
    at = [first, *range(9992, 10_000)]
    points = ", ".join(f'{{ at = "{tick} ticks", enable = "i" }}' for tick in at)
    text = f"""
[system]
board = "virtual-ast1030-evb"
[task.a]
period = "10000 ticks"
offset = "500 ticks"
[interrupt.i]
source = "soft0"
[mode.m]
points = [{points}]
"""
    assert codes(tmp_path, text) == found


def test_ten_thousand_points_are_read_and_checked(tmp_path: Path) -> None:
    points = ",\n".join(f'    {{ at = "{n * 100} ticks", activate = "a" }}' for n in range(10_000))
    system = read(tmp_path, f'{TINY}[task.a]\nwcet = "99us"\n[mode.m]\nround = "1s"\npoints = [\n{points}\n]\n')
    assert len(system.modes[0].activations) == 10_000
    diagnostics = Diagnostics()
    check_system(system, diagnostics)
    assert not diagnostics.reported


def test_line_endings_do_not_matter(tmp_path: Path) -> None:
    unix, windows = tmp_path / "unix.toml", tmp_path / "windows.toml"
    unix.write_bytes((TINY + TASK).encode())
    windows.write_bytes((TINY + TASK).replace("\n", "\r\n").encode())
    found = [read_schedule(path, Diagnostics()) for path in (unix, windows)]
    assert found[0] is not None
    assert found[1] is not None
    assert [(a.task, a.at, a.span.line, a.span.column) for a in found[0].modes[0].activations] == [
        (a.task, a.at, a.span.line, a.span.column) for a in found[1].modes[0].activations
    ]


@pytest.mark.parametrize("name", ["schedule", "network"])
def test_the_written_json_schema_is_current(name: str) -> None:
    written = data_root() / "docs" / f"{name}.schema.json"
    assert written.read_text(encoding="utf-8") == json_schema_text(name == "network"), (
        f"run: carillon schema {'--network ' if name == 'network' else ''}> docs/{name}.schema.json"
    )


@pytest.mark.parametrize("network", [False, True])
def test_every_key_of_the_json_schema_is_described_and_in_spec(network: bool) -> None:
    schema = json_schema(network)
    spec = (data_root() / "docs" / "SPEC.md").read_text(encoding="utf-8")
    tables = [schema, *schema["$defs"].values()]
    for table in tables:
        for key, value in table["properties"].items():
            described = schema["$defs"][value["$ref"].rpartition("/")[2]] if "$ref" in value else value
            assert described.get("description"), key
            assert key in spec, key
    assert set(schema["properties"]) == set((NetworkFile if network else ScheduleFile).model_fields)
    assert '"null"' not in json.dumps(schema)
