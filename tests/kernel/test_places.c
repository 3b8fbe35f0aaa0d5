/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a call comes from (kernel/jobs/error.c), and which ISR runs (kernel/jobs/isr.c). */
#include "levels/port.h"

#include "kernel/jobs/error.h"
#include "kernel/jobs/resource.h"

enum { ISR2_SOURCE = 1, TASK_SOURCE = 16, ISR1_SOURCE, OTHER_SOURCE, ROUND_SOURCE };
enum { TASK_NUMBER = 1 };

const uint16_t carillon_osek_contexts[CARILLON_SOURCES] = {
    [TASK_SOURCE] = CARILLON_OSEK_TASK | 1u,
    [ISR1_SOURCE] = CARILLON_OSEK_ISR1 | 4u,
    [ISR2_SOURCE] = CARILLON_OSEK_ISR2 | 4u,
    [OTHER_SOURCE] = CARILLON_OSEK_ISR2 | 4u,
};
const uint16_t carillon_osek_isr_sources[CARILLON_OSEK_ISRS] = {ISR2_SOURCE, ISR1_SOURCE};
const uint32_t carillon_osek_isr_budgets[CARILLON_OSEK_ISRS] = {70u};
const struct carillon_osek_task carillon_osek_tasks[CARILLON_OSEK_TASKS];
volatile uint_fast8_t carillon_osek_running;
volatile uint8_t carillon_osek_hook;
volatile uint16_t carillon_osek_hook_source;
volatile bool carillon_osek_over[CARILLON_OSEK_TASK_LEVELS + 1u];
static struct carillon_osek_failure told;
static uint32_t errors;

void ErrorHook(StatusType status)
{
    assert_int_equal(carillon_osek_place(), IN_ERROR_HOOK);
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    told = carillon_osek_failure;
    assert_int_equal(told.status, status);
    errors++;
}

static uint32_t noted;
void carillon_port_note(uint32_t function)
{
    noted = function;
}
static void assert_noted(carillon_vector function)
{
    assert_int_equal(noted, (uint32_t)(uintptr_t)function);
    noted = 0u;
}

void carillon_port_call_as(carillon_vector recorded, carillon_vector function)
{
    assert_ptr_equal(recorded, carillon_budget.function);
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    function();
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
}

void carillon_budget_forget(void)
{
}

bool carillon_osek_holds_none(void)
{
    return true;
}

bool carillon_osek_interrupts_disabled(void)
{
    return false;
}

void carillon_osek_interrupts_reset(void)
{
}

void carillon_osek_resources_release(void)
{
}

static int reset(void **state)
{
    (void)port_reset(state);
    carillon_osek_running = INVALID_TASK;
    carillon_osek_hook = 0u;
    carillon_osek_hook_source = 0u;
    carillon_budget_isr = 0u;
    errors = 0u;
    return 0;
}

/* Before StartOS, and where the system idles, no place is that of a task. */
static void where_no_task_runs_a_call_comes_from_nowhere(void **state)
{
    (void)state;
    assert_int_equal(carillon_osek_place(), 0u);
    carillon_osek_running = TASK_NUMBER;
    assert_int_equal(carillon_osek_place(), IN_TASK);
}

static void each_handler_is_a_place_of_its_own(void **state)
{
    (void)state;
    carillon_osek_running = TASK_NUMBER; /* what the others have preempted */
    port.current = TASK_SOURCE;
    assert_int_equal(carillon_osek_place(), IN_TASK);
    port.current = ISR1_SOURCE;
    assert_int_equal(carillon_osek_place(), IN_ISR1);
    port.current = ISR2_SOURCE;
    assert_int_equal(carillon_osek_place(), IN_ISR2);
    port.current = ROUND_SOURCE; /* what is time-triggered may call nothing */
    assert_int_equal(carillon_osek_place(), 0u);
}

static void a_hook_is_a_place_but_not_for_what_interrupts_it(void **state)
{
    (void)state;
    carillon_osek_running = TASK_NUMBER;
    port.current = TASK_SOURCE;
    const struct carillon_osek_hook_state before = carillon_osek_enter_hook(IN_TASK_HOOK);
    assert_int_equal(carillon_osek_place(), IN_TASK_HOOK);
    port.current = ISR2_SOURCE;
    assert_int_equal(carillon_osek_place(), IN_ISR2);
    port.current = TASK_SOURCE;
    carillon_osek_leave_hook(before);
    assert_int_equal(carillon_osek_place(), IN_TASK);
}

/* What an alarm or a point on a cell does fails as the service does. */
static void what_a_cell_does_fails_as_the_service(void **state)
{
    (void)state;
    carillon_osek_cell_fails(CARILLON_ACTION_ACTIVATE, TASK_NUMBER, 0u, E_OS_LIMIT);
    assert_int_equal(told.service, OSServiceId_ActivateTask);
    assert_int_equal(told.status, E_OS_LIMIT);
    assert_int_equal(told.object, TASK_NUMBER);
    carillon_osek_cell_fails(CARILLON_ACTION_SET_EVENT, TASK_NUMBER, 4u, E_OS_STATE);
    assert_int_equal(told.service, OSServiceId_SetEvent);
    assert_int_equal(told.status, E_OS_STATE);
    assert_int_equal(told.object, TASK_NUMBER);
    assert_int_equal(told.first, 4u);
    assert_int_equal(errors, 2u);
    assert_noted((carillon_vector)carillon_osek_fail);
    assert_int_equal(port.mask, 0u);
    assert_int_equal(port.needless, 0u);
}

/* The hook is asked as itself, and what it says is what is done. */
static ProtectionReturnType answer;
ProtectionReturnType ProtectionHook(StatusType error)
{
    assert_int_equal(error, E_OS_PROTECTION_ARRIVAL);
    assert_int_equal(carillon_osek_place(), IN_PROTECTION_HOOK);
    return answer;
}
static void the_protection_hook_is_asked(void **state)
{
    (void)state;
    carillon_osek_running = TASK_NUMBER;
    answer = PRO_TERMINATETASKISR;
    assert_int_equal(carillon_osek_ask_protection(E_OS_PROTECTION_ARRIVAL), PRO_TERMINATETASKISR);
    answer = PRO_IGNORE;
    assert_int_equal(carillon_osek_ask_protection(E_OS_PROTECTION_ARRIVAL), PRO_IGNORE);
    assert_int_equal(carillon_osek_place(), IN_TASK);
    assert_noted((carillon_vector)carillon_osek_ask_protection);
}

/* An ISR with a budget: its function runs with what was masked before, and is watched; and so is the one that preempts it. */
static void check_within(void)
{
    assert_int_equal(port.mask, 1u);
    assert_int_equal(carillon_budget.state, CARILLON_BUDGET_OF(CARILLON_BUDGET_OF_ISR));
    assert_int_equal(*port_register(CARILLON_BUDGET_COUNTER), 70u);
    assert_int_equal(carillon_budget_isr, port.current);
}
static void inner(void)
{
    assert_int_equal(port.current, OTHER_SOURCE);
    check_within();
    note("inner");
}
static void outer(void)
{
    check_within();
    *port_register(CARILLON_BUDGET_COUNTER) = 9u;
    port.current = OTHER_SOURCE;
    carillon_isr_within(0u, inner);
    port.current = ISR2_SOURCE;
    assert_int_equal(port.mask, 1u);
    assert_int_equal(carillon_budget_isr, ISR2_SOURCE);
    assert_int_equal(carillon_budget.state, CARILLON_UNWATCHED); /* what preempts takes and gives it back itself */
    note("outer");
}
static void an_isr_runs_within_its_budget(void **state)
{
    (void)state;
    port.current = ISR2_SOURCE;
    port.mask = 1u;
    carillon_isr_within(0u, outer);
    assert_log("inner outer ");
    assert_int_equal(port.mask, 1u);
    assert_int_equal(carillon_budget_isr, 0u);
    assert_int_equal(carillon_budget.state, CARILLON_UNWATCHED);
}

/* GetISRID names the ISR of category 2 that calls. */
static void the_isr_that_runs_is_the_one_of_its_source(void **state)
{
    (void)state;
    assert_int_equal(GetISRID(), INVALID_ISR);
    port.current = TASK_SOURCE;
    assert_int_equal(GetISRID(), INVALID_ISR);
    port.current = ISR1_SOURCE;
    assert_int_equal(GetISRID(), INVALID_ISR);
    port.current = ISR2_SOURCE;
    assert_int_equal(GetISRID(), 0u);
}

/* In ProtectionHook it names the one that is late: the hook's own handler is the cell's. */
static void in_the_protection_hook_it_is_the_one_that_is_late(void **state)
{
    (void)state;
    carillon_budget_isr = ISR2_SOURCE;
    port.current = OTHER_SOURCE; /* which has preempted it */
    assert_int_equal(GetISRID(), INVALID_ISR);
    port.current = CARILLON_BUDGET_SOURCE;
    const struct carillon_osek_hook_state before = carillon_osek_enter_hook(IN_PROTECTION_HOOK);
    assert_int_equal(GetISRID(), 0u);
    carillon_budget_isr = 0u; /* a task is late */
    assert_int_equal(GetISRID(), INVALID_ISR);
    port.current = ISR2_SOURCE; /* one that comes too early asks itself */
    assert_int_equal(GetISRID(), 0u);
    carillon_osek_leave_hook(before);
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(where_no_task_runs_a_call_comes_from_nowhere),
        TEST(each_handler_is_a_place_of_its_own),
        TEST(a_hook_is_a_place_but_not_for_what_interrupts_it),
        TEST(what_a_cell_does_fails_as_the_service),
        TEST(the_isr_that_runs_is_the_one_of_its_source),
        TEST(in_the_protection_hook_it_is_the_one_that_is_late),
        TEST(the_protection_hook_is_asked),
        TEST(an_isr_runs_within_its_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
