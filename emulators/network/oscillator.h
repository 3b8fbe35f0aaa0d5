/* SPDX-License-Identifier: Apache-2.0
 *
 * A node's oscillator: its ticks as a function of true time, exact.
 *
 * True time is a whole number of picoseconds.  A tick is PARTS parts.  In a stretch of true time the oscillator makes
 * hz * (10^9 + error) parts a picosecond, with the error in parts of 10^9.  A stretch ends where the error changes: at
 * a multiple of `every`, by a step of the random walk, or at a time that the file says.  What was counted at the
 * beginning of a stretch is a whole number of parts, so that nothing is rounded and nothing adds up:
 *
 *     parts(t) = parts(begin) + rate * (t - begin)       ticks(t) = floor(parts(t) / PARTS)
 *
 * The time of a tick is the first picosecond at which the oscillator has made it: n <= ticks(t) exactly if time(n) <=
 * t. */
#ifndef CARILLON_OSCILLATOR_H
#define CARILLON_OSCILLATOR_H

#include <stdint.h>

typedef unsigned __int128 parts;

#define BILLION UINT64_C(1000000000)
#define PICOSECONDS UINT64_C(1000000000000) /* in a second */
#define PARTS ((parts)BILLION * PICOSECONDS)
#define NEVER UINT64_MAX
/* More ticks than any run has, and few enough for their parts to fit into 128 bits. */
#define FAR (UINT64_C(1) << 52)

/* What a draw is for. */
enum purpose { DRAW_WALK, DRAW_LOSS, DRAW_TWICE, DRAW_JITTER, DRAW_LATE, DRAW_DELAY };

/* A number that depends on nothing but the seed and what it is for: so no order of events changes it (SplitMix64). */
static inline uint64_t draw(uint64_t seed, enum purpose purpose, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t words[] = {(uint64_t)purpose, a, b, c};
    uint64_t x = seed;
    for (unsigned i = 0; i < 4u; i++) {
        x = (x ^ words[i]) + UINT64_C(0x9e3779b97f4a7c15);
        x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
        x ^= x >> 31;
    }
    return x;
}

/* A draw from 0 to `most`. */
static inline uint64_t drawn(uint64_t number, uint64_t most)
{
    return (most == UINT64_MAX) ? number : (uint64_t)(((parts)number * (most + 1u)) >> 64);
}

struct step {
    uint64_t at;   /* picoseconds */
    int64_t error; /* parts of 10^9, from then on */
};

struct stretch {
    uint64_t begin, end; /* picoseconds */
    uint64_t ticks;      /* at its beginning, and */
    parts more;          /* the part of a tick, less than PARTS */
    uint64_t rate;       /* parts a picosecond */
    int64_t walk;        /* of the error, what the random walk has made */
};

struct oscillator {
    uint64_t hz, seed, number;
    uint64_t every; /* picoseconds; 0: it does not wander */
    int64_t most, bound;
    const struct step *steps; /* ascending; the first is at 0 */
    uint32_t count;
    struct stretch now;
};

/* The rate and the end of a stretch whose beginning and walk are known. */
static inline void stretch_from(const struct oscillator *it, struct stretch *stretch)
{
    uint32_t step = 0;
    while (step + 1u < it->count && it->steps[step + 1u].at <= stretch->begin) {
        step++;
    }
    stretch->rate = it->hz * (uint64_t)((int64_t)BILLION + it->steps[step].error + stretch->walk);
    stretch->end = (step + 1u < it->count) ? it->steps[step + 1u].at : NEVER;
    if (it->every != 0u) {
        const uint64_t next = (stretch->begin / it->every + 1u) * it->every;
        stretch->end = next < stretch->end ? next : stretch->end;
    }
}

static inline void oscillator_start(struct oscillator *it, uint64_t at)
{
    it->now = (struct stretch){.begin = at};
    stretch_from(it, &it->now);
}

static inline void stretch_next(const struct oscillator *it, struct stretch *stretch)
{
    const parts sum = stretch->more + (parts)stretch->rate * (stretch->end - stretch->begin);
    stretch->ticks += (uint64_t)(sum / PARTS);
    stretch->more = sum % PARTS;
    stretch->begin = stretch->end;
    if (it->every != 0u && stretch->begin % it->every == 0u) {
        const uint64_t number = draw(it->seed, DRAW_WALK, it->number, stretch->begin / it->every, 0u);
        stretch->walk += (int64_t)drawn(number, 2u * (uint64_t)it->most) - it->most;
        if (stretch->walk > it->bound) { /* it turns back at the bound */
            stretch->walk = 2 * it->bound - stretch->walk;
        } else if (stretch->walk < -it->bound) {
            stretch->walk = -2 * it->bound - stretch->walk;
        }
    }
    stretch_from(it, stretch);
}

/* When the oscillator has made `tick` ticks, or a later time than `limit`; the beginning of the present stretch for one
 * that it had made before. */
static inline uint64_t oscillator_time(const struct oscillator *it, uint64_t tick, uint64_t limit)
{
    if (tick > it->now.ticks && tick - it->now.ticks > FAR) {
        return NEVER;
    }
    struct stretch stretch = it->now;
    while (stretch.begin <= limit) {
        const parts wanted = (tick > stretch.ticks) ? (parts)(tick - stretch.ticks) * PARTS : 0u;
        const parts need = wanted > stretch.more ? wanted - stretch.more : 0u;
        const parts after = (need + stretch.rate - 1u) / stretch.rate;
        if (after <= stretch.end - stretch.begin) {
            return stretch.begin + (uint64_t)after;
        }
        if (stretch.end == NEVER) {
            break;
        }
        stretch_next(it, &stretch);
    }
    return NEVER;
}

/* What it has made at a time of the present stretch. */
static inline uint64_t oscillator_ticks(const struct oscillator *it, uint64_t time)
{
    return it->now.ticks + (uint64_t)((it->now.more + (parts)it->now.rate * (time - it->now.begin)) / PARTS);
}

#endif
