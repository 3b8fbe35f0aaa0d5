/* SPDX-License-Identifier: Apache-2.0 */
#include "../../osek/mark.h"
#include "os.h"

TASK(A)
{
    TerminateTask();
}

TASK(B)
{
    TerminateTask();
}

TASK(C)
{
    TerminateTask();
}

TASK(D)
{
    TerminateTask();
}

TASK(E)
{
    TerminateTask();
}

TASK(F)
{
    TerminateTask();
}

TASK(Drive)
{
    carillon_work(20);
    MARK(start_begin);
    (void)StartScheduleTableRel(Six, 1u);
    MARK(start_end);
    carillon_work(20);
    MARK(stop_begin);
    (void)StopScheduleTable(Six);
    MARK(stop_end);
    carillon_work(20);
    TerminateTask();
}
