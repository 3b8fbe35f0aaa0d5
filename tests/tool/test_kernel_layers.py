# SPDX-License-Identifier: Apache-2.0
"""The files of ``kernel/time`` and ``kernel/osek`` call in one direction: the orders of ``docs/DESIGN.md``, read from there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ORDERS = {"time": "order of the time services", "osek": "order of the event-triggered kernel"}
"""The folders, and how the list of each is marked."""
COMMENT = re.compile(r"/\*.*?\*/|__attribute__\(\(\w+\)\)", re.DOTALL)
DEFINITION = re.compile(r"^(?P<kind>(?!typedef)[A-Za-z][^;{}()#=]*?)\b(?P<name>\w+)\)?\([^;{}]*\)\n\{", re.MULTILINE)


def order(folder: str) -> list[str]:
    """The parts, each of which may use those before it."""
    text = (ROOT / "docs" / "DESIGN.md").read_text(encoding="utf-8")
    mark = ORDERS[folder]
    rows = text.split(f"<!-- begin: {mark} -->")[1].split(f"<!-- end: {mark} -->")[0].splitlines()
    return [row.split("`")[1] for row in rows if row.startswith("| `")]


def part(name: str) -> str:
    """A part is the files whose names begin with its name: a .c file, a header, and others with a word more."""
    return re.split(r"[._]", name)[0]


def sources(folder: str) -> dict[str, str]:
    """The text of each part, without comments and attributes."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "kernel" / folder).iterdir()):
        found[part(path.name)] = found.get(part(path.name), "") + COMMENT.sub("", path.read_text(encoding="utf-8"))
    return found


def backward(parts: dict[str, str], names: list[str]) -> list[str]:
    """What a part uses of one after it: a function that is defined there, or a header.

    A name that does not begin with ``carillon_`` may be a variable's: it is used if it is called, and the part has no such
    function itself.
    """
    own = {name: {found["name"] for found in DEFINITION.finditer(text)} for name, text in parts.items()}
    owners = {
        found["name"]: name
        for name, text in parts.items()
        for found in DEFINITION.finditer(text)
        if not found["kind"].startswith("static ") or "inline " in found["kind"]
    }
    found = []
    for name, text in parts.items():
        later = set(names[names.index(name) + 1 :])
        words = set(re.findall(r"\bcarillon_\w+|\b\w+(?=\()", text)) - own[name]
        used = {word: owners.get(word, name) for word in words}
        headers = re.findall(r'#include "(?:kernel/(?:osek|time)/)?(\w+\.h)"', text)
        used |= {header: part(header) for header in headers if part(header) in parts}
        found += [f"{name} uses {word} of {owner}" for word, owner in sorted(used.items()) if owner in later]
    return found


@pytest.mark.parametrize("folder", ORDERS)
def test_the_files_of_a_folder_call_in_one_direction(folder: str) -> None:
    parts, names = sources(folder), order(folder)
    assert sorted(parts) == sorted(names), f"docs/DESIGN.md, {ORDERS[folder]}: another list of parts"
    assert backward(parts, names) == []


@pytest.mark.parametrize("folder", ORDERS)
def test_most_parts_are_used_by_others(folder: str) -> None:
    """The names of functions are found: otherwise nothing could be backward."""
    parts, names = sources(folder), order(folder)
    assert len(backward(parts, names[::-1])) > 15


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("void first(void)\n{\n    due();\n}\n", ["a uses due of b"]),
        ('#include "b.h"\n', ["a uses b.h of b"]),
        ("static void first(void)\n{\n    other();\n}\n", []),
        ("static int due(void)\n{\n}\nvoid first(void)\n{\n    due();\n}\n", []),
        ("void first(int due)\n{\n    (void)due;\n}\n", []),
    ],
)
def test_a_backward_use_is_found(text: str, found: list[str]) -> None:
    assert backward({"a": text, "b": "bool due(void)\n{\n}\nstatic int other(void)\n{\n}\n"}, ["a", "b"]) == found
