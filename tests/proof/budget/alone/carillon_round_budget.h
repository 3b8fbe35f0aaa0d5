/* SPDX-License-Identifier: Apache-2.0
 *
 * The cell that keeps the budgets, in the proofs of its keeper. */
#ifndef CARILLON_ROUND_BUDGET_DEVICE_H
#define CARILLON_ROUND_BUDGET_DEVICE_H
#define CARILLON_ROUND_BUDGET_COUNTER 0x40003000u
#define CARILLON_ROUND_BUDGET_SOURCE 33u
#define CARILLON_ROUND_BUDGET_RANGE (UINT32_C(1) << WIDTH)
#define CARILLON_ROUND_BUDGET_RETRY 64u
#define CARILLON_ROUND_BUDGET_STEP 4u
#endif
