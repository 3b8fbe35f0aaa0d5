/* SPDX-License-Identifier: Apache-2.0
 *
 * An engine controller's periodic tasks.  What each does: schedule.toml; here each only takes the time, which
 * varies from job to job as execution_times.h says, the same in every run and on every board. */
#include "carillon/osektime.h"
#include "execution_times.h"

/* Ticks of so many tenths of a microsecond, rounded down.  Up to 3.4 ms at clocks up to 125 MHz. */
#define TICKS(tenths) ((tenths) * (CARILLON_CLOCK_HZ / 1000u) / 10000u)

/* The execution time of a job, from best to worst, so that its mean is the average: evenly spread above the average
 * in (average - best) of (worst - best) jobs, and evenly below it in the others.  All in 32 bits, up to 6.5 ms. */
static inline uint32_t draw(uint32_t *state, uint32_t best, uint32_t average, uint32_t worst)
{
    *state = *state * 1664525u + 1013904223u;
    const uint32_t below = average - best;
    const uint32_t above = worst - average;
    const uint32_t number = (*state >> 16) * (below + above) >> 16;
    return number < below ? average + number * above / below : best + (number - below) * below / above;
}

/* ttTASK(InjectionSupervision) { ... } and so on; each starts its numbers elsewhere. */
#define DEFINE(name, best, average, worst)                              \
    ttTASK(name);                                                       \
    ttTASK(name)                                                        \
    {                                                                   \
        static uint32_t state = (worst);                                \
        carillon_work(TICKS(draw(&state, (best), (average), (worst)))); \
    }

FOR_EACH_TASK(DEFINE)
