/* SPDX-License-Identifier: Apache-2.0
 *
 * Disabling interrupts: chapter 13.3.  "All" are those of the event-triggered system, category 1 included; what is
 * time-triggered is above them. */
#include "kernel/osek/error.h"

/* The highest level of ISRs of category 2.  The kernel's lock is above it where there are budgets (budget.h). */
#if !CARILLON_OSEK_BUDGETS
#define CARILLON_OSEK_SUSPENDED CARILLON_OSEK_TOP
#endif

static uint32_t disabled_saved;
static uint32_t all_saved;
static uint32_t os_saved;
static volatile uint8_t disabled;
static volatile uint8_t all_suspended;
static volatile uint8_t os_suspended;

void DisableAllInterrupts(void)
{
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_ALL);
    if (disabled == 0u) {
        disabled_saved = saved;
        disabled = 1u;
    }
    LOCK_BEGINS(CARILLON_LOCK_DISABLED);
}

void EnableAllInterrupts(void)
{
    if (disabled != 0u) {
        LOCK_ENDS(CARILLON_LOCK_DISABLED);
        disabled = 0u;
        carillon_port_restore(disabled_saved);
    }
}

void SuspendAllInterrupts(void)
{
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_ALL);
    if (all_suspended == 0u) {
        all_saved = saved;
    }
    all_suspended++;
    LOCK_BEGINS(CARILLON_LOCK_ALL);
}

void ResumeAllInterrupts(void)
{
    if (all_suspended != 0u) {
        if (all_suspended == 1u) {
            LOCK_ENDS(CARILLON_LOCK_ALL);
        }
        all_suspended--;
        if (all_suspended == 0u) {
            carillon_port_restore(all_saved);
        }
    }
}

/* An interrupt of category 1 may call these, too: it must not come between what is kept here and the mask. */
void SuspendOSInterrupts(void)
{
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_ALL);
    if (os_suspended == 0u) {
        os_saved = saved;
    }
    os_suspended++;
    LOCK_BEGINS(CARILLON_LOCK_OS);
    carillon_port_restore(carillon_port_higher(saved, carillon_port_mask_of(CARILLON_OSEK_SUSPENDED)));
}

void ResumeOSInterrupts(void)
{
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_ALL);
    uint32_t mask = saved;
    if (os_suspended != 0u) {
        if (os_suspended == 1u) {
            LOCK_ENDS(CARILLON_LOCK_OS);
        }
        os_suspended--;
        if (os_suspended == 0u) {
            mask = os_saved;
        }
    }
    carillon_port_restore(mask);
}

#if CARILLON_OSEK_EXTENDED
bool carillon_osek_interrupts_disabled(void)
{
    return (disabled != 0u) || (all_suspended != 0u) || (os_suspended != 0u);
}
#endif

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

#if CARILLON_OSEK_MISSING_END || CARILLON_OSEK_BUDGETS
/* The mask itself is restored by the task's handler. */
void carillon_osek_interrupts_reset(void)
{
    disabled = 0u;
    all_suspended = 0u;
    os_suspended = 0u;
}
#endif
