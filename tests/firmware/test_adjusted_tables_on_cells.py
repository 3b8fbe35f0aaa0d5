# SPDX-License-Identifier: Apache-2.0
"""Schedule tables on cells keep with the global time as tables in queues do, by the exact model of these (table_model.py).

A program is a list of services on two tables, one of which at least is synchronised explicitly.  Compared are what each service
returns, the statuses of both tables after it, and by the trace every activation of every task.  CARILLON_TRIES is the
number of programs for each board; without it they are few and the same each time.
"""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from laboratory import AST, VIRTUAL_AST, Laboratory
from table_model import ID, RUNNING, SYNCHRONOUS, WAITING, Counter, Model, Point, System, Table, Task
from test_tables_on_cells import DISPATCH, END, PROGRAM, TICKS, fewest

import asked
from carillon.trace import Kind

PROGRAMS = asked.tries(0)
USUAL = {VIRTUAL_AST: [0, 1, 2, 3, 4, 5, 12], AST: [0, 1, 3]}
OPERATIONS = {VIRTUAL_AST: 150, AST: 30}


def draw_points(rng: random.Random, tasks: list[int], duration: int, least: int) -> dict[int, tuple[int, ...]]:
    """By task, where it is activated: each has one cell."""
    points = {}
    for task in tasks:
        ways = [n for n in (1, 2, 3, 4) if duration % n == 0 and (n == 1 or duration // n >= least)]
        apart = duration // rng.choice(ways)
        points[task] = tuple(range(rng.randrange(apart), duration, apart))
    return points


def draw_table(rng: random.Random, tasks: list[int], tick: int, turn: int, explicit: bool) -> Table:
    """A table with cells; what is adjusted is the delay to its first point."""
    least = fewest(tick)
    repeating = explicit or rng.random() < 0.5
    duration = rng.choice([1, 2, 3, 4, 6]) * rng.randint(least, 2 * least)
    own = draw_points(rng, tasks, duration, least if repeating else duration)
    at = sorted({offset for offsets in own.values() for offset in offsets})
    over = duration - at[-1] + at[0]
    gaps = [at[0], over, *(after - before for before, after in pairwise(at))]
    if max(gaps) >= turn or (explicit and (duration > turn or over <= least)):
        return draw_table(rng, tasks, tick, turn, explicit)
    lengthen = shorten = precision = 0
    if explicit:
        lengthen = min(rng.choice([0, 1, 3, duration]), duration - 1, turn - 1 - over)
        shorten = min(rng.choice([0, 1, 3, over]), over - least)
        precision = rng.choice([0, 0, 1, 2, min(10, duration)])
    points = [Point(offset, tuple(t for t, offsets in sorted(own.items()) if offset in offsets)) for offset in at]
    points[0] = Point(points[0].offset, points[0].activate, lengthen=lengthen, shorten=shorten)
    autostart = None
    if rng.random() < 0.5:
        kinds = [("absolute", rng.randint(0, turn - 1))]
        kinds += [("synchron", 0)] if explicit else []
        kinds += [("relative", rng.randint(1, turn - 1 - at[0]))] if at[0] < turn - 1 else []
        autostart = rng.choice(kinds)
    return Table(0, duration, tuple(points), repeating, "explicit" if explicit else "none", precision, autostart)


def schedule(system: System, extended: list[bool], tick: int) -> str:
    lines = ["[osek]", "[osek.event.E]", "[osek.task.Main]", "priority = 1", "autostart = true"]
    for task, is_extended in enumerate(extended):
        lines += [f"[osek.task.T{task}]", f"priority = {2 + task}", *(['events = ["E"]'] if is_extended else [])]
    lines += ["[osek.counter.C]", f'tick = "{tick} ticks"', f"max_allowed = {system.counters[0].max_allowed}"]
    for number, table in enumerate(system.tables):
        lines += [f"[osek.schedule_table.S{number}]", 'counter = "C"', f"duration = {table.duration}", "cells = true"]
        lines += [f"repeating = {str(table.repeating).lower()}", f'sync = "{table.sync}"']
        lines += [f"precision = {table.precision}"] if table.precision else []
        if table.autostart is not None:
            kind, at = table.autostart
            keys = {"relative": f"at = {at}", "absolute": f"at = {at}, absolute = true", "synchron": "synchron = true"}
            lines.append(f"autostart = {{ {keys[kind]} }}")
        for point in table.points:
            lines += [f"[[osek.schedule_table.S{number}.point]]", f"offset = {point.offset}"]
            lines += ["activate = [" + ", ".join(f'"T{task}"' for task in point.activate) + "]"]
            lines += [f"max_lengthen = {point.lengthen}"] if point.lengthen else []
            lines += [f"max_shorten = {point.shorten}"] if point.shorten else []
    return "\n".join(lines) + "\n"


def operation(rng: random.Random, model: Model) -> tuple[str, int]:
    """A call, and what it is to return; the model has done it."""
    number = rng.randrange(len(model.tables))
    table, state = model.system.tables[number], model.tables[number]
    turn, now = model.system.counters[0].turn, model.value(0)
    explicit, running = table.sync == "explicit", state.status >= RUNNING
    kinds = ["relative", "absolute", "stop", "next", "sync", "async", "synchron"]
    kinds += ["sync"] * 8 if running or state.status == WAITING else ["relative", "absolute", "synchron"]
    match rng.choice(kinds):
        case "relative" if table.initial < turn - 1:
            most = turn - 1 - table.initial
            offset = rng.choice([1, 1, most, rng.randint(1, most)])
            return f"StartScheduleTableRel(S{number}, {offset}u)", model.start_relative(number, offset)
        case "relative" | "absolute":
            value = rng.choice([now, (now + 1) % turn, rng.randrange(turn)])
            return f"StartScheduleTableAbs(S{number}, {value}u)", model.start_absolute(number, value)
        case "stop":
            return f"StopScheduleTable(S{number})", model.stop(number)
        case "next":
            to = rng.randrange(len(model.tables))
            fits = not table.repeating and model.system.tables[to].sync == table.sync and not model.system.tables[to].repeating
            return f"NextScheduleTable(S{number}, S{to})", model.next(number, to) if fits else ID
        case "sync":
            value = rng.randrange(table.duration)
            if running and explicit:
                near = (model.position(number) + rng.randint(-4, 4)) % table.duration
                value = rng.choice([value, near, near, (model.position(number) + table.duration // 2) % table.duration])
            return f"SyncScheduleTable(S{number}, {value}u)", model.synchronise(number, value) if explicit else ID
        case "async":
            return f"SetScheduleTableAsync(S{number})", model.asynchronous(number) if explicit else ID
        case _:
            return f"StartScheduleTableSynchron(S{number})", model.start_synchron(number) if explicit else ID


class Played:
    """A model that time passes in, with every activation by its tick."""

    def __init__(self, system: System) -> None:
        self.model = Model(system)
        self.came: list[tuple[int, int]] = []
        self.adjusts: set[int] = set()
        self.synchronised = 0

    def to(self, now: int) -> None:
        """Let ticks pass, one by one."""
        while self.model.now[0] < now:
            before = [(s.comes, s.status) for s in self.model.tables]
            self.model.tick(0)
            self.model.run()
            self.came += [(self.model.now[0], task) for kind, task, _ in self.model.said if kind == "t"]
            self.model.said.clear()
            for state, (comes, status), table in zip(self.model.tables, before, self.model.system.tables, strict=True):
                if state.due is not None and (comes, status) != (state.comes, state.status):
                    self.synchronised += (status, state.status) == (RUNNING, SYNCHRONOUS)
                if status >= RUNNING and (len(table.points) - 1 == comes or comes == -1):
                    self.adjusts.add(self.model.now[0])


def check(lab: Laboratory, board: str, seed: int) -> tuple[int, int]:
    """Run a program; returns how many activations it had, and how often a table became synchronous by itself."""
    rng = random.Random(f"adjusted {board} {seed}")
    tick = rng.choice(TICKS[board])
    least = fewest(tick)
    turn = rng.randint(max(4, 2 * least), max(60, 4 * least))
    count = rng.randint(2, 4)
    cut = rng.randint(1, count - 1)
    tables = (
        draw_table(rng, list(range(cut)), tick, turn, explicit=True),
        draw_table(rng, list(range(cut, count)), tick, turn, explicit=rng.random() < 0.5),
    )
    extended = [rng.random() < 0.3 for _ in range(count)]
    system = System((Counter(turn - 1, 1, 1),), tables, tuple(Task(2 + n) for n in range(count)), extended=False, hook=False)
    played = Played(system)
    model = played.model
    code, expected = [], []
    for _ in range(OPERATIONS[board]):
        passes = rng.choice([0, 1, 1, 2, 3, rng.randint(1, turn), rng.randint(1, 3 * turn)])
        now = model.now[0] + (passes if board == VIRTUAL_AST else min(passes, 40))
        played.to(now)
        call, status = operation(rng, model)
        code.append(f'    to({now}u);\n    report("s", {call});\n    states();')
        expected += [status, *(table.status for table in model.tables)]
    played.to(model.now[0] + 2 * turn)
    states = " ".join(f'report("s", status_of(S{n}));' for n in range(len(tables)))
    main = "\n".join([f"TASK(Main)\n{{\n    carillon_work({tick // 2}u);", *code, f"    to({model.now[0]}u);"])
    main = f"static void states(void) {{ {states} }}\n{main}\n    carillon_port_halt();\n}}\n"
    tasks = "".join(f"TASK(T{n}) {{ TerminateTask(); }}\n" for n in range(count))
    text = f'#include "carillon/work.h"\n#define TICK {tick}u\n{PROGRAM}{tasks}{main}'
    outcome = lab.run(schedule(system, extended, tick), text, board, ticks=(model.now[0] + 3) * tick + 100_000)
    assert outcome.said("s") == expected, (board, seed)
    per_tick = tick * outcome.per_tick
    came = [(e.n // per_tick, int(e.object[1:]), e.n % per_tick) for e in outcome.events(Kind.START) if e.object != "Main"]
    assert sorted((at, task) for at, task, _ in came) == sorted(played.came), (board, seed)
    if board == VIRTUAL_AST:
        assert all(late == 0 for _, _, late in came), (board, seed)
    else:
        first = {n: min((late, task) for at, task, late in came if at == n) for n in {at for at, _, _ in came}}
        allowed = {at: extended[task] * DISPATCH + (at in played.adjusts) * END for at, (_, task) in first.items()}
        assert all(late <= allowed[at] for at, (late, _) in first.items()), (board, seed)
    return len(came), played.synchronised


@pytest.mark.parametrize("board", USUAL)
def test_tables_on_cells_are_adjusted_as_the_model_says(lab: Laboratory, board: str) -> None:
    counts = [check(lab, board, seed) for seed in (range(PROGRAMS) if PROGRAMS else USUAL[board])]
    assert sum(n for n, _ in counts) > 40
    assert sum(n for _, n in counts) > 2


BESIDE = """
[osek]
[osek.task.Main]
priority = 1
autostart = true
[osek.task.OnCells]
priority = 2
[osek.task.Queued]
priority = 3
[osek.counter.C]
tick = "TICK ticks"
max_allowed = 99
"""


@pytest.mark.parametrize("board", USUAL)
def test_a_table_on_cells_does_what_the_same_table_in_a_queue_does(lab: Laboratory, board: str) -> None:
    """Both are told the same; of both, the first point may come 5 ticks later or 6 sooner, and the end no more than 4."""
    tick = 20_000
    text = BESIDE.replace("TICK", str(tick))
    for name, task, cells in (("S", "OnCells", "true"), ("Q", "Queued", "false")):
        text += f'[osek.schedule_table.{name}]\ncounter = "C"\nduration = 30\nrepeating = true\ncells = {cells}\n'
        text += 'sync = "explicit"\nprecision = 1\nautostart = { synchron = true }\n'
        text += f'point = [{{ offset = 6, activate = ["{task}"], max_lengthen = 5, max_shorten = 6 }}, '
        text += f'{{ offset = 26, activate = ["{task}"] }}]\n'
    rng = random.Random("beside")
    calls = []
    for _ in range(40):
        call = rng.choice([f"SyncScheduleTable(TABLE, {rng.randrange(30)}u)"] * 4 + ["SetScheduleTableAsync(TABLE)"])
        calls += [call, f"passes {rng.choice([1, 2, 7, 13, 30, 60])}"]
        if rng.random() < 0.2:
            start = rng.choice(["StartScheduleTableRel(TABLE, 3u)", "StartScheduleTableSynchron(TABLE)"])
            calls += ["StopScheduleTable(TABLE)", start, "passes 2"]
    code = []
    for call in calls:
        if call.startswith("passes"):
            code += ["    states();\n    to(ticks + 1u);"] * int(call.split()[1])
        else:
            code += [f'    report("{name}", {call.replace("TABLE", name)});' for name in "SQ"]
    states = "\n".join(f'    report("{name}", status_of({name}));' for name in "SQ")
    text_of_c = (
        f'#include "carillon/work.h"\n#define TICK {tick}u\n{PROGRAM}static void states(void)\n{{\n{states}\n}}\n'
        "TASK(OnCells) { TerminateTask(); }\nTASK(Queued) { TerminateTask(); }\n"
        f"TASK(Main)\n{{\n    carillon_work({tick // 2}u);\n" + "\n".join(code) + "\n    carillon_port_halt();\n}\n"
    )
    outcome = lab.run(text, text_of_c, board, ticks=1200 * tick)
    assert outcome.said("S") == outcome.said("Q")
    assert {0, WAITING, RUNNING, SYNCHRONOUS} <= set(outcome.said("S"))
    on_cells, queued = ([n // (tick * outcome.per_tick) for n in outcome.at(Kind.START, t)] for t in ("OnCells", "Queued"))
    assert on_cells == queued
    assert len(on_cells) > 20


FIGURES = {"idle": 65, "ahead": 127, "behind": 140}
"""Instructions, at most, that the handler takes above all tasks on ``ast1030-evb``, of a table with three cells."""


HELD = """
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
duration = 20
repeating = true
cells = true
sync = "explicit"
autostart = { at = 1 }
[[osek.schedule_table.S.point]]
offset = 2
activate = ["T0"]
max_lengthen = 2
max_shorten = 2
[[osek.schedule_table.S.point]]
offset = 12
activate = ["T0"]
"""


@pytest.mark.parametrize("board", USUAL)
@pytest.mark.parametrize(
    ("value", "held", "points"),
    [
        (
            13,
            5,
            [3, 16, 21, 31, 40, 50],
        ),  # the point at 13, the last one, is served at 16: the next turn is 2 sooner, and another 1
        (
            12,
            10,
            [3, 21, 22, 32, 41, 51],
        ),  # served at 21, and the first point, at 23, can only be 1 sooner; the next turn the other
        (12, 11, [3, 22, 23, 33, 41, 51]),  # served at 22, half a tick before the first point: that stays
        (12, 12, [3, 23, 33, 41, 51, 61]),  # served after the first point: the next turn is adjusted
        (8, 12, [3, 23, 33, 45, 55, 65]),  # the same, of a table that is ahead
        (12, 31, [3, 42, 43, 53, 61, 71]),  # over the next last point, at 33, too: half a tick before the first point
    ],
)
def test_a_handler_that_is_held_back_adjusts_by_what_it_can(
    lab: Laboratory, board: str, value: int, held: int, points: list[int]
) -> None:
    """An ISR of the kernel's level runs over the last point, and asks for the status at its end, which adjusts the table."""
    code = f"""
#include "carillon/work.h"
TASK(T0) {{ TerminateTask(); }}
ISR(Signal)
{{
    carillon_work(5000u * {held}u);
    ScheduleTableStatusType status = 99u;
    (void)GetScheduleTableStatus(S, &status);
}}
TASK(Main)
{{
    carillon_work(5000u * 11u + 2500u);
    report("sync", SyncScheduleTable(S, {value}u)); /* it is at 10 */
    carillon_port_request(CARILLON_ISR_SOURCE_Signal);
    carillon_work(5000u * 72u);
    ScheduleTableStatusType status = 99u;
    (void)GetScheduleTableStatus(S, &status);
    report("status", status);
    carillon_port_halt();
}}
"""
    outcome = lab.run(HELD, code, board, ticks=600_000)
    assert outcome.said("sync") == [0]
    assert outcome.said("status") == [SYNCHRONOUS]
    assert [n // (5000 * outcome.per_tick) for n in outcome.at(Kind.START, "T0")][:6] == points


def test_the_handler_that_adjusts_takes_what_the_design_says(lab: Laboratory) -> None:
    """A direct task is due at the last point: it begins when the handler has returned, and at its other point at once."""
    text = HELD.replace('[osek.isr.Signal]\nsource = "soft0"\ncategory = 2\n', "[osek.task.T1]\npriority = 3\n")
    text = text.replace('offset = 12\nactivate = ["T0"]', 'offset = 12\nactivate = ["T0", "T1"]')
    code = """
#include "carillon/work.h"
TASK(T0) { TerminateTask(); }
TASK(T1) { TerminateTask(); }
TASK(Main)
{
    carillon_work(5000u * 20u + 2500u);
    report("sync", SyncScheduleTable(S, 17u)); /* it is at 19 */
    carillon_work(5000u * 20u);
    report("sync", SyncScheduleTable(S, 19u)); /* it is at 17 */
    carillon_work(5000u * 40u);
    carillon_port_halt();
}
"""
    outcome = lab.run(text, code, AST, ticks=600_000)
    assert outcome.said("sync") == [0, 0]
    tick = 5000 * outcome.per_tick
    late = [(n // tick, n % tick) for n in outcome.at(Kind.ENTER, "T1")]
    assert [at for at, _ in late] == [13, 33, 55, 73]
    assert [n // tick for n in outcome.at(Kind.ENTER, "T0")][::2] == [3, 23, 45, 63]
    assert all(n % tick == 0 for n in outcome.at(Kind.ENTER, "T0")[::2])
    for (_, took), key in zip(late, ("idle", "ahead", "behind", "idle"), strict=True):
        assert took <= FIGURES[key]
