/* SPDX-License-Identifier: Apache-2.0
 *
 * Three tasks that only work.  Task1 and Task2 are activated while Task3 runs, which is above both. */
#include "os.h"

TASK(Task1)
{
    carillon_work(900);
    TerminateTask();
}

TASK(Task2)
{
    carillon_work(900);
    TerminateTask();
}

TASK(Task3)
{
    carillon_work(6000);
    TerminateTask();
}
