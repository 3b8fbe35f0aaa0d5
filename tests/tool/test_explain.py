# SPDX-License-Identifier: Apache-2.0
"""Every code has its explanation, and the examples in it are what they say."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest

import carillon
from carillon.check import check_system
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.explain import codes, explain
from carillon.frontends import read_schedule
from carillon.mends import MENDS
from carillon.pipeline import plan
from carillon.resources import data_root

PACKAGE = Path(carillon.__file__).parent
BENCHMARKS = Path(__file__).resolve().parents[2] / "bench" / "papers"
EXAMPLE = re.compile(r"^(Wrong|Right):\n\n```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = [(code, kind, text) for code in codes() for kind, text in EXAMPLE.findall((explain(code) or pytest.fail()).text)]


PLANNED = ("C341", "C342", "C343", "C344", "C346")
"""What is found when the allocation is known: response times rest on it."""


def used_codes() -> set[str]:
    """Those of the tool, and of the benchmarks, which report as the tool does."""
    paths = [path for folder in (PACKAGE, BENCHMARKS) for path in folder.rglob("*.py") if "_data" not in path.parts]
    return {code for path in paths for text in [path.read_text(encoding="utf-8")] for code in re.findall(r"\bC[0-3]\d\d\b", text)}


def test_passes_that_try_again_ask_what_may_mend_a_refusal_and_not_its_code() -> None:
    assert set(MENDS) <= set(codes())
    asked = re.compile(r"\bd\.code (?:not )?in |\.code [!=]= \"C\d|\bd\.code for d")
    passes = [path for name in ("pipeline.py", "advise", "allocate", "timing") for path in sorted(PACKAGE.rglob(f"{name}*"))]
    files = [file for path in passes for file in ([path] if path.is_file() else path.rglob("*.py"))]
    assert len(files) > 40
    assert [str(file) for file in files if asked.search(file.read_text(encoding="utf-8"))] == []


def test_every_code_in_the_tool_is_explained_and_every_explanation_is_of_a_code_in_the_tool() -> None:
    assert sorted(used_codes()) == codes()


@pytest.mark.parametrize("code", codes())
def test_an_explanation_has_a_title_and_a_text_of_its_own(code: str) -> None:
    found = explain(code)
    assert found is not None
    assert found.code == code
    assert found.title
    assert not found.title.endswith(".")
    assert len(found.text) > len(found.title)


def test_a_code_may_be_given_in_lower_case() -> None:
    assert explain("c016") == explain("C016")


def test_an_unknown_code_has_no_explanation() -> None:
    assert explain("C000") is None
    assert explain("../C016") is None


def test_the_explanations_come_from_the_documentation() -> None:
    assert (data_root() / "docs" / "codes" / "C016.md").is_file()


@pytest.mark.parametrize(("code", "kind", "text"), EXAMPLES, ids=[f"{code}-{kind.lower()}" for code, kind, _ in EXAMPLES])
def test_the_wrong_example_is_reported_with_its_code_and_the_right_one_not_at_all(
    code: str, kind: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / "engine.c").touch()
    schedule = tmp_path / "engine.toml"
    schedule.write_text(text, encoding="utf-8")
    diagnostics = Diagnostics()
    system = read_schedule(schedule, diagnostics)
    if system is not None:
        check_system(system, diagnostics)
    if code in PLANNED and not diagnostics.errors:
        diagnostics.reported.clear()
        with suppress(CarillonError):
            plan(schedule, diagnostics)
    assert {d.code for d in diagnostics.reported} == ({code} if kind == "Wrong" else set()), "\n".join(
        map(str, diagnostics.reported)
    )
