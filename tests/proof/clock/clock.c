/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock with one event, from any state, while its counter moves on at every access.
 *
 * The reference is at most PASSED behind the time.  The event is due at DUE, which is FAR behind the reference at most.
 * Afterwards the event has been served, once and not early, or its interrupt will come: the handler is asked for, or
 * the timer expires no later than the event, or than SOON if that is sooner. */
#include "proof.h"

#include "kernel/clock/clock.c"

#ifndef PASSED
#define PASSED 12u
#endif
#ifndef SOON
#define SOON 24u
#endif
#define FAR CARILLON_CLOCK_FARTHEST

static true_time reference;
static true_time due;
static unsigned served;

static void expired(struct carillon_event *event)
{
    (void)event;
    assert(due <= now); /* never early */
    served++;
    carillon_clock.queue.one = false;
    carillon_clock.queue.left = CARILLON_NEVER;
}

/* Any state of the clock and the timer.  The reference is `behind` the time at most. */
static void any_state(true_time behind)
{
    now = (true_time)any(behind, TURN - 1u);
    reference = (true_time)any(now - behind, now);
    expiry = (true_time)any(now + 1u, now + TURN);
    enabled = any_bool();
    asked = enabled && any_bool();
#if CARILLON_CLOCK == CARILLON_CLOCK_COMPARE
    carillon_clock.reference = (carillon_span)reference;
#else
    zero = (true_time)nondet_uint();
    carillon_clock.armed = (carillon_count)((zero - reference) & CARILLON_CLOCK_MASK);
#endif
    carillon_clock.serving = false;
    carillon_clock.queue.slack = (CARILLON_CLOCK_SLACK > 0) ? (carillon_time)any(0u, CARILLON_CLOCK_SLACK) : 0u;
}

static void an_event(void)
{
    const true_time distance = (true_time)any(0u, FAR);
    due = (true_time)(reference + distance);
    carillon_clock.queue.one = true;
    carillon_clock.queue.left = (carillon_time)distance;
}

/* The event, which is due at `due`, has been served, or comes in time. */
static void is_in_time(void)
{
    const true_time latest = (true_time)(due + carillon_clock.queue.slack);
    assert(served <= 1u);
    if (served == 0u) {
        assert(enabled);
        assert(asked || (expiry <= latest) || (expiry <= (true_time)(now + SOON)));
    }
}

/* The event has become the first: the timer is armed for it. */
static void arm(void)
{
    any_state(PASSED);
    an_event();
    carillon_clock_arm();
    assert(served == 0u); /* by the handler alone */
    is_in_time();
}

/* The handler comes, for whatever reason. */
static void serve(void)
{
    any_state(PASSED);
    an_event();
    enabled = true;
    carillon_clock_serve(expired);
    is_in_time();
    if (served == 0u) {
        assert(due + SOON > now); /* what was due has been served */
    }
}

/* An event is put in, from wherever, into an empty queue, whose distance to nobody has counted down. */
static void put_in(void)
{
    any_state(PASSED);
    carillon_clock.queue.one = false;
    carillon_clock.queue.left = (carillon_time)any(PASSED + 1u, CARILLON_NEVER);
    const carillon_time delay = (carillon_time)any(0u, FAR);
    carillon_clock_insert(&the_event.event, delay);
    due = (true_time)(now + delay); /* as the counter moves meanwhile, it is this at the latest */
    is_in_time();
}

#if CARILLON_CLOCK_KNOWS_TIME
/* The time is told: what it was when the counter was read. */
static void tell(void)
{
    any_state(PASSED);
    an_event();
    const true_time begun = now;
#if CARILLON_CLOCK_KEEPS_TIME && (CARILLON_CLOCK == CARILLON_CLOCK_ONE_SHOT)
    carillon_clock.reference = (carillon_time)reference;
#endif
#if CARILLON_TIME_UPTIME
    const uint64_t turns = (uint64_t)nondet_uint() << 32u;
    carillon_clock.since_start = turns + reference;
    const uint64_t uptime = carillon_clock_uptime();
    assert((uptime - turns >= begun) && (uptime - turns <= now));
#endif
    const true_time before = now;
    const carillon_time told = carillon_clock_now();
    assert((carillon_time)(told - before) <= (carillon_time)(now - before));
    (void)clock_follow(); /* it goes on where it was */
    const true_time again = now;
    assert((carillon_time)(carillon_clock_now() - again) <= (carillon_time)(now - again));
}
#endif

#if CARILLON_CLOCK_MERGES_LAPS
/* Laps that pass, and a rest, are how far the next event is; the timer is armed for it, or as far as the timer reaches. */
static uint32_t laps;
static carillon_time in_lap;
uint32_t carillon_queue_laps(const struct carillon_queue *queue, carillon_time *rest)
{
    (void)queue;
    *rest = in_lap;
    return laps;
}
static void ahead(void)
{
    laps = nondet_uint();
    in_lap = (carillon_time)any(0u, CARILLON_LAP);
    const uint64_t distance = ((uint64_t)laps * CARILLON_LAP) + in_lap;
    assert(carillon_clock_ahead() == ((distance < CARILLON_CLOCK_REACH) ? distance : CARILLON_CLOCK_REACH));
}
#endif

int main(void)
{
    STEP();
    THE_END;
}
