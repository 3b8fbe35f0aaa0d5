/* SPDX-License-Identifier: Apache-2.0 */
#include "port.h"

#include <stdio.h>
#include <string.h>

enum { REGISTERS = 64 };

struct port port;
void (*port_before_read)(uint32_t address);
void (*port_unlocked)(void);
static struct {
    uint32_t address, value;
} registers[REGISTERS];

int port_reset(void **state)
{
    (void)state;
    memset(&port, 0, sizeof port);
    memset(registers, 0, sizeof registers);
    port_before_read = NULL;
    port_unlocked = NULL;
    return 0;
}

uint32_t *port_register(uint32_t address)
{
    for (size_t i = 0; i < REGISTERS; i++) {
        if ((registers[i].address == address) || (registers[i].address == 0u)) {
            registers[i].address = address;
            return &registers[i].value;
        }
    }
    fail_msg("too many registers");
    return NULL;
}

void note(const char *word)
{
    const size_t used = strlen(port.log);
    assert_true(snprintf(port.log + used, sizeof port.log - used, "%s ", word) < (int)(sizeof port.log - used));
}

void assert_log(const char *expected)
{
    assert_string_equal(port.log, expected);
    port.log[0] = '\0';
}

/* A store to a register of requests. */
static void change_requests(uint32_t address, uint32_t value)
{
    const uint32_t kind = address & 0xF000u;
    const uint32_t first = ((address & 0xFFFu) / 4u) * 32u;
    for (uint32_t place = 0; place < 32u; place++) {
        if ((value & (UINT32_C(1) << place)) == 0u) {
            continue;
        }
        if (kind == VIRTUAL_REQUEST_PEND) {
            carillon_port_request(first + place);
        }
        if (kind == VIRTUAL_REQUEST_UNPEND) {
            port.pending[first + place] = false;
            port.forgotten++;
        }
    }
}

void carillon_port_write(uint32_t address, uint32_t value)
{
    if ((address >> 16) == (VIRTUAL_REQUEST >> 16)) {
        change_requests(address, value);
    } else {
        port.mask_at_store = port.mask;
        *port_register(address) = value;
    }
}

uint32_t carillon_port_read(uint32_t address)
{
    if (port_before_read != NULL) {
        port_before_read(address);
    }
    port.mask_at_read = port.mask;
    return *port_register(address);
}

uint32_t carillon_port_current(void)
{
    return port.current;
}

uint32_t carillon_port_mask(void)
{
    return port.mask;
}

uint32_t carillon_port_raise(uint32_t level)
{
    const uint32_t saved = port.mask;
    port.mask_before = saved;
    port.mask = carillon_port_higher(saved, carillon_port_mask_of(level));
    return saved;
}

void carillon_port_restore(uint32_t mask)
{
    port.needless += (port.mask == 0u) ? 1u : 0u;
    port.mask = mask;
    if ((mask == 0u) && (port_unlocked != NULL)) {
        void (*const comes)(void) = port_unlocked;
        port_unlocked = NULL;
        comes();
    }
}

uint32_t carillon_port_lock(void)
{
    return carillon_port_raise(CARILLON_LEVELS);
}

void carillon_port_unlock(uint32_t saved)
{
    carillon_port_restore(saved);
}

void carillon_port_shift(const struct carillon_shift *list, uint32_t count, uint32_t by)
{
    for (uint32_t i = 0; i < count; i++) {
        *port_register(list[i].counter) += list[i].units + by;
    }
}

bool carillon_port_is_active(uint16_t source)
{
    return port.active[source];
}

bool carillon_port_is_pending(uint16_t source)
{
    port.mask_at_look = port.mask;
    return port.pending[source];
}

void carillon_port_request(uint32_t source)
{
    port.pending[source] = true;
    port.requests++;
}

void carillon_port_run_base(carillon_vector function)
{
    const uint32_t mask = port.mask;
    const uint32_t current = port.current;
    port.mask = 0u;
    port.current = 0u;
    note("base");
    function();
    port.mask = mask;
    port.current = current;
}

void carillon_port_run_recorded(carillon_vector function)
{
    port.runs++;
    function();
}
