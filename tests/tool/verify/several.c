/* SPDX-License-Identifier: Apache-2.0 */
#include "os.h"

static volatile unsigned turns;

ALARMCALLBACK(First)
{
    turns++;
}

ALARMCALLBACK(Second)
{
    turns++;
}

TASK(Low)
{
    (void)SetRelAlarm(AtLevel, 4, 4);
    (void)SetRelAlarm(Alone, 9, 9);
    TerminateTask();
}

TASK(Sample)
{
    TerminateTask();
}

TASK(Log)
{
    TerminateTask();
}

TASK(Control)
{
    TerminateTask();
}
