/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of CMSIS-RTOS2 (API version 2.2), for programs that were written for another kernel.  docs/guide/porting.md
 * says what each becomes, and what differs.
 *
 * What Carillon cannot do returns the code that the standard names, or does not compile. */
#ifndef CMSIS_OS2_H_
#define CMSIS_OS2_H_

#include "kernel/rtos/cmsis_types.h"

#ifdef __cplusplus
extern "C" {
#endif

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
