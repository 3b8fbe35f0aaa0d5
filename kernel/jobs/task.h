/* SPDX-License-Identifier: Apache-2.0
 *
 * What others use of tasks. */
#ifndef CARILLON_OSEK_TASK_H
#define CARILLON_OSEK_TASK_H

#include "kernel/jobs/job.h"

/* Count one more activation of a managed task, without making it ready; locked.  E_OK, E_OS_LIMIT, or
 * E_OS_PROTECTION_ARRIVAL: it comes too early. */
StatusType carillon_osek_count(TaskType task);

/* Activate a task, and say the same.  It is served before this returns if its level allows. */
StatusType carillon_osek_activate(TaskType task);

/* The same, locked: it is served when the lock is undone. */
StatusType carillon_osek_activate_locked(TaskType task);

/* Back from the running managed task to its level's handler. */
void carillon_osek_end(void) __attribute__((noreturn));

/* What the handler of a level does when a job is over: its task fell off its end, or has ended. */
void carillon_osek_missing_end(void);
static inline __attribute__((always_inline)) void carillon_osek_check_end(TaskType task,
                                                                          const struct carillon_osek_task *fixed)
{
    if ((CARILLON_OSEK_MISSING_END != 0) && (carillon_osek_jobs[task].next == CARILLON_OSEK_GOES_ON) &&
        !carillon_osek_waits(fixed)) {
        carillon_osek_missing_end();
    }
}
void carillon_osek_ended(TaskType task, TaskType before);
/* The task that runs, or that interrupts alone have preempted; INVALID_TASK if there is none. */
TaskType carillon_osek_current(void);

/* The services, under other names than those by which the linker chooses the vectors. */
StatusType carillon_osek_TerminateTask(void);
StatusType carillon_osek_ChainTask(TaskType task);
StatusType carillon_chain_direct(TaskType task); /* from a direct task */

/* Lower what runs to its own level for a moment. */
#if CARILLON_OSEK_SOFTWARE
static inline void carillon_osek_yield(uint8_t level, uint8_t ceiling)
{
    const carillon_software_state rest = CARILLON_SOFTWARE_LEVEL(1u) - 1u;
    carillon_osek_lower((carillon_osek_mask() & rest) | CARILLON_SOFTWARE_LEVEL(level));
    (void)carillon_osek_raise(ceiling);
}
#else
static inline void carillon_osek_yield(uint8_t level, uint8_t ceiling)
{
    carillon_port_restore(carillon_port_mask_of(level));
    (void)carillon_port_raise(ceiling);
}
#endif

#endif
