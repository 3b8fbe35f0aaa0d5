/* SPDX-License-Identifier: Apache-2.0
 *
 * Port to AVR: what the header does not inline.
 *
 * Cycles in comments are those of a processor with program counters of 16 and (in parentheses) 22 bits. */
#include "carillon_port.h"

#if CARILLON_OSEK
#include "kernel/run/kernel.h"
#endif

/* Whether a counter of 8 bits may be waited for. */
#ifdef CARILLON_EIGHT_BITS
#define HAS_EIGHT_BITS CARILLON_EIGHT_BITS
#else
#define HAS_EIGHT_BITS 0
#endif

void carillon_port_write(carillon_address address, carillon_value value)
{
    const carillon_address place = address & CARILLON_ADDRESS;
    if (HAS_EIGHT_BITS && ((address & CARILLON_AWAIT_BYTE) == CARILLON_AWAIT_BYTE)) {
        while (CARILLON_REGISTER(place) < value) { /* bounded by a round of the timer */
        }
    } else if ((address & CARILLON_WORD) != 0u) {
        CARILLON_REGISTER_16(place) = value;
    } else if ((address & CARILLON_SET) != 0u) {
        carillon_port_set(place, value);
    } else if ((address & CARILLON_CLEAR) != 0u) {
        carillon_port_clear(place, value);
    } else if ((address & CARILLON_AWAIT) != 0u) {
        while (CARILLON_REGISTER_16(place) < value) { /* bounded by a round of the timer */
        }
    } else {
        CARILLON_REGISTER(place) = (uint8_t)value;
    }
}

carillon_value carillon_port_read(carillon_address address)
{
    const carillon_address place = address & CARILLON_ADDRESS;
    return ((address & CARILLON_WORD) != 0u) ? CARILLON_REGISTER_16(place) : CARILLON_REGISTER(place);
}

/* A turn is START_TURN cycles and what is left of the spacing; a delay of 4n + 1 takes n turns. */
#define START_SPACING (CARILLON_START_SPACING * CARILLON_INSTRUCTIONS_PER_TICK)
#define START_TURN 13u
#if START_SPACING < 13
#error "start_spacing of the board's file is too short: a store of the start takes 13 cycles"
#endif
#define START_DELAY (START_SPACING - START_TURN)

/* The prescaler that the timers share begins with the first of them, so that their ticks are exact multiples of it
 * from then on. */
__attribute__((naked)) void carillon_port_start(const struct carillon_store *list __attribute__((unused)),
                                                uint32_t count __attribute__((unused)))
{
    __asm__ volatile("   movw r30, r24\n"
                     "   tst r20\n"
                     "   breq 3f\n"
                     "   ldi r18, 1\n"
                     "   sts %[reset], r18\n"
                     "1: ld r26, Z+\n"
                     "   ld r27, Z+\n"
                     "   ld r18, Z+\n"
                     "   ld r19, Z+\n"
                     ".global carillon_port_start_store\n"
                     "carillon_port_start_store:\n"
                     "   st X, r18\n"
                     "   .if %[delay] > 5\n"
                     "   ldi r24, lo8((%[delay] - 1) / 4)\n"
                     "   ldi r25, hi8((%[delay] - 1) / 4)\n"
                     "2: sbiw r24, 1\n"
                     "   brne 2b\n"
                     "   .rept (%[delay] - 1) %% 4\n"
                     "   nop\n"
                     "   .endr\n"
                     "   .else\n"
                     "   .rept %[delay]\n"
                     "   nop\n"
                     "   .endr\n"
                     "   .endif\n"
                     "   dec r20\n"
                     "   brne 1b\n"
                     "3: ret\n"
                     :
                     : [reset] "n"(CARILLON_PRESCALER_RESET), [delay] "n"(START_DELAY));
}

void carillon_port_run_lowered(carillon_vector function)
{
    __asm__ volatile("sei" ::: "memory");
    function();
    __asm__ volatile("cli" ::: "memory");
}

#if CARILLON_OSEK

volatile uint8_t carillon_port_held;
volatile uint8_t carillon_port_source;

void carillon_port_frame(void);
void carillon_port_frame_1(void);

__attribute__((naked, used)) void carillon_port_frame(void)
{
    __asm__ volatile(CARILLON_SAVE CARILLON_HANDLE CARILLON_DISPATCH CARILLON_LEAVE);
}

__attribute__((naked, used)) void carillon_port_frame_1(void)
{
    __asm__ volatile(CARILLON_SAVE CARILLON_HANDLE CARILLON_LEAVE);
}

#if defined(__AVR_3_BYTE_PC__)
#define PUSH_BANK "   push r1\n"
#else
#define PUSH_BANK
#endif
__attribute__((naked)) void carillon_port_run_preempted(carillon_vector function __attribute__((unused)),
                                                        uint32_t source __attribute__((unused)))
{
    __asm__ volatile("   ldi r30, lo8(gs(1f))\n"
                     "   ldi r31, hi8(gs(1f))\n"
                     "   push r30\n"
                     "   push r31\n" PUSH_BANK "   push r24\n"
                     "   push r25\n" PUSH_BANK "   reti\n"
                     "1: cli\n"
                     "   ret\n");
}

/* What a function must not change, r2 to r17, r28 and r29, on the stack and back. */
#define PUSH_SAVED                                                                                     \
    "   push r2\n   push r3\n   push r4\n   push r5\n   push r6\n   push r7\n   push r8\n   push r9\n" \
    "   push r10\n   push r11\n   push r12\n   push r13\n   push r14\n   push r15\n   push r16\n"      \
    "   push r17\n   push r28\n   push r29\n"
#define POP_SAVED                                                                                      \
    "   pop r29\n   pop r28\n   pop r17\n   pop r16\n   pop r15\n   pop r14\n   pop r13\n   pop r12\n" \
    "   pop r11\n   pop r10\n   pop r9\n   pop r8\n   pop r7\n   pop r6\n   pop r5\n   pop r4\n"       \
    "   pop r3\n   pop r2\n"
#define SAVED 18u
/* The stack pointer from r18 and r19, as a whole for interrupts; r0 is lost. */
#define SET_SP           \
    "   in r0, 0x3f\n"   \
    "   cli\n"           \
    "   out 0x3e, r19\n" \
    "   out 0x3f, r0\n"  \
    "   out 0x3d, r18\n"
#define GET_SP          \
    "   in r18, 0x3d\n" \
    "   in r19, 0x3e\n"

/* Where carillon_port_unwind goes: the frame of the innermost call, which holds that of the one around it. */
static void *frame __attribute__((used));

__attribute__((naked)) void carillon_port_call(carillon_vector function __attribute__((unused)))
{
    __asm__ volatile(PUSH_SAVED "   movw r30, r24\n"
                                "   lds r18, frame\n"
                                "   lds r19, frame + 1\n"
                                "   push r18\n"
                                "   push r19\n" GET_SP "   sts frame, r18\n"
                                "   sts frame + 1, r19\n"
                                ".global carillon_port_begin\n"
                                "carillon_port_begin:\n"
                                "   icall\n"
                                ".global carillon_port_landed\n"
                                "carillon_port_landed:\n"
                                "   pop r19\n"
                                "   pop r18\n"
                                "   sts frame, r18\n"
                                "   sts frame + 1, r19\n" POP_SAVED "   ret\n");
}

__attribute__((naked)) void carillon_port_unwind(void)
{
    __asm__ volatile("   lds r18, frame\n"
                     "   lds r19, frame + 1\n" SET_SP "   clr r1\n"
                     "   jmp carillon_port_landed\n");
}

#if CARILLON_ROUND_BUDGETS
__attribute__((naked)) void carillon_port_round_budget_vector(void)
{
    __asm__ volatile(CARILLON_SAVE_STATUS "   push r30\n"
                                          "   push r31\n" CARILLON_SAVE "   in r24, 0x3d\n"
                                          "   in r25, 0x3e\n"
                                          "   call carillon_round_budget_vector\n" CARILLON_LEAVE);
}

/* r22 and r23 have the function.  Interrupts are on from there on, and nothing lies on the stack that is not needed. */
__attribute__((naked)) void carillon_port_divert(const void *where __attribute__((unused)),
                                                 carillon_vector function __attribute__((unused)))
{
    __asm__ volatile("   lds r18, frame\n"
                     "   lds r19, frame + 1\n" SET_SP "   push r22\n"
                     "   push r23\n" PUSH_BANK "   reti\n");
}
#endif

__attribute__((naked, used)) void carillon_port_begin_context(void);

/* The function is what r16 and r17 hold. */
__attribute__((naked, used)) void carillon_port_begin_context(void)
{
    __asm__ volatile("   movw r30, r16\n"
                     "   icall\n"
                     "   jmp carillon_osek_end\n");
}

/* From the top of the stack down: the return address, its lowest byte first, then the registers, those that are popped
 * first lowest. */
#if defined(__AVR_3_BYTE_PC__)
#define RETURN_ADDRESS 3u
#else
#define RETURN_ADDRESS 2u
#endif
void carillon_port_context(struct carillon_context *context, uint64_t *stack, uint32_t words, carillon_vector function)
{
    uint8_t *const bytes = (uint8_t *)stack;
    const uint16_t top = (uint16_t)(words * sizeof(stack[0]));
    const uint16_t registers = (uint16_t)(top - RETURN_ADDRESS - SAVED);
    const uint16_t begin = (uint16_t)(uintptr_t)carillon_port_begin_context;
    const uint16_t runs = (uint16_t)(uintptr_t)function;
    bytes[top - 1u] = (uint8_t)begin;
    bytes[top - 2u] = (uint8_t)(begin >> 8);
    if (RETURN_ADDRESS > 2u) {
        bytes[top - 3u] = 0u; /* functions that are pointed to, or their stubs, are in the first 128 KiB */
    }
    bytes[registers + 2u] = (uint8_t)(runs >> 8); /* r17 */
    bytes[registers + 3u] = (uint8_t)runs;
    context->sp = &bytes[registers - 1u];
}

/* r24 and r25 have the context; `sp` comes first in it, then `below`.  Who goes on has its registers from there on. */
__attribute__((naked)) void carillon_port_resume(struct carillon_context *context __attribute__((unused)))
{
    __asm__ volatile(PUSH_SAVED ".global carillon_port_resumed\n"
                                "carillon_port_resumed:\n"
                                "   movw r30, r24\n" GET_SP "   std Z+2, r18\n"
                                "   std Z+3, r19\n"
                                "   ld r18, Z\n"
                                "   ldd r19, Z+1\n"
                                "carillon_port_goes_on:\n" SET_SP POP_SAVED "   ret\n");
}

__attribute__((naked)) void carillon_port_suspend(struct carillon_context *context __attribute__((unused)))
{
    __asm__ volatile(PUSH_SAVED "   movw r30, r24\n" GET_SP "   st Z, r18\n"
                                "   std Z+1, r19\n"
                                ".global carillon_port_suspended\n"
                                "carillon_port_suspended:\n"
                                "   ldd r18, Z+2\n"
                                "   ldd r19, Z+3\n"
                                "   jmp carillon_port_goes_on\n");
}

__attribute__((naked)) void carillon_port_leave(struct carillon_context *context __attribute__((unused)))
{
    __asm__ volatile("   movw r30, r24\n"
                     ".global carillon_port_left\n"
                     "carillon_port_left:\n"
                     "   ldd r18, Z+2\n"
                     "   ldd r19, Z+3\n"
                     "   clr r1\n"
                     "   jmp carillon_port_goes_on\n");
}
#endif

/* Call and return are 4 (5) cycles each, what surrounds the loop 21 with the first turn, and a turn 6.  The rest, 0 to
 * 5, is left in r22 as 250 to 255: each branch below takes one cycle more if there is so much of it. */
#if defined(__AVR_3_BYTE_PC__)
#define AROUND 30
#else
#define AROUND 28
#endif
__attribute__((naked)) void carillon_port_delay(uint32_t cycles __attribute__((unused)))
{
    __asm__ volatile("   subi r22, lo8(%0)\n"
                     "   sbci r23, hi8(%0)\n"
                     "   sbci r24, 0\n"
                     "   sbci r25, 0\n"
                     "   brcs 2f\n"
                     "1: subi r22, 6\n"
                     "   sbci r23, 0\n"
                     "   sbci r24, 0\n"
                     "   sbci r25, 0\n"
                     "   brcc 1b\n"
                     "   .irp rest, 251, 252, 253, 254, 255\n"
                     "   cpi r22, \\rest\n"
                     "   brsh .+0\n"
                     "   .endr\n"
                     "2: ret\n" ::"i"(AROUND));
}

void carillon_port_halt(void)
{
    __asm__ volatile("cli");
    for (;;) {
    }
}

void carillon_port_unexpected(void)
{
    carillon_port_halt();
}
