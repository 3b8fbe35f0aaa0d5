/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutexes of CMSIS-RTOS2 and FreeRTOS, and notifications of FreeRTOS: each of both by a few cases, and beside a model of
 * which three threads and interrupts draw their calls. */
#include "rtos/threads.h"

#include "cmsis_os2.h"
#include "semphr.h"
#include "task.h"

#include <string.h>

static uint32_t said, ticks;
static void *mutex;

static int reset(void **state)
{
    (void)threads_reset(state);
    services_run(FIRST);
    said = 99u;
    return 0;
}

static void takes(void)
{
    said = (uint32_t)osMutexAcquire(mutex, ticks);
}
static void gives(void)
{
    said = (uint32_t)osMutexRelease(mutex);
}

/* Each has one of the schedule's that threads with `new = true` name, until it is deleted. */
static void t_makes(void **state)
{
    (void)state;
    void *const one = osMutexNew(NULL);
    void *const two = osMutexNew(NULL);
    void *const three = osMutexNew(NULL);
    assert_non_null(one);
    assert_non_null(three);
    const uint32_t rest = carillon_rtos_free_bytes();
    assert_null(osMutexNew(NULL)); /* nobody names the second of four */
    assert_int_equal(carillon_rtos_free_bytes(), rest);
    ticks = 0u;
    mutex = one;
    assert_int_equal(threads_call(SECOND, takes), DONE);
    REFUSED(said, osOK);
    services_run(FIRST);
    assert_ptr_equal(osMutexGetOwner(one), HANDLE(SECOND));
    assert_null(osMutexGetOwner(three));
    REFUSED(osMutexDelete(one), osErrorResource);
    threads_interrupt(FIRST);
    REFUSED(osMutexDelete(one), osErrorISR);
    assert_null(osMutexGetOwner(one));
    REFUSED(osMutexAcquire(one, 0u), osErrorISR);
    REFUSED(osMutexRelease(one), osErrorISR);
    assert_int_equal(threads_call(SECOND, gives), DONE);
    REFUSED(said, osOK);
    services_run(FIRST);
    assert_null(osMutexGetOwner(one));
    REFUSED(osMutexDelete(one), osOK);
    REFUSED(osMutexDelete(one), osErrorParameter);
    assert_null(osMutexGetOwner(one));
    void *const other = osMutexNew(NULL);
    assert_non_null(other);
    REFUSED(osMutexDelete(other), osOK);
    REFUSED(osMutexDelete(two), osOK);
    REFUSED(osMutexDelete(three), osOK);
}

/* One whose ceiling is lower than a thread's level is none that the schedule names for it. */
static void t_ceilings(void **state)
{
    (void)state;
    void *const one = osMutexNew(NULL);
    void *const low = osMutexNew(NULL); /* the third, whose ceiling is the basic task's level */
    REFUSED(osMutexAcquire(low, 0u), osErrorResource);
    REFUSED(osMutexAcquire(one, 0u), osOK);
    assert_int_equal(port.mask, carillon_port_mask_of(ALONE_LEVEL));
    REFUSED(osMutexRelease(one), osOK);
    services_run(ALONE); /* its level is the ceiling */
    REFUSED(osMutexAcquire(one, FOREVER), osOK);
    REFUSED(osMutexRelease(one), osOK);
    services_run(FIRST);
    REFUSED(osMutexDelete(low), osOK);
    REFUSED(osMutexDelete(one), osOK);
}

static void t_refuses(void **state)
{
    (void)state;
    mutex = osMutexNew(NULL);
    REFUSED(osMutexRelease(mutex), osErrorResource); /* nobody has it */
    REFUSED(osMutexAcquire(mutex, TOO_LONG), osErrorParameter);
    REFUSED(osMutexAcquire(mutex, CARILLON_LONGEST_DURATION), osOK);
    REFUSED(osMutexAcquire(mutex, 0u), osErrorResource); /* it is not recursive */
    REFUSED(osMutexAcquire(mutex, FOREVER), osErrorResource);
    REFUSED(osMutexRelease(mutex), osOK);
    REFUSED(osMutexRelease(mutex), osErrorResource);
    REFUSED(osKernelLock(), 0);
    REFUSED(osMutexAcquire(mutex, 0u), osError);
    REFUSED(osMutexRelease(mutex), osError);
    REFUSED(osKernelUnlock(), 1);
    threads_before_start();
    REFUSED(osMutexAcquire(mutex, 0u), osError);
    REFUSED(osMutexRelease(mutex), osError);
    REFUSED(osMutexDelete(mutex), osOK);
    const osMutexAttr_t attr = {.attr_bits = osMutexPrioInherit | osMutexRobust};
    mutex = osMutexNew(&attr);
    carillon_rtos_state = CARILLON_RTOS_RUNNING;
    services_run(FIRST);
    REFUSED(osMutexAcquire(mutex, 0u), osOK);
    REFUSED(osMutexAcquire(mutex, 0u), osErrorResource);
    REFUSED(osMutexRelease(mutex), osOK);
    REFUSED(osMutexDelete(mutex), osOK);
}

/* A recursive one is given back as often as it was taken; so often, and no more. */
static void t_recursive(void **state)
{
    (void)state;
    SemaphoreHandle_t own = xSemaphoreCreateRecursiveMutex();
    for (uint32_t k = 0u; k < 65535u; k++) {
        assert_int_equal(xSemaphoreTakeRecursive(own, 0u), pdTRUE);
    }
    REFUSED(osMutexAcquire(own, 0u), osErrorResource);
    for (uint32_t k = 0u; k < 65535u; k++) {
        assert_ptr_equal(xSemaphoreGetMutexHolder(own), HANDLE(FIRST));
        assert_int_equal(port.mask, carillon_port_mask_of(ALONE_LEVEL));
        assert_int_equal(xSemaphoreGiveRecursive(own), pdTRUE);
    }
    assert_int_equal(port.mask, 0u);
    assert_null(xSemaphoreGetMutexHolder(own));
    assert_int_equal(xSemaphoreGiveRecursive(own), pdFALSE);
    vSemaphoreDelete(own);
    const osMutexAttr_t attr = {.attr_bits = osMutexRecursive};
    own = osMutexNew(&attr);
    REFUSED(osMutexAcquire(own, 0u), osOK);
    REFUSED(osMutexAcquire(own, 5u), osOK);
    REFUSED(osMutexRelease(own), osOK);
    REFUSED(osMutexRelease(own), osOK);
    REFUSED(osMutexDelete(own), osOK);
    StaticSemaphore_t memory;
    own = xSemaphoreCreateMutexStatic(&memory);
    assert_ptr_equal(own, &memory);
    assert_int_equal(xSemaphoreTake(own, 0u), pdTRUE);
    assert_int_equal(xSemaphoreTake(own, 0u), pdFALSE);
    assert_int_equal(uxSemaphoreGetCount(own), 0u);
    assert_int_equal(xSemaphoreGive(own), pdTRUE);
    assert_int_equal(uxSemaphoreGetCount(own), 1u);
    vSemaphoreDelete(own);
    assert_false(carillon_rtos_is(own, CARILLON_RTOS_MUTEX));
    own = xSemaphoreCreateRecursiveMutexStatic(&memory);
    assert_int_equal(((struct carillon_rtos_mutex *)own)->recursive, 1u);
    vSemaphoreDelete(own);
    own = xSemaphoreCreateMutex();
    assert_non_null(own);
    vSemaphoreDelete(own);
    own = xSemaphoreCreateBinary();
    assert_int_equal(uxSemaphoreGetCount(own), 0u);
    assert_int_equal(xSemaphoreGive(own), pdTRUE);
    assert_int_equal(xSemaphoreGive(own), pdFALSE);
    vSemaphoreDelete(own);
    own = xSemaphoreCreateCountingStatic(2u, 1u, &memory);
    assert_int_equal(uxSemaphoreGetCount(own), 1u);
    vSemaphoreDelete(own);
}

static void takes_and_delays(void)
{
    takes();
    (void)osDelay(10u);
    gives();
}
static void takes_and_yields(void)
{
    takes();
    (void)osThreadYield();
    gives();
}
static void takes_and_ends(void *argument)
{
    (void)argument;
    takes();
    (void)osDelay(10u);
}

/* Threads that find a mutex taken wait, and have it in the order of their priorities; or not within their time. */
static void t_waits(void **state)
{
    (void)state;
    mutex = osMutexNew(NULL);
    ticks = FOREVER;
    assert_int_equal(threads_call(FIRST, takes_and_delays), WAITS);
    ticks = 0u;
    assert_int_equal(threads_call(SECOND, takes), DONE);
    REFUSED(said, osErrorResource);
    ticks = 4u;
    assert_int_equal(threads_call(SECOND, takes), WAITS);
    threads_pass(3u);
    assert_false(threads_is_woken(SECOND));
    threads_pass(1u);
    assert_int_equal(threads_go_on(SECOND), DONE);
    REFUSED(said, osErrorTimeout);
    assert_int_equal(threads_call(SECOND, gives), DONE);
    REFUSED(said, osErrorResource);
    ticks = 7u;
    assert_int_equal(threads_call(SECOND, takes), WAITS);
    ticks = FOREVER;
    assert_int_equal(threads_call(ALONE, takes), WAITS);
    threads_pass(6u);
    assert_int_equal(threads_go_on(FIRST), WAITS); /* for its turn at its own level */
    services_run(SECOND);
    assert_ptr_equal(osMutexGetOwner(mutex), HANDLE(ALONE));
    assert_false(threads_is_woken(SECOND));
    assert_int_equal(threads_go_on(ALONE), DONE);
    REFUSED(said, osOK);
    threads_pass(1u);
    assert_int_equal(threads_go_on(SECOND), DONE);
    REFUSED(said, osErrorTimeout);
    assert_int_equal(threads_go_on(FIRST), DONE);
    REFUSED(said, osOK);
    assert_int_equal(threads_call(ALONE, gives), DONE);
    REFUSED(said, osOK);
    services_run(FIRST);
    REFUSED(osMutexDelete(mutex), osOK);
}

/* Whoever has one and yields goes on at its ceiling, and gives it back there before it waits for a turn at its own level. */
static void t_yields(void **state)
{
    (void)state;
    mutex = osMutexNew(NULL);
    ticks = 0u;
    assert_int_equal(threads_call(FIRST, takes_and_yields), WAITS);
    assert_int_equal(carillon_osek_mutexes.holders[FIRST].at, ALONE_LEVEL);
    assert_int_equal(threads_go_on(FIRST), WAITS);
    assert_int_equal(carillon_osek_mutexes.holders[FIRST].at, 0u);
    assert_int_equal(threads_go_on(FIRST), DONE);
    REFUSED(said, osOK);
    services_run(FIRST);
    assert_null(osMutexGetOwner(mutex));
    REFUSED(osMutexDelete(mutex), osOK);
}

/* One whose holder ends is free: for the next as if nobody had had it. */
static void t_robust(void **state)
{
    (void)state;
    mutex = xSemaphoreCreateRecursiveMutex();
    ticks = 0u;
    carillon_osek_jobs[SECOND].activations = 0u;
    assert_ptr_equal(osThreadNew(takes_and_ends, NULL, NULL), HANDLE(SECOND));
    assert_int_equal(threads_begin(SECOND), WAITS);
    services_run(FIRST);
    assert_ptr_equal(osMutexGetOwner(mutex), HANDLE(SECOND));
    REFUSED(osThreadTerminate(HANDLE(SECOND)), osOK);
    assert_int_equal(threads_go_on(SECOND), ENDED);
    services_run(FIRST);
    assert_null(osMutexGetOwner(mutex));
    REFUSED(osMutexAcquire(mutex, 0u), osOK);
    REFUSED(osMutexRelease(mutex), osOK);
    assert_null(osMutexGetOwner(mutex));
    REFUSED(osMutexDelete(mutex), osOK);
}

/* Notifications of a task: its value, and whether one has come that it has not looked at. */
static struct {
    bool is_called, waits, takes, clears, forever;
    uint32_t entry, leave, ticks, until, said, value, expected, expected_value;
    uint32_t own;
    bool notified;
} tasks[TASKS];

static void looks(void)
{
    const uint_fast8_t self = carillon_osek_running;
    if (tasks[self].takes) {
        tasks[self].said = ulTaskNotifyTake(tasks[self].clears ? pdTRUE : pdFALSE, tasks[self].ticks);
    } else {
        tasks[self].said =
            (xTaskNotifyWait(tasks[self].entry, tasks[self].leave, &tasks[self].value, tasks[self].ticks) == pdTRUE)
                ? 1u
                : 0u;
    }
}

/* Its look is over: a notification has come, or not. */
static void ends_look(TaskType task)
{
    const bool has_come = tasks[task].notified;
    const uint32_t value = tasks[task].own;
    tasks[task].waits = false;
    tasks[task].notified = false;
    if (tasks[task].takes) {
        tasks[task].expected = value;
        if (value != 0u) {
            tasks[task].own = tasks[task].clears ? 0u : (value - 1u);
        }
    } else {
        tasks[task].expected = has_come ? 1u : 0u;
        tasks[task].expected_value = value;
        tasks[task].own = has_come ? (value & ~tasks[task].leave) : value;
    }
}

static void check_look(TaskType task)
{
    assert_int_equal(tasks[task].said, tasks[task].expected);
    if (!tasks[task].takes) {
        assert_int_equal(tasks[task].value, tasks[task].expected_value);
    }
}

static void draw_look(TaskType task)
{
    static const uint32_t times[] = {0u, 1u, 3u, FOREVER};
    if (tasks[task].is_called) {
        return;
    }
    tasks[task].takes = draw(2u) == 0u;
    tasks[task].clears = draw(2u) == 0u;
    tasks[task].entry = draw(4u);
    tasks[task].leave = draw(4u);
    tasks[task].ticks = times[draw(4u)];
    if (tasks[task].takes ? (tasks[task].own != 0u) : tasks[task].notified) {
        ends_look(task);
    } else {
        tasks[task].notified = false;
        if (!tasks[task].takes) {
            tasks[task].own &= ~tasks[task].entry;
        }
        tasks[task].waits = tasks[task].ticks != 0u;
        tasks[task].forever = tasks[task].ticks == FOREVER;
        tasks[task].until = services_now + tasks[task].ticks;
        if (!tasks[task].waits) {
            ends_look(task);
        }
    }
    assert_int_equal(threads_call(task, looks), tasks[task].waits ? WAITS : DONE);
    tasks[task].is_called = tasks[task].waits;
    if (!tasks[task].waits) {
        check_look(task);
    }
}

static void draw_notification(TaskType task, bool in_isr)
{
    const eNotifyAction action = (eNotifyAction)draw(5u);
    const uint32_t value = draw(4u);
    const uint32_t before = tasks[task].own;
    BaseType_t expected = pdPASS;
    if (action == eSetBits) {
        tasks[task].own |= value;
    } else if (action == eIncrement) {
        tasks[task].own++;
    } else if ((action == eSetValueWithOverwrite) || ((action == eSetValueWithoutOverwrite) && !tasks[task].notified)) {
        tasks[task].own = value;
    } else {
        expected = (action == eNoAction) ? pdPASS : pdFAIL;
    }
    tasks[task].notified = true;
    uint32_t found = 99u;
    BaseType_t woken = 5;
    if (in_isr && (action == eIncrement)) {
        vTaskNotifyGiveFromISR(HANDLE(task), &woken);
        assert_int_equal(woken, pdFALSE);
    } else if (in_isr) {
        assert_int_equal(xTaskNotifyFromISR(HANDLE(task), value, action, &woken), expected);
        assert_int_equal(woken, pdFALSE);
    } else if (action == eIncrement) {
        assert_int_equal(xTaskNotifyGive(HANDLE(task)), pdPASS);
    } else if (draw(2u) == 0u) {
        assert_int_equal(xTaskNotifyAndQuery(HANDLE(task), value, action, &found), expected);
        assert_int_equal(found, before);
    } else {
        assert_int_equal(xTaskNotify(HANDLE(task), value, action), expected);
    }
}

static void t_notifications(void **state)
{
    for (uint32_t seed = 0u; seed < 40u; seed++) {
        (void)threads_reset(state);
        memset(tasks, 0, sizeof tasks);
        draw_from(seed);
        for (uint32_t step = 0u; step < 400u; step++) {
            const uint32_t choice = draw(8u);
            const TaskType task = (TaskType)(FIRST + draw(THREADS));
            if (choice < 3u) {
                draw_look(task);
            } else if (choice < 6u) {
                port.needless = 0u;
                draw_notification(task, choice == 3u);
                assert_int_equal(port.mask, 0u);
            } else {
                threads_pass(1u);
            }
            for (TaskType each = FIRST; each < TASKS; each++) {
                const bool is_late = !tasks[each].forever && (tasks[each].until == services_now);
                if (tasks[each].is_called) {
                    const bool goes_on = tasks[each].notified || is_late;
                    assert_int_equal(threads_is_woken(each), goes_on);
                    if (goes_on) {
                        ends_look(each);
                        assert_int_equal(threads_go_on(each), DONE);
                        tasks[each].is_called = false;
                        check_look(each);
                    }
                }
                assert_int_equal(HANDLE(each)->flags.value, tasks[each].own);
                assert_int_equal(HANDLE(each)->notified.value, tasks[each].notified ? 1u : 0u);
            }
        }
        for (TaskType each = FIRST; each < TASKS; each++) {
            if (tasks[each].is_called) {
                tasks[each].notified = true;
                assert_int_equal(xTaskNotify(HANDLE(each), 0u, eNoAction), pdPASS);
                assert_int_equal(threads_go_on(each), DONE);
            }
        }
    }
}

static void t_notified(void **state)
{
    (void)state;
    assert_int_equal(xTaskNotify(NULL, 0u, eNoAction), pdFAIL);
    assert_int_equal(xTaskNotify(HANDLE(BASIC), 0u, eNoAction), pdFAIL);
    assert_int_equal(xTaskNotifyStateClear(NULL), pdFALSE);
    assert_int_equal(xTaskNotify(HANDLE(FIRST), 6u, eSetBits), pdPASS);
    assert_int_equal(xTaskNotifyStateClear(NULL), pdTRUE);
    assert_int_equal(xTaskNotifyStateClear(HANDLE(FIRST)), pdFALSE);
    assert_int_equal(ulTaskNotifyValueClear(NULL, 2u), 6u);
    assert_int_equal(ulTaskNotifyValueClear(HANDLE(FIRST), 4u), 4u);
    assert_int_equal(xTaskNotifyGive(HANDLE(FIRST)), pdPASS);
    assert_int_equal(xTaskNotifyWait(0u, 0u, NULL, 0u), pdTRUE);
    assert_int_equal(ulTaskNotifyTake(pdTRUE, 0u), 1u);
    threads_interrupt(INVALID_TASK);
    assert_int_equal(ulTaskNotifyTake(pdTRUE, 0u), 0u);
    assert_int_equal(xTaskNotifyWait(0u, 0u, NULL, 0u), pdFALSE);
    REFUSED(carillon_rtos_notify_wait(0u, 0u, NULL, 0u), CARILLON_RTOS_IN_ISR);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, reset, threads_clean)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(t_makes),     TEST(t_ceilings),      TEST(t_refuses),
                                       TEST(t_recursive), TEST(t_waits),         TEST(t_yields),
                                       TEST(t_robust),    TEST(t_notifications), TEST(t_notified)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
