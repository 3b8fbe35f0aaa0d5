/* SPDX-License-Identifier: Apache-2.0
 *
 * The log of a target (kernel/microcode/log.c): what the machine notes while entries are read, between any two blocks of
 * code of the reader. */
#include "levels/port.h"

#include "kernel/microcode/log.h"

#include <stdlib.h>

enum { MOST = 40, ROOM = 4, POSITIONS = 80 };

static uint32_t noted;
static uint32_t position, preempted, burst;
static bool reads;

static void note_entries(uint32_t number)
{
    for (uint32_t k = 0u; k < number; k++) {
        carillon_log_note((enum carillon_log_kind)(noted % 5u), (uint16_t)(noted % 7u), noted);
        noted++;
    }
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    if (reads) {
        if (position == preempted) {
            reads = false;
            note_entries(burst);
            reads = true;
        }
        position++;
    }
}

static uint32_t later(uint32_t one, uint32_t other)
{
    return (one > other) ? one : other;
}

static uint32_t oldest(void)
{
    return (noted < CARILLON_LOADER_LOG) ? 0u : (noted - (CARILLON_LOADER_LOG - 1u));
}

/* Read from an entry on, and be preempted at a position: is that before the end of the reader? */
static bool read_entries(uint32_t asked)
{
    struct carillon_log_entry *const found = malloc(ROOM * sizeof *found); /* the sanitizer watches what is behind it */
    assert_non_null(found);
    const uint32_t before = noted;
    const uint32_t from_before = later(asked, oldest());
    uint32_t first = asked;
    position = 0u;
    reads = true;
    const uint32_t count = carillon_log_read(&first, found, ROOM);
    reads = false;
    assert_in_range(count, 0u, ROOM);
    for (uint32_t k = 0u; k < count; k++) {
        assert_int_equal(found[k].time, first + k);
        assert_int_equal(found[k].task, (first + k) % 7u);
        assert_int_equal(found[k].kind, (first + k) % 5u);
    }
    free(found);
    /* It is as if all had been noted before, or behind it; or what was overwritten in between is missing. */
    const uint32_t from_now = later(asked, oldest());
    assert_in_range(first, from_before, from_now);
    const uint32_t end_before = (before - from_before < ROOM) ? before : (from_before + ROOM);
    if (asked <= before) {
        if (first == from_before) {
            assert_true(first + count >= end_before);
        } else {
            assert_true((count == 0u) || (first + count >= end_before));
        }
        assert_true((count > 0u) || (from_before == before) || (first >= end_before));
    } else {
        assert_int_equal(count, 0u);
    }
    assert_int_equal(carillon_log_count(), noted);
    return position > preempted;
}

static void what_is_not_overwritten_is_there(void **state)
{
    (void)state;
    preempted = UINT32_MAX;
    for (uint32_t number = 0u; number <= (2u * CARILLON_LOADER_LOG); number++) {
        for (uint32_t asked = 0u; asked <= (number + 1u); asked++) {
            assert_false(read_entries(asked));
        }
        note_entries(1u);
    }
}

static void nothing_that_is_read_is_of_another_entry(void **state)
{
    (void)state;
    uint32_t lost = 0u;
    for (burst = 0u; burst <= (2u * CARILLON_LOADER_LOG); burst++) {
        preempted = 0u;
        while (read_entries((noted > MOST) ? (noted - (lost % MOST)) : 0u)) {
            note_entries(lost % 3u);
            preempted++;
            lost++;
        }
        assert_in_range(preempted, ROOM, POSITIONS);
    }
    assert_true(lost > (2u * MOST));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(what_is_not_overwritten_is_there, port_reset),
                                       cmocka_unit_test_setup(nothing_that_is_read_is_of_another_entry, port_reset)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
