/* SPDX-License-Identifier: Apache-2.0
 *
 * What a library of `carillon build --library` has for the project that links it: ttStartOS, or StartOS, asks what the
 * project has left to the system.  If that is not as it must be, nothing starts: the shutdown hook is called with
 * TT_E_OS_START, or E_OS_SYS_START, and the processor halts.  `check_start = false` in [system] leaves that out. */
#ifndef CARILLON_LIBRARY_H
#define CARILLON_LIBRARY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum carillon_start {
    CARILLON_START_READY,
    CARILLON_START_IN_HANDLER,      /* a handler calls, with that exception number: it never returns */
    CARILLON_START_MASKED,          /* PRIMASK (1), FAULTMASK (2) or BASEPRI (3) holds interrupts back */
    CARILLON_START_PRIORITY_GROUPS, /* AIRCR has this PRIGROUP, by which not all priority bits are of preemption */
    CARILLON_START_PRIORITY_BITS,   /* a priority of all ones reads so: the processor has fewer bits than the board's
                                       levels */
    CARILLON_START_VECTOR,          /* the table in use has another handler for the exception with that number */
    CARILLON_START_TIMER,           /* the timer's register there is not as after reset, or its clock is off */
    CARILLON_START_CLOCK            /* the timer whose counter is there has another clock: hz / expected_hz times it */
};

/* What keeps the system from starting, and where.
 *
 * `hz`: what the last timer that was measured counts a second, and `expected_hz` what it is to count; 0 and 0 if none
 * was.  The processor's cycles tell the time: the processor is taken to have the clock that the schedule says.  Only a
 * schedule with [clock], on a processor with DWT_CYCCNT, has its timers measured. */
struct carillon_refusal {
    enum carillon_start reason;
    uint32_t where;
    uint32_t hz;
    uint32_t expected_hz;
};
extern struct carillon_refusal carillon_refused;

/* Generated: the vectors of the system, and what the registers of its timers read after reset. */
struct carillon_expected_vector {
    uint32_t source;
    void (*handler)(void);
};
struct carillon_expected_register {
    uint32_t address;
    uint32_t bits;
    uint32_t value;
};
/* A timer: what makes its counter run, and what it is to count a second. */
struct carillon_expected_clock {
    uint32_t control;
    uint32_t run;
    uint32_t counter;
    uint32_t hz;
};
extern const struct carillon_expected_vector carillon_expected_vectors[];
extern const struct carillon_expected_register carillon_expected_registers[];
extern const uint32_t carillon_expected_register_count;
extern const struct carillon_expected_clock carillon_expected_clocks[];

#ifdef __cplusplus
}
#endif

#endif
