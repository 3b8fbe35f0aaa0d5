/* SPDX-License-Identifier: Apache-2.0
 *
 * The relative event queue (M. Holenderski et al., Multiplexing Real-Time Timed Events, 2009: RELTEQ).
 *
 * A queue has a reference: the time up to which its owner has counted.  Every time in the queue is a distance, so few
 * bits are enough for ever: no event's time wraps, however long the system runs.  Events of equal times leave the queue
 * in the order of their insertion.  What an event means is in the structure that contains it.  The queue does not know
 * it, so events of all kinds can share a queue.
 *
 * The reference never passes an event that is in the queue.  Two things follow.  While the handler of an event runs,
 * the reference is that event's own time, however late the handler is.  So a period that is counted from the
 * reference has no drift.  And events that are due together leave the queue in the order of their times.
 *
 * Two variants, chosen by CARILLON_QUEUE_TREE, do the same.  The list walks to insert and needs two links.  The
 * balanced tree takes a number of steps that is logarithmic in the events, for insertion and removal alike, and
 * needs three links and a balance.
 *
 * A third variant, CARILLON_QUEUE_COUNTERS, is not a queue.  Each event has a counter, and every tick decrements all
 * counters.  This is the method of uC/OS-II's OSTimeTick, and the queue is compared with it, on clocks that tick.
 * uC/OS-II also decrements the counters of tasks that do not wait; this variant does not.
 *
 * Every function is called locked, and none calls back. */
#ifndef CARILLON_QUEUE_H
#define CARILLON_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "carillon_config.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CARILLON_TIME_BITS
#define CARILLON_TIME_BITS 32
#endif
#ifndef CARILLON_DISTANCE_BITS
#if CARILLON_TIME_BITS >= 32
#define CARILLON_DISTANCE_BITS 64
#else
#define CARILLON_DISTANCE_BITS 32
#endif
#endif
#ifndef CARILLON_QUEUE_TREE
#define CARILLON_QUEUE_TREE 0
#endif
#ifndef CARILLON_QUEUE_COUNTERS
#define CARILLON_QUEUE_COUNTERS 0
#endif
/* Whether events are repeated with carillon_queue_move, of one queue: the list then keeps in mind what moved last. */
#ifndef CARILLON_QUEUE_MOVES
#define CARILLON_QUEUE_MOVES 1
#endif
#define CARILLON_QUEUE_KEEPS_LAST (CARILLON_QUEUE_MOVES && !CARILLON_QUEUE_TREE && !CARILLON_QUEUE_COUNTERS)

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

/* An event.  If all its members are zero, it is in no queue.  Only the queue uses its members. */
#if CARILLON_QUEUE_TREE
struct carillon_event {
    struct carillon_event *parent; /* NULL: in no queue */
    struct carillon_event *child[2];
    carillon_time time; /* modulo the range; only differences mean anything */
    int8_t balance;     /* height of child[1] less that of child[0] */
};
struct carillon_queue {
    struct carillon_event head; /* `time`: from the reference to the first event; child[0]: the root */
    struct carillon_event *first;
};
#else
struct carillon_event {
    struct carillon_event *previous;
    struct carillon_event *next; /* NULL: in no queue */
    carillon_time time; /* from this event to the next: what the paper keeps in the next; of counters, what is left */
};
struct carillon_queue {
    struct carillon_event head; /* `time`: from the reference to the first event */
};
#endif

/* An event that may be further away than a range; `laps` of CARILLON_LAP ticks are still to come when it leaves the
 * queue. */
struct carillon_far_event {
    struct carillon_event event;
    uint32_t laps;
};

/* A period of whole + numerator / denominator ticks.  The remainder of one interval is carried to the next, so each
 * interval is wrong by less than a tick, and so is the sum of all intervals. */
struct carillon_period {
    carillon_distance whole;
    uint32_t numerator; /* less than the denominator */
    uint32_t denominator;
    uint32_t remainder; /* less than the denominator; 0 at first */
};

/* Make a queue empty; and how a static one begins. */
void carillon_queue_init(struct carillon_queue *queue);
#if CARILLON_QUEUE_TREE
#define CARILLON_QUEUE_EMPTY(queue)                     \
    {                                                   \
        .head = {.time = CARILLON_NEVER}, .first = NULL \
    }
#else
#define CARILLON_QUEUE_EMPTY(queue)                                                         \
    {                                                                                       \
        .head = {.next = &(queue).head, .previous = &(queue).head, .time = CARILLON_NEVER } \
    }
#endif

/* Put in an event that is in no queue, `distance` (at most CARILLON_LONGEST) from the reference.  It comes after the
 * events of the same time. */
void carillon_queue_insert(struct carillon_queue *queue, struct carillon_event *event, carillon_time distance);

/* Take out an event that is in the queue, wherever it is. */
void carillon_queue_remove(struct carillon_queue *queue, struct carillon_event *event);

/* What carillon_queue_move has moved last, while the reference stands, and its distance from that; NULL: nothing. */
#if CARILLON_QUEUE_KEEPS_LAST
struct carillon_queue_moved {
    struct carillon_event *event;
    carillon_time distance;
};
extern struct carillon_queue_moved carillon_queue_moved;
#endif

/* What was due has been served, so that the reference may move: to be called after carillon_queue_move, before that of
 * another queue. */
static inline void carillon_queue_served(void)
{
#if CARILLON_QUEUE_KEEPS_LAST
    carillon_queue_moved.event = NULL;
#endif
}

/* From the reference to an event that is in the queue.  The list walks to it. */
carillon_time carillon_queue_distance(const struct carillon_queue *queue, const struct carillon_event *event);

/* Put in an event that is in no queue, at any distance from the reference.
 *
 * The paper inserts dummy events.  Here, a far event is its own dummy: its distance is divided into laps, and it is
 * inserted first for the remainder, and then once for every lap.  Events of equal times still leave in the order of
 * their insertion:
 *
 * 1. A far event is inserted for its time T by its last lap, when the reference is T - CARILLON_LAP exactly.  The event
 *    is due there, and the reference does not pass what is due.
 * 2. Every other event that is inserted for T and is not far is inserted later: it is less than a lap away.
 * 3. Far events of the same T have met at T - CARILLON_LAP already, in order by the same argument, because all count
 *    back from T in laps.  A far event that is inserted a whole number of laps away may find others due there.  It
 *    first goes through the queue with distance 0, and so comes after them. */
void carillon_queue_insert_far(struct carillon_queue *queue, struct carillon_far_event *far,
                               carillon_distance distance);

/* To be called with a far event that is the first and is due.  If it still has a lap to go, the function repeats it for
 * the lap and returns true.  Otherwise its time has come. */
bool carillon_queue_next_lap(struct carillon_queue *queue, struct carillon_far_event *far);

/* From the reference to a far event that is in the queue. */
carillon_distance carillon_queue_distance_far(const struct carillon_queue *queue, const struct carillon_far_event *far);

/* The ticks of a period's next interval. */
carillon_distance carillon_period_next(struct carillon_period *period);

/* Whether the event is in a queue. */
static inline bool carillon_event_is_queued(const struct carillon_event *event)
{
#if CARILLON_QUEUE_TREE
    return event->parent != NULL;
#else
    return event->next != NULL;
#endif
}

static inline bool carillon_queue_is_empty(const struct carillon_queue *queue)
{
#if CARILLON_QUEUE_TREE
    return queue->first == NULL;
#else
    return queue->head.next == &queue->head;
#endif
}

static inline bool carillon_queue_is_first(const struct carillon_queue *queue, const struct carillon_event *event)
{
#if CARILLON_QUEUE_TREE
    return queue->first == event;
#else
    return queue->head.next == event;
#endif
}

/* The first event; the queue is not empty. */
static inline struct carillon_event *carillon_queue_first(const struct carillon_queue *queue)
{
#if CARILLON_QUEUE_TREE
    return queue->first;
#else
    return queue->head.next;
#endif
}

#if CARILLON_QUEUE_COUNTERS
/* The events that are due come first.  The others are in the order of their insertion. */

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

static inline void carillon_queue_repeat(struct carillon_queue *queue, carillon_time distance)
{
    carillon_queue_move(queue, queue->head.next, distance);
}

#else
/* From the reference to the first event.  In an empty queue it counts down, too.  The queue's owner must come back
 * before it is 0, and carillon_queue_due then begins anew. */
static inline carillon_time carillon_queue_left(const struct carillon_queue *queue)
{
    return queue->head.time;
}

/* Move the reference, at most to the first event (of an empty queue: at most by what is left). */
static inline void carillon_queue_advance(struct carillon_queue *queue, carillon_time elapsed)
{
    queue->head.time = (carillon_time)(queue->head.time - elapsed);
}

/* Move the reference by a tick, which must not pass an event.  Returns whether something is due.  A handler that only
 * counts ticks needs no other function. */
static inline bool carillon_queue_tick(struct carillon_queue *queue)
{
    queue->head.time--;
    return queue->head.time == 0u;
}

/* If nothing is left to the first event: whether there is a first event, which is then due.  It is still in the queue.
 * The code that serves it takes it out or repeats it before anything else happens to the queue. */
static inline bool carillon_queue_has_due(struct carillon_queue *queue)
{
    if (carillon_queue_is_empty(queue)) {
        queue->head.time = CARILLON_NEVER;
        return false;
    }
    return true;
}

/* The first event, if it is due, that is, at the reference; otherwise NULL. */
static inline struct carillon_event *carillon_queue_due(struct carillon_queue *queue)
{
    return ((queue->head.time == 0u) && carillon_queue_has_due(queue)) ? carillon_queue_first(queue) : NULL;
}

/* When the reference has been moved: an empty queue counts down from the beginning. */
static inline void carillon_queue_rest(struct carillon_queue *queue)
{
    if (carillon_queue_is_empty(queue)) {
        queue->head.time = CARILLON_NEVER;
    }
}

/* Take out the first event, which is due. */
static inline void carillon_queue_pop(struct carillon_queue *queue)
{
#if CARILLON_QUEUE_TREE
    carillon_queue_remove(queue, queue->first);
#else
    struct carillon_event *const event = queue->head.next;
    struct carillon_event *const next = event->next;
    queue->head.time = event->time;
    queue->head.next = next;
    next->previous = &queue->head;
    event->next = NULL;
#endif
}

/* The same of an event of which nobody asks whether it is in a queue: its members keep what they were.  Returns what is
 * left to the first event then. */
static inline carillon_time carillon_queue_drop(struct carillon_queue *queue, struct carillon_event *first)
{
#if CARILLON_QUEUE_TREE
    carillon_queue_remove(queue, first);
    return queue->head.time;
#else
    struct carillon_event *const next = first->next;
    const carillon_time left = first->time;
    queue->head.next = next;
    queue->head.time = left;
    next->previous = &queue->head;
    return left;
#endif
}

/* If the first event, which is due, stays the first when it is repeated, as the one with the shortest period often
 * does: repeat it, which costs little then.  Otherwise false, and nothing has been done. */
static inline bool carillon_queue_stays(struct carillon_queue *queue, struct carillon_event *first,
                                        carillon_time distance)
{
#if CARILLON_QUEUE_TREE
    (void)queue;
    (void)first;
    (void)distance;
    return false;
#else
    const carillon_time gap = first->time;
    if (gap != CARILLON_NEVER) {
        if (gap <= distance) {
            return false;
        }
        first->time = (carillon_time)(gap - distance);
    }
    queue->head.time = distance;
    return true;
#endif
}

/* Take out the first event, which is due, and insert it `distance`, more than 0, from the reference, that is, from its
 * own time.  The list's walk begins at the event that was moved last, unless that is further away.  So the time to move
 * events that are due together and have one period is linear in their number.  When the reference may move again,
 * carillon_queue_served is to be called. */
#if CARILLON_QUEUE_KEEPS_LAST || CARILLON_QUEUE_TREE
void carillon_queue_move(struct carillon_queue *queue, struct carillon_event *first, carillon_time distance);
#else
static inline void carillon_queue_move(struct carillon_queue *queue, struct carillon_event *first,
                                       carillon_time distance)
{
    (void)carillon_queue_drop(queue, first);
    carillon_queue_insert(queue, first, distance);
}
#endif

/* The same without what is to be called. */
#if CARILLON_QUEUE_TREE
static inline void carillon_queue_repeat(struct carillon_queue *queue, carillon_time distance)
{
    carillon_queue_move(queue, queue->first, distance);
}
#else
static inline void carillon_queue_repeat(struct carillon_queue *queue, carillon_time distance)
{
    struct carillon_event *const event = queue->head.next;
    if (!carillon_queue_stays(queue, event, distance)) {
        carillon_queue_pop(queue);
        carillon_queue_insert(queue, event, distance);
    }
}
#endif

#endif

/* Put in an event, as carillon_queue_insert does: is it the first then?  A list has a short way for that. */
static inline bool carillon_queue_insert_first(struct carillon_queue *queue, struct carillon_event *event,
                                               carillon_time distance)
{
#if CARILLON_QUEUE_TREE || CARILLON_QUEUE_COUNTERS
    carillon_queue_insert(queue, event, distance);
    return carillon_queue_is_first(queue, event);
#else
    struct carillon_event *const head = &queue->head;
    struct carillon_event *const next = head->next;
    const carillon_time left = head->time;
    if (next == head) { /* it has counted down */
        event->time = CARILLON_NEVER;
    } else if (distance < left) {
        event->time = (carillon_time)(left - distance);
    } else {
        carillon_queue_insert(queue, event, distance);
        return false;
    }
    head->time = distance;
    event->previous = head;
    event->next = next;
    head->next = event;
    next->previous = event;
    return true;
#endif
}

/* The same as carillon_queue_repeat with a far event at any distance. */
static inline void carillon_queue_repeat_far(struct carillon_queue *queue, struct carillon_far_event *far,
                                             carillon_distance distance)
{
    if (distance > CARILLON_LONGEST) {
        carillon_queue_pop(queue);
        carillon_queue_insert_far(queue, far, distance);
    } else {
        carillon_queue_repeat(queue, (carillon_time)distance);
    }
}

#ifdef __cplusplus
}
#endif

#endif
