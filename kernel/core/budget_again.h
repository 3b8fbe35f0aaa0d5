/* SPDX-License-Identifier: Apache-2.0
 *
 * In how many units the cell of a round's budget looks again for a job that is late (round_budget.h, 6). */
#ifndef CARILLON_BUDGET_AGAIN_H
#define CARILLON_BUDGET_AGAIN_H

#include "carillon_round_budget.h"

static inline uint32_t carillon_round_budget_again(void)
{
    static uint32_t last;
    const bool is_last = last <= CARILLON_ROUND_BUDGET_STEP;
    last = is_last ? CARILLON_ROUND_BUDGET_RETRY : (last - CARILLON_ROUND_BUDGET_STEP);
    return last;
}

#endif
