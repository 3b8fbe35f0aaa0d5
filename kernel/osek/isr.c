/* SPDX-License-Identifier: Apache-2.0
 *
 * ISRs of category 2: which one runs, and what it has not undone when it ends. */
#include "kernel/osek/resource.h"

ISRType GetISRID(void)
{
#if CARILLON_OSEK_ISRS > 0
    const uint32_t source = carillon_port_current();
    if ((source != 0u) && ((carillon_osek_contexts[source] & CARILLON_OSEK_ISR2) != 0u)) {
        for (uint32_t isr = 0; isr < CARILLON_OSEK_ISRS; isr++) {
            if (carillon_osek_isr_sources[isr] == source) {
                return (ISRType)isr;
            }
        }
    }
#endif
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
