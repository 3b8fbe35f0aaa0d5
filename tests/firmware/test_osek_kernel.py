# SPDX-License-Identifier: Apache-2.0
"""What is particular to tasks that are interrupts: vectors, ends, cells, and what the event-triggered kernel may not do."""

from __future__ import annotations

import pytest
from laboratory import AST, MPS, VIRTUAL_AST, Laboratory, Outcome, declared, points, task, works

from carillon.build.symbols import symbols
from carillon.trace import Kind

BOARDS = [AST, MPS, VIRTUAL_AST]
MILLISECOND = {AST: 15_625, VIRTUAL_AST: 15_625, MPS: 25_000}

THREE = """
[osek.task.Low]
priority = 1
autostart = true
[osek.task.High]
priority = 2
"""


def vector(outcome: Outcome, task: str) -> int:
    """Where the vector of a task's source points."""
    return symbols(outcome.firmware.elf)[f"carillon_vector_{task}"][0] & ~1


@pytest.mark.parametrize("board", BOARDS)
def test_the_vector_of_a_direct_task_is_the_task(lab: Laboratory, board: str) -> None:
    code = """
        TASK(Low) { ActivateTask(High); report("low", 1); TerminateTask(); }
        TASK(High) { report("high", 1); TerminateTask(); }
    """
    outcome = lab.run(THREE, code, board, ticks=20_000)
    assert outcome.reported == [("high", 1), ("low", 1)]
    assert vector(outcome, "High") == symbols(outcome.firmware.elf)["carillon_task_High"][0] & ~1


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("end", ["TerminateTask()", "ChainTask(Low)"])
def test_ending_a_task_from_within_a_function_makes_every_vector_a_frame_to_come_back_to(
    lab: Laboratory, board: str, end: str
) -> None:
    code = f"""
        static volatile unsigned turns;
        static __attribute__((noinline)) void deep(unsigned n)
        {{
            volatile unsigned local[8] = {{n}};
            if (n != 0u) {{ deep(n - 1u); }}
            turns++;
            if (turns > 3u) {{ carillon_port_halt(); }}
            report("deep", local[0]);
            (void){end};
            report("never", 1);
        }}
        TASK(Low) {{ ActivateTask(High); report("low", 1); TerminateTask(); }}
        TASK(High) {{ report("high", 1); deep(5); TerminateTask(); }}
    """
    outcome = lab.run(THREE, code, board, ticks=20_000)
    high = [("high", 1), ("deep", 0)]
    again = "Chain" in end
    # Chaining the preempted task is one activation too many: the call returns, and each level of calls comes back here.
    expected = high + ([("never", 1), ("deep", 1), ("never", 1), ("deep", 2), ("never", 1)] if again else [("low", 1)])
    assert outcome.reported == expected
    assert vector(outcome, "High") == symbols(outcome.firmware.elf)["carillon_framed_High"][0] & ~1


@pytest.mark.parametrize("board", BOARDS)
def test_a_task_that_chains_a_higher_one_has_ended_when_that_begins(lab: Laboratory, board: str) -> None:
    code = """
        TASK(Low) { report("low", 1); ChainTask(High); report("never", 1); }
        TASK(High)
        {
            TaskStateType state;
            GetTaskState(Low, &state);
            report("state", state);
            report("activate", ActivateTask(Low));
            static unsigned runs;
            runs++;
            if (runs == 3u) { carillon_port_halt(); }
            TerminateTask();
        }
    """
    outcome = lab.run(THREE, code, board, ticks=20_000)
    assert outcome.reported == [("low", 1), ("state", 3), ("activate", 0)] * 3


CELL = """
[osek.task.Low]
priority = 1
autostart = true
[osek.task.Tick]
priority = 2
[osek.counter.Timer]
tick = "1ms"
[osek.alarm.Cyclic]
counter = "Timer"
activate = "Tick"
autostart = {{ at = 2, cycle = 4 }}
{more}
"""


@pytest.mark.parametrize("board", BOARDS)
def test_a_static_alarm_is_a_cell_whose_expiry_is_the_activation(lab: Laboratory, board: str) -> None:
    ms = MILLISECOND[board]
    code = 'TASK(Low) { TerminateTask(); }\nTASK(Tick) { report("tick", 1); TerminateTask(); }\n'
    outcome = lab.run(CELL.format(more="static = true"), code, board, ticks=21 * ms)
    osek = outcome.planned.allocation.osek
    assert osek is not None
    assert [(alarm.name, carrier.direct) for alarm, carrier in osek.alarms] == [("Cyclic", True)]
    assert osek.counters == []
    assert len(outcome.said("tick")) == 5


@pytest.mark.parametrize("board", BOARDS)
def test_after_the_shutdown_an_alarms_cell_stands_still(lab: Laboratory, board: str) -> None:
    """Without error checks the hook may ask for what is left of an alarm.  The answer is read from the cell."""
    twice = f"say(); carillon_work({MILLISECOND[board]}u); say();"
    code = f"""
        static void say(void)
        {{
            TickType left = 0u;
            (void)GetAlarm(Cyclic, &left);
            report("left", left);
        }}
        TASK(Low) {{ {twice} ShutdownOS(E_OK); }}
        TASK(Tick) {{ TerminateTask(); }}
        void ShutdownHook(StatusType error) {{ (void)error; {twice} }}
    """
    schedule = '[osek]\nhooks = ["shutdown"]\n' + CELL.format(more="static = true")
    outcome = lab.run(schedule, code, board, ticks=5 * MILLISECOND[board])
    *counting, first, later = outcome.said("left")
    assert counting == [2, 1]
    assert first == later  # which it is depends on the cell


def test_cells_of_two_families_carry_static_alarms_that_can_be_read_and_cancelled(lab: Laboratory) -> None:
    periods = {"A": 1000, "B": 1500, "D": 1700}
    tasks = "".join(
        f'[osek.task.{name}]\npriority = {k}\n[osek.alarm.of{name}]\ncounter = "Us"\nactivate = "{name}"\nstatic = true\n'
        f"autostart = {{ at = {period}, cycle = {period} }}\n"
        for k, (name, period) in enumerate(periods.items(), 2)
    )
    code = "".join(f'TASK({name}) {{ report("{name}", 1); TerminateTask(); }}\n' for name in periods)
    asked = "".join(
        f'report("left", !GetAlarm(of{n}, &left) ? (int)left : -1); report("cancel", CancelAlarm(of{n}));' for n in periods
    )
    code += f"TASK(Low) {{ TickType left; carillon_work({5 * MILLISECOND[MPS]}); {asked} TerminateTask(); }}\n"
    low = "[osek.task.Low]\npriority = 1\nautostart = true\n"
    outcome = lab.run(f'[osek.counter.Us]\ntick = "1us"\n{low}{tasks}', code, MPS, ticks=10 * MILLISECOND[MPS])

    osek = outcome.planned.allocation.osek
    assert osek is not None
    assert [(carrier.cells[0].cell.name, carrier.direct) for _, carrier in osek.alarms] == [
        ("TIMER0", True),
        ("TIMER1", True),
        ("DUAL1", True),
    ]
    # Low works for 5 ms, beside the other tasks and the start; then what is left says the same time by all three cells.
    left = outcome.said("left")
    assert outcome.said("cancel") == [0, 0, 0]
    runs = {name: len(outcome.said(name)) for name in periods}
    nows = [(runs[name] + 1) * period - its for (name, period), its in zip(periods.items(), left, strict=True)]
    assert min(nows) > 5000
    assert max(nows) < 5200
    assert nows == sorted(nows)


def test_a_static_alarm_that_gets_no_cell_is_in_the_queue_of_a_counter_that_ticks(lab: Laboratory) -> None:
    tasks = "".join(
        f'[osek.task.T{k}]\npriority = {k}\n[osek.alarm.A{k}]\ncounter = "Ms"\nactivate = "T{k}"\nstatic = true\n'
        "autostart = { at = 10, cycle = 10 }\n"
        for k in range(1, 6)
    )
    code = "".join(f'TASK(T{k}) {{ report("T{k}", 1); TerminateTask(); }}\n' for k in range(1, 6))
    outcome = lab.run(f'[osek.counter.Ms]\ntick = "1ms"\n{tasks}', code, MPS, ticks=35 * MILLISECOND[MPS])
    osek = outcome.planned.allocation.osek
    assert osek is not None
    assert {c.demand.name for c in osek.counters} == {"Ms"}
    assert len(osek.alarms) == 2
    assert [len(outcome.said(f"T{k}")) for k in range(1, 6)] == [3] * 5


@pytest.mark.parametrize("board", BOARDS)
def test_an_expiry_while_its_task_runs_is_one_activation_too_many(lab: Laboratory, board: str) -> None:
    ms = MILLISECOND[board]
    code = f"""
        TASK(Low) {{ TerminateTask(); }}
        TASK(Tick)
        {{
            static unsigned runs;
            runs++;
            report("tick", runs);
            if (runs == 1u) {{ carillon_work({5 * ms}); }}
            TerminateTask();
        }}
    """
    outcome = lab.run(CELL.format(more="static = true"), code, board, ticks=13 * ms)
    # Due at 2, 6 and 10 ms; the first runs from 2 to 7 ms, so that of 6 ms is lost.
    assert outcome.said("tick") == [1, 2]


@pytest.mark.parametrize("board", BOARDS)
def test_an_alarm_on_a_cell_can_be_read_cancelled_and_set_anew(lab: Laboratory, board: str) -> None:
    ms = MILLISECOND[board]
    code = f"""
        TASK(Low)
        {{
            TickType left;
            report("get", GetAlarm(Cyclic, &left));
            report("left", left);
            report("in use", SetRelAlarm(Cyclic, 1, 1));
            carillon_work({3 * ms});
            report("cancel", CancelAlarm(Cyclic));
            report("cancel", CancelAlarm(Cyclic));
            report("get", GetAlarm(Cyclic, &left));
            carillon_work({6 * ms});
            report("set", SetRelAlarm(Cyclic, 2, 0));
            carillon_work({6 * ms});
            carillon_port_halt();
        }}
        TASK(Tick) {{ report("tick", 1); TerminateTask(); }}
    """.replace('"in use"', '"busy"')
    outcome = lab.run(CELL.format(more=""), code, board, ticks=40 * ms)
    assert outcome.reported == [
        ("get", 0),
        ("left", 2),
        ("busy", 7),
        ("tick", 1),
        ("cancel", 0),
        ("cancel", 5),
        ("get", 5),
        ("set", 0),
        ("tick", 1),
    ]


MIXED = """
[osek]
status = "extended"
[osek.task.Busy]
priority = 1
autostart = true
resources = ["Bus"]
[osek.task.Peer]
priority = 2
activations = 3
[osek.task.Waiter]
priority = 3
events = ["Go"]
autostart = true
resources = ["Bus"]
[osek.event.Go]
[osek.resource.Bus]
[osek.counter.Soft]
kind = "software"
max_allowed = 100
[osek.alarm.Beat]
counter = "Soft"
activate = "Peer"
"""

BUSY = """
TASK(Busy)
{
    SetRelAlarm(Beat, 1, 1);
    for (;;) {
        SuspendAllInterrupts();
        ResumeAllInterrupts();
        DisableAllInterrupts();
        EnableAllInterrupts();
        GetResource(Bus);
        SetEvent(Waiter, Go);
        ActivateTask(Peer);
        ReleaseResource(Bus);
        IncrementCounter(Soft);
    }
}
TASK(Peer) { TerminateTask(); }
TASK(Waiter) { for (;;) { WaitEvent(Go); ClearEvent(Go); } }
"""


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_no_service_of_the_event_triggered_kernel_delays_a_time_triggered_task(lab: Laboratory, dispatch: str) -> None:
    schedule = declared(Task1=0) + points(1009, (300, "Task1")) + MIXED
    schedule = schedule.replace("[osek]", f'[osek]\ndispatch = "{dispatch}"')
    # Rounds of a prime length meet every instruction of the loop sooner or later.
    outcome = lab.run(schedule, works(Task1=20) + BUSY, AST, rounds=3000)
    assert len(outcome.at(Kind.START, "Task1")) == 3000
    assert outcome.delays("Task1") == {0}


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_a_time_triggered_task_that_calls_a_service_is_told_that_it_may_not(lab: Laboratory, dispatch: str) -> None:
    schedule = declared(Task1=0) + points(20_000, (5000, "Task1")) + THREE
    schedule += f'[osek]\nstatus = "extended"\ndispatch = "{dispatch}"\n'
    code = """
        TASK(Low) { carillon_work(6000); report("task", ActivateTask(High)); TerminateTask(); }
        TASK(High) { TerminateTask(); }
    """
    outcome = lab.run(schedule, code + task("Task1", 'report("round", ActivateTask(High));'), AST, rounds=2)
    assert outcome.reported[:3] == [("round", 2), ("task", 0), ("round", 2)]  # E_OS_CALLEVEL


# What waits is found in words of levels: 32 of them on ARM, 8 on AVR, whose words are in words themselves from 64 on.
@pytest.mark.parametrize(("board", "levels"), [(AST, 45), ("atmega2560", 70)])
def test_of_many_levels_that_wait_in_software_the_highest_is_next(lab: Laboratory, board: str, levels: int) -> None:
    schedule = '[osek]\ndispatch = "software"\n[osek.resource.All]\n'
    schedule += "".join(f'[osek.task.T{n}]\npriority = {n}\nresources = ["All"]\n' for n in range(levels))
    schedule = schedule.replace("priority = 0\n", "priority = 0\nautostart = true\n")
    code = "static uint8_t next;\nstatic uint32_t wrong;\nstatic void ran(uint8_t task) { wrong += task != --next; }\n"
    code += "".join(f"TASK(T{n}) {{ ran({n}u); TerminateTask(); }}\n" for n in range(1, levels))
    code += f"""
        TASK(T0)
        {{
            for (uint8_t first = 1u; first < {levels}u; first++) {{
                GetResource(All);
                next = {levels}u;
                for (uint8_t task = first; task < {levels}u; task++) {{ ActivateTask(task); }}
                wrong += next != {levels}u;
                ReleaseResource(All);
                wrong += next != first;
            }}
            report("wrong", wrong);
            carillon_port_halt();
        }}
    """
    assert lab.run(schedule, code, board, ticks=20_000_000).reported == [("wrong", 0)]


EATS = """
static __attribute__((noinline)) uint32_t eat(uint32_t n)
{
    volatile uint32_t some[16] = {n};
    return (n != 0u) ? (eat(n - 1u) + some[0]) : 0u;
}
TASK(Deep)
{
    report("before", carillon_stack_used(Deep));
    (void)eat(3);
    report("after", carillon_stack_used(Deep));
    WaitEvent(Go);
}
void ShutdownHook(StatusType error) { report("shutdown", error); }
"""


def deep(stack: int) -> str:
    """A task that uses much of its stack."""
    return f"""
        [osek]
        hooks = ["shutdown"]
        stack_check = true
        [osek.task.Deep]
        priority = 1
        events = ["Go"]
        stack = {stack}
        autostart = true
        [osek.event.Go]
    """


def test_how_much_of_a_stack_has_been_used_can_be_asked(lab: Laboratory) -> None:
    outcome = lab.run(deep(1024), EATS, AST, ticks=20_000)
    (before,), (after,) = outcome.said("before"), outcome.said("after")
    assert 16 <= before < 150
    assert before + 4 * 64 <= after <= 512
    assert outcome.said("shutdown") == []


def test_a_basic_task_has_used_nothing_of_a_stack_of_its_own(lab: Laboratory) -> None:
    code = 'TASK(Plain) { report("used", carillon_stack_used(Plain)); TerminateTask(); }'
    outcome = lab.run("[osek]\n[osek.task.Plain]\npriority = 1\nautostart = true\n", code, VIRTUAL_AST, ticks=100)
    assert outcome.said("used") == [0]


def test_a_stack_that_is_too_small_stops_the_system(lab: Laboratory) -> None:
    (used,) = lab.run(deep(1024), EATS, AST, ticks=20_000).said("after")
    assert lab.run(deep(used), EATS, AST, ticks=20_000).said("shutdown") == []
    for missing in (8, 24):
        outcome = lab.run(deep(used - missing), EATS, AST, ticks=20_000)
        assert outcome.reported[-1] == ("shutdown", 13)  # E_OS_STACKFAULT


@pytest.mark.parametrize("queue", ["list", "tree"])
def test_alarms_are_further_away_than_the_times_of_the_time_services_are_wide(lab: Laboratory, queue: str) -> None:
    lap = 0xFFFE
    schedule = f"""
[osek.task.Main]
priority = 1
autostart = true
[osek.counter.Clicks]
kind = "software"
max_allowed = 4294967295
[osek.alarm.Far]
counter = "Clicks"
callback = "OnFar"
[osek.alarm.Later]
counter = "Clicks"
callback = "OnLater"
[time]
clock = "periodic"
tick = "1ms"
bits = 16
queue = "{queue}"
"""
    code = f"""
        static void count(uint32_t clicks) {{ while (clicks-- != 0u) {{ (void)IncrementCounter(Clicks); }} }}
        static void left(void) {{ TickType ticks = 0; (void)GetAlarm(Far, &ticks); report("left", ticks); }}
        ALARMCALLBACK(OnFar) {{ report("far", 0); }}
        ALARMCALLBACK(OnLater) {{ report("later", 0); }}
        TASK(Main)
        {{
            (void)SetRelAlarm(Far, 70000u, {2 * lap}u);
            count(20000u);
            left();
            (void)SetAbsAlarm(Later, 70000u, 0u);
            count(49999u);
            left();
            count(1u);
            left();
            count({2 * lap - 1}u);
            left();
            count(1u);
            (void)CancelAlarm(Far);
            (void)SetAbsAlarm(Far, {70000 + 2 * lap}u, 0u);
            count(1u);
            left();
            TerminateTask();
        }}
    """
    said = lab.run(schedule, code, VIRTUAL_AST, ticks=20_000).reported
    expected = [("left", 50_000), ("left", 1), ("far", 0), ("later", 0), ("left", 2 * lap), ("left", 1), ("far", 0)]
    assert said == [*expected, ("left", 0xFFFF_FFFF)]  # a whole turn is what was left before the last click


OVER_EXTENDED = """
[osek]
dispatch = "{dispatch}"
[osek.task.Busy]
priority = 10
autostart = true
resources = ["Shared"]
[osek.task.Timed]
priority = 20
events = ["Go"]
[osek.task.Upper]
priority = 30
autostart = true
resources = ["Shared"]
events = ["Go"]
[osek.resource.Shared]
[osek.event.Go]
[osek.counter.Clock]
tick = "1009 ticks"
[osek.alarm.Cycle]
counter = "Clock"
activate = "Timed"
static = true
autostart = {{ at = 2, cycle = 2 }}
"""

DISPATCHED = """
TASK(Busy)
{
    for (;;) {
        carillon_work(30);
        (void)SetEvent(Upper, Go);
        (void)GetResource(Shared);
        (void)SetEvent(Upper, Go);
        (void)ReleaseResource(Shared);
    }
}
TASK(Timed)
{
    carillon_work(40);
    (void)SetEvent(Upper, Go);
    carillon_work(10);
    TerminateTask();
}
TASK(Upper)
{
    for (;;) {
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
        (void)GetResource(Shared);
        carillon_work(20);
        (void)ReleaseResource(Shared);
    }
}
"""


@pytest.mark.parametrize("board", [AST, MPS])
@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_nothing_that_a_dispatcher_does_delays_a_time_triggered_task(lab: Laboratory, dispatch: str, board: str) -> None:
    """An alarm's task is dispatched at another instruction of each round."""
    schedule = declared(Time=40) + points(997, (500, "Time"), window="wcet") + OVER_EXTENDED.format(dispatch=dispatch)
    outcome = lab.run(schedule, works(Time=20) + DISPATCHED, board, rounds=1000)
    assert len(outcome.at(Kind.START, "Time")) == 1000
    assert outcome.delays("Time") == {0} if board == AST else len(outcome.delays("Time")) == 1


SLICED = """
[osek]
dispatch = "{dispatch}"
[thread.One]
priority = 1
[thread.Other]
priority = 1
[time]
clock = "periodic"
tick = "5003 ticks"
slice = "1009 ticks"
"""


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_no_slice_delays_a_time_triggered_task(lab: Laboratory, dispatch: str) -> None:
    schedule = declared(Time=40) + points(997, (500, "Time"), window="wcet") + SLICED.format(dispatch=dispatch)
    code = '#include "carillon/time.h"\n' + works(Time=20)
    code += "".join(f"THREAD({name}) {{ for (;;) {{ carillon_work(50); }} }}\n" for name in ("One", "Other"))
    outcome = lab.run(schedule, code, AST, rounds=1010)
    assert len(outcome.at(Kind.RESUME, "One")) > 100
    assert outcome.delays("Time") == {0}


def test_beneath_a_round_with_a_lowered_task_a_dispatcher_delays_by_three_instructions_at_most(lab: Laboratory) -> None:
    schedule = """
        [task.Fast]
        period = "997 ticks"
        [task.Slow]
        period = "1994 ticks"
        offset = "500 ticks"
        [mode.normal]
        round = "31904 ticks"
    """
    schedule += OVER_EXTENDED.format(dispatch="software")
    outcome = lab.run(schedule, works(Fast=20, Slow=20) + DISPATCHED, AST, rounds=100)
    lowered = {c.demand.object: c.lowered for c in outcome.planned.allocation.modes[0].carriers}
    (plain,) = (name for name in lowered if not lowered[name])
    assert max(outcome.delays(plain)) <= 3
