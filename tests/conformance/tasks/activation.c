/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t phase;
static volatile TaskType by_variable;
static StatusType inner[4];
static TaskStateType states[4];
static TaskType identity;

DeclareTask(Low);
DeclareTask(Main);
DeclareTask(High);
DeclareTask(Higher);

static TaskStateType state_of(TaskType task)
{
    TaskStateType state = 99u;
    (void)GetTaskState(task, &state);
    return state;
}

static void first(void)
{
    TaskType self = INVALID_TASK;
    EXPECT_IS("get-task-id-returns-ok", GetTaskID(&self), E_OK);
    EXPECT_IS("a-task-autostarted-runs", self, Main);
    EXPECT_IS("the-running-task-is-running", state_of(Main), RUNNING);
    EXPECT_IS("a-task-never-activated-is-suspended", state_of(High), SUSPENDED);

    MARK('m');
    EXPECT_IS("activating-a-higher-task-returns-ok", ActivateTask(High), E_OK);
    MARK('m');
    EXPECT_MARKS("a-higher-task-runs-before-the-call-returns", "mhm");
    EXPECT_IS("a-terminated-task-is-suspended", state_of(High), SUSPENDED);
    EXPECT_IS("get-task-id-in-the-higher-task", identity, High);
    (void)GetTaskID(&self);
    EXPECT_IS("get-task-id-after-a-preemption", self, Main);

    by_variable = High;
    MARK('m');
    EXPECT_IS("activating-by-a-variable-returns-ok", ActivateTask(by_variable), E_OK);
    MARK('m');
    EXPECT_MARKS("activating-by-a-variable-preempts-too", "mhm");

    EXPECT_IS("activating-a-lower-task-returns-ok", ActivateTask(Low), E_OK);
    MARK('m');
    EXPECT_MARKS("a-lower-task-waits", "m");
    EXPECT_IS("a-task-that-waits-for-the-processor-is-ready", state_of(Low), READY);
    EXPECT_IS("a-ready-task-has-reached-its-limit", ActivateTask(Low), E_OS_LIMIT);
    by_variable = Low;
    EXPECT_IS("a-ready-task-has-reached-its-limit-by-a-variable", ActivateTask(by_variable), E_OS_LIMIT);
    EXPECT_IS("the-running-task-has-reached-its-limit", ActivateTask(Main), E_OS_LIMIT);
    phase = 1;
}

static void second(void)
{
    EXPECT_MARKS("a-lower-task-runs-after-the-higher-one-ended-and-is-preempted", "l");
    EXPECT_IS("a-preempted-task-is-ready", state_of(Low), READY);
    EXPECT_IS("a-preempted-task-has-reached-its-limit", ActivateTask(Low), E_OS_LIMIT);
    phase = 2;
    MARK('m');
    EXPECT_IS("a-task-that-nests-returns-ok", ActivateTask(High), E_OK);
    MARK('m');
    EXPECT_MARKS("preemption-nests", "mhHhm");
    EXPECT_IS("nested-activation-returned-ok", inner[0], E_OK);
    EXPECT_IS("activating-a-task-preempted-two-levels-below-is-over-the-limit", inner[1], E_OS_LIMIT);
    EXPECT_IS("activating-a-task-preempted-one-level-below-is-over-the-limit", inner[2], E_OS_LIMIT);
    EXPECT_IS("the-highest-task-was-running", states[0], RUNNING);
    EXPECT_IS("the-task-below-it-was-ready", states[1], READY);
    EXPECT_IS("the-task-two-below-it-was-ready", states[2], READY);
    EXPECT_IS("the-lowest-task-was-ready", states[3], READY);
    phase = 3;
}

TASK(Main)
{
    if (phase == 0) {
        first();
    } else {
        second();
    }
    TerminateTask();
}

TASK(High)
{
    (void)GetTaskID(&identity);
    MARK('h');
    if (phase == 2) {
        inner[0] = ActivateTask(Higher);
        MARK('h');
    }
    TerminateTask();
}

TASK(Higher)
{
    MARK('H');
    inner[1] = ActivateTask(Main);
    inner[2] = ActivateTask(High);
    states[0] = state_of(Higher);
    states[1] = state_of(High);
    states[2] = state_of(Main);
    states[3] = state_of(Low);
    TerminateTask();
}

TASK(Low)
{
    TaskType self = INVALID_TASK;
    MARK('l');
    EXPECT_IS("a-task-that-terminated-can-be-activated-again", ActivateTask(Main), E_OK);
    MARK('l');
    EXPECT_MARKS("the-preempted-task-goes-on-where-it-was", "l");
    (void)GetTaskID(&self);
    EXPECT_IS("get-task-id-in-the-lower-task", self, Low);
    EXPECT_IS("all-others-are-suspended-main", state_of(Main), SUSPENDED);
    EXPECT_IS("all-others-are-suspended-high", state_of(High), SUSPENDED);
    EXPECT_IS("all-others-are-suspended-higher", state_of(Higher), SUSPENDED);
    EXPECT_IS("it-ran-both-phases", phase, 3);
    FINISH();
}
