/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile bool asked;

ProtectionReturnType ProtectionHook(StatusType error)
{
    EXPECT_IS("the-hook-is-told-what-is-wrong", error, E_OS_PROTECTION_TIME);
    asked = true;
    return (ProtectionReturnType)77u;
}

void ShutdownHook(StatusType error)
{
    EXPECT("the-protection-hook-is-asked-first", asked);
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
