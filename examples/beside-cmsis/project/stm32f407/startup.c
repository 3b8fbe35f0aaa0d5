/* SPDX-License-Identifier: Apache-2.0
 *
 * Start-up code in the shape of a vendor's, for the STM32F407: a table of weak handlers, which whoever has a function
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
WEAK(WWDG_IRQHandler);
WEAK(PVD_IRQHandler);
WEAK(TAMP_STAMP_IRQHandler);
WEAK(RTC_WKUP_IRQHandler);
WEAK(FLASH_IRQHandler);
WEAK(RCC_IRQHandler);
WEAK(EXTI0_IRQHandler);
WEAK(EXTI1_IRQHandler);
WEAK(EXTI2_IRQHandler);
WEAK(EXTI3_IRQHandler);
WEAK(EXTI4_IRQHandler);
WEAK(DMA1_Stream0_IRQHandler);
WEAK(DMA1_Stream1_IRQHandler);
WEAK(DMA1_Stream2_IRQHandler);
WEAK(DMA1_Stream3_IRQHandler);
WEAK(DMA1_Stream4_IRQHandler);
WEAK(DMA1_Stream5_IRQHandler);
WEAK(DMA1_Stream6_IRQHandler);
WEAK(ADC_IRQHandler);
WEAK(CAN1_TX_IRQHandler);
WEAK(CAN1_RX0_IRQHandler);
WEAK(CAN1_RX1_IRQHandler);
WEAK(CAN1_SCE_IRQHandler);
WEAK(EXTI9_5_IRQHandler);
WEAK(TIM1_BRK_TIM9_IRQHandler);
WEAK(TIM1_UP_TIM10_IRQHandler);
WEAK(TIM1_TRG_COM_TIM11_IRQHandler);
WEAK(TIM1_CC_IRQHandler);
WEAK(TIM2_IRQHandler);
WEAK(TIM3_IRQHandler);
WEAK(TIM4_IRQHandler);
WEAK(I2C1_EV_IRQHandler);
WEAK(I2C1_ER_IRQHandler);
WEAK(I2C2_EV_IRQHandler);
WEAK(I2C2_ER_IRQHandler);
WEAK(SPI1_IRQHandler);
WEAK(SPI2_IRQHandler);
WEAK(USART1_IRQHandler);
WEAK(USART2_IRQHandler);
WEAK(USART3_IRQHandler);
WEAK(EXTI15_10_IRQHandler);
WEAK(RTC_Alarm_IRQHandler);
WEAK(OTG_FS_WKUP_IRQHandler);
WEAK(TIM8_BRK_TIM12_IRQHandler);
WEAK(TIM8_UP_TIM13_IRQHandler);
WEAK(TIM8_TRG_COM_TIM14_IRQHandler);
WEAK(TIM8_CC_IRQHandler);
WEAK(DMA1_Stream7_IRQHandler);
WEAK(FSMC_IRQHandler);
WEAK(SDIO_IRQHandler);
WEAK(TIM5_IRQHandler);
WEAK(SPI3_IRQHandler);
WEAK(UART4_IRQHandler);
WEAK(UART5_IRQHandler);
WEAK(TIM6_DAC_IRQHandler);
WEAK(TIM7_IRQHandler);
WEAK(DMA2_Stream0_IRQHandler);
WEAK(DMA2_Stream1_IRQHandler);
WEAK(DMA2_Stream2_IRQHandler);
WEAK(DMA2_Stream3_IRQHandler);
WEAK(DMA2_Stream4_IRQHandler);
WEAK(ETH_IRQHandler);
WEAK(ETH_WKUP_IRQHandler);
WEAK(CAN2_TX_IRQHandler);
WEAK(CAN2_RX0_IRQHandler);
WEAK(CAN2_RX1_IRQHandler);
WEAK(CAN2_SCE_IRQHandler);
WEAK(OTG_FS_IRQHandler);
WEAK(DMA2_Stream5_IRQHandler);
WEAK(DMA2_Stream6_IRQHandler);
WEAK(DMA2_Stream7_IRQHandler);
WEAK(USART6_IRQHandler);
WEAK(I2C3_EV_IRQHandler);
WEAK(I2C3_ER_IRQHandler);
WEAK(OTG_HS_EP1_OUT_IRQHandler);
WEAK(OTG_HS_EP1_IN_IRQHandler);
WEAK(OTG_HS_WKUP_IRQHandler);
WEAK(OTG_HS_IRQHandler);
WEAK(DCMI_IRQHandler);
WEAK(HASH_RNG_IRQHandler);
WEAK(FPU_IRQHandler);

typedef void (*vector)(void);

/* clang-format off */
__attribute__((section(".isr_vector"), used)) const vector g_pfnVectors[] = {
    (vector)(uintptr_t)_estack, Reset_Handler,
    NMI_Handler, HardFault_Handler, MemManage_Handler,
    BusFault_Handler, UsageFault_Handler, 0,
    0, 0, 0,
    SVC_Handler, DebugMon_Handler, 0,
    PendSV_Handler, SysTick_Handler, WWDG_IRQHandler,
    PVD_IRQHandler, TAMP_STAMP_IRQHandler, RTC_WKUP_IRQHandler,
    FLASH_IRQHandler, RCC_IRQHandler, EXTI0_IRQHandler,
    EXTI1_IRQHandler, EXTI2_IRQHandler, EXTI3_IRQHandler,
    EXTI4_IRQHandler, DMA1_Stream0_IRQHandler, DMA1_Stream1_IRQHandler,
    DMA1_Stream2_IRQHandler, DMA1_Stream3_IRQHandler, DMA1_Stream4_IRQHandler,
    DMA1_Stream5_IRQHandler, DMA1_Stream6_IRQHandler, ADC_IRQHandler,
    CAN1_TX_IRQHandler, CAN1_RX0_IRQHandler, CAN1_RX1_IRQHandler,
    CAN1_SCE_IRQHandler, EXTI9_5_IRQHandler, TIM1_BRK_TIM9_IRQHandler,
    TIM1_UP_TIM10_IRQHandler, TIM1_TRG_COM_TIM11_IRQHandler, TIM1_CC_IRQHandler,
    TIM2_IRQHandler, TIM3_IRQHandler, TIM4_IRQHandler,
    I2C1_EV_IRQHandler, I2C1_ER_IRQHandler, I2C2_EV_IRQHandler,
    I2C2_ER_IRQHandler, SPI1_IRQHandler, SPI2_IRQHandler,
    USART1_IRQHandler, USART2_IRQHandler, USART3_IRQHandler,
    EXTI15_10_IRQHandler, RTC_Alarm_IRQHandler, OTG_FS_WKUP_IRQHandler,
    TIM8_BRK_TIM12_IRQHandler, TIM8_UP_TIM13_IRQHandler, TIM8_TRG_COM_TIM14_IRQHandler,
    TIM8_CC_IRQHandler, DMA1_Stream7_IRQHandler, FSMC_IRQHandler,
    SDIO_IRQHandler, TIM5_IRQHandler, SPI3_IRQHandler,
    UART4_IRQHandler, UART5_IRQHandler, TIM6_DAC_IRQHandler,
    TIM7_IRQHandler, DMA2_Stream0_IRQHandler, DMA2_Stream1_IRQHandler,
    DMA2_Stream2_IRQHandler, DMA2_Stream3_IRQHandler, DMA2_Stream4_IRQHandler,
    ETH_IRQHandler, ETH_WKUP_IRQHandler, CAN2_TX_IRQHandler,
    CAN2_RX0_IRQHandler, CAN2_RX1_IRQHandler, CAN2_SCE_IRQHandler,
    OTG_FS_IRQHandler, DMA2_Stream5_IRQHandler, DMA2_Stream6_IRQHandler,
    DMA2_Stream7_IRQHandler, USART6_IRQHandler, I2C3_EV_IRQHandler,
    I2C3_ER_IRQHandler, OTG_HS_EP1_OUT_IRQHandler, OTG_HS_EP1_IN_IRQHandler,
    OTG_HS_WKUP_IRQHandler, OTG_HS_IRQHandler, DCMI_IRQHandler,
    0, HASH_RNG_IRQHandler, FPU_IRQHandler,
};
/* clang-format on */
