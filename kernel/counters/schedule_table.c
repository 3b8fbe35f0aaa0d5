/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule tables: AUTOSAR OS R4, 7.3.2 and 7.3.3.  A table stands in the queue of its counter (table_queue.h), or is
 * on cells (table_cells.h).  Here are the services, and what handlers and the start of the system call. */
#include "kernel/counters/schedule_table.h"

#include "kernel/counters/expiry.h"
#include "kernel/counters/table_begin.h"
#include "kernel/counters/table_cells.h"
#include "kernel/counters/table_queue.h"

#if CARILLON_OSEK_SCHEDULE_TABLES > 0

struct carillon_osek_table_state carillon_osek_table_states[CARILLON_OSEK_SCHEDULE_TABLES];

/* What the handlers of tables on cells do, and how such tables start. */
#if CARILLON_OSEK_TABLE_CELLS > 0
#if CARILLON_OSEK_TABLE_ENDS
void carillon_osek_end_table(uint8_t table)
{
    const uint32_t saved = lock_table();
    end_cells(table);
    unlock_table(saved);
}

#if FOLLOWED
void carillon_osek_half_table(uint8_t table)
{
    const uint32_t saved = lock_table();
    if ((carillon_osek_table_states[table].status >= SCHEDULETABLE_RUNNING) &&
        (carillon_osek_table_states[table].next != NONE)) {
        hold_early(table);
    }
    unlock_table(saved);
}
#else
void carillon_osek_half_table(uint8_t table)
{
    (void)table;
}
#endif
#endif

#if CARILLON_OSEK_TABLE_ADJUSTS
void carillon_osek_adjust_table(uint8_t table)
{
    const uint32_t saved = lock_table();
    adjust_cells(table);
    unlock_table(saved);
}
#endif

/* Time 0 comes within CARILLON_BASE_EARLY ticks. */
#if CARILLON_BASE_EARLY > 0
static inline void await_time_0(void)
{
    while ((carillon_base_left() - TIME_0 - 1u) < CARILLON_BASE_EARLY) {
    }
}
#else
static inline void await_time_0(void)
{
}
#endif

/* The counters have the value 0 at time 0, which has passed only just, or comes within CARILLON_BASE_EARLY ticks.  No
 * task begins before: what has passed since time 0 could not be told. */
void carillon_osek_start_tables_on_cells(AppModeType mode)
{
    for (uint8_t table = 0; table < CARILLON_OSEK_SCHEDULE_TABLES; table++) {
        const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
        follow_none(table);
        if (!ON_CELLS(table) || (((fixed->autostart >> mode) & 1u) == 0u)) {
            continue;
        }
        if ((CARILLON_OSEK_TABLE_ADJUSTS != 0) && (fixed->start == CARILLON_OSEK_START_SYNCHRON)) {
            carillon_osek_table_states[table].status = SCHEDULETABLE_WAITING;
            continue;
        }
        const struct carillon_osek_table_on_cells *const cells = carillon_osek_tables_on_cells[table];
        const bool absolute = fixed->start == CARILLON_OSEK_START_ABSOLUTE;
        const uint32_t ticks = absolute ? ticks_to(table, 0u, fixed->at) : fixed->at;
        carillon_osek_table_states[table].status = absolute ? status_of_absolute(table) : SCHEDULETABLE_RUNNING;
        const uint32_t saved = lock_table();
        const uint32_t left = start_cells(cells);
        const uint32_t ahead = left - TIME_0; /* of time 0, which is still to come if this is little */
        const uint32_t until = ticks * cells->tick;
        const uint32_t passed = (uint32_t)carillon_base_later(TIME_0, left);
        uint32_t begin = until - passed;
        if (ahead <= CARILLON_BASE_EARLY) {
            begin = until + ahead;
        }
        (void)begin_cells(table, cells, begin, left, saved);
    }
    await_time_0();
}
#endif

#if IN_QUEUES
/* Begin `ticks` from the last tick that has been counted. */
static void begin(uint8_t table, carillon_osek_distance ticks, uint8_t status)
{
    const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
    carillon_osek_table_states[table].status = status;
    for (uint32_t cursor = fixed->first; cursor < ((uint32_t)fixed->first + fixed->cursors); cursor++) {
        const carillon_osek_distance first = (carillon_osek_distance)carillon_osek_cursors[cursor].steps[0].delay;
        state_of(cursor)->cycle = 0u;
        begin_exact(cursor);
        insert(cursor, (carillon_osek_distance)(ticks + first));
    }
}

/* Take a table that is running out of the queues. */
static void take_out(uint8_t table)
{
    const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
    for (uint32_t cursor = fixed->first; cursor < ((uint32_t)fixed->first + fixed->cursors); cursor++) {
        if (!is_lone(cursor)) {
            carillon_queue_remove(queue_of(cursor), carillon_osek_event_of(state_of(cursor)));
        }
    }
}

#if CARILLON_OSEK_LONE && (CARILLON_OSEK_PARTS > 1)
/* If a cursor is alone in a part, only its counter's first part has a value, which may be that of an earlier tick. */
static inline __attribute__((always_inline)) TickType value_of(uint32_t cursor, CounterType part, CounterType first)
{
    if (is_lone(cursor)) {
        const struct carillon_osek_counter *const counter = &carillon_osek_counters[first];
        const struct carillon_osek_counter_state *const state = &carillon_osek_counter_states[first];
        const carillon_base at = carillon_osek_counter_states[part].ticker.at;
        const carillon_base ticks = carillon_base_ticks_until(state->ticker.at, (carillon_base)counter->units, at);
        return carillon_osek_later(counter, state->value, (carillon_osek_distance)ticks);
    }
    return carillon_osek_counter_states[part].value;
}
#else
static inline TickType value_of(uint32_t cursor, CounterType part, CounterType first)
{
    (void)cursor;
    (void)first;
    return carillon_osek_counter_states[part].value;
}
#endif

/* What the table's counter reads when all has been served. */
static TickType now(uint8_t table)
{
    const uint32_t cursor = carillon_osek_schedule_tables[table].first;
    return value_of(cursor, carillon_osek_cursors[cursor].part, carillon_osek_schedule_tables[table].counter);
}

/* Serve what is due in the parts of a table's counter, until all have counted up to the same tick; locked.
 *
 * 1. Where time has been read after the last look at any part, and no tick of any part has passed by then, all have
 *    counted up to the tick before that reading.  No service looks at the time again.
 * 2. Serving takes less time than a tick, as it does in the handler. */
#if CARILLON_BASE_BITS > 0
static void settle(uint8_t table)
{
    const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
    const carillon_base units = (carillon_base)carillon_osek_counters[fixed->counter].units;
    bool again = units != 0u;
    while (again) {
        const carillon_base left = carillon_base_left();
        again = false;
        for (uint32_t cursor = fixed->first; cursor < ((uint32_t)fixed->first + fixed->cursors); cursor++) {
            const CounterType part = carillon_osek_cursors[cursor].part;
            if (carillon_base_ticks_until(carillon_osek_counter_states[part].ticker.at, units, left) != 0u) {
                carillon_osek_catch_up(part);
                again = true;
            }
        }
    }
}
#else
static inline void settle(uint8_t table)
{
    (void)table;
}
#endif

/* The same, where it does not matter up to which ticks the parts have counted.  Mostly nothing is due in any of them
 * (ticker.h, 4 and 5), and then one reading of the time says so. */
#if CARILLON_OSEK_AHEAD && !CARILLON_TICKLESS
static __attribute__((noinline)) void serve_due(uint8_t table)
{
    const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
    const carillon_base left = carillon_base_left();
    const struct carillon_osek_cursor *cursor = &carillon_osek_cursors[fixed->first];
    const struct carillon_osek_cursor *const end = cursor + fixed->cursors;
    do {
        if (carillon_ticker_is_over(&carillon_osek_counter_states[cursor->part].ticker, left)) {
            settle(table); /* of a counter that software advances, nothing */
            break;
        }
        cursor++;
    } while (cursor != end);
}
#else
static inline void serve_due(uint8_t table)
{
    settle(table);
}
#endif

#if CARILLON_OSEK_LONE
/* Whether the cursors of a table are alone in their parts. */
static inline bool stops_alone(uint8_t table)
{
    return carillon_osek_schedule_tables[table].lone != 0u;
}

/* Stop a table whose cursors are alone in their parts, and return what its status was.  No table follows it, and it
 * follows none. */
static inline uint8_t stop_lone(uint8_t any)
{
    const uint8_t table = (CARILLON_OSEK_SCHEDULE_TABLES == 1u) ? 0u : any;
    serve_due(table);
    const uint8_t before = carillon_osek_table_states[table].status;
    carillon_osek_table_states[table].status = SCHEDULETABLE_STOPPED;
    return before;
}
#else
static inline bool stops_alone(uint8_t table)
{
    (void)table;
    return false;
}
static inline uint8_t stop_lone(uint8_t table)
{
    (void)table;
    return SCHEDULETABLE_STOPPED;
}
#endif

/* The same of tables in queues. */
void carillon_osek_start_schedule_tables(AppModeType mode)
{
    for (uint8_t table = 0; table < CARILLON_OSEK_SCHEDULE_TABLES; table++) {
        const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
        carillon_osek_table_states[table].next = NONE;
        if (ON_CELLS(table) || (((fixed->autostart >> mode) & 1u) == 0u)) {
            continue;
        }
        if (fixed->start == CARILLON_OSEK_START_SYNCHRON) {
            carillon_osek_table_states[table].status = SCHEDULETABLE_WAITING;
        } else if (fixed->start == CARILLON_OSEK_START_ABSOLUTE) {
            begin(table, carillon_osek_until(fixed->counter, now(table), fixed->at),
                  (fixed->sync == CARILLON_OSEK_SYNC_IMPLICIT) ? SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS
                                                               : SCHEDULETABLE_RUNNING);
        } else {
            begin(table, (carillon_osek_distance)fixed->at, SCHEDULETABLE_RUNNING);
        }
    }
}
#endif

#if CARILLON_OSEK_TABLE_ENDS || CARILLON_OSEK_TABLE_ADJUSTS
/* What waits of the ends and the adjustments of tables on cells is served. */
static inline void settle_cells(void)
{
    settle_ends();
    settle_adjustments();
}

static inline ScheduleTableStatusType settled_status(uint8_t table)
{
    const uint32_t saved = lock_table();
    settle_cells();
    const ScheduleTableStatusType status = carillon_osek_table_states[table].status;
    unlock_table(saved);
    return status;
}
#else
static inline void settle_cells(void)
{
}

static inline ScheduleTableStatusType settled_status(uint8_t table)
{
    return carillon_osek_table_states[table].status;
}
#endif

#if CARILLON_OSEK_TABLE_CELLS > 0
/* Of a table on cells, a service is what `does` says. */
#define OF_CELLS(table_, does)  \
    do {                        \
        if (ON_CELLS(table_)) { \
            return (does);      \
        }                       \
    } while (false)
#else
#define OF_CELLS(table_, does)
#endif

#if IN_QUEUES

#define CHECK_TABLE(service_, table_, ...)                                     \
    CHECK_PLACE(IN_TASK | IN_ISR2, service_, .object = (table_), __VA_ARGS__); \
    CHECK((table_) < CARILLON_OSEK_SCHEDULE_TABLES, service_, E_OS_ID, .object = (table_), __VA_ARGS__)

/* The longest offset with which a table can start: its first point is within a turn of the counter then. */
static inline TickType latest_offset(uint8_t table)
{
    const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
    return carillon_osek_counters[fixed->counter].max_allowed - fixed->initial;
}

StatusType StartScheduleTableRel(ScheduleTableType table, TickType offset)
{
    CHECK_TABLE(OSServiceId_StartScheduleTableRel, table, .first = offset);
    CHECK(carillon_osek_schedule_tables[table].sync != CARILLON_OSEK_SYNC_IMPLICIT, OSServiceId_StartScheduleTableRel,
          E_OS_ID, .object = table, .first = offset);
    CHECK((offset != 0u) && (offset <= latest_offset(table)), OSServiceId_StartScheduleTableRel, E_OS_VALUE,
          .object = table, .first = offset);
    OF_CELLS(table, start_relative(table, offset));
    const uint32_t saved = carillon_osek_lock();
    if (begin_lone(table, offset)) {
        carillon_osek_unlock(saved);
        return E_OK;
    }
    settle(table);
    const bool stopped = carillon_osek_table_states[table].status == SCHEDULETABLE_STOPPED;
    if (stopped) {
        begin(table, (carillon_osek_distance)offset, SCHEDULETABLE_RUNNING);
    }
    carillon_osek_unlock(saved);
    REQUIRE(stopped, OSServiceId_StartScheduleTableRel, E_OS_STATE, .object = table, .first = offset);
    return E_OK;
}

StatusType StartScheduleTableAbs(ScheduleTableType table, TickType start)
{
    CHECK_TABLE(OSServiceId_StartScheduleTableAbs, table, .first = start);
    const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
    CHECK(start <= carillon_osek_counters[fixed->counter].max_allowed, OSServiceId_StartScheduleTableAbs, E_OS_VALUE,
          .object = table, .first = start);
    OF_CELLS(table, start_absolute(table, start));
    const uint32_t saved = carillon_osek_lock();
    settle(table);
    const bool stopped = carillon_osek_table_states[table].status == SCHEDULETABLE_STOPPED;
    if (stopped) {
        begin(table, carillon_osek_until(fixed->counter, now(table), start),
              (fixed->sync == CARILLON_OSEK_SYNC_IMPLICIT) ? SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS
                                                           : SCHEDULETABLE_RUNNING);
    }
    carillon_osek_unlock(saved);
    REQUIRE(stopped, OSServiceId_StartScheduleTableAbs, E_OS_STATE, .object = table, .first = start);
    return E_OK;
}

StatusType StartScheduleTableSynchron(ScheduleTableType table)
{
    CHECK_TABLE(OSServiceId_StartScheduleTableSynchron, table, .first = 0u);
    CHECK(carillon_osek_schedule_tables[table].sync == CARILLON_OSEK_SYNC_EXPLICIT,
          OSServiceId_StartScheduleTableSynchron, E_OS_ID, .object = table);
    OF_CELLS(table, await_cells(table));
    const uint32_t saved = carillon_osek_lock();
    settle(table);
    const bool stopped = carillon_osek_table_states[table].status == SCHEDULETABLE_STOPPED;
    if (stopped) {
        carillon_osek_table_states[table].status = SCHEDULETABLE_WAITING;
    }
    carillon_osek_unlock(saved);
    REQUIRE(stopped, OSServiceId_StartScheduleTableSynchron, E_OS_STATE, .object = table);
    return E_OK;
}

StatusType(StopScheduleTable)(ScheduleTableType table)
{
    CHECK_TABLE(OSServiceId_StopScheduleTable, table, .first = 0u);
    OF_CELLS(table, stop_cells(table));
    const uint32_t saved = carillon_osek_lock();
    if (stops_alone(table)) {
        const uint8_t before = stop_lone(table);
        carillon_osek_unlock(saved);
        REQUIRE(before != SCHEDULETABLE_STOPPED, OSServiceId_StopScheduleTable, E_OS_NOFUNC, .object = table);
        return E_OK;
    }
    serve_due(table);
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[table];
    const uint8_t status = state->status;
    if (status >= SCHEDULETABLE_RUNNING) {
        take_out(table);
    }
    if (status == SCHEDULETABLE_NEXT) {
        for (uint8_t other = 0; other < CARILLON_OSEK_SCHEDULE_TABLES; other++) {
            if (carillon_osek_table_states[other].next == table) {
                carillon_osek_table_states[other].next = NONE;
            }
        }
    }
    if (state->next != NONE) {
        carillon_osek_table_states[state->next].status = SCHEDULETABLE_STOPPED;
        state->next = NONE;
    }
    state->status = SCHEDULETABLE_STOPPED;
    carillon_osek_unlock(saved);
    REQUIRE(status != SCHEDULETABLE_STOPPED, OSServiceId_StopScheduleTable, E_OS_NOFUNC, .object = table);
    return E_OK;
}

StatusType NextScheduleTable(ScheduleTableType from, ScheduleTableType to)
{
    CHECK_TABLE(OSServiceId_NextScheduleTable, from, .first = to);
    CHECK((to < CARILLON_OSEK_SCHEDULE_TABLES) &&
              (carillon_osek_schedule_tables[from].counter == carillon_osek_schedule_tables[to].counter) &&
              (carillon_osek_schedule_tables[from].sync == carillon_osek_schedule_tables[to].sync),
          OSServiceId_NextScheduleTable, E_OS_ID, .object = from, .first = to);
    OF_CELLS(from, next_on_cells(from, to));
    OF_CELLS(to, E_OS_ID);
    const uint32_t saved = carillon_osek_lock();
    settle(from);
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[from];
    const bool runs = (state->status != SCHEDULETABLE_STOPPED) && (state->status != SCHEDULETABLE_NEXT);
    const bool stopped = carillon_osek_table_states[to].status == SCHEDULETABLE_STOPPED;
    if (runs && stopped) {
        if (state->next != NONE) {
            carillon_osek_table_states[state->next].status = SCHEDULETABLE_STOPPED;
        }
        state->next = to;
        carillon_osek_table_states[to].status = SCHEDULETABLE_NEXT;
    }
    carillon_osek_unlock(saved);
    REQUIRE(runs, OSServiceId_NextScheduleTable, E_OS_NOFUNC, .object = from, .first = to);
    REQUIRE(stopped, OSServiceId_NextScheduleTable, E_OS_STATE, .object = from, .first = to);
    return E_OK;
}

StatusType GetScheduleTableStatus(ScheduleTableType table, ScheduleTableStatusRefType status)
{
    CHECK_TABLE(OSServiceId_GetScheduleTableStatus, table, .reference = status);
    CHECK_POINTER(status, OSServiceId_GetScheduleTableStatus, .object = table, .reference = status);
    const uint32_t saved = carillon_osek_lock();
    if (!ON_CELLS(table)) {
        serve_due(table);
    } else {
        settle_cells();
    }
    *status = carillon_osek_table_states[table].status;
    carillon_osek_unlock(saved);
    return E_OK;
}

#if CARILLON_OSEK_ADJUSTS

/* `ticks` before a position of a table, perhaps in the turn before; all of these are at most its duration. */
static TickType before(TickType position, TickType ticks, TickType duration)
{
    if (position >= ticks) {
        return position - ticks;
    }
    return duration - (ticks - position);
}

/* How far a table is ahead of where it should be, or behind, the shorter way round; all has been served. */
static struct deviation deviation_from(uint8_t table, TickType value)
{
    const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
    const struct carillon_osek_alarm_state *const state = state_of(fixed->first);
    const struct carillon_osek_step *const step = &carillon_osek_cursors[fixed->first].steps[state->cycle];
    const carillon_osek_distance left = CARILLON_OSEK_QUEUE_DISTANCE(queue_of(fixed->first), &state->event);
    /* All of these are less than the duration. */
    const TickType offset = (step->offset == fixed->duration) ? 0u : step->offset;
    const TickType back = (TickType)(left % (carillon_osek_distance)fixed->duration);
    const TickType at = before(offset, back, fixed->duration);
    const TickType ahead = before(at, value, fixed->duration);
    const TickType behind = fixed->duration - ahead;
    return (ahead < behind) ? (struct deviation){.ticks = ahead, .ahead = true}
                            : (struct deviation){.ticks = behind, .ahead = false};
}

StatusType SyncScheduleTable(ScheduleTableType table, TickType value)
{
    CHECK_TABLE(OSServiceId_SyncScheduleTable, table, .first = value);
    const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
    CHECK(fixed->sync == CARILLON_OSEK_SYNC_EXPLICIT, OSServiceId_SyncScheduleTable, E_OS_ID, .object = table,
          .first = value);
    CHECK(value < fixed->duration, OSServiceId_SyncScheduleTable, E_OS_VALUE, .object = table, .first = value);
    OF_CELLS(table, synchronise_cells(table, value));
    const uint32_t saved = carillon_osek_lock();
    settle(table);
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[table];
    const uint8_t status = state->status;
    if (status == SCHEDULETABLE_WAITING) {
        begin(table, (carillon_osek_distance)(fixed->duration - value), SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    } else if (status >= SCHEDULETABLE_RUNNING) {
        const struct deviation deviation = deviation_from(table, value);
        for (uint32_t cursor = fixed->first; cursor < ((uint32_t)fixed->first + fixed->cursors); cursor++) {
            carillon_osek_deviations[cursor].ticks = deviation.ticks;
            carillon_osek_deviations[cursor].ahead = deviation.ahead;
            carillon_osek_deviations[cursor].nears = false;
        }
        state->status =
            (deviation.ticks <= fixed->precision) ? SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS : SCHEDULETABLE_RUNNING;
    } else {
        /* it is not started */
    }
    carillon_osek_unlock(saved);
    REQUIRE((status != SCHEDULETABLE_STOPPED) && (status != SCHEDULETABLE_NEXT), OSServiceId_SyncScheduleTable,
            E_OS_STATE, .object = table, .first = value);
    return E_OK;
}

#else

StatusType SyncScheduleTable(ScheduleTableType table, TickType value)
{
    CHECK_TABLE(OSServiceId_SyncScheduleTable, table, .first = value);
    OF_CELLS(table, synchronise_cells(table, value));
    (void)table;
    (void)value;
    REQUIRE(false, OSServiceId_SyncScheduleTable, E_OS_ID, .object = table, .first = value);
}

#endif

StatusType SetScheduleTableAsync(ScheduleTableType table)
{
    CHECK_TABLE(OSServiceId_SetScheduleTableAsync, table, .first = 0u);
    const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
    CHECK(fixed->sync == CARILLON_OSEK_SYNC_EXPLICIT, OSServiceId_SetScheduleTableAsync, E_OS_ID, .object = table);
    OF_CELLS(table, desynchronise_cells(table));
    const uint32_t saved = carillon_osek_lock();
    settle(table);
    const bool runs = carillon_osek_table_states[table].status >= SCHEDULETABLE_RUNNING;
    if (runs) {
        carillon_osek_table_states[table].status = SCHEDULETABLE_RUNNING;
        for (uint32_t cursor = fixed->first; cursor < ((uint32_t)fixed->first + fixed->cursors); cursor++) {
            adjust_no_more(cursor);
        }
    }
    (void)fixed;
    carillon_osek_unlock(saved);
    REQUIRE(runs, OSServiceId_SetScheduleTableAsync, E_OS_STATE, .object = table);
    return E_OK;
}

#else

/* All tables are on cells. */
StatusType StartScheduleTableRel(ScheduleTableType table, TickType offset)
{
    return start_relative(table, offset);
}

StatusType StartScheduleTableAbs(ScheduleTableType table, TickType start)
{
    return start_absolute(table, start);
}

StatusType(StopScheduleTable)(ScheduleTableType table)
{
    return stop_cells(table);
}

StatusType GetScheduleTableStatus(ScheduleTableType table, ScheduleTableStatusRefType status)
{
    *status = settled_status(table);
    return E_OK;
}

StatusType StartScheduleTableSynchron(ScheduleTableType table)
{
    return await_cells(table);
}

StatusType NextScheduleTable(ScheduleTableType from, ScheduleTableType to)
{
    return next_on_cells(from, to);
}

StatusType SyncScheduleTable(ScheduleTableType table, TickType value)
{
    return synchronise_cells(table, value);
}

StatusType SetScheduleTableAsync(ScheduleTableType table)
{
    return desynchronise_cells(table);
}

#endif

#endif
