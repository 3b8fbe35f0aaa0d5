/* SPDX-License-Identifier: Apache-2.0
 *
 * The ends of slices (kernel/time/wait.c) with dispatch by software: whether the thread that runs gives way, and where
 * that is remembered until it does. */
#include "services/services.h"

#include "kernel/levels/served.h"

static bool is_on_stack;

bool carillon_port_is_on(const uint64_t *stack, uint32_t words, const struct carillon_context *context)
{
    assert_ptr_equal(context, &services_extended[carillon_osek_running].context);
    assert_ptr_equal(stack, carillon_osek_tasks[carillon_osek_running].stack);
    assert_int_equal(words, carillon_osek_tasks[carillon_osek_running].stack_words);
    return is_on_stack;
}

#if CARILLON_OSEK_SERVERS > 0
volatile uint8_t carillon_server_rests[CARILLON_OSEK_TASK_LEVELS + 1u];
void carillon_server_over(uint8_t server)
{
    (void)server;
}

void carillon_server_again(uint8_t server)
{
    (void)server;
}
#endif

/* The first thread runs on its own stack, where nothing is masked; and the second waits for its turn. */
static int reset(void **state)
{
    (void)services_reset(state);
    services_run(FIRST);
    carillon_software = (struct carillon_software){.level = THREADS_LEVEL};
    carillon_slices_over = 0u;
    is_on_stack = true;
    carillon_slices_wanted();
    services.wanted = 0u;
    carillon_osek_queue_up(&carillon_osek_levels[THREADS_LEVEL], SECOND);
    return 0;
}

/* A thread that gives way is behind the others of its level, and nothing that comes meanwhile lets it do so twice. */
static void is_behind(void)
{
    assert_int_equal(services_extended[FIRST].waited, CARILLON_OSEK_TURN);
    assert_int_equal(services_ring_tasks[services_ring.count - 1u], FIRST);
    assert_true(services_was_requested(THREADS_SOURCE));
    assert_int_equal(services_ring.held, 1u);
    carillon_slice_ends();
    carillon_slice_ends_here();
    assert_int_equal(services.waits, 1u);
}

static void assert_gave_way(bool gave)
{
    assert_int_equal(services.waits, gave ? 1u : 0u);
    assert_int_equal(services_ring.count, gave ? 2u : 1u);
    assert_int_equal(services_extended[FIRST].waited, 0u);
    assert_int_equal(services_ring.held, gave ? 1u : 0u);
    assert_int_equal(carillon_software.locked, 0u);
    assert_int_equal(port.mask, 0u);
}

static void slice_over(void)
{
    services.meanwhile = is_behind;
    carillon_slice_over(NULL);
    assert_true(services_was_requested(CARILLON_OSEK_DISPATCHER));
}

static void the_beat_ends_slices_where_threads_wait(void **state)
{
    (void)state;
    slice_over();
    assert_int_equal(services_ring.over, 1u);
    assert_int_equal(carillon_slices_over, 1u);
    assert_int_equal(services.rested, 0u);
}

#if EVERY_LEVEL_TAKES_TURNS
/* On whatever level that is; and it is remembered until there is none. */
static void the_beat_ends_slices_of_each_level(void **state)
{
    (void)state;
    struct carillon_osek_ring *const rings[] = {&services_basic_ring, &services_ring, &services_other_ring};
    services_ring.count = 0u;
    for (uint32_t k = 0u; k < 3u; k++) {
        rings[k]->count = 1u;
        slice_over();
        for (uint32_t other = 0u; other < 3u; other++) {
            assert_int_equal(rings[other]->over, (other == k) ? 1u : 0u);
        }
        services_run(BASIC);
        carillon_software.level = ALONE_LEVEL; /* the kernel runs above it */
        carillon_slice_ends();
        assert_int_equal(carillon_slices_over, 1u);
        rings[k]->count = 0u;
        rings[k]->over = 0u;
        carillon_slice_ends();
        assert_int_equal(carillon_slices_over, 0u);
    }
    assert_int_equal(services.rested, 0u);
}

/* A thread of a level that is odd gives way as one of an even one does. */
static void a_thread_of_the_highest_level_gives_way(void **state)
{
    (void)state;
    services_run(ALONE);
    carillon_software.level = ALONE_LEVEL;
    services_other_ring.count = 1u;
    slice_over();
    services.meanwhile = NULL;
    carillon_slice_ends_here();
    assert_int_equal(services.waits, 1u);
    assert_int_equal(services_other_ring.count, 2u);
}
#endif

/* It rests where nobody waits, until somebody does. */
static void the_beat_rests_where_nobody_waits(void **state)
{
    (void)state;
    services_ring.count = 0u;
    slice_over();
    assert_int_equal(services_ring.over, 0u);
    assert_int_equal(carillon_slices_over, 0u);
    assert_int_equal(services.rested, 1u);
    carillon_slices_wanted();
    assert_int_equal(services.wanted, 1u);
    carillon_slices_wanted();
    assert_int_equal(services.wanted, 1u);
}

static void where_all_has_returned_the_thread_gives_way(void **state)
{
    (void)state;
    slice_over();
    carillon_slice_ends();
    assert_log("preempted ");
    assert_gave_way(true);
}

static void where_it_unlocks_the_thread_gives_way(void **state)
{
    (void)state;
    slice_over();
    carillon_slice_ends_here();
    assert_log("");
    assert_gave_way(true);
}

/* It does not give way here; it does so where `then` does not hold any more. */
static void check_later(void)
{
    carillon_slice_ends();
    carillon_slice_ends_here();
    assert_log("");
    assert_int_equal(services.waits, 0u);
    assert_int_equal(services_ring.over, 1u);
    assert_int_equal(carillon_slices_over, 1u);
    assert_int_equal(port.mask, 0u);
}

static void what_preempts_a_thread_does_not_give_way(void **state)
{
    (void)state;
    slice_over();
    carillon_osek_running = INVALID_TASK;
    check_later();
    services_run(ALONE);
    carillon_software.level = ALONE_LEVEL;
    check_later();
    services_run(BASIC); /* what has been preempted below */
    carillon_software.level = BASIC_LEVEL;
    check_later();
    services_run(FIRST);
    carillon_software.level = ALONE_LEVEL; /* it holds a resource, or the kernel runs above it */
    check_later();
    carillon_software.level = THREADS_LEVEL;
    is_on_stack = false; /* the level's handler */
    check_later();
    is_on_stack = true;
    carillon_slice_ends();
    assert_gave_way(true);
}

/* Nor does it where it is masked or locked, or where a handler unlocks. */
static void where_something_is_masked_it_gives_way_later(void **state)
{
    (void)state;
    slice_over();
    carillon_software.locked = 1u;
    carillon_slice_ends_here();
    assert_int_equal(services.waits, 0u);
    carillon_software.locked = 0u;
    port.mask = carillon_port_mask_of(1u);
    carillon_slice_ends_here();
    assert_int_equal(services.waits, 0u);
    port.mask = 0u;
    port.current = ISR2_SOURCE;
    carillon_slice_ends_here();
    assert_int_equal(services.waits, 0u);
    port.current = 0u;
    assert_int_equal(port.needless, 0u);
    carillon_slice_ends_here();
    assert_gave_way(true);
}

/* While it looks, no handler makes the thread give way. */
static void it_looks_where_nothing_else_does(void **state)
{
    (void)state;
    carillon_slice_ends_here();
    assert_gave_way(false);
    assert_int_equal(port.needless, 0u);
    assert_int_equal(carillon_slices_over, 0u);
}

/* What was remembered of another thread's slice is nobody's. */
static void a_turn_that_begins_forgets(void **state)
{
    (void)state;
    slice_over();
    services_ring.over = 0u; /* as carillon_osek_run does */
    carillon_slice_ends();
    assert_gave_way(false);
    assert_int_equal(carillon_slices_over, 0u);
}

/* A thread that holds resources of its level gives way when it releases the last one. */
static void a_thread_that_holds_gives_way_when_it_releases(void **state)
{
    (void)state;
    carillon_slice_hold(THREADS_LEVEL);
    carillon_slice_hold(THREADS_LEVEL);
    slice_over();
    check_later();
    carillon_slice_let_go(THREADS_LEVEL);
    assert_int_equal(services.waits, 0u);
    assert_int_equal(services_ring.held, 1u);
    carillon_slice_let_go(THREADS_LEVEL);
    assert_gave_way(true);
    services_ring.held = 0u;
    carillon_slice_hold(THREADS_LEVEL);
    services_ring.over = 0u;
    carillon_slice_let_go(THREADS_LEVEL);
    assert_int_equal(services.waits, 1u);
    assert_int_equal(services_ring.held, 0u);
}

#if CARILLON_OSEK_SERVERS > 0
/* A server's budget is used up: a thread gives way, even if it is alone. */
static void a_server_ends_a_slice(void **state)
{
    (void)state;
    carillon_slice_ends_at(THREADS_LEVEL);
    assert_int_equal(services_ring.over, 1u);
    assert_int_equal(carillon_slices_over, 1u);
    assert_true(services_was_requested(CARILLON_OSEK_DISPATCHER));
    services.meanwhile = is_behind;
    carillon_slice_ends();
    assert_gave_way(true);
}
#endif

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_beat_ends_slices_where_threads_wait),
#if EVERY_LEVEL_TAKES_TURNS
        TEST(the_beat_ends_slices_of_each_level),
        TEST(a_thread_of_the_highest_level_gives_way),
#endif
        TEST(the_beat_rests_where_nobody_waits),
        TEST(where_all_has_returned_the_thread_gives_way),
        TEST(where_it_unlocks_the_thread_gives_way),
        TEST(what_preempts_a_thread_does_not_give_way),
        TEST(where_something_is_masked_it_gives_way_later),
        TEST(it_looks_where_nothing_else_does),
        TEST(a_turn_that_begins_forgets),
        TEST(a_thread_that_holds_gives_way_when_it_releases),
#if CARILLON_OSEK_SERVERS > 0
        TEST(a_server_ends_a_slice),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
