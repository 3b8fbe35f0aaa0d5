/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of messages, and pools of blocks. */
#include "cases.h"

#include <string.h>

#define COUNT 16u

static osMessageQueueId_t queue;
static osMemoryPoolId_t pool;
static const char *volatile text;

static void new_queue(void)
{
    isr_pointer = osMessageQueueNew(1u, 4u, NULL);
}
void TC_osMessageQueueNew_1(void)
{
    queue = osMessageQueueNew(1u, 4u, NULL);
    CHECK(queue != NULL && osMessageQueueDelete(queue) == osOK);
    CHECK(osMessageQueueNew(0u, 4u, NULL) == NULL && osMessageQueueNew(1u, 0u, NULL) == NULL);
    CHECK(osMessageQueueNew(60000u, 60000u, NULL) == NULL);
    isr_pointer = &queue;
    in_isr(new_queue);
    CHECK(isr_pointer == NULL);
}
void TC_osMessageQueueNew_2(void)
{
    const osMessageQueueAttr_t attr = {"MessageQueue", 0u, NULL, 0u, NULL, 0u};
    queue = osMessageQueueNew(1u, 4u, &attr);
    CHECK(queue != NULL && osMessageQueueDelete(queue) == osOK);
}
void TC_osMessageQueueNew_3(void)
{
    static struct carillon_rtos_queue memory;
    static uint8_t store[osMessageQueueMemSize(1u, 4u)];
    osMessageQueueAttr_t attr = {NULL, 0u, &memory, osMessageQueueCbSize, store, sizeof store};
    queue = osMessageQueueNew(1u, 4u, &attr);
    CHECK(queue == &memory && osMessageQueueDelete(queue) == osOK);
    attr.mq_size--;
    CHECK(osMessageQueueNew(1u, 4u, &attr) == NULL);
}
static void name(void)
{
    text = osMessageQueueGetName(queue);
}
void TC_osMessageQueueGetName_1(void)
{
    osMessageQueueAttr_t attr = {NULL, 0u, NULL, 0u, NULL, 0u};
    queue = osMessageQueueNew(1u, 4u, &attr);
    CHECK(osMessageQueueGetName(queue) == NULL && osMessageQueueDelete(queue) == osOK);
    attr.name = "MessageQueue";
    queue = osMessageQueueNew(1u, 4u, &attr);
    CHECK(strcmp(osMessageQueueGetName(queue), "MessageQueue") == 0);
    text = "none";
    in_isr(name);
    CHECK(text == NULL && osMessageQueueDelete(queue) == osOK && osMessageQueueGetName(NULL) == NULL);
}
static void put(void)
{
    const uint32_t message = 3u;
    CHECK(osMessageQueuePut(queue, &message, 0u, 0u) == osOK);
    CHECK(osMessageQueuePut(queue, &message, 0u, osWaitForever) == osErrorParameter);
    CHECK(osMessageQueuePut(NULL, &message, 0u, 0u) == osErrorParameter);
}
void TC_osMessageQueuePut_1(void)
{
    uint32_t message = 2u;
    queue = osMessageQueueNew(COUNT, 4u, NULL);
    CHECK(osMessageQueuePut(queue, &message, 0u, 0u) == osOK);
    in_isr(put);
    CHECK(osMessageQueueGetCount(queue) == 2u && osMessageQueueDelete(queue) == osOK);
    CHECK(osMessageQueuePut(NULL, &message, 0u, osWaitForever) == osErrorParameter);
}
static void put_all(void)
{
    uint32_t message;
    for (message = 1u; message <= COUNT; message++) {
        CHECK(osMessageQueuePut(queue, &message, 0u, 0u) == osOK);
    }
    CHECK(osMessageQueueGetSpace(queue) == 0u);
    CHECK(osMessageQueuePut(queue, &message, 0u, 0u) == osErrorResource);
}
static void get_all(void)
{
    uint32_t message = 0u;
    for (uint32_t k = 1u; k <= COUNT; k++) {
        CHECK(osMessageQueueGet(queue, &message, NULL, 0u) == osOK && message == k);
    }
    CHECK(osMessageQueueGetSpace(queue) == COUNT);
    CHECK(osMessageQueueGet(queue, &message, NULL, 0u) == osErrorResource);
}
void TC_osMessageQueuePut_2(void)
{
    queue = osMessageQueueNew(COUNT, 4u, NULL);
    in_isr(put_all);
    get_all();
    CHECK(osMessageQueueDelete(queue) == osOK);
}
static void get(void)
{
    uint32_t message = 0u;
    CHECK(osMessageQueueGet(queue, &message, NULL, 0u) == osOK && message == 2u);
    CHECK(osMessageQueueGet(queue, &message, NULL, osWaitForever) == osErrorParameter);
    CHECK(osMessageQueueGet(NULL, &message, NULL, 0u) == osErrorParameter);
}
void TC_osMessageQueueGet_1(void)
{
    uint32_t message = 2u;
    queue = osMessageQueueNew(COUNT, 4u, NULL);
    CHECK(osMessageQueuePut(queue, &message, 0u, 0u) == osOK);
    message = 0u;
    CHECK(osMessageQueueGet(queue, &message, NULL, 0u) == osOK && message == 2u);
    CHECK(osMessageQueuePut(queue, &message, 0u, 0u) == osOK);
    in_isr(get);
    CHECK(osMessageQueueDelete(queue) == osOK);
    CHECK(osMessageQueueGet(NULL, &message, NULL, osWaitForever) == osErrorParameter);
}
void TC_osMessageQueueGet_2(void)
{
    queue = osMessageQueueNew(COUNT, 4u, NULL);
    put_all();
    in_isr(get_all);
    CHECK(osMessageQueueDelete(queue) == osOK);
}
static void sizes(void)
{
    isr_word = osMessageQueueGetCapacity(queue) * 1000000u + osMessageQueueGetMsgSize(queue) * 10000u +
               osMessageQueueGetCount(queue) * 100u + osMessageQueueGetSpace(queue);
}
static void check_sizes(void)
{
    const uint32_t message = 2u;
    queue = osMessageQueueNew(COUNT, 4u, NULL);
    CHECK(osMessageQueuePut(queue, &message, 0u, 0u) == osOK);
    sizes();
    CHECK(isr_word == 16040115u);
    isr_word = 0u;
    in_isr(sizes);
    CHECK(isr_word == 16040115u);
    CHECK(osMessageQueueDelete(queue) == osOK);
    queue = NULL;
    sizes();
    CHECK(isr_word == 0u);
}
void TC_osMessageQueueGetCapacity_1(void)
{
    check_sizes();
}
void TC_osMessageQueueGetMsgSize_1(void)
{
    check_sizes();
}
void TC_osMessageQueueGetCount_1(void)
{
    check_sizes();
}
void TC_osMessageQueueGetSpace_1(void)
{
    check_sizes();
}
static void reset(void)
{
    isr_status = osMessageQueueReset(queue);
}
void TC_osMessageQueueReset_1(void)
{
    queue = osMessageQueueNew(COUNT, 4u, NULL);
    put_all();
    CHECK(osMessageQueueReset(queue) == osOK && osMessageQueueGetSpace(queue) == COUNT);
    in_isr(reset);
    CHECK(isr_status == osErrorISR);
    CHECK(osMessageQueueDelete(queue) == osOK && osMessageQueueReset(NULL) == osErrorParameter);
}
static void delete (void)
{
    isr_status = osMessageQueueDelete(queue);
}
void TC_osMessageQueueDelete_1(void)
{
    queue = osMessageQueueNew(COUNT, 4u, NULL);
    put_all();
    in_isr(delete);
    CHECK(isr_status == osErrorISR);
    CHECK(osMessageQueueDelete(queue) == osOK && osMessageQueueDelete(NULL) == osErrorParameter);
}
void TC_MsgQAllocation(void)
{
    osMessageQueueId_t id[100];
    uint32_t made = 0u;
    while (made < 100u && (id[made] = osMessageQueueNew(4u, 4u, NULL)) != NULL) {
        made++;
    }
    CHECK(made > 5u && made < 100u);
    for (uint32_t k = 0u; k < made; k++) {
        CHECK(osMessageQueueDelete(id[k]) == osOK);
    }
}
void TC_MsgQBasic(void)
{
    uint32_t message = 9u;
    uint8_t priority = 9u;
    queue = osMessageQueueNew(COUNT, 4u, NULL);
    put_all();
    TAKES(10u, osMessageQueuePut(queue, &message, 0u, 10u) == osErrorTimeout);
    get_all();
    TAKES(10u, osMessageQueueGet(queue, &message, NULL, 10u) == osErrorTimeout);
    put_all();
    get_all();
    for (uint32_t k = 0u; k < 6u; k++) { /* of the higher priority first, and among equals in their order */
        CHECK(osMessageQueuePut(queue, &k, (uint8_t)(k / 2u), 0u) == osOK);
    }
    for (uint32_t k = 0u; k < 6u; k++) {
        CHECK(osMessageQueueGet(queue, &message, &priority, 0u) == osOK);
        CHECK(message == 4u - 2u * (k / 2u) + k % 2u && priority == message / 2u);
    }
    CHECK(osMessageQueueDelete(queue) == osOK);
}
static void waits(void *argument)
{
    uint32_t *const found = argument, message = 0u;
    (*found)++;
    CHECK(osMessageQueueGet(queue, &message, NULL, osWaitForever) == osOK);
    *found += message;
}
void TC_MsgQWait(void)
{
    uint32_t found = 0u, message = 2u;
    queue = osMessageQueueNew(COUNT, 4u, NULL);
    CHECK(begin(waits, &found, osPriorityAboveNormal) != NULL && found == 1u);
    CHECK(osMessageQueuePut(queue, &message, 0u, 0u) == osOK && found == 3u);
    CHECK(osMessageQueueGetCount(queue) == 0u && osMessageQueueDelete(queue) == osOK);
}
static void wakes(void *argument)
{
    const uint32_t message = 5u;
    (void)osDelay(10u);
    CHECK(osMessageQueuePut(queue, &message, 0u, 0u) == osOK);
    (void)argument;
}
static void frees(void *argument)
{
    uint32_t message;
    (void)osDelay(10u);
    CHECK(osMessageQueueGet(queue, &message, NULL, 0u) == osOK);
    (void)argument;
}
void TC_MsgQCheckTimeout(void)
{
    uint32_t message = 0u;
    queue = osMessageQueueNew(1u, 4u, NULL);
    (void)osDelay(1u);
    for (uint32_t turn = 0u; turn < 2u; turn++) {
        const uint32_t ticks = (turn == 0u) ? 100u : osWaitForever;
        CHECK(begin(wakes, NULL, osPriorityAboveNormal) != NULL);
        TAKES(10u, osMessageQueueGet(queue, &message, NULL, ticks) == osOK && message == 5u);
        CHECK(osMessageQueuePut(queue, &message, 0u, 0u) == osOK);
        CHECK(begin(frees, NULL, osPriorityAboveNormal) != NULL);
        TAKES(10u, osMessageQueuePut(queue, &message, 0u, ticks) == osOK);
        CHECK(osMessageQueueReset(queue) == osOK);
    }
    CHECK(osMessageQueueDelete(queue) == osOK);
}

static void new_pool(void)
{
    isr_pointer = osMemoryPoolNew(1u, 4u, NULL);
}
void TC_osMemoryPoolNew_1(void)
{
    pool = osMemoryPoolNew(4u, 12u, NULL);
    CHECK(pool != NULL && osMemoryPoolDelete(pool) == osOK);
    CHECK(osMemoryPoolNew(0u, 4u, NULL) == NULL && osMemoryPoolNew(1u, 0u, NULL) == NULL);
    isr_pointer = &pool;
    in_isr(new_pool);
    CHECK(isr_pointer == NULL);
}
void TC_osMemoryPoolNew_2(void)
{
    const osMemoryPoolAttr_t attr = {"MemoryPool", 0u, NULL, 0u, NULL, 0u};
    pool = osMemoryPoolNew(1u, 4u, &attr);
    CHECK(strcmp(osMemoryPoolGetName(pool), "MemoryPool") == 0 && osMemoryPoolDelete(pool) == osOK);
}
void TC_osMemoryPoolNew_3(void)
{
    static struct carillon_rtos_pool memory;
    static void *store[2u * osMemoryPoolMemSize(1u, 5u) / sizeof(void *)];
    osMemoryPoolAttr_t attr = {NULL, 0u, &memory, osMemoryPoolCbSize, store, sizeof store};
    pool = osMemoryPoolNew(2u, 5u, &attr);
    CHECK(pool == &memory && osMemoryPoolAlloc(pool, 0u) == store && osMemoryPoolDelete(pool) == osOK);
    attr.mp_size--;
    CHECK(osMemoryPoolNew(2u, 5u, &attr) == NULL);
}
static void pool_name(void)
{
    text = osMemoryPoolGetName(pool);
}
void TC_osMemoryPoolGetName_1(void)
{
    pool = osMemoryPoolNew(1u, 4u, NULL);
    CHECK(osMemoryPoolGetName(pool) == NULL);
    text = "none";
    in_isr(pool_name);
    CHECK(text == NULL && osMemoryPoolDelete(pool) == osOK && osMemoryPoolGetName(NULL) == NULL);
}
static void allocate(void)
{
    CHECK(osMemoryPoolAlloc(pool, 0u) != NULL);
    CHECK(osMemoryPoolAlloc(pool, osWaitForever) == NULL);
}
void TC_osMemoryPoolAlloc_1(void)
{
    pool = osMemoryPoolNew(2u, 4u, NULL);
    CHECK(osMemoryPoolAlloc(pool, 0u) != NULL);
    in_isr(allocate);
    CHECK(osMemoryPoolAlloc(pool, 0u) == NULL);
    TAKES(5u, osMemoryPoolAlloc(pool, 5u) == NULL);
    CHECK(osMemoryPoolDelete(pool) == osOK && osMemoryPoolAlloc(NULL, 0u) == NULL);
}
static void give_back(void)
{
    isr_status = osMemoryPoolFree(pool, isr_pointer);
}
void TC_osMemoryPoolFree_1(void)
{
    pool = osMemoryPoolNew(2u, 4u, NULL);
    isr_pointer = osMemoryPoolAlloc(pool, 0u);
    CHECK(osMemoryPoolFree(pool, NULL) == osErrorParameter && osMemoryPoolFree(pool, &pool) == osErrorParameter);
    CHECK(osMemoryPoolFree(pool, (uint8_t *)isr_pointer + 1) == osErrorParameter);
    CHECK(osMemoryPoolFree(pool, isr_pointer) == osOK);
    CHECK(osMemoryPoolFree(pool, isr_pointer) == osErrorResource); /* none is taken */
    isr_pointer = osMemoryPoolAlloc(pool, 0u);
    in_isr(give_back);
    CHECK(isr_status == osOK && osMemoryPoolGetCount(pool) == 0u);
    CHECK(osMemoryPoolDelete(pool) == osOK && osMemoryPoolFree(NULL, NULL) == osErrorParameter);
}
static void pool_sizes(void)
{
    isr_word = osMemoryPoolGetCapacity(pool) * 1000000u + osMemoryPoolGetBlockSize(pool) * 10000u +
               osMemoryPoolGetCount(pool) * 100u + osMemoryPoolGetSpace(pool);
}
static void check_pool_sizes(void)
{
    pool = osMemoryPoolNew(3u, 16u, NULL);
    CHECK(osMemoryPoolAlloc(pool, 0u) != NULL);
    pool_sizes();
    CHECK(isr_word == 3160102u);
    isr_word = 0u;
    in_isr(pool_sizes);
    CHECK(isr_word == 3160102u);
    CHECK(osMemoryPoolDelete(pool) == osOK);
    pool = NULL;
    pool_sizes();
    CHECK(isr_word == 0u);
}
void TC_osMemoryPoolGetCapacity_1(void)
{
    check_pool_sizes();
}
void TC_osMemoryPoolGetBlockSize_1(void)
{
    check_pool_sizes();
}
void TC_osMemoryPoolGetCount_1(void)
{
    check_pool_sizes();
}
void TC_osMemoryPoolGetSpace_1(void)
{
    check_pool_sizes();
}
static void delete_pool(void)
{
    isr_status = osMemoryPoolDelete(pool);
}
void TC_osMemoryPoolDelete_1(void)
{
    pool = osMemoryPoolNew(1u, 4u, NULL);
    in_isr(delete_pool);
    CHECK(isr_status == osErrorISR);
    CHECK(osMemoryPoolDelete(pool) == osOK && osMemoryPoolDelete(NULL) == osErrorParameter);
}
void TC_MemPoolAllocation(void)
{
    osMemoryPoolId_t id[100];
    uint32_t made = 0u;
    while (made < 100u && (id[made] = osMemoryPoolNew(4u, 4u, NULL)) != NULL) {
        made++;
    }
    CHECK(made > 5u && made < 100u);
    for (uint32_t k = 0u; k < made; k++) {
        CHECK(osMemoryPoolDelete(id[k]) == osOK);
    }
}
void TC_MemPoolAllocAndFree(void)
{
    uint32_t *block[8];
    pool = osMemoryPoolNew(8u, sizeof(uint32_t), NULL);
    for (uint32_t k = 0u; k < 8u; k++) {
        CHECK((block[k] = osMemoryPoolAlloc(pool, 0u)) != NULL);
        *block[k] = k;
    }
    CHECK(osMemoryPoolAlloc(pool, 0u) == NULL);
    for (uint32_t k = 0u; k < 8u; k++) {
        CHECK(*block[k] == k && osMemoryPoolFree(pool, block[k]) == osOK);
    }
    CHECK(osMemoryPoolGetSpace(pool) == 8u && osMemoryPoolDelete(pool) == osOK);
}
static void takes_block(void *argument)
{
    *(void **)argument = osMemoryPoolAlloc(pool, osWaitForever);
}
void TC_MemPoolAllocAndFreeComb(void)
{
    void *block[3], *found = NULL;
    pool = osMemoryPoolNew(3u, 20u, NULL);
    for (uint32_t k = 0u; k < 3u; k++) {
        block[k] = osMemoryPoolAlloc(pool, 0u);
    }
    CHECK(osMemoryPoolFree(pool, block[1]) == osOK && osMemoryPoolAlloc(pool, 0u) == block[1]);
    CHECK(begin(takes_block, &found, osPriorityHigh) != NULL && found == NULL);
    CHECK(osMemoryPoolFree(pool, block[2]) == osOK && found == block[2]);
    CHECK(osMemoryPoolGetCount(pool) == 3u && osMemoryPoolDelete(pool) == osOK);

    void *taken[8] = {NULL};
    uint32_t chance = 1u;
    pool = osMemoryPoolNew(8u, 20u, NULL);
    for (uint32_t turn = 0u; turn < 512u; turn++) {
        chance = chance * 1664525u + 1013904223u;
        void **const one = &taken[chance >> 29];
        if (*one == NULL) {
            CHECK((*one = osMemoryPoolAlloc(pool, 0u)) != NULL);
        } else {
            CHECK(osMemoryPoolFree(pool, *one) == osOK);
            *one = NULL;
        }
    }
    CHECK(osMemoryPoolDelete(pool) == osOK);
}
void TC_MemPoolZeroInit(void) /* whose blocks are filled, and given back; no call sets a block to zero */
{
    uint8_t *block[4];
    pool = osMemoryPoolNew(4u, 16u, NULL);
    for (uint32_t k = 0u; k < 4u; k++) {
        block[k] = osMemoryPoolAlloc(pool, 0u);
        memset(block[k], 0xAA, 16u);
    }
    for (uint32_t k = 0u; k < 4u; k++) {
        CHECK(osMemoryPoolFree(pool, block[k]) == osOK);
    }
    CHECK(osMemoryPoolGetCount(pool) == 0u && osMemoryPoolGetSpace(pool) == 4u && osMemoryPoolDelete(pool) == osOK);
}
