# SPDX-License-Identifier: Apache-2.0
"""The names that the tool reads in images are those that the kernel's C and the generated C have."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from verified_symbols import row_of

from carillon import c_names

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tool" / "carillon"
NAME = re.compile(r"carillon_[a-z0-9_]+")
READERS = ("export", "run", "stacks", "trace", "verify")
WRITERS = ("emit", "image")


def literals(folder: str) -> dict[str, str]:
    """The names in the strings of a package, each with a file that has it; of f-strings, what is not filled in."""
    found: dict[str, str] = {}
    for path in sorted((TOOL / folder).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        texts = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
                whole = NAME.fullmatch(node.value) is not None and id(node) not in parts
                found.update(dict.fromkeys([node.value] if whole else [], str(path.relative_to(ROOT))))
    return found


def written() -> set[str]:
    """All names of the kernel's C, of the ports, cells and emulators, and of the tool's emitters."""
    names: set[str] = set()
    for folder in ("kernel", "ports", "cells", "emulators", "boards"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".c", ".h", ".S", ".ld", ".mjs"):
                names |= set(NAME.findall(path.read_text(encoding="utf-8")))
    for folder in WRITERS:
        for path in (TOOL / folder).rglob("*.py"):
            names |= set(NAME.findall(path.read_text(encoding="utf-8")))
    return names


@pytest.mark.parametrize("folder", READERS)
def test_what_is_read_in_images_is_what_c_has(folder: str) -> None:
    """A name of C, the beginning of one, or one that is generated, which ``verified_symbols`` knows."""
    known = written()
    begun = {name[: k + 1] for name in known for k, sign in enumerate(name) if sign == "_"}
    names = literals(folder).items()
    assert {name: path for name, path in names if name not in known | begun and row_of(name) is None} == {}


def test_generated_names_of_the_schedules_objects_stand_in_one_list() -> None:
    kinds = [name for name in vars(c_names) if name.islower() and callable(getattr(c_names, name))]
    pattern = re.compile(rf"carillon_(?:{'|'.join(kinds)})_(?:\{{|\"|\()")
    for path in sorted(TOOL.rglob("*.py")):
        if path.name != "c_names.py":
            assert not pattern.search(path.read_text(encoding="utf-8")), path
