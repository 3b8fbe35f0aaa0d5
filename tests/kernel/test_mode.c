/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel/core/mode.c: carrying out a mode's lists. */
#include "kernel/core/kernel.h"
#include "mock/mock.h"
#include "mock/tables.h"

uint8_t carillon_mode, carillon_next_mode, carillon_lowered_tasks;

static void a_mode_starts_with_its_lists_in_the_order_of_the_contract(void **state)
{
    (void)state;
    carillon_mode_start(&carillon_modes[0]);
    assert_log(FIRST_PREPARED FIRST_RESTART FIRST_START FIRST_ALIGNED);
}

static void a_multiplexed_cell_begins_at_its_first_step_whenever_its_mode_starts(void **state)
{
    (void)state;
    first_multiplex.next = second_multiplex.next = NULL;
    carillon_mode_start(&carillon_modes[0]);
    assert_ptr_equal(first_multiplex.next, &first_step);
    assert_ptr_equal(second_multiplex.next, &second_step);
    assert_int_equal(first_multiplex.reg, 0x180u);
}

static void a_mode_stops_with_its_stop_list_alone(void **state)
{
    (void)state;
    carillon_mode_stop(&carillon_modes[0]);
    assert_log(FIRST_STOPPED);
}

static void a_switch_starts_the_next_mode_where_the_control_cell_of_the_last_says(void **state)
{
    (void)state;
    carillon_mode_switch(&carillon_modes[0], &carillon_modes[1]);
    assert_log(FIRST_TO_SECOND);
}

static void a_mode_is_idle_if_none_of_its_tasks_is_active(void **state)
{
    (void)state;
    mock_set_active(5u, true); /* a task of the other mode */
    assert_true(carillon_mode_is_idle(&carillon_modes[0]));
}

static void a_mode_is_not_idle_while_its_last_task_is_active(void **state)
{
    (void)state;
    mock_set_active(4u, true);
    assert_false(carillon_mode_is_idle(&carillon_modes[0]));
}

static void a_mode_is_not_idle_while_a_task_waits_unless_it_is_due_then(void **state)
{
    (void)state;
    mock_set_pending(4u, true); /* the second of its tasks, of which only the first must not wait */
    assert_true(carillon_mode_is_idle(&carillon_modes[0]));
    mock_set_pending(3u, true);
    assert_false(carillon_mode_is_idle(&carillon_modes[0]));
}

static void a_mode_is_not_idle_while_a_lowered_task_has_not_ended(void **state)
{
    (void)state;
    carillon_lowered_tasks = 1u;
    assert_false(carillon_mode_is_idle(&carillon_modes[0]));
    carillon_lowered_tasks = 0u;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_mode_starts_with_its_lists_in_the_order_of_the_contract, mock_reset),
        cmocka_unit_test_setup(a_multiplexed_cell_begins_at_its_first_step_whenever_its_mode_starts, mock_reset),
        cmocka_unit_test_setup(a_mode_stops_with_its_stop_list_alone, mock_reset),
        cmocka_unit_test_setup(a_switch_starts_the_next_mode_where_the_control_cell_of_the_last_says, mock_reset),
        cmocka_unit_test_setup(a_mode_is_idle_if_none_of_its_tasks_is_active, mock_reset),
        cmocka_unit_test_setup(a_mode_is_not_idle_while_its_last_task_is_active, mock_reset),
        cmocka_unit_test_setup(a_mode_is_not_idle_while_a_task_waits_unless_it_is_due_then, mock_reset),
        cmocka_unit_test_setup(a_mode_is_not_idle_while_a_lowered_task_has_not_ended, mock_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
