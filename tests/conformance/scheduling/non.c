/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t phase;

static TaskStateType state_of(TaskType task)
{
    TaskStateType state = 99u;
    (void)GetTaskState(task, &state);
    return state;
}

ISR(Signal)
{
    MARK('s');
    (void)ActivateTask(Higher);
    MARK('s');
}

static void first(void)
{
    (void)ActivateTask(High);
    MARK('m');
    EXPECT_IS("a-higher-task-activated-is-ready", state_of(High), READY);
    EXPECT_MARKS("activating-a-higher-task-does-not-preempt", "m");
    EXPECT_IS("schedule-returns-ok", Schedule(), E_OK);
    MARK('m');
    EXPECT_MARKS("schedule-lets-the-higher-task-run", "hm");

    (void)ActivateTask(High);
    (void)ActivateTask(Higher);
    (void)ActivateTask(Equal);
    (void)ActivateTask(Low);
    MARK('m');
    (void)Schedule();
    MARK('m');
    EXPECT_MARKS("schedule-lets-all-higher-tasks-run-and-no-equal-or-lower-one", "mHhm");
    (void)Schedule();
    MARK('m');
    EXPECT_MARKS("schedule-with-nothing-higher-goes-on", "m");

    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('m');
    EXPECT_MARKS("an-isr-interrupts-but-the-task-it-activates-waits", "ssm");
    (void)Schedule();
    EXPECT_MARKS("the-task-that-the-isr-activated-runs-at-schedule", "H");

    (void)GetResource(Bus);
    (void)ActivateTask(High);
    (void)ReleaseResource(Bus);
    MARK('m');
    EXPECT_MARKS("releasing-a-resource-does-not-preempt", "m");
    (void)Schedule();
    EXPECT_MARKS("the-task-that-the-resource-held-back-runs-at-schedule", "h");

    (void)SetRelAlarm(ToHigh, 1, 0);
    (void)IncrementCounter(Soft);
    MARK('m');
    EXPECT_MARKS("an-alarm-does-not-preempt", "m");
    (void)Schedule();
    EXPECT_MARKS("the-task-that-the-alarm-activated-runs-at-schedule", "h");

    (void)ActivateTask(Waiter);
    MARK('m');
    (void)Schedule();
    EXPECT_MARKS("a-non-preemptable-extended-task-runs-and-waits", "mw");
    (void)SetEvent(Waiter, Go);
    EXPECT_IS("a-task-whose-event-was-set-is-ready", state_of(Waiter), READY);
    MARK('m');
    (void)Schedule();
    MARK('m');
    EXPECT_MARKS("setting-an-event-does-not-preempt", "mwwHm");

    SuspendOSInterrupts();
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    ResumeOSInterrupts();
    (void)ActivateTask(High);
    MARK('m');
    EXPECT_MARKS("resuming-interrupts-does-not-preempt", "ssm");
}

TASK(Main)
{
    if (phase == 0u) {
        phase = 1;
        first();
        /* Equal and Low are ready since long, High and Higher since now. */
        TerminateTask();
    }
    MARK('M');
    (void)ActivateTask(High);
    ChainTask(Higher);
}

TASK(Equal)
{
    MARK('e');
    EXPECT_MARKS("at-termination-higher-tasks-run-first-then-the-equal-one", "Hhe");
    (void)ActivateTask(Main);
    MARK('e');
    TerminateTask();
}

TASK(High)
{
    MARK('h');
    TerminateTask();
}

TASK(Higher)
{
    MARK('H');
    TerminateTask();
}

TASK(Waiter)
{
    MARK('w');
    (void)WaitEvent(Go);
    MARK('w');
    (void)ActivateTask(Higher);
    (void)SetEvent(Waiter, Stop);
    /* The event is there: no rescheduling, also for what is lower. */
    (void)WaitEvent(Stop);
    MARK('w');
    (void)ClearEvent(Go | Stop);
    (void)WaitEvent(Go);
    MARK('!');
    TerminateTask();
}

TASK(Low)
{
    MARK('l');
    EXPECT_MARKS("chaining-reschedules-by-priority", "eMHhl");
    FINISH();
}
