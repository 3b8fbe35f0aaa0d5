/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of messages that a program makes as it runs.  They differ from those of kernel/time/messages.c in that a
 * message may have a priority or go to the front, and may be looked at without being taken.
 *
 * The places are a ring.  A message that goes before others moves those behind it by a place.  A message goes straight
 * to a thread that waits for one; if a thread waits to send, its message takes the place that has become free. */
#include "kernel/rtos/wait.h"

#include <string.h>

#if CARILLON_RTOS_HEAP > 0

#define OPTION_KEEP 1u /* it looks at a message, and leaves it there */

struct carillon_rtos_queue *carillon_rtos_queue_new(uint32_t most, uint32_t size, bool prioritised,
                                                    const struct carillon_rtos_place *place)
{
    if ((most == 0u) || (most > UINT16_MAX) || (size == 0u) || (size > UINT16_MAX)) {
        return NULL;
    }
    struct carillon_rtos_queue *const own = carillon_rtos_place(place, sizeof(*own), CARILLON_RTOS_QUEUE);
    if (own == NULL) {
        return NULL;
    }
    own->places = carillon_rtos_store(place, (most * size) + (prioritised ? most : 0u), &own->store_in_heap);
    if (own->places == NULL) {
        (void)carillon_rtos_delete(own, CARILLON_RTOS_QUEUE);
        return NULL;
    }
    own->priorities = prioritised ? &own->places[most * size] : NULL;
    own->size = (uint16_t)size;
    own->most = (uint16_t)most;
    return own;
}

/* Where the k-th oldest message is. */
static uint32_t place_of(const struct carillon_rtos_queue *queue, uint32_t k)
{
    const uint32_t place = queue->first + k;
    return (place < queue->most) ? place : (place - queue->most);
}

static uint8_t *message_at(const struct carillon_rtos_queue *queue, uint32_t k)
{
    return &queue->places[place_of(queue, k) * queue->size];
}

static uint8_t priority_at(const struct carillon_rtos_queue *queue, uint32_t k)
{
    return (queue->priorities != NULL) ? queue->priorities[place_of(queue, k)] : 0u;
}

static void set_priority(struct carillon_rtos_queue *queue, uint32_t k, uint16_t priority)
{
    if (queue->priorities != NULL) {
        queue->priorities[place_of(queue, k)] = (priority > UINT8_MAX) ? UINT8_MAX : (uint8_t)priority;
    }
}

/* A message goes into a queue that has room; locked. */
static void insert(struct carillon_rtos_queue *queue, const void *message, uint16_t priority)
{
    if (priority == CARILLON_RTOS_FRONT) {
        const uint32_t behind = (queue->first == 0u) ? queue->most : queue->first;
        queue->first = (uint16_t)(behind - 1u);
        queue->count++;
        (void)memcpy(message_at(queue, 0u), message, queue->size);
        set_priority(queue, 0u, priority);
        return;
    }
    uint32_t k = queue->count;
    while ((queue->priorities != NULL) && (k != 0u) && (priority_at(queue, k - 1u) < priority)) {
        (void)memcpy(message_at(queue, k), message_at(queue, k - 1u), queue->size); /* bounded by the places */
        set_priority(queue, k, priority_at(queue, k - 1u));
        k--;
    }
    queue->count++;
    (void)memcpy(message_at(queue, k), message, queue->size);
    set_priority(queue, k, priority);
}

/* Those that look at a message go on with this one, and so does the first that takes one.  False: nobody takes it.
 * Locked. */
static bool hand_over(struct carillon_rtos_queue *queue, const void *message, uint16_t priority)
{
    bool taken = false;
    while ((queue->sent.first != NULL) && !taken) { /* bounded by the number of threads */
        struct carillon_rtos_waiter *const receiver = carillon_rtos_first(&queue->sent);
        taken = receiver->options != OPTION_KEEP;
        (void)memcpy(receiver->to, message, queue->size);
        receiver->word = priority;
        carillon_time_goes(&queue->sent.first, &receiver->waiter);
    }
    return taken;
}

int carillon_rtos_queue_put(struct carillon_rtos_queue *queue, const void *message, uint16_t priority, uint32_t ticks)
{
    if (!carillon_rtos_is(queue, CARILLON_RTOS_QUEUE) || (message == NULL) ||
        ((ticks != 0u) && !carillon_rtos_may_wait())) {
        return CARILLON_RTOS_PARAMETER;
    }
    const uint32_t saved = carillon_osek_lock();
    if (hand_over(queue, message, priority)) {
        carillon_osek_unlock(saved);
        return CARILLON_RTOS_OK;
    }
    if (queue->count != queue->most) {
        insert(queue, message, priority);
        carillon_osek_unlock(saved);
        return CARILLON_RTOS_OK;
    }
    struct carillon_rtos_waiter own;
    own.from = message;
    own.word = priority;
    return carillon_rtos_wait(&own, &queue->room, saved, ticks);
}

int carillon_rtos_queue_overwrite(struct carillon_rtos_queue *queue, const void *message)
{
    if (!carillon_rtos_is(queue, CARILLON_RTOS_QUEUE) || (message == NULL) || (queue->most != 1u)) {
        return CARILLON_RTOS_PARAMETER;
    }
    const uint32_t saved = carillon_osek_lock();
    if (!hand_over(queue, message, 0u)) {
        queue->count = 0u;
        insert(queue, message, 0u);
    }
    carillon_osek_unlock(saved);
    return CARILLON_RTOS_OK;
}

/* A place has become free: the first that waits to send goes on; locked. */
static void refill(struct carillon_rtos_queue *queue)
{
    struct carillon_rtos_waiter *const sender = carillon_rtos_first(&queue->room);
    if (sender != NULL) {
        insert(queue, sender->from, (uint16_t)sender->word);
        carillon_time_goes(&queue->room.first, &sender->waiter);
    }
}

int carillon_rtos_queue_get(struct carillon_rtos_queue *queue, void *message, uint8_t *priority, bool keep,
                            uint32_t ticks)
{
    if (!carillon_rtos_is(queue, CARILLON_RTOS_QUEUE) || (message == NULL) ||
        ((ticks != 0u) && !carillon_rtos_may_wait())) {
        return CARILLON_RTOS_PARAMETER;
    }
    struct carillon_rtos_waiter own;
    const uint32_t saved = carillon_osek_lock();
    if (queue->count != 0u) {
        (void)memcpy(message, message_at(queue, 0u), queue->size);
        if (priority != NULL) {
            *priority = priority_at(queue, 0u);
        }
        if (!keep) {
            queue->first = (uint16_t)place_of(queue, 1u);
            queue->count--;
            refill(queue);
        }
        carillon_osek_unlock(saved);
        return CARILLON_RTOS_OK;
    }
    own.to = message;
    own.options = keep ? OPTION_KEEP : 0u;
    const int status = carillon_rtos_wait(&own, &queue->sent, saved, ticks);
    if ((status == CARILLON_RTOS_OK) && (priority != NULL)) {
        *priority = (own.word > UINT8_MAX) ? UINT8_MAX : (uint8_t)own.word;
    }
    return status;
}

int carillon_rtos_queue_reset(struct carillon_rtos_queue *queue)
{
    if (carillon_rtos_in_isr()) {
        return CARILLON_RTOS_IN_ISR;
    }
    if (!carillon_rtos_is(queue, CARILLON_RTOS_QUEUE)) {
        return CARILLON_RTOS_PARAMETER;
    }
    const uint32_t saved = carillon_osek_lock();
    queue->count = 0u;
    while ((queue->count != queue->most) && (queue->room.first != NULL)) { /* bounded by the places */
        refill(queue);
    }
    carillon_osek_unlock(saved);
    return CARILLON_RTOS_OK;
}

#endif
