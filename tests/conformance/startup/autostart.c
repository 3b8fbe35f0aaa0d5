/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static TaskStateType states[4];

void StartupHook(void)
{
    MARK('S');
}

ISR(Signal)
{
    MARK('i');
}

TASK(Low)
{
    MARK('l');
    EXPECT_MARKS("autostarted-tasks-run-by-priority", "Sttehihmeml");
    FINISH();
}

TASK(Mid)
{
    MARK('m');
    (void)SetEvent(Extended, Go);
    MARK('m');
    TerminateTask();
}

TASK(High)
{
    MARK('h');
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('h');
    TerminateTask();
}

TASK(Extended)
{
    MARK('e');
    (void)WaitEvent(Go);
    MARK('e');
    TerminateTask();
}

TASK(Top)
{
    static uint8_t runs;
    MARK('t');
    (void)GetTaskState(Extended, &states[0]);
    (void)GetTaskState(High, &states[1]);
    (void)GetTaskState(Mid, &states[2]);
    (void)GetTaskState(Low, &states[3]);
    if (runs++ == 0u) {
        EXPECT("every-autostarted-task-is-ready-before-the-first-runs",
               states[0] == READY && states[1] == READY && states[2] == READY && states[3] == READY);
        EXPECT_IS("a-task-of-two-activations-is-autostarted-once", ActivateTask(Top), E_OK);
        EXPECT_IS("and-two-are-its-limit", ActivateTask(Top), E_OS_LIMIT);
    }
    TerminateTask();
}
