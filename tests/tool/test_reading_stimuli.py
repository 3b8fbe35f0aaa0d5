# SPDX-License-Identifier: Apache-2.0
"""Stimuli are read from the schedule and from files; whatever a file holds, only diagnostics come out."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from carillon.diagnostics import Diagnostics
from carillon.model.stimuli import Stimuli, StimulusKind
from carillon.pipeline import Planned, plan
from carillon.read.board import load_board
from carillon.read.stimuli import read_stimuli
from carillon.resources import data_root
from carillon.run.stimuli import MOST, Prepared, fits, prepare

RUN = 1_000


@cache
def planned(board: str, folder: Path) -> Planned:
    path = folder / "app.toml"
    path.write_text(f'[system]\nboard = "{board}"\nclock = "2MHz"\n[task.Work]\nperiod = "1000 ticks"\n', encoding="utf-8")
    (folder / "main.c").touch()
    return plan(path, Diagnostics(), board)


@pytest.fixture(scope="session")
def uno(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    return planned("arduino-uno", tmp_path_factory.mktemp("uno"))


def read(text: str | bytes, uno: Planned, path: Path) -> tuple[Stimuli, Diagnostics]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    diagnostics = Diagnostics()
    return read_stimuli(path, uno.system, diagnostics), diagnostics


def prepared(text: str, uno: Planned, path: Path, ticks: int = RUN) -> tuple[Prepared | None, Diagnostics]:
    stimuli, diagnostics = read(text, uno, path)
    ready = not diagnostics.errors and fits(stimuli, uno.system.board, diagnostics)
    return prepare(stimuli, uno.image, {}, 0, ticks, diagnostics) if ready else None, diagnostics


def test_toml_and_csv_say_the_same(uno: Planned, tmp_path: Path) -> None:
    toml = """
[stimuli]
rows = [
    { pin = "PD2", level = 0 },
    { at = "10 ticks", pin = "D2", level = 1 },
    { at = "20us", adc = 1, volts = 2.5 },
    { at = "30 ticks", uart = "hello" },
    { at = "40 ticks", source = "soft0" },
]
"""
    csv = (
        "time,what,value\n,PD2,0\n10 ticks, D2, 1\n\n# half of the supply\n20us,ADC1,2.5\n30 ticks,uart,hello\n40 ticks,soft0,\n"
    )
    (first, one), (second, other) = read(toml, uno, tmp_path / "a.toml"), read(csv, uno, tmp_path / "a.csv")
    assert (one.reported, other.reported) == ([], [])
    assert [str(row) for row in first.rows] == ["PD2=0", "D2=1", "ADC1=2.5V", "uart=hello", "soft0"]
    assert [(str(row), row.at) for row in first.rows] == [(str(row), row.at) for row in second.rows]
    assert [row.span.line for row in second.rows] == [2, 3, 6, 7, 8]


def test_repetitions_end_with_their_count_or_with_the_run(uno: Planned, tmp_path: Path) -> None:
    rows = '{ at = "10 ticks", source = "soft0", every = "400 ticks" }, '
    rows += '{ at = "5 ticks", source = "soft1", every = "2 ticks", count = 2 }'
    found, _ = prepared(f"[stimuli]\nrows = [{rows}]", uno, tmp_path / "a.toml")
    assert found is not None
    assert [int(line.split()[1]) // 8 for line in found.lines] == [5, 7, 10, 410, 810]


def test_two_names_of_a_pin_are_one_pin(uno: Planned, tmp_path: Path) -> None:
    found, _ = prepared('[stimuli]\nrows = [{ pin = "D2", level = 1 }]\nwatch = ["PD2"]', uno, tmp_path / "a.toml")
    assert found is not None
    assert (found.pins, found.lines) == (("D2",), ("P PD2", "S -1 0 p 0 1"))


@pytest.mark.parametrize(
    ("text", "name", "code", "line"),
    [
        ('[stimuli]\nrows = [{ at = "1 ticks" }]', "a.toml", "C295", 2),
        ('[stimuli]\nrows = [{ at = "1 ticks", pin = "PD2", adc = 1 }]', "a.toml", "C295", 2),
        ('[stimuli]\nrows = [{ at = "1 ticks", pin = "PD2", level = 1, volts = 1.0 }]', "a.toml", "C295", 2),
        ('[stimuli]\nrows = [{ at = "1 ticks", pin = "PD2", level = 2 }]', "a.toml", "C015", 2),
        ('[stimuli]\nrows = [{ at = "1 ticks", adc = 1, volts = -1 }]', "a.toml", "C295", 2),
        ('[stimuli]\nrows = [{ at = "1 ticks", adc = 1, volts = nan }]', "a.toml", "C295", 2),
        ('[stimuli]\nrows = [{ at = "1 ticks", source = "soft0", count = 2 }]', "a.toml", "C295", 2),
        ('[stimuli]\nrows = [{ source = "soft0" }]', "a.toml", "C295", 2),
        ('[stimuli]\nrows = [{ at = "1 ticks", uart = "" }]', "a.toml", "C295", 2),
        ('[stimuli]\nrows = [\n{ at = "1ns", source = "soft0" }]', "a.toml", "C017", 3),
        ('[stimuli]\nrows = [{ at = "1 ticks", source = "soft0", every = "0 ticks" }]', "a.toml", "C041", 2),
        ('[stimuli]\nrows = [{ at = "1 ticks", pin = "PD9", level = 1 }]', "a.toml", "C296", 2),
        ('[stimuli]\nwatch = ["GPIO3"]', "a.toml", "C296", 2),
        ('[stimuli]\nrows = [{ at = "1 ticks", source = "soft7" }]', "a.toml", "C296", 2),
        ('[stimuli]\nrows = [{ at = "1 ticks", adc = 8, volts = 1.0 }]', "a.toml", "C296", 2),
        ("[task.A]", "a.toml", "C295", 1),
        ("", "a.toml", "C295", 1),
        ("[stimuli]\nrows = [", "a.toml", "C011", 2),
        ("[stimuli]\nrow = []", "a.toml", "C013", 2),
        ("PD2,1,1", "a.csv", "C295", 1),
        ("time,what,value\n1,PD2,1", "a.csv", "C016", 2),
        ("time,what,value\n1 ticks,PD2,1\n1 ticks,PD2,0", "a.csv", "C298", 3),
        ("time,what,value\n1 ticks,PD2,5", "a.csv", "C295", 2),
        ("time,what,value\n1 ticks,ADC0,high", "a.csv", "C295", 2),
        ("time,what,value\n1 ticks", "a.csv", "C295", 2),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(
    text: str, name: str, code: str, line: int, uno: Planned, tmp_path: Path
) -> None:
    _, diagnostics = prepared(text, uno, tmp_path / name)
    found = [(d.code, d.span.line if d.span is not None else 0) for d in diagnostics.reported]
    assert found == [(code, line)], [str(d) for d in diagnostics.reported]


def test_repetitions_that_meet_contradict(uno: Planned, tmp_path: Path) -> None:
    rows = '{ at = "10 ticks", pin = "D2", level = 1, every = "30 ticks" }, '
    rows += '{ at = "20 ticks", pin = "PD2", level = 0, every = "20 ticks" }'
    _, diagnostics = prepared(f"[stimuli]\nrows = [{rows}]", uno, tmp_path / "a.toml")
    assert [d.code for d in diagnostics.reported] == ["C298"]
    assert "tick 40" in diagnostics.reported[0].cause


def test_what_comes_after_the_run_is_a_warning(uno: Planned, tmp_path: Path) -> None:
    found, diagnostics = prepared("time,what,value\n1000 ticks,soft0,\n999 ticks,soft0,", uno, tmp_path / "a.csv")
    assert found is not None
    assert len(found.lines) == 1
    assert [(d.code, d.severity.value) for d in diagnostics.reported] == [("C297", "warning")]


def test_too_many_stimuli_are_refused(uno: Planned, tmp_path: Path) -> None:
    row = '{ at = "0 ticks", source = "soft0", every = "1 ticks" }'
    _, diagnostics = prepared(f"[stimuli]\nrows = [{row}]", uno, tmp_path / "a.toml", MOST + 1)
    assert [d.code for d in diagnostics.reported] == ["C296"]


def test_a_run_may_be_longer_than_any_that_ends(uno: Planned, tmp_path: Path) -> None:
    row = '{ at = "0 ticks", source = "soft0", every = "7 ticks" }'
    _, diagnostics = prepared(f"[stimuli]\nrows = [{row}]", uno, tmp_path / "a.toml", 10**30)
    assert [d.code for d in diagnostics.reported] == ["C296"]


def test_a_message_has_no_control_characters(uno: Planned, tmp_path: Path) -> None:
    text = "time,what,value\n1 ticks,\x1b[2J,1\n1 ticks,\x1b[2J,0\n2000 ticks,uart,\x1b[2J\n"
    _, diagnostics = read(text, uno, tmp_path / "a.csv")
    assert [d.code for d in diagnostics.reported] == ["C298"]
    assert all("\x1b" not in str(d) for d in diagnostics.reported)


@pytest.mark.parametrize("board", ["ast1030-evb", "microbit", "mps2-an385", "qemu-rv32-virt", "virtual-256"])
def test_a_board_says_what_its_emulator_can_do(board: str, uno: Planned, tmp_path: Path) -> None:
    stimuli, diagnostics = read("time,what,value\n1 ticks,PD2,1\n2 ticks,PD2,0\n3 ticks,uart,a", uno, tmp_path / "a.csv")
    assert not fits(stimuli, load_board(data_root() / "boards" / board / "board.toml"), diagnostics)
    assert [d.code for d in diagnostics.reported] == ["C296", "C296"]
    assert all(f"'{board}'" in d.cause for d in diagnostics.reported)
    expected = "requests of interrupts" if board == "virtual-256" else "no stimuli at all"
    assert all(expected in str(d.remedy) for d in diagnostics.reported)


TIMES = st.sampled_from(["", "0 ticks", "1 ticks", "7 ticks", "500us", "1ms", "1ns", "2 days", "-1ms", "9e99 s", "1.5 ticks"])
VALUES = st.one_of(
    st.sampled_from([0, 1, 2, -1, 2**70, 2.5, float("nan"), float("inf"), True, "", "PD2", "D2", "soft0", "hello", "PD\u0660"]),
    st.text(max_size=5),
)
KEYS = st.sampled_from(["at", "every", "count", "pin", "level", "adc", "volts", "uart", "source", "levle"])


def toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08X}" for c in value) + '"'
    return str(value)


ROWS = st.lists(st.dictionaries(KEYS, VALUES | TIMES, max_size=5), max_size=6)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS)
def test_random_rows_give_only_diagnostics(uno: Planned, tmp_path: Path, rows: list[dict[str, object]]) -> None:
    written = ",\n".join("{ " + ", ".join(f"{key} = {toml(value)}" for key, value in row.items()) + " }" for row in rows)
    prepared(f"[stimuli]\nrows = [{written}]", uno, tmp_path / "a.toml")


CELLS = st.one_of(
    st.sampled_from(["PD2", "D2", "ADC0", "adc99", "ADC\u00b2", "uart", "soft0", "0", "1", "2.5", "nan", "x" * 40]),
    st.text(max_size=6),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(CELLS | TIMES, max_size=4), max_size=6), st.booleans())
def test_random_lines_give_only_diagnostics(uno: Planned, tmp_path: Path, lines: list[list[str]], headed: bool) -> None:
    text = ("time,what,value\n" if headed else "") + "\n".join(",".join(line) for line in lines)
    path = tmp_path / "a.csv"
    stimuli, diagnostics = read(text.encode("utf-8", "surrogatepass"), uno, path)
    if not diagnostics.errors and fits(stimuli, uno.system.board, diagnostics):
        prepare(stimuli, uno.image, {}, 0, RUN, diagnostics)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60), st.sampled_from(["a.csv", "a.toml", "a"]))
def test_random_bytes_give_only_diagnostics(uno: Planned, tmp_path: Path, content: bytes, name: str) -> None:
    _, diagnostics = read(content, uno, tmp_path / name)
    _, again = read(b"time,what,value\n" + content, uno, tmp_path / "b.csv")
    assert diagnostics.reported or again is not None


def test_every_kind_has_a_key_of_a_row() -> None:
    from carillon.read.schema import StimulusTable

    assert {kind.value for kind in StimulusKind} < set(StimulusTable.model_fields)


def test_a_byte_needs_a_serial_line_that_the_board_names(uno: Planned, tmp_path: Path) -> None:
    stimuli, diagnostics = read("time,what,value\n3 ticks,uart,a", uno, tmp_path / "a.csv")
    board = load_board(data_root() / "boards" / "blackpill-f411" / "board.toml")
    assert fits(stimuli, board, diagnostics)
    assert not fits(stimuli, board.model_copy(update={"console": None}), diagnostics)
    assert [d.code for d in diagnostics.reported] == ["C296"]


def test_a_board_has_no_pins_that_its_chip_has_in_larger_packages_alone(uno: Planned, tmp_path: Path) -> None:
    board = load_board(data_root() / "boards" / "blackpill-f411" / "board.toml")
    for pin, there in {"B1": True, "PB1": True, "PD13": False, "PF0": False}.items():
        stimuli, diagnostics = read(f"time,what,value\n1 ticks,{pin},1", uno, tmp_path / "a.csv")
        assert fits(stimuli, board, diagnostics) == there, pin
