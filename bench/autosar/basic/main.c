/* SPDX-License-Identifier: Apache-2.0 */
#include "../../osek/mark.h"
#include "os.h"

TASK(Low)
{
    carillon_work(1500);
    MARK_END(low_ends);
    TerminateTask();
}

TASK(High)
{
    SMALL_WORK();
    MARK_END(high_ends);
    TerminateTask();
}
