/* SPDX-License-Identifier: Apache-2.0
 *
 * A table on cells stands in no queue.  Each of its cells repeats with the table, so that a start and a stop are all
 * that is done here.  A table that does not repeat has one more cell, whose handler stops it at its end (end_cells).  A
 * cell is the vector of a direct task, or has the level of a managed one, where its handler does what services do not
 * find done before (cells.h).  A stop leaves both alone: what a cell has expired for is requested, so it has happened,
 * and services that look at the task serve it first.  Nothing is checked: a system that wants errors told has no tables
 * on cells (allocate/table_cells.py). */
#ifndef CARILLON_TABLE_CELLS_H
#define CARILLON_TABLE_CELLS_H

#include "kernel/counters/table_adjust.h"
#include "kernel/counters/table_set.h"

#if CARILLON_OSEK_TABLE_CELLS > 0

/* What the time base reads at time 0, to the unit: what counts ticks has it read so a little before, so that the base
 * is never behind a cell that it cannot be started together with (image/build.py). */
#define TIME_0 (CARILLON_BASE_ORIGIN - CARILLON_BASE_GUARD)

/* The units of the time base that have passed since time 0, as it has read `left`, but for whole periods of the base:
 * one may be too many.  They are whole turns of the counters of tables on cells (allocate/base.py). */
static inline uint32_t passed_until(uint32_t left)
{
    return (CARILLON_BASE_PERIOD <= (UINT32_MAX / 2u)) ? ((TIME_0 + CARILLON_BASE_PERIOD) - left)
                                                       : carillon_base_later(TIME_0, left);
}

#if !CARILLON_OSEK_TABLES_SET
/* How many stores of the list `prepare` there are for each cell. */
#if CARILLON_OSEK_TABLES_RESTART
static inline uint32_t prepares(const struct carillon_osek_table_on_cells *cells)
{
    (void)cells;
    return 0u;
}
static inline uint32_t all_prepares(const struct carillon_osek_table_on_cells *cells)
{
    (void)cells;
    return 0u;
}
#else
static inline uint32_t prepares(const struct carillon_osek_table_on_cells *cells)
{
    return cells->prepare_count / cells->count;
}
static inline uint32_t all_prepares(const struct carillon_osek_table_on_cells *cells)
{
    return cells->prepare_count;
}
#endif

/* Start the first cells of a table, which stand still and have so many stores of `prepare`, and return what a counter
 * has read then; locked. */
#if CARILLON_OSEK_TABLES_MOVE
static inline uint32_t start_some(const struct carillon_osek_table_on_cells *cells, struct carillon_store some,
                                  uint32_t prepare_count, uint32_t counter)
{
    (void)cells;
    (void)prepare_count;
    return read_and_start(counter, some); /* what runs already runs on */
}
#elif CARILLON_OSEK_TABLES_RESTART
static inline uint32_t start_some(const struct carillon_osek_table_on_cells *cells, struct carillon_store some,
                                  uint32_t prepare_count, uint32_t counter)
{
    const struct carillon_store start = {
        .address = some.address, .value = carillon_port_read(some.address) | some.value, /* what runs already runs on */
    };
    (void)cells;
    (void)prepare_count;
    return read_and_start(counter, start);
}
#else
static inline uint32_t start_some(const struct carillon_osek_table_on_cells *cells, struct carillon_store some,
                                  uint32_t prepare_count, uint32_t counter)
{
    for (uint32_t i = 0; i < prepare_count; i++) {
        carillon_port_write(cells->prepare[i].address, cells->prepare[i].value);
    }
    return read_and_start(counter, some);
}
#endif

/* Start all of them, and return what the time base has read. */
static inline uint32_t start_cells(const struct carillon_osek_table_on_cells *cells)
{
    return start_some(cells, cells->start, all_prepares(cells), CARILLON_BASE_COUNTER);
}

static inline StatusType begun(uint8_t table, const struct carillon_osek_table_on_cells *cells, uint32_t begin,
                               uint32_t left, uint32_t saved)
{
    note_begin(table, cells, begin, left);
    unlock_table(saved);
    return E_OK;
}

/* Let cells that have just been started, the first ones of a table, expire at their points; locked.  The table begins
 * `begin` ticks of the system clock after the reading with which they were started, or before it if that is less than 0.
 * `behind`: no point has been due for longer. */
#if CARILLON_OSEK_TABLES_MOVE
/* One store moves them.  They were started so far ahead of their points that none expires before it, although a round's
 * handlers come in between.  A point that has passed by then expires at once, as often as it has been due. */
static inline void begin_some(const struct carillon_osek_table_on_cells *cells, uint32_t count, uint32_t begin,
                              uint32_t behind)
{
    (void)cells;
    (void)count;
    (void)behind;
    carillon_port_write(carillon_osek_table_move.address, carillon_osek_table_move.value + begin);
}
static inline StatusType begin_cells(uint8_t table, const struct carillon_osek_table_on_cells *cells, uint32_t begin,
                                     uint32_t left, uint32_t saved)
{
    begin_some(cells, cells->count, begin, BEHIND);
    return begun(table, cells, begin, left, saved);
}
#else
/* Some points are so near that a cell could not be set in time.  Their cells expire a turn later, and what they should
 * ask for now is requested here, when it is due. */
static __attribute__((noinline)) void place_late(const struct carillon_osek_table_on_cells *cells, uint32_t count,
                                                 uint32_t begin, uint32_t behind)
{
    uint32_t late = 1u; /* their cells are the first, which are in the order of their points */
    while ((late < count) && is_near(begin + cells->cells[late].first, behind)) {
        late++;
    }
    if (late < count) {
        carillon_port_shift(&cells->shifts[late], count - late, begin);
    }
    for (uint32_t i = 0; i < late; i++) {
        const struct carillon_osek_table_cell *const cell = &cells->cells[i];
        uint32_t due = begin + cell->first;
        while ((CARILLON_OSEK_TABLE_ENDS != 0) && is_near(due + cell->period, behind)) {
            due += cell->period; /* it has been held back by `behind` at most */
        }
        carillon_port_shift(&cells->shifts[i], 1u, (due - cell->first) + cell->period);
        if (!CARILLON_OSEK_TABLE_ENDS || ((due != 0u) && is_near(due, 0u))) { /* else it has been due */
            while (carillon_port_read(cells->shifts[i].counter) >= cell->period) {
            }
        }
        carillon_port_request(cell->source);
    }
}

/* 1. Every cell stood at its period when it was started, CARILLON_PORT_SINCE_READ ticks after the reading.  What is added
 *    to its counter says where it is to be then, whenever the addition comes.
 * 2. All additions have been made CARILLON_BASE_NEAR ticks after the reading.  A point that is due later has its cell
 *    before it: what that reads is more than 0 after the addition.
 * 3. A point that is due before is waited for (place_late), in the order of the points, when the cells of all others
 *    are set.  What it activates runs when the last of these is due, about CARILLON_BASE_NEAR ticks after the reading:
 *    late, but not before it is due, and never is one lost.  Its next expiry is the cell's own, exact: points of a cell
 *    are farther apart than CARILLON_BASE_NEAR (allocate/table_cells.py). */
static inline void begin_some(const struct carillon_osek_table_on_cells *cells, uint32_t count, uint32_t begin,
                              uint32_t behind)
{
    if (is_near(begin + cells->first, behind)) {
        place_late(cells, count, begin, behind);
    } else {
        carillon_port_shift(cells->shifts, count, begin);
    }
}

static __attribute__((noinline)) StatusType begin_late(uint8_t table, const struct carillon_osek_table_on_cells *cells,
                                                       uint32_t begin, uint32_t left, uint32_t saved)
{
    place_late(cells, cells->count, begin, BEHIND);
    return begun(table, cells, begin, left, saved);
}
static inline StatusType begin_cells(uint8_t table, const struct carillon_osek_table_on_cells *cells, uint32_t begin,
                                     uint32_t left, uint32_t saved)
{
    if (is_near(begin + cells->first, BEHIND)) {
        return begin_late(table, cells, begin, left, saved);
    }
    carillon_port_shift(cells->shifts, cells->count, begin);
    return begun(table, cells, begin, left, saved);
}
#endif
#else
static inline StatusType begin_cells(uint8_t table, const struct carillon_osek_table_on_cells *cells, uint32_t begin,
                                     uint32_t left, uint32_t saved)
{
    place(cells, begin, left);
    note_begin(table, cells, begin, left);
    unlock_table(saved);
    return E_OK;
}
#endif

/* Ticks of a counter from the value `now` to `value`: at least one. */
static inline uint32_t ticks_to(uint8_t table, TickType now, TickType value)
{
    const TickType most = carillon_osek_counters[carillon_osek_schedule_tables[table].counter].max_allowed;
    if (value > now) {
        return value - now;
    }
    return (most - now) + value + 1u;
}

/* All cells of a table stand still, and those that have been in this turn. */
#if CARILLON_OSEK_TABLES_RESTART
static inline void write_stops(uint8_t table)
{
    carillon_port_write(carillon_osek_table_stops[table].address, carillon_osek_table_stops[table].value);
}
#if CARILLON_OSEK_TABLE_ENDS
static inline void write_early_stops(const struct carillon_osek_table_on_cells *cells)
{
    carillon_port_write(cells->hold.address, cells->hold.value);
}
#endif
#else
static inline void write_stops(uint8_t table)
{
    const struct carillon_osek_table_on_cells *const cells = carillon_osek_tables_on_cells[table];
    for (uint32_t i = 0; i < cells->stop_count; i++) {
        carillon_port_write(cells->stop[i].address, cells->stop[i].value);
    }
}
#if CARILLON_OSEK_TABLE_ENDS
static inline void write_early_stops(const struct carillon_osek_table_on_cells *cells)
{
    for (uint32_t i = 0; i < cells->early; i++) {
        carillon_port_write(cells->stop[i].address, cells->stop[i].value);
    }
}
#endif
#endif

/* No cell of a table is stopped before its end; and no table follows it. */
#if CARILLON_OSEK_TABLE_ENDS
static inline void hold_none(uint8_t table)
{
    carillon_osek_table_states[table].held = 0u;
}
static inline void follow_none(uint8_t table)
{
    carillon_osek_table_states[table].next = NONE;
}
#else
static inline void hold_none(uint8_t table)
{
    (void)table;
}
static inline void follow_none(uint8_t table)
{
    (void)table;
}
#endif

/* Write that the cells of a table stand still; locked. */
static inline void halt_cells(uint8_t table)
{
    write_stops(table);
    hold_none(table);
    carillon_osek_table_states[table].status = SCHEDULETABLE_STOPPED;
}

#if CARILLON_OSEK_TABLE_ENDS
/* How a table on cells ends.  It does by itself if it does not repeat, or when another is to follow it.
 *
 * 1. The period of each cell of a table that does not repeat is 2^24 ticks longer than the table, so that none expires
 *    twice before its end is served, unless interrupts are locked for so long.
 * 2. A table that repeats and may be followed has a cell for each point.  If it is to be followed, the cells of points
 *    before its half are stopped in the second half (hold_early), and the others at its end.  So each is stopped about
 *    half a turn before it would expire once more, and that is how long interrupts may be locked.
 *    Whether they are is written down (held): what the end's cell reads says where the table is, but not whether the
 *    handlers of its half and its end have been since.
 * 3. The end's cell is on the kernel's level, so its handler comes before any task finds the table running.  An ISR of
 *    that level holds it back: services first serve ends that wait (settle_ends), as they do in queues.
 * 4. A table that is stopped while its end waits has been stopped before.  What waits is forgotten at its next start.
 * 5. The next table begins at this one's end, however late that is served: the end's cell says how long ago it was, and
 *    the next instruction starts the cells of the next table (start_cells).  What has been due since is requested.
 * 6. Cells that are started by a store each take longer for that, so that no table follows there. */
#define FOLLOWED (!CARILLON_OSEK_TABLES_SET)

#if FOLLOWED
static inline uint32_t to_end(const struct carillon_osek_table_on_cells *cells)
{
    return carillon_port_read(cells->ends_at);
}

/* Stop the cells of points that have been in this turn, if this is its second half; locked.  A table that has not begun
 * yet is farther from its end. */
static void hold_early(uint8_t table)
{
    const struct carillon_osek_table_on_cells *const cells = carillon_osek_tables_on_cells[table];
    if ((cells->early == 0u) || (to_end(cells) > cells->rest)) {
        return;
    }
    carillon_osek_table_states[table].held = 1u;
    write_early_stops(cells);
}

/* No table follows any more: these cells go on in the next turn; locked. */
static void resume_early(uint8_t table)
{
    const struct carillon_osek_table_on_cells *const cells = carillon_osek_tables_on_cells[table];
    if (carillon_osek_table_states[table].held == 0u) {
        return;
    }
    carillon_osek_table_states[table].held = 0u;
    const uint32_t each = prepares(cells);
    const uint32_t left = start_some(cells, cells->resume, cells->early * each, cells->ends_at);
    const uint32_t begin = (left <= cells->rest) ? left : (left - cells->again); /* the end has passed meanwhile */
    begin_some(cells, cells->early, begin, BEHIND);
}

/* The table that follows begins where this one has just ended; locked. */
static inline void begin_next(uint8_t table, uint8_t next)
{
    const struct carillon_osek_table_on_cells *const cells = carillon_osek_tables_on_cells[table];
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[table];
    const struct carillon_osek_table_on_cells *const other = carillon_osek_tables_on_cells[next];
    if (other->ends_by != 0u) {
        carillon_port_forget(other->ends_by, CARILLON_SOURCE_BIT(other->ends_by));
    }
    const uint32_t ago = cells->again - start_some(other, other->start, other->count * prepares(other), cells->ends_at);
    carillon_osek_table_states[next].status = state->status;
    state->next = NONE;
    halt_cells(table);
    begin_some(other, other->count, 0u - ago, ago);
}

#else
static inline void begin_next(uint8_t table, uint8_t next)
{
    (void)table;
    (void)next;
}
#endif

/* The end of a table that runs has come, so many ticks ago; locked. */
static __attribute__((noinline)) void end_cells(uint8_t table)
{
    const struct carillon_osek_table_state *const state = &carillon_osek_table_states[table];
    const uint8_t next = state->next;
    if (state->status < SCHEDULETABLE_RUNNING) {
        return;
    }
    if (!FOLLOWED || (next == NONE)) {
        if (carillon_osek_schedule_tables[table].repeating == 0u) {
            halt_cells(table);
        }
        return;
    }
    begin_next(table, next);
}

/* Serve the ends of tables that have come and wait; locked.  A table that follows may have come to its end, too. */
static void settle_ends(void)
{
    bool again = true;
    while (again) {
        again = false;
        for (uint8_t table = 0; table < CARILLON_OSEK_SCHEDULE_TABLES; table++) {
            const uint16_t source = ON_CELLS(table) ? carillon_osek_tables_on_cells[table]->ends_by : 0u;
            if ((source != 0u) && carillon_port_is_pending(source)) {
                carillon_port_forget(source, CARILLON_SOURCE_BIT(source));
                end_cells(table);
                again = true;
            }
        }
    }
}

#if FOLLOWED
/* Is a table adjusted?  It has a cell that expires at its last point then. */
#if CARILLON_OSEK_TABLE_ADJUSTS
static inline bool is_adjusted(uint8_t table)
{
    return carillon_osek_tables_on_cells[table]->adjusts_by != 0u;
}
#else
static inline bool is_adjusted(uint8_t table)
{
    (void)table;
    return false;
}
#endif

static StatusType next_on_cells(uint8_t from, uint8_t to)
{
    if (!ON_CELLS(from) || !ON_CELLS(to) || (carillon_osek_tables_on_cells[from]->ends_by == 0u)) {
        return E_OS_ID;
    }
    if (is_adjusted(to)) { /* it is synchronised in another way */
        return E_OS_ID;
    }
    const struct carillon_osek_table_on_cells *const cells = carillon_osek_tables_on_cells[from];
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[from];
    StatusType status = E_OK;
    const uint32_t saved = lock_table();
    settle_ends();
    if (state->status < SCHEDULETABLE_RUNNING) {
        status = E_OS_NOFUNC;
    } else if (carillon_osek_table_states[to].status != SCHEDULETABLE_STOPPED) {
        status = E_OS_STATE;
    } else {
        if (state->next != NONE) {
            carillon_osek_table_states[state->next].status = SCHEDULETABLE_STOPPED;
        } else if (cells->early != 0u) {
            /* An end that is too near for that is the last before the call. */
            while (to_end(cells) <= CARILLON_BASE_NEAR) {
            }
            settle_ends();
            hold_early(from);
        } else {
            /* no cell is to be stopped before the end */
        }
        state->next = to;
        carillon_osek_table_states[to].status = SCHEDULETABLE_NEXT;
    }
    unlock_table(saved);
    return status;
}

/* What a table that is stopped is linked to; locked. */
static void unlink_cells(uint8_t table)
{
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[table];
    if (state->status == SCHEDULETABLE_NEXT) {
        for (uint8_t other = 0; other < CARILLON_OSEK_SCHEDULE_TABLES; other++) {
            if (carillon_osek_table_states[other].next == table) {
                carillon_osek_table_states[other].next = NONE;
                resume_early(other);
            }
        }
    }
    if (state->next != NONE) {
        carillon_osek_table_states[state->next].status = SCHEDULETABLE_STOPPED;
        state->next = NONE;
    }
}
#else
static inline StatusType next_on_cells(uint8_t from, uint8_t to)
{
    (void)from;
    (void)to;
    return E_OS_ID;
}
static inline void unlink_cells(uint8_t table)
{
    (void)table;
}
#endif
#else
static inline void settle_ends(void)
{
}
static inline StatusType next_on_cells(uint8_t from, uint8_t to)
{
    (void)from;
    (void)to;
    return E_OS_ID; /* cells know no other table */
}
static inline void unlink_cells(uint8_t table)
{
    (void)table;
}
#endif

static StatusType start_relative(uint8_t table, TickType offset)
{
    const struct carillon_osek_table_on_cells *const cells = carillon_osek_tables_on_cells[table];
    const uint32_t saved = lock_table();
    settle_ends();
    settle_adjustments();
    uint8_t *const status = &carillon_osek_table_states[table].status;
    if (*status != SCHEDULETABLE_STOPPED) {
        unlock_table(saved);
        return E_OS_STATE;
    }
    *status = SCHEDULETABLE_RUNNING;
    const uint32_t left = start_cells(cells);
    const uint32_t begin = (offset * cells->tick) - (passed_until(left) % cells->tick);
    return begin_cells(table, cells, begin, left, saved);
}

static inline uint8_t status_of_absolute(uint8_t table)
{
    return (carillon_osek_schedule_tables[table].sync == CARILLON_OSEK_SYNC_IMPLICIT)
               ? SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS
               : SCHEDULETABLE_RUNNING;
}

static StatusType start_absolute(uint8_t table, TickType value)
{
    const struct carillon_osek_table_on_cells *const cells = carillon_osek_tables_on_cells[table];
    const uint32_t saved = lock_table();
    settle_ends();
    settle_adjustments();
    if (carillon_osek_table_states[table].status != SCHEDULETABLE_STOPPED) {
        unlock_table(saved);
        return E_OS_STATE;
    }
    carillon_osek_table_states[table].status = status_of_absolute(table);
    const uint32_t left = start_cells(cells);
    const uint32_t passed = passed_until(left);
    const TickType now = (passed % cells->turn) / cells->tick;
    const uint32_t begin = (ticks_to(table, now, value) * cells->tick) - (passed % cells->tick);
    return begin_cells(table, cells, begin, left, saved);
}

#if CARILLON_OSEK_TABLES_RESTART && !CARILLON_OSEK_TABLES_BESIDE && !CARILLON_OSEK_TABLE_ENDS && \
    !CARILLON_OSEK_TABLE_ADJUSTS
static StatusType stop_cells(uint8_t table)
{
    return carillon_stop_cells(table);
}
#else
static StatusType stop_cells(uint8_t table)
{
    const uint32_t saved = lock_table();
    settle_ends();
    settle_adjustments();
    const bool stopped = carillon_osek_table_states[table].status == SCHEDULETABLE_STOPPED;
    if (!stopped) {
        const bool runs = carillon_osek_table_states[table].status >= SCHEDULETABLE_RUNNING;
        unlink_cells(table);
        if (runs) {
            halt_cells(table);
        } else {
            carillon_osek_table_states[table].status = SCHEDULETABLE_STOPPED;
        }
    }
    unlock_table(saved);
    return stopped ? E_OS_NOFUNC : E_OK;
}
#endif

#endif

#endif
