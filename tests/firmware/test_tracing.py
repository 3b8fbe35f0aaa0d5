# SPDX-License-Identifier: Apache-2.0
"""The tracing plugin sees what the firmware itself sees, wherever an interrupt comes."""

from __future__ import annotations

from collections import Counter

import pytest
from laboratory import AST, MPS, RV32, VIRTUAL, VIRTUAL_AST, Laboratory, Outcome, declared, points, source, task, works

from carillon.model.board import Role
from carillon.trace import Event, Kind

KINDS = (Kind.START, Kind.END, Kind.PREEMPT, Kind.RESUME, Kind.ENTER, Kind.EXIT)

# Calls and returns of every form that the compiler has: leaf, frame, nested, tail, through a pointer, recursive.
HELPERS = """
static volatile uint32_t counter;
static volatile unsigned jobs;

__attribute__((noinline)) static void leaf(void)
{
    counter++;
}

__attribute__((noinline)) static uint32_t framed(uint32_t value)
{
    leaf();
    leaf();
    return value + counter;
}

__attribute__((noinline)) static void tail(void)
{
    counter += 2u;
    leaf();
}

__attribute__((noinline)) static uint32_t many(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e)
{
    const uint32_t first = framed(a) ^ framed(b);
    return first + framed(c) * framed(d) + framed(e);
}

__attribute__((noinline)) static uint32_t recursive(uint32_t depth)
{
    return depth == 0u ? counter : 1u + recursive(depth - 1u) * 3u;
}

static void (*volatile pointer)(void) = leaf;

__attribute__((noinline)) static void helpers(void)
{
    leaf();
    tail();
    pointer();
    counter += many(1u, 2u, 3u, counter, 5u) + recursive(3u);
}
"""


def nested(events: list[Event]) -> bool:
    """Every handler, task and preemption ends in the order in which they began."""
    stack: list[tuple[str, str]] = []
    for e in events:
        if e.kind in (Kind.ENTER, Kind.START, Kind.PREEMPT):
            stack.append((e.kind.value, e.object))
        else:
            begun = {Kind.EXIT: "enter", Kind.END: "start", Kind.RESUME: "preempt"}[e.kind]
            if not stack or stack.pop() != (begun, e.object):
                return False
    return not stack


ROUND = 1500
HIGH = ["enter High", "start High", "end High", "exit High"]
PLAIN = ["enter Low", "start Low", "preempt Low", *HIGH, "resume Low", "end Low", "exit Low"]


@pytest.mark.parametrize("board", [AST, MPS])
@pytest.mark.parametrize("deadline", [(), (1300,)])
def test_a_preemption_at_any_instruction_of_a_task_and_the_functions_it_calls_is_seen_as_one(
    lab: Laboratory, board: str, deadline: tuple[int, ...]
) -> None:
    # High comes at tick 500; Low's calls begin an instruction later in every round, from long before that tick to after it.
    rounds = 420
    schedule = declared(Low=0, High=0) + points(ROUND, (100, "Low", *deadline), (500, "High"))
    per_tick = 5 if board == MPS else 1
    low = task("Low", f"carillon_port_delay({400 * per_tick - 350}u + jobs);\njobs++;\nhelpers();\ncarillon_work(400u);")
    outcome = lab.run(schedule, HELPERS + low + task("High", "helpers();"), board, rounds=rounds)
    lengths = set()
    for number in range(rounds):
        own = [e for e in outcome.events(*KINDS) if number * ROUND <= e.t < (number + 1) * ROUND]
        assert [f"{e.kind.value} {e.object}" for e in own] == PLAIN, number
        at = (number * ROUND + 500) * per_tick
        assert own[2].n == own[3].n == at
        assert own[6].n == own[7].n
        # What Low executes grows by one instruction a round, which an end seen too early or too late would not.
        lengths.add((own[8].n - own[1].n - number, own[9].n - own[8].n))
    assert len(lengths) == 1


@pytest.mark.parametrize("board", [AST, MPS])
def test_a_preemption_at_any_instruction_of_idle_and_the_functions_it_calls_is_seen_as_one(lab: Laboratory, board: str) -> None:
    # The round's length and that of idle's loop have no common factor: after enough rounds every place has been hit.
    rounds = 1500
    idle = "void ttIdleTask(void)\n{\n for (;;) {\n  helpers();\n }\n}\n"
    schedule = declared(High=0) + points(1009, (500, "High"))
    outcome = lab.run(schedule, HELPERS + idle + task("High", "helpers();"), board, rounds=rounds)
    assert outcome.story() == ["expiry High", "enter High", "start High", "end High", "exit High", "idle idle"] * rounds
    assert outcome.at(Kind.ENTER, "High") == [(1009 * k + 500) * outcome.per_tick for k in range(rounds)]
    executed = {r.executed for r in outcome.summary.runs}
    assert len(executed) == 1


@pytest.mark.parametrize("board", [AST, MPS])
@pytest.mark.parametrize("deadline", [(), (1300,)])
def test_an_interrupt_at_any_instruction_of_a_tasks_end_is_seen_before_it_or_after_it(
    lab: Laboratory, board: str, deadline: tuple[int, ...]
) -> None:
    per_tick = 5 if board == MPS else 1
    rounds = 100
    schedule = declared(Low=0, High=0) + points(ROUND, (100, "Low", *deadline), (500, "High"))
    low = task("Low", f"carillon_port_delay({400 * per_tick - 70}u + jobs);\njobs++;")
    outcome = lab.run(schedule, HELPERS + low + task("High", "helpers();"), board, rounds=rounds)
    between = ["enter Low", "start Low", "end Low", *HIGH, "exit Low"]
    after = ["enter Low", "start Low", "end Low", "exit Low", *HIGH]
    seen = []
    for number in range(rounds):
        own = [e for e in outcome.events(*KINDS) if number * ROUND <= e.t < (number + 1) * ROUND]
        story = [f"{e.kind.value} {e.object}" for e in own]
        tick = (number * ROUND + 500) * per_tick
        (end,) = [e.n for e in own if e.kind is Kind.END and e.object == "Low"]
        assert [e.n for e in own if e.kind is Kind.ENTER][1] == tick
        assert story == PLAIN if end >= tick else story in (after, between)
        seen.append(story)
    assert after in seen
    assert PLAIN in seen


def test_an_interrupt_at_any_instruction_of_lowering_and_raising_the_priority_is_seen_as_one(lab: Laboratory) -> None:
    # Every distance from 1 to 120 ticks, each task being first in turn: whichever is lowered is met at each instruction.
    pairs: list[tuple[str, str, int]] = []
    for distance in range(1, 121):
        pairs += [("One", "Two", distance), ("Two", "One", distance)]
    entries: list[tuple[int, str]] = []
    for k, (first, second, distance) in enumerate(pairs):
        entries += [(1000 * k + 100, first), (1000 * k + 100 + distance, second)]
    schedule = declared(One=150, Two=150) + points(1000 * len(pairs), *entries, window="wcet")
    work = "carillon_work(50u);"
    outcome = lab.run(schedule, task("One", work) + task("Two", work), AST, rounds=2)
    carriers = [c for n in ("One", "Two") for c in outcome.carriers(Role.ACTIVATION, n)]
    assert any(c.lowered for c in carriers)
    assert nested(outcome.events(*KINDS))
    starts = [(e.t % (1000 * len(pairs)), e.object) for e in outcome.events(Kind.START)]
    count = Counter(outcome.story(Kind.START, Kind.END))
    assert set(count.values()) == {2 * len(pairs)}
    # None waits longer than the other's handler.
    assert len(starts) == 4 * len(pairs)
    for (t, name), (at, wanted) in zip(sorted(starts), sorted(entries * 2), strict=True):
        assert 0 <= t - at < 100, (name, wanted)


def test_the_trace_agrees_with_a_free_running_timer_that_the_tasks_read(lab: Laboratory) -> None:
    # TMR8 counts down from idle's start on; each task's first act is to note what it reads.
    code = """
static volatile uint32_t noted[200];
static volatile unsigned count;
#define TMR8 UINT32_C(0x7E782080)

__attribute__((always_inline)) static inline void note(void)
{
    const uint32_t now = *(volatile uint32_t *)TMR8;
    noted[count] = ~now;
    if (++count == 200u) {
        ttShutdownOS(0u);
    }
}

void ttIdleTask(void)
{
    *(volatile uint32_t *)(TMR8 + 4u) = 0xFFFFFFFFu;
    *(volatile uint32_t *)UINT32_C(0x7E782030) |= UINT32_C(1) << 28;
    for (;;) {
        helpers();
    }
}

void ttShutdownHook(ttStatusType error)
{
    (void)error;
    for (unsigned k = 0; k < 200u; k++) {
        report("at", noted[k]);
    }
}
"""
    ats = {"A": 500, "B": 777, "C": 790, "D": 1301}
    schedule = declared(**dict.fromkeys(ats, 0)) + points(2003, *((at, name) for name, at in ats.items()))
    outcome = lab.run(schedule, HELPERS + code + "".join(task(n, "note();\nhelpers();") for n in ats), AST, rounds=60)
    told = outcome.said("at")
    starts = [e.n for e in outcome.events(Kind.START)][:200]
    assert len(told) == len(starts) == 200
    assert len({at - n for at, n in zip(told, starts, strict=True)}) == 1
    assert "TMR8" not in [name for n in ats for name in outcome.cells(Role.ACTIVATION, n)]


# A function that is a vector for one source and is called by the handler of another.


def lost_and_invented(outcome: Outcome, runs: dict[str, int]) -> None:
    """Every task ran so often, each time in an interrupt of its own, and nothing else but switches of modes did."""
    for kind in (Kind.ENTER, Kind.START, Kind.END, Kind.EXIT):
        assert {name: len(outcome.events(kind, of=name)) for name in runs} == runs, kind
    assert outcome.summary.totals.idle_share > 0.85


def test_a_handler_that_branches_to_a_task_that_is_a_vector_in_another_mode_is_one_interrupt(lab: Laboratory) -> None:
    others = [f"A{k}" for k in range(6)]
    first = points(40_000, (1000, "T"), (6000, "S"), mode="a")
    times = [(1000, "T"), (3000, "T"), (8000, "T"), *((10_000 + 2000 * k, name) for k, name in enumerate(others)), (30_000, "S")]
    second = points(40_000, *times, mode="b", window="wcet")
    switch = "if (ttGetActiveApplicationMode() == ttAppMode_a) {\n    (void)ttSwitchAppMode(ttAppMode_b);\n}"
    schedule = declared(T=700, S=700, **dict.fromkeys(others, 700)) + first + second
    code = works(T=500, **dict.fromkeys(others, 500)) + task("S", switch)
    outcome = lab.run(schedule, code, AST, rounds=3)
    assert {c.style.value for mode in (0, 1) for c in outcome.carriers(Role.ACTIVATION, "T", mode)} == {"direct", "multiplexed"}
    lost_and_invented(outcome, {"T": 7, "S": 3, **dict.fromkeys(others, 2)})


@pytest.mark.parametrize("board", [AST, MPS, "atmega128", VIRTUAL])
def test_a_task_that_is_a_vector_and_that_another_handler_calls_is_entered_as_often_as_it_runs(
    lab: Laboratory, board: str
) -> None:
    times = [(10_000, "T"), (20_000, "T"), (33_000, "T")]
    outcome = lab.run(declared(T=1600) + points(60_000, *times, window="wcet"), works(T=1500), board, rounds=2)
    lost_and_invented(outcome, {"T": 6})


def test_a_loop_back_to_a_tasks_first_instruction_is_neither_an_interrupt_nor_a_call(lab: Laboratory) -> None:
    # The task has no prologue: its loop begins at its first instruction.
    loop = """
volatile uint32_t turns;
__asm__(".text\\n.thumb_func\\n.global T\\n.type T, %function\\n"
        "T: ldr r3, =turns\\n   ldr r2, [r3]\\n   adds r2, #1\\n   str r2, [r3]\\n   ands r2, #7\\n   bne T\\n"
        "   bx lr\\n.ltorg\\n");
"""
    outcome = lab.run(declared(T=0) + points(1000, (100, "T")), loop, AST, rounds=3)
    lost_and_invented(outcome, {"T": 3})
    assert {r.executed for r in outcome.summary.runs} == {6 * 8 + 1}


@pytest.mark.parametrize("board", [AST, MPS])
def test_an_interrupt_right_after_a_conditional_return_tells_nothing_about_it(lab: Laboratory, board: str) -> None:
    # Low has no frame.  Its first conditional return is skipped, the second is carried out from the 33rd round on.  What
    # comes before them is an instruction longer in every round, so that High comes at each instruction.
    low = """
volatile uint32_t noted;
__asm__(".text\\n.thumb_func\\n.global Low\\n.type Low, %function\\n"
        "Low: ldr r3, =noted\\n   ldr r2, [r3]\\n   adds r1, r2, #1\\n   str r1, [r3]\\n"
        "   and r0, r2, #31\\n   lsrs r0, r0, #1\\n   bcc 1f\\n   nop\\n1: subs r0, #1\\n   bpl 1b\\n"
        "   cmp r1, #0\\n   it eq\\n   bxeq lr\\n   nop\\n   lsls r0, r2, #26\\n   it mi\\n   bxmi lr\\n"
        "   nop\\n   nop\\n   bx lr\\n.ltorg\\n");
"""
    per_tick = 5 if board == MPS else 1
    schedule = declared(Low=0, High=0) + points(1000, (100, "Low"), (100 + 30 // per_tick, "High"))
    outcome = lab.run(schedule, low + task("High", '__asm__ volatile("nop");'), board, rounds=64)
    stories = set()
    for k in range(64):
        own = [e for e in outcome.events(*KINDS) if k * 1000 <= e.t < (k + 1) * 1000]
        stories.add(tuple(f"{e.kind.value} {e.object}" for e in own))
    plain = ("enter Low", "start Low", "preempt Low", *HIGH, "resume Low", "end Low", "exit Low")
    after = ("enter Low", "start Low", "end Low", "exit Low", *HIGH)
    assert stories == {plain, after}
    lengths = [r.executed - r.number % 32 for r in outcome.summary.runs if r.lane.name == "Low"]
    assert len(set(lengths[:31])) == len(set(lengths[32:63])) == 1
    assert lengths[0] - lengths[32] == 3


@pytest.mark.parametrize("board", ["atmega128", "atmega2560"])
def test_an_interrupt_within_the_last_cycles_of_a_handlers_return_is_one_of_its_own(lab: Laboratory, board: str) -> None:
    # A's end comes a cycle later in every round, from before B's interrupt to after it.
    code = "static uint32_t jobs;\n" + task("A", "carillon_port_delay(470u + jobs);\njobs++;") + works(B=50)
    outcome = lab.run(declared(A=0, B=0) + points(20_000, (1000, "A"), (1640, "B")), code, board, rounds=150)
    lost_and_invented(outcome, {"A": 150, "B": 150})
    preempted = [run.preemptions for run in outcome.summary.runs if run.lane.name == "A"]
    assert preempted == sorted(preempted)
    assert set(preempted) == {0, 1}


@pytest.mark.parametrize("board", [AST, MPS, "atmega128", VIRTUAL])
def test_tasks_that_share_a_function_are_told_apart(lab: Laboratory, board: str) -> None:
    schedule = '[task.A]\nentry = "both"\nwcet = "200 ticks"\n[task.B]\nentry = "both"\nwcet = "200 ticks"\n'
    schedule += points(30_000, (5000, "A"), (9000, "B"), (17_000, "B"), (25_000, "A"), window="wcet")
    outcome = lab.run(schedule, works(both=100), board, rounds=2)
    assert [e.object for e in outcome.events(Kind.START)] == ["A", "B", "B", "A"] * 2
    assert [e.object for e in outcome.events(Kind.ENTER)] == ["A", "B", "B", "A"] * 2


@pytest.mark.parametrize("board", [VIRTUAL, AST, MPS])
def test_a_source_that_watches_a_deadline_in_one_mode_alone_tells_nothing_of_deadlines_in_another(
    lab: Laboratory, board: str
) -> None:
    first = points(10_000, (1000, "T", 2000), (2000, "T", 3000), mode="a")
    schedule = declared(T=0) + first + points(10_000, (1000, "T", 2000), mode="b")
    outcome = lab.run(schedule, works(T=10), board, rounds=3)
    assert len(outcome.events(Kind.DEADLINE_MET)) == 6
    assert outcome.events(Kind.DEADLINE_MISSED) == []


# The event-triggered system.

DISPATCH = ["hardware", "software"]

# A task of each kind: one that only activates, an extended one, two of one priority, one that its cell may activate.
TASKS = """
[osek]
dispatch = "{dispatch}"
status = "{status}"
[osek.task.Low]
priority = 1
autostart = true
[osek.task.Extended]
priority = 3
events = ["Go", "Again"]
autostart = true
[osek.task.Nested]
priority = 4
activations = 2
[osek.task.Other]
priority = 4
[osek.task.Direct]
priority = 5
[osek.isr.Button]
source = "soft0"
[osek.event.Go]
[osek.event.Again]
"""

CODE = """
static volatile unsigned count;
static volatile unsigned one = 1u;

__attribute__((noinline)) static void deep(unsigned depth)
{
    count++;
    if (depth == 0u) {
        TerminateTask();
    }
    deep(depth - one);
    count++;
}

TASK(Extended)
{
    for (;;) {
        WaitEvent(Go | Again);
        ClearEvent(Go | Again);
        helpers();
        (void)ActivateTask(Nested);
    }
}

TASK(Nested)
{
    deep(3u);
}

TASK(Direct)
{
    helpers();
    TerminateTask();
}
"""


def told(outcome: Outcome) -> list[str]:
    """What tasks and ISRs did.  A handler that follows another at once makes no more than one preemption."""
    story: list[Event] = []
    for e in outcome.events(Kind.START, Kind.END, Kind.WAIT, Kind.PREEMPT, Kind.RESUME):
        if e.kind is Kind.PREEMPT and story and (story[-1].kind, story[-1].object, story[-1].n) == (Kind.RESUME, e.object, e.n):
            story.pop()
        else:
            story.append(e)
    return [f"{e.kind.value} {e.object}" for e in story]


STORY = [
    *("start Extended", "wait Extended", "start Low", "preempt Low"),
    *("start Nested", "end Nested", "resume Low", "preempt Low"),
    *("start Button", "end Button", "start Other", "end Other", "resume Low", "preempt Low"),
    *("resume Extended", "preempt Extended", "start Nested", "end Nested", "resume Extended", "wait Extended"),
    *("resume Low", "preempt Low", "start Direct", "preempt Direct", "start Button", "end Button", "resume Direct"),
    *("end Direct", "start Nested", "end Nested", "start Nested", "end Nested", "resume Low", "end Low"),
]


@pytest.mark.parametrize(
    ("board", "dispatch"), [*((b, d) for b in (VIRTUAL_AST, AST, MPS) for d in DISPATCH), (RV32, "software")]
)
@pytest.mark.parametrize("status", ["standard", "extended"])
def test_what_event_triggered_tasks_do_is_the_same_story_everywhere(
    lab: Laboratory, board: str, dispatch: str, status: str
) -> None:
    code = source(__file__, "story.c")
    outcome = lab.run(TASKS.format(dispatch=dispatch, status=status), code, board, ticks=10_000)
    assert told(outcome) == STORY
    assert outcome.task("Extended").waits == 2


@pytest.mark.parametrize(
    ("board", "dispatch", "mixed"),
    [*((b, d, m) for b in (AST, MPS) for d in DISPATCH for m in (False, True)), (RV32, "software", False)],
)
def test_interrupts_at_any_instruction_of_the_event_triggered_kernel_are_seen_as_such(
    lab: Laboratory, board: str, dispatch: str, mixed: bool
) -> None:
    # The periods of the counters, of the round and of Low's loop have no common factor.
    timers = """
[osek.task.Timer]
priority = 6
[osek.counter.First]
tick = "2003 ticks"
[osek.counter.Second]
tick = "2011 ticks"
[osek.alarm.One]
counter = "First"
activate = "Timer"
autostart = { at = 1, cycle = 1 }
[osek.alarm.Two]
counter = "Second"
set_event = { task = "Extended", event = "Again" }
autostart = { at = 1, cycle = 2 }
"""
    code = """
TASK(Low)
{
    for (;;) {
        (void)ActivateTask(Nested);
        (void)ActivateTask(Other);
        carillon_port_pend(CARILLON_ISR_SOURCE_Button);
        (void)ActivateTask(Direct);
        (void)SetEvent(Extended, Go);
        helpers();
    }
}
TASK(Other)
{
    if ((count & 1u) != 0u) {
        (void)ChainTask(Nested);
    }
    deep(1u);
}
TASK(Timer)
{
    count++;
    TerminateTask();
}
ISR(Button)
{
    count++;
    (void)ActivateTask(Other);
}
"""
    ticks = 600_000
    if board == RV32:  # a tick is 25 instructions, and one timer is all there is
        ticks = 60_000
        timers = timers.replace('[osek.counter.Second]\ntick = "2011 ticks"\n', "").replace('"Second"', '"First"')
        timers = timers.replace("2003", "203")
    schedule = TASKS.format(dispatch=dispatch, status="standard") + timers
    if mixed:
        schedule = declared(Timed=0) + points(1511, (100, "Timed"), (800, "Timed")) + schedule
        code += task("Timed", "count++;") + "void ttIdleTask(void)\n{\n    StartOS(OSDEFAULTAPPMODE);\n}\n"
    outcome = lab.run(schedule, HELPERS + CODE + code, board, ticks=ticks)
    did = Counter(outcome.story())
    for name in ("Nested", "Other", "Direct", "Timer", "Button"):
        assert did[f"start {name}"] > 50, name
        assert did[f"start {name}"] - did[f"end {name}"] in (0, 1)
    assert did["start Extended"] == 1
    assert did["wait Extended"] > 50
    if mixed:
        assert did["start Timed"] == did["expiry Timed"]
    # Between a task's end and what runs next there is kernel code of a few lengths, unless something comes between.
    ends = {s.executed for r in outcome.summary.runs if r.lane.name == "Timer" for s in r.stretches if s.end is not None}
    assert len(ends) == 1


def test_an_alarm_that_nobody_cancels_is_seen_to_be_due_when_its_cell_is(lab: Laboratory) -> None:
    schedule = """
[osek.task.Cyclic]
priority = 1
[osek.counter.Clock]
tick = "100 ticks"
[osek.alarm.Every]
counter = "Clock"
activate = "Cyclic"
static = true
autostart = { at = 3, cycle = 10 }
"""
    code = 'TASK(Cyclic) { report("runs", 1u); TerminateTask(); }'
    for board in (AST, VIRTUAL_AST):
        outcome = lab.run(schedule, code, board, ticks=5000)
        assert [e.t for e in outcome.events(Kind.EXPIRY, of="Cyclic")] == [300, 1300, 2300, 3300, 4300]
        assert outcome.at(Kind.START, "Cyclic") == outcome.at(Kind.ENTER, "Cyclic") == outcome.at(Kind.EXPIRY, "Cyclic")
        assert outcome.said("runs") == [1, 1, 1, 1, 1]


@pytest.mark.parametrize("board", [AST, MPS, RV32, "atmega128"])
def test_a_task_that_no_mode_activates_is_not_in_the_image_and_does_not_run(lab: Laboratory, board: str) -> None:
    schedule = declared(Used=0, Unused=0) + points(60000, (10000, "Used"))
    outcome = lab.run(schedule, works(Used=500, Unused=500), board, rounds=2)
    assert outcome.story(Kind.START) == ["start Used"] * 2


SLICES = """
#include "carillon/time.h"
static volatile uint32_t turns[2], last = 2u;
static void turn(uint32_t who)
{
    for (;;) {
        carillon_work(20);
        if (last != who) {
            last = who;
            turns[who]++;
        }
    }
}
THREAD(A) { turn(0u); }
THREAD(B) { turn(1u); }
THREAD(Waits) { for (;;) { (void)carillon_delay(2777u); carillon_work(30); } }
THREAD(Judge)
{
    (void)carillon_delay(%d);
    report("A", turns[0]);
    report("B", turns[1]);
    carillon_port_halt();
}
"""


@pytest.mark.parametrize(
    ("board", "dispatch", "slice_ticks", "stack"),
    [
        (AST, "hardware", 997, 2048),
        (AST, "software", 997, 2048),
        (VIRTUAL, "hardware", 997, 2048),
        ("atmega2560", "software", 4999, 512),
    ],
)
def test_each_turn_of_a_thread_is_in_the_trace_however_many_there_are(
    lab: Laboratory, board: str, dispatch: str, slice_ticks: int, stack: int
) -> None:
    schedule = f'[osek]\ndispatch = "{dispatch}"\n[time]\nclock = "one-shot"\nslice = "{slice_ticks} ticks"\n'
    priorities = {"A": 1, "B": 1, "Waits": 5, "Judge": 9}
    schedule += "".join(f"[thread.{n}]\npriority = {p}\nstack = {stack}\n" for n, p in priorities.items())
    length = 600 * slice_ticks
    outcome = lab.run(schedule, SLICES % length, board, ticks=2 * length)
    assert outcome.trace.stopped
    for name in "AB":
        began = [e.kind for e in outcome.events(Kind.START, Kind.WAIT, of=name)]
        assert began.count(Kind.START) == 1, "a thread whose slice is over has not ended"
        assert 140 < outcome.said(name)[0] <= began.count(Kind.WAIT) + 1 <= outcome.said(name)[0] + 2
