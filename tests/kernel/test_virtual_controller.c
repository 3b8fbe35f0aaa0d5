/* SPDX-License-Identifier: Apache-2.0
 *
 * The virtual controller: levels, nesting, requests, masking, lowering. */
#include "machine.h"

static void plain0(void)
{
    note("0");
}

static void plain1(void)
{
    note("1");
}

static void plain2(void)
{
    note("2");
}

static void plain3(void)
{
    note("3");
}

static const carillon_vector plain[] = {plain0, plain1, plain2, plain3};

static void requests_1(void)
{
    note("0(");
    carillon_port_pend(1u);
    note(")0");
}

static void a_higher_level(void)
{
    static const carillon_vector handlers[] = {requests_1, plain1};
    machine_handlers(handlers, (const uint8_t[]){1u, 2u}, 2u);
    carillon_port_pend(0u);
}

static void a_higher_level_preempts_a_lower_one(void **state)
{
    (void)state;
    (void)machine_run(a_higher_level, "1");
    assert_log("0( 1 )0 ");
}

static void an_equal_level(void)
{
    static const carillon_vector handlers[] = {requests_1, plain1};
    machine_handlers(handlers, (const uint8_t[]){2u, 2u}, 2u);
    carillon_port_pend(0u);
}

static void an_equal_level_waits_until_the_handler_has_ended(void **state)
{
    (void)state;
    (void)machine_run(an_equal_level, "1");
    assert_log("0( )0 1 ");
}

static void three_at_once(const uint8_t *levels)
{
    machine_handlers(plain, levels, 4u);
    const uint32_t saved = carillon_port_lock();
    carillon_port_pend(3u);
    carillon_port_pend(1u);
    carillon_port_pend(2u);
    note("unlock");
    carillon_port_unlock(saved);
}

static void three_of_one_level(void)
{
    three_at_once((const uint8_t[]){1u, 1u, 1u, 1u});
}

static void equal_levels_are_served_in_the_order_of_their_sources(void **state)
{
    (void)state;
    (void)machine_run(three_of_one_level, "1");
    assert_log("unlock 1 2 3 ");
}

static void three_levels(void)
{
    three_at_once((const uint8_t[]){1u, 2u, 4u, 3u});
}

static void the_highest_level_is_served_first(void **state)
{
    (void)state;
    (void)machine_run(three_levels, "1");
    assert_log("unlock 2 3 1 ");
}

static void nested_locks(void)
{
    machine_handlers(plain, (const uint8_t[]){1u}, 1u);
    const uint32_t outer = carillon_port_lock();
    const uint32_t inner = carillon_port_lock();
    carillon_port_pend(0u);
    carillon_port_unlock(inner);
    note("still-locked");
    carillon_port_unlock(outer);
}

static void an_inner_unlock_keeps_the_outer_lock(void **state)
{
    (void)state;
    (void)machine_run(nested_locks, "1");
    assert_log("still-locked 0 ");
}

static void disabled_then_enabled(void)
{
    machine_handlers(plain, (const uint8_t[]){1u}, 1u);
    carillon_port_disarm(0u, CARILLON_SOURCE_BIT(0u));
    carillon_port_pend(0u);
    note("enable");
    carillon_port_enable(0u, CARILLON_SOURCE_BIT(0u));
    note("done");
}

static void a_disabled_source_keeps_its_request_and_is_served_when_it_is_enabled(void **state)
{
    (void)state;
    (void)machine_run(disabled_then_enabled, "1");
    assert_log("enable 0 done ");
}

static void unpended(void)
{
    const struct carillon_store unpend = CARILLON_STORE_UNPEND(0u, CARILLON_SOURCE_BIT(0u));
    machine_handlers(plain, (const uint8_t[]){1u}, 1u);
    carillon_port_disarm(0u, CARILLON_SOURCE_BIT(0u));
    carillon_port_pend(0u);
    carillon_port_write(unpend.address, unpend.value);
    carillon_port_enable(0u, CARILLON_SOURCE_BIT(0u));
    note("done");
}

static void unpending_takes_the_request_back(void **state)
{
    (void)state;
    (void)machine_run(unpended, "1");
    assert_log("done ");
}

static void armed(void)
{
    machine_handlers(plain, (const uint8_t[]){1u}, 1u);
    carillon_port_disarm(0u, CARILLON_SOURCE_BIT(0u));
    carillon_port_pend(0u);
    carillon_port_arm(0u, CARILLON_SOURCE_BIT(0u));
    note("armed");
    carillon_port_pend(0u);
}

static void arming_forgets_a_stale_request_and_serves_a_new_one(void **state)
{
    (void)state;
    (void)machine_run(armed, "1");
    assert_log("armed 0 ");
}

static void beyond_32(void)
{
    static const carillon_vector handlers[41] = {[33] = plain1, [40] = plain0};
    carillon_port_set_vectors((const void *)handlers);
    carillon_port_set_level(33u, 1u);
    carillon_port_set_level(40u, 1u);
    carillon_port_arm(40u, CARILLON_SOURCE_BIT(40u));
    carillon_port_pend(40u);
    carillon_port_pend(33u);
}

static void a_source_beyond_the_first_register_is_armed_alone(void **state)
{
    (void)state;
    (void)machine_run(beyond_32, "1");
    assert_log("0 ");
}

static void requests_itself_once(void)
{
    static uint32_t calls;
    note("(");
    if (calls++ == 0u) {
        carillon_port_pend(0u);
    }
    note(")");
}

static void again(void)
{
    static const carillon_vector handlers[] = {requests_itself_once};
    machine_handlers(handlers, (const uint8_t[]){1u}, 1u);
    carillon_port_pend(0u);
}

static void a_request_of_a_running_source_is_served_after_it(void **state)
{
    (void)state;
    (void)machine_run(again, "1");
    assert_log("( ) ( ) ");
}

static void asks_whether_active(void)
{
    note(carillon_port_is_active(0u) ? "active" : "idle");
}

static void activity(void)
{
    static const carillon_vector handlers[] = {asks_whether_active};
    machine_handlers(handlers, (const uint8_t[]){1u}, 1u);
    asks_whether_active();
    carillon_port_pend(0u);
    asks_whether_active();
}

static void a_source_is_active_while_its_handler_runs(void **state)
{
    (void)state;
    (void)machine_run(activity, "1");
    assert_log("idle active idle ");
}

/* Lowering: source 2, at level 3, runs a task at the level of what it preempted. */
static void task_requests_all(void)
{
    note("task(");
    carillon_port_pend(0u);
    carillon_port_pend(1u);
    carillon_port_pend(3u);
    note(")task");
}

static void lowers(void)
{
    note("2(");
    carillon_port_run_lowered(task_requests_all);
    note(")2");
}

static void task_requests_its_own_source(void)
{
    static uint32_t depth;
    note("task(");
    if (depth++ == 0u) {
        carillon_port_pend(2u);
    }
    note(")task");
}

static void lowers_into_itself(void)
{
    carillon_port_run_lowered(task_requests_its_own_source);
}

static void lowered_from_idle(void)
{
    static const carillon_vector handlers[] = {plain0, plain1, lowers, plain3};
    machine_handlers(handlers, (const uint8_t[]){1u, 2u, 3u, 4u}, 4u);
    carillon_port_pend(2u);
}

static void a_task_lowered_to_idle_is_preempted_by_every_level(void **state)
{
    (void)state;
    (void)machine_run(lowered_from_idle, "1");
    assert_log("2( task( 0 1 3 )task )2 ");
}

static void preempted_by_2_once(void)
{
    static uint32_t calls;
    note("1(");
    if (calls++ == 0u) {
        carillon_port_pend(2u);
    }
    note(")1");
}

static void lowered_from_1(void)
{
    static const carillon_vector handlers[] = {plain0, preempted_by_2_once, lowers, plain3};
    machine_handlers(handlers, (const uint8_t[]){1u, 2u, 3u, 4u}, 4u);
    carillon_port_pend(1u);
}

static void a_lowered_task_is_not_preempted_by_the_levels_up_to_what_it_preempted(void **state)
{
    (void)state;
    (void)machine_run(lowered_from_1, "1");
    assert_log("1( 2( task( 3 )task )2 )1 1( )1 0 ");
}

static void lowered_into_itself(void)
{
    static const carillon_vector handlers[] = {plain0, plain1, lowers_into_itself};
    machine_handlers(handlers, (const uint8_t[]){1u, 1u, 1u}, 3u);
    carillon_port_pend(2u);
}

static void a_lowered_task_is_preempted_by_a_later_activation_at_its_own_source(void **state)
{
    (void)state;
    (void)machine_run(lowered_into_itself, "1");
    assert_log("task( task( )task )task ");
}

static void quick_task(void)
{
    note("task");
}

static void requests_1_after_its_task(void)
{
    carillon_port_run_lowered(quick_task);
    note("raised(");
    carillon_port_pend(1u);
    note(")raised");
}

static void after_lowering(void)
{
    static const carillon_vector handlers[] = {requests_1_after_its_task, plain1};
    machine_handlers(handlers, (const uint8_t[]){2u, 1u}, 2u);
    carillon_port_pend(0u);
}

static void a_handler_has_its_level_back_after_its_lowered_task(void **state)
{
    (void)state;
    (void)machine_run(after_lowering, "1");
    assert_log("task raised( )raised 1 ");
}

static void unexpected(void)
{
    carillon_port_unexpected();
}

static void an_interrupt_that_nobody_uses_ends_the_run_as_an_error(void **state)
{
    (void)state;
    assert_int_equal(machine_run(unexpected, "1"), 5);
}

static void halted(void)
{
    note("halt");
    carillon_port_halt();
}

static void halting_ends_the_run(void **state)
{
    (void)state;
    assert_int_equal(machine_run(halted, "1"), 0);
    assert_log("halt ");
}

static void an_unknown_option_is_refused(void **state)
{
    (void)state;
    char name[] = "test", option[] = "--no-such-option";
    char *argv[] = {name, option, NULL};
    assert_int_equal(machine_main(2, argv, halted), 2);
    assert_log("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_higher_level_preempts_a_lower_one),
        cmocka_unit_test(an_equal_level_waits_until_the_handler_has_ended),
        cmocka_unit_test(equal_levels_are_served_in_the_order_of_their_sources),
        cmocka_unit_test(the_highest_level_is_served_first),
        cmocka_unit_test(an_inner_unlock_keeps_the_outer_lock),
        cmocka_unit_test(a_disabled_source_keeps_its_request_and_is_served_when_it_is_enabled),
        cmocka_unit_test(unpending_takes_the_request_back),
        cmocka_unit_test(arming_forgets_a_stale_request_and_serves_a_new_one),
        cmocka_unit_test(a_source_beyond_the_first_register_is_armed_alone),
        cmocka_unit_test(a_request_of_a_running_source_is_served_after_it),
        cmocka_unit_test(a_source_is_active_while_its_handler_runs),
        cmocka_unit_test(a_task_lowered_to_idle_is_preempted_by_every_level),
        cmocka_unit_test(a_lowered_task_is_not_preempted_by_the_levels_up_to_what_it_preempted),
        cmocka_unit_test(a_lowered_task_is_preempted_by_a_later_activation_at_its_own_source),
        cmocka_unit_test(a_handler_has_its_level_back_after_its_lowered_task),
        cmocka_unit_test(an_interrupt_that_nobody_uses_ends_the_run_as_an_error),
        cmocka_unit_test(halting_ends_the_run),
        cmocka_unit_test(an_unknown_option_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
