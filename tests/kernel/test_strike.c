/* SPDX-License-Identifier: Apache-2.0
 *
 * What the handler of the cell of execution budgets does (kernel/run/strike.c), with dispatch by hardware and by
 * software: the job that is late ends where it runs, and is looked for again where something preempts it. */
#include "levels/port.h"

#include "kernel/run/strike.h"

#include "kernel/jobs/resource.h"
#include "kernel/jobs/task.h"

#include <string.h>

enum { FIRST, SECOND, TASKS };
enum { NOBODY, FIRST_SOURCE = 16, SECOND_SOURCE, ISR1_SOURCE, ISR2_SOURCE };
/* What the cell reads while units are left, and once they are used up. */
enum { LEFT = 100 };
#define USED_UP (CARILLON_BUDGET_RANGE - 100u)
#define IN_FIRST (CARILLON_OSEK_SOFTWARE ? NOBODY : FIRST_SOURCE)

const struct carillon_osek_task carillon_osek_tasks[TASKS] = {[FIRST] = {.level = 1u}, [SECOND] = {.level = 2u}};
struct carillon_osek_job carillon_osek_jobs[TASKS];
const uint16_t carillon_osek_contexts[CARILLON_SOURCES] = {[FIRST_SOURCE] = CARILLON_OSEK_TASK | 1u,
                                                           [SECOND_SOURCE] = CARILLON_OSEK_TASK | 2u,
                                                           [ISR1_SOURCE] = CARILLON_OSEK_ISR1 | 4u,
                                                           [ISR2_SOURCE] = CARILLON_OSEK_ISR2 | 4u};
volatile uint_fast8_t carillon_osek_running;
struct carillon_budget carillon_budget;
volatile uint16_t carillon_budget_isr;

static ProtectionReturnType answer;
static jmp_buf ends;

void carillon_osek_interrupts_reset(void)
{
    note("interrupts");
}

void carillon_osek_resources_reset(void)
{
    note("resources");
}

ProtectionReturnType carillon_osek_ask_protection(StatusType error)
{
    note((error == E_OS_PROTECTION_TIME) ? "time" : "other");
    assert_int_equal(carillon_budget.state, CARILLON_UNWATCHED);
    return answer;
}

void carillon_osek_end(void)
{
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    note("end");
    longjmp(ends, 1);
}

void carillon_port_unwind(void)
{
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    note("unwind");
    longjmp(ends, 1);
}

void ShutdownOS(StatusType error)
{
    note((error == E_OS_PROTECTION_TIME) ? "shutdown" : "other shutdown");
    longjmp(ends, 1);
}

/* A frame is the source that is served there, 0: none. */
uint32_t carillon_port_preempted(const void *frame)
{
    return *(const uint32_t *)frame;
}

void carillon_port_divert(const void *frame, carillon_vector function)
{
    (void)frame;
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    note("divert");
    port.mask = 0u; /* what the job itself has masked */
    function();
}

void carillon_port_note(uint32_t function)
{
    assert_int_equal(function, (uint32_t)(uintptr_t)carillon_osek_budget_overrun);
    note("overrun");
}

#if CARILLON_OSEK_SOFTWARE
uint32_t carillon_software_lock(void)
{
    return carillon_port_raise(CARILLON_OSEK_TOP);
}
void carillon_software_lower(carillon_software_state saved)
{
    carillon_port_restore(saved);
}
#endif

#if CARILLON_BUDGETS_IN_QUEUE
static void use_up(void)
{
}
#else
static void use_up(void)
{
    *port_register(CARILLON_BUDGET_COUNTER) = USED_UP;
}
#endif

static int reset(void **state)
{
    (void)port_reset(state);
    memset(carillon_osek_jobs, 0, sizeof carillon_osek_jobs);
    carillon_osek_jobs[FIRST].next = CARILLON_OSEK_UNDECIDED;
    carillon_osek_running = FIRST;
    carillon_budget_isr = 0u;
    carillon_budget.state = CARILLON_BUDGET_OF(FIRST);
    use_up();
    answer = PRO_TERMINATETASKISR;
    return 0;
}

#if CARILLON_BUDGETS_IN_QUEUE
/* The clock has found the job late: it ends where it is asked, which is in its own context. */
static void end_late_job(void)
{
    if (setjmp(ends) == 0) {
        carillon_budget_end_late_job();
    }
}
static void t_late(void **state)
{
    (void)state;
    end_late_job();
    assert_log("");
    assert_int_equal(port.mask, 0u);
    assert_int_equal(port.needless, 0u);
    carillon_budget.state |= CARILLON_LATE;
    end_late_job();
    assert_log("overrun interrupts time interrupts resources end ");
    assert_int_equal(carillon_osek_jobs[FIRST].next, CARILLON_OSEK_TERMINATED);
    assert_int_equal(carillon_budget.state, CARILLON_UNWATCHED);
}
#else
static void strike(uint32_t source)
{
    if (setjmp(ends) == 0) {
        carillon_budget_strikes(&source);
    }
}

static bool is_late(void)
{
    return (carillon_budget.state & CARILLON_LATE) != 0u;
}

static void t_ends_the_job(void **state)
{
    (void)state;
    strike(IN_FIRST);
    assert_log("overrun interrupts time divert interrupts resources end ");
    assert_int_equal(carillon_osek_jobs[FIRST].next, CARILLON_OSEK_TERMINATED);
    assert_true(port.mask >= carillon_port_mask_of(CARILLON_OSEK_TOP));
}

/* It was ending, and has chained another task: that is activated all the same. */
static void t_ends_what_chains(void **state)
{
    (void)state;
    carillon_osek_jobs[FIRST].next = SECOND;
    strike(IN_FIRST);
    assert_log("overrun interrupts time divert interrupts resources end ");
    assert_int_equal(carillon_osek_jobs[FIRST].next, SECOND);
}

static void t_shuts_down(void **state)
{
    (void)state;
    answer = PRO_SHUTDOWN;
    strike(IN_FIRST);
    assert_log("overrun interrupts time shutdown ");
    assert_int_equal(carillon_osek_jobs[FIRST].next, CARILLON_OSEK_UNDECIDED);
}

/* A request of a job that has gone: nobody is watched, or units are left, but a job that is known to be late ends. */
static void t_of_former_jobs(void **state)
{
    (void)state;
    carillon_budget.state = CARILLON_UNWATCHED;
    strike(IN_FIRST);
    assert_log("");
    carillon_budget.state = CARILLON_BUDGET_OF(FIRST);
    *port_register(CARILLON_BUDGET_COUNTER) = LEFT;
    strike(IN_FIRST);
    assert_log("");
    assert_false(is_late());
    carillon_budget.state |= CARILLON_LATE;
    strike(IN_FIRST);
    assert_log("overrun interrupts time divert interrupts resources end ");
}

/* What preempts the job does not end: the cell asks again, each time 4 units sooner than the last, from 64 on.  In an
 * ISR of category 1, which may be long, it takes its time, and the others go on where they were. */
static uint32_t asks_in(uint32_t source)
{
    strike(source);
    assert_log("");
    assert_true(is_late());
    return *port_register(CARILLON_BUDGET_COUNTER);
}
static void t_asks_again(void **state)
{
    (void)state;
    for (uint32_t i = 0u; i < 3u; i++) {
        for (uint32_t units = CARILLON_BUDGET_RETRY; units != 0u; units -= CARILLON_BUDGET_STEP) {
            assert_int_equal(asks_in((i == 2u) ? SECOND_SOURCE : ISR2_SOURCE), units);
            if (units == 40u) {
                assert_int_equal(asks_in(ISR1_SOURCE), CARILLON_BUDGET_PATIENCE);
            }
        }
    }
    assert_int_equal(carillon_osek_jobs[FIRST].next, CARILLON_OSEK_UNDECIDED);
    strike(IN_FIRST);
    assert_log("overrun interrupts time divert interrupts resources end ");
}

#if !CARILLON_OSEK_SOFTWARE
/* Nothing is served: the kernel is between two handlers.  The round of 16 answers ends where it began. */
static void t_in_nothing(void **state)
{
    (void)state;
    assert_int_equal(asks_in(NOBODY), CARILLON_BUDGET_RETRY);
    for (uint32_t i = 1u; i < (CARILLON_BUDGET_RETRY / CARILLON_BUDGET_STEP); i++) {
        (void)asks_in(NOBODY);
    }
    carillon_osek_running = SECOND;
    strike(SECOND_SOURCE);
    assert_log("overrun interrupts time divert interrupts resources end ");
}

/* The ISR that is watched ends in its own frame; the task that it has preempted does not. */
static void t_ends_the_isr(void **state)
{
    (void)state;
    carillon_budget_isr = ISR2_SOURCE;
    assert_int_equal(asks_in(FIRST_SOURCE), CARILLON_BUDGET_RETRY);
    strike(ISR2_SOURCE);
    assert_log("overrun interrupts time divert interrupts resources unwind ");
    assert_int_equal(carillon_osek_jobs[FIRST].next, CARILLON_OSEK_UNDECIDED);
}
#endif

#endif

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
#if CARILLON_BUDGETS_IN_QUEUE
        TEST(t_late),
#else
        TEST(t_ends_the_job),
        TEST(t_ends_what_chains),
        TEST(t_shuts_down),
        TEST(t_of_former_jobs),
        TEST(t_asks_again),
#if !CARILLON_OSEK_SOFTWARE
        TEST(t_in_nothing),
        TEST(t_ends_the_isr),
#endif
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
