/* SPDX-License-Identifier: Apache-2.0
 *
 * Which service may be called from where: AUTOSAR OS R4, table "Allowed calling context for OS service calls" (chapter
 * 7.7.3.2), a line for each service, and a line for each place.
 *
 * A service that is called from a place that it does not name fails with E_OS_CALLEVEL (SWS_Os_00088).  Where it may be
 * called, but interrupts are disabled or suspended there, it fails with E_OS_DISABLEDINT (SWS_Os_00093). */
#ifndef MATRIX_H
#define MATRIX_H

#define TASKS 1u
#define ISRS 2u /* of category 2 */
#define ERROR_HOOK 4u
#define TASK_HOOKS 8u /* PreTaskHook and PostTaskHook */
#define NOBODY 16u    /* ISRs of category 1, alarm callbacks, StartupHook and ShutdownHook: no service with a status */

/* X(name, service, from where, what it returns there, call).  The task holds Bus, and so does the ISR, from GetResource
 * on: so TerminateTask and the like return.  Every call leaves behind what it found. */
#define SERVICES_OF(X)                                                                                              \
    X("get-resource", GetResource, TASKS | ISRS, E_OK, GetResource(Bus))                                            \
    X("activate-task", ActivateTask, TASKS | ISRS, E_OS_LIMIT, ActivateTask(Main))                                  \
    X("terminate-task", TerminateTask, TASKS, E_OS_RESOURCE, TerminateTask())                                       \
    X("chain-task", ChainTask, TASKS, E_OS_RESOURCE, ChainTask(Other))                                              \
    X("schedule", Schedule, TASKS, E_OS_RESOURCE, Schedule())                                                       \
    X("get-task-id", GetTaskID, TASKS | ISRS | ERROR_HOOK | TASK_HOOKS, E_OK, GetTaskID(&task))                     \
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

/* X(number, name, which it is, whether interrupts are disabled or suspended there) */
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

#endif
