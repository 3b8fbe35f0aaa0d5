/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects of CMSIS-RTOS2 and FreeRTOS: where they lie, what they may be made of, what they say of themselves, and where
 * they may be asked; the heap; and timers. */
#include "rtos/threads.h"

#include "cmsis_os2.h"
#include "event_groups.h"
#include "queue.h"
#include "semphr.h"
#include "timers.h"

#include <stdio.h>
#include <string.h>

static int reset(void **state)
{
    (void)threads_reset(state);
    services_run(FIRST);
    return 0;
}

/* All of the heap is taken and given back, in any order, and what adjoins becomes one piece. */
static void t_heap(void **state)
{
    (void)state;
    enum { BLOCKS = 8 };
    static const uint8_t orders[][BLOCKS] = {
        {0, 1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1, 0}, {1, 3, 5, 7, 0, 2, 4, 6}};
    const uint32_t all = carillon_rtos_free_bytes();
    assert_int_equal(all, CARILLON_RTOS_HEAP);
    for (uint32_t order = 0u; order < 3u; order++) {
        uint8_t *blocks[BLOCKS];
        for (uint32_t k = 0u; k < BLOCKS; k++) {
            blocks[k] = pvPortMalloc(CARILLON_RTOS_HEAP / BLOCKS - 8u);
            assert_non_null(blocks[k]);
            assert_int_equal((uintptr_t)blocks[k] % 8u, 0u);
            memset(blocks[k], (int)k, CARILLON_RTOS_HEAP / BLOCKS - 8u);
            assert_int_equal(xPortGetFreeHeapSize(), all - ((k + 1u) * (CARILLON_RTOS_HEAP / BLOCKS)));
        }
        assert_null(pvPortMalloc(1u));
        for (uint32_t k = 0u; k < BLOCKS; k++) {
            for (uint32_t byte = 0u; byte < CARILLON_RTOS_HEAP / BLOCKS - 8u; byte++) {
                assert_int_equal(blocks[k][byte], k);
            }
        }
        for (uint32_t k = 0u; k < BLOCKS; k++) {
            vPortFree(blocks[orders[order][k]]);
        }
        vPortFree(NULL);
        assert_int_equal(carillon_rtos_free_bytes(), all);
        assert_null(pvPortMalloc(CARILLON_RTOS_HEAP - 7u));
        void *const whole = pvPortMalloc(CARILLON_RTOS_HEAP - 8u);
        assert_non_null(whole);
        assert_int_equal(carillon_rtos_free_bytes(), 0u);
        vPortFree(whole);
    }
    assert_null(pvPortMalloc(0u));
    assert_null(pvPortMalloc(CARILLON_RTOS_HEAP));
    assert_null(pvPortMalloc(CARILLON_RTOS_HEAP + 1u));
    assert_null(pvPortMalloc(UINT32_MAX));
}

/* Blocks that a test has: no two overlap, whatever is taken and given back. */
static void t_heap_drawn(void **state)
{
    (void)state;
    enum { MOST = 24 };
    uint8_t *blocks[MOST] = {NULL};
    uint32_t sizes[MOST] = {0u};
    draw_from(1u);
    for (uint32_t step = 0u; step < 4000u; step++) {
        const uint32_t k = draw(MOST);
        if (blocks[k] == NULL) {
            sizes[k] = 1u + draw(100u);
            blocks[k] = pvPortMalloc(sizes[k]);
            uint32_t taken = 0u;
            for (uint32_t each = 0u; each < MOST; each++) {
                taken += (blocks[each] != NULL) ? (((sizes[each] + 7u) / 8u) + 1u) * 8u : 0u;
            }
            assert_int_equal(carillon_rtos_free_bytes(), CARILLON_RTOS_HEAP - taken);
            if (blocks[k] != NULL) {
                memset(blocks[k], (int)k, sizes[k]);
            }
        } else {
            for (uint32_t byte = 0u; byte < sizes[k]; byte++) {
                assert_int_equal(blocks[k][byte], k);
            }
            vPortFree(blocks[k]);
            blocks[k] = NULL;
        }
    }
    for (uint32_t k = 0u; k < MOST; k++) {
        vPortFree(blocks[k]);
    }
}

/* An object lies in the program's memory if that suffices, and in the heap if there is none. */
static void check_places_of(void *(*make)(const osTimerAttr_t *attr), osStatus_t (*delete)(void *object),
                            uint32_t bytes)
{
    static uint64_t memory[32];
    const uint32_t all = carillon_rtos_free_bytes();
    osTimerAttr_t attr = {"name", 0u, memory, bytes};
    memset(memory, 0xFF, sizeof memory);
    void *object = make(&attr);
    assert_ptr_equal(object, memory);
    assert_int_equal(carillon_rtos_free_bytes(), all);
    threads_interrupt(FIRST);
    REFUSED(delete (object), osErrorISR);
    services_run(FIRST);
    REFUSED(delete (object), osOK);
    assert_int_equal(carillon_rtos_free_bytes(), all);
    REFUSED(delete (object), osErrorParameter); /* it is no object any more */
    REFUSED(delete (NULL), osErrorParameter);
    attr.cb_size = bytes - 1u;
    assert_null(make(&attr));
    attr.cb_mem = NULL;
    assert_null(make(&attr));
    attr.cb_size = 0u;
    object = make(&attr);
    assert_non_null(object);
    assert_true(carillon_rtos_free_bytes() < all);
    REFUSED(delete (object), osOK);
    assert_int_equal(carillon_rtos_free_bytes(), all);
    object = make(NULL);
    assert_non_null(object);
    REFUSED(delete (object), osOK);
    threads_interrupt(FIRST);
    assert_null(make(NULL));
    services_run(FIRST);
    void *const rest = carillon_rtos_allocate(CARILLON_RTOS_HEAP - 8u);
    assert_null(make(NULL)); /* there is no room */
    carillon_rtos_free(rest);
}

/* Its name is asked by threads alone. */
static void check_name(const char *(*name)(void *object), void *object, void *other)
{
    assert_string_equal(name(object), "name");
    assert_null(name(NULL));
    assert_null(name(other));
    threads_interrupt(FIRST);
    assert_null(name(object));
    services_run(FIRST);
}

static void calls_nothing(void *argument)
{
    (void)argument;
}
static void *new_timer(const osTimerAttr_t *attr)
{
    return osTimerNew(calls_nothing, osTimerOnce, NULL, attr);
}
static void *new_flags(const osTimerAttr_t *attr)
{
    return osEventFlagsNew(attr);
}
static void *new_mutex(const osTimerAttr_t *attr)
{
    return osMutexNew(attr);
}
static void *new_semaphore(const osTimerAttr_t *attr)
{
    return osSemaphoreNew(1u, 1u, attr);
}
static void *new_pool(const osTimerAttr_t *attr)
{
    const osMemoryPoolAttr_t own = {(attr != NULL) ? attr->name : NULL,  0u,   (attr != NULL) ? attr->cb_mem : NULL,
                                    (attr != NULL) ? attr->cb_size : 0u, NULL, 0u};
    return osMemoryPoolNew(2u, 4u, (attr != NULL) ? &own : NULL);
}
static void *new_queue(const osTimerAttr_t *attr)
{
    const osMessageQueueAttr_t own = {(attr != NULL) ? attr->name : NULL,  0u,   (attr != NULL) ? attr->cb_mem : NULL,
                                      (attr != NULL) ? attr->cb_size : 0u, NULL, 0u};
    return osMessageQueueNew(2u, 4u, (attr != NULL) ? &own : NULL);
}

static void t_places(void **state)
{
    (void)state;
    check_places_of(new_timer, osTimerDelete, osTimerCbSize);
    check_places_of(new_flags, osEventFlagsDelete, osEventFlagsCbSize);
    check_places_of(new_mutex, osMutexDelete, osMutexCbSize);
    check_places_of(new_semaphore, osSemaphoreDelete, osSemaphoreCbSize);
}

static void t_names(void **state)
{
    (void)state;
    const osTimerAttr_t attr = {"name", 0u, NULL, 0u};
    void *const timer = new_timer(&attr);
    void *const flags = new_flags(&attr);
    void *const mutex = new_mutex(&attr);
    void *const semaphore = new_semaphore(&attr);
    void *const pool = new_pool(&attr);
    void *const queue = new_queue(&attr);
    check_name(osTimerGetName, timer, flags);
    check_name(osEventFlagsGetName, flags, timer);
    check_name(osMutexGetName, mutex, timer);
    check_name(osSemaphoreGetName, semaphore, timer);
    check_name(osMemoryPoolGetName, pool, timer);
    check_name(osMessageQueueGetName, queue, timer);
    REFUSED(osTimerDelete(flags), osErrorParameter);
    REFUSED(osTimerDelete(timer), osOK);
    REFUSED(osEventFlagsDelete(flags), osOK);
    REFUSED(osMutexDelete(mutex), osOK);
    REFUSED(osSemaphoreDelete(semaphore), osOK);
    REFUSED(osMemoryPoolDelete(pool), osOK);
    REFUSED(osMessageQueueDelete(queue), osOK);
}

/* What a pool or a queue stores lies in the program's memory, too, if that suffices. */
static void t_stores(void **state)
{
    (void)state;
    static uint64_t store[16], control[32];
    const uint32_t all = carillon_rtos_free_bytes();
    osMemoryPoolAttr_t pool_attr = {"name", 0u, control, osMemoryPoolCbSize, store, osMemoryPoolMemSize(3u, 9u)};
    void *pool = osMemoryPoolNew(3u, 9u, &pool_attr);
    assert_ptr_equal(pool, control);
    assert_int_equal(osMemoryPoolGetBlockSize(pool), 16u);
    for (uint32_t k = 0u; k < 3u; k++) {
        uint8_t *const block = osMemoryPoolAlloc(pool, 0u);
        assert_true((block >= (uint8_t *)store) && (block <= (uint8_t *)store + 32));
    }
    assert_int_equal(carillon_rtos_free_bytes(), all);
    REFUSED(osMemoryPoolDelete(pool), osOK);
    pool_attr.mp_size--;
    assert_null(osMemoryPoolNew(3u, 9u, &pool_attr));
    assert_int_equal(((struct carillon_rtos_object *)(void *)control)->kind, 0u);
    osMessageQueueAttr_t queue_attr = {"name", 0u, control, osMessageQueueCbSize, store, osMessageQueueMemSize(3u, 9u)};
    void *queue = osMessageQueueNew(3u, 9u, &queue_attr);
    assert_ptr_equal(queue, control);
    uint8_t message[9] = {1u};
    for (uint8_t k = 0u; k < 3u; k++) {
        REFUSED(osMessageQueuePut(queue, message, k, 0u), osOK);
    }
    REFUSED(osMessageQueuePut(queue, message, 0u, 0u), osErrorResource);
    assert_int_equal(((uint8_t *)store)[0], 1u);
    assert_int_equal(carillon_rtos_free_bytes(), all);
    REFUSED(osMessageQueueDelete(queue), osOK);
    queue_attr.mq_size--;
    assert_null(osMessageQueueNew(3u, 9u, &queue_attr));
    assert_int_equal(((struct carillon_rtos_object *)(void *)control)->kind, 0u);
    /* The store of a queue of FreeRTOS has no room for priorities. */
    uint8_t places[6];
    StaticQueue_t memory;
    assert_null(xQueueCreateStatic(2u, 3u, NULL, &memory));
    assert_null(xQueueCreateStatic(2u, 3u, places, NULL));
    QueueHandle_t of_freertos = xQueueCreateStatic(2u, 3u, places, &memory);
    assert_ptr_equal(of_freertos, &memory);
    const uint8_t three[] = {7u, 8u, 9u};
    assert_int_equal(xQueueSend(of_freertos, three, 0u), pdTRUE);
    assert_int_equal(xQueueSendToFront(of_freertos, three, 0u), pdTRUE);
    assert_memory_equal(places, three, 3u);
    assert_memory_equal(&places[3], three, 3u);
    assert_int_equal(xQueueReset(of_freertos), pdPASS);
    assert_int_equal(uxQueueMessagesWaiting(of_freertos), 0u);
    vQueueDelete(of_freertos);
    assert_int_equal(carillon_rtos_free_bytes(), all);
    StaticSemaphore_t semaphore;
    assert_ptr_equal(xSemaphoreCreateBinaryStatic(&semaphore), &semaphore);
    vSemaphoreDelete(&semaphore);
    assert_int_equal(carillon_rtos_free_bytes(), all);
    StaticEventGroup_t group;
    assert_null(xEventGroupCreateStatic(NULL));
    assert_ptr_equal(xEventGroupCreateStatic(&group), &group);
    vEventGroupDelete(&group);
    assert_int_equal(carillon_rtos_free_bytes(), all);
}

/* Nothing is left of an object whose store finds no room. */
static void t_no_room(void **state)
{
    (void)state;
    const uint32_t all = carillon_rtos_free_bytes();
    assert_null(osMemoryPoolNew(1u, all, NULL));
    assert_null(osMessageQueueNew(1u, all, NULL));
    assert_int_equal(carillon_rtos_free_bytes(), all);
}

/* What an object may be made of. */
static void t_makes(void **state)
{
    (void)state;
    static uint8_t large[70000];
    static uint64_t memory[32];
    assert_null(osSemaphoreNew(0u, 0u, NULL));
    assert_null(osSemaphoreNew(1u, 2u, NULL));
    assert_null(osSemaphoreNew(65536u, 0u, NULL));
    void *object = osSemaphoreNew(65535u, 65535u, NULL);
    assert_int_equal(osSemaphoreGetCount(object), 65535u);
    REFUSED(osSemaphoreRelease(object), osErrorResource);
    REFUSED(osSemaphoreDelete(object), osOK);
    assert_null(osTimerNew(NULL, osTimerOnce, NULL, NULL));
    osMessageQueueAttr_t attr = {NULL, 0u, memory, sizeof memory, large, sizeof large};
    const osMemoryPoolAttr_t pool_attr = {NULL, 0u, memory, sizeof memory, large, sizeof large};
    assert_null(osMessageQueueNew(0u, 1u, &attr));
    assert_null(osMessageQueueNew(1u, 0u, &attr));
    assert_null(osMessageQueueNew(65536u, 1u, &attr));
    assert_null(osMessageQueueNew(1u, 65536u, &attr));
    object = osMessageQueueNew(1u, 65535u, &attr);
    assert_int_equal(osMessageQueueGetMsgSize(object), 65535u);
    assert_int_equal(osMessageQueueGetCapacity(object), 1u);
    REFUSED(osMessageQueueDelete(object), osOK);
    attr.mq_mem = NULL;
    assert_null(osMessageQueueNew(65535u, 65535u, &attr));
    static uint8_t larger[2u * 65535u];
    attr.mq_mem = larger;
    attr.mq_size = sizeof larger;
    object = osMessageQueueNew(65535u, 1u, &attr);
    assert_int_equal(osMessageQueueGetCapacity(object), 65535u);
    assert_int_equal(osMessageQueueGetMsgSize(object), 1u);
    REFUSED(osMessageQueueDelete(object), osOK);
    assert_null(osMemoryPoolNew(0u, 1u, &pool_attr));
    assert_null(osMemoryPoolNew(1u, 0u, &pool_attr));
    assert_null(osMemoryPoolNew(65536u, 1u, &pool_attr));
    assert_null(osMemoryPoolNew(1u, 65536u, &pool_attr));
    object = osMemoryPoolNew(1u, 65535u, &pool_attr);
    assert_int_equal(osMemoryPoolGetBlockSize(object), 65536u);
    REFUSED(osMemoryPoolDelete(object), osOK);
    static uint64_t blocks[65535];
    const osMemoryPoolAttr_t many = {NULL, 0u, memory, sizeof memory, blocks, sizeof blocks};
    object = osMemoryPoolNew(65535u, 8u, &many);
    assert_int_equal(osMemoryPoolGetCapacity(object), 65535u);
    REFUSED(osMemoryPoolDelete(object), osOK);
}

/* What is no object of the kind is told so, and has nothing. */
static void t_no_objects(void **state)
{
    (void)state;
    void *const semaphore = osSemaphoreNew(2u, 1u, NULL);
    void *const flags = osEventFlagsNew(NULL);
    void *const none[] = {NULL, semaphore, flags};
    uint8_t byte = 0u;
    for (uint32_t k = 0u; k < 3u; k++) {
        void *const other = none[k];
        if (other != semaphore) {
            REFUSED(osSemaphoreAcquire(other, 0u), osErrorParameter);
            REFUSED(osSemaphoreRelease(other), osErrorParameter);
            assert_int_equal(osSemaphoreGetCount(other), 0u);
            assert_int_equal(uxSemaphoreGetCount(other), 0u);
        }
        if (other != flags) {
            REFUSED(osEventFlagsSet(other, 1u), osFlagsErrorParameter);
            REFUSED(osEventFlagsClear(other, 1u), osFlagsErrorParameter);
            REFUSED(osEventFlagsWait(other, 1u, 0u, 0u), osFlagsErrorParameter);
            assert_int_equal(osEventFlagsGet(other), 0u);
        }
        REFUSED(osTimerStart(other, 1u), osErrorParameter);
        REFUSED(osTimerStop(other), osErrorParameter);
        assert_int_equal(osTimerIsRunning(other), 0u);
        assert_null(osMemoryPoolAlloc(other, 0u));
        REFUSED(osMemoryPoolFree(other, &byte), osErrorParameter);
        assert_int_equal(osMemoryPoolGetCapacity(other), 0u);
        assert_int_equal(osMemoryPoolGetBlockSize(other), 0u);
        assert_int_equal(osMemoryPoolGetCount(other), 0u);
        assert_int_equal(osMemoryPoolGetSpace(other), 0u);
        REFUSED(osMessageQueuePut(other, &byte, 0u, 0u), osErrorParameter);
        REFUSED(osMessageQueueGet(other, &byte, NULL, 0u), osErrorParameter);
        REFUSED(osMessageQueueReset(other), osErrorParameter);
        assert_int_equal(osMessageQueueGetCapacity(other), 0u);
        assert_int_equal(osMessageQueueGetMsgSize(other), 0u);
        assert_int_equal(osMessageQueueGetCount(other), 0u);
        assert_int_equal(osMessageQueueGetSpace(other), 0u);
        REFUSED(osMutexAcquire(other, 0u), osErrorParameter);
        REFUSED(osMutexRelease(other), osErrorParameter);
        REFUSED(osMutexDelete(other), osErrorParameter);
        assert_null(osMutexGetOwner(other));
    }
    REFUSED(osEventFlagsSet(flags, 0x80000000u), osFlagsErrorParameter);
    REFUSED(osEventFlagsClear(flags, 0x80000001u), osFlagsErrorParameter);
    REFUSED(osEventFlagsWait(flags, 0x80000000u, 0u, 0u), osFlagsErrorParameter);
    assert_int_equal(osEventFlagsSet(flags, 0x7FFFFFFFu), 0x7FFFFFFFu);
    REFUSED(osEventFlagsDelete(flags), osOK);
    REFUSED(osSemaphoreDelete(semaphore), osOK);
}

/* A queue needs a message; one of several places is not overwritten. */
static void t_messages(void **state)
{
    (void)state;
    uint8_t message = 1u;
    void *const queue = osMessageQueueNew(2u, 1u, NULL);
    REFUSED(osMessageQueuePut(queue, NULL, 0u, 0u), osErrorParameter);
    REFUSED(osMessageQueueGet(queue, NULL, NULL, 0u), osErrorParameter);
    assert_int_equal(xQueueOverwrite(queue, &message), pdFALSE);
    REFUSED(osMessageQueuePut(queue, &message, 7u, 0u), osOK);
    message = 2u;
    REFUSED(osMessageQueueGet(queue, &message, NULL, 0u), osOK);
    assert_int_equal(message, 1u);
    threads_interrupt(FIRST);
    REFUSED(osMessageQueueReset(queue), osErrorISR);
    services_run(FIRST);
    REFUSED(osMessageQueueDelete(queue), osOK);
    QueueHandle_t one = xQueueCreate(1u, 1u);
    assert_int_equal(xQueueOverwrite(one, NULL), pdFALSE);
    assert_int_equal(xQueueOverwrite(NULL, &message), pdFALSE);
    assert_int_equal(xQueueOverwrite(one, &message), pdTRUE);
    message = 5u;
    assert_int_equal(xQueueOverwrite(one, &message), pdTRUE);
    assert_int_equal(uxQueueMessagesWaiting(one), 1u);
    message = 0u;
    assert_int_equal(xQueuePeek(one, &message, 0u), pdTRUE);
    assert_int_equal(message, 5u);
    vQueueDelete(one);
}

/* A block that is none of the pool's is not given back. */
static void t_blocks(void **state)
{
    (void)state;
    void *const pool = osMemoryPoolNew(2u, 8u, NULL);
    uint8_t *const one = osMemoryPoolAlloc(pool, 0u);
    uint8_t *const two = osMemoryPoolAlloc(pool, 0u);
    uint8_t *const first = (one < two) ? one : two;
    REFUSED(osMemoryPoolFree(pool, NULL), osErrorParameter);
    REFUSED(osMemoryPoolFree(pool, first - 8), osErrorParameter);
    REFUSED(osMemoryPoolFree(pool, first + 1), osErrorParameter);
    REFUSED(osMemoryPoolFree(pool, first + 16), osErrorParameter);
    assert_int_equal(osMemoryPoolGetCount(pool), 2u);
    REFUSED(osMemoryPoolFree(pool, one), osOK);
    REFUSED(osMemoryPoolFree(pool, two), osOK);
    REFUSED(osMemoryPoolFree(pool, two), osErrorResource); /* none is taken */
    assert_int_equal(osMemoryPoolGetCount(pool), 0u);
    REFUSED(osMemoryPoolDelete(pool), osOK);
}

/* Timers: each call is noted, with the time. */
static void *timers[3];
static void calls(void *argument)
{
    char word[32];
    (void)snprintf(word, sizeof word, "%s@%u", (const char *)argument, (unsigned)services_now);
    note(word);
    assert_false(carillon_rtos_in_isr());
    assert_null(osThreadGetId());
    REFUSED(osDelay(1u), osError); /* it must not wait */
    REFUSED(osKernelLock(), osError);
}

static void t_timers(void **state)
{
    (void)state;
    timers[0] = osTimerNew(calls, osTimerOnce, (void *)(uintptr_t) "once", NULL);
    timers[1] = osTimerNew(calls, osTimerPeriodic, (void *)(uintptr_t) "often", NULL);
    REFUSED(osTimerStop(timers[0]), osErrorResource);
    REFUSED(osTimerStart(timers[0], 0u), osErrorParameter);
    REFUSED(osTimerStart(timers[0], TOO_LONG), osErrorParameter);
    REFUSED(osTimerStart(timers[1], 0u), osErrorParameter);
    REFUSED(osTimerStart(timers[1], TOO_LONG), osErrorParameter);
    assert_int_equal(osTimerIsRunning(timers[0]), 0u);
    REFUSED(osTimerStart(timers[0], CARILLON_LONGEST_DURATION), osOK);
    REFUSED(osTimerStart(timers[0], 1u), osOK);
    assert_int_equal(osTimerIsRunning(timers[0]), 1u);
    REFUSED(osTimerStart(timers[1], 3u), osOK);
    threads_pass(7u);
    assert_log("once@1 often@3 often@6 ");
    port.current = 0u; /* where software dispatch has its tasks */
    assert_false(carillon_rtos_in_timer());
    port.current = CLOCK_SOURCE; /* what else the clock's interrupt calls */
    assert_true(carillon_rtos_in_isr());
    services_run(FIRST);
    assert_int_equal(osTimerIsRunning(timers[0]), 0u);
    assert_int_equal(osTimerIsRunning(timers[1]), 1u);
    REFUSED(osTimerStart(timers[1], 4u), osOK); /* it begins anew */
    threads_pass(4u);
    assert_log("often@11 ");
    REFUSED(osTimerStop(timers[1]), osOK);
    REFUSED(osTimerStop(timers[1]), osErrorResource);
    REFUSED(osTimerStart(timers[0], 2u), osOK);
    threads_interrupt(FIRST);
    REFUSED(osTimerStart(timers[0], 5u), osErrorISR);
    REFUSED(osTimerStop(timers[0]), osErrorISR);
    assert_int_equal(osTimerIsRunning(timers[0]), 0u);
    services_run(FIRST);
    REFUSED(osTimerDelete(timers[0]), osOK); /* which stops it */
    threads_pass(20u);
    assert_log("");
    REFUSED(osTimerDelete(timers[1]), osOK);
}

/* What main has started begins with StartOS, unless it has been stopped or deleted before. */
static void t_timers_before_start(void **state)
{
    (void)state;
    threads_before_start();
    for (uint32_t k = 0u; k < 3u; k++) {
        timers[k] = osTimerNew(calls, osTimerOnce, (void *)(uintptr_t) "timer", NULL);
        REFUSED(osTimerStop(timers[k]), osErrorResource);
        REFUSED(osTimerStart(timers[k], 10u * (k + 1u)), osOK);
    }
    REFUSED(osTimerStart(timers[0], 5u), osOK);
    REFUSED(osTimerStop(timers[1]), osOK);
    REFUSED(osTimerStop(timers[1]), osErrorResource);
    threads_pass(40u);
    assert_log("");
    carillon_rtos_start();
    services_run(FIRST);
    threads_pass(40u);
    assert_log("timer@45 timer@70 ");
    carillon_rtos_start(); /* none is left */
    threads_pass(40u);
    assert_log("");
    for (uint32_t k = 0u; k < 3u; k++) {
        REFUSED(osTimerDelete(timers[k]), osOK);
    }
}

/* Timers of FreeRTOS keep their period, and are passed to their functions. */
static void of_freertos(TimerHandle_t timer)
{
    calls((void *)(uintptr_t)pcTimerGetName(timer));
}
static void t_timers_of_freertos(void **state)
{
    (void)state;
    int one, two;
    StaticTimer_t memory;
    assert_null(xTimerCreate("none", 0u, pdTRUE, &one, of_freertos));
    assert_null(xTimerCreate("none", 1u, pdTRUE, &one, NULL));
    TimerHandle_t once = xTimerCreate("once", 2u, pdFALSE, &one, of_freertos);
    TimerHandle_t often = xTimerCreateStatic("often", 3u, pdTRUE, &two, of_freertos, &memory);
    assert_ptr_equal(often, &memory);
    assert_ptr_equal(pvTimerGetTimerID(once), &one);
    vTimerSetTimerID(once, &two);
    assert_ptr_equal(pvTimerGetTimerID(once), &two);
    assert_int_equal(xTimerGetPeriod(often), 3u);
    assert_int_equal(xTimerIsTimerActive(once), pdFALSE);
    assert_int_equal(xTimerStart(once, 0u), pdPASS);
    assert_int_equal(xTimerStart(often, 0u), pdPASS);
    assert_int_equal(xTimerIsTimerActive(once), pdTRUE);
    threads_pass(6u);
    assert_log("once@2 often@3 often@6 ");
    assert_int_equal(xTimerChangePeriod(once, 4u, 0u), pdPASS); /* which starts it */
    assert_int_equal(xTimerGetPeriod(once), 4u);
    assert_int_equal(xTimerStop(often, 0u), pdPASS);
    threads_pass(4u);
    assert_log("once@10 ");
    assert_int_equal(xTimerChangePeriod(once, 0u, 0u), pdFAIL);
    threads_interrupt(FIRST);
    BaseType_t woken = 5;
    assert_int_equal(xTimerStartFromISR(often, &woken), pdPASS);
    assert_int_equal(woken, pdFALSE);
    assert_int_equal(xTimerChangePeriodFromISR(once, 5u, &woken), pdPASS);
    threads_pass(5u);
    assert_log("often@13 once@15 ");
    woken = 5;
    assert_int_equal(xTimerStopFromISR(often, &woken), pdPASS);
    assert_int_equal(woken, pdFALSE);
    woken = 5;
    assert_int_equal(xTimerChangePeriodFromISR(once, 5u, &woken), pdPASS);
    assert_int_equal(woken, pdFALSE);
    assert_int_equal(xTimerResetFromISR(once, NULL), pdPASS);
    assert_int_equal(xTimerDelete(once, 0u), pdFAIL);
    services_run(FIRST);
    assert_int_equal(xTimerDelete(once, 0u), pdPASS);
    assert_int_equal(xTimerDelete(often, 0u), pdPASS);
    threads_pass(20u);
    assert_log("");
}

/* The function of a timer stops its own, and starts it again. */
static void again(void *argument)
{
    note("again");
    if (argument != NULL) {
        REFUSED(osTimerStop(timers[0]), osOK);
    } else {
        REFUSED(osTimerStart(timers[0], 2u), osOK);
    }
}
static void t_timers_within(void **state)
{
    (void)state;
    timers[0] = osTimerNew(again, osTimerOnce, NULL, NULL);
    REFUSED(osTimerStart(timers[0], 1u), osOK);
    threads_pass(5u);
    assert_log("again again again ");
    REFUSED(osTimerDelete(timers[0]), osOK);
    timers[0] = osTimerNew(again, osTimerPeriodic, timers, NULL);
    REFUSED(osTimerStart(timers[0], 1u), osOK);
    threads_pass(5u);
    assert_log("again ");
    REFUSED(osTimerDelete(timers[0]), osOK);
}

/* A period that the clock cannot keep is refused; one that expires once may come as soon. */
static void t_shortest(void **state)
{
    (void)state;
    void *const once = osTimerNew(calls, osTimerOnce, (void *)(uintptr_t) "once", NULL);
    void *const often = osTimerNew(calls, osTimerPeriodic, (void *)(uintptr_t) "often", NULL);
    REFUSED(osTimerStart(often, CARILLON_SHORTEST_PERIOD - 1u), osErrorParameter);
    REFUSED(osTimerStart(often, CARILLON_SHORTEST_PERIOD), osOK);
    REFUSED(osTimerStart(once, 1u), osOK);
    REFUSED(osTimerDelete(once), osOK);
    REFUSED(osTimerDelete(often), osOK);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, reset, threads_clean)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(t_heap),          TEST(t_heap_drawn),
                                       TEST(t_places),        TEST(t_names),
                                       TEST(t_stores),        TEST(t_no_room),
                                       TEST(t_makes),         TEST(t_no_objects),
                                       TEST(t_messages),      TEST(t_blocks),
                                       TEST(t_timers),        TEST(t_timers_before_start),
                                       TEST(t_timers_within), TEST(t_timers_of_freertos)};
    const struct CMUnitTest of_slow_clock[] = {TEST(t_shortest)};
    if (CARILLON_SHORTEST_PERIOD > 1u) {
        return cmocka_run_group_tests(of_slow_clock, NULL, NULL);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
