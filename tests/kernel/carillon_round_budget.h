/* SPDX-License-Identifier: Apache-2.0
 *
 * The cell of the budgets of the rounds' tasks, for what checks the kernel without the tool. */
#ifndef CARILLON_ROUND_BUDGET_DEVICE_H
#define CARILLON_ROUND_BUDGET_DEVICE_H

#define CARILLON_ROUND_BUDGET_COUNTER 0x40003000u
#define CARILLON_ROUND_BUDGET_SOURCE 33u
#define CARILLON_ROUND_BUDGET_RANGE UINT32_C(16777216)
#define CARILLON_ROUND_BUDGET_RETRY 64u
#define CARILLON_ROUND_BUDGET_STEP 4u

#endif
