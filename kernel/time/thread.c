/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that suspend themselves until others resume them, and that wait for the end of others.
 *
 * Both wait as tasks wait for a semaphore, in lines of their own.  To resume a thread is to activate it.  If the
 * thread runs no job, one begins.  If it has suspended itself, it goes on.  Else that is one activation too many. */
#include "kernel/time/wait_steps.h"

/* Where all tasks are their own vectors, none is a thread. */
#if CARILLON_OSEK_TIME && CARILLON_OSEK_MANAGED
#if CARILLON_TIME_SUSPENSIONS || CARILLON_TIME_JOINS

/* What the event of a wait means, with a time-out or without. */
static uint8_t kind(bool within)
{
    return within ? CARILLON_ACTION_TIME_OUT : CARILLON_ACTION_WAKE;
}

/* The running task waits in a line, `within`: for so many ticks at most.  Returns E_OK, or E_OS_NOFUNC: in vain;
 * locked, and it goes on unlocked. */
static StatusType wait_in(struct carillon_semaphore *line, struct carillon_waiter *waiter,
                          struct carillon_osek_extended *extended, bool within, carillon_duration ticks)
{
    waiter->result = E_OS_NOFUNC;
    carillon_time_line_up(waiter, line);
    if (CARILLON_TIME_TIMEOUTS && within) {
        carillon_time_insert(&waiter->sleeper.timed, ticks);
    }
    carillon_time_wait(extended);
    return waiter->result;
}

#if CARILLON_TIME_SUSPENSIONS
/* Who waits to be resumed: the line of a semaphore that has no units. */
static struct carillon_semaphore suspended;

static StatusType suspend(bool within, carillon_duration ticks)
{
    struct carillon_waiter waiter;
    struct carillon_osek_extended *const extended = carillon_time_falls_asleep(&waiter.sleeper, kind(within));
    REQUIRE((extended != NULL) && (waiter.sleeper.task->thread != 0u), OSServiceId_Suspend, E_OS_CALLEVEL,
            .object = 0u);
    CHECK_PLACE(IN_TASK, OSServiceId_Suspend, .object = 0u);
    CHECK(carillon_osek_holds_none(), OSServiceId_Suspend, E_OS_RESOURCE, .object = 0u);
    REQUIRE(!within || carillon_time_is_valid(ticks), OSServiceId_Suspend, E_OS_VALUE, .object = 0u);
    (void)carillon_osek_lock();
    const StatusType status = wait_in(&suspended, &waiter, extended, within, ticks);
    REQUIRE(status == E_OK, OSServiceId_Suspend, status, .object = 0u);
    return E_OK;
}

bool carillon_time_resumes(TaskType thread)
{
    for (struct carillon_waiter **link = &suspended.first; *link != NULL; link = &(*link)->next) {
        if ((*link)->sleeper.task == &carillon_osek_tasks[thread]) { /* bounded by the number of threads */
            carillon_time_goes(link, *link);
            return true;
        }
    }
    return false;
}

StatusType carillon_suspend(void)
{
    return suspend(false, 0u);
}

#if CARILLON_TIME_TIMEOUTS
StatusType carillon_suspend_within(carillon_duration ticks)
{
    return suspend(true, ticks);
}
#endif
#endif

#if CARILLON_TIME_JOINS
/* Who waits for the end of a thread, in a line likewise. */
struct joiner {
    struct carillon_waiter waiter;
    TaskType thread;
};
static struct carillon_semaphore joining;

static StatusType join(TaskType thread, bool within, carillon_duration ticks)
{
    struct joiner own; /* not initialised as a whole: that would call memset */
    own.thread = thread;
    struct carillon_osek_extended *const extended = carillon_time_falls_asleep(&own.waiter.sleeper, kind(within));
    REQUIRE(extended != NULL, OSServiceId_Join, E_OS_CALLEVEL, .object = thread);
    CHECK_PLACE(IN_TASK, OSServiceId_Join, .object = thread);
    CHECK(thread < CARILLON_OSEK_TASKS, OSServiceId_Join, E_OS_ID, .object = thread);
    CHECK(carillon_osek_holds_none(), OSServiceId_Join, E_OS_RESOURCE, .object = thread);
    REQUIRE((carillon_osek_tasks[thread].thread != 0u) && (thread != carillon_osek_running), OSServiceId_Join,
            E_OS_ACCESS, .object = thread);
    REQUIRE(!within || (ticks <= CARILLON_LONGEST_DURATION), OSServiceId_Join, E_OS_VALUE, .object = thread);
    const uint32_t saved = carillon_osek_lock();
    StatusType status = carillon_osek_suspended(thread) ? E_OK : E_OS_NOFUNC;
    if ((status == E_OK) || (within && (ticks == 0u))) {
        carillon_osek_unlock(saved);
    } else {
        status = wait_in(&joining, &own.waiter, extended, within, ticks);
    }
    REQUIRE(status == E_OK, OSServiceId_Join, status, .object = thread);
    return E_OK;
}

void carillon_time_thread_ended(TaskType thread)
{
    struct carillon_waiter **link = &joining.first;
    while (*link != NULL) { /* bounded by the number of threads */
        if (((const struct joiner *)(const void *)*link)->thread == thread) {
            carillon_time_goes(link, *link);
        } else {
            link = &(*link)->next;
        }
    }
}

StatusType carillon_join(TaskType thread)
{
    return join(thread, false, 0u);
}

#if CARILLON_TIME_TIMEOUTS
StatusType carillon_join_within(TaskType thread, carillon_duration ticks)
{
    return join(thread, true, ticks);
}
#endif
#endif

#endif
#endif
