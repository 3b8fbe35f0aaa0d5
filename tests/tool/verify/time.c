/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

#include "carillon/time.h"

DeclareAlarm(Y);

TASK(T)
{
    TerminateTask();
}
THREAD(A)
{
    (void)SetRelAlarm(Y, 1u, 1u);
    for (;;) {
        carillon_delay(3u);
    }
}
THREAD(B)
{
    for (;;) {
        carillon_delay(5u);
    }
}
