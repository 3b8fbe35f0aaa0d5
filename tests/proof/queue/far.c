/* SPDX-License-Identifier: Apache-2.0
 *
 * Far events: laps and a rest are the distance, whatever it is, and each lap takes a lap from it. */
#include "proof.h"

#include "kernel/clock/queue.c"

static struct carillon_queue queue = CARILLON_QUEUE_EMPTY(queue);
static struct carillon_far_event far;
static struct carillon_event other;

/* The queue may be empty, and have counted down to anything, or have an event that is due or not. */
static bool an_event(void)
{
    queue.head.time = (carillon_time)nondet_uint();
    const bool one = any_bool();
    if (one) {
        queue.head.next = &other;
        queue.head.previous = &other;
        other.next = &queue.head;
        other.previous = &queue.head;
        other.time = CARILLON_NEVER;
        assume(queue.head.time <= CARILLON_LAP);
    }
    return one;
}

static void insert(void)
{
    const bool one = an_event();
    const carillon_time at = queue.head.time;
    const carillon_distance distance = nondet_uint();
    carillon_queue_insert_far(&queue, &far, distance);
    const carillon_time rest = carillon_queue_distance(&queue, &far.event);
    assert((uint64_t)far.laps * CARILLON_LAP + rest == distance);
    assert(carillon_queue_distance_far(&queue, &far) == distance);
    /* At the reference it is behind who waits there, or waits for nothing more. */
    assert((rest != 0u) || (far.laps == 0u) || (one && (at == 0u)));
    if (one) {
        assert(carillon_queue_distance(&queue, &other) == at);
    }
}

/* It is due, and has laps to go. */
static void lap(void)
{
    queue.head.time = 0u;
    queue.head.next = &far.event;
    queue.head.previous = &far.event;
    far.event.next = &queue.head;
    far.event.previous = &queue.head;
    far.event.time = CARILLON_NEVER;
    const uint32_t laps = nondet_uint();
    far.laps = laps;
    const bool goes_on = carillon_queue_next_lap(&queue, &far);
    assert(goes_on == (laps != 0u));
    if (goes_on) {
        assert((far.laps == laps - 1u) && (carillon_queue_distance(&queue, &far.event) == CARILLON_LAP));
    } else {
        assert((far.laps == 0u) && (carillon_queue_due(&queue) == &far.event));
    }
}

/* All of a queue are far.  So many laps pass before the first of them has none to go. */
static struct carillon_far_event second;
static void skip(void)
{
    const carillon_time gap = (carillon_time)nondet_uint();
    queue.head.time = (carillon_time)nondet_uint();
    assume((uint64_t)queue.head.time + gap <= CARILLON_LAP);
    const carillon_time first_at = queue.head.time;
    const carillon_time second_at = (carillon_time)(first_at + gap);
    queue.head.next = &far.event;
    far.event.previous = &queue.head;
    far.event.next = &second.event;
    far.event.time = gap;
    second.event.previous = &far.event;
    second.event.next = &queue.head;
    second.event.time = CARILLON_NEVER;
    queue.head.previous = &second.event;
    const uint32_t one = any(0u, 0xFFFFu);
    const uint32_t two = any(0u, 0xFFFFu);
    far.laps = one;
    second.laps = two;
    carillon_time rest;
    const uint32_t laps = carillon_queue_laps(&queue, &rest);
    const uint64_t first_left = ((uint64_t)one * CARILLON_LAP) + first_at;
    const uint64_t second_left = ((uint64_t)two * CARILLON_LAP) + second_at;
    const uint64_t least = (first_left <= second_left) ? first_left : second_left;
    assert(((uint64_t)laps * CARILLON_LAP) + rest == least);
    carillon_queue_skip_laps(&queue, laps);
    assert((far.laps == one - laps) && (second.laps == two - laps));
}

int main(void)
{
    STEP();
    THE_END;
}
