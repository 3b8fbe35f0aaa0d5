/* SPDX-License-Identifier: Apache-2.0
 *
 * SystemInit of the RP2040, in the place of the SDK's: the crystal's 12 MHz times 125, divided by 6 and by 2, are the
 * processor's 125 MHz; the TIMER counts microseconds of the crystal. */
#include "hal.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define CLEAR 0x3000u /* where a store clears bits of a register */

#define XOSC_CTRL 0x40024000u
#define XOSC_STATUS 0x40024004u
#define XOSC_STARTUP 0x4002400Cu
#define RESETS 0x4000C000u
#define RESETS_DONE 0x4000C008u
#define WANTED 0x00205120u /* IO_BANK0, PADS_BANK0, PLL_SYS, PWM, TIMER */
#define CLK_REF_CTRL 0x40008030u
#define CLK_REF_SELECTED 0x40008038u
#define CLK_SYS_CTRL 0x4000803Cu
#define CLK_SYS_SELECTED 0x40008044u
#define PLL_CS 0x40028000u
#define PLL_PWR 0x40028004u
#define PLL_FBDIV 0x40028008u
#define PLL_PRIM 0x4002800Cu
#define WATCHDOG_TICK 0x4005802Cu

uint32_t SystemCoreClock = 125000000u;

static void await(uint32_t address, uint32_t mask, uint32_t value)
{
    while ((REGISTER(address) & mask) != value) {
    }
}

void SystemInit(void)
{
    REGISTER(XOSC_CTRL) = 0xAA0u; /* 1 to 15 MHz */
    REGISTER(XOSC_STARTUP) = 47u;
    REGISTER(XOSC_CTRL) = 0xFABAA0u; /* enabled */
    await(XOSC_STATUS, 0x80000000u, 0x80000000u);
    REGISTER(RESETS + CLEAR) = WANTED;
    await(RESETS_DONE, WANTED, WANTED);
    REGISTER(CLK_REF_CTRL) = 2u; /* the crystal */
    await(CLK_REF_SELECTED, 0xFu, 4u);
    REGISTER(PLL_CS) = 1u;
    REGISTER(PLL_FBDIV) = 125u;
    REGISTER(PLL_PWR + CLEAR) = 0x21u;
    await(PLL_CS, 0x80000000u, 0x80000000u);
    REGISTER(PLL_PRIM) = 0x62000u;
    REGISTER(PLL_PWR + CLEAR) = 8u;
    REGISTER(CLK_SYS_CTRL) = 0u;
    REGISTER(CLK_SYS_CTRL) = 1u; /* the PLL */
    await(CLK_SYS_SELECTED, 3u, 2u);
    REGISTER(WATCHDOG_TICK) = 0x20Cu; /* a microsecond is 12 cycles of the crystal */
}
