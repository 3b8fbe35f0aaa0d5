/* SPDX-License-Identifier: Apache-2.0
 *
 * The software controller of an image without hooks, budgets and slices. */
#ifndef CARILLON_OSEK_LEVEL_HOOKS_H
#define CARILLON_OSEK_LEVEL_HOOKS_H

#include "carillon_config.h"

struct carillon_budget_left {
    uint32_t nothing;
};

#include "kernel/levels/level_software.h"

#define CARILLON_RUN(function) function()
#define CARILLON_NARROW 0
#define CARILLON_OSEK_SLICES 0
#define CARILLON_OSEK_TASK_HOOKS 0
static uint8_t carillon_slices_over;
static uint8_t carillon_budget_asks;
static inline void carillon_slice_ends(void)
{
}
static inline void carillon_budget_ends(void)
{
}
#endif
