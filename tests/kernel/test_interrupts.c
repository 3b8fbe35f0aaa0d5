/* SPDX-License-Identifier: Apache-2.0
 *
 * Disabling interrupts (kernel/levels/interrupt.c): chapter 13.3 of OSEK/VDX OS 2.2.3.  AUTOSAR OS, SWS_Os_00092: what
 * enables interrupts that nobody has disabled does nothing.  With lock budgets, what begins and ends a lock. */
#include "levels/port.h"

#include "kernel/levels/interrupt.h"

/* The mask of whoever calls. */
enum { BEFORE = 2 };

/* A service suspends and resumes interrupts itself, and so does an ISR of category 1 that comes between any two blocks of
 * its code, where nothing masks that: after `until` blocks, once. */
static bool calls, comes;
static uint32_t position, until;

static void isr_of_category_1(void)
{
    const uint32_t mask = port.mask;
    SuspendAllInterrupts();
    SuspendOSInterrupts();
    assert_int_equal(port.mask, CARILLON_OSEK_ALL);
    ResumeOSInterrupts();
    assert_int_equal(port.mask, CARILLON_OSEK_ALL);
    ResumeAllInterrupts();
    SuspendOSInterrupts();
    ResumeOSInterrupts();
    assert_int_equal(port.mask, mask);
}

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    if (calls) {
        if ((position >= until) && (port.mask < CARILLON_OSEK_ALL)) {
            calls = false;
            comes = true;
            isr_of_category_1();
            return;
        }
        position++;
    }
}

#if CARILLON_OSEK_LOCKS > 0
static uint32_t limits[CARILLON_OSEK_LOCKS];
void carillon_osek_lock_begins(uint32_t lock)
{
    assert_int_equal(port.mask, CARILLON_OSEK_ALL);
    limits[lock]++;
}
void carillon_osek_lock_ends(uint32_t lock)
{
    assert_int_equal(port.mask, CARILLON_OSEK_ALL);
    assert_true(limits[lock] > 0u);
    limits[lock] = 0u;
}
static void assert_limited(uint32_t lock, uint32_t times)
{
    assert_int_equal(limits[lock], times);
}
#endif

static int reset(void **state)
{
    carillon_osek_interrupts_reset();
    (void)port_reset(state);
    port.mask = BEFORE;
    calls = false;
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

/* The end of a job forgets each of them, however deep; its handler restores the mask. */
static void check_is_forgotten(void (*begin)(void), void (*end)(void))
{
    begin();
    begin();
    assert_true(carillon_osek_interrupts_disabled());
    carillon_osek_interrupts_reset();
    assert_false(carillon_osek_interrupts_disabled());
    port.mask = BEFORE + 1u; /* of the next job */
    end();
    assert_int_equal(port.mask, BEFORE + 1u);
    begin();
    end();
    assert_int_equal(port.mask, BEFORE + 1u);
}

static void the_end_of_a_job_forgets_what_it_has_disabled(void **state)
{
    (void)state;
    check_is_forgotten(DisableAllInterrupts, EnableAllInterrupts);
    check_is_forgotten(SuspendAllInterrupts, ResumeAllInterrupts);
    check_is_forgotten(SuspendOSInterrupts, ResumeOSInterrupts);
}

#if CARILLON_OSEK_LOCKS > 0
/* The limit of a lock begins with the outer one of a pair, and ends with it. */
static void a_lock_that_has_a_limit_begins_and_ends_with_the_outer_pair(void **state)
{
    (void)state;
    DisableAllInterrupts();
    assert_limited(CARILLON_LOCK_DISABLED, 1u);
    SuspendAllInterrupts();
    assert_limited(CARILLON_LOCK_ALL, 1u);
    SuspendAllInterrupts();
    SuspendOSInterrupts();
    assert_limited(CARILLON_LOCK_OS, 1u);
    SuspendOSInterrupts();
    ResumeOSInterrupts();
    assert_limited(CARILLON_LOCK_OS, 2u);
    ResumeOSInterrupts();
    assert_limited(CARILLON_LOCK_OS, 0u);
    ResumeOSInterrupts(); /* which ends nothing */
    ResumeAllInterrupts();
    assert_limited(CARILLON_LOCK_ALL, 2u);
    ResumeAllInterrupts();
    assert_limited(CARILLON_LOCK_ALL, 0u);
    ResumeAllInterrupts();
    assert_limited(CARILLON_LOCK_DISABLED, 1u);
    EnableAllInterrupts();
    assert_limited(CARILLON_LOCK_DISABLED, 0u);
    EnableAllInterrupts();
    assert_int_equal(port.mask, BEFORE);
}
#endif

/* What is kept of a pair is that pair's, wherever an interrupt has had a pair of its own. */
static void an_interrupt_of_category_1_may_suspend_between_any_two_instructions(void **state)
{
    static void (*const pairs[][2])(void) = {{SuspendAllInterrupts, ResumeAllInterrupts},
                                             {SuspendOSInterrupts, ResumeOSInterrupts},
                                             {DisableAllInterrupts, EnableAllInterrupts}};
    for (uint32_t first = 0u; first < 3u; first++) {
        for (uint32_t second = 0u; second < 3u; second++) {
            until = 0u;
            do {
                (void)reset(state);
                position = 0u;
                comes = false;
                calls = true;
                pairs[first][0]();
                pairs[second][0]();
                pairs[second][1]();
                pairs[first][1]();
                calls = false;
                assert_int_equal(port.mask, BEFORE);
                assert_false(carillon_osek_interrupts_disabled());
                until++;
            } while (comes);
            assert_in_range(until, 3u, 100u);
        }
    }
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
        TEST(the_end_of_a_job_forgets_what_it_has_disabled),
#if CARILLON_OSEK_LOCKS > 0
        TEST(a_lock_that_has_a_limit_begins_and_ends_with_the_outer_pair),
#endif
        TEST(an_interrupt_of_category_1_may_suspend_between_any_two_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
