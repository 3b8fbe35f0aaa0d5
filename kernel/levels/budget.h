/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution budgets (AUTOSAR OS, 7.7.2): one cell counts down what is left of the budget of the job that runs.
 *
 * The cell runs all the time and begins anew at CARILLON_BUDGET_RANGE.  A budget is at most half of that, so that a
 * reading above the half is one that has gone through 0.  While the job that runs has no budget, nothing is watched,
 * and what the cell asks for means nothing.
 *
 * 1. The source of the cell has a level above all that the application can mask.  So an overrun is seen while the
 *    application has interrupts disabled.  The kernel's own lock masks that level, too: no service is cut in two.
 * 2. A handler that preempts a job pauses the job's budget, and resumes it when the job goes on, each under the lock.
 *    What is left stands in a variable of the handler that preempts.  So only the job itself uses up its budget,
 *    whatever preempts it and however often.
 * 3. A request that waits while the budget changes means nothing to the job that has begun since: the handler looks
 *    at what is left, not at the request.
 * 4. A job begins, goes on after WaitEvent and ends under the lock, which is lowered only where its frame stands
 *    (carillon_budget_body), and is raised before the frame is left.  So wherever a budget strikes a job, there is a
 *    frame to unwind to, and the job is the one that runs (carillon_osek_running).
 * 5. A budget may also strike in the first or last instructions of a handler that preempts the job, before it has
 *    paused the budget or after it has resumed it.  It may strike in an ISR of category 1, too, which pauses nothing.
 *    There the job is preempted and cannot be ended.  The handler notes that the job is late, and asks again some units
 *    later.  A late job that is paused has one unit left.
 * 6. A job that is preempted again and again has little time between, and if the handler asked again after the same
 *    time always, it might miss the job for ever.  So of CARILLON_BUDGET_RETRY units, which are more than the handlers'
 *    first and last instructions take, each time it asks CARILLON_BUDGET_STEP units sooner than the last time, and then
 *    begins anew.  A job that runs for as long as a step between two preemptions is met before all have been tried.
 *    ISRs of category 1 may be long.  In one, the handler asks again in CARILLON_BUDGET_PATIENCE units, so that it
 *    takes little of their time.
 * 7. A hook holds the lock for as long as it likes, and the cell may count past its half meanwhile.  So a request of
 *    former jobs that waits is forgotten before the hook, and a request that waits behind the hook says that the job is
 *    late.
 *
 * Lock budgets bound how long a task holds a resource or disables interrupts, in its own time as the execution budget.
 * Each budget that a job has in force is a limit.
 *
 * 8. The limits of a job are a list, the nearest first, and each keeps by how much the next is further.  So the cell
 *    counts down the nearest alone, and a limit may be put in and taken out in any order.  `state` is the number of the
 *    nearest limit.  So a handler that preempts keeps it with the reading, and begins with a list of its own.
 * 9. A lock has one holder: nobody else takes the resource, and nobody else runs with interrupts disabled.  So a lock's
 *    limit stands in one list at most.
 * 10. The cell's level is not masked by what the application disables, so an overrun is seen while the lock lasts.  If
 *     the kernel's lock hides an overrun, it is seen when the limit is taken out: then the job is late.
 * 11. A late job gets no more limits, and none is taken out: it is ended.  It may be late since an ISR of category 1
 *     ran in it, and be looked for again only after it has released the lock, or ended (6).  So its release asks at
 *     once.
 * 12. A job that ends or waits has no locks: its handler restores the mask.  So all that is in its list goes.
 *
 * Beside a round:
 *
 * 13. The round's handlers are above the kernel's lock.  So they may come anywhere, also between two stores of what
 *     stands above.  Each keeps the reading of the counter in its first instructions, and writes it back in its last
 *     ones, whatever is watched.  To all that a handler preempts, the counter has stood still.  So nothing of 1
 *     to 12 sees the handler.
 * 14. The counter goes on in the round's handlers, and may go through 0 there.  Nobody asked for that, so it is
 *     forgotten, if no request waited before.  The counter is read first: a reading that has gone through 0 says that a
 *     request waits.
 *
 * Without a cell (CARILLON_BUDGETS_IN_QUEUE) the clock of the time services counts (kernel/time/keeper.c), and dispatch
 * is in software.  All that stands above of limits and of who pauses holds.
 *
 * 15. The nearest limit is kept as the time at which it ends if nothing preempts the job, and an event of the clock is
 *     due no later than that.  If the job has been preempted, the event comes too early and is put in again where the
 *     job goes on.  So a preemption moves nothing in the queue, as a rule.  A limit is found to be over by the event,
 *     or where the job goes on.  Then the job is late, and asks for the dispatcher.
 * 16. The dispatcher runs where no handler and nobody with the kernel's lock does.  So if a job is late there, it is
 *     the job that has been preempted, its frame stands by 4, and it ends as if it called TerminateTask there.  What
 *     the application masks, masks the clock and the dispatcher, too: then the job ends where it enables interrupts.
 *     Where it unlocks, it looks itself.
 * 17. A clock that ticks tells no parts of a tick.  So its own handler pauses nothing: a tick counts for the job that
 *     it preempts, and a budget of n ticks is over with the tick after these.
 *
 * ISRs of category 2:
 *
 * 18. The vector of an ISR with a budget pauses what it has preempted, as others do, and watches the ISR as if it were
 *     a job.  It does so from a frame to unwind to on, until that is left, both under the lock.  `state` does not say
 *     whose limit it is, which does not change while the ISR is preempted.  So a variable does, and the vector puts
 *     back its value. */
#ifndef CARILLON_BUDGET_H
#define CARILLON_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/core/kernel.h"
#include "kernel/levels/state.h"

#if CARILLON_OSEK_BUDGETS && CARILLON_BUDGETS_IN_QUEUE
#define CARILLON_BUDGET_HALF (UINT32_C(1) << (CARILLON_TIME_BITS - 1))
#elif CARILLON_OSEK_BUDGETS
/* CARILLON_BUDGET_COUNTER, the address of the cell's counter; CARILLON_BUDGET_RANGE; CARILLON_BUDGET_RETRY, STEP and
 * PATIENCE: see 6. */
#include "carillon_budget.h"
#define CARILLON_BUDGET_HALF (CARILLON_BUDGET_RANGE / 2u)
#endif

/* The source of the ISR that is watched; 0: what is watched is a job (18). */
extern volatile uint16_t carillon_budget_isr;

#if CARILLON_OSEK_BUDGETS

/* What is watched: the number of a limit.  Without lock budgets, there is one at a time. */
enum { CARILLON_UNWATCHED, CARILLON_WATCHED };
#define CARILLON_LATE UINT32_C(0x80000000) /* beside the number */
#define CARILLON_BUDGET_OF_LOCK(lock) (CARILLON_OSEK_TASKS + 1u + (lock))
#if CARILLON_OSEK_LOCKS > 0
#define CARILLON_BUDGET_OF(task) ((task) + 1u)
#define CARILLON_BUDGET_OF_ISR (CARILLON_OSEK_TASKS + CARILLON_OSEK_LOCKS) /* as if it were a task behind them */
#define CARILLON_BUDGET_LIMITS (CARILLON_BUDGET_OF(CARILLON_BUDGET_OF_ISR) + 1u)

/* A limit.  Those that no lock has taken are not in force. */
struct carillon_budget_limit {
    uint32_t beyond; /* by how many units the next one is further */
    uint16_t next;   /* its number, 0: there is none */
    bool is_set;     /* only of locks */
};
extern struct carillon_budget_limit carillon_budget_limits[];
#else
#define CARILLON_BUDGET_OF(task) CARILLON_WATCHED
#define CARILLON_BUDGET_OF_ISR 0u
#endif

/* What is left of the budget of a job that does not run. */
struct carillon_budget_left {
    uint32_t reading; /* of the cell's counter */
    uint32_t state;
};

/* Whether a budget of which so much is left has been used up. */
static inline bool carillon_budget_is_over(uint32_t left)
{
    return (left - 1u) >= CARILLON_BUDGET_HALF;
}

/* What is left; from now on so much is left; and that the job is looked at which is late (15).  All locked. */
#if CARILLON_BUDGETS_IN_QUEUE
uint32_t carillon_budget_reading(void);
void carillon_budget_count(uint32_t units);
static inline void carillon_budget_ask(void)
{
    carillon_budget_asks = 1u;
    carillon_port_request(CARILLON_OSEK_DISPATCHER);
}
#else
static inline uint32_t carillon_budget_reading(void)
{
    return carillon_port_read(CARILLON_BUDGET_COUNTER);
}
static inline void carillon_budget_count(uint32_t units)
{
    carillon_port_write(CARILLON_BUDGET_COUNTER, units);
}
static inline void carillon_budget_ask(void)
{
    carillon_budget_count(1u);
}
#endif

/* What is left for the job that runs; what is watched next, if anything, must be said before the lock is lowered.
 * Whether it is over is looked at when the job goes on: that is later, and a dispatch costs less.  Locked. */
static inline struct carillon_budget_left carillon_budget_take(void)
{
    /* To ask for the time takes long: only where something counts.  A counter is read before the look at the state. */
    if (CARILLON_BUDGETS_IN_QUEUE) {
        const bool counts = carillon_budget.state != CARILLON_UNWATCHED;
        return (struct carillon_budget_left){counts ? carillon_budget_reading() : 0u, carillon_budget.state};
    }
    return (struct carillon_budget_left){carillon_budget_reading(), carillon_budget.state};
}

/* Whether what is over is a lock's limit; a job has no limit behind that of its budget; and no lock's limit is in force
 * any more.  Locked. */
#if CARILLON_OSEK_LOCKS > 0
static inline bool carillon_budget_is_of_lock(void)
{
    return ((carillon_budget.state & ~CARILLON_LATE) - CARILLON_BUDGET_OF_LOCK(0u)) < CARILLON_OSEK_LOCKS;
}
static inline void carillon_budget_follows_nothing(uint32_t task)
{
    carillon_budget_limits[CARILLON_BUDGET_OF(task)].next = 0u;
}
static inline void carillon_budget_forget_locks(void)
{
    uint32_t number = carillon_budget.state & ~CARILLON_LATE;
    while (number != 0u) { /* bounded by the number of locks, and 1 */
        carillon_budget_limits[number].is_set = false;
        number = carillon_budget_limits[number].next;
    }
}
#else
static inline bool carillon_budget_is_of_lock(void)
{
    return false;
}
static inline void carillon_budget_follows_nothing(uint32_t task)
{
    (void)task;
}
static inline void carillon_budget_forget_locks(void)
{
}
#endif

/* Watch a job of a task that has a budget, or none if that is 0.  Locked. */
static inline void carillon_budget_watch(uint32_t task, uint32_t budget)
{
    carillon_budget.state = (budget != 0u) ? CARILLON_BUDGET_OF(task) : CARILLON_UNWATCHED;
    if (budget != 0u) {
        carillon_budget_count(budget);
    }
    carillon_budget_follows_nothing(task);
}

/* Watch the job that goes on.  Locked. */
static inline void carillon_budget_give(struct carillon_budget_left left)
{
    if (left.state == CARILLON_UNWATCHED) {
        carillon_budget.state = CARILLON_UNWATCHED;
    } else {
        const bool over = ((left.state & CARILLON_LATE) != 0u) || carillon_budget_is_over(left.reading);
        if (over) {
            carillon_budget.state = left.state | CARILLON_LATE;
            carillon_budget_ask();
        } else {
            carillon_budget.state = left.state;
            carillon_budget_count(left.reading);
        }
    }
}

/* Around a hook: whether the job may become late in it, and that it has.  Locked. */
bool carillon_budget_before_hook(void);
void carillon_budget_after_hook(void);

/* Generated: what the cell has asked for is forgotten. */
void carillon_budget_forget(void);

#if !CARILLON_BUDGETS_IN_QUEUE
/* In the first and the last instructions of a round's handler: what the counter was, and whether it had asked (13). */
uint32_t carillon_budget_stops(void);
void carillon_budget_goes_on(uint32_t stand);
#endif

#else

struct carillon_budget_left {
    uint32_t reading;
};
static inline bool carillon_budget_before_hook(void)
{
    return false;
}
static inline void carillon_budget_after_hook(void)
{
}

#endif

#if CARILLON_OSEK_LOCKS > 0
/* The caller has a lock, or is to have it no more (CARILLON_LOCK_ALL, ...; a resource by its number). */
void carillon_osek_lock_begins(uint32_t lock);
void carillon_osek_lock_ends(uint32_t lock);
#define LOCK_BEGINS(lock) carillon_osek_lock_begins(lock)
#define LOCK_ENDS(lock) carillon_osek_lock_ends(lock)
#else
#define LOCK_BEGINS(lock)
#define LOCK_ENDS(lock)
#endif

#endif
