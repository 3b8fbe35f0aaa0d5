/* SPDX-License-Identifier: Apache-2.0
 *
 * Resources beside a model: who holds what, and what is masked (kernel/jobs/resource.c).  Tasks and ISRs that preempt each other
 * take and release them at random, also wrongly; and end while they hold some (kernel/jobs/isr.c). */
#include "levels/drawn.h"
#include "levels/port.h"

#include "kernel/jobs/resource.h"

#include <string.h>

enum { LOW, MIDDLE, HIGH, RUNNERS = 5 }; /* two ISRs are above the tasks */
enum { TASK_SOURCE = 16, ISR_SOURCE = 20, OTHER_SOURCE };
enum { RUNS = 60, STEPS = 3000, DEPTH = 5 };
enum { COUNT = CARILLON_OSEK_RESOURCES };

const struct carillon_osek_task carillon_osek_tasks[CARILLON_OSEK_TASKS] = {
    {.level = 1u}, {.level = 2u}, {.level = 3u}};
const uint16_t carillon_osek_contexts[CARILLON_SOURCES] = {
    [ISR_SOURCE] = CARILLON_OSEK_ISR2 | 4u,
    [OTHER_SOURCE] = CARILLON_OSEK_ISR2 | 5u,
};
const uint16_t carillon_osek_isr_sources[CARILLON_OSEK_ISRS] = {ISR_SOURCE};
const uint8_t carillon_osek_ceilings[COUNT] = {2u, 3u, 4u, 4u, 1u, 5u};
uint32_t carillon_osek_saved[COUNT];
volatile uint_fast8_t carillon_osek_running;
volatile uint8_t carillon_osek_hook;
volatile uint16_t carillon_osek_hook_source;
volatile bool carillon_osek_over[CARILLON_OSEK_TASK_LEVELS + 1u];

/* What runs, one above the other: a task by its number, or an ISR.  Each with what it masked when it began, what it holds, and
 * what was masked before each of that. */
static struct runner {
    uint8_t who, level;
    uint32_t began, held;
    uint8_t resources[COUNT];
    uint32_t before[COUNT];
} running[DEPTH];
static uint32_t depth;
static bool disabled;
static uint8_t place;
static uint32_t failures, last_failures[4], last_objects[4];

StatusType carillon_osek_fail(const struct carillon_osek_failure *failure, StatusType status)
{
    assert_true(failures < 4u);
    last_failures[failures] = status;
    last_objects[failures] = failure->object;
    failures++;
    return status;
}
uint8_t carillon_osek_place(void)
{
    return place;
}
bool carillon_osek_interrupts_disabled(void)
{
    return disabled;
}
void carillon_osek_interrupts_reset(void)
{
    disabled = false;
}

/* How many resources of a ceiling keep threads from giving way, and how many locks have begun and not ended. */
static uint32_t slices[6], locks;
#if CARILLON_OSEK_SLICES
void carillon_slice_hold(uint8_t ceiling)
{
    slices[ceiling]++;
}
void carillon_slice_let_go(uint8_t ceiling)
{
    slices[ceiling]--;
}
#endif
#if CARILLON_OSEK_LOCKS > 0
void carillon_osek_lock_begins(uint32_t lock)
{
    assert_int_equal(locks & (1u << lock), 0u);
    locks |= 1u << lock;
}
void carillon_osek_lock_ends(uint32_t lock)
{
    assert_int_equal(locks & (1u << lock), 1u << lock);
    locks &= ~(1u << lock);
}
#endif

static struct runner *now_running(void)
{
    return (depth == 0u) ? NULL : &running[depth - 1u];
}
static void go_on(void)
{
    const struct runner *const runner = now_running();
    place = (runner == NULL) ? 0u : (runner->who > HIGH) ? IN_ISR2 : IN_TASK;
    port.current = (place != IN_ISR2) ? 0u : (runner->level == 4u) ? ISR_SOURCE : OTHER_SOURCE;
    carillon_osek_running = INVALID_TASK;
    for (uint32_t k = depth; k != 0u; k--) {
        if (running[k - 1u].who <= HIGH) {
            carillon_osek_running = running[k - 1u].who;
            break;
        }
    }
}

static bool is_held(uint32_t resource)
{
    for (uint32_t k = 0u; k < depth; k++) {
        for (uint32_t i = 0u; i < running[k].held; i++) {
            if (running[k].resources[i] == resource) {
                return true;
            }
        }
    }
    return false;
}

static void check(void)
{
    const struct runner *const runner = now_running();
    assert_int_equal(failures, 0u);
    if (runner != NULL) {
        assert_int_equal(carillon_osek_holds_none(), runner->held == 0u);
    }
    uint32_t of_ceiling[6] = {0u}, begun = 0u;
    for (uint32_t k = 0u; k < depth; k++) {
        for (uint32_t i = 0u; i < running[k].held; i++) {
            of_ceiling[carillon_osek_ceilings[running[k].resources[i]]]++;
            begun |= 1u << running[k].resources[i];
        }
    }
    assert_int_equal(locks, (CARILLON_OSEK_LOCKS > 0) ? begun : 0u);
    for (uint32_t ceiling = 0u; ceiling < 6u; ceiling++) {
        assert_int_equal(slices[ceiling], (CARILLON_OSEK_SLICES != 0) ? of_ceiling[ceiling] : 0u);
    }
    assert_int_equal(port.needless, 0u);
}

static void expect(StatusType status, StatusType expected, uint32_t object)
{
    assert_int_equal(status, expected);
    if (expected != E_OK) {
        assert_int_equal(failures, 1u);
        assert_int_equal(last_failures[0], expected);
        assert_int_equal(last_objects[0], object);
    }
    failures = 0u;
}

static void preempt(void)
{
    const uint8_t who = (uint8_t)drawn(RUNNERS);
    const uint8_t level = (uint8_t)(who + 1u);
    const struct runner *const runner = now_running();
    if ((depth == DEPTH) || (level <= carillon_port_level_of(port.mask)) ||
        ((runner != NULL) && (level <= runner->level))) {
        return;
    }
    running[depth] = (struct runner){.who = who, .level = level};
    depth++;
    go_on();
    if (who > HIGH) {
        running[depth - 1u].began = carillon_begin_isr();
    } else {
        running[depth - 1u].began = port.mask;
    }
    assert_int_equal(running[depth - 1u].began, port.mask);
}

/* It ends: an ISR that has not released what it has taken, or not enabled interrupts, is told so; a task's handler is left. */
static void end(void)
{
    struct runner *const runner = now_running();
    if (runner == NULL) {
        return;
    }
    const bool holds = runner->held != 0u;
    if (runner->who > HIGH) {
        disabled = drawn(4u) == 0u;
        const bool was = disabled;
        port.mask = was ? carillon_port_mask_of(5u) : port.mask;
        const uint32_t isr = (runner->level == 4u) ? 0u : INVALID_ISR;
#if CARILLON_OSEK_LOCKS > 0
        locks = 0u;
#endif
        carillon_end_isr(runner->began);
        assert_false(disabled);
        assert_int_equal(failures, (was ? 1u : 0u) + (holds ? 1u : 0u));
        for (uint32_t k = 0u; k < failures; k++) {
            assert_int_equal(last_failures[k], (was && (k == 0u)) ? E_OS_DISABLEDINT : E_OS_RESOURCE);
            assert_int_equal(last_objects[k], isr);
        }
        failures = 0u;
        assert_int_equal(port.mask, runner->began);
        port.needless = 0u; /* it restores the mask in any case */
        assert_true(carillon_osek_holds_none());
    } else {
        carillon_osek_resources_reset(); /* what else the end of a job undoes is its handler's */
        assert_true(carillon_osek_holds_none());
        port.mask = runner->began;
        for (uint32_t i = 0u; i < runner->held; i++) {
            slices[carillon_osek_ceilings[runner->resources[i]]] -= (CARILLON_OSEK_SLICES != 0) ? 1u : 0u;
            locks &= ~(1u << runner->resources[i]);
        }
    }
    depth--;
    locks = 0u;
    for (uint32_t k = 0u; k < depth; k++) {
        for (uint32_t i = 0u; i < running[k].held; i++) {
            locks |= (CARILLON_OSEK_LOCKS > 0) ? (1u << running[k].resources[i]) : 0u;
        }
    }
    go_on();
}

static void take(void)
{
    struct runner *const runner = now_running();
    const uint32_t resource = drawn(COUNT + 1u);
    const uint32_t mask = port.mask;
    StatusType expected = E_OK;
    if (runner == NULL) {
        expected = E_OS_CALLEVEL;
    } else if (resource == COUNT) {
        expected = E_OS_ID;
    } else if (is_held(resource) || (runner->level > carillon_osek_ceilings[resource])) {
        expected = E_OS_ACCESS;
    } else {
        runner->resources[runner->held] = (uint8_t)resource;
        runner->before[runner->held] = mask;
        runner->held++;
    }
    expect(GetResource((ResourceType)resource), expected, resource);
    const uint32_t ceiling = (expected == E_OK) ? carillon_port_mask_of(carillon_osek_ceilings[resource]) : mask;
    assert_int_equal(port.mask, carillon_port_higher(mask, ceiling));
    if (expected == E_OK) {
        assert_int_equal(port.mask_before, port.mask); /* who holds it was written down locked */
    }
}

static void release(void)
{
    struct runner *const runner = now_running();
    const uint32_t mask = port.mask;
    uint32_t resource = drawn(COUNT + 1u);
    if ((runner != NULL) && (runner->held != 0u) && (drawn(2u) == 0u)) {
        resource = runner->resources[runner->held - 1u];
    }
    uint32_t after = mask;
    StatusType expected = E_OK;
    if (runner == NULL) {
        expected = E_OS_CALLEVEL;
    } else if (resource == COUNT) {
        expected = E_OS_ID;
    } else if ((runner->held != 0u) && (runner->resources[runner->held - 1u] == resource)) {
        runner->held--;
        after = runner->before[runner->held];
    } else {
        expected = E_OS_NOFUNC;
        for (uint32_t k = depth; (k > 1u) && (running[k - 1u].held == 0u); k--) { /* another's, taken last of all */
            const struct runner *const other = &running[k - 2u];
            if ((other->held != 0u) && (other->resources[other->held - 1u] == resource)) {
                expected = (runner->level > carillon_osek_ceilings[resource]) ? E_OS_ACCESS : E_OK;
            }
        }
        if (expected == E_OK) {
            return; /* nobody else runs at its ceiling: that would be the model's own fault */
        }
    }
    port.mask_before = 99u;
    expect(ReleaseResource((ResourceType)resource), expected, resource);
    assert_int_equal(port.mask, after);
    if (expected == E_OK) {
        assert_int_equal(port.mask_before, mask);
    }
}

static void resources_do_what_the_model_does(void **state)
{
    for (uint32_t run = 0u; run < RUNS; run++) {
        (void)port_reset(state);
        for (uint32_t k = 0u; k < STEPS; k++) {
            switch (drawn(6u)) {
            case 0u:
                preempt();
                break;
            case 1u:
                end();
                break;
            case 2u:
            case 3u:
                take();
                break;
            default:
                release();
                break;
            }
            check();
        }
        while (depth != 0u) {
            end();
            check();
        }
        assert_int_equal(port.mask, 0u);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(resources_do_what_the_model_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
