/* SPDX-License-Identifier: Apache-2.0
 *
 * OSEK/VDX OS 2.2.3: the services of the event-triggered kernel, under the standard's names.  Chapters are
 * those of the standard.  IncrementCounter and the error codes from E_OS_SERVICEID on are AUTOSAR OS's.
 *
 * A comment with the fields PARAMETER:, Returns:, Errors:, From: and Source: is the reference of the function below it
 * (docs/service_reference.py).  The errors after "Extended:" are found only in extended status.  There, E_OS_CALLEVEL
 * means that the call came from a place that From does not name.  E_OS_DISABLEDINT means that it came while interrupts
 * were disabled or suspended, and E_OS_PARAM_POINTER that it has a null pointer.  Every error calls the error hook, if
 * the configuration has one.
 *
 * A task is an interrupt.  A task needs nothing more if it is a basic task with a priority of its own and one
 * activation, the status is STANDARD, and there is no hook.  Then its vector is its function.  What the compiler knows
 * of a call is decided when the call is compiled: which task is named, and which task calls (CARILLON_CALLER_LEVEL).
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
#define E_OS_PARAM_POINTER 14u
#define E_OS_PROTECTION_TIME 15u
#define E_OS_PROTECTION_ARRIVAL 16u
#define E_OS_PROTECTION_LOCKED 17u
#define E_OS_SYS_START 18u /* what a library asks before the start (carillon_library.h) */

typedef uint8_t TaskType;
typedef TaskType *TaskRefType;
#define INVALID_TASK ((TaskType)255u)

typedef uint8_t TaskStateType;
typedef TaskStateType *TaskStateRefType;
#define RUNNING ((TaskStateType)0u)
#define WAITING ((TaskStateType)1u)
#define READY ((TaskStateType)2u)
#define SUSPENDED ((TaskStateType)3u)

typedef uint8_t ISRType;
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
/* Values that are no object of the application.  AUTOSAR has INVALID_ISR; other kernels have the others. */
#define INVALID_ISR ((ISRType)255u)
#define INVALID_RESOURCE ((ResourceType)255u)
#define INVALID_COUNTER ((CounterType)255u)
#define INVALID_ALARM ((AlarmType)255u)
typedef uint8_t AppModeType;
typedef uint8_t OSServiceIdType;

/* A managed task's state.  `activations` counts the activations that wait and the one that runs; with 0, the task is
 * SUSPENDED.  `next` says how the running job has ended: it is the task that the job chains, or one of the two below.
 */
struct carillon_osek_job {
    uint8_t activations;
    uint8_t next;
};
#define CARILLON_OSEK_TERMINATED 255u
#define CARILLON_OSEK_GOES_ON 254u
/* What `next` is until a job says how it ends.  Where nobody asks whether it has said so, it ends by itself. */
#define CARILLON_OSEK_UNDECIDED (CARILLON_OSEK_MISSING_END ? CARILLON_OSEK_GOES_ON : CARILLON_OSEK_TERMINATED)
extern struct carillon_osek_job carillon_osek_jobs[];

#include "carillon_osek.h"

/* What an extended task has beside its job.  While the task does not run, its context is ready to be resumed. */
struct carillon_osek_extended {
    struct carillon_context context;
    EventMaskType set;
    EventMaskType waited; /* 0: it does not wait */
#if CARILLON_OSEK_MATES
    uint8_t mate; /* the number of the task that goes on after it (kernel/jobs/job.h), and 1; 0: none */
#endif
};

#if CARILLON_OSEK_MUTEXES > 0
/* Internal: what a thread holds, which is the mutex that it has locked last, plus 1; 0: none.  `at`: the level whose
 * guest it is (kernel/levels/guest.h); 0: it is at its own.  `next`: the guest behind it, plus 1.
 *
 * CARILLON_OSEK_HOLDS_ON is set in `last` if unlocking may do more than restore the mask.  Then somebody has come to
 * wait for a mutex that the thread holds.  Or the thread has waited, or has unlocked a mutex that it had not locked
 * last.  So while the bit is not set, the thread is no guest, or it holds what it is a guest for, below this mutex. */
struct carillon_osek_holder {
    uint16_t last;
    uint8_t at;
    uint8_t next;
};
#define CARILLON_OSEK_HOLDS_ON 0x100u

/* Internal.  Of a mutex: who has it, plus 1; 0: nobody.  If somebody has it, also the mask that its unlocking restores,
 * and `last` of its holder as it was before. */
struct carillon_osek_held {
    uint32_t saved;
    uint16_t holder;
    uint16_t below;
};

/* Internal.  All of both, so that one address is enough for a service. */
struct carillon_osek_mutexes {
    struct carillon_osek_holder holders[CARILLON_OSEK_TASKS];
    struct carillon_osek_held held[CARILLON_OSEK_MUTEXES];
};
extern struct carillon_osek_mutexes carillon_osek_mutexes;

/* Internal.  A mutex is its holder's from now on; locked. */
static inline void carillon_mutex_take(struct carillon_osek_held *held, struct carillon_osek_holder *holder,
                                       uint8_t mutex, uint_fast8_t task)
{
    held->holder = (uint16_t)(task + 1u);
    held->below = holder->last;
    holder->last = (uint16_t)((uint32_t)mutex + 1u);
}

/* Internal.  It is nobody's any more, and its holder has locked it last; locked.  Returns the mask to restore. */
static inline uint32_t carillon_mutex_let_go(struct carillon_osek_held *held, struct carillon_osek_holder *holder)
{
    holder->last = held->below;
    held->holder = 0u;
    return held->saved;
}
#endif

/* What the compiler knows of the place of a call.  In the body of a task, `carillon_here` is the function's parameter,
 * whose type is the task's; elsewhere it is this declaration.  No body reads it: only the size of its type is used.
 * CARILLON_CALLER_LEVEL is 0 outside the body of a task. */
struct carillon_elsewhere {
    char carillon_level[1];
};
extern const struct carillon_elsewhere *const carillon_here;
#define CARILLON_CALLER_LEVEL ((uint8_t)(sizeof(carillon_here->carillon_level) - 1u))

/* Constructional elements (chapters 13.2 to 13.6).  A declaration has no effect: the tool declares every object. */
/* Internal: the function of a task.  Where handlers are functions of a kind of their own, and a task is one, it has no
 * parameters, and the compiler puts into it what it does. */
#ifdef CARILLON_NESTED_TASK
#define CARILLON_TASK(function, does, place)                                                \
    static inline void does(const struct place *carillon_here __attribute__((__unused__))); \
    CARILLON_C void function(void);                                                         \
    CARILLON_C void function(void)                                                          \
    {                                                                                       \
        does(0);                                                                            \
    }                                                                                       \
    static inline void does(const struct place *carillon_here __attribute__((__unused__)))
#else
#define CARILLON_TASK(function, does, place) \
    CARILLON_C void function(const struct place *carillon_here __attribute__((__unused__)))
#endif

/* Define the function of a task: TASK(Blink) { ... }
 *
 * name: the task, as the configuration names it.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.2. */
#define TASK(name) CARILLON_TASK(carillon_task_##name, carillon_does_##name, carillon_at_##name)

/* Internal: around an ISR of category 2; without extended status there is nothing to do. */
#if CARILLON_OSEK_EXTENDED
uint32_t carillon_begin_isr(void);
void carillon_end_isr(uint32_t mask);
#else
static inline uint32_t carillon_begin_isr(void)
{
    return 0u;
}
static inline void carillon_end_isr(uint32_t mask)
{
    (void)mask;
}
#endif

/* Internal: the budget of the job that runs (kernel/levels/budget.h), if the image has budgets.  What changes it has
 * the kernel's lock, which masks the handler of the cell, too. */
struct carillon_budget {
    uint32_t mask;            /* what lowers the lock where a job begins or goes on */
    carillon_vector function; /* of the task whose job begins */
    uint32_t state;           /* what is watched of the job that runs (kernel/levels/budget.h) */
};
extern struct carillon_budget carillon_budget;

/* Internal: around whatever interrupts a task; without budgets there is nothing to do. */
#if CARILLON_OSEK_LOCKS > 0
typedef uint64_t carillon_budget_rest;
#else
typedef uint32_t carillon_budget_rest;
#endif
#if CARILLON_OSEK_BUDGETS
carillon_budget_rest carillon_pause_budget(void);
void carillon_resume_budget(carillon_budget_rest left);
#else
static inline carillon_budget_rest carillon_pause_budget(void)
{
    return 0u;
}
static inline void carillon_resume_budget(carillon_budget_rest left)
{
    (void)left;
}
#endif

/* Internal: whether an ISR of category 2 is to run: without a time frame, or after the last one (kernel/jobs/frame.h).
 */
#if CARILLON_OSEK_FRAMES > 0
bool carillon_isr_arrives(uint32_t place);
#define CARILLON_ISR_ARRIVES(frame) (((frame) == 0u) || carillon_isr_arrives((frame)-1u))
#else
#define CARILLON_ISR_ARRIVES(frame) true
#endif

/* Internal: an ISR of category 2, within its budget if it has one (kernel/levels/budget.h). */
#if CARILLON_OSEK_ISR_BUDGETS
void carillon_isr_within(uint32_t place, carillon_vector function);
#define CARILLON_ISR_RUNS(budget, function) \
    (((budget) != 0u) ? carillon_isr_within((budget)-1u, (function)) : (function)())
#else
#define CARILLON_ISR_RUNS(budget, function) (function)()
#endif

/* Internal: the vector of an ISR, and its function. */
#if CARILLON_OSEK_EXTENDED || CARILLON_OSEK_BUDGETS || (CARILLON_OSEK_FRAMES > 0)
#define CARILLON_ISR(vector, function, category, frame, budget)                 \
    CARILLON_C void function(void);                                             \
    CARILLON_C void vector(void);                                               \
    CARILLON_C void vector(void)                                                \
    {                                                                           \
        if ((category) == 2) {                                                  \
            const carillon_budget_rest carillon_left = carillon_pause_budget(); \
            if (CARILLON_ISR_ARRIVES(frame)) {                                  \
                const uint32_t carillon_mask = carillon_begin_isr();            \
                CARILLON_ISR_RUNS(budget, function);                            \
                carillon_end_isr(carillon_mask);                                \
            }                                                                   \
            carillon_resume_budget(carillon_left);                              \
        } else {                                                                \
            function();                                                         \
        }                                                                       \
    }                                                                           \
    CARILLON_C void function(void)
#else
#define CARILLON_ISR(vector, function, category, frame, budget) CARILLON_C void vector(void)
#endif

/* Define the function of an ISR, of either category: ISR(Received) { ... }
 *
 * In extended status, an ISR of category 2 may end with interrupts disabled or a resource taken.  Then the kernel
 * enables the interrupts, releases the resource, and tells the error hook (AUTOSAR OS, SWS_Os_00368 and 00369).
 *
 * name: the ISR, as the configuration names it.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.3. */
#define ISR(name)                                                                                                      \
    CARILLON_ISR(carillon_isr_##name, carillon_isr_of_##name, CARILLON_ISR_CATEGORY_##name, CARILLON_ISR_FRAME_##name, \
                 CARILLON_ISR_BUDGET_##name)

/* Define the callback of an alarm: ALARMCALLBACK(Toggle) { ... }.  The callback runs in the counter's interrupt.
 *
 * name: the callback, as the configuration names it.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.6. */
#define ALARMCALLBACK(name) CARILLON_C void carillon_callback_##name(void)

/* Declare a task.  The declaration has no effect: the tool declares every object.
 *
 * name: the task.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.2. */
#define DeclareTask(name) struct carillon_declared

/* Declare an ISR.  Like DeclareTask, it has no effect.
 *
 * name: the ISR.
 * Source: none; other kernels have it. */
#define DeclareISR(name) struct carillon_declared

/* Declare a resource.  Like DeclareTask, it has no effect.
 *
 * name: the resource.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.4. */
#define DeclareResource(name) struct carillon_declared

/* Declare an event.  Like DeclareTask, it has no effect.
 *
 * name: the event.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.5. */
#define DeclareEvent(name) struct carillon_declared

/* Declare an alarm.  Like DeclareTask, it has no effect.
 *
 * name: the alarm.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.6. */
#define DeclareAlarm(name) struct carillon_declared

/* Declare a counter.  Like DeclareTask, it has no effect.
 *
 * name: the counter.
 * Source: AUTOSAR OS. */
#define DeclareCounter(name) struct carillon_declared

/* Services that the error hook can ask for (chapter 11.2). */
#define OSServiceId_None 0u /* no service: an ISR has not undone what it did */
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
#define OSServiceId_GetISRID 31u /* which has no errors */
#define OSServiceId_ShutdownOS 20u

/* Starting and stopping (chapter 13.7). */

/* Start the event-triggered system: call the startup hook, then activate the tasks and set the alarms of the mode's
 * autostart.  StartOS does not return.  While no task runs, the processor is idle in it.
 *
 * mode: the name of an application mode, or OSDEFAULTAPPMODE.
 * Errors: none is reported; a mode that does not exist stops the processor.
 * From: main; beneath a round, ttIdleTask.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.7. */
void StartOS(AppModeType mode) __attribute__((noreturn));

/* Stop the event-triggered system: stop its timers and interrupts, then call the shutdown hook.  ShutdownOS does not
 * return.  A round goes on.
 *
 * error: the value that the shutdown hook gets; E_OK if nothing went wrong.
 * Errors: none.
 * From: tasks, ISRs of category 2, the error hook, the startup hook.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.7. */
void ShutdownOS(StatusType error) __attribute__((noreturn));

/* Return the application mode in which StartOS was called.
 *
 * Returns: the name of that mode.
 * Errors: none.
 * From: tasks, ISRs of category 2, hooks.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.7. */
AppModeType GetActiveApplicationMode(void);

/* Tasks (chapter 13.2). */

/* Activate a task: it runs once more, as soon as nothing of a higher priority runs.  If the task was suspended, it
 * begins with no event set.
 *
 * task: the name of the task.
 * Errors: E_OS_LIMIT: the task has as many activations already as it may have; this one is lost.
 *     Extended: E_OS_ID: there is no such task; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.2. */
StatusType ActivateTask(TaskType task);

/* End the calling task.  The service returns only if there is an error.
 *
 * Errors: none.
 *     Extended: E_OS_RESOURCE: the task holds a resource; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.2. */
StatusType TerminateTask(void) __asm__(CARILLON_SYMBOL_PREFIX "carillon_terminate_used");

/* End the calling task, and activate a task, which may be the same one.  The service returns only if there is an error.
 *
 * task: the name of the task to activate.
 * Errors: E_OS_LIMIT: that task has as many activations already as it may have; the caller goes on.
 *     Extended: E_OS_ID: there is no such task; E_OS_RESOURCE: the caller holds a resource; E_OS_CALLEVEL;
 *     E_OS_DISABLEDINT.
 * From: tasks.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.2. */
StatusType ChainTask(TaskType task) __asm__(CARILLON_SYMBOL_PREFIX "carillon_chain_used");

/* Let tasks run that have a higher priority than the caller, but that are held back because the caller has an internal
 * resource or is non-preemptive.  In other tasks, the service does nothing.
 *
 * Errors: none.
 *     Extended: E_OS_RESOURCE: the task holds a resource; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.2. */
StatusType Schedule(void);

/* Get the task that runs, or that only interrupts have preempted.
 *
 * task: where to put the task; it becomes INVALID_TASK if there is none.
 * Errors: none.
 *     Extended: E_OS_PARAM_POINTER; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2, the error hook, PreTaskHook, PostTaskHook,
 *     ProtectionHook.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.2. */
StatusType GetTaskID(TaskRefType task);

/* Get the state of a task.
 *
 * task: the name of the task.
 * state: where to put the state: RUNNING, WAITING, READY or SUSPENDED.
 * Errors: none.
 *     Extended: E_OS_ID: there is no such task; E_OS_PARAM_POINTER; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2, the error hook, PreTaskHook, PostTaskHook.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.2. */
StatusType GetTaskState(TaskType task, TaskStateRefType state);

/* Interrupts (chapter 13.3) of the event-triggered system.  These services never hold back time-triggered tasks. */

/* Enable the interrupts again that DisableAllInterrupts has disabled.
 *
 * Errors: none; without DisableAllInterrupts before it, the service does nothing.
 * From: tasks, ISRs of both categories.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.3. */
void EnableAllInterrupts(void);

/* Hold back all interrupts of the event-triggered system, category 1 included, until EnableAllInterrupts.  Calls do not
 * nest.  In between, only EnableAllInterrupts may be called.
 *
 * Errors: none.
 * From: tasks, ISRs of both categories.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.3. */
void DisableAllInterrupts(void);

/* Undo the last SuspendAllInterrupts.
 *
 * Errors: none; without SuspendAllInterrupts before it, the service does nothing.
 * From: tasks, ISRs of both categories, hooks, alarm callbacks.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.3. */
void ResumeAllInterrupts(void);

/* Hold back all interrupts of the event-triggered system, category 1 included, until ResumeAllInterrupts.  Calls nest
 * up to 255 deep.  In between, only services that suspend and resume interrupts may be called.
 *
 * Errors: none.
 * From: tasks, ISRs of both categories, hooks, alarm callbacks.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.3. */
void SuspendAllInterrupts(void);

/* Undo the last SuspendOSInterrupts.
 *
 * Errors: none; without SuspendOSInterrupts before it, the service does nothing.
 * From: tasks, ISRs of both categories.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.3. */
void ResumeOSInterrupts(void);

/* Hold back tasks, ISRs of category 2 and the kernel's timers until ResumeOSInterrupts.  Calls nest up to 255
 * deep.  In between, only services that suspend and resume interrupts may be called.
 *
 * Errors: none.
 * From: tasks, ISRs of both categories.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.3. */
void SuspendOSInterrupts(void);

/* Resources (chapter 13.4). */

/* Take a resource.  Until the caller releases it, no task and no ISR runs that also takes it.  Resources must be
 * released in the reverse order.  A task must release a resource before it ends or waits, and an ISR before it returns.
 *
 * resource: the name of the resource, or RES_SCHEDULER.
 * Errors: none.
 *     Extended: E_OS_ID: there is no such resource; E_OS_ACCESS: the resource is taken already, or the caller is
 *     above its ceiling; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.4. */
StatusType GetResource(ResourceType resource);

/* Release the resource that the caller has taken last.
 *
 * resource: the name of that resource.
 * Errors: none.
 *     Extended: E_OS_ID: there is no such resource; E_OS_NOFUNC: it is not the one that was taken last;
 *     E_OS_ACCESS: the caller is above the resource's ceiling; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.4. */
StatusType ReleaseResource(ResourceType resource);

/* Events (chapter 13.5). */

/* Set events of an extended task.  If the task waits for one of them, it goes on.
 *
 * task: the name of the task.
 * mask: the events: their names, joined by |.
 * Errors: none.
 *     Extended: E_OS_ID: there is no such task; E_OS_ACCESS: the task is a basic one; E_OS_STATE: the task is
 *     suspended; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.5. */
StatusType SetEvent(TaskType task, EventMaskType mask);

/* Clear events of the calling task.
 *
 * mask: the events: their names, joined by |.
 * Errors: none.
 *     Extended: E_OS_ACCESS: the caller is a basic task; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: extended tasks.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.5. */
StatusType ClearEvent(EventMaskType mask);

/* Get the events of an extended task that are set.
 *
 * task: the name of the task.
 * mask: where to put the events.
 * Errors: none.
 *     Extended: E_OS_ID: there is no such task; E_OS_ACCESS: the task is a basic one; E_OS_STATE: the task is
 *     suspended; E_OS_PARAM_POINTER; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2, the error hook, PreTaskHook, PostTaskHook.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.5. */
StatusType GetEvent(TaskType task, EventMaskRefType mask);

/* Wait until one of the events is set.  If one is set already, return at once.  Events stay set until ClearEvent.
 *
 * mask: the events: their names, joined by |.
 * Errors: none.
 *     Extended: E_OS_ACCESS: the caller is a basic task; E_OS_RESOURCE: the caller holds a resource; E_OS_CALLEVEL;
 *     E_OS_DISABLEDINT.
 * From: extended tasks.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.5. */
StatusType WaitEvent(EventMaskType mask);

/* Alarms (chapter 13.6). */

/* Get the limits of an alarm's counter.
 *
 * alarm: the name of the alarm.
 * info: where to put the limits: maxallowedvalue and mincycle in ticks of the counter, and ticksperbase.
 * Errors: none.
 *     Extended: E_OS_ID: there is no such alarm; E_OS_PARAM_POINTER; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2, the error hook, PreTaskHook, PostTaskHook.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.6. */
StatusType GetAlarmBase(AlarmType alarm, AlarmBaseRefType info);

/* Get the time until an alarm expires.
 *
 * alarm: the name of the alarm.
 * ticks: where to put the time, in ticks of the alarm's counter.
 * Errors: E_OS_NOFUNC: the alarm is not in use.
 *     Extended: E_OS_ID: there is no such alarm; E_OS_PARAM_POINTER; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2, the error hook, PreTaskHook, PostTaskHook.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.6. */
StatusType GetAlarm(AlarmType alarm, TickRefType ticks);

/* Set an alarm that expires some ticks from now.
 *
 * alarm: the name of the alarm.
 * increment: ticks of the alarm's counter from now to the first expiry; from 1 to the counter's maxallowedvalue.
 * cycle: ticks from each expiry to the next; 0: the alarm expires once.
 * Errors: E_OS_STATE: the alarm is in use, or is a static one that was cancelled; E_OS_VALUE: the increment is 0.
 *     Extended: E_OS_ID: there is no such alarm; E_OS_VALUE: the increment is above maxallowedvalue, or the cycle is
 *     neither 0 nor from mincycle to maxallowedvalue; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.6. */
StatusType SetRelAlarm(AlarmType alarm, TickType increment, TickType cycle);

/* Set an alarm that expires when its counter reaches a value.  If the counter has that value now, the alarm expires a
 * turn of the counter later.
 *
 * alarm: the name of the alarm.
 * start: the value, in ticks of the alarm's counter; from 0 to the counter's maxallowedvalue.
 * cycle: ticks from each expiry to the next; 0: the alarm expires once.
 * Errors: E_OS_STATE: the alarm is in use, or is a static one that was cancelled.
 *     Extended: E_OS_ID: there is no such alarm; E_OS_VALUE: the value is above maxallowedvalue, or the cycle is
 *     neither 0 nor from mincycle to maxallowedvalue; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.6. */
StatusType SetAbsAlarm(AlarmType alarm, TickType start, TickType cycle);

/* Stop an alarm.
 *
 * alarm: the name of the alarm.
 * Errors: E_OS_NOFUNC: the alarm is not in use.
 *     Extended: E_OS_ID: there is no such alarm; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.6. */
StatusType CancelAlarm(AlarmType alarm);

/* Advance a software counter by one tick, and serve the alarms that are due.
 *
 * counter: the name of the counter.  A hardware counter that is named is refused by the compiler in standard status.
 * Errors: none.
 *     Extended: E_OS_ID: there is no such counter, or hardware drives it; E_OS_CALLEVEL; E_OS_DISABLEDINT.
 * From: tasks, ISRs of category 2.
 * Source: AUTOSAR OS, SWS_Os_00399. */
StatusType IncrementCounter(CounterType counter);
#if !CARILLON_OSEK_EXTENDED
/* Internal: what IncrementCounter is for a hardware counter that the compiler knows by name.  In standard status nobody
 * tells the caller, and the counter would run ahead of the time that its hardware counts. */
StatusType carillon_increments_hardware(void)
    __attribute__((error("IncrementCounter advances software counters, and hardware drives this one")));
#define IncrementCounter(counter)                                                                           \
    ((__builtin_constant_p(counter) && CARILLON_OSEK_IS_HARDWARE(counter)) ? carillon_increments_hardware() \
                                                                           : (IncrementCounter)(counter))
#endif

/* Return which ISR of category 2 runs.
 *
 * Returns: the ISR; INVALID_ISR outside of ISRs of category 2.
 * Errors: none.
 * From: tasks, ISRs of category 2, the error hook, PreTaskHook and PostTaskHook.
 * Source: AUTOSAR OS, SWS_Os_00511. */
ISRType GetISRID(void);

/* Hooks (chapter 11).  The application defines those that the configuration names. */

/* Hook: called by StartOS before any task is activated, with interrupts locked.
 *
 * Errors: none.
 * From: the kernel.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.8. */
void StartupHook(void);

/* Hook: called by ShutdownOS, with interrupts locked.
 *
 * error: the value that ShutdownOS got; E_OS_SYS_START if StartOS has started nothing.
 * Errors: none.
 * From: the kernel.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.8. */
void ShutdownHook(StatusType error);

/* Hook: called when a service returns an error, and when an alarm's action fails, but not for errors in the hook
 * itself. Tasks and ISRs of category 2 are held back while it runs.
 *
 * error: what the service returns.
 * Errors: none.
 * From: the kernel.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.8. */
void ErrorHook(StatusType error);

/* What the kernel is to do about a task that has broken its timing protection. */
typedef uint8_t ProtectionReturnType;
#define PRO_IGNORE 0u
#define PRO_TERMINATETASKISR 1u
#define PRO_TERMINATEAPPL 2u
#define PRO_TERMINATEAPPL_RESTART 3u
#define PRO_SHUTDOWN 4u

/* Hook: called when a task has used up its execution budget or the budget of a lock.  It is also called when something
 * arrives before its time frame is over: a task is activated, or released from waiting, or an ISR of category 2 is
 * requested.  GetTaskID says which task runs: the one that has used up its budget, or whoever something has come too
 * early for or from.  Every interrupt of the event-triggered system waits while it runs.
 *
 * error: E_OS_PROTECTION_TIME, E_OS_PROTECTION_LOCKED or E_OS_PROTECTION_ARRIVAL.
 * Returns: to E_OS_PROTECTION_TIME and _LOCKED, PRO_TERMINATETASKISR: the task ends as if it called TerminateTask,
 * whatever it has taken or disabled; its further activations remain.  To E_OS_PROTECTION_ARRIVAL, PRO_IGNORE: the
 * activation, release or run of the ISR is not carried out, and a frame does not begin.  PRO_SHUTDOWN, and any other
 * answer: ShutdownOS(error) follows.  There are no OS-Applications that PRO_TERMINATEAPPL and PRO_TERMINATEAPPL_RESTART
 *     could end.
 * Errors: none.
 * From: the kernel.
 * Source: AUTOSAR OS, SWS_Os_00033, 00037, 00211, 00107, 00243, 00506, 00553 to 00556; 00048, 00465 to 00472. */
ProtectionReturnType ProtectionHook(StatusType error);

/* Hook: called before a task begins or goes on.  GetTaskID says which task that is.  Tasks and ISRs of category 2 are
 * held back while it runs.
 *
 * Errors: none.
 * From: the kernel.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.8. */
void PreTaskHook(void);

/* Hook: called after a task has ended, has begun to wait or is preempted by a task.  GetTaskID says which task that is.
 * Tasks and ISRs of category 2 are held back while it runs.
 *
 * Errors: none.
 * From: the kernel.
 * Source: OSEK/VDX OS 2.2.3, chapter 13.8. */
void PostTaskHook(void);

/* Internal: which service failed, and its parameters, for the error hook.  The macros below are for hooks. */
struct carillon_osek_failure {
    void *reference;
    union {
        uint32_t first;
        void *other; /* the reference of a service that has two */
    };
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
static inline void *carillon_failed_other(void)
{
    return carillon_osek_failure.other;
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
/* Return the service that failed.
 *
 * Returns: OSServiceId_NAME of the service NAME; OSServiceId_None if an ISR has not undone what it did.
 * Errors: none.
 * From: the error hook, where the configuration sets get_service_id (USEGETSERVICEID in OIL).
 * Source: OSEK/VDX OS 2.2.3, chapter 11.2. */
#define OSErrorGetServiceId() (carillon_failed_service())
#endif
#if CARILLON_OSEK_PARAMETER_ACCESS
/* Return a parameter of the call that failed.  Every parameter of a service has such a macro,
 * OSError_SERVICE_PARAMETER(), with the name that the standard gives the parameter: OSError_SetEvent_TaskID() and
 * OSError_SetEvent_Mask(), for example.
 *
 * Returns: the parameter, as the type that it has in the call.
 * Errors: none.
 * From: the error hook, if OSErrorGetServiceId() is that service; where the configuration sets parameter_access
 *     (USEPARAMETERACCESS in OIL).
 * Source: OSEK/VDX OS 2.2.3, chapter 11.2. */
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

/* Return how much of an extended task's stack has been used at most so far.
 *
 * task: the name of the task; it is not checked.
 * Returns: bytes; 0 for a basic task.
 * Errors: none.
 * From: everywhere, after StartOS.
 * Source: Carillon's own. */
uint32_t carillon_stack_used(TaskType task);

#if (CARILLON_OSEK_RESOURCES > 0) && !CARILLON_OSEK_EXTENDED && !CARILLON_OSEK_SOFTWARE && \
    (CARILLON_OSEK_LOCKS == 0) && !CARILLON_OSEK_SLICES

/* Internal: what GetResource and ReleaseResource are for a resource that the compiler knows by name. */
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

#if !CARILLON_OSEK_LEVEL_CELLS
/* Internal.  Whether alarms on cells that have a task's level have expired and wait; and serve them; locked
 * (kernel/counters/cells.h). */
static inline bool carillon_known_cells_wait(uint8_t level)
{
    (void)level;
    return false;
}
static inline void carillon_serve_known_cells(uint8_t level)
{
    (void)level;
}
#endif

/* Internal.  The same, and the lock. */
static inline __attribute__((always_inline)) void carillon_serve_waiting(uint8_t level)
{
    if (carillon_known_cells_wait(level)) {
        const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
        carillon_serve_known_cells(level);
        carillon_port_restore(saved);
    }
}

/* If the compiler knows the task that is named, and no errors are checked, a service is a few instructions.
 * A service in parentheses, (ActivateTask)(task), is the function. */
#define CARILLON_OSEK_INLINE \
    (!CARILLON_OSEK_EXTENDED && !CARILLON_OSEK_ERROR_HOOK && !CARILLON_OSEK_SOFTWARE && (CARILLON_OSEK_TASKS > 0u))

#if CARILLON_OSEK_INLINE

#if CARILLON_OSEK_DIRECT
/* Internal.  Services for direct tasks, which are nothing but interrupts.
 *
 * ActivateTask sets a pending bit.  If the task waits already, the controller absorbs a second request, as the
 * standard's E_OS_LIMIT demands.  A task that has begun must not be requested.  A caller of lower priority does not run
 * while the task runs; any other caller looks at the task's active bit.  The status is worked out only if the caller
 * uses it: the claim below, and what it looks at, is only for the status.
 *
 * If one caller preempts another, at most one of them may get E_OK for one run of the task:
 *
 * 1. If the task cannot preempt the caller, whether the task has begun does not change while the caller runs.  If the
 *    task can preempt the caller, the task has ended whenever the caller runs.
 * 2. So another caller can change only the pending bit.  Every such caller is at most at the level of the kernel's
 *    lock.  A caller at that level only looks.
 * 3. A caller that the task cannot preempt claims the run under the lock: it looks at the pending bit and sets it.
 *    No other caller comes in between, and the bit stays set until the caller has ended.  So the request that follows
 *    adds nothing.
 * 4. Any other caller may be one that the task preempts at once, unless something is masked. carillon_osek_claim finds
 *    this out.  If the task would preempt the caller, the claim leaves the request to the code that follows.  The task
 *    has no run to share then, because every run that was requested before has begun and ended.
 * 5. A cell that requests the task meanwhile gets no status: its expiry is the activation too many.
 * 6. A thread that holds a mutex may have preempted the task, though its own level is lower: so it looks at the active
 *    bit, too. */
StatusType carillon_osek_claim(TaskType task) __attribute__((pure));
static inline __attribute__((always_inline)) StatusType carillon_activate_direct(TaskType task, uint16_t source,
                                                                                 uint8_t level, uint8_t caller)
{
    const bool above = (caller != 0u) && (level > caller);
    carillon_serve_waiting(level);
    if ((!above || (CARILLON_OSEK_MUTEXES > 0u)) && carillon_port_peek_active(source)) {
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
#endif

/* Internal.  Request the level of a managed task; locked.  With task hooks its handler has not left any more
 * (kernel/levels/level_hooks.c). */
extern volatile bool carillon_osek_over[];
static inline __attribute__((always_inline)) void carillon_request_managed(TaskType task)
{
    if (CARILLON_OSEK_TASK_HOOKS) {
        carillon_osek_over[carillon_known_levels[task]] = false;
    }
    carillon_port_write(carillon_known_requests[task].address, carillon_known_requests[task].value);
}

/* Internal.  An extended task begins without events. */
#if CARILLON_OSEK_EVENTS
static inline __attribute__((always_inline)) void carillon_clear_known(TaskType task)
{
    if (carillon_known_extended[task] != NULL) {
        carillon_known_extended[task]->set = 0u;
    }
}
#else
static inline __attribute__((always_inline)) void carillon_clear_known(TaskType task)
{
    (void)task;
}
#endif

/* Internal.  Managed tasks that have one activation at most (kernel/run/run.h has the general case). */
static inline __attribute__((always_inline)) StatusType carillon_activate_managed(TaskType task)
{
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
    carillon_serve_known_cells(carillon_known_levels[task]);
    struct carillon_osek_job *const job = &carillon_osek_jobs[task];
    StatusType status = E_OS_LIMIT;
    if (job->activations == 0u) {
        job->activations = 1u;
        carillon_clear_known(task);
        carillon_request_managed(task);
        status = E_OK;
    }
    carillon_port_restore(saved);
    return status;
}

/* ARRAYS[task] of a constant task, and 0 of any other. */
#define CARILLON_KNOWN(arrays, task) \
    (__builtin_constant_p(task) ? (arrays)[__builtin_constant_p(task) ? (task) : 0u] : 0u)

#if CARILLON_OSEK_DIRECT
static inline __attribute__((always_inline)) StatusType carillon_activate(TaskType task, uint8_t caller)
{
    if (carillon_direct_sources[task] != 0u) {
        return carillon_activate_direct(task, carillon_direct_sources[task], carillon_known_levels[task], caller);
    }
    return carillon_activate_managed(task);
}
#else
static inline __attribute__((always_inline)) StatusType carillon_activate(TaskType task, uint8_t caller)
{
    (void)caller;
    return carillon_activate_managed(task);
}
#endif
#define ActivateTask(task)                                                                                   \
    ((CARILLON_KNOWN(carillon_known_tasks, (task)) != 0u) ? carillon_activate((task), CARILLON_CALLER_LEVEL) \
                                                          : (ActivateTask)(task))

#if CARILLON_OSEK_EVENTS
static inline __attribute__((always_inline)) StatusType carillon_set_event(TaskType task, EventMaskType mask)
{
    struct carillon_osek_extended *const extended = carillon_known_extended[task];
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
    carillon_serve_known_cells(carillon_known_levels[task]);
    extended->set |= mask;
    if ((extended->set & extended->waited) != 0u) {
        extended->waited = 0u;
        carillon_request_managed(task);
    }
    carillon_port_restore(saved);
    return E_OK;
}
#define SetEvent(task, mask)                                                                               \
    (((CARILLON_KNOWN(carillon_known_tasks, (task)) != 0u) &&                                              \
      (carillon_known_extended[CARILLON_KNOWN(carillon_known_tasks, (task)) != 0u ? (task) : 0u] != NULL)) \
         ? carillon_set_event((task), (mask))                                                              \
         : (SetEvent)((task), (mask)))

/* Internal.  Services of an extended task that is alone on its level, from its own body.
 *
 * One step needs no lock.  An expiry that waits at the look is cleared, too.  One that comes after it is served before
 * the step or after it, by whoever comes in between or later: it has come before or after the service. */
#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_4
static inline __attribute__((always_inline)) StatusType carillon_clear_event(uint8_t level, EventMaskType mask)
{
    carillon_serve_waiting(level);
    (void)__atomic_fetch_and(&carillon_extended_callers[level]->set, ~mask, __ATOMIC_RELAXED);
    return E_OK;
}
#else
static inline __attribute__((always_inline)) StatusType carillon_clear_event(uint8_t level, EventMaskType mask)
{
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
    carillon_serve_known_cells(level);
    carillon_extended_callers[level]->set &= ~mask;
    carillon_port_restore(saved);
    return E_OK;
}
#endif
static inline __attribute__((always_inline)) StatusType carillon_wait_event(uint8_t level, EventMaskType mask)
{
    struct carillon_osek_extended *extended = carillon_extended_callers[level];
    const uint32_t saved = carillon_port_raise(CARILLON_OSEK_TOP);
    carillon_serve_known_cells(level);
    __asm__("" : "+r"(extended)); /* loaded once: the compiler does not know what it points to */
    const EventMaskType come = extended->set & mask;
    if (__builtin_expect((long)come, 0) != 0) {
        carillon_port_restore(saved);
    } else {
        extended->waited = mask;
        carillon_port_suspend(&extended->context); /* as in kernel/jobs/event.c */
        if (CARILLON_OSEK_BUDGETS) {
            carillon_port_restore(carillon_budget.mask);
        }
    }
    return E_OK;
}
#define ClearEvent(mask)                                                                                              \
    ((carillon_extended_callers[CARILLON_CALLER_LEVEL] != NULL) ? carillon_clear_event(CARILLON_CALLER_LEVEL, (mask)) \
                                                                : (ClearEvent)(mask))
#define WaitEvent(mask)                                                                                              \
    ((carillon_extended_callers[CARILLON_CALLER_LEVEL] != NULL) ? carillon_wait_event(CARILLON_CALLER_LEVEL, (mask)) \
                                                                : (WaitEvent)(mask))
#endif

#ifndef __cplusplus
/* Internal.  End a task from its own body.  A direct task only has to return.  If its cell requested it while it ran,
 * that was one activation too many (E_OS_LIMIT), and the request is taken back. */
StatusType carillon_osek_TerminateTask(void);
StatusType carillon_osek_ChainTask(TaskType task);
void carillon_terminate_managed(void) __attribute__((noreturn));
#if CARILLON_OSEK_EVENTS
static inline __attribute__((always_inline)) void carillon_leave_known(uint8_t level)
{
    if (carillon_extended_callers[level] != NULL) { /* it is this task: what its job is to end with is as it began */
        if (CARILLON_OSEK_BUDGETS) {
            (void)carillon_port_raise(CARILLON_OSEK_TOP); /* up to the end of the level's handler */
        }
        carillon_port_leave(&carillon_extended_callers[level]->context);
    }
}
#else
static inline __attribute__((always_inline)) void carillon_leave_known(uint8_t level)
{
    (void)level;
}
#endif
static inline __attribute__((always_inline, noreturn)) void carillon_terminate_known(uint8_t level)
{
    carillon_leave_known(level);
    carillon_terminate_managed();
}
#define TerminateTask()                                                                                 \
    __extension__({                                                                                     \
        _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wreturn-type\"");             \
        if (carillon_direct_ends[CARILLON_CALLER_LEVEL] != 0u) {                                        \
            carillon_serve_waiting(CARILLON_CALLER_LEVEL);                                              \
            if (carillon_direct_ends[CARILLON_CALLER_LEVEL] != CARILLON_DIRECT_NO_CELL) {               \
                carillon_port_forget(carillon_direct_ends[CARILLON_CALLER_LEVEL],                       \
                                     CARILLON_SOURCE_BIT(carillon_direct_ends[CARILLON_CALLER_LEVEL])); \
            }                                                                                           \
            return;                                                                                     \
        }                                                                                               \
        _Pragma("GCC diagnostic pop");                                                                  \
        if (CARILLON_CALLER_LEVEL != 0u) {                                                              \
            carillon_terminate_known(CARILLON_CALLER_LEVEL);                                            \
        }                                                                                               \
        (TerminateTask)();                                                                              \
    })

/* Internal.  The same, but first request another task, which begins when this one has ended. */
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

#include "carillon/schedule_table.h"

/* The names of the application's objects are macros, and any word may be one of them.  So they come last, after every
 * header of the kernel that the application may include, and the kernel itself does not see them. */
#ifndef CARILLON_OSEK_STATE_H
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
