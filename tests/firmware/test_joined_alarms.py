# SPDX-License-Identifier: Apache-2.0
"""Static alarms whose cells have one interrupt source: each acts on its tick, that of the higher task first.

On the mps2-an385 the halves of the dual timer share a source; two alarms leave no other.  The reference board has a source for
each, so that what happens there is what is right.
"""

from __future__ import annotations

import pytest
from laboratory import AST, MPS, Laboratory, Outcome

from carillon.trace import Kind

NAMES = "ABCD"
PERIODS = {"A": 4, "B": 5, "C": 6, "D": 7}


def schedule(starts: dict[str, int], event: str = "", head: str = "", cycles: dict[str, int] = PERIODS) -> str:
    """Four tasks, ascending in priority, each with a static alarm; ``event``: the one that waits for an event instead."""
    lines = [head, '[osek.counter.Time]\ntick = "1ms"\n']
    for priority, name in enumerate(NAMES, 1):
        waits = name == event
        lines.append(f"[osek.task.{name}]\npriority = {priority}\n" + ('events = ["E"]\nautostart = true\n' if waits else ""))
        act = f'set_event = {{ task = "{name}", event = "E" }}' if waits else f'activate = "{name}"'
        lines.append(f'[osek.alarm.Al{name}]\ncounter = "Time"\n{act}\nstatic = true')
        lines.append(f"autostart = {{ at = {starts[name]}, cycle = {cycles[name]} }}\n")
    return "\n".join([*lines, "[osek.event.E]\n" if event else ""])


def code(event: str = "", work: str = "") -> str:
    """Each task says that it ran."""
    found = []
    for name in NAMES:
        says = f'report("{name.lower()}", 1); ' + (work if name == "D" else "")
        body = f"for (;;) {{ (void)WaitEvent(E); (void)ClearEvent(E); {says} }}" if name == event else f"{says} TerminateTask();"
        found.append(f"TASK({name}) {{ {body} }}\n")
    return "".join(found)


def joined(outcome: Outcome) -> dict[int, list[str]]:
    osek = outcome.planned.allocation.osek
    assert osek is not None
    return {source: [alarm.name for alarm, _ in own] for source, own in osek.joined.items()}


@pytest.mark.parametrize("event", ["", "C", "D"])
@pytest.mark.parametrize("head", ["", '[osek]\nstatus = "extended"\n'])
def test_alarms_of_one_source_do_what_those_of_their_own_do(lab: Laboratory, head: str, event: str) -> None:
    starts = {"A": 3, "B": 4, "C": 5, "D": 5}
    run = {board: lab.run(schedule(starts, event, head), code(event), board, ticks=100 * ms) for board, ms in TICKS.items()}
    ((source, own),) = joined(run[MPS]).items()
    assert source == 26 and own in (["AlD", "AlC"], ["AlC", "AlB"])
    assert not joined(run[AST])
    for name in NAMES:
        expected = len(range(starts[name], 100, PERIODS[name]))
        assert len(run[MPS].said(name.lower())) == len(run[AST].said(name.lower())) == expected
        if name != event:
            at = [round(e.t / TICKS[MPS], 2) for e in run[MPS].events(Kind.START) if e.object == name]
            assert at == [float(t) for t in range(starts[name], 100, PERIODS[name])]


def test_of_two_that_expire_on_one_tick_the_higher_task_runs_first(lab: Laboratory) -> None:
    cycles = dict.fromkeys(NAMES, 10)
    outcome = lab.run(schedule(dict.fromkeys(NAMES, 5), cycles=cycles), code(), MPS, ticks=100 * TICKS[MPS])
    assert joined(outcome) == {26: ["AlD", "AlC"]}
    order = [e.object for e in outcome.events(Kind.START)]
    assert order == ["D", "C", "B", "A"] * 10


def test_an_expiry_at_any_instruction_of_the_other_ones_handler_is_served(lab: Laboratory) -> None:
    """AlC expires up to 40 µs later than AlD: neither is lost, and each task starts each time."""
    for late in range(0, 40, 4):
        text = schedule({"A": 900, "B": 901, "C": 1000 + late, "D": 1000}, cycles=dict.fromkeys(NAMES, 2000))
        outcome = lab.run(text.replace('tick = "1ms"', 'tick = "1us"'), code(), MPS, ticks=40_000 * 25)
        assert joined(outcome) == {26: ["AlD", "AlC"]}
        assert [len(outcome.said(name)) for name in "abcd"] == [20] * 4


def test_a_higher_task_loses_to_a_lower_alarm_about_what_the_plan_says(lab: Laboratory) -> None:
    cycles = dict.fromkeys(NAMES, 10)
    text = schedule({"A": 4, "B": 3, "C": 6, "D": 5}, cycles=cycles)
    outcome = lab.run(text, code(work=f"carillon_work({2 * TICKS[MPS]}); "), MPS, ticks=100 * TICKS[MPS])
    assert joined(outcome) == {26: ["AlD", "AlC"]}
    preempted = [e.n for e in outcome.events(Kind.PREEMPT) if e.object == "D"]
    resumed = [e.n for e in outcome.events(Kind.RESUME) if e.object == "D"]
    assert len(preempted) == len(resumed) == 10
    assert max(after - before for before, after in zip(preempted, resumed, strict=True)) <= 70


TICKS = {MPS: 25_000, AST: 15_625}
"""Of a millisecond."""
