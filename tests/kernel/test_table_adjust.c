/* SPDX-License-Identifier: Apache-2.0
 *
 * How tables on cells keep with the global time (kernel/counters/table_adjust.h).  A cell's counter shows in how many
 * ticks of the system clock it expires, less what has passed since the table was started: nothing counts down here. */
#include "levels/port.h"

#include "kernel/counters/schedule_table.h"
#include "kernel/counters/table.h"

/* WIDE may be shortened by more than what is behind its last point, and by no more than its handler comes early enough
 * for.  It is synchronous where it is exact.  FREE is not adjusted. */
enum { TABLE, WIDE, FREE, TABLES };
enum { CELLS = 2, TICK = 10, DURATION = 500, PERIOD = DURATION * TICK };
enum { INITIAL = 20, LAST = 400, PRECISION = 5, LENGTHEN = 30, SHORTEN = 50, WIDELY = 110 };
enum { LATEST = 3960, NEAREST = PERIOD - (WIDELY * TICK) };
/* The table begins BEGIN ticks of the system clock after it has been started, and its last point comes at FIRST_LAST. */
enum { BEGIN = 1000, FIRST_LAST = BEGIN + (LAST * TICK) };
_Static_assert(TABLES == CARILLON_OSEK_SCHEDULE_TABLES, "tables of the configuration");

#define REGISTER(table, number) (0x2000u + ((table)*0x100u) + ((number)*4u))
#define SOURCE(table, cell) (32u + ((table)*4u) + (cell))
static const struct carillon_osek_table_cell cells[TABLES][CELLS] = {
    {{200u, PERIOD, SOURCE(TABLE, 0u)}, {4000u, PERIOD, SOURCE(TABLE, 1u)}},
    {{200u, PERIOD, SOURCE(WIDE, 0u)}, {4000u, PERIOD, SOURCE(WIDE, 1u)}},
    {{200u, PERIOD, SOURCE(FREE, 0u)}, {4000u, PERIOD, SOURCE(FREE, 1u)}},
};
#define SHIFTS_OF(table)                                                             \
    {                                                                                \
        {REGISTER(table, 0u), 200u - PERIOD}, {REGISTER(table, 1u), 4000u - PERIOD}, \
    }
static const struct carillon_shift shifts[TABLES][CELLS] = {SHIFTS_OF(TABLE), SHIFTS_OF(WIDE), SHIFTS_OF(FREE)};
#define MOVES_OF(table)                                       \
    {                                                         \
        {REGISTER(table, 0u), 0u}, {REGISTER(table, 1u), 0u}, \
    }
static const struct carillon_shift moves[TABLES][CELLS] = {MOVES_OF(TABLE), MOVES_OF(WIDE), MOVES_OF(FREE)};
#define ON_CELLS_OF(table, by, before, shorten)                                                                \
    {                                                                                                          \
        .start = {REGISTER(table, 8u), 3u}, .shifts = shifts[table], .cells = cells[table], .count = CELLS,    \
        .first = 200u, .tick = TICK, .turn = 65536u * TICK, .ends_at = REGISTER(table, 9u), .again = PERIOD,   \
        .adjusts_by = (by), .moves = moves[table], .latest = (before), .last = LAST, .max_lengthen = LENGTHEN, \
        .max_shorten = (shorten)                                                                               \
    }
static const struct carillon_osek_table_on_cells on_cells[TABLES] = {
    ON_CELLS_OF(TABLE, SOURCE(TABLE, 1u), LATEST, SHORTEN), ON_CELLS_OF(WIDE, SOURCE(WIDE, 1u), NEAREST, WIDELY),
    ON_CELLS_OF(FREE, 0u, LATEST, SHORTEN)};
const struct carillon_osek_table_on_cells *const carillon_osek_tables_on_cells[TABLES] = {&on_cells[0], &on_cells[1],
                                                                                          &on_cells[2]};
const struct carillon_store carillon_osek_table_stops[TABLES] = {
    {REGISTER(TABLE, 10u), 1u}, {REGISTER(WIDE, 10u), 1u}, {REGISTER(FREE, 10u), 1u}};
const struct carillon_osek_counter carillon_osek_counters[] = {{.max_allowed = 0xFFFFu}};
#define FIXED(within)                                                                                         \
    {                                                                                                         \
        .duration = DURATION, .initial = INITIAL, .precision = (within), .sync = CARILLON_OSEK_SYNC_EXPLICIT, \
        .repeating = 1u, .autostart = 2u, .start = CARILLON_OSEK_START_SYNCHRON                               \
    }
const struct carillon_osek_schedule_table carillon_osek_schedule_tables[TABLES] = {FIXED(PRECISION), FIXED(0u),
                                                                                   FIXED(PRECISION)};

static bool comes_again; /* the last point of TABLE, at the next reading of the time base */
uint32_t carillon_test_base(void)
{
    port.pending[SOURCE(TABLE, 1u)] = port.pending[SOURCE(TABLE, 1u)] || comes_again;
    comes_again = false;
    return *port_register(CARILLON_BASE_COUNTER);
}

static const uint32_t started = CARILLON_BASE_ORIGIN - CARILLON_BASE_GUARD; /* the reading at the start */

/* It is so many ticks of the system clock after the start. */
static void at(uint32_t ticks)
{
    *port_register(CARILLON_BASE_COUNTER) = started - ticks;
}

static int reset(void **state)
{
    (void)port_reset(state);
    comes_again = false;
    for (uint32_t table = 0; table < TABLES; table++) {
        carillon_osek_table_states[table].status = SCHEDULETABLE_STOPPED;
        for (uint32_t cell = 0; cell < CELLS; cell++) {
            *port_register(REGISTER(table, cell)) = PERIOD;
        }
    }
    at(0u);
    carillon_osek_start_tables_on_cells(0u);
    return 0;
}

static void start(uint8_t table)
{
    (void)reset(NULL);
    assert_int_equal(StartScheduleTableRel(table, BEGIN / TICK), E_OK);
}

static void assert_status(uint8_t table, uint8_t expected)
{
    ScheduleTableStatusType status;
    assert_int_equal(GetScheduleTableStatus(table, &status), E_OK);
    assert_int_equal(status, expected);
    assert_int_equal(port.mask, 0u);
}

/* The cells of a table have been shifted by so much altogether. */
static void assert_shifted(uint8_t table, int32_t by)
{
    assert_int_equal(*port_register(REGISTER(table, 0u)), BEGIN + 200 + by);
    assert_int_equal(*port_register(REGISTER(table, 1u)), FIRST_LAST + by);
}

/* The handler of a table's last point, at a time. */
static void last_point(uint8_t table, uint32_t ticks)
{
    at(ticks);
    carillon_osek_adjust_table(table);
    assert_int_equal(port.mask, 0u);
}

static void synchronise(uint8_t table, uint32_t ticks, TickType value)
{
    at(ticks);
    assert_int_equal(SyncScheduleTable(table, value), E_OK);
    assert_int_equal(port.mask, 0u);
}

static void a_table_that_is_ahead_is_lengthened_by_a_part_each_turn(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 60u); /* it is at 100 */
    assert_status(TABLE, SCHEDULETABLE_RUNNING);
    assert_shifted(TABLE, 0);
    last_point(TABLE, FIRST_LAST);
    assert_shifted(TABLE, 300);
    assert_status(TABLE, SCHEDULETABLE_RUNNING);
    last_point(TABLE, FIRST_LAST + PERIOD + 300u);
    assert_shifted(TABLE, 400);
    last_point(TABLE, FIRST_LAST + (2u * PERIOD) + 400u);
    assert_shifted(TABLE, 400); /* nothing is left */
}

static void a_table_that_is_behind_is_shortened_by_a_part_each_turn(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 160u);
    last_point(TABLE, FIRST_LAST);
    assert_shifted(TABLE, -500);
    last_point(TABLE, FIRST_LAST + PERIOD - 500u);
    assert_shifted(TABLE, -600);
    last_point(TABLE, FIRST_LAST + (2u * PERIOD) - 600u);
    assert_shifted(TABLE, -600);
}

static void half_a_turn_beside_it_is_made_up_by_shortening(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 3000u, 50u); /* it is at 300 */
    last_point(TABLE, FIRST_LAST);
    assert_shifted(TABLE, -500);
    start(TABLE);
    synchronise(TABLE, BEGIN + 3000u, 51u);
    last_point(TABLE, FIRST_LAST);
    assert_shifted(TABLE, 300);
}

static void where_it_is_is_told_in_whole_ticks_until_its_last_point(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1009u, 100u); /* 299 ticks and a part are left: it is at 100 */
    last_point(TABLE, FIRST_LAST);
    assert_shifted(TABLE, 0);
    start(TABLE);
    synchronise(TABLE, BEGIN + 1010u, 100u); /* it is at 101 */
    last_point(TABLE, FIRST_LAST);
    assert_shifted(TABLE, 10);
    start(TABLE);
    last_point(TABLE, FIRST_LAST);
    synchronise(TABLE, FIRST_LAST, 400u); /* a whole turn is left */
    last_point(TABLE, FIRST_LAST + PERIOD);
    assert_shifted(TABLE, 0);
    synchronise(TABLE, FIRST_LAST + PERIOD + 10u, 400u); /* 401 */
    last_point(TABLE, FIRST_LAST + (2u * PERIOD));
    assert_shifted(TABLE, 10);
}

static void a_table_is_synchronous_at_once_within_its_precision(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 95u);
    assert_status(TABLE, SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    synchronise(TABLE, BEGIN + 1000u, 94u);
    assert_status(TABLE, SCHEDULETABLE_RUNNING);
    last_point(TABLE, FIRST_LAST);
    synchronise(TABLE, FIRST_LAST + 1000u, 0u); /* it is far from it again: what nears is forgotten */
    at(FIRST_LAST + PERIOD);
    assert_status(TABLE, SCHEDULETABLE_RUNNING);
}

/* 36 ticks ahead: after 30 of them 6 are left, after 35 of them 5. */
static void it_becomes_synchronous_at_the_end_of_the_turn_that_brings_it_within_its_precision(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 64u);
    last_point(TABLE, FIRST_LAST);
    at(FIRST_LAST + PERIOD);
    assert_status(TABLE, SCHEDULETABLE_RUNNING);
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 65u);
    last_point(TABLE, FIRST_LAST); /* the next last point comes after 5300 ticks, and the end 4000 before that */
    assert_shifted(TABLE, 300);
    at(FIRST_LAST + 1299u);
    assert_status(TABLE, SCHEDULETABLE_RUNNING);
    at(FIRST_LAST + 1300u);
    assert_status(TABLE, SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    carillon_osek_table_states[TABLE].status = SCHEDULETABLE_RUNNING;
    assert_status(TABLE, SCHEDULETABLE_RUNNING); /* it has come there once */
}

static void who_does_not_ask_is_told_after_the_next_last_point(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 70u);
    last_point(TABLE, FIRST_LAST);
    assert_int_equal(carillon_osek_table_states[TABLE].status, SCHEDULETABLE_RUNNING);
    last_point(TABLE, FIRST_LAST + PERIOD + 300u);
    assert_int_equal(carillon_osek_table_states[TABLE].status, SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    carillon_osek_table_states[TABLE].status = SCHEDULETABLE_RUNNING;
    last_point(TABLE, FIRST_LAST + (2u * PERIOD) + 300u); /* it has come there once */
    assert_int_equal(carillon_osek_table_states[TABLE].status, SCHEDULETABLE_RUNNING);
}

/* It is shortened beyond its end by 0, 1 and 10 ticks. */
static void a_table_that_is_shortened_beyond_its_end_is_synchronous_at_the_end_or_at_the_first_point(void **state)
{
    (void)state;
    static const TickType behind[] = {100u, 101u, 110u};
    for (size_t i = 0; i < 3u; i++) {
        start(WIDE);
        synchronise(WIDE, BEGIN, behind[i]);
        last_point(WIDE, FIRST_LAST);
        const uint32_t by = behind[i] * TICK;
        assert_shifted(WIDE, -(int32_t)by);
        const uint32_t comes = FIRST_LAST + PERIOD - by - ((i == 0u) ? 4000u : 3800u);
        at(comes - 1u);
        assert_status(WIDE, SCHEDULETABLE_RUNNING);
        at(comes);
        assert_status(WIDE, SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    }
    start(WIDE);
    synchronise(WIDE, BEGIN + 1000u, 80u); /* it is at 100, and lengthened */
    last_point(WIDE, FIRST_LAST);
    at(FIRST_LAST + 1199u);
    assert_status(WIDE, SCHEDULETABLE_RUNNING);
    at(FIRST_LAST + 1200u);
    assert_status(WIDE, SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
}

static void a_handler_that_is_late_shortens_by_what_is_left(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 160u);
    last_point(TABLE, FIRST_LAST + 796u); /* 4204 are left, which is 244 before it is too late */
    assert_shifted(TABLE, -240);
    last_point(TABLE, FIRST_LAST + PERIOD - 240u);
    assert_shifted(TABLE, -600); /* the other 36 of 60 ticks */
}

static void a_handler_that_is_too_late_does_nothing(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 60u);
    last_point(TABLE, FIRST_LAST + PERIOD - LATEST);
    assert_shifted(TABLE, 0);
    last_point(TABLE, FIRST_LAST + PERIOD + PERIOD - LATEST - 1u);
    assert_shifted(TABLE, 300);
    last_point(TABLE, FIRST_LAST + (2u * PERIOD) + 300u);
    assert_shifted(TABLE, 400);
}

static void a_handler_that_is_late_by_turns_adjusts_what_follows(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 160u);
    last_point(TABLE, FIRST_LAST + (2u * PERIOD)); /* as if it were not late */
    assert_shifted(TABLE, -500);
    last_point(TABLE, FIRST_LAST + (4u * PERIOD) - 500u + 1040u); /* too late again, by a turn and that */
    assert_shifted(TABLE, -500);
    last_point(TABLE, FIRST_LAST + (5u * PERIOD) - 500u + 940u);
    assert_shifted(TABLE, -600);
}

static void a_time_base_that_is_behind_the_cell_is_not_late(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 160u);
    last_point(TABLE, FIRST_LAST - 3u);
    assert_shifted(TABLE, -500);
    last_point(TABLE, FIRST_LAST + PERIOD - 500u);
    assert_shifted(TABLE, -600);
    start(WIDE);
    synchronise(WIDE, BEGIN, 110u);
    last_point(WIDE, FIRST_LAST - 3u);
    assert_shifted(WIDE, -1100);
}

/* 320,000 turns late is the most that the time base tells. */
static void where_a_table_is_after_many_turns_is_known(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 150u);
    last_point(TABLE, FIRST_LAST + (2u * PERIOD));
    assert_shifted(TABLE, -500);
    at(FIRST_LAST + (2u * PERIOD) + 499u);
    assert_status(TABLE, SCHEDULETABLE_RUNNING);
    at(FIRST_LAST + (2u * PERIOD) + 500u);
    assert_status(TABLE, SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 150u);
    last_point(TABLE, FIRST_LAST + CARILLON_BASE_MOST);
    at(FIRST_LAST + CARILLON_BASE_MOST + 500u);
    assert_status(TABLE, SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
}

static void a_table_that_does_not_run_is_not_adjusted(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 60u);
    carillon_osek_table_states[TABLE].status = SCHEDULETABLE_NEXT;
    last_point(TABLE, FIRST_LAST);
    assert_shifted(TABLE, 0);
}

static void a_service_first_adjusts_what_waits(void **state)
{
    (void)state;
    start(TABLE);
    start(FREE);
    assert_int_equal(StartScheduleTableRel(TABLE, BEGIN / TICK), E_OK);
    synchronise(TABLE, BEGIN + 1000u, 60u);
    at(FIRST_LAST);
    port.pending[SOURCE(TABLE, 1u)] = true;
    port.pending[0] = true; /* no table's */
    assert_status(TABLE, SCHEDULETABLE_RUNNING);
    assert_shifted(TABLE, 300);
    assert_false(port.pending[SOURCE(TABLE, 1u)]);
    assert_true(port.pending[0]);
    assert_status(FREE, SCHEDULETABLE_RUNNING);
    port.pending[SOURCE(TABLE, 1u)] = true;
    at(FIRST_LAST + PERIOD + 300u);
    assert_int_equal(StartScheduleTableRel(WIDE, 10u), E_OK);
    assert_shifted(TABLE, 400);
    synchronise(TABLE, FIRST_LAST + PERIOD + 300u, 389u); /* it is at 390 */
    at(FIRST_LAST + (2u * PERIOD) + 400u);
    port.pending[SOURCE(TABLE, 1u)] = true;
    assert_int_equal(SetScheduleTableAsync(TABLE), E_OK);
    assert_shifted(TABLE, 410);
}

static void starting_at_a_time_and_stopping_adjust_what_waits_too(void **state)
{
    (void)state;
    for (uint32_t service = 0u; service < 2u; service++) {
        start(TABLE);
        synchronise(TABLE, BEGIN + 1000u, 60u);
        at(FIRST_LAST);
        port.pending[SOURCE(TABLE, 1u)] = true;
        assert_int_equal((service == 0u) ? StartScheduleTableAbs(WIDE, 10u) : StopScheduleTable(WIDE),
                         (service == 0u) ? E_OK : E_OS_NOFUNC);
        assert_shifted(TABLE, 300);
        assert_false(port.pending[SOURCE(TABLE, 1u)]);
    }
}

static void a_table_that_waits_for_the_global_time_can_be_stopped(void **state)
{
    (void)state;
    (void)reset(NULL);
    assert_int_equal(StartScheduleTableSynchron(TABLE), E_OK);
    assert_int_equal(StopScheduleTable(TABLE), E_OK);
    assert_status(TABLE, SCHEDULETABLE_STOPPED);
    assert_int_equal(StopScheduleTable(TABLE), E_OS_NOFUNC);
}

/* It is asked where the table is only when its last point does not come meanwhile. */
static void a_last_point_that_comes_meanwhile_is_served_before_the_deviation_is_told(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 60u);
    comes_again = true;
    synchronise(TABLE, FIRST_LAST, 390u);
    assert_false(port.pending[SOURCE(TABLE, 1u)]);
    assert_shifted(TABLE, 300); /* so it is at 370, and 20 behind */
    last_point(TABLE, FIRST_LAST + PERIOD + 300u);
    assert_shifted(TABLE, 300 - 200);
}

static void a_table_that_waits_for_the_global_time_begins_with_it(void **state)
{
    (void)state;
    (void)reset(NULL);
    assert_int_equal(SyncScheduleTable(TABLE, 100u), E_OS_STATE);
    assert_int_equal(StartScheduleTableSynchron(TABLE), E_OK);
    assert_status(TABLE, SCHEDULETABLE_WAITING);
    assert_int_equal(StartScheduleTableSynchron(TABLE), E_OS_STATE);
    assert_int_equal(SetScheduleTableAsync(TABLE), E_OS_STATE);
    assert_status(TABLE, SCHEDULETABLE_WAITING);
    synchronise(TABLE, 0u, DURATION - (BEGIN / TICK));
    assert_status(TABLE, SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    assert_int_equal(*port_register(REGISTER(TABLE, 8u)), 3u);
    assert_shifted(TABLE, 0);
    assert_int_equal(StartScheduleTableSynchron(TABLE), E_OS_STATE);
    assert_status(TABLE, SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
}

static void a_table_starts_by_itself_to_wait_for_the_global_time(void **state)
{
    (void)state;
    assert_status(TABLE, SCHEDULETABLE_STOPPED);
    carillon_osek_start_tables_on_cells(1u);
    assert_status(TABLE, SCHEDULETABLE_WAITING);
    assert_int_equal(*port_register(REGISTER(TABLE, 8u)), 0u);
    assert_int_equal(*port_register(REGISTER(TABLE, 0u)), PERIOD);
}

static void a_table_that_is_asynchronous_is_adjusted_no_more(void **state)
{
    (void)state;
    start(TABLE);
    synchronise(TABLE, BEGIN + 1000u, 65u);
    last_point(TABLE, FIRST_LAST);
    assert_shifted(TABLE, 300);
    assert_int_equal(SetScheduleTableAsync(TABLE), E_OK);
    at(FIRST_LAST + PERIOD);
    assert_status(TABLE, SCHEDULETABLE_RUNNING);
    last_point(TABLE, FIRST_LAST + PERIOD + 300u);
    assert_shifted(TABLE, 300);
    synchronise(TABLE, FIRST_LAST + PERIOD + 300u, 400u);
    assert_status(TABLE, SCHEDULETABLE_RUNNING_AND_SYNCHRONOUS);
    assert_int_equal(SetScheduleTableAsync(TABLE), E_OK);
    assert_status(TABLE, SCHEDULETABLE_RUNNING);
    assert_int_equal(StopScheduleTable(TABLE), E_OK);
    assert_int_equal(SetScheduleTableAsync(TABLE), E_OS_STATE);
    assert_status(TABLE, SCHEDULETABLE_STOPPED);
}

static void a_table_that_is_not_adjusted_has_no_such_services(void **state)
{
    (void)state;
    start(FREE);
    assert_int_equal(SyncScheduleTable(FREE, 0u), E_OS_ID);
    assert_int_equal(SetScheduleTableAsync(FREE), E_OS_ID);
    assert_int_equal(StartScheduleTableSynchron(FREE), E_OS_ID);
    assert_status(FREE, SCHEDULETABLE_RUNNING);
    assert_int_equal(port.mask, 0u);
}

static uint32_t readings;
static void come_between(uint32_t address)
{
    if (address == CARILLON_BASE_COUNTER) {
        readings++;
        if (readings == 2u) {
            at(5u);
        }
    }
}

static void beside_a_round_the_time_is_read_again_if_a_handler_has_come_between(void **state)
{
    (void)state;
    (void)reset(NULL);
    readings = 0u;
    port_before_read = come_between;
    assert_int_equal(StartScheduleTableRel(TABLE, BEGIN / TICK), E_OK);
    assert_int_equal(readings, CARILLON_OSEK_TABLES_BESIDE ? 4u : 1u);
    assert_shifted(TABLE, CARILLON_OSEK_TABLES_BESIDE ? -5 : 0);
    assert_int_equal(port.mask, 0u);
    assert_int_equal(port.mask_at_store,
                     carillon_port_mask_of(CARILLON_OSEK_TABLES_BESIDE ? CARILLON_OSEK_TOP : CARILLON_LEVELS));
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_table_that_is_ahead_is_lengthened_by_a_part_each_turn),
        TEST(a_table_that_is_behind_is_shortened_by_a_part_each_turn),
        TEST(half_a_turn_beside_it_is_made_up_by_shortening),
        TEST(where_it_is_is_told_in_whole_ticks_until_its_last_point),
        TEST(a_table_is_synchronous_at_once_within_its_precision),
        TEST(it_becomes_synchronous_at_the_end_of_the_turn_that_brings_it_within_its_precision),
        TEST(who_does_not_ask_is_told_after_the_next_last_point),
        TEST(a_table_that_is_shortened_beyond_its_end_is_synchronous_at_the_end_or_at_the_first_point),
        TEST(a_handler_that_is_late_shortens_by_what_is_left),
        TEST(a_handler_that_is_too_late_does_nothing),
        TEST(a_handler_that_is_late_by_turns_adjusts_what_follows),
        TEST(a_time_base_that_is_behind_the_cell_is_not_late),
        TEST(where_a_table_is_after_many_turns_is_known),
        TEST(a_table_that_does_not_run_is_not_adjusted),
        TEST(a_service_first_adjusts_what_waits),
        TEST(starting_at_a_time_and_stopping_adjust_what_waits_too),
        TEST(a_table_that_waits_for_the_global_time_can_be_stopped),
        TEST(a_last_point_that_comes_meanwhile_is_served_before_the_deviation_is_told),
        TEST(a_table_that_waits_for_the_global_time_begins_with_it),
        TEST(a_table_starts_by_itself_to_wait_for_the_global_time),
        TEST(a_table_that_is_asynchronous_is_adjusted_no_more),
        TEST(a_table_that_is_not_adjusted_has_no_such_services),
        TEST(beside_a_round_the_time_is_read_again_if_a_handler_has_come_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
