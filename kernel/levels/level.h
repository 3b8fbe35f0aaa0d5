/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's own lock, and how levels are raised and requested.  What a level is: state.h. */
#ifndef CARILLON_OSEK_LEVEL_H
#define CARILLON_OSEK_LEVEL_H

#include "kernel/levels/budget.h"

/* The kernel's own lock: interrupts of the event-triggered system wait, and no time-triggered interrupt does. */
#if CARILLON_OSEK_SOFTWARE
#include "kernel/levels/level_software.h"
#else
static inline uint32_t carillon_osek_lock(void)
{
    return carillon_port_raise(CARILLON_OSEK_TOP);
}
static inline void carillon_osek_unlock(uint32_t saved)
{
    carillon_port_restore(saved);
}
#if !CARILLON_OSEK_INLINE
extern volatile bool carillon_osek_over[]; /* with task hooks (level_hooks.c, 4) */
#endif
static inline void carillon_osek_request(struct carillon_store request, uint8_t level)
{
    if (CARILLON_OSEK_TASK_HOOKS) {
        carillon_osek_over[level] = false;
    }
    carillon_port_write(request.address, request.value);
}
static inline void carillon_osek_request_in_handler(struct carillon_store request, uint8_t level)
{
    carillon_osek_request(request, level);
}
static inline void carillon_osek_request_unlocked(struct carillon_store request, uint8_t level)
{
    carillon_osek_request(request, level);
}
static inline uint32_t carillon_osek_hold(void)
{
    return carillon_osek_lock();
}
static inline void carillon_osek_release(uint32_t mask)
{
    carillon_osek_unlock(mask);
}
/* A level's handler begins a job: it masks up to the job's ceiling.  Returns the mask as it was.  Without resources
 * that only some levels of tasks use, a handler begins only where nothing is masked: where the port takes long to say
 * so, it is not asked. */
#if CARILLON_OSEK_BEGINS_MASKED || !defined(CARILLON_PORT_ASKS_FOR_MASK)
static inline uint32_t carillon_osek_enter(uint8_t ceiling, uint8_t level)
{
    const bool masks = (level < CARILLON_OSEK_TOP) && (ceiling > level);
    return masks ? carillon_port_raise(ceiling) : carillon_port_mask();
}
#else
static inline uint32_t carillon_osek_enter(uint8_t ceiling, uint8_t level)
{
    if ((level < CARILLON_OSEK_TOP) && (ceiling > level)) {
        (void)carillon_port_raise(ceiling);
    }
    return 0u;
}
#endif
static inline void carillon_osek_leave(uint32_t mask)
{
    carillon_port_restore(mask);
}
#if CARILLON_OSEK_BUDGETS
/* Where a level's handler begins, it takes the lock; what lowers that where a job begins, if `outer` was masked before;
 * and the budget of what the handler preempts.  The latter are locked. */
static inline uint32_t carillon_osek_begin_held(void)
{
    return carillon_osek_lock();
}
static inline uint32_t carillon_osek_begin_mask(uint32_t outer, uint8_t ceiling, uint8_t level)
{
    return (ceiling > level) ? carillon_port_higher(outer, carillon_port_mask_of(ceiling)) : outer;
}
static inline struct carillon_budget_left carillon_osek_take_budget(void)
{
    return carillon_budget_take();
}
static inline void carillon_osek_give_budget(struct carillon_budget_left left)
{
    carillon_budget_give(left);
}
#endif
static inline uint32_t carillon_osek_raise(uint8_t level)
{
    return carillon_port_raise(level);
}
/* What masks as much as a mask that was saved, and a level of tasks besides. */
static inline uint32_t carillon_osek_raised(uint32_t saved, uint8_t level)
{
    return carillon_port_higher(saved, carillon_port_mask_of(level));
}
static inline uint32_t carillon_osek_mask(void)
{
    return carillon_port_mask();
}
static inline void carillon_osek_lower(uint32_t saved)
{
    carillon_port_restore(saved);
}
#endif

#endif
