/* SPDX-License-Identifier: Apache-2.0
 *
 * Sweeps an interrupt over the instructions of a program, one later in each run, and says what the runs did.
 *
 * A run begins with a reset and ends with finish().  It leaves a log of words, and is reported if
 * it did something else than the one before.  `arm` sets a timer that no cell of the kernel is, whose interrupt is the
 * routine I0; `disarm` ends the stretch over which it is swept: when it comes before the interrupt, the program's sweep
 * is over, and the next program's begins.  What outlives a reset lies where no image is loaded and nothing is cleared.
 *
 * Reported are lines of words:
 *   P run K log...   program P, whose interrupt came K instructions later than in its first run
 *   P swept N        its sweep is over; in N runs the interrupt came between `arm` and `disarm`
 *   P late N         the same, but the first run's interrupt came behind `arm` already
 *   P deep N         the same, but a run used a stack up
 *   0 over 0         there are no more programs */
#ifndef SWEEP_H
#define SWEEP_H

#include "os.h"

#include "cells/aspeed/cell.h"
#include "kernel/jobs/stop.h"
#include "kernel/run/kernel.h"

#define LOG 126u
#define CELL 7u /* not among those of the board that the tests use */

struct state {
    uint32_t magic;
    uint32_t program;
    uint32_t instruction;
    uint32_t swept;
    uint32_t late;
    uint32_t deep;
    uint32_t length;
    uint32_t log[LOG];
};
#define STATE ((volatile struct state *)(uintptr_t)UINT32_C(0xA0000))
#define MAGIC UINT32_C(0x5EEB5EEB)
#define FIRST UINT32_C(0x9FFF0) /* the number of the first program: the emulator's command says it */

/* The timer needs 20 us at least: 313 of its ticks.  The first run's interrupt comes some instructions before `arm`
 * returns, or that is said. */
#define LEAD 400u
#define MARGIN 16u

static volatile uint32_t log_words[LOG];
static volatile uint32_t log_length;
static volatile uint8_t armed;
static volatile uint8_t interfered;

static void note(uint32_t word)
{
    const uint32_t saved = carillon_port_lock();
    if (log_length < LOG) {
        log_words[log_length] = word;
    }
    log_length++;
    carillon_port_unlock(saved);
}

enum { BEGIN = 1, STATUS = 2, ERROR = 3, OUT = 4 };
#define WORD(kind, one, other) (((uint32_t)(kind) << 24) | ((uint32_t)(one) << 16) | (uint32_t)(other))

/* A body begins; returns which of its runs this is. */
static inline unsigned began(unsigned body)
{
    static uint8_t runs[64];
    note(WORD(BEGIN, 0u, body));
    return runs[body]++;
}

static inline void done(StatusType status)
{
    note(WORD(STATUS, status, 0u));
}

static inline void done_with(StatusType status, uint32_t out)
{
    note(WORD(STATUS, status, (status == E_OK) ? out : 0u));
}

static void say_byte(char byte)
{
    CARILLON_REGISTER(UINT32_C(0x7E784000)) = (uint8_t)byte;
}

static void say(const char *text)
{
    while (*text != '\0') {
        say_byte(*text++);
    }
}

static void say_number(uint32_t value)
{
    char digits[8];
    unsigned count = 0u;
    uint32_t rest = value;
    do {
        digits[count++] = "0123456789abcdef"[rest & 15u];
        rest >>= 4;
    } while (rest != 0u);
    while (count != 0u) {
        say_byte(digits[--count]);
    }
}

/* A reset of the whole machine takes the emulator a millisecond, so only a run that ends within more than one handler
 * has it.  Else the image puts back its data, all that it enabled, and itself to thread mode. */
#define DATA ((volatile uint32_t *)(uintptr_t)UINT32_C(0xA1000))
extern uint32_t carillon_data_start[];
extern uint32_t carillon_data_end[];

static void keep_data(void)
{
    for (uint32_t i = 0u; &carillon_data_start[i] < carillon_data_end; i++) {
        DATA[i] = carillon_data_start[i];
    }
}

#define NVIC_WORDS 2u
#define ICSR_FORGET ((UINT32_C(1) << 27) | (UINT32_C(1) << 25)) /* PendSV and SysTick */

static void restart(void) __attribute__((noreturn));
static void restart(void)
{
    uint32_t active = 0u;
    CARILLON_REGISTER(ASPEED_CONTROL_CLEAR) = UINT32_MAX;
    CARILLON_REGISTER(UINT32_C(0xE000E010)) = 0u; /* SysTick */
    for (uint32_t word = 0u; word < NVIC_WORDS; word++) {
        active += (uint32_t)__builtin_popcount(CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_ACTIVE + (4u * word)));
        CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_DISABLE + (4u * word)) = UINT32_MAX;
        CARILLON_REGISTER(CARILLON_NVIC + CARILLON_NVIC_UNPEND + (4u * word)) = UINT32_MAX;
    }
    CARILLON_REGISTER(CARILLON_ICSR) = ICSR_FORGET;
    active += (uint32_t)__builtin_popcount(CARILLON_REGISTER(UINT32_C(0xE000ED24)) & UINT32_C(0xFFF)); /* SHCSR */
    if ((active > 1u) || ((active == 1u) != (carillon_port_current() != 0u))) {
        CARILLON_REGISTER(UINT32_C(0xE000ED0C)) = UINT32_C(0x05FA0004); /* AIRCR: reset the system */
        for (;;) {
        }
    }
    for (uint32_t i = 0u; &carillon_data_start[i] < carillon_data_end; i++) {
        carillon_data_start[i] = DATA[i];
    }
    __asm__ volatile("   ldr r0, =carillon_stack_top\n"
                     "   mov sp, r0\n"
                     "   ldr r1, =carillon_port_reset\n"
                     "   mov r2, #0\n"
                     "   msr basepri, r2\n"
                     "   cpsie f\n"
                     "   cpsie i\n"
                     "   mrs r0, ipsr\n"
                     "   cbz r0, 1f\n"
                     "   sub sp, sp, #32\n"
                     "   bic r1, r1, #1\n"
                     "   str r1, [sp, #24]\n" /* the made-up frame: program counter, Thumb state */
                     "   mov r2, #0x01000000\n"
                     "   str r2, [sp, #28]\n"
                     "   mvn lr, #6\n" /* to thread mode, main stack */
                     "   bx lr\n"
                     "1: bx r1\n" ::
                         : "memory");
    __builtin_unreachable();
}

static void start_sweep(void)
{
    if (STATE->magic != MAGIC) {
        keep_data();
#ifdef CARILLON_CLOCK_BITS
        /* The emulator cannot have a timer begin before power-up: a one-shot clock's is set a range back. */
        carillon_port_delay(UINT32_C(2) << CARILLON_CLOCK_BITS);
#endif
        STATE->magic = MAGIC;
        STATE->program = CARILLON_REGISTER(FIRST);
        STATE->instruction = 0u;
        STATE->swept = 0u;
        STATE->late = 0u;
        STATE->deep = 0u;
        STATE->length = LOG + 1u;
    }
}

static inline void arm(void)
{
    CARILLON_REGISTER(ASPEED_RELOAD(CELL)) = LEAD + STATE->instruction;
    CARILLON_REGISTER(ASPEED_CONTROL(0u)) |= ASPEED_BIT(CELL); /* the others go on */
    carillon_port_delay(LEAD + MARGIN);
    armed = 1u;
}

static inline void disarm(void)
{
    CARILLON_REGISTER(ASPEED_CONTROL_CLEAR) = ASPEED_BIT(CELL);
    armed = 0u;
}

/* The swept interrupt has come: is it the one that was asked for, and not the timer's next turn? */
static inline bool interferes(void)
{
    CARILLON_REGISTER(ASPEED_CONTROL_CLEAR) = ASPEED_BIT(CELL);
    if (interfered != 0u) {
        return false;
    }
    interfered = 1u;
    STATE->swept += armed;
    STATE->late |= (uint32_t)((armed != 0u) && (STATE->instruction == 0u));
    return true;
}

/* Has a task used the lowest words of its stack?  What lies below may be overwritten then. */
static bool too_deep(void)
{
    bool found = false;
#if CARILLON_OSEK_EVENTS
    for (TaskType task = 0u; task < CARILLON_OSEK_TASKS; task++) {
        const uint64_t *const stack = carillon_osek_tasks[task].stack;
        found = found || ((stack != NULL) && ((stack[0] != FILL) || (stack[1] != FILL)));
    }
#endif
    return found;
}

static void finish(void) __attribute__((noreturn));
static void finish(void)
{
    (void)carillon_port_lock();
    STATE->deep |= (uint32_t)too_deep();
    bool same = (log_length == STATE->length);
    for (uint32_t i = 0u; (i < log_length) && (i < LOG); i++) {
        same = same && (STATE->log[i] == log_words[i]);
        STATE->log[i] = log_words[i];
    }
    STATE->length = log_length;
    if (!same) {
        say_number(STATE->program);
        say(" run ");
        say_number(STATE->instruction);
        for (uint32_t i = 0u; (i < log_length) && (i < LOG); i++) {
            say_byte(' ');
            say_number(log_words[i]);
        }
        say((log_length > LOG) ? " more\n" : "\n");
    }
    STATE->instruction++;
    if (interfered == 0u) {
        say_number(STATE->program);
        say((STATE->deep != 0u) ? " deep " : ((STATE->late != 0u) ? " late " : " swept "));
        say_number(STATE->swept);
        say_byte('\n');
        STATE->program++;
        STATE->instruction = 0u;
        STATE->swept = 0u;
        STATE->late = 0u;
        STATE->deep = 0u;
        STATE->length = LOG + 1u;
        if (STATE->program == PROGRAMS) {
            say("0 over 0\n");
            for (;;) {
            }
        }
    }
    restart();
}

#endif
