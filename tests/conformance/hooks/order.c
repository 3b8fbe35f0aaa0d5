/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks: +x PreTaskHook of task x, -x PostTaskHook, and the task's own letter in capitals. */
#include "../conformance.h"

static volatile bool nests;

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
           : (task == Low)    ? 'l'
           : (task == High)   ? 'h'
           : (task == Higher) ? 'i'
           : (task == Waiter) ? 'w'
           : (task == Fixed)  ? 'f'
                              : '!';
}

void StartupHook(void)
{
    MARK('S');
}

void PreTaskHook(void)
{
    MARK('+');
    MARK(letter());
}

void PostTaskHook(void)
{
    MARK('-');
    MARK(letter());
}

ISR(Signal)
{
    MARK('[');
    (void)ActivateTask(High);
    MARK(']');
}

TASK(Main)
{
    MARK('M');
    EXPECT_MARKS("startup-then-the-first-task", "S+mM");

    (void)ActivateTask(High);
    MARK('M');
    EXPECT_MARKS("a-preempted-task-is-told-and-told-again-when-it-goes-on", "-m+hH-h+mM");

    (void)ActivateTask(Low);
    MARK('M');
    EXPECT_MARKS("a-task-that-becomes-ready-is-not-told", "M");

    nests = true;
    (void)ActivateTask(High);
    nests = false;
    MARK('M');
    EXPECT_MARKS("hooks-nest-with-preemption", "-m+hH-h+iI-i+hH-h+mM");

    (void)ActivateTask(Waiter);
    MARK('M');
    EXPECT_MARKS("a-task-that-waits-is-told", "-m+wW-w+mM");
    (void)SetEvent(Waiter, Go);
    MARK('M');
    EXPECT_MARKS("a-task-that-goes-on-after-waiting-is-told", "-m+wW-w+mM");

    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('M');
    EXPECT_MARKS("an-isr-is-not-told-but-the-task-that-it-readied-is", "[]-m+hH-h+mM");

    (void)ActivateTask(Fixed);
    MARK('M');
    EXPECT_MARKS("schedule-tells-both-tasks", "-m+fFFF-f+hH-h+fF-f+mM");

    (void)ActivateTask(Low);
    MARK('M');
    TerminateTask();
}

TASK(High)
{
    MARK('H');
    if (nests) {
        (void)ActivateTask(Higher);
        MARK('H');
    }
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
    (void)WaitEvent(Go);
    MARK('W');
    TerminateTask();
}

TASK(Fixed)
{
    MARK('F');
    (void)Schedule();
    MARK('F');
    (void)ActivateTask(High);
    MARK('F');
    (void)Schedule();
    MARK('F');
    TerminateTask();
}

TASK(Low)
{
    static uint8_t runs;
    MARK('L');
    runs++;
    if (runs == 1u) {
        EXPECT_MARKS("a-task-that-ends-is-told-and-so-is-the-next", "M-m+lL");
        ChainTask(Low);
    }
    if (runs == 2u) {
        EXPECT_MARKS("a-task-that-chains-itself-is-told-twice-behind-its-other-activation", "-l+lL");
        TerminateTask();
    }
    EXPECT_MARKS("several-activations-are-told-one-by-one", "-l+lL");
    (void)ActivateTask(High);
    MARK('L');
    EXPECT_MARKS("a-task-that-began-when-another-had-ended-is-told-of-a-higher-one", "-l+hH-h+lL");
    FINISH();
}
