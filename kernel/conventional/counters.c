/* SPDX-License-Identifier: Apache-2.0
 *
 * A counter for each event (counters.h). */
#include "kernel/clock/queue.h"

#if CARILLON_QUEUE_COUNTERS

void carillon_queue_init(struct carillon_queue *queue)
{
    queue->head = (struct carillon_event){.next = &queue->head, .previous = &queue->head, .time = CARILLON_NEVER};
}

static void put_before(struct carillon_event *place, struct carillon_event *event)
{
    event->next = place;
    event->previous = place->previous;
    place->previous->next = event;
    place->previous = event;
}

static void take_out(struct carillon_event *event)
{
    event->previous->next = event->next;
    event->next->previous = event->previous;
}

void carillon_queue_insert(struct carillon_queue *queue, struct carillon_event *event, carillon_time distance)
{
    struct carillon_event *place = &queue->head;
    if (distance == 0u) {
        do { /* bounded by the events that are due: the head's own time is not 0 */
            place = place->next;
        } while (place->time == 0u);
    }
    event->time = distance;
    put_before(place, event);
}

void carillon_queue_remove(struct carillon_queue *queue, struct carillon_event *event)
{
    (void)queue;
    take_out(event);
    event->next = NULL;
}

carillon_time carillon_queue_distance(const struct carillon_queue *queue, const struct carillon_event *event)
{
    (void)queue;
    return event->time;
}

/* Nothing is due before. */
bool carillon_queue_tick(struct carillon_queue *queue)
{
    struct carillon_event *waiting = queue->head.next; /* the first that is not due */
    struct carillon_event *event = waiting;
    while (event != &queue->head) { /* bounded by the number of events */
        struct carillon_event *const next = event->next;
        event->time--;
        if (event->time == 0u) {
            if (event == waiting) {
                waiting = next;
            } else {
                take_out(event);
                put_before(waiting, event);
            }
        }
        event = next;
    }
    return waiting != queue->head.next;
}

#endif
