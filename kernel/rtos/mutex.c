/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutexes that a program makes as it runs.  Each has one of the schedule's, which a thread with `new = true` names, so
 * its ceiling is that one's. */
#include "kernel/rtos/wait.h"

#if (CARILLON_RTOS_HEAP > 0) && (CARILLON_OSEK_MUTEXES > 0)

static uint8_t taken[CARILLON_OSEK_MUTEXES];

struct carillon_rtos_mutex *carillon_rtos_mutex_new(bool recursive, const struct carillon_rtos_place *place)
{
    struct carillon_rtos_mutex *const own = carillon_rtos_place(place, sizeof(*own), CARILLON_RTOS_MUTEX);
    if (own == NULL) {
        return NULL;
    }
    const uint32_t saved = carillon_osek_lock();
    uint_fast8_t mutex = 0u;
    while ((mutex < CARILLON_OSEK_MUTEXES) && ((taken[mutex] != 0u) || (carillon_rtos_mutexes[mutex] == 0u))) {
        mutex++;
    }
    if (mutex < CARILLON_OSEK_MUTEXES) {
        taken[mutex] = 1u;
    }
    carillon_osek_unlock(saved);
    if (mutex == CARILLON_OSEK_MUTEXES) {
        (void)carillon_rtos_delete(own, CARILLON_RTOS_MUTEX);
        return NULL;
    }
    own->mutex = (uint8_t)mutex;
    own->recursive = recursive ? 1u : 0u;
    return own;
}

/* Who has it, plus 1; 0: nobody. */
static uint16_t holder_of(const struct carillon_rtos_mutex *mutex)
{
    return carillon_osek_mutexes.held[mutex->mutex].holder;
}

static bool is_own(const struct carillon_rtos_mutex *mutex)
{
    return holder_of(mutex) == (carillon_osek_running + 1u);
}

int carillon_rtos_mutex_take(struct carillon_rtos_mutex *mutex, uint32_t ticks)
{
    if (carillon_rtos_in_isr()) {
        return CARILLON_RTOS_IN_ISR;
    }
    if (!carillon_rtos_is(mutex, CARILLON_RTOS_MUTEX)) {
        return CARILLON_RTOS_PARAMETER;
    }
    if (!carillon_rtos_may_wait()) {
        return CARILLON_RTOS_ERROR;
    }
    if (is_own(mutex)) {
        if ((mutex->recursive == 0u) || (mutex->depth == UINT16_MAX)) {
            return CARILLON_RTOS_RESOURCE;
        }
        mutex->depth++;
        return CARILLON_RTOS_OK;
    }
    const bool forever = ticks == CARILLON_RTOS_FOREVER;
    if (!forever && (ticks > CARILLON_LONGEST_DURATION)) {
        return CARILLON_RTOS_PARAMETER;
    }
    if (carillon_osek_tasks[carillon_osek_running].level > carillon_osek_mutex_ceilings[mutex->mutex]) {
        return CARILLON_RTOS_RESOURCE; /* the schedule does not name it for this thread */
    }
    const StatusType status =
        forever ? (carillon_mutex_lock)(mutex->mutex) : carillon_mutex_lock_within(mutex->mutex, ticks);
    if (status != E_OK) {
        return (ticks == 0u) ? CARILLON_RTOS_RESOURCE : CARILLON_RTOS_TIMEOUT;
    }
    mutex->depth = 1u;
    return CARILLON_RTOS_OK;
}

int carillon_rtos_mutex_give(struct carillon_rtos_mutex *mutex)
{
    if (carillon_rtos_in_isr()) {
        return CARILLON_RTOS_IN_ISR;
    }
    if (!carillon_rtos_is(mutex, CARILLON_RTOS_MUTEX)) {
        return CARILLON_RTOS_PARAMETER;
    }
    if (!carillon_rtos_may_wait()) {
        return CARILLON_RTOS_ERROR; /* to unlock it would let others run that are locked */
    }
    if (!is_own(mutex)) {
        return CARILLON_RTOS_RESOURCE;
    }
    mutex->depth--;
    if (mutex->depth == 0u) {
        (void)(carillon_mutex_unlock)(mutex->mutex);
    }
    return CARILLON_RTOS_OK;
}

struct carillon_rtos_thread *carillon_rtos_mutex_owner(const struct carillon_rtos_mutex *mutex)
{
    const uint16_t holder = carillon_rtos_is(mutex, CARILLON_RTOS_MUTEX) ? holder_of(mutex) : 0u;
    return ((holder == 0u) || carillon_rtos_in_isr()) ? NULL : &carillon_rtos_threads[holder - 1u];
}

int carillon_rtos_mutex_delete(struct carillon_rtos_mutex *mutex)
{
    if (!carillon_rtos_in_isr() && carillon_rtos_is(mutex, CARILLON_RTOS_MUTEX)) {
        if (holder_of(mutex) != 0u) {
            return CARILLON_RTOS_RESOURCE;
        }
        taken[mutex->mutex] = 0u;
    }
    return carillon_rtos_delete(mutex, CARILLON_RTOS_MUTEX);
}

#endif
