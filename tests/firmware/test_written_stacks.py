# SPDX-License-Identifier: Apache-2.0
"""``carillon build --write-stacks``: each stack gets its bound, the file keeps all else, and a run never uses more."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from carillon import pipeline
from carillon.cli import app

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None, reason="needs arm-none-eabi-gcc")


def carillon(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def schedule(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples" / "mutex", tmp_path / "mutex", ignore=shutil.ignore_patterns("build"))
    return tmp_path / "mutex" / "schedule.toml"


@pytest.mark.parametrize("board", ["mps2-an385", "ast1030-evb", "mps2-an505"])
def test_each_stack_gets_its_bound_and_a_run_uses_no_more(board: str, schedule: Path) -> None:
    before = schedule.read_text(encoding="utf-8")
    code, out, err = carillon("build", str(schedule), "--board", board, "--write-stacks", "--json")
    assert code == 0, err
    bounds = {stack["name"]: stack["bound"] for stack in json.loads(out)["stacks"]}
    after = schedule.read_text(encoding="utf-8")
    written = {name: thread["stack"] for name, thread in tomllib.loads(after)["thread"].items()}
    assert written == {name: -(-bounds[name] // 8) * 8 for name in ("Control", "Filter", "Log")}
    assert re.sub(r"^stack = \d+\n", "", after, flags=re.MULTILINE) == before
    code, out, err = carillon("analyse", str(schedule), "--board", board, "--for", "500ms", "--json")
    assert code == 0, err
    stacks = {stack["name"]: stack for stack in json.loads(out)["stacks"] if stack["name"] != "main"}
    assert all(0 < stack["used"] <= stack["bound"] <= stack["size"] for stack in stacks.values()), stacks
    assert {name: stack["size"] for name, stack in stacks.items()} == written


def test_a_stack_that_suffices_stays_and_one_that_does_not_is_raised(schedule: Path) -> None:
    text = schedule.read_text(encoding="utf-8")
    text = text.replace("[thread.Log]\n", "[thread.Log]\nstack = 2048\n").replace(
        "[thread.Filter]\n", "[thread.Filter]\nstack = 256 # so far\n"
    )
    schedule.write_text(text, encoding="utf-8")
    code, out, err = carillon("build", str(schedule), "--board", "mps2-an385", "--write-stacks")
    assert code == 0, err
    made = schedule.read_text(encoding="utf-8")
    assert "stack = 2048\n" in made
    assert re.search(r"^stack = (?!256)\d+ # so far$", made, re.MULTILINE)
    assert "stack = 2048 of Log" not in out
    code, out, _ = carillon("build", str(schedule), "--board", "mps2-an385", "--write-stacks")
    assert code == 0
    assert out.endswith("Nothing was written: no stack is known to be absent from the schedule, or too small.\n")
    assert schedule.read_text(encoding="utf-8") == made


def test_what_is_no_schedule_is_not_written(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples" / "oil-only", tmp_path / "oil", ignore=shutil.ignore_patterns("build"))
    (file,) = (tmp_path / "oil").glob("*.oil")
    code, _, err = carillon("build", str(file), "--write-stacks")
    assert code == 2
    assert "--write-stacks writes into schedules (TOML), and" in err
    code, _, err = carillon("build", str(ROOT / "examples" / "mutex"), "--write-stacks", "--generate-only")
    assert code == 2
    assert "--write-stacks needs an image: leave --generate-only out" in err
    code, _, err = carillon("build", str(ROOT / "examples" / "mutex"), "--write-stacks", "--library")
    assert code == 2
    assert "leave --library out" in err


def test_a_schedule_that_changes_during_the_build_is_left_and_its_json_says_so(
    schedule: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, before = pipeline.plan, schedule.read_text(encoding="utf-8")

    def changing(*arguments: Any, **named: Any) -> Any:
        schedule.write_text(before + "# mine\n", encoding="utf-8")
        return real(*arguments, **named)

    monkeypatch.setattr(pipeline, "plan", changing)
    code, out, _ = carillon("build", str(schedule), "--board", "mps2-an385", "--write-stacks", "--json")
    assert code == 1
    (found,) = json.loads(out)["diagnostics"]
    assert (found["code"], found["cause"]) == ("C350", f"'{schedule}' has changed during the run, and was not written")
    assert schedule.read_text(encoding="utf-8") == before + "# mine\n"
