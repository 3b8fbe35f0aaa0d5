/* SPDX-License-Identifier: Apache-2.0
 *
 * The real-time clock of the Goldfish platform, which QEMU's virt machines have: a counter of 64 bits of the
 * nanoseconds since the beginning of 1970.  It is never stopped.  Its alarm and its interrupt are not used.
 *
 * SPEC, section "Real-time clocks", says what the functions promise.  It is read and set locked: a read of TIME_LOW
 * keeps the upper half for TIME_HIGH, and whoever read TIME_LOW in between would change it. */
#ifndef CARILLON_DEVICE_GOLDFISH_RTC_H
#define CARILLON_DEVICE_GOLDFISH_RTC_H

#include "carillon_port.h"

#define GOLDFISH_TIME_LOW (CARILLON_RTC_ADDRESS)
#define GOLDFISH_TIME_HIGH (CARILLON_RTC_ADDRESS + 4u)
#define GOLDFISH_SECOND UINT32_C(1000000000)
/* A second in units of 2^9 ns: a number of 21 bits. */
#define GOLDFISH_SECOND_UNITS UINT32_C(1953125)

static inline void carillon_rtc_start(void)
{
}

static inline bool carillon_rtc_has(uint32_t seconds)
{
    (void)seconds;
    return true;
}

/* The division of 64 bits is made of divisions of 32 bits.  The compiler's own function takes 34 instructions more, and
 * 1178 bytes.
 *
 * 1. A second is a whole number of units of 2^9 ns.  So the nanoseconds below a unit change no second.
 * 2. If the upper half of the units is not less than a second, the quotient has more than 32 bits.
 * 3. Else that half is the first remainder.  A remainder has 21 bits.  With the next 11 or 10 bits of the lower half,
 * it fits into 32 bits, so that each of three steps is a division of 32 bits. */
static inline bool carillon_rtc_read(uint32_t *seconds)
{
    const uint32_t low = carillon_port_read(GOLDFISH_TIME_LOW); /* first: keeps the upper half */
    const uint32_t high = carillon_port_read(GOLDFISH_TIME_HIGH);
    const uint32_t above = high >> 9;
    const uint32_t units = (high << 23) | (low >> 9);
    if (above >= GOLDFISH_SECOND_UNITS) {
        return false;
    }
    const uint32_t first = (above << 11) | (units >> 21);
    const uint32_t second = ((first % GOLDFISH_SECOND_UNITS) << 11) | ((units >> 10) & 0x7FFu);
    const uint32_t third = ((second % GOLDFISH_SECOND_UNITS) << 10) | (units & 0x3FFu);
    *seconds = ((first / GOLDFISH_SECOND_UNITS) << 21) | ((second / GOLDFISH_SECOND_UNITS) << 10) |
               (third / GOLDFISH_SECOND_UNITS);
    return true;
}

/* The counter goes on between the stores, and a store to one half keeps the other as it is by then.  If the lower half
 * ran over after the upper one is stored, or before, the time would be wrong by 4.3 s.  So the lower half is made 0
 * first, and does not run over before the last store. */
static inline bool carillon_rtc_write(uint32_t seconds)
{
    const uint64_t nanoseconds = (uint64_t)seconds * GOLDFISH_SECOND;
    CARILLON_REGISTER(GOLDFISH_TIME_LOW) = 0u;
    CARILLON_REGISTER(GOLDFISH_TIME_HIGH) = (uint32_t)(nanoseconds >> 32);
    CARILLON_REGISTER(GOLDFISH_TIME_LOW) = (uint32_t)nanoseconds;
    return true;
}

#endif
