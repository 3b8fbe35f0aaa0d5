/* SPDX-License-Identifier: Apache-2.0 */
#include "../mark.h"
#include "os.h"

TASK(Low)
{
    MARK(low);
    carillon_work(20);
    TerminateTask();
}

TASK(High)
{
    MARK(window_begin);
    carillon_work(1500);
    MARK(window_end);
    carillon_work(20);
    TerminateTask();
}

TASK(Begin)
{
    (void)SetRelAlarm(LowCycle, 3u, 8u);
    TerminateTask();
}
