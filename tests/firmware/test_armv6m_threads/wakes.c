/* SPDX-License-Identifier: Apache-2.0 */
/* An interrupt comes in each instruction of a service that waits, in four ways. */

#include "carillon/osek.h"
#include "carillon/time.h"

#define TIMER(offset) CARILLON_REGISTER(0x40054000u + (offset))

static struct carillon_semaphore main_may = CARILLON_SEMAPHORE(0), low_may = CARILLON_SEMAPHORE(0);
static volatile uint32_t way, interrupts, low_ran;

ISR(Alarm)
{
    TIMER(0x34u) = 2u;
    interrupts++;
    if (way != 1u) {
        (void)carillon_semaphore_v(&main_may);
    }
    if (way != 0u) {
        (void)carillon_semaphore_v(&low_may);
    }
}

static StatusType service(void)
{
    carillon_time from = carillon_now();
    switch (way) {
    case 0u:
        return carillon_semaphore_p_within(&main_may, 40u);
    case 1u:
        return carillon_delay_until(&from, 30u);
    case 2u:
        SuspendAllInterrupts();
        carillon_port_delay(20u);
        ResumeAllInterrupts();
        return carillon_semaphore_p(&main_may);
    default:
        SuspendOSInterrupts();
        carillon_port_delay(20u);
        ResumeOSInterrupts();
        return carillon_semaphore_p(&main_may);
    }
}

THREAD(Main)
{
    TIMER(0x38u) |= 2u;
    for (way = 0u; way < 4u; way++) {
        uint32_t wrong = 0u;
        for (uint32_t instructions = 9u; instructions < 450u; instructions++) {
            const uint32_t before = low_ran;
            const uint32_t tick = TIMER(0x28u);
            while (TIMER(0x28u) == tick) {
            }
            TIMER(0x14u) = tick + 4u;
            carillon_port_delay(instructions);
            wrong += (service() != E_OK) ? 1u : 0u;
            (void)carillon_delay(60u);
            wrong += ((low_ran - before) != (way != 0u)) ? 1u : 0u;
        }
        report("way", way);
        report("interrupts", interrupts);
        report("wrong", wrong);
    }
    for (;;) {
        (void)carillon_delay(1000u);
    }
}

THREAD(Low)
{
    for (;;) {
        (void)carillon_semaphore_p(&low_may);
        low_ran++;
        carillon_port_delay(500u);
    }
}
