/* SPDX-License-Identifier: Apache-2.0
 *
 * The application of the cases about application modes: StartupHook marks S, tasks their letters. */
#ifndef MODES_H
#define MODES_H

#include "../conformance.h"

static AppModeType in_hook = 99u;

void StartupHook(void)
{
    MARK('S');
    in_hook = GetActiveApplicationMode();
}

ALARMCALLBACK(OnNormal)
{
    MARK('1');
}

ALARMCALLBACK(OnTest)
{
    MARK('2');
}

ALARMCALLBACK(OnBoth)
{
    MARK('3');
}

TASK(Normal)
{
    MARK('n');
    TerminateTask();
}

TASK(NormalToo)
{
    MARK('o');
    TerminateTask();
}

TASK(Test)
{
    MARK('t');
    (void)WaitEvent(Go);
    MARK('T');
    TerminateTask();
}

TASK(BothHigh)
{
    MARK('h');
    TerminateTask();
}

TASK(Never)
{
    MARK('!');
    TerminateTask();
}

#endif
