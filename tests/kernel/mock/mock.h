/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MOCK_H
#define MOCK_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "carillon_port.h"

/* Forget everything: an empty log, unlocked, no source active, counters read 0. */
int mock_reset(void **state);

/* Call `function` until it returns, halts or has idled `idles` times (0: for ever). */
void mock_run(void (*function)(void), uint32_t idles);

/* What the hardware answers. */
void mock_set_active(uint8_t source, bool active);
void mock_set_pending(uint8_t source, bool pending);
void mock_set_counter(uint32_t value);

/* What comes in between: called once, before the next register is read. */
void mock_before_read(void (*what)(void));

/* How many times a register has been read. */
uint32_t mock_reads(void);

/* The log: what was done, in order, each followed by a space. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void assert_log(const char *expected);
void clear_log(void);

#endif
