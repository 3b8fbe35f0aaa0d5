/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel/osektime with several application modes and a shutdown at a missed deadline, with what a library asks before
 * the start, a stream of records and synchronisation, which the test is. */
#include "carillon/osektime.h"
#include "kernel/core/kernel.h"
#include "mock/mock.h"
#include "mock/tables.h"

enum { CONTROL = 9 };

void ttStartupHook(void)
{
    note("startup-hook");
}

void ttShutdownHook(ttStatusType error)
{
    note("shutdown-hook(%u)", error);
}

void ttErrorHook(ttStatusType error)
{
    note("error-hook(%u,task%u)", error, carillon_missed_task());
}

/* What a library asks before the start, and what is left to be sent while the idle task runs. */
static bool refused;
bool carillon_start_refused(void)
{
    return refused;
}

static uint32_t to_be_sent;
bool carillon_stream_send(void)
{
    if (to_be_sent == 0u) {
        return false;
    }
    to_be_sent--;
    note("send");
    return true;
}

/* Whether the tasks are held back until the rounds are synchronised. */
static bool held_back;
bool carillon_sync_holds(void)
{
    return held_back;
}

void carillon_sync_begin(uint32_t mode)
{
    note("sync-begin(%u)", mode);
}

void carillon_sync_switch(uint32_t from, uint32_t to)
{
    note("sync-switch(%u,%u)", from, to);
}

static void start_third(void)
{
    ttStartOS(2u);
}

static void start_first(void)
{
    ttStartOS(0u);
}

static void start_second(void)
{
    ttStartOS(1u);
}

static void shut_down(void)
{
    ttShutdownOS(TT_E_OS_ID);
}

static void miss_deadline_of_2(void)
{
    carillon_deadline_missed(2u);
}

static int started_in_the_first_mode(void **state)
{
    (void)mock_reset(state);
    mock_run(start_first, 1u);
    clear_log();
    return 0;
}

static void the_system_starts_after_the_startup_hook_with_interrupts_locked_until_the_round_runs(void **state)
{
    (void)state;
    mock_run(start_first, 2u);
    assert_log("lock startup-hook " FIRST_PREPARED FIRST_RESTART FIRST_START FIRST_ALIGNED
               "sync-begin(0) unlock idle idle ");
}

static void the_system_starts_in_the_mode_that_it_is_given(void **state)
{
    (void)state;
    mock_run(start_second, 1u);
    assert_int_equal(ttGetActiveApplicationMode(), 1u);
}

static void without_a_switch_the_mode_stays(void **state)
{
    (void)state;
    mock_run(start_second, 1u);
    carillon_control();
    assert_int_equal(ttGetActiveApplicationMode(), 1u);
}

static void a_start_in_a_mode_that_does_not_exist_halts(void **state)
{
    (void)state;
    mock_run(start_third, 0u);
    assert_log("lock halt ");
}

static void a_start_that_is_refused_calls_the_shutdown_hook_and_halts(void **state)
{
    (void)state;
    refused = true;
    mock_run(start_first, 0u);
    refused = false;
    assert_log("lock shutdown-hook(9) halt ");
}

static void the_idle_task_sleeps_when_nothing_is_left_to_be_sent(void **state)
{
    (void)state;
    clear_log();
    to_be_sent = 2u;
    mock_run(ttIdleTask, 2u);
    assert_log("send send idle idle ");
}

/* The round is left if a mode is asked for, its control cell has expired, and no task runs. */
static void a_round_is_left_when_the_control_cell_has_expired_in_the_ground_state(void **state)
{
    (void)state;
    mock_set_pending(CONTROL, true);
    assert_false(carillon_leaves(CONTROL));
    (void)ttSwitchAppMode(1u);
    assert_true(carillon_leaves(CONTROL));
    mock_set_pending(CONTROL, false);
    assert_false(carillon_leaves(CONTROL));
    mock_set_pending(CONTROL, true);
    mock_set_active(3u, true);
    assert_false(carillon_leaves(CONTROL));
    mock_set_active(3u, false);
    assert_true(carillon_leaves(CONTROL));
    carillon_control();
    assert_false(carillon_leaves(CONTROL));
}

static void shutting_down_stops_the_active_mode_then_calls_the_hook_then_halts(void **state)
{
    (void)state;
    mock_run(shut_down, 0u);
    assert_log("lock " FIRST_STOPPED "shutdown-hook(3) halt ");
}

static void a_missed_deadline_calls_the_error_hook_and_shuts_the_system_down(void **state)
{
    (void)state;
    mock_run(miss_deadline_of_2, 0u);
    assert_log("error-hook(6,task2) lock " FIRST_STOPPED "shutdown-hook(6) halt ");
}

static void a_mode_that_does_not_exist_is_refused(void **state)
{
    (void)state;
    assert_int_equal(ttSwitchAppMode(2u), TT_E_OS_ID);
    assert_log("");
}

static void a_switch_lets_the_control_cell_interrupt_after_forgetting_what_it_asked_for(void **state)
{
    (void)state;
    assert_int_equal(ttSwitchAppMode(1u), TT_E_OS_OK);
    assert_log("lock " FIRST_CONTROL_ENABLED "unlock ");
}

static void the_mode_stays_until_the_control_cell_expires(void **state)
{
    (void)state;
    (void)ttSwitchAppMode(1u);
    assert_int_equal(ttGetActiveApplicationMode(), 0u);
    carillon_control();
    assert_int_equal(ttGetActiveApplicationMode(), 1u);
}

static void the_control_cell_switches_in_the_ground_state(void **state)
{
    (void)state;
    (void)ttSwitchAppMode(1u);
    clear_log();
    carillon_control();
    assert_log("lock " FIRST_TO_SECOND "sync-switch(0,1) unlock ");
}

static void the_switch_waits_a_round_while_a_task_runs(void **state)
{
    (void)state;
    (void)ttSwitchAppMode(1u);
    clear_log();
    mock_set_active(3u, true);
    carillon_control();
    assert_log("");
    mock_set_active(3u, false);
    carillon_control();
    assert_int_equal(ttGetActiveApplicationMode(), 1u);
}

static void the_switch_waits_while_tasks_are_held_back(void **state)
{
    (void)state;
    (void)ttSwitchAppMode(1u);
    clear_log();
    held_back = true;
    carillon_control();
    held_back = false;
    assert_log("");
    assert_int_equal(ttGetActiveApplicationMode(), 0u);
    carillon_control();
    assert_int_equal(ttGetActiveApplicationMode(), 1u);
}

static void a_later_switch_replaces_an_earlier_one(void **state)
{
    (void)state;
    (void)ttSwitchAppMode(1u);
    (void)ttSwitchAppMode(0u);
    carillon_control();
    assert_int_equal(ttGetActiveApplicationMode(), 0u);
}

static void the_schedule_time_counts_from_the_start_of_the_round(void **state)
{
    /* The cell expires at 30 and reads 30 less the time, modulo the round of 1000. */
    static const struct {
        uint32_t counter, time;
    } readings[] = {{30u, 0u}, {1u, 29u}, {1000u, 30u}, {31u, 999u}};
    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        ttTickType time = 12345u;
        mock_set_counter(readings[i].counter);
        assert_int_equal(ttGetScheduleTime(&time), TT_E_OS_OK);
        assert_int_equal(time, readings[i].time);
    }
}

static void the_schedule_time_is_unknown_where_no_cell_counts_the_round(void **state)
{
    ttTickType time = 12345u;
    (void)state;
    mock_run(start_second, 1u);
    assert_int_equal(ttGetScheduleTime(&time), TT_E_OS_ID);
    assert_int_equal(time, 12345u);
}

static void switch_to_second(void)
{
    assert_int_equal(ttSwitchAppMode(1u), TT_E_OS_OK);
    carillon_control();
}

static void switch_to_second_and_back(void)
{
    switch_to_second();
    assert_int_equal(ttSwitchAppMode(0u), TT_E_OS_OK);
    carillon_control();
    mock_set_counter(1u);
}

static void the_schedule_time_is_that_of_one_mode_even_if_another_begins_while_it_is_read(void **state)
{
    ttTickType time = 12345u;
    (void)state;
    mock_set_counter(20u);
    mock_before_read(switch_to_second);
    assert_int_equal(ttGetScheduleTime(&time), TT_E_OS_ID);
    assert_int_equal(time, 12345u);
}

static void the_schedule_time_is_read_again_if_the_mode_has_changed_and_changed_back(void **state)
{
    ttTickType time = 12345u;
    (void)state;
    mock_before_read(switch_to_second_and_back);
    assert_int_equal(ttGetScheduleTime(&time), TT_E_OS_OK);
    assert_int_equal(time, 29u);
    assert_int_equal(mock_reads(), 2u);
}

static void there_is_no_osek_os_below(void **state)
{
    (void)state;
    assert_int_equal(ttGetOSEKOSState(), ttOSEKOSDOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_system_starts_after_the_startup_hook_with_interrupts_locked_until_the_round_runs,
                               mock_reset),
        cmocka_unit_test_setup(the_system_starts_in_the_mode_that_it_is_given, mock_reset),
        cmocka_unit_test_setup(without_a_switch_the_mode_stays, mock_reset),
        cmocka_unit_test_setup(a_start_in_a_mode_that_does_not_exist_halts, mock_reset),
        cmocka_unit_test_setup(a_start_that_is_refused_calls_the_shutdown_hook_and_halts, mock_reset),
        cmocka_unit_test_setup(the_idle_task_sleeps_when_nothing_is_left_to_be_sent, started_in_the_first_mode),
        cmocka_unit_test_setup(a_round_is_left_when_the_control_cell_has_expired_in_the_ground_state,
                               started_in_the_first_mode),
        cmocka_unit_test_setup(shutting_down_stops_the_active_mode_then_calls_the_hook_then_halts,
                               started_in_the_first_mode),
        cmocka_unit_test_setup(a_missed_deadline_calls_the_error_hook_and_shuts_the_system_down,
                               started_in_the_first_mode),
        cmocka_unit_test_setup(a_mode_that_does_not_exist_is_refused, started_in_the_first_mode),
        cmocka_unit_test_setup(a_switch_lets_the_control_cell_interrupt_after_forgetting_what_it_asked_for,
                               started_in_the_first_mode),
        cmocka_unit_test_setup(the_mode_stays_until_the_control_cell_expires, started_in_the_first_mode),
        cmocka_unit_test_setup(the_control_cell_switches_in_the_ground_state, started_in_the_first_mode),
        cmocka_unit_test_setup(the_switch_waits_a_round_while_a_task_runs, started_in_the_first_mode),
        cmocka_unit_test_setup(the_switch_waits_while_tasks_are_held_back, started_in_the_first_mode),
        cmocka_unit_test_setup(a_later_switch_replaces_an_earlier_one, started_in_the_first_mode),
        cmocka_unit_test_setup(the_schedule_time_counts_from_the_start_of_the_round, started_in_the_first_mode),
        cmocka_unit_test_setup(the_schedule_time_is_unknown_where_no_cell_counts_the_round, mock_reset),
        cmocka_unit_test_setup(the_schedule_time_is_that_of_one_mode_even_if_another_begins_while_it_is_read,
                               started_in_the_first_mode),
        cmocka_unit_test_setup(the_schedule_time_is_read_again_if_the_mode_has_changed_and_changed_back,
                               started_in_the_first_mode),
        cmocka_unit_test_setup(there_is_no_osek_os_below, mock_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
