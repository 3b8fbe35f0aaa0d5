/* SPDX-License-Identifier: Apache-2.0
 *
 * Port to ARMv6-M: what the header does not inline.  ports/armv7m says more of what has the same name there. */
#include "carillon_port.h"

#include "ports/armv7m/delay.h"

#define SHPR UINT32_C(0xE000ED18) /* of exception 4: the registers of exceptions 4 to 7 are not there */
#define SHPR_FIRST 4u
#define SVCALL 11u
#define NVIC_IPR UINT32_C(0xE000E400)

/* The compiler writes the instructions of Thumb in their old syntax, and expects it between its own. */
#define UNIFIED "   .syntax unified\n"

uint32_t carillon_port_admitted = CARILLON_MASK_BITS;
uint32_t carillon_port_held[CARILLON_MASK_ALL + 1u] = {
    [1] = UINT32_C(1) << CARILLON_MASK_INTERRUPT,
    [3] = UINT32_C(3) << CARILLON_MASK_INTERRUPT,
    [7] = UINT32_C(7) << CARILLON_MASK_INTERRUPT,
};

/* Levels count upwards from 1, priorities downwards from 3, in the upper bits of a byte.  Of the NVIC's interrupts, the
 * masks of the level and of those above it hold the source back, and no other mask does. */
void carillon_port_set_level(uint16_t source, uint16_t level)
{
    const uint32_t priority = (CARILLON_LEVELS - (uint32_t)level) * (256u / CARILLON_LEVELS);
    const bool system = source < CARILLON_FIRST_INTERRUPT;
    const uint32_t place = (uint32_t)source - (system ? SHPR_FIRST : CARILLON_FIRST_INTERRUPT);
    volatile uint32_t *const word = &CARILLON_REGISTER((system ? SHPR : NVIC_IPR) + (place & ~UINT32_C(3)));
    const uint32_t shift = 8u * (place & 3u);
    *word = (*word & ~(UINT32_C(0xFF) << shift)) | (priority << shift);
    for (uint32_t masked = 1u; !system && (masked < CARILLON_LEVELS); masked++) {
        uint32_t *const held = &carillon_port_held[carillon_port_mask_of(masked)];
        const uint32_t bit = UINT32_C(1) << place;
        *held = (masked >= level) ? (*held | bit) : (*held & ~bit);
    }
}

/* A handler that has lowered its priority goes on as the supervisor's, which is above whatever one of them has
 * preempted. */
void carillon_port_set_vectors(const void *vectors)
{
    (void)vectors;
    if (CARILLON_MODES > 0) {
        CARILLON_PORT_BEGIN();
    }
    if (CARILLON_LOWERED > 0) {
        carillon_port_set_level(SVCALL, CARILLON_LOWERED);
    }
}

/* Five instructions a turn: the tool offsets each cell's first interval by its place in the list.
 *
 * CARILLON_EPOCH is a counter of ticks that runs freely, of a board whose cells count from what it reads.  The start
 * waits for a tick, and then for most of it: the first store comes shortly before the next tick, from which those cells
 * count. Where a tick has fewer instructions than that takes, it is one of the next.  If it comes later, they are as
 * much, less than a tick, before the cells that stores start. */
#ifdef CARILLON_EPOCH
#define AHEAD ((18u + CARILLON_INSTRUCTIONS_PER_TICK - 1u) / CARILLON_INSTRUCTIONS_PER_TICK)
#define MOST_TURNS (((AHEAD * CARILLON_INSTRUCTIONS_PER_TICK) - 16u) / 2u) /* of two instructions */
#define TURNS ((MOST_TURNS < 255u) ? MOST_TURNS : 255u)
uint32_t carillon_port_epoch;
#define FIND_THE_EPOCH                   \
    "   push {r4}\n"                     \
    "   ldr r4, =%c0\n"                  \
    "   ldr r2, [r4]\n"                  \
    "2: ldr r3, [r4]\n"                  \
    "   cmp r2, r3\n"                    \
    "   beq 2b\n"                        \
    "   adds r3, r3, %2\n"               \
    "   ldr r2, =carillon_port_epoch\n"  \
    "   str r3, [r2]\n"                  \
    "   movs r2, %1\n"                   \
    "3: subs r2, r2, #1\n"               \
    "   bne 3b\n"                        \
    "   pop {r4}\n"                      \
    ".global carillon_port_start_load\n" \
    "carillon_port_start_load:\n"
#define EPOCH CARILLON_EPOCH
#else
#define FIND_THE_EPOCH
#define EPOCH 0
#define TURNS 0
#define AHEAD 1
#endif
__attribute__((naked)) void carillon_port_start(const struct carillon_store *list __attribute__((unused)),
                                                uint32_t count __attribute__((unused)))
{
    __asm__ volatile(UNIFIED FIND_THE_EPOCH "1: ldmia r0!, {r2, r3}\n"
                                            ".global carillon_port_start_store\n"
                                            "carillon_port_start_store:\n"
                                            "   str r3, [r2]\n"
                                            "   nop\n"
                                            "   subs r1, r1, #1\n"
                                            "   bne 1b\n"
                                            "   bx lr\n"
                                            "   .ltorg\n"
                     :
                     : "i"(EPOCH), "i"(TURNS), "i"(AHEAD));
}

/* Cells whose family has `align` match a free counter: the first match is so many units after the start has read it. */
#ifdef CARILLON_EPOCH
void carillon_port_align(const struct carillon_shift *list, uint32_t count)
{
    for (uint32_t i = 0u; i < count; i++) {
        CARILLON_REGISTER(list[i].counter) = carillon_port_epoch + list[i].units;
    }
}
#else
void carillon_port_align(const struct carillon_shift *list, uint32_t count)
{
    (void)list;
    (void)count;
}
#endif

/* Lowering the execution priority: ports/armv7m says how.  The made-up frame returns to thread mode where nothing was
 * preempted but that, and else to the preempted handler: ARMv6-M knows no thread mode beneath an active handler.  Of a
 * system exception, the frame's status has a number below 16. */
__attribute__((naked)) void carillon_port_run_preempted(carillon_vector function __attribute__((unused)),
                                                        uint32_t source __attribute__((unused)))
{
    __asm__ volatile(UNIFIED "   push {r4, lr}\n"
                             "   sub sp, sp, #32\n"
                             "   movs r2, #1\n"
                             "   bics r0, r0, r2\n"
                             "   lsls r2, r2, #24\n" /* xPSR: Thumb state */
                             "   orrs r2, r2, r1\n"
                             "   ldr r3, =carillon_port_lowered_end\n"
                             "   str r3, [sp, #20]\n" /* return address */
                             "   str r0, [sp, #24]\n" /* program counter */
                             "   str r2, [sp, #28]\n"
                             "   movs r2, #6\n" /* EXC_RETURN: thread mode, main stack */
                             "   cmp r1, #0\n"
                             "   beq 1f\n"
                             "   movs r2, #14\n" /* handler mode */
                             "1: mvns r2, r2\n"
                             "   mov lr, r2\n"
                             ".global carillon_port_lower\n"
                             "carillon_port_lower:\n"
                             "   bx lr\n"
                             "   .thumb_func\n"
                             "carillon_port_lowered_end:\n"
                             "   cpsie i\n" /* the function may have left them locked, and a locked call is a fault */
                             "   svc #0\n"
                             "   .ltorg\n");
}

__attribute__((naked)) void carillon_port_supervisor_call(void)
{
    __asm__ volatile(UNIFIED "   add sp, sp, #32\n"
                             "   pop {r4, pc}\n");
}

/* The same where nothing was preempted: to thread mode. */
__attribute__((naked)) void carillon_port_run_base(carillon_vector function __attribute__((unused)))
{
    __asm__ volatile(UNIFIED "   push {r4, lr}\n"
                             "   sub sp, sp, #32\n"
                             "   movs r2, #1\n"
                             "   bics r0, r0, r2\n"
                             "   lsls r2, r2, #24\n"
                             "   ldr r3, =carillon_port_lowered_end\n"
                             "   str r3, [sp, #20]\n"
                             "   str r0, [sp, #24]\n"
                             "   str r2, [sp, #28]\n"
                             "   movs r2, #6\n"
                             "   mvns r2, r2\n"
                             "   mov lr, r2\n"
                             "   b carillon_port_lower\n"
                             "   .ltorg\n");
}

/* The frame that the exception returns to is changed, as ports/armv7m says.  This processor has no IT blocks, and begins
 * an instruction anew that an interrupt has come into. */
#if CARILLON_OSEK
__attribute__((naked)) static void go_on_diverted(void)
{
    __asm__ volatile(UNIFIED "   mov r1, sp\n"
                             "   movs r2, #7\n"
                             "   bics r1, r1, r2\n"
                             "   mov sp, r1\n"
                             "   bx r0\n");
}
void carillon_port_divert(const void *frame, carillon_vector function)
{
    volatile uint32_t *const words = (volatile uint32_t *)(uintptr_t)frame;
    words[0] = (uint32_t)(uintptr_t)function; /* in r0 */
    words[6] = (uint32_t)(uintptr_t)go_on_diverted & ~UINT32_C(1);
}

__attribute__((naked)) void carillon_port_round_budget_vector(void)
{
    __asm__ volatile(UNIFIED "   mov r0, sp\n"
                             "   ldr r1, =carillon_round_budget_vector\n"
                             "   bx r1\n"
                             "   .ltorg\n");
}
#endif

/* Interrupts below tasks wait while a lowered task runs, by the mask of their level.  The round may enable one of them
 * meanwhile: it interrupts when the mask ends, of which there may be several, one within the other.  All interrupts are
 * locked while one of these looks and changes what it has looked at, for a few instructions. */
#if CARILLON_BELOW_TASKS
#define BELOW carillon_port_mask_of(CARILLON_BELOW_TASKS)
#define IS_BELOW_LET (UINT32_C(1) << (CARILLON_MASK_INTERRUPT + CARILLON_BELOW_TASKS - 1u))
static uint32_t later;

void carillon_port_let(uint32_t mask)
{
    const uint32_t saved = carillon_port_lock();
    if ((CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_ENABLE) & IS_BELOW_LET) != 0u) {
        CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_ENABLE) = mask;
    } else {
        later |= mask;
    }
    carillon_port_unlock(saved);
}

void carillon_port_withhold(uint32_t mask)
{
    const uint32_t saved = carillon_port_lock();
    later &= ~mask;
    CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_DISABLE) = mask;
    carillon_port_unlock(saved);
    carillon_port_barrier();
}

void carillon_port_run_above(carillon_vector function, uint32_t source)
{
    const uint32_t before = carillon_port_lock();
    const uint32_t enabled = CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_ENABLE) & carillon_port_held[BELOW];
    CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_DISABLE) = carillon_port_held[BELOW];
    carillon_port_barrier();
    carillon_port_unlock(before);
    carillon_port_run_preempted(function, source);
    const uint32_t after = carillon_port_lock();
    if ((enabled & IS_BELOW_LET) != 0u) {
        CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_ENABLE) = enabled | later;
        later = 0u;
    }
    carillon_port_unlock(after);
}
#else
void carillon_port_run_above(carillon_vector function, uint32_t source)
{
    carillon_port_run_preempted(function, source);
}
#endif

/* Where carillon_port_unwind goes: the frame of the innermost call, which holds that of the one around it.  Frames
 * nest even across stacks: whoever runs above has ended, or left its stack, before what is below goes on.
 *
 * What is saved has ten words, from the lowest address: r3, which keeps the stack aligned to eight bytes, r8 to r11, r4
 * to r7, and where to go on. */
#if CARILLON_OSEK
static void *frame __attribute__((used));

#define SAVE                \
    "   push {r4-r7, lr}\n" \
    "   mov r4, r8\n"       \
    "   mov r5, r9\n"       \
    "   mov r6, r10\n"      \
    "   mov r7, r11\n"      \
    "   push {r3, r4, r5, r6, r7}\n"
#define LOAD                        \
    "   pop {r3, r4, r5, r6, r7}\n" \
    "   mov r8, r4\n"               \
    "   mov r9, r5\n"               \
    "   mov r10, r6\n"              \
    "   mov r11, r7\n"              \
    "   pop {r4-r7, pc}\n"

__attribute__((naked)) void carillon_port_call(carillon_vector function __attribute__((unused)))
{
    __asm__ volatile(UNIFIED SAVE "   ldr r4, =frame\n"
                                  "   ldr r5, [r4]\n"
                                  "   push {r4, r5}\n"
                                  "   mov r5, sp\n"
                                  "   str r5, [r4]\n"
                                  ".global carillon_port_begin\n"
                                  "carillon_port_begin:\n"
                                  "   blx r0\n"
                                  "   .thumb_func\n"
                                  ".global carillon_port_landed\n"
                                  "carillon_port_landed:\n"
                                  "   pop {r4, r5}\n"
                                  "   str r5, [r4]\n" LOAD "   .ltorg\n");
}

__attribute__((naked)) void carillon_port_unwind(void)
{
    __asm__ volatile(UNIFIED "   ldr r4, =frame\n"
                             "   ldr r4, [r4]\n"
                             "   mov sp, r4\n"
                             "   ldr r4, =carillon_port_landed\n"
                             "   bx r4\n"
                             "   .ltorg\n");
}

__attribute__((naked)) void carillon_port_begin_context(void)
{
    __asm__ volatile(UNIFIED "   blx r4\n"
                             "   bl carillon_osek_end\n");
}

__attribute__((naked)) void carillon_port_exchange(struct carillon_context *context __attribute__((unused)),
                                                   struct carillon_context *other __attribute__((unused)))
{
    __asm__ volatile(UNIFIED SAVE "   mov r2, sp\n"
                                  "   str r2, [r0]\n"
                                  ".global carillon_port_exchange_from\n"
                                  "carillon_port_exchange_from:\n"
                                  "   ldr r3, [r0, #4]\n"
                                  ".global carillon_port_exchange_to\n"
                                  "carillon_port_exchange_to:\n"
                                  "   str r3, [r1, #4]\n"
                                  "   ldr r2, [r1]\n"
                                  "   mov sp, r2\n" LOAD);
}

__attribute__((naked)) void carillon_port_resume(struct carillon_context *context __attribute__((unused)))
{
    __asm__ volatile(UNIFIED SAVE "   mov r2, sp\n"
                                  ".global carillon_port_resumed\n"
                                  "carillon_port_resumed:\n"
                                  "   str r2, [r0, #4]\n"
                                  "   ldr r2, [r0]\n"
                                  "   mov sp, r2\n" LOAD);
}

__attribute__((naked)) void carillon_port_suspend(struct carillon_context *context __attribute__((unused)))
{
    __asm__ volatile(UNIFIED SAVE "   mov r2, sp\n"
                                  "   str r2, [r0]\n"
                                  ".global carillon_port_suspended\n"
                                  "carillon_port_suspended:\n"
                                  "   ldr r2, [r0, #4]\n"
                                  "   mov sp, r2\n" LOAD);
}

__attribute__((naked)) void carillon_port_leave(struct carillon_context *context __attribute__((unused)))
{
    __asm__ volatile(UNIFIED ".global carillon_port_left\n"
                             "carillon_port_left:\n"
                             "   ldr r2, [r0, #4]\n"
                             "   mov sp, r2\n" LOAD);
}
#endif
