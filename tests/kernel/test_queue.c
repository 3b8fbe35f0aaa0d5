/* SPDX-License-Identifier: Apache-2.0
 *
 * The event queue (kernel/clock/queue.h) beside a list of exact times, in programs that are drawn: at every width, as a
 * list and as a tree; and with a counter for each event, too (kernel/conventional/counters.h).
 * tests/time/test_queue.py has more, and takes longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "carillon_config.h"

/* tests/time/queue_driver.c */
void queue_reset(void);
void queue_insert(int item, uint64_t distance);
void queue_insert_far(int item, uint64_t distance);
void queue_remove(int item);
void queue_advance(uint64_t elapsed);
int queue_tick(void);
int queue_due(void);
void queue_pop(void);
void queue_repeat(uint64_t distance);
void queue_repeat_far(uint64_t distance);
void queue_move(uint64_t distance);
void queue_served(void);
uint64_t queue_distance(int item);
uint64_t queue_left(void);
int queue_is_queued(int item);
void queue_period(uint64_t whole, uint32_t numerator, uint32_t denominator);
uint64_t queue_period_next(void);
int queue_depth(void);

#define ITEMS 16
#define PROGRAMS 1500u
#define NEVER ((CARILLON_TIME_BITS == 64) ? UINT64_MAX : ((UINT64_C(1) << (CARILLON_TIME_BITS % 64)) - 1u))
#define LAP (NEVER - 1u)
#define LONGEST (NEVER - 2u)
#define HAS_FAR (CARILLON_TIME_BITS < 64) /* 64 bits hold every distance */

/* The model: events at exact times, in the order of their insertions. */
typedef unsigned __int128 moment;
static struct {
    bool waits;
    moment time;
    uint32_t number;
} model[ITEMS];
static moment reference;
static uint32_t insertions, served;
static uint64_t periods[ITEMS];
static bool moves, handlers_change, repeats_far;

static uint64_t seed;
static uint64_t draw(uint64_t below)
{
    seed = (seed * UINT64_C(6364136223846793005)) + UINT64_C(1442695040888963407);
    const uint64_t drawn = (seed >> 33) | ((seed << 15) & UINT64_C(0xFFFFFFFF00000000));
    return (below == 0u) ? 0u : (drawn % below);
}

/* A distance that a plain event can have; half of them are edges. */
static uint64_t distance(void)
{
    const uint64_t edges[] = {0u, 1u, 2u, LONGEST / 2u, (LONGEST / 2u) + 1u, LONGEST - 1u, LONGEST};
    switch (draw(4u)) {
    case 0u:
        return edges[draw(sizeof edges / sizeof edges[0])];
    case 1u:
        return draw(LONGEST + 1u);
    default:
        return draw(6u);
    }
}

static uint64_t far_distance(void)
{
    if (draw(2u) == 0u) {
        const uint64_t around = (draw(4u) * LAP) + draw(5u);
        return (around < 2u) ? 0u : (around - 2u);
    }
    return draw(4u * LAP);
}

static void insert(int item, bool far)
{
    if (model[item].waits) {
        return;
    }
    const uint64_t by = far ? far_distance() : distance();
    model[item].waits = true;
    model[item].time = reference + by;
    model[item].number = insertions++;
#if HAS_FAR
    if (far) {
        queue_insert_far(item, by);
        return;
    }
#endif
    queue_insert(item, by);
}

static void take_out(int item)
{
    if (model[item].waits) {
        queue_remove(item);
        model[item].waits = false;
    }
}

static void change(void)
{
    const int item = (int)draw(ITEMS);
    switch (draw(4u)) {
    case 0u:
        take_out(item);
        break;
    case 1u:
        insert(item, HAS_FAR != 0);
        break;
    default:
        insert(item, false);
        break;
    }
}

static void check(void)
{
    assert_true(queue_depth() >= 0);
    for (int item = 0; item < ITEMS; item++) {
        assert_int_equal(queue_is_queued(item) != 0, model[item].waits);
        if (model[item].waits) {
            assert_true(queue_distance(item) == model[item].time - reference);
        }
    }
}

/* The item that is due next; -1: nothing waits. */
static int first(void)
{
    int found = -1;
    for (int item = 0; item < ITEMS; item++) {
        if (model[item].waits &&
            ((found < 0) || (model[item].time < model[found].time) ||
             ((model[item].time == model[found].time) && (model[item].number < model[found].number)))) {
            found = item;
        }
    }
    return found;
}

/* The first one, which is due, is repeated, however the program has it. */
static void repeat(uint64_t again)
{
#if HAS_FAR
    if (repeats_far) {
        queue_repeat_far(again);
        return;
    }
#endif
    if (moves) {
        queue_move(again);
    } else {
        queue_repeat(again);
    }
}

static void serve(int item)
{
    assert_int_equal(item, first());
    assert_true(model[item].time == reference);
    const uint64_t again = (served < 100u) ? periods[item] : 0u; /* a program ends */
    served++;
    if (again == 0u) {
        model[item].waits = false;
        queue_pop();
    } else {
        model[item].time = reference + again;
        model[item].number = insertions++;
        repeat(again);
    }
    for (uint64_t n = handlers_change ? draw(3u) : 0u; n > 0u; n--) {
        change();
    }
    check();
}

/* How far the reference may move: to the first event.  Counters of events tell no more than whether one is due. */
static uint64_t step_of(uint64_t time)
{
    const uint64_t left = queue_left();
    if (CARILLON_QUEUE_COUNTERS != 0) {
        return ((left != 0u) && (time != 0u)) ? 1u : 0u;
    }
    return (left < time) ? left : time;
}

/* Time passes at once: what is due meanwhile is served late, in order, at the reference of its own time. */
static void elapse(uint64_t time)
{
    const moment end = reference + time;
    for (;;) {
        const int item = queue_due();
        if (item >= 0) {
            serve(item);
        } else if (item == -1) {
            const uint64_t step = step_of((uint64_t)(end - reference));
            if (step == 0u) {
                break;
            }
            queue_served();
            queue_advance(step);
            reference += step;
        } else {
            /* a far event has gone its next lap */
        }
    }
    assert_true(reference == end);
    assert_true((first() < 0) || (model[first()].time > end));
}

static int reset(void **state)
{
    (void)state;
    for (int item = 0; item < ITEMS; item++) {
        model[item].waits = false;
    }
    reference = 0u;
    insertions = served = 0u;
    queue_reset();
    return 0;
}

static void events_are_served_like_exact_times(void **state)
{
    for (uint32_t number = 0; number < PROGRAMS; number++) {
        (void)reset(state);
        seed = number * UINT64_C(0x9E3779B97F4A7C15);
        moves = draw(2u) == 0u;
        handlers_change = draw(2u) == 0u;
        repeats_far = HAS_FAR && (draw(3u) == 0u);
        for (int item = 0; item < ITEMS; item++) {
            const uint64_t period = repeats_far ? far_distance() : distance();
            periods[item] = (draw(2u) == 0u) ? period : 0u;
        }
        for (uint64_t steps = draw(60u); steps > 0u; steps--) {
            if (draw(3u) != 0u) {
                change();
            } else {
                elapse((draw(4u) != 0u) ? distance() : far_distance());
            }
            check();
        }
    }
}

static void a_far_event_in_an_empty_queue_that_has_counted_down_is_whole_laps_away(void **state)
{
    (void)state;
#if HAS_FAR
    for (uint64_t laps = 1u; laps <= 3u; laps++) {
        queue_reset();
        queue_advance(queue_left());
        queue_insert_far(1, laps * LAP);
        for (uint64_t left = laps; left > 0u; left--) {
            assert_true(queue_distance(1) == left * LAP);
            assert_true(queue_left() == LAP);
            queue_advance(LAP);
            assert_int_equal(queue_due(), (left > 1u) ? -2 : 1);
        }
        queue_reset();
        queue_insert(2, 0u);
        queue_insert_far(1, laps * LAP);
        assert_int_equal(queue_due(), 2);
        queue_pop();
        assert_int_equal(queue_due(), -2); /* behind what was due there */
        assert_true(queue_distance(1) == laps * LAP);
    }
#endif
}

static void ticks_say_when_something_is_due(void **state)
{
    (void)state;
    queue_insert(1, 3u);
    queue_insert(2, 3u);
    assert_int_equal(queue_tick(), 0);
    assert_int_equal(queue_tick(), 0);
    assert_int_equal(queue_tick(), 1);
    assert_int_equal(queue_due(), 1);
    queue_repeat(2u);
    assert_int_equal(queue_due(), 2);
    queue_pop();
    assert_int_equal(queue_due(), -1);
    assert_int_equal(queue_tick(), 0);
    assert_int_equal(queue_tick(), 1);
}

static void fractions_of_ticks_are_carried_so_that_nothing_accumulates(void **state)
{
    (void)state;
    static const uint32_t fractions[][2] = {{0u, 1u},      {1u, 2u},    {2u, 3u},
                                            {999u, 1000u}, {1u, 1000u}, {2147483646u, 2147483647u}};
    for (size_t i = 0; i < sizeof fractions / sizeof fractions[0]; i++) {
        const uint64_t numerator = fractions[i][0];
        const uint64_t denominator = fractions[i][1];
        queue_period(7u, fractions[i][0], fractions[i][1]);
        uint64_t total = 0u;
        for (uint64_t count = 1u; count <= 2000u; count++) {
            total += queue_period_next();
            assert_true(total == (7u * count) + ((count * numerator) / denominator));
        }
    }
}

/* So many that a tree has to be balanced at each of its depths. */
static void a_tree_stays_flat(void **state)
{
    enum { MANY = 600 };
    for (uint32_t pattern = 0; (CARILLON_QUEUE_COUNTERS == 0) && (pattern < 4u); pattern++) {
        (void)reset(state);
        seed = pattern;
        for (int item = 0; item < MANY; item++) {
            const uint64_t times[] = {(uint64_t)item / 3u, (uint64_t)(MANY - item) / 3u, draw(200u), 5u};
            queue_insert(item, times[pattern]);
        }
        assert_true(queue_depth() >= 0);
        for (int item = 0; item < MANY; item += 3) {
            queue_remove(item);
            assert_true(queue_depth() >= 0);
        }
        assert_true((CARILLON_QUEUE_TREE == 0) || (queue_depth() <= 12)); /* 1.44 log2(402) */
        uint32_t count = 0u;
        while (count < (MANY - (MANY / 3))) {
            queue_advance(queue_left());
            assert_true(queue_due() >= 0);
            queue_pop();
            assert_true(queue_depth() >= 0);
            count++;
        }
        assert_int_equal(queue_due(), -1);
    }
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(events_are_served_like_exact_times),
        TEST(a_far_event_in_an_empty_queue_that_has_counted_down_is_whole_laps_away),
        TEST(ticks_say_when_something_is_due),
        TEST(fractions_of_ticks_are_carried_so_that_nothing_accumulates),
        TEST(a_tree_stays_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
