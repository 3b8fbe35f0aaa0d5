/* SPDX-License-Identifier: Apache-2.0
 *
 * Port to ARMv6-M (Cortex-M0, M0+ and M1).  An interrupt source is an exception number: 16 is interrupt 0 of the NVIC.
 * A handler is a plain C function: the vector of a task that asks for nothing else is the task.  What ports/armv7m says
 * of stores and interrupts holds here, too.
 *
 * The processor has four levels, one register each for 32 interrupts, and no BASEPRI.  What it lacks:
 *
 * 1. A mask of levels.  It is a store to the NVIC that disables every interrupt of those levels at once.  Three
 *    interrupts that no device has, from CARILLON_MASK_INTERRUPT on, say which levels are masked: the same store
 *    disables those of the masked levels.  So what the NVIC says and what is masked cannot differ, and no mask locks
 *    what is above it.  A level that is to be masked has interrupts of the NVIC alone, no system exception.
 * 2. The highest level cannot be masked: the board keeps it from what is event-triggered.
 * 3. Nobody can be asked which handlers run.  So a schedule has one mode, no task of OSEK is its own vector, and what
 *    asks is dispatched by software (board.toml: dispatch).
 * 4. A handler that lowers its priority cannot return to thread mode while another handler is active.  It returns to
 *    the handler that it has preempted, whose number is in its exception frame.
 * 5. The NVIC's priorities can be accessed by words alone.
 */
#ifndef CARILLON_PORT_H
#define CARILLON_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h"
#include "kernel/contract/mode.h"
#include "ports/armv7m/nvic.h"

/* A handler of this port can be interrupted: it holds back nothing by itself. */
#define CARILLON_HANDLERS_HOLD 0
#define CARILLON_BASE_ENDS_LOCKED 0

#if CARILLON_MODES > 1
#error "carillon_port.h: ARMv6-M cannot tell which handlers are active, so that no mode can be left"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*carillon_vector)(void);

/* A mask has a bit for each masked level, from level 1 on: 0, 1, 3 or 7. */
#define CARILLON_MASK_ALL 7u
#define CARILLON_MASK_BITS ((uint32_t)CARILLON_MASK_ALL << CARILLON_MASK_INTERRUPT)

/* What the event-triggered system lets interrupt as far as no mask forbids it; and of each mask, what it holds back. */
extern uint32_t carillon_port_admitted;
extern uint32_t carillon_port_held[CARILLON_MASK_ALL + 1u];

static inline uint32_t carillon_port_mask_of(uint32_t level)
{
    return (UINT32_C(1) << level) - 1u;
}

/* The highest level that a mask holds back, 0 if it holds back none. */
static inline uint32_t carillon_port_level_of(uint32_t mask)
{
    return mask - (mask >> 1) - (mask >> 2);
}

/* Of two masks the one that masks more. */
static inline uint32_t carillon_port_higher(uint32_t one, uint32_t other)
{
    return one | other;
}

/* The mask as it is, for which the NVIC is asked. */
#define CARILLON_PORT_ASKS_FOR_MASK
static inline uint32_t carillon_port_mask(void)
{
    return (~CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_ENABLE) >> CARILLON_MASK_INTERRUPT) & CARILLON_MASK_ALL;
}

/* Nothing is masked: out of reset the NVIC says that everything is. */
#define CARILLON_PORT_BEGIN() (CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_ENABLE) = CARILLON_MASK_BITS)

/* Mask a level and those below it, if they are not masked yet; returns the mask as it was.  Whatever comes between the
 * load and the store leaves the mask as it has found it. */
static inline uint32_t carillon_port_raise(uint32_t level)
{
    const uint32_t saved = carillon_port_mask();
    CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_DISABLE) = carillon_port_held[carillon_port_mask_of(level)];
    __asm__ volatile("dsb\n isb" ::: "memory");
    return saved;
}

/* Set the mask, which masks no more than before; what it held back is served before this returns. */
static inline void carillon_port_restore(uint32_t mask)
{
    __asm__ volatile("" ::: "memory");
    CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_ENABLE) = carillon_port_admitted & ~carillon_port_held[mask];
    __asm__ volatile("dsb\n isb" ::: "memory");
}

/* The store that admits the sources of the event-triggered system: the next carillon_port_restore enables them. */
#define CARILLON_STORE_ADMIT(source, mask) \
    CARILLON_STORE((carillon_address)(uintptr_t)&carillon_port_admitted, CARILLON_MASK_BITS | (mask))

/* Of the application's interrupts below tasks, which wait while a task runs: they interrupt from then on, or no more.
 */
void carillon_port_let(uint32_t mask);
void carillon_port_withhold(uint32_t mask);

#if CARILLON_BELOW_TASKS
static inline bool carillon_port_is_below(uint32_t mask)
{
    return (mask & carillon_port_held[carillon_port_mask_of(CARILLON_BELOW_TASKS)]) != 0u;
}
#else
static inline bool carillon_port_is_below(uint32_t mask)
{
    (void)mask;
    return false;
}
#endif

/* Let sources interrupt from now on; a request that came meanwhile is served. */
static inline void carillon_port_enable(uint32_t source, uint32_t mask)
{
    (void)source;
    if (carillon_port_is_below(mask)) {
        carillon_port_let(mask);
        return;
    }
    CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_ENABLE) = mask;
}

/* The same; what they asked for before is forgotten. */
static inline void carillon_port_arm(uint32_t source, uint32_t mask)
{
    CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_UNPEND) = mask;
    carillon_port_enable(source, mask);
}

/* Sources interrupt no more.  The barriers make that true before the next instruction. */
static inline void carillon_port_disarm(uint32_t source, uint32_t mask)
{
    (void)source;
    if (carillon_port_is_below(mask)) {
        carillon_port_withhold(mask);
        return;
    }
    CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_DISABLE) = mask;
    __asm__ volatile("dsb\n isb" ::: "memory");
}

/* A lowered task's own source: it asks again, but waits, until carillon_port_enable. */
static inline void carillon_port_hold(uint32_t source, uint32_t mask)
{
    carillon_port_disarm(source, mask);
}

/* A function that ends elsewhere: carillon_port_unwind, called anywhere within, returns from the innermost call. */
void carillon_port_call(carillon_vector function);
void carillon_port_unwind(void) __attribute__((noreturn));

/* A task with a stack of its own.  `sp` is where it left off, `below` the stack of what it preempted. */
struct carillon_context {
    void *sp;
    void *below;
};

/* Begin a context: its first resume calls `function` on an empty stack of so many words of eight bytes; where that
 * returns, carillon_osek_end follows. */
void carillon_port_begin_context(void);
static inline void carillon_port_context(struct carillon_context *context, uint64_t *stack, uint32_t words,
                                         carillon_vector function)
{
    uint32_t *const top = (uint32_t *)(uintptr_t)&stack[words];
    top[-5] = (uint32_t)(uintptr_t)function;                    /* r4 */
    top[-1] = (uint32_t)(uintptr_t)carillon_port_begin_context; /* pc */
    context->sp = &top[-10];
}

/* Go on where a context left off; returns when it suspends itself or leaves for good.
 * Handlers nest on whichever stack is in use, so it may be another one each time. */
void carillon_port_resume(struct carillon_context *context);
void carillon_port_suspend(struct carillon_context *context);
void carillon_port_leave(struct carillon_context *context) __attribute__((noreturn));

/* Suspend a context, and go on where another one left off, in its place: who resumed the first one goes on when the
 * other one suspends itself. */
void carillon_port_exchange(struct carillon_context *context, struct carillon_context *other);

/* Set a source's level.  Silicon must not change the level of an active source: none is when a mode starts. */
void carillon_port_set_level(uint16_t source, uint16_t level);

/* Use a vector table.  There is one, and a processor that has VTOR begins with it. */
void carillon_port_set_vectors(const void *vectors);

/* The stores of a list, each start_spacing ticks after the one before it. */
void carillon_port_start(const struct carillon_store *list, uint32_t count);

/* What a free counter, CARILLON_EPOCH, read at the last start.  Times of the kernel count from there. */
#ifdef CARILLON_EPOCH
extern uint32_t carillon_port_epoch;
#endif

/* Set matches of a free counter, CARILLON_EPOCH, which the start has read: to so many units after that. */
void carillon_port_align(const struct carillon_shift *list, uint32_t count);

/* Call `function` with nothing masked, from the handler of the software interrupt controller, the lowest of all. */
void carillon_port_run_base(carillon_vector function);

/* Call `function` in the handler of `source` (0: outside of any), as if that handler had called it, and come back to
 * the handler that calls.  The calling handler has preempted that of `source`. */
void carillon_port_run_preempted(carillon_vector function, uint32_t source);

/* The same, with what is below all tasks masked. */
void carillon_port_run_above(carillon_vector function, uint32_t source);

/* The source of what a handler has preempted, 0 if that is none: in a handler alone, not in a function that it calls.
 * The stack where a handler begins is its exception frame. */
#define CARILLON_FRAME_STATUS 7u
#define CARILLON_STATUS_SOURCE 0x3Fu
#define CARILLON_PORT_PREEMPTED \
    (((const uint32_t *)__builtin_dwarf_cfa())[CARILLON_FRAME_STATUS] & CARILLON_STATUS_SOURCE)

/* Call `function` at the execution priority of what the handler preempted, and come back to the handler.  So every
 * later interrupt can preempt the function in turn.  It is for handlers alone. */
#define carillon_port_run_lowered(function) carillon_port_run_above((function), CARILLON_PORT_PREEMPTED)

/* The handler that has the vector carillon_port_round_budget_vector is called with where it was entered: the exception
 * frame.  The first function returns the source of the handler that was preempted there, 0 if none was.  After the
 * second, what was preempted goes on in `function`, which does not return. */
void carillon_port_round_budget_vector(void);
static inline uint32_t carillon_port_preempted(const void *frame)
{
    return ((const volatile uint32_t *)frame)[CARILLON_FRAME_STATUS] & CARILLON_STATUS_SOURCE;
}
void carillon_port_divert(const void *frame, carillon_vector function);

#if CARILLON_OSEK
/* Is it this stack that the handler runs on? */
static inline bool carillon_port_is_on(const uint64_t *stack, uint32_t words, const struct carillon_context *context)
{
    (void)context;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return (here >= (uintptr_t)stack) && (here < (uintptr_t)&stack[words]);
}
#endif

/* Stand still for ever. */
void carillon_port_halt(void) __attribute__((noreturn));

/* Spend exactly so many instructions, from the call to its return; at least 9, or the few that the test takes. */
void carillon_port_delay(uint32_t instructions);

/* One turn of the idle loop. */
static inline void carillon_port_idle(void)
{
    if (CARILLON_IDLE_SLEEP) {
        __asm__ volatile("dsb\n wfi");
    }
}

/* The vector of sources that nobody uses. */
void carillon_port_unexpected(void);

/* Entry after reset, and the initial stack pointer (linker script). */
void carillon_port_reset(void);
extern uint32_t carillon_stack_top[];

/* The handler of SVCall, whose vector is among CARILLON_SYSTEM_VECTORS. */
void carillon_port_supervisor_call(void);

/* The vector table, which has 48 entries at most. */
#define CARILLON_VECTOR_TABLE(first) __attribute__((section(".vectors" first), aligned(256), used))

#ifdef __cplusplus
}
#endif

#endif
