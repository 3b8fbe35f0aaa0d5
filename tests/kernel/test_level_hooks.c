/* SPDX-License-Identifier: Apache-2.0
 *
 * Hooks of tasks with hardware dispatch (kernel/levels/level_hooks.c), and where a level's handler begins a job
 * (kernel/levels/level.h). */
#include "levels/port.h"

#include <stdio.h>

#include "kernel/levels/level_hooks.h"

/* The sources of the levels 1 to 3, whose task is the one before. */
enum { FIRST_SOURCE = 16 };
#define SOURCE_OF(level) (FIRST_SOURCE + (level)-1u)

static void serve_cells(void)
{
    note("cells");
}

const struct carillon_osek_task carillon_osek_tasks[CARILLON_OSEK_TASKS] = {
    {.level = 1u}, {.level = 2u, .cells = serve_cells}, {.level = 3u}};
const struct carillon_osek_level carillon_osek_levels[CARILLON_OSEK_TASK_LEVELS + 1u] = {
    {.task = 0u}, {.source = 16u, .task = 0u}, {.source = 17u, .task = 1u}, {.source = 18u, .task = 2u}};
volatile uint_fast8_t carillon_osek_running;

static void note_task(const char *format)
{
    char word[16];
    (void)snprintf(word, sizeof word, format, (unsigned)carillon_osek_running);
    note(word);
}

void PreTaskHook(void)
{
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    assert_int_equal(port.mask_before, CARILLON_OSEK_TOP); /* whoever tells it holds the lock */
    note_task("pre%u");
}

void PostTaskHook(void)
{
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    assert_int_equal(port.mask_before, CARILLON_OSEK_TOP); /* whoever tells it holds the lock */
    note_task("post%u");
}

static void request(uint8_t level)
{
    const struct carillon_store store = CARILLON_STORE_PEND(SOURCE_OF(level));
    carillon_osek_request(store, level);
}

/* The handler of a level, as carillon_osek_run is: `before` it enters, and within its job; NULL: nothing happens. */
static void handle(uint8_t level, void (*before_it)(void), void (*job)(void))
{
    const uint16_t source = (uint16_t)SOURCE_OF(level);
    request(level);
    port.pending[source] = false;
    port.active[source] = true;
    const uint32_t mask = carillon_osek_enter(level, level);
    if (before_it != NULL) {
        before_it();
    }
    if (job != NULL) {
        const uint_fast8_t before = carillon_osek_running;
        carillon_osek_enter_hooks(before, (TaskType)(level - 1u));
        job();
        carillon_osek_end_hooks();
        carillon_osek_running = before;
        carillon_osek_leave(mask);
    }
    port.mask_at_look = 0u;
    carillon_osek_leave_hooks(level, mask);
    assert_int_equal(port.mask_at_look, CARILLON_OSEK_TOP);
    assert_int_equal(carillon_osek_hook, 0u); /* none is left behind */
    port.active[source] = false;
    assert_int_equal(port.mask, mask);
}

static int reset(void **state)
{
    (void)port_reset(state);
    carillon_osek_running = INVALID_TASK;
    carillon_osek_hook = 0u;
    return 0;
}

static void work(void)
{
    note("job");
}

static void preempt_with_3(void)
{
    handle(3u, NULL, work);
}

static void a_task_that_is_preempted_is_told_before_and_when_it_goes_on(void **state)
{
    (void)state;
    handle(1u, NULL, preempt_with_3);
    assert_log("pre0 post0 pre2 job post2 cells pre0 post0 ");
}

static void where_no_task_has_been_preempted_none_goes_on(void **state)
{
    (void)state;
    handle(3u, NULL, work);
    assert_log("pre2 job post2 ");
}

static void preempt_with_3_that_has_no_job(void)
{
    handle(3u, NULL, NULL);
}

static void a_handler_without_a_job_tells_nobody(void **state)
{
    (void)state;
    handle(1u, NULL, preempt_with_3_that_has_no_job);
    assert_log("pre0 post0 ");
}

static void request_2(void)
{
    note("job");
    request(2u);
}

static void preempt_with_3_that_requests_2(void)
{
    handle(3u, NULL, request_2);
    note("next");
    handle(2u, NULL, work);
}

static void a_handler_that_comes_next_comes_before_the_task(void **state)
{
    (void)state;
    handle(1u, NULL, preempt_with_3_that_requests_2);
    assert_log("pre0 post0 pre2 job post2 cells next pre1 job post1 cells pre0 post0 ");
}

static void hold_back_2_and_preempt_with_3_that_requests_it(void)
{
    const uint32_t saved = carillon_osek_raise(2u);
    handle(3u, NULL, request_2);
    carillon_osek_lower(saved);
    note("next");
    handle(2u, NULL, work);
}

static void a_handler_that_is_held_back_comes_after_the_task(void **state)
{
    (void)state;
    handle(1u, NULL, hold_back_2_and_preempt_with_3_that_requests_it);
    assert_log("pre0 post0 pre2 job post2 cells pre0 next post0 pre1 job post1 cells pre0 post0 ");
}

static void preempt_with_2_that_is_preempted_with_3_before_it_enters(void)
{
    handle(2u, preempt_with_3, work);
}

static void a_handler_that_is_preempted_before_its_job_goes_on_before_the_task_beneath(void **state)
{
    (void)state;
    handle(1u, NULL, preempt_with_2_that_is_preempted_with_3_before_it_enters);
    assert_log("pre0 post0 pre2 job post2 cells pre1 job post1 cells pre0 post0 ");
}

/* It has left, and has not returned. */
static void preempt_with_2_and_with_3_in_its_last_instructions(void)
{
    handle(2u, NULL, work);
    port.active[SOURCE_OF(2u)] = true;
    note("last");
    handle(3u, NULL, work);
    port.active[SOURCE_OF(2u)] = false;
}

static void a_handler_that_has_left_tells_nobody_any_more(void **state)
{
    (void)state;
    handle(1u, NULL, preempt_with_2_and_with_3_in_its_last_instructions);
    assert_log("pre0 post0 pre1 job post1 cells pre0 last post0 pre2 job post2 cells pre0 post0 ");
}

static void a_handler_that_has_been_requested_again_is_not_over(void **state)
{
    (void)state;
    carillon_osek_leave_hooks(2u, 0u);
    assert_true(carillon_osek_over[2]);
    request(2u);
    assert_false(carillon_osek_over[2]);
    carillon_osek_leave_hooks(2u, 0u);
    assert_false(carillon_osek_over[2]);
}

static void a_hook_knows_who_is_served_and_leaves_what_was_before(void **state)
{
    (void)state;
    port.current = SOURCE_OF(1u);
    const struct carillon_osek_hook_state none = carillon_osek_enter_hook(IN_TASK_HOOK);
    assert_int_equal(carillon_osek_hook_source, SOURCE_OF(1u));
    port.current = SOURCE_OF(2u);
    const struct carillon_osek_hook_state outer = carillon_osek_enter_hook(IN_ERROR_HOOK);
    assert_int_equal(carillon_osek_hook, IN_ERROR_HOOK);
    assert_int_equal(carillon_osek_hook_source, SOURCE_OF(2u));
    carillon_osek_leave_hook(outer);
    assert_int_equal(carillon_osek_hook, IN_TASK_HOOK);
    assert_int_equal(carillon_osek_hook_source, SOURCE_OF(1u));
    carillon_osek_leave_hook(none);
    assert_int_equal(carillon_osek_hook, 0u);
}

static void what_is_raised_is_lowered(void **state)
{
    (void)state;
    const uint32_t saved = carillon_osek_raise(2u);
    assert_int_equal(port.mask, 2u);
    carillon_osek_lower(saved);
    assert_int_equal(port.mask, 0u);
}

static void a_job_may_become_late_in_a_hook(void **state)
{
    (void)state;
    *port_register(CARILLON_BUDGET_COUNTER) = 100u;
    carillon_budget.state = CARILLON_BUDGET_OF(0u);
    carillon_osek_leave_hook(carillon_osek_enter_hook(IN_TASK_HOOK));
    assert_int_equal(carillon_budget.state, CARILLON_BUDGET_OF(0u));
    const struct carillon_osek_hook_state before = carillon_osek_enter_hook(IN_TASK_HOOK);
    port.pending[CARILLON_BUDGET_SOURCE] = true;
    carillon_osek_leave_hook(before);
    assert_int_equal(carillon_budget.state, CARILLON_BUDGET_OF(0u) | CARILLON_LATE);
    carillon_budget.state = CARILLON_UNWATCHED;
}

static void no_cells_are_served_in_an_error_hook(void **state)
{
    (void)state;
    carillon_osek_serve_cells(&carillon_osek_tasks[1]);
    assert_log("cells ");
    carillon_osek_hook = IN_TASK_HOOK;
    carillon_osek_serve_cells(&carillon_osek_tasks[1]);
    assert_log("cells ");
    carillon_osek_hook = IN_ERROR_HOOK;
    carillon_osek_serve_cells(&carillon_osek_tasks[1]);
    assert_log("");
    carillon_osek_hook = IN_ERROR_HOOK | IN_CALLBACK;
    carillon_osek_serve_cells(&carillon_osek_tasks[1]);
    assert_log("");
}

static void a_job_masks_up_to_its_ceiling_where_that_is_above_its_level(void **state)
{
    (void)state;
    assert_int_equal(carillon_osek_enter(1u, 1u), 0u);
    assert_int_equal(port.mask, 0u);
    assert_int_equal(carillon_osek_enter(2u, 1u), 0u);
    assert_int_equal(port.mask, 2u);
    assert_int_equal(carillon_osek_enter(2u, 1u), 2u);
    carillon_osek_leave(0u);
    assert_int_equal(port.mask, 0u);
    assert_int_equal(carillon_osek_enter(CARILLON_OSEK_TOP + 1u, CARILLON_OSEK_TOP), 0u);
    assert_int_equal(port.mask, 0u); /* a level that is not the kernel's masks nothing */
}

#if CARILLON_OSEK_BUDGETS
void carillon_budget_forget(void)
{
    note("forget");
}

static void a_job_with_a_budget_begins_at_its_ceiling(void **state)
{
    (void)state;
    assert_int_equal(carillon_osek_begin_mask(0u, 1u, 1u), 0u);
    assert_int_equal(carillon_osek_begin_mask(0u, 2u, 1u), 2u);
    assert_int_equal(carillon_osek_begin_mask(3u, 2u, 1u), 3u);
    assert_int_equal(carillon_osek_begin_mask(1u, 2u, 3u), 1u);
}
#endif

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_task_that_is_preempted_is_told_before_and_when_it_goes_on),
        TEST(where_no_task_has_been_preempted_none_goes_on),
        TEST(a_handler_without_a_job_tells_nobody),
        TEST(a_handler_that_comes_next_comes_before_the_task),
        TEST(a_handler_that_is_held_back_comes_after_the_task),
        TEST(a_handler_that_is_preempted_before_its_job_goes_on_before_the_task_beneath),
        TEST(a_handler_that_has_left_tells_nobody_any_more),
        TEST(a_handler_that_has_been_requested_again_is_not_over),
        TEST(a_hook_knows_who_is_served_and_leaves_what_was_before),
        TEST(what_is_raised_is_lowered),
        TEST(a_job_may_become_late_in_a_hook),
        TEST(no_cells_are_served_in_an_error_hook),
        TEST(a_job_masks_up_to_its_ceiling_where_that_is_above_its_level),
#if CARILLON_OSEK_BUDGETS
        TEST(a_job_with_a_budget_begins_at_its_ceiling),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
