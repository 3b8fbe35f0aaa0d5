/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernel's parts and the generated code share beyond the contract. */
#ifndef CARILLON_KERNEL_H
#define CARILLON_KERNEL_H

#include "carillon/contract.h"
#include "carillon_port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A handler runs a function of the application; a function of the kernel's has been called.  A port without an emulator
 * that watches them records both. */
#ifndef CARILLON_RUN
#define CARILLON_RUN(function) (function)()
#endif
#ifndef CARILLON_NOTE
#define CARILLON_NOTE(function)
#endif

/* Bring the hardware into a mode's image and start its round.  Interrupts are locked. */
void carillon_mode_start(const struct carillon_mode *mode);

/* From the control cell's handler in `from`: stop it and start `to` where `from` ends. */
void carillon_mode_switch(const struct carillon_mode *from, const struct carillon_mode *to);

/* No cell of the mode expires any more, no source of it interrupts. */
void carillon_mode_stop(const struct carillon_mode *mode);

/* Is no task of the mode running or preempted? */
bool carillon_mode_is_idle(const struct carillon_mode *mode);

/* The handler of the control cell. */
void carillon_control(void);

/* Will the mode be left at this tick by the handler of the control cell, whose source is `control`?  A re-enable point
 * that falls on the control point asks: at one tick the switch comes first. */
bool carillon_leaves(uint16_t control);

/* Let the control cell of a mode interrupt from now on. */
void carillon_control_enable(const struct carillon_mode *mode);

/* A deadline of a task passed before it had ended (task: number in the schedule). */
void carillon_deadline_missed(uint16_t task);

/* The flags of a task that may be activated while it runs (tool/carillon/allocate/guard.py says when that is).
 *
 * Of a task on several interrupt sources one activation runs and at most one waits.  A handler asks
 * carillon_guard_waits(), and if the answer is no, runs the task between carillon_guard_begin() and
 * carillon_guard_end(), again and again while the latter answers yes.
 *
 * 1. Handlers of one task nest like all handlers: one that preempts another ends before that goes on.  So a handler
 * that preempts another between its look at `running` and its setting it has run the task from beginning to end, and
 * the preempted one runs it after that.
 * 2. `waiting` is set only while `running` is, and begin clears it before it sets `running`: no request is lost between
 *    the two.
 * 3. End clears `running` before it looks at `waiting`.  Whoever preempts it in between runs the task for the
 * activation that waits, and clears `waiting`. */
struct carillon_guard {
    volatile uint8_t running;
    volatile uint8_t waiting;
};

/* Does the task run?  Then this activation waits, or is absorbed by one that waits already. */
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

/* Has an activation come meanwhile? */
static inline bool carillon_guard_end(struct carillon_guard *guard)
{
    guard->running = 0u;
    return guard->waiting != 0u;
}

#if CARILLON_MODES > 1
/* The mode whose round runs, and the one that is to follow. */
extern uint8_t carillon_mode;
extern uint8_t carillon_next_mode;
/* Lowered tasks that have not ended: the controller does not know them any more. */
extern uint8_t carillon_lowered_tasks;
#endif

#ifdef __cplusplus
}
#endif

#endif
