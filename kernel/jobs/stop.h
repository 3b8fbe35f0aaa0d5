/* SPDX-License-Identifier: Apache-2.0
 *
 * How the system ends. */
#ifndef CARILLON_OSEK_STOP_H
#define CARILLON_OSEK_STOP_H

#include "kernel/levels/level_hooks.h"

/* What a stack holds where nobody has been. */
#define FILL UINT64_C(0xC0DEC0DEC0DEC0DE)

/* Shut down if the task has used more than its stack; locked. */
#if CARILLON_OSEK_STACK_CHECK
void carillon_osek_check_stack(const struct carillon_osek_task *task);
#else
static inline void carillon_osek_check_stack(const struct carillon_osek_task *task)
{
    (void)task;
}
#endif

#endif
