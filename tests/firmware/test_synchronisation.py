# SPDX-License-Identifier: Apache-2.0
"""Rounds that are made longer and shorter: every activation once a round, and on the very tick that the model says.

A task tells ttSyncTimes of a schedule time that is off by random amounts.  So it does not depend on when the task runs what the
correction is: it is what is told less where the task was activated.  ``CARILLON_TRIES=N`` is how many rounds each board
plays.
"""

from __future__ import annotations

import itertools

import pytest
from laboratory import AST, Laboratory, Outcome
from sync_model import starts

import asked
from carillon.diagnostics import CarillonError, Diagnostics
from carillon.pipeline import plan
from carillon.resources import board_names
from carillon.trace import Kind
from runnable import NODE

RTL = "cv32e40x-rtl"
AVR = ("arduino-mega", "atmega2560")
PICO, STM32 = "raspberry-pi-pico", "stm32f4-discovery"
BOARDS = ["virtual-256", "virtual-ast1030-evb", "tc1796", AST, RTL, *AVR, STM32, pytest.param(PICO, marks=NODE)]
REAL = (AST, RTL, *AVR, PICO, STM32)  # where code takes time

ROUNDS = asked.tries(60)
LENGTHEN, SHORTEN = 300, 500
TEMPLATE = """
[sync]
lengthen = "{lengthen} ticks"
shorten = "{shorten} ticks"
precision = "3 ticks"
{more}
[task.Often]
period = "2000 ticks"
offset = "700 ticks"
deadline = "900 ticks"
[task.Tell]
period = "10000 ticks"
offset = "1500 ticks"
deadline = "1800 ticks"
[mode.only]
points = [
    {{ at = "2600 ticks", activate = "Uneven", deadline_at = "3000 ticks" }},
    {{ at = "3800 ticks", activate = "Uneven", deadline_at = "4300 ticks" }},
    {{ at = "7000 ticks", activate = "Uneven", deadline_at = "7900 ticks" }},
]
[task.Uneven]
"""
LENGTH = 10_000


def clock_of(board: str) -> str:
    """The clock at which a tick is so long that the tests' code is short, where it is not the usual one."""
    return "2MHz" if board in AVR else ""


def system_of(board: str) -> str:
    shared = 'start_within = "60 ticks"\n' if board in (PICO, STM32) else ""  # they have four cells
    return f'board = "{board}"\n{shared}' + (f'clock = "{clock_of(board)}"\n' if clock_of(board) else "")


def schedule(lengthen: int = LENGTHEN, shorten: int = SHORTEN, more: str = "", board: str = "") -> str:
    """The schedule; on STM32 a tick is eight cycles."""
    clock = '[clock]\ncore = "128MHz"\ntimers = "16MHz"\n' if board == STM32 else ""
    return clock + TEMPLATE.format(lengthen=lengthen, shorten=shorten, more=more)


POINTS = {"Often": [700, 2700, 4700, 6700, 8700], "Tell": [1500], "Uneven": [2600, 3800, 7000]}
CODE = """
static volatile uint32_t often, uneven, tells;
static uint32_t state = %du, told;
static void draw(void)
{
    state = state * 1664525u + 1013904223u;
    told = (1500u + %du + (state >> 16) %% %du) %% 10000u;
}
void ttStartupHook(void) { draw(); }
void Often(void) { often++; }
void Uneven(void) { uneven++; }
void Tell(void)
{
    (void)ttSyncTimes(0u, told); /* drawn before, which takes longer for some numbers than for others */
    draw();
    tells++;
}
"""


def begun(outcome: Outcome, board: str) -> dict[str, list[int]]:
    """When each task's activations took place: on AVR the entries of handlers, as what is before a task takes one tick or two."""
    kind = Kind.ENTER if board in AVR else Kind.START
    return {name: [e.t for e in outcome.events(kind, of=name)] for name in POINTS}


def draws(seed: int, count: int, less_than: int) -> list[int]:
    state, found = seed, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        found.append((state >> 16) % less_than)
    return found


@pytest.mark.parametrize("board", BOARDS)
def test_every_activation_comes_once_a_round_and_on_its_tick(board: str, lab: Laboratory) -> None:
    moved(board, lab, LENGTHEN, SHORTEN, draws_of=(9500, 1001), rounds=ROUNDS, clock=clock_of(board))


# What the round allows at most: the sync point is at 9601, and the handlers on AST and on AVR take 139 + 1 of the 1099
# that follow; on the Pico 3 + 1, as its ticks are long.
@pytest.mark.parametrize(
    ("board", "lengthen", "shorten"),
    [
        (AST, 9601, 959),
        ("virtual-256", 9601, 1098),
        (AVR[1], 9601, 959),
        (STM32, 9601, 1048),
        pytest.param(PICO, 9601, 1095, marks=NODE),
    ],
)
def test_any_time_may_be_told_with_the_widest_limits(board: str, lengthen: int, shorten: int, lab: Laboratory) -> None:
    moved(board, lab, lengthen, shorten, draws_of=(0, LENGTH), rounds=60, clock=clock_of(board))


def moved(
    board: str, lab: Laboratory, lengthen: int, shorten: int, draws_of: tuple[int, int], rounds: int, clock: str = ""
) -> None:
    """Run so many rounds, in each of which a time is told that is off by ``draws_of``: from this on, so many values."""
    seed = 4711
    least, values = draws_of
    system = f'{system_of(board)}clock = "{clock}"\n' if clock and not clock_of(board) else system_of(board)
    path = lab.write(schedule(lengthen, shorten, board=board), CODE % (seed, least, values), system=system)
    outcome = lab.run_file(path, board, ticks=rounds * LENGTH)
    found = begun(outcome, board)
    told = [(1500 + least + drawn) % LENGTH for drawn in draws(seed, rounds + rounds // 5, values)]
    # From its activation to the look at the clock, the task that tells takes some ticks, the same in each round.
    matching = []
    for late in range(300):
        begins = starts(told, 1500 + late, LENGTH, lengthen, shorten)
        if [b + POINTS["Tell"][0] + found["Tell"][0] - 1500 for b in begins[:20]] != found["Tell"][:20]:
            continue
        expected = {
            name: [b + at + found[name][0] - offsets[0] for b in begins for at in offsets] for name, offsets in POINTS.items()
        }
        if all(expected[name][: len(own)] == own for name, own in found.items()):
            matching.append(late)
            assert len({b - a for a, b in itertools.pairwise(begins)}) > min(rounds, lengthen + shorten) // 4
    assert len(matching) == 1, {name: own[:12] for name, own in found.items()}
    assert (matching == [0]) is (board not in REAL)
    assert all(len(own) > 0.6 * rounds * len(POINTS[name]) for name, own in found.items())


FAR = """
[clock]
core = "128MHz"
timers = "16MHz"
[sync]
lengthen = "{lengthen} ticks"
shorten = "{shorten} ticks"
[mode.only]
round = "{length} ticks"
points = [
    {{ at = "15000 ticks", activate = "Tell" }},
    {{ at = "15500 ticks", activate = "Even" }},
    {{ at = "{later} ticks", activate = "Even" }},
    {{ at = "{last} ticks", activate = "Last" }},
]
[task.Tell]
[task.Even]
[task.Last]
"""
FAR_CODE = """
static uint32_t state = 8u, told, off;
static volatile uint32_t tells;
static void draw(void)
{
    state = state * 1664525u + 1013904223u;
    told = (state >> 5) %% %du;
}
static uint32_t now(void) { return CARILLON_REGISTER(0x40000C24u); }
static void look(void)
{
    uint32_t time;
    const uint32_t before = now();
    (void)ttGetGlobalTime(&time);
    off += ((time - before + 40u) > 80u) ? 1u : 0u;
}
void ttStartupHook(void) { draw(); }
void Even(void) { look(); }
void Last(void) { } /* right before the sync point, whose handler may keep it from its start */
void Tell(void)
{
    look();
    (void)ttSyncTimes(now(), told);
    draw();
    off = (tells == 0u) ? 0u : off; /* there was no time yet */
    tells++;
}
void ttIdleTask(void)
{
    while (tells < 20u) {
    }
    report("off", (int)off);
    for (;;) {
    }
}
"""


PWM = '[start]\nby = "TIM1"\nperiod = "3125 ticks"\nphase = "200 ticks"\n'
PWM_BEGINS = (
    ("{ draw(); }", "{ draw(); CARILLON_REGISTER(0x4001002Cu) = 3124u; CARILLON_REGISTER(0x40010004u) = 0x20u; }"),
    ("void ttIdleTask(void)\n{", "void ttIdleTask(void)\n{\n    CARILLON_REGISTER(0x40010000u) = 1u;"),
)


@pytest.mark.parametrize(
    ("length", "unit", "started"),
    [(32_760, 1, ""), (32_770, 2, ""), (100_000, 4, ""), (1_000_000, 40, ""), (13_000_000, 400, ""), (100_000, 4, PWM)],
)
def test_a_sync_cell_that_counts_several_ticks_as_one_moves_rounds_by_whole_units(
    length: int, unit: int, started: str, lab: Laboratory
) -> None:
    """The other cells count each tick: they come on the tick of the model, and the global time goes on with them."""
    lengthen, shorten, rounds = length // 2 + 7, length // 4 + 3, 24
    later = length - length // 3 + 1
    text = started + FAR.format(lengthen=lengthen, shorten=shorten, length=length, later=later, last=later + 500)
    code = FAR_CODE % length
    for before, after in PWM_BEGINS if started else ():
        assert before in code
        code = code.replace(before, after)
    kept = '\nreserve = ["TIM1"]' if started else ""
    path = lab.write(text, code, system=f'board = "{STM32}"\nstart_within = "60 ticks"{kept}')
    outcome = lab.run_file(path, STM32, ticks=rounds * length)
    sync = outcome.planned.image.modes[0].sync
    assert sync is not None and sync.unit == unit
    assert outcome.said("off") == [0]
    told, state = [], 8
    for _ in range(2 * rounds):
        state = (state * 1664525 + 1013904223) % 2**32
        told.append((state >> 5) % length)
    tells, evens = ([e.t for e in outcome.events(Kind.START, of=name)] for name in ("Tell", "Even"))
    late = [
        k
        for k in range(100)
        if [b + tells[0] for b in starts(told, 15_000 + k, length, lengthen, shorten, unit)][: len(tells)] == tells
    ]
    assert len(late) == 1 or (unit > 1 and late), tells
    begins = starts(told, 15_000 + late[0], length, lengthen, shorten, unit)
    assert evens == sorted(b + evens[0] + k for b in begins for k in (0, later - 15_500))[: len(evens)]
    assert len(evens) > rounds


HARD = """
static volatile uint32_t runs;
void Often(void) { runs++; }
void Uneven(void) { runs++; }
void Tell(void) { }
void ttIdleTask(void)
{
    uint32_t early = runs;
    carillon_work(34567u);
    early += runs;
    (void)ttSyncTimes(1000000u, 1200u);
    report("early", early); /* on STM32 that takes more than a round */
    for (;;) {
        carillon_work(1000u);
    }
}
"""


@pytest.mark.parametrize("board", BOARDS)
def test_with_a_hard_start_tasks_wait_for_the_global_time_and_the_first_round_is_in_its_phase(
    board: str, lab: Laboratory
) -> None:
    path = lab.write(schedule(more='start = "hard"', board=board), HARD, system=system_of(board))
    outcome = lab.run_file(path, board, ticks=9 * LENGTH)
    assert outcome.said("early") == [0]
    found = begun(outcome, board)
    # What is told at some 34567, where the round is at 4567, is that it is at 1200: all is 3367 later from then on.
    first = found["Often"][0]
    lead = {PICO: 64, STM32: 400}.get(board, 0)  # by which the idle task begins before the round
    assert 40_000 + 3367 + 700 - lead <= first < 40_000 + 3367 + 700 + (1 if board not in REAL else 2000)
    for name, offsets in POINTS.items():
        expected = [first - 700 + k * LENGTH + at for k in range(9) for at in offsets]
        latency = found[name][0] - expected[0]
        assert (0 if board not in (RTL, PICO, *AVR) else -20) < latency + 1 < 40  # of a prologue: that of Often has two deadlines
        assert found[name] == [t + latency for t in expected][: len(found[name])], name


JUMP = """
static volatile uint32_t tells;
static ttSynchronizationStatusType state[18];
static uint32_t refused;
void Often(void) { }
void Uneven(void) { }
void Tell(void)
{
    if (tells == 2u) {
        (void)ttSyncTimes(0u, 5500u);
    } else if (tells > 2u) {
        refused += ttSyncTimes(tells, (tells % 2u == 0u) ? 10000u : 0xffffffffu) == TT_E_OS_VALUE ? 1u : 0u;
    }
    if (tells < 18u) {
        (void)ttGetOSSyncStatus(&state[tells]);
    }
    tells++;
}
void ttIdleTask(void)
{
    while (tells < 19u) {
        carillon_work(100u);
    }
    report("refused", refused);
    for (int i = 0; i < 18; i++) {
        report("state", state[i] == TT_SYNCHRONOUS);
    }
    for (;;) {
        carillon_work(10000u);
    }
}
"""


@pytest.mark.parametrize("board", ["virtual-256", AST, STM32, pytest.param(PICO, marks=NODE)])
def test_a_time_that_jumps_changes_each_round_by_the_limits_and_the_status_says_so(board: str, lab: Laboratory) -> None:
    outcome = lab.run_file(
        lab.write(schedule(board=board), JUMP, system=system_of(board)), board, ticks=(80 if board == STM32 else 20) * LENGTH
    )
    lengths = [b - a for a, b in itertools.pairwise(begun(outcome, board)["Tell"])]
    # Told in the third round that it is 4000 further on.  Some ticks are over until it is told.
    assert lengths[:2] + lengths[2:9] == [LENGTH] * 2 + [LENGTH - SHORTEN] * 7
    assert 0 <= lengths[9] - (LENGTH - SHORTEN) < (1 if board not in REAL else 100)
    assert lengths[10:17] == [LENGTH] * 7
    # Nothing told; 4000 off; there; and silent for more than ten rounds.
    assert outcome.said("state") == [0] * 2 + [0] * 8 + [1] * 3 + [0] * 5
    assert outcome.said("refused") == [15 + 1]


LATE = """
static volatile uint32_t rounds;
void Often(void) { }
void Uneven(void) { }
void Tell(void)
{
    rounds++;
    if (rounds == 2u) {
        (void)ttSyncTimes(0u, 1400u);
    }
}
void ttIdleTask(void)
{
    for (;;) {
        if (rounds == 2u) { /* in the first tick after Tell, until the second activation of the round after this */
            const uint32_t saved = carillon_port_lock();
            carillon_work(9800u);
            carillon_port_unlock(saved);
            rounds = 100u;
        }
        carillon_work(10u);
    }
}
"""


@pytest.mark.parametrize("board", ["virtual-256", AST, "atmega2560", STM32, pytest.param(PICO, marks=NODE)])
def test_a_sync_point_that_comes_too_late_leaves_the_correction_to_the_next_one(board: str, lab: Laboratory) -> None:
    text = schedule(board=board) + 'monitor = "never"\n'
    text = text.replace("deadline = ", 'monitor = "never"\ndeadline = ')
    path = lab.write(text, LATE, system=system_of(board))
    outcome = lab.run_file(path, board, ticks=6 * LENGTH)
    found = begun(outcome, board)["Often"]
    often = [t - found[0] for t in found]

    # Locked from 11500 to 21300: the sync point of the round from 10000 on, at 18701, is served 2600 late, in the next round.
    late = 20 if board == STM32 else 0  # the last activation by the sync point, which comes a tick behind it
    assert [t // 2000 for t in often if 22_000 < t <= 28_000 + late] == [12, 13, 14]
    assert all(t % 2000 <= late for t in often if 22_000 < t <= 28_000 + late)
    # That round's own sync point makes up for it: what was told 1500 after its beginning, and some code later, was 1400.
    moved = {(t - 30_000) % 2000 for t in often if t > 29_000}
    assert max(moved) - min(moved) <= late
    assert 100 <= min(moved) < (101 if board not in REAL else 200)


# ``drawn`` is the next of random numbers; ``look`` counts how often the global time was not the bus's clock.
DRAWN_AND_LOOK = """
#include "carillon/bus.h"
static uint32_t state = SEED, off;
static uint32_t drawn(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 16;
}
static void look(void)
{
    uint32_t now;
    (void)ttGetGlobalTime(&now);
    off += (now != carillon_bus_clock()) ? 1u : 0u;
}
"""
ANY_TIME = (
    DRAWN_AND_LOOK.replace("SEED", "4242u")
    + """
static void tell(void)
{
    const uint32_t now = carillon_bus_clock();
    (void)ttSyncTimes(now, (now + now / 400000u * 1234u) % 10000u);
    look();
}
void Often(void) { look(); }
void Uneven(void)
{
    carillon_work(drawn() % 350u);
    tell();
}
void Tell(void) { look(); }
void ttIdleTask(void)
{
    carillon_work(12345u);
    for (;;) {
        const uint32_t draw = drawn();
        uint32_t at;
        (void)ttGetScheduleTime(&at);
        if (at > 9200u && at < 9601u) { /* the sync point waits: it is told before, at, and after its tick */
            const uint32_t saved = carillon_port_lock();
            carillon_work((draw % 4u == 0u) ? (9601u - at) : (1u + draw % (10600u - at)));
            tell();
            carillon_port_unlock(saved);
        } else {
            carillon_work(1u + draw % 97u);
            tell();
        }
        if (carillon_bus_clock() > 1900000u) {
            report("off", (int)off);
            for (;;) {
                carillon_work(100000u);
            }
        }
    }
}
"""
)


@pytest.mark.parametrize("start", ["hard", "smooth"])
def test_the_time_may_be_told_and_read_at_every_instant_also_while_the_sync_point_waits(start: str, lab: Laboratory) -> None:
    text = schedule(9601, 1098, f'start = "{start}"')
    outcome = lab.run_file(lab.write(text, ANY_TIME, system='board = "virtual-256"'), "virtual-256", ticks=2_000_000)
    assert outcome.said("off") == [0]
    events = [(e.t, str(e.object)) for e in outcome.events(Kind.START) if e.object in POINTS]
    pattern = [name for _, name in sorted((at, name) for name, offsets in POINTS.items() for at in offsets)]
    assert [name for _, name in events] == (pattern * 220)[: len(events)]
    # Every 40 rounds the global round is 1234 further on.  All rounds are in its phase ten rounds later.
    for k in range(4):
        begin, end = (40 * k + 10) * LENGTH, (40 * k + 39) * LENGTH
        assert {(t + 1234 * k) % LENGTH for t, name in events if begin < t < end and name == "Tell"} == {1500}


LONG = """
void Often(void) { }
void Uneven(void) { }
void Tell(void) { }
void ttIdleTask(void)
{
    carillon_work(500u);
    (void)ttSyncTimes(0u, 6500u); /* it is 4000 ahead: the next round begins at 14000 */
    carillon_work(9700u - 500u);
    (void)ttSyncTimes(0u, 9500u); /* 4300 before that: it is at 5700, and 3800 behind */
    for (;;) {
        carillon_work(100000u);
    }
}
"""


def test_a_time_that_is_told_when_more_than_a_round_is_left_is_followed_the_shorter_way(lab: Laboratory) -> None:
    path = lab.write(schedule(9601, 1098), LONG, system='board = "virtual-256"')
    outcome = lab.run_file(path, "virtual-256", ticks=7 * LENGTH)
    began = [e.t - 1500 for e in outcome.events(Kind.START, of="Tell")]
    assert began == [0, 14_000, 22_902, 31_804, 40_706, 50_200, 60_200]


LOOKS = {
    AST: "(void)ttGetScheduleTime(&now)",
    STM32: "now = 9601u - (stm32match_point - CARILLON_REGISTER(0x40000C24u))",
}
LOCKS = """
extern uint32_t stm32match_point;
static uint32_t state = 5u;
static uint32_t drawn(void)
{
    state = state * 1664525u + 1013904223u;
    return state >> 16;
}
void Often(void) { }
void Uneven(void) { }
void Tell(void)
{
    (void)ttSyncTimes(0u, (1500u + 6000u + drawn() % 2u * 7999u) % 10000u);
}
void ttIdleTask(void)
{
    for (;;) {
        uint32_t now;
        carillon_work(1u + (drawn() % 512u));
        const uint32_t draw = drawn();
        const uint32_t saved = carillon_port_lock();
        LOOK;
        if ((now > 8750u) && (now < 9595u)) { /* the sync point at 9601 waits until the next point comes, 1099 later */
            carillon_work(draw % (10640u - now));
        }
        carillon_port_unlock(saved);
    }
}
"""


@pytest.mark.parametrize("board", LOOKS)
@pytest.mark.parametrize(("lengthen", "shorten"), [(9601, 959), (0, 959)])
def test_however_late_the_sync_point_is_no_activation_is_lost_or_comes_twice(
    lengthen: int, shorten: int, board: str, lab: Laboratory
) -> None:
    text = schedule(lengthen, shorten, board=board)
    path = lab.write(text, LOCKS.replace("LOOK", LOOKS[board]), system=system_of(board))
    outcome = lab.run_file(path, board, ticks=ROUNDS * 5 // 2 * LENGTH, locks=True)
    found = [str(e.object) for e in outcome.events(Kind.START) if e.object in POINTS]
    pattern = [name for _, name in sorted((at, name) for name, offsets in POINTS.items() for at in offsets)]
    assert found == (pattern * 200)[: len(found)]
    assert not outcome.trace.stopped
    began = [e.t for e in outcome.events(Kind.START, of="Tell")]
    lengths = [b - a for a, b in itertools.pairwise(began)]
    # Some sync points came in time and some too late; the idle task's own locks delay a start a little.
    assert {abs(length - LENGTH) < 60 for length in lengths} == {True, False}
    assert all(LENGTH - shorten - 60 < length < LENGTH + lengthen + 60 for length in lengths)


MODES = """
[sync]
lengthen = "3000 ticks"
shorten = "500 ticks"
start = "hard"
[mode.a]
round = "10000 ticks"
points = [
    { at = "700 ticks", activate = "One", deadline_at = "1500 ticks" },
    { at = "8000 ticks", activate = "Two", deadline_at = "9000 ticks" },
]
[mode.b]
round = "6000 ticks"
points = [
    { at = "900 ticks", activate = "One", deadline_at = "1500 ticks" },
    { at = "2000 ticks", activate = "Three" },
    { at = "3000 ticks", activate = "Three", deadline_at = "3500 ticks" },
]
[task.One]
[task.Two]
[task.Three]
"""
SWITCHES = (
    DRAWN_AND_LOOK.replace("SEED", "77u")
    + """
static void tell(void)
{
    look();
    if (drawn() % 3u != 0u) {
        (void)ttSyncTimes(carillon_bus_clock(), drawn() % 6000u);
    }
    if (drawn() % 4u == 0u) {
        (void)ttSwitchAppMode(drawn() % 2u);
    }
}
void One(void)
{
    tell();
    carillon_work(drawn() % 300u);
}
void Two(void) { tell(); }
void Three(void) { tell(); }
void ttIdleTask(void)
{
    (void)ttSyncTimes(0u, 0u);
    while (carillon_bus_clock() < 1900000u) {
        carillon_work(1u + drawn() % 1000u);
        look();
    }
    report("off", (int)off);
    for (;;) {
        carillon_work(100000u);
    }
}
"""
)


def test_the_global_time_goes_on_when_rounds_are_moved_and_modes_are_switched(lab: Laboratory) -> None:
    system = 'board = "virtual-256"\nstart_mode = "a"'
    outcome = lab.run_file(lab.write(MODES, SWITCHES, system=system), "virtual-256", ticks=2_000_000)
    assert outcome.said("off") == [0]
    assert min(len(outcome.events(Kind.START, of=name)) for name in ("Two", "Three")) > 20
    assert len(outcome.trace.modes) > 10


SMALL = """
[sync]
lengthen = "20us"
shorten = "20us"
[task.Tell]
period = "4ms"
offset = "1ms"
"""
MOVABLE = {"ast1030-evb", "cv32e40x-rtl", "raspberry-pi-pico", "tc1796", "virtual-256", "virtual-ast1030-evb", "virtual-tiny"}
MOVABLE |= {
    "blackpill-f411",
    "nucleo-f429zi",
    "stm32f4-discovery",
    "arduino-leonardo",
    "arduino-mega",
    "arduino-uno",
    "atmega128",
    "atmega128-xmem",
    "atmega2560",
}


@pytest.mark.parametrize("board", board_names())
def test_a_board_whose_cells_cannot_be_moved_exactly_is_refused(board: str, lab: Laboratory) -> None:
    path = lab.write(SMALL, "void Tell(void) { }\n", system=f'board = "{board}"')
    diagnostics = Diagnostics()
    try:
        planned = plan(path, diagnostics, None, "carillon")
    except CarillonError as refused:
        assert board not in MOVABLE
        assert [d.code for d in refused.diagnostics] == ["C243"]
    else:
        assert board in MOVABLE
        assert planned.image.modes[0].sync is not None


@pytest.mark.parametrize("clock", ["3906.25kHz", "7812.5kHz"])
def test_rounds_are_moved_exactly_with_other_clocks_of_the_board(clock: str, lab: Laboratory) -> None:
    moved(AST, lab, LENGTHEN, SHORTEN, draws_of=(9500, 1001), rounds=30, clock=clock)
