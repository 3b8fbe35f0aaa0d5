/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of locks (kernel/levels/budget.c), counted by a cell with hardware dispatch, and by a clock with dispatch in
 * software. */
#include "carillon_budget.h"
#include "levels/counter.h"

enum { TASK_SOURCE = 16, ISR_SOURCE = 20, SECOND = 1 };
enum { SHORT, LONG, MIDDLE, FREE }; /* locks: both resources, DisableAllInterrupts, SuspendAllInterrupts */

/* The first task has limits, and others have none.  What would be those of no task, and what source 0 is, is not asked
 * for. */
const uint32_t carillon_osek_lock_budgets[(INVALID_TASK + 1u) * CARILLON_OSEK_LOCKS] = {
    50u, 200u, 100u, [INVALID_TASK * CARILLON_OSEK_LOCKS] = 50u};
const uint16_t carillon_osek_contexts[CARILLON_SOURCES] = {
    [0] = CARILLON_OSEK_TASK, [TASK_SOURCE] = CARILLON_OSEK_TASK | 1u, [ISR_SOURCE] = CARILLON_OSEK_ISR2 | 4u};

#define OF(lock) CARILLON_BUDGET_OF_LOCK(lock)
#define JOB CARILLON_BUDGET_OF(0u)

/* A job of the first task runs, which has so many units left; 0: it has no budget. */
static void run_job(uint32_t budget)
{
    port.current = CARILLON_OSEK_SOFTWARE ? 0u : (uint32_t)TASK_SOURCE;
    carillon_osek_running = 0u;
    set_left(7u); /* of former jobs */
    carillon_budget_watch(0u, budget);
}

static int reset(void **state)
{
    (void)port_reset(state);
    for (uint32_t number = 0; number < CARILLON_BUDGET_LIMITS; number++) {
        carillon_budget_limits[number] = (struct carillon_budget_limit){0u, 0u, false};
    }
#if CARILLON_BUDGETS_IN_QUEUE
    carillon_budget_asks = 0u;
#endif
    carillon_osek_hook = 0u;
    run_job(0u);
    return 0;
}

static int reset_with_budget(void **state)
{
    (void)reset(state);
    run_job(120u);
    return 0;
}

/* The nearest limit, and how far it is; nothing of it is masked any more. */
static void assert_first(uint32_t number, uint32_t units)
{
    assert_int_equal(carillon_budget.state, number);
    assert_int_equal(left(), units);
    assert_int_equal(port.mask, 0u);
}

static void assert_unwatched(void)
{
    assert_int_equal(carillon_budget.state, CARILLON_UNWATCHED);
    assert_int_equal(port.mask, 0u);
}

static void assert_late(uint32_t number)
{
    assert_int_equal(carillon_budget.state, number | CARILLON_LATE);
    assert_true(is_asked());
    assert_int_equal(port.mask, 0u);
}

static void a_lock_has_its_limit_until_it_ends(void **state)
{
    (void)state;
    carillon_osek_lock_begins(SHORT);
    assert_first(OF(SHORT), 50u);
    carillon_osek_lock_ends(SHORT);
    assert_unwatched();
    assert_int_equal(left(), 50u); /* nothing is counted */
    carillon_osek_lock_begins(SHORT);
    assert_first(OF(SHORT), 50u);
}

static void a_lock_that_has_ended_behind_another_one_may_begin_again(void **state)
{
    (void)state;
    carillon_osek_lock_begins(LONG);
    carillon_osek_lock_begins(SHORT);
    carillon_osek_lock_ends(LONG);
    carillon_osek_lock_begins(LONG);
    carillon_osek_lock_ends(SHORT);
    assert_int_equal(carillon_budget.state, OF(LONG));
}

static void limits_change_with_all_tasks_held_back(void **state)
{
    (void)state;
    carillon_osek_lock_begins(LONG);
    assert_int_equal(port.mask_at_store, CARILLON_OSEK_TOP);
    port.mask_at_store = 0u;
    carillon_osek_lock_begins(SHORT);
    assert_int_equal(port.mask_at_read, CARILLON_OSEK_TOP);
    assert_int_equal(port.mask_at_store, CARILLON_OSEK_TOP);
    port.mask_at_read = port.mask_at_store = 0u;
    carillon_osek_lock_ends(SHORT);
    assert_int_equal(port.mask_at_read, CARILLON_OSEK_TOP);
    assert_int_equal(port.mask_at_store, CARILLON_OSEK_TOP);
    port.mask_at_read = port.mask_at_store = 0u;
    const carillon_budget_rest rest = carillon_pause_budget();
    assert_int_equal(port.mask_at_read, CARILLON_OSEK_TOP);
    carillon_resume_budget(rest);
    assert_int_equal(port.mask_at_store, CARILLON_OSEK_TOP);
}

static void what_the_counter_shows_does_not_matter_while_nothing_is_watched(void **state)
{
    (void)state;
    set_left(CARILLON_BUDGET_HALF + 5u);
    carillon_osek_lock_begins(SHORT);
    assert_first(OF(SHORT), 50u);
    carillon_osek_lock_ends(SHORT);
    set_left(20u);
    carillon_osek_lock_begins(SHORT);
    assert_first(OF(SHORT), 50u);
}

static void a_lock_without_a_limit_changes_nothing(void **state)
{
    (void)state;
    carillon_osek_lock_begins(FREE);
    assert_unwatched();
    carillon_osek_lock_ends(FREE);
    assert_unwatched();
    carillon_osek_running = SECOND;
    carillon_osek_lock_begins(SHORT);
    assert_unwatched();
}

static void only_tasks_have_limits(void **state)
{
    (void)state;
    port.current = ISR_SOURCE;
    carillon_osek_lock_begins(SHORT);
    assert_unwatched();
    port.current = CARILLON_OSEK_SOFTWARE ? (uint32_t)TASK_SOURCE : 0u; /* where no task runs with this dispatch */
    carillon_osek_lock_begins(SHORT);
    assert_unwatched();
    run_job(0u);
    carillon_osek_running = INVALID_TASK;
    carillon_osek_lock_begins(SHORT);
    assert_unwatched();
    run_job(0u);
    carillon_osek_hook = IN_ERROR_HOOK;
    carillon_osek_lock_begins(SHORT);
    assert_unwatched();
    carillon_osek_hook = 0u;
    carillon_osek_lock_begins(SHORT);
    assert_first(OF(SHORT), 50u);
}

static void the_nearest_limit_is_first_whatever_the_order(void **state)
{
    static const uint32_t orders[][3] = {{SHORT, MIDDLE, LONG}, {SHORT, LONG, MIDDLE}, {MIDDLE, SHORT, LONG},
                                         {MIDDLE, LONG, SHORT}, {LONG, SHORT, MIDDLE}, {LONG, MIDDLE, SHORT}};
    for (size_t in = 0; in < 6u; in++) {
        for (size_t out = 0; out < 6u; out++) {
            bool held[3] = {false, false, false};
            (void)reset_with_budget(state);
            for (size_t i = 0; i < 6u; i++) {
                const uint32_t lock = (i < 3u) ? orders[in][i] : orders[out][i - 3u];
                held[lock] = i < 3u;
                if (i < 3u) {
                    carillon_osek_lock_begins(lock);
                } else {
                    carillon_osek_lock_ends(lock);
                }
                if (held[SHORT]) {
                    assert_first(OF(SHORT), 50u);
                } else if (held[MIDDLE]) {
                    assert_first(OF(MIDDLE), 100u);
                } else {
                    assert_first(JOB, 120u);
                }
            }
        }
    }
}

static void a_limit_counts_from_where_its_lock_begins(void **state)
{
    (void)state;
    carillon_osek_lock_begins(MIDDLE); /* until 100; the job until 120 */
    pass(60u);
    carillon_osek_lock_begins(SHORT); /* until 110 */
    assert_first(OF(MIDDLE), 40u);
    pass(10u);
    carillon_osek_lock_ends(MIDDLE);
    assert_first(OF(SHORT), 40u);
    pass(10u);
    carillon_osek_lock_ends(SHORT);
    assert_first(JOB, 40u);
}

static void of_two_limits_at_the_same_time_the_older_one_is_first(void **state)
{
    (void)state;
    carillon_osek_lock_begins(MIDDLE);
    pass(50u);
    carillon_osek_lock_begins(SHORT);
    assert_first(OF(MIDDLE), 50u);
    carillon_osek_lock_ends(MIDDLE);
    assert_first(OF(SHORT), 50u);
    carillon_osek_lock_ends(SHORT);
    assert_first(JOB, 70u);
}

static void behind_two_limits_at_the_same_time_another_one_keeps_its_distance(void **state)
{
    (void)state;
    carillon_osek_lock_begins(MIDDLE);
    pass(50u);
    carillon_osek_lock_begins(SHORT); /* both until 100 */
    carillon_osek_lock_begins(LONG);  /* until 250, behind the job's 120 */
    assert_first(OF(MIDDLE), 50u);
    carillon_osek_lock_ends(SHORT);
    carillon_osek_lock_ends(MIDDLE);
    assert_first(JOB, 70u);
    assert_int_equal(carillon_budget_limits[JOB].next, OF(LONG));
    assert_int_equal(carillon_budget_limits[JOB].beyond, 130u);
}

static void a_lock_that_has_begun_already_begins_no_second_time(void **state)
{
    (void)state;
    carillon_osek_lock_begins(MIDDLE);
    pass(30u);
    carillon_osek_lock_begins(MIDDLE);
    assert_first(OF(MIDDLE), 70u);
    carillon_osek_lock_ends(MIDDLE);
    assert_first(JOB, 90u);
}

static void a_late_job_gets_no_more_limits(void **state)
{
    (void)state;
    carillon_budget.state |= CARILLON_LATE;
    carillon_osek_lock_begins(SHORT);
    assert_int_equal(carillon_budget.state, JOB | CARILLON_LATE);
    assert_int_equal(left(), 120u);
    carillon_budget.state = JOB;
    set_left(CARILLON_BUDGET_HALF + 1u); /* it is over, and its request waits */
    carillon_osek_lock_begins(SHORT);
    assert_int_equal(carillon_budget.state, JOB);
    assert_int_equal(left(), CARILLON_BUDGET_HALF + 1u);
}

static void a_limit_that_is_over_makes_the_job_late_where_its_lock_ends(void **state)
{
    (void)state;
    carillon_osek_lock_begins(SHORT);
    pass(50u);
    carillon_osek_lock_ends(SHORT);
    assert_late(OF(SHORT));
}

static void a_limit_with_a_unit_left_is_not_over(void **state)
{
    (void)state;
    carillon_osek_lock_begins(SHORT);
    pass(49u);
    carillon_osek_lock_ends(SHORT);
    assert_first(JOB, 71u);
}

static void where_a_late_job_ends_a_lock_it_is_asked_for_at_once(void **state)
{
    (void)state;
    carillon_osek_lock_begins(SHORT);
    carillon_osek_lock_begins(MIDDLE);
    carillon_budget.state |= CARILLON_LATE;
    carillon_osek_lock_ends(MIDDLE);
    assert_late(OF(SHORT));
    assert_true(carillon_budget_limits[OF(MIDDLE)].is_set); /* none is taken out */
}

static void where_a_late_job_ends_a_lock_without_a_limit_nothing_is_asked_for(void **state)
{
    (void)state;
    carillon_budget.state |= CARILLON_LATE;
    carillon_osek_lock_ends(FREE);
    assert_false(is_asked());
    carillon_osek_hook = IN_CALLBACK; /* nor of a lock that a hook ends */
    carillon_osek_lock_ends(SHORT);
    assert_false(is_asked());
}

static void the_end_of_a_lock_that_never_began_changes_nothing(void **state)
{
    (void)state;
    carillon_osek_lock_ends(SHORT);
    assert_first(JOB, 120u);
    assert_false(is_asked());
    carillon_osek_lock_begins(MIDDLE);
    carillon_osek_lock_ends(SHORT);
    assert_first(OF(MIDDLE), 100u);
    assert_false(is_asked());
}

static void a_lock_of_somebody_that_is_preempted_keeps_its_limit(void **state)
{
    (void)state;
    carillon_osek_lock_begins(SHORT);
    pass(10u);
    const carillon_budget_rest before = carillon_pause_budget();
    assert_unwatched();
    carillon_budget_limits[CARILLON_UNWATCHED].next = OF(SHORT); /* nobody's: it is not asked for */
    carillon_osek_lock_ends(SHORT);                              /* in the handler: nothing is watched */
    assert_unwatched();
    assert_true(carillon_budget_limits[OF(SHORT)].is_set);
    carillon_osek_running = SECOND; /* and as a job with a budget, and with a lock of its own */
    carillon_budget_watch(1u, 300u);
    carillon_osek_lock_ends(SHORT);
    assert_first(CARILLON_BUDGET_OF(1u), 300u);
    carillon_osek_running = 0u;
    carillon_osek_lock_begins(MIDDLE);
    carillon_osek_lock_ends(SHORT);
    assert_first(OF(MIDDLE), 100u);
    assert_true(carillon_budget_limits[OF(SHORT)].is_set);
    carillon_resume_budget(before);
    assert_first(OF(SHORT), 40u);
    carillon_osek_lock_ends(SHORT);
    assert_first(JOB, 110u);
}

static void who_is_paused_and_over_is_late_when_it_goes_on(void **state)
{
    (void)state;
    pass(120u);
    carillon_resume_budget(carillon_pause_budget());
    assert_late(JOB);
#if CARILLON_BUDGETS_IN_QUEUE
    carillon_budget_asks = 0u;
#endif
    set_left(100u);
    carillon_resume_budget(carillon_pause_budget()); /* it stays so */
    assert_late(JOB);
}

#define TEST(name) cmocka_unit_test_setup(name, reset)
#define WITH_BUDGET(name) cmocka_unit_test_setup(name, reset_with_budget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_lock_has_its_limit_until_it_ends),
        TEST(a_lock_that_has_ended_behind_another_one_may_begin_again),
        TEST(limits_change_with_all_tasks_held_back),
        TEST(what_the_counter_shows_does_not_matter_while_nothing_is_watched),
        TEST(a_lock_without_a_limit_changes_nothing),
        TEST(only_tasks_have_limits),
        TEST(the_nearest_limit_is_first_whatever_the_order),
        WITH_BUDGET(a_limit_counts_from_where_its_lock_begins),
        WITH_BUDGET(of_two_limits_at_the_same_time_the_older_one_is_first),
        WITH_BUDGET(behind_two_limits_at_the_same_time_another_one_keeps_its_distance),
        WITH_BUDGET(a_lock_that_has_begun_already_begins_no_second_time),
        WITH_BUDGET(a_late_job_gets_no_more_limits),
        WITH_BUDGET(a_limit_that_is_over_makes_the_job_late_where_its_lock_ends),
        WITH_BUDGET(a_limit_with_a_unit_left_is_not_over),
        WITH_BUDGET(where_a_late_job_ends_a_lock_it_is_asked_for_at_once),
        WITH_BUDGET(where_a_late_job_ends_a_lock_without_a_limit_nothing_is_asked_for),
        WITH_BUDGET(the_end_of_a_lock_that_never_began_changes_nothing),
        WITH_BUDGET(a_lock_of_somebody_that_is_preempted_keeps_its_limit),
        WITH_BUDGET(who_is_paused_and_over_is_late_when_it_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
