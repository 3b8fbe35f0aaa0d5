/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters of every kind beside a model that counts tick by tick (kernel/counters/alarm.c, counter.c and expiry.c): two whose
 * ticks a time base tells, which begins anew every 100 or 160 ticks; one that software advances; and one that an alarm does, or
 * software.  What sets and cancels alarms, asks for them and holds handlers back is drawn. */
#include "levels/base.h"
#include "levels/drawn.h"
#include "levels/port.h"

#include "kernel/counters/alarm.h"
#include "kernel/counters/expiry.h"

#include <string.h>

enum { FOLDS, TURNS, BY_HAND, FED, COUNTERS };
enum {
    FOLDS_ACTIVATES,
    FOLDS_DOES_SEVERAL,
    TURNS_ACTIVATES,
    TURNS_CALLS,
    TURNS_COUNTS,
    BY_HAND_SETS,
    FED_ACTIVATES,
    ALARMS
};
enum { TASK, OTHER, TASKS };
enum { LEVEL = 2, TASK_SOURCE = 16, OTHER_SOURCE };
enum { RUNS = 40, STEPS = 1500, LOGGED = 256 };
#define LEVELED (CARILLON_OSEK_LEVEL_COUNTERS != 0)
#define COUNTS (CARILLON_OSEK_ALARMS_COUNT != 0)
#define WIDE (CARILLON_BASE_BITS > 16)
#define FOLDS_UNITS (WIDE ? 12500000u : 1000u)
#define TURNS_UNITS (WIDE ? 20000000u : 1500u)

/* The cells of the task's level, which are served before an event is set. */
static uint32_t looks, wanted_looks;
#if CARILLON_OSEK_LEVEL_CELLS
static void look(void)
{
    looks++;
}
#endif
const struct carillon_osek_task carillon_osek_tasks[TASKS] = {
    [TASK] = {.level = LEVEL, .source = TASK_SOURCE},
    [OTHER] = {.level = LEVEL,
               .source = OTHER_SOURCE,
#if CARILLON_OSEK_LEVEL_CELLS
               .cells = look
#endif
    },
};
struct carillon_osek_job carillon_osek_jobs[TASKS];
const struct carillon_osek_level carillon_osek_levels[LEVEL + 1u];
struct carillon_osek_extended carillon_extended_Second;
volatile uint_fast8_t carillon_osek_running;
volatile uint8_t carillon_osek_hook;
volatile uint16_t carillon_osek_hook_source;
volatile bool carillon_osek_over[CARILLON_OSEK_TASK_LEVELS + 1u];

const struct carillon_osek_counter carillon_osek_counters[CARILLON_OSEK_PARTS] = {
    [FOLDS] = {.max_allowed = 15u, .min_cycle = 1u, .units = FOLDS_UNITS, .ticked = 1u, .leveled = LEVELED},
    [TURNS] = {.max_allowed = 98u, .min_cycle = 2u, .units = TURNS_UNITS, .ticked = 1u, .leveled = LEVELED},
    [BY_HAND] = {.max_allowed = 6u, .min_cycle = 1u, .software = 1u, .ticked = 1u},
    [FED] = {.max_allowed = 3u, .min_cycle = 1u, .software = 1u, .ticked = 1u},
};

/* What is done: by a task that is activated, an event that is set, a function, or the several things of a list. */
enum { DONE_TASK, DONE_OTHER, DONE_EVENT, DONE_CALL };
static uint8_t done[LOGGED];
static uint32_t done_count;
static void note_done(uint8_t what)
{
    assert_true(done_count < LOGGED);
    done[done_count] = what;
    done_count++;
}
static void call(void)
{
    assert_int_equal(carillon_osek_hook, IN_CALLBACK);
    note_done(DONE_CALL);
}
StatusType carillon_osek_activate_locked(TaskType task)
{
    note_done((task == TASK) ? DONE_TASK : DONE_OTHER);
    return E_OK;
}
void carillon_osek_set(TaskType task, EventMaskType mask)
{
    assert_int_equal(task, OTHER);
    assert_int_equal(mask, 6u);
    note_done(DONE_EVENT);
}

const struct carillon_osek_alarm_action carillon_osek_alarm_actions[] = {
    {.action = CARILLON_ACTION_ACTIVATE, .object = TASK}, /* of no alarm */
    {.action = CARILLON_ACTION_ACTIVATE, .object = TASK, .more = 1u},
    {.action = CARILLON_ACTION_SET_EVENT, .object = OTHER, .operand.carillon_event = 6u, .more = 1u},
    {.action = CARILLON_ACTION_ACTIVATE, .object = OTHER},
    {.action = CARILLON_ACTION_CALL, .operand.function = call, .more = 1u},
    {.action = CARILLON_ACTION_ACTIVATE, .object = TASK},
};
#define LIST(first) .action = CARILLON_ACTION_SEVERAL, .operand.carillon_first = (first)
#define COUNT_AFTER(first) \
    .action = CARILLON_ACTION_SEVERAL_THEN_COUNT, .operand.carillon_first = (first), .object = FED
const struct carillon_osek_alarm carillon_osek_alarms[CARILLON_OSEK_ALARMS] = {
    [FOLDS_ACTIVATES] = {.counter = FOLDS, .action = CARILLON_ACTION_ACTIVATE, .object = TASK},
    [FOLDS_DOES_SEVERAL] = {.counter = FOLDS, LIST(1u)},
#if CARILLON_OSEK_ALARMS_COUNT
    [TURNS_ACTIVATES] = {.counter = TURNS, .action = CARILLON_ACTION_COUNT, .object = FED},
    [TURNS_COUNTS] = {.counter = TURNS, COUNT_AFTER(4u)},
#else
    [TURNS_ACTIVATES] = {.counter = TURNS, .action = CARILLON_ACTION_ACTIVATE, .object = OTHER},
    [TURNS_COUNTS] = {.counter = TURNS, LIST(4u)},
#endif
    [TURNS_CALLS] = {.counter = TURNS, .action = CARILLON_ACTION_CALL, .operand.function = call},
    [BY_HAND_SETS] = {.counter = BY_HAND,
                      .action = CARILLON_ACTION_SET_EVENT,
                      .object = OTHER,
                      .operand.carillon_event = 6u},
    [FED_ACTIVATES] = {.counter = FED, .action = CARILLON_ACTION_ACTIVATE, .object = OTHER},
};

void carillon_osek_call_cells(carillon_vector cells)
{
    cells();
}
StatusType carillon_osek_fail(const struct carillon_osek_failure *failure, StatusType status)
{
    (void)failure;
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

/* The model: values, and of each alarm how many ticks are left to it.  `since`: which setting or expiry was the last. */
static struct model_alarm {
    bool runs;
    uint32_t left, cycle, since;
} alarms[ALARMS];
static uint32_t values[COUNTERS], settings;
static uint64_t counted[COUNTERS];
static uint8_t wanted[LOGGED];
static uint32_t wanted_count;

static void want(uint8_t what)
{
    assert_true(wanted_count < LOGGED);
    wanted[wanted_count] = what;
    wanted_looks += ((CARILLON_OSEK_LEVEL_CELLS != 0) && (what == DONE_EVENT)) ? 1u : 0u;
    wanted_count++;
}

static void model_tick(uint32_t counter);
static void model_does(uint32_t alarm)
{
    switch (alarm) {
    case FOLDS_ACTIVATES:
        want(DONE_TASK);
        break;
    case FOLDS_DOES_SEVERAL:
        want(DONE_TASK);
        want(DONE_EVENT);
        want(DONE_OTHER);
        break;
    case TURNS_CALLS:
        want(DONE_CALL);
        break;
    case TURNS_ACTIVATES:
        if (COUNTS) {
            model_tick(FED);
        } else {
            want(DONE_OTHER);
        }
        break;
    case TURNS_COUNTS:
        want(DONE_CALL);
        want(DONE_TASK);
        if (COUNTS) {
            model_tick(FED);
        }
        break;
    case BY_HAND_SETS:
        want(DONE_EVENT);
        break;
    default:
        want(DONE_OTHER);
        break;
    }
}

static void model_tick(uint32_t counter)
{
    values[counter] = (values[counter] == carillon_osek_counters[counter].max_allowed) ? 0u : (values[counter] + 1u);
    for (uint32_t k = 0u; k < ALARMS; k++) {
        if (alarms[k].runs && (carillon_osek_alarms[k].counter == counter)) {
            alarms[k].left--;
        }
    }
    for (;;) { /* all that are due, those first that were set first */
        uint32_t first = ALARMS;
        for (uint32_t k = 0u; k < ALARMS; k++) {
            const bool is_due =
                alarms[k].runs && (carillon_osek_alarms[k].counter == counter) && (alarms[k].left == 0u);
            if (is_due && ((first == ALARMS) || (alarms[k].since < alarms[first].since))) {
                first = k;
            }
        }
        if (first == ALARMS) {
            return;
        }
        alarms[first].runs = alarms[first].cycle != 0u;
        alarms[first].left = alarms[first].cycle;
        settings++;
        alarms[first].since = settings;
        model_does(first);
    }
}

static uint32_t units_of(uint32_t counter)
{
    return carillon_osek_counters[counter].units;
}
static uint32_t pending(uint32_t counter)
{
    return (units_of(counter) == 0u) ? 0u : (uint32_t)((now / units_of(counter)) - counted[counter]);
}
static void model_handles(uint32_t counter)
{
    for (uint32_t left = pending(counter); left != 0u; left--) {
        counted[counter]++;
        model_tick(counter);
    }
}
static uint32_t value_now(uint32_t counter)
{
    return (values[counter] + pending(counter)) % (carillon_osek_counters[counter].max_allowed + 1u);
}

/* What asks for an alarm of a counter that has its tasks' level has served what is due before. */
static void model_asks(uint32_t alarm)
{
    if (carillon_osek_counters[carillon_osek_alarms[alarm].counter].leveled != 0u) {
        model_handles(carillon_osek_alarms[alarm].counter);
    }
}

static void check(void)
{
    assert_int_equal(done_count, wanted_count);
    assert_memory_equal(done, wanted, wanted_count);
    assert_int_equal(looks, wanted_looks);
    done_count = 0u;
    wanted_count = 0u;
    assert_int_equal(port.mask, 0u);
    assert_int_equal(port.needless, 0u);
    assert_int_equal(carillon_osek_hook, 0u);
}

static void handle(uint32_t counter)
{
#if CARILLON_OSEK_LEVEL_COUNTERS
    carillon_osek_level_tick((CounterType)counter, CARILLON_OSEK_NO_ALARM);
#elif !CARILLON_OSEK_AHEAD
    carillon_osek_tick((CounterType)counter); /* which locks, as its handler may have any level */
#else
    port.mask = carillon_port_mask_of(CARILLON_OSEK_TOP);
    carillon_osek_tick_over((CounterType)counter, CARILLON_OSEK_NO_ALARM);
    port.mask = 0u;
#endif
    model_handles(counter);
}

/* The time goes on; the handlers of ticks come at once, or are held back. */
static void pass(void)
{
    const uint32_t ticks = (drawn(4u) == 0u) ? drawn(20u) : drawn(3u);
    now += ((uint64_t)ticks * FOLDS_UNITS) + drawn(FOLDS_UNITS);
    const bool all = pending(FOLDS) > 30u;
    for (uint32_t counter = FOLDS; counter <= TURNS; counter++) {
        if (all || (drawn(4u) != 0u)) {
            handle(counter);
        }
    }
}

static void set_relative(AlarmType alarm)
{
    const TickType most = carillon_osek_counters[carillon_osek_alarms[alarm].counter].max_allowed;
    const TickType least = carillon_osek_counters[carillon_osek_alarms[alarm].counter].min_cycle;
    const TickType increment = 1u + drawn(most);
    const TickType cycle = (drawn(3u) == 0u) ? 0u : (least + drawn((most - least) + 1u));
    model_asks(alarm);
    assert_int_equal(SetRelAlarm(alarm, increment, cycle), alarms[alarm].runs ? E_OS_STATE : E_OK);
    if (!alarms[alarm].runs) {
        settings++;
        alarms[alarm] =
            (struct model_alarm){true, pending(carillon_osek_alarms[alarm].counter) + increment, cycle, settings};
    }
}

static void set_absolute(AlarmType alarm)
{
    const uint32_t counter = carillon_osek_alarms[alarm].counter;
    const TickType most = carillon_osek_counters[counter].max_allowed;
    const TickType start = drawn(most + 1u);
    model_asks(alarm);
    uint32_t until = 1u;
    while (((value_now(counter) + until) % (most + 1u)) != start) {
        until++;
    }
    assert_int_equal(SetAbsAlarm(alarm, start, most), alarms[alarm].runs ? E_OS_STATE : E_OK);
    if (!alarms[alarm].runs) {
        settings++;
        alarms[alarm] = (struct model_alarm){true, pending(counter) + until, most, settings};
    }
}

static void cancel(AlarmType alarm)
{
    model_asks(alarm);
    assert_int_equal(CancelAlarm(alarm), alarms[alarm].runs ? E_OK : E_OS_NOFUNC);
    alarms[alarm].runs = false;
}

static void ask(AlarmType alarm)
{
    TickType left = 12345u;
    model_asks(alarm);
    const struct model_alarm *const model = &alarms[alarm];
    assert_int_equal(GetAlarm(alarm, &left), model->runs ? E_OK : E_OS_NOFUNC);
    if (model->runs) {
        const uint32_t passed = pending(carillon_osek_alarms[alarm].counter);
        uint32_t expected = model->left;
        while ((expected <= passed) && (model->cycle != 0u)) { /* held back: the next expiry */
            expected += model->cycle;
        }
        assert_int_equal(left, (expected > passed) ? (expected - passed) : 0u);
    }
}

static void read(CounterType counter)
{
    TickType value = 77u, elapsed = 78u;
    assert_int_equal(GetCounterValue(counter, &value), E_OK);
    assert_int_equal(value, value_now(counter));
    const TickType most = carillon_osek_counters[counter].max_allowed;
    const TickType before = drawn(most + 1u);
    value = before;
    assert_int_equal(GetElapsedValue(counter, &value, &elapsed), E_OK);
    assert_int_equal(value, value_now(counter));
    assert_int_equal(elapsed, ((most + 1u) + value - before) % (most + 1u));
    value = most;
    assert_int_equal(GetElapsedValue(counter, &value, &elapsed), E_OK);
    value = most + 1u;
    assert_int_equal(GetElapsedValue(counter, &value, &elapsed), E_OS_VALUE);
}

static void step(void)
{
    const AlarmType alarm = (AlarmType)drawn(ALARMS);
    const CounterType counter = (CounterType)drawn(COUNTERS);
    switch (drawn(10u)) {
    case 0u:
    case 1u:
        set_relative(alarm);
        break;
    case 2u:
        set_absolute(alarm);
        break;
    case 3u:
        cancel(alarm);
        break;
    case 4u:
        ask(alarm);
        break;
    case 5u:
        read(counter);
        break;
    case 6u:
        if (carillon_osek_counters[counter].software != 0u) {
            assert_int_equal(IncrementCounter(counter), E_OK);
            model_tick(counter);
        } else {
            assert_int_equal(IncrementCounter(counter), E_OS_ID);
            assert_int_equal(IncrementCounter(COUNTERS), E_OS_ID);
        }
        break;
    default:
        pass();
        break;
    }
    check();
}

/* As StartOS has it, after a time that is drawn. */
static void reset(void)
{
    (void)port_reset(NULL);
    memset(carillon_osek_counter_states, 0, CARILLON_OSEK_PARTS * sizeof carillon_osek_counter_states[0]);
    memset(carillon_osek_alarm_states, 0, CARILLON_OSEK_ALARMS * sizeof carillon_osek_alarm_states[0]);
    memset(alarms, 0, sizeof alarms);
    memset(values, 0, sizeof values);
    memset(counted, 0, sizeof counted);
    carillon_osek_jobs[OTHER].activations = 1u;
    now = 0u;
    settings = 0u;
    done_count = 0u;
    wanted_count = 0u;
    for (uint32_t part = 0u; part < CARILLON_OSEK_PARTS; part++) {
        carillon_queue_init(carillon_osek_queue_of((CounterType)part));
        carillon_osek_counter_states[part].ticker.at = (carillon_base)CARILLON_BASE_ORIGIN;
        carillon_osek_look_ahead((CounterType)part);
    }
    carillon_osek_start_expiries();
}

static void alarms_do_what_the_model_does(void **state)
{
    (void)state;
    for (uint32_t run = 0u; run < RUNS; run++) {
        reset();
        for (uint32_t k = 0u; k < STEPS; k++) {
            step();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(alarms_do_what_the_model_does)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
