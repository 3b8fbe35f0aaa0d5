# SPDX-License-Identifier: Apache-2.0
"""The files of the kernel call in one direction, but where extensions attach: the order is read from ``docs/DESIGN.md``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ORDER = "order of the kernel"
"""How the list is marked."""
SPLIT = ("clock", "levels", "jobs", "counters", "time", "run")
"""Folders of which each part is one; any other folder but the services' headers is a part."""
COMMENT = re.compile(r"/\*.*?\*/|__attribute__\(\(\w+\)\)", re.DOTALL)
PROTOTYPE = re.compile(r"^(?:extern )?[a-z][\w \*]*\b(\w+)\([^;{]*\)\s*;", re.MULTILINE)
TYPE = re.compile(r"\b(?:struct|union|enum) \w+")
DEFINITION = re.compile(r"^(?P<kind>(?!typedef)[A-Za-z][^;{}()#=]*?)\b(?P<name>\w+)\)?\([^;{}]*\)\n\{", re.MULTILINE)
BELOW = {
    "carillon_budget_overrun": "core",  # the budgets of rounds tell OSEKtime: kernel.h declares that
    "conventional/counters.h": "clock/queue",  # what the conventional kernel has in the queue's place
}
"""What is used below its part, beside what attach.h declares."""


def order() -> list[str]:
    """The parts, each of which may use those before it."""
    text = (ROOT / "docs" / "DESIGN.md").read_text(encoding="utf-8")
    rows = text.split(f"<!-- begin: {ORDER} -->")[1].split(f"<!-- end: {ORDER} -->")[0].splitlines()
    return [row.split("`")[1] for row in rows if row.startswith("| `")]


def part(path: Path) -> str:
    """In a folder that is split, a part is the files whose names begin with its name."""
    folder = path.parent.name
    return f"{folder}/{re.split('[._]', path.name)[0]}" if folder in SPLIT else folder


def sources() -> dict[str, str]:
    """The text of each part, without comments and attributes."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "kernel").glob("*/*.[ch]")):
        found[part(path)] = found.get(part(path), "") + COMMENT.sub("", path.read_text(encoding="utf-8"))
    return found


def attached() -> set[str]:
    """What the kernel may call of parts above: the functions that ``attach.h`` declares."""
    text = COMMENT.sub("", (ROOT / "kernel" / "levels" / "attach.h").read_text(encoding="utf-8"))
    return {found[1] for found in PROTOTYPE.finditer(text)}


def backward(parts: dict[str, str], names: list[str], may: frozenset[str] = frozenset()) -> list[str]:
    """What a part uses of one after it, but for what it ``may``: a function that is defined there, or a header.

    A name that does not begin with ``carillon_`` may be a variable's: it is used if it is called, and the part has no such
    function itself.  To declare a function is not to use it.
    """
    own = {name: {found["name"] for found in DEFINITION.finditer(text)} for name, text in parts.items()}
    owners: dict[str, str] = {}  # the first of them: two may have functions of the same name to themselves
    for name in names:
        for found in DEFINITION.finditer(parts[name]):
            if not found["kind"].startswith("static ") or "inline " in found["kind"]:
                owners.setdefault(found["name"], name)
    uses = []
    for name, text in parts.items():
        later = set(names[names.index(name) + 1 :])
        body = TYPE.sub("", PROTOTYPE.sub("", text))
        words = set(re.findall(r"\bcarillon_\w+|\b\w+(?=\()", body)) - own[name]
        used = {word: owners.get(word, name) for word in words - may}
        used |= {f"{header}.h": part(Path(f"{header}.h")) for header in re.findall(r'#include "kernel/(\w+/\w+)\.h"', text)}
        uses += [f"{name} uses {word} of {owner}" for word, owner in sorted(used.items()) if owner in later]
    return uses


def test_the_files_of_the_kernel_call_in_one_direction_but_where_extensions_attach() -> None:
    parts, names = sources(), order()
    assert sorted(parts) == sorted(names), f"docs/DESIGN.md, {ORDER}: another list of parts"
    may = attached()
    assert len(may) == 28, "docs/DESIGN.md says how many there are"
    found = backward(parts, names, frozenset(may))
    assert [use for use in found if use.split()[2] not in BELOW] == []
    assert {use.split()[2]: use.split()[0] for use in found} == BELOW


def test_most_parts_are_used_by_others() -> None:
    """The names of functions are found: otherwise nothing could be backward."""
    parts, names = sources(), order()
    assert len(backward(parts, names[::-1])) > 60
    assert len(backward(parts, names)) > 8  # where extensions attach


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("void first(void)\n{\n    due();\n}\n", ["a uses due of b"]),
        ('#include "kernel/b/first.h"\n', ["a uses b/first.h of b"]),
        ("void due(void);\nbool due(void) ;\n", []),
        ("static void first(void)\n{\n    other();\n}\n", []),
        ("static int due(void)\n{\n}\nvoid first(void)\n{\n    due();\n}\n", []),
        ("void first(int due)\n{\n    (void)due;\n}\n", []),
    ],
)
def test_a_backward_use_is_found(text: str, found: list[str]) -> None:
    assert backward({"a": text, "b": "bool due(void)\n{\n}\nstatic int other(void)\n{\n}\n"}, ["a", "b"]) == found
