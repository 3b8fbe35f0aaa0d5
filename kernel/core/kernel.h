/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernel's parts and the generated code share beyond the contract. */
#ifndef CARILLON_KERNEL_H
#define CARILLON_KERNEL_H

#include "carillon_port.h"
#include "kernel/contract/mode.h"

/* CARILLON_RUN: a handler runs a function of the application, or a service runs tasks.  CARILLON_NOTE: a function of
 * the kernel has been called.  A port without an emulator that watches these records both. */
#ifndef CARILLON_RUN
#define CARILLON_RUN(function) (function)()
#endif
/* `function` is called in a frame of its own, and calls the task's, which such a port records. */
#ifndef CARILLON_CALL_AS
#define CARILLON_CALL_AS(recorded, function) carillon_port_call(function)
#endif
/* Of a port on which all is masked out of reset. */
#ifndef CARILLON_PORT_BEGIN
#define CARILLON_PORT_BEGIN()
#endif
#ifndef CARILLON_NOTE
#define CARILLON_NOTE(function)
#endif

/* Carry out a list of stores. */
void carillon_mode_store(const struct carillon_store *list, uint_fast16_t count);

/* Bring the hardware into a mode's image and start its round.  Interrupts are locked. */
void carillon_mode_start(const struct carillon_mode *mode);

/* From the control cell's handler in `from`: stop it and start `to` where `from` ends. */
void carillon_mode_switch(const struct carillon_mode *from, const struct carillon_mode *to);

/* Stop a mode: none of its cells expires any more, and none of its sources interrupts. */
void carillon_mode_stop(const struct carillon_mode *mode);

/* Whether no task of the mode is running, preempted or waiting. */
bool carillon_mode_is_idle(const struct carillon_mode *mode);

/* The handler of the control cell. */
void carillon_control(void);

/* Whether the handler of the control cell, whose source is `control`, will leave the mode at this tick.  A re-enable
 * point on the tick of the control point asks this, because at one tick the switch of modes comes first. */
bool carillon_leaves(uint16_t control);

/* A deadline of a task passed before it had ended (task: number in the schedule). */
void carillon_deadline_missed(uint16_t task);

/* A job of a task has used up its execution budget (task: likewise). */
void carillon_budget_overrun(uint16_t task);

/* Enable the interrupts of the cells of such budgets, before the rounds begin; of an image that has them. */
void carillon_budget_arm(void);

/* The flags of a task that may be activated while it runs (tool/carillon/allocate/guard.py says when that is).
 *
 * If a task has several interrupt sources, one of its activations runs and at most one waits.  A handler asks
 * carillon_guard_waits().  If the answer is no, the handler runs the task between carillon_guard_begin() and
 * carillon_guard_end(), and repeats this as long as carillon_guard_end() answers yes.
 *
 * 1. Handlers of one task nest like all handlers: a handler that preempts another ends before the other goes on.  If it
 *    preempts the other between the other's look at `running` and its setting of `running`, it runs the task from
 *    beginning to end.  The other runs the task after that.
 * 2. `waiting` is set only while `running` is set, and begin clears `waiting` before it sets `running`: no request is
 *    lost between the two.
 * 3. End clears `running` before it looks at `waiting`.  A handler that preempts it in between runs the task for the
 *    activation that waits, and clears `waiting`. */
struct carillon_guard {
    volatile uint8_t running;
    volatile uint8_t waiting;
};

/* Whether the task runs.  If so, this activation waits, or is absorbed by one that waits already. */
static inline bool carillon_guard_waits(struct carillon_guard *guard)
{
    if (guard->running != 0u) {
        guard->waiting = 1u;
        return true;
    }
    return false;
}

static inline void carillon_guard_begin(struct carillon_guard *guard)
{
    guard->waiting = 0u;
    guard->running = 1u;
}

/* Whether an activation has come meanwhile. */
static inline bool carillon_guard_end(struct carillon_guard *guard)
{
    guard->running = 0u;
    return guard->waiting != 0u;
}

/* Of a system with several modes: the mode whose round runs, and the one that is to follow. */
extern uint8_t carillon_mode;
extern uint8_t carillon_next_mode;
/* How many lowered tasks have not ended.  The interrupt controller does not know them any more. */
extern uint8_t carillon_lowered_tasks;

#endif
