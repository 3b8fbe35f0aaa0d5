/* SPDX-License-Identifier: Apache-2.0
 *
 * Disabling interrupts (kernel/levels/interrupt.c): chapter 13.3 of OSEK/VDX OS 2.2.3.  AUTOSAR OS, SWS_Os_00092: what
 * enables interrupts that nobody has disabled does nothing. */
#include "levels/port.h"

#include "kernel/levels/interrupt.h"

/* The mask of whoever calls. */
enum { BEFORE = 2 };

static int reset(void **state)
{
    carillon_osek_interrupts_reset();
    (void)port_reset(state);
    port.mask = BEFORE;
    return 0;
}

/* A pair in a pair: the inner one's end enables nothing. */
static void check_pairs_nest(void (*begin)(void), void (*end)(void), uint32_t masked)
{
    begin();
    assert_int_equal(port.mask, masked);
    begin();
    assert_int_equal(port.mask, masked);
    end();
    assert_int_equal(port.mask, masked);
    assert_true(carillon_osek_interrupts_disabled());
    end();
    assert_int_equal(port.mask, BEFORE);
    assert_false(carillon_osek_interrupts_disabled());
}

/* What ends no pair changes nothing, neither before a pair nor after it. */
static void check_does_nothing_alone(void (*begin)(void), void (*end)(void))
{
    end();
    assert_int_equal(port.mask, BEFORE);
    assert_false(carillon_osek_interrupts_disabled());
    begin();
    assert_true(carillon_osek_interrupts_disabled());
    end();
    assert_int_equal(port.mask, BEFORE);
    port.mask = BEFORE + 1u;
    end();
    assert_int_equal(port.mask, BEFORE + 1u);
    assert_false(carillon_osek_interrupts_disabled());
}

static void suspending_all_interrupts_nests(void **state)
{
    (void)state;
    check_pairs_nest(SuspendAllInterrupts, ResumeAllInterrupts, CARILLON_OSEK_ALL);
}

static void suspending_os_interrupts_nests(void **state)
{
    (void)state;
    check_pairs_nest(SuspendOSInterrupts, ResumeOSInterrupts, CARILLON_OSEK_SUSPENDED);
}

/* It does not nest: the first EnableAllInterrupts gives back what there was before the first DisableAllInterrupts. */
static void disabling_all_interrupts_keeps_what_there_was_first(void **state)
{
    (void)state;
    DisableAllInterrupts();
    DisableAllInterrupts();
    assert_int_equal(port.mask, CARILLON_OSEK_ALL);
    EnableAllInterrupts();
    assert_int_equal(port.mask, BEFORE);
    assert_false(carillon_osek_interrupts_disabled());
}

static void enabling_alone_does_nothing(void **state)
{
    (void)state;
    check_does_nothing_alone(DisableAllInterrupts, EnableAllInterrupts);
}

static void resuming_all_interrupts_alone_does_nothing(void **state)
{
    (void)state;
    check_does_nothing_alone(SuspendAllInterrupts, ResumeAllInterrupts);
}

static void resuming_os_interrupts_alone_does_nothing(void **state)
{
    (void)state;
    check_does_nothing_alone(SuspendOSInterrupts, ResumeOSInterrupts);
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(suspending_all_interrupts_nests),
        TEST(suspending_os_interrupts_nests),
        TEST(disabling_all_interrupts_keeps_what_there_was_first),
        TEST(enabling_alone_does_nothing),
        TEST(resuming_all_interrupts_alone_does_nothing),
        TEST(resuming_os_interrupts_alone_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
