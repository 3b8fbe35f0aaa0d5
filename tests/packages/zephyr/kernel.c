/* SPDX-License-Identifier: Apache-2.0
 *
 * What of Zephyr the module has to do with: the table of vectors, the start, a thread on a stack of its own, and the handlers of
 * the supervisor's call and of the switch of threads. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

extern uint32_t _estack[], _sidata[], _sdata[], _edata[], _sbss[], _ebss[];
extern int (*const _init_functions[])(void);
extern int (*const _init_functions_end[])(void);
int main(void);
void z_arm_reset(void);
void z_arm_svc(void);
void z_arm_pendsv(void);
void z_arm_fault(void);

volatile uint32_t switches; /* of threads */
extern volatile uint32_t calls;
static uint64_t stack[256];

__attribute__((section(".exceptions"), used)) static void (*const exceptions[16])(void) = {
    [0] = (void (*)(void))_estack,
    [1] = z_arm_reset,
    [2] = z_arm_fault,
    [3] = z_arm_fault,
    [4] = z_arm_fault,
    [5] = z_arm_fault,
    [6] = z_arm_fault,
    [11] = z_arm_svc,
    [12] = z_arm_fault,
    [14] = z_arm_pendsv,
    [15] = z_arm_fault,
};

static void threads(void)
{
    *(volatile uint32_t *)0xE000ED20 |= 0xFFu << 16; /* the switch of threads is below all */
    for (int (*const *function)(void) = _init_functions; function < _init_functions_end; function++) {
        (void)(*function)();
    }
    __asm__ volatile("svc #3"); /* as a thread calls the kernel */
    (void)main();
}

void z_arm_reset(void)
{
    const uint32_t *from = _sidata;
    for (uint32_t *to = _sdata; to < _edata; to++) {
        *to = *from++;
    }
    for (uint32_t *to = _sbss; to < _ebss; to++) {
        *to = 0u;
    }
    /* Threads are on the process stack. */
    __asm__ volatile("   msr psp, %0\n   movs r0, #2\n   msr control, r0\n   isb\n   bx %1\n"
                     :
                     : "r"(&stack[256]), "r"(threads)
                     : "r0");
    __builtin_unreachable();
}

void z_arm_pendsv(void)
{
    switches++;
}

void z_arm_fault(void)
{
    for (;;) {
    }
}

/* A task wakes the processor each millisecond. */
void k_sleep(int timeout)
{
    for (int i = 0; i < timeout; i++) {
        __asm__ volatile("wfi");
    }
}

/* A call of semihosting, to QEMU. */
static void semihost(uint32_t what, const void *with)
{
    __asm__ volatile("   mov r0, %0\n   mov r1, %1\n   bkpt 0xAB\n" : : "r"(what), "r"(with) : "r0", "r1", "memory");
}

/* Ends the run after some lines. */
void printk(const char *format, ...)
{
    static int lines;
    char line[80];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    semihost(0x04u, line);
    lines++;
    if (lines == 5) {
        (void)snprintf(line, sizeof line, "switches %u, calls %u\n", (unsigned)switches, (unsigned)calls);
        semihost(0x04u, line);
        semihost(0x18u, (const void *)0x20026u);
    }
}
