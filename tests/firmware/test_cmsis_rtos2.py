# SPDX-License-Identifier: Apache-2.0
"""CMSIS-RTOS2: the cases of its validation suite (ARM-software/CMSIS-RTOS2_Validation), in our own words, on two boards.

What a case checks with interrupts masked (PRIMASK) is checked in an interrupt alone: the calls do not look at that mask.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from laboratory import MPS, RV32, Laboratory

HERE = Path(__file__).with_suffix("")
SUSPENDS = "osKernelSuspend and osKernelResume do not compile: the clock needs nobody's help to leave ticks out"
PRIORITIES = "a thread's priority is the schedule's"
OTHERS = {
    "TC_osKernelGetState_2": SUSPENDS,
    "TC_osKernelLock_2": SUSPENDS,
    "TC_osKernelUnlock_2": SUSPENDS,
    "TC_osKernelSuspend_1": SUSPENDS,
    "TC_osKernelResume_1": SUSPENDS,
    "TC_KernelInterrupts": "each case of the kernel calls from an interrupt here",
    "TC_osThreadNew_4": "a thread's stack is the schedule's: memory for one is not used",
    "TC_osThreadNew_6": PRIORITIES,
    "TC_osThreadSetPriority_1": PRIORITIES,
    "TC_MutexPrioInherit": "a mutex has a ceiling: osThreadGetPriority never returns another priority",
}
"""The cases that do not apply, and why."""

SUITE = {
    "osKernel": "Initialize_1 GetInfo_1 GetState_1 GetState_2 Start_1 Lock_1 Lock_2 Unlock_1 Unlock_2 RestoreLock_1 Suspend_1 "
    "Resume_1 GetSysTimerCount_1 GetSysTimerFreq_1 GetTickCount_1 GetTickFreq_1",
    "Kernel": "Interrupts",
    "osThread": "New_1 New_2 New_3 New_4 New_5 New_6 New_7 GetName_1 GetId_1 GetState_1 GetState_2 GetState_3 SetPriority_1 "
    "SetPriority_2 GetPriority_1 Yield_1 Suspend_1 Resume_1 Resume_2 Detach_1 Detach_2 Join_1 Join_2 Join_3 Exit_1 Terminate_1 "
    "GetStackSize_1 GetStackSpace_1 GetCount_1 Enumerate_1",
    "Thread": "Allocation New MultiInstance Terminate Restart PriorityExec Yield SuspendResume Return Exit",
    "ThreadFlags": "MainThread ChildThread ChildToParent ChildToChild WaitTimeout CheckTimeout Param Interrupts",
    "GenWait": "Basic Interrupts",
    "osTimer": "New_1 New_2 New_3 GetName_1 Start_1 Start_2 Stop_1 Stop_2 IsRunning_1 Delete_1",
    "Timer": "Allocation OneShot Periodic",
    "osEventFlags": "New_1 New_2 New_3 Set_1 Clear_1 Get_1 Wait_1 Delete_1 GetName_1",
    "EventFlags": "Allocation InterThreads CheckTimeout WaitTimeout DeleteWaiting",
    "osMutex": "New_1 New_2 New_3 New_4 New_5 New_6 GetName_1 Acquire_1 Acquire_2 Release_1 GetOwner_1 Delete_1",
    "Mutex": "Allocation CheckTimeout Robust PrioInherit NestedAcquire PriorityInversion Ownership",
    "osSemaphore": "New_1 New_2 New_3 GetName_1 Acquire_1 Release_1 GetCount_1 Delete_1",
    "Semaphore": "Allocation CreateAndDelete ObtainCounting ObtainBinary WaitForBinary WaitForCounting ZeroCount WaitTimeout "
    "CheckTimeout",
    "osMemoryPool": "New_1 New_2 New_3 GetName_1 Alloc_1 Free_1 GetCapacity_1 GetBlockSize_1 GetCount_1 GetSpace_1 Delete_1",
    "MemPool": "Allocation AllocAndFree AllocAndFreeComb ZeroInit",
    "osMessageQueue": "New_1 New_2 New_3 GetName_1 Put_1 Put_2 Get_1 Get_2 GetCapacity_1 GetMsgSize_1 GetCount_1 GetSpace_1 "
    "Reset_1 Delete_1",
    "MsgQ": "Allocation Basic Wait CheckTimeout",
}
"""The names of the suite's cases (Include/cmsis_rv2.h)."""


def names() -> set[str]:
    """The cases that the firmware has."""
    return set(re.findall(r"CASE\((\w+)\)", (HERE / "list.h").read_text(encoding="utf-8")))


def test_each_case_of_the_suite_is_here_or_has_a_reason() -> None:
    suite = {f"TC_{group}{case}" for group, cases in SUITE.items() for case in cases.split()}
    assert names() | set(OTHERS) == suite
    assert not names() & set(OTHERS)


@pytest.mark.parametrize("board", [MPS, RV32])
def test_every_case_holds(lab: Laboratory, tmp_path: Path, board: str) -> None:
    shutil.copytree(HERE, tmp_path, dirs_exist_ok=True)
    shutil.copy(HERE.parent / "report.h", tmp_path)
    outcome = lab.run_file(tmp_path / "schedule.toml", board, ticks=160_000_000 if board == MPS else 64_000_000)
    assert outcome.reported == [(case, 0) for case in re.findall(r"CASE\((\w+)\)", (tmp_path / "list.h").read_text("utf-8"))]


REFUSED = {
    "(void)osKernelSuspend();": "the clock wakes a sleeping processor by itself",
    "(void)osMutexNew(NULL);": "write the mutexes of the schedule in each",
    "(void)osThreadNew(NULL, NULL, NULL);": r"write new = true in the \[thread.NAME\]",
}


@pytest.mark.parametrize("call", REFUSED)
def test_what_the_schedule_cannot_give_does_not_compile(lab: Laboratory, call: str) -> None:
    code = f'#include "cmsis_os2.h"\nTHREAD(Main)\n{{\n    {call}\n}}\n'
    with pytest.raises(AssertionError, match=REFUSED[call]):
        lab.run(SCHEDULE, code, MPS, ticks=1)


SCHEDULE = '[time]\nclock = "one-shot"\nheap = 256\n[thread.Main]\npriority = 1\n'
MISSING = {
    SCHEDULE.replace("heap = 256\n", ""): "cmsis_os2.h: No such file",
    SCHEDULE.replace("heap", 'uses = ["delays"]\nheap'): "need delays, time-outs, functions and joins",
    SCHEDULE.replace("heap", "bits = 16\nheap"): "need a time of 32 bits",
}


@pytest.mark.parametrize("schedule", MISSING)
def test_a_schedule_without_what_the_calls_need_is_refused(lab: Laboratory, schedule: str) -> None:
    with pytest.raises(AssertionError, match=MISSING[schedule]):
        lab.run(schedule, '#include "cmsis_os2.h"\nTHREAD(Main)\n{\n}\n', MPS, ticks=1)


COST = """
#include "cmsis_os2.h"
static struct carillon_semaphore own = CARILLON_SEMAPHORE(0);
static osSemaphoreId_t semaphore;
#define MEASURE(name, ...) \\
    do { \\
        const uint32_t began = carillon_now(); \\
        for (volatile uint32_t k = 0u; k < 1000u; k++) { __VA_ARGS__ } \\
        report(name, carillon_now() - began); \\
    } while (0)
THREAD(Main)
{
    semaphore = osSemaphoreNew(5u, 0u, NULL);
    MEASURE("empty", );
    MEASURE("service", (void)carillon_semaphore_v(&own); (void)carillon_semaphore_p_within(&own, 100u););
    MEASURE("cmsis", (void)osSemaphoreRelease(semaphore); (void)osSemaphoreAcquire(semaphore, 100u););
    carillon_port_halt();
}
"""


def test_a_semaphore_costs_what_the_guide_says(lab: Laboratory) -> None:
    schedule = SCHEDULE.replace("heap = 256", 'heap = 256\nuses = ["delays", "time-outs", "functions", "joins", "semaphores"]')
    outcome = lab.run(schedule, COST, MPS, ticks=1_000_000)
    ticks = dict(outcome.reported)
    pairs = {name: round((ticks[name] - ticks["empty"]) * outcome.per_tick / 1000) for name in ("cmsis", "service")}
    text = (Path(__file__).parents[2] / "docs" / "guide" / "porting.md").read_text(encoding="utf-8")
    figures = [
        int(found) for found in re.findall(r"take (\d+) instructions|within` (\d+) \(mean", text) for found in found if found
    ]
    assert figures == [pairs["cmsis"], pairs["service"]]
