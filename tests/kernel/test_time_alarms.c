/* SPDX-License-Identifier: Apache-2.0
 *
 * Alarms of the time services (kernel/time/alarm.c), and what is done where they are due (due.c).  By a
 * clock that counts in its queue alone, and by one that compares, whose times are short, and whose alarms have a
 * shortest period. */
#include "services/waits.h"

static struct carillon_semaphore semaphore;
static struct carillon_alarm alarm, other;
static void (*in_handler)(void); /* once */

static void handler(void)
{
    LOGGED("a@%u", (unsigned)services_now);
    void (*const what)(void) = in_handler;
    in_handler = NULL;
    if (what != NULL) {
        what();
    }
}

static void handler_of_other(void)
{
    LOGGED("b@%u", (unsigned)services_now);
}

static struct carillon_alarm calls(void (*function)(void))
{
    return (struct carillon_alarm){.timed.kind = CARILLON_ACTION_CALL, .handler.function = function};
}

static struct carillon_alarm gives(void)
{
    return (struct carillon_alarm){.timed.kind = CARILLON_ACTION_GIVE, .handler.carillon_semaphore = &semaphore};
}

static int reset(void **state)
{
    (void)services_reset(state);
    in_handler = NULL;
    semaphore = (struct carillon_semaphore)CARILLON_SEMAPHORE(0);
    alarm = calls(handler);
    other = calls(handler_of_other);
    return 0;
}

/* Where services may be called, and with interrupts enabled alone. */
static struct carillon_period exact_period;
static carillon_duration left;
static StatusType start(void)
{
    return carillon_alarm_start(&alarm, 10u, 2u);
}
static StatusType start_exact(void)
{
    return carillon_alarm_start_exact(&alarm, &exact_period, 2u);
}
static StatusType start_after(void)
{
    return carillon_alarm_start_after(&alarm, 5u, 10u, 2u);
}
#if CARILLON_TIME_NOW
static StatusType start_at(void)
{
    return carillon_alarm_start_at(&alarm, (carillon_time)(carillon_clock_now() + 5u), 10u, 2u);
}
#endif
static StatusType stop(void)
{
    return carillon_alarm_stop(&alarm);
}
static StatusType change(void)
{
    return carillon_alarm_change(&alarm, 20u);
}
static StatusType change_exact(void)
{
    return carillon_alarm_change_exact(&alarm, &exact_period);
}
static StatusType restart(void)
{
    return carillon_alarm_reset(&alarm);
}
static StatusType get_left(void)
{
    return carillon_alarm_left(&alarm, &left);
}

static void t_places(void **state)
{
    (void)state;
    exact_period = (struct carillon_period){.whole = 30u, .numerator = 1u, .denominator = 2u};
    check_places(start_after, OSServiceId_AlarmStart, IN_ISR2);
    check_places(stop, OSServiceId_AlarmStop, IN_ISR2);
#if CARILLON_TIME_NOW
    check_places(start_at, OSServiceId_AlarmStart, IN_ISR2);
    assert_succeeded(stop());
#endif
    check_places(start, OSServiceId_AlarmStart, IN_ISR2);
    check_places(change, OSServiceId_AlarmChange, IN_ISR2);
    check_places(restart, OSServiceId_AlarmReset, IN_ISR2);
    check_places(get_left, OSServiceId_AlarmLeft, IN_ISR2);
    assert_int_equal(left, 20u);
    assert_succeeded(stop());
    check_places(start_exact, OSServiceId_AlarmStart, IN_ISR2);
    check_places(change_exact, OSServiceId_AlarmChange, IN_ISR2);
}

/* What does not run cannot be changed, nor what runs be started. */
static void t_states(void **state)
{
    (void)state;
    exact_period = (struct carillon_period){.whole = 30u, .numerator = 0u, .denominator = 1u};
    assert_failed(stop(), E_OS_NOFUNC, OSServiceId_AlarmStop);
    assert_failed(change(), E_OS_NOFUNC, OSServiceId_AlarmChange);
    assert_failed(change_exact(), E_OS_NOFUNC, OSServiceId_AlarmChange);
    assert_failed(restart(), E_OS_NOFUNC, OSServiceId_AlarmReset);
    assert_failed(get_left(), E_OS_NOFUNC, OSServiceId_AlarmLeft);
    assert_succeeded(start());
    assert_failed(start(), E_OS_STATE, OSServiceId_AlarmStart);
    assert_failed(start_after(), E_OS_STATE, OSServiceId_AlarmStart);
    assert_failed(start_exact(), E_OS_STATE, OSServiceId_AlarmStart);
#if CARILLON_TIME_NOW
    assert_failed(start_at(), E_OS_STATE, OSServiceId_AlarmStart);
#endif
    assert_failed(change_exact(), E_OS_STATE, OSServiceId_AlarmChange);
    services_pass(20u); /* as it was first started: 10, 20 */
    assert_log("a@10 a@20 ");
}

/* An alarm of an exact period has a whole one from the next expiry on. */
static void t_whole_after_exact(void **state)
{
    (void)state;
    exact_period = (struct carillon_period){.whole = 30u, .numerator = 0u, .denominator = 1u};
    assert_succeeded(start_exact());
    assert_succeeded(change());
    services_pass(80u);
    assert_log("a@30 a@50 ");
    (void)carillon_alarm_discard(&alarm);
}

static StatusType started(carillon_duration period, uint32_t count)
{
    const StatusType status = carillon_alarm_start(&alarm, period, count);
    (void)carillon_alarm_discard(&alarm);
    return status;
}
static StatusType started_exact(carillon_duration whole)
{
    struct carillon_period period = {.whole = whole, .numerator = 0u, .denominator = 1u};
    const StatusType status = carillon_alarm_start_exact(&alarm, &period, 2u);
    (void)carillon_alarm_discard(&alarm);
    return status;
}
static StatusType started_after(carillon_duration first, carillon_duration period, uint32_t count)
{
    const StatusType status = carillon_alarm_start_after(&alarm, first, period, count);
    (void)carillon_alarm_discard(&alarm);
    return status;
}

static void t_values(void **state)
{
    (void)state;
    const carillon_duration longest = CARILLON_LONGEST_DURATION;
    assert_failed(started(0u, 2u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_failed(started(longest + 1u, 2u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_failed(started(10u, 0u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_succeeded(started(longest, 2u));
    assert_failed(started_exact(0u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_failed(started_exact(longest), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_succeeded(started_exact(longest - 1u));
    assert_failed(started_after(0u, 10u, 2u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_failed(started_after(10u, 0u, 2u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_failed(started_after(10u, 10u, 0u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_succeeded(started_after(longest, 10u, 2u));
    struct carillon_period none = {.whole = 20u, .numerator = 0u, .denominator = 1u};
    assert_failed(carillon_alarm_start_exact(&alarm, &none, 0u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_succeeded(carillon_alarm_start_exact(&alarm, &none, 1u));
    assert_failed(carillon_alarm_change(&alarm, 0u), E_OS_VALUE, OSServiceId_AlarmChange);
    assert_failed(carillon_alarm_change(&alarm, longest + 1u), E_OS_VALUE, OSServiceId_AlarmChange);
    const struct carillon_period invalid = {.whole = 0u, .numerator = 0u, .denominator = 1u};
    assert_failed(carillon_alarm_change_exact(&alarm, &invalid), E_OS_VALUE, OSServiceId_AlarmChange);
}

#if CARILLON_CLOCK_BEHIND > 0
/* The clock serves an alarm in 4 ticks.  One that expires once is a delay, whose length does not matter. */
static void t_shortest(void **state)
{
    (void)state;
    assert_failed(started(3u, 2u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_succeeded(started(3u, 1u));
    assert_succeeded(started(4u, 2u));
    assert_succeeded(started(5u, CARILLON_INFINITE));
    assert_failed(started_after(10u, 3u, 2u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_succeeded(started_after(2u, 3u, 1u));
    assert_succeeded(started_after(2u, 4u, 2u));
    assert_failed(started_exact(3u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_succeeded(started_exact(4u));
    assert_failed(carillon_alarm_start_at(&alarm, 100u, 3u, 2u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_failed(carillon_alarm_start_at(&alarm, 100u, 10u, 0u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_failed(carillon_alarm_start_at(&alarm, 100u, 0u, 2u), E_OS_VALUE, OSServiceId_AlarmStart);
    assert_succeeded(start());
    assert_failed(carillon_alarm_change(&alarm, 3u), E_OS_VALUE, OSServiceId_AlarmChange);
    assert_succeeded(carillon_alarm_change(&alarm, 4u));
    assert_succeeded(stop());
    exact_period = (struct carillon_period){.whole = 30u, .numerator = 0u, .denominator = 1u};
    assert_succeeded(start_exact());
    const struct carillon_period short_period = {.whole = 3u, .numerator = 1u, .denominator = 2u};
    assert_failed(carillon_alarm_change_exact(&alarm, &short_period), E_OS_VALUE, OSServiceId_AlarmChange);
}

static void t_before_the_clock(void **state)
{
    (void)state;
    exact_period = (struct carillon_period){.whole = 30u, .numerator = 0u, .denominator = 1u};
    carillon_osek_up = false;
    assert_failed(start(), E_OS_CALLEVEL, OSServiceId_AlarmStart);
    assert_failed(start_after(), E_OS_CALLEVEL, OSServiceId_AlarmStart);
    assert_failed(start_exact(), E_OS_CALLEVEL, OSServiceId_AlarmStart);
    assert_failed(start_at(), E_OS_CALLEVEL, OSServiceId_AlarmStart);
    carillon_osek_up = true;
    assert_succeeded(start());
}

/* A time is told from 1 tick ahead to the longest period, 65533 - 49152 ticks; what is behind has passed. */
static void t_start_at(void **state)
{
    (void)state;
    assert_int_equal(CARILLON_LONGEST_PERIOD, 16381u);
    services_pass(100u);
    assert_failed(carillon_alarm_start_at(&alarm, 100u, 10u, 2u), E_OS_LIMIT, OSServiceId_AlarmStart);
    assert_failed(carillon_alarm_start_at(&alarm, 99u, 10u, 2u), E_OS_LIMIT, OSServiceId_AlarmStart);
    assert_failed(carillon_alarm_start_at(&alarm, 100u + 32768u, 10u, 2u), E_OS_LIMIT, OSServiceId_AlarmStart);
    assert_failed(carillon_alarm_start_at(&alarm, 100u + 16382u, 10u, 2u), E_OS_LIMIT, OSServiceId_AlarmStart);
    assert_false(carillon_event_is_queued(carillon_time_event(&alarm.timed)));
    assert_succeeded(carillon_alarm_start_at(&alarm, 100u + 16381u, 10u, 2u));
    assert_succeeded(stop());
    assert_succeeded(carillon_alarm_start_at(&alarm, 101u, 10u, 2u)); /* the next tick */
    assert_succeeded(stop());
    assert_succeeded(carillon_alarm_start_at(&alarm, 103u, 10u, 2u));
    services_pass(30u);
    assert_log("a@103 a@113 ");
}

/* Periods and first intervals that are longer than a time: laps of 65534 ticks are gone through in between. */
static void t_far(void **state)
{
    (void)state;
    assert_succeeded(carillon_alarm_start(&alarm, 70000u, CARILLON_INFINITE));
    assert_int_equal(alarm.timed.kind, CARILLON_ACTION_CALL);
    assert_succeeded(carillon_alarm_start_after(&other, 66000u, 50000u, CARILLON_INFINITE));
    assert_int_equal(other.timed.kind, CARILLON_ACTION_CALL);
    services_pass(140000u);
    assert_log("b@66000 a@70000 b@116000 a@140000 ");
    assert_succeeded(carillon_alarm_change(&alarm, 10u)); /* of the time after its next expiry, which has a lap to go */
    assert_int_equal(alarm.timed.kind, CARILLON_ACTION_CALL);
    assert_succeeded(carillon_alarm_stop(&other));
    services_pass(70000u);
    assert_log("a@210000 ");
    services_pass(20u);
    assert_log("a@210010 a@210020 ");
}

/* The longest period without laps is 65533 ticks. */
static void t_longest_near(void **state)
{
    (void)state;
    assert_succeeded(carillon_alarm_start(&alarm, 65533u, CARILLON_INFINITE));
    assert_int_equal(alarm.timed.kind, CARILLON_ACTION_CALL_FOREVER);
    assert_succeeded(stop());
    assert_succeeded(carillon_alarm_start(&alarm, 65534u, CARILLON_INFINITE));
    assert_int_equal(alarm.timed.kind, CARILLON_ACTION_CALL);
}

/* In its own handler, a far interval counts from this expiry, too. */
static void change_to_far(void)
{
    assert_succeeded(carillon_alarm_change(&alarm, 100000u));
}
static void t_change_to_far(void **state)
{
    (void)state;
    assert_succeeded(carillon_alarm_start(&alarm, 10u, CARILLON_INFINITE));
    in_handler = change_to_far;
    services_pass(100010u);
    assert_log("a@10 a@100010 ");
}

/* A delay with a lap to go. */
static void t_far_delay(void **state)
{
    (void)state;
    struct carillon_sleeper sleeper = {.timed = {.kind = CARILLON_ACTION_WAKE_FAR, .task = ALONE},
                                       .task = &carillon_osek_tasks[ALONE],
                                       .extended = &services_extended[ALONE]};
    services_extended[ALONE].waited = CARILLON_OSEK_WAKE;
    carillon_time_insert(&sleeper.timed, 70000u);
    services_pass(69999u);
    assert_false(services_was_requested(ALONE_SOURCE));
    services_pass(1u);
    assert_true(services_was_requested(ALONE_SOURCE));
    assert_int_equal(services_extended[ALONE].waited, 0u);
}
#endif

/* The kind says which path an alarm takes: a short one if it expires for ever, with whole periods. */
static void t_kinds(void **state)
{
    (void)state;
    struct carillon_period period = {.whole = 10u, .numerator = 1u, .denominator = 2u};
    assert_succeeded(carillon_alarm_start(&alarm, 10u, CARILLON_INFINITE));
    assert_int_equal(alarm.timed.kind, CARILLON_ACTION_CALL_FOREVER);
    assert_succeeded(stop());
    assert_succeeded(carillon_alarm_start(&alarm, 10u, 3u));
    assert_int_equal(alarm.timed.kind, CARILLON_ACTION_CALL);
    assert_succeeded(stop());
    assert_succeeded(carillon_alarm_start_exact(&alarm, &period, CARILLON_INFINITE));
    assert_int_equal(alarm.timed.kind, CARILLON_ACTION_CALL);
    alarm = gives();
    (void)services_reset(state);
    assert_succeeded(carillon_alarm_start(&alarm, 10u, CARILLON_INFINITE));
    assert_int_equal(alarm.timed.kind, CARILLON_ACTION_GIVE_FOREVER);
    assert_succeeded(restart());
    assert_int_equal(alarm.timed.kind, CARILLON_ACTION_GIVE_FOREVER);
    assert_succeeded(stop());
    assert_succeeded(carillon_alarm_start(&alarm, 10u, 3u));
    assert_int_equal(alarm.timed.kind, CARILLON_ACTION_GIVE);
    services_pass(40u);
    assert_int_equal(semaphore.count, 3u);
    alarm = (struct carillon_alarm){.timed.kind = CARILLON_ACTION_ACTIVATE, .timed.task = SECOND};
    assert_succeeded(carillon_alarm_start(&alarm, 10u, CARILLON_INFINITE));
    assert_int_equal(alarm.timed.kind, CARILLON_ACTION_ACTIVATE);
    services_pass(10u);
    assert_int_equal(services.activated, SECOND);
}

/* Half ticks add up: 10.5, 21, 31.5, 42, each rounded down. */
static void t_exact(void **state)
{
    (void)state;
    struct carillon_period period = {.whole = 10u, .numerator = 1u, .denominator = 2u};
    assert_succeeded(carillon_alarm_start_exact(&alarm, &period, 4u));
    services_pass(15u);
    assert_succeeded(restart()); /* at 15, without the half that it has carried: 25.5, 36, 46.5, and once before */
    services_pass(60u);
    assert_log("a@10 a@25 a@36 a@46 ");
}

/* An alarm that is changed in its own handler counts from that expiry; another one has its next expiry first. */
static void change_both(void)
{
    assert_succeeded(carillon_alarm_change(&alarm, 7u));
    assert_succeeded(carillon_alarm_change(&other, 7u));
}
static void t_change(void **state)
{
    (void)state;
    assert_succeeded(carillon_alarm_start(&alarm, 20u, CARILLON_INFINITE));
    assert_succeeded(carillon_alarm_start(&other, 30u, CARILLON_INFINITE));
    in_handler = change_both;
    services_pass(40u);
    assert_log("a@20 a@27 b@30 a@34 b@37 ");
    assert_succeeded(carillon_alarm_change(&alarm, 50u)); /* no handler runs: its next expiry is at 41 still */
    assert_succeeded(carillon_alarm_stop(&other));
    services_pass(60u);
    assert_log("a@41 a@91 ");
}

static bool calling_right;
static void look_who_calls(void)
{
    calling_right = (carillon_alarm_calling() == &alarm);
}
static void t_calling(void **state)
{
    (void)state;
    assert_succeeded(carillon_alarm_start(&alarm, 20u, CARILLON_INFINITE));
    assert_null(carillon_alarm_calling());
    in_handler = look_who_calls;
    services_pass(20u);
    assert_true(calling_right);
    assert_null(carillon_alarm_calling());
}

/* Units that are given for ever: of two semaphores in one tick, one of which is full; and by an alarm that stays the
 * first, or does not. */
static struct carillon_semaphore full = CARILLON_SEMAPHORE_UP_TO(0, 2);
static void t_gives(void **state)
{
    (void)state;
    full.count = 0u;
    alarm = gives();
    struct carillon_alarm second = gives();
    second.handler.carillon_semaphore = &full;
    assert_succeeded(carillon_alarm_start(&alarm, 10u, CARILLON_INFINITE));
    assert_succeeded(carillon_alarm_start(&second, 10u, CARILLON_INFINITE));
    assert_succeeded(carillon_alarm_start(&other, 10u, CARILLON_INFINITE));
    services_pass(10u);
    assert_int_equal(semaphore.count, 1u);
    assert_int_equal(full.count, 1u);
    services_pass(10u);
    assert_int_equal(semaphore.count, 2u);
    assert_int_equal(full.count, 2u);
    assert_int_equal(services.failures, 0u);
    services_pass(10u);
    assert_int_equal(semaphore.count, 3u);
    assert_int_equal(full.count, 2u);
    assert_ptr_equal(services.failure.reference, &full);
    assert_failed(E_OS_LIMIT, E_OS_LIMIT, OSServiceId_SemaphoreV);
    assert_succeeded(carillon_alarm_stop(&second));
    assert_succeeded(carillon_alarm_stop(&other));
    services_pass(25u); /* 40, 50: alone in the queue */
    assert_int_equal(semaphore.count, 5u);
    assert_log("b@10 b@20 b@30 ");
}

/* The same of a count of units: three of them, of which two fit. */
static void t_gives_some(void **state)
{
    (void)state;
    full.count = 0u;
    alarm = gives();
    alarm.handler.carillon_semaphore = &full;
    assert_succeeded(carillon_alarm_start(&alarm, 10u, 3u));
    services_pass(20u);
    assert_int_equal(full.count, 2u);
    assert_int_equal(services.failures, 0u);
    services_pass(20u);
    assert_int_equal(full.count, 2u);
    assert_ptr_equal(services.failure.reference, &full);
    assert_failed(E_OS_LIMIT, E_OS_LIMIT, OSServiceId_SemaphoreV);
}

/* The alarm that repeats and stays the first, or is moved behind another. */
static void t_order(void **state)
{
    (void)state;
    assert_succeeded(carillon_alarm_start(&alarm, 10u, CARILLON_INFINITE));
    assert_succeeded(carillon_alarm_start(&other, 25u, 2u));
    services_pass(50u);
    assert_log("a@10 a@20 b@25 a@30 a@40 b@50 a@50 ");
}

#if CARILLON_TIME_SLACK > 0
/* A slack is set while the alarm rests, up to the longest. */
static StatusType set_slack(void)
{
    return carillon_alarm_set_slack(&alarm, CARILLON_TIME_SLACK);
}
static void t_slack(void **state)
{
    (void)state;
    check_places(set_slack, OSServiceId_AlarmChange, IN_ISR2);
    assert_int_equal(carillon_time_event(&alarm.timed)->slack, CARILLON_TIME_SLACK);
    assert_failed(carillon_alarm_set_slack(&alarm, CARILLON_TIME_SLACK + 1u), E_OS_VALUE, OSServiceId_AlarmChange);
    assert_succeeded(start());
    assert_failed(carillon_alarm_set_slack(&alarm, 1u), E_OS_STATE, OSServiceId_AlarmChange);
    assert_int_equal(carillon_time_event(&alarm.timed)->slack, CARILLON_TIME_SLACK);
}
#endif

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(t_places),
        TEST(t_states),
        TEST(t_whole_after_exact),
        TEST(t_values),
#if CARILLON_CLOCK_BEHIND > 0
        TEST(t_shortest),
        TEST(t_before_the_clock),
        TEST(t_start_at),
        TEST(t_far),
        TEST(t_longest_near),
        TEST(t_change_to_far),
        TEST(t_far_delay),
#endif
        TEST(t_kinds),
        TEST(t_exact),
        TEST(t_change),
        TEST(t_calling),
#if CARILLON_TIME_SLACK > 0
        TEST(t_slack),
#endif
        TEST(t_gives),
        TEST(t_gives_some),
        TEST(t_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
