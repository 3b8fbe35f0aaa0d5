/* SPDX-License-Identifier: Apache-2.0
 *
 * Start-up code in the shape of the Pico's SDK, for the RP2040: a table of weak handlers, which whoever has a function
 * of the same name replaces; memory as C expects it; SystemInit; main. */
#include <stdint.h>

extern uint32_t _estack[], _sidata[], _sdata[], _edata[], _sbss[], _ebss[];
void SystemInit(void);
int main(void);
void Reset_Handler(void);
void Default_Handler(void);

void Reset_Handler(void)
{
    const uint32_t *from = _sidata;
    for (uint32_t *to = _sdata; to < _edata; to++) {
        *to = *from++;
    }
    for (uint32_t *to = _sbss; to < _ebss; to++) {
        *to = 0u;
    }
    SystemInit();
    (void)main();
    for (;;) {
    }
}

void Default_Handler(void)
{
    for (;;) {
    }
}

#define WEAK(handler) void handler(void) __attribute__((weak, alias("Default_Handler")))
WEAK(isr_nmi);
WEAK(isr_hardfault);
WEAK(isr_svcall);
WEAK(isr_pendsv);
WEAK(isr_systick);
WEAK(isr_irq0);
WEAK(isr_irq1);
WEAK(isr_irq2);
WEAK(isr_irq3);
WEAK(isr_irq4);
WEAK(isr_irq5);
WEAK(isr_irq6);
WEAK(isr_irq7);
WEAK(isr_irq8);
WEAK(isr_irq9);
WEAK(isr_irq10);
WEAK(isr_irq11);
WEAK(isr_irq12);
WEAK(isr_irq13);
WEAK(isr_irq14);
WEAK(isr_irq15);
WEAK(isr_irq16);
WEAK(isr_irq17);
WEAK(isr_irq18);
WEAK(isr_irq19);
WEAK(isr_irq20);
WEAK(isr_irq21);
WEAK(isr_irq22);
WEAK(isr_irq23);
WEAK(isr_irq24);
WEAK(isr_irq25);
WEAK(isr_irq26);
WEAK(isr_irq27);
WEAK(isr_irq28);
WEAK(isr_irq29);
WEAK(isr_irq30);
WEAK(isr_irq31);

typedef void (*vector)(void);

/* clang-format off */
__attribute__((section(".isr_vector"), used)) const vector g_pfnVectors[] = {
    (vector)(uintptr_t)_estack, Reset_Handler,
    isr_nmi, isr_hardfault, 0, 0, 0, 0,
    0, 0, 0, isr_svcall, 0, 0,
    isr_pendsv, isr_systick, isr_irq0, isr_irq1, isr_irq2, isr_irq3,
    isr_irq4, isr_irq5, isr_irq6, isr_irq7, isr_irq8, isr_irq9,
    isr_irq10, isr_irq11, isr_irq12, isr_irq13, isr_irq14, isr_irq15,
    isr_irq16, isr_irq17, isr_irq18, isr_irq19, isr_irq20, isr_irq21,
    isr_irq22, isr_irq23, isr_irq24, isr_irq25, isr_irq26, isr_irq27,
    isr_irq28, isr_irq29, isr_irq30, isr_irq31,
};
/* clang-format on */
