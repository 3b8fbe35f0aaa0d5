/* SPDX-License-Identifier: Apache-2.0
 *
 * Port to RV32 in machine mode with a CLIC, whose sources have levels and vectors of their own (hardware/clic).
 *
 * 1. The vector of a task that nothing can preempt is the task, compiled as a handler: the compiler saves what the
 *    task uses, and nothing else.
 * 2. What something can preempt begins with CARILLON_ENTRY, which it follows in memory.  That saves mcause and mepc,
 *    which the next interrupt overwrites, and lets interrupts through.
 * 3. It ends with what restores that again (carillon_handlers.h).
 * 4. The mask of levels is mintthresh.  A level is a number from 1 to CARILLON_LEVELS.
 * 5. An event-triggered task that needs nothing around it is compiled as the others, with an entry.
 * 6. Other vectors of what is event-triggered are CARILLON_FRAME, which saves what a C function may change, too, and calls
 *    a plain one.  The controller does not say which handlers are active, so the frames are linked.
 *
 * Stores and interrupts: a store reaches the controller in the cycle of the core's execution stage, and what the
 * controller offers is looked at two cycles later.  So carillon_port_settle, which reads the controller back, ends when
 * nothing is taken any more that a store before has forgotten or disabled.
 */
#ifndef CARILLON_PORT_H
#define CARILLON_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h"
#include "kernel/contract/mode.h"
#include "ports/rv32/resume.h"

/* A handler of this port can be interrupted: it holds back nothing by itself. */
#define CARILLON_HANDLERS_HOLD 0
#define CARILLON_BASE_ENDS_LOCKED 0

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*carillon_vector)(void);

#define CARILLON_SYMBOL_PREFIX ""

#define CARILLON_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

/* The controller, whose address is the board's (CARILLON_CLIC). */
#define CARILLON_CLIC_PEND (CARILLON_CLIC + 0x00u)
#define CARILLON_CLIC_UNPEND (CARILLON_CLIC + 0x10u)
#define CARILLON_CLIC_ENABLE (CARILLON_CLIC + 0x20u)
#define CARILLON_CLIC_DISABLE (CARILLON_CLIC + 0x30u)
#define CARILLON_CLIC_VECTORS (CARILLON_CLIC + 0x100u)
#define CARILLON_CLIC_LEVEL(source) (CARILLON_CLIC + 0x1003u + (4u * (source)))

#define CARILLON_SOURCE_WORD(source) (((source) / 32u) * 4u)
#define CARILLON_SOURCE_BIT(source) (UINT32_C(1) << ((source) % 32u))

#define CARILLON_STORE_ENABLE(source, mask) CARILLON_STORE(CARILLON_CLIC_ENABLE + CARILLON_SOURCE_WORD(source), (mask))
#define CARILLON_STORE_ADMIT CARILLON_STORE_ENABLE
#define CARILLON_STORE_DISABLE(source, mask) \
    CARILLON_STORE(CARILLON_CLIC_DISABLE + CARILLON_SOURCE_WORD(source), (mask))
#define CARILLON_STORE_UNPEND(source, mask) CARILLON_STORE(CARILLON_CLIC_UNPEND + CARILLON_SOURCE_WORD(source), (mask))
#define CARILLON_STORE_PEND(source) \
    CARILLON_STORE(CARILLON_CLIC_PEND + CARILLON_SOURCE_WORD(source), CARILLON_SOURCE_BIT(source))

static inline void carillon_port_write(uint32_t address, uint32_t value)
{
    CARILLON_REGISTER(address) = value;
}
static inline uint32_t carillon_port_read(uint32_t address)
{
    return CARILLON_REGISTER(address);
}

/* All interrupts off, and as they were.  Pairs nest.
 *
 * What is kept is the whole of mstatus.  The only other bit that can change is MPIE, and it is 1 wherever it matters: an
 * interrupt comes while MIE is 1, and mret sets it.  So to set it again changes nothing, and no instruction masks it. */
#define CARILLON_MSTATUS_MIE 8u
static inline uint32_t carillon_port_lock(void)
{
    uint32_t saved;
    __asm__ volatile("csrrci %0, mstatus, %1" : "=r"(saved) : "n"(CARILLON_MSTATUS_MIE) : "memory");
    return saved;
}
static inline void carillon_port_unlock(uint32_t saved)
{
    __asm__ volatile("csrs mstatus, %0" ::"r"(saved) : "memory");
}

/* Every store before has arrived, and what the controller offers has followed it. */
static inline void carillon_port_settle(void)
{
    (void)CARILLON_REGISTER(CARILLON_CLIC_PEND);
    __asm__ volatile("nop\n nop" ::: "memory");
}

/* Forget what sources asked for: a handler that returns next is not entered for it. */
static inline void carillon_port_forget(uint32_t source, uint32_t mask)
{
    CARILLON_REGISTER(CARILLON_CLIC_UNPEND + CARILLON_SOURCE_WORD(source)) = mask;
    carillon_port_settle();
}

/* Let sources interrupt from now on; what they asked for before is forgotten (arm), or is served (enable). */
static inline void carillon_port_arm(uint32_t source, uint32_t mask)
{
    CARILLON_REGISTER(CARILLON_CLIC_UNPEND + CARILLON_SOURCE_WORD(source)) = mask;
    CARILLON_REGISTER(CARILLON_CLIC_ENABLE + CARILLON_SOURCE_WORD(source)) = mask;
}
static inline void carillon_port_enable(uint32_t source, uint32_t mask)
{
    CARILLON_REGISTER(CARILLON_CLIC_ENABLE + CARILLON_SOURCE_WORD(source)) = mask;
}

/* Sources interrupt no more, from the next instruction on.  What they ask for meanwhile is kept. */
static inline void carillon_port_disarm(uint32_t source, uint32_t mask)
{
    CARILLON_REGISTER(CARILLON_CLIC_DISABLE + CARILLON_SOURCE_WORD(source)) = mask;
    carillon_port_settle();
}
static inline void carillon_port_hold(uint32_t source, uint32_t mask)
{
    carillon_port_disarm(source, mask);
}

/* Request an interrupt by software; it is taken before this returns if its level allows.  Without waiting for it. */
static inline void carillon_port_request(uint32_t source)
{
    __asm__ volatile("" ::: "memory");
    CARILLON_REGISTER(CARILLON_CLIC_PEND + CARILLON_SOURCE_WORD(source)) = CARILLON_SOURCE_BIT(source);
}
static inline void carillon_port_barrier(void)
{
    carillon_port_settle();
}
static inline void carillon_port_pend(uint32_t source)
{
    carillon_port_request(source);
    carillon_port_barrier();
}

/* Has it asked for an interrupt that has not been taken? */
static inline bool carillon_port_is_pending(uint32_t source)
{
    return (CARILLON_REGISTER(CARILLON_CLIC_PEND + CARILLON_SOURCE_WORD(source)) & CARILLON_SOURCE_BIT(source)) != 0u;
}

/* What a handler that can be preempted saves of what it has preempted, where the compiler does not: it lies where the
 * handler began, and in an image with event-triggered tasks mscratch leads to that of the handler that runs.
 * `cause` is mcause: the source of this handler, and the level of what it has preempted. */
struct carillon_port_frame {
    uint32_t t0;
    uint32_t cause;
    uint32_t pc;
    const struct carillon_port_frame *below; /* of the handler that was preempted, NULL if none was */
};
#define CARILLON_CAUSE_SOURCE 0xFFFu
#define CARILLON_CAUSE_LEVEL 0x00FF0000
#define CARILLON_CAUSE_ENABLED 0x08000000 /* interrupts were on */
#define CARILLON_MINTSTATUS 0x346         /* the level at which the core is, in its uppermost byte */

#if CARILLON_OSEK
/* The handlers that have not ended, from the innermost on. */
static inline const struct carillon_port_frame *carillon_port_frames(void)
{
    const struct carillon_port_frame *frame;
    __asm__ volatile("csrr %0, mscratch" : "=r"(frame)::"memory");
    return frame;
}

/* The source of the handler that runs, 0 if none does. */
static inline uint32_t carillon_port_current(void)
{
    const struct carillon_port_frame *const frame = carillon_port_frames();
    return (frame == NULL) ? 0u : (frame->cause & CARILLON_CAUSE_SOURCE);
}

/* Is the handler of a source running or preempted?  The compiler leaves out the second, where nobody uses what it says. */
bool carillon_port_is_active(uint32_t source);
bool carillon_port_peek_active(uint32_t source) __attribute__((pure));

/* As is_pending, where nobody may use it; what makes a request, or waits, changes memory as the compiler sees it. */
static inline bool carillon_port_peek_pending(uint32_t source)
{
    uint32_t pending;
    __asm__("lw %0, %1"
            : "=r"(pending)
            : "m"(*(const uint32_t *)(uintptr_t)(CARILLON_CLIC_PEND + CARILLON_SOURCE_WORD(source))));
    return (pending & CARILLON_SOURCE_BIT(source)) != 0u;
}

/* Request a source unless it has been requested: has it not?  It is one statement, and not volatile, so that the
 * compiler leaves it out, request and all, where nobody uses the answer. */
static inline bool carillon_port_claim(uint32_t source, uint32_t level)
{
    const uint32_t word = CARILLON_CLIC_PEND + CARILLON_SOURCE_WORD(source);
    uint32_t pending;
    uint32_t saved;
    (void)level;
    __asm__("csrrci %1, mstatus, 8\n"
            "lw %0, %2\n"
            "sw %3, %2\n"
            "andi %1, %1, 8\n"
            "csrs mstatus, %1\n"
            : "=&r"(pending), "=&r"(saved)
            : "m"(*(const uint32_t *)(uintptr_t)word), "r"(CARILLON_SOURCE_BIT(source)));
    return (pending & CARILLON_SOURCE_BIT(source)) == 0u;
}

/* Take no interrupt until the handler that runs has returned: mret restores what was. */
static inline void carillon_port_mask_until_end(void)
{
    __asm__ volatile("csrci mstatus, 8" ::: "memory");
}
static inline void carillon_port_unmask(void)
{
    __asm__ volatile("csrsi mstatus, 8" ::: "memory");
}

/* A function that ends elsewhere: carillon_port_unwind, called anywhere within, returns from the innermost call.  The
 * second calls a task that is a handler's body (CARILLON_NESTED_TASK). */
void carillon_port_call(carillon_vector function);
void carillon_port_unwind(void) __attribute__((noreturn));
void carillon_port_call_handler(carillon_vector function);

/* A task with a stack of its own: ports/rv32/resume.h. */
void carillon_port_suspend(struct carillon_context *context);
void carillon_port_leave(struct carillon_context *context) __attribute__((noreturn));
void carillon_port_exchange(struct carillon_context *context, struct carillon_context *other);

/* The source of the handler that was preempted where a frame is, 0 if it was none. */
static inline uint32_t carillon_port_preempted(const void *frame)
{
    const struct carillon_port_frame *const below = ((const struct carillon_port_frame *)(uintptr_t)frame)->below;
    return (below == NULL) ? 0u : (below->cause & CARILLON_CAUSE_SOURCE);
}
static inline bool carillon_port_is_on(const uint64_t *stack, uint32_t words, const struct carillon_context *context)
{
    (void)context;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return (here >= (uintptr_t)stack) && (here < (uintptr_t)&stack[words]);
}
static inline bool carillon_port_is_in(const void *frame, uint32_t source, const uint64_t *stack, uint32_t words,
                                       const struct carillon_context *context)
{
    (void)context;
    const uintptr_t here = (uintptr_t)frame;
    return (carillon_port_preempted(frame) == source) && (here >= (uintptr_t)stack) &&
           (here < (uintptr_t)&stack[words]);
}

/* What was preempted goes on, with its own stack and its own mask, in a function that does not return. */
void carillon_port_divert(const void *frame, carillon_vector function);

/* Call `function` as what the handler has preempted, at its level, and come back to the handler, which runs with
 * interrupts off from then on. */
void carillon_port_run_preempted(carillon_vector function, uint32_t source);
void carillon_port_run_base(carillon_vector function);

/* The vectors of cells whose handlers look at the frame of what they have preempted. */
void carillon_port_budget_vector(void);
void carillon_port_round_budget_vector(void);
void carillon_port_slice_vector(void);
void carillon_port_turn_vector(void);
#else
/* Is the handler of a source preempted?  The controller does not say it of one source.  The control cell's handler, which
 * alone asks, and with interrupts off, has preempted none if the level that it came from is 0 (mcause.mpil). */
static inline bool carillon_port_is_active(uint32_t source)
{
    (void)source;
    uint32_t mcause;
    __asm__ volatile("csrr %0, mcause" : "=r"(mcause));
    return (mcause & (uint32_t)CARILLON_CAUSE_LEVEL) != 0u;
}
#endif

/* The mask is the highest level that is held back: mintthresh. */
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
static inline uint32_t carillon_port_mask(void)
{
    uint32_t mask;
    __asm__ volatile("csrr %0, 0x347" : "=r"(mask));
    return mask;
}
static inline void carillon_port_restore(uint32_t mask)
{
    __asm__ volatile("csrw 0x347, %0" ::"r"(mask) : "memory");
}
/* A handler that comes after the mask was read leaves it as it was. */
static inline uint32_t carillon_port_raise(uint32_t level)
{
    const uint32_t saved = carillon_port_mask();
    if (level > saved) {
        carillon_port_restore(level);
    }
    return saved;
}

/* Set a source's level. */
void carillon_port_set_level(uint16_t source, uint16_t level);

/* Use a vector table: the core reads it, and the controller watches the core do so. */
static inline void carillon_port_set_vectors(const void *vectors)
{
    CARILLON_REGISTER(CARILLON_CLIC_VECTORS) = (uint32_t)(uintptr_t)vectors;
    __asm__ volatile("csrw 0x307, %0" ::"r"(vectors) : "memory");
}

/* The stores of a list, each start_spacing ticks after the one before it. */
void carillon_port_start(const struct carillon_store *list, uint32_t count);

/* No board of this port has cells that are aligned after the start. */
static inline void carillon_port_align(const struct carillon_shift *list, uint32_t count)
{
    (void)list;
    (void)count;
}

/* What is added to the counter of each cell of a list, and `by` besides: a store to a register that moves it. */
static inline void carillon_port_shift(const struct carillon_shift *list, uint32_t count, uint32_t by)
{
    const struct carillon_shift *const end = &list[count];
    for (const struct carillon_shift *it = list; it != end; it++) {
        CARILLON_REGISTER(it->counter) = it->units + by;
    }
}

/* Read the time base and start cells, CARILLON_PORT_SINCE_READ ticks later; with interrupts locked.  The load gives what
 * stood at the beginning of its cycle, and the store of the next cycle takes effect behind that. */
#define CARILLON_PORT_SINCE_READ 2u
/* At most so many later it is read again, if no handler comes in between: the shortest takes more. */
#define CARILLON_PORT_UNDISTURBED 9u
static inline uint32_t carillon_port_read_and_start(uint32_t counter, struct carillon_store start)
{
    uint32_t left;
    __asm__ volatile("   .balign 4\n"
                     "   .option push\n"
                     "   .option norvc\n"
                     "   lw %0, 0(%1)\n"
                     "   sw %3, 0(%2)\n"
                     "   .option pop\n"
                     : "=&r"(left)
                     : "r"(counter), "r"(start.address), "r"(start.value)
                     : "memory");
    return left;
}

/* An access to a CSR and one to memory wait for each other: so nothing is loaded while interrupts are locked. */
#define CARILLON_PORT_LOADS_BEFORE

/* Write that a schedule table has stopped.  The label tells the tracing plugin that this store does. */
static inline void carillon_port_note_stop(uint8_t *status, uint8_t stopped)
{
    __asm__ volatile("carillon_stops_table_%=:\n   sb %z1, %0" : "=m"(*status) : "rJ"(stopped));
}

/* Wait until `counter`, which counts down, reads `target`; then as carillon_port_start.  The stores of
 * `before` are carried out on the way. */
void carillon_port_start_at(uint32_t counter, uint32_t target, const struct carillon_store *before,
                            uint32_t before_count, const struct carillon_store *list, uint32_t count);

/* Call `function`, from a handler with interrupts off, at the level of what that preempted, and come back to the handler. */
void carillon_port_run_lowered(carillon_vector function);

/* Call a function of the application that keeps all registers (carillon_handlers.h). */
#define CARILLON_RUN(function) __asm__ volatile("call " #function ::: "ra", "memory")

/* Stand still for ever. */
void carillon_port_halt(void) __attribute__((noreturn));

/* Spend at least so many cycles, from the call to its return. */
void carillon_port_delay(uint32_t cycles);

/* One turn of the idle loop. */
static inline void carillon_port_idle(void)
{
    if (CARILLON_IDLE_SLEEP) {
        __asm__ volatile("wfi");
    }
}

/* The vector of sources that nobody uses, and the entry of exceptions. */
void carillon_port_unexpected(void);

/* The entry after reset. */
void carillon_port_reset(void);

#define CARILLON_SYSTEM_VECTORS
/* The table is aligned to its size; that of the mode in which the system starts is where the code begins. */
#define CARILLON_VECTOR_TABLE(first) __attribute__((section(".vectors" first), aligned(4 * CARILLON_SOURCES), used))

#ifdef __cplusplus
}
#endif

#endif
