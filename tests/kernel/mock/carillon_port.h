/* SPDX-License-Identifier: Apache-2.0
 *
 * A port that does nothing but keep a log: the kernel's part of the contract, without hardware. */
#ifndef CARILLON_PORT_H
#define CARILLON_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h"
#include "kernel/contract/mode.h"

typedef void (*carillon_vector)(void);

void carillon_port_write(uint32_t address, uint32_t value);
uint32_t carillon_port_read(uint32_t address);
void carillon_port_enable(uint32_t source, uint32_t mask);
uint32_t carillon_port_lock(void);
void carillon_port_unlock(uint32_t saved);
void carillon_port_set_level(uint16_t source, uint16_t level);
void carillon_port_set_vectors(const void *vectors);
bool carillon_port_is_active(uint16_t source);
bool carillon_port_is_pending(uint16_t source);
void carillon_port_start(const struct carillon_store *list, uint32_t count);
void carillon_port_start_at(uint32_t counter, uint32_t target, const struct carillon_store *before,
                            uint32_t before_count, const struct carillon_store *list, uint32_t count);
void carillon_port_align(const struct carillon_shift *list, uint32_t count);
void carillon_port_run_lowered(carillon_vector function);
void carillon_port_halt(void) __attribute__((noreturn));
void carillon_port_idle(void);
void carillon_port_spend(uint32_t ticks);

#endif
