/* SPDX-License-Identifier: Apache-2.0
 *
 * What the event-triggered kernel's parts and the generated osek.c share: the state that the kernel keeps, and the
 * level's handler.  The constants that the tool writes are in kernel/contract/osek.h.
 *
 * A level is a priority.  The lowest levels are the application's task priorities, and those of its interrupts are
 * above them.  Levels count from 1.  With hardware dispatch, they are also the controller's levels.  A task level has
 * one handler, which runs one job of one of the level's tasks.  The handler is requested like an interrupt, and is an
 * interrupt unless dispatch is in software.
 *
 * There are two kinds of tasks.  The vector of a direct task is its function, and the controller's active and pending
 * bits are its state.  At run time, only ActivateTask and similar services know of a direct task.  A managed task has
 * a job record, and its level's handler is carillon_osek_run.
 */
#ifndef CARILLON_OSEK_KERNEL_H
#define CARILLON_OSEK_KERNEL_H

#include "carillon/osek.h"
#include "kernel/contract/osek.h"
#include "kernel/osek/base.h"
#include "kernel/osek/budget.h"
#include "kernel/osek/frame.h"
#include "kernel/time/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

void carillon_osek_start_counters(AppModeType mode);
/* Start the schedule tables on cells of an application mode; locked (schedule_table.c). */
void carillon_osek_start_tables_on_cells(AppModeType mode);
void carillon_osek_end_table(uint8_t table);
void carillon_osek_half_table(uint8_t table);
/* Count the ticks of a hardware counter that have passed, and serve what was due in them. */
void carillon_osek_tick(CounterType counter);

/* An alarm's cell expired, which has the kernel's level. */
void carillon_osek_alarm_expired(AlarmType alarm);
/* Whether a cell carries each alarm (alarm.c). */
extern uint8_t carillon_osek_alarm_cells[];
#define CARILLON_OSEK_ON_CELL 0u
/* The action of a cell failed. */
void carillon_osek_cell_fails(uint8_t action, TaskType object, EventMaskType event, StatusType status);

#ifndef CARILLON_CLOCK_HOOKED /* without time services */
#define CARILLON_CLOCK_HOOKED 0
#endif
#if (CARILLON_MODES > 0) || CARILLON_CLOCK_HOOKED
/* Whether StartOS has been called and ShutdownOS has not. */
extern bool carillon_osek_up;
#endif

/* The managed task that runs, INVALID_TASK if none does. */
extern volatile uint_fast8_t carillon_osek_running;

#if CARILLON_OSEK_MANAGED
/* Whether a managed task has no job.  A task that ChainTask names has its place from the call on, but is activated only
 * when the caller has ended.  Until then it is suspended, and the caller's PostTaskHook may ask for its state. */
static inline bool carillon_osek_suspended(TaskType task)
{
    const uint_fast8_t running = carillon_osek_running;
    const bool chained = (running != INVALID_TASK) && (running != task) && (carillon_osek_jobs[running].next == task);
    return carillon_osek_jobs[task].activations == (chained ? 1u : 0u);
}
#endif

/* The kernel's own lock: interrupts of the event-triggered system wait, and no time-triggered interrupt does. */
#if CARILLON_OSEK_SOFTWARE
#include "kernel/osek/software.h"
#else
static inline uint32_t carillon_osek_lock(void)
{
    return carillon_port_raise(CARILLON_OSEK_TOP);
}
static inline void carillon_osek_unlock(uint32_t saved)
{
    carillon_port_restore(saved);
}
#if CARILLON_OSEK_TASK_HOOKS && !CARILLON_OSEK_INLINE
extern volatile bool carillon_osek_over[];
#endif
static inline void carillon_osek_request(struct carillon_store request, uint8_t level)
{
#if CARILLON_OSEK_TASK_HOOKS
    carillon_osek_over[level] = false;
#else
    (void)level;
#endif
    carillon_port_write(request.address, request.value);
}
static inline void carillon_osek_request_in_handler(struct carillon_store request, uint8_t level)
{
    carillon_osek_request(request, level);
}
static inline void carillon_osek_request_unlocked(struct carillon_store request, uint8_t level)
{
    carillon_osek_request(request, level);
}
static inline uint32_t carillon_osek_hold(void)
{
    return carillon_osek_lock();
}
static inline void carillon_osek_release(uint32_t mask)
{
    carillon_osek_unlock(mask);
}
static inline uint32_t carillon_osek_enter(uint8_t ceiling, uint8_t level)
{
    return (ceiling > level) ? carillon_port_raise(ceiling) : carillon_port_mask();
}
static inline void carillon_osek_leave(uint32_t mask)
{
    carillon_port_restore(mask);
}
#if CARILLON_OSEK_BUDGETS
/* Where a level's handler begins, it takes the lock; what lowers that where a job begins, if `outer` was masked before;
 * and the budget of what the handler preempts.  The latter are locked. */
static inline uint32_t carillon_osek_held(void)
{
    return carillon_osek_lock();
}
static inline uint32_t carillon_osek_begin_mask(uint32_t outer, uint8_t ceiling, uint8_t level)
{
    return (ceiling > level) ? carillon_port_higher(outer, carillon_port_mask_of(ceiling)) : outer;
}
static inline struct carillon_budget_left carillon_osek_take_budget(void)
{
    return carillon_budget_take();
}
static inline void carillon_osek_give_budget(struct carillon_budget_left left)
{
    carillon_budget_give(left);
}
#endif
static inline uint32_t carillon_osek_raise(uint8_t level)
{
    return carillon_port_raise(level);
}
static inline uint32_t carillon_osek_mask(void)
{
    return carillon_port_mask();
}
static inline void carillon_osek_lower(uint32_t saved)
{
    carillon_port_restore(saved);
}
#endif

/* Make a managed task ready; locked. */
static inline void carillon_osek_ready(TaskType task)
{
    const struct carillon_osek_task *const it = &carillon_osek_tasks[task];
#if CARILLON_OSEK_QUEUED
    const struct carillon_osek_level *const level = &carillon_osek_levels[it->level];
    if (level->capacity != 0u) {
        const uint_fast16_t last = (uint_fast16_t)(level->state->first + level->state->count);
        level->ring[(last < level->capacity) ? last : (uint_fast16_t)(last - level->capacity)] = task;
        level->state->count++;
    }
#endif
    carillon_osek_request(it->request, it->level);
}

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
 *    second one would have been lost, and an event that is set twice is set.  The error hook is not told of it.
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
#if CARILLON_OSEK_ERROR_HOOK
    if (job->activations == 0u) {
        carillon_osek_cell_fails(action, object, event, E_OS_STATE);
        return false;
    }
#endif
    task->extended->set |= event; /* of a suspended task it is forgotten when that is activated */
    if ((task->extended->set & task->extended->waited) != 0u) {
        task->extended->waited = 0u;
        return true;
    }
    return false;
}

static inline __attribute__((always_inline)) bool carillon_osek_alarm_acts(AlarmType number)
{
    const struct carillon_osek_alarm *const alarm = &carillon_osek_alarms[number];
    return carillon_osek_cell_acts(alarm->action, alarm->object, alarm->operand.carillon_event);
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

/* Serve the cells that have the level of a task, if it has any. */
static inline void carillon_osek_serve_cells(const struct carillon_osek_task *task)
{
    if (task->cells != NULL) {
        carillon_osek_call_cells(task->cells);
    }
}
#else
static inline void carillon_osek_serve_cells(const struct carillon_osek_task *task)
{
    (void)task;
}
#endif

#if CARILLON_OSEK_TIME
/* What a task may wait for beside events: something of the time services, or its turn among the threads of its level.
 * No event has one of these bits. */
#define CARILLON_OSEK_WAKE UINT32_C(0x80000000)
#define CARILLON_OSEK_TURN UINT32_C(0x40000000)

/* Make a task ready that has waited for something of the time services (CARILLON_OSEK_WAKE), and does so no more;
 * locked, or `in_handler`: in the clock's handler. */
static inline void carillon_osek_wake(const struct carillon_osek_task *task, TaskType number, bool in_handler)
{
#if CARILLON_OSEK_QUEUED
    (void)task;
    (void)in_handler;
    carillon_osek_ready(number);
#else
    (void)number;
    if (in_handler) {
        carillon_osek_request_in_handler(task->request, task->level);
    } else {
        carillon_osek_request(task->request, task->level);
    }
#endif
}
#endif

/* Count one more activation of a managed task, without making it ready; locked.  E_OK, E_OS_LIMIT, or
 * E_OS_PROTECTION_ARRIVAL: it comes too early. */
StatusType carillon_osek_count(TaskType task);

/* Activate a task, and say the same.  It is served before this returns if its level allows. */
StatusType carillon_osek_activate(TaskType task);

/* The same, locked: it is served when the lock is undone. */
StatusType carillon_osek_activate_locked(TaskType task);

/* At the end of a direct task that has a cell: if the cell requested the task while it ran, that was one activation too
 * many.  If the task chained itself, that request stays.
 *
 * 1. Nothing comes between the chaining and the end of the handler (carillon_chain_direct).
 * 2. A task's vector either always ends so or never does (osek.ld), so what is left behind belongs to this task. */
extern volatile uint16_t carillon_osek_again;
static inline void carillon_osek_forget_request(uint16_t source)
{
    carillon_port_forget(source, CARILLON_SOURCE_BIT(source));
    if (carillon_osek_again == source) {
        carillon_osek_again = 0u;
        carillon_port_request(source);
    }
}

/* Set events of an extended task. */
void carillon_osek_set(TaskType task, EventMaskType mask);

/* Back from the running managed task to its level's handler. */
void carillon_osek_end(void) __attribute__((noreturn));

#if CARILLON_OSEK_MATES
/* Tasks of one level whose delays are over in one tick are made ready as one (kernel/time/wait.c).  The ring has the
 * first of them, and each task has the number of the next.  The task, the ring's first entry, begins to run: the next
 * takes its place, and waits for time no more.  Returns whether there is one; locked. */
static inline bool carillon_osek_next_mate(const struct carillon_osek_level *level, TaskType task)
{
    struct carillon_osek_extended *const extended = carillon_osek_tasks[task].extended;
    if ((extended == NULL) || (extended->mate == 0u)) {
        return false;
    }
    const TaskType mate = (TaskType)(extended->mate - 1u);
    extended->mate = 0u;
    carillon_osek_tasks[mate].extended->waited = 0u;
    level->ring[level->state->first] = mate;
    return true;
}
#else
static inline bool carillon_osek_next_mate(const struct carillon_osek_level *level, TaskType task)
{
    (void)level;
    (void)task;
    return false;
}
#endif

#if CARILLON_OSEK_SLICES
/* Before a resource of this ceiling is taken, and when it has been released (wait.c): no thread gives way meanwhile. */
void carillon_slice_hold(uint8_t ceiling);
void carillon_slice_let_go(uint8_t ceiling);
#endif

/* What a level's handler does around a job (error.c).  The second function keeps the lock, and lowering the mask ends
 * it. */
void carillon_osek_enter_hooks(TaskType before, TaskType task);
void carillon_osek_end_hooks(void);
#if CARILLON_OSEK_SOFTWARE
void carillon_osek_leave_hooks(uint8_t handler);
#else
void carillon_osek_leave_hooks(uint8_t number, uint32_t mask);
#endif
void carillon_osek_missing_end(void);
void carillon_osek_check_stack(const struct carillon_osek_task *task);
void carillon_osek_ended(TaskType task, TaskType before);

/* The next job of a task begins at the beginning, with no event set, if it is an extended task.  Where registers are
 * narrow, that is much code, and stands once. */
static inline void carillon_osek_begin_context_inlined(const struct carillon_osek_task *task)
{
    struct carillon_osek_extended *const extended = task->extended;
    if (extended != NULL) {
        extended->set = 0u;
#if CARILLON_OSEK_BUDGETS
        carillon_port_context(&extended->context, task->stack, task->stack_words, carillon_budget_body);
#else
        carillon_port_context(&extended->context, task->stack, task->stack_words, task->function);
#endif
    }
}
#if CARILLON_NARROW
void carillon_osek_begin_context(const struct carillon_osek_task *task) __attribute__((noinline));
#else
static inline void carillon_osek_begin_context(const struct carillon_osek_task *task)
{
    carillon_osek_begin_context_inlined(task);
}
#endif

#if CARILLON_OSEK_MANAGED

/* A job is over.  Its task waits for the next activation, or has one.  The managed task that the job chains is
 * activated.  The task that the job preempted is the running one.  Locked. */
static inline __attribute__((always_inline)) void carillon_osek_end_job(TaskType task, TaskType before)
{
    struct carillon_osek_job *const job = &carillon_osek_jobs[task];
    const TaskType next = job->next;
    carillon_osek_running = before;
    job->next = CARILLON_OSEK_UNDECIDED;
    if (next != task) {
        job->activations--;
    }
#if CARILLON_OSEK_EVENTS
    carillon_osek_begin_context(&carillon_osek_tasks[task]);
#endif
    if (__builtin_expect(next < CARILLON_OSEK_TASKS, 1) != 0) { /* else the way out would stand twice */
        carillon_osek_ready(next);
    }
}

/* Whether a level's handler has the end of its jobs in it: it knows the task, which ends often, as threads do not. */
#define CARILLON_OSEK_ENDS_INLINE (!CARILLON_OSEK_SOFTWARE && !CARILLON_NARROW)

/* The handler of a task level: it runs one job of a managed task.  It is inlined with a constant level, so that it has
 * no code for what the level's tasks do not need.
 *
 * 1. The handler is active until it returns, so no other job of the level begins meanwhile; higher levels may
 *    preempt it anywhere.
 * 2. A handler that changes carillon_osek_running restores it, so a preempted handler finds its own value.
 * 3. A task that waits comes back here locked (WaitEvent).  After PostTaskHook, the kernel is locked, too.  The mask is
 *    restored below, when nothing of the task is needed any more.
 * 4. Until then the task counts as running.  It stops doing so under the lock under which its job ends, so no service
 *    finds it ready.  What follows belongs to no task: a chained task that preempts it there finds the job ended. */
static inline __attribute__((always_inline)) void carillon_osek_run(uint8_t number)
{
    const struct carillon_osek_level *const level = &carillon_osek_levels[number];
    TaskType task = level->task;
#if CARILLON_OSEK_BUDGETS
    const uint32_t mask = carillon_osek_held(); /* until the job's frame stands, and again from its end on */
    const struct carillon_budget_left left = carillon_osek_take_budget();
#endif
#if CARILLON_OSEK_QUEUED
    if (level->capacity != 0u) {
        const uint32_t saved = carillon_osek_lock();
        const uint32_t first = level->state->first;
        task = level->ring[first];
        if (!carillon_osek_next_mate(level, task)) {
            level->state->first = ((first + 1u) < level->capacity) ? (uint16_t)(first + 1u) : 0u;
            level->state->count--;
        }
#if CARILLON_OSEK_SLICES
        level->state->over = 0u;
        level->state->held = 0u;
#endif
        carillon_osek_unlock(saved);
    }
#endif
    const struct carillon_osek_task *const it = &carillon_osek_tasks[task];
    const uint_fast8_t before = carillon_osek_running;
#if CARILLON_OSEK_BUDGETS
    const uint32_t begins = carillon_osek_begin_mask(mask, it->ceiling, number);
#else
    const uint32_t mask = carillon_osek_enter(it->ceiling, number);
#endif
#if CARILLON_OSEK_TASK_HOOKS
    carillon_osek_enter_hooks((TaskType)before, task);
#else
    carillon_osek_running = task;
#endif
#if CARILLON_OSEK_BUDGETS
    carillon_budget.mask = begins;
    carillon_budget.function = it->function;
    carillon_budget_watch(task, it->budget);
#endif
    if (it->extended != NULL) {
        carillon_port_resume(&it->extended->context);
#if CARILLON_OSEK_STACK_CHECK
        carillon_osek_check_stack(it);
#endif
    } else {
#if CARILLON_OSEK_BUDGETS
        CARILLON_CALL_AS(it->function, carillon_budget_body);
#else
        carillon_port_call(it->function);
#endif
    }
#if CARILLON_OSEK_MISSING_END
    if ((carillon_osek_jobs[task].next == CARILLON_OSEK_GOES_ON) &&
        ((it->extended == NULL) || (it->extended->waited == 0u))) {
        carillon_osek_missing_end();
    }
#endif
#if CARILLON_OSEK_LEVEL_CELLS
    if (CARILLON_OSEK_HAS_CELLS(number) && ((it->extended == NULL) || (it->extended->waited == 0u))) {
        (void)carillon_osek_lock(); /* up to the task's end */
        carillon_serve_known_cells(number);
    }
#endif
#if CARILLON_OSEK_TASK_HOOKS
    carillon_osek_end_hooks();
#endif
    if ((it->extended != NULL) && (it->extended->waited != 0u)) {
        carillon_osek_running = before;
    } else if (CARILLON_OSEK_ENDS_INLINE && (level->capacity == 0u) && (it->extended != NULL) && (it->thread == 0u)) {
        (void)carillon_osek_hold(); /* up to the task's end */
        carillon_osek_end_job(task, (TaskType)before);
    } else {
        carillon_osek_ended(task, (TaskType)before); /* before those that it held back find it */
    }
#if CARILLON_OSEK_BUDGETS
    carillon_budget_forget_locks();
#endif
#if CARILLON_OSEK_BUDGETS && CARILLON_OSEK_TASK_HOOKS && !CARILLON_OSEK_SOFTWARE
    carillon_budget.state = CARILLON_UNWATCHED; /* until the hook of the task that goes on has returned */
#elif CARILLON_OSEK_BUDGETS
    carillon_osek_give_budget(left);
#endif
    carillon_osek_leave(mask);
#if CARILLON_OSEK_QUEUED
    if ((level->capacity != 0u) && (level->state->count != 0u)) {
        carillon_osek_request_unlocked(level->request, number);
    }
#endif
#if CARILLON_OSEK_TASK_HOOKS && !CARILLON_OSEK_SOFTWARE
    carillon_osek_leave_hooks(number, mask);
#if CARILLON_OSEK_BUDGETS
    (void)carillon_osek_lock();
    carillon_osek_give_budget(left);
    carillon_osek_leave(mask);
#endif
#endif
}

#endif

#ifdef __cplusplus
}
#endif

#endif
