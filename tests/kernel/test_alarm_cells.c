/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells of alarms at the levels of tasks (kernel/counters/cells.h), and how often they have expired, as the time base
 * tells it (cells.c).  The base counts down from 1999000000 at time 0. */
#include "levels/port.h"

#include "kernel/counters/cells.h"

#include <string.h>

/* Alarms.  A tick of the counter is 1000 units of the base, which tells up to 800000000 units. */
enum {
    ACTIVATES,    /* at 3000, 13000, 23000, ... */
    QUEUED,       /* has no cell */
    LONG_CYCLE,   /* of 900000000 units, which are too many to tell */
    AT_A_TURN,    /* at 100000, which is the counter's turn, and so on */
    LATE_FIRST,   /* at 850000000 for the first time */
    SETS_EVENT,   /* each 10000 units */
    SETS_NOTHING, /* of a task that does not run */
    AT_MOST       /* at 800000000, and so on */
};
enum { TASK, EXTENDED, RESTS, TASKS };
enum { LEVEL = 2, TASK_SOURCE = 16, EXTENDED_SOURCE, CELL_SOURCE };
#define ORIGIN UINT32_C(1999000000)

static struct carillon_osek_extended extended, rests;
struct carillon_osek_extended carillon_extended_Second;
const struct carillon_osek_task carillon_osek_tasks[TASKS] = {
    [TASK] = {.level = LEVEL, .activations = 2u, .request = CARILLON_STORE_PEND(TASK_SOURCE)},
    [EXTENDED] = {.level = LEVEL,
                  .activations = 1u,
                  .extended = &extended,
                  .request = CARILLON_STORE_PEND(EXTENDED_SOURCE)},
    [RESTS] = {.level = LEVEL, .activations = 1u, .extended = &rests}};
const struct carillon_osek_level carillon_osek_levels[LEVEL + 1u];
struct carillon_osek_job carillon_osek_jobs[TASKS];
volatile bool carillon_osek_over[LEVEL + 1u];
const struct carillon_osek_counter carillon_osek_counters[] = {{.max_allowed = 99u, .ticks_per_base = 1u}};
uint8_t carillon_osek_alarm_cells[CARILLON_OSEK_ALARMS];

static const struct carillon_osek_cell cell = {.source = CELL_SOURCE, .ticks = 1000u};
#define ACTIVATE .cell = &cell, .action = CARILLON_ACTION_ACTIVATE, .object = TASK
#define SET .cell = &cell, .action = CARILLON_ACTION_SET_EVENT, .operand.carillon_event = 4u
const struct carillon_osek_alarm carillon_osek_alarms[CARILLON_OSEK_ALARMS] = {
    [ACTIVATES] = {ACTIVATE, .start = 3u, .cycle = 10u},
    [QUEUED] = {.start = 3u, .cycle = 10u},
    [LONG_CYCLE] = {ACTIVATE, .start = 3u, .cycle = 900000u},
    [AT_A_TURN] = {ACTIVATE, .start = 0u, .cycle = 10u},
    [LATE_FIRST] = {ACTIVATE, .start = 850000u, .cycle = 10u},
    [SETS_EVENT] = {SET, .object = EXTENDED, .start = 3u, .cycle = 10u},
    [SETS_NOTHING] = {SET, .object = RESTS, .start = 3u, .cycle = 10u},
    [AT_MOST] = {ACTIVATE, .start = 800000u, .cycle = 800000u},
};

/* The time, in units since time 0; and at which reading of the base so many more have passed, and the cell asks. */
static uint64_t now;
static uint32_t readings, jumps_at, jumps_by;
uint32_t carillon_test_base(void)
{
    if (++readings == jumps_at) {
        now += jumps_by;
        port.pending[CELL_SOURCE] = true;
    }
    return (uint32_t)((ORIGIN + (UINT64_C(2000000000) - (now % 2000000000u))) % 2000000000u);
}

static struct {
    uint32_t count;
    uint8_t action;
    TaskType object;
    StatusType status;
} failed;
void carillon_osek_cell_fails(uint8_t action, TaskType object, EventMaskType event, StatusType status)
{
    (void)event;
    failed.count++;
    failed.action = action;
    failed.object = object;
    failed.status = status;
}

static int reset(void **state)
{
    memset(carillon_osek_jobs, 0, sizeof carillon_osek_jobs);
    memset(carillon_osek_alarm_cells, CARILLON_OSEK_ON_CELL, sizeof carillon_osek_alarm_cells);
    memset(carillon_osek_alarm_due, 0, CARILLON_OSEK_ALARMS * sizeof carillon_osek_alarm_due[0]);
    memset(&extended, 0, sizeof extended);
    memset(&failed, 0, sizeof failed);
    now = 0u;
    readings = 0u;
    jumps_at = 0u;
    return port_reset(state);
}

/* The next expiry that counts, in units since time 0. */
static uint32_t due(AlarmType alarm)
{
    return ORIGIN - carillon_osek_alarm_due[alarm];
}
static void set_due(AlarmType alarm, uint32_t units)
{
    carillon_osek_alarm_due[alarm] = ORIGIN - units;
}

static bool was_requested(uint32_t source)
{
    const bool was = port.pending[source];
    port.pending[source] = false;
    return was;
}

static void t_start(void **state)
{
    (void)state;
    carillon_osek_start_expiries();
    assert_int_equal(due(ACTIVATES), 3000u);
    assert_int_equal(carillon_osek_alarm_due[QUEUED], 0u);
    assert_int_equal(carillon_osek_alarm_due[LONG_CYCLE], 0u);
    assert_int_equal(due(AT_A_TURN), 100000u);
    assert_int_equal(carillon_osek_alarm_due[LATE_FIRST], 0u);
    assert_int_equal(due(AT_MOST), 800000000u);
}

/* The cells have been started with a round: what has expired is forgotten, but for the last one, if it waits. */
static void t_start_late(void **state)
{
    (void)state;
    now = 25000u;
    carillon_osek_start_expiries();
    assert_int_equal(due(ACTIVATES), 33000u);
    assert_int_equal(due(AT_A_TURN), 100000u);
    port.pending[CELL_SOURCE] = true;
    carillon_osek_start_expiries();
    assert_int_equal(due(ACTIVATES), 23000u);
    assert_int_equal(due(AT_A_TURN), 100000u); /* none of its own: the request is of another start */
    now = 3000u;
    carillon_osek_start_expiries();
    assert_int_equal(due(ACTIVATES), 3000u);
    now = 2999u;
    carillon_osek_start_expiries();
    assert_int_equal(due(ACTIVATES), 3000u);
}

/* It expires between the two readings: it is the one that waits. */
static void t_start_between(void **state)
{
    (void)state;
    now = 22990u;
    jumps_at = 2u;
    jumps_by = 20u;
    carillon_osek_start_expiries();
    assert_int_equal(due(ACTIVATES), 23000u);
    assert_true(readings >= 4u);
}

/* One expiry, none yet, and three for which the cell was held back. */
static void t_expiries(void **state)
{
    (void)state;
    set_due(ACTIVATES, 23000u);
    now = 23000u;
    assert_int_equal(carillon_osek_expiries(ACTIVATES), 1u);
    assert_int_equal(due(ACTIVATES), 33000u);
    assert_int_equal(carillon_osek_expiries(ACTIVATES), 0u);
    assert_int_equal(due(ACTIVATES), 33000u);
    now = 42999u;
    assert_int_equal(carillon_osek_expiries(ACTIVATES), 1u);
    now = 63000u;
    assert_int_equal(carillon_osek_expiries(ACTIVATES), 3u); /* 43000, 53000, 63000 */
    assert_int_equal(due(ACTIVATES), 73000u);
    assert_int_equal(carillon_osek_expiries(LONG_CYCLE), 1u);
    assert_int_equal(carillon_osek_expiries(LATE_FIRST), 1u);
    assert_int_equal(carillon_osek_alarm_due[LONG_CYCLE], 0u);
}

/* The base begins anew 2000000000 units after it has begun: 4000 units before that it is due, and next 6000 after. */
static void t_anew(void **state)
{
    (void)state;
    carillon_osek_alarm_due[ACTIVATES] = 4000u;
    now = ORIGIN - 3999u;
    assert_int_equal(carillon_osek_expiries(ACTIVATES), 1u);
    assert_int_equal(carillon_osek_alarm_due[ACTIVATES], 1999994000u);
    assert_int_equal(carillon_osek_expiries(ACTIVATES), 0u);
    now += 9999u;
    assert_int_equal(carillon_osek_expiries(ACTIVATES), 1u);
}

/* A task is activated once for each expiry, as often as it may be; the level's handler is requested, or goes on. */
static void t_activates(void **state)
{
    (void)state;
    set_due(ACTIVATES, 3000u);
    assert_false(carillon_osek_level_alarm(ACTIVATES, false));
    assert_int_equal(carillon_osek_jobs[TASK].activations, 0u);
    now = 3000u;
    assert_true(carillon_osek_level_alarm(ACTIVATES, false));
    assert_int_equal(carillon_osek_jobs[TASK].activations, 1u);
    assert_true(was_requested(TASK_SOURCE));
    now = 33000u; /* 13000, 23000, 33000: two are too many */
    assert_true(carillon_osek_level_alarm(ACTIVATES, true));
    assert_false(was_requested(TASK_SOURCE));
    assert_int_equal(carillon_osek_jobs[TASK].activations, 2u);
    assert_int_equal(failed.count, 2u);
    assert_int_equal(failed.status, E_OS_LIMIT);
    assert_int_equal(failed.object, TASK);
    now = 53000u;
    assert_false(carillon_osek_level_alarm(ACTIVATES, false));
    assert_false(was_requested(TASK_SOURCE));
    assert_int_equal(failed.count, 4u);
    carillon_osek_jobs[TASK].activations = 0u;
    now = 83000u;
    assert_true(carillon_osek_level_alarm(ACTIVATES, false)); /* two of three fit */
    assert_int_equal(carillon_osek_jobs[TASK].activations, 2u);
    assert_int_equal(failed.count, 5u);
    assert_int_equal(port.mask, 0u);
}

/* Of several at once one may do something, whichever that is. */
static void t_again(void **state)
{
    (void)state;
    assert_true(carillon_osek_alarm_acts_again(ACTIVATES, 3u));
    assert_int_equal(carillon_osek_jobs[TASK].activations, 2u);
    assert_int_equal(failed.count, 1u);
    assert_false(carillon_osek_alarm_acts_again(ACTIVATES, 3u));
    assert_int_equal(failed.count, 4u);
    assert_false(carillon_osek_alarm_acts_again(ACTIVATES, 0u));
    assert_int_equal(failed.count, 4u);
}

static void t_cancelled(void **state)
{
    (void)state;
    set_due(ACTIVATES, 3000u);
    now = 3000u;
    carillon_osek_alarm_cells[ACTIVATES] = CARILLON_OSEK_ON_CELL + 1u;
    port.pending[CELL_SOURCE] = true;
    assert_false(carillon_osek_level_alarm_waits(ACTIVATES, CELL_SOURCE));
    assert_false(carillon_osek_level_alarm(ACTIVATES, false));
    assert_int_equal(carillon_osek_jobs[TASK].activations, 0u);
    carillon_osek_alarm_cells[ACTIVATES] = CARILLON_OSEK_ON_CELL;
    assert_true(carillon_osek_level_alarm_waits(ACTIVATES, CELL_SOURCE));
    port.pending[CELL_SOURCE] = false;
    assert_false(carillon_osek_level_alarm_waits(ACTIVATES, CELL_SOURCE));
}

static void t_early(void **state)
{
    (void)state;
    set_due(ACTIVATES, 3000u);
    carillon_osek_level_alarm_early(ACTIVATES);
    assert_false(was_requested(TASK_SOURCE));
    now = 3000u;
    carillon_osek_level_alarm_early(ACTIVATES);
    assert_true(was_requested(TASK_SOURCE));
    assert_int_equal(carillon_osek_jobs[TASK].activations, 1u);
}

/* A task that waits for the event goes on, once for several expiries; one that does not run is an error each time. */
static void t_events(void **state)
{
    (void)state;
    carillon_osek_jobs[EXTENDED].activations = 1u;
    extended.waited = 2u;
    set_due(SETS_EVENT, 3000u);
    now = 3000u;
    assert_false(carillon_osek_level_alarm(SETS_EVENT, false)); /* it waits for another one */
    assert_int_equal(extended.set, 4u);
    assert_int_equal(extended.waited, 2u);
    extended.waited = 6u;
    now = 23000u;
    assert_true(carillon_osek_level_alarm(SETS_EVENT, false));
    assert_int_equal(extended.waited, 0u);
    assert_true(was_requested(EXTENDED_SOURCE));
    assert_int_equal(failed.count, 0u);
    set_due(SETS_NOTHING, 3000u);
    assert_false(carillon_osek_level_alarm(SETS_NOTHING, false));
    assert_int_equal(failed.count, 3u); /* 3000, 13000, 23000 */
    assert_int_equal(failed.status, E_OS_STATE);
    assert_int_equal(failed.object, RESTS);
}

static void t_points(void **state)
{
    (void)state;
    assert_true(carillon_osek_level_point(CARILLON_ACTION_ACTIVATE, EXTENDED, 0u, false));
    assert_true(was_requested(EXTENDED_SOURCE));
    assert_false(carillon_osek_level_point(CARILLON_ACTION_ACTIVATE, EXTENDED, 0u, false));
    assert_false(was_requested(EXTENDED_SOURCE));
    assert_int_equal(failed.count, 1u);
    assert_true(carillon_osek_level_point(CARILLON_ACTION_ACTIVATE, TASK, 0u, true));
    assert_false(was_requested(TASK_SOURCE));
    extended.set = 1u;
    carillon_osek_jobs[EXTENDED].activations = 0u;
    carillon_osek_level_point_early(CARILLON_ACTION_ACTIVATE, EXTENDED, 0u);
    assert_true(was_requested(EXTENDED_SOURCE));
    assert_int_equal(extended.set, 0u); /* a job begins with none */
    carillon_osek_level_point_early(CARILLON_ACTION_ACTIVATE, EXTENDED, 0u);
    assert_false(was_requested(EXTENDED_SOURCE));
    port.pending[CELL_SOURCE] = true;
    assert_true(carillon_osek_level_point_waits(CELL_SOURCE));
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
    const struct CMUnitTest tests[] = {TEST(t_start), TEST(t_start_late), TEST(t_start_between), TEST(t_expiries),
                                       TEST(t_anew),  TEST(t_activates),  TEST(t_cancelled),     TEST(t_again),
                                       TEST(t_early), TEST(t_events),     TEST(t_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
