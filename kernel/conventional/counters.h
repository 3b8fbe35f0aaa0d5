/* SPDX-License-Identifier: Apache-2.0
 *
 * A counter for each event, in place of the queue (kernel/clock/queue.h): every tick decrements all counters.  This is
 * the method of uC/OS-II's OSTimeTick, and the queue is compared with it, on clocks that tick.  uC/OS-II also
 * decrements the counters of tasks that do not wait; this does not.
 *
 * The events that are due come first.  The others are in the order of their insertion. */
#ifndef CARILLON_COUNTERS_H
#define CARILLON_COUNTERS_H

#include "kernel/clock/queue_types.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline void carillon_queue_served(void)
{
}

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

/* Each event has a counter of its own, so that there is none to begin anew. */
static inline void carillon_queue_rest(struct carillon_queue *queue)
{
    (void)queue;
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

static inline carillon_time carillon_queue_drop(struct carillon_queue *queue, struct carillon_event *first)
{
    carillon_queue_remove(queue, first);
    return carillon_queue_left(queue);
}

static inline bool carillon_queue_stays(struct carillon_queue *queue, struct carillon_event *first,
                                        carillon_time distance)
{
    (void)queue;
    (void)first;
    (void)distance;
    return false;
}

static inline void carillon_queue_move(struct carillon_queue *queue, struct carillon_event *first,
                                       carillon_time distance)
{
    carillon_queue_remove(queue, first);
    carillon_queue_insert(queue, first, distance);
}

static inline void carillon_queue_move_inlined(struct carillon_queue *queue, struct carillon_event *first,
                                               carillon_time distance)
{
    carillon_queue_move(queue, first, distance);
}

static inline void carillon_queue_repeat(struct carillon_queue *queue, carillon_time distance)
{
    carillon_queue_move(queue, queue->head.next, distance);
}

static inline bool carillon_queue_insert_first(struct carillon_queue *queue, struct carillon_event *event,
                                               carillon_time distance)
{
    carillon_queue_insert(queue, event, distance);
    return carillon_queue_is_first(queue, event);
}

#ifdef __cplusplus
}
#endif

#endif
