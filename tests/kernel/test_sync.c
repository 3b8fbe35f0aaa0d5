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
const struct carillon_sync carillon_syncs[1] = {{.cells = cells,
                                                 .cell_count = CARILLON_COUNT(cells),
                                                 .hold = hold,
                                                 .hold_count = 1u,
                                                 .release = release,
                                                 .release_count = 1u,
                                                 .counter = COUNTER,
                                                 .length = LENGTH,
                                                 .at = AT,
                                                 .latest = LATEST,
                                                 .lengthen = LIMIT,
                                                 .shorten = LIMIT,
                                                 .source = SOURCE}};

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

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
#if CARILLON_SYNC_HARD /* first: nobody has told the time yet */
        TEST(a_round_is_held_until_its_cells_have_been_moved_at_once),
        TEST(one_that_is_to_be_later_is_moved_by_that),
#endif
        TEST(the_global_time_goes_on_over_a_sync_point),
        TEST(a_reading_in_which_the_cell_expires_is_taken_again),
        TEST(a_reading_that_the_handler_interrupts_is_taken_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
