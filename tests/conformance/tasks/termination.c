/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint8_t depth_of_three;
static volatile bool two_chains;
static volatile uint32_t sums[5];

static uint32_t nest(uint8_t depth)
{
    volatile uint32_t local[3] = {depth, depth + 1u, depth + 2u};
    if (depth == 0u) {
        TerminateTask();
        MARK('!');
        return 0;
    }
    return local[0] + local[1] + local[2] + nest((uint8_t)(depth - 1u));
}

/* Locals of every task must be what they were before others ran and left from the depth of their calls. */
static uint32_t sum_around(TaskType task, uint32_t seed)
{
    volatile uint32_t local[6];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 6u; i++) {
        local[i] = seed * i;
    }
    (void)ActivateTask(task);
    for (uint32_t i = 0; i < 6u; i++) {
        sum += local[i];
    }
    return sum;
}

TASK(Main)
{
    depth_of_three = 0;
    sums[0] = sum_around(One, 1);
    EXPECT_MARKS("tasks-end-in-nested-calls-one-above-the-other", "123321");
    EXPECT_IS("locals-of-the-lowest-task-are-kept", sums[0], 15);
    EXPECT_IS("locals-of-the-second-task-are-kept", sums[1], 30);
    EXPECT_IS("locals-of-the-third-task-are-kept", sums[2], 45);

    depth_of_three = 12;
    sums[1] = 0;
    sums[0] = sum_around(One, 7);
    EXPECT_MARKS("a-deeper-nested-end-unwinds-as-well", "12321");
    EXPECT_IS("locals-are-kept-after-a-deeper-end", sums[0], 105);
    EXPECT_IS("locals-above-are-kept-after-a-deeper-end", sums[1], 30);

    two_chains = true;
    sums[0] = sum_around(One, 2);
    EXPECT_MARKS("a-preempting-task-that-chains-runs-the-next-before-the-preempted-one-goes-on", "123241");
    EXPECT_IS("locals-are-kept-after-a-nested-chain", sums[0], 30);
    EXPECT_IS("locals-above-are-kept-after-a-nested-chain", sums[1], 30);

    for (uint32_t i = 0; i < 200u; i++) {
        (void)ActivateTask(Four);
    }
    EXPECT_IS("two-hundred-nested-ends-leave-no-stack-behind", sums[4], 200);

    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("a-task-that-an-isr-activated-ends-in-a-nested-call", "s3");
    FINISH();
}

TASK(One)
{
    MARK('1');
    sums[1] = sum_around(Two, 2);
    MARK('1');
    nest(3);
}

static void chain_from(uint8_t depth)
{
    volatile uint32_t local = depth;
    if (depth == 0u) {
        ChainTask(Four);
        MARK('!');
    } else {
        chain_from((uint8_t)(depth - 1u));
    }
    local = local + 1u;
}

TASK(Two)
{
    MARK('2');
    sums[2] = sum_around(Three, 3);
    if (two_chains) {
        MARK('2');
        chain_from(6);
    }
    MARK('2');
    nest(1);
}

TASK(Three)
{
    MARK('3');
    if (depth_of_three == 0u && !two_chains) {
        depth_of_three = 1;
        (void)ActivateTask(Three);
    }
    nest(depth_of_three);
}

TASK(Four)
{
    if (two_chains && sums[4] == 0u && sums[3] == 0u) {
        MARK('4');
        sums[3] = 1;
        TerminateTask();
    }
    sums[4] = sums[4] + 1u;
    nest(4);
}

ISR(Signal)
{
    MARK('s');
    depth_of_three = 2;
    (void)ActivateTask(Three);
}
