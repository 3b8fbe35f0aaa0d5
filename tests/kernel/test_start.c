/* SPDX-License-Identifier: Apache-2.0
 *
 * How the system starts (kernel/run/start.c): chapter 13.7; in an image whose start is asked for by a library. */
#include "levels/ends.h"

#include "kernel/run/kernel.h"

#include "kernel/core/check.h"
#include "kernel/core/kernel.h"

enum { AUTOMATIC, OTHER, EXTENDED };
enum { WORDS = 8 };
static uint64_t stack[WORDS];
static struct carillon_osek_extended extended;
const struct carillon_osek_task carillon_osek_tasks[CARILLON_OSEK_TASKS] = {
    [AUTOMATIC] = {.level = 1u, .autostart = 1u},
    [OTHER] = {.level = 2u, .autostart = 2u}, /* in another mode, which the image does not have */
    [EXTENDED] = {.level = 3u, .extended = &extended, .stack = stack, .stack_words = WORDS},
};
struct carillon_osek_job carillon_osek_jobs[CARILLON_OSEK_TASKS];
const struct carillon_mode carillon_osek_image;
const struct carillon_store carillon_osek_forget[1];
const uint16_t carillon_osek_forget_count = 1u;
const struct carillon_store carillon_osek_enable[2];
const uint16_t carillon_osek_enable_count = 2u;

static bool refused;

bool carillon_start_refused(void)
{
    return refused;
}

void carillon_mode_store(const struct carillon_store *list, uint_fast16_t count)
{
    const bool forgets = list == carillon_osek_forget;
    assert_ptr_equal(list, forgets ? carillon_osek_forget : carillon_osek_enable);
    assert_int_equal(count, forgets ? 1u : 2u);
    assert_int_equal(port.mask, CARILLON_LEVELS);
    note(forgets ? "forget" : "enable");
}

void carillon_mode_start(const struct carillon_mode *mode)
{
    assert_ptr_equal(mode, &carillon_osek_image);
    assert_int_equal(port.mask, CARILLON_LEVELS);
    note("cells");
}

void carillon_osek_start_tables_on_cells(AppModeType mode)
{
    (void)mode;
    note("tables");
}

StatusType carillon_osek_activate(TaskType task)
{
    assert_int_equal(task, AUTOMATIC);
    assert_int_equal(carillon_osek_jobs[task].next, CARILLON_OSEK_UNDECIDED);
    note("activate");
    return E_OK;
}

void carillon_port_context(struct carillon_context *context, uint64_t *words, uint32_t count, carillon_vector function)
{
    (void)function;
    assert_ptr_equal(context, &extended.context);
    assert_ptr_equal(words, stack);
    assert_int_equal(count, WORDS);
    for (uint32_t word = 0u; word < WORDS; word++) {
        assert_true(stack[word] == FILL);
    }
    note("stack");
}

static void start(AppModeType mode)
{
    if (setjmp(ends) == 0) {
        StartOS(mode);
    }
}

static int reset(void **state)
{
    (void)port_reset(state);
    refused = false;
    to_send = 0u;
    return 0;
}

/* What is masked is so until everything has begun; then what has been recorded is sent, and the system idles. */
static void the_system_starts_and_idles(void **state)
{
    (void)state;
    to_send = 2u;
    mask_at_send = CARILLON_LEVELS;
    extended.set = 1u;
    start(0u);
    assert_log("stack forget cells activate tables enable send send idle ");
    assert_int_equal(mask_at_send, 0u);
    assert_int_equal(extended.set, 0u);
}

/* A library whose project has not left to the system what is its own starts nothing. */
static void a_start_that_is_refused_starts_nothing(void **state)
{
    (void)state;
    refused = true;
    start(0u);
    assert_log("halt ");
    assert_int_equal(port.mask, CARILLON_LEVELS);
}

static void there_is_no_start_in_a_mode_that_does_not_exist(void **state)
{
    (void)state;
    start(CARILLON_OSEK_MODES);
    assert_log("halt ");
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_system_starts_and_idles),
        TEST(a_start_that_is_refused_starts_nothing),
        TEST(there_is_no_start_in_a_mode_that_does_not_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
