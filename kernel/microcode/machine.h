/* SPDX-License-Identifier: Apache-2.0
 *
 * The integrated E and S machine (C. Kirsch, M. Sanvido and T. Henzinger, "A Programmable Microkernel for Real-Time
 * Systems", VEE 2005, algorithms 1 and 2).  The task scheduler that algorithm 1 invokes is here as well.
 *
 * The machine says which task is to run; it switches no contexts, and reads no clock.  Whoever owns the processor
 *
 * - calls carillon_machine_start once, and carillon_machine_instant from then on: when the time carillon_machine_next
 *   is reached, and when something happens that a trigger may be enabled by;
 * - calls carillon_machine_ended when a task has ended;
 * - lets run what it answers, and nothing else, until the next call.
 *
 * Times are in ticks of the program, modulo 2^32; the machine compares those that are less than 2^31 ticks apart.  All
 * functions are called locked: none comes while another one runs. */
#ifndef CARILLON_MICROCODE_MACHINE_H
#define CARILLON_MICROCODE_MACHINE_H

#include "kernel/contract/microcode.h"

#include "carillon_config.h"

/* What went wrong.  The machine goes on after each of them. */
enum carillon_machine_fault {
    /* Time safety: a driver or a release touches a task that has not ended.  The instruction is dropped.  If the task
     * has a handler, that is carried out next; of several tasks, for the first that has one.  A task without one is
     * terminated. */
    CARILLON_MACHINE_LATE,
    /* Time sharing: threads dispatch two tasks at one instant.  The dispatch that came later is dropped: its thread
     * carries out the handler, if there is one, and goes on behind the dispatch. */
    CARILLON_MACHINE_SHARED,
    /* An instant has more instructions than the program says, as threads go round without taking time.  The code that
     * runs is dropped, and all threads are.  Triggers that are enabled are looked at in the next tick, whatever ends
     * before. */
    CARILLON_MACHINE_ENDLESS,
    /* There is no room for one more trigger or thread.  The instruction is dropped. */
    CARILLON_MACHINE_FULL
};

/* Called for each of them: the task that was touched or dispatched, or CARILLON_MICROCODE_NONE, and the address behind
 * the instruction.  The owner's. */
void carillon_machine_fault(enum carillon_machine_fault fault, uint16_t task, uint16_t address);

/* What the owner does when a task is terminated: what it had begun is forgotten. */
void carillon_machine_terminated(uint16_t task);

/* With CARILLON_MICROCODE_TOLD, the owner is told of each release, so many ticks before the task's deadline (0: it has
 * none). */
void carillon_machine_released(uint16_t task, uint32_t deadline);

/* With CARILLON_MICROCODE_MISSED, carillon_giotto_missed is called for each CARILLON_MACHINE_LATE. */

/* Begin with a program: its first block is due at the time `now`.  What carillon_machine_replace has said before stays.
 */
void carillon_machine_start(const struct carillon_microcode *program, uint32_t now);

/* Something has happened, or may have: algorithm 1, at the time `now`.  Returns the task that is to run from now on;
 * CARILLON_MICROCODE_NONE: none. */
uint16_t carillon_machine_instant(uint32_t now);

/* A task that was to run has ended, of several at the time `now` the last one: an instant, as carillon_machine_instant.
 * It is faster if nothing else happens at that time. */
uint16_t carillon_machine_ended(uint16_t task, uint32_t now);

/* The same of those before.  carillon_machine_instant or carillon_machine_ended comes next. */
void carillon_machine_end(uint16_t task);

/* A port that a trigger reads may have changed.  carillon_machine_instant comes next. */
void carillon_machine_input(void);

/* The next program: it takes the place of the one that runs at the end of the first instant at which no task is
 * unfinished, and begins at that instant.  NULL: none, and none waits any more. */
void carillon_machine_replace(const struct carillon_microcode *program);

/* The next program begins with the code of the one that runs, address by address, has its handlers and its scheduler,
 * and room for what both have waiting.  At the end of the next instant, the one that runs goes on as a part of the next
 * program, with all that waits and all tasks that are unfinished.  The instruction at `begin` is a `future` of time.
 * What it leads to begins at that instant. */
void carillon_machine_join(const struct carillon_microcode *program, uint16_t begin);

/* The next program is the one that runs, address by address, but that some blocks go on with S code behind it, instead
 * of returning.  At the end of the next instant, it goes on with that. */
void carillon_machine_continue(const struct carillon_microcode *program);

/* The program that runs. */
const struct carillon_microcode *carillon_machine_program(void);

/* Whether a task was released and has not ended. */
bool carillon_machine_is_unfinished(uint16_t task);

/* Whether there is a time at which the machine has something to do if nothing happens before, and when that is. */
bool carillon_machine_next(uint32_t *time);

/* Of the image: the trigger at a place waits no more, and what is kept behind it moves by one. */
void carillon_microcode_forget(uint32_t place);

#endif
