# SPDX-License-Identifier: Apache-2.0
"""A handler that finds its mode left goes back without doing its work, and gives back the budget that it has stopped."""

from __future__ import annotations

import pytest
from laboratory import Laboratory

from carillon.trace import Kind

SCHEDULE = """start_mode = "A"
{osek}
[task.T]
{budget}
[task.U]
[interrupt.I]
source = "{source}"
[mode.A]
round = "5ms"
points = [{{ at = "0ms", enable = "I" }}, {{ at = "1ms", activate = "T" }}]
[mode.B]
round = "7ms"
points = [{{ at = "0ms", enable = "I" }}, {{ at = "1ms", activate = "U" }}]
"""
OSEK = """[osek]
hooks = ["protection"]
[osek.task.Low]
priority = 1
budget = "{ms}ms"
autostart = true
"""
CODE = """
static volatile uint32_t ends;
void T(void)
{
    (void)ttSwitchAppMode(ttAppMode_B);
    carillon_work(100u);
}
void U(void)
{
    (void)ttSwitchAppMode(ttAppMode_A);
}
void I(void)
{
}
"""
LOW = """
TASK(Low)
{
    for (;;) {
        carillon_work(10u);
    }
}
ProtectionReturnType ProtectionHook(StatusType error)
{
    report("over", error);
    return PRO_TERMINATETASKISR;
}
"""


@pytest.mark.parametrize("ms", [7, 19])
def test_a_budget_beneath_is_used_up_in_time_although_modes_are_left_meanwhile(lab: Laboratory, ms: int) -> None:
    text = SCHEDULE.format(osek=OSEK.format(ms=ms), budget="", source="ext0")
    outcome = lab.run(text, CODE + LOW, "virtual-256", ticks=60_000)
    assert outcome.said("over") == [15]  # E_OS_PROTECTION_TIME
    (end,) = outcome.at(Kind.END, "Low")
    assert ms * 1000 <= end <= ms * 1000 + 1200  # the rounds' tasks and handlers do not count
    assert len(outcome.at(Kind.START, "U")) > 2


@pytest.mark.parametrize(("board", "source"), [("virtual-256", "ext0"), ("tc1796", "SRN64")])
def test_a_budget_of_the_rounds_is_given_back_too(lab: Laboratory, board: str, source: str) -> None:
    text = SCHEDULE.format(osek="", budget='budget = "1ms"', source=source)
    outcome = lab.run(text, CODE, board, ticks=60_000 if board == "virtual-256" else 3_000_000)
    assert not outcome.summary.totals.budget_overruns
    assert len(outcome.at(Kind.START, "U")) > 2
