/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract between the tool and the machine of microcode (kernel/microcode): the tool writes constants of these
 * types, and the machine carries them out.
 *
 * The functions of an image, and the room that its programs have, are constants and stay.  A program is an object, so
 * that another one, which was loaded at run time, can take its place.
 *
 * Of the functions, the configuration (carillon_config.h) says how many there are, and how much room:
 *
 *   CARILLON_MICROCODE_TASKS, _DRIVERS, _GUARDS, _TRIGGERS   rows of the tables below; at least 1 task and 1 driver
 *   CARILLON_MICROCODE_BINDINGS   the most triggers that wait at one time, at least 1
 *   CARILLON_MICROCODE_THREADS    the most threads that wait at one time, at least 1
 *   CARILLON_MICROCODE_UNITS      of the time base in a tick of the machine; 0: no time base counts it
 *   CARILLON_MICROCODE_WAKES      units of the clock in a tick, where the clock wakes the machine; 0: a cell ticks
 *   CARILLON_MICROCODE_MISSED     1: carillon_giotto_missed is there */
#ifndef CARILLON_CONTRACT_MICROCODE_H
#define CARILLON_CONTRACT_MICROCODE_H

#include <stdbool.h>
#include <stdint.h>

/* An instruction, as in the bytes of a program (SPEC, section "Microcode"): `word` has the opcode in its lowest byte
 * and the time above.  Its memory is that of a little-endian processor, so that bytes can be carried out where they
 * are. */
struct carillon_instruction {
    uint32_t word;
    uint16_t x;
    uint16_t y;
};
#define CARILLON_INSTRUCTION(opcode, time, with, to)                                 \
    {                                                                                \
        .word = ((uint32_t)(time) << 8) | (uint32_t)(opcode), .x = (with), .y = (to) \
    }

#define CARILLON_OPCODE_CALL 1u
#define CARILLON_OPCODE_RELEASE 2u
#define CARILLON_OPCODE_FUTURE 3u
#define CARILLON_OPCODE_FUTURE_EVENT 4u
#define CARILLON_OPCODE_DISPATCH 5u
#define CARILLON_OPCODE_DISPATCH_TIME 6u
#define CARILLON_OPCODE_DISPATCH_RELEASE 7u
#define CARILLON_OPCODE_IDLE 8u
#define CARILLON_OPCODE_IDLE_RELEASE 9u
#define CARILLON_OPCODE_FORK 10u
#define CARILLON_OPCODE_IF 11u
#define CARILLON_OPCODE_JUMP 12u
#define CARILLON_OPCODE_RETURN 13u
#define CARILLON_OPCODE_TERMINATE 14u

/* No address of microcode, and no task. */
#define CARILLON_MICROCODE_NONE 0xFFFFu

/* A driver: its function, and the tasks that the driver touches.  The driver touches a task if it reads a port that
 * the task writes, or writes a port that the task reads or writes.  The list ends with CARILLON_MICROCODE_NONE. */
struct carillon_microcode_driver {
    void (*call)(void);
    const uint16_t *touches;
};

/* A trigger, a predicate over ports.  When a `future` names it, `arm` keeps their values at the trigger's place among
 * those that wait, from 0 to CARILLON_MICROCODE_BINDINGS, which is none's.  `is_enabled` is false while the ports are as
 * they were then. */
struct carillon_microcode_trigger {
    void (*arm)(uint32_t place);
    bool (*is_enabled)(uint32_t place);
};

extern const struct carillon_microcode_driver carillon_microcode_drivers[];
extern bool (*const carillon_microcode_guards[])(void);
extern const struct carillon_microcode_trigger carillon_microcode_triggers[];

/* The tick in nanoseconds, and the CRC-32 (IEEE 802.3) of the bytes of the tables of ports, tasks, drivers, guards and
 * triggers, as they are in a program's bytes.  A program is for this image if its tick and its tables are these. */
extern const uint32_t carillon_microcode_tick_ns;
extern const uint32_t carillon_microcode_interface;

/* Of each task of a Giotto program (on cells, of each slot): called when an invocation has missed its deadline.  A
 * trace records that; the functions do nothing. */
extern void (*const carillon_giotto_missed[])(void);

/* Who chooses among released tasks if no thread waits. */
#define CARILLON_SCHEDULER_NONE 0u /* nothing runs */
#define CARILLON_SCHEDULER_EDF 1u  /* the earliest deadline */
#define CARILLON_SCHEDULER_RM 2u   /* the shortest time from release to deadline */

/* A program.  `steps` is more than it carries out at any one instant.  `handlers` has the
 * address of what handles two dispatched tasks, and behind it for each task that of what handles that the task is late;
 * CARILLON_MICROCODE_NONE is the default.  `handlers` may be NULL: the default for all of them. */
struct carillon_microcode {
    const struct carillon_instruction *code;
    const uint16_t *handlers;
    uint32_t steps;
    uint16_t size;
    uint16_t entry;
    uint8_t scheduler;
};

/* The program that the image begins with. */
extern const struct carillon_microcode carillon_microcode_first;

#endif
