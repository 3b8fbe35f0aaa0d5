/* SPDX-License-Identifier: Apache-2.0
 *
 * ISRs of category 2: which one runs, and what it has not undone when it ends. */
#include "kernel/jobs/resource.h"

ISRType GetISRID(void)
{
    if (CARILLON_OSEK_ISRS == 0u) {
        return INVALID_ISR;
    }
    const bool is_late =
        (CARILLON_OSEK_ISR_BUDGETS != 0) && (carillon_osek_hook == IN_PROTECTION_HOOK) && (carillon_budget_isr != 0u);
    const uint32_t source = is_late ? carillon_budget_isr : carillon_port_current();
    if ((source != 0u) && ((carillon_osek_contexts[source] & CARILLON_OSEK_ISR2) != 0u)) {
        for (uint32_t isr = 0; isr != CARILLON_OSEK_ISRS; isr++) {
            if (carillon_osek_isr_sources[isr] == source) {
                return (ISRType)isr;
            }
        }
    }
    return INVALID_ISR;
}

#if CARILLON_OSEK_EXTENDED && (CARILLON_OSEK_ISRS > 0)
/* An ISR of category 2 begins.  Whatever disables interrupts masks it, so that all are enabled. */
uint32_t carillon_begin_isr(void)
{
    return carillon_port_mask();
}

/* It has ended: undo what it has not undone itself (AUTOSAR OS, SWS_Os_00368, 00369).  `mask` is what it began with.
 * What has waited begins as soon as the mask is lowered, and must find interrupts enabled and resources free. */
void carillon_end_isr(uint32_t mask)
{
    const bool disabled_here = carillon_osek_interrupts_disabled();
    const bool holds = !carillon_osek_holds_none();
    if (!disabled_here && !holds) {
        return;
    }
    carillon_osek_interrupts_reset();
    if (holds) {
        carillon_osek_resources_release();
    }
    carillon_port_restore(mask);
    if (disabled_here) {
        (void)FAIL(OSServiceId_None, E_OS_DISABLEDINT, .object = GetISRID());
    }
    if (holds) {
        (void)FAIL(OSServiceId_None, E_OS_RESOURCE, .object = GetISRID());
    }
}
#endif

#if CARILLON_OSEK_ISR_BUDGETS
volatile uint16_t carillon_budget_isr;

/* Its function, without the lock. */
static void body(void)
{
    const carillon_vector function = carillon_budget.function;
    carillon_osek_unlock(carillon_budget.mask);
    function();
    (void)carillon_osek_lock();
}

void carillon_isr_within(uint32_t place, carillon_vector function)
{
    const uint32_t mask = carillon_osek_lock();
    const uint16_t outer = carillon_budget_isr;
    carillon_budget_isr = (uint16_t)carillon_port_current();
    carillon_budget.mask = mask;
    carillon_budget.function = function;
    carillon_budget_watch(CARILLON_BUDGET_OF_ISR, carillon_osek_isr_budgets[place]);
    CARILLON_CALL_AS(function, body);
    carillon_budget.state = CARILLON_UNWATCHED;
    carillon_budget_isr = outer;
    carillon_osek_unlock(mask);
}
#endif
