/* SPDX-License-Identifier: Apache-2.0
 *
 * The software interrupt controller (kernel/levels/level_software.c), with few levels and with many, in wide words and
 * in narrow ones; and hooks of tasks with it (kernel/levels/level_hooks.c). */
#include "levels/port.h"

#include <stdio.h>
#include <string.h>

#include "kernel/levels/level_hooks.h"

enum { ISR_SOURCE = 20, LEVELS = CARILLON_OSEK_TASK_LEVELS, TOPMOST = LEVELS, ABOVE = LEVELS + 1 };

const struct carillon_osek_task carillon_osek_tasks[CARILLON_OSEK_TASKS] = {
    {.level = 1u}, {.level = 2u}, {.level = 3u}};
volatile uint_fast8_t carillon_osek_running;

static void (*within)(uint8_t level); /* what a handler does, once */
static bool has_jobs;                 /* level N runs a job of task N - 1 */

static void note_level(const char *format, uint32_t level)
{
    char word[16];
    (void)snprintf(word, sizeof word, format, (unsigned)level);
    note(word);
}

static void request(uint8_t level)
{
    const struct carillon_store store = CARILLON_SOFTWARE_REQUEST(level);
    carillon_software_request((carillon_software_word)store.value, level);
}

/* From nowhere, as a service does. */
static void request_locked(uint8_t level)
{
    const uint32_t saved = carillon_osek_lock();
    request(level);
    carillon_osek_unlock(saved);
}

static void within_once(uint8_t level)
{
    void (*const what)(uint8_t) = within;
    within = NULL;
    if (what != NULL) {
        what(level);
    }
}

static void run(void)
{
    const uint8_t level = carillon_software.level;
    note_level("%u", level);
#if CARILLON_OSEK_BUDGETS
    assert_int_equal(carillon_budget.state, CARILLON_UNWATCHED); /* up to its job: hooks count for none */
    const uint32_t held = carillon_osek_begin_held();
    assert_int_equal(carillon_software.locked, 1u);
    carillon_osek_lower(carillon_osek_begin_mask(held, 0u, level));
#endif
    assert_int_equal(port.mask, 0u);
    assert_int_equal(carillon_software.locked, 0u);
    if (!has_jobs) {
        within_once(level);
        return;
    }
    const uint_fast8_t before = carillon_osek_running;
    carillon_osek_enter_hooks(before, (TaskType)(level - 1u));
    within_once(level);
    carillon_osek_end_hooks();
    carillon_osek_running = before;
}

#define FOUR run, run, run, run
#define SIXTEEN FOUR, FOUR, FOUR, FOUR
const carillon_vector carillon_software_handlers[] = {NULL, SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN, FOUR};

#if CARILLON_OSEK_PRETASK_HOOK
void PreTaskHook(void)
{
    note_level("pre%u", carillon_osek_running);
}

void PostTaskHook(void)
{
    note_level("post%u", carillon_osek_running);
}
#endif

#if CARILLON_OSEK_SLICES
volatile uint8_t carillon_slices_over;
void carillon_slice_ends(void)
{
    note("slice");
}

void carillon_slice_ends_here(void)
{
    note("slice-here");
}
#endif

#if CARILLON_OSEK_BUDGETS
volatile uint8_t carillon_budget_asks;
static uint32_t budget_left;
void carillon_budget_ends(void)
{
    note("budget");
}

void carillon_budget_ends_here(void)
{
    note("budget-here");
}

uint32_t carillon_budget_reading(void)
{
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    return budget_left;
}

void carillon_budget_count(uint32_t units)
{
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    budget_left = units;
}
#endif

static int reset(void **state)
{
    (void)port_reset(state);
    within = NULL;
    has_jobs = false;
    carillon_osek_running = INVALID_TASK;
    assert_int_equal(carillon_software.level, 0u); /* each test leaves nothing behind */
    assert_int_equal(carillon_software.locked, 0u);
    assert_true(carillon_software.top == 0u);
    return 0;
}

static void what_is_requested_under_the_lock_is_served_where_it_is_lowered_the_highest_level_first(void **state)
{
    (void)state;
    const uint32_t saved = carillon_osek_lock();
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    request(1u);
    request(3u);
    request(2u);
    assert_log("");
    carillon_osek_unlock(saved);
    assert_log("3 2 1 ");
    assert_int_equal(port.mask, 0u);
    request_locked(2u);
    assert_log("2 ");
    assert_int_equal(port.runs, 2u);
    carillon_osek_unlock(carillon_osek_lock());
    assert_int_equal(port.runs, 2u); /* where nothing waits, nothing is served */
}

static void within_a_lock_the_end_of_another_one_serves_nothing(void **state)
{
    (void)state;
    const uint32_t outer = carillon_osek_lock();
    const uint32_t inner = carillon_osek_lock();
    request(2u);
    carillon_osek_unlock(inner);
    assert_log("");
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    carillon_osek_unlock(outer);
    assert_log("2 ");
}

static void request_a_lower_and_a_higher_one(uint8_t level)
{
    request_locked((uint8_t)(level - 1u));
    request_locked(level);
    note("no");
    request_locked((uint8_t)(level + 1u));
    note("yes");
}

static void a_handler_is_preempted_by_higher_levels_alone(void **state)
{
    (void)state;
    within = request_a_lower_and_a_higher_one;
    request_locked(2u);
    assert_log("2 no 3 yes 2 1 ");
}

static void nothing_runs_in_the_handler_of_an_interrupt_and_the_dispatcher_is_asked_for(void **state)
{
    (void)state;
    port.current = ISR_SOURCE;
    request_locked(2u);
    assert_log("");
    assert_true(port.pending[CARILLON_OSEK_DISPATCHER]);
    port.current = CARILLON_OSEK_DISPATCHER;
    carillon_software_dispatch();
    assert_log("base 2 ");
    carillon_software_dispatch();
    assert_log("");
    port.current = 0u;
    port.pending[CARILLON_OSEK_DISPATCHER] = false;
    request_locked(1u);
    assert_log("1 ");
    assert_false(port.pending[CARILLON_OSEK_DISPATCHER]); /* the lock serves */
}

static void what_a_handler_of_the_clock_requests_asks_for_the_dispatcher(void **state)
{
    (void)state;
    const struct carillon_store store = CARILLON_SOFTWARE_REQUEST(2u);
    carillon_osek_request_in_handler(store, 2u);
    assert_log("");
    assert_true(port.pending[CARILLON_OSEK_DISPATCHER]);
    carillon_software_dispatch();
    assert_log("base 2 ");
    carillon_osek_request_unlocked(store, 2u);
    assert_log("");
    carillon_osek_lower(carillon_osek_mask());
    assert_log("2 ");
}

static void a_level_that_is_raised_holds_back_what_is_not_above_it(void **state)
{
    (void)state;
    const uint32_t saved = carillon_osek_raise(2u);
    assert_int_equal(port.mask, 0u);
    request_locked(1u);
    request_locked(2u);
    request_locked(3u);
    assert_log("3 ");
    assert_int_equal(carillon_software.level, 2u);
    port.mask = 1u; /* of somebody else */
    carillon_osek_lower(carillon_osek_mask());
    assert_int_equal(port.mask, 1u);
    port.mask = 0u;
    const uint32_t lower = carillon_osek_raise(1u); /* raises nothing */
    assert_int_equal(carillon_software.level, 2u);
    carillon_osek_lower(lower);
    assert_log("");
    carillon_osek_lower(saved);
    assert_log("2 1 ");
}

static void a_level_above_those_of_tasks_is_masked_and_holds_all_of_these_back(void **state)
{
    (void)state;
    const uint32_t tasks = carillon_osek_raise(TOPMOST);
    assert_int_equal(port.mask, 0u);
    carillon_osek_lower(tasks);
    const uint32_t saved = carillon_osek_raise(ABOVE);
    assert_int_equal(port.mask, ABOVE);
    assert_int_equal(carillon_software.level, TOPMOST);
    request_locked(TOPMOST);
    assert_log("");
    carillon_osek_lower(saved);
    assert_int_equal(port.mask, 0u);
    note("lowered");
    assert_string_equal(strrchr(port.log, 'l'), "lowered ");
    port.log[0] = '\0';
}

static void a_level_is_entered_at_its_ceiling(void **state)
{
    (void)state;
    const uint32_t saved = carillon_osek_raise(1u);
    (void)carillon_osek_enter(1u, 1u);
    assert_int_equal(carillon_software.level, 1u);
    (void)carillon_osek_enter(3u, 1u);
    assert_int_equal(carillon_software.level, 3u);
    carillon_osek_lower(saved);
}

/* All levels from `low` to `high` in the order of `step`, which has no factor in common with their number. */
static void serve_all(uint8_t low, uint8_t high, uint32_t step)
{
    const uint32_t count = (uint32_t)high - low + 1u;
    const uint32_t saved = carillon_osek_lock();
    for (uint32_t i = 0; i < count; i++) {
        request((uint8_t)(low + ((i * step) % count)));
    }
    carillon_osek_unlock(saved);
    char expected[sizeof port.log] = "";
    size_t used = 0;
    for (uint32_t level = high; level >= low; level--) {
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%u ", (unsigned)level);
    }
    assert_log(expected);
}

static void any_levels_are_served_from_the_highest_to_the_lowest_one(void **state)
{
    (void)state;
    serve_all(1u, LEVELS, 1u);
    serve_all(1u, LEVELS, LEVELS - 1u);
    for (uint8_t low = 1u; low <= LEVELS; low++) {
        serve_all(low, low, 1u);
        serve_all(low, LEVELS, 1u);
        const uint32_t saved = carillon_osek_lock();
        request(low);
        request(1u);
        carillon_osek_unlock(saved);
        char expected[16];
        (void)snprintf(expected, sizeof expected, (low == 1u) ? "1 " : "%u 1 ", (unsigned)low);
        assert_log(expected);
    }
}

#if CARILLON_OSEK_SLICES
static void a_slice_that_is_over_ends_where_something_is_lowered_or_dispatched(void **state)
{
    (void)state;
    carillon_osek_lower(carillon_osek_lock());
    carillon_software_dispatch();
    assert_log("");
    carillon_slices_over = 1u;
    carillon_osek_lower(carillon_osek_lock());
    assert_log("slice-here ");
    carillon_software_dispatch();
    assert_log("slice ");
    carillon_slices_over = 0u;
}
#endif

#if CARILLON_OSEK_BUDGETS
static void a_job_that_is_late_ends_where_something_is_lowered_or_dispatched(void **state)
{
    (void)state;
    carillon_osek_lower(carillon_osek_lock());
    carillon_software_dispatch();
    assert_log("");
    carillon_budget_asks = 1u;
    carillon_osek_lower(carillon_osek_lock());
    assert_log("budget-here ");
    carillon_software_dispatch();
    assert_log("budget ");
    carillon_budget_asks = 0u;
}

static void a_job_begins_at_its_ceiling(void **state)
{
    (void)state;
    const uint32_t masked = 2u; /* before it */
    assert_int_equal(carillon_osek_begin_mask(masked, 0u, 1u), CARILLON_SOFTWARE_LEVEL(1u) | masked);
    assert_int_equal(carillon_osek_begin_mask(masked, 2u, 1u), CARILLON_SOFTWARE_LEVEL(2u) | masked);
    assert_int_equal(carillon_osek_begin_mask(masked, 1u, 2u), CARILLON_SOFTWARE_LEVEL(2u) | masked);
    assert_int_equal(carillon_osek_begin_mask(masked, TOPMOST, 1u), CARILLON_SOFTWARE_LEVEL(TOPMOST) | masked);
    assert_int_equal(carillon_osek_begin_mask(masked, ABOVE, 1u), CARILLON_SOFTWARE_LEVEL(TOPMOST) | ABOVE);
    assert_int_equal(carillon_osek_begin_mask(ABOVE + 1u, ABOVE, 1u), CARILLON_SOFTWARE_LEVEL(TOPMOST) | (ABOVE + 1u));
}

static void watch_its_own(uint8_t level)
{
    (void)level;
    const uint32_t mask = carillon_port_raise(CARILLON_OSEK_TOP);
    carillon_budget_watch(0u, 7u);
    carillon_port_restore(mask);
}

static void what_is_preempted_without_a_budget_goes_on_without_one(void **state)
{
    (void)state;
    within = watch_its_own;
    request_locked(1u);
    assert_int_equal(carillon_budget.state, CARILLON_UNWATCHED);
}

static void what_is_preempted_goes_on_with_its_budget(void **state)
{
    (void)state;
    const uint32_t mask = carillon_port_raise(CARILLON_OSEK_TOP); /* as whoever begins a job */
    carillon_budget_watch(0u, 55u);
    carillon_port_restore(mask);
    request_locked(1u);
    assert_log("1 ");
    assert_int_equal(carillon_budget.state, CARILLON_BUDGET_OF(0u));
    assert_int_equal(budget_left, 55u);
    carillon_budget.state = CARILLON_UNWATCHED;
}
#endif

#if CARILLON_OSEK_TASK_HOOKS
/* Within the job of the first task, which nothing has preempted yet. */
static void run_in_job(void (*what)(uint8_t level))
{
    has_jobs = true;
    within = what;
    request_locked(1u);
    assert_int_equal(carillon_osek_running, INVALID_TASK);
}

static void request_once_and_two_at_once(uint8_t level)
{
    (void)level;
    request_locked(3u);
    note("on");
    const uint32_t held = carillon_osek_lock();
    request(3u);
    request(2u);
    carillon_osek_unlock(held);
    note("on");
}

static void a_task_that_is_preempted_is_told_before_and_when_it_goes_on(void **state)
{
    (void)state;
    run_in_job(request_once_and_two_at_once);
    assert_log("1 pre0 3 post0 pre2 post2 pre0 on 3 post0 pre2 post2 2 pre1 post1 pre0 on post0 ");
}

static void where_no_task_has_been_preempted_none_goes_on(void **state)
{
    (void)state;
    has_jobs = true;
    request_locked(3u);
    assert_log("3 pre2 post2 ");
}

static void request_without_jobs(uint8_t level)
{
    (void)level;
    has_jobs = false;
    request_locked(3u);
    request_locked(2u);
    note("on");
}

static void a_handler_without_a_job_tells_nobody(void **state)
{
    (void)state;
    run_in_job(request_without_jobs);
    assert_log("1 pre0 3 2 on post0 ");
}

static void request_a_higher_job_and_then_have_one(uint8_t level)
{
    (void)level;
    has_jobs = true;
    request_locked(3u);
    carillon_osek_enter_hooks(0u, 1u);
    note("job");
    carillon_osek_end_hooks();
    carillon_osek_running = 0u;
}

static void request_a_handler_that_is_preempted_before_its_job(uint8_t level)
{
    (void)level;
    has_jobs = false;
    within = request_a_higher_job_and_then_have_one;
    request_locked(2u);
}

static void a_handler_that_is_preempted_before_its_job_goes_on_before_the_task_beneath(void **state)
{
    (void)state;
    run_in_job(request_a_handler_that_is_preempted_before_its_job);
    assert_log("1 pre0 2 3 post0 pre2 post2 pre1 job post1 pre0 post0 ");
}
#endif

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_requested_under_the_lock_is_served_where_it_is_lowered_the_highest_level_first),
        TEST(within_a_lock_the_end_of_another_one_serves_nothing),
        TEST(a_handler_is_preempted_by_higher_levels_alone),
        TEST(nothing_runs_in_the_handler_of_an_interrupt_and_the_dispatcher_is_asked_for),
        TEST(what_a_handler_of_the_clock_requests_asks_for_the_dispatcher),
        TEST(a_level_that_is_raised_holds_back_what_is_not_above_it),
        TEST(a_level_above_those_of_tasks_is_masked_and_holds_all_of_these_back),
        TEST(a_level_is_entered_at_its_ceiling),
        TEST(any_levels_are_served_from_the_highest_to_the_lowest_one),
#if CARILLON_OSEK_SLICES
        TEST(a_slice_that_is_over_ends_where_something_is_lowered_or_dispatched),
#endif
#if CARILLON_OSEK_BUDGETS
        TEST(a_job_that_is_late_ends_where_something_is_lowered_or_dispatched),
        TEST(a_job_begins_at_its_ceiling),
        TEST(what_is_preempted_without_a_budget_goes_on_without_one),
        TEST(what_is_preempted_goes_on_with_its_budget),
#endif
#if CARILLON_OSEK_TASK_HOOKS
        TEST(a_task_that_is_preempted_is_told_before_and_when_it_goes_on),
        TEST(where_no_task_has_been_preempted_none_goes_on),
        TEST(a_handler_without_a_job_tells_nobody),
        TEST(a_handler_that_is_preempted_before_its_job_goes_on_before_the_task_beneath),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
