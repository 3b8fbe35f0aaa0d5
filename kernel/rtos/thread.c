/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that a program for another kernel makes as it runs.  Each takes a thread of the schedule, as `new Thread(&f)`
 * of C++ does: the first free one that has the priority, and a stack that suffices.
 *
 * 1. One that nobody joins is given back where its function ends, and is free when it has ended (kernel/time/new.c).
 * 2. One that may be joined is given back by who joins or detaches it. */
#include "kernel/rtos/wait.h"

#include "kernel/jobs/stop.h"
#include "kernel/jobs/task.h"

#if CARILLON_RTOS_HEAP > 0

/* Who may be joined, and who is being joined. */
#define JOINABLE 1u
#define JOINED 2u

struct carillon_rtos_thread carillon_rtos_threads[CARILLON_OSEK_TASKS];

struct carillon_rtos_thread *carillon_rtos_thread_self(void)
{
    const bool has_one = (carillon_rtos_state == CARILLON_RTOS_RUNNING) && !carillon_rtos_in_timer();
    const TaskType task = has_one ? carillon_osek_current() : INVALID_TASK;
    return (task == INVALID_TASK) ? NULL : &carillon_rtos_threads[task];
}

bool carillon_rtos_thread_is(const struct carillon_rtos_thread *thread)
{
    return (thread >= &carillon_rtos_threads[0]) && (thread < &carillon_rtos_threads[CARILLON_OSEK_TASKS]) &&
           (carillon_osek_tasks[carillon_rtos_task_of(thread)].extended != NULL);
}

TaskStateType carillon_rtos_thread_state(const struct carillon_rtos_thread *thread)
{
    TaskStateType state = (thread->waits_to_begin != 0u) ? READY : SUSPENDED;
    if ((carillon_rtos_state == CARILLON_RTOS_RUNNING) && (thread->ends == 0u)) {
        (void)GetTaskState(carillon_rtos_task_of(thread), &state);
    }
    return state;
}

uint32_t carillon_rtos_thread_stack(const struct carillon_rtos_thread *thread)
{
    return 8u * carillon_osek_tasks[carillon_rtos_task_of(thread)].stack_words;
}

uint32_t carillon_rtos_thread_stack_left(const struct carillon_rtos_thread *thread)
{
    return carillon_rtos_thread_stack(thread) - carillon_stack_used(carillon_rtos_task_of(thread));
}

#if CARILLON_NEW_THREADS > 0
/* The thread of the schedule that a thread has taken; NULL: it is another thread, or nobody has taken it. */
static struct carillon_new_thread *taken_of(const struct carillon_rtos_thread *thread)
{
    const TaskType task = carillon_rtos_task_of(thread);
    for (uint_fast8_t k = 0u; k < CARILLON_NEW_THREADS; k++) {
        if (carillon_new_threads[k].thread == task) {
            return (carillon_new_threads[k].taken != 0u) ? &carillon_new_threads[k] : NULL;
        }
    }
    return NULL;
}

static void give_back(const struct carillon_rtos_thread *thread)
{
    struct carillon_new_thread *const own = taken_of(thread);
    if (own != NULL) {
        own->taken = 0u;
    }
}

/* The function is over.  Who detaches the thread from here on gives it back. */
static void leave(struct carillon_rtos_thread *own)
{
    const uint32_t saved = carillon_osek_lock();
    own->over = 1u;
    if (own->joinable == 0u) {
        give_back(own);
    }
    carillon_osek_unlock(saved);
}

static int body(void)
{
    struct carillon_rtos_thread *const own = &carillon_rtos_threads[carillon_osek_running];
    own->begun = 1u;
    if (own->ends == 0u) {
        own->function(own->argument);
    }
    leave(own);
    return 0;
}

/* Is a thread of the schedule free?  Before StartOS, none runs. */
static bool is_free(const struct carillon_new_thread *each)
{
    return (each->taken == 0u) &&
           ((carillon_rtos_state != CARILLON_RTOS_RUNNING) || carillon_osek_suspended(each->thread));
}

struct carillon_rtos_thread *carillon_rtos_thread_new(void (*function)(void *), void *argument, const char *name,
                                                      uint32_t priority, uint32_t stack, bool joinable)
{
    if ((function == NULL) || carillon_rtos_in_isr()) {
        return NULL;
    }
    struct carillon_rtos_thread *own = NULL;
    const bool begins = carillon_rtos_state == CARILLON_RTOS_RUNNING;
    const uint32_t saved = carillon_osek_lock();
    for (uint_fast8_t k = 0u; (k < CARILLON_NEW_THREADS) && (own == NULL); k++) {
        struct carillon_new_thread *const each = &carillon_new_threads[k];
        const TaskType task = each->thread;
        if (is_free(each) && (carillon_rtos_priorities[task] == priority) &&
            ((8u * carillon_osek_tasks[task].stack_words) >= stack)) {
            each->taken = 1u;
            each->function = body;
            own = &carillon_rtos_threads[task];
            own->name = name;
            own->function = function;
            own->argument = argument;
            own->joinable = joinable ? (uint8_t)JOINABLE : (uint8_t)0u;
            own->begun = 0u;
            own->ends = 0u;
            own->over = 0u;
            own->flags.object.kind = CARILLON_RTOS_FLAGS;
            own->flags.value = 0u;
            own->notified.object.kind = CARILLON_RTOS_FLAGS;
            own->notified.value = 0u;
            own->waits_to_begin = begins ? (uint8_t)0u : (uint8_t)1u;
        }
    }
    carillon_osek_unlock(saved);
    if ((own != NULL) && begins) {
        (void)carillon_osek_activate(carillon_rtos_task_of(own));
    }
    return own;
}

/* The kernel's own task is no thread of a program for another kernel. */
static bool is_taken(const struct carillon_rtos_thread *thread)
{
    return carillon_rtos_thread_is(thread) && (taken_of(thread) != NULL);
}
#else
static void leave(struct carillon_rtos_thread *own)
{
    (void)own;
}
static bool is_taken(const struct carillon_rtos_thread *thread)
{
    (void)thread;
    return false;
}
static void give_back(const struct carillon_rtos_thread *thread)
{
    (void)thread;
}
#endif

/* StartOS has activated its threads; those that main has made begin, too.  Others of the schedule get their flags. */
void carillon_rtos_start(void)
{
    carillon_rtos_state = CARILLON_RTOS_RUNNING;
    for (uint_fast8_t task = 0u; task < CARILLON_OSEK_TASKS; task++) {
        struct carillon_rtos_thread *const each = &carillon_rtos_threads[task];
        each->flags.object.kind = CARILLON_RTOS_FLAGS;
        each->notified.object.kind = CARILLON_RTOS_FLAGS;
        if (each->waits_to_begin != 0u) {
            each->waits_to_begin = 0u;
            (void)carillon_osek_activate_locked((TaskType)task);
        }
    }
    carillon_rtos_start_timers();
}

void carillon_rtos_thread_exit(void)
{
    leave(&carillon_rtos_threads[carillon_osek_running]);
    (void)carillon_osek_TerminateTask();
    for (;;) { /* not reached */
    }
}

int carillon_rtos_thread_join(struct carillon_rtos_thread *thread)
{
    if (carillon_rtos_in_isr()) {
        return CARILLON_RTOS_IN_ISR;
    }
    if (!is_taken(thread)) {
        return CARILLON_RTOS_PARAMETER;
    }
    if ((thread == carillon_rtos_thread_self()) || !carillon_rtos_may_wait()) {
        return CARILLON_RTOS_RESOURCE;
    }
    const uint32_t saved = carillon_osek_lock();
    const bool is_first = thread->joinable == JOINABLE;
    thread->joinable = is_first ? (uint8_t)JOINED : thread->joinable;
    carillon_osek_unlock(saved);
    if (!is_first) { /* or the second would give back what another has taken since */
        return CARILLON_RTOS_RESOURCE;
    }
    (void)carillon_join(carillon_rtos_task_of(thread));
    give_back(thread);
    return CARILLON_RTOS_OK;
}

int carillon_rtos_thread_detach(struct carillon_rtos_thread *thread)
{
    if (carillon_rtos_in_isr()) {
        return CARILLON_RTOS_IN_ISR;
    }
    if (!is_taken(thread)) {
        return CARILLON_RTOS_PARAMETER;
    }
    const uint32_t saved = carillon_osek_lock();
    const bool is_joinable = thread->joinable == JOINABLE;
    if (is_joinable) {
        thread->joinable = 0u;
        if (thread->over != 0u) {
            give_back(thread);
        }
    }
    carillon_osek_unlock(saved);
    return is_joinable ? CARILLON_RTOS_OK : CARILLON_RTOS_RESOURCE;
}

/* The line of threads that have suspended themselves. */
static struct carillon_semaphore suspended;

/* A thread suspends itself alone: what another has begun lies above others on the processor. */
int carillon_rtos_thread_suspend(struct carillon_rtos_thread *thread)
{
    if (carillon_rtos_in_isr()) {
        return CARILLON_RTOS_IN_ISR;
    }
    if (!carillon_rtos_thread_is(thread)) {
        return CARILLON_RTOS_PARAMETER;
    }
    if ((thread != carillon_rtos_thread_self()) || !carillon_rtos_may_wait()) {
        return CARILLON_RTOS_ERROR;
    }
    struct carillon_rtos_waiter own;
    (void)carillon_rtos_wait(&own, &suspended, carillon_osek_lock(), CARILLON_RTOS_FOREVER);
    return CARILLON_RTOS_OK;
}

/* Does a thread wait, in a line?  One that need not wait any more does so until it goes on; locked. */
static bool is_in_line(const struct carillon_rtos_thread *thread)
{
    return (thread->waiter != NULL) &&
           (carillon_osek_tasks[carillon_rtos_task_of(thread)].extended->waited == CARILLON_OSEK_WAKE);
}

/* Has it suspended itself?  Locked. */
static bool is_suspended(const struct carillon_rtos_thread *thread)
{
    return is_in_line(thread) && (((const struct carillon_waiter *)thread->waiter)->semaphore == &suspended);
}

bool carillon_rtos_thread_suspended(const struct carillon_rtos_thread *thread)
{
    const uint32_t saved = carillon_osek_lock();
    const bool is = is_suspended(thread);
    carillon_osek_unlock(saved);
    return is;
}

/* A thread that waits goes on, as if its time-out had come; locked. */
static void go_on(struct carillon_rtos_thread *thread)
{
    struct carillon_waiter *const waiter = thread->waiter;
    struct carillon_waiter **link = &waiter->semaphore->first;
    while (*link != waiter) { /* bounded by the number of threads */
        link = &(*link)->next;
    }
    carillon_time_leaves_line(link, waiter);
    waiter->result = E_OS_NOFUNC;
    carillon_time_wake(&waiter->sleeper);
}

int carillon_rtos_thread_resume(struct carillon_rtos_thread *thread, bool whatever)
{
    if (!carillon_rtos_thread_is(thread)) {
        return CARILLON_RTOS_PARAMETER;
    }
    const uint32_t saved = carillon_osek_lock();
    const bool goes = whatever ? is_in_line(thread) : is_suspended(thread);
    if (goes) {
        go_on(thread);
    }
    carillon_osek_unlock(saved);
    return goes ? CARILLON_RTOS_OK : CARILLON_RTOS_RESOURCE;
}

/* A thread that waits, or has not begun, ends where it goes on or begins: it carries out nothing more of its own.  Of
 * another one nobody knows what it is about. */
int carillon_rtos_thread_terminate(struct carillon_rtos_thread *thread)
{
    if (carillon_rtos_in_isr()) {
        return CARILLON_RTOS_IN_ISR;
    }
    if (!is_taken(thread) || (carillon_rtos_thread_state(thread) == SUSPENDED)) {
        return CARILLON_RTOS_PARAMETER;
    }
    if (thread == carillon_rtos_thread_self()) {
        carillon_rtos_thread_exit();
    }
    const uint32_t saved = carillon_osek_lock();
    const bool in_line = is_in_line(thread);
    const bool ends = (thread->waiter != NULL) || (thread->begun == 0u) || (thread->yields != 0u);
    if (ends) {
        thread->ends = 1u;
    }
    if (in_line) {
        go_on(thread);
    }
    carillon_osek_unlock(saved);
    return ends ? CARILLON_RTOS_OK : CARILLON_RTOS_RESOURCE;
}

/* Behind the others of its priority, where there are any. */
int carillon_rtos_thread_yield(void)
{
    if (!carillon_rtos_may_wait()) {
        return carillon_rtos_in_isr() ? CARILLON_RTOS_IN_ISR : CARILLON_RTOS_ERROR;
    }
    const TaskType task = (TaskType)carillon_osek_running;
    const struct carillon_osek_task *const fixed = &carillon_osek_tasks[task];
    struct carillon_rtos_thread *const self = &carillon_rtos_threads[task];
    if (carillon_osek_levels[fixed->level].capacity != 0u) {
        (void)carillon_osek_lock();
        self->yields = 1u;
        fixed->extended->waited = CARILLON_OSEK_TURN;
        carillon_osek_wake(fixed, task, false);
        carillon_osek_suspend(fixed->extended);
        fixed->extended->waited = 0u;
        self->yields = 0u;
        carillon_osek_goes_on();
        if (self->ends != 0u) {
            carillon_rtos_thread_exit();
        }
    }
    return CARILLON_RTOS_OK;
}

#endif
