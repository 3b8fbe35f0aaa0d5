/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors, hooks and where a call comes from. */
#include "carillon/osek_error.h"

struct carillon_osek_failure carillon_osek_failure;
volatile uint8_t carillon_osek_hook;

#if CARILLON_OSEK_ERROR_HOOK
StatusType carillon_osek_fail(const struct carillon_osek_failure *failure, StatusType status)
{
    if ((carillon_osek_hook & IN_ERROR_HOOK) == 0u) {
        const uint32_t saved = carillon_osek_lock();
        const uint8_t hook = carillon_osek_hook;
        carillon_osek_failure = *failure;
        carillon_osek_failure.status = status;
        carillon_osek_hook = IN_ERROR_HOOK;
        ErrorHook(status);
        carillon_osek_hook = hook;
        carillon_osek_unlock(saved);
    }
    return status;
}
#endif

#if CARILLON_OSEK_EXTENDED
uint8_t carillon_osek_place(void)
{
    if (carillon_osek_hook != 0u) {
        return carillon_osek_hook;
    }
    const uint32_t source = carillon_port_current();
    const uint16_t context = (source == 0u) ? 0u : carillon_osek_contexts[source];
    if ((source != 0u) && (context == 0u)) {
        return 0u; /* what is time-triggered */
    }
    if ((context & CARILLON_OSEK_ISR1) != 0u) {
        return IN_ISR1;
    }
    if ((context & CARILLON_OSEK_ISR2) != 0u) {
        return IN_ISR2;
    }
    return (carillon_osek_running != INVALID_TASK) ? IN_TASK : 0u;
}
#endif

#if CARILLON_OSEK_TASK_HOOKS
/* Whether the task that goes on when the running one has ended has been told that it was preempted.  A task that
 * higher ones preempt in a row is told once. */
static bool told;

static void call(void (*hook)(void))
{
    const uint32_t saved = carillon_osek_lock();
    carillon_osek_hook = IN_TASK_HOOK;
    hook();
    carillon_osek_hook = 0u;
    carillon_osek_unlock(saved);
}

void carillon_osek_enter_hooks(TaskType before, TaskType task)
{
    const uint32_t saved = carillon_osek_lock();
#if CARILLON_OSEK_POSTTASK_HOOK
    if ((before != INVALID_TASK) && !told) {
        call(PostTaskHook);
    }
#endif
    (void)before;
    told = false;
    carillon_osek_running = task;
#if CARILLON_OSEK_PRETASK_HOOK
    call(PreTaskHook);
#endif
    carillon_osek_unlock(saved);
}

void carillon_osek_end_hooks(void)
{
#if CARILLON_OSEK_POSTTASK_HOOK
    call(PostTaskHook);
#endif
    told = true; /* whatever goes on now was told, or is nobody */
}

/* Called when the handler has nothing left to do: what it preempted goes on, unless another level is pending, or a
 * task that was chained has come in between and has seen to it. */
void carillon_osek_leave_hooks(TaskType before, uint32_t held)
{
    const uint32_t saved = carillon_osek_lock();
    if ((before != INVALID_TASK) && told &&
        !carillon_osek_pending_above(
            (uint8_t)((held > carillon_osek_tasks[before].level) ? held : carillon_osek_tasks[before].level))) {
        told = false;
#if CARILLON_OSEK_PRETASK_HOOK
        call(PreTaskHook);
#endif
    }
    carillon_osek_unlock(saved);
}
#endif
