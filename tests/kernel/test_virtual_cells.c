/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells of the virtual controller: expiries, counters, clocks, and multiplexed cells, late ones included. */
#include "machine.h"

#include "cells/virtual/clock.h"

#include <stdio.h>

static void at0(void)
{
    note_time("0");
}

static void at1(void)
{
    note_time("1");
}

static const carillon_vector handlers[] = {at0, at1, at0, at0, at0, at0};
static const uint8_t levels[] = {1u, 1u, 1u, 1u, 1u, 1u};

static void prepare(void)
{
    machine_handlers(handlers, levels, 6u);
}

static void idle_for_ever(void)
{
    for (;;) {
        carillon_port_idle();
    }
}

static uint32_t counter(uint32_t cell)
{
    return carillon_port_read(VIRTUAL_COUNTER(cell));
}

static void periodic(void)
{
    prepare();
    machine_cell(0u, 100u, 1u);
    machine_start();
    idle_for_ever();
}

static void a_cell_expires_after_every_period(void **state)
{
    (void)state;
    (void)machine_run(periodic, "350");
    assert_log("0@100 0@200 0@300 ");
}

static void the_run_ends_at_its_limit_before_what_happens_there(void **state)
{
    (void)state;
    assert_int_equal(machine_run(periodic, "200"), RAN_TO_THE_END);
    assert_log("0@100 ");
}

static void late_start(void)
{
    prepare();
    carillon_port_spend(70u);
    periodic();
}

static void the_limit_counts_from_the_first_start(void **state)
{
    (void)state;
    (void)machine_run(late_start, "201");
    assert_log("0@170 0@270 ");
}

static void two_cells(void)
{
    prepare();
    machine_cell(1u, 100u, 1u);
    machine_cell(0u, 100u, 1u);
    machine_start();
    idle_for_ever();
}

static void one_store_starts_every_prepared_cell(void **state)
{
    (void)state;
    (void)machine_run(two_cells, "150");
    assert_log("0@100 1@100 ");
}

static void expiries_at_the_same_tick_are_recorded_in_the_order_of_their_cells(void **state)
{
    char name[] = "test", ticks[] = "--ticks", limit[] = "150", trace[] = "--trace", file[] = "virtual_cells.trace";
    char *argv[] = {name, ticks, limit, trace, file, NULL};
    struct {
        uint64_t time;
        uint32_t kind, value;
    } line;
    uint32_t cells[4] = {99u, 99u, 99u, 99u};
    size_t count = 0;
    (void)state;
    (void)machine_main(5, argv, two_cells);
    FILE *const records = fopen(file, "rb");
    assert_non_null(records);
    while (fread(&line, sizeof line, 1, records) == 1u) {
        if (line.kind == 3u && count < 4u) { /* an expiry */
            assert_int_equal(line.time, 100u);
            cells[count++] = line.value;
        }
    }
    (void)fclose(records);
    (void)remove(file);
    assert_int_equal(count, 2u);
    assert_int_equal(cells[0], 0u);
    assert_int_equal(cells[1], 1u);
}

static void shared_source(void)
{
    prepare();
    machine_cell(4u, 100u, 1u);
    machine_cell(5u, 50u, 1u);
    machine_start();
    idle_for_ever();
}

static void cells_that_share_a_source_and_expire_together_request_it_once(void **state)
{
    (void)state;
    (void)machine_run(shared_source, "160");
    assert_log("0@50 0@100 0@150 ");
}

static void counts_down(void)
{
    prepare();
    machine_cell(0u, 100u, 1u);
    machine_start();
    assert_int_equal(counter(0u), 100u);
    carillon_port_spend(30u);
    assert_int_equal(counter(0u), 70u);
    carillon_port_spend(80u);
    assert_int_equal(counter(0u), 90u);
    note("checked");
}

static void the_counter_of_a_running_cell_reads_what_is_left(void **state)
{
    (void)state;
    (void)machine_run(counts_down, "1000");
    assert_log("0@100 checked ");
}

static void shifts(void)
{
    const struct carillon_shift shift = VIRTUAL_ALIGN(0u, 40u, 100u);
    prepare();
    machine_cell(0u, 100u, 1u);
    machine_start();
    carillon_port_align(&shift, 1u);
    idle_for_ever();
}

static void a_shift_moves_the_next_expiry_and_all_after_it(void **state)
{
    (void)state;
    (void)machine_run(shifts, "250");
    assert_log("0@40 0@140 0@240 ");
}

static void shifts_idle_cell(void)
{
    prepare();
    carillon_port_write(VIRTUAL_COUNTER(0u), 10u);
    machine_cell(1u, 100u, 1u);
    machine_start();
    idle_for_ever();
}

static void a_write_to_the_counter_of_a_cell_that_stands_still_does_nothing(void **state)
{
    (void)state;
    (void)machine_run(shifts_idle_cell, "150");
    assert_log("1@100 ");
}

static void stops(void)
{
    const struct carillon_store stop = VIRTUAL_STOP(0u);
    prepare();
    machine_cell(0u, 100u, 1u);
    machine_cell(1u, 100u, 1u);
    machine_start();
    carillon_port_spend(30u);
    carillon_port_write(stop.address, stop.value);
    assert_int_equal(counter(0u), 0u);
    machine_start();
    idle_for_ever();
}

static void a_stopped_cell_reads_0_and_stays_stopped_at_the_next_start(void **state)
{
    (void)state;
    (void)machine_run(stops, "250");
    assert_log("1@100 1@200 ");
}

static void prescaled(void)
{
    prepare();
    machine_cell(0u, 10u, 8u);
    machine_start();
    carillon_port_spend(20u);
    assert_int_equal(counter(0u), 7u);
    idle_for_ever();
}

static void a_prescaler_stretches_the_period_and_the_counter(void **state)
{
    (void)state;
    (void)machine_run(prescaled, "170");
    assert_log("0@80 0@160 ");
}

static void faster_clock(void)
{
    prepare();
    machine_cell(6u, 400u, 1u);
    machine_start();
    carillon_port_spend(10u);
    assert_int_equal(counter(6u), 360u);
    idle_for_ever();
}

static void a_cell_with_a_faster_clock_counts_more_units_a_tick(void **state)
{
    (void)state;
    (void)machine_run(faster_clock, "250");
    assert_log("0@100 0@200 ");
}

static void works(void)
{
    note_time("work");
    carillon_port_spend(30u);
    note_time("worked");
}

static void preempted_work(void)
{
    static const carillon_vector own[] = {works, at1};
    machine_handlers(own, (const uint8_t[]){1u, 2u}, 2u);
    machine_cell(0u, 100u, 1u);
    machine_cell(1u, 120u, 1u);
    machine_start();
    carillon_port_spend(200u);
    note_time("idle");
}

static void work_that_is_preempted_takes_longer_by_that(void **state)
{
    (void)state;
    (void)machine_run(preempted_work, "1000");
    assert_log("work@100 1@120 worked@130 work@200 worked@230 1@240 idle@260 ");
}

static void nothing_runs(void)
{
    carillon_port_idle();
}

static void waiting_where_no_cell_runs_ends_the_run_as_an_error(void **state)
{
    (void)state;
    assert_int_equal(machine_run(nothing_runs, "1"), 3);
}

static void hands_over(void)
{
    const struct carillon_store start = VIRTUAL_START(0u);
    prepare();
    machine_cell(0u, 100u, 1u);
    machine_start();
    carillon_port_spend(10u);
    machine_cell(1u, 50u, 1u);
    carillon_port_start_at(VIRTUAL_COUNTER(0u), 60u, NULL, 0u, &start, 1u);
    note_time("started");
    idle_for_ever();
}

static void a_start_waits_until_the_counter_reads_its_target(void **state)
{
    (void)state;
    (void)machine_run(hands_over, "95");
    assert_log("started@40 1@90 ");
}

/* A cell multiplexed over the points 100, 250 and 300 of a round of 400. */
#define ROUND 400u
static const struct carillon_step steps[] = {
    {&steps[1], VIRTUAL_INTERVAL(150u, ROUND)}, /* to 250 */
    {&steps[2], VIRTUAL_INTERVAL(50u, ROUND)},  /* to 300 */
    {&steps[0], VIRTUAL_INTERVAL(200u, ROUND)}, /* to 100 */
};
static struct carillon_multiplex multiplex;

static void multiplexed_handler(void)
{
    virtual_rearm(&multiplex);
    note_time("0");
}

static void start_multiplexed(carillon_vector handler)
{
    static carillon_vector own[1];
    const struct carillon_shift align = VIRTUAL_ALIGN(0u, 100u, ROUND);
    own[0] = handler;
    multiplex.next = &steps[0];
    multiplex.reg = VIRTUAL_REARM_REGISTER(0u);
    machine_handlers(own, levels, 1u);
    machine_cell(0u, ROUND, 1u);
    machine_start();
    carillon_port_align(&align, 1u);
}

static void multiplexed(void)
{
    start_multiplexed(multiplexed_handler);
    idle_for_ever();
}

static void a_multiplexed_cell_expires_at_each_of_its_points_round_after_round(void **state)
{
    (void)state;
    (void)machine_run(multiplexed, "1000");
    assert_log("0@100 0@250 0@300 0@500 0@650 0@700 0@900 ");
}

static void masked_for_a_while(uint32_t from, uint32_t to)
{
    start_multiplexed(multiplexed_handler);
    carillon_port_spend(from);
    const uint32_t saved = carillon_port_lock();
    carillon_port_spend(to - from);
    carillon_port_unlock(saved);
    idle_for_ever();
}

static void a_little_late(void)
{
    masked_for_a_while(90u, 130u);
}

static void a_multiplexed_cell_that_is_served_late_keeps_its_next_points(void **state)
{
    (void)state;
    (void)machine_run(a_little_late, "510");
    assert_log("0@130 0@250 0@300 0@500 ");
}

static void very_late(void)
{
    masked_for_a_while(240u, 310u);
}

static void a_point_that_passed_before_the_re_arming_is_skipped_without_drift(void **state)
{
    (void)state;
    (void)machine_run(very_late, "710");
    assert_log("0@100 0@310 0@500 0@650 0@700 ");
}

static void just_at_the_next(void)
{
    masked_for_a_while(240u, 300u);
}

static void a_point_that_is_due_at_the_re_arming_counts_as_passed(void **state)
{
    (void)state;
    (void)machine_run(just_at_the_next, "660");
    assert_log("0@100 0@300 0@500 0@650 ");
}

/* A deadline moved on before it expires: points 100, 250 and 300 again. */
static const struct carillon_step postponements[] = {
    {&postponements[1], VIRTUAL_POSTPONE(150u)},
    {&postponements[2], VIRTUAL_POSTPONE(50u)},
    {&postponements[0], VIRTUAL_POSTPONE(200u)},
};

static void postponed(void)
{
    start_multiplexed(at0);
    multiplex.next = &postponements[0];
    carillon_port_spend(60u);
    virtual_postpone(&multiplex);
    assert_int_equal(counter(0u), 250u - 60u);
    carillon_port_spend(100u);
    virtual_postpone(&multiplex);
    assert_int_equal(counter(0u), 300u - 160u);
    idle_for_ever();
}

static void a_postponed_deadline_expires_at_the_first_point_that_was_not_met(void **state)
{
    (void)state;
    (void)machine_run(postponed, "310");
    assert_log("0@300 ");
}

/* As a one-shot clock whose range is 2^16. */
static void shifted(void)
{
    prepare();
    machine_cell(0u, VIRTUAL_RANGE, 1u);
    machine_start();
    carillon_port_spend(100u);
    assert_int_equal(carillon_device_remaining(), VIRTUAL_RANGE - 100u);
    carillon_device_shift(VIRTUAL_RANGE - 65000u); /* 65000 ticks less, modulo the range */
    assert_int_equal(carillon_device_remaining(), 436u);
    idle_for_ever();
}

static void shifted_to_a_whole_range(void)
{
    prepare();
    machine_cell(0u, VIRTUAL_RANGE, 1u);
    machine_start();
    carillon_port_spend(100u);
    carillon_device_shift(100u);
    assert_int_equal(carillon_device_remaining(), 0u); /* modulo the range */
    idle_for_ever();
}

static void a_one_shot_clock_that_is_shifted_expires_when_nothing_remains(void **state)
{
    (void)state;
    (void)machine_run(shifted, "1000");
    assert_log("0@536 ");
    (void)machine_run(shifted_to_a_whole_range, "65700");
    assert_log("0@65636 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_expires_after_every_period),
        cmocka_unit_test(the_run_ends_at_its_limit_before_what_happens_there),
        cmocka_unit_test(the_limit_counts_from_the_first_start),
        cmocka_unit_test(one_store_starts_every_prepared_cell),
        cmocka_unit_test(expiries_at_the_same_tick_are_recorded_in_the_order_of_their_cells),
        cmocka_unit_test(cells_that_share_a_source_and_expire_together_request_it_once),
        cmocka_unit_test(the_counter_of_a_running_cell_reads_what_is_left),
        cmocka_unit_test(a_shift_moves_the_next_expiry_and_all_after_it),
        cmocka_unit_test(a_write_to_the_counter_of_a_cell_that_stands_still_does_nothing),
        cmocka_unit_test(a_stopped_cell_reads_0_and_stays_stopped_at_the_next_start),
        cmocka_unit_test(a_prescaler_stretches_the_period_and_the_counter),
        cmocka_unit_test(a_cell_with_a_faster_clock_counts_more_units_a_tick),
        cmocka_unit_test(work_that_is_preempted_takes_longer_by_that),
        cmocka_unit_test(waiting_where_no_cell_runs_ends_the_run_as_an_error),
        cmocka_unit_test(a_start_waits_until_the_counter_reads_its_target),
        cmocka_unit_test(a_multiplexed_cell_expires_at_each_of_its_points_round_after_round),
        cmocka_unit_test(a_multiplexed_cell_that_is_served_late_keeps_its_next_points),
        cmocka_unit_test(a_point_that_passed_before_the_re_arming_is_skipped_without_drift),
        cmocka_unit_test(a_point_that_is_due_at_the_re_arming_counts_as_passed),
        cmocka_unit_test(a_postponed_deadline_expires_at_the_first_point_that_was_not_met),
        cmocka_unit_test(a_one_shot_clock_that_is_shifted_expires_when_nothing_remains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
