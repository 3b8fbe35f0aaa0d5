/* SPDX-License-Identifier: Apache-2.0
 *
 * millis, micros and delay of Arduino, of Carillon's clock, beside threads and tasks of the schedule.
 *
 * - A call in a file that includes this header is Carillon's, whether Arduino.h is included or not.  The core's functions
 *   stay, for libraries that call them.
 * - millis and micros begin at 0 with StartOS, and anew after 2^32, as Arduino's.
 * - delay lets others run, and never returns early.  Only a thread or an extended task may call it.  A call from
 *   elsewhere, or before StartOS, shuts the system down with E_OS_CALLEVEL: it never waits for the time in a loop. */
#ifndef CARILLON_ARDUINO_H
#define CARILLON_ARDUINO_H

#include "carillon/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A macro would rename every method of that name, too. */
#pragma redefine_extname millis carillon_sketch_millis
#pragma redefine_extname micros carillon_sketch_micros
#pragma redefine_extname delay carillon_sketch_delay

#if CARILLON_TIME_UPTIME
/* Return the milliseconds since StartOS.
 *
 * Returns: milliseconds, rounded down, modulo 2^32.
 * Errors: none; without uptime = true in [time] it does not compile.
 * From: tasks, threads, ISRs of category 2.
 * Source: Arduino. */
uint32_t millis(void);

/* Return the microseconds since StartOS, as exactly as the clock keeps them.
 *
 * Returns: microseconds, rounded down, modulo 2^32.
 * Errors: none; without uptime = true in [time] it does not compile.
 * From: tasks, threads, ISRs of category 2.
 * Source: Arduino. */
uint32_t micros(void);
#else
uint32_t millis(void) __attribute__((error("write uptime = true in [time]: millis needs the time in 64 bits")));
uint32_t micros(void) __attribute__((error("write uptime = true in [time]: micros needs the time in 64 bits")));
#endif

#if CARILLON_TIME_DELAYS
/* Wait until some time has passed, and never less: at most a tick of the clock more.
 *
 * ms: milliseconds, of any number; 0: do not wait.
 * Errors: none that it returns: it shuts the system down with E_OS_CALLEVEL if the caller may not wait, and with what
 *     carillon_delay returns.
 * From: extended tasks, threads.
 * Source: Arduino. */
void delay(uint32_t ms);
#else
void delay(uint32_t ms) __attribute__((error("name \"delays\" in uses of [time], or leave it out")));
#endif

#ifdef __cplusplus
}
#endif

#endif
