/* SPDX-License-Identifier: Apache-2.0
 *
 * The record of what the scheduler has decided (kernel/microcode/recorder.c). */
#include "levels/port.h"

#include "kernel/microcode/recorder.h"

enum { NOW = 1000 };

static int forget(void **state)
{
    carillon_recorder_forget(NOW);
    return port_reset(state);
}

static void assert_decision(uint32_t place, uint16_t block, uint16_t task, uint32_t order, uint32_t length)
{
    struct carillon_decision found;
    assert_true(carillon_recorder_find(place, &found));
    assert_int_equal(found.block, block);
    assert_int_equal(found.task, task);
    assert_int_equal(found.order, order);
    if (CARILLON_MICROCODE_GENERATES > 0u) { /* else nobody asks for lengths */
        assert_int_equal(carillon_recorder_length(place), length);
    }
}

static void assert_count(uint32_t count)
{
    struct carillon_decision found = {.order = 7u, .block = 8u, .task = 9u};
    for (uint32_t place = count; place <= (count + 2u); place++) {
        assert_false(carillon_recorder_find(place, &found));
    }
    assert_false(carillon_recorder_find(UINT32_MAX, &found));
    assert_int_equal(found.order, 7u);
    assert_int_equal(found.block, 8u);
    assert_int_equal(found.task, 9u);
    if (count > 0u) {
        assert_true(carillon_recorder_find(count - 1u, &found));
    }
}

static void a_record_begins_with_nothing_at_a_time(void **state)
{
    (void)state;
    assert_count(0u);
    assert_int_equal(carillon_recorder_ticks(), 0u);
    assert_int_equal(carillon_recorder_calm(), 0u);
    assert_false(carillon_recorder_is_full());
}

static void each_decision_is_there_once_in_the_order_of_the_first_times(void **state)
{
    (void)state;
    carillon_recorder_decided(5u, 1u, 10u, 20u, NOW);
    carillon_recorder_decided(5u, 0u, 11u, 21u, NOW);
    carillon_recorder_decided(4u, 1u, 12u, 22u, NOW + 1u);
    for (uint32_t k = 0u; k < 2u; k++) { /* as they came, and in another order */
        carillon_recorder_decided(5u, 1u, 10u, 20u, NOW + 2u);
        carillon_recorder_decided(4u, 1u, 12u, 22u, NOW + 3u);
        carillon_recorder_decided(5u, 0u, 11u, 21u, NOW + 4u);
    }
    assert_count(3u);
    assert_decision(0u, 5u, 1u, 10u, 20u);
    assert_decision(1u, 5u, 0u, 11u, 21u);
    assert_decision(2u, 4u, 1u, 12u, 22u);
    assert_int_equal(carillon_recorder_ticks(), 4u);
    assert_int_equal(carillon_recorder_calm(), 3u);
}

static void the_least_order_and_the_least_length_are_kept(void **state)
{
    (void)state;
    static const struct {
        uint32_t order, length, kept_order, kept_length;
        bool is_less, is_shorter;
    } steps[] = {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, true, true},
                 {50u, 60u, 50u, 60u, true, true},
                 {50u, 60u, 50u, 60u, false, false},
                 {51u, 61u, 50u, 60u, false, false},
                 {49u, 61u, 49u, 60u, true, false},
                 {51u, 59u, 49u, 59u, false, true},
                 {49u, 0u, 49u, 0u, false, true},
                 {0u, 1u, 0u, 0u, true, false},
                 {0u, 0u, 0u, 0u, false, false}};
    uint32_t now = NOW;
    uint32_t calm = 0u;
    for (uint32_t k = 0u; k < (sizeof steps / sizeof steps[0]); k++) {
        now += 3u;
        const bool changes = steps[k].is_less || ((CARILLON_MICROCODE_GENERATES > 0u) && steps[k].is_shorter);
        calm = changes ? 0u : (calm + 3u);
        carillon_recorder_decided(5u, 1u, steps[k].order, steps[k].length, now);
        assert_decision(0u, 5u, 1u, steps[k].kept_order, steps[k].kept_length);
        assert_int_equal(carillon_recorder_calm(), calm);
        assert_count(1u);
    }
    assert_int_equal(carillon_recorder_ticks(), now - NOW);
}

static void a_new_decision_has_a_length_of_its_own(void **state)
{
    (void)state;
    carillon_recorder_decided(5u, 1u, 3u, 4u, NOW);
    carillon_recorder_forget(NOW + 10u);
    assert_count(0u);
    carillon_recorder_decided(6u, 0u, 30u, 40u, NOW + 11u);
    assert_decision(0u, 6u, 0u, 30u, 40u);
    assert_int_equal(carillon_recorder_ticks(), 1u);
}

static void what_has_no_room_is_told_and_changes_nothing(void **state)
{
    (void)state;
    for (uint16_t k = 0u; k < CARILLON_MICROCODE_RECORD; k++) {
        assert_false(carillon_recorder_is_full());
        carillon_recorder_decided(k, 1u, 10u, 20u, NOW + k);
    }
    assert_false(carillon_recorder_is_full());
    const uint32_t changed = NOW + CARILLON_MICROCODE_RECORD - 1u;
    carillon_recorder_decided(0u, 1u, 10u, 20u, changed + 5u); /* it has been there */
    assert_false(carillon_recorder_is_full());
    carillon_recorder_decided(99u, 1u, 1u, 2u, changed + 7u);
    assert_true(carillon_recorder_is_full());
    assert_int_equal(carillon_recorder_calm(), 7u);
    carillon_recorder_decided(0u, 1u, 10u, 20u, changed + 8u); /* after one that has no place */
    assert_count(CARILLON_MICROCODE_RECORD);
    for (uint16_t k = 0u; k < CARILLON_MICROCODE_RECORD; k++) {
        assert_decision(k, k, 1u, 10u, 20u);
    }
    carillon_recorder_forget(NOW);
    assert_false(carillon_recorder_is_full());
}

static void a_record_that_is_closed_keeps_what_it_has_until_the_next_program(void **state)
{
    (void)state;
    carillon_recorder_decided(5u, 1u, 10u, 20u, NOW + 1u);
    carillon_recorder_close();
    carillon_recorder_decided(5u, 1u, 1u, 2u, NOW + 2u);
    carillon_recorder_decided(6u, 1u, 1u, 2u, NOW + 2u);
    assert_count(1u);
    assert_decision(0u, 5u, 1u, 10u, 20u);
    assert_int_equal(carillon_recorder_ticks(), 1u);
    carillon_recorder_forget(NOW);
    carillon_recorder_decided(6u, 0u, 3u, 4u, NOW);
    assert_decision(0u, 6u, 0u, 3u, 4u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_record_begins_with_nothing_at_a_time, forget),
        cmocka_unit_test_setup(each_decision_is_there_once_in_the_order_of_the_first_times, forget),
        cmocka_unit_test_setup(the_least_order_and_the_least_length_are_kept, forget),
        cmocka_unit_test_setup(a_new_decision_has_a_length_of_its_own, forget),
        cmocka_unit_test_setup(what_has_no_room_is_told_and_changes_nothing, forget),
        cmocka_unit_test_setup(a_record_that_is_closed_keeps_what_it_has_until_the_next_program, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
