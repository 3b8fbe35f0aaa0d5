/* SPDX-License-Identifier: Apache-2.0
 *
 * A channel of a 16-bit timer of AVR as the cell of the budgets of a round's tasks: kernel/core/round_budget.h says what
 * these operations promise.  The timer runs freely, and has no other cell.
 *
 * 1. What is left is how far the match lies ahead of the counter, modulo 2^16.  The flag is set as the counter leaves
 *    the match.
 * 2. Registers of 16 bits share a byte in between, so both are read with interrupts off, and so is the match set.
 * 3. A match that the counter has left asks a turn later, and no store can request an interrupt.  So the match lies
 *    AVR16_BUDGET_SET further ahead than it is asked for.  That is longer than from the load of the counter to the store
 *    of the match.  It is also longer than from that load to the first instruction of the job.
 * 4. The counter may have come to the match while a handler has interrupts off.  The cell's handler would take its time
 *    from the job.  So that request is forgotten when the match is set.  The new match lies ahead until then (3).
 * 5. A handler reads the counter some cycles after its interrupt, and lets the job go on some cycles after the match is
 *    set.  These cycles are not the job's.  So what is left has BEGUN more after each preemption, which is at least that
 *    much.  With a prescaler, a unit that has begun is counted as whole.
 * 6. No job is ended early.  tests/firmware/test_round_budgets.py has how late it may be ended. */
#ifndef CARILLON_CELL_AVR16_BUDGET_H
#define CARILLON_CELL_AVR16_BUDGET_H

#include "cells/avr16/cell.h"

/* In cycles, at least: from the load of the counter to the job; and what surrounds the two of a handler, but for that. */
#define AVR16_BUDGET_SET_CYCLES 40u
#define AVR16_BUDGET_AROUND_CYCLES 176u
#define AVR16_BUDGET_UNITS(cycles) (((cycles) / CARILLON_INSTRUCTIONS_PER_TICK) + 1u)

#define AVR16_BUDGET_SET AVR16_BUDGET_UNITS(AVR16_BUDGET_SET_CYCLES)
#define CARILLON_ROUND_BUDGET_BEGUN AVR16_BUDGET_UNITS(AVR16_BUDGET_AROUND_CYCLES)

static inline uint16_t carillon_budget_device_left(void)
{
    const uint8_t saved = carillon_port_hold_all();
    const uint16_t now = CARILLON_REGISTER_16(AVR16_COUNT(CARILLON_ROUND_BUDGET_CELL));
    const uint16_t match = CARILLON_REGISTER_16(AVR16_MATCH(CARILLON_ROUND_BUDGET_CELL));
    carillon_port_let_go(saved);
    return (uint16_t)(match - now);
}

static inline void carillon_budget_device_set(uint16_t units)
{
    const uint8_t saved = carillon_port_hold_all();
    const uint16_t now = CARILLON_REGISTER_16(AVR16_COUNT(CARILLON_ROUND_BUDGET_CELL));
    const uint16_t ahead = (uint16_t)(units + (uint16_t)AVR16_BUDGET_SET);
    CARILLON_REGISTER_16(AVR16_MATCH(CARILLON_ROUND_BUDGET_CELL)) = (uint16_t)(now + ahead);
    carillon_port_forget(CARILLON_ROUND_BUDGET_SOURCE, CARILLON_SOURCE_BIT(CARILLON_ROUND_BUDGET_SOURCE));
    carillon_port_let_go(saved);
}

#endif
