/* SPDX-License-Identifier: Apache-2.0
 *
 * The cell, or the cells, of the budgets of the rounds' tasks, for what checks the kernel without the tool. */
#ifndef CARILLON_ROUND_BUDGET_DEVICE_H
#define CARILLON_ROUND_BUDGET_DEVICE_H

#ifdef __AVR_ATmega128__
#define CARILLON_ROUND_BUDGET_CELL 0u
#define CARILLON_ROUND_BUDGET_RANGE UINT32_C(65536)
#include "cells/avr16/budget.h"
#elif defined(CARILLON_TESTS_MATCH)
#define CARILLON_ROUND_BUDGET_CELL 1u
#define CARILLON_ROUND_BUDGET_RANGE UINT32_C(0x80000000)
#include "cells/rp2040alarm/budget.h"
#else
#define CARILLON_ROUND_BUDGET_COUNTER 0x40003000u
#define CARILLON_ROUND_BUDGET_RANGE UINT32_C(16777216)
#endif
#ifdef __AVR_ATmega128__
#define CARILLON_ROUND_BUDGET_SOURCE 12u
#else
#define CARILLON_ROUND_BUDGET_SOURCE 33u
#endif
#define CARILLON_ROUND_BUDGET_PAUSE 0x40003004u
#define CARILLON_ROUND_BUDGET_RESUME 0x40003008u
#define CARILLON_ROUND_BUDGET_ALL 0x70u
#define CARILLON_ROUND_BUDGET_RETRY 64u
#define CARILLON_ROUND_BUDGET_STEP 4u

#endif
