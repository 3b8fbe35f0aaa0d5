/* SPDX-License-Identifier: Apache-2.0 */
#include "../conformance.h"

/* More than the application has, and none of a constant: the compiler does not know them. */
static volatile ScheduleTableType first_too_many = 4u;
static volatile ScheduleTableType last_of_all = 255u;
static volatile CounterType no_counter = 2u;

static volatile uint8_t errors;
static volatile StatusType last;
static volatile OSServiceIdType service;
static StatusType statuses[10];
static uint32_t where;

void ErrorHook(StatusType error)
{
    errors++;
    last = error;
    service = OSErrorGetServiceId();
    if (where != 0u) {
        where = 0u;
        MARK('h');
        ScheduleTableStatusType status;
        statuses[0] = StartScheduleTableRel(Plain, 1);
        statuses[1] = StopScheduleTable(Plain);
        statuses[2] = GetScheduleTableStatus(Plain, &status);
    }
}

static void call(StatusType *seen)
{
    ScheduleTableStatusType status;
    TickType value = 0;
    TickType elapsed;
    seen[0] = StartScheduleTableRel(Plain, 1);
    seen[1] = StartScheduleTableAbs(Plain, 1);
    seen[2] = StartScheduleTableSynchron(Explicit);
    seen[3] = StopScheduleTable(Plain);
    seen[4] = NextScheduleTable(Explicit, Plain);
    seen[5] = SyncScheduleTable(Explicit, 1);
    seen[6] = SetScheduleTableAsync(Explicit);
    seen[7] = GetScheduleTableStatus(Plain, &status);
    seen[8] = GetCounterValue(Soft, &value);
    seen[9] = GetElapsedValue(Soft, &value, &elapsed);
}

#define EXPECT_ALL(name, expected)                                               \
    do {                                                                         \
        EXPECT_IS(name "-start-schedule-table-rel", statuses[0], expected);      \
        EXPECT_IS(name "-start-schedule-table-abs", statuses[1], expected);      \
        EXPECT_IS(name "-start-schedule-table-synchron", statuses[2], expected); \
        EXPECT_IS(name "-stop-schedule-table", statuses[3], expected);           \
        EXPECT_IS(name "-next-schedule-table", statuses[4], expected);           \
        EXPECT_IS(name "-sync-schedule-table", statuses[5], expected);           \
        EXPECT_IS(name "-set-schedule-table-async", statuses[6], expected);      \
        EXPECT_IS(name "-get-schedule-table-status", statuses[7], expected);     \
        EXPECT_IS(name "-get-counter-value", statuses[8], expected);             \
        EXPECT_IS(name "-get-elapsed-value", statuses[9], expected);             \
    } while (0)

ISR(Signal)
{
    DisableAllInterrupts();
    call(statuses);
    EnableAllInterrupts();
}

ALARMCALLBACK(OnCall)
{
    call(statuses);
}

static void identifiers(void)
{
    ScheduleTableStatusType status = 77u;
    TickType value = 77u;
    TickType elapsed = 77u;
    EXPECT_IS("no-table-started-relatively", StartScheduleTableRel(first_too_many, 1), E_OS_ID);
    EXPECT_IS("that-service", service, OSServiceId_StartScheduleTableRel);
    EXPECT_IS("the-last-of-all-started-relatively", StartScheduleTableRel(last_of_all, 1), E_OS_ID);
    EXPECT_IS("no-table-started-absolutely", StartScheduleTableAbs(first_too_many, 1), E_OS_ID);
    EXPECT_IS("the-absolute-service", service, OSServiceId_StartScheduleTableAbs);
    EXPECT_IS("no-table-started-synchronously", StartScheduleTableSynchron(first_too_many), E_OS_ID);
    EXPECT_IS("the-synchronous-service", service, OSServiceId_StartScheduleTableSynchron);
    EXPECT_IS("no-table-stopped", StopScheduleTable(first_too_many), E_OS_ID);
    EXPECT_IS("the-stopping-service", service, OSServiceId_StopScheduleTable);
    EXPECT_IS("no-table-followed", NextScheduleTable(first_too_many, Plain), E_OS_ID);
    EXPECT_IS("the-next-service", service, OSServiceId_NextScheduleTable);
    EXPECT_IS("no-table-following", NextScheduleTable(Plain, first_too_many), E_OS_ID);
    EXPECT_IS("no-table-synchronised", SyncScheduleTable(first_too_many, 1), E_OS_ID);
    EXPECT_IS("the-synchronising-service", service, OSServiceId_SyncScheduleTable);
    EXPECT_IS("no-table-set-asynchronous", SetScheduleTableAsync(first_too_many), E_OS_ID);
    EXPECT_IS("the-asynchronous-service", service, OSServiceId_SetScheduleTableAsync);
    EXPECT_IS("no-table-asked-for-its-status", GetScheduleTableStatus(first_too_many, &status), E_OS_ID);
    EXPECT_IS("the-status-service", service, OSServiceId_GetScheduleTableStatus);
    EXPECT_IS("which-writes-nothing", status, 77);
    EXPECT_IS("no-counter-asked-for-its-value", GetCounterValue(no_counter, &value), E_OS_ID);
    EXPECT_IS("the-value-service", service, OSServiceId_GetCounterValue);
    EXPECT_IS("no-counter-asked-for-what-has-elapsed", GetElapsedValue(no_counter, &value, &elapsed), E_OS_ID);
    EXPECT_IS("the-elapsed-service", service, OSServiceId_GetElapsedValue);
    EXPECT_IS("each-calls-the-error-hook", errors, 12);
    EXPECT_IS("with-its-error", last, E_OS_ID);

    EXPECT_IS("an-implicit-table-started-relatively", StartScheduleTableRel(Implicit, 1), E_OS_ID);
    EXPECT_IS("a-plain-table-started-synchronously", StartScheduleTableSynchron(Plain), E_OS_ID);
    EXPECT_IS("an-implicit-table-started-synchronously", StartScheduleTableSynchron(Implicit), E_OS_ID);
    EXPECT_IS("a-plain-table-synchronised", SyncScheduleTable(Plain, 1), E_OS_ID);
    EXPECT_IS("an-implicit-table-synchronised", SyncScheduleTable(Implicit, 1), E_OS_ID);
    EXPECT_IS("a-plain-table-set-asynchronous", SetScheduleTableAsync(Plain), E_OS_ID);
    EXPECT_IS("an-implicit-table-set-asynchronous", SetScheduleTableAsync(Implicit), E_OS_ID);
    (void)StartScheduleTableRel(Plain, 1);
    (void)StartScheduleTableSynchron(Explicit);
    EXPECT_IS("a-table-of-another-counter-following", NextScheduleTable(Plain, Elsewhere), E_OS_ID);
    EXPECT_IS("a-table-of-another-synchronisation-following", NextScheduleTable(Plain, Implicit), E_OS_ID);
    EXPECT_IS("a-plain-table-following-an-explicit-one", NextScheduleTable(Explicit, Implicit), E_OS_ID);
    EXPECT_IS("nothing-follows", StopScheduleTable(Implicit) + StopScheduleTable(Elsewhere), 2u * E_OS_NOFUNC);
    EXPECT_IS("stopping-what-was-started", StopScheduleTable(Plain) + StopScheduleTable(Explicit), E_OK);
}

static void values(void)
{
    TickType value = 100;
    TickType elapsed = 77u;
    EXPECT_IS("an-offset-of-0", StartScheduleTableRel(Plain, 0), E_OS_VALUE);
    EXPECT_IS("an-offset-too-great-for-the-initial-offset", StartScheduleTableRel(Plain, 60), E_OS_VALUE);
    EXPECT_IS("the-greatest-offset-of-all", StartScheduleTableRel(Plain, 0xFFFFFFFFu), E_OS_VALUE);
    EXPECT_IS("no-offset-that-wraps-around-is-taken", StartScheduleTableRel(Plain, 0xFFFFFFFFu - 39u), E_OS_VALUE);
    EXPECT_IS("a-table-refused-is-stopped", StopScheduleTable(Plain), E_OS_NOFUNC);
    EXPECT_IS("the-greatest-offset", StartScheduleTableRel(Plain, 59) + StopScheduleTable(Plain), E_OK);
    EXPECT_IS("without-initial-offset-maxallowedvalue-is-one",
              StartScheduleTableRel(Elsewhere, 99) + StopScheduleTable(Elsewhere), E_OK);
    EXPECT_IS("one-more-is-not", StartScheduleTableRel(Elsewhere, 100), E_OS_VALUE);
    EXPECT_IS("a-start-above-maxallowedvalue", StartScheduleTableAbs(Plain, 100), E_OS_VALUE);
    EXPECT_IS("the-greatest-start-of-all", StartScheduleTableAbs(Plain, 0xFFFFFFFFu), E_OS_VALUE);
    EXPECT_IS("the-greatest-start", StartScheduleTableAbs(Plain, 99) + StopScheduleTable(Plain), E_OK);
    EXPECT_IS("a-start-at-0", StartScheduleTableAbs(Plain, 0) + StopScheduleTable(Plain), E_OK);
    (void)StartScheduleTableSynchron(Explicit);
    EXPECT_IS("a-synchronisation-value-of-the-duration", SyncScheduleTable(Explicit, 30), E_OS_VALUE);
    EXPECT_IS("the-greatest-of-all", SyncScheduleTable(Explicit, 0xFFFFFFFFu), E_OS_VALUE);
    EXPECT_IS("a-table-refused-still-waits", SetScheduleTableAsync(Explicit), E_OS_STATE);
    EXPECT_IS("the-greatest-synchronisation-value", SyncScheduleTable(Explicit, 29), E_OK);
    EXPECT_IS("the-least", SyncScheduleTable(Explicit, 0), E_OK);
    EXPECT_IS("a-duration-while-it-runs", SyncScheduleTable(Explicit, 30), E_OS_VALUE);
    (void)StopScheduleTable(Explicit);
    EXPECT_IS("a-previous-value-above-maxallowedvalue", GetElapsedValue(Soft, &value, &elapsed), E_OS_VALUE);
    EXPECT_IS("which-is-left", value, 100);
    EXPECT_IS("and-nothing-has-elapsed", elapsed, 77);
}

TASK(Main)
{
    identifiers();
    values();

    DisableAllInterrupts();
    call(statuses);
    EnableAllInterrupts();
    EXPECT_ALL("while-all-are-disabled", E_OS_DISABLEDINT);
    SuspendAllInterrupts();
    call(statuses);
    ResumeAllInterrupts();
    EXPECT_ALL("while-all-are-suspended", E_OS_DISABLEDINT);
    SuspendOSInterrupts();
    call(statuses);
    ResumeOSInterrupts();
    EXPECT_ALL("while-os-interrupts-are-suspended", E_OS_DISABLEDINT);
    carillon_port_pend(CARILLON_ISR_SOURCE_Signal);
    EXPECT_ALL("in-an-isr-while-all-are-disabled", E_OS_DISABLEDINT);

    (void)SetRelAlarm(Call, 1, 0);
    (void)IncrementCounter(Other);
    EXPECT_ALL("in-a-callback", E_OS_CALLEVEL);
    where = 1u;
    (void)StopScheduleTable(Plain);
    EXPECT_MARKS("the-error-hook", "h");
    EXPECT_IS("in-the-error-hook-starting", statuses[0], E_OS_CALLEVEL);
    EXPECT_IS("in-the-error-hook-stopping", statuses[1], E_OS_CALLEVEL);
    EXPECT_IS("in-the-error-hook-asking", statuses[2], E_OS_CALLEVEL);
    EXPECT_IS("nothing-has-been-started", StopScheduleTable(Plain) + StopScheduleTable(Explicit), 2u * E_OS_NOFUNC);
    FINISH();
}

TASK(A)
{
    MARK('!');
    TerminateTask();
}
