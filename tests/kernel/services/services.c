/* SPDX-License-Identifier: Apache-2.0 */
#include "services.h"

#include <stdlib.h>
#include <string.h>

struct services services;
uint32_t services_now, test_now, test_alarm_at, test_takes;

static uint64_t stacks[TASKS][4];
struct carillon_osek_extended services_extended[TASKS];
struct carillon_osek_extended carillon_extended_Second;
struct carillon_osek_ring services_ring, services_other_ring;
uint8_t services_ring_tasks[RING];
#if EVERY_LEVEL_TAKES_TURNS
struct carillon_osek_ring services_basic_ring;
static uint8_t basic_ring_tasks[RING], other_ring_tasks[RING];
#endif

#if CARILLON_OSEK_LEVEL_CELLS
/* Cells of a task's level, none of which has expired. */
static void cells(void)
{
    services.cells++;
}
#endif

#if CARILLON_OSEK_SOFTWARE
#define REQUEST(level, source) CARILLON_SOFTWARE_REQUEST(level)
#else
#define REQUEST(level, source) CARILLON_STORE_PEND(source)
#endif
#define STACK(task) .stack = stacks[task], .stack_words = 4u, .extended = &services_extended[task]
const struct carillon_osek_task carillon_osek_tasks[TASKS] = {
    [BASIC] = {.level = BASIC_LEVEL,
               .source = BASIC_SOURCE,
               .request = REQUEST(BASIC_LEVEL, BASIC_SOURCE),
               .extended = BASIC_IS_EXTENDED ? &services_extended[BASIC] : NULL},
    [FIRST] = {.level = THREADS_LEVEL,
               .source = THREADS_SOURCE,
               .request = REQUEST(THREADS_LEVEL, THREADS_SOURCE),
               STACK(FIRST),
               .activations = 1u,
               .thread = 1u},
    [SECOND] = {.level = THREADS_LEVEL,
                .source = THREADS_SOURCE,
                .request = REQUEST(THREADS_LEVEL, THREADS_SOURCE),
                STACK(SECOND),
                .activations = 1u,
                .thread = 1u},
    [ALONE] = {.level = ALONE_LEVEL,
               .source = ALONE_SOURCE,
               .request = REQUEST(ALONE_LEVEL, ALONE_SOURCE),
               STACK(ALONE),
               .activations = ALONE_IS_THREAD,
               .thread = ALONE_IS_THREAD
#if CARILLON_OSEK_LEVEL_CELLS
               ,
               .cells = cells
#endif
    },
};
const struct carillon_osek_level carillon_osek_levels[] = {
    [BASIC_LEVEL] = {.source = BASIC_SOURCE,
                     .request = REQUEST(BASIC_LEVEL, BASIC_SOURCE),
#if EVERY_LEVEL_TAKES_TURNS
                     .ring = basic_ring_tasks,
                     .capacity = RING,
                     .state = &services_basic_ring,
#endif
                     .task = BASIC},
    [THREADS_LEVEL] = {.source = THREADS_SOURCE,
                       .request = REQUEST(THREADS_LEVEL, THREADS_SOURCE),
                       .ring = services_ring_tasks,
                       .capacity = RING,
#if !CARILLON_OSEK_SOFTWARE
                       .end_slice = CARILLON_STORE_PEND(SLICE_SOURCE),
#endif
                       .state = &services_ring},
    [ALONE_LEVEL] = {.source = ALONE_SOURCE,
                     .request = REQUEST(ALONE_LEVEL, ALONE_SOURCE),
                     .task = ALONE,
#if EVERY_LEVEL_TAKES_TURNS
                     .ring = other_ring_tasks,
                     .capacity = RING,
                     .state = &services_other_ring
#elif CARILLON_OSEK_SERVERS > 1
                     .end_slice = CARILLON_STORE_PEND(OTHER_SLICE_SOURCE),
                     .state = &services_other_ring
#endif
    },
};
const uint16_t carillon_osek_contexts[CARILLON_SOURCES] = {
    [BASIC_SOURCE] = CARILLON_OSEK_TASK | BASIC_LEVEL, [THREADS_SOURCE] = CARILLON_OSEK_TASK | THREADS_LEVEL,
    [ALONE_SOURCE] = CARILLON_OSEK_TASK | ALONE_LEVEL, [ISR1_SOURCE] = CARILLON_OSEK_ISR1 | 4u,
    [ISR2_SOURCE] = CARILLON_OSEK_ISR2 | 4u,           [SLICE_SOURCE] = CARILLON_OSEK_ISR2 | (THREADS_LEVEL + 1u),
};
struct carillon_osek_job carillon_osek_jobs[TASKS];
volatile uint_fast8_t carillon_osek_running __attribute__((weak));
volatile uint8_t carillon_osek_hook;
volatile bool carillon_osek_over[CARILLON_OSEK_TASK_LEVELS + 1u];
bool carillon_osek_up;

int services_reset(void **state)
{
    (void)port_reset(state);
    memset(&services, 0, sizeof services);
    memset(services_extended, 0, sizeof services_extended);
    memset(&services_ring, 0, sizeof services_ring);
    memset(&services_other_ring, 0, sizeof services_other_ring);
#if EVERY_LEVEL_TAKES_TURNS
    memset(&services_basic_ring, 0, sizeof services_basic_ring);
#endif
    memset(services_ring_tasks, 0, sizeof services_ring_tasks);
    memset(carillon_osek_jobs, 0, sizeof carillon_osek_jobs);
    for (uint32_t task = 0u; task < TASKS; task++) {
        carillon_osek_jobs[task].next = CARILLON_OSEK_UNDECIDED;
    }
#if CARILLON_OSEK_SOFTWARE
    carillon_software = (struct carillon_software){0};
#endif
#if CARILLON_CLOCK_BASED
    carillon_clock = (struct carillon_clock){.ticker = {.queue = CARILLON_QUEUE_EMPTY(carillon_clock_queue)}};
#else
    carillon_clock = (struct carillon_clock){.queue = CARILLON_QUEUE_EMPTY(carillon_clock_queue)};
#endif
    carillon_osek_running = INVALID_TASK;
    carillon_osek_hook = 0u;
    carillon_osek_up = true;
    services.place = IN_TASK;
    services_now = 0u;
    test_now = 0u;
    test_alarm_at = 0u;
    test_takes = 0u;
    carillon_clock_start();
    return 0;
}

void services_run(TaskType task)
{
    carillon_osek_running = task;
    port.current = CARILLON_OSEK_SOFTWARE ? 0u : carillon_osek_tasks[task].source;
}

/* Where there are mutexes, a test says itself what is masked. */
void assert_unlocked(void)
{
#if CARILLON_OSEK_MUTEXES == 0
    assert_int_equal(port.mask, 0u);
#endif
    assert_int_equal(port.needless, 0u);
}

void assert_failed(StatusType status, StatusType expected, OSServiceIdType service)
{
    assert_int_equal(status, expected);
    assert_int_equal(services.failures, 1u);
    assert_int_equal(services.failure.service, service);
    assert_int_equal(services.failure.status, expected);
    if ((service == OSServiceId_Delay) || (service == OSServiceId_Suspend) || (service == OSServiceId_Calendar)) {
        assert_int_equal(services.failure.object, 0u); /* they name nothing */
    }
    services.failures = 0u;
    assert_unlocked();
}

void assert_succeeded(StatusType status)
{
    assert_int_equal(status, E_OK);
    assert_int_equal(services.failures, 0u);
    assert_unlocked();
}

void check_places(StatusType (*service)(void), OSServiceIdType id, uint8_t allowed)
{
    services.place = IN_TASK_HOOK;
    assert_failed(service(), E_OS_CALLEVEL, id);
    services.place = IN_ISR1;
    assert_failed(service(), E_OS_CALLEVEL, id);
    services.place = allowed;
    services.disables = true;
    assert_failed(service(), E_OS_DISABLEDINT, id);
    services.disables = false;
    assert_succeeded(service());
    services.place = IN_TASK;
}

void check_waits(StatusType (*service)(void), OSServiceIdType id)
{
    const uint_fast8_t task = carillon_osek_running;
    const uint32_t waits = services.waits;
    services_run(BASIC);
    assert_failed(service(), E_OS_CALLEVEL, id);
    services_run((TaskType)task);
    port.current = ISR2_SOURCE;
    assert_failed(service(), E_OS_CALLEVEL, id);
    services_run((TaskType)task);
    carillon_osek_hook = IN_TASK_HOOK;
    assert_failed(service(), E_OS_CALLEVEL, id);
    carillon_osek_hook = 0u;
    carillon_osek_running = INVALID_TASK;
    assert_failed(service(), E_OS_CALLEVEL, id);
    services_run((TaskType)task);
    services.holds = true;
    assert_failed(service(), E_OS_RESOURCE, id);
    services.holds = false;
    assert_int_equal(services.waits, waits);
    check_places(service, id, IN_TASK);
}

void check_waits_within(StatusType (*service)(void), OSServiceIdType id)
{
    const uint_fast8_t task = carillon_osek_running;
    services_run(BASIC);
    assert_failed(service(), E_OS_CALLEVEL, id);
    services_run((TaskType)task);
    services.holds = true;
    assert_failed(service(), E_OS_RESOURCE, id);
    services.holds = false;
    check_places(service, id, IN_TASK);
}

void check_waits_not(StatusType (*service)(void), OSServiceIdType id)
{
    const uint_fast8_t task = carillon_osek_running;
    services_run(BASIC);
    services.holds = true;
    assert_succeeded(service());
    services.holds = false;
    check_places(service, id, IN_ISR2);
    services_run((TaskType)task);
}

bool services_was_requested(uint16_t source)
{
#if CARILLON_OSEK_SOFTWARE
    for (uint8_t level = BASIC_LEVEL; level <= ALONE_LEVEL; level++) {
        const carillon_software_word bit = (carillon_software_word)carillon_osek_levels[level].request.value;
        if ((carillon_osek_levels[level].source == source) && ((carillon_software.pending[0] & bit) != 0u)) {
            carillon_software.pending[0] &= ~bit;
            return true;
        }
    }
#endif
    const bool was = port.pending[source];
    port.pending[source] = false;
    return was;
}

StatusType carillon_osek_fail(const struct carillon_osek_failure *failure, StatusType status)
{
    services.failures++;
    services.failure = *failure;
    services.failure.status = status;
    return status;
}

uint8_t carillon_osek_place(void)
{
    return services.place;
}

bool carillon_osek_interrupts_disabled(void)
{
    return services.disables;
}

bool carillon_osek_holds_none(void)
{
    return !services.holds;
}

__attribute__((weak)) StatusType carillon_osek_activate_locked(TaskType task)
{
    services.activated = task;
    return E_OK;
}

/* Whoever goes on where a task waits, locked, unlocks. */
static void unlock(void)
{
    port.mask = 0u;
#if CARILLON_OSEK_SOFTWARE
    carillon_software.locked = 0u;
#endif
}

/* A task that waits goes on, unlocked, once `meanwhile` has happened. */
void carillon_port_suspend(struct carillon_context *context)
{
    const struct carillon_osek_extended *const extended = carillon_osek_tasks[carillon_osek_running].extended;
    if ((port.mask != carillon_port_mask_of(CARILLON_OSEK_TOP)) || (context != &extended->context) ||
        (extended->waited == 0u)) {
        abort(); /* a failure might be reported from another stack */
    }
    unlock();
    services.waits++;
    if (services.meanwhile != NULL) {
        services.meanwhile();
    }
    unlock();
}

void carillon_port_run_preempted(carillon_vector function, uint32_t source)
{
    note((source == 0u) ? "preempted" : "preempted by source");
    function();
}

bool carillon_port_is_in(const void *frame, uint32_t source, const uint64_t *stack, uint32_t words,
                         const struct carillon_context *context)
{
    (void)source;
    (void)stack;
    (void)words;
    (void)context;
    return frame != NULL;
}

__attribute__((weak)) bool carillon_port_is_on(const uint64_t *stack, uint32_t words,
                                               const struct carillon_context *context)
{
    (void)stack;
    (void)words;
    (void)context;
    return false;
}

void carillon_osek_call_cells(carillon_vector function)
{
    function();
}

void carillon_slices_enable(void)
{
    services.wanted++;
}

void carillon_slices_disable(void)
{
    services.rested++;
}
