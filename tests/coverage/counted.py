# SPDX-License-Identifier: Apache-2.0
"""What programs counted, read from ``llvm-cov show`` and merged over all of them.

A file of the kernel is compiled in many configurations.  What is counted is a place of the source, whatever the configuration:

1. A line counts if some program has code for it, and is reached if some program came there.
2. An outcome of a condition (true, false) counts if the condition is not constant in some program, and is reached if some
   program saw it there.
3. A condition of a decision with several conditions counts for MC/DC if it is not constant in some program, and is reached if
   one program saw a pair of evaluations that shows its independent effect.  Halves of pairs of two programs do not add up.

The JSON of ``llvm-cov export`` does not say which condition of a decision is constant, so this reads what ``show`` prints.
clang 19 has no MC/DC of a decision that has another one inside one of its conditions; its outcomes count as all others do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TypeVar

LINE = re.compile(r"^ *(\d+)\| *([\d.]+[kMGTPEZY]?)?\|")
WITHIN = re.compile(r"^ *(?:\|  )+\| *(\d+)\|[^|]*\|(.*)")
OUTCOMES = re.compile(r"\| +Branch \((\d+):(\d+)\): \[(?:(Folded)|True: ([^,]+), False: ([^\]]+))")
DECISION = re.compile(r"\|---> MC/DC Decision Region \((\d+):(\d+)\) to ")
CONDITION = re.compile(r"\| +Condition C(\d+) --> \((\d+):(\d+)\)")
PAIR = re.compile(r"\| +C(\d+)-Pair: (covered|not covered|constant folded)")

Key = TypeVar("Key")
Place = tuple[str, int, int]
"""A file, a line, a column: where a condition begins.  That of one in a macro is the line that uses the macro, column 0."""
Condition = tuple[Place, str]
"""A place, and of a condition in a macro its text there: the macro may stand elsewhere in another configuration."""


@dataclass
class Counted:
    """What one program, or several, have of each place, and whether it was reached."""

    lines: dict[tuple[str, int], bool] = field(default_factory=dict)
    outcomes: dict[tuple[Condition, bool], bool] = field(default_factory=dict)
    """By a condition and what it is."""
    conditions: dict[tuple[Place, Condition], bool] = field(default_factory=dict)
    """By the place of a decision, and one of its conditions."""

    def add(self, other: Counted) -> None:
        """Reached is what one of both has reached."""
        _add(self.lines, other.lines)
        _add(self.outcomes, other.outcomes)
        _add(self.conditions, other.conditions)


def _add(own: dict[Key, bool], others: Mapping[Key, bool]) -> None:
    for key, reached in others.items():
        own[key] = own.get(key, False) or reached


class _Reader:
    def __init__(self, root: str) -> None:
        self.counted = Counted()
        self._prefix = root.rstrip("/") + "/"
        self._file = ""
        self._line = 0
        self._macros: dict[int, str] = {}
        """The text of the lines that are shown within this one."""
        self._decision: Place | None = None
        self._conditions: dict[str, Condition] = {}
        """Those of the decision, by their number."""
        self._seen: dict[tuple[int, int], Condition] = {}

    def read(self, text: str) -> Counted:
        for line in text.splitlines():
            if line.startswith(self._prefix) and line.endswith(":"):
                self._file, self._seen = line.removeprefix(self._prefix)[:-1], {}
            elif found := LINE.match(line):
                self._line, self._macros = int(found[1]), {}
                if found[2] is not None:
                    _add(self.counted.lines, {(self._file, self._line): found[2] != "0"})
            elif within := WITHIN.match(line):
                self._macros[int(within[1])] = within[2]
            elif "|" in line:
                self._detail(line)
        return self.counted

    def _detail(self, line: str) -> None:
        # What a macro stands for is shown within the line that uses the macro.
        nested = line.lstrip().startswith("|  |")
        if found := OUTCOMES.search(line):
            at = int(found[1]), int(found[2])
            text = condition_at([self._macros.get(at[0], "")], 1, at[1]) or "macro"
            self._seen[at] = condition = ((self._file, self._line, 0), text) if nested else ((self._file, *at), "")
            if found[3] is None:
                _add(self.counted.outcomes, {(condition, True): found[4] != "0", (condition, False): found[5] != "0"})
        elif found := DECISION.search(line):
            self._decision = (self._file, self._line, 0) if nested else (self._file, int(found[1]), int(found[2]))
            self._conditions = {}
        elif found := CONDITION.search(line):
            at = int(found[2]), int(found[3])
            self._conditions[found[1]] = self._seen.get(at, ((self._file, *at), ""))
        elif (found := PAIR.search(line)) and self._decision is not None and found[2] != "constant folded":
            _add(self.counted.conditions, {(self._decision, self._conditions[found[1]]): found[2] == "covered"})


def read(text: str, root: str) -> Counted:
    """What ``llvm-cov show`` says of the files below a folder."""
    return _Reader(root).read(text)


@dataclass(frozen=True, slots=True)
class Part:
    """How many of something are reached."""

    reached: int
    of: int

    @property
    def percent(self) -> float:
        """Of all, rounded down to a tenth: what is not whole is never shown as 100."""
        return self.reached * 1000 // self.of / 10 if self.of else 100.0


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a file, or of several."""

    lines: Part
    outcomes: Part
    conditions: Part


def figures(counted: Counted, files: Iterable[str]) -> Figures:
    """Of some files together."""
    wanted = set(files)
    parts = (
        [reached for (file, _), reached in counted.lines.items() if file in wanted],
        [reached for ((place, _), _), reached in counted.outcomes.items() if place[0] in wanted],
        [reached for (place, _), reached in counted.conditions.items() if place[0] in wanted],
    )
    return Figures(*(Part(sum(part), len(part)) for part in parts))


def files(counted: Counted) -> list[str]:
    """All files that have code."""
    return sorted({file for file, _ in counted.lines})


def grouped(names: Iterable[str], groups: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """The files of each group: of the first one that has a pattern for it (``*`` stands for no slash)."""
    found: dict[str, list[str]] = {group: [] for group in groups}
    for name in names:
        for group, patterns in groups.items():
            if any(PurePosixPath("/", name).match("/" + pattern) for pattern in patterns):
                found[group].append(name)
                break
    return found


@dataclass(frozen=True, slots=True, order=True)
class Missed:
    """What no program reached.  ``what``: "true" or "false", an outcome; "alone", the independent effect (MC/DC)."""

    file: str
    line: int
    condition: str
    what: str


def missed(counted: Counted, root: Path) -> list[Missed]:
    """All of it, with the text of its condition, which is read from the source below a folder."""
    lines = {name: (root / name).read_text(encoding="utf-8").splitlines() for name in files(counted)}

    def said(condition: Condition) -> tuple[str, int, str]:
        (file, line, column), text = condition
        if column == 0:
            used = " ".join(lines[file][line - 1].removesuffix("\\").split())
            return file, line, f"{used} [{text}]"
        return file, line, condition_at(lines[file], line, column)

    found = {
        Missed(*said(c), "true" if outcome else "false") for (c, outcome), reached in counted.outcomes.items() if not reached
    }
    found.update(Missed(*said(c), "alone") for (_, c), reached in counted.conditions.items() if not reached)
    return sorted(found)


def condition_at(lines: list[str], line: int, column: int) -> str:
    """The condition that begins at a place, up to the operator or the bracket that ends it."""
    text = " ".join([lines[line - 1][column - 1 :], *(following.strip() for following in lines[line : line + 4])])
    depth = 0
    for at, character in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if depth < 0 or (depth == 0 and (text[at : at + 2] in ("&&", "||") or character in "?;{:")):
            text = text[:at]
            break
    return " ".join(text.split())
