/* SPDX-License-Identifier: Apache-2.0
 *
 * The stream of events by a UART, which is asked whether it takes a byte. */
#include "carillon_board.h"
#include "kernel/core/stream.h"

#define UART(address) (*(volatile CARILLON_STREAM_REGISTER *)(uintptr_t)(address))
#define STORE(address, value) UART(UINT32_C(address)) = (CARILLON_STREAM_REGISTER)(value);

bool carillon_stream_put(uint8_t byte)
{
    CARILLON_STREAM_PREPARE(STORE)
    if ((UART(CARILLON_STREAM_STATE) & CARILLON_STREAM_MASK) == CARILLON_STREAM_WAITS) {
        return false;
    }
    UART(CARILLON_STREAM_DATA) = byte;
    return true;
}
