/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers. */
#include "cases.h"

#include <string.h>

static osTimerId_t timer;
static const char *volatile text;
static volatile uint32_t calls;

static void counts(void *argument)
{
    calls += *(const uint32_t *)argument;
}
static const uint32_t one = 1u;

static void new_one(void)
{
    isr_pointer = osTimerNew(counts, osTimerOnce, NULL, NULL);
}
void TC_osTimerNew_1(void)
{
    for (uint32_t k = 0u; k < 2u; k++) {
        timer = osTimerNew(counts, (k == 0u) ? osTimerOnce : osTimerPeriodic, NULL, NULL);
        CHECK(timer != NULL && osTimerDelete(timer) == osOK);
    }
    isr_pointer = &timer;
    in_isr(new_one);
    CHECK(isr_pointer == NULL);
    CHECK(osTimerNew(NULL, osTimerOnce, NULL, NULL) == NULL);
}
void TC_osTimerNew_2(void)
{
    const osTimerAttr_t attr = {"Timer", 0u, NULL, 0u};
    timer = osTimerNew(counts, osTimerOnce, NULL, &attr);
    CHECK(timer != NULL && osTimerDelete(timer) == osOK);
}
void TC_osTimerNew_3(void)
{
    static struct carillon_rtos_timer memory;
    osTimerAttr_t attr = {NULL, 0u, &memory, osTimerCbSize};
    timer = osTimerNew(counts, osTimerPeriodic, NULL, &attr);
    CHECK(timer == &memory && osTimerDelete(timer) == osOK);
    attr.cb_size--;
    CHECK(osTimerNew(counts, osTimerOnce, NULL, &attr) == NULL);
}
static void name(void)
{
    text = osTimerGetName(timer);
}
void TC_osTimerGetName_1(void)
{
    osTimerAttr_t attr = {NULL, 0u, NULL, 0u};
    timer = osTimerNew(counts, osTimerOnce, NULL, &attr);
    CHECK(osTimerGetName(timer) == NULL && osTimerDelete(timer) == osOK);
    attr.name = "Timer";
    timer = osTimerNew(counts, osTimerOnce, NULL, &attr);
    CHECK(strcmp(osTimerGetName(timer), "Timer") == 0);
    text = "none";
    in_isr(name);
    CHECK(text == NULL && osTimerDelete(timer) == osOK && osTimerGetName(NULL) == NULL);
}
static void start(void)
{
    isr_status = osTimerStart(timer, 10u);
}
void TC_osTimerStart_1(void)
{
    calls = 0u;
    timer = osTimerNew(counts, osTimerOnce, (void *)(uintptr_t)&one, NULL);
    CHECK(osTimerStart(timer, 2u) == osOK);
    (void)osDelay(10u);
    CHECK(calls == 1u && osTimerDelete(timer) == osOK);
    timer = osTimerNew(counts, osTimerPeriodic, (void *)(uintptr_t)&one, NULL);
    CHECK(osTimerStart(timer, 2u) == osOK);
    (void)osDelay(10u);
    CHECK(calls == 6u && osTimerDelete(timer) == osOK);
    (void)osDelay(10u);
    CHECK(calls == 6u);
    timer = osTimerNew(counts, osTimerOnce, (void *)(uintptr_t)&one, NULL);
    in_isr(start);
    CHECK(isr_status == osErrorISR);
    CHECK(osTimerStart(timer, 0u) == osErrorParameter && osTimerDelete(timer) == osOK);
    CHECK(osTimerStart(NULL, 10u) == osErrorParameter);
}
static void starts_again(void *argument)
{
    (void)argument;
    calls++;
    isr_status = osTimerStart(timer, 4u);
    CHECK(osThreadGetId() == NULL && osDelay(1u) == osError && osKernelLock() == osError);
}
void TC_osTimerStart_2(void)
{
    calls = 0u;
    isr_status = osError;
    timer = osTimerNew(starts_again, osTimerOnce, NULL, NULL);
    CHECK(osTimerStart(timer, 2u) == osOK);
    (void)osDelay(3u);
    CHECK(calls == 1u && isr_status == osOK && osTimerIsRunning(timer) == 1u);
    (void)osDelay(5u);
    CHECK(calls == 2u && osTimerDelete(timer) == osOK);
}
static void stop(void)
{
    isr_status = osTimerStop(timer);
}
static void check_stop(osTimerType_t type)
{
    timer = osTimerNew(counts, type, NULL, NULL);
    CHECK(osTimerStop(timer) == osErrorResource);
    CHECK(osTimerStart(timer, 10u) == osOK && osTimerStop(timer) == osOK);
    CHECK(osTimerStop(timer) == osErrorResource && osTimerDelete(timer) == osOK);
}
void TC_osTimerStop_1(void)
{
    timer = osTimerNew(counts, osTimerOnce, NULL, NULL);
    CHECK(osTimerStart(timer, 10u) == osOK);
    in_isr(stop);
    CHECK(isr_status == osErrorISR);
    CHECK(osTimerStop(timer) == osOK && osTimerDelete(timer) == osOK && osTimerStop(NULL) == osErrorParameter);
}
void TC_osTimerStop_2(void)
{
    check_stop(osTimerOnce);
    check_stop(osTimerPeriodic);
}
static void runs(void)
{
    isr_word = osTimerIsRunning(timer);
}
void TC_osTimerIsRunning_1(void)
{
    timer = osTimerNew(counts, osTimerPeriodic, (void *)(uintptr_t)&one, NULL);
    CHECK(osTimerIsRunning(timer) == 0u);
    CHECK(osTimerStart(timer, 5u) == osOK && osTimerIsRunning(timer) == 1u);
    (void)osDelay(6u);
    CHECK(osTimerIsRunning(timer) == 1u);
    isr_word = 9u;
    in_isr(runs);
    CHECK(isr_word == 0u);
    CHECK(osTimerStop(timer) == osOK && osTimerIsRunning(timer) == 0u);
    CHECK(osTimerDelete(timer) == osOK && osTimerIsRunning(NULL) == 0u);
}
static void delete (void)
{
    isr_status = osTimerDelete(timer);
}
void TC_osTimerDelete_1(void)
{
    timer = osTimerNew(counts, osTimerPeriodic, (void *)(uintptr_t)&one, NULL);
    CHECK(osTimerStart(timer, 5u) == osOK);
    in_isr(delete);
    CHECK(isr_status == osErrorISR);
    CHECK(osTimerDelete(timer) == osOK && osTimerDelete(NULL) == osErrorParameter);
}
void TC_TimerAllocation(void)
{
    osTimerId_t id[100];
    uint32_t made = 0u;
    while (made < 100u && (id[made] = osTimerNew(counts, osTimerOnce, NULL, NULL)) != NULL) {
        made++;
    }
    CHECK(made > 5u && made < 100u);
    for (uint32_t k = 0u; k < made; k++) {
        CHECK(osTimerDelete(id[k]) == osOK);
    }
}
void TC_TimerOneShot(void)
{
    calls = 0u;
    timer = osTimerNew(counts, osTimerOnce, (void *)(uintptr_t)&one, NULL);
    CHECK(osTimerStart(timer, 5u) == osOK);
    (void)osDelay(3u);
    CHECK(osTimerStart(timer, 5u) == osOK); /* anew */
    (void)osDelay(4u);
    CHECK(calls == 0u);
    (void)osDelay(10u);
    CHECK(calls == 1u && osTimerIsRunning(timer) == 0u && osTimerDelete(timer) == osOK);
}
void TC_TimerPeriodic(void)
{
    calls = 0u;
    timer = osTimerNew(counts, osTimerPeriodic, (void *)(uintptr_t)&one, NULL);
    CHECK(osTimerStart(timer, 3u) == osOK);
    (void)osDelay(31u);
    CHECK(calls == 10u && osTimerStop(timer) == osOK);
    (void)osDelay(10u);
    CHECK(calls == 10u && osTimerDelete(timer) == osOK);
}
