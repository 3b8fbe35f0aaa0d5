/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of a task level (kernel/run/run.h) with dispatch by hardware: what it does around a job. */
#include "levels/port.h"

#include "kernel/run/run.h"

#include <string.h>

/* A basic task in the queue of its level, and extended ones; the second level has cells. */
enum { BASIC, WITH_CELLS, EXTENDED };
enum { BASIC_SOURCE = 16, CELLS_SOURCE, EXTENDED_SOURCE, ASKS = 20, WORDS = 8, BUDGET = 50, OTHER_BUDGET = 70 };

#if CARILLON_OSEK_BUDGETS
#define RUNS(own_) .function = (own_), .budget = BUDGET
#else
#define RUNS(own_) .function = (own_)
#endif
static uint64_t stacks[CARILLON_OSEK_TASKS][WORDS];
static struct carillon_osek_extended with_cells, extended;
struct carillon_osek_extended carillon_extended_Second;
static void run_basic(void);
static void run_extended(void);
const struct carillon_osek_task carillon_osek_tasks[CARILLON_OSEK_TASKS] = {
    [BASIC] = {RUNS(run_basic), .source = BASIC_SOURCE, .level = 1u, .ceiling = 1u, .activations = 2u},
    [WITH_CELLS] = {RUNS(run_extended), .extended = &with_cells, .stack = stacks[WITH_CELLS], .stack_words = WORDS,
                    .source = CELLS_SOURCE, .level = 2u, .ceiling = 2u, .activations = 1u},
    [EXTENDED] = {RUNS(run_extended), .extended = &extended, .stack = stacks[EXTENDED], .stack_words = WORDS,
                  .source = EXTENDED_SOURCE, .level = 3u, .ceiling = 3u, .activations = 1u},
};
static struct carillon_osek_ring ring;
static uint8_t ring_tasks[2];
const struct carillon_osek_level carillon_osek_levels[CARILLON_OSEK_TASK_LEVELS + 1u] = {
    [1] = {.ring = ring_tasks,
           .state = &ring,
           .capacity = 2u,
           .source = BASIC_SOURCE,
           .request = CARILLON_STORE_PEND(BASIC_SOURCE)},
    [2] = {.source = CELLS_SOURCE, .task = WITH_CELLS, .request = CARILLON_STORE_PEND(CELLS_SOURCE)},
    [3] = {.source = EXTENDED_SOURCE, .task = EXTENDED, .request = CARILLON_STORE_PEND(EXTENDED_SOURCE)},
};
struct carillon_osek_job carillon_osek_jobs[CARILLON_OSEK_TASKS];

/* What task hooks tell, where there are any. */
#if CARILLON_OSEK_TASK_HOOKS
#define PRE "pre "
#define POST "post "
#else
#define PRE ""
#define POST ""
#endif

static jmp_buf ends;
static bool waits; /* the job of an extended task waits, and does not end */

/* Its budget counts from the beginning of a job to its end, and where the handler ends, nobody's does. */
#if CARILLON_OSEK_BUDGETS
void carillon_budget_forget(void)
{
}
static void assert_watched(void)
{
    assert_int_equal(carillon_budget.state, CARILLON_BUDGET_OF(carillon_osek_running));
    assert_int_equal(*port_register(CARILLON_BUDGET_COUNTER), BUDGET);
    *port_register(CARILLON_BUDGET_COUNTER) = 1u; /* up to now */
}
static void watch_what_is_preempted(void)
{
    carillon_budget.state = CARILLON_WATCHED;
    *port_register(CARILLON_BUDGET_COUNTER) = OTHER_BUDGET;
}
static void assert_goes_on(void)
{
    assert_int_equal(carillon_budget.state, CARILLON_WATCHED);
    assert_int_equal(*port_register(CARILLON_BUDGET_COUNTER), OTHER_BUDGET);
}
#else
static void assert_watched(void)
{
}
static void watch_what_is_preempted(void)
{
}
static void assert_goes_on(void)
{
}
#endif

void carillon_port_unwind(void)
{
    assert_int_equal(port.mask,
                     (CARILLON_OSEK_BUDGETS != 0) ? CARILLON_OSEK_TOP : 0u); /* a job with a budget leaves its frame */
    longjmp(ends, 1);
}

void carillon_port_leave(struct carillon_context *context)
{
    (void)context;
    longjmp(ends, 1);
}

void carillon_port_call(carillon_vector function)
{
    if (setjmp(ends) == 0) {
        function();
    }
}

/* What is recorded of the call is the task's function, whatever is called. */
void carillon_port_call_as(carillon_vector recorded, carillon_vector function)
{
    assert_ptr_equal(recorded, run_basic);
    carillon_port_call(function);
}

void carillon_port_resume(struct carillon_context *context)
{
    (void)context;
    carillon_port_call(carillon_osek_body(&carillon_osek_tasks[carillon_osek_running]));
}

void carillon_port_context(struct carillon_context *context, uint64_t *stack, uint32_t words, carillon_vector function)
{
    (void)context;
    (void)stack;
    (void)words;
    assert_ptr_equal(function, carillon_osek_body(&carillon_osek_tasks[EXTENDED]));
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    note("anew");
}

static void run_basic(void)
{
    assert_int_equal(port.mask, 0u);
    assert_watched();
    note("basic");
    (void)carillon_osek_TerminateTask();
}

static void run_extended(void)
{
    struct carillon_osek_extended *const own = carillon_osek_tasks[carillon_osek_running].extended;
    own->waited = 0u;
    assert_int_equal(port.mask, 0u);
    assert_watched();
    note((carillon_osek_running == EXTENDED) ? "extended" : "with cells");
    if (waits) {
        own->waited = 1u; /* a task that waits comes back locked */
        (void)carillon_osek_lock();
        carillon_port_leave(&own->context);
    }
    (void)carillon_osek_TerminateTask();
}

void PreTaskHook(void)
{
    note("pre");
}

void PostTaskHook(void)
{
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    assert_int_not_equal(carillon_osek_jobs[carillon_osek_running].activations, 0u);
    note("post");
}

/* The cells of the second level: while the task still runs, so that an activation that came before is one too many. */
void carillon_cells_2(void)
{
    assert_int_equal(carillon_osek_running, WITH_CELLS);
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    port.pending[ASKS] = false;
    note("cells");
}

#if CARILLON_OSEK_STACK_CHECK
void carillon_osek_check_stack(const struct carillon_osek_task *task)
{
    assert_ptr_equal(task, &carillon_osek_tasks[carillon_osek_running]);
}
#endif

#if CARILLON_OSEK_EXTENDED
uint8_t carillon_osek_place(void)
{
    return IN_TASK;
}

bool carillon_osek_interrupts_disabled(void)
{
    return false;
}

void carillon_osek_interrupts_reset(void)
{
}

bool carillon_osek_holds_none(void)
{
    return true;
}

void carillon_osek_resources_reset(void)
{
}

StatusType carillon_osek_fail(const struct carillon_osek_failure *failure, StatusType status)
{
    (void)failure;
    fail_msg("it fails");
    return status;
}
#endif

/* What the ring of events has of the tasks. */
#if CARILLON_TRACE
uint32_t carillon_trace_ring[1];
static uint32_t events[4], traced;
void trace_note(uint32_t event)
{
    assert_true(traced < 4u);
    events[traced] = event;
    traced++;
}
static void assert_traced(TaskType task, bool ended)
{
    assert_int_equal(traced, 2u);
    assert_int_equal(events[0], CARILLON_TRACE_TASKS + 1u + (2u * task));
    assert_int_equal(events[1], CARILLON_TRACE_TASKS + (2u * task) + (ended ? 0u : CARILLON_TRACE_WAITS));
    traced = 0u;
}
#else
static void assert_traced(TaskType task, bool ended)
{
    (void)task;
    (void)ended;
}
#endif

static int reset(void **state)
{
    (void)port_reset(state);
    memset(&ring, 0, sizeof ring);
    memset(&with_cells, 0, sizeof with_cells);
    memset(&extended, 0, sizeof extended);
    memset(carillon_osek_jobs, 0, sizeof carillon_osek_jobs);
    for (uint32_t task = 0u; task < CARILLON_OSEK_TASKS; task++) {
        carillon_osek_jobs[task].next = CARILLON_OSEK_UNDECIDED;
    }
    carillon_osek_running = INVALID_TASK;
    carillon_osek_hook = 0u;
    waits = false;
    return 0;
}

/* The level's handler comes. */
static void handle(uint8_t level)
{
    const uint32_t source = carillon_osek_levels[level].source;
    port.pending[source] = false;
    port.active[source] = true;
    port.current = source;
    watch_what_is_preempted();
    switch (level) {
    case 1u:
        carillon_osek_run(1u);
        break;
    case 2u:
        carillon_osek_run(2u);
        break;
    default:
        carillon_osek_run(3u);
        break;
    }
    port.current = 0u;
    port.active[source] = false;
    assert_goes_on();
    assert_int_equal(carillon_osek_running, INVALID_TASK);
    assert_int_equal(port.mask, 0u);
}

static void each_activation_in_a_queue_is_a_job(void **state)
{
    (void)state;
    assert_int_equal(carillon_osek_activate(BASIC), E_OK);
    assert_int_equal(carillon_osek_activate(BASIC), E_OK);
    assert_int_equal(carillon_osek_activate(BASIC), E_OS_LIMIT);
    handle(1u);
    assert_log(PRE "basic " POST);
    assert_traced(BASIC, true);
    assert_true(port.pending[BASIC_SOURCE]); /* for the other one */
    assert_int_equal(carillon_osek_jobs[BASIC].activations, 1u);
    handle(1u);
    assert_log(PRE "basic " POST);
    assert_traced(BASIC, true);
    assert_false(port.pending[BASIC_SOURCE]);
    assert_int_equal(carillon_osek_jobs[BASIC].activations, 0u);
}

/* A request that nobody has made finds nobody in the queue. */
static void where_nobody_waits_in_a_queue_nothing_runs(void **state)
{
    (void)state;
    handle(1u);
    assert_log("");
    assert_int_equal(ring.count, 0u);
}

/* What the level's cells ask for is served before the job is over, whose task it may be for. */
static void cells_are_served_before_their_task_has_ended(void **state)
{
    (void)state;
    assert_int_equal(carillon_osek_activate(WITH_CELLS), E_OK);
    port.pending[ASKS] = true;
    handle(2u);
    assert_log(PRE "with cells cells " POST "anew ");
    assert_traced(WITH_CELLS, true);
    assert_int_equal(carillon_osek_jobs[WITH_CELLS].activations, 0u);
    assert_int_equal(carillon_osek_activate(WITH_CELLS), E_OK);
    handle(2u); /* which ask for nothing now */
    assert_log(PRE "with cells " POST "anew ");
    assert_traced(WITH_CELLS, true);
}

/* A task that waits does not end: what its cells ask for is left to their handler. */
static void cells_are_not_served_where_their_task_waits(void **state)
{
    (void)state;
    assert_int_equal(carillon_osek_activate(WITH_CELLS), E_OK);
    port.pending[ASKS] = true;
    waits = true;
    handle(2u);
    assert_log(PRE "with cells " POST);
    assert_traced(WITH_CELLS, false);
    assert_true(port.pending[ASKS]);
    assert_int_equal(carillon_osek_jobs[WITH_CELLS].activations, 1u);
    waits = false;
    handle(2u);
    assert_log(PRE "with cells cells " POST "anew ");
    assert_traced(WITH_CELLS, true);
    assert_int_equal(carillon_osek_jobs[WITH_CELLS].activations, 0u);
}

static void the_cells_of_another_level_are_not_served(void **state)
{
    (void)state;
    assert_int_equal(carillon_osek_activate(EXTENDED), E_OK);
    port.pending[ASKS] = true;
    handle(3u);
    assert_log(PRE "extended " POST "anew ");
    assert_traced(EXTENDED, true);
    assert_true(port.pending[ASKS]);
    assert_int_equal(carillon_osek_jobs[EXTENDED].activations, 0u);
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_activation_in_a_queue_is_a_job),          TEST(where_nobody_waits_in_a_queue_nothing_runs),
        TEST(cells_are_served_before_their_task_has_ended), TEST(cells_are_not_served_where_their_task_waits),
        TEST(the_cells_of_another_level_are_not_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
