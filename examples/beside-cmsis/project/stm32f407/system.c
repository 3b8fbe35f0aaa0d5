/* SPDX-License-Identifier: Apache-2.0
 *
 * SystemInit: the clocks that carillon_library.txt asks for.  A project with a code generator does the same in its
 * SystemClock_Config. */
#include "hal.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define RCC_CR REGISTER(0x40023800u)
#define RCC_PLLCFGR REGISTER(0x40023804u)
#define RCC_CFGR REGISTER(0x40023808u)
#define RCC_APB1ENR REGISTER(0x40023840u)
#define RCC_APB2ENR REGISTER(0x40023844u)
#define FLASH_ACR REGISTER(0x40023C00u)
#define CPACR REGISTER(0xE000ED88u)

uint32_t SystemCoreClock = 125000000u;

void SystemInit(void)
{
    CPACR |= 0xFu << 20; /* the floating-point unit */
    __asm__ volatile("dsb\n isb" ::: "memory");
    RCC_CR |= 1u << 16; /* HSEON */
    while ((RCC_CR & (1u << 17)) == 0u) {
    }
    RCC_PLLCFGR = 0x06401F44u; /* HSE, 8 MHz / 4 * 125 / 2 */
    RCC_CR |= 1u << 24;        /* PLLON */
    while ((RCC_CR & (1u << 25)) == 0u) {
    }
    FLASH_ACR = 0x704u;
    RCC_CFGR = 0xB402u; /* each bus has a quarter, so that the timers have half: 62.5 MHz */
    while ((RCC_CFGR & 0xCu) != 8u) {
    }
    RCC_APB1ENR |= 0xFu; /* TIM2 to TIM5 */
    RCC_APB2ENR |= 0x3u; /* TIM1 and TIM8 */
}
