/* SPDX-License-Identifier: Apache-2.0
 *
 * Hooks, and what a handler does around a job. */
#ifndef CARILLON_OSEK_LEVEL_HOOKS_H
#define CARILLON_OSEK_LEVEL_HOOKS_H

#include "kernel/levels/level.h"

/* What an interrupt that comes over a hook calls is not called from the hook: so it is kept, too, in which interrupt's
 * handler the hook runs.
 *
 * 1. Of what comes over a hook each has a source of its own, which is not yet being served.  So the current source is
 *    the hook's own only in what the hook calls.
 * 2. The two words are written one after the other.  Who comes between finds the source of neither the hook that is
 *    entered nor of one beneath it, by 1, whatever the other word says.  The AVR writes a word in two steps, but its
 *    sources are below 256, so that only one of them changes anything. */
struct carillon_osek_hook_state {
    uint8_t hook;
    uint16_t source; /* in extended status */
    bool counts;     /* whether the hook may make the job late that it interrupts */
};

/* Enter a hook or callback.  Returns what carillon_osek_leave_hook gets when it has returned. */
static inline struct carillon_osek_hook_state carillon_osek_enter_hook(uint8_t hook)
{
    const struct carillon_osek_hook_state before = {
        .hook = carillon_osek_hook,
        .source = CARILLON_OSEK_EXTENDED ? carillon_osek_hook_source : 0u,
        .counts = carillon_budget_before_hook(),
    };
    if (CARILLON_OSEK_EXTENDED) {
        carillon_osek_hook_source = (uint16_t)carillon_port_current();
    }
    carillon_osek_hook = hook;
    return before;
}

static inline void carillon_osek_leave_hook(struct carillon_osek_hook_state before)
{
    carillon_osek_hook = before.hook;
    if (CARILLON_OSEK_EXTENDED) {
        carillon_osek_hook_source = before.source;
    }
    if (before.counts) {
        carillon_budget_after_hook();
    }
}

/* What a level's handler does around a job (level_hooks.c).  Its task begins to run instead of `before`.  It does not
 * run any more: this keeps the lock, and lowering the mask ends it.  The handler has nothing left to do. */
#if CARILLON_OSEK_TASK_HOOKS
void carillon_osek_enter_hooks(uint_fast8_t before, TaskType task);
void carillon_osek_end_hooks(void);
#else
static inline void carillon_osek_enter_hooks(uint_fast8_t before, TaskType task)
{
    (void)before;
    carillon_osek_running = task;
}
static inline void carillon_osek_end_hooks(void)
{
}
#endif
void carillon_osek_leave_hooks(uint8_t number, uint32_t mask);
#define CARILLON_OSEK_LEAVES_HOOKS (CARILLON_OSEK_TASK_HOOKS && !CARILLON_OSEK_SOFTWARE)

/* The same where dispatch is in software: whoever delivers has nothing left to do. */
void carillon_osek_delivered_hooks(uint8_t handler);

#if CARILLON_OSEK_LEVEL_CELLS
/* Serve the cells that have the level of a task, if it has any. */
static inline void carillon_osek_serve_cells(const struct carillon_osek_task *task)
{
    if (task->cells != NULL) {
        carillon_osek_call_cells(task->cells);
    }
}
#else
static inline void carillon_osek_serve_cells(const struct carillon_osek_task *task)
{
    (void)task;
}
#endif

#endif
