/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks of FreeRTOS, and notifications. */
#ifndef INC_TASK_H
#define INC_TASK_H

#include "FreeRTOS.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carillon_rtos_thread *TaskHandle_t;

typedef enum { eRunning = 0, eReady, eBlocked, eSuspended, eDeleted, eInvalid } eTaskState;
typedef enum { eNoAction = 0, eSetBits, eIncrement, eSetValueWithOverwrite, eSetValueWithoutOverwrite } eNotifyAction;

#define tskIDLE_PRIORITY ((UBaseType_t)0u)
#define taskSCHEDULER_SUSPENDED ((BaseType_t)0)
#define taskSCHEDULER_NOT_STARTED ((BaseType_t)1)
#define taskSCHEDULER_RUNNING ((BaseType_t)2)

/* `depth` is the stack's size in words.  The task takes a thread of the schedule with that priority. */
static inline BaseType_t xTaskCreate(TaskFunction_t function, const char *name, configSTACK_DEPTH_TYPE depth,
                                     void *argument, UBaseType_t priority, TaskHandle_t *created)
{
    const TaskHandle_t task = carillon_rtos_thread_new(function, argument, name, (uint32_t)priority,
                                                       (uint32_t)(depth * sizeof(StackType_t)), false);
    if (created != NULL) {
        *created = task;
    }
    return (task != NULL) ? pdPASS : (BaseType_t)errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY;
}

/* The schedule has the stack and the task: the memory is not used. */
static inline TaskHandle_t xTaskCreateStatic(TaskFunction_t function, const char *name, uint32_t depth, void *argument,
                                             UBaseType_t priority, StackType_t *stack, StaticTask_t *memory)
{
    TaskHandle_t task = NULL;
    if ((stack != NULL) && (memory != NULL)) {
        (void)xTaskCreate(function, name, depth, argument, priority, &task);
    }
    return task;
}

static inline void vTaskStartScheduler(void)
{
    StartOS(OSDEFAULTAPPMODE);
}

/* Internal: NULL is the calling task. */
static inline TaskHandle_t carillon_freertos_task(TaskHandle_t task)
{
    return (task != NULL) ? task : carillon_rtos_thread_self();
}

/* Internal: FreeRTOS has no code for what cannot be done here, so the system is shut down. */
static inline void carillon_freertos_must(int status)
{
    if (status != CARILLON_RTOS_OK) {
        ShutdownOS(E_OS_STATE);
    }
}

/* A task that neither waits nor has yet to begin is not ended by another one: the system is shut down. */
static inline void vTaskDelete(TaskHandle_t task)
{
    carillon_freertos_must(carillon_rtos_thread_terminate(carillon_freertos_task(task)));
}

static inline void vTaskDelay(TickType_t ticks)
{
    if (ticks == 0u) {
        (void)carillon_rtos_thread_yield();
    } else {
        (void)carillon_rtos_delay(ticks);
    }
}

static inline BaseType_t xTaskDelayUntil(TickType_t *previous, TickType_t increment)
{
    *previous += increment;
    return carillon_freertos_result(carillon_rtos_delay_until(*previous));
}
#define vTaskDelayUntil(previous, increment) ((void)xTaskDelayUntil((previous), (increment)))

static inline TickType_t xTaskGetTickCount(void)
{
    return (carillon_rtos_state == CARILLON_RTOS_RUNNING) ? carillon_now() : 0u;
}
#define xTaskGetTickCountFromISR() xTaskGetTickCount()

static inline TaskHandle_t xTaskGetCurrentTaskHandle(void)
{
    return carillon_rtos_thread_self();
}

static inline char *pcTaskGetName(TaskHandle_t task)
{
    return (char *)(uintptr_t)carillon_freertos_task(task)->name;
}

static inline UBaseType_t uxTaskPriorityGet(TaskHandle_t task)
{
    return carillon_rtos_priorities[carillon_rtos_task_of(carillon_freertos_task(task))];
}

void vTaskPrioritySet(TaskHandle_t task, UBaseType_t priority)
    __attribute__((error("priorities are the schedule's: make a thread with new = true of each that is needed")));

static inline UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task)
{
    return carillon_rtos_thread_stack_left(carillon_freertos_task(task)) / sizeof(StackType_t);
}

static inline eTaskState eTaskGetState(TaskHandle_t task)
{
    switch (carillon_rtos_thread_state(task)) {
    case RUNNING:
        return eRunning;
    case READY:
        return eReady;
    case WAITING:
        return carillon_rtos_thread_suspended(task) ? eSuspended : eBlocked;
    default:
        return eDeleted;
    }
}

/* A task suspends itself alone: of another one, the system is shut down. */
static inline void vTaskSuspend(TaskHandle_t task)
{
    carillon_freertos_must(carillon_rtos_thread_suspend(carillon_freertos_task(task)));
}

static inline void vTaskResume(TaskHandle_t task)
{
    (void)carillon_rtos_thread_resume(task, false);
}

static inline BaseType_t xTaskResumeFromISR(TaskHandle_t task)
{
    (void)carillon_rtos_thread_resume(task, false);
    return pdFALSE; /* nobody has to ask for a switch */
}

/* One that is suspended stays so. */
static inline BaseType_t xTaskAbortDelay(TaskHandle_t task)
{
    if (carillon_rtos_thread_suspended(task)) {
        return pdFALSE;
    }
    return carillon_freertos_result(carillon_rtos_thread_resume(task, true));
}

static inline void taskYIELD(void)
{
    (void)carillon_rtos_thread_yield();
}
#define portYIELD() taskYIELD()

/* Interrupts of category 2, and other tasks, wait; and the task must not. */
static inline void taskENTER_CRITICAL(void)
{
    (void)carillon_rtos_nest(true);
    SuspendOSInterrupts();
}

static inline void taskEXIT_CRITICAL(void)
{
    ResumeOSInterrupts();
    (void)carillon_rtos_nest(false);
}
#define portENTER_CRITICAL() taskENTER_CRITICAL()
#define portEXIT_CRITICAL() taskEXIT_CRITICAL()
#define taskDISABLE_INTERRUPTS() taskENTER_CRITICAL()
#define taskENABLE_INTERRUPTS() taskEXIT_CRITICAL()

static inline UBaseType_t taskENTER_CRITICAL_FROM_ISR(void)
{
    SuspendOSInterrupts();
    return 0u;
}

static inline void taskEXIT_CRITICAL_FROM_ISR(UBaseType_t saved)
{
    (void)saved;
    ResumeOSInterrupts();
}

static inline void vTaskSuspendAll(void)
{
    (void)carillon_rtos_nest(true);
}

static inline BaseType_t xTaskResumeAll(void)
{
    (void)carillon_rtos_nest(false);
    return pdFALSE; /* who has become ready has run */
}

static inline BaseType_t xTaskGetSchedulerState(void)
{
    if (carillon_rtos_state != CARILLON_RTOS_RUNNING) {
        return taskSCHEDULER_NOT_STARTED;
    }
    return carillon_rtos_is_locked() ? taskSCHEDULER_SUSPENDED : taskSCHEDULER_RUNNING;
}

static inline UBaseType_t uxTaskGetNumberOfTasks(void)
{
    UBaseType_t count = 0u;
    for (uint32_t task = 0u; task < CARILLON_OSEK_TASKS; task++) {
        count += (carillon_rtos_thread_state(&carillon_rtos_threads[task]) != SUSPENDED) ? 1u : 0u;
    }
    return count;
}

/* Notifications: each task has a value, and whether it has been notified. */

static inline BaseType_t xTaskNotify(TaskHandle_t task, uint32_t value, eNotifyAction action)
{
    return carillon_freertos_result(carillon_rtos_notify(task, value, (uint8_t)action, NULL));
}

static inline BaseType_t xTaskNotifyAndQuery(TaskHandle_t task, uint32_t value, eNotifyAction action, uint32_t *before)
{
    return carillon_freertos_result(carillon_rtos_notify(task, value, (uint8_t)action, before));
}

static inline BaseType_t xTaskNotifyFromISR(TaskHandle_t task, uint32_t value, eNotifyAction action, BaseType_t *woken)
{
    carillon_freertos_woken(woken);
    return xTaskNotify(task, value, action);
}

static inline BaseType_t xTaskNotifyGive(TaskHandle_t task)
{
    return xTaskNotify(task, 0u, eIncrement);
}

static inline void vTaskNotifyGiveFromISR(TaskHandle_t task, BaseType_t *woken)
{
    carillon_freertos_woken(woken);
    (void)xTaskNotify(task, 0u, eIncrement);
}

static inline uint32_t ulTaskNotifyTake(BaseType_t clears, TickType_t ticks)
{
    return carillon_rtos_notify_take(clears != pdFALSE, ticks);
}

static inline BaseType_t xTaskNotifyWait(uint32_t clear_before, uint32_t clear_after, uint32_t *value, TickType_t ticks)
{
    return carillon_freertos_result(carillon_rtos_notify_wait(clear_before, clear_after, value, ticks));
}

static inline BaseType_t xTaskNotifyStateClear(TaskHandle_t task)
{
    return (carillon_rtos_flags_clear(&carillon_freertos_task(task)->notified, 1u) != 0u) ? pdTRUE : pdFALSE;
}

static inline uint32_t ulTaskNotifyValueClear(TaskHandle_t task, uint32_t bits)
{
    return carillon_rtos_flags_clear(&carillon_freertos_task(task)->flags, bits);
}

#ifdef __cplusplus
}
#endif

#endif
