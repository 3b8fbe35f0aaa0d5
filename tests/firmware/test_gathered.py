# SPDX-License-Identifier: Apache-2.0
"""Activations of two tasks whose cells have one interrupt source: what happens is what happens on sources of their own.

On the mps2-an385 the halves of the dual timer share a source, and five tasks leave no other.  The reference board has a
source for each, so that what happens there is what is right.
"""

from __future__ import annotations

import pytest
from laboratory import AST, MPS, Laboratory, Outcome, declared, points, task

from carillon.model.board import Role
from carillon.trace import Kind

ROUND = 20_000
NAMES = "ABCDE"


def run(lab: Laboratory, board: str, at: dict[str, int], window: str, wcet: int, rounds: int, **work: str) -> Outcome:
    """Five tasks, each activated once a round; what is not said of a task's work is 50 ticks."""
    schedule = declared(**dict.fromkeys(NAMES, wcet))
    schedule += points(ROUND, *((t, name) for name, t in sorted(at.items(), key=lambda x: x[1])), window=window)
    code = "".join(task(name, work.get(name, "carillon_work(50u);")) for name in NAMES)
    return lab.run(schedule, code, board, rounds=rounds)


def gathered(outcome: Outcome) -> list[str]:
    """The tasks that have a source with others, in the order in which their cells are asked."""
    carriers = [c for c in outcome.planned.allocation.modes[0].carriers if c.role is Role.ACTIVATION]
    own = [c for c in carriers if sum(o.source == c.source for o in carriers) > 1]
    return [c.demand.object for c in sorted(own, key=lambda c: c.turn)]


SPREAD = dict(zip(NAMES, range(0, 15_000, 3000), strict=True))


def test_each_of_two_tasks_starts_as_soon_as_its_cell_was_asked(lab: Laboratory) -> None:
    outcome = run(lab, MPS, SPREAD, "wcet", 100, 3)
    assert gathered(outcome) == ["D", "E"]
    assert [outcome.delays(name) for name in "DE"] == [{7}, {9}]
    assert [len(outcome.at(Kind.START, name)) for name in NAMES] == [3] * 5


@pytest.mark.parametrize("late", ["D", "E"])
def test_a_task_that_overruns_holds_the_other_back_and_neither_is_lost(lab: Laboratory, late: str) -> None:
    """Every second time it runs for more than a round, so that its own next activation and the other's wait for it."""
    work = {late: "static uint32_t n;\ncarillon_work((n++ % 2u == 0u) ? 21000u : 50u);"}
    shared, apart = (run(lab, board, SPREAD, "wcet", 100, 6, **work) for board in (MPS, AST))
    assert gathered(shared) == ["D", "E"]
    assert not gathered(apart)
    assert shared.story(Kind.START, Kind.END) == apart.story(Kind.START, Kind.END)


def test_a_cell_that_expires_about_the_end_of_the_other_task_is_served_once(lab: Laboratory) -> None:
    """D ends a tick later each round, from before E's activation to behind it: also while the handler asks and returns."""
    sweep = "static uint32_t n;\ncarillon_work(2980u + n++);"
    outcome = run(lab, MPS, SPREAD, "wcet", 100, 40, D=sweep)
    assert gathered(outcome) == ["D", "E"]
    starts = outcome.at(Kind.START, "E")
    assert len(starts) == 40
    delays = [n - (SPREAD["E"] + k * ROUND) * outcome.per_tick for k, n in enumerate(starts)]
    assert delays[0] == 9
    assert sorted(delays) == delays, "the later D ends, the later E starts"
    assert delays[-1] > 50


def test_who_has_a_point_of_the_other_in_its_window_runs_lowered_and_is_preempted(lab: Laboratory) -> None:
    """Without deadlines windows last until the round's end: each task is preempted by all that come later."""
    at = dict(zip(NAMES, range(0, 500, 100), strict=True))
    work = dict.fromkeys(NAMES, "carillon_work(400u);")
    shared, apart = (run(lab, board, at, "deadline", 0, 4, **work) for board in (MPS, AST))
    names = gathered(shared)
    assert len(names) == 2
    lowered = [c.demand.object for c in shared.planned.allocation.modes[0].carriers if c.lowered]
    assert lowered == [min(names)]
    assert shared.story() == apart.story()
    assert "preempt A" in shared.story()


def test_a_lowered_task_that_overruns_is_not_entered_while_it_runs(lab: Laboratory) -> None:
    """Its source is not held back, since the other task has it too: a flag says that an activation waits."""
    at = dict(zip(NAMES, range(0, 500, 100), strict=True))
    names = gathered(run(lab, MPS, at, "deadline", 0, 1))
    work = {min(names): "static uint32_t n;\ncarillon_work((n++ == 0u) ? 45000u : 50u);"}
    outcome = run(lab, MPS, at, "deadline", 0, 5, **work)
    runs = {name: len(outcome.at(Kind.START, name)) for name in NAMES}
    assert runs == {name: 5 - (name == min(names)) for name in NAMES}  # of its five activations one was absorbed
    ends = outcome.at(Kind.END, min(names))
    starts = outcome.at(Kind.START, min(names))
    assert starts[1] - ends[0] < 40, "the one that waited follows at once"


def test_in_another_mode_the_tasks_are_vectors_of_their_own(lab: Laboratory) -> None:
    """What a handler calls is told from what enters the function as a vector, also where the handler runs it lowered."""
    names = "ABCD"  # the switch of modes has a source, too
    schedule = declared(**dict.fromkeys(names, 0))
    schedule += points(ROUND, *((100 * k, name) for k, name in enumerate(names)), mode="many")
    schedule += points(ROUND, (0, "C"), mode="few")
    leave = "static uint32_t n;\nif (++n == 2u) { (void)ttSwitchAppMode(ttAppMode_few); }"
    code = "".join(task(name, "carillon_work(400u);\n" + leave * (name == "C")) for name in names)
    outcome = lab.run(schedule, code, MPS, system='start_mode = "many"', ticks=6 * ROUND)
    assert gathered(outcome) == ["D", "C"]
    assert [c.lowered for c in outcome.carriers(Role.ACTIVATION, "C")] == [True]
    assert [name for _, name in outcome.trace.modes] == ["many", "few"]
    assert {name: len(outcome.at(Kind.START, name)) for name in names} == {"A": 2, "B": 2, "C": 6, "D": 2}
    entered = {e.object for e in outcome.events(Kind.ENTER)}
    assert entered <= {*names, "many"}
    assert outcome.at(Kind.ENTER, "C")[0] < outcome.at(Kind.START, "C")[0] - 5


def test_interrupts_whose_cells_share_a_source_are_enabled_each_at_its_own_points(lab: Laboratory) -> None:
    interrupts = "".join(f'[interrupt.I{k}]\nsource = "soft{k}"\n' for k in (0, 1))
    schedule = declared(A=100, B=100, C=100) + interrupts
    schedule += points(ROUND, (0, "A"), (2000, "B"), (4000, "C"), (9000, "enable", "I0"), (12_000, "enable", "I1"), window="wcet")
    ask = "".join(f"carillon_port_pend({16 + k}u);\n" for k in (0, 1))  # soft0 and soft1
    code = task("A", ask) + task("B", ask) + task("C") + task("I0") + task("I1")
    outcome = lab.run(schedule, code, MPS, rounds=3)
    sources = {c.source for name in ("I0", "I1") for c in outcome.carriers(Role.ENABLE, name)}
    assert len(sources) == 1
    starts = [[n // outcome.per_tick for n in outcome.at(Kind.START, name)] for name in ("I0", "I1")]
    for own, at in zip(starts, (9000, 12_000), strict=True):
        assert own[0] < 100, "the first is taken at once, and disables the interrupt"
        assert [t - k * ROUND for k, t in enumerate(own[1:])] == pytest.approx([at] * 3, abs=10)
