/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution budgets: what happens when one is used up. */
#include "kernel/run/strike.h"

#include "kernel/jobs/resource.h"
#include "kernel/jobs/task.h"
#include "kernel/levels/interrupt.h"

#if CARILLON_OSEK_BUDGETS

#if CARILLON_OSEK_MANAGED
/* The job whose budget has been used up ends here, in its own context and masked up to the kernel's lock, as if it
 * called TerminateTask.  If it was ending already, what it has chained is activated. */
static void end_job(void)
{
    (void)carillon_osek_lock();
    carillon_osek_interrupts_reset();
    carillon_osek_resources_reset();
    struct carillon_osek_job *const job = &carillon_osek_jobs[carillon_osek_running];
    if (job->next == CARILLON_OSEK_UNDECIDED) {
        job->next = CARILLON_OSEK_TERMINATED;
    }
    carillon_osek_end();
}
#else
/* Only ISRs have budgets. */
static void end_job(void)
{
}
#endif

/* A function that stays one: a trace shows its calls. */
__attribute__((noinline)) void carillon_osek_budget_overrun(void)
{
    CARILLON_NOTE(carillon_osek_budget_overrun);
    const StatusType error = carillon_budget_is_of_lock() ? E_OS_PROTECTION_LOCKED : E_OS_PROTECTION_TIME;
    carillon_budget_forget_locks();
    carillon_budget.state = CARILLON_UNWATCHED;
    carillon_osek_interrupts_reset(); /* the job does not go on, and the hook may call services */
    if (carillon_osek_ask_protection(error) !=
        PRO_TERMINATETASKISR) { /* no other answer is allowed, or there is no OS-Application to end */
        ShutdownOS(error);
    }
}

#if CARILLON_BUDGETS_IN_QUEUE
void carillon_budget_end_late_job(void)
{
    const uint32_t saved = carillon_osek_lock();
    if ((carillon_budget.state & CARILLON_LATE) != 0u) {
        carillon_osek_budget_overrun();
        end_job();
    }
    carillon_osek_unlock(saved);
}
#else
/* The ISR whose budget has been used up ends here, in its own context; what it masks goes with its frame (isr.c). */
static void end_isr(void)
{
    (void)carillon_osek_lock();
    carillon_osek_interrupts_reset();
    carillon_osek_resources_reset();
    carillon_port_unwind();
}

/* Whether the handler was entered in the job that runs, or the ISR that is watched, and not in what preempts that. */
static bool is_in_job(const void *frame)
{
    const uint32_t source = carillon_port_preempted(frame);
    if ((CARILLON_OSEK_ISR_BUDGETS != 0) && (carillon_budget_isr != 0u)) {
        return source == carillon_budget_isr;
    }
    if (CARILLON_OSEK_SOFTWARE) {
        return source == 0u;
    }
    return (source != 0u) &&
           (carillon_osek_contexts[source] == (CARILLON_OSEK_TASK | carillon_osek_tasks[carillon_osek_running].level));
}

/* In how many units a late job is looked for again (budget.h, 6). */
static uint32_t again(const void *frame)
{
    static uint32_t last;
    const uint32_t source = carillon_port_preempted(frame);
    if ((source != 0u) && ((carillon_osek_contexts[source] & CARILLON_OSEK_ISR1) != 0u)) {
        return CARILLON_BUDGET_PATIENCE;
    }
    const bool is_over = last <= CARILLON_BUDGET_STEP;
    last = is_over ? CARILLON_BUDGET_RETRY : (last - CARILLON_BUDGET_STEP);
    return last;
}

void carillon_budget_strikes(const void *frame)
{
    if (carillon_budget.state == CARILLON_UNWATCHED) {
        return;
    }
    if (((carillon_budget.state & CARILLON_LATE) == 0u) && !carillon_budget_is_over(carillon_budget_reading())) {
        return; /* the request is of a job that has gone */
    }
    if (!is_in_job(frame)) {
        carillon_budget.state |= CARILLON_LATE;
        carillon_budget_count(again(frame));
        return;
    }
    carillon_osek_budget_overrun();
    (void)carillon_port_raise(CARILLON_OSEK_TOP); /* the job's own mask, until its handler restores it */
    const bool is_isr = (CARILLON_OSEK_ISR_BUDGETS != 0) && (carillon_budget_isr != 0u);
    carillon_port_divert(frame, is_isr ? end_isr : end_job);
}

#endif

#endif
