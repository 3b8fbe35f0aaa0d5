/* SPDX-License-Identifier: Apache-2.0
 *
 * The owner of the machine of microcode (kernel/microcode/tasks.c): threads that begin, give way, are parked and given up
 * as the machine chooses.  The test is the machine, and switches between stacks.  The log is what happens. */
#define _GNU_SOURCE /* ucontext */
#include "levels/port.h"

#include "kernel/microcode/tasks.c"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { TASKS = CARILLON_MICROCODE_TASKS, LEVEL = 1, SOURCE = 9, RING = 4, STACK = 1 << 17 };

const struct carillon_microcode carillon_microcode_first;
volatile uint_fast8_t carillon_osek_running;
volatile bool carillon_osek_over[LEVEL + 1];
static uint32_t told;
void carillon_port_note(uint32_t function) /* to the trace */
{
    assert_int_equal(function, (uint32_t)(uintptr_t)carillon_microcode_tasks[current].compute);
    told++;
}

static struct carillon_osek_extended extended[TASKS];
static uint64_t small[TASKS][4]; /* what the kernel is told of */
static uint8_t ring[RING];
static struct carillon_osek_ring ring_state;
/* Thread 0 is somebody else's. */
const struct carillon_osek_task carillon_osek_tasks[] = {
    {.level = 0},
    {.level = LEVEL,
     .source = SOURCE,
     .request = CARILLON_STORE_PEND(SOURCE),
     .extended = &extended[0],
     .stack = small[0],
     .stack_words = 4u},
    {.level = LEVEL,
     .source = SOURCE,
     .request = CARILLON_STORE_PEND(SOURCE),
     .extended = &extended[1],
     .stack = small[1],
     .stack_words = 4u},
};
const struct carillon_osek_level carillon_osek_levels[] = {
    [LEVEL] = {.ring = ring, .state = &ring_state, .capacity = RING, .source = SOURCE}};

static void word(const char *what, unsigned number)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%s %u", what, number);
    note(text);
}

/* Stacks. */
static ucontext_t processor;
static struct {
    ucontext_t context;
    bool begun;
} threads_of[TASKS];
static char stacks[TASKS][STACK];

static uint16_t task_of(const struct carillon_context *context)
{
    return (uint16_t)((context == &extended[0].context) ? 0u : 1u);
}

static void (*before_it_begins)(void);
static void body(void)
{
    if (before_it_begins != NULL) {
        before_it_begins();
    }
    carillon_microcode_thread((uint16_t)(carillon_osek_running - 1u));
}

static ucontext_t *context_of(uint16_t task)
{
    if (!threads_of[task].begun) {
        threads_of[task].begun = true;
        (void)getcontext(&threads_of[task].context);
        threads_of[task].context.uc_stack.ss_sp = stacks[task];
        threads_of[task].context.uc_stack.ss_size = STACK;
        makecontext(&threads_of[task].context, body, 0);
    }
    return &threads_of[task].context;
}

/* A thread goes on.  Nothing is locked until it looks whether it is the chosen one: a tick may come. */
static void (*before_it_looks)(uint16_t task);
static void go_on_from(uint16_t task)
{
    port.mask = 0u;
    if (before_it_looks != NULL) {
        before_it_looks(task);
    }
}

void carillon_port_suspend(struct carillon_context *context)
{
    const uint16_t task = task_of(context);
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    assert_int_equal(carillon_osek_running, task + 1u);
    word("waits", task);
    (void)swapcontext(&threads_of[task].context, &processor);
    go_on_from(task);
}

void carillon_port_exchange(struct carillon_context *context, struct carillon_context *other)
{
    const uint16_t task = task_of(context);
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    assert_ptr_not_equal(context, other);
    assert_int_equal(carillon_osek_running, task_of(other) + 1u);
    word("exchanges", task);
    (void)swapcontext(&threads_of[task].context, context_of(task_of(other)));
    go_on_from(task);
}

void carillon_port_context(struct carillon_context *context, uint64_t *stack, uint32_t words, carillon_vector function)
{
    const uint16_t task = task_of(context);
    (void)function;
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    assert_ptr_equal(stack, small[task]);
    assert_int_equal(words, 4u);
    word("given up", task);
    threads_of[task].begun = false;
}

void carillon_port_leave(struct carillon_context *context)
{
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    word("leaves", task_of(context));
    (void)setcontext(&processor);
    abort();
}

/* The level's handler: who is ready goes on. */
static void serve(void)
{
    while (ring_state.count > 0u) {
        assert_true(port.pending[SOURCE]);
        const uint8_t thread = ring[ring_state.first];
        ring_state.first = (carillon_osek_slot)((ring_state.first + 1u) % RING);
        ring_state.count--;
        carillon_osek_running = thread;
        port.mask = 0u;
        (void)swapcontext(&processor, context_of((uint16_t)(thread - 1u)));
        port.mask = 0u;
    }
    port.pending[SOURCE] = false;
}

/* The interrupt of the tick has preempted who runs, in its own code if it is `inside`. */
static bool inside;
bool carillon_port_is_in(const void *frame, uint32_t source, const uint64_t *stack, uint32_t words,
                         const struct carillon_context *context)
{
    const uint16_t task = task_of(context);
    assert_int_equal(source, SOURCE);
    assert_ptr_equal(stack, small[task]);
    assert_int_equal(words, 4u);
    assert_int_equal(current, task);
    assert_ptr_equal(frame, &inside);
    return inside;
}

void carillon_port_run_preempted(carillon_vector function, uint32_t source)
{
    assert_int_equal(source, SOURCE);
    note("preempted");
    function();
    assert_int_equal(port.mask, 0u);
}

/* The machine: it chooses what the test says, and terminates a task before that. */
static uint16_t next, terminated;
static uint32_t expected_now;

void carillon_machine_start(const struct carillon_microcode *program, uint32_t at)
{
    assert_ptr_equal(program, &carillon_microcode_first);
    word("starts", at);
}

static uint16_t chosen_next(void)
{
    if (terminated != NONE) {
        const uint16_t task = terminated;
        terminated = NONE;
        carillon_machine_terminated(task);
    }
    const uint16_t found = next;
    next = NONE;
    return found;
}

static bool counts; /* several instants in one tick's handler */
uint16_t carillon_machine_instant(uint32_t at)
{
    if (counts) {
        expected_now++;
        note("instant");
    }
    assert_int_equal(at, expected_now);
    return chosen_next();
}

uint16_t carillon_machine_ended(uint16_t task, uint32_t at)
{
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    assert_int_equal(at, expected_now);
    word("ended", task);
    return chosen_next();
}

void carillon_machine_input(void)
{
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    note("input");
}

void carillon_log_note(enum carillon_log_kind kind, uint16_t task, uint32_t at)
{
    assert_int_equal(at, expected_now);
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    word((kind == CARILLON_LOG_BEGUN) ? "logs" : (kind == CARILLON_LOG_ENDED) ? "logs end" : "?", task);
}

/* What tasks do while they compute: up to two ticks come. */
static void (*computes)(uint16_t task);
static void compute(uint16_t task)
{
    assert_int_equal(port.mask, 0u);
    assert_int_equal(told, 1u);
    told = 0u;
    word("runs", task);
    if (computes != NULL) {
        computes(task);
    }
    word("done", task);
}
static void compute_0(void)
{
    compute(0u);
}
static void compute_1(void)
{
    compute(1u);
}
static void commit_0(void)
{
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    note("commits 0");
}
static void commit_1(void)
{
    assert_int_equal(port.mask, CARILLON_OSEK_TOP);
    note("commits 1");
}
const struct carillon_microcode_task carillon_microcode_tasks[] = {
    {.compute = compute_0, .commit = commit_0, .extended = &extended[0], .thread = 1u},
    {.compute = compute_1, .commit = commit_1, .extended = &extended[1], .thread = 2u},
};

/* The time base, where there is one. */
static uint32_t base = CARILLON_BASE_ORIGIN;
uint32_t carillon_test_base(void)
{
    return base;
}
static void pass(uint32_t units)
{
    base = (units > base) ? (base - units + CARILLON_BASE_PERIOD) : (base - units);
}

/* A tick, at which the machine chooses a task. */
static void tick(uint16_t chooses)
{
    expected_now++;
    next = chooses;
    pass(CARILLON_MICROCODE_UNITS);
    carillon_microcode_tick(&inside);
}

/* All threads wait, as after the start. */
static int reset(void **state)
{
    (void)port_reset(state);
    memset(&ring_state, 0, sizeof ring_state);
    memset(threads_of, 0, sizeof threads_of);
    memset(extended, 0, sizeof extended);
    memset(parked, 0, sizeof parked);
    memset(abandoned, 0, sizeof abandoned);
    chosen = current = ending = next = terminated = NONE;
    expected_now = now;
    computes = NULL;
    before_it_looks = NULL;
    before_it_begins = NULL;
    inside = true;
    for (uint16_t task = 0u; task < TASKS; task++) {
        carillon_osek_ready((TaskType)(task + 1u));
    }
    serve();
    assert_log("waits 0 waits 1 ");
    assert_int_equal(extended[0].waited, CARILLON_OSEK_WAKE);
    return 0;
}

static void the_first_tick_starts_the_machine_and_no_other_does(void **state)
{
    (void)state;
    tick(NONE);
    assert_log("starts 0 ");
    tick(NONE);
    now = UINT32_MAX;
    expected_now = UINT32_MAX;
    tick(NONE);
    assert_log("");
}

#define RUN(task) "logs " #task " runs " #task " done " #task " commits " #task " logs end " #task " ended " #task " "

static void a_task_that_is_chosen_runs_once(void **state)
{
    (void)state;
    for (uint32_t k = 0u; k < 2u; k++) {
        tick(0u);
        assert_log("");
        assert_int_equal(ring_state.count, 1u);
        tick(0u); /* it is ready already */
        assert_int_equal(ring_state.count, 1u);
        serve();
        assert_log(RUN(0) "waits 0 ");
    }
    tick(1u);
    serve();
    assert_log(RUN(1) "waits 1 ");
}

static uint16_t then;
static void choose_then(uint16_t task)
{
    next = then;
    then = NONE;
    (void)task;
}

static void the_next_task_goes_on_from_one_that_ends(void **state)
{
    (void)state;
    computes = choose_then;
    then = 1u;
    tick(0u);
    serve();
    assert_log(RUN(0) "exchanges 0 " RUN(1) "waits 1 ");
    then = 0u;
    tick(0u);
    serve();
    assert_log(RUN(0) RUN(0) "waits 0 ");
}

/* Task 0 is preempted by the machine's next choice. */
static uint16_t kills;
static uint16_t preempts;
static void preempted_once(uint16_t task)
{
    if (task == 0u) {
        terminated = kills;
        kills = NONE;
        computes = choose_then;
        tick(preempts);
        next = NONE;
    }
}

static void a_task_gives_way_and_goes_on(void **state)
{
    (void)state;
    computes = preempted_once;
    kills = NONE;
    preempts = 1u;
    then = 0u; /* chosen when task 1 ends */
    tick(0u);
    serve();
    assert_log(
        "logs 0 runs 0 preempted exchanges 0 " RUN(1) "exchanges 1 done 0 commits 0 logs end 0 ended 0 waits 0 ");
    computes = preempted_once;
    preempts = NONE;
    tick(0u);
    serve();
    assert_log("logs 0 runs 0 preempted waits 0 ");
    tick(1u);
    serve();
    assert_log(RUN(1) "waits 1 ");
    tick(0u);
    serve();
    assert_log("done 0 commits 0 logs end 0 ended 0 waits 0 ");
}

static void the_same(uint16_t task)
{
    tick(task);
    assert_int_equal(ring_state.count, 0u); /* it is on its way, and not made ready once more */
}

static void another_one(uint16_t task)
{
    before_it_looks = NULL;
    tick((uint16_t)(1u - task));
}

static void a_tick_comes_before_a_thread_looks(void **state)
{
    (void)state;
    before_it_looks = the_same;
    tick(0u);
    serve();
    assert_log(RUN(0) "waits 0 ");
    computes = choose_then;
    then = 1u;
    tick(0u);
    serve();
    assert_log(RUN(0) "exchanges 0 " RUN(1) "waits 1 ");
    before_it_looks = another_one; /* it is made ready by the tick, as no thread is in its own code */
    tick(0u);
    serve();
    assert_log("waits 0 " RUN(1) "waits 1 ");
    before_it_looks = NULL;
    tick(0u);
    serve();
    assert_log(RUN(0) "waits 0 ");
}

static void a_task_that_stays_chosen_is_not_preempted(void **state)
{
    (void)state;
    computes = preempted_once;
    kills = NONE;
    preempts = 0u;
    tick(0u);
    serve();
    assert_log(RUN(0) "waits 0 ");
}

static void beside_its_code(uint16_t task)
{
    if (task == 0u) {
        computes = NULL;
        inside = false;
        tick(1u); /* an interrupt has preempted it */
        inside = true;
        port.mask = 1u;
        tick(1u); /* or something is masked */
        port.mask = 0u;
        assert_log("logs 0 runs 0 ");
        tick(1u);
        next = NONE;
    }
}

static void who_cannot_give_way_does_so_at_a_later_tick(void **state)
{
    (void)state;
    computes = beside_its_code;
    tick(0u);
    serve();
    assert_log("preempted exchanges 0 " RUN(1) "waits 1 ");
    tick(0u);
    serve();
    assert_log("done 0 commits 0 logs end 0 ended 0 waits 0 ");
}

static void a_terminated_task_is_given_up_and_begins_anew(void **state)
{
    (void)state;
    computes = preempted_once;
    kills = 0u;
    preempts = 1u;
    tick(0u);
    serve();
    assert_log("logs 0 runs 0 preempted given up 0 leaves 0 " RUN(1) "waits 1 ");
    tick(0u);
    serve();
    assert_log(RUN(0) "waits 0 ");
    computes = preempted_once; /* it is released again at once */
    kills = 0u;
    preempts = 0u;
    tick(0u);
    serve();
    assert_log("logs 0 runs 0 preempted given up 0 leaves 0 " RUN(0) "waits 0 ");
}

static void choose_another(void)
{
    before_it_begins = NULL;
    tick(1u);
}

static void a_task_that_is_terminated_while_it_is_parked_is_given_up_at_its_next_turn(void **state)
{
    (void)state;
    computes = preempted_once;
    kills = NONE;
    preempts = NONE;
    tick(0u);
    serve();
    assert_log("logs 0 runs 0 preempted waits 0 ");
    terminated = 0u;
    tick(NONE);
    serve();
    assert_log("");
    tick(0u);
    serve();
    assert_log("given up 0 leaves 0 " RUN(0) "waits 0 ");
    computes = preempted_once;
    tick(0u);
    serve();
    assert_log("logs 0 runs 0 preempted waits 0 ");
    terminated = 0u;
    tick(NONE);
    before_it_begins = choose_another; /* in its own code there is nobody then */
    tick(0u);
    serve();
    assert_log("given up 0 leaves 0 waits 0 " RUN(1) "waits 1 ");
}

static void terminated_beside(uint16_t task)
{
    computes = NULL;
    inside = false;
    terminated = task;
    tick(then);
    next = NONE;
}

static void the_results_of_a_task_that_was_terminated_before_it_ends_are_dropped(void **state)
{
    (void)state;
    computes = terminated_beside;
    then = 1u;
    tick(0u);
    serve();
    assert_log("logs 0 runs 0 done 0 exchanges 0 " RUN(1) "waits 1 ");
    computes = terminated_beside;
    then = 0u;
    tick(0u);
    serve();
    assert_log("logs 0 runs 0 done 0 " RUN(0) "waits 0 ");
}

static void terminated_at_end(uint16_t task)
{
    terminated = task;
    next = task;
    computes = preempted_once;
}

static void a_task_that_is_terminated_at_its_own_end_is_at_its_begin(void **state)
{
    (void)state;
    kills = NONE;
    preempts = 0u; /* stays chosen: it would be given up if it counted as terminated */
    computes = terminated_at_end;
    tick(0u);
    serve();
    assert_log(RUN(0) RUN(0) "waits 0 ");
    terminated = 1u; /* another one is, though */
    computes = NULL;
    tick(0u);
    serve();
    assert_log(RUN(0) "waits 0 ");
    assert_true(abandoned[1]);
    assert_false(abandoned[0]);
}

#if CARILLON_MICROCODE_UNITS > 0
static void each_tick_that_has_passed_is_an_instant(void **state)
{
    (void)state;
    static const struct {
        uint32_t units;
        const char *instants;
    } steps[] = {{0u, ""},
                 {CARILLON_MICROCODE_UNITS - 1u, ""},
                 {1u, "instant "},
                 {(3u * CARILLON_MICROCODE_UNITS) + 4u, "instant instant instant "},
                 {CARILLON_MICROCODE_UNITS - 5u, ""},
                 {CARILLON_MICROCODE_UNITS, "instant "},
                 {1u, "instant "},
                 {2u * CARILLON_MICROCODE_UNITS, "instant instant "},
                 {CARILLON_MICROCODE_UNITS, "instant "}};
    counts = true;
    for (uint32_t round = 0u; round < 6u;
         round++) { /* from one in the middle of a period to one in which it begins anew */
        if (round > 0u) {
            base = 21u * round;
            at = (carillon_base)base;
        }
        for (uint32_t k = 0u; k < (sizeof steps / sizeof steps[0]); k++) {
            pass(steps[k].units);
            carillon_microcode_tick(&inside);
            assert_log(steps[k].instants);
        }
    }
    counts = false;
}
#endif

static void an_event_is_counted_and_told(void **state)
{
    (void)state;
    uint32_t events = 6u;
    port.mask = 2u;
    carillon_microcode_event(&events);
    assert_int_equal(events, 7u);
    assert_int_equal(port.mask, 2u);
    assert_log("input ");
    carillon_machine_fault(CARILLON_MACHINE_FULL, 0u, 0u);
    assert_log("");
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_tick_starts_the_machine_and_no_other_does),
        TEST(a_task_that_is_chosen_runs_once),
        TEST(the_next_task_goes_on_from_one_that_ends),
        TEST(a_task_gives_way_and_goes_on),
        TEST(a_tick_comes_before_a_thread_looks),
        TEST(a_task_that_stays_chosen_is_not_preempted),
        TEST(who_cannot_give_way_does_so_at_a_later_tick),
        TEST(a_terminated_task_is_given_up_and_begins_anew),
        TEST(a_task_that_is_terminated_while_it_is_parked_is_given_up_at_its_next_turn),
        TEST(the_results_of_a_task_that_was_terminated_before_it_ends_are_dropped),
        TEST(a_task_that_is_terminated_at_its_own_end_is_at_its_begin),
#if CARILLON_MICROCODE_UNITS > 0
        TEST(each_tick_that_has_passed_is_an_instant),
#endif
        TEST(an_event_is_counted_and_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
