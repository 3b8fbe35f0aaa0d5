# SPDX-License-Identifier: Apache-2.0
"""Matches of a counter that runs freely: a next point, and a sync point, at each instruction of handlers that move them.

The idle task keeps handlers waiting until shortly before a round's last point, each round some instructions longer.  The sync
point is a tick behind that.  So both come at other places of the handlers' code, or find that they have not begun.
``CARILLON_TRIES=N`` is how many rounds are played.
"""

from __future__ import annotations

import pytest
from laboratory import Laboratory
from runnable import NODE
from sync_model import starts

import asked
from carillon.trace import Kind

LENGTH, SYNC, LENGTHEN, SHORTEN = 10_000, 7001, 7001, 2500
SPAN = 450  # instructions from where the handlers may run to behind the sync point, three ticks later
ROUNDS = asked.tries(150)
STEP = max(1, SPAN // ROUNDS)
PICO = "raspberry-pi-pico"

# Served in time, at these ticks; the points from 5000 on wait.
POINTS = {"Tell": 500, "Even": 1000, "Uneven": 1500}
FOLLOWS = """
[sync]
lengthen = "7001 ticks"
shorten = "2500 ticks"
"""
SCHEDULE = """
[mode.only]
round = "10000 ticks"
points = [
    {{ at = "500 ticks", activate = "Tell" }},
    {{ at = "1000 ticks", activate = "Even"{deadline} }},
    {{ at = "1500 ticks", activate = "Uneven" }},
    {{ at = "5000 ticks", activate = "Uneven" }},
    {{ at = "6000 ticks", activate = "Even"{later} }},
    {{ at = "7000 ticks", activate = "Uneven" }},
]
[task.Tell]
[task.Even]
[task.Uneven]
"""
# Each task has a cell of its own: they are moved by a period, and from point to point.
DIRECT = SCHEDULE.format(deadline="", later="")
# Two tasks share a cell, by a table; the deadlines of the third are armed by its handler.
SHARED = SCHEDULE.format(deadline=', deadline_at = "1400 ticks"', later=', deadline_at = "6400 ticks"')

# Where the sync point is next: told by its match, or by the round.
NEXT = "CARILLON_REGISTER(carillon_syncs[0].counter)"
FIXED = "(carillon_port_epoch + 64u + 7001u + rounds * 10000u)"
FEWER = ["ALARM2", "SysTick", *(f"PWM{k}" for k in range(8))]
CODE = """
#include "carillon_port.h"
#include "kernel/contract/sync.h"
static uint32_t state = %du, told, turn, rounds;
static void draw(void)
{
    state = state * 1664525u + 1013904223u;
    told = (state >> 16) %% 10000u;
}
void ttStartupHook(void) { draw(); }
void Tell(void)
{
    (void)ttSyncTimes(0u, told);
    draw();
}
void Even(void) { }
void Uneven(void) { }
static uint32_t now(void) { return CARILLON_REGISTER(0x40054028u); }
static int32_t left(void) { return (int32_t)(%s - now()); }
static __attribute__((naked, noinline)) void carry_out(uint32_t nops __attribute__((unused)))
{
    __asm__ volatile(".syntax unified\\n"
                     "   lsls r0, r0, #1\\n"
                     "   ldr r1, =sled_end + 1\\n"
                     "   subs r1, r1, r0\\n"
                     "   bx r1\\n"
                     "   .rept %d\\n nop\\n .endr\\n"
                     "sled_end: bx lr\\n"
                     "   .ltorg\\n");
}
void ttIdleTask(void)
{
    for (;;) {
        while ((left() > 2501) || (left() < 2400)) {
        }
        const uint32_t saved = carillon_port_lock();
        while (left() > 4) {
        }
        const uint32_t before = now();
        while (now() == before) {
        }
        carry_out(turn);
        carillon_port_unlock(saved);
        turn = (turn + %du) %% %du;
        rounds++;
        while ((left() < 2600) && (left() > -100)) {
        }
    }
}
"""


def draws(seed: int, count: int) -> list[int]:
    found = []
    for _ in range(count):
        seed = (seed * 1664525 + 1013904223) % 2**32
        found.append((seed >> 16) % LENGTH)
    return found


@pytest.mark.parametrize("follows", [True, False], ids=["follows", "fixed"])
@pytest.mark.parametrize("schedule", [DIRECT, SHARED], ids=["direct", "shared"])
@pytest.mark.parametrize("board", [pytest.param(PICO, marks=NODE)])
def test_no_correction_and_no_activation_is_lost_or_comes_twice_wherever_its_point_falls(
    board: str, schedule: str, follows: bool, lab: Laboratory
) -> None:
    seed = 1503
    system = f'board = "{board}"\nstart_within = "60 ticks"\n' + ("" if follows else f"reserve = {FEWER}".replace("'", '"'))
    code = CODE % (seed, NEXT if follows else FIXED, SPAN, STEP, SPAN)
    path = lab.write(FOLLOWS * follows + schedule, code, system=system)
    outcome = lab.run_file(path, board, ticks=ROUNDS * LENGTH, locks=True)
    found = {name: [e.t for e in outcome.events(Kind.START, of=name)] for name in POINTS}
    told = draws(seed, 2 * ROUNDS)
    ends = min(own[-1] for own in found.values()) - LENGTH
    assert ends > ROUNDS * LENGTH // 2
    # From the activation of the task that tells to where it does, there are some ticks, the same in each round.
    limits = (LENGTHEN, SHORTEN) if follows else (0, 0)
    possible = [[b for b in starts(told, POINTS["Tell"] + late, LENGTH, *limits) if b < ends] for late in range(6 if follows else 1)]
    fitting = [begins for begins in possible if {b + found["Tell"][0] for b in begins} <= set(found["Tell"])]
    assert len(fitting) == 1, found["Tell"][:20]
    begins = fitting[0]
    for name, own in found.items():
        exact = {b + own[0] for b in begins}
        assert exact <= set(own), name
        others = [t for t in own if t < begins[-1] and t not in exact]
        waited = [sum(b + SYNC - 10 < t < b + SYNC + 30 for t in others) for b in begins[:-1]]
        assert sum(waited) == len(others), name
        assert set(waited) <= {"Tell": {0}, "Even": {1}, "Uneven": {1, 2}}[name], name  # its last point may come apart
    assert not outcome.trace.stopped
