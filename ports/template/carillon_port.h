/* SPDX-License-Identifier: Apache-2.0
 *
 * A port to copy: every name that a port defines, and nothing else.  ports/armv7m is one for a controller
 * with priorities, ports/host one that shows what each name means.  SPEC, section "Port", has the rules.
 */
#ifndef CARILLON_PORT_H
#define CARILLON_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h"
#include "kernel/contract/mode.h"

/* A handler of this port can be interrupted: it holds back nothing by itself. */
#define CARILLON_HANDLERS_HOLD 0
/* Does carillon_port_run_base come back with interrupts off, whatever the function has left masked? */
#define CARILLON_BASE_ENDS_LOCKED 0

/* The type of a vector, and how a handler is defined on this processor. */
typedef void (*carillon_vector)(void);

/* Vectors before the first that the tool fills (board.toml: system_vectors), each followed by a comma.  And where
 * vector tables go: `first` is ".reset" for that of the start mode, which comes first, else "". */
#define CARILLON_SYSTEM_VECTORS
#define CARILLON_VECTOR_TABLE(first)

/* The bit of a source in its request register (board.toml: request_base, request_bits). */
#define CARILLON_SOURCE_BIT(source) (UINT32_C(1) << ((source) % 32u))

/* Initialisers of struct carillon_store: `source` names the register, `mask` has the bits. */
#define CARILLON_STORE_ENABLE(source, mask) CARILLON_STORE(0u, (mask))
/* As ENABLE, of all sources that masks of levels may hold back: when the system starts and has masked these. */
#define CARILLON_STORE_ADMIT CARILLON_STORE_ENABLE
#define CARILLON_STORE_DISABLE(source, mask) CARILLON_STORE(0u, (mask))
#define CARILLON_STORE_UNPEND(source, mask) CARILLON_STORE(0u, (mask))
/* The same for the store that requests one interrupt. */
#define CARILLON_STORE_PEND(source) CARILLON_STORE(0u, CARILLON_SOURCE_BIT(source))

/* How a symbol of C is called in the assembler. */
#define CARILLON_SYMBOL_PREFIX ""

/* A device register. */
void carillon_port_write(uint32_t address, uint32_t value);
uint32_t carillon_port_read(uint32_t address);

/* Let sources interrupt from now on: arm forgets what they asked for before, enable does not. */
void carillon_port_arm(uint32_t source, uint32_t mask);
void carillon_port_enable(uint32_t source, uint32_t mask);
/* They interrupt no more, from the next instruction on. */
void carillon_port_disarm(uint32_t source, uint32_t mask);
/* They wait until carillon_port_enable; what they ask for meanwhile is kept. */
void carillon_port_hold(uint32_t source, uint32_t mask);

/* Request an interrupt by software; it is taken before this returns if its level allows. */
void carillon_port_pend(uint32_t source);

/* The same without waiting for it; and what waits: all that was requested before and is above what runs is served
 * before it returns. */
void carillon_port_request(uint32_t source);
void carillon_port_barrier(void);

/* Forget what sources asked for: a handler that returns next is not entered for it.  A source that has no request
 * register, such as a system exception, is forgotten by itself. */
void carillon_port_forget(uint32_t source, uint32_t mask);

/* Every store before has arrived at its device when this returns. */
void carillon_port_settle(void);

/* Mask all interrupts; undo it.  Pairs nest. */
uint32_t carillon_port_lock(void);
void carillon_port_unlock(uint32_t saved);

/* Level 1 is the lowest, CARILLON_LEVELS the highest. */
void carillon_port_set_level(uint16_t source, uint16_t level);
void carillon_port_set_vectors(const void *vectors);

/* Is the handler of a source running or preempted? */
bool carillon_port_is_active(uint16_t source);

/* Has it asked for an interrupt that has not been taken? */
bool carillon_port_is_pending(uint16_t source);

/* The same two, as loads that the compiler may leave out where nobody uses what they say. */
bool carillon_port_peek_active(uint32_t source);
bool carillon_port_peek_pending(uint32_t source);

/* Request a source unless it has been requested: has it not?  Levels up to `level` are masked meanwhile.  The compiler
 * may leave it out, request and all, where nobody uses the answer: who asks requests the source afterwards. */
bool carillon_port_claim(uint32_t source, uint32_t level);

/* The source of the handler that runs, 0 if none does. */
uint32_t carillon_port_current(void);

/* The mask of levels: what holds back a level and those below it, and nothing above; 0 holds back none.  Raising masks
 * nothing less than before and returns the mask as it was, which restoring takes: what that lets through is served
 * before it returns.  `higher`: of two masks the one that holds back more; `level_of`: the highest level that one does.
 */
uint32_t carillon_port_mask_of(uint32_t level);
uint32_t carillon_port_level_of(uint32_t mask);
uint32_t carillon_port_higher(uint32_t one, uint32_t other);
uint32_t carillon_port_mask(void);
uint32_t carillon_port_raise(uint32_t level);
void carillon_port_restore(uint32_t mask);

/* Take no interrupt until the handler that runs has returned, which undoes it; undo it before. */
void carillon_port_mask_until_end(void);
void carillon_port_unmask(void);

/* Call a function that carillon_port_unwind, called anywhere within, returns from: the innermost call is what ends. */
void carillon_port_call(carillon_vector function);
void carillon_port_unwind(void) __attribute__((noreturn));

/* A task with a stack of its own, of so many words of eight bytes.  The context says where the task left off, and
 * whose stack it was resumed on, which may be another one each time.  The first resume calls `function`, on an empty
 * stack; where that returns, carillon_osek_end follows.  A resume returns when the context suspends itself, or
 * leaves for good: then it may be begun anew. */
struct carillon_context {
    void *sp;
    void *below;
};
void carillon_port_context(struct carillon_context *context, uint64_t *stack, uint32_t words, carillon_vector function);
void carillon_port_resume(struct carillon_context *context);
void carillon_port_suspend(struct carillon_context *context);
void carillon_port_leave(struct carillon_context *context) __attribute__((noreturn));

/* Suspend a context, and go on where another one left off, in its place.  The resume of the first one returns when the
 * other one suspends itself or leaves (the machine of microcode). */
void carillon_port_exchange(struct carillon_context *context, struct carillon_context *other);

/* The stores of a list, each board.toml: start_spacing ticks after the one before it. */
void carillon_port_start(const struct carillon_store *list, uint32_t count);

/* The same when `counter`, which counts down, reads `target`; the stores of `before` on the way. */
void carillon_port_start_at(uint32_t counter, uint32_t target, const struct carillon_store *before,
                            uint32_t before_count, const struct carillon_store *list, uint32_t count);

/* Add to running counters; cells/<family>/cell.h allows for what they count meanwhile. */
void carillon_port_align(const struct carillon_shift *list, uint32_t count);

/* The same, with `by` added to each, modulo the range of a value; the list is not empty.  Only of ports whose cells can
 * "synchronise" or carry schedule tables. */
void carillon_port_shift(const struct carillon_shift *list, uint32_t count, uint32_t by);

/* For schedule tables on cells, where the port's boards have cells that start together and are aligned.  Read the time
 * base and start cells so many ticks later, with interrupts locked. */
#define CARILLON_PORT_SINCE_READ 1u
/* Beside a round nothing is locked.  Then it is read again right behind: at most so many ticks later, if no handler has
 * come in between, and later otherwise. */
#define CARILLON_PORT_UNDISTURBED 2u
uint32_t carillon_port_read_and_start(uint32_t counter, struct carillon_store start);

/* Write that a schedule table on cells has stopped, so that a trace can tell. */
void carillon_port_note_stop(uint8_t *status, uint8_t stopped);

/* Call a function at the execution priority of what the handler preempted, then come back to the handler. */
void carillon_port_run_lowered(carillon_vector function);

/* Of a port that defines CARILLON_PORT_PREEMPTED, for a handler that has said so what it preempted: the same. */
void carillon_port_run_above(carillon_vector function, uint32_t source);

/* The same with nothing masked: for the handler of the software interrupt controller. */
void carillon_port_run_base(carillon_vector function);

/* For slices: the vector of the cell that ends them calls carillon_slice_vector with the frame of what it preempted.
 * `is_in`: was that the handler of `source`, running on this stack?  `is_on`: does this handler run
 * on this stack (slices with dispatch in software)?  `run_preempted`: call a function as if the preempted handler of
 * `source` (0: what runs outside of any) had called it, and come back to the one that calls. */
void carillon_port_slice_vector(void);
void carillon_port_turn_vector(void); /* the same of the interrupts that it requests: it calls carillon_slice_over */
bool carillon_port_is_in(const void *frame, uint32_t source, const uint64_t *stack, uint32_t words,
                         const struct carillon_context *context);
bool carillon_port_is_on(const uint64_t *stack, uint32_t words, const struct carillon_context *context);
void carillon_port_run_preempted(carillon_vector function, uint32_t source);

/* For execution budgets: the vector of their cell calls carillon_budget_vector with the frame of what it preempted.
 * `preempted`: the source of the handler that was preempted there, 0 if it was none.  `divert`: what was preempted goes
 * on, with its own stack and its own mask, in a function that does not return. */
void carillon_port_budget_vector(void);
void carillon_port_round_budget_vector(void); /* the same of the rounds, with carillon_round_budget_vector */
uint32_t carillon_port_preempted(const void *frame);
void carillon_port_divert(const void *frame, carillon_vector function);

/* Stand still for ever; one turn of the idle loop; the vector of sources that nobody uses. */
void carillon_port_halt(void) __attribute__((noreturn));
void carillon_port_idle(void);
void carillon_port_unexpected(void);

/* Spend exactly so many instructions (carillon_port_spend: ticks, where code takes no time). */
void carillon_port_delay(uint32_t instructions);

#endif
