/* SPDX-License-Identifier: Apache-2.0
 *
 * What the machine of microcode keeps: triggers and threads that wait, tasks, and how far it has come.  This header and
 * those that include it are for machine.c alone: what they define is there once.
 *
 * Triggers and threads wait in arrays, in the order in which they came, and what leaves them closes the gap.  Programs
 * have few of both at a time; how many is CARILLON_MICROCODE_BINDINGS and CARILLON_MICROCODE_THREADS. */
#ifndef CARILLON_MICROCODE_STATE_H
#define CARILLON_MICROCODE_STATE_H

#include "kernel/microcode/log.h"
#include "kernel/microcode/machine.h"
#include "kernel/microcode/recorder.h"

#include <stddef.h>

#define NONE CARILLON_MICROCODE_NONE
#define SMALL __attribute__((cold, noinline)) /* rather than fast */
/* The file is compiled for size.  What is short and on the way of each tick is not called. */
#define FAST inline __attribute__((always_inline))

/* A trigger that waits, and the `future` that it comes from.  If it is one of time, `time` is when it is enabled; if
 * not, the image keeps the values of its ports, at the trigger's place in the array. */
struct waiting_trigger {
    uint32_t time;
    const struct carillon_instruction *future;
};

/* A thread that waits.  `task` is what it dispatches; NONE: it idles.  It goes on at `after` when the task has ended,
 * and at `address` when its timeout has: when the task `other` is unfinished, or at the time `until` (TIMED). */
struct waiting_thread {
    uint32_t reference;
    uint32_t until;
    uint16_t task;
    uint16_t after;
    uint16_t address;
    uint16_t other;
};
#define TIMED 0xFFFEu

/* A task.  `released` is the instruction that released it, 0: it has ended; `begin` is when that was. */
struct task_state {
    uint32_t released;
    uint32_t begin;
};

/* `next` is the first time at which a trigger or a timeout is due, or earlier: what is taken away does not move it.  If
 * there is none, it is FAR away. */
static struct machine_state {
    struct carillon_instruction first; /* a `future` that leads to the program's begin */
    const struct carillon_microcode *program;
    const struct carillon_instruction *code;
    const struct carillon_microcode *replacement;
    const struct carillon_instruction *joined; /* the `future` that leads to what the replacement adds; NULL: none */
    uint32_t now;
    uint32_t next;
    uint32_t steps; /* that are left at this instant */
    uint16_t bindings;
    uint16_t threads;
    uint16_t heap;
    uint16_t running;
    uint16_t last; /* the address at which the interpreter ended last */
    bool stirred;  /* a task has ended, a port may have changed, or there is another program */
    bool events;   /* triggers may wait that are not of time */
    bool endless;  /* this instant had no end */
    bool patient;  /* released tasks may have no deadline */
} machine;
/* Of the recorder alone: the instructions that have released tasks, 0 where the deadline has passed; whether a trigger
 * was enabled at this instant. */
static uint32_t recorded[(CARILLON_MICROCODE_RECORD > 0u) ? CARILLON_MICROCODE_TASKS : 1u];
static bool recordable;
#define FAR UINT32_C(0x7FFFFFFF)
/* One more than wait at a time: the compiler does not know that no more do, and sees what closes a gap read behind an
 * array of one. */
static struct waiting_trigger bindings[CARILLON_MICROCODE_BINDINGS + 1u];
static struct waiting_thread threads[CARILLON_MICROCODE_THREADS + 1u];
static struct task_state tasks[CARILLON_MICROCODE_TASKS];

/* Has a time come?  Times are less than 2^31 ticks apart. */
static inline bool is_reached(uint32_t time)
{
    return (machine.now - time) < UINT32_C(0x80000000);
}

static inline bool is_unfinished(uint16_t task)
{
    return tasks[task].released != 0u;
}

static FAST void wait_until(uint32_t time)
{
    if ((machine.next - time) < UINT32_C(0x80000000)) {
        machine.next = time;
    }
}

/* How many instructions follow each other from one to before another. */
static inline uint32_t distance(const struct carillon_instruction *from, const struct carillon_instruction *to)
{
    const uintptr_t bytes = (uintptr_t)to - (uintptr_t)from;
    return (uint32_t)bytes / (uint32_t)sizeof(*to);
}

/* The address of an instruction. */
static inline uint16_t address_of(const struct carillon_instruction *i)
{
    return (uint16_t)distance(machine.code, i);
}

#endif
