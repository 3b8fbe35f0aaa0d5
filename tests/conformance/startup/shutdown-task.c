/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

void ShutdownHook(StatusType error)
{
    MARK('D');
    EXPECT_IS("the-hook-is-told-the-error", error, E_OS_LIMIT);
    EXPECT_IS("the-application-mode-in-the-hook", GetActiveApplicationMode(), OSDEFAULTAPPMODE);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    PASS_MS(4);
    EXPECT_MARKS("no-interrupt-and-no-task-comes-in-the-hook", "mD");
    conformance_write("end\n");
}

void PostTaskHook(void)
{
    MARK('p');
}

ISR(Signal)
{
    MARK('!');
    conformance_write("FAIL no-interrupt-comes-after-shutdown 0\n");
}

TASK(Main)
{
    MARK('m');
    ShutdownOS(E_OS_LIMIT);
}

TASK(High)
{
    MARK('!');
    conformance_write("FAIL no-task-runs-after-shutdown 0\n");
    TerminateTask();
}
