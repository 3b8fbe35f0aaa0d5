/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands beneath the keeper of budgets in its proofs: a counter that counts down, by anything up to JUMP before and
 * after each access, and begins anew at its range. */
#ifndef CARILLON_KERNEL_H
#define CARILLON_KERNEL_H

#include "proof.h"

#define CARILLON_NARROW 0
#define JUMP 3u

typedef void (*carillon_vector)(void);

static uint32_t counter;
static bool asked;           /* it has gone through 0 */
static uint32_t source;      /* of the handler that runs */
static uint32_t interrupted; /* what the keeper's handler has preempted */
static uint16_t blamed;
static bool ended;

static inline void passes(void)
{
    const uint32_t by = any(0u, JUMP);
    asked = asked || (by >= counter);
    counter = (counter - by) & (CARILLON_ROUND_BUDGET_RANGE - 1u);
}
static inline uint32_t carillon_port_read(uint32_t address)
{
    assert(address == CARILLON_ROUND_BUDGET_COUNTER);
    passes();
    const uint32_t reading = counter;
    passes();
    return reading;
}
static inline void carillon_port_write(uint32_t address, uint32_t value)
{
    assert((address == CARILLON_ROUND_BUDGET_COUNTER) && (value != 0u));
    passes();
    counter = value & (CARILLON_ROUND_BUDGET_RANGE - 1u);
    passes();
}
static inline uint32_t carillon_port_current(void)
{
    return source;
}
static inline uint32_t carillon_port_preempted(const void *frame)
{
    (void)frame;
    return interrupted;
}
static inline void carillon_port_divert(const void *frame, carillon_vector to)
{
    (void)frame;
    (void)to;
    ended = true;
}
static inline void carillon_port_unwind(void)
{
}
static inline void carillon_budget_overrun(uint16_t task)
{
    blamed = task;
}
/* Where words are narrow, which they are not here. */
static uint32_t carillon_port_lock(void)
{
    return 0u;
}
static void carillon_port_unlock(uint32_t saved)
{
    (void)saved;
}

#endif
