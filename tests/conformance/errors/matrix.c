/* SPDX-License-Identifier: Apache-2.0 */
#define PLACES_OF(X)                                                                    \
    X(IN_A_TASK, "task", TASKS, false)                                                  \
    X(IN_AN_ISR, "isr", ISRS, false)                                                    \
    X(IN_AN_ISR1, "isr-of-category-1", NOBODY, false)                                   \
    X(ISR1_OVER_THE_ERROR_HOOK, "isr-of-category-1-over-the-error-hook", NOBODY, false) \
    X(ISR1_OVER_PRETASK, "isr-of-category-1-over-the-pretask-hook", NOBODY, false)      \
    X(ISR1_OVER_A_CALLBACK, "isr-of-category-1-over-a-callback", NOBODY, false)         \
    X(IN_THE_ISR1S_ERROR_HOOK, "error-hook-of-an-isr-of-category-1", ERROR_HOOK, false) \
    X(IN_A_CALLBACK, "callback", NOBODY, false)                                         \
    X(IN_A_CALLBACK_IN_AN_ISR, "callback-in-an-isr", NOBODY, false)                     \
    X(IN_THE_ERROR_HOOK, "error-hook", ERROR_HOOK, false)                               \
    X(IN_THE_ISRS_ERROR_HOOK, "error-hook-of-an-isr", ERROR_HOOK, false)                \
    X(IN_PRETASK, "pretask-hook", TASK_HOOKS, false)                                    \
    X(IN_POSTTASK, "posttask-hook", TASK_HOOKS, false)                                  \
    X(IN_STARTUP, "startup-hook", NOBODY, false)                                        \
    X(IN_SHUTDOWN, "shutdown-hook", NOBODY, false)                                      \
    X(TASK_DISABLED, "task-with-all-disabled", TASKS, true)                             \
    X(TASK_ALL_SUSPENDED, "task-with-all-suspended", TASKS, true)                       \
    X(TASK_OS_SUSPENDED, "task-with-os-suspended", TASKS, true)                         \
    X(ISR_DISABLED, "isr-with-all-disabled", ISRS, true)                                \
    X(ISR_OS_SUSPENDED, "isr-with-os-suspended", ISRS, true)                            \
    X(ERROR_HOOK_SUSPENDED, "error-hook-with-all-suspended", ERROR_HOOK, true)          \
    X(PRETASK_SUSPENDED, "pretask-hook-with-all-suspended", TASK_HOOKS, true)           \
    X(CALLBACK_SUSPENDED, "callback-with-all-suspended", NOBODY, true)
#define FIRST IN_STARTUP
#define IS_IN_AN_ISR(place) (((place) == IN_THE_ISRS_ERROR_HOOK) || ((place) == IN_A_CALLBACK_IN_AN_ISR))
#define TELLS_NOTHING(place) ((place) == ISR1_OVER_THE_ERROR_HOOK)
#include "matrix.h"

static void call_if_suspended(enum place place)
{
    if (wanted == place) {
        SuspendAllInterrupts();
        call_services(place);
        ResumeAllInterrupts();
    }
}

#define JUDGE_PLACE(number, name, of, disabled)        \
    if ((number) != IN_SHUTDOWN) {                     \
        judge_all((number), (name), (of), (disabled)); \
    }

/* Let the ISR of category 1 come here. */
static void raw_if(enum place place)
{
    if (wanted == place) {
        carillon_port_pend(CARILLON_ISR_SOURCE_Raw);
    }
}

void ErrorHook(StatusType status)
{
    error.told = status;
    error.service = OSErrorGetServiceId();
    call_if(IN_THE_ERROR_HOOK);
    call_if(IN_THE_ISR1S_ERROR_HOOK);
    raw_if(ISR1_OVER_THE_ERROR_HOOK);
    call_if(IN_THE_ISRS_ERROR_HOOK);
    call_if_suspended(ERROR_HOOK_SUSPENDED);
}

void PreTaskHook(void)
{
    call_if(IN_PRETASK);
    raw_if(ISR1_OVER_PRETASK);
    call_if_suspended(PRETASK_SUSPENDED);
}

void PostTaskHook(void)
{
    call_if(IN_POSTTASK);
}

void StartupHook(void)
{
    call_if(IN_STARTUP);
}

void ShutdownHook(StatusType status)
{
    (void)status;
    call_services(IN_SHUTDOWN);
    judge_all(IN_SHUTDOWN, "shutdown-hook", NOBODY, false);
    conformance_write("end\n");
}

ALARMCALLBACK(OnAlarm)
{
    call_if(IN_A_CALLBACK);
    call_if(IN_A_CALLBACK_IN_AN_ISR);
    raw_if(ISR1_OVER_A_CALLBACK);
    call_if_suspended(CALLBACK_SUSPENDED);
}

ISR(Raw)
{
    call_if(IN_AN_ISR1);
    call_if(ISR1_OVER_THE_ERROR_HOOK);
    call_if(ISR1_OVER_PRETASK);
    call_if(ISR1_OVER_A_CALLBACK);
    if (wanted == IN_THE_ISR1S_ERROR_HOOK) {
        (void)ActivateTask(Main);
    }
}

static void expire(void)
{
    (void)SetRelAlarm(Called, 1, 0);
    (void)IncrementCounter(Ticks);
}

ISR(Signal)
{
    call_if(IN_AN_ISR);
    if (wanted == IN_THE_ISRS_ERROR_HOOK) {
        (void)ActivateTask(Main);
    } else if (wanted == IN_A_CALLBACK_IN_AN_ISR) {
        expire();
    } else if (wanted == ISR_DISABLED) {
        DisableAllInterrupts();
        call_services(ISR_DISABLED);
        EnableAllInterrupts();
    } else if (wanted == ISR_OS_SUSPENDED) {
        SuspendOSInterrupts();
        call_services(ISR_OS_SUSPENDED);
        ResumeOSInterrupts();
    }
}

static void in_isr(enum place place)
{
    wanted = place;
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
}

TASK(Main)
{
    TickType ticks = 0;
    EventMaskType mask = 0;
    (void)ActivateTask(Waiter);
    call_services(IN_A_TASK);
    in_isr(IN_AN_ISR);
    in_isr(IN_THE_ISRS_ERROR_HOOK);
    in_isr(IN_A_CALLBACK_IN_AN_ISR);
    in_isr(ISR_DISABLED);
    in_isr(ISR_OS_SUSPENDED);
    wanted = IN_AN_ISR1;
    raw_if(IN_AN_ISR1);
    wanted = IN_THE_ISR1S_ERROR_HOOK;
    raw_if(IN_THE_ISR1S_ERROR_HOOK);
    wanted = ISR1_OVER_THE_ERROR_HOOK;
    (void)ActivateTask(Main);
    wanted = ISR1_OVER_PRETASK;
    (void)ActivateTask(High);
    wanted = ISR1_OVER_A_CALLBACK;
    expire();
    wanted = IN_A_CALLBACK;
    expire();
    wanted = CALLBACK_SUSPENDED;
    expire();
    wanted = IN_THE_ERROR_HOOK;
    (void)ActivateTask(Main);
    wanted = ERROR_HOOK_SUSPENDED;
    (void)ActivateTask(Main);
    wanted = IN_PRETASK;
    (void)ActivateTask(High);
    wanted = PRETASK_SUSPENDED;
    (void)ActivateTask(High);
    wanted = IN_POSTTASK;
    (void)ActivateTask(High);
    DisableAllInterrupts();
    call_services(TASK_DISABLED);
    EnableAllInterrupts();
    SuspendAllInterrupts();
    call_services(TASK_ALL_SUSPENDED);
    ResumeAllInterrupts();
    SuspendOSInterrupts();
    call_services(TASK_OS_SUSPENDED);
    ResumeOSInterrupts();
    EXPECT_IS("every-place-was-reached", wanted, NOWHERE);
    PLACES_OF(JUDGE_PLACE)
    (void)GetCounterValue(Soft, &ticks);
    EXPECT_IS("a-refused-increment-counts-nothing", ticks, 2);
    (void)GetEvent(Waiter, &mask);
    EXPECT_IS("a-refused-event-releases-nobody", mask, Unused);
    ShutdownOS(E_OK);
}

TASK(Other)
{
    TerminateTask();
}

TASK(High)
{
    TerminateTask();
}

TASK(Waiter)
{
    (void)WaitEvent(Go);
    TerminateTask();
}
