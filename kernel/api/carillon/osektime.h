/* SPDX-License-Identifier: Apache-2.0
 *
 * OSEKtime OS 1.0: the services of the time-triggered kernel, under the standard's names.
 *
 * Tasks are C functions of the type void (void), which the schedule names.
 *
 * A comment with the fields PARAMETER:, Returns:, Errors:, From: and Source: is the reference of the function below it
 * (docs/service_reference.py). */
#ifndef CARILLON_OSEKTIME_H
#define CARILLON_OSEKTIME_H

#include <stdint.h>

#include "carillon/work.h"
#include "carillon_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Declare or define the function of a time-triggered task: ttTASK(Injection) { ... }
 *
 * name: the task, as the schedule names it.
 * Source: OSEKtime OS 1.0, chapter 13. */
#define ttTASK(name) CARILLON_C void name(void)

typedef uint8_t ttAppModeType;
typedef uint8_t ttStatusType;
typedef uint8_t ttOSEKOSStateType;
typedef uint32_t ttTickType;
typedef ttTickType *ttTickRefType;
typedef uint8_t ttSynchronizationStatusType;
typedef ttSynchronizationStatusType *ttSynchronizationStatusRefType;

/* Status values (OSEKtime OS 1.0, chapter 13). */
#define TT_E_OS_OK 0u
#define TT_E_OS_ID 3u
#define TT_E_OS_DEADLINE 6u
#define TT_E_OS_PROTECTION_TIME 7u /* not of the standard: an execution budget has been used up */
#define TT_E_OS_VALUE 8u
#define TT_E_OS_START 9u /* not of the standard: what a library asks before the start (carillon_library.h) */

/* Whether the rounds keep the global time. */
#define TT_SYNCHRONOUS 0u
#define TT_ASYNCHRONOUS 1u

/* States of the OSEK OS below (chapter 12). */
#define ttOSEKOSUP 0u
#define ttOSEKOSDOWN 1u

#define ttOS_DEFAULTAPPMODE ((ttAppModeType)CARILLON_START_MODE)

/* Start the system in an application mode: call the startup hook, start the mode's round and run the idle task.
 * ttStartOS does not return.
 *
 * mode: ttAppMode_NAME of a mode of the schedule, or ttOS_DEFAULTAPPMODE.
 * Errors: none is reported; if the schedule has several modes, a mode that does not exist stops the processor.  Beside
 * another's start-up code, what is not left as it must be stops it, with TT_E_OS_START (carillon_library.h).
 * From: main, once.
 * Source: OSEKtime OS 1.0, chapter 13. */
void ttStartOS(ttAppModeType mode) __attribute__((noreturn));

/* Stop the system: stop all cells, call the shutdown hook and stand still.  ttShutdownOS does not return.
 *
 * error: the value that the shutdown hook gets; TT_E_OS_OK if nothing went wrong.
 * Errors: none.
 * From: tasks, hooks, interrupts of the application, the idle task.
 * Source: OSEKtime OS 1.0, chapter 13. */
void ttShutdownOS(ttStatusType error) __attribute__((noreturn));

/* Return the application mode whose round runs.
 *
 * Returns: ttAppMode_NAME of that mode.
 * Errors: none.
 * From: tasks, hooks, interrupts of the application, the idle task.
 * Source: OSEKtime OS 1.0, chapter 13. */
ttAppModeType ttGetActiveApplicationMode(void);

/* Ask for another mode, whose round follows the current round.  Until the end of the current round, a later call
 * replaces an earlier one.  If a task still runs at that end, the switch waits for the end of the next round.
 *
 * mode: ttAppMode_NAME of the mode that is to follow.
 * Errors: TT_E_OS_ID: there is no such mode.
 * From: tasks, hooks, interrupts of the application, the idle task.
 * Source: OSEKtime OS 1.0, chapter 13. */
ttStatusType ttSwitchAppMode(ttAppModeType mode);

/* Get the time within the round.
 *
 * time: where to put the time: ticks of the schedule's clock since the start of the current round, from 0 to the
 *     round's length less 1.
 * Errors: TT_E_OS_ID: no cell of the mode counts whole rounds; `carillon plan` says which modes have one.
 * From: tasks, hooks, interrupts of the application, the idle task.
 * Source: OSEKtime OS 1.0, chapter 13. */
ttStatusType ttGetScheduleTime(ttTickRefType time);

/* Tell the system what the global time is now, and where in its round the global time is now.  The round's cells are
 * moved towards it at the next sync points, by at most what [sync] of the schedule allows at each.  A later call
 * replaces what an earlier one has left to correct.  Interrupts are locked for some 40 instructions.
 *
 * global_time: ticks of the schedule's clock, modulo 2^32; ttGetGlobalTime goes on from there.
 * schedule_time: ticks since the start of the global round, from 0 to the round's length less 1.
 * Errors: TT_E_OS_VALUE: no round is so long, nothing was changed; TT_E_OS_ID: the schedule has no [sync].
 * From: tasks, hooks, interrupts of the application, the idle task.
 * Source: OSEKtime OS 1.0, chapter 13. */
ttStatusType ttSyncTimes(ttTickType global_time, ttTickType schedule_time);

/* Say that an edge of the plant is now, as the first statement of the interrupt that it causes: rounds begin `phase` of
 * [sync] behind an edge.  The next sync points correct the difference to the nearest edge of the round, within the limits.
 * With start = "hard", no task of the rounds starts before the first edge.  The global time is the plant's: it goes on by
 * the schedule's ticks between two edges, however long they are apart.
 *
 * Errors: TT_E_OS_ID: the schedule has no `phase` in [sync].
 * From: tasks, hooks, interrupts of the application, the idle task.
 * Source: Carillon; its correction is that of ttSyncTimes. */
ttStatusType ttSyncEdge(void);

/* Get the global time: what the last ttSyncTimes told, and what the own clock has counted since then.  Before the first
 * one it is the time since the start of the first round.
 *
 * time: where to put the time: ticks of the schedule's clock, modulo 2^32.
 * Errors: TT_E_OS_ID: the schedule has no [sync].
 * From: tasks, hooks, interrupts of the application, the idle task.
 * Source: OSEKtime OS 1.0, chapter 13. */
ttStatusType ttGetGlobalTime(ttTickRefType time);

/* Get whether the rounds keep the global time: ttSyncTimes was called within the last `silence` rounds, and what is
 * left to be corrected is `precision` at most.
 *
 * status: where to put TT_SYNCHRONOUS or TT_ASYNCHRONOUS.
 * Errors: TT_E_OS_ID: the schedule has no [sync].
 * From: tasks, hooks, interrupts of the application, the idle task.
 * Source: OSEKtime OS 1.0, chapter 13. */
ttStatusType ttGetOSSyncStatus(ttSynchronizationStatusRefType status);

/* Return the state of the OSEK OS that runs in the idle time.
 *
 * Returns: ttOSEKOSUP from the end of StartOS's startup hook to ShutdownOS, and otherwise ttOSEKOSDOWN.
 * Errors: none.
 * From: tasks, hooks, interrupts of the application, the idle task.
 * Source: OSEKtime OS 1.0, chapters 12 and 13. */
ttOSEKOSStateType ttGetOSEKOSState(void);

/* Return the task whose deadline was missed last, or whose job used up its execution budget after that.
 *
 * Returns: the task's number: its place in the schedule file, from 0.
 * Errors: none; before the first miss it returns 0.
 * From: ttErrorHook.  Elsewhere a later miss may have replaced the number.
 * Source: Carillon's own. */
uint16_t carillon_missed_task(void);

/* Hook: called by ttStartOS before the round starts, with all interrupts locked.  The application may define this
 * hook.
 *
 * Errors: none.
 * From: the kernel.
 * Source: OSEKtime OS 1.0, chapter 13. */
void ttStartupHook(void);

/* Hook: called by ttShutdownOS after all cells have been stopped, with all interrupts locked.  The application may
 * define this hook.
 *
 * error: the value that ttShutdownOS got; TT_E_OS_START if ttStartOS has started nothing.
 * Errors: none.
 * From: the kernel.
 * Source: OSEKtime OS 1.0, chapter 13. */
void ttShutdownHook(ttStatusType error);

/* Hook: called when a deadline was missed, or a job has used up its execution budget, in the interrupt that found this.
 * The application may define this hook.
 *
 * error: TT_E_OS_DEADLINE; TT_E_OS_PROTECTION_TIME of a budget.
 * Errors: none.
 * From: the kernel.
 * Source: OSEKtime OS 1.0, chapter 13. */
void ttErrorHook(ttStatusType error);

/* The idle task runs while no task runs.  The application may define it.  It must not return: if it does, the system
 * shuts down with TT_E_OS_OK.  The default idle task starts the event-triggered system, if there is one.
 *
 * Errors: none.
 * From: the kernel.
 * Source: OSEKtime OS 1.0, chapter 5. */
void ttIdleTask(void);

#ifdef __cplusplus
}
#endif

#endif
