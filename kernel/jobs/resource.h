/* SPDX-License-Identifier: Apache-2.0
 *
 * Resources: whether the caller holds any, and what the end of a job or of an ISR does with them. */
#ifndef CARILLON_OSEK_RESOURCE_H
#define CARILLON_OSEK_RESOURCE_H

#include "kernel/jobs/error.h"

#if CARILLON_OSEK_EXTENDED
/* Whether the caller holds no resource, internal resources not counted. */
#if CARILLON_OSEK_RESOURCES > 0
bool carillon_osek_holds_none(void);
#else
static inline bool carillon_osek_holds_none(void)
{
    return true;
}
#endif
#endif

/* Forget what a task that ended without TerminateTask has left behind; and release what an ISR has taken, which restores
 * the mask that it began with after that. */
#if (CARILLON_OSEK_RESOURCES > 0) && CARILLON_OSEK_EXTENDED
void carillon_osek_resources_reset(void);
void carillon_osek_resources_release(void);
#else
static inline void carillon_osek_resources_reset(void)
{
}
static inline void carillon_osek_resources_release(void)
{
}
#endif

#endif
