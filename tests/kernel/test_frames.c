/* SPDX-License-Identifier: Apache-2.0
 *
 * Time frames (kernel/jobs/frame.c): AUTOSAR OS, 7.7.2.2.  The cell counts down the turn's units again and again. */
#include "levels/port.h"

#include "kernel/jobs/frame.h"

#include "carillon_frame.h"

/* A task without a frame, one with a frame, an ISR with one, and one of the shortest. */
enum { FREE, FRAMED, ISR, SHORT };
enum { FRAME = 100 };
const uint32_t carillon_osek_frames[CARILLON_OSEK_FRAMES] = {[FRAMED] = FRAME, [ISR] = FRAME, [SHORT] = 1u};

static ProtectionReturnType answer;
static uint32_t asked;
static jmp_buf ends;

ProtectionReturnType carillon_osek_ask_protection(StatusType error)
{
    assert_int_equal(error, E_OS_PROTECTION_ARRIVAL);
    asked++;
    return answer;
}

void ShutdownOS(StatusType error)
{
    assert_int_equal(error, E_OS_PROTECTION_ARRIVAL);
    longjmp(ends, 1);
}

static void set_left(uint32_t left)
{
    *port_register(CARILLON_FRAME_COUNTER) = left;
}

/* So many units of the turn have passed. */
static void set_passed(uint32_t units)
{
    set_left(CARILLON_FRAME_TURN - units);
}

/* The turn is over, and its handler has not come yet. */
static void turn_waits(uint16_t source)
{
    port.pending[source] = true;
}

/* Each test begins a turn of its own, in which all frames are open. */
static int reset(void **state)
{
    (void)port_reset(state);
    carillon_frame_turns();
    assert_int_equal(port.mask, 0u);
    assert_int_equal(port.needless, 0u);
    set_passed(0u);
    answer = PRO_IGNORE;
    asked = 0u;
    return 0;
}

static void check_too_early(uint32_t place)
{
    asked = 0u;
    assert_int_equal(carillon_osek_arrive(place, E_OK), E_OS_PROTECTION_ARRIVAL);
    assert_int_equal(asked, 1u);
}

static void check_arrives(uint32_t place)
{
    asked = 0u;
    assert_int_equal(carillon_osek_arrive(place, E_OK), E_OK);
    assert_int_equal(asked, 0u);
}

static void the_next_arrival_comes_a_frame_later_or_it_is_too_early(void **state)
{
    (void)state;
    set_passed(1000u);
    check_arrives(FRAMED);
    check_too_early(FRAMED);
    set_passed(1000u + FRAME - 1u);
    check_too_early(FRAMED);
    set_passed(1000u + FRAME);
    check_arrives(FRAMED);
    check_too_early(FRAMED);
}

static void the_shortest_frame_is_a_unit(void **state)
{
    (void)state;
    check_arrives(SHORT);
    check_too_early(SHORT);
    set_passed(1u);
    check_arrives(SHORT);
}

static void what_has_no_frame_arrives_at_any_time(void **state)
{
    (void)state;
    check_arrives(FREE);
    check_arrives(FREE);
}

/* An arrival that fails for another reason opens no frame. */
static void an_arrival_that_fails_anyway_is_none(void **state)
{
    (void)state;
    assert_int_equal(carillon_osek_arrive(FRAMED, E_OS_LIMIT), E_OS_LIMIT);
    check_arrives(FRAMED);
}

static void an_isr_runs_if_it_is_not_too_early(void **state)
{
    (void)state;
    port.mask = 2u;
    assert_true(carillon_isr_arrives(ISR));
    assert_int_equal(port.mask_at_read, CARILLON_OSEK_TOP);
    assert_false(carillon_isr_arrives(ISR));
    assert_int_equal(port.mask, 2u);
    set_passed(FRAME);
    assert_true(carillon_isr_arrives(ISR));
}

/* No answer but PRO_IGNORE is allowed. */
static void any_other_answer_shuts_down(void **state)
{
    (void)state;
    check_arrives(FRAMED);
    answer = PRO_TERMINATETASKISR;
    if (setjmp(ends) == 0) {
        (void)carillon_osek_arrive(FRAMED, E_OK);
        fail_msg("it goes on");
    }
}

/* The time goes on at the end of a turn whose handler is held back. */
static void the_time_goes_on_where_a_turn_is_not_counted_yet(void **state)
{
    (void)state;
    set_left(10u);
    check_arrives(FRAMED);
    turn_waits(CARILLON_FRAME_SOURCE);
    set_passed(FRAME - 10u - 1u);
    check_too_early(FRAMED);
    set_passed(FRAME - 10u);
    check_arrives(FRAMED);
    set_passed(FRAME - 10u + 1u);
    check_too_early(FRAMED);
}

/* A cell may read 0 there, where another one reads the whole turn. */
static void a_reading_of_nothing_left_is_the_beginning_of_a_turn(void **state)
{
    (void)state;
    set_left(FRAME - 1u);
    check_arrives(FRAMED);
    turn_waits(CARILLON_FRAME_SOURCE);
    set_left(0u);
    check_too_early(FRAMED);
    set_left(CARILLON_FRAME_TURN);
    check_too_early(FRAMED);
    set_passed(1u);
    check_arrives(FRAMED);
}

/* The turn ends between the reading of the counter and the look at the request. */
static uint32_t reads;
static void end_turn_after_the_first_read(uint32_t address)
{
    (void)address;
    reads++;
    if (reads == 2u) {
        set_passed(FRAME - 1u - 5u);
    }
}
static void a_turn_that_ends_after_the_reading_is_read_again(void **state)
{
    (void)state;
    set_left(5u);
    check_arrives(FRAMED);
    set_left(0u); /* what the first reading is */
    turn_waits(CARILLON_FRAME_SOURCE);
    reads = 0u;
    port_before_read = end_turn_after_the_first_read;
    check_too_early(FRAMED);
    assert_int_equal(reads, 2u);
    port_before_read = NULL;
    set_passed(FRAME - 5u);
    check_arrives(FRAMED);
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_next_arrival_comes_a_frame_later_or_it_is_too_early),
        TEST(the_shortest_frame_is_a_unit),
        TEST(what_has_no_frame_arrives_at_any_time),
        TEST(an_arrival_that_fails_anyway_is_none),
        TEST(an_isr_runs_if_it_is_not_too_early),
        TEST(any_other_answer_shuts_down),
        TEST(the_time_goes_on_where_a_turn_is_not_counted_yet),
        TEST(a_reading_of_nothing_left_is_the_beginning_of_a_turn),
        TEST(a_turn_that_ends_after_the_reading_is_read_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
