# SPDX-License-Identifier: Apache-2.0
"""The tool's passes import in one direction: the order of ``docs/DESIGN.md``, which is read from there."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from carillon.frontends import FOREIGN, PROGRAM, SCHEDULE

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "tool" / "carillon"
BEGIN, END = "<!-- begin: order of imports -->", "<!-- end: order of imports -->"
CHECKER = "verify"
WRITERS = {"image", "emit"}
MAKERS = {"lower", "allocate", "advise", "image", "emit", "actions"}
CORE = {"model", "read", "check", *MAKERS, "timing", "trace", "run", "show", "verify"}
OTHERS_LANGUAGES = re.compile(r"\b(oil|arxml|autosar.xml)\b", re.IGNORECASE)


def order() -> list[str]:
    """The parts of the tool in the order in which they may import: each only those before it."""
    text = (ROOT / "docs" / "DESIGN.md").read_text(encoding="utf-8")
    rows = text.split(BEGIN)[1].split(END)[0].splitlines()
    return [row.split("`")[1] for row in rows if row.startswith("| `")]


def modules() -> dict[str, Path]:
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(tree: ast.Module, known: dict[str, Path]) -> Iterator[tuple[int, str, bool]]:
    """The tool's modules that a module imports: the line, the name, and whether only for its types."""
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in known else node.module for name in full]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        yield from ((node.lineno, name, id(node) in for_types) for name in names if name.split(".")[0] == "carillon")


def part(module: str) -> str:
    return module.split(".")[1] if "." in module else "carillon"


def backward(sources: dict[str, str], places: dict[str, int]) -> list[str]:
    """Imports against the order, each with its place; those for types alone count too."""
    known = dict.fromkeys(sources, PACKAGE)
    return [
        f"{module}:{line} imports {name}"
        for module, text in sorted(sources.items())
        for line, name, _ in imports(ast.parse(text), known)
        if part(name) != part(module) and places[part(name)] >= places[part(module)]
    ]


def circle(sources: dict[str, str]) -> list[str]:
    """Modules that import each other in a circle when the tool runs; empty if none do."""
    known = dict.fromkeys(sources, PACKAGE)
    graph = {m: {n for _, n, types in imports(ast.parse(t), known) if not types and n != m} for m, t in sources.items()}
    while True:
        used = set().union(*graph.values())
        inner = {m: targets & graph.keys() for m, targets in graph.items() if m in used and targets & graph.keys()}
        if inner.keys() == graph.keys():
            return sorted(graph)
        graph = inner


def sources() -> dict[str, str]:
    return {name: path.read_text(encoding="utf-8") for name, path in modules().items()}


def test_no_import_runs_backward() -> None:
    names = order()
    assert sorted(names) == sorted({part(m) for m in modules()}), "docs/DESIGN.md, 'One direction', has another list of parts"
    assert backward(sources(), {name: k for k, name in enumerate(names)}) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circle(sources()) == []


def test_verify_shares_no_code_with_what_it_checks() -> None:
    known = modules()
    found = [
        f"{module} imports {name}"
        for module, text in sources().items()
        if part(module) == CHECKER
        for _, name, types in imports(ast.parse(text), known)
        if part(name) in MAKERS and not types
    ]
    assert found == []


def test_image_and_emit_read_what_earlier_passes_made_and_call_none_that_reads_checks_or_compiles() -> None:
    known = modules()
    found = [
        f"{module} imports {name}"
        for module, text in sources().items()
        if part(module) in WRITERS
        for _, name, _ in imports(ast.parse(text), known)
        if part(name) in {"read", "check"}
    ]
    assert found == []


def test_no_pass_names_a_language() -> None:
    """They see tables and models; only ``read`` says what another language calls a key (``read/schema_osek.py``)."""
    known = modules()
    imported = [
        f"{module} imports {name}"
        for module, text in sources().items()
        if part(module) in CORE
        for _, name, _ in imports(ast.parse(text), known)
        if part(name) == "frontends"
    ]
    assert imported == []
    named = {module for module, text in sources().items() if part(module) in CORE - {"read"} and OTHERS_LANGUAGES.search(text)}
    assert named == set()


def test_each_language_is_a_folder_with_the_functions_that_are_asked_of_it() -> None:
    for language in (SCHEDULE, PROGRAM, *FOREIGN):
        assert (PACKAGE / "frontends" / language.folder / "__init__.py").is_file()
        asked = ["read", *["read_foreign"] * (language in FOREIGN), *["program_of", "program_bounds"] * (language is PROGRAM)]
        assert all(callable(getattr(language.module, name)) for name in asked)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from carillon.emit import text", ["carillon.lower:1 imports carillon.emit.text"]),
        ("def f():\n    import carillon.emit", ["carillon.lower:2 imports carillon.emit"]),
        ("from carillon.model import System", []),
    ],
)
def test_a_backward_import_is_found(text: str, found: list[str]) -> None:
    known = {"carillon.lower": text, "carillon.emit": "", "carillon.emit.text": "", "carillon.model": ""}
    assert backward(known, {"model": 0, "lower": 1, "emit": 2}) == found


def test_a_circle_is_found() -> None:
    known = {"carillon.a": "import carillon.b", "carillon.b": "from carillon.a import x", "carillon.c": "import carillon.a"}
    assert circle(known) == ["carillon.a", "carillon.b"]


def missing(text: str) -> list[str]:
    """What a program imports of the tool and the tool has not, each with its line."""
    absent = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            names = [(node.module or "", alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [(alias.name, "") for alias in node.names]
        else:
            continue
        absent += [f"{node.lineno}: {m}.{n}".rstrip(".") for m, n in names if m.split(".")[0] == "carillon" and not has(m, n)]
    return absent


def has(module: str, name: str) -> bool:
    """Whether the tool has this module, and in it this name or a module of this name (none if it is empty)."""
    try:
        holder = importlib.import_module(module)
        return not name or hasattr(holder, name) or bool(importlib.import_module(f"{module}.{name}"))
    except ModuleNotFoundError:
        return False


def test_every_program_imports_what_the_tool_has() -> None:
    """No type checker goes through ``docs``, ``examples`` and most of ``bench``: who runs them would find a moved module."""
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, check=True, capture_output=True, text=True)
    programs = [name for name in listed.stdout.splitlines() if not name.startswith("tool/") and (ROOT / name).exists()]
    absent = [f"{name}:{what}" for name in programs for what in missing((ROOT / name).read_text(encoding="utf-8"))]
    assert len(programs) > 100
    assert absent == []


def test_a_missing_import_is_found() -> None:
    text = "import ast\nimport carillon.nowhere\nfrom carillon.model import System, Nobody\nfrom carillon import emit"
    assert missing(text) == ["2: carillon.nowhere", "3: carillon.model.Nobody"]
