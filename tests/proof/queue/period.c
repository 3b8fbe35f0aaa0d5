/* SPDX-License-Identifier: Apache-2.0
 *
 * A period that is no whole number of ticks: what is carried is less than a tick, and nothing is lost. */
#include "proof.h"

#include "kernel/clock/queue.c"

int main(void)
{
    struct carillon_period period = {
        .whole = nondet_uint(), .numerator = nondet_uint(), .denominator = nondet_uint(), .remainder = nondet_uint()};
    assume((period.whole < UINT32_MAX) && (period.numerator < period.denominator));
    assume(period.remainder < period.denominator);
    const struct carillon_period began = period;
    const carillon_distance next = carillon_period_next(&period);
    assert(period.remainder < period.denominator);
    assert((period.whole == began.whole) && (next - began.whole <= 1u));
    const uint64_t carried = (next == began.whole) ? 0u : period.denominator;
    assert(carried + period.remainder == (uint64_t)began.remainder + began.numerator);
    THE_END;
}
