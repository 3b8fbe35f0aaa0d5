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

#ifdef __cplusplus
extern "C" {
#endif

/* What runs: its level, ceilings included, and whether the kernel's lock is held. */
extern volatile uint8_t carillon_software_level;
extern volatile uint8_t carillon_software_locked;

/* The handler of each task level, from 1. */
extern const carillon_vector carillon_software_handlers[];

/* Request a level; locked. */
void carillon_osek_request(struct carillon_store request, uint8_t level);

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
static inline void carillon_osek_lower(uint32_t saved)
{
    carillon_software_lower((carillon_software_state)saved);
}
static inline void carillon_osek_unlock(uint32_t saved)
{
    carillon_osek_lower(saved);
}

/* Run the handlers of pending levels above the current one. */
void carillon_software_deliver(void);

/* In the dispatcher's handler: whether a slice has ended.  If so, the running thread has given way, and has its turn
 * again. */
bool carillon_slice_ends(void);

/* The handler of CARILLON_OSEK_DISPATCHER. */
void carillon_software_dispatch(void);

#ifdef __cplusplus
}
#endif

#endif
