# SPDX-License-Identifier: Apache-2.0
"""What mutate.py changes: each mutant is one change of one line, which an operator makes; and which of them are argued."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mutant:
    """A change of a line, counted from 1."""

    file: str
    line: int
    operator: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.operator}: {self.old.strip()}  ->  {self.new.strip() or '(nothing)'}"


def _each(pattern: str, replace: str | Callable[[re.Match[str]], str]) -> Callable[[str], Iterator[str]]:
    """A line with one of the places that a pattern fits replaced, for each of them."""
    compiled = re.compile(pattern)

    def change(line: str) -> Iterator[str]:
        for match in compiled.finditer(line):
            new = replace(match) if callable(replace) else match.expand(replace)
            yield line[: match.start()] + new + line[match.end() :]

    return change


STATEMENT = r"^(\s+)(?!return|break|continue|goto|case|default|const |static |struct |uint|bool |volatile |u?int\d|for|typedef)"
OPERATORS: tuple[tuple[str, Callable[[str], Iterator[str]]], ...] = (
    ("no lock", _each(r"carillon_(osek|software)_lock\(\)", r"carillon_\1_mask()")),
    ("no lock", _each(r"carillon_port_lock\(\)", "0u")),
    ("no mask", _each(r"carillon_port_raise\([^()]*(\([^()]*\))?[^()]*\)", "carillon_port_mask()")),
    ("no unlock", _each(r"^(\s*)carillon_(osek|port)_(unlock|restore|lower)\(([^;]*)\);", r"\1(void)(\4);")),
    ("no barrier", _each(r"^(\s*)carillon_port_barrier\(\);", r"\1;")),
    ("no barrier", _each(r"(\\n)?\s*\b(isb|dsb|dmb)\b", "")),
    ("no instruction", _each(r'^(\s*(?:__asm__ volatile\()?)"\s*(?!\.)[a-z][a-z0-9.]* [^"]*\\n(\\t)?"', r'\1""')),
    ("no statement", _each(STATEMENT + r"[A-Za-z_(*][^;{}=]*\);\s*(/\*.*)?$", r"\1;")),
    ("no statement", _each(STATEMENT + r"[A-Za-z_*(][^;{}()]*\s[-+|&]?=\s[^;]*;\s*(/\*.*)?$", r"\1;")),
    ("no statement", _each(STATEMENT + r"[A-Za-z_][^;{} ]*(\+\+|--);$", r"\1;")),
    ("condition", _each(r"\b(if|while) \((.*)\) \{$", r"\1 (!(\2)) {")),
    ("comparison", _each(r" < ", " <= ")),
    ("comparison", _each(r" <= ", " < ")),
    ("comparison", _each(r" > ", " >= ")),
    ("comparison", _each(r" >= ", " > ")),
    ("comparison", _each(r" == ", " != ")),
    ("comparison", _each(r" != ", " == ")),
    ("comparison", _each(r'(?<=")b(le|hi)(?= )', lambda m: {"le": "blt", "hi": "bhs"}[m[1]])),
    ("logic", _each(r" && ", " || ")),
    ("logic", _each(r" \|\| ", " && ")),
    ("arithmetic", _each(r" \+ ", " - ")),
    ("arithmetic", _each(r" - ", " + ")),
    ("arithmetic", _each(r"\+\+", "--")),
    ("arithmetic", _each(r"(?<=\w)--", "++")),
    ("bits", _each(r" \|= ", " &= ")),
    ("bits", _each(r" &= ~", " |= ")),
    ("constant", _each(r"\b(\d+)u\b", lambda m: f"{int(m[1]) + 1}u")),
)


def mutants(root: Path, file: str) -> Iterator[Mutant]:
    """All mutants of a file.  Comments and preprocessor lines stay, but a cell's definitions are most of what it does."""
    begins = (" ", "\t", "#define ") if file.startswith("cells/") else (" ", "\t")
    comment = False
    for number, line in enumerate((root / file).read_text(encoding="utf-8").splitlines(), 1):
        code = line
        if comment:
            comment = "*/" not in line
            continue
        if line.lstrip().startswith("/*"):
            comment = "*/" not in line
            continue
        if not line.startswith(begins) or not line.strip():
            continue
        seen = {line}
        for name, change in OPERATORS:
            for new in change(code.split(" /*")[0]):
                if new not in seen:
                    seen.add(new)
                    yield Mutant(file, number, name, line, new)


def by_hand(root: Path, file: str, line: int, text: str) -> Mutant:
    """A mutant that no operator makes."""
    return Mutant(file, line, "by hand", (root / file).read_text(encoding="utf-8").splitlines()[line - 1], text)


def files(root: Path) -> list[str]:
    """What is changed: C files and headers of the kernel and the cells, but the empty cell to copy."""
    named = subprocess.run(["git", "ls-files", "kernel", "cells"], cwd=root, capture_output=True, text=True, check=True)
    return [f for f in named.stdout.splitlines() if f.endswith((".c", ".h")) and "template" not in f]


@dataclass(frozen=True, slots=True)
class Argued:
    """Mutants that no test is to notice, and why.  ``line``: its text, without what it begins with and without a comment.

    ``becomes``: its text in the mutant, where the operator changes the line in several ways of which others are noticed.
    ``times``: how many mutants these are, where the line stands there more than once or all of its changes are meant.
    """

    file: str
    line: str
    operator: str
    why: str
    becomes: str = ""
    times: int = 1

    def fits(self, mutant: Mutant) -> bool:
        """Is it about this mutant?"""
        old, new = (text.split(" /*")[0].strip() for text in (mutant.old, mutant.new))
        about = (mutant.file, old, mutant.operator) == (self.file, self.line, self.operator)
        return about and self.becomes in ("", new)


def read_argued(path: Path) -> list[Argued]:
    """The table of what is argued."""
    return [Argued(**table) for table in tomllib.loads(path.read_text(encoding="utf-8")).get("mutant", [])]


def stale(argued: list[Argued], root: Path) -> Iterator[str]:
    """What is argued of mutants that there are not, or that are more or fewer than it says."""
    for one in argued:
        there = list(mutants(root, one.file)) if (root / one.file).is_file() else []
        count = sum(map(one.fits, there))
        if count != one.times:
            yield f"argued of {one.times}, but there are {count}: {one.file}: {one.operator}: {one.line}"
