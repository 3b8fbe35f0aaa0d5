/* SPDX-License-Identifier: Apache-2.0
 *
 * One step of the balanced tree, from a tree of any times whose shape is SHAPE.
 *
 * The links are constants, and the times are any.  Where the event goes is a case of its own (PLACE: so many events come
 * before it).  So each comparison of times can have one outcome only.  The checker asks its solver for that while it
 * follows the step (--smt-symex-guard), and goes one way only.  What it has proved it assumes at once
 * (--smt-symex-assert), which is a help for what follows.
 *
 * SHAPE has a digit for each event, behind a first one that is 1: in the order of a walk from the root that takes each
 * event before what is below it, how many events of its subtree come before it.  So 1100 is the tree of three. */
#include "proof.h"

#include "kernel/clock/queue.c"

#define COUNT                   \
    ((SHAPE >= 10000000u)  ? 7u \
     : (SHAPE >= 1000000u) ? 6u \
     : (SHAPE >= 100000u)  ? 5u \
     : (SHAPE >= 10000u)   ? 4u \
     : (SHAPE >= 1000u)    ? 3u \
     : (SHAPE >= 100u)     ? 2u \
     : (SHAPE >= 10u)      ? 1u \
                           : 0u)
#define LEVELS 4u /* of a tree with an event more */

static struct carillon_queue queue;
static struct carillon_event e0, e1, e2, e3, e4, e5, e6, e7;
static struct carillon_event *const events[] = {&e0, &e1, &e2, &e3, &e4, &e5, &e6, &e7};
static carillon_time distances[8]; /* each event's, from the reference */
#define EVENT(k) (events[k])
#define DISTANCE(k) (distances[k])
#define NEW COUNT /* the number of an event that is in no queue */

static uint32_t digit; /* so many events of the walk have their place */

/* The next event of the walk is the root of the tree of the events from `from` on, before `to`.  Returns its height. */
static uint32_t grow_tree(struct carillon_event *parent, uint8_t side, unsigned from, unsigned to)
{
    if (from == to) {
        parent->child[side] = NULL;
        return 0u;
    }
    uint32_t left = SHAPE;
    for (unsigned k = digit + 1u; k < COUNT; k++) {
        left /= 10u;
    }
    digit++;
    const unsigned root = from + (left % 10u);
    struct carillon_event *const event = EVENT(root);
    event->parent = parent;
    parent->child[side] = event;
    const uint32_t before = grow_tree(event, 0u, from, root);
    const uint32_t after = grow_tree(event, 1u, root + 1u, to);
    event->balance = (int8_t)((int32_t)after - (int32_t)before);
    assert((event->balance >= -1) && (event->balance <= 1)); /* else SHAPE is no balanced tree */
    return 1u + ((before > after) ? before : after);
}

/* Any tree.  With `first_is_due`, its first event is at the reference. */
static void any_tree(bool first_is_due)
{
    digit = 0u;
    (void)grow_tree(&queue.head, 0u, 0u, COUNT);
    queue.head.time = first_is_due ? 0u : (carillon_time)nondet_uint();
    queue.first = (COUNT == 0u) ? NULL : EVENT(0u);
    for (unsigned k = 0u; k < COUNT; k++) {
        EVENT(k)->time = (carillon_time)nondet_uint();
        DISTANCE(k) = carillon_queue_distance(&queue, EVENT(k));
        assume(DISTANCE(k) <= CARILLON_LAP);
        if (k > 0u) {
            assume(DISTANCE(k - 1u) <= DISTANCE(k));
        }
    }
    EVENT(NEW)->parent = NULL;
}

/* Any distance of which `count` events are no farther away. */
static carillon_time any_behind(unsigned count)
{
    const carillon_time distance = (carillon_time)nondet_uint();
    assume(distance <= CARILLON_LAP);
    if (count > 0u) {
        assume(DISTANCE(count - 1u) <= distance);
    }
    if (count < COUNT) {
        assume(distance < DISTANCE(count));
    }
    return distance;
}

/* The order in which the events are to stand: that of their numbers, without those before `from` and without `gone`, and
 * with `moved` behind event `behind` - 1. */
#define NONE 99u
static unsigned from, gone, moved, behind;
static unsigned place; /* so many have been found */

static unsigned number_at(unsigned at)
{
    const unsigned number = from + at;
    if (number >= gone) {
        return number + 1u;
    }
    return (number < behind) ? number : (number == behind) ? moved : (number - 1u);
}

/* The tree below an event, which stands below `parent`, is in order and balanced.  Returns its height. */
static uint32_t is_tree(const struct carillon_event *event, const struct carillon_event *parent, uint32_t levels)
{
    if ((event == NULL) || (levels == 0u)) {
        assert(event == NULL);
        return 0u;
    }
    assert(event->parent == parent);
    const uint32_t before = is_tree(event->child[0], event, levels - 1u);
    const unsigned number = number_at(place);
    assert(event == EVENT(number));
    assert(carillon_queue_distance(&queue, event) == DISTANCE(number));
    place++;
    const uint32_t after = is_tree(event->child[1], event, levels - 1u);
    assert(event->balance == (int32_t)after - (int32_t)before);
    assert((event->balance >= -1) && (event->balance <= 1));
    return 1u + ((before > after) ? before : after);
}

/* The queue has so many events, in their order. */
static void is_queue(unsigned count)
{
    place = 0u;
    (void)is_tree(queue.head.child[0], &queue.head, LEVELS);
    assert(place == count);
    assert(queue.first == ((count == 0u) ? NULL : EVENT(number_at(0u))));
    assert(queue.head.time == ((count == 0u) ? (carillon_time)CARILLON_NEVER : DISTANCE(number_at(0u))));
}

static void insert(void)
{
    any_tree(false);
    DISTANCE(NEW) = any_behind(PLACE);
    carillon_queue_insert(&queue, EVENT(NEW), DISTANCE(NEW));
    from = 0u;
    gone = NONE;
    moved = NEW;
    behind = PLACE;
    is_queue(COUNT + 1u);
}

/* Event PLACE is removed. */
static void remove_one(void)
{
    any_tree(false);
    carillon_queue_remove(&queue, EVENT(PLACE));
    assert(!carillon_event_is_queued(EVENT(PLACE)));
    from = 0u;
    gone = PLACE;
    behind = NONE;
    is_queue(COUNT - 1u);
}

/* The first event, which is due, is put in again: PLACE is 1 at least. */
static void move(void)
{
    any_tree(true);
    const carillon_time distance = any_behind(PLACE);
    assume(distance > 0u);
    carillon_queue_move(&queue, EVENT(0u), distance);
    DISTANCE(0u) = distance;
    from = 1u;
    gone = NONE;
    moved = 0u;
    behind = PLACE;
    is_queue(COUNT);
}

int main(void)
{
    STEP();
    THE_END;
}
