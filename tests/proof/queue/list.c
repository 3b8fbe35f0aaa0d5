/* SPDX-License-Identifier: Apache-2.0
 *
 * One step of the list, from any list of COUNT events with any gaps.
 *
 * The links are constants, and the gaps are any.  Where the event goes is a case of its own (PLACE: so many events come
 * before it).  So no solver has to compare sums.  The events are objects of their own, as an array that is indexed by
 * a pointer takes a solver much longer. */
#include "proof.h"

#include "kernel/clock/queue.c"

#ifndef PLACE
#define PLACE 0
#endif
#ifndef LAST
#define LAST 0
#endif

static struct carillon_queue queue;
static struct carillon_event e0, e1, e2, e3, e4, e5;
static carillon_time g0, g1, g2, g3, g4, g5; /* each event's distance from the one before */
static carillon_time rest;                   /* how far behind event PLACE - 1 the place lies */

#define OF(of, k) \
    (*((k) == 0 ? &of##0 : (k) == 1 ? &of##1 : (k) == 2 ? &of##2 : (k) == 3 ? &of##3 : (k) == 4 ? &of##4 : &of##5))
#define EVENT(k) (&OF(e, k))
#define GAP(k) OF(g, k)
#define NEW EVENT(COUNT) /* one that is in no queue */

/* From the reference to the event before place `k`. */
static carillon_time before(unsigned k)
{
    carillon_time time = 0u;
    for (unsigned i = 0u; i < k; i++) {
        time = (carillon_time)(time + GAP(i));
    }
    return time;
}

/* Any queue.  With `first_is_due`, its first event is at the reference. */
static void any_queue(bool first_is_due)
{
    uint64_t sum = 0u;
    for (unsigned k = 0u; k < COUNT; k++) {
        GAP(k) = (carillon_time)nondet_uint();
        assume(GAP(k) <= CARILLON_LAP);
        if (k < PLACE) {
            sum += GAP(k);
        }
    }
    if (first_is_due) {
        assume(GAP(0) == 0u);
    }
    queue.head.previous = (COUNT == 0u) ? &queue.head : EVENT(COUNT - 1u);
    queue.head.next = (COUNT == 0u) ? &queue.head : EVENT(0);
    queue.head.time = (COUNT == 0u) ? (carillon_time)nondet_uint() : GAP(0);
    for (unsigned k = 0u; k < COUNT; k++) {
        EVENT(k)->previous = (k == 0u) ? &queue.head : EVENT(k - 1u);
        EVENT(k)->next = (k + 1u == COUNT) ? &queue.head : EVENT(k + 1u);
        EVENT(k)->time = (k + 1u == COUNT) ? (carillon_time)CARILLON_NEVER : GAP(k + 1u);
    }
    rest = (carillon_time)nondet_uint();
    if (PLACE < COUNT) {
        assume(rest < GAP(PLACE));
    }
    assume(sum + rest <= CARILLON_LAP);
}

static carillon_time distance(void)
{
    return (carillon_time)(before(PLACE) + rest);
}

/* The queue is: the events from `from` to PLACE, then `put`, then the others, all where they were. */
static void is_put(unsigned from, const struct carillon_event *put)
{
    const struct carillon_event *at = &queue.head;
    for (unsigned k = from; k <= COUNT; k++) {
        if (k == PLACE) {
            assert((at->next == put) && (put->previous == at) && (at->time == rest));
            at = put;
        }
        if (k < COUNT) {
            const carillon_time gap = (k == PLACE) ? (carillon_time)(GAP(k) - rest) : GAP(k);
            assert((at->next == EVENT(k)) && (EVENT(k)->previous == at) && (at->time == gap));
            at = EVENT(k);
        }
    }
    assert((at->next == &queue.head) && (queue.head.previous == at) && (at->time == CARILLON_NEVER));
}

static void insert(void)
{
    any_queue(false);
    carillon_queue_insert(&queue, NEW, distance());
    is_put(0u, NEW);
}

static void insert_first(void)
{
    any_queue(false);
    assert(carillon_queue_insert_first(&queue, NEW, distance()) == (PLACE == 0));
    is_put(0u, NEW);
}

/* Event PLACE is removed. */
static void remove_one(void)
{
    any_queue(false);
    carillon_queue_moved.event = any_bool() ? EVENT(PLACE) : NULL;
    carillon_queue_remove(&queue, EVENT(PLACE));
    assert(!carillon_event_is_queued(EVENT(PLACE)));
    assert(carillon_queue_moved.event == NULL);
    const struct carillon_event *at = &queue.head;
    for (unsigned k = 0u; k < COUNT; k++) {
        if (k != PLACE) {
            const carillon_time gap = (k == PLACE + 1u) ? (carillon_time)(GAP(k) + GAP(PLACE)) : GAP(k);
            assert((at->next == EVENT(k)) && (EVENT(k)->previous == at) && (at->time == gap));
            at = EVENT(k);
        }
    }
    assert((at->next == &queue.head) && (queue.head.previous == at) && (at->time == CARILLON_NEVER));
}

/* The first event, which is due, is taken out. */
static void pop(void)
{
    any_queue(true);
    carillon_queue_pop(&queue);
    assert(!carillon_event_is_queued(EVENT(0)));
    assert(queue.head.next == ((COUNT > 1u) ? EVENT(1) : &queue.head));
    assert(queue.head.time == ((COUNT > 1u) ? GAP(1) : (carillon_time)CARILLON_NEVER));
}

/* The first event, which is due, is put in again: PLACE is 1 at least. */
static void repeat(void)
{
    any_queue(true);
    assume(distance() > 0u);
    carillon_queue_repeat(&queue, distance());
    is_put(1u, EVENT(0));
}

/* The same while what was moved before, event LAST unless that is 0, is kept in mind. */
static void move(void)
{
    any_queue(true);
    assume(distance() > 0u);
    if (LAST > 0) {
        uint64_t sum = 0u;
        for (unsigned k = 0u; k <= LAST; k++) {
            sum += GAP(k);
        }
        assume((sum > 0u) && (sum <= CARILLON_LAP));
        carillon_queue_moved.event = EVENT(LAST);
        carillon_queue_moved.distance = before(LAST + 1u);
    }
    carillon_queue_move(&queue, EVENT(0), distance());
    is_put(1u, EVENT(0));
    assert((carillon_queue_moved.event == EVENT(0)) && (carillon_queue_moved.distance == distance()));
}

/* The reference moves on, at most to the first event. */
static void advance(void)
{
    any_queue(false);
    const carillon_time by = (carillon_time)nondet_uint();
    assume(by <= GAP(0));
    carillon_queue_advance(&queue, by);
    for (unsigned k = 0u; k < COUNT; k++) {
        assert(carillon_queue_distance(&queue, EVENT(k)) == (carillon_time)(before(k + 1u) - by));
    }
    assert((carillon_queue_due(&queue) == EVENT(0)) == (by == GAP(0)));
}

int main(void)
{
    STEP();
    THE_END;
}
