/* SPDX-License-Identifier: Apache-2.0
 *
 * The oscillator of a node, to be called by ctypes. */
#include <stddef.h>

#include "oscillator.h"

static struct oscillator it;

void begin(uint64_t hz, uint64_t seed, uint64_t number, uint64_t start, const struct step *steps, uint32_t count,
           int64_t most, int64_t bound, uint64_t every);
void begin(uint64_t hz, uint64_t seed, uint64_t number, uint64_t start, const struct step *steps, uint32_t count,
           int64_t most, int64_t bound, uint64_t every)
{
    it = (struct oscillator){.hz = hz,
                             .seed = seed,
                             .number = number,
                             .steps = steps,
                             .count = count,
                             .most = most,
                             .bound = bound,
                             .every = every};
    oscillator_start(&it, start);
}

/* Go on to a time, which does not go back. */
uint64_t ticks_at(uint64_t time);
uint64_t ticks_at(uint64_t time)
{
    while (time >= it.now.end) {
        stretch_next(&it, &it.now);
    }
    return oscillator_ticks(&it, time);
}

uint64_t time_of(uint64_t tick, uint64_t limit);
uint64_t time_of(uint64_t tick, uint64_t limit)
{
    return oscillator_time(&it, tick, limit);
}

void stretch(uint64_t line[5]);
void stretch(uint64_t line[5])
{
    const uint64_t now[] = {it.now.begin, it.now.ticks, (uint64_t)it.now.more, (uint64_t)(it.now.more >> 64),
                            it.now.rate};
    for (size_t i = 0; i < 5u; i++) {
        line[i] = now[i];
    }
}

uint64_t drawing(uint64_t seed, int purpose, uint64_t a, uint64_t b, uint64_t c, uint64_t most);
uint64_t drawing(uint64_t seed, int purpose, uint64_t a, uint64_t b, uint64_t c, uint64_t most)
{
    return drawn(draw(seed, (enum purpose)purpose, a, b, c), most);
}
