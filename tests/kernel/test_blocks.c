/* SPDX-License-Identifier: Apache-2.0
 *
 * Giotto on cells (kernel/giotto/blocks.c): blocks follow one another, and what is late is abandoned. */
#include "levels/port.h"

#include "kernel/giotto/blocks.h"
#include "kernel/microcode/machine.h"

#include "carillon/time.h"

#include <stdio.h>

enum { SLOTS = 3, TASK = 7, ADDRESS = 40 };

struct carillon_giotto_slot carillon_giotto_slots[SLOTS];
static void missed_0(void)
{
    note("missed 0");
}
static void missed_1(void)
{
    note("missed 1");
}
static void missed_2(void)
{
    note("missed 2");
}
void (*const carillon_giotto_missed[SLOTS])(void) = {missed_0, missed_1, missed_2};
const struct carillon_giotto_invocation carillon_giotto_invocations[SLOTS] = {
    {.task = TASK}, {.task = TASK + 1}, {.task = TASK + 2}};

void carillon_machine_fault(enum carillon_machine_fault fault, uint16_t task, uint16_t address)
{
    char word[24];
    assert_int_equal(fault, CARILLON_MACHINE_LATE);
    assert_int_equal(address, ADDRESS);
    (void)snprintf(word, sizeof word, "late %u", (unsigned)task);
    note(word);
}

static void (*alarm_expires)(void);
static carillon_duration period;
StatusType carillon_alarm_start(struct carillon_alarm *alarm, carillon_duration ticks, uint32_t count)
{
    assert_int_equal(count, CARILLON_INFINITE);
    alarm_expires = alarm->handler.function;
    period = ticks;
    note("start");
    return E_OK;
}
StatusType carillon_alarm_change(struct carillon_alarm *alarm, carillon_duration ticks)
{
    (void)alarm;
    period = ticks;
    note("change");
    return E_OK;
}

static void second_block(void)
{
    note("second");
    carillon_giotto_next(carillon_giotto_first, 5u);
}
void carillon_giotto_first(void)
{
    note("first");
    carillon_giotto_next(second_block, 5u);
}

/* The first block is due at the first tick.  The alarm's period is changed where the distance is another. */
static void each_block_is_called_at_its_distance_from_the_one_before(void **state)
{
    (void)port_reset(state);
    carillon_giotto_start();
    assert_int_equal(period, 1u);
    alarm_expires();
    assert_int_equal(period, 5u);
    assert_log("start first change ");
    alarm_expires();
    assert_log("second ");
    alarm_expires();
    assert_log("first ");
    assert_int_equal(period, 5u);
}

/* Of the slots that an instruction touches those are late that are unfinished. */
static void what_is_unfinished_is_late_and_abandoned(void **state)
{
    static const uint16_t slots[] = {0u, 1u, 2u, CARILLON_MICROCODE_NONE};
    (void)port_reset(state);
    carillon_giotto_slots[0] = (struct carillon_giotto_slot){.unfinished = true};
    carillon_giotto_slots[1] = (struct carillon_giotto_slot){.unfinished = false};
    carillon_giotto_slots[2] = (struct carillon_giotto_slot){.unfinished = true};
    carillon_giotto_late(slots, ADDRESS);
    assert_log("missed 0 late 7 missed 2 late 9 ");
    for (uint32_t slot = 0u; slot < SLOTS; slot++) {
        assert_false(carillon_giotto_slots[slot].unfinished);
        assert_int_equal(carillon_giotto_slots[slot].abandoned, slot != 1u);
    }
}

/* What a rate computes is committed, unless the slot has been abandoned since it began: then the next one is. */
static void what_is_abandoned_meanwhile_is_not_committed(void **state)
{
    static const uint16_t slots[] = {1u, CARILLON_MICROCODE_NONE};
    (void)port_reset(state);
    carillon_giotto_slots[1] = (struct carillon_giotto_slot){.unfinished = false};
    assert_false(carillon_giotto_begins(1u));
    carillon_giotto_release(1u);
    assert_true(carillon_giotto_is_unfinished(1u));
    assert_true(carillon_giotto_begins(1u));
    assert_true(carillon_giotto_ends(1u));
    assert_false(carillon_giotto_is_unfinished(1u));
    carillon_giotto_release(1u);
    assert_true(carillon_giotto_begins(1u));
    carillon_giotto_late(slots, ADDRESS);
    carillon_giotto_release(1u); /* of the next period */
    assert_false(carillon_giotto_ends(1u));
    assert_true(carillon_giotto_is_unfinished(1u));
    assert_true(carillon_giotto_begins(1u));
    assert_true(carillon_giotto_ends(1u));
    assert_false(carillon_giotto_is_unfinished(1u));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_block_is_called_at_its_distance_from_the_one_before),
        cmocka_unit_test(what_is_unfinished_is_late_and_abandoned),
        cmocka_unit_test(what_is_abandoned_meanwhile_is_not_committed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
