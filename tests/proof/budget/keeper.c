/* SPDX-License-Identifier: Apache-2.0
 *
 * The keeper of the budgets of a round's tasks: any job, any time that a handler in between takes. */
#include "proof.h"

#include "kernel/core/round_budget.c"

#define JOBS 3u
#define LOST (6u * JUMP) /* what the accesses of a handler's begin and end take from a budget at most */
#define RANGE CARILLON_ROUND_BUDGET_RANGE

const struct carillon_round_budget carillon_round_budgets[JOBS] = {{3u, 10u}, {40u, 11u}, {90u, 12u}};

static uint32_t number;

/* A job runs, of which so much is left. */
static void a_job(uint32_t left)
{
    number = any(0u, JOBS - 1u);
    source = any(0u, 0x7FFEu);
    carillon_round_budget_begins(number);
    counter = left;
    asked = false;
}

/* A handler comes and goes.  The job has what it had but for the accesses, or is late and is asked for. */
static void preempted(void)
{
    const uint32_t left = any(1u, (RANGE / 2u) - 1u);
    a_job(left);
    const uint32_t job = carillon_round_budget_watched;
    const uint64_t kept = carillon_round_budget_stops();
    assert(carillon_round_budget_watched == 0u);
    counter = any(0u, RANGE - 1u); /* whatever the handler leaves */
    asked = any_bool();
    carillon_round_budget_goes_on(kept);
    const bool late = (carillon_round_budget_watched & CARILLON_ROUND_BUDGET_LATE) != 0u;
    assert((carillon_round_budget_watched & ~CARILLON_ROUND_BUDGET_LATE) == job);
    if (left > LOST) {
        assert(!late && (counter <= left) && (counter + LOST >= left));
    }
    if (late) {
        assert(asked || (counter == 1u));
    } else {
        assert((counter <= left) || asked); /* no budget is given away */
    }
}

/* Where nothing is watched, the counter stands still to what is preempted. */
static void nothing_watched(void)
{
    counter = any(1u, RANGE - 1u);
    const uint32_t before = counter;
    const uint64_t kept = carillon_round_budget_stops();
    assume((uint32_t)kept != 0u);
    counter = any(0u, RANGE - 1u);
    carillon_round_budget_goes_on(kept);
    assert(carillon_round_budget_watched == 0u);
    assert(((before - counter) & (RANGE - 1u)) <= LOST);
}

/* The cell strikes.  A job that has used up its budget is ended if it runs, and is late otherwise; no other job is. */
static void strikes(void)
{
    a_job(any(0u, RANGE - 1u));
    if (any_bool()) {
        carillon_round_budget_watched |= CARILLON_ROUND_BUDGET_LATE;
    }
    if (any_bool()) {
        carillon_round_budget_ends();
    }
    const uint32_t job = carillon_round_budget_watched;
    const uint32_t before = counter;
    interrupted = any(0u, 0x7FFEu);
    carillon_round_budget_strikes(NULL);
    const bool was_late = (job & CARILLON_ROUND_BUDGET_LATE) != 0u;
    if (ended) {
        assert((job != 0u) && (interrupted == source) && (blamed == 10u + number));
        assert(carillon_round_budget_watched == 0u);
        assert(was_late || (before <= LOST) || (before >= RANGE / 2u));
    } else if ((job == 0u) || (!was_late && (before > LOST) && (before < RANGE / 2u))) {
        assert((carillon_round_budget_watched == job) && (blamed == 0u)); /* the request is of a job that has gone */
    } else {
        const bool is_late = (carillon_round_budget_watched & CARILLON_ROUND_BUDGET_LATE) != 0u;
        assert(!is_late || asked || (counter <= CARILLON_ROUND_BUDGET_RETRY)); /* it is looked for again soon */
        assert(is_late || (before <= LOST) || (before > RANGE / 2u - LOST));
    }
}

int main(void)
{
    STEP();
    THE_END;
}
