/* SPDX-License-Identifier: Apache-2.0
 *
 * The services of tasks and of events (kernel/jobs/task.c and event.c): chapters 13.2 and 13.5 of OSEK/VDX OS 2.2.3.  What each
 * refuses, in which order; what it changes; and that it leaves nothing masked. */
#include "services/services.h"

#include "kernel/jobs/event.h"
#include "kernel/jobs/task.h"

static jmp_buf ends;
static uint32_t resets, met, released;

void carillon_osek_interrupts_reset(void)
{
    resets++;
}
void carillon_osek_resources_reset(void)
{
    resets += 10u;
}
void carillon_port_unwind(void)
{
    assert_int_equal(carillon_osek_running, BASIC);
    longjmp(ends, 1);
}
void carillon_port_leave(struct carillon_context *context)
{
    assert_ptr_equal(context, &services_extended[carillon_osek_running].context);
    longjmp(ends, 1);
}
static TaskType begun; /* whose context is that of a beginning */
void carillon_port_context(struct carillon_context *context, uint64_t *stack, uint32_t words, carillon_vector function)
{
    begun = INVALID_TASK;
    for (TaskType task = BASIC; task < TASKS; task++) {
        begun = (context == &services_extended[task].context) ? task : begun;
    }
    assert_ptr_equal(stack, carillon_osek_tasks[begun].stack);
    assert_int_equal(words, carillon_osek_tasks[begun].stack_words);
    (void)function;
}
#if CARILLON_TIME_DEADLINES > 0
const struct carillon_thread_time carillon_time_deadlines[CARILLON_TIME_DEADLINES];
void carillon_time_deadline_due(struct carillon_timed *timed)
{
    (void)timed;
}
bool carillon_time_next_deadline(carillon_time from, carillon_duration period)
{
    (void)from;
    (void)period;
    return true;
}
bool carillon_time_tells_deadline(carillon_duration period)
{
    (void)period;
    return true;
}
void carillon_time_met(TaskType task)
{
    assert_int_equal(task, carillon_osek_running);
    met++;
}
void carillon_time_released(TaskType task)
{
    (void)task;
    released++;
}
#endif

static int reset(void **state)
{
    (void)services_reset(state);
    services.meanwhile = services_sleep;
    services_run(ALONE);
    carillon_osek_jobs[ALONE].activations = 1u;
    resets = 0u;
    met = 0u;
    released = 0u;
    begun = INVALID_TASK;
    return 0;
}

/* A service may be called from some places, with interrupts enabled. */
static void check_allowed(StatusType (*service)(void), OSServiceIdType id, uint32_t allowed)
{
    static const uint8_t places[] = {IN_TASK,    IN_ISR1, IN_ISR2, IN_ERROR_HOOK, IN_TASK_HOOK, IN_PROTECTION_HOOK,
                                     IN_CALLBACK};
    for (size_t k = 0u; k < (sizeof places / sizeof places[0]); k++) {
        services.place = places[k];
        if ((allowed & places[k]) == 0u) {
            assert_failed(service(), E_OS_CALLEVEL, id);
            continue;
        }
        assert_succeeded(service());
        services.disables = true;
        assert_failed(service(), E_OS_DISABLEDINT, id);
        services.disables = false;
    }
    services.place = IN_TASK;
}
enum { EVERYWHERE = IN_TASK | IN_ISR2 | IN_ERROR_HOOK | IN_TASK_HOOK };

/* --- activations --- */

static StatusType activate_first(void)
{
    carillon_osek_jobs[FIRST].activations = 0u;
    services_ring.count = 0u;
    return (ActivateTask)(FIRST);
}

static void a_task_is_activated(void **state)
{
    (void)state;
    assert_succeeded((ActivateTask)(FIRST));
    assert_int_equal(carillon_osek_jobs[FIRST].activations, 1u);
    assert_int_equal(services_ring.count, 1u);
    assert_int_equal(services_ring_tasks[services_ring.first], FIRST);
    assert_true(services_was_requested(THREADS_SOURCE));
    assert_int_equal(released, (CARILLON_TIME_DEADLINES > 0) ? 1u : 0u);
    services_extended[FIRST].set = 5u;
    assert_failed((ActivateTask)(FIRST), E_OS_LIMIT, OSServiceId_ActivateTask);
    assert_int_equal(services.failure.object, FIRST);
    assert_int_equal(carillon_osek_jobs[FIRST].activations, 1u);
    assert_int_equal(services_extended[FIRST].set, 5u);
    assert_int_equal(services_ring.count, 1u);
    assert_false(services_was_requested(THREADS_SOURCE));
    assert_int_equal(released, (CARILLON_TIME_DEADLINES > 0) ? 1u : 0u);
    services_extended[SECOND].set = 5u;
    assert_succeeded((ActivateTask)(SECOND));
    assert_int_equal(services_extended[SECOND].set, 0u); /* no event is set of a job that begins */
    check_allowed(activate_first, OSServiceId_ActivateTask, IN_TASK | IN_ISR2);
    assert_failed((ActivateTask)(TASKS), E_OS_ID, OSServiceId_ActivateTask);
    assert_int_equal(services.failure.object, TASKS);
}

/* --- ends --- */

/* The running task's job ends by a service, or the service fails. */
static bool ends_by(StatusType (*service)(void))
{
    if (setjmp(ends) == 0) {
        (void)service();
        return false;
    }
    return true;
}
static void handler_ends(TaskType task, TaskType before)
{
    carillon_osek_ended(task, before);
#if CARILLON_OSEK_SOFTWARE
    carillon_software.locked = 0u; /* the dispatcher undoes the lock */
    port.mask = 0u;
#endif
    assert_int_equal(port.mask, 0u);
    assert_int_equal(carillon_osek_running, before);
    assert_int_equal(carillon_osek_jobs[task].next, CARILLON_OSEK_UNDECIDED);
}

static void a_task_terminates(void **state)
{
    (void)state;
    services_extended[ALONE].set = 3u;
    assert_true(ends_by(carillon_osek_TerminateTask));
    assert_int_equal(carillon_osek_jobs[ALONE].next, CARILLON_OSEK_TERMINATED);
    assert_int_equal(resets, 0u);
    handler_ends(ALONE, BASIC);
    assert_int_equal(carillon_osek_jobs[ALONE].activations, 0u);
    assert_int_equal(services_extended[ALONE].set, 0u);
    assert_int_equal(begun, ALONE);
    assert_int_equal(met, (CARILLON_TIME_DEADLINES > 0) ? 1u : 0u);
    services_run(BASIC);
    assert_true(ends_by(carillon_osek_TerminateTask));
    begun = INVALID_TASK;
    handler_ends(BASIC, INVALID_TASK);
    assert_int_equal(begun, INVALID_TASK); /* it has no context */
}

static void only_a_task_that_holds_nothing_terminates(void **state)
{
    (void)state;
    services.holds = true;
    assert_failed(carillon_osek_TerminateTask(), E_OS_RESOURCE, OSServiceId_TerminateTask);
    assert_int_equal(services.failure.object, 0u);
    assert_failed(carillon_osek_ChainTask(FIRST), E_OS_RESOURCE, OSServiceId_ChainTask);
    assert_int_equal(services.failure.object, FIRST);
    services.holds = false;
    services.disables = true;
    assert_failed(carillon_osek_TerminateTask(), E_OS_DISABLEDINT, OSServiceId_TerminateTask);
    assert_failed(carillon_osek_ChainTask(FIRST), E_OS_DISABLEDINT, OSServiceId_ChainTask);
    services.disables = false;
    services.place = IN_ISR2;
    assert_failed(carillon_osek_TerminateTask(), E_OS_CALLEVEL, OSServiceId_TerminateTask);
    assert_int_equal(services.failure.object, 0u);
    assert_failed(carillon_osek_ChainTask(FIRST), E_OS_CALLEVEL, OSServiceId_ChainTask);
    services.place = IN_TASK;
    assert_failed(carillon_osek_ChainTask(TASKS), E_OS_ID, OSServiceId_ChainTask);
    assert_int_equal(services.failure.object, TASKS);
    carillon_osek_jobs[FIRST].activations = 1u;
    assert_failed(carillon_osek_ChainTask(FIRST), E_OS_LIMIT, OSServiceId_ChainTask);
    assert_int_equal(services.failure.object, FIRST);
    assert_int_equal(carillon_osek_jobs[ALONE].next, CARILLON_OSEK_UNDECIDED);
}

static StatusType chain_first(void)
{
    return carillon_osek_ChainTask(FIRST);
}
static StatusType chain_itself(void)
{
    return carillon_osek_ChainTask((TaskType)carillon_osek_running);
}
static TaskStateType state_of(TaskType task)
{
    TaskStateType found = 99u;
    assert_succeeded(GetTaskState(task, &found));
    return found;
}

/* The chained task has its place at once, and is activated when the caller has ended: to whoever comes in between, too. */
static uint32_t came;
static void comes_in(void)
{
    assert_int_equal(carillon_osek_jobs[FIRST].activations, 1u);
    assert_int_equal(state_of(FIRST), SUSPENDED);
    came++;
}
static void a_task_chains_another(void **state)
{
    (void)state;
#if !CARILLON_OSEK_SOFTWARE
    came = 0u;
    port_unlocked = comes_in;
    assert_true(ends_by(chain_first));
    assert_int_equal(came, 1u);
#else
    came = 1u;
    assert_true(ends_by(chain_first));
    comes_in();
#endif
    assert_int_equal(carillon_osek_jobs[ALONE].next, FIRST);
    assert_int_equal(carillon_osek_jobs[FIRST].activations, 1u);
    assert_int_equal(state_of(FIRST), SUSPENDED);
    assert_int_equal(services_ring.count, 0u);
    handler_ends(ALONE, INVALID_TASK);
    assert_int_equal(state_of(FIRST), READY);
    assert_int_equal(services_ring.count, 1u);
    assert_true(services_was_requested(THREADS_SOURCE));
    assert_int_equal(carillon_osek_jobs[ALONE].activations, 0u);
    assert_int_equal(state_of(ALONE), SUSPENDED);
}

static void a_task_chains_itself(void **state)
{
    (void)state;
    assert_true(ends_by(chain_itself));
    handler_ends(ALONE, INVALID_TASK);
    assert_int_equal(carillon_osek_jobs[ALONE].activations, 1u);
    assert_true(services_was_requested(ALONE_SOURCE));
    assert_int_equal(state_of(ALONE), READY);
    assert_int_equal(met, 0u);
    assert_int_equal(released, (CARILLON_TIME_DEADLINES > 0) ? 1u : 0u);
}

/* A task that falls off its end has what it has left behind undone, and the error hook is told; a thread ends so. */
static void a_task_falls_off_its_end(void **state)
{
    (void)state;
    carillon_osek_jobs[ALONE].next = CARILLON_OSEK_GOES_ON;
    carillon_osek_check_end(ALONE, &carillon_osek_tasks[ALONE]);
    assert_int_equal(resets, 11u);
    assert_failed(E_OS_MISSINGEND, E_OS_MISSINGEND, OSServiceId_TerminateTask);
    assert_int_equal(services.failure.object, 0u);
    services_run(FIRST);
    carillon_osek_jobs[FIRST].next = CARILLON_OSEK_GOES_ON;
    carillon_osek_check_end(FIRST, &carillon_osek_tasks[FIRST]);
    assert_int_equal(resets, 22u);
    assert_int_equal(services.failures, 0u);
    services_extended[FIRST].waited = 1u; /* it waits: the job goes on */
    carillon_osek_check_end(FIRST, &carillon_osek_tasks[FIRST]);
    services_extended[FIRST].waited = 0u;
    carillon_osek_jobs[FIRST].next = CARILLON_OSEK_TERMINATED;
    carillon_osek_check_end(FIRST, &carillon_osek_tasks[FIRST]);
    assert_int_equal(resets, 22u);
}

/* --- states --- */

static TaskType *told_task;
static StatusType task_id(void)
{
    return GetTaskID(told_task);
}
static void the_running_task_is_told(void **state)
{
    (void)state;
    TaskType task = 99u;
    told_task = &task;
    check_allowed(task_id, OSServiceId_GetTaskID, EVERYWHERE | IN_PROTECTION_HOOK);
    assert_int_equal(task, ALONE);
    services_run(FIRST);
    assert_succeeded(task_id());
    assert_int_equal(task, FIRST);
    carillon_osek_running = INVALID_TASK;
    assert_succeeded(task_id());
    assert_int_equal(task, INVALID_TASK);
    told_task = NULL;
    assert_failed(task_id(), E_OS_PARAM_POINTER, OSServiceId_GetTaskID);
}

static TaskType asked;
static TaskStateType *told_state;
static StatusType task_state(void)
{
    return GetTaskState(asked, told_state);
}
static void a_tasks_state_is_told(void **state)
{
    (void)state;
    TaskStateType found = 99u;
    told_state = &found;
    asked = FIRST;
    check_allowed(task_state, OSServiceId_GetTaskState, EVERYWHERE);
    assert_int_equal(found, SUSPENDED);
    asked = TASKS;
    assert_failed(task_state(), E_OS_ID, OSServiceId_GetTaskState);
    assert_int_equal(services.failure.object, TASKS);
    asked = FIRST;
    told_state = NULL;
    assert_failed(task_state(), E_OS_PARAM_POINTER, OSServiceId_GetTaskState);
    assert_int_equal(state_of(ALONE), RUNNING);
    carillon_osek_jobs[FIRST].activations = 1u;
    assert_int_equal(state_of(FIRST), READY);
    services_extended[FIRST].waited = 4u;
    assert_int_equal(state_of(FIRST), WAITING);
    services_extended[FIRST].waited = CARILLON_OSEK_TURN;
    assert_int_equal(state_of(FIRST), READY);
    services_extended[FIRST].waited = CARILLON_OSEK_WAKE;
    assert_int_equal(state_of(FIRST), WAITING);
    carillon_osek_jobs[BASIC].activations = 1u;
    assert_int_equal(state_of(BASIC), READY);
    services_run(BASIC);
    services.cells = 0u;
    assert_int_equal(state_of(ALONE), READY);
    assert_int_equal(services.cells, CARILLON_OSEK_LEVEL_CELLS);
}

/* A task goes on with one that is ready: wherever that stands in the ring, and behind however many others. */
static void a_task_that_goes_on_with_another_is_ready(void **state)
{
    (void)state;
    carillon_osek_jobs[FIRST].activations = 1u;
    carillon_osek_jobs[SECOND].activations = 1u;
    services_extended[SECOND].waited = CARILLON_OSEK_WAKE;
    services_extended[FIRST].mate = SECOND + 1u;
    assert_int_equal(state_of(SECOND), WAITING); /* who waits itself */
    for (uint8_t first = 0u; first < RING; first++) {
        for (uint8_t count = 1u; count <= RING; count++) {
            services_ring.first = first;
            services_ring.count = count;
            for (uint8_t k = 0u; k < RING; k++) {
                services_ring_tasks[k] = BASIC;
            }
            services_ring_tasks[((uint32_t)first + count - 1u) % RING] = FIRST;
            assert_int_equal(state_of(SECOND), READY);
        }
    }
    services_ring.first = 0u;
    services_ring.count = 1u; /* what is behind is not ready any more */
    services_ring_tasks[0] = BASIC;
    services_ring_tasks[1] = FIRST;
    assert_int_equal(state_of(SECOND), WAITING);
    services_ring_tasks[0] = FIRST; /* a chain of three */
    services_extended[FIRST].mate = BASIC + 1u;
    assert_int_equal(state_of(SECOND), WAITING);
    services_extended[FIRST].mate = ALONE + 1u;
    services_extended[ALONE].mate = SECOND + 1u;
    assert_int_equal(state_of(SECOND), READY);
    services_extended[ALONE].mate = 0u;
    assert_int_equal(state_of(SECOND), WAITING);
}

/* --- events --- */

static EventMaskType *told_mask;
static TaskType target;
static StatusType set_event(void)
{
    return (SetEvent)(target, 2u);
}
static StatusType clear_event(void)
{
    return (ClearEvent)(2u);
}
static StatusType get_event(void)
{
    return GetEvent(target, told_mask);
}
static StatusType wait_event(void)
{
    services_extended[ALONE].set = 2u;
    return (WaitEvent)(3u);
}

static void events_are_refused(void **state)
{
    (void)state;
    EventMaskType mask = 0u;
    told_mask = &mask;
    target = ALONE;
    check_allowed(set_event, OSServiceId_SetEvent, IN_TASK | IN_ISR2);
    check_allowed(clear_event, OSServiceId_ClearEvent, IN_TASK);
    check_allowed(get_event, OSServiceId_GetEvent, EVERYWHERE);
    check_allowed(wait_event, OSServiceId_WaitEvent, IN_TASK);
    target = TASKS;
    assert_failed(set_event(), E_OS_ID, OSServiceId_SetEvent);
    assert_int_equal(services.failure.object, TASKS);
    assert_failed(get_event(), E_OS_ID, OSServiceId_GetEvent);
    target = BASIC;
    assert_failed(set_event(), E_OS_ACCESS, OSServiceId_SetEvent);
    assert_failed(get_event(), E_OS_ACCESS, OSServiceId_GetEvent);
    target = FIRST;
    assert_failed(set_event(), E_OS_STATE, OSServiceId_SetEvent);
    assert_int_equal(services.failure.object, FIRST);
    assert_int_equal(services.failure.first, 2u);
    assert_int_equal(services_extended[FIRST].set, 0u);
    mask = 77u;
    assert_failed(get_event(), E_OS_STATE, OSServiceId_GetEvent);
    assert_int_equal(mask, 77u);
    told_mask = NULL;
    assert_failed(get_event(), E_OS_PARAM_POINTER, OSServiceId_GetEvent);
    services.holds = true;
    assert_failed(wait_event(), E_OS_RESOURCE, OSServiceId_WaitEvent);
    services.holds = false;
    services_run(BASIC);
    assert_failed((WaitEvent)(3u), E_OS_ACCESS, OSServiceId_WaitEvent);
    assert_failed(clear_event(), E_OS_ACCESS, OSServiceId_ClearEvent);
    assert_int_equal(services.waits, 0u);
}

static void events_are_set_and_cleared(void **state)
{
    (void)state;
    EventMaskType mask = 0u;
    services.cells = 0u;
    assert_succeeded((SetEvent)(ALONE, 2u));
    assert_int_equal(services.cells,
                     2u * CARILLON_OSEK_LEVEL_CELLS); /* before the look at its state, and before it is set */
    assert_succeeded((SetEvent)(ALONE, 4u));
    assert_false(services_was_requested(ALONE_SOURCE)); /* it waits for none */
    services.cells = 0u;
    assert_succeeded(GetEvent(ALONE, &mask));
    assert_int_equal(services.cells, CARILLON_OSEK_LEVEL_CELLS);
    assert_int_equal(mask, 6u);
    assert_succeeded((ClearEvent)(2u));
    assert_int_equal(services.cells, 2u * CARILLON_OSEK_LEVEL_CELLS);
    assert_succeeded(GetEvent(ALONE, &mask));
    assert_int_equal(mask, 4u);
    services_extended[ALONE].waited = 3u;
    assert_succeeded((SetEvent)(ALONE, 8u));
    assert_int_equal(services_extended[ALONE].waited, 3u);
    assert_false(services_was_requested(ALONE_SOURCE));
    assert_succeeded((SetEvent)(ALONE, 2u));
    assert_int_equal(services_extended[ALONE].waited, 0u);
    assert_int_equal(services_extended[ALONE].set, 14u);
    assert_true(services_was_requested(ALONE_SOURCE));
}

/* An alarm sets an event under the lock that it takes itself, where nothing is locked. */
static void an_event_is_set_by_the_kernel(void **state)
{
    (void)state;
    carillon_osek_set(ALONE, 8u);
    assert_unlocked();
    assert_int_equal(services_extended[ALONE].set, 8u);
}

static void comes(void)
{
    assert_int_equal(services_extended[ALONE].waited, 5u);
    services.place = IN_ISR2;
    assert_succeeded((SetEvent)(ALONE, 2u));
    assert_int_equal(services_extended[ALONE].waited, 5u);
    assert_succeeded((SetEvent)(ALONE, 4u));
    services.place = IN_TASK;
}
static void a_task_waits_for_an_event(void **state)
{
    (void)state;
    services.meanwhile = comes;
    services.cells = 0u;
    assert_succeeded((WaitEvent)(5u));
    assert_int_equal(services.waits, 1u);
    assert_int_equal(services_extended[ALONE].waited, 0u);
    assert_int_equal(services_extended[ALONE].set, 6u);
    assert_succeeded((WaitEvent)(12u)); /* one of them is set */
    assert_int_equal(services.waits, 1u);
    assert_int_equal(services.cells, 6u * CARILLON_OSEK_LEVEL_CELLS);
    services.cells = 0u;
    assert_succeeded((WaitEvent)(4u));
    assert_int_equal(services.cells, CARILLON_OSEK_LEVEL_CELLS);
}

/* --- Schedule --- */

static StatusType schedule(void)
{
    return Schedule();
}
static void a_task_lets_others_come(void **state)
{
    (void)state;
    check_allowed(schedule, OSServiceId_Schedule, IN_TASK);
    services.holds = true;
    assert_failed(Schedule(), E_OS_RESOURCE, OSServiceId_Schedule);
    assert_int_equal(services.failure.object, 0u);
    services.holds = false;
    services.place = IN_ISR2;
    assert_failed(Schedule(), E_OS_CALLEVEL, OSServiceId_Schedule);
    assert_int_equal(services.failure.object, 0u);
    services.place = IN_TASK;
    carillon_osek_running = INVALID_TASK;
    assert_succeeded(Schedule());
}

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_task_is_activated),
        TEST(a_task_terminates),
        TEST(only_a_task_that_holds_nothing_terminates),
        TEST(a_task_chains_another),
        TEST(a_task_chains_itself),
        TEST(a_task_falls_off_its_end),
        TEST(the_running_task_is_told),
        TEST(a_tasks_state_is_told),
        TEST(a_task_that_goes_on_with_another_is_ready),
        TEST(an_event_is_set_by_the_kernel),
        TEST(events_are_refused),
        TEST(events_are_set_and_cleared),
        TEST(a_task_waits_for_an_event),
        TEST(a_task_lets_others_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
