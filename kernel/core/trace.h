/* SPDX-License-Identifier: Apache-2.0
 *
 * The ring of events ([trace]): what the handlers of levels tell of event-triggered tasks.  A task's own function would
 * not do: services end it and let it wait, from within whatever it calls. */
#ifndef CARILLON_CORE_TRACE_H
#define CARILLON_CORE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h"

#if CARILLON_TRACE
/* CARILLON_TRACE_TASKS, what stands for the end of task 0, and CARILLON_TRACE_WAITS, what it is more if it waits. */
#include "carillon_trace.h"

/* A task begins, or goes on. */
static inline __attribute__((always_inline)) void carillon_trace_begins(uint32_t task)
{
    uint32_t ring = (uint32_t)(uintptr_t)carillon_trace_ring;
    const uint32_t event = CARILLON_TRACE_TASKS + 1u + (2u * task);
    CARILLON_TRACE_NOTE(ring, event);
}

/* It has ended, or waits. */
static inline __attribute__((always_inline)) void carillon_trace_ends(uint32_t task, bool waits)
{
    uint32_t ring = (uint32_t)(uintptr_t)carillon_trace_ring;
    const uint32_t event = CARILLON_TRACE_TASKS + (2u * task) + (waits ? CARILLON_TRACE_WAITS : 0u);
    CARILLON_TRACE_NOTE(ring, event);
}
#else
static inline void carillon_trace_begins(uint32_t task)
{
    (void)task;
}
static inline void carillon_trace_ends(uint32_t task, bool waits)
{
    (void)task;
    (void)waits;
}
#endif

#endif
