/* SPDX-License-Identifier: Apache-2.0
 *
 * Services that wait: delays and semaphores; and the slices of threads. */
#include "services.h"

#if CARILLON_OSEK_TIME

bool carillon_time_may_wait(void)
{
    const uint_fast8_t task = carillon_osek_running;
    if ((task == INVALID_TASK) || (carillon_osek_tasks[task].extended == NULL) || (carillon_osek_hook != 0u)) {
        return false;
    }
    const uint32_t source = carillon_port_current();
#if CARILLON_OSEK_SOFTWARE
    return source == 0u;
#else
    return carillon_osek_contexts[source] == (CARILLON_OSEK_TASK | carillon_osek_tasks[task].level);
#endif
}

/* The sleeper is the running task. */
static inline void is_asleep(struct carillon_sleeper *sleeper, uint8_t kind)
{
    const TaskType task = (TaskType)carillon_osek_running;
    sleeper->timed.kind = kind;
    sleeper->timed.task = task;
    sleeper->task = &carillon_osek_tasks[task];
}

StatusType carillon_delay(carillon_duration ticks)
{
    REQUIRE(carillon_time_may_wait(), OSServiceId_Delay, E_OS_CALLEVEL, .object = 0u);
    CHECK_PLACE(IN_TASK, OSServiceId_Delay, .object = 0u);
    CHECK(carillon_osek_holds_none(), OSServiceId_Delay, E_OS_RESOURCE, .object = 0u);
    REQUIRE(carillon_time_is_valid(ticks), OSServiceId_Delay, E_OS_VALUE, .object = 0u);
    struct carillon_sleeper sleeper;
    is_asleep(&sleeper, CARILLON_TIMED_WAKE);
    (void)carillon_osek_lock();
    carillon_time_insert(&sleeper.timed, ticks);
    carillon_time_wait(sleeper.task);
    return E_OK;
}

#if CARILLON_TIME_NOW
carillon_time carillon_now(void)
{
    const uint32_t saved = carillon_osek_lock();
    const carillon_time now = carillon_time_now();
    carillon_osek_unlock(saved);
    return now;
}

#if CARILLON_TIME_COUNTS
static void insert_at(struct carillon_timed *timed, carillon_time from, carillon_time period, carillon_time passed)
{
    (void)from;
    carillon_time_insert(timed, (carillon_time)(period - passed)); /* no tick is counted meanwhile */
}
#else
/* The time goes on between looking at it and putting in the event, which may have passed by then. */
static void insert_at(struct carillon_timed *timed, carillon_time from, carillon_time period, carillon_time passed)
{
    (void)passed;
    struct carillon_event *const event = carillon_time_event(timed);
#if CARILLON_TIME_FAR
    timed->event.laps = 0u;
#endif
    if (!carillon_clock_insert_at(event, (carillon_time)(from + period))) {
        carillon_clock_insert(event, 0u);
    }
}
#endif

StatusType carillon_delay_until(carillon_time *previous, carillon_time period)
{
    REQUIRE(carillon_time_may_wait(), OSServiceId_DelayUntil, E_OS_CALLEVEL, .reference = previous);
    CHECK_PLACE(IN_TASK, OSServiceId_DelayUntil, .reference = previous);
    CHECK(carillon_osek_holds_none(), OSServiceId_DelayUntil, E_OS_RESOURCE, .reference = previous);
    REQUIRE((period != 0u) && (period <= CARILLON_LONGEST_PERIOD), OSServiceId_DelayUntil, E_OS_VALUE,
            .reference = previous);
    struct carillon_sleeper sleeper;
    is_asleep(&sleeper, CARILLON_TIMED_WAKE);
    const carillon_time from = *previous;
    const uint32_t saved = carillon_osek_lock();
    const carillon_time passed = (carillon_time)(carillon_time_now() - from);
    *previous = (carillon_time)(from + period);
    if (passed >= period) {
        carillon_osek_unlock(saved);
        REQUIRE(false, OSServiceId_DelayUntil, E_OS_LIMIT, .reference = previous);
    }
    insert_at(&sleeper.timed, from, period, passed);
    carillon_time_wait(sleeper.task);
    return E_OK;
}
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
    REQUIRE(carillon_time_may_wait(), OSServiceId_SemaphoreP, E_OS_CALLEVEL, .reference = semaphore);
    CHECK_PLACE(IN_TASK, OSServiceId_SemaphoreP, .reference = semaphore);
    CHECK(carillon_osek_holds_none(), OSServiceId_SemaphoreP, E_OS_RESOURCE, .reference = semaphore);
    struct carillon_waiter waiter;
    is_asleep(&waiter.sleeper, CARILLON_TIMED_WAKE);
    const uint32_t saved = carillon_osek_lock();
    if (take(semaphore)) {
        carillon_osek_unlock(saved);
        return E_OK;
    }
    line_up(&waiter, semaphore);
    carillon_time_wait(waiter.sleeper.task);
    return E_OK;
}

StatusType carillon_semaphore_p_within(struct carillon_semaphore *semaphore, carillon_duration ticks)
{
    REQUIRE((ticks == 0u) || carillon_time_may_wait(), OSServiceId_SemaphoreP, E_OS_CALLEVEL, .reference = semaphore);
    CHECK_PLACE(IN_SERVICE, OSServiceId_SemaphoreP, .reference = semaphore);
    CHECK((ticks == 0u) || carillon_osek_holds_none(), OSServiceId_SemaphoreP, E_OS_RESOURCE, .reference = semaphore);
    REQUIRE(ticks <= CARILLON_LONGEST_DURATION, OSServiceId_SemaphoreP, E_OS_VALUE, .reference = semaphore);
    struct carillon_waiter waiter;
    is_asleep(&waiter.sleeper, CARILLON_TIMED_TIMEOUT);
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
        carillon_time_wait(waiter.sleeper.task);
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
    carillon_osek_wake(waiter->sleeper.task, waiter->sleeper.timed.task);
}

bool carillon_semaphore_give(struct carillon_semaphore *semaphore)
{
    struct carillon_waiter *const waiter = semaphore->first;
    if (waiter != NULL) {
        semaphore->first = waiter->next;
        waiter->result = E_OK;
        if (waiter->sleeper.timed.kind == CARILLON_TIMED_TIMEOUT) {
            carillon_clock_remove(carillon_time_event(&waiter->sleeper.timed));
        }
        carillon_osek_wake(waiter->sleeper.task, waiter->sleeper.timed.task);
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
