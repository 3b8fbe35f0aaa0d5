/* SPDX-License-Identifier: Apache-2.0
 *
 * Hooks: which one runs, and those of tasks. */
#include "kernel/levels/level_hooks.h"

volatile uint8_t carillon_osek_hook;
#if CARILLON_OSEK_EXTENDED
volatile uint16_t carillon_osek_hook_source;
#endif

#if CARILLON_OSEK_LEVEL_CELLS
void carillon_osek_call_cells(carillon_vector cells)
{
    if ((carillon_osek_hook & IN_ERROR_HOOK) == 0u) {
        cells();
    }
}
#endif

#if CARILLON_OSEK_TASK_HOOKS
/* Task hooks.  A level's handler is entered, enters the hooks, runs its job, ends and leaves; a higher one may preempt
 * it anywhere.  Only while the job runs, from entering to ending, what it preempts is a task.
 *
 * 1. Entering, ending and leaving each are under the lock.  So a handler that preempts another one finds one of two as
 *    the running task, told or not.  It is the task of the other one's job, or the task that the other one has
 *    preempted.  It is never a task that has ended.
 * 2. Entering tells the task that goes on later, once: a task that higher ones preempt in a row keeps `told`.
 * 3. PreTaskHook is for the task that goes on next.  A handler that leaves looks for three kinds of handlers that may
 *    go on before that task does.  The first is that of a level that is pending and that this task does not hold
 *    back.  The second is a handler beneath that has not entered.  The third is a handler beneath that has ended, but
 *    not left.  The handler leaves the hook to these.  They come before the task does, and they find `told` as they
 *    would have without this handler.  Some handlers beneath are outside of their jobs: those of levels above the
 *    running task's.  The handlers of that level and lower ones wait for the end of its job.
 * 4. After a handler has left, nothing of it can call a hook.  A handler that preempts it there must not leave the
 *    hook to it, and so must be able to tell it from the third kind of 3.  The software controller returns from the
 *    handler, and leaves, under one lock.  With hardware a handler stays active until it has returned;
 *    carillon_osek_over says that it has left.  carillon_osek_over is taken back when the level is requested, not when
 *    its handler begins: the handler may be preempted before its first instruction.  Every request of a managed level
 *    is one of carillon_osek_request, and is under the lock. */
static bool told;

static void call(void (*hook)(void))
{
    const uint32_t saved = carillon_osek_lock();
    const struct carillon_osek_hook_state before = carillon_osek_enter_hook(IN_TASK_HOOK);
    hook();
    carillon_osek_leave_hook(before);
    carillon_osek_unlock(saved);
}

/* The running task begins, or goes on. */
static inline void tell(void)
{
    told = false;
    if (CARILLON_OSEK_PRETASK_HOOK) {
        call(PreTaskHook);
    }
}

void carillon_osek_enter_hooks(uint_fast8_t before, TaskType task)
{
    const uint32_t saved = carillon_osek_lock();
    if ((CARILLON_OSEK_POSTTASK_HOOK != 0) && (before != INVALID_TASK) && !told) {
        call(PostTaskHook);
    }
    carillon_osek_running = task;
    tell();
    carillon_osek_unlock(saved);
}

void carillon_osek_end_hooks(void)
{
    (void)carillon_osek_lock();
    if (CARILLON_OSEK_POSTTASK_HOOK) {
        call(PostTaskHook);
    }
    told = true; /* whatever goes on now was told, or is nobody */
}

#if CARILLON_OSEK_SOFTWARE
/* Nothing is pending that may go on now; locked.  `handler` is the level of the handler that does, 0 if there is none.
 */
void carillon_osek_delivered_hooks(uint8_t handler)
{
    const uint_fast8_t running = carillon_osek_running;
    if ((running != INVALID_TASK) && told && (handler <= carillon_osek_level_of((TaskType)running))) {
        tell();
    }
}
#else
volatile bool carillon_osek_over[CARILLON_OSEK_TASK_LEVELS + 1u];

/* Whether something goes on before a task of a level to which the handler of level `number` returns, and which was
 * masked up to the level `held`. */
static bool is_preceded(uint32_t task_level, uint32_t held, uint32_t number)
{
    for (uint32_t level = CARILLON_OSEK_TASK_LEVELS; level > task_level; level--) {
        const uint16_t source = carillon_osek_levels[level].source;
        carillon_osek_serve_cells(&carillon_osek_tasks[carillon_osek_levels[level].task]);
        if (((level > held) && carillon_port_is_pending(source)) ||
            ((level < number) && !carillon_osek_over[level] && carillon_port_is_active(source))) {
            return true;
        }
    }
    return false;
}

/* The handler of a level has nothing left to do; `mask` is what it began with. */
void carillon_osek_leave_hooks(uint8_t number, uint32_t mask)
{
    const uint32_t saved = carillon_osek_lock();
    const uint_fast8_t running = carillon_osek_running;
    if ((running != INVALID_TASK) && told &&
        !is_preceded(carillon_osek_level_of((TaskType)running), carillon_port_level_of(mask), number)) {
        tell();
    }
    carillon_osek_over[number] = !carillon_port_is_pending(carillon_osek_levels[number].source);
    carillon_osek_unlock(saved);
}
#endif
#endif
