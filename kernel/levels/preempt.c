/* SPDX-License-Identifier: Apache-2.0
 *
 * What a job runs where there are budgets. */
#include "kernel/levels/preempt.h"

#if CARILLON_OSEK_BUDGETS
void carillon_budget_body(void)
{
    const carillon_vector function = carillon_budget.function;
    carillon_osek_lower(carillon_budget.mask);
    function();
    (void)carillon_osek_lock(); /* up to the end of the level's handler */
}
#endif
