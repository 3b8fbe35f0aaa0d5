/* SPDX-License-Identifier: Apache-2.0
 *
 * An extended task waits for its event again and again.  It preempts a basic task, which never ends. */
#include "../mark.h"
#include "os.h"

TASK(Main)
{
    for (;;) {
        MARK(block);
        (void)ClearEvent(Go);
        (void)WaitEvent(Go);
        MARK(woken);
        carillon_work(20);
    }
}

TASK(Below)
{
    for (;;) {
    }
}
