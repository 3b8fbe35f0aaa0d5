# SPDX-License-Identifier: Apache-2.0
"""The order in which tasks go on whose delays end in one tick, beside a model; and what a tick costs however many do."""

from __future__ import annotations

import random

import pytest
from laboratory import AST, VIRTUAL_AST, Laboratory

TICK = 1000
TURNS = 60  # of the watch


def program(levels: list[int], delays: list[list[int]], alarms: list[tuple[int, int]], unit: int) -> tuple[str, str]:
    """Threads of these levels that delay so long, one time after the other; alarms of a level and period that activate a task.

    Above them a watch looks in each tick at the states of all threads, and starts the alarms in its first turn.
    """
    schedule = "[thread.Watch]\npriority = 99\n" + "".join(
        f"[thread.T{k}]\npriority = {level}\n" for k, level in enumerate(levels)
    )
    code = '#include "carillon/time.h"\n'
    for k, (level, _) in enumerate(alarms):
        schedule += f"[osek.task.A{k}]\npriority = {level}\nactivations = 3\n"
        code += f'TASK(A{k}) {{ report("ran", {100 + k}u); TerminateTask(); }}\n'
        code += f"static struct carillon_alarm alarm{k} = CARILLON_ALARM_OF_TASK(A{k});\n"
    for k, own in enumerate(delays):
        steps = ", ".join(f"{unit * delay}u" for delay in own)
        code += f"""
            THREAD(T{k})
            {{
                static const carillon_duration delays[] = {{{steps}}};
                for (unsigned turn = 0u; ; turn++) {{
                    report("ran", {k}u);
                    (void)carillon_delay(delays[turn % {len(own)}u]);
                }}
            }}"""
    starts = "".join(
        f"(void)carillon_alarm_start(&alarm{k}, {unit * period}u, CARILLON_INFINITE);" for k, (_, period) in enumerate(alarms)
    )
    tasks = ", ".join(f"T{k}" for k in range(len(levels)))
    code += f"""
        THREAD(Watch)
        {{
            static const TaskType tasks[] = {{{tasks}}};
            {starts}
            for (unsigned turn = 0u; turn < {TURNS}u; turn++) {{
                uint32_t ready = 0u;
                for (unsigned k = 0u; k < {len(levels)}u; k++) {{
                    TaskStateType state = SUSPENDED;
                    (void)GetTaskState(tasks[k], &state);
                    ready |= (state == READY) ? 1u << k : 0u;
                }}
                report("ready", ready);
                (void)carillon_delay({unit}u);
            }}
            carillon_port_halt();
        }}
    """
    return schedule, code


def told(levels: list[int], delays: list[list[int]], alarms: list[tuple[int, int]]) -> list[tuple[str, int]]:
    """What the program says, by a list of events that are sorted by time and then by insertion."""
    watch = -1
    said: list[tuple[str, int]] = []
    waiting: list[tuple[int, int, int]] = []  # time, insertion, who: a thread, or 100 and an alarm
    ready = {level: [k for k, own in enumerate(levels) if own == level] for level in {*levels, *(level for level, _ in alarms)}}
    turns = [0] * len(levels)
    insertions = 0

    def insert(time: int, who: int) -> None:
        nonlocal insertions
        insertions += 1
        waiting.append((time, insertions, who))

    for turn in range(TURNS):
        due = sorted(event for event in waiting if event[0] == turn)
        waiting = [event for event in waiting if event[0] != turn]
        for _, _, who in due:
            if who >= 100:
                level, period = alarms[who - 100]
                insert(turn + period, who)
                ready[level].append(who)
            elif who != watch:
                ready[levels[who]].append(who)
        if turn == 0:
            for k, (_, period) in enumerate(alarms):
                insert(period, 100 + k)
        said.append(("ready", sum(1 << who for fifo in ready.values() for who in fifo if who < 100)))
        insert(turn + 1, watch)
        for level in sorted(ready, reverse=True):
            for who in ready[level]:
                said.append(("ran", who))
                if who < 100:
                    insert(turn + delays[who][turns[who] % len(delays[who])], who)
                    turns[who] += 1
            ready[level] = []
    return said


@pytest.mark.parametrize("clock", ["periodic", "one-shot"])
@pytest.mark.parametrize("seed", range(3))
def test_tasks_go_on_in_the_order_in_which_their_delays_began(lab: Laboratory, clock: str, seed: int) -> None:
    chance = random.Random(seed)
    levels = [chance.randint(1, 3) for _ in range(12)]
    delays = [[chance.choice([1, 1, 2, 2, 3, 6]) for _ in range(chance.randint(1, 5))] for _ in levels]
    alarms = [(chance.randint(1, 3), chance.randint(1, 4)) for _ in range(2)]
    unit = 1 if clock == "periodic" else TICK
    tables, code = program(levels, delays, alarms, unit)
    tick = f'tick = "{TICK} ticks"\n' if clock == "periodic" else ""
    outcome = lab.run(f'[time]\nclock = "{clock}"\n{tick}{tables}', code, VIRTUAL_AST, ticks=(TURNS + 2) * TICK)
    expected = told(levels, delays, alarms)
    assert len(expected) > 5 * TURNS
    assert outcome.reported[: len(expected)] == expected


def test_a_task_that_runs_in_the_handler_of_an_alarms_cell_may_wait_for_a_time(lab: Laboratory) -> None:
    schedule = """
        [time]
        clock = "periodic"
        tick = "1000 ticks"
        [osek.event.Go]
        [osek.counter.Ticks]
        tick = "1000 ticks"
        [osek.task.Main]
        priority = 2
        events = ["Go"]
        autostart = true
        [osek.alarm.Timer]
        counter = "Ticks"
        set_event = { task = "Main", event = "Go" }
        autostart = { at = 20, cycle = 20 }
        static = true
    """
    code = """
        #include "carillon/time.h"
        TASK(Main)
        {
            for (int k = 0; k < 4; k++) {
                (void)WaitEvent(Go);
                (void)ClearEvent(Go);
                report("delay", carillon_delay(2u));
            }
            carillon_port_halt();
        }
    """
    outcome = lab.run(schedule, code, AST, ticks=400_000)
    osek = outcome.planned.allocation.osek
    assert osek is not None
    assert [carrier.task_level for _, carrier in osek.alarms] == [1], "the alarm's cell has the task's level"
    assert outcome.said("delay") == [0, 0, 0, 0]
