/* SPDX-License-Identifier: Apache-2.0
 *
 * The clock (kernel/clock/clock.h) on a timer that does what timers do wrong (tests/time/mock_timer.h), in programs that
 * are drawn: nothing is early, nothing is lost, nothing is later than what has gone wrong explains.
 * tests/time/test_clock.py has more, and takes longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/clock/clock.h"
#include "mock_timer.h"

/* tests/time/mock_timer.c */
void clock_reset(uint64_t start, uint32_t cost);
void clock_inject(int fault, uint64_t amount);
void clock_handler(void (*function)(int item), uint64_t steps, int nested);
uint64_t clock_insert(int item, uint32_t delay, uint64_t period);
uint64_t clock_insert_far(int item, uint64_t delay, uint64_t period);
uint64_t clock_left(int item);
void clock_remove(int item);
int clock_is_queued(int item);
void clock_run(uint64_t until);
void clock_lock_for(uint64_t steps);
uint64_t clock_time(void);
void clock_start(void);
uint32_t clock_now(void);
uint64_t clock_uptime(void);
uint32_t clock_served(int32_t *item, uint64_t *due, uint64_t *at, uint32_t room);
uint32_t clock_interrupts(void);
uint32_t clock_lost(void);
uint64_t clock_injected(void);
uint64_t clock_reach(void);

#define ITEMS 8
#define PROGRAMS 1500u
#define ROOM 4096u
#define TICKS ((CARILLON_CLOCK == CARILLON_CLOCK_TICK) ? 1 : 0)
#define MINIMUM ((uint64_t)CARILLON_CLOCK_MINIMUM)
#if CARILLON_TIME_FAR == 0
#define LONGEST ((uint64_t)CARILLON_CLOCK_FARTHEST)
#else
#define LONGEST ((uint64_t)CARILLON_NEVER - 2u - (uint64_t)CARILLON_CLOCK_LATEST)
#endif
#define RANGE (UINT64_C(1) << CARILLON_CLOCK_BITS)

static struct {
    bool waits;
    uint64_t due, period, number; /* in the order of insertions */
} wanted[ITEMS];
static uint64_t insertions, last_due, last_number;
static uint64_t served, locked, cost, harm, most;

static uint64_t seed;
static uint64_t draw(uint64_t below)
{
    seed = (seed * UINT64_C(6364136223846793005)) + UINT64_C(1442695040888963407);
    return (below == 0u) ? 0u : ((seed >> 24) % below);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return (a < b) ? a : b;
}

#if CARILLON_CLOCK_KEEPS_TIME
static uint32_t origin;
static void assert_time(void)
{
    const uint32_t now = (uint32_t)(clock_time() / MOCK_STEPS);
    if (cost == 0u) {
        assert_int_equal((carillon_time)(clock_now() - origin), (carillon_time)now);
    }
#if CARILLON_TIME_UPTIME
    if (cost == 0u) {
        assert_int_equal((carillon_time)clock_uptime(), (carillon_time)clock_now());
    }
#endif
}
static void keep_time(void)
{
    clock_start();
    origin = clock_now() - (uint32_t)(clock_time() / MOCK_STEPS);
}
#else
static void assert_time(void)
{
}
static void keep_time(void)
{
}
#endif

/* What has been served is what was wanted, at its tick, or as late as it may be. */
static void collect(void)
{
    static int32_t item[ROOM];
    static uint64_t due[ROOM], at[ROOM];
    const uint32_t count = clock_served(item, due, at, ROOM);
    for (uint32_t i = 0; i < count; i++) {
        const int which = item[i];
        assert_true(wanted[which].waits);
        assert_int_equal(due[i], wanted[which].due);
        assert_true(at[i] >= due[i] * MOCK_STEPS);
        served++;
        /* In the order of their times, and of their insertions. */
        if (!TICKS && (cost == 0u) && (clock_injected() == 0u)) {
            assert_true((due[i] > last_due) || ((due[i] == last_due) && (wanted[which].number > last_number)));
        }
        last_due = due[i];
        last_number = wanted[which].number;
        wanted[which].number = insertions++;
        const uint64_t behind = CARILLON_CLOCK_BEHIND;
        const uint64_t others = (behind != 0u) ? (served * (behind + MINIMUM + 1u) * MOCK_STEPS) : 0u;
        /* What struck while the timer was armed for something due counts up to three times. */
        assert_true((at[i] - (due[i] * MOCK_STEPS)) <=
                    locked + (3u * clock_injected()) + (((2u * MINIMUM) + 2u) * MOCK_STEPS) + (100u * cost) + others);
        wanted[which].due += wanted[which].period;
        wanted[which].waits = wanted[which].period != 0u;
    }
    for (int which = 0; which < ITEMS; which++) {
        assert_int_equal(clock_is_queued(which) != 0, wanted[which].waits);
        const uint64_t now = clock_time() / MOCK_STEPS;
        if (wanted[which].waits && (cost == 0u) && (MINIMUM == 1u) && (locked == 0u) && (clock_injected() == 0u) &&
            !TICKS) { /* a delay of no tick ends with the next one there */
            const uint64_t left = (wanted[which].due > now) ? (wanted[which].due - now) : 0u;
            assert_int_equal(clock_left(which), left);
        }
    }
    assert_time();
}

static struct carillon_clock fresh; /* as it is before anything has happened */
static void begin(uint64_t start)
{
    for (int which = 0; which < ITEMS; which++) {
        wanted[which].waits = false;
    }
    served = locked = last_due = last_number = 0u;
    insertions = 1u;
    carillon_clock = fresh;
    carillon_queue_served();
    clock_reset(start, (uint32_t)cost);
    keep_time();
}

static void insert(int which, uint64_t delay, uint64_t period, bool far)
{
    const uint64_t before = clock_time() / MOCK_STEPS;
#if CARILLON_TIME_FAR
    const uint64_t due =
        far ? clock_insert_far(which, delay, period) : clock_insert(which, (uint32_t)smaller(delay, LONGEST), period);
#else
    (void)far;
    const uint64_t due = clock_insert(which, (uint32_t)smaller(delay, LONGEST), period);
#endif
    assert_in_range(due - (far ? delay : smaller(delay, LONGEST)), before, clock_time() / MOCK_STEPS);
    wanted[which].waits = true;
    wanted[which].due = due;
    wanted[which].period = period;
    wanted[which].number = insertions++;
}

static uint64_t delay(void)
{
    const uint64_t reach = clock_reach();
    switch (draw(5u)) {
    case 0u:
    case 1u:
        return draw(7u);
    case 2u:
        return most;
    case 3u:
        return smaller((smaller(most, reach) + draw(5u)) - smaller(2u, smaller(most, reach)), LONGEST);
    default:
        return draw(most + 1u);
    }
}

static void run(uint64_t ticks)
{
    clock_run(clock_time() + (ticks * MOCK_STEPS));
}

static void step(void)
{
    static const int faults[] = {MOCK_LATE,           MOCK_JUMP_AFTER_READ,  MOCK_JUMP_BEFORE_ARM,
                                 MOCK_JUMP_AFTER_ARM, MOCK_ARM_IN_LAST_TICK, MOCK_ARM_AS_IT_EXPIRES};
    const int which = (int)draw(ITEMS);
    switch (draw(8u)) {
    case 0u:
    case 1u:
    case 2u:
        if (!clock_is_queued(which)) {
            /* Where all of them come so soon that the timer cannot be set, the handler does not end. */
            const uint64_t least = (MINIMUM > 1u) ? (ITEMS * (MINIMUM + 1u)) : 2u;
            const uint64_t shortest = ((most / 10u) > least) ? (most / 10u) : least;
            const uint64_t period = (draw(2u) == 0u) ? smaller(shortest + draw(most + 1u), LONGEST) : 0u;
            insert(which, delay(), period, false);
        }
        break;
    case 3u:
        if (!clock_is_queued(which) && (CARILLON_TIME_FAR != 0)) {
            insert(which, draw((2u * most) + 1u), 0u, true);
        }
        break;
    case 4u:
        if (clock_is_queued(which)) {
            clock_remove(which);
            wanted[which].waits = false;
        }
        break;
    case 5u:
        run((draw(2u) == 0u) ? draw(7u) : draw((3u * most) + 1u));
        break;
    case 6u: {
        const uint64_t steps = TICKS ? 0u : draw(harm + 1u);
        locked += steps;
        clock_lock_for(steps);
        run(1u);
        break;
    }
    default:
        clock_inject(faults[TICKS ? 0u : draw(sizeof faults / sizeof faults[0])], draw(harm + 1u));
        run(1u);
        break;
    }
    collect();
}

static void nothing_is_early_or_lost_or_later_than_what_goes_wrong(void **state)
{
    (void)state;
    const uint64_t latest = CARILLON_CLOCK_LATEST;
    const uint64_t reach = RANGE - 1u - latest;
    for (uint32_t number = 0; number < PROGRAMS; number++) {
        seed = number * UINT64_C(0x9E3779B97F4A7C15);
        const uint64_t scales[] = {10u, 300u, (LONGEST < 300u * reach) ? LONGEST : 300u};
        most = smaller(scales[draw(3u)], LONGEST);
        most = TICKS ? smaller(most, 300u) : most;
        harm = TICKS ? (MOCK_STEPS - 4u) : ((smaller(latest, 1000u) * MOCK_STEPS) / 8u);
        cost = (MINIMUM > 1u) ? 1u : (draw(2u) * ((CARILLON_CLOCK_BITS == 3) ? 1u : (1u + (2u * draw(2u)))));
        begin(draw(RANGE * MOCK_STEPS * 2u));
        for (uint64_t steps = draw(30u); steps > 0u; steps--) {
            step();
        }
        uint64_t last = clock_time() / MOCK_STEPS;
        for (int which = 0; which < ITEMS; which++) {
            last = (wanted[which].waits && (wanted[which].due > last)) ? wanted[which].due : last;
        }
        run((last - (clock_time() / MOCK_STEPS)) + (2u * MINIMUM) + 5u + (100u * cost) + harm);
        collect();
        for (int which = 0; which < ITEMS; which++) {
            assert_true(!wanted[which].waits || (wanted[which].period != 0u));
            assert_true(!wanted[which].waits ||
                        (wanted[which].due + harm + 10u + (100u * cost) >= clock_time() / MOCK_STEPS));
        }
        assert_true(!TICKS || (clock_lost() == 0u));
    }
}

/* One interrupt for each event, and for each time that the timer does not reach on the way. */
static void no_interrupt_comes_too_many(void **state)
{
    (void)state;
    const uint64_t reach = clock_reach();
    cost = (MINIMUM > 1u) ? 1u : 0u;
    const uint64_t delays[] = {reach - 1u, reach, reach + 1u, 2u * reach, (2u * reach) + 1u, 3u * MINIMUM};
    for (size_t i = 0; (CARILLON_CLOCK_KEEPS_TIME == 0) && !TICKS && (i < sizeof delays / sizeof delays[0]); i++) {
        if (delays[i] < LONGEST) {
            begin(0u);
            insert(1, delays[i], 0u, false);
            run(delays[i] + 1u);
            collect();
            const uint64_t rest = delays[i] % reach;
            const uint64_t least = ((rest != 0u) && (rest < MINIMUM)) ? 1u : 0u; /* it is waited for */
            assert_int_equal(clock_interrupts(), ((delays[i] + reach - 1u) / reach) - least);
            assert_false(wanted[1].waits);
        }
    }
}

/* What a handler puts in for now is served before the clock's handler ends, whatever its kind. */
static void put_in_for_now(int item)
{
    if (item == 1) {
        (void)clock_insert(2, 0u, 0u);
    }
#if CARILLON_TIME_FAR
    if (item == 2) {
        (void)clock_insert_far(3, 0u, 0u);
    }
#endif
}

static void what_a_handler_puts_in_for_now_is_served_at_once(void **state)
{
    (void)state;
    static int32_t item[ITEMS];
    static uint64_t due[ITEMS], at[ITEMS];
    cost = (MINIMUM > 1u) ? 1u : 0u;
    begin(0u);
    clock_handler(put_in_for_now, 0u, 0);
    insert(1, 2u, 0u, false);
    run(2u * (MINIMUM + 2u));
    const uint32_t count = clock_served(item, due, at, ITEMS);
    assert_int_equal(count, (CARILLON_TIME_FAR != 0) ? 3 : 2);
    for (uint32_t i = 0u; i < count; i++) {
        assert_int_equal(item[i], i + 1u);
        assert_in_range(at[i], at[0], at[0] + (100u * cost));
    }
}

int main(void)
{
    fresh = carillon_clock;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_early_or_lost_or_later_than_what_goes_wrong),
        cmocka_unit_test(no_interrupt_comes_too_many),
        cmocka_unit_test(what_a_handler_puts_in_for_now_is_served_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
