/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution budgets of the rounds' tasks with a cell for each task. */
#include "kernel/core/task_budget.h"

#include "kernel/core/budget_again.h"

volatile uint32_t carillon_task_budget_watched;
volatile uint32_t carillon_task_budget_sources[CARILLON_ROUND_BUDGETS];

void carillon_budget_arm(void)
{
    for (uint32_t k = 0u; k < CARILLON_ROUND_BUDGETS; k++) {
        const uint32_t source = carillon_task_budgets[k].source;
        carillon_port_arm(source, CARILLON_SOURCE_BIT(source));
    }
}

uint32_t carillon_task_budget_stops(void)
{
    const uint32_t watched = carillon_task_budget_watched;
    carillon_task_budget_watched = 0u;
    carillon_port_write(CARILLON_ROUND_BUDGET_PAUSE, CARILLON_ROUND_BUDGET_ALL); /* see 4 */
    return watched;
}

void carillon_task_budget_goes_on(uint32_t watched)
{
    carillon_task_budget_watched = watched;
    carillon_port_write(CARILLON_ROUND_BUDGET_RESUME, watched);
}

/* Whether a cell has counted down.  One that was started at 0 has expired below it. */
static inline bool is_over(uint32_t left)
{
    return (left == 0u) || (left > (UINT32_MAX / 2u));
}

void carillon_task_budget_strikes(const void *frame)
{
    const uint32_t watched = carillon_task_budget_watched;
    uint32_t number = 0u;
    while ((number < CARILLON_ROUND_BUDGETS) && (carillon_task_budgets[number].cell != watched)) {
        number++;
    }
    if (number == CARILLON_ROUND_BUDGETS) {
        return; /* the request is of a job that has gone */
    }
    const struct carillon_task_budget *const budget = &carillon_task_budgets[number];
    if (!is_over(carillon_port_read(budget->counter))) {
        return; /* so it is, and another one is watched */
    }
    if (carillon_port_preempted(frame) != carillon_task_budget_sources[number]) {
        carillon_port_write(budget->counter, carillon_round_budget_again());
        carillon_port_write(CARILLON_ROUND_BUDGET_RESUME, watched);
        return;
    }
    carillon_task_budget_watched = 0u;
    carillon_port_write(CARILLON_ROUND_BUDGET_PAUSE, watched); /* it may have been started at 0 */
    carillon_budget_overrun(budget->task);
    carillon_port_divert(frame, carillon_port_unwind);
}
