/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule tables: AUTOSAR OS R4, 7.3.2 and 7.3.3.
 *
 * A table stands in the queue of its counter as an alarm does, with the step that is next.  What wakes tasks of several
 * levels has a cursor in each level's part of the queue (counter.h).  A part is served at its level, so that its cursor
 * may be behind those of others.  What holds of them:
 *
 * 1. Every cursor of a table goes through the same ticks, and ends in the same tick.  So a cursor that is held back
 *    does later what it would have done, in the order of its ticks.
 * 2. A service first has all that is due served, in all parts (settle).  So what it changes is changed for all cursors
 *    at the same tick.
 * 3. Between two services, a table is left at most once: for the one that is to follow it, or as it is not repeated.
 *    What follows a table has nothing to follow it.  So `next` says for each cursor that is held back what follows,
 *    until all have passed the end; then it is forgotten.  The first of them says what is running.
 *
 * A table on cells stands in no queue.  Each of its cells repeats with the table, so that a start and a stop are all
 * that is done here.  A table that does not repeat has one more cell, whose handler stops it at its end (end_cells).  A
 * cell is the vector of a direct task, or has the level of a managed one, where its handler does what services do not
 * find done before (kernel.h).  A stop leaves both alone: what a cell has expired for is requested, so it has happened,
 * and services that look at the task serve it first.  Nothing is checked: a system that wants errors told has no tables
 * on cells (claims.py). */
#include "kernel/osek/act.h"
#include "kernel/osek/counter.h"

#if CARILLON_OSEK_SCHEDULE_TABLES > 0

#define NONE INVALID_SCHEDULETABLE

struct carillon_osek_table_state carillon_osek_table_states[CARILLON_OSEK_SCHEDULE_TABLES];

/* Whether a table is on cells, and whether any stands in a queue. */
#define IN_QUEUES (CARILLON_OSEK_CURSORS > 0u)
#if CARILLON_OSEK_TABLE_CELLS > 0
#define ON_CELLS(table_) (!IN_QUEUES || (carillon_osek_tables_on_cells[(table_)] != NULL))
#else
#define ON_CELLS(table_) false
#endif

#if CARILLON_OSEK_TABLE_CELLS > 0

/* What is due less than so many ticks before now, which reads as almost 2^32 ticks ahead, has just passed. */
#define BEHIND UINT32_C(0x10000)

/* What the time base reads at time 0, to the unit: what counts ticks has it read so a little before, so that the base
 * is never behind a cell that it cannot be started together with (image/build.py). */
#define TIME_0 (CARILLON_BASE_ORIGIN - CARILLON_BASE_GUARD)

/* The units of the time base that have passed since time 0, as it has read `left`, but for whole periods of the base,
 * which are whole turns of the counters of tables on cells (allocate/base.py). */
static inline uint32_t passed_until(uint32_t left)
{
    return carillon_base_later(TIME_0, left);
}

/* How many stores of the list `prepare` there are for each cell. */
static inline uint32_t prepares(const struct carillon_osek_table_on_cells *it)
{
#if CARILLON_OSEK_TABLES_RESTART
    (void)it;
    return 0u;
#else
    return it->prepare_count / it->count;
#endif
}

/* Start the first cells of a table, which stand still and have so many stores of `prepare`, and return what a counter
 * has read then; locked. */
static inline uint32_t start_some(const struct carillon_osek_table_on_cells *it, struct carillon_store some,
                                  uint32_t prepare_count, uint32_t counter)
{
#if !CARILLON_OSEK_TABLES_RESTART
    for (uint32_t i = 0; i < prepare_count; i++) {
        carillon_port_write(it->prepare[i].address, it->prepare[i].value);
    }
    return carillon_port_read_and_start(counter, some);
#else
    const struct carillon_store start = {
        .address = some.address, .value = carillon_port_read(some.address) | some.value, /* what runs already runs on */
    };
    (void)it;
    (void)prepare_count;
    return carillon_port_read_and_start(counter, start);
#endif
}

/* Start all of them, and return what the time base has read. */
static inline uint32_t start_cells(const struct carillon_osek_table_on_cells *it)
{
#if CARILLON_OSEK_TABLES_RESTART
    return start_some(it, it->start, 0u, CARILLON_BASE_COUNTER);
#else
    return start_some(it, it->start, it->prepare_count, CARILLON_BASE_COUNTER);
#endif
}

/* Whether a point that is due so many ticks after the reading, or at most `behind` before it, is due before its cell is
 * set for sure. */
static inline bool is_near(uint32_t due, uint32_t behind)
{
    return (due + behind) <= (CARILLON_BASE_NEAR + behind);
}

/* Some points are so near that a cell could not be set in time.  Their cells expire a turn later, and what they should
 * ask for now is requested here, when it is due. */
static __attribute__((noinline)) void place_late(const struct carillon_osek_table_on_cells *it, uint32_t count,
                                                 uint32_t begin, uint32_t behind)
{
    uint32_t late = 1u; /* their cells are the first, which are in the order of their points */
    while ((late < count) && is_near(begin + it->cells[late].first, behind)) {
        late++;
    }
    if (late < count) {
        carillon_port_shift(&it->shifts[late], count - late, begin);
    }
    for (uint32_t i = 0; i < late; i++) {
        const struct carillon_osek_table_cell *const cell = &it->cells[i];
        uint32_t due = begin + cell->first;
#if CARILLON_OSEK_TABLE_ENDS
        while (is_near(due + cell->period, behind)) { /* it has been held back by `behind` at most */
            due += cell->period;
        }
#endif
        carillon_port_shift(&it->shifts[i], 1u, (due - cell->first) + cell->period);
        if (!CARILLON_OSEK_TABLE_ENDS || ((due != 0u) && is_near(due, 0u))) { /* else it has been due */
            while (carillon_port_read(it->shifts[i].counter) >= cell->period) {
            }
        }
        carillon_port_request(cell->source);
    }
}

/* Let the running cells of a table expire at its points, when it begins `begin` ticks of the system clock after the
 * reading of the time base with which they were started; locked, so that nothing comes in between.
 *
 * 1. Every cell stood at its period when it was started, CARILLON_PORT_SINCE_READ ticks after the reading.  What is
 *    added to its counter says where it is to be then, whenever the addition comes.
 * 2. All additions have been made CARILLON_BASE_NEAR ticks after the reading.  A point that is due later has its cell
 *    before it: what that reads is more than 0 after the addition.
 * 3. A point that is due before is waited for (place_late), in the order of the points, when the cells of all others
 * are set.  What it activates runs when the last of these is due, about CARILLON_BASE_NEAR ticks after the reading:
 * late, but not before it is due, and never is one lost.  Its next expiry is the cell's own, exact: points of a cell
 * are farther apart than CARILLON_BASE_NEAR (claims.py). */
static inline void place(const struct carillon_osek_table_on_cells *it, uint32_t begin)
{
    if (is_near(begin + it->first, BEHIND)) {
        place_late(it, it->count, begin, BEHIND);
        return;
    }
    carillon_port_shift(it->shifts, it->count, begin);
}

/* Ticks of a counter from the value `now` to `value`: at least one. */
static inline uint32_t ticks_to(uint8_t table, TickType now, TickType value)
{
    const TickType most = carillon_osek_counters[carillon_osek_schedule_tables[table].counter].max_allowed;
    if (value > now) {
        return value - now;
    }
    return (most - now) + value + 1u;
}

/* Write that the cells of a table stand still; locked. */
static inline void halt_cells(uint8_t table)
{
#if CARILLON_OSEK_TABLES_RESTART
    carillon_port_write(carillon_osek_table_stops[table].address, carillon_osek_table_stops[table].value);
#else
    const struct carillon_osek_table_on_cells *const it = carillon_osek_tables_on_cells[table];
    for (uint32_t i = 0; i < it->stop_count; i++) {
        carillon_port_write(it->stop[i].address, it->stop[i].value);
    }
#endif
#if CARILLON_OSEK_TABLE_ENDS
    carillon_osek_table_states[table].held = 0u;
#endif
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
 *    the next instruction starts the cells of the next table (start_cells).  What has been due since is requested. */
static inline uint32_t to_end(const struct carillon_osek_table_on_cells *it)
{
    return carillon_port_read(it->ends_at);
}

/* Stop the cells of points that have been in this turn, if this is its second half; locked.  A table that has not begun
 * yet is farther from its end. */
static void hold_early(uint8_t table)
{
    const struct carillon_osek_table_on_cells *const it = carillon_osek_tables_on_cells[table];
    if ((it->early == 0u) || (to_end(it) > it->rest)) {
        return;
    }
    carillon_osek_table_states[table].held = 1u;
#if CARILLON_OSEK_TABLES_RESTART
    carillon_port_write(it->hold.address, it->hold.value);
#else
    for (uint32_t i = 0; i < it->early; i++) {
        carillon_port_write(it->stop[i].address, it->stop[i].value);
    }
#endif
}

/* No table follows any more: these cells go on in the next turn; locked. */
static void resume_early(uint8_t table)
{
    const struct carillon_osek_table_on_cells *const it = carillon_osek_tables_on_cells[table];
    if (carillon_osek_table_states[table].held == 0u) {
        return;
    }
    carillon_osek_table_states[table].held = 0u;
    const uint32_t each = prepares(it);
    const uint32_t left = start_some(it, it->resume, it->early * each, it->ends_at);
    const uint32_t begin = (left <= it->rest) ? left : (left - it->again); /* the end has passed meanwhile */
    if (is_near(begin + it->first, BEHIND)) {
        place_late(it, it->early, begin, BEHIND);
    } else {
        carillon_port_shift(it->shifts, it->early, begin);
    }
}

/* The end of a table that runs has come, so many ticks ago; locked. */
static __attribute__((noinline)) void end_cells(uint8_t table)
{
    const struct carillon_osek_table_on_cells *const it = carillon_osek_tables_on_cells[table];
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[table];
    const uint8_t next = state->next;
    if (state->status < SCHEDULETABLE_RUNNING) {
        return;
    }
    if (next == NONE) {
        if (carillon_osek_schedule_tables[table].repeating == 0u) {
            halt_cells(table);
        }
        return;
    }
    const struct carillon_osek_table_on_cells *const other = carillon_osek_tables_on_cells[next];
    if (other->ends_by != 0u) {
        carillon_port_forget(other->ends_by, CARILLON_SOURCE_BIT(other->ends_by));
    }
    const uint32_t ago = it->again - start_some(other, other->start, other->count * prepares(other), it->ends_at);
    carillon_osek_table_states[next].status = state->status;
    state->next = NONE;
    halt_cells(table);
    if (other->first > (ago + CARILLON_BASE_NEAR)) {
        carillon_port_shift(other->shifts, other->count, 0u - ago);
    } else {
        place_late(other, other->count, 0u - ago, ago);
    }
}

void carillon_osek_end_table(uint8_t table)
{
    const uint32_t saved = carillon_port_lock();
    end_cells(table);
    carillon_port_unlock(saved);
}

void carillon_osek_half_table(uint8_t table)
{
    const uint32_t saved = carillon_port_lock();
    if ((carillon_osek_table_states[table].status >= SCHEDULETABLE_RUNNING) &&
        (carillon_osek_table_states[table].next != NONE)) {
        hold_early(table);
    }
    carillon_port_unlock(saved);
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

static StatusType next_on_cells(uint8_t from, uint8_t to)
{
    if (!ON_CELLS(from) || !ON_CELLS(to) || (carillon_osek_tables_on_cells[from]->ends_by == 0u)) {
        return E_OS_ID;
    }
    const struct carillon_osek_table_on_cells *const it = carillon_osek_tables_on_cells[from];
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[from];
    StatusType status = E_OK;
    const uint32_t saved = carillon_port_lock();
    settle_ends();
    if (state->status < SCHEDULETABLE_RUNNING) {
        status = E_OS_NOFUNC;
    } else if (carillon_osek_table_states[to].status != SCHEDULETABLE_STOPPED) {
        status = E_OS_STATE;
    } else {
        if (state->next != NONE) {
            carillon_osek_table_states[state->next].status = SCHEDULETABLE_STOPPED;
        } else if (it->early != 0u) {
            /* An end that is too near for that is the last before the call. */
            while (to_end(it) <= CARILLON_BASE_NEAR) {
            }
            settle_ends();
            hold_early(from);
        } else {
            /* no cell is to be stopped before the end */
        }
        state->next = to;
        carillon_osek_table_states[to].status = SCHEDULETABLE_NEXT;
    }
    carillon_port_unlock(saved);
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
static inline void settle_ends(void)
{
}
static inline void unlink_cells(uint8_t table)
{
    (void)table;
}
#endif

static StatusType start_relative(uint8_t table, TickType offset)
{
    const struct carillon_osek_table_on_cells *const it = carillon_osek_tables_on_cells[table];
    const uint32_t saved = carillon_port_lock();
    settle_ends();
    const bool stopped = carillon_osek_table_states[table].status == SCHEDULETABLE_STOPPED;
    if (stopped) {
        carillon_osek_table_states[table].status = SCHEDULETABLE_RUNNING;
        const uint32_t passed = passed_until(start_cells(it));
        place(it, (offset * it->tick) - (passed % it->tick));
    }
    carillon_port_unlock(saved);
    return stopped ? E_OK : E_OS_STATE;
}

static inline uint8_t status_of_absolute(uint8_t table)
{
    return (carillon_osek_schedule_tables[table].sync == CARILLON_OSEK_SYNC_IMPLICIT)
               ? SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS
               : SCHEDULETABLE_RUNNING;
}

static StatusType start_absolute(uint8_t table, TickType value)
{
    const struct carillon_osek_table_on_cells *const it = carillon_osek_tables_on_cells[table];
    const uint32_t saved = carillon_port_lock();
    settle_ends();
    const bool stopped = carillon_osek_table_states[table].status == SCHEDULETABLE_STOPPED;
    if (stopped) {
        carillon_osek_table_states[table].status = status_of_absolute(table);
        const uint32_t passed = passed_until(start_cells(it));
        const TickType now = (passed % it->turn) / it->tick;
        place(it, (ticks_to(table, now, value) * it->tick) - (passed % it->tick));
    }
    carillon_port_unlock(saved);
    return stopped ? E_OK : E_OS_STATE;
}

static StatusType stop_cells(uint8_t table)
{
#if CARILLON_OSEK_TABLES_RESTART && !CARILLON_OSEK_TABLE_ENDS
    return carillon_stop_cells(table);
#else
    const uint32_t saved = carillon_port_lock();
    settle_ends();
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
    carillon_port_unlock(saved);
    return stopped ? E_OS_NOFUNC : E_OK;
#endif
}

/* The counters have the value 0 at time 0, which has passed only just, or comes within CARILLON_BASE_EARLY ticks.  No
 * task begins before: what has passed since time 0 could not be told. */
void carillon_osek_start_tables_on_cells(AppModeType mode)
{
    for (uint8_t table = 0; table < CARILLON_OSEK_SCHEDULE_TABLES; table++) {
        const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
#if CARILLON_OSEK_TABLE_ENDS
        carillon_osek_table_states[table].next = NONE;
#endif
        if (!ON_CELLS(table) || (((it->autostart >> mode) & 1u) == 0u)) {
            continue;
        }
        const struct carillon_osek_table_on_cells *const cells = carillon_osek_tables_on_cells[table];
        const bool absolute = it->start == CARILLON_OSEK_START_ABSOLUTE;
        const uint32_t ticks = absolute ? ticks_to(table, 0u, it->at) : it->at;
        carillon_osek_table_states[table].status = absolute ? status_of_absolute(table) : SCHEDULETABLE_RUNNING;
        const uint32_t left = start_cells(cells);
        const uint32_t ahead = left - TIME_0; /* of time 0, which is still to come if this is little */
        const uint32_t until = ticks * cells->tick;
        if (ahead <= CARILLON_BASE_EARLY) {
            place(cells, until + ahead);
        } else {
            place(cells, until - passed_until(left));
        }
    }
#if CARILLON_BASE_EARLY > 0
    while ((carillon_base_left() - TIME_0 - 1u) < CARILLON_BASE_EARLY) {
    }
#endif
}

#endif

#if IN_QUEUES

#if CARILLON_OSEK_ADJUSTS
/* By how much a cursor is still to be adjusted: its table is ahead of the global time, or behind. */
struct deviation {
    TickType ticks;
    bool ahead;
    TickType rest; /* what the last point has taken from the delay to the next turn's first, after the end */
    bool nears;    /* it is within the precision when the cursor comes to its next step */
};
static struct deviation deviations[CARILLON_OSEK_CURSORS];
#endif

static inline struct carillon_osek_alarm_state *state_of(uint32_t cursor)
{
    return &carillon_osek_alarm_states[CARILLON_OSEK_ALARMS + cursor];
}

static inline struct carillon_queue *queue_of(uint32_t cursor)
{
    return &carillon_osek_counter_states[carillon_osek_cursors[cursor].part].queue;
}

/* Put a cursor into its part, `ticks` > 0 from the last tick that this has counted. */
static void insert(uint32_t cursor, carillon_osek_distance ticks)
{
    carillon_osek_insert(carillon_osek_cursors[cursor].part, state_of(cursor), ticks);
}

#if CARILLON_OSEK_ADJUSTS
/* The cursor has come to a step: the table is synchronous when it has come to where it was to be, not when that is
 * planned (SWS_Os_00418, 00419). */
static void arrive(uint32_t cursor)
{
    struct deviation *const deviation = &deviations[cursor];
    const uint8_t table = carillon_osek_cursors[cursor].table;
    uint8_t *const status = &carillon_osek_table_states[table].status;
    if (deviation->nears && (deviation->rest <= carillon_osek_schedule_tables[table].precision)) {
        deviation->nears = false;
        if (*status == SCHEDULETABLE_RUNNING) { /* at its end another cursor of it may have stopped it */
            *status = SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS;
        }
    }
}
#endif

/* The delay to the cursor's next step; of a table that is adjusted, as the step allows it (SWS_Os_00420, 00421).
 *
 * The last point adjusts the delay to the first of the next turn.  That is longer if the end is later.  It is shorter
 * if the end is earlier, and where it cannot be, if the first point comes the rest earlier after it.  What follows
 * another table begins as that one's final delay and its own initial offset say (SWS_Os_00284). */
static carillon_osek_distance planned(uint32_t cursor)
{
    const struct carillon_osek_cursor *const it = &carillon_osek_cursors[cursor];
    const struct carillon_osek_step *const step = &it->steps[state_of(cursor)->cycle];
    carillon_osek_distance delay = (carillon_osek_distance)step->delay;
#if CARILLON_OSEK_ADJUSTS
    struct deviation *const deviation = &deviations[cursor];
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[it->table];
    const bool is_end = (state_of(cursor)->cycle + 1u) == it->count;
    if (state_of(cursor)->cycle == 0u) {
        delay = (carillon_osek_distance)(delay - (carillon_osek_distance)deviation->rest);
        deviation->rest = 0u;
    } else if ((deviation->ticks != 0u) && (!is_end || (state->next == NONE))) {
        const TickType most = deviation->ahead ? step->max_lengthen : step->max_shorten;
        const TickType ticks = (deviation->ticks < most) ? deviation->ticks : most;
        deviation->ticks -= ticks;
        if (deviation->ahead) {
            delay = (carillon_osek_distance)(delay + (carillon_osek_distance)ticks);
        } else {
            const TickType now = (ticks < step->delay) ? ticks : step->delay;
            delay = (carillon_osek_distance)(delay - (carillon_osek_distance)now);
            deviation->rest = ticks - now;
        }
        deviation->nears = deviation->ticks <= carillon_osek_schedule_tables[it->table].precision;
    } else {
        /* nothing is to be adjusted, or not here */
    }
#endif
    return delay;
}

#if CARILLON_OSEK_ADJUSTS
/* A table is left whose last point has shortened the delay to a first point that does not come. */
static struct deviation given_back(struct deviation deviation)
{
    if (!deviation.ahead) {
        return (struct deviation){.ticks = deviation.ticks + deviation.rest, .ahead = false};
    }
    return (deviation.ticks >= deviation.rest)
               ? (struct deviation){.ticks = deviation.ticks - deviation.rest, .ahead = true}
               : (struct deviation){.ticks = deviation.rest - deviation.ticks, .ahead = false};
}
#endif

/* The cursor that goes on where this one has come to its table's end: itself, or that of the next table. */
static bool goes_on(uint32_t *cursor)
{
    const uint8_t table = carillon_osek_cursors[*cursor].table;
    const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[table];
    const uint8_t next = state->next;
    if ((next == NONE) && (it->repeating != 0u)) {
        return true;
    }
    if (state->passed == 0u) {
        if (next != NONE) {
            carillon_osek_table_states[next].status = state->status;
        }
        state->status = SCHEDULETABLE_STOPPED;
    }
    state->passed++;
    if (state->passed == it->cursors) {
        state->passed = 0u;
        state->next = NONE;
    }
    if (next == NONE) {
        return false;
    }
    const uint32_t other = *cursor + carillon_osek_schedule_tables[next].first - it->first;
#if CARILLON_OSEK_ADJUSTS
    deviations[other] = given_back(deviations[*cursor]);
#endif
    *cursor = other;
    return true;
}

void carillon_osek_expire_points(struct carillon_queue *queue, struct carillon_osek_alarm_state *state)
{
    uint32_t cursor = (uint32_t)(state - carillon_osek_alarm_states) - CARILLON_OSEK_ALARMS;
    carillon_queue_pop(queue);
    for (;;) {
        const struct carillon_osek_cursor *const it = &carillon_osek_cursors[cursor];
        struct carillon_osek_alarm_state *const its = state_of(cursor);
        const struct carillon_osek_step *const step = &it->steps[its->cycle];
        for (uint32_t i = 0; i < step->count; i++) {
            const struct carillon_osek_point_action *const action = &carillon_osek_point_actions[step->first + i];
            carillon_act(CARILLON_OSEK_POINT_ACTIONS, action->action, action->object, &action->operand);
        }
        its->cycle++;
#if CARILLON_OSEK_ADJUSTS
        arrive(cursor);
#endif
        if (its->cycle == it->count) {
            if (!goes_on(&cursor)) {
                return;
            }
            state_of(cursor)->cycle = 0u;
        }
        const carillon_osek_distance delay = planned(cursor);
        if (delay != 0u) {
            insert(cursor, delay);
            return;
        }
    }
}

/* Begin `ticks` from the last tick that has been counted. */
static void begin(uint8_t table, carillon_osek_distance ticks, uint8_t status)
{
    const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
    carillon_osek_table_states[table].status = status;
    for (uint32_t cursor = it->first; cursor < ((uint32_t)it->first + it->cursors); cursor++) {
        const carillon_osek_distance first = (carillon_osek_distance)carillon_osek_cursors[cursor].steps[0].delay;
        state_of(cursor)->cycle = 0u;
#if CARILLON_OSEK_ADJUSTS
        deviations[cursor] = (struct deviation){.ticks = 0u};
#endif
        insert(cursor, (carillon_osek_distance)(ticks + first));
    }
}

/* Take a table that is running out of the queues. */
static void take_out(uint8_t table)
{
    const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
    for (uint32_t cursor = it->first; cursor < ((uint32_t)it->first + it->cursors); cursor++) {
        carillon_queue_remove(queue_of(cursor), carillon_osek_event_of(state_of(cursor)));
    }
}

/* Serve what is due in the parts of a table's counter, until all have counted up to the same tick; locked.
 *
 * 1. Where time has been read after the last look at any part, and no tick of any part has passed by then, all have
 *    counted up to the tick before that reading.  No service looks at the time again.
 * 2. Serving takes less time than a tick, as it does in the handler. */
static void settle(uint8_t table)
{
#if CARILLON_BASE_BITS > 0
    const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
    const carillon_base units = (carillon_base)carillon_osek_counters[it->counter].units;
    bool again = units != 0u;
    while (again) {
        const carillon_base left = carillon_base_left();
        again = false;
        for (uint32_t cursor = it->first; cursor < ((uint32_t)it->first + it->cursors); cursor++) {
            const CounterType part = carillon_osek_cursors[cursor].part;
            if (carillon_base_ticks_until(carillon_osek_counter_states[part].at, units, left) != 0u) {
                carillon_osek_catch_up(part);
                again = true;
            }
        }
    }
#else
    (void)table;
#endif
}

/* What the table's counter reads when all has been served. */
static TickType now(uint8_t table)
{
    const uint32_t cursor = carillon_osek_schedule_tables[table].first;
    return carillon_osek_counter_states[carillon_osek_cursors[cursor].part].value;
}

void carillon_osek_start_schedule_tables(AppModeType mode)
{
    for (uint8_t table = 0; table < CARILLON_OSEK_SCHEDULE_TABLES; table++) {
        const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
        carillon_osek_table_states[table].next = NONE;
        if (ON_CELLS(table) || (((it->autostart >> mode) & 1u) == 0u)) {
            continue;
        }
        if (it->start == CARILLON_OSEK_START_SYNCHRON) {
            carillon_osek_table_states[table].status = SCHEDULETABLE_WAITING;
        } else if (it->start == CARILLON_OSEK_START_ABSOLUTE) {
            begin(table, carillon_osek_until(it->counter, now(table), it->at),
                  (it->sync == CARILLON_OSEK_SYNC_IMPLICIT) ? SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS
                                                            : SCHEDULETABLE_RUNNING);
        } else {
            begin(table, (carillon_osek_distance)it->at, SCHEDULETABLE_RUNNING);
        }
    }
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

StatusType StartScheduleTableRel(ScheduleTableType table, TickType offset)
{
    CHECK_TABLE(OSServiceId_StartScheduleTableRel, table, .first = offset);
#if CARILLON_OSEK_EXTENDED
    const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
    CHECK(it->sync != CARILLON_OSEK_SYNC_IMPLICIT, OSServiceId_StartScheduleTableRel, E_OS_ID, .object = table,
          .first = offset);
    CHECK((offset != 0u) && (offset <= (carillon_osek_counters[it->counter].max_allowed - it->initial)),
          OSServiceId_StartScheduleTableRel, E_OS_VALUE, .object = table, .first = offset);
#endif
    OF_CELLS(table, start_relative(table, offset));
    const uint32_t saved = carillon_osek_lock();
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
    const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
    CHECK(start <= carillon_osek_counters[it->counter].max_allowed, OSServiceId_StartScheduleTableAbs, E_OS_VALUE,
          .object = table, .first = start);
    OF_CELLS(table, start_absolute(table, start));
    const uint32_t saved = carillon_osek_lock();
    settle(table);
    const bool stopped = carillon_osek_table_states[table].status == SCHEDULETABLE_STOPPED;
    if (stopped) {
        begin(table, carillon_osek_until(it->counter, now(table), start),
              (it->sync == CARILLON_OSEK_SYNC_IMPLICIT) ? SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS
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
    OF_CELLS(table, E_OS_ID);
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
    settle(table);
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
#if CARILLON_OSEK_TABLE_ENDS
    OF_CELLS(from, next_on_cells(from, to));
#else
    OF_CELLS(from, E_OS_ID); /* cells know no other table */
#endif
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
        settle(table);
#if CARILLON_OSEK_TABLE_ENDS
    } else {
        settle_ends();
#endif
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
    const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
    const struct carillon_osek_alarm_state *const state = state_of(it->first);
    const struct carillon_osek_step *const step = &carillon_osek_cursors[it->first].steps[state->cycle];
#if CARILLON_OSEK_FAR
    const carillon_osek_distance left = carillon_queue_distance_far(queue_of(it->first), &state->event);
#else
    const carillon_osek_distance left = carillon_queue_distance(queue_of(it->first), &state->event);
#endif
    /* All of these are less than the duration. */
    const TickType offset = (step->offset == it->duration) ? 0u : step->offset;
    const TickType back = (TickType)(left % (carillon_osek_distance)it->duration);
    const TickType planned_at = before(offset, back, it->duration);
    const TickType rest = deviations[it->first].rest; /* it is as if this had passed */
    const TickType at = before(planned_at, it->duration - rest, it->duration);
    const TickType ahead = before(at, value, it->duration);
    const TickType behind = it->duration - ahead;
    return (ahead < behind) ? (struct deviation){.ticks = ahead, .ahead = true}
                            : (struct deviation){.ticks = behind, .ahead = false};
}

StatusType SyncScheduleTable(ScheduleTableType table, TickType value)
{
    CHECK_TABLE(OSServiceId_SyncScheduleTable, table, .first = value);
    const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
    CHECK(it->sync == CARILLON_OSEK_SYNC_EXPLICIT, OSServiceId_SyncScheduleTable, E_OS_ID, .object = table,
          .first = value);
    CHECK(value < it->duration, OSServiceId_SyncScheduleTable, E_OS_VALUE, .object = table, .first = value);
    OF_CELLS(table, E_OS_ID);
    const uint32_t saved = carillon_osek_lock();
    settle(table);
    struct carillon_osek_table_state *const state = &carillon_osek_table_states[table];
    const uint8_t status = state->status;
    if (status == SCHEDULETABLE_WAITING) {
        begin(table, (carillon_osek_distance)(it->duration - value), SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    } else if (status >= SCHEDULETABLE_RUNNING) {
        const struct deviation deviation = deviation_from(table, value);
        for (uint32_t cursor = it->first; cursor < ((uint32_t)it->first + it->cursors); cursor++) {
            deviations[cursor].ticks = deviation.ticks;
            deviations[cursor].ahead = deviation.ahead;
            deviations[cursor].nears = false;
        }
        state->status =
            (deviation.ticks <= it->precision) ? SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS : SCHEDULETABLE_RUNNING;
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
    (void)table;
    (void)value;
    REQUIRE(false, OSServiceId_SyncScheduleTable, E_OS_ID, .object = table, .first = value);
}

#endif

StatusType SetScheduleTableAsync(ScheduleTableType table)
{
    CHECK_TABLE(OSServiceId_SetScheduleTableAsync, table, .first = 0u);
    const struct carillon_osek_schedule_table *const it = &carillon_osek_schedule_tables[table];
    CHECK(it->sync == CARILLON_OSEK_SYNC_EXPLICIT, OSServiceId_SetScheduleTableAsync, E_OS_ID, .object = table);
    OF_CELLS(table, E_OS_ID);
    const uint32_t saved = carillon_osek_lock();
    settle(table);
    const bool runs = carillon_osek_table_states[table].status >= SCHEDULETABLE_RUNNING;
    if (runs) {
        carillon_osek_table_states[table].status = SCHEDULETABLE_RUNNING;
#if CARILLON_OSEK_ADJUSTS
        for (uint32_t cursor = it->first; cursor < ((uint32_t)it->first + it->cursors); cursor++) {
            deviations[cursor].ticks = 0u;
            deviations[cursor].nears = false;
        }
#endif
    }
    (void)it;
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
#if CARILLON_OSEK_TABLE_ENDS
    const uint32_t saved = carillon_port_lock();
    settle_ends();
    *status = carillon_osek_table_states[table].status;
    carillon_port_unlock(saved);
#else
    *status = carillon_osek_table_states[table].status;
#endif
    return E_OK;
}

StatusType StartScheduleTableSynchron(ScheduleTableType table)
{
    (void)table;
    return E_OS_ID;
}

StatusType NextScheduleTable(ScheduleTableType from, ScheduleTableType to)
{
#if CARILLON_OSEK_TABLE_ENDS
    return next_on_cells(from, to);
#else
    (void)from;
    (void)to;
    return E_OS_ID;
#endif
}

StatusType SyncScheduleTable(ScheduleTableType table, TickType value)
{
    (void)table;
    (void)value;
    return E_OS_ID;
}

StatusType SetScheduleTableAsync(ScheduleTableType table)
{
    (void)table;
    return E_OS_ID;
}

#endif

#endif
