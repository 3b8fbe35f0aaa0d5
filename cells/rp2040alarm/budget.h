/* SPDX-License-Identifier: Apache-2.0
 *
 * An alarm of the RP2040 as the cell of the budgets of a round's tasks: kernel/core/round_budget.h says what these
 * operations promise.
 *
 * 1. What is left is how far the alarm lies ahead of the counter of microseconds.  An alarm that the counter has come to
 *    reads as less than 0.  The alarm does not move by itself.
 * 2. No lock keeps a handler from coming between the accesses to the counter and to the alarm.  It leaves the alarm as
 *    far ahead as it was.  So the counter is read before and after, until it reads the same: then all accesses belong to
 *    one microsecond, whatever came in between.  A tick of the counter makes that one more turn, and so does a handler.
 * 3. So an alarm that is set to one unit or more lies ahead of the counter when it is set, and fires when the counter
 *    comes to it (cell.h, 2).  Where 0 or less is written back, nothing is watched.
 * 4. A job begins and goes on within a microsecond, which is counted as whole.  So each budget has one unit more, and
 *    what is left has one more after each preemption.  No job is ended early.  A preemption adds less than two units.
 */
#ifndef CARILLON_CELL_RP2040ALARM_BUDGET_H
#define CARILLON_CELL_RP2040ALARM_BUDGET_H

#include "cells/rp2040alarm/cell.h"

#define CARILLON_ROUND_BUDGET_BEGUN 1u

static inline uint32_t carillon_budget_device_left(void)
{
    uint32_t now;
    uint32_t left;
    do {
        now = rp2040alarm_now();
        left = carillon_port_read(RP2040ALARM_ALARM(CARILLON_ROUND_BUDGET_CELL)) - now;
    } while (rp2040alarm_now() != now);
    return left;
}

static inline void carillon_budget_device_set(uint32_t units)
{
    uint32_t now;
    do {
        now = rp2040alarm_now();
        carillon_port_write(RP2040ALARM_ALARM(CARILLON_ROUND_BUDGET_CELL), now + units);
    } while (rp2040alarm_now() != now);
}

#endif
