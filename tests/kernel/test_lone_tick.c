/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of a counter's part that has a schedule table's cursor alone in it, on the level of the direct task that the
 * cursor activates (kernel/counters/expiry.h and table_lone.h). */
#include "levels/port.h"

#include "kernel/counters/expiry.h"

#include "carillon/schedule_table.h"

enum { TASK, TABLE = 0, CURSOR = 0, PART = 0 };
enum { SOURCE = 16, UNITS = 1000 };

const struct carillon_osek_task carillon_osek_tasks[] = {[TASK] = {.level = 2u, .source = SOURCE, .direct = 1u}};
const struct carillon_osek_counter carillon_osek_counters[CARILLON_OSEK_PARTS] = {
    [PART] = {.max_allowed = 0xFFFFFFFFu, .units = UNITS, .ticked = 1u, .leveled = 1u, .lone = CURSOR + 1u}};
struct carillon_osek_counter_state carillon_osek_counter_states[CARILLON_OSEK_PARTS];
struct carillon_osek_alarm_state carillon_osek_alarm_states[CARILLON_OSEK_ALARMS + CARILLON_OSEK_CURSORS];
struct carillon_osek_table_state carillon_osek_table_states[CARILLON_OSEK_SCHEDULE_TABLES];
/* A delay of 7 ticks is divided: the step between does nothing.  The last one is the table's end. */
static const struct carillon_osek_step steps[] = {
    {.delay = 5u, .count = 1u}, {.delay = 4u}, {.delay = 3u, .count = 1u}, {.delay = 2u}};
const struct carillon_osek_cursor carillon_osek_cursors[CARILLON_OSEK_CURSORS] = {
    [CURSOR] = {.steps = steps, .count = 4u, .part = PART, .table = TABLE}};
const struct carillon_osek_schedule_table carillon_osek_schedule_tables[CARILLON_OSEK_SCHEDULE_TABLES] = {
    [TABLE] = {.duration = 14u, .cursors = 1u, .counter = PART, .lone = 1u}};

static uint64_t now;
uint32_t carillon_test_base(void)
{
    return (uint32_t)(CARILLON_BASE_ORIGIN - now);
}

/* What is not within the handler: the table's end. */
void carillon_osek_last_tick(CounterType counter, uint32_t saved)
{
    assert_int_equal(counter, PART);
    note("last");
    carillon_osek_unlock(saved);
}

void carillon_osek_act_point(const struct carillon_osek_step *step)
{
    assert_true(carillon_osek_counter_states[PART].serving);
    assert_int_equal(port.mask, carillon_port_mask_of(CARILLON_OSEK_TOP));
    note((step->count != 0u) ? "acts" : "nothing");
}

static int reset(void **state)
{
    (void)port_reset(state);
    now = 0u;
    carillon_osek_table_states[TABLE].status = SCHEDULETABLE_RUNNING;
    carillon_osek_alarm_states[CARILLON_OSEK_ALARMS + CURSOR].cycle = 0u;
    struct carillon_osek_counter_state *const part = &carillon_osek_counter_states[PART];
    *part = (struct carillon_osek_counter_state){0};
    part->ticker.at = CARILLON_BASE_ORIGIN;
    part->ticker.wake = CARILLON_BASE_ORIGIN - (steps[0].delay * UNITS) + 1u;
    part->ticker.queue.head.time = steps[0].delay;
    return 0;
}

/* Ticks pass, each with the handler; returns at how many of them the task was requested, and the last of these. */
static uint32_t pass(uint32_t ticks, TaskType direct, uint32_t *last)
{
    uint32_t requests = 0u;
    for (uint32_t i = 0u; i < ticks; i++) {
        now += UNITS;
        carillon_osek_lone_level_tick(PART, CURSOR, direct);
        assert_int_equal(port.mask, 0u);
        if (port.pending[SOURCE]) {
            port.pending[SOURCE] = false;
            requests++;
            *last = (uint32_t)(now / UNITS);
        }
    }
    return requests;
}

static void a_direct_task_is_requested_at_each_point_and_not_between(void **state)
{
    (void)state;
    uint32_t last = 0u;
    assert_int_equal(pass(11u, TASK, &last), 1u);
    assert_int_equal(last, 5u);
    assert_int_equal(pass(2u, TASK, &last), 1u);
    assert_int_equal(last, 12u);
    assert_log("");
    assert_int_equal(pass(1u, TASK, &last), 0u);
    assert_log("last "); /* the end */
}

static void otherwise_the_steps_say_what_is_done(void **state)
{
    (void)state;
    uint32_t last = 0u;
    assert_int_equal(pass(13u, INVALID_TASK, &last), 0u);
    assert_log("acts nothing acts ");
}

static void a_table_that_does_not_run_is_left_to_whoever_counts(void **state)
{
    (void)state;
    uint32_t last = 0u;
    carillon_osek_table_states[TABLE].status = SCHEDULETABLE_STOPPED;
    assert_int_equal(pass(5u, TASK, &last), 0u);
    assert_log("last ");
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_direct_task_is_requested_at_each_point_and_not_between),
        TEST(otherwise_the_steps_say_what_is_done),
        TEST(a_table_that_does_not_run_is_left_to_whoever_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
