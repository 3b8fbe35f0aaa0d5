/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel/osektime with one application mode, going on after a missed deadline, hooks left to the kernel. */
#include "carillon/osektime.h"
#include "kernel/core/kernel.h"
#include "mock/mock.h"
#include "mock/tables.h"

/* The kernel's own: an application that defines no main. */
int carillon_main(void);

static void call_main(void)
{
    (void)carillon_main();
}

static void shut_down(void)
{
    ttShutdownOS(TT_E_OS_OK);
}

static void an_application_without_main_starts_in_the_start_mode(void **state)
{
    (void)state;
    mock_run(call_main, 1u);
    assert_log("lock " FIRST_PREPARED FIRST_START FIRST_ALIGNED "unlock idle ");
}

static void a_missed_deadline_is_remembered_and_the_system_goes_on(void **state)
{
    (void)state;
    carillon_deadline_missed(7u);
    assert_int_equal(carillon_missed_task(), 7u);
    assert_log("");
}

static void shutting_down_stops_the_mode_and_halts(void **state)
{
    (void)state;
    mock_run(shut_down, 0u);
    assert_log("lock " FIRST_STOPPED "halt ");
}

static void switching_to_the_only_mode_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(ttSwitchAppMode(0u), TT_E_OS_OK);
    assert_log("");
}

static void a_second_mode_is_refused(void **state)
{
    (void)state;
    assert_int_equal(ttSwitchAppMode(1u), TT_E_OS_ID);
}

static void the_only_mode_is_active(void **state)
{
    (void)state;
    assert_int_equal(ttGetActiveApplicationMode(), 0u);
}

static void the_schedule_time_is_that_of_the_only_mode(void **state)
{
    ttTickType time = 12345u;
    (void)state;
    mock_set_counter(1u);
    assert_int_equal(ttGetScheduleTime(&time), TT_E_OS_OK);
    assert_int_equal(time, 29u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_application_without_main_starts_in_the_start_mode, mock_reset),
        cmocka_unit_test_setup(a_missed_deadline_is_remembered_and_the_system_goes_on, mock_reset),
        cmocka_unit_test_setup(shutting_down_stops_the_mode_and_halts, mock_reset),
        cmocka_unit_test_setup(switching_to_the_only_mode_changes_nothing, mock_reset),
        cmocka_unit_test_setup(a_second_mode_is_refused, mock_reset),
        cmocka_unit_test_setup(the_only_mode_is_active, mock_reset),
        cmocka_unit_test_setup(the_schedule_time_is_that_of_the_only_mode, mock_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
