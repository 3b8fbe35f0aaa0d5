/* SPDX-License-Identifier: Apache-2.0
 *
 * carillon_work stands for computation in examples and benchmarks. */
#ifndef CARILLON_WORK_H
#define CARILLON_WORK_H

#include <stdint.h>

#include "carillon_config.h"

/* The linkage of functions that the application defines and C calls: tasks, threads, ISRs, callbacks. */
#ifdef __cplusplus
#define CARILLON_C extern "C"
#else
#define CARILLON_C
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if CARILLON_INSTRUCTIONS_PER_TICK > 0
void carillon_port_delay(uint32_t instructions);

/* Keep the processor busy for some time: run a loop of as many instructions as the time has.  The time of what preempts
 * it is not counted.  If the time has fewer than ten instructions, the function takes some six.
 *
 * ticks: the time, in ticks of the schedule's clock.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
static inline void carillon_work(uint32_t ticks)
{
    carillon_port_delay(ticks * CARILLON_INSTRUCTIONS_PER_TICK);
}
#else
void carillon_port_spend(uint32_t ticks);

/* Let virtual time pass in the caller.  The time of what preempts it is not counted.
 *
 * ticks: the time, in ticks of the schedule's clock.
 * Errors: none.
 * From: everywhere.
 * Source: Carillon's own. */
static inline void carillon_work(uint32_t ticks)
{
    carillon_port_spend(ticks);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
