/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

void StartupHook(void)
{
    MARK('S');
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('s');
}

void PreTaskHook(void)
{
    MARK('+');
}

void PostTaskHook(void)
{
    MARK('-');
}

ISR(Signal)
{
    static uint8_t runs;
    MARK('i');
    if (runs++ == 1u) {
        (void)ActivateTask(More);
    }
}

TASK(Work)
{
    static uint8_t runs;
    MARK('w');
    runs++;
    if (runs == 2u) {
        carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
        MARK('w');
    }
    if (runs == 3u) {
        EXPECT_MARKS("the-startup-hook-is-not-interrupted-and-alarms-wake-an-idle-system", "Ssi+w-+wi-+m-+w-+w");
        FINISH();
    }
    TerminateTask();
}

TASK(More)
{
    MARK('m');
    TerminateTask();
}
