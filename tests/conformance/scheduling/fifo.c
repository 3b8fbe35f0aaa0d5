/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t how;
static volatile uint8_t turn;

ISR(Signal)
{
    MARK('s');
    (void)ActivateTask(C);
    (void)ActivateTask(B);
    (void)ActivateTask(A);
}

static void run(uint8_t scenario)
{
    how = scenario;
    turn = 0;
}

TASK(Main)
{
    run(0);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("equal-tasks-run-in-the-order-in-which-an-isr-activated-them", "scba");

    run(1);
    (void)ActivateTask(A);
    EXPECT_MARKS("equal-tasks-run-in-the-order-in-which-a-task-activated-them", "acbab");

    run(2);
    (void)ActivateTask(A);
    EXPECT_MARKS("a-preempted-task-is-older-than-those-activated-meanwhile", "ahabc");

    run(3);
    (void)ActivateTask(A);
    EXPECT_MARKS("a-preempted-task-is-older-than-those-activated-before", "ahabc");

    run(4);
    (void)ActivateTask(A);
    EXPECT_MARKS("a-task-interrupted-by-an-isr-is-older-than-those-that-the-isr-activated", "asacba");

    run(5);
    (void)ActivateTask(A);
    EXPECT_MARKS("a-task-that-releases-a-resource-is-older-than-those-activated-meanwhile", "aahab");

    run(6);
    (void)ActivateTask(D);
    EXPECT_MARKS("a-task-that-calls-schedule-is-older-than-those-activated-before", "dhdbc");

    run(7);
    (void)ActivateTask(A);
    EXPECT_MARKS("a-task-preempted-twice-stays-the-oldest", "ahahabc");

    run(8);
    (void)ActivateTask(A);
    EXPECT_MARKS("a-chained-task-comes-after-those-activated-before", "abcb");

    run(9);
    (void)ActivateTask(A);
    EXPECT_MARKS("tasks-that-keep-activating-each-other-take-turns", "abcabcabc");
    FINISH();
}

TASK(A)
{
    MARK('a');
    turn++;
    switch (how) {
    case 1:
        if (turn == 1u) {
            (void)ActivateTask(C);
            (void)ActivateTask(B);
            (void)ActivateTask(A);
            (void)ActivateTask(B);
        }
        break;
    case 2:
        (void)ActivateTask(High);
        MARK('a');
        break;
    case 3:
        (void)ActivateTask(B);
        (void)ActivateTask(C);
        (void)ActivateTask(High);
        MARK('a');
        break;
    case 4:
        if (turn == 1u) {
            carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
            MARK('a');
        }
        break;
    case 5:
        (void)GetResource(Bus);
        (void)ActivateTask(B);
        (void)ActivateTask(High);
        MARK('a');
        (void)ReleaseResource(Bus);
        MARK('a');
        break;
    case 7:
        (void)ActivateTask(High);
        MARK('a');
        (void)ActivateTask(High);
        MARK('a');
        break;
    case 8:
        (void)ActivateTask(B);
        (void)ActivateTask(C);
        ChainTask(B);
        MARK('!');
        break;
    case 9:
        if (turn == 1u) {
            (void)ActivateTask(B);
            (void)ActivateTask(C);
        }
        if (turn < 7u) {
            (void)ActivateTask(A);
        }
        break;
    default:
        break;
    }
    TerminateTask();
}

TASK(B)
{
    MARK('b');
    turn++;
    if (how == 9u && turn < 7u) {
        (void)ActivateTask(B);
    }
    TerminateTask();
}

TASK(C)
{
    MARK('c');
    turn++;
    if (how == 9u && turn < 7u) {
        ChainTask(C);
    }
    TerminateTask();
}

TASK(D)
{
    MARK('d');
    (void)ActivateTask(B);
    (void)ActivateTask(C);
    (void)ActivateTask(High);
    (void)Schedule();
    MARK('d');
    TerminateTask();
}

TASK(High)
{
    MARK('h');
    if (how == 2u || (how == 7u && turn == 1u)) {
        turn++;
        (void)ActivateTask(B);
        (void)ActivateTask(C);
    }
    TerminateTask();
}
