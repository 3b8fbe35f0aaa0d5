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
 * With CARILLON_QUEUE_COUNTERS there is no queue: kernel/conventional/counters.h does the same with a counter for each
 * event, for comparison.
 *
 * Every function is called locked, and none calls back. */
#ifndef CARILLON_QUEUE_H
#define CARILLON_QUEUE_H

#include "carillon_config.h"

#if CARILLON_QUEUE_COUNTERS
#include "kernel/conventional/counters.h"
#else
#include "kernel/clock/queue_steps.h"
#endif

#ifdef __cplusplus
extern "C" {
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

/* Of a queue whose events are all far ones, and which is not empty: the laps that pass before an event's time comes, if
 * `rest` has passed before them.  0 laps: the first event that has none to go is `rest` away.  These walk. */
uint32_t carillon_queue_laps(const struct carillon_queue *queue, carillon_time *rest);

/* Move the reference by whole laps, as many as carillon_queue_laps says or fewer: what would have happened meanwhile.
 *
 * Every event has so many laps to go.  In each lap every event would be due once, and would be repeated for a lap. They
 * would do so in the order of the queue.  So all distances, and the order of the queue, are the same after a lap. */
void carillon_queue_skip_laps(const struct carillon_queue *queue, uint32_t laps);

/* With CARILLON_CLOCK_SLACK, from the reference to the earliest deadline of an event in a queue that is not empty: its
 * time and its slack.  It walks past the events whose time comes before that. */
carillon_time carillon_queue_deadline(const struct carillon_queue *queue);

/* From the reference to a far event that is in the queue. */
carillon_distance carillon_queue_distance_far(const struct carillon_queue *queue, const struct carillon_far_event *far);

/* The ticks of a period's next interval. */
carillon_distance carillon_period_next(struct carillon_period *period);

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
