/* SPDX-License-Identifier: Apache-2.0
 *
 * The software interrupt controller. */
#include "kernel/osek/error.h"

#if CARILLON_OSEK_SOFTWARE

/* Sets of levels, in words that the processor handles at once. */
#if __SIZEOF_INT__ == 2
typedef uint8_t word;
#define WORD_BITS 8u

static word bit(uint8_t place)
{
    static const word bits[WORD_BITS] = {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u}; /* it shifts by one place at a time */
    return bits[place];
}

static uint8_t top_bit(word set)
{
    uint8_t rest = set;
    uint8_t place = 0u;
    if (rest >= 16u) {
        rest = (uint8_t)(rest >> 4);
        place = 4u;
    }
    if (rest >= 4u) {
        rest = (uint8_t)(rest >> 2);
        place = (uint8_t)(place + 2u);
    }
    return (rest >= 2u) ? (uint8_t)(place + 1u) : place;
}
#else
typedef uint32_t word;
#define WORD_BITS 32u

static word bit(uint8_t place)
{
    return UINT32_C(1) << place;
}

static uint8_t top_bit(word set)
{
    return (uint8_t)(31u - (uint32_t)__builtin_clz((unsigned)set));
}
#endif

#define WORDS ((CARILLON_OSEK_TASK_LEVELS / WORD_BITS) + 1u)
#define SUMS (((WORDS - 1u) / WORD_BITS) + 1u)

volatile uint8_t carillon_software_level;
volatile uint8_t carillon_software_locked;
static volatile word pending[WORDS];
#if CARILLON_OSEK_TASK_LEVELS >= WORD_BITS
static volatile word words[SUMS]; /* which words of `pending` are not 0 */
#endif

/* The highest pending level, 0 if there is none: its time does not depend on how many there are. */
static uint8_t highest(void)
{
    uint8_t number = 0u;
#if CARILLON_OSEK_TASK_LEVELS >= WORD_BITS
    uint8_t sum = (uint8_t)(SUMS - 1u);
    while ((words[sum] == 0u) && (sum != 0u)) { /* bounded by SUMS, which is 1 for up to 63 levels */
        sum--;
    }
    const word set = words[sum];
    if (set == 0u) {
        return 0u;
    }
    number = (uint8_t)((sum * WORD_BITS) + top_bit(set));
#endif
    const word levels = pending[number];
    return (levels == 0u) ? 0u : (uint8_t)((number * WORD_BITS) + top_bit(levels));
}

static void clear(uint8_t level)
{
    const uint8_t number = (uint8_t)(level / WORD_BITS);
    const word rest = (word)(pending[number] & (word)~bit(level % WORD_BITS));
    pending[number] = rest;
#if CARILLON_OSEK_TASK_LEVELS >= WORD_BITS
    if (rest == 0u) {
        words[number / WORD_BITS] &= (word)~bit(number % WORD_BITS);
    }
#endif
}

static void set(uint8_t level)
{
    const uint8_t number = (uint8_t)(level / WORD_BITS);
    pending[number] |= bit(level % WORD_BITS);
#if CARILLON_OSEK_TASK_LEVELS >= WORD_BITS
    words[number / WORD_BITS] |= bit(number % WORD_BITS);
#endif
}

void carillon_osek_request(struct carillon_store request, uint8_t level)
{
    (void)request;
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
    set(level);
    if (carillon_port_current() != 0u) {
        carillon_port_request(CARILLON_OSEK_DISPATCHER);
    }
    carillon_port_restore(saved);
}

#define LEVEL_OF(saved) ((uint8_t)((saved) >> CARILLON_SOFTWARE_LEVEL_SHIFT))
#define LOCK ((carillon_software_state)(CARILLON_SOFTWARE_LEVEL(1u) >> 1))

carillon_software_state carillon_software_mask(void)
{
    const carillon_software_state lock = (carillon_software_locked != 0u) ? LOCK : 0u;
    return (carillon_software_state)(CARILLON_SOFTWARE_LEVEL(carillon_software_level) | lock |
                                     (carillon_software_state)carillon_port_mask());
}

carillon_software_state carillon_software_lock(void)
{
    const carillon_software_state saved = carillon_software_mask();
    (void)carillon_port_raise(CARILLON_OSEK_TOP);
    carillon_software_locked = 1u;
    return saved;
}

carillon_software_state carillon_software_raise(uint8_t level)
{
    const carillon_software_state saved = carillon_software_mask();
    const uint8_t task_level = (level > CARILLON_OSEK_TASK_LEVELS) ? (uint8_t)CARILLON_OSEK_TASK_LEVELS : level;
    if (level > CARILLON_OSEK_TASK_LEVELS) { /* first: what an interrupt in between requests would wait for the level */
        (void)carillon_port_raise(CARILLON_OSEK_PORT_LEVEL(level));
    }
    if (task_level > carillon_software_level) {
        carillon_software_level = task_level;
    }
    return saved;
}

void carillon_software_lower(carillon_software_state saved)
{
    const bool locked = (saved & LOCK) != 0u;
    carillon_software_level = LEVEL_OF(saved);
    carillon_software_locked = locked ? 1u : 0u;
    carillon_port_restore((carillon_software_state)(saved & (LOCK - 1u)));
    if (!locked && (carillon_port_current() == 0u) && (highest() > carillon_software_level)) {
        carillon_software_deliver();
    }
}

/* 1. A level is pending or its handler has begun: both change under the lock.
 * 2. A handler returns with the level that it was called with, so that what it preempted goes on at its own.
 * 3. What became pending meanwhile is seen by the next turn; what an interrupt requests after the last look comes
 *    with the dispatcher's interrupt.
 * 4. With task hooks: `handler` is the level whose handler was called last and has not returned, 0 if there is none.
 *    It changes under the lock, too, so that after the last look it says what goes on here: a handler outside of its
 *    job if it is above the level of the running task, else that task (carillon_osek_leave_hooks). */
void carillon_software_deliver(void)
{
#if CARILLON_OSEK_TASK_HOOKS
    static volatile uint8_t handler;
#endif
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
    uint8_t level = highest();
    /* Bounded by the levels above the current one and their requests. */
    while ((level > carillon_software_level) && (carillon_software_locked == 0u)) {
        const uint8_t preempted = carillon_software_level;
        clear(level);
        carillon_software_level = level;
#if CARILLON_OSEK_TASK_HOOKS
        const uint8_t outer = handler;
        handler = level;
#endif
        carillon_port_restore(saved);
        carillon_software_handlers[level]();
        (void)carillon_port_raise(CARILLON_OSEK_TOP);
#if CARILLON_OSEK_TASK_HOOKS
        handler = outer;
#endif
        carillon_software_level = preempted;
        level = highest();
    }
#if CARILLON_OSEK_TASK_HOOKS
    carillon_osek_leave_hooks(handler);
#endif
    carillon_port_restore(saved);
}

void carillon_software_dispatch(void)
{
#if CARILLON_OSEK_SLICES
    if (carillon_slice_ends()) { /* what is pending has been delivered since */
        return;
    }
#endif
    if (highest() > carillon_software_level) {
        carillon_port_run_base(carillon_software_deliver);
    }
}

#endif
