# SPDX-License-Identifier: Apache-2.0
"""A file of the tool knows one thing: one of more than 500 lines needs a reason."""

from __future__ import annotations

from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tool" / "carillon"
MOST = 500
LONGER = {"allocate/model.py": "the one problem of integers that the solver gets, with all its rules"}


def test_no_file_is_long_without_a_reason() -> None:
    lines = {p.relative_to(TOOL).as_posix(): len(p.read_text(encoding="utf-8").splitlines()) for p in TOOL.rglob("*.py")}
    assert sorted(name for name, number in lines.items() if number > MOST) == sorted(LONGER)
