/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

enum what { SELF, HIGHER, LOWER, EQUAL, OVER_LIMIT, DEEP, QUEUED_SELF, SEVERAL_SELF, SELF_BY_VARIABLE };

static volatile enum what what;
static volatile uint8_t turns;
static volatile TaskType by_variable;
static StatusType status;
static TaskStateType state_in_next;

static void deep(uint8_t depth)
{
    volatile uint32_t local[4] = {depth, depth, depth, depth};
    if (depth == 0u) {
        (void)ChainTask(Equal);
    } else {
        deep((uint8_t)(depth - 1u));
    }
    MARK('!');
    local[0] = local[1];
}

TASK(Chainer)
{
    MARK('c');
    switch (what) {
    case SELF:
        if (turns++ < 3u) {
            ChainTask(Chainer);
            MARK('!');
        }
        break;
    case SELF_BY_VARIABLE:
        by_variable = Chainer;
        if (turns++ < 3u) {
            ChainTask(by_variable);
            MARK('!');
        }
        break;
    case HIGHER:
        ChainTask(High);
        MARK('!');
        break;
    case LOWER:
        ChainTask(Low);
        MARK('!');
        break;
    case EQUAL:
        ChainTask(Equal);
        MARK('!');
        break;
    case OVER_LIMIT:
        (void)ActivateTask(Equal);
        status = ChainTask(Equal);
        MARK('g');
        status = (StatusType)(status + 16u * ChainTask(Main));
        MARK('g');
        break;
    case DEEP:
        deep(5);
        break;
    case QUEUED_SELF:
        if (turns++ == 0u) {
            (void)ActivateTask(Equal);
            ChainTask(Chainer);
            MARK('!');
        }
        break;
    default:
        MARK('!');
        break;
    }
    TerminateTask();
}

TASK(Several)
{
    MARK('s');
    if (turns++ == 0u) {
        (void)ActivateTask(Several);
        (void)ActivateTask(Equal);
        status = ChainTask(Several);
        MARK('!');
    }
    if (turns == 2u) {
        (void)ActivateTask(Several);
        status = ActivateTask(Several);
    }
    TerminateTask();
}

TASK(Equal)
{
    MARK('e');
    (void)GetTaskState(Chainer, &state_in_next);
    TerminateTask();
}

TASK(High)
{
    MARK('h');
    (void)GetTaskState(Chainer, &state_in_next);
    TerminateTask();
}

TASK(Low)
{
    MARK('l');
    EXPECT_MARKS("a-lower-task-chained-to-waits-until-the-others-ended", "cml");
    TaskStateType state = 99u;
    (void)GetTaskState(Chainer, &state);
    EXPECT_IS("the-chaining-task-is-suspended-when-the-lower-one-runs", state, SUSPENDED);
    FINISH();
}

TASK(Main)
{
    what = SELF;
    turns = 0;
    EXPECT_IS("activating-the-chaining-task-returns-ok", ActivateTask(Chainer), E_OK);
    EXPECT_MARKS("a-task-with-one-activation-chains-itself", "cccc");

    what = SELF_BY_VARIABLE;
    turns = 0;
    (void)ActivateTask(Chainer);
    EXPECT_MARKS("a-task-chains-itself-by-a-variable", "cccc");

    what = QUEUED_SELF;
    turns = 0;
    (void)ActivateTask(Chainer);
    EXPECT_MARKS("a-task-that-chains-itself-comes-after-those-of-its-priority-that-were-activated-before", "cec");

    what = HIGHER;
    state_in_next = 99u;
    (void)ActivateTask(Chainer);
    EXPECT_MARKS("chaining-to-a-higher-task", "ch");
    EXPECT_IS("the-chaining-task-has-terminated-when-the-higher-one-runs", state_in_next, SUSPENDED);

    what = EQUAL;
    state_in_next = 99u;
    (void)ActivateTask(Chainer);
    EXPECT_MARKS("chaining-to-an-equal-task", "ce");
    EXPECT_IS("the-chaining-task-has-terminated-when-the-equal-one-runs", state_in_next, SUSPENDED);

    what = DEEP;
    (void)ActivateTask(Chainer);
    EXPECT_MARKS("chaining-from-nested-functions-unwinds", "ce");

    what = OVER_LIMIT;
    status = E_OK;
    (void)ActivateTask(Chainer);
    EXPECT_MARKS("chaining-over-the-limit-returns-and-the-task-goes-on", "cgge");
    EXPECT_IS("chaining-to-a-ready-and-to-a-preempted-task-is-over-the-limit", status, E_OS_LIMIT + 16u * E_OS_LIMIT);

    turns = 0;
    status = 99u;
    (void)ActivateTask(Several);
    /* Several activates itself (its second activation), activates Equal and chains itself: third in the queue. */
    EXPECT_MARKS("a-task-chained-to-itself-is-queued-behind-its-own-other-activation", "sses");
    EXPECT_IS("while-two-activations-are-recorded-a-third-is-over-the-limit", status, E_OS_LIMIT);

    what = LOWER;
    (void)ActivateTask(Chainer);
    MARK('m');
    TerminateTask();
}
