/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters and alarms: chapter 13.6.
 *
 * The alarms of a counter stand in its event queue (queue.h), whose time is the counter's: a tick touches the distance
 * to the first alone.  An alarm that a cell carries is not in the queue until somebody cancels it and sets it anew.
 *
 * A counter is a time that runs on.  Where there is a time base (base.h), the handler of a tick finds out how many have
 * passed and catches up with them, expiry by expiry; and services see the time as it is, not as it was when the last
 * tick was served. */
#include "kernel/osek/act.h"
#include "kernel/osek/counter.h"

#if CARILLON_OSEK_COUNTERS > 0

#define COUNTS ((CARILLON_OSEK_ALARM_ACTIONS & CARILLON_ACTION_BIT(CARILLON_ACTION_COUNT)) != 0u)
#define CALLS ((CARILLON_OSEK_ALARM_ACTIONS & CARILLON_ACTION_BIT(CARILLON_ACTION_CALL)) != 0u)

/* What carries an alarm.  A stopped one was on a cell and cannot be set anew: the tool was told that nobody would. */
#define ON_CELL CARILLON_OSEK_ON_CELL
#define QUEUED 1u
#define IDLE 2u
#define STOPPED 3u

#if CARILLON_OSEK_CELLS
/* Of each alarm that has a cell, on which it is from the start: ON_CELL, IDLE or STOPPED; in the queue, IDLE. */
uint8_t carillon_osek_alarm_cells[CARILLON_OSEK_ALARMS];
#endif

#if CARILLON_OSEK_QUEUES
struct carillon_osek_alarm_state carillon_osek_alarm_states[CARILLON_OSEK_ALARMS];
#endif

struct carillon_osek_counter_state carillon_osek_counter_states[CARILLON_OSEK_PARTS];

/* Which of them it is: the compiler knows the only one. */
static inline CounterType only(CounterType counter)
{
    return (CARILLON_OSEK_PARTS == 1u) ? 0u : counter;
}

#if CARILLON_OSEK_ALARMS > 0
void carillon_osek_act(const struct carillon_osek_alarm *alarm)
{
    const uint32_t set = CARILLON_OSEK_ALARM_ACTIONS & ~CARILLON_ACTION_BIT(CARILLON_ACTION_COUNT);
#if CALLS
    if (carillon_is_action(set, alarm->action, CARILLON_ACTION_CALL)) {
        const uint8_t hook = carillon_osek_hook;
        carillon_osek_hook = IN_CALLBACK;
        alarm->operand.function();
        carillon_osek_hook = hook;
        return;
    }
#endif
    carillon_act(set & ~CARILLON_ACTION_BIT(CARILLON_ACTION_CALL), alarm->action, alarm->object, &alarm->operand);
}
#endif

static inline void count(struct carillon_osek_counter_state *it, const struct carillon_osek_counter *counter)
{
    it->value = (it->value == counter->max_allowed) ? 0u : (it->value + 1u);
}

#if CARILLON_OSEK_QUEUES

/* Ticks that have passed and that no handler has counted yet. */
static carillon_osek_distance uncounted(CounterType counter)
{
#if CARILLON_BASE_BITS > 0
    const carillon_base units = (carillon_base)carillon_osek_counters[counter].units;
    return (units == 0u) ? 0u
                         : (carillon_osek_distance)carillon_base_ticks(carillon_osek_counter_states[counter].at, units);
#else
    (void)counter;
    return 0u;
#endif
}

static struct carillon_queue *queue_of(AlarmType alarm)
{
    return &carillon_osek_counter_states[carillon_osek_alarms[alarm].counter].queue;
}

static struct carillon_event *event_of(AlarmType alarm)
{
    return carillon_osek_event_of(&carillon_osek_alarm_states[alarm]);
}

/* What is first in a counter's queue has changed, or the tick that was counted last. */
static void look_ahead(CounterType counter)
{
#if CARILLON_OSEK_AHEAD
    struct carillon_osek_counter_state *const it = &carillon_osek_counter_states[counter];
    const carillon_base units = (carillon_base)carillon_osek_counters[counter].units;
    if (units != 0u) {
        const carillon_time left = carillon_queue_left(&it->queue);
        const carillon_base most = carillon_osek_most_ahead(units);
        it->ahead = (left < most) ? (carillon_base)left : most;
        it->wake = (carillon_base)(carillon_base_later(it->at, it->ahead * units) + 1u);
    }
#else
    (void)counter;
#endif
}

/* Put an alarm into its counter's queue, `ticks` > 0 from the last tick that has been counted; behind those of the same
 * expiry. */
static void insert(AlarmType alarm, carillon_osek_distance ticks)
{
#if CARILLON_OSEK_FAR
    carillon_queue_insert_far(queue_of(alarm), &carillon_osek_alarm_states[alarm].event, ticks);
#else
    carillon_queue_insert(queue_of(alarm), &carillon_osek_alarm_states[alarm].event, ticks);
#endif
    look_ahead(only(carillon_osek_alarms[alarm].counter));
}

/* Ticks until the counter reads `value`, from a tick when it reads `now`: at least one. */
static inline carillon_osek_distance until(CounterType counter, TickType now, TickType value)
{
    const TickType but_one =
        (value > now) ? ((value - now) - 1u) : ((carillon_osek_counters[counter].max_allowed - now) + value);
    carillon_osek_distance ticks = (carillon_osek_distance)but_one;
    ticks++; /* in the type that has room for a whole turn */
    return ticks;
}

/* Count a tick: is the queue to be asked for what is due? */
static inline bool advance(struct carillon_osek_counter_state *it, const struct carillon_osek_counter *counter)
{
    count(it, counter);
    return carillon_queue_tick(&it->queue);
}

/* Take the alarm of `state`, which is due, out of the queue; a cyclic one is set again, counted from its expiry. */
static void expire(struct carillon_queue *queue, struct carillon_osek_alarm_state *state)
{
    if (state->cycle == 0u) {
        carillon_queue_pop(queue);
    } else {
#if CARILLON_OSEK_FAR
        carillon_queue_repeat_far(queue, &state->event, state->cycle);
#else
        carillon_queue_repeat(queue, (carillon_time)state->cycle);
#endif
    }
}

/* Serves what is due in this tick, in order of expiry, then of setting.  An alarm that increments another counter has
 * all of that counter's alarms served before the next of its own; `depth` counts such counters.  None is there twice:
 * the tool refuses circles. */
static __attribute__((noinline)) void serve(CounterType counter)
{
#if COUNTS
    CounterType stack[CARILLON_OSEK_COUNTERS];
    uint32_t depth = 0u;
    stack[0] = counter;
#endif
    for (;;) {
#if COUNTS
        struct carillon_queue *const queue = &carillon_osek_counter_states[only(stack[depth])].queue;
#else
        struct carillon_queue *const queue = &carillon_osek_counter_states[only(counter)].queue;
#endif
        struct carillon_osek_alarm_state *const state =
            (struct carillon_osek_alarm_state *)(void *)carillon_queue_due(queue);
        if (state == NULL) {
#if COUNTS
            if (depth != 0u) {
                depth--;
                continue;
            }
#endif
            return;
        }
#if CARILLON_OSEK_FAR
        if (carillon_queue_next_lap(queue, &state->event)) {
            continue;
        }
#endif
        expire(queue, state);
        const struct carillon_osek_alarm *const alarm = &carillon_osek_alarms[state - carillon_osek_alarm_states];
#if COUNTS
        if (alarm->action == CARILLON_ACTION_COUNT) {
            if (advance(&carillon_osek_counter_states[alarm->object], &carillon_osek_counters[alarm->object])) {
                depth++;
                stack[depth] = alarm->object;
            }
            continue;
        }
#endif
        carillon_osek_act(alarm);
    }
}

#endif

/* In most ticks nothing is due. */
static inline void tick(CounterType counter)
{
#if CARILLON_OSEK_QUEUES
    if (advance(&carillon_osek_counter_states[counter], &carillon_osek_counters[counter])) {
        serve(counter);
    }
#else
    count(&carillon_osek_counter_states[counter], &carillon_osek_counters[counter]);
#endif
}

#if (CARILLON_BASE_BITS > 0) && CARILLON_OSEK_QUEUES

/* Count all ticks that have passed, and serve each expiry in its own.  Bounded by the expiries for which interrupts
 * have been held back.  An empty queue begins anew, so that it does not count down to what looks like an expiry. */
static __attribute__((noinline)) void catch_up(CounterType counter)
{
    struct carillon_osek_counter_state *const it = &carillon_osek_counter_states[counter];
    const carillon_base units = (carillon_base)carillon_osek_counters[counter].units;
#if CARILLON_OSEK_LEVEL_COUNTERS
    it->serving = true;
#endif
    for (;;) {
        const carillon_osek_distance passed = uncounted(counter);
        if (passed == 0u) {
            break;
        }
#if CARILLON_QUEUE_COUNTERS
        const carillon_osek_distance step = 1u; /* what is left may be more than to the first */
#else
        const carillon_time left = carillon_queue_left(&it->queue); /* what was due has been served */
        const carillon_osek_distance step = (passed < left) ? passed : left;
#endif
        it->at = carillon_base_later(it->at, (carillon_base)(step * units));
        it->value = carillon_osek_later(&carillon_osek_counters[counter], it->value, step);
        carillon_queue_advance(&it->queue, (carillon_time)step);
        if (carillon_queue_left(&it->queue) == 0u) {
            serve(counter);
        }
    }
#if CARILLON_OSEK_AHEAD
    carillon_queue_rest(&it->queue);
#endif
#if CARILLON_OSEK_LEVEL_COUNTERS
    it->serving = false;
#endif
    look_ahead(counter);
}

void carillon_osek_tick(CounterType any)
{
    const CounterType counter = only(any);
#if !CARILLON_OSEK_AHEAD || CARILLON_OSEK_SOFTWARE
    const uint32_t saved = carillon_osek_lock();
#endif
#if CARILLON_OSEK_AHEAD
    catch_up(counter);
#else
    struct carillon_osek_counter_state *const it = &carillon_osek_counter_states[counter];
    const struct carillon_osek_counter *const fixed = &carillon_osek_counters[counter];
    const carillon_base units = (carillon_base)fixed->units;
    const carillon_base at = it->at;
    if (carillon_base_one(at, units)) {       /* mostly */
        it->at = (carillon_base)(at - units); /* as it has not begun anew, so has this not */
        if (advance(it, fixed)) {
            serve(counter);
        }
    } else {
        catch_up(counter);
    }
#endif
#if !CARILLON_OSEK_AHEAD || CARILLON_OSEK_SOFTWARE
    carillon_osek_unlock(saved);
#endif
}

#if CARILLON_OSEK_LEVEL_COUNTERS
void carillon_osek_last_tick(CounterType counter, uint32_t saved)
{
    catch_up(only(counter));
    carillon_osek_unlock(saved);
}
#endif

#else

void carillon_osek_tick(CounterType counter)
{
    const uint32_t saved = carillon_osek_lock();
    tick(counter);
    carillon_osek_unlock(saved);
}

#endif

StatusType(IncrementCounter)(CounterType counter)
{
    CHECK_PLACE(IN_TASK | IN_ISR2, OSServiceId_IncrementCounter, .object = counter);
    CHECK((counter < CARILLON_OSEK_COUNTERS) && (carillon_osek_counters[counter].software != 0u),
          OSServiceId_IncrementCounter, E_OS_ID, .object = counter);
    const uint32_t saved = carillon_osek_lock();
    tick(counter);
    carillon_osek_unlock(saved);
    return E_OK;
}

#if CARILLON_OSEK_ALARMS > 0

/* What is due of the alarm's counter is served first, where its handler may be held back (counter.h).  In the error
 * hook nothing is, since an error could not be told there.  Locked. */
static void serve_first(AlarmType alarm)
{
#if CARILLON_OSEK_LEVEL_COUNTERS
    const CounterType counter = carillon_osek_alarms[alarm].counter;
    if ((carillon_osek_counters[counter].leveled != 0u) && ((carillon_osek_hook & IN_ERROR_HOOK) == 0u) &&
        carillon_osek_counter_rests(counter)) {
        carillon_osek_serve_counter(counter);
    }
#else
    (void)alarm;
#endif
}

static uint8_t carrier_of(AlarmType alarm)
{
#if CARILLON_OSEK_QUEUES
    if (carillon_event_is_queued(event_of(alarm))) {
        return QUEUED;
    }
#endif
#if CARILLON_OSEK_CELLS
    if (carillon_osek_alarms[alarm].cell != NULL) {
        return carillon_osek_alarm_cells[alarm];
    }
#endif
    return IDLE;
}

#if CARILLON_OSEK_CELLS
/* The handler of an alarm's cell, where that is not the vector of the task. */
void carillon_osek_alarm_expired(AlarmType alarm)
{
    const uint32_t saved = carillon_osek_lock();
    if (carillon_osek_alarm_cells[alarm] == ON_CELL) { /* not cancelled since it was requested */
        carillon_osek_act(&carillon_osek_alarms[alarm]);
    }
    carillon_osek_unlock(saved);
}
#endif

#if CARILLON_OSEK_LEVEL_CELLS
void carillon_osek_alarm_fails(AlarmType alarm, StatusType status)
{
    const struct carillon_osek_alarm *const it = &carillon_osek_alarms[alarm];
    const OSServiceIdType service =
        (it->action == CARILLON_ACTION_ACTIVATE) ? OSServiceId_ActivateTask : OSServiceId_SetEvent;
    (void)FAIL(service, status, .object = it->object, .first = it->operand.carillon_event);
    (void)service;
    (void)status;
}

void carillon_osek_call_cells(carillon_vector cells)
{
    if ((carillon_osek_hook & IN_ERROR_HOOK) == 0u) {
        cells();
    }
}
#endif

#if CARILLON_OSEK_QUEUES
void carillon_osek_start_alarms(AppModeType mode)
{
#if CARILLON_BASE_BITS > 0
    const carillon_base now = carillon_base_left(); /* once: all parts of a counter begin in the same tick */
#endif
    for (uint32_t counter = 0; counter < CARILLON_OSEK_PARTS; counter++) {
        carillon_queue_init(&carillon_osek_counter_states[counter].queue);
#if CARILLON_BASE_BITS > 0
        const carillon_base units = (carillon_base)carillon_osek_counters[counter].units;
        if (units != 0u) {
            carillon_osek_counter_states[counter].at = carillon_base_last(units, now);
            look_ahead((CounterType)counter);
        }
#endif
    }
#if CARILLON_OSEK_QUEUE_STARTS
    for (uint32_t alarm = 0; alarm < CARILLON_OSEK_ALARMS; alarm++) {
        const struct carillon_osek_alarm *const it = &carillon_osek_alarms[alarm];
        if ((((it->autostart >> mode) & 1u) != 0u) && (it->cell == NULL)) {
            carillon_osek_alarm_states[alarm].cycle = it->cycle;
            insert((AlarmType)alarm,
                   (it->absolute != 0u) ? until(it->counter, 0u, it->start) : (carillon_osek_distance)it->start);
        }
    }
#else
    (void)mode;
#endif
}
#endif

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
    if (carrier_of(alarm) == ON_CELL) {
        const struct carillon_osek_cell *const cell = carillon_osek_alarms[alarm].cell;
        return (carillon_port_read(cell->counter) + (cell->units - 1u)) / cell->units;
    }
#endif
#if CARILLON_OSEK_QUEUES
#if CARILLON_OSEK_FAR
    const carillon_osek_distance ahead =
        carillon_queue_distance_far(queue_of(alarm), &carillon_osek_alarm_states[alarm].event);
#else
    const carillon_osek_distance ahead =
        carillon_queue_distance(queue_of(alarm), &carillon_osek_alarm_states[alarm].event);
#endif
    const carillon_osek_distance passed = uncounted(carillon_osek_alarms[alarm].counter);
    if (passed < ahead) {
        return (TickType)(ahead - passed);
    }
    /* It is due, and its handler is held back: a cyclic alarm's next expiry, as that of a cell. */
    const TickType cycle = carillon_osek_alarm_states[alarm].cycle;
    return (cycle == 0u) ? 0u : (cycle - ((TickType)(carillon_osek_distance)(passed - ahead) % cycle));
#else
    return 0u;
#endif
}

StatusType GetAlarm(AlarmType alarm, TickRefType ticks)
{
    CHECK_PLACE(IN_TASK | IN_ISR2 | IN_ERROR_HOOK | IN_TASK_HOOK, OSServiceId_GetAlarm, .object = alarm,
                .reference = ticks);
    CHECK(alarm < CARILLON_OSEK_ALARMS, OSServiceId_GetAlarm, E_OS_ID, .object = alarm, .reference = ticks);
    const uint32_t saved = carillon_osek_lock();
    serve_first(alarm);
    const uint8_t carrier = carrier_of(alarm);
    const bool used = (carrier == QUEUED) || (carrier == ON_CELL);
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
    serve_first(alarm);
    const bool idle = carrier_of(alarm) == IDLE;
#if CARILLON_OSEK_QUEUES
    if (idle) {
        carillon_osek_alarm_states[alarm].cycle = cycle;
        const carillon_osek_distance passed = uncounted(carillon_osek_alarms[alarm].counter);
        insert(alarm, (carillon_osek_distance)(passed + (carillon_osek_distance)increment));
    }
#else
    (void)cycle;
#endif
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
#if CARILLON_OSEK_QUEUES
    if (idle) {
        carillon_osek_alarm_states[alarm].cycle = cycle;
        const CounterType counter = carillon_osek_alarms[alarm].counter;
        const carillon_osek_distance passed = uncounted(counter);
        const TickType now =
            carillon_osek_later(&carillon_osek_counters[counter], carillon_osek_counter_states[counter].value, passed);
        insert(alarm, (carillon_osek_distance)(passed + until(counter, now, start)));
    }
#else
    (void)start;
    (void)cycle;
#endif
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
#if CARILLON_OSEK_QUEUES
    if (carrier == QUEUED) {
        carillon_queue_remove(queue_of(alarm), event_of(alarm));
    }
#endif
#if CARILLON_OSEK_CELLS
    if (carrier == ON_CELL) {
        const struct carillon_osek_cell *const cell = carillon_osek_alarms[alarm].cell;
        for (uint32_t i = 0; i < cell->stop_count; i++) {
            carillon_port_write(cell->stop[i].address, cell->stop[i].value);
        }
#if CARILLON_OSEK_LEVEL_CELLS
        carillon_port_settle();
        carillon_osek_serve_cells(&carillon_osek_tasks[carillon_osek_alarms[alarm].object]);
#endif
        carillon_osek_alarm_cells[alarm] =
            (uint8_t)((carillon_osek_counters[carillon_osek_alarms[alarm].counter].ticked != 0u) ? IDLE : STOPPED);
    }
#endif
    carillon_osek_unlock(saved);
    REQUIRE(used, OSServiceId_CancelAlarm, E_OS_NOFUNC, .object = alarm);
    return E_OK;
}

#endif
#endif
