/* SPDX-License-Identifier: Apache-2.0
 *
 * A service of a task in whose middle a tick comes, in which alarms of a queue expire that has several parts: the tick
 * is swept over its instructions (sweep.h).
 *
 * A pair p is that of who calls, of the service, and of what expires.  T0, the lowest, sets alarms for the next tick,
 * activates T2 or T4, which calls the service, waits until all is over, and asks what has become of it.  ALow wakes T1,
 * AHigh T3, and ACall calls a function. */
#include "sweep.h"

#include "ask.h"

#include "cells.h"

#if TICKLESS
#define EXPIRING_CELL CLOCK_CELL
#else
#define EXPIRING_CELL COUNTER_CELL
#endif
#include "expiring.h"

/* What expires: bits. */
enum { OF_LOW = 1, OF_HIGH = 2, OF_FUNCTION = 4, EXPIRIES = 8 };

enum {
    STATE_OF_LOW,
    STATE_OF_HIGH,
    WAKE_LOW,
    WAKE_HIGH,
    GET_LOW,
    GET_HIGH,
    CANCEL_LOW,
    CANCEL_HIGH,
    SET_LOW,
    SET_HIGH,
    SET_OTHER_LOW,
    SET_ABSOLUTE,
    CHAIN_LOW,
    RESOURCE,
    SUSPENDED_STATE,
    SUSPENDED_CANCEL,
    SERVICES
};
static const uint16_t chosen[PROGRAMS] = {CHOSEN};
#define PROGRAM chosen[STATE->program]
#define EXPIRY (PROGRAM % EXPIRIES)
#define SERVICE ((PROGRAM / EXPIRIES) % SERVICES)
#define CALLER ((PROGRAM / EXPIRIES) / SERVICES) /* 0: T2, which is between T1 and T3; 1: T4, above them */

/* A program's words, beside the statuses of services. */
enum { LOWER = 1, HIGHER, FUNCTION, WRONG = 7 };

static void come(unsigned what)
{
    note(WORD(OUT, what, 0u));
}

static void wrong(unsigned what)
{
    note(WORD(OUT, WRONG, what));
}

#if CALLS
ALARMCALLBACK(Call)
{
    come(FUNCTION);
}
#endif

ALARMCALLBACK(Nothing)
{
}

/* With a constant, so that the service is inlined. */
#if MANAGED
#define WAKE(task) note(WORD(ERROR, SetEvent(task, E0), 0u))
#else
#define WAKE(task) note(WORD(ERROR, ActivateTask(task), 0u))
#endif

static void say_state(TaskType task)
{
    TaskStateType state = 0u;
    (void)GetTaskState(task, &state);
    note(WORD(ERROR, task, state));
}

static void say_alarm(AlarmType alarm)
{
    TickType ticks = 0u;
    const StatusType status = GetAlarm(alarm, &ticks);
    note(WORD(ERROR, status, (status == E_OK) ? 1u : 0u));
}

static void say_status(StatusType status)
{
    note(WORD(ERROR, status, 2u));
}

static void serve(void)
{
    switch (SERVICE) {
    case STATE_OF_LOW:
        say_state(T1);
        break;
    case STATE_OF_HIGH:
        say_state(T3);
        break;
    case WAKE_LOW:
        WAKE(T1);
        break;
    case WAKE_HIGH:
        WAKE(T3);
        break;
    case GET_LOW:
        say_alarm(ALow);
        break;
    case GET_HIGH:
        say_alarm(AHigh);
        break;
    case CANCEL_LOW:
        say_status(CancelAlarm(ALow));
        break;
    case CANCEL_HIGH:
        say_status(CancelAlarm(AHigh));
        break;
    case SET_LOW:
        say_status(SetRelAlarm(ALow, 2u, 0u));
        break;
    case SET_HIGH:
        say_status(SetRelAlarm(AHigh, 2u, 0u));
        break;
    case SET_OTHER_LOW:
        say_status(SetRelAlarm(OLow, 3u, 0u));
        break;
    case SET_ABSOLUTE:
        say_status(SetAbsAlarm(OLow, 9u, 0u));
        break;
    case CHAIN_LOW:
#if MANAGED
        (void)ChainTask(T5);
#else
        (void)ChainTask(T1);
#endif
        break;
    case RESOURCE:
        (void)GetResource(R0);
        say_state(T1);
        (void)ReleaseResource(R0);
        break;
    case SUSPENDED_STATE:
        SuspendAllInterrupts();
        say_state(T1);
        ResumeAllInterrupts();
        break;
    default:
        SuspendOSInterrupts();
        say_status(CancelAlarm(ALow));
        ResumeOSInterrupts();
        break;
    }
}

static void call(void)
{
    arm_expiry();
    serve();
    carillon_port_delay(32u); /* the tick comes in this task, too, once the service is over */
    disarm_expiry();
}

TASK(T2)
{
    call();
    (void)TerminateTask();
}

TASK(T4)
{
    call();
    (void)TerminateTask();
}

#if MANAGED
TASK(T1)
{
    for (;;) {
        (void)WaitEvent(E0);
        (void)ClearEvent(E0);
        come(LOWER);
    }
}

TASK(T3)
{
    for (;;) {
        (void)WaitEvent(E0);
        (void)ClearEvent(E0);
        come(HIGHER);
    }
}

TASK(T5)
{
    come(LOWER);
    (void)TerminateTask();
}
#else
TASK(T1)
{
    come(LOWER);
    (void)TerminateTask();
}

TASK(T3)
{
    come(HIGHER);
    (void)TerminateTask();
}
#endif

static void ask(void)
{
    for (TaskType task = T1; task <= T4; task++) {
        get_task_state(task);
    }
    get_alarm(ALow);
    get_alarm(AHigh);
    get_alarm(OLow);
    done(CancelAlarm(ALow));
    done(SetRelAlarm(ALow, 1u, 0u));
    done(SetRelAlarm(AHigh, 1u, 0u));
    carillon_port_delay(2u * INSTRUCTIONS);
    get_alarm(ALow);
    get_alarm(AHigh);
}

TASK(T0)
{
#if TICKLESS
    (void)SetRelAlarm(Sync, 1u, 0u); /* for which the clock is set to the next tick */
#endif
    const uint32_t left = until_expiry();
    carillon_port_delay((left > (INSTRUCTIONS / 2u)) ? (left - (INSTRUCTIONS / 2u)) : (left + (INSTRUCTIONS / 2u)));
    if ((EXPIRY & OF_LOW) != 0u) {
        done(SetRelAlarm(ALow, 1u, 0u));
    }
    if ((EXPIRY & OF_HIGH) != 0u) {
        done(SetRelAlarm(AHigh, 1u, 0u));
    }
#if CALLS
    if ((EXPIRY & OF_FUNCTION) != 0u) {
        done(SetRelAlarm(ACall, 1u, 0u));
    }
#endif
    (void)ActivateTask((CALLER == 0u) ? T2 : T4);
    disarm_expiry(); /* of a caller that chained another task */
    carillon_port_delay((4u * INSTRUCTIONS) + (INSTRUCTIONS / 2u));
    ask();
    finish();
}

int main(void);
int main(void)
{
    start_sweep();
    StartOS(OSDEFAULTAPPMODE);
}
