# SPDX-License-Identifier: Apache-2.0
"""Execution budgets of ISRs of category 2: random work, preemption and locks against what each run is allowed.

The model knows how much work each run of an ISR has.  Where code takes no time it is exact: a run with less work than its budget
ends, any other is ended at its budget, whatever preempts it, and the task beneath has its own budget as if no ISR had come.
"""

from __future__ import annotations

import random

import pytest
from laboratory import AST, MPS, VIRTUAL_AST, Laboratory, source


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
    numbers = ", ".join(f"{b}u" for b in budgets)
    code = source(__file__, "isrs.c", UNIT=f"{unit}u", BUDGETS=numbers, SEED=f"{rng.randrange(1 << 30)}u", TURNS=f"{turns}u")
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
