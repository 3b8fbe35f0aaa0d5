/* SPDX-License-Identifier: Apache-2.0
 *
 * RP2040: the clocks (datasheet, sections 2.14 to 2.18), the TIMER's microseconds, and the console.
 *
 * The crystal has 12 MHz.  PLL_SYS multiplies it by 125 and divides that by 6 and by 2: the processor has 125 MHz. */
#include "carillon_port.h"

#define SET 0x2000u /* where a store sets bits of a register, and clears them */
#define CLEAR 0x3000u

#define XOSC_CTRL UINT32_C(0x40024000)
#define XOSC_CTRL_12_MHZ 0xAA0u
#define XOSC_CTRL_ENABLE 0xFAB000u
#define XOSC_STATUS UINT32_C(0x40024004)
#define XOSC_STATUS_STABLE UINT32_C(0x80000000)
#define XOSC_STARTUP UINT32_C(0x4002400C)
#define XOSC_STARTUP_1_MS 47u

#define RESETS UINT32_C(0x4000C000)
#define RESETS_DONE UINT32_C(0x4000C008)
#define WANTED                                                                                                   \
    ((UINT32_C(1) << 5) | (UINT32_C(1) << 8) | (UINT32_C(1) << 12) | (UINT32_C(1) << 14) | (UINT32_C(1) << 21) | \
     (UINT32_C(1) << 22)) /* IO_BANK0, PADS_BANK0,                                                               \
PLL_SYS, PWM, TIMER, UART0 */

#define CLK_REF_CTRL UINT32_C(0x40008030)
#define CLK_REF_CTRL_XOSC 2u
#define CLK_REF_SELECTED UINT32_C(0x40008038)
#define CLK_SYS_CTRL UINT32_C(0x4000803C)
#define CLK_SYS_CTRL_AUX 1u /* PLL_SYS is the auxiliary clock */
#define CLK_SYS_SELECTED UINT32_C(0x40008044)
#define CLK_PERI_CTRL UINT32_C(0x40008048)
#define CLK_PERI_CTRL_ENABLE 0x800u

#define PLL_CS UINT32_C(0x40028000)
#define PLL_CS_LOCK UINT32_C(0x80000000)
#define PLL_PWR UINT32_C(0x40028004)
#define PLL_PWR_DOWN 0x21u /* PD and VCOPD */
#define PLL_PWR_POST_DIVIDER_DOWN 8u
#define PLL_FBDIV UINT32_C(0x40028008)
#define PLL_PRIM UINT32_C(0x4002800C)
#define PLL_PRIM_6_2 0x62000u

#define WATCHDOG_TICK UINT32_C(0x4005802C)
#define WATCHDOG_TICK_12 0x20Cu /* enabled: a microsecond is 12 cycles of the crystal */

#define UART_IBRD UINT32_C(0x40034024)
#define UART_FBRD UINT32_C(0x40034028)
#define UART_LCR_H UINT32_C(0x4003402C)
#define UART_LCR_H_8_BITS 0x70u /* with FIFOs */
#define UART_CR UINT32_C(0x40034030)
#define UART_CR_ENABLE 0x301u
#define GPIO0_CTRL UINT32_C(0x40014004)
#define GPIO0_CTRL_UART 2u

void carillon_board_init(void);

static void await(uint32_t address, uint32_t mask, uint32_t value)
{
    while ((CARILLON_REGISTER(address) & mask) != value) {
    }
}

void carillon_board_init(void)
{
    CARILLON_REGISTER(XOSC_CTRL) = XOSC_CTRL_12_MHZ;
    CARILLON_REGISTER(XOSC_STARTUP) = XOSC_STARTUP_1_MS;
    CARILLON_REGISTER(XOSC_CTRL + SET) = XOSC_CTRL_ENABLE;
    await(XOSC_STATUS, XOSC_STATUS_STABLE, XOSC_STATUS_STABLE);
    CARILLON_REGISTER(RESETS + CLEAR) = WANTED;
    await(RESETS_DONE, WANTED, WANTED);
    CARILLON_REGISTER(CLK_REF_CTRL) = CLK_REF_CTRL_XOSC;
    await(CLK_REF_SELECTED, 0xFu, UINT32_C(1) << CLK_REF_CTRL_XOSC);

    CARILLON_REGISTER(PLL_CS) = 1u;
    CARILLON_REGISTER(PLL_FBDIV) = 125u;
    CARILLON_REGISTER(PLL_PWR + CLEAR) = PLL_PWR_DOWN;
    await(PLL_CS, PLL_CS_LOCK, PLL_CS_LOCK);
    CARILLON_REGISTER(PLL_PRIM) = PLL_PRIM_6_2;
    CARILLON_REGISTER(PLL_PWR + CLEAR) = PLL_PWR_POST_DIVIDER_DOWN;
    CARILLON_REGISTER(CLK_SYS_CTRL) = 0u;
    CARILLON_REGISTER(CLK_SYS_CTRL) = CLK_SYS_CTRL_AUX;
    await(CLK_SYS_SELECTED, 3u, UINT32_C(1) << CLK_SYS_CTRL_AUX);

    CARILLON_REGISTER(CLK_PERI_CTRL) = CLK_PERI_CTRL_ENABLE;
    CARILLON_REGISTER(WATCHDOG_TICK) = WATCHDOG_TICK_12;
    CARILLON_REGISTER(UART_IBRD) = 67u; /* 125 MHz / 16 / 115200 is 67 52/64 */
    CARILLON_REGISTER(UART_FBRD) = 52u;
    CARILLON_REGISTER(UART_LCR_H) = UART_LCR_H_8_BITS;
    CARILLON_REGISTER(UART_CR) = UART_CR_ENABLE;
    CARILLON_REGISTER(GPIO0_CTRL) = GPIO0_CTRL_UART;
}
