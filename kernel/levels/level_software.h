/* SPDX-License-Identifier: Apache-2.0
 *
 * A software interrupt controller for task levels, for processors that have no priorities or are not to use them.
 * Like the hardware, it has a pending bit for each level, the level of what runs, and handlers that nest.
 *
 * The processor still serves the application's interrupts.  The levels that they request are served when the last of
 * them has returned: they request an interrupt below all others (CARILLON_OSEK_DISPATCHER), whose handler delivers. */
#ifndef CARILLON_SOFTWARE_H
#define CARILLON_SOFTWARE_H

#include "kernel/core/kernel.h"

/* Of ports that have interrupts off in every handler, and whose frames call the dispatcher. */
#ifndef CARILLON_HANDLERS_HOLD
#define CARILLON_HANDLERS_HOLD 0
#endif
/* Of ports whose carillon_port_run_base comes back with interrupts off, whatever the function has left masked. */
#ifndef CARILLON_BASE_ENDS_LOCKED
#define CARILLON_BASE_ENDS_LOCKED 0
#endif

/* The handler of each task level, from 1. */
extern const carillon_vector carillon_software_handlers[];

/* The levels that are pending, in words that the processor handles at once, and the highest of them, with its bit.
 * If none is higher than the level that runs, it may be any up to that; 0: none. */
#if __SIZEOF_INT__ == 2
typedef uint8_t carillon_software_word;
#define CARILLON_SOFTWARE_WORD_BITS 8u
#else
typedef uint32_t carillon_software_word;
#define CARILLON_SOFTWARE_WORD_BITS 32u
#endif
#if CARILLON_OSEK_TASK_LEVELS < CARILLON_SOFTWARE_WORD_BITS
#define CARILLON_SOFTWARE_WORDS 1u
#define CARILLON_SOFTWARE_WORD_OF(level) 0u
#else
#define CARILLON_SOFTWARE_WORDS ((CARILLON_OSEK_TASK_LEVELS / CARILLON_SOFTWARE_WORD_BITS) + 1u)
#define CARILLON_SOFTWARE_WORD_OF(level) ((uint8_t)((level) / CARILLON_SOFTWARE_WORD_BITS))
#endif
struct carillon_software {
    volatile uint8_t level;  /* of what runs, ceilings included */
    volatile uint8_t locked; /* whether the kernel's lock is held */
    volatile uint8_t top;    /* ports/avr/carillon_port.h reads it, and the level */
    carillon_software_word top_bit;
    carillon_software_word pending[CARILLON_SOFTWARE_WORDS];
};
extern struct carillon_software carillon_software;
void carillon_software_sum(uint8_t level); /* its word is not 0 */

/* What the table of a task has: the bit of its level. */
#define CARILLON_SOFTWARE_REQUEST(level)                                    \
    {                                                                       \
        0u, (carillon_value)(1u << ((level) % CARILLON_SOFTWARE_WORD_BITS)) \
    }

/* Put a level among the pending ones.  To be called locked, or in a handler that is preempted by nothing that would
 * request a level. */
static inline void carillon_software_pend(carillon_software_word level_bit, uint8_t level)
{
    carillon_software_word *const word = &carillon_software.pending[CARILLON_SOFTWARE_WORD_OF(level)];
    *word = (carillon_software_word)(*word | level_bit);
    if (CARILLON_SOFTWARE_WORDS > 1u) {
        carillon_software_sum(level);
    }
    if (level > carillon_software.top) {
        carillon_software.top = level;
        carillon_software.top_bit = level_bit;
    }
}

/* Request a level; locked. */
void carillon_software_request(carillon_software_word level_bit, uint8_t level);
static inline void carillon_osek_request(struct carillon_store request, uint8_t level)
{
    carillon_software_request((carillon_software_word)request.value, level);
}
/* The same in the clock's handler, and where nothing is locked. */
static inline void carillon_software_request_in_handler(carillon_software_word level_bit, uint8_t level)
{
    carillon_software_pend(level_bit, level);
    if (CARILLON_HANDLERS_HOLD == 0) {
        carillon_port_request(CARILLON_OSEK_DISPATCHER);
    }
}
static inline void carillon_osek_request_in_handler(struct carillon_store request, uint8_t level)
{
    carillon_software_request_in_handler((carillon_software_word)request.value, level);
}
static inline void carillon_osek_request_unlocked(struct carillon_store request, uint8_t level)
{
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
    carillon_osek_request(request, level);
    carillon_port_restore(saved);
}

/* Each function that raises returns the value that carillon_software_lower takes: the level, the lock and the
 * processor's mask, in one register or two. */
#if __SIZEOF_INT__ == 2
typedef uint16_t carillon_software_state;
#define CARILLON_SOFTWARE_LEVEL_SHIFT 8
#else
typedef uint32_t carillon_software_state;
#define CARILLON_SOFTWARE_LEVEL_SHIFT 24
#endif
#define CARILLON_SOFTWARE_LEVEL(level) ((carillon_software_state)(level) << CARILLON_SOFTWARE_LEVEL_SHIFT)
carillon_software_state carillon_software_mask(void);
carillon_software_state carillon_software_lock(void);
carillon_software_state carillon_software_raise(uint8_t level);
void carillon_software_lower(carillon_software_state saved);

static inline uint32_t carillon_osek_mask(void)
{
    return carillon_software_mask();
}
static inline uint32_t carillon_osek_lock(void)
{
    return carillon_software_lock();
}
static inline uint32_t carillon_osek_raise(uint8_t level)
{
    return carillon_software_raise(level);
}
/* What masks as much as a mask that was saved, and a level of tasks besides. */
static inline uint32_t carillon_osek_raised(uint32_t saved, uint8_t level)
{
    const carillon_software_state state = (carillon_software_state)saved;
    const carillon_software_state rest = CARILLON_SOFTWARE_LEVEL(1u) - 1u;
    const carillon_software_state raised = CARILLON_SOFTWARE_LEVEL(level);
    return (raised > state) ? (raised | (state & rest)) : state;
}
static inline void carillon_osek_lower(uint32_t saved)
{
    carillon_software_lower((carillon_software_state)saved);
}
static inline void carillon_osek_unlock(uint32_t saved)
{
    carillon_osek_lower(saved);
}
/* Lock where nothing is locked, and where what was masked is not asked for as a rule: in a service that waits, at a
 * job's end.  Returns what releases the lock. */
static inline uint32_t carillon_osek_hold(void)
{
    const uint32_t mask = carillon_port_raise(CARILLON_OSEK_TOP);
    carillon_software.locked = 1u;
    return mask;
}
static inline void carillon_osek_release(uint32_t mask)
{
    carillon_software_lower((carillon_software_state)(CARILLON_SOFTWARE_LEVEL(carillon_software.level) | mask));
}
/* What a level's handler begins and ends with.  Who has called it undoes the lock and the level. */
static inline uint32_t carillon_osek_enter(uint8_t ceiling, uint8_t level)
{
    if (ceiling > level) {
        (void)carillon_software_raise(ceiling);
    }
    return 0u;
}
static inline void carillon_osek_leave(uint32_t mask)
{
    (void)mask;
}
#if CARILLON_OSEK_BUDGETS
/* Where a level's handler begins: whoever delivers holds the lock, and has written what was masked before it. */
static inline uint32_t carillon_osek_begin_held(void)
{
    return carillon_budget.mask;
}
/* What lowers the lock where a job begins: to its ceiling, or to a level above those of tasks, which is masked. Whoever
 * delivers takes the budget of what is preempted. */
static inline uint32_t carillon_osek_begin_mask(uint32_t outer, uint8_t ceiling, uint8_t level)
{
    const uint8_t own = (ceiling > level) ? ceiling : level;
    if (own > CARILLON_OSEK_TASK_LEVELS) {
        return (uint32_t)CARILLON_SOFTWARE_LEVEL(CARILLON_OSEK_TASK_LEVELS) |
               carillon_port_higher(outer, carillon_port_mask_of(CARILLON_OSEK_PORT_LEVEL(own)));
    }
    return (uint32_t)CARILLON_SOFTWARE_LEVEL(own) | outer;
}
static inline struct carillon_budget_left carillon_osek_take_budget(void)
{
    return (struct carillon_budget_left){0u, CARILLON_UNWATCHED};
}
static inline void carillon_osek_give_budget(struct carillon_budget_left left)
{
    (void)left;
    carillon_budget.state = CARILLON_UNWATCHED;
}

/* Whoever delivers takes the budget of what is preempted: between jobs nothing is watched, where nothing is locked.  A
 * level's handler may begin, locked until its job's frame stands.  What was preempted goes on. */
static inline struct carillon_budget_left carillon_osek_pause_budget(void)
{
    const struct carillon_budget_left left = carillon_budget_take();
    carillon_budget.state = CARILLON_UNWATCHED;
    return left;
}
static inline void carillon_osek_let_begin(uint32_t saved)
{
    carillon_budget.mask = saved;
    carillon_software.locked = 1u;
}
static inline void carillon_osek_resume_budget(struct carillon_budget_left left)
{
    carillon_budget_give(left);
}
#else
static inline struct carillon_budget_left carillon_osek_pause_budget(void)
{
    return (struct carillon_budget_left){0u};
}
static inline void carillon_osek_let_begin(uint32_t saved)
{
    carillon_port_restore(saved);
}
static inline void carillon_osek_resume_budget(struct carillon_budget_left left)
{
    (void)left;
}
#endif

/* Run the handlers of pending levels above the current one. */
void carillon_software_deliver(void);

/* The same for carillon_port_run_base: where that ends locked, this leaves interrupts masked.  Suppose the mask were
 * restored before.  An interrupt that is due whenever its handler has ended would come, deliver, and be interrupted
 * there itself.  Each would leave its frame on the stack. */
#if CARILLON_BASE_ENDS_LOCKED
void carillon_software_deliver_at_base(void);
#define CARILLON_DELIVER_AT_BASE carillon_software_deliver_at_base
#else
#define CARILLON_DELIVER_AT_BASE carillon_software_deliver
#endif

#if CARILLON_HANDLERS_HOLD
/* What the frame of a handler calls, if a level is pending that is higher than what the handler has preempted.  After
 * that it looks for slices that are over. */
void carillon_software_above(uint8_t level, uint8_t preempted);
#else
/* The handler of CARILLON_OSEK_DISPATCHER. */
void carillon_software_dispatch(void);
#endif

#endif
