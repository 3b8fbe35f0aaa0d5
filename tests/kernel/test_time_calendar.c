/* SPDX-License-Identifier: Apache-2.0
 *
 * The calendar (kernel/time/watch.c), which an alarm of one second counts. */
#include "services/waits.h"

static int reset(void **state)
{
    (void)services_reset(state);
    services_run(FIRST);
    return 0;
}

static const struct carillon_date leap_day = {
    .year = 2024, .month = 2, .day = 29, .hour = 23, .minute = 59, .second = 58};

static StatusType set(void)
{
    return carillon_calendar_set(&leap_day);
}

static void t_places(void **state)
{
    (void)state;
    struct carillon_date date;
    assert_failed(carillon_calendar_get(&date), E_OS_NOFUNC, OSServiceId_Calendar); /* nobody has set it */
    check_places(set, OSServiceId_Calendar, IN_TASK);
    check_places(set, OSServiceId_Calendar, IN_ISR2);
}

static void assert_date(uint16_t year, uint8_t month, uint8_t day, uint8_t hour, uint8_t minute, uint8_t second)
{
    struct carillon_date date;
    assert_succeeded(carillon_calendar_get(&date));
    assert_int_equal(date.year, year);
    assert_int_equal(date.month, month);
    assert_int_equal(date.day, day);
    assert_int_equal(date.hour, hour);
    assert_int_equal(date.minute, minute);
    assert_int_equal(date.second, second);
}

/* The second that is set begins now. */
static void t_counts(void **state)
{
    (void)state;
    services_pass(300u);
    assert_succeeded(set());
    services_pass(999u);
    assert_date(2024u, 2u, 29u, 23u, 59u, 58u);
    services_pass(1u);
    assert_date(2024u, 2u, 29u, 23u, 59u, 59u);
    services_pass(1000u);
    assert_date(2024u, 3u, 1u, 0u, 0u, 0u);
}

static StatusType set_to(uint16_t year, uint8_t month, uint8_t day, uint8_t hour)
{
    const struct carillon_date date = {.year = year, .month = month, .day = day, .hour = hour};
    return carillon_calendar_set(&date);
}

/* There are leap years each fourth year, but for three of four centuries. */
static void t_dates(void **state)
{
    (void)state;
    assert_succeeded(set_to(1970u, 1u, 1u, 0u));
    assert_date(1970u, 1u, 1u, 0u, 0u, 0u);
    assert_succeeded(set_to(2105u, 12u, 31u, 23u));
    assert_date(2105u, 12u, 31u, 23u, 0u, 0u);
    assert_succeeded(set_to(2000u, 2u, 29u, 0u));
    assert_date(2000u, 2u, 29u, 0u, 0u, 0u);
    assert_succeeded(set_to(2100u, 3u, 1u, 0u));
    assert_date(2100u, 3u, 1u, 0u, 0u, 0u);
    assert_failed(set_to(2100u, 2u, 29u, 0u), E_OS_VALUE, OSServiceId_Calendar);
    assert_failed(set_to(2023u, 2u, 29u, 0u), E_OS_VALUE, OSServiceId_Calendar);
    assert_failed(set_to(2024u, 4u, 31u, 0u), E_OS_VALUE, OSServiceId_Calendar);
    assert_failed(set_to(2024u, 4u, 0u, 0u), E_OS_VALUE, OSServiceId_Calendar);
    assert_failed(set_to(2024u, 0u, 1u, 0u), E_OS_VALUE, OSServiceId_Calendar);
    assert_failed(set_to(2024u, 13u, 1u, 0u), E_OS_VALUE, OSServiceId_Calendar);
    assert_failed(set_to(1969u, 12u, 31u, 0u), E_OS_VALUE, OSServiceId_Calendar);
    assert_failed(set_to(2106u, 1u, 1u, 0u), E_OS_VALUE, OSServiceId_Calendar);
    assert_failed(set_to(2024u, 1u, 1u, 24u), E_OS_VALUE, OSServiceId_Calendar);
    assert_date(2100u, 3u, 1u, 0u, 0u, 0u);
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(t_places), TEST(t_counts), TEST(t_dates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
