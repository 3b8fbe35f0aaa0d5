/* SPDX-License-Identifier: Apache-2.0 */
#include "../../osek/mark.h"
#include "os.h"

TASK(Low)
{
    carillon_work(1500);
    MARK(low_ends);
    TerminateTask();
}

TASK(High)
{
    carillon_work(20);
    MARK(high_ends);
    TerminateTask();
}
