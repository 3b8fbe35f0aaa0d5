/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a test draws the constants of schedule tables: drawn_tables.c. */
#ifndef CARILLON_TESTS_DRAWN_TABLES_H
#define CARILLON_TESTS_DRAWN_TABLES_H

#define DRAWN_BYTES 4096

void *drawn_counters(void);
void *drawn_tables(void);
void *drawn_cursors(void);
void *drawn_actions(void);

#endif
