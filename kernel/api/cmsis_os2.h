/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of CMSIS-RTOS2 (API version 2.2), for programs that were written for another kernel.  docs/guide/porting.md
 * says what each becomes, and what differs.
 *
 * What Carillon cannot do returns the code that the standard names, or does not compile. */
#ifndef CMSIS_OS2_H_
#define CMSIS_OS2_H_

#include "carillon/rtos.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Internal: where an object is to lie. */
static inline struct carillon_rtos_place carillon_cmsis_place(const osTimerAttr_t *attr)
{
    struct carillon_rtos_place place = {NULL, NULL, 0u, NULL, 0u};
    if (attr != NULL) {
        place.name = attr->name;
        place.memory = attr->cb_mem;
        place.bytes = attr->cb_size;
    }
    return place;
}

/* Internal: the name of an object; NULL in an interrupt. */
static inline const char *carillon_cmsis_name(const void *object, uint8_t kind)
{
    const bool has_one = carillon_rtos_is(object, kind) && !carillon_rtos_in_isr();
    return has_one ? ((const struct carillon_rtos_object *)object)->name : NULL;
}

/* The kernel. */

static inline osStatus_t osKernelInitialize(void)
{
    if (carillon_rtos_in_isr()) {
        return osErrorISR;
    }
    if (carillon_rtos_state == CARILLON_RTOS_RUNNING) {
        return osError;
    }
    carillon_rtos_state = CARILLON_RTOS_READY;
    return osOK;
}

static inline osStatus_t osKernelGetInfo(osVersion_t *version, char *id_buf, uint32_t id_size)
{
    static const char id[] = "Carillon";
    if (version != NULL) {
        version->api = 20020000u;
        version->kernel = 1u;
    }
    for (uint32_t k = 0u; (id_buf != NULL) && (k < id_size); k++) {
        id_buf[k] = (k < (sizeof(id) - 1u)) ? id[k] : '\0';
    }
    return osOK;
}

static inline osKernelState_t osKernelGetState(void)
{
    return carillon_rtos_is_locked() ? osKernelLocked : (osKernelState_t)carillon_rtos_state;
}

static inline osStatus_t osKernelStart(void)
{
    if (carillon_rtos_in_isr()) {
        return osErrorISR;
    }
    if (carillon_rtos_state != CARILLON_RTOS_READY) {
        return osError;
    }
    StartOS(OSDEFAULTAPPMODE);
}

static inline int32_t osKernelLock(void)
{
    return carillon_rtos_lock(true);
}

static inline int32_t osKernelUnlock(void)
{
    return carillon_rtos_lock(false);
}

static inline int32_t osKernelRestoreLock(int32_t lock)
{
    if ((lock != 0) && (lock != 1)) {
        return osError;
    }
    const int before = carillon_rtos_lock(lock == 1);
    return (before < 0) ? before : lock;
}

/* The idle processor sleeps by `idle` of [system], and the clock has no ticks that it could leave out. */
uint32_t osKernelSuspend(void)
    __attribute__((error("the clock wakes a sleeping processor by itself: see idle of [system]")));
void osKernelResume(uint32_t sleep_ticks)
    __attribute__((error("the clock wakes a sleeping processor by itself: see idle of [system]")));

static inline uint32_t osKernelGetTickCount(void)
{
    return (carillon_rtos_state == CARILLON_RTOS_RUNNING) ? carillon_now() : 0u;
}

static inline uint32_t osKernelGetTickFreq(void)
{
    return CARILLON_TIME_HZ / CARILLON_TIME_HZ_DIVISOR;
}

/* The system timer is the clock itself: one count a tick. */
static inline uint32_t osKernelGetSysTimerCount(void)
{
    return osKernelGetTickCount();
}

static inline uint32_t osKernelGetSysTimerFreq(void)
{
    return osKernelGetTickFreq();
}

/* Threads. */

static inline osThreadId_t osThreadNew(osThreadFunc_t func, void *argument, const osThreadAttr_t *attr)
{
    if (attr == NULL) {
        return carillon_rtos_thread_new(func, argument, NULL, osPriorityNormal, 0u, false);
    }
    const osPriority_t priority = (attr->priority == osPriorityNone) ? osPriorityNormal : attr->priority;
    return carillon_rtos_thread_new(func, argument, attr->name, (uint32_t)priority, attr->stack_size,
                                    (attr->attr_bits & osThreadJoinable) != 0u);
}

static inline const char *osThreadGetName(osThreadId_t thread_id)
{
    const struct carillon_rtos_thread *const thread = (const struct carillon_rtos_thread *)thread_id;
    return (carillon_rtos_thread_is(thread) && !carillon_rtos_in_isr()) ? thread->name : NULL;
}

static inline osThreadId_t osThreadGetId(void)
{
    return carillon_rtos_thread_self();
}

static inline osThreadState_t osThreadGetState(osThreadId_t thread_id)
{
    const struct carillon_rtos_thread *const thread = (const struct carillon_rtos_thread *)thread_id;
    if (!carillon_rtos_thread_is(thread) || carillon_rtos_in_isr()) {
        return osThreadError;
    }
    switch (carillon_rtos_thread_state(thread)) {
    case RUNNING:
        return osThreadRunning;
    case READY:
        return osThreadReady;
    case WAITING:
        return osThreadBlocked;
    default:
        return (thread->joinable != 0u) ? osThreadTerminated : osThreadError;
    }
}

static inline osPriority_t osThreadGetPriority(osThreadId_t thread_id)
{
    const struct carillon_rtos_thread *const thread = (const struct carillon_rtos_thread *)thread_id;
    if (!carillon_rtos_thread_is(thread) || carillon_rtos_in_isr()) {
        return osPriorityError;
    }
    return (osPriority_t)carillon_rtos_priorities[carillon_rtos_task_of(thread)];
}

/* Priorities are the schedule's: any other than the thread has is refused. */
static inline osStatus_t osThreadSetPriority(osThreadId_t thread_id, osPriority_t priority)
{
    if (carillon_rtos_in_isr()) {
        return osErrorISR;
    }
    if (!carillon_rtos_thread_is((const struct carillon_rtos_thread *)thread_id) || (priority < osPriorityIdle) ||
        (priority > osPriorityISR)) {
        return osErrorParameter;
    }
    return (osThreadGetPriority(thread_id) == priority) ? osOK : osErrorResource;
}

static inline osStatus_t osThreadYield(void)
{
    return (osStatus_t)carillon_rtos_thread_yield();
}

static inline osStatus_t osThreadSuspend(osThreadId_t thread_id)
{
    return (osStatus_t)carillon_rtos_thread_suspend((struct carillon_rtos_thread *)thread_id);
}

static inline osStatus_t osThreadResume(osThreadId_t thread_id)
{
    return carillon_rtos_in_isr()
               ? osErrorISR
               : (osStatus_t)carillon_rtos_thread_resume((struct carillon_rtos_thread *)thread_id, true);
}

static inline osStatus_t osThreadDetach(osThreadId_t thread_id)
{
    return (osStatus_t)carillon_rtos_thread_detach((struct carillon_rtos_thread *)thread_id);
}

static inline osStatus_t osThreadJoin(osThreadId_t thread_id)
{
    return (osStatus_t)carillon_rtos_thread_join((struct carillon_rtos_thread *)thread_id);
}

static inline __attribute__((noreturn)) void osThreadExit(void)
{
    carillon_rtos_thread_exit();
}

/* A thread that neither waits, nor has yet to begin, ends itself alone. */
static inline osStatus_t osThreadTerminate(osThreadId_t thread_id)
{
    return (osStatus_t)carillon_rtos_thread_terminate((struct carillon_rtos_thread *)thread_id);
}

static inline uint32_t osThreadGetStackSize(osThreadId_t thread_id)
{
    const struct carillon_rtos_thread *const thread = (const struct carillon_rtos_thread *)thread_id;
    return (carillon_rtos_thread_is(thread) && !carillon_rtos_in_isr()) ? carillon_rtos_thread_stack(thread) : 0u;
}

static inline uint32_t osThreadGetStackSpace(osThreadId_t thread_id)
{
    const struct carillon_rtos_thread *const thread = (const struct carillon_rtos_thread *)thread_id;
    return (carillon_rtos_thread_is(thread) && !carillon_rtos_in_isr()) ? carillon_rtos_thread_stack_left(thread) : 0u;
}

/* Threads that have not ended, of which the first are put into the array. */
static inline uint32_t osThreadEnumerate(osThreadId_t *thread_array, uint32_t array_items)
{
    uint32_t count = 0u;
    for (uint32_t task = 0u; (task < CARILLON_OSEK_TASKS) && (count < array_items) && !carillon_rtos_in_isr(); task++) {
        struct carillon_rtos_thread *const each = &carillon_rtos_threads[task];
        if (carillon_rtos_thread_is(each) && (carillon_rtos_thread_state(each) != SUSPENDED)) {
            if (thread_array != NULL) {
                thread_array[count] = each;
            }
            count++;
        }
    }
    return (thread_array != NULL) ? count : 0u;
}

static inline uint32_t osThreadGetCount(void)
{
    osThreadId_t every[CARILLON_OSEK_TASKS];
    return osThreadEnumerate(every, CARILLON_OSEK_TASKS);
}

/* Flags of threads. */

static inline uint32_t osThreadFlagsSet(osThreadId_t thread_id, uint32_t flags)
{
    struct carillon_rtos_thread *const thread = (struct carillon_rtos_thread *)thread_id;
    if (!carillon_rtos_thread_is(thread) || ((flags & osFlagsError) != 0u)) {
        return osFlagsErrorParameter;
    }
    return carillon_rtos_flags_set(&thread->flags, flags);
}

static inline uint32_t osThreadFlagsClear(uint32_t flags)
{
    struct carillon_rtos_thread *const self = carillon_rtos_thread_self();
    if (carillon_rtos_in_isr() || (self == NULL)) {
        return osFlagsErrorISR;
    }
    return ((flags & osFlagsError) != 0u) ? osFlagsErrorParameter : carillon_rtos_flags_clear(&self->flags, flags);
}

static inline uint32_t osThreadFlagsGet(void)
{
    const struct carillon_rtos_thread *const self = carillon_rtos_thread_self();
    return (carillon_rtos_in_isr() || (self == NULL)) ? 0u : self->flags.value;
}

/* Internal: the flags that were found, or the error. */
static inline uint32_t carillon_cmsis_wait(struct carillon_rtos_flags *object, uint32_t flags, uint32_t options,
                                           uint32_t timeout)
{
    uint32_t found = 0u;
    const uint8_t own = (uint8_t)(options & (osFlagsWaitAll | osFlagsNoClear)); /* the same bits */
    const int status = carillon_rtos_flags_wait(object, 0u, flags, own, timeout, &found);
    return (status == CARILLON_RTOS_OK) ? found : (uint32_t)status;
}

static inline uint32_t osThreadFlagsWait(uint32_t flags, uint32_t options, uint32_t timeout)
{
    struct carillon_rtos_thread *const self = carillon_rtos_thread_self();
    if (carillon_rtos_in_isr() || (self == NULL)) {
        return osFlagsErrorISR;
    }
    return ((flags & osFlagsError) != 0u) ? osFlagsErrorParameter
                                          : carillon_cmsis_wait(&self->flags, flags, options, timeout);
}

/* Waiting for the time. */

static inline osStatus_t osDelay(uint32_t ticks)
{
    return (osStatus_t)carillon_rtos_delay(ticks);
}

static inline osStatus_t osDelayUntil(uint32_t ticks)
{
    return (osStatus_t)carillon_rtos_delay_until(ticks);
}

/* Timers: their functions run in the clock's interrupt. */

static inline osTimerId_t osTimerNew(osTimerFunc_t func, osTimerType_t type, void *argument, const osTimerAttr_t *attr)
{
    const struct carillon_rtos_place place = carillon_cmsis_place(attr);
    return carillon_rtos_timer_new(func, argument, type == osTimerPeriodic, &place);
}

static inline const char *osTimerGetName(osTimerId_t timer_id)
{
    return carillon_cmsis_name(timer_id, CARILLON_RTOS_TIMER);
}

static inline osStatus_t osTimerStart(osTimerId_t timer_id, uint32_t ticks)
{
    if (carillon_rtos_in_isr()) {
        return osErrorISR;
    }
    if (!carillon_rtos_is(timer_id, CARILLON_RTOS_TIMER)) {
        return osErrorParameter;
    }
    return (osStatus_t)carillon_rtos_timer_start((struct carillon_rtos_timer *)timer_id, ticks);
}

static inline osStatus_t osTimerStop(osTimerId_t timer_id)
{
    if (carillon_rtos_in_isr()) {
        return osErrorISR;
    }
    if (!carillon_rtos_is(timer_id, CARILLON_RTOS_TIMER)) {
        return osErrorParameter;
    }
    return (osStatus_t)carillon_rtos_timer_stop((struct carillon_rtos_timer *)timer_id);
}

static inline uint32_t osTimerIsRunning(osTimerId_t timer_id)
{
    const bool has_one = carillon_rtos_is(timer_id, CARILLON_RTOS_TIMER) && !carillon_rtos_in_isr();
    return (has_one && carillon_rtos_timer_runs((const struct carillon_rtos_timer *)timer_id)) ? 1u : 0u;
}

static inline osStatus_t osTimerDelete(osTimerId_t timer_id)
{
    return (osStatus_t)carillon_rtos_delete(timer_id, CARILLON_RTOS_TIMER);
}

/* Event flags. */

static inline osEventFlagsId_t osEventFlagsNew(const osEventFlagsAttr_t *attr)
{
    const struct carillon_rtos_place place = carillon_cmsis_place(attr);
    return carillon_rtos_flags_new(&place);
}

static inline const char *osEventFlagsGetName(osEventFlagsId_t ef_id)
{
    return carillon_cmsis_name(ef_id, CARILLON_RTOS_FLAGS);
}

static inline uint32_t osEventFlagsSet(osEventFlagsId_t ef_id, uint32_t flags)
{
    if (!carillon_rtos_is(ef_id, CARILLON_RTOS_FLAGS) || ((flags & osFlagsError) != 0u)) {
        return osFlagsErrorParameter;
    }
    return carillon_rtos_flags_set((struct carillon_rtos_flags *)ef_id, flags);
}

static inline uint32_t osEventFlagsClear(osEventFlagsId_t ef_id, uint32_t flags)
{
    if (!carillon_rtos_is(ef_id, CARILLON_RTOS_FLAGS) || ((flags & osFlagsError) != 0u)) {
        return osFlagsErrorParameter;
    }
    return carillon_rtos_flags_clear((struct carillon_rtos_flags *)ef_id, flags);
}

static inline uint32_t osEventFlagsGet(osEventFlagsId_t ef_id)
{
    return carillon_rtos_is(ef_id, CARILLON_RTOS_FLAGS) ? ((const struct carillon_rtos_flags *)ef_id)->value : 0u;
}

static inline uint32_t osEventFlagsWait(osEventFlagsId_t ef_id, uint32_t flags, uint32_t options, uint32_t timeout)
{
    if (!carillon_rtos_is(ef_id, CARILLON_RTOS_FLAGS) || ((flags & osFlagsError) != 0u)) {
        return osFlagsErrorParameter;
    }
    return carillon_cmsis_wait((struct carillon_rtos_flags *)ef_id, flags, options, timeout);
}

static inline osStatus_t osEventFlagsDelete(osEventFlagsId_t ef_id)
{
    return (osStatus_t)carillon_rtos_delete(ef_id, CARILLON_RTOS_FLAGS);
}

/* Mutexes: each has a ceiling, as if it inherited the highest priority at once, and is robust. */

static inline osMutexId_t osMutexNew(const osMutexAttr_t *attr)
{
    const struct carillon_rtos_place place = carillon_cmsis_place(attr);
    return carillon_rtos_mutex_new((attr != NULL) && ((attr->attr_bits & osMutexRecursive) != 0u), &place);
}

static inline const char *osMutexGetName(osMutexId_t mutex_id)
{
    return carillon_cmsis_name(mutex_id, CARILLON_RTOS_MUTEX);
}

static inline osStatus_t osMutexAcquire(osMutexId_t mutex_id, uint32_t timeout)
{
    return (osStatus_t)carillon_rtos_mutex_take((struct carillon_rtos_mutex *)mutex_id, timeout);
}

static inline osStatus_t osMutexRelease(osMutexId_t mutex_id)
{
    return (osStatus_t)carillon_rtos_mutex_give((struct carillon_rtos_mutex *)mutex_id);
}

static inline osThreadId_t osMutexGetOwner(osMutexId_t mutex_id)
{
    return carillon_rtos_mutex_owner((const struct carillon_rtos_mutex *)mutex_id);
}

static inline osStatus_t osMutexDelete(osMutexId_t mutex_id)
{
    return (osStatus_t)carillon_rtos_mutex_delete((struct carillon_rtos_mutex *)mutex_id);
}

/* Semaphores. */

static inline osSemaphoreId_t osSemaphoreNew(uint32_t max_count, uint32_t initial_count, const osSemaphoreAttr_t *attr)
{
    const struct carillon_rtos_place place = carillon_cmsis_place(attr);
    return carillon_rtos_semaphore_new(max_count, initial_count, &place);
}

static inline const char *osSemaphoreGetName(osSemaphoreId_t semaphore_id)
{
    return carillon_cmsis_name(semaphore_id, CARILLON_RTOS_SEMAPHORE);
}

static inline osStatus_t osSemaphoreAcquire(osSemaphoreId_t semaphore_id, uint32_t timeout)
{
    return (osStatus_t)carillon_rtos_semaphore_take((struct carillon_rtos_semaphore *)semaphore_id, timeout);
}

static inline osStatus_t osSemaphoreRelease(osSemaphoreId_t semaphore_id)
{
    return (osStatus_t)carillon_rtos_semaphore_give((struct carillon_rtos_semaphore *)semaphore_id);
}

static inline uint32_t osSemaphoreGetCount(osSemaphoreId_t semaphore_id)
{
    const bool has_one = carillon_rtos_is(semaphore_id, CARILLON_RTOS_SEMAPHORE);
    return has_one ? ((const struct carillon_rtos_semaphore *)semaphore_id)->semaphore.count : 0u;
}

static inline osStatus_t osSemaphoreDelete(osSemaphoreId_t semaphore_id)
{
    return (osStatus_t)carillon_rtos_delete(semaphore_id, CARILLON_RTOS_SEMAPHORE);
}

/* Pools of blocks. */

static inline osMemoryPoolId_t osMemoryPoolNew(uint32_t block_count, uint32_t block_size,
                                               const osMemoryPoolAttr_t *attr)
{
    struct carillon_rtos_place place = {NULL, NULL, 0u, NULL, 0u};
    if (attr != NULL) {
        place = (struct carillon_rtos_place){attr->name, attr->cb_mem, attr->cb_size, attr->mp_mem, attr->mp_size};
    }
    return carillon_rtos_pool_new(block_count, block_size, &place);
}

static inline const char *osMemoryPoolGetName(osMemoryPoolId_t mp_id)
{
    return carillon_cmsis_name(mp_id, CARILLON_RTOS_POOL);
}

static inline void *osMemoryPoolAlloc(osMemoryPoolId_t mp_id, uint32_t timeout)
{
    return carillon_rtos_pool_take((struct carillon_rtos_pool *)mp_id, timeout);
}

static inline osStatus_t osMemoryPoolFree(osMemoryPoolId_t mp_id, void *block)
{
    return (osStatus_t)carillon_rtos_pool_give((struct carillon_rtos_pool *)mp_id, block);
}

static inline uint32_t osMemoryPoolGetCapacity(osMemoryPoolId_t mp_id)
{
    return carillon_rtos_is(mp_id, CARILLON_RTOS_POOL) ? ((const struct carillon_rtos_pool *)mp_id)->most : 0u;
}

static inline uint32_t osMemoryPoolGetBlockSize(osMemoryPoolId_t mp_id)
{
    return carillon_rtos_is(mp_id, CARILLON_RTOS_POOL) ? ((const struct carillon_rtos_pool *)mp_id)->size : 0u;
}

static inline uint32_t osMemoryPoolGetCount(osMemoryPoolId_t mp_id)
{
    return carillon_rtos_is(mp_id, CARILLON_RTOS_POOL) ? ((const struct carillon_rtos_pool *)mp_id)->taken : 0u;
}

static inline uint32_t osMemoryPoolGetSpace(osMemoryPoolId_t mp_id)
{
    return osMemoryPoolGetCapacity(mp_id) - osMemoryPoolGetCount(mp_id);
}

static inline osStatus_t osMemoryPoolDelete(osMemoryPoolId_t mp_id)
{
    return (osStatus_t)carillon_rtos_delete(mp_id, CARILLON_RTOS_POOL);
}

/* Queues of messages. */

static inline osMessageQueueId_t osMessageQueueNew(uint32_t msg_count, uint32_t msg_size,
                                                   const osMessageQueueAttr_t *attr)
{
    struct carillon_rtos_place place = {NULL, NULL, 0u, NULL, 0u};
    if (attr != NULL) {
        place = (struct carillon_rtos_place){attr->name, attr->cb_mem, attr->cb_size, attr->mq_mem, attr->mq_size};
    }
    return carillon_rtos_queue_new(msg_count, msg_size, true, &place);
}

static inline const char *osMessageQueueGetName(osMessageQueueId_t mq_id)
{
    return carillon_cmsis_name(mq_id, CARILLON_RTOS_QUEUE);
}

static inline osStatus_t osMessageQueuePut(osMessageQueueId_t mq_id, const void *msg_ptr, uint8_t msg_prio,
                                           uint32_t timeout)
{
    return (osStatus_t)carillon_rtos_queue_put((struct carillon_rtos_queue *)mq_id, msg_ptr, msg_prio, timeout);
}

static inline osStatus_t osMessageQueueGet(osMessageQueueId_t mq_id, void *msg_ptr, uint8_t *msg_prio, uint32_t timeout)
{
    return (osStatus_t)carillon_rtos_queue_get((struct carillon_rtos_queue *)mq_id, msg_ptr, msg_prio, false, timeout);
}

static inline uint32_t osMessageQueueGetCapacity(osMessageQueueId_t mq_id)
{
    return carillon_rtos_is(mq_id, CARILLON_RTOS_QUEUE) ? ((const struct carillon_rtos_queue *)mq_id)->most : 0u;
}

static inline uint32_t osMessageQueueGetMsgSize(osMessageQueueId_t mq_id)
{
    return carillon_rtos_is(mq_id, CARILLON_RTOS_QUEUE) ? ((const struct carillon_rtos_queue *)mq_id)->size : 0u;
}

static inline uint32_t osMessageQueueGetCount(osMessageQueueId_t mq_id)
{
    return carillon_rtos_is(mq_id, CARILLON_RTOS_QUEUE) ? ((const struct carillon_rtos_queue *)mq_id)->count : 0u;
}

static inline uint32_t osMessageQueueGetSpace(osMessageQueueId_t mq_id)
{
    return osMessageQueueGetCapacity(mq_id) - osMessageQueueGetCount(mq_id);
}

static inline osStatus_t osMessageQueueReset(osMessageQueueId_t mq_id)
{
    return (osStatus_t)carillon_rtos_queue_reset((struct carillon_rtos_queue *)mq_id);
}

static inline osStatus_t osMessageQueueDelete(osMessageQueueId_t mq_id)
{
    return (osStatus_t)carillon_rtos_delete(mq_id, CARILLON_RTOS_QUEUE);
}

#ifdef __cplusplus
}
#endif

#endif
