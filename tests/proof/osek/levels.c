/* SPDX-License-Identifier: Apache-2.0
 *
 * The software interrupt controller, from any set of pending levels.
 *
 * What holds between any two of its steps: the sums say which words are not empty, and if a level is pending above the
 * one that runs, `top` is the highest. */
#include "proof.h"

#define CARILLON_OSEK_SOFTWARE 1
#define CARILLON_OSEK_TASK_LEVELS LEVELS
#include "kernel/levels/level_software.c"

static unsigned runs;
static uint8_t ran;
static void run(void)
{
    runs++;
    ran = carillon_software.level;
}
const carillon_vector carillon_software_handlers[LEVELS + 1u] = {[0 ... LEVELS] = run};

static bool is_pending(uint8_t level)
{
    return ((carillon_software.pending[CARILLON_SOFTWARE_WORD_OF(level)] >> (level % WORD_BITS)) & 1u) != 0u;
}

/* A level that is higher than every pending one, or is the highest: any such. */
static bool is_highest(uint8_t level)
{
    for (unsigned k = 0u; k < CARILLON_SOFTWARE_WORDS; k++) {
        const carillon_software_word set = carillon_software.pending[k];
        const unsigned first = k * WORD_BITS;
        if (first > level) {
            if (set != 0u) {
                return false;
            }
        } else if (level - first < WORD_BITS - 1u) {
            if ((set >> (level - first + 1u)) != 0u) {
                return false;
            }
        } else {
            /* all of its levels are up to it */
        }
    }
    return (level == 0u) || is_pending(level);
}

static bool sums_hold(void)
{
    if (CARILLON_SOFTWARE_WORDS > 1u) {
        if ((words[SUMS - 1u] >> (CARILLON_SOFTWARE_WORDS % WORD_BITS)) != 0u) {
            return false;
        }
        for (unsigned k = 0u; k < CARILLON_SOFTWARE_WORDS; k++) {
            const bool told = ((words[k / WORD_BITS] >> (k % WORD_BITS)) & 1u) != 0u;
            if (told != (carillon_software.pending[k] != 0u)) {
                return false;
            }
        }
    }
    return true;
}

static uint8_t highest_pending; /* 0: none */

static bool holds(void)
{
    const bool above = highest_pending > carillon_software.level;
    return sums_hold() && (above ? ((carillon_software.top == highest_pending) &&
                                    (carillon_software.top_bit == (UINT32_C(1) << (highest_pending % WORD_BITS))))
                                 : (carillon_software.top <= carillon_software.level));
}

/* Any state between two steps, of which nothing is locked. */
static void any_state(void)
{
    for (unsigned k = 0u; k < CARILLON_SOFTWARE_WORDS; k++) {
        carillon_software.pending[k] = nondet_uint();
    }
    for (unsigned k = 0u; k < SUMS; k++) {
        words[k] = nondet_uint();
    }
    assume((carillon_software.pending[0] & 1u) == 0u); /* there is no level 0 */
    highest_pending = (uint8_t)any(0u, LEVELS);
    assume(is_highest(highest_pending));
    carillon_software.level = (uint8_t)any(0u, LEVELS);
    carillon_software.top = (uint8_t)any(0u, LEVELS);
    carillon_software.top_bit = nondet_uint();
    assume(holds());
}

/* A level becomes pending, in a handler of the processor or not. */
static void request(void)
{
    any_state();
    active = nondet_uint();
    const uint8_t level = (uint8_t)any(1u, LEVELS);
    const uint8_t other = (uint8_t)any(1u, LEVELS);
    assume(other != level);
    const bool was = is_pending(other);
    carillon_software_request((carillon_software_word)(UINT32_C(1) << (level % WORD_BITS)), level);
    assert(is_pending(level));
    assert(is_pending(other) == was); /* and no other level has changed */
    highest_pending = (level > highest_pending) ? level : highest_pending;
    assert(holds());
    assert((active == 0u) || dispatch_is_due); /* it is delivered when the last handler has returned */
}

/* The highest level begins, and ends at once. */
static void begin_and_end(void)
{
    any_state();
    assume(carillon_software.top > carillon_software.level);
    const uint8_t preempted = carillon_software.level;
    const uint8_t other = (uint8_t)any(1u, LEVELS);
    assume(other != highest_pending);
    const bool was = is_pending(other);
    level_begins(carillon_software.top);
    assert((carillon_software.level == highest_pending) && !is_pending(highest_pending));
    assert(is_pending(other) == was);
    assert(sums_hold());
    const uint8_t next = (uint8_t)any(0u, LEVELS); /* what is the highest now */
    assume(is_highest(next));
    assert(next < highest_pending);
    const uint8_t found = level_ended(preempted);
    highest_pending = next;
    assert((found == next) && (carillon_software.level == preempted) && holds());
}

/* What is raised, or locked, is as it was when it is lowered, at whatever level and mask. */
static void raise_and_lower(void)
{
    any_state();
    active = 1u; /* nothing is delivered */
    mask = any(0u, 0xFFFFu);
    const uint32_t masked = mask;
    const uint8_t level = carillon_software.level;
    const uint8_t to = (uint8_t)any(0u, LEVELS);
    const carillon_software_state outer = carillon_software_raise(to);
    assert(carillon_software.level == ((to > level) ? to : level));
    const carillon_software_state inner = carillon_software_lock();
    assert((carillon_software.locked == 1u) && (mask >= CARILLON_OSEK_TOP));
    carillon_software_lower(inner);
    assert((carillon_software.locked == 0u) && (mask == masked));
    assert(carillon_software.level == ((to > level) ? to : level));
    carillon_software_lower(outer);
    assert((carillon_software.level == level) && (carillon_software.locked == 0u) && (mask == masked));
    assert(runs == 0u);
}

int main(void)
{
    STEP();
    THE_END;
}
