# SPDX-License-Identifier: Apache-2.0
"""``carillon bench``: an application on several kernels, its figures side by side."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from carillon.cli import app

SCHEDULE = """
[system]
name = "two"
board = "virtual-256"
[task.Fast]
period = "1ms"
deadline = "500us"
[task.Slow]
period = "2ms"
offset = "700us"
"""
CODE = """
#include "carillon/osektime.h"
ttTASK(Fast) {}
ttTASK(Slow) {}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("schedule.toml").write_text(SCHEDULE, encoding="utf-8")
    Path("main.c").write_text(CODE, encoding="utf-8")


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["bench", *arguments], env={"COLUMNS": "120"})


def figures(*arguments: str) -> dict[tuple[str, str | None, str], float]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return {(r["metric"], r["task"], r["kernel"]): r["median"] for r in json.loads(result.stdout)["rows"]}


def test_each_figure_of_each_kernel_is_there() -> None:
    found = figures("--rounds", "4")
    of_tasks = {(metric, task) for metric in ("start", "jitter") for task in ("Fast", "Slow")}
    of_all = {(metric, None) for metric in ("interrupts", "deadlines_missed", "flash", "ram")}
    assert set(found) == {(*key, kernel) for key in of_tasks | of_all for kernel in ("carillon", "conventional")}
    assert found["interrupts", None, "carillon"] == 12  # three activations a round
    assert found["interrupts", None, "conventional"] == 20  # and two deadlines, which are met
    assert found["flash", None, "carillon"] < found["flash", None, "conventional"]


def test_the_text_has_a_column_for_each_kernel_and_a_line_for_each_figure() -> None:
    text = run("--rounds", "4").stdout
    assert text.startswith("two on virtual-256: median, and minimum to maximum where they differ\n")
    assert re.search(r"task +unit +carillon +conventional *$", text, re.MULTILINE)
    lines = [line.split() for line in text.splitlines()[4:] if line.strip()]
    assert [line[0] for line in lines] == ["start"] * 2 + ["jitter"] * 2 + ["interrupts", "deadlines_missed", "flash", "ram"]
    assert lines[4] == ["interrupts", "12", "20"]


def test_the_mean_power_is_compared_where_the_board_gives_currents() -> None:
    found = figures("--board", "atmega2560", "--rounds", "4")
    power = [found["power", None, kernel] for kernel in ("carillon", "conventional")]
    assert 27_000 < power[0] < power[1] < 32_000  # idle, 2.7 mA at 8 MHz and 5 V, and so twice that at 16 MHz


def test_other_kernels_can_be_asked_for() -> None:
    assert {kernel for _, _, kernel in figures("-k", "counter-per-task", "-k", "carillon")} == {"carillon", "counter-per-task"}


def test_each_image_stays_in_the_folder_that_is_asked_for() -> None:
    figures("--out", "images")
    assert sorted(path.name for path in Path("images").iterdir()) == ["carillon", "conventional"]


def test_a_run_that_ends_early_is_told_of() -> None:
    Path("main.c").write_text(CODE.replace("(Slow) {}", "(Slow) { ttShutdownOS(7); }"), encoding="utf-8")
    found = [re.sub(r"\s+", " ", line) for line in run().stdout.splitlines() if "run ended" in line]
    assert [line.partition(" kernel's run ended in tick ")[0] for line in found] == ["The carillon", "The conventional"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-k", "other"], "usage: no kernel 'other': known names are"),
        (["a.giotto"], "usage: 'a.giotto' is a Giotto program, which no conventional kernel carries out"),
        (["network.toml"], "usage: 'network.toml' is a network, which run and show take"),
        (["--for", "1ms", "--rounds", "2"], "usage: give either --rounds or --for"),
        (["dispatch"], "error C010: there is no file 'dispatch'"),
        (["--out", "schedule.toml"], "usage: --out would overwrite 'schedule.toml', which is read"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: list[str], said: str) -> None:
    Path("network.toml").write_text('[[node]]\nname = "x"\nschedule = "schedule.toml"\n', encoding="utf-8")
    result = run(*arguments)
    assert result.exit_code in (1, 2)
    assert said in " ".join(result.stderr.split())


def test_what_only_one_kernel_keeps_is_refused() -> None:
    budget = '[osek.task.U]\npriority = 1\nbudget = "1ms"\ntime_frame = "5ms"\n'
    Path("schedule.toml").write_text('[system]\nboard = "ast1030-evb"\nsources = ["main.c"]\n' + budget, encoding="utf-8")
    assert "C184" in run("-k", "conventional").stderr
