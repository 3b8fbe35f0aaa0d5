/* SPDX-License-Identifier: Apache-2.0
 *
 * Chronometers and the calendar. */
#include "kernel/time/services.h"

#if CARILLON_TIME_RTC
#include "carillon_rtc.h"
#endif

#if CARILLON_OSEK_TIME

#if CARILLON_TIME_NOW
#if CARILLON_TIME_UNITS > 1
static void begin(struct carillon_chronometer *chronometer)
{
    const struct carillon_moment now = carillon_clock_moment();
    chronometer->since = now.ticks;
    chronometer->units = now.units;
}

/* Count what has passed since it was last looked at; locked.  An interrupt that asks the same stop-watch counts all
 * until then; whoever went on with an older time would count that once more, or less than nothing.  If ticks have been
 * lost, the time may have gone back within a tick: nothing is counted until it is where it was. */
static void catch_up(struct carillon_chronometer *chronometer)
{
    if (chronometer->running) {
        const struct carillon_moment now = carillon_clock_moment();
        const carillon_time ticks = (carillon_time)(now.ticks - chronometer->since);
        if ((ticks != 0u) || (now.units > chronometer->units)) {
            chronometer->before += ((uint64_t)ticks * CARILLON_TIME_UNITS) + now.units - chronometer->units;
            chronometer->since = now.ticks;
            chronometer->units = now.units;
        }
    }
}

/* To the nearest tick. */
static inline carillon_distance in_ticks(uint64_t units)
{
    return (carillon_distance)((units + (CARILLON_TIME_UNITS / 2u)) / CARILLON_TIME_UNITS);
}
#else
static void begin(struct carillon_chronometer *chronometer)
{
    chronometer->since = carillon_time_now();
}

/* Count what has passed since it was last looked at; locked.  An interrupt that asks the same stop-watch counts all
 * until then; whoever went on with an older time would count that once more, or less than nothing. */
static void catch_up(struct carillon_chronometer *chronometer)
{
    if (chronometer->running) {
        const carillon_time now = carillon_time_now();
        chronometer->before += (carillon_time)(now - chronometer->since);
        chronometer->since = now;
    }
}

static inline carillon_distance in_ticks(carillon_distance units)
{
    return units;
}
#endif

StatusType carillon_chronometer_start(struct carillon_chronometer *chronometer)
{
    const uint32_t saved = carillon_osek_lock();
    const bool ran = chronometer->running;
    if (!ran) {
        chronometer->running = true;
        begin(chronometer);
    }
    carillon_osek_unlock(saved);
    REQUIRE(!ran, OSServiceId_Chronometer, E_OS_STATE, .reference = chronometer);
    return E_OK;
}

StatusType carillon_chronometer_stop(struct carillon_chronometer *chronometer)
{
    const uint32_t saved = carillon_osek_lock();
    const bool ran = chronometer->running;
    catch_up(chronometer);
    chronometer->running = false;
    carillon_osek_unlock(saved);
    REQUIRE(ran, OSServiceId_Chronometer, E_OS_NOFUNC, .reference = chronometer);
    return E_OK;
}

carillon_units carillon_chronometer_lap_units(struct carillon_chronometer *chronometer)
{
    const uint32_t saved = carillon_osek_lock();
    catch_up(chronometer);
    const carillon_units lap = chronometer->before - chronometer->lap;
    chronometer->lap = chronometer->before;
    carillon_osek_unlock(saved);
    return lap;
}

carillon_distance carillon_chronometer_lap(struct carillon_chronometer *chronometer)
{
    return in_ticks(carillon_chronometer_lap_units(chronometer));
}

void carillon_chronometer_reset(struct carillon_chronometer *chronometer)
{
    const uint32_t saved = carillon_osek_lock();
    catch_up(chronometer);
    chronometer->before = 0u;
    chronometer->lap = 0u;
    carillon_osek_unlock(saved);
}

carillon_units carillon_chronometer_units(struct carillon_chronometer *chronometer)
{
    const uint32_t saved = carillon_osek_lock();
    catch_up(chronometer);
    const carillon_units read = chronometer->before;
    carillon_osek_unlock(saved);
    return read;
}

carillon_distance carillon_chronometer_read(struct carillon_chronometer *chronometer)
{
    return in_ticks(carillon_chronometer_units(chronometer));
}
#endif

#if CARILLON_TIME_CALENDAR
#define DAY UINT32_C(86400)

#if CARILLON_TIME_RTC
void carillon_calendar_start(void)
{
    carillon_rtc_start();
}

/* Locked. */
static StatusType set_to(uint32_t now)
{
    REQUIRE(carillon_rtc_has(now), OSServiceId_Calendar, E_OS_VALUE, .object = 0u);
    REQUIRE(carillon_rtc_write(now), OSServiceId_Calendar, E_OS_NOFUNC, .object = 0u);
    return E_OK;
}

/* Locked; false: there is no date. */
static bool tell(uint32_t *now)
{
    return carillon_rtc_read(now);
}
#else
static uint32_t seconds;
static bool is_set;

static void count(void)
{
    seconds++;
}

/* Locked.  The alarm's first second begins. */
static StatusType set_to(uint32_t now)
{
    static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(count);
    static struct carillon_period second;
    static const struct carillon_period exactly = CARILLON_EXACT(1, 1);
    (void)carillon_alarm_discard(&alarm);
    seconds = now;
    second = exactly;
    const StatusType status = carillon_alarm_start_exact(&alarm, &second, CARILLON_INFINITE);
    is_set = (status == E_OK);
    return status;
}

/* Locked; false: there is no date. */
static bool tell(uint32_t *now)
{
    *now = seconds;
    return is_set;
}
#endif

static bool is_leap(uint32_t year)
{
    return ((year % 4u) == 0u) && (((year % 100u) != 0u) || ((year % 400u) == 0u));
}

static uint32_t days_of(uint32_t month, uint32_t year)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return ((month == 2u) && is_leap(year)) ? 29u : days[month - 1u];
}

StatusType carillon_calendar_set(const struct carillon_date *date)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_Calendar, .object = 0u);
    REQUIRE((date->year >= 1970u) && (date->year <= 2105u) && (date->month >= 1u) && (date->month <= 12u),
            OSServiceId_Calendar, E_OS_VALUE, .object = 0u);
    REQUIRE((date->day >= 1u) && (date->day <= days_of(date->month, date->year)) && (date->hour < 24u) &&
                (date->minute < 60u) && (date->second < 60u),
            OSServiceId_Calendar, E_OS_VALUE, .object = 0u);
    uint32_t days = (uint32_t)date->day - 1u;
    for (uint32_t year = 1970u; year < date->year; year++) {
        days += is_leap(year) ? 366u : 365u;
    }
    for (uint32_t month = 1u; month < date->month; month++) {
        days += days_of(month, date->year);
    }
    const uint32_t now = (days * DAY) + ((uint32_t)date->hour * 3600u) + ((uint32_t)date->minute * 60u) + date->second;
    const uint32_t saved = carillon_osek_lock();
    const StatusType status = set_to(now);
    carillon_osek_unlock(saved);
    return status;
}

StatusType carillon_calendar_seconds(uint32_t *now)
{
    uint32_t told = 0u;
    const uint32_t saved = carillon_osek_lock();
    const bool tells = tell(&told);
    carillon_osek_unlock(saved);
    REQUIRE(tells, OSServiceId_Calendar, E_OS_NOFUNC, .reference = now);
    *now = told;
    return E_OK;
}

StatusType carillon_calendar_get(struct carillon_date *date)
{
    uint32_t now = 0u;
    const StatusType status = carillon_calendar_seconds(&now);
    if (status != E_OK) {
        return status;
    }
    uint32_t days = now / DAY;
    uint32_t year = 1970u;
    while (days >= (is_leap(year) ? 366u : 365u)) { /* bounded by the calendar's 136 years */
        days -= is_leap(year) ? 366u : 365u;
        year++;
    }
    uint32_t month = 1u;
    while (days >= days_of(month, year)) {
        days -= days_of(month, year);
        month++;
    }
    const uint32_t rest = now % DAY;
    *date = (struct carillon_date){
        .year = (uint16_t)year,
        .month = (uint8_t)month,
        .day = (uint8_t)(days + 1u),
        .hour = (uint8_t)(rest / 3600u),
        .minute = (uint8_t)((rest / 60u) % 60u),
        .second = (uint8_t)(rest % 60u),
    };
    return E_OK;
}

#endif

#endif
