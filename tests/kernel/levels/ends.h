/* SPDX-License-Identifier: Apache-2.0
 *
 * What comes last when the system starts or ends: what events are left is sent, and the processor idles or halts.  Both
 * are noted, and lead back to the test. */
#ifndef CARILLON_TESTS_LEVELS_ENDS_H
#define CARILLON_TESTS_LEVELS_ENDS_H

#include "port.h"

#include "kernel/core/stream.h"

static jmp_buf ends;
static uint32_t to_send;
static uint32_t mask_at_send;

bool carillon_stream_send(void)
{
    mask_at_send = port.mask;
    if (to_send == 0u) {
        return false;
    }
    to_send--;
    note("send");
    return true;
}

void carillon_port_idle(void)
{
    note("idle");
    longjmp(ends, 1);
}

void carillon_port_halt(void)
{
    note("halt");
    longjmp(ends, 1);
}

#endif
