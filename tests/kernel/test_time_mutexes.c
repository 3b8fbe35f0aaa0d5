/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutexes of threads (kernel/time/mutex.c) and their holders as guests of a level (kernel/levels/guest.c), where the
 * source that is served says who calls: by what each source is, or by the sources of levels alone. */
#include "services/services.h"

#include <string.h>

/* Three mutexes of a level above the threads', one of their own, and one below them. */
enum { HIGH, HIGH_TOO, OWN, LOW, HIGH_LAST };
const uint8_t carillon_osek_mutex_ceilings[CARILLON_OSEK_MUTEXES] = {ALONE_LEVEL, ALONE_LEVEL, THREADS_LEVEL,
                                                                     BASIC_LEVEL, ALONE_LEVEL};

static int reset(void **state)
{
    memset(&carillon_osek_mutexes, 0, sizeof carillon_osek_mutexes);
    for (uint32_t level = 0u; level <= CARILLON_OSEK_TASK_LEVELS; level++) {
        carillon_osek_guests[level] = 0u;
    }
    (void)services_reset(state);
    services.meanwhile = services_sleep;
    services_run(FIRST);
    return 0;
}

static StatusType lock(void)
{
    const StatusType status = (carillon_mutex_lock)(HIGH);
    if (status == E_OK) {
        assert_int_equal((carillon_mutex_unlock)(HIGH), E_OK);
    }
    return status;
}
static StatusType lock_within(void)
{
    const StatusType status = carillon_mutex_lock_within(HIGH, 5u);
    if (status == E_OK) {
        assert_int_equal((carillon_mutex_unlock)(HIGH), E_OK);
    }
    return status;
}
static bool is_locked;
static StatusType unlock(void)
{
    if (!is_locked) {
        carillon_mutex_take(&carillon_osek_mutexes.held[HIGH], &carillon_osek_mutexes.holders[FIRST], HIGH, FIRST);
        is_locked = true;
    }
    const StatusType status = (carillon_mutex_unlock)(HIGH);
    is_locked = status != E_OK;
    return status;
}

static void t_places(void **state)
{
    (void)state;
    check_waits(lock, OSServiceId_MutexLock);
    check_waits(lock_within, OSServiceId_MutexLock);
    check_waits(unlock, OSServiceId_MutexUnlock);
    port.current = ALONE_SOURCE; /* the source of another level, of which no task is a guest */
    assert_failed(lock(), E_OS_CALLEVEL, OSServiceId_MutexLock);
    services_run(FIRST);
    assert_failed((carillon_mutex_lock)(CARILLON_OSEK_MUTEXES), E_OS_ID, OSServiceId_MutexLock);
    assert_failed((carillon_mutex_unlock)(CARILLON_OSEK_MUTEXES), E_OS_ID, OSServiceId_MutexUnlock);
    assert_failed((carillon_mutex_lock)(LOW), E_OS_ACCESS, OSServiceId_MutexLock);
    assert_failed(carillon_mutex_lock_within(HIGH, CARILLON_LONGEST_DURATION + 1u), E_OS_VALUE, OSServiceId_MutexLock);
    assert_failed((carillon_mutex_unlock)(HIGH), E_OS_NOFUNC, OSServiceId_MutexUnlock);
}

/* Who holds a mutex of a higher level masks that, and no more; the last mutex that is unlocked restores it. */
static void t_masks(void **state)
{
    (void)state;
    const uint32_t ceiling = carillon_port_mask_of(ALONE_LEVEL);
    assert_succeeded((carillon_mutex_lock)(OWN));
    assert_int_equal(port.mask, 0u);
    assert_succeeded((carillon_mutex_lock)(HIGH));
    assert_int_equal(port.mask, ceiling);
    assert_failed((carillon_mutex_lock)(HIGH), E_OS_STATE, OSServiceId_MutexLock);
    assert_failed(carillon_mutex_lock_within(HIGH, 5u), E_OS_STATE, OSServiceId_MutexLock);
    assert_failed((carillon_mutex_unlock)(HIGH_TOO), E_OS_NOFUNC, OSServiceId_MutexUnlock);
    assert_int_equal(port.mask, ceiling);
    assert_succeeded((carillon_mutex_lock)(HIGH_TOO));
    assert_succeeded((carillon_mutex_unlock)(HIGH)); /* which is not the last that was locked */
    assert_int_equal(port.mask, ceiling);
    assert_succeeded((carillon_mutex_unlock)(HIGH_TOO));
    assert_int_equal(port.mask, 0u);
    assert_succeeded((carillon_mutex_unlock)(OWN));
    assert_int_equal(services.waits, 0u);
    assert_int_equal(carillon_osek_mutexes.holders[FIRST].last, 0u);
}

/* The first of three is unlocked: what it was to restore, the second does. */
static void t_unlocks_the_first(void **state)
{
    (void)state;
    assert_succeeded((carillon_mutex_lock)(HIGH));
    assert_succeeded((carillon_mutex_lock)(OWN));
    assert_succeeded((carillon_mutex_lock)(HIGH_TOO));
    assert_succeeded((carillon_mutex_unlock)(HIGH));
    assert_int_equal(carillon_osek_ceiling_of(FIRST), ALONE_LEVEL);
    assert_succeeded((carillon_mutex_unlock)(HIGH_TOO));
    assert_int_equal(port.mask, carillon_port_mask_of(ALONE_LEVEL));
    assert_int_equal(carillon_osek_ceiling_of(FIRST), THREADS_LEVEL);
    assert_succeeded((carillon_mutex_unlock)(OWN));
    assert_int_equal(port.mask, 0u);
}

/* A thread that goes on, and holds something, restores the mask that it finds; one that holds nothing restores none. */
static void t_goes_on(void **state)
{
    (void)state;
    carillon_osek_holds_unmasked();
    assert_int_equal(carillon_osek_mutexes.holders[FIRST].last, 0u);
    assert_succeeded((carillon_mutex_lock)(OWN));
    assert_succeeded((carillon_mutex_lock)(HIGH));
    port.mask = 1u;
    carillon_osek_holds_unmasked();
    assert_succeeded((carillon_mutex_unlock)(HIGH));
    assert_int_equal(port.mask, 1u);
    assert_succeeded((carillon_mutex_unlock)(OWN));
    assert_int_equal(port.mask, 1u);
}

/* Another thread waits for as long as it says. */
static void t_times_out(void **state)
{
    (void)state;
    assert_succeeded((carillon_mutex_lock)(HIGH));
    services_run(SECOND);
    assert_failed(carillon_mutex_lock_within(HIGH, 0u), E_OS_NOFUNC, OSServiceId_MutexLock);
    assert_int_equal(services.waits, 0u);
    assert_failed(carillon_mutex_lock_within(HIGH, 5u), E_OS_NOFUNC, OSServiceId_MutexLock);
    assert_int_equal(services_now, 5u);
    assert_failed((carillon_mutex_unlock)(HIGH), E_OS_NOFUNC, OSServiceId_MutexUnlock);
    services_run(FIRST);
    assert_succeeded((carillon_mutex_unlock)(HIGH));
    services_run(SECOND);
    assert_succeeded(carillon_mutex_lock_within(HIGH, 0u));
    assert_succeeded((carillon_mutex_unlock)(HIGH));
}

/* The first thread unlocks, and the second has the mutex, and goes on as a guest of the ceiling's level. */
static void hand_over(void)
{
    services_run(FIRST);
    assert_succeeded((carillon_mutex_unlock)(HIGH));
    assert_int_equal(services_extended[SECOND].waited, 0u);
    assert_true(services_was_requested(ALONE_SOURCE));
    assert_true(carillon_osek_has_guest(ALONE_LEVEL));
    assert_int_equal(carillon_osek_take_guest(ALONE_LEVEL), SECOND);
    assert_false(carillon_osek_has_guest(ALONE_LEVEL));
    carillon_osek_running = SECOND;
    port.current = ALONE_SOURCE;
    port.mask = 0u;
}
static void second_waits_for_high(void)
{
    assert_succeeded((carillon_mutex_lock)(HIGH));
    services_run(SECOND);
    assert_succeeded((carillon_mutex_lock)(OWN));
    assert_succeeded((carillon_mutex_lock)(HIGH_TOO));
    services.meanwhile = hand_over;
    assert_succeeded((carillon_mutex_lock)(HIGH));
    assert_int_equal(services.waits, 1u);
    assert_int_equal(carillon_osek_mutexes.holders[SECOND].at, ALONE_LEVEL);
    services.meanwhile = NULL;
}

/* It stays there while another mutex of that level is its own, and then leaves: it waits for a turn at its own. */
static void t_guest(void **state)
{
    (void)state;
    second_waits_for_high();
    assert_succeeded((carillon_mutex_unlock)(HIGH));
    assert_int_equal(services.waits, 1u);
    assert_int_equal(carillon_osek_mutexes.holders[SECOND].at, ALONE_LEVEL);
    assert_false(services_was_requested(THREADS_SOURCE));
    assert_succeeded((carillon_mutex_unlock)(HIGH_TOO));
    assert_int_equal(services.waits, 2u);
    assert_int_equal(carillon_osek_mutexes.holders[SECOND].at, 0u);
    assert_true(services_was_requested(THREADS_SOURCE));
    services_run(SECOND);
    assert_succeeded((carillon_mutex_unlock)(OWN));
    assert_int_equal(services.waits, 2u);
    assert_int_equal(port.mask, 0u);
}

/* So it is where it has unlocked what it is a guest for, and holds another mutex of that level, which it has locked since:
 * it leaves with that one.  What it still holds restores the mask that it finds where it goes on. */
static void t_guest_unlocks_what_is_below(void **state)
{
    (void)state;
    second_waits_for_high();
    assert_succeeded((carillon_mutex_lock)(HIGH_LAST));
    assert_succeeded((carillon_mutex_unlock)(HIGH));
    assert_succeeded((carillon_mutex_unlock)(HIGH_TOO));
    assert_int_equal(services.waits, 1u);
    assert_int_equal(carillon_osek_mutexes.holders[SECOND].at, ALONE_LEVEL);
    carillon_osek_mutexes.held[OWN].saved = 1u; /* of the level that it leaves */
    assert_succeeded((carillon_mutex_unlock)(HIGH_LAST));
    assert_int_equal(services.waits, 2u);
    assert_int_equal(carillon_osek_mutexes.holders[SECOND].at, 0u);
    assert_true(services_was_requested(THREADS_SOURCE));
    services_run(SECOND);
    assert_succeeded((carillon_mutex_unlock)(OWN));
    assert_int_equal(port.mask, 0u);
    assert_int_equal(services.waits, 2u);
}

/* The guests of a level go on in the order in which they were woken, whatever they were guests of before. */
static void t_line_of_guests(void **state)
{
    (void)state;
    static const struct {
        TaskType task;
        uint8_t mutex;
    } lines[][3] = {{{FIRST, HIGH}, {SECOND, HIGH_TOO}, {BASIC, HIGH_LAST}},
                    {{BASIC, HIGH}, {FIRST, HIGH_TOO}, {SECOND, HIGH_LAST}},
                    {{SECOND, HIGH}, {FIRST, HIGH_LAST}, {BASIC, HIGH_TOO}}};
    for (uint32_t line = 0u; line < 3u; line++) {
        for (uint32_t count = 1u; count <= 3u; count++) {
            for (uint32_t k = 0u; k < count; k++) {
                const TaskType task = lines[line][k].task;
                const uint8_t mutex = lines[line][k].mutex;
                carillon_mutex_take(&carillon_osek_mutexes.held[mutex], &carillon_osek_mutexes.holders[task], mutex,
                                    task);
                assert_true(carillon_osek_wakes_as_guest(task));
                assert_int_equal(carillon_osek_level_of(task), ALONE_LEVEL);
                assert_true(services_was_requested(ALONE_SOURCE));
            }
            for (uint32_t k = 0u; k < count; k++) {
                assert_true(carillon_osek_has_guest(ALONE_LEVEL));
                assert_int_equal(carillon_osek_take_guest(ALONE_LEVEL), lines[line][k].task);
                carillon_osek_unlock_all(lines[line][k].task);
            }
            assert_false(carillon_osek_has_guest(ALONE_LEVEL));
        }
    }
}

/* Below the ceiling of what a task holds nothing may be let in. */
static void t_least_level(void **state)
{
    (void)state;
    assert_int_equal(carillon_osek_least_level(FIRST), THREADS_LEVEL);
    assert_succeeded((carillon_mutex_lock)(OWN));
    assert_int_equal(carillon_osek_least_level(FIRST), THREADS_LEVEL);
    assert_succeeded((carillon_mutex_lock)(HIGH));
    assert_int_equal(carillon_osek_least_level(FIRST), ALONE_LEVEL);
    assert_succeeded((carillon_mutex_unlock)(HIGH));
    carillon_osek_mutexes.holders[FIRST].at = ALONE_LEVEL;
    assert_int_equal(carillon_osek_least_level(FIRST), ALONE_LEVEL);
}

/* A guest that an interrupt of its own level's source has preempted may not wait there: it does not run there. */
static void t_where_a_guest_calls(void **state)
{
    (void)state;
    second_waits_for_high();
    port.current = ISR2_SOURCE;
    assert_failed((carillon_mutex_unlock)(HIGH), E_OS_CALLEVEL, OSServiceId_MutexUnlock);
    port.current = ALONE_SOURCE;
    assert_succeeded((carillon_mutex_unlock)(HIGH));
}

/* A thread that ends unlocks all that it holds. */
static void t_ends(void **state)
{
    (void)state;
    second_waits_for_high();
    carillon_osek_unlock_all(SECOND);
    assert_int_equal(carillon_osek_mutexes.holders[SECOND].at, 0u);
    services_run(FIRST);
    assert_succeeded(carillon_mutex_lock_within(HIGH, 0u));
    assert_succeeded(carillon_mutex_lock_within(HIGH_TOO, 0u));
    assert_succeeded(carillon_mutex_lock_within(OWN, 0u));
}

/* Whether a level whose guest has run is requested anew. */
static bool is_requested_after_guest(uint8_t level)
{
    carillon_osek_guest_has_run(level);
    assert_int_equal(port.mask, 0u);
    return services_was_requested(carillon_osek_levels[level].source);
}

/* It is, if its own task is ready, or if another guest is; but a task that is a guest elsewhere is not ready there, and a
 * level that has a queue says itself who waits in it. */
static void t_who_is_left(void **state)
{
    (void)state;
    struct carillon_osek_extended *const extended = &services_extended[ALONE];
    assert_false(is_requested_after_guest(ALONE_LEVEL)); /* it is suspended */
    carillon_osek_jobs[ALONE].activations = 1u;
    assert_true(is_requested_after_guest(ALONE_LEVEL));
    extended->waited = 1u; /* for an event */
    assert_false(is_requested_after_guest(ALONE_LEVEL));
    extended->waited = CARILLON_OSEK_TURN;
    assert_true(is_requested_after_guest(ALONE_LEVEL));
    carillon_osek_mutexes.holders[ALONE].at = ALONE_LEVEL + 1u;
    assert_false(is_requested_after_guest(ALONE_LEVEL));
    carillon_osek_jobs[BASIC].activations = 1u; /* a basic task, which never waits */
    assert_true(is_requested_after_guest(BASIC_LEVEL));
    carillon_osek_jobs[FIRST].activations = 1u;
    assert_false(is_requested_after_guest(THREADS_LEVEL));
    carillon_osek_guests[THREADS_LEVEL] = FIRST + 1u;
    assert_true(is_requested_after_guest(THREADS_LEVEL));
}

/* A task that waits for an event holds the mutex, and the event comes. */
static void set_event_of(TaskType task)
{
    carillon_osek_jobs[task].activations = 1u;
    services_run(task);
    assert_succeeded((carillon_mutex_lock)(HIGH));
    services_extended[task].waited = 1u;
    assert_succeeded((SetEvent)(task, 2u));
    assert_int_equal(services_extended[task].waited, 1u);
    assert_succeeded((SetEvent)(task, 1u));
    assert_int_equal(services_extended[task].waited, 0u);
}

/* It goes on as a guest of the ceiling's level; but at its own, if that is no lower. */
static void t_event(void **state)
{
    (void)state;
    set_event_of(FIRST);
    assert_false(services_was_requested(THREADS_SOURCE));
    assert_true(services_was_requested(ALONE_SOURCE));
    assert_int_equal(carillon_osek_take_guest(ALONE_LEVEL), FIRST);
    (void)reset(state);
    set_event_of(ALONE);
    assert_true(services_was_requested(ALONE_SOURCE));
    assert_false(carillon_osek_has_guest(ALONE_LEVEL));
    assert_int_equal(carillon_osek_mutexes.holders[ALONE].at, 0u);
}

/* One that has waited so for a time at most leaves that level when it unlocks. */
static void event_of_first(void)
{
    services_run(BASIC);
    assert_succeeded((SetEvent)(FIRST, 1u));
    assert_true(services_was_requested(ALONE_SOURCE));
    assert_int_equal(carillon_osek_take_guest(ALONE_LEVEL), FIRST);
    carillon_osek_running = FIRST;
    port.current = ALONE_SOURCE;
}
static void t_event_within(void **state)
{
    (void)state;
    carillon_osek_jobs[FIRST].activations = 1u;
    assert_succeeded((carillon_mutex_lock)(HIGH));
    services.meanwhile = event_of_first;
    assert_succeeded(carillon_wait_event_within(1u, 5u));
    services.meanwhile = NULL;
    assert_int_equal(port.mask, 0u);
    assert_int_equal(carillon_osek_mutexes.holders[FIRST].at, ALONE_LEVEL);
    assert_succeeded((carillon_mutex_unlock)(HIGH));
    assert_int_equal(services.waits, 2u);
    assert_int_equal(carillon_osek_mutexes.holders[FIRST].at, 0u);
    assert_true(services_was_requested(THREADS_SOURCE));
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(t_places),
        TEST(t_masks),
        TEST(t_unlocks_the_first),
        TEST(t_goes_on),
        TEST(t_times_out),
        TEST(t_guest),
        TEST(t_guest_unlocks_what_is_below),
        TEST(t_where_a_guest_calls),
        TEST(t_line_of_guests),
        TEST(t_least_level),
        TEST(t_ends),
        TEST(t_who_is_left),
        TEST(t_event),
        TEST(t_event_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
