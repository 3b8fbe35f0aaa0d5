/* SPDX-License-Identifier: Apache-2.0
 *
 * What the check of a start looks at on every processor of ARM that has an NVIC: vectors, and registers of timers.  The
 * headers of the port and of the library come before this one. */
#ifndef CARILLON_CHECK_H
#define CARILLON_CHECK_H

#define VTOR UINT32_C(0xE000ED08)
#define NVIC_PRIORITY UINT32_C(0xE000E400)
#define LEAST_PRIORITY (256u / CARILLON_LEVELS) /* the value of the lowest bit that a priority has */
#define PRIORITY_BITS (256u - LEAST_PRIORITY)

/* The number of an interrupt of the system in the NVIC; below 0 if there is none. */
static inline int32_t carillon_check_interrupt(void)
{
    for (uint32_t k = 0; k < CARILLON_START_VECTORS; k++) {
        if (carillon_expected_vectors[k].source >= CARILLON_FIRST_INTERRUPT) {
            const uint32_t number = carillon_expected_vectors[k].source - CARILLON_FIRST_INTERRUPT;
            return (int32_t)number;
        }
    }
    return -1;
}

/* Whether the table has what is expected.  Without VTOR, a processor of ARMv6-M reads 0 there, which is where its table
 * is. */
static inline bool carillon_check_vectors(uint32_t *where)
{
    const volatile carillon_vector *const table = (const volatile carillon_vector *)(uintptr_t)CARILLON_REGISTER(VTOR);
    for (uint32_t k = 0; k < CARILLON_START_VECTORS; k++) {
        const struct carillon_expected_vector *const expected = &carillon_expected_vectors[k];
        *where = expected->source;
        if (table[expected->source] != expected->handler) {
            return false;
        }
    }
    return true;
}

static inline enum carillon_start carillon_check_devices(uint32_t *where)
{
    if ((CARILLON_MODES <= 1) && !carillon_check_vectors(where)) { /* with several, the tables are the system's own */
        return CARILLON_START_VECTOR;
    }
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

#endif
