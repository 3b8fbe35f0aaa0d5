/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

#define STRIKES 100u

static volatile uint32_t strikes;
static volatile uint32_t high;
static volatile uint32_t signals;
static volatile uint32_t others;
static volatile uint32_t asked;
static volatile TaskType wrong = INVALID_TASK;
static volatile TaskType expected;

ProtectionReturnType ProtectionHook(StatusType error)
{
    TaskType task = INVALID_TASK;
    (void)error;
    (void)GetTaskID(&task);
    if (task != expected) {
        wrong = task;
    }
    strikes++;
    return PRO_TERMINATETASKISR;
}

TASK(High)
{
    high++;
    TerminateTask();
}

TASK(Other)
{
    (void)WaitEvent(Go);
    (void)ClearEvent(Go);
    others++;
    TerminateTask();
}

ISR(Signal)
{
    signals++;
}

/* Services of every kind, again and again.  The budget ends after as many instructions each time, of which the delay
 * takes some more with each strike. */
static void go_on(void)
{
    carillon_work(strikes % 97u);
    for (volatile uint32_t turn = 0; turn < (strikes % 31u); turn++) {
    }
    for (;;) {
        asked++;
        (void)ActivateTask(High);
        (void)ActivateTask(Other);
        (void)SetEvent(Other, Go);
        (void)GetResource(Shared);
        carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
        SuspendAllInterrupts();
        SuspendOSInterrupts();
        carillon_work(61u);
        ResumeOSInterrupts();
        ResumeAllInterrupts();
        (void)ReleaseResource(Shared);
        DisableAllInterrupts();
        EnableAllInterrupts();
        (void)Schedule();
    }
}

TASK(Basic)
{
    go_on();
}

TASK(Waits)
{
    (void)WaitEvent(Go);
    (void)ClearEvent(Go);
    go_on();
}

/* Nothing is left of the job that has ended. */
static bool all_is_well(TaskType task, uint32_t number)
{
    TaskStateType state = RUNNING;
    const uint32_t before = signals;
    const uint32_t ran = high;
    (void)GetTaskState(task, &state);
    const bool taken = GetResource(Shared) == E_OK;
    (void)ReleaseResource(Shared);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    (void)ActivateTask(High);
    return (state == SUSPENDED) && taken && (signals == before + 1u) && (high == ran + 1u) && (strikes == number) &&
           (wrong == INVALID_TASK);
}

TASK(Main)
{
    uint32_t well = 0;
    expected = Basic;
    for (uint32_t number = 1; number <= STRIKES; number++) {
        (void)ActivateTask(Basic);
        well += all_is_well(Basic, number) ? 1u : 0u;
    }
    EXPECT_IS("a-basic-task-ends-wherever-its-budget-does", well, STRIKES);
    strikes = 0;
    well = 0;
    expected = Waits;
    for (uint32_t number = 1; number <= STRIKES; number++) {
        (void)ActivateTask(Waits);
        (void)SetEvent(Waits, Go);
        well += all_is_well(Waits, number) ? 1u : 0u;
    }
    EXPECT_IS("so-does-one-that-has-waited", well, STRIKES);
    EXPECT("no-activation-is-lost", (high >= asked + STRIKES) && (high <= asked + (2u * STRIKES)));
    FINISH();
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
}
