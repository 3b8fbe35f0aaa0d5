/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a project has left to the system what is the system's (carillon_library.h). */
#include "carillon_library.h"

#include "carillon_port.h"

#define VTOR UINT32_C(0xE000ED08)
#define AIRCR UINT32_C(0xE000ED0C)
#define AIRCR_PRIGROUP(value) (((value) >> 8) & 7u)
#define NVIC_PRIORITY UINT32_C(0xE000E400)
#define LEAST_PRIORITY (256u / CARILLON_LEVELS) /* the value of the lowest bit that a priority has */
#define PRIORITY_BITS (256u - LEAST_PRIORITY)

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
    for (uint32_t k = 0; k < carillon_expected_vector_count; k++) {
        const uint32_t source = carillon_expected_vectors[k].source;
        if (source >= CARILLON_FIRST_INTERRUPT) {
            volatile uint8_t *const priority =
                (volatile uint8_t *)(uintptr_t)(NVIC_PRIORITY + (source - CARILLON_FIRST_INTERRUPT));
            const uint8_t before = *priority;
            *priority = 0xFFu;
            const uint32_t read = *priority;
            *priority = before;
            return read;
        }
    }
    return PRIORITY_BITS;
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
#if CARILLON_MODES <= 1 /* else the tables are the system's own */
    const volatile carillon_vector *const table = (const volatile carillon_vector *)(uintptr_t)CARILLON_REGISTER(VTOR);
    for (uint32_t k = 0; k < carillon_expected_vector_count; k++) {
        const struct carillon_expected_vector *const expected = &carillon_expected_vectors[k];
        *where = expected->source;
        if (table[expected->source] != expected->handler) {
            return CARILLON_START_VECTOR;
        }
    }
#endif
    for (uint32_t k = 0; k < carillon_expected_register_count; k++) {
        const struct carillon_expected_register *const expected = &carillon_expected_registers[k];
        *where = expected->address;
        if ((CARILLON_REGISTER(expected->address) & expected->bits) != expected->value) {
            return CARILLON_START_TIMER;
        }
    }
    *where = 0u;
    return CARILLON_START_READY;
}
