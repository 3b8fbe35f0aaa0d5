# SPDX-License-Identifier: Apache-2.0
"""Spin's models of five races: each holds in every interleaving, and none holds when the kernel did something else.

A model is of the rule that the code follows, and not the code: the tests that FIRMWARE names try the code itself.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MODELS = sorted(path.stem for path in HERE.glob("*.pml"))
FIRMWARE = {
    "activation": "tests/firmware/test_activation_positions.py",
    "deadline": "tests/races/test_rounds_services.py",
    "mode": "tests/races/test_rounds_services.py",
    "sync": "tests/firmware/test_synchronisation.py",
    "upload": "tests/giotto/test_upload_positions.py",
}
"""Where the code itself is tried: an activation, a deadline and a switch at each instruction, an upload at each basic block of
the loader on the development machine, and synchronisation at random times."""


def explored(model: str, mutant: int, folder: Path) -> tuple[int, int]:
    """The errors that Spin finds, and how many states it has seen; the search is exhaustive."""
    if shutil.which("spin") is None:
        pytest.skip("spin is not installed: scripts/setup.sh test")
    run = lambda *words: subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=200, check=False)  # noqa: E731
    made = run("spin", f"-DMUTANT={mutant}", "-a", str(HERE / f"{model}.pml"))
    assert made.returncode == 0 and not made.stderr, made.stdout + made.stderr
    built = run("gcc", "-O1", "-DSAFETY", "-o", "pan", "pan.c")
    assert built.returncode == 0, built.stderr
    said = run("./pan", "-m200000").stdout
    assert "max search depth too small" not in said and "out of memory" not in said, said
    errors, states = re.search(r"errors: (\d+)", said), re.search(r"(\d+) states, stored", said)
    assert errors and states, said
    return int(errors[1]), int(states[1])


@pytest.mark.parametrize("model", MODELS)
def test_a_model_holds_in_every_interleaving(model: str, tmp_path: Path, record_property: pytest.RecordProperty) -> None:
    errors, states = explored(model, 0, tmp_path)
    assert errors == 0
    assert states > 50
    record_property("models", {"models": 1, "states": states})


@pytest.mark.parametrize("mutant", [1, 2, 3])
@pytest.mark.parametrize("model", MODELS)
def test_what_the_kernel_does_otherwise_is_found(model: str, mutant: int, tmp_path: Path) -> None:
    errors, _ = explored(model, mutant, tmp_path)
    assert errors > 0


def test_each_model_has_a_test_of_the_code() -> None:
    assert FIRMWARE.keys() == set(MODELS)
    for path in FIRMWARE.values():
        assert (HERE.parents[1] / path).is_file(), path
