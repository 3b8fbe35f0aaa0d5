# SPDX-License-Identifier: Apache-2.0
"""Schedules whose cells are found by short ways need no solver; of others, an error says what is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = """
import importlib.metadata, sys
known = importlib.metadata.version
def version(name):
    if name == "ortools":
        raise importlib.metadata.PackageNotFoundError(name)
    return known(name)
importlib.metadata.version = version
sys.modules["ortools"] = None
from carillon.cli import app
app(sys.argv[1:])
"""


def without_solver(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"CARILLON_CACHE": "", "PYTHONPATH": str(ROOT / "tool"), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", WITHOUT, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.parametrize("example", ["three-tasks", "helicopter/helicopter.giotto", "producer-consumer", "osek-blinky"])
def test_most_examples_are_planned_without_a_solver(example: str) -> None:
    done = without_solver("plan", f"examples/{example}")
    assert done.returncode == 0, done.stderr


def test_a_schedule_that_needs_one_says_so() -> None:
    done = without_solver("plan", "examples/engine")
    assert done.returncode == 1
    assert done.stderr == (
        "examples/engine/schedule.toml:14:7: error C065: the short ways do not find cells for all of it, and the solver that "
        "searches for them is not installed\n"
        "  help: install it: pip install 'carillon-rtos[solver]'; the schedule may be possible\n"
        "1 error; carillon explain C065 says more\n"
    )


def test_with_the_solver_it_is_planned() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "carillon", "plan", "examples/engine"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
