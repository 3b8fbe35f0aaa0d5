# SPDX-License-Identifier: Apache-2.0
"""Application modes: a switch is taken at the end of the round, in the ground state, on the tick."""

from __future__ import annotations

import itertools

import pytest
from laboratory import AST, MPS, ROOT, TC, VIRTUAL, VIRTUAL_AST, Laboratory, Outcome, declared, points, task, works

from carillon.allocate.result import Style
from carillon.model.board import Role
from carillon.trace import Kind

ALL = [AST, MPS, VIRTUAL_AST]
KERNELS = ("carillon", "conventional")
HOOK = 'void ttShutdownHook(ttStatusType error)\n{\n report("shutdown", error);\n}\n'

# Two modes of 4,000 and 6,000 ticks; each has a task of its own and Chooser, which asks for a switch.
TASKS = declared(One=0, Two=0, Chooser=0, Long=0)
ONE = points(4000, (200, "One"), (1000, "Chooser"), mode="first", window="wcet")
TWO = points(6000, (300, "Two"), (1500, "Chooser"), mode="second", window="wcet")
SCHEDULE = declared(One=40, Two=40, Chooser=100) + ONE + TWO
LENGTHS = {"first": 4000, "second": 6000}
FIRST = {"first": 200, "second": 300}


def chooser(code: str, **works_: int) -> str:
    return "static unsigned jobs;\n" + task("Chooser", f"jobs++;\n{code}") + works(**(works_ or {"One": 20, "Two": 20}))


def gaps(outcome: Outcome) -> dict[str, int]:
    """How many ticks after a mode's round the next mode's round begins."""
    found = {}
    for mode in outcome.planned.image.modes:
        assert mode.control is not None
        found[mode.allocation.mode.name] = max(0, mode.control.gap)
    return found


def follows(outcome: Outcome, sequence: list[tuple[str, int]]) -> None:
    """The modes ran in this order, each for so many whole rounds, and every task started on its tick.

    mps2's instructions are a fifth of a tick, of which a switch may lose some: within a tick there.
    """
    begin = 0
    expected, starts = [], []
    for name, rounds in sequence:
        expected.append((begin, name))
        starts += [(begin + k * LENGTHS[name] + FIRST[name], {"first": "One", "second": "Two"}[name]) for k in range(rounds)]
        begin += rounds * LENGTHS[name] + gaps(outcome)[name]
    modes = list(outcome.trace.modes)[: len(expected)]
    assert [name for _, name in modes] == [name for _, name in expected]
    slack = outcome.per_tick - 1 if outcome.per_tick > 1 else 0
    for (t, _), (wanted, _) in zip(modes, expected, strict=True):
        assert 0 <= t - wanted <= (1 if slack else 0) * len(modes)
    seen = [(e.n, e.object) for e in outcome.events(Kind.ENTER) if e.object in ("One", "Two")][: len(starts)]
    assert [name for _, name in seen] == [name for _, name in starts]
    for (n, _), (wanted, _) in zip(seen, starts, strict=True):
        assert 0 <= n - wanted * outcome.per_tick <= slack * len(modes)


@pytest.mark.parametrize("board", [*ALL, TC, VIRTUAL])
def test_a_switch_is_taken_at_the_end_of_the_round_and_the_new_round_begins_on_the_tick(lab: Laboratory, board: str) -> None:
    code = chooser("if (jobs == 2u) {\n (void)ttSwitchAppMode(ttAppMode_second);\n}")
    outcome = lab.run(SCHEDULE, code, board, ticks=30000)
    follows(outcome, [("first", 2), ("second", 3)])


@pytest.mark.parametrize("board", ALL)
def test_two_hundred_switches_lose_no_tick(lab: Laboratory, board: str) -> None:
    code = chooser("(void)ttSwitchAppMode(1u - ttGetActiveApplicationMode());")
    outcome = lab.run(SCHEDULE, code, board, ticks=100 * 10000 + 3000)
    names = [name for _, name in outcome.trace.modes]
    assert names == ["first", "second"] * 100 + ["first"]
    # Chooser runs once a round, at a tick of its own in each mode.
    asked = {"first": 1000, "second": 1500}
    entered = outcome.at(Kind.ENTER, "Chooser")
    seen = [n - asked[name] * outcome.per_tick for n, name in zip(entered, names, strict=True)]
    lengths = [(LENGTHS[name] + gaps(outcome)[name]) * outcome.per_tick for name in names]
    late = {b - a - length for (a, b), length in zip(itertools.pairwise(seen), lengths[:-1], strict=True)}
    assert late == {0}


@pytest.mark.parametrize("board", ALL)
def test_every_task_starts_on_its_tick_after_every_switch(lab: Laboratory, board: str) -> None:
    code = chooser("(void)ttSwitchAppMode(1u - ttGetActiveApplicationMode());")
    outcome = lab.run(SCHEDULE, code, board, ticks=100 * 10000 + 3000)
    offsets = set()
    for begin, name in outcome.trace.modes:
        mine = "One" if name == "first" else "Two"
        own = (e.t - begin for e in outcome.events(Kind.ENTER, of=mine))
        offsets |= {t - FIRST[name] for t in own if 0 <= t < LENGTHS[name]}
    assert offsets == {0}


@pytest.mark.parametrize("board", ALL)
def test_a_later_call_before_the_end_of_the_round_replaces_the_earlier_one(lab: Laboratory, board: str) -> None:
    third = points(5000, (400, "Three"), mode="third")
    code = chooser("(void)ttSwitchAppMode(ttAppMode_second);\n(void)ttSwitchAppMode(ttAppMode_third);", One=20, Two=20, Three=20)
    outcome = lab.run(SCHEDULE + declared(Three=0) + third, code, board, ticks=15000)
    assert [name for _, name in outcome.trace.modes] == ["first", "third"]


@pytest.mark.parametrize("board", ALL)
def test_a_call_for_the_active_mode_begins_its_round_anew_on_the_tick(lab: Laboratory, board: str) -> None:
    code = chooser("if (jobs == 1u) {\n (void)ttSwitchAppMode(ttAppMode_first);\n}")
    outcome = lab.run(SCHEDULE, code, board, ticks=15000)
    starts = [e.t for e in outcome.events(Kind.ENTER, of="One")]
    gap = gaps(outcome)["first"]
    assert starts == [200, 4200 + gap, 8200 + gap, 12200 + gap]


@pytest.mark.parametrize("board", ALL)
def test_a_task_that_still_runs_at_the_switch_postpones_it_by_a_round(lab: Laboratory, board: str) -> None:
    # The second job of Long runs over the end of its round; the switch is asked for in that round.
    long = points(4000, (200, "One"), (1000, "Chooser"), (1500, "Long"), mode="first", window="wcet")
    schedule = declared(One=40, Two=40, Chooser=100, Long=60) + long + TWO
    code = "static unsigned longs;\n" + chooser("if (jobs == 2u) {\n (void)ttSwitchAppMode(ttAppMode_second);\n}")
    code += task("Long", "carillon_work(++longs == 2u ? 2540u : 20u);")
    outcome = lab.run(schedule, code, board, ticks=30000)
    assert len(outcome.events(Kind.START, of="One")) == 3
    follows(outcome, [("first", 3), ("second", 2)])


@pytest.mark.parametrize("board", ALL)
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_active_mode_is_the_one_whose_round_runs(lab: Laboratory, board: str, kernel: str) -> None:
    say = 'report("mode", ttGetActiveApplicationMode());'
    code = chooser(f"{say}\n(void)ttSwitchAppMode(ttAppMode_second);\n{say}")
    outcome = lab.run(SCHEDULE.replace("6000", "9000").replace("4000", "8000"), code, board, kernel=kernel, ticks=20000)
    assert outcome.said("mode")[:4] == [0, 0, 1, 1]


@pytest.mark.parametrize("board", ALL)
def test_a_mode_that_does_not_exist_is_refused_and_nothing_is_switched(lab: Laboratory, board: str) -> None:
    code = chooser('report("status", ttSwitchAppMode(2u));')
    outcome = lab.run(SCHEDULE.replace("4000", "8000"), code, board, ticks=20000)
    assert outcome.said("status")[:2] == [3, 3]  # TT_E_OS_ID
    assert [name for _, name in outcome.trace.modes] == ["first"]


@pytest.mark.parametrize("board", ALL)
def test_with_a_single_mode_only_that_mode_can_be_asked_for(lab: Laboratory, board: str) -> None:
    code = task("One", 'report("none", ttSwitchAppMode(1u));\nreport("own", ttSwitchAppMode(0u));')
    outcome = lab.run(declared(One=0) + points(9000, (200, "One")), code, board)
    assert outcome.reported == [("none", 3), ("own", 0)]


@pytest.mark.parametrize("board", ALL)
def test_nothing_interrupts_for_a_switch_that_nobody_asked_for(lab: Laboratory, board: str) -> None:
    outcome = lab.run(SCHEDULE, chooser(""), board, ticks=40000)
    assert {e.object for e in outcome.events(Kind.ENTER)} == {"One", "Chooser"}
    assert len(outcome.events(Kind.ENTER)) == 20


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_a_multiplexed_cell_begins_anew_in_every_mode(lab: Laboratory, board: str) -> None:
    first = (200, 660, 1230, 1900, 2550, 3433, 4120, 4590)
    second = (300, 710, 1480, 2070, 2700, 3300, 4441, 4600)
    schedule = declared(Many=60, Chooser=100) + points(
        8000, *((at, "Many") for at in first), (5000, "Chooser"), mode="first", window="wcet"
    )
    schedule += points(9000, *((at, "Many") for at in second), (5000, "Chooser"), mode="second", window="wcet")
    switch = "(void)ttSwitchAppMode(1u - ttGetActiveApplicationMode());"
    code = "static unsigned jobs;\n" + task("Chooser", f"if (++jobs % 2u == 0u) {{\n {switch}\n}}")
    outcome = lab.run(schedule, code + works(Many=30), board, ticks=200000)
    for mode in (0, 1):
        assert outcome.carriers(Role.ACTIVATION, "Many", mode)[0].style is Style.MULTIPLEXED
    gap = gaps(outcome)
    expected, begin = [], 0
    for name, length, ats in itertools.cycle((("first", 8000, first), ("second", 9000, second))):
        expected += [begin + k * length + at for k in range(2) for at in ats]
        begin += 2 * length + gap[name]
        if begin > 200000:
            break
    assert outcome.at(Kind.ENTER, "Many") == [n for n in expected if n < 200000]


def test_a_cell_that_is_started_anew_after_an_overrun_begins_no_mode(lab: Laboratory) -> None:
    schedule = declared(Many=60, Chooser=100)
    ats = (300, 710, 1480, 2070, 2700, 3300, 4441, 4900)
    for mode, length in (("first", 8000), ("second", 9000)):
        schedule += points(length, *((at, "Many") for at in ats), (5500, "Chooser"), mode=mode, window="wcet")
    switch = "if (++jobs == 1u) {\n (void)ttSwitchAppMode(1u);\n}"
    code = "static unsigned jobs, n;\n" + task("Chooser", switch) + task("Many", "carillon_work(++n % 11u == 5u ? 1500u : 30u);")
    outcome = lab.run(schedule, code, MPS, ticks=60_000)
    assert [name for _, name in outcome.trace.modes] == ["first", "second"]
    assert outcome.trace.round_lengths == tuple((m.name, m.round_length) for m in outcome.planned.system.modes)
    assert {e.object for e in outcome.events(Kind.ENTER)} == {"Many", "Chooser", "first"}
    assert len(outcome.at(Kind.ENTER, "Many")) == len(outcome.at(Kind.START, "Many"))


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_a_switch_in_the_middle_of_lowered_tasks_waits_for_them(lab: Laboratory, board: str) -> None:
    periodic = '[task.{0}]\nperiod = "{1} ticks"\noffset = "{2} ticks"\nwcet = "{3} ticks"\n'
    schedule = periodic.format("Fast", 1000, 0, 100) + periodic.format("Slow", 2000, 500, 700) + declared(Two=60)
    schedule += '[mode.first]\nround = "32000 ticks"\n' + points(6000, (300, "Two"), mode="second", window="wcet")
    # The last job of the first round runs over the end of it.
    slow = "carillon_work(++jobs == 16u ? 1600u : 100u);\nif (jobs == 3u) {\n (void)ttSwitchAppMode(1u);\n}"
    code = "static unsigned jobs;\n" + task("Slow", slow)
    outcome = lab.run(schedule, code + works(Fast=20, Two=20), board, ticks=80000)
    assert any(c.lowered for n in ("Fast", "Slow") for c in outcome.carriers(Role.ACTIVATION, n))
    assert [name for _, name in outcome.trace.modes] == ["first", "second"]
    assert outcome.trace.modes[1][0] == 64000 + gaps(outcome)["first"]


@pytest.mark.parametrize(("board", "kernel"), [*itertools.product((AST, VIRTUAL_AST), KERNELS), (MPS, "conventional")])
def test_both_kernels_go_through_the_modes_of_the_example(lab: Laboratory, board: str, kernel: str) -> None:
    hz = 25_000_000 if board == MPS else 125_000_000
    outcome = lab.run_file(ROOT / "examples" / "modes" / "schedule.toml", board, kernel=kernel, ticks=20 * hz // 1000)
    assert outcome.trace.clock_hz == hz
    names = [name for _, name in outcome.trace.modes]
    assert names[:5] == ["startup", "drive", "limp_home", "drive", "limp_home"]
    assert not outcome.events(Kind.DEADLINE_MISSED)


@pytest.mark.parametrize("board", ALL)
def test_the_idle_task_can_ask_for_a_switch(lab: Laboratory, board: str) -> None:
    idle = "void ttIdleTask(void)\n{\n carillon_work(200u);\n (void)ttSwitchAppMode(ttAppMode_second);\n"
    idle += " for (;;) {\n  carillon_port_idle();\n }\n}\n"
    outcome = lab.run(SCHEDULE, chooser("") + idle, board, ticks=20000)
    follows(outcome, [("first", 1), ("second", 2)])


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_a_re_enable_point_at_the_tick_of_a_switch_belongs_to_a_round_that_never_begins(lab: Laboratory, board: str) -> None:
    schedule = (
        '[interrupt.I]\nsource = "soft0"\npriority = "below-tasks"\n'
        + declared(T=0)
        + points(20_000, (0, "enable", "I"), (5000, "T"), mode="a")
        + points(20_000, (5000, "T", 10_000), mode="b")
    )
    code = (
        task("I", "carillon_work(100u);")
        + "static unsigned n;\n"
        + task("T", "carillon_work(100u);\ncarillon_port_pend(16u);\nif (n++ == 0u) { (void)ttSwitchAppMode(ttAppMode_b); }")
    )
    outcome = lab.run(schedule, code, board, ticks=60_000)
    assert [name for _, name in outcome.trace.modes] == ["a", "b"]
    assert len(outcome.at(Kind.START, "I")) == 1  # enabled at 0, taken in the first round, and never enabled again


def test_asking_for_a_mode_delays_a_task_by_few_instructions(lab: Laboratory) -> None:
    # Rounds of a prime length meet every instruction of the loop sooner or later.  Asks never ends, so no mode ends.
    schedule = declared(Asks=0, Often=0, Other=0)
    schedule += points(2999, (100, "Asks"), (700, "Often"), mode="first") + points(2999, (100, "Other"), mode="second")
    code = task("Asks", "for (;;) {\n (void)ttSwitchAppMode(ttAppMode_second);\n}") + works(Often=20, Other=20)
    outcome = lab.run(schedule, code, AST, rounds=1000)
    assert len(outcome.at(Kind.START, "Often")) == 1000
    delays = outcome.delays("Often")
    assert (min(delays), max(delays)) == (0, 9)
