/* SPDX-License-Identifier: Apache-2.0
 *
 * The NVIC as ARMv6-M and ARMv7-M have it: requests, and what lets them interrupt.  carillon_port.h of either says what
 * stores, barriers and the NVIC promise each other. */
#ifndef CARILLON_NVIC_H
#define CARILLON_NVIC_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/contract/mode.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CARILLON_NVIC UINT32_C(0xE000E000)
#define CARILLON_NVIC_ENABLE 0x100u
#define CARILLON_NVIC_DISABLE 0x180u
#define CARILLON_NVIC_PEND 0x200u
#define CARILLON_NVIC_UNPEND 0x280u
#define CARILLON_PENDSV 14u
#define CARILLON_SYSTICK 15u
#define CARILLON_FIRST_INTERRUPT 16u

#define CARILLON_ICSR UINT32_C(0xE000ED04)
#define CARILLON_ICSR_PENDSVSET (UINT32_C(1) << 28)
#define CARILLON_ICSR_PENDSTCLR (UINT32_C(1) << 25)
#define CARILLON_ICSR_PENDSTSET (UINT32_C(1) << 26)

/* Whether the compiler uses a floating-point unit. */
#ifdef __ARM_FP
#define CARILLON_ARM_FLOATS 1
#else
#define CARILLON_ARM_FLOATS 0
#endif

/* How a symbol of C is called in the assembler. */
#define CARILLON_SYMBOL_PREFIX ""

#define CARILLON_REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

/* The request register that a source belongs to, as a byte offset, and its bit there. */
#define CARILLON_SOURCE_WORD(source) ((((source)-CARILLON_FIRST_INTERRUPT) / 32u) * 4u)
#define CARILLON_SOURCE_BIT(source) (UINT32_C(1) << (((source)-CARILLON_FIRST_INTERRUPT) % 32u))

/* Stores for the lists of a mode; `source` names the register, `mask` has the bits of every source in it. */
#define CARILLON_STORE_ENABLE(source, mask) \
    CARILLON_STORE(CARILLON_NVIC + CARILLON_NVIC_ENABLE + CARILLON_SOURCE_WORD(source), (mask))
#define CARILLON_STORE_DISABLE(source, mask) \
    CARILLON_STORE(CARILLON_NVIC + CARILLON_NVIC_DISABLE + CARILLON_SOURCE_WORD(source), (mask))
#define CARILLON_STORE_UNPEND(source, mask) \
    CARILLON_STORE(CARILLON_NVIC + CARILLON_NVIC_UNPEND + CARILLON_SOURCE_WORD(source), (mask))

/* The store that requests an interrupt; of SysTick too, which has no bit in the NVIC. */
#define CARILLON_STORE_PEND(source)                                                           \
    CARILLON_STORE(((source) == CARILLON_SYSTICK)                                             \
                       ? CARILLON_ICSR                                                        \
                       : (CARILLON_NVIC + CARILLON_NVIC_PEND + CARILLON_SOURCE_WORD(source)), \
                   ((source) == CARILLON_SYSTICK) ? CARILLON_ICSR_PENDSTSET : CARILLON_SOURCE_BIT(source))

static inline void carillon_port_write(uint32_t address, uint32_t value)
{
    CARILLON_REGISTER(address) = value;
}

static inline uint32_t carillon_port_read(uint32_t address)
{
    return CARILLON_REGISTER(address);
}

/* Every store before has arrived where it goes. */
static inline void carillon_port_settle(void)
{
    __asm__ volatile("dsb" ::: "memory");
}

/* Request an interrupt by software; it is taken before this returns if its level allows. */
static inline void carillon_port_pend(uint32_t source)
{
    __asm__ volatile("" ::: "memory");
    CARILLON_REGISTER(CARILLON_NVIC + CARILLON_SOURCE_WORD(source) + CARILLON_NVIC_PEND) = CARILLON_SOURCE_BIT(source);
    __asm__ volatile("dsb\n isb" ::: "memory");
}

/* The same without waiting for it: what follows may still run before it is taken.  The compiler moves no
 * carillon_port_peek_* across it. */
static inline void carillon_port_request(uint32_t source)
{
    __asm__ volatile("" ::: "memory");
    if (source == CARILLON_PENDSV) {
        CARILLON_REGISTER(CARILLON_ICSR) = CARILLON_ICSR_PENDSVSET;
    } else {
        CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_PEND + CARILLON_SOURCE_WORD(source)) =
            CARILLON_SOURCE_BIT(source);
    }
}

/* Whatever was requested before and is above what runs is served before what follows. */
static inline void carillon_port_barrier(void)
{
    __asm__ volatile("dsb\n isb" ::: "memory");
}

/* Forget what sources asked for, or what a system exception did: a handler that returns next is not entered for it. */
static inline void carillon_port_forget(uint32_t source, uint32_t mask)
{
    if (source == CARILLON_SYSTICK) {
        CARILLON_REGISTER(CARILLON_ICSR) = CARILLON_ICSR_PENDSTCLR;
    } else {
        CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_UNPEND + CARILLON_SOURCE_WORD(source)) = mask;
    }
    carillon_port_settle();
}

/* Has it asked for an interrupt that has not been taken? */
static inline bool carillon_port_is_pending(uint32_t source)
{
    if (source == CARILLON_SYSTICK) {
        return (CARILLON_REGISTER(CARILLON_ICSR) & CARILLON_ICSR_PENDSTSET) != 0u;
    }
    return (CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_PEND + CARILLON_SOURCE_WORD(source)) &
            CARILLON_SOURCE_BIT(source)) != 0u;
}

/* Loads that the compiler leaves out where nobody uses what they load, unlike those of a volatile register.
 *
 * 1. Volatile would keep them all: an activation whose status nobody uses would pay for it.
 * 2. Without it the compiler may move a load, and may make one of two of the same register.  It does neither across an
 *    assembler statement that changes memory: the load reads memory.
 * 3. Whatever makes a request, forgets one, masks, unmasks, or waits is such a statement or begins or ends with one.
 *    So a load sees the requests as they were between the statement before it and the one after it.  The callers ask
 *    for no more than that.
 * 4. A loop that waits for a bit has none of these in it.  It uses carillon_port_is_active and is_pending. */
static inline uint32_t carillon_port_peek(uint32_t address)
{
    uint32_t value;
    __asm__("ldr %0, %1" : "=r"(value) : "m"(*(const uint32_t *)(uintptr_t)address));
    return value;
}
static inline bool carillon_port_peek_pending(uint32_t source)
{
    return (carillon_port_peek(CARILLON_NVIC + CARILLON_NVIC_PEND + CARILLON_SOURCE_WORD(source)) &
            CARILLON_SOURCE_BIT(source)) != 0u;
}

/* The source of the handler that runs, 0 if none does. */
static inline uint32_t carillon_port_current(void)
{
    uint32_t source;
    __asm__ volatile("mrs %0, ipsr" : "=r"(source));
    return source;
}

/* Mask all interrupts; returns what carillon_port_unlock takes. */
static inline uint32_t carillon_port_lock(void)
{
    uint32_t saved;
    __asm__ volatile("mrs %0, primask\n cpsid i" : "=r"(saved)::"memory");
    return saved;
}

/* Undo the lock that returned `saved`. */
static inline void carillon_port_unlock(uint32_t saved)
{
    __asm__ volatile("msr primask, %0\n isb" ::"r"(saved) : "memory");
}

#ifdef __cplusplus
}
#endif

/* The vectors of the system exceptions, with which a table begins.  The stack's end comes first. */
#define CARILLON_SYSTEM_VECTORS                                                                                 \
    (carillon_vector)(uintptr_t) carillon_stack_top, carillon_port_reset, carillon_port_unexpected,             \
        carillon_port_unexpected, carillon_port_unexpected, carillon_port_unexpected, carillon_port_unexpected, \
        carillon_port_unexpected, carillon_port_unexpected, carillon_port_unexpected, carillon_port_unexpected, \
        carillon_port_supervisor_call,

#endif
