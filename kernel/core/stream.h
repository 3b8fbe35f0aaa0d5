/* SPDX-License-Identifier: Apache-2.0
 *
 * The stream of events: it is sent from below all tasks, so that none starts later. */
#ifndef CARILLON_CORE_STREAM_H
#define CARILLON_CORE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "carillon_config.h"

#if CARILLON_STREAM
/* Send what the transport takes now.  Returns whether anything is left to be sent.
 * From: whatever is below all that is recorded. */
bool carillon_stream_send(void);

/* The transport: take a byte, or return false if there is no room now. */
bool carillon_stream_put(uint8_t byte);
#else
static inline bool carillon_stream_send(void)
{
    return false;
}
#endif

#endif
