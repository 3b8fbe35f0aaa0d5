/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine of microcode, for a test to play the processor and the functions (native_machine.py), which also lists
 * the numbers of drivers, guards and triggers. */
#include "kernel/microcode/log.h"
#include "kernel/microcode/machine.h"

static int32_t (*test_answer)(int32_t what, int32_t number, int32_t more);
enum what { CALL, GUARD, ARM, ENABLED, RELEASED, TERMINATED, FAULT, LOGGED = FAULT + 4, MISSED };

#define DRIVER(n)                      \
    static void driver_##n(void)       \
    {                                  \
        (void)test_answer(CALL, n, 0); \
    }                                  \
    static uint16_t touches_##n[CARILLON_MICROCODE_TASKS + 1u];
#define IS_TRUE(n)                            \
    static bool guard_##n(void)               \
    {                                         \
        return test_answer(GUARD, n, 0) != 0; \
    }
static int32_t armed[CARILLON_MICROCODE_BINDINGS + 1u]; /* which number each place's arming has */
static int32_t armings;

void carillon_microcode_forget(uint32_t place)
{
    for (uint32_t k = place; k < CARILLON_MICROCODE_BINDINGS; k++) {
        armed[k] = armed[k + 1u];
    }
}

#define TRIGGER(n)                                         \
    static void arm_##n(uint32_t place)                    \
    {                                                      \
        armings++;                                         \
        armed[place] = armings;                            \
        (void)test_answer(ARM, n, armings);                \
    }                                                      \
    static bool enabled_##n(uint32_t place)                \
    {                                                      \
        return test_answer(ENABLED, n, armed[place]) != 0; \
    }
#define MISSES(n)                        \
    static void missed_##n(void)         \
    {                                    \
        (void)test_answer(MISSED, n, 0); \
    }
TEST_DRIVERS(DRIVER)
TEST_TASKS(MISSES)
TEST_GUARDS(IS_TRUE)
TEST_TRIGGERS(TRIGGER)

#define DRIVER_ROW(n) {driver_##n, touches_##n},
#define GUARD_ROW(n) guard_##n,
#define TRIGGER_ROW(n) {arm_##n, enabled_##n},
#define TOUCHES_ROW(n) touches_##n,
#define MISSED_ROW(n) missed_##n,
const struct carillon_microcode_driver carillon_microcode_drivers[] = {TEST_DRIVERS(DRIVER_ROW)};
bool (*const carillon_microcode_guards[])(void) = {TEST_GUARDS(GUARD_ROW)};
const struct carillon_microcode_trigger carillon_microcode_triggers[] = {TEST_TRIGGERS(TRIGGER_ROW)};
void (*const carillon_giotto_missed[])(void) = {TEST_TASKS(MISSED_ROW)};
static uint16_t *const touches[] = {TEST_DRIVERS(TOUCHES_ROW)};

void carillon_machine_fault(enum carillon_machine_fault fault, uint16_t task, uint16_t address)
{
    (void)test_answer((int32_t)FAULT + (int32_t)fault, task, address);
}

void carillon_machine_released(uint16_t task, uint32_t deadline)
{
    (void)test_answer(RELEASED, task, (int32_t)deadline);
}

void carillon_machine_terminated(uint16_t task)
{
    (void)test_answer(TERMINATED, task, 0);
}

void carillon_log_note(enum carillon_log_kind kind, uint16_t task, uint32_t now)
{
    (void)test_answer(LOGGED, (int32_t)(((uint32_t)kind << 16) | task), (int32_t)now);
}

void test_touches(uint32_t driver, const uint16_t *tasks);
void test_touches(uint32_t driver, const uint16_t *tasks)
{
    for (uint32_t k = 0u; k <= CARILLON_MICROCODE_TASKS; k++) {
        touches[driver][k] = tasks[k];
    }
}

void test_answers(int32_t (*answer)(int32_t what, int32_t number, int32_t more));
void test_answers(int32_t (*answer)(int32_t what, int32_t number, int32_t more))
{
    test_answer = answer;
}
