# SPDX-License-Identifier: Apache-2.0
"""The files of ``kernel/time`` call in one direction: the order of ``docs/DESIGN.md``, which is read from there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "kernel" / "time"
BEGIN, END = "<!-- begin: order of the time services -->", "<!-- end: order of the time services -->"
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
DEFINITION = re.compile(r"^(?!static (?!inline)|typedef)[a-z][^;{}()#=]*?\b(\w+)\([^;{}]*\)\n\{", re.MULTILINE)


def order() -> list[str]:
    """The parts, each of which may use those before it."""
    text = (ROOT / "docs" / "DESIGN.md").read_text(encoding="utf-8")
    rows = text.split(BEGIN)[1].split(END)[0].splitlines()
    return [row.split("`")[1] for row in rows if row.startswith("| `")]


def part(name: str) -> str:
    """A part has a .c file, headers, or both: of the queue and of the clock, one is what others inline."""
    return name.split(".")[0].removesuffix("_steps").removesuffix("_types")


def sources() -> dict[str, str]:
    """The text of each part, without comments."""
    files = sorted(FOLDER.iterdir())
    found: dict[str, str] = {}
    for path in files:
        found[part(path.name)] = found.get(part(path.name), "") + COMMENT.sub("", path.read_text(encoding="utf-8"))
    return found


def backward(parts: dict[str, str], names: list[str]) -> list[str]:
    """What a part uses of one after it: a function that is defined there, or a header."""
    owners = {function: name for name, text in parts.items() for function in DEFINITION.findall(text)}
    found = []
    for name, text in parts.items():
        later = set(names[names.index(name) + 1 :])
        used = {word: owners.get(word, name) for word in re.findall(r"\w+", text)}
        used |= {header: part(header) for header in re.findall(r'#include "(?:kernel/time/)?(\w+\.h)"', text)}
        found += [f"{name} uses {word} of {owner}" for word, owner in sorted(used.items()) if owner in later]
    return found


def test_the_files_of_the_time_services_call_in_one_direction() -> None:
    parts, names = sources(), order()
    assert sorted(parts) == sorted(names), "docs/DESIGN.md, 'The time services', has another list of parts"
    assert backward(parts, names) == []


def test_every_part_but_the_last_is_used() -> None:
    """The names of functions are found: otherwise nothing could be backward."""
    parts, names = sources(), order()
    assert len(backward(parts, names[::-1])) > 15


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("void first(void)\n{\n    due();\n}\n", ["a uses due of b"]),
        ('#include "b.h"\n', ["a uses b.h of b"]),
        ("static void first(void)\n{\n    other();\n}\n", []),
    ],
)
def test_a_backward_use_is_found(text: str, found: list[str]) -> None:
    assert backward({"a": text, "b": "bool due(void)\n{\n}\nstatic int other(void)\n{\n}\n"}, ["a", "b"]) == found
