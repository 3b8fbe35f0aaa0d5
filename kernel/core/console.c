/* SPDX-License-Identifier: Apache-2.0
 *
 * The console of a board that says where its UART is: a register to look at until a byte is taken, and one to store it
 * in.  The application may have a function of its own. */
#include "carillon/console.h"
#include "carillon_board.h"

#define UART(address) (*(volatile CARILLON_CONSOLE_REGISTER *)(uintptr_t)(address))
#define STORE(address, value) UART(UINT32_C(address)) = (CARILLON_CONSOLE_REGISTER)(value);

__attribute__((weak)) void carillon_console_put(char byte)
{
    CARILLON_CONSOLE_PREPARE(STORE)
    while ((UART(CARILLON_CONSOLE_STATE) & CARILLON_CONSOLE_MASK) == CARILLON_CONSOLE_WAITS) {
    }
    UART(CARILLON_CONSOLE_DATA) = (uint8_t)byte;
}
