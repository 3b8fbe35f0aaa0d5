/* SPDX-License-Identifier: Apache-2.0
 *
 * What it means that a task is chained (kernel/jobs/task.c), for time frames (kernel/jobs/frame.c) and for deadlines
 * (kernel/time/wait_release.c): it is activated, by others or by itself. */
#include "services/services.h"

#include "kernel/jobs/frame.h"
#include "kernel/jobs/task.h"

#include "carillon_frame.h"

enum { FRAME = 100, DEADLINE = 5 };
const uint32_t carillon_osek_frames[CARILLON_OSEK_FRAMES] = {[SECOND] = FRAME};
const struct carillon_thread_time carillon_time_deadlines[CARILLON_TIME_DEADLINES] = {
    {.thread = ALONE, .ticks = 500u}, {.thread = FIRST, .ticks = DEADLINE}};

static jmp_buf ends;
static uint32_t asked, missed;
static uint64_t units; /* of the cell of frames, that have passed */

ProtectionReturnType carillon_osek_ask_protection(StatusType error)
{
    assert_int_equal(error, E_OS_PROTECTION_ARRIVAL);
    asked++;
    return PRO_IGNORE;
}

void carillon_time_tell_missed(TaskType thread)
{
    assert_int_equal(thread, FIRST);
    missed++;
}

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
    longjmp(ends, 1);
}

void carillon_port_leave(struct carillon_context *context)
{
    assert_ptr_equal(context, &services_extended[carillon_osek_running].context);
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
    (void)error;
    fail_msg("nothing shuts down");
    longjmp(ends, 1);
}

static void pass_units(uint32_t more)
{
    units += more;
    *port_register(CARILLON_FRAME_COUNTER) = (uint32_t)(CARILLON_FRAME_TURN - (units % CARILLON_FRAME_TURN));
}

static int reset(void **state)
{
    (void)services_reset(state);
    asked = 0u;
    missed = 0u;
    pass_units(FRAME); /* the frames of the test before are over */
    return 0;
}

static void activate(TaskType task)
{
    services_run(BASIC);
    assert_succeeded((ActivateTask)(task));
    services_run(task);
}

/* The running task chains one, and its job ends; or it goes on. */
static bool chains(TaskType task)
{
    const TaskType own = (TaskType)carillon_osek_running;
    if (setjmp(ends) == 0) {
        assert_failed(carillon_osek_ChainTask(task), E_OS_PROTECTION_ARRIVAL, OSServiceId_ChainTask);
        return false;
    }
    carillon_osek_ended(own, INVALID_TASK);
    assert_int_equal(port.mask, 0u);
    assert_int_equal(carillon_osek_jobs[task].activations, 1u);
    services_run(task);
    return true;
}

/* AUTOSAR OS, SWS_Os_00466 and SWS_Os_00469: a chained task arrives, which begins a frame, or is too early. */
static void a_task_that_chains_itself_arrives(void **state)
{
    (void)state;
    activate(SECOND);
    pass_units(FRAME - 1u);
    assert_false(chains(SECOND));
    assert_int_equal(asked, 1u);
    assert_int_equal(carillon_osek_jobs[SECOND].next, CARILLON_OSEK_UNDECIDED);
    pass_units(1u);
    assert_true(chains(SECOND));
    pass_units(FRAME - 1u);
    assert_false(chains(SECOND));
    assert_int_equal(asked, 2u);
}

static void a_task_that_is_chained_arrives(void **state)
{
    (void)state;
    activate(FIRST);
    assert_true(chains(SECOND));
    pass_units(FRAME - 1u);
    assert_false(chains(SECOND));
    assert_int_equal(asked, 1u);
    assert_true(chains(FIRST)); /* which has no frame */
    assert_true(chains(FIRST));
}

/* Each job of a thread that chains itself has a deadline of its own, from its activation on. */
static void a_thread_that_chains_itself_is_released(void **state)
{
    (void)state;
    activate(FIRST);
    services_pass(DEADLINE - 1u);
    assert_true(chains(FIRST));
    services_pass(DEADLINE - 1u);
    assert_int_equal(missed, 0u);
    assert_true(chains(FIRST));
    services_pass(DEADLINE);
    assert_int_equal(missed, 1u);
    assert_true(chains(SECOND)); /* it has ended */
    services_pass(DEADLINE + 1u);
    assert_int_equal(missed, 1u);
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_task_that_chains_itself_arrives),
        TEST(a_task_that_is_chained_arrives),
        TEST(a_thread_that_chains_itself_is_released),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
