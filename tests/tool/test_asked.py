# SPDX-License-Identifier: Apache-2.0
"""What the variables ask for (tests/asked.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import asked

TESTS = Path(__file__).resolve().parents[1]


def tell(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a new Python prints, which reads the variables anew."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CARILLON_")}
    command = [sys.executable, "-c", f"import os, asked; print({code})"]
    return subprocess.run(command, cwd=TESTS, env=kept | variables, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("value", "endless", "ended", "step"), [("", 6, 6, 8), ("50", 50, 50, 16), ("all", 6, 800, 1), ("900", 900, 900, 1)]
)
def test_tries_are_the_default_or_a_number_or_all(
    monkeypatch: pytest.MonkeyPatch, value: str, endless: int, ended: int, step: int
) -> None:
    monkeypatch.setattr(asked, "TRIES", value)
    assert (asked.tries(6), asked.tries(6, of=800), asked.step(800, 8)) == (endless, ended, step)


def test_a_number_of_tries_draws_anew_and_all_processes_have_the_seed() -> None:
    code = "asked.seed('usual'), os.environ.get('CARILLON_SEED')"
    seeds = {tuple(tell(code, CARILLON_TRIES="3").stdout.split()) for _ in range(3)}
    assert len(seeds) > 1
    assert all(drawn == given for drawn, given in seeds)
    assert tell(code, CARILLON_TRIES="3", CARILLON_SEED="17").stdout == "17 17\n"
    assert tell(code).stdout == tell(code, CARILLON_TRIES="all").stdout == "usual None\n"


def test_tries_that_are_no_number_are_refused() -> None:
    assert tell("1", CARILLON_TRIES="many").stderr == "CARILLON_TRIES: 'many' is neither a number nor 'all'\n"
