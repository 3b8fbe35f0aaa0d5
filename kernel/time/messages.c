/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of messages.  A queue is two semaphores and the places between them.  `sent` counts the messages in it, and
 * tasks wait there to receive.  Tasks wait at `room` to send: it counts nothing, as the places of messages that have
 * not come are free.  Nobody waits at both.
 *
 * A message goes by the shortest way, under one lock.  If a task waits to receive, it gets the message from the sender.
 * If a task waits to send, its message goes to the place that has become free, behind all others. */
#include "kernel/time/wait_steps.h"

#include <string.h>

#if CARILLON_OSEK_TIME

/* A task that waits at a queue, with where its message comes from, or goes to. */
struct message_waiter {
    struct carillon_waiter waiter;
    const void *from;
    void *to;
};

/* Copy a message.  One that is a pointer or a number is copied without a call. */
static inline void copy_word(void *to, const void *from)
{
    (void)memcpy(to, from, sizeof(uint32_t));
}
static inline void copy(void *to, const void *from, uint16_t size)
{
    if ((CARILLON_NARROW == 0) && (size == sizeof(uint32_t))) {
        copy_word(to, from);
    } else {
        (void)memcpy(to, from, size);
    }
}

/* The place behind another one. */
static inline uint8_t *behind(const struct carillon_messages *queue, uint8_t *place, uint16_t size)
{
    uint8_t *const next = &place[size];
    return (next == queue->end) ? queue->places : next;
}

/* Send a message, if there is somebody or room for it; locked. */
static inline bool put(struct carillon_messages *queue, const void *message)
{
    struct message_waiter *const receiver = (struct message_waiter *)(void *)queue->sent.first;
    if (receiver != NULL) {
        copy(receiver->to, message, queue->size);
        carillon_time_goes(&queue->sent.first, &receiver->waiter);
        return true;
    }
    if (queue->sent.count == queue->sent.most) {
        return false;
    }
    queue->sent.count++;
    uint8_t *const place = queue->free;
    copy(place, message, queue->size);
    queue->free = behind(queue, place, queue->size);
    return true;
}

/* Receive the oldest message, if there is one; locked.  While a task waits to send, the queue is full: the place that
 * becomes free is the one behind all others. */
static inline bool get(struct carillon_messages *queue, void *message)
{
    if (queue->sent.count == 0u) {
        return false;
    }
    uint8_t *const oldest = queue->oldest;
    copy(message, oldest, queue->size);
    queue->oldest = behind(queue, oldest, queue->size);
    struct message_waiter *const sender = (struct message_waiter *)(void *)queue->room.first;
    if (sender == NULL) {
        queue->sent.count--;
    } else {
        copy(oldest, sender->from, queue->size);
        queue->free = queue->oldest;
        carillon_time_goes(&queue->room.first, &sender->waiter);
    }
    return true;
}

/* The running task waits; locked.  Returns E_OK, so that it is called last, and the service has left the stack. */
static __attribute__((noinline)) StatusType wait_for(struct carillon_semaphore *semaphore, const void *from, void *to)
{
    struct message_waiter own;
    carillon_time_sleeps(&own.waiter.sleeper, carillon_osek_running, CARILLON_ACTION_WAKE);
    own.from = from;
    own.to = to;
    carillon_time_line_up(&own.waiter, semaphore);
    carillon_time_wait(own.waiter.sleeper.extended);
    return E_OK;
}

/* The running task sends a message; locked. */
static StatusType send(struct carillon_messages *queue, const void *message, uint32_t saved)
{
    if (put(queue, message)) {
        carillon_osek_unlock(saved);
        return E_OK;
    }
    return wait_for(&queue->room, message, NULL);
}

/* The running task receives a message; locked. */
static StatusType receive(struct carillon_messages *queue, void *message, uint32_t saved)
{
    if (get(queue, message)) {
        carillon_osek_unlock(saved);
        return E_OK;
    }
    return wait_for(&queue->sent, NULL, message);
}

/* The same of a word for which there is room, or which has come, where nobody waits: no call is in the way. */
static inline StatusType send_word(struct carillon_messages *queue, const void *message)
{
    const uint32_t saved = carillon_osek_lock();
    if ((CARILLON_NARROW != 0) || (queue->sent.first != NULL) || (queue->size != sizeof(uint32_t)) ||
        (queue->sent.count == queue->sent.most)) {
        return send(queue, message, saved);
    }
    uint8_t *const place = queue->free;
    queue->sent.count++;
    copy_word(place, message);
    queue->free = behind(queue, place, sizeof(uint32_t));
    carillon_osek_unlock(saved);
    return E_OK;
}
static inline StatusType receive_word(struct carillon_messages *queue, void *message)
{
    const uint32_t saved = carillon_osek_lock();
    if ((CARILLON_NARROW != 0) || (queue->room.first != NULL) || (queue->size != sizeof(uint32_t)) ||
        (queue->sent.count == 0u)) {
        return receive(queue, message, saved);
    }
    uint8_t *const oldest = queue->oldest;
    queue->sent.count--;
    copy_word(message, oldest);
    queue->oldest = behind(queue, oldest, sizeof(uint32_t));
    carillon_osek_unlock(saved);
    return E_OK;
}

/* The macros of the same names (carillon/time.h) may stand in the place of those that ask whether the caller may
 * wait. */
#if CARILLON_OSEK_INLINE
StatusType carillon_send_known(struct carillon_messages *queue, const void *message)
{
    return send_word(queue, message);
}
StatusType carillon_receive_known(struct carillon_messages *queue, void *message)
{
    return receive_word(queue, message);
}
#define SEND carillon_send_known
#define RECEIVE carillon_receive_known
#else
#define SEND send_word
#define RECEIVE receive_word
#endif

StatusType(carillon_send)(struct carillon_messages *queue, const void *message)
{
    REQUIRE(carillon_time_may_wait(carillon_osek_running), OSServiceId_Send, E_OS_CALLEVEL, .reference = queue);
    CHECK_PLACE(IN_TASK, OSServiceId_Send, .reference = queue);
    CHECK(carillon_osek_holds_none(), OSServiceId_Send, E_OS_RESOURCE, .reference = queue);
    return SEND(queue, message);
}

StatusType(carillon_receive)(struct carillon_messages *queue, void *message)
{
    REQUIRE(carillon_time_may_wait(carillon_osek_running), OSServiceId_Receive, E_OS_CALLEVEL, .reference = queue);
    CHECK_PLACE(IN_TASK, OSServiceId_Receive, .reference = queue);
    CHECK(carillon_osek_holds_none(), OSServiceId_Receive, E_OS_RESOURCE, .reference = queue);
    return RECEIVE(queue, message);
}

#if CARILLON_TIME_TIMEOUTS
/* The running task waits to send, or else to receive, for so many ticks at most; locked.  Returns what the service
 * does, so that it is called last, too. */
static __attribute__((noinline)) StatusType wait_within(struct carillon_messages *queue, const void *from, void *to,
                                                        carillon_duration ticks)
{
    struct message_waiter own;
    carillon_time_sleeps(&own.waiter.sleeper, carillon_osek_running, CARILLON_ACTION_TIME_OUT);
    own.from = from;
    own.to = to;
    own.waiter.result = E_OS_NOFUNC;
    carillon_time_wait_within(&own.waiter, own.waiter.sleeper.extended, (to == NULL) ? &queue->room : &queue->sent,
                              ticks);
    REQUIRE(own.waiter.result == E_OK, (to == NULL) ? OSServiceId_Send : OSServiceId_Receive, own.waiter.result,
            .reference = queue);
    return E_OK;
}

StatusType carillon_send_within(struct carillon_messages *queue, const void *message, carillon_duration ticks)
{
    REQUIRE((ticks == 0u) || carillon_time_may_wait(carillon_osek_running), OSServiceId_Send, E_OS_CALLEVEL,
            .reference = queue);
    CHECK_PLACE(IN_SERVICE, OSServiceId_Send, .reference = queue);
    CHECK((ticks == 0u) || carillon_osek_holds_none(), OSServiceId_Send, E_OS_RESOURCE, .reference = queue);
    REQUIRE(ticks <= CARILLON_LONGEST_DURATION, OSServiceId_Send, E_OS_VALUE, .reference = queue);
    const uint32_t saved = carillon_osek_lock();
    if (put(queue, message)) {
        carillon_osek_unlock(saved);
        return E_OK;
    }
    if (ticks == 0u) {
        carillon_osek_unlock(saved);
        return FAIL(OSServiceId_Send, E_OS_NOFUNC, .reference = queue);
    }
    return wait_within(queue, message, NULL, ticks);
}

StatusType carillon_receive_within(struct carillon_messages *queue, void *message, carillon_duration ticks)
{
    REQUIRE((ticks == 0u) || carillon_time_may_wait(carillon_osek_running), OSServiceId_Receive, E_OS_CALLEVEL,
            .reference = queue);
    CHECK_PLACE(IN_SERVICE, OSServiceId_Receive, .reference = queue);
    CHECK((ticks == 0u) || carillon_osek_holds_none(), OSServiceId_Receive, E_OS_RESOURCE, .reference = queue);
    REQUIRE(ticks <= CARILLON_LONGEST_DURATION, OSServiceId_Receive, E_OS_VALUE, .reference = queue);
    const uint32_t saved = carillon_osek_lock();
    if (get(queue, message)) {
        carillon_osek_unlock(saved);
        return E_OK;
    }
    if (ticks == 0u) {
        carillon_osek_unlock(saved);
        return FAIL(OSServiceId_Receive, E_OS_NOFUNC, .reference = queue);
    }
    return wait_within(queue, NULL, message, ticks);
}
#endif

#endif
