# SPDX-License-Identifier: Apache-2.0
"""What ``carillon new`` makes for a board runs on it; where nothing runs a board's images, it is built."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from carillon.cli import app
from carillon.resources import data_root
from runnable import RIGLESS, runnable


def carillon(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    return result.exit_code, result.output


@pytest.mark.parametrize("board", runnable())
def test_a_new_application_runs_on_its_board(tmp_path: Path, board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert carillon("new", "my-app", "--board", board)[0] == 0
    code, output = carillon("run", "my-app", "--strict", "--json")
    assert code == 0, output
    (summary,) = json.loads(output)["runs"]
    assert summary["board"] == board
    met = {task["name"]: task["deadlines_met"] for task in summary["summary"]["tasks"]}
    assert met == ({"control": 1} if board == "qemu-rv32-virt" else {"control": 10, "report": 1})


def test_a_new_application_for_no_board_in_particular_runs_on_every_board(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert carillon("new", "my-app")[0] == 0
    for board in (board for board in runnable() if isinstance(board, str)):
        code, output = carillon("run", "my-app", "--strict", "--json", "--board", board)
        assert code == 0, output
        (summary,) = json.loads(output)["runs"]
        assert {task["name"]: task["activations"] for task in summary["summary"]["tasks"]} == {"control": 1}, board


def test_a_new_application_for_a_board_that_nothing_runs_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = shutil.copytree(data_root() / "boards" / "atmega128", tmp_path / 'my "chip"')
    board = folder / "board.toml"
    board.write_text(board.read_text(encoding="utf-8").split("[run]")[0], encoding="utf-8")
    assert carillon("new", "my-app", "--board", str(board))[0] == 0
    code, output = carillon("build", "my-app")  # by the path that the schedule has
    assert code == 0, output
    assert (tmp_path / "my-app" / "build" / "atmega128-carillon" / "my-app.hex").is_file()


def test_a_board_that_carries_no_template_is_refused_with_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = shutil.copytree(data_root() / "boards" / "virtual-tiny", tmp_path / "chip")
    board = folder / "board.toml"
    text = board.read_text(encoding="utf-8")
    assert "hz = 1_000_000" in text
    board.write_text(text.replace("hz = 1_000_000", "hz = 32_768"), encoding="utf-8")
    code, output = carillon("new", "my-app", "--board", "chip")
    assert code == 1
    assert output.startswith("my-app/schedule.toml:10:10: error C017: 'period' of task 'control': 1ms is 32.768 ticks")
    assert not (tmp_path / "my-app").exists()


@RIGLESS
def test_the_motor_s_loops_start_without_jitter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert carillon("new", "drive", "--template", "motor")[0] == 0
    code, output = carillon("run", "drive", "--strict", "--json", "--for", "20ms")
    assert code == 0, output
    tasks = {task["name"]: task for task in json.loads(output)["runs"][0]["summary"]["tasks"]}
    assert {name: (task["activations"], task["jitter"]) for name, task in tasks.items()} == {
        "current": (400, 0),
        "speed": (20, 0),
        "position": (2, 0),
    }


@pytest.mark.parametrize("board", ["mps2-an385", "ast1030-evb"])
def test_the_motor_s_loops_run_on_other_boards(board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert carillon("new", "drive", "--template", "motor", "--board", board)[0] == 0
    code, output = carillon("run", "drive", "--strict", "--json")
    assert code == 0, output


def test_a_board_that_is_too_slow_for_the_motor_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = carillon("new", "drive", "--template", "motor", "--board", "arduino-mega")
    assert code == 1
    assert "error C043: task 'current', activated at 0 ticks, may miss its deadline" in output
    assert not (tmp_path / "drive").exists()


def test_a_template_that_there_is_not_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = carillon("new", "drive", "--template", "robot")
    assert code == 2
    assert "there is no template 'robot': the templates are blink, motor" in output
    assert not (tmp_path / "drive").exists()


@pytest.mark.parametrize("board", ["ast1030-evb", "virtual-256"])
def test_the_led_of_the_blink_changes_each_half_second(board: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert carillon("new", "blink", "--template", "blink", "--board", board)[0] == 0
    code, output = carillon("run", "blink", "--strict", "--for", "2s")
    assert code == 0, output
    assert output.endswith("led 1\nled 0\nled 1\nled 0\n")
