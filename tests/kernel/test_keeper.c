/* SPDX-License-Identifier: Apache-2.0
 *
 * Budgets that the clock keeps (kernel/time/keeper.c) beside a model that counts tick by tick: jobs that preempt each other, with
 * and without a budget, are drawn.  And where a job that is late ends. */
#include "levels/drawn.h"
#include "services/services.h"

#include "kernel/levels/budget.h"

#include <string.h>

enum { RUNS = 200, STEPS = 500, NESTED = 4, LONGEST = 30 };

struct carillon_budget carillon_budget;
volatile uint16_t carillon_budget_isr;
static uint32_t ended;

void carillon_budget_end_late_job(void)
{
    ended++;
    carillon_budget.state = CARILLON_UNWATCHED;
}

/* What runs, one above the other: whether it has a budget, what is left of that, and what the kernel has put aside of it. */
static struct job {
    bool is_watched, is_late;
    uint32_t left;
    struct carillon_budget_left aside;
} jobs[NESTED];
static uint32_t depth;

/* Whether the job is late; where it has just become so, or goes on late, that has been asked for. */
static void check(bool asked)
{
    const struct job *const job = &jobs[depth - 1u];
    const bool watched = carillon_budget.state != CARILLON_UNWATCHED;
    assert_int_equal(watched, job->is_watched);
    if (watched) {
        assert_int_equal((carillon_budget.state & CARILLON_LATE) != 0u, job->is_late);
    }
    assert_int_equal(carillon_budget_asks, asked);
    assert_int_equal(port.pending[CARILLON_OSEK_DISPATCHER], asked);
    carillon_budget_asks = 0u;
    port.pending[CARILLON_OSEK_DISPATCHER] = false;
    if (watched && !job->is_late) {
        assert_int_equal(carillon_budget_reading(), job->left);
    }
}

static void pass(uint32_t ticks)
{
    for (uint32_t i = 0u; i < ticks; i++) {
        struct job *const job = &jobs[depth - 1u];
        bool becomes_late = false;
        if (job->is_watched && !job->is_late) {
            job->left--;
            becomes_late = job->left == 0u;
            job->is_late = becomes_late;
        }
        services_pass(1u);
        check(becomes_late);
    }
}

static void begin(void)
{
    if (depth == NESTED) {
        return;
    }
    jobs[depth - 1u].aside = carillon_budget_take();
    struct job *const job = &jobs[depth];
    depth++;
    job->left = (drawn(3u) == 0u) ? 0u : (1u + drawn(LONGEST));
    job->is_watched = job->left != 0u;
    job->is_late = false;
    carillon_budget_watch(FIRST, job->left);
    check(false);
}

static void end(void)
{
    if (depth == 1u) {
        return;
    }
    depth--;
    struct job *const job = &jobs[depth - 1u];
    carillon_budget_give(job->aside);
    check(job->is_watched && job->is_late);
}

static int reset(void **state)
{
    (void)services_reset(state);
    services_run(FIRST);
    carillon_time_ticks = (carillon_time)(drawn(2u) * (CARILLON_NEVER - 500u)); /* the time goes round */
    carillon_budget.state = CARILLON_UNWATCHED;
    carillon_budget_asks = 0u;
    memset(jobs, 0, sizeof jobs);
    depth = 1u;
    ended = 0u;
    return 0;
}

static void a_job_is_late_with_the_last_tick_of_its_budget(void **state)
{
    for (uint32_t run = 0u; run < RUNS; run++) {
        (void)reset(state);
        for (uint32_t k = 0u; k < STEPS; k++) {
            const uint32_t what = drawn(6u);
            if (what < 3u) {
                pass(1u + drawn(8u));
            } else if (what == 3u) {
                pass(1u + drawn(2u * LONGEST));
            } else if (what == 4u) {
                begin();
            } else {
                end();
            }
        }
        while (!carillon_queue_is_empty(&carillon_clock_queue)) { /* the test's next run begins with nothing queued */
            jobs[depth - 1u].is_watched = false;
            carillon_budget.state = CARILLON_UNWATCHED;
            pass(1u);
        }
    }
}

/* A job that is late ends where all that has preempted it has returned. */
static void a_late_job_ends_where_all_has_returned(void **state)
{
    (void)state;
    carillon_budget_asks = 1u;
    carillon_budget.state = CARILLON_BUDGET_OF(FIRST);
    carillon_budget_ends();
    assert_int_equal(carillon_budget_asks, 0u);
    assert_int_equal(ended, 0u);
    assert_log("");
    carillon_budget_asks = 1u;
    carillon_budget.state |= CARILLON_LATE;
    carillon_budget_ends();
    assert_int_equal(carillon_budget_asks, 0u);
    assert_int_equal(ended, 1u);
    assert_log("preempted ");
}

/* Or where it unlocks itself, if nothing else is masked, and no handler runs. */
static void a_late_job_ends_where_it_unlocks(void **state)
{
    (void)state;
    carillon_budget_asks = 1u;
    carillon_software.locked = 1u;
    carillon_budget_ends_here();
    carillon_software.locked = 0u;
    port.mask = carillon_port_mask_of(1u);
    carillon_budget_ends_here();
    port.mask = 0u;
    port.current = ISR2_SOURCE;
    carillon_budget_ends_here();
    port.current = 0u;
    assert_int_equal(ended, 0u);
    assert_int_equal(carillon_budget_asks, 1u);
    for (uint8_t level = 0u; level <= ALONE_LEVEL; level++) { /* a level is no mask */
        carillon_software.level = level;
        carillon_budget_asks = 1u;
        carillon_budget_ends_here();
        assert_int_equal(ended, level + 1u);
        assert_int_equal(carillon_budget_asks, 0u);
    }
    assert_log("");
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_late_job_ends_where_all_has_returned),
        TEST(a_late_job_ends_where_it_unlocks),
        cmocka_unit_test(a_job_is_late_with_the_last_tick_of_its_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
