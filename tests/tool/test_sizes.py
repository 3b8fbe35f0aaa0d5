# SPDX-License-Identifier: Apache-2.0
"""A file of the tool knows one thing: none has more than 500 lines."""

from __future__ import annotations

from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tool" / "carillon"
MOST = 500


def test_no_file_is_long() -> None:
    lines = {p.relative_to(TOOL).as_posix(): len(p.read_text(encoding="utf-8").splitlines()) for p in TOOL.rglob("*.py")}
    assert [name for name, number in lines.items() if number > MOST] == []


def test_the_solver_has_one_door() -> None:
    """How a model is made and solved stands in one file, so that all solves are repeatable and pandas is left out by all."""
    texts = {p.relative_to(TOOL).as_posix(): p.read_text(encoding="utf-8") for p in TOOL.rglob("*.py")}
    assert [name for name, text in texts.items() if "CpModel" in text or "CpSolver" in text] == ["allocate/cpsat.py"]
