/* SPDX-License-Identifier: Apache-2.0
 *
 * What is drawn for the test of schedule tables: table_draw.c. */
#ifndef CARILLON_TESTS_TABLE_DRAW_H
#define CARILLON_TESTS_TABLE_DRAW_H

#include <stdbool.h>
#include <stdint.h>

enum { MODES = 2 };

extern uint64_t seed;
/* A number below another; and whether it is one of so many. */
uint64_t draw(uint64_t below);
bool one_of(uint64_t many);

/* A counter whose only table is alone in its parts, or in one of them if it shares the other, or another one. */
void draw_counter(uint8_t number, bool lone, bool shares);
/* Whether a cursor is alone in a part. */
bool is_alone(uint32_t part);
/* A table on a counter; `follows`: of a kind that all tables have. */
void draw_table(uint8_t number, uint8_t on, bool follows);
/* The constants of the kernel. */
void write_constants(void);

#endif
