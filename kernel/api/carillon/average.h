/* SPDX-License-Identifier: Apache-2.0
 *
 * A fault-tolerant average of clock differences (J. Lundelius Welch and N. Lynch, A New Fault-Tolerant Algorithm for
 * Clock Synchronization, 1988).  The highest and the lowest differences are dropped, and the middle of the rest is
 * taken. */
#ifndef CARILLON_AVERAGE_H
#define CARILLON_AVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Work out the average of some differences of which some may be wrong in any way.
 *
 * With at most `faulty` wrong ones, the result lies between two right ones.  That does not yet make the nodes agree.
 * If a faulty node may tell each other node something else, there must be more than three times as many nodes as
 * faulty ones.  If a message is the same for all that receive it, more than twice as many suffice.
 *
 * differences: of the own clock from each clock that was heard, the own one (0) among them, in any order; they are
 *     sorted.
 * count: how many there are.
 * faulty: how many of the highest and how many of the lowest are dropped.
 * average: where to put the average, rounded down; it stays as it is if there is none.
 * Returns: whether there is one: `count` is more than twice `faulty`.
 * Errors: none.
 * From: everywhere.
 * Source: Welch and Lynch, 1988. */
static inline bool carillon_fault_tolerant_average(int32_t *differences, uint32_t count, uint32_t faulty,
                                                   int32_t *average)
{
    if ((count / 2u < faulty) || (count - faulty <= faulty)) {
        return false;
    }
    for (uint32_t i = 1u; i < count; i++) {
        const int32_t it = differences[i];
        uint32_t k = i;
        while ((k > 0u) && (differences[k - 1u] > it)) {
            differences[k] = differences[k - 1u];
            k--;
        }
        differences[k] = it;
    }
    const int32_t low = differences[faulty];
    const int32_t high = differences[count - faulty - 1u];
    *average = (int32_t)((uint32_t)low + (((uint32_t)high - (uint32_t)low) / 2u));
    return true;
}

#ifdef __cplusplus
}
#endif

#endif
