# SPDX-License-Identifier: Apache-2.0
"""The page that says how Carillon is tested has what its command writes; a count may be a little old."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def test_the_page_has_the_figures_of_its_command() -> None:
    command = runpy.run_path(str(ROOT / "scripts" / "tested.py"))
    page = command["PAGE"].read_text(encoding="utf-8")
    shown = page.partition(command["BEGIN"])[2].partition(command["END"])[0].strip()
    found = "".join(command["figures"]()).strip()
    assert NUMBER.sub("N", shown) == NUMBER.sub("N", found), "run scripts/tested.py --write"
    for one, other in zip(NUMBER.findall(shown), NUMBER.findall(found), strict=True):
        was, is_now = float(one.replace(",", "")), float(other.replace(",", ""))
        assert abs(was - is_now) <= max(2, 0.1 * is_now), f"{one} is {other}: run scripts/tested.py --write"


def test_every_command_and_place_of_the_page_is_there() -> None:
    page = (ROOT / "docs" / "TESTED.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z-]+)`", page):
        assert f"\n{target}:" in makefile, target
    for path in re.findall(r"`((?:tests|tool|docs|scripts)/[\w/.-]+)`", page):
        assert (ROOT / path).exists(), path


def test_a_page_without_the_place_for_figures_is_left_alone() -> None:
    command = runpy.run_path(str(ROOT / "scripts" / "tested.py"))
    text = f"before\n{command['BEGIN']}old\n{command['END']}after\n"
    assert command["page"](text, "new\n") == f"before\n{command['BEGIN']}\nnew\n\n{command['END']}after\n"
    for wrong in ("nothing", text.replace(command["END"], "")):
        try:
            command["page"](wrong, "new")
        except SystemExit as error:
            assert "has no place for figures" in str(error)
        else:
            raise AssertionError(wrong)
