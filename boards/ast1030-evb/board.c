/* SPDX-License-Identifier: Apache-2.0
 *
 * AST1030: the clock of the timers, and UART5 as the console, at the rate that the boot loader has set. */
#include "carillon/console.h"
#include "carillon_port.h"

#define SCU UINT32_C(0x7E6E2000)
#define SCU_UNLOCK UINT32_C(0x1688A8A8)
#define SCU_HPLL (SCU + 0x200u)
#define SCU_CLOCK_SELECTION_4 (SCU + 0x310u)
#define APB_DIVIDER_MASK UINT32_C(0xF00)

void carillon_board_init(void);

/* 25 MHz * multiplier / (2 * divider) clocks the timers. */
void carillon_board_init(void)
{
    CARILLON_REGISTER(SCU) = SCU_UNLOCK;
    CARILLON_REGISTER(SCU_HPLL) = CARILLON_HPLL_MULTIPLIER - 1u;
    CARILLON_REGISTER(SCU_CLOCK_SELECTION_4) =
        (CARILLON_REGISTER(SCU_CLOCK_SELECTION_4) & ~APB_DIVIDER_MASK) | ((CARILLON_APB_DIVIDER - 1u) << 8);
}

#define UART5 UINT32_C(0x7E784000)
#define UART5_LINE_STATUS (UART5 + 0x14u)
#define LINE_STATUS_EMPTY UINT32_C(0x20)

__attribute__((weak)) void carillon_console_put(char byte)
{
    while ((CARILLON_REGISTER(UART5_LINE_STATUS) & LINE_STATUS_EMPTY) == 0u) {
    }
    CARILLON_REGISTER(UART5) = (uint8_t)byte;
}
