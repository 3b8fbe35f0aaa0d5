/* SPDX-License-Identifier: Apache-2.0
 *
 * Delays, alarms and other events of the clock that are due together (kernel/time/due.c). */
#include "services/waits.h"

static struct carillon_alarm alarm, other;

static void handler(void)
{
    LOGGED("a@%u", (unsigned)services_now);
}

static void handler_of_other(void)
{
    LOGGED("b@%u", (unsigned)services_now);
}

static struct carillon_alarm calls(void (*function)(void))
{
    return (struct carillon_alarm){.timed.kind = CARILLON_ACTION_CALL, .handler.function = function};
}

static int reset(void **state)
{
    (void)services_reset(state);
    alarm = calls(handler);
    other = calls(handler_of_other);
    return 0;
}

/* Delays that are over, with other events and alone: all that are due go on in that tick, and no other. */
static struct carillon_sleeper sleepers[2];
static void sleep_for(uint32_t number, TaskType task, carillon_time ticks)
{
    struct carillon_sleeper *const sleeper = &sleepers[number];
    *sleeper = (struct carillon_sleeper){.timed = {.kind = CARILLON_ACTION_WAKE, .task = task},
                                         .task = &carillon_osek_tasks[task],
                                         .extended = &services_extended[task]};
    services_extended[task].waited = CARILLON_OSEK_WAKE;
    carillon_time_insert_near(&sleeper->timed, ticks);
}

static void assert_wakes(bool threads, bool alone)
{
    assert_int_equal(services_was_requested(THREADS_SOURCE), threads);
    assert_int_equal(services_was_requested(ALONE_SOURCE), alone);
}

static void t_delays(void **state)
{
    (void)state;
    sleep_for(0u, FIRST, 5u);
    sleep_for(1u, ALONE, 8u);
    services_pass(4u);
    assert_wakes(false, false);
    services_pass(1u);
    assert_wakes(true, false);
    assert_int_equal(services_ring.count, 1u);
    services_pass(2u);
    assert_wakes(false, false);
    services_pass(1u);
    assert_wakes(false, true);
    assert_int_equal(services_extended[ALONE].waited, 0u);
}

/* Delays before and behind an alarm of the same tick. */
static void t_delays_and_alarms(void **state)
{
    (void)state;
    sleep_for(0u, FIRST, 5u);
    assert_succeeded(carillon_alarm_start(&alarm, 5u, 1u));
    sleep_for(1u, ALONE, 5u);
    assert_succeeded(carillon_alarm_start(&other, 9u, 1u));
    services_pass(5u);
    assert_wakes(true, true);
    assert_log("a@5 ");
    services_pass(4u);
    assert_log("b@9 ");
}

/* The delay behind the alarm is the last event that is due, or another alarm is. */
static void t_delay_between(void **state)
{
    (void)state;
    assert_succeeded(carillon_alarm_start(&alarm, 5u, 1u));
    sleep_for(0u, FIRST, 5u);
    assert_succeeded(carillon_alarm_start(&other, 5u, 1u));
    sleep_for(1u, ALONE, 6u);
    services_pass(5u);
    assert_wakes(true, false);
    assert_log("a@5 b@5 ");
    services_pass(1u);
    assert_wakes(false, true);
}

/* Units that alarms give for ever, in the same tick and in the next one: none is given too early. */
static struct carillon_semaphore given[3];
static void t_gives(void **state)
{
    (void)state;
    struct carillon_alarm gives[3];
    for (uint32_t k = 0u; k < 3u; k++) {
        given[k] = (struct carillon_semaphore){.most = 2u};
        gives[k] = (struct carillon_alarm){.timed.kind = CARILLON_ACTION_GIVE, .handler.carillon_semaphore = &given[k]};
        assert_succeeded(carillon_alarm_start_after(&gives[k], 5u + (k / 2u), 7u, CARILLON_INFINITE));
    }
    services_pass(4u);
    assert_int_equal(given[0].count + given[1].count + given[2].count, 0u);
    for (uint32_t count = 1u; count <= 2u; count++) {
        services_pass(1u);
        assert_int_equal(given[0].count, count);
        assert_int_equal(given[1].count, count);
        assert_int_equal(given[2].count, count - 1u);
        services_pass(1u);
        assert_int_equal(given[0].count, count);
        assert_int_equal(given[2].count, count);
        services_pass(5u);
    }
    assert_int_equal(services.failures, 0u);
    services_pass(1u); /* there are as many as there may be */
    assert_int_equal(services.failures, 2u);
    assert_int_equal(services.failure.status, E_OS_LIMIT);
    assert_int_equal(services.failure.service, OSServiceId_SemaphoreV);
    assert_int_equal(given[0].count, 2u);
}

#if CARILLON_CLOCK_COUNTS_ALONE
/* The owner of the queue has counted the tick itself, and asks what is due. */
static void due_after(uint32_t ticks)
{
    services_now += ticks;
    carillon_queue_advance(&carillon_clock_queue, (carillon_time)ticks);
    carillon_time_due();
}

static void t_due(void **state)
{
    (void)state;
    carillon_clock_queue.head.time = 0u; /* it has counted down, empty */
    carillon_time_due();
    assert_int_equal(carillon_queue_left(&carillon_clock_queue), CARILLON_NEVER);
    sleep_for(0u, FIRST, 5u);
    sleep_for(1u, ALONE, 5u);
    due_after(5u);
    assert_wakes(true, true);
    assert_int_equal(carillon_queue_left(&carillon_clock_queue), CARILLON_NEVER);
    carillon_time_insert_near(&sleepers[0].timed, 5u);
    assert_succeeded(carillon_alarm_start(&alarm, 5u, 1u));
    sleep_for(1u, ALONE, 7u);
    due_after(5u);
    assert_wakes(true, false);
    assert_log("a@10 ");
    assert_int_equal(carillon_queue_left(&carillon_clock_queue), 2u);
    due_after(2u);
    assert_wakes(false, true);
    assert_succeeded(carillon_alarm_start(&alarm, 5u, 1u));
    due_after(5u);
    assert_log("a@17 ");
    assert_wakes(false, false);
}
#endif

#if CARILLON_TICKLESS
/* Ticks of a counter that has no interrupt of its own. */
void carillon_osek_tick(uint8_t counter)
{
    LOGGED("counter%u@%u", (unsigned)counter, (unsigned)services_now);
}

static void t_ticks(void **state)
{
    (void)state;
    struct carillon_timed tick = {.kind = CARILLON_ACTION_TICK, .task = 3u};
    carillon_time_insert(&tick, 5u);
    assert_succeeded(carillon_alarm_start(&alarm, 5u, 2u));
    services_pass(10u);
    assert_log("counter3@5 a@5 a@10 ");
}
#endif

#if CARILLON_BUDGETS_IN_QUEUE
/* The budget of the job that runs ends by the clock; it is stopped while the clock is served, unless that counts it. */
static bool stops, goes_on;
void carillon_budget_due(void)
{
    LOGGED("budget@%u", (unsigned)services_now);
    carillon_queue_pop(&carillon_clock_queue);
}

carillon_budget_rest carillon_pause_budget(void)
{
    stops = true;
    return 0u;
}

void carillon_resume_budget(carillon_budget_rest rest)
{
    (void)rest;
    goes_on = true;
}

static void t_budget(void **state)
{
    (void)state;
    struct carillon_timed end = {.kind = CARILLON_ACTION_END_JOB};
    carillon_time_insert(&end, 5u);
    assert_succeeded(carillon_alarm_start(&alarm, 5u, 2u));
    stops = false;
    goes_on = false;
    services_pass(10u);
    assert_log("budget@5 a@5 a@10 ");
    assert_int_equal(stops, CARILLON_CLOCK != CARILLON_CLOCK_TICK);
    assert_int_equal(goes_on, CARILLON_CLOCK != CARILLON_CLOCK_TICK);
}
#endif

/* A wait that has lasted long enough. */
static void t_times_out(void **state)
{
    (void)state;
    struct carillon_waiter waiter = {.sleeper.timed = {.kind = CARILLON_ACTION_TIME_OUT, .task = FIRST}};
    carillon_time_insert(&waiter.sleeper.timed, 3u);
    services_pass(4u);
    assert_log("out@3 ");
    assert_false(carillon_event_is_queued(carillon_time_event(&waiter.sleeper.timed)));
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(t_delays),
        TEST(t_delays_and_alarms),
        TEST(t_delay_between),
        TEST(t_gives),
#if CARILLON_CLOCK_COUNTS_ALONE
        TEST(t_due),
#endif
#if CARILLON_TICKLESS
        TEST(t_ticks),
#endif
#if CARILLON_BUDGETS_IN_QUEUE
        TEST(t_budget),
#endif
        TEST(t_times_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
