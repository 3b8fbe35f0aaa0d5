/* SPDX-License-Identifier: Apache-2.0
 *
 * The state that the kernel keeps, and what its parts share.  The constants that the tool writes are in
 * kernel/contract/osek.h.
 *
 * A level is a priority.  The lowest levels are the application's task priorities, and those of its interrupts are
 * above them.  Levels count from 1.  With hardware dispatch, they are also the controller's levels.  A task level has
 * one handler, which runs one job of one of the level's tasks.  The handler is requested like an interrupt, and is an
 * interrupt unless dispatch is in software.
 *
 * There are two kinds of tasks.  The vector of a direct task is its function, and the controller's active and pending
 * bits are its state.  At run time, only ActivateTask and similar services know of a direct task.  A managed task has
 * a job record, and its level's handler is carillon_osek_run. */
#ifndef CARILLON_OSEK_STATE_H
#define CARILLON_OSEK_STATE_H

#include "carillon/osek.h"
#include "kernel/contract/osek.h"
#include "kernel/levels/attach.h"

/* Whether StartOS has been called and ShutdownOS has not, where somebody asks. */
extern bool carillon_osek_up;
#define CARILLON_OSEK_UP_IS_ASKED ((CARILLON_MODES > 0) || (CARILLON_CLOCK_HOOKED != 0))

/* The managed task that runs, INVALID_TASK if none does. */
extern volatile uint_fast8_t carillon_osek_running;

/* The places from which services are called, a bit for each.  A service names those that it allows (chapter 12). */
#define IN_TASK 1u
#define IN_ISR1 2u
#define IN_ISR2 4u
#define IN_ERROR_HOOK 8u
#define IN_TASK_HOOK 16u
#define IN_SYSTEM_HOOK 32u /* StartupHook or ShutdownHook: no service allows only one of them */
#define IN_PROTECTION_HOOK 64u
#define IN_CALLBACK 128u

/* The hook or callback that runs, 0: none. */
extern volatile uint8_t carillon_osek_hook;

extern volatile uint16_t carillon_osek_hook_source; /* in extended status */

/* Threads that hold mutexes (kernel/time/mutex.c).  When such a thread has waited, it goes on as a guest of the level
 * that is the highest ceiling of what it holds (guest.c). */
#if CARILLON_OSEK_MUTEXES > 0

/* The level at which a task runs. */
static inline uint8_t carillon_osek_level_of(TaskType task)
{
    const uint8_t at = carillon_osek_mutexes.holders[task].at;
    return (at != 0u) ? at : carillon_osek_tasks[task].level;
}

#else

static inline uint8_t carillon_osek_level_of(TaskType task)
{
    return carillon_osek_tasks[task].level;
}

#endif

#endif
