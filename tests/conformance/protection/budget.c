/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

#define PASS_HUNDREDTHS(hundredths) carillon_work((hundredths) * (CARILLON_CLOCK_HZ / 100000u))

enum how { PLAINLY, NESTED, LOCKED, HOLDING, DISABLED };
static volatile enum how how;
static volatile TaskType struck = INVALID_TASK;
static volatile uint32_t strikes;
static volatile bool wastes;
static volatile uint32_t rounds;
static volatile uint32_t high_hundredths;

ProtectionReturnType ProtectionHook(StatusType error)
{
    TaskType task = INVALID_TASK;
    struck = INVALID_TASK;
    MARK((error == E_OS_PROTECTION_TIME) ? 'P' : '?');
    (void)GetTaskID(&task);
    struck = task;
    strikes++;
    return PRO_TERMINATETASKISR;
}

static uint32_t nest(uint8_t depth)
{
    volatile uint32_t local[3] = {depth, depth + 1u, depth + 2u};
    while (depth == 0u) {
        PASS_HUNDREDTHS(1u);
    }
    return local[0] + local[1] + local[2] + nest((uint8_t)(depth - 1u));
}

TASK(Runaway)
{
    MARK('r');
    if (how == LOCKED) {
        SuspendAllInterrupts();
        SuspendOSInterrupts();
        PASS_HUNDREDTHS(400u); /* a clock, unlike a cell, ends the job where it resumes interrupts */
        ResumeOSInterrupts();
        ResumeAllInterrupts();
    } else if (how == DISABLED) {
        DisableAllInterrupts();
        PASS_HUNDREDTHS(400u);
        EnableAllInterrupts();
    } else {
        if (how == HOLDING) {
            (void)GetResource(Shared);
        }
        (void)nest((how == NESTED) ? 9u : 0u);
    }
    MARK('!');
}

TASK(High)
{
    MARK('h');
    PASS_HUNDREDTHS(high_hundredths);
    TerminateTask();
}

ISR(Signal)
{
    MARK('i');
    PASS_HUNDREDTHS(300u);
}

TASK(Careful)
{
    MARK('c');
    PASS_HUNDREDTHS(200u);
    (void)ActivateTask(High);
    (void)ActivateTask(Runaway);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    PASS_HUNDREDTHS(100u);
    MARK('d');
    if (wastes) {
        PASS_HUNDREDTHS(200u);
        MARK('!');
    }
    TerminateTask();
}

TASK(Waiter)
{
    MARK('w');
    for (rounds = 0; rounds < 4u; rounds++) {
        PASS_HUNDREDTHS(150u);
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
    }
    for (;;) {
        PASS_HUNDREDTHS(1u);
    }
}

TASK(Chainer)
{
    MARK('x');
    PASS_HUNDREDTHS(150u);
    if (rounds < 3u) {
        rounds++;
        (void)ChainTask(Chainer);
    }
    TerminateTask();
}

TASK(Main)
{
    TaskStateType state = RUNNING;
    high_hundredths = 500u;
    (void)ActivateTask(Runaway);
    EXPECT_MARKS("a-task-that-has-used-up-its-budget-ends", "rP");
    EXPECT("the-hook-is-told-which-task", struck == Runaway);
    (void)GetTaskState(Runaway, &state);
    EXPECT("it-is-suspended", state == SUSPENDED);

    how = NESTED;
    for (uint32_t i = 0; i < 10u; i++) {
        (void)ActivateTask(Runaway);
    }
    EXPECT_MARKS("it-ends-deep-in-its-calls", "rPrPrPrPrPrPrPrPrPrP");

    how = LOCKED;
    (void)ActivateTask(Runaway);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("it-ends-with-interrupts-suspended-which-are-resumed", "rPi");

    how = DISABLED;
    (void)ActivateTask(Runaway);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("it-ends-with-interrupts-disabled-which-are-enabled", "rPi");
    EXPECT("and-the-hook-may-ask-which-task-it-was", struck == Runaway);

    how = HOLDING;
    (void)ActivateTask(Runaway);
    EXPECT_IS("its-resource-is-free", GetResource(Shared), E_OK);
    EXPECT_IS("which-can-be-released", ReleaseResource(Shared), E_OK);
    (void)ActivateTask(High);
    EXPECT_MARKS("and-holds-back-no-task", "rPh");

    how = PLAINLY;
    (void)GetResource(Shared);
    (void)ActivateTask(Runaway);
    (void)ActivateTask(Runaway);
    (void)ReleaseResource(Shared);
    EXPECT_MARKS("an-activation-that-waits-remains", "rPrP");

    (void)ActivateTask(Careful);
    EXPECT_MARKS("what-preempts-a-task-takes-nothing-of-its-budget", "chrPid");
    wastes = true;
    (void)ActivateTask(Careful);
    EXPECT_MARKS("nor-gives-it-any", "chrPidP");
    EXPECT("it-was-the-task-that-was-preempted", struck == Careful);

    (void)ActivateTask(Waiter);
    for (uint32_t i = 0; i < 3u; i++) {
        (void)SetEvent(Waiter, Go);
    }
    EXPECT_MARKS("a-task-that-waits-has-its-budget-again", "w");
    EXPECT_IS("as-often-as-it-waits", rounds, 3);
    (void)SetEvent(Waiter, Go);
    EXPECT_MARKS("an-extended-task-ends-too", "P");
    (void)ActivateTask(Waiter);
    EXPECT_MARKS("and-begins-again", "w");

    rounds = 0;
    (void)ActivateTask(Chainer);
    EXPECT_MARKS("a-task-that-chains-itself-has-its-budget-again", "xxxx");

    high_hundredths = 1u;
    strikes = 0;
    (void)SetRelAlarm(Tick, 1u, 1u);
    wastes = false;
    (void)ActivateTask(Runaway);
    EXPECT_IS("an-alarm-that-preempts-it-changes-nothing", strikes, 1);
    (void)CancelAlarm(Tick);
    FINISH();
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
}
