/* SPDX-License-Identifier: Apache-2.0
 *
 * The arithmetic of the time base and of tickers (kernel/clock/base.h, ticker.h), with times of 32 bits and of 16. */
#include "levels/port.h"

#include "kernel/clock/ticker.h"

#include <string.h>

enum { UNITS = 100, AT = 1500000000 };

static uint32_t base;
uint32_t carillon_test_base(void)
{
    return base;
}

static void ticks_that_have_passed_are_whole_ones(void **state)
{
    (void)state;
    assert_int_equal(carillon_base_ticks_until(AT, UNITS, AT), 0u);
    assert_int_equal(carillon_base_ticks_until(AT, UNITS, AT - 99u), 0u);
    assert_int_equal(carillon_base_ticks_until(AT, UNITS, AT - 100u), 1u);
    assert_int_equal(carillon_base_ticks_until(AT, UNITS, AT - 399u), 3u);
    assert_int_equal(carillon_base_ticks_until(50u, UNITS, CARILLON_BASE_PERIOD - 50u), 1u); /* it has begun anew */
    base = AT - 250u;
    assert_int_equal(carillon_base_ticks(AT, UNITS), 2u);
}

static void none_has_passed_before_the_first_tick(void **state)
{
    (void)state;
    assert_int_equal(carillon_base_ticks_until(AT, UNITS, AT + 1u), 0u);
    assert_int_equal(carillon_base_units_until(AT, AT + 1u), 0u);
    assert_int_equal(carillon_base_ticks_until(AT, UNITS, (AT - CARILLON_BASE_MOST) + CARILLON_BASE_PERIOD),
                     CARILLON_BASE_MOST / UNITS);
    assert_int_equal(carillon_base_ticks_until(AT, UNITS, (AT - CARILLON_BASE_MOST) + CARILLON_BASE_PERIOD - 1u), 0u);
    assert_int_equal(carillon_base_units_until(AT, (AT - CARILLON_BASE_MOST) + CARILLON_BASE_PERIOD),
                     CARILLON_BASE_MOST);
}

static void ticks_ahead_are_at_least_one(void **state)
{
    (void)state;
    assert_int_equal(carillon_base_ticks_ahead(UNITS), CARILLON_BASE_AHEAD / UNITS);
    assert_int_equal(carillon_base_ticks_ahead(CARILLON_BASE_AHEAD), 1u);
    assert_int_equal(carillon_base_ticks_ahead(CARILLON_BASE_AHEAD + 1u), 1u);
}

#if CARILLON_TICKER_AHEAD
static void a_ticker_is_left_for_no_more_than_base_and_times_hold(void **state)
{
    (void)state;
    const carillon_time most = 60000u;
    assert_int_equal(carillon_ticker_most(10000u, most), CARILLON_BASE_AHEAD / 10000u);
    assert_int_equal(carillon_ticker_most(UNITS, most),
                     (CARILLON_TIME_BITS < 32) ? most : (CARILLON_BASE_AHEAD / UNITS));
}
#endif

static void one_tick_is_told_apart_from_none_and_two(void **state)
{
    (void)state;
    static const struct {
        uint32_t passed;
        bool one;
    } readings[] = {{0u, false}, {99u, false}, {100u, true}, {199u, true}, {200u, false}};
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        base = AT - readings[i].passed;
        assert_int_equal(carillon_base_one(AT, UNITS), readings[i].one);
    }
}

/* Where rounds run already, their time base tells the ticks since time 0; else it has just been started. */
static void the_last_tick_is_counted_from_time_0(void **state)
{
    (void)state;
    const uint32_t last = (CARILLON_MODES == 0) ? CARILLON_BASE_ORIGIN : (CARILLON_BASE_ORIGIN - 200u);
    assert_int_equal(carillon_base_last(UNITS, CARILLON_BASE_ORIGIN - 250u), last);
    assert_int_equal(carillon_base_last(UNITS, CARILLON_BASE_ORIGIN), CARILLON_BASE_ORIGIN);
}

/* The reference moves to the first event at most; where each event has a counter, by a tick, but not past what is due. */
static void the_reference_does_not_pass_the_first_event(void **state)
{
    (void)state;
    static const struct {
        carillon_time left;
        carillon_ticks passed;
        carillon_time step;
    } steps[] = {{0u, 1u, 0u}, {0u, 9u, 0u}, {1u, 1u, 1u}, {1u, 9u, 1u}, {5u, 4u, 4u}, {5u, 5u, 5u}, {5u, 6u, 5u}};
    struct carillon_event event;
    struct carillon_ticker ticker;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        memset(&ticker, 0, sizeof ticker);
        memset(&event, 0, sizeof event);
        ticker.queue.head.next = &event;
        event.time = ticker.queue.head.time = steps[i].left;
        const carillon_time least = (steps[i].step < 1u) ? steps[i].step : 1u;
        assert_int_equal(carillon_ticker_step(&ticker, steps[i].passed),
                         CARILLON_QUEUE_COUNTERS ? least : steps[i].step);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_that_have_passed_are_whole_ones),
        cmocka_unit_test(none_has_passed_before_the_first_tick),
        cmocka_unit_test(ticks_ahead_are_at_least_one),
#if CARILLON_TICKER_AHEAD
        cmocka_unit_test(a_ticker_is_left_for_no_more_than_base_and_times_hold),
#endif
        cmocka_unit_test(one_tick_is_told_apart_from_none_and_two),
        cmocka_unit_test(the_last_tick_is_counted_from_time_0),
        cmocka_unit_test(the_reference_does_not_pass_the_first_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
