/* SPDX-License-Identifier: Apache-2.0
 *
 * The types and codes of CMSIS-RTOS2, for cmsis_os2.h. */
#ifndef CARILLON_RTOS_CMSIS_TYPES_H
#define CARILLON_RTOS_CMSIS_TYPES_H

#include "kernel/rtos/rtos.h"

typedef enum {
    osKernelInactive = 0,
    osKernelReady = 1,
    osKernelRunning = 2,
    osKernelLocked = 3,
    osKernelSuspended = 4,
    osKernelError = -1,
    osKernelReserved = 0x7FFFFFFF
} osKernelState_t;

typedef enum {
    osThreadInactive = 0,
    osThreadReady = 1,
    osThreadRunning = 2,
    osThreadBlocked = 3,
    osThreadTerminated = 4,
    osThreadError = -1,
    osThreadReserved = 0x7FFFFFFF
} osThreadState_t;

typedef enum {
    osPriorityNone = 0,
    osPriorityIdle = 1,
    osPriorityLow = 8,
    osPriorityLow1,
    osPriorityLow2,
    osPriorityLow3,
    osPriorityLow4,
    osPriorityLow5,
    osPriorityLow6,
    osPriorityLow7,
    osPriorityBelowNormal = 16,
    osPriorityBelowNormal1,
    osPriorityBelowNormal2,
    osPriorityBelowNormal3,
    osPriorityBelowNormal4,
    osPriorityBelowNormal5,
    osPriorityBelowNormal6,
    osPriorityBelowNormal7,
    osPriorityNormal = 24,
    osPriorityNormal1,
    osPriorityNormal2,
    osPriorityNormal3,
    osPriorityNormal4,
    osPriorityNormal5,
    osPriorityNormal6,
    osPriorityNormal7,
    osPriorityAboveNormal = 32,
    osPriorityAboveNormal1,
    osPriorityAboveNormal2,
    osPriorityAboveNormal3,
    osPriorityAboveNormal4,
    osPriorityAboveNormal5,
    osPriorityAboveNormal6,
    osPriorityAboveNormal7,
    osPriorityHigh = 40,
    osPriorityHigh1,
    osPriorityHigh2,
    osPriorityHigh3,
    osPriorityHigh4,
    osPriorityHigh5,
    osPriorityHigh6,
    osPriorityHigh7,
    osPriorityRealtime = 48,
    osPriorityRealtime1,
    osPriorityRealtime2,
    osPriorityRealtime3,
    osPriorityRealtime4,
    osPriorityRealtime5,
    osPriorityRealtime6,
    osPriorityRealtime7,
    osPriorityISR = 56,
    osPriorityError = -1,
    osPriorityReserved = 0x7FFFFFFF
} osPriority_t;

typedef enum {
    osOK = CARILLON_RTOS_OK,
    osError = CARILLON_RTOS_ERROR,
    osErrorTimeout = CARILLON_RTOS_TIMEOUT,
    osErrorResource = CARILLON_RTOS_RESOURCE,
    osErrorParameter = CARILLON_RTOS_PARAMETER,
    osErrorNoMemory = CARILLON_RTOS_MEMORY,
    osErrorISR = CARILLON_RTOS_IN_ISR,
    osErrorSafetyClass = -7,
    osStatusReserved = 0x7FFFFFFF
} osStatus_t;

typedef enum { osTimerOnce = 0, osTimerPeriodic = 1 } osTimerType_t;

#define osWaitForever CARILLON_RTOS_FOREVER

#define osFlagsWaitAny 0x00000000U
#define osFlagsWaitAll 0x00000001U
#define osFlagsNoClear 0x00000002U

#define osFlagsError 0x80000000U
#define osFlagsErrorUnknown 0xFFFFFFFFU
#define osFlagsErrorTimeout 0xFFFFFFFEU
#define osFlagsErrorResource 0xFFFFFFFDU
#define osFlagsErrorParameter 0xFFFFFFFCU
#define osFlagsErrorISR 0xFFFFFFFAU
#define osFlagsErrorSafetyClass 0xFFFFFFF9U

#define osThreadDetached 0x00000000U
#define osThreadJoinable 0x00000001U
#define osThreadUnprivileged 0x00000002U
#define osThreadPrivileged 0x00000004U

#define osMutexRecursive 0x00000001U
#define osMutexPrioInherit 0x00000002U
#define osMutexRobust 0x00000008U

typedef void (*osThreadFunc_t)(void *argument);
typedef void (*osTimerFunc_t)(void *argument);

typedef struct {
    uint32_t api;
    uint32_t kernel;
} osVersion_t;

typedef void *osThreadId_t;
typedef void *osTimerId_t;
typedef void *osEventFlagsId_t;
typedef void *osMutexId_t;
typedef void *osSemaphoreId_t;
typedef void *osMemoryPoolId_t;
typedef void *osMessageQueueId_t;
typedef uint32_t TZ_ModuleId_t;

typedef struct {
    const char *name;
    uint32_t attr_bits;
    void *cb_mem;
    uint32_t cb_size;
    void *stack_mem;
    uint32_t stack_size;
    osPriority_t priority;
    TZ_ModuleId_t tz_module;
    uint32_t reserved;
} osThreadAttr_t;

typedef struct {
    const char *name;
    uint32_t attr_bits;
    void *cb_mem;
    uint32_t cb_size;
} osTimerAttr_t;

typedef osTimerAttr_t osEventFlagsAttr_t;
typedef osTimerAttr_t osMutexAttr_t;
typedef osTimerAttr_t osSemaphoreAttr_t;

typedef struct {
    const char *name;
    uint32_t attr_bits;
    void *cb_mem;
    uint32_t cb_size;
    void *mp_mem;
    uint32_t mp_size;
} osMemoryPoolAttr_t;

typedef struct {
    const char *name;
    uint32_t attr_bits;
    void *cb_mem;
    uint32_t cb_size;
    void *mq_mem;
    uint32_t mq_size;
} osMessageQueueAttr_t;

/* Carillon's own: how many bytes of memory an object takes that the program places. */
#define osTimerCbSize sizeof(struct carillon_rtos_timer)
#define osEventFlagsCbSize sizeof(struct carillon_rtos_flags)
#define osMutexCbSize sizeof(struct carillon_rtos_mutex)
#define osSemaphoreCbSize sizeof(struct carillon_rtos_semaphore)
#define osMemoryPoolCbSize sizeof(struct carillon_rtos_pool)
#define osMemoryPoolMemSize(count, size) ((count)*CARILLON_RTOS_BLOCK(size))
#define osMessageQueueCbSize sizeof(struct carillon_rtos_queue)
#define osMessageQueueMemSize(count, size) ((count) * ((size) + 1u))

#endif
