/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

TASK(Plain)
{
    MARK('p');
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

TASK(Waiter)
{
    MARK('w');
    (void)WaitEvent(Go);
    MARK('w');
}

TASK(Main)
{
    TaskStateType state = 99u;
    (void)ActivateTask(Plain);
    MARK('m');
    EXPECT_MARKS("a-task-that-falls-off-its-end-terminates", "pm");
    (void)GetTaskState(Plain, &state);
    EXPECT_IS("it-is-suspended-then", state, SUSPENDED);
    EXPECT_IS("it-can-be-activated-again", ActivateTask(Plain), E_OK);
    EXPECT_MARKS("it-runs-again", "p");
    (void)ActivateTask(Several);
    EXPECT_MARKS("further-activations-run", "sss");
    (void)ActivateTask(Waiter);
    (void)SetEvent(Waiter, Go);
    (void)GetTaskState(Waiter, &state);
    EXPECT_MARKS("an-extended-task-that-falls-off-terminates", "ww");
    EXPECT_IS("the-extended-task-is-suspended-then", state, SUSPENDED);
    FINISH();
}
