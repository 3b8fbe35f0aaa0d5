/* SPDX-License-Identifier: Apache-2.0
 *
 * A timer of any width, as one-shot or compare, and a tick: what the clock sees of it is the device's contract, what a
 * test sees is the true time, and faults are values.
 *
 * The true time counts in steps, MOCK_STEPS to a tick, and never wraps. */
#ifndef MOCK_TIMER_H
#define MOCK_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#define MOCK_STEPS 16u

/* What can go wrong.  A fault waits for its opportunity, in the order in which they were injected; `amount` is in
 * steps. */
enum mock_fault {
    MOCK_NONE,
    MOCK_LATE,             /* the next interrupt is taken so much later */
    MOCK_SPURIOUS,         /* an interrupt comes for nothing, so much later */
    MOCK_JUMP_AFTER_READ,  /* the counter jumps after it has been read */
    MOCK_JUMP_BEFORE_ARM,  /* ... before the timer is set */
    MOCK_JUMP_AFTER_ARM,   /* ... after it has been set, before the time is looked at again */
    MOCK_ARM_IN_LAST_TICK, /* the timer is set so late that only part of a tick is left to the expiry */
    MOCK_ARM_AS_IT_EXPIRES /* ... at the very step of the expiry */
};

uint32_t mock_now(void);
void mock_set(uint32_t at);
uint32_t mock_remaining(void);
void mock_shift(uint32_t by);
void mock_load(uint32_t ticks);
void mock_enable(void);
void mock_disarm(void);
void mock_acknowledge(void);
uint32_t mock_left(void);
bool mock_waits(void);
void mock_request(void);

/* A register of a device, which only scripts/check-c.sh looks for. */
volatile uint32_t *mock_register(uint32_t address);

#endif
