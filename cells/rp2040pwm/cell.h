/* SPDX-License-Identifier: Apache-2.0
 *
 * The slices of the RP2040's PWM (datasheet, section 4.5) as timers.  They are counters of 16 bits that count up from 0
 * to TOP, with a divider each, and one interrupt for all of them.  A cell is a slice; it expires where the counter
 * wraps.
 *
 * Nothing here depends on how long an instruction takes:
 *
 * 1. One store enables several slices in one cycle, and leaves the others as they are.
 * 2. TOP is buffered while a slice runs: what it gets then holds from the next wrap on.  So the first interval is in
 *    TOP at the start, and the period is stored right after it (FINISH).
 * 3. The raw interrupt is a level until a store clears it, and is set whether it may interrupt or not.  So arming
 *    clears it first.
 *
 * carillon_board.h says where a cell has its slice, RP2040PWM_SLICE. */
#ifndef CARILLON_CELL_RP2040PWM_H
#define CARILLON_CELL_RP2040PWM_H

#include "carillon_board.h"
#include "carillon_port.h"

#define RP2040PWM_BASE UINT32_C(0x40050000)
#define RP2040PWM_CONTROL(cell) RP2040PWM_SLICE(cell)
#define RP2040PWM_DIVIDER(cell) (RP2040PWM_SLICE(cell) + 0x04u)
#define RP2040PWM_PLACE(cell) (RP2040PWM_SLICE(cell) + 0x08u)
#define RP2040PWM_TOP(cell) (RP2040PWM_SLICE(cell) + 0x10u)
#define RP2040PWM_RUN (RP2040PWM_BASE + 0xA0u)
#define RP2040PWM_RAW (RP2040PWM_BASE + 0xA4u)
#define RP2040PWM_ENABLE (RP2040PWM_BASE + 0xA8u)
#define RP2040PWM_ASKS (RP2040PWM_BASE + 0xB0u)
#define RP2040PWM_SET(reg) ((reg) + 0x2000u) /* where a store sets bits of a register, and clears them */
#define RP2040PWM_CLEAR(reg) ((reg) + 0x3000u)

#define RP2040PWM_BIT(cell) (UINT32_C(1) << ((RP2040PWM_SLICE(cell) - RP2040PWM_BASE) / 0x14u))

/* The divider has four bits of a fraction. */
#define RP2040PWM_PREPARE(cell, first, period, prescaler)                                                              \
    CARILLON_STORE(RP2040PWM_CONTROL(cell), 0u), CARILLON_STORE(RP2040PWM_DIVIDER(cell), (uint32_t)(prescaler) << 4u), \
        CARILLON_STORE(RP2040PWM_PLACE(cell), 0u), CARILLON_STORE(RP2040PWM_TOP(cell), (first)-1u),                    \
        CARILLON_STORE(RP2040PWM_RAW, RP2040PWM_BIT(cell)),                                                            \
        CARILLON_STORE(RP2040PWM_SET(RP2040PWM_ENABLE), RP2040PWM_BIT(cell))
/* A cell that is armed later: a deadline. */
#define RP2040PWM_HOLD(cell) CARILLON_STORE(RP2040PWM_CLEAR(RP2040PWM_ENABLE), RP2040PWM_BIT(cell))
#define RP2040PWM_START(bits) CARILLON_STORE(RP2040PWM_SET(RP2040PWM_RUN), (bits))
#define RP2040PWM_FINISH(cell, first, period) CARILLON_STORE(RP2040PWM_TOP(cell), (period)-1u)
#define RP2040PWM_LEFT(cell, period) ((period)-carillon_port_read(RP2040PWM_PLACE(cell)))
#define RP2040PWM_STOP(cell)                                                    \
    CARILLON_STORE(RP2040PWM_CONTROL(cell), 0u),                                \
        CARILLON_STORE(RP2040PWM_CLEAR(RP2040PWM_ENABLE), RP2040PWM_BIT(cell)), \
        CARILLON_STORE(RP2040PWM_RAW, RP2040PWM_BIT(cell))

/* What the registers read after reset: the slice stands, and its interrupt is not enabled. */
#define RP2040PWM_UNTOUCHED(cell, width)          \
    {RP2040PWM_CONTROL(cell), UINT32_MAX, 0u},    \
    {                                             \
        RP2040PWM_ENABLE, RP2040PWM_BIT(cell), 0u \
    }

/* A handler may return at once: the line has been let go by then. */
static inline void rp2040pwm_acknowledge(uint32_t cell)
{
    (void)cell; /* of one cell the macros are constants */
    carillon_port_write(RP2040PWM_RAW, RP2040PWM_BIT(cell));
    carillon_port_settle();
}

/* Whether a cell asks for an interrupt: it has expired since it was acknowledged, and is armed. */
static inline bool rp2040pwm_asks(uint32_t cell)
{
    (void)cell;
    return (carillon_port_read(RP2040PWM_ASKS) & RP2040PWM_BIT(cell)) != 0u;
}

static inline void rp2040pwm_arm(uint32_t cell)
{
    (void)cell;
    carillon_port_write(RP2040PWM_RAW, RP2040PWM_BIT(cell));
    carillon_port_write(RP2040PWM_SET(RP2040PWM_ENABLE), RP2040PWM_BIT(cell));
}

/* As carillon_port_disarm: a deadline does not interrupt after its task was counted as ended. */
static inline void rp2040pwm_disarm(uint32_t cell)
{
    (void)cell;
    carillon_port_write(RP2040PWM_CLEAR(RP2040PWM_ENABLE), RP2040PWM_BIT(cell));
    carillon_port_barrier();
}

#endif
