/* SPDX-License-Identifier: Apache-2.0
 *
 * OSEKtime OS 1.0: the services of the time-triggered kernel, under the standard's names.
 *
 * Tasks are C functions of the type void (void); the schedule names them.  Global time (ttSyncTimes,
 * ttGetGlobalTime, ttGetOSSyncStatus) is not built yet.
 */
#ifndef CARILLON_OSEKTIME_H
#define CARILLON_OSEKTIME_H

#include <stdint.h>

#include "carillon/work.h"
#include "carillon_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Declares or defines the function of a time-triggered task: ttTASK(Injection) { ... } */
#define ttTASK(name) void name(void)

typedef uint8_t ttAppModeType;
typedef uint8_t ttStatusType;
typedef uint8_t ttOSEKOSStateType;
typedef uint32_t ttTickType;
typedef ttTickType *ttTickRefType;

/* Status values (OSEKtime OS 1.0, chapter 13). */
#define TT_E_OS_OK 0u
#define TT_E_OS_ID 3u
#define TT_E_OS_DEADLINE 6u

/* States of the OSEK OS below (chapter 12). */
#define ttOSEKOSUP 0u
#define ttOSEKOSDOWN 1u

#define ttOS_DEFAULTAPPMODE ((ttAppModeType)CARILLON_START_MODE)

/* Start the system in an application mode: the startup hook, the mode's round, the idle task.  Does not
 * return.  Call it once, from main.  A mode that does not exist starts nothing. */
void ttStartOS(ttAppModeType mode) __attribute__((noreturn));

/* Stop the system from any level: the shutdown hook, then nothing more.  Does not return. */
void ttShutdownOS(ttStatusType error) __attribute__((noreturn));

/* The application mode whose round runs. */
ttAppModeType ttGetActiveApplicationMode(void);

/* Go on with the round of another mode after the end of this one.  A later call before that replaces an
 * earlier one.  If a task still runs then, the switch waits for the end of the next round.
 * Returns TT_E_OS_OK, or TT_E_OS_ID for a mode that does not exist. */
ttStatusType ttSwitchAppMode(ttAppModeType mode);

/* Ticks since the start of the current round, from 0 to its length less 1.
 * Returns TT_E_OS_OK, or TT_E_OS_ID where no cell of the mode counts whole rounds; `carillon plan` says. */
ttStatusType ttGetScheduleTime(ttTickRefType time);

/* State of the OSEK OS that runs in the idle time. */
ttOSEKOSStateType ttGetOSEKOSState(void);

/* The task whose deadline was missed last: its number in the schedule, from 0.  For ttErrorHook. */
uint16_t carillon_missed_task(void);

/* Hooks and the idle task: defined by the application where it wants them. */
void ttStartupHook(void);
void ttShutdownHook(ttStatusType error);
void ttErrorHook(ttStatusType error); /* error: TT_E_OS_DEADLINE */
void ttIdleTask(void);

#ifdef __cplusplus
}
#endif

#endif
