# SPDX-License-Identifier: Apache-2.0
"""Threads that suspend themselves and are resumed, that wait for the end of others, or for events with a time-out."""

from __future__ import annotations

import pytest
from laboratory import Laboratory

HEADERS = '#include "carillon/time.h"\n#include "os.h"\n#define T(us) CARILLON_MICROSECONDS(us)\n'
BOARDS = ["virtual-ast1030-evb", "ast1030-evb", "microbit", "qemu-rv32-virt", "atmega2560"]


def schedule(board: str, threads: str, osek: str = "") -> str:
    clock = "compare" if board == "qemu-rv32-virt" else "one-shot"
    return f'{osek}[time]\nclock = "{clock}"\n{threads}'


@pytest.mark.parametrize("board", BOARDS)
def test_a_thread_goes_on_when_it_is_resumed_and_not_before(lab: Laboratory, board: str) -> None:
    code = (
        HEADERS
        + """
    static volatile uint8_t ticks;
    static struct carillon_alarm alarm = CARILLON_ALARM_OF_TASK(Worker);
    THREAD(Worker)
    {
        for (uint8_t k = 0u; k < 3u; k++) {
            report("work", k);
            (void)carillon_suspend();
        }
        report("ends", 0u);
    }
    THREAD(Main)
    {
        TaskStateType state = RUNNING;
        (void)GetTaskState(Worker, &state);
        report("waits", state == WAITING);
        report("resume", carillon_resume(Worker));
        report("resume", carillon_resume(Worker));
        (void)carillon_alarm_start(&alarm, T(500), 1u);
        report("join", carillon_join(Worker));
        report("join", carillon_join(Worker));
        (void)GetTaskState(Worker, &state);
        report("ended", state == SUSPENDED);
        report("begin", carillon_resume(Worker));
        report("late", carillon_join_within(Worker, T(500)));
        report("now", carillon_join_within(Worker, 0u));
        carillon_port_halt();
    }
    """
    )
    outcome = lab.run(schedule(board, "[thread.Worker]\npriority = 2\n[thread.Main]\npriority = 1\n"), code, board, ticks=400_000)
    wanted = [("work", 0), ("waits", 1), ("work", 1), ("resume", 0), ("work", 2), ("resume", 0), ("ends", 0), ("join", 0)]
    wanted += [("join", 0), ("ended", 1), ("work", 0), ("begin", 0), ("late", 5), ("now", 5)]
    assert outcome.reported == wanted


@pytest.mark.parametrize("board", ["virtual-ast1030-evb", "ast1030-evb", "atmega2560"])
def test_who_is_resumed_in_vain_hears_of_it_and_every_error_has_its_code(lab: Laboratory, board: str) -> None:
    code = (
        HEADERS
        + """
    void ErrorHook(StatusType status) { report("hook", 100u * OSErrorGetServiceId() + status); }
    TASK(Basic)
    {
        report("suspend", carillon_suspend());
        report("join", carillon_join(Main));
        TerminateTask();
    }
    THREAD(High)
    {
        report("late", carillon_suspend_within(T(20000)));
        report("long", carillon_suspend_within((carillon_duration)-1));
        report("zero", carillon_suspend_within(0u));
        report("in-time", carillon_suspend_within(T(90000)));
    }
    THREAD(Main)
    {
        report("main", carillon_resume(Main));
        (void)carillon_delay(T(40000));
        report("resume", carillon_resume(High));
        report("self", carillon_join(Main));
        report("basic", carillon_join(Basic));
        report("none", carillon_join(77u));
        report("long", carillon_join_within(High, (carillon_duration)-1));
        (void)ActivateTask(Basic);
        GetResource(RES_SCHEDULER);
        report("resource", carillon_suspend());
        report("resource", carillon_join(High));
        ReleaseResource(RES_SCHEDULER);
        carillon_port_halt();
    }
    """
    )
    osek = '[osek]\nstatus = "extended"\nhooks = ["error"]\nget_service_id = true\n[osek.task.Basic]\npriority = 5\n'
    threads = "[thread.High]\npriority = 2\n[thread.Main]\npriority = 1\n"
    outcome = lab.run(schedule(board, threads, osek), code, board, ticks=2_000_000)
    activate, suspend, join = 100, 4700, 4800
    wanted: list[tuple[str, int]] = []

    def failed(name: str, service: int, status: int) -> None:
        wanted.extend([("hook", service + status), (name, status)])

    failed("main", activate, 4)
    failed("late", suspend, 5)
    failed("long", suspend, 8)
    failed("zero", suspend, 8)
    wanted += [("in-time", 0), ("resume", 0)]
    failed("self", join, 1)
    failed("basic", join, 1)
    failed("none", join, 3)
    failed("long", join, 8)
    failed("suspend", suspend, 2)
    failed("join", join, 2)
    failed("resource", suspend, 6)
    failed("resource", join, 6)
    assert outcome.reported == wanted


@pytest.mark.parametrize("board", BOARDS)
def test_an_event_comes_in_time_or_not_at_all(lab: Laboratory, board: str) -> None:
    """Each way in which an event and its time-out can meet, also in the same tick, where the event may be first or last."""
    code = (
        HEADERS
        + """
    static struct carillon_alarm early = CARILLON_ALARM_OF_EVENT(Waiter, Go);
    static struct carillon_alarm other = CARILLON_ALARM_OF_EVENT(Waiter, Stop);
    static EventMaskType events(void)
    {
        EventMaskType set = 0u;
        (void)GetEvent(Waiter, &set);
        (void)ClearEvent(Go | Stop);
        return (EventMaskType)(((set & Go) != 0u ? 1u : 0u) + ((set & Stop) != 0u ? 2u : 0u));
    }
    TASK(Waiter)
    {
        report("now", carillon_wait_event_within(Go, 0u));
        report("late", carillon_wait_event_within(Go, T(400)));
        (void)carillon_alarm_start(&other, T(200), 1u);
        report("other", carillon_wait_event_within(Go, T(400)));
        report("events", events());
        (void)carillon_alarm_start(&early, T(300), 1u);
        report("in-time", carillon_wait_event_within(Go | Stop, T(600)));
        report("events", events());
        (void)carillon_delay(T(600));
        report("set", SetEvent(Waiter, Stop));
        report("at-once", carillon_wait_event_within(Go | Stop, T(600)));
        report("events", events());
        for (uint8_t k = 0u; k < 40u; k++) { /* both are due in the same tick, or about */
            (void)carillon_alarm_start(&early, T(4000), 1u);
            const StatusType status = carillon_wait_event_within(Go, T(4000 + (40 * (int)k) - 800));
            (void)carillon_delay(T(3000));
            if ((events() != 1u) || ((status != E_OK) && (status != E_OS_NOFUNC)) ||
                ((status == E_OK) && (k < 10u)) || ((status != E_OK) && (k > 30u))) {
                report("race", k * 16u + status);
            }
        }
        report("done", 0u);
        carillon_port_halt();
    }
    """
    )
    osek = '[osek.task.Waiter]\npriority = 1\nautostart = true\nevents = ["Go", "Stop"]\n[osek.event.Go]\n[osek.event.Stop]\n'
    outcome = lab.run(schedule(board, "", osek), code, board, ticks=6_000_000)
    wanted = [("now", 5), ("late", 5), ("other", 5), ("events", 2), ("in-time", 0), ("events", 1), ("set", 0), ("at-once", 0)]
    assert outcome.reported == [*wanted, ("events", 2), ("done", 0)]
