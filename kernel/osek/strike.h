/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of the cell of execution budgets. */
#ifndef CARILLON_OSEK_STRIKE_H
#define CARILLON_OSEK_STRIKE_H

#include "kernel/osek/budget.h"

#if CARILLON_OSEK_BUDGETS

#ifdef __cplusplus
extern "C" {
#endif

/* In the handler of the cell; `frame`: where it was entered (carillon_port_preempted). */
void carillon_budget_strikes(const void *frame);

#ifdef __cplusplus
}
#endif

#endif

#endif
