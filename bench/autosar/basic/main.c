/* SPDX-License-Identifier: Apache-2.0 */
#include "../../osek/mark.h"
#include "os.h"

TASK(Low)
{
    SMALL_WORK(1500);
    MARK_END(low_ends);
    TerminateTask();
}

TASK(High)
{
    SMALL_WORK(20);
    MARK_END(high_ends);
    TerminateTask();
}
