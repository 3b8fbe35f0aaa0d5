/* SPDX-License-Identifier: Apache-2.0
 *
 * The dispatcher of tables. */
#include "kernel/osektime/table.h"

#if CARILLON_TABLES

/* Of each task one activation runs, and one waits; a further one is absorbed. */
enum {
    ENDED,
    RUNS,
    RUNS_AND_WAITS,
    DUE, /* activated, and not begun */
};

/* What the handler has preempted, where it has to say so, and how a task is run at that level. */
#ifdef CARILLON_PORT_PREEMPTED
uint32_t carillon_table_preempted;
#define PREEMPTED carillon_table_preempted
#define RUN_LOWERED(function) carillon_port_run_above((function), preempted)
#else
#define PREEMPTED 0u
#define RUN_LOWERED(function) carillon_port_run_lowered(function)
#endif

/* A task that has not ended is activated: the activation waits, or one that waits already absorbs it. */
static void absorb(uint8_t *task)
{
    if (*task == RUNS) {
        *task = RUNS_AND_WAITS;
    }
}

/* Run a task until no activation waits. */
static void run(const struct carillon_entry *entry, uint8_t *task, uint32_t preempted)
{
    (void)preempted;
    do {
        *task = RUNS;
        RUN_LOWERED(entry->function);
    } while (*task == RUNS_AND_WAITS);
    *task = ENDED;
    if (CARILLON_MODES > 1) {
        carillon_lowered_tasks--;
    }
}

static void activate(uint8_t *task)
{
    if (*task == ENDED) {
        *task = DUE;
        if (CARILLON_MODES > 1) {
            carillon_lowered_tasks++;
        }
    } else {
        absorb(task);
    }
}

/* Carry out one entry but for running a task; true: the mode has been left, and with it the table. */
static bool carry_out(const struct carillon_entry *entry)
{
    switch (entry->action) {
    case CARILLON_ACTION_ACTIVATE:
        activate(&carillon_table_tasks[entry->object]);
        break;
    case CARILLON_ACTION_CHECK_DEADLINE:
        if (carillon_table_tasks[entry->object] != ENDED) {
            carillon_deadline_missed(entry->object);
        }
        break;
    case CARILLON_ACTION_ENABLE_INTERRUPT:
        carillon_port_enable(entry->object, entry->mask);
        break;
    default:
        if ((CARILLON_MODES > 1) && (carillon_mode != carillon_next_mode) &&
            carillon_mode_is_idle(&carillon_modes[carillon_mode])) {
            carillon_control();
            return true;
        }
        break;
    }
    return false;
}

/* The first entry of the tick after that of `entry`. */
static const struct carillon_entry *following(const struct carillon_entry *entry)
{
    return (const struct carillon_entry *)entry->step.next;
}

/* 1. All that is due is carried out in order of time, but no task is run yet.  So a deadline finds what its task is at
 *    the deadline's own tick: a task that was activated before and has not begun has missed it.
 * 2. Then the tasks run, those of the latest tick first, because a later activation preempts an earlier one.  Those of
 *    one tick run in the order of the table.
 * 3. A task runs lowered, so that a later tick may enter this handler again.  That one runs the tasks of its own tick,
 *    and this one finds them ended.
 * 4. A handler may be entered for a tick that an earlier, late one has carried out.  The cell was not re-armed then:
 *    `next` is the step of `first`, and there is nothing to do.
 * 5. A handler that is late by a whole round looks the same.  What was due in that round is lost. */
static __attribute__((noinline)) void several(const struct carillon_entry *first, const struct carillon_step *next,
                                              uint32_t preempted)
{
    if ((next == &first->step) && (first->step.next != next)) {
        return;
    }
    uint32_t ticks = 0u;
    const struct carillon_entry *tick = first;
    do {
        const struct carillon_entry *entry = tick;
        for (;; entry++) {
            if (carry_out(entry)) {
                return;
            }
            if (entry->more == 0u) {
                break;
            }
        }
        ticks++;
        tick = following(entry);
    } while (&tick->step != next);
    while (ticks > 0u) {
        ticks--;
        tick = first;
        for (uint32_t before = 0u; before < ticks; before++) {
            tick = following(tick);
        }
        for (const struct carillon_entry *entry = tick;; entry++) {
            if ((entry->function != NULL) && (carillon_table_tasks[entry->object] == DUE)) {
                run(entry, &carillon_table_tasks[entry->object], preempted); /* a later tick's handler has not */
            }
            if (entry->more == 0u) {
                break;
            }
        }
    }
}

/* As almost always, one entry is due, and the handler is in time. */
void(carillon_table_dispatch)(const struct carillon_entry *first, const struct carillon_step *next)
{
    const uint32_t preempted = PREEMPTED; /* no other handler of the table has come between the handler and here */
    if ((first->step.next != next) || (first->more != 0u)) {
        several(first, next, preempted);
    } else if (first->action == CARILLON_ACTION_ACTIVATE) {
        uint8_t *const task = &carillon_table_tasks[first->object];
        if (*task == ENDED) {
            if (CARILLON_MODES > 1) {
                carillon_lowered_tasks++;
            }
            run(first, task, preempted);
        } else {
            absorb(task);
        }
    } else {
        (void)carry_out(first);
    }
}

#endif
