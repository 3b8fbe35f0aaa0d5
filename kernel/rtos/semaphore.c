/* SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores that a program makes as it runs, and the end of all such objects. */
#include "kernel/rtos/wait.h"

#if CARILLON_RTOS_HEAP > 0

struct carillon_rtos_semaphore *carillon_rtos_semaphore_new(uint32_t most, uint32_t initial,
                                                            const struct carillon_rtos_place *place)
{
    if ((most == 0u) || (most > CARILLON_SEMAPHORE_MOST) || (initial > most)) {
        return NULL;
    }
    struct carillon_rtos_semaphore *const own = carillon_rtos_place(place, sizeof(*own), CARILLON_RTOS_SEMAPHORE);
    if (own != NULL) {
        own->semaphore.count = (uint16_t)initial;
        own->semaphore.most = (uint16_t)most;
    }
    return own;
}

int carillon_rtos_semaphore_take(struct carillon_rtos_semaphore *semaphore, uint32_t ticks)
{
    if (!carillon_rtos_is(semaphore, CARILLON_RTOS_SEMAPHORE) || ((ticks != 0u) && !carillon_rtos_may_wait())) {
        return CARILLON_RTOS_PARAMETER;
    }
    const uint32_t saved = carillon_osek_lock();
    if (carillon_semaphore_take(&semaphore->semaphore)) {
        carillon_osek_unlock(saved);
        return CARILLON_RTOS_OK;
    }
    struct carillon_rtos_waiter own;
    return carillon_rtos_wait(&own, &semaphore->semaphore, saved, ticks);
}

int carillon_rtos_semaphore_give(struct carillon_rtos_semaphore *semaphore)
{
    if (!carillon_rtos_is(semaphore, CARILLON_RTOS_SEMAPHORE)) {
        return CARILLON_RTOS_PARAMETER;
    }
    const uint32_t saved = carillon_osek_lock();
    const bool fits = carillon_semaphore_give(&semaphore->semaphore);
    carillon_osek_unlock(saved);
    return fits ? CARILLON_RTOS_OK : CARILLON_RTOS_RESOURCE;
}

/* What of an object is in the heap besides the object; and those that wait for it go on.  Locked. */
static void *let_go(void *object, uint8_t kind)
{
    void *store = NULL;
    if (kind == CARILLON_RTOS_SEMAPHORE) {
        carillon_rtos_dismiss(&((struct carillon_rtos_semaphore *)object)->semaphore);
    } else if (kind == CARILLON_RTOS_FLAGS) {
        carillon_rtos_dismiss(&((struct carillon_rtos_flags *)object)->line);
    } else if (kind == CARILLON_RTOS_QUEUE) {
        struct carillon_rtos_queue *const queue = object;
        carillon_rtos_dismiss(&queue->sent);
        carillon_rtos_dismiss(&queue->room);
        store = (queue->store_in_heap != 0u) ? queue->places : NULL;
    } else if (kind == CARILLON_RTOS_POOL) {
        struct carillon_rtos_pool *const pool = object;
        carillon_rtos_dismiss(&pool->room);
        store = (pool->store_in_heap != 0u) ? pool->blocks : NULL;
    } else if (kind == CARILLON_RTOS_TIMER) {
        (void)carillon_rtos_timer_stop(object);
    } else {
        /* a mutex that nobody has: nobody waits for it */
    }
    return store;
}

int carillon_rtos_delete(void *object, uint8_t kind)
{
    if (carillon_rtos_in_isr()) {
        return CARILLON_RTOS_IN_ISR;
    }
    if (!carillon_rtos_is(object, kind)) {
        return CARILLON_RTOS_PARAMETER;
    }
    struct carillon_rtos_object *const own = object;
    const bool in_heap = own->in_heap != 0u;
    const uint32_t saved = carillon_osek_lock();
    own->kind = 0u;
    void *const store = let_go(object, kind);
    carillon_rtos_free(store);
    carillon_rtos_free(in_heap ? object : NULL);
    carillon_osek_unlock(saved);
    return CARILLON_RTOS_OK;
}

#endif
