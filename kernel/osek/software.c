/* SPDX-License-Identifier: Apache-2.0
 *
 * The software interrupt controller. */
#include "carillon/osek_error.h"

#if CARILLON_OSEK_SOFTWARE

#define WORDS ((CARILLON_OSEK_TASK_LEVELS / 32u) + 1u)

volatile uint8_t carillon_software_level;
volatile uint8_t carillon_software_locked;
volatile uint8_t carillon_software_preempted;
volatile uint16_t carillon_software_left;
static volatile uint32_t pending[WORDS];
#if CARILLON_OSEK_TASK_LEVELS >= 32
static volatile uint32_t words; /* which words of `pending` are not 0 */
#endif

#define LEVEL_OF(saved) ((uint8_t)((saved) >> 24))
#define LOCKED(saved) (((saved)&UINT32_C(0x800000)) != 0u)
#define PORT_MASK(saved) ((saved)&UINT32_C(0x7FFFFF))

/* On an 8-bit processor an int has 16 bits, and a long 32. */
static uint32_t top_bit(uint32_t word)
{
    return 31u - (uint32_t)((sizeof(unsigned) < sizeof(word)) ? __builtin_clzl(word) : __builtin_clz((unsigned)word));
}

/* The highest pending level, 0 if there is none: its time does not depend on how many there are. */
static uint32_t highest(void)
{
#if CARILLON_OSEK_TASK_LEVELS >= 32
    if (words == 0u) {
        return 0u;
    }
    const uint32_t word = top_bit(words);
    return (32u * word) + top_bit(pending[word]);
#else
    return (pending[0] == 0u) ? 0u : top_bit(pending[0]);
#endif
}

static void clear(uint32_t level)
{
    pending[level / 32u] &= ~(UINT32_C(1) << (level % 32u));
#if CARILLON_OSEK_TASK_LEVELS >= 32
    if (pending[level / 32u] == 0u) {
        words &= ~(UINT32_C(1) << (level / 32u));
    }
#endif
}

void carillon_osek_request(struct carillon_store request, uint8_t level)
{
    (void)request;
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
    pending[level / 32u] |= UINT32_C(1) << (level % 32u);
#if CARILLON_OSEK_TASK_LEVELS >= 32
    words |= UINT32_C(1) << (level / 32u);
#endif
    if (carillon_port_current() != 0u) {
        carillon_port_request(CARILLON_OSEK_DISPATCHER);
    }
    carillon_port_restore(saved);
}

uint32_t carillon_osek_mask(void)
{
    return ((uint32_t)carillon_software_level << 24) | (((uint32_t)carillon_software_locked) << 23) |
           carillon_port_mask();
}

uint32_t carillon_osek_lock(void)
{
    const uint32_t saved = carillon_osek_mask();
    (void)carillon_port_raise(CARILLON_OSEK_TOP);
    carillon_software_locked = 1u;
    return saved;
}

void carillon_osek_unlock(uint32_t saved)
{
    carillon_osek_lower(saved);
}

uint32_t carillon_osek_raise(uint8_t level)
{
    const uint32_t saved = carillon_osek_mask();
    const uint8_t task_level = (level < CARILLON_OSEK_TASK_LEVELS) ? level : (uint8_t)CARILLON_OSEK_TASK_LEVELS;
    if (task_level > carillon_software_level) {
        carillon_software_level = task_level;
    }
    if (level > CARILLON_OSEK_TASK_LEVELS) {
        (void)carillon_port_raise(CARILLON_OSEK_PORT_LEVEL(level));
    }
    return saved;
}

void carillon_osek_lower(uint32_t saved)
{
    carillon_software_level = LEVEL_OF(saved);
    carillon_software_locked = LOCKED(saved) ? 1u : 0u;
    carillon_port_restore(PORT_MASK(saved));
    if (!LOCKED(saved) && (carillon_port_current() == 0u) && (highest() > carillon_software_level)) {
        carillon_software_deliver();
    }
}

/* 1. A level is pending or its handler has begun: both change under the lock.
 * 2. A handler returns with the level that it was called with, so that what it preempted goes on at its own.
 * 3. What became pending meanwhile is seen by the next turn; what an interrupt requests after the last look comes
 *    with the dispatcher's interrupt. */
void carillon_software_deliver(void)
{
    for (;;) { /* bounded by the levels above the current one and their requests */
        const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
        const uint32_t level = highest();
        const uint8_t preempted = carillon_software_level;
        if ((level <= preempted) || (carillon_software_locked != 0u)) {
            carillon_port_restore(saved);
            return;
        }
        clear(level);
        carillon_software_level = (uint8_t)level;
        const uint16_t left = carillon_software_left;
        carillon_software_preempted = (uint8_t)(((left & CARILLON_SOFTWARE_LEFT) != 0u) ? (left & 0xFFu) : preempted);
        carillon_software_left = 0u;
        carillon_port_restore(saved);
        carillon_software_handlers[level]();
        carillon_software_level = preempted;
        carillon_software_left = left;
    }
}

bool carillon_osek_pending_above(uint8_t level)
{
    return highest() > level;
}

void carillon_software_dispatch(void)
{
    if (highest() > carillon_software_level) {
        carillon_port_run_base(carillon_software_deliver);
    }
}

#endif
