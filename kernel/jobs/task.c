/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks: chapter 13.2. */
#include "kernel/jobs/task.h"
#include "kernel/jobs/frame.h"
#include "kernel/jobs/job.h"
#include "kernel/jobs/resource.h"

volatile uint_fast8_t carillon_osek_running = INVALID_TASK;

#if CARILLON_OSEK_MANAGED
StatusType carillon_osek_count(TaskType task)
{
    carillon_osek_serve_cells(&carillon_osek_tasks[task]);
    struct carillon_osek_job *const job = &carillon_osek_jobs[task];
    const bool full = job->activations == carillon_osek_tasks[task].activations;
    const StatusType status = carillon_osek_arrive(task, full ? E_OS_LIMIT : E_OK);
    if (status != E_OK) {
        return status;
    }
    job->activations++;
    struct carillon_osek_extended *const extended = carillon_osek_tasks[task].extended;
    if (extended != NULL) {
        extended->set = 0u;
    }
    carillon_time_released(task);
    return E_OK;
}
#endif

static void leave(TaskType next) __attribute__((noreturn));
static void leave(TaskType next)
{
    if (CARILLON_OSEK_BUDGETS) {
        (void)carillon_osek_lock(); /* the job leaves its frame */
    }
    if (!CARILLON_OSEK_MANAGED) {
        carillon_port_unwind(); /* a direct task: its vector is a frame because somebody refers to this (osek.ld) */
    }
    if (next != CARILLON_OSEK_UNDECIDED) {
        carillon_osek_jobs[carillon_osek_running].next = next;
    }
    carillon_osek_end();
}

/* Direct tasks: the controller's bits are their state. */
#if CARILLON_OSEK_DIRECT
volatile uint16_t carillon_osek_again;

/* Request a direct task, if it has neither begun nor been requested: E_OK or E_OS_LIMIT; locked. */
static StatusType request_direct(TaskType task)
{
    const struct carillon_osek_task *const fixed = &carillon_osek_tasks[task];
    carillon_osek_serve_cells(fixed);
    if (carillon_port_is_active(fixed->source) || carillon_port_is_pending(fixed->source)) {
        return E_OS_LIMIT;
    }
    carillon_osek_request(fixed->request, fixed->level);
    carillon_port_barrier();
    return E_OK;
}

/* The level of what runs: its own, or what it has masked. */
static uint32_t level_now(uint32_t mask)
{
    const uint32_t own = (uint32_t)carillon_osek_contexts[carillon_port_current()] & CARILLON_OSEK_LEVEL;
    const uint32_t masked = carillon_port_level_of(mask);
    return (own > masked) ? own : masked;
}

StatusType carillon_osek_claim(TaskType task)
{
    const uint32_t saved = carillon_osek_lock();
    StatusType status = E_OK;
    if (level_now(saved) >= carillon_osek_tasks[task].level) {
        status = request_direct(task);
    }
    carillon_osek_unlock(saved);
    return status;
}

/* Whether a direct task calls. */
static bool in_direct(void)
{
    if (!CARILLON_OSEK_MANAGED) {
        return true;
    }
    const uint32_t source = carillon_port_current();
    const uint16_t context = (source == 0u) ? 0u : carillon_osek_contexts[source];
    return ((context & CARILLON_OSEK_TASK) != 0u) &&
           (carillon_osek_tasks[carillon_osek_levels[context & CARILLON_OSEK_LEVEL].task].direct != 0u);
}

/* From a direct task: nothing that is requested begins before its handler has returned.  A request by the task's own
 * cell is one activation too many.  If the task chains itself, that request is the activation. */
StatusType carillon_chain_direct(TaskType task)
{
    const uint16_t source = carillon_osek_tasks[task].source;
    const uint32_t own = carillon_port_current();
    if (CARILLON_OSEK_LEVEL_CELLS) {
        const uint32_t saved = carillon_osek_lock();
        carillon_osek_serve_cells(
            &carillon_osek_tasks[carillon_osek_levels[carillon_osek_contexts[own] & CARILLON_OSEK_LEVEL].task]);
        carillon_osek_serve_cells(&carillon_osek_tasks[task]);
        carillon_osek_unlock(saved);
    }
    carillon_port_mask_until_end();
    StatusType status = E_OK;
    if (!carillon_osek_is_direct(task)) {
        status = carillon_osek_count(task);
    } else if ((source != own) && (carillon_port_is_active(source) || carillon_port_is_pending(source))) {
        status = E_OS_LIMIT;
    } else {
        /* the chain is possible */
    }
    if (status != E_OK) {
        carillon_port_unmask();
        return status;
    }
    carillon_port_forget(own, CARILLON_SOURCE_BIT(own));
    if (!carillon_osek_is_direct(task)) {
        carillon_osek_ready(task);
        return E_OK;
    }
    if (source == own) {
        carillon_osek_again = source;
    }
    carillon_port_request(source);
    return E_OK;
}

/* From a managed task: returns where the direct one has begun or been requested.
 *
 * 1. The direct task is requested under the lock in which its state was read, so that only one caller is told that it
 *    has the run.
 * 2. The direct task must not begin before this task has ended.  So its level stays masked from the lock on; the
 *    handler of this task's level restores the mask that it began with, when the job has ended. */
static void chain_to_direct(TaskType task)
{
    const uint32_t saved = carillon_osek_lock();
    if (request_direct(task) == E_OK) {
        carillon_port_restore(carillon_port_higher(saved, carillon_port_mask_of(carillon_osek_tasks[task].level)));
        leave(CARILLON_OSEK_TERMINATED);
    }
    carillon_osek_unlock(saved);
}

/* The direct task that runs, or that interrupts alone have preempted; INVALID_TASK: none does.  From the top, the
 * highest level that has begun runs, or is preempted by an interrupt alone. */
static TaskType running_direct(void)
{
    const uint_fast8_t managed = carillon_osek_running;
    const uint32_t least = (managed == INVALID_TASK) ? 0u : carillon_osek_level_of((TaskType)managed);
    for (uint32_t level = CARILLON_OSEK_TASK_LEVELS; level > least; level--) {
        if ((carillon_osek_tasks[carillon_osek_levels[level].task].direct != 0u) &&
            carillon_port_is_active(carillon_osek_levels[level].source)) {
            return carillon_osek_levels[level].task;
        }
    }
    return INVALID_TASK;
}

/* Of one that does not run. */
static TaskStateType state_of_direct(TaskType task)
{
    const uint16_t source = carillon_osek_tasks[task].source;
    if (CARILLON_OSEK_LEVEL_CELLS) {
        const uint32_t saved = carillon_osek_lock();
        carillon_osek_serve_cells(&carillon_osek_tasks[task]);
        carillon_osek_unlock(saved);
    }
    return (carillon_port_is_active(source) || carillon_port_is_pending(source)) ? READY : SUSPENDED;
}

#else

static inline StatusType request_direct(TaskType task)
{
    (void)task;
    return E_OS_LIMIT;
}

static inline bool in_direct(void)
{
    return false;
}

static inline void chain_to_direct(TaskType task)
{
    (void)task;
}

static inline TaskType running_direct(void)
{
    return INVALID_TASK;
}

static inline TaskStateType state_of_direct(TaskType task)
{
    (void)task;
    return SUSPENDED;
}

#endif

StatusType carillon_osek_activate_locked(TaskType task)
{
    if (carillon_osek_is_direct(task)) {
        return request_direct(task);
    }
    if (!CARILLON_OSEK_MANAGED) {
        return E_OK; /* there are no tasks */
    }
    const StatusType status = carillon_osek_count(task);
    if (status == E_OK) {
        carillon_osek_ready(task);
        return E_OK;
    }
    return ((status == E_OS_LIMIT) && carillon_time_resumes(task)) ? E_OK : status;
}

StatusType carillon_osek_activate(TaskType task)
{
    const uint32_t saved = carillon_osek_lock();
    const StatusType status = carillon_osek_activate_locked(task);
    carillon_osek_unlock(saved);
    return status;
}

StatusType(ActivateTask)(TaskType task)
{
    CHECK_PLACE(IN_TASK | IN_ISR2, OSServiceId_ActivateTask, .object = task);
    CHECK(task < CARILLON_OSEK_TASKS, OSServiceId_ActivateTask, E_OS_ID, .object = task);
    const StatusType status = carillon_osek_activate(task);
    REQUIRE(status == E_OK, OSServiceId_ActivateTask, status, .object = task);
    return E_OK;
}

#if CARILLON_OSEK_MANAGED
void carillon_osek_end(void)
{
    const struct carillon_osek_task *const task = &carillon_osek_tasks[carillon_osek_running];
    if ((CARILLON_OSEK_BASIC != 0) && (task->extended == NULL)) {
        carillon_port_unwind();
    }
    carillon_port_leave(&task->extended->context);
}

void carillon_osek_ended(TaskType task, TaskType before)
{
    const uint32_t mask = carillon_osek_hold();
    carillon_osek_unlock_all(task);
    if (carillon_osek_jobs[task].next == task) {
        carillon_time_released(task); /* it has chained itself: its deadline is that of its next job */
    } else {
        carillon_time_met(task);
    }
    carillon_osek_end_job(task, before);
    if (carillon_osek_tasks[task].thread != 0u) {
        carillon_time_thread_ended(task);
    }
    carillon_osek_leave(mask);
}
#endif

/* The running task fell off its end (AUTOSAR OS, SWS_Os_00052, 00069, 00070, 00239).  So a thread ends. */
#if CARILLON_OSEK_MISSING_END
void carillon_osek_missing_end(void)
{
    carillon_osek_interrupts_reset();
    carillon_osek_resources_reset();
    if (carillon_osek_tasks[carillon_osek_running].thread == 0u) {
        (void)FAIL(OSServiceId_TerminateTask, E_OS_MISSINGEND, .object = 0u);
    }
}
#endif

StatusType carillon_osek_TerminateTask(void)
{
    CHECK_PLACE(IN_TASK, OSServiceId_TerminateTask, .object = 0u);
    CHECK(carillon_osek_holds_none(), OSServiceId_TerminateTask, E_OS_RESOURCE, .object = 0u);
    if (in_direct()) {
        carillon_port_unwind();
    }
    leave(CARILLON_OSEK_TERMINATED);
}

#if CARILLON_OSEK_MANAGED && CARILLON_OSEK_INLINE
/* From the body of a managed task. */
void carillon_terminate_managed(void)
{
    leave(CARILLON_OSEK_TERMINATED);
}
#endif

StatusType carillon_osek_ChainTask(TaskType task)
{
    CHECK_PLACE(IN_TASK, OSServiceId_ChainTask, .object = task);
    CHECK(task < CARILLON_OSEK_TASKS, OSServiceId_ChainTask, E_OS_ID, .object = task);
    CHECK(carillon_osek_holds_none(), OSServiceId_ChainTask, E_OS_RESOURCE, .object = task);
    if (in_direct()) {
        const StatusType status = carillon_chain_direct(task);
        if (status == E_OK) {
            carillon_port_unwind();
        }
        return status;
    }
    if (carillon_osek_is_direct(task)) {
        chain_to_direct(task);
        return E_OS_LIMIT; /* where there are direct tasks there is no error hook */
    }
    if ((CARILLON_OSEK_MANAGED != 0) && (task != carillon_osek_running)) {
        const uint32_t saved = carillon_osek_lock();
        const StatusType status = carillon_osek_count(task);
        if (status == E_OK) { /* whoever asks now is told that this is no activation yet (carillon_osek_suspended) */
            carillon_osek_jobs[carillon_osek_running].next = task;
        }
        carillon_osek_unlock(saved);
        REQUIRE(status == E_OK, OSServiceId_ChainTask, status, .object = task);
    } else if (CARILLON_OSEK_FRAMES > 0u) {
        const uint32_t saved = carillon_osek_lock();
        const StatusType status = carillon_osek_arrive(task, E_OK); /* it is an arrival like others */
        carillon_osek_unlock(saved);
        REQUIRE(status == E_OK, OSServiceId_ChainTask, status, .object = task);
    } else {
        /* it has the activation that it needs */
    }
    leave(task);
}

StatusType Schedule(void)
{
    CHECK_PLACE(IN_TASK, OSServiceId_Schedule, .object = 0u);
    CHECK(carillon_osek_holds_none(), OSServiceId_Schedule, E_OS_RESOURCE, .object = 0u);
    if (CARILLON_OSEK_INTERNAL) {
        const TaskType task = carillon_osek_current();
        if ((task != INVALID_TASK) && (carillon_osek_tasks[task].ceiling > carillon_osek_least_level(task))) {
            carillon_osek_yield(carillon_osek_least_level(task), carillon_osek_tasks[task].ceiling);
        }
    }
    return E_OK;
}

StatusType GetTaskID(TaskRefType task)
{
    CHECK_PLACE(IN_TASK | IN_ISR2 | IN_ERROR_HOOK | IN_TASK_HOOK | IN_PROTECTION_HOOK, OSServiceId_GetTaskID,
                .reference = task);
    CHECK_POINTER(task, OSServiceId_GetTaskID, .reference = task);
    *task = carillon_osek_current();
    return E_OK;
}

TaskType carillon_osek_current(void)
{
    const TaskType direct = running_direct();
    return (direct != INVALID_TASK) ? direct : (TaskType)carillon_osek_running;
}

#if CARILLON_OSEK_MATES
/* Does a task go on with one that is ready (carillon_osek_next_mate)?  Bounded by the number of tasks; locked. */
static bool goes_on_with_another(TaskType task)
{
    const struct carillon_osek_level *const level = &carillon_osek_levels[carillon_osek_tasks[task].level];
    const uint_fast16_t count = (level->capacity != 0u) ? level->state->count : 0u;
    for (uint_fast16_t k = 0u; k < count; k++) {
        const uint_fast16_t place = (uint_fast16_t)(level->state->first + k);
        TaskType ready = level->ring[(place < level->capacity) ? place : (uint_fast16_t)(place - level->capacity)];
        const struct carillon_osek_extended *extended = carillon_osek_tasks[ready].extended;
        while ((extended != NULL) && (extended->mate != 0u)) {
            ready = (TaskType)(extended->mate - 1u);
            if (ready == task) {
                return true;
            }
            extended = carillon_osek_tasks[ready].extended;
        }
    }
    return false;
}
#else
static inline bool goes_on_with_another(TaskType task)
{
    (void)task;
    return false;
}
#endif

/* Whether a task that waits for this is ready. */
static bool is_ready_for(TaskType task, EventMaskType waited)
{
    const bool takes_turns = (CARILLON_OSEK_SLICES != 0) || (CARILLON_OSEK_MUTEXES > 0u);
    return (waited == 0u) || (takes_turns && (waited == CARILLON_OSEK_TURN)) ||
           ((waited == CARILLON_OSEK_WAKE) && goes_on_with_another(task));
}

StatusType GetTaskState(TaskType task, TaskStateRefType state)
{
    CHECK_PLACE(IN_TASK | IN_ISR2 | IN_ERROR_HOOK | IN_TASK_HOOK, OSServiceId_GetTaskState, .object = task,
                .reference = state);
    CHECK(task < CARILLON_OSEK_TASKS, OSServiceId_GetTaskState, E_OS_ID, .object = task, .reference = state);
    CHECK_POINTER(state, OSServiceId_GetTaskState, .object = task, .reference = state);
    if (task == carillon_osek_current()) {
        *state = RUNNING;
        return E_OK;
    }
    if (carillon_osek_is_direct(task)) {
        *state = state_of_direct(task);
        return E_OK;
    }
    if (!CARILLON_OSEK_MANAGED) {
        return E_OK; /* there are no tasks */
    }
    /* The events that a task has and the events that it waits for make one state.  The task must not go on between
     * the reads of the two. */
    const struct carillon_osek_extended *const extended = carillon_osek_tasks[task].extended;
    const uint32_t saved = carillon_osek_lock();
    carillon_osek_serve_cells(&carillon_osek_tasks[task]);
    const bool suspended = carillon_osek_suspended(task);
    const bool ready = (extended == NULL) || is_ready_for(task, extended->waited);
    carillon_osek_unlock(saved);
    if (suspended) {
        *state = SUSPENDED;
    } else {
        *state = ready ? READY : WAITING;
    }
    return E_OK;
}
