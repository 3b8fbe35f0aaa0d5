/* SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores and mutexes of FreeRTOS.  A handle says itself which of both it is. */
#ifndef SEMAPHORE_H
#define SEMAPHORE_H

#include "queue.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void *SemaphoreHandle_t;

/* Internal: a semaphore, or a mutex, in the memory or the heap. */
static inline SemaphoreHandle_t carillon_freertos_semaphore(uint32_t most, uint32_t initial, StaticSemaphore_t *memory)
{
    const struct carillon_rtos_place place = carillon_freertos_place(memory, sizeof(*memory));
    return carillon_rtos_semaphore_new(most, initial, &place);
}
static inline SemaphoreHandle_t carillon_freertos_mutex(bool recursive, StaticSemaphore_t *memory)
{
    const struct carillon_rtos_place place = carillon_freertos_place(memory, sizeof(*memory));
    return carillon_rtos_mutex_new(recursive, &place);
}

#define xSemaphoreCreateBinary() carillon_freertos_semaphore(1u, 0u, NULL)
#define xSemaphoreCreateBinaryStatic(memory) carillon_freertos_semaphore(1u, 0u, (memory))
#define xSemaphoreCreateCounting(most, initial) carillon_freertos_semaphore((most), (initial), NULL)
#define xSemaphoreCreateCountingStatic(most, initial, memory) carillon_freertos_semaphore((most), (initial), (memory))
#define xSemaphoreCreateMutex() carillon_freertos_mutex(false, NULL)
#define xSemaphoreCreateMutexStatic(memory) carillon_freertos_mutex(false, (memory))
#define xSemaphoreCreateRecursiveMutex() carillon_freertos_mutex(true, NULL)
#define xSemaphoreCreateRecursiveMutexStatic(memory) carillon_freertos_mutex(true, (memory))

#if CARILLON_OSEK_MUTEXES > 0
static inline BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks)
{
    if (carillon_rtos_is(semaphore, CARILLON_RTOS_MUTEX)) {
        return carillon_freertos_result(carillon_rtos_mutex_take((struct carillon_rtos_mutex *)semaphore, ticks));
    }
    return carillon_freertos_result(carillon_rtos_semaphore_take((struct carillon_rtos_semaphore *)semaphore, ticks));
}

static inline BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore)
{
    if (carillon_rtos_is(semaphore, CARILLON_RTOS_MUTEX)) {
        return carillon_freertos_result(carillon_rtos_mutex_give((struct carillon_rtos_mutex *)semaphore));
    }
    return carillon_freertos_result(carillon_rtos_semaphore_give((struct carillon_rtos_semaphore *)semaphore));
}

static inline void vSemaphoreDelete(SemaphoreHandle_t semaphore)
{
    if (carillon_rtos_is(semaphore, CARILLON_RTOS_MUTEX)) {
        (void)carillon_rtos_mutex_delete((struct carillon_rtos_mutex *)semaphore);
    } else {
        (void)carillon_rtos_delete(semaphore, CARILLON_RTOS_SEMAPHORE);
    }
}

static inline TaskHandle_t xSemaphoreGetMutexHolder(SemaphoreHandle_t semaphore)
{
    return carillon_rtos_mutex_owner((const struct carillon_rtos_mutex *)semaphore);
}

/* Of a mutex: 1 if nobody has it. */
static inline UBaseType_t uxSemaphoreGetCount(SemaphoreHandle_t semaphore)
{
    if (carillon_rtos_is(semaphore, CARILLON_RTOS_MUTEX)) {
        return (xSemaphoreGetMutexHolder(semaphore) == NULL) ? 1u : 0u;
    }
    const bool has_units = carillon_rtos_is(semaphore, CARILLON_RTOS_SEMAPHORE);
    return has_units ? ((const struct carillon_rtos_semaphore *)semaphore)->semaphore.count : 0u;
}
#else
static inline BaseType_t xSemaphoreTake(SemaphoreHandle_t semaphore, TickType_t ticks)
{
    return carillon_freertos_result(carillon_rtos_semaphore_take((struct carillon_rtos_semaphore *)semaphore, ticks));
}

static inline BaseType_t xSemaphoreGive(SemaphoreHandle_t semaphore)
{
    return carillon_freertos_result(carillon_rtos_semaphore_give((struct carillon_rtos_semaphore *)semaphore));
}

static inline void vSemaphoreDelete(SemaphoreHandle_t semaphore)
{
    (void)carillon_rtos_delete(semaphore, CARILLON_RTOS_SEMAPHORE);
}

static inline UBaseType_t uxSemaphoreGetCount(SemaphoreHandle_t semaphore)
{
    const bool has_units = carillon_rtos_is(semaphore, CARILLON_RTOS_SEMAPHORE);
    return has_units ? ((const struct carillon_rtos_semaphore *)semaphore)->semaphore.count : 0u;
}
#endif

#define xSemaphoreTakeRecursive(semaphore, ticks) xSemaphoreTake((semaphore), (ticks))
#define xSemaphoreGiveRecursive(semaphore) xSemaphoreGive(semaphore)

static inline BaseType_t xSemaphoreGiveFromISR(SemaphoreHandle_t semaphore, BaseType_t *woken)
{
    carillon_freertos_woken(woken);
    return carillon_freertos_result(carillon_rtos_semaphore_give((struct carillon_rtos_semaphore *)semaphore));
}

static inline BaseType_t xSemaphoreTakeFromISR(SemaphoreHandle_t semaphore, BaseType_t *woken)
{
    carillon_freertos_woken(woken);
    return carillon_freertos_result(carillon_rtos_semaphore_take((struct carillon_rtos_semaphore *)semaphore, 0u));
}

#ifdef __cplusplus
}
#endif

#endif
