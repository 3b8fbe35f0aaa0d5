/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by hardware/registers.py from registers.toml. */
#ifndef CARILLON_CELL_ARRAY_REGISTERS_H
#define CARILLON_CELL_ARRAY_REGISTERS_H

/* From the base of the array. */
#define ARRAY_START_OFFSET 0x000u
#define ARRAY_STOP_OFFSET 0x004u
#define ARRAY_ENABLE_OFFSET 0x008u
#define ARRAY_DISABLE_OFFSET 0x00Cu
#define ARRAY_NOW_OFFSET 0x010u
#define ARRAY_RESTART_OFFSET 0x014u
#define ARRAY_COUNT_OFFSET(cell) (0x200u + 16u * (cell))
#define ARRAY_RELOAD_OFFSET(cell) (0x204u + 16u * (cell))
#define ARRAY_ADJUST_OFFSET(cell) (0x208u + 16u * (cell))
#define ARRAY_ARMS_OFFSET(cell) (0x20Cu + 16u * (cell))

#endif
