/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that suspend themselves, and that wait for the end of others (kernel/time/thread.c); what GetTaskState says of
 * them (kernel/jobs/task.c); and those that `new Thread(&f)` takes (kernel/time/new.c). */
#include "services/services.h"

#include "kernel/jobs/task.h"

#include <string.h>

struct carillon_new_thread carillon_new_threads[CARILLON_NEW_THREADS];

static jmp_buf ends;

void carillon_osek_interrupts_reset(void)
{
    fail_msg("no task falls off its end");
}

void carillon_osek_resources_reset(void)
{
    fail_msg("no task falls off its end");
}

void carillon_port_unwind(void)
{
    fail_msg("no task ends");
    longjmp(ends, 1);
}

void carillon_port_leave(struct carillon_context *context)
{
    (void)context;
    fail_msg("no task ends");
    longjmp(ends, 1);
}

void carillon_port_context(struct carillon_context *context, uint64_t *stack, uint32_t words, carillon_vector function)
{
    (void)context;
    (void)stack;
    (void)words;
    (void)function;
}

void ShutdownOS(StatusType error)
{
    services.shut_down = error;
    longjmp(ends, 1);
}

static int reset(void **state)
{
    memset(carillon_new_threads, 0, sizeof carillon_new_threads);
    carillon_new_threads[0].thread = FIRST;
    carillon_new_threads[1].thread = SECOND;
    (void)services_reset(state);
    carillon_osek_jobs[FIRST].activations = 1u;
    services.meanwhile = services_sleep;
    services_run(FIRST);
    return 0;
}

/* Another task activates the one that waits. */
static void resume(void)
{
    const uint_fast8_t task = carillon_osek_running;
    services_run(BASIC);
    assert_succeeded((ActivateTask)((TaskType)task));
    services_run((TaskType)task);
}

static StatusType suspend(void)
{
    services.meanwhile = resume;
    return carillon_suspend();
}
static StatusType suspend_within(void)
{
    services.meanwhile = resume;
    return carillon_suspend_within(5u);
}
static StatusType join(void)
{
    return carillon_join(SECOND); /* which has ended */
}
static StatusType join_within(void)
{
    return carillon_join_within(SECOND, 5u);
}

static void t_places(void **state)
{
    (void)state;
    check_waits(suspend, OSServiceId_Suspend);
    check_waits(suspend_within, OSServiceId_Suspend);
    check_waits(join, OSServiceId_Join);
    check_waits(join_within, OSServiceId_Join);
    services_run(ALONE); /* which is no thread */
    assert_failed(carillon_suspend(), E_OS_CALLEVEL, OSServiceId_Suspend);
    assert_failed(carillon_join(ALONE), E_OS_ACCESS, OSServiceId_Join);
    assert_failed(carillon_join(TASKS), E_OS_ID, OSServiceId_Join);
}

/* A thread that has suspended itself goes on when it is activated, or when its time is over; that is no activation. */
static void t_suspends(void **state)
{
    (void)state;
    services.meanwhile = resume;
    assert_succeeded(carillon_suspend());
    assert_int_equal(carillon_osek_jobs[FIRST].activations, 1u);
    assert_true(services_was_requested(THREADS_SOURCE));
    assert_succeeded(carillon_suspend_within(5u));
    services.meanwhile = services_sleep;
    assert_failed(carillon_suspend_within(5u), E_OS_NOFUNC, OSServiceId_Suspend);
    assert_int_equal(services_now, 5u);
    assert_failed(carillon_suspend_within(0u), E_OS_VALUE, OSServiceId_Suspend);
    services_run(BASIC);
    assert_failed((ActivateTask)(FIRST), E_OS_LIMIT, OSServiceId_ActivateTask); /* it runs */
}

/* Two wait for the ends of two threads: each goes on when its own has ended. */
static void end_both(void)
{
    if (services.waits == 1u) {
        services_run(ALONE);
        carillon_osek_jobs[FIRST].activations = 1u;
        assert_succeeded(carillon_join(FIRST));
        return;
    }
    assert_int_equal(services_extended[FIRST].waited, CARILLON_OSEK_WAKE);
    assert_int_equal(services_extended[ALONE].waited, CARILLON_OSEK_WAKE);
    carillon_time_thread_ended(SECOND);
    assert_int_equal(services_extended[FIRST].waited, 0u);
    assert_int_equal(services_extended[ALONE].waited, CARILLON_OSEK_WAKE);
    assert_false(services_was_requested(ALONE_SOURCE));
    carillon_time_thread_ended(FIRST);
    assert_int_equal(services_extended[ALONE].waited, 0u);
    assert_true(services_was_requested(ALONE_SOURCE));
}
static void t_joins(void **state)
{
    (void)state;
    carillon_osek_jobs[SECOND].activations = 1u;
    services.meanwhile = end_both;
    assert_succeeded(carillon_join(SECOND));
    assert_int_equal(services.waits, 2u);
    services_run(FIRST);
    services.meanwhile = services_sleep;
    assert_failed(carillon_join_within(SECOND, 5u), E_OS_NOFUNC, OSServiceId_Join);
    assert_int_equal(services_now, 5u);
    assert_failed(carillon_join_within(SECOND, 0u), E_OS_NOFUNC, OSServiceId_Join);
    assert_failed(carillon_join(FIRST), E_OS_ACCESS, OSServiceId_Join); /* itself */
    carillon_osek_jobs[SECOND].activations = 0u;
    assert_succeeded(carillon_join_within(SECOND, 0u));
    assert_succeeded(carillon_join_within(SECOND, CARILLON_LONGEST_DURATION));
}

static TaskStateType state_of(TaskType task)
{
    TaskStateType state = 99u;
    assert_succeeded(GetTaskState(task, &state));
    return state;
}

/* A task that waits for events or for time waits; one that waits for its turn alone is ready. */
static void t_states(void **state)
{
    (void)state;
    assert_int_equal(state_of(FIRST), RUNNING);
    assert_int_equal(state_of(ALONE), SUSPENDED);
    assert_int_equal(state_of(BASIC), SUSPENDED);
    carillon_osek_jobs[ALONE].activations = 1u;
    carillon_osek_jobs[BASIC].activations = 1u;
    assert_int_equal(state_of(ALONE), READY);
    assert_int_equal(state_of(BASIC), READY);
    services_extended[ALONE].waited = 1u;
    assert_int_equal(state_of(ALONE), WAITING);
    services_extended[ALONE].waited = CARILLON_OSEK_WAKE;
    assert_int_equal(state_of(ALONE), WAITING);
    services_extended[ALONE].waited = CARILLON_OSEK_TURN;
    assert_int_equal(state_of(ALONE), READY);
}

/* Threads whose delays are over in one tick are made ready as one: the level's queue has the first alone. */
static void t_mates(void **state)
{
    (void)state;
    services_run(ALONE);
    carillon_osek_jobs[SECOND].activations = 1u;
    services_extended[SECOND].waited = CARILLON_OSEK_WAKE;
    carillon_osek_queue_up(&carillon_osek_levels[THREADS_LEVEL], FIRST);
    assert_int_equal(state_of(SECOND), WAITING);
    services_extended[FIRST].mate = SECOND + 1u;
    assert_int_equal(state_of(SECOND), READY);
    assert_int_equal(state_of(FIRST), READY);
}

static int run(void)
{
    return 0;
}

/* A thread that is taken is free again when it has been given back and has ended; what is no thread's is not given. */
static void t_takes(void **state)
{
    (void)state;
    TaskType variable = 0u;
    carillon_osek_jobs[FIRST].activations = 0u;
    assert_ptr_equal(carillon_thread_take(), &carillon_new_threads[0].object);
    assert_unlocked();
    assert_ptr_equal(carillon_thread_take(), &carillon_new_threads[1].object);
    assert_null(carillon_thread_take());
    carillon_thread_give(&variable);
    assert_null(carillon_thread_take());
    carillon_thread_give(&carillon_new_threads[1].object);
    carillon_osek_jobs[SECOND].activations = 1u;
    assert_null(carillon_thread_take());
    carillon_osek_jobs[SECOND].activations = 0u;
    assert_ptr_equal(carillon_thread_take(), &carillon_new_threads[1].object);
}

/* An object that has taken a thread begins that, and a variable the next that is free; there must be one. */
static void t_begins(void **state)
{
    (void)state;
    TaskType variable = 0u;
    carillon_osek_jobs[FIRST].activations = 0u;
    void *const taken = carillon_thread_take();
    assert_int_equal(carillon_thread_begin(&variable, run), SECOND);
    assert_int_equal(carillon_osek_jobs[SECOND].activations, 1u);
    assert_int_equal(carillon_thread_begin(taken, run), FIRST);
    assert_int_equal(carillon_osek_jobs[FIRST].activations, 1u);
    assert_ptr_equal(carillon_new_threads[0].function, run);
    assert_int_equal(services.shut_down, E_OK);
    if (setjmp(ends) == 0) {
        (void)carillon_thread_begin(&variable, run);
    }
    assert_int_equal(services.shut_down, E_OS_LIMIT);
}

static void t_results(void **state)
{
    (void)state;
    carillon_new_threads[0].result = 3;
    carillon_new_threads[1].result = 4;
    assert_int_equal(carillon_thread_result(FIRST), 3);
    assert_int_equal(carillon_thread_result(SECOND), 4);
    assert_int_equal(carillon_thread_result(ALONE), 0); /* nobody takes it */
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(t_places), TEST(t_suspends), TEST(t_joins),  TEST(t_states),
                                       TEST(t_mates),  TEST(t_takes),    TEST(t_begins), TEST(t_results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
