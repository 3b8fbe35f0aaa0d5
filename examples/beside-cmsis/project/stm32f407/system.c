/* SPDX-License-Identifier: Apache-2.0
 *
 * SystemInit: the clocks of [clock] in the schedule.  A project with a code generator has them in its
 * SystemClock_Config: HSE of 8 MHz, PLLM 8, PLLN 336, PLLP 2, PLLQ 7, APB1 / 4, APB2 / 2. */
#include "hal.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define RCC_CR REGISTER(0x40023800u)
#define RCC_PLLCFGR REGISTER(0x40023804u)
#define RCC_CFGR REGISTER(0x40023808u)
#define RCC_APB1ENR REGISTER(0x40023840u)
#define RCC_APB2ENR REGISTER(0x40023844u)
#define RCC_PLLSOURCE_HSE (1u << 22)
#define PLLM 8u
#define PLLN 336u
#define PLLP 2u
#define PLLQ 7u
#define RCC_SYSCLKSOURCE_PLLCLK 2u
#define RCC_HCLK_DIV2 0x1000u /* of APB1; that of APB2 is 3 bits above */
#define RCC_HCLK_DIV4 0x1400u
#define FLASH_ACR REGISTER(0x40023C00u)
#define CPACR REGISTER(0xE000ED88u)

uint32_t SystemCoreClock = 168000000u;

void SystemInit(void)
{
    CPACR |= 0xFu << 20; /* the floating-point unit */
    __asm__ volatile("dsb\n isb" ::: "memory");
    RCC_CR |= 1u << 16; /* HSEON */
    while ((RCC_CR & (1u << 17)) == 0u) {
    }
    RCC_PLLCFGR = RCC_PLLSOURCE_HSE | (PLLQ << 24) | ((PLLP / 2u - 1u) << 16) | (PLLN << 6) | PLLM;
    RCC_CR |= 1u << 24; /* PLLON */
    while ((RCC_CR & (1u << 25)) == 0u) {
    }
    FLASH_ACR = 0x705u; /* FLASH_LATENCY_5, and the caches */
    RCC_CFGR = RCC_HCLK_DIV2 << 3 | RCC_HCLK_DIV4 | RCC_SYSCLKSOURCE_PLLCLK;
    while ((RCC_CFGR & 0xCu) != 8u) {
    }
    RCC_APB1ENR |= 0xFu; /* TIM2 to TIM5 */
    RCC_APB2ENR |= 0x3u; /* TIM1 and TIM8 */
}
