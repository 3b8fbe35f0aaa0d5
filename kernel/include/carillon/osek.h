/* SPDX-License-Identifier: Apache-2.0
 *
 * OSEK/VDX OS 2.2.3: the services of the event-triggered kernel, under the standard's names.  Chapters are
 * those of the standard.  Of AUTOSAR OS there are IncrementCounter and the error codes from E_OS_SERVICEID on.
 *
 * A task is an interrupt.  Where nothing more is asked (a basic task with a priority of its own, one activation,
 * STANDARD status, no hook), its vector is its function, and what the compiler knows about a call it does not
 * leave to run time: the task that is named, and the one that names it (CARILLON_CALLER_LEVEL).
 */
#ifndef CARILLON_OSEK_H
#define CARILLON_OSEK_H

#include <stdint.h>

#include "carillon/work.h"
#include "carillon_config.h"
#include "carillon_port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Status values (chapter 13.1; from E_OS_SERVICEID on AUTOSAR's). */
typedef uint8_t StatusType;
#define E_OK 0u
#define E_OS_ACCESS 1u
#define E_OS_CALLEVEL 2u
#define E_OS_ID 3u
#define E_OS_LIMIT 4u
#define E_OS_NOFUNC 5u
#define E_OS_RESOURCE 6u
#define E_OS_STATE 7u
#define E_OS_VALUE 8u
#define E_OS_SERVICEID 9u
#define E_OS_ILLEGAL_ADDRESS 10u
#define E_OS_MISSINGEND 11u
#define E_OS_DISABLEDINT 12u
#define E_OS_STACKFAULT 13u

typedef uint8_t TaskType;
typedef TaskType *TaskRefType;
#define INVALID_TASK ((TaskType)255u)

typedef uint8_t TaskStateType;
typedef TaskStateType *TaskStateRefType;
#define RUNNING ((TaskStateType)0u)
#define WAITING ((TaskStateType)1u)
#define READY ((TaskStateType)2u)
#define SUSPENDED ((TaskStateType)3u)

typedef uint8_t ResourceType;
typedef uint32_t EventMaskType;
typedef EventMaskType *EventMaskRefType;
typedef uint8_t CounterType;
typedef uint8_t AlarmType;
typedef uint32_t TickType;
typedef TickType *TickRefType;
typedef struct {
    TickType maxallowedvalue;
    TickType ticksperbase;
    TickType mincycle;
} AlarmBaseType;
typedef AlarmBaseType *AlarmBaseRefType;
typedef uint8_t AppModeType;
typedef uint8_t OSServiceIdType;

/* What an extended task has beside its job: its context is ready to be resumed whenever the task is not running. */
struct carillon_osek_extended {
    struct carillon_context context;
    EventMaskType set;
    EventMaskType waited; /* 0: it does not wait */
};

/* A managed task's state.  `activations` counts those that wait, and the one that runs: 0 is SUSPENDED.  `next` says
 * how the job that runs has ended: a task that it chains, or one of the two below. */
struct carillon_osek_job {
    uint8_t activations;
    uint8_t next;
};
#define CARILLON_OSEK_TERMINATED 255u
#define CARILLON_OSEK_GOES_ON 254u
extern struct carillon_osek_job carillon_osek_jobs[];

#include "carillon_osek.h"

/* What the compiler knows of the place of a call.  In the body of a task `carillon_here` is the function's parameter,
 * whose type is the task's; elsewhere it is this declaration.  Its vector passes nothing and its body reads nothing:
 * only the size of the type is used.  0: not in the body of a task. */
struct carillon_elsewhere {
    char carillon_level[1];
};
extern const struct carillon_elsewhere *const carillon_here;
#define CARILLON_CALLER_LEVEL ((uint8_t)(sizeof(carillon_here->carillon_level) - 1u))

/* Constructional elements (chapters 13.2 to 13.6).  Declarations add nothing: the tool declares every object. */
#ifdef __cplusplus
#define CARILLON_C extern "C"
#else
#define CARILLON_C
#endif
#define TASK(name) \
    CARILLON_C void carillon_task_##name(const struct carillon_at_##name *carillon_here __attribute__((__unused__)))
#define ISR(name) CARILLON_C void carillon_isr_##name(void)
#define ALARMCALLBACK(name) CARILLON_C void carillon_callback_##name(void)
#define DeclareTask(name) struct carillon_at_##name
#define DeclareResource(name) struct carillon_resource_##name
#define DeclareEvent(name) struct carillon_event_##name
#define DeclareAlarm(name) struct carillon_alarm_##name
#define DeclareCounter(name) struct carillon_counter_##name

/* Services that the error hook can ask for (chapter 11.2). */
#define OSServiceId_ActivateTask 1u
#define OSServiceId_TerminateTask 2u
#define OSServiceId_ChainTask 3u
#define OSServiceId_Schedule 4u
#define OSServiceId_GetTaskID 5u
#define OSServiceId_GetTaskState 6u
#define OSServiceId_GetResource 7u
#define OSServiceId_ReleaseResource 8u
#define OSServiceId_SetEvent 9u
#define OSServiceId_ClearEvent 10u
#define OSServiceId_GetEvent 11u
#define OSServiceId_WaitEvent 12u
#define OSServiceId_GetAlarmBase 13u
#define OSServiceId_GetAlarm 14u
#define OSServiceId_SetRelAlarm 15u
#define OSServiceId_SetAbsAlarm 16u
#define OSServiceId_CancelAlarm 17u
#define OSServiceId_IncrementCounter 18u
#define OSServiceId_StartOS 19u
#define OSServiceId_ShutdownOS 20u

/* Starting and stopping (chapter 13.7).  StartOS activates the tasks and sets the alarms of the mode's autostart and
 * then idles; it does not return.  ShutdownOS does not return either. */
void StartOS(AppModeType mode) __attribute__((noreturn));
void ShutdownOS(StatusType error) __attribute__((noreturn));
AppModeType GetActiveApplicationMode(void);

/* Tasks (chapter 13.2).  ActivateTask: E_OK, E_OS_LIMIT; extended status: E_OS_ID.  TerminateTask and ChainTask
 * return only in an error: E_OS_LIMIT (ChainTask); extended status: E_OS_RESOURCE, E_OS_CALLEVEL, E_OS_ID. */
StatusType ActivateTask(TaskType task);
StatusType TerminateTask(void) __asm__(CARILLON_SYMBOL_PREFIX "carillon_terminate_used");
StatusType ChainTask(TaskType task) __asm__(CARILLON_SYMBOL_PREFIX "carillon_chain_used");
StatusType Schedule(void);
StatusType GetTaskID(TaskRefType task);
StatusType GetTaskState(TaskType task, TaskStateRefType state);

/* Interrupts (chapter 13.3): those of the event-triggered system; time-triggered tasks are never held back. */
void EnableAllInterrupts(void);
void DisableAllInterrupts(void);
void ResumeAllInterrupts(void);
void SuspendAllInterrupts(void);
void ResumeOSInterrupts(void);
void SuspendOSInterrupts(void);

/* Resources (chapter 13.4).  Extended status: E_OS_ID, E_OS_ACCESS, E_OS_NOFUNC (ReleaseResource). */
StatusType GetResource(ResourceType resource);
StatusType ReleaseResource(ResourceType resource);

/* Events (chapter 13.5).  Extended status: E_OS_ID, E_OS_ACCESS, E_OS_STATE, E_OS_CALLEVEL, E_OS_RESOURCE. */
StatusType SetEvent(TaskType task, EventMaskType mask);
StatusType ClearEvent(EventMaskType mask);
StatusType GetEvent(TaskType task, EventMaskRefType mask);
StatusType WaitEvent(EventMaskType mask);

/* Alarms (chapter 13.6).  Times in ticks of the alarm's counter.  E_OS_STATE: in use already; E_OS_NOFUNC: not in
 * use; E_OS_VALUE: an increment of 0, in extended status any value outside the counter's limits. */
StatusType GetAlarmBase(AlarmType alarm, AlarmBaseRefType info);
StatusType GetAlarm(AlarmType alarm, TickRefType ticks);
StatusType SetRelAlarm(AlarmType alarm, TickType increment, TickType cycle);
StatusType SetAbsAlarm(AlarmType alarm, TickType start, TickType cycle);
StatusType CancelAlarm(AlarmType alarm);

/* Advance a software counter by a tick (AUTOSAR OS, SWS_Os_00399).  Extended status: E_OS_ID. */
StatusType IncrementCounter(CounterType counter);

/* Hooks (chapter 11), defined by the application where the configuration names them. */
void StartupHook(void);
void ShutdownHook(StatusType error);
void ErrorHook(StatusType error);
void PreTaskHook(void);
void PostTaskHook(void);

/* In the error hook: which service failed, and what it was called with. */
struct carillon_osek_failure {
    void *reference;
    uint32_t first;
    uint32_t second;
    uint8_t object;
    OSServiceIdType service;
    StatusType status;
};
extern struct carillon_osek_failure carillon_osek_failure;
static inline uint8_t carillon_failed_object(void)
{
    return carillon_osek_failure.object;
}
static inline OSServiceIdType carillon_failed_service(void)
{
    return carillon_osek_failure.service;
}
static inline void *carillon_failed_reference(void)
{
    return carillon_osek_failure.reference;
}
static inline uint32_t carillon_failed_first(void)
{
    return carillon_osek_failure.first;
}
static inline uint32_t carillon_failed_second(void)
{
    return carillon_osek_failure.second;
}
#if CARILLON_OSEK_SERVICE_ID
#define OSErrorGetServiceId() (carillon_failed_service())
#endif
#if CARILLON_OSEK_PARAMETER_ACCESS
#define OSError_ActivateTask_TaskID() ((TaskType)carillon_failed_object())
#define OSError_ChainTask_TaskID() ((TaskType)carillon_failed_object())
#define OSError_GetTaskID_TaskID() ((TaskRefType)carillon_failed_reference())
#define OSError_GetTaskState_TaskID() ((TaskType)carillon_failed_object())
#define OSError_GetTaskState_State() ((TaskStateRefType)carillon_failed_reference())
#define OSError_GetResource_ResID() ((ResourceType)carillon_failed_object())
#define OSError_ReleaseResource_ResID() ((ResourceType)carillon_failed_object())
#define OSError_SetEvent_TaskID() ((TaskType)carillon_failed_object())
#define OSError_SetEvent_Mask() ((EventMaskType)carillon_failed_first())
#define OSError_ClearEvent_Mask() ((EventMaskType)carillon_failed_first())
#define OSError_GetEvent_TaskID() ((TaskType)carillon_failed_object())
#define OSError_GetEvent_Event() ((EventMaskRefType)carillon_failed_reference())
#define OSError_WaitEvent_Mask() ((EventMaskType)carillon_failed_first())
#define OSError_GetAlarmBase_AlarmID() ((AlarmType)carillon_failed_object())
#define OSError_GetAlarmBase_Info() ((AlarmBaseRefType)carillon_failed_reference())
#define OSError_GetAlarm_AlarmID() ((AlarmType)carillon_failed_object())
#define OSError_GetAlarm_Tick() ((TickRefType)carillon_failed_reference())
#define OSError_SetRelAlarm_AlarmID() ((AlarmType)carillon_failed_object())
#define OSError_SetRelAlarm_increment() ((TickType)carillon_failed_first())
#define OSError_SetRelAlarm_cycle() ((TickType)carillon_failed_second())
#define OSError_SetAbsAlarm_AlarmID() ((AlarmType)carillon_failed_object())
#define OSError_SetAbsAlarm_start() ((TickType)carillon_failed_first())
#define OSError_SetAbsAlarm_cycle() ((TickType)carillon_failed_second())
#define OSError_CancelAlarm_AlarmID() ((AlarmType)carillon_failed_object())
#define OSError_IncrementCounter_CounterID() ((CounterType)carillon_failed_object())
#endif

/* Bytes of an extended task's stack that have been used at most so far; 0 of a basic task. */
uint32_t carillon_stack_used(TaskType task);

#if (CARILLON_OSEK_RESOURCES > 0) && !CARILLON_OSEK_EXTENDED && !CARILLON_OSEK_SOFTWARE

/* A resource is the mask that was before, for each that is known by name. */
extern uint32_t carillon_osek_saved[];
static inline __attribute__((always_inline)) StatusType carillon_get_resource(ResourceType resource)
{
    carillon_osek_saved[resource] = carillon_port_raise(carillon_resource_ceilings[resource]);
    return E_OK;
}
static inline __attribute__((always_inline)) StatusType carillon_release_resource(ResourceType resource)
{
    carillon_port_restore(carillon_osek_saved[resource]);
    return E_OK;
}
#define GetResource(resource) \
    (__builtin_constant_p(resource) ? carillon_get_resource(resource) : (GetResource)(resource))
#define ReleaseResource(resource) \
    (__builtin_constant_p(resource) ? carillon_release_resource(resource) : (ReleaseResource)(resource))
#endif

/* Where the task that is named is known to the compiler, and nothing is checked, a service is a few instructions.
 * A service in parentheses, (ActivateTask)(task), is the function. */
#define CARILLON_OSEK_INLINE \
    (!CARILLON_OSEK_EXTENDED && !CARILLON_OSEK_ERROR_HOOK && !CARILLON_OSEK_SOFTWARE && (CARILLON_OSEK_TASKS > 0u))

#if CARILLON_OSEK_INLINE

/* Direct tasks: what the standard's services come to where a task is nothing but an interrupt.
 *
 * ActivateTask sets a pending bit.  The controller absorbs a second request of a task that waits already, as the
 * standard's E_OS_LIMIT does; a task that has begun must not be requested, so where that is possible (not from a
 * task of lower priority, which would not be running then) its active bit is looked at.  The status is worked out
 * only if the caller uses it: the claim below, and what it looks at, is for the status alone.
 *
 * Of two callers, one of which preempts the other, one at most may be told E_OK for one run:
 *
 * 1. Whether the task has begun does not change while the caller runs, if the task cannot preempt the caller.  If it
 *    can, it has ended whenever the caller runs.
 * 2. So what another caller may change is the pending bit.  All who may are at most at the level of the kernel's lock.
 *    A caller at that level only looks.
 * 3. A caller that the task cannot preempt claims the run under the lock: it looks at the pending bit and sets it.
 *    Nobody comes in between, and the bit stays until the caller has ended.  So the request that follows adds nothing.
 * 4. Any other caller may be one that the task preempts at once, unless something is masked.
 *    carillon_osek_claim finds out.  If the task would preempt the caller, it leaves the request to what follows:
 *    the task has no run to share, since every run that was requested before has begun and ended.
 * 5. A cell that requests the task meanwhile gets no status: its expiry is the activation too many. */
StatusType carillon_osek_claim(TaskType task) __attribute__((pure));
static inline __attribute__((always_inline)) StatusType carillon_activate_direct(TaskType task, uint16_t source,
                                                                                 uint8_t level, uint8_t caller)
{
    const bool above = (caller != 0u) && (level > caller);
    if (!above && carillon_port_peek_active(source)) {
        return E_OS_LIMIT;
    }
    StatusType status;
    if ((caller == 0u) || above) {
        status = carillon_osek_claim(task);
    } else if (caller < CARILLON_OSEK_TOP) {
        status = carillon_port_claim(source, CARILLON_OSEK_TOP) ? E_OK : E_OS_LIMIT;
    } else {
        status = carillon_port_peek_pending(source) ? E_OS_LIMIT : E_OK;
    }
    carillon_port_request(source);
    if ((caller == 0u) || above) {
        carillon_port_barrier();
    }
    return status;
}

/* Managed tasks of which one activation at most waits (osek_kernel.h has the general case). */
static inline __attribute__((always_inline)) StatusType carillon_activate_managed(TaskType task)
{
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
    struct carillon_osek_job *const job = &carillon_osek_jobs[task];
    StatusType status = E_OS_LIMIT;
    if (job->activations == 0u) {
        job->activations = 1u;
#if CARILLON_OSEK_EVENTS
        if (carillon_known_extended[task] != NULL) {
            carillon_known_extended[task]->set = 0u;
        }
#endif
        carillon_port_write(carillon_known_requests[task].address, carillon_known_requests[task].value);
        status = E_OK;
    }
    carillon_port_restore(saved);
    return status;
}

/* ARRAYS[task] of a constant task, and 0 of any other. */
#define CARILLON_KNOWN(arrays, task) \
    (__builtin_constant_p(task) ? (arrays)[__builtin_constant_p(task) ? (task) : 0u] : 0u)

static inline __attribute__((always_inline)) StatusType carillon_activate(TaskType task, uint8_t caller)
{
    return (carillon_direct_sources[task] != 0u)
               ? carillon_activate_direct(task, carillon_direct_sources[task], carillon_known_levels[task], caller)
               : carillon_activate_managed(task);
}
#define ActivateTask(task)                                                                                   \
    ((CARILLON_KNOWN(carillon_known_tasks, (task)) != 0u) ? carillon_activate((task), CARILLON_CALLER_LEVEL) \
                                                          : (ActivateTask)(task))

#if CARILLON_OSEK_EVENTS
static inline __attribute__((always_inline)) StatusType carillon_set_event(TaskType task, EventMaskType mask)
{
    struct carillon_osek_extended *const extended = carillon_known_extended[task];
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
    extended->set |= mask;
    if ((extended->set & extended->waited) != 0u) {
        extended->waited = 0u;
        carillon_port_write(carillon_known_requests[task].address, carillon_known_requests[task].value);
    }
    carillon_port_restore(saved);
    return E_OK;
}
#define SetEvent(task, mask)                                                                               \
    (((CARILLON_KNOWN(carillon_known_tasks, (task)) != 0u) &&                                              \
      (carillon_known_extended[CARILLON_KNOWN(carillon_known_tasks, (task)) != 0u ? (task) : 0u] != NULL)) \
         ? carillon_set_event((task), (mask))                                                              \
         : (SetEvent)((task), (mask)))
#endif

#ifndef __cplusplus
/* Ends a task from its own body.  A direct task has nothing left to do but to return; a request by its cell that came
 * while it ran is one activation too many (E_OS_LIMIT): it is taken back. */
StatusType carillon_osek_TerminateTask(void);
StatusType carillon_osek_ChainTask(TaskType task);
void carillon_terminate_managed(void) __attribute__((noreturn));
#define TerminateTask()                                                                     \
    __extension__({                                                                         \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wreturn-type\""); \
        if (carillon_direct_ends[CARILLON_CALLER_LEVEL] != 0u) {                            \
            if (carillon_direct_ends[CARILLON_CALLER_LEVEL] != CARILLON_DIRECT_NO_CELL) {   \
                carillon_port_unpend(carillon_direct_ends[CARILLON_CALLER_LEVEL]);          \
            }                                                                               \
            return;                                                                         \
        }                                                                                   \
        _Pragma("GCC diagnostic pop");                                                      \
        if (CARILLON_CALLER_LEVEL != 0u) {                                                  \
            carillon_terminate_managed();                                                   \
        }                                                                                   \
        (TerminateTask)();                                                                  \
    })

/* The same, after it has had another task activated for the time when it has ended. */
StatusType carillon_chain_direct(TaskType task);
#define ChainTask(task)                                                                                          \
    __extension__({                                                                                              \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wreturn-type\"");                      \
        StatusType carillon_status;                                                                              \
        if (carillon_direct_ends[CARILLON_CALLER_LEVEL] != 0u) {                                                 \
            carillon_status = carillon_chain_direct(task);                                                       \
            if (carillon_status == E_OK) {                                                                       \
                return;                                                                                          \
            }                                                                                                    \
        } else {                                                                                                 \
            carillon_status = (CARILLON_CALLER_LEVEL != 0u) ? carillon_osek_ChainTask(task) : (ChainTask)(task); \
        }                                                                                                        \
        _Pragma("GCC diagnostic pop");                                                                           \
        carillon_status;                                                                                         \
    })
#endif
#endif

#ifdef __cplusplus
}
#endif

/* The names of the application's objects are macros.  They come last, behind every header of the kernel that the
 * application may include, and the kernel itself does not see them: any word may be one of them. */
#ifndef CARILLON_OSEK_KERNEL_H
#if CARILLON_MODES > 0
#include "carillon/osektime.h"
#endif
#if !CARILLON_OSEK_TIME
#include "carillon_objects.h"
#elif !defined(CARILLON_TIME_H)
#include "carillon/time.h" /* which includes them at its end */
#endif
#endif

#endif
