/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/time.h"

static void rest(void)
{
    for (;;) {
        (void)carillon_delay(3u);
    }
}

THREAD(A)
{
    rest();
}
THREAD(B)
{
    rest();
}
THREAD(Alone)
{
    rest();
}
THREAD(C)
{
    rest();
}
THREAD(D)
{
    rest();
}
