/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells of alarms and of schedule tables at the levels of tasks. */
#ifndef CARILLON_OSEK_CELLS_H
#define CARILLON_OSEK_CELLS_H

#include "kernel/clock/base.h"
#include "kernel/jobs/error.h"
#include "kernel/jobs/job.h"

/* Whether a cell carries each alarm (alarm.c). */
extern uint8_t carillon_osek_alarm_cells[];
#define CARILLON_OSEK_ON_CELL 0u

/* How often an alarm's cell has expired since somebody asked last; locked.  A source has one pending bit, so that a
 * cell which is held back for longer than its cycle asks once for several expiries.  Those that fail are errors, of
 * which an error hook is told.  So in an image with an error hook, the time base tells them apart:
 *
 * 1. `due` is the reading of the base at the cell's next expiry.  Cell and base are started together and count the same
 *    clock (base.h, 2).  So whoever serves the cell finds that `due` has been reached, unless an expiry that asked
 *    for it has been counted before: then there is nothing to do.
 * 2. An expiry after the reading is not counted, and asks for the handler again.  So each is counted once.
 * 3. The base tells CARILLON_BASE_MOST units apart.  Up to half of that, a difference is time that has passed since
 *    `due`, and above it, time that is left.  So an alarm whose first expiry or whose cycle is longer than half of that
 *    is not counted: it would have to be held back for as long.  Such an alarm has no cell at the level of its task
 *    (allocate/claims.py). */
#if CARILLON_OSEK_CELLS_TOLD
#define CARILLON_OSEK_TOLD_MOST ((carillon_base)(CARILLON_BASE_MOST / 2u))

extern carillon_base carillon_osek_alarm_due[];
void carillon_osek_start_expiries(void);

/* Units of the time base. */
static inline __attribute__((always_inline)) uint64_t carillon_osek_alarm_units(AlarmType number, TickType ticks)
{
    return (uint64_t)ticks * carillon_osek_alarms[number].cell->ticks;
}

/* From time 0 to the first expiry: an alarm for the value that the counter has waits for a turn. */
static inline __attribute__((always_inline)) uint64_t carillon_osek_alarm_first(AlarmType number)
{
    const struct carillon_osek_alarm *const alarm = &carillon_osek_alarms[number];
    const uint64_t turn =
        carillon_osek_alarm_units(number, carillon_osek_counters[alarm->counter].max_allowed) + alarm->cell->ticks;
    return (alarm->start == 0u) ? turn : carillon_osek_alarm_units(number, alarm->start);
}

static inline __attribute__((always_inline)) bool carillon_osek_alarm_is_told(AlarmType number)
{
    const uint64_t cycle = carillon_osek_alarm_units(number, carillon_osek_alarms[number].cycle);
    return (cycle <= CARILLON_OSEK_TOLD_MOST) && (carillon_osek_alarm_first(number) <= CARILLON_OSEK_TOLD_MOST);
}

/* The same of any number of expiries, until a reading of the base. */
uint32_t carillon_osek_expiries_until(AlarmType number, carillon_base cycle, carillon_base left);

static inline __attribute__((always_inline)) uint32_t carillon_osek_expiries(AlarmType number)
{
    if (!carillon_osek_alarm_is_told(number)) {
        return 1u;
    }
    const carillon_base cycle = (carillon_base)carillon_osek_alarm_units(number, carillon_osek_alarms[number].cycle);
    const carillon_base due = carillon_osek_alarm_due[number];
    const carillon_base left = carillon_base_left();
    if (((carillon_base)(due - left) < cycle) && (due >= cycle)) { /* mostly: one, and the base does not begin anew */
        carillon_osek_alarm_due[number] = (carillon_base)(due - cycle);
        return 1u;
    }
    return carillon_osek_expiries_until(number, cycle, left);
}
#else
static inline void carillon_osek_start_expiries(void)
{
}
static inline uint32_t carillon_osek_expiries(AlarmType number)
{
    (void)number;
    return 1u;
}
#endif

/* Cells of alarms, and of schedule tables, may have the level of the task that they activate or set an event of.  So
 * their expiry takes nothing from a higher task.
 *
 * 1. The handler of such a cell does the alarm's action under the lock, and what it makes ready begins when the handler
 *    has returned: it has the same level.  While a task of that level or a higher one runs, the cell's request waits.
 * 2. That is right for the start of the task, but the alarm has expired.  A service that asks for the state of a
 *    task of that level, or changes it, must find the action done.  So these services first serve the requests that
 *    wait (carillon_osek_serve_cells): they take each back and do its action.
 * 3. They do so under the lock, which masks the cell's level and all above it.  So a request either waits, and is
 *    served there or by its handler, or its handler has the lock, or has not got it yet.  In the last case the alarm
 *    expires when the handler gets the lock: what preempts the handler's first instructions comes before the expiry.
 * 4. A cell that expires between the look at its request and the store that takes the request back expires twice for
 *    one action.  So it does if it is held back for longer than its cycle.  As the task has one activation at most, the
 *    second one would have been lost, and an event that is set twice is set.  Where there is an error hook, the time
 *    base tells how often the cell has expired (carillon_osek_expiries).  The action is done so often, and the hook is
 *    told of each that fails.
 * 5. Of a level, only alarms with the same action on the same task have their cells there (allocate/osek.py): the order
 *    in which they are served does not matter.  The other alarms of the level have the kernel's level, and their
 *    actions serve these first, as every service does.
 * 6. The end of a job serves them while the task still runs, so that an activation that came before is one too many.
 * 7. CancelAlarm stops the cell, then serves the level: an expiry before that has happened.  A handler that has begun
 *    but has not got the lock finds the alarm cancelled: it has expired after that.
 * 8. In the error hook nothing is served, since an error could not be told there. */
#if CARILLON_OSEK_LEVEL_CELLS
/* Do the action of such a cell to a managed task, but for the request of its level; locked.  Whether that is to be
 * requested. */
static inline __attribute__((always_inline)) bool carillon_osek_cell_acts(uint8_t action, TaskType object,
                                                                          EventMaskType event)
{
    const struct carillon_osek_task *const task = &carillon_osek_tasks[object];
    struct carillon_osek_job *const job = &carillon_osek_jobs[object];
    if (action == CARILLON_ACTION_ACTIVATE) {
        if (job->activations == task->activations) {
            carillon_osek_cell_fails(action, object, event, E_OS_LIMIT);
            return false;
        }
        job->activations++;
        if (task->extended != NULL) {
            task->extended->set = 0u;
        }
        return true;
    }
    if ((CARILLON_OSEK_ERROR_HOOK != 0) && (job->activations == 0u)) {
        carillon_osek_cell_fails(action, object, event, E_OS_STATE);
        return false;
    }
    task->extended->set |= event; /* of a suspended task it is forgotten when that is activated */
    if ((task->extended->set & task->extended->waited) != 0u) {
        task->extended->waited = 0u;
        return true;
    }
    return false;
}

static inline __attribute__((always_inline)) bool carillon_osek_alarm_acts_once(AlarmType number)
{
    const struct carillon_osek_alarm *const alarm = &carillon_osek_alarms[number];
    return carillon_osek_cell_acts(alarm->action, alarm->object, alarm->operand.carillon_event);
}

/* Do the action of a cell that has been held back for each of its expiries but the first.  Whether the level is to be
 * requested.  Bounded by the expiries for which the cell has been held back. */
#if CARILLON_OSEK_CELLS_TOLD
bool carillon_osek_alarm_acts_again(AlarmType number, uint32_t times);
#else
static inline bool carillon_osek_alarm_acts_again(AlarmType number, uint32_t times)
{
    (void)number;
    (void)times;
    return false;
}
#endif

static inline __attribute__((always_inline)) bool carillon_osek_alarm_acts(AlarmType number)
{
    const uint32_t expiries = carillon_osek_expiries(number);
    const bool ready = (expiries != 0u) && carillon_osek_alarm_acts_once(number);
    if (expiries > 1u) {
        return carillon_osek_alarm_acts_again(number, expiries - 1u) || ready;
    }
    return ready;
}

/* The handler of such a cell; the compiler knows the alarm.  `runs`: where it answers true, the handler that calls goes
 * on as the level's own; otherwise that is requested.
 *
 * 1. Both handlers have one level, so neither runs while the other is active.
 * 2. The task was suspended or waited, and is alone on its level.  So the level was not requested before, and whoever
 *    requests it from here on finds the task ready. */
static inline __attribute__((always_inline)) bool carillon_osek_level_alarm(AlarmType number, bool runs)
{
    const uint32_t saved = carillon_osek_lock();
    const bool ready = (carillon_osek_alarm_cells[number] == CARILLON_OSEK_ON_CELL) && carillon_osek_alarm_acts(number);
    if (ready && !runs) {
        carillon_osek_ready(carillon_osek_alarms[number].object);
    }
    carillon_osek_unlock(saved);
    return ready;
}

/* Serve a cell whose handler has not begun; its request has been taken back.  Locked. */
static inline __attribute__((always_inline)) void carillon_osek_level_alarm_early(AlarmType number)
{
    if (carillon_osek_alarm_acts(number)) {
        carillon_osek_ready(carillon_osek_alarms[number].object);
    }
}

/* Whether the cell's request waits for a handler. */
static inline __attribute__((always_inline)) bool carillon_osek_level_alarm_waits(AlarmType number, uint16_t source)
{
    return carillon_port_is_pending(source) && (carillon_osek_alarm_cells[number] == CARILLON_OSEK_ON_CELL);
}

/* The same three of a schedule table's cell.  Nobody asks whether the table still runs: what its cell has expired for
 * has happened (schedule_table.c). */
static inline __attribute__((always_inline)) bool carillon_osek_level_point(uint8_t action, TaskType object,
                                                                            EventMaskType event, bool runs)
{
    const uint32_t saved = carillon_osek_lock();
    const bool ready = carillon_osek_cell_acts(action, object, event);
    if (ready && !runs) {
        carillon_osek_ready(object);
    }
    carillon_osek_unlock(saved);
    return ready;
}
static inline __attribute__((always_inline)) void carillon_osek_level_point_early(uint8_t action, TaskType object,
                                                                                  EventMaskType event)
{
    if (carillon_osek_cell_acts(action, object, event)) {
        carillon_osek_ready(object);
    }
}
static inline __attribute__((always_inline)) bool carillon_osek_level_point_waits(uint16_t source)
{
    return carillon_port_is_pending(source);
}
#endif

#endif
