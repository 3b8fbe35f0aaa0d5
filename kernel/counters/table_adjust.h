/* SPDX-License-Identifier: Apache-2.0
 *
 * How a table on cells keeps with the global time.  Only the delay over its end is adjusted, from the last point to the
 * first one of the next turn.  A cell of its own expires at the last point.  The handler shifts all cells of the table
 * by the same ticks, one after the other (Sloth on Time, section IV-E).  So the handler does what a cursor in a
 * queue does at that point (table_points.c).  What holds of it:
 *
 * 1. At the last point every cell has expired for this turn, and none has for the next one.  So what is added to all
 *    counters moves the next turn as a whole.
 * 2. What the time base reads says how late the handler is.  No counter may be shifted to 0 or below.  So what is next,
 *    the first point, is to be CARILLON_BASE_NEAR ticks ahead at least when it has been shifted (`latest`).  A handler
 *    that is held back shortens by less if it must, and the rest waits for the next turn.  If the first point itself is
 *    nearer, it does nothing: cells may have begun the next turn already.
 * 3. A shift adds to a counter that runs, so the time that the handler takes changes nothing (carillon_port_shift).
 * 4. The table is where the next last point says, in ticks before that.  Of that point it is written down what the
 *    time base will read then.  The table's own cell cannot say it: a counter that has been shifted above its period
 *    reads no more than that in QEMU.
 * 5. It becomes synchronous at its end, or at the first point if the end could not come as early as that.  Nobody is
 *    told there: whoever asks reads the time base, and the handler of the next turn finds that it has been (arrive).
 * 6. The cell's handler is on the kernel's level, so it comes before any task looks.  An ISR of that level holds it
 *    back: services first do what waits (settle_adjustments), as with ends.
 * 7. Cells of a stopped table begin at their periods again, so that nothing is left of the shifts. */
#ifndef CARILLON_TABLE_ADJUST_H
#define CARILLON_TABLE_ADJUST_H

#include "kernel/counters/table.h"

#if CARILLON_OSEK_TABLE_CELLS > 0

#if CARILLON_OSEK_TABLE_ADJUSTS

static StatusType start_relative(uint8_t table, TickType offset);

struct cell_deviation {
    TickType ticks;   /* to be adjusted still */
    uint32_t due;     /* what the time base reads when the last point comes next */
    uint32_t arrives; /* ticks of the system clock until then, at most, once the table is where `nears` says */
    bool ahead;       /* of the global time */
    bool nears;       /* it is within the precision when it comes there */
};
static struct cell_deviation cell_deviations[CARILLON_OSEK_SCHEDULE_TABLES];

/* The table begins `begin` ticks of the system clock after the time base has read `left`; nothing is known of where it
 * should be. */
static inline void note_begin(uint8_t table, const struct carillon_osek_table_on_cells *cells, uint32_t begin,
                              uint32_t left)
{
    const uint32_t due = carillon_base_later(left, begin + (cells->last * cells->tick));
    cell_deviations[table] = (struct cell_deviation){.due = due};
}

/* Ticks of the system clock until the table's last point comes next. */
static inline uint32_t until_last(const struct cell_deviation *deviation, uint32_t left)
{
    return carillon_base_later(left, deviation->due);
}

/* The table has come to where it was to be (SWS_Os_00418, 00419); locked. */
static void arrive(uint8_t table)
{
    uint8_t *const status = &carillon_osek_table_states[table].status;
    cell_deviations[table].nears = false;
    if (*status == SCHEDULETABLE_RUNNING) {
        *status = SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS;
    }
}

/* Shift the cells of a table whose last point comes again in `left` ticks.  Returns by how much: what is less than 0 is
 * modulo 2^32. */
static inline uint32_t shift_cells(const struct carillon_osek_table_on_cells *cells,
                                   const struct carillon_osek_schedule_table *fixed, struct cell_deviation *deviation,
                                   uint32_t left)
{
    const TickType final = (TickType)fixed->duration - cells->last; /* ticks from the last point to the end */
    TickType ticks = deviation->ahead ? cells->max_lengthen : cells->max_shorten;
    if (deviation->ticks < ticks) {
        ticks = deviation->ticks;
    }
    uint32_t by = ticks * cells->tick;
    TickType rest = 0u; /* by how much the first point is earlier after the end */
    if (!deviation->ahead) {
        const uint32_t room = left - cells->latest;
        if (by > room) {
            ticks = room / cells->tick;
            by = ticks * cells->tick;
        }
        by = 0u - by;
        rest = (ticks <= final) ? 0u : (ticks - final);
    }
    carillon_port_shift(cells->moves, cells->count, by);
    deviation->ticks -= ticks;
    deviation->nears = deviation->ticks <= fixed->precision;
    deviation->arrives = ((rest <= fixed->precision) ? cells->last : (cells->last - fixed->initial)) * cells->tick;
    return by;
}

/* The last point of a table has come: adjust what follows, as the first point allows (SWS_Os_00420, 00421); locked. */
static __attribute__((noinline)) void adjust_cells(uint8_t table)
{
    const struct carillon_osek_table_on_cells *const cells = carillon_osek_tables_on_cells[table];
    const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
    struct cell_deviation *const deviation = &cell_deviations[table];
    if (carillon_osek_table_states[table].status < SCHEDULETABLE_RUNNING) {
        return;
    }
    if (deviation->nears) {
        arrive(table);
    }
    uint32_t turn = (TickType)fixed->duration * cells->tick; /* from this point to the last one of the next turn */
    uint32_t late = carillon_base_later(deviation->due, carillon_base_left());
    if (late > CARILLON_BASE_MOST) {
        late = 0u; /* the base is a little behind the cell */
    }
    while (late >= turn) { /* as often as the table has been repeated while the handler was held back */
        late -= turn;
        deviation->due = carillon_base_later(deviation->due, turn);
    }
    const uint32_t left = turn - late;
    if ((deviation->ticks != 0u) && (left > cells->latest)) {
        turn += shift_cells(cells, fixed, deviation, left);
    }
    deviation->due = carillon_base_later(deviation->due, turn);
}

/* Do what waits of the adjusting of tables, and say of each whether it has become synchronous; locked.  A table whose
 * own cell expires meanwhile is asked again. */
static void settle_adjustments(void)
{
    for (uint8_t table = 0; table < CARILLON_OSEK_SCHEDULE_TABLES; table++) {
        const uint32_t source = ON_CELLS(table) ? carillon_osek_tables_on_cells[table]->adjusts_by : 0u;
        if (source == 0u) {
            continue;
        }
        const struct cell_deviation *const deviation = &cell_deviations[table];
        const uint32_t left = carillon_base_left();
        if (carillon_port_is_pending((uint16_t)source)) {
            carillon_port_forget(source, CARILLON_SOURCE_BIT(source));
            const uint32_t saved = lock_table(); /* GetScheduleTableStatus locks one level alone */
            adjust_cells(table);
            unlock_table(saved);
        } else if (deviation->nears && (until_last(deviation, left) <= deviation->arrives)) {
            arrive(table);
        } else {
            /* it has not come there yet */
        }
    }
}

/* `ticks` before a position of a table, perhaps in the turn before; all of these are at most its duration. */
static inline TickType before_position(TickType position, TickType ticks, TickType duration)
{
    if (position >= ticks) {
        return position - ticks;
    }
    return duration - (ticks - position);
}

/* Where a table that runs is, in ticks from its begin; locked.  `left`: ticks of the system clock until its last point.
 */
static TickType position_of(const struct carillon_osek_table_on_cells *cells, TickType duration, uint32_t left)
{
    const TickType back = ((left + cells->tick - 1u) / cells->tick) % duration;
    return before_position(cells->last, back, duration);
}

static StatusType synchronise_cells(uint8_t table, TickType value)
{
    const struct carillon_osek_table_on_cells *const cells = carillon_osek_tables_on_cells[table];
    const struct carillon_osek_schedule_table *const fixed = &carillon_osek_schedule_tables[table];
    const TickType duration = (TickType)fixed->duration;
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[table];
    struct cell_deviation *const deviation = &cell_deviations[table];
    if (cells->adjusts_by == 0u) {
        return E_OS_ID;
    }
    const uint32_t saved = lock_table();
    uint32_t left;
    do {
        settle_adjustments();
        left = carillon_base_left();
    } while (carillon_port_is_pending((uint16_t)cells->adjusts_by));
    const uint8_t status = state->status;
    if (status == SCHEDULETABLE_WAITING) {
        state->status = SCHEDULETABLE_STOPPED;
        (void)start_relative(table, duration - value);
        state->status = SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS;
    } else if (status >= SCHEDULETABLE_RUNNING) {
        const TickType at = position_of(cells, duration, until_last(deviation, left));
        const TickType ahead = before_position(at, value, duration);
        const TickType behind = duration - ahead;
        deviation->ahead = ahead < behind;
        deviation->ticks = deviation->ahead ? ahead : behind;
        deviation->nears = false;
        state->status =
            (deviation->ticks <= fixed->precision) ? SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS : SCHEDULETABLE_RUNNING;
    } else {
        /* it is not started */
    }
    unlock_table(saved);
    return (status >= SCHEDULETABLE_WAITING) ? E_OK : E_OS_STATE;
}

static StatusType desynchronise_cells(uint8_t table)
{
    if (carillon_osek_tables_on_cells[table]->adjusts_by == 0u) {
        return E_OS_ID;
    }
    const uint32_t saved = lock_table();
    settle_adjustments();
    const bool runs = carillon_osek_table_states[table].status >= SCHEDULETABLE_RUNNING;
    if (runs) {
        carillon_osek_table_states[table].status = SCHEDULETABLE_RUNNING;
        cell_deviations[table].ticks = 0u;
        cell_deviations[table].nears = false;
    }
    unlock_table(saved);
    return runs ? E_OK : E_OS_STATE;
}

static StatusType await_cells(uint8_t table)
{
    if (carillon_osek_tables_on_cells[table]->adjusts_by == 0u) {
        return E_OS_ID;
    }
    const uint32_t saved = lock_table();
    const bool stopped = carillon_osek_table_states[table].status == SCHEDULETABLE_STOPPED;
    if (stopped) {
        carillon_osek_table_states[table].status = SCHEDULETABLE_WAITING;
    }
    unlock_table(saved);
    return stopped ? E_OK : E_OS_STATE;
}

#else

static inline void note_begin(uint8_t table, const struct carillon_osek_table_on_cells *cells, uint32_t begin,
                              uint32_t left)
{
    (void)table;
    (void)cells;
    (void)begin;
    (void)left;
}
static inline void settle_adjustments(void)
{
}
static inline StatusType synchronise_cells(uint8_t table, TickType value)
{
    (void)table;
    (void)value;
    return E_OS_ID;
}
static inline StatusType desynchronise_cells(uint8_t table)
{
    (void)table;
    return E_OS_ID;
}
static inline StatusType await_cells(uint8_t table)
{
    (void)table;
    return E_OS_ID;
}

#endif

#endif

#endif
