/* SPDX-License-Identifier: Apache-2.0
 *
 * Each fourth invocation of `work` takes 25 ms, which is longer than its period. */
#include "carillon/work.h"
#include "carillon_config.h"
#include "giotto.h"

#include <stdio.h>

void zero(long *done)
{
    *done = 0;
}

void compute(long *done)
{
    static unsigned begun;
    begun++;
    carillon_work((begun % 4u == 0u ? 25u : 5u) * (uint32_t)(CARILLON_CLOCK_HZ / 1000u));
    *done += 1;
    printf("invocation %u, done %ld\n", begun, *done);
}
