/* SPDX-License-Identifier: Apache-2.0
 *
 * What the calls of FreeRTOS return and do. */
#include "FreeRTOS.h"
#include "task.h"

#include "event_groups.h"
#include "queue.h"
#include "semphr.h"
#include "timers.h"

#include "carillon_port.h"
#include "report.h"

static uint32_t failures;
#define CHECK(holds)                    \
    do {                                \
        if (!(holds)) {                 \
            failures++;                 \
            report("failed", __LINE__); \
        }                               \
    } while (0)

static TaskHandle_t tester;
static QueueHandle_t queue;
static EventGroupHandle_t group;
static uint32_t word;

static TaskHandle_t begin(TaskFunction_t function, void *argument, UBaseType_t priority)
{
    TaskHandle_t task = NULL;
    CHECK(xTaskCreate(function, "Task", configMINIMAL_STACK_SIZE, argument, priority, &task) == pdPASS);
    return task;
}

static void receives(void *argument)
{
    uint32_t *const found = argument;
    CHECK(xQueueReceive(queue, found, portMAX_DELAY) == pdTRUE);
    vTaskDelete(NULL);
}
static void peeks(void *argument)
{
    CHECK(xQueuePeek(queue, argument, portMAX_DELAY) == pdTRUE);
    vTaskDelete(NULL);
}
static void queues(void)
{
    static uint8_t store[2u * sizeof(uint32_t)];
    static StaticQueue_t memory;
    uint32_t one = 1u, two = 2u, three = 3u, found = 0u, other = 0u;
    queue = xQueueCreateStatic(2u, sizeof(uint32_t), store, &memory);
    CHECK(queue != NULL && xQueueReceive(queue, &found, 0u) == errQUEUE_EMPTY);
    CHECK(xQueueSend(queue, &one, 0u) == pdPASS && xQueueSendToFront(queue, &two, 0u) == pdPASS);
    CHECK(xQueueSendToBack(queue, &three, 2u) == errQUEUE_FULL && uxQueueSpacesAvailable(queue) == 0u);
    CHECK(xQueuePeek(queue, &found, 0u) == pdPASS && found == 2u && uxQueueMessagesWaiting(queue) == 2u);
    CHECK(xQueueReceive(queue, &found, 0u) == pdPASS && found == 2u);
    CHECK(xQueueReceive(queue, &found, 0u) == pdPASS && found == 1u);
    (void)begin(peeks, &other, 3u);
    (void)begin(receives, &found, 2u);
    CHECK(xQueueSend(queue, &three, 0u) == pdPASS && found == 3u && other == 3u);
    CHECK(uxQueueMessagesWaiting(queue) == 0u);
    vQueueDelete(queue);
    queue = xQueueCreate(1u, sizeof(uint32_t));
    CHECK(xQueueOverwrite(queue, &one) == pdPASS && xQueueOverwrite(queue, &two) == pdPASS);
    CHECK(xQueueReceive(queue, &found, 0u) == pdPASS && found == 2u);
    vQueueDelete(queue);
}

static void semaphores(void)
{
    static StaticSemaphore_t memory;
    SemaphoreHandle_t semaphore = xSemaphoreCreateBinary();
    CHECK(xSemaphoreTake(semaphore, 2u) == pdFALSE && xSemaphoreGive(semaphore) == pdTRUE);
    CHECK(xSemaphoreGive(semaphore) == pdFALSE && xSemaphoreTake(semaphore, 0u) == pdTRUE);
    vSemaphoreDelete(semaphore);
    semaphore = xSemaphoreCreateCountingStatic(3u, 2u, &memory);
    CHECK(uxSemaphoreGetCount(semaphore) == 2u && xSemaphoreGive(semaphore) == pdTRUE);
    CHECK(xSemaphoreGive(semaphore) == pdFALSE);
    vSemaphoreDelete(semaphore);
    semaphore = xSemaphoreCreateRecursiveMutex();
    CHECK(xSemaphoreTakeRecursive(semaphore, 0u) == pdTRUE && xSemaphoreTakeRecursive(semaphore, 0u) == pdTRUE);
    CHECK(xSemaphoreGetMutexHolder(semaphore) == tester);
    CHECK(xSemaphoreGiveRecursive(semaphore) == pdTRUE && xSemaphoreGiveRecursive(semaphore) == pdTRUE);
    CHECK(xSemaphoreGiveRecursive(semaphore) == pdFALSE);
    vSemaphoreDelete(semaphore);
}

static void notifies(void *argument)
{
    const uint32_t *const how = argument;
    vTaskDelay(2u);
    CHECK(xTaskNotify(tester, how[0], (eNotifyAction)how[1]) == pdPASS);
    vTaskDelete(NULL);
}
static void notifications(void)
{
    uint32_t how[2] = {0u, eIncrement}, found = 9u;
    BaseType_t woken = pdTRUE;
    CHECK(ulTaskNotifyTake(pdTRUE, 1u) == 0u);
    (void)begin(notifies, how, 2u);
    CHECK(ulTaskNotifyTake(pdFALSE, portMAX_DELAY) == 1u && ulTaskNotifyTake(pdFALSE, 0u) == 0u);
    vTaskNotifyGiveFromISR(tester, &woken);
    CHECK(woken == pdFALSE && xTaskNotifyGive(tester) == pdPASS);
    CHECK(ulTaskNotifyTake(pdFALSE, 0u) == 2u && ulTaskNotifyTake(pdTRUE, 0u) == 1u);
    CHECK(xTaskNotifyWait(0u, 0u, &found, 1u) == pdFALSE);
    how[0] = 5u;
    how[1] = eSetBits;
    (void)begin(notifies, how, 2u);
    CHECK(xTaskNotifyWait(0u, 4u, &found, portMAX_DELAY) == pdTRUE && found == 5u);
    CHECK(xTaskNotifyAndQuery(tester, 7u, eSetValueWithOverwrite, &found) == pdPASS && found == 1u);
    CHECK(xTaskNotify(tester, 8u, eSetValueWithoutOverwrite) == pdFAIL);
    CHECK(xTaskNotifyStateClear(tester) == pdTRUE && xTaskNotifyStateClear(tester) == pdFALSE);
    CHECK(xTaskNotify(tester, 8u, eSetValueWithoutOverwrite) == pdPASS && ulTaskNotifyValueClear(tester, 8u) == 8u);
    CHECK(xTaskNotifyWait(0u, 0u, &found, 0u) == pdTRUE && found == 0u);
}

static void sets(void *argument)
{
    vTaskDelay(2u);
    (void)xEventGroupSetBits(group, *(const uint32_t *)argument);
    vTaskDelete(NULL);
}
static void waits(void *argument)
{
    *(uint32_t *)argument = xEventGroupWaitBits(group, 3u, pdTRUE, pdTRUE, portMAX_DELAY);
    vTaskDelete(NULL);
}
static void meets(void *argument)
{
    *(uint32_t *)argument = xEventGroupSync(group, 2u, 7u, portMAX_DELAY);
    vTaskDelete(NULL);
}
static void groups(void)
{
    uint32_t bits = 2u, found[2] = {0u, 0u};
    group = xEventGroupCreate();
    (void)begin(sets, &bits, 2u);
    CHECK(xEventGroupWaitBits(group, 3u, pdFALSE, pdFALSE, portMAX_DELAY) == 2u && xEventGroupGetBits(group) == 2u);
    CHECK(xEventGroupWaitBits(group, 3u, pdTRUE, pdTRUE, 2u) == 2u && xEventGroupClearBits(group, 2u) == 2u);
    (void)begin(waits, &found[0], 2u);
    (void)begin(waits, &found[1], 3u);
    CHECK(xEventGroupSetBits(group, 1u) == 1u && xEventGroupSetBits(group, 6u) == 4u);
    CHECK(found[0] == 7u && found[1] == 7u); /* both have seen them before they were cleared */
    (void)xEventGroupClearBits(group, 7u);
    (void)begin(meets, &found[0], 2u);
    CHECK(xEventGroupSync(group, 4u, 7u, 2u) == 6u && found[0] == 7u);
    CHECK(xEventGroupSync(group, 1u, 7u, 2u) == 7u && found[0] == 7u && xEventGroupGetBits(group) == 0u);
    vEventGroupDelete(group);
}

static void ticks(TimerHandle_t timer)
{
    word += (uint32_t)(uintptr_t)pvTimerGetTimerID(timer);
    if (word == 4u) {
        CHECK(xTimerStop(timer, 0u) == pdPASS); /* its own */
    }
}
static void timers(void)
{
    const TimerHandle_t timer = xTimerCreate("Timer", 3u, pdTRUE, (void *)1, ticks);
    word = 0u;
    CHECK(xTimerIsTimerActive(timer) == pdFALSE && xTimerStart(timer, 0u) == pdPASS);
    vTaskDelay(10u);
    CHECK(word == 3u && xTimerIsTimerActive(timer) == pdTRUE);
    vTaskDelay(10u);
    CHECK(word == 4u && xTimerIsTimerActive(timer) == pdFALSE);
    CHECK(xTimerChangePeriod(timer, 5u, 0u) == pdPASS && xTimerGetPeriod(timer) == 5u);
    vTaskDelay(6u);
    CHECK(word == 5u && xTimerDelete(timer, 0u) == pdPASS);
}

static void sleeps(void *argument)
{
    vTaskDelay(portMAX_DELAY);
    (*(uint32_t *)argument)++;
    vTaskSuspend(NULL);
    (*(uint32_t *)argument)++;
    vTaskDelay(portMAX_DELAY);
}
static void adds(void *argument)
{
    (*(uint32_t *)argument)++;
    vTaskDelete(NULL);
}
static void tasks(void)
{
    uint32_t count = 0u;
    TaskHandle_t task = begin(sleeps, &count, 3u);
    CHECK(eTaskGetState(task) == eBlocked && uxTaskPriorityGet(task) == 3u && uxTaskGetNumberOfTasks() == 2u);
    vTaskResume(task); /* it has not suspended itself */
    CHECK(count == 0u && xTaskAbortDelay(task) == pdTRUE && count == 1u);
    vTaskResume(task);
    CHECK(count == 2u);
    vTaskDelete(task);
    CHECK(uxTaskGetNumberOfTasks() == 1u);
    CHECK(xTaskCreate(adds, "None", 0u, NULL, 9u, NULL) == errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY);
    CHECK(xTaskCreate(adds, "Large", 100000u, NULL, 3u, NULL) == errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY);
    vTaskSuspendAll();
    vTaskSuspendAll();
    count = 0u;
    task = begin(adds, &count, 3u);
    CHECK(xTaskGetSchedulerState() == taskSCHEDULER_SUSPENDED && count == 0u);
    (void)xTaskResumeAll();
    CHECK(count == 0u);
    (void)xTaskResumeAll();
    CHECK(count == 1u && xTaskGetSchedulerState() == taskSCHEDULER_RUNNING);
    taskENTER_CRITICAL();
    (void)begin(adds, &count, 3u);
    CHECK(count == 1u);
    taskEXIT_CRITICAL();
    CHECK(count == 2u);
    TickType_t next = xTaskGetTickCount();
    CHECK(xTaskDelayUntil(&next, 5u) == pdTRUE && xTaskGetTickCount() == next);
    CHECK(pdMS_TO_TICKS(250u) == 250u && portTICK_PERIOD_MS == 1u && pdTICKS_TO_MS(3u) == 3u);
    vTaskDelay(5u);
    CHECK(xTaskDelayUntil(&next, 2u) == pdFALSE); /* it has passed */
    const size_t bytes = xPortGetFreeHeapSize();
    void *const memory = pvPortMalloc(100u);
    CHECK(memory != NULL && xPortGetFreeHeapSize() < bytes && pvPortMalloc(1000000u) == NULL);
    vPortFree(memory);
    CHECK(xPortGetFreeHeapSize() == bytes);
}

static void test(void *argument)
{
    static void (*const every[])(void) = {queues, semaphores, notifications, groups, timers, tasks};
    (void)argument;
    tester = xTaskGetCurrentTaskHandle();
    vTaskDelay(1u);
    for (uint32_t k = 0u; k < sizeof every / sizeof every[0]; k++) {
        every[k]();
        report("done", k);
    }
    report("failures", failures);
    carillon_port_halt();
}

int main(void)
{
    CHECK(xTaskGetSchedulerState() == taskSCHEDULER_NOT_STARTED);
    (void)xTaskCreate(test, "Test", 256u, NULL, 1u, NULL);
    vTaskStartScheduler();
    return 1;
}
