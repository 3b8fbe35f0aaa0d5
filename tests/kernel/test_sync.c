/* SPDX-License-Identifier: Apache-2.0
 *
 * Synchronisation of a round with a global time (kernel/osektime/sync.c), whose cells are counters that
 * are moved one by one. */
#include "levels/port.h"

#include "kernel/osektime/sync.h"

#include "carillon/osektime.h"

enum { LENGTH = 1000, AT = 900, LIMIT = 50, LATEST = 700, SOURCE = 5, COUNTER = 0x5000, CELL = 0x5004, HELD = 0x5008 };

static const struct carillon_shift cells[] = {CARILLON_SHIFT(COUNTER, 0u), CARILLON_SHIFT(CELL, 0u)};
static const struct carillon_store hold[] = {CARILLON_STORE(HELD, 1u)};
static const struct carillon_store release[] = {CARILLON_STORE(HELD, 2u)};
#define SYNC_OF(counter_, at_)                                                                                   \
    {                                                                                                            \
        .cells = cells, .cell_count = CARILLON_COUNT(cells), .hold = hold, .hold_count = 1u, .release = release, \
        .release_count = 1u, .counter = (counter_), .length = LENGTH, .at = (at_), .latest = LATEST,             \
        .lengthen = LIMIT, .shorten = LIMIT, .leave = 0u - AT, .source = SOURCE                                  \
    }
#if CARILLON_MODES > 1
enum { OTHER_COUNTER = 0x500C, OTHER_AT = 850 };
const struct carillon_sync carillon_syncs[2] = {SYNC_OF(COUNTER, AT), SYNC_OF(OTHER_COUNTER, OTHER_AT)};
uint8_t carillon_mode;
#else
const struct carillon_sync carillon_syncs[1] = {SYNC_OF(COUNTER, AT)};
#endif

void carillon_mode_store(const struct carillon_store *list, uint_fast16_t count)
{
    for (uint_fast16_t i = 0u; i < count; i++) {
        carillon_port_write(list[i].address, list[i].value);
    }
}

static void set_left(uint32_t left)
{
    *port_register(COUNTER) = left;
}

static uint32_t left(void)
{
    return *port_register(COUNTER);
}

/* The sync cell has expired: its handler comes when the counter has begun anew. */
static void sync_point(void)
{
    port.pending[SOURCE] = false;
    set_left(LENGTH);
    carillon_synchronise();
}

static uint32_t global_time(void)
{
    ttTickType time = 0u;
    assert_int_equal(ttGetGlobalTime(&time), TT_E_OS_OK);
    assert_int_equal(port.mask, 0u);
    return time;
}

/* The round has just begun: the sync cell has so long to go as its point lies after the begin. */
static int reset(void **state)
{
    (void)port_reset(state);
    carillon_sync_begin(0u);
    set_left(AT);
    return 0;
}

/* The global time is known from what the sync cell reads, and goes on over its expiry, whether that has been served. */
static void the_global_time_goes_on_over_a_sync_point(void **state)
{
    (void)state;
    assert_int_equal(ttSyncTimes(5000u, 0u), TT_E_OS_OK);
    assert_int_equal(global_time(), 5000u);
    set_left(1u);
    assert_int_equal(global_time(), 5000u + AT - 1u);
    set_left(LENGTH - 2u); /* it has expired 2 ticks ago */
    port.pending[SOURCE] = true;
    assert_int_equal(global_time(), 5000u + AT + 2u);
    sync_point();
    set_left(LENGTH - 2u);
    assert_int_equal(global_time(), 5000u + AT + 2u);
}

/* The cell expires between the two looks at its request: what was read is of before, and is read again. */
static uint32_t reads;
static void expire_at_the_first_read(uint32_t address)
{
    if (address == COUNTER) {
        reads++;
        if (reads == 1u) {
            set_left(0u);
            port.pending[SOURCE] = true;
        } else {
            set_left(LENGTH - 3u);
        }
    }
}
static void a_reading_in_which_the_cell_expires_is_taken_again(void **state)
{
    (void)state;
    assert_int_equal(ttSyncTimes(5000u, 0u), TT_E_OS_OK);
    reads = 0u;
    port_before_read = expire_at_the_first_read;
    assert_int_equal(global_time(), 5000u + AT + 3u);
    assert_int_equal(reads, 2u);
}

/* The handler comes within the call: what was read before it and after it is not of one time. */
static void serve_at_the_first_read(uint32_t address)
{
    (void)address;
    reads++;
    if (reads == 1u) {
        const uint32_t before = left();
        port_before_read = NULL;
        sync_point();
        port_before_read = serve_at_the_first_read;
        set_left(before); /* which was read before the handler came */
    } else {
        set_left(LENGTH - 4u);
    }
}
static void a_reading_that_the_handler_interrupts_is_taken_again(void **state)
{
    (void)state;
    assert_int_equal(ttSyncTimes(5000u, 0u), TT_E_OS_OK);
    set_left(1u);
    reads = 0u;
    port_before_read = serve_at_the_first_read;
    assert_int_equal(global_time(), 5000u + AT + 4u);
    assert_int_equal(reads, 2u);
}

#if CARILLON_SYNC_HARD
static uint32_t moved(void)
{
    const uint32_t before = *port_register(CELL);
    sync_point();
    return *port_register(CELL) - before;
}

/* Until the global time is known the tasks are held back.  Then all cells are moved at once, whatever the limits are, and
 * never to an earlier time. */
static void a_round_is_held_until_its_cells_have_been_moved_at_once(void **state)
{
    (void)state;
    assert_true(carillon_sync_holds());
    assert_int_equal(*port_register(HELD), 1u);
    assert_int_equal(moved(), 0u);
    assert_true(carillon_sync_holds());
    set_left(AT);
    assert_int_equal(ttSyncTimes(5000u, 300u), TT_E_OS_OK); /* which is to be at 300: 300 shorter */
    assert_int_equal(moved(), LENGTH - 300u);
    assert_false(carillon_sync_holds());
    assert_int_equal(*port_register(HELD), 2u);
    assert_int_equal(moved(), 0u);
}

static void one_that_is_to_be_later_is_moved_by_that(void **state)
{
    (void)state;
    assert_int_equal(ttSyncTimes(5000u, LENGTH - 300u), TT_E_OS_OK);
    assert_int_equal(moved(), 300u);
    assert_false(carillon_sync_holds());
}
#endif

#if CARILLON_SYNC_HARD == 0
/* The model: the time that has passed, what the global time is ahead of that, and by how much rounds are to be longer. */
static struct {
    uint32_t now, ahead, silent;
    int32_t correction;
    bool is_known;
} model;

static uint64_t seed;
static uint32_t draw(uint32_t below)
{
    seed = (seed * UINT64_C(6364136223846793005)) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

static void check(void)
{
    assert_int_equal(global_time(), model.now + model.ahead);
    ttSynchronizationStatusType status;
    assert_int_equal(ttGetOSSyncStatus(&status), TT_E_OS_OK);
    const bool is_close = (model.correction <= (int32_t)CARILLON_SYNC_PRECISION) &&
                          (model.correction >= -(int32_t)CARILLON_SYNC_PRECISION);
    const bool is_synchronous = model.is_known && is_close && (model.silent <= CARILLON_SYNC_SILENCE);
    assert_int_equal(status, is_synchronous ? TT_SYNCHRONOUS : TT_ASYNCHRONOUS);
    assert_int_equal(port.mask, 0u);
    assert_int_equal(port.needless, 0u); /* what unlocks has locked */
}

/* The handler comes, and moves all cells alike if it is not too late. */
static void serve(void)
{
    const int32_t limit = LIMIT;
    const int32_t most = (model.correction > limit) ? limit : model.correction;
    const int32_t by = (left() < LATEST) ? 0 : ((most < -limit) ? -limit : most);
    const uint32_t counter = left();
    const uint32_t cell = *port_register(CELL);
    port.pending[SOURCE] = false;
    carillon_synchronise();
    assert_int_equal(left(), counter + (uint32_t)by);
    assert_int_equal(*port_register(CELL), cell + (uint32_t)by);
    model.correction -= by;
    model.silent++;
}

/* Time passes, up to what is left of the round if its handler is late, and else beyond the sync point. */
static void pass(uint32_t ticks)
{
    const uint32_t most = port.pending[SOURCE] ? (left() - 1u) : (left() + LENGTH - 1u);
    const uint32_t passed = (ticks < most) ? ticks : most;
    model.now += passed;
    if (passed < left()) {
        set_left(left() - passed);
    } else {
        set_left(left() + LENGTH - passed);
        port.pending[SOURCE] = true;
    }
}

/* Where the round is, from 0 to a turn, is told to be another place. */
static int32_t later_than(uint32_t place, uint32_t turn)
{
    const uint32_t is = ((AT + (2u * LENGTH)) - left()) % turn;
    const int32_t later = (int32_t)((is + turn - (place % turn)) % turn);
    return (later > (int32_t)(turn / 2u)) ? (later - (int32_t)turn) : later;
}

static void tell(void)
{
    const uint32_t time = draw(UINT32_C(0x7FFFFFFF)) * 2u;
    const uint32_t near = ((AT + (2u * LENGTH)) - left()) + draw(5u) - 2u;
    const uint32_t place = (draw(2u) == 0u) ? draw(LENGTH) : (near % LENGTH);
    assert_int_equal(ttSyncTimes(time, LENGTH + draw(2u)), TT_E_OS_VALUE);
    check();
    model.correction = later_than(place, LENGTH);
    assert_int_equal(ttSyncTimes(time, place), TT_E_OS_OK);
    model.ahead = time - model.now;
    model.silent = 0u;
    model.is_known = true;
}

#if CARILLON_SYNC_EDGES
const struct carillon_edge carillon_edges[1] = {{.first = 100u, .between = LENGTH / 4u}};
/* An edge is that of the round which is the nearest; when the rounds follow it, the global time does. */
static void tell_edge(void)
{
    const int32_t before = model.correction;
    model.correction = later_than(carillon_edges[0].first, carillon_edges[0].between);
    assert_int_equal(ttSyncEdge(), TT_E_OS_OK);
    model.ahead += (uint32_t)before - (uint32_t)model.correction;
    model.silent = 0u;
    model.is_known = true;
}
#else
static void tell_edge(void)
{
    tell();
}
#endif

static void rounds_follow_what_is_told_within_their_limits(void **state)
{
    (void)state;
    for (uint32_t number = 0u; number < 300u; number++) {
        (void)reset(state);
        seed = number * UINT64_C(0x9E3779B97F4A7C15);
        model.now = 0u;
        model.ahead = 0u;
        check(); /* of what has been told before, the correction and its age are left */
        for (uint32_t steps = 60u; steps > 0u; steps--) {
            switch (draw(8u)) {
            case 0u:
                tell();
                break;
            case 1u:
                tell_edge();
                break;
            case 2u:
                pass(draw(LENGTH));
                break;
            default:
                pass(port.pending[SOURCE] ? draw(8u) : (left() + draw((draw(4u) == 0u) ? (LENGTH / 2u) : 3u)));
                break;
            }
            check();
            if (port.pending[SOURCE] && (draw(3u) != 0u)) {
                const uint32_t late = LATEST - draw(2u); /* just in time, or just too late */
                pass(((draw(8u) == 0u) && (left() > late)) ? (left() - late) : 0u);
                serve();
                check();
            }
        }
        if (port.pending[SOURCE]) {
            serve();
        }
    }
}
#endif

#if CARILLON_SYNC_TURN
static bool goes_back;
bool sync_goes_back(void)
{
    assert_int_equal(port.mask, CARILLON_LEVELS);
    return goes_back;
}

/* The interrupt that ends a move is no sync point. */
static void the_end_of_a_move_moves_nothing(void **state)
{
    (void)state;
    assert_int_equal(ttSyncTimes(5000u, 20u), TT_E_OS_OK); /* it is at 0: 20 shorter */
    set_left(LENGTH);
    const uint32_t cell = *port_register(CELL);
    goes_back = true;
    carillon_sync_turn();
    assert_int_equal(*port_register(CELL), cell);
    assert_int_equal(port.mask, 0u);
    goes_back = false;
    carillon_sync_turn();
    assert_int_equal(*port_register(CELL), cell - 20u);
    assert_int_equal(port.mask, 0u);
    assert_int_equal(port.needless, 0u);
}
#endif

#if CARILLON_MODES > 1
/* The next mode's round begins where that of the old one ends: the global time goes on, and what is told is of its round. */
static void the_global_time_goes_on_in_another_mode(void **state)
{
    (void)state;
    assert_int_equal(ttSyncTimes(5000u, 0u), TT_E_OS_OK);
    assert_int_equal(global_time(), 5000u);
    carillon_sync_switch(0u, 1u);
    carillon_mode = 1u;
    *port_register(OTHER_COUNTER) = OTHER_AT;
    assert_int_equal(global_time(), 5000u);
    *port_register(OTHER_COUNTER) = OTHER_AT - 30u;
    assert_int_equal(global_time(), 5030u);
    assert_int_equal(ttSyncTimes(6000u, 20u), TT_E_OS_OK); /* which is at 30 */
    *port_register(OTHER_COUNTER) = LENGTH - 1u;
    carillon_synchronise();
    assert_int_equal(*port_register(COUNTER), AT + 10u); /* all cells of the list are moved */
    carillon_mode = 0u;
}
#endif

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
#if CARILLON_SYNC_HARD /* first: nobody has told the time yet */
        TEST(a_round_is_held_until_its_cells_have_been_moved_at_once),
        TEST(one_that_is_to_be_later_is_moved_by_that),
#endif
#if CARILLON_SYNC_HARD == 0 /* first as well */
        TEST(rounds_follow_what_is_told_within_their_limits),
#endif
        TEST(the_global_time_goes_on_over_a_sync_point),
        TEST(a_reading_in_which_the_cell_expires_is_taken_again),
        TEST(a_reading_that_the_handler_interrupts_is_taken_again),
#if CARILLON_SYNC_TURN
        TEST(the_end_of_a_move_moves_nothing),
#endif
#if CARILLON_MODES > 1
        TEST(the_global_time_goes_on_in_another_mode),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
