# SPDX-License-Identifier: Apache-2.0
"""AVR: tasks whose periods have no common multiple that a timer counts, on channels of a timer that runs freely.

``CARILLON_TRIES=100 pytest tests/firmware/test_avr_free.py`` draws so many schedules for each board; one by default.
Times are simavr's cycles, as in test_avr.py: 1 from a request to the vector where the processor sleeps.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from math import lcm

import pytest
from laboratory import Laboratory, Outcome, declared, points, task, works

import asked
from carillon.allocate.result import Style
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.model.board import Role
from carillon.pipeline import plan
from carillon.trace import Kind

EXAMPLES = asked.tries(1)
EXPIRIES = 1000
UNO, TURN = "arduino-uno", 1 << 16


def periodic(name: str, period: int, offset: int, more: str = "") -> str:
    return f'[task.{name}]\nperiod = "{period} ticks"\noffset = "{offset} ticks"\n{more}'


def is_free(outcome: Outcome, name: str, role: Role = Role.ACTIVATION) -> bool:
    """Whether a channel of a timer that turns through all its bits carries the points."""
    (carrier,) = outcome.carriers(role, name)
    return carrier.style is Style.MULTIPLEXED and carrier.cells[0].progression.period == TURN


def test_two_leds_of_330_and_470_ms_start_on_their_ticks(lab: Laboratory) -> None:
    schedule = '[task.Red]\nperiod = "330ms"\n[task.Green]\nperiod = "470ms"\noffset = "2ms"\n'
    outcome = lab.run(schedule, works(Red=3, Green=3), UNO, rounds=2)
    assert outcome.planned.system.clock_hz == 62_500
    assert is_free(outcome, "Red")
    assert is_free(outcome, "Green")
    for name, period, offset in (("Red", 20_625, 0), ("Green", 29_375, 125)):
        due = [offset + k * period for k in range(2 * 969_375 // period)]
        found = outcome.at(Kind.ENTER, name)
        assert [n - at * outcome.per_tick for n, at in zip(found, due, strict=True)] == [1] * len(due)
    assert outcome.summary.totals.deadlines_missed == 0


def drawn(seed: int, tasks: int, longest: int = 60_000) -> tuple[dict[str, tuple[int, int]], int]:
    """Period and offset of each task, whose points never coincide, and the round's length, more than any timer counts.

    With periods of more than a turn, what they are beyond whole turns can be kept.
    """
    rng = random.Random(seed)
    while True:
        grid = rng.randint(8 * tasks, 900)
        lengths = rng.sample(range(-(-1600 // grid), longest // grid + 1), tasks)
        length = grid * lcm(*lengths)
        if TURN < length < 66 * longest and all(n * grid % TURN >= 200 for n in lengths):
            break
    residues = rng.sample(range(grid), tasks)
    names = [f"T{k}" for k in range(tasks)]
    found = {}
    for name, multiple, residue in zip(names, lengths, residues, strict=True):
        period = multiple * grid
        found[name] = period, residue + grid * rng.randrange((period - 700) // grid)  # it ends before the round does
    return found, length


@pytest.mark.parametrize("seed", range(EXAMPLES))
@pytest.mark.parametrize("longest", [60_000, 300_000])
@pytest.mark.parametrize(("board", "channels"), [(UNO, 2), ("atmega128", 6), ("arduino-mega", 9)])
def test_random_periods_lose_nothing_double_nothing_and_do_not_drift(
    lab: Laboratory, board: str, channels: int, seed: int, longest: int
) -> None:
    tasks, length = drawn(1000 * channels + seed, min(channels, 4) if longest > TURN else channels, longest)
    schedule = "".join(periodic(name, *it) for name, it in tasks.items())
    rounds = -(-EXPIRIES // sum(length // period for period, _ in tasks.values()))
    outcome = lab.run(schedule, works(**dict.fromkeys(tasks, 5)), board, system='clock = "16MHz"', rounds=rounds)
    (kernel,) = outcome.planned.kernel_times
    assert any(is_free(outcome, name) for name in tasks)
    releases = {n: [o + k * p for k in range(rounds * length // p)] for n, (p, o) in tasks.items()}
    every = sorted(t for own in releases.values() for t in own)
    for name, due in releases.items():
        found = outcome.at(Kind.START, name)
        assert len(found) == len(due), name
        for n, at in zip(found, due, strict=True):
            others = bisect_left(every, n) - bisect_left(every, at - 1500 * bool(every[0] < at)) - 1
            assert 0 < n - at <= kernel.starts[name] + max(kernel.tasks.values()) * max(0, others), (name, at)
    (mode,) = outcome.planned.image.modes
    turned = [x for x in mode.multiplexes if x.laps]
    assert bool(turned) >= (longest > TURN)
    # The image, the check of deadlines and the plan count the same turns.
    laps = outcome.planned.image.laps - sum(x.cell.laps for x in turned)
    assert len(kernel.laps) == laps
    assert [r for r in mode.allocation.reasons if f"counted by {laps} interrupts a round" in r] or not turned


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_deadlines_on_a_timer_that_runs_freely_are_met_and_the_one_that_is_missed_is_told(lab: Laboratory, seed: int) -> None:
    rng = random.Random(seed)
    tasks, length = drawn(77_000 + seed, 3)
    late = rng.randint(2, 9)
    schedule = "".join(periodic(n, p, o, f'deadline = "{690 if n != "T0" else 600} ticks"\n') for n, (p, o) in tasks.items())
    code = f"static uint8_t n;\ncarillon_work((++n == {late}u) ? 900u : 5u);"
    outcome = lab.run(schedule, task("T0", code) + works(T1=5, T2=5), "atmega128", system='clock = "16MHz"', rounds=2)
    assert any(is_free(outcome, name, Role.DEADLINE) for name in tasks)
    (missed,) = outcome.events(Kind.DEADLINE_MISSED)
    period, offset = tasks["T0"]
    at = offset + (late - 1) * period + 600
    assert 0 <= missed.n - at < 700  # other tasks' handlers may come first
    for name, (period, offset) in tasks.items():
        due = [t for t in range(offset, 2 * length, period) if t < at - 300]
        assert len([n for n in outcome.at(Kind.START, name) if n < at]) in (len(due), len(due) + 1)


@pytest.mark.parametrize("ticks", [900, 30_000, 64_000, 66_000, 150_000])
def test_a_task_that_overruns_comes_back_to_its_phase(lab: Laboratory, ticks: int) -> None:
    """By a point, by some, by more than a turn: its handler is entered while it runs, and moves the match on."""
    schedule = periodic("Long", 800, 10) + periodic("Other", 36_400, 353)
    code = task("Long", f"static uint16_t n;\ncarillon_work((++n == 4u) ? {ticks}ul : 10ul);") + works(Other=5)
    outcome = lab.run(schedule, code, UNO, system='clock = "16MHz"', rounds=6)
    assert is_free(outcome, "Long")
    found, length = outcome.at(Kind.START, "Long"), 6 * 72_800
    end = outcome.at(Kind.END, "Long")[3]
    after = [t for t in range(10, length, 800) if t > end + 1500]
    assert len(after) > 20
    later = [n for n in found if n > end + 1500]
    assert len(later) == len(after)
    assert all(0 < n - t < 400 for n, t in zip(later, after, strict=True))
    others = outcome.at(Kind.START, "Other")
    assert all(0 < n - t < 400 for n, t in zip(others, range(353, length, 36_400), strict=False))


@pytest.mark.parametrize(
    ("clock", "rest", "first", "step"),
    [
        ("16MHz", 300, 100, 1),
        ("16MHz", 300, 60_000, 10),
        ("16MHz", 40_000, 39_700, 1),
        ("16MHz", 0, 64_500, 1),
        ("250kHz", 300, 438, 0),  # a tick is 64 cycles: the counter is just before the match when the handler looks
    ],
)
def test_a_handler_that_is_late_by_less_than_a_turn_counts_the_turns_that_are_left(
    lab: Laboratory, clock: str, rest: int, first: int, step: int
) -> None:
    """In each round interrupts are locked for longer, from before the match to behind it."""
    fast = clock == "16MHz"
    period, points_ = (3 if fast else 1) * TURN + rest, 500 if fast else 100
    schedule = periodic("Lock", period, 1000) + periodic("Late", period, 1150) + periodic("Third", 2 * period, 70_000)
    lock = f"carillon_work({first}ul + {step}u * n++); carillon_port_unlock(saved);"
    if not step:  # some cycles more in each round
        lock = f'carillon_work({first}ul); for (uint16_t k = 0u; k < 2u * n; k++) {{ __asm__ volatile("nop"); }} n++; '
        lock += "carillon_port_unlock(saved);"
    code = task("Lock", f"static uint16_t n;\nconst uint32_t saved = carillon_port_lock(); {lock}") + works(Late=5, Third=5)
    outcome = lab.run(schedule, code, "atmega128", system=f'clock = "{clock}"', rounds=points_ // 2, locks=True)
    assert is_free(outcome, "Late")
    ends = outcome.at(Kind.END, "Lock")
    turn = TURN * outcome.per_tick
    for name, begin, every in (("Late", 1150, period), ("Third", 70_000, 2 * period)):
        found = outcome.at(Kind.START, name)
        assert len(found) == points_ * period // every
        for k, n in enumerate(found):
            due = (begin + k * every) * outcome.per_tick
            late = max([end - due for end in ends if due < end < due + turn], default=0)
            assert 0 < n - due < late + 700, (name, k)


def test_locks_that_are_longer_than_a_turn_put_it_out_of_phase_by_turns_as_the_plan_says(lab: Laboratory) -> None:
    schedule = periodic("A", 50_000, 10) + periodic("B", 50_300, 5011)
    lock = "const uint32_t saved = carillon_port_lock(); carillon_work(80000ul); carillon_port_unlock(saved);"
    code = task("A", f"static uint16_t n;\nif (++n == 3u) {{ {lock} }}") + works(B=5)
    outcome = lab.run(schedule, code, UNO, system='clock = "16MHz"', rounds=1)
    (mode,) = outcome.planned.allocation.modes
    assert [r for r in mode.reasons if r.startswith("the counter of OC1A, OC1B turns every 65536 ticks")]
    phases = {(n - 5011) % 50_300 for n in outcome.at(Kind.START, "B") if n > 300_000}
    assert max(phases) - min(phases) < 400
    assert any(abs((TURN * k) % 50_300 - min(phases)) < 400 for k in (0, 1))


@pytest.mark.parametrize(
    ("period", "offset", "other", "says"),
    [
        (
            65_536 * 3 + 132,
            0,
            65_536 * 6 + 264,
            "an interval is 132 ticks longer than whole turns of the timer, and 200 is the least",
        ),
        (
            65_536 * 32_769,
            0,
            65_536 * 10_923,
            "its intervals are not all shorter than 32768 turns of the timer, 2147483648 ticks",
        ),
        (198, 0, 59_499, "an interval of 198 ticks is shorter than a re-armed cell can keep (200)"),
    ],
)
def test_what_a_timer_that_runs_freely_cannot_keep_is_refused_with_its_reason(
    lab: Laboratory, period: int, offset: int, other: int, says: str
) -> None:
    schedule = periodic("A", period, offset) + periodic("B", other, 5) + periodic("C", other, 17)
    path = lab.write(schedule, works(A=5, B=5, C=5), system=f'board = "{UNO}"\nclock = "16MHz"')
    with pytest.raises(CarillonError) as caught:
        plan(path, Diagnostics())
    (refused,) = caught.value.diagnostics
    assert refused.code == "C061"
    assert says in refused.cause


@pytest.mark.parametrize(
    ("period", "offset", "other"),
    [(65_535, 64_800, 52_428), (65_532, 64_900, 43_688), (65_536, 64_800, 49_152), (600, 0, 61_100)],
)
def test_the_ends_of_what_it_can_keep(lab: Laboratory, period: int, offset: int, other: int) -> None:
    """With a period of a whole turn a channel is not even moved."""
    length = lcm(period, other)
    code = "static volatile uint8_t x;\n" + task("A", "x++;") + task("B", "x++;")
    outcome = lab.run(periodic("A", period, offset) + periodic("B", other, 105), code, UNO, system='clock = "16MHz"', rounds=2)
    assert is_free(outcome, "B")
    assert is_free(outcome, "A") is (period < TURN)
    for name, (p, o) in {"A": (period, offset), "B": (other, 105)}.items():
        found, due = outcome.at(Kind.START, name), range(o, 2 * length, p)
        assert len(found) == len(due)
        assert all(0 < n - t < 500 for n, t in zip(found, due, strict=True))


def test_points_that_passed_are_skipped_and_the_first_that_lies_ahead_is_served(lab: Laboratory) -> None:
    """Interrupts are locked for some cycles longer in each round: near points pass, and turns to the next round are counted."""
    length, ats = 2 * TURN + 20_011, [1150 + 331 * k for k in range(8)]
    schedule = declared(Lock=0, Late=0) + points(length, (1000, "Lock"), *((at, "Late") for at in ats))
    lock = "carillon_work(100u + 3u * n++); carillon_port_unlock(saved);"
    code = task("Lock", f"static uint16_t n;\nconst uint32_t saved = carillon_port_lock(); {lock}") + works(Late=5)
    rounds = 900
    outcome = lab.run(schedule, code, UNO, system='clock = "16MHz"', rounds=rounds)
    assert is_free(outcome, "Late")
    ends, found = outcome.at(Kind.END, "Lock"), outcome.at(Kind.START, "Late")
    for k in range(rounds):
        begin, end = k * length, ends[k]
        own = [n for n in found if begin <= n < begin + length]
        ahead = [begin + at for at in ats if begin + at > end + 1100]  # what is nearer may have passed during the search
        for at in ahead:
            assert any(0 < n - at < 400 for n in own), (k, at - begin)
        assert len(own) <= len(ats)
        assert all(any(0 < n - begin - at < 400 for at in ats) or n - end < 900 for n in own), k


@pytest.mark.parametrize("length", [98_304, 98_400, 98_502, 98_700])
def test_a_round_a_little_longer_than_half_turns_does_not_keep_a_table_from_a_timer_that_runs_freely(
    lab: Laboratory, length: int
) -> None:
    within = 'start_within = "2000 ticks"\n'
    tasks = (("A", length // 2, 0), ("B", length // 3, 1000), ("C", length // 3, 2000))
    schedule = "".join(periodic(*it, within) for it in tasks)
    path = lab.write(schedule, works(A=5, B=5, C=5), system=f'board = "{UNO}"\nclock = "16MHz"')
    (mode,) = plan(path, Diagnostics()).allocation.modes
    assert len([c for c in mode.carriers if c.style is Style.MULTIPLEXED]) == 2


def test_a_table_whose_first_point_lies_beyond_a_turn_is_refused(lab: Laboratory) -> None:
    within = 'start_within = "2000 ticks"\n'
    tasks = (("A", 65_450, 65_200), ("B", 65_505, 65_216), ("C", 65_450, 65_300))
    path = lab.write(
        "".join(periodic(*it, within) for it in tasks), works(A=5, B=5, C=5), system=f'board = "{UNO}"\nclock = "16MHz"'
    )
    with pytest.raises(CarillonError) as caught:
        plan(path, Diagnostics())
    (refused,) = caught.value.diagnostics
    assert refused.code == "C060"
    assert "at least 1 cell" in refused.cause
