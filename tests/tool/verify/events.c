/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

DeclareAlarm(Once);
DeclareEvent(E);
static volatile unsigned runs[8];

TASK(Low)
{
    (void)SetRelAlarm(Once, 5u, 0u);
    TerminateTask();
}
TASK(Middle)
{
    runs[1]++;
    TerminateTask();
}
TASK(Waits)
{
    for (;;) {
        (void)WaitEvent(E);
        (void)ClearEvent(E);
        runs[2]++;
    }
}
TASK(High)
{
    runs[3]++;
    TerminateTask();
}
ISR(Device)
{
    runs[4]++;
}
ALARMCALLBACK(Call)
{
    runs[5]++;
}
