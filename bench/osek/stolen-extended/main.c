/* SPDX-License-Identifier: Apache-2.0 */
#include "../mark.h"
#include "os.h"

TASK(Low)
{
    for (;;) {
        (void)WaitEvent(Go);
        (void)ClearEvent(Go);
        MARK(low);
        carillon_work(20);
    }
}

TASK(High)
{
    MARK(window_begin);
    carillon_work(1500);
    MARK(window_end);
    carillon_work(20);
    TerminateTask();
}
