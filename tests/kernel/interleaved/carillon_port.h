/* SPDX-License-Identifier: Apache-2.0
 *
 * A port on which anything may happen before and after each access to a device (jobs.c). */
#ifndef CARILLON_PORT_H
#define CARILLON_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h"
#include "kernel/contract/mode.h"

typedef void (*carillon_vector)(void);

/* What functions of drivers use that no test calls. */
#define CARILLON_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define CARILLON_NVIC 0xE000E100u
#define CARILLON_NVIC_UNPEND 0x180u
void carillon_port_barrier(void);

uint32_t carillon_port_lock(void);
void carillon_port_unlock(uint32_t saved);
void carillon_port_write(uint32_t address, uint32_t value);
uint32_t carillon_port_read(uint32_t address);
#define CARILLON_SOURCE_BIT(source) (UINT32_C(1) << ((source) % 32u))
void carillon_port_arm(uint32_t source, uint32_t mask);
uint32_t carillon_port_current(void);
uint32_t carillon_port_preempted(const void *frame);
void carillon_port_divert(const void *frame, carillon_vector function);
void carillon_port_call(carillon_vector function);
void carillon_port_unwind(void) __attribute__((noreturn));

#endif
