/* SPDX-License-Identifier: Apache-2.0
 *
 * Port to ARMv7-M: what the header does not inline. */
#include "carillon_port.h"

#include "ports/armv7m/delay.h"

/* Is the processor an ARMv8-M in its non-secure state, or one without states?  Its board says so. */
#ifndef CARILLON_NON_SECURE
#define CARILLON_NON_SECURE 0
#endif

#define VTOR UINT32_C(0xE000ED08)
#define CCR UINT32_C(0xE000ED14)
#define CCR_NONBASETHRDENA 1u
#define SHPR UINT32_C(0xE000ED14) /* of exception 0, were there one: the first is exception 4 */
#define SHPR_SVCALL 11u
#define NVIC_IPR UINT32_C(0xE000E400)

void carillon_port_set_level(uint16_t source, uint16_t level)
{
    /* ARMv7-M counts priorities downwards from 0, in the upper bits of a byte. */
    const uint8_t priority = (uint8_t)((CARILLON_LEVELS - level) * (256u / CARILLON_LEVELS));
    const uint32_t address =
        (source < CARILLON_FIRST_INTERRUPT) ? (SHPR + source) : (NVIC_IPR + (source - CARILLON_FIRST_INTERRUPT));
    *(volatile uint8_t *)(uintptr_t)address = priority;
}

void carillon_port_set_vectors(const void *vectors)
{
    if (!CARILLON_LIBRARY || (CARILLON_MODES > 1)) { /* else the vendor's table has our handlers */
        CARILLON_REGISTER(VTOR) = (uint32_t)(uintptr_t)vectors;
    }
    /* A lowered task runs in thread mode while what it preempted is still active.
     *
     * 1. SVCall, by which it comes back, is on the highest level of the handlers that lower.  It is above whatever one
     *    of them has preempted, so it is taken at once wherever the task ends.
     * 2. It is not above what such a handler is below, so nothing there waits until the handler has returned. */
    if (CARILLON_LOWERED > 0) {
        CARILLON_REGISTER(CCR) |= CCR_NONBASETHRDENA;
        carillon_port_set_level(SHPR_SVCALL, CARILLON_LOWERED);
    }
}

/* Five instructions a turn, or as many as CARILLON_START_SPACING is long, if the board defines it as its start_spacing.
 * The tool offsets each cell's first interval by its place in the list. */
#ifdef CARILLON_START_SPACING
#define TURN (CARILLON_START_SPACING * CARILLON_INSTRUCTIONS_PER_TICK)
#if TURN < 4
#error "start_spacing of the board's file is too short: a store of the start takes 4 instructions"
#endif
#define TIMES_TURN    \
    "   mov r6, %3\n" \
    "   mul r6, r3, r6\n"
#else
#define TURN 5
#define TIMES_TURN "   add r6, r3, r3, lsl #2\n"
#endif
__attribute__((naked)) void carillon_port_start(const struct carillon_store *list __attribute__((unused)),
                                                uint32_t count __attribute__((unused)))
{
    __asm__ volatile("1: ldmia r0!, {r2, r3}\n"
                     ".global carillon_port_start_store\n"
                     "carillon_port_start_store:\n"
                     "   str r3, [r2]\n"
                     "   .rept %c0 - 4\n"
                     "   nop\n"
                     "   .endr\n"
                     "   subs r1, r1, #1\n"
                     "   bne 1b\n"
                     "   bx lr\n"
                     :
                     : "i"(TURN));
}

/* Where a tick is several instructions, find its beginning.  Take samples that are an instruction further apart than
 * some ticks, of which there are as few as the loop allows.  They are one tick more apart if and only if the second was
 * taken in a tick's first instruction. */
#if CARILLON_INSTRUCTIONS_PER_TICK > 1
#define APART ((4 + CARILLON_INSTRUCTIONS_PER_TICK - 1) / CARILLON_INSTRUCTIONS_PER_TICK)
#define FIND_THE_TICK       \
    "   ldr r12, [r0]\n"    \
    "3: mov lr, r12\n"      \
    "   ldr r12, [r0]\n"    \
    "   .rept %c4 - 4\n"    \
    "   nop\n"              \
    "   .endr\n"            \
    "   subs lr, lr, r12\n" \
    "   cmp lr, %2\n"       \
    "   bne 3b\n"           \
    "   mov r0, r12\n"
/* The load sees the tick that its own end belongs to: one instruction of it has passed. */
#define SINCE_THE_LOAD ((APART * CARILLON_INSTRUCTIONS_PER_TICK) + 1)
#else
#define APART 1
#define FIND_THE_TICK "   ldr r0, [r0]\n"
#define SINCE_THE_LOAD 0
#endif

/* The first start store comes (now - target) ticks after the load of the counter.  Of the instructions in
 * between, 16 are always the same, a turn is for each store of `before`, and the delay takes the rest. */
__attribute__((naked)) void carillon_port_start_at(uint32_t counter __attribute__((unused)),
                                                   uint32_t target __attribute__((unused)),
                                                   const struct carillon_store *before __attribute__((unused)),
                                                   uint32_t before_count __attribute__((unused)),
                                                   const struct carillon_store *list __attribute__((unused)),
                                                   uint32_t count __attribute__((unused)))
{
    __asm__ volatile("   push {r4, r5, r6, lr}\n"
                     "   ldrd r4, r5, [sp, #16]\n" /* list, count */
                     TIMES_TURN FIND_THE_TICK      /* now */
                     "   subs r0, r0, r1\n"
                     "   mov r1, %0\n"
                     "   mul r0, r0, r1\n"
                     "   subs r0, r0, r6\n"
                     "   sub r0, r0, %1\n" /* up to 4095 */
                     "   cmp r0, #2\n"
                     "   it lt\n"
                     "   movlt r0, #2\n" /* served too late: start at once */
                     "   lsrs r0, r0, #1\n"
                     "   bcc 1f\n"
                     "   nop\n"
                     "1: subs r0, r0, #1\n" /* two instructions a turn */
                     "   bne 1b\n"
                     "2: ldmia r2!, {r0, r1}\n"
                     "   str r1, [r0]\n"
                     "   .rept %c3 - 4\n"
                     "   nop\n"
                     "   .endr\n"
                     "   subs r3, r3, #1\n"
                     "   bne 2b\n"
                     "   mov r0, r4\n"
                     "   mov r1, r5\n"
                     "   pop {r4, r5, r6, lr}\n"
                     "   b carillon_port_start\n"
                     :
                     : "i"(CARILLON_INSTRUCTIONS_PER_TICK), "i"(16 + SINCE_THE_LOAD), "i"(APART + 1), "i"(TURN),
                       "i"(APART * CARILLON_INSTRUCTIONS_PER_TICK));
}

/* Adjacent load, addition and store: the counter runs on by two instructions, for which the shift allows. */
__attribute__((naked)) void carillon_port_align(const struct carillon_shift *list __attribute__((unused)),
                                                uint32_t count __attribute__((unused)))
{
    __asm__ volatile("   cbz r1, 2f\n"
                     "   push {r4, lr}\n"
                     "1: ldmia r0!, {r2, r3}\n"
                     "   ldr r4, [r2]\n"
                     "   adds r4, r4, r3\n"
                     "   str r4, [r2]\n"
                     "   subs r1, r1, #1\n"
                     "   bne 1b\n"
                     "   pop {r4, pc}\n"
                     "2: bx lr\n");
}

/* Lowering the execution priority in a way that holds on silicon.  An exception's priority cannot be
 * lowered while it is active.  So the handler ends its exception by returning to a made-up frame whose
 * program counter is `function`.  `function` returns to code that calls the supervisor.  The supervisor's
 * handler drops the frame of the call and goes on in the interrupted handler, now as SVCall.  The stack is
 * as it was before, and the handler's own return ends SVCall instead of the exception it began as.
 *
 * The frame has eight words and the stack is aligned to eight bytes at both ends, so neither exception
 * inserts padding.
 *
 * Interrupts below all tasks stay below: BASEPRI masks them while the task runs, and r4, which the task
 * preserves, holds what it was before.
 *
 * With a floating-point unit:
 *
 * 1. The made-up frame is a basic one, so the return to it clears FPCA: the task begins without a context in the unit.
 *    What the handler preempted may have a context whose frame is not written yet (LSPACT).  The return to a basic
 *    frame leaves LSPACT as it is, and the task's first floating-point instruction writes that frame.
 * 2. What the task has in s0 to s15 is lost when it ends, as at any function's end; s16 to s31 it preserves.  So FPCA
 *    is cleared before the call of the supervisor: its frame is a basic one too, and no frame is due to be written that
 *    is then dropped.
 * 3. The handler goes on with FPCA cleared.  Whatever it called might have changed s0 to s15, so it has nothing there.
 */
#ifdef __ARM_FP
#define FORGET_FP_CONTEXT            \
    "   mrs r3, control\n"           \
    "   bic r3, r3, #4\n" /* FPCA */ \
    "   msr control, r3\n"           \
    "   isb\n"
#else
#define FORGET_FP_CONTEXT
#endif
#if CARILLON_BELOW_TASKS
#define HIGHEST_BELOW ((CARILLON_LEVELS - CARILLON_BELOW_TASKS) * (256u / CARILLON_LEVELS))
#define SAVE_MASK "   mrs r4, basepri\n"
#define MASK_BELOW    \
    "   mov r3, %0\n" \
    "   msr basepri_max, r3\n"
#define RESTORE_MASK "   msr basepri, r4\n"
#else
#define HIGHEST_BELOW 0u
#define SAVE_MASK
#define MASK_BELOW
#define RESTORE_MASK
#endif
/* EXC_RETURN for the main stack and a basic frame.  ARMv8-M has two bits in it that ARMv7-M has not: the state of the
 * stack and of the exception (S and ES).  They are 1 in the secure state.  In the non-secure one, and where the chip
 * has no other, they are 0. */
#if CARILLON_NON_SECURE
#define TO_THREAD_MODE "   mvn lr, #0x47\n"
#define TO_HANDLER_MODE "   mvn lr, #0x4F\n"
#else
#define TO_THREAD_MODE "   mvn lr, #6\n"
#define TO_HANDLER_MODE "   mvn lr, #14\n"
#endif
#define MAKE_FRAME                                                      \
    "   sub sp, sp, #32\n"                                              \
    "   ldr r1, =carillon_port_lowered_end\n"                           \
    "   mov r2, #0x01000000\n" /* xPSR: Thumb state */                  \
    "   bic r0, r0, #1\n"                                               \
    "   strd r1, r0, [sp, #20]\n" /* return address, program counter */ \
    "   str r2, [sp, #28]\n" TO_THREAD_MODE
__attribute__((naked)) void carillon_port_run_base(carillon_vector function __attribute__((unused)))
{
    __asm__ volatile("   push {r4, lr}\n" SAVE_MASK MAKE_FRAME "   b carillon_port_lower\n");
}

__attribute__((naked)) void carillon_port_run_lowered(carillon_vector function __attribute__((unused)))
{
    __asm__ volatile("   push {r4, lr}\n" SAVE_MASK MASK_BELOW MAKE_FRAME ".global carillon_port_lower\n"
                     "carillon_port_lower:\n"
                     "   bx lr\n"
                     "   .thumb_func\n"
                     "carillon_port_lowered_end:\n"
                     "   cpsie i\n" /* the task may have left them locked, and a locked call is a fault */
                     FORGET_FP_CONTEXT "   svc #0\n"
                     :
                     : "i"(HIGHEST_BELOW));
}

/* The same, but what the made-up frame returns to is the preempted handler, at its own priority: its number is in the
 * frame's xPSR, and EXC_RETURN says handler mode.
 *
 * With a floating-point unit the function suspends what was preempted, whose context may be in the unit though FPCA is
 * cleared.  A floating-point instruction before the function writes the frame that is due and sets FPCA, so that
 * carillon_port_suspend saves the rest. */
#if CARILLON_OSEK
#ifdef __ARM_FP
#define ENTER_WITH_FP_CONTEXT           \
    "   ldr r2, =carillon_port_given\n" \
    "   str r0, [r2]\n"                 \
    "   ldr r0, =carillon_port_with_fp_context\n"
static carillon_vector carillon_port_given __attribute__((used));
__attribute__((naked, used)) static void carillon_port_with_fp_context(void)
{
    __asm__ volatile("   vmov s0, s0\n"
                     "   ldr r2, =carillon_port_given\n"
                     "   ldr r2, [r2]\n"
                     "   bx r2\n");
}
#else
#define ENTER_WITH_FP_CONTEXT
#endif
__attribute__((naked)) void carillon_port_run_preempted(carillon_vector function __attribute__((unused)),
                                                        uint32_t source __attribute__((unused)))
{
    __asm__ volatile(ENTER_WITH_FP_CONTEXT "   cmp r1, #0\n"
                                           "   beq carillon_port_run_base\n"
                                           "   push {r4, lr}\n" SAVE_MASK "   sub sp, sp, #32\n"
                                           "   orr r2, r1, #0x01000000\n"
                                           "   ldr r1, =carillon_port_lowered_end\n"
                                           "   bic r0, r0, #1\n"
                                           "   strd r1, r0, [sp, #20]\n"
                                           "   str r2, [sp, #28]\n" TO_HANDLER_MODE "   b carillon_port_lower\n");
}

/* The frame that the exception returns to is changed: its program counter is the function, and its xPSR keeps the
 * exception's number, the alignment and the Thumb state.  The bits of an IT block and of an instruction that is to be
 * continued (ICI) belong to what was interrupted, and are cleared.
 *
 * 1. The registers are those of what was interrupted, but for r0.  The function needs none of them, and never returns.
 * 2. The stack pointer is again where it was, and may not be aligned to eight bytes within a leaf.  So it is aligned
 *    before the function is called.
 * 3. With a floating-point unit: if the frame is an extended one, the return loads it or finds it not yet written, and
 *    FPCA is set as it was.  carillon_port_unwind and carillon_port_leave end a context as they do in TerminateTask. */
__attribute__((naked)) static void go_on_diverted(void)
{
    __asm__ volatile("   mov r1, sp\n"
                     "   bic r1, r1, #7\n"
                     "   mov sp, r1\n"
                     "   bx r0\n");
}
void carillon_port_divert(const void *frame, carillon_vector function)
{
    volatile uint32_t *const words = (volatile uint32_t *)(uintptr_t)frame;
    words[0] = (uint32_t)(uintptr_t)function; /* in r0 */
    words[6] = (uint32_t)(uintptr_t)go_on_diverted & ~UINT32_C(1);
    words[7] &= ~UINT32_C(0x0600FC00);
}

__attribute__((naked)) void carillon_port_budget_vector(void)
{
    __asm__ volatile("   mov r0, sp\n"
                     "   b carillon_budget_vector\n");
}

__attribute__((naked)) void carillon_port_round_budget_vector(void)
{
    __asm__ volatile("   mov r0, sp\n"
                     "   b carillon_round_budget_vector\n");
}

__attribute__((naked)) void carillon_port_slice_vector(void)
{
    __asm__ volatile("   mov r0, sp\n"
                     "   b carillon_slice_vector\n");
}

__attribute__((naked)) void carillon_port_turn_vector(void)
{
    __asm__ volatile("   mov r0, sp\n"
                     "   b carillon_slice_over\n");
}
#endif

__attribute__((naked)) void carillon_port_supervisor_call(void)
{
    __asm__ volatile("   add sp, sp, #32\n" RESTORE_MASK "   pop {r4, pc}\n");
}

/* Where carillon_port_unwind goes: the frame of the innermost call, which holds that of the one around it.  Frames
 * nest even across stacks: whoever runs above has ended, or left its stack, before what is below goes on.
 *
 * With a floating-point unit, of what is above (the function called, the context resumed) and what is below (who calls
 * or resumes):
 *
 * 1. Exceptions take care of s0 to s15 and FPSCR, and functions that return of s16 to s31.  What is above may go
 *    without returning, or stay for later, with what it owes in frames that nobody takes down.
 * 2. So what is below is saved before: s16 to s31, FPSCR and FPCA.  Nobody can tell whether these are needed, since
 *    what they belong to may be several exceptions further down.  Saving is a floating-point instruction, so that no
 *    exception frame is still due to be written afterwards.
 * 3. What is above begins with FPCA cleared, or as it was when it was suspended.  The processor sets it again when it
 *    executes a floating-point instruction, and keeps it across exceptions.
 * 4. If FPCA is clear when control comes back, what is above has executed no floating-point instruction.  Then s16 to
 *    s31 are as they were, and a context that suspends itself has nothing in the unit to save.  If it is set, s16 to
 *    s31 are loaded, and of a context saved before.
 * 5. A handler that uses the unit where FPCA is clear changes FPSCR, and s0 to s15, which are nobody's then.  So FPSCR
 *    is loaded whenever what goes on had a context. */
#if CARILLON_OSEK
static void *frame __attribute__((used));

#ifdef __ARM_FP
/* FPCA of what is below in r1, its FPSCR in r2; both end up on the stack. */
#define SAVE_BELOW         \
    "   mrs r1, control\n" \
    "   vmrs r2, fpscr\n"  \
    "   vpush {s16-s31}\n" \
    "   push {r1, r2}\n"
#define BEGIN_ABOVE FORGET_FP_CONTEXT
#define SAVE_ABOVE          \
    "   mrs r1, control\n"  \
    "   lsls r2, r1, #29\n" \
    "   bpl 1f\n"           \
    "   vmrs r2, fpscr\n"   \
    "   vpush {s16-s31}\n"  \
    "1: push {r1, r2}\n"
#define LOAD_ABOVE          \
    "   pop {r1, r2}\n"     \
    "   lsls r3, r1, #29\n" \
    "   bpl 1f\n"           \
    "   vpop {s16-s31}\n"   \
    "   vmsr fpscr, r2\n"   \
    "   b 2f\n"             \
    "1:\n" FORGET_FP_CONTEXT "2:\n"
#define EXCHANGE_ABOVE          \
    "   lsls r2, r1, #29\n"     \
    "   bpl 7f\n"               \
    "   add r2, r3, #8\n"       \
    "   vldmia r2, {s16-s31}\n" \
    "7:\n"
#define LOAD_BELOW          \
    "   mrs r3, control\n"  \
    "   pop {r1, r2}\n"     \
    "   lsls r3, r3, #29\n" \
    "   bpl 5f\n"           \
    "   vpop {s16-s31}\n"   \
    "   b 6f\n"             \
    "5: add sp, sp, #64\n"  \
    "6:\n"                  \
    "   lsls r3, r1, #29\n" \
    "   bpl 3f\n"           \
    "   vmsr fpscr, r2\n"   \
    "   b 4f\n"             \
    "3:\n" FORGET_FP_CONTEXT "4:\n"
#else
#define EXCHANGE_ABOVE
#define SAVE_BELOW
#define BEGIN_ABOVE
#define SAVE_ABOVE
#define LOAD_ABOVE
#define LOAD_BELOW
#endif

__attribute__((naked)) void carillon_port_call(carillon_vector function __attribute__((unused)))
{
    __asm__ volatile("   push {r4, r5, r6, r7, r8, r9, r10, r11, r12, lr}\n" SAVE_BELOW BEGIN_ABOVE
                     "   ldr r4, =frame\n"
                     "   ldr r5, [r4]\n"
                     "   push {r4, r5}\n"
                     "   str sp, [r4]\n"
                     ".global carillon_port_begin\n"
                     "carillon_port_begin:\n"
                     "   blx r0\n"
                     ".global carillon_port_landed\n"
                     "carillon_port_landed:\n"
                     "   pop {r4, r5}\n"
                     "   str r5, [r4]\n" LOAD_BELOW "   pop {r4, r5, r6, r7, r8, r9, r10, r11, r12, pc}\n");
}

__attribute__((naked)) void carillon_port_unwind(void)
{
    __asm__ volatile("   ldr r4, =frame\n"
                     "   ldr sp, [r4]\n"
                     "   b carillon_port_landed\n");
}

__attribute__((naked)) void carillon_port_begin_context(void)
{
    __asm__ volatile("   blx r4\n"
                     "   b carillon_osek_end\n");
}

/* Of a floating-point unit: what is below finds its registers as the first context found them, which has changed them
 * if its FPCA is set (4. above asks for FPCA of the context that comes back). */
__attribute__((naked)) void carillon_port_exchange(struct carillon_context *context __attribute__((unused)),
                                                   struct carillon_context *other __attribute__((unused)))
{
    __asm__ volatile("   push {r3, r4, r5, r6, r7, r8, r9, r10, r11, lr}\n"
                     "   mov r12, r1\n" SAVE_ABOVE "   str sp, [r0]\n"
                     ".global carillon_port_exchange_from\n"
                     "carillon_port_exchange_from:\n"
                     "   ldr r3, [r0, #4]\n" EXCHANGE_ABOVE ".global carillon_port_exchange_to\n"
                     "carillon_port_exchange_to:\n"
                     "   str r3, [r12, #4]\n"
                     "   ldr sp, [r12]\n" LOAD_ABOVE "   pop {r3, r4, r5, r6, r7, r8, r9, r10, r11, pc}\n");
}

/* r3 keeps the stack aligned to eight bytes. */
__attribute__((naked)) void carillon_port_resume(struct carillon_context *context __attribute__((unused)))
{
    __asm__ volatile("   push {r3, r4, r5, r6, r7, r8, r9, r10, r11, lr}\n" SAVE_BELOW ".global carillon_port_resumed\n"
                     "carillon_port_resumed:\n"
                     "   str sp, [r0, #4]\n"
                     "   ldr sp, [r0]\n" LOAD_ABOVE "   pop {r3, r4, r5, r6, r7, r8, r9, r10, r11, pc}\n");
}

__attribute__((naked)) void carillon_port_suspend(struct carillon_context *context __attribute__((unused)))
{
    __asm__ volatile("   push {r3, r4, r5, r6, r7, r8, r9, r10, r11, lr}\n" SAVE_ABOVE "   str sp, [r0]\n"
                     ".global carillon_port_suspended\n"
                     "carillon_port_suspended:\n"
                     "   ldr sp, [r0, #4]\n" LOAD_BELOW "   pop {r3, r4, r5, r6, r7, r8, r9, r10, r11, pc}\n");
}

__attribute__((naked)) void carillon_port_leave(struct carillon_context *context __attribute__((unused)))
{
    __asm__ volatile(".global carillon_port_left\n"
                     "carillon_port_left:\n"
                     "   ldr sp, [r0, #4]\n" LOAD_BELOW "   pop {r3, r4, r5, r6, r7, r8, r9, r10, r11, pc}\n");
}
#endif
