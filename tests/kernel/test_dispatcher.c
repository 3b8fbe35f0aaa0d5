/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel/osektime/table.c: the entries of a tick, or of several. */
#include "kernel/osektime/table.h"
#include "mock/mock.h"
#include "mock/tables.h"

uint8_t carillon_table_tasks[3];

/* What the cell is re-armed for after the last tick that is due. */
static const struct carillon_step after;
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

static void task2(void)
{
    note("task2");
}

static void task2_while_a_deadline_is_checked(void)
{
    static const struct carillon_entry deadline = {
        .step = {&after, 0u}, .action = CARILLON_ACTION_CHECK_DEADLINE, .object = 2u};
    carillon_table_dispatch(&deadline, &after);
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
    static const struct carillon_entry entry = {
        .step = {&after, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task0, .object = 0u};
    (void)state;
    carillon_table_dispatch(&entry, &after);
    assert_log("lowered( task0 ) ");
}

static void all_entries_of_a_tick_are_carried_out_and_no_more(void **state)
{
    static const struct carillon_entry entries[] = {
        {.step = {&after, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task0, .object = 0u, .more = 1u},
        {.step = {&after, 0u}, .action = CARILLON_ACTION_ENABLE_INTERRUPT, .object = 9u, .mask = 0x200u, .more = 0u},
        {.step = {&after, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task1, .object = 1u, .more = 0u},
    };
    (void)state;
    carillon_table_dispatch(entries, &after);
    assert_log("enable(9,200) lowered( task0 ) ");
}

static void a_deadline_of_a_task_that_has_ended_is_met(void **state)
{
    static const struct carillon_entry entries[] = {
        {.step = {&after, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task0, .object = 0u},
        {.step = {&after, 0u}, .action = CARILLON_ACTION_CHECK_DEADLINE, .object = 0u},
    };
    (void)state;
    carillon_table_dispatch(&entries[0], &after);
    carillon_table_dispatch(&entries[1], &after);
    assert_log("lowered( task0 ) ");
}

static void a_deadline_of_a_task_that_has_not_ended_is_missed(void **state)
{
    static const struct carillon_entry entry = {.step = {&after, 0u},
                                                .action = CARILLON_ACTION_ACTIVATE,
                                                .function = task2_while_a_deadline_is_checked,
                                                .object = 2u};
    (void)state;
    carillon_table_dispatch(&entry, &after);
    assert_log("lowered( missed(2) ) ");
}

static void a_running_task_counts_as_lowered(void **state)
{
    static const struct carillon_entry entry = {
        .step = {&after, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task1_counts_lowered_tasks, .object = 1u};
    (void)state;
    carillon_table_dispatch(&entry, &after);
    assert_log("lowered( lowered-tasks=1 ) ");
    assert_int_equal(carillon_lowered_tasks, 0u);
}

/* The end of the round, with an entry of the same tick behind it. */
static const struct carillon_entry round_end[] = {
    {.step = {&after, 0u}, .action = CARILLON_ACTION_SWITCH_MODE, .more = 1u},
    {.step = {&after, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task0, .object = 0u},
};

static void the_end_of_the_round_goes_on_where_no_switch_is_wanted(void **state)
{
    (void)state;
    carillon_table_dispatch(round_end, &after);
    assert_log("lowered( task0 ) ");
}

static void the_end_of_the_round_switches_and_leaves_the_old_table(void **state)
{
    (void)state;
    carillon_next_mode = 1u;
    carillon_table_dispatch(round_end, &after);
    assert_log("control ");
}

static void the_end_of_the_round_does_not_switch_while_a_task_runs(void **state)
{
    (void)state;
    carillon_next_mode = 1u;
    carillon_lowered_tasks = 1u;
    carillon_table_dispatch(round_end, &after);
    assert_log("lowered( task0 ) ");
}

/* Two ticks that one handler comes for, and one after them. */
static const struct carillon_entry ticks[] = {
    {.step = {&ticks[2].step, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task0, .object = 0u, .more = 1u},
    {.step = {&ticks[2].step, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task1, .object = 1u},
    {.step = {&ticks[4].step, 0u}, .action = CARILLON_ACTION_CHECK_DEADLINE, .object = 1u, .more = 1u},
    {.step = {&ticks[4].step, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task2, .object = 2u},
    {.step = {&ticks[0].step, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task0, .object = 0u},
};

static void a_handler_that_is_late_runs_the_tasks_of_the_later_tick_first(void **state)
{
    (void)state;
    carillon_table_dispatch(&ticks[0], &ticks[4].step);
    assert_log("missed(1) lowered( task2 ) lowered( task0 ) lowered( task1 ) ");
}

static void each_of_three_ticks_is_found(void **state)
{
    static const struct carillon_entry late[] = {
        {.step = {&late[1].step, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task0, .object = 0u},
        {.step = {&late[2].step, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task1, .object = 1u},
        {.step = {&after, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task2, .object = 2u},
    };
    (void)state;
    carillon_table_dispatch(late, &after);
    assert_log("lowered( task2 ) lowered( task1 ) lowered( task0 ) ");
}

static void a_deadline_finds_a_task_that_was_due_before_it_and_has_not_begun(void **state)
{
    (void)state;
    carillon_table_dispatch(&ticks[0], &ticks[2].step); /* in time, so that task 1 has ended */
    carillon_table_dispatch(&ticks[2], &ticks[4].step);
    assert_log("lowered( task0 ) lowered( task1 ) lowered( task2 ) ");
}

static void a_handler_that_comes_for_nothing_does_nothing(void **state)
{
    (void)state;
    carillon_table_dispatch(&ticks[2], &ticks[2].step);
    assert_log("");
}

static void a_table_of_one_tick_is_carried_out_every_time(void **state)
{
    static const struct carillon_entry only = {
        .step = {&only.step, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task0, .object = 0u};
    (void)state;
    carillon_table_dispatch(&only, &only.step);
    carillon_table_dispatch(&only, &only.step);
    assert_log("lowered( task0 ) lowered( task0 ) ");
}

static void so_is_one_with_several_entries(void **state)
{
    static const struct carillon_entry both[] = {
        {.step = {&both[0].step, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task0, .object = 0u, .more = 1u},
        {.step = {&both[0].step, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task1, .object = 1u},
    };
    (void)state;
    carillon_table_dispatch(both, &both[0].step);
    assert_log("lowered( task0 ) lowered( task1 ) ");
}

static void two_activations_that_one_handler_comes_for_run_a_task_once(void **state)
{
    static const struct carillon_entry twice[] = {
        {.step = {&twice[2].step, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task0, .object = 0u, .more = 1u},
        {.step = {&twice[2].step, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task1, .object = 1u},
        {.step = {&after, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task0, .object = 0u},
    };
    (void)state;
    carillon_table_dispatch(twice, &after);
    assert_log("lowered( task0 ) lowered( task1 ) ");
    assert_int_equal(carillon_lowered_tasks, 0u);
}

static unsigned nested;
static void task0_activated_twice_while_it_runs(void);
static const struct carillon_entry again = {.step = {&after, 0u},
                                            .action = CARILLON_ACTION_ACTIVATE,
                                            .function = task0_activated_twice_while_it_runs,
                                            .object = 0u};

static void task0_activated_twice_while_it_runs(void)
{
    note("task0");
    if (nested++ == 0u) {
        carillon_table_dispatch(&again, &after);
        carillon_table_dispatch(&again, &after);
    }
}

static unsigned turns;
static void task0_activated_with_another_one_while_it_runs(void);
static const struct carillon_entry with_another[] = {
    {.step = {&after, 0u},
     .action = CARILLON_ACTION_ACTIVATE,
     .function = task0_activated_with_another_one_while_it_runs,
     .object = 0u,
     .more = 1u},
    {.step = {&after, 0u}, .action = CARILLON_ACTION_ACTIVATE, .function = task1, .object = 1u},
};

static void task0_activated_with_another_one_while_it_runs(void)
{
    note("task0");
    if (turns++ == 0u) {
        carillon_table_dispatch(with_another, &after);
    }
}

static void so_does_one_that_is_activated_with_others(void **state)
{
    (void)state;
    turns = 0u;
    carillon_table_dispatch(with_another, &after);
    assert_log("lowered( task0 lowered( task1 ) ) lowered( task0 ) ");
}

static void a_task_that_is_activated_while_it_runs_runs_again_once(void **state)
{
    (void)state;
    nested = 0u;
    carillon_table_dispatch(&again, &after);
    assert_log("lowered( task0 ) lowered( task0 ) ");
    assert_int_equal(carillon_lowered_tasks, 0u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_handler_that_is_late_runs_the_tasks_of_the_later_tick_first, fresh),
        cmocka_unit_test_setup(each_of_three_ticks_is_found, fresh),
        cmocka_unit_test_setup(a_deadline_finds_a_task_that_was_due_before_it_and_has_not_begun, fresh),
        cmocka_unit_test_setup(a_handler_that_comes_for_nothing_does_nothing, fresh),
        cmocka_unit_test_setup(a_table_of_one_tick_is_carried_out_every_time, fresh),
        cmocka_unit_test_setup(so_is_one_with_several_entries, fresh),
        cmocka_unit_test_setup(two_activations_that_one_handler_comes_for_run_a_task_once, fresh),
        cmocka_unit_test_setup(a_task_that_is_activated_while_it_runs_runs_again_once, fresh),
        cmocka_unit_test_setup(so_does_one_that_is_activated_with_others, fresh),
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
