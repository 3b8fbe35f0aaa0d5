/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution budgets of the rounds' tasks. */
#include "kernel/core/round_budget.h"

#include "kernel/core/budget_again.h"

volatile carillon_round_budget_word carillon_round_budget_watched;

#ifndef CARILLON_ROUND_BUDGET_COUNTER
carillon_round_budget_word carillon_round_budget_left(void)
{
    return carillon_budget_device_left();
}

void carillon_round_budget_set(carillon_round_budget_word units)
{
    carillon_budget_device_set(units);
}
#endif

void carillon_budget_arm(void)
{
    carillon_port_arm(CARILLON_ROUND_BUDGET_SOURCE, CARILLON_SOURCE_BIT(CARILLON_ROUND_BUDGET_SOURCE));
}

carillon_round_budget_kept carillon_round_budget_stops(void)
{
    /* Before the word: the job may be struck in between, and is late then. */
    const carillon_round_budget_word left = carillon_round_budget_left();
    const carillon_round_budget_word reading = (carillon_round_budget_word)(left + CARILLON_ROUND_BUDGET_BEGUN);
    const carillon_round_budget_word job = carillon_round_budget_watched;
    carillon_round_budget_watched = 0u;
    return ((carillon_round_budget_kept)job << CARILLON_ROUND_BUDGET_BITS) | reading;
}

void carillon_round_budget_goes_on(carillon_round_budget_kept kept)
{
    const carillon_round_budget_word job = (carillon_round_budget_word)(kept >> CARILLON_ROUND_BUDGET_BITS);
    const carillon_round_budget_word reading = (carillon_round_budget_word)kept;
    if (job == 0u) {
        carillon_round_budget_set(reading); /* see 3 */
    } else if (((job & CARILLON_ROUND_BUDGET_LATE) != 0u) || carillon_round_budget_is_over(reading)) {
        carillon_round_budget_ask(job);
    } else {
        carillon_round_budget_watch(job, reading);
    }
}

void carillon_round_budget_strikes(const void *frame)
{
    const carillon_round_budget_word job = carillon_round_budget_watched;
    const bool late = (job & CARILLON_ROUND_BUDGET_LATE) != 0u;
    if ((job == 0u) || (!late && !carillon_round_budget_is_over(carillon_round_budget_left()))) {
        return; /* the request is of a job that has gone */
    }
    if (carillon_port_preempted(frame) != CARILLON_ROUND_BUDGET_SOURCE_OF(job)) {
        carillon_round_budget_watched = job | CARILLON_ROUND_BUDGET_LATE;
        carillon_round_budget_set((carillon_round_budget_word)carillon_round_budget_again());
        return;
    }
    carillon_round_budget_watched = 0u;
    carillon_budget_overrun(carillon_round_budgets[(job & CARILLON_ROUND_BUDGET_NUMBER) - 1u].task);
    carillon_port_divert(frame, carillon_port_unwind);
}
