/* SPDX-License-Identifier: Apache-2.0
 *
 * The vendor's tick: SysTick counts milliseconds, on the lowest priority. */
#include "hal.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYST_CSR REGISTER(0xE000E010u)
#define SYST_RVR REGISTER(0xE000E014u)
#define SYST_CVR REGISTER(0xE000E018u)
#define AIRCR REGISTER(0xE000ED0Cu)
#define SHPR3 REGISTER(0xE000ED20u)

static volatile uint32_t ticks;

void SysTick_Handler(void);

void HAL_Init(void)
{
    AIRCR = 0x05FA0300u; /* all priority bits are bits of preemption: NVIC_PRIORITYGROUP_4 */
    SHPR3 |= 0xFF000000u;
    SYST_RVR = SystemCoreClock / 1000u - 1u;
    SYST_CVR = 0u;
    SYST_CSR = 7u; /* the processor's clock, interrupt, enable */
}

void HAL_IncTick(void)
{
    ticks++;
}

uint32_t HAL_GetTick(void)
{
    return ticks;
}

void HAL_Delay(uint32_t milliseconds)
{
    const uint32_t begin = HAL_GetTick();
    while (HAL_GetTick() - begin < milliseconds) {
    }
}

void SysTick_Handler(void)
{
    HAL_IncTick();
}
