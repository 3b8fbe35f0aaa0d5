/* SPDX-License-Identifier: Apache-2.0
 *
 * Port to a virtual controller on the host: timer cells, an interrupt controller with priorities and a
 * clock that only carillon_work and idling advance.  Code takes no time, so what a run shows is the
 * schedule alone, and the same run is the same every time.
 *
 * Interrupts nest as function calls.  A handler may be due at a higher level than what runs.  It is called from within
 * the service that advanced the clock or changed the controller.
 */
#ifndef CARILLON_PORT_H
#define CARILLON_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h"
#include "kernel/contract/mode.h"

/* A handler of this port can be interrupted: it holds back nothing by itself. */
#define CARILLON_HANDLERS_HOLD 0
#define CARILLON_BASE_ENDS_LOCKED 0

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*carillon_vector)(void);

/* Registers of the virtual controller; a request register holds 32 sources. */
#define VIRTUAL_REQUEST UINT32_C(0x100000)
#define VIRTUAL_REQUEST_ENABLE 0x1000u
#define VIRTUAL_REQUEST_DISABLE 0x2000u
#define VIRTUAL_REQUEST_UNPEND 0x3000u
#define VIRTUAL_REQUEST_PEND 0x4000u

#define CARILLON_SOURCE_WORD(source) (((source) / 32u) * 4u)
#define CARILLON_SOURCE_BIT(source) (UINT32_C(1) << ((source) % 32u))

#define CARILLON_SYSTEM_VECTORS
#define CARILLON_VECTOR_TABLE(first)

#define CARILLON_STORE_ENABLE(source, mask) \
    CARILLON_STORE(VIRTUAL_REQUEST + VIRTUAL_REQUEST_ENABLE + CARILLON_SOURCE_WORD(source), (mask))
#define CARILLON_STORE_ADMIT CARILLON_STORE_ENABLE
#define CARILLON_STORE_DISABLE(source, mask) \
    CARILLON_STORE(VIRTUAL_REQUEST + VIRTUAL_REQUEST_DISABLE + CARILLON_SOURCE_WORD(source), (mask))
#define CARILLON_STORE_UNPEND(source, mask) \
    CARILLON_STORE(VIRTUAL_REQUEST + VIRTUAL_REQUEST_UNPEND + CARILLON_SOURCE_WORD(source), (mask))

#define CARILLON_STORE_PEND(source) \
    CARILLON_STORE(VIRTUAL_REQUEST + VIRTUAL_REQUEST_PEND + CARILLON_SOURCE_WORD(source), CARILLON_SOURCE_BIT(source))

void carillon_port_write(uint32_t address, uint32_t value);
uint32_t carillon_port_read(uint32_t address);

static inline void carillon_port_arm(uint32_t source, uint32_t mask)
{
    const uint32_t word = VIRTUAL_REQUEST + CARILLON_SOURCE_WORD(source);
    carillon_port_write(word + VIRTUAL_REQUEST_UNPEND, mask);
    carillon_port_write(word + VIRTUAL_REQUEST_ENABLE, mask);
}

static inline void carillon_port_disarm(uint32_t source, uint32_t mask)
{
    carillon_port_write(VIRTUAL_REQUEST + CARILLON_SOURCE_WORD(source) + VIRTUAL_REQUEST_DISABLE, mask);
}

static inline void carillon_port_hold(uint32_t source, uint32_t mask)
{
    carillon_port_disarm(source, mask);
}

static inline void carillon_port_enable(uint32_t source, uint32_t mask)
{
    carillon_port_write(VIRTUAL_REQUEST + CARILLON_SOURCE_WORD(source) + VIRTUAL_REQUEST_ENABLE, mask);
}

/* How a symbol of C is called in the assembler. */
#ifdef __APPLE__
#define CARILLON_SYMBOL_PREFIX "_"
#else
#define CARILLON_SYMBOL_PREFIX ""
#endif

void carillon_port_pend(uint32_t source);

/* Request an interrupt; here it is served at once, if its level allows. */
void carillon_port_request(uint32_t source);
static inline void carillon_port_settle(void)
{
}
static inline void carillon_port_barrier(void)
{
}
static inline void carillon_port_forget(uint32_t source, uint32_t mask)
{
    carillon_port_write(VIRTUAL_REQUEST + CARILLON_SOURCE_WORD(source) + VIRTUAL_REQUEST_UNPEND, mask);
}

/* The source of the handler that runs, 0 if none does: no handler has the source 0 where that matters. */
uint32_t carillon_port_current(void);

/* Mask a level and those below it; what it was; set it. */
uint32_t carillon_port_mask(void);
uint32_t carillon_port_raise(uint32_t level);
void carillon_port_restore(uint32_t mask);
static inline uint32_t carillon_port_mask_of(uint32_t level)
{
    return level;
}

static inline uint32_t carillon_port_level_of(uint32_t mask)
{
    return mask;
}
static inline uint32_t carillon_port_higher(uint32_t one, uint32_t other)
{
    return (one > other) ? one : other;
}

/* Take no interrupt until the handler that runs has returned. */
void carillon_port_mask_until_end(void);
void carillon_port_unmask(void);

/* A function that ends elsewhere: carillon_port_unwind, called anywhere within, returns from the innermost call. */
void carillon_port_call(carillon_vector function);
void carillon_port_unwind(void) __attribute__((noreturn));

/* A task with a stack of its own; ports/armv7m says more.  `sp` is NULL before the first resume.  The host's library
 * needs more stack than a controller's: the one that is given only counts. */
struct carillon_context {
    void *sp;
    void *below;
};
void carillon_port_context(struct carillon_context *context, uint64_t *stack, uint32_t words, carillon_vector function);
void carillon_port_resume(struct carillon_context *context);
void carillon_port_suspend(struct carillon_context *context);
void carillon_port_leave(struct carillon_context *context) __attribute__((noreturn));
void carillon_port_exchange(struct carillon_context *context, struct carillon_context *other);
/* The vector of the cell of budgets, which source it has preempted, and where that goes on (ports/armv7m). */
void carillon_port_budget_vector(void);
void carillon_budget_vector(const void *frame);
void carillon_port_round_budget_vector(void);
void carillon_round_budget_vector(const void *frame);
uint32_t carillon_port_preempted(const void *frame);
void carillon_port_divert(const void *frame, carillon_vector function);
uint32_t carillon_port_lock(void);
void carillon_port_unlock(uint32_t saved);
void carillon_port_set_level(uint16_t source, uint16_t level);
void carillon_port_set_vectors(const void *vectors);
bool carillon_port_is_active(uint16_t source);

/* Has it asked for an interrupt that has not been taken? */
bool carillon_port_is_pending(uint16_t source);
#define carillon_port_peek_active(source) carillon_port_is_active(source)
#define carillon_port_peek_pending(source) carillon_port_is_pending(source)
static inline bool carillon_port_claim(uint32_t source, uint32_t level)
{
    (void)level; /* code takes no time, so nobody comes in between */
    return !carillon_port_is_pending((uint16_t)source);
}
void carillon_port_start(const struct carillon_store *list, uint32_t count);
void carillon_port_start_at(uint32_t counter, uint32_t target, const struct carillon_store *before,
                            uint32_t before_count, const struct carillon_store *list, uint32_t count);
void carillon_port_align(const struct carillon_shift *list, uint32_t count);
void carillon_port_shift(const struct carillon_shift *list, uint32_t count, uint32_t by);

/* Code takes no time. */
#define CARILLON_PORT_SINCE_READ 0u
#define CARILLON_PORT_UNDISTURBED 0u
static inline uint32_t carillon_port_read_and_start(uint32_t counter, struct carillon_store start)
{
    const uint32_t read = carillon_port_read(counter);
    carillon_port_write(start.address, start.value);
    return read;
}
static inline void carillon_port_note_stop(uint8_t *status, uint8_t stopped)
{
    *status = stopped;
}
void carillon_port_run_recorded(carillon_vector function);
void carillon_port_note(uint32_t function);
void carillon_port_call_as(carillon_vector recorded, carillon_vector function);
#define CARILLON_CALL_AS(recorded, function) carillon_port_call_as(recorded, function)
#define CARILLON_RUN(function) carillon_port_run_recorded(function)
#define CARILLON_NOTE(function) carillon_port_note((uint32_t)(uintptr_t)(function))
void carillon_port_run_lowered(carillon_vector function);
void carillon_port_run_base(carillon_vector function);
/* The vector of the cell that ends slices.  Whether it has preempted the handler of `source` in its task's context,
 * with nothing masked.  And calling a function there, as if that handler had called it. */
void carillon_port_slice_vector(void);
void carillon_slice_vector(const void *frame);
void carillon_port_turn_vector(void);
void carillon_slice_over(const void *frame);
bool carillon_port_is_in(const void *frame, uint32_t source, const uint64_t *stack, uint32_t words,
                         const struct carillon_context *context);
bool carillon_port_is_on(const uint64_t *stack, uint32_t words, const struct carillon_context *context);
void carillon_port_run_preempted(carillon_vector function, uint32_t source);
void carillon_port_halt(void) __attribute__((noreturn));
void carillon_port_idle(void);
void carillon_port_unexpected(void);

/* Spend `ticks` of virtual time in what runs; interrupts that are due meanwhile preempt it. */
void carillon_port_spend(uint32_t ticks);

#ifdef __cplusplus
}
#endif

#endif
