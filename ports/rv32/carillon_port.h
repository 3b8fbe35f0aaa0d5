/* SPDX-License-Identifier: Apache-2.0
 *
 * Port to RV32 in machine mode, with the CLINT's registers for time and software interrupts.  An interrupt source is
 * the number of a standard interrupt, as in mip, mie and mcause.
 *
 * The processor has neither levels nor a table of handlers, so there is an interrupt controller in software:
 *
 * 1. mie lets those sources through that are enabled and above the level that is masked.
 * 2. mtvec leads to an entry for each source (carillon_port_entries), and that to carillon_port_frame.  The frame saves
 *    what a C function may change, masks the source's own level, and calls the handler with interrupts on.  What is
 *    above preempts the handler.  A handler is a plain C function.
 * 3. Event-triggered tasks are dispatched in software, by the last handler of the interrupts that nest, when it has
 *    returned and nothing is masked.
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
#define CARILLON_BASE_ENDS_LOCKED 1

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*carillon_vector)(void);

#define CARILLON_SYMBOL_PREFIX ""

#define CARILLON_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

#define CARILLON_SOURCE_BIT(source) (UINT32_C(1) << (source))

/* The CLINT, whose address is the board's (CARILLON_CLINT). */
#define CARILLON_MSIP CARILLON_CLINT
#define CARILLON_MTIMECMP (CARILLON_CLINT + 0x4000u)
#define CARILLON_MTIME (CARILLON_CLINT + 0xBFF8u)
#define CARILLON_MSIP_SOURCE 3u

/* The interrupt controller.  The first three are its write-only registers: carillon_port_write does what their names
 * say with the sources whose bits are written. */
struct carillon_port_controller {
    uint32_t enable;
    uint32_t disable;
    uint32_t unpend;
    volatile uint32_t enabled;
    volatile uint32_t level;     /* it and those below are masked; 0: none */
    volatile uint32_t preempted; /* what was masked when the handler that runs was entered */
    volatile uint32_t source;    /* of the handler that runs, 0: none */
    const carillon_vector *vectors;
    uint32_t above[CARILLON_LEVELS + 1u]; /* the sources above each level */
    uint8_t levels[CARILLON_SOURCES];
};
extern struct carillon_port_controller carillon_port_controller;

#define CARILLON_STORE_ENABLE(source, mask) \
    CARILLON_STORE((carillon_address)(uintptr_t)&carillon_port_controller.enable, (mask))
#define CARILLON_STORE_ADMIT CARILLON_STORE_ENABLE
#define CARILLON_STORE_DISABLE(source, mask) \
    CARILLON_STORE((carillon_address)(uintptr_t)&carillon_port_controller.disable, (mask))
#define CARILLON_STORE_UNPEND(source, mask) \
    CARILLON_STORE((carillon_address)(uintptr_t)&carillon_port_controller.unpend, (mask))
#define CARILLON_STORE_PEND(source) CARILLON_STORE(0u, 0u) /* tasks have no source */

void carillon_port_write(uint32_t address, uint32_t value);
static inline uint32_t carillon_port_read(uint32_t address)
{
    return CARILLON_REGISTER(address);
}

/* All interrupts off, and as they were.  Pairs nest. */
#define CARILLON_MSTATUS_MIE 8u
static inline uint32_t carillon_port_lock(void)
{
    uint32_t saved;
    __asm__ volatile("csrrci %0, mstatus, %1" : "=r"(saved) : "n"(CARILLON_MSTATUS_MIE) : "memory");
    return saved & CARILLON_MSTATUS_MIE;
}
static inline void carillon_port_unlock(uint32_t saved)
{
    __asm__ volatile("csrs mstatus, %0" ::"r"(saved) : "memory");
}

/* Every store before has arrived where it goes. */
static inline void carillon_port_settle(void)
{
    __asm__ volatile("fence" ::: "memory");
}

/* Forget what sources asked for; those of devices that still ask go on doing so.
 *
 * 1. MSIP is a register of the CLINT, not of the processor.  A store to it may still be on its way when interrupts are
 *    let through again, or when the handler returns.  The handler would then be entered twice for one request.
 * 2. The load from the same register cannot overtake the store: what it returns comes from a device that has the store.
 * 3. The fence ends after the load, so that nothing behind it, an mret included, finds the request. */
static inline void carillon_port_forget(uint32_t source, uint32_t mask)
{
    (void)source;
    __asm__ volatile("csrc mip, %0" ::"r"(mask) : "memory");
    if ((mask & CARILLON_SOURCE_BIT(CARILLON_MSIP_SOURCE)) != 0u) {
        CARILLON_REGISTER(CARILLON_MSIP) = 0u;
        (void)CARILLON_REGISTER(CARILLON_MSIP);
        carillon_port_settle();
    }
}

/* Has it asked for an interrupt that has not been taken?  A device asks as long as it has cause to. */
static inline bool carillon_port_is_pending(uint16_t source)
{
    uint32_t pending;
    __asm__ volatile("csrr %0, mip" : "=r"(pending)::"memory");
    return (pending & CARILLON_SOURCE_BIT(source)) != 0u;
}

/* Let sources interrupt, or not any more; what they ask for meanwhile is kept. */
void carillon_port_enable(uint32_t source, uint32_t mask);
void carillon_port_disarm(uint32_t source, uint32_t mask);
static inline void carillon_port_hold(uint32_t source, uint32_t mask)
{
    carillon_port_disarm(source, mask);
}
static inline void carillon_port_arm(uint32_t source, uint32_t mask)
{
    carillon_port_forget(source, mask);
    carillon_port_enable(source, mask);
}

/* Whatever was requested before and is above what runs is served before what follows. */
static inline void carillon_port_barrier(void)
{
    __asm__ volatile("fence\n csrr zero, mip" ::: "memory");
}

/* Request an interrupt by software; it is taken before this returns if its level allows. */
static inline void carillon_port_pend(uint32_t source)
{
    if (source == CARILLON_MSIP_SOURCE) {
        CARILLON_REGISTER(CARILLON_MSIP) = 1u;
        (void)CARILLON_REGISTER(CARILLON_MSIP);
    } else {
        __asm__ volatile("csrs mip, %0" ::"r"(CARILLON_SOURCE_BIT(source)) : "memory");
    }
    carillon_port_barrier();
}

/* The dispatcher needs no request: every handler looks whether there is something to deliver. */
static inline void carillon_port_request(uint32_t source)
{
    (void)source;
}

/* The source of the handler that runs, 0 if none does. */
static inline uint32_t carillon_port_current(void)
{
    return carillon_port_controller.source;
}

/* A mask is the highest level that it holds back. */
static inline uint32_t carillon_port_mask_of(uint32_t level)
{
    return level;
}
static inline uint32_t carillon_port_higher(uint32_t one, uint32_t other)
{
    return (one > other) ? one : other;
}
static inline uint32_t carillon_port_mask(void)
{
    return carillon_port_controller.level;
}

/* Set the mask; what it held back is served before this returns. */
void carillon_port_restore(uint32_t mask);

/* Mask a level and those below it, if they are not masked yet; returns the mask as it was.  A handler that comes after
 * the mask was read leaves it as it was. */
static inline uint32_t carillon_port_raise(uint32_t level)
{
    const uint32_t saved = carillon_port_mask();
    if (level > saved) {
        carillon_port_restore(level);
    }
    return saved;
}

void carillon_port_set_level(uint16_t source, uint16_t level);
static inline void carillon_port_set_vectors(const void *vectors)
{
    carillon_port_controller.vectors = (const carillon_vector *)vectors;
}

#if CARILLON_OSEK
/* A function that ends elsewhere: carillon_port_unwind, called anywhere within, returns from the innermost call. */
void carillon_port_call(carillon_vector function);
void carillon_port_unwind(void) __attribute__((noreturn));

/* A task with a stack of its own: ports/rv32/resume.h. */
void carillon_port_suspend(struct carillon_context *context);
void carillon_port_leave(struct carillon_context *context) __attribute__((noreturn));
#endif

/* The stores of a list. */
void carillon_port_start(const struct carillon_store *list, uint32_t count);

/* No board of this port has cells that are aligned after the start. */
static inline void carillon_port_align(const struct carillon_shift *list, uint32_t count)
{
    (void)list;
    (void)count;
}

/* Call `function`, from a handler, at the level of what that preempted, but above everything that is below tasks. */
void carillon_port_run_lowered(carillon_vector function);

/* Call `function` with interrupts on, when a handler that preempted no other, and nothing masked, has returned.  After
 * that they are off, and nothing is masked. */
void carillon_port_run_base(carillon_vector function);

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
#endif

/* Stand still for ever. */
void carillon_port_halt(void) __attribute__((noreturn));

/* Spend exactly so many instructions, from the call to its return; at least 10, or the few that the test takes. */
void carillon_port_delay(uint32_t instructions);

/* One turn of the idle loop. */
static inline void carillon_port_idle(void)
{
    if (CARILLON_IDLE_SLEEP) {
        __asm__ volatile("wfi");
    }
}

/* The vector of sources that nobody uses, and the entry of exceptions. */
void carillon_port_unexpected(void);

/* What mtvec points to, an instruction for each source; and the entry after reset. */
void carillon_port_entries(void);
void carillon_port_reset(void);

#define CARILLON_SYSTEM_VECTORS
#define CARILLON_VECTOR_TABLE(first)

#ifdef __cplusplus
}
#endif

#endif
