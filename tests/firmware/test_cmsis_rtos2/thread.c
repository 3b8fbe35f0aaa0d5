/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads. */
#include "cases.h"

#include <string.h>

static osThreadId_t thread;
static const char *volatile text;
static uint32_t counter;

static void new_one(void)
{
    isr_pointer = osThreadNew(yields_for_ever, NULL, NULL);
}
void TC_osThreadNew_1(void)
{
    const osThreadId_t id = osThreadNew(yields_for_ever, NULL, NULL);
    CHECK(id != NULL);
    CHECK(osThreadTerminate(id) == osOK);
    CHECK(osThreadNew(NULL, NULL, NULL) == NULL);
    isr_pointer = &counter;
    in_isr(new_one);
    CHECK(isr_pointer == NULL);
}
void TC_osThreadNew_2(void)
{
    CHECK(osThreadTerminate(begin(yields_for_ever, NULL, osPriorityNormal)) == osOK);
}
void TC_osThreadNew_3(void)
{
    const osThreadId_t id = begin_joinable(yields_for_ever, NULL, osPriorityNormal);
    CHECK(id != NULL);
    CHECK(osThreadDetach(id) == osOK);
    CHECK(osThreadTerminate(id) == osOK);
}
void TC_osThreadNew_5(void)
{
    osThreadAttr_t attr = {NULL, 0u, NULL, 0u, NULL, 512u, osPriorityNormal, 0u, 0u};
    const osThreadId_t id = osThreadNew(yields_for_ever, NULL, &attr);
    CHECK(id != NULL && osThreadGetStackSize(id) >= 512u);
    CHECK(osThreadTerminate(id) == osOK);
    attr.stack_size = 1000000u;
    CHECK(osThreadNew(yields_for_ever, NULL, &attr) == NULL); /* no thread of the schedule has such a stack */
}
static void takes(void *argument)
{
    isr_pointer = argument;
}
void TC_osThreadNew_7(void)
{
    CHECK(osThreadNew(takes, &counter, NULL) != NULL);
    (void)osDelay(2u);
    CHECK(isr_pointer == &counter);
}

static void name(void)
{
    text = osThreadGetName(thread);
}
void TC_osThreadGetName_1(void)
{
    osThreadAttr_t attr = {NULL, 0u, NULL, 0u, NULL, 0u, osPriorityLow, 0u, 0u};
    CHECK(osThreadGetName(osThreadNew(ends_itself, NULL, &attr)) == NULL);
    (void)osDelay(2u);
    attr.name = "Thread";
    thread = osThreadNew(ends_itself, NULL, &attr);
    CHECK(strcmp(osThreadGetName(thread), "Thread") == 0);
    text = "none";
    in_isr(name);
    CHECK(text == NULL);
    CHECK(osThreadGetName(NULL) == NULL);
    CHECK(strcmp(osThreadGetName(osThreadGetId()), "main") == 0);
}

static void says_who(void *argument)
{
    *(osThreadId_t *)argument = osThreadGetId();
}
static void who(void)
{
    isr_pointer = osThreadGetId();
}
void TC_osThreadGetId_1(void)
{
    osThreadId_t made[3], found[3];
    for (uint32_t k = 0u; k < 3u; k++) {
        made[k] = begin(says_who, &found[k], osPriorityBelowNormal);
        CHECK(made[k] != NULL);
    }
    (void)osDelay(2u);
    for (uint32_t k = 0u; k < 3u; k++) {
        CHECK(made[k] == found[k]);
    }
    in_isr(who);
    CHECK(isr_pointer == osThreadGetId());
}

static void state(void)
{
    isr_word = (uint32_t)osThreadGetState(thread);
}
void TC_osThreadGetState_1(void)
{
    CHECK(osThreadGetState(osThreadGetId()) == osThreadRunning);
    thread = begin(ends_itself, NULL, osPriorityNormal);
    CHECK(osThreadGetState(thread) == osThreadReady);
    in_isr(state);
    CHECK((osThreadState_t)isr_word == osThreadError);
    CHECK(osThreadTerminate(thread) == osOK);
    (void)osDelay(2u);
    CHECK(osThreadGetState(thread) == osThreadError);
    CHECK(osThreadGetState(NULL) == osThreadError);
}
static osSemaphoreId_t semaphore;
static void acquires(void *argument)
{
    (void)argument;
    CHECK(osSemaphoreAcquire(semaphore, osWaitForever) == osOK);
}
void TC_osThreadGetState_2(void)
{
    semaphore = osSemaphoreNew(1u, 0u, NULL);
    thread = begin(acquires, NULL, osPriorityHigh);
    CHECK(osThreadGetState(thread) == osThreadBlocked);
    CHECK(osThreadTerminate(thread) == osOK);
    CHECK(osSemaphoreDelete(semaphore) == osOK);
}
void TC_osThreadGetState_3(void)
{
    thread = begin_joinable(ends_itself, NULL, osPriorityBelowNormal);
    CHECK(osThreadTerminate(thread) == osOK);
    CHECK(osThreadGetState(thread) == osThreadTerminated);
    (void)osDelay(2u);
    CHECK(osThreadGetState(thread) == osThreadTerminated);
    CHECK(osThreadDetach(thread) == osOK);
}

static void set_priority(void)
{
    isr_status = osThreadSetPriority(thread, osPriorityHigh);
}
void TC_osThreadSetPriority_2(void)
{
    thread = begin(ends_itself, NULL, osPriorityLow);
    CHECK(osThreadSetPriority(thread, osPriorityNone) == osErrorParameter);
    CHECK(osThreadSetPriority(thread, (osPriority_t)(osPriorityISR + 1)) == osErrorParameter);
    CHECK(osThreadSetPriority(thread, osPriorityHigh) == osErrorResource); /* priorities are the schedule's */
    CHECK(osThreadSetPriority(thread, osPriorityLow) == osOK);
    in_isr(set_priority);
    CHECK(isr_status == osErrorISR);
    CHECK(osThreadSetPriority(NULL, osPriorityLow) == osErrorParameter);
}
static void priority(void)
{
    isr_word = (uint32_t)osThreadGetPriority(main_thread);
}
void TC_osThreadGetPriority_1(void)
{
    CHECK(osThreadGetPriority(osThreadGetId()) == osPriorityNormal);
    in_isr(priority);
    CHECK((osPriority_t)isr_word == osPriorityError);
    CHECK(osThreadGetPriority(NULL) == osPriorityError);
}

static void yields(void)
{
    isr_status = osThreadYield();
}
void TC_osThreadYield_1(void)
{
    CHECK(osThreadYield() == osOK);
    in_isr(yields);
    CHECK(isr_status == osErrorISR);
}

static void suspends(void *argument)
{
    uint32_t *const count = argument;
    (*count)++;
    CHECK(osThreadSuspend(osThreadGetId()) == osOK);
    (*count)++;
    CHECK(osThreadSuspend(osThreadGetId()) == osOK);
    (*count)++;
}
static void suspend(void)
{
    isr_status = osThreadSuspend(thread);
}
void TC_osThreadSuspend_1(void)
{
    uint32_t count = 0u;
    thread = begin(suspends, &count, osPriorityHigh);
    CHECK(count == 1u && osThreadGetState(thread) == osThreadBlocked);
    CHECK(osThreadTerminate(thread) == osOK);
    CHECK(count == 1u);
    thread = begin(suspends, &count, osPriorityLow);
    CHECK(osThreadSuspend(thread) == osError); /* a thread suspends itself alone */
    in_isr(suspend);
    CHECK(isr_status == osErrorISR);
    CHECK(osThreadTerminate(thread) == osOK);
    CHECK(osThreadSuspend(NULL) == osErrorParameter);
}
static void resume(void)
{
    isr_status = osThreadResume(thread);
}
void TC_osThreadResume_1(void)
{
    uint32_t count = 0u;
    thread = begin(suspends, &count, osPriorityHigh);
    CHECK(osThreadResume(thread) == osOK && count == 2u);
    in_isr(resume);
    CHECK(isr_status == osErrorISR);
    CHECK(osThreadResume(thread) == osOK && count == 3u);
    CHECK(osThreadResume(thread) == osErrorResource);
    CHECK(osThreadResume(NULL) == osErrorParameter);
}
static osEventFlagsId_t flags;
static osMessageQueueId_t queue;
static osMemoryPoolId_t pool;
static void waits_for(void *argument)
{
    uint32_t *const what = argument;
    uint8_t message;
    switch (*what) {
    case 0u:
        CHECK(osDelay(osWaitForever) == osOK);
        break;
    case 1u:
        CHECK(osSemaphoreAcquire(semaphore, osWaitForever) == osErrorTimeout);
        break;
    case 2u:
        CHECK(osEventFlagsWait(flags, 1u, osFlagsWaitAll, osWaitForever) == osFlagsErrorTimeout);
        break;
    case 3u:
        CHECK(osMessageQueueGet(queue, &message, NULL, osWaitForever) == osErrorTimeout);
        break;
    default:
        CHECK(osMemoryPoolAlloc(pool, osWaitForever) == NULL);
        break;
    }
    *what = 99u;
}
void TC_osThreadResume_2(void) /* but for a mutex, for which nobody is resumed */
{
    semaphore = osSemaphoreNew(1u, 0u, NULL);
    flags = osEventFlagsNew(NULL);
    queue = osMessageQueueNew(1u, 1u, NULL);
    pool = osMemoryPoolNew(1u, 1u, NULL);
    CHECK(osMemoryPoolAlloc(pool, 0u) != NULL);
    for (uint32_t what = 0u; what < 5u; what++) {
        uint32_t own = what;
        thread = begin(waits_for, &own, osPriorityHigh);
        CHECK(osThreadGetState(thread) == osThreadBlocked);
        CHECK(osThreadResume(thread) == osOK && own == 99u);
    }
    CHECK(osSemaphoreDelete(semaphore) == osOK && osEventFlagsDelete(flags) == osOK);
    CHECK(osMessageQueueDelete(queue) == osOK && osMemoryPoolDelete(pool) == osOK);
}

void TC_osThreadDetach_1(void)
{
    thread = begin_joinable(sleeps_for_ever, NULL, osPriorityBelowNormal);
    CHECK(osThreadDetach(thread) == osOK);
    CHECK(osThreadJoin(thread) == osErrorResource);
    CHECK(osThreadTerminate(thread) == osOK);
    thread = begin_joinable(sleeps_for_ever, NULL, osPriorityBelowNormal);
    CHECK(osThreadTerminate(thread) == osOK);
    CHECK(osThreadGetState(thread) == osThreadTerminated);
    CHECK(osThreadDetach(thread) == osOK);
    CHECK(osThreadGetState(thread) == osThreadError);
}
static void detach(void)
{
    isr_status = osThreadDetach(thread);
}
void TC_osThreadDetach_2(void)
{
    thread = begin(ends_itself, NULL, osPriorityBelowNormal);
    CHECK(osThreadDetach(thread) == osErrorResource);
    in_isr(detach);
    CHECK(isr_status == osErrorISR);
    CHECK(osThreadDetach(NULL) == osErrorParameter);
}

static void chain(void *argument)
{
    uint32_t *const depth = argument;
    (*depth)++;
    if (*depth < 4u) {
        CHECK(osThreadJoin(begin_joinable(chain, depth, osPriorityBelowNormal)) == osOK);
    }
    (*depth)++;
}
void TC_osThreadJoin_1(void)
{
    thread = begin_joinable(ends_itself, NULL, osPriorityBelowNormal);
    CHECK(osThreadGetState(thread) == osThreadReady);
    CHECK(osThreadJoin(thread) == osOK);
    uint32_t depth = 0u;
    CHECK(osThreadJoin(begin_joinable(chain, &depth, osPriorityBelowNormal)) == osOK);
    CHECK(depth == 8u);
}
static void join(void)
{
    isr_status = osThreadJoin(thread);
}
void TC_osThreadJoin_2(void)
{
    thread = begin_joinable(ends_itself, NULL, osPriorityBelowNormal);
    CHECK(osThreadJoin(NULL) == osErrorParameter);
    CHECK(osThreadJoin(osThreadGetId()) == osErrorResource);
    CHECK(osThreadJoin(&counter) == osErrorParameter);
    in_isr(join);
    CHECK(isr_status == osErrorISR);
    (void)osDelay(2u);
    CHECK(osThreadJoin(thread) == osOK);
}
void TC_osThreadJoin_3(void)
{
    thread = begin(ends_itself, NULL, osPriorityBelowNormal);
    CHECK(osThreadJoin(thread) == osErrorResource);
    (void)osDelay(2u);
    CHECK(osThreadJoin(thread) == osErrorParameter);
}

static void exits(void *argument)
{
    (*(uint32_t *)argument)++;
    osThreadExit();
}
void TC_osThreadExit_1(void)
{
    uint32_t count = 0u;
    thread = begin(exits, &count, osPriorityHigh);
    CHECK(count == 1u && osThreadGetState(thread) == osThreadError);
}
static void terminate(void)
{
    isr_status = osThreadTerminate(thread);
}
void TC_osThreadTerminate_1(void)
{
    thread = begin(sleeps_for_ever, NULL, osPriorityLow);
    CHECK(osThreadTerminate(thread) == osOK);
    CHECK(osThreadGetState(thread) == osThreadError);
    thread = begin(sleeps_for_ever, NULL, osPriorityHigh);
    CHECK(osThreadGetState(thread) == osThreadBlocked);
    CHECK(osThreadTerminate(thread) == osOK);
    CHECK(osThreadGetState(thread) == osThreadError);
    thread = begin(sleeps_for_ever, NULL, osPriorityHigh);
    in_isr(terminate);
    CHECK(isr_status == osErrorISR);
    CHECK(osThreadTerminate(thread) == osOK);
}

static void stack_size(void)
{
    isr_word = osThreadGetStackSize(main_thread);
}
void TC_osThreadGetStackSize_1(void)
{
    CHECK(osThreadGetStackSize(osThreadGetId()) == 2048u);
    thread = begin(ends_itself, NULL, osPriorityLow);
    CHECK(osThreadGetStackSize(thread) == 1024u);
    in_isr(stack_size);
    CHECK(isr_word == 0u);
    CHECK(osThreadGetStackSize(NULL) == 0u);
}
static void stack_space(void)
{
    isr_word = osThreadGetStackSpace(main_thread);
}
void TC_osThreadGetStackSpace_1(void)
{
    const uint32_t space = osThreadGetStackSpace(osThreadGetId());
    CHECK(space > 0u && space < 2048u);
    in_isr(stack_space);
    CHECK(isr_word == 0u);
    CHECK(osThreadGetStackSpace(NULL) == 0u);
}
static void threads(void)
{
    osThreadId_t every[4];
    isr_word = osThreadGetCount() + osThreadEnumerate(every, 4u);
}
void TC_osThreadGetCount_1(void)
{
    const osThreadId_t one = begin(sleeps_for_ever, NULL, osPriorityHigh),
                       other = begin(ends_itself, NULL, osPriorityLow);
    CHECK(osThreadGetCount() == 3u);
    CHECK(osThreadTerminate(one) == osOK && osThreadTerminate(other) == osOK);
    CHECK(osThreadGetCount() == 1u);
    isr_word = 9u;
    in_isr(threads);
    CHECK(isr_word == 0u);
}
void TC_osThreadEnumerate_1(void)
{
    osThreadId_t every[10];
    const osThreadId_t one = begin(sleeps_for_ever, NULL, osPriorityHigh),
                       other = begin(ends_itself, NULL, osPriorityLow);
    uint32_t found = 0u;
    const uint32_t count = osThreadEnumerate(every, 10u);
    for (uint32_t k = 0u; k < count; k++) {
        found += (every[k] == one) ? 1u : 0u;
        found += (every[k] == other) ? 10u : 0u;
    }
    CHECK(count == 3u && found == 11u);
    CHECK(osThreadEnumerate(every, 2u) == 2u);
    CHECK(osThreadTerminate(one) == osOK && osThreadTerminate(other) == osOK);
}

void TC_ThreadAllocation(void)
{
    osThreadId_t id[16];
    uint32_t count = 0u;
    while (count < 16u && (id[count] = begin(yields_for_ever, NULL, osPriorityNormal)) != NULL) {
        count++;
    }
    CHECK(count == 5u); /* as many as the schedule has */
    (void)osDelay(1u);
    for (uint32_t k = 0u; k < count; k++) {
        CHECK(osThreadTerminate(id[k]) == osOK);
    }
}
static void adds(void *argument)
{
    counter += (argument == NULL) ? 1u : 2u;
}
void TC_ThreadNew(void)
{
    static const osPriority_t priorities[] = {osPriorityLow, osPriorityBelowNormal, osPriorityNormal,
                                              osPriorityAboveNormal, osPriorityHigh};
    counter = 0u;
    for (uint32_t turn = 0u; turn < 2u; turn++) {
        CHECK(osKernelLock() == 0);
        for (uint32_t k = 0u; k < 5u; k++) {
            CHECK(begin(adds, (turn == 0u) ? NULL : &counter, priorities[k]) != NULL);
        }
        CHECK(counter == 5u * turn); /* nobody has run */
        (void)osKernelUnlock();
        (void)osDelay(2u);
        CHECK(counter == 5u + 10u * turn);
    }
    CHECK(begin(adds, NULL, osPriorityError) == NULL);
    CHECK(begin(adds, NULL, osPriorityHigh7) == NULL); /* which no thread of the schedule has */
}
static void instance(void *argument)
{
    (*(uint8_t *)argument)++;
    (void)osDelay(10u);
}
void TC_ThreadMultiInstance(void)
{
    uint8_t count[5] = {0u};
    for (uint32_t k = 0u; k < 5u; k++) {
        CHECK(begin(instance, &count[k], osPriorityNormal) != NULL);
    }
    (void)osDelay(20u);
    for (uint32_t k = 0u; k < 5u; k++) {
        CHECK(count[k] == 1u);
    }
}
static void counts(void *argument)
{
    (void)argument;
    for (;;) {
        counter++;
        (void)osDelay(5u);
    }
}
void TC_ThreadTerminate(void)
{
    for (uint32_t turn = 0u; turn < 2u; turn++) {
        counter = 0u;
        thread = begin(counts, NULL, osPriorityNormal);
        (void)osDelay(5u);
        CHECK(osThreadTerminate(thread) == osOK);
        const uint32_t before = counter;
        CHECK(before != 0u);
        (void)osDelay(12u);
        CHECK(counter == before);
    }
}
void TC_ThreadRestart(void)
{
    counter = 0u;
    for (uint32_t turn = 0u; turn < 2u; turn++) {
        const uint32_t before = counter;
        thread = begin(counts, NULL, osPriorityNormal);
        (void)osDelay(5u);
        CHECK(osThreadTerminate(thread) == osOK);
        CHECK(counter > before);
        (void)osDelay(1u);
    }
}
static uint32_t order;
static void notes(void *argument)
{
    order = order * 10u + (uint32_t)(uintptr_t)argument;
}
void TC_ThreadPriorityExec(void) /* in the order of priorities that the schedule gives, as none can be changed */
{
    order = 0u;
    (void)osKernelLock();
    CHECK(begin(notes, (void *)1, osPriorityLow) != NULL && begin(notes, (void *)2, osPriorityBelowNormal) != NULL);
    CHECK(begin(notes, (void *)3, osPriorityNormal) != NULL && begin(notes, (void *)4, osPriorityAboveNormal) != NULL);
    CHECK(begin(notes, (void *)5, osPriorityHigh) != NULL);
    (void)osKernelUnlock();
    (void)osDelay(2u);
    CHECK(order == 54321u);
}
static void takes_turns(void *argument)
{
    uint32_t *const result = argument;
    result[0] = ++counter;
    CHECK(osThreadYield() == osOK);
    result[1] = counter++;
    CHECK(osThreadYield() == osOK);
}
void TC_ThreadYield(void)
{
    uint32_t result[3][2];
    counter = 0u;
    for (uint32_t k = 0u; k < 3u; k++) {
        CHECK(begin(takes_turns, result[k], osPriorityNormal) != NULL);
    }
    (void)osDelay(2u);
    for (uint32_t k = 0u; k < 3u; k++) {
        CHECK(result[k][0] != result[k][1]); /* which are equal if nobody gives way */
    }
}
void TC_ThreadSuspendResume(void)
{
    uint32_t count = 0u;
    thread = begin(suspends, &count, osPriorityBelowNormal);
    for (uint32_t turn = 1u; turn <= 2u; turn++) {
        (void)osDelay(2u);
        CHECK(count == turn);
        CHECK(osThreadResume(thread) == osOK);
    }
    (void)osDelay(2u);
    CHECK(count == 3u);
}
static void returns(void *argument)
{
    (void)argument;
}
void TC_ThreadReturn(void)
{
    thread = begin(returns, NULL, osPriorityLow);
    (void)osDelay(2u);
    CHECK(osThreadTerminate(thread) == osErrorParameter);
}
void TC_ThreadExit(void)
{
    uint32_t count = 0u;
    thread = begin_joinable(exits, &count, osPriorityLow);
    CHECK(osThreadJoin(thread) == osOK && count == 1u);
}
