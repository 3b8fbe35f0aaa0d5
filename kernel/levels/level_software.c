/* SPDX-License-Identifier: Apache-2.0
 *
 * The software interrupt controller. */
#include "kernel/levels/level_hooks.h"

#if CARILLON_OSEK_SOFTWARE

/* A set of levels is an array of words. */
#define WORD_BITS CARILLON_SOFTWARE_WORD_BITS
#define SUMS (((CARILLON_SOFTWARE_WORDS - 1u) / WORD_BITS) + 1u)

#if CARILLON_NARROW
static carillon_software_word bit(uint8_t place)
{
    static const carillon_software_word bits[] = {1u,  2u,  4u,  8u,
                                                  16u, 32u, 64u, 128u}; /* a shift takes a turn a place */
    return bits[place];
}

static uint8_t top_bit(carillon_software_word set)
{
    carillon_software_word rest = set;
    uint8_t place = 0u;
    if (rest >= 16u) {
        rest = (carillon_software_word)(rest >> 4);
        place = 4u;
    }
    if (rest >= 4u) {
        rest = (carillon_software_word)(rest >> 2);
        place = (uint8_t)(place + 2u);
    }
    return (rest >= 2u) ? (uint8_t)(place + 1u) : place;
}
#else
static carillon_software_word bit(uint8_t place)
{
    return UINT32_C(1) << place;
}

static uint8_t top_bit(carillon_software_word set)
{
    return (uint8_t)(31u - (uint32_t)__builtin_clz((unsigned)set));
}
#endif

/* The highest level in a set that is not empty, and its bit.  Where registers are narrow and one word has all levels:
 * in as many turns as there are levels, at most 7. */
static uint8_t highest(carillon_software_word set, carillon_software_word *highest_bit)
{
    if ((CARILLON_NARROW != 0) && (CARILLON_SOFTWARE_WORDS == 1u)) {
        uint8_t place = CARILLON_OSEK_TASK_LEVELS;
        carillon_software_word one = 1u;
        one = (carillon_software_word)(one << (CARILLON_OSEK_TASK_LEVELS % WORD_BITS));
        while ((set & one) == 0u) {
            place--;
            one = (carillon_software_word)(one >> 1);
        }
        *highest_bit = one;
        return place;
    }
    const uint8_t place = top_bit(set);
    *highest_bit = bit(place);
    return place;
}

struct carillon_software carillon_software;
static carillon_software_word words[SUMS]; /* which words are not 0; not asked where there is one */

/* What is the highest pending level now?  Its time does not depend on how many there are. */
static __attribute__((noinline)) uint8_t find_top(void)
{
    uint8_t number = 0u;
    uint8_t level = 0u;
    if (CARILLON_SOFTWARE_WORDS > 1u) {
        uint8_t sum = (uint8_t)(SUMS - 1u);
        while ((words[sum] == 0u) && (sum != 0u)) { /* bounded by SUMS, which is 1 for up to 63 levels */
            sum--;
        }
        if (words[sum] != 0u) {
            number = (uint8_t)((sum * WORD_BITS) + top_bit(words[sum]));
        }
    }
    const carillon_software_word levels = carillon_software.pending[number];
    if (levels != 0u) {
        level = (uint8_t)((number * WORD_BITS) + highest(levels, &carillon_software.top_bit));
    }
    carillon_software.top = level;
    return level;
}

/* The handler of the highest pending level begins: it is not pending any more. */
static inline void level_begins(uint8_t level)
{
    const uint8_t number = CARILLON_SOFTWARE_WORD_OF(level);
    const carillon_software_word others = (carillon_software_word)~carillon_software.top_bit;
    const carillon_software_word rest = (carillon_software_word)(carillon_software.pending[number] & others);
    carillon_software.pending[number] = rest;
    if ((CARILLON_SOFTWARE_WORDS > 1u) && (rest == 0u)) {
        words[number / WORD_BITS] &= (carillon_software_word)~bit(number % WORD_BITS);
    }
    carillon_software.level = level;
}

/* A handler has returned, locked or not, and at whatever level: what it preempted goes on at its own, unless the level
 * that this returns is higher. */
static inline uint8_t level_ended(uint8_t preempted)
{
    carillon_software.locked = 0u;
    carillon_software.level = preempted;
    return find_top();
}

#if CARILLON_OSEK_TASK_LEVELS >= CARILLON_SOFTWARE_WORD_BITS
void carillon_software_sum(uint8_t level)
{
    const uint8_t number = (uint8_t)(level / WORD_BITS);
    words[number / WORD_BITS] |= bit(number % WORD_BITS);
}
#endif

void carillon_software_request(carillon_software_word level_bit, uint8_t level)
{
    carillon_software_pend(level_bit, level);
    if ((CARILLON_HANDLERS_HOLD == 0) && (carillon_port_current() != 0u)) {
        carillon_port_request(CARILLON_OSEK_DISPATCHER);
    }
}

#define LEVEL_OF(saved) ((uint8_t)((saved) >> CARILLON_SOFTWARE_LEVEL_SHIFT))
#define LOCK ((carillon_software_state)(CARILLON_SOFTWARE_LEVEL(1u) >> 1))

/* What goes on here, with the processor's mask. */
static carillon_software_state state(uint32_t mask)
{
    const carillon_software_state lock = (carillon_software.locked != 0u) ? LOCK : 0u;
    return (carillon_software_state)(CARILLON_SOFTWARE_LEVEL(carillon_software.level) | lock |
                                     (carillon_software_state)mask);
}

carillon_software_state carillon_software_mask(void)
{
    return state(carillon_port_mask());
}

carillon_software_state carillon_software_lock(void)
{
    const carillon_software_state saved = state(carillon_port_raise(CARILLON_OSEK_TOP));
    carillon_software.locked = 1u;
    return saved;
}

carillon_software_state carillon_software_raise(uint8_t level)
{
    const carillon_software_state saved = carillon_software_mask();
    const uint8_t task_level = (level > CARILLON_OSEK_TASK_LEVELS) ? (uint8_t)CARILLON_OSEK_TASK_LEVELS : level;
    if (level > CARILLON_OSEK_TASK_LEVELS) { /* first: what an interrupt in between requests would wait for the level */
        (void)carillon_port_raise(CARILLON_OSEK_PORT_LEVEL(level));
    }
    if (task_level > carillon_software.level) {
        carillon_software.level = task_level;
    }
    return saved;
}

void carillon_software_lower(carillon_software_state saved)
{
    const uint8_t level = LEVEL_OF(saved);
    const uint8_t locked = ((saved & LOCK) != 0u) ? 1u : 0u;
    carillon_software.level = level;
    carillon_software.locked = locked;
    carillon_port_restore((carillon_software_state)(saved & (LOCK - 1u)));
    if ((carillon_software.top > level) && (locked == 0u) && (carillon_port_current() == 0u)) {
        CARILLON_RUN(carillon_software_deliver);
    }
    if ((CARILLON_OSEK_SLICES != 0) && (carillon_slices_over != 0u)) {
        carillon_slice_ends_here();
    }
    if ((CARILLON_BUDGETS_IN_QUEUE != 0) && (carillon_budget_asks != 0u)) {
        carillon_budget_ends_here();
    }
}

/* The handler that was called last and has not returned, where task hooks ask (4). */
#if CARILLON_OSEK_TASK_HOOKS
static volatile uint8_t handler;
static inline void note_handler(uint8_t level)
{
    handler = level;
}
#else
enum { handler = 0 };
static inline void note_handler(uint8_t level)
{
    (void)level;
}
#endif

/* 1. A level is pending or its handler has begun: both change under the lock, or with interrupts held.
 * 2. While a level's handler runs, carillon_software.top is at least that level, even if no more is pending.  Whoever
 *    requests, unlocks or ends a handler of an interrupt asks only for what is higher than the running level.  What
 *    runs within a level's handler never has a lower level.  So it is enough to find the highest pending level when the
 *    handler has returned.
 * 3. What became pending meanwhile is seen by the next turn; what an interrupt requests after the last look comes
 *    with the dispatcher's interrupt.
 * 4. With task hooks: `handler` is the level whose handler was called last and has not returned, 0 if there is none.
 *    It changes under the lock, too, so that after the last look it says what goes on here.  This is a handler
 *    outside of its job if `handler` is above the level of the running task, else that task
 *    (carillon_osek_delivered_hooks).
 *
 * Returns the mask that is to be restored. */
static inline __attribute__((always_inline)) uint32_t deliver(void)
{
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
    const uint8_t preempted = carillon_software.level;
    const struct carillon_budget_left left = carillon_osek_pause_budget();
    uint8_t level = carillon_software.top;
    while (level > preempted) { /* bounded by the levels above the current one and their requests */
        level_begins(level);
        const uint8_t outer = handler;
        note_handler(level);
        carillon_osek_let_begin(saved);
        carillon_software_handlers[level]();
        (void)carillon_port_raise(CARILLON_OSEK_TOP);
        note_handler(outer);
        level = level_ended(preempted);
    }
    if (CARILLON_OSEK_TASK_HOOKS) {
        carillon_osek_delivered_hooks(handler);
    }
    carillon_osek_resume_budget(left);
    return saved;
}

void carillon_software_deliver(void)
{
    carillon_port_restore(deliver());
}

#if CARILLON_BASE_ENDS_LOCKED && (CARILLON_OSEK_TASK_HOOKS || CARILLON_OSEK_BUDGETS || !CARILLON_HANDLERS_HOLD)
void carillon_software_deliver_at_base(void)
{
    (void)deliver();
}
#endif

#if CARILLON_HANDLERS_HOLD
/* Interrupts are off whenever carillon_port_run_base does not run, so nothing comes between the look and the handler
 * that it leads to.  Nothing is locked or masked then either, since what the frame's handler has preempted had them on.
 */
#if CARILLON_OSEK_TASK_HOOKS || CARILLON_OSEK_BUDGETS
void carillon_software_above(uint8_t level, uint8_t preempted)
{
    (void)level;
    (void)preempted;
    carillon_port_run_base(CARILLON_DELIVER_AT_BASE);
}
#else
void carillon_software_above(uint8_t level, uint8_t preempted)
{
    uint8_t next = level;
    do { /* bounded as above */
        level_begins(next);
        carillon_port_run_base(carillon_software_handlers[next]);
        next = level_ended(preempted);
    } while (next > preempted);
}
#endif
#else
void carillon_software_dispatch(void)
{
    if (carillon_software.top > carillon_software.level) {
        carillon_port_run_base(CARILLON_DELIVER_AT_BASE);
    }
    /* What is pending when the thread has its turn again, has been delivered since. */
    if ((CARILLON_OSEK_SLICES != 0) && (carillon_slices_over != 0u)) {
        carillon_slice_ends();
    }
    if ((CARILLON_BUDGETS_IN_QUEUE != 0) && (carillon_budget_asks != 0u)) {
        carillon_budget_ends();
    }
}
#endif

#endif
