/* SPDX-License-Identifier: Apache-2.0
 *
 * Port to ARMv7-M (Cortex-M3 and M4) and ARMv8-M mainline (Cortex-M33).  An interrupt source is an exception number: 15
 * is SysTick, 16 is interrupt 0 of the NVIC.  A handler is a plain C function, because the processor itself saves what
 * a call may change: the vector of a task that asks for nothing else is the task.
 *
 * Cortex-M7 is not supported.  Nothing here has been tried with its caches and its longer pipeline.  Its revision r0p1
 * needs a sequence around each write of BASEPRI (erratum 837070) that carillon_port_raise does not have.
 *
 * Stores and interrupts:
 *
 * 1. A store may wait in a write buffer while later instructions run.  Stores to one device arrive in their order; what
 *    a device, the NVIC and memory see of each other's is in no order.
 * 2. An exception return does not wait for stores.  The NVIC looks at the lines again when a handler returns.  A line
 *    whose device has not got its acknowledgement yet asks again, and the handler is entered twice for one expiry.  The
 *    same holds of a request that is to be forgotten and of a source that is to be held back.
 * 3. A `dsb` ends when every store before it has arrived.  So carillon_port_settle is one, and acknowledging,
 *    forgetting and holding back end with it.
 * 4. What must not interrupt from the next instruction on needs an `isb` too: instructions that have been fetched do
 *    not look at the requests again.  A handler that returns needs none: the return is one.
 *
 * ARMv8-M:
 *
 * 1. The system runs in the state in which the processor begins, secure or not, and never leaves it.  There are no
 *    non-secure calls.
 * 2. A chip that is not secure, or has no states, has CARILLON_NON_SECURE among its board's defines: EXC_RETURN tells
 *    the state.
 * 3. MSPLIM and PSPLIM stay 0, which is no limit, so stacks are switched as on ARMv7-M.
 *
 * ports/template lists what a port defines.
 */
#ifndef CARILLON_PORT_H
#define CARILLON_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h"
#include "kernel/contract/mode.h"
#include "ports/armv7m/nvic.h"

/* Is the start-up code, with the vector table, another's? */
#ifndef CARILLON_LIBRARY
#define CARILLON_LIBRARY 0
#endif

/* A handler of this port can be interrupted: it holds back nothing by itself. */
#define CARILLON_HANDLERS_HOLD 0
#define CARILLON_BASE_ENDS_LOCKED 0

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*carillon_vector)(void);

#define CARILLON_NVIC_ACTIVE 0x300u
#define CARILLON_SHCSR UINT32_C(0xE000ED24)
#define CARILLON_SHCSR_SYSTICKACT (UINT32_C(1) << 11)

/* Of sources that masks hold back: BASEPRI needs to know of none. */
#define CARILLON_STORE_ADMIT CARILLON_STORE_ENABLE

/* Let sources interrupt from now on; what they asked for before is forgotten. */
static inline void carillon_port_arm(uint32_t source, uint32_t mask)
{
    const uint32_t word = CARILLON_NVIC + CARILLON_SOURCE_WORD(source);
    CARILLON_REGISTER(word + CARILLON_NVIC_UNPEND) = mask;
    CARILLON_REGISTER(word + CARILLON_NVIC_ENABLE) = mask;
}

/* Sources interrupt no more.  The barriers make that true before the next instruction. */
static inline void carillon_port_disarm(uint32_t source, uint32_t mask)
{
    CARILLON_REGISTER(CARILLON_NVIC + CARILLON_SOURCE_WORD(source) + CARILLON_NVIC_DISABLE) = mask;
    __asm__ volatile("dsb\n isb" ::: "memory");
}

/* A lowered task's own source: it asks again, but waits, until carillon_port_enable.  The source cannot interrupt
 * before the exception return that lowers the task, which finds the store arrived. */
static inline void carillon_port_hold(uint32_t source, uint32_t mask)
{
    CARILLON_REGISTER(CARILLON_NVIC + CARILLON_SOURCE_WORD(source) + CARILLON_NVIC_DISABLE) = mask;
    carillon_port_settle();
}

/* Let sources interrupt from now on; a request that came meanwhile is served. */
static inline void carillon_port_enable(uint32_t source, uint32_t mask)
{
    CARILLON_REGISTER(CARILLON_NVIC + CARILLON_SOURCE_WORD(source) + CARILLON_NVIC_ENABLE) = mask;
}

/* Is the handler of a source running or preempted? */
static inline bool carillon_port_is_active(uint32_t source)
{
    if (source == CARILLON_SYSTICK) {
        return (CARILLON_REGISTER(CARILLON_SHCSR) & CARILLON_SHCSR_SYSTICKACT) != 0u;
    }
    return (CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_ACTIVE + CARILLON_SOURCE_WORD(source)) &
            CARILLON_SOURCE_BIT(source)) != 0u;
}

/* As carillon_port_peek says. */
static inline bool carillon_port_peek_active(uint32_t source)
{
    return (carillon_port_peek(CARILLON_NVIC + CARILLON_NVIC_ACTIVE + CARILLON_SOURCE_WORD(source)) &
            CARILLON_SOURCE_BIT(source)) != 0u;
}
/* What masks a level and those below it.  The highest level cannot be masked: the board keeps it from OSEK. */
static inline uint32_t carillon_port_mask_of(uint32_t level)
{
    return (CARILLON_LEVELS - level) * (256u / CARILLON_LEVELS);
}

/* Request a source unless it has been requested: has it not?  Levels up to `level` are masked meanwhile, so that of
 * two callers there one alone is told so.
 *
 * 1. It is one statement, so the compiler cannot part the look from the request, nor the mask from what undoes it.
 * 2. It is not volatile, so that it is left out where nobody uses the answer.  Then the request is not made: whoever
 *    asks makes one afterwards in any case.
 * 3. It reads memory, so the compiler moves it across no statement that changes memory, as a request does. */
static inline bool carillon_port_claim(uint32_t source, uint32_t level)
{
    const uint32_t word = CARILLON_NVIC + CARILLON_NVIC_PEND + CARILLON_SOURCE_WORD(source);
    uint32_t pending;
    uint32_t saved;
    __asm__("mrs %1, basepri\n"
            "msr basepri_max, %3\n"
            "ldr %0, %2\n"
            "str %4, %2\n"
            "msr basepri, %1\n"
            : "=&r"(pending), "=&r"(saved)
            : "m"(*(const uint32_t *)(uintptr_t)word), "r"(carillon_port_mask_of(level)),
              "r"(CARILLON_SOURCE_BIT(source)));
    return (pending & CARILLON_SOURCE_BIT(source)) == 0u;
}

/* The highest level that a mask holds back, 0 if it holds back none. */
static inline uint32_t carillon_port_level_of(uint32_t mask)
{
    return (mask == 0u) ? 0u : (CARILLON_LEVELS - (mask / (256u / CARILLON_LEVELS)));
}

/* Of two masks the one that masks more; 0 masks nothing. */
static inline uint32_t carillon_port_higher(uint32_t one, uint32_t other)
{
    return ((one != 0u) && (one < other)) ? one : other;
}

/* The mask as it is. */
static inline uint32_t carillon_port_mask(void)
{
    uint32_t mask;
    __asm__ volatile("mrs %0, basepri" : "=r"(mask));
    return mask;
}

/* Mask a level and those below it, if they are not masked yet; returns the mask as it was. */
static inline uint32_t carillon_port_raise(uint32_t level)
{
    const uint32_t saved = carillon_port_mask();
    __asm__ volatile("msr basepri_max, %0" ::"r"(carillon_port_mask_of(level)) : "memory");
    return saved;
}

/* Set the mask; what it held back is served before this returns. */
static inline void carillon_port_restore(uint32_t mask)
{
    __asm__ volatile("msr basepri, %0\n isb" ::"r"(mask) : "memory");
}

/* Take no interrupt until the handler that runs has returned: the return from an exception clears FAULTMASK. */
static inline void carillon_port_mask_until_end(void)
{
    __asm__ volatile("cpsid f" ::: "memory");
}
static inline void carillon_port_unmask(void)
{
    __asm__ volatile("cpsie f\n isb" ::: "memory");
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
    top[-9] = (uint32_t)(uintptr_t)function;                    /* r4 */
    top[-1] = (uint32_t)(uintptr_t)carillon_port_begin_context; /* pc */
    if (CARILLON_ARM_FLOATS) {
        top[-12] = 0u; /* nothing in the floating-point unit */
    }
    context->sp = &top[CARILLON_ARM_FLOATS ? -12 : -10];
}

/* Go on where a context left off; returns when it suspends itself or leaves for good.
 * Handlers nest on whichever stack is in use, so it may be another one each time. */
void carillon_port_resume(struct carillon_context *context);
void carillon_port_suspend(struct carillon_context *context);
void carillon_port_leave(struct carillon_context *context) __attribute__((noreturn));

/* Suspend a context, and go on where another one left off, in its place: who resumed the first one goes on when the
 * other one suspends itself. */
void carillon_port_exchange(struct carillon_context *context, struct carillon_context *other);

/* The handler that has the vector carillon_port_budget_vector is called with where it was entered: the exception frame.
 * The first function returns the source of the handler that was preempted there, 0 if none was.  After the second, what
 * was preempted goes on in `function`, which does not return. */
void carillon_port_budget_vector(void);
void carillon_port_round_budget_vector(void);
static inline uint32_t carillon_port_preempted(const void *frame)
{
    return ((const volatile uint32_t *)frame)[7] & 0x1FFu;
}
void carillon_port_divert(const void *frame, carillon_vector function);

/* Set a source's level.  Silicon must not change the level of an active source: none is when a mode starts. */
void carillon_port_set_level(uint16_t source, uint16_t level);

/* Use a vector table. */
void carillon_port_set_vectors(const void *vectors);

/* The stores of a list, each start_spacing ticks after the one before it. */
void carillon_port_start(const struct carillon_store *list, uint32_t count);

/* Wait until `counter`, which counts down, reads `target`; then as carillon_port_start.  The stores of
 * `before` are carried out on the way. */
void carillon_port_start_at(uint32_t counter, uint32_t target, const struct carillon_store *before,
                            uint32_t before_count, const struct carillon_store *list, uint32_t count);

/* Add to running counters. */
void carillon_port_align(const struct carillon_shift *list, uint32_t count);

/* The same, with `by` added to each; the list is not empty.  What is added is known before the load: load, addition and
 * store are adjacent, and the counter runs on by two instructions, for which the shift allows.  Two cells a turn, as a
 * start of a schedule table takes mostly this. */
static inline void carillon_port_shift(const struct carillon_shift *list, uint32_t count, uint32_t by)
{
    __asm__ volatile("   lsrs %[count], %[count], #1\n"
                     "   bcc 1f\n"
                     "   ldmia %[list]!, {r3, r4}\n"
                     "   add r4, r4, %[by]\n"
                     "   ldr r12, [r3]\n"
                     "   add r12, r12, r4\n"
                     "   str r12, [r3]\n"
                     "   cbz %[count], 2f\n"
                     "1: ldmia %[list]!, {r3, r4, r5, r6}\n"
                     "   add r4, r4, %[by]\n"
                     "   add r6, r6, %[by]\n"
                     "   ldr r12, [r3]\n"
                     "   add r12, r12, r4\n"
                     "   str r12, [r3]\n"
                     "   ldr r12, [r5]\n"
                     "   add r12, r12, r6\n"
                     "   str r12, [r5]\n"
                     "   subs %[count], %[count], #1\n"
                     "   bne 1b\n"
                     "2:\n"
                     : [list] "+l"(list), [count] "+l"(count)
                     : [by] "r"(by)
                     : "r3", "r4", "r5", "r6", "r12", "cc", "memory");
}

/* Read the time base and start cells, CARILLON_PORT_SINCE_READ ticks later; with interrupts locked. */
#define CARILLON_PORT_SINCE_READ 1u
static inline uint32_t carillon_port_read_and_start(uint32_t counter, struct carillon_store start)
{
    uint32_t read;
    __asm__ volatile("ldr %0, [%1]\n\tstr %3, [%2]"
                     : "=&r"(read)
                     : "r"(counter), "r"(start.address), "r"(start.value)
                     : "memory");
    return read;
}

/* Write that a schedule table has stopped.  The label tells the tracing plugin that this store does: it may be in the
 * application, which stops tables without a call. */
static inline void carillon_port_note_stop(uint8_t *status, uint8_t stopped)
{
    __asm__ volatile("carillon_stops_table_%=:\n\tstrb %1, %0" : "=m"(*status) : "r"(stopped));
}

/* Call `function` at the execution priority of what the handler preempted, so that every later interrupt
 * can preempt it in turn, and come back to the handler. */
void carillon_port_run_lowered(carillon_vector function);

/* The same with nothing masked: for the handler of a software interrupt controller. */
void carillon_port_run_base(carillon_vector function);

#if CARILLON_OSEK
/* The vector of the cell that ends slices, which hands the exception's frame to carillon_slice_vector; and those of the
 * interrupts that it requests for lower levels (carillon_slice_over). */
void carillon_port_slice_vector(void);
void carillon_slice_vector(const void *frame);
void carillon_port_turn_vector(void);
void carillon_slice_over(const void *frame);

/* Has the handler with this frame preempted the handler of `source` while that ran on a stack? */
static inline bool carillon_port_is_in(const void *frame, uint32_t source, const uint64_t *stack, uint32_t words,
                                       const struct carillon_context *context)
{
    (void)context;
    const uint32_t *const word = (const uint32_t *)frame;
    const uintptr_t place = (uintptr_t)frame;
    return ((word[7] & UINT32_C(0x1FF)) == source) && (place >= (uintptr_t)stack) && (place < (uintptr_t)&stack[words]);
}

/* Is it this stack that the handler runs on? */
static inline bool carillon_port_is_on(const uint64_t *stack, uint32_t words, const struct carillon_context *context)
{
    (void)context;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return (here >= (uintptr_t)stack) && (here < (uintptr_t)&stack[words]);
}

/* Call `function` in the handler of `source` (0: outside of any), as if that handler had called it, and come back to
 * the handler that calls.  The calling handler has preempted that of `source`. */
void carillon_port_run_preempted(carillon_vector function, uint32_t source);
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

/* The processor wants a table aligned to its size, rounded up to a power of two.  It has 512 vectors at most. */
#if CARILLON_SOURCES <= 128
#define CARILLON_VECTOR_TABLE_ALIGNMENT 512
#elif CARILLON_SOURCES <= 256
#define CARILLON_VECTOR_TABLE_ALIGNMENT 1024
#else
#define CARILLON_VECTOR_TABLE_ALIGNMENT 2048
#endif

/* A mode's vector table; the one where the code begins is that of the mode the system starts in. */
#define CARILLON_VECTOR_TABLE(first) \
    __attribute__((section(".vectors" first), aligned(CARILLON_VECTOR_TABLE_ALIGNMENT), used))

#ifdef __cplusplus
}
#endif

#endif
