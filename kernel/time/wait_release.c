/* SPDX-License-Identifier: Apache-2.0
 *
 * Offsets and deadlines of threads.
 *
 * 1. A thread with an offset is activated by an alarm that StartOS starts.
 * 2. A thread with a deadline is released when it is activated, and at each time for which it waits with
 *    carillon_delay_until.  It has met the deadline when it ends, or waits for the next such time.
 * 3. The deadline is an event of the clock, which is taken out when it is met.  It counts from the release, however
 *    late the thread has gone on or asks for the next one.
 * 4. One that has passed when the thread asks for its release, or that is due when it would be taken out, is missed:
 *    the thread may meet nothing any more.  It is counted, and told at the next tick, by an event of its own, as the
 *    deadline's event is that of the next release by then.  So each release is told once, however the thread catches
 *    up. */
#include "kernel/time/wait_steps.h"

#if CARILLON_OSEK_TIME

#if CARILLON_TIME_OFFSETS > 0
static void start_offsets(void)
{
    static struct carillon_alarm offsets[CARILLON_TIME_OFFSETS];
    for (uint_fast8_t k = 0u; k < CARILLON_TIME_OFFSETS; k++) {
        offsets[k].timed.kind = CARILLON_ACTION_ACTIVATE;
        offsets[k].timed.task = carillon_time_offsets[k].thread;
        offsets[k].left = 1u;
        carillon_time_insert(&offsets[k].timed, (carillon_duration)carillon_time_offsets[k].ticks);
    }
}
#else
static inline void start_offsets(void)
{
}
#endif

#if CARILLON_TIME_DEADLINES > 0
static struct carillon_timed deadlines[CARILLON_TIME_DEADLINES];
static struct carillon_timed passed[CARILLON_TIME_DEADLINES];
static uint16_t untold[CARILLON_TIME_DEADLINES];

/* The place of a thread's deadline, CARILLON_TIME_DEADLINES: it has none.  Bounded by that number. */
static uint_fast8_t place_of(TaskType thread)
{
    uint_fast8_t place = 0u;
    while ((place < CARILLON_TIME_DEADLINES) && (carillon_time_deadlines[place].thread != thread)) {
        place++;
    }
    return place;
}

/* A deadline has passed that no event has told. */
static void miss(uint_fast8_t place)
{
    untold[place]++;
    if (!carillon_event_is_queued(carillon_time_event(&passed[place]))) {
        passed[place].kind = CARILLON_ACTION_CHECK_DEADLINE;
        passed[place].task = carillon_time_deadlines[place].thread;
        carillon_time_insert_near(&passed[place], 1u);
    }
}

void carillon_time_deadline_due(struct carillon_timed *timed)
{
    const uint_fast8_t place = place_of(timed->task);
    if (timed == &passed[place]) {
        while (untold[place] != 0u) { /* the releases that the thread has caught up with in a tick */
            untold[place]--;
            carillon_time_tell_missed(timed->task);
        }
    } else {
        carillon_time_tell_missed(timed->task);
    }
}

static void take_out(uint_fast8_t place)
{
    if (carillon_event_is_queued(carillon_time_event(&deadlines[place]))) {
        const bool is_due = carillon_time_left(&deadlines[place]) == 0u;
        carillon_clock_remove(carillon_time_event(&deadlines[place]));
        if (is_due) {
            miss(place);
        }
    }
}

static void release_now(uint_fast8_t place)
{
    take_out(place);
    deadlines[place].kind = CARILLON_ACTION_CHECK_DEADLINE;
    deadlines[place].task = carillon_time_deadlines[place].thread;
    carillon_time_insert_near(&deadlines[place], (carillon_time)carillon_time_deadlines[place].ticks);
}

void carillon_time_released(TaskType thread)
{
    const uint_fast8_t place = place_of(thread);
    if (place < CARILLON_TIME_DEADLINES) {
        release_now(place);
    }
}

void carillon_time_met(TaskType thread)
{
    const uint_fast8_t place = place_of(thread);
    if (place < CARILLON_TIME_DEADLINES) {
        take_out(place);
    }
}

/* Put in a deadline some ticks after `from`; false if that is now or has passed. */
static bool insert_after(uint_fast8_t place, carillon_time from, carillon_duration ticks)
{
    if (CARILLON_TIME_FAR && (ticks > CARILLON_LONGEST_PERIOD)) {
        return carillon_time_insert_far_after(&deadlines[place], from, ticks);
    }
    return carillon_time_insert_after(&deadlines[place], from, (carillon_time)ticks);
}

static inline bool tells(uint_fast8_t place, carillon_duration period)
{
    const carillon_duration ticks = (carillon_duration)carillon_time_deadlines[place].ticks;
    return CARILLON_TIME_FAR || (period <= (carillon_time)(CARILLON_LONGEST_PERIOD - ticks));
}

bool carillon_time_tells_deadline(carillon_duration period)
{
    const uint_fast8_t place = place_of((TaskType)carillon_osek_running);
    return (place == CARILLON_TIME_DEADLINES) || tells(place, period);
}

bool carillon_time_next_deadline(carillon_time from, carillon_duration period)
{
    const uint_fast8_t place = place_of((TaskType)carillon_osek_running);
    if (place < CARILLON_TIME_DEADLINES) {
        const carillon_duration ticks = (carillon_duration)carillon_time_deadlines[place].ticks;
        if (!tells(place, period)) {
            return false;
        }
        take_out(place);
        if (!insert_after(place, from, (carillon_duration)(period + ticks))) {
            miss(place);
        }
    }
    return true;
}

static inline void start_deadlines(void)
{
    for (uint_fast8_t k = 0u; k < CARILLON_TIME_DEADLINES; k++) {
        if (carillon_osek_jobs[carillon_time_deadlines[k].thread].activations != 0u) {
            release_now(k);
        }
    }
}
#else
static inline void start_deadlines(void)
{
}
#endif

#if (CARILLON_TIME_OFFSETS > 0) || (CARILLON_TIME_DEADLINES > 0)
void carillon_time_start_threads(void)
{
    start_offsets();
    start_deadlines();
}
#endif

#endif
