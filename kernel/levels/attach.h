/* SPDX-License-Identifier: Apache-2.0
 *
 * Where extensions attach: all that the kernel calls of parts that are above it in the order of docs/DESIGN.md.
 *
 * An extension is not known to what is below it but for these functions.  What an image does not have is empty here, so
 * that whoever calls asks for nothing.  All are called locked, or in the clock's handler, unless they say otherwise.
 * The places, and what comes first at each:
 *
 *   a job is admitted     time frames (frame.h), deadlines of threads; a thread that rests is resumed
 *   it becomes ready      servers, before the level is requested: the server's budget may have to be made whole
 *   it waits for a turn   slices: what ends them does not rest
 *   it begins             servers: whether it may, and who is charged; budgets (preempt.h)
 *   it ends               mutexes, which others may get; deadlines, before what is chained may be the same task; joins
 *   a resource is taken   slices: the thread does not give way meanwhile
 *   the lock is left      slices, then budgets: the end of a job needs its turn
 *   the clock is due      what each has put into its queue
 *   StartOS               the clock (kernel/clock/begin.h), servers, threads */
#ifndef CARILLON_OSEK_ATTACH_H
#define CARILLON_OSEK_ATTACH_H

#include <stdbool.h>

#include "carillon/osek.h"

/* A job is admitted: its thread is released, and its deadline counts (kernel/time/wait_release.c).  It has been
 * refused: if its thread has suspended itself, that is resumed, and this is true (kernel/time/thread.c). */
#if CARILLON_TIME_DEADLINES > 0
void carillon_time_released(TaskType thread);
#else
static inline void carillon_time_released(TaskType thread)
{
    (void)thread;
}
#endif
#if CARILLON_TIME_SUSPENSIONS
bool carillon_time_resumes(TaskType thread);
#else
static inline bool carillon_time_resumes(TaskType thread)
{
    (void)thread;
    return false;
}
#endif

/* A thread of a level becomes ready (kernel/time/server.c). */
#if CARILLON_SERVERS_CONSTANT
void carillon_server_readies(uint8_t level);
#else
static inline void carillon_server_readies(uint8_t level)
{
    (void)level;
}
#endif

/* A job of a level is to begin: whether a thread of a server may run now.  It begins, or goes on: returns the server
 * that was charged until then, plus 1; 0: none.  It has ended or waits, and what it has preempted goes on, which is
 * charged to the server `before`. */
bool carillon_server_admits(uint8_t level);
#if CARILLON_OSEK_SERVERS > 0
uint8_t carillon_server_begins(uint8_t level);
void carillon_server_ends(uint8_t level, uint8_t before);
#else
static inline uint8_t carillon_server_begins(uint8_t level)
{
    (void)level;
    return 0u;
}
static inline void carillon_server_ends(uint8_t level, uint8_t before)
{
    (void)level;
    (void)before;
}
#endif

/* A job is over: what it holds is unlocked (kernel/time/mutex.c); it has met its deadline; and those go on that wait
 * for the thread's end. */
#if CARILLON_OSEK_MUTEXES > 0
void carillon_osek_unlock_all(TaskType task);
#else
static inline void carillon_osek_unlock_all(TaskType task)
{
    (void)task;
}
#endif
#if CARILLON_TIME_DEADLINES > 0
void carillon_time_met(TaskType thread);
#else
static inline void carillon_time_met(TaskType thread)
{
    (void)thread;
}
#endif
#if CARILLON_TIME_JOINS
void carillon_time_thread_ended(TaskType thread);
#else
static inline void carillon_time_thread_ended(TaskType thread)
{
    (void)thread;
}
#endif

/* Before a resource of this ceiling is taken, and when it has been released (kernel/time/wait.c): no thread gives way
 * meanwhile.  Not locked. */
#if CARILLON_OSEK_SLICES
void carillon_slice_hold(uint8_t ceiling);
void carillon_slice_let_go(uint8_t ceiling);
#else
static inline void carillon_slice_hold(uint8_t ceiling)
{
    (void)ceiling;
}
static inline void carillon_slice_let_go(uint8_t ceiling)
{
    (void)ceiling;
}
#endif

/* Somebody waits for a turn while another thread of the level has it: what ends slices does not rest from now on; locked
 * (kernel/time/wait.c). */
#if CARILLON_OSEK_SLICES_REST
void carillon_slices_wanted(void);
#else
static inline void carillon_slices_wanted(void)
{
}
#endif

/* The lock is left, where dispatch is in software.  carillon_slices_over says whether the slice of some thread has
 * ended that could not give way yet.  The functions look whether the running thread can: in a handler that has
 * preempted it, and where it unlocks.  If so, the thread gives way, and they return when it has its turn again.
 * carillon_budget_asks says whether the job that runs is late (budget.h, 16): it ends, at the same places. */
extern volatile uint8_t carillon_slices_over;
void carillon_slice_ends(void);
void carillon_slice_ends_here(void);
extern volatile uint8_t carillon_budget_asks;
void carillon_budget_ends(void);
void carillon_budget_ends_here(void);

/* The clock is due: the end of a server's budget, or its return.  A budget may end now (budget.h, 15).  The deadline
 * of a thread has been taken out.  The thread of a level that runs, if one does, gives way as at the end of a slice. */
struct carillon_timed;
void carillon_server_over(uint8_t server);
void carillon_server_again(uint8_t server);
void carillon_budget_due(void);
void carillon_time_deadline_due(struct carillon_timed *timed);
void carillon_slice_ends_at(uint8_t number);

/* As the job that runs: it ends here, unless it is not late any more (strike.c). */
void carillon_budget_end_late_job(void);

/* The deadline of a thread has been missed: the application's function is told (osek.c). */
void carillon_time_tell_missed(TaskType thread);

/* An expiry gives a semaphore a unit (kernel/time/wait.c); false: it has as many as it may have. */
struct carillon_semaphore;
bool carillon_semaphore_give(struct carillon_semaphore *semaphore);

/* StartOS has activated what it activates: the budgets of servers are whole, and count; offsets and deadlines of
 * threads count. */
#if CARILLON_OSEK_SERVERS > 0
void carillon_server_start(void);
#else
static inline void carillon_server_start(void)
{
}
#endif
#if (CARILLON_TIME_OFFSETS > 0) || (CARILLON_TIME_DEADLINES > 0)
void carillon_time_start_threads(void);
#else
static inline void carillon_time_start_threads(void)
{
}
#endif

/* The threads begin that a program for another kernel has made before StartOS. */
#if CARILLON_RTOS_HEAP > 0
void carillon_rtos_start(void);
#else
static inline void carillon_rtos_start(void)
{
}
#endif

/* StartOS begins: the board's real-time clock starts, which may take long, so nothing is masked. */
#if CARILLON_TIME_RTC
void carillon_calendar_start(void);
#else
static inline void carillon_calendar_start(void)
{
}
#endif

#endif
