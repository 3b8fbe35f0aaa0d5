/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a project has left to the system what is the system's (carillon_library.h). */
#include "carillon_library.h"
#include "carillon_port.h"

#include "kernel/core/check.h"
#include "ports/armv7m/check.h"

#define AIRCR UINT32_C(0xE000ED0C)
#define AIRCR_PRIGROUP(value) (((value) >> 8) & 7u)

#define DEMCR UINT32_C(0xE000EDFC)
#define DEMCR_TRCENA (UINT32_C(1) << 24)
#define DWT_CTRL UINT32_C(0xE0001000)
#define DWT_CTRL_CYCCNTENA UINT32_C(1)
#define DWT_CYCCNT UINT32_C(0xE0001004)
/* A counter of 16 bits does not turn meanwhile, even if it counts seven times as fast as the processor. */
#define MEASURED_CYCLES 8192u
#define TOLERANCE 64u /* a part in so many: reads of the two counters are some cycles apart */

struct carillon_refusal carillon_refused;

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

/* What a counter counts a second, by the processor's cycles; then it is as after reset. */
static uint32_t measure(const struct carillon_expected_clock *timer)
{
    CARILLON_REGISTER(timer->control) = timer->run;
    const uint32_t begin = CARILLON_REGISTER(DWT_CYCCNT);
    const uint32_t first = CARILLON_REGISTER(timer->counter);
    uint32_t cycles;
    do {
        cycles = CARILLON_REGISTER(DWT_CYCCNT) - begin;
    } while (cycles < MEASURED_CYCLES);
    const uint32_t counted = CARILLON_REGISTER(timer->counter) - first;
    CARILLON_REGISTER(timer->control) = 0u;
    CARILLON_REGISTER(timer->counter) = 0u;
    return (CARILLON_START_CORE_HZ / cycles) * counted;
}

/* Whether the processor counts its cycles: not every one does, and some only if a debugger has unlocked that. */
static bool counts_cycles(void)
{
    const uint32_t before = CARILLON_REGISTER(DWT_CYCCNT);
    return CARILLON_REGISTER(DWT_CYCCNT) != before;
}

static enum carillon_start check_clocks(uint32_t *where)
{
    if (CARILLON_START_CLOCKS == 0) {
        return CARILLON_START_READY;
    }
    const uint32_t traces = CARILLON_REGISTER(DEMCR);
    CARILLON_REGISTER(DEMCR) = traces | DEMCR_TRCENA;
    const uint32_t counts = CARILLON_REGISTER(DWT_CTRL);
    CARILLON_REGISTER(DWT_CTRL) = counts | DWT_CTRL_CYCCNTENA;
    enum carillon_start said = CARILLON_START_READY;
    const uint32_t measured = counts_cycles() ? CARILLON_START_CLOCKS : 0u;
    for (uint32_t k = 0; k < measured; k++) {
        const struct carillon_expected_clock *const timer = &carillon_expected_clocks[k];
        const uint32_t hz = measure(timer);
        carillon_refused.hz = hz;
        carillon_refused.expected_hz = timer->hz;
        const uint32_t apart = (hz > timer->hz) ? (hz - timer->hz) : (timer->hz - hz);
        if (apart > (timer->hz / TOLERANCE)) {
            *where = timer->counter;
            said = CARILLON_START_CLOCK;
            break;
        }
    }
    CARILLON_REGISTER(DWT_CTRL) = counts;
    CARILLON_REGISTER(DEMCR) = traces;
    return said;
}

static enum carillon_start check(uint32_t *where)
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
    const enum carillon_start said = carillon_check_devices(where);
    return (said == CARILLON_START_READY) ? check_clocks(where) : said;
}

bool carillon_start_refused(void)
{
    carillon_refused.reason = check(&carillon_refused.where);
    return carillon_refused.reason != CARILLON_START_READY;
}
