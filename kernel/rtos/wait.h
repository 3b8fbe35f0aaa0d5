/* SPDX-License-Identifier: Apache-2.0
 *
 * How threads wait for the objects of kernel/rtos/rtos.h: for kernel/rtos alone.  Each object has a line or two, which are
 * those of semaphores. */
#ifndef CARILLON_RTOS_WAIT_H
#define CARILLON_RTOS_WAIT_H

#include "kernel/time/wait_steps.h"

#if CARILLON_RTOS_HEAP > 0

#include "kernel/rtos/rtos.h"

/* A thread that waits, on its own stack. */
struct carillon_rtos_waiter {
    struct carillon_waiter waiter;
    const void *from; /* a message */
    void *to;
    uint32_t word; /* the flags for which it waits, and then those that it has found; or a message's priority */
    uint8_t options;
};

static inline struct carillon_rtos_waiter *carillon_rtos_first(const struct carillon_semaphore *line)
{
    return (struct carillon_rtos_waiter *)(void *)line->first;
}

/* Where the function of a timer runs: the interrupt's source, plus 1; 0: none runs. */
extern uint32_t carillon_rtos_timer_source;
static inline bool carillon_rtos_in_timer(void)
{
    return carillon_rtos_timer_source == ((uint32_t)carillon_port_current() + 1u);
}

/* May the caller wait?  It is a thread's own code, and the kernel is not locked. */
bool carillon_rtos_may_wait(void);

/* The running thread waits in a line, for so many ticks at most; locked.  It goes on unlocked.  With 0 ticks it does
 * not wait. */
int carillon_rtos_wait(struct carillon_rtos_waiter *own, struct carillon_semaphore *line, uint32_t saved,
                       uint32_t ticks);

/* All that wait in a line go on, with CARILLON_RTOS_RESOURCE; locked. */
void carillon_rtos_dismiss(struct carillon_semaphore *line);

/* StartOS has started the clock. */
void carillon_rtos_start_timers(void);

/* Memory for an object, which becomes one of a kind; NULL: there is none, or an interrupt calls. */
void *carillon_rtos_place(const struct carillon_rtos_place *place, uint32_t bytes, uint8_t kind);

/* Memory for what an object stores: what the program gives, or else the heap's.  NULL: it does not suffice. */
void *carillon_rtos_store(const struct carillon_rtos_place *place, uint32_t bytes, uint8_t *in_heap);

#endif

#endif
