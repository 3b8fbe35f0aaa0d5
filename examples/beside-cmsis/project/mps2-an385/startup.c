/* SPDX-License-Identifier: Apache-2.0
 *
 * Start-up code in the shape of a vendor's, for the MPS2 AN385: a table of weak handlers, which whoever has a function
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
WEAK(NMI_Handler);
WEAK(HardFault_Handler);
WEAK(MemManage_Handler);
WEAK(BusFault_Handler);
WEAK(UsageFault_Handler);
WEAK(SVC_Handler);
WEAK(DebugMon_Handler);
WEAK(PendSV_Handler);
WEAK(SysTick_Handler);
WEAK(UARTRX0_Handler);
WEAK(UARTTX0_Handler);
WEAK(UARTRX1_Handler);
WEAK(UARTTX1_Handler);
WEAK(UARTRX2_Handler);
WEAK(UARTTX2_Handler);
WEAK(PORT0_COMB_Handler);
WEAK(PORT1_COMB_Handler);
WEAK(TIMER0_Handler);
WEAK(TIMER1_Handler);
WEAK(DUALTIMER_HANDLER);
WEAK(SPI_ALL_Handler);
WEAK(UARTOVF_Handler);
WEAK(ETHERNET_Handler);
WEAK(I2S_Handler);
WEAK(DMA_Handler);
WEAK(PORT0_0_Handler);
WEAK(PORT0_1_Handler);
WEAK(PORT0_2_Handler);
WEAK(PORT0_3_Handler);
WEAK(PORT0_4_Handler);
WEAK(PORT0_5_Handler);
WEAK(PORT0_6_Handler);
WEAK(PORT0_7_Handler);
WEAK(PORT0_8_Handler);
WEAK(PORT0_9_Handler);
WEAK(PORT0_10_Handler);
WEAK(PORT0_11_Handler);
WEAK(PORT0_12_Handler);
WEAK(PORT0_13_Handler);
WEAK(PORT0_14_Handler);
WEAK(PORT0_15_Handler);

typedef void (*vector)(void);

/* clang-format off */
__attribute__((section(".isr_vector"), used)) const vector g_pfnVectors[] = {
    (vector)(uintptr_t)_estack, Reset_Handler,
    NMI_Handler, HardFault_Handler, MemManage_Handler,
    BusFault_Handler, UsageFault_Handler, 0,
    0, 0, 0,
    SVC_Handler, DebugMon_Handler, 0,
    PendSV_Handler, SysTick_Handler, UARTRX0_Handler,
    UARTTX0_Handler, UARTRX1_Handler, UARTTX1_Handler,
    UARTRX2_Handler, UARTTX2_Handler, PORT0_COMB_Handler,
    PORT1_COMB_Handler, TIMER0_Handler, TIMER1_Handler,
    DUALTIMER_HANDLER, SPI_ALL_Handler, UARTOVF_Handler,
    ETHERNET_Handler, I2S_Handler, DMA_Handler,
    PORT0_0_Handler, PORT0_1_Handler, PORT0_2_Handler,
    PORT0_3_Handler, PORT0_4_Handler, PORT0_5_Handler,
    PORT0_6_Handler, PORT0_7_Handler, PORT0_8_Handler,
    PORT0_9_Handler, PORT0_10_Handler, PORT0_11_Handler,
    PORT0_12_Handler, PORT0_13_Handler, PORT0_14_Handler,
    PORT0_15_Handler,
};
/* clang-format on */
