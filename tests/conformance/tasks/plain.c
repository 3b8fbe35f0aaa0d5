/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

enum what { SELF, SELF_BY_VARIABLE, SELF_DEEP, HIGHER, HIGHER_BY_VARIABLE, LOWER, OVER_LIMIT, TWO_HIGHER, REQUESTED };

static volatile enum what what;
static volatile uint8_t turns;
static volatile TaskType by_variable;
static StatusType statuses[3];
static TaskStateType states[2];
static TaskType identity;

static void chain_deep(uint8_t depth)
{
    volatile uint32_t local = depth;
    if (depth == 0u) {
        (void)ChainTask(Chainer);
        MARK('!');
    } else {
        chain_deep((uint8_t)(depth - 1u));
    }
    local = local + 1u;
}

ISR(Signal)
{
    MARK('s');
    statuses[0] = ActivateTask(Chainer);
    statuses[1] = ActivateTask(High);
    (void)GetTaskState(Chainer, &states[0]);
    (void)GetTaskState(High, &states[1]);
    (void)GetTaskID(&identity);
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
    case SELF_DEEP:
        if (turns++ < 3u) {
            chain_deep(4);
            MARK('!');
        }
        break;
    case HIGHER:
        ChainTask(High);
        MARK('!');
        break;
    case HIGHER_BY_VARIABLE:
        by_variable = High;
        ChainTask(by_variable);
        MARK('!');
        break;
    case LOWER:
        ChainTask(Low);
        MARK('!');
        break;
    case OVER_LIMIT:
        statuses[0] = ChainTask(Main);
        MARK('g');
        by_variable = Main;
        statuses[1] = ChainTask(by_variable);
        MARK('g');
        statuses[2] = ActivateTask(Chainer);
        break;
    case TWO_HIGHER:
        (void)ActivateTask(Between);
        (void)ActivateTask(High);
        MARK('c');
        break;
    default:
        carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
        MARK('c');
        break;
    }
    TerminateTask();
}

TASK(Between)
{
    MARK('b');
    TerminateTask();
}

TASK(High)
{
    MARK('h');
    if (what == HIGHER || what == HIGHER_BY_VARIABLE) {
        (void)GetTaskState(Chainer, &states[0]);
        (void)GetTaskID(&identity);
    }
    TerminateTask();
}

TASK(Low)
{
    MARK('l');
    EXPECT_MARKS("chaining-to-a-lower-task", "cml");
    FINISH();
}

static void run(enum what scenario)
{
    what = scenario;
    turns = 0;
    states[0] = 99u;
    identity = INVALID_TASK;
    (void)ActivateTask(Chainer);
}

TASK(Main)
{
    run(SELF);
    EXPECT_MARKS("a-task-chains-itself", "cccc");
    run(SELF_BY_VARIABLE);
    EXPECT_MARKS("a-task-chains-itself-by-a-variable", "cccc");
    run(SELF_DEEP);
    EXPECT_MARKS("a-task-chains-itself-from-nested-calls", "cccc");
    run(HIGHER);
    EXPECT_MARKS("chaining-to-a-higher-task", "ch");
    EXPECT_IS("the-higher-task-runs-when-the-other-has-ended", states[0], SUSPENDED);
    EXPECT_IS("the-higher-task-is-the-one-that-runs", identity, High);
    run(HIGHER_BY_VARIABLE);
    EXPECT_MARKS("chaining-to-a-higher-task-by-a-variable", "ch");
    EXPECT_IS("by-a-variable-too-when-the-other-has-ended", states[0], SUSPENDED);
    run(OVER_LIMIT);
    EXPECT_MARKS("chaining-over-the-limit-goes-on", "cgg");
    EXPECT_IS("chaining-over-the-limit-returns-it", statuses[0], E_OS_LIMIT);
    EXPECT_IS("chaining-over-the-limit-by-a-variable-returns-it", statuses[1], E_OS_LIMIT);
    EXPECT_IS("activating-oneself-is-over-the-limit", statuses[2], E_OS_LIMIT);
    run(TWO_HIGHER);
    EXPECT_MARKS("each-higher-task-preempts", "cbhc");
    run(REQUESTED);
    EXPECT_MARKS("an-isr-activates-the-task-it-interrupted-and-a-higher-one", "cshc");
    EXPECT_IS("the-interrupted-task-is-over-its-limit", statuses[0], E_OS_LIMIT);
    EXPECT_IS("the-higher-task-is-not", statuses[1], E_OK);
    EXPECT_IS("the-interrupted-task-is-running", states[0], RUNNING);
    EXPECT_IS("the-higher-task-is-ready", states[1], READY);
    EXPECT_IS("the-interrupted-task-is-the-current-one", identity, Chainer);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("an-isr-activates-two-tasks", "shcshc");
    run(LOWER);
    MARK('m');
    TerminateTask();
}
