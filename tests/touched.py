# SPDX-License-Identifier: Apache-2.0
"""Which test functions a change touches: their own text, or that of a helper or fixture in their file, is another than before.
Or a file has changed that they name, in the folder beside the test that has the test's name.

Before is the last commit that a branch has in common with the one it follows, where it has others; or else the commit before this
one.  ``CARILLON_SINCE`` names another.  Files that Git does not know yet are changes, too.
Comments and the breaking of lines do not count.
"""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[1]
REST = ""
"""The name of the statements of a file that give nothing a name: they concern all that is in it."""


def _git(*arguments: str) -> str | None:
    said = subprocess.run(["git", *arguments], cwd=TREE, capture_output=True, text=True, check=False)
    return said.stdout if said.returncode == 0 else None


def before() -> str | None:
    """The commit that the change is compared with; nothing where Git knows none."""
    if named := os.environ.get("CARILLON_SINCE"):
        if _git("rev-parse", "--verify", "--quiet", f"{named}^{{commit}}") is None:
            raise pytest.UsageError(f"CARILLON_SINCE: there is no commit {named}")
        return named
    common, head = _git("merge-base", "HEAD", "@{upstream}"), _git("rev-parse", "HEAD")
    if common and common != head:
        return common.strip()
    return "HEAD~1" if _git("rev-parse", "--verify", "--quiet", "HEAD~1") else None


def _named(statement: ast.stmt) -> Iterator[tuple[str, ast.stmt]]:
    """What a statement of a file gives a name, and the part of it that does."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name, statement
    elif isinstance(statement, ast.Import):
        for alias in statement.names:
            yield alias.asname or alias.name.partition(".")[0], ast.Import([alias])
    elif isinstance(statement, ast.ImportFrom):
        for alias in statement.names:
            yield alias.asname or alias.name, ast.ImportFrom(statement.module, [alias], statement.level)
    else:
        found = [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        yield from ((name, statement) for name in found or [REST])


def _is_prose(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def definitions(text: str) -> dict[str, list[ast.stmt]]:
    """By name, the statements of a file that give it its meaning."""
    found: dict[str, list[ast.stmt]] = {}
    for statement in ast.parse(text).body:
        for name, part in () if _is_prose(statement) else _named(statement):
            found.setdefault(name, []).append(part)
    return found


def _uses(statement: ast.stmt) -> set[str]:
    """The names in a statement: of what it calls and reads, and of the fixtures that a function takes, also those in a string."""
    found = set[str]()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):  # usefixtures("name"), getattr
            found.add(node.value)
    return found


def touched(old: str, new: str, files: Collection[str] = ()) -> set[str]:
    """The test functions of a file that a change of its text touches; those of a class by the name of the class.

    ``files``: the names of what has changed in the folder beside it.  It touches what has such a name in a string.
    """
    was, now = definitions(old), definitions(new)
    dumped = {name: list(map(ast.dump, statements)) for name, statements in was.items()}
    changed = {name for name, statements in now.items() if list(map(ast.dump, statements)) != dumped.get(name)}
    everywhere = {REST, "pytestmark"}
    everywhere |= {name for name, statements in now.items() if any("autouse=True" in ast.unparse(s) for s in statements)}
    named = {name: set[str]().union(*map(_uses, statements)) for name, statements in now.items()}
    changed |= {name for name in now if named[name] & set(files)}
    uses = {name: named[name] & now.keys() for name in now}
    while more := {name for name in now if name not in changed and uses[name] & changed}:
        changed |= more
    tests = {name for name in now if name.lower().startswith("test")}
    return tests if changed & everywhere else tests & changed


def touched_functions() -> Mapping[Path, set[str]] | None:
    """By test file, the test functions that the change touches; nothing where Git has no commit to compare with."""
    since = before()
    if since is None:
        return None
    differ = _git("diff", "--name-only", "--diff-filter=d", since, "--", "tests") or ""
    unknown = _git("ls-files", "--others", "--exclude-standard", "--", "tests") or ""
    beside: dict[Path, set[str]] = {}
    for name in sorted({*differ.splitlines(), *unknown.splitlines()}):
        path = TREE / name
        if path.name.startswith("test_") and path.suffix == ".py":
            beside.setdefault(path, set())
        elif (test := path.parent.with_suffix(".py")).name.startswith("test_") and test.is_file():
            beside.setdefault(test, set()).add(path.name)
    found: dict[Path, set[str]] = {}
    for path, files in beside.items():
        old = _git("show", f"{since}:{path.relative_to(TREE).as_posix()}") or ""
        found[path] = touched(old, path.read_text(encoding="utf-8"), files)
    return found
