/* SPDX-License-Identifier: Apache-2.0
 *
 * A schedule table whose cursors are alone in their parts: its steps (kernel/counters/table_lone.h) and its start
 * (kernel/counters/table_begin.h), with times of 32 bits and of 16. */
#include "levels/port.h"

#include "kernel/counters/table_begin.h"
#include "kernel/counters/table_lone.h"

enum { UNITS = 100, AT = 1500000000 };
enum { FOLDS, PLAIN, FURTHER, SHARED, PARTS }; /* the counters of the first two have a value */
enum { REPEATS, ENDS };
enum { IN_PART, IN_FURTHER, OF_ENDS, AT_END, FAR, FARTHEST, IN_SHARED, CURSORS };
#define MOST ((CARILLON_TIME_BITS < 32) ? CARILLON_LAP : (CARILLON_BASE_AHEAD / UNITS))

struct carillon_osek_counter_state carillon_osek_counter_states[PARTS];
struct carillon_osek_alarm_state carillon_osek_alarm_states[CARILLON_OSEK_ALARMS + CURSORS];
struct carillon_osek_table_state carillon_osek_table_states[CARILLON_OSEK_SCHEDULE_TABLES];
const struct carillon_osek_counter carillon_osek_counters[PARTS] = {
    {.max_allowed = 0xFFFFu, .units = UNITS, .lone = 1u},
    {.max_allowed = 9999u, .units = UNITS, .lone = 1u},
    {.max_allowed = 9999u, .units = UNITS, .lone = 1u},
    {.max_allowed = 0xFFFFu, .units = UNITS},
};
const struct carillon_osek_schedule_table carillon_osek_schedule_tables[CARILLON_OSEK_SCHEDULE_TABLES] = {
    {.duration = 100u, .first = IN_PART, .cursors = 2u, .repeating = 1u, .lone = 1u},
    {.duration = 100u, .first = OF_ENDS, .cursors = 1u},
};
static const struct carillon_osek_step steps[] = {{.delay = 10u}, {.delay = 20u}, {.delay = 30u}, {.delay = 40u}};
static const struct carillon_osek_step at_end[] = {{.delay = 10u}, {.delay = 0u}};
static const struct carillon_osek_step far[] = {{.delay = 1u}, {.delay = MOST + 1u}, {.delay = 1u}};
static const struct carillon_osek_step farthest[] = {{.delay = 1u}, {.delay = MOST}, {.delay = 1u}};
const struct carillon_osek_cursor carillon_osek_cursors[CURSORS] = {
    {steps, 4u, FOLDS, REPEATS}, {steps, 4u, FURTHER, REPEATS}, {steps, 4u, PLAIN, ENDS},     {at_end, 2u, FOLDS, ENDS},
    {far, 3u, FOLDS, ENDS},      {farthest, 3u, FOLDS, ENDS},   {steps, 4u, SHARED, REPEATS},
};

static uint32_t base;
uint32_t carillon_test_base(void)
{
    return base;
}

/* Each part is due at AT, 7 ticks after what its counter read: 5. */
static int reset(void **state)
{
    (void)port_reset(state);
    for (size_t part = 0; part < PARTS; part++) {
        carillon_osek_counter_states[part].ticker.queue.head.time = 7u;
        carillon_osek_counter_states[part].ticker.at = 0u;
        carillon_osek_counter_states[part].ticker.wake = AT + 1u;
        carillon_osek_counter_states[part].value = 5u;
    }
    for (size_t table = 0; table < CARILLON_OSEK_SCHEDULE_TABLES; table++) {
        carillon_osek_table_states[table].status = SCHEDULETABLE_RUNNING;
        carillon_osek_table_states[table].passed = 0u;
    }
    base = 0u;
    return 0;
}

static struct carillon_osek_alarm_state *cursor_state(uint32_t cursor)
{
    return &carillon_osek_alarm_states[CARILLON_OSEK_ALARMS + cursor];
}

static const struct carillon_osek_step *step(CounterType part, uint32_t cursor, TickType number, uint32_t left)
{
    cursor_state(cursor)->cycle = number;
    return carillon_osek_step_in_time(part, cursor, left);
}

/* The cursor goes on at `next`, which comes `ahead` ticks after AT; its counter reads `value` at AT. */
static void assert_goes_on(CounterType part, uint32_t cursor, TickType next, uint32_t ahead, TickType value)
{
    const struct carillon_osek_counter_state *const its = &carillon_osek_counter_states[part];
    assert_int_equal(cursor_state(cursor)->cycle, next);
    assert_int_equal(its->ticker.at, AT);
    assert_int_equal(its->ticker.wake, AT + 1u - (ahead * UNITS));
    assert_int_equal(carillon_queue_left(&its->ticker.queue), ahead);
    assert_int_equal(its->value, value);
}

static void assert_is_left_alone(CounterType part, uint32_t cursor, TickType number, uint32_t left)
{
    const struct carillon_osek_counter_state before = carillon_osek_counter_states[part];
    assert_null(step(part, cursor, number, left));
    assert_int_equal(cursor_state(cursor)->cycle, number);
    assert_memory_equal(&carillon_osek_counter_states[part], &before, sizeof before);
}

static void a_step_goes_on_to_the_next_one(void **state)
{
    (void)state;
    assert_ptr_equal(step(FOLDS, IN_PART, 0u, AT), &steps[0]);
    assert_goes_on(FOLDS, IN_PART, 1u, 20u, 12u);
    (void)reset(state);
    assert_ptr_equal(step(FOLDS, IN_PART, 1u, AT - (UNITS - 1u)), &steps[1]);
    assert_goes_on(FOLDS, IN_PART, 2u, 30u, 12u);
}

static void the_last_point_goes_on_to_the_first_one_of_the_next_turn(void **state)
{
    (void)state;
    assert_ptr_equal(step(FOLDS, IN_PART, 2u, AT), &steps[2]);
    assert_goes_on(FOLDS, IN_PART, 0u, 50u, 12u);
}

static void the_last_point_goes_on_to_the_end_of_a_table_that_ends_or_is_not_alone(void **state)
{
    (void)state;
    assert_ptr_equal(step(PLAIN, OF_ENDS, 2u, AT), &steps[2]);
    assert_goes_on(PLAIN, OF_ENDS, 3u, 40u, 12u);
    assert_false(carillon_osek_turns(OF_ENDS, 2u));
    assert_false(carillon_osek_turns(IN_SHARED, 2u));
    assert_true(carillon_osek_turns(IN_PART, 2u));
    assert_false(carillon_osek_turns(IN_PART, 1u));
}

static void a_step_that_is_late_or_early_is_left_alone(void **state)
{
    (void)state;
    assert_is_left_alone(FOLDS, IN_PART, 0u, AT - UNITS);
    assert_is_left_alone(FOLDS, IN_PART, 0u, AT + 1u);
}

static void a_part_that_is_left_to_a_tick_before_is_left_alone(void **state)
{
    (void)state;
    carillon_osek_counter_states[FOLDS].ticker.queue.head.time = (carillon_time)(MOST + 1u);
    assert_is_left_alone(FOLDS, IN_PART, 0u, AT);
    carillon_osek_counter_states[FOLDS].ticker.queue.head.time = (carillon_time)MOST;
    assert_non_null(step(FOLDS, IN_PART, 0u, AT));
    assert_goes_on(FOLDS, IN_PART, 1u, 20u, (5u + MOST) & 0xFFFFu);
}

static void a_table_that_does_not_run_is_left_alone(void **state)
{
    (void)state;
    carillon_osek_table_states[REPEATS].status = SCHEDULETABLE_WAITING;
    assert_is_left_alone(FOLDS, IN_PART, 0u, AT);
}

static void the_end_is_left_alone_and_so_is_a_point_there(void **state)
{
    (void)state;
    assert_is_left_alone(FOLDS, IN_PART, 3u, AT);
    assert_is_left_alone(FOLDS, AT_END, 0u, AT);
}

static void a_step_before_one_that_is_far_is_left_alone(void **state)
{
    (void)state;
    assert_is_left_alone(FOLDS, FAR, 0u, AT);
    assert_ptr_equal(step(FOLDS, FARTHEST, 0u, AT), &farthest[0]);
    assert_goes_on(FOLDS, FARTHEST, 1u, MOST, 12u);
}

static void a_step_is_left_alone_where_the_base_begins_anew_before_the_next(void **state)
{
    (void)state;
    carillon_osek_counter_states[FOLDS].ticker.wake = 2000u; /* due a unit before */
    assert_is_left_alone(FOLDS, IN_PART, 0u, 1999u);
    carillon_osek_counter_states[FOLDS].ticker.wake = 2001u;
    assert_non_null(step(FOLDS, IN_PART, 0u, 2000u));
    assert_int_equal(carillon_osek_counter_states[FOLDS].ticker.wake, 1u);
}

static void a_step_is_left_alone_where_the_counter_begins_anew_unless_it_folds(void **state)
{
    (void)state;
    carillon_osek_counter_states[PLAIN].value = 9993u;
    assert_is_left_alone(PLAIN, OF_ENDS, 0u, AT);
    carillon_osek_counter_states[PLAIN].value = 9992u;
    assert_non_null(step(PLAIN, OF_ENDS, 0u, AT));
    assert_goes_on(PLAIN, OF_ENDS, 1u, 20u, 9999u);
    carillon_osek_counter_states[FOLDS].value = 0xFFFFu;
    assert_non_null(step(FOLDS, IN_PART, 0u, AT));
    assert_goes_on(FOLDS, IN_PART, 1u, 20u, 6u);
    carillon_osek_counter_states[FURTHER].value = 9993u; /* nobody asks for it */
    assert_non_null(step(FURTHER, IN_FURTHER, 0u, AT));
    assert_goes_on(FURTHER, IN_FURTHER, 1u, 20u, 9993u);
}

/* Before each start: it is stopped, and `passed` units have passed since the counter's last tick, at `at`. */
static void stop(uint32_t at, uint32_t passed)
{
    (void)reset(NULL);
    carillon_osek_table_states[REPEATS].status = SCHEDULETABLE_STOPPED;
    carillon_osek_counter_states[FOLDS].ticker.at = at;
    base = (passed > at) ? ((at + CARILLON_BASE_PERIOD) - passed) : (at - passed);
    cursor_state(IN_PART)->cycle = cursor_state(IN_FURTHER)->cycle = 3u;
}

static void assert_begins(uint32_t at, uint32_t passed, uint32_t ticks)
{
    const uint32_t first = ticks + (passed / UNITS) + 10u;
    const uint32_t reference = (passed > at) ? (at + CARILLON_BASE_PERIOD) : at;
    stop(at, passed);
    assert_true(begin_lone(REPEATS, ticks));
    assert_int_equal(carillon_osek_table_states[REPEATS].status, SCHEDULETABLE_RUNNING);
    for (uint32_t cursor = IN_PART; cursor <= IN_FURTHER; cursor++) {
        const struct carillon_ticker *const its =
            &carillon_osek_counter_states[carillon_osek_cursors[cursor].part].ticker;
        assert_int_equal(cursor_state(cursor)->cycle, 0u);
        assert_int_equal(its->at, at);
        assert_int_equal(carillon_queue_left(&its->queue), first);
        assert_int_equal(its->wake, (reference + 1u) - (first * UNITS));
    }
}

static void assert_begins_not(uint32_t ticks)
{
    const uint8_t before = carillon_osek_table_states[REPEATS].status;
    assert_false(begin_lone(REPEATS, ticks));
    assert_int_equal(carillon_osek_table_states[REPEATS].status, before);
    assert_int_equal(cursor_state(IN_PART)->cycle, 3u);
}

static void a_table_begins_at_its_first_point_whatever_has_passed(void **state)
{
    (void)state;
    assert_begins(AT, 0u, 1u);
    assert_begins(AT, 250u, 40u);
    assert_begins(30u, 80u, 40u); /* the base has begun anew */
}

static void only_a_table_that_is_alone_and_stopped_begins_so(void **state)
{
    (void)state;
    stop(AT, 0u);
    carillon_osek_table_states[ENDS].status = SCHEDULETABLE_STOPPED;
    assert_false(begin_lone(ENDS, 1u));
    carillon_osek_table_states[REPEATS].status = SCHEDULETABLE_RUNNING;
    assert_begins_not(1u);
    stop(AT, 0u);
    carillon_osek_table_states[REPEATS].passed = 1u; /* a cursor is held back */
    assert_begins_not(1u);
}

static void a_table_begins_otherwise_where_its_points_are_far(void **state)
{
    (void)state;
    assert_begins(AT, 250u, (uint32_t)MOST - 102u);
    stop(AT, 250u);
    assert_begins_not((uint32_t)MOST - 101u);
}

static void a_table_begins_otherwise_where_the_base_begins_anew_before_its_points(void **state)
{
    (void)state;
    assert_begins(20000u, 0u, 100u);
    stop(20000u, 0u);
    assert_begins_not(101u);
}

static void a_table_begins_otherwise_before_the_first_tick(void **state)
{
    (void)state;
    stop(AT, 0u);
    base = AT + 1u;
    assert_begins_not(1u);
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_step_goes_on_to_the_next_one),
        TEST(the_last_point_goes_on_to_the_first_one_of_the_next_turn),
        TEST(the_last_point_goes_on_to_the_end_of_a_table_that_ends_or_is_not_alone),
        TEST(a_step_that_is_late_or_early_is_left_alone),
        TEST(a_part_that_is_left_to_a_tick_before_is_left_alone),
        TEST(a_table_that_does_not_run_is_left_alone),
        TEST(the_end_is_left_alone_and_so_is_a_point_there),
        TEST(a_step_before_one_that_is_far_is_left_alone),
        TEST(a_step_is_left_alone_where_the_base_begins_anew_before_the_next),
        TEST(a_step_is_left_alone_where_the_counter_begins_anew_unless_it_folds),
        TEST(a_table_begins_at_its_first_point_whatever_has_passed),
        TEST(only_a_table_that_is_alone_and_stopped_begins_so),
        TEST(a_table_begins_otherwise_where_its_points_are_far),
        TEST(a_table_begins_otherwise_where_the_base_begins_anew_before_its_points),
        TEST(a_table_begins_otherwise_before_the_first_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
