/* SPDX-License-Identifier: Apache-2.0
 *
 * The application of the cases about task hooks.  Marks: +x PreTaskHook of task x, -x PostTaskHook, and the task's own
 * letter in capitals.  TELLS_PRE and TELLS_POST say which hooks there are. */
#ifndef SEQUENCES_H
#define SEQUENCES_H

#include "../conformance.h"

static volatile uint8_t how;

static char letter(void)
{
    TaskType task = INVALID_TASK;
    TaskStateType state = 99u;
    (void)GetTaskID(&task);
    (void)GetTaskState(task, &state);
    if (state != RUNNING) {
        return '?';
    }
    return (task == Main)     ? 'm'
           : (task == Mid)    ? 'd'
           : (task == High)   ? 'h'
           : (task == Equal)  ? 'e'
           : (task == Higher) ? 'i'
           : (task == Waiter) ? 'w'
                              : '!';
}

#if TELLS_PRE
#define PRE(letter) "+" letter
void PreTaskHook(void)
{
    MARK('+');
    MARK(letter());
}
#else
#define PRE(letter)
#endif

#if TELLS_POST
#define POST(letter) "-" letter
void PostTaskHook(void)
{
    MARK('-');
    MARK(letter());
}
#else
#define POST(letter)
#endif

ISR(Signal)
{
    MARK('[');
    (void)ActivateTask(Mid);
    (void)ActivateTask(High);
    (void)ActivateTask(Higher);
    MARK(']');
}

TASK(Main)
{
    MARK('M');
    EXPECT_MARKS("the-first-task", PRE("m") "M");

    (void)ActivateTask(Higher);
    MARK('M');
    EXPECT_MARKS("one-task-preempts", POST("m") PRE("i") "I" POST("i") PRE("m") "M");

    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('M');
    EXPECT_MARKS("three-tasks-run-one-after-the-other-before-the-preempted-one-goes-on",
                 "[]" POST("m") PRE("i") "I" POST("i") PRE("h") "H" POST("h") PRE("d") "D" POST("d") PRE("m") "M");

    how = 1;
    (void)ActivateTask(High);
    MARK('M');
    EXPECT_MARKS("tasks-of-one-priority-run-one-after-the-other",
                 POST("m") PRE("h") "H" POST("h") PRE("e") "E" POST("e") PRE("h") "H" POST("h") PRE("m") "M");

    how = 2;
    (void)ActivateTask(High);
    MARK('M');
    EXPECT_MARKS("a-chain-of-tasks-runs-before-the-preempted-one-goes-on",
                 POST("m") PRE("h") "H" POST("h") PRE("d") "D" POST("d") PRE("m") "M");

    how = 3;
    (void)ActivateTask(High);
    MARK('M');
    EXPECT_MARKS("tasks-preempt-and-leave-lower-ones-to-run",
                 POST("m") PRE("h") "H" POST("h") PRE("i") "I" POST("i") PRE("h") "H" POST("h") PRE("d") "D" POST("d")
                     PRE("m") "M");

    how = 4;
    (void)ActivateTask(Waiter);
    MARK('M');
    EXPECT_MARKS("a-task-waits-and-another-of-its-priority-follows",
                 POST("m") PRE("w") "W" POST("w") PRE("e") "E" POST("e") PRE("m") "M");
    FINISH();
}

TASK(Mid)
{
    MARK('D');
    TerminateTask();
}

TASK(High)
{
    MARK('H');
    if (how == 1u) {
        how = 0;
        (void)ActivateTask(Equal);
        (void)ActivateTask(High);
    } else if (how == 2u) {
        (void)ChainTask(Mid);
    } else if (how == 3u) {
        (void)ActivateTask(Mid);
        (void)ActivateTask(Higher);
        MARK('H');
    }
    TerminateTask();
}

TASK(Equal)
{
    MARK('E');
    TerminateTask();
}

TASK(Higher)
{
    MARK('I');
    TerminateTask();
}

TASK(Waiter)
{
    MARK('W');
    (void)ActivateTask(Equal);
    (void)WaitEvent(Go);
    TerminateTask();
}

#endif
