/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile bool suspends;
static volatile bool goes_on = true;

ProtectionReturnType ProtectionHook(StatusType error)
{
    MARK((error == E_OS_PROTECTION_TIME) ? 'P' : '?');
    return PRO_TERMINATETASKISR;
}

TASK(Runaway)
{
    MARK('r');
    if (suspends) {
        SuspendAllInterrupts();
        SuspendOSInterrupts();
    } else {
        DisableAllInterrupts();
    }
    while (goes_on) {
        carillon_work(100u);
    }
    MARK('!');
}

ISR(Signal)
{
    MARK('i');
}

TASK(Main)
{
    (void)ActivateTask(Runaway);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("it-ends-though-it-never-enables-interrupts", "rPi");

    suspends = true;
    (void)ActivateTask(Runaway);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_MARKS("it-ends-though-it-never-resumes-interrupts", "rPi");
    FINISH();
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
}
