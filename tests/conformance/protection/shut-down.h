/* SPDX-License-Identifier: Apache-2.0 */
/* A task uses up its budget, and the system is shut down.  ANSWER: what ProtectionHook answers; without it, there is no
 * such hook. */
#include "../conformance.h"

#ifdef ANSWER
static volatile bool asked;

ProtectionReturnType ProtectionHook(StatusType error)
{
    EXPECT_IS("the-hook-is-told-what-is-wrong", error, E_OS_PROTECTION_TIME);
    asked = true;
    return ANSWER;
}
#endif

void ShutdownHook(StatusType error)
{
#ifdef ANSWER
    EXPECT("the-protection-hook-is-asked-first", asked);
#endif
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
