/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads of CMSIS-RTOS2 and FreeRTOS: their lives, flags and notifications; how they wait for the time; and the lock
 * that keeps other threads from running. */
#include "rtos/threads.h"

#include "cmsis_os2.h"
#include "event_groups.h"

#include <string.h>

/* What a thread that is called by threads_call() carries out, and what it has said. */
static uint32_t said, asked, ticks;

static int reset(void **state)
{
    (void)threads_reset(state);
    services_run(FIRST);
    said = 99u;
    return 0;
}

/* All threads of the schedule are free. */
static void all_end(void)
{
    for (TaskType task = FIRST; task < TASKS; task++) {
        carillon_osek_jobs[task].activations = 0u;
    }
}

static uint32_t runs;
static void *argument_of_run;
static void counts(void *argument)
{
    runs++;
    argument_of_run = argument;
}
static void delays(void *argument)
{
    counts(argument);
    said = (uint32_t)osDelay(5u);
    runs += 10u;
}
static void exits(void *argument)
{
    counts(argument);
    osThreadExit();
}
static const osThreadAttr_t joinable = {.name = "name", .attr_bits = osThreadJoinable, .stack_size = 32u};
static const osThreadAttr_t alone = {.priority = osPriorityAboveNormal, .attr_bits = osThreadJoinable};

/* A thread takes the first that is free of its priority, whose stack suffices. */
static void t_new(void **state)
{
    (void)state;
    osThreadAttr_t attr = joinable;
    assert_null(osThreadNew(counts, NULL, NULL)); /* those of the schedule run */
    all_end();
    carillon_osek_jobs[BASIC].activations = 1u;
    services_run(BASIC);
    assert_null(osThreadNew(NULL, NULL, NULL));
    attr.stack_size = 33u;
    assert_null(osThreadNew(counts, NULL, &attr));
    attr.stack_size = 0u;
    attr.priority = osPriorityNormal1;
    assert_null(osThreadNew(counts, NULL, &attr));
    threads_interrupt(INVALID_TASK);
    assert_null(osThreadNew(counts, NULL, NULL));
    services_run(BASIC);
    const osThreadId_t first = osThreadNew(counts, &runs, &joinable);
    assert_ptr_equal(first, HANDLE(FIRST));
    assert_string_equal(osThreadGetName(first), "name");
    assert_true(services_was_requested(THREADS_SOURCE));
    assert_int_equal(osThreadGetPriority(first), NORMAL);
    assert_int_equal(osThreadGetState(first), osThreadReady);
    const osThreadId_t second = osThreadNew(counts, NULL, NULL);
    assert_ptr_equal(second, HANDLE(SECOND));
    assert_null(osThreadGetName(second));
    assert_null(osThreadNew(counts, NULL, NULL));
    assert_ptr_equal(osThreadNew(counts, NULL, &alone), HANDLE(ALONE));
    /* One that may not be joined is free when it has ended; one that may be has to be given back. */
    runs = 0u;
    assert_int_equal(threads_begin(SECOND), ENDED);
    assert_int_equal(runs, 1u);
    assert_null(argument_of_run);
    assert_int_equal(threads_begin(FIRST), ENDED);
    assert_ptr_equal(argument_of_run, &runs);
    services_run(BASIC);
    assert_int_equal(osThreadGetState(second), osThreadError);
    assert_int_equal(osThreadGetState(first), osThreadTerminated);
    assert_ptr_equal(osThreadNew(exits, NULL, NULL), HANDLE(SECOND));
    assert_null(osThreadNew(counts, NULL, NULL));
    assert_int_equal(threads_begin(SECOND), ENDED);
    services_run(BASIC);
    assert_ptr_equal(osThreadNew(counts, NULL, NULL), HANDLE(SECOND));
    REFUSED(osThreadDetach(first), osOK);
    REFUSED(osThreadDetach(first), osErrorParameter); /* it is nobody's any more */
    assert_ptr_equal(osThreadNew(counts, NULL, NULL), HANDLE(FIRST));
    REFUSED(osThreadDetach(first), osErrorResource);
}

/* A thread begins anew with what it is made of: no flags, no notification. */
static void t_begins_anew(void **state)
{
    (void)state;
    HANDLE(FIRST)->flags.value = 5u;
    HANDLE(FIRST)->notified.value = 1u;
    all_end();
    services_run(BASIC);
    const osThreadId_t first = osThreadNew(counts, NULL, NULL);
    assert_int_equal(HANDLE(FIRST)->flags.value, 0u);
    assert_int_equal(HANDLE(FIRST)->notified.value, 0u);
    assert_int_equal(osEventFlagsSet(&HANDLE(FIRST)->flags, 1u), 1u); /* they are flags */
    assert_int_equal(osEventFlagsSet(&HANDLE(FIRST)->notified, 1u), 1u);
    REFUSED(osThreadTerminate(first), osOK);
    runs = 0u;
    assert_int_equal(threads_begin(FIRST), ENDED);
    assert_int_equal(runs, 0u);
    services_run(BASIC);
    assert_ptr_equal(osThreadNew(counts, NULL, NULL), first);
    assert_int_equal(threads_begin(FIRST), ENDED);
    assert_int_equal(runs, 1u);
    services_run(BASIC);
    assert_ptr_equal(osThreadNew(delays, NULL, &joinable), first); /* nor has it begun, nor is it over */
    REFUSED(osThreadDetach(first), osOK);
    REFUSED(osThreadDetach(first), osErrorResource); /* it is not free yet */
    assert_int_equal(threads_begin(FIRST), WAITS);
    threads_pass(5u);
    assert_int_equal(threads_go_on(FIRST), ENDED);
    services_run(BASIC);
    assert_ptr_equal(osThreadNew(counts, NULL, &joinable), first);
    REFUSED(osThreadTerminate(first), osOK);
}

/* Those that main has made begin with StartOS. */
static void t_before_start(void **state)
{
    (void)state;
    threads_before_start();
    assert_int_equal(osKernelGetState(), osKernelInactive);
    assert_int_equal(xTaskGetSchedulerState(), taskSCHEDULER_NOT_STARTED);
    assert_int_equal(osKernelGetTickCount(), 0u);
    services_now = 7u;
    carillon_time_ticks = 7u;
    assert_int_equal(osKernelGetTickCount(), 0u);
    assert_int_equal(xTaskGetTickCount(), 0u);
    REFUSED(osKernelStart(), osError);
    REFUSED(osKernelInitialize(), osOK);
    assert_int_equal(osKernelGetState(), osKernelReady);
    assert_null(osThreadGetId());
    REFUSED(osDelay(1u), osError);
    REFUSED(osKernelLock(), osError);
    REFUSED(osKernelUnlock(), osError);
    REFUSED(osThreadYield(), osError);
    const osThreadId_t second = osThreadNew(counts, NULL, NULL);
    assert_ptr_equal(second, HANDLE(FIRST));
    assert_int_equal(osThreadGetState(second), osThreadReady);
    assert_int_equal(osThreadGetState(HANDLE(SECOND)), osThreadError);
    assert_int_equal(carillon_osek_jobs[FIRST].activations, 0u);
    assert_int_equal(osThreadGetCount(), 1u);
    const int end = setjmp(threads_ends);
    if (end == 0) {
        (void)osKernelStart();
    }
    assert_int_equal(end, 2);
    const int end_of_freertos = setjmp(threads_ends);
    if (end_of_freertos == 0) {
        vTaskStartScheduler();
    }
    assert_int_equal(end_of_freertos, 2);
    carillon_rtos_start();
    assert_int_equal(osKernelGetState(), osKernelRunning);
    assert_int_equal(carillon_osek_jobs[FIRST].activations, 1u);
    assert_int_equal(carillon_osek_jobs[SECOND].activations, 0u);
    assert_true(carillon_rtos_is(&HANDLE(SECOND)->flags, CARILLON_RTOS_FLAGS));
    assert_true(carillon_rtos_is(&HANDLE(SECOND)->notified, CARILLON_RTOS_FLAGS));
    assert_true(!BASIC_IS_EXTENDED || carillon_rtos_is(&HANDLE(BASIC)->flags, CARILLON_RTOS_FLAGS));
    assert_int_equal(threads_begin(FIRST), ENDED);
    carillon_rtos_start();
    assert_int_equal(carillon_osek_jobs[FIRST].activations, 0u);
    services_run(BASIC);
    REFUSED(osKernelInitialize(), osError);
    REFUSED(osKernelStart(), osError);
    assert_int_equal(osKernelGetTickCount(), 7u);
    assert_int_equal(osKernelGetSysTimerCount(), 7u);
    assert_int_equal(xTaskGetTickCount(), 7u);
    threads_interrupt(INVALID_TASK);
    REFUSED(osKernelInitialize(), osErrorISR);
    REFUSED(osKernelStart(), osErrorISR);
}

static void t_kernel(void **state)
{
    (void)state;
    char id[12];
    osVersion_t version = {0u, 0u};
    memset(id, 'x', sizeof id);
    REFUSED(osKernelGetInfo(&version, id, 8u), osOK);
    assert_memory_equal(id, "Carillonxxxx", 12u);
    REFUSED(osKernelGetInfo(NULL, id, 12u), osOK);
    assert_memory_equal(id, "Carillon\0\0\0\0", 12u);
    REFUSED(osKernelGetInfo(NULL, NULL, 12u), osOK);
    assert_int_equal(version.api, 20020000u);
    assert_int_equal(version.kernel, 1u);
    assert_int_equal(osKernelGetTickFreq(), CARILLON_TIME_HZ);
    assert_int_equal(osKernelGetSysTimerFreq(), CARILLON_TIME_HZ);
}

static const osThreadAttr_t detached = {.attr_bits = osThreadDetached};
static void joins(void)
{
    said = (uint32_t)osThreadJoin(HANDLE(SECOND));
}

/* A thread that joins another goes on at that one's end, and gives it back. */
static void t_joins(void **state)
{
    (void)state;
    carillon_osek_jobs[SECOND].activations = 0u;
    const osThreadId_t second = osThreadNew(delays, NULL, &joinable);
    assert_ptr_equal(second, HANDLE(SECOND));
    assert_int_equal(threads_begin(SECOND), WAITS);
    assert_int_equal(threads_call(ALONE, joins), WAITS);
    services_run(FIRST);
    REFUSED(osThreadJoin(second), osErrorResource); /* another one does */
    REFUSED(osThreadDetach(second), osErrorResource);
    threads_pass(5u);
    assert_int_equal(threads_go_on(SECOND), ENDED);
    assert_true(threads_is_woken(ALONE));
    services_run(FIRST);
    assert_null(osThreadNew(counts, NULL, NULL)); /* nobody has given it back */
    assert_int_equal(threads_go_on(ALONE), DONE);
    REFUSED(said, osOK);
    services_run(FIRST);
    assert_ptr_equal(osThreadNew(counts, NULL, &joinable), second);
    assert_int_equal(threads_begin(SECOND), ENDED);
    assert_int_equal(threads_call(ALONE, joins), DONE); /* it has ended */
    REFUSED(said, osOK);
    services_run(FIRST);
    REFUSED(osThreadJoin(second), osErrorParameter);
}

static void t_no_joins(void **state)
{
    (void)state;
    all_end();
    carillon_osek_jobs[ALONE].activations = 1u;
    services_run(ALONE);
    const osThreadId_t first = osThreadNew(delays, NULL, &joinable);
    const osThreadId_t second = osThreadNew(counts, NULL, &detached);
    REFUSED(osThreadJoin(second), osErrorResource);
    REFUSED(osThreadDetach(second), osErrorResource);
    REFUSED(osThreadJoin(NULL), osErrorParameter);
    REFUSED(osThreadJoin(HANDLE(ALONE)), osErrorParameter); /* of the schedule */
    REFUSED(osThreadJoin(HANDLE(BASIC)), osErrorParameter);
    REFUSED(osThreadDetach(HANDLE(TASKS)), osErrorParameter);
    REFUSED(osThreadDetach(NULL), osErrorParameter);
    REFUSED(osKernelLock(), 0);
    REFUSED(osThreadJoin(first), osErrorResource); /* it cannot wait */
    REFUSED(osKernelUnlock(), 1);
    threads_interrupt(ALONE);
    REFUSED(osThreadJoin(first), osErrorISR);
    REFUSED(osThreadDetach(first), osErrorISR);
    services_run(FIRST);
    REFUSED(osThreadJoin(first), osErrorResource); /* itself */
    services_run(ALONE);
    REFUSED(osThreadDetach(first), osOK);
    REFUSED(osThreadJoin(first), osErrorResource);
}

/* A thread is detached when its function is over and its job is not. */
static void detach_second(void)
{
    services_run(ALONE);
    REFUSED(osThreadDetach(HANDLE(SECOND)), osOK);
    services_run(SECOND);
}
static void t_detached_at_its_end(void **state)
{
    (void)state;
    carillon_osek_jobs[SECOND].activations = 0u;
    const osThreadId_t second = osThreadNew(exits, NULL, &joinable);
    threads_before_leaving = detach_second;
    assert_int_equal(threads_begin(SECOND), ENDED);
    services_run(FIRST);
    assert_ptr_equal(osThreadNew(counts, NULL, NULL), second);
}

/* A thread that waits, has not begun or waits for its turn is ended by another: it does nothing more of its own. */
static void t_terminates(void **state)
{
    (void)state;
    all_end();
    carillon_osek_jobs[ALONE].activations = 1u;
    services_run(ALONE);
    runs = 0u;
    osThreadId_t first = osThreadNew(delays, NULL, NULL);
    assert_int_equal(threads_begin(FIRST), WAITS);
    services_run(ALONE);
    REFUSED(osThreadTerminate(first), osOK);
    assert_int_equal(osThreadGetState(first), osThreadError);
    REFUSED(osThreadTerminate(first), osErrorParameter);
    assert_int_equal(osThreadGetCount(), 1u);
    assert_null(osThreadNew(counts, NULL, NULL) == first ? first : NULL); /* it is not free yet */
    assert_int_equal(threads_go_on(FIRST), ENDED);
    assert_int_equal(runs, 1u);
    threads_pass(10u); /* its time-out does not come any more */
    services_run(ALONE);
    first = osThreadNew(counts, NULL, NULL);
    assert_ptr_equal(first, HANDLE(FIRST));
    REFUSED(osThreadTerminate(first), osOK); /* it has not begun */
    assert_int_equal(threads_begin(FIRST), ENDED);
    assert_int_equal(runs, 1u);
    services_run(ALONE);
    /* One whose wait is over, and that has not gone on yet. */
    first = osThreadNew(delays, NULL, NULL);
    assert_int_equal(threads_begin(FIRST), WAITS);
    threads_pass(5u);
    services_run(ALONE);
    REFUSED(osThreadTerminate(first), osOK);
    assert_int_equal(threads_go_on(FIRST), ENDED);
    assert_int_equal(runs, 2u);
    services_run(ALONE);
    REFUSED(osThreadTerminate(NULL), osErrorParameter);
    REFUSED(osThreadTerminate(HANDLE(ALONE)), osErrorParameter); /* of the schedule */
    REFUSED(osThreadTerminate(first), osErrorParameter);
    threads_interrupt(ALONE);
    REFUSED(osThreadTerminate(first), osErrorISR);
    services_run(ALONE);
}

/* One that others have preempted is not, even if it has waited before. */
static void terminates_second(void *argument)
{
    counts(argument);
    (void)osThreadYield();
    (void)osDelay(1u);
    const TaskType self = (TaskType)carillon_osek_running;
    services_run(ALONE);
    said = (uint32_t)osThreadTerminate(HANDLE(self));
    services_run(self);
}
static void terminates_itself(void *argument)
{
    counts(argument);
    (void)osThreadTerminate(osThreadGetId());
    runs += 100u;
}
static void t_does_not_terminate(void **state)
{
    (void)state;
    carillon_osek_jobs[SECOND].activations = 0u;
    runs = 0u;
    assert_ptr_equal(osThreadNew(terminates_second, NULL, NULL), HANDLE(SECOND));
    assert_int_equal(threads_begin(SECOND), WAITS);
    assert_int_equal(threads_go_on(SECOND), WAITS);
    threads_pass(1u);
    assert_int_equal(threads_go_on(SECOND), ENDED);
    REFUSED(said, osErrorResource);
    assert_int_equal(runs, 1u);
    services_run(FIRST);
    assert_ptr_equal(osThreadNew(terminates_itself, NULL, NULL), HANDLE(SECOND));
    assert_int_equal(threads_begin(SECOND), ENDED);
    assert_int_equal(runs, 2u);
}

/* To yield is to go behind the others of the level; alone at a level, a thread goes on at once. */
static void yields(void)
{
    said = (uint32_t)osThreadYield();
}
static void yields_twice(void *argument)
{
    counts(argument);
    (void)osThreadYield();
    runs += 10u;
    (void)osThreadYield();
    runs += 100u;
}
static void t_yields(void **state)
{
    (void)state;
    assert_int_equal(threads_call(FIRST, yields), WAITS);
    assert_true(services_was_requested(THREADS_SOURCE));
    assert_int_equal(osThreadGetState(HANDLE(FIRST)), osThreadError); /* an interrupt asks */
    services_run(SECOND);
    assert_int_equal(osThreadGetState(HANDLE(FIRST)), osThreadReady);
    assert_int_equal(threads_go_on(FIRST), DONE);
    REFUSED(said, osOK);
    assert_int_equal(services_extended[FIRST].waited, 0u);
    said = 99u;
    assert_int_equal(threads_call(ALONE, yields), DONE);
    REFUSED(said, osOK);
    threads_interrupt(FIRST);
    REFUSED(osThreadYield(), osErrorISR);
    services_run(ALONE);
    REFUSED(osKernelLock(), 0);
    REFUSED(osThreadYield(), osError);
    REFUSED(osKernelUnlock(), 1);
    carillon_osek_jobs[SECOND].activations = 0u;
    runs = 0u;
    const osThreadId_t second = osThreadNew(yields_twice, NULL, NULL);
    assert_int_equal(threads_begin(SECOND), WAITS);
    services_run(ALONE);
    REFUSED(osThreadTerminate(second), osOK); /* one that waits for its turn */
    assert_int_equal(threads_go_on(SECOND), ENDED);
    assert_int_equal(runs, 1u);
    services_run(ALONE);
    assert_ptr_equal(osThreadNew(yields_twice, NULL, NULL), second);
    assert_int_equal(threads_begin(SECOND), WAITS);
    assert_int_equal(threads_go_on(SECOND), WAITS);
    assert_int_equal(threads_go_on(SECOND), ENDED);
    assert_int_equal(runs, 112u);
}

static void suspends(void)
{
    said = (uint32_t)osThreadSuspend(osThreadGetId());
}
static void suspends_as_task(void)
{
    vTaskSuspend(NULL);
    said = 0u;
}

/* A thread suspends itself until another resumes it. */
static void t_suspends(void **state)
{
    (void)state;
    assert_int_equal(threads_call(SECOND, suspends), WAITS);
    services_run(FIRST);
    assert_int_equal(osThreadGetState(HANDLE(SECOND)), osThreadBlocked);
    threads_pass(1000u);
    assert_false(threads_is_woken(SECOND));
    REFUSED(osThreadResume(HANDLE(SECOND)), osOK);
    REFUSED(osThreadResume(HANDLE(SECOND)), osErrorResource);
    assert_int_equal(threads_go_on(SECOND), DONE);
    REFUSED(said, osOK);
    services_run(FIRST);
    REFUSED(osThreadResume(HANDLE(SECOND)), osErrorResource);
    REFUSED(osThreadResume(NULL), osErrorParameter);
    REFUSED(osThreadResume(HANDLE(BASIC)), BASIC_IS_EXTENDED ? osErrorResource : osErrorParameter);
    REFUSED(osThreadSuspend(HANDLE(SECOND)), osError);
    REFUSED(osThreadSuspend(NULL), osErrorParameter);
    threads_interrupt(FIRST);
    REFUSED(osThreadSuspend(HANDLE(FIRST)), osErrorISR);
    REFUSED(osThreadResume(HANDLE(SECOND)), osErrorISR);
    services_run(FIRST);
    REFUSED(osKernelLock(), 0);
    REFUSED(osThreadSuspend(HANDLE(FIRST)), osError);
    REFUSED(osKernelUnlock(), 1);
    if (setjmp(threads_ends) == 0) {
        vTaskSuspend(HANDLE(SECOND));
        fail();
    }
    assert_int_equal(services.shut_down, E_OS_STATE);
}

static void waits_for(void)
{
    said = (uint32_t)osDelay(ticks);
}

/* A task of FreeRTOS that is suspended is resumed, and one that waits for a time is not; its delay is aborted. */
static void t_resumes_task(void **state)
{
    (void)state;
    ticks = 10u;
    assert_int_equal(threads_call(FIRST, suspends_as_task), WAITS);
    assert_int_equal(threads_call(ALONE, waits_for), WAITS);
    services_run(SECOND);
    assert_int_equal(eTaskGetState(HANDLE(FIRST)), eSuspended);
    assert_int_equal(port.mask, 0u);
    assert_int_equal(xTaskAbortDelay(HANDLE(FIRST)), pdFALSE);
    assert_false(threads_is_woken(FIRST));
    vTaskResume(HANDLE(ALONE));
    assert_int_equal(xTaskResumeFromISR(HANDLE(ALONE)), pdFALSE);
    assert_false(threads_is_woken(ALONE));
    assert_int_equal(eTaskGetState(HANDLE(ALONE)), eBlocked);
    assert_int_equal(eTaskGetState(HANDLE(SECOND)), eRunning);
    vTaskResume(HANDLE(FIRST));
    assert_int_equal(eTaskGetState(HANDLE(FIRST)), eReady);
    assert_int_equal(threads_go_on(FIRST), DONE);
    assert_int_equal(said, 0u);
    assert_int_equal(threads_call(FIRST, suspends_as_task), WAITS);
    assert_int_equal(xTaskResumeFromISR(HANDLE(FIRST)), pdFALSE);
    assert_int_equal(threads_go_on(FIRST), DONE);
    assert_int_equal(xTaskAbortDelay(HANDLE(FIRST)), pdFALSE);
    assert_int_equal(xTaskAbortDelay(HANDLE(ALONE)), pdTRUE);
    assert_int_equal(threads_go_on(ALONE), DONE);
    threads_pass(20u);
    assert_true(threads_is_woken(ALONE));
    services_run(SECOND);
    carillon_osek_jobs[FIRST].activations = 0u;
    assert_int_equal(eTaskGetState(HANDLE(FIRST)), eDeleted);
}

/* Those that wait in a line before and behind one that is resumed stay there. */
static void t_resumes_within_a_line(void **state)
{
    (void)state;
    static const TaskType rest[][2] = {{SECOND, ALONE}, {FIRST, ALONE}, {FIRST, SECOND}};
    for (TaskType task = FIRST; task < TASKS; task++) {
        for (TaskType each = FIRST; each < TASKS; each++) {
            assert_int_equal(threads_call(each, suspends), WAITS);
        }
        assert_int_equal(carillon_rtos_thread_resume(HANDLE(task), true), CARILLON_RTOS_OK);
        assert_int_equal(threads_go_on(task), DONE);
        for (uint32_t k = 0u; k < 2u; k++) {
            const TaskType other = rest[task - FIRST][k];
            assert_false(threads_is_woken(other));
            assert_int_equal(carillon_rtos_thread_resume(HANDLE(other), false), CARILLON_RTOS_OK);
            assert_int_equal(threads_go_on(other), DONE);
        }
    }
    services_run(FIRST);
}

static void delays_until(void)
{
    said = (uint32_t)osDelayUntil(asked);
}
static TickType_t previous;
static void delays_as_task(void)
{
    said = (uint32_t)xTaskDelayUntil(&previous, ticks);
}
static void waits_as_task(void)
{
    vTaskDelay(ticks);
    said = 0u;
}

/* A thread waits exactly so many ticks. */
static void check_waits_ticks(void (*what)(void), uint32_t expected, uint32_t long_it_waits)
{
    said = 99u;
    const uint32_t before = services_now;
    assert_int_equal(threads_call(FIRST, what), (long_it_waits == 0u) ? DONE : WAITS);
    if (long_it_waits != 0u) {
        threads_pass(long_it_waits - 1u);
        assert_false(threads_is_woken(FIRST));
        threads_pass(1u);
        assert_int_equal(threads_go_on(FIRST), DONE);
    }
    assert_int_equal(services_now - before, long_it_waits);
    REFUSED(said, expected);
    services_run(FIRST);
}

static void t_delays(void **state)
{
    (void)state;
    ticks = 1u;
    check_waits_ticks(waits_for, osOK, 1u);
    ticks = 7u;
    check_waits_ticks(waits_for, osOK, 7u);
    check_waits_ticks(waits_as_task, 0u, 7u);
    ticks = 0u;
    check_waits_ticks(waits_for, (uint32_t)osErrorParameter, 0u); /* as CMSIS-RTOS2 says */
    ticks = TOO_LONG;
    check_waits_ticks(waits_for, (uint32_t)osErrorParameter, 0u);
    ticks = CARILLON_LONGEST_DURATION;
    assert_int_equal(threads_call(FIRST, waits_for), WAITS);
    services_run(SECOND);
    REFUSED(osThreadResume(HANDLE(FIRST)), osOK);
    assert_int_equal(threads_go_on(FIRST), DONE);
    REFUSED(said, osOK);
    ticks = FOREVER;
    assert_int_equal(threads_call(FIRST, waits_for), WAITS);
    services_run(SECOND);
    REFUSED(osThreadResume(HANDLE(FIRST)), osOK);
    assert_int_equal(threads_go_on(FIRST), DONE);
    REFUSED(said, osOK);
    services_run(FIRST);
    asked = services_now + 5u;
    check_waits_ticks(delays_until, osOK, 5u);
    check_waits_ticks(delays_until, (uint32_t)osErrorParameter, 0u); /* now */
    asked--;
    check_waits_ticks(delays_until, (uint32_t)osErrorParameter, 0u);
    asked = services_now + 0x80000000u;
    check_waits_ticks(delays_until, (uint32_t)osErrorParameter, 0u);
    asked = services_now + 0x7FFFFFFFu;
    if (CARILLON_LONGEST_DURATION < 0x7FFFFFFFu) {
        check_waits_ticks(delays_until, (uint32_t)osErrorParameter, 0u);
    } else {
        assert_int_equal(threads_call(FIRST, delays_until), WAITS);
        services_run(SECOND);
        REFUSED(osThreadResume(HANDLE(FIRST)), osOK);
        assert_int_equal(threads_go_on(FIRST), DONE);
        REFUSED(said, osOK);
    }
    services_run(FIRST);
    previous = services_now;
    ticks = 4u;
    check_waits_ticks(delays_as_task, pdTRUE, 4u);
    assert_int_equal(previous, services_now);
    threads_pass(6u);
    check_waits_ticks(delays_as_task, pdFALSE, 0u); /* it has passed */
    assert_int_equal(previous, services_now - 2u);
    check_waits_ticks(delays_as_task, pdTRUE, 2u);
    REFUSED(osKernelLock(), 0);
    REFUSED(osDelay(1u), osError);
    REFUSED(osDelayUntil(services_now + 5u), osError);
    REFUSED(osKernelUnlock(), 1);
    threads_interrupt(FIRST);
    REFUSED(osDelay(1u), osErrorISR);
    REFUSED(osDelayUntil(services_now + 5u), osErrorISR);
    services_run(FIRST);
    ticks = 0u; /* which is to yield */
    assert_int_equal(threads_call(FIRST, waits_as_task), WAITS);
    assert_int_equal(threads_go_on(FIRST), DONE);
    services_run(FIRST);
}

/* Who waits for an object while it cannot is refused. */
static void t_may_not_wait(void **state)
{
    (void)state;
    void *const flags = osEventFlagsNew(NULL);
    void *const semaphore = osSemaphoreNew(1u, 0u, NULL);
    void *const queue = osMessageQueueNew(1u, 1u, NULL);
    void *const pool = osMemoryPoolNew(1u, 1u, NULL);
    uint8_t byte = 0u;
    for (uint32_t k = 0u; k < 3u; k++) {
        if (k == 0u) {
            REFUSED(osKernelLock(), 0);
        } else {
            threads_interrupt((k == 1u) ? FIRST : INVALID_TASK);
        }
        REFUSED(osEventFlagsWait(flags, 1u, 0u, 1u), osFlagsErrorParameter);
        REFUSED(osEventFlagsWait(flags, 1u, 0u, 0u), osFlagsErrorResource);
        assert_int_equal(xEventGroupWaitBits(flags, 1u, pdTRUE, pdTRUE, 1u), 0u); /* none are said to be there */
        assert_int_equal(xEventGroupSync(flags, 1u, 1u, 1u), 0u);
        REFUSED(osSemaphoreAcquire(semaphore, 1u), osErrorParameter);
        REFUSED(osSemaphoreAcquire(semaphore, 0u), osErrorResource);
        REFUSED(osMessageQueueGet(queue, &byte, NULL, 1u), osErrorParameter);
        REFUSED(osMessageQueueGet(queue, &byte, NULL, 0u), osErrorResource);
        REFUSED(osMessageQueuePut(queue, &byte, 0u, 1u), osErrorParameter);
        assert_null(osMemoryPoolAlloc(pool, 1u));
        if (k == 0u) {
            REFUSED(osKernelUnlock(), 1);
        }
        services_run(FIRST);
    }
    REFUSED(osSemaphoreAcquire(semaphore, TOO_LONG), osErrorParameter);
    REFUSED(osEventFlagsDelete(flags), osOK);
    REFUSED(osSemaphoreDelete(semaphore), osOK);
    REFUSED(osMessageQueueDelete(queue), osOK);
    REFUSED(osMemoryPoolDelete(pool), osOK);
}

/* The kernel that is locked masks the levels of tasks, and no more. */
static void t_locks(void **state)
{
    (void)state;
    const uint32_t tasks = carillon_port_mask_of(CARILLON_OSEK_TASK_LEVELS);
    assert_int_equal(xTaskGetSchedulerState(), taskSCHEDULER_RUNNING);
    REFUSED(osKernelLock(), 0);
    assert_int_equal(port.mask, tasks);
    assert_int_equal(osKernelGetState(), osKernelLocked);
    assert_int_equal(xTaskGetSchedulerState(), taskSCHEDULER_SUSPENDED);
    REFUSED(osKernelLock(), 1);
    assert_int_equal(port.mask, tasks);
    REFUSED(osKernelUnlock(), 1);
    assert_int_equal(port.mask, 0u);
    REFUSED(osKernelUnlock(), 0);
    REFUSED(osKernelRestoreLock(1), 1);
    assert_int_equal(port.mask, tasks);
    REFUSED(osKernelRestoreLock(1), 1);
    REFUSED(osKernelRestoreLock(0), 0);
    assert_int_equal(port.mask, 0u);
    REFUSED(osKernelRestoreLock(2), osError);
    REFUSED(osKernelRestoreLock(-1), osError);
    threads_interrupt(FIRST);
    REFUSED(osKernelLock(), osErrorISR);
    REFUSED(osKernelUnlock(), osErrorISR);
    REFUSED(osKernelRestoreLock(0), osErrorISR);
    REFUSED(carillon_rtos_nest(true), CARILLON_RTOS_IN_ISR);
    assert_int_equal(port.mask, 0u);
    services_run(FIRST);
    /* FreeRTOS nests. */
    vTaskSuspendAll();
    vTaskSuspendAll();
    assert_int_equal(port.mask, tasks);
    assert_int_equal(xTaskResumeAll(), pdFALSE);
    assert_int_equal(port.mask, tasks);
    assert_int_equal(xTaskResumeAll(), pdFALSE);
    assert_int_equal(port.mask, 0u);
    assert_int_equal(xTaskResumeAll(), pdFALSE); /* one too many */
    assert_int_equal(port.mask, 0u);
    vTaskSuspendAll();
    assert_int_equal(port.mask, tasks);
    (void)xTaskResumeAll();
    assert_int_equal(port.mask, 0u);
    taskENTER_CRITICAL();
    assert_int_equal(threads_suspended, 1u);
    assert_int_equal(port.mask, tasks);
    taskEXIT_CRITICAL();
    assert_int_equal(threads_suspended, 0u);
    assert_int_equal(port.mask, 0u);
    const UBaseType_t saved = taskENTER_CRITICAL_FROM_ISR();
    assert_int_equal(saved, 0u);
    assert_int_equal(threads_suspended, 1u);
    taskEXIT_CRITICAL_FROM_ISR(saved);
    assert_int_equal(threads_suspended, 0u);
}

/* What threads say of themselves. */
static void t_says(void **state)
{
    (void)state;
    osThreadId_t every[TASKS];
    assert_ptr_equal(osThreadGetId(), HANDLE(FIRST));
    assert_ptr_equal(xTaskGetCurrentTaskHandle(), HANDLE(FIRST));
    assert_int_equal(osThreadGetState(HANDLE(FIRST)), osThreadRunning);
    assert_int_equal(osThreadGetState(HANDLE(BASIC)), osThreadError);
    assert_int_equal(osThreadGetPriority(HANDLE(ALONE)), osPriorityAboveNormal);
    assert_int_equal(osThreadGetPriority(NULL), osPriorityError);
    assert_int_equal(uxTaskPriorityGet(NULL), NORMAL);
    assert_int_equal(uxTaskPriorityGet(HANDLE(ALONE)), osPriorityAboveNormal);
    REFUSED(osThreadSetPriority(HANDLE(ALONE), osPriorityAboveNormal), osOK);
    REFUSED(osThreadSetPriority(HANDLE(ALONE), osPriorityNormal7), osErrorResource);
    REFUSED(osThreadSetPriority(HANDLE(ALONE), osPriorityIdle), osErrorResource);
    REFUSED(osThreadSetPriority(HANDLE(ALONE), osPriorityISR), osErrorResource);
    REFUSED(osThreadSetPriority(HANDLE(ALONE), osPriorityNone), osErrorParameter);
    REFUSED(osThreadSetPriority(HANDLE(ALONE), osPriorityReserved), osErrorParameter);
    REFUSED(osThreadSetPriority(NULL, osPriorityAboveNormal), osErrorParameter);
    threads_used = 8u;
    assert_int_equal(osThreadGetStackSize(HANDLE(FIRST)), 32u);
    assert_int_equal(osThreadGetStackSpace(HANDLE(FIRST)), 24u - FIRST);
    assert_int_equal(osThreadGetStackSize(NULL), 0u);
    assert_int_equal(osThreadGetStackSpace(NULL), 0u);
    threads_used = 8u - SECOND;
    assert_int_equal(uxTaskGetStackHighWaterMark(HANDLE(SECOND)), 6u);
    assert_null(osThreadGetName(NULL));
    HANDLE(FIRST)->name = "first";
    HANDLE(SECOND)->name = "second";
    assert_string_equal(osThreadGetName(HANDLE(FIRST)), "first");
    assert_string_equal(pcTaskGetName(NULL), "first");
    assert_string_equal(pcTaskGetName(HANDLE(SECOND)), "second");
    assert_int_equal(osThreadGetCount(), 3u);
    assert_int_equal(uxTaskGetNumberOfTasks(), 3u);
    assert_int_equal(osThreadEnumerate(every, 2u), 2u);
    assert_ptr_equal(every[0], HANDLE(FIRST));
    assert_ptr_equal(every[1], HANDLE(SECOND));
    carillon_osek_jobs[SECOND].activations = 0u;
    assert_int_equal(osThreadGetCount(), 2u);
    assert_int_equal(uxTaskGetNumberOfTasks(), 2u);
    assert_int_equal(osThreadEnumerate(every, 4u), 2u);
    assert_ptr_equal(every[1], HANDLE(ALONE));
    assert_int_equal(osThreadEnumerate(NULL, 4u), 0u);
    carillon_osek_jobs[BASIC].activations = 1u;
    assert_int_equal(uxTaskGetNumberOfTasks(), 3u);
    assert_int_equal(osThreadGetCount(), BASIC_IS_EXTENDED ? 3u : 2u); /* a basic task is no thread */
    carillon_osek_jobs[BASIC].activations = 0u;
    threads_interrupt(FIRST);
    assert_ptr_equal(osThreadGetId(), HANDLE(FIRST));
    assert_null(osThreadGetName(HANDLE(FIRST)));
    assert_int_equal(osThreadGetState(HANDLE(FIRST)), osThreadError);
    assert_int_equal(osThreadGetPriority(HANDLE(FIRST)), osPriorityError);
    assert_int_equal(osThreadGetStackSize(HANDLE(FIRST)), 0u);
    assert_int_equal(osThreadGetStackSpace(HANDLE(FIRST)), 0u);
    assert_int_equal(osThreadGetCount(), 0u);
    REFUSED(osThreadSetPriority(HANDLE(ALONE), osPriorityAboveNormal), osErrorISR);
    threads_interrupt(INVALID_TASK);
    assert_null(osThreadGetId());
    services_run(FIRST);
}

/* Tasks of FreeRTOS: `depth` is in words, and whoever deletes a task gives it back. */
static void deletes_itself(void *argument)
{
    counts(argument);
    vTaskDelete(NULL);
}
static void t_tasks(void **state)
{
    (void)state;
    StackType_t stack[8];
    StaticTask_t memory;
    TaskHandle_t task = &memory;
    all_end();
    carillon_osek_jobs[ALONE].activations = 1u;
    services_run(ALONE);
    assert_int_equal(xTaskCreate(counts, "name", 9u, NULL, NORMAL, &task), errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY);
    assert_null(task);
    assert_int_equal(xTaskCreate(deletes_itself, "name", 8u, &runs, NORMAL, &task), pdPASS);
    assert_ptr_equal(task, HANDLE(FIRST));
    assert_string_equal(pcTaskGetName(task), "name");
    assert_int_equal(xTaskCreate(counts, "other", 8u, NULL, NORMAL, NULL), pdPASS);
    vTaskDelete(HANDLE(SECOND)); /* it has not begun */
    runs = 0u;
    assert_int_equal(threads_begin(SECOND), ENDED);
    assert_int_equal(runs, 0u);
    assert_int_equal(threads_begin(FIRST), ENDED);
    assert_int_equal(runs, 1u);
    assert_ptr_equal(argument_of_run, &runs);
    services_run(ALONE);
    assert_null(xTaskCreateStatic(counts, "name", 8u, NULL, NORMAL, NULL, &memory));
    assert_null(xTaskCreateStatic(counts, "name", 8u, NULL, NORMAL, stack, NULL));
    assert_null(xTaskCreateStatic(counts, "name", 9u, NULL, NORMAL, stack, &memory));
    assert_ptr_equal(xTaskCreateStatic(counts, "name", 8u, NULL, NORMAL, stack, &memory), HANDLE(FIRST));
    services.shut_down = E_OK;
    if (setjmp(threads_ends) == 0) {
        vTaskDelete(HANDLE(SECOND)); /* there is none */
        fail();
    }
    assert_int_equal(services.shut_down, E_OS_STATE);
}

static void yields_as_task(void)
{
    taskYIELD();
    said = 0u;
}
static void t_yields_as_task(void **state)
{
    (void)state;
    assert_int_equal(threads_call(FIRST, yields_as_task), WAITS);
    assert_int_equal(threads_go_on(FIRST), DONE);
    assert_int_equal(said, 0u);
    services_run(FIRST);
}

static uint32_t options;
static void waits_for_flags(void)
{
    said = osThreadFlagsWait(asked, options, ticks);
}

static void t_flags(void **state)
{
    (void)state;
    asked = 6u;
    ticks = 5u;
    options = osFlagsWaitAll;
    assert_int_equal(threads_call(FIRST, waits_for_flags), WAITS);
    assert_int_equal(osThreadFlagsSet(HANDLE(FIRST), 3u), 3u); /* an interrupt does */
    assert_false(threads_is_woken(FIRST));
    assert_int_equal(osThreadFlagsSet(HANDLE(FIRST), 4u), 1u);
    assert_int_equal(threads_go_on(FIRST), DONE);
    assert_int_equal(said, 7u);
    services_run(FIRST);
    assert_int_equal(osThreadFlagsGet(), 1u);
    assert_int_equal(osThreadFlagsSet(HANDLE(FIRST), 0x7FFFFFFEu), 0x7FFFFFFFu);
    assert_int_equal(osThreadFlagsClear(0x7FFFFFFEu), 0x7FFFFFFFu);
    assert_int_equal(osThreadFlagsClear(0u), 1u);
    options = osFlagsWaitAny | osFlagsNoClear;
    asked = 3u;
    check_waits_ticks(waits_for_flags, 1u, 0u);
    check_waits_ticks(waits_for_flags, 1u, 0u);
    asked = 2u;
    check_waits_ticks(waits_for_flags, osFlagsErrorTimeout, 5u);
    ticks = 0u;
    check_waits_ticks(waits_for_flags, osFlagsErrorResource, 0u);
    REFUSED(osThreadFlagsSet(NULL, 1u), osFlagsErrorParameter);
    REFUSED(osThreadFlagsSet(HANDLE(BASIC), 1u), BASIC_IS_EXTENDED ? 1u : osFlagsErrorParameter);
    REFUSED(osThreadFlagsSet(HANDLE(FIRST), 0x80000000u), osFlagsErrorParameter);
    REFUSED(osThreadFlagsClear(0x80000000u), osFlagsErrorParameter);
    REFUSED(osThreadFlagsWait(0x80000001u, 0u, 0u), osFlagsErrorParameter);
    threads_interrupt(FIRST);
    REFUSED(osThreadFlagsClear(1u), osFlagsErrorISR);
    REFUSED(osThreadFlagsWait(1u, 0u, 0u), osFlagsErrorISR);
    assert_int_equal(osThreadFlagsGet(), 0u);
    threads_before_start();
    REFUSED(osThreadFlagsClear(1u), osFlagsErrorISR);
    REFUSED(osThreadFlagsWait(1u, 0u, 0u), osFlagsErrorISR);
    assert_int_equal(osThreadFlagsGet(), 0u);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, reset, threads_clean)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(t_new),
                                       TEST(t_begins_anew),
                                       TEST(t_before_start),
                                       TEST(t_kernel),
                                       TEST(t_joins),
                                       TEST(t_no_joins),
                                       TEST(t_detached_at_its_end),
                                       TEST(t_terminates),
                                       TEST(t_does_not_terminate),
                                       TEST(t_yields),
                                       TEST(t_suspends),
                                       TEST(t_resumes_task),
                                       TEST(t_resumes_within_a_line),
                                       TEST(t_delays),
                                       TEST(t_may_not_wait),
                                       TEST(t_locks),
                                       TEST(t_says),
                                       TEST(t_tasks),
                                       TEST(t_yields_as_task),
                                       TEST(t_flags)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
