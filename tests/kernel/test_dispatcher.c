/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel/conventional/dispatcher.c: the entries of a tick. */
#include "carillon/conventional.h"
#include "mock/mock.h"
#include "mock/tables.h"

uint8_t carillon_conventional_active[3];
uint8_t carillon_mode, carillon_next_mode, carillon_lowered_tasks;

void carillon_deadline_missed(uint16_t task)
{
    note("missed(%u)", task);
}

void carillon_control(void)
{
    note("control");
}

static void task0(void)
{
    note("task0");
}

static void task1(void)
{
    note("task1");
}

static void task2_while_a_deadline_is_checked(void)
{
    static const struct carillon_entry deadline = {.action = CARILLON_DEADLINE, .object = 2u};
    carillon_conventional_dispatch(&deadline);
}

static void task1_counts_lowered_tasks(void)
{
    note("lowered-tasks=%u", carillon_lowered_tasks);
}

static int fresh(void **state)
{
    carillon_mode = carillon_next_mode = carillon_lowered_tasks = 0u;
    return mock_reset(state);
}

static void an_activation_runs_its_task_lowered(void **state)
{
    static const struct carillon_entry entry = {.action = CARILLON_ACTIVATE, .function = task0, .object = 0u};
    (void)state;
    carillon_conventional_dispatch(&entry);
    assert_log("lowered( task0 ) ");
}

static void all_entries_of_a_tick_are_carried_out_and_no_more(void **state)
{
    static const struct carillon_entry entries[] = {
        {.action = CARILLON_ACTIVATE, .function = task0, .object = 0u, .more = 1u},
        {.action = CARILLON_ENABLE, .object = 9u, .mask = 0x200u, .more = 0u},
        {.action = CARILLON_ACTIVATE, .function = task1, .object = 1u, .more = 0u},
    };
    (void)state;
    carillon_conventional_dispatch(entries);
    assert_log("lowered( task0 ) enable(9,200) ");
}

static void a_deadline_of_a_task_that_has_ended_is_met(void **state)
{
    static const struct carillon_entry entries[] = {
        {.action = CARILLON_ACTIVATE, .function = task0, .object = 0u, .more = 1u},
        {.action = CARILLON_DEADLINE, .object = 0u},
    };
    (void)state;
    carillon_conventional_dispatch(entries);
    assert_log("lowered( task0 ) ");
}

static void a_deadline_of_a_task_that_has_not_ended_is_missed(void **state)
{
    static const struct carillon_entry entry = {
        .action = CARILLON_ACTIVATE, .function = task2_while_a_deadline_is_checked, .object = 2u};
    (void)state;
    carillon_conventional_dispatch(&entry);
    assert_log("lowered( missed(2) ) ");
}

static void a_running_task_counts_as_lowered(void **state)
{
    static const struct carillon_entry entry = {
        .action = CARILLON_ACTIVATE, .function = task1_counts_lowered_tasks, .object = 1u};
    (void)state;
    carillon_conventional_dispatch(&entry);
    assert_log("lowered( lowered-tasks=1 ) ");
    assert_int_equal(carillon_lowered_tasks, 0u);
}

/* The end of the round, with an entry of the same tick behind it. */
static const struct carillon_entry round_end[] = {
    {.action = CARILLON_CONTROL, .more = 1u},
    {.action = CARILLON_ACTIVATE, .function = task0, .object = 0u},
};

static void the_end_of_the_round_goes_on_where_no_switch_is_wanted(void **state)
{
    (void)state;
    carillon_conventional_dispatch(round_end);
    assert_log("lowered( task0 ) ");
}

static void the_end_of_the_round_switches_and_leaves_the_old_table(void **state)
{
    (void)state;
    carillon_next_mode = 1u;
    carillon_conventional_dispatch(round_end);
    assert_log("control ");
}

static void the_end_of_the_round_does_not_switch_while_a_task_runs(void **state)
{
    (void)state;
    carillon_next_mode = 1u;
    carillon_lowered_tasks = 1u;
    carillon_conventional_dispatch(round_end);
    assert_log("lowered( task0 ) ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_activation_runs_its_task_lowered, fresh),
        cmocka_unit_test_setup(all_entries_of_a_tick_are_carried_out_and_no_more, fresh),
        cmocka_unit_test_setup(a_deadline_of_a_task_that_has_ended_is_met, fresh),
        cmocka_unit_test_setup(a_deadline_of_a_task_that_has_not_ended_is_missed, fresh),
        cmocka_unit_test_setup(a_running_task_counts_as_lowered, fresh),
        cmocka_unit_test_setup(the_end_of_the_round_goes_on_where_no_switch_is_wanted, fresh),
        cmocka_unit_test_setup(the_end_of_the_round_switches_and_leaves_the_old_table, fresh),
        cmocka_unit_test_setup(the_end_of_the_round_does_not_switch_while_a_task_runs, fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
