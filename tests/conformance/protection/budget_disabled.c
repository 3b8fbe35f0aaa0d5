/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

static volatile bool suspends;
static volatile bool hook_suspends;
static volatile bool goes_on = true;

ProtectionReturnType ProtectionHook(StatusType error)
{
    MARK((error == E_OS_PROTECTION_TIME) ? 'P' : '?');
    if (hook_suspends) {
        SuspendAllInterrupts();
        SuspendOSInterrupts();
    }
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

    hook_suspends = true;
    (void)ActivateTask(Runaway);
    SuspendAllInterrupts();
    SuspendOSInterrupts();
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    MARK('s');
    ResumeOSInterrupts();
    ResumeAllInterrupts();
    EXPECT_MARKS("what-the-hook-suspends-ends-with-the-job", "rPsi");
    FINISH();
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
}
