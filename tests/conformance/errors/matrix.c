/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"

#include "../conformance.h"

#define NUMBER_OF(number, name, of, disabled) number,
enum place { PLACES_OF(NUMBER_OF) PLACES, NOWHERE };

#define COUNTED(name, service, from, returns, call) +1
enum { SERVICES = 0 SERVICES_OF(COUNTED) };

/* What a call returned, and what the error hook was told of it. */
struct answer {
    StatusType status, told;
    OSServiceIdType service;
};
static struct answer answers[PLACES][SERVICES];
static bool masks_kept[PLACES];
static ISRType isrs[PLACES];
static AppModeType modes[PLACES];
static volatile enum place wanted = IN_STARTUP;
static struct answer error;

#define CALL(name, service_, from, returns, call) \
    error = (struct answer){.told = E_OK};        \
    error.status = (call);                        \
    answers[place][k++] = error;

static void call_services(enum place place)
{
    TaskType task;
    TaskStateType state;
    EventMaskType mask;
    AlarmBaseType base;
    TickType ticks = 0, elapsed;
    ScheduleTableStatusType of;
    uint32_t k = 0;
    wanted = NOWHERE;
    const uint32_t before = carillon_port_mask();
    SERVICES_OF(CALL)
    SuspendAllInterrupts();
    SuspendOSInterrupts();
    ResumeOSInterrupts();
    ResumeAllInterrupts();
    masks_kept[place] = carillon_port_mask() == before;
    isrs[place] = GetISRID();
    modes[place] = GetActiveApplicationMode();
    (void)task;
    (void)state;
    (void)mask;
    (void)base;
    (void)elapsed;
    (void)of;
}

static void call_if(enum place place)
{
    if (wanted == place) {
        call_services(place);
    }
}

static void call_if_suspended(enum place place)
{
    if (wanted == place) {
        SuspendAllInterrupts();
        call_services(place);
        ResumeAllInterrupts();
    }
}

#define JUDGE(name, service_, from, returns, call)                                                                  \
    {                                                                                                               \
        const struct answer *const it = &answers[place][k++];                                                       \
        const StatusType must = (((from)&of) == 0u) ? E_OS_CALLEVEL : disabled ? E_OS_DISABLEDINT : (returns);      \
        const bool tells = (must != E_OK) && (of != ERROR_HOOK) && (place != ISR1_OVER_THE_ERROR_HOOK);             \
        const bool told = tells ? (it->told == must) && (it->service == OSServiceId_##service_) : it->told == E_OK; \
        judge(at, name, (it->status == must) && told, it->status);                                                  \
    }

static void judge(const char *at, const char *name, bool holds, StatusType status)
{
    conformance_write(holds ? "ok " : "FAIL ");
    conformance_write(at);
    conformance_write("-");
    if (holds) {
        conformance_write(name);
        report_byte('\n');
    } else {
        report(name, status);
    }
}

/* Judge what was found in a place. */
static void judge_all(enum place place, const char *at, uint32_t of, bool disabled)
{
    const uint32_t saved = carillon_port_lock();
    const bool is_isr = (of == ISRS) || (place == IN_THE_ISRS_ERROR_HOOK) || (place == IN_A_CALLBACK_IN_AN_ISR);
    uint32_t k = 0;
    SERVICES_OF(JUDGE)
    judge(at, "keeps-its-mask", masks_kept[place], 0u);
    judge(at, "get-isr-id", isrs[place] == (is_isr ? Signal : INVALID_ISR), isrs[place]);
    judge(at, "get-active-application-mode", modes[place] == OSDEFAULTAPPMODE, modes[place]);
    carillon_port_unlock(saved);
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
