/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutexes. */
#include "cases.h"

#include <string.h>

static osMutexId_t mutex;
static const char *volatile text;

static void new_and_delete(uint32_t bits)
{
    const osMutexAttr_t attr = {"Mutex", bits, NULL, 0u};
    mutex = osMutexNew(&attr);
    CHECK(mutex != NULL && osMutexDelete(mutex) == osOK);
}
static void new_one(void)
{
    isr_pointer = osMutexNew(NULL);
}
void TC_osMutexNew_1(void)
{
    mutex = osMutexNew(NULL);
    CHECK(mutex != NULL && osMutexDelete(mutex) == osOK);
    isr_pointer = &mutex;
    in_isr(new_one);
    CHECK(isr_pointer == NULL);
}
void TC_osMutexNew_2(void)
{
    new_and_delete(osMutexRecursive);
}
void TC_osMutexNew_3(void)
{
    new_and_delete(osMutexPrioInherit);
}
void TC_osMutexNew_4(void)
{
    new_and_delete(osMutexRobust);
}
void TC_osMutexNew_5(void)
{
    new_and_delete(0u);
}
void TC_osMutexNew_6(void)
{
    static struct carillon_rtos_mutex memory;
    osMutexAttr_t attr = {NULL, 0u, &memory, osMutexCbSize};
    mutex = osMutexNew(&attr);
    CHECK(mutex == &memory && osMutexDelete(mutex) == osOK);
    attr.cb_size--;
    CHECK(osMutexNew(&attr) == NULL);
}
static void name(void)
{
    text = osMutexGetName(mutex);
}
void TC_osMutexGetName_1(void)
{
    osMutexAttr_t attr = {NULL, 0u, NULL, 0u};
    mutex = osMutexNew(&attr);
    CHECK(osMutexGetName(mutex) == NULL && osMutexDelete(mutex) == osOK);
    attr.name = "Mutex";
    mutex = osMutexNew(&attr);
    CHECK(strcmp(osMutexGetName(mutex), "Mutex") == 0);
    text = "none";
    in_isr(name);
    CHECK(text == NULL && osMutexDelete(mutex) == osOK && osMutexGetName(NULL) == NULL);
}
static void acquire(void)
{
    isr_status = osMutexAcquire(mutex, 0u);
}
void TC_osMutexAcquire_1(void)
{
    mutex = osMutexNew(NULL);
    CHECK(osMutexAcquire(mutex, osWaitForever) == osOK);
    CHECK(osMutexAcquire(mutex, 0u) == osErrorResource); /* it is not recursive */
    CHECK(osMutexDelete(mutex) == osErrorResource);
    CHECK(osMutexRelease(mutex) == osOK);
    in_isr(acquire);
    CHECK(isr_status == osErrorISR);
    CHECK(osMutexDelete(mutex) == osOK && osMutexAcquire(NULL, 0u) == osErrorParameter);
}
static void holds_it(void *argument)
{
    CHECK(osMutexAcquire(mutex, 0u) == osOK);
    (void)osDelay(10u);
    CHECK(osMutexRelease(mutex) == osOK);
    (void)argument;
}
void TC_osMutexAcquire_2(void)
{
    mutex = osMutexNew(NULL);
    CHECK(begin(holds_it, NULL, osPriorityLow) != NULL);
    (void)osDelay(2u);
    CHECK(osMutexAcquire(mutex, 0u) == osErrorResource);
    TAKES(5u, osMutexAcquire(mutex, 5u) == osErrorTimeout);
    (void)osDelay(10u);
    CHECK(osMutexDelete(mutex) == osOK);
}
static void release(void)
{
    isr_status = osMutexRelease(mutex);
}
void TC_osMutexRelease_1(void)
{
    mutex = osMutexNew(NULL);
    CHECK(osMutexRelease(mutex) == osErrorResource);
    CHECK(osMutexAcquire(mutex, osWaitForever) == osOK);
    in_isr(release);
    CHECK(isr_status == osErrorISR);
    CHECK(osMutexRelease(mutex) == osOK);
    CHECK(osMutexDelete(mutex) == osOK && osMutexRelease(NULL) == osErrorParameter);
}
static void owner(void)
{
    isr_pointer = osMutexGetOwner(mutex);
}
void TC_osMutexGetOwner_1(void)
{
    mutex = osMutexNew(NULL);
    CHECK(osMutexGetOwner(mutex) == NULL);
    CHECK(osMutexAcquire(mutex, 0u) == osOK && osMutexGetOwner(mutex) == osThreadGetId());
    isr_pointer = &mutex;
    in_isr(owner);
    CHECK(isr_pointer == NULL);
    CHECK(osMutexRelease(mutex) == osOK && osMutexDelete(mutex) == osOK && osMutexGetOwner(NULL) == NULL);
}
static void delete (void)
{
    isr_status = osMutexDelete(mutex);
}
void TC_osMutexDelete_1(void)
{
    mutex = osMutexNew(NULL);
    in_isr(delete);
    CHECK(isr_status == osErrorISR);
    CHECK(osMutexDelete(mutex) == osOK && osMutexDelete(NULL) == osErrorParameter);
}
void TC_MutexAllocation(void)
{
    osMutexId_t id[8];
    uint32_t made = 0u;
    while (made < 8u && (id[made] = osMutexNew(NULL)) != NULL) {
        made++;
    }
    CHECK(made == 2u); /* as many as the schedule's threads name */
    for (uint32_t k = 0u; k < made; k++) {
        CHECK(osMutexDelete(id[k]) == osOK);
    }
}
void TC_MutexCheckTimeout(void)
{
    mutex = osMutexNew(NULL);
    (void)osDelay(1u);
    for (uint32_t turn = 0u; turn < 2u; turn++) {
        CHECK(begin(holds_it, NULL, osPriorityAboveNormal) != NULL);
        TAKES(10u, osMutexAcquire(mutex, (turn == 0u) ? 100u : osWaitForever) == osOK);
        CHECK(osMutexRelease(mutex) == osOK);
    }
    CHECK(osMutexDelete(mutex) == osOK);
}
static void holds_for_ever(void *argument)
{
    CHECK(osMutexAcquire(mutex, osWaitForever) == osOK);
    (*(uint32_t *)argument)++;
    (void)osThreadFlagsWait(1u, osFlagsWaitAny, osWaitForever);
}
void TC_MutexRobust(void)
{
    const osMutexAttr_t attr = {NULL, osMutexRobust, NULL, 0u};
    uint32_t count[2] = {0u, 0u};
    mutex = osMutexNew(&attr);
    const osThreadId_t first = begin(holds_for_ever, &count[0], osPriorityAboveNormal);
    CHECK(osMutexGetOwner(mutex) == first && count[0] == 1u);
    const osThreadId_t second = begin(holds_for_ever, &count[1], osPriorityAboveNormal);
    CHECK(count[1] == 0u);
    CHECK(osThreadTerminate(first) == osOK);
    CHECK(osMutexGetOwner(mutex) == second && count[1] == 1u);
    CHECK(osThreadTerminate(second) == osOK);
    CHECK(osMutexGetOwner(mutex) == NULL && osMutexDelete(mutex) == osOK);
}
static void nest(uint32_t depth)
{
    CHECK(osMutexAcquire(mutex, 100u) == osOK);
    if (depth != 0u) {
        nest(depth - 1u);
    }
    CHECK(osMutexRelease(mutex) == osOK);
}
static void nests(void *argument)
{
    nest(3u);
    (*(uint32_t *)argument)++;
}
void TC_MutexNestedAcquire(void)
{
    const osMutexAttr_t attr = {NULL, osMutexRecursive, NULL, 0u};
    uint32_t count = 0u;
    mutex = osMutexNew(&attr);
    CHECK(osMutexAcquire(mutex, 0u) == osOK);
    CHECK(begin(nests, &count, osPriorityAboveNormal) != NULL);
    nest(5u);
    CHECK(count == 0u);
    CHECK(osMutexRelease(mutex) == osOK);
    (void)osDelay(2u);
    CHECK(count == 1u && osMutexRelease(mutex) == osErrorResource && osMutexDelete(mutex) == osOK);
}
static uint32_t order;
static void low_job(void *argument)
{
    (void)argument;
    CHECK(osMutexAcquire(mutex, 0u) == osOK);
    (void)osThreadFlagsWait(1u, osFlagsWaitAny, osWaitForever);
    order = order * 10u + 1u;
    CHECK(osMutexRelease(mutex) == osOK);
}
static void high_job(void *argument)
{
    (void)argument;
    CHECK(osMutexAcquire(mutex, 200u) == osOK);
    order = order * 10u + 3u;
    CHECK(osMutexRelease(mutex) == osOK);
}
static void medium_job(void *argument)
{
    (void)argument;
    order = order * 10u + 2u;
}
void TC_MutexPriorityInversion(void)
{
    order = 0u;
    mutex = osMutexNew(NULL);
    const osThreadId_t low = begin(low_job, NULL, osPriorityLow);
    (void)osDelay(2u);
    (void)osKernelLock();
    CHECK(begin(medium_job, NULL, osPriorityNormal) != NULL && begin(high_job, NULL, osPriorityHigh) != NULL);
    (void)osThreadFlagsSet(low, 1u);
    (void)osKernelUnlock();
    (void)osDelay(5u);
    CHECK(order == 132u); /* what has the low priority unlocks before the medium one runs */
    CHECK(osMutexDelete(mutex) == osOK);
}
static void releases(void *argument)
{
    (void)argument;
    CHECK(osMutexRelease(mutex) == osErrorResource);
}
void TC_MutexOwnership(void)
{
    mutex = osMutexNew(NULL);
    CHECK(begin(holds_it, NULL, osPriorityLow) != NULL);
    (void)osDelay(2u);
    CHECK(begin(releases, NULL, osPriorityHigh) != NULL);
    (void)osDelay(20u);
    CHECK(osMutexDelete(mutex) == osOK);
}
