/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/time.h"

THREAD(A)
{
    for (;;) {
        (void)carillon_delay(3u);
    }
}
THREAD(B)
{
    carillon_time next = carillon_now();
    for (;;) {
        (void)carillon_delay_until(&next, 2u);
    }
}
