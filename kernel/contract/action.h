/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done when something timed is due: one list for the tables of rounds, for the alarms of counters and for what
 * the time services wait for.  The tool has a class of the same name for each that it writes down
 * (tool/carillon/actions).
 *
 * 0 is what the kernel asks for most often when it does not know: whether a delay is over. */
#ifndef CARILLON_ACTION_H
#define CARILLON_ACTION_H

#include <stdint.h>

#define CARILLON_ACTION_WAKE 0u           /* a task goes on: its delay is over */
#define CARILLON_ACTION_ACTIVATE 1u       /* a task is activated */
#define CARILLON_ACTION_CHECK_DEADLINE 2u /* a task should have ended */
#define CARILLON_ACTION_ENABLE_INTERRUPT 3u
#define CARILLON_ACTION_SWITCH_MODE 4u
#define CARILLON_ACTION_SET_EVENT 5u /* of a task */
#define CARILLON_ACTION_CALL 6u      /* of a function of the application */
#define CARILLON_ACTION_COUNT 7u     /* a counter advances by one */
#define CARILLON_ACTION_GIVE 8u      /* a semaphore gets a unit */
#define CARILLON_ACTION_TIME_OUT 9u  /* a task has waited for long enough */

/* Those of an alarm that does several things (kernel/counters/expiry.c). */
#define CARILLON_ACTION_SEVERAL 10u            /* a list of other actions, one after the other */
#define CARILLON_ACTION_SEVERAL_THEN_COUNT 11u /* such a list, then a counter advances by one */

#define CARILLON_ACTION_TICK 13u        /* ticks of a tickless counter have passed (kernel/counters/counter.c) */
#define CARILLON_ACTION_END_BUDGET 14u  /* of a server (kernel/time/server.c) */
#define CARILLON_ACTION_FILL_BUDGET 15u /* the same comes back */
#define CARILLON_ACTION_END_JOB 16u     /* the budget of the job that runs ends (kernel/time/keeper.c) */

/* Those of an event that has a path of its own. */
#define CARILLON_ACTION_WAKE_FAR 12u     /* a delay with laps to go */
#define CARILLON_ACTION_CALL_FOREVER 17u /* with whole periods, and without laps to go */
#define CARILLON_ACTION_GIVE_FOREVER 18u /* the same */

/* A set of actions that alarms and points have, all below 16.  The preprocessor knows it, too. */
#define CARILLON_ACTION_BIT(action) (1u << (action))

/* What an action takes besides a task or counter.  The names of the last two are the kernel's own: applications expand
 * macros that have them. */
struct carillon_semaphore;
union carillon_operand {
    void (*function)(void);
    struct carillon_semaphore *carillon_semaphore;
    uint32_t carillon_event; /* EventMaskType */
    uint32_t carillon_first; /* of a list of actions, where it begins */
};

#endif
