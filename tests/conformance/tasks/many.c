/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

#define TASKS 20u
static volatile bool activates_next;

static const TaskType tasks[TASKS] = {T00, T01, T02, T03, T04, T05, T06, T07, T08, T09,
                                      T10, T11, T12, T13, T14, T15, T16, T17, T18, T19};

static void body(char letter)
{
    const uint32_t next = (uint32_t)(letter - 'a') + 1u;
    MARK(letter);
    if (activates_next) {
        if (next < TASKS) {
            (void)ActivateTask(tasks[next]);
        }
        MARK(letter);
    }
}

TASK(T00)
{
    body('a');
    TerminateTask();
}

TASK(T01)
{
    body('b');
    TerminateTask();
}

TASK(T02)
{
    body('c');
    TerminateTask();
}

TASK(T03)
{
    body('d');
    TerminateTask();
}

TASK(T04)
{
    body('e');
    TerminateTask();
}

TASK(T05)
{
    body('f');
    TerminateTask();
}

TASK(T06)
{
    body('g');
    TerminateTask();
}

TASK(T07)
{
    body('h');
    TerminateTask();
}

TASK(T08)
{
    body('i');
    TerminateTask();
}

TASK(T09)
{
    body('j');
    TerminateTask();
}

TASK(T10)
{
    body('k');
    TerminateTask();
}

TASK(T11)
{
    body('l');
    TerminateTask();
}

TASK(T12)
{
    body('m');
    TerminateTask();
}

TASK(T13)
{
    body('n');
    TerminateTask();
}

TASK(T14)
{
    body('o');
    TerminateTask();
}

TASK(T15)
{
    body('p');
    TerminateTask();
}

TASK(T16)
{
    body('q');
    TerminateTask();
}

TASK(T17)
{
    body('r');
    TerminateTask();
}

TASK(T18)
{
    body('s');
    TerminateTask();
}

TASK(T19)
{
    body('t');
    TerminateTask();
}

ISR(Signal)
{
    for (uint32_t i = 0; i < TASKS; i++) {
        if (ActivateTask(tasks[i]) != E_OK) {
            MARK('!');
        }
    }
    for (uint32_t i = 0; i < TASKS; i++) {
        if (ActivateTask(tasks[i]) == E_OK) {
            MARK(' ');
        }
    }
}

TASK(Main)
{
    for (uint32_t i = 0; i < TASKS; i++) {
        (void)ActivateTask(tasks[i]);
    }
    EXPECT_MARKS("each-of-twenty-tasks-runs-at-once", "abcdefghijklmnopqrst");

    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("twenty-tasks-and-five-second-activations-run-by-priority-and-order",
                 "     stqrqopmnmklijighefecdaba");

    activates_next = true;
    (void)ActivateTask(tasks[0]);
    EXPECT_MARKS("ten-levels-of-preemption-nest", "aabccdeefgghiijkklmmnoopqqrssttrpnljhfdb");
    FINISH();
}
