/* SPDX-License-Identifier: Apache-2.0
 *
 * Guests: threads that go on at a level above their own, for they hold mutexes and have waited (kernel/time/mutex.c).
 *
 * 1. A level is requested once, whether a guest is ready, or its own task, or both.  Its handler runs guests first.  A
 *    handler that has run a guest requests the level anew if somebody is left (run.h).
 * 2. A level has no more guests than there are threads that hold mutexes, and each is in one line. */
#ifndef CARILLON_OSEK_GUEST_H
#define CARILLON_OSEK_GUEST_H

#include "kernel/osek/level.h"

#ifdef __cplusplus
extern "C" {
#endif

#if CARILLON_OSEK_MUTEXES > 0

/* Of a mutex that is held: the mask that its unlocking restores; and what its holder had locked before it, plus 1. */
struct carillon_osek_held {
    uint32_t saved;
    uint8_t below;
};
extern struct carillon_osek_held carillon_osek_held[];

/* Make a thread a guest of its ceiling's level, if that is higher than its own; locked, or in the clock's handler.
 * Returns whether it is one. */
bool carillon_osek_wakes_as_guest(TaskType task);

/* Whether a level has a guest; and the guest that goes on now, if there is one; locked. */
bool carillon_osek_has_guest(uint8_t number);
TaskType carillon_osek_take_guest(uint8_t number);

/* A mutex is not its holder's any more; locked. */
void carillon_osek_lets_go(uint8_t number, TaskType task);

/* The running thread goes on, having waited: nothing that it holds masks any more. */
void carillon_osek_goes_on(void);

/* A job is over: unlock what it holds; locked (kernel/time/mutex.c). */
void carillon_osek_unlock_all(TaskType task);

#endif

#ifdef __cplusplus
}
#endif

#endif
