/* SPDX-License-Identifier: Apache-2.0
 *
 * Which service may be called from where: AUTOSAR OS R4, table "Allowed calling context for OS service calls" (chapter
 * 7.7.3.2), a line for each service, and a line for each place.
 *
 * A service that is called from a place that it does not name fails with E_OS_CALLEVEL (SWS_Os_00088).  Where it may be
 * called, but interrupts are disabled or suspended there, it fails with E_OS_DISABLEDINT (SWS_Os_00093). */
#ifndef MATRIX_H
#define MATRIX_H

#include "../conformance.h"

#define TASKS 1u
#define ISRS 2u /* of category 2 */
#define ERROR_HOOK 4u
#define TASK_HOOKS 8u /* PreTaskHook and PostTaskHook */
#define PROTECTION_HOOK 32u
#define NOBODY 16u /* ISRs of category 1, alarm callbacks, StartupHook and ShutdownHook: no service with a status */

/* X(name, service, from where, what it returns there, call).  The task holds Bus, and so does the ISR, from GetResource
 * on: so TerminateTask and the like return.  Every call leaves behind what it found. */
#define SERVICES_OF(X)                                                                                              \
    X("get-resource", GetResource, TASKS | ISRS, E_OK, GetResource(Bus))                                            \
    X("activate-task", ActivateTask, TASKS | ISRS, E_OS_LIMIT, ActivateTask(Main))                                  \
    X("terminate-task", TerminateTask, TASKS, E_OS_RESOURCE, TerminateTask())                                       \
    X("chain-task", ChainTask, TASKS, E_OS_RESOURCE, ChainTask(Other))                                              \
    X("schedule", Schedule, TASKS, E_OS_RESOURCE, Schedule())                                                       \
    X("get-task-id", GetTaskID, TASKS | ISRS | ERROR_HOOK | TASK_HOOKS | PROTECTION_HOOK, E_OK, GetTaskID(&task))   \
    X("get-task-state", GetTaskState, TASKS | ISRS | ERROR_HOOK | TASK_HOOKS, E_OK, GetTaskState(Main, &state))     \
    X("set-event", SetEvent, TASKS | ISRS, E_OK, SetEvent(Waiter, Unused))                                          \
    X("clear-event", ClearEvent, TASKS, E_OK, ClearEvent(Unused))                                                   \
    X("get-event", GetEvent, TASKS | ISRS | ERROR_HOOK | TASK_HOOKS, E_OK, GetEvent(Waiter, &mask))                 \
    X("wait-event", WaitEvent, TASKS, E_OS_RESOURCE, WaitEvent(Unused))                                             \
    X("get-alarm-base", GetAlarmBase, TASKS | ISRS | ERROR_HOOK | TASK_HOOKS, E_OK, GetAlarmBase(Running, &base))   \
    X("get-alarm", GetAlarm, TASKS | ISRS | ERROR_HOOK | TASK_HOOKS, E_OK, GetAlarm(Running, &ticks))               \
    X("set-rel-alarm", SetRelAlarm, TASKS | ISRS, E_OS_STATE, SetRelAlarm(Running, 90, 0))                          \
    X("set-abs-alarm", SetAbsAlarm, TASKS | ISRS, E_OS_STATE, SetAbsAlarm(Running, 90, 0))                          \
    X("cancel-alarm", CancelAlarm, TASKS | ISRS, E_OS_NOFUNC, CancelAlarm(Unset))                                   \
    X("increment-counter", IncrementCounter, TASKS | ISRS, E_OK, IncrementCounter(Soft))                            \
    X("get-counter-value", GetCounterValue, TASKS | ISRS, E_OK, GetCounterValue(Soft, &ticks))                      \
    X("get-elapsed-value", GetElapsedValue, TASKS | ISRS, E_OK, GetElapsedValue(Soft, &ticks, &elapsed))            \
    X("start-schedule-table-rel", StartScheduleTableRel, TASKS | ISRS, E_OS_STATE, StartScheduleTableRel(Begun, 1)) \
    X("start-schedule-table-abs", StartScheduleTableAbs, TASKS | ISRS, E_OS_STATE, StartScheduleTableAbs(Begun, 1)) \
    X("start-schedule-table-synchron", StartScheduleTableSynchron, TASKS | ISRS, E_OS_STATE,                        \
      StartScheduleTableSynchron(Waiting))                                                                          \
    X("stop-schedule-table", StopScheduleTable, TASKS | ISRS, E_OS_NOFUNC, StopScheduleTable(Stopped))              \
    X("next-schedule-table", NextScheduleTable, TASKS | ISRS, E_OS_NOFUNC, NextScheduleTable(Stopped, Waiting))     \
    X("sync-schedule-table", SyncScheduleTable, TASKS | ISRS, E_OS_STATE, SyncScheduleTable(Stopped, 1))            \
    X("set-schedule-table-async", SetScheduleTableAsync, TASKS | ISRS, E_OS_STATE, SetScheduleTableAsync(Stopped))  \
    X("get-schedule-table-status", GetScheduleTableStatus, TASKS | ISRS, E_OK, GetScheduleTableStatus(Begun, &of))  \
    X("release-resource", ReleaseResource, TASKS | ISRS, E_OK, ReleaseResource(Bus))

/* The places, which the case names: X(number, name, which it is, whether interrupts are disabled or suspended there).
 * FIRST is reached first; IS_IN_AN_ISR(place) and TELLS_NOTHING(place) say which of them are in a hook or callback in
 * an ISR, and in the error hook, which is told nothing of what fails in it. */
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
static volatile enum place wanted = FIRST;
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

#define JUDGE(name, service_, from, returns, call)                                                                  \
    {                                                                                                               \
        const struct answer *const it = &answers[place][k++];                                                       \
        const StatusType must = (((from)&of) == 0u) ? E_OS_CALLEVEL : disabled ? E_OS_DISABLEDINT : (returns);      \
        const bool tells = (must != E_OK) && (of != ERROR_HOOK) && !TELLS_NOTHING(place);                           \
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
    const bool is_isr = (of == ISRS) || IS_IN_AN_ISR(place);
    uint32_t k = 0;
    SERVICES_OF(JUDGE)
    judge(at, "keeps-its-mask", masks_kept[place], 0u);
    judge(at, "get-isr-id", isrs[place] == (is_isr ? Signal : INVALID_ISR), isrs[place]);
    judge(at, "get-active-application-mode", modes[place] == OSDEFAULTAPPMODE, modes[place]);
    carillon_port_unlock(saved);
}

#endif
