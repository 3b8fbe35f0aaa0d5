/* SPDX-License-Identifier: Apache-2.0
 *
 * Giotto on cells: blocks are called by an alarm of the clock.  Its period is the distance of the blocks, and is
 * counted from the expiry, so that nothing adds up. */
#include "kernel/giotto/blocks.h"

#include "kernel/giotto/begin.h"
#include "kernel/microcode/machine.h"

#include "carillon/time.h"

static void expired(void);

static struct carillon_alarm alarm = CARILLON_ALARM_OF_FUNCTION(expired);
static void (*next)(void) = carillon_giotto_first;
static carillon_giotto_ticks distance = 1u; /* to the next block, and after the block that runs is called: the last */

static void expired(void)
{
    const carillon_giotto_ticks before = distance;
    next();
    if (distance != before) {
        (void)carillon_alarm_change(&alarm, (carillon_duration)distance);
    }
}

void carillon_giotto_next(void (*block)(void), carillon_giotto_ticks ticks)
{
    next = block;
    distance = ticks;
}

void carillon_giotto_start(void)
{
    (void)carillon_alarm_start(&alarm, (carillon_duration)distance, CARILLON_INFINITE);
}

void carillon_giotto_late(const uint16_t *slots, uint16_t address)
{
    for (const uint16_t *slot = slots; *slot != CARILLON_MICROCODE_NONE; slot++) { /* a row of the tool's */
        struct carillon_giotto_slot *const entry = &carillon_giotto_slots[*slot];
        if (entry->unfinished) {
            carillon_giotto_missed[*slot]();
            carillon_machine_fault(CARILLON_MACHINE_LATE, carillon_giotto_invocations[*slot].task, address);
            entry->unfinished = false;
            entry->abandoned = true;
        }
    }
}

__attribute__((weak)) void carillon_machine_fault(enum carillon_machine_fault fault, uint16_t task, uint16_t address)
{
    (void)fault;
    (void)task;
    (void)address;
}
