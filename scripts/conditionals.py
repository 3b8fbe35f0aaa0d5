#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many conditionals of the preprocessor stand in C files, and how many inside functions, structures and enumerations.

    python scripts/conditionals.py                    of kernel, ports and cells, by folder
    python scripts/conditionals.py kernel --files     by file
    python scripts/conditionals.py --most 525         ends with 1 if there are more inside bodies

A conditional is an ``#if``, ``#ifdef``, ``#ifndef`` or ``#elif``.  Comments and strings are removed, and what ``extern "C"``
encloses is no body.  An include guard is not counted.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
FOLDERS = ("kernel", "ports", "cells")
LONGEST = 80
_REMOVED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_EXTERN = re.compile(r'extern\s+"C"\s*\{')
_CONDITION = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif)\b")
_DIRECTIVE = re.compile(r"\s*#")


@dataclass(frozen=True)
class Count:
    """Of a file: ``lines`` of code, conditionals (``all``), those inside bodies, and functions that are too long, as text."""

    lines: int
    all: int
    inside: int
    long: tuple[str, ...]


def count(text: str) -> Count:
    """What a file has."""
    text = _EXTERN.sub(lambda found: " " * 4 + "\n" * found[0].count("\n"), text)
    text = _REMOVED.sub(lambda found: "\n" * found[0].count("\n") + " ", text)
    text = text.replace("\\\n", " ")
    lines = text.split("\n")
    guard = next((k for k, line in enumerate(lines) if line.strip()), 0)
    depth = found = inside = 0
    open_at: list[int] = []
    before: list[int] = []  # the depth at each conditional that is open: branches begin anew
    long: list[str] = []
    name = ""
    for number, line in enumerate(lines):
        if _DIRECTIVE.match(line):
            word = re.match(r"\s*#\s*(\w+)", line)
            kind = word[1] if word is not None else ""
            if kind in ("if", "ifdef", "ifndef"):
                before.append(depth)
            elif kind in ("elif", "else") and before:
                depth = before[-1]
                del open_at[depth:]
            elif kind == "endif" and before:
                before.pop()
            if _CONDITION.match(line) and number != guard:
                found += 1
                inside += depth > 0
            continue
        named = [word for word in re.findall(r"(\w+)\s*\(", line) if word != "__attribute__"]
        if depth == 0 and named and line[:1].strip():
            name = named[0]
        for sign in line:
            if sign == "{":
                open_at.append(number)
                depth += 1
            elif sign == "}" and depth:
                depth -= 1
                begin = open_at.pop() if open_at else number
                if depth == 0 and number - begin + 1 > LONGEST and name:
                    long.append(f"{name}: {number - begin + 1} lines")
        if depth == 0 and ";" in line:
            name = ""
    return Count(sum(bool(line.strip()) for line in lines), found, inside, tuple(long))


def main() -> int:
    """Print the counts; 1 if there are more inside bodies than asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", default=list(FOLDERS))
    parser.add_argument("--files", action="store_true", help="a line for each file that has some inside bodies")
    parser.add_argument("--most", type=int, help="how many there may be inside bodies")
    options = parser.parse_args()
    listed = subprocess.run(["git", "ls-files", *options.folders], cwd=TREE, capture_output=True, text=True, check=True)
    totals: dict[str, Counter[str]] = {}
    long: list[str] = []
    for path in sorted(name for name in listed.stdout.split() if name.endswith((".c", ".h"))):
        counted = count((TREE / path).read_text(encoding="utf-8"))
        where = path if options.files else str(Path(path).parent)
        total = totals.setdefault(where, Counter())
        total.update(lines=counted.lines, all=counted.all, inside=counted.inside)
        long += [f"{path}: {function}" for function in counted.long]
    whole: Counter[str] = Counter()
    print("inside    all  lines")
    for where, total in totals.items():
        whole.update(total)
        if total["inside"] or not options.files:
            print(f"{total['inside']:6} {total['all']:6} {total['lines']:6}  {where}")
    print(f"{whole['inside']:6} {whole['all']:6} {whole['lines']:6}  all")
    for one in long:
        print(f"more than {LONGEST} lines: {one}")
    return int(options.most is not None and whole["inside"] > options.most)


if __name__ == "__main__":
    sys.exit(main())
