/* SPDX-License-Identifier: Apache-2.0
 *
 * In the place of the software interrupt controller: what it would be asked. */
#include "services.h"

struct carillon_software carillon_software;

enum { LOCKED = 1 << 16 };

carillon_software_state carillon_software_mask(void)
{
    return CARILLON_SOFTWARE_LEVEL(carillon_software.level) | ((carillon_software.locked != 0u) ? LOCKED : 0u) |
           port.mask;
}

carillon_software_state carillon_software_lock(void)
{
    const carillon_software_state saved = carillon_software_mask();
    (void)carillon_port_raise(CARILLON_OSEK_TOP);
    carillon_software.locked = 1u;
    return saved;
}

carillon_software_state carillon_software_raise(uint8_t level)
{
    const carillon_software_state saved = carillon_software_mask();
    carillon_software.level = level;
    return saved;
}

void carillon_software_lower(carillon_software_state saved)
{
    carillon_software.level = (uint8_t)(saved >> CARILLON_SOFTWARE_LEVEL_SHIFT);
    carillon_software.locked = (saved & LOCKED) != 0u;
    carillon_port_restore(saved & (LOCKED - 1u));
}

void carillon_software_request(carillon_software_word level_bit, uint8_t level)
{
    assert_int_equal(level_bit, 1u << level);
    carillon_software_pend(level_bit, level);
}
