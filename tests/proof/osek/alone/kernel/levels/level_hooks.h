/* SPDX-License-Identifier: Apache-2.0
 *
 * The software controller of an image without hooks, budgets and slices. */
#ifndef CARILLON_OSEK_LEVEL_HOOKS_H
#define CARILLON_OSEK_LEVEL_HOOKS_H

#include "kernel/levels/level_software.h"

#define CARILLON_RUN(function) function()
static uint8_t carillon_slices_over;
static inline void carillon_slices_end(void)
{
}
#endif
