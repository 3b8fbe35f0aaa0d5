/* SPDX-License-Identifier: Apache-2.0
 *
 * Disabling interrupts: chapter 13.3.  "All" are those of the event-triggered system, category 1 included; what is
 * time-triggered is above them. */
#include "kernel/levels/interrupt.h"
#include "kernel/levels/budget.h"

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

#if CARILLON_OSEK_MISSING_END || CARILLON_OSEK_BUDGETS
/* The mask itself is restored by the task's handler. */
void carillon_osek_interrupts_reset(void)
{
    disabled = 0u;
    all_suspended = 0u;
    os_suspended = 0u;
}
#endif
