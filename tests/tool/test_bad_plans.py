# SPDX-License-Identifier: Apache-2.0
"""Schedules that cannot be allocated (bad_plan) or built (bad_build), each beside the exact messages it must produce.

``CARILLON_ACCEPT=1 pytest tests/tool/test_bad_plans.py`` writes what comes out; read it before you commit it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from carillon.build import build
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan

HERE = Path(__file__).parent
PLANS = sorted(path.stem for path in (HERE / "bad_plan").glob("*.toml"))
BUILDS = sorted(path.stem for path in (HERE / "bad_build").glob("*.toml"))


def check(path: Path, found: str) -> None:
    expected = path.with_suffix(".txt")
    if os.environ.get("CARILLON_ACCEPT"):
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")
    assert "error C" in found


@pytest.mark.parametrize("name", PLANS)
def test_a_schedule_that_cannot_be_allocated_is_refused_with_the_reason(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE / "bad_plan")
    path = Path(f"{name}.toml")
    kernel = re.search(r"^# kernel: (\w+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    with pytest.raises(CarillonError) as caught:
        plan(path, Diagnostics(), None, kernel[1] if kernel else "carillon")
    check(path.resolve(), "".join(f"{d}\n" for d in caught.value.diagnostics))


@pytest.mark.parametrize("name", BUILDS)
def test_an_application_that_cannot_be_built_is_refused_with_the_reason(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(HERE / "bad_build")
    path = Path(f"{name}.toml")
    diagnostics = Diagnostics()
    planned = plan(path, diagnostics)
    assert build(planned.image, tmp_path, diagnostics) is None
    text = "".join(f"{d}\n" for d in diagnostics.in_order())
    # What the compiler itself says differs from version to version.
    text = re.sub(r"((?:refuses it|compiler warns):\n).*?(\n  help:)", r"\1...\2", text, flags=re.DOTALL)
    check(path.resolve(), text)
    assert not list(tmp_path.glob("*.elf")), "no half-built firmware is left"
