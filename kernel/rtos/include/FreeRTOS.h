/* SPDX-License-Identifier: Apache-2.0
 *
 * The types and macros of FreeRTOS, for programs that were written for it.  docs/guide/porting.md says what each call
 * becomes, and what differs.
 *
 * A program's own FreeRTOSConfig.h is included if it has one.  What Carillon's schedule says instead is compared. */
#ifndef INC_FREERTOS_H
#define INC_FREERTOS_H

#include "kernel/rtos/rtos.h"

#if __has_include("FreeRTOSConfig.h")
#include "FreeRTOSConfig.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t TickType_t;
typedef uint32_t StackType_t;
typedef uint32_t configSTACK_DEPTH_TYPE;
typedef void (*TaskFunction_t)(void *argument);

#define pdFALSE ((BaseType_t)0)
#define pdTRUE ((BaseType_t)1)
#define pdFAIL pdFALSE
#define pdPASS pdTRUE
#define errQUEUE_EMPTY pdFALSE
#define errQUEUE_FULL pdFALSE
#define errCOULD_NOT_ALLOCATE_REQUIRED_MEMORY (-1)

#ifdef configTICK_RATE_HZ
#ifdef __cplusplus
static_assert((uint64_t)(configTICK_RATE_HZ)*CARILLON_TIME_HZ_DIVISOR == CARILLON_TIME_HZ,
              "configTICK_RATE_HZ is not tick of [time]");
#else
_Static_assert((uint64_t)(configTICK_RATE_HZ)*CARILLON_TIME_HZ_DIVISOR == CARILLON_TIME_HZ,
               "configTICK_RATE_HZ is not what tick of [time] says");
#endif
#else
#define configTICK_RATE_HZ (CARILLON_TIME_HZ / CARILLON_TIME_HZ_DIVISOR)
#endif
#ifndef configMINIMAL_STACK_SIZE
#define configMINIMAL_STACK_SIZE ((configSTACK_DEPTH_TYPE)0) /* any thread of the schedule suffices */
#endif
#ifndef configMAX_PRIORITIES
#define configMAX_PRIORITIES 56
#endif
#ifndef configASSERT
#define configASSERT(holds) ((void)0)
#endif

#define portMAX_DELAY CARILLON_RTOS_FOREVER
#define portTICK_PERIOD_MS ((TickType_t)(1000u / configTICK_RATE_HZ))
#define portTICK_RATE_MS portTICK_PERIOD_MS
#define pdMS_TO_TICKS(ms) \
    ((TickType_t)(((uint64_t)(ms)*CARILLON_TIME_HZ) / (UINT64_C(1000) * CARILLON_TIME_HZ_DIVISOR)))
#define pdTICKS_TO_MS(ticks) \
    ((TickType_t)(((uint64_t)(ticks)*UINT64_C(1000) * CARILLON_TIME_HZ_DIVISOR) / CARILLON_TIME_HZ))

#define portBYTE_ALIGNMENT 8
#define portSTACK_TYPE StackType_t
#define portBASE_TYPE BaseType_t

/* What has become ready runs as soon as the interrupt returns: nobody asks for it. */
#define portYIELD_FROM_ISR(woken) ((void)(woken))
#define portEND_SWITCHING_ISR(woken) portYIELD_FROM_ISR(woken)

typedef struct carillon_rtos_thread StaticTask_t;
typedef struct carillon_rtos_queue StaticQueue_t;
typedef struct carillon_rtos_timer StaticTimer_t;
typedef struct carillon_rtos_flags StaticEventGroup_t;
typedef union {
    struct carillon_rtos_semaphore semaphore;
    struct carillon_rtos_mutex mutex;
} StaticSemaphore_t;

static inline void *pvPortMalloc(size_t size)
{
    return carillon_rtos_allocate((uint32_t)size);
}

static inline void vPortFree(void *memory)
{
    carillon_rtos_free(memory);
}

static inline size_t xPortGetFreeHeapSize(void)
{
    return carillon_rtos_free_bytes();
}

/* Internal: where an object is to lie. */
static inline struct carillon_rtos_place carillon_freertos_place(void *memory, size_t bytes)
{
    const struct carillon_rtos_place place = {NULL, memory, (memory == NULL) ? 0u : (uint32_t)bytes, NULL, 0u};
    return place;
}

/* Internal: pdTRUE if there was no error. */
static inline BaseType_t carillon_freertos_result(int status)
{
    return (status == CARILLON_RTOS_OK) ? pdTRUE : pdFALSE;
}

/* Internal: nobody has to ask for a switch. */
static inline void carillon_freertos_woken(BaseType_t *woken)
{
    if (woken != NULL) {
        *woken = pdFALSE;
    }
}

#ifdef __cplusplus
}
#endif

#endif
