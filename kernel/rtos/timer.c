/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers and pools of blocks that a program makes as it runs. */
#include "kernel/rtos/wait.h"

#if CARILLON_RTOS_HEAP > 0

/* The function of every timer's alarm: it calls the timer's own. */
static void expire(void)
{
    uint8_t *const alarm = (uint8_t *)(void *)carillon_alarm_calling();
    const struct carillon_rtos_timer *const own = (const struct carillon_rtos_timer *)(const void *)&alarm[-(
        ptrdiff_t)offsetof(struct carillon_rtos_timer, alarm)];
    carillon_rtos_timer_source = (uint32_t)carillon_port_current() + 1u;
    own->function(own->argument);
    carillon_rtos_timer_source = 0u;
}

struct carillon_rtos_timer *carillon_rtos_timer_new(void (*function)(void *), void *argument, bool periodic,
                                                    const struct carillon_rtos_place *place)
{
    static const struct carillon_alarm stopped = CARILLON_ALARM_OF_FUNCTION(expire);
    struct carillon_rtos_timer *const own =
        (function == NULL) ? NULL : carillon_rtos_place(place, sizeof(*own), CARILLON_RTOS_TIMER);
    if (own != NULL) {
        own->alarm = stopped;
        own->function = function;
        own->argument = argument;
        own->periodic = periodic ? 1u : 0u;
    }
    return own;
}

/* Timers that main has started, before there is a clock: they begin with StartOS. */
static struct carillon_rtos_timer *first;

static bool take_out(const struct carillon_rtos_timer *timer)
{
    struct carillon_rtos_timer **link = &first;
    while ((*link != NULL) && (*link != timer)) { /* bounded by the number of timers */
        link = &(*link)->next;
    }
    const bool found = *link != NULL;
    if (found) {
        *link = timer->next;
    }
    return found;
}

static StatusType start(struct carillon_rtos_timer *timer)
{
    return carillon_alarm_start(&timer->alarm, (carillon_duration)timer->ticks,
                                (timer->periodic != 0u) ? CARILLON_INFINITE : 1u);
}

void carillon_rtos_start_timers(void)
{
    while (first != NULL) {
        (void)start(first);
        first = first->next;
    }
}

/* One that runs begins anew. */
int carillon_rtos_timer_start(struct carillon_rtos_timer *timer, uint32_t ticks)
{
    const uint32_t least = (timer->periodic != 0u) ? (uint32_t)CARILLON_SHORTEST_PERIOD : 1u;
    if ((ticks < least) || (ticks > CARILLON_LONGEST_DURATION)) {
        return CARILLON_RTOS_PARAMETER;
    }
    const uint32_t saved = carillon_osek_lock();
    StatusType status = E_OK;
    (void)carillon_rtos_timer_stop(timer);
    timer->ticks = ticks;
    if (carillon_rtos_state == CARILLON_RTOS_RUNNING) {
        status = start(timer);
    } else {
        timer->next = first;
        first = timer;
    }
    carillon_osek_unlock(saved);
    return (status == E_OK) ? CARILLON_RTOS_OK : CARILLON_RTOS_RESOURCE;
}

int carillon_rtos_timer_stop(struct carillon_rtos_timer *timer)
{
    const bool ran =
        (carillon_rtos_state == CARILLON_RTOS_RUNNING) ? carillon_alarm_discard(&timer->alarm) : take_out(timer);
    return ran ? CARILLON_RTOS_OK : CARILLON_RTOS_RESOURCE;
}

bool carillon_rtos_timer_runs(const struct carillon_rtos_timer *timer)
{
    return carillon_event_is_queued((const struct carillon_event *)(const void *)&timer->alarm.timed.event);
}

struct carillon_rtos_pool *carillon_rtos_pool_new(uint32_t most, uint32_t size, const struct carillon_rtos_place *place)
{
    if ((most == 0u) || (most > CARILLON_SEMAPHORE_MOST) || (size == 0u) || (size > UINT16_MAX)) {
        return NULL;
    }
    struct carillon_rtos_pool *const own = carillon_rtos_place(place, sizeof(*own), CARILLON_RTOS_POOL);
    if (own == NULL) {
        return NULL;
    }
    own->size = CARILLON_RTOS_BLOCK(size);
    own->blocks = carillon_rtos_store(place, most * own->size, &own->store_in_heap);
    if (own->blocks == NULL) {
        (void)carillon_rtos_delete(own, CARILLON_RTOS_POOL);
        return NULL;
    }
    own->most = (uint16_t)most;
    for (uint32_t k = most; k != 0u; k--) {
        void **const block = (void **)(void *)&own->blocks[(k - 1u) * own->size];
        *block = own->free;
        own->free = block;
    }
    return own;
}

void *carillon_rtos_pool_take(struct carillon_rtos_pool *pool, uint32_t ticks)
{
    if (!carillon_rtos_is(pool, CARILLON_RTOS_POOL) || ((ticks != 0u) && !carillon_rtos_may_wait())) {
        return NULL;
    }
    struct carillon_rtos_waiter own;
    own.to = NULL;
    const uint32_t saved = carillon_osek_lock();
    void *const block = pool->free;
    if (block != NULL) {
        pool->free = *(void **)block;
        pool->taken++;
        carillon_osek_unlock(saved);
        return block;
    }
    return (carillon_rtos_wait(&own, &pool->room, saved, ticks) == CARILLON_RTOS_OK) ? own.to : NULL;
}

/* It goes to the first that waits for one. */
int carillon_rtos_pool_give(struct carillon_rtos_pool *pool, void *block)
{
    if (!carillon_rtos_is(pool, CARILLON_RTOS_POOL)) {
        return CARILLON_RTOS_PARAMETER;
    }
    const uint32_t offset = (uint32_t)((uintptr_t)block - (uintptr_t)pool->blocks); /* large, if it lies before them */
    if ((offset >= (pool->most * pool->size)) || ((offset % pool->size) != 0u)) {
        return CARILLON_RTOS_PARAMETER;
    }
    const uint32_t saved = carillon_osek_lock();
    struct carillon_rtos_waiter *const waiter = carillon_rtos_first(&pool->room);
    const bool was_taken = pool->taken != 0u;
    if (waiter != NULL) {
        waiter->to = block;
        carillon_time_goes(&pool->room.first, &waiter->waiter);
    } else if (was_taken) {
        *(void **)block = pool->free;
        pool->free = block;
        pool->taken--;
    } else {
        /* none is taken */
    }
    carillon_osek_unlock(saved);
    return was_taken ? CARILLON_RTOS_OK : CARILLON_RTOS_RESOURCE;
}

#endif
