/* SPDX-License-Identifier: Apache-2.0 */
#include "rtos/threads.h"

#include <sanitizer/common_interface_defs.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { STACK_BYTES = 65536 };

struct carillon_new_thread carillon_new_threads[CARILLON_NEW_THREADS];
const uint16_t carillon_rtos_priorities[CARILLON_OSEK_TASKS] = {[FIRST] = NORMAL, [SECOND] = NORMAL, [ALONE] = HIGH};
const uint8_t carillon_osek_mutex_ceilings[CARILLON_OSEK_MUTEXES] = {ALONE_LEVEL, ALONE_LEVEL, BASIC_LEVEL,
                                                                     ALONE_LEVEL};
const uint8_t carillon_rtos_mutexes[CARILLON_OSEK_MUTEXES] = {1u, 0u, 1u, 1u};
volatile uint16_t carillon_osek_hook_source;

jmp_buf threads_ends;
uint32_t threads_suspended, threads_used;
void (*threads_before_leaving)(void);

/* Of each thread, the stack on which its call runs, and what the call is. */
static struct {
    ucontext_t context;
    char *stack;
    void (*what)(void);
    enum ended ended;
    bool is_job;   /* what it carries out is a job, which ends with it */
    uint32_t mask; /* what it masks between its calls: it has a mutex */
} calls[TASKS];
static ucontext_t test;
static const void *test_stack; /* which the sanitizer is told whenever stacks are switched */
static size_t test_bytes;
static TaskType calling;
static uint32_t free_bytes;

void SuspendOSInterrupts(void)
{
    threads_suspended++;
}

void ResumeOSInterrupts(void)
{
    threads_suspended--;
}

void carillon_osek_interrupts_reset(void)
{
}

void carillon_osek_resources_reset(void)
{
}

void carillon_port_unwind(void)
{
    fail_msg("no basic task ends");
    longjmp(threads_ends, 1);
}

void carillon_port_context(struct carillon_context *context, uint64_t *stack, uint32_t words, carillon_vector function)
{
    (void)context;
    (void)stack;
    (void)words;
    (void)function;
}

uint32_t carillon_stack_used(TaskType task)
{
    return threads_used + task;
}

void ShutdownOS(StatusType error)
{
    services.shut_down = error;
    longjmp(threads_ends, 1);
}

void StartOS(AppModeType mode)
{
    (void)mode;
    longjmp(threads_ends, 2);
}

static void leave_call(enum ended ended)
{
    void *stack = NULL;
    calls[calling].ended = ended;
    __sanitizer_start_switch_fiber((ended == WAITS) ? &stack : NULL, test_stack, test_bytes);
    (void)swapcontext(&calls[calling].context, &test);
    __sanitizer_finish_switch_fiber(stack, &test_stack, &test_bytes);
}

/* A thread ends, and does not go on. */
void carillon_port_leave(struct carillon_context *context)
{
    if (context != &services_extended[calling].context) {
        abort();
    }
    if (threads_before_leaving != NULL) {
        threads_before_leaving();
        threads_before_leaving = NULL;
    }
    leave_call(ENDED);
    abort();
}

/* A thread waits: what it has said is locked until then. */
static void waits(void)
{
    leave_call(WAITS);
}

static void carry_out(void)
{
    __sanitizer_finish_switch_fiber(NULL, &test_stack, &test_bytes);
    calls[calling].what();
    leave_call(DONE);
}

static void drop_call(TaskType task)
{
    free(calls[task].stack);
    calls[task].stack = NULL;
    calls[task].mask = 0u;
}

/* Until the thread's call is over, or waits. */
static enum ended switch_to(TaskType task)
{
    calling = task;
    const struct carillon_osek_holder *const holder = &carillon_osek_mutexes.holders[task];
    services_run(task);
    if (holder->at != 0u) {
        port.current = carillon_osek_levels[holder->at].source;
    }
    port.mask = calls[task].mask;
    port.needless = 0u;
    services.meanwhile = waits;
    void *stack = NULL;
    __sanitizer_start_switch_fiber(&stack, calls[task].stack, STACK_BYTES);
    (void)swapcontext(&test, &calls[task].context);
    __sanitizer_finish_switch_fiber(stack, NULL, NULL);
    enum ended ended = calls[task].ended;
    threads_interrupt(INVALID_TASK);
    if (ended != WAITS) {
        drop_call(task);
    }
    if (ended == ENDED) {
        assert_int_equal(carillon_osek_jobs[task].next, CARILLON_OSEK_TERMINATED);
    }
    if (ended == DONE) {
        const uint8_t ceiling = carillon_osek_ceiling_of(task);
        const bool raised = (holder->at == 0u) && (ceiling > carillon_osek_tasks[task].level);
        assert_int_equal(port.mask, raised ? carillon_port_mask_of(ceiling) : 0u);
        calls[task].mask = port.mask;
        ended = calls[task].is_job ? ENDED : DONE;
    }
    if (ended == ENDED) {
        threads_end(task);
    }
    assert_int_equal(port.needless, 0u);
    port.mask = 0u;
    return ended;
}

static enum ended call(TaskType task, void (*what)(void), bool is_job)
{
    assert_null(calls[task].stack);
    calls[task].stack = malloc(STACK_BYTES);
    calls[task].what = what;
    calls[task].is_job = is_job;
    (void)getcontext(&calls[task].context);
    calls[task].context.uc_stack.ss_sp = calls[task].stack;
    calls[task].context.uc_stack.ss_size = STACK_BYTES;
    calls[task].context.uc_link = NULL;
    makecontext(&calls[task].context, carry_out, 0);
    return switch_to(task);
}

enum ended threads_call(TaskType task, void (*what)(void))
{
    return call(task, what, false);
}

/* A thread is where the queue of its level says, or its level is its own. */
static bool takes_turn(TaskType task)
{
    if (carillon_osek_levels[carillon_osek_tasks[task].level].capacity == 0u) {
        return true;
    }
    uint_fast16_t kept = 0u;
    bool found = false;
    for (uint_fast16_t k = 0u; k < services_ring.count; k++) {
        const uint8_t each = services_ring_tasks[(services_ring.first + k) % RING];
        if ((each == task) && !found) {
            found = true;
        } else {
            services_ring_tasks[(services_ring.first + kept) % RING] = each;
            kept++;
        }
    }
    services_ring.count = (carillon_osek_slot)kept;
    return found;
}

bool threads_is_woken(TaskType task)
{
    return (services_extended[task].waited & ~CARILLON_OSEK_TURN) == 0u;
}

enum ended threads_go_on(TaskType task)
{
    assert_non_null(calls[task].stack);
    assert_true(threads_is_woken(task));
    struct carillon_osek_holder *const holder = &carillon_osek_mutexes.holders[task];
    if (holder->at == 0u) {
        assert_true(takes_turn(task));
    } else {
        assert_int_equal(carillon_osek_take_guest(holder->at), task);
    }
    return switch_to(task);
}

static struct carillon_new_thread *own_of(TaskType task)
{
    struct carillon_new_thread *own = carillon_new_threads;
    while (own->thread != task) {
        own++;
    }
    return own;
}

static void job(void)
{
    (void)own_of(calling)->function();
}

enum ended threads_begin(TaskType task)
{
    assert_int_equal(carillon_osek_jobs[task].activations, 1u);
    assert_true(takes_turn(task));
    return call(task, job, true);
}

void threads_end(TaskType task)
{
    carillon_osek_jobs[task].next = CARILLON_OSEK_TERMINATED;
    carillon_osek_ended(task, INVALID_TASK);
}

void threads_pass(uint32_t ticks)
{
    const uint32_t source = port.current;
    port.current = CLOCK_SOURCE;
    services_pass(ticks);
    port.current = source;
}

void threads_interrupt(TaskType task)
{
    carillon_osek_running = task;
    port.current = ISR2_SOURCE;
}

void threads_before_start(void)
{
    carillon_rtos_state = CARILLON_RTOS_INACTIVE;
    carillon_osek_running = INVALID_TASK;
    port.current = 0u;
    for (TaskType task = FIRST; task < TASKS; task++) {
        carillon_osek_jobs[task].activations = 0u;
    }
}

int threads_reset(void **state)
{
    (void)services_reset(state);
    memset(&carillon_osek_mutexes, 0, sizeof carillon_osek_mutexes);
    memset(carillon_rtos_threads, 0, sizeof carillon_rtos_threads);
    for (uint32_t level = 0u; level <= CARILLON_OSEK_TASK_LEVELS; level++) {
        carillon_osek_guests[level] = 0u;
    }
    for (TaskType task = FIRST; task < TASKS; task++) {
        drop_call(task);
        carillon_osek_jobs[task].activations = 1u;
        carillon_new_threads[task - FIRST] = (struct carillon_new_thread){.thread = task};
    }
    carillon_rtos_state = CARILLON_RTOS_RUNNING;
    threads_suspended = 0u;
    threads_used = 0u;
    free_bytes = carillon_rtos_free_bytes();
    threads_interrupt(INVALID_TASK);
    return 0;
}

int threads_clean(void **state)
{
    (void)state;
    for (TaskType task = FIRST; task < TASKS; task++) {
        drop_call(task);
    }
    const bool masked = (port.mask != 0u) || (port.needless != 0u);
    return (!masked && (carillon_rtos_free_bytes() == free_bytes)) ? 0 : -1;
}

void line_add(struct line *line, TaskType task)
{
    uint32_t place = line->count;
    while ((place > 0u) && (carillon_osek_tasks[line->who[place - 1u]].level < carillon_osek_tasks[task].level)) {
        line->who[place] = line->who[place - 1u];
        place--;
    }
    line->who[place] = task;
    line->count++;
}

void line_remove(struct line *line, TaskType task)
{
    uint32_t kept = 0u;
    for (uint32_t k = 0u; k < line->count; k++) {
        if (line->who[k] != task) {
            line->who[kept] = line->who[k];
            kept++;
        }
    }
    line->count = kept;
}

static uint32_t drawn;

void draw_from(uint32_t seed)
{
    drawn = (seed * 2u) + 1u;
}

uint32_t draw(uint32_t below)
{
    drawn ^= drawn << 13;
    drawn ^= drawn >> 17;
    drawn ^= drawn << 5;
    return drawn % below;
}
