/* SPDX-License-Identifier: Apache-2.0
 *
 * Services of tasks (kernel/jobs/task.c) where there are direct tasks, beside one that is managed.  In standard status
 * there is no error hook, and nothing checks from where a service is called. */
#include "levels/port.h"

#include "kernel/jobs/task.h"

#include <string.h>

/* The direct tasks LOW and HIGH of the levels 1 and 3, and a managed one between them, which an internal resource
 * raises to HIGH's level. */
enum { LOW, MANAGED, HIGH };
enum { LOW_SOURCE = 16, MANAGED_SOURCE, HIGH_SOURCE };

/* The cells of a task's level, which have nothing to ask for: how often they have been looked at, under the lock. */
static uint32_t looks;
static bool masked; /* until the handler ends */
static void look(void)
{
    assert_true(masked || (port.mask == CARILLON_OSEK_TOP));
    looks++;
}
static void assert_looks(uint32_t wanted)
{
    assert_int_equal(looks, wanted);
    looks = 0u;
}

#define AT(number, name) \
    [name] = {.level = (number), .source = name##_SOURCE, .request = CARILLON_STORE_PEND(name##_SOURCE), .cells = look
const struct carillon_osek_task carillon_osek_tasks[CARILLON_OSEK_TASKS] = {AT(1u, LOW), .ceiling = 1u, .direct = 1u},
                                AT(2u, MANAGED), .ceiling = 3u, .activations = 1u
}
, AT(3u, HIGH), .ceiling = 3u, .direct = 1u
}
,
}
;
static uint8_t ring[2];
static struct carillon_osek_ring waiting;
const struct carillon_osek_level carillon_osek_levels[CARILLON_OSEK_TASK_LEVELS + 1u] = {
    [1] = {.source = LOW_SOURCE, .task = LOW},
    [2] = {.source = MANAGED_SOURCE, .task = MANAGED, .ring = ring, .state = &waiting, .capacity = 2u},
    [3] = {.source = HIGH_SOURCE, .task = HIGH},
};
const uint16_t carillon_osek_contexts[CARILLON_SOURCES] = {
    [LOW_SOURCE] = CARILLON_OSEK_TASK | 1u,
    [MANAGED_SOURCE] = CARILLON_OSEK_TASK | 2u,
    [HIGH_SOURCE] = CARILLON_OSEK_TASK | 3u,
};
struct carillon_osek_job carillon_osek_jobs[CARILLON_OSEK_TASKS];
struct carillon_osek_extended carillon_extended_Second;
volatile bool carillon_osek_over[CARILLON_OSEK_TASK_LEVELS + 1u];
volatile uint8_t carillon_osek_hook;

static jmp_buf end;

void carillon_port_unwind(void)
{
    note("unwind");
    longjmp(end, 1);
}

void carillon_port_leave(struct carillon_context *context)
{
    (void)context;
    fail_msg("no task is extended");
    longjmp(end, 1);
}

void carillon_port_mask_until_end(void)
{
    note("mask");
    masked = true;
}

void carillon_port_unmask(void)
{
    note("unmask");
    masked = false;
}

void carillon_port_context(struct carillon_context *context, uint64_t *stack, uint32_t words, carillon_vector function)
{
    (void)context;
    (void)stack;
    (void)words;
    (void)function;
}

void carillon_port_suspend(struct carillon_context *context)
{
    assert_ptr_equal(context, &carillon_extended_Second.context);
    assert_int_equal(port.mask, CARILLON_OSEK_TOP); /* where a task waits, the kernel is locked */
    note("suspend");
    port.mask = 0u;
}

void carillon_cells_2(void)
{
    fail_msg("the cells of its level ask for nothing");
}

void carillon_osek_call_cells(carillon_vector cells)
{
    cells();
}

/* What leaves its task does not return. */
static const StatusType LEFT = 0x77;
static StatusType chain(TaskType task)
{
    return (setjmp(end) == 0) ? carillon_osek_ChainTask(task) : LEFT;
}

/* The code of a task calls. */
static void run(TaskType task)
{
    port.current = carillon_osek_tasks[task].source;
    port.active[port.current] = true;
    carillon_osek_running = (task == MANAGED) ? MANAGED : INVALID_TASK;
    masked = false;
}

static int reset(void **state)
{
    (void)port_reset(state);
    memset(carillon_osek_jobs, 0, sizeof carillon_osek_jobs);
    memset(&waiting, 0, sizeof waiting);
    for (uint32_t task = 0u; task < CARILLON_OSEK_TASKS; task++) {
        carillon_osek_jobs[task].next = CARILLON_OSEK_UNDECIDED;
    }
    carillon_osek_running = INVALID_TASK;
    looks = 0u;
    return 0;
}

/* It does not chain as a direct task: its level's handler finds what it has chained. */
static void a_managed_task_is_one_where_its_handler_is_lowered(void **state)
{
    (void)state;
    run(MANAGED);
    port.current = 0u;
    assert_int_equal(chain(MANAGED), LEFT);
    assert_log("unwind ");
    assert_int_equal(carillon_osek_jobs[MANAGED].next, MANAGED);
    assert_false(port.pending[MANAGED_SOURCE]);
}

static void a_direct_task_has_no_job_of_the_managed_one_that_it_preempts(void **state)
{
    (void)state;
    run(MANAGED);
    run(HIGH);
    carillon_osek_running = MANAGED;
    assert_int_equal(chain(LOW), LEFT);
    assert_log("mask unwind ");
    assert_int_equal(carillon_osek_jobs[MANAGED].next, CARILLON_OSEK_UNDECIDED);
}

/* A task that is chained is activated, and begins when the caller has ended: nothing is taken from the call on.  What
 * the caller's cell has requested meanwhile is one activation too many. */
static void a_direct_task_chains_a_managed_one(void **state)
{
    (void)state;
    run(HIGH);
    port.pending[HIGH_SOURCE] = true;
    assert_int_equal(chain(MANAGED), LEFT);
    assert_log("mask unwind ");
    assert_int_equal(carillon_osek_jobs[MANAGED].activations, 1u);
    assert_int_equal(waiting.count, 1u);
    assert_int_equal(ring[0], MANAGED);
    assert_true(port.pending[MANAGED_SOURCE]);
    assert_false(port.pending[HIGH_SOURCE]);
}

static void a_direct_task_goes_on_if_the_managed_one_has_all_its_activations(void **state)
{
    (void)state;
    run(HIGH);
    port.pending[HIGH_SOURCE] = true;
    carillon_osek_jobs[MANAGED].activations = 1u;
    assert_int_equal(chain(MANAGED), E_OS_LIMIT);
    assert_log("mask unmask ");
    assert_int_equal(carillon_osek_jobs[MANAGED].activations, 1u);
    assert_false(port.pending[MANAGED_SOURCE]);
    assert_true(port.pending[HIGH_SOURCE]);
}

/* Of a direct task that has begun or waits the controller has the one activation that it can have. */
static void a_direct_task_chains_another_one_that_neither_runs_nor_waits(void **state)
{
    (void)state;
    run(HIGH);
    port.active[LOW_SOURCE] = true;
    assert_int_equal(chain(LOW), E_OS_LIMIT);
    assert_log("mask unmask ");
    assert_false(port.pending[LOW_SOURCE]);
    port.active[LOW_SOURCE] = false;
    port.pending[LOW_SOURCE] = true;
    assert_int_equal(chain(LOW), E_OS_LIMIT);
    assert_log("mask unmask ");
    port.pending[LOW_SOURCE] = false;
    assert_int_equal(chain(LOW), LEFT);
    assert_log("mask unwind ");
    assert_true(port.pending[LOW_SOURCE]);
}

static void a_direct_task_chains_itself_while_it_runs(void **state)
{
    (void)state;
    run(HIGH);
    assert_int_equal(chain(HIGH), LEFT);
    assert_true(port.pending[HIGH_SOURCE]);
    assert_int_equal(carillon_osek_again, HIGH_SOURCE); /* the end of its handler is not to forget it */
}

/* The direct task must not begin before the caller has ended: its level stays masked. */
static void a_managed_task_chains_a_direct_one(void **state)
{
    (void)state;
    run(MANAGED);
    assert_int_equal(chain(HIGH), LEFT);
    assert_log("unwind ");
    assert_true(port.pending[HIGH_SOURCE]);
    assert_int_equal(port.mask, 3u);
}

static void what_a_managed_task_had_masked_stays_so_when_it_chains_a_direct_one(void **state)
{
    (void)state;
    run(MANAGED);
    port.mask = 3u;
    assert_int_equal(chain(LOW), LEFT);
    assert_true(port.pending[LOW_SOURCE]);
    assert_int_equal(port.mask, 3u);
}

static void a_managed_task_goes_on_if_the_direct_one_runs_or_waits(void **state)
{
    (void)state;
    run(MANAGED);
    port.active[LOW_SOURCE] = true;
    assert_int_equal(chain(LOW), E_OS_LIMIT);
    assert_false(port.pending[LOW_SOURCE]);
    port.active[LOW_SOURCE] = false;
    port.pending[LOW_SOURCE] = true;
    assert_int_equal(chain(LOW), E_OS_LIMIT);
    assert_log("");
    assert_int_equal(port.mask, 0u);
}

/* A claim asks for a run that cannot begin at once: below what runs, or what that has masked.  Any other one is left to
 * the caller. */
static void a_claim_requests_what_cannot_begin_now(void **state)
{
    (void)state;
    run(LOW);
    assert_int_equal(carillon_osek_claim(HIGH), E_OK);
    assert_false(port.pending[HIGH_SOURCE]);
    port.mask = 3u;
    assert_int_equal(carillon_osek_claim(HIGH), E_OK);
    assert_true(port.pending[HIGH_SOURCE]);
    assert_int_equal(carillon_osek_claim(HIGH), E_OS_LIMIT);
    assert_int_equal(port.mask, 3u);
    port.mask = 0u;
    port.active[LOW_SOURCE] = false;
    run(HIGH);
    assert_int_equal(carillon_osek_claim(LOW), E_OK);
    assert_true(port.pending[LOW_SOURCE]);
}

/* What its own cell, and that of the chained task, ask for comes before the chain. */
static void cells_are_looked_at_before_a_task_is_chained(void **state)
{
    (void)state;
    run(HIGH);
    assert_int_equal(chain(LOW), LEFT);
    assert_looks(2u);
    assert_int_equal(port.mask, 0u);
    assert_int_equal(port.needless, 0u);
    assert_int_equal(chain(MANAGED), LEFT);
    assert_looks(3u); /* and before it is counted */
    port.active[HIGH_SOURCE] = false;
    port.pending[LOW_SOURCE] = false;
    run(MANAGED);
    assert_int_equal(chain(LOW), LEFT);
    assert_looks(1u);
    assert_int_equal(port.needless, 0u);
    port.mask = 0u;
    port.pending[LOW_SOURCE] = false;
    assert_int_equal((ActivateTask)(LOW), E_OK);
    assert_looks(1u);
    assert_true(port.pending[LOW_SOURCE]);
    port.pending[LOW_SOURCE] = false;
    run(HIGH);
    assert_int_equal(carillon_osek_claim(LOW), E_OK);
    assert_looks(1u);
    assert_int_equal(port.mask, 0u);
    assert_int_equal(port.needless, 0u);
}

static TaskStateType state_of(TaskType task)
{
    TaskStateType found = 99u;
    assert_int_equal(GetTaskState(task, &found), E_OK);
    assert_int_equal(port.mask, 0u);
    assert_int_equal(port.needless, 0u);
    return found;
}
static void assert_current(TaskType wanted)
{
    TaskType found = 99u;
    assert_int_equal(GetTaskID(&found), E_OK);
    assert_int_equal(found, wanted);
}

/* A direct task's state is that of its source; the highest that has begun runs, unless a managed one has preempted it. */
static void the_controller_has_the_states_of_direct_tasks(void **state)
{
    (void)state;
    assert_current(INVALID_TASK);
    assert_int_equal(state_of(LOW), SUSPENDED);
    assert_looks(1u);
    port.pending[LOW_SOURCE] = true;
    assert_int_equal(state_of(LOW), READY);
    run(LOW);
    assert_int_equal(state_of(LOW), RUNNING);
    assert_current(LOW);
    port.pending[LOW_SOURCE] = false;
    run(MANAGED);
    assert_current(MANAGED);
    assert_int_equal(state_of(LOW), READY);
    assert_int_equal(state_of(MANAGED), RUNNING);
    port.active[MANAGED_SOURCE] = false;
    run(HIGH);
    assert_current(HIGH);
    assert_int_equal(state_of(HIGH), RUNNING);
    assert_int_equal(state_of(LOW), READY);
    assert_int_equal(state_of(MANAGED), SUSPENDED);
}

static StatusType terminate(void)
{
    return (setjmp(end) == 0) ? carillon_osek_TerminateTask() : LEFT;
}
static void a_direct_task_terminates_by_leaving_its_handler(void **state)
{
    (void)state;
    run(HIGH);
    carillon_osek_running = MANAGED;
    assert_int_equal(terminate(), LEFT);
    assert_log("unwind ");
    assert_int_equal(carillon_osek_jobs[MANAGED].next, CARILLON_OSEK_UNDECIDED);
    run(MANAGED);
    assert_int_equal(terminate(), LEFT);
    assert_log("unwind ");
    assert_int_equal(carillon_osek_jobs[MANAGED].next, CARILLON_OSEK_TERMINATED);
}

/* From a task whose internal resource raises it, others of the levels up to that come in. */
static void schedule_lowers_the_task_that_runs_to_its_own_level(void **state)
{
    (void)state;
    run(MANAGED);
    port.mask = 3u;
    assert_int_equal(Schedule(), E_OK);
    assert_int_equal(port.mask_before, 2u);
    assert_int_equal(port.mask, 3u);
}

static void schedule_does_nothing_where_no_task_runs(void **state)
{
    (void)state;
    port.mask = 3u;
    assert_int_equal(Schedule(), E_OK);
    assert_int_equal(port.mask_before, 0u); /* nothing has been raised */
    assert_int_equal(port.mask, 3u);
}

/* What stands in the place of ActivateTask where the compiler knows the task: nobody comes between an ISR of the kernel's
 * level and the task's bit, and a request more is absorbed. */
static void an_isr_of_the_highest_level_activates_once(void **state)
{
    (void)state;
    port.mask = CARILLON_OSEK_TOP;
    assert_int_equal(carillon_activate_direct(LOW, LOW_SOURCE, 1u, CARILLON_OSEK_TOP), E_OK);
    assert_true(port.pending[LOW_SOURCE]);
    assert_int_equal(carillon_activate_direct(LOW, LOW_SOURCE, 1u, CARILLON_OSEK_TOP), E_OS_LIMIT);
    assert_true(port.pending[LOW_SOURCE]);
    port.pending[LOW_SOURCE] = false;
    port.active[LOW_SOURCE] = true; /* which the ISR has preempted */
    assert_int_equal(carillon_activate_direct(LOW, LOW_SOURCE, 1u, CARILLON_OSEK_TOP), E_OS_LIMIT);
    assert_false(port.pending[LOW_SOURCE]);
}

/* The same of WaitEvent: a task does not wait for what has come. */
static void a_task_waits_for_events_that_have_not_come(void **state)
{
    (void)state;
    port.mask = 1u;
    carillon_extended_Second = (struct carillon_osek_extended){.set = 6u};
    assert_int_equal(carillon_wait_event(2u, 3u), E_OK);
    assert_log("");
    assert_int_equal(carillon_extended_Second.waited, 0u);
    assert_int_equal(port.mask, 1u);
    assert_int_equal(carillon_wait_event(2u, 9u), E_OK);
    assert_log("suspend ");
    assert_int_equal(carillon_extended_Second.waited, 9u);
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_managed_task_is_one_where_its_handler_is_lowered),
        TEST(a_direct_task_has_no_job_of_the_managed_one_that_it_preempts),
        TEST(a_direct_task_chains_a_managed_one),
        TEST(a_direct_task_goes_on_if_the_managed_one_has_all_its_activations),
        TEST(a_direct_task_chains_another_one_that_neither_runs_nor_waits),
        TEST(a_direct_task_chains_itself_while_it_runs),
        TEST(a_managed_task_chains_a_direct_one),
        TEST(what_a_managed_task_had_masked_stays_so_when_it_chains_a_direct_one),
        TEST(a_managed_task_goes_on_if_the_direct_one_runs_or_waits),
        TEST(a_claim_requests_what_cannot_begin_now),
        TEST(cells_are_looked_at_before_a_task_is_chained),
        TEST(the_controller_has_the_states_of_direct_tasks),
        TEST(a_direct_task_terminates_by_leaving_its_handler),
        TEST(schedule_lowers_the_task_that_runs_to_its_own_level),
        TEST(schedule_does_nothing_where_no_task_runs),
        TEST(an_isr_of_the_highest_level_activates_once),
        TEST(a_task_waits_for_events_that_have_not_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
