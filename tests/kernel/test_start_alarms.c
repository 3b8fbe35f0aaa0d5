/* SPDX-License-Identifier: Apache-2.0
 *
 * How a system with counters, alarms, hooks and two application modes starts (kernel/run/start.c): alone, or beneath rounds,
 * whose interrupts are not its own. */
#include "levels/base.h"
#include "levels/port.h"

#include "kernel/counters/alarm.h"
#include "kernel/counters/counter.h"
#include "kernel/counters/schedule_table.h"
#include "kernel/run/kernel.h"

#include "kernel/core/check.h"
#include "kernel/core/kernel.h"

#include <string.h>

enum { AUTOMATIC, OTHER, EXTENDED };
enum { WORDS = 8, UNITS = 1000, MODES = 2, MASKED = (CARILLON_MODES > 0) ? CARILLON_OSEK_ALL : CARILLON_LEVELS };
enum { RELATIVE, ABSOLUTE, ON_CELL, STOPPED };
static uint64_t stack[WORDS];
static struct carillon_osek_extended extended;
struct carillon_osek_extended carillon_extended_Second;
const struct carillon_osek_task carillon_osek_tasks[CARILLON_OSEK_TASKS] = {
    [AUTOMATIC] = {.level = 1u, .autostart = 1u},
    [OTHER] = {.level = 2u, .autostart = 2u},
    [EXTENDED] = {.level = 3u, .autostart = 3u, .extended = &extended, .stack = stack, .stack_words = WORDS},
};
struct carillon_osek_job carillon_osek_jobs[CARILLON_OSEK_TASKS];
const struct carillon_mode carillon_osek_image;
const struct carillon_store carillon_osek_forget[1];
const uint16_t carillon_osek_forget_count = 1u;
const struct carillon_store carillon_osek_enable[2];
const uint16_t carillon_osek_enable_count = 2u;
volatile uint8_t carillon_osek_hook;
volatile uint16_t carillon_osek_hook_source;
volatile uint_fast8_t carillon_osek_running;
volatile bool carillon_osek_over[CARILLON_OSEK_TASK_LEVELS + 1u];
#if !CARILLON_OSEK_UP_IS_ASKED
bool carillon_osek_up; /* nobody asks */
#endif
uint8_t carillon_osek_alarm_cells[CARILLON_OSEK_ALARMS];
const struct carillon_osek_counter carillon_osek_counters[CARILLON_OSEK_PARTS] = {
    [0] = {.max_allowed = 99u, .units = UNITS, .ticked = 1u},
    [1] = {.max_allowed = 9u, .software = 1u, .ticked = 1u}, /* nothing is to be asked of the base */
};
static const struct carillon_osek_cell cell;
const struct carillon_osek_alarm carillon_osek_alarms[CARILLON_OSEK_ALARMS] = {
    [RELATIVE] = {.autostart = 1u, .start = 5u, .cycle = 7u},
    [ABSOLUTE] = {.counter = 1u, .autostart = 2u, .absolute = 1u}, /* 0: a whole turn of its counter */
    [ON_CELL] = {.autostart = 3u, .start = 1u, .cell = &cell},
    [STOPPED] = {.start = 1u},
};

static jmp_buf ends;
void carillon_port_idle(void)
{
    note("idle");
    longjmp(ends, 1);
}
void carillon_port_halt(void)
{
    note("halt");
    longjmp(ends, 1);
}
void carillon_mode_store(const struct carillon_store *list, uint_fast16_t count)
{
    const bool forgets = list == carillon_osek_forget;
    assert_int_equal(count, forgets ? 1u : 2u);
    assert_int_equal(port.mask, MASKED);
    note(forgets ? "forget" : "enable");
}
void carillon_mode_start(const struct carillon_mode *mode)
{
    assert_ptr_equal(mode, &carillon_osek_image);
    note("cells");
}
void carillon_osek_start_expiries(void)
{
    assert_int_equal(carillon_osek_up, CARILLON_OSEK_UP_IS_ASKED);
}
void ShutdownHook(StatusType status)
{
    assert_int_equal(status, E_OS_SYS_START);
    assert_int_equal(carillon_osek_hook, IN_SYSTEM_HOOK);
    assert_int_equal(port.mask, MASKED);
    note("shutdown");
}
void StartupHook(void)
{
    assert_int_equal(carillon_osek_hook, IN_SYSTEM_HOOK);
    assert_int_equal(port.mask, MASKED);
    assert_false(carillon_osek_up);
    note("hook");
}
void carillon_osek_start_schedule_tables(AppModeType mode)
{
    assert_int_equal(mode, GetActiveApplicationMode());
    note("tables");
}
void carillon_osek_start_tables_on_cells(AppModeType mode)
{
    assert_int_equal(mode, GetActiveApplicationMode());
}
StatusType carillon_osek_activate(TaskType task)
{
    static const char *const names[] = {"first", "other", "extended"};
    assert_int_equal(carillon_osek_hook, 0u);
    note(names[task]);
    return E_OK;
}
void carillon_port_context(struct carillon_context *context, uint64_t *words, uint32_t count, carillon_vector function)
{
    (void)function;
    assert_ptr_equal(context, &extended.context);
    assert_ptr_equal(words, stack);
    assert_int_equal(count, WORDS);
}
uint8_t carillon_osek_place(void)
{
    return IN_TASK;
}
bool carillon_osek_interrupts_disabled(void)
{
    return false;
}
StatusType carillon_osek_fail(const struct carillon_osek_failure *failure, StatusType status)
{
    (void)failure;
    return status;
}

static void start(AppModeType mode)
{
    if (setjmp(ends) == 0) {
        StartOS(mode);
    }
}

static int reset(void **state)
{
    (void)port_reset(state);
    memset(carillon_osek_counter_states, 0x5A, CARILLON_OSEK_PARTS * sizeof carillon_osek_counter_states[0]);
    memset(carillon_osek_alarm_states, 0, CARILLON_OSEK_ALARMS * sizeof carillon_osek_alarm_states[0]);
    carillon_osek_up = false;
    carillon_osek_hook = 0u;
    now = 0u;
    for (uint32_t part = 0u; part < CARILLON_OSEK_PARTS; part++) {
        carillon_osek_counter_states[part].value = 0u;
    }
    return 0;
}

static uint32_t left_of(AlarmType alarm)
{
    return (uint32_t)CARILLON_OSEK_QUEUE_DISTANCE(carillon_osek_queue_of(carillon_osek_alarms[alarm].counter),
                                                  &carillon_osek_alarm_states[alarm].event);
}
static bool runs(AlarmType alarm)
{
    return carillon_event_is_queued(carillon_osek_event_of(&carillon_osek_alarm_states[alarm]));
}

#if CARILLON_MODES > 0
#define CELLS ""
#else
#define CELLS "cells "
#endif

static void each_mode_begins_its_own_tasks_and_alarms(void **state)
{
    start(0u);
    assert_log("forget hook " CELLS "first extended tables enable idle ");
    assert_int_equal(GetActiveApplicationMode(), 0u);
    assert_int_equal(carillon_osek_up, CARILLON_OSEK_UP_IS_ASKED);
    assert_true(runs(RELATIVE));
    assert_int_equal(left_of(RELATIVE), 5u);
    assert_int_equal(carillon_osek_alarm_states[RELATIVE].cycle, 7u);
    assert_false(runs(ABSOLUTE));
    assert_false(runs(ON_CELL));
    assert_false(runs(STOPPED));
    assert_int_equal(port.mask, 0u);
    (void)reset(state);
    start(1u);
    assert_log("forget hook " CELLS "other extended tables enable idle ");
    assert_int_equal(GetActiveApplicationMode(), 1u);
    assert_false(runs(RELATIVE));
    assert_true(runs(ABSOLUTE));
    assert_int_equal(left_of(ABSOLUTE), 10u);
    assert_int_equal(carillon_osek_alarm_states[ABSOLUTE].cycle, 0u);
    assert_false(runs(ON_CELL));
    (void)reset(state);
    start(MODES);
    assert_log("halt ");
}

/* What waits begins with the last tick that has passed: time 0 alone, or any tick beneath rounds, which run already. */
static void counters_begin_with_the_last_tick(void **state)
{
    (void)state;
    now = (CARILLON_MODES > 0) ? (7u * UNITS) + 300u : 300u;
    start(1u); /* without an alarm of the first counter */
    const carillon_base last = (carillon_base)(CARILLON_BASE_ORIGIN - ((CARILLON_MODES > 0) ? (7u * UNITS) : 0u));
    assert_int_equal(carillon_osek_counter_states[0].ticker.at, last);
    assert_int_equal(carillon_osek_counter_states[0].ahead, CARILLON_BASE_AHEAD / UNITS);
    assert_int_equal(carillon_osek_counter_states[1].ticker.at, (carillon_base)0x5A5A5A5Au); /* nobody asks */
}

#if CARILLON_MODES == 0
/* A start that is refused is told by the hook, with everything masked. */
static void a_start_that_is_refused_is_told(void **state)
{
    (void)state;
    if (setjmp(ends) == 0) {
        carillon_start_refuse();
    }
    assert_log("shutdown halt ");
    assert_int_equal(port.mask, CARILLON_LEVELS);
}
#endif

#define TEST(test) cmocka_unit_test_setup(test, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_mode_begins_its_own_tasks_and_alarms),
        TEST(counters_begin_with_the_last_tick),
#if CARILLON_MODES == 0
        TEST(a_start_that_is_refused_is_told),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
