/* SPDX-License-Identifier: Apache-2.0
 *
 * Alarms: chapter 13.6.
 *
 * The alarms of a counter stand in its queue (counter.c).  An alarm that a cell carries is not in the queue until
 * somebody cancels it and sets it anew. */
#include "kernel/counters/alarm.h"

#include "kernel/counters/expiry.h"

#if CARILLON_OSEK_ALARMS > 0

/* What carries an alarm.  A stopped one was on a cell and cannot be set anew: the tool was told that nobody would. */
#define ON_CELL CARILLON_OSEK_ON_CELL
#define QUEUED 1u
#define IDLE 2u
#define STOPPED 3u

/* What an image does with alarms in queues: whether one is there, ticks until it is due, set it, and cancel it.  All
 * locked. */
#if CARILLON_OSEK_QUEUES
static struct carillon_queue *queue_of(AlarmType alarm)
{
    return carillon_osek_queue_of(carillon_osek_alarms[alarm].counter);
}

static struct carillon_event *event_of(AlarmType alarm)
{
    return carillon_osek_event_of(&carillon_osek_alarm_states[alarm]);
}

static inline bool is_queued(AlarmType alarm)
{
    return carillon_event_is_queued(event_of(alarm));
}

static TickType left_in_queue(AlarmType alarm)
{
    const carillon_osek_distance ahead =
        CARILLON_OSEK_QUEUE_DISTANCE(queue_of(alarm), &carillon_osek_alarm_states[alarm].event);
    const carillon_osek_distance passed = carillon_osek_uncounted(carillon_osek_alarms[alarm].counter);
    if (passed < ahead) {
        return (TickType)(ahead - passed);
    }
    /* It is due, and its handler is held back: a cyclic alarm's next expiry, as that of a cell. */
    const TickType cycle = carillon_osek_alarm_states[alarm].cycle;
    return (cycle == 0u) ? 0u : (cycle - ((TickType)(carillon_osek_distance)(passed - ahead) % cycle));
}

static inline void set_after(AlarmType alarm, TickType increment, TickType cycle)
{
    carillon_osek_alarm_states[alarm].cycle = cycle;
    const carillon_osek_distance passed = carillon_osek_uncounted(carillon_osek_alarms[alarm].counter);
    carillon_osek_insert(carillon_osek_alarms[alarm].counter, &carillon_osek_alarm_states[alarm],
                         (carillon_osek_distance)(passed + (carillon_osek_distance)increment));
}

static inline void set_at(AlarmType alarm, TickType start, TickType cycle)
{
    carillon_osek_alarm_states[alarm].cycle = cycle;
    const CounterType counter = carillon_osek_alarms[alarm].counter;
    const carillon_osek_distance passed = carillon_osek_uncounted(counter);
    const TickType now =
        carillon_osek_later(&carillon_osek_counters[counter], carillon_osek_counter_states[counter].value, passed);
    carillon_osek_insert(carillon_osek_alarms[alarm].counter, &carillon_osek_alarm_states[alarm],
                         (carillon_osek_distance)(passed + carillon_osek_until(counter, now, start)));
}

static inline void cancel_in_queue(AlarmType alarm)
{
    carillon_queue_remove(queue_of(alarm), event_of(alarm));
}
#else
static inline bool is_queued(AlarmType alarm)
{
    (void)alarm;
    return false;
}

static inline TickType left_in_queue(AlarmType alarm)
{
    (void)alarm;
    return 0u;
}

static inline void set_after(AlarmType alarm, TickType increment, TickType cycle)
{
    (void)alarm;
    (void)increment;
    (void)cycle;
}

static inline void set_at(AlarmType alarm, TickType start, TickType cycle)
{
    (void)alarm;
    (void)start;
    (void)cycle;
}

static inline void cancel_in_queue(AlarmType alarm)
{
    (void)alarm;
}
#endif

/* The same of alarms on cells; what carries one that has a cell and is in no queue. */
#if CARILLON_OSEK_CELLS
/* Of each alarm that has a cell, on which it is from the start: ON_CELL, IDLE or STOPPED; in the queue, IDLE. */
uint8_t carillon_osek_alarm_cells[CARILLON_OSEK_ALARMS];

static inline uint8_t unqueued_carrier(AlarmType alarm)
{
    return (carillon_osek_alarms[alarm].cell != NULL) ? carillon_osek_alarm_cells[alarm] : IDLE;
}

static inline TickType left_on_cell(AlarmType alarm)
{
    const struct carillon_osek_cell *const cell = carillon_osek_alarms[alarm].cell;
    return (carillon_port_read(cell->counter) + (cell->units - 1u)) / cell->units;
}

static inline void cancel_on_cell(AlarmType alarm)
{
    const struct carillon_osek_cell *const cell = carillon_osek_alarms[alarm].cell;
    for (uint32_t i = 0; i < cell->stop_count; i++) {
        carillon_port_write(cell->stop[i].address, cell->stop[i].value);
    }
    if (CARILLON_OSEK_LEVEL_CELLS) {
        carillon_port_settle();
        carillon_osek_serve_cells(&carillon_osek_tasks[carillon_osek_alarms[alarm].object]);
    }
    carillon_osek_alarm_cells[alarm] =
        (uint8_t)((carillon_osek_counters[carillon_osek_alarms[alarm].counter].ticked != 0u) ? IDLE : STOPPED);
}

/* The handler of an alarm's cell, where that is not the vector of the task. */
void carillon_osek_alarm_expired(AlarmType alarm)
{
    const uint32_t saved = carillon_osek_lock();
    if (carillon_osek_alarm_cells[alarm] == ON_CELL) { /* not cancelled since it was requested */
        for (uint32_t left = carillon_osek_expiries(alarm); left != 0u; left--) {
            carillon_osek_act(&carillon_osek_alarms[alarm]);
        }
    }
    carillon_osek_unlock(saved);
}
#else
static inline uint8_t unqueued_carrier(AlarmType alarm)
{
    (void)alarm;
    return IDLE;
}

static inline TickType left_on_cell(AlarmType alarm)
{
    (void)alarm;
    return 0u;
}

static inline void cancel_on_cell(AlarmType alarm)
{
    (void)alarm;
}
#endif

static uint8_t carrier_of(AlarmType alarm)
{
    return is_queued(alarm) ? QUEUED : unqueued_carrier(alarm);
}

/* What is due of the alarm's counter is served first, where its handler may be held back (expiry.h).  In the error
 * hook nothing is, since an error could not be told there. */
#if CARILLON_OSEK_LEVEL_COUNTERS
static void serve_first(AlarmType alarm)
{
    const CounterType counter = carillon_osek_alarms[alarm].counter;
    if ((carillon_osek_counters[counter].leveled != 0u) && ((carillon_osek_hook & IN_ERROR_HOOK) == 0u) &&
        carillon_osek_counter_rests(counter)) {
        carillon_osek_serve_counter(counter);
    }
}
#else
static inline void serve_first(AlarmType alarm)
{
    (void)alarm;
}
#endif

StatusType GetAlarmBase(AlarmType alarm, AlarmBaseRefType info)
{
    CHECK_PLACE(IN_TASK | IN_ISR2 | IN_ERROR_HOOK | IN_TASK_HOOK, OSServiceId_GetAlarmBase, .object = alarm,
                .reference = info);
    CHECK(alarm < CARILLON_OSEK_ALARMS, OSServiceId_GetAlarmBase, E_OS_ID, .object = alarm, .reference = info);
    CHECK_POINTER(info, OSServiceId_GetAlarmBase, .object = alarm, .reference = info);
    const struct carillon_osek_counter *const counter = &carillon_osek_counters[carillon_osek_alarms[alarm].counter];
    info->maxallowedvalue = counter->max_allowed;
    info->ticksperbase = counter->ticks_per_base;
    info->mincycle = counter->min_cycle;
    return E_OK;
}

StatusType GetAlarm(AlarmType alarm, TickRefType ticks)
{
    CHECK_PLACE(IN_TASK | IN_ISR2 | IN_ERROR_HOOK | IN_TASK_HOOK, OSServiceId_GetAlarm, .object = alarm,
                .reference = ticks);
    CHECK(alarm < CARILLON_OSEK_ALARMS, OSServiceId_GetAlarm, E_OS_ID, .object = alarm, .reference = ticks);
    CHECK_POINTER(ticks, OSServiceId_GetAlarm, .object = alarm, .reference = ticks);
    const uint32_t saved = carillon_osek_lock();
    serve_first(alarm);
    const uint8_t carrier = carrier_of(alarm);
    const bool used = (carrier == QUEUED) || (carrier == ON_CELL);
    if (used) {
        *ticks = (carrier == ON_CELL) ? left_on_cell(alarm) : left_in_queue(alarm);
    }
    carillon_osek_unlock(saved);
    REQUIRE(used, OSServiceId_GetAlarm, E_OS_NOFUNC, .object = alarm, .reference = ticks);
    return E_OK;
}

#if CARILLON_OSEK_EXTENDED
static bool cycle_fits(AlarmType alarm, TickType cycle)
{
    const struct carillon_osek_counter *const counter = &carillon_osek_counters[carillon_osek_alarms[alarm].counter];
    return (cycle == 0u) || ((cycle >= counter->min_cycle) && (cycle <= counter->max_allowed));
}

static TickType most(AlarmType alarm)
{
    return carillon_osek_counters[carillon_osek_alarms[alarm].counter].max_allowed;
}
#endif

StatusType SetRelAlarm(AlarmType alarm, TickType increment, TickType cycle)
{
    CHECK_PLACE(IN_TASK | IN_ISR2, OSServiceId_SetRelAlarm, .object = alarm, .first = increment, .second = cycle);
    CHECK(alarm < CARILLON_OSEK_ALARMS, OSServiceId_SetRelAlarm, E_OS_ID, .object = alarm, .first = increment,
          .second = cycle);
    REQUIRE(increment != 0u, OSServiceId_SetRelAlarm, E_OS_VALUE, .object = alarm, .first = increment, .second = cycle);
    CHECK((increment <= most(alarm)) && cycle_fits(alarm, cycle), OSServiceId_SetRelAlarm, E_OS_VALUE, .object = alarm,
          .first = increment, .second = cycle);
    const uint32_t saved = carillon_osek_lock();
    serve_first(alarm);
    const bool idle = carrier_of(alarm) == IDLE;
    if (idle) {
        set_after(alarm, increment, cycle);
    }
    carillon_osek_unlock(saved);
    REQUIRE(idle, OSServiceId_SetRelAlarm, E_OS_STATE, .object = alarm, .first = increment, .second = cycle);
    return E_OK;
}

StatusType SetAbsAlarm(AlarmType alarm, TickType start, TickType cycle)
{
    CHECK_PLACE(IN_TASK | IN_ISR2, OSServiceId_SetAbsAlarm, .object = alarm, .first = start, .second = cycle);
    CHECK(alarm < CARILLON_OSEK_ALARMS, OSServiceId_SetAbsAlarm, E_OS_ID, .object = alarm, .first = start,
          .second = cycle);
    CHECK((start <= most(alarm)) && cycle_fits(alarm, cycle), OSServiceId_SetAbsAlarm, E_OS_VALUE, .object = alarm,
          .first = start, .second = cycle);
    const uint32_t saved = carillon_osek_lock();
    serve_first(alarm);
    const bool idle = carrier_of(alarm) == IDLE;
    if (idle) {
        set_at(alarm, start, cycle);
    }
    carillon_osek_unlock(saved);
    REQUIRE(idle, OSServiceId_SetAbsAlarm, E_OS_STATE, .object = alarm, .first = start, .second = cycle);
    return E_OK;
}

StatusType CancelAlarm(AlarmType alarm)
{
    CHECK_PLACE(IN_TASK | IN_ISR2, OSServiceId_CancelAlarm, .object = alarm);
    CHECK(alarm < CARILLON_OSEK_ALARMS, OSServiceId_CancelAlarm, E_OS_ID, .object = alarm);
    const uint32_t saved = carillon_osek_lock();
    serve_first(alarm);
    const uint8_t carrier = carrier_of(alarm);
    const bool used = (carrier == QUEUED) || (carrier == ON_CELL);
    if (carrier == QUEUED) {
        cancel_in_queue(alarm);
    }
    if (carrier == ON_CELL) {
        cancel_on_cell(alarm);
    }
    carillon_osek_unlock(saved);
    REQUIRE(used, OSServiceId_CancelAlarm, E_OS_NOFUNC, .object = alarm);
    return E_OK;
}

#endif
