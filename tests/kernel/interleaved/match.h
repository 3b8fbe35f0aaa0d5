/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver of a match that keeps budgets, on the port on which anything may happen (test_match_budget.c). */
#ifndef CARILLON_TESTS_MATCH_H
#define CARILLON_TESTS_MATCH_H

#include "carillon_port.h"

/* What the driver's other functions use. */
#define CARILLON_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define CARILLON_NVIC 0xE000E100u
#define CARILLON_NVIC_UNPEND 0x180u
#define RP2040ALARM_ALARM(cell) (0x40054010u + (4u * (cell)))
void carillon_port_barrier(void);
uint32_t carillon_port_lock(void);
void carillon_port_unlock(uint32_t saved);

#include "cells/rp2040alarm/budget.h"

#endif
