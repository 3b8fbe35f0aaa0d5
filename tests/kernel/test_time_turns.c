/* SPDX-License-Identifier: Apache-2.0
 *
 * The ends of slices (kernel/time/wait.c) with dispatch by hardware: whether the thread that runs gives way.  And a
 * server's budget (kernel/time/server.c), at whose end it does so even if it is alone. */
#include "services/services.h"

#include "kernel/levels/served.h"

enum { BUDGET = 10, PERIOD = 100 };
const struct carillon_server carillon_servers[CARILLON_OSEK_SERVERS] = {
    {.budget = BUDGET, .period = PERIOD, .level = THREADS_LEVEL, .constant = CARILLON_SERVERS_CONSTANT}};
const uint8_t carillon_server_of[CARILLON_OSEK_TASK_LEVELS + 1u] = {[THREADS_LEVEL] = 1u};

static uint64_t frame;

/* The first thread runs, and the interrupt comes that ends its level's slices. */
static int reset(void **state)
{
    (void)services_reset(state);
    services_run(FIRST);
    port.current = SLICE_SOURCE;
    for (uint32_t level = 0u; level <= CARILLON_OSEK_TASK_LEVELS; level++) {
        carillon_server_rests[level] = 0u;
    }
    return 0;
}

/* A thread that gives way is behind the others of its level. */
static void is_behind(void)
{
    assert_int_equal(services_extended[FIRST].waited, CARILLON_OSEK_TURN);
    assert_int_equal(services_ring_tasks[services_ring.count - 1u], FIRST);
    assert_true(services_was_requested(THREADS_SOURCE));
}

static void check_gives_way(void)
{
    services.waits = 0u;
    services.meanwhile = is_behind;
    carillon_slice_over(&frame);
    assert_log("preempted by source ");
    assert_int_equal(services.waits, 1u);
    assert_int_equal(services_extended[FIRST].waited, 0u);
    services_ring.held = 0u; /* its next turn begins */
}

static void check_goes_on(const void *preempted)
{
    const uint32_t count = services_ring.count;
    carillon_slice_over(preempted);
    assert_log("");
    assert_int_equal(services.waits, 0u);
    assert_int_equal(services_ring.count, count);
    assert_int_equal(services_ring.over, 0u);
}

static void a_thread_gives_way_to_one_that_waits(void **state)
{
    (void)state;
    check_goes_on(&frame);
    carillon_osek_queue_up(&carillon_osek_levels[THREADS_LEVEL], SECOND);
    check_gives_way();
    assert_int_equal(services_ring_tasks[0], SECOND);
    assert_int_equal(services_ring.count, 2u);
}

static void a_thread_whose_server_rests_gives_way_to_nobody(void **state)
{
    (void)state;
    carillon_server_rests[THREADS_LEVEL] = 1u;
    check_gives_way();
    assert_int_equal(services_ring.count, 1u);
}

static void where_no_thread_runs_none_gives_way(void **state)
{
    (void)state;
    carillon_osek_queue_up(&carillon_osek_levels[THREADS_LEVEL], SECOND);
    carillon_osek_running = ALONE;
    check_goes_on(&frame);
    carillon_osek_running = INVALID_TASK;
    check_goes_on(&frame);
}

/* A lower level has an interrupt of its own, which the thread has preempted. */
static void the_slice_of_another_level_ends_none(void **state)
{
    (void)state;
    carillon_osek_queue_up(&carillon_osek_levels[THREADS_LEVEL], SECOND);
    port.current = ISR2_SOURCE;
    check_goes_on(&frame);
    port.current = SLICE_SOURCE;
    check_gives_way();
}

/* The thread has ended, or has not begun: the kernel is between two jobs. */
static void where_the_kernel_runs_nobody_gives_way(void **state)
{
    (void)state;
    carillon_osek_queue_up(&carillon_osek_levels[THREADS_LEVEL], SECOND);
    port.mask = carillon_port_mask_of(THREADS_LEVEL);
    check_goes_on(&frame);
    port.mask = carillon_port_mask_of(THREADS_LEVEL - 1u); /* what the thread has preempted masks that */
    check_goes_on(NULL);
    check_gives_way();
}

/* What comes before the thread gives way, or while it holds a resource of its level, is remembered. */
static void a_thread_that_holds_a_resource_gives_way_later(void **state)
{
    (void)state;
    carillon_osek_queue_up(&carillon_osek_levels[THREADS_LEVEL], SECOND);
    services_ring.held = 1u;
    carillon_slice_over(&frame);
    assert_log("");
    assert_int_equal(services.waits, 0u);
    assert_int_equal(services_ring.over, 1u);
}

/* The beat rests where no thread that has its turn keeps another one waiting, and goes on with the first that waits. */
static void the_beat_rests_where_nobody_waits_for_a_turn(void **state)
{
    (void)state;
    carillon_slices_wanted();
    services.wanted = 0u;
    services_ring.count = 1u; /* nobody has the turn yet */
    carillon_slices_look();
    assert_int_equal(services.rested, 1u);
    carillon_slices_wanted();
    carillon_slices_wanted();
    assert_int_equal(services.wanted, 1u);
    services_ring.turn = 1u;
    carillon_slices_look();
    assert_int_equal(services.rested, 1u);
    services_ring.count = 0u;
    carillon_slices_look();
    assert_int_equal(services.rested, 2u);
    assert_unlocked();
}

#if EVERY_LEVEL_TAKES_TURNS
/* On whatever level one waits for its turn, the beat goes on. */
static void the_beat_looks_at_each_level(void **state)
{
    (void)state;
    struct carillon_osek_ring *const rings[] = {&services_basic_ring, &services_ring, &services_other_ring};
    for (uint32_t k = 0u; k < 3u; k++) {
        rings[k]->count = 1u;
        rings[k]->turn = 1u;
        carillon_slices_look();
        assert_int_equal(services.rested, 0u);
        rings[k]->count = 0u;
    }
    carillon_slices_look();
    assert_int_equal(services.rested, 1u);
}
#endif

/* The interrupt of a lower level, which is asked for by that of a higher one if somebody waits there. */
static void the_beat_asks_for_lower_levels(void **state)
{
    (void)state;
    carillon_slice_over_below(THREADS_LEVEL);
    assert_false(services_was_requested(SLICE_SOURCE));
    services_ring.count = 1u;
    carillon_slice_over_below(THREADS_LEVEL);
    assert_true(services_was_requested(SLICE_SOURCE));
    services_ring.count = 0u;
    carillon_slice_ends_at(THREADS_LEVEL); /* a server's budget is used up */
    assert_true(services_was_requested(SLICE_SOURCE));
}

static carillon_duration left_of_server(void)
{
    carillon_duration left = 0u;
    assert_succeeded(carillon_server_left(0u, &left));
    return left;
}

#if CARILLON_SERVERS_CONSTANT
/* A thread that is a guest of a higher level uses its server's budget, though the server has nobody that is ready.  So
 * the budget counts on, and comes back at the deadline, while the guest runs. */
static void a_guest_uses_the_budget_of_a_server_that_is_idle(void **state)
{
    (void)state;
    carillon_server_ends(THREADS_LEVEL, 0u); /* those of the tests before */
    carillon_server_start();
    assert_int_equal(carillon_server_begins(THREADS_LEVEL), 0u);
    services_pass(4u);
    assert_int_equal(left_of_server(), BUDGET - 4u);
    assert_int_equal(carillon_server_begins(ALONE_LEVEL), 1u);
    services_pass(PERIOD - 6u);
    assert_int_equal(left_of_server(), BUDGET - 4u);
    carillon_server_ends(ALONE_LEVEL, 1u);
    services_pass(1u);
    assert_int_equal(left_of_server(), BUDGET - 5u);
    services_pass(1u);
    assert_int_equal(left_of_server(), BUDGET);
    services_pass(3u);
    assert_int_equal(left_of_server(), BUDGET - 3u);
    carillon_server_ends(THREADS_LEVEL, 0u);
    services_pass(PERIOD); /* once nobody runs, the deadline ends it */
    assert_int_equal(left_of_server(), BUDGET);
    services_pass(PERIOD);
    assert_true(carillon_queue_is_empty(&carillon_clock_queue));
}
#else
/* What preempts a server's threads is not charged to it.  Its budget lasts for as long as they run. */
static void a_server_rests_when_its_threads_have_used_up_its_budget(void **state)
{
    (void)state;
    assert_false(carillon_server_admits(THREADS_LEVEL)); /* nobody waits there */
    services_ring.count = 1u;
    carillon_server_start();
    assert_true(carillon_server_admits(THREADS_LEVEL));
    assert_int_equal(carillon_server_begins(THREADS_LEVEL), 0u);
    services_pass(4u);
    assert_int_equal(carillon_server_begins(ALONE_LEVEL), 1u);
    services_pass(16u); /* the event comes that would be the end of the budget */
    assert_int_equal(left_of_server(), BUDGET - 4u);
    carillon_server_ends(ALONE_LEVEL, 1u);
    services_pass(5u);
    assert_int_equal(carillon_server_rests[THREADS_LEVEL], 0u);
    assert_false(services_was_requested(SLICE_SOURCE));
    services_pass(1u);
    assert_int_equal(carillon_server_rests[THREADS_LEVEL], 1u);
    assert_true(services_was_requested(SLICE_SOURCE));
    assert_false(carillon_server_admits(THREADS_LEVEL));
    carillon_server_ends(THREADS_LEVEL, 0u);
    services_pass(PERIOD - services_now - 1u);
    assert_false(services_was_requested(THREADS_SOURCE));
    services_pass(1u); /* a period from the start on, the budget comes back */
    assert_true(services_was_requested(THREADS_SOURCE));
    assert_true(carillon_server_admits(THREADS_LEVEL));
    assert_int_equal(left_of_server(), BUDGET);
}
#endif

/* The levels of servers are the highest of threads; those above them are asked for their server, too. */
static void the_lowest_level_that_is_served_is_the_first(void **state)
{
    (void)state;
    assert_false(carillon_osek_may_be_served(BASIC_LEVEL));
    assert_true(carillon_osek_may_be_served(THREADS_LEVEL));
    assert_true(carillon_osek_may_be_served(ALONE_LEVEL));
}

/* Whether a server admits its threads is asked under the lock, which is left as it was. */
static void a_level_is_admitted_unless_its_server_rests(void **state)
{
    (void)state;
    port.mask = 1u;
    assert_false(carillon_osek_admits(THREADS_LEVEL)); /* nobody is ready */
    services_ring.count = 1u;
    assert_true(carillon_osek_admits(THREADS_LEVEL));
    assert_int_equal(port.mask, 1u);
    assert_int_equal(port.mask_before, 1u); /* it was raised */
    carillon_server_rests[THREADS_LEVEL] = 1u;
    assert_false(carillon_osek_admits(THREADS_LEVEL));
    assert_int_equal(port.mask, 1u);
    services_ring.count = 0u;
    carillon_server_ends(THREADS_LEVEL, 0u);
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_thread_gives_way_to_one_that_waits),
        TEST(a_thread_whose_server_rests_gives_way_to_nobody),
        TEST(the_lowest_level_that_is_served_is_the_first),
        TEST(a_level_is_admitted_unless_its_server_rests),
        TEST(where_no_thread_runs_none_gives_way),
        TEST(the_slice_of_another_level_ends_none),
        TEST(where_the_kernel_runs_nobody_gives_way),
        TEST(a_thread_that_holds_a_resource_gives_way_later),
        TEST(the_beat_rests_where_nobody_waits_for_a_turn),
#if EVERY_LEVEL_TAKES_TURNS
        TEST(the_beat_looks_at_each_level),
#endif
        TEST(the_beat_asks_for_lower_levels),
#if CARILLON_SERVERS_CONSTANT
        TEST(a_guest_uses_the_budget_of_a_server_that_is_idle),
#else
        TEST(a_server_rests_when_its_threads_have_used_up_its_budget),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
