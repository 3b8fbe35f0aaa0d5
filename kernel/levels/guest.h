/* SPDX-License-Identifier: Apache-2.0
 *
 * Guests: threads that go on at a level above their own, for they hold mutexes and have waited (kernel/time/mutex.c).
 *
 * 1. A level is requested once, whether a guest is ready, or its own task, or both.  Its handler runs guests first.  A
 *    handler that has run a guest requests the level anew if somebody is left (run.h).
 * 2. A level has no more guests than there are threads that hold mutexes, and each is in one line. */
#ifndef CARILLON_OSEK_GUEST_H
#define CARILLON_OSEK_GUEST_H

#include "kernel/levels/level.h"

#if CARILLON_OSEK_MUTEXES > 0

/* Of what a thread holds: the mutex that it has locked last, plus 1. */
static inline uint8_t carillon_osek_last_of(TaskType task)
{
    return (uint8_t)carillon_osek_mutexes.holders[task].last;
}

/* From now on unlocking may do more than restore the mask. */
static inline void carillon_osek_hold_on(struct carillon_osek_holder *holder)
{
    holder->last = (uint16_t)(holder->last | CARILLON_OSEK_HOLDS_ON);
}

/* The highest ceiling of the mutexes that a thread holds; 0: it holds none.  Bounded by the number of mutexes. */
uint8_t carillon_osek_ceiling_of(TaskType task);

/* The level below which nothing may be let in while a task runs: its own, or the ceiling of a mutex that it holds. */
static inline uint8_t carillon_osek_least_level(TaskType task)
{
    const uint8_t level = carillon_osek_level_of(task);
    const uint8_t ceiling = carillon_osek_ceiling_of(task);
    return (ceiling > level) ? ceiling : level;
}

/* Make a thread that holds mutexes a guest of its ceiling's level, if that is higher than its own; locked, or in the
 * clock's handler.  Returns whether it is one. */
bool carillon_osek_wakes_as_guest(TaskType task);

/* May a thread become a guest?  Where registers are narrow, nobody asks before the call. */
static inline bool carillon_osek_may_be_guest(TaskType task)
{
    return (CARILLON_NARROW != 0) || (carillon_osek_mutexes.holders[task].last != 0u);
}

/* Of each level, the first guest, plus 1; 0: it has none. */
extern volatile uint8_t carillon_osek_guests[];

/* Whether a level has a guest.  The level's handler alone takes guests, so one that it sees stays.  It need not be
 * locked: whoever makes another one requests the level once more. */
static inline bool carillon_osek_has_guest(uint8_t number)
{
    return carillon_osek_guests[number] != 0u;
}

/* The guest that goes on now; there is one; locked. */
static inline TaskType carillon_osek_take_guest(uint8_t number)
{
    const TaskType task = (TaskType)(carillon_osek_guests[number] - 1u);
    carillon_osek_guests[number] = carillon_osek_mutexes.holders[task].next;
    return task;
}

/* A mutex is not the last that its holder has locked, and is not its holder's any more; locked. */
void carillon_osek_lets_go_of_lower(uint8_t number, struct carillon_osek_holder *holder);

/* The running thread goes on, having waited: nothing that it holds masks any more; it holds something.  In a service
 * that waits it stands for itself, in all others once (guest.c), as where registers are narrow. */
static inline void carillon_osek_unmask_held(struct carillon_osek_holder *holder)
{
    const uint32_t mask = carillon_osek_mask();
    uint_fast8_t number = (uint8_t)holder->last;
    carillon_osek_hold_on(holder);
    do { /* bounded by the number of mutexes */
        struct carillon_osek_held *const held = &carillon_osek_mutexes.held[number - 1u];
        held->saved = mask;
        number = (uint8_t)held->below;
    } while (number != 0u);
}
void carillon_osek_holds_unmasked(void);
static inline void carillon_osek_goes_on(void)
{
    if (carillon_osek_may_be_guest((TaskType)carillon_osek_running)) {
        carillon_osek_holds_unmasked();
    }
}

/* A guest of a level has run.  The level is requested anew if somebody is left. */
void carillon_osek_guest_has_run(uint8_t number);

#else

static inline bool carillon_osek_wakes_as_guest(TaskType task)
{
    (void)task;
    return false;
}
static inline bool carillon_osek_may_be_guest(TaskType task)
{
    (void)task;
    return false;
}
static inline bool carillon_osek_has_guest(uint8_t number)
{
    (void)number;
    return false;
}
static inline TaskType carillon_osek_take_guest(uint8_t number)
{
    (void)number;
    return INVALID_TASK;
}
static inline void carillon_osek_goes_on(void)
{
}
static inline void carillon_osek_guest_has_run(uint8_t number)
{
    (void)number;
}

static inline uint8_t carillon_osek_least_level(TaskType task)
{
    return carillon_osek_tasks[task].level;
}

#endif

#endif
