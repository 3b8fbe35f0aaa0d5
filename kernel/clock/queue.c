/* SPDX-License-Identifier: Apache-2.0
 *
 * The relative event queue, as a list or as a balanced tree; queue.h says what both promise. */
#include "kernel/clock/queue.h"

#include "kernel/contract/mode.h"

#if CARILLON_QUEUE_COUNTERS
/* kernel/conventional/counters.c */
#elif CARILLON_QUEUE_TREE

/* An AVL tree: the heights of two siblings differ by at most one, so that n events are at most 1.44 * log2(n + 2)
 * deep, which bounds every loop below.  The head stands above the root and has it as its child[0].
 *
 * The events' times are modulo the range, whose 0 means nothing: all are at most CARILLON_LAP behind the reference,
 * so the distance from the reference is unique.  The reference is the first event's time less `head.time`. */

static carillon_time reference_of(const struct carillon_queue *queue)
{
    return (queue->first == NULL) ? 0u : (carillon_time)(queue->first->time - queue->head.time);
}

/* Which child of its parent an event is. */
static uint8_t side_of(const struct carillon_event *event)
{
    uint8_t side;
    if (event->parent->child[1] == event) {
        side = 1u;
    } else {
        side = 0u;
    }
    return side;
}

/* Put `child`, which may be NULL, at a place of `parent`. */
static void hang(struct carillon_event *parent, uint8_t side, struct carillon_event *child)
{
    parent->child[side] = child;
    if (child != NULL) {
        child->parent = parent;
    }
}

/* Lift the child of `top` on `side` above it. */
static struct carillon_event *rotate(struct carillon_event *top, uint8_t side)
{
    struct carillon_event *const up = top->child[side];
    const uint8_t other = (uint8_t)(1u - side);
    hang(top->parent, side_of(top), up);
    hang(top, side, up->child[other]);
    hang(up, other, top);
    return up;
}

/* The subtree of `top` is two higher on `side`: balance it.  Returns what stands above it then. */
static struct carillon_event *balance(struct carillon_event *top, uint8_t side)
{
    const int8_t heavy = (side == 1u) ? 1 : -1;
    struct carillon_event *const child = top->child[side];
    if (child->balance == -heavy) { /* its inner child goes to the top */
        struct carillon_event *const inner = rotate(child, (uint8_t)(1u - side));
        (void)rotate(top, side);
        top->balance = (inner->balance == heavy) ? (int8_t)-heavy : 0;
        child->balance = (inner->balance == -heavy) ? heavy : 0;
        inner->balance = 0;
        return inner;
    }
    (void)rotate(top, side);
    top->balance = (child->balance == 0) ? heavy : 0; /* 0 occurs after a removal only */
    child->balance = (child->balance == 0) ? (int8_t)-heavy : 0;
    return child;
}

/* The subtree of an event has become one higher: balance what stands above it, until that has not grown. */
static void has_grown(const struct carillon_queue *queue, struct carillon_event *event)
{
    for (struct carillon_event *grown = event; grown->parent != &queue->head; grown = grown->parent) {
        struct carillon_event *const above = grown->parent;
        const uint8_t side = side_of(grown);
        const int8_t heavy = (side == 1u) ? 1 : -1;
        if (above->balance == heavy) {
            (void)balance(above, side);
            return;
        }
        above->balance = (int8_t)(above->balance + heavy);
        if (above->balance == 0) {
            return;
        }
    }
}

/* What hangs at a side of `place` has become one lower: balance upwards, until a subtree has not. */
static void is_lower(const struct carillon_queue *queue, struct carillon_event *place, uint8_t place_side)
{
    struct carillon_event *above = place;
    uint8_t side = place_side;
    while (above != &queue->head) {
        const int8_t heavy = (side == 1u) ? -1 : 1;
        if (above->balance == 0) {
            above->balance = heavy;
            return;
        }
        if (above->balance == heavy) {
            above = balance(above, (uint8_t)(1u - side));
            if (above->balance != 0) {
                return;
            }
        } else {
            above->balance = 0;
        }
        side = side_of(above);
        above = above->parent;
    }
}

void carillon_queue_init(struct carillon_queue *queue)
{
    queue->head = (struct carillon_event){.time = CARILLON_NEVER};
    queue->first = NULL;
}

void carillon_queue_insert(struct carillon_queue *queue, struct carillon_event *event, carillon_time distance)
{
    const carillon_time reference = reference_of(queue);
    struct carillon_event *parent = &queue->head;
    struct carillon_event *child = parent->child[0];
    uint8_t side = 0u;
    bool first = true;
    while (child != NULL) {
        parent = child;
        if ((carillon_time)(child->time - reference) <= distance) {
            side = 1u;
        } else {
            side = 0u;
        }
        first = first && (side == 0u);
        child = child->child[side];
    }
    const carillon_time slack = carillon_event_slack(event);
    *event = (struct carillon_event){.parent = parent, .time = (carillon_time)(reference + distance)};
    carillon_event_set_slack(event, slack);
    parent->child[side] = event;
    if (first) {
        queue->first = event;
        queue->head.time = distance;
    }
    has_grown(queue, event);
}

/* The event after the first one, which has no child[0].  So its child[1] has no children: the tree is balanced. */
static struct carillon_event *second(const struct carillon_queue *queue)
{
    struct carillon_event *const event = queue->first->child[1];
    if (event == NULL) {
        struct carillon_event *const above = queue->first->parent;
        return (above == &queue->head) ? NULL : above;
    }
    return event;
}

void carillon_queue_remove(struct carillon_queue *queue, struct carillon_event *event)
{
    if (queue->first == event) {
        struct carillon_event *const next = second(queue);
        queue->head.time =
            (next == NULL) ? CARILLON_NEVER : (carillon_time)(queue->head.time + (next->time - event->time));
        queue->first = next;
    }
    struct carillon_event *above = event->parent; /* of the place that has become lower */
    uint8_t side = side_of(event);
    if ((event->child[0] == NULL) || (event->child[1] == NULL)) {
        hang(above, side, event->child[(event->child[0] == NULL) ? 1u : 0u]);
    } else { /* the event after it takes its place */
        struct carillon_event *heir = event->child[1];
        while (heir->child[0] != NULL) {
            heir = heir->child[0];
        }
        struct carillon_event *const left_by = heir->parent;
        if (left_by != event) {
            hang(left_by, 0u, heir->child[1]);
            hang(heir, 1u, event->child[1]);
        }
        hang(heir, 0u, event->child[0]);
        hang(above, side, heir);
        heir->balance = event->balance;
        above = (left_by == event) ? heir : left_by;
        side = (left_by == event) ? 1u : 0u;
    }
    event->parent = NULL;
    is_lower(queue, above, side);
}

void carillon_queue_move(struct carillon_queue *queue, struct carillon_event *first, carillon_time distance)
{
    const struct carillon_event *const next = second(queue);
    if ((next == NULL) || ((carillon_time)(next->time - first->time) > distance)) {
        first->time = (carillon_time)(first->time + distance);
        queue->head.time = distance;
    } else {
        carillon_queue_remove(queue, first);
        carillon_queue_insert(queue, first, distance);
    }
}

carillon_time carillon_queue_distance(const struct carillon_queue *queue, const struct carillon_event *event)
{
    return (carillon_time)(event->time - reference_of(queue));
}

/* The event after one that is in the queue; NULL: it is the last. */
static inline struct carillon_event *next_of(const struct carillon_queue *queue, const struct carillon_event *event)
{
    const struct carillon_event *below = event;
    struct carillon_event *next = event->child[1];
    if (next != NULL) {
        while (next->child[0] != NULL) {
            next = next->child[0];
        }
        return next;
    }
    next = event->parent;
    while ((next != &queue->head) && (next->child[1] == below)) {
        below = next;
        next = next->parent;
    }
    return (next == &queue->head) ? NULL : next;
}

/* From an event to the one after it. */
static inline carillon_time gap_between(const struct carillon_event *event, const struct carillon_event *next)
{
    return (carillon_time)(next->time - event->time);
}

#else

void carillon_queue_init(struct carillon_queue *queue)
{
    queue->head = (struct carillon_event){.next = &queue->head, .previous = &queue->head, .time = CARILLON_NEVER};
}

void carillon_queue_insert(struct carillon_queue *queue, struct carillon_event *event, carillon_time distance)
{
    struct carillon_event *const head = &queue->head;
    if ((CARILLON_NARROW != 0) && (head->next == head)) { /* few bytes matter more than a few cycles */
        head->time = CARILLON_NEVER;                      /* it has counted down */
    }
    if ((CARILLON_NARROW == 0) && (head->next == head)) {
        event->time = CARILLON_NEVER;
        event->next = head;
        event->previous = head;
        head->time = distance;
        head->next = event;
        head->previous = event;
    } else {
        carillon_queue_insert_behind(queue, head, event, distance);
    }
}

#if CARILLON_QUEUE_KEEPS_LAST
struct carillon_queue_moved carillon_queue_moved;

void carillon_queue_move(struct carillon_queue *queue, struct carillon_event *first, carillon_time distance)
{
    carillon_queue_move_inlined(queue, first, distance);
}
#endif

void carillon_queue_remove(struct carillon_queue *queue, struct carillon_event *event)
{
    struct carillon_event *const before = event->previous;
    struct carillon_event *const after = event->next;
    before->time = (after == &queue->head) ? CARILLON_NEVER : (carillon_time)(before->time + event->time);
    before->next = after;
    after->previous = before;
    event->next = NULL;
    if (CARILLON_QUEUE_KEEPS_LAST && (carillon_queue_moved.event == event)) {
        carillon_queue_served();
    }
}

carillon_time carillon_queue_distance(const struct carillon_queue *queue, const struct carillon_event *event)
{
    carillon_time distance = queue->head.time;
    for (const struct carillon_event *before = event->previous; before != &queue->head; before = before->previous) {
        distance = (carillon_time)(distance + before->time);
    }
    return distance;
}

static inline struct carillon_event *next_of(const struct carillon_queue *queue, const struct carillon_event *event)
{
    return (event->next == &queue->head) ? NULL : event->next;
}

static inline carillon_time gap_between(const struct carillon_event *event, const struct carillon_event *next)
{
    (void)next;
    return event->time;
}

#endif

#if CARILLON_CLOCK_SLACK > 0
/* When an event has to be served that is `distance` away.  An earlier deadline than that does no harm. */
static inline carillon_time deadline_of(const struct carillon_event *event, carillon_time distance)
{
    return (event->slack < (carillon_time)(CARILLON_LONGEST - distance)) ? (carillon_time)(distance + event->slack)
                                                                         : (carillon_time)CARILLON_LONGEST;
}

/* An event that is not before the deadline of another one has a later deadline itself. */
carillon_time carillon_queue_deadline(const struct carillon_queue *queue)
{
    const struct carillon_event *event = carillon_queue_first(queue);
    carillon_time distance = queue->head.time;
    carillon_time deadline = deadline_of(event, distance);
    const struct carillon_event *next = (deadline != distance) ? next_of(queue, event) : NULL;
    while (next != NULL) { /* bounded by the events in the first one's slack */
        const carillon_time gap = gap_between(event, next);
        if (gap >= (carillon_time)(deadline - distance)) {
            break;
        }
        distance = (carillon_time)(distance + gap);
        event = next;
        const carillon_time own = deadline_of(event, distance);
        deadline = (own < deadline) ? own : deadline;
        next = next_of(queue, event);
    }
    return deadline;
}
#endif

#if CARILLON_TIME_BITS < CARILLON_DISTANCE_BITS

void carillon_queue_insert_far(struct carillon_queue *queue, struct carillon_far_event *far, carillon_distance distance)
{
    /* Division by the lap, 2^n - 2: high * 2^n + low is high laps and 2 * high + low.  Each turn takes n - 1 bits. */
    carillon_distance rest = distance;
    uint32_t laps = 0u;
    while (rest > CARILLON_NEVER) {
        const carillon_distance high = rest >> CARILLON_TIME_BITS;
        laps += (uint32_t)high;
        rest = (rest & CARILLON_NEVER) + (2u * high);
    }
    if (rest >= CARILLON_LAP) {
        rest -= CARILLON_LAP;
        laps++;
    }
    if ((rest == 0u) && (laps != 0u) && ((carillon_queue_left(queue) != 0u) || carillon_queue_is_empty(queue))) {
        rest = CARILLON_LAP; /* nobody waits at the reference, behind whom it had to come there */
        laps--;
    }
    far->laps = laps;
    carillon_queue_insert(queue, &far->event, (carillon_time)rest);
}

bool carillon_queue_next_lap(struct carillon_queue *queue, struct carillon_far_event *far)
{
    if (far->laps == 0u) {
        return false;
    }
    far->laps--;
    carillon_queue_repeat(queue, CARILLON_LAP);
    return true;
}

#if !CARILLON_QUEUE_COUNTERS
uint32_t carillon_queue_laps(const struct carillon_queue *queue, carillon_time *rest)
{
    struct carillon_event *event = carillon_queue_first(queue);
    carillon_time distance = carillon_queue_left(queue);
    uint32_t least = ((struct carillon_far_event *)(void *)event)->laps;
    *rest = distance;
    struct carillon_event *next = next_of(queue, event);
    while ((least != 0u) && (next != NULL)) { /* bounded by the number of events */
        distance = (carillon_time)(distance + gap_between(event, next));
        event = next;
        next = next_of(queue, event);
        const uint32_t laps = ((struct carillon_far_event *)(void *)event)->laps;
        if (laps < least) {
            least = laps;
            *rest = distance;
        }
    }
    return least;
}

void carillon_queue_skip_laps(const struct carillon_queue *queue, uint32_t laps)
{
    struct carillon_event *event = carillon_queue_first(queue);
    while (event != NULL) {
        ((struct carillon_far_event *)(void *)event)->laps -= laps;
        event = next_of(queue, event);
    }
}
#endif

carillon_distance carillon_queue_distance_far(const struct carillon_queue *queue, const struct carillon_far_event *far)
{
    return ((carillon_distance)far->laps * CARILLON_LAP) + carillon_queue_distance(queue, &far->event);
}

#endif

carillon_distance carillon_period_next(struct carillon_period *period)
{
    const uint32_t to_next_tick = period->denominator - period->remainder;
    if (period->numerator >= to_next_tick) {
        period->remainder = period->numerator - to_next_tick;
        return period->whole + 1u;
    }
    period->remainder += period->numerator;
    return period->whole;
}
