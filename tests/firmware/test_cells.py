# SPDX-License-Identifier: Apache-2.0
"""Cells that carry several activations: of one task on one source, or one after the other on one cell."""

from __future__ import annotations

from pathlib import Path

import pytest
from laboratory import AN505, AST, MPS, TC, VIRTUAL_AST, Laboratory, Outcome, declared, points, task, works

from carillon.actions.costs import cost_table
from carillon.allocate.result import Style
from carillon.model.board import Role
from carillon.trace import Kind

COSTS = cost_table("host")

IRREGULAR = (100, 560, 1130, 1800, 2450, 3333, 4020, 4490, 4907)
ROUND = 6000


# A corner of the TC1796's timer array: four cells to a source, two to an activation.
CORNER = """# SPDX-License-Identifier: Apache-2.0
name = "corner"
summary = "six cells"
port = "host"
levels = 255
sources = 92
clocks = [{ hz = 50_000_000, instructions_per_tick = 0 }]
[[cells]]
family = "virtual"
names = ["LTC0", "LTC1", "LTC2", "LTC3", "LTC4", "LTC5"]
sources = [0, 0, 0, 0, 1, 1]
width = 24
roles = ["activation"]
adjacent = { activation = 2 }
start = "group"
[build]
compiler = "cc"
cflags = ["-no-pie", "-fno-pie"]
ldflags = ["-no-pie"]
[run]
kind = "native"
"""


def test_two_activations_of_a_task_share_a_source_of_the_tc1796(lab: Laboratory, tmp_path: Path) -> None:
    board = tmp_path / "board.toml"
    board.write_text(CORNER, encoding="utf-8")
    schedule = declared(Twice=80, Other=40) + points(2000, (100, "Twice"), (400, "Other"), (750, "Twice"), window="wcet")
    outcome = lab.run(schedule, works(Twice=50, Other=20), str(board), rounds=1000)
    (carrier,) = outcome.carriers(Role.ACTIVATION, "Twice")
    assert [use.cell.name for use in carrier.cells] == ["LTC0+LTC1", "LTC2+LTC3"]
    assert outcome.at(Kind.START, "Twice") == [2000 * k + at for k in range(1000) for at in (100, 750)]


def test_the_tc1796_starts_every_activation_of_a_task_with_more_than_one(lab: Laboratory) -> None:
    schedule = declared(Twice=0, Other=0) + points(2000, (100, "Twice"), (400, "Other"), (750, "Twice"))
    outcome = lab.run(schedule, works(Twice=50, Other=20), TC, rounds=1000)
    assert outcome.at(Kind.START, "Twice") == [2000 * k + at for k in range(1000) for at in (100, 750)]


def test_two_activations_of_a_task_share_the_dual_timer_of_mps2(lab: Laboratory) -> None:
    schedule = declared(Twice=80, A=40, B=40, C=40) + points(
        2000, (100, "Twice"), (300, "A"), (500, "B"), (700, "C"), (1350, "Twice"), window="wcet"
    )
    outcome = lab.run(schedule, works(Twice=50, A=20, B=20, C=20), MPS, rounds=1000)
    (carrier,) = outcome.carriers(Role.ACTIVATION, "Twice")
    assert sorted(use.cell.name for use in carrier.cells) == ["DUAL1", "DUAL2"]
    assert carrier.style is Style.DIRECT
    assert outcome.at(Kind.ENTER, "Twice") == [5 * (2000 * k + at) for k in range(1000) for at in (100, 1350)]


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST, MPS])
def test_a_multiplexed_cell_starts_its_task_on_every_tick_for_a_thousand_rounds(lab: Laboratory, board: str) -> None:
    ats = IRREGULAR if board != MPS else IRREGULAR[:6]
    schedule = declared(Many=60, Other=60) + points(ROUND, *((at, "Many") for at in ats), (5500, "Other"), window="wcet")
    outcome = lab.run(schedule, works(Many=30, Other=30), board, rounds=1000)
    (carrier,) = outcome.carriers(Role.ACTIVATION, "Many")
    assert carrier.style is Style.MULTIPLEXED or board == VIRTUAL_AST
    assert outcome.at(Kind.ENTER, "Many") == [outcome.per_tick * (ROUND * k + at) for k in range(1000) for at in ats]


@pytest.mark.parametrize("board", [MPS, AN505])
def test_a_cell_that_is_set_up_anew_after_an_overrun_expires_on_the_tick(lab: Laboratory, board: str) -> None:
    """However long the search for a tick's first instruction takes: the job ends at another place of a tick in each round."""
    schedule = declared(Many=60, Other=60) + points(
        ROUND, *((at, "Many") for at in IRREGULAR[:6]), (5500, "Other"), window="wcet"
    )
    code = "static unsigned rounds, jobs;\n"
    code += task(
        "Many",
        'jobs++;\ncarillon_work(jobs == 2u ? 1500u : 30u);\nfor (unsigned k = 0u; k < rounds; k++) {\n__asm__ volatile("");\n}',
    )
    code += task("Other", "rounds++;\njobs = 0u;")
    outcome = lab.run(schedule, code, board, rounds=30)
    assert outcome.carriers(Role.ACTIVATION, "Many")[0].style is Style.MULTIPLEXED
    entered = outcome.at(Kind.ENTER, "Many")
    due = [outcome.per_tick * (ROUND * k + at) for k in range(30) for at in (100, 560, 2450, 3333)]
    assert [n for n in due if n not in entered] == []


def overrunning(lab: Laboratory, board: str, begin: int, rounds: int) -> list[list[int]]:
    """Each round's ticks at which Many's handler was entered.

    From the second round on, its third job, at tick 1130, runs for ``begin`` ticks and one more in every round.
    """
    schedule = declared(Many=60, Other=60) + points(ROUND, *((at, "Many") for at in IRREGULAR), (5500, "Other"), window="wcet")
    # Other, at the end of every round, tells Many that a round begins: it cannot count what is lost.
    code = "static unsigned rounds, jobs;\n"
    code += task("Many", f"jobs++;\ncarillon_work(rounds > 0u && jobs == 3u ? {begin}u + rounds : 30u);")
    code += task("Other", "rounds++;\njobs = 0u;")
    outcome = lab.run(schedule, code, board, rounds=rounds)
    assert outcome.carriers(Role.ACTIVATION, "Many")[0].style is Style.MULTIPLEXED
    assert [n // outcome.per_tick for n in outcome.at(Kind.ENTER, "Other")] == [ROUND * k + 5500 for k in range(rounds)]
    entered = [n // outcome.per_tick for n in outcome.at(Kind.ENTER, "Many")]
    return [[t - ROUND * k for t in entered if ROUND * k <= t < ROUND * (k + 1)] for k in range(rounds)]


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_an_overrun_of_one_activation_delays_it_and_loses_none(lab: Laboratory, board: str) -> None:
    first, *others = overrunning(lab, board, 900, 10)
    assert first == list(IRREGULAR)
    for entered in others:
        assert entered[:3] + entered[4:] == [*IRREGULAR[:3], *IRREGULAR[4:]]
        assert 1800 < entered[3] < 2100


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_an_overrun_of_two_activations_loses_one_and_the_cell_comes_back_in_phase(lab: Laboratory, board: str) -> None:
    first, *others = overrunning(lab, board, 1500, 10)
    assert first == list(IRREGULAR)
    for entered in others:
        assert entered[:3] + entered[4:] == [*IRREGULAR[:3], *IRREGULAR[5:]]
        assert 2600 < entered[3] < 2700


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_an_overrun_of_four_activations_loses_three_and_the_cell_comes_back_in_phase(lab: Laboratory, board: str) -> None:
    first, *others = overrunning(lab, board, 3000, 10)
    assert first == list(IRREGULAR)
    for entered in others:
        assert entered[:3] + entered[4:] == [*IRREGULAR[:3], *IRREGULAR[7:]]
        assert 4100 < entered[3] < 4200


@pytest.mark.parametrize(("board", "reads"), [(AST, 6), (VIRTUAL_AST, 0)])
def test_an_overrun_that_ends_at_any_tick_around_an_activation_leaves_the_cell_in_phase(
    lab: Laboratory, board: str, reads: int
) -> None:
    # The handler reads the time `reads` instructions after it was entered: what is due until then, 2450 included, is absorbed.
    # The late handler re-arms its cell at every tick from well before 2450 to well after it.
    first, *others = overrunning(lab, board, 1270, 70)
    assert first == list(IRREGULAR)
    lost = 0
    for entered in others:
        late = entered[3]
        assert entered[:3] == list(IRREGULAR[:3])
        following = [at for at in IRREGULAR[4:] if at in entered[4:]]
        assert entered[4:] == following or entered[5:] == list(IRREGULAR[5:])
        assert following in (list(IRREGULAR[4:]), list(IRREGULAR[5:]))
        assert (len(entered) == len(IRREGULAR)) == (late + reads < 2450)
        lost += len(entered) < len(IRREGULAR)
        assert 2390 < late < 2500
    assert 0 < lost < len(others)


# --- after any overrun a cell comes back to its exact ticks ---

SWEPT = (200, 517, 931, 1400, 1777, 2300, 2644, 3100, 3420, 3999)
SWEPT_ROUND = 4700


def around_every_point() -> list[int]:
    """How long jobs work, in ticks: each ends about a point, up to three rounds after its own, or runs short."""
    works_for = []
    for whole in (0, 1, 3):
        for points_missed in (1, 2, 5):
            for off in (-40, -12, -2, -1, 0, 1, 2, 30):
                at = len(works_for)
                distance = whole * SWEPT_ROUND + (SWEPT[(points_missed + at) % 10] - SWEPT[at % 10]) % SWEPT_ROUND
                works_for += [max(20, distance + off), 20, 20]
    return works_for


def comes_back(outcome: Outcome, task: str, ats: tuple[int, ...], length: int, near: int) -> tuple[int, int]:
    """How many activations began on their tick, and how many late: no other may begin.

    A model of its own: of the points that come while a job runs, or within ``near`` instructions of what begins or ends it,
    the first waits and the others are lost; after that the next point that lies ahead is met to the instruction.
    """
    unit = outcome.per_tick
    begins, ends = outcome.at(Kind.ENTER, task), outcome.at(Kind.END, task)
    every = [(k * length + at) * unit for k in range(begins[-1] // (length * unit) + 2) for at in ats]
    exact, late = 1, 0
    assert begins[0] == every[0]
    for begin, end, following in zip(begins, ends, begins[1:], strict=False):
        passed = [p for p in every if begin < p <= end + near]
        on_tick = following == next(p for p in every if p > end)
        waited = any(begin < p for p in passed) and end <= following <= end + near
        surely = [p for p in passed if begin + near < p <= end]
        assert waited or (on_tick and not surely), (begin / unit, end / unit, following / unit, passed)
        exact, late = exact + on_tick, late + (waited and not on_tick)
    return exact, late


@pytest.mark.parametrize(("board", "near"), [(AST, 20), (MPS, 30), (VIRTUAL_AST, 0), ("virtual-tiny", 0)])
def test_after_an_overrun_that_ends_anywhere_a_cell_is_back_on_its_ticks(lab: Laboratory, board: str, near: int) -> None:
    jobs = around_every_point()
    table = f"static const uint32_t jobs[] = {{{', '.join(f'{j}u' for j in jobs)}}};\nstatic unsigned n;\n"
    code = table + task("Many", f"carillon_work(jobs[n % {len(jobs)}u]);\nn++;")
    schedule = declared(Many=60) + points(SWEPT_ROUND, *((at, "Many") for at in SWEPT), window="wcet")
    outcome = lab.run(schedule, code, board, rounds=160)
    assert [c.style for c in outcome.carriers(Role.ACTIVATION, "Many")] == [Style.MULTIPLEXED]
    exact, late = comes_back(outcome, "Many", SWEPT, SWEPT_ROUND, near)
    assert late > 40
    assert exact > 100


@pytest.mark.parametrize(("board", "near"), [(AST, 20), (MPS, 30), (VIRTUAL_AST, 0), ("virtual-tiny", 0)])
def test_after_a_long_interrupt_a_cell_is_back_on_its_ticks(lab: Laboratory, board: str, near: int) -> None:
    # In every fifth job an interrupt above tasks lasts, each time 347 ticks longer, up to five rounds.
    source, number = ("ext0", 4) if board == "virtual-tiny" else ("soft0", 16)
    pend = f"if (++n % 5u == 0u) {{\n carillon_port_pend({number}u);\n}}\ncarillon_work(20u);"
    code = "static unsigned n;\n" + task("Many", pend)
    code += "static uint32_t longer;\n" + task("Above", "longer += 347u;\ncarillon_work(longer);")
    schedule = declared(Many=60) + f'[interrupt.Above]\nsource = "{source}"\n'
    schedule += points(SWEPT_ROUND, *((at, "Many") for at in SWEPT), window="wcet")
    outcome = lab.run(schedule, code, board, rounds=250)
    assert [c.style for c in outcome.carriers(Role.ACTIVATION, "Many")] == [Style.MULTIPLEXED]
    exact, late = comes_back(outcome, "Many", SWEPT, SWEPT_ROUND, near)
    assert late > 40
    assert exact > 200


@pytest.mark.parametrize("board", [AST, MPS])
def test_what_preempts_a_late_handler_leaves_its_cell_on_its_ticks(lab: Laboratory, board: str) -> None:
    # In even rounds Many's fourth job, at 1400, ends about when Other begins, at 1885: so Other begins at each step of the
    # late handler that looks for 2015.  In odd ones it ends about at 1600 and 1690, which are points.
    code = """
        static unsigned round, job, others;
        static unsigned work(void)
        {
            job++;
            return (job != 4u) ? 20u : ((round % 2u == 0u) ? 485u : 310u) - round / 2u % 150u;
        }
    """
    code += task("Many", "carillon_work(work());")
    code += task("Other", "if (others++ % 5u == 0u) {\n round++;\n job = 0u;\n}\ncarillon_work(90u);")
    many = (200, 517, 931, 1400, 1500, 1600, 1690, 2015, 2300, 2644, 3100)
    ats = {"Many": many, "Other": tuple(range(5, SWEPT_ROUND, 940))}
    activations = sorted((at, name) for name in ats for at in ats[name])
    schedule = declared(Many=20, Other=90) + points(SWEPT_ROUND, *activations, window="wcet")
    outcome = lab.run(schedule, code, board, rounds=300)
    (carrier,) = outcome.carriers(Role.ACTIVATION, "Many")
    assert carrier.style is Style.MULTIPLEXED
    assert carrier.level < outcome.carriers(Role.ACTIVATION, "Other")[0].level
    unit, entered = outcome.per_tick, outcome.at(Kind.ENTER, "Many")
    ends = [end for name in ats for end in outcome.at(Kind.END, name)]
    late = [n for n in entered if n % unit or n // unit % SWEPT_ROUND not in many]
    assert {n - max(end for end in ends if end <= n) for n in late} == {1}, "its tick, or as soon as it can run"
    assert (len(entered), len(late)) > (2600, 200)


def test_what_preempts_a_handler_that_sets_its_cell_leaves_the_cell_on_its_ticks(lab: Laboratory) -> None:
    # Other is due an instruction after Many's handler is entered, two after it, and so on.
    ats = {"Many": SWEPT, "Other": tuple(at + number for number, at in enumerate(SWEPT, 1))}
    activations = sorted((at, name) for name in ats for at in ats[name])
    schedule = declared(Many=60, Other=20) + points(SWEPT_ROUND, *activations, window="wcet")
    outcome = lab.run(schedule, works(Many=10, Other=20), AST, rounds=3)
    assert [c.style for c in outcome.carriers(Role.ACTIVATION, "Many")] == [Style.MULTIPLEXED]
    assert outcome.at(Kind.ENTER, "Many") == [k * SWEPT_ROUND + at for k in range(3) for at in SWEPT]


def test_the_timekeeper_beside_a_reloaded_cell_is_part_of_what_its_point_costs(lab: Laboratory) -> None:
    schedule = declared(Many=60) + points(SWEPT_ROUND, *((at, "Many") for at in SWEPT), window="wcet")
    outcome = lab.run(schedule, works(Many=20), MPS, rounds=20)
    (carrier,) = outcome.carriers(Role.ACTIVATION, "Many")
    assert [use.cell.name for use in carrier.cells] == ["DUAL1+DUAL2"]
    mode = outcome.planned.allocation.modes[0]
    begun = [s - e for e, s in zip(outcome.at(Kind.ENTER, "Many"), outcome.at(Kind.START, "Many"), strict=True)]
    assert mode.overhead == 10 * (COSTS.multiplexed_activation + COSTS.multiplexed_reload + COSTS.acknowledge)
    assert set(begun) == {mode.overhead // 10 + 1}  # the barrier after the request is cleared
