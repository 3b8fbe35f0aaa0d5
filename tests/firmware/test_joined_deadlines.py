# SPDX-License-Identifier: Apache-2.0
"""Deadlines of two tasks whose cells have one interrupt source: each miss is told of its task, at its tick, and no other.

On the mps2-an385 the halves of the dual timer share a source; three activations leave no other.  The reference board has a
source for each, so that what the handlers there find is what is right.
"""

from __future__ import annotations

import pytest
from laboratory import AST, MPS, Laboratory, Outcome, declared, points, task

from carillon.model.board import Role
from carillon.trace import Kind

ROUND = 20_000
CONTINUE = 'on_deadline_miss = "continue"'
COUNT = (
    "static volatile uint32_t missed;\nvoid ttErrorHook(ttStatusType error);\n"
    "void ttErrorHook(ttStatusType error)\n{\n(void)error;\nmissed++;\n}\n"
)


def run(lab: Laboratory, board: str, first: int, second: int, work: str, rounds: int, other: str = "") -> Outcome:
    """A and B with a deadline each, and C, which leaves the two no source of their own."""
    schedule = declared(A=0, B=0, C=0) + points(ROUND, (0, "A", first), (3000, "B", second), (19_000, "C"))
    code = COUNT + "static uint32_t count;\n" + task("A", work) + task("B", other or work)
    code += task("C", f'if (count == {2 * rounds}u) {{ report("missed", missed); }}')
    return lab.run(schedule, code, board, system=CONTINUE, rounds=rounds)


def misses(outcome: Outcome) -> list[tuple[int, str]]:
    return [(e.t, e.object) for e in outcome.events(Kind.DEADLINE_MISSED)]


def is_joined(outcome: Outcome) -> bool:
    sources = [c.source for name in "AB" for c in outcome.carriers(Role.DEADLINE, name)]
    return len(set(sources)) == 1


EVERY = "static uint32_t own;\ncount++;\ncarillon_work((own++ / {} % 2u == 0u) ? 8000u : 20u);"


@pytest.mark.parametrize(("first", "second"), [(2000, 8000), (7000, 8000), (8000, 8000)])
def test_what_joined_deadlines_find_is_what_those_apart_find(lab: Laboratory, first: int, second: int) -> None:
    joined, apart = (run(lab, board, first, second, EVERY.format(1), 8, EVERY.format(2)) for board in (MPS, AST))
    assert is_joined(joined)
    assert not is_joined(apart)
    assert misses(joined) == misses(apart)
    assert {name for _, name in misses(joined)} == {"A", "B"}
    assert joined.said("missed") == apart.said("missed")
    assert joined.said("missed")[0] > 0


def test_a_task_that_ends_about_its_deadline_is_late_or_not_whatever_the_other_does(lab: Laboratory) -> None:
    """A overruns always, and B preempts it and ends a tick later each round, from before its deadline to behind it."""
    sweep = "static uint32_t own;\ncount++;\ncarillon_work(4960u + own++);"
    outcome = run(lab, MPS, 8000, 8000, "count++;\ncarillon_work(12000u);", 60, sweep)
    assert is_joined(outcome)
    told = misses(outcome)
    late = [t for t, name in told if name == "B"]
    assert sum(name == "A" for _, name in told) == 60
    assert 0 < len(late) < 60
    assert late[0] // ROUND == 60 - len(late), "once it is late it stays so"
    assert outcome.said("missed") == [len(told)]
