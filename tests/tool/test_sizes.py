# SPDX-License-Identifier: Apache-2.0
"""A file knows one thing: none of the tool has more than 500 lines, and none of the kernel more than 600.

What applications include (``kernel/api/carillon``) is as long as its standards want.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tool" / "carillon"


@pytest.mark.parametrize(("folder", "pattern", "most"), [(TOOL, "**/*.py", 500), (ROOT / "kernel", "*/*.[ch]", 600)])
def test_no_file_is_long(folder: Path, pattern: str, most: int) -> None:
    lines = {p.relative_to(folder).as_posix(): len(p.read_text(encoding="utf-8").splitlines()) for p in folder.glob(pattern)}
    assert lines
    assert [name for name, number in lines.items() if number > most] == []


def test_the_solver_has_one_door() -> None:
    """How a model is made and solved stands in one file, so that all solves are repeatable and none loads pandas."""
    texts = {p.relative_to(TOOL).as_posix(): p.read_text(encoding="utf-8") for p in TOOL.rglob("*.py")}
    assert [name for name, text in texts.items() if "from ortools" in text or "import ortools" in text] == ["allocate/cpsat.py"]


def test_few_sentences_are_long() -> None:
    """A sentence above 30 words has to be decoded; what is left are fields of references, and lists."""
    command = [sys.executable, ROOT / "scripts" / "long-sentences.py", "--most", "39"]
    result = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert result.returncode == 0, result.stdout + result.stderr
