/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutexes of threads, by the priority ceiling protocol.
 *
 * 1. A thread that holds a mutex runs at the mutex's ceiling: the highest level of the threads that the schedule names
 *    for it.  It raises itself before it takes the mutex, so nothing comes in between.  If it runs there anyway, it
 *    masks nothing: threads of one level may take turns while one holds a mutex.
 * 2. While it runs, no other of these threads does.  So a thread finds a mutex locked only while the holder waits, for
 *    a time, a semaphore, a message or another mutex.  The thread waits in line then, perhaps with a time-out.
 * 3. A mutex that is unlocked goes to the first in line at once.  That thread is woken as its holder: at the ceiling.
 * 4. A holder that is woken is a guest of the ceiling's level (kernel/osek/guest.c), so nothing below the ceiling keeps
 *    it.  A thread of the ceiling's own level waits in no other level, and needs no mask either.
 * 5. What a mutex is to restore is the mask before it was locked.  If a mutex is unlocked that was not locked last, the
 *    one that was locked after it restores that mask instead.  When the holder has waited, nothing is masked.
 * 6. A guest that has unlocked leaves the level, if its other mutexes do not ask for it. */
#include "wait_steps.h"

#if CARILLON_OSEK_TIME && (CARILLON_OSEK_MUTEXES > 0)

/* Of each mutex, who waits for it: a semaphore that has no units; and who has it, plus 1; 0: nobody. */
static struct carillon_semaphore lines[CARILLON_OSEK_MUTEXES];
static uint8_t holders[CARILLON_OSEK_MUTEXES];

/* A mutex is its holder's, which is to restore `saved`; locked. */
static void take(uint8_t number, TaskType task, uint32_t saved)
{
    struct carillon_osek_holder *const holder = &carillon_osek_holders[task];
    holders[number] = (uint8_t)(task + 1u);
    carillon_osek_held[number].saved = saved;
    carillon_osek_held[number].below = holder->last;
    holder->last = (uint8_t)(number + 1u);
    if (carillon_osek_mutex_ceilings[number] > holder->ceiling) {
        holder->ceiling = carillon_osek_mutex_ceilings[number];
    }
}

/* A mutex is not its holder's any more, and the first in line gets it; locked. */
static void hand_over(uint8_t number)
{
    carillon_osek_lets_go(number, (TaskType)(holders[number] - 1u));
    holders[number] = 0u;
    const struct carillon_waiter *const first = lines[number].first;
    if (first != NULL) {
        take(number, first->sleeper.timed.task, 0u); /* it sets what it restores when it goes on */
        (void)carillon_semaphore_give(&lines[number]);
    }
}

void carillon_osek_unlock_all(TaskType task)
{
    struct carillon_osek_holder *const holder = &carillon_osek_holders[task];
    while (holder->last != 0u) { /* bounded by the number of mutexes */
        hand_over((uint8_t)(holder->last - 1u));
    }
    holder->at = 0u;
}

/* Lock a mutex, or stand in line for it: returns whether it is to wait; then it is locked.  The caller has looked at
 * who calls. */
static bool lock_or_line_up(uint8_t number, struct carillon_waiter *waiter, bool waits)
{
    const uint8_t ceiling = carillon_osek_mutex_ceilings[number];
    const bool raises = ceiling > carillon_osek_level_of((TaskType)carillon_osek_running);
    const uint32_t before = raises ? carillon_osek_raise(ceiling) : carillon_osek_mask();
    const uint32_t saved = carillon_osek_lock();
    if (holders[number] == 0u) {
        take(number, (TaskType)carillon_osek_running, before);
        waiter->result = E_OK;
        carillon_osek_unlock(saved);
        return false;
    }
    waiter->result = E_OS_NOFUNC;
    if (holders[number] == (carillon_osek_running + 1u)) {
        waiter->result = E_OS_STATE;
    } else if (waits) {
        return true;
    } else {
        /* it is another's */
    }
    carillon_osek_unlock(before);
    return false;
}

/* `within`: the caller waits for so many ticks at most. */
static StatusType lock(carillon_mutex mutex, bool within, carillon_duration ticks)
{
    struct carillon_waiter waiter;
    struct carillon_osek_extended *const extended =
        carillon_time_falls_asleep(&waiter.sleeper, within ? CARILLON_ACTION_TIME_OUT : CARILLON_ACTION_WAKE);
    REQUIRE(extended != NULL, OSServiceId_MutexLock, E_OS_CALLEVEL, .object = mutex);
    CHECK_PLACE(IN_TASK, OSServiceId_MutexLock, .object = mutex);
    CHECK(mutex < CARILLON_OSEK_MUTEXES, OSServiceId_MutexLock, E_OS_ID, .object = mutex);
    CHECK(carillon_osek_holds_none(), OSServiceId_MutexLock, E_OS_RESOURCE, .object = mutex);
    CHECK(waiter.sleeper.task->level <= carillon_osek_mutex_ceilings[mutex], OSServiceId_MutexLock, E_OS_ACCESS,
          .object = mutex);
    REQUIRE(!within || (ticks <= CARILLON_LONGEST_DURATION), OSServiceId_MutexLock, E_OS_VALUE, .object = mutex);
    if (lock_or_line_up(mutex, &waiter, !within || (ticks != 0u))) {
        carillon_time_line_up(&waiter, &lines[mutex]);
#if CARILLON_TIME_TIMEOUTS
        if (within) {
            carillon_time_insert(&waiter.sleeper.timed, ticks);
        }
#endif
        carillon_time_wait(extended);
    }
    REQUIRE(waiter.result == E_OK, OSServiceId_MutexLock, waiter.result, .object = mutex);
    return E_OK;
}

StatusType carillon_mutex_lock(carillon_mutex mutex)
{
    return lock(mutex, false, 0u);
}

#if CARILLON_TIME_TIMEOUTS
StatusType carillon_mutex_lock_within(carillon_mutex mutex, carillon_duration ticks)
{
    return lock(mutex, true, ticks);
}
#endif

StatusType carillon_mutex_unlock(carillon_mutex mutex)
{
    struct carillon_sleeper caller;
    struct carillon_osek_extended *const extended = carillon_time_falls_asleep(&caller, CARILLON_ACTION_WAKE);
    REQUIRE(extended != NULL, OSServiceId_MutexUnlock, E_OS_CALLEVEL, .object = mutex);
    CHECK_PLACE(IN_TASK, OSServiceId_MutexUnlock, .object = mutex);
    CHECK(mutex < CARILLON_OSEK_MUTEXES, OSServiceId_MutexUnlock, E_OS_ID, .object = mutex);
    CHECK(carillon_osek_holds_none(), OSServiceId_MutexUnlock, E_OS_RESOURCE, .object = mutex);
    const TaskType task = (TaskType)carillon_osek_running;
    struct carillon_osek_holder *const holder = &carillon_osek_holders[task];
    uint32_t saved = carillon_osek_lock();
    const bool is_own = (holders[mutex] == (task + 1u));
    if (is_own) {
        if (holder->last == (mutex + 1u)) {
            saved = carillon_osek_held[mutex].saved;
        }
        hand_over(mutex);
    }
    if ((holder->at != 0u) && (holder->at > holder->ceiling)) {
        extended->waited = CARILLON_OSEK_TURN;
        carillon_osek_wake(caller.task, task, false);
        carillon_osek_suspend(extended);
        extended->waited = 0u;
        carillon_osek_goes_on();
    } else {
        carillon_osek_unlock(saved);
    }
    REQUIRE(is_own, OSServiceId_MutexUnlock, E_OS_NOFUNC, .object = mutex);
    return E_OK;
}

#endif
