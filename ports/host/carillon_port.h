/* SPDX-License-Identifier: Apache-2.0
 *
 * Port to a virtual controller on the host: timer cells, an interrupt controller with priorities and a
 * clock that only carillon_work and idling advance.  Code takes no time, so what a run shows is the
 * schedule alone, and the same run is the same every time.
 *
 * Interrupts nest as function calls: a handler that is due at a higher level than what runs is called from
 * within the service that advanced the clock or changed the controller.
 */
#ifndef CARILLON_PORT_H
#define CARILLON_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon/contract.h"
#include "carillon_config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*carillon_vector)(void);

/* Registers of the virtual controller; a request register holds 32 sources. */
#define VIRTUAL_REQUEST UINT32_C(0x100000)
#define VIRTUAL_REQUEST_ENABLE 0x1000u
#define VIRTUAL_REQUEST_DISABLE 0x2000u
#define VIRTUAL_REQUEST_UNPEND 0x3000u

#define CARILLON_SOURCE_WORD(source) (((source) / 32u) * 4u)
#define CARILLON_SOURCE_BIT(source) (UINT32_C(1) << ((source) % 32u))

#define CARILLON_SYSTEM_VECTORS
#define CARILLON_VECTOR_TABLE
#define CARILLON_RESET_VECTOR_TABLE

#define CARILLON_STORE_ENABLE(source, mask) \
    CARILLON_STORE(VIRTUAL_REQUEST + VIRTUAL_REQUEST_ENABLE + CARILLON_SOURCE_WORD(source), (mask))
#define CARILLON_STORE_DISABLE(source, mask) \
    CARILLON_STORE(VIRTUAL_REQUEST + VIRTUAL_REQUEST_DISABLE + CARILLON_SOURCE_WORD(source), (mask))
#define CARILLON_STORE_UNPEND(source, mask) \
    CARILLON_STORE(VIRTUAL_REQUEST + VIRTUAL_REQUEST_UNPEND + CARILLON_SOURCE_WORD(source), (mask))

void carillon_port_write(uint32_t address, uint32_t value);
uint32_t carillon_port_read(uint32_t address);

static inline void carillon_port_arm(uint32_t source, uint32_t mask)
{
    const uint32_t word = VIRTUAL_REQUEST + CARILLON_SOURCE_WORD(source);
    carillon_port_write(word + VIRTUAL_REQUEST_UNPEND, mask);
    carillon_port_write(word + VIRTUAL_REQUEST_ENABLE, mask);
}

static inline void carillon_port_disarm(uint32_t source, uint32_t mask)
{
    carillon_port_write(VIRTUAL_REQUEST + CARILLON_SOURCE_WORD(source) + VIRTUAL_REQUEST_DISABLE, mask);
}

static inline void carillon_port_hold(uint32_t source, uint32_t mask)
{
    carillon_port_disarm(source, mask);
}

static inline void carillon_port_enable(uint32_t source, uint32_t mask)
{
    carillon_port_write(VIRTUAL_REQUEST + CARILLON_SOURCE_WORD(source) + VIRTUAL_REQUEST_ENABLE, mask);
}

void carillon_port_pend(uint32_t source);
uint32_t carillon_port_lock(void);
void carillon_port_unlock(uint32_t saved);
void carillon_port_set_level(uint16_t source, uint16_t level);
void carillon_port_set_vectors(const void *vectors);
bool carillon_port_is_active(uint16_t source);

/* Has it asked for an interrupt that has not been taken? */
bool carillon_port_is_pending(uint16_t source);
void carillon_port_start(const struct carillon_store *list, uint32_t count);
void carillon_port_start_at(uint32_t counter, uint32_t target, const struct carillon_store *before,
                            uint32_t before_count, const struct carillon_store *list, uint32_t count);
void carillon_port_align(const struct carillon_shift *list, uint32_t count);
void carillon_port_run_lowered(carillon_vector function);
void carillon_port_halt(void) __attribute__((noreturn));
void carillon_port_idle(void);
void carillon_port_unexpected(void);

/* Spend `ticks` of virtual time in what runs; interrupts that are due meanwhile preempt it. */
void carillon_port_spend(uint32_t ticks);

#ifdef __cplusplus
}
#endif

#endif
