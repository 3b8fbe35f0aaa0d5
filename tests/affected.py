# SPDX-License-Identifier: Apache-2.0
"""Which test files a change can concern: ``make affected`` runs these alone.

    python tests/affected.py                    what differs from the last commit, and files that are new
    python tests/affected.py --since main~3     what differs from another commit
    python tests/affected.py kernel/run/main.c as if these files had changed

A test file is concerned

1. by a Python file that it imports, or that one of these imports, and so on;
2. by a C file or header of the kernel that it has compiled, or that such a file includes: each run of the tests writes that
   down in ``build/tests/compiled``.  A test file of which nothing is written down is concerned if it builds or starts anything;
3. by any other file that it, or one of the helpers beside it, names: by the file's name or by one of its folders.

A file that concerns no test concerns all.  So does what decides how tests run: pyproject.toml, conftest.py and
the files of EVERYTHING.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
COMPILED = TREE / "build" / "tests" / "compiled"
EVERYTHING = (
    "pyproject.toml",
    "tests/conftest.py",
    "tests/asked.py",
    "tests/sample.py",
    "tests/touched.py",
    "tests/whole.py",
    "tests/affected.py",
    "Makefile",
    "scripts/setup.sh",
)
IN_C = (".c", ".h", ".S", ".cpp", ".hpp")
KERNEL = ("kernel", "ports", "cells", "devices", "boards", "emulators")
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)
BY_NAME = re.compile(r"import_module\(\s*f?[\"']([\w.]+?)\.?[{\"']")
BESIDE = re.compile(r"import_module\(\s*f[\"']\{\w*\.?__name__")
"""An import of a file of one's own package, by a name that is put together."""
BUILDS = re.compile(r"\b(subprocess|CliRunner|building|carillon\.build)\b")


def _modules(name: str, beside: Path) -> Iterator[Path]:
    """The files that an import of a name reads; none of another package's."""
    for root in (TREE / "tool", beside, TREE / "tests", TREE / "docs", TREE / "bench", TREE):
        place = root
        found: list[Path] = []
        for part in name.split("."):
            place = place / part
            if (place / "__init__.py").is_file():
                found.append(place / "__init__.py")
            elif place.with_suffix(".py").is_file():
                found.append(place.with_suffix(".py"))
                break
            elif not place.is_dir():
                break
        if found:
            yield from found
            return


@cache
def imports(file: Path) -> frozenset[Path]:
    """The files of the tree that a Python file imports itself, wherever in it."""
    text = file.read_text(encoding="utf-8")
    found: set[Path] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found |= set(_modules(alias.name, file.parent))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= set(_modules(node.module, file.parent))
            for alias in node.names:
                found |= set(_modules(f"{node.module}.{alias.name}", file.parent))
    for package in BY_NAME.findall(text):
        found |= {p for f in _modules(package, file.parent) for p in f.parent.glob("*.py")}
    if BESIDE.search(text):
        found |= set(file.parent.glob("*.py"))
    return frozenset(found - {file})


def closure(files: Iterable[Path]) -> set[Path]:
    """Python files with all that they import."""
    found, left = set[Path](), list(files)
    while left:
        file = left.pop()
        if file not in found:
            found.add(file)
            left += imports(file)
    return found


@cache
def _included(file: Path) -> frozenset[Path]:
    """A C file with all headers of the tree that it may include, whatever the conditions."""
    found, left = set[Path](), [file]
    while left:
        it = left.pop()
        if it in found or not it.is_file():
            continue
        found.add(it)
        for name in INCLUDE.findall(it.read_text(encoding="utf-8", errors="replace")):
            left += [p for p in (TREE / name, it.parent / name, TREE / "kernel" / "api" / name) if p.is_file()]
            left += sorted((TREE / "ports").glob(f"*/{name}")) + sorted((TREE / "boards").glob(f"*/{name}"))
            left += sorted((TREE / "cells").glob(name))
    return frozenset(found)


def compiled() -> dict[str, set[Path]]:
    """By test file, the sources that its tests have compiled, by what was written down."""
    found: dict[str, set[Path]] = {}
    for record in COMPILED.glob("*.json"):
        for test, sources in json.loads(record.read_text(encoding="utf-8")).items():
            found.setdefault(test, set()).update(TREE / s for s in sources)
    return found


def test_files() -> list[Path]:
    """All files with tests."""
    return sorted((TREE / "tests").rglob("test_*.py"))


def concerned(changed: Iterable[str], record: dict[str, set[Path]] | None = None) -> list[Path]:
    """The test files that changes of files, by their paths from the tree's root, can concern."""
    record = compiled() if record is None else record
    every, found = test_files(), set[Path]()
    for name in changed:
        path = TREE / name
        if name in EVERYTHING or (name.startswith("tests/") and Path(name).name == "conftest.py"):
            return every
        own = {test for test in every if _concerns(path, test, record)}
        if not own:
            return every
        found |= own
    return sorted(found)


def _concerns(path: Path, test: Path, record: dict[str, set[Path]]) -> bool:
    if path == test:
        return True
    uses = closure([test])
    if path.suffix == ".py" and path in uses:
        return True
    name = str(test.relative_to(TREE))
    of_the_kernel = path.suffix in IN_C and path.relative_to(TREE).parts[0] in KERNEL
    if of_the_kernel and name in record:
        return any(path in _included(source) for source in record[name])
    helpers = [test, *(p for p in uses if p.is_relative_to(TREE / "tests"))]
    text = "\n".join(p.read_text(encoding="utf-8") for p in helpers)
    if of_the_kernel:
        return bool(BUILDS.search(text))
    words = {path.name, *(p.name for p in path.relative_to(TREE).parents if p.name not in ("", "tests", "tool"))}
    words |= {path.stem} if path.suffix != ".md" else set()
    return path.suffix != ".py" and any(re.search(rf"[\"'/]{re.escape(word)}[\"'/]", text) for word in words)


def differences(since: str) -> list[str]:
    """What differs from a commit, and files that Git does not know yet."""
    commands = (["diff", "--name-only", since, "--"], ["ls-files", "--others", "--exclude-standard"])
    said = [subprocess.run(["git", *c], cwd=TREE, capture_output=True, text=True, check=False) for c in commands]
    if said[0].returncode:
        raise SystemExit(f"affected: {said[0].stderr.strip()}")
    return [line for one in said for line in one.stdout.splitlines()]


def main() -> int:
    """The command: the test files, one a line; what it found goes to standard error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE", help="as if these had changed; what Git says if none is named")
    parser.add_argument("--since", default="HEAD", metavar="COMMIT", help="what differs from it (HEAD)")
    given = parser.parse_args()
    changed = given.files or differences(given.since)
    unknown = [name for name in given.files if not (TREE / name).exists()]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}")
    found = concerned(changed) if changed else []
    print(f"affected: {len(changed)} changed, {len(found)} of {len(test_files())} files of tests", file=sys.stderr)
    for path in found:
        print(path.relative_to(TREE))
    return 0


if __name__ == "__main__":
    sys.exit(main())
