# SPDX-License-Identifier: Apache-2.0
"""The board in RTL: what starts a task takes the same cycles each time, and a round is exact for ever.

A tick is a cycle.  The counts are those of hardware/README.md, which explains them cycle by cycle.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from laboratory import Laboratory, declared, points, task

from carillon.diagnostics import Diagnostics
from carillon.model.board import Role
from carillon.run import record

ROOT = Path(__file__).resolve().parents[2]
BOARD = "cv32e40x-rtl"
HIGHEST, PREEMPTABLE = 6, 14
"""Cycles from a cell's request to the first instruction of a task: that nothing can preempt, and that something can."""
LOOP = "for (unsigned k = 0u; k < 60u; k++) { work++; }"
WORKS = "static volatile unsigned work; " + task("Low", LOOP) + task("High", "work++;")
MIXED = """
    static unsigned seed = 1u;
    for (unsigned k = 0u; k < 16u; k++) {
        seed = seed * 1664525u + 1013904223u;
        for (unsigned turn = seed >> 30; turn != 0u; turn--) { work = work * 3u; }
        work = ((seed >> 29) != 0u) ? (work ^ seed) : (work + k);
    }
"""


def delays(lab: Laboratory, low: str) -> tuple[set[int], set[int]]:
    """Of a thousand starts over the idle loop, and of starts over a task that does ``low``."""
    high = [(131 + 499 * k, "High") for k in range(4)]
    schedule = declared(Low=1200, High=60) + points(1996, (40, "Low"), *high)
    outcome = lab.run(schedule, "static volatile unsigned work; " + task("Low", low) + task("High", "work++;"), BOARD, rounds=500)
    assert outcome.delays("Low") == {PREEMPTABLE}
    found: tuple[set[int], set[int]] = set(), set()
    low_runs = [run for run in outcome.summary.runs if run.lane.name == "Low"]
    counts = [0, 0]
    for run in outcome.summary.runs:
        if run.lane.name == "High" and run.release is not None:
            over = any(it.begin.n < run.release.at < it.end.n for it in low_runs if it.end is not None)
            found[over].add(run.begin.n - run.release.at)
            counts[over] += 1
    assert counts[0] >= 1000
    assert counts[1] >= 300
    return found


def test_a_task_begins_after_the_same_cycles(lab: Laboratory) -> None:
    """What has begun with memory is finished first, and then no division: see the board's page."""
    idle, over = delays(lab, MIXED)
    assert idle == {HIGHEST}
    assert min(over) == HIGHEST
    assert max(over) <= HIGHEST + 3


def test_a_task_that_another_mode_calls_from_a_handler_is_called_in_both(lab: Laboratory) -> None:
    """Low is a handler by itself in the first mode, and in the second its cell has two points to move to."""
    sup = task("Sup", "static unsigned n; n++; (void)ttSwitchAppMode((n % 2u) != 0u ? ttAppMode_b : ttAppMode_a);")
    a = points(6003, (300, "Low"), (350, "High"), (1000, "Sup"), mode="a")
    b = points(8003, (100, "Sup"), (1300, "Low"), (1450, "High"), (2500, "Low"), (2540, "High"), mode="b")
    schedule = declared(Low=600, High=60, Sup=200) + a + b
    outcome = lab.run(schedule, WORKS + sup, BOARD, system='start_mode = "a"', rounds=12)
    assert outcome.trace.stopped == ""
    assert [mode for _, mode in outcome.trace.modes][:4] == ["a", "b", "a", "b"]
    assert outcome.task("Low").activations == outcome.task("High").activations
    assert outcome.delays("Sup") == {PREEMPTABLE}


@pytest.mark.parametrize("board", [BOARD, "ast1030-evb"])
def test_a_run_that_ends_while_a_mode_is_left_tells_nothing_of_a_round_that_never_began(lab: Laboratory, board: str) -> None:
    sup = task("Sup", "(void)ttSwitchAppMode(ttAppMode_b);")
    a = points(10_003, (0, "Low", 1200), (2000, "Sup"), (9000, "High", 10_003), mode="a")
    schedule = declared(Low=900, High=100, Sup=200) + a + points(8003, (0, "Low", 1500), mode="b")
    outcome = lab.run(schedule, WORKS + sup, board, system='start_mode = "a"', ticks=11_400)
    assert outcome.trace.stopped == ""
    assert outcome.task("Low").activations == 1
    assert outcome.task("Low").deadlines_missed == outcome.task("Low").unstarted == 0


@pytest.mark.parametrize("kernel", ["carillon", "conventional"])
def test_a_task_that_preempts_itself_in_turns_is_lowered(lab: Laboratory, kernel: str) -> None:
    """Each preempts the other at some point of the round, so that no levels serve: what comes later runs first."""
    schedule = declared(A=900, B=900) + points(6000, (100, "A"), (400, "B"), (3000, "B"), (3300, "A"))
    code = "static volatile unsigned work; " + task("A", LOOP) + task("B", LOOP)
    outcome = lab.run(schedule, code, BOARD, kernel=kernel, rounds=20)
    assert outcome.task("A").activations == outcome.task("B").activations == 40
    assert outcome.task("A").preemptions == outcome.task("B").preemptions == 20


def test_the_engine_runs_as_its_plan_says(lab: Laboratory) -> None:
    outcome = lab.run_file(ROOT / "examples/engine/schedule.toml", BOARD, ticks=300_000)
    assert outcome.task("InjectionSupervision").activations == 6


def test_an_access_to_nothing_ends_the_run_and_says_where(lab: Laboratory) -> None:
    code = task("Low", "*(volatile unsigned *)0xFFFFFB00u = 1u; *(volatile unsigned *)0x50000000u = 1u;")
    planned, firmware = lab.firmware(lab.write(declared(Low=600) + points(2000, (300, "Low")), code), BOARD)
    diagnostics = Diagnostics()
    assert record(planned.image, firmware, 4000, diagnostics) is None
    (said,) = diagnostics.reported
    assert said.code == "C095"
    assert re.search(r"access to 0x50000000, where nothing is, in cycle \d+, after the instruction at 0x[0-9a-f]+", said.cause)


def test_an_exception_ends_the_run_as_a_fault(lab: Laboratory) -> None:
    code = task("Low", '__asm__ volatile(".word 0");')
    trace = lab.run(declared(Low=600) + points(2000, (300, "Low")), code, BOARD).trace
    assert trace.stopped == "a fault, or an interrupt that nobody uses (carillon_port_unexpected)"


def test_an_interrupt_above_the_only_task_preempts_it(lab: Laboratory) -> None:
    """Nothing of the round is above the task, so that by the round alone it would be a handler that nothing preempts."""
    code = task("Low", "carillon_port_pend(48u); work++;") + task("Asked", "work++;")
    schedule = '[interrupt.Asked]\nsource = "soft0"\n' + declared(Low=600) + points(4000, (300, "Low"))
    outcome = lab.run(schedule, "static volatile unsigned work; " + code, BOARD, rounds=20)
    assert outcome.task("Low").preemptions == 20


def test_cells_with_many_points_are_moved_to_each_of_them(lab: Laboratory) -> None:
    """A variable of them is reached from gp, and the build verifies that, too."""
    at = [(500 + 950 * k + 17 * (k * k % 11), ("Low", "High", "Third")[k % 3]) for k in range(120)]
    third = task("Third", "work++;")
    outcome = lab.run(
        declared(Low=450, High=100, Third=100) + points(120_000, *at, window="wcet"), WORKS + third, BOARD, rounds=5
    )
    for name in ("Low", "High", "Third"):
        assert len(outcome.cells(Role.ACTIVATION, name)) == 1
        assert outcome.task(name).activations == 200
        assert len(outcome.delays(name)) == 1
