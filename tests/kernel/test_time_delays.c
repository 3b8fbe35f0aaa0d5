/* SPDX-License-Identifier: Apache-2.0
 *
 * A clock that counts in its queue alone, of an application that has delays and nothing else (kernel/time/due.c). */
#include "services/services.h"

static struct carillon_sleeper sleepers[3];

void carillon_slices_wanted(void)
{
    services.wanted++;
}

static void sleep_for(TaskType task, carillon_time ticks)
{
    struct carillon_sleeper *const sleeper = &sleepers[task - 1u];
    *sleeper = (struct carillon_sleeper){
        .timed.task = task, .task = &carillon_osek_tasks[task], .extended = &services_extended[task]};
    services_extended[task].waited = CARILLON_OSEK_WAKE;
    carillon_time_insert_near(&sleeper->timed, ticks);
}

/* Which tasks wait still: a bit for each. */
static uint32_t waiting(void)
{
    uint32_t bits = 0u;
    for (uint32_t task = FIRST; task < TASKS; task++) {
        bits |= (services_extended[task].waited != 0u) ? (1u << task) : 0u;
    }
    return bits;
}
enum { FIRST_WAITS = 1u << FIRST, SECOND_WAITS = 1u << SECOND, ALONE_WAITS = 1u << ALONE };

/* The owner of the queue has counted these ticks itself. */
static void due_after(carillon_time ticks)
{
    carillon_queue_advance(&carillon_clock_queue, ticks);
    if (carillon_queue_left(&carillon_clock_queue) == 0u) {
        carillon_time_due();
    }
}

static void t_nothing_is_due(void **state)
{
    (void)state;
    carillon_clock_queue.head.time = 0u; /* an empty queue has counted down */
    carillon_time_due();
    assert_int_equal(carillon_queue_left(&carillon_clock_queue), CARILLON_NEVER);
}

/* All that are due go on, and no other. */
static void t_due(void **state)
{
    (void)state;
    sleep_for(FIRST, 5u);
    sleep_for(SECOND, 5u);
    sleep_for(ALONE, 9u);
    due_after(4u);
    assert_int_equal(waiting(), FIRST_WAITS | SECOND_WAITS | ALONE_WAITS);
    due_after(1u);
    assert_int_equal(waiting(), ALONE_WAITS);
    assert_int_equal(services_ring.count, 2u);
    assert_int_equal(services_ring_tasks[0], FIRST);
    assert_int_equal(services_ring_tasks[1], SECOND);
    assert_true(services_was_requested(THREADS_SOURCE));
    assert_false(services_was_requested(ALONE_SOURCE));
    assert_int_equal(carillon_queue_left(&carillon_clock_queue), 4u);
    due_after(4u);
    assert_int_equal(waiting(), 0u);
    assert_true(services_was_requested(ALONE_SOURCE));
}

/* The same by the handler of a tick. */
static void t_ticks(void **state)
{
    (void)state;
    sleep_for(FIRST, 5u);
    sleep_for(ALONE, 5u);
    sleep_for(SECOND, 6u);
    services_pass(4u);
    assert_int_equal(waiting(), FIRST_WAITS | SECOND_WAITS | ALONE_WAITS);
    services_pass(1u);
    assert_int_equal(waiting(), SECOND_WAITS);
    services_pass(1u);
    assert_int_equal(waiting(), 0u);
}

#define TEST(test) cmocka_unit_test_setup(test, services_reset)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(t_nothing_is_due), TEST(t_due), TEST(t_ticks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
