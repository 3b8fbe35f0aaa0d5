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
#include "table_model.h"

enum { PROGRAMS = 1500, MODES = 2, HANDLERS = 4 };
#ifndef ALL_LONE /* no cursor stands in a queue */
#define ALL_LONE 0
#endif
#define HAS_BASE (CARILLON_BASE_BITS > 0)
#define INVALID 200u

static uint64_t seed;
static uint64_t draw(uint64_t below)
{
    seed = (seed * UINT64_C(6364136223846793005)) + UINT64_C(1442695040888963407);
    return (below == 0u) ? 0u : ((seed >> 20) % below);
}

static bool one_of(uint64_t many)
{
    return draw(many) == 0u;
}

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

#if HAS_BASE
uint32_t carillon_test_base(void)
{
    assert_int_equal(port.mask, carillon_port_mask_of(CARILLON_OSEK_TOP));
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
    if (!counters[part % 2u].lone || (part < 2u)) { /* nobody asks another part for its value */
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

/* What is drawn. */

static void draw_counter(uint8_t number, bool lone)
{
    static const uint32_t most_of_software[] = {7u, 15u, 60u};
    static const uint32_t most[] = {7u, 60u, 255u, 9999u, 0xFFFFu, 0xFFFFFFu, 0xFFFFFFFFu};
    static const uint32_t units[] = {1u, 2u, 5u, 10u, 100u, 500u};
    const uint32_t kinds = ((CARILLON_OSEK_FAR != 0) && (CARILLON_TIME_BITS >= 32)) ? 7u : 6u;
    struct counter *const counter = &counters[number];
    const bool hardware = HAS_BASE && (lone || !one_of(4u));
    *counter = (struct counter){
        .turn = (uint64_t)(hardware ? most[draw(kinds)] : most_of_software[draw(3u)]) + 1u,
        .units = hardware ? units[draw(6u)] : 0u,
        .parts = (hardware && (number == 0u) && (lone || one_of(2u))) ? 2u : 1u,
        .lone = lone,
    };
}

static bool draw_points(struct table *table)
{
    const struct counter *const counter = &counters[table->counter];
    const uint64_t most = counter->turn - 1u;
    table->points = (int)(1u + draw(POINTS));
    uint64_t before = 0u;
    for (int number = 0; number < table->points; number++) {
        struct point *const point = &table->point[number];
        memset(point, 0, sizeof *point);
        const uint64_t room = table->duration - before;
        point->offset = before + ((one_of(2u) && (number == 0)) ? 0u : draw(one_of(2u) ? (room + 1u) : 8u));
        if ((point->offset > table->duration) || ((point->offset - before) > most) ||
            ((number > 0) && (point->offset == before))) {
            return false;
        }
        before = point->offset;
        point->actions = (uint32_t)draw(MOST_ACTIONS + 1u);
        for (uint32_t action = 0; action < point->actions; action++) {
            uint32_t part = table->counter;
            part += ((counter->parts == 2u) && one_of(2u)) ? 2u : 0u;
            point->action[action].task = (uint8_t)(part + (PARTS * draw(TASKS / PARTS)));
            point->action[action].event = one_of(2u) ? 0u : (1u << draw(20u));
            point->is_step[part] = true;
        }
        for (uint32_t part = 0; part < PARTS; part++) {
            point->is_step[part] = point->is_step[part] || one_of(4u) || (table->sync == CARILLON_OSEK_SYNC_EXPLICIT) ||
                                   (table->duration > 0xFFFFFFFFu); /* which a delay does not hold */
        }
    }
    return (final_of(table) <= most) && ((CARILLON_OSEK_FAR != 0) || (table->duration < 0xFFFFFFFFu));
}

static void draw_table(uint8_t number, uint8_t on)
{
    const uint64_t turn_of = counters[on].turn;
    struct table *const table = &tables[number];
    memset(table, 0, sizeof *table);
    do {
        table->counter = on;
        table->repeats = !one_of(3u);
        table->sync = (uint8_t)draw((CARILLON_OSEK_ADJUSTS && !counters[on].lone) ? 3u : 2u);
        if (table->sync == CARILLON_OSEK_SYNC_IMPLICIT) {
            table->sync = one_of(2u) ? CARILLON_OSEK_SYNC_IMPLICIT : CARILLON_OSEK_SYNC_NONE;
        }
        const uint64_t durations[] = {1u + draw(12u), 1u + draw(60u), 1u + draw(turn_of), turn_of};
        table->duration = durations[draw(4u)];
        if (table->sync == CARILLON_OSEK_SYNC_IMPLICIT) {
            table->duration = turn_of;
        } else if (table->sync == CARILLON_OSEK_SYNC_EXPLICIT) {
            table->duration = ((table->duration > turn_of) || (table->duration > 0xFFFFFFFFu)) ? 1u : table->duration;
        } else if ((turn_of < 0x1000u) && one_of(6u)) {
            table->duration += turn_of; /* which some have that are not synchronised */
        } else {
            /* as it is */
        }
    } while (!draw_points(table));
    table->precision = one_of(3u) ? 0u : draw(one_of(2u) ? 4u : table->duration);
    for (int i = 0; i < table->points; i++) {
        const uint64_t delay = delay_to(table, i);
        const uint64_t room = (delay < turn_of) ? (turn_of - delay) : 0u;
        table->point[i].lengthen = one_of(3u) ? 0u : draw(one_of(2u) ? 4u : table->duration);
        table->point[i].lengthen = (table->point[i].lengthen < room) ? table->point[i].lengthen : 0u;
        table->point[i].shorten = one_of(4u) ? 0u : draw(one_of(2u) ? 4u : delay);
        table->point[i].shorten = (table->point[i].shorten < delay) ? table->point[i].shorten : 0u;
    }
    table->autostart = (uint32_t)draw(1u << MODES);
    table->start = (uint8_t)draw((table->sync == CARILLON_OSEK_SYNC_EXPLICIT) ? 3u : 2u);
    if (table->sync == CARILLON_OSEK_SYNC_IMPLICIT) {
        table->start = CARILLON_OSEK_START_ABSOLUTE;
    }
    table->at = (table->start == CARILLON_OSEK_START_RELATIVE) ? (1u + draw(turn_of - 1u - table->point[0].offset))
                                                               : draw(turn_of);
    if ((table->start == CARILLON_OSEK_START_RELATIVE) && ((table->at + table->point[0].offset) >= turn_of)) {
        table->autostart = 0u;
    }
    forget(table);
}

/* As the tool writes them. */
static struct carillon_osek_step steps[CARILLON_OSEK_CURSORS][POINTS + 1];
static uint16_t actions, cursors;

static void write_cursor(uint8_t number, uint32_t part)
{
    const struct table *const table = &tables[number];
    struct carillon_osek_step *const its = steps[cursors];
    struct carillon_osek_point_action *const written = drawn_actions();
    uint64_t before = 0u;
    uint16_t count = 0u;
    for (int i = 0; i <= table->points; i++) {
        const bool end = i == table->points;
        const struct point *const point = &table->point[end ? 0 : i];
        if (!end && !point->is_step[part]) {
            continue;
        }
        const uint64_t offset = end ? table->duration : point->offset;
        its[count] = (struct carillon_osek_step){.delay = (TickType)(offset - before), .first = actions};
#if CARILLON_OSEK_ADJUSTS
        its[count].offset = (TickType)offset;
        its[count].max_lengthen = (end && !table->repeats) ? 0u : (TickType)point->lengthen;
        its[count].max_shorten = (end && !table->repeats) ? 0u : (TickType)point->shorten;
#endif
        for (uint32_t action = 0; !end && (action < point->actions); action++) {
            if (part_of(point->action[action].task) == part) {
                assert_true(((actions + 1u) * sizeof *written) <= DRAWN_BYTES);
                const uint32_t event = point->action[action].event;
                written[actions++] = (struct carillon_osek_point_action){
                    .operand = {.carillon_event = event},
                    .action = (event != 0u) ? CARILLON_ACTION_SET_EVENT : CARILLON_ACTION_ACTIVATE,
                    .object = point->action[action].task,
                };
                its[count].count++;
            }
        }
        before = offset;
        count++;
    }
    struct carillon_osek_cursor *const cursor = drawn_cursors();
    cursor[cursors++] = (struct carillon_osek_cursor){its, count, (uint8_t)part, number};
}

static void write_constants(void)
{
    struct carillon_osek_schedule_table *const fixed = drawn_tables();
    struct carillon_osek_counter *const counter = drawn_counters();
    actions = cursors = 0u;
    for (uint32_t part = 0; part < PARTS; part++) {
        const struct counter *const its = &counters[part % 2u];
        counter[part] = (struct carillon_osek_counter){
            .max_allowed = (TickType)(its->turn - 1u),
            .units = (uint32_t)its->units,
            .software = (its->units == 0u) ? 1u : 0u,
            .ticked = 1u,
        };
    }
    for (uint8_t number = 0; number < TABLES; number++) {
        const struct table *const table = &tables[number];
        fixed[number] = (struct carillon_osek_schedule_table){
            .duration = (TickType)table->duration,
            .initial = (TickType)table->point[0].offset,
            .precision = (TickType)table->precision,
            .at = (TickType)table->at,
            .autostart = table->autostart,
            .first = cursors,
            .cursors = (uint8_t)counters[table->counter].parts,
            .counter = table->counter,
            .repeating = table->repeats ? 1u : 0u,
            .sync = table->sync,
            .start = table->start,
        };
#if CARILLON_OSEK_LONE_CURSORS > 0
        fixed[number].lone = counters[table->counter].lone ? 1u : 0u;
#endif
        for (uint32_t part = table->counter; part < PARTS; part += 2u) {
            if (has_part(table, part)) {
#if CARILLON_OSEK_LONE_CURSORS > 0
                counter[part].lone = counters[table->counter].lone ? (uint8_t)(cursors + 1u) : (uint8_t)0u;
#endif
                write_cursor(number, part);
            }
        }
    }
}

static void start(void)
{
    const AppModeType mode = (AppModeType)draw(MODES);
    model_start(mode);
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
    if (counters[part % 2u].lone && one_of(2u)) {
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
    uint64_t most = 1000000000u;
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
    time_now += by;
    for (uint8_t number = 0; number < 2u; number++) {
        if (counters[number].units != 0u) {
            count_to(number, (time_now - begun) / counters[number].units);
        }
    }
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
            assert_int_equal(IncrementCounter(number), E_OK);
            assert_true(is_served(number));
        }
    }
}

/* A table's service has returned. */
static void assert_returned(uint8_t number, uint8_t expects, StatusType status)
{
    assert_int_equal(status, expects);
    assert_int_equal(failed.calls, fails.calls);
    assert_int_equal(failed.last.service, fails.last.service);
    assert_int_equal(failed.last.object, fails.last.object);
    assert_int_equal(failed.last.first, fails.last.first);
    assert_ptr_equal(failed.last.reference, fails.last.reference);
    assert_int_equal(failed.last.status, fails.last.status);
    assert_int_equal(port.mask, 0u);
    if ((expects == E_OK) || (expects == E_OS_STATE) || (expects == E_OS_NOFUNC)) {
        for (uint32_t part = 0; part < PARTS; part++) {
            assert_true(!has_part(&tables[number], part) || is_served(part));
        }
    }
}

static uint64_t value_of_counter(const struct table *table)
{
    return counters[table->counter].now % counters[table->counter].turn;
}

static void ask(uint8_t number)
{
    ScheduleTableStatusType status = 99u;
    const bool refers = (number < TABLES) ? !one_of(20u) : true;
    void *const reference = refers ? &status : NULL;
    const uint8_t expects = model_status(number, reference);
    assert_returned(number, expects, GetScheduleTableStatus(number, reference));
    assert_int_equal(status, (expects == E_OK) ? tables[number].status : 99);
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
    uint8_t expects;
    switch (draw(11u)) {
    case 0u:
    case 1u:
        value = some_offset(table);
        expects = model_relative(number, value);
        assert_returned(number, expects, StartScheduleTableRel(number, value));
        break;
    case 2u:
    case 3u:
        value = some_value(table);
        expects = model_absolute(number, value);
        assert_returned(number, expects, StartScheduleTableAbs(number, value));
        break;
    case 4u:
        expects = model_synchron(number);
        assert_returned(number, expects, StartScheduleTableSynchron(number));
        break;
    case 5u:
        expects = model_stop(number);
        assert_returned(number, expects, (StopScheduleTable)(number));
        break;
    case 6u:
        expects = model_next(number, other);
        assert_returned(number, expects, NextScheduleTable(number, other));
        break;
    case 7u:
    case 8u:
        value = some_position(table);
        expects = model_synchronise(number, value);
        assert_returned(number, expects, SyncScheduleTable(number, value));
        break;
    case 9u:
        expects = model_asynchronous(number);
        assert_returned(number, expects, SetScheduleTableAsync(number));
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
        const bool lone = ALL_LONE || (CARILLON_OSEK_LONE && one_of(2u));
        const bool late = one_of(2u);
        draw_counter(0u, lone);
        draw_counter(1u, ALL_LONE != 0);
        for (uint8_t table = 0; table < TABLES; table++) {
            draw_table(table, (uint8_t)(lone ? ((table == 0u) ? 0u : 1u) : draw(2u)));
        }
        write_constants();
        begun = time_now = draw(2000000u) * 1000u; /* anywhere in a period of the time base */
        start();
        for (uint64_t left = 10u + draw(80u); left > 0u; left--) {
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
