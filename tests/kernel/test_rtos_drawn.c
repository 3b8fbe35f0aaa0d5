/* SPDX-License-Identifier: Apache-2.0
 *
 * Flags, queues, semaphores and pools of CMSIS-RTOS2 and FreeRTOS, beside a model of each: three threads and interrupts
 * draw their calls, time passes, threads that wait are resumed, and objects are deleted.  A thread waits as long as the
 * model says, and goes on with what the model says. */
#include "rtos/threads.h"

#include "cmsis_os2.h"
#include "event_groups.h"
#include "queue.h"
#include "semphr.h"

#include <string.h>

enum { SEEDS = 40, STEPS = 400, PLACES = 3, SIZE = 3, NOBODY = 0 };

/* What a thread calls, and what it says then.  As the model has it: whether it waits, until when, and what it will say. */
struct call {
    uint32_t what, wanted, set, ticks;
    uint8_t message[SIZE + 1];
    uint8_t priority;
    uint32_t said;
    bool is_called, waits, forever;
    uint32_t until, expected;
    uint8_t expected_message[SIZE + 1];
    uint8_t expected_priority;
};
static struct call calls[TASKS];

/* An object and its model. */
struct object {
    void (*make)(void);
    void (*delete)(void);
    void (*draw)(struct call *call);
    void (*call)(struct call *call);      /* by a thread, or with no time by an interrupt */
    void (*model)(TaskType task);         /* the same; NOBODY: an interrupt */
    void (*give_up)(TaskType task);       /* it waits no more, in vain */
    uint32_t (*in_vain)(bool is_deleted); /* what it says then */
    void (*compare)(void);                /* what the object says of itself */
    struct line *lines[2];
};
static const struct object *object;

static void goes(TaskType task, uint32_t expected)
{
    calls[task].waits = false;
    calls[task].expected = expected;
}

/* In vain: it does not wait, or it waits from now on. */
static void waits(TaskType task, struct line *line, uint32_t expected)
{
    struct call *const call = &calls[task];
    if (call->ticks == 0u) {
        goes(task, expected);
        return;
    }
    call->waits = true;
    call->forever = call->ticks == FOREVER;
    call->until = services_now + call->ticks;
    line_add(line, task);
}

/* Flags. */
enum { ANY, ALL, ANY_KEEPS, ALL_KEEPS, SET, CLEAR, GET, SYNC, WAITS_NO_MORE };
static struct line wait_line;
static uint32_t flags_value;
static void *flags;
static bool is_freertos;

static void make_flags(void)
{
    flags = is_freertos ? (void *)xEventGroupCreate() : osEventFlagsNew(NULL);
    assert_non_null(flags);
    flags_value = 0u;
}

static void delete_flags(void)
{
    if (is_freertos) {
        vEventGroupDelete(flags);
    } else {
        assert_int_equal(osEventFlagsDelete(flags), osOK);
    }
}

static void draw_flags(struct call *call)
{
    call->what = draw(is_freertos ? 8u : 7u);
    call->wanted = 1u + draw(15u);
    call->set = 1u << draw(4u);
}

static void call_flags(struct call *call)
{
    const bool all = (call->what == ALL) || (call->what == ALL_KEEPS);
    const bool keeps = (call->what == ANY_KEEPS) || (call->what == ALL_KEEPS);
    const bool in_isr = carillon_rtos_in_isr();
    BaseType_t woken = 5;
    if (call->what == SET) {
        if (is_freertos && in_isr) {
            call->said = (uint32_t)xEventGroupSetBitsFromISR(flags, call->set, &woken);
            assert_int_equal(woken, pdFALSE);
        } else {
            call->said = is_freertos ? xEventGroupSetBits(flags, call->set) : osEventFlagsSet(flags, call->set);
        }
    } else if (call->what == CLEAR) {
        call->said = is_freertos ? xEventGroupClearBits(flags, call->set) : osEventFlagsClear(flags, call->set);
    } else if (call->what == GET) {
        call->said = is_freertos ? xEventGroupGetBits(flags) : osEventFlagsGet(flags);
    } else if (call->what == SYNC) {
        call->said = xEventGroupSync(flags, call->set, call->wanted, call->ticks);
    } else if (is_freertos) {
        call->said =
            xEventGroupWaitBits(flags, call->wanted, keeps ? pdFALSE : pdTRUE, all ? pdTRUE : pdFALSE, call->ticks);
    } else {
        const uint32_t options = (all ? osFlagsWaitAll : osFlagsWaitAny) | (keeps ? osFlagsNoClear : 0u);
        call->said = osEventFlagsWait(flags, call->wanted, options, call->ticks);
    }
}

static bool is_there(const struct call *call)
{
    const bool all = (call->what == ALL) || (call->what == ALL_KEEPS) || (call->what == SYNC);
    const uint32_t found = flags_value & call->wanted;
    return all ? (found == call->wanted) : (found != 0u);
}

static uint32_t taken_by(const struct call *call)
{
    return ((call->what == ANY_KEEPS) || (call->what == ALL_KEEPS)) ? 0u : call->wanted;
}

/* Flags are set: those go on for whom they suffice.  In CMSIS-RTOS2 each takes its own before the next one looks; in
 * FreeRTOS all look first. */
static void set_model(uint32_t set)
{
    uint32_t taken = 0u;
    flags_value |= set;
    for (uint32_t k = 0u; k < wait_line.count;) {
        const TaskType task = wait_line.who[k];
        if (!is_there(&calls[task])) {
            k++;
            continue;
        }
        goes(task, flags_value);
        line_remove(&wait_line, task);
        taken |= taken_by(&calls[task]);
        if (!is_freertos) {
            flags_value &= ~taken;
        }
    }
    flags_value &= ~taken;
}

static void model_flags(TaskType task)
{
    struct call *const call = &calls[task];
    const uint32_t before = flags_value;
    if (call->what == SET) {
        set_model(call->set);
        goes(task, (is_freertos && (task == NOBODY)) ? (uint32_t)pdPASS : flags_value);
    } else if (call->what == CLEAR) {
        flags_value &= ~call->set;
        goes(task, before);
    } else if (call->what == GET) {
        goes(task, before);
    } else {
        bool found = is_there(call);
        uint32_t value = before;
        if (call->what == SYNC) {
            flags_value |= call->set;
            value = flags_value;
            found = is_there(call);
            set_model(0u);
        }
        if (found) {
            flags_value &= ~taken_by(call);
            goes(task, value);
        } else {
            waits(task, &wait_line, is_freertos ? flags_value : osFlagsErrorResource);
        }
    }
}

static uint32_t flags_in_vain(bool is_deleted)
{
    if (is_freertos) {
        return is_deleted ? 0u : flags_value;
    }
    return is_deleted ? osFlagsErrorResource : osFlagsErrorTimeout;
}

static void compare_flags(void)
{
    assert_int_equal(osEventFlagsGet(flags), flags_value);
}

static void give_up_flags(TaskType task)
{
    line_remove(&wait_line, task);
}

static const struct object flags_object = {make_flags,    delete_flags,  draw_flags,    call_flags,  model_flags,
                                           give_up_flags, flags_in_vain, compare_flags, {&wait_line}};

/* Queues. */
enum { PUT, PUT_FRONT, RECEIVE, PEEK, RESET, OVERWRITE };
static struct line receivers, senders;
static void *queue;
static uint32_t most, count;
static struct {
    uint8_t message[SIZE];
    uint8_t priority;
} places[PLACES];

static void make_queue(void)
{
    most = 1u + draw(PLACES);
    queue = is_freertos ? (void *)xQueueCreate(most, SIZE) : osMessageQueueNew(most, SIZE, NULL);
    assert_non_null(queue);
    count = 0u;
}

static void delete_queue(void)
{
    if (is_freertos) {
        vQueueDelete(queue);
    } else {
        assert_int_equal(osMessageQueueDelete(queue), osOK);
    }
}

static void draw_queue(struct call *call)
{
    static const uint8_t of_cmsis[] = {PUT, PUT, PUT, RECEIVE, RECEIVE, RECEIVE, RESET};
    static const uint8_t of_freertos[] = {PUT, PUT, PUT_FRONT, RECEIVE, RECEIVE, PEEK, OVERWRITE};
    const uint32_t which = draw(sizeof of_cmsis);
    call->what = is_freertos ? of_freertos[which] : of_cmsis[which];
    if (((call->what == OVERWRITE) && (most != 1u)) || ((call->what == RESET) && (draw(4u) != 0u))) {
        call->what = PUT;
    }
    for (uint32_t k = 0u; k < SIZE; k++) {
        call->message[k] = (uint8_t)draw(256u);
    }
    call->message[SIZE] = 99u;
    call->priority = (uint8_t)(draw(3u) * 100u);
}

static void call_freertos_queue(struct call *call)
{
    const bool in_isr = carillon_rtos_in_isr();
    BaseType_t woken = in_isr ? 5 : pdFALSE;
    BaseType_t said = pdFALSE;
    if (call->what == PUT) {
        said = in_isr ? xQueueSendFromISR(queue, call->message, &woken) : xQueueSend(queue, call->message, call->ticks);
    } else if (call->what == PUT_FRONT) {
        said = in_isr ? xQueueSendToFrontFromISR(queue, call->message, &woken)
                      : xQueueSendToFront(queue, call->message, call->ticks);
    } else if (call->what == RECEIVE) {
        said = in_isr ? xQueueReceiveFromISR(queue, call->message, &woken)
                      : xQueueReceive(queue, call->message, call->ticks);
    } else if (call->what == PEEK) {
        woken = pdFALSE;
        said = in_isr ? xQueuePeekFromISR(queue, call->message) : xQueuePeek(queue, call->message, call->ticks);
    } else {
        said = in_isr ? xQueueOverwriteFromISR(queue, call->message, &woken) : xQueueOverwrite(queue, call->message);
    }
    assert_int_equal(woken, pdFALSE);
    call->said = (said == pdTRUE) ? 0u : 1u;
}

static void call_queue(struct call *call)
{
    if (is_freertos) {
        call_freertos_queue(call);
    } else if (call->what == PUT) {
        call->said = (uint32_t)osMessageQueuePut(queue, call->message, call->priority, call->ticks);
    } else if (call->what == RECEIVE) {
        call->said = (uint32_t)osMessageQueueGet(queue, call->message, &call->priority, call->ticks);
    } else {
        call->said = (uint32_t)osMessageQueueReset(queue);
    }
}

static void receives(TaskType task, const uint8_t *message, uint8_t priority)
{
    memcpy(calls[task].expected_message, message, SIZE);
    calls[task].expected_priority = is_freertos ? calls[task].priority : priority;
    goes(task, 0u);
}

static void insert_model(const struct call *call)
{
    uint32_t place = count;
    if (call->what == PUT_FRONT) {
        place = 0u;
    } else if (!is_freertos) {
        while ((place > 0u) && (places[place - 1u].priority < call->priority)) {
            place--;
        }
    }
    memmove(&places[place + 1u], &places[place], (count - place) * sizeof places[0]);
    memcpy(places[place].message, call->message, SIZE);
    places[place].priority = call->priority;
    count++;
}

static void send_model(TaskType task)
{
    const struct call *const call = &calls[task];
    while (receivers.count != 0u) {
        const TaskType receiver = receivers.who[0];
        line_remove(&receivers, receiver);
        receives(receiver, call->message, call->priority);
        if (calls[receiver].what == RECEIVE) {
            goes(task, 0u);
            return;
        }
    }
    if (call->what == OVERWRITE) {
        count = 0u;
    }
    if (count == most) {
        waits(task, &senders, is_freertos ? 1u : (uint32_t)osErrorResource);
        return;
    }
    insert_model(call);
    goes(task, 0u);
}

static void refill_model(void)
{
    while ((senders.count != 0u) && (count != most)) {
        const TaskType sender = senders.who[0];
        line_remove(&senders, sender);
        insert_model(&calls[sender]);
        goes(sender, 0u);
    }
}

static void model_queue(TaskType task)
{
    struct call *const call = &calls[task];
    memcpy(call->expected_message, call->message, SIZE + 1u);
    call->expected_priority = call->priority;
    if ((call->what == RECEIVE) || (call->what == PEEK)) {
        if (count == 0u) {
            waits(task, &receivers, is_freertos ? 1u : (uint32_t)osErrorResource);
            return;
        }
        receives(task, places[0].message, places[0].priority);
        if (call->what == RECEIVE) {
            count--;
            memmove(&places[0], &places[1], count * sizeof places[0]);
            refill_model();
        }
    } else if (call->what == RESET) {
        if (task == NOBODY) {
            goes(task, (uint32_t)osErrorISR);
            return;
        }
        count = 0u;
        refill_model();
        goes(task, 0u);
    } else {
        send_model(task);
    }
}

static uint32_t queue_in_vain(bool is_deleted)
{
    if (is_freertos) {
        return 1u;
    }
    return (uint32_t)(is_deleted ? osErrorResource : osErrorTimeout);
}

static void give_up_queue(TaskType task)
{
    line_remove(&receivers, task);
    line_remove(&senders, task);
}

static void compare_queue(void)
{
    assert_int_equal(osMessageQueueGetCount(queue), count);
    assert_int_equal(osMessageQueueGetSpace(queue), most - count);
    assert_int_equal(uxQueueMessagesWaiting(queue), count);
    assert_int_equal(uxQueueSpacesAvailable(queue), most - count);
    assert_int_equal(xQueueIsQueueEmptyFromISR(queue), (count == 0u) ? pdTRUE : pdFALSE);
    assert_int_equal(xQueueIsQueueFullFromISR(queue), (count == most) ? pdTRUE : pdFALSE);
}

static const struct object queue_object = {make_queue,    delete_queue,  draw_queue,
                                           call_queue,    model_queue,   give_up_queue,
                                           queue_in_vain, compare_queue, {&receivers, &senders}};

/* Semaphores and pools: units, or blocks. */
enum { TAKE, GIVE };
static void *semaphore, *pool;
static uint32_t units;
static uint8_t *blocks[PLACES];
static TaskType has_block[PLACES]; /* NOBODY: it is free; TASKS: an interrupt has taken it */

static void make_semaphore(void)
{
    most = 1u + draw(PLACES);
    units = draw(most + 1u);
    semaphore = is_freertos ? xSemaphoreCreateCounting(most, units) : osSemaphoreNew(most, units, NULL);
    assert_non_null(semaphore);
}

static void delete_semaphore(void)
{
    if (is_freertos) {
        vSemaphoreDelete(semaphore);
    } else {
        assert_int_equal(osSemaphoreDelete(semaphore), osOK);
    }
}

static void draw_semaphore(struct call *call)
{
    call->what = draw(2u);
}

static void call_semaphore(struct call *call)
{
    const bool in_isr = carillon_rtos_in_isr();
    if (is_freertos) {
        BaseType_t woken = in_isr ? 5 : pdFALSE;
        BaseType_t said;
        if (call->what == TAKE) {
            said = in_isr ? xSemaphoreTakeFromISR(semaphore, &woken) : xSemaphoreTake(semaphore, call->ticks);
        } else {
            said = in_isr ? xSemaphoreGiveFromISR(semaphore, &woken) : xSemaphoreGive(semaphore);
        }
        assert_int_equal(woken, pdFALSE);
        call->said = (said == pdTRUE) ? 0u : 1u;
        return;
    }
    call->said =
        (uint32_t)((call->what == TAKE) ? osSemaphoreAcquire(semaphore, call->ticks) : osSemaphoreRelease(semaphore));
}

static void model_semaphore(TaskType task)
{
    const uint32_t failed = is_freertos ? 1u : (uint32_t)osErrorResource;
    if (calls[task].what == TAKE) {
        if (units == 0u) {
            waits(task, &wait_line, failed);
            return;
        }
        units--;
        goes(task, 0u);
    } else if (wait_line.count != 0u) {
        const TaskType first = wait_line.who[0];
        line_remove(&wait_line, first);
        goes(first, 0u);
        goes(task, 0u);
    } else if (units == most) {
        goes(task, failed);
    } else {
        units++;
        goes(task, 0u);
    }
}

static void compare_semaphore(void)
{
    assert_int_equal(osSemaphoreGetCount(semaphore), units);
    assert_int_equal(uxSemaphoreGetCount(semaphore), units);
}

static const struct object semaphore_object = {make_semaphore, delete_semaphore,  draw_semaphore,
                                               call_semaphore, model_semaphore,   give_up_flags,
                                               queue_in_vain,  compare_semaphore, {&wait_line}};

static void make_pool(void)
{
    most = 1u + draw(PLACES);
    pool = osMemoryPoolNew(most, 5u, NULL);
    assert_non_null(pool);
    for (uint32_t k = 0u; k < most; k++) { /* which blocks it has is its own */
        blocks[k] = osMemoryPoolAlloc(pool, 0u);
        assert_non_null(blocks[k]);
        assert_int_equal((uintptr_t)blocks[k] % sizeof(void *), 0u);
        memset(blocks[k], 0xFF, osMemoryPoolGetBlockSize(pool));
        has_block[k] = TASKS;
    }
    assert_null(osMemoryPoolAlloc(pool, 0u));
    for (uint32_t k = 0u; k < most; k++) {
        has_block[k] = NOBODY;
        assert_int_equal(osMemoryPoolFree(pool, blocks[k]), osOK);
    }
    units = most;
}

static void delete_pool(void)
{
    assert_int_equal(osMemoryPoolDelete(pool), osOK);
}

static void draw_pool(struct call *call)
{
    call->what = draw(2u);
    call->set = draw(most);
    if ((call->what == GIVE) && (has_block[call->set] == NOBODY)) {
        call->what = TAKE;
    }
}

static void call_pool(struct call *call)
{
    if (call->what == GIVE) {
        call->said = (uint32_t)osMemoryPoolFree(pool, blocks[call->set]);
        return;
    }
    uint8_t *const block = osMemoryPoolAlloc(pool, call->ticks);
    call->said = 0u;
    for (uint32_t k = 0u; (block != NULL) && (k < most); k++) {
        if (blocks[k] == block) {
            call->said = k + 1u;
            memset(block, 0xFF, 8u);
        }
    }
    if ((block != NULL) && (call->expected == 100u) && (call->said != 0u)) { /* any that is free */
        assert_int_equal(has_block[call->said - 1u], NOBODY);
        has_block[call->said - 1u] = TASKS;
        call->expected = call->said;
    }
}

static void model_pool(TaskType task)
{
    struct call *const call = &calls[task];
    if (call->what == TAKE) {
        if (units == 0u) {
            waits(task, &wait_line, 0u);
            return;
        }
        units--;
        goes(task, 100u);
    } else if (wait_line.count != 0u) {
        const TaskType first = wait_line.who[0];
        line_remove(&wait_line, first);
        goes(first, call->set + 1u);
        goes(task, 0u);
    } else {
        has_block[call->set] = NOBODY;
        units++;
        goes(task, 0u);
    }
}

static uint32_t pool_in_vain(bool is_deleted)
{
    (void)is_deleted;
    return 0u;
}

static void compare_pool(void)
{
    assert_int_equal(osMemoryPoolGetCount(pool), most - units);
    assert_int_equal(osMemoryPoolGetSpace(pool), units);
    assert_int_equal(osMemoryPoolGetCapacity(pool), most);
}

static const struct object pool_object = {make_pool,     delete_pool,  draw_pool,    call_pool,   model_pool,
                                          give_up_flags, pool_in_vain, compare_pool, {&wait_line}};

/* The run. */
static void called(void)
{
    object->call(&calls[carillon_osek_running]);
}

static void check_said(const struct call *call)
{
    assert_int_equal(call->said, call->expected);
    if (object == &queue_object) {
        assert_memory_equal(call->message, call->expected_message, SIZE + 1u);
        assert_int_equal(call->priority, call->expected_priority);
    }
}

/* Who waits as the model says does so, and who does not any more goes on. */
static void settle(void)
{
    for (TaskType task = FIRST; task < TASKS; task++) {
        struct call *const call = &calls[task];
        if (!call->is_called) {
            continue;
        }
        assert_int_equal(threads_is_woken(task), !call->waits);
        if (!call->waits) {
            assert_int_equal(threads_go_on(task), DONE);
            call->is_called = false;
            check_said(call);
        }
    }
    object->compare();
}

static void gives_up(TaskType task, bool is_deleted)
{
    object->give_up(task);
    goes(task, object->in_vain(is_deleted));
}

static void draw_call(TaskType task)
{
    static const uint32_t times[] = {0u, 1u, 2u, 5u, FOREVER};
    struct call *const call = &calls[task];
    memset(call, 0, sizeof *call);
    object->draw(call);
    call->ticks = (task == NOBODY) ? 0u : times[draw(5u)];
    object->model(task);
}

static void thread_calls(TaskType task)
{
    struct call *const call = &calls[task];
    if (call->is_called) {
        return;
    }
    draw_call(task);
    assert_int_equal(threads_call(task, called), call->waits ? WAITS : DONE);
    call->is_called = call->waits;
    if (!call->waits) {
        check_said(call);
    }
}

static void interrupt_calls(void)
{
    draw_call(NOBODY);
    port.needless = 0u;
    object->call(&calls[NOBODY]);
    assert_int_equal(port.mask, 0u);
    assert_int_equal(port.needless, 0u);
    check_said(&calls[NOBODY]);
}

static void time_passes(void)
{
    threads_pass(1u);
    for (TaskType task = FIRST; task < TASKS; task++) {
        const struct call *const call = &calls[task];
        if (call->is_called && call->waits && !call->forever && (call->until == services_now)) {
            gives_up(task, false);
        }
    }
}

static uint32_t said_by_main;
static TaskType resumed;
static void resume(void)
{
    said_by_main = (uint32_t)osThreadResume(&carillon_rtos_threads[resumed]);
}
static void delete (void)
{
    object->delete ();
}

/* A thread that runs resumes another, or deletes the object and makes a new one. */
static void thread_interferes(TaskType task)
{
    if (calls[task].is_called) {
        return;
    }
    if (draw(3u) == 0u) {
        for (TaskType each = FIRST; each < TASKS; each++) {
            if (calls[each].is_called) {
                gives_up(each, true);
            }
        }
        if (object == &flags_object) {
            flags_value = 0u;
        }
        assert_int_equal(threads_call(task, delete), DONE);
        threads_interrupt(INVALID_TASK);
        for (TaskType each = FIRST; each < TASKS; each++) {
            if (calls[each].is_called) {
                assert_int_equal(threads_go_on(each), DONE);
                calls[each].is_called = false;
                check_said(&calls[each]);
            }
        }
        services_run(task);
        object->make();
        threads_interrupt(INVALID_TASK);
        return;
    }
    resumed = (TaskType)(FIRST + draw(THREADS));
    const bool waited = calls[resumed].is_called;
    if (waited) {
        gives_up(resumed, false);
    }
    assert_int_equal(threads_call(task, resume), DONE);
    assert_int_equal(said_by_main, (uint32_t)(waited ? osOK : osErrorResource));
}

static void end_run(void)
{
    for (TaskType each = FIRST; each < TASKS; each++) {
        calls[each].is_called = false;
    }
    services_run(FIRST);
    object->delete ();
    for (uint32_t k = 0u; (k < 2u) && (object->lines[k] != NULL); k++) {
        object->lines[k]->count = 0u;
    }
}

static void run(void **state, const struct object *of, bool freertos)
{
    object = of;
    is_freertos = freertos;
    for (uint32_t seed = 0u; seed < SEEDS; seed++) {
        (void)threads_reset(state);
        draw_from(seed);
        services_run(FIRST);
        object->make();
        threads_interrupt(INVALID_TASK);
        for (uint32_t step = 0u; step < STEPS; step++) {
            const uint32_t choice = draw(12u);
            const TaskType task = (TaskType)(FIRST + draw(THREADS));
            if (choice < 6u) {
                thread_calls(task);
            } else if (choice < 8u) {
                interrupt_calls();
            } else if (choice < 11u) {
                time_passes();
            } else {
                thread_interferes(task);
            }
            settle();
        }
        end_run();
    }
}

static void t_event_flags(void **state)
{
    run(state, &flags_object, false);
}
static void t_event_groups(void **state)
{
    run(state, &flags_object, true);
}
static void t_message_queues(void **state)
{
    run(state, &queue_object, false);
}
static void t_queues(void **state)
{
    run(state, &queue_object, true);
}
static void t_semaphores(void **state)
{
    run(state, &semaphore_object, false);
    run(state, &semaphore_object, true);
}
static void t_pools(void **state)
{
    run(state, &pool_object, false);
}

/* The heap is there for who takes from it first. */
static void t_first(void **state)
{
    (void)state;
    void *const first = pvPortMalloc(1u);
    assert_non_null(first);
    vPortFree(first);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, threads_reset, threads_clean)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t_first), TEST(t_event_flags), TEST(t_event_groups), TEST(t_message_queues), TEST(t_queues),
        TEST(t_semaphores),        TEST(t_pools)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
