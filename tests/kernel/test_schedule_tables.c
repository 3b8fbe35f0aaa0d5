/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule tables in the queues of counters (kernel/counters/schedule_table.c, table_points.c) beside AUTOSAR OS R4,
 * 7.3.2 and 7.3.3, as numbers without bounds have it.  Tables, and programs of their services, are drawn.  Counters are
 * advanced by software, or by a time base whose handlers may come late; one has a part of its queue for each of two
 * levels, as tables that are alone in their parts have. */
#include "levels/port.h"

#include <string.h>

#include "drawn_tables.h"
#include "kernel/counters/expiry.h"
#include "kernel/counters/schedule_table.h"
#include "kernel/counters/table_queue.h"
#include "table_draw.h"
#include "table_model.h"

enum { PROGRAMS = 1500, HANDLERS = 4 };
#ifndef LONE_COUNTERS /* of so many counters all tables are alone in their parts, in every program */
#define LONE_COUNTERS 0
#endif
#define HAS_BASE (CARILLON_BASE_BITS > 0)
#define INVALID 200u

static uint64_t time_now, begun;

/* What the kernel has around it. */
struct carillon_osek_job carillon_osek_jobs[TASKS];
const struct carillon_osek_task carillon_osek_tasks[TASKS];
const struct carillon_osek_alarm carillon_osek_alarms[CARILLON_OSEK_ALARMS];
volatile uint8_t carillon_osek_hook;
volatile uint16_t carillon_osek_hook_source;

void carillon_osek_call_cells(carillon_vector cells)
{
    (void)cells;
}

uint8_t carillon_osek_place(void)
{
    return place;
}

bool carillon_osek_interrupts_disabled(void)
{
    return disabled;
}

StatusType carillon_osek_fail(const struct carillon_osek_failure *failure, StatusType status)
{
    assert_int_equal(port.mask, 0u);
    failed.calls++;
    failed.last = *failure;
    failed.last.status = status;
    return status;
}

static uint32_t creeps; /* at so many readings of the time base some time passes before them */
#if HAS_BASE
static void pass(uint64_t units)
{
    time_now += units;
    for (uint8_t number = 0; number < 2u; number++) {
        if (counters[number].units != 0u) {
            count_to(number, (time_now - begun) / counters[number].units);
        }
    }
}

uint32_t carillon_test_base(void)
{
    assert_int_equal(port.mask, carillon_port_mask_of(CARILLON_OSEK_TOP));
    if (creeps > 0u) {
        creeps--;
        const uint64_t one = counters[0].units, other = counters[1].units;
        const uint64_t units = ((other == 0u) || ((one != 0u) && (one < other))) ? one : other;
        pass(draw(1u + (2u * units))); /* two ticks at most */
    }
    const uint64_t passed = time_now % CARILLON_BASE_PERIOD;
    return (uint32_t)(((2u * (uint64_t)CARILLON_BASE_PERIOD) + CARILLON_BASE_ORIGIN - passed) % CARILLON_BASE_PERIOD);
}
#endif

/* An action comes next in its part, in its own tick. */
static void comes(uint8_t task, uint32_t event)
{
    const uint32_t part = part_of(task);
    assert_int_equal(port.mask, carillon_port_mask_of(CARILLON_OSEK_TOP));
    assert_true(had[part] < wanted[part]);
    const struct expiry *const next = &expected[part][had[part]];
    assert_int_equal(task, next->task);
    assert_int_equal(event, next->event);
    if (!is_alone(part) || (part < 2u)) { /* nobody asks another part for its value */
        assert_int_equal(carillon_osek_counter_states[part].value, next->value);
    }
    had[part]++;
}

StatusType carillon_osek_activate_locked(TaskType task)
{
    comes(task, 0u);
    return E_OK;
}

void carillon_osek_set(TaskType task, EventMaskType event)
{
    comes(task, event);
}

#if CARILLON_OSEK_TABLE_CELLS > 0
/* The last table is on a cell. */
enum { ON_CELL = TABLES, CELL_TICK = 10, CELL_PERIOD = 5000, CELL_FIRST = 200 };
enum { CELL = 0x2000, CELL_START = 0x2020, CELL_STOP = 0x2024, CELL_ENDS = 0x2028, CELL_END = 40 };
#define CELL_SHIFT ((uint32_t)CELL_FIRST - CELL_PERIOD)
static const struct carillon_osek_table_cell cell = {CELL_FIRST, CELL_PERIOD, 32u};
static const struct carillon_shift shift = {CELL, CELL_SHIFT};
static const struct carillon_osek_table_on_cells on_cell = {
    .start = {CELL_START, 3u},
    .shifts = &shift,
    .cells = &cell,
    .count = 1u,
    .first = CELL_FIRST,
    .tick = CELL_TICK,
    .turn = 10000u * CELL_TICK,
    .ends_at = CELL_ENDS,
    .again = CELL_PERIOD,
    .ends_by = CELL_END,
};
const struct carillon_osek_table_on_cells *const carillon_osek_tables_on_cells[TABLES + 1] = {[ON_CELL] = &on_cell};
const struct carillon_store carillon_osek_table_stops[TABLES + 1] = {[ON_CELL] = {CELL_STOP, 1u}};

static void write_last_table(struct carillon_osek_schedule_table *fixed)
{
    fixed[ON_CELL] =
        (struct carillon_osek_schedule_table){.duration = CELL_PERIOD / CELL_TICK, .autostart = 3u, .at = 100u};
    carillon_osek_table_states[ON_CELL].status = SCHEDULETABLE_STOPPED;
    carillon_osek_table_states[ON_CELL].next = NONE;
}

static void assert_cell(uint8_t status, uint32_t counter, uint32_t stop)
{
    ScheduleTableStatusType now;
    assert_int_equal(GetScheduleTableStatus(ON_CELL, &now), E_OK);
    assert_int_equal(now, status);
    assert_int_equal(*port_register(CELL), counter);
    assert_int_equal(*port_register(CELL_STOP), stop);
    assert_int_equal(port.mask, 0u);
}

/* Services of the table on a cell, beside others that have been drawn. */
static void assert_of_cell(void)
{
    uint32_t expects = CELL_PERIOD;
    *port_register(CARILLON_BASE_COUNTER) = CARILLON_BASE_ORIGIN - CARILLON_BASE_GUARD;
    *port_register(CELL) = CELL_PERIOD;
    *port_register(CELL_STOP) = 0u;
    assert_cell(SCHEDULETABLE_STOPPED, expects, 0u);
    assert_int_equal((StopScheduleTable)(ON_CELL), E_OS_NOFUNC);
    assert_int_equal(StartScheduleTableSynchron(ON_CELL), E_OS_ID);
    assert_int_equal(SyncScheduleTable(ON_CELL, 0u), E_OS_ID);
    assert_int_equal(SetScheduleTableAsync(ON_CELL), E_OS_ID);
    for (uint8_t other = 0; other < TABLES; other++) {
        const struct carillon_osek_table_state before = carillon_osek_table_states[other];
        assert_int_equal(NextScheduleTable(ON_CELL, other), E_OS_ID);
        assert_int_equal(NextScheduleTable(other, ON_CELL), E_OS_ID);
        assert_memory_equal(&carillon_osek_table_states[other], &before, sizeof before);
    }
    assert_cell(SCHEDULETABLE_STOPPED, expects, 0u);
    assert_int_equal(StartScheduleTableRel(ON_CELL, 100u), E_OK);
    expects += CELL_SHIFT + (100u * CELL_TICK);
    assert_cell(SCHEDULETABLE_RUNNING, expects, 0u);
    assert_int_equal(StartScheduleTableRel(ON_CELL, 100u), E_OS_STATE);
    assert_int_equal(StartScheduleTableAbs(ON_CELL, 5u), E_OS_STATE);
    assert_cell(SCHEDULETABLE_RUNNING, expects, 0u);
    assert_int_equal((StopScheduleTable)(ON_CELL), E_OK);
    assert_cell(SCHEDULETABLE_STOPPED, expects, 1u);
    *port_register(CELL) = expects = CELL_PERIOD;
    const TickType next = (TickType)(counters[0].turn - 1u);
    assert_int_equal(StartScheduleTableAbs(ON_CELL, next), E_OK);
    assert_true(*port_register(CELL) != expects);
    assert_cell(SCHEDULETABLE_RUNNING, *port_register(CELL), 1u);
    *port_register(CELL_STOP) = 0u;
    port.pending[CELL_END] = true; /* its end has come, and waits */
    assert_cell(SCHEDULETABLE_STOPPED, *port_register(CELL), 1u);
    assert_false(port.pending[CELL_END]);
}
#else
static void write_last_table(struct carillon_osek_schedule_table *fixed)
{
    (void)fixed;
}
static void assert_of_cell(void)
{
}
#endif

static void start(void)
{
    const AppModeType mode = (AppModeType)draw(MODES);
    model_start(mode);
    write_last_table(drawn_tables());
    const uint32_t saved = carillon_osek_lock();
    for (CounterType part = 0; part < PARTS; part++) {
        carillon_queue_init(carillon_osek_queue_of(part));
#if HAS_BASE
        const carillon_base units = (carillon_base)counters[part % 2u].units;
        if (units != 0u) {
            carillon_osek_counter_states[part].ticker.at = carillon_base_last(units, carillon_base_left());
            carillon_osek_look_ahead(part);
        }
#endif
    }
    carillon_osek_start_schedule_tables(mode);
    carillon_osek_unlock(saved);
}

static int reset(void **state)
{
    (void)port_reset(state);
    memset(carillon_osek_alarm_states, 0, sizeof(struct carillon_osek_alarm_state) * CARILLON_OSEK_ALARMS);
    memset(carillon_osek_counter_states, 0, sizeof(struct carillon_osek_counter_state) * PARTS);
    memset(carillon_osek_table_states, 0, sizeof(struct carillon_osek_table_state) * TABLES);
    memset(wanted, 0, sizeof wanted);
    memset(had, 0, sizeof had);
    place = IN_TASK;
    disabled = false;
    for (size_t task = 0; task < TASKS; task++) {
        carillon_osek_jobs[task].activations = 1u;
    }
    return 0;
}

/* Programs. */

static bool is_served(uint32_t part)
{
    return had[part] == wanted[part];
}

#if HAS_BASE
/* The handler of a part's cell. */
static void handle(CounterType part)
{
    const uint32_t saved = carillon_osek_lock();
    if (is_alone(part) && one_of(2u)) {
#if CARILLON_OSEK_LONE
        carillon_osek_lone_tick_over(part, carillon_osek_lone_of(&carillon_osek_counters[part]) - 1u);
#endif
    } else if (one_of(2u)) {
        carillon_osek_tick_over(part, CARILLON_OSEK_NO_ALARM);
    } else {
        carillon_osek_tick(part);
    }
    carillon_osek_unlock(saved);
    assert_true(is_served(part));
}

static bool is_hardware(uint32_t part)
{
    return (counters[part % 2u].units != 0u) && ((part < 2u) || (counters[0].parts == 2u));
}

/* Time passes, at most until a few expiries are due; handlers come, or are late. */
static void elapse(bool late)
{
    uint64_t by = draw(3u);
    uint64_t most = (CARILLON_TIME_BITS < 32) ? 20000000u : 1000000000u;
    uint64_t due = most;
    for (uint8_t number = 0; number < 2u; number++) {
        const struct counter *const counter = &counters[number];
        const uint64_t next = ((counter->now + to_next(number)) * counter->units) - (time_now - begun);
        if (counter->units != 0u) {
            due = (next < due) ? next : due;
            most = ((next + (60u * counter->units)) < most) ? (next + (60u * counter->units)) : most;
        }
    }
    const uint64_t one = counters[draw(2u)].units;
    const uint64_t times[] = {by, one, due, (due + draw(3u)) - ((due > 0u) ? 1u : 0u), one * draw(40u), draw(most)};
    by = times[draw(6u)];
    by = (by > most) ? most : by;
    pass(by);
    const bool all = !late || (by > 1000000u);
    for (uint32_t i = 0; i < HANDLERS; i++) {
        const CounterType part = (CounterType)(all ? (i % PARTS) : draw(PARTS));
        if (is_hardware(part) && (all || one_of(2u))) {
            handle(part);
        }
    }
}
#else
static void elapse(bool late)
{
    (void)late;
}
#endif

static void increment(uint8_t number)
{
    if (counters[number].units == 0u) {
        const uint64_t next = to_next(number);
        uint64_t by = one_of(3u) ? draw(40u) : (1u + draw(3u));
        by = ((next < 100u) && one_of(2u)) ? next : by;
        for (; by > 0u; by--) {
            count_to(number, counters[number].now + 1u);
            assert_int_equal((IncrementCounter)(number), E_OK);
            assert_true(is_served(number));
        }
    }
}

/* A table's service has returned. */
static void assert_returned(uint8_t number, uint8_t expects, StatusType status)
{
    assert_int_equal(status, expects);
    if (CARILLON_OSEK_ERROR_HOOK != 0) {
        assert_int_equal(failed.calls, fails.calls);
        assert_int_equal(failed.last.service, fails.last.service);
        assert_int_equal(failed.last.object, fails.last.object);
        assert_int_equal(failed.last.first, fails.last.first);
        assert_ptr_equal(failed.last.reference, fails.last.reference);
        assert_int_equal(failed.last.status, fails.last.status);
    }
    assert_int_equal(port.mask, 0u);
    if ((expects == E_OK) || (expects == E_OS_STATE) || (expects == E_OS_NOFUNC)) {
        for (uint32_t part = 0; part < PARTS; part++) {
            assert_true(!has_part(&tables[number], part) || is_served(part));
        }
    }
}

/* What only extended status refuses is not asked for otherwise.  In extended status the model comes after the service,
 * while which time may have passed. */
#define SERVICE(number, model, service)                                                                        \
    do {                                                                                                       \
        StatusType status_;                                                                                    \
        uint8_t expects_;                                                                                      \
        if (CARILLON_OSEK_EXTENDED != 0) {                                                                     \
            creeps = one_of(3u) ? (uint32_t)draw(4u) : 0u;                                                     \
            status_ = (service);                                                                               \
            creeps = 0u;                                                                                       \
            expects_ = (model);                                                                                \
        } else {                                                                                               \
            expects_ = (model);                                                                                \
            const bool is_asked = (expects_ == E_OK) || (expects_ == E_OS_STATE) || (expects_ == E_OS_NOFUNC); \
            status_ = is_asked ? (service) : expects_;                                                         \
            if (!is_asked) {                                                                                   \
                break;                                                                                         \
            }                                                                                                  \
        }                                                                                                      \
        assert_returned((number), expects_, status_);                                                          \
    } while (false)

static uint64_t value_of_counter(const struct table *table)
{
    return counters[table->counter].now % counters[table->counter].turn;
}

static void ask(uint8_t number)
{
    ScheduleTableStatusType status = 99u;
    const bool refers = ((CARILLON_OSEK_EXTENDED == 0) || (number >= TABLES)) ? true : !one_of(20u);
    void *const reference = refers ? &status : NULL;
    const uint32_t before = fails.calls;
    SERVICE(number, model_status(number, reference), GetScheduleTableStatus(number, reference));
    if (fails.calls == before) {
        assert_int_equal(status, tables[number].status);
    } else {
        assert_int_equal(status, 99u);
    }
}

static TickType some_offset(const struct table *table)
{
    const uint64_t most = counters[table->counter].turn - 1u;
    const uint64_t latest = most - table->point[0].offset;
    const uint64_t offsets[] = {0u, 1u, draw(6u), draw(6u), draw(60u), latest, latest + 1u, draw(most), most};
    return (TickType)offsets[draw(9u)];
}

static TickType some_value(const struct table *table)
{
    const uint64_t turn_of = counters[table->counter].turn;
    const uint64_t now = value_of_counter(table);
    const uint64_t values[] = {0u, now, (now + 1u + draw(6u)) % turn_of, turn_of - 1u, turn_of, draw(turn_of)};
    return (TickType)values[draw(6u)];
}

static TickType some_position(const struct table *table)
{
    const uint64_t duration = table->duration;
    const uint64_t at = (table->waits && (table->comes >= 0)) ? table->point[table->comes].offset : 0u;
    const uint64_t values[] = {draw(duration), draw(duration), (at + draw(6u)) % duration, duration, duration - 1u};
    return (TickType)values[draw(5u)];
}

static void call(uint8_t number)
{
    const struct table *const table = &tables[(number < TABLES) ? number : 0u];
    const uint8_t other = one_of(20u) ? INVALID : (uint8_t)draw(one_of(10u) ? (TABLES + 1u) : TABLES);
    TickType value;
    switch (draw(11u)) {
    case 0u:
    case 1u:
        value = some_offset(table);
        SERVICE(number, model_relative(number, value), StartScheduleTableRel(number, value));
        break;
    case 2u:
    case 3u:
        value = some_value(table);
        SERVICE(number, model_absolute(number, value), StartScheduleTableAbs(number, value));
        break;
    case 4u:
        SERVICE(number, model_synchron(number), StartScheduleTableSynchron(number));
        break;
    case 5u:
        SERVICE(number, model_stop(number), (StopScheduleTable)(number));
        break;
    case 6u:
        SERVICE(number, model_next(number, other), NextScheduleTable(number, other));
        break;
    case 7u:
    case 8u:
        value = some_position(table);
        SERVICE(number, model_synchronise(number, value), SyncScheduleTable(number, value));
        break;
    case 9u:
        SERVICE(number, model_asynchronous(number), SetScheduleTableAsync(number));
        break;
    default:
        ask(number);
        break;
    }
}

static void draw_place(void)
{
    static const uint8_t places[] = {IN_ISR1, IN_ISR2, IN_ERROR_HOOK, IN_SYSTEM_HOOK, IN_CALLBACK, IN_TASK_HOOK};
    place = one_of(10u) ? places[draw(6u)] : IN_TASK;
    disabled = one_of(40u);
}

static void tables_do_what_the_standard_says(void **state)
{
    for (uint32_t number = 0; number < PROGRAMS; number++) {
        (void)reset(state);
        seed = number * UINT64_C(0x9E3779B97F4A7C15);
        (void)draw(1u);
        const bool lone = (LONE_COUNTERS > 0) || (CARILLON_OSEK_LONE && one_of(2u));
        const bool follows = one_of(3u); /* tables are of one kind, so that most may follow others */
        const bool late = one_of(2u);
        draw_counter(0u, lone, lone && (LONE_COUNTERS == 0));
        draw_counter(1u, LONE_COUNTERS > 1, false);
        for (uint8_t table = 0; table < TABLES; table++) {
            const uint64_t on = lone ? ((table == 0u) ? 0u : 1u) : (follows ? (number % 2u) : draw(2u));
            draw_table(table, (uint8_t)on, follows);
        }
        write_constants();
        begun = time_now = draw(2000000u) * 1000u; /* anywhere in a period of the time base */
        start();
        for (uint64_t left = 10u + draw(80u); left > 0u; left--) {
            for (uint32_t part = 0; part < PARTS; part++) {
                if (is_served(part)) {
                    had[part] = wanted[part] = 0u;
                }
            }
            draw_place();
            if (one_of(2u)) {
                elapse(late);
            } else {
                call((uint8_t)(one_of(40u) ? (one_of(2u) ? INVALID : TABLES) : draw(TABLES)));
            }
            place = IN_TASK;
            disabled = false;
            increment((uint8_t)draw(2u));
            if (one_of(3u)) {
                ask((uint8_t)draw(TABLES));
            }
        }
        for (uint8_t table = 0; table < TABLES; table++) {
            ask(table);
        }
        assert_of_cell();
    }
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(tables_do_what_the_standard_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
