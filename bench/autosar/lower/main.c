/* SPDX-License-Identifier: Apache-2.0 */
#include "../../osek/mark.h"
#include "os.h"

TASK(Lower)
{
    carillon_work(20);
    TerminateTask();
}

TASK(Low)
{
    MARK(low);
    carillon_work(20);
    TerminateTask();
}

TASK(High)
{
    MARK(window_begin);
    carillon_work(2500);
    MARK(window_end);
    carillon_work(20);
    TerminateTask();
}
