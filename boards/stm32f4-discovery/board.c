/* SPDX-License-Identifier: Apache-2.0
 *
 * STM32F4: the clock (RM0090, chapters 6 and 7; RM0383, chapter 6).  The board's file says by what the crystal's
 * frequency is multiplied and divided, and how the buses divide the processor's. */
#include "carillon_port.h"

#define RCC UINT32_C(0x40023800)
#define RCC_CR (RCC + 0x00u)
#define RCC_CR_HSERDY (UINT32_C(1) << 17)
#define RCC_CR_PLLON (UINT32_C(1) << 24)
#define RCC_CR_PLLRDY (UINT32_C(1) << 25)
#define RCC_PLLCFGR (RCC + 0x04u)
#define RCC_PLLCFGR_HSE (UINT32_C(1) << 22)
#define RCC_CFGR (RCC + 0x08u)
#define RCC_CFGR_SW_PLL 2u
#define RCC_CFGR_SWS 0xCu
#define RCC_CFGR_SWS_PLL 8u
#define FLASH_ACR UINT32_C(0x40023C00)
#define FLASH_ACR_CACHED_4_WAITS 0x704u

void carillon_board_init(void);

static void await(uint32_t address, uint32_t mask, uint32_t value)
{
    while ((CARILLON_REGISTER(address) & mask) != value) {
    }
}

/* CARILLON_HSE: what switches the crystal on, or a clock that comes from outside. */
void carillon_board_init(void)
{
    CARILLON_REGISTER(RCC_CR) |= CARILLON_HSE;
    await(RCC_CR, RCC_CR_HSERDY, RCC_CR_HSERDY);
    CARILLON_REGISTER(RCC_PLLCFGR) = RCC_PLLCFGR_HSE | CARILLON_PLL;
    CARILLON_REGISTER(RCC_CR) |= RCC_CR_PLLON;
    await(RCC_CR, RCC_CR_PLLRDY, RCC_CR_PLLRDY);
    CARILLON_REGISTER(FLASH_ACR) = FLASH_ACR_CACHED_4_WAITS;
    CARILLON_REGISTER(RCC_CFGR) = CARILLON_BUSES | RCC_CFGR_SW_PLL;
    await(RCC_CFGR, RCC_CFGR_SWS, RCC_CFGR_SWS_PLL);
}
