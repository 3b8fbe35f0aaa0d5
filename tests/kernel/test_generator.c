/* SPDX-License-Identifier: Apache-2.0
 *
 * S code that is made on the target of what the scheduler has decided (kernel/microcode/generator.c). */
#include "levels/port.h"

#include "kernel/microcode/generator.h"
#include "kernel/microcode/recorder.h"

#include <string.h>

enum { DECISIONS = 4, ROOM = 70000, MOST = 65534 };
#define CALL(driver) CARILLON_INSTRUCTION(CARILLON_OPCODE_CALL, 0u, (driver), 0u)
#define RETURN CARILLON_INSTRUCTION(CARILLON_OPCODE_RETURN, 0u, 0u, 0u)
#define DISPATCH(ticks, task, to) CARILLON_INSTRUCTION(CARILLON_OPCODE_DISPATCH_TIME, (ticks), (task), (to))

static const struct carillon_instruction blocks[] = {CALL(0u), RETURN, CALL(1u), RETURN};
static const struct carillon_microcode program = {.code = blocks, .size = 4u};
static struct carillon_instruction made[ROOM];

/* What has been recorded. */
static struct carillon_decision decisions[DECISIONS];
static uint32_t lengths[DECISIONS], count;

static void decided(uint16_t block, uint16_t task, uint32_t order, uint32_t length)
{
    decisions[count] = (struct carillon_decision){.order = order, .block = block, .task = task};
    lengths[count] = length;
    count++;
}

bool carillon_recorder_find(uint32_t place, struct carillon_decision *found)
{
    if (place < count) {
        *found = decisions[place];
    }
    return place < count;
}

uint32_t carillon_recorder_length(uint32_t place)
{
    return lengths[place];
}

static int reset(void **state)
{
    (void)state;
    memset(made, 0, sizeof made);
    count = 0u;
    return 0;
}

static void assert_made(const struct carillon_instruction *expected, uint32_t size)
{
    for (uint32_t k = 0u; k < size; k++) {
        assert_int_equal(made[k].word, expected[k].word);
        assert_int_equal(made[k].x, expected[k].x);
        assert_int_equal(made[k].y, expected[k].y);
    }
}

/* The tasks of a block go in order, each until the next block comes: after the fewest ticks that were seen. */
static void a_block_goes_on_in_its_s_code(void **state)
{
    (void)state;
    decided(2u, 1u, 10u, 9u);
    decided(4u, 0u, 3u, 8u);
    decided(2u, 0u, 5u, 7u);
    const struct carillon_instruction expected[] = {
        CALL(0u),
        CARILLON_INSTRUCTION(CARILLON_OPCODE_JUMP, 0u, 0u, 4u),
        CALL(1u),
        CARILLON_INSTRUCTION(CARILLON_OPCODE_JUMP, 0u, 0u, 7u),
        DISPATCH(7u, 0u, 6u),
        DISPATCH(7u, 1u, 6u),
        RETURN,
        DISPATCH(8u, 0u, 8u),
        RETURN,
    };
    assert_int_equal(carillon_generate(&program, made, 9u), 9u);
    assert_made(expected, 9u);
    assert_int_equal(carillon_generate(&program, made, ROOM), 9u);
    assert_made(expected, 9u);
}

/* Of tasks with equal orders, those come first that were declared first, whenever they were decided. */
static void tasks_with_one_order_go_by_their_numbers(void **state)
{
    (void)state;
    decided(2u, 3u, 5u, 9u);
    decided(2u, 0u, 5u, UINT32_MAX);
    decided(2u, 2u, 4u, 9u);
    decided(2u, 1u, 5u, 9u);
    const struct carillon_instruction expected[] = {
        CALL(0u),
        CARILLON_INSTRUCTION(CARILLON_OPCODE_JUMP, 0u, 0u, 4u),
        CALL(1u),
        RETURN,
        DISPATCH(9u, 2u, 8u),
        DISPATCH(9u, 0u, 8u),
        DISPATCH(9u, 1u, 8u),
        DISPATCH(9u, 3u, 8u),
        RETURN,
    };
    assert_int_equal(carillon_generate(&program, made, ROOM), 9u);
    assert_made(expected, 9u);
}

/* The first instruction may be the end of a block, and an instruction has room for so many ticks. */
static void a_program_of_one_return_goes_on_for_the_most_ticks(void **state)
{
    (void)state;
    const struct carillon_microcode least = {.code = &blocks[1], .size = 1u};
    decided(1u, 3u, 5u, 0x1000000u);
    const struct carillon_instruction expected[] = {CARILLON_INSTRUCTION(CARILLON_OPCODE_JUMP, 0u, 0u, 1u),
                                                    DISPATCH(0xFFFFFFu, 3u, 2u), RETURN};
    assert_int_equal(carillon_generate(&least, made, ROOM), 3u);
    assert_made(expected, 3u);
}

static void where_there_is_no_room_nothing_is_made(void **state)
{
    (void)state;
    decided(2u, 1u, 10u, 9u);
    assert_int_equal(carillon_generate(&program, made, 3u), 0u);
    assert_int_equal(carillon_generate(&program, made, 5u), 0u);
    assert_int_equal(made[5].word, 0u); /* nothing is written there */
    assert_int_equal(carillon_generate(&program, made, 6u), 6u);
}

/* What is no block that returns has no S code: the begin, an address behind the program, and another instruction. */
static void of_what_does_not_return_no_s_code_is_made(void **state)
{
    (void)state;
    static const uint16_t others[] = {0u, 1u, 5u, 3u};
    assert_int_equal(carillon_generate(&program, made, ROOM), 0u); /* nothing was decided */
    for (uint32_t k = 0u; k < DECISIONS; k++) {
        count = 0u;
        decided(others[k], 0u, 1u, 1u);
        assert_int_equal(carillon_generate(&program, made, ROOM), 0u);
        assert_made(blocks, 4u);
    }
}

/* Addresses have 16 bits, and the last one stands for none, whatever room there is. */
static void more_than_addresses_reach_is_not_made(void **state)
{
    (void)state;
    static struct carillon_instruction large[MOST];
    const struct carillon_microcode whole = {.code = large, .size = MOST};
    large[MOST - 1] = (struct carillon_instruction)RETURN;
    decided(MOST, 0u, 1u, 1u);
    decided(MOST, 1u, 2u, 1u);
    assert_int_equal(carillon_generate(&whole, made, ROOM), 0u);
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_block_goes_on_in_its_s_code),
        TEST(tasks_with_one_order_go_by_their_numbers),
        TEST(a_program_of_one_return_goes_on_for_the_most_ticks),
        TEST(where_there_is_no_room_nothing_is_made),
        TEST(of_what_does_not_return_no_s_code_is_made),
        TEST(more_than_addresses_reach_is_not_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
