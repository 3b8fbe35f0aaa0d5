/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by hardware/registers.py from registers.toml. */
#ifndef CARILLON_CELL_ARRAY_REGISTERS_H
#define CARILLON_CELL_ARRAY_REGISTERS_H

/* From the base of the array. */
#define ARRAY_START_OFFSET 0x800u
#define ARRAY_STOP_OFFSET 0x804u
#define ARRAY_ENABLE_OFFSET 0x808u
#define ARRAY_DISABLE_OFFSET 0x80Cu
#define ARRAY_NOW_OFFSET 0x810u
#define ARRAY_RESTART_OFFSET 0x814u
#define ARRAY_DONE_OFFSET 0x818u
#define ARRAY_MOVE_OFFSET 0x81Cu
#define ARRAY_COUNT_OFFSET(cell) (0xC00u + (32u * (cell)))
#define ARRAY_RELOAD_OFFSET(cell) (0xC04u + (32u * (cell)))
#define ARRAY_ADJUST_OFFSET(cell) (0xC08u + (32u * (cell)))
#define ARRAY_ARMS_OFFSET(cell) (0xC0Cu + (32u * (cell)))
#define ARRAY_FIRST_OFFSET(cell) (0xC10u + (32u * (cell)))

#endif
