# SPDX-License-Identifier: Apache-2.0
"""A table: one cell for what has none of its own.  Tasks start late by what the plan says at most, and nothing is lost.

``CARILLON_TRIES=100 pytest tests/firmware/test_table.py`` draws so many schedules a board; a few by default.
"""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from laboratory import AST, MPS, RV32, VIRTUAL, Laboratory, Outcome, declared, points, task, works

import asked
from carillon.actions.dispatch import Dispatch
from carillon.check.simulation import simulate_round
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan
from carillon.timing.handlers import kernel_times
from carillon.trace import Kind

EXAMPLES = asked.tries(2)
LATE = 'start_within = "5000 ticks"'


def tabled(outcome: Outcome) -> set[str]:
    """The tasks that the table carries."""
    (mode,) = outcome.planned.image.modes
    return {e.point.object for e in mode.table if e.point.action.runs}


def starts(outcome: Outcome) -> list[tuple[str, int]]:
    """The tasks that started, with their ticks."""
    return [(e.object, e.n // max(1, outcome.per_tick)) for e in outcome.events(Kind.START)]


def fifty(exact: int) -> str:
    """Fifty periodic tasks, of which so many start on their ticks."""
    text = ""
    for k in range(50):
        period = 20_000 if k < 10 else 100_000
        text += f'[task.T{k:02}]\nperiod = "{period} ticks"\noffset = "{60 + 311 * k} ticks"\n'
        text += 'start_within = "0 ticks"\n' if k < exact else ""
    return text


def test_a_round_of_fifty_tasks_runs_on_nine_cells(lab: Laboratory) -> None:
    code = works(**{f"T{k:02}": 100 for k in range(50)})
    outcome = lab.run(fifty(exact=5), code, AST, system=LATE, rounds=2)
    (mode,), (kernel,) = outcome.planned.image.modes, outcome.planned.kernel_times
    assert len(mode.allocation.carriers) <= 9
    assert len(tabled(outcome)) >= 40
    assert mode.allocation.optimal
    for k in range(50):
        name = f"T{k:02}"
        assert len(outcome.at(Kind.START, name)) == 2 * (5 if k < 10 else 1)
        assert max(outcome.delays(name)) <= kernel.starts[name] * outcome.per_tick
        assert (name in tabled(outcome)) <= (k >= 5)


def test_without_leave_to_start_late_the_cells_must_suffice(lab: Laboratory) -> None:
    path = lab.write(fifty(exact=50), works(**{f"T{k:02}": 100 for k in range(50)}), system=LATE)
    with pytest.raises(CarillonError) as caught:
        plan(path, Diagnostics(), AST)
    assert {d.code for d in caught.value.diagnostics} == {"C060"}
    assert "start_within" in caught.value.diagnostics[0].remedy


def test_a_task_that_would_start_later_than_it_allows_is_refused(lab: Laboratory) -> None:
    path = lab.write(fifty(exact=0), works(**{f"T{k:02}": 100 for k in range(50)}), system='start_within = "20 ticks"')
    with pytest.raises(CarillonError) as caught:
        plan(path, Diagnostics(), AST)
    assert {d.code for d in caught.value.diagnostics} == {"C210"}


def drawn(seed: int, least: int, length: int, most: int) -> tuple[list[tuple[int, str]], dict[str, int], int]:
    """Activations, the work of each task, and the round's length: more tasks than cells, often close together."""
    rng = random.Random(seed)
    names = [f"T{k}" for k in range(rng.randint(most * 2 // 3, most))]
    work = {name: rng.choice([20, 60, 150, 400]) for name in names}
    taken: set[int] = {0, length}
    table: list[tuple[int, str]] = []
    for name in names:
        for _ in range(rng.randint(1, 3)):
            near = sorted(taken)[rng.randrange(len(taken) - 1)]
            at = min(near + rng.choice([least, 2 * least, 3 * least, rng.randrange(least, length // 4)]), length - length // 4)
            at = at // least * least  # so that deadlines are on a tick of another point, or as far from it as must be
            far = all(abs(at - t) > length // 6 for t, own in table if own == name)
            if far and at >= 400 and all(abs(at - other) >= least for other in taken):
                taken.add(at)
                table.append((at, name))
    return sorted(table), {n: w for n, w in work.items() if any(n == own for _, own in table)}, length


@pytest.mark.parametrize("seed", range(EXAMPLES))
@pytest.mark.parametrize(
    ("board", "least", "length", "tasks"),
    [(AST, 40, 120_000, 14), (MPS, 50, 120_000, 14), (RV32, 20, 120_000, 14), ("atmega128", 250, 62_000, 10)],
)
def test_what_is_promised_is_kept(lab: Laboratory, board: str, least: int, length: int, tasks: int, seed: int) -> None:
    """No start is later than the plan says, no end later than the check's; deadlines at those ends are met."""
    table, work, length = drawn(seed, least, length, tasks)
    code = works(**work)
    known = declared(**{n: 3 * w + 60 for n, w in work.items()})
    every = [(at, name, min([t for t, own in table if own == name and t > at], default=length)) for at, name in table]
    planned = plan(lab.write(known + points(length, *every), code, system=LATE), Diagnostics(), board)
    (mode,), (kernel,) = planned.system.modes, kernel_times(planned.image)
    ends = [c.end for c in simulate_round(mode, planned.system, kernel=kernel)]
    path, slack = None, 0
    while path is None:  # other deadlines may lead to another allocation, and that to other handlers
        slack += 300
        assert slack < 5000
        early = [(at, name, -(-(end + slack) // least) * least) for (at, name), end in zip(table, ends, strict=True)]
        path = lab.write(known + points(length, *early), code, system=LATE)
        try:
            plan(path, Diagnostics(), board)
        except CarillonError as error:
            assert {d.code for d in error.diagnostics} == {"C043"}
            path = None
    outcome = lab.run_file(path, board, rounds=3)
    (image,), (kernel,) = outcome.planned.image.modes, outcome.planned.kernel_times
    assert image.table
    assert outcome.summary.totals.deadlines_missed == 0
    assert outcome.summary.totals.deadlines_met == 3 * len(table)
    assert sorted(n for n, _ in starts(outcome)) == sorted(n for _, n in table * 3)
    before = {at: min([at - t for t, _ in table if t < at], default=length) for at, _ in table}
    for run in outcome.summary.runs:
        at, name = run.release.at % length if run.release else 0, run.lane.name
        bound = kernel.starts[name]
        later = [t for t, _ in table if at < t <= at + bound]
        if run.release and not later and before[at] > 2000:
            assert run.begin.n - run.release.at * outcome.per_tick <= bound * outcome.per_tick, (name, at)


FOUR = points(
    40_000, (1000, "L"), (2000, "A", 9000), (2100, "B", 9000), (2300, "C", 9000), *[(30_000 + 500 * k, f"X{k}") for k in range(9)]
)
REST = task("L", "    const uint32_t saved = carillon_port_lock(); carillon_work(3000); carillon_port_unlock(saved);")


@pytest.mark.parametrize("board", [AST, MPS, VIRTUAL])
def test_a_handler_that_is_held_back_loses_nothing_and_runs_the_later_task_first(lab: Laboratory, board: str) -> None:
    names = {**dict.fromkeys("ABC", 20), **{f"X{k}": 20 for k in range(9)}}
    schedule = "".join(f"[task.{n}]\n" for n in ("L", *names)) + FOUR
    for name in ("L", "X0", "X1"):
        schedule = schedule.replace(f"[task.{name}]\n", f'[task.{name}]\nstart_within = "0 ticks"\n')
    path = lab.write(schedule, REST + works(**names), system=LATE + '\non_deadline_miss = "continue"')
    outcome = lab.run_file(path, board, rounds=2, locks=True)
    order = [n for n, _ in starts(outcome) if n in "ABC"]
    assert sorted(order) == sorted("ABC" * 2)
    if set("ABC") <= tabled(outcome) and board != VIRTUAL:  # where code takes no time, nothing is held back
        assert order == list("CBA" * 2)


def test_where_there_are_several_modes_the_table_s_starts_and_rounds_keep_their_bounds(lab: Laboratory) -> None:
    """Its dispatcher counts the tasks that it runs there, which takes time before each start: the plan has it."""
    at = [0, 3125, 3750, 5000, 6250, 8750, 10_000, 11_250, 11_875, 13_125, 15_625, 16_250, 23_125, 28_750, 29_375, 30_625]
    activations = [(a, "A", b) for a, b in pairwise([*at, 31_250, 33_750, 40_000])]
    activations = sorted([*activations, (25_000, "B", 40_000)])
    rows = [f'{{ at = "{a} ticks", activate = "{n}", deadline_at = ["{b} ticks"] }}' for a, n, b in activations]
    schedule = '[task.A]\nwcet = "296 ticks"\n[task.B]\nwcet = "191 ticks"\n'
    for mode in ("one", "two"):
        schedule += f'[mode.{mode}]\nround = "40000 ticks"\nwindow = "deadline"\npoints = [{", ".join(rows)}]\n'
    system = LATE + '\nstart_mode = "one"\non_deadline_miss = "continue"'
    outcome = lab.run(schedule, works(A=2, B=105), AST, system=system, rounds=3)  # which holds the run against the plan
    assert {e.point.object for e in outcome.planned.image.modes[0].table if e.point.action.runs} == {"A"}


def test_a_deadline_in_the_table_is_missed_by_a_task_that_has_not_ended(lab: Laboratory) -> None:
    many = [(20_000 + 500 * k, f"X{k}") for k in range(12)]
    schedule = declared(A=0, **{f"X{k}": 0 for k in range(12)}) + points(40_000, (1000, "A", 3000), *many)
    code = works(A=2500, **{f"X{k}": 20 for k in range(12)})
    outcome = lab.run(schedule, code, AST, system=LATE + '\non_deadline_miss = "continue"', rounds=3)
    (mode,) = outcome.planned.image.modes
    assert "A" in tabled(outcome) or any(isinstance(c.action, Dispatch) for c in mode.allocation.carriers)
    assert outcome.summary.totals.deadlines_missed == 3


def test_of_a_task_in_the_table_one_activation_waits_and_further_ones_are_absorbed(lab: Laboratory) -> None:
    """A runs from 1000 to about 9000, and is activated at 3000, 5000 and 7000 meanwhile: one of them waits."""
    many = [(30_000 + 500 * k, f"X{k}") for k in range(12)]
    schedule = declared(A=0, **{f"X{k}": 0 for k in range(12)})
    schedule += points(60_000, (1000, "A"), (3000, "A"), (5000, "A"), (7100, "A"), *many)
    code = "static uint8_t runs;\nttTASK(A) { carillon_work(runs++ == 0u ? 8000u : 100u); }\n" + works(
        **{f"X{k}": 20 for k in range(12)}
    )
    outcome = lab.run(schedule, code, AST, system=LATE, rounds=1)
    assert "A" in tabled(outcome)
    assert len(outcome.at(Kind.START, "A")) == 2


MODES = """
[task.T0]
[task.T1]
[task.T2]
[task.T4]
[mode.m0]
round = "80000 ticks"
points = [
    { at = "1250 ticks", activate = "T4", deadline_at = ["7500 ticks"] },
    { at = "5000 ticks", activate = "T2" },
    { at = "8750 ticks", activate = "T0" },
    { at = "15000 ticks", activate = "T0" },
    { at = "17250 ticks", activate = "T4", deadline_at = ["28500 ticks"] },
    { at = "30000 ticks", activate = "T2" },
    { at = "33250 ticks", activate = "T4", deadline_at = ["35750 ticks", "42000 ticks", "49250 ticks"] },
    { at = "33750 ticks", activate = "T2" },
    { at = "35000 ticks", activate = "T1", deadline_at = ["75000 ticks"] },
    { at = "46250 ticks", activate = "T0" },
    { at = "49250 ticks", activate = "T4" },
    { at = "65250 ticks", activate = "T4", deadline_at = ["80000 ticks"] },
    { at = "70000 ticks", activate = "T2" },
    { at = "75000 ticks", activate = "T1", deadline_at = ["76250 ticks", "80000 ticks"] },
]
[mode.m1]
round = "80000 ticks"
points = [
    { at = "5000 ticks", activate = "T1" },
    { at = "45000 ticks", activate = "T1" },
]
"""


def test_a_task_that_the_table_of_one_mode_runs_may_be_a_vector_of_another(lab: Laboratory) -> None:
    """Then the table's handler enters the very function that is a handler in the other mode, and that is no interrupt."""
    code = works(T0=400, T1=600, T4=500) + "void T2(void) { carillon_work(300u); (void)ttSwitchAppMode(ttAppMode_m1); }\n"
    outcome = lab.run(MODES, code, AST, system='start_within = "5000 ticks"', rounds=3)
    table = outcome.planned.image.modes[0].table
    assert "T1" in {entry.point.object for entry in table}
    assert "T1" in {v.symbol for v in outcome.planned.image.vectors[1]}
    assert [name for _, name in outcome.trace.modes] == ["m0", "m1"]
    assert {e.object for e in outcome.events(Kind.ENTER)} <= {"T0", "T1", "T2", "T4", "table", "m0", "m1"}
    assert outcome.story(Kind.START).count("start T1") == 2 + 2 * 2
