/* SPDX-License-Identifier: Apache-2.0 */
#include "carillon/osektime.h"
#include "os.h"

ttTASK(Time);

ttTASK(Time)
{
    carillon_work(20);
}

TASK(Busy)
{
    for (;;) {
        carillon_work(30);
        (void)ActivateTask(Upper);
        (void)GetResource(Shared);
        (void)ActivateTask(Upper);
        (void)ReleaseResource(Shared);
    }
}

TASK(Timed)
{
    carillon_work(40);
    (void)ActivateTask(Upper);
    TerminateTask();
}

TASK(Upper)
{
    (void)GetResource(Shared);
    carillon_work(20);
    (void)ReleaseResource(Shared);
    TerminateTask();
}
