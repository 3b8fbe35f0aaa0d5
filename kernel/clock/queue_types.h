/* SPDX-License-Identifier: Apache-2.0
 *
 * What an event and a queue are, how wide times are, and what every variant of a queue has (queue.h). */
#ifndef CARILLON_QUEUE_TYPES_H
#define CARILLON_QUEUE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "carillon_config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With CARILLON_CLOCK_SLACK, a member of each event. */
#if CARILLON_CLOCK_SLACK > 0
#define CARILLON_EVENT_SLACK \
    carillon_time slack; /* by how much its owner may serve it later; the owner's, who sets it before it is put in */
#else
#define CARILLON_EVENT_SLACK
#endif

/* carillon_distance: a distance in ticks, which may be longer than the range of a time.  carillon_time: a time in the
 * queue, which is a shorter distance.  Times of 64 bits hold every distance. */
#if CARILLON_DISTANCE_BITS == 64
typedef uint64_t carillon_distance;
#else
typedef uint32_t carillon_distance;
#endif
#if CARILLON_TIME_BITS == 8
typedef uint8_t carillon_time;
#define CARILLON_NEVER 0xFFu
#elif CARILLON_TIME_BITS == 16
typedef uint16_t carillon_time;
#define CARILLON_NEVER 0xFFFFu
#elif CARILLON_TIME_BITS == 32
typedef uint32_t carillon_time;
#define CARILLON_NEVER 0xFFFFFFFFu
#elif CARILLON_TIME_BITS == 64
typedef uint64_t carillon_time;
#define CARILLON_NEVER 0xFFFFFFFFFFFFFFFFu
#else
#error "CARILLON_TIME_BITS is 8, 16, 32 or 64"
#endif

/* CARILLON_NEVER is the distance from the last event to the next.  A far event comes in laps; an event is at most
 * CARILLON_LONGEST away, one tick less, see carillon_queue_insert_far. */
#define CARILLON_LAP (CARILLON_NEVER - 1u)
#define CARILLON_LONGEST (CARILLON_NEVER - 2u)

/* An event.  If all its members are zero, it is in no queue.  Only the queue uses its members.
 *
 * Of each variant: whether an event is in a queue, whether a queue is empty, and the first event of one that is not.  A
 * static queue begins empty. */
#if CARILLON_QUEUE_TREE
struct carillon_event {
    struct carillon_event *parent; /* NULL: in no queue */
    struct carillon_event *child[2];
    carillon_time time; /* modulo the range; only differences mean anything */
    int8_t balance;     /* height of child[1] less that of child[0] */
    CARILLON_EVENT_SLACK
};
struct carillon_queue {
    struct carillon_event head; /* `time`: from the reference to the first event; child[0]: the root */
    struct carillon_event *first;
};
static inline bool carillon_event_is_queued(const struct carillon_event *event)
{
    return event->parent != NULL;
}
static inline bool carillon_queue_is_empty(const struct carillon_queue *queue)
{
    return queue->first == NULL;
}
static inline struct carillon_event *carillon_queue_first(const struct carillon_queue *queue)
{
    return queue->first;
}
#define CARILLON_QUEUE_EMPTY(queue)                     \
    {                                                   \
        .head = {.time = CARILLON_NEVER}, .first = NULL \
    }
#else
struct carillon_event {
    struct carillon_event *previous;
    struct carillon_event *next; /* NULL: in no queue */
    carillon_time time; /* from this event to the next: what the paper keeps in the next; of counters, what is left */
    CARILLON_EVENT_SLACK
};
struct carillon_queue {
    struct carillon_event head; /* `time`: from the reference to the first event */
};
static inline bool carillon_event_is_queued(const struct carillon_event *event)
{
    return event->next != NULL;
}
static inline bool carillon_queue_is_empty(const struct carillon_queue *queue)
{
    return queue->head.next == &queue->head;
}
static inline struct carillon_event *carillon_queue_first(const struct carillon_queue *queue)
{
    return queue->head.next;
}
#define CARILLON_QUEUE_EMPTY(queue)                                                         \
    {                                                                                       \
        .head = {.next = &(queue).head, .previous = &(queue).head, .time = CARILLON_NEVER } \
    }
#endif

/* Make a queue empty. */
void carillon_queue_init(struct carillon_queue *queue);

/* Put in an event that is in no queue, `distance` (at most CARILLON_LONGEST) from the reference.  It comes after the
 * events of the same time. */
void carillon_queue_insert(struct carillon_queue *queue, struct carillon_event *event, carillon_time distance);

/* Take out an event that is in the queue, wherever it is. */
void carillon_queue_remove(struct carillon_queue *queue, struct carillon_event *event);

/* From the reference to an event that is in the queue.  The list walks to it. */
carillon_time carillon_queue_distance(const struct carillon_queue *queue, const struct carillon_event *event);

static inline bool carillon_queue_is_first(const struct carillon_queue *queue, const struct carillon_event *event)
{
    return carillon_queue_first(queue) == event;
}

/* By how much an event may be served later; without CARILLON_CLOCK_SLACK, by nothing. */
#if CARILLON_CLOCK_SLACK > 0
static inline carillon_time carillon_event_slack(const struct carillon_event *event)
{
    return event->slack;
}
static inline void carillon_event_set_slack(struct carillon_event *event, carillon_time slack)
{
    event->slack = slack;
}
#else
static inline carillon_time carillon_event_slack(const struct carillon_event *event)
{
    (void)event;
    return 0u;
}
static inline void carillon_event_set_slack(struct carillon_event *event, carillon_time slack)
{
    (void)event;
    (void)slack;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
