/* SPDX-License-Identifier: Apache-2.0
 *
 * A program for FreeRTOS: a task sends through a queue every 200 ms, a timer every second, and the task that receives
 * toggles a light.  At the third value of the timer it notifies a third task. */
#include "FreeRTOS.h"
#include "task.h"

#include "queue.h"
#include "semphr.h"
#include "timers.h"

#include "carillon_port.h"
#include "report.h"

#define mainRECEIVE_TASK_PRIORITY (tskIDLE_PRIORITY + 2)
#define mainSEND_TASK_PRIORITY (tskIDLE_PRIORITY + 1)
#define mainTASK_PERIOD pdMS_TO_TICKS(200)
#define mainTIMER_PERIOD pdMS_TO_TICKS(1000)
#define mainFROM_TASK (100UL)
#define mainFROM_TIMER (200UL)

static QueueHandle_t xQueue = NULL;
static TaskHandle_t xWatcher = NULL;
static SemaphoreHandle_t xLight = NULL;
static volatile int lightIsOn;

static void prvToggle(void)
{
    if (xSemaphoreTake(xLight, portMAX_DELAY) == pdTRUE) {
        lightIsOn = !lightIsOn;
        report("light", (uint32_t)lightIsOn);
        xSemaphoreGive(xLight);
    }
}

static void prvSend(void *pvParameters)
{
    const uint32_t ulValue = mainFROM_TASK;
    TickType_t xNext = xTaskGetTickCount();
    (void)pvParameters;
    for (;;) {
        vTaskDelayUntil(&xNext, mainTASK_PERIOD);
        xQueueSend(xQueue, &ulValue, 0U);
    }
}

static void prvTimer(TimerHandle_t xTimer)
{
    const uint32_t ulValue = mainFROM_TIMER;
    (void)xTimer;
    xQueueSend(xQueue, &ulValue, 0U);
}

static void prvReceive(void *pvParameters)
{
    uint32_t ulReceived, ulTimes = 0;
    (void)pvParameters;
    for (;;) {
        xQueueReceive(xQueue, &ulReceived, portMAX_DELAY);
        if (ulReceived == mainFROM_TASK) {
            prvToggle();
        } else if (ulReceived == mainFROM_TIMER) {
            ulTimes++;
            report("timer", (uint32_t)xTaskGetTickCount());
            if (ulTimes == 3) {
                xTaskNotifyGive(xWatcher);
            }
        }
    }
}

static void prvWatch(void *pvParameters)
{
    (void)pvParameters;
    report("notified", ulTaskNotifyTake(pdTRUE, portMAX_DELAY));
    carillon_port_halt();
}

int main(void)
{
    TimerHandle_t xTimer;

    xQueue = xQueueCreate(2, sizeof(uint32_t));
    xLight = xSemaphoreCreateMutex();
    if (xQueue != NULL && xLight != NULL) {
        xTaskCreate(prvReceive, "Rx", configMINIMAL_STACK_SIZE, NULL, mainRECEIVE_TASK_PRIORITY, NULL);
        xTaskCreate(prvSend, "TX", configMINIMAL_STACK_SIZE, NULL, mainSEND_TASK_PRIORITY, NULL);
        xTaskCreate(prvWatch, "Watch", configMINIMAL_STACK_SIZE, NULL, tskIDLE_PRIORITY, &xWatcher);
        xTimer = xTimerCreate("Timer", mainTIMER_PERIOD, pdTRUE, NULL, prvTimer);
        if (xTimer != NULL) {
            xTimerStart(xTimer, 0);
        }
        vTaskStartScheduler();
    }
    for (;;) {
    }
}
