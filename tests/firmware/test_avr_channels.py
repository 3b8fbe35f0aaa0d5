# SPDX-License-Identifier: Apache-2.0
"""AVR: several points of a task on one compare channel, whose handler sets the match to the next of them.

Times are simavr's cycles, as in test_avr.py: 1 from a request to the vector where the processor sleeps.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from laboratory import Laboratory, Outcome, declared, points, task

from carillon.allocate.result import Style
from carillon.model.board import Role
from carillon.trace import Kind

BOARDS = ("atmega128", "atmega2560")
ROUND = 20_011  # prime, so that the idle loop comes in each phase
MANY = [150 + 1531 * k + 97 * (k % 3) for k in range(13)]  # more than either board has channels


def run(
    lab: Laboratory,
    board: str,
    ats: Sequence[int],
    code: str,
    rounds: int,
    *,
    due: int = 0,
    system: str = "",
    length: int = ROUND,
) -> Outcome:
    """One task at irregular ticks, each with a deadline so many ticks later."""
    entries = [(at, "Many", *([at + due] if due else [])) for at in ats]
    schedule = declared(Many=20) + points(length, *entries, window="wcet")
    return lab.run(schedule, task("Many", code), board, system=system, rounds=rounds)


def is_multiplexed(outcome: Outcome, role: Role = Role.ACTIVATION) -> bool:
    (carrier,) = outcome.carriers(role, "Many")
    return carrier.style is Style.MULTIPLEXED


def late(outcome: Outcome, ats: Sequence[int], length: int = ROUND) -> list[int]:
    """Cycles from each point to the handler's entry; all points are served."""
    found = outcome.at(Kind.ENTER, "Many")
    due = [(k * length + at) * outcome.per_tick for k in range(len(found) // len(ats) + 1) for at in ats]
    return [n - at for n, at in zip(found, due, strict=False)]


@pytest.mark.parametrize("clock", ["16MHz", "2MHz", "15.625kHz"])
@pytest.mark.parametrize("board", BOARDS)
def test_many_points_of_one_channel_are_served_on_their_cycles(lab: Laboratory, board: str, clock: str) -> None:
    rounds = 40 if clock != "15.625kHz" else 2
    outcome = run(lab, board, MANY, "carillon_work(10u);", rounds, system=f'clock = "{clock}"')
    assert is_multiplexed(outcome)
    found = late(outcome, MANY)
    assert (set(found), len(found)) == ({1}, rounds * len(MANY))


def test_points_at_the_rounds_end_are_served_from_the_first_round_on(lab: Laboratory) -> None:
    """The timer begins `lead` before the round, so that they match once before it: that is forgotten."""
    ats = [4650 + 310 * k // 2 + k * k for k in range(3)]
    other = [(100 + 700 * k, f"T{k}") for k in range(5)]
    schedule = declared(Many=20, **dict.fromkeys((name for _, name in other), 20))
    schedule += points(5000, *other, *((at, "Many") for at in ats), window="wcet")
    code = task("Many", "carillon_work(5u);") + "".join(task(name, "carillon_work(5u);") for _, name in other)
    outcome = lab.run(schedule, code, "atmega128", rounds=5)
    assert is_multiplexed(outcome)
    assert set(late(outcome, ats, 5000)) == {1}
    assert len(late(outcome, ats, 5000)) == 15


@pytest.mark.parametrize("ticks", [1000, 5000, 19_000, 21_000, 70_000, 150_000])
def test_a_task_that_overruns_loses_activations_and_its_channel_comes_back_to_its_ticks(lab: Laboratory, ticks: int) -> None:
    """By less than a point, by some, by a round, by turns of the counter's 16 bits."""
    code = f"static uint8_t n;\ncarillon_work((++n == 4u) ? {ticks}ul : 10ul);"
    outcome = run(lab, "atmega128", MANY, code, 12)
    assert is_multiplexed(outcome)
    starts = outcome.at(Kind.ENTER, "Many")
    due = [k * ROUND + at for k in range(12) for at in MANY]
    end = outcome.at(Kind.END, "Many")[3]
    passed = [t for t in due if starts[3] < t < end]
    assert starts[:4] == [t + 1 for t in due[:4]]
    if passed:  # one of them waited
        assert 0 < starts[4] - end < 100
    after = [t for t in due if t > end + 1000]
    assert [n for n in starts if n > end + 1000] == [t + 1 for t in after]


def test_a_handler_that_comes_about_the_next_point_serves_it_or_absorbs_it(lab: Laboratory) -> None:
    """In each round the first job ends a cycle later, from before the next point but one to behind it."""
    ats = [150, 3000, 6000, 9000, *range(11_000, 19_000, 1111)]
    schedule = declared(First=20, Many=20)
    schedule += points(ROUND, (10, "First"), *((at, "Many") for at in ats), window="wcet")
    code = "static volatile uint8_t first;\nstatic uint16_t rounds;\n" + task("First", "first = 1u;")
    code += task("Many", "if (first != 0u) {\nfirst = 0u;\ncarillon_work(5300u + 6u * rounds++);\n}")
    outcome = lab.run(schedule, code, "atmega128", rounds=90)
    assert is_multiplexed(outcome)
    entries = outcome.at(Kind.ENTER, "Many")
    counts = set()
    for k in range(90):
        own = [n - k * ROUND for n in entries if k * ROUND <= n < (k + 1) * ROUND]
        assert own[0] == 151
        assert own[-len(ats[3:]) :] == [t + 1 for t in ats[3:]], "from then on it is on its ticks"
        between = own[1 : -len(ats[3:])]
        assert 5500 < between[0] < 6300, "the second activation waited for the end of the first"
        assert between[1:] == [] or 0 < between[1] - 6000 < 150
        counts.add(len(between))
    assert counts == {1, 2}, "the third is absorbed by the one that waits, or comes on its tick"


@pytest.mark.parametrize("board", BOARDS)
def test_deadlines_of_one_channel_are_moved_on_before_they_expire(lab: Laboratory, board: str) -> None:
    outcome = run(lab, board, MANY, "carillon_work(10u);", 20, due=800)
    assert is_multiplexed(outcome)
    assert is_multiplexed(outcome, Role.DEADLINE)
    assert set(late(outcome, MANY)) == {1}
    assert len(outcome.events(Kind.DEADLINE_MET)) == 20 * len(MANY)
    assert len(outcome.at(Kind.ENTER, "Many")) == 20 * len(MANY)


@pytest.mark.parametrize("job", [1, 3, 13, 14])
def test_a_deadline_of_one_channel_that_is_missed_is_told_on_its_cycle(lab: Laboratory, job: int) -> None:
    code = f"static uint8_t n;\ncarillon_work((++n == {job}u) ? 5000u : 10u);"
    outcome = run(lab, "atmega128", MANY, code, 3, due=800)
    assert is_multiplexed(outcome, Role.DEADLINE)
    (missed,) = outcome.events(Kind.DEADLINE_MISSED)
    at = (job - 1) // len(MANY) * ROUND + MANY[(job - 1) % len(MANY)] + 800
    assert missed.t == at
    assert 0 <= missed.n - at <= 4
