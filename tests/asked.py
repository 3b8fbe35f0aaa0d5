# SPDX-License-Identifier: Apache-2.0
"""What is asked for of the tests by variables: CONTRIBUTING.md has the table of them.

``CARILLON_TRIES`` has one value for all tests, and each counts in its own unit: pairs, schedules, programs, uploads.  With a
number, a run draws other cases than the one before.  Their seed is in ``CARILLON_SEED``, so that all processes of the run have
it, and so that the command that repeats a failure has it, too.
"""

from __future__ import annotations

import os
import random

ALL = "all"
TRIES = os.environ.get("CARILLON_TRIES", "")
if TRIES.isdecimal():
    os.environ.setdefault("CARILLON_SEED", str(random.randrange(10**6)))
elif TRIES not in ("", ALL):
    raise SystemExit(f"CARILLON_TRIES: '{TRIES}' is neither a number nor '{ALL}'")


def all_cases() -> bool:
    """Whether each test runs with all its cases."""
    return os.environ.get("CARILLON_SUITES") == ALL


def searches() -> bool:
    """Whether a number of tries is asked for, so that the cases are others each time."""
    return TRIES.isdecimal()


def tries(default: int, of: int | None = None) -> int:
    """How many things a random test tries; ``of``: how many there are, if their number has an end."""
    if TRIES == ALL:
        return default if of is None else of
    return int(TRIES or default)


def step(count: int, default: int) -> int:
    """Of ``count`` things in a row, a test tries every so manieth: as many as are asked for, or else every ``default``-th."""
    return max(1, count // max(1, tries(0, count))) if TRIES else default


def seed(default: object) -> str:
    """What a random test draws from."""
    return os.environ.get("CARILLON_SEED") or str(default)
