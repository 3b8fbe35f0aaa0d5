/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

enum place { NOWHERE, ERROR, PRETASK, POSTTASK };

static volatile enum place request;
static volatile bool calls;
static StatusType statuses[7];
static TaskType identity;
static TaskStateType state;
static EventMaskType mask;
static TickType ticks;
static AlarmBaseType base;
static AppModeType mode = 99u;

static void call_all(void)
{
    statuses[0] = GetTaskID(&identity);
    statuses[1] = GetTaskState(Waiter, &state);
    statuses[2] = GetEvent(Waiter, &mask);
    statuses[3] = GetAlarmBase(Alarm, &base);
    statuses[4] = GetAlarm(Alarm, &ticks);
    mode = GetActiveApplicationMode();
    SuspendAllInterrupts();
    ResumeAllInterrupts();
}

static void in(enum place place)
{
    if (calls && request == place) {
        call_all();
    } else if (request == place) {
        request = NOWHERE;
        MARK('(');
        carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
        SuspendAllInterrupts();
        ResumeAllInterrupts();
        MARK(')');
    }
}

void StartupHook(void)
{
    MARK('S');
    mode = GetActiveApplicationMode();
}

void ErrorHook(StatusType error)
{
    (void)error;
    in(ERROR);
}

void PreTaskHook(void)
{
    in(PRETASK);
}

void PostTaskHook(void)
{
    in(POSTTASK);
}

ALARMCALLBACK(OnCall)
{
    MARK('(');
    SuspendAllInterrupts();
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    ResumeAllInterrupts();
    MARK(')');
}

ISR(Signal)
{
    MARK('s');
}

static void reset(enum place place)
{
    for (uint8_t i = 0; i < 5u; i++) {
        statuses[i] = 99u;
    }
    identity = INVALID_TASK;
    state = 99u;
    mask = 99u;
    ticks = 99u;
    base.maxallowedvalue = 0;
    mode = 99u;
    request = place;
}

#define CALLED(name, task)                                               \
    do {                                                                 \
        request = NOWHERE;                                               \
        EXPECT_IS(name "-get-task-id", statuses[0], E_OK);               \
        EXPECT_IS(name "-the-task", identity, task);                     \
        EXPECT_IS(name "-get-task-state", statuses[1], E_OK);            \
        EXPECT_IS(name "-the-state", state, WAITING);                    \
        EXPECT_IS(name "-get-event", statuses[2], E_OK);                 \
        EXPECT_IS(name "-the-events", mask, 0);                          \
        EXPECT_IS(name "-get-alarm-base", statuses[3], E_OK);            \
        EXPECT_IS(name "-the-base", base.maxallowedvalue, 100);          \
        EXPECT_IS(name "-get-alarm", statuses[4], E_OK);                 \
        EXPECT_IS(name "-the-ticks", ticks, 50);                         \
        EXPECT_IS(name "-the-application-mode", mode, OSDEFAULTAPPMODE); \
    } while (0)

TASK(Main)
{
    EXPECT_MARKS("the-startup-hook-came-first", "S");
    EXPECT_IS("the-application-mode-in-the-startup-hook", mode, OSDEFAULTAPPMODE);
    (void)ActivateTask(Waiter);

    request = ERROR;
    (void)CancelAlarm(Alarm);
    MARK('m');
    EXPECT_MARKS("a-request-in-the-error-hook-is-served-after-it", "()sm");

    request = PRETASK;
    (void)ActivateTask(High);
    MARK('m');
    EXPECT_MARKS("a-request-in-the-pretask-hook-is-served-after-it", "()shm");

    request = POSTTASK;
    (void)ActivateTask(High);
    MARK('m');
    EXPECT_MARKS("a-request-in-the-posttask-hook-of-a-preempted-task-is-served-after-it", "()shm");

    (void)SetRelAlarm(Call, 1, 0);
    (void)IncrementCounter(Soft);
    MARK('m');
    EXPECT_MARKS("a-request-in-an-alarm-callback-is-served-after-it", "()sm");

    (void)SetRelAlarm(Alarm, 50, 0);
    calls = true;
    reset(ERROR);
    (void)CancelAlarm(Call);
    CALLED("in-the-error-hook", Main);
    reset(PRETASK);
    (void)ActivateTask(High);
    EXPECT_IS("in-the-pretask-hook-of-main-again", identity, Main);
    reset(POSTTASK);
    (void)ActivateTask(High);
    CALLED("in-the-posttask-hook", High);
    conformance_marked = 0;
    FINISH();
}

TASK(High)
{
    MARK('h');
    if (calls && request == PRETASK) {
        CALLED("in-the-pretask-hook", High);
        request = PRETASK;
    }
    TerminateTask();
}

TASK(Waiter)
{
    (void)WaitEvent(Go);
    TerminateTask();
}
