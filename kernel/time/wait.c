/* SPDX-License-Identifier: Apache-2.0
 *
 * Services that wait: delays and semaphores; and the slices of threads. */
#include "wait.h"

#include "clock_steps.h"

#if CARILLON_OSEK_TIME

/* Are there hooks or callbacks, in which the task that runs must not wait? */
#define HOOKS                                                                                 \
    (CARILLON_OSEK_STARTUP_HOOK || CARILLON_OSEK_SHUTDOWN_HOOK || CARILLON_OSEK_ERROR_HOOK || \
     CARILLON_OSEK_TASK_HOOKS || (CARILLON_OSEK_ALARMS > 0))

/* The sleeper becomes the running task, if that may wait: if it has a stack of its own, and its own code calls, not an
 * interrupt, a hook or another task above it.  Returns its state; NULL if it may not. */
static inline struct carillon_osek_extended *falls_asleep(struct carillon_sleeper *sleeper, uint8_t kind)
{
    const uint_fast8_t task = carillon_osek_running;
    if (task == INVALID_TASK) {
        return NULL;
    }
#if HOOKS
    if (carillon_osek_hook != 0u) {
        return NULL;
    }
#endif
    const struct carillon_osek_task *const it = &carillon_osek_tasks[task];
#if CARILLON_OSEK_SOFTWARE
    const bool is_own = (carillon_port_current() == 0u);
#elif CARILLON_OSEK_LEVEL_CELLS
    const bool is_own = (carillon_osek_contexts[carillon_port_current()] == (CARILLON_OSEK_TASK | it->level));
#else
    const bool is_own = (carillon_port_current() == it->source); /* its level's, and no other's */
#endif
#if CARILLON_TIME_OTHERS
    sleeper->timed.kind = kind;
#else
    (void)kind;
#endif
#if CARILLON_OSEK_QUEUED
    sleeper->timed.task = (TaskType)task;
#endif
    sleeper->task = it;
    sleeper->extended = it->extended;
#if CARILLON_TIME_REQUESTS
    sleeper->level = it->level;
    sleeper->level_bit = (carillon_software_word)it->request.value;
#endif
    return is_own ? it->extended : NULL;
}

#if CARILLON_OSEK_MATES
/* The running task's delay has been put in.  If a task of its level waits for the same tick, it goes on with that one,
 * and its own event is taken out again.  So what a tick does for delays is bounded by the number of levels, and a task
 * of a high level does not wait until all that are due below it are ready.
 *
 * 1. Between the event and the one that it joins there are delays alone, of other levels.  So the order in which tasks
 *    of its level are made ready stays: whatever else is due on that tick stands before or behind all of these.
 * 2. A task joins the first one that it finds, so that these are of different levels, which bounds the loop.
 * 3. A delay is never taken out before it is over.  So what others have joined stays until then. */
static void join(struct carillon_sleeper *sleeper)
{
    struct carillon_event *const event = carillon_time_event(&sleeper->timed);
    sleeper->last = sleeper->extended;
    if (carillon_osek_levels[sleeper->task->level].capacity == 0u) {
        return;
    }
    struct carillon_event *before = event->previous;
    while ((before != &carillon_clock_queue.head) && (before->time == 0u)) {
        struct carillon_sleeper *const other = (struct carillon_sleeper *)(void *)before;
        if (!carillon_time_is_delay(&other->timed)) {
            return;
        }
        if (other->task->level == sleeper->task->level) {
            carillon_queue_remove(&carillon_clock_queue, event);
            other->last->mate = (uint8_t)(sleeper->timed.task + 1u);
            other->last = sleeper->extended;
            return;
        }
        before = before->previous;
    }
}
#else
static inline void join(const struct carillon_sleeper *sleeper)
{
    (void)sleeper;
}
#endif

#if CARILLON_TIME_DELAYS
StatusType carillon_delay(carillon_duration ticks)
{
    struct carillon_sleeper sleeper;
    struct carillon_osek_extended *const extended = falls_asleep(&sleeper, CARILLON_ACTION_WAKE);
    REQUIRE(extended != NULL, OSServiceId_Delay, E_OS_CALLEVEL, .object = 0u);
    CHECK_PLACE(IN_TASK, OSServiceId_Delay, .object = 0u);
    CHECK(carillon_osek_holds_none(), OSServiceId_Delay, E_OS_RESOURCE, .object = 0u);
    REQUIRE(carillon_time_is_valid(ticks), OSServiceId_Delay, E_OS_VALUE, .object = 0u);
    (void)carillon_osek_hold();
#if CARILLON_TIME_FAR
    if (ticks > CARILLON_LONGEST_PERIOD) {
        sleeper.timed.kind = CARILLON_ACTION_WAKE_FAR;
        carillon_time_insert(&sleeper.timed, ticks);
        carillon_time_wait(extended);
        return E_OK;
    }
#endif
    carillon_time_insert_near(&sleeper.timed, (carillon_time)ticks);
    join(&sleeper);
    carillon_time_wait(sleeper.extended); /* which is on the stack, and takes no register */
    return E_OK;
}
#endif

#if CARILLON_TIME_NOW
carillon_time carillon_now(void)
{
    const uint32_t saved = carillon_osek_lock();
    const carillon_time now = carillon_time_now();
    carillon_osek_unlock(saved);
    return now;
}

#if CARILLON_TIME_DELAYS
/* Put in an event, a period after `from`; locked.  False, and not put in, if that is now or has passed. */
static inline bool insert_after(struct carillon_timed *timed, carillon_time from, carillon_time period)
{
#if CARILLON_TIME_COUNTS
    const carillon_time passed = (carillon_time)(carillon_time_ticks - from);
    if (passed >= period) {
        return false;
    }
    carillon_time_insert_near(timed, (carillon_time)(period - passed));
    return true;
#else
#if CARILLON_TIME_FAR
    timed->event.laps = 0u;
#endif
    return carillon_clock_insert_after(carillon_time_event(timed), from, period);
#endif
}

StatusType carillon_wait_until(carillon_time *previous, carillon_time period)
{
    struct carillon_sleeper sleeper;
    struct carillon_osek_extended *const extended = falls_asleep(&sleeper, CARILLON_ACTION_WAKE);
    REQUIRE(extended != NULL, OSServiceId_DelayUntil, E_OS_CALLEVEL, .reference = previous);
    CHECK_PLACE(IN_TASK, OSServiceId_DelayUntil, .reference = previous);
    CHECK(carillon_osek_holds_none(), OSServiceId_DelayUntil, E_OS_RESOURCE, .reference = previous);
    REQUIRE((period != 0u) && (period <= CARILLON_LONGEST_PERIOD), OSServiceId_DelayUntil, E_OS_VALUE,
            .reference = previous);
    const carillon_time from = *previous;
    *previous = (carillon_time)(from + period);
    const uint32_t mask = carillon_osek_hold();
    if (!insert_after(&sleeper.timed, from, period)) {
        carillon_osek_release(mask);
        REQUIRE(false, OSServiceId_DelayUntil, E_OS_LIMIT, .reference = previous);
    }
    join(&sleeper);
    carillon_time_wait(sleeper.extended); /* which is on the stack, and takes no register */
    return E_OK;
}
#endif
#endif

/* Put the running task among those that wait for a semaphore, behind those of its level and above.  Bounded by the
 * number of tasks. */
static void line_up(struct carillon_waiter *waiter, struct carillon_semaphore *semaphore)
{
    struct carillon_waiter **link = &semaphore->first;
    while ((*link != NULL) && ((*link)->sleeper.task->level >= waiter->sleeper.task->level)) {
        link = &(*link)->next;
    }
    waiter->semaphore = semaphore;
    waiter->next = *link;
    *link = waiter;
}

/* Take a unit if there is one; locked. */
static bool take(struct carillon_semaphore *semaphore)
{
    if (semaphore->count == 0u) {
        return false;
    }
    semaphore->count--;
    return true;
}

StatusType carillon_semaphore_p(struct carillon_semaphore *semaphore)
{
    struct carillon_waiter waiter;
    struct carillon_osek_extended *const extended = falls_asleep(&waiter.sleeper, CARILLON_ACTION_WAKE);
    REQUIRE(extended != NULL, OSServiceId_SemaphoreP, E_OS_CALLEVEL, .reference = semaphore);
    CHECK_PLACE(IN_TASK, OSServiceId_SemaphoreP, .reference = semaphore);
    CHECK(carillon_osek_holds_none(), OSServiceId_SemaphoreP, E_OS_RESOURCE, .reference = semaphore);
    const uint32_t saved = carillon_osek_lock();
    if (take(semaphore)) {
        carillon_osek_unlock(saved);
        return E_OK;
    }
    line_up(&waiter, semaphore);
    carillon_time_wait(extended);
    return E_OK;
}

#if CARILLON_TIME_TIMEOUTS
StatusType carillon_semaphore_p_within(struct carillon_semaphore *semaphore, carillon_duration ticks)
{
    struct carillon_waiter waiter;
    struct carillon_osek_extended *const extended = falls_asleep(&waiter.sleeper, CARILLON_ACTION_TIME_OUT);
    REQUIRE((ticks == 0u) || (extended != NULL), OSServiceId_SemaphoreP, E_OS_CALLEVEL, .reference = semaphore);
    CHECK_PLACE(IN_SERVICE, OSServiceId_SemaphoreP, .reference = semaphore);
    CHECK((ticks == 0u) || carillon_osek_holds_none(), OSServiceId_SemaphoreP, E_OS_RESOURCE, .reference = semaphore);
    REQUIRE(ticks <= CARILLON_LONGEST_DURATION, OSServiceId_SemaphoreP, E_OS_VALUE, .reference = semaphore);
    waiter.result = E_OS_NOFUNC;
    const uint32_t saved = carillon_osek_lock();
    if (take(semaphore)) {
        waiter.result = E_OK;
        carillon_osek_unlock(saved);
    } else if (ticks == 0u) {
        carillon_osek_unlock(saved);
    } else {
        line_up(&waiter, semaphore);
        carillon_time_insert(&waiter.sleeper.timed, ticks);
        carillon_time_wait(extended);
    }
    REQUIRE(waiter.result == E_OK, OSServiceId_SemaphoreP, waiter.result, .reference = semaphore);
    return E_OK;
}

void carillon_time_out(struct carillon_waiter *waiter)
{
    struct carillon_waiter **link = &waiter->semaphore->first;
    while (*link != waiter) { /* it is there: whoever takes it out takes its event out too */
        link = &(*link)->next;
    }
    *link = waiter->next;
    carillon_time_wake(&waiter->sleeper);
}
#endif

bool carillon_semaphore_give(struct carillon_semaphore *semaphore)
{
    struct carillon_waiter *const waiter = semaphore->first;
    if (waiter != NULL) {
        semaphore->first = waiter->next;
        waiter->result = E_OK;
#if CARILLON_TIME_TIMEOUTS
        if (waiter->sleeper.timed.kind == CARILLON_ACTION_TIME_OUT) {
            carillon_clock_remove(carillon_time_event(&waiter->sleeper.timed));
        }
#endif
        carillon_time_wake(&waiter->sleeper);
        return true;
    }
    if (semaphore->count == semaphore->most) {
        return false;
    }
    semaphore->count++;
    return true;
}

StatusType carillon_semaphore_v(struct carillon_semaphore *semaphore)
{
    CHECK_PLACE(IN_SERVICE, OSServiceId_SemaphoreV, .reference = semaphore);
    const uint32_t saved = carillon_osek_lock();
    const bool fits = carillon_semaphore_give(semaphore);
    carillon_osek_unlock(saved);
    REQUIRE(fits, OSServiceId_SemaphoreV, E_OS_LIMIT, .reference = semaphore);
    return E_OK;
}

#if CARILLON_OSEK_SLICES
/* As the thread whose slice is over, with whatever it was doing on its stack: behind the others of its level. */
static void give_way(void)
{
    const TaskType task = (TaskType)carillon_osek_running;
    struct carillon_osek_extended *const extended = carillon_osek_tasks[task].extended;
    (void)carillon_osek_lock();
    extended->waited = CARILLON_OSEK_TURN;
    carillon_osek_ready(task);
    carillon_port_suspend(&extended->context);
    extended->waited = 0u;
}

/* Is there a thread of the running one's level that waits for its turn?  Returns the running one, or NULL. */
static const struct carillon_osek_task *contended(void)
{
    const uint_fast8_t task = carillon_osek_running;
    if (task == INVALID_TASK) {
        return NULL;
    }
    const struct carillon_osek_task *const it = &carillon_osek_tasks[task];
    const struct carillon_osek_level *const level = &carillon_osek_levels[it->level];
    return ((it->thread != 0u) && (level->capacity != 0u) && (level->state->count != 0u)) ? it : NULL;
}

/* 1. A thread gives way only where the handler has preempted the thread itself: on its own stack, in its level's
 * handler, and with nothing masked.  Everywhere else the kernel, a resource or another task is in between, and it keeps
 * the processor for one more slice.
 * 2. The handler goes on when the thread does.  So between two turns of a thread there is nothing of it but its
 *    context. */
#if CARILLON_OSEK_SOFTWARE
static volatile bool over;

void carillon_slice_over(const void *frame)
{
    (void)frame;
    over = true;
    carillon_port_request(CARILLON_OSEK_DISPATCHER);
}

/* The dispatcher's handler is below all others: with nothing masked, only a thread's own level tells what it holds. */
bool carillon_slice_ends(void)
{
    const struct carillon_osek_task *const it = over ? contended() : NULL;
    over = false;
    if ((it == NULL) || (it->level != carillon_software_level) ||
        !carillon_port_is_on(it->stack, it->stack_words, &it->extended->context)) {
        return false;
    }
    carillon_port_run_preempted(give_way, 0u);
    return true;
}
#else
void carillon_slice_over(const void *frame)
{
    const struct carillon_osek_task *const it = contended();
    if ((it != NULL) && carillon_port_is_in(frame, it->source, it->stack, it->stack_words, &it->extended->context)) {
        carillon_port_run_preempted(give_way, it->source);
    }
}
#endif
#endif

#endif
