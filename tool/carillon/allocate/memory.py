# SPDX-License-Identifier: Apache-2.0
"""What searches have found, kept in files: the same problem is not searched a second time.

A file is named by the content of all that the search depends on.  This is the problem, the limit of its work, the code of this
package and the version of the solver.  The file says only where the search ended.  It is counted anew before it is used, and a
file that is damaged, or does not hold what it claims, is as good as none.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from carillon.allocate.problem import Choice, Problem, Solution
from carillon.allocate.solve import ModeSolver
from carillon.diagnostics import Span
from carillon.files import write_text

MOST = 1024
"""Files that are kept; the oldest go first."""


def default_folder() -> Path | None:
    """Where files are kept: ``CARILLON_CACHE``, or else the user's cache; None if that variable is empty."""
    folder = os.environ.get("CARILLON_CACHE")
    if folder is not None:
        return Path(folder) if folder else None
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        return Path(base).expanduser() / "carillon"
    except RuntimeError:  # no home
        return None


class Memory:
    """Files of earlier solutions in one folder; the folder is made when the first file is written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def recall(self, solver: ModeSolver) -> Solution | None:
        """The stored solution of the solver's problem; None if no file exists, or the file is invalid."""
        try:
            text = self._path(solver).read_text(encoding="utf-8")
            told, check = json.loads(text)
            if check != _digest(json.dumps(told)):
                return None
            return _solution(solver, told)
        except (OSError, ValueError, TypeError, KeyError, IndexError):
            return None

    def keep(self, solver: ModeSolver, solution: Solution) -> None:
        """Store a solution; if the file cannot be written, a later run searches again."""
        choices = [
            None if choice is None else [options.splits.index(choice.split), list(choice.classes), choice.lowered]
            for options, choice in zip(solver.problem.options, solution.choices, strict=True)
        ]
        told = {"choices": choices, "overhead": solution.overhead, "bound": solution.bound, "levels": solution.fewest_levels}
        try:
            write_text(self._path(solver), json.dumps([told, _digest(json.dumps(told))]) + "\n")
            kept = sorted(self.folder.glob("*.json"), key=lambda p: p.stat().st_mtime)
            for path in kept[:-MOST]:
                path.unlink(missing_ok=True)
        except OSError:
            pass

    def _path(self, solver: ModeSolver) -> Path:
        return self.folder / f"{key(solver.problem, solver.limit)}.json"


def _solution(solver: ModeSolver, told: dict[str, Any]) -> Solution | None:
    """The solution that a file describes; None if it breaks a rule or its figures are wrong."""
    problem = solver.problem
    choices: list[Choice | None] = []
    for options, stored in zip(problem.options, told["choices"], strict=True):
        if stored is None:
            choices.append(None)
            continue
        split, classes, lowered = stored
        choices.append(Choice(options.splits[range(len(options.splits))[split]], tuple(classes), bool(lowered)))
    overhead, bound, levels = int(told["overhead"]), int(told["bound"]), bool(told["levels"])
    if not solver.judge.keeps(choices) or solver.judge.count(choices) != overhead or not 0 <= bound <= overhead:
        return None
    return Solution(choices, overhead, bound, bound == overhead, levels)


def key(problem: Problem, limit: float) -> str:
    """The name of a problem's file: a digest of the problem, the limit, the solver's version and this package's code."""
    return _digest("\n".join([_code(), metadata.version("ortools"), repr(float(limit)), repr(content(problem))]))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:40]


@cache
def _code() -> str:
    """A digest of this package's code, on which the decisions depend."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"\0".join(p.read_bytes() for p in sources)).hexdigest()


def content(value: object) -> object:
    """All that a value says, in what is printed the same in each run: sets in order, no places in files."""
    if value is None or isinstance(value, (str, int, float, Fraction)):
        return value
    if isinstance(value, (Span, Path)):
        return None
    if isinstance(value, Enum):
        return type(value).__name__, value.name
    if isinstance(value, (set, frozenset)):
        return sorted(map(content, value), key=repr)
    if isinstance(value, (tuple, list)):
        return [content(member) for member in value]
    if isinstance(value, (dict, BaseModel)):  # a model may have a field that is called as a method of dictionaries
        return [(content(name), content(member)) for name, member in (value.items() if isinstance(value, dict) else value)]
    if is_dataclass(value):
        return type(value).__name__, [content(getattr(value, f.name)) for f in fields(value)]
    raise TypeError(f"{type(value).__name__} has no content that could be compared")
