/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads that delay: no more than what is needed. */
#include "carillon/time.h"

THREAD(First)
{
    for (;;) {
        (void)carillon_delay(CARILLON_MILLISECONDS(1));
    }
}

THREAD(Second)
{
    for (;;) {
        (void)carillon_delay(CARILLON_MILLISECONDS(2));
    }
}
