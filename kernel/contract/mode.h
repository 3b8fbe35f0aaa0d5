/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract between the tool and the kernel: the tool writes constants of these types, and the kernel
 * carries them out.  Neither knows more of the other than this folder: the types of rounds (this file), of tables and
 * of the event-triggered system.
 *
 * A mode of the application is an image of the hardware: the registers of its timer cells, the levels of
 * its interrupt sources and a vector table.  To start a mode, the kernel carries out its stores.  After that,
 * the hardware runs the round, and no code of the kernel runs for an activation.
 */
#ifndef CARILLON_CONTRACT_H
#define CARILLON_CONTRACT_H

#include <stddef.h>
#include <stdint.h>

#include "carillon_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the processor needs several instructions to load or store a value that is wider than a byte.  An interrupt
 * may come between them. */
#define CARILLON_NARROW (__SIZEOF_INT__ == 2)

/* The address of a device register, and the value that it holds.  Both are as wide as the board's devices need. */
#if CARILLON_ADDRESS_BITS == 16
typedef uint16_t carillon_address;
typedef uint16_t carillon_value;
#else
typedef uint32_t carillon_address;
typedef uint32_t carillon_value;
#endif

/* A write of a value to a device register, and the initialiser of one in a list. */
struct carillon_store {
    carillon_address address;
    carillon_value value;
};
#define CARILLON_STORE(to, what)         \
    {                                    \
        .address = (to), .value = (what) \
    }

/* An addition to a running counter, which moves its next expiry by so many units (modulo the range of a value), and the
 * initialiser of one in a list. */
struct carillon_shift {
    carillon_address counter;
    carillon_value units;
};
#define CARILLON_SHIFT(of, by)         \
    {                                  \
        .counter = (of), .units = (by) \
    }

/* The level of an interrupt source: 1 is the lowest, a higher level preempts. */
struct carillon_level {
    uint16_t source;
    uint16_t level;
};

/* One interval of a multiplexed cell (paper, section IV-F).  `next` of the last step is the first step.  A channel of
 * a counter that runs freely may have an interval that is longer than a turn of the counter.  `interval` is then the
 * part beyond `laps` whole turns, and 0 means one turn more. */
struct carillon_step {
    const struct carillon_step *next;
    carillon_value interval;
#if CARILLON_LAPS
    uint16_t laps;
#endif
};

/* The state of a multiplexed cell: the step that comes next, and the register to write it to.  If a timekeeper runs
 * beside the cell, also what the timekeeper reads when the cell is due next, and the cell's source.  `laps`: how often
 * the channel matches before its next point. */
struct carillon_multiplex {
    const struct carillon_step *next;
    carillon_address reg;
#if CARILLON_LAPS
    uint16_t laps;
#endif
#if CARILLON_TIMEKEEPERS
    carillon_value due;
    uint16_t source;
#endif
};

/* Where a multiplexed cell begins, each time its mode starts. */
struct carillon_multiplex_start {
    struct carillon_multiplex *multiplex;
    const struct carillon_step *first;
#if CARILLON_LAPS
    uint16_t laps;
#endif
#if CARILLON_TIMEKEEPERS
    carillon_value due;
#endif
};

/* How to leave a mode for another.  `target` is what the control cell's counter reads when the first start store of the
 * next mode is due. */
struct carillon_control {
    carillon_address counter;
    carillon_value target;
    struct carillon_store forget; /* what the control cell asked for before the switch was wanted */
    struct carillon_store enable; /* let it interrupt */
};

/* A start's stores; those to registers with bits that are not the kernel's are completed before each start. */
#if CARILLON_START_KEEPS
#define CARILLON_START_STORE struct carillon_store
#else
#define CARILLON_START_STORE const struct carillon_store
#endif

/* An application mode.  The lists are carried out in the order of the members. */
struct carillon_mode {
    const void *vectors;
    const struct carillon_level *levels;
    const struct carillon_multiplex_start *multiplexes;
    const struct carillon_store *prepare; /* while its cells stand still */
    const struct carillon_store *restart; /* the control cell, when another mode hands over */
    CARILLON_START_STORE *start;          /* at a fixed spacing: the cells run */
    const struct carillon_shift *align;   /* cells that start at their period: to their offsets */
    const struct carillon_store *finish;  /* the intervals after the first */
    const struct carillon_store *stop;    /* cells and interrupts, all but the control cell */
    const struct carillon_control *control;
    /* Sources of the mode's tasks and of the application's interrupts.  In the ground state none of them is
     * active, and none of the first waiting_count of them is waiting. */
    const uint16_t *tasks;
    uint16_t level_count;
    uint16_t multiplex_count;
    uint16_t prepare_count;
    uint16_t restart_count;
    uint16_t start_count;
    uint16_t align_count;
    uint16_t finish_count;
    uint16_t stop_count;
    uint16_t task_count;
    uint16_t waiting_count;
};

/* How to find out the time within a round: a down counter of the round's length in ticks reads `phase` less the
 * time, modulo the length.  `counter` is 0 if the mode has no such cell. */
struct carillon_time_base {
    carillon_address counter;
    carillon_value phase;
    uint32_t length;
};
extern const struct carillon_time_base carillon_time_bases[];

/* The CARILLON_INITIALS stores that enable the application's interrupts.  They are carried out once, before the
 * first mode starts.  Modes do not change these interrupts. */
extern const struct carillon_store carillon_initials[];

#if CARILLON_START_KEEPS
/* Registers that starts store to, and bits in each that are of cells which the application drives itself. */
extern const struct carillon_store carillon_kept[];
extern const uint16_t carillon_kept_count;
#endif

/* Every application mode, in the order of the schedule. */
extern const struct carillon_mode carillon_modes[];

#define CARILLON_COUNT(array) ((uint16_t)(sizeof(array) / sizeof((array)[0])))

#ifdef __cplusplus
}
#endif

#endif
