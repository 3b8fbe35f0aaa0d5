# SPDX-License-Identifier: Apache-2.0
"""A file of the tool knows one thing: none has more than 500 lines."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tool" / "carillon"
MOST = 500


def test_no_file_is_long() -> None:
    lines = {p.relative_to(TOOL).as_posix(): len(p.read_text(encoding="utf-8").splitlines()) for p in TOOL.rglob("*.py")}
    assert [name for name, number in lines.items() if number > MOST] == []


def test_the_solver_has_one_door() -> None:
    """How a model is made and solved stands in one file, so that all solves are repeatable and pandas is left out by all."""
    texts = {p.relative_to(TOOL).as_posix(): p.read_text(encoding="utf-8") for p in TOOL.rglob("*.py")}
    assert [name for name, text in texts.items() if "CpModel" in text or "CpSolver" in text] == ["allocate/cpsat.py"]


def test_few_sentences_are_long() -> None:
    """A sentence above 30 words has to be decoded; what is left are fields of references, and lists."""
    command = [sys.executable, ROOT / "scripts" / "long-sentences.py", "--most", "39"]
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert result.returncode == 0, result.stdout + result.stderr
