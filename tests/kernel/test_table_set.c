/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule tables on cells that are set while they stand still, and are started by a store each
 * (kernel/counters/table_set.h).  The time base goes on by STEP at each reading. */
#include "levels/port.h"

#include "kernel/counters/schedule_table.h"
#include "kernel/counters/table.h"

enum { REPEATS, ONCE, TABLES };
enum { CELLS = 3, TICK = 10, DURATION = 500, PERIOD = DURATION * TICK, STEP = 7 };
_Static_assert(TABLES == CARILLON_OSEK_SCHEDULE_TABLES, "tables of the configuration");

#define REGISTER(table, number) (0x2000u + ((table)*0x100u) + ((number)*4u))
#define PREPARED(table) REGISTER(table, 10u)
#define STOP(table) REGISTER(table, 11u)
#define SOURCE(table, cell) (32u + ((table)*4u) + (cell))
enum { FIRST = 50, SECOND = 110, THIRD = 3000, ENDS = 20 };
static const uint32_t points[CELLS] = {FIRST, SECOND, THIRD};

#define LISTS_OF(table)                                                                                            \
    static const struct carillon_osek_table_cell cells_##table[CELLS] = {                                          \
        {FIRST, PERIOD, SOURCE(table, 0u)},                                                                        \
        {SECOND, PERIOD, SOURCE(table, 1u)},                                                                       \
        {THIRD, PERIOD, SOURCE(table, 2u)},                                                                        \
    };                                                                                                             \
    static const struct carillon_shift shifts_##table[CELLS] = {                                                   \
        {REGISTER(table, 0u), FIRST}, {REGISTER(table, 1u), SECOND}, {REGISTER(table, 2u), THIRD}};                \
    static const struct carillon_store starts_##table[CELLS] = {                                                   \
        {REGISTER(table, 4u), 1u}, {REGISTER(table, 5u), 2u}, {REGISTER(table, 6u), 3u}};                          \
    static const struct carillon_store prepare_##table[] = {{PREPARED(table), 8u}, {PREPARED(table) + 0x40u, 9u}}; \
    static const struct carillon_store stop_##table[] = {{STOP(table), 5u}, {STOP(table) + 0x40u, 6u}}
LISTS_OF(REPEATS);
LISTS_OF(ONCE);

#define ON_CELLS_OF(table, by)                                                                              \
    {                                                                                                       \
        .starts = starts_##table, .prepare = prepare_##table, .stop = stop_##table, .prepare_count = 2u,    \
        .stop_count = 2u, .shifts = shifts_##table, .cells = cells_##table, .count = CELLS, .first = FIRST, \
        .tick = TICK, .turn = 10000u * TICK, .again = PERIOD, .ends_by = (by)                               \
    }
static const struct carillon_osek_table_on_cells on_cells[TABLES] = {ON_CELLS_OF(REPEATS, 0u), ON_CELLS_OF(ONCE, ENDS)};
const struct carillon_osek_table_on_cells *const carillon_osek_tables_on_cells[TABLES] = {&on_cells[0], &on_cells[1]};
const struct carillon_osek_counter carillon_osek_counters[] = {{.max_allowed = 9999u}};
const struct carillon_osek_schedule_table carillon_osek_schedule_tables[TABLES] = {
    {.duration = DURATION, .repeating = 1u, .autostart = 2u, .at = 100u},
    {.duration = DURATION, .autostart = 4u, .at = 100u, .start = CARILLON_OSEK_START_ABSOLUTE},
};

#define TIME_0 (CARILLON_BASE_ORIGIN - CARILLON_BASE_GUARD)

/* Where tables that start by themselves wait for time 0. */
static uint32_t looks;
uint32_t carillon_test_base(void)
{
    looks++;
    assert_true(looks < 1000u);
    return (*port_register(CARILLON_BASE_COUNTER))--;
}

/* What has been seen of a start: the reading before it, and when each cell's source was requested, as the base read. */
static uint32_t read_at, requested_at[CELLS], starts, longest;
static uint8_t starting;
static bool waits[CELLS];

static void look(uint32_t reading)
{
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        if (!waits[cell] && port.pending[SOURCE(starting, cell)]) {
            waits[cell] = true;
            requested_at[cell] = reading;
        }
    }
}

static void pass(uint32_t address)
{
    if (address == CARILLON_BASE_COUNTER) {
        uint32_t *const base = port_register(CARILLON_BASE_COUNTER);
        look(*base);
        const uint32_t before = *base;
        *base -= STEP;
        if (before < STEP) { /* it begins anew */
            *base += CARILLON_BASE_PERIOD;
        }
        assert_int_not_equal(port.mask, 0u);
        if (starts == 0u) {
            read_at = *base;
        }
        longest++;
        assert_true(longest < 1000u);
    }
}

void carillon_port_start_at(uint32_t counter, uint32_t target, const struct carillon_store *before,
                            uint32_t before_count, const struct carillon_store *list, uint32_t count)
{
    assert_int_not_equal(port.mask, 0u);
    assert_int_equal(counter, CARILLON_BASE_COUNTER);
    assert_int_equal(target, read_at - CARILLON_BASE_SET);
    assert_int_equal(before_count, 1u);
    assert_int_equal(before->address, REGISTER(starting, CELLS - 1u));
    assert_int_equal(before->value, *port_register(before->address));
    assert_ptr_equal(list, on_cells[starting].starts);
    assert_int_equal(count, CELLS);
    assert_int_equal(*port_register(PREPARED(starting)), 8u);
    assert_int_equal(*port_register(PREPARED(starting) + 0x40u), 9u);
    *port_register(CARILLON_BASE_COUNTER) = target;
    starts++;
}

static int reset(void **state)
{
    (void)port_reset(state);
    for (uint8_t table = 0; table < TABLES; table++) {
        carillon_osek_table_states[table].status = SCHEDULETABLE_STOPPED;
    }
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        waits[cell] = false;
        requested_at[cell] = 0u;
    }
    starts = longest = looks = 0u;
    starting = REPEATS;
    *port_register(CARILLON_BASE_COUNTER) = TIME_0;
    port_before_read = pass;
    return 0;
}

/* Each cell of the table expires at its point, `begin` after the reading, or has been requested then. */
static void assert_begun(uint32_t begin)
{
    look(*port_register(CARILLON_BASE_COUNTER));
    assert_int_equal(starts, 1u);
    assert_int_equal(port.mask, 0u);
    for (uint32_t cell = 0; cell < CELLS; cell++) {
        const uint32_t due = begin + points[cell];
        const bool near = (due <= CARILLON_BASE_NEAR) || (due >= 0xF0000000u);
        const uint32_t started = CARILLON_BASE_SET + (cell * CARILLON_BASE_SPACING);
        assert_int_equal(*port_register(REGISTER(starting, cell)), (due - started) + (near ? PERIOD : 0u));
        assert_int_equal(waits[cell], near);
        if (near) {
            const uint32_t at = read_at - requested_at[cell];
            const int32_t late = (int32_t)(at - due);
            assert_true(late >= 0);
            assert_true((due <= CARILLON_BASE_SET) || (due >= 0xF0000000u) || (late < STEP));
        }
    }
}

static void start(uint32_t passed, TickType offset, uint32_t begin)
{
    (void)reset(NULL);
    *port_register(CARILLON_BASE_COUNTER) = TIME_0 - passed + STEP; /* the reading */
    assert_int_equal(StartScheduleTableRel(REPEATS, offset), E_OK);
    assert_begun(begin);
}

static void each_cell_is_told_how_far_its_expiry_is_from_its_own_store(void **state)
{
    (void)state;
    start(1000u, 100u, 1000u);
    start(1003u, 100u, 997u); /* the tick before the call */
    start(1009u, 20u, 191u);
}

static void what_is_due_before_all_cells_run_is_waited_for(void **state)
{
    (void)state;
    start(1000u, 11u, 110u); /* at 160 */
    start(1000u, 5u, 50u);   /* 100 and 160 */
    start(1009u, 12u, 111u); /* 161, which is the cell's own */
    start(1005u, 11u, 105u); /* 155 */
    start(1003u, 11u, 107u); /* 157, in the very tick of a reading */
    start(1004u, 11u, 106u); /* and a tick after that */
    start(1002u, 11u, 108u); /* and a tick before it */
    start(1000u, 1u, 10u);
    start(1000u, 4u, 40u);
}

static void an_absolute_start_counts_from_time_0(void **state)
{
    (void)reset(state);
    *port_register(CARILLON_BASE_COUNTER) = TIME_0 - 1004u + STEP;
    assert_int_equal(StartScheduleTableAbs(REPEATS, 200u), E_OK);
    assert_begun(996u);
}

static void a_base_that_begins_anew_is_waited_for(void **state)
{
    (void)state;
    start(TIME_0 - 161u, 100u, 1000u - ((TIME_0 - 161u) % TICK));
    (void)reset(NULL);
    *port_register(CARILLON_BASE_COUNTER) = 160u + STEP;
    assert_int_equal(StartScheduleTableRel(REPEATS, 100u), E_OK);
    assert_true(read_at > CARILLON_BASE_NEAR);
    assert_true(read_at <= CARILLON_BASE_PERIOD);
    assert_true(read_at > (CARILLON_BASE_PERIOD - STEP));
    assert_begun(1000u - ((TIME_0 + (CARILLON_BASE_PERIOD - read_at)) % TICK));
}

static void tables_that_start_by_themselves_begin_with_time_0(void **state)
{
    (void)reset(state);
    *port_register(CARILLON_BASE_COUNTER) = TIME_0 - 20u + STEP;
    carillon_osek_start_tables_on_cells(1u);
    assert_int_equal(carillon_osek_table_states[REPEATS].status, SCHEDULETABLE_RUNNING);
    assert_begun(980u);
    (void)reset(state);
    starting = ONCE;
    *port_register(CARILLON_BASE_COUNTER) = TIME_0 + 5u + STEP; /* which is still to come */
    carillon_osek_start_tables_on_cells(2u);
    assert_int_equal(carillon_osek_table_states[ONCE].status, SCHEDULETABLE_RUNNING);
    assert_begun(1005u);
}

static void what_should_have_expired_before_the_start_is_requested_at_once(void **state)
{
    (void)reset(state);
    *port_register(CARILLON_BASE_COUNTER) = TIME_0 - 4100u + STEP; /* all points have passed */
    carillon_osek_start_tables_on_cells(1u);
    assert_begun(1000u - 4100u);
    (void)reset(state);
    *port_register(CARILLON_BASE_COUNTER) = TIME_0 - 2000u + STEP;
    carillon_osek_start_tables_on_cells(1u);
    assert_begun(1000u - 2000u);
}

static void no_task_begins_before_time_0(void **state)
{
    (void)reset(state);
    starting = ONCE;
    *port_register(CARILLON_BASE_COUNTER) = TIME_0 + CARILLON_BASE_EARLY + STEP;
    carillon_osek_start_tables_on_cells(2u);
    assert_begun(1000u + CARILLON_BASE_EARLY);
    assert_int_equal(looks, (CARILLON_BASE_EARLY - CARILLON_BASE_SET) + 1u); /* the last one is at time 0 */
    for (uint32_t ahead = 0; ahead <= (CARILLON_BASE_EARLY + 1u); ahead++) {
        (void)reset(state);
        *port_register(CARILLON_BASE_COUNTER) = TIME_0 + ahead;
        carillon_osek_start_tables_on_cells(5u); /* nothing starts */
        assert_int_equal(looks, (ahead <= CARILLON_BASE_EARLY) ? (ahead + 1u) : 1u);
        assert_int_equal(starts, 0u);
    }
}

static void assert_status(uint8_t table, uint8_t expected)
{
    ScheduleTableStatusType status;
    assert_int_equal(GetScheduleTableStatus(table, &status), E_OK);
    assert_int_equal(status, expected);
    assert_int_equal(port.mask, 0u);
}

static void all_that_stops_cells_is_stored(void **state)
{
    (void)state;
    start(1000u, 100u, 1000u);
    assert_int_equal((StopScheduleTable)(REPEATS), E_OK);
    assert_int_equal(*port_register(STOP(REPEATS)), 5u);
    assert_int_equal(*port_register(STOP(REPEATS) + 0x40u), 6u);
    assert_status(REPEATS, SCHEDULETABLE_STOPPED);
    assert_int_equal((StopScheduleTable)(REPEATS), E_OS_NOFUNC);
}

static void no_table_follows(void **state)
{
    (void)state;
    start(1000u, 100u, 1000u);
    assert_int_equal(NextScheduleTable(REPEATS, ONCE), E_OS_ID);
    assert_int_equal(NextScheduleTable(ONCE, REPEATS), E_OS_ID);
    assert_int_equal(port.mask, 0u);
    assert_status(ONCE, SCHEDULETABLE_STOPPED);
}

static void a_table_ends_that_does_not_repeat(void **state)
{
    (void)reset(state);
    starting = ONCE;
    *port_register(CARILLON_BASE_COUNTER) = TIME_0 - 1000u + STEP;
    assert_int_equal(StartScheduleTableRel(ONCE, 100u), E_OK);
    assert_begun(1000u);
    assert_status(ONCE, SCHEDULETABLE_RUNNING);
    port.pending[ENDS] = true;
    assert_status(ONCE, SCHEDULETABLE_STOPPED);
    assert_int_equal(*port_register(STOP(ONCE)), 5u);
    assert_false(port.pending[ENDS]);
    start(1000u, 100u, 1000u);
    carillon_osek_end_table(REPEATS);
    assert_status(REPEATS, SCHEDULETABLE_RUNNING);
    carillon_osek_half_table(REPEATS);
    assert_status(REPEATS, SCHEDULETABLE_RUNNING);
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_cell_is_told_how_far_its_expiry_is_from_its_own_store),
        TEST(what_is_due_before_all_cells_run_is_waited_for),
        TEST(an_absolute_start_counts_from_time_0),
        TEST(a_base_that_begins_anew_is_waited_for),
        TEST(tables_that_start_by_themselves_begin_with_time_0),
        TEST(what_should_have_expired_before_the_start_is_requested_at_once),
        TEST(no_task_begins_before_time_0),
        TEST(all_that_stops_cells_is_stored),
        TEST(no_table_follows),
        TEST(a_table_ends_that_does_not_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
