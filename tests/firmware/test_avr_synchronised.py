# SPDX-License-Identifier: Apache-2.0
"""AVR: rounds that are made longer and shorter by one turn of the timers, on the tick that a model in this file says.

What is looked at is the entry of a task's handler, in simavr's ticks.  The model knows of no timer: it goes from sync point to
sync point.  simavr's runner ends a run in which a timer gets a length that its counter has passed.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from laboratory import Laboratory, Outcome

import asked
from carillon.trace import Kind

ROUND = 6000
ROUNDS = asked.tries(40)
TELL = """
#define ROUND 6000u
static uint32_t state = 99u, told, points;
static void draw(void)
{
    state = state * 1664525u + 1013904223u;
    told = (TOLD_AT + ROUND - FROM + (state >> 16) % VALUES) % ROUND;
}
void ttStartupHook(void)
{
    draw();
    (void)report;
}
void Tell(void)
{
    if (points == 0u) {
        (void)ttSyncTimes(0u, told);
        draw();
    }
    points = (points + 1u) % POINTS;
}
"""


def told(at: int, least: int, values: int, count: int) -> list[int]:
    """What the code above tells."""
    state, found = 99, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        found.append((at + ROUND - least + (state >> 16) % values) % ROUND)
    return found


def schedule(points: Sequence[int], lengthen: int, shorten: int, more: str = "") -> str:
    rows = "\n".join(f'    {{ at = "{at} ticks", activate = "Tell" }},' for at in points)
    return f"""
[sync]
lengthen = "{lengthen} ticks"
shorten = "{shorten} ticks"
{more}
[mode.only]
round = "{ROUND} ticks"
points = [
{rows}
]
[task.Tell]
"""


def ran(
    lab: Laboratory, board: str, points: Sequence[int], limits: tuple[int, int], draws: tuple[int, int], rounds: int, **given: str
) -> Outcome:
    """Tell, at its first point in each round, a place that is off by ``draws``: from this before on, so many values."""
    code = TELL.replace("TOLD_AT", f"{min(points)}u").replace("FROM", f"{draws[0]}u").replace("VALUES", f"{draws[1]}u")
    code = code.replace("POINTS", f"{len(points)}u")
    text = schedule(points, *limits, given.get("more", ""))
    system = f'board = "{board}"\nclock = "{given.get("clock", "2MHz")}"'
    return lab.run(text, code, board, system=system, ticks=rounds * ROUND)


def model(points: Sequence[int], sync: int, told_at: Sequence[int], late: int, limits: tuple[int, int]) -> list[int]:
    """When each point comes: the times from one sync point to the next are as the schedule has them, but for the correction.

    ``sync``: the sync point's tick.  ``late``: ticks from the first point to where its code looks at the clock.
    """
    lengthen, shorten = limits
    found = list(points)
    point = max(points) + 1
    assert point % ROUND == sync
    for schedule_time in told_at:
        off = (min(points) + late - schedule_time) % ROUND
        point += max(-shorten, min(lengthen, off - ROUND if 2 * off > ROUND else off))
        found += [point + (p - sync) % ROUND for p in points]
        point += ROUND
    return found


def entered(outcome: Outcome) -> list[int]:
    return [e.t for e in outcome.events(Kind.ENTER, of="Tell")]


def agrees(outcome: Outcome, points: Sequence[int], limits: tuple[int, int], draws: tuple[int, int]) -> None:
    """There is one time from the first point to the look at the clock with which all of a run is as the model says."""
    (mode,) = outcome.planned.image.modes
    assert mode.sync is not None
    own = [t - (outcome.per_tick == 1) for t in entered(outcome)]  # a cycle after the request, as the processor sleeps
    values = told(min(points), *draws, len(own) // len(points) + 3)
    fitting = []
    for late in range(1000):
        expected = model(points, mode.sync.at, values, late, limits)[: len(own)]
        if own == expected:
            fitting.append(late)
    assert len(own) > 0.8 * ROUNDS * len(points)
    assert fitting, (own[:12], model(points, mode.sync.at, values, 30, limits)[:12])


PLACES = {
    "in the middle": (1000, 3000),
    "the last point at the round's end": (1500, ROUND - 1),
    "the first point at the round's begin": (0, 2000, 3500),
    "both": (0, 2000, 4200, ROUND - 1501),
    "the counter begins at the beginning of the round": (200, 5000),
    "within the lead": (ROUND - 100 - 1500, ROUND - 100),
}


@pytest.mark.parametrize("board", ["arduino-uno", "arduino-leonardo", "atmega128"])
@pytest.mark.parametrize("place", PLACES)
def test_the_round_may_lie_anywhere_in_the_turn(place: str, board: str, lab: Laboratory) -> None:
    points, draws = PLACES[place], (900, 1801)
    limits = min(700, (max(points) + 1) % ROUND), 400
    agrees(ran(lab, board, points, limits, draws, ROUNDS), points, limits, draws)


@pytest.mark.parametrize("clock", ["16MHz", "2MHz", "250kHz", "15.625kHz"])
def test_rounds_are_moved_exactly_with_each_clock(clock: str, lab: Laboratory) -> None:
    points, limits, draws = (1000, 3000), (700, 400), (900, 1801)
    agrees(ran(lab, "arduino-uno", points, limits, draws, ROUNDS, clock=clock), points, limits, draws)


LAST = (
    TELL
    + """
void Last(void)
{
    static uint32_t work = BEGIN;
    static bool second;
    if (!second) {
        DO
        work += STEP;
    }
    second = !second;
}
"""
)
LOCKED = """
        const uint32_t saved = carillon_port_lock();
        carillon_work(work);
        carillon_port_unlock(saved);
"""
POINTS_OF_LAST = 2800, 3000


def with_last(
    lab: Laboratory, limits: tuple[int, int], draws: tuple[int, int], rounds: int, work: tuple[int, int], does: str
) -> tuple[Outcome, list[int], list[list[int]]]:
    """Tell at 500, and two jobs of another task of which the first takes longer in each round.

    What is given back: the run, the entries of Tell, and for each time until Tell looks at the clock what they are by the model.
    """
    code = LAST.replace("BEGIN", f"{work[0]}u").replace("STEP", f"{work[1]}u").replace("DO", does)
    code = (
        code.replace("TOLD_AT", "500u").replace("FROM", f"{draws[0]}u").replace("VALUES", f"{draws[1]}u").replace("POINTS", "1u")
    )
    last = "".join(f'    {{ at = "{at} ticks", activate = "Last" }},\n' for at in POINTS_OF_LAST)
    text = schedule((500,), *limits).replace("]\n[task", f"{last}]\n[task") + "[task.Last]\n"
    outcome = lab.run(text, code, "atmega128", system='board = "atmega128"\nclock = "2MHz"', ticks=rounds * ROUND)
    values = told(500, *draws, rounds + rounds // 5)
    points = (500, *POINTS_OF_LAST)
    return outcome, entered(outcome), [model(points, 3001, values, late, limits)[::3] for late in range(200)]


@pytest.mark.parametrize(("begin", "step", "rounds"), [(3100, 1, 150), (2000, 11, 130)])
@pytest.mark.parametrize("least", [0, 900])
def test_the_sync_point_may_come_on_every_tick_and_moves_all_or_nothing(
    begin: int, step: int, rounds: int, least: int, lab: Laboratory
) -> None:
    """The job before the last point locks interrupts for longer in each round, until it is too late for the lengths."""
    outcome, own, expected = with_last(lab, (700, 400), (least, 901), rounds, (begin, step), LOCKED)
    (mode,) = outcome.planned.image.modes
    assert mode.sync is not None
    lengths = [b - a for a, b in itertools.pairwise(own)]
    whole = next(k for k in range(5, rounds) if set(lengths[k : k + 5]) == {ROUND})  # from here on nothing is moved
    assert set(lengths[whole:]) == {ROUND}
    assert len(set(lengths[:whole])) > 10
    assert any(own[: whole + 1] == times[: whole + 1] for times in expected), (lengths[:whole], own[:8], expected[30][:8])
    ended = POINTS_OF_LAST[0] + begin + whole * step - 3001  # the lock, so many ticks after the sync point, and some
    assert mode.sync.late - 60 < ended <= mode.sync.late
