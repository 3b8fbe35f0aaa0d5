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
void clock_slack(int item, uint32_t slack);
int clock_insert_far_after(int item, uint32_t from, uint64_t period);
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
#define SLACK ((uint64_t)CARILLON_CLOCK_SLACK)
#define TAKES_TIME (!TICKS || CARILLON_CLOCK_NESTS) /* else a tick gets lost */
#define MINIMUM ((uint64_t)CARILLON_CLOCK_MINIMUM)
#if CARILLON_TIME_FAR == 0
#define LONGEST ((uint64_t)CARILLON_CLOCK_FARTHEST)
#else
#define LONGEST ((uint64_t)CARILLON_NEVER - 2u - (uint64_t)CARILLON_CLOCK_LATEST)
#endif
#if CARILLON_TIME_FAR && (CARILLON_CLOCK != CARILLON_CLOCK_TICK)
#define LAPS_MERGED CARILLON_CLOCK_MERGES_LAPS
#else
#define LAPS_MERGED 0
#endif
#define RANGE (UINT64_C(1) << CARILLON_CLOCK_BITS)

static struct {
    bool waits;
    bool at_once; /* put in for no tick from then on; so it comes in the next one, from which its period counts */
    uint64_t due, period, number; /* in the order of insertions */
    uint64_t slack;
} wanted[ITEMS];
static uint64_t insertions, last_due, last_number;
static uint64_t served, locked, cost, harm, most;
static bool have_slack; /* events that are put in */
static uint64_t takes;  /* steps, the handler of each event */

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
        const uint64_t late = at[i] - (due[i] * MOCK_STEPS);
        assert_true(late <= locked + (3u * clock_injected()) + (((2u * MINIMUM) + 2u) * MOCK_STEPS) + (100u * cost) +
                                others + (served * takes) + (wanted[which].slack * MOCK_STEPS));
        if (TICKS && (clock_injected() == 0u) && (takes == 0u)) {
            assert_true(late <= (wanted[which].at_once ? MOCK_STEPS : 0u));
        }
        wanted[which].due += wanted[which].period;
        wanted[which].waits = wanted[which].period != 0u;
    }
    for (int which = 0; which < ITEMS; which++) {
        assert_int_equal(clock_is_queued(which) != 0, wanted[which].waits);
        const uint64_t now = clock_time() / MOCK_STEPS;
        if (wanted[which].waits && (cost == 0u) && (MINIMUM == 1u) && (locked == 0u) && (clock_injected() == 0u) &&
            (takes == 0u) && !TICKS) { /* a delay of no tick ends with the next one there */
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
    have_slack = false;
    insertions = 1u;
    carillon_clock = fresh;
    carillon_queue_served();
    clock_reset(start, (uint32_t)cost);
    clock_handler(NULL, takes, CARILLON_CLOCK_NESTS);
    keep_time();
}

#if CARILLON_CLOCK_SLACK > 0
static void give_slack(int which)
{
    wanted[which].slack = have_slack ? (draw(3u) * draw(SLACK / 2u)) : 0u;
    clock_slack(which, (uint32_t)wanted[which].slack);
}
#else
static void give_slack(int which)
{
    (void)which;
}
#endif

static void insert(int which, uint64_t delay, uint64_t period, bool far)
{
    give_slack(which);
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
    wanted[which].at_once = delay == 0u;
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

/* The shortest period: with that of all of them, what handlers take is half the time. */
static uint64_t shortest(void)
{
    /* Where all of them come so soon that the timer cannot be set, the handler does not end. */
    const uint64_t least = (MINIMUM > 1u) ? (ITEMS * (MINIMUM + 1u)) : 2u;
    return ((most / 10u) > least) ? (most / 10u) : least;
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
            const uint64_t period = (draw(2u) == 0u) ? smaller(shortest() + draw(most + 1u), LONGEST) : 0u;
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

/* When all that waits has been due once. */
static uint64_t last_wanted(void)
{
    uint64_t last = clock_time() / MOCK_STEPS;
    for (int which = 0; which < ITEMS; which++) {
        last = (wanted[which].waits && (wanted[which].due > last)) ? wanted[which].due : last;
    }
    return last;
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
        takes =
            ((cost == 0u) && TAKES_TIME && (draw(3u) == 0u)) ? draw((shortest() * MOCK_STEPS / (2u * ITEMS)) + 1u) : 0u;
        begin(draw(RANGE * MOCK_STEPS * 2u));
        have_slack = true;
        for (uint64_t steps = draw(30u); steps > 0u; steps--) {
            step();
        }
        run((last_wanted() - (clock_time() / MOCK_STEPS)) + (2u * MINIMUM) + 5u + (100u * cost) + harm + SLACK +
            (ITEMS * takes));
        collect();
        for (int which = 0; which < ITEMS; which++) {
            const uint64_t late = harm + 10u + (100u * cost) + (ITEMS * takes) + SLACK;
            assert_true(!wanted[which].waits || (wanted[which].period != 0u));
            assert_true(!wanted[which].waits || ((wanted[which].due + late) >= (clock_time() / MOCK_STEPS)));
        }
        assert_true(!TICKS || (clock_lost() == 0u));
    }
}

/* Begin with nothing that takes time, or as little as may be. */
static void begin_undisturbed(void)
{
    cost = (MINIMUM > 1u) ? 1u : 0u;
    takes = 0u;
    begin(0u);
}

#if CARILLON_TIME_FAR && (CARILLON_CLOCK != CARILLON_CLOCK_TICK)
/* Distances at which the laps, or what the timer reaches, make a difference. */
static uint64_t far_delay(void)
{
    const uint64_t lap = CARILLON_LAP;
    const uint64_t reach = clock_reach();
    const uint64_t at[] = {draw((reach / lap) + 3u) * lap, (reach / lap) * lap, reach, draw(2u * reach),
                           ((reach / lap) * lap) + draw((reach % lap) + 1u)};
    const uint64_t drawn = at[draw(sizeof at / sizeof at[0])] + draw(5u);
    return smaller((drawn > 2u) ? (drawn - 2u) : 0u, UINT32_MAX - lap);
}

static void far_events_come_at_their_time_wherever_the_timer_reaches_to(void **state)
{
    (void)state;
    for (uint32_t number = 0; (clock_reach() > ITEMS) && (number < PROGRAMS); number++) {
        seed = number * UINT64_C(0x9E3779B97F4A7C15);
        begin_undisturbed();
        have_slack = true;
        for (uint64_t steps = 1u + draw(10u); steps > 0u; steps--) {
            const int which = (int)draw(ITEMS);
            if (!clock_is_queued(which)) {
                insert(which, far_delay(), 0u, true);
            }
            run(draw(2u) * draw(2u * clock_reach()));
            collect();
        }
        run((last_wanted() - (clock_time() / MOCK_STEPS)) + (2u * MINIMUM) + (100u * cost) + SLACK);
        collect();
        for (int which = 0; which < ITEMS; which++) {
            assert_false(wanted[which].waits);
        }
    }
}
#else
static void far_events_come_at_their_time_wherever_the_timer_reaches_to(void **state)
{
    (void)state;
}
#endif

#if CARILLON_CLOCK_SLACK > 0
/* Each interrupt comes at the earliest deadline of those that wait, and serves all whose times have come. */
static void events_with_slack_share_the_interrupts_of_deadlines(void **state)
{
    (void)state;
    for (uint32_t number = 0; (MINIMUM == 1u) && (number < PROGRAMS); number++) {
        seed = number * UINT64_C(0x9E3779B97F4A7C15);
        begin_undisturbed();
        have_slack = true;
        const uint64_t spread = 1u + draw(4u * SLACK);
        for (int which = 0; which < ITEMS; which++) {
            insert(which, 1u + draw(spread), 0u, false);
        }
        uint64_t at[ITEMS];
        uint32_t interrupts = 0u, left = ITEMS;
        bool is_served[ITEMS] = {false};
        for (; left > 0u; interrupts++) {
            uint64_t deadline = UINT64_MAX;
            for (int which = 0; which < ITEMS; which++) {
                deadline = is_served[which] ? deadline : smaller(deadline, wanted[which].due + wanted[which].slack);
            }
            for (int which = 0; which < ITEMS; which++) {
                if (!is_served[which] && (wanted[which].due <= deadline)) {
                    is_served[which] = true;
                    at[which] = deadline;
                    left--;
                }
            }
        }
        run(spread + SLACK + 2u);
        int32_t item[ITEMS];
        uint64_t due[ITEMS], came[ITEMS];
        assert_int_equal(clock_served(item, due, came, ITEMS), ITEMS);
        for (int k = 0; k < ITEMS; k++) {
            assert_int_equal(came[k], at[item[k]] * MOCK_STEPS);
        }
        assert_int_equal(clock_interrupts(), interrupts);
    }
}
#endif

/* Events for now and for the next tick, whose interrupt cannot be asked for: the timer is set farther ahead each time,
 * until it can be; but first as soon as it may be. */
static void what_is_due_comes_soon_also_where_setting_the_timer_takes_long(void **state)
{
    (void)state;
    if (!TICKS && (CARILLON_CLOCK_LATEST > 60u) && (MINIMUM == 1u) && (SLACK == 0u)) {
        cost = 2u * MOCK_STEPS;
        takes = 0u;
        begin(9u);
        for (int which = 0; which < ITEMS; which++) {
            insert(which, (uint64_t)which % 2u, 0u, false);
            run(3u);
        }
        run(50u);
        int32_t item[ITEMS];
        uint64_t due[ITEMS], at[ITEMS];
        assert_int_equal(clock_served(item, due, at, ITEMS), ITEMS);
        for (int k = 0; k < ITEMS; k++) {
            assert_in_range(at[k] - (due[k] * MOCK_STEPS), 0u, (3u * MOCK_STEPS) + (20u * cost));
        }
    }
}

#if CARILLON_CLOCK_BEHIND > 0
#define BEHIND ((uint64_t)CARILLON_CLOCK_BEHIND)

/* Begin with an event of this period, of which so many are overdue. */
static void begin_overdue(uint64_t period, uint64_t overdue)
{
    begin(0u);
    insert(1, period, period, false);
    locked = overdue * period * MOCK_STEPS;
    clock_lock_for(locked + 1u);
}

/* Of what is overdue in more than CARILLON_CLOCK_BATCHES ticks, so many are served by one interrupt. */
static void a_backlog_lets_others_in_after_a_batch(void **state)
{
    (void)state;
    const uint64_t overdue = 6u * CARILLON_CLOCK_BATCHES;
    if ((MINIMUM == 1u) && (SLACK == 0u) && ((overdue * (BEHIND + 1u)) < CARILLON_CLOCK_LATEST)) {
        cost = takes = 0u;
        begin_overdue(BEHIND + 1u, overdue);
        while (wanted[1].due <= (clock_time() / MOCK_STEPS)) {
            run(1u);
            collect();
        }
        assert_in_range(clock_interrupts(), overdue / CARILLON_CLOCK_BATCHES, (overdue / CARILLON_CLOCK_BATCHES) + 3u);
    }
}

/* Handlers take all the time, so that each comes as late as the first one, which is just so late that it counts. */
static void a_load_of_all_the_time_lets_others_in(void **state)
{
    (void)state;
    if (MINIMUM == 1u) {
        cost = 0u;
        takes = (BEHIND + 1u) * MOCK_STEPS;
        begin(0u);
        insert(1, BEHIND + 1u, BEHIND + 1u, false);
        clock_lock_for(((2u * BEHIND) + SLACK + 1u) * MOCK_STEPS);
        run(0u);
        assert_int_equal(clock_interrupts(), 1u);
    }
}

/* The timer is set farther ahead each time, until it can be. */
static void the_handler_leaves_also_where_setting_the_timer_takes_long(void **state)
{
    (void)state;
    const uint64_t period = 60u;
    if ((MINIMUM == 1u) && ((2u * CARILLON_CLOCK_BATCHES * period) < CARILLON_CLOCK_LATEST)) {
        cost = BEHIND * MOCK_STEPS;
        takes = 0u;
        begin_overdue(period, 2u * CARILLON_CLOCK_BATCHES);
        run(20u * period);
        collect();
        assert_true(clock_interrupts() > 2u);
    }
}
#endif

#if CARILLON_TIME_FAR && CARILLON_CLOCK_KNOWS_TIME
/* Its time is now, or was: it is not put in, and the clock goes on as before. */
static void an_event_is_not_put_in_for_a_time_that_has_come(void **state)
{
    (void)state;
    for (uint32_t before = 0; before < 3u; before++) {
        begin_undisturbed();
        insert(2, 40u, 0u, false);
        run(20u);
        const uint32_t from = clock_now() - 10u;
        assert_int_equal(clock_insert_far_after(1, from, 9u + before), before == 2u);
        wanted[1].waits = before == 2u;
        wanted[1].due = (clock_time() / MOCK_STEPS) + 1u;
        wanted[1].period = 0u;
        assert_time();
        run(30u);
        (void)clock_is_queued(1);
        assert_false(clock_is_queued(1));
        assert_false(clock_is_queued(2));
        assert_time();
    }
}

static void put_in_by_handler(int item)
{
    if (item == 2) {
        const uint32_t from = clock_now() - 3u;
        assert_int_equal(clock_insert_far_after(1, from, 3u), 0);
        assert_int_equal(clock_insert_far_after(1, from, 5u), 1);
        wanted[1].waits = true;
        wanted[1].due = (clock_time() / MOCK_STEPS) + 2u;
    }
}

/* Long after its own event's time, a handler puts in another one, at a time from what it reads. */
static void a_late_handler_puts_in_an_event_for_its_time(void **state)
{
    (void)state;
    if ((MINIMUM == 1u) && !TICKS && CARILLON_CLOCK_CALLED && (CARILLON_CLOCK_LATEST > 5u)) {
        cost = 0u;
        takes = 5u * MOCK_STEPS;
        begin(0u);
        clock_handler(put_in_by_handler, takes, CARILLON_CLOCK_NESTS);
        wanted[1].period = 0u;
        insert(2, 10u, 0u, false);
        run(30u);
        int32_t item[2];
        uint64_t due[2], at[2];
        assert_int_equal(clock_served(item, due, at, 2u), 2u);
        assert_int_equal(item[1], 1);
        assert_int_equal(at[1], (10u + 5u + 2u) * MOCK_STEPS);
    }
}
#else
static void an_event_is_not_put_in_for_a_time_that_has_come(void **state)
{
    (void)state;
}
static void a_late_handler_puts_in_an_event_for_its_time(void **state)
{
    (void)state;
}
#endif

/* One interrupt for each event, and for each time that the timer does not reach on the way. */
static void assert_interrupts(uint64_t delay, bool far)
{
    const uint64_t reach = clock_reach();
    begin_undisturbed();
    insert(1, delay, 0u, far);
    run(delay + 1u);
    collect();
    const uint64_t rest = delay % reach;
    const uint64_t least = ((rest != 0u) && (rest < MINIMUM)) ? 1u : 0u; /* it is waited for */
    run(RANGE + 1u);                                                     /* when nothing waits, none comes */
    assert_int_equal(clock_interrupts(), ((delay + reach - 1u) / reach) - least);
    assert_false(wanted[1].waits);
}

static void no_interrupt_comes_too_many(void **state)
{
    (void)state;
    const uint64_t reach = clock_reach();
    const uint64_t lap = LAPS_MERGED ? CARILLON_LAP : reach;
    const uint64_t delays[] = {
        reach - 1u,   reach,    reach + 1u,      2u * reach,          (2u * reach) + 1u,
        3u * MINIMUM, 2u * lap, (2u * lap) + 1u, (reach / lap) * lap, ((reach / lap) * lap) + 1u};
    for (size_t i = 0; (CARILLON_CLOCK_KEEPS_TIME == 0) && !TICKS && (i < sizeof delays / sizeof delays[0]); i++) {
        if (delays[i] < LONGEST) {
            assert_interrupts(delays[i], false);
        }
        if (LAPS_MERGED && (delays[i] < UINT32_MAX)) {
            assert_interrupts(delays[i], true);
        }
    }
}

/* The longest delay is put in just before the timer expires that only keeps the time: its end is farther from the
 * reference than it is from now. */
static void the_longest_delay_counts_from_now(void **state)
{
    (void)state;
    const uint64_t reach = clock_reach();
    for (uint64_t before = 0u; !TICKS && (CARILLON_CLOCK_KEEPS_TIME != 0) && (before < 4u); before++) {
        if ((LONGEST / reach) < 1000u) {
            begin_undisturbed();
            run(smaller(reach - 1u, (reach * before) / 3u));
            insert(1, LONGEST, 0u, false);
            run(LONGEST + (2u * MINIMUM) + SLACK);
            collect();
            assert_false(wanted[1].waits);
        }
    }
}

#if LAPS_MERGED && (CARILLON_CLOCK_KEEPS_TIME == 0)
/* Each far event has one interrupt, if the timer reaches to it, wherever in their last laps the others are due. */
static void far_events_have_an_interrupt_each(void **state)
{
    (void)state;
    const uint64_t lap = CARILLON_LAP;
    const uint64_t laps = smaller(clock_reach() / lap, 6u);
    for (uint32_t number = 0; number < PROGRAMS; number++) {
        seed = number * UINT64_C(0x9E3779B97F4A7C15);
        begin_undisturbed();
        uint64_t last = 0u;
        for (int which = 0; which < ITEMS; which++) { /* no two of them within an eighth of an eighth of a lap */
            const uint64_t place = ((draw(8u) * 8u) + (uint64_t)which) * (lap / 64u);
            const uint64_t delay = lap + (draw(laps - 1u) * lap) + place;
            insert(which, delay, 0u, true);
            last = (delay > last) ? delay : last;
        }
        run(last + (2u * MINIMUM));
        collect();
        assert_int_equal(served, ITEMS);
        assert_int_equal(clock_interrupts(), ITEMS);
    }
}
#endif

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
    begin_undisturbed();
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
        cmocka_unit_test(far_events_come_at_their_time_wherever_the_timer_reaches_to),
        cmocka_unit_test(what_is_due_comes_soon_also_where_setting_the_timer_takes_long),
#if CARILLON_CLOCK_SLACK > 0
        cmocka_unit_test(events_with_slack_share_the_interrupts_of_deadlines),
#endif
#if CARILLON_CLOCK_BEHIND > 0
        cmocka_unit_test(a_backlog_lets_others_in_after_a_batch),
        cmocka_unit_test(a_load_of_all_the_time_lets_others_in),
        cmocka_unit_test(the_handler_leaves_also_where_setting_the_timer_takes_long),
#endif
        cmocka_unit_test(an_event_is_not_put_in_for_a_time_that_has_come),
        cmocka_unit_test(a_late_handler_puts_in_an_event_for_its_time),
        cmocka_unit_test(the_longest_delay_counts_from_now),
#if LAPS_MERGED && (CARILLON_CLOCK_KEEPS_TIME == 0)
        cmocka_unit_test(far_events_have_an_interrupt_each),
#endif
        cmocka_unit_test(what_a_handler_puts_in_for_now_is_served_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
