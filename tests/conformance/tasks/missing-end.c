/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t errors;
static volatile uint8_t posts;
static StatusType last;
static TaskType offender;
static volatile uint8_t signals;
static volatile uint8_t how;

void ErrorHook(StatusType error)
{
    errors++;
    last = error;
    (void)GetTaskID(&offender);
}

void PostTaskHook(void)
{
    posts++;
}

ISR(Signal)
{
    signals++;
}

static TaskStateType state_of(TaskType task)
{
    TaskStateType state = 99u;
    (void)GetTaskState(task, &state);
    return state;
}

TASK(Plain)
{
    MARK('p');
}

TASK(Holder)
{
    (void)GetResource(Bus);
    MARK('h');
}

TASK(Locker)
{
    if (how == 0u) {
        DisableAllInterrupts();
    } else if (how == 1u) {
        SuspendAllInterrupts();
    } else if (how == 2u) {
        SuspendOSInterrupts();
    } else {
        SuspendAllInterrupts();
        SuspendOSInterrupts();
        SuspendAllInterrupts();
    }
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    if (signals != 0u) {
        MARK('!');
    }
    MARK('l');
}

TASK(Several)
{
    static uint8_t runs;
    MARK('s');
    if (runs++ == 0u) {
        (void)ActivateTask(Several);
        (void)ActivateTask(Several);
    }
}

TASK(Turns)
{
    static uint8_t runs;
    MARK('t');
    if (runs++ == 0u) {
        TerminateTask();
    }
}

TASK(Waiter)
{
    MARK('w');
    (void)WaitEvent(Go);
    (void)GetResource(Bus);
    MARK('w');
}

TASK(Fixed)
{
    MARK('f');
    (void)ActivateTask(Holder);
    MARK('f');
}

TASK(Main)
{
    (void)ActivateTask(Plain);
    MARK('m');
    EXPECT_MARKS("a-task-that-falls-off-its-end-terminates", "pm");
    EXPECT_IS("falling-off-the-end-calls-the-error-hook-once", errors, 1);
    EXPECT_IS("the-error-is-missing-end", last, E_OS_MISSINGEND);
    EXPECT_IS("the-task-that-fell-off-is-the-one-running-in-the-hook", offender, Plain);
    EXPECT_IS("the-posttask-hook-is-called-for-it", posts >= 1u, 1);
    EXPECT_IS("the-task-that-fell-off-is-suspended", state_of(Plain), SUSPENDED);

    errors = 0;
    (void)ActivateTask(Holder);
    EXPECT_MARKS("a-task-that-falls-off-with-a-resource-terminates", "h");
    EXPECT_IS("with-a-resource-too-the-error-hook-is-called-once", errors, 1);
    EXPECT_IS("with-a-resource-too-the-error-is-missing-end", last, E_OS_MISSINGEND);
    (void)ActivateTask(Holder);
    EXPECT_MARKS("the-resource-was-released", "h");
    (void)ActivateTask(Several);
    EXPECT_MARKS("further-activations-of-one-that-falls-off-run", "sss");
    EXPECT_IS("each-of-them-calls-the-error-hook", errors, 5);

    for (how = 0; how < 4u; how++) {
        signals = 0;
        (void)ActivateTask(Locker);
        if (signals != 1u) {
            MARK((char)('0' + how));
        }
    }
    EXPECT_MARKS("a-task-that-falls-off-with-interrupts-locked-leaves-them-enabled", "llll");
    EXPECT_IS("those-with-interrupts-locked-call-the-error-hook", errors, 9);
    EXPECT_IS("services-work-after-such-an-end", ActivateTask(Plain), E_OK);
    EXPECT_MARKS("a-task-activated-after-such-an-end-runs", "p");

    errors = 0;
    (void)ActivateTask(Waiter);
    EXPECT_IS("an-extended-task-waits", state_of(Waiter), WAITING);
    (void)SetEvent(Waiter, Go);
    EXPECT_MARKS("an-extended-task-that-falls-off-terminates", "ww");
    EXPECT_IS("an-extended-task-that-fell-off-is-suspended", state_of(Waiter), SUSPENDED);
    EXPECT_IS("an-extended-task-that-falls-off-calls-the-error-hook", errors, 1);
    EXPECT_IS("the-extended-task-is-the-one-running-in-the-hook", offender, Waiter);
    (void)ActivateTask(Holder);
    EXPECT_MARKS("the-extended-tasks-resource-was-released", "h");
    EXPECT_IS("the-extended-task-can-be-activated-again", ActivateTask(Waiter), E_OK);
    EXPECT_MARKS("it-runs-again", "w");

    errors = 0;
    (void)ActivateTask(Turns);
    EXPECT_IS("a-task-that-terminates-calls-no-error-hook", errors, 0);
    (void)ActivateTask(Turns);
    EXPECT_MARKS("a-task-terminates-and-falls-off-in-turn", "tt");
    EXPECT_IS("a-task-that-once-terminated-calls-the-error-hook-when-it-falls-off", errors, 1);

    errors = 0;
    (void)ActivateTask(Fixed);
    EXPECT_MARKS("a-non-preemptable-task-that-falls-off-lets-the-higher-one-run", "ffh");
    EXPECT_IS("the-non-preemptable-and-the-higher-one-call-the-error-hook", errors, 2);
    FINISH();
}
