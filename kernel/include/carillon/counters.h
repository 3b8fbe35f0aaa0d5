/* SPDX-License-Identifier: Apache-2.0
 *
 * No queue but a counter for each event, all of which every tick decrements: the method of uC/OS-II's OSTimeTick, to
 * compare the queue with.  uC/OS-II decrements those of tasks that do not wait too, which this does not.
 *
 * It is the inline part of carillon/queue.h, which says what the functions do, for clocks that tick.  Events stand in
 * the order of their insertion, but those that are due before all others. */
#ifndef CARILLON_COUNTERS_H
#define CARILLON_COUNTERS_H

#include "carillon/queue.h"

/* 0 if an event is due; else some number of ticks, less than CARILLON_NEVER if there is an event. */
static inline carillon_time carillon_queue_left(const struct carillon_queue *queue)
{
    return carillon_queue_is_empty(queue) ? CARILLON_NEVER : queue->head.next->time;
}

bool carillon_queue_tick(struct carillon_queue *queue);

/* Ticks come one by one. */
static inline void carillon_queue_advance(struct carillon_queue *queue, carillon_time elapsed)
{
    while (elapsed > 0u) {
        (void)carillon_queue_tick(queue);
        elapsed--;
    }
}

static inline bool carillon_queue_has_due(struct carillon_queue *queue)
{
    return !carillon_queue_is_empty(queue);
}

static inline struct carillon_event *carillon_queue_due(struct carillon_queue *queue)
{
    return (carillon_queue_left(queue) == 0u) ? queue->head.next : NULL;
}

static inline void carillon_queue_pop(struct carillon_queue *queue)
{
    carillon_queue_remove(queue, queue->head.next);
}

static inline bool carillon_queue_stays(struct carillon_queue *queue, struct carillon_event *first,
                                        carillon_time distance)
{
    (void)queue;
    (void)first;
    (void)distance;
    return false;
}

static inline void carillon_queue_repeat(struct carillon_queue *queue, carillon_time distance)
{
    struct carillon_event *const event = queue->head.next;
    carillon_queue_remove(queue, event);
    carillon_queue_insert(queue, event, distance);
}

#endif
