/* SPDX-License-Identifier: Apache-2.0
 *
 * The stream of events by the instrumentation trace macrocell, whose packets leave at the pin SWO.  Four bytes are a
 * packet.  The debugger switches the macrocell and the port on; until then, nothing is taken. */
#include "carillon_board.h"
#include "carillon_port.h"
#include "kernel/core/stream.h"

#define PORT (UINT32_C(0xE0000000) + (4u * CARILLON_STREAM_PORT))
#define PORT_READY 1u
#define TER UINT32_C(0xE0000E00)
#define TCR UINT32_C(0xE0000E80)
#define TCR_ITMENA 1u
#define DEMCR UINT32_C(0xE000EDFC)
#define DEMCR_TRCENA (UINT32_C(1) << 24)

/* Without TRCENA, what the macrocell's registers read is not known. */
static bool takes_a_word(void)
{
    return ((CARILLON_REGISTER(DEMCR) & DEMCR_TRCENA) != 0u) && ((CARILLON_REGISTER(TCR) & TCR_ITMENA) != 0u) &&
           (((CARILLON_REGISTER(TER) >> CARILLON_STREAM_PORT) & 1u) != 0u) &&
           ((CARILLON_REGISTER(PORT) & PORT_READY) != 0u);
}

bool carillon_stream_put(uint8_t byte)
{
    static uint32_t word;
    static uint32_t bits;
    if ((bits == 24u) && !takes_a_word()) {
        return false;
    }
    word |= (uint32_t)byte << bits;
    bits += 8u;
    if (bits == 32u) { /* as often as a frame ends: it has a multiple of four bytes */
        CARILLON_REGISTER(PORT) = word;
        word = 0u;
        bits = 0u;
    }
    return true;
}
