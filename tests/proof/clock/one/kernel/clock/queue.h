/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue beneath the clock, in the clock's proofs: one event at most.  The queue's own proofs say that it keeps its
 * promises; with these alone the clock's take a solver seconds. */
#ifndef CARILLON_QUEUE_H
#define CARILLON_QUEUE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "carillon_config.h"

typedef uint32_t carillon_distance;
#if CARILLON_TIME_BITS == 8
typedef uint8_t carillon_time;
#define CARILLON_NEVER 0xFFu
#elif CARILLON_TIME_BITS == 16
typedef uint16_t carillon_time;
#define CARILLON_NEVER 0xFFFFu
#else
typedef uint32_t carillon_time;
#define CARILLON_NEVER 0xFFFFFFFFu
#endif
#define CARILLON_LAP (CARILLON_NEVER - 1u)
#define CARILLON_LONGEST (CARILLON_NEVER - 2u)

struct carillon_event {
    int nothing;
};
struct carillon_far_event {
    struct carillon_event event;
    uint32_t laps;
};
struct carillon_queue {
    carillon_time left; /* from the reference to the event */
    bool one;
    carillon_time slack; /* the event's */
};
#define CARILLON_QUEUE_EMPTY(queue)          \
    {                                        \
        .left = CARILLON_NEVER, .one = false \
    }

static struct carillon_far_event the_event;

static inline carillon_time carillon_queue_left(const struct carillon_queue *queue)
{
    return queue->left;
}
static inline void carillon_queue_advance(struct carillon_queue *queue, carillon_time by)
{
    assert(by <= queue->left); /* the reference passes no event */
    queue->left = (carillon_time)(queue->left - by);
}
static inline bool carillon_queue_is_empty(const struct carillon_queue *queue)
{
    return !queue->one;
}
static inline bool carillon_queue_has_due(struct carillon_queue *queue)
{
    if (!queue->one) {
        queue->left = CARILLON_NEVER;
    }
    return queue->one;
}
static inline struct carillon_event *carillon_queue_first(const struct carillon_queue *queue)
{
    (void)queue;
    return &the_event.event;
}
static inline void carillon_queue_served(void)
{
}
static inline void carillon_queue_rest(struct carillon_queue *queue)
{
    (void)carillon_queue_has_due(queue);
}
static inline bool carillon_queue_is_first(const struct carillon_queue *queue, const struct carillon_event *event)
{
    (void)queue;
    (void)event;
    return true;
}
static inline void carillon_queue_insert(struct carillon_queue *queue, struct carillon_event *event,
                                         carillon_time distance)
{
    (void)event;
    queue->one = true;
    queue->left = distance;
}
static inline bool carillon_queue_insert_first(struct carillon_queue *queue, struct carillon_event *event,
                                               carillon_time distance)
{
    carillon_queue_insert(queue, event, distance);
    return true;
}
static inline void carillon_queue_remove(struct carillon_queue *queue, struct carillon_event *event)
{
    (void)event;
    queue->one = false;
    queue->left = CARILLON_NEVER;
}
static inline carillon_time carillon_queue_distance(const struct carillon_queue *queue,
                                                    const struct carillon_event *event)
{
    (void)event;
    return queue->left;
}
static inline carillon_time carillon_queue_deadline(const struct carillon_queue *queue)
{
    return (queue->slack < (carillon_time)(CARILLON_LONGEST - queue->left))
               ? (carillon_time)(queue->left + queue->slack)
               : (carillon_time)CARILLON_LONGEST;
}
void carillon_queue_insert_far(struct carillon_queue *queue, struct carillon_far_event *far,
                               carillon_distance distance);
carillon_distance carillon_queue_distance_far(const struct carillon_queue *queue, const struct carillon_far_event *far);
uint32_t carillon_queue_laps(const struct carillon_queue *queue, carillon_time *rest);
void carillon_queue_skip_laps(const struct carillon_queue *queue, uint32_t laps);
bool carillon_queue_next_lap(struct carillon_queue *queue, struct carillon_far_event *far);
#endif
