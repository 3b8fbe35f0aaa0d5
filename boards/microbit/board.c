/* SPDX-License-Identifier: Apache-2.0
 *
 * micro:bit: the crystal, which the timers count by, and the console. */
#include "carillon/console.h"
#include "carillon_port.h"

#define CLOCK_TASK_HFCLKSTART UINT32_C(0x40000000)
#define CLOCK_EVENT_HFCLKSTARTED UINT32_C(0x40000100)
#define UART_EVENT_TXDRDY UINT32_C(0x4000211C)
#define UART_TXD UINT32_C(0x4000251C)

void carillon_board_init(void);

/* QEMU has no such clock: its register reads 0 for ever there.  So the wait is bounded.  The crystal takes a
 * millisecond at most, which is 16,000 cycles. */
void carillon_board_init(void)
{
    CARILLON_REGISTER(CLOCK_TASK_HFCLKSTART) = 1u;
    for (uint32_t turns = 0u; (turns < 4000u) && (CARILLON_REGISTER(CLOCK_EVENT_HFCLKSTARTED) == 0u); turns++) {
    }
}

/* A byte has been sent when its event comes, which stands until a store clears it. */
void carillon_console_put(char byte)
{
    CARILLON_REGISTER(UART_EVENT_TXDRDY) = 0u;
    CARILLON_REGISTER(UART_TXD) = (uint8_t)byte;
    while (CARILLON_REGISTER(UART_EVENT_TXDRDY) == 0u) {
    }
}
