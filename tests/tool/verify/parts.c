/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

static volatile unsigned runs[4];

TASK(Begin)
{
    (void)SetRelAlarm(ForLow, 5u, 0u);
    (void)SetRelAlarm(ForMiddle, 5u, 0u);
    (void)SetRelAlarm(ForHigh, 5u, 0u);
    TerminateTask();
}
TASK(Low)
{
    runs[0]++;
    TerminateTask();
}
TASK(Middle)
{
    runs[1]++;
    TerminateTask();
}
TASK(High)
{
    runs[2]++;
    TerminateTask();
}
ALARMCALLBACK(Call)
{
    runs[3]++;
}
