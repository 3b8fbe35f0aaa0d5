/* SPDX-License-Identifier: Apache-2.0
 *
 * The calendar (kernel/time/watch.c), which an alarm of one second counts, or a device does (services/carillon_rtc.h). */
#include "services/waits.h"

#include <time.h>

#if CARILLON_TIME_RTC
#include "services/carillon_rtc.h"

uint32_t test_rtc, test_rtc_mask;
bool test_rtc_starts, test_rtc_fails;
enum { FIRST_YEAR = 2000 };
#else
enum { FIRST_YEAR = 1970 };
#endif

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
#if !CARILLON_TIME_RTC
    struct carillon_date date;
    assert_failed(carillon_calendar_get(&date), E_OS_NOFUNC, OSServiceId_Calendar); /* nobody has set it */
#endif
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

#if CARILLON_TIME_RTC
/* What the device cannot tell or keep is an error, and it is asked with the kernel locked. */
static void t_device(void **state)
{
    (void)state;
    struct carillon_date date;
    uint32_t now = 7u;
    carillon_calendar_start();
    assert_true(test_rtc_starts);
    assert_succeeded(set());
    assert_int_equal(test_rtc_mask, carillon_port_mask_of(CARILLON_OSEK_TOP));
    test_rtc_mask = 0u;
    assert_succeeded(carillon_calendar_seconds(&now));
    assert_int_equal(now, test_rtc);
    assert_int_equal(test_rtc_mask, carillon_port_mask_of(CARILLON_OSEK_TOP));
    test_rtc_fails = true;
    assert_failed(set(), E_OS_NOFUNC, OSServiceId_Calendar);
    assert_failed(carillon_calendar_get(&date), E_OS_NOFUNC, OSServiceId_Calendar);
    test_rtc++;
    assert_failed(carillon_calendar_seconds(&now), E_OS_NOFUNC, OSServiceId_Calendar);
    assert_int_equal(now, test_rtc - 1u);
    test_rtc_fails = false;
    const struct carillon_date before = {
        .year = 1999u, .month = 12u, .day = 31u, .hour = 23u, .minute = 59u, .second = 59u};
    const uint32_t kept = test_rtc;
    assert_failed(carillon_calendar_set(&before), E_OS_VALUE, OSServiceId_Calendar);
    assert_int_equal(test_rtc, kept);
}
#else
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
    services_pass(300u);
    assert_succeeded(set()); /* in the middle of a second */
    services_pass(999u);
    assert_date(2024u, 2u, 29u, 23u, 59u, 58u);
    services_pass(1u);
    assert_date(2024u, 2u, 29u, 23u, 59u, 59u);
}
#endif

/* Each day, as the C library has it. */
static void t_days(void **state)
{
    (void)state;
    uint32_t second = 0u;
    for (time_t day = 0; day <= 49673; day++) {
        second = (second + 35291u) % 86400u;
        const time_t all = (day * 86400) + second;
        const struct tm parts = *gmtime(&all);
        const uint16_t year = (uint16_t)(parts.tm_year + 1900);
        if ((year < FIRST_YEAR) || (year > 2105u)) {
            continue;
        }
        const struct carillon_date date = {.year = year,
                                           .month = (uint8_t)(parts.tm_mon + 1),
                                           .day = (uint8_t)parts.tm_mday,
                                           .hour = (uint8_t)parts.tm_hour,
                                           .minute = (uint8_t)parts.tm_min,
                                           .second = (uint8_t)parts.tm_sec};
        assert_succeeded(carillon_calendar_set(&date));
        uint32_t now = 0u;
        assert_succeeded(carillon_calendar_seconds(&now));
        assert_int_equal(now, (uint32_t)all);
        assert_date(date.year, date.month, date.day, date.hour, date.minute, date.second);
    }
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
    assert_succeeded(set_to(FIRST_YEAR, 1u, 1u, 0u));
    assert_date(FIRST_YEAR, 1u, 1u, 0u, 0u, 0u);
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
    struct carillon_date date = leap_day;
    date.minute = 60u;
    assert_failed(carillon_calendar_set(&date), E_OS_VALUE, OSServiceId_Calendar);
    date.minute = 0u;
    date.second = 60u;
    assert_failed(carillon_calendar_set(&date), E_OS_VALUE, OSServiceId_Calendar);
    assert_date(2100u, 3u, 1u, 0u, 0u, 0u);
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(t_places),
        TEST(t_dates),
        TEST(t_days),
#if CARILLON_TIME_RTC
        TEST(t_device),
#else
        TEST(t_counts),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
