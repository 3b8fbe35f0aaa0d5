/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile uint32_t rallies;
static volatile uint32_t sum_of_ping;
static volatile uint32_t sum_of_pong;
static volatile uint32_t basics;
static volatile bool chains = true;

static uint32_t wait_deep(uint32_t depth, uint32_t seed)
{
    volatile uint32_t local[4];
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 4u; i++) {
        local[i] = seed + depth * i;
    }
    if (depth == 0u) {
        (void)WaitEvent(Ball);
        (void)ClearEvent(Ball);
    } else {
        sum = wait_deep(depth - 1u, seed);
    }
    for (uint32_t i = 0; i < 4u; i++) {
        sum += local[i];
    }
    return sum;
}

/* Sum over depths d of 4 * seed + 6 * d. */
static uint32_t expected_sum(uint32_t depth, uint32_t seed)
{
    return (depth + 1u) * 4u * seed + 3u * depth * (depth + 1u);
}

TASK(Ping)
{
    for (uint32_t i = 0; i < 20u; i++) {
        const uint32_t depth = i % 5u;
        if (wait_deep(depth, i) != expected_sum(depth, i)) {
            MARK('!');
        }
        sum_of_ping = sum_of_ping + i;
        (void)ActivateTask(Basic);
        (void)SetEvent(Pong, Ball);
    }
    MARK('i');
    TerminateTask();
}

TASK(Pong)
{
    for (uint32_t i = 0; i < 20u; i++) {
        const uint32_t depth = (i + 3u) % 6u;
        if (wait_deep(depth, 100u + i) != expected_sum(depth, 100u + i)) {
            MARK('!');
        }
        sum_of_pong = sum_of_pong + i;
        rallies = rallies + 1u;
        if (i < 19u) {
            (void)SetEvent(Ping, Ball);
        }
    }
    MARK('o');
    TerminateTask();
}

TASK(Basic)
{
    volatile uint32_t noise[16];
    for (uint32_t i = 0; i < 16u; i++) {
        noise[i] = 0xFFFFFFFFu;
    }
    basics = basics + noise[3] / 0xFFFFFFFFu;
    if (chains) {
        (void)SetEvent(Chain, Ball);
    }
    TerminateTask();
}

TASK(Chain)
{
    static uint32_t runs;
    (void)WaitEvent(Ball);
    (void)ClearEvent(Ball);
    runs++;
    if (runs == 20u) {
        chains = false;
        MARK('c');
        TerminateTask();
    }
    ChainTask(Chain);
}

TASK(Main)
{
    for (uint8_t i = 0; i < 3u; i++) {
        rallies = 0;
        sum_of_ping = 0;
        sum_of_pong = 0;
        (void)ActivateTask(Ping);
        (void)ActivateTask(Pong);
        if (i == 0u) {
            (void)ActivateTask(Chain);
        }
        (void)SetEvent(Ping, Ball);
        if (rallies != 20u || sum_of_ping != 190u || sum_of_pong != 190u) {
            MARK('?');
        }
    }
    EXPECT_MARKS("two-extended-tasks-play-and-keep-their-locals", "cioioio");
    EXPECT_IS("a-basic-task-above-them-ran-each-time", basics, 60);
    FINISH();
}
