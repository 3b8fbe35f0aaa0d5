/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of a sketch (kernel/time/sketch.c): times of a clock whose second is no round number of ticks, and
 * delays that are longer than the clock's longest time. */
#include "services/services.h"

#include <setjmp.h>

enum { HZ = 31250, LONGEST = CARILLON_CLOCK_FARTHEST };

uint32_t carillon_sketch_millis(void);
uint32_t carillon_sketch_micros(void);
void carillon_sketch_delay(uint32_t ms);

static uint64_t uptime;
static struct {
    uint32_t calls, shortest, longest;
    uint64_t ticks;
    uint32_t fails_at; /* the call that fails, 0: none */
} delays;
static jmp_buf ends;

uint64_t carillon_uptime(void)
{
    return uptime;
}

StatusType carillon_delay(carillon_duration ticks)
{
    delays.calls++;
    delays.ticks += ticks;
    if ((delays.calls == 1u) || (ticks < delays.shortest)) {
        delays.shortest = ticks;
    }
    if (ticks > delays.longest) {
        delays.longest = ticks;
    }
    return (delays.calls == delays.fails_at) ? E_OS_RESOURCE : E_OK;
}

void ShutdownOS(StatusType error)
{
    services.shut_down = error;
    longjmp(ends, 1);
}

static int reset(void **state)
{
    delays.calls = 0u;
    delays.ticks = 0u;
    delays.shortest = 0u;
    delays.longest = 0u;
    delays.fails_at = 0u;
    (void)services_reset(state);
    services_run(FIRST);
    return 0;
}

/* Whether it comes back. */
static bool delay(uint32_t ms)
{
    if (setjmp(ends) != 0) {
        return false;
    }
    carillon_sketch_delay(ms);
    return true;
}

static void t_times(void **state)
{
    (void)state;
    uptime = 0u;
    assert_int_equal(carillon_sketch_millis(), 0u);
    uptime = HZ - 1u; /* 999.968 ms */
    assert_int_equal(carillon_sketch_millis(), 999u);
    assert_int_equal(carillon_sketch_micros(), 999968u);
    uptime = 3u * (uint64_t)HZ + HZ / 2u;
    assert_int_equal(carillon_sketch_millis(), 3500u);
    assert_int_equal(carillon_sketch_micros(), 3500000u);
    /* The product with a thousand has more than 64 bits; 2^45 seconds are no milliseconds modulo 2^32. */
    uptime = ((UINT64_C(1) << 45) + 7u) * HZ;
    assert_int_equal(carillon_sketch_millis(), 7000u);
}

/* 1 ms is 31.25 ticks, rounded up, and one more since it begins within a tick. */
static void t_delay(void **state)
{
    (void)state;
    assert_true(delay(1u));
    assert_int_equal(delays.calls, 1u);
    assert_int_equal(delays.ticks, 33u);
    assert_true(delay(900u));
    assert_int_equal(delays.calls, 2u);
    assert_int_equal(delays.ticks, 33u + 28126u);
}

static void t_no_delay(void **state)
{
    (void)state;
    assert_true(delay(0u));
    assert_int_equal(delays.calls, 0u);
}

/* 10 seconds and a tick are 312501 ticks: nine times 32000, and what is left. */
static void t_long_delay(void **state)
{
    (void)state;
    assert_true(delay(10000u));
    assert_int_equal(delays.calls, 10u);
    assert_int_equal(delays.ticks, 312501u);
    assert_int_equal(delays.longest, LONGEST);
    assert_int_equal(delays.shortest, 24501u);
}

/* 1024 ms and a tick are 32001 ticks: the longest time, and one. */
static void t_whole_parts(void **state)
{
    (void)state;
    assert_true(delay(1024u));
    assert_int_equal(delays.calls, 2u);
    assert_int_equal(delays.shortest, 1u);
}

/* What may not wait, and what fails on the way, ends the system: a sketch has nobody to tell. */
static void t_shuts_down(void **state)
{
    (void)state;
    delays.fails_at = 2u;
    assert_false(delay(10000u));
    assert_int_equal(services.shut_down, E_OS_RESOURCE);
    assert_int_equal(delays.calls, 2u);
    services_run(BASIC);
    assert_false(delay(1u));
    assert_int_equal(services.shut_down, E_OS_CALLEVEL);
    assert_int_equal(delays.calls, 2u);
    assert_false(delay(0u));
}

/* Only the running task's own code may wait: no ISR's, no hook's, nor where no task runs. */
static void t_from_elsewhere(void **state)
{
    (void)state;
    port.current = ISR2_SOURCE;
    assert_false(delay(1u));
    services_run(FIRST);
    carillon_osek_hook = IN_TASK_HOOK;
    assert_false(delay(1u));
    carillon_osek_hook = 0u;
    carillon_osek_running = INVALID_TASK;
    assert_false(delay(1u));
    assert_int_equal(delays.calls, 0u);
    services_run(FIRST);
    assert_true(delay(1u));
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(t_times),         TEST(t_delay),       TEST(t_no_delay),
                                       TEST(t_long_delay),    TEST(t_whole_parts), TEST(t_shuts_down),
                                       TEST(t_from_elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
