/* SPDX-License-Identifier: Apache-2.0
 *
 * The cell of execution budgets, for what checks the kernel without the tool. */
#ifndef CARILLON_BUDGET_DEVICE_H
#define CARILLON_BUDGET_DEVICE_H

#define CARILLON_BUDGET_COUNTER 0x40002000u
#define CARILLON_BUDGET_SOURCE 32u
#define CARILLON_BUDGET_RANGE UINT32_C(16777216)
#define CARILLON_BUDGET_RETRY 64u
#define CARILLON_BUDGET_STEP 4u
#define CARILLON_BUDGET_PATIENCE 512u

#endif
