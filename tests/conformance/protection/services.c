/* SPDX-License-Identifier: Apache-2.0 */
#define PLACES_OF(X)                                                               \
    X(IN_THE_HOOK_OF_A_BUDGET, "hook-of-a-budget", PROTECTION_HOOK, false)         \
    X(IN_THE_HOOK_OF_A_FRAME, "hook-of-a-time-frame", PROTECTION_HOOK, false)      \
    X(IN_THE_HOOK_OF_AN_ISR, "hook-of-an-isrs-time-frame", PROTECTION_HOOK, false) \
    X(IN_THE_HOOK_SUSPENDED, "hook-with-all-suspended", PROTECTION_HOOK, true)     \
    X(AFTERWARDS, "task-after-the-hook", TASKS, false)
#define FIRST NOWHERE
#define IS_IN_AN_ISR(place) ((place) == IN_THE_HOOK_OF_AN_ISR)
#define TELLS_NOTHING(place) false
#include "../errors/matrix.h"

#define JUDGE_PLACE(number, name, of, disabled) judge_all((number), (name), (of), (disabled));

static volatile StatusType asked[2];

ProtectionReturnType ProtectionHook(StatusType status)
{
    call_if(IN_THE_HOOK_OF_A_BUDGET);
    call_if(IN_THE_HOOK_OF_A_FRAME);
    call_if(IN_THE_HOOK_OF_AN_ISR);
    if (wanted == IN_THE_HOOK_SUSPENDED) {
        SuspendAllInterrupts();
        call_services(IN_THE_HOOK_SUSPENDED);
        ResumeAllInterrupts();
    }
    asked[(status == E_OS_PROTECTION_TIME) ? 0 : 1]++;
    return (status == E_OS_PROTECTION_TIME) ? PRO_TERMINATETASKISR : PRO_IGNORE;
}

void ErrorHook(StatusType status)
{
    error.told = status;
    error.service = OSErrorGetServiceId();
}

ALARMCALLBACK(OnAlarm)
{
}

ISR(Signal)
{
}

TASK(Main)
{
    (void)ActivateTask(Waiter);
    wanted = IN_THE_HOOK_OF_A_BUDGET;
    (void)ActivateTask(Runaway);
    (void)ActivateTask(Rare);
    wanted = IN_THE_HOOK_OF_A_FRAME;
    (void)ActivateTask(Rare);
    wanted = IN_THE_HOOK_SUSPENDED;
    (void)ActivateTask(Rare);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    wanted = IN_THE_HOOK_OF_AN_ISR;
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_IS("every-place-was-reached", wanted, NOWHERE);
    EXPECT("and-the-hook-was-asked-of-each", (asked[0] == 1u) && (asked[1] == 3u));
    call_services(AFTERWARDS);
    PLACES_OF(JUDGE_PLACE)
    FINISH();
}

TASK(Other)
{
    TerminateTask();
}

TASK(Rare)
{
    TerminateTask();
}

TASK(Runaway)
{
    for (;;) {
        carillon_work(10u);
    }
}

TASK(Waiter)
{
    (void)WaitEvent(Go);
    TerminateTask();
}

int main(void)
{
    StartOS(OSDEFAULTAPPMODE);
}
