# SPDX-License-Identifier: Apache-2.0
"""Execution budgets: a job's time is its own, whatever preempts it, how often and where.

Jobs do random amounts of work in chunks, and between the chunks activate each other, request an ISR, hold a resource or disable
interrupts; alarms activate them, too.  The model knows nothing of this: it knows how much work each job has, and says which jobs
end and how far the others come.  Where code takes no time, it is exact.  In QEMU services take a part of the budget, so there a
job that has much less work ends, one that has more does not, and none has more instructions of its own than its budget.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import pytest
from laboratory import AST, VIRTUAL_AST, Laboratory, source

from runnable import RIGLESS

TASKS = 4
WAITER = 4
"""The number of the extended task; those before it are basic."""


@dataclass(frozen=True)
class Drawn:
    """A random system: budgets in chunks, 0 for none, and how much work a job has."""

    seed: int
    chunk: int
    turns: int
    budgets: tuple[int, ...]
    least: tuple[int, ...]
    span: tuple[int, ...]
    calm: int = 1

    @classmethod
    def of(cls, seed: int, chunk: int, turns: int, low: int, high: int) -> Drawn:
        drawn = random.Random(seed)
        budgets = [drawn.randrange(low, high) for _ in range(TASKS + 1)]
        spare = drawn.randrange(TASKS)
        least = [drawn.randrange(1, max(2, budget // 3)) for budget in budgets]
        span = [2 * budget for budget in budgets]
        budgets[spare] = 0
        return cls(seed, chunk, turns, tuple(budgets), tuple(least), tuple(span))

    def amount(self, task: int, number: int) -> int:
        """What the program computes."""
        mixed = (number * 5 + task + self.seed) * 2654435761 & 0xFFFF_FFFF
        mixed ^= mixed >> 15
        return self.least[task] + mixed % self.span[task]

    @property
    def schedule(self) -> str:
        budget = [f'budget = "{b * self.chunk} ticks"\n' if b else "" for b in self.budgets]
        text = '[osek]\nhooks = ["protection"]\n[osek.resource.Shared]\n[osek.event.Go]\n[osek.task.Main]\npriority = 1\n'
        text += "autostart = true\n"
        for k in range(TASKS):
            text += f'[osek.task.T{k}]\npriority = {2 + k + (k > 1)}\nresources = ["Shared"]\n{budget[k]}'
        text += f'[osek.task.Waiter]\npriority = 4\nevents = ["Go"]\nresources = ["Shared"]\n{budget[WAITER]}'
        text += '[osek.isr.Signal]\nsource = "soft0"\n'
        text += f'[osek.counter.C]\ntick = "{13 * self.chunk} ticks"\n'
        for task, cycle in ((0, 23 * self.calm), (3, 31 * self.calm)):
            text += f'[osek.alarm.A{task}]\ncounter = "C"\nactivate = "T{task}"\nautostart = {{ at = 1, cycle = {cycle} }}\n'
        return text

    @property
    def code(self) -> str:
        least, span = (", ".join(f"{n}u" for n in numbers) for numbers in (self.least, self.span))
        numbers = {"CHUNK": f"{self.chunk}u", "TURNS": f"{self.turns}u", "SEED": f"{self.seed}u"}
        return source(__file__, "jobs.c", **numbers, LEAST=least, SPAN=span)


ROUND_CODE = """
#include "carillon/osektime.h"
#define CHUNK %(chunk)du
ttTASK(Quick) { carillon_work(7u * CHUNK); }
ttTASK(Slow) { carillon_work(11u * CHUNK); }
ttTASK(Edge) { carillon_work(3u * CHUNK); }
#undef CHUNK
"""


def beside(chunk: int) -> str:
    """A round: `Quick` preempts `Slow`, `Edge` preempts both and is preempted, so that one of them is lowered or re-armed."""
    at = {"Quick": [0, 50, 100, 150], "Slow": [45, 112], "Edge": [3, 52, 118, 155]}
    lengths = {"Quick": 8, "Slow": 12, "Edge": 4}
    tasks = "".join(f'[task.{name}]\nwcet = "{wcet * chunk} ticks"\n' for name, wcet in lengths.items())
    points = sorted((time, name) for name, times in at.items() for time in times)
    line = '{{ at = "{} ticks", activate = "{}", deadline_at = "{} ticks" }},'
    lines = [line.format(time * chunk, name, (time + 30) * chunk) for time, name in points]
    return "\n".join([tasks, "[mode.always]", f'round = "{200 * chunk} ticks"', "points = [", *lines, "]", ""])


Jobs = list[list[tuple[bool, int]]]
"""Of each task its jobs, in order: whether it ended, and how much it had done."""


def jobs_in(reported: list[tuple[str, int]]) -> Jobs:
    """The jobs that a program has reported."""
    found: Jobs = [[] for _ in range(TASKS + 1)]
    assert reported[-1:] == [("whole", len(reported) - 1)]
    for what, value in reported[:-1]:
        found[value >> 24].append((what == "ended", value & 0xFFFFFF))
    return found


def share(drawn: Drawn, found: Jobs, within: float, masked: int = 0) -> int:
    """Where services take time: who has much less work than its budget ends, and who has as much does not.

    ``within``: the part of the budget that services leave.  ``masked``: in how many chunks more an overrun may be hidden.
    Returns how many jobs there were of the rarer kind.
    """
    counts = [0, 0]
    for task, jobs in enumerate(found):
        budget = drawn.budgets[task]
        for number, (ended, done) in enumerate(jobs):
            amount = drawn.amount(task, number)
            counts[ended] += 1
            if not budget or amount <= within * budget:
                assert (ended, done) == (True, amount), (task, number)
            elif amount >= budget + masked:
                assert not ended, (task, number)
            if not ended:
                assert within * budget <= done < budget + masked, (task, number)
    return min(counts)


def noted(lab: Laboratory, drawn: Drawn, board: str, dispatch: str, ticks: int, rounds: bool = False) -> Jobs:
    """What the program notes; ``rounds``: beneath a round."""
    schedule = drawn.schedule.replace("[osek]\n", f'[osek]\ndispatch = "{dispatch}"\n')
    code = drawn.code
    if rounds:
        schedule += beside(drawn.chunk)
        code = ROUND_CODE % {"chunk": drawn.chunk} + code
    outcome = lab.run(schedule, code, board, ticks=ticks)
    found = jobs_in(outcome.reported)
    for task in range(TASKS):  # an extended task's run has several budgets
        if board == AST and drawn.budgets[task]:
            execution = outcome.task(f"T{task}").execution
            assert execution is not None
            assert execution.maximum <= drawn.budgets[task] * drawn.chunk
    return found


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_job_has_exactly_its_budget_whatever_preempts_it(lab: Laboratory, seed: int, dispatch: str) -> None:
    drawn = Drawn.of(seed, 80, 200, 20, 120)
    found = noted(lab, drawn, VIRTUAL_AST, dispatch, 12_000_000)
    for task, jobs in enumerate(found):
        expected = []
        for number in range(len(jobs)):
            amount, budget = drawn.amount(task, number), drawn.budgets[task]
            struck = budget and amount >= budget
            expected.append((False, budget - 1) if struck else (True, amount))  # its last chunk does not come back
        assert jobs == expected, task
    everything = [job for jobs in found for job in jobs]
    assert len(everything) > 300
    assert 100 < sum(ended for ended, _ in everything) < len(everything) - 100


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_a_budget_stands_still_while_the_round_has_the_processor(lab: Laboratory, dispatch: str) -> None:
    drawn = replace(Drawn.of(5, 80, 20, 20, 120), calm=7)
    found = noted(lab, drawn, VIRTUAL_AST, dispatch, 16_000_000, rounds=True)
    for task, jobs in enumerate(found):
        expected = []
        for number in range(len(jobs)):
            amount, budget = drawn.amount(task, number), drawn.budgets[task]
            struck = budget and amount >= budget
            expected.append((False, budget - 1) if struck else (True, amount))
        assert jobs == expected, task
    assert len([job for jobs in found for job in jobs]) > 80


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_a_job_has_its_budget_where_services_take_time(lab: Laboratory, dispatch: str) -> None:
    drawn = Drawn.of(3, 2_000, 40, 20, 60)
    found = noted(lab, drawn, AST, dispatch, 40_000_000)
    assert share(drawn, found, 0.75) > 20


def test_beneath_a_round_services_take_time_and_the_round_does_not(lab: Laboratory) -> None:
    drawn = replace(Drawn.of(6, 2_000, 6, 20, 60), calm=7)
    found = noted(lab, drawn, AST, "hardware", 25_000_000, rounds=True)
    counts = [0, 0]
    for task, jobs in enumerate(found):
        for number, (ended, done) in enumerate(jobs):
            amount, budget = drawn.amount(task, number), drawn.budgets[task]
            counts[ended] += 1
            assert ended if not budget or amount <= 0.75 * budget else not ended or amount < budget, (task, number)
            assert done == amount if ended else 0.75 * budget <= done < budget, (task, number)
    assert min(counts) > 3


HOOKED = """
#include "carillon/osektime.h"
ttTASK(Long) { carillon_work(60000u); }
void ErrorHook(StatusType error) { (void)error; carillon_work(20000u); }
ProtectionReturnType ProtectionHook(StatusType error)
{
    (void)error;
    report("struck", 1u);
    return PRO_TERMINATETASKISR;
}
TASK(Job)
{
    static uint32_t turns;
    carillon_work(20000u);
    (void)ActivateTask(Job); /* waits */
    (void)ActivateTask(Job); /* is one too many: the hook is called */
    carillon_work(10000u);
    report("ended", turns++);
    TerminateTask();
}
"""


@pytest.mark.parametrize("board", [VIRTUAL_AST, AST])
def test_a_round_within_a_hook_makes_no_job_late(lab: Laboratory, board: str) -> None:
    schedule = """
[task.Long]
period = "201000 ticks"
wcet = "61000 ticks"
[osek]
hooks = ["error", "protection"]
[osek.task.Job]
priority = 1
activations = 2
autostart = true
budget = "53000 ticks"
"""
    outcome = lab.run(schedule, HOOKED, board, rounds=40)
    assert outcome.said("struck") == []
    assert len(outcome.said("ended")) > 100


STORM = """
static volatile uint32_t done, how, length, raws;
ProtectionReturnType ProtectionHook(StatusType error)
{
    (void)error;
    return PRO_TERMINATETASKISR;
}
static void pass(void)
{
    if (length != 0u) {
        carillon_work(length);
    }
}
ISR(Signal) { pass(); }
ISR(Raw) { carillon_work(200000u); raws++; }
TASK(High) { pass(); TerminateTask(); }
TASK(Job)
{
    if (how == 3u) {
        carillon_work(90000u);
        carillon_port_pend(CARILLON_ISR_SOURCE_Raw);
    }
    for (;;) {
        if (how == 0u) {
            (void)carillon_port_is_pending(CARILLON_ISR_SOURCE_Signal);
        } else if (how == 1u) {
            carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
        } else if (how == 2u) {
            (void)ActivateTask(High);
        }
        done++;
    }
}
TASK(Main)
{
    static const char *const names[] = {"alone", "isr", "task", "raw"};
    for (uint32_t k = 0; k < 8u; k++) {
        how = k / 2u;
        length = ((k % 2u) == 0u) ? 0u : 200u;
        done = 0;
        (void)ActivateTask(Job);
        report(names[how], done);
    }
    report("raws", raws);
    TerminateTask();
}
"""
STORMED = """
[osek]
dispatch = "{dispatch}"
hooks = ["protection"]
[osek.task.Main]
priority = 1
autostart = true
[osek.task.Job]
priority = 2
budget = "100000 ticks"
[osek.task.High]
priority = 3
[osek.isr.Signal]
source = "soft0"
[osek.isr.Raw]
source = "soft1"
category = 1
"""


@pytest.mark.parametrize(("dispatch", "isr", "task"), [("hardware", 20, 26), ("software", 20, 100)])
def test_a_job_that_is_preempted_thousands_of_times_is_ended_and_pays_little(
    lab: Laboratory, dispatch: str, isr: int, task: int
) -> None:
    """An ISR preempts the job in each turn, or a task does; ``isr``, ``task``: how many instructions a turn has more, at most."""
    said = lab.run(STORMED.format(dispatch=dispatch), STORM, AST, ticks=20_000_000).reported
    found = [(name, 100_000 / max(1, value)) for name, value in said]
    assert [name for name, _ in found] == ["alone"] * 2 + ["isr"] * 2 + ["task"] * 2 + ["raw"] * 2 + ["raws"]
    alone = found[0][1]
    for (name, turn), most in zip(found[2:6], (isr, isr, task, task), strict=True):
        assert turn - alone <= most, name
    for k in (0, 2, 4):  # what preempts it may take as long as it likes
        assert said[k][1] == pytest.approx(said[k + 1][1], rel=0.01)
    assert max(said[6][1], said[7][1]) < 60  # an ISR of category 1 is not cut off, and the job ends soon after it
    assert said[8] == ("raws", 2)


@pytest.mark.parametrize("budget", [1, 2, (1 << 23) - 1, 1 << 23])
def test_the_shortest_and_the_longest_budget(lab: Laboratory, budget: int) -> None:
    schedule = '[osek]\nhooks = ["protection"]\n[osek.task.Main]\npriority = 1\nautostart = true\n'
    schedule += f'[osek.task.Job]\npriority = 2\nbudget = "{budget} ticks"\n'
    code = (
        "static volatile uint32_t amount;\n"
        'ProtectionReturnType ProtectionHook(StatusType e) { report("struck", e); return PRO_TERMINATETASKISR; }\n'
        'TASK(Job) { if (amount != 0u) { carillon_work(amount); } report("ended", amount); TerminateTask(); }\n'
        "TASK(Main)\n{\n"
        f"    for (amount = {budget - 1}u; amount < {budget + 2}u; amount++) {{ (void)ActivateTask(Job); }}\n"
        f"    amount = {3 * budget}u;\n    (void)ActivateTask(Job);\n    TerminateTask();\n}}\n"
    )
    said = lab.run(schedule, code, VIRTUAL_AST, ticks=10 * budget + 1000).reported
    assert said == [("ended", budget - 1), *[("struck", 15)] * 3]


SHORT = """
[osek]
hooks = ["protection"]
KEPT
[osek.counter.C]
tick = "10000 ticks"
[osek.task.Job]
priority = 1
budget = "4000 ticks"
[osek.task.Above]
priority = 2
[osek.alarm.A]
counter = "C"
activate = "Job"
autostart = { at = 1, cycle = 2 }
[osek.alarm.B]
counter = "C"
activate = "Above"
autostart = { at = 1, cycle = 3 }
"""
SHORT_CODE = """
#include "carillon/osek.h"
static volatile uint32_t jobs, struck, ended;
TASK(Job)
{
    jobs++;
    if ((jobs & 1u) != 0u) { for (;;) { } }
    carillon_port_delay(3000u);
    ended++;
    TerminateTask();
}
TASK(Above)
{
    carillon_port_delay(1000u);
    TerminateTask();
}
ProtectionReturnType ProtectionHook(StatusType error)
{
    struck += (error == E_OS_PROTECTION_TIME);
    if (jobs == 39u) { report("struck", struck); report("ended", ended); }
    return PRO_TERMINATETASKISR;
}
"""


@RIGLESS
@pytest.mark.parametrize("kept", ['budgets = "cell"', ""], ids=["cell", "clock"])
def test_a_cell_of_16_bits_keeps_budgets_where_it_is_asked_for(kept: str, lab: Laboratory) -> None:
    outcome = lab.run(SHORT.replace("KEPT", kept), SHORT_CODE, "nucleo-f429zi", ticks=1_200_000)
    assert outcome.planned.system.osek is not None
    assert outcome.planned.system.osek.celled_budgets == bool(kept)
    assert (outcome.said("struck"), outcome.said("ended")) == ([20], [19])
    own = [run.executed for run in outcome.summary.runs if run.lane.name == "Job" and run.end is not None]
    assert max(own) < 4300
