/* SPDX-License-Identifier: Apache-2.0
 *
 * OSEKtime OS 1.0: starting, shutting down, application modes, deadline violations. */
#include "carillon/osektime.h"

#include "kernel/core/check.h"
#include "kernel/core/kernel.h"
#include "kernel/core/stream.h"
#include "kernel/osektime/sync.h"
#if CARILLON_OSEK
#include "kernel/run/kernel.h"
#endif

static uint16_t missed_task;

/* Of the event-triggered system beneath: its cells start with the rounds, and StartOS enables its interrupts. */
#if CARILLON_OSEK
static inline void start_beneath(void)
{
    carillon_mode_start(&carillon_osek_image);
}

static inline bool is_up_beneath(void)
{
    return carillon_osek_up;
}
#else
static inline void start_beneath(void)
{
}

static inline bool is_up_beneath(void)
{
    return false;
}
#endif

#if CARILLON_MODES > 1
uint8_t carillon_mode;
uint8_t carillon_next_mode;
uint8_t carillon_lowered_tasks;
static volatile uint8_t switches; /* of modes, modulo its range */
static bool asked;                /* for a mode, since the last switch */
#define ACTIVE_MODE carillon_mode

static inline void begin_in(ttAppModeType mode)
{
    if (mode >= (ttAppModeType)CARILLON_MODES) {
        carillon_port_halt(); /* nothing has started that could be stopped */
    }
    carillon_mode = mode;
    carillon_next_mode = mode;
}

/* The mode as it is now, whatever the compiler knows of it. */
static inline uint8_t active_mode(void)
{
    return *(const volatile uint8_t *)&carillon_mode;
}

static inline uint8_t switches_so_far(void)
{
    return switches;
}
#else
#define ACTIVE_MODE 0u

static inline void begin_in(ttAppModeType mode)
{
    (void)mode;
}

static inline uint8_t active_mode(void)
{
    return 0u;
}

static inline uint8_t switches_so_far(void)
{
    return 0u;
}
#endif

void carillon_start_refuse(void)
{
    (void)carillon_port_lock();
    ttShutdownHook(TT_E_OS_START);
    carillon_port_halt();
}

void ttStartOS(ttAppModeType mode)
{
    if ((CARILLON_START_CHECKED != 0) && carillon_start_refused()) {
        carillon_start_refuse();
    }
    const uint32_t saved = carillon_port_lock();
    begin_in(mode);
    ttStartupHook(); /* which may ask for another mode already */
    start_beneath();
    if (CARILLON_ROUND_BUDGETS != 0u) {
        carillon_budget_arm();
    }
    carillon_mode_start(&carillon_modes[ACTIVE_MODE]);
    carillon_sync_begin(ACTIVE_MODE);
    carillon_port_unlock(saved);
    ttIdleTask();
    ttShutdownOS(TT_E_OS_OK); /* the idle task never ends (chapter 5) */
}

void ttShutdownOS(ttStatusType error)
{
    (void)carillon_port_lock();
    carillon_mode_stop(&carillon_modes[ACTIVE_MODE]);
    ttShutdownHook(error);
    carillon_port_halt();
}

ttAppModeType ttGetActiveApplicationMode(void)
{
    return ACTIVE_MODE;
}

/* The mode's time base, and what its counter reads; false: it has none.
 *
 * 1. A mode is switched by a handler that is above every caller, as a whole.  It may come between the look at the mode
 *    and the load of the counter, which would then be taken for that of another mode.
 * 2. It counts its switches.  If there were none from before the one to after the other, both are of one mode.  Else it
 *    is done again: a switch needs a round, so that the caller has all of that for another turn.
 * 3. The counter is one load: a round may end before it or after it, but not within.  Nothing is locked, so that no
 *    point of a round waits for whoever asks. */
static bool read_time_base(const struct carillon_time_base **base, uint32_t *counter)
{
    uint8_t before;
    do {
        before = switches_so_far();
        *base = &carillon_time_bases[active_mode()];
        *counter = ((*base)->counter != 0u) ? carillon_port_read((*base)->counter) : 0u;
    } while (before != switches_so_far());
    return (*base)->counter != 0u;
}

ttStatusType ttGetScheduleTime(ttTickRefType time)
{
    const struct carillon_time_base *base = NULL;
    uint32_t counter = 0u;
    if (!read_time_base(&base, &counter)) {
        return TT_E_OS_ID;
    }
    *time = (counter <= base->phase) ? (base->phase - counter) : (base->phase + (base->length - counter));
    return TT_E_OS_OK;
}

#if !CARILLON_SYNC_EDGES
ttStatusType ttSyncEdge(void)
{
    return TT_E_OS_ID;
}
#endif

#if !CARILLON_SYNC
ttStatusType ttSyncTimes(ttTickType global_time, ttTickType schedule_time)
{
    (void)global_time;
    (void)schedule_time;
    return TT_E_OS_ID;
}

ttStatusType ttGetGlobalTime(ttTickRefType time)
{
    (void)time;
    return TT_E_OS_ID;
}

ttStatusType ttGetOSSyncStatus(ttSynchronizationStatusRefType status)
{
    (void)status;
    return TT_E_OS_ID;
}
#endif

ttOSEKOSStateType ttGetOSEKOSState(void)
{
    return (ttOSEKOSStateType)(is_up_beneath() ? ttOSEKOSUP : ttOSEKOSDOWN);
}

#if CARILLON_MODES > 1
/* The control cell has asked for its handler at the end of every round, whether it may interrupt or not.  What it asked
 * for before anybody wanted another mode is forgotten.  Later calls forget nothing: the round may have ended under this
 * lock, and who asked before it is to have the switch. */
static inline void let_control_interrupt(const struct carillon_mode *mode)
{
    const struct carillon_control *const control = mode->control;
    if (!asked) {
        carillon_port_write(control->forget.address, control->forget.value);
        asked = true;
    }
    carillon_port_write(control->enable.address, control->enable.value);
}

ttStatusType ttSwitchAppMode(ttAppModeType mode)
{
    if (mode >= (ttAppModeType)CARILLON_MODES) {
        return TT_E_OS_ID;
    }
    const uint32_t saved = carillon_port_lock();
    carillon_next_mode = mode;
    let_control_interrupt(&carillon_modes[carillon_mode]);
    carillon_port_unlock(saved);
    return TT_E_OS_OK;
}

/* Runs above every task, at the end of the round, only after ttSwitchAppMode.  Not in the ground state it
 * leaves everything as it is: the control cell comes again a round later. */
void carillon_control(void)
{
    const struct carillon_mode *const from = &carillon_modes[carillon_mode];
    if (carillon_sync_holds()) {
        return; /* the round of a mode is left when it has begun */
    }
    const uint8_t before = carillon_mode;
    if (carillon_mode_is_idle(from)) {
        const uint32_t saved = carillon_port_lock();
        carillon_mode = carillon_next_mode;
        asked = false;
        switches++;
        carillon_mode_switch(from, &carillon_modes[carillon_mode]);
        carillon_sync_switch(before, carillon_mode);
        carillon_port_unlock(saved);
    }
}

/* 1. The first ttSwitchAppMode has forgotten what the control cell asked for before it let it interrupt.  So a request
 *    that is there while a mode is to follow, the same or another, is that of this tick.
 * 2. The control cell's handler is on the level of this one or above, so nothing comes between its decision and this.
 */
bool carillon_leaves(uint16_t control)
{
    return asked && carillon_port_is_pending(control) && carillon_mode_is_idle(&carillon_modes[carillon_mode]);
}
#else
ttStatusType ttSwitchAppMode(ttAppModeType mode)
{
    return (mode == 0u) ? TT_E_OS_OK : TT_E_OS_ID;
}
#endif

/* Whom ttErrorHook is called for. */
static void blame(uint16_t task)
{
    const uint32_t saved = CARILLON_NARROW ? carillon_port_lock() : 0u; /* a deadline may pass between two bytes */
    missed_task = task;
    if (CARILLON_NARROW) {
        carillon_port_unlock(saved);
    }
}

#if CARILLON_ROUND_BUDGETS
void carillon_budget_overrun(uint16_t task)
{
    CARILLON_NOTE(carillon_budget_overrun);
    blame(task);
    ttErrorHook(TT_E_OS_PROTECTION_TIME);
    if (CARILLON_SHUTDOWN_ON_OVERRUN) {
        ttShutdownOS(TT_E_OS_PROTECTION_TIME);
    }
}
#endif

void carillon_deadline_missed(uint16_t task)
{
    CARILLON_NOTE(carillon_deadline_missed);
    blame(task);
    ttErrorHook(TT_E_OS_DEADLINE);
    if (CARILLON_SHUTDOWN_ON_MISS) {
        ttShutdownOS(TT_E_OS_DEADLINE);
    }
}

uint16_t carillon_missed_task(void)
{
    const uint32_t saved = CARILLON_NARROW ? carillon_port_lock() : 0u;
    const uint16_t task = missed_task;
    if (CARILLON_NARROW) {
        carillon_port_unlock(saved);
    }
    return task;
}

__attribute__((weak)) void ttStartupHook(void)
{
}

__attribute__((weak)) void ttShutdownHook(ttStatusType error)
{
    (void)error;
}

__attribute__((weak)) void ttErrorHook(ttStatusType error)
{
    (void)error;
}

#if CARILLON_OSEK
__attribute__((weak)) void ttIdleTask(void)
{
    StartOS(CARILLON_OSEK_DEFAULT_MODE);
}
#else
__attribute__((weak)) void ttIdleTask(void)
{
    for (;;) {
        if (!carillon_stream_send()) {
            carillon_port_idle();
        }
    }
}
#endif
