/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

void ShutdownHook(StatusType error)
{
    MARK('D');
    EXPECT_IS("the-hook-is-told-the-error", error, E_OS_NOFUNC);
    EXPECT_IS("the-application-mode-in-the-hook", GetActiveApplicationMode(), OSDEFAULTAPPMODE);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    PASS_MS(4);
    EXPECT_MARKS("no-interrupt-and-no-task-comes-in-the-hook", "mED");
    conformance_write("end\n");
}

void ErrorHook(StatusType error)
{
    MARK('E');
    ShutdownOS(error);
}

ISR(Signal)
{
    MARK('!');
    conformance_write("FAIL no-interrupt-comes-after-shutdown 0\n");
}

TASK(Main)
{
    MARK('m');
    (void)CancelAlarm(ToHigh);
    (void)CancelAlarm(ToHigh);
    conformance_write("FAIL nothing-goes-on-after-shutdown 0\n");
    TerminateTask();
}

TASK(High)
{
    MARK('!');
    conformance_write("FAIL no-task-runs-after-shutdown 0\n");
    TerminateTask();
}
