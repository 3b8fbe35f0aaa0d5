/* SPDX-License-Identifier: Apache-2.0
 *
 * An alarm of the RP2040 as the cell of the budgets of a round's tasks: kernel/core/round_budget.h says what these
 * operations promise.
 *
 * 1. What is left is how far the alarm lies ahead of the counter of microseconds.  An alarm that the counter has
 *    come to reads as less than 0.  The alarm does not move by itself.
 * 2. Handlers leave the alarm as far ahead as it was.  So what is left is told without a lock.  The counter is read
 *    before and after the alarm, until it reads the same: then all accesses belong to one microsecond, whatever came
 *    in between.
 * 3. The alarm is set with all interrupts locked.  A handler between load and store would leave the store an alarm
 *    that has passed, and whoever came next would take the job for late.  The counter may tick in between.  Then the
 *    alarm is set again.  So an alarm that is set to one unit or more lies ahead of the counter when it is set, and
 *    fires when the counter comes to it (cell.h, 2).  Where 0 or less is written back, nothing is watched.
 * 4. A job begins and goes on within a microsecond, which is counted as whole.  So each budget has one unit more,
 *    and what is left has one more after each preemption.  No job is ended early.  A preemption adds less than two
 *    units.
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
    const uint32_t saved = carillon_port_lock();
    uint32_t now;
    do { /* twice at most: a tick is longer */
        now = rp2040alarm_now();
        carillon_port_write(RP2040ALARM_ALARM(CARILLON_ROUND_BUDGET_CELL), now + units);
    } while (rp2040alarm_now() != now);
    carillon_port_unlock(saved);
}

#endif
