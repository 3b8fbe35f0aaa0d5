/* SPDX-License-Identifier: Apache-2.0
 *
 * What counts budgets in tests of kernel/levels/budget.c: the cell, or in its place the clock of the time services. */
#ifndef CARILLON_TESTS_LEVELS_COUNTER_H
#define CARILLON_TESTS_LEVELS_COUNTER_H

#include "port.h"

#include "kernel/levels/level_hooks.h"

#define IN_ALL(units) ((units) & ((2u * CARILLON_BUDGET_HALF) - 1u))

static inline uint32_t left(void)
{
    return *port_register(CARILLON_BUDGET_COUNTER);
}

static inline void set_left(uint32_t units)
{
    *port_register(CARILLON_BUDGET_COUNTER) = units;
}

/* So many units pass. */
static inline void pass(uint32_t units)
{
    set_left(IN_ALL(left() - units));
}

/* Whether the job that is late is looked at next; and nobody has asked for that any more. */
static inline bool is_asked(void)
{
    return CARILLON_BUDGETS_IN_QUEUE ? ((carillon_budget_asks != 0u) && port.pending[CARILLON_OSEK_DISPATCHER])
                                     : (left() == 1u);
}

#if CARILLON_BUDGETS_IN_QUEUE
volatile uint8_t carillon_budget_asks;

uint32_t carillon_budget_reading(void)
{
    port.mask_at_read = port.mask;
    return left();
}

void carillon_budget_count(uint32_t units)
{
    port.mask_at_store = port.mask;
    set_left(units);
}
#endif

volatile uint_fast8_t carillon_osek_running;
volatile uint8_t carillon_osek_hook;
volatile uint16_t carillon_osek_hook_source;

static void (*before_forget)(void);

void carillon_budget_forget(void)
{
    if (before_forget != NULL) {
        before_forget();
    }
    note("forget");
    port.pending[CARILLON_BUDGET_SOURCE] = false;
}

#endif
