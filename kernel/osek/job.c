/* SPDX-License-Identifier: Apache-2.0
 *
 * What a job begins with. */
#include "kernel/osek/job.h"

#if CARILLON_OSEK_MANAGED

#if CARILLON_OSEK_EVENTS && CARILLON_NARROW
void carillon_osek_begin_context(const struct carillon_osek_task *task)
{
    carillon_osek_begin_context_inlined(task);
}
#endif

#if CARILLON_OSEK_BUDGETS
void carillon_budget_body(void)
{
    const carillon_vector function = carillon_budget.function;
    carillon_osek_lower(carillon_budget.mask);
    function();
    (void)carillon_osek_lock(); /* up to the end of the level's handler */
}
#endif

#endif
