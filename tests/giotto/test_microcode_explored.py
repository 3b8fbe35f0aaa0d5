# SPDX-License-Identifier: Apache-2.0
"""Nothing that the verifier accepts leaves its tables, goes round without taking time, needs more room than there is, or keeps
another program from beginning: explorer.c carries it out with sanitizers, in all ways in which its surroundings can behave.

``CARILLON_TRIES`` is how far it searches; 2000 without it.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import asked

ROOT = Path(__file__).parents[2]
MANY = asked.tries(2000)
OPTIONS = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover"]


def built(folder: Path, bindings: int, threads: int) -> Path:
    """The program, for machines with so much room; what it does in the verifier guides how it changes programs."""
    (folder / "carillon_config.h").write_text('#include "tests/config/carillon_off.h"\n', encoding="ascii")
    rooms = {"TASKS": 2, "BINDINGS": bindings, "THREADS": threads}
    options = [*OPTIONS, *SANITIZERS, f"-I{ROOT}", f"-I{folder}", *(f"-DCARILLON_MICROCODE_{k}={v}u" for k, v in rooms.items())]
    objects = []
    for source, more in (("kernel/microcode/verify.c", ["-fsanitize-coverage=trace-pc"]), ("tests/giotto/explorer.c", [])):
        objects.append(str(folder / f"{Path(source).stem}.o"))
        subprocess.run(["gcc", *options, *more, "-c", str(ROOT / source), "-o", objects[-1]], check=True)
    subprocess.run(["gcc", *SANITIZERS, *objects, "-o", str(folder / "explorer")], check=True)
    return folder / "explorer"


@pytest.mark.parametrize(("bindings", "threads"), [(1, 2), (2, 3)])
def test_what_is_accepted_keeps_its_promises_whatever_happens(bindings: int, threads: int, tmp_path: Path) -> None:
    explorer = built(tmp_path, bindings, threads)

    def explored(*words: object) -> list[int]:
        ran = subprocess.run([explorer, *map(str, words)], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, f"{ran.stdout}{ran.stderr}"
        return [int(number) for number in re.findall(r"\d+", ran.stdout)]

    for size, every in ((1, 1), (2, 1), (3, 1), (4, max(1, 200_000 // MANY))):
        _, accepted, instants, unfinished = explored("all", size, every)
        assert accepted
        assert instants >= 3 * accepted
        assert not unfinished
    _, accepted, _, kept, _, *results = explored("fuzz", 4 * MANY, bindings)
    assert accepted > MANY // 10
    assert kept > 50
    assert all(results)  # each way to be refused is found
