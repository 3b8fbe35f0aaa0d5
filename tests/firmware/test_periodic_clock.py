# SPDX-License-Identifier: Apache-2.0
"""A periodic clock beneath rounds whose tasks run for longer than its tick: no tick is lost, and services see what has elapsed.

Random programs start, stop and change alarms, wait, and ask for the time, and do what a model of an exact clock says.
CARILLON_TRIES is their number for each board; without it they are few and the same each time.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
from beneath import Beneath
from laboratory import AST, MPS, VIRTUAL_AST, Laboratory

import asked
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan

PROGRAMS = asked.tries(1)
TICK = {AST: 62_500, VIRTUAL_AST: 62_500, MPS: 50_000}
"""Of the clock, in ticks of the board's clock: long, so that the code between two of them does not count."""
ROUND = 10
ALARMS = 4
STATE, NOFUNC = 7, 5  # E_OS_STATE, E_OS_NOFUNC
NOW, LEFT, START, STOP, CHANGE, CALLED = 100, 200, 300, 400, 500, 600  # what the firmware says, plus the alarm, and a number


@dataclass
class Alarm:
    """An alarm that runs: its next expiry, what it came behind, its period, and how often it expires, 0 for ever."""

    expiry: int
    turn: int
    period: int
    left: int


@dataclass
class Model(Beneath):
    """A clock that loses nothing, beneath a task that takes ``busy`` ticks of each round, from a quarter of a tick on.

    Without a round, ``busy`` is 0, and locks alone hold the clock back.
    """

    busy: int
    now: int = 0
    turn: int = 0
    set: dict[int, Alarm] = field(default_factory=dict)
    said: list[tuple[int, int]] = field(default_factory=list)

    def round(self) -> tuple[int, int] | None:
        return (ROUND, self.busy) if self.busy else None

    def wait(self, until: int) -> None:
        """Let a delay pass, until that tick; then the program goes on to the middle of a tick."""
        while self.elapsed < until:
            self.work(1)
        self.now -= self.now % 2
        self.work(1)

    def serve(self) -> None:
        while due := [(a.expiry, a.turn, n) for n, a in self.set.items() if a.expiry <= self.elapsed]:
            _, _, number = min(due)
            alarm = self.set.pop(number)
            if alarm.left != 1:
                self.insert(number, alarm.expiry + alarm.period, alarm.period, max(alarm.left - 1, 0))
            self.said.append((CALLED + number, self.elapsed))

    def insert(self, number: int, expiry: int, period: int, left: int) -> None:
        self.turn += 1
        self.set[number] = Alarm(expiry, self.turn, period, left)

    def services(self, rng: random.Random) -> list[str]:
        """Call some services."""
        lines = []
        for _ in range(rng.randint(1, 3)):
            number = rng.randrange(ALARMS)
            alarm = self.set.get(number)
            match rng.randrange(6):
                case 0:
                    self.said.append((NOW, self.elapsed))
                    lines.append(f"say({NOW}, carillon_now());")
                case 1:
                    left = 1000 * NOFUNC if alarm is None else max(alarm.expiry - self.elapsed, 0)
                    self.said.append((LEFT + number, left))
                    lines.append(f"left({number});")
                case 2 | 3:
                    period, count = rng.randint(1, 9), rng.choice([0, 0, 1, 2, 3])
                    self.said.append((START + number, 0 if alarm is None else STATE))
                    if alarm is None:
                        self.insert(number, self.elapsed + period, period, count)
                    times = f"{count}u" if count else "CARILLON_INFINITE"
                    lines.append(f"say({START + number}, carillon_alarm_start(&alarms[{number}], {period}, {times}));")
                case 4:
                    self.said.append((STOP + number, 0 if self.set.pop(number, None) else NOFUNC))
                    lines.append(f"say({STOP + number}, carillon_alarm_stop(&alarms[{number}]));")
                case _:
                    period = rng.randint(1, 9)
                    self.said.append((CHANGE + number, 0 if alarm is not None else NOFUNC))
                    if alarm is not None:
                        alarm.period = period
                    lines.append(f"say({CHANGE + number}, carillon_alarm_change(&alarms[{number}], {period}));")
        return lines


def program(rng: random.Random, model: Model) -> str:
    """C code of the thread; the model does it meanwhile."""
    code: list[str] = []
    model.work(1)
    for _ in range(14):
        ticks = rng.randint(1, 7)
        match rng.randrange(4):
            case 0:
                model.work(2 * ticks)
                code += [f"carillon_work({ticks} * TICK);", *model.services(rng)]
            case 1:
                code += ["SuspendOSInterrupts();", f"carillon_work({ticks} * TICK);"]
                model.work(2 * ticks, held=True)
                code += [*model.services(rng), "ResumeOSInterrupts();"]
                model.serve()
            case 2:
                model.wait(model.elapsed + ticks)
                code += [f"(void)carillon_delay({ticks});", "carillon_work(TICK / 2u);", *model.services(rng)]
            case _:
                code += ["previous = carillon_now();", f"carillon_work({ticks} * TICK);"]
                before = model.elapsed
                model.work(2 * ticks)
                until = before + ticks + 3
                if model.elapsed < until:
                    model.wait(until)
                    code += [f"(void)carillon_delay_until(&previous, {ticks + 3});", "carillon_work(TICK / 2u);"]
                code += model.services(rng)
    model.work(6)
    return "\n    ".join([*code, "carillon_work(3 * TICK);"])


CODE = """
#include "carillon/time.h"
#define TICK {tick}u
static volatile uint16_t what[400];
static volatile uint16_t value[400];
static volatile unsigned count;
static void say(unsigned item, unsigned number)
{{
    what[count] = (uint16_t)item;
    value[count] = (uint16_t)number;
    count++;
}}
{functions}
static struct carillon_alarm alarms[] = {{ {alarms} }};
static __attribute__((unused)) void left(unsigned number)
{{
    carillon_duration ticks = 0u;
    const StatusType status = carillon_alarm_left(&alarms[number], &ticks);
    say({left} + number, 1000u * status + (unsigned)ticks);
}}
{long}
THREAD(Main)
{{
    carillon_time previous = 0u;
    (void)previous;
    carillon_work(TICK / 2u);
    {program}
    SuspendAllInterrupts();
    for (unsigned k = 0u; k < count; k++) {{
        report("w", what[k]);
        report("v", value[k]);
    }}
    carillon_port_halt();
}}
"""


def schedule(tick: int, busy: int, keys: str = "") -> str:
    text = f'[time]\nclock = "periodic"\ntick = "{tick} ticks"\n{keys}\n[thread.Main]\npriority = 1\n'
    if not busy:
        return text
    return text + f'[task.Long]\nperiod = "{ROUND * tick} ticks"\noffset = "{tick // 4} ticks"\nwcet = "{busy * tick} ticks"\n'


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST, MPS])
def test_what_rounds_and_locks_hold_back_is_caught_up_with(lab: Laboratory, board: str) -> None:
    for seed in range(PROGRAMS):
        rng = random.Random(f"{board}{seed}")
        tick, busy = TICK[board], rng.choice([0, 0, 2, 3, 4, 5, 6, 7])
        keys = rng.choice(["", "bits = 16", "longest = " + f'"{100 * tick} ticks"', 'queue = "tree"'])
        model = Model(busy)
        body = program(rng, model)
        functions = "\n".join(
            f"static void call_{n}(void) {{ say({CALLED + n}, (unsigned)carillon_now()); }}" for n in range(ALARMS)
        )
        alarms = ", ".join(f"CARILLON_ALARM_OF_FUNCTION(call_{n})" for n in range(ALARMS))
        long = f"void Long(void) {{ carillon_work({busy * tick - tick // 64}); }}" if busy else ""
        code = CODE.format(tick=tick, functions=functions, alarms=alarms, left=LEFT, long=long, program=body)
        text = schedule(tick, busy, keys)
        outcome = lab.run(text, code, board, ticks=(model.elapsed + 60) * tick)
        said = list(zip(outcome.said("w"), outcome.said("v"), strict=True))
        assert said == model.said, (board, seed, busy, keys)


BEATS = """
#include "carillon/time.h"
static volatile uint32_t calls;
static void beat(void)
{{
    calls++;
}}
static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(beat);
void Long(void) {{ carillon_work({long}); }}
THREAD(Main)
{{
    (void)carillon_alarm_start(&alarm, 1u, CARILLON_INFINITE);
    (void)carillon_delay({wait}u);
    report("calls", calls);
    SuspendAllInterrupts();
    carillon_port_halt();
}}
"""


@pytest.mark.parametrize(
    ("board", "keys", "dispatch", "kernel"),
    [
        (AST, "now = false", "software", "carillon"),
        (VIRTUAL_AST, "now = false", "hardware", "carillon"),
        (AST, "now = false\nbits = 16", "hardware", "counter-per-task"),
    ],
)
def test_a_clock_that_nobody_asks_for_the_time_ticks_as_often(
    lab: Laboratory, board: str, keys: str, dispatch: str, kernel: str
) -> None:
    tick, busy = TICK[board], 6
    text = schedule(tick, busy, keys) + f'[osek]\ndispatch = "{dispatch}"\n'
    code = BEATS.format(long=busy * tick - tick // 64, wait=2 * ROUND + busy + 2)
    assert lab.run(text, code, board, ticks=60 * tick, kernel=kernel).said("calls") == [2 * ROUND + busy + 2]


@pytest.mark.parametrize(("busy", "lock", "counted"), [(1, 1, False), (2, 1, True), (1, 2, True), (1, 0, True), (0, 1, False)])
def test_a_clock_has_no_time_base_where_nothing_outlasts_its_tick(lab: Laboratory, busy: int, lock: int, counted: bool) -> None:
    """``lock``: the longest, in halves of a tick; 0: nothing is said of it.  ``busy``: 0: there is no round."""
    keys = f'longest_lock = "{lock * TICK[AST] // 2} ticks"' if lock else ""
    text = schedule(TICK[AST], busy, keys)
    path = lab.write(text, "")
    osek = plan(path, Diagnostics(), AST).allocation.osek
    assert osek is not None
    assert osek.clock is not None
    assert (osek.base is not None, osek.clock.based) == (counted, counted)


def test_a_clock_for_which_nothing_waits_for_longer_than_a_time_can_hold_ticks_on(lab: Laboratory) -> None:
    """Nor does it lose what a lock holds back at the end of a far event's lap: the first call comes there."""
    tick, lap = 320, (1 << 16) - 2
    code = f"""
#include "carillon/time.h"
#include "carillon/work.h"
#include "carillon_port.h"
#include "os.h"
#include "report.h"

uint64_t carillon_host_ticks(void);
static void call(void) {{ report("call", (unsigned)(carillon_host_ticks() / {tick}u)); }}
static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(call);
THREAD(Main)
{{
    (void)carillon_alarm_start(&alarm, {lap + 50}u, 1u);
    carillon_work({(lap + 40) * tick + 10}u);
    SuspendAllInterrupts();
    carillon_work({20 * tick}u);
    ResumeAllInterrupts();
    carillon_work({(lap + 100) * tick}u);
    report("now", (unsigned)carillon_now());
    (void)carillon_alarm_start(&alarm, 5u, 1u);
    (void)carillon_delay(7u);
    carillon_port_halt();
}}
"""
    outcome = lab.run(schedule(tick, 0, "bits = 16"), code, VIRTUAL_AST, ticks=3 * lap * tick)
    rest = 2 * lap + 160
    assert outcome.said("call") == [lap + 60, rest + 5]
    assert outcome.said("now") == [rest % (1 << 16)]
