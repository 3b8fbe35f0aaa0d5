# SPDX-License-Identifier: Apache-2.0
"""Services of schedule tables on cells, called at every instruction around the half and the end of a table.

Whatever the instruction, a call comes before or after what happens there: no activation is lost, and none comes twice or at
another time.  With CARILLON_TRIES every instruction is tried; without it some are.
"""

from __future__ import annotations

import pytest
from laboratory import AST, Laboratory

import asked
from carillon.trace import Kind

TICK = 300
TURN = 20
AROUND = range(-240, 61, 1 if asked.TRIES else 5)
"""Instructions from where the table's half or end is to where the call is made; a service takes less than 240."""
LATE = 200
"""Instructions by which a point is late at most: due while its cell is set (160, the board's lead), behind the end's handler."""
OK, NOFUNC, STATE = 0, 5, 7
T1 = 15
"""The offset of the later point of A."""
T2 = 5
"""The offset of B's point."""


def schedule(first: int, repeating: bool) -> str:
    tasks = "".join(f"[osek.task.{name}]\npriority = {n}\n" for n, name in enumerate(("Main", "T0", "T1", "T2"), 1))
    return f"""
[osek]
{tasks.replace("priority = 1", "priority = 1" + chr(10) + "autostart = true")}
[osek.counter.C]
tick = "{TICK} ticks"
max_allowed = 9999
[osek.schedule_table.A]
counter = "C"
duration = {TURN}
cells = true
{"repeating = true" + chr(10) + "followed = true" if repeating else ""}
point = [{{ offset = {first}, activate = ["T0"] }}, {{ offset = {T1}, activate = ["T1"] }}]
[osek.schedule_table.B]
counter = "C"
duration = {TURN}
repeating = true
cells = true
point = [{{ offset = {T2}, activate = ["T2"] }}]
"""


CODE = """
#include "carillon/work.h"
static volatile uint32_t begun;
TASK(T0)
{
    begun = 1u;
    TerminateTask();
}
TASK(T1) { TerminateTask(); }
TASK(T2) { TerminateTask(); }
TASK(Main)
{
    for (uint32_t k = 0u; k < COUNT; k++) {
        begun = 0u;
        (void)StartScheduleTableRel(A, 2u);
        BEFORE;
        while (begun == 0u) {
        }
        carillon_work(FIRST + (STEP * k));
        report("called", CALL);
        carillon_work(TURNS);
        (void)StopScheduleTable(A);
        (void)StopScheduleTable(B);
        carillon_work(TURNS);
    }
    carillon_port_halt();
}
"""


def goes_on(first: int, turns: int, follows: int = 0) -> tuple[tuple[int, str], ...]:
    """The points of so many turns of A, and of so many of B after them, from A's begin."""
    own = [(n * TURN + at, name) for n in range(turns) for at, name in ((first, "T0"), (T1, "T1"))]
    return (*own, *((n * TURN + T2, "T2") for n in range(turns, turns + follows)))


HALF, END = TURN // 2, TURN
FOLLOWS = "(void)NextScheduleTable(A, B)"
TURNS = 3
"""Turns after A's begin that are compared; what is called at its end, near the first one's, has happened for two."""
CASES = {
    "what follows is named at the half": (True, HALF, "", "NextScheduleTable(A, B)", {(OK, 1, 2)}),
    "what follows is named at the end": (True, END, "", "NextScheduleTable(A, B)", {(OK, 1, 2), (OK, 2, 1)}),
    "what follows is stopped at the half": (True, HALF, FOLLOWS, "StopScheduleTable(B)", {(OK, 3, 0)}),
    "what follows is stopped at the end": (True, END, FOLLOWS, "StopScheduleTable(B)", {(OK, 3, 0), (OK, 1, 0)}),
    "it is stopped at the end": (True, END, FOLLOWS, "StopScheduleTable(A)", {(OK, 1, 0), (NOFUNC, 1, 2)}),
    "what follows is started at the end": (True, END, FOLLOWS, "StartScheduleTableRel(B, 1u)", {(STATE, 1, 2)}),
    "once: what follows is named": (False, END, "", "NextScheduleTable(A, B)", {(OK, 1, 2), (NOFUNC, 1, 0)}),
    "once: what follows is stopped": (False, END, FOLLOWS, "StopScheduleTable(B)", {(OK, 1, 0)}),
    "once: it is stopped": (False, END, FOLLOWS, "StopScheduleTable(A)", {(OK, 1, 0), (NOFUNC, 1, 2)}),
}


@pytest.mark.parametrize("first", [0, 2])
@pytest.mark.parametrize("case", CASES)
def test_a_call_comes_before_or_after_but_never_amid(lab: Laboratory, case: str, first: int) -> None:
    repeating, near, before, call, allowed = CASES[case]
    until = (near - first) * TICK + AROUND.start - 30  # T0 takes a little before Main sees it
    words = {"COUNT": len(AROUND), "FIRST": until, "STEP": AROUND.step, "CALL": call, "TURNS": TURNS * TURN * TICK}
    code = CODE.replace("BEFORE", before or "(void)0")
    for word, value in words.items():
        code = code.replace(word, f"{value}u" if isinstance(value, int) else value)
    length = 3 * TURNS * TURN * TICK * len(AROUND)
    outcome = lab.run(schedule(first, repeating), code, AST, ticks=length)
    called = outcome.said("called")
    assert len(called) == len(AROUND)
    came = sorted((n, name) for name in ("T0", "T1", "T2") for n in outcome.at(Kind.ENTER, name))
    runs: list[list[tuple[int, str]]] = []
    for n, name in came:
        if not runs or n - runs[-1][-1][0] > 2 * TURN * TICK:
            runs.append([])
        runs[-1].append((n, name))
    assert len(runs) == len(AROUND)
    found = set()
    expected = {(status, goes_on(first, turns, follows)) for status, turns, follows in allowed}
    for status, run in zip(called, runs, strict=True):
        begin = run[0][0] // TICK - first
        shape = tuple((n // TICK - begin, name) for n, name in run if n // TICK - begin < TURNS * TURN)
        assert (status, shape) in expected, (len(found), status, run)
        assert max(n % TICK for n, _ in run) <= LATE, run
        found.add((status, shape))
    assert found == expected
