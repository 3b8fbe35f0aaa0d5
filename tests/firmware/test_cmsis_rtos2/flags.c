/* SPDX-License-Identifier: Apache-2.0
 *
 * Flags of threads, and of objects. */
#include "cases.h"

#include <string.h>

#define EVERY 0x7FFFFFFFu

static osEventFlagsId_t flags, others;

void TC_ThreadFlagsMainThread(void)
{
    for (uint32_t k = 0u; k < 31u; k++) {
        CHECK(osThreadFlagsSet(main_thread, 1u << k) == (2u << k) - 1u);
    }
    for (uint32_t k = 31u; k > 0u; k--) {
        CHECK(osThreadFlagsClear(1u << (k - 1u)) == (1u << k) - 1u);
    }
    CHECK(osThreadFlagsGet() == 0u);
}
static void own_flags(void *argument)
{
    (void)argument;
    CHECK(osThreadFlagsGet() == 0u);
    CHECK(osThreadFlagsSet(osThreadGetId(), EVERY) == EVERY && osThreadFlagsGet() == EVERY);
    CHECK(osThreadFlagsSet(osThreadGetId(), 0x80000000u) == osFlagsErrorParameter);
    CHECK(osThreadFlagsClear(EVERY) == EVERY && osThreadFlagsGet() == 0u);
    isr_word = 1u;
}
void TC_ThreadFlagsChildThread(void)
{
    isr_word = 0u;
    CHECK(begin(own_flags, NULL, osPriorityNormal) != NULL);
    (void)osDelay(2u);
    CHECK(isr_word == 1u);
}
static void answers(void *argument)
{
    const osThreadId_t *const whom = argument;
    for (uint32_t k = 0u; k < 31u; k++) {
        CHECK(osThreadFlagsWait(1u << k, osFlagsWaitAny, 100u) == 1u << k);
        CHECK((osThreadFlagsSet(*whom, 1u << k) & osFlagsError) == 0u);
    }
}
static void asks(void *argument)
{
    const osThreadId_t *const whom = argument;
    for (uint32_t k = 0u; k < 31u; k++) {
        CHECK((osThreadFlagsSet(*whom, 1u << k) & osFlagsError) == 0u);
        CHECK(osThreadFlagsWait(1u << k, osFlagsWaitAny, 100u) == 1u << k);
    }
    (void)osThreadFlagsSet(main_thread, 1u);
}
void TC_ThreadFlagsChildToParent(void)
{
    osThreadId_t child = begin(answers, &main_thread, osPriorityBelowNormal);
    asks(&child);
}
void TC_ThreadFlagsChildToChild(void)
{
    osThreadId_t pair[2];
    pair[0] = begin(asks, &pair[1], osPriorityBelowNormal);
    pair[1] = begin(answers, &pair[0], osPriorityBelowNormal);
    CHECK(osThreadFlagsWait(1u, osFlagsWaitAll, 100u) == 1u);
}
static void sets(void *argument)
{
    (void)osThreadFlagsSet(main_thread, *(uint32_t *)argument);
}
void TC_ThreadFlagsWaitTimeout(void)
{
    uint32_t set = 3u;
    CHECK(osThreadFlagsWait(EVERY, osFlagsWaitAny, 0u) == osFlagsErrorResource);
    TAKES(5u, osThreadFlagsWait(EVERY, osFlagsWaitAny, 5u) == osFlagsErrorTimeout);
    CHECK(osThreadFlagsWait(EVERY, osFlagsWaitAll, 0u) == osFlagsErrorResource);
    CHECK(osThreadFlagsWait(EVERY, osFlagsWaitAll, 5u) == osFlagsErrorTimeout);
    CHECK(begin(sets, &set, osPriorityNormal) != NULL);
    (void)osDelay(5u);
    CHECK(osThreadFlagsWait(1u, osFlagsWaitAny, 10u) == 3u);
    set = 5u;
    CHECK(begin(sets, &set, osPriorityNormal) != NULL);
    (void)osDelay(5u);
    CHECK(osThreadFlagsWait(2u, osFlagsWaitAny | osFlagsNoClear, 10u) == 7u);
    CHECK(osThreadFlagsWait(2u, osFlagsWaitAny, 10u) == 7u && osThreadFlagsGet() == 5u);
}
static void wakes_main(void *argument)
{
    (void)argument;
    (void)osDelay(10u);
    CHECK(osThreadFlagsSet(main_thread, 1u) == 0u); /* main has taken it */
}
void TC_ThreadFlagsCheckTimeout(void)
{
    (void)osDelay(1u);
    CHECK(begin(wakes_main, NULL, osPriorityAboveNormal) != NULL);
    TAKES(10u, osThreadFlagsWait(1u, osFlagsWaitAny, 100u) == 1u);
    CHECK(begin(wakes_main, NULL, osPriorityAboveNormal) != NULL);
    TAKES(10u, osThreadFlagsWait(1u, osFlagsWaitAny, osWaitForever) == 1u);
}
void TC_ThreadFlagsParam(void)
{
    CHECK(osThreadFlagsSet(NULL, 0u) == osFlagsErrorParameter);
    CHECK(osThreadFlagsSet(osThreadGetId(), 0x80000000u) == osFlagsErrorParameter);
    CHECK(osThreadFlagsWait(0x80000000u, osFlagsWaitAny, 0u) == osFlagsErrorParameter);
    CHECK(osThreadFlagsClear(0x80000000u) == osFlagsErrorParameter);
}
static void thread_flags(void)
{
    CHECK(osThreadFlagsSet(main_thread, 1u) == 1u);
    CHECK(osThreadFlagsClear(1u) == osFlagsErrorISR && osThreadFlagsGet() == 0u);
    CHECK(osThreadFlagsWait(1u, osFlagsWaitAny, 0u) == osFlagsErrorISR);
    CHECK(osThreadFlagsWait(1u, osFlagsWaitAny, osWaitForever) == osFlagsErrorISR);
}
void TC_ThreadFlagsInterrupts(void)
{
    in_isr(thread_flags);
    CHECK(osThreadFlagsGet() == 1u);
}

static void new_flags(void)
{
    isr_pointer = osEventFlagsNew(NULL);
}
void TC_osEventFlagsNew_1(void)
{
    flags = osEventFlagsNew(NULL);
    CHECK(flags != NULL && osEventFlagsDelete(flags) == osOK);
    isr_pointer = &flags;
    in_isr(new_flags);
    CHECK(isr_pointer == NULL);
}
static const char *volatile text;
static void name(void)
{
    text = osEventFlagsGetName(flags);
}
void TC_osEventFlagsNew_2(void)
{
    const osEventFlagsAttr_t attr = {"EventFlags", 0u, NULL, 0u};
    flags = osEventFlagsNew(&attr);
    CHECK(flags != NULL && osEventFlagsDelete(flags) == osOK);
}
void TC_osEventFlagsNew_3(void)
{
    static struct carillon_rtos_flags memory;
    osEventFlagsAttr_t attr = {NULL, 0u, &memory, osEventFlagsCbSize};
    flags = osEventFlagsNew(&attr);
    CHECK(flags == &memory && osEventFlagsDelete(flags) == osOK);
    attr.cb_size--;
    CHECK(osEventFlagsNew(&attr) == NULL);
}
void TC_osEventFlagsGetName_1(void)
{
    osEventFlagsAttr_t attr = {NULL, 0u, NULL, 0u};
    flags = osEventFlagsNew(&attr);
    CHECK(osEventFlagsGetName(flags) == NULL && osEventFlagsDelete(flags) == osOK);
    attr.name = "EventFlags";
    flags = osEventFlagsNew(&attr);
    CHECK(strcmp(osEventFlagsGetName(flags), "EventFlags") == 0);
    text = "none";
    in_isr(name);
    CHECK(text == NULL && osEventFlagsDelete(flags) == osOK);
    CHECK(osEventFlagsGetName(NULL) == NULL);
}
static void sets_each(void)
{
    for (uint32_t k = 0u; k < 31u; k++) {
        CHECK(osEventFlagsSet(flags, 1u << k) == (2u << k) - 1u);
    }
}
static void clears_each(void)
{
    for (uint32_t k = 0u; k < 31u; k++) {
        CHECK(osEventFlagsClear(flags, 1u << k) == ((EVERY >> k) << k));
    }
}
void TC_osEventFlagsSet_1(void)
{
    flags = osEventFlagsNew(NULL);
    sets_each();
    CHECK(osEventFlagsDelete(flags) == osOK);
    flags = osEventFlagsNew(NULL);
    in_isr(sets_each);
    CHECK(osEventFlagsSet(flags, 0x80000000u) == osFlagsErrorParameter);
    CHECK(osEventFlagsDelete(flags) == osOK);
    CHECK(osEventFlagsSet(NULL, 1u) == osFlagsErrorParameter);
}
void TC_osEventFlagsClear_1(void)
{
    flags = osEventFlagsNew(NULL);
    CHECK(osEventFlagsSet(flags, EVERY) == EVERY);
    clears_each();
    CHECK(osEventFlagsSet(flags, EVERY) == EVERY);
    in_isr(clears_each);
    CHECK(osEventFlagsDelete(flags) == osOK);
    CHECK(osEventFlagsClear(NULL, 1u) == osFlagsErrorParameter);
}
static void get(void)
{
    isr_word = osEventFlagsGet(flags);
}
void TC_osEventFlagsGet_1(void)
{
    flags = osEventFlagsNew(NULL);
    CHECK(osEventFlagsGet(flags) == 0u);
    CHECK(osEventFlagsSet(flags, 0x55AA55AAu) == 0x55AA55AAu && osEventFlagsGet(flags) == 0x55AA55AAu);
    in_isr(get);
    CHECK(isr_word == 0x55AA55AAu);
    CHECK(osEventFlagsDelete(flags) == osOK && osEventFlagsGet(NULL) == 0u);
}
static const uint32_t wanted[] = {1u, EVERY, 0x2AAAAAAAu, 0x55555555u};
static void waits_in_turn(void *argument)
{
    uint32_t *const count = argument;
    for (uint32_t k = 0u; k < 4u; k++) {
        (*count)++;
        CHECK(osEventFlagsWait(flags, wanted[k], osFlagsWaitAll, osWaitForever) == wanted[k]);
    }
    (*count)++;
}
static void waits_in_isr(void)
{
    CHECK(osEventFlagsWait(flags, 3u, osFlagsWaitAny, osWaitForever) == osFlagsErrorParameter);
    CHECK(osEventFlagsWait(flags, 3u, osFlagsWaitAll, 0u) == 3u);
}
void TC_osEventFlagsWait_1(void)
{
    uint32_t count = 0u;
    flags = osEventFlagsNew(NULL);
    CHECK(begin(waits_in_turn, &count, osPriorityHigh) != NULL);
    for (uint32_t k = 0u; k < 4u; k++) {
        CHECK(count == k + 1u);
        CHECK(osEventFlagsSet(flags, wanted[k]) == 0u);
    }
    CHECK(count == 5u);
    CHECK(osEventFlagsSet(flags, 3u) == 3u);
    in_isr(waits_in_isr);
    CHECK(osEventFlagsGet(flags) == 0u);
    CHECK(osEventFlagsWait(flags, 0x80000000u, osFlagsWaitAny, 2u) == osFlagsErrorParameter);
    CHECK(osEventFlagsDelete(flags) == osOK);
    CHECK(osEventFlagsWait(NULL, 1u, osFlagsWaitAny, 0u) == osFlagsErrorParameter);
}
static void delete (void)
{
    isr_status = osEventFlagsDelete(flags);
}
void TC_osEventFlagsDelete_1(void)
{
    flags = osEventFlagsNew(NULL);
    in_isr(delete);
    CHECK(isr_status == osErrorISR);
    CHECK(osEventFlagsDelete(flags) == osOK);
    CHECK(osEventFlagsDelete(flags) == osErrorParameter && osEventFlagsDelete(NULL) == osErrorParameter);
}
void TC_EventFlagsAllocation(void)
{
    osEventFlagsId_t id[200];
    uint32_t count = 0u;
    while (count < 200u && (id[count] = osEventFlagsNew(NULL)) != NULL) {
        count++;
    }
    CHECK(count > 10u && count < 200u);
    for (uint32_t k = 0u; k < count; k += 2u) {
        CHECK(osEventFlagsDelete(id[k]) == osOK);
    }
    CHECK((id[0] = osEventFlagsNew(NULL)) != NULL); /* in a gap */
    CHECK(osEventFlagsDelete(id[0]) == osOK);
    for (uint32_t k = 1u; k < count; k += 2u) {
        CHECK(osEventFlagsDelete(id[k]) == osOK);
    }
}
static void first_of_two(void *argument)
{
    (void)argument;
    for (uint32_t k = 0u; k < 31u; k++) {
        (void)osEventFlagsSet(flags, 1u << k);
        CHECK(osEventFlagsWait(others, 1u << k, osFlagsWaitAny, 100u) == 1u << k);
    }
    (void)osThreadFlagsSet(main_thread, 1u);
}
static void second_of_two(void *argument)
{
    (void)argument;
    for (uint32_t k = 0u; k < 31u; k++) {
        CHECK(osEventFlagsWait(flags, 1u << k, osFlagsWaitAny, 100u) == 1u << k);
        (void)osEventFlagsSet(others, 1u << k);
    }
    (void)osThreadFlagsSet(main_thread, 2u);
}
void TC_EventFlagsInterThreads(void)
{
    flags = osEventFlagsNew(NULL);
    others = osEventFlagsNew(NULL);
    CHECK(begin(first_of_two, NULL, osPriorityBelowNormal) != NULL);
    CHECK(begin(second_of_two, NULL, osPriorityBelowNormal) != NULL);
    CHECK(osThreadFlagsWait(3u, osFlagsWaitAll, 100u) == 3u);
    CHECK(osEventFlagsDelete(flags) == osOK && osEventFlagsDelete(others) == osOK);
}
static void wakes(void *argument)
{
    (void)argument;
    (void)osDelay(10u);
    CHECK(osEventFlagsSet(flags, 1u) == 0u);
}
void TC_EventFlagsCheckTimeout(void)
{
    flags = osEventFlagsNew(NULL);
    (void)osDelay(1u);
    CHECK(begin(wakes, NULL, osPriorityAboveNormal) != NULL);
    TAKES(10u, osEventFlagsWait(flags, 1u, osFlagsWaitAny, 100u) == 1u);
    CHECK(begin(wakes, NULL, osPriorityAboveNormal) != NULL);
    TAKES(10u, osEventFlagsWait(flags, 1u, osFlagsWaitAny, osWaitForever) == 1u);
    CHECK(osEventFlagsDelete(flags) == osOK);
}
static void sets_flags(void *argument)
{
    (void)osEventFlagsSet(flags, *(uint32_t *)argument);
}
void TC_EventFlagsWaitTimeout(void)
{
    uint32_t set = 3u;
    flags = osEventFlagsNew(NULL);
    CHECK(osEventFlagsWait(flags, EVERY, osFlagsWaitAny, 0u) == osFlagsErrorResource);
    TAKES(5u, osEventFlagsWait(flags, EVERY, osFlagsWaitAny, 5u) == osFlagsErrorTimeout);
    CHECK(osEventFlagsWait(flags, EVERY, osFlagsWaitAll, 0u) == osFlagsErrorResource);
    CHECK(osEventFlagsWait(flags, EVERY, osFlagsWaitAll, 5u) == osFlagsErrorTimeout);
    CHECK(begin(sets_flags, &set, osPriorityBelowNormal) != NULL);
    (void)osDelay(5u);
    CHECK(osEventFlagsWait(flags, 1u, osFlagsWaitAny, 10u) == 3u);
    set = 5u;
    CHECK(begin(sets_flags, &set, osPriorityBelowNormal) != NULL);
    (void)osDelay(5u);
    CHECK(osEventFlagsWait(flags, 2u, osFlagsWaitAny, 10u) == 7u);
    CHECK(osEventFlagsDelete(flags) == osOK);
}
static void waits(void *argument)
{
    *(uint32_t *)argument = osEventFlagsWait(flags, 1u, osFlagsWaitAll, osWaitForever);
}
void TC_EventFlagsDeleteWaiting(void)
{
    uint32_t found = 0u;
    flags = osEventFlagsNew(NULL);
    const osThreadId_t id = begin(waits, &found, osPriorityAboveNormal);
    CHECK(osEventFlagsDelete(flags) == osOK);
    CHECK(found == osFlagsErrorResource);
    CHECK(osThreadTerminate(id) == osErrorParameter);
}
