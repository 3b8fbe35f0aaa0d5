/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of FreeRTOS. */
#ifndef QUEUE_H
#define QUEUE_H

#include "FreeRTOS.h"
#include "task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carillon_rtos_queue *QueueHandle_t;

static inline QueueHandle_t xQueueCreate(UBaseType_t length, UBaseType_t size)
{
    const struct carillon_rtos_place place = carillon_freertos_place(NULL, 0u);
    return carillon_rtos_queue_new((uint32_t)length, (uint32_t)size, false, &place);
}

static inline QueueHandle_t xQueueCreateStatic(UBaseType_t length, UBaseType_t size, uint8_t *store,
                                               StaticQueue_t *memory)
{
    struct carillon_rtos_place place = carillon_freertos_place(memory, sizeof(*memory));
    place.store = store;
    place.store_bytes = (uint32_t)(length * size);
    const bool has_both = (store != NULL) && (memory != NULL);
    return has_both ? carillon_rtos_queue_new((uint32_t)length, (uint32_t)size, false, &place) : NULL;
}

static inline void vQueueDelete(QueueHandle_t queue)
{
    (void)carillon_rtos_delete(queue, CARILLON_RTOS_QUEUE);
}

static inline BaseType_t xQueueSendToBack(QueueHandle_t queue, const void *item, TickType_t ticks)
{
    return carillon_freertos_result(carillon_rtos_queue_put(queue, item, 0u, ticks));
}
#define xQueueSend(queue, item, ticks) xQueueSendToBack((queue), (item), (ticks))

static inline BaseType_t xQueueSendToFront(QueueHandle_t queue, const void *item, TickType_t ticks)
{
    return carillon_freertos_result(carillon_rtos_queue_put(queue, item, CARILLON_RTOS_FRONT, ticks));
}

static inline BaseType_t xQueueOverwrite(QueueHandle_t queue, const void *item)
{
    return carillon_freertos_result(carillon_rtos_queue_overwrite(queue, item));
}

static inline BaseType_t xQueueReceive(QueueHandle_t queue, void *item, TickType_t ticks)
{
    return carillon_freertos_result(carillon_rtos_queue_get(queue, item, NULL, false, ticks));
}

static inline BaseType_t xQueuePeek(QueueHandle_t queue, void *item, TickType_t ticks)
{
    return carillon_freertos_result(carillon_rtos_queue_get(queue, item, NULL, true, ticks));
}

static inline BaseType_t xQueueReset(QueueHandle_t queue)
{
    (void)carillon_rtos_queue_reset(queue);
    return pdPASS;
}

static inline UBaseType_t uxQueueMessagesWaiting(QueueHandle_t queue)
{
    return queue->count;
}

static inline UBaseType_t uxQueueSpacesAvailable(QueueHandle_t queue)
{
    return (UBaseType_t)queue->most - queue->count;
}

/* From interrupts. */

static inline BaseType_t xQueueSendToBackFromISR(QueueHandle_t queue, const void *item, BaseType_t *woken)
{
    carillon_freertos_woken(woken);
    return xQueueSendToBack(queue, item, 0u);
}
#define xQueueSendFromISR(queue, item, woken) xQueueSendToBackFromISR((queue), (item), (woken))

static inline BaseType_t xQueueSendToFrontFromISR(QueueHandle_t queue, const void *item, BaseType_t *woken)
{
    carillon_freertos_woken(woken);
    return xQueueSendToFront(queue, item, 0u);
}

static inline BaseType_t xQueueOverwriteFromISR(QueueHandle_t queue, const void *item, BaseType_t *woken)
{
    carillon_freertos_woken(woken);
    return xQueueOverwrite(queue, item);
}

static inline BaseType_t xQueueReceiveFromISR(QueueHandle_t queue, void *item, BaseType_t *woken)
{
    carillon_freertos_woken(woken);
    return xQueueReceive(queue, item, 0u);
}
#define xQueuePeekFromISR(queue, item) xQueuePeek((queue), (item), 0u)
#define uxQueueMessagesWaitingFromISR(queue) uxQueueMessagesWaiting(queue)

static inline BaseType_t xQueueIsQueueEmptyFromISR(QueueHandle_t queue)
{
    return (queue->count == 0u) ? pdTRUE : pdFALSE;
}

static inline BaseType_t xQueueIsQueueFullFromISR(QueueHandle_t queue)
{
    return (queue->count == queue->most) ? pdTRUE : pdFALSE;
}

#ifdef __cplusplus
}
#endif

#endif
