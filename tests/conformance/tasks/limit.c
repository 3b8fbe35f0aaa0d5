/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

#define MOST 255u

static volatile uint32_t runs_of_one;
static volatile uint32_t runs_of_other;
static volatile uint32_t out_of_turn;
static uint32_t recorded;
static StatusType statuses[2];

static uint32_t activate(TaskType first, TaskType second)
{
    uint32_t recorded = 0;
    for (uint32_t i = 0; i < MOST; i++) {
        recorded += (ActivateTask(first) == E_OK) ? 1u : 0u;
        recorded += (ActivateTask(second) == E_OK) ? 1u : 0u;
    }
    return recorded;
}

TASK(Main)
{
    recorded = activate(One, Other);
    statuses[0] = ActivateTask(One);
    statuses[1] = ActivateTask(Other);
    (void)ActivateTask(Last);
    TerminateTask();
}

TASK(One)
{
    out_of_turn += (runs_of_one == runs_of_other) ? 0u : 1u;
    runs_of_one++;
    TerminateTask();
}

TASK(Other)
{
    runs_of_other++;
    out_of_turn += (runs_of_one == runs_of_other) ? 0u : 1u;
    TerminateTask();
}

TASK(Last)
{
    static bool again;
    EXPECT_IS(again ? "again-every-activation-is-recorded" : "every-activation-is-recorded", recorded, 2u * MOST);
    EXPECT_IS(again ? "again-one-more-is-over-the-limit" : "one-more-is-over-the-limit", statuses[0], E_OS_LIMIT);
    EXPECT_IS(again ? "again-one-more-of-the-other-too" : "one-more-of-the-other-too", statuses[1], E_OS_LIMIT);
    EXPECT_IS(again ? "again-the-one-ran-for-each" : "the-one-ran-for-each-activation", runs_of_one, MOST);
    EXPECT_IS(again ? "again-the-other-ran-for-each" : "the-other-ran-for-each-activation", runs_of_other, MOST);
    EXPECT_IS(again ? "again-in-turn" : "in-the-order-of-the-activations", out_of_turn, 0);
    if (again) {
        FINISH();
    }
    again = true;
    runs_of_one = 0;
    runs_of_other = 0;
    ChainTask(Main);
}
