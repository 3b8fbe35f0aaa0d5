/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a job whose budget is used up: the handler of the cell of execution budgets. */
#ifndef CARILLON_OSEK_STRIKE_H
#define CARILLON_OSEK_STRIKE_H

#include "kernel/levels/budget.h"

#if CARILLON_OSEK_BUDGETS

/* The job or the ISR that runs is late: the hook is asked, and it does not go on. */
void carillon_osek_budget_overrun(void);

#if !CARILLON_BUDGETS_IN_QUEUE
/* In the handler of the cell; `frame`: where it was entered (carillon_port_preempted). */
void carillon_budget_strikes(const void *frame);
#endif

#endif

#endif
