/* SPDX-License-Identifier: Apache-2.0
 *
 * SystemInit of a board whose clocks run out of reset. */
#include "hal.h"

uint32_t SystemCoreClock = 25000000u;

void SystemInit(void)
{
}
