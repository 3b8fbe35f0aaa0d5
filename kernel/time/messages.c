/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of messages.  A queue is two semaphores and the places between them.  `sent` counts the messages in it, and
 * tasks wait there to receive.  `room` counts the free places, and tasks wait there to send.  Together they count all
 * places, and nobody waits at both.
 *
 * A message goes by the shortest way, under one lock.  If a task waits to receive, it gets the message from the
 * sender.  If a task waits to send, its message goes to the place that has become free, behind all others. */
#include "wait_steps.h"

#include <string.h>

#if CARILLON_OSEK_TIME

/* A task that waits at a queue, with where its message comes from, or goes to. */
struct message_waiter {
    struct carillon_waiter waiter;
    const void *from;
    void *to;
};

/* The place of the message that so many are before. */
static uint8_t *place(const struct carillon_messages *queue, uint32_t before)
{
    uint32_t number = (uint32_t)queue->oldest + before;
    if (number >= queue->room.most) {
        number -= queue->room.most;
    }
    return &queue->places[number * queue->size];
}

/* Send a message, if there is somebody or room for it; locked. */
static bool put(struct carillon_messages *queue, const void *message)
{
    struct message_waiter *const receiver = (struct message_waiter *)(void *)queue->sent.first;
    if (receiver != NULL) {
        (void)memcpy(receiver->to, message, queue->size);
    } else if (carillon_semaphore_take(&queue->room)) {
        (void)memcpy(place(queue, queue->sent.count), message, queue->size);
    } else {
        return false;
    }
    (void)carillon_semaphore_give(&queue->sent);
    return true;
}

/* Receive the oldest message, if there is one; locked. */
static bool get(struct carillon_messages *queue, void *message)
{
    if (!carillon_semaphore_take(&queue->sent)) {
        return false;
    }
    (void)memcpy(message, place(queue, 0u), queue->size);
    queue->oldest++;
    if (queue->oldest == queue->room.most) {
        queue->oldest = 0u;
    }
    const struct message_waiter *const sender = (const struct message_waiter *)(const void *)queue->room.first;
    if (sender != NULL) {
        (void)memcpy(place(queue, queue->sent.count), sender->from, queue->size);
        (void)carillon_semaphore_give(&queue->sent);
    }
    (void)carillon_semaphore_give(&queue->room);
    return true;
}

StatusType carillon_send(struct carillon_messages *queue, const void *message)
{
    struct message_waiter own = {.from = message};
    struct carillon_osek_extended *const extended =
        carillon_time_falls_asleep(&own.waiter.sleeper, CARILLON_ACTION_WAKE);
    REQUIRE(extended != NULL, OSServiceId_Send, E_OS_CALLEVEL, .reference = queue);
    CHECK_PLACE(IN_TASK, OSServiceId_Send, .reference = queue);
    CHECK(carillon_osek_holds_none(), OSServiceId_Send, E_OS_RESOURCE, .reference = queue);
    const uint32_t saved = carillon_osek_lock();
    if (put(queue, message)) {
        carillon_osek_unlock(saved);
        return E_OK;
    }
    carillon_time_line_up(&own.waiter, &queue->room);
    carillon_time_wait(extended);
    return E_OK;
}

StatusType carillon_receive(struct carillon_messages *queue, void *message)
{
    struct message_waiter own = {.to = message};
    struct carillon_osek_extended *const extended =
        carillon_time_falls_asleep(&own.waiter.sleeper, CARILLON_ACTION_WAKE);
    REQUIRE(extended != NULL, OSServiceId_Receive, E_OS_CALLEVEL, .reference = queue);
    CHECK_PLACE(IN_TASK, OSServiceId_Receive, .reference = queue);
    CHECK(carillon_osek_holds_none(), OSServiceId_Receive, E_OS_RESOURCE, .reference = queue);
    const uint32_t saved = carillon_osek_lock();
    if (get(queue, message)) {
        carillon_osek_unlock(saved);
        return E_OK;
    }
    carillon_time_line_up(&own.waiter, &queue->sent);
    carillon_time_wait(extended);
    return E_OK;
}

#if CARILLON_TIME_TIMEOUTS
StatusType carillon_send_within(struct carillon_messages *queue, const void *message, carillon_duration ticks)
{
    struct message_waiter own = {.from = message, .waiter.result = E_OS_NOFUNC};
    struct carillon_osek_extended *const extended =
        carillon_time_falls_asleep(&own.waiter.sleeper, CARILLON_ACTION_TIME_OUT);
    REQUIRE((ticks == 0u) || (extended != NULL), OSServiceId_Send, E_OS_CALLEVEL, .reference = queue);
    CHECK_PLACE(IN_SERVICE, OSServiceId_Send, .reference = queue);
    CHECK((ticks == 0u) || carillon_osek_holds_none(), OSServiceId_Send, E_OS_RESOURCE, .reference = queue);
    REQUIRE(ticks <= CARILLON_LONGEST_DURATION, OSServiceId_Send, E_OS_VALUE, .reference = queue);
    const uint32_t saved = carillon_osek_lock();
    if (put(queue, message)) {
        own.waiter.result = E_OK;
        carillon_osek_unlock(saved);
    } else if (ticks == 0u) {
        carillon_osek_unlock(saved);
    } else {
        carillon_time_wait_within(&own.waiter, extended, &queue->room, ticks);
    }
    REQUIRE(own.waiter.result == E_OK, OSServiceId_Send, own.waiter.result, .reference = queue);
    return E_OK;
}

StatusType carillon_receive_within(struct carillon_messages *queue, void *message, carillon_duration ticks)
{
    struct message_waiter own = {.to = message, .waiter.result = E_OS_NOFUNC};
    struct carillon_osek_extended *const extended =
        carillon_time_falls_asleep(&own.waiter.sleeper, CARILLON_ACTION_TIME_OUT);
    REQUIRE((ticks == 0u) || (extended != NULL), OSServiceId_Receive, E_OS_CALLEVEL, .reference = queue);
    CHECK_PLACE(IN_SERVICE, OSServiceId_Receive, .reference = queue);
    CHECK((ticks == 0u) || carillon_osek_holds_none(), OSServiceId_Receive, E_OS_RESOURCE, .reference = queue);
    REQUIRE(ticks <= CARILLON_LONGEST_DURATION, OSServiceId_Receive, E_OS_VALUE, .reference = queue);
    const uint32_t saved = carillon_osek_lock();
    if (get(queue, message)) {
        own.waiter.result = E_OK;
        carillon_osek_unlock(saved);
    } else if (ticks == 0u) {
        carillon_osek_unlock(saved);
    } else {
        carillon_time_wait_within(&own.waiter, extended, &queue->sent, ticks);
    }
    REQUIRE(own.waiter.result == E_OK, OSServiceId_Receive, own.waiter.result, .reference = queue);
    return E_OK;
}
#endif

#endif
