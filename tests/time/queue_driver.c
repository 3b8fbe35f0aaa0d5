/* SPDX-License-Identifier: Apache-2.0
 *
 * The event queue with a fixed set of events, for tests in Python. */
#include "kernel/clock/queue.h"

#define ITEMS 16384

struct item {
    struct carillon_far_event far; /* a plain event uses its first member alone */
    bool is_far;
};
static struct item items[ITEMS];
static struct carillon_queue queue;
static struct carillon_period period;

static int number(const struct carillon_event *event)
{
    return (int)((const struct item *)(const void *)event - items);
}

void queue_reset(void)
{
    for (int i = 0; i < ITEMS; i++) {
        items[i] = (struct item){0};
    }
    carillon_queue_init(&queue);
    carillon_queue_served();
}

void queue_insert(int item, uint64_t distance)
{
    items[item].is_far = false;
    items[item].far.laps = 0u;
    carillon_queue_insert(&queue, &items[item].far.event, (carillon_time)distance);
}

#if CARILLON_TIME_BITS < CARILLON_DISTANCE_BITS
void queue_insert_far(int item, uint64_t distance)
{
    items[item].is_far = true;
    carillon_queue_insert_far(&queue, &items[item].far, (carillon_distance)distance);
}
#endif

void queue_remove(int item)
{
    carillon_queue_remove(&queue, &items[item].far.event);
}

void queue_advance(uint64_t elapsed)
{
    carillon_queue_advance(&queue, (carillon_time)elapsed);
}

int queue_tick(void)
{
    return carillon_queue_tick(&queue);
}

/* What is due, -1: nothing, -2: a far event has gone its next lap. */
int queue_due(void)
{
    struct carillon_event *const event = carillon_queue_due(&queue);
    if (event == NULL) {
        return -1;
    }
    const int item = number(event);
#if CARILLON_TIME_BITS < CARILLON_DISTANCE_BITS
    return (items[item].is_far && carillon_queue_next_lap(&queue, &items[item].far)) ? -2 : item;
#else
    return item;
#endif
}

void queue_pop(void)
{
    carillon_queue_pop(&queue);
}

void queue_repeat(uint64_t distance)
{
    carillon_queue_repeat(&queue, (carillon_time)distance);
}

#if CARILLON_TIME_BITS < CARILLON_DISTANCE_BITS
void queue_repeat_far(uint64_t distance)
{
    struct item *const item = &items[number(carillon_queue_first(&queue))];
    item->is_far = true;
    carillon_queue_repeat_far(&queue, &item->far, (carillon_distance)distance);
}
#endif

/* With carillon_queue_move, as the time services do it. */
void queue_move(uint64_t distance)
{
    struct carillon_event *const first = carillon_queue_first(&queue);
    if (!carillon_queue_stays(&queue, first, (carillon_time)distance)) {
        carillon_queue_move(&queue, first, (carillon_time)distance);
    }
}

void queue_served(void)
{
    carillon_queue_served();
}

uint64_t queue_distance(int item)
{
#if CARILLON_TIME_BITS < CARILLON_DISTANCE_BITS
    if (items[item].is_far) {
        return carillon_queue_distance_far(&queue, &items[item].far);
    }
#endif
    return carillon_queue_distance(&queue, &items[item].far.event);
}

uint64_t queue_left(void)
{
    return carillon_queue_left(&queue);
}

int queue_is_queued(int item)
{
    return carillon_event_is_queued(&items[item].far.event);
}

void queue_period(uint64_t whole, uint32_t numerator, uint32_t denominator)
{
    period = (struct carillon_period){(carillon_distance)whole, numerator, denominator, 0};
}

uint64_t queue_period_next(void)
{
    return carillon_period_next(&period);
}

#if CARILLON_QUEUE_TREE
static int height(const struct carillon_event *event, const struct carillon_event *parent)
{
    if (event == NULL) {
        return 0;
    }
    const int low = height(event->child[0], event);
    const int high = height(event->child[1], event);
    if ((low < 0) || (high < 0) || (event->parent != parent) || (event->balance != (high - low)) ||
        (event->balance < -1) || (event->balance > 1)) {
        return -1;
    }
    return 1 + ((low > high) ? low : high);
}

/* The queue's depth; -1: its structure is broken. */
int queue_depth(void)
{
    const struct carillon_event *first = queue.head.child[0];
    while ((first != NULL) && (first->child[0] != NULL)) {
        first = first->child[0];
    }
    return (first == queue.first) ? height(queue.head.child[0], &queue.head) : -1;
}
#else
int queue_depth(void)
{
    int count = 0;
    const struct carillon_event *event = &queue.head;
    do {
        if (event->next->previous != event) {
            return -1;
        }
        event = event->next;
        count++;
    } while (event != &queue.head);
    const bool ends = CARILLON_QUEUE_COUNTERS || (count == 1) || (queue.head.previous->time == CARILLON_NEVER);
    return ends ? (count - 1) : -1;
}
#endif
