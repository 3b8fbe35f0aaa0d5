# SPDX-License-Identifier: Apache-2.0
"""Execution and lock budgets that the clock of the time services keeps, where no cell can.

The programs and models are those of budgets on cells (:mod:`test_budgets`, :mod:`test_lock_budgets`).  What differs is when an
overrun is seen that comes while the application masks interrupts: where it enables them.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import test_budgets
from laboratory import AST, MPS, VIRTUAL_AST, Laboratory

CLOCKS = {
    "one-shot": "",
    "beside services": '[time]\nclock = "one-shot"\n',
    "tickless": '[time]\nclock = "one-shot"\ntickless = true\n',
}


def by_clock(schedule: str, clock: str = "one-shot") -> str:
    return (
        schedule.replace("\nevents = ", "\nstack = 1024\nevents = ").replace("[osek]\n", '[osek]\nbudgets = "clock"\n')
        + CLOCKS[clock]
    )


def jobs_of(lab: Laboratory, drawn: test_budgets.Drawn, board: str, ticks: int, clock: str, masks: bool) -> test_budgets.Jobs:
    """The jobs that a program notes; ``masks``: it disables interrupts, too."""
    code = drawn.code if masks else drawn.code.replace("draw() % 8u", "3u + (draw() % 5u)")
    assert masks or code != drawn.code
    code = code.replace("4096", "400") if board in SMALL else code
    outcome = lab.run(by_clock(drawn.schedule, clock), code, board, ticks=ticks)
    found: test_budgets.Jobs = [[] for _ in range(test_budgets.TASKS + 1)]
    assert outcome.reported[-1:] == [("whole", len(outcome.reported) - 1)]
    for what, value in outcome.reported[:-1]:
        found[value >> 24].append((what == "ended", value & 0xFFFFFF))
    return found


SMALL = ("microbit", "atmega128")
"""Boards with little memory: few jobs."""
EXACT = [
    (VIRTUAL_AST, "one-shot", 1),
    (VIRTUAL_AST, "beside services", 2),
    (VIRTUAL_AST, "one-shot", 8),
    (VIRTUAL_AST, "tickless", 9),
]


@pytest.mark.parametrize(("clock", "seed"), EXACT)
@pytest.mark.parametrize("masks", [False, True])
def test_a_job_has_exactly_its_budget_whatever_preempts_it(lab: Laboratory, clock: str, seed: int, masks: bool) -> None:
    drawn = test_budgets.Drawn.of(seed, 80, 200, 20, 120)
    late = 0
    found = jobs_of(lab, drawn, VIRTUAL_AST, 40_000_000, clock, masks)
    for task, jobs in enumerate(found):
        for number, (ended, done) in enumerate(jobs):
            amount, budget = drawn.amount(task, number), drawn.budgets[task]
            if not budget or amount < budget:
                assert (ended, done) == (True, amount), (task, number)
            else:  # its last chunk does not come back, unless interrupts are masked meanwhile
                assert (ended, done) in [(False, budget - 1), (False, budget)][: 1 + masks], (task, number)
                late += done == budget
    everything = [job for jobs in found for job in jobs]
    assert 100 < sum(ended for ended, _ in everything) < len(everything) - 100
    assert late > 10 if masks else late == 0


@pytest.mark.parametrize("board", [AST, MPS, "qemu-rv32-virt", "microbit", "raspberry-pi-pico", "atmega128"])
def test_a_job_has_its_budget_where_services_take_time(lab: Laboratory, board: str) -> None:
    chunk = {"microbit": 40, "raspberry-pi-pico": 100, "atmega128": 5_000}.get(board, 4_000)
    drawn = replace(test_budgets.Drawn.of(3, chunk, 12, 20, 60), calm=5)
    found = jobs_of(lab, drawn, board, 8_000 * chunk, "one-shot", True)
    counts = [0, 0]
    for task, jobs in enumerate(found):
        budget = drawn.budgets[task]
        for number, (ended, done) in enumerate(jobs):
            amount = drawn.amount(task, number)
            counts[ended] += 1
            if not budget or amount <= 0.7 * budget:
                assert (ended, done) == (True, amount), (task, number)
            elif amount >= budget + 1:
                assert not ended, (task, number)
            if not ended:
                assert 0.7 * budget <= done <= budget, (task, number)
    assert min(counts) > 5
