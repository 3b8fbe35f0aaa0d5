/* SPDX-License-Identifier: Apache-2.0
 *
 * A time service of T2 in whose middle the clock expires: the expiry is swept over its instructions (sweep.h).
 *
 * A pair p is that of the service p / EXPIRIES and of what expires, p % EXPIRIES.  T0, the lowest, sets up what
 * expires after a step of the clock, activates T2, waits until all is over, and asks what has become of it. */
#include "sweep.h"

#include "cells.h"

#include "carillon/time.h"

#define EXPIRING_CELL CLOCK_CELL
#include "expiring.h"

#if CARILLON_CLOCK == CARILLON_CLOCK_TICK
#define STEP 1u
#else
#define STEP INSTRUCTIONS /* one of the clock's ticks is an instruction */
#endif
#define LONG (100u * STEP)

/* What expires. */
enum {
    DELAY_OF_HIGHER,
    DELAY_OF_LOWER,
    FUNCTION,
    TASK_OF_ALARM,
    UNIT,
    UNIT_FOR_HIGHER,
    TIME_OUT,
    EVENT,
    SEVERAL,
    EXPIRIES
};

/* What T2 does. */
enum {
    STOP,
    START,
    START_OTHER,
    CHANGE,
    LEFT,
    STOP_OTHER,
    GIVE,
    TAKE_NOW,
    TAKE_WITHIN,
    TAKE,
    WAIT,
    WAIT_UNTIL,
    NOW,
    STOP_WATCH,
    ACTIVATE,
    SET_EVENT,
    CALENDAR,
    RESET,
    SERVICES
};
static const uint8_t chosen[PROGRAMS] = {CHOSEN};
#define PROGRAM chosen[STATE->program]
#define SERVICE (PROGRAM / EXPIRIES)
#define EXPIRY (PROGRAM % EXPIRIES)

/* A program's words, beside the statuses of services. */
enum { HIGHER = 1, LOWER, FIRST_FUNCTION, OTHER_FUNCTION, THIRD_FUNCTION, OF_ALARM, WRONG };

static void first_function(void);
static void other_function(void);
static void third_function(void);

static struct carillon_semaphore units = CARILLON_SEMAPHORE_UP_TO(0, 1);
static struct carillon_alarm of_function = CARILLON_ALARM_OF_FUNCTION(first_function);
static struct carillon_alarm other = CARILLON_ALARM_OF_FUNCTION(other_function);
static struct carillon_alarm third = CARILLON_ALARM_OF_FUNCTION(third_function);
static struct carillon_alarm of_task = CARILLON_ALARM_OF_TASK(T4);
static struct carillon_alarm of_semaphore = CARILLON_ALARM_OF_SEMAPHORE(&units);
static struct carillon_alarm of_event = CARILLON_ALARM_OF_EVENT(T3, 1);
static struct carillon_chronometer watch;
static carillon_time began_at;

static void come(unsigned what)
{
    note(WORD(OUT, what, 0u));
}

static void wrong(unsigned what)
{
    note(WORD(OUT, WRONG, what));
}

/* What a stop-watch that runs reads never goes back, whoever reads it in between; and never runs ahead, in whole ticks.
 */
static void read_watch(void)
{
    static volatile uint32_t last;
    const uint32_t before = last;
    const uint32_t read = (uint32_t)(carillon_chronometer_units(&watch) / CARILLON_TIME_UNITS);
    const uint32_t ahead = (uint32_t)(carillon_now() - began_at);
    if ((read < before) || (read > ahead)) {
        wrong(1u);
    }
    if (read > last) {
        last = read;
    }
}

static void first_function(void)
{
    come(FIRST_FUNCTION);
    read_watch();
}

static void other_function(void)
{
    come(OTHER_FUNCTION);
}

static void third_function(void)
{
    come(THIRD_FUNCTION);
}

static struct carillon_alarm *alarm(void)
{
    switch (EXPIRY) {
    case TASK_OF_ALARM:
        return &of_task;
    case UNIT:
    case UNIT_FOR_HIGHER:
        return &of_semaphore;
    case EVENT:
        return &of_event;
    default:
        return &of_function;
    }
}

/* Ticks since the clock's step at which something expires. */
static void say_time(void)
{
#if CARILLON_CLOCK == CARILLON_CLOCK_TICK
    note(WORD(OUT, 0u, (uint32_t)(carillon_now() - began_at)));
#endif
}

static void no_less(carillon_time from, carillon_time ticks)
{
    const carillon_time passed = (carillon_time)(carillon_now() - from);
    if ((passed < ticks) || (passed > (ticks + STEP))) {
        wrong(3u);
    }
}

static StatusType set_calendar(uint16_t year)
{
    const struct carillon_date date = {.year = year, .month = 2u, .day = 29u};
    return carillon_calendar_set(&date);
}

/* Returns what the service says. */
static StatusType serve(void)
{
    StatusType status = E_OK;
    carillon_duration left = 0u;
    const carillon_time from = carillon_now();
    carillon_time until = from;
    switch (SERVICE) {
    case STOP:
        status = carillon_alarm_stop(alarm());
        break;
    case START:
        status = carillon_alarm_start(alarm(), 2u * STEP, 1u);
        break;
    case START_OTHER:
        status = carillon_alarm_start(&other, STEP, 2u);
        break;
    case CHANGE:
        status = carillon_alarm_change(alarm(), 2u * STEP);
        break;
    case RESET:
        status = carillon_alarm_reset(alarm());
        break;
    case LEFT:
        status = carillon_alarm_left(alarm(), &left);
        if (left > STEP) {
            wrong(4u);
        }
        break;
    case STOP_OTHER:
        status = carillon_alarm_stop(&other);
        break;
    case GIVE:
        status = carillon_semaphore_v(&units);
        break;
    case TAKE_NOW:
        status = carillon_semaphore_p_within(&units, 0u);
        break;
    case TAKE_WITHIN:
        status = carillon_semaphore_p_within(&units, 2u * STEP);
        break;
    case TAKE:
        status = carillon_semaphore_p(&units);
        break;
    case WAIT:
        status = carillon_delay(STEP);
        no_less(from, STEP);
        break;
    case WAIT_UNTIL:
        status = carillon_delay_until(&until, 2u * STEP);
        no_less(from, 2u * STEP);
        break;
    case NOW: {
        const carillon_time now = carillon_now();
        const carillon_time later = carillon_now();
        if (((carillon_time)(now - from) > STEP) || ((carillon_time)(later - now) > STEP)) {
            wrong(5u); /* it went back */
        }
        break;
    }
    case STOP_WATCH:
        read_watch();
        read_watch();
        break;
    case ACTIVATE:
        status = ActivateTask(T4);
        break;
    case SET_EVENT:
        status = SetEvent(T3, 1u);
        break;
    default:
        status = set_calendar(2000u);
        break;
    }
    return status;
}

TASK(T2)
{
    arm_expiry();
    const StatusType status = serve();
    note(WORD(ERROR, status, 0u)); /* the one of T2's lane: when it comes among the others does not matter */
    (void)TerminateTask();
}

TASK(T1)
{
    done(carillon_delay(STEP));
    come(LOWER);
    say_time();
    (void)TerminateTask();
}

TASK(T3)
{
    switch (EXPIRY) {
    case DELAY_OF_HIGHER:
    case SEVERAL:
        done(carillon_delay(STEP));
        break;
    case UNIT_FOR_HIGHER:
        done(carillon_semaphore_p(&units));
        break;
    case TIME_OUT:
        done(carillon_semaphore_p_within(&units, STEP));
        break;
    default:
        break;
    }
    come(HIGHER);
    if ((EXPIRY == DELAY_OF_HIGHER) || (EXPIRY == SEVERAL)) {
        say_time();
    }
    (void)WaitEvent(1u);
    (void)ClearEvent(1u);
    come(HIGHER);
    (void)TerminateTask();
}

TASK(T4)
{
    come(OF_ALARM);
    if (SERVICE == CALENDAR) {
        note(WORD(ERROR, set_calendar(2004u), 1u));
    }
    (void)TerminateTask();
}

static void ask(void)
{
    carillon_duration left;
    TaskStateType state = 0u;
    for (TaskType task = T1; task <= T4; task++) {
        (void)GetTaskState(task, &state);
        note(WORD(OUT, task, state));
    }
    done(carillon_alarm_left(alarm(), &left));
    done(carillon_alarm_left(&other, &left));
    done(carillon_semaphore_p_within(&units, 0u));
    done(carillon_semaphore_p_within(&units, 0u));
    done(carillon_semaphore_v(&units)); /* who waits for ever goes on */
    done(carillon_semaphore_p_within(&units, 0u));
    read_watch();
}

TASK(T0)
{
    began_at = carillon_now();
    (void)carillon_chronometer_start(&watch);
    if (EXPIRY == SEVERAL) {
        done(carillon_alarm_start(&third, STEP, 1u));
    }
    if (EXPIRY == DELAY_OF_LOWER) {
        (void)ActivateTask(T1);
    }
    (void)ActivateTask(T3);
    if (((EXPIRY >= FUNCTION) && (EXPIRY <= UNIT_FOR_HIGHER)) || (EXPIRY == EVENT) || (EXPIRY == SEVERAL)) {
        done(carillon_alarm_start(alarm(), STEP, 1u));
    }
    if (SERVICE == STOP_OTHER) {
        done(carillon_alarm_start(&other, LONG, 1u));
    }
    (void)ActivateTask(T2);
    disarm_expiry();
    carillon_port_delay(5u * INSTRUCTIONS);
    ask();
    finish();
}

int main(void);
int main(void)
{
    start_sweep();
    StartOS(OSDEFAULTAPPMODE);
}
