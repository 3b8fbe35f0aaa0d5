/* SPDX-License-Identifier: Apache-2.0
 *
 * Port to AVR (devices whose vectors are jumps of two words): interrupts that have no priorities.
 *
 * 1. What is time-triggered nests by time.  A task's handler enables interrupts before anything else (avr-gcc's
 *    attribute `interrupt`), so whatever comes later preempts it.  The compiler saves what the task uses, no more.
 *    Nothing but that code runs where the schedule says that the task never overruns.  Otherwise the task is called by
 *    a handler that holds its source, or looks at its flag with interrupts off.
 * 2. Everything else, and whatever masks a level, has all interrupts off.
 * 3. Event-triggered tasks are dispatched in software, by the last handler of the interrupts that nest: by the frame
 *    of carillon_port_frame, when its handler has returned.
 *
 * The enable and flag bits of the timers and of the external interrupts (EIMSK, TIMSK, ...) are the interrupt
 * controller; an interrupt source is the number of its vector.
 */
#ifndef CARILLON_PORT_H
#define CARILLON_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_board.h"
#include "carillon_config.h"
#include "kernel/contract/mode.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*carillon_vector)(void);

#define CARILLON_SYMBOL_PREFIX ""

#define CARILLON_REGISTER(address) (*(volatile uint8_t *)(uintptr_t)(address))
#define CARILLON_REGISTER_16(address) (*(volatile uint16_t *)(uintptr_t)(address))
#define CARILLON_SREG CARILLON_REGISTER(0x5Fu)
#define CARILLON_SREG_I 0x80u

/* What a store's address says beside the register.  CARILLON_WORD: 16 bits, both halves in the order that timers want.
 * CARILLON_SET, CARILLON_CLEAR: bits to set, bits to clear.  CARILLON_AWAIT: a counter that must have come so far,
 * which writes nothing. */
#define CARILLON_WORD 0x8000u
#define CARILLON_SET 0x4000u
#define CARILLON_CLEAR 0x2000u
#define CARILLON_AWAIT 0x1000u
#define CARILLON_AWAIT_BYTE 0x5000u /* a counter of 8 bits: of boards with CARILLON_EIGHT_BITS */
#define CARILLON_ADDRESS 0x0FFFu

/* carillon_board.h says where a source is enabled, where its request stands (a written 1 forgets it), and the place of
 * its bit in both: CARILLON_SOURCE_ENABLE, _FLAG and _PLACE.  Where all sources have the same, these are constants,
 * which do not use their argument. */
#define CARILLON_SOURCE_BIT(source) ((uint8_t)(1u << CARILLON_SOURCE_PLACE(source)))

#define CARILLON_STORE_ENABLE(source, mask) CARILLON_STORE(CARILLON_SET | CARILLON_SOURCE_ENABLE(source), (mask))
#define CARILLON_STORE_ADMIT CARILLON_STORE_ENABLE
#define CARILLON_STORE_DISABLE(source, mask) CARILLON_STORE(CARILLON_CLEAR | CARILLON_SOURCE_ENABLE(source), (mask))
#define CARILLON_STORE_UNPEND(source, mask) CARILLON_STORE(CARILLON_SOURCE_FLAG(source), (mask))
#define CARILLON_STORE_PEND(source) CARILLON_STORE(0u, 0u) /* nothing but soft sources can be requested by software */

/* Has it asked for an interrupt that has not been taken? */
static inline bool carillon_port_is_pending(uint16_t source)
{
    (void)source; /* of one source the macros are constants */
    return (CARILLON_REGISTER(CARILLON_SOURCE_FLAG(source)) & CARILLON_SOURCE_BIT(source)) != 0u;
}

/* All interrupts off, and as they were.  Pairs nest. */
static inline uint8_t carillon_port_hold_all(void)
{
    const uint8_t saved = CARILLON_SREG;
    __asm__ volatile("cli" ::: "memory");
    return saved;
}
static inline void carillon_port_let_go(uint8_t saved)
{
    __asm__ volatile("" ::: "memory");
    CARILLON_SREG = saved;
}

void carillon_port_write(carillon_address address, carillon_value value);
carillon_value carillon_port_read(carillon_address address);

/* Bits of a register that others may change too: with interrupts off. */
static inline void carillon_port_set(carillon_address address, carillon_value bits)
{
    const carillon_value before = CARILLON_REGISTER(address);
    CARILLON_REGISTER(address) = (uint8_t)(before | bits);
}
static inline void carillon_port_clear(carillon_address address, carillon_value bits)
{
    const carillon_value before = CARILLON_REGISTER(address);
    CARILLON_REGISTER(address) = (uint8_t)(before & ~bits);
}

/* Let a source interrupt from now on; what it asked for before is forgotten. */
static inline void carillon_port_arm(uint16_t source, carillon_value mask)
{
    (void)source;
    const uint8_t saved = carillon_port_hold_all();
    CARILLON_REGISTER(CARILLON_SOURCE_FLAG(source)) = (uint8_t)mask;
    carillon_port_set(CARILLON_SOURCE_ENABLE(source), mask);
    carillon_port_let_go(saved);
}
static inline void carillon_port_disarm(uint16_t source, carillon_value mask)
{
    (void)source;
    const uint8_t saved = carillon_port_hold_all();
    carillon_port_clear(CARILLON_SOURCE_ENABLE(source), mask);
    carillon_port_let_go(saved);
}
static inline void carillon_port_hold(uint16_t source, carillon_value mask)
{
    carillon_port_disarm(source, mask);
}
static inline void carillon_port_enable(uint16_t source, carillon_value mask)
{
    (void)source;
    const uint8_t saved = carillon_port_hold_all();
    carillon_port_set(CARILLON_SOURCE_ENABLE(source), mask);
    carillon_port_let_go(saved);
}

/* Request an interrupt by software: by an edge that the source's own pin, an output from then on, makes.  The board
 * says which sources have one. */
#ifdef CARILLON_SOURCE_PIN
static inline void carillon_port_pend(uint32_t source)
{
    (void)source;
    const uint8_t bit = (uint8_t)(1u << CARILLON_SOURCE_PIN(source));
    const uint8_t saved = carillon_port_hold_all();
    carillon_port_set(CARILLON_SOURCE_DIRECTION(source), bit);
    carillon_port_clear(CARILLON_SOURCE_OUTPUT(source), bit);
    carillon_port_set(CARILLON_SOURCE_OUTPUT(source), bit);
    carillon_port_let_go(saved);
    __asm__ volatile("nop\n nop\n nop\n nop" ::: "memory"); /* the edge is sampled */
}
#endif
static inline void carillon_port_forget(uint16_t source, carillon_value mask)
{
    (void)source;
    CARILLON_REGISTER(CARILLON_SOURCE_FLAG(source)) = (uint8_t)mask;
}
static inline void carillon_port_settle(void)
{
}
static inline void carillon_port_barrier(void)
{
}

/* There are no levels. */
static inline void carillon_port_set_level(uint16_t source, uint16_t level)
{
    (void)source;
    (void)level;
}
static inline void carillon_port_set_vectors(const void *vectors)
{
    (void)vectors;
}

#if CARILLON_OSEK

/* Interrupts are on if and only if nothing holds them: a mask, a lock, or a handler that runs. */
#define CARILLON_HELD_MASKED 1u
#define CARILLON_HELD_LOCKED 2u
#define CARILLON_HELD_HANDLER 4u
extern volatile uint8_t carillon_port_held;
extern volatile uint8_t carillon_port_source;

/* Rounds have no event-triggered system beneath them here.  Where their tasks have budgets, handlers say nothing of what
 * holds interrupts.  So whatever holds them keeps whether they were on. */
#if CARILLON_ROUND_BUDGETS
static inline uint32_t carillon_port_take(uint8_t reason)
{
    const uint8_t saved = carillon_port_hold_all();
    const uint8_t held = carillon_port_held;
    if (held == 0u) {
        carillon_port_held = (uint8_t)(reason | (saved & CARILLON_SREG_I));
    }
    return held & reason;
}
static inline void carillon_port_give(uint8_t reason, uint8_t saved)
{
    const bool was_on = (carillon_port_held & CARILLON_SREG_I) != 0u;
    (void)reason;
    if (saved == 0u) {
        carillon_port_held = 0u;
        if (was_on) {
            __asm__ volatile("sei" ::: "memory");
        }
    }
}
static inline uint32_t carillon_port_lock(void)
{
    return carillon_port_hold_all();
}
static inline void carillon_port_unlock(uint32_t saved)
{
    carillon_port_let_go((uint8_t)saved);
}
#else
static inline uint32_t carillon_port_take(uint8_t reason)
{
    __asm__ volatile("cli" ::: "memory");
    const uint8_t held = carillon_port_held;
    carillon_port_held = held | reason;
    return held & reason;
}
static inline void carillon_port_give(uint8_t reason, uint8_t saved)
{
    __asm__ volatile("cli" ::: "memory");
    const uint8_t held = (uint8_t)((carillon_port_held & (uint8_t)~reason) | saved);
    carillon_port_held = held;
    if (held == 0u) {
        __asm__ volatile("sei" ::: "memory");
    }
}
static inline uint32_t carillon_port_lock(void)
{
    return carillon_port_take(CARILLON_HELD_LOCKED);
}
static inline void carillon_port_unlock(uint32_t saved)
{
    carillon_port_give(CARILLON_HELD_LOCKED, (uint8_t)saved);
}
#endif

/* Every level masks everything. */
static inline uint32_t carillon_port_mask_of(uint32_t level)
{
    (void)level;
    return CARILLON_HELD_MASKED;
}
static inline uint32_t carillon_port_higher(uint32_t one, uint32_t other)
{
    return one | other;
}
static inline uint32_t carillon_port_mask(void)
{
    return carillon_port_held & CARILLON_HELD_MASKED;
}
static inline uint32_t carillon_port_raise(uint32_t level)
{
    (void)level;
    return carillon_port_take(CARILLON_HELD_MASKED);
}
static inline void carillon_port_restore(uint32_t mask)
{
    carillon_port_give(CARILLON_HELD_MASKED, (uint8_t)mask);
}

/* The source of the handler that runs, 0 if none does. */
static inline uint32_t carillon_port_current(void)
{
    return CARILLON_ROUND_BUDGETS ? 0u : carillon_port_source;
}

/* The frame of the handler that runs looks in any case for what is pending, and for slices that are over. */
static inline void carillon_port_request(uint32_t source)
{
    (void)source;
}

/* A function that ends elsewhere: carillon_port_unwind, called anywhere within, returns from the innermost call. */
void carillon_port_call(carillon_vector function);
void carillon_port_unwind(void) __attribute__((noreturn));

/* A task with a stack of its own; ports/armv7m says more. */
struct carillon_context {
    void *sp;
    void *below;
};
void carillon_port_context(struct carillon_context *context, uint64_t *stack, uint32_t words, carillon_vector function);
void carillon_port_resume(struct carillon_context *context);
void carillon_port_suspend(struct carillon_context *context);
void carillon_port_leave(struct carillon_context *context) __attribute__((noreturn));

#else

static inline uint32_t carillon_port_lock(void)
{
    return carillon_port_hold_all();
}
static inline void carillon_port_unlock(uint32_t saved)
{
    carillon_port_let_go((uint8_t)saved);
}

#endif

/* The stores of a list, each start_spacing ticks after the one before it. */
void carillon_port_start(const struct carillon_store *list, uint32_t count);

/* No board of this port has cells that are aligned after the start. */
static inline void carillon_port_align(const struct carillon_shift *list, uint32_t count)
{
    (void)list;
    (void)count;
}

/* Call `function` with interrupts on, from a handler that has them off. */
void carillon_port_run_lowered(carillon_vector function);
#if CARILLON_OSEK
static inline void carillon_port_run_base(carillon_vector function)
{
    __asm__ volatile("sei" ::: "memory"); /* of the frame's handler, which has returned, nothing holds them */
    function();
    __asm__ volatile("cli" ::: "memory");
    carillon_port_held = 0u; /* whatever the function has left behind */
}
#endif
/* Interrupts are off in every handler, and its frame looks for levels that are pending, and calls the dispatcher. */
#define CARILLON_HANDLERS_HOLD 1
#define CARILLON_BASE_ENDS_LOCKED 1

#if CARILLON_OSEK
/* Is it this stack that the handler runs on? */
static inline bool carillon_port_is_on(const uint64_t *stack, uint32_t words, const struct carillon_context *context)
{
    (void)context;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return (here >= (uintptr_t)stack) && (here < (uintptr_t)&stack[words]);
}

/* Call `function` as what the handler has preempted, for whom the interrupt has ended, and come back to the handler. */
void carillon_port_run_preempted(carillon_vector function, uint32_t source);

/* The vector of the cell of the rounds' budgets.  What it has preempted is the job that is watched: handlers have
 * interrupts off until they watch nothing, and from where they watch again.  So what is diverted has a call's frame
 * (carillon_port_call): the stack is dropped down to that, and the interrupt ends.  `function` does not return. */
void carillon_port_round_budget_vector(void);
static inline uint32_t carillon_port_preempted(const void *frame)
{
    (void)frame;
    return carillon_port_current();
}
void carillon_port_divert(const void *frame, carillon_vector function);
#endif

/* Stand still for ever. */
void carillon_port_halt(void) __attribute__((noreturn));

/* Spend exactly so many cycles, from the call to its return; at least 30, or the few that the test takes. */
void carillon_port_delay(uint32_t cycles);

/* One turn of the idle loop.  From sleep an interrupt is answered after the same number of cycles each time. */
static inline void carillon_port_idle(void)
{
    if (CARILLON_IDLE_SLEEP) {
        __asm__ volatile("sleep");
    }
}

/* The vector of sources that nobody uses, and the entry after reset. */
void carillon_port_unexpected(void);
void carillon_port_reset(void);

/* How functions become handlers.  avr-gcc wants a handler's symbol to begin with __vector; the function keeps its own
 * name beside that one.  A nested handler has interrupts on, a plain one off. */
#define CARILLON_HANDLER_OF(name, kind)                                     \
    void name(void) __asm__("__vector_" #name) __attribute__((kind, used)); \
    __asm__(".global " #name "\n"                                           \
            ".set " #name ", __vector_" #name)
#define CARILLON_HANDLER(name) CARILLON_HANDLER_OF(name, signal)
#define CARILLON_NESTED_HANDLER(name) CARILLON_HANDLER_OF(name, interrupt)

/* The vector `name` of a task whose source is held back while it runs, and whose deadlines are armed for as long; `function`
 * is the task, compiled as a nested handler.  Only r24 and the status are needed around it, and not while it runs.
 * Interrupts are off at both ends: what the source asked for meanwhile is served after the return, not on top of it. */
#define CARILLON_HELD(name)                       \
    __attribute__((naked, used)) void name(void); \
    __attribute__((naked, used)) void name(void)
#define CARILLON_HELD_LET(source, change, bits)                                                \
    __asm__ volatile("   lds r24, %[enable]\n"                                                 \
                     "   " change " r24, %[changed]\n"                                         \
                     "   sts %[enable], r24\n" ::[enable] "n"(CARILLON_SOURCE_ENABLE(source)), \
                     [changed] "n"(0xFFu & (unsigned)(bits)))
#define CARILLON_HELD_SAVE "   push r24\n   in r24, 0x3f\n   push r24\n"
#define CARILLON_HELD_RESTORE "   pop r24\n   out 0x3f, r24\n   pop r24\n"
#define CARILLON_HELD_BEGIN(source)       \
    __asm__ volatile(CARILLON_HELD_SAVE); \
    CARILLON_HELD_LET(source, "andi", ~(unsigned)CARILLON_SOURCE_BIT(source))
#define CARILLON_HELD_ARM(source, bits)                                                  \
    __asm__ volatile("   ldi r24, %[forgotten]\n"                                        \
                     "   sts %[flag], r24\n" ::[flag] "n"(CARILLON_SOURCE_FLAG(source)), \
                     [forgotten] "n"(0xFFu & (unsigned)(bits)));                         \
    CARILLON_HELD_LET(source, "ori", bits)
#define CARILLON_HELD_RUN(function) \
    __asm__ volatile(CARILLON_HELD_RESTORE "   call %x[task]\n   cli\n" CARILLON_HELD_SAVE ::[task] "i"(function))
#define CARILLON_HELD_DISARM(source, bits) CARILLON_HELD_LET(source, "andi", ~(unsigned)(bits))
#define CARILLON_HELD_END(source)                                            \
    CARILLON_HELD_LET(source, "ori", (unsigned)CARILLON_SOURCE_BIT(source)); \
    __asm__ volatile(CARILLON_HELD_RESTORE "   reti\n")
#define CARILLON_HELD_VECTOR(name, function, source) \
    CARILLON_HELD(name)                              \
    {                                                \
        CARILLON_HELD_BEGIN(source);                 \
        CARILLON_HELD_RUN(function);                 \
        CARILLON_HELD_END(source);                   \
    }                                                \
    _Static_assert(1, "a declaration, which a semicolon ends")

#if CARILLON_OSEK
/* Frames: what a C function may change is saved, and restored.  r24 and the status come first, with which alone a tick
 * can be counted. */
#define CARILLON_SAVE_STATUS \
    "   push r24\n"          \
    "   in r24, 0x3f\n"      \
    "   push r24\n"
#define CARILLON_RESTORE_STATUS \
    "   pop r24\n"              \
    "   out 0x3f, r24\n"        \
    "   pop r24\n"              \
    "   reti\n"
/* RAMPZ says which 64 KiB of flash ELPM reads.  RAMPZ belongs to what is interrupted where the application's code sets
 * it (the build looks).  EIND does not: a call by a pointer goes to the first 128 KiB, and nobody changes it. */
#if defined(CARILLON_RAMPZ)
#define CARILLON_SAVE_RAMPZ \
    "   in r18, 0x3b\n"     \
    "   push r18\n"
#define CARILLON_RESTORE_RAMPZ \
    "   pop r18\n"             \
    "   out 0x3b, r18\n"
#else
#define CARILLON_SAVE_RAMPZ
#define CARILLON_RESTORE_RAMPZ
#endif
#define CARILLON_SAVE \
    "   push r0\n"    \
    "   push r1\n"    \
    "   clr r1\n"     \
    "   push r18\n"   \
    "   push r19\n"   \
    "   push r20\n"   \
    "   push r21\n"   \
    "   push r22\n"   \
    "   push r23\n"   \
    "   push r25\n"   \
    "   push r26\n"   \
    "   push r27\n" CARILLON_SAVE_RAMPZ
#define CARILLON_LEAVE     \
    CARILLON_RESTORE_RAMPZ \
    "   pop r27\n"         \
    "   pop r26\n"         \
    "   pop r25\n"         \
    "   pop r23\n"         \
    "   pop r22\n"         \
    "   pop r21\n"         \
    "   pop r20\n"         \
    "   pop r19\n"         \
    "   pop r18\n"         \
    "   pop r1\n"          \
    "   pop r0\n"          \
    "   pop r31\n"         \
    "   pop r30\n" CARILLON_RESTORE_STATUS
/* Call the handler; interrupts were on, so nothing held them and no handler ran. */
#define CARILLON_HANDLE CARILLON_HANDLE_BY("   icall\n")
#define CARILLON_HANDLE_BY(calls)                                                \
    "   sts carillon_port_source, r24\n"                                         \
    "   ldi r24, 4\n" /* HELD_HANDLER */                                         \
    "   sts carillon_port_held, r24\n" calls "   sts carillon_port_source, r1\n" \
    "   sts carillon_port_held, r1\n"
/* Deliver what is pending above the level of what was interrupted; then ask whether a slice has ended. */
#if CARILLON_OSEK_SLICES
#define CARILLON_END_SLICE               \
    "   lds r24, carillon_slices_over\n" \
    "   cpse r24, r1\n"                  \
    "   call carillon_slice_ends\n"
#else
#define CARILLON_END_SLICE
#endif
/* The same for a job whose budget is used up. */
#if CARILLON_BUDGETS_IN_QUEUE
#define CARILLON_END_JOB                 \
    "   lds r24, carillon_budget_asks\n" \
    "   cpse r24, r1\n"                  \
    "   call carillon_budget_ends\n"
#else
#define CARILLON_END_JOB
#endif
#define CARILLON_DISPATCH               \
    "   lds r24, carillon_software+2\n" \
    "   lds r22, carillon_software+0\n" \
    "   cp r22, r24\n"                  \
    "   brcc 5f\n"                      \
    "   call carillon_software_above\n" \
    "5:\n" CARILLON_END_SLICE CARILLON_END_JOB
#define CARILLON_BEGIN_FRAME(source, function) \
    "   push r30\n"                            \
    "   push r31\n"                            \
    "   ldi r24, " #source "\n"                \
    "   ldi r30, lo8(gs(" #function "))\n"     \
    "   ldi r31, hi8(gs(" #function "))\n"

/* The vector carillon_frame_SOURCE: `function`, an ordinary one, within a frame that saves what it may use, tells
 * carillon_port_current of it, and (carillon_port_frame) delivers what it requested. */
#define CARILLON_FRAME(source, function) CARILLON_FRAME_OF(source, function, carillon_port_frame)
#define CARILLON_FRAME_OF_CATEGORY_1(source, function) CARILLON_FRAME_OF(source, function, carillon_port_frame_1)
#define CARILLON_FRAME_OF(source, function, frame)                                                  \
    __asm__(".section .text.carillon_frames,\"ax\"\n"                                               \
            ".global carillon_frame_" #source "\n"                                                  \
            "carillon_frame_" #source                                                               \
            ":\n" CARILLON_SAVE_STATUS CARILLON_BEGIN_FRAME(source, function) "   jmp " #frame "\n" \
                                                                              "   .text\n")

/* The same for a timer that ticks: `left`, a variable of 16 or 32 bits, is counted down, and the function is called
 * only when it is 0 then.  CARILLON_COUNTED_TICK_FRAME also counts `ticks`, of the same width, up. */
#define CARILLON_COUNT_UP             \
    "   .irp byte, 0, 1, 2, 3\n"      \
    "   .if \\byte <= %[last]\n"      \
    "   lds r24, %[ticks] + \\byte\n" \
    "   inc r24\n"                    \
    "   sts %[ticks] + \\byte, r24\n" \
    "   brne 1f\n"                    \
    "   .endif\n"                     \
    "   .endr\n"                      \
    "1:\n"
#define CARILLON_TICK_FRAME(source, function, left) CARILLON_TICK_FRAME_OF(source, function, "", left, left)
#define CARILLON_COUNTED_TICK_FRAME(source, function, left, ticks) \
    CARILLON_TICK_FRAME_OF(source, function, CARILLON_COUNT_UP, left, ticks)
#define CARILLON_TICK_FRAME_OF(source, function, count_up, left_, ticks_)                                        \
    __attribute__((naked, used)) void carillon_frame_##source(void);                                             \
    __attribute__((naked, used)) void carillon_frame_##source(void)                                              \
    {                                                                                                            \
        __asm__ volatile(CARILLON_SAVE_STATUS count_up                                                           \
                         "   lds r24, %[left]\n"                                                                 \
                         "   subi r24, 1\n"                                                                      \
                         "   sts %[left], r24\n"                                                                 \
                         "   brcs 3f\n"                                                                          \
                         "   breq 4f\n"                                                                          \
                         "2:\n" CARILLON_RESTORE_STATUS "3:\n"                                                   \
                         "   .irp byte, 1, 2, 3\n"                                                               \
                         "   .if \\byte <= %[last]\n"                                                            \
                         "   lds r24, %[left] + \\byte\n"                                                        \
                         "   subi r24, 1\n"                                                                      \
                         "   sts %[left] + \\byte, r24\n"                                                        \
                         "   brcc 2b\n"                                                                          \
                         "   .endif\n"                                                                           \
                         "   .endr\n"                                                                            \
                         "   rjmp 2b\n"                                                                          \
                         "4:\n"                                                                                  \
                         "   .irp byte, 1, 2, 3\n"                                                               \
                         "   .if \\byte <= %[last]\n"                                                            \
                         "   lds r24, %[left] + \\byte\n"                                                        \
                         "   tst r24\n"                                                                          \
                         "   brne 2b\n"                                                                          \
                         "   .endif\n"                                                                           \
                         "   .endr\n"                                                                            \
                         "   push r30\n"                                                                         \
                         "   push r31\n"                                                                         \
                         "   ldi r24, " #source "\n" CARILLON_SAVE CARILLON_HANDLE_BY("   call " #function "\n") \
                             CARILLON_DISPATCH CARILLON_LEAVE                                                    \
                         :                                                                                       \
                         : [left] "i"(&(left_)), [ticks] "i"(&(ticks_)), [last] "n"(sizeof(left_) - 1u));        \
    }
#endif

/* The table of vectors, which is code. */
#define CARILLON_VECTORS_BEGIN(table)      \
    ".section .vectors,\"ax\",@progbits\n" \
    ".global " #table "\n" #table ":\n"    \
    "   jmp carillon_port_reset\n"
#define CARILLON_VECTOR(function) "   jmp " #function "\n"
#define CARILLON_VECTORS_END "   .text\n"

#ifdef __cplusplus
}
#endif

#endif
