# SPDX-License-Identifier: Apache-2.0
"""Every rejected input is a file, bad/NAME.toml, beside the exact messages it must produce, bad/NAME.txt.

``CARILLON_ACCEPT=1 pytest tests/tool/test_bad_inputs.py`` writes what comes out; read it before you commit it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from carillon.check import check_system
from carillon.diagnostics import Diagnostics
from carillon.frontends import read_schedule
from carillon.timing.stream import check as check_stream

BAD = Path(__file__).parent / "bad"
NAMES = sorted(path.stem for path in BAD.glob("*.toml"))


def messages(path: Path, board: str | None = None) -> str:
    diagnostics = Diagnostics()
    system = read_schedule(path, diagnostics, board)
    if system is not None:
        check_system(system, diagnostics)
        check_stream(system, diagnostics)
    return "".join(f"{diagnostic}\n" for diagnostic in diagnostics.in_order())


@pytest.mark.parametrize("name", NAMES)
def test_a_bad_input_produces_exactly_the_messages_beside_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD)
    found = messages(Path(f"{name}.toml"))
    if os.environ.get("CARILLON_ACCEPT"):
        (BAD / f"{name}.txt").write_text(found, encoding="utf-8")
    assert found == (BAD / f"{name}.txt").read_text(encoding="utf-8")
    assert found, "a bad input must be reported"


def test_every_expected_message_belongs_to_an_input() -> None:
    assert sorted(path.stem for path in BAD.glob("*.txt")) == NAMES


def test_a_missing_file_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert messages(Path("gone.toml")) == (
        "gone.toml:1:1: error C010: there is no file 'gone.toml'\n"
        "  help: check the path, or create a schedule with 'carillon new'\n"
    )


def test_a_folder_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("engine").mkdir()
    assert messages(Path("engine")) == (
        "engine:1:1: error C010: 'engine' is a folder, and no schedule file\n  help: name the .toml file in it\n"
    )


def test_a_device_is_reported() -> None:
    assert "error C010: '/dev/null' is no ordinary file" in messages(Path("/dev/null"))


def test_a_path_with_a_nul_is_reported() -> None:
    assert "error C010" in messages(Path("a\0b.toml"))


def test_a_file_that_is_too_long_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("long.toml").write_bytes(b"#" * (8 * 2**20 + 1))
    assert "long.toml:1:1: error C010: 'long.toml' is longer than 8388608 bytes" in messages(Path("long.toml"))


def test_an_unknown_board_on_the_command_line_has_no_place_in_the_file(tmp_path: Path) -> None:
    schedule = tmp_path / "engine.toml"
    schedule.write_text('[task.fuel]\nperiod = "1ms"\n')
    assert messages(schedule, "virtual-tinny") == (
        "error C021: there is no board 'virtual-tinny', named by --board\n"
        "  help: did you mean 'virtual-tiny'? (a board is one of these or the path of a board.toml)\n"
    )


def test_the_board_on_the_command_line_wins_over_the_one_in_the_file(tmp_path: Path) -> None:
    schedule = tmp_path / "engine.toml"
    schedule.write_text('[system]\nboard = "virtual-tinny"\n[task.fuel]\nperiod = "1ms"\n')
    assert messages(schedule, "virtual-tiny") == ""


def test_the_errors_of_a_file_are_limited(tmp_path: Path) -> None:
    schedule = tmp_path / "engine.toml"
    schedule.write_text("".join(f"k{i} = 1\n" for i in range(1000)))
    found = messages(schedule)
    assert found.count(": error C") == 101  # the last one says that there are more
    assert "more than 100 errors; the rest is not shown" in found
