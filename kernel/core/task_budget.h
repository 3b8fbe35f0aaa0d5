/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution budgets of the rounds' tasks with a cell for each task (Sloth on Time, section IV-D).  The cell counts down
 * what is left of its task's budget, while a job of the task runs.  A cell that stands keeps its count.  So no handler
 * reads a counter, and none is written back.  Where cells are few, one cell does it for all (round_budget.h).
 *
 * 1. The cells' sources have the level above all that is time-triggered.  So a job is stopped whatever it does, unless
 *    it has locked all interrupts: then it is stopped where it unlocks them.
 * 2. Each handler of a round stops all these cells in its first instructions, and lets that of the job which it has
 *    preempted go on in its last ones.  So does each interrupt of the application.
 * 3. What is watched is one word: what is stored to PAUSE and RESUME for the job's cell; 0 stands for none, and a store
 *    of 0 does nothing.  So a handler asks no question.
 * 4. No lock keeps these handlers out, so they may come between any two instructions of what stands here.  To all that
 *    they preempt, the word is as it was.  A handler that has cleared the word may be preempted before it stops the
 *    cells.  The other one then finds no word, and still stops them all.  If the other one comes before the word is
 *    cleared, it lets the cell go on at its end, until the first one stops it.  So a cell counts in the first and last
 *    instructions of a handler at most.
 * 5. A job is watched after its frame has been made, and until its function has returned (carillon_port_call does
 *    both).  So whoever is struck has a frame to unwind to.
 * 6. A cell that has counted down stands, and reads 0 or less.  It may have asked in the first or the last
 *    instructions of a handler that preempts the job.  There the job cannot be ended.  The handler of the cell lets it count on for some
 *    units.  If the word does not name the job any more, it leaves the cell at 0: whoever lets the cell go on is asked
 *    at once.  The time to the next look varies, as in kernel/levels/budget.h (6).
 * 7. A job that is ended returns from carillon_port_call.  So its handler goes on behind the call as ever.
 * 8. A task may call another task's function.  That is the caller's own work, and uses up the caller's budget. */
#ifndef CARILLON_TASK_BUDGET_KERNEL_H
#define CARILLON_TASK_BUDGET_KERNEL_H

#include "carillon_round_budget.h" /* of the cells: PAUSE, RESUME, ALL, RETRY, STEP */
#include "kernel/core/kernel.h"

/* A task of the rounds with a budget: units of its cell, the cell's word, where it has its count, and its source. */
struct carillon_task_budget {
    uint32_t units;
    uint32_t cell;
    carillon_address counter;
    uint16_t source;
    uint16_t task;
};
extern const struct carillon_task_budget carillon_task_budgets[CARILLON_ROUND_BUDGETS];

/* The word of the cell that counts, 0: none does; and in which source's handler the last job of each task runs. */
extern volatile uint32_t carillon_task_budget_watched;
extern volatile uint32_t carillon_task_budget_sources[CARILLON_ROUND_BUDGETS];

/* In the first and the last instructions of a handler, and at the end of a job: what was watched, and now is not. */
uint32_t carillon_task_budget_stops(void);
void carillon_task_budget_goes_on(uint32_t watched);

/* The job of a task begins, and has ended. */
static inline void carillon_task_budget_begins(uint32_t number)
{
    const struct carillon_task_budget *const budget = &carillon_task_budgets[number];
    carillon_task_budget_sources[number] = carillon_port_current();
    carillon_port_write(budget->counter, budget->units);
    carillon_task_budget_watched = budget->cell;
    carillon_port_write(CARILLON_ROUND_BUDGET_RESUME, budget->cell);
}
static inline void carillon_task_budget_ends(uint32_t number)
{
    carillon_task_budget_watched = 0u;
    carillon_port_write(CARILLON_ROUND_BUDGET_PAUSE, carillon_task_budgets[number].cell);
}

/* In the handler of the cells; `frame`: where it was entered (carillon_port_preempted). */
void carillon_task_budget_strikes(const void *frame);

#endif
