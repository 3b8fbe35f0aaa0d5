# SPDX-License-Identifier: Apache-2.0
"""The services of OSEKtime as firmware sees them: time, hooks, shutdown, the idle task."""

from __future__ import annotations

import pytest
from laboratory import AST, MPS, TC, VIRTUAL_AST, Laboratory, declared, points, task, works

from carillon.trace import Kind

ALL = [AST, MPS, VIRTUAL_AST]
KERNELS = ("carillon", "conventional")
SAMPLE = """
static volatile uint32_t at[64], status[64];
static volatile unsigned samples;

__attribute__((noinline)) static void sample(void)
{
    ttTickType now = 123456u;
    status[samples] = ttGetScheduleTime(&now);
    at[samples] = now;
    samples++;
}

void ttShutdownHook(ttStatusType error)
{
    (void)error;
    for (unsigned k = 0; k < samples; k++) {
        report("status", status[k]);
        report("at", at[k]);
    }
}
"""


@pytest.mark.parametrize("board", [*ALL, TC])
def test_the_schedule_time_is_the_tick_within_the_round(lab: Laboratory, board: str) -> None:
    # Task1 asks at tick 700 of the round and every 400 ticks from then on, twice; its deadline's cell counts rounds.
    schedule = declared(Task1=0) + points(3000, (700, "Task1", 2990))
    samples = "for (unsigned k = 0; k < 5u; k++) {\n sample();\n carillon_work(400u);\n}\n"
    code = SAMPLE + "static unsigned jobs;\n" + task("Task1", samples + "if (++jobs == 2u) {\n ttShutdownOS(0u);\n}")
    outcome = lab.run(schedule, code, board, rounds=5)
    assert outcome.said("status") == [0] * 10
    overhead = 0 if outcome.trace.instructions_per_tick == 0 else 40
    for k, at in enumerate(outcome.said("at")):
        wanted = 700 + 400 * (k % 5)
        assert 0 <= at - wanted <= overhead * (k % 5 + 1), k


@pytest.mark.parametrize("board", ALL)
def test_the_schedule_time_begins_again_at_0_with_the_round(lab: Laboratory, board: str) -> None:
    # Idle asks all the time; the task's activation, at tick 0, ends what it has collected.
    idle = """
static uint32_t least = 0xFFFFFFFFu, most;
void ttIdleTask(void)
{
    carillon_work(4000u);
    for (;;) {
        ttTickType now;
        (void)ttGetScheduleTime(&now);
        least = now < least ? now : least;
        most = now > most ? now : most;
        carillon_work(1u);
    }
}
void ttShutdownHook(ttStatusType error)
{
    (void)error;
    report("least", least);
    report("most", most);
}
static unsigned jobs;
"""
    schedule = declared(Task1=0) + points(1777, (888, "Task1", 1500))
    outcome = lab.run(schedule, idle + task("Task1", "if (++jobs == 20u) {\n ttShutdownOS(0u);\n}"), board, rounds=30)
    assert 0 <= outcome.said("least")[0] <= 60
    assert 1777 - 60 <= outcome.said("most")[0] <= 1776


def test_the_schedule_time_is_refused_where_no_cell_counts_whole_rounds(lab: Laboratory) -> None:
    # The only cell fires twice a round.
    schedule = declared(Task1=0) + points(3000, (700, "Task1"), (2200, "Task1"))
    code = SAMPLE + task("Task1", "sample();\nttShutdownOS(0u);")
    for board in ALL:
        outcome = lab.run(schedule, code, board)
        assert outcome.planned.image.modes[0].time_base is None
        assert outcome.said("status") == [3]  # TT_E_OS_ID
        assert outcome.said("at") == [123456]


@pytest.mark.parametrize("board", ALL)
def test_the_schedule_time_agrees_with_the_trace_tick_by_tick(lab: Laboratory, board: str) -> None:
    # Twenty tasks' worth of phases: the job k works k ticks longer before it asks.
    schedule = declared(Task1=0) + points(2000, (100, "Task1", 1500))
    mark = "__attribute__((noinline)) void Mark(void)\n{\n sample();\n}\n"
    code = SAMPLE + "static unsigned jobs;\nvoid Mark(void);\n" + mark
    code += task("Task1", "carillon_work(100u + jobs);\nMark();\nif (++jobs == 20u) {\n ttShutdownOS(0u);\n}")
    outcome = lab.run(schedule, code, board, rounds=25)
    differences = {at - 200 - k for k, at in enumerate(outcome.said("at"))}
    assert len(outcome.said("at")) == 20
    # The same instructions every time, so the same difference; within a tick of it where a tick is several instructions.
    assert max(differences) - min(differences) <= (1 if board == MPS else 0)
    assert differences <= set(range(60))


def test_the_schedule_time_that_every_task_sees_is_the_tick_on_which_the_trace_has_it_start(lab: Laboratory) -> None:
    # Each task asks with its first instructions: the same number of them after every start.
    ats = {"A": 40, "B": 777, "C": 1234, "D": 2999}
    names = tuple(ats)
    schedule = declared(**dict.fromkeys(names, 0)) + points(3000, *((at, name) for name, at in ats.items()))
    last = task("D", "sample();\nif (samples >= 40u) {\n ttShutdownOS(0u);\n}")
    for board, differences in ((AST, 1), (VIRTUAL_AST, 1), (TC, 1), (MPS, 2)):
        outcome = lab.run(schedule, SAMPLE + "".join(task(n, "sample();") for n in names[:3]) + last, board, rounds=12)
        starts = [e.n for e in outcome.events(Kind.START)][: len(outcome.said("at"))]
        told = outcome.said("at")
        assert len(told) == 40
        late = {(at - n // outcome.per_tick) % 3000 for at, n in zip(told, starts, strict=True)}
        assert max(late) <= 30
        # D does more than the others, and mps2 has several instructions a tick.
        assert len(late) <= differences + 1


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("board", ALL)
def test_the_startup_hook_runs_once_before_the_first_activation(lab: Laboratory, board: str, kernel: str) -> None:
    code = 'static unsigned jobs;\nvoid ttStartupHook(void)\n{\n report("startup", 1u);\n}\n'
    code += task("Task1", 'report("job", ++jobs);')
    outcome = lab.run(declared(Task1=0) + points(9000, (0, "Task1")), code, board, kernel=kernel, rounds=3)
    assert outcome.reported == [("startup", 1), ("job", 1), ("job", 2), ("job", 3)]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("board", ALL)
def test_shutting_down_from_a_task_calls_the_hook_with_the_error_and_stops_everything(
    lab: Laboratory, board: str, kernel: str
) -> None:
    hook = "void ttShutdownHook(ttStatusType error)\n{\n carillon_port_unlock(0u);\n carillon_work(20000u);\n"
    hook += ' report("shutdown", error);\n}\n'
    code = hook + "static unsigned jobs;\n" + task("Task1", "if (++jobs == 3u) {\n ttShutdownOS(77u);\n}") + works(Task2=20)
    schedule = declared(Task1=0, Task2=0) + points(2000, (100, "Task1", 600), (1000, "Task2", 1500))
    outcome = lab.run(schedule, code, board, kernel=kernel, rounds=40)
    assert outcome.said("shutdown") == [77]
    assert outcome.trace.length >= 4100 + 20000
    assert max(e.t for e in outcome.events(Kind.ENTER)) <= 4110
    assert len(outcome.events(Kind.START)) == 5


@pytest.mark.parametrize("board", ALL)
def test_after_a_shutdown_from_idle_no_cell_starts_a_task(lab: Laboratory, board: str) -> None:
    # Nothing is active, and the hook allows interrupts again: a cell that still ran would start its task.
    code = "void ttShutdownHook(ttStatusType error)\n{\n carillon_port_unlock(0u);\n carillon_work(20000u);\n"
    code += ' report("shutdown", error);\n}\nvoid ttIdleTask(void)\n{\n carillon_work(3000u);\n ttShutdownOS(5u);\n}\n'
    outcome = lab.run(declared(Task1=0) + points(1000, (500, "Task1", 800)), code + works(Task1=20), board, rounds=40)
    assert outcome.said("shutdown") == [5]
    assert outcome.trace.length > 22000
    assert 2 <= len(outcome.events(Kind.START)) <= 3


@pytest.mark.parametrize("board", ALL)
def test_an_idle_task_that_returns_shuts_the_system_down_without_an_error(lab: Laboratory, board: str) -> None:
    code = 'void ttShutdownHook(ttStatusType error)\n{\n report("shutdown", error);\n}\n'
    code += "void ttIdleTask(void)\n{\n carillon_work(3000u);\n}\n" + works(Task1=20)
    outcome = lab.run(declared(Task1=0) + points(1000, (500, "Task1")), code, board, rounds=20)
    assert outcome.said("shutdown") == [0]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("board", ALL)
def test_the_applications_idle_task_runs_whenever_no_task_does(lab: Laboratory, board: str, kernel: str) -> None:
    say = 'report("turns", turns);'
    code = "static volatile uint32_t turns;\n" + task("Task1", f"{say}\ncarillon_work(500u);\n{say}")
    code += "void ttIdleTask(void)\n{\n for (;;) {\n  turns++;\n  carillon_work(100u);\n }\n}\n"
    outcome = lab.run(declared(Task1=0) + points(20000, (10000, "Task1")), code, board, kernel=kernel, rounds=3)
    turns = outcome.said("turns")
    assert turns[0] == turns[1] < turns[2] == turns[3] < turns[4]
    assert turns[0] in range(80, 106)


def test_main_may_be_the_applications_own_and_starts_the_mode_that_it_asks_for(lab: Laboratory) -> None:
    schedule = declared(One=20, Two=20) + points(4000, (200, "One"), mode="first", window="wcet")
    schedule += points(4000, (300, "Two"), mode="second", window="wcet")
    code = works(One=10, Two=10) + "int main(void);\nint main(void)\n{\n ttStartOS(ttAppMode_second);\n}\n"
    for board in ALL:
        outcome = lab.run(schedule, code, board, rounds=3)
        assert outcome.story(Kind.START) == ["start Two"] * 3
        assert outcome.trace.modes == ((0, "second"),)


def test_no_osek_os_runs_below(lab: Laboratory) -> None:
    outcome = lab.run(declared(Task1=0) + points(9000, (0, "Task1")), task("Task1", 'report("osek", ttGetOSEKOSState());'), AST)
    assert outcome.said("osek") == [1]  # ttOSEKOSDOWN


@pytest.mark.parametrize("board", [AST, VIRTUAL_AST])
def test_the_osek_os_below_is_up_from_its_startup_hook_to_its_shutdown(lab: Laboratory, board: str) -> None:
    schedule = declared(Task1=0) + points(20_000, (5000, "Task1"))
    schedule += '[osek]\nhooks = ["startup", "shutdown"]\n[osek.task.Low]\npriority = 1\nautostart = true\n'
    code = """
        void StartupHook(void) { report("startup", ttGetOSEKOSState()); }
        void ShutdownHook(StatusType error) { report("shutdown", ttGetOSEKOSState() + error); }
        TASK(Low) { report("task", ttGetOSEKOSState()); carillon_work(8000u); ShutdownOS(E_OK); }
    """
    outcome = lab.run(schedule, code + task("Task1", 'report("round", ttGetOSEKOSState());'), board, rounds=3)
    up, down = 0, 1
    told = [("startup", down), ("task", up), ("round", up), ("shutdown", down), ("round", down), ("round", down)]
    assert outcome.reported[: len(told)] == told
