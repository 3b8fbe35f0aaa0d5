# SPDX-License-Identifier: Apache-2.0
"""Execution budgets of ISRs of category 2: random work, preemption and locks against what each run is allowed.

The model knows how much work each run of an ISR has.  Where code takes no time it is exact: a run with less work than its budget
ends, any other is ended at its budget, whatever preempts it, and the task beneath has its own budget as if no ISR had come.
"""

from __future__ import annotations

import random

import pytest
from laboratory import AST, MPS, VIRTUAL_AST, Laboratory

CODE = """
static const uint32_t budgets[3] = {%(budgets)s};
static volatile uint32_t done[3], wrong, jobs, late_jobs;
static uint32_t seed = %(seed)du;
static uint32_t draw(void) { seed = (seed * 1664525u) + 1013904223u; return seed >> 16; }

/* Nobody is ended within a line. */
static void say(const char *what, uint32_t value)
{
    const uint32_t saved = carillon_port_lock();
    report(what, value);
    carillon_port_unlock(saved);
}

/* What an ISR that is ended has taken or disabled is no error of it. */
void ErrorHook(StatusType error)
{
    (void)error;
    wrong++;
}

ProtectionReturnType ProtectionHook(StatusType error)
{
    const ISRType isr = GetISRID();
    if (error != E_OS_PROTECTION_TIME) { wrong++; }
    if (isr == INVALID_ISR) { late_jobs++; }
    else { say("struck", ((uint32_t)isr << 16) | done[isr]); }
    return PRO_TERMINATETASKISR;
}

/* One run: it works in parts, and within one of them holds the resource, disables interrupts, or requests a higher ISR. */
static void run(uint32_t isr, uint32_t higher)
{
    const uint32_t amount = (draw() %% 40u) * UNIT;
    done[isr] = 0;
    say("begins", (isr << 16) | (amount / UNIT));
    while (done[isr] < amount / UNIT) {
        const uint32_t how = draw() %% 6u;
        if (how == 0u) { (void)GetResource(Shared); }
        if (how == 1u) { SuspendAllInterrupts(); }
        if ((how >= 2u) && (higher != 0u) && ((draw() %% 4u) == 0u)) { carillon_port_pend(higher); }
        carillon_work(UNIT);
        done[isr]++;
        if (how == 0u) { (void)ReleaseResource(Shared); }
        if (how == 1u) { ResumeAllInterrupts(); }
    }
    say("ends", isr << 16);
}

ISR(Low) { run(0u, CARILLON_ISR_SOURCE_Mid); }
ISR(Mid) { run(1u, CARILLON_ISR_SOURCE_High); }
ISR(High) { run(2u, 0u); }
TASK(Job)
{
    const uint32_t many = draw() %% 3u;
    jobs++;
    carillon_work(7u * UNIT);
    for (uint32_t k = 0; k < many; k++) { carillon_port_pend(CARILLON_ISR_SOURCE_Low); carillon_work(UNIT / 2u); }
    if ((jobs %% 5u) == 4u) { carillon_work(5u * UNIT); }
    TerminateTask();
}
TASK(Main)
{
    for (uint32_t turn = 0; turn < %(turns)du; turn++) {
        (void)ActivateTask(Job);
        carillon_port_pend(CARILLON_ISR_SOURCE_Mid);
        carillon_work(10u);
        (void)GetResource(Shared);
        (void)ReleaseResource(Shared);
    }
    report("jobs", jobs);
    report("late_jobs", late_jobs);
    report("wrong", wrong);
    TerminateTask();
}
"""


def schedule(unit: int, budgets: list[int], status: str, dispatch: str) -> str:
    text = f'[osek]\nstatus = "{status}"\ndispatch = "{dispatch}"\nhooks = ["protection", "error"]\n[osek.resource.Shared]\n'
    text += '[osek.task.Main]\npriority = 1\nautostart = true\nresources = ["Shared"]\n'
    text += f'[osek.task.Job]\npriority = 2\nbudget = "{10 * unit} ticks"\n'
    for number, (name, budget) in enumerate(zip(("Low", "Mid", "High"), budgets, strict=True)):
        kept = f'budget = "{budget * unit} ticks"\n' if budget else ""
        text += f'[osek.isr.{name}]\nsource = "soft{number}"\npriority = {number + 1}\nresources = ["Shared"]\n{kept}'
    return text


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
@pytest.mark.parametrize("status", ["standard", "extended"])
@pytest.mark.parametrize("board", [VIRTUAL_AST, AST, MPS])
def test_an_isr_ends_at_its_budget(lab: Laboratory, board: str, status: str, dispatch: str) -> None:
    rng = random.Random(f"{board} {status} {dispatch}")
    exact = board == VIRTUAL_AST
    unit, turns = (40, 300) if exact else (2000, 60)
    budgets = [rng.randrange(8, 30), rng.randrange(8, 30), rng.choice([0, rng.randrange(8, 30)])]
    code = f"#define UNIT {unit}u\n" + CODE % {
        "budgets": ", ".join(f"{b}u" for b in budgets),
        "seed": rng.randrange(1 << 30),
        "turns": turns,
    }
    outcome = lab.run(schedule(unit, budgets, status, dispatch), code, board, ticks=150_000 * unit)
    said = outcome.reported
    for number, name in enumerate(("Low", "Mid", "High")):
        assert outcome.task(name).budget_overruns == sum(what == "struck" and it >> 16 == number for what, it in said)
    figures = dict(said[-3:])
    assert figures["jobs"] == turns and figures["wrong"] == 0
    assert figures["late_jobs"] == turns // 5 if exact else figures["late_jobs"] >= turns // 5
    stack: list[tuple[int, int]] = []
    ended = killed = 0
    before = "", 0
    for what, value in said[:-3]:
        isr, amount = value >> 16, value & 0xFFFF
        if what == "begins":
            assert not stack or stack[-1][0] < isr  # a higher one preempts, and nothing else
            stack.append((isr, amount))
            before = what, isr
            continue
        if what == "struck" and not exact and before == ("ends", isr):
            continue  # on its way out
        before = what, isr
        number, own = stack.pop()
        assert number == isr
        budget, done = budgets[isr], amount
        if what == "struck":
            least = (budget, budget - 1) if exact else (0.7 * budget, 0.7 * budget)
            assert budget and own >= least[0] and least[1] <= done < budget, (isr, own, done)
        else:
            assert not budget or own < budget, (isr, own)
        ended, killed = ended + (what == "ends"), killed + (what == "struck")
    assert ended > 30 and killed > 20


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
@pytest.mark.parametrize("kept", ['budget = "1ms"', 'time_frame = "2ms"', 'budget = "1ms"\ntime_frame = "2ms"'])
@pytest.mark.parametrize("board", [VIRTUAL_AST, AST, MPS])
def test_a_system_of_isrs_alone_can_be_protected(lab: Laboratory, board: str, kept: str, dispatch: str) -> None:
    """There are no tasks, whose end a budget could ask for."""
    text = f'[osek]\ndispatch = "{dispatch}"\n[osek.isr.Lone]\nsource = "soft0"\npriority = 1\n{kept}\n'
    outcome = lab.run(text, "ISR(Lone) { }", board, ticks=1000)
    assert not outcome.said("never")
