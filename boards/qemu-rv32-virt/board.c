/* SPDX-License-Identifier: Apache-2.0
 *
 * QEMU's virt machine: its UART, a 16550. */
#include "carillon/console.h"

#define UART_BYTE(offset) (*(volatile uint8_t *)(UINT32_C(0x10000000) + (offset)))
#define TRANSMIT 0u
#define LINE_STATUS 5u
#define LINE_STATUS_EMPTY 0x20u

__attribute__((weak)) void carillon_console_put(char byte)
{
    while ((UART_BYTE(LINE_STATUS) & LINE_STATUS_EMPTY) == 0u) {
    }
    UART_BYTE(TRANSMIT) = (uint8_t)byte;
}
