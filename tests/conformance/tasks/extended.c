/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t run;
static EventMaskType at_start[4];

static void wait_nested(uint8_t depth)
{
    volatile uint32_t local[3] = {depth, depth, depth};
    if (depth == 0u) {
        (void)WaitEvent(A);
    } else {
        wait_nested((uint8_t)(depth - 1u));
    }
    if (local[0] + local[1] + local[2] != 3u * (uint32_t)depth) {
        MARK('!');
    }
}

TASK(Above)
{
    MARK('a');
    (void)GetEvent(Above, &at_start[run]);
    if (run == 0u) {
        wait_nested(6);
        MARK('w');
        (void)SetEvent(Above, B);
    } else if (run == 1u) {
        (void)WaitEvent(A);
        MARK('x');
    } else {
        MARK('y');
    }
    TerminateTask();
}

TASK(Main)
{
    TaskStateType state = 99u;
    (void)ActivateTask(Above);
    EXPECT_MARKS("an-extended-task-runs-when-activated", "a");
    EXPECT_IS("an-extended-task-begins-with-no-event-set", at_start[0], 0);
    EXPECT_IS("a-waiting-extended-task-cannot-be-activated-again", ActivateTask(Above), E_OS_LIMIT);
    (void)SetEvent(Above, A);
    EXPECT_MARKS("an-extended-task-waits-in-nested-calls", "w");

    run = 1;
    (void)ActivateTask(Above);
    EXPECT_MARKS("an-extended-task-can-be-activated-again-after-its-end", "a");
    EXPECT_IS("events-set-before-its-end-are-cleared-by-the-next-activation", at_start[1], 0);
    (void)GetTaskState(Above, &state);
    EXPECT_IS("it-waits-for-an-event-that-was-set-for-its-first-activation", state, WAITING);
    (void)SetEvent(Above, A);
    EXPECT_MARKS("it-goes-on-in-its-second-activation", "x");
    run = 2;
    (void)ActivateTask(Above);
    EXPECT_MARKS("a-third-activation-runs-to-its-end-without-waiting", "ay");
    EXPECT_IS("events-are-cleared-for-it-too", at_start[2], 0);

    EXPECT_IS("a-lower-extended-task-is-activated", ActivateTask(Below), E_OK);
    EXPECT_IS("a-ready-extended-task-cannot-be-activated-again", ActivateTask(Below), E_OS_LIMIT);
    EXPECT_IS("events-of-a-ready-task-can-be-set", SetEvent(Below, B), E_OK);
    (void)ActivateTask(Equal);
    MARK('m');
    TerminateTask();
}

TASK(Equal)
{
    MARK('e');
    TerminateTask();
}

TASK(Below)
{
    EventMaskType mask = 0;
    static uint8_t runs;
    MARK('b');
    if (runs == 0u) {
        runs = 1;
        EXPECT_MARKS("an-extended-task-waits-for-the-end-of-higher-ones", "meb");
        (void)GetEvent(Below, &mask);
        EXPECT_IS("an-event-set-while-it-was-ready-is-there-when-it-begins", mask, B);
        (void)WaitEvent(A | B);
        MARK('b');
        (void)ChainTask(Below);
        MARK('!');
    }
    EXPECT_MARKS("an-extended-task-chains-itself", "bb");
    EXPECT_IS("the-extended-task-cannot-be-activated-while-it-runs", ActivateTask(Below), E_OS_LIMIT);
    FINISH();
}
