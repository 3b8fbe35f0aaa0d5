/* SPDX-License-Identifier: Apache-2.0
 *
 * The stream of events by a debugger's memory access: the control block of SEGGER's Real Time Transfer, with one
 * channel up.  OpenOCD, probe-rs and J-Link find it by its identifier or its symbol, and read it while the processor
 * runs.
 *
 * 1. A byte is stored before `write`, which says that it is there.
 * 2. The debugger alone moves `read`, behind bytes that it has.
 * 3. The identifier is written last, and is nowhere else in one piece: who finds it finds a complete block. */
#include "kernel/core/stream.h"

#define SIZE 1024u

struct channel {
    const char *name;
    uint8_t *buffer;
    uint32_t size;
    uint32_t write;
    uint32_t read;
    uint32_t flags; /* 0: what finds no room is left out, which here the sender does */
};

struct block {
    char identifier[16];
    int32_t up_count;
    int32_t down_count;
    struct channel up;
};

extern volatile struct block carillon_rtt __asm__("_SEGGER_RTT");
volatile struct block carillon_rtt __attribute__((used));
static volatile uint8_t buffer[SIZE];

static void begin(void)
{
    static const char reversed[16] = {0, 0, 0, 0, 0, 0, 'T', 'T', 'R', ' ', 'R', 'E', 'G', 'G', 'E', 'S'};
    carillon_rtt.up.name = "Carillon";
    carillon_rtt.up.buffer = (uint8_t *)buffer;
    carillon_rtt.up.size = SIZE;
    carillon_rtt.up_count = 1;
    for (uint32_t k = 0u; k < 16u; k++) {
        carillon_rtt.identifier[15u - k] = reversed[k];
    }
}

bool carillon_stream_put(uint8_t byte)
{
    if (carillon_rtt.up.size == 0u) {
        begin();
    }
    const uint32_t at = carillon_rtt.up.write;
    const uint32_t after = (at + 1u) % SIZE;
    if (after == carillon_rtt.up.read) {
        return false;
    }
    buffer[at] = byte;
    carillon_rtt.up.write = after;
    return true;
}
