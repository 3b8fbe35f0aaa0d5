# SPDX-License-Identifier: Apache-2.0
"""A counter is a time that runs on: whatever holds its tick back, no expiry is lost, and services see what has elapsed.

Random programs set, cancel and read alarms, in locks, in ISRs, beneath rounds, and do what a model of such a counter says.
CARILLON_TRIES is their number for each board and kind; without it they are few and the same each time.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
from beneath import Beneath
from laboratory import AST, MPS, RV32, VIRTUAL_AST, Laboratory

import asked
from building import build
from carillon.diagnostics import Diagnostics
from carillon.pipeline import plan

PROGRAMS = asked.tries(2)
ATMEGA = "atmega128"
SYSTEM = {ATMEGA: 'clock = "250kHz"'}
TICK = {AST: 62_500, VIRTUAL_AST: 62_500, MPS: 50_000, RV32: 10_000, ATMEGA: 4000}
"""Of the counter, in ticks of the board's clock: long, so that the code between two of them does not count."""

ALARMS = 4
STATE, NOFUNC = 7, 5  # E_OS_STATE, E_OS_NOFUNC
GET, REL, ABS, CANCEL, CALLED = 100, 200, 300, 400, 500  # what the firmware says: one of these plus the alarm, and a number


@dataclass
class Alarm:
    """An alarm that is set: its next expiry, what it came behind, and its cycle."""

    expiry: int
    turn: int
    cycle: int


@dataclass
class Model(Beneath):
    """A counter whose value is the time: expiries in the order of their times, then of their setting.

    An alarm calls a function, or activates a task of its own.  If its part of the queue has that task's level, what is due in the
    part is served before a service looks at the alarm.
    """

    limit: int
    rounds: tuple[int, int] | None  # length, and what the round's task takes of it, from a quarter of a tick on
    priorities: tuple[int, ...] = (0,) * ALARMS  # of the tasks; 0: it calls a function
    parts: tuple[int, ...] = (0,) * ALARMS  # of the queue, where they have their tasks' level; 0: the kernel's
    now: int = 0
    turn: int = 0
    set: dict[int, Alarm] = field(default_factory=dict)
    ready: list[int] = field(default_factory=list)
    said: list[tuple[int, int]] = field(default_factory=list)

    def round(self) -> tuple[int, int] | None:
        return self.rounds

    def serve(self) -> None:
        """Nothing is held back any more: what is due expires, and what is ready runs."""
        self.expire(set(range(ALARMS)))
        self.said += [(CALLED + number, 0) for number in sorted(self.ready, key=lambda n: -self.priorities[n])]
        self.ready = []

    def expire(self, numbers: set[int]) -> None:
        """What is due of some alarms expires."""
        while due := [(a.expiry, a.turn, n) for n, a in self.set.items() if a.expiry <= self.elapsed and n in numbers]:
            _, _, number = min(due)
            if not self.priorities[number]:
                self.said.append((CALLED + number, 0))
            elif number not in self.ready:  # else an activation too many
                self.ready.append(number)
            alarm = self.set.pop(number)
            if alarm.cycle:
                self.insert(number, alarm.expiry + alarm.cycle, alarm.cycle)

    def look(self, number: int) -> None:
        """A service looks at an alarm."""
        if self.parts[number]:
            self.expire({n for n, part in enumerate(self.parts) if part == self.parts[number]})

    def insert(self, number: int, expiry: int, cycle: int) -> None:
        self.turn += 1
        self.set[number] = Alarm(expiry, self.turn, cycle)

    def get(self, number: int) -> None:
        self.look(number)
        alarm = self.set.get(number)
        if alarm is None:
            self.said.append((GET + number, 1000 * NOFUNC))
            return
        left = alarm.expiry - self.elapsed
        if left <= 0:  # due, but held back
            left = alarm.cycle - -left % alarm.cycle if alarm.cycle else 0
        self.said.append((GET + number, left))

    def relative(self, number: int, increment: int, cycle: int) -> None:
        self.look(number)
        if number not in self.set:
            self.insert(number, self.elapsed + increment, cycle)
            self.said.append((REL + number, 0))
        else:
            self.said.append((REL + number, STATE))

    def absolute(self, number: int, start: int, cycle: int) -> None:
        self.look(number)
        if number not in self.set:
            turn = self.limit + 1
            self.insert(number, self.elapsed + ((start - self.elapsed - 1) % turn + 1), cycle)
            self.said.append((ABS + number, 0))
        else:
            self.said.append((ABS + number, STATE))

    def cancel(self, number: int) -> None:
        self.look(number)
        self.said.append((CANCEL + number, 0 if self.set.pop(number, None) else NOFUNC))


def program(rng: random.Random, model: Model) -> tuple[str, str]:
    """C code of the task and of the ISR, whose parts the task requests one by one; the model does it meanwhile."""
    task: list[str] = []
    isr: list[str] = []

    def services(most: int) -> list[str]:
        lines = []
        for _ in range(rng.randint(1, most)):
            number = rng.randrange(ALARMS)
            match rng.randrange(5):
                case 0 | 1:
                    model.get(number)
                    lines.append(f"get({number});")
                case 2:
                    increment, cycle = rng.randint(1, 9), rng.choice([0, 1, 2, 3, 5, 8])
                    model.relative(number, increment, cycle)
                    lines.append(f"say({REL + number}, SetRelAlarm(alarms[{number}], {increment}, {cycle}));")
                case 3:
                    start, cycle = rng.randint(0, model.limit), rng.choice([0, 1, 4, 7])
                    model.absolute(number, start, cycle)
                    lines.append(f"say({ABS + number}, SetAbsAlarm(alarms[{number}], {start}, {cycle}));")
                case _:
                    model.cancel(number)
                    lines.append(f"say({CANCEL + number}, CancelAlarm(alarms[{number}]));")
        return lines

    for step in range(12):
        if model.rounds is None and step % 3 == 2:  # begin in the middle of a tick again
            model.work(2)
            task.append("sync();")
        kind = rng.randrange(4)
        ticks = rng.randint(1, 7)
        if kind == 0:
            model.work(2 * ticks)
            task += [f"carillon_work({ticks} * TICK);", *services(3)]
        elif kind == 3:
            held = [f"carillon_work({ticks} * TICK);"]
            model.work(2 * ticks, held=True)
            held += services(3)
            model.serve()
            isr.append(f"case {len(isr)}u: {' '.join(held)} break;")
            task.append("request();")
        else:
            what = rng.choice(["OS", "All"])
            task += [f"Suspend{what}Interrupts();", f"carillon_work({ticks} * TICK);"]
            model.work(2 * ticks, held=True)
            task += services(3)
            model.serve()
            task.append(f"Resume{what}Interrupts();")
    model.work(6)
    return "\n    ".join([*task, "carillon_work(3 * TICK);"]), "\n    ".join(isr)


CODE = """
#define TICK {tick}u
static const AlarmType alarms[] = {{A0, A1, A2, A3}};
static volatile uint16_t what[400];
static volatile uint16_t value[400];
static volatile unsigned count;
static volatile unsigned part;
static void say(unsigned item, unsigned number)
{{
    what[count] = (uint16_t)item;
    value[count] = (uint16_t)number;
    count++;
}}
static __attribute__((unused)) void get(unsigned number)
{{
    TickType ticks = 0u;
    const StatusType status = GetAlarm(alarms[number], &ticks);
    say({get} + number, 1000u * status + ticks);
}}
static __attribute__((unused)) TickType reference(void)
{{
    TickType ticks = 0u;
    (void)GetAlarm(Reference, &ticks);
    return ticks;
}}
static __attribute__((unused)) void sync(void)
{{
#if CARILLON_INSTRUCTIONS_PER_TICK == 0
    carillon_work(TICK); /* which is in the middle of a tick as ever */
#else
    const TickType before = reference();
    while (reference() == before) {{
    }}
    carillon_work(TICK / 2u);
#endif
}}
static __attribute__((unused)) void request(void)
{{
    const unsigned now = part;
    carillon_port_pend(CARILLON_ISR_SOURCE_Hold);
    while (part == now) {{
    }}
}}
ISR(Hold)
{{
    switch (part) {{
    {isr}
    default: break;
    }}
    part++;
}}
{actions}
TASK(T)
{{
    {begin}
    {task}
    SuspendAllInterrupts();
    for (unsigned k = 0u; k < count; k++) {{
        report("w", what[k]);
        report("v", value[k]);
    }}
    carillon_port_halt();
}}
"""


def schedule(
    limit: int, tick: int, hertz: int, rounds: tuple[int, int] | None, priorities: tuple[int, ...], reference: bool, others: int
) -> str:
    """``reference``: the alarm of that name activates a task, the highest; ``others``: counters that take cells."""
    duration = f"{tick * 1_000_000 // hertz}us"
    lines = ["[osek.task.T]", "priority = 1", "autostart = true", "[osek.isr.Hold]", "priority = 1", 'source = "soft0"']
    lines += ["[osek.counter.Cn]", f'tick = "{duration}"', f"max_allowed = {limit}"]
    for number, priority in enumerate(priorities):
        action = f'activate = "T{number}"' if priority else f'callback = "F{number}"'
        lines += [f"[osek.alarm.A{number}]", 'counter = "Cn"', action]
        lines += [f"[osek.task.T{number}]", f"priority = {priority}"] if priority else []
    action = 'activate = "TR"\n[osek.task.TR]\npriority = 9' if reference else 'callback = "FR"'
    lines += ["[osek.alarm.Reference]", 'counter = "Cn"', f"autostart = {{ at = {limit}, cycle = {limit} }}", action]
    for k in range(others):
        lines += [f"[osek.counter.Other{k}]", 'tick = "1s"', f"[osek.alarm.Once{k}]", f'counter = "Other{k}"', 'callback = "FO"']
    if rounds is not None:
        length, work = (ticks * tick * 1_000_000 // hertz for ticks in rounds)
        lines += ["[task.Long]", f'period = "{length}us"', f'offset = "{tick * 250_000 // hertz}us"', f'wcet = "{work}us"']
    return "\n".join(lines)


CELLS = {AST: 9, VIRTUAL_AST: 9, MPS: 4, RV32: 2}
HERTZ = {AST: 15_625_000, VIRTUAL_AST: 15_625_000, MPS: 25_000_000, RV32: 10_000_000, ATMEGA: 250_000}


TICKLESS = """
[time]
tickless = true
clock = "{clock}"
bits = {bits}
uses = {uses}
"""
"""``uses``: of nothing but the counter's event, and of whatever else may stand in the clock's queue."""


def check(
    lab: Laboratory, board: str, seed: int, rounds: tuple[int, int] | None, *, tasks: bool = False, tickless: str = ""
) -> set[str]:
    """Run a program; returns what carries the queue's parts.  ``tickless``: the clock that tells the ticks."""
    rng = random.Random(f"{board}{seed}{rounds}{tasks or ''}{tickless}")
    limit = rng.choice([9, 30, 250, 65_535])
    # A clock of 16 bits may be held back for a quarter of its range, and an expiry takes some thousand cycles.
    slow = bool(tickless) and board == ATMEGA
    tick, hertz = (2000, 62_500) if slow else (TICK[board], HERTZ[board])
    clock = 'clock = "62.5kHz"' if slow else SYSTEM.get(board, "")
    priorities, reference, others = (0,) * ALARMS, False, 0
    if tasks:
        priorities = tuple(rng.choice([(0, 2, 3, 3, 4, 5), (2, 3, 3, 4)][seed % 2]) for _ in range(ALARMS))
        most = CELLS[board] - 2 - (0 if rounds is None else 2)  # of these, beside the time base and the round's
        reference, others = bool(seed % 2), [most, 0][seed] if seed < 2 else rng.choice([0, min(1, most), most])
    text = schedule(limit, tick, hertz, rounds, priorities, reference, others)
    if tickless:
        bits = rng.choice([16, 32]) if board == ATMEGA else 32
        text += TICKLESS.format(clock=tickless, bits=bits, uses=rng.choice(["[]", '["functions", "tasks"]', '["delays"]']))
    osek = plan(lab.write(text, "", system=clock), Diagnostics(), board).allocation.osek
    assert osek is not None
    assert osek.base is not None or not tasks or tickless
    leveled = {a.name: p.part + 1 for p in osek.counters if p.task_level for a in osek.alarms_of(p)}
    model = Model(limit, rounds, priorities, tuple(leveled.get(f"A{n}", 0) for n in range(ALARMS)))
    begin = f"carillon_work({tick // 2}u);"
    model.work(1)
    task, isr = program(rng, model)
    actions = [
        f"TASK(T{n}) {{ say({CALLED + n}, 0); TerminateTask(); }}" if p else f"ALARMCALLBACK(F{n}) {{ say({CALLED + n}, 0); }}"
        for n, p in enumerate(priorities)
    ]
    actions += ["TASK(TR) { TerminateTask(); }" if reference else "ALARMCALLBACK(FR) { }"]
    actions += ["ALARMCALLBACK(FO) { }"] if others else []
    code = CODE.format(tick=tick, isr=isr, begin=begin, task=task, get=GET, actions="\n".join(actions))
    if rounds is not None:
        kernel = 0 if board.startswith("virtual") else tick // 64  # code takes no time on a virtual board
        code += f"ttTASK(Long) {{ carillon_work({rounds[1] * tick - kernel}u); }}\n"
    outcome = lab.run(text, code, board, system=clock, ticks=(model.elapsed + 60) * tick)
    said = list(zip(outcome.said("w"), outcome.said("v"), strict=True))
    assert said == model.said, (board, seed, rounds)
    further = [p for p in osek.counters if p.part >= len(osek.osek.counters)]
    return {"cell" if p.cells else "source" for p in further}


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST, MPS, RV32, ATMEGA])
def test_what_is_held_back_by_locks_and_isrs_is_caught_up_with(lab: Laboratory, board: str) -> None:
    for seed in range(PROGRAMS):
        check(lab, board, seed, None)


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST, MPS])
def test_what_is_held_back_by_rounds_is_caught_up_with(lab: Laboratory, board: str) -> None:
    for seed in range(PROGRAMS):
        check(lab, board, seed, (10, 2 + seed % 6))


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST, MPS, RV32])
def test_each_part_of_a_queue_that_wakes_several_levels_is_caught_up_with(lab: Laboratory, board: str) -> None:
    carriers: set[str] = set()
    for seed in range(PROGRAMS):
        carriers |= check(lab, board, seed, None, tasks=True)
    assert carriers == (set() if board == RV32 else {"cell", "source"})


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_each_part_of_such_a_queue_is_caught_up_with_beneath_rounds(lab: Laboratory, board: str) -> None:
    for seed in range(PROGRAMS):
        check(lab, board, seed, (10, 2 + seed % 6), tasks=True)


@pytest.mark.parametrize(
    ("board", "clock"),
    [
        (AST, "one-shot"),
        (VIRTUAL_AST, "one-shot"),
        (VIRTUAL_AST, "compare"),
        (RV32, "compare"),
        (ATMEGA, "compare"),
        (MPS, "one-shot"),
    ],
)
def test_a_tickless_counter_does_the_same(lab: Laboratory, board: str, clock: str) -> None:
    for seed in range(PROGRAMS):
        check(lab, board, seed, None, tickless=clock)
        check(lab, board, seed, None, tickless=clock, tasks=board != ATMEGA)


@pytest.mark.parametrize("board", [VIRTUAL_AST, MPS])
def test_a_tickless_counter_does_the_same_beneath_rounds(lab: Laboratory, board: str) -> None:
    for seed in range(PROGRAMS):
        check(lab, board, seed, (10, 2 + seed % 6), tickless="one-shot")


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST, "microbit", ATMEGA])
def test_a_tickless_counter_of_16_bits_keeps_its_ticks(lab: Laboratory, board: str) -> None:
    text = """
        [osek.task.K]
        priority = 1
        [osek.counter.Cn]
        tick = "2ms"
        [osek.alarm.A]
        counter = "Cn"
        activate = "K"
        autostart = { at = 4, cycle = 4 }
        [time]
        clock = "one-shot"
        tickless = true
        bits = 16
    """
    code = """
        static uint32_t jobs;
        TASK(K)
        {
            TickType now;
            (void)GetCounterValue(Cn, &now);
            report("now", now);
            if (++jobs == 30u) { carillon_port_halt(); }
            TerminateTask();
        }
    """
    ticks = (16_000_000 if board in ("microbit", ATMEGA) else HERTZ[board]) // 4
    told = lab.run(text, code, board, ticks=ticks).said("now")
    assert told == list(range(told[0], told[0] + 120, 4))
    assert told == lab.run(text.replace("bits = 16", "bits = 32"), code, board, ticks=ticks).said("now")


LONG = """
[task.Long]
period = "10ms"
wcet = "6ms"
[osek.task.T]
priority = 1
autostart = true
[osek.task.K]
priority = 2
[osek.counter.Cn]
tick = "1ms"
max_allowed = 1000
[osek.alarm.Every10]
counter = "Cn"
activate = "K"
"""


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST, MPS])
def test_an_alarm_comes_once_a_round_whose_task_runs_for_several_ticks(lab: Laboratory, board: str) -> None:
    code = """
        static volatile uint32_t turn;
        ttTASK(Long) { turn++; carillon_work(CARILLON_CLOCK_HZ / 1000u * 11u / 2u); }
        TASK(K) { report("round", turn); TerminateTask(); }
        TASK(T) { SetRelAlarm(Every10, 10, 10); TerminateTask(); }
    """
    outcome = lab.run(LONG, code, board, rounds=12)
    first = outcome.said("round")[0]
    assert first in (1, 2)
    assert outcome.said("round") == list(range(first, 13))
    assert outcome.planned.image.osek is not None
    assert outcome.planned.image.osek.allocation.base is not None


TWO = """
[osek.task.T]
priority = 1
autostart = true
[osek.task.H]
priority = 2
[osek.task.K]
priority = 3
[osek.counter.Cn]
tick = "1ms"
max_allowed = 1000
[osek.alarm.Cyclic]
counter = "Cn"
activate = "H"
autostart = { at = 100, cycle = 100 }
[osek.alarm.Once]
counter = "Cn"
activate = "K"
"""


@pytest.mark.parametrize(
    ("board", "kernel"),
    [(AST, "carillon"), (VIRTUAL_AST, "carillon"), (MPS, "carillon"), (RV32, "carillon"), (AST, "counter-per-task")],
)
def test_two_alarms_of_one_counter_agree_after_a_long_lock(lab: Laboratory, board: str, kernel: str) -> None:
    code = """
        static volatile uint32_t ms;
        TASK(H) { report("cyclic", ms); TerminateTask(); }
        TASK(K) { report("once", ms); TerminateTask(); }
        TASK(T)
        {
            TickType a = 0, b = 0;
            SetAbsAlarm(Once, 100, 0);
            DisableAllInterrupts();
            carillon_work(CARILLON_CLOCK_HZ / 2000u * 41u);
            GetAlarm(Cyclic, &a); GetAlarm(Once, &b);
            report("held", a); report("held", b);
            EnableAllInterrupts();
            GetAlarm(Cyclic, &a); GetAlarm(Once, &b);
            report("left", a); report("left", b);
            for (ms = 20; ms < 110; ms++) { carillon_work(CARILLON_CLOCK_HZ / 1000u); }
            CancelAlarm(Cyclic);
            SetRelAlarm(Cyclic, 3, 7); SetRelAlarm(Once, 3, 0);
            DisableAllInterrupts();
            carillon_work(CARILLON_CLOCK_HZ / 1000u * 20u);
            a = 0; b = 0; /* at its task's level, Once is served first, and has none */
            GetAlarm(Cyclic, &a); GetAlarm(Once, &b);
            report("due", a); report("due", b);
            EnableAllInterrupts();
            TerminateTask();
        }
    """
    outcome = lab.run(TWO, code, board, kernel=kernel, ticks=_ticks(board))
    assert outcome.said("held") == outcome.said("left") == [80, 80]
    assert outcome.said("due") == [4, 0]  # of what is due already: the next expiry, or none
    assert outcome.said("cyclic")[0] == outcome.said("once")[0]
    assert outcome.said("once")[1:] == [110]


def _ticks(board: str) -> int:
    """150 ms."""
    return HERTZ[board] * 150 // 1000


@pytest.mark.parametrize(
    ("status", "counter", "refused"),
    [("standard", "Hard", True), ("standard", "Soft", False), ("standard", "soft()", False), ("extended", "Hard", False)],
)
def test_in_standard_status_a_hardware_counter_that_is_incremented_is_refused(
    lab: Laboratory, status: str, counter: str, refused: bool
) -> None:
    schedule = f'[osek]\nstatus = "{status}"\n[osek.counter.Hard]\ntick = "1000 ticks"\n[osek.counter.Soft]\nkind = "software"\n'
    schedule += "[osek.task.T]\npriority = 1\nautostart = true\n"
    code = "static volatile unsigned number = 1u;\nstatic CounterType soft(void) { return (CounterType)number; }\n"
    code += f"TASK(T) {{ (void)soft; (void)IncrementCounter({counter}); TerminateTask(); }}\n"
    diagnostics = Diagnostics()
    planned = plan(lab.write(schedule, code), diagnostics, AST)
    built = build(planned.image, lab.folder / f"increments-{status}-{counter[:4]}", diagnostics)
    assert (built is None) == refused, [str(d) for d in diagnostics.reported]
    told = "IncrementCounter advances software counters, and hardware drives this one"
    assert any(told in d.cause for d in diagnostics.reported) == refused
