/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution budgets of the rounds' tasks. */
#include "kernel/core/round_budget.h"

#include "kernel/core/budget_again.h"

volatile uint32_t carillon_round_budget_watched;

#ifndef CARILLON_ROUND_BUDGET_COUNTER
uint32_t carillon_round_budget_left(void)
{
    return carillon_budget_device_left();
}

void carillon_round_budget_set(uint32_t units)
{
    carillon_budget_device_set(units);
}
#endif

void carillon_budget_arm(void)
{
    carillon_port_arm(CARILLON_ROUND_BUDGET_SOURCE, CARILLON_SOURCE_BIT(CARILLON_ROUND_BUDGET_SOURCE));
}

uint64_t carillon_round_budget_stops(void)
{
    /* Before the word: the job may be struck in between, and is late then. */
    const uint32_t reading = carillon_round_budget_left() + CARILLON_ROUND_BUDGET_BEGUN;
    const uint32_t job = carillon_round_budget_watched;
    carillon_round_budget_watched = 0u;
    return ((uint64_t)job << 32) | reading;
}

void carillon_round_budget_goes_on(uint64_t kept)
{
    const uint32_t job = (uint32_t)(kept >> 32);
    const uint32_t reading = (uint32_t)kept;
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
    const uint32_t job = carillon_round_budget_watched;
    const bool late = (job & CARILLON_ROUND_BUDGET_LATE) != 0u;
    if ((job == 0u) || (!late && !carillon_round_budget_is_over(carillon_round_budget_left()))) {
        return; /* the request is of a job that has gone */
    }
    const uint32_t source = (job & ~CARILLON_ROUND_BUDGET_LATE) >> CARILLON_ROUND_BUDGET_SOURCE_AT;
    if (carillon_port_preempted(frame) != source) {
        carillon_round_budget_watched = job | CARILLON_ROUND_BUDGET_LATE;
        carillon_round_budget_set(carillon_round_budget_again());
        return;
    }
    carillon_round_budget_watched = 0u;
    carillon_budget_overrun(carillon_round_budgets[(job & CARILLON_ROUND_BUDGET_NUMBER) - 1u].task);
    carillon_port_divert(frame, carillon_port_unwind);
}
