/* SPDX-License-Identifier: Apache-2.0
 *
 * The owner of the machine on a chip: the tasks of microcode are threads of one priority, of which the machine alone
 * makes one ready.  What the tool writes for it. */
#ifndef CARILLON_MICROCODE_TASKS_H
#define CARILLON_MICROCODE_TASKS_H

#include "kernel/contract/microcode.h"

#include "carillon_config.h"

/* A task: the function that computes, the function that makes the results the task's own, the task's thread, and the
 * state of the thread.  `compute` may be preempted and abandoned anywhere; `commit` is called locked. */
struct carillon_microcode_task {
    void (*compute)(void);
    void (*commit)(void);
    struct carillon_osek_extended *extended;
    uint8_t thread;
};
extern const struct carillon_microcode_task carillon_microcode_tasks[];

/* The interrupt of a sensor has come: one event more.  The machine looks at its triggers as soon as the ISR has ended;
 * if a cell ticks for it, in its next tick.  Called by an ISR of category 2. */
void carillon_microcode_event(uint32_t *events);

/* The body of a task's thread. */
void carillon_microcode_thread(uint16_t task) __attribute__((noreturn));

/* The handler of the machine's tick, or of the clock that wakes it: `frame` is what the port's slice vector gives. */
void carillon_microcode_tick(const void *frame);

/* Where the clock wakes the machine. */
#if CARILLON_MICROCODE_WAKES > 0
/* At the start of the system: the first instant is a tick from here.  Locked, as is the next one. */
void carillon_microcode_start(void);

/* The machine has another program: it is woken at the next tick. */
void carillon_microcode_replaced(void);
#else
static inline void carillon_microcode_start(void)
{
}
static inline void carillon_microcode_replaced(void)
{
}
#endif

#endif
