# SPDX-License-Identifier: Apache-2.0
"""One thing that is wrong gives one error: sound files of every language, in which one value is changed or left out."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from carillon.check import check_system
from carillon.diagnostics import CarillonError, Diagnostic, Diagnostics
from carillon.frontends import read_schedule
from carillon.frontends.giotto.parser import SECTIONS
from carillon.frontends.giotto.reading import parse_giotto
from carillon.frontends.giotto.rules import check_giotto
from carillon.resources import data_root
from sample import few

TESTS = Path(__file__).parents[1]
Mutants = Callable[[str], Iterator[tuple[str, str]]]


def errors(path: Path) -> list[Diagnostic]:
    diagnostics = Diagnostics()
    if path.suffix == ".giotto":
        program = parse_giotto(path.read_text(encoding="utf-8"), path.name, diagnostics)
        if program is not None:
            check_giotto(program, diagnostics)
        return diagnostics.errors
    try:
        system = read_schedule(path, diagnostics)
        if system is not None:
            check_system(system, diagnostics)
    except CarillonError as stopped:
        return list(stopped.diagnostics)
    return diagnostics.errors


def replaced(text: str, pattern: str, values: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """What stands in the pattern's group 1 in each place, instead of each value; nothing for the whole match too."""
    for match in re.finditer(pattern, text, re.DOTALL):
        for value in values:
            yield f"{match[1]} -> {value}", text[: match.start(1)] + value + text[match.end(1) :]


def oil(text: str) -> Iterator[tuple[str, str]]:
    value = r'("[^"]*"|[\w.]+)'
    yield from replaced(text, rf"\b[A-Z_]+\s*=\s*{value}", ("Wrong_1", "99999999999", '"x"', "1.5", "-1"))
    yield from replaced(text, rf"(\b[A-Z_]+\s*=\s*{value}\s*;)", ("",))


def arxml(text: str) -> Iterator[tuple[str, str]]:
    yield from replaced(text, "<VALUE>([^<]*)</VALUE>", ("Wrong", "99999999999", "-1", ""))
    yield from replaced(text, "<VALUE-REF[^>]*>([^<]*)<", ("/A/B",))
    for kind in ("NUMERICAL-PARAM", "TEXTUAL-PARAM", "REFERENCE"):
        yield from replaced(text, f"(<ECUC-{kind}-VALUE>.*?</ECUC-{kind}-VALUE>)", ("",))


def toml(text: str) -> Iterator[tuple[str, str]]:
    yield from replaced(
        text, r'\b[a-z_]+ = ("[^"]*"|true|false|\d+)', ('"wrong"', "-1", "1.5", "true", "99999999999", "[]", "{}")
    )
    yield from replaced(text, r"(?<=\n)([a-z_]+ = [^\n]*\n)", ("",))


def giotto(text: str) -> Iterator[tuple[str, str]]:
    code = re.sub(r"//[^\n]*", lambda match: " " * len(match[0]), text)
    for what, changed in replaced(code, r"([A-Za-z_][A-Za-z_0-9]*|\d+|[(){;,])", ("", "zz", "7")):
        if what.split()[0] not in (*SECTIONS, "int"):
            yield what, changed


GOOD: dict[str, tuple[list[Path], Mutants]] = {
    "oil": (sorted((TESTS / "tool/oil/good").glob("*.oil")), oil),
    "arxml": (sorted((TESTS / "tool/arxml/good").glob("*.arxml")), arxml),
    "toml": (sorted((data_root() / "examples").glob("*/schedule.toml")), toml),
    "giotto": (sorted([*(TESTS / "giotto/programs").glob("*.giotto"), *(data_root() / "examples").glob("*/*.giotto")]), giotto),
}


@pytest.mark.parametrize("language", GOOD)
def test_one_change_gives_one_error(language: str, tmp_path: Path) -> None:
    files, mutants = GOOD[language]
    chance, tried, refused = random.Random(language), 0, 0
    for file in files:
        if errors(file):
            continue
        folder = shutil.copytree(file.parent, tmp_path / f"{tried}", ignore=shutil.ignore_patterns("build"))
        cases = list(mutants(file.read_text(encoding="utf-8", errors="replace")))
        for what, changed in chance.sample(cases, min(len(cases), few(120))):
            path = folder / f"changed{file.suffix}"
            path.write_text(changed, encoding="utf-8")
            found = errors(path)
            assert len(found) <= 1, (file.name, what, [str(error) for error in found])
            tried, refused = tried + 1, refused + len(found)
    assert refused > tried / 10
