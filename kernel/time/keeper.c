/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution budgets that the clock keeps (kernel/levels/budget.h, 15): when the nearest limit ends, and an event of the
 * clock that is due by then. */
#include "kernel/time/services.h"

#if CARILLON_OSEK_TIME && CARILLON_BUDGETS_IN_QUEUE

/* `end` is where the limit is over; `due` is where the event is, if it is `queued`. */
static struct {
    struct carillon_timed event;
    carillon_time end;
    carillon_time due;
    bool queued;
} keeper;

uint32_t carillon_budget_reading(void)
{
    return (carillon_time)(keeper.end - carillon_time_now());
}

void carillon_budget_count(uint32_t units)
{
    const carillon_time now = carillon_time_now();
    const carillon_time left = (carillon_time)units;
    keeper.end = (carillon_time)(now + left);
    if (keeper.queued) {
        if ((carillon_time)(keeper.end - keeper.due) < CARILLON_BUDGET_HALF) {
            return; /* it may be due already, and its interrupt wait */
        }
        carillon_clock_remove(carillon_time_event(&keeper.event));
    }
    keeper.queued = true;
    keeper.due = keeper.end;
    keeper.event.kind = CARILLON_ACTION_END_JOB;
    carillon_time_insert_near(&keeper.event, left);
}

void carillon_budget_due(void)
{
    carillon_queue_pop(&carillon_clock_queue);
    keeper.queued = false;
    if ((carillon_budget.state != CARILLON_UNWATCHED) && ((carillon_budget.state & CARILLON_LATE) == 0u)) {
        const uint32_t left = carillon_budget_reading();
        if (carillon_budget_is_over(left)) {
            carillon_budget.state |= CARILLON_LATE;
            carillon_budget_ask();
        } else {
            carillon_budget_count(left);
        }
    }
}

volatile uint8_t carillon_budget_asks;

void carillon_budget_ends(void)
{
    carillon_budget_asks = 0u;
    if ((carillon_budget.state & CARILLON_LATE) != 0u) {
        carillon_port_run_preempted(carillon_budget_end_late_job, 0u);
    }
}

void carillon_budget_ends_here(void)
{
    if (((carillon_software_mask() & (CARILLON_SOFTWARE_LEVEL(1u) - 1u)) != 0u) || (carillon_port_current() != 0u)) {
        return; /* masked or locked; or in a handler, whose end looks */
    }
    carillon_budget_asks = 0u;
    carillon_budget_end_late_job();
}

#endif
