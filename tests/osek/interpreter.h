/* SPDX-License-Identifier: Apache-2.0
 *
 * Carries out what tests/osek/program.py lays down, and says what happens.
 *
 * carillon_program is a table that the tests write into the ELF file, so that one image runs many programs:
 *   byte 0        application mode
 *   byte 1        number of the program, where bodies are compiled (CARILLON_COMPILED)
 *   bytes 2, 3    budget: the operation with that number ends the run
 *   bytes 4 to 67 a bit for each operation by its number: set if it is skipped
 *   from byte 68  for each body two bytes: where it lies in the table, 0 for none
 * A body: the number of its variants; for each the number of its operations; and these, code, x, y, z and depth.
 *
 * The file that includes this one defines before how many objects there are (TASKS ...), and the arrays and
 * functions that are declared here. */
#ifndef INTERPRETER_H
#define INTERPRETER_H

#include "os.h"

#include "report.h"

#define TABLE_SIZE 8192u
#define BODIES 45u
#define SKIPPED 4u
#define BODY_PLACES 68u
#define OPERATION_SIZE 5u

extern const volatile uint8_t carillon_program[TABLE_SIZE];
const volatile uint8_t carillon_program[TABLE_SIZE] = {1}; /* not 0, lest it have no place in the file */

static volatile unsigned operations; /* by interrupts too */
static volatile uint8_t runs[BODIES];

enum code {
    TERMINATE_TASK,
    CHAIN_TASK,
    ACTIVATE_TASK,
    SCHEDULE,
    GET_TASK_ID,
    GET_TASK_STATE,
    GET_RESOURCE,
    RELEASE_RESOURCE,
    SET_EVENT,
    CLEAR_EVENT,
    GET_EVENT,
    WAIT_EVENT,
    SET_REL_ALARM,
    SET_ABS_ALARM,
    CANCEL_ALARM,
    GET_ALARM,
    GET_ALARM_BASE,
    INCREMENT_COUNTER,
    DISABLE_ALL_INTERRUPTS,
    ENABLE_ALL_INTERRUPTS,
    SUSPEND_ALL_INTERRUPTS,
    RESUME_ALL_INTERRUPTS,
    SUSPEND_OS_INTERRUPTS,
    RESUME_OS_INTERRUPTS,
    GET_ACTIVE_APPLICATION_MODE,
    SHUTDOWN_OS,
    PEND,
    HALT
};

static void end(void) __attribute__((noreturn));
static void end(void)
{
    report("end", operations);
    carillon_port_halt();
}

/* A body begins; returns which of its runs this is. */
static inline unsigned begin(unsigned body)
{
    report("begin", body);
    return runs[body]++;
}

/* An operation comes next; returns whether it is done. */
static inline int next(unsigned where)
{
    const unsigned number = operations;
    if (number == carillon_program[2] + 256u * carillon_program[3]) {
        end();
    }
    operations++;
    if ((carillon_program[SKIPPED + number / 8u] >> (number % 8u) & 1u) != 0u) {
        report("skip", where);
        return 0;
    }
    report("call", where);
    return 1;
}

static inline void done(StatusType status)
{
    report("status", status);
}

static inline void done_with(StatusType status, uint32_t out)
{
    report("status", status);
    if (status == E_OK) {
        report("out", out);
    }
}

/* Services that do not return a status, or return something else, as if they did. */
#define VOID(call) ((call), done(E_OK))

static inline void get_task_id(void)
{
    TaskType task = 0u;
    const StatusType status = GetTaskID(&task);
    done_with(status, task);
}

static inline void get_task_state(TaskType task)
{
    TaskStateType state = 0u;
    const StatusType status = GetTaskState(task, &state);
    done_with(status, state);
}

#if EVENTS
static inline void get_event(TaskType task)
{
    EventMaskType mask = 0u;
    const StatusType status = GetEvent(task, &mask);
    done_with(status, mask);
}
#endif

#if ALARMS
static inline void get_alarm(AlarmType alarm)
{
    TickType ticks = 0u;
    const StatusType status = GetAlarm(alarm, &ticks);
    done_with(status, ticks);
}

static inline void get_alarm_base(AlarmType alarm)
{
    AlarmBaseType base = {0u, 0u, 0u};
    const StatusType status = GetAlarmBase(alarm, &base);
    done_with(status, base.maxallowedvalue);
    if (status == E_OK) {
        report("out", base.ticksperbase);
        report("out", base.mincycle);
    }
}
#endif

static inline void get_mode(void)
{
    const AppModeType mode = GetActiveApplicationMode();
    done_with(E_OK, mode);
}

static inline void shut_down(StatusType status)
{
#if !SHUTDOWN_HOOK
    report("end", operations);
#endif
    ShutdownOS(status);
}

/* Which resource is x: those that GetResource takes, RES_SCHEDULER, and one that does not exist. */
extern const ResourceType resources[RESOURCES + 2u];

static inline unsigned index_of_resource(ResourceType resource)
{
    unsigned index = 0u;
    while (index <= RESOURCES && resources[index] != resource) {
        index++;
    }
    return index;
}

static void request(unsigned isr);

/* The hook of errors says what it can find out. */
static inline void report_error(StatusType status)
{
    report("error", status);
#if SERVICE_ID
    report("service", OSErrorGetServiceId());
#if PARAMETERS
    if (status == E_OS_MISSINGEND) {
        return;
    }
    switch (OSErrorGetServiceId()) {
    case OSServiceId_ActivateTask:
        report("parameter", OSError_ActivateTask_TaskID());
        break;
    case OSServiceId_ChainTask:
        report("parameter", OSError_ChainTask_TaskID());
        break;
    case OSServiceId_GetTaskState:
        report("parameter", OSError_GetTaskState_TaskID());
        break;
    case OSServiceId_GetResource:
        report("parameter", index_of_resource(OSError_GetResource_ResID()));
        break;
    case OSServiceId_ReleaseResource:
        report("parameter", index_of_resource(OSError_ReleaseResource_ResID()));
        break;
    case OSServiceId_SetEvent:
        report("parameter", OSError_SetEvent_TaskID());
        report("parameter", OSError_SetEvent_Mask());
        break;
    case OSServiceId_ClearEvent:
        report("parameter", OSError_ClearEvent_Mask());
        break;
    case OSServiceId_GetEvent:
        report("parameter", OSError_GetEvent_TaskID());
        break;
    case OSServiceId_WaitEvent:
        report("parameter", OSError_WaitEvent_Mask());
        break;
    case OSServiceId_GetAlarmBase:
        report("parameter", OSError_GetAlarmBase_AlarmID());
        break;
    case OSServiceId_GetAlarm:
        report("parameter", OSError_GetAlarm_AlarmID());
        break;
    case OSServiceId_SetRelAlarm:
        report("parameter", OSError_SetRelAlarm_AlarmID());
        report("parameter", OSError_SetRelAlarm_increment());
        report("parameter", OSError_SetRelAlarm_cycle());
        break;
    case OSServiceId_SetAbsAlarm:
        report("parameter", OSError_SetAbsAlarm_AlarmID());
        report("parameter", OSError_SetAbsAlarm_start());
        report("parameter", OSError_SetAbsAlarm_cycle());
        break;
    case OSServiceId_CancelAlarm:
        report("parameter", OSError_CancelAlarm_AlarmID());
        break;
    case OSServiceId_IncrementCounter:
        report("parameter", OSError_IncrementCounter_CounterID());
        break;
    default:
        break;
    }
#endif
#endif
}

#if !CARILLON_COMPILED

static void perform(unsigned code, unsigned x, unsigned y, unsigned z)
{
    switch ((enum code)code) {
    case TERMINATE_TASK:
        done(TerminateTask());
        break;
    case CHAIN_TASK:
        done(ChainTask((TaskType)x));
        break;
    case ACTIVATE_TASK:
        done(ActivateTask((TaskType)x));
        break;
    case SCHEDULE:
        done(Schedule());
        break;
    case GET_TASK_ID:
        get_task_id();
        break;
    case GET_TASK_STATE:
        get_task_state((TaskType)x);
        break;
    case GET_RESOURCE:
        done(GetResource(resources[x]));
        break;
    case RELEASE_RESOURCE:
        done(ReleaseResource(resources[x]));
        break;
#if EVENTS
    case SET_EVENT:
        done(SetEvent((TaskType)x, y));
        break;
    case CLEAR_EVENT:
        done(ClearEvent(x));
        break;
    case GET_EVENT:
        get_event((TaskType)x);
        break;
    case WAIT_EVENT:
        done(WaitEvent(x));
        break;
#endif
#if ALARMS
    case SET_REL_ALARM:
        done(SetRelAlarm((AlarmType)x, y, z));
        break;
    case SET_ABS_ALARM:
        done(SetAbsAlarm((AlarmType)x, y, z));
        break;
    case CANCEL_ALARM:
        done(CancelAlarm((AlarmType)x));
        break;
    case GET_ALARM:
        get_alarm((AlarmType)x);
        break;
    case GET_ALARM_BASE:
        get_alarm_base((AlarmType)x);
        break;
#endif
#if COUNTERS
    case INCREMENT_COUNTER:
        done(IncrementCounter((CounterType)x));
        break;
#endif
    case DISABLE_ALL_INTERRUPTS:
        VOID(DisableAllInterrupts());
        break;
    case ENABLE_ALL_INTERRUPTS:
        VOID(EnableAllInterrupts());
        break;
    case SUSPEND_ALL_INTERRUPTS:
        VOID(SuspendAllInterrupts());
        break;
    case RESUME_ALL_INTERRUPTS:
        VOID(ResumeAllInterrupts());
        break;
    case SUSPEND_OS_INTERRUPTS:
        VOID(SuspendOSInterrupts());
        break;
    case RESUME_OS_INTERRUPTS:
        VOID(ResumeOSInterrupts());
        break;
    case GET_ACTIVE_APPLICATION_MODE:
        get_mode();
        break;
    case SHUTDOWN_OS:
        shut_down((StatusType)x);
        break;
    case PEND:
        VOID(request(x));
        break;
    default:
        report("unknown", code);
        break;
    }
    (void)y;
    (void)z;
}

/* Something stands on the stack of each call. */
static void perform_in(unsigned depth, const volatile uint8_t *op) __attribute__((noinline));
static void perform_in(unsigned depth, const volatile uint8_t *op)
{
    volatile unsigned here = depth;
    if (depth == 0u) {
        perform(op[0], op[1], op[2], op[3]);
    } else {
        perform_in(depth - 1u, op);
    }
    if (here != depth) {
        report("stack", here);
    }
}

static void interpret(unsigned body)
{
    unsigned run = begin(body);
    const unsigned place =
        carillon_program[BODY_PLACES + 2u * body] + 256u * carillon_program[BODY_PLACES + 2u * body + 1u];
    if (place == 0u) {
        return;
    }
    const volatile uint8_t *at = &carillon_program[place + 1u];
    for (run %= carillon_program[place]; run != 0u; run--) {
        at += 1u + OPERATION_SIZE * *at;
    }
    const unsigned count = *at++;
    for (unsigned index = 0; index < count; index++) {
        const volatile uint8_t *const op = &at[OPERATION_SIZE * index];
        if (op[0] == HALT) {
            end();
        }
        if (next(100u * body + index)) {
            perform_in(op[4], op);
        }
    }
}

#endif
#endif
