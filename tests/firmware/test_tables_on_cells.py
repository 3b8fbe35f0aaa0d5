# SPDX-License-Identifier: Apache-2.0
"""Random schedule tables on cells activate their tasks at exactly the ticks that a model with unbounded integers says.

A program is a list of operations on two tables, which start, stop and start again.  Tasks are direct, extended, or wait for
events that the tables set.  Compared are every status and, by the trace, every activation of every task, and every end of
a wait.  CARILLON_TRIES is the number of programs for each board; without it they are few and the
same each time.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import pytest
from laboratory import AN505, AST, MPS, VIRTUAL_AST, Laboratory

import asked
from carillon.trace import Kind

PROGRAMS = asked.tries(0)
RTL = "cv32e40x-rtl"
USUAL = {VIRTUAL_AST: [0, 1, 2, 3], AST: [7], MPS: [0, 1, 2, 3, 4, 5], AN505: [0, 1, 2], RTL: [1]}
OPERATIONS = {VIRTUAL_AST: 150, AST: 25, MPS: 25, AN505: 25, RTL: 10}
TICKS = {VIRTUAL_AST: [1, 3, 1000, 15_625], AST: [62_500], MPS: [12_500], AN505: [2_500], RTL: [25_000]}
"""Of the counter, in ticks of the clock: where code takes time, so long that all of a program's takes less than half of one."""
LEAD = {AST: 160, MPS: 64, AN505: 64, RTL: 64}
"""In ticks of the clock: what is due within it after a start is late, and comes within it, or a few instructions later."""
ACKNOWLEDGED = {AST: 0, MPS: 6, AN505: 6, RTL: 120}
"""In instructions: a task that is its cell's vector begins so long after its cell has expired, as its handler answers first.

In RTL a frame takes cycles, and the handler of another table's half may come first."""
DISPATCH = 150
"""In instructions, in cycles twice as many: a task that is not its cell's vector begins so long after its expiry at most."""
END = 400
"""In instructions: what the handler at a table's end takes at most, which starts the next table."""
LEAST = 2 * LEAD[AST]
"""Ticks of the clock between two points of a task."""
OK, ID, NOFUNC, STATE = 0, 3, 5, 7
CELLS = {VIRTUAL_AST: 7, AST: 7, MPS: 2, AN505: 2, RTL: 20}
"""Beside the time base."""
BEGINS = {RTL: 6}
"""In cycles: the first instruction of a handler comes so long after its cell has expired, in instructions not at all."""
APART = (MPS, AN505)
"""Boards whose cells are started by a store each: no table follows another there."""
STOPPED, NEXT, RUNNING, SYNCHRONOUS = 0, 1, 3, 4


@dataclass
class Table:
    """``points``: of each task and event (none: it is activated), the offsets; ``done``: by tick, what ran; ``ends``: when."""

    duration: int
    points: dict[tuple[str, str], tuple[int, ...]]
    implicit: bool
    repeating: bool = True
    followed: bool = False
    autostart: tuple[bool, int] | None = None
    status: int = STOPPED
    begin: int = 0
    since: int = 0
    next: Table | None = None
    done: set[tuple[int, str]] = field(default_factory=set)
    ends: set[int] = field(default_factory=set)

    @property
    def initial(self) -> int:
        return min(min(own) for own in self.points.values())

    def start(self, begin: int, absolute: bool) -> None:
        self.status = SYNCHRONOUS if absolute and self.implicit else RUNNING
        self.begin, self.since = begin, begin - 1

    def until(self, now: int) -> None:
        """Do what is due up to and with the tick ``now``."""
        if self.status in (STOPPED, NEXT) or now <= self.since:
            return
        turn = max(1, -(-(self.since + 1 - self.begin) // self.duration))
        end = self.begin + turn * self.duration
        ends = (self.next is not None or not self.repeating) and now >= end
        for (task, _), offsets in self.points.items():
            for offset in offsets:
                first = self.begin + offset
                turns = max(0, -(-(self.since + 1 - first) // self.duration))
                last = min(now, first) if not self.repeating else end - 1 if ends else now
                self.done |= {(at, task) for at in range(first + turns * self.duration, last + 1, self.duration)}
        self.since = now
        if ends:
            self.ends.add(end)
            status, self.status = self.status, STOPPED
            if self.next is not None:
                after, self.next = self.next, None
                after.status, after.begin, after.since = status, end, end - 1
                after.until(now)


def fewest(tick: int) -> int:
    """Ticks of the counter between two points of a task; on AST some more, as the time that its tasks take adds up."""
    return max(-(-LEAST // tick) + 1, 6 if tick not in TICKS[VIRTUAL_AST] else 0)


def draw_table(rng: random.Random, tasks: list[str], kinds: dict[str, str], tick: int, turn: int, followed: bool) -> Table:
    least = fewest(tick)
    implicit, repeating = rng.random() < 0.3, rng.random() < 0.6
    duration = turn if implicit and repeating else rng.choice([1, 2, 3, 4, 6]) * rng.randint(least, 2 * least)
    points: dict[tuple[str, str], tuple[int, ...]] = {}
    most = 2 if len(kinds) <= 3 else 1
    actions = [(task, f"E{event}" if kinds[task] == "waits" else "") for task in tasks for event in range(rng.randint(1, most))]
    for action in dict.fromkeys(actions):
        spacing = duration // rng.choice([n for n in (1, 2, 3, 4, 6) if duration % n == 0 and (n == 1 or duration // n >= least)])
        points[action] = tuple(range(rng.randrange(spacing), duration, spacing))
        if not repeating and rng.random() < 0.5:
            points[action] = points[action][:1]
        elif rng.random() < 0.3 and duration >= 2 * least:  # one more anywhere, as the series of a cell allows
            own = [*points[action][: rng.randint(1, 2)], rng.randrange(duration)]
            if all(least <= abs(a - b) <= duration - least for a, b in combinations(own, 2)):
                points[action] = tuple(sorted(own))
    every = sorted({at for own in points.values() for at in own})
    if not repeating and rng.random() < 0.3:
        duration = every[-1] or duration
    gaps = [every[0], *(after - before for before, after in pairwise([*every, duration]))]
    if max(gaps) >= turn:  # C235: farther apart than the counter counts
        return draw_table(rng, tasks, kinds, tick, turn, followed)
    followed = followed and repeating and duration // 2 >= least and rng.random() < 0.8
    return Table(duration, points, implicit, repeating, followed)


def most_cells(table: Table, of: str = "") -> int:
    """How many cells a table has at most, or those for a task: one for equally spaced points, or one for each.

    One that does not repeat has one for each point, and one at its end; one that may be followed has one more.
    """
    if table.followed or not table.repeating:
        more = 0 if of else 1 + table.followed
        return sum(len(own) for (task, _), own in table.points.items() if not of or task == of) + more
    every = [own for (task, _), own in table.points.items() if not of or task == of]
    gaps = ([after - before for before, after in pairwise([*own, own[0] + table.duration])] for own in every)
    return sum(1 if len(set(one)) == 1 else len(one) for one in gaps)


def schedule(tables: list[Table], kinds: dict[str, str], tick: int, turn: int) -> str:
    lines = ["[osek]", "[osek.task.Main]", "priority = 1", "autostart = true"]
    lines += ["[osek.event.E0]", "[osek.event.E1]"] if any(kind != "direct" for kind in kinds.values()) else []
    for task, kind in kinds.items():
        lines += [f"[osek.task.{task}]", f"priority = {2 + int(task[1:])}"]
        lines += ['events = ["E0", "E1"]'] if kind != "direct" else []
        lines += ["autostart = true"] if kind == "waits" else []
    lines += ["[osek.counter.C]", f'tick = "{tick} ticks"', f"max_allowed = {turn - 1}"]
    for number, table in enumerate(tables):
        lines += [f"[osek.schedule_table.S{number}]", 'counter = "C"', f"duration = {table.duration}", "cells = true"]
        lines += [*(["followed = true"] if table.followed else [])]
        lines += [*(["repeating = true"] if table.repeating else []), *(['sync = "implicit"'] if table.implicit else [])]
        if table.autostart is not None:
            absolute, at = table.autostart
            lines += [f"autostart = {{ at = {at}{', absolute = true' if absolute else ''} }}"]
        points: dict[int, list[tuple[str, str]]] = {}
        for action, offsets in table.points.items():
            for offset in offsets:
                points.setdefault(offset, []).append(action)
        for offset, own in sorted(points.items()):
            activate = ", ".join(f'"{task}"' for task, event in own if not event)
            events = ", ".join(f'{{ task = "{task}", event = "{event}" }}' for task, event in own if event)
            lines += [f"[[osek.schedule_table.S{number}.point]]", f"offset = {offset}"]
            lines += [f"activate = [{activate}]"] if activate else []
            lines += [f"set_event = [{events}]"] if events else []
    return "\n".join(lines) + "\n"


PROGRAM = """
static uint32_t status_of(ScheduleTableType table)
{
    ScheduleTableStatusType status = 99u;
    (void)GetScheduleTableStatus(table, &status);
    return status;
}
static uint32_t ticks;
static void to(uint32_t tick)
{
    for (; ticks < tick; ticks++) {
        carillon_work(TICK);
    }
}
"""


def follow(table: Table, to: Table, apart: bool) -> int:
    """NextScheduleTable; ``apart``: cells are started by a store each."""
    if apart or (table.repeating and not table.followed):
        return ID
    if table.status in (STOPPED, NEXT):
        return NOFUNC
    if to.status != STOPPED:
        return STATE
    if table.next is not None:
        table.next.status = STOPPED
    table.next, to.status = to, NEXT
    return OK


def operation(rng: random.Random, tables: list[Table], now: int, turn: int, apart: bool) -> tuple[str, int]:
    """A call, and what it is to return; the model has done it."""
    number = rng.randrange(len(tables))
    table = tables[number]
    stopped = table.status == STOPPED
    most = turn - 1 - table.initial
    match rng.choice(["relative", "absolute", "stop", "status", "next", "next"]):
        case "relative" if not table.implicit and most > 0:
            offset = rng.choice([1, 1, most, rng.randint(1, most)])
            if stopped:
                table.start(now + offset, absolute=False)
            return f"StartScheduleTableRel(S{number}, {offset}u)", OK if stopped else STATE
        case "relative" | "absolute":
            value = rng.choice([now % turn, (now + 1) % turn, rng.randrange(turn)])
            if stopped:
                table.start(now + (value - now - 1) % turn + 1, absolute=True)
            return f"StartScheduleTableAbs(S{number}, {value}u)", OK if stopped else STATE
        case "stop":
            for other in tables:
                if other.next is table:
                    other.next = None
            if table.next is not None:
                table.next.status, table.next = STOPPED, None
            table.status = STOPPED
            return f"StopScheduleTable(S{number})", NOFUNC if stopped else OK
        case "next":
            runs = [k for k, t in enumerate(tables) if t.status >= RUNNING and (t.followed or not t.repeating)]
            number = rng.choice([number, *runs, *runs])
            table, to = tables[number], rng.randrange(len(tables))
            return f"NextScheduleTable(S{number}, S{to})", follow(table, tables[to], apart)
        case _:
            return f"status_of(S{number})", table.status


def check(lab: Laboratory, board: str, seed: int) -> int:
    """Run a program; returns how many activations it had."""
    rng = random.Random(f"{board} {seed}")
    tick = rng.choice(TICKS[board])
    least = fewest(tick)
    turn = rng.randint(max(4, least), max(60, 3 * least))
    apart = board in APART
    names = [f"T{n}" for n in range(rng.randint(2, 6))] if not apart else ["T0", "T1"]
    cut = rng.randint(1, len(names) - 1)
    kinds = {name: rng.choice(["direct", "extended", "waits"]) for name in names}
    both = names[cut:] + rng.sample(names[:cut], rng.choice([0, 0, 1]) if not apart else 0)
    every = [names[:cut], both, *([rng.sample(names, 1)] if 2 < len(names) <= 4 and rng.random() < 0.5 else [])]
    if apart and rng.random() < 0.6:  # one table, of two tasks, or of one and an end
        every = [names[: rng.randint(1, 2)]]
        names, kinds = every[0], {name: kinds[name] for name in every[0]}
    tables = [draw_table(rng, own, kinds, tick, turn, not apart) for own in every]
    while sum(most_cells(table) for table in tables) > CELLS[board]:
        tables = [draw_table(rng, own, kinds, tick, turn, not apart) for own in every]
    for table in tables:
        if rng.random() < 0.5:
            absolute = table.implicit or rng.random() < 0.5 or table.initial >= turn - 1
            at = rng.randint(0, turn - 1) if absolute else rng.randint(1, turn - 1 - table.initial)
            table.autostart = absolute, at
            table.start(at or turn, absolute)
    code, expected, now = [], [], 0
    for _ in range(OPERATIONS[board]):
        passes = rng.choice([0, 1, 1, 2, 3, rng.randint(1, turn), rng.randint(1, 3 * turn)])
        now += passes if board == VIRTUAL_AST else min(passes, 20 if board == RTL else 40)
        for table in tables:
            table.until(now)
        call, status = operation(rng, tables, now, turn, apart)
        code.append(f'    to({now}u);\n    report("s", {call});')
        expected.append(status)
    now += 2 * turn
    for table in tables:
        table.until(now)
    main = "\n".join(
        [f"TASK(Main)\n{{\n    carillon_work({tick // 2}u);", *code, f"    to({now}u);", "    carillon_port_halt();\n}\n"]
    )
    ends = "    TerminateTask();\n"
    waits = "    for (;;) {\n        WaitEvent(E0 | E1);\n        ClearEvent(E0 | E1);\n    }\n"
    tasks = "".join(f"TASK({name})\n{{\n{waits if kind == 'waits' else ends}}}\n" for name, kind in kinds.items())
    text = f'#include "carillon/work.h"\n#define TICK {tick}u\n{PROGRAM}{tasks}{main}'
    outcome = lab.run(schedule(tables, kinds, tick, turn), text, board, ticks=(now + 3) * tick + 100_000)
    assert outcome.said("s") == expected, (board, seed)
    came = []
    before: dict[str, Kind] = {}
    for e in outcome.events(Kind.START, Kind.WAIT, Kind.RESUME, Kind.PREEMPT):
        woken = e.kind is Kind.RESUME and before.get(e.object) is Kind.WAIT
        if e.object in names and (woken or (e.kind is Kind.START and kinds[e.object] != "waits")):
            came.append((e.n // (tick * outcome.per_tick), e.object, e.n % (tick * outcome.per_tick)))
        before[e.object] = e.kind
    assert sorted((at, task) for at, task, _ in came) == sorted(set().union(*(table.done for table in tables))), (board, seed)
    first = {n: min((late, task) for at, task, late in came if at == n) for n in {at for at, _, _ in came}}
    # Of what is due in one tick, the highest comes exactly then.
    direct = {name for name, kind in kinds.items() if kind == "direct" and sum(most_cells(t, name) for t in tables) == 1}
    ends = set().union(*(table.ends for table in tables))  # whose handlers are above all tasks
    own = {task: ACKNOWLEDGED.get(board, 0) if task in direct else DISPATCH * (1 + (board == RTL)) for task in names}
    allowed = {(at, task): own[task] + (at in ends) * END for at, (_, task) in first.items()}
    assert all(late <= allowed[at, task] * (board != VIRTUAL_AST) for at, (late, task) in first.items()), (board, seed)
    return len(came)


@pytest.mark.parametrize("board", USUAL)
def test_tables_on_cells_activate_when_the_model_says(lab: Laboratory, board: str) -> None:
    seeds = range(PROGRAMS) if PROGRAMS else USUAL[board]
    assert sum(check(lab, board, seed) for seed in seeds) > {RTL: 8}.get(board, 20 if board in APART else 40)


@pytest.mark.parametrize("board", [AST, MPS, AN505, RTL])
def test_a_start_that_is_too_near_for_a_cell_is_late_and_loses_nothing(lab: Laboratory, board: str) -> None:
    """A tick of 100: the first point is due while its cell is being started, and the next one is exact.

    Starts are at any phase of the counter's tick, and where one tick of the clock is several instructions, at any of that.
    """
    point = 'point = [{ offset = 0, activate = ["T0"] }, { offset = 1, activate = ["T1"] }]'
    table = f'[osek.schedule_table.S0]\ncounter = "C"\nduration = 40\nrepeating = true\ncells = true\n{point}\n'
    tasks = "".join(f"[osek.task.{name}]\npriority = {n}\n" for n, name in enumerate(("Main", "T0", "T1"), 1))
    text = f'[osek]\n{tasks}[osek.counter.C]\ntick = "100 ticks"\nmax_allowed = 99\n{table}'
    text = text.replace("priority = 1\n", "priority = 1\nautostart = true\n", 1)
    starts = 20
    code = f"""
TASK(T0) {{ TerminateTask(); }}
TASK(T1) {{ TerminateTask(); }}
TASK(Main)
{{
    for (uint32_t k = 0u; k < {starts}u; k++) {{
        (void)StartScheduleTableRel(S0, 1u);
        carillon_work(6000u);
        carillon_port_delay((7u * PER_TICK + 1u) * k + 20u); /* to another phase of the tick each time */
        (void)StopScheduleTable(S0);
    }}
    carillon_port_halt();
}}
"""
    code = code.replace("PER_TICK", "CARILLON_INSTRUCTIONS_PER_TICK")
    outcome = lab.run(text, '#include "carillon/work.h"\n' + code, board, ticks=1_000_000)
    per_tick = outcome.per_tick
    for name in ("T0", "T1"):
        first, later = outcome.at(Kind.ENTER, name)[::2], outcome.at(Kind.ENTER, name)[1::2]
        assert len(first) == len(later) == starts
        assert all(n % (100 * per_tick) == BEGINS.get(board, 0) for n in later)
        late = [n - (after - 4000 * per_tick) for n, after in zip(first, later, strict=True)]
        other = 130 if board == RTL else 0  # the handler of T1, which may be due meanwhile
        assert min(late) >= 0 and max(late) <= LEAD[board] * per_tick + 50 * (board in APART) + other, late
        assert name == "T1" or any(n % (100 * per_tick) for n in first)


def test_a_start_beside_the_new_begin_of_the_time_base_is_exact(lab: Laboratory) -> None:
    """The base begins anew right after the start has read it: the start waits for that.  Else its 86 seconds are too long."""
    text = """
[osek]
[osek.task.Main]
priority = 1
autostart = true
[osek.task.T0]
priority = 2
[osek.counter.C]
tick = "1000 ticks"
max_allowed = 99
[osek.schedule_table.S]
counter = "C"
duration = 10
repeating = true
cells = true
point = [{ offset = 1, activate = ["T0"] }]
"""
    code = """
#include "carillon/work.h"
#include "carillon_base.h"
#define PERIOD (CARILLON_BASE_PERIOD - 1u)
TASK(T0)
{
    report("left", carillon_port_read(CARILLON_BASE_COUNTER));
    TerminateTask();
}
TASK(Main)
{
    for (uint32_t left = 1u; left < 200u; left += 3u) {
        carillon_port_write(DUALTIMER_CONTROL(0), DUALTIMER_SETTING);
        carillon_port_write(DUALTIMER_LOAD(0), left);
        carillon_port_write(DUALTIMER_BACKGROUND(0), PERIOD);
        carillon_port_write(DUALTIMER_CONTROL(0), DUALTIMER_SETTING | DUALTIMER_ENABLE);
        (void)StartScheduleTableRel(S, 2u);
        carillon_work(5000u);
        (void)StopScheduleTable(S);
    }
    report("period", PERIOD);
    carillon_port_halt();
}
"""
    outcome = lab.run(text, code, MPS, ticks=1_000_000)
    (period,) = outcome.said("period")
    passed = [period + 1 - left for left in outcome.said("left")]
    assert len(passed) == 67
    # Two ticks from the next one of the counter, and one to the point; the base begins anew at the first, or it has just been.
    assert {n // 1000 for n in passed} == {2, 3}
    assert {n % 1000 for n in passed} <= {1, 2}  # the handler's own instructions


@pytest.mark.parametrize("board", [VIRTUAL_AST, AST, MPS, AN505])
def test_a_table_on_cells_begins_at_the_tick_that_others_count(lab: Laboratory, board: str) -> None:
    """SysTick and timers tick for the queue; not all of them can be started together with the base."""
    text = """
[osek]
[osek.task.Main]
priority = 1
autostart = true
[osek.task.Cell]
priority = 5
[osek.task.Queued]
priority = 3
[osek.task.Alarmed]
priority = 4
[osek.counter.C]
tick = "5000 ticks"
max_allowed = 99
[osek.alarm.A]
counter = "C"
activate = "Alarmed"
[osek.schedule_table.Cells]
counter = "C"
duration = 10
repeating = true
cells = true
point = [{ offset = 1, activate = ["Cell"] }]
[osek.schedule_table.Queue]
counter = "C"
duration = 10
repeating = true
point = [{ offset = 1, activate = ["Queued"] }]
"""
    code = """
#include "carillon/work.h"
TASK(Cell) { TerminateTask(); }
TASK(Queued) { TerminateTask(); }
TASK(Alarmed) { TerminateTask(); }
TASK(Main)
{
    for (uint32_t k = 0u; k < 4u; k++) {
        carillon_work(7300u);
        TickType now = 0u;
        (void)GetCounterValue(C, &now);
        (void)StartScheduleTableAbs(Cells, now + 3u);
        (void)StartScheduleTableAbs(Queue, now + 3u);
        (void)SetAbsAlarm(A, now + 4u, 0u);
        carillon_work(60000u);
        (void)StopScheduleTable(Cells);
        (void)StopScheduleTable(Queue);
    }
    carillon_port_halt();
}
"""
    outcome = lab.run(text, code, board, ticks=400_000)
    times = {name: outcome.at(Kind.ENTER, name) for name in ("Cell", "Queued", "Alarmed")}
    tick = 5000 * outcome.per_tick
    assert [n // tick for n in times["Cell"]] == [n // tick for n in times["Queued"]]
    assert len(times["Alarmed"]) == len(times["Cell"]) == 4
    assert all(n % tick <= 50 for n in times["Cell"])  # the queue's tick of a higher level may come first


@pytest.mark.parametrize("board", [VIRTUAL_AST, AST, MPS])
def test_what_a_cell_has_expired_for_before_a_stop_has_happened(lab: Laboratory, board: str) -> None:
    """A higher task holds cells of a lower extended one back, and finds what they expired for done, also after a stop."""
    text = """
[osek]
[osek.event.Go]
[osek.task.Main]
priority = 1
autostart = true
[osek.task.Woken]
priority = 2
events = ["Go"]
[osek.task.Waits]
priority = 3
autostart = true
events = ["Go"]
[osek.task.High]
priority = 4
[osek.counter.C]
tick = "5000 ticks"
max_allowed = 99
[osek.schedule_table.S]
counter = "C"
duration = 40
repeating = true
cells = true
point = [{ offset = 3, activate = ["Woken"] }, { offset = 4, set_event = [{ task = "Waits", event = "Go" }] }]
"""
    code = """
#include "carillon/work.h"
static void say(void)
{
    TaskStateType state = 99u;
    EventMaskType events = 0u;
    (void)GetTaskState(Woken, &state);
    report("state", state);
    (void)GetEvent(Waits, &events);
    report("events", events != 0u);
}
TASK(Woken) { TerminateTask(); }
TASK(Waits)
{
    for (;;) {
        WaitEvent(Go);
        ClearEvent(Go);
    }
}
TASK(High)
{
    say();
    (void)StartScheduleTableRel(S, 1u);
    carillon_work(5000u * 7u);
    (void)StopScheduleTable(S);
    say();
    report("limit", ActivateTask(Woken));
    carillon_work(5000u * 90u);
    say();
    TerminateTask();
}
TASK(Main)
{
    ActivateTask(High);
    carillon_work(5000u * 90u);
    carillon_port_halt();
}
"""
    outcome = lab.run(text, code, board, ticks=1_500_000)
    suspended, ready = outcome.said("state")[0], outcome.said("state")[1]
    assert outcome.said("state") == [suspended, ready, ready] and suspended != ready
    assert outcome.said("events") == [0, 1, 1]
    assert outcome.said("limit") == [4]
    assert len(outcome.at(Kind.START, "Woken")) == 1
    assert len(outcome.at(Kind.WAIT, "Waits")) == 2


@pytest.mark.parametrize("board", [VIRTUAL_AST, AST, MPS])
def test_an_isr_that_holds_a_tables_end_back_finds_it_ended(lab: Laboratory, board: str) -> None:
    """An ISR of the kernel's level looks at a table that has ended meanwhile, and starts it anew."""
    points = (2, 5) if board not in APART else (5,)
    point = ", ".join(f'{{ offset = {at}, activate = ["T0"] }}' for at in points)
    text = """
[osek]
[osek.task.Main]
priority = 1
autostart = true
[osek.task.T0]
priority = 2
[osek.isr.Signal]
source = "soft0"
category = 2
[osek.counter.C]
tick = "5000 ticks"
max_allowed = 99
[osek.schedule_table.S]
counter = "C"
duration = 8
cells = true
point = [POINTS]
""".replace("POINTS", point)
    code = """
#include "carillon/work.h"
static void say(void)
{
    ScheduleTableStatusType status = 99u;
    (void)GetScheduleTableStatus(S, &status);
    report("status", status);
}
TASK(T0) { TerminateTask(); }
ISR(Signal)
{
    carillon_work(5000u * 2u);
    say();
    report("start", StartScheduleTableRel(S, 1u));
    say();
}
TASK(Main)
{
    carillon_work(2500u);
    report("start", StartScheduleTableRel(S, 1u));
    carillon_work(5000u * 7u);
    say();
    carillon_port_request(CARILLON_ISR_SOURCE_Signal);
    carillon_work(5000u * 7u);
    say();
    carillon_work(5000u * 3u);
    say();
    report("stop", StopScheduleTable(S));
    carillon_port_halt();
}
"""
    outcome = lab.run(text, code, board, ticks=200_000)
    assert outcome.said("status") == [RUNNING, STOPPED, RUNNING, RUNNING, STOPPED]
    assert outcome.said("start") == [OK, OK]
    assert outcome.said("stop") == [NOFUNC]
    assert [n // (5000 * outcome.per_tick) for n in outcome.at(Kind.START, "T0")] == [b + at for b in (1, 10) for at in points]
