/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

void ShutdownHook(StatusType error)
{
    EXPECT_IS("the-system-is-shut-down-with-its-error", error, E_OS_PROTECTION_TIME);
    FINISH();
}

TASK(Runaway)
{
    for (;;) {
        carillon_work(100u);
    }
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
}
