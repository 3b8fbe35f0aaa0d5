/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t turn;
static volatile uint8_t by_signal;
static StatusType statuses[6];
static TaskStateType states[3];

static TaskStateType state_of(TaskType task)
{
    TaskStateType state = 99u;
    (void)GetTaskState(task, &state);
    return state;
}

TASK(Main)
{
    EXPECT_IS("the-first-activation-is-recorded", ActivateTask(Low), E_OK);
    EXPECT_IS("the-second-activation-is-recorded", ActivateTask(Low), E_OK);
    EXPECT_IS("an-equal-tasks-activation-is-recorded-between", ActivateTask(Lower), E_OK);
    EXPECT_IS("the-third-activation-is-recorded", ActivateTask(Low), E_OK);
    EXPECT_IS("an-equal-tasks-second-activation-is-recorded", ActivateTask(Lower), E_OK);
    EXPECT_IS("the-last-activation-is-recorded", ActivateTask(Low), E_OK);
    EXPECT_IS("one-more-is-over-the-limit", ActivateTask(Low), E_OS_LIMIT);
    EXPECT_IS("the-equal-tasks-third-activation-is-recorded", ActivateTask(Lower), E_OK);
    EXPECT_IS("the-equal-tasks-fourth-activation-is-over-the-limit", ActivateTask(Lower), E_OS_LIMIT);
    EXPECT_IS("several-activations-are-one-ready-task", state_of(Low), READY);

    /* A higher task runs each activation at once, so that its limit is not reached. */
    for (uint32_t i = 0; i < 5u; i++) {
        statuses[0] = ActivateTask(High);
    }
    EXPECT_IS("activations-that-are-served-at-once-never-reach-the-limit", statuses[0], E_OK);
    EXPECT_MARKS("each-activation-of-a-higher-task-runs-at-once", "hhhhh");

    (void)ActivateTask(Mid);
    EXPECT_MARKS("a-task-that-activates-itself-runs-again-behind-an-equal-one-activated-before", "MhHhhm");
    EXPECT_IS("a-task-asks-for-itself-while-it-runs", statuses[1], E_OK);
    EXPECT_IS("a-task-asks-for-itself-again-while-it-runs", statuses[2], E_OK);
    EXPECT_IS("the-activation-that-runs-counts-for-the-limit", statuses[3], E_OS_LIMIT);
    EXPECT_IS("a-running-task-with-further-activations-is-running", states[0], RUNNING);
    EXPECT_IS("between-two-activations-a-task-is-ready", states[1], READY);
    EXPECT_IS("after-the-last-activation-it-is-suspended", state_of(High), SUSPENDED);

    by_signal = 1;
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("several-activations-from-an-isr-run-after-it", "sshHhHh");
    EXPECT_IS("an-activation-over-the-limit-from-an-isr", statuses[4], E_OS_LIMIT);
    TerminateTask();
}

TASK(Mid)
{
    MARK('M');
    turn = 1;
    (void)ActivateTask(High);
    MARK('m');
    TerminateTask();
}

TASK(High)
{
    MARK('h');
    if (turn == 1u) {
        turn = 2;
        (void)ActivateTask(Higher);
        statuses[1] = ActivateTask(High);
        statuses[2] = ActivateTask(High);
        statuses[3] = ActivateTask(High);
        states[0] = state_of(High);
    }
    TerminateTask();
}

TASK(Higher)
{
    MARK('H');
    if (by_signal == 0u) {
        states[1] = state_of(High);
    }
    TerminateTask();
}

ISR(Signal)
{
    MARK('s');
    (void)ActivateTask(High);
    (void)ActivateTask(Higher);
    (void)ActivateTask(High);
    (void)ActivateTask(Higher);
    (void)ActivateTask(High);
    statuses[4] = ActivateTask(High);
    MARK('s');
}

TASK(Low)
{
    static uint8_t runs;
    MARK('l');
    runs++;
    if (runs == 4u) {
        EXPECT_IS("the-equal-task-is-ready-behind-the-last-activation", state_of(Lower), READY);
    }
    TerminateTask();
}

TASK(Lower)
{
    static uint8_t runs;
    MARK('L');
    if (++runs == 3u) {
        EXPECT_MARKS("activations-run-in-the-order-in-which-they-were-asked-for", "llLlLlL");
        EXPECT_IS("the-task-whose-activations-all-ran-is-suspended", state_of(Low), SUSPENDED);
        FINISH();
    }
    TerminateTask();
}
