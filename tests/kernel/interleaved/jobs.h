/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs with budgets, and handlers that preempt one another before and after each access to a device (jobs.c).  A test
 * says what counts, and what of the kernel is tried. */
#ifndef CARILLON_TESTS_JOBS_H
#define CARILLON_TESTS_JOBS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "carillon_port.h"

enum { FUNCTIONS = 3 };

/* Whether the handler of what counts runs, whether all interrupts are locked, and a number below `below`. */
extern bool striking, locked;
uint32_t draw(uint32_t below);
/* What may happen between two instructions: time passes, and handlers come. */
void anything(void);
/* What all runs come to: each job that has used up its budget is ended, and no other one. */
void jobs_are_ended_when_they_have_used_up_their_budgets_and_no_others(void **state);

/* Of the test. */
extern const uint32_t budgets[FUNCTIONS]; /* in units */
extern const uint32_t begun;              /* units that a job has more when it begins, and whenever it goes on */
bool count(void);                         /* a unit passes; whether something has come to its end */
void reset(void);
uint32_t watched(void);
uint32_t until_the_next_look(bool leaving); /* of a job that is late in a handler's first or last instructions */
bool may_run(uint32_t function);            /* as its job in a handler, beside those that the handler has preempted */
void begins(uint32_t function);
void ends(uint32_t function);
uint64_t stops(void);
void goes_on(uint64_t kept);
void strikes(void);

#endif
