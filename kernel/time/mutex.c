/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutexes of threads, by the priority ceiling protocol.
 *
 * 1. A thread that holds a mutex runs at the mutex's ceiling: the highest level of the threads that the schedule names
 *    for it.  It takes the mutex and raises itself under one lock, so nothing comes in between.  If it runs there
 *    anyway, it masks nothing: threads of one level may take turns while one holds a mutex.
 * 2. While it runs, no other of these threads does.  So a thread finds a mutex locked only while the holder waits, for
 *    a time, a semaphore, a message or another mutex.  The thread waits in line then, perhaps with a time-out.
 * 3. A mutex that is unlocked goes to the first in line at once.  That thread is woken as its holder: at the ceiling.
 * 4. A holder that is woken is a guest of the ceiling's level (kernel/levels/guest.c), so nothing below the ceiling
 *    keeps it.  A thread of the ceiling's own level waits in no other level, and needs no mask either.
 * 5. What a mutex is to restore is the mask before it was locked.  If a mutex is unlocked that was not locked last, the
 *    one that was locked after it restores that mask instead.  When the holder has waited, nothing is masked.
 * 6. A guest that has unlocked leaves the level, if its other mutexes do not ask for it. */
#include "kernel/time/wait_steps.h"

#if CARILLON_OSEK_TIME && (CARILLON_OSEK_MUTEXES > 0)

/* Of each mutex, who waits for it: a semaphore that has no units. */
static struct carillon_semaphore lines[CARILLON_OSEK_MUTEXES];

/* Has a task a mutex? */
static inline bool is_of(carillon_mutex mutex, uint_fast8_t task)
{
    return carillon_osek_mutexes.held[mutex].holder == (task + 1u);
}

#if CARILLON_OSEK_SOFTWARE
#define HAND_OVER static __attribute__((noinline)) void
#else
#define HAND_OVER static inline __attribute__((always_inline)) void
#endif

/* A mutex is not its holder's any more, and the first in line gets it; locked. */
HAND_OVER hand_over(carillon_mutex mutex, struct carillon_osek_holder *holder)
{
    struct carillon_osek_held *const held = &carillon_osek_mutexes.held[mutex];
    if ((uint8_t)holder->last != (mutex + 1u)) {
        carillon_osek_lets_go_of_lower(mutex, holder);
    } else if (held->below == 0u) {
        holder->last = 0u;
    } else {
        holder->last = (uint16_t)(held->below | (holder->last & CARILLON_OSEK_HOLDS_ON));
    }
    struct carillon_waiter *const first = lines[mutex].first;
    if (first == NULL) {
        held->holder = 0u;
    } else {
        const TaskType task = first->sleeper.timed.task;
        carillon_mutex_take(held, &carillon_osek_mutexes.holders[task], mutex,
                            task); /* it sets what it restores when it goes on */
        carillon_time_leaves_line(&lines[mutex].first, first);
        carillon_time_waits(first->sleeper.extended, false);
        if ((held->below == 0u) && (carillon_osek_mutex_ceilings[mutex] <= first->sleeper.task->level)) {
            carillon_osek_ready_in(first->sleeper.task, task, false); /* it is nobody's guest */
        } else {
            carillon_osek_wake(first->sleeper.task, task, false);
        }
    }
}

void carillon_osek_unlock_all(TaskType task)
{
    struct carillon_osek_holder *const holder = &carillon_osek_mutexes.holders[task];
    while (holder->last != 0u) { /* bounded by the number of mutexes */
        hand_over((carillon_mutex)((uint8_t)holder->last - 1u), holder);
    }
    holder->at = 0u;
}

/* A mutex is not free.  The running thread waits for it, `within`: for so many ticks at most; 0: not at all.  Returns
 * what the service does: nothing of that is on the stack meanwhile.  Locked; it goes on with `saved`. */
static __attribute__((noinline)) StatusType wait_for(carillon_mutex mutex, uint32_t saved, bool within,
                                                     carillon_duration ticks)
{
    const uint_fast8_t task = carillon_osek_running;
    const bool is_own = is_of(mutex, task);
    if (is_own || (within && (ticks == 0u))) {
        carillon_osek_unlock(saved);
        return FAIL(OSServiceId_MutexLock, is_own ? E_OS_STATE : E_OS_NOFUNC, .object = mutex);
    }
    struct carillon_waiter waiter;
    carillon_time_sleeps(&waiter.sleeper, task, within ? CARILLON_ACTION_TIME_OUT : CARILLON_ACTION_WAKE);
    waiter.result = E_OS_NOFUNC;
    carillon_osek_hold_on(&carillon_osek_mutexes.holders[carillon_osek_mutexes.held[mutex].holder - 1u]);
    carillon_time_line_up(&waiter, &lines[mutex]);
    if (CARILLON_TIME_TIMEOUTS && within) {
        carillon_time_insert(&waiter.sleeper.timed, ticks);
    }
    carillon_time_waits(waiter.sleeper.extended, true);
    carillon_osek_suspend(waiter.sleeper.extended);
    struct carillon_osek_holder *const holder = &carillon_osek_mutexes.holders[task];
    if (CARILLON_NARROW != 0) {
        carillon_osek_goes_on();
    } else if (holder->last != 0u) {
        carillon_osek_unmask_held(holder);
    } else {
        /* it holds nothing */
    }
    REQUIRE(waiter.result == E_OK, OSServiceId_MutexLock, waiter.result, .object = mutex);
    return E_OK;
}

/* The running thread, which runs at a level, locks a mutex; locked. */
static inline StatusType lock_at(carillon_mutex mutex, uint8_t level, uint32_t saved, bool within,
                                 carillon_duration ticks)
{
    struct carillon_osek_held *const held = &carillon_osek_mutexes.held[mutex];
    if (held->holder != 0u) {
        return wait_for(mutex, saved, within, ticks);
    }
    const uint8_t ceiling = carillon_osek_mutex_ceilings[mutex];
    const uint_fast8_t task = carillon_osek_running;
    carillon_mutex_take(held, &carillon_osek_mutexes.holders[task], mutex, task);
    held->saved = saved;
    if (__builtin_expect((ceiling > level) ? 1 : 0, 1) != 0) { /* the other way would be shorter */
        carillon_osek_unlock(carillon_osek_raised(saved, ceiling));
    } else {
        carillon_osek_unlock(saved);
    }
    return E_OK;
}

#if CARILLON_OSEK_INLINE
StatusType carillon_mutex_lock_held(carillon_mutex mutex, uint32_t saved)
{
    return lock_at(mutex, carillon_osek_level_of((TaskType)carillon_osek_running), saved, false, 0u);
}
#endif

/* `within`: the caller waits for so many ticks at most. */
static inline StatusType lock(carillon_mutex mutex, bool within, carillon_duration ticks)
{
    const uint_fast8_t task = carillon_osek_running;
    uint8_t level = 0u;
    REQUIRE(carillon_time_may_wait_at(task, &level), OSServiceId_MutexLock, E_OS_CALLEVEL, .object = mutex);
    CHECK_PLACE(IN_TASK, OSServiceId_MutexLock, .object = mutex);
    CHECK(mutex < CARILLON_OSEK_MUTEXES, OSServiceId_MutexLock, E_OS_ID, .object = mutex);
    CHECK(carillon_osek_holds_none(), OSServiceId_MutexLock, E_OS_RESOURCE, .object = mutex);
    CHECK(carillon_osek_tasks[task].level <= carillon_osek_mutex_ceilings[mutex], OSServiceId_MutexLock, E_OS_ACCESS,
          .object = mutex);
    REQUIRE(!within || (ticks <= CARILLON_LONGEST_DURATION), OSServiceId_MutexLock, E_OS_VALUE, .object = mutex);
    return lock_at(mutex, level, carillon_osek_lock(), within, ticks);
}

/* The macros of the same names (carillon/time.h) may stand in the place of this, and of the one that unlocks. */
StatusType(carillon_mutex_lock)(carillon_mutex mutex)
{
    return lock(mutex, false, 0u);
}

#if CARILLON_TIME_TIMEOUTS
StatusType carillon_mutex_lock_within(carillon_mutex mutex, carillon_duration ticks)
{
    return lock(mutex, true, ticks);
}
#endif

/* The running thread unlocks a mutex that somebody may wait for, that it has not locked last, or after which it may
 * leave the level whose guest it is.  Returns what the service does; locked. */
StatusType carillon_mutex_unlock_held(carillon_mutex mutex, TaskType task, uint32_t saved)
{
    struct carillon_osek_holder *const holder = &carillon_osek_mutexes.holders[task];
    uint32_t restored = saved;
    if (__builtin_expect(((uint8_t)holder->last == (mutex + 1u)) ? 1 : 0, 1) != 0) {
        restored = carillon_osek_mutexes.held[mutex].saved;
    } else if (!is_of(mutex, task)) {
        carillon_osek_unlock(saved);
        return FAIL(OSServiceId_MutexUnlock, E_OS_NOFUNC, .object = mutex);
    } else {
        /* it stays masked */
    }
    hand_over(mutex, holder);
    if ((holder->at == 0u) || ((holder->last != 0u) && (holder->at <= carillon_osek_ceiling_of(task)))) {
        carillon_osek_unlock(restored);
        return E_OK;
    }
    const struct carillon_osek_task *const fixed = &carillon_osek_tasks[task];
    struct carillon_osek_extended *const extended = fixed->extended;
    holder->at = 0u;
    extended->waited = CARILLON_OSEK_TURN;
    carillon_osek_wake(fixed, task, false);
    carillon_osek_suspend(extended);
    extended->waited = 0u;
    carillon_osek_goes_on();
    return E_OK;
}

StatusType(carillon_mutex_unlock)(carillon_mutex mutex)
{
    const uint_fast8_t task = carillon_osek_running;
    REQUIRE(carillon_time_may_wait(task), OSServiceId_MutexUnlock, E_OS_CALLEVEL, .object = mutex);
    CHECK_PLACE(IN_TASK, OSServiceId_MutexUnlock, .object = mutex);
    CHECK(mutex < CARILLON_OSEK_MUTEXES, OSServiceId_MutexUnlock, E_OS_ID, .object = mutex);
    CHECK(carillon_osek_holds_none(), OSServiceId_MutexUnlock, E_OS_RESOURCE, .object = mutex);
    const uint32_t saved = carillon_osek_lock();
    struct carillon_osek_holder *const holder = &carillon_osek_mutexes.holders[task];
    if (holder->last == (mutex + 1u)) {
        carillon_osek_unlock(carillon_mutex_let_go(&carillon_osek_mutexes.held[mutex], holder));
        return E_OK;
    }
    return carillon_mutex_unlock_held(mutex, (TaskType)task, saved);
}

#endif
