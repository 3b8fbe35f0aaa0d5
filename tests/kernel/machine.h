/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the virtual controller share: a fresh machine for each test, and a log of what its
 * handlers did. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "carillon_port.h"
#include "cells/virtual/cell.h"

#define RAN_TO_THE_END 0

/* Run `scenario` as an application for at most `ticks` after its first start store; returns the exit status. */
int machine_run(void (*scenario)(void), const char *ticks);

/* Call the port's main with these arguments; returns the exit status. */
int machine_main(int argc, char **argv, void (*scenario)(void));

/* The virtual time. */
uint32_t machine_now(void);

/* Use these handlers, one for each source from 0, with these levels, all enabled. */
void machine_handlers(const carillon_vector *handlers, const uint8_t *levels, uint32_t count);

/* Let cell expire first after `first` and then every `period` units, from the next machine_start on. */
void machine_cell(uint32_t cell, uint32_t period, uint32_t prescaler);
void machine_start(void);

/* Append to the log, which begins empty: "a b@10 ". */
void note(const char *what);
void note_time(const char *what);
void assert_log(const char *expected);

#endif
