/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters and alarms: chapter 13.6.
 *
 * The alarms of a counter stand in a list by their expiry, each with its distance to the one before it, so that a
 * tick touches the first alone.  An alarm that a cell carries is not in the list until somebody cancels it and sets
 * it anew. */
#include "carillon/osek_error.h"

#if CARILLON_OSEK_COUNTERS > 0

#if CARILLON_OSEK_ALARMS > 0

/* A stopped alarm was on a cell and cannot be set anew: the tool was told that nobody would. */
#define IDLE 0u
#define QUEUED 1u
#define ON_CELL 2u
#define STOPPED 3u

typedef CARILLON_OSEK_DISTANCE distance;

struct alarm_record {
    distance after; /* ticks after the alarm before it in the list */
    TickType cycle;
    uint8_t next;
    uint8_t state;
};
static struct alarm_record alarms[CARILLON_OSEK_ALARMS];

#endif

struct counter_state {
    TickType value;
    uint8_t first; /* alarm, plus 1; 0: none */
};
static struct counter_state counters[CARILLON_OSEK_COUNTERS];

#if CARILLON_OSEK_ALARMS > 0

/* Put an alarm into its counter's list, `ticks` > 0 from now; behind those of the same expiry. */
static void insert(AlarmType alarm, distance ticks)
{
    distance left_over = ticks;
    uint8_t *link = &counters[carillon_osek_alarms[alarm].counter].first;
    while ((*link != 0u) && (alarms[*link - 1u].after <= left_over)) { /* bounded by the number of alarms */
        left_over -= alarms[*link - 1u].after;
        link = &alarms[*link - 1u].next;
    }
    alarms[alarm].after = left_over;
    alarms[alarm].next = *link;
    alarms[alarm].state = QUEUED;
    if (*link != 0u) {
        alarms[*link - 1u].after -= left_over;
    }
    *link = (uint8_t)(alarm + 1u);
}

static void take_out(AlarmType alarm)
{
    uint8_t *link = &counters[carillon_osek_alarms[alarm].counter].first;
    while (*link != (alarm + 1u)) {
        link = &alarms[*link - 1u].next;
    }
    *link = alarms[alarm].next;
    if (*link != 0u) {
        alarms[*link - 1u].after += alarms[alarm].after;
    }
    alarms[alarm].state = IDLE;
}

/* Ticks until the counter reads `value`: at least one. */
static distance until(CounterType counter, TickType value)
{
    const distance range = (distance)carillon_osek_counters[counter].max_allowed + 1u;
    const TickType now = counters[counter].value;
    return (value > now) ? ((distance)value - now) : ((range - now) + value);
}

/* An alarm's action, if it is not to increment a counter. */
static void act(const struct carillon_osek_alarm *alarm)
{
    if (alarm->action == CARILLON_OSEK_ACTIVATE) {
        const StatusType status = carillon_osek_activate(alarm->object);
        if (status != E_OK) {
            (void)FAIL(OSServiceId_ActivateTask, status, .object = alarm->object);
        }
    }
#if CARILLON_OSEK_EVENTS
    if (alarm->action == CARILLON_OSEK_SET_EVENT) {
        if (carillon_osek_jobs[alarm->object].activations == 0u) {
            (void)FAIL(OSServiceId_SetEvent, E_OS_STATE, .object = alarm->object, .first = alarm->event);
        } else {
            carillon_osek_set(alarm->object, alarm->event);
        }
    }
#endif
    if (alarm->action == CARILLON_OSEK_CALLBACK) {
        const uint8_t hook = carillon_osek_hook;
        carillon_osek_hook = IN_CALLBACK;
        alarm->callback();
        carillon_osek_hook = hook;
    }
}

#endif

static void advance(CounterType counter)
{
    struct counter_state *const it = &counters[counter];
    it->value = (it->value == carillon_osek_counters[counter].max_allowed) ? 0u : (it->value + 1u);
#if CARILLON_OSEK_ALARMS > 0
    if (it->first != 0u) {
        alarms[it->first - 1u].after--;
    }
#endif
}

/* Serves what is due in this tick, in order of expiry, then of setting.  An alarm that increments another counter has
 * all of that counter's alarms served before the next of its own; `depth` counts such counters.  None is there twice:
 * the tool refuses circles. */
static void tick(CounterType counter)
{
    advance(counter);
#if CARILLON_OSEK_ALARMS > 0
    CounterType stack[CARILLON_OSEK_COUNTERS];
    uint32_t depth = 0u;
    stack[0] = counter;
    for (;;) {
        struct counter_state *const it = &counters[stack[depth]];
        if ((it->first != 0u) && (alarms[it->first - 1u].after == 0u)) {
            const AlarmType alarm = (AlarmType)(it->first - 1u);
            it->first = alarms[alarm].next;
            alarms[alarm].state = IDLE;
            if (alarms[alarm].cycle != 0u) {
                insert(alarm, alarms[alarm].cycle);
            }
            if (carillon_osek_alarms[alarm].action == CARILLON_OSEK_INCREMENT) {
                depth++;
                stack[depth] = carillon_osek_alarms[alarm].object;
                advance(stack[depth]);
            } else {
                act(&carillon_osek_alarms[alarm]);
            }
        } else if (depth == 0u) {
            return;
        } else {
            depth--;
        }
    }
#endif
}

void carillon_osek_tick(CounterType counter)
{
    const uint32_t saved = carillon_osek_lock();
    tick(counter);
    carillon_osek_unlock(saved);
}

StatusType IncrementCounter(CounterType counter)
{
    CHECK_PLACE(IN_TASK | IN_ISR2, OSServiceId_IncrementCounter, .object = counter);
    CHECK((counter < CARILLON_OSEK_COUNTERS) && (carillon_osek_counters[counter].software != 0u),
          OSServiceId_IncrementCounter, E_OS_ID, .object = counter);
    carillon_osek_tick(counter);
    return E_OK;
}

#if CARILLON_OSEK_ALARMS > 0

/* The handler of an alarm's cell, where that is not the vector of the task. */
void carillon_osek_alarm_expired(AlarmType alarm)
{
    const uint32_t saved = carillon_osek_lock();
    if (carillon_osek_alarms[alarm].action == CARILLON_OSEK_INCREMENT) {
        tick(carillon_osek_alarms[alarm].object);
    } else {
        act(&carillon_osek_alarms[alarm]);
    }
    carillon_osek_unlock(saved);
}

void carillon_osek_start_alarms(AppModeType mode)
{
    for (uint32_t alarm = 0; alarm < CARILLON_OSEK_ALARMS; alarm++) {
        const struct carillon_osek_alarm *const it = &carillon_osek_alarms[alarm];
        if (((it->autostart >> mode) & 1u) != 0u) {
            alarms[alarm].cycle = it->cycle;
            if (it->cell != NULL) {
                alarms[alarm].state = ON_CELL;
            } else {
                insert((AlarmType)alarm, (it->absolute != 0u) ? until(it->counter, it->start) : (distance)it->start);
            }
        }
    }
}

StatusType GetAlarmBase(AlarmType alarm, AlarmBaseRefType info)
{
    CHECK_PLACE(IN_TASK | IN_ISR2 | IN_ERROR_HOOK | IN_TASK_HOOK, OSServiceId_GetAlarmBase, .object = alarm,
                .reference = info);
    CHECK(alarm < CARILLON_OSEK_ALARMS, OSServiceId_GetAlarmBase, E_OS_ID, .object = alarm, .reference = info);
    const struct carillon_osek_counter *const counter = &carillon_osek_counters[carillon_osek_alarms[alarm].counter];
    info->maxallowedvalue = counter->max_allowed;
    info->ticksperbase = counter->ticks_per_base;
    info->mincycle = counter->min_cycle;
    return E_OK;
}

/* Ticks left; locked, and the alarm is in use. */
static TickType left(AlarmType alarm)
{
#if CARILLON_OSEK_CELLS
    if (alarms[alarm].state == ON_CELL) {
        const struct carillon_osek_cell *const cell = carillon_osek_alarms[alarm].cell;
        return (carillon_port_read(cell->counter) + (cell->units - 1u)) / cell->units;
    }
#endif
    const uint8_t *link = &counters[carillon_osek_alarms[alarm].counter].first;
    distance ticks = alarms[alarm].after;
    while (*link != (alarm + 1u)) {
        ticks += alarms[*link - 1u].after;
        link = &alarms[*link - 1u].next;
    }
    return (TickType)ticks;
}

StatusType GetAlarm(AlarmType alarm, TickRefType ticks)
{
    CHECK_PLACE(IN_TASK | IN_ISR2 | IN_ERROR_HOOK | IN_TASK_HOOK, OSServiceId_GetAlarm, .object = alarm,
                .reference = ticks);
    CHECK(alarm < CARILLON_OSEK_ALARMS, OSServiceId_GetAlarm, E_OS_ID, .object = alarm, .reference = ticks);
    const uint32_t saved = carillon_osek_lock();
    const bool used = (alarms[alarm].state == QUEUED) || (alarms[alarm].state == ON_CELL);
    if (used) {
        *ticks = left(alarm);
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
    const bool idle = alarms[alarm].state == IDLE;
    if (idle) {
        alarms[alarm].cycle = cycle;
        insert(alarm, increment);
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
    const bool idle = alarms[alarm].state == IDLE;
    if (idle) {
        alarms[alarm].cycle = cycle;
        insert(alarm, until(carillon_osek_alarms[alarm].counter, start));
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
    const uint8_t state = alarms[alarm].state;
    const bool used = (state == QUEUED) || (state == ON_CELL);
    if (state == QUEUED) {
        take_out(alarm);
    }
#if CARILLON_OSEK_CELLS
    if (state == ON_CELL) {
        const struct carillon_osek_cell *const cell = carillon_osek_alarms[alarm].cell;
        for (uint32_t i = 0; i < cell->stop_count; i++) {
            carillon_port_write(cell->stop[i].address, cell->stop[i].value);
        }
        alarms[alarm].state =
            (uint8_t)((carillon_osek_counters[carillon_osek_alarms[alarm].counter].ticked != 0u) ? IDLE : STOPPED);
    }
#endif
    carillon_osek_unlock(saved);
    REQUIRE(used, OSServiceId_CancelAlarm, E_OS_NOFUNC, .object = alarm);
    return E_OK;
}

#endif
#endif
