/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution budgets that are paused, and what hooks take of them (kernel/levels/budget.c), with and without limits of
 * locks, counted by a cell with hardware dispatch, and by a clock with dispatch in software. */
#include "carillon_budget.h"
#include "levels/counter.h"

#if CARILLON_OSEK_LOCKS > 0
const uint32_t carillon_osek_lock_budgets[CARILLON_OSEK_TASKS * CARILLON_OSEK_LOCKS];
const uint16_t carillon_osek_contexts[CARILLON_SOURCES];
#endif

#define JOB CARILLON_BUDGET_OF(0u)

static int reset(void **state)
{
    (void)port_reset(state);
#if CARILLON_BUDGETS_IN_QUEUE
    carillon_budget_asks = 0u;
#endif
    carillon_osek_hook = 0u;
    carillon_osek_running = 0u;
    carillon_budget_watch(0u, 120u);
    return 0;
}

static void assert_state(uint32_t expected)
{
    assert_int_equal(carillon_budget.state, expected);
    assert_int_equal(port.mask, 0u);
}

static void a_job_that_is_paused_keeps_what_is_left(void **state)
{
    (void)state;
    pass(20u);
    port.mask_at_read = 0u;
    const carillon_budget_rest rest = carillon_pause_budget();
    assert_int_equal(port.mask_at_read, CARILLON_OSEK_TOP);
    assert_state(CARILLON_UNWATCHED);
    pass(500u);
    port.mask_at_store = 0u;
    carillon_resume_budget(rest);
    assert_int_equal(port.mask_at_store, CARILLON_OSEK_TOP);
    assert_state(JOB);
    assert_int_equal(left(), 100u);
}

static void the_last_unit_is_kept(void **state)
{
    (void)state;
    pass(119u);
    carillon_resume_budget(carillon_pause_budget());
    assert_state(JOB);
    assert_int_equal(left(), 1u);
    assert_false(CARILLON_BUDGETS_IN_QUEUE && is_asked());
}

static void who_has_no_budget_has_none_after_it_was_paused(void **state)
{
    (void)state;
    carillon_budget.state = CARILLON_UNWATCHED;
    set_left(55u);
    carillon_resume_budget(carillon_pause_budget());
    assert_state(CARILLON_UNWATCHED);
    set_left(CARILLON_BUDGET_HALF + 9u);
    carillon_resume_budget(carillon_pause_budget());
    assert_state(CARILLON_UNWATCHED);
    assert_false(is_asked());
}

/* A job that goes on late is looked at a unit later. */
static void assert_goes_on_late(void)
{
    carillon_resume_budget(carillon_pause_budget());
    assert_true((carillon_budget.state & ~CARILLON_LATE) == JOB);
    assert_true(is_asked());
}

static void who_is_over_or_late_when_it_is_paused_goes_on_late(void **state)
{
    (void)state;
    pass(120u);
    assert_goes_on_late();
    (void)reset(state);
    pass(121u);
    assert_goes_on_late();
    (void)reset(state);
    carillon_budget.state |= CARILLON_LATE;
    assert_goes_on_late();
}

#if CARILLON_BUDGETS_IN_QUEUE
/* Between a hook's begin and its end nothing is written but what is asked for. */
static void a_hook_counts_for_the_job_that_it_interrupts(void **state)
{
    (void)state;
    assert_true(carillon_budget_before_hook());
    assert_int_equal(left(), 120u);
    pass(119u);
    carillon_budget_after_hook();
    assert_state(JOB);
    pass(1u);
    carillon_budget_after_hook();
    assert_state(JOB | CARILLON_LATE);
    assert_true(is_asked());
}

static void a_hook_that_ends_where_nothing_is_watched_makes_nobody_late(void **state)
{
    (void)state;
    carillon_budget.state = CARILLON_UNWATCHED;
    set_left(0u);
    carillon_budget_after_hook();
    assert_state(CARILLON_UNWATCHED);
    assert_false(is_asked());
}
#else
/* The cell may count past its half in a hook, so what it has asked for says who is late. */
static void a_hook_counts_for_the_job_that_it_interrupts(void **state)
{
    (void)state;
    port.pending[CARILLON_BUDGET_SOURCE] = true; /* of former jobs */
    assert_true(carillon_budget_before_hook());
    assert_log("forget ");
    carillon_budget_after_hook();
    assert_state(JOB);
    port.pending[CARILLON_BUDGET_SOURCE] = true;
    carillon_budget_after_hook();
    assert_state(JOB | CARILLON_LATE);
}

/* The cell is accessed twice before a hook.  It counts to 0 before one of these accesses, or after them. */
static uint32_t accesses, expires_before;
static void access_cell(void)
{
    if (accesses++ == expires_before) {
        set_left(0u);
        port.pending[CARILLON_BUDGET_SOURCE] = true;
    }
}
static void read_cell(uint32_t address)
{
    if (address == CARILLON_BUDGET_COUNTER) {
        access_cell();
    }
}

static void a_budget_that_ends_anywhere_before_a_hook_makes_the_job_late(void **state)
{
    for (expires_before = 0u; expires_before < 3u; expires_before++) {
        (void)reset(state);
        accesses = 0u;
        before_forget = access_cell;
        port_before_read = read_cell;
        const bool counts = carillon_budget_before_hook();
        before_forget = NULL;
        port_before_read = NULL;
        access_cell();
        assert_int_equal(accesses, 3u);
        if (counts) {
            carillon_budget_after_hook();
        }
        assert_state(JOB | CARILLON_LATE);
        assert_true(port.pending[CARILLON_BUDGET_SOURCE] || is_asked());
    }
}

static void a_hook_that_ends_where_nothing_is_watched_makes_nobody_late(void **state)
{
    (void)state;
    carillon_budget.state = CARILLON_UNWATCHED;
    port.pending[CARILLON_BUDGET_SOURCE] = true;
    carillon_budget_after_hook();
    assert_state(CARILLON_UNWATCHED);
}

static void a_handler_of_a_round_puts_the_counter_back(void **state)
{
    (void)state;
    const uint32_t stand = carillon_budget_stops();
    pass(500u);
    port.pending[CARILLON_BUDGET_SOURCE] = true; /* it went through 0 there */
    carillon_budget_goes_on(stand);
    assert_log("forget ");
    assert_int_equal(left(), 120u);
    port.pending[CARILLON_BUDGET_SOURCE] = true; /* before the handler comes */
    const uint32_t asked = carillon_budget_stops();
    pass(500u);
    carillon_budget_goes_on(asked);
    assert_log("");
    assert_int_equal(left(), 120u);
    assert_true(port.pending[CARILLON_BUDGET_SOURCE]);
}
#endif

static void who_is_over_before_a_hook_is_late(void **state)
{
    (void)state;
    pass(120u);
    assert_false(carillon_budget_before_hook());
    assert_state(JOB | CARILLON_LATE);
    assert_true(is_asked());
    assert_log(CARILLON_BUDGETS_IN_QUEUE ? "" : "forget ");
}

static void a_hook_within_a_hook_does_not_count(void **state)
{
    (void)state;
    carillon_osek_hook = IN_ERROR_HOOK;
    pass(120u);
    assert_false(carillon_budget_before_hook());
    assert_state(JOB);
    assert_log("");
}

static void a_hook_does_not_count_for_who_is_late_or_has_no_budget(void **state)
{
    (void)state;
    carillon_budget.state |= CARILLON_LATE;
    assert_false(carillon_budget_before_hook());
    assert_state(JOB | CARILLON_LATE);
    carillon_budget.state = CARILLON_UNWATCHED;
    assert_false(carillon_budget_before_hook());
    set_left(0u);
    assert_false(carillon_budget_before_hook());
    assert_state(CARILLON_UNWATCHED);
    assert_log("");
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_job_that_is_paused_keeps_what_is_left),
        TEST(the_last_unit_is_kept),
        TEST(who_has_no_budget_has_none_after_it_was_paused),
        TEST(who_is_over_or_late_when_it_is_paused_goes_on_late),
        TEST(a_hook_counts_for_the_job_that_it_interrupts),
        TEST(a_hook_that_ends_where_nothing_is_watched_makes_nobody_late),
#if !CARILLON_BUDGETS_IN_QUEUE
        TEST(a_handler_of_a_round_puts_the_counter_back),
        TEST(a_budget_that_ends_anywhere_before_a_hook_makes_the_job_late),
#endif
        TEST(who_is_over_before_a_hook_is_late),
        TEST(a_hook_within_a_hook_does_not_count),
        TEST(a_hook_does_not_count_for_who_is_late_or_has_no_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
