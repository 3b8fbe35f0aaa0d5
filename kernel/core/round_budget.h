/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution budgets of the rounds' tasks (Sloth on Time, section IV-D): one cell counts down what is left of the budget
 * of the job that runs.  The cell runs all the time and begins anew at CARILLON_ROUND_BUDGET_RANGE, as the one of
 * event-triggered jobs does (kernel/levels/budget.h).  Of a cell that is a match of a free counter, "counter" means
 * below how far the match lies ahead (cells/<family>/budget.h).
 *
 * 1. The cell's source has a level above all that is time-triggered.  So a job is stopped whatever it does, unless it
 *    has locked all interrupts: then it is stopped where it unlocks them.
 * 2. Each handler of a round keeps the counter's reading and what is watched in its first instructions, and writes both
 *    back in its last ones.  So does each interrupt of the application.  So only the job uses up its budget, whatever
 *    preempts it.
 * 3. No lock keeps these handlers out, but for some instructions of a driver.  So they may come between any two
 *    instructions of what stands here.  They keep the reading even if nothing is watched.  So to all that they preempt,
 *    the counter has stood still.
 * 4. What is watched is one word: the job, where it runs, and whether it is late.  A job is watched after its frame has
 *    been made, and until its function has returned (carillon_port_call does both).  So whoever is struck has a frame
 *    to unwind to.
 * 5. What the counter reads while nothing is watched may be anything.  So before the word is written, the counter is
 *    set to a reading that is far from 0, and to what is left afterwards.  So it does not go through 0 unseen, and no
 *    handler in between takes the job for late.  Nobody reads back what has just been written.
 * 6. The cell may ask in the first or the last instructions of a handler that preempts the job.  There the job cannot
 *    be ended.  The handler of the cell notes that the job is late and asks again some units later.  A late job that
 *    goes on is asked for at once.  The time to the next look varies, as in kernel/levels/budget.h (6).
 * 7. A job that is ended returns from carillon_port_call.  So its handler goes on behind the call as ever: it disarms
 *    deadlines, serves an activation that waits, and writes back what it has kept.
 * 8. A task may call another task's function.  That is the caller's own work, and uses up the caller's budget. */
#ifndef CARILLON_ROUND_BUDGET_KERNEL_H
#define CARILLON_ROUND_BUDGET_KERNEL_H

#include "carillon_round_budget.h" /* of the cell: COUNTER or a driver, RANGE, SOURCE, RETRY, STEP */
#include "kernel/core/kernel.h"

/* The word that says what is watched, and that together with what the counter reads.  A processor of narrow words has a
 * counter of 16 bits, and its port knows of no source where a job runs. */
#if CARILLON_NARROW
typedef uint16_t carillon_round_budget_word;
typedef uint32_t carillon_round_budget_kept;
#define CARILLON_ROUND_BUDGET_BITS 16u
#define CARILLON_ROUND_BUDGET_NUMBER UINT16_C(0x7FFF)
#define CARILLON_ROUND_BUDGET_LATE UINT16_C(0x8000)
#define CARILLON_ROUND_BUDGET_WORD(number, source) ((carillon_round_budget_word)(number))
#define CARILLON_ROUND_BUDGET_SOURCE_OF(job) UINT32_C(0)
#else
typedef uint32_t carillon_round_budget_word;
typedef uint64_t carillon_round_budget_kept;
#define CARILLON_ROUND_BUDGET_BITS 32u
#define CARILLON_ROUND_BUDGET_NUMBER UINT32_C(0xFFFF)
#define CARILLON_ROUND_BUDGET_LATE UINT32_C(0x80000000)
#define CARILLON_ROUND_BUDGET_WORD(number, source) ((number) | ((source) << 16u))
#define CARILLON_ROUND_BUDGET_SOURCE_OF(job) (((job) & ~CARILLON_ROUND_BUDGET_LATE) >> 16u)
#endif

/* A function of the rounds with a budget: units of the cell, and the first task in the schedule that runs it. */
struct carillon_round_budget {
    carillon_round_budget_word units;
    uint16_t task;
};
extern const struct carillon_round_budget carillon_round_budgets[];

/* What is watched, 0: nothing; the function's number and 1, the source in whose handler it runs, and whether it is
 * late. */
extern volatile carillon_round_budget_word carillon_round_budget_watched;

/* What the counter reads, and what it is to read.  BEGUN: how much more is kept for a job that goes on.  So nobody loses
 * the part of a unit that has begun where a driver counts that as whole. */
#ifdef CARILLON_ROUND_BUDGET_COUNTER
#define CARILLON_ROUND_BUDGET_BEGUN 0u
static inline carillon_round_budget_word carillon_round_budget_left(void)
{
    return carillon_port_read(CARILLON_ROUND_BUDGET_COUNTER);
}
static inline void carillon_round_budget_set(carillon_round_budget_word units)
{
    carillon_port_write(CARILLON_ROUND_BUDGET_COUNTER, units);
}
#else
carillon_round_budget_word carillon_round_budget_left(void);
void carillon_round_budget_set(carillon_round_budget_word units);
#endif

/* Whether a budget of which so much is left has been used up. */
static inline bool carillon_round_budget_is_over(carillon_round_budget_word left)
{
    const carillon_round_budget_word behind = (carillon_round_budget_word)(left - 1u);
    return behind >= (CARILLON_ROUND_BUDGET_RANGE / 2u);
}

/* The job is late, and is to be ended as soon as it runs. */
static inline void carillon_round_budget_ask(carillon_round_budget_word job)
{
    carillon_round_budget_watched = job | CARILLON_ROUND_BUDGET_LATE;
    carillon_round_budget_set(1u);
}

/* A processor that stores the word in pieces is not interrupted meanwhile. */
static inline void carillon_round_budget_name(carillon_round_budget_word job)
{
    const uint32_t saved = CARILLON_NARROW ? carillon_port_lock() : 0u;
    carillon_round_budget_watched = job;
    if (CARILLON_NARROW) {
        carillon_port_unlock(saved);
    }
}

/* Watch a job of which so many units are left, at least 1. */
static inline void carillon_round_budget_watch(carillon_round_budget_word job, carillon_round_budget_word units)
{
    carillon_round_budget_set(CARILLON_ROUND_BUDGET_RANGE / 4u); /* see 5 */
    carillon_round_budget_name(job);
    carillon_round_budget_set(units);
}

/* The job of a function begins, and has ended. */
static inline void carillon_round_budget_begins(uint32_t number)
{
    carillon_round_budget_watch(CARILLON_ROUND_BUDGET_WORD(number + 1u, carillon_port_current()),
                                carillon_round_budgets[number].units);
}
static inline void carillon_round_budget_ends(void)
{
    carillon_round_budget_name(0u);
}

/* In the first and the last instructions of a handler: what was watched, and what the counter read. */
carillon_round_budget_kept carillon_round_budget_stops(void);
void carillon_round_budget_goes_on(carillon_round_budget_kept kept);

/* In the handler of the cell; `frame`: where it was entered (carillon_port_preempted). */
void carillon_round_budget_strikes(const void *frame);

#endif
