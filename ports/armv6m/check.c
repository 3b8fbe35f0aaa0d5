/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a project has left to the system what is the system's (carillon_library.h). */
#include "carillon_library.h"
#include "carillon_port.h"

#include "kernel/core/check.h"
#include "ports/armv7m/check.h"

struct carillon_refusal carillon_refused;

/* What a priority of all ones reads, of an interrupt of the system; it is put back. */
static uint32_t all_ones_read(void)
{
    const int32_t number = carillon_check_interrupt();
    if (number < 0) {
        return PRIORITY_BITS;
    }
    volatile uint32_t *const word = &CARILLON_REGISTER(NVIC_PRIORITY + ((uint32_t)number & ~UINT32_C(3)));
    const uint32_t shift = 8u * ((uint32_t)number & 3u);
    const uint32_t before = *word;
    *word = before | (UINT32_C(0xFF) << shift);
    const uint32_t read = (*word >> shift) & 0xFFu;
    *word = before;
    return read;
}

static enum carillon_start check(uint32_t *where)
{
    *where = carillon_port_current();
    if (*where != 0u) {
        return CARILLON_START_IN_HANDLER;
    }
    uint32_t primask;
    __asm__ volatile("mrs %0, primask" : "=r"(primask));
    *where = primask;
    if (primask != 0u) {
        return CARILLON_START_MASKED;
    }
    *where = all_ones_read();
    if ((*where & PRIORITY_BITS) != PRIORITY_BITS) {
        return CARILLON_START_PRIORITY_BITS;
    }
    return carillon_check_devices(where);
}

bool carillon_start_refused(void)
{
    carillon_refused.reason = check(&carillon_refused.where);
    return carillon_refused.reason != CARILLON_START_READY;
}
