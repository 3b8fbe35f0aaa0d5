/* SPDX-License-Identifier: Apache-2.0
 *
 * STM32F4: the clock (RM0090, chapters 5 to 7; RM0383, chapters 5 and 6).  The board's file, or [clock] of a schedule,
 * says by what the crystal's frequency is multiplied and divided, and how the buses divide the processor's. */
#include "carillon_port.h"

#define RCC UINT32_C(0x40023800)
#define RCC_CR (RCC + 0x00u)
#define RCC_CR_HSERDY (UINT32_C(1) << 17)
#define RCC_CR_PLLON (UINT32_C(1) << 24)
#define RCC_CR_PLLRDY (UINT32_C(1) << 25)
#define RCC_PLLCFGR (RCC + 0x04u)
#define RCC_PLLCFGR_HSE (UINT32_C(1) << 22)
#define PLL_OUT (CARILLON_CORE_HZ * CARILLON_PLL_POST)
#define PLL_USB ((PLL_OUT + 47999999u) / 48000000u) /* at most 48 MHz, which nothing here wants */
#define PLL \
    ((PLL_USB << 24) | (((CARILLON_PLL_POST / 2u) - 1u) << 16) | (CARILLON_PLL_MULTIPLY << 6) | CARILLON_PLL_DIVIDE)
#define RCC_CFGR (RCC + 0x08u)
#define RCC_CFGR_SW_PLL 2u
#define RCC_CFGR_SWS 0xCu
#define RCC_CFGR_SWS_PLL 8u
#define RCC_APB1ENR (RCC + 0x40u)
#define RCC_APB1ENR_PWREN (UINT32_C(1) << 28)
#define PWR_CR UINT32_C(0x40007000)
#define PWR_CR_SCALE_1 UINT32_C(0xC000)
#define PWR_CR_ODEN UINT32_C(0x10000)
#define PWR_CR_ODSWEN UINT32_C(0x20000)
#define PWR_CSR UINT32_C(0x40007004)
#define PWR_CSR_ODRDY UINT32_C(0x10000)
#define PWR_CSR_ODSWRDY UINT32_C(0x20000)
#define FLASH_ACR UINT32_C(0x40023C00)
#define FLASH_ACR_CACHED 0x700u
#define WAITS ((CARILLON_CORE_HZ - 1u) / 30000000u) /* at 2.7 V or more */

void carillon_board_init(void);

/* A bus's divisor in RCC_CFGR: 1, 2, 4, 8 and 16 are 0, 4, 5, 6 and 7. */
static uint32_t divided(uint32_t divider)
{
    uint32_t bits = 4u;
    if (divider < 2u) {
        return 0u;
    }
    for (uint32_t left = divider; left > 2u; left /= 2u) {
        bits++;
    }
    return bits;
}

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
    if (CARILLON_CORE_HZ > CARILLON_SCALE_1_ABOVE) {
        CARILLON_REGISTER(RCC_APB1ENR) |= RCC_APB1ENR_PWREN;
        CARILLON_REGISTER(PWR_CR) |= PWR_CR_SCALE_1;
    }
    CARILLON_REGISTER(RCC_PLLCFGR) = RCC_PLLCFGR_HSE | PLL;
    CARILLON_REGISTER(RCC_CR) |= RCC_CR_PLLON;
    await(RCC_CR, RCC_CR_PLLRDY, RCC_CR_PLLRDY);
    if (CARILLON_CORE_HZ > CARILLON_OVERDRIVE_ABOVE) {
        CARILLON_REGISTER(RCC_APB1ENR) |= RCC_APB1ENR_PWREN;
        CARILLON_REGISTER(PWR_CR) |= PWR_CR_ODEN;
        await(PWR_CSR, PWR_CSR_ODRDY, PWR_CSR_ODRDY);
        CARILLON_REGISTER(PWR_CR) |= PWR_CR_ODSWEN;
        await(PWR_CSR, PWR_CSR_ODSWRDY, PWR_CSR_ODSWRDY);
    }
    CARILLON_REGISTER(FLASH_ACR) = FLASH_ACR_CACHED | WAITS;
    CARILLON_REGISTER(RCC_CFGR) =
        (divided(CARILLON_APB2_DIVIDER) << 13) | (divided(CARILLON_APB1_DIVIDER) << 10) | RCC_CFGR_SW_PLL;
    await(RCC_CFGR, RCC_CFGR_SWS, RCC_CFGR_SWS_PLL);
}
