/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done with a queue's first event and with its reference, by the list and by the tree: inlined into handlers.
 */
#ifndef CARILLON_QUEUE_STEPS_H
#define CARILLON_QUEUE_STEPS_H

#include "kernel/clock/queue_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether events are repeated with carillon_queue_move, of one queue: the list then keeps in mind what moved last. */
#define CARILLON_QUEUE_KEEPS_LAST (CARILLON_QUEUE_MOVES && !CARILLON_QUEUE_TREE)

/* What carillon_queue_move has moved last, while the reference stands, and its distance from that; NULL: nothing. */
struct carillon_queue_moved {
    struct carillon_event *event;
    carillon_time distance;
};
extern struct carillon_queue_moved carillon_queue_moved;

/* What was due has been served, so that the reference may move: to be called after carillon_queue_move, before that of
 * another queue. */
static inline void carillon_queue_served(void)
{
    if (CARILLON_QUEUE_KEEPS_LAST) {
        carillon_queue_moved.event = NULL;
    }
}

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

/* Of each variant:
 *
 *   carillon_queue_pop           take out the first event, which is due
 *   carillon_queue_drop          the same of an event of which nobody asks whether it is in a queue: its members keep
 *                                what they were; returns what is left to the first event then
 *   carillon_queue_stays         if the first event, which is due, stays the first when it is repeated, as the one with
 *                                the shortest period often does: repeat it, which costs little then.  Otherwise
 *                                false, and nothing has been done.
 *   carillon_queue_insert_first  put in an event, as carillon_queue_insert does: is it the first then?  A list has a
 *                                short way for that */
#if CARILLON_QUEUE_TREE
static inline void carillon_queue_pop(struct carillon_queue *queue)
{
    carillon_queue_remove(queue, queue->first);
}

static inline carillon_time carillon_queue_drop(struct carillon_queue *queue, struct carillon_event *first)
{
    carillon_queue_remove(queue, first);
    return queue->head.time;
}

static inline bool carillon_queue_stays(struct carillon_queue *queue, struct carillon_event *first,
                                        carillon_time distance)
{
    (void)queue;
    (void)first;
    (void)distance;
    return false;
}

static inline bool carillon_queue_insert_first(struct carillon_queue *queue, struct carillon_event *event,
                                               carillon_time distance)
{
    carillon_queue_insert(queue, event, distance);
    return carillon_queue_is_first(queue, event);
}
#else
static inline void carillon_queue_pop(struct carillon_queue *queue)
{
    struct carillon_event *const event = queue->head.next;
    struct carillon_event *const next = event->next;
    queue->head.time = event->time;
    queue->head.next = next;
    next->previous = &queue->head;
    event->next = NULL;
}

static inline carillon_time carillon_queue_drop(struct carillon_queue *queue, struct carillon_event *first)
{
    struct carillon_event *const next = first->next;
    const carillon_time left = first->time;
    queue->head.next = next;
    queue->head.time = left;
    next->previous = &queue->head;
    return left;
}

static inline bool carillon_queue_stays(struct carillon_queue *queue, struct carillon_event *first,
                                        carillon_time distance)
{
    const carillon_time gap = first->time;
    if (gap != CARILLON_NEVER) {
        if (gap <= distance) {
            return false;
        }
        first->time = (carillon_time)(gap - distance);
    }
    queue->head.time = distance;
    return true;
}

static inline bool carillon_queue_insert_first(struct carillon_queue *queue, struct carillon_event *event,
                                               carillon_time distance)
{
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
}

/* Put in an event, `distance` from `place`: an event in the queue, or the head, whose time is CARILLON_NEVER if the
 * queue is empty. */
static inline void carillon_queue_insert_behind(struct carillon_queue *queue, struct carillon_event *place,
                                                struct carillon_event *event, carillon_time distance)
{
    struct carillon_event *before = place;
    carillon_time left_over = distance;
    while (before->time <= left_over) { /* bounded by the number of events: the last one's time is more */
        left_over = (carillon_time)(left_over - before->time);
        before = before->next;
    }
    struct carillon_event *const after = before->next;
    event->time = (after == &queue->head) ? CARILLON_NEVER : (carillon_time)(before->time - left_over);
    before->time = left_over;
    event->next = after;
    event->previous = before;
    before->next = event;
    after->previous = event;
}
#endif

#if CARILLON_QUEUE_KEEPS_LAST
/* 1. `last` has been put in since the reference moved.  So it is at that distance still, whatever has been put in or
 *    taken out since.
 * 2. It is not due, so nobody pops it.  If it is removed, carillon_queue_remove forgets it.
 * 3. An event goes behind those of its time, so behind `last` if that is not further away.
 * 4. If the event is the only one, the head's time is CARILLON_NEVER when it has been taken out: the event's own.
 * 5. If `last` is further away, but less than twice as far, the way back from it is short, and does not lead past those
 *    that are due.
 */
static inline __attribute__((always_inline)) void
carillon_queue_move_inlined(struct carillon_queue *queue, struct carillon_event *first, carillon_time distance)
{
    struct carillon_event *const last = carillon_queue_moved.event;
    carillon_time at = carillon_queue_moved.distance;
    (void)carillon_queue_drop(queue, first);
    carillon_queue_moved.event = first;
    carillon_queue_moved.distance = distance;
    if (last != NULL) {
        if (at <= distance) {
            carillon_queue_insert_behind(queue, last, first, (carillon_time)(distance - at));
            return;
        }
        if (distance >= (carillon_time)(at / 2u)) {
            struct carillon_event *place = last;
            do { /* bounded by the number of events, for the head is at 0 */
                place = place->previous;
                at = (carillon_time)(at - place->time);
            } while (at > distance);
            carillon_queue_insert_behind(queue, place, first, (carillon_time)(distance - at));
            return;
        }
    }
    carillon_queue_insert_behind(queue, &queue->head, first, distance);
}
#endif

/* Take out the first event, which is due, and insert it `distance`, more than 0, from the reference, that is, from its
 * own time.  The list's walk begins at the event that was moved last, unless that is further away.  So what it takes to
 * move events that are due together and have one period is linear in their number.  When the reference may move again,
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
#if !CARILLON_QUEUE_KEEPS_LAST
static inline void carillon_queue_move_inlined(struct carillon_queue *queue, struct carillon_event *first,
                                               carillon_time distance)
{
    carillon_queue_move(queue, first, distance);
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

#ifdef __cplusplus
}
#endif

#endif
