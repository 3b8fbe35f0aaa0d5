# SPDX-License-Identifier: Apache-2.0
"""Threads that take turns, beneath threads that run across the ends of slices, with resources and locks of random lengths.

What must be so is worked out from the trace alone.  A slice ends every SLICE ticks.  A thread of the lowest level, which never
waits, gives way after the first end within its turn: at once, where nothing but the thread runs, else as soon as what preempted
it has returned and what it holds is released.  So after that end the thread itself runs for no longer than it holds anything.
Nor does it give way within its slice, and the turns go round.
CARILLON_TRIES is the number of programs for each board; without it they are few and the same each time.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import pytest
from laboratory import AST, MPS, VIRTUAL_AST, Laboratory, Outcome

import asked
from carillon.trace import Kind

PROGRAMS = asked.tries(0)
FIRST = int(asked.seed(0))
SLICE = 5000
MEGA = "atmega128"
SOFTWARE = '[osek]\ndispatch = "software"\n'
BOARDS = [(VIRTUAL_AST, ""), (AST, ""), (MPS, ""), (VIRTUAL_AST, SOFTWARE), (AST, SOFTWARE), (MEGA, "")]
NAMES = [f"{board}{'-software' * bool(more)}" for board, more in BOARDS]

SYSTEM = {MEGA: 'clock = "250kHz"'}
"""On AVR code takes as many cycles as a tick of its fastest clock has."""
KERNEL = 900
"""Ticks that the kernel may take for the thread: where it enters and leaves services and handlers."""
WORK, HOLD, SUSPEND, NOTHING = "WORK", "HOLD", "SUSPEND", "NOTHING"

CODE = """
#include "carillon/time.h"
#include "carillon/work.h"
#include "os.h"
static volatile uint8_t inside;
struct op { char what; uint16_t ticks; };
static void play(const struct op *op)
{
    switch (op->what) {
    case 'H':
        (void)GetResource(RES_SCHEDULER);
        if (inside != 0u) { report("inside", 1); }
        inside = 1u;
        carillon_work(op->ticks);
        inside = 0u;
        (void)ReleaseResource(RES_SCHEDULER);
        break;
    case 'S':
        SuspendOSInterrupts();
        carillon_work(op->ticks);
        ResumeOSInterrupts();
        break;
    default:
        carillon_work(op->ticks);
        break;
    }
}
static volatile uint16_t zero;
"""
LOW = """
static const struct op ops_{name}[] = {{{ops}}};
THREAD({name})
{{
    for (;;) {{
        for (unsigned n = 0u; n < sizeof ops_{name} / sizeof ops_{name}[0]; n++) {{
            play(&ops_{name}[n]);
        }}
    }}
}}
"""
HIGH = """
static const struct op ops_{name}[] = {{{ops}}};
THREAD({name})
{{
    carillon_time next = carillon_now();
    (void)carillon_delay_until(&next, {first}u);
    for (unsigned n = 0u;; n = (n + 1u) % (sizeof ops_{name} / sizeof ops_{name}[0])) {{
        play(&ops_{name}[n]);
        (void)carillon_delay_until(&next, {period}u);
    }}
}}
"""


@dataclass(frozen=True)
class Program:
    """The lowest threads' names; the schedule's threads with their priorities; the code; the longest that a low thread holds."""

    low: tuple[str, ...]
    threads: dict[str, int]
    code: str
    held: int


def drawn(rng: random.Random) -> Program:
    """Two to four threads of the lowest level, and none to three above, on levels of their own or on one."""
    low = tuple("ABCD"[: rng.randint(2, 4)])
    above = [f"H{k}" for k in range(rng.choice([0, 1, 1, 2, 2, 3]))]
    levels = dict.fromkeys(low, 1) | {name: rng.choice([2, 2, 3]) for name in above}
    held = 0
    code = CODE
    for name in low:
        ops = []
        for _ in range(rng.randint(1, 4)):
            kind = rng.choice("WWHS")
            ticks = rng.choice([20, rng.randint(20, 2000), rng.randint(20, 7000 if kind == "W" else 3000)])
            held = max(held, ticks) if kind != "W" else held
            ops.append(f"{{'{kind}', {ticks}u}}")
        code += LOW.format(name=name, ops=", ".join(ops))
    for name in above:
        period = rng.choice([SLICE, SLICE, 2 * SLICE, SLICE * 3 // 2, rng.randint(3000, 20_000)])
        most = period // (len(above) + 1)
        across = rng.randint(1, most)  # often it runs whenever a slice ends
        ops = [f"{{'{rng.choice('WWH')}', {rng.choice([across, rng.randint(1, most)])}u}}" for _ in range(rng.randint(1, 3))]
        first = SLICE - rng.randint(0, across) if rng.random() < 0.7 else rng.randint(100, 2 * SLICE)
        code += HIGH.format(name=name, ops=", ".join(ops), first=first, period=period)
    return Program(low, levels, code, held)


def ran(lab: Laboratory, program: Program, board: str, more: str, slices: int = 40) -> Outcome:
    threads = "".join(f"[thread.{name}]\npriority = {priority}\n" for name, priority in program.threads.items())
    schedule = f'[time]\nclock = "one-shot"\nslice = "{SLICE} ticks"\n{threads}{more}'
    return lab.run(schedule, program.code, board, ticks=slices * SLICE, system=SYSTEM.get(board, ""))


def wrong(outcome: Outcome, program: Program, most: int, slices: int = 40) -> list[str]:
    """What is not as it must be of the turns of the lowest threads; ``most``: ticks that one may run after the end of a slice."""
    found: list[str] = []
    order: list[str] = []
    begun: dict[str, int] = {}  # when it first ran in its turn, which may have begun before, when the last one gave way
    gave = 0
    since: dict[str, int] = {}  # since when it runs
    after: dict[str, int] = {}  # how long it has run after the first end within its turn

    def stops(name: str, at: int) -> None:
        end = (begun[name] // SLICE + 1) * SLICE
        after[name] = after.get(name, 0) + max(0, at - max(since.pop(name), end))
        if after[name] > most:
            found.append(f"at {at}: {name}, whose turn began at {begun[name]}, has run for {after[name]} after its slice")

    for event in outcome.trace.events:
        name = event.object
        if name not in program.low:
            continue
        if event.kind in (Kind.START, Kind.RESUME):
            if name not in begun:
                begun[name], after[name] = event.t, 0
                order.append(name)
            since[name] = event.t
        elif event.kind in (Kind.PREEMPT, Kind.WAIT) and name in since:
            stops(name, event.t)
            if event.kind is Kind.WAIT:
                if event.t // SLICE == gave // SLICE:
                    found.append(f"at {event.t}: {name}, whose turn began at {gave}, gives way within its slice")
                del begun[name]
                gave = event.t
    for name in list(since):
        stops(name, slices * SLICE)
    wanted = [program.low[k % len(program.low)] for k in range(len(order))]
    if order != wanted:
        at = next(k for k, (a, b) in enumerate(zip(order, wanted, strict=True)) if a != b)
        found.append(f"turn {at} is {order[at]}'s: {''.join(order)}")
    if outcome.said("inside"):
        found.append("two held the resource at once")
    return found


@pytest.mark.parametrize(("board", "more"), BOARDS, ids=NAMES)
def test_random_threads_take_turns(
    lab: Laboratory, board: str, more: str, record_property: Callable[[str, object], None]
) -> None:
    turns = 0
    for seed in range(FIRST, FIRST + (PROGRAMS or (6 if board == VIRTUAL_AST else 3))):
        program = drawn(random.Random(f"slices {seed}"))
        outcome = ran(lab, program, board, more)
        found = wrong(outcome, program, program.held + KERNEL)
        turns += sum(e.kind is Kind.WAIT for e in outcome.trace.events if e.object in program.low)
        if found:
            pytest.fail("\n".join([f"seed {seed} on {board}: {program.threads}", *found[:4], program.code]), pytrace=False)
    assert turns > 10
    record_property("slices", {"turns": turns})


@pytest.mark.parametrize(("board", "more"), BOARDS, ids=NAMES)
def test_a_thread_above_that_runs_across_every_end_starves_nobody(lab: Laboratory, board: str, more: str) -> None:
    """High runs for a tenth of each slice, across its end; so does the resource that A shares with B, on the next."""
    code = CODE + "".join(LOW.format(name=name, ops="{'W', 50u}") for name in "AB")
    code += HIGH.format(name="High", ops="{'W', 500u}", first=SLICE - 250, period=SLICE)
    program = Program(("A", "B"), {"A": 1, "B": 1, "High": 2}, code, 0)
    outcome = ran(lab, program, board, more)
    assert wrong(outcome, program, KERNEL) == []
    ends = {name: sum(e.kind is Kind.WAIT and e.object == name for e in outcome.trace.events) for name in "AB"}
    assert min(ends.values()) >= 18


@pytest.mark.parametrize(("board", "more"), BOARDS, ids=NAMES)
def test_a_resource_of_the_threads_level_alone_is_not_given_way_with(lab: Laboratory, board: str, more: str) -> None:
    """RES_SCHEDULER masks nothing above the level of the highest tasks, which these threads are: each holds it at every end."""
    code = CODE + "".join(LOW.format(name=name, ops="{'W', 100u}, {'H', 2100u}") for name in "AB")
    program = Program(("A", "B"), {"A": 1, "B": 1}, code, 2100)
    outcome = ran(lab, program, board, more)
    assert wrong(outcome, program, 2100 + KERNEL) == []
    waits = [e.t for e in outcome.trace.events if e.kind is Kind.WAIT and e.object in "AB"]
    assert len(waits) > 15
    assert any(at % SLICE > 1000 for at in waits)


@pytest.mark.parametrize(("board", "more"), BOARDS, ids=NAMES)
def test_threads_of_two_levels_take_turns(lab: Laboratory, board: str, more: str) -> None:
    """Those above work for three slices of each eight, and take turns in it, as those below in the rest."""
    code = CODE + "".join(LOW.format(name=name, ops="{'W', 60u}") for name in "AB")
    code += "".join(HIGH.format(name=name, ops="{'W', 7400u}", first=SLICE - 900, period=8 * SLICE) for name in ("H0", "H1"))
    program = Program(("A", "B"), {"A": 1, "B": 1, "H0": 2, "H1": 2}, code, 0)
    outcome = ran(lab, program, board, more, slices=64)
    assert wrong(outcome, program, KERNEL, 64) == []
    above = [e.object for e in outcome.trace.events if e.kind in (Kind.START, Kind.RESUME) and e.object in ("H0", "H1")]
    assert sum(a != b for a, b in pairwise(above)) >= 3 * 7


@pytest.mark.parametrize(
    ("threads", "interrupts"), [({"Main": 1}, 0), ({"Main": 1, "Other": 2}, 0), ({"Main": 1, "Other": 1}, 1)]
)
def test_slices_interrupt_only_where_threads_share_a_priority(lab: Laboratory, threads: dict[str, int], interrupts: int) -> None:
    """Of 100 beats, one finds that nobody waits for a turn any more."""
    code = '#include "carillon/time.h"\n' + "".join(
        f"THREAD({name}) {{ (void)carillon_delay((carillon_duration)CARILLON_MILLISECONDS(900)); }}\n" for name in threads
    )
    tables = "".join(f"[thread.{name}]\npriority = {priority}\n" for name, priority in threads.items())
    schedule = '[time]\nclock = "one-shot"\nbits = 16\nslice = "10ms"\n' + tables
    outcome = lab.run(schedule, code, MEGA, system='clock = "7200Hz"', ticks=7200)
    of_clock = outcome.summary.totals.interrupts - interrupts
    assert 1 <= of_clock <= len(threads), "the delays end together or one by one"


@pytest.mark.parametrize(("board", "more"), BOARDS, ids=NAMES)
def test_a_thread_makes_way_for_a_task_of_its_priority(lab: Laboratory, board: str, more: str) -> None:
    """The thread never waits.  The task begins where a slice of the thread ends, and lasts over the end of one."""
    code = '#include "os.h"\n#include "carillon/time.h"\n#include "carillon/work.h"\nstatic volatile bool wanted = true;\n'
    code += "THREAD(Spins)\n{\n    for (;;) {\n        carillon_work(20u);\n        if (wanted) {\n"
    code += "            wanted = false;\n            (void)ActivateTask(Job);\n        }\n    }\n}\n"
    code += f"TASK(Job)\n{{\n    carillon_work({SLICE * 3 // 2}u);\n    wanted = true;\n    (void)TerminateTask();\n}}\n"
    schedule = f'[osek.task.Job]\npriority = 1\n[time]\nclock = "one-shot"\nslice = "{SLICE} ticks"\nuses = ["delays"]\n'
    outcome = lab.run(
        f"{schedule}[thread.Spins]\npriority = 1\n{more}", code, board, ticks=40 * SLICE, system=SYSTEM.get(board, "")
    )
    starts = [e.t for e in outcome.trace.events if e.object == "Job" and e.kind is Kind.START]
    assert all(at % SLICE < KERNEL for at in starts)
    assert [at // SLICE for at in starts] == list(range(1, 40, 2))


@pytest.mark.parametrize(("board", "more"), BOARDS, ids=NAMES)
def test_an_offset_needs_no_kind_of_event_to_be_named(lab: Laboratory, board: str, more: str) -> None:
    code = '#include "os.h"\n#include "carillon/time.h"\nTHREAD(Late) { (void)carillon_delay(1u); }\n'
    schedule = f'[time]\nclock = "one-shot"\nuses = ["delays"]\n[thread.Late]\npriority = 1\noffset = "{SLICE} ticks"\n{more}'
    outcome = lab.run(schedule, code, board, ticks=4 * SLICE, system=SYSTEM.get(board, ""))
    starts = [e.t for e in outcome.trace.events if e.object == "Late" and e.kind is Kind.START]
    assert len(starts) == 1
    assert SLICE <= starts[0] < SLICE + 2 * KERNEL


@pytest.mark.parametrize(("board", "more"), BOARDS, ids=NAMES)
def test_what_ends_slices_rests_while_no_thread_waits_for_its_turn(lab: Laboratory, board: str, more: str) -> None:
    """Four times, two threads are ready together for three beats or four; then both wait for twenty: 96 in all."""
    works = "for (int k = 0; k < 4; k++) { carillon_work(7000u); (void)carillon_delay(5u); }"
    code = '#include "carillon/time.h"\n#include "carillon/work.h"\n'
    code += "".join(f"THREAD({name}) {{ {works} }}\n" for name in ("One", "Other"))
    schedule = f'[time]\nclock = "periodic"\ntick = "20000 ticks"\nslice = "{SLICE} ticks"\n{more}'
    schedule += "[thread.One]\npriority = 1\n[thread.Other]\npriority = 1\n"
    outcome = lab.run(schedule, code, board, system=SYSTEM.get(board, ""), ticks=4 * 120_000)
    events = outcome.trace.events
    turns = [sum(e.kind is Kind.PREEMPT and e.object == name for e in events) for name in ("One", "Other")]
    assert min(turns) >= 4, "they take turns each time"
    ends = [e for e in events if e.kind is Kind.ENTER and e.object == "slices"]
    rests = board != MPS  # there SysTick ends slices, which the interrupt controller does not have
    assert outcome.planned.image.osek is not None
    assert outcome.planned.image.osek.slices_rest == rests
    assert 3 * 4 <= len(ends) <= (5 * 4 if rests else 96)
