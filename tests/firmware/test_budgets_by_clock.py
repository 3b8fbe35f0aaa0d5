# SPDX-License-Identifier: Apache-2.0
"""Execution and lock budgets that the clock of the time services keeps, where no cell can.

The programs and models are those of budgets on cells (:mod:`test_budgets`, :mod:`test_lock_budgets`).  What differs is when an
overrun is seen that comes while the application masks interrupts: where it enables them.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest
import test_budgets
import test_lock_budgets as locks
from laboratory import AST, MPS, VIRTUAL_AST, Laboratory

from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan
from carillon.resources import board_names

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
    slow = 'clock = "2MHz"\n' if board == "atmega128" else ""  # so that no ISR takes a quarter of the counter's range
    outcome = lab.run(by_clock(drawn.schedule, clock), code, board, system=slow, ticks=ticks)
    return test_budgets.jobs_in(outcome.reported)


SMALL = ("microbit", "atmega128")
"""Boards with little memory: few jobs."""
EXACT = [("one-shot", 1), ("beside services", 2), ("one-shot", 8), ("tickless", 9)]


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
    chunk = {"microbit": 40, "raspberry-pi-pico": 100, "atmega128": 700}.get(board, 4_000)
    drawn = replace(test_budgets.Drawn.of(3, chunk, 12, 20, 60), calm=5)
    found = jobs_of(lab, drawn, board, 8_000 * chunk, "one-shot", True)
    assert test_budgets.share(drawn, found, 0.7, masked=1) > 5


def masked_end(job: tuple[tuple[int, int], ...]) -> tuple[int, int]:
    """The error with which a job ends, and at which operation: not while it masks interrupts.

    A limit that is over then is the one that is told, whatever is released after it.  Each release puts the mask back.
    """
    now, masked, saved = 0.0, False, dict.fromkeys(range(len(locks.LOCKS)), False)
    limits: dict[int, float] = {-1: locks.EXECUTION}
    over: int | None = None
    for place, (kind, value) in enumerate(job):
        now += value if kind == locks.WORK else 0.0
        nearest = min(limits, key=lambda lock: limits[lock])
        if over is None and now >= limits[nearest]:
            over = locks.TIME if nearest < 0 else locks.LOCKED
        if over is not None and not masked:
            return over, place
        if kind == locks.TAKE:
            if over is None and locks.BUDGETS[value]:
                limits[value] = now + locks.BUDGETS[value]
            masked, saved[value] = masked or value >= locks.RESOURCES, masked
        elif kind == locks.RELEASE:
            if over is None:
                limits.pop(value, None)
            masked = saved[value]
            if over is not None and not masked:
                return over, place
    return 0, len(job)


def nests(job: tuple[tuple[int, int], ...]) -> bool:
    """Whether what is taken last is released first: else what is masked depends on what has come between."""
    held: list[int] = []
    for kind, value in job:
        if kind == locks.TAKE:
            held.append(value)
        elif kind == locks.RELEASE and held.pop() != value:
            return False
    return True


def test_a_job_ends_where_its_nearest_limit_does_and_nothing_is_masked(lab: Laboratory) -> None:
    drawn = locks.Drawn.of(11, 3000)
    text = by_clock(locks.schedule(1, "software"))
    said = lab.run(text, drawn.code(1), VIRTUAL_AST, ticks=1_000_000 * len(drawn.jobs)).reported
    got = [(value >> 16, value & 0xFFFF) for _, value in said]
    expected = [masked_end(job) for job in drawn.jobs]
    nested = [k for k, job in enumerate(drawn.jobs) if nests(job)]
    assert [(k, got[k], expected[k]) for k in nested if got[k] != expected[k]] == []
    assert len(nested) > 1000
    assert min([expected[k][0] for k in nested].count(error) for error in (0, locks.TIME, locks.LOCKED)) > 50
    assert sum(expected[k] != locks.end(drawn.jobs[k]) for k in nested) > 100


TICKED = """
static volatile uint32_t began, turns;
ProtectionReturnType ProtectionHook(StatusType error)
{
    const uint32_t now = carillon_now();
    (void)error;
    report("struck", now - began);
    return PRO_TERMINATETASKISR;
}
TASK(Other) { carillon_work(2600u); TerminateTask(); }
TASK(Job)
{
    began = carillon_now();
    for (;;) {
        carillon_work(130u * (turns % 9u + 1u));
        if ((turns % 3u) == 1u) {
            (void)ActivateTask(Other);
        }
    }
}
TASK(Main)
{
    for (turns = 0; turns < 30u; turns++) {
        carillon_work(70u * turns);
        (void)ActivateTask(Job);
    }
    report("whole", turns);
    TerminateTask();
}
"""


@pytest.mark.parametrize("board", [VIRTUAL_AST, AST, "atmega128"])
def test_a_clock_that_ticks_counts_the_ticks_that_come_while_the_job_runs(lab: Laboratory, board: str) -> None:
    """Budget: five ticks of 1000.  The other task takes 2600 each time, and what comes in them is not the job's."""
    schedule = '[osek]\nhooks = ["protection"]\n[osek.task.Main]\npriority = 1\nautostart = true\n'
    schedule += '[osek.task.Job]\npriority = 2\nbudget = "5000 ticks"\n[osek.task.Other]\npriority = 3\n'
    schedule = schedule.replace("[osek]\n", '[osek]\nbudgets = "clock"\n')
    schedule += '[time]\nclock = "periodic"\ntick = "1000 ticks"\nnow = true\n'
    said = lab.run(schedule, '#include "carillon/time.h"\n' + TICKED, board, ticks=3_000_000).reported
    assert said[-1] == ("whole", 30)
    assert {name for name, _ in said[:-1]} == {"struck"}
    alone = [ticks for k, (_, ticks) in enumerate(said[:-1]) if k % 3 != 1]
    others = [ticks for k, (_, ticks) in enumerate(said[:-1]) if k % 3 == 1]
    # The budget, and the tick that had begun: a tick may come before the job looks at the time.
    assert max(alone) == 6 and set(alone) <= ({6} if board == VIRTUAL_AST else {5, 6})
    assert min(others) > max(alone)


BUDGET = '[osek]\nbudgets = "clock"\nhooks = ["protection"]\n[osek.task.Job]\npriority = 1\nautostart = true\nbudget = "%s"\n%s'
HOOK = "ProtectionReturnType ProtectionHook(StatusType e) { (void)e; return PRO_SHUTDOWN; }\n"
JOB = HOOK + 'TASK(Job) { report("ended", 1u); TerminateTask(); }\n'
REFUSED = {
    "C188 shorter": (
        BUDGET % ("400 ticks", '[time]\nclock = "periodic"\ntick = "1000 ticks"\n'),
        "C188 the budget of task 'Job', 25.6us, is shorter than a tick of the clock, 64us",
    ),
    "C188 longer": (
        BUDGET % ("3000000000 ticks", ""),
        "C188 the budget of task 'Job', 192s, is more than the clock can tell at once, 137.438953s",
    ),
    "C184 rounds": (
        BUDGET % ("400 ticks", '[task.Round]\nperiod = "1ms"\n'),
        "C184 task 'Job' has an execution budget, and budgets are not kept by the clock beneath rounds",
    ),
}


@pytest.mark.parametrize("which", REFUSED)
def test_a_budget_that_the_clock_cannot_keep_is_refused(tmp_path: Path, which: str) -> None:
    schedule, cause = REFUSED[which]
    (tmp_path / "schedule.toml").write_text(schedule, encoding="ascii")
    diagnostics = Diagnostics()
    with contextlib.suppress(CarillonError):
        plan(tmp_path / "schedule.toml", diagnostics, AST)
    said = [f"{it.code} {it.cause}" for it in diagnostics.reported]
    assert any(line.startswith(cause) for line in said), said


@pytest.mark.parametrize("kernel", ["carillon", "conventional"])
def test_the_conventional_kernel_keeps_none(lab: Laboratory, kernel: str) -> None:
    if kernel == "carillon":
        assert lab.run(BUDGET % ("400 ticks", ""), JOB, VIRTUAL_AST, ticks=10_000).reported == [("ended", 1)]
        return
    with pytest.raises((AssertionError, CarillonError), match="C184"):
        lab.run(BUDGET % ("400 ticks", ""), JOB, VIRTUAL_AST, ticks=10_000, kernel=kernel)


ENDS = [(bits, budget) for bits in (16, 32) for budget in (1, 2, 3, (1 << (bits - 1)) - 2, (1 << (bits - 1)) - 1)]


@pytest.mark.parametrize(("bits", "budget"), ENDS)
def test_the_shortest_and_the_longest_budget(lab: Laboratory, bits: int, budget: int) -> None:
    schedule = '[osek]\nbudgets = "clock"\nhooks = ["protection"]\n[osek.task.Main]\npriority = 1\nautostart = true\n'
    schedule += f'[osek.task.Job]\npriority = 2\nbudget = "{budget} ticks"\n'
    schedule += f'[time]\nclock = "one-shot"\nbits = {bits}\n' if bits == 16 else ""
    most = 60_000 if bits == 16 else 4_294_967_295
    code = (
        "static volatile uint32_t amount;\n"
        'ProtectionReturnType ProtectionHook(StatusType e) { report("struck", e); return PRO_TERMINATETASKISR; }\n'
        'TASK(Job) { if (amount != 0u) { carillon_work(amount); } report("ended", amount); TerminateTask(); }\n'
        "TASK(Main)\n{\n"
        f"    for (amount = {budget - 1}u; amount < {budget + 2}u; amount++) {{ (void)ActivateTask(Job); }}\n"
        f"    amount = {most}u;\n    (void)ActivateTask(Job);\n    TerminateTask();\n}}\n"
    )
    said = lab.run(schedule, code, VIRTUAL_AST, ticks=5 * (1 << 32)).reported
    assert said == [("ended", budget - 1), *[("struck", locks.TIME)] * 3]


SWEPT = """
static volatile uint32_t before, struck;
ProtectionReturnType ProtectionHook(StatusType error)
{
    (void)error;
    struck++;
    return PRO_TERMINATETASKISR;
}
TASK(High) { carillon_work(3000u); TerminateTask(); }
TASK(Job)
{
    carillon_work(20000u - before);
    (void)ActivateTask(High);
    for (;;) {
    }
}
TASK(Main)
{
    for (before = 0; before < 1200u; before += 7u) {
        (void)ActivateTask(Job);
    }
    report("struck", struck);
    TerminateTask();
}
"""


@pytest.mark.parametrize("board", ["atmega128", "qemu-rv32-virt", AST])
def test_a_budget_that_ends_within_a_service_is_seen_when_the_job_goes_on(lab: Laboratory, board: str) -> None:
    """Its interrupt may come while the task runs that the service has activated.  It means nothing there, and no other comes."""
    schedule = '[osek]\nbudgets = "clock"\nhooks = ["protection"]\n[osek.task.Main]\npriority = 1\nautostart = true\n'
    schedule += '[osek.task.Job]\npriority = 2\nbudget = "20000 ticks"\n[osek.task.High]\npriority = 3\n'
    assert lab.run(schedule, SWEPT, board, ticks=172 * 30_000).reported == [("struck", 172)]


@pytest.mark.parametrize("board", board_names())
def test_a_task_with_a_budget_has_a_plan_on_each_board(tmp_path: Path, board: str) -> None:
    """A cell keeps it, or else the clock: nobody has to say which."""
    path = tmp_path / "schedule.toml"
    text = '[osek]\n[osek.task.T]\npriority = 1\nautostart = true\nbudget = "1ms"\n'
    path.write_text(text, encoding="utf-8")
    planned = plan(path, Diagnostics(), board)
    assert planned.allocation.osek is not None
    assert (planned.allocation.osek.budgets is None) == planned.allocation.osek.osek.queued_budgets
