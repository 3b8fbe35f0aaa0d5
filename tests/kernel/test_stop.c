/* SPDX-License-Identifier: Apache-2.0
 *
 * How the system ends (kernel/jobs/stop.c): chapter 13.7; and stacks that do not suffice. */
#include "levels/ends.h"

#include "kernel/core/kernel.h"
#include "kernel/jobs/stop.h"

enum { BASIC, EXTENDED, TASKS };
enum { WORDS = 16, DISABLED = 0x5000 };
/* What is time-triggered is above all that is masked here. */
enum { MASKED = (CARILLON_MODES > 0) ? CARILLON_OSEK_ALL : CARILLON_LEVELS };

static uint64_t stack[WORDS];
static struct carillon_osek_extended extended;
const struct carillon_osek_task carillon_osek_tasks[TASKS] = {
    [EXTENDED] = {.level = 1u, .extended = &extended, .stack = stack, .stack_words = WORDS}};
const struct carillon_mode carillon_osek_image;
const struct carillon_store carillon_osek_disable[] = {CARILLON_STORE(DISABLED, 1u)};
const uint16_t carillon_osek_disable_count = CARILLON_COUNT(carillon_osek_disable);
bool carillon_osek_up;
volatile uint_fast8_t carillon_osek_running;
volatile uint8_t carillon_osek_hook;
volatile uint16_t carillon_osek_hook_source;
volatile bool carillon_osek_over[CARILLON_OSEK_TASK_LEVELS + 1u];

static StatusType shut_down;

void carillon_mode_stop(const struct carillon_mode *mode)
{
    assert_ptr_equal(mode, &carillon_osek_image);
    assert_int_equal(port.mask, MASKED);
    assert_false(carillon_osek_up);
    note("stop");
}

void carillon_mode_store(const struct carillon_store *list, uint_fast16_t count)
{
    assert_ptr_equal(list, carillon_osek_disable);
    assert_int_equal(count, 1u);
    note("disable");
}

void ShutdownHook(StatusType error)
{
    assert_int_equal(port.mask, MASKED);
    assert_int_equal(carillon_osek_hook, IN_SYSTEM_HOOK);
    shut_down = error;
    note("hook");
}

static int reset(void **state)
{
    (void)port_reset(state);
    for (uint32_t word = 0u; word < WORDS; word++) {
        stack[word] = FILL;
    }
    carillon_osek_hook = 0u;
    carillon_osek_up = CARILLON_MODES > 0; /* else nobody asks */
    to_send = 0u;
    shut_down = E_OK;
    return 0;
}

/* Alone in its image, the system halts; beneath rounds, these go on, and what has been recorded is sent. */
static void the_system_stops_what_is_its_own(void **state)
{
    (void)state;
    to_send = 2u;
    if (setjmp(ends) == 0) {
        ShutdownOS(E_OS_RESOURCE);
    }
    assert_log((CARILLON_MODES > 0) ? "stop disable hook send send idle " : "stop disable hook halt ");
    assert_int_equal(shut_down, E_OS_RESOURCE);
}

static void a_stack_is_used_up_to_the_word_that_nobody_has_written(void **state)
{
    (void)state;
    assert_int_equal(carillon_stack_used(EXTENDED), 0u);
    stack[WORDS - 1u] = 1u;
    assert_int_equal(carillon_stack_used(EXTENDED), 8u);
    stack[5] = 1u; /* and nothing between both */
    assert_int_equal(carillon_stack_used(EXTENDED), 8u * (WORDS - 5u));
    stack[0] = 1u;
    assert_int_equal(carillon_stack_used(EXTENDED), 8u * WORDS);
}

/* The guard's words are the lowest. */
static void a_task_that_has_written_to_the_guard_below_its_stack_shuts_down(void **state)
{
    (void)state;
    stack[CARILLON_OSEK_GUARD] = 1u;
    carillon_osek_check_stack(&carillon_osek_tasks[EXTENDED]);
    assert_log("");
    for (uint32_t word = 0u; word < CARILLON_OSEK_GUARD; word++) {
        (void)reset(state);
        stack[word] = ~FILL;
        if (setjmp(ends) == 0) {
            carillon_osek_check_stack(&carillon_osek_tasks[EXTENDED]);
        }
        assert_int_equal(shut_down, E_OS_STACKFAULT);
    }
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_system_stops_what_is_its_own),
        TEST(a_stack_is_used_up_to_the_word_that_nobody_has_written),
        TEST(a_task_that_has_written_to_the_guard_below_its_stack_shuts_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
