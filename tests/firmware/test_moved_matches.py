# SPDX-License-Identifier: Apache-2.0
"""Matches of a counter that runs freely: a next point, and a sync point, at each instruction of handlers that move them.

The idle task keeps handlers waiting until shortly before a round's last point, each round some instructions longer.  The sync
point is a tick behind that.  So both come at other places of the handlers' code, or find that they have not begun.  Or it keeps
them waiting until behind the sync point, about as long as that moves a match that has passed.
``CARILLON_TRIES=N`` is how many rounds are played.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from laboratory import Laboratory
from sync_model import starts

import asked
from carillon.trace import Kind
from runnable import NODE, RIGLESS

LENGTH, SYNC = 10_000, 7001
ROUNDS = asked.tries(150)
PICO, STM32 = "raspberry-pi-pico", "stm32f4-discovery"

POINTS = {"Tell": [500], "Even": [1000, 6000], "Uneven": [1500, 5000, 7000]}
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


@dataclass(frozen=True)
class Way:
    """How handlers are kept waiting: ``begin`` and ``end`` do so, ``until`` is when it ends but for some instructions.

    ``span``: up to so many.  ``waiting``: ticks before the sync point from which on they wait.  ``told``: the schedule times that
    are told are from the first on, so many.
    """

    lengthen: int
    shorten: int
    span: int = 450  # from where the handlers may run to behind the sync point, three ticks later
    waiting: int = 2500
    told: tuple[int, int] = (0, LENGTH)
    until: str = "left() <= 4"
    begin: str = "const uint32_t saved = carillon_port_lock();"
    end: str = "carillon_port_unlock(saved);"
    next: str = "{point}"

    @property
    def sync(self) -> str:
        return f'[sync]\nlengthen = "{self.lengthen} ticks"\nshorten = "{self.shorten} ticks"\n' if self.lengthen else ""

    def of(self, chip: Chip) -> Way:
        return replace(self, lengthen=chip.longer) if self.lengthen < 0 else self


FEWER = {PICO: ["ALARM2", "SysTick", *(f"PWM{k}" for k in range(8))], STM32: ["TIM1", "TIM3", "TIM4", "TIM8"]}


@dataclass(frozen=True)
class Chip:
    """A board's counter, and what it reads at tick 0; the sync point in this; which interrupts are disabled, and where."""

    now: str
    begins: str
    point: str
    disabled: tuple[str, str, str]
    tables: str = ""
    late: int = 6  # ticks from the activation of the task that tells to where it does, less than
    behind: int = 30  # and by which a last point comes behind the sync point at most
    longer: int = 4  # by which a point right before the sync point is moved so far behind that its handler may have begun


CHIPS = {
    PICO: Chip(
        "CARILLON_REGISTER(0x40054028u)",
        "(carillon_port_epoch + 64u)",
        "CARILLON_REGISTER(carillon_syncs[0].counter)",
        ("0xE000E180u", "0xE000E100u", "15u & ~(1u << (carillon_syncs[0].source - 16u))"),
    ),
    STM32: Chip(
        "CARILLON_REGISTER(0x40000C24u)",
        "400u",
        "stm32match_point",
        ("0xE000E184u", "0xE000E104u", "1u << 18u"),
        '[clock]\ncore = "128MHz"\ntimers = "16MHz"\n',
        60,
        150,
        30,
    ),
}
WAYS = {
    "follows": Way(7001, 2500),
    "behind": Way(
        -1,  # the point at 7000 is moved to 3 ticks behind the sync point, or more (Chip.longer)
        0,
        200,
        500,
        (8000, 1),
        "(left() <= 0) || (left() > 2600)",
        "CARILLON_REGISTER({0}) = {2};",
        "CARILLON_REGISTER({1}) = {2};",
    ),
    "fixed": Way(
        0,
        0,
        next="({begins} + 7001u + rounds * 10000u)",
    ),
}
CODE = """
#include "carillon_port.h"
#include "kernel/contract/sync.h"
static uint32_t state = {seed}u, told, turn, rounds;
static void draw(void)
{{
    state = state * 1664525u + 1013904223u;
    told = (state >> 16) % {told}u + {least}u;
}}
void ttStartupHook(void) {{ draw(); }}
void Tell(void)
{{
    (void)ttSyncTimes(0u, told);
    draw();
}}
void Even(void) {{ }}
void Uneven(void) {{ }}
extern uint32_t stm32match_point;
static uint32_t now(void) {{ return {now}; }}
static int32_t left(void) {{ return (int32_t)({next} - now()); }}
static __attribute__((naked, noinline)) void carry_out(uint32_t nops __attribute__((unused)))
{{
    __asm__ volatile(".syntax unified\\n"
                     "   lsls r0, r0, #1\\n"
                     "   ldr r1, =sled_end + 1\\n"
                     "   subs r1, r1, r0\\n"
                     "   bx r1\\n"
                     "   .rept {span}\\n nop\\n .endr\\n"
                     "sled_end: bx lr\\n"
                     "   .ltorg\\n");
}}
void ttIdleTask(void)
{{
    for (;;) {{
        while ((left() > {waiting} + 1) || (left() < {waiting} - 100)) {{
        }}
        {begin}
        while (!({until})) {{
        }}
        const uint32_t before = now();
        while (now() == before) {{
        }}
        carry_out(turn);
        {end}
        turn = (turn + {step}u) % {span}u;
        rounds++;
        while ((left() < 2600) && (left() > -100)) {{
        }}
    }}
}}
"""


def draws(seed: int, count: int, less_than: int) -> list[int]:
    found = []
    for _ in range(count):
        seed = (seed * 1664525 + 1013904223) % 2**32
        found.append((seed >> 16) % less_than)
    return found


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("schedule", [DIRECT, SHARED], ids=["direct", "shared"])
@pytest.mark.parametrize("board", [pytest.param(PICO, marks=NODE), pytest.param(STM32, marks=RIGLESS)])
def test_no_correction_and_no_activation_is_lost_or_comes_twice_wherever_its_point_falls(
    board: str, schedule: str, way: str, lab: Laboratory
) -> None:
    chip = CHIPS[board]
    seed, how = 1503, WAYS[way].of(chip)
    least, values = how.told
    own = {"next": how.next.format(begins=chip.begins, point=chip.point), "until": how.until, "now": chip.now}
    own |= {"begin": how.begin.format(*chip.disabled), "end": how.end.format(*chip.disabled)}
    code = CODE.format(
        seed=seed, span=how.span, step=max(1, how.span // ROUNDS), told=values, waiting=how.waiting, least=least, **own
    )
    system = f'board = "{board}"\nstart_within = "60 ticks"\n'
    system += "" if how.lengthen else f"reserve = {FEWER[board]}".replace("'", '"')
    if board == STM32:  # where the table looks at it while the task waits
        schedule = schedule.replace(', deadline_at = "6400 ticks"', "")
    path = lab.write(chip.tables + how.sync + schedule, code, system=system)
    outcome = lab.run_file(path, board, ticks=ROUNDS * LENGTH, locks=True)
    found = {name: [e.t for e in outcome.events(Kind.START, of=name)] for name in POINTS}
    told = [least + drawn for drawn in draws(seed, 2 * ROUNDS, values)]
    ends = min(own[-1] for own in found.values()) - LENGTH
    assert ends > ROUNDS * LENGTH // 2
    # From the activation of the task that tells to where it does, there are some ticks, the same in each round.
    late = range(chip.late if how.lengthen else 1)
    possible = [starts(told, POINTS["Tell"][0] + k, LENGTH, how.lengthen, how.shorten) for k in late]
    possible = [[b for b in begins if b < ends] for begins in possible]
    fitting = [begins for begins in possible if {b + found["Tell"][0] for b in begins} <= set(found["Tell"])]
    assert fitting, found["Tell"][:20]
    begins = fitting[0]
    for name, points in POINTS.items():
        begun, late = found[name], found[name][0] - points[0]
        exact = {b + at + late for b in begins for at in points if at < SYNC - how.waiting}
        assert exact <= set(begun), name
        others = [t for t in begun if t < begins[-1] and t not in exact]
        waited = [sum(b + SYNC - 10 < t < b + SYNC + chip.behind for t in others) for b in begins[:-1]]
        assert sum(waited) == len(others), name
        # A last point may come apart from the one that waits.
        waiting = [at for at in points if at >= SYNC - how.waiting]
        assert set(waited) <= set(range(min(len(waiting), 1), len(waiting) + 1)), name
    assert not outcome.trace.stopped
