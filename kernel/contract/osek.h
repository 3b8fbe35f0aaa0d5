/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of the event-triggered system: the constants that the tool writes, and the state that it makes room for.
 * kernel/osek/kernel.h says what the kernel does with them. */
#ifndef CARILLON_CONTRACT_OSEK_H
#define CARILLON_CONTRACT_OSEK_H

#include "carillon/osek.h"
#include "kernel/contract/action.h"
#include "kernel/contract/mode.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A task. */
struct carillon_osek_task {
    carillon_vector function;                /* what runs */
    struct carillon_osek_extended *extended; /* NULL: a basic task */
    uint64_t *stack;                         /* of an extended task */
    uint32_t stack_words;                    /* of eight bytes */
    struct carillon_store request;           /* of its level */
    uint32_t autostart;                      /* a bit for each application mode */
    uint16_t source;                         /* of its level */
    uint8_t level;
    uint8_t ceiling; /* the level it runs at once it has begun: its internal resource's, else its own */
    uint8_t activations;
    uint8_t direct;
    uint8_t thread;
#if CARILLON_OSEK_LEVEL_CELLS
    carillon_vector cells; /* serves the cells that have its level (carillon_osek_serve_cells); NULL: there are none */
#endif
};
extern const struct carillon_osek_task carillon_osek_tasks[];

/* A task level.  If `capacity` is not 0, its activations wait in a ring, first in, first out.  Otherwise the level has
 * one task with one activation, and the request says everything. */
struct carillon_osek_level {
    struct carillon_store request;
    uint8_t *ring;
    struct carillon_osek_ring *state;
    uint16_t capacity;
    uint16_t source;
    uint8_t task;
};
struct carillon_osek_ring {
    uint16_t first;
    uint16_t count;
};
extern const struct carillon_osek_level carillon_osek_levels[]; /* [0] is unused */

/* A resource: the level to raise to, and what it was before. */
extern const uint8_t carillon_osek_ceilings[];
extern uint32_t carillon_osek_saved[];

/* What each source is, and its level; 0: nothing of the event-triggered system. */
#define CARILLON_OSEK_TASK 0x100u
#define CARILLON_OSEK_ISR1 0x200u
#define CARILLON_OSEK_ISR2 0x400u
#define CARILLON_OSEK_LEVEL 0xFFu
extern const uint16_t carillon_osek_contexts[];

/* A counter; behind all counters, further parts of their queues (kernel/osek/counter.h). */
struct carillon_osek_counter {
    TickType max_allowed;
    TickType ticks_per_base;
    TickType min_cycle;
    uint32_t units;   /* of the time base (base.h) in a tick; 0: nothing is to be asked of that */
    uint8_t software; /* IncrementCounter advances it */
    uint8_t ticked;   /* something does: its alarms can be set at run time */
    uint8_t leveled;  /* its handler has the level of the tasks that its queue wakes */
};
extern const struct carillon_osek_counter carillon_osek_counters[];

/* An alarm that a cell carries until it is cancelled: the cell's counter register, which reads the units left to the
 * next expiry; the units in a tick of the alarm's counter; and the stores that stop the cell. */
struct carillon_osek_cell {
    uint32_t counter;
    uint32_t units;
    const struct carillon_store *stop;
    uint16_t stop_count;
};

struct carillon_osek_alarm {
    union carillon_operand operand;
    const struct carillon_osek_cell *cell; /* NULL: the queue carries it */
    TickType start;                        /* of autostart */
    TickType cycle;
    uint32_t autostart; /* a bit for each application mode */
    uint8_t counter;    /* or the part of its queue */
    uint8_t action;     /* of contract/action.h */
    uint8_t object;     /* task or counter */
    uint8_t absolute;
};
extern const struct carillon_osek_alarm carillon_osek_alarms[];
#define CARILLON_OSEK_NO_ALARM 255u

/* The image of the hardware: cells of counters and alarms, levels, the vector table; and what lets the sources of
 * tasks and ISRs interrupt, once what they asked for before is forgotten. */
extern const struct carillon_mode carillon_osek_image;
extern const struct carillon_store carillon_osek_forget[];
extern const struct carillon_store carillon_osek_enable[];
extern const uint16_t carillon_osek_enable_count;
extern const uint16_t carillon_osek_forget_count;
extern const struct carillon_store carillon_osek_disable[];
extern const uint16_t carillon_osek_disable_count;

#ifdef __cplusplus
}
#endif

#endif
