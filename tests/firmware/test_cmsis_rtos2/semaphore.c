/* SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores. */
#include "cases.h"

#include <string.h>

#define MOST 65535u

static osSemaphoreId_t semaphore;
static const char *volatile text;

static void new_one(void)
{
    isr_pointer = osSemaphoreNew(1u, 1u, NULL);
}
void TC_osSemaphoreNew_1(void)
{
    static const uint32_t counts[][2] = {{1u, 0u}, {1u, 1u}, {255u, 0u}, {255u, 255u}, {MOST, MOST}};
    for (uint32_t k = 0u; k < sizeof counts / sizeof counts[0]; k++) {
        semaphore = osSemaphoreNew(counts[k][0], counts[k][1], NULL);
        CHECK(semaphore != NULL && osSemaphoreGetCount(semaphore) == counts[k][1]);
        CHECK(osSemaphoreDelete(semaphore) == osOK);
    }
    CHECK(osSemaphoreNew(0u, 0u, NULL) == NULL && osSemaphoreNew(1u, 2u, NULL) == NULL);
    CHECK(osSemaphoreNew(MOST + 1u, 0u, NULL) == NULL);
    isr_pointer = &semaphore;
    in_isr(new_one);
    CHECK(isr_pointer == NULL);
}
void TC_osSemaphoreNew_2(void)
{
    const osSemaphoreAttr_t attr = {"Semaphore", 0u, NULL, 0u};
    semaphore = osSemaphoreNew(1u, 0u, &attr);
    CHECK(semaphore != NULL && osSemaphoreDelete(semaphore) == osOK);
}
void TC_osSemaphoreNew_3(void)
{
    static struct carillon_rtos_semaphore memory;
    osSemaphoreAttr_t attr = {NULL, 0u, &memory, osSemaphoreCbSize};
    semaphore = osSemaphoreNew(1u, 0u, &attr);
    CHECK(semaphore == &memory && osSemaphoreDelete(semaphore) == osOK);
    attr.cb_size--;
    CHECK(osSemaphoreNew(1u, 0u, &attr) == NULL);
}
static void name(void)
{
    text = osSemaphoreGetName(semaphore);
}
void TC_osSemaphoreGetName_1(void)
{
    osSemaphoreAttr_t attr = {NULL, 0u, NULL, 0u};
    semaphore = osSemaphoreNew(1u, 1u, &attr);
    CHECK(osSemaphoreGetName(semaphore) == NULL && osSemaphoreDelete(semaphore) == osOK);
    attr.name = "Semaphore";
    semaphore = osSemaphoreNew(1u, 1u, &attr);
    CHECK(strcmp(osSemaphoreGetName(semaphore), "Semaphore") == 0);
    text = "none";
    in_isr(name);
    CHECK(text == NULL && osSemaphoreDelete(semaphore) == osOK);
    CHECK(osSemaphoreGetName(NULL) == NULL);
}
static void acquire(void)
{
    isr_status = osSemaphoreAcquire(semaphore, osWaitForever);
}
void TC_osSemaphoreAcquire_1(void)
{
    semaphore = osSemaphoreNew(5u, 5u, NULL);
    CHECK(osSemaphoreAcquire(semaphore, osWaitForever) == osOK && osSemaphoreGetCount(semaphore) == 4u);
    in_isr(acquire);
    CHECK(isr_status == osErrorParameter);
    CHECK(osSemaphoreDelete(semaphore) == osOK);
    CHECK(osSemaphoreAcquire(NULL, 0u) == osErrorParameter);
    CHECK(osSemaphoreAcquire(main_thread, 0u) == osErrorParameter);
}
static void release(void)
{
    isr_status = osSemaphoreRelease(semaphore);
}
void TC_osSemaphoreRelease_1(void)
{
    for (uint32_t most = 1u; most <= 5u; most += 4u) {
        semaphore = osSemaphoreNew(most, most, NULL);
        CHECK(osSemaphoreRelease(semaphore) == osErrorResource);
        CHECK(osSemaphoreAcquire(semaphore, osWaitForever) == osOK && osSemaphoreRelease(semaphore) == osOK);
        CHECK(osSemaphoreAcquire(semaphore, osWaitForever) == osOK);
        in_isr(release);
        CHECK(isr_status == osOK && osSemaphoreGetCount(semaphore) == most);
        CHECK(osSemaphoreDelete(semaphore) == osOK);
    }
    CHECK(osSemaphoreRelease(NULL) == osErrorParameter);
}
static void count(void)
{
    isr_word = osSemaphoreGetCount(semaphore);
}
void TC_osSemaphoreGetCount_1(void)
{
    semaphore = osSemaphoreNew(9u, 9u, NULL);
    for (uint32_t k = 9u; k > 0u; k--) {
        CHECK(osSemaphoreGetCount(semaphore) == k && osSemaphoreAcquire(semaphore, 0u) == osOK);
    }
    CHECK(osSemaphoreRelease(semaphore) == osOK);
    in_isr(count);
    CHECK(isr_word == 1u);
    CHECK(osSemaphoreDelete(semaphore) == osOK && osSemaphoreGetCount(NULL) == 0u);
}
static void delete (void)
{
    isr_status = osSemaphoreDelete(semaphore);
}
void TC_osSemaphoreDelete_1(void)
{
    semaphore = osSemaphoreNew(1u, 1u, NULL);
    in_isr(delete);
    CHECK(isr_status == osErrorISR);
    CHECK(osSemaphoreDelete(semaphore) == osOK && osSemaphoreDelete(NULL) == osErrorParameter);
}
void TC_SemaphoreAllocation(void)
{
    osSemaphoreId_t id[200];
    uint32_t made = 0u;
    while (made < 200u && (id[made] = osSemaphoreNew(1u, 1u, NULL)) != NULL) {
        made++;
    }
    CHECK(made > 10u && made < 200u);
    for (uint32_t k = 0u; k < made; k++) {
        CHECK(osSemaphoreDelete(id[k]) == osOK);
    }
}
void TC_SemaphoreCreateAndDelete(void)
{
    for (uint32_t k = 0u; k < 2u; k++) {
        semaphore = osSemaphoreNew((k == 0u) ? 1u : MOST, (k == 0u) ? 0u : MOST, NULL);
        CHECK(semaphore != NULL && osSemaphoreDelete(semaphore) == osOK);
    }
}
static void obtain(uint32_t most)
{
    semaphore = osSemaphoreNew(most, most, NULL);
    for (uint32_t k = 0u; k < most; k++) {
        CHECK(osSemaphoreAcquire(semaphore, 0u) == osOK);
    }
    TAKES(10u, osSemaphoreAcquire(semaphore, 10u) == osErrorTimeout);
    CHECK(osSemaphoreAcquire(semaphore, 0u) == osErrorResource);
    for (uint32_t k = 0u; k < most; k++) {
        CHECK(osSemaphoreRelease(semaphore) == osOK);
    }
    CHECK(osSemaphoreRelease(semaphore) == osErrorResource && osSemaphoreDelete(semaphore) == osOK);
}
void TC_SemaphoreObtainCounting(void)
{
    obtain(50u);
    obtain(1u);
}
void TC_SemaphoreObtainBinary(void)
{
    obtain(1u);
}

static void tries(void *argument)
{
    *(uint32_t *)argument = (osSemaphoreAcquire(semaphore, 0u) == osOK) ? 2u : 1u;
}
static void wait_for(uint32_t units, uint32_t threads)
{
    uint32_t result[5] = {0u}, acquired = 0u, refused = 0u;
    semaphore = osSemaphoreNew(units, units, NULL);
    for (uint32_t k = 0u; k < threads; k++) {
        CHECK(begin(tries, &result[k], osPriorityNormal) != NULL);
    }
    (void)osDelay(5u);
    for (uint32_t k = 0u; k < threads; k++) {
        acquired += (result[k] == 2u) ? 1u : 0u;
        refused += (result[k] == 1u) ? 1u : 0u;
    }
    CHECK(acquired == units && refused == threads - units);
    CHECK(osSemaphoreRelease(semaphore) == osOK && osSemaphoreDelete(semaphore) == osOK);
}
void TC_SemaphoreWaitForBinary(void)
{
    wait_for(1u, 3u);
}
void TC_SemaphoreWaitForCounting(void)
{
    wait_for(3u, 5u);
}
void TC_SemaphoreZeroCount(void)
{
    semaphore = osSemaphoreNew(1u, 0u, NULL);
    CHECK(osSemaphoreAcquire(semaphore, 0u) == osErrorResource && osSemaphoreRelease(semaphore) == osOK);
    CHECK(osSemaphoreDelete(semaphore) == osOK);
}
static void waits(void *argument)
{
    const bool acquired = osSemaphoreAcquire(semaphore, *(uint32_t *)argument) == osOK;
    (void)osThreadFlagsSet(main_thread, acquired ? 1u : 2u);
}
void TC_SemaphoreWaitTimeout(void)
{
    uint32_t ticks = 10u;
    semaphore = osSemaphoreNew(1u, 0u, NULL);
    (void)osDelay(1u);
    CHECK(begin(waits, &ticks, osPriorityBelowNormal) != NULL);
    (void)osDelay(9u);
    CHECK(osThreadFlagsWait(3u, osFlagsWaitAny, 0u) == osFlagsErrorResource);
    (void)osDelay(3u);
    CHECK(osThreadFlagsWait(3u, osFlagsWaitAny, 0u) == 2u);
    CHECK(osSemaphoreDelete(semaphore) == osOK);
}
static void wakes(void *argument)
{
    (void)argument;
    (void)osDelay(10u);
    CHECK(osSemaphoreRelease(semaphore) == osOK);
}
void TC_SemaphoreCheckTimeout(void)
{
    semaphore = osSemaphoreNew(1u, 0u, NULL);
    (void)osDelay(1u);
    CHECK(begin(wakes, NULL, osPriorityAboveNormal) != NULL);
    TAKES(10u, osSemaphoreAcquire(semaphore, 100u) == osOK);
    CHECK(begin(wakes, NULL, osPriorityAboveNormal) != NULL);
    TAKES(10u, osSemaphoreAcquire(semaphore, osWaitForever) == osOK);
    CHECK(osSemaphoreDelete(semaphore) == osOK);
}
