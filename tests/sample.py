# SPDX-License-Identifier: Apache-2.0
"""Which cases of tests with parameters run by default: a part of each test's, drawn by the commit.

The hash of the commit is the draw.  Another commit draws other cases; the same commit draws the same ones, in each process and on
each machine.  ``CARILLON_DRAW`` says another draw: so what one commit has drawn is repeated in the tree of another.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

SHARE = 80
"""By default, one of so many cases of a test runs, and at least one."""
COSTLY = 8
"""By default, a case that is marked as costly takes part in the draw of one of so many commits."""
MOST = 40
"""So many cases may run more than the draw has, because a change touches their functions: else the time would know no bound."""

Case = Mapping[str, Hashable]
"""A parameter's name and its value, for each parameter of a case."""


def _commit() -> str:
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    said = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    return said.stdout.strip() or "none"


DRAW = os.environ.get("CARILLON_DRAW") or _commit()
os.environ["CARILLON_DRAW"] = DRAW  # all processes that the tests start draw the same, also if a commit is made meanwhile


def rank(draw: str, *what: object) -> bytes:
    """Where a thing stands in the order of a draw."""
    return sha256("\0".join(map(str, (draw, *what))).encode()).digest()


def turn(what: str, count: int, draw: str = DRAW) -> int:
    """A number below ``count`` that turns with the commit, for a test that takes one of so many parts."""
    return int.from_bytes(rank(draw, what)) % count


def spread(tests: Mapping[str, Sequence[Case]], share: int, draw: str) -> dict[str, set[int]]:
    """Of each test's cases a part, 1 in ``share`` and at least one: their indices.  Together they have every value.

    Those that come first in the order of the draw run.  Where a value is missing then that two cases have, also of different
    tests, the next is the one whose values the cases before it have least often.  A value that one case alone has is no reason
    to take it.
    """
    often = Counter(value for cases in tests.values() for case in cases for value in case.items())
    used: Counter[tuple[str, Hashable]] = Counter()
    order = {name: sorted(range(len(cases)), key=lambda k: rank(draw, name, k)) for name, cases in tests.items()}
    chosen: dict[str, set[int]] = {name: set() for name in tests}

    def values(name: str, k: int) -> list[tuple[str, Hashable]]:
        return [value for value in tests[name][k].items() if often[value] > 1]

    def take(name: str, among: Iterable[int]) -> None:
        for k in among:
            chosen[name].add(k)
            used.update(values(name, k))

    for name, first in order.items():
        take(name, first[: -(-len(first) // share)])
    for name in sorted(tests, key=lambda name: rank(draw, name)):
        while lacking := [k for k in order[name] if any(not used[value] for value in values(name, k))]:
            take(name, [min(lacking, key=lambda k: sorted(used[value] for value in values(name, k)))])
    return chosen


def few(number: int) -> int:
    """How many random cases a test tries: all in a search (tests/search.py), else a quarter, since every run tries the same."""
    return number if os.environ.get("CARILLON_SEARCH") else -(-number // 4)
