/* SPDX-License-Identifier: Apache-2.0
 *
 * MPS2 AN385: the timers run at the processor's clock from reset.  UART0 is the console, at the highest rate, a
 * sixteenth of that clock. */
#include "carillon/console.h"
#include "carillon_port.h"

void carillon_board_init(void);

void carillon_board_init(void)
{
}

#define UART0 UINT32_C(0x40004000)
#define UART0_STATE (UART0 + 0x4u)
#define STATE_FULL UINT32_C(1)
#define UART0_CONTROL (UART0 + 0x8u)
#define CONTROL_TRANSMIT UINT32_C(1)
#define UART0_DIVIDER (UART0 + 0x10u)

__attribute__((weak)) void carillon_console_put(char byte)
{
    CARILLON_REGISTER(UART0_DIVIDER) = 16u;
    CARILLON_REGISTER(UART0_CONTROL) = CONTROL_TRANSMIT;
    while ((CARILLON_REGISTER(UART0_STATE) & STATE_FULL) != 0u) {
    }
    CARILLON_REGISTER(UART0) = (uint8_t)byte;
}
