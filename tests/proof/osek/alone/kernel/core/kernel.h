/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands beneath the software controller in its proofs: a processor with levels, whose interrupt of the lowest
 * level is asked for. */
#ifndef CARILLON_KERNEL_H
#define CARILLON_KERNEL_H

#include "carillon_config.h"
#include "proof.h"

typedef void (*carillon_vector)(void);
typedef uint32_t carillon_value;
struct carillon_store {
    uint32_t address;
    carillon_value value;
};

#define CARILLON_OSEK_TOP 200u
#define CARILLON_OSEK_DISPATCHER 9u
#define CARILLON_OSEK_PORT_LEVEL(level) (level)

static uint32_t mask;        /* of the processor: the level, 0: nothing */
static uint32_t active;      /* which interrupt's handler runs; 0: none */
static bool dispatch_is_due; /* the dispatcher has been asked for */

static inline uint32_t carillon_port_raise(uint32_t level)
{
    const uint32_t saved = mask;
    mask = (level > mask) ? level : mask;
    return saved;
}
static inline void carillon_port_restore(uint32_t saved)
{
    mask = saved;
}
static inline uint32_t carillon_port_mask(void)
{
    return mask;
}
static inline uint32_t carillon_port_current(void)
{
    return active;
}
static inline void carillon_port_request(uint32_t source)
{
    assert(source == CARILLON_OSEK_DISPATCHER);
    dispatch_is_due = true;
}
static inline void carillon_port_run_base(void (*function)(void))
{
    function();
}
#endif
