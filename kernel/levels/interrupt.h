/* SPDX-License-Identifier: Apache-2.0
 *
 * Interrupts: whether the application has disabled any, and what the end of a job does about it. */
#ifndef CARILLON_OSEK_INTERRUPT_H
#define CARILLON_OSEK_INTERRUPT_H

#include "kernel/levels/state.h"

#if CARILLON_OSEK_EXTENDED
/* Whether one of the services that disable interrupts is in force. */
bool carillon_osek_interrupts_disabled(void);
#endif

/* Forget what a task has disabled; its handler restores the mask. */
void carillon_osek_interrupts_reset(void);

#endif
