/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

#define PASS_HUNDREDTHS(hundredths) carillon_work((hundredths) * (CARILLON_CLOCK_HZ / 100000u))

enum how { SHARED, OTHER, BOTH, DISABLE, ALL, OS, DEEP, WITHIN, CROSSED, EXECUTION, REPEATED, PREEMPTED };
static volatile enum how how;
static volatile uint32_t length;
static volatile bool hangs;

ProtectionReturnType ProtectionHook(StatusType error)
{
    TaskType task = INVALID_TASK;
    (void)GetTaskID(&task);
    MARK((error == E_OS_PROTECTION_LOCKED) ? 'L' : ((error == E_OS_PROTECTION_TIME) ? 'T' : '?'));
    if ((task != Holder) && (task != Plain) && (task != Waiter)) {
        MARK('!');
    }
    SuspendAllInterrupts(); /* the hook has no lock budget */
    ResumeAllInterrupts();
    return PRO_TERMINATETASKISR;
}

ISR(Signal)
{
    MARK('i');
    PASS_HUNDREDTHS(1000u);
    SuspendAllInterrupts();
    PASS_HUNDREDTHS(1000u);
    ResumeAllInterrupts();
}

static void hold(void)
{
    switch (how) {
    case SHARED:
        (void)GetResource(Shared);
        PASS_HUNDREDTHS(length);
        (void)ReleaseResource(Shared);
        break;
    case OTHER:
        (void)GetResource(Other);
        PASS_HUNDREDTHS(length);
        (void)ReleaseResource(Other);
        break;
    case BOTH: /* the nearer limit is within */
        (void)GetResource(Shared);
        PASS_HUNDREDTHS(100u);
        (void)GetResource(Other);
        PASS_HUNDREDTHS(100u);
        (void)ReleaseResource(Other);
        PASS_HUNDREDTHS(length);
        (void)ReleaseResource(Shared);
        break;
    case DISABLE:
        DisableAllInterrupts();
        PASS_HUNDREDTHS(length);
        EnableAllInterrupts();
        break;
    case ALL:
        SuspendAllInterrupts();
        PASS_HUNDREDTHS(length);
        ResumeAllInterrupts();
        break;
    case OS:
        SuspendOSInterrupts();
        PASS_HUNDREDTHS(length);
        ResumeOSInterrupts();
        break;
    case DEEP: /* the first lock counts */
        SuspendAllInterrupts();
        PASS_HUNDREDTHS(length / 2u);
        SuspendAllInterrupts();
        PASS_HUNDREDTHS(length - (length / 2u));
        ResumeAllInterrupts();
        ResumeAllInterrupts();
        break;
    case WITHIN: /* the nearer limit is outside */
        (void)GetResource(Other);
        SuspendOSInterrupts();
        PASS_HUNDREDTHS(length);
        ResumeOSInterrupts();
        (void)ReleaseResource(Other);
        break;
    case CROSSED: /* the first that is taken is the first that is released */
        SuspendOSInterrupts();
        PASS_HUNDREDTHS(200u);
        SuspendAllInterrupts();
        ResumeOSInterrupts();
        PASS_HUNDREDTHS(length);
        ResumeAllInterrupts();
        break;
    case EXECUTION:
        PASS_HUNDREDTHS(1900u);
        (void)GetResource(Shared);
        PASS_HUNDREDTHS(length);
        (void)ReleaseResource(Shared);
        break;
    case REPEATED: /* each time has the whole budget */
        for (uint32_t i = 0; i < 10u; i++) {
            (void)GetResource(Other);
            PASS_HUNDREDTHS(length);
            (void)ReleaseResource(Other);
        }
        break;
    default: /* what preempts takes nothing of it */
        (void)GetResource(Shared);
        PASS_HUNDREDTHS(100u);
        carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
        PASS_HUNDREDTHS(100u);
        carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
        PASS_HUNDREDTHS(length);
        (void)ReleaseResource(Shared);
        break;
    }
    while (hangs) {
        PASS_HUNDREDTHS(1u);
    }
}

TASK(Holder)
{
    hold();
    MARK('.');
    TerminateTask();
}

TASK(Plain)
{
    hold();
    MARK('.');
    TerminateTask();
}

TASK(Waiter)
{
    hold();
    (void)WaitEvent(Go);
    (void)ClearEvent(Go);
    hold();
    MARK('.');
    TerminateTask();
}

/* Jobs that keep within a limit, and exceed it. */
static void ask(TaskType task, enum how asked, uint32_t within, uint32_t beyond)
{
    how = asked;
    length = within;
    (void)ActivateTask(task);
    length = beyond;
    (void)ActivateTask(task);
}

TASK(Main)
{
    ask(Holder, SHARED, 450u, 550u);
    EXPECT_MARKS("a-resource-is-held-for-so-long", ".L");
    EXPECT_IS("it-is-free-then", GetResource(Shared), E_OK);
    EXPECT_IS("and-is-released", ReleaseResource(Shared), E_OK);
    ask(Holder, OTHER, 180u, 220u);
    EXPECT_MARKS("each-resource-has-its-own-budget", ".L");
    ask(Holder, DISABLE, 280u, 320u);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("interrupts-are-disabled-for-so-long-and-enabled-then", ".Li");
    ask(Holder, ALL, 280u, 320u);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("or-suspended", ".Li");
    ask(Holder, OS, 380u, 420u);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("those-of-category-2-have-their-own", ".Li");
    ask(Holder, DEEP, 280u, 320u);
    EXPECT_MARKS("the-first-of-nested-calls-counts", ".L");
    ask(Holder, BOTH, 280u, 350u);
    EXPECT_MARKS("an-outer-lock-goes-on-to-count", ".L");
    ask(Holder, WITHIN, 180u, 220u);
    EXPECT_MARKS("the-nearer-limit-counts", ".L");
    ask(Holder, CROSSED, 280u, 320u);
    EXPECT_MARKS("locks-may-cross", ".L");
    ask(Holder, EXECUTION, 50u, 150u);
    EXPECT_MARKS("the-execution-budget-counts-within", ".T");
    ask(Holder, REPEATED, 150u, 1u);
    EXPECT_MARKS("each-lock-has-the-whole-budget", "..");
    ask(Holder, PREEMPTED, 250u, 350u);
    EXPECT_MARKS("what-preempts-takes-nothing-of-it", "ii.iiL");
    ask(Plain, OS, 180u, 220u);
    EXPECT_MARKS("a-task-without-an-execution-budget-has-them", ".L");
    ask(Plain, SHARED, 900u, 2000u);
    EXPECT_MARKS("a-lock-without-a-budget-has-no-end", "..");
    how = OTHER;
    length = 100u;
    hangs = true;
    (void)ActivateTask(Holder);
    EXPECT_MARKS("a-lock-that-was-released-leaves-the-execution-budget", "T");
    hangs = false;

    how = SHARED;
    length = 180u;
    (void)ActivateTask(Waiter);
    length = 220u;
    (void)SetEvent(Waiter, Go);
    EXPECT_MARKS("a-task-that-waits-has-them", "L");
    how = ALL;
    length = 120u;
    (void)ActivateTask(Waiter);
    EXPECT_MARKS("and-again", "L");
    FINISH();
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
}
