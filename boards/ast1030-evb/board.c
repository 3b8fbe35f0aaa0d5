/* SPDX-License-Identifier: Apache-2.0
 *
 * AST1030: the clock of the timers. */
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
