/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule tables on cells (kernel/counters/table_cells.h): how they begin near their points, end, and follow one
 * another.  A cell's counter shows in how many ticks of the system clock it expires. */
#include "levels/port.h"

#include "kernel/counters/schedule_table.h"
#include "kernel/counters/table.h"

/* LOOP and AGAIN repeat and may be followed, ONCE does not repeat, and PLAIN repeats for ever. */
enum { LOOP, ONCE, PLAIN, AGAIN, TABLES };
enum { CELLS = 3, TICK = 10, DURATION = 500, PERIOD = DURATION * TICK, HALF = 2500 };
enum { LOOP_ENDS = 20, ONCE_ENDS = 21, AGAIN_ENDS = 22 };
_Static_assert(TABLES == CARILLON_OSEK_SCHEDULE_TABLES, "tables of the configuration");

#define REGISTER(table, number) (0x2000u + ((table)*0x100u) + ((number)*4u))
#define COUNTER(table, cell) REGISTER(table, cell)
#define START(table) REGISTER(table, 8u)
#define STOP(table) REGISTER(table, 9u)
#define HOLD(table) REGISTER(table, 10u)
#define RESUME(table) REGISTER(table, 11u)
#define END(table) REGISTER(table, 12u)
#define PREPARE(table, cell) REGISTER(table, 16u + (cell))
#define SOURCE(table, cell) (32u + ((table)*4u) + (cell))

/* The points of each table, in ticks of the system clock after its begin. */
static const uint32_t points[CELLS] = {50u, 110u, 3000u};
#define CELL(table, cell, point)             \
    {                                        \
        (point), PERIOD, SOURCE(table, cell) \
    }
#define CELLS_OF(table)                                                     \
    {                                                                       \
        CELL(table, 0u, 50u), CELL(table, 1u, 110u), CELL(table, 2u, 3000u) \
    }
static const struct carillon_osek_table_cell cells[TABLES][CELLS] = {CELLS_OF(LOOP), CELLS_OF(ONCE), CELLS_OF(PLAIN),
                                                                     CELLS_OF(AGAIN)};
/* From the period to the point. */
#define SHIFTS_OF(table)                                                         \
    {                                                                            \
        {COUNTER(table, 0u), 50u - PERIOD}, {COUNTER(table, 1u), 110u - PERIOD}, \
        {                                                                        \
            COUNTER(table, 2u), 3000u - PERIOD                                   \
        }                                                                        \
    }
static const struct carillon_shift shifts[TABLES][CELLS] = {SHIFTS_OF(LOOP), SHIFTS_OF(ONCE), SHIFTS_OF(PLAIN),
                                                            SHIFTS_OF(AGAIN)};
#if CARILLON_OSEK_TABLES_RESTART
#define STOPS(table) \
    .hold = {        \
        HOLD(table), \
        1u,          \
    }
#else
/* Each cell is stopped by a store of its own, those of points before the half first. */
#define STOPS_OF(table)                                          \
    {                                                            \
        {HOLD(table), 1u}, {HOLD(table), 1u}, {STOP(table), 1u}, \
    }
static const struct carillon_store stops[TABLES][CELLS] = {STOPS_OF(LOOP), STOPS_OF(ONCE), STOPS_OF(PLAIN),
                                                           STOPS_OF(AGAIN)};
/* Before it is started, each is prepared, by a store of its own as well. */
#define PREPARES_OF(table)                                  \
    {                                                       \
        {PREPARE(table, 0u), 1u}, {PREPARE(table, 1u), 1u}, \
        {                                                   \
            PREPARE(table, 2u), 1u                          \
        }                                                   \
    }
static const struct carillon_store prepares_of[TABLES][CELLS] = {PREPARES_OF(LOOP), PREPARES_OF(ONCE),
                                                                 PREPARES_OF(PLAIN), PREPARES_OF(AGAIN)};
#define STOPS(table) .stop = stops[table], .stop_count = CELLS, .prepare = prepares_of[table], .prepare_count = CELLS
#endif
#define TABLE(table, ends, before_half)                                                                            \
    {                                                                                                              \
        .start = {START(table), 7u}, .shifts = shifts[table], .cells = cells[table], .count = CELLS, .first = 50u, \
        .tick = TICK, .turn = 65536u * TICK, .ends_at = END(table), .again = PERIOD, .ends_by = (ends),            \
        .early = (before_half), .rest = HALF, .resume = {RESUME(table), 3u}, STOPS(table),                         \
    }
static const struct carillon_osek_table_on_cells on_cells[TABLES] = {
    TABLE(LOOP, LOOP_ENDS, 2u), TABLE(ONCE, ONCE_ENDS, 0u), TABLE(PLAIN, 0u, 0u), TABLE(AGAIN, AGAIN_ENDS, 2u)};
const struct carillon_osek_table_on_cells *const carillon_osek_tables_on_cells[TABLES] = {&on_cells[0], &on_cells[1],
                                                                                          &on_cells[2], &on_cells[3]};
const struct carillon_store carillon_osek_table_stops[TABLES] = {
    {STOP(LOOP), 1u}, {STOP(ONCE), 1u}, {STOP(PLAIN), 1u}, {STOP(AGAIN), 1u}};
const struct carillon_osek_counter carillon_osek_counters[] = {{.max_allowed = 0xFFFFu}};
const struct carillon_osek_schedule_table carillon_osek_schedule_tables[TABLES] = {
    {.duration = DURATION, .repeating = 1u},
    {.duration = DURATION, .autostart = 2u, .at = 100u},
    {.duration = DURATION,
     .repeating = 1u,
     .autostart = 4u,
     .at = 100u,
     .start = CARILLON_OSEK_START_ABSOLUTE,
     .sync = CARILLON_OSEK_SYNC_IMPLICIT},
    {.duration = DURATION, .repeating = 1u, .autostart = 4u, .at = 200u, .start = CARILLON_OSEK_START_ABSOLUTE},
};

#define TIME_0 (CARILLON_BASE_ORIGIN - CARILLON_BASE_GUARD)

static uint32_t base_step;
uint32_t carillon_test_base(void)
{
    uint32_t *const base = port_register(CARILLON_BASE_COUNTER);
    const uint32_t read = *base;
    *base -= base_step;
    return read;
}

static uint32_t waits; /* how often a cell has been looked at */
/* While a cell is waited for, time goes on. */
static void pass(uint32_t address)
{
    if (((address >> 12) == 2u) && ((address & 0xFFu) <= 8u)) {
        waits++;
        for (uint32_t cell = 0; cell < CELLS; cell++) {
            (*port_register((address & ~0xFFu) + (cell * 4u)))--;
        }
    }
    if (address == END(LOOP)) {
        waits++;
        uint32_t *const end = port_register(END(LOOP));
        *end = (*end == 1u) ? PERIOD : (*end - 1u);
        port.pending[LOOP_ENDS] = port.pending[LOOP_ENDS] || (*end == PERIOD);
    }
}

static int reset(void **state)
{
    (void)port_reset(state);
    *port_register(CARILLON_BASE_COUNTER) = TIME_0;
    base_step = 0u;
    for (uint32_t table = 0; table < TABLES; table++) {
        carillon_osek_table_states[table].status = SCHEDULETABLE_STOPPED;
        carillon_osek_table_states[table].held = 0u;
        *port_register(END(table)) = PERIOD / 4u;
        for (uint32_t cell = 0; cell < CELLS; cell++) {
            *port_register(COUNTER(table, cell)) = PERIOD; /* where it stands before it is started */
        }
    }
    carillon_osek_start_tables_on_cells(0u);
    waits = 0u;
    port_before_read = pass;
    return 0;
}

static uint32_t counter(uint32_t table, uint32_t cell)
{
    return *port_register(COUNTER(table, cell));
}

/* So many cells of a table have been prepared, its first ones; which is forgotten then. */
static void assert_prepared(uint32_t table, uint32_t count)
{
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        const uint32_t expected = (!CARILLON_OSEK_TABLES_RESTART && (cell < count)) ? 1u : 0u;
        assert_int_equal(*port_register(PREPARE(table, cell)), expected);
        *port_register(PREPARE(table, cell)) = 0u;
    }
}

static void assert_status(uint8_t table, uint8_t expected)
{
    ScheduleTableStatusType status;
    assert_int_equal(GetScheduleTableStatus(table, &status), E_OK);
    assert_int_equal(status, expected);
    assert_int_equal(port.mask, 0u);
}

/* All cells of a table expire at its points, `begin` ticks from now, and nothing was waited for. */
static void assert_set(uint32_t table, uint32_t begin)
{
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        assert_int_equal(counter(table, cell), begin + points[cell]);
        assert_false(port.pending[SOURCE(table, cell)]);
    }
    assert_int_equal(waits, 0u);
}

static void a_table_whose_points_are_not_near_begins_at_once(void **state)
{
    (void)state;
    assert_int_equal(StartScheduleTableRel(LOOP, 12u), E_OK);
    assert_status(LOOP, SCHEDULETABLE_RUNNING);
    assert_int_equal(*port_register(START(LOOP)), 7u);
    assert_prepared(LOOP, CELLS);
    assert_set(LOOP, 120u);
    assert_int_equal(StartScheduleTableRel(LOOP, 12u), E_OS_STATE);
    assert_set(LOOP, 120u);
}

/* The first one of 60, 120 and 3010 ticks is near, and so is the second one: both are waited for. */
static void points_that_are_near_are_waited_for_and_requested(void **state)
{
    (void)state;
    assert_int_equal(StartScheduleTableRel(LOOP, 1u), E_OK);
    assert_true(port.pending[SOURCE(LOOP, 0u)] && port.pending[SOURCE(LOOP, 1u)]);
    assert_false(port.pending[SOURCE(LOOP, 2u)]);
    assert_int_equal(counter(LOOP, 1u), PERIOD - 1u); /* the second point has just come, and comes again then */
    assert_true(counter(LOOP, 0u) < PERIOD);
    assert_int_equal(counter(LOOP, 2u), 3010u - waits);
}

static void only_the_points_that_are_near_are_waited_for(void **state)
{
    (void)state;
    assert_int_equal(StartScheduleTableRel(LOOP, 11u), E_OK); /* 160, 220, 3110 */
    assert_true(port.pending[SOURCE(LOOP, 0u)]);
    assert_false(port.pending[SOURCE(LOOP, 1u)]);
    assert_int_equal(counter(LOOP, 0u), PERIOD - 1u);
    assert_int_equal(counter(LOOP, 1u), 220u - waits);
}

/* LOOP has been started and is to be followed by `next`; then it has come to its end so many ticks ago. */
static void follow(uint8_t next, uint32_t ago)
{
    (void)reset(NULL);
    assert_int_equal(StartScheduleTableRel(LOOP, 100u), E_OK);
    *port_register(END(LOOP)) = PERIOD - 1u;
    assert_int_equal(NextScheduleTable(LOOP, next), E_OK);
    assert_int_equal(carillon_osek_table_states[next].status, SCHEDULETABLE_NEXT);
    port_before_read = NULL;
    *port_register(END(LOOP)) = PERIOD - ago;
    carillon_osek_table_states[LOOP].held = 1u; /* since its half */
    port.pending[ONCE_ENDS] = true;             /* of its last run */
    waits = 0u;
}

static void end_loop(void)
{
    port_before_read = pass;
    *port_register(END(LOOP)) += 1u; /* the look takes a tick */
    carillon_osek_end_table(LOOP);
    waits -= 1u;
}

static void a_table_follows_where_the_one_before_it_has_ended(void **state)
{
    (void)state;
    follow(ONCE, 20u); /* so that the first point is near: 30, 90 and 2980 */
    end_loop();
    assert_int_equal(carillon_osek_table_states[LOOP].status, SCHEDULETABLE_STOPPED);
    assert_int_equal(carillon_osek_table_states[LOOP].next, NONE);
    assert_int_equal(carillon_osek_table_states[LOOP].held, 0u);
    assert_int_equal(*port_register(STOP(LOOP)), 1u);
    assert_int_equal(carillon_osek_table_states[ONCE].status, SCHEDULETABLE_RUNNING);
    assert_int_equal(*port_register(START(ONCE)), 7u);
    assert_prepared(ONCE, CELLS);
    assert_true(port.pending[SOURCE(ONCE, 0u)] && port.pending[SOURCE(ONCE, 1u)]);
    assert_int_equal(counter(ONCE, 2u), 2980u - waits);
    assert_int_equal(counter(ONCE, 1u), PERIOD - 1u);
    assert_false(port.pending[ONCE_ENDS]);
    follow(PLAIN, 20u);
    port.pending[0] = true;
    end_loop();
    assert_int_equal(carillon_osek_table_states[PLAIN].status, SCHEDULETABLE_RUNNING);
    assert_true(port.pending[ONCE_ENDS]);
    assert_true(port.pending[0]); /* it has no end */
}

static void a_point_that_is_due_now_or_has_been_is_requested_at_once(void **state)
{
    (void)state;
    follow(ONCE, 50u); /* 0, 60, 2950 */
    end_loop();
    assert_true(port.pending[SOURCE(ONCE, 0u)] && port.pending[SOURCE(ONCE, 1u)]);
    assert_int_equal(waits, 61u); /* for the second one alone */
    assert_int_equal(counter(ONCE, 0u), PERIOD - 61u);
    follow(ONCE, 110u); /* -60, 0, 2890 */
    end_loop();
    assert_true(port.pending[SOURCE(ONCE, 0u)] && port.pending[SOURCE(ONCE, 1u)]);
    assert_int_equal(waits, 0u);
    assert_int_equal(counter(ONCE, 0u), PERIOD - 60u);
    assert_int_equal(counter(ONCE, 1u), PERIOD);
    assert_int_equal(counter(ONCE, 2u), 2890u);
    follow(ONCE, 2900u); /* all are near or have been: -2850, -2790, 100 */
    end_loop();
    assert_true(port.pending[SOURCE(ONCE, 2u)]);
    assert_int_equal(waits, 101u);
}

static void a_point_that_has_been_due_more_than_once_goes_on_a_turn_later(void **state)
{
    (void)state;
    follow(ONCE, PERIOD - 1u); /* -4949, -4889, -1999; the next turn's: 51, 111, and 3001 */
    end_loop();
    assert_int_equal(waits, 61u + 51u);
    assert_int_equal(counter(ONCE, 0u), PERIOD + 51u - waits);
    assert_int_equal(counter(ONCE, 1u), PERIOD - 1u);
    assert_int_equal(counter(ONCE, 2u), PERIOD - 1999u - waits);
}

static void a_table_that_nothing_follows_goes_on_if_it_repeats(void **state)
{
    (void)state;
    (void)StartScheduleTableRel(LOOP, 100u);
    carillon_osek_end_table(LOOP);
    assert_status(LOOP, SCHEDULETABLE_RUNNING);
    assert_int_equal(*port_register(STOP(LOOP)), 0u);
    (void)StartScheduleTableRel(ONCE, 100u);
    carillon_osek_end_table(ONCE);
    assert_status(ONCE, SCHEDULETABLE_STOPPED);
    assert_int_equal(*port_register(STOP(ONCE)), 1u);
    *port_register(STOP(ONCE)) = 0u;
    carillon_osek_end_table(ONCE); /* it waited while the table was stopped */
    assert_int_equal(*port_register(STOP(ONCE)), 0u);
}

static void a_service_first_serves_the_ends_that_wait(void **state)
{
    (void)state;
    (void)StartScheduleTableRel(ONCE, 100u);
    port.pending[0] = true; /* no table's end */
    assert_status(ONCE, SCHEDULETABLE_RUNNING);
    port.pending[ONCE_ENDS] = true;
    assert_status(ONCE, SCHEDULETABLE_STOPPED);
    assert_false(port.pending[ONCE_ENDS]);
    assert_true(port.pending[0]);
    (void)StartScheduleTableRel(ONCE, 100u);
    port.pending[ONCE_ENDS] = true;
    assert_int_equal(StartScheduleTableRel(ONCE, 100u), E_OK);
    port.pending[ONCE_ENDS] = true;
    assert_int_equal(StartScheduleTableAbs(ONCE, 100u), E_OK);
    port.pending[ONCE_ENDS] = true;
    assert_int_equal(NextScheduleTable(ONCE, LOOP), E_OS_NOFUNC);
    (void)StartScheduleTableRel(ONCE, 100u);
    port.pending[ONCE_ENDS] = true;
    assert_int_equal(StopScheduleTable(ONCE), E_OS_NOFUNC);
}

static void end_once(uint32_t address)
{
    pass(address);
    if (address == END(AGAIN)) {
        port.pending[ONCE_ENDS] = true;
    }
}

/* ONCE stands before AGAIN, which it follows so late that it has come to its end at once. */
static void the_end_of_a_table_that_has_followed_is_served_as_well(void **state)
{
    (void)state;
    assert_int_equal(StartScheduleTableRel(AGAIN, 100u), E_OK);
    *port_register(END(AGAIN)) = PERIOD - 1u;
    assert_int_equal(NextScheduleTable(AGAIN, ONCE), E_OK);
    port.pending[AGAIN_ENDS] = true;
    port_before_read = end_once;
    ScheduleTableStatusType status;
    assert_int_equal(GetScheduleTableStatus(AGAIN, &status), E_OK);
    assert_int_equal(status, SCHEDULETABLE_STOPPED);
    assert_int_equal(carillon_osek_table_states[ONCE].status, SCHEDULETABLE_STOPPED);
    assert_false(port.pending[ONCE_ENDS]);
}

static void early_cells_stand_still_in_the_second_half_of_a_table_that_is_followed(void **state)
{
    (void)state;
    (void)StartScheduleTableRel(LOOP, 100u);
    *port_register(END(LOOP)) = HALF + 2u; /* the look takes a tick, and so does the one before */
    assert_int_equal(NextScheduleTable(LOOP, ONCE), E_OK);
    assert_int_equal(*port_register(HOLD(LOOP)), 1u);
    assert_int_equal(*port_register(STOP(LOOP)), 0u); /* the others go on */
    (void)reset(state);
    (void)StartScheduleTableRel(LOOP, 100u);
    *port_register(END(LOOP)) = HALF + 3u;
    assert_int_equal(NextScheduleTable(LOOP, ONCE), E_OK);
    assert_int_equal(*port_register(HOLD(LOOP)), 0u);
    *port_register(END(LOOP)) = HALF;
    carillon_osek_half_table(LOOP);
    assert_int_equal(*port_register(HOLD(LOOP)), 1u);
}

static void the_half_of_a_table_that_is_not_followed_or_does_not_run_changes_nothing(void **state)
{
    (void)state;
    (void)StartScheduleTableRel(LOOP, 100u);
    carillon_osek_half_table(LOOP);
    assert_int_equal(*port_register(HOLD(LOOP)), 0u);
    carillon_osek_table_states[LOOP].status = SCHEDULETABLE_STOPPED;
    carillon_osek_table_states[LOOP].next = ONCE; /* what it was */
    carillon_osek_half_table(LOOP);
    assert_int_equal(*port_register(HOLD(LOOP)), 0u);
}

static void a_table_without_early_cells_holds_none(void **state)
{
    (void)state;
    (void)StartScheduleTableRel(ONCE, 100u);
    *port_register(END(ONCE)) = 10u; /* it need not be awaited */
    assert_int_equal(NextScheduleTable(ONCE, PLAIN), E_OK);
    carillon_osek_half_table(ONCE);
    assert_int_equal(*port_register(HOLD(ONCE)), 0u);
    assert_int_equal(carillon_osek_table_states[ONCE].held, 0u);
}

static void an_end_that_is_near_is_awaited_before_another_table_may_follow(void **state)
{
    (void)state;
    (void)StartScheduleTableRel(LOOP, 100u);
    *port_register(END(LOOP)) = CARILLON_BASE_NEAR + 1u;
    assert_int_equal(NextScheduleTable(LOOP, ONCE), E_OK);
    assert_false(port.pending[LOOP_ENDS]);
    assert_true(*port_register(END(LOOP)) > HALF); /* the end has come, and was this turn's: it goes on */
    assert_int_equal(carillon_osek_table_states[LOOP].status, SCHEDULETABLE_RUNNING);
    assert_int_equal(*port_register(HOLD(LOOP)), 0u);
}

static void who_may_follow_whom(void **state)
{
    (void)state;
    assert_int_equal(NextScheduleTable(LOOP, ONCE), E_OS_NOFUNC);
    (void)StartScheduleTableRel(PLAIN, 100u);
    assert_int_equal(NextScheduleTable(PLAIN, ONCE), E_OS_ID);
    (void)StartScheduleTableRel(LOOP, 100u);
    assert_int_equal(NextScheduleTable(LOOP, PLAIN), E_OS_STATE);
    assert_int_equal(NextScheduleTable(LOOP, ONCE), E_OK);
    assert_int_equal(NextScheduleTable(LOOP, AGAIN), E_OK); /* in its place */
    assert_status(ONCE, SCHEDULETABLE_STOPPED);
    assert_status(AGAIN, SCHEDULETABLE_NEXT);
}

static void what_is_linked_to_a_table_that_is_stopped_is_not_any_more(void **state)
{
    (void)state;
    (void)StartScheduleTableRel(LOOP, 100u);
    assert_int_equal(NextScheduleTable(LOOP, ONCE), E_OK);
    assert_int_equal(StopScheduleTable(LOOP), E_OK);
    assert_status(ONCE, SCHEDULETABLE_STOPPED);
    assert_int_equal(*port_register(STOP(LOOP)), 1u);
    assert_int_equal(carillon_osek_table_states[LOOP].next, NONE);
    assert_int_equal(StopScheduleTable(LOOP), E_OS_NOFUNC);
}

static void a_table_that_is_followed_no_more_goes_on_as_it_is_before_its_half(void **state)
{
    (void)state;
    (void)StartScheduleTableRel(LOOP, 100u);
    (void)StartScheduleTableRel(AGAIN, 100u);
    *port_register(END(LOOP)) = *port_register(END(AGAIN)) = HALF + 100u;
    assert_int_equal(NextScheduleTable(LOOP, ONCE), E_OK);
    assert_int_equal(NextScheduleTable(AGAIN, PLAIN), E_OK);
    waits = 0u;
    assert_int_equal(StopScheduleTable(ONCE), E_OK);
    assert_status(ONCE, SCHEDULETABLE_STOPPED);
    assert_int_equal(*port_register(STOP(ONCE)), 0u); /* its cells have not run */
    assert_int_equal(*port_register(RESUME(LOOP)), 0u);
    assert_set(LOOP, 1000u);
    assert_int_equal(carillon_osek_table_states[LOOP].next, NONE);
    assert_int_equal(carillon_osek_table_states[AGAIN].next, PLAIN);
    assert_status(PLAIN, SCHEDULETABLE_NEXT);
}

static void a_table_that_is_followed_no_more_goes_on_with_the_cells_that_stand_still(void **state)
{
    (void)state;
    (void)StartScheduleTableRel(LOOP, 100u);
    *port_register(END(LOOP)) = 2000u;
    assert_int_equal(NextScheduleTable(LOOP, ONCE), E_OK);
    assert_int_equal(carillon_osek_table_states[LOOP].held, 1u);
    *port_register(COUNTER(LOOP, 0u)) = *port_register(COUNTER(LOOP, 1u)) = PERIOD;
    *port_register(END(LOOP)) = 1001u;
    assert_prepared(LOOP, CELLS);
    assert_int_equal(StopScheduleTable(ONCE), E_OK); /* so LOOP goes on, with the cells that stand still */
    assert_status(LOOP, SCHEDULETABLE_RUNNING);
    assert_int_equal(carillon_osek_table_states[LOOP].held, 0u);
    assert_int_equal(*port_register(RESUME(LOOP)), 3u);
    assert_prepared(LOOP, 2u); /* which are those that stood still */
    assert_int_equal(counter(LOOP, 0u), 1050u);
    assert_int_equal(counter(LOOP, 1u), 1110u);
    assert_int_equal(carillon_osek_table_states[LOOP].next, NONE);
    carillon_osek_table_states[LOOP].held = 1u; /* it is at its half */
    carillon_osek_table_states[LOOP].next = ONCE;
    carillon_osek_table_states[ONCE].status = SCHEDULETABLE_NEXT;
    *port_register(COUNTER(LOOP, 0u)) = *port_register(COUNTER(LOOP, 1u)) = PERIOD;
    *port_register(END(LOOP)) = HALF + 1u;
    assert_int_equal(StopScheduleTable(ONCE), E_OK);
    assert_int_equal(counter(LOOP, 0u), HALF + 50u);
    assert_false(port.pending[SOURCE(LOOP, 0u)]);
    carillon_osek_table_states[LOOP].held = 1u; /* its end has just passed: 10 ticks ago */
    carillon_osek_table_states[LOOP].next = ONCE;
    carillon_osek_table_states[ONCE].status = SCHEDULETABLE_NEXT;
    *port_register(COUNTER(LOOP, 0u)) = *port_register(COUNTER(LOOP, 1u)) = PERIOD;
    *port_register(END(LOOP)) = PERIOD - 9u;
    waits = 0u;
    assert_int_equal(StopScheduleTable(ONCE), E_OK);
    assert_true(port.pending[SOURCE(LOOP, 0u)] && port.pending[SOURCE(LOOP, 1u)]); /* 40 and 100 are near */
}

static void a_table_starts_by_itself_at_its_time(void **state)
{
    (void)state;
    carillon_osek_start_tables_on_cells(1u);
    assert_status(ONCE, SCHEDULETABLE_RUNNING);
    assert_set(ONCE, 1000u);
    (void)reset(state);
    carillon_osek_start_tables_on_cells(2u);
    assert_status(PLAIN, SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    assert_status(AGAIN, SCHEDULETABLE_RUNNING);
    assert_set(PLAIN, 1000u);
    assert_set(AGAIN, 2000u);
}

static void what_has_passed_of_time_0_is_not_waited_for_once_more(void **state)
{
    (void)state;
    *port_register(CARILLON_BASE_COUNTER) = TIME_0 - 30u;
    carillon_osek_start_tables_on_cells(1u);
    assert_set(ONCE, 970u);
}

static void time_0_is_awaited_where_it_comes_soon(void **state)
{
    (void)state;
    *port_register(CARILLON_BASE_COUNTER) = TIME_0 + 50u;
    base_step = 1u;
    carillon_osek_start_tables_on_cells(1u);
    assert_set(ONCE, 1050u);
    assert_int_equal(*port_register(CARILLON_BASE_COUNTER), TIME_0 - 1u);
}

static void a_table_starts_at_a_value_of_its_counter(void **state)
{
    (void)state;
    *port_register(CARILLON_BASE_COUNTER) = TIME_0 - 105u; /* it reads some value, and 5 parts of 10 */
    const uint32_t now = ((CARILLON_BASE_PERIOD + 105u) % (65536u * TICK)) / TICK;
    assert_int_equal(StartScheduleTableAbs(PLAIN, now + 30u), E_OK);
    assert_status(PLAIN, SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    assert_set(PLAIN, 295u);
    assert_int_equal(StartScheduleTableAbs(PLAIN, now + 30u), E_OS_STATE);
    assert_int_equal(StartScheduleTableAbs(LOOP, now), E_OK); /* a turn later */
    assert_status(LOOP, SCHEDULETABLE_RUNNING);
    assert_set(LOOP, (65536u * TICK) - 5u);
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_table_whose_points_are_not_near_begins_at_once),
        TEST(points_that_are_near_are_waited_for_and_requested),
        TEST(only_the_points_that_are_near_are_waited_for),
        TEST(a_table_follows_where_the_one_before_it_has_ended),
        TEST(a_point_that_is_due_now_or_has_been_is_requested_at_once),
        TEST(a_point_that_has_been_due_more_than_once_goes_on_a_turn_later),
        TEST(a_table_that_nothing_follows_goes_on_if_it_repeats),
        TEST(a_service_first_serves_the_ends_that_wait),
        TEST(the_end_of_a_table_that_has_followed_is_served_as_well),
        TEST(early_cells_stand_still_in_the_second_half_of_a_table_that_is_followed),
        TEST(the_half_of_a_table_that_is_not_followed_or_does_not_run_changes_nothing),
        TEST(a_table_without_early_cells_holds_none),
        TEST(an_end_that_is_near_is_awaited_before_another_table_may_follow),
        TEST(who_may_follow_whom),
        TEST(what_is_linked_to_a_table_that_is_stopped_is_not_any_more),
        TEST(a_table_that_is_followed_no_more_goes_on_as_it_is_before_its_half),
        TEST(a_table_that_is_followed_no_more_goes_on_with_the_cells_that_stand_still),
        TEST(a_table_starts_by_itself_at_its_time),
        TEST(what_has_passed_of_time_0_is_not_waited_for_once_more),
        TEST(time_0_is_awaited_where_it_comes_soon),
        TEST(a_table_starts_at_a_value_of_its_counter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
