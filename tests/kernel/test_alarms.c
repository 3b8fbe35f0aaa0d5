/* SPDX-License-Identifier: Apache-2.0
 *
 * Alarms in the queues of counters whose ticks a time base tells (kernel/counters/alarm.c, counter.c and expiry.c): chapter
 * 13.6 of OSEK/VDX OS 2.2.3.  The counter's handler has the kernel's level, or that of the tasks that its alarms wake,
 * which may be direct ones.  Ticks come one by one, or are held back. */
#include "levels/base.h"
#include "levels/port.h"

#include "kernel/counters/alarm.h"
#include "kernel/counters/expiry.h"

#include <stdio.h>
#include <string.h>

/* A counter that the base tells, and one that nothing advances. */
enum { COUNTED, UNTICKED };
/* Alarms of the first; the last has a cell, of the second. */
enum { ALARM, OF_DIRECT, ON_CELL };
enum { TASK, DIRECT, TASKS };
enum { LEVEL = 2, TASK_SOURCE = 16, DIRECT_SOURCE, CELL_STOP = 0x5000, CELL_COUNTER = 0x5004 };
#define UNITS ((CARILLON_BASE_BITS > 16) ? 1000u : 10u)
#define MOST_TICKS UINT32_C(0xFFFFFFFF)
#define LEVELED (CARILLON_OSEK_LEVEL_COUNTERS != 0)

const struct carillon_osek_task carillon_osek_tasks[TASKS] = {
    [TASK] = {.level = LEVEL, .source = TASK_SOURCE},
    [DIRECT] = {.level = LEVEL, .source = DIRECT_SOURCE, .direct = 1u},
};
struct carillon_osek_job carillon_osek_jobs[TASKS];
const struct carillon_osek_level carillon_osek_levels[LEVEL + 1u];
struct carillon_osek_extended carillon_extended_Second;
volatile uint_fast8_t carillon_osek_running;
volatile uint8_t carillon_osek_hook;
volatile uint16_t carillon_osek_hook_source;
volatile bool carillon_osek_over[CARILLON_OSEK_TASK_LEVELS + 1u];
const struct carillon_osek_counter carillon_osek_counters[CARILLON_OSEK_PARTS] = {
    [COUNTED] = {.max_allowed = MOST_TICKS,
                 .ticks_per_base = 1u,
                 .min_cycle = 1u,
                 .units = UNITS,
                 .ticked = 1u,
                 .leveled = LEVELED},
    [UNTICKED] = {.max_allowed = 99u, .ticks_per_base = 7u, .min_cycle = 5u},
};
static const struct carillon_store stop[] = {CARILLON_STORE(CELL_STOP, 1u)};
static const struct carillon_osek_cell cell = {
    .counter = CELL_COUNTER, .units = 4u, .stop = stop, .stop_count = 1u, .ticks = UNITS};
const struct carillon_osek_alarm carillon_osek_alarms[CARILLON_OSEK_ALARMS] = {
    [ALARM] = {.counter = COUNTED, .action = CARILLON_ACTION_ACTIVATE, .object = TASK},
    [OF_DIRECT] = {.counter = COUNTED, .action = CARILLON_ACTION_ACTIVATE, .object = DIRECT},
    [ON_CELL] = {.counter = UNTICKED,
                 .action = CARILLON_ACTION_ACTIVATE,
                 .object = TASK,
                 .cell = &cell,
                 .start = 3u,
                 .cycle = 10u},
};

static void (*meanwhile)(void);

static uint32_t tick_now(void)
{
    return (uint32_t)(now / UNITS);
}

StatusType carillon_osek_activate_locked(TaskType task)
{
    char word[24];
    (void)snprintf(word, sizeof word, "%s@%u", (task == DIRECT) ? "direct" : "task",
                   (unsigned)carillon_osek_counter_states[COUNTED].value);
    note(word);
    if (meanwhile != NULL) {
        meanwhile();
    }
    return E_OK;
}

void carillon_osek_set(TaskType task, EventMaskType mask)
{
    (void)task;
    (void)mask;
}

void carillon_osek_call_cells(carillon_vector cells)
{
    (void)cells;
}

static struct carillon_osek_failure failed;
StatusType carillon_osek_fail(const struct carillon_osek_failure *failure, StatusType status)
{
    failed = *failure;
    failed.status = status;
    return status;
}

void carillon_osek_cell_fails(uint8_t action, TaskType object, EventMaskType event, StatusType status)
{
    (void)action;
    (void)object;
    (void)event;
    (void)status;
    fail_msg("a cell fails");
}

uint8_t carillon_osek_place(void)
{
    return IN_TASK;
}

bool carillon_osek_interrupts_disabled(void)
{
    return false;
}

/* As StartOS has it. */
static int reset(void **state)
{
    (void)port_reset(state);
    memset(carillon_osek_counter_states, 0, CARILLON_OSEK_PARTS * sizeof carillon_osek_counter_states[0]);
    memset(carillon_osek_alarm_states, 0, CARILLON_OSEK_ALARMS * sizeof carillon_osek_alarm_states[0]);
    memset(&failed, 0, sizeof failed);
    carillon_osek_alarm_cells[ON_CELL] = CARILLON_OSEK_ON_CELL;
    carillon_osek_hook = 0u;
    now = 0u;
    meanwhile = NULL;
    for (CounterType part = 0u; part < CARILLON_OSEK_PARTS; part++) {
        carillon_queue_init(carillon_osek_queue_of(part));
        carillon_osek_counter_states[part].ticker.at = (carillon_base)CARILLON_BASE_ORIGIN;
    }
    carillon_osek_look_ahead(COUNTED);
    carillon_osek_start_expiries();
    return 0;
}

/* The handler of the counter's cell. */
static void handle(AlarmType only)
{
#if CARILLON_OSEK_LEVEL_COUNTERS
    carillon_osek_level_tick(COUNTED, only);
#else
    port.mask = carillon_port_mask_of(CARILLON_OSEK_TOP);
    carillon_osek_tick_over(COUNTED, only);
    port.mask = 0u;
#endif
    assert_int_equal(port.mask, 0u);
}

/* So many ticks pass, with their handlers, or without. */
static void pass(uint32_t ticks, AlarmType only)
{
    for (uint32_t i = 0u; i < ticks; i++) {
        now += UNITS;
        handle(only);
    }
}
static void hold_back(uint32_t ticks)
{
    now += (uint64_t)ticks * UNITS;
}

static TickType left_of(AlarmType alarm)
{
    TickType left = 12345u;
    assert_int_equal(GetAlarm(alarm, &left), E_OK);
    return left;
}

/* Each expiry comes in its own tick, whichever way the handler takes: it knows the only alarm, or does not. */
static void check_cyclic(AlarmType only)
{
    assert_int_equal(SetRelAlarm(ALARM, 3u, 5u), E_OK);
    pass(2u, only);
    assert_log("");
    assert_int_equal(left_of(ALARM), 1u);
    pass(11u, only);
    assert_log("task@3 task@8 task@13 ");
    assert_int_equal(left_of(ALARM), 5u);
    assert_int_equal(CancelAlarm(ALARM), E_OK);
    pass(10u, only);
    assert_log("");
}

static void a_cyclic_alarm_expires_in_its_ticks(void **state)
{
    (void)state;
    check_cyclic(CARILLON_OSEK_NO_ALARM);
    (void)reset(state);
    check_cyclic(ALARM);
}

static void an_alarm_without_cycle_expires_once(void **state)
{
    (void)state;
    assert_int_equal(SetRelAlarm(ALARM, 3u, 0u), E_OK);
    pass(10u, ALARM);
    assert_log("task@3 ");
    TickType left = 0u;
    assert_int_equal(GetAlarm(ALARM, &left), E_OS_NOFUNC);
}

static void an_alarm_for_a_value_expires_at_that(void **state)
{
    (void)state;
    pass(4u, ALARM);
    assert_int_equal(SetAbsAlarm(ALARM, 7u, 2u), E_OK);
    pass(6u, ALARM);
    assert_log("task@7 task@9 ");
    assert_int_equal(SetAbsAlarm(ALARM, 1u, 0u), E_OS_STATE);
}

/* The handler comes late: each expiry is served in its own tick all the same, and the ones after it stay in step. */
static void expiries_that_are_held_back_are_not_lost(void **state)
{
    (void)state;
    assert_int_equal(SetRelAlarm(ALARM, 3u, 5u), E_OK);
    hold_back(14u);
    handle(ALARM);
    assert_log("task@3 task@8 task@13 ");
    pass(4u, ALARM);
    assert_log("task@18 ");
}

/* What is due and held back: an alarm without cycle has nothing left, and a cyclic one what is left to the next expiry.
 * Where whoever asks may come before the handler of the alarm's level, it is served first. */
static void an_alarm_that_is_held_back_has_the_time_to_its_next_expiry(void **state)
{
    (void)state;
    assert_int_equal(SetRelAlarm(ALARM, 3u, 5u), E_OK);
    hold_back(4u);
    assert_int_equal(left_of(ALARM), 4u);
    assert_log(LEVELED ? "task@3 " : "");
    (void)reset(state);
    assert_int_equal(SetRelAlarm(ALARM, 3u, 0u), E_OK);
    hold_back(4u);
    TickType left = 77u;
    assert_int_equal(GetAlarm(ALARM, &left), LEVELED ? E_OS_NOFUNC : E_OK);
    assert_int_equal(left, LEVELED ? 77u : 0u);
    assert_log(LEVELED ? "task@3 " : "");
    handle(ALARM);
    assert_log(LEVELED ? "" : "task@3 ");
}

#if CARILLON_OSEK_LEVEL_COUNTERS
/* In the error hook nothing is served, as an error could not be told. */
static void in_the_error_hook_nothing_is_served(void **state)
{
    (void)state;
    assert_int_equal(SetRelAlarm(ALARM, 3u, 5u), E_OK);
    hold_back(4u);
    carillon_osek_hook = IN_ERROR_HOOK;
    assert_int_equal(left_of(ALARM), 4u);
    assert_log("");
    carillon_osek_hook = IN_TASK_HOOK;
    assert_int_equal(left_of(ALARM), 4u);
    assert_log("task@3 ");
}

/* While the counter serves what is due, nobody begins to serve it again: the second expiry follows the first. */
static void ask_for_alarm(void)
{
    note("ask");
    assert_int_equal(left_of(ALARM), 5u); /* it is 8: the next is at 13 */
    note("asked");
}
static void be_late_and_ask(void)
{
    meanwhile = NULL;
    hold_back(5u);
    assert_int_equal(left_of(ALARM), 5u);
    note("asked");
}
static void what_falls_due_while_the_first_is_served_comes_after_it(void **state)
{
    (void)state;
    assert_int_equal(SetRelAlarm(ALARM, 3u, 5u), E_OK);
    pass(2u, ALARM);
    meanwhile = be_late_and_ask;
    pass(1u, ALARM);
    assert_log("task@3 asked ");
    handle(ALARM);
    assert_log("task@8 ");
    assert_int_equal(left_of(ALARM), 5u); /* now it is asked for with nothing being served */
    hold_back(5u);
    assert_int_equal(left_of(ALARM), 5u);
    assert_log("task@13 ");
}
static void what_is_being_served_is_not_served_again(void **state)
{
    (void)state;
    meanwhile = ask_for_alarm;
    assert_int_equal(SetRelAlarm(ALARM, 3u, 5u), E_OK);
    hold_back(8u);
    handle(CARILLON_OSEK_NO_ALARM);
    assert_log("task@3 ask asked task@8 ask asked ");
}
#endif

#if CARILLON_OSEK_DIRECT
/* A direct task is requested; if it runs, that is an activation too many, unless the handler has the task's level: then
 * it does not run. */
static void the_only_alarm_requests_its_direct_task(void **state)
{
    (void)state;
    assert_int_equal(SetRelAlarm(OF_DIRECT, 3u, 5u), E_OK);
    pass(3u, OF_DIRECT);
    assert_true(port.pending[DIRECT_SOURCE]);
    port.pending[DIRECT_SOURCE] = false;
    port.active[DIRECT_SOURCE] = true;
    pass(5u, OF_DIRECT);
    assert_int_equal(port.pending[DIRECT_SOURCE], LEVELED);
    port.pending[DIRECT_SOURCE] = false;
    port.active[DIRECT_SOURCE] = false;
    pass(5u, OF_DIRECT);
    assert_true(port.pending[DIRECT_SOURCE]);
    assert_log("");
}
#endif

#if CARILLON_BASE_BITS > 16
/* The base begins anew 1999000 ticks after time 0. */
static void an_alarm_goes_on_where_the_base_begins_anew(void **state)
{
    (void)state;
    assert_int_equal(SetRelAlarm(ALARM, 1998990u, 4u), E_OK);
    for (uint32_t i = 0u; i < 199898u; i++) { /* its first handlers find nothing to do */
        hold_back(10u);
        handle(ALARM);
    }
    assert_log("");
    pass(22u, ALARM);
    assert_log("task@1998990 task@1998994 task@1998998 task@1999002 ");
    assert_int_equal(left_of(ALARM), 4u);
}
#endif

/* Of an alarm whose cycle, or whose time to go, is longer than the queue's times. */
static void a_far_alarm_expires_in_its_ticks(void **state)
{
    (void)state;
    assert_int_equal(SetRelAlarm(ALARM, 70000u, 70001u), E_OK);
    pass(69999u, ALARM);
    assert_log("");
    assert_int_equal(left_of(ALARM), 1u);
    pass(1u, ALARM);
    assert_log("task@70000 ");
    assert_int_equal(left_of(ALARM), 70001u);
    pass(70001u, ALARM);
    assert_log("task@140001 ");
    assert_int_equal(CancelAlarm(ALARM), E_OK);
    assert_int_equal(SetRelAlarm(ALARM, 70000u, 3u), E_OK);
    pass(70003u, ALARM);
    assert_log("task@210001 task@210004 ");
    assert_int_equal(CancelAlarm(ALARM), E_OK);
    assert_int_equal(SetRelAlarm(ALARM, 1u, CARILLON_LAP), E_OK); /* a tick more than the queue's times */
    pass((CARILLON_TIME_BITS > 16) ? 1u : CARILLON_LAP, ALARM);
    assert_log("task@210005 ");
    assert_int_equal(left_of(ALARM), (CARILLON_TIME_BITS > 16) ? CARILLON_LAP : 1u);
    pass(1u, ALARM);
    assert_log((CARILLON_TIME_BITS > 16) ? "" : "task@275539 ");
}

/* The counter reads what has passed, whoever has counted it. */
static void a_counter_is_read(void **state)
{
    (void)state;
    pass(4u, ALARM);
    hold_back(3u);
    TickType value = 0u, elapsed = 0u;
    assert_int_equal(GetCounterValue(COUNTED, &value), E_OK);
    assert_int_equal(value, tick_now());
    value = 2u;
    assert_int_equal(GetElapsedValue(COUNTED, &value, &elapsed), E_OK);
    assert_int_equal(value, 7u);
    assert_int_equal(elapsed, 5u);
    value = 9u; /* a whole turn before */
    assert_int_equal(GetElapsedValue(COUNTED, &value, &elapsed), E_OK);
    assert_int_equal(elapsed, MOST_TICKS - 1u);
}

/* One whose alarms are on cells alone has no value to read. */
static void a_counter_that_nothing_advances_is_not_read(void **state)
{
    (void)state;
    TickType value = 5u, elapsed = 6u;
    assert_int_equal(GetCounterValue(UNTICKED, &value), E_OS_ID);
    assert_int_equal(failed.service, OSServiceId_GetCounterValue);
    assert_int_equal(GetElapsedValue(UNTICKED, &value, &elapsed), E_OS_ID);
    assert_int_equal(failed.service, OSServiceId_GetElapsedValue);
    assert_int_equal(value, 5u);
    assert_int_equal(elapsed, 6u);
}

/* A handler that has begun and finds its alarm cancelled does nothing: the alarm has expired after that. */
static void an_alarm_on_a_cell_that_is_cancelled_does_not_expire(void **state)
{
    (void)state;
    hold_back(3u);
    carillon_osek_alarm_expired(ON_CELL);
    assert_log("task@0 ");
    hold_back(10u);
    assert_int_equal(CancelAlarm(ON_CELL), E_OK);
    assert_int_equal(*port_register(CELL_STOP), 1u);
    carillon_osek_alarm_expired(ON_CELL);
    assert_log("");
    assert_int_equal(CancelAlarm(ON_CELL), E_OS_NOFUNC);
    assert_int_equal(SetRelAlarm(ON_CELL, 1u, 0u), E_OS_STATE); /* nothing would advance it */
}

/* A part of a tick that is left is a tick. */
static void what_is_left_on_a_cell_is_told_in_ticks(void **state)
{
    (void)state;
    static const uint32_t readings[] = {1u, 3u, 4u, 8u, 9u}, ticks[] = {1u, 1u, 1u, 2u, 3u};
    for (size_t k = 0u; k < (sizeof readings / sizeof readings[0]); k++) {
        *port_register(CELL_COUNTER) = readings[k];
        assert_int_equal(left_of(ON_CELL), ticks[k]);
    }
}

/* While nothing runs, nothing expires, for however many ticks; and what is set after that does in its own. */
static void an_empty_queue_has_nothing_that_expires(void **state)
{
    (void)state;
    pass((CARILLON_TIME_BITS > 16) ? 1000u : 200000u, CARILLON_OSEK_NO_ALARM);
    assert_log("");
    const uint32_t began = tick_now();
    char expected[24];
    (void)snprintf(expected, sizeof expected, "task@%u ", (unsigned)(began + 5u));
    assert_int_equal(SetRelAlarm(ALARM, 5u, 0u), E_OK);
    pass(4u, CARILLON_OSEK_NO_ALARM);
    assert_log("");
    pass(1u, CARILLON_OSEK_NO_ALARM);
    assert_log(expected);
}

/* What a counter allows, and what an alarm of it is refused for. */
static void a_counter_says_what_its_alarms_may_be_set_to(void **state)
{
    (void)state;
    AlarmBaseType base;
    assert_int_equal(GetAlarmBase(ON_CELL, &base), E_OK);
    assert_int_equal(base.maxallowedvalue, 99u);
    assert_int_equal(base.ticksperbase, 7u);
    assert_int_equal(base.mincycle, 5u);
    static const struct {
        TickType first, cycle;
        StatusType relative, absolute;
    } settings[] = {
        {0u, 0u, E_OS_VALUE, E_OS_STATE},   {1u, 0u, E_OS_STATE, E_OS_STATE},   {99u, 0u, E_OS_STATE, E_OS_STATE},
        {100u, 0u, E_OS_VALUE, E_OS_VALUE}, {1u, 4u, E_OS_VALUE, E_OS_VALUE},   {1u, 5u, E_OS_STATE, E_OS_STATE},
        {1u, 99u, E_OS_STATE, E_OS_STATE},  {1u, 100u, E_OS_VALUE, E_OS_VALUE},
    };
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        assert_int_equal(SetRelAlarm(ON_CELL, settings[i].first, settings[i].cycle), settings[i].relative);
        assert_int_equal(failed.service, OSServiceId_SetRelAlarm);
        assert_int_equal(SetAbsAlarm(ON_CELL, settings[i].first, settings[i].cycle), settings[i].absolute);
        assert_int_equal(failed.service, OSServiceId_SetAbsAlarm);
    }
    TickType left = 0u;
    assert_int_equal(GetAlarmBase(CARILLON_OSEK_ALARMS, &base), E_OS_ID);
    assert_int_equal(GetAlarm(CARILLON_OSEK_ALARMS, &left), E_OS_ID);
    assert_int_equal(SetRelAlarm(CARILLON_OSEK_ALARMS, 1u, 0u), E_OS_ID);
    assert_int_equal(SetAbsAlarm(CARILLON_OSEK_ALARMS, 1u, 0u), E_OS_ID);
    assert_int_equal(CancelAlarm(CARILLON_OSEK_ALARMS), E_OS_ID);
    assert_int_equal(GetAlarmBase(ALARM, NULL), E_OS_PARAM_POINTER);
    assert_int_equal(GetAlarm(ALARM, NULL), E_OS_PARAM_POINTER);
}

/* Each test ends unlocked, and nothing has been unlocked that was not locked. */
static int check_locks(void **state)
{
    (void)state;
    return ((port.mask == 0u) && (port.needless == 0u)) ? 0 : -1;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, reset, check_locks)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_cyclic_alarm_expires_in_its_ticks),
        TEST(an_alarm_without_cycle_expires_once),
        TEST(an_alarm_for_a_value_expires_at_that),
        TEST(expiries_that_are_held_back_are_not_lost),
        TEST(an_alarm_that_is_held_back_has_the_time_to_its_next_expiry),
#if CARILLON_OSEK_LEVEL_COUNTERS
        TEST(in_the_error_hook_nothing_is_served),
        TEST(what_is_being_served_is_not_served_again),
        TEST(what_falls_due_while_the_first_is_served_comes_after_it),
#endif
#if CARILLON_OSEK_DIRECT
        TEST(the_only_alarm_requests_its_direct_task),
#endif
#if CARILLON_BASE_BITS > 16
        TEST(an_alarm_goes_on_where_the_base_begins_anew),
#endif
        TEST(a_far_alarm_expires_in_its_ticks),
        TEST(what_is_left_on_a_cell_is_told_in_ticks),
        TEST(an_empty_queue_has_nothing_that_expires),
        TEST(a_counter_says_what_its_alarms_may_be_set_to),
        TEST(a_counter_is_read),
        TEST(a_counter_that_nothing_advances_is_not_read),
        TEST(an_alarm_on_a_cell_that_is_cancelled_does_not_expire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
