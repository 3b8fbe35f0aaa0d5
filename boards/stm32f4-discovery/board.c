/* SPDX-License-Identifier: Apache-2.0
 *
 * STM32F407: the clocks of processor and timers (RM0090, chapter 7; chapter 6 of the F42x is the same here). */
#include "carillon_port.h"

#define RCC UINT32_C(0x40023800)
#define RCC_CR (RCC + 0x00u)
#define RCC_CR_HSEON (UINT32_C(1) << 16)
#define RCC_CR_HSERDY (UINT32_C(1) << 17)
#define RCC_CR_PLLON (UINT32_C(1) << 24)
#define RCC_CR_PLLRDY (UINT32_C(1) << 25)
#define RCC_PLLCFGR (RCC + 0x04u)
/* HSE / 4 * 125 / 2; 250 MHz / 6 for what wants 48 MHz, which nothing here does. */
#define RCC_PLLCFGR_125_MHZ (4u | (125u << 6) | (UINT32_C(1) << 22) | (UINT32_C(6) << 24))
#define RCC_CFGR (RCC + 0x08u)
#define RCC_CFGR_QUARTERS ((5u << 10) | (5u << 13)) /* each bus has a quarter of the processor's clock */
#define RCC_CFGR_SW_PLL 2u
#define RCC_CFGR_SWS 0xCu
#define RCC_CFGR_SWS_PLL 8u
#define RCC_APB1ENR (RCC + 0x40u)
#define RCC_APB1ENR_TIM2_TO_5 0xFu
#define RCC_APB1ENR_USART2 (UINT32_C(1) << 17)
#define RCC_AHB1ENR (RCC + 0x30u)
#define RCC_AHB1ENR_GPIOA 1u
#define RCC_APB2ENR (RCC + 0x44u)
#define RCC_APB2ENR_TIM1_TIM8 3u
#define FLASH_ACR UINT32_C(0x40023C00)
#define FLASH_ACR_CACHED_4_WAITS 0x704u

#define GPIOA UINT32_C(0x40020000)
#define GPIOA_MODER (GPIOA + 0x00u)
#define GPIOA_AFRL (GPIOA + 0x20u)
#define USART2_BRR UINT32_C(0x40004408)
#define USART2_CR1 UINT32_C(0x4000440C)
#define USART_CR1_ENABLED 0x200Cu /* UE, TE and RE */

void carillon_board_init(void);

static void await(uint32_t address, uint32_t mask, uint32_t value)
{
    while ((CARILLON_REGISTER(address) & mask) != value) {
    }
}

void carillon_board_init(void)
{
    CARILLON_REGISTER(RCC_CR) |= RCC_CR_HSEON;
    await(RCC_CR, RCC_CR_HSERDY, RCC_CR_HSERDY);
    CARILLON_REGISTER(RCC_PLLCFGR) = RCC_PLLCFGR_125_MHZ;
    CARILLON_REGISTER(RCC_CR) |= RCC_CR_PLLON;
    await(RCC_CR, RCC_CR_PLLRDY, RCC_CR_PLLRDY);
    CARILLON_REGISTER(FLASH_ACR) = FLASH_ACR_CACHED_4_WAITS;
    CARILLON_REGISTER(RCC_CFGR) = RCC_CFGR_QUARTERS | RCC_CFGR_SW_PLL;
    await(RCC_CFGR, RCC_CFGR_SWS, RCC_CFGR_SWS_PLL);
    CARILLON_REGISTER(RCC_APB1ENR) |= RCC_APB1ENR_TIM2_TO_5 | RCC_APB1ENR_USART2;
    CARILLON_REGISTER(RCC_APB2ENR) |= RCC_APB2ENR_TIM1_TIM8;
    CARILLON_REGISTER(RCC_AHB1ENR) |= RCC_AHB1ENR_GPIOA;
    CARILLON_REGISTER(GPIOA_MODER) = (CARILLON_REGISTER(GPIOA_MODER) & ~UINT32_C(0xF0)) | 0xA0u;   /* PA2, PA3: their */
    CARILLON_REGISTER(GPIOA_AFRL) = (CARILLON_REGISTER(GPIOA_AFRL) & ~UINT32_C(0xFF00)) | 0x7700u; /* function 7 */
    CARILLON_REGISTER(USART2_BRR) = 31250000u / 115200u;
    CARILLON_REGISTER(USART2_CR1) = USART_CR1_ENABLED;
}
