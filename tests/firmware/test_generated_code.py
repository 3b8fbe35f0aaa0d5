# SPDX-License-Identifier: Apache-2.0
"""Generated C: the same input gives the same bytes, and what they are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from laboratory import AST, HERE, MPS, ROOT, TC, VIRTUAL_AST

from carillon.build import write_generated
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan

THREE_TASKS = ROOT / "examples" / "three-tasks" / "schedule.toml"
FILES = ("carillon_config.h", "tables.c", "vectors.c")
PROGRAM = """
import sys
from pathlib import Path
from carillon.build import write_generated
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan
write_generated(plan(Path(sys.argv[1]), Diagnostics(), sys.argv[2], sys.argv[3]).image, Path(sys.argv[4]))
"""


def generated(schedule: Path, board: str, kernel: str, folder: Path) -> dict[str, bytes]:
    written = write_generated(plan(schedule, Diagnostics(), board, kernel).image, folder)
    return {path.name: path.read_bytes() for path in sorted(written.iterdir())}


@pytest.mark.parametrize("kernel", ["carillon", "conventional"])
@pytest.mark.parametrize(
    ("application", "board"),
    [("examples/modes", AST), ("bench/dispatch", VIRTUAL_AST), ("bench/lowered", AST), ("bench/minimal", MPS)],
)
def test_another_process_in_another_folder_writes_the_same_bytes(
    tmp_path: Path, application: str, board: str, kernel: str
) -> None:
    source = ROOT / application
    here = generated(source / "schedule.toml", board, kernel, tmp_path / "here")
    elsewhere = tmp_path / "a folder elsewhere"
    shutil.copytree(source, elsewhere, ignore=shutil.ignore_patterns("build"))
    environment = {**os.environ, "PYTHONHASHSEED": "4711", "PYTHONPATH": str(ROOT / "tool")}
    command = [sys.executable, "-c", PROGRAM, "schedule.toml", board, kernel, str(tmp_path / "there")]
    subprocess.run(command, cwd=elsewhere, env=environment, check=True, timeout=60)
    there = {path.name: path.read_bytes() for path in sorted((tmp_path / "there" / "generated").iterdir())}
    assert set(FILES) <= set(here)
    assert here == there


def test_a_different_schedule_shows_in_the_head_of_every_generated_c_file_and_leaves_headers_as_they_are(tmp_path: Path) -> None:
    schedule = tmp_path / "schedule.toml"
    shutil.copy(THREE_TASKS.with_name("main.c"), tmp_path)
    heads = []
    for text in (THREE_TASKS.read_text(encoding="utf-8"), THREE_TASKS.read_text(encoding="utf-8") + "\n# changed\n"):
        schedule.write_text(text, encoding="utf-8")
        files = generated(schedule, AST, "carillon", tmp_path / "out")
        heads.append({name: text.split(b"*/")[0] for name, text in files.items() if name.endswith((".c", ".h"))})
    before, after = heads
    assert {name for name in before if before[name] != after[name]} == {name for name in before if name.endswith(".c")}


@pytest.mark.parametrize("board", [AST, TC])
@pytest.mark.parametrize("name", FILES)
def test_three_tasks_become_the_files_of_the_golden_folder(tmp_path: Path, board: str, name: str) -> None:
    golden = HERE / "golden" / f"three-tasks-{board}" / name
    text = generated(THREE_TASKS, board, "carillon", tmp_path)[name].decode()
    if os.environ.get("CARILLON_GOLDEN") == "write":
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
