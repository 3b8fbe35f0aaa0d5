/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a project has left to the system what is the system's (carillon_library.h). */
#include "carillon_library.h"
#include "carillon_port.h"

#include "ports/armv7m/check.h"

#define AIRCR UINT32_C(0xE000ED0C)
#define AIRCR_PRIGROUP(value) (((value) >> 8) & 7u)

static uint32_t mask_that_holds(void)
{
    uint32_t primask;
    uint32_t faultmask;
    uint32_t basepri;
    __asm__ volatile("mrs %0, primask\n"
                     "mrs %1, faultmask\n"
                     "mrs %2, basepri\n"
                     : "=r"(primask), "=r"(faultmask), "=r"(basepri));
    if (primask != 0u) {
        return 1u;
    }
    return (faultmask != 0u) ? 2u : ((basepri != 0u) ? 3u : 0u);
}

/* What a priority of all ones reads, of an interrupt of the system; it is put back. */
static uint32_t all_ones_read(void)
{
    const int32_t number = carillon_check_interrupt();
    if (number < 0) {
        return PRIORITY_BITS;
    }
    volatile uint8_t *const priority = (volatile uint8_t *)(uintptr_t)(NVIC_PRIORITY + (uint32_t)number);
    const uint8_t before = *priority;
    *priority = 0xFFu;
    const uint32_t read = *priority;
    *priority = before;
    return read;
}

enum carillon_start carillon_check_start(uint32_t *where)
{
    *where = carillon_port_current();
    if (*where != 0u) {
        return CARILLON_START_IN_HANDLER;
    }
    *where = mask_that_holds();
    if (*where != 0u) {
        return CARILLON_START_MASKED;
    }
    *where = AIRCR_PRIGROUP(CARILLON_REGISTER(AIRCR));
    if ((UINT32_C(2) << *where) > LEAST_PRIORITY) {
        return CARILLON_START_PRIORITY_GROUPS;
    }
    *where = all_ones_read();
    if ((*where & PRIORITY_BITS) != PRIORITY_BITS) { /* more bits do no harm: they are 0 */
        return CARILLON_START_PRIORITY_BITS;
    }
    return carillon_check_devices(where);
}
