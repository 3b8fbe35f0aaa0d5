/* SPDX-License-Identifier: Apache-2.0
 *
 * Port to RV32: what the header does not inline. */
#include "carillon_port.h"
#if CARILLON_OSEK
#include "kernel/run/kernel.h"
#if CARILLON_OSEK
#include "ports/rv32/context.h"

__attribute__((naked)) void carillon_port_unwind(void)
{
    __asm__ volatile("   la t0, frame\n"
                     "   lw sp, 0(t0)\n"
                     "   j carillon_port_landed\n");
}
#endif
#else
static inline void carillon_software_dispatch(void)
{
}
#endif

struct carillon_port_controller carillon_port_controller;

/* mie as the controller's state wants it; locked. */
static inline void apply(void)
{
    const uint32_t through = carillon_port_controller.enabled & carillon_port_controller.above[carillon_port_mask()];
    __asm__ volatile("csrw mie, %0" ::"r"(through) : "memory");
}

void carillon_port_enable(uint32_t source, uint32_t mask)
{
    (void)source;
    const uint32_t saved = carillon_port_lock();
    carillon_port_controller.enabled |= mask;
    apply();
    carillon_port_unlock(saved);
}

void carillon_port_disarm(uint32_t source, uint32_t mask)
{
    (void)source;
    const uint32_t saved = carillon_port_lock();
    carillon_port_controller.enabled &= ~mask;
    apply();
    carillon_port_unlock(saved);
}

void carillon_port_write(uint32_t address, uint32_t value)
{
    if (address == (uint32_t)(uintptr_t)&carillon_port_controller.enable) {
        carillon_port_enable(0u, value);
    } else if (address == (uint32_t)(uintptr_t)&carillon_port_controller.disable) {
        carillon_port_disarm(0u, value);
    } else if (address == (uint32_t)(uintptr_t)&carillon_port_controller.unpend) {
        carillon_port_forget(0u, value);
    } else {
        CARILLON_REGISTER(address) = value;
    }
}

void carillon_port_restore(uint32_t mask)
{
    const uint32_t saved = carillon_port_lock();
    carillon_port_controller.level = mask;
    apply();
    carillon_port_unlock(saved);
}

void carillon_port_set_level(uint16_t source, uint16_t level)
{
    const uint32_t bit = CARILLON_SOURCE_BIT(source);
    const uint32_t saved = carillon_port_lock();
    carillon_port_controller.levels[source] = (uint8_t)level;
    for (uint32_t below = 0u; below <= CARILLON_LEVELS; below++) {
        const uint32_t above = carillon_port_controller.above[below];
        carillon_port_controller.above[below] = (below < level) ? (above | bit) : (above & ~bit);
    }
    apply();
    carillon_port_unlock(saved);
}

static inline void interrupts_on(void)
{
    __asm__ volatile("csrsi mstatus, %0" ::"n"(CARILLON_MSTATUS_MIE) : "memory");
}
static inline void interrupts_off(void)
{
    __asm__ volatile("csrci mstatus, %0" ::"n"(CARILLON_MSTATUS_MIE) : "memory");
}

/* A source's request is above what is masked, or it would not have come.  Two that ask at the same time come in the
 * processor's order: the one of a higher level then preempts the other before that one's handler has begun. */
void carillon_port_handle(uint32_t source);
__attribute__((used)) void carillon_port_handle(uint32_t source)
{
    struct carillon_port_controller *const controller = &carillon_port_controller;
    const uint32_t below = controller->source;
    const uint32_t preempted = controller->preempted;
    const uint32_t level = controller->level;
    carillon_port_forget(source, CARILLON_SOURCE_BIT(source));
    controller->source = source;
    controller->preempted = level;
    controller->level = controller->levels[source];
    apply();
    interrupts_on();
    controller->vectors[source]();
    interrupts_off();
    controller->source = below;
    controller->preempted = preempted;
    controller->level = level;
    apply();
    if ((below == 0u) && (level == 0u)) {
        carillon_software_dispatch();
    }
}

void carillon_port_run_base(carillon_vector function)
{
    interrupts_on();
    function();
    interrupts_off();
    carillon_port_restore(0u);
}

#if CARILLON_OSEK
/* The handler has returned: what the processor needs of the interrupt is in its frame (carillon_port_frame). */
void carillon_port_run_preempted(carillon_vector function, uint32_t source)
{
    (void)source;
    carillon_port_run_base(function);
}
#endif

void carillon_port_run_lowered(carillon_vector function)
{
    const uint32_t own = carillon_port_mask();
    carillon_port_restore(carillon_port_higher(carillon_port_controller.preempted, CARILLON_BELOW_TASKS));
    function();
    carillon_port_restore(own);
}

/* An entry is one instruction of four bytes; the first is that of exceptions.  What follows it makes room for the
 * frame, saves a0 and says which source it is. */
void carillon_port_frame(void);
__asm__("   .section .text.carillon_port_entries, \"ax\"\n"
        "   .balign 256\n"
        "   .global carillon_port_entries\n"
        "   .type carillon_port_entries, @function\n"
        "   .option push\n"
        "   .option norvc\n"
        "carillon_port_entries:\n"
        "   j carillon_port_unexpected\n"
        "   .altmacro\n"
        "   .macro carillon_entry source\n"
        "   j carillon_entry_\\source\n"
        "   .endm\n"
        "   .set number, 1\n"
        "   .rept 15\n"
        "   carillon_entry %number\n"
        "   .set number, number + 1\n"
        "   .endr\n"
        "   .option pop\n"
        "   .macro carillon_enter source\n"
        "carillon_entry_\\source:\n"
        "   addi sp, sp, -80\n"
        "   sw a0, 0(sp)\n"
        "   li a0, \\source\n"
        "   j carillon_port_frame\n"
        "   .endm\n"
        "   .set number, 1\n"
        "   .rept 15\n"
        "   carillon_enter %number\n"
        "   .set number, number + 1\n"
        "   .endr\n"
        "   .noaltmacro\n"
        "   .size carillon_port_entries, . - carillon_port_entries\n"
        "   .text\n");

/* What was interrupted between lr.w and sc.w must not succeed afterwards, because what ran here may have changed the
 * word and changed it back.  An sc.w to a word of the frame that nobody reads gives up the reservation (RISC-V, volume
 * I, section "Load-Reserved/Store-Conditional"). */
#ifdef __riscv_atomic
#define CLEAR_RESERVATION  \
    "   addi t0, sp, 72\n" \
    "   sc.w zero, zero, (t0)\n"
#else
#define CLEAR_RESERVATION
#endif

/* mepc and mstatus are saved too, because interrupts nest. */
__attribute__((naked, used)) void carillon_port_frame(void)
{
    __asm__ volatile("   sw ra, 4(sp)\n"
                     "   sw t0, 8(sp)\n"
                     "   sw t1, 12(sp)\n"
                     "   sw t2, 16(sp)\n"
                     "   sw t3, 20(sp)\n"
                     "   sw t4, 24(sp)\n"
                     "   sw t5, 28(sp)\n"
                     "   sw t6, 32(sp)\n"
                     "   sw a1, 36(sp)\n"
                     "   sw a2, 40(sp)\n"
                     "   sw a3, 44(sp)\n"
                     "   sw a4, 48(sp)\n"
                     "   sw a5, 52(sp)\n"
                     "   sw a6, 56(sp)\n"
                     "   sw a7, 60(sp)\n"
                     "   csrr t0, mepc\n"
                     "   csrr t1, mstatus\n"
                     "   sw t0, 64(sp)\n"
                     "   sw t1, 68(sp)\n"
                     "   call carillon_port_handle\n"
                     "   lw t0, 64(sp)\n"
                     "   lw t1, 68(sp)\n"
                     "   csrw mepc, t0\n"
                     "   csrw mstatus, t1\n" CLEAR_RESERVATION "   lw a0, 0(sp)\n"
                     "   lw ra, 4(sp)\n"
                     "   lw t0, 8(sp)\n"
                     "   lw t1, 12(sp)\n"
                     "   lw t2, 16(sp)\n"
                     "   lw t3, 20(sp)\n"
                     "   lw t4, 24(sp)\n"
                     "   lw t5, 28(sp)\n"
                     "   lw t6, 32(sp)\n"
                     "   lw a1, 36(sp)\n"
                     "   lw a2, 40(sp)\n"
                     "   lw a3, 44(sp)\n"
                     "   lw a4, 48(sp)\n"
                     "   lw a5, 52(sp)\n"
                     "   lw a6, 56(sp)\n"
                     "   lw a7, 60(sp)\n"
                     "   addi sp, sp, 80\n"
                     "   mret\n");
}

/* The first store is at the beginning of a tick of mtime, so that ticks begin where it has set that to 0.  Take
 * samples of mtime that are an instruction further apart than some ticks, of which there are as few as the loop allows.
 * They are one tick more apart if and only if the second was taken in a tick's first instruction. */
#define TICKS_OF(instructions) (((instructions) + CARILLON_INSTRUCTIONS_PER_TICK - 1) / CARILLON_INSTRUCTIONS_PER_TICK)
__attribute__((naked)) void carillon_port_start(const struct carillon_store *list __attribute__((unused)),
                                                uint32_t count __attribute__((unused)))
{
    __asm__ volatile("   li t2, %[time]\n"
                     "   lw t0, 0(t2)\n"
                     "1: mv t1, t0\n"
                     "   .rept (%[apart] * %[tick]) - 4\n"
                     "   nop\n"
                     "   .endr\n"
                     "   lw t0, 0(t2)\n"
                     "   sub t1, t0, t1\n"
                     "   addi t1, t1, -(%[apart] + 1)\n"
                     "   bnez t1, 1b\n"
                     "   .rept (%[until] * %[tick]) - 6\n" /* the load of time to the store: whole ticks */
                     "   nop\n"
                     "   .endr\n"
                     ".global carillon_port_start_load\n"
                     "carillon_port_start_load:\n"
                     "   lw t0, 0(a0)\n"
                     "   lw t1, 4(a0)\n"
                     "   sw t1, 0(t0)\n"
                     "   addi a0, a0, 8\n"
                     "   addi a1, a1, -1\n"
                     "   bnez a1, carillon_port_start_load\n"
                     "   ret\n"
                     :
                     : [time] "n"(CARILLON_MTIME), [tick] "n"(CARILLON_INSTRUCTIONS_PER_TICK), [apart] "n"(TICKS_OF(4)),
                       [until] "n"(TICKS_OF(6)));
}

/* The call, six more, the return, and the loop's two a turn: one more if what is left is odd. */
__attribute__((naked)) void carillon_port_delay(uint32_t instructions __attribute__((unused)))
{
    __asm__ volatile("   li t0, 10\n"
                     "   bltu a0, t0, 2f\n"
                     "   andi t0, a0, 1\n"
                     "   addi a0, a0, -8\n"
                     "   srli a0, a0, 1\n"
                     "   beqz t0, 1f\n"
                     "   nop\n"
                     "1: addi a0, a0, -1\n"
                     "   bnez a0, 1b\n"
                     "2: ret\n");
}

void carillon_port_halt(void)
{
    for (;;) {
    }
}

void carillon_port_unexpected(void)
{
    carillon_port_halt();
}
