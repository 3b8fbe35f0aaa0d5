# SPDX-License-Identifier: Apache-2.0
"""Mutexes: what a thread waits for at most, their errors, and what is said of their names (tests/threads has the rest)."""

from __future__ import annotations

import re
import shutil
from contextlib import suppress

import pytest
from laboratory import Laboratory, source

from carillon.diagnostics import CarillonError, Diagnostics
from carillon.image.switches import switches
from carillon.pipeline import plan

HEADERS = """
#include "carillon/time.h"
#include "carillon/work.h"
#include "os.h"
#define T(us) CARILLON_MICROSECONDS(us)
#define WORK(us) carillon_work((uint32_t)((uint64_t)CARILLON_CLOCK_HZ * (us) / 1000000u))
"""
THREE = """
[thread.High]
priority = 3
mutexes = ["Bus"]
[thread.Mid]
priority = 2
[thread.Low]
priority = 1
mutexes = ["Bus"]
"""
BOARDS = ["virtual-ast1030-evb", "ast1030-evb", "mps2-an385", "microbit", "raspberry-pi-pico", "qemu-rv32-virt", "atmega2560"]


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("dispatch", ["hardware", "software"])
@pytest.mark.parametrize("board", BOARDS)
def test_a_thread_waits_for_the_holder_alone(lab: Laboratory, board: str, dispatch: str, waits: bool) -> None:
    """High wants what Low has for 4 ms, some of which Low may wait; Mid, which shares nothing, works for 20 ms."""
    if board == "raspberry-pi-pico" and not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("needs node and npm")
    if dispatch == "software" and board in ("qemu-rv32-virt", "atmega2560"):
        pytest.skip("there is no other dispatch")
    code = (
        HEADERS
        + f"#define WAITS {int(waits)}\n"
        + """
    THREAD(Low)
    {
        (void)carillon_mutex_lock(Bus);
        WORK(2000);
        if (WAITS) { (void)carillon_delay(T(1000)); } else { WORK(1000); }
        WORK(1000);
        (void)carillon_mutex_unlock(Bus);
        report("low", 1);
    }
    THREAD(Mid)
    {
        (void)carillon_delay(T(1500));
        WORK(20000);
        report("mid", 1);
    }
    THREAD(High)
    {
        (void)carillon_delay(T(1000));
        const carillon_time begin = carillon_now();
        (void)carillon_mutex_lock(Bus);
        const carillon_time end = carillon_now();
        const uint64_t waited = (uint64_t)(carillon_time)(end - begin) * CARILLON_TIME_HZ_DIVISOR * 1000000u;
        report("waited", (uint32_t)(waited / CARILLON_TIME_HZ));
        (void)carillon_mutex_unlock(Bus);
        report("high", 1);
    }
    """
    )
    clock = "compare" if board == "qemu-rv32-virt" else "one-shot"
    schedule = f'[osek]\ndispatch = "{dispatch}"\n[time]\nclock = "{clock}"\nlongest = "50ms"\n{THREE}'
    hz = plan(lab.write(schedule, code), Diagnostics(), board).system.clock_hz
    outcome = lab.run(schedule, code, board, ticks=hz // 25)
    # High is ready at 1 ms and finds Low at the ceiling, so that High begins to ask at the end, or as soon as Low waits.
    assert outcome.said("waited")[0] <= 2200
    assert [name for name, _ in outcome.reported] == ["waited", "high", "mid", "low"]


@pytest.mark.parametrize("board", ["virtual-ast1030-evb", "ast1030-evb", "atmega2560"])
def test_every_error_has_its_code(lab: Laboratory, board: str) -> None:
    code = HEADERS + source(__file__, "errors.c")
    schedule = '[osek]\nstatus = "extended"\nhooks = ["error"]\nget_service_id = true\n[osek.task.Basic]\npriority = 5\n'
    schedule += '[osek.isr.Button]\nsource = "soft0"\npriority = 1\ncategory = 2\n[time]\nclock = "one-shot"\n'
    schedule += '[thread.Main]\npriority = 1\nmutexes = ["Bus"]\n'
    schedule += '[thread.Other]\npriority = 1\nautostart = false\nmutexes = ["Low"]\n'
    schedule += '[thread.Above]\npriority = 2\nautostart = false\nmutexes = ["Bus"]\n'
    outcome = lab.run(schedule, code, board, ticks=400_000)
    lock, unlock = 4500, 4600
    wanted: list[tuple[str, int]] = []

    def failed(name: str, service: int, status: int) -> None:
        wanted.extend([("hook", service + status), (name, status)])

    for _ in range(2):  # a basic task, an ISR
        failed("lock", lock, 2)
        failed("within", lock, 2)
        failed("unlock", unlock, 2)
    wanted.append(("fine", 0))
    failed("twice", lock, 7)
    failed("twice", lock, 7)
    # Above does not run until Main, which is at the ceiling, waits.
    failed("ceiling", lock, 1)
    failed("none", unlock, 3)
    failed("late", lock, 5)
    failed("now", lock, 5)
    failed("long", lock, 8)
    failed("foreign", unlock, 5)
    failed("resource", lock, 6)
    failed("resource", unlock, 6)
    failed("disabled", unlock, 12)
    wanted += [("in-time", 0), ("fine", 0)]
    failed("free", unlock, 5)
    wanted.append(("ended", 0))
    assert outcome.reported == wanted


@pytest.mark.parametrize("board", ["virtual-ast1030-evb", "ast1030-evb", "atmega2560"])
def test_threads_take_resources_as_tasks_do(lab: Laboratory, board: str) -> None:
    code = (
        HEADERS
        + """
    THREAD(Low)
    {
        GetResource(Shared);
        (void)ActivateTask(High);
        report("low", 1);
        ReleaseResource(Shared);
        report("low", 2);
        carillon_port_halt();
    }
    THREAD(High)
    {
        GetResource(Shared);
        report("high", 1);
        ReleaseResource(Shared);
    }
    """
    )
    threads = "".join(f'[thread.{n}]\npriority = {p}\nautostart = {a}\nresources = ["Shared"]\n' for n, p, a in (
        ("Low", 1, "true"), ("High", 2, "false")))  # fmt: skip
    outcome = lab.run('[osek.resource.Shared]\n[time]\nclock = "one-shot"\n' + threads, code, board, ticks=100_000)
    assert outcome.reported == [("low", 1), ("high", 1), ("low", 2)]


def test_a_mutex_of_one_thread_is_told_and_its_name_is_an_objects(lab: Laboratory) -> None:
    def found(text: str) -> list[str]:
        diagnostics = Diagnostics()
        path = lab.write('[time]\nclock = "one-shot"\n' + text, "")
        with suppress(CarillonError):
            plan(path, diagnostics, "virtual-ast1030-evb")
        return [re.sub(r"^.*?: ", "", str(d).splitlines()[0]) for d in diagnostics.reported]

    one = '[thread.A]\npriority = 1\nmutexes = ["Bus"]\n[thread.B]\npriority = 2\n'
    assert found(one) == ["warning C104: mutex 'Bus' is locked by thread 'A' alone"]
    assert found(one + 'mutexes = ["Bus", "Bus"]\n') == ["error C049: mutex 'Bus' is listed twice by thread 'B'"]
    assert found(one + 'mutexes = ["Bus", "A"]\n')[0].startswith("error C102: 'A' is a mutex and a thread")
    assert found(one + 'mutexes = ["Bus", "int"]\n')[0].startswith("error C026: the mutex name 'int'")
    assert found(one + 'resources = ["R"]\n')[0].startswith("error C100: thread 'B' names the unknown resource 'R'")


@pytest.mark.parametrize("priority", [1, 2])
@pytest.mark.parametrize("status", ["standard", "extended"])
@pytest.mark.parametrize("board", ["virtual-ast1030-evb", "ast1030-evb", "atmega2560"])
def test_a_resource_keeps_out_a_thread_that_goes_on_at_a_ceiling(lab: Laboratory, board: str, status: str, priority: int) -> None:
    """Holder wakes at the ceiling of its mutex while Taker, below that, has the resource that they share."""
    code = (
        HEADERS
        + """
    static volatile uint32_t inside;
    THREAD(Holder)
    {
        (void)carillon_mutex_lock(Bus);
        (void)carillon_delay(T(1000));
        report("taken", GetResource(Shared));
        report("inside", inside);
        (void)ReleaseResource(Shared);
        (void)carillon_mutex_unlock(Bus);
    }
    THREAD(Taker)
    {
        (void)carillon_delay(T(500));
        (void)GetResource(Shared);
        inside = 1u;
        WORK(2000);
        inside = 0u;
        (void)ReleaseResource(Shared);
        report("released", 1);
    }
    THREAD(High)
    {
        (void)carillon_mutex_lock(Bus);
        (void)carillon_mutex_unlock(Bus);
    }
    """
    )
    schedule = f'[osek]\nstatus = "{status}"\n[osek.resource.Shared]\n[time]\nclock = "one-shot"\nlongest = "50ms"\n'
    for name, own, mutexes in (("Holder", 1, '["Bus"]'), ("Taker", priority, "[]"), ("High", 3, '["Bus"]')):
        resources = "[]" if name == "High" else '["Shared"]'
        schedule += f"[thread.{name}]\npriority = {own}\nmutexes = {mutexes}\nresources = {resources}\n"
    hz = plan(lab.write(schedule, code), Diagnostics(), board).system.clock_hz
    outcome = lab.run(schedule, code, board, ticks=hz // 100)
    assert outcome.reported == [("taken", 0), ("inside", 0), ("released", 1)]


@pytest.mark.parametrize("board", ["virtual-ast1030-evb", "ast1030-evb"])
def test_a_task_that_has_begun_is_not_activated_by_whoever_wakes_above_it(lab: Laboratory, board: str) -> None:
    """A direct task, whose vector is its function, is preempted by a thread of a lower priority, which has a mutex."""
    code = (
        HEADERS
        + """
    THREAD(Low)
    {
        (void)carillon_mutex_lock(Bus);
        (void)carillon_delay(T(1000));
        report("status", ActivateTask(Direct));
        (void)carillon_mutex_unlock(Bus);
        report("low", 1);
    }
    TASK(Direct)
    {
        report("begins", 1);
        WORK(2000);
        report("ends", 1);
        TerminateTask();
    }
    THREAD(High)
    {
        (void)carillon_delay(T(500));
        (void)ActivateTask(Direct);
        (void)carillon_mutex_lock_within(Bus, 0u);
    }
    """
    )
    schedule = '[osek.task.Direct]\npriority = 2\n[time]\nclock = "one-shot"\nlongest = "50ms"\n'
    schedule += "".join(f'[thread.{name}]\npriority = {p}\nmutexes = ["Bus"]\n' for name, p in (("Low", 1), ("High", 3)))
    hz = plan(lab.write(schedule, code), Diagnostics(), board).system.clock_hz
    outcome = lab.run(schedule, code, board, ticks=hz // 100)
    assert outcome.reported == [("begins", 1), ("status", 4), ("ends", 1), ("low", 1)]


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
@pytest.mark.parametrize("board", ["virtual-ast1030-evb", "ast1030-evb"])
def test_schedule_does_not_let_in_what_a_mutex_keeps_out(lab: Laboratory, board: str, dispatch: str) -> None:
    code = (
        HEADERS
        + """
    THREAD(Low)
    {
        (void)carillon_mutex_lock(Bus);
        (void)ActivateTask(Mid);
        (void)Schedule();
        report("low", 1);
        (void)carillon_mutex_unlock(Bus);
        report("low", 2);
        (void)ActivateTask(Mid);
        (void)Schedule();
        report("low", 3);
    }
    THREAD(Mid)
    {
        report("mid", (uint32_t)carillon_mutex_lock_within(Bus, 0u));
    }
    TASK(Group) { TerminateTask(); }
    """
    )
    schedule = f'[osek]\ndispatch = "{dispatch}"\n[osek.resource.Inner]\nproperty = "internal"\n'
    schedule += '[osek.task.Group]\npriority = 3\nresources = ["Inner"]\n[time]\nclock = "one-shot"\n'
    schedule += '[thread.Low]\npriority = 1\nmutexes = ["Bus"]\nresources = ["Inner"]\n'
    schedule += '[thread.Mid]\npriority = 2\nautostart = false\nmutexes = ["Bus"]\n'
    outcome = lab.run(schedule, code, board, ticks=100_000)
    assert outcome.reported == [("low", 1), ("low", 2), ("mid", 0), ("low", 3)]


def test_an_event_wakes_a_thread_at_its_ceiling(lab: Laboratory) -> None:
    code = (
        HEADERS
        + """
    THREAD(Low)
    {
        (void)carillon_mutex_lock(Bus);
        (void)WaitEvent(1u);
        report("low", carillon_delay(T(100)));
        (void)carillon_mutex_unlock(Bus);
    }
    THREAD(Mid)
    {
        (void)carillon_delay(T(500));
        WORK(2000);
        report("mid", 1);
    }
    THREAD(High)
    {
        (void)carillon_delay(T(1000));
        (void)SetEvent(Low, 1u);
        (void)carillon_mutex_lock(Bus);
        report("high", 1);
    }
    """
    )
    schedule = '[time]\nclock = "one-shot"\nlongest = "50ms"\n' + THREE
    outcome = lab.run(schedule, code, "virtual-ast1030-evb", ticks=156_250)
    assert outcome.reported == [("low", 0), ("high", 1), ("mid", 1)]


def test_a_handler_of_armv6m_asks_for_the_mask_of_a_mutex(lab: Laboratory) -> None:
    """It need not, where nothing is masked when it begins (CARILLON_OSEK_BEGINS_MASKED)."""

    def asks(mutexes: str) -> bool:
        text = f'[time]\nclock = "one-shot"\n[thread.Top]\npriority = 3\n[thread.Mid]\npriority = 2\n{mutexes}'
        path = lab.write(f"{text}[thread.Low]\npriority = 1\n{mutexes}", "")
        files = switches(plan(path, Diagnostics(), "ast1030-evb").image)
        return any(values.get("CARILLON_OSEK_BEGINS_MASKED") for values in files.values())

    assert asks('mutexes = ["Bus"]\n')
    assert not asks("")


def test_a_thread_that_ended_above_its_level_begins_at_its_own_and_a_failed_lock_masks_nothing(lab: Laboratory) -> None:
    code = (
        HEADERS
        + """
    THREAD(Low)
    {
        static uint32_t runs;
        runs++;
        if (runs == 1u) {
            (void)carillon_mutex_lock(Bus);
            (void)carillon_delay(T(100)); /* it goes on at the ceiling, and ends there */
            return;
        }
        report("delay", carillon_delay(T(100)));
        (void)ActivateTask(High);
        report("locked", carillon_mutex_lock_within(Bus, 0u));
        (void)ActivateTask(Mid);
        report("low", 1);
    }
    THREAD(Mid) { report("mid", 1); }
    THREAD(High)
    {
        (void)carillon_mutex_lock(Bus);
        (void)carillon_delay(T(1000));
    }
    THREAD(Main)
    {
        (void)ActivateTask(Low);
        (void)carillon_delay(T(500));
        (void)ActivateTask(Low);
    }
    """
    )
    schedule = '[time]\nclock = "one-shot"\n[thread.Main]\npriority = 9\n' + THREE.replace("]\npri", "]\nautostart = false\npri")
    outcome = lab.run(schedule, code, "virtual-ast1030-evb", ticks=156_250)
    assert outcome.reported == [("delay", 0), ("locked", 5), ("mid", 1), ("low", 1)]


def test_a_thread_that_has_unlocked_is_ready_and_runs_after_who_is_above_it(lab: Laboratory) -> None:
    """Own unlocks at the ceiling of Outer, while First and Second, which have mutexes of Own's level, are ready there."""
    code = (
        HEADERS
        + """
    static void have(carillon_mutex mutex)
    {
        (void)carillon_mutex_lock(mutex);
        (void)carillon_delay(T(1000));
    }
    THREAD(First)
    {
        have(One);
        TaskStateType state;
        (void)GetTaskState(Own, &state);
        report("first", state);
        (void)carillon_mutex_unlock(One);
    }
    THREAD(Second)
    {
        have(Two);
        report("second", 1);
        (void)carillon_mutex_unlock(Two);
    }
    THREAD(Own)
    {
        have(Outer);
        WORK(1000);
        (void)carillon_mutex_unlock(Outer);
        report("own", 1);
    }
    THREAD(Top) {}
    """
    )
    schedule = '[time]\nclock = "one-shot"\n[thread.First]\npriority = 2\nmutexes = ["One"]\n'
    schedule += '[thread.Second]\npriority = 1\nmutexes = ["Two"]\n'
    schedule += '[thread.Own]\npriority = 3\nmutexes = ["One", "Two", "Outer"]\n[thread.Top]\npriority = 4\nmutexes = ["Outer"]\n'
    outcome = lab.run(schedule, code, "virtual-ast1030-evb", ticks=156_250)
    assert outcome.reported == [("first", 2), ("second", 1), ("own", 1)]


@pytest.mark.parametrize("board", ["virtual-ast1030-evb", "ast1030-evb"])
def test_who_has_what_a_holder_waits_for_runs_at_the_holders_ceiling(lab: Laboratory, board: str) -> None:
    """B has Log, and A, which has Bus, waits for Log: Mid is above both, and keeps neither from High."""
    code = (
        HEADERS
        + """
    THREAD(B)
    {
        (void)carillon_mutex_lock(Log);
        (void)carillon_delay(T(1500));
        WORK(1000);
        (void)carillon_mutex_unlock(Log);
    }
    THREAD(A)
    {
        (void)carillon_delay(T(200));
        (void)carillon_mutex_lock(Bus);
        (void)carillon_mutex_lock(Log);
        (void)carillon_mutex_unlock(Log);
        (void)carillon_mutex_unlock(Bus);
    }
    THREAD(Mid)
    {
        (void)carillon_delay(T(1000));
        WORK(20000);
    }
    THREAD(High)
    {
        (void)carillon_delay(T(800));
        const carillon_time begin = carillon_now();
        (void)carillon_mutex_lock(Bus);
        const carillon_time end = carillon_now();
        report("waited", (uint32_t)((uint64_t)(carillon_time)(end - begin) * 1000u / (uint32_t)CARILLON_MILLISECONDS(1)));
        carillon_port_halt();
    }
    """
    )
    named = {"B": (1, '"Log"'), "A": (1, '"Bus", "Log"'), "Mid": (2, ""), "High": (3, '"Bus"')}
    threads = "".join(f"[thread.{name}]\npriority = {p}\nmutexes = [{m}]\n" for name, (p, m) in named.items())
    outcome = lab.run('[time]\nclock = "one-shot"\n' + threads, code, board, ticks=500_000)
    assert outcome.said("waited")[0] <= 1900
    found = outcome.planned.image.osek
    assert found is not None
    assert found.allocation.mutex_ceilings == [3, 3]


@pytest.mark.parametrize("board", ["virtual-ast1030-evb", "ast1030-evb", "microbit", "atmega2560"])
def test_a_guest_that_unlocks_in_the_order_of_locking_leaves_with_its_last_mutex(lab: Laboratory, board: str) -> None:
    """Low has waited with One, and locks Two at its ceiling, which masks nothing.  Mid is ready from 2 ms on."""
    code = (
        HEADERS
        + """
    THREAD(Low)
    {
        (void)carillon_mutex_lock(One);
        (void)carillon_delay(T(1000));
        (void)carillon_mutex_lock(Two);
        WORK(2000);
        (void)carillon_mutex_unlock(One);
        report("one", 1);
        (void)carillon_mutex_unlock(Two);
        report("two", 1);
    }
    THREAD(Mid)
    {
        (void)carillon_delay(T(2000));
        report("mid", 1);
    }
    THREAD(High)
    {
    }
    """
    )
    schedule = '[time]\nclock = "one-shot"\n[thread.Mid]\npriority = 2\n'
    schedule += "".join(f'[thread.{name}]\npriority = {p}\nmutexes = ["One", "Two"]\n' for name, p in (("Low", 1), ("High", 3)))
    hz = plan(lab.write(schedule, code), Diagnostics(), board).system.clock_hz
    assert [name for name, _ in lab.run(schedule, code, board, ticks=hz // 100).reported] == ["one", "mid", "two"]


@pytest.mark.parametrize("dispatch", ["hardware", "software"])
def test_a_thread_gets_a_mutex_whose_holder_has_only_given_way(lab: Laboratory, dispatch: str) -> None:
    """Threads of one level take turns while one has a mutex, so that the other lines up although the holder never waits."""
    code = (
        HEADERS
        + """
    THREAD(One)
    {
        (void)carillon_mutex_lock(Bus);
        WORK(5000);
        report("one", 1);
        (void)carillon_mutex_unlock(Bus);
    }
    THREAD(Two)
    {
        report("wants", 1);
        (void)carillon_mutex_lock(Bus);
        report("has", 1);
    }
    """
    )
    schedule = f'[osek]\ndispatch = "{dispatch}"\n[time]\nclock = "one-shot"\nslice = "1ms"\n'
    schedule += "".join(f'[thread.{name}]\npriority = 1\nmutexes = ["Bus"]\n' for name in ("One", "Two"))
    hz = plan(lab.write(schedule, code), Diagnostics(), "ast1030-evb").system.clock_hz
    outcome = lab.run(schedule, code, "ast1030-evb", ticks=hz // 50)
    assert [name for name, _ in outcome.reported] == ["wants", "one", "has"]


@pytest.mark.parametrize("board", ["virtual-ast1030-evb", "mps2-an385"])
def test_threads_that_wake_together_at_one_ceiling_go_on_one_after_the_other(lab: Laboratory, board: str) -> None:
    schedule = '[time]\nclock = "one-shot"\n[thread.Top]\npriority = 9\nautostart = false\nmutexes = ["M1", "M2", "M3"]\n'
    schedule += "".join(f'[thread.T{k}]\npriority = {k}\nmutexes = ["M{k}"]\n' for k in (1, 2, 3))
    code = HEADERS + "THREAD(Top) {}\n"
    for k in (1, 2, 3):
        # Each holds its mutex when it waits.  All three are due in one tick.
        code += f"THREAD(T{k}) {{ carillon_time at = 0u; (void)carillon_mutex_lock(M{k}); "
        code += f'(void)carillon_delay_until(&at, T(1000)); report("runs", {k}u); (void)carillon_mutex_unlock(M{k}); }}\n'
    outcome = lab.run(schedule, code, board, ticks=156_250)
    assert sorted(outcome.said("runs")) == [1, 2, 3]
